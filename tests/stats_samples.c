/* stats_samples.c - statistics against direct summation, brute force and simulation */
#include "../servet.h"
#include "private.h"
#include <stdlib.h>
#include "tap.h"

/* ---- random numbers -------------------------------------------------------------------------- */

/* Is a chi-square sum over df + 1 equally likely cells one that chance gives (five standard deviations)? */
static int by_chance(const double *count, int cells, double total)
{
    double sum = 0, expected = total / cells;
    int i;
    for (i = 0; i < cells; i++) sum += (count[i] - expected) * (count[i] - expected) / expected;
    return sum < cells - 1 + 5 * sqrt(2.0 * (cells - 1)) && sum > 0;
}

static void test_random(void)
{
    /* the first outputs of splitmix64 as its authors publish them */
    uint64_t state = 0, other = UINT64_C(1234567);
    double count[100], sum = 0;
    int i, cells, bad = 0, alike = 0;
    TAP_OK(servet_stats_random(&state) == UINT64_C(0xe220a8397b1dcdaf)
           && servet_stats_random(&state) == UINT64_C(0x6e789e6aa1b965f4)
           && servet_stats_random(&state) == UINT64_C(0x06c45d188009454f), "splitmix64 from seed 0");
    TAP_OK(servet_stats_random(&other) == UINT64_C(6457827717110365317)
           && servet_stats_random(&other) == UINT64_C(3203168211198807973),
           "splitmix64 from seed 1234567");
    for (cells = 2; cells <= 100; cells += 7) {
        memset(count, 0, sizeof count);
        for (i = 0; i < 200 * cells; i++) {
            const size_t x = servet_stats_random_below(&state, (size_t)cells);
            if (x >= (size_t)cells) { bad++; continue; }
            count[x]++;
        }
        bad += !by_chance(count, cells, 200.0 * cells);
    }
    TAP_OK(bad == 0, "numbers below 2, 9, .. 100 are all equally frequent");
    for (i = 0; i < 100; i++) {
        bad += servet_stats_random_below(&state, 1) != 0;
        bad += servet_stats_random_below(&state, SIZE_MAX) >= SIZE_MAX;
        alike += servet_stats_random_below(&state, SIZE_MAX) < SIZE_MAX / 2;
    }
    TAP_OK(bad == 0 && alike > 20 && alike < 80, "and below 1 or the largest of all");
    memset(count, 0, sizeof count);
    for (i = 0; i < 20000; i++) {
        const double x = servet_stats_random_unit(&state);
        bad += !(x >= 0 && x < 1);
        if (bad == 0) count[(int)(x * 100)]++;
        sum += x;
    }
    TAP_OK(bad == 0 && by_chance(count, 100, 20000), "numbers in [0, 1) are spread evenly");
    TAP_OK(fabs(sum / 20000 - 0.5) < 5 * sqrt(1.0 / 12 / 20000), "with mean 1/2 (%.4f)", sum / 20000);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void test_sort(void)
{
    double x[60], want[60];
    uint64_t seed = 1;
    int n, i, k, bad = 0;
    for (n = 0; n <= 60; n++) {
        for (i = 0; i < n; i++) {    /* insertion, with ties, infinities and zeros of both signs */
            x[i] = (double)servet_stats_random_below(&seed, 20) - 10;
            if (servet_stats_random_below(&seed, 10) == 0)
                x[i] = servet_stats_random_below(&seed, 2) ? HUGE_VAL : -HUGE_VAL;
            for (k = i; k > 0 && want[k - 1] > x[i]; k--) want[k] = want[k - 1];
            want[k] = x[i];
        }
        servet_stats_sort(x, (size_t)n);
        for (i = 0; i < n; i++) bad += !(x[i] >= want[i] && x[i] <= want[i]);
    }
    TAP_OK(bad == 0, "sorted as by insertion");
}

static void test_quantile(void)
{
    static const double four[] = { 1, 2, 3, 4 }, five[] = { 10, 20, 30, 40, 50 };
    TAP_NEAR(servet_stats_quantile(four, 4, 0.25), 1.75, 1e-15, "type 7: a quarter of 1 2 3 4");
    TAP_NEAR(servet_stats_quantile(four, 4, 0.5), 2.5, 1e-15, "half of it");
    TAP_NEAR(servet_stats_quantile(five, 5, 0.1), 14, 1e-15, "a tenth of 10 20 30 40 50");
    TAP_NEAR(servet_stats_quantile(five, 5, 0.75), 40, 1e-15, "three quarters of it");
    TAP_OK(servet_stats_quantile(five, 5, 0) == 10 && servet_stats_quantile(five, 5, 1) == 50
           && servet_stats_quantile(five, 5, -1) == 10 && servet_stats_quantile(five, 5, 7) == 50,
               "the ends, and beyond them");
    TAP_OK(servet_stats_quantile(five, 1, 0.3) == 10 && servet_stats_quantile(NULL, 0, 0.3) == 0,
           "of one value, and of none");
}

/* ---- binomial -------------------------------------------------------------------------------- */

/* P[B(n, p) >= k] by ratios of neighbouring terms from the mode, divided by their sum: no factorial in it. */
static double tail(int n, int k, double p)
{
    const int mode = (int)((n + 1) * p) < n ? (int)((n + 1) * p) : n;
    double all = 0, above = 0, term;
    int j;
    for (j = mode, term = 1; j <= n && term > 0; j++) {
        all += term;
        if (j >= k) above += term;
        term *= (double)(n - j) / (j + 1) * (p / (1 - p));
    }
    for (j = mode, term = 1; j > 0 && term > 0; ) {
        term *= (double)j / (n - j + 1) * ((1 - p) / p);
        all += term;
        if (--j >= k) above += term;
    }
    return above / all;
}

static void test_binomial(void)
{
    static const double ps[] = { 1e-12, 1e-5, 0.003, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1 - 1e-9 };
    static const int ks[] = { 1, 2, 10, 900, 999, 1000, 1001, 1100, 1300 };
    double worst = 0, worst_large = 0, error;
    int n, k, bad = 0;
    size_t i;
    for (i = 0; i < sizeof ps / sizeof *ps; i++) {
        for (n = 1; n <= 150; n += n < 20 ? 1 : 13) {
            for (k = 1; k <= n; k++) {
                const double want = tail(n, k, ps[i]), got = servet_stats_binomial_tail(n, k, ps[i]);
                error = want > 1e-280 ? fabs(got / want - 1) : got;
                if (!(error <= worst)) worst = error;
                bad += !(got >= 0 && got <= 1);
            }
        }
    }
    TAP_OK(worst < 1e-11 && bad == 0, "tails of up to 150 trials as by direct summation (off by %.1g)", worst);
    for (i = 0; i < sizeof ks / sizeof *ks; i++) {
        const double want = tail(1000000, ks[i], 1e-3), got = servet_stats_binomial_tail(1e6, ks[i], 1e-3);
        error = fabs(got / want - 1);
        if (!(error <= worst_large)) worst_large = error;
    }
    TAP_OK(worst_large < 2e-8, "and of a million (off by %.1g)", worst_large);
    TAP_NEAR(servet_stats_binomial_tail(1e6, 1, 1e-9), -expm1(1e6 * log1p(-1e-9)), 2e-8,
        "at least one of 1e6: 1 - (1-p)^n");
    TAP_NEAR(servet_stats_binomial_tail(300, 300, 0.9), pow(0.9, 300), 1e-11, "all of 300: p^n");
    TAP_NEAR(servet_stats_binomial_tail(1e6, 500001, 0.5) * 2, 1 - exp(-0.5 * log(acos(-1.0) * 5e5)), 1e-6,
             "more than half of 1e6: half, but for half the middle term (Stirling)");
    for (n = 1, error = 0; n < 1000; n += 37)
        for (k = 1; k <= n; k += 11)
            error = servet__max(error, fabs(servet_stats_binomial_tail(n, k, 0.3) + servet_stats_binomial_tail(n,
                n - k + 1, 0.7) - 1));
    TAP_OK(error < 1e-11, "successes and failures agree (off by %.1g)", error);
    TAP_OK(servet_stats_binomial_tail(10, 0, 0.3) == 1 && servet_stats_binomial_tail(10, -3, 0.3) == 1
           && servet_stats_binomial_tail(10, 11, 0.3) == 0 && servet_stats_binomial_tail(0, 1, 0.5) == 0
           && servet_stats_binomial_tail(0, 0, 0.5) == 1, "k of 0 and beyond n");
    TAP_OK(servet_stats_binomial_tail(10, 3, 0) == 0 && servet_stats_binomial_tail(10, 3, -1) == 0
           && servet_stats_binomial_tail(10, 10, 1) == 1 && servet_stats_binomial_tail(10, 3, 2) == 1,
               "p of 0, of 1, and beyond");
    TAP_NEAR(servet_stats_binomial_tail(10, 2.3, 0.3), tail(10, 3, 0.3), 1e-12, "more than 2.3 is 3 or more");
}

/* ---- summary --------------------------------------------------------------------------------- */

static double cover(int n, int l, int u) { return tail(n, l, 0.25) - (u > n ? 0 : tail(n, u, 0.25)); }

/* In what share of seeds does the interval of n draws hold the true quartile?  The distribution, 1 / (1 - u)^2, has
 * a tail so heavy that its mean is infinite. */
static double covered(int n, double truth, double *claimed)
{
    enum { SEEDS = 4000 };
    double x[64], scratch[64];
    servet_summary s;
    uint64_t seed = (uint64_t)n;
    int i, k, held = 0;
    memset(&s, 0, sizeof s);
    for (i = 0; i < SEEDS; i++) {
        for (k = 0; k < n; k++) x[k] = 1 / pow(1 - servet_stats_random_unit(&seed), 2);
        if (servet_stats_summarise(&s, x, (size_t)n, scratch) < 0) return -1;
        held += s.lo <= truth && truth <= s.hi;
    }
    *claimed = s.coverage_frac;
    return held / (double)SEEDS;
}

static void test_summary(void)
{
    static const int sizes[] = { 1, 2, 5, 9, 11, 12, 24, 60 };
    const double nan = HUGE_VAL - HUGE_VAL;
    double x[64], kept[64], *scratch;
    servet_summary s, mark;
    uint64_t seed = 5;
    int n, l, u, i, bad = 0, wrong = 0;
    memset(&mark, 0x5a, sizeof mark);
    s = mark;
    x[0] = nan;
    x[1] = HUGE_VAL;
    x[2] = -HUGE_VAL;
    TAP_OK(servet_stats_summarise(&s, NULL, 0, NULL) == SERVET_EUNRESOLVED
           && servet_stats_summarise(&s, x, 3, kept) == SERVET_EUNRESOLVED
           && servet_stats_summarise(&s, NULL, 3, kept) == SERVET_EINVAL
               && servet_stats_summarise(&s, x, 3, NULL) == SERVET_EINVAL
           && !memcmp(&s, &mark, sizeof s), "nothing to summarise: a status, and nothing written");
    x[3] = 7;
    TAP_OK(servet_stats_summarise(&s, x, 4, kept) == SERVET_OK && s.n == 1 && s.min == 7 && s.max == 7 && s.median == 7
           && s.q25 == 7 && s.lo == 7 && s.hi == 7 && s.coverage_frac == 0,
               "one finite value among four: all is that, and nothing is sure");
    for (n = 1; n <= 60; n++) {
        int best_l = 1, best_u = n, found = 0, order[64];
        double best = cover(n, 1, n);
        for (l = 1; l <= n; l++)
            for (u = l + 1; u <= n; u++)
                if (cover(n, l, u) >= 0.95 && (!found || u - l < best_u - best_l
                    || (u - l == best_u - best_l && cover(n, l, u) > best))) {
                    found = 1;
                    best_l = l;
                    best_u = u;
                    best = cover(n, l, u);
                }
        for (i = 0; i < n; i++) {    /* 1 to n, in any order */
            const int at = (int)servet_stats_random_below(&seed, (size_t)i + 1);
            order[i] = order[at];
            order[at] = i + 1;
        }
        for (i = 0; i < n; i++) kept[i] = x[i] = order[i];
        scratch = (double *)malloc((size_t)n * sizeof *scratch);    /* no more than n, for sanitizers to see */
        if (!scratch) abort();
        if (servet_stats_summarise(&s, x, (size_t)n, scratch) < 0 || s.n != (size_t)n) bad++;
        else if (s.lo != best_l || s.hi != best_u || fabs(s.coverage_frac - best) > 1e-12) {
            wrong++;
            TAP_DIAG("n = %d: ranks %g to %g (%.4f), not %d to %d (%.4f)", n, s.lo, s.hi, s.coverage_frac, best_l,
                best_u, best);
        }
        bad += s.min != 1 || s.max != n || fabs(s.median - (n + 1) / 2.0) > 1e-12
            || fabs(s.q25 - (n + 3) / 4.0) > 1e-12;
        bad += memcmp(x, kept, (size_t)n * sizeof *x) != 0;
        bad += (n >= 11) != (s.coverage_frac >= 0.95);
        free(scratch);
    }
    TAP_OK(wrong == 0, "for 1 to 60 samples the narrowest ranks that cover 95 %%, of all pairs");
    TAP_OK(bad == 0, "with minimum, quartile, median and maximum; the samples stay as they are");
    for (i = 0; i < 20; i++) x[i] = i < 12 ? 3 : 4;
    TAP_OK(servet_stats_summarise(&s, x, 20, kept) == SERVET_OK && s.q25 == 3 && s.lo == 3 && s.hi == 3
           && s.median == 3 && s.max == 4,
           "ties count as often as they are");
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        double claimed = -1;
        const double truth = 16.0 / 9, rate = covered(sizes[i], truth, &claimed),
            sd = sqrt(claimed * (1 - claimed) / 4000) + 1e-9;
        TAP_OK(fabs(rate - claimed) < 4 * sd,
               "%d draws: the interval holds the quartile as often as it says (%.3f, %.3f)",
               sizes[i], rate, claimed);
    }
}

/* ---- isotonic fit ---------------------------------------------------------------------------- */

static void test_isotonic(void)
{
    double y[80], w[80], got[80], scratch[160], worst = 0;
    uint64_t seed = 9;
    int n, i, a, b, turn, falls = 0;
    for (n = 0; n <= 80; n++) {
        for (turn = 0; turn < 3; turn++) {
            for (i = 0; i < n; i++) {
                y[i] = turn == 2 ? (double)servet_stats_random_below(&seed, 4)
                    : i * 0.05 + servet_stats_random_unit(&seed);
                w[i] = 0.01 + servet_stats_random_unit(&seed);
                got[i] = y[i];
            }
            servet_stats_isotonic(got, turn ? w : NULL, (size_t)n, scratch);
            for (i = 0; i < n; i++) {    /* largest over the beginnings of least mean over the ends */
                double most = -HUGE_VAL;
                for (a = 0; a <= i; a++) {
                    double least = HUGE_VAL, sum = 0, weight = 0;
                    for (b = a; b < n; b++) {
                        const double one = turn ? w[b] : 1;
                        sum += one * y[b];
                        weight += one;
                        if (b >= i && sum / weight < least) least = sum / weight;
                    }
                    if (least > most) most = least;
                }
                worst = servet__max(worst, fabs(got[i] - most));
                falls += i > 0 && got[i] < got[i - 1];
            }
        }
    }
    TAP_OK(worst < 1e-12, "the max-min formula, with and without weights and ties (off by %.1g)", worst);
    TAP_OK(falls == 0, "never falls");
}

/* Distances of readings of a counter that advances by step ticks at a time, of work of 50 to 300 ticks. */
static double gap_of(double step, uint64_t seed)
{
    double delta[1200];
    size_t i;
    for (i = 0; i < 1200; i++) {
        const double at = 1e4 * servet_stats_random_unit(&seed), work = 50 + 250 * servet_stats_random_unit(&seed);
        delta[i] = floor((at + work) / step) * step - floor(at / step) * step;
        if (i % 20 == 0) delta[i] += 5000;    /* an interruption */
    }
    return servet__timer_gap(delta, 1200);
}

static void test_timer_step(void)
{
    static const double step[] = { 1, 2, 23, 26, 42, 100 };
    size_t i;
    uint64_t seed;
    for (i = 0; i < sizeof step / sizeof *step; i++) {
        int right = 0;
        for (seed = 1; seed <= 50; seed++) right += fabs(gap_of(step[i], seed) - step[i]) < 0.5;
        TAP_OK(right == 50, "a counter that steps by %.0f ticks is seen to, %d times of 50", step[i], right);
    }
}

int main(void)
{
    test_random();
    test_sort();
    test_quantile();
    test_binomial();
    test_summary();
    test_isotonic();
    test_timer_step();
    return tap_done();
}

/* levels_fit.c - the parts of the inference against their definitions: what misses, what a curve is, the algorithms of
 * 2010 on the curves their own formula gives.  How often levels are right on modelled machines: profile_infer.c. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "../servet.h"
#include "misses.h"
#include "tap.h"
#include <sys/resource.h>

#define KIB 1024.0
#define MIB 1048576.0

static servet_curve curve;    /* large */
static double bytes[300000], ns[300000];

/* P[B(n, p) >= k] by ratios of terms from the mode, divided by their sum */
static double tail(int n, int k, double p)
{
    const int mode = (int)((n + 1) * p) < n ? (int)((n + 1) * p) : n;
    double all = 0, above = 0, term;
    int j;
    if (k > n) return 0;
    if (p >= 1) return 1;
    for (j = mode, term = 1; j <= n && term > 1e-30; j++) {
        all += term;
        if (j >= k) above += term;
        term *= (double)(n - j) / (j + 1) * (p / (1 - p));
    }
    for (j = mode, term = 1; j > 0 && term > 1e-30; ) {
        term *= (double)j / (n - j + 1) * ((1 - p) / p);
        all += term;
        if (--j >= k) above += term;
    }
    return above / all;
}

/* ---- miss rate ------------------------------------------------------------------------------- */

/* A cyclic walk over n pages that fall at random on capacity / ways classes, each of so many places; what is
 * replaced is the least recently used or any.  Mean miss rate over draws, after some rounds to warm up. */
static double walked(int n, int capacity, int ways, int policy, uint64_t seed)
{
    static int where[4096], place[4096], used[4096];
    const int classes = capacity / ways, draws = 300, warm = policy == SERVET_POLICY_RANDOM ? 12 : 1, rounds = warm + 2;
    long miss = 0;
    int draw, round, i, k;
    for (draw = 0; draw < draws; draw++) {
        for (i = 0; i < capacity; i++) place[i] = used[i] = -1;
        for (i = 0; i < n; i++) where[i] = (int)servet_stats_random_below(&seed, (size_t)classes) * ways;
        for (round = 0; round < rounds; round++) {
            for (i = 0; i < n; i++) {
                int victim = where[i];
                for (k = where[i]; k < where[i] + ways && place[k] != i; k++) if (used[k] < used[victim]) victim = k;
                if (k == where[i] + ways) {    /* empty places first: their last use is -1 */
                    if (policy == SERVET_POLICY_RANDOM
                        && used[victim] >= 0) victim = where[i] + (int)servet_stats_random_below(&seed, (size_t)ways);
                    miss += round >= warm;
                    place[k = victim] = i;
                }
                used[k] = round * n + i;
            }
        }
    }
    return (double)miss / ((double)draws * (rounds - warm) * n);
}

/* A cyclic walk over m lines of one class: what a class of so many ways misses after some rounds.  One bit a
 * line, cleared in all others when the last is set, or ages of two bits: a hit makes young, what comes in is of age 1,
 * and where none is of age 3 all others grow older until one is. */
static double one_class(int m, int ways, int policy, int settled, int counted)
{
    int line[64], age[64], filled = 0, round, i, w, k;
    const int old = policy == SERVET_POLICY_NRU ? 0 : 3;
    long miss = 0;
    for (round = 0; round < settled + counted; round++) {
        for (i = 0; i < m; i++) {
            int hit, oldest = 0;
            for (w = 0; w < filled && line[w] != i; w++) { }
            hit = w < filled;
            miss += !hit && round >= settled;
            if (!hit && filled < ways) filled++;
            else if (!hit) for (w = 0; w + 1 < ways && age[w] != old; w++) { }
            line[w] = i;
            if (policy == SERVET_POLICY_NRU) {
                age[w] = 1;
                for (k = 0; k < filled && age[k]; k++) { }
                for (k = k == ways ? 0 : ways; k < ways; k++) age[k] = k == w;
            } else {
                age[w] = hit ? 0 : 1;
                for (k = 0; k < filled; k++) if (k != w && age[k] > oldest) oldest = age[k];
                for (k = 0; k < filled; k++) if (k != w) age[k] += 3 - oldest;
            }
        }
    }
    return (double)miss / ((double)m * counted);
}

static void test_classes(void)
{
    double nru = 0, qlru = 0;
    int m, ways;
    for (ways = 2; ways <= 32; ways++) {
        for (m = ways; m <= 3 * ways; m++) {
            const double a = misses_of(m, ways, ways, SERVET_POLICY_NRU, SERVET_PLACEMENT_EVEN);
            const double b = misses_of(m, ways, ways, SERVET_POLICY_QLRU, SERVET_PLACEMENT_EVEN);
            nru = fmax(nru, fabs(a - one_class(m, ways, SERVET_POLICY_NRU, 64, 64)));
            if (ways >= 8 && ways <= 24) qlru = fmax(qlru, fabs(b - one_class(m, ways, SERVET_POLICY_QLRU, 64, 64)));
        }
    }
    TAP_OK(nru < 0.01, "a class under NRU misses what a walk over it does, of 2 to 32 ways (off by %.4f)", nru);
    TAP_OK(qlru < 0.15, "and under QLRU to 0.15, of 8 to 24 ways (off by %.3f)", qlru);
}

static void test_miss_rate(void)
{
    static const int ways[] = { 1, 2, 4, 8, 16 }, policies[] = { SERVET_POLICY_LRU, SERVET_POLICY_NRU,
        SERVET_POLICY_RANDOM, SERVET_POLICY_ADAPTIVE, SERVET_POLICY_DUELING, SERVET_POLICY_QLRU };
    double worst = 0, off[2] = { 0, 0 }, last;
    int i, k, n, bad = 0, falls = 0;
    for (k = 0; k < 5; k++)
        for (n = 1; n <= 600; n += 7)
            worst = servet__max(worst, fabs(misses_of(n, 256, ways[k], SERVET_POLICY_LRU,
                SERVET_PLACEMENT_RANDOM)
                                            - tail(n - 1, ways[k], ways[k] / 256.0)));
    TAP_OK(worst < 1e-5, "LRU, random pages: P[B(n-1, p) >= K] (off by %.1g)", worst);
    for (k = 0; k < 5; k++) {
        for (i = 0; i < 2; i++) {
            const int policy = i ? SERVET_POLICY_RANDOM : SERVET_POLICY_LRU;
            for (n = 40; n <= 280; n += 60) {
                const double error = fabs(misses_of(n, 128, ways[k], policy, SERVET_PLACEMENT_RANDOM)
                                          - walked(n, 128, ways[k], policy, (uint64_t)n));
                if (error > 0.05) TAP_DIAG("policy %d, %d pages, %d ways: off by %.3f", policy, n, ways[k], error);
                off[i] = servet__max(off[i], error);
            }
        }
    }
    TAP_OK(off[0] < 0.05, "LRU as in a simulated walk (off by %.3f)", off[0]);
    TAP_OK(off[1] < 0.05, "random replacement, too (off by %.3f)", off[1]);
    for (worst = 0, n = 1; n <= 48; n++) {    /* 8 classes of 4: n mod 8 of them hold one page more than the others */
        const int over = n / 8 >= 4 ? n % 8 * (n / 8 + 1) + (n / 8 > 4 ? (8 - n % 8) * (n / 8) : 0) : 0;
        worst = servet__max(worst, fabs(misses_of(n, 32, 4, SERVET_POLICY_LRU,
            SERVET_PLACEMENT_EVEN) - over / (double)n));
    }
    TAP_OK(worst < 1e-12, "LRU, even pages: those in classes that hold too many (off by %.1g)", worst);
    for (k = 0; k < 5; k++) {
        const double c = 1000, end = c * (1 + 1.0 / ways[k]);
        bad += misses_of(c, c, ways[k], SERVET_POLICY_LRU, SERVET_PLACEMENT_EVEN) > 1e-9;
        bad += misses_of(end, c, ways[k], SERVET_POLICY_LRU, SERVET_PLACEMENT_EVEN) < 1 - 1e-9;
        bad += !(misses_of((c + end) / 2, c, ways[k], SERVET_POLICY_LRU, SERVET_PLACEMENT_EVEN) > 0.4);
        bad += !(misses_of((c + end) / 2, c, ways[k], SERVET_POLICY_LRU, SERVET_PLACEMENT_EVEN) < 0.7);
    }
    TAP_OK(bad == 0, "even pages: a ramp from C to C (1 + 1/K)");
    for (i = 0, bad = 0; i < 6; i++) {
        for (k = 0; k < 5; k++) {
            int placement;
            for (placement = SERVET_PLACEMENT_EVEN; placement <= SERVET_PLACEMENT_RANDOM; placement++) {
                for (n = 1, last = 0; n < 4000; n += 1 + n / 20) {
                    const double rate = misses_of(n + 0.5, 256, ways[k], policies[i], placement);
                    bad += !(rate >= 0 && rate <= 1 + 1e-12);
                    bad += rate > misses_of(n + 0.5, 256, ways[k], SERVET_POLICY_LRU, placement) + 1e-6;
                    falls += rate < last - 1e-5;
                    last = rate;
                }
            }
        }
    }
    TAP_OK(bad == 0, "all policies: from 0 to 1, and none above LRU");
    TAP_OK(falls == 0, "and with more pages never fewer misses (%d times)", falls);
    TAP_OK(misses_of(0, 256, 8, 1, 2) == 0 && misses_of(-5, 256, 8, 1, 2) == 0
           && misses_of(10, 0, 8, 1, 2) == 0 && misses_of(10, 256, 0, 1, 2) == 0,
               "without pages, capacity or ways nothing misses");
    TAP_NEAR(misses_of(1024, 512, 512, SERVET_POLICY_LRU, SERVET_PLACEMENT_EVEN), 1, 1e-9,
        "a fully associative cache of 512 pages, walked over twice as many");
}

/* ---- a level that holds what the one before has lost ------------------------------------------ */

/* A class that a chase has filled and gone through six times, when it is timed. */
static void test_chase_classes(void)
{
    double f[SERVET__CLASS], early = 0, settled = 0, off[2] = { 0, 0 };
    int ways, m, n = 0, more = 0;
    for (ways = 8; ways <= 24; ways++) {
        servet__class_table(f, ways, SERVET_POLICY_QLRU);
        for (m = ways + 1; m <= 2 * ways; m++, n++) {
            const double by = one_class(m, ways, SERVET_POLICY_QLRU, 6, 1);
            const double is = misses_of(m, ways, ways, SERVET_POLICY_QLRU, SERVET_PLACEMENT_EVEN);
            early = fmax(early, fabs(f[m - 1] - by));
            settled = fmax(settled, fabs(is - by));
            off[0] += f[m - 1] - by;
            off[1] += is - by;
            more += f[m - 1] < is - 1e-12;
        }
    }
    TAP_OK(early < 0.15 && fabs(off[0] / n) < 0.01 && more == 0,
           "QLRU after six rounds: off by %.3f, %+.3f in the mean; as it stays by %.3f, %+.3f", early, off[0] / n,
           settled, off[1] / n);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static int ascends(const servet_curve *c)
{
    int i;
    if (c->count < 1 || c->count > SERVET_POINTS_MAX) return 0;
    for (i = 0; i < c->count; i++)
        if (!(c->point[i].bytes > 0) || !(c->point[i].ns > 0) || c->point[i].samples < 1
            || c->point[i].samples > SERVET_SAMPLES_MAX
            || !(c->point[i].lo_ns <= c->point[i].ns) || !(c->point[i].ns <= c->point[i].hi_ns)
            || (i > 0 && c->point[i].bytes <= c->point[i - 1].bytes)) return 0;
    return 1;
}

static void test_curve(void)
{
    static servet_curve mark;
    static const double b[] = { 1024, 1024, 1024, 2048, 4096, 4096 }, t[] = { 3, 1, 2, 5, 8, 8 };
    static const double down[] = { 1024, 4096, 2048 }, good[] = { 1, 1, 1 };
    double odd[3][3] = { { 1024, 0, 4096 }, { 1024, 2048, 0 }, { -1, 2048, 4096 } };
    int i, k, refused = 0, near = 0;
    TAP_OK(servet_fit_curve(&curve, b, t, 6) == SERVET_OK && curve.count == 3 && curve.point[0].samples == 3
           && curve.point[1].samples == 1
           && curve.point[2].samples == 2 && ascends(&curve), "equal sizes are samples of one point");
    TAP_OK(curve.point[0].ns == 1.5 && curve.point[1].ns == 5 && curve.point[2].ns == 8 && curve.huge_frac == -1,
           "a point is the lower quartile of its samples; what pages lay under it is not known");
    TAP_OK(servet_fit_curve(&curve, b, t, 1) == SERVET_OK && curve.count == 1, "one point is a curve");
    memset(&curve, 0x5a, sizeof curve);
    memset(&mark, 0x5a, sizeof mark);
    odd[0][1] = HUGE_VAL - HUGE_VAL;
    odd[1][2] = HUGE_VAL;
    for (i = 0; i < 3; i++) refused += servet_fit_curve(&curve, odd[i], good, 3) == SERVET_EINVAL;
    for (i = 0; i < 3; i++) refused += servet_fit_curve(&curve, b + 2, odd[i], 3) == SERVET_EINVAL;
    refused += servet_fit_curve(&curve, down, good, 3) == SERVET_EINVAL;
    refused += servet_fit_curve(&curve, b, t, 0) == SERVET_EINVAL;
    refused += servet_fit_curve(NULL, b, t, 3) == SERVET_EINVAL;
    refused += servet_fit_curve(&curve, NULL, t, 3) == SERVET_EINVAL;
    refused += servet_fit_curve(&curve, b, NULL, 3) == SERVET_EINVAL;
    TAP_OK(refused == 11 && !memcmp(&curve, &mark, sizeof mark),
           "what is not finite, not above 0, descending or absent is refused, and nothing written");
    for (i = 0; i < 300000; i++) {
        bytes[i] = 1024 + 64.0 * i;
        ns[i] = bytes[i] <= MIB ? 2 : 10;
    }
    k = servet_fit_curve(&curve, bytes, ns, 300000);
    for (i = 0; i < curve.count; i++)
        near += curve.point[i].bytes >= 1024 && curve.point[i].bytes <= bytes[299999]
             && (fabs(log2(curve.point[i].bytes / MIB)) < 0.2
                 || curve.point[i].ns == (curve.point[i].bytes <= MIB ? 2 : 10));
    TAP_OK(k == SERVET_OK && ascends(&curve) && curve.count > 150 && near == curve.count,
           "300000 points are gathered on %d", curve.count);
    for (i = 0; i < 100; i++) {
        bytes[i] = 64;
        ns[i] = i + 1;
    }
    TAP_OK(servet_fit_curve(&curve, bytes, ns, 100) == SERVET_OK && curve.count == 1
           && curve.point[0].samples == SERVET_SAMPLES_MAX
           && curve.point[0].ns > 5 && curve.point[0].ns < 60,
               "of 100 samples of one size as many are kept as there is room for, from early and late");
}

static void test_wide(void)    /* last: it wrote beyond the curve once */
{
    int i;
    for (i = 0; i < 300; i++) {
        bytes[i] = exp2(-1000 + i * 6.7);
        ns[i] = 1;
    }
    TAP_OK(servet_fit_curve(&curve, bytes, ns, 300) == SERVET_OK && ascends(&curve),
           "300 sizes from 1e-300 to 1e300 fit into a curve");
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The curve of three LRU caches, of 32 KiB by sets of lines, 512 KiB of 8 ways and 8 MiB of 16 on pages that fell at
 * random, before a memory of 80 ns: by the formula, with so much noise on each of five samples. */
static int three_levels(double noise, uint64_t seed)
{
    int i, k, n = 0;
    for (i = 0; i <= 15 * 12; i++) {
        const double b = floor(2048 * exp2(i / 12.0) / 64 + 0.5) * 64;
        const int pages = (int)(b / 4096);
        const double in_l1 = b <= 32 * KIB ? 0 : b < 36 * KIB ? (b - 32 * KIB) / (4 * KIB) : 1;
        const double clean = 1 + 3 * in_l1 + 12 * tail(pages - 1, 8, 8 * 4096 / (512 * KIB)) + 64 * tail(pages - 1, 16,
            16 * 4096 / (8 * MIB));
        for (k = 0; k < 5; k++, n++) {
            bytes[n] = b;
            ns[n] = clean * (1 + noise * (2 * servet_stats_random_unit(&seed) - 1));
        }
    }
    return servet_fit_curve(&curve, bytes, ns, (size_t)n);
}

/* The curve of a first level of 32 KiB, one of 512 KiB (8 ways, LRU) and a last one of so many bytes and ways, which
 * holds what the second does as well, or, if exclusive, what that has lost.  Up to so many times the last; as many
 * samples a point at eight points an octave, with normal noise and some of them disturbed, up to doubled.  What is
 * beyond from_bytes takes another time: by the factor that stands there. */
typedef struct end { double reach; int samples; double from_bytes, factor; } end;

/* Normal but for its tails: mean 0, deviation 1. */
static double normal(uint64_t *seed)
{
    double sum = -6;
    int i;
    for (i = 0; i < 12; i++) sum += servet_stats_random_unit(seed);
    return sum;
}

static int last_level(int policy, int ways, double size, int exclusive, double noise, double disturbed, const end *e,
                      uint64_t seed)
{
    const double held = exclusive ? 512 * KIB : 0, last = log2(e->reach * size / 4096);
    int i, k, n = 0;
    for (i = 0; i <= 8 * last; i++) {
        const double b = floor(4096 * exp2(i / 8.0) / 64 + 0.5) * 64, pages = b / 4096;
        const double clean = (b <= 32 * KIB ? 1 : 4)
            + 12 * misses_of(pages, 128, 8, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM)
            + 64 * misses_of((b - held) / 4096, size / 4096, ways, policy, SERVET_PLACEMENT_RANDOM);
        for (k = 0; k < e->samples; k++, n++) {
            bytes[n] = b;
            ns[n] = clean * (1 + noise * normal(&seed)) * (b > e->from_bytes ? e->factor : 1);
            if (servet_stats_random_unit(&seed) < disturbed) ns[n] *= 1 + servet_stats_random_unit(&seed);
        }
    }
    return servet_fit_curve(&curve, bytes, ns, (size_t)n);
}

static int between(const servet_level *l, double truth) { return l->lo_bytes <= truth && truth <= l->hi_bytes; }

/* A curve of n sizes, four an octave from 1 KiB, by a function of the size. */
static int plain(double (*f)(double b), int n)
{
    int i;
    for (i = 0; i < n; i++) {
        bytes[i] = 1024 * exp2(i / 4.0);
        ns[i] = f(bytes[i]);
    }
    return servet_fit_curve(&curve, bytes, ns, (size_t)n);
}

static double flat(double b) { return b > 0 ? 2 : 0; }
static double falling(double b) { return 100 - 5 * log2(b); }
static double spike(double b) { return fabs(log2(b) - 14) < 0.1 ? 6 : 2; }
static double dip(double b) { return fabs(log2(b) - 14) < 0.1 ? 0.5 : 2; }
static double step(double b) { return b <= 32 * KIB ? 1 : 5; }
static double ramp(double b) { return log2(b); }
static double tlb(double b) { return b <= 32 * KIB ? 1 : b <= 256 * KIB ? 4 : b <= MIB ? 5.5 : 20; }
static double huge(double b) { return b <= 32 * KIB ? 1e-300 : 1e300; }

static const struct { int policy, ways; double mib; int exclusive; } lasts[] = {
    { SERVET_POLICY_LRU, 16, 8, 0 }, { SERVET_POLICY_LRU, 11, 9, 1 }, { SERVET_POLICY_NRU, 16, 8, 0 },
    { SERVET_POLICY_RANDOM, 16, 6, 0 }, { SERVET_POLICY_ADAPTIVE, 12, 6, 0 }, { SERVET_POLICY_ADAPTIVE, 16, 8, 1 }
};
enum { LASTS = 6 };

/* The third level of a curve of that kind that ends so; its size is 0 where there are not three. */
static servet_level third(int kind, double disturbed, const end *e, uint64_t seed)
{
    servet_fit_opts o;
    servet_levels l;
    memset(&o, 0, sizeof o);
    o.compact = 1;
    last_level(lasts[kind].policy, lasts[kind].ways, lasts[kind].mib * MIB, lasts[kind].exclusive, 0.01, disturbed, e,
               seed);
    if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) memset(&l, 0, sizeof l);
    return l.level[2];
}

static double truth_of(int kind) { return lasts[kind].mib * MIB + (lasts[kind].exclusive ? 512 * KIB : 0); }

/* Rates of three levels, and of the last one's size within 5 %, over seeds. */
static void test_last_levels(void)
{
    const int seeds = tap_runs(12, 6);
    const end far_end = { 16, 2, 1e300, 1 };
    const int kinds = (int)LASTS;
    int i, seed, three = 0, sized = 0, held = 0;
    for (i = 0; i < kinds; i++) {
        const double truth = truth_of(i);
        int right = 0, near = 0, in = 0;
        for (seed = 1; seed <= seeds; seed++) {
            const servet_level l = third(i, 0.03, &far_end, (uint64_t)seed);
            if (!(l.bytes > 0)) continue;
            right++;
            near += fabs(l.bytes / truth - 1) < 0.05;
            in += between(&l, truth);
        }
        TAP_DIAG("%s, %.0f MiB%s: three levels in %d of %d, the last within 5 %% in %d, in its interval in %d",
                 servet_text(SERVET_TEXT_POLICY, lasts[i].policy), lasts[i].mib,
                 lasts[i].exclusive ? ", exclusive" : "",
                 right, seeds, near, in);
        three += right;
        sized += near;
        held += in;
    }
    TAP_OK(three >= 0.97 * kinds * seeds,
           "1 %% noise, 3 %% of samples disturbed, two a point: three levels in %d of %d", three, kinds * seeds);
    TAP_OK(sized >= 0.9 * kinds * seeds, "the last of them within 5 %% in %d, whatever is replaced", sized);
    TAP_OK(held >= 0.97 * kinds * seeds, "and in its interval in %d", held);
}

/* Where a curve leaves open which replacement it is, and with that the size, the level is said to be unresolved: where
 * of the sizes that two policies say those within 15 % of the answer have less than half of the weight. */
static void test_unresolved(void)
{
    enum { SEEDS = 3, DRAWS = 2000 };
    static servet__post s;    /* large */
    uint64_t random = 1;
    servet_fit_opts o;
    int i, k, seed, wrong = 0, open = 0, sure = 0, off;
    for (i = 0; i < DRAWS; i++) {
        const double first = servet_stats_random_unit(&random), ratio = 1 + servet_stats_random_unit(&random);
        const double near_ = ratio < 1.15 ? 1 : first;
        memset(&s, 0, sizeof s);
        s.grid = 80;
        s.step = exp2(1 / 32.0);
        s.lo_bytes = MIB / exp2(20 / 32.0);
        s.own[SERVET_POLICY_LRU - 1][20] = first;
        k = (int)floor(20 + 32 * log2(ratio));    /* at that ratio or less */
        s.own[SERVET_POLICY_RANDOM - 1][k] = 1 - first;
        if (fabs(exp2((k - 20) / 32.0) - 1.15) < 0.03 || fabs(ratio - 1.15) < 0.03) continue;
        wrong += servet__post_unresolved(&s, MIB) != (near_ < 0.5);
        open += near_ < 0.5;
    }
    TAP_OK(wrong == 0 && open > DRAWS / 4, "of %d pairs of sizes %d leave it open; %d wrongly said", (int)DRAWS, open,
           wrong);
    memset(&o, 0, sizeof o);
    o.compact = 1;
    for (i = open = 0; i < (int)LASTS; i++)
        for (seed = 1; seed <= SEEDS; seed++) {
            const end e = { 4, 3, 1e300, 1 };
            servet_levels l;
            last_level(lasts[i].policy, lasts[i].ways, lasts[i].mib * MIB, lasts[i].exclusive, 0.01, 0.03, &e,
                       (uint64_t)(1000 * i + seed));
            if (servet_fit_levels(&l, &curve, &o) < 0) continue;
            for (k = 0; k < l.count; k++) {
                open += l.level[k].unresolved;
                sure++;
            }
        }
    TAP_OK(open == 0 && sure == 3 * (int)LASTS * SEEDS, "none of %d levels is where the noise is 1 %%", sure);
    for (i = 0, open = off = sure = 0; i < (int)LASTS; i++)
        for (seed = 1; seed <= 4; seed++) {
            const end e = { 4, 3, 1e300, 1 };
            servet_levels l;
            last_level(lasts[i].policy, lasts[i].ways, lasts[i].mib * MIB, lasts[i].exclusive, 0.2, 0.03, &e,
                       (uint64_t)(1000 * i + seed));
            if (servet_fit_levels(&l, &curve, &o) < 0) continue;
            sure++;
            if (!l.level[l.count - 1].unresolved) continue;
            open++;
            off += fabs(l.level[l.count - 1].bytes / (lasts[i].mib * MIB) - 1) > 0.15;
        }
    TAP_OK(open > 0 && 2 * off >= open, "of %d last ones where it is 20 %%, %d are, %d of them more than 15 %% off",
           sure, open, off);
}

/* A curve that ends not far behind the level, at a point that somebody disturbed as long as it was sampled: it is not
 * part of the level's step, which would be taken for half as high again, and points on the ramp for half as sure.
 * The answer is what it is without him. */
static void test_last_point(void)
{
    const int seeds = tap_runs(4, 2);
    static const double reach[] = { 2.2, 2.6 };
    int i, k, seed, n = 0, same = 0;
    for (i = 0; i < (int)LASTS; i++)
        for (k = 0; k < 2; k++)
            for (seed = 1; seed <= seeds; seed++) {
                const end quiet = { reach[k], 2, 1e300, 1 };
                const double without = third(i, 0, &quiet, (uint64_t)seed).bytes;
                const end late = { reach[k], 2, curve.point[curve.count - 1].bytes - 1, 1.7 };
                const double is = third(i, 0, &late, (uint64_t)seed).bytes;
                if (!(without > 0 && is > 0)) continue;    /* the point may seem another level's */
                n++;
                same += fabs(is / without - 1) < 0.02;
            }
    TAP_OK(n >= 0.7 * 2 * (int)LASTS * seeds && same >= 0.5 * n,
           "a last point that was disturbed: the level within 2 %% of what it is without in %d of %d", same, n);
}

/* Options of a curve on compact pages, whose first two levels are counted: 32 KiB and a second one, of eight ways. */
static void two_counted(servet_fit_opts *o, servet_level *known, double second)
{
    int k;
    memset(o, 0, sizeof *o);
    memset(known, 0, 2 * sizeof *known);
    o->compact = 1;
    o->known = known;
    o->known_count = 2;
    for (k = 0; k < 2; k++) {
        known[k].bytes = known[k].lo_bytes = known[k].hi_bytes = k ? second : 32 * KIB;
        known[k].ways = 8;
        known[k].method = SERVET_BY_COUNT;
    }
}

/* Points of a model of a guest of Zen 2 (32 KiB, 512 KiB, 12.5 MiB) beside a neighbour: few of memory, sampled once, of
 * which the last takes less than the one before.  No level may end there, as no point misses it. */
static void test_few_far_points(void)
{
    const int seeds = tap_runs(100, 50);
    static const struct { double bytes, ns[3]; } point[] = {
        { 16384, { 1.42, 1.40, 1.45 } }, { 22912, { 1.45, 1.45, 1.45 } }, { 262144, { 4.82, 3.64, 3.55 } },
        { 366976, { 5.37, 5.85, 4.51 } }, { 623488, { 10.40, 9.31, 9.86 } }, { 741440, { 11.05, 11.01 } },
        { 881728, { 19.12, 11.72, 11.67 } }, { 1048576, { 12.05, 12.33, 12.01 } },
        { 1246976, { 19.16, 12.11, 12.27 } }, { 1482880, { 12.12, 12.18 } }, { 1763456, { 18.96, 12.21, 11.89 } },
        { 2097152, { 12.17, 11.94 } }, { 2493952, { 12.11, 11.91 } }, { 2965824, { 18.92, 12.20, 11.99 } },
        { 3526976, { 12.20, 11.90, 11.90 } }, { 4194304, { 12.02, 12.14 } }, { 4987904, { 12.13, 11.85, 12.09 } },
        { 5931648, { 12.11, 12.14 } }, { 7053952, { 12.20, 13.06, 12.30 } }, { 8388608, { 23.81, 14.20, 14.29 } },
        { 9975808, { 25.30 } }, { 19951616, { 57.72 } }, { 33554432, { 114.31 } }, { 56431616, { 181.78 } },
        { 268435456, { 108.42 } }
    };
    const int points = (int)(sizeof point / sizeof *point);
    servet_level known[2];
    servet_fit_opts o;
    int i, k, seed, levels = 0, ends = 0;
    two_counted(&o, known, 512 * KIB);
    for (seed = 1; seed <= seeds; seed++) {
        uint64_t random = (uint64_t)seed;
        servet_levels l;
        int n = 0;
        for (k = 0; k < points; k++)
            for (i = 0; i < 3 && point[k].ns[i] > 0; i++, n++) {
                bytes[n] = point[k].bytes;
                ns[n] = point[k].ns[i] * (1 + 0.02 * normal(&random));
            }
        servet_fit_curve(&curve, bytes, ns, (size_t)n);
        if (servet_fit_levels(&l, &curve, &o) < 0) continue;
        levels++;
        for (k = i = 0; i < l.count; i++) k = k || l.level[i].lo_bytes >= point[points - 1].bytes;
        ends += k;
    }
    TAP_OK(levels == seeds && ends == 0, "few disturbed points of memory: a level at the very end in %d of %d", ends,
           levels);
}

/* Latencies that fall again behind a level, as a prefetcher sees a pattern in what is large, or the order of the walk
 * has changed: what follows says nothing of the level. */
static void test_fallen_plateau(void)
{
    const int seeds = tap_runs(3, 2);
    static const double fall[][2] = { { 2.4, 0.8 }, { 3, 0.8 }, { 3, 0.86 } };
    int i, k, seed, near = 0;
    for (i = 0; i < (int)LASTS; i++)
        for (k = 0; k < 3; k++)
            for (seed = 1; seed <= seeds; seed++) {
                const end e = { 16, 4, fall[k][0] * lasts[i].mib * MIB, fall[k][1] };
                near += fabs(third(i, 0.03, &e, (uint64_t)seed).bytes / truth_of(i) - 1) < 0.05;
            }
    TAP_OK(near >= 0.9 * 3 * (int)LASTS * seeds,
           "latencies that fall behind the level: the size within 5 %% in %d of %d",
           near, 3 * (int)LASTS * seeds);
}

/* The curve of a first level of 32 KiB and two more on pages that fell at random, so near each other that their ramps
 * run into each other; exclusive: the last holds what the one before has lost.  Three samples a point. */
static int near_levels(const int policy[2], const int ways[2], const double mib[2], const double rise_ns[2],
                       int exclusive, double noise, uint64_t seed)
{
    const double size = mib[0] * MIB, size2 = mib[1] * MIB, held = exclusive ? size : 0;
    int i, k, n = 0;
    for (i = 0; i <= 16 * 8; i++) {
        const double b = floor(4096 * exp2(i / 8.0) / 64 + 0.5) * 64;
        const double clean = (b <= 32 * KIB ? 1 : 10)
            + rise_ns[0] * misses_of(b / 4096, size / 4096, ways[0], policy[0], SERVET_PLACEMENT_RANDOM)
            + rise_ns[1] * misses_of((b - held) / 4096, size2 / 4096, ways[1], policy[1],
                                                SERVET_PLACEMENT_RANDOM);
        for (k = 0; k < 3; k++, n++) {
            bytes[n] = b;
            ns[n] = clean * (1 + noise * normal(&seed));
            if (servet_stats_random_unit(&seed) < 0.03) ns[n] *= 1 + servet_stats_random_unit(&seed);
        }
    }
    return servet_fit_curve(&curve, bytes, ns, (size_t)n);
}

static void test_near_levels(void)
{
    enum { SEEDS = 6 };
    static const struct { int policy[2], ways[2]; double mib[2], rise_ns[2]; int exclusive; } pair[] = {
        { { SERVET_POLICY_QLRU, SERVET_POLICY_ADAPTIVE }, { 16, 12 }, { 2, 6 }, { 10, 80 }, 0 },
        { { SERVET_POLICY_RANDOM, SERVET_POLICY_LRU }, { 16, 16 }, { 2, 4 }, { 18, 120 }, 1 },
        { { SERVET_POLICY_LRU, SERVET_POLICY_LRU }, { 16, 16 }, { 2.25, 6 }, { 31, 144 }, 0 },
        { { SERVET_POLICY_LRU, SERVET_POLICY_LRU }, { 8, 16 }, { 1, 2 }, { 30, 90 }, 0 },
        { { SERVET_POLICY_LRU, SERVET_POLICY_ADAPTIVE }, { 8, 16 }, { 1.5, 1.5 }, { 12, 100 }, 1 }
    };
    const int kinds = (int)(sizeof pair / sizeof *pair);
    servet_fit_opts o;
    int i, k, seed, three = 0, sized = 0, held = 0, sharp = 0, sharp_all = 0;
    memset(&o, 0, sizeof o);
    o.compact = 1;
    for (i = 0; i < kinds; i++) {
        int right = 0, near = 0, in = 0;
        for (seed = 1; seed <= SEEDS; seed++) {
            servet_levels l;
            near_levels(pair[i].policy, pair[i].ways, pair[i].mib, pair[i].rise_ns, pair[i].exclusive, 0.01,
                        (uint64_t)seed);
            if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) continue;
            right++;
            for (k = 0; k < 2; k++) {
                const double truth = (pair[i].mib[k] + (k && pair[i].exclusive ? pair[i].mib[0] : 0)) * MIB;
                near += fabs(l.level[1 + k].bytes / truth - 1) < 0.1;
                in += between(&l.level[1 + k], truth);
            }
        }
        TAP_DIAG("%s of %.1f MiB before %s of %.1f MiB%s: three levels in %d of %d, within 10 %% %d, in intervals %d",
                 servet_text(SERVET_TEXT_POLICY, pair[i].policy[0]), pair[i].mib[0],
                 servet_text(SERVET_TEXT_POLICY, pair[i].policy[1]), pair[i].mib[1],
                 pair[i].exclusive ? ", exclusive" : "",
                 right, SEEDS, near, in);
        three += right;
        sized += near;
        held += in;
        if (pair[i].policy[0] != SERVET_POLICY_LRU) continue;
        sharp += near;
        sharp_all += 2 * SEEDS;
    }
    TAP_OK(sharp >= 0.7 * sharp_all, "two as a pair, the first of LRU: within 10 %% in %d of %d", sharp, sharp_all);
    TAP_OK(three >= 0.7 * kinds * SEEDS, "levels without a plateau between them: three in %d of %d", three,
           kinds * SEEDS);
    TAP_OK(sized >= 0.55 * 2 * kinds * SEEDS && held >= 0.7 * 2 * kinds * SEEDS,
           "within 10 %% in %d, in their intervals in %d of %d", sized, held, 2 * kinds * SEEDS);
}

/* Where points err by more, one ramp explains two levels within what they err by, but not as well as a pair. */
static void test_near_noisy(void)
{
    enum { SEEDS = 8 };
    static const int policy[2] = { SERVET_POLICY_LRU, SERVET_POLICY_LRU }, ways[2] = { 16, 16 };
    static const double mib[2] = { 2.25, 5.5 }, rise_ns[2] = { 31, 144 };
    servet_fit_opts o;
    int k, seed, three = 0, near = 0;
    memset(&o, 0, sizeof o);
    o.compact = 1;
    for (seed = 1; seed <= SEEDS; seed++) {
        servet_levels l;
        near_levels(policy, ways, mib, rise_ns, 0, 0.03, (uint64_t)seed);
        if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) continue;
        three++;
        for (k = 0; k < 2; k++) near += fabs(l.level[1 + k].bytes / (mib[k] * MIB) - 1) < 0.15;
    }
    TAP_OK(three >= 0.8 * SEEDS, "3 %% noise: two levels 2.4 times apart are told apart in %d of %d", three, SEEDS);
    TAP_OK(near >= 0.8 * 2 * three, "and their sizes within 15 %% in %d of %d", near, 2 * three);
}

/* One last level of few pages, whose draws scatter as much as two levels would: each sample with pages of its own. */
static void test_scattered_level(void)
{
    const int seeds = tap_runs(24, 12);
    static const struct { int classes, ways; double page_kib, from_ns, rise_ns; } last[] = {
        { 8, 8, 64, 6, 50 }, { 64, 12, 4, 24, 130 }, { 64, 8, 4, 13, 120 } };
    const int kinds = (int)(sizeof last / sizeof *last);
    servet_fit_opts o;
    int i, seed, two = 0, sized = 0;
    memset(&o, 0, sizeof o);
    o.compact = 1;
    for (i = 0; i < kinds; i++)
        for (seed = 1; seed <= seeds; seed++) {
            const double page = last[i].page_kib * KIB, size = last[i].classes * last[i].ways * page;
            uint64_t random = (uint64_t)(1000 * i + seed);
            servet_levels l;
            int k, j, m, n = 0;
            for (k = 0; k <= 13 * 6; k++) {
                const double b = floor(8192 * exp2(k / 6.0) / page + 0.99) * page;
                if (n > 0 && b <= bytes[n - 1]) continue;
                for (j = 0; j < 4; j++, n++) {
                    int in[64] = { 0 };
                    double missing = 0;
                    for (m = 0; m < b / page; m++) in[servet_stats_random_below(&random, (size_t)last[i].classes)]++;
                    for (m = 0; m < last[i].classes; m++) if (in[m] > last[i].ways) missing += in[m];
                    bytes[n] = b;
                    ns[n] = (b <= 32 * KIB ? 1 : last[i].from_ns) + last[i].rise_ns * missing / (b / page);
                    ns[n] *= 1 + 0.01 * normal(&random);
                    if (servet_stats_random_unit(&random) < 0.03) ns[n] *= 1 + servet_stats_random_unit(&random);
                }
            }
            servet_fit_curve(&curve, bytes, ns, (size_t)n);
            o.page_bytes = page;
            if (servet_fit_levels(&l, &curve, &o) < 0 || l.count < 1) continue;
            two += l.count >= 2 && l.level[l.count - 2].bytes > 0.4 * size;
            sized += fabs(l.level[l.count - 1].bytes / size - 1) < 0.1;
        }
    TAP_OK(two <= 0.05 * kinds * seeds, "one last level of scattered draws: taken for two in %d of %d", two,
           kinds * seeds);
    TAP_OK(sized >= 0.9 * kinds * seeds, "within 10 %% in %d", sized);
}

/* Levels whose size is known: the curve tells their latencies, and the size of the one behind, which holds what they do
 * or what they have lost; also where it begins behind them. */
static void test_known_levels(void)
{
    const int seeds = tap_runs(6, 3);
    static const int policy[] = { SERVET_POLICY_LRU, SERVET_POLICY_RANDOM, SERVET_POLICY_ADAPTIVE };
    const int kinds = (int)(sizeof policy / sizeof *policy);
    servet_level known[2];
    servet_levels l, mark;
    servet_fit_opts o;
    int i, k, j, seed, part, bad = 0, three = 0, sized = 0, held = 0, told = 0, timed = 0;
    two_counted(&o, known, MIB);
    for (part = 0; part < 2; part++) for (i = 0; i < 2 * kinds; i++) for (seed = 1; seed <= seeds; seed++) {
        const double size = 5 * MIB, before = i % 2 ? MIB : 0, from = part ? 2 * MIB : 8 * KIB;
        uint64_t random = (uint64_t)(100 * i + seed);
        int n = 0;
        for (k = 0; from * exp2(k / 6.0) <= 64 * MIB; k++) {
            const double b = floor(from * exp2(k / 6.0) / 64 + 0.5) * 64;
            const double clean = (b <= 32 * KIB ? 1 : 4)
                + 10 * misses_of(b / 4096, 256, 8, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM)
                + 90 * misses_of((b - before) / 4096, (size - before) / 4096, 16, policy[i / 2],
                                            SERVET_PLACEMENT_RANDOM);
            for (j = 0; j < 3; j++, n++) {
                bytes[n] = b;
                ns[n] = clean * (1 + 0.01 * normal(&random));
            }
        }
        servet_fit_curve(&curve, bytes, ns, (size_t)n);
        if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) continue;
        three++;
        sized += fabs(l.level[2].bytes / size - 1) < 0.05;
        held += between(&l.level[2], size);
        for (k = 0; k < 2; k++)
            told += l.level[k].bytes == known[k].bytes && l.level[k].lo_bytes == known[k].lo_bytes
                    && l.level[k].ways == 8 && l.level[k].method == SERVET_BY_COUNT && l.level[k].level == k + 1;
        timed += part ? l.level[0].latency_ns == 0
               : fabs(l.level[0].latency_ns - 1) < 0.05 && fabs(l.level[1].latency_ns - 4) < 0.2;
    }
    k = 4 * kinds * seeds;
    TAP_OK(three >= 0.95 * k && sized >= 0.9 * three && held >= 0.9 * three,
           "two levels known: three in %d of %d, the last within 5 %% in %d, in its interval in %d", three, k, sized,
           held);
    TAP_OK(told == 2 * three && timed == three,
           "they stand as given in %d of %d, with what the curve shows in %d of %d", told, 2 * three, timed, three);
    memset(&l, 0x5a, sizeof l);
    memset(&mark, 0x5a, sizeof mark);
    three_levels(0, 1);
    known[1].bytes = known[0].bytes;
    bad += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    known[1].bytes = HUGE_VAL;
    bad += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    o.known_count = -1;
    bad += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    o.known_count = SERVET_LEVELS_MAX + 1;
    bad += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    o.known_count = 1;
    o.known = NULL;
    bad += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    TAP_OK(bad == 5 && !memcmp(&l, &mark, sizeof l), "five kinds of nonsense about them are refused (%d)", bad);
}

/* Single samples of memory, which differ by more than what was sampled often: 48 KiB, 1 MiB and then a steep end at
 * 6 MiB, whose latencies must not be taken for disturbed ones, and it for the beginning of a ramp. */
static void test_scattered_memory(void)
{
    const int seeds = tap_runs(60, 25);
    static const double memory_scatter[] = { 0.01, 0.04, 0.08 };
    servet_fit_opts o;
    int i, k, j, seed;
    memset(&o, 0, sizeof o);
    o.compact = 1;
    o.page_bytes = 4096;
    for (i = 0; i < (int)(sizeof memory_scatter / sizeof *memory_scatter); i++) {
        int right = 0, held = 0;
        for (seed = 1; seed <= seeds; seed++) {
            uint64_t random = (uint64_t)(1000 * i + seed);
            servet_levels l;
            int n = 0;
            for (k = 0; k <= 15 * 5; k++) {
                const double b = floor(128 * exp2(k / 5.0) + 0.5) * 64;
                const double clean = b <= 48 * KIB ? 1.1 : b <= MIB ? 3.8 : b <= 6 * MIB ? 13 : 140;
                for (j = b > 4 * MIB ? 1 : 3; j > 0; j--, n++) {
                    bytes[n] = b;
                    ns[n] = clean * (1 + (clean > 100 ? memory_scatter[i] : 0.01) * normal(&random));
                }
            }
            servet_fit_curve(&curve, bytes, ns, (size_t)n);
            if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) continue;
            right += fabs(log2(l.level[2].bytes / (6 * MIB))) < 0.25;
            held += between(&l.level[2], 6 * MIB);
        }
        TAP_OK(right >= 0.87 * seeds && held >= 0.87 * seeds,
               "memory that scatters by %.0f %%, sampled once: the end before it to a point of the curve in %d of %d, "
               "in its interval in %d", 100 * memory_scatter[i], right, seeds, held);
    }
}

static void test_levels(void)
{
    servet_levels l, mark;
    servet_fit_opts o;
    int i, status, right = 0, held[3] = { 0, 0, 0 };
    memset(&o, 0, sizeof o);
    o.compact = 1;
    three_levels(0, 1);
    status = servet_fit_levels(&l, &curve, &o);
    TAP_OK(status == SERVET_OK && l.count == 3 && l.doubtful_count == 0, "three levels from a curve without noise");
    TAP_OK(l.count == 3 && between(&l.level[0], 32 * KIB) && between(&l.level[1], 512 * KIB)
           && between(&l.level[2], 8 * MIB), "sizes in their intervals");
    TAP_OK(l.count == 3 && l.level[0].hi_bytes < 1.3 * l.level[0].lo_bytes
           && l.level[1].hi_bytes < 1.3 * l.level[1].lo_bytes, "which are not wide");
    TAP_OK(l.count == 3 && !l.level[0].effective && !l.level[1].effective && l.level[2].effective
           && l.level[1].method == SERVET_BY_MODEL
           && l.level[1].placement == SERVET_PLACEMENT_RANDOM,
               "the last is an effective size; the second has been explained by random pages");
    TAP_NEAR(l.level[0].latency_ns, 1, 0.01, "latency of the first");
    TAP_NEAR(l.level[1].latency_ns, 4, 0.05, "of the second");
    TAP_NEAR(l.level[2].latency_ns, 16, 0.05, "of the third");
    TAP_NEAR(l.memory_ns, 80, 0.02, "and of memory");
    for (i = 0; i < 20; i++) {
        three_levels(0.03, (uint64_t)i + 10);
        if (servet_fit_levels(&l, &curve, &o) < 0 || l.count != 3) continue;
        right++;
        held[0] += between(&l.level[0], 32 * KIB);
        held[1] += between(&l.level[1], 512 * KIB);
        held[2] += between(&l.level[2], 8 * MIB);
    }
    TAP_OK(right >= 19 && held[0] >= 18 && held[1] >= 18 && held[2] >= 18,
           "3 %% noise, 20 seeds: three levels in %d, the sizes in their intervals in %d, %d, %d", right, held[0],
               held[1], held[2]);

    plain(tlb, 60);
    o.compact = 1;
    status = servet_fit_levels(&l, &curve, &o);
    TAP_OK(status == SERVET_OK && l.count == 3, "a small step of a compact chase is a level");
    o.compact = 0;
    status = servet_fit_levels(&l, &curve, &o);
    TAP_OK(status == SERVET_OK && l.count == 2 && l.doubtful_count == 1 && l.doubtful[0].why == SERVET_DOUBT_TLB
           && l.doubtful[0].bytes >= 200 * KIB && l.doubtful[0].bytes <= 400 * KIB, "of any other it may be the TLB's");
    TAP_NEAR(l.doubtful[0].ratio, 5.5 / 4, 0.01, "with its ratio");

    memset(&l, 0x5a, sizeof l);
    memset(&mark, 0x5a, sizeof mark);
    plain(flat, 60);
    TAP_OK(servet_fit_levels(&l, &curve, NULL) == SERVET_EUNRESOLVED && !memcmp(&l, &mark, sizeof l),
           "flat: unresolved");
    plain(falling, 60);
    TAP_OK(servet_fit_levels(&l, &curve, NULL) == SERVET_EUNRESOLVED && !memcmp(&l, &mark, sizeof l),
           "falling: unresolved");
    plain(dip, 60);
    status = servet_fit_levels(&l, &curve, NULL);
    TAP_OK(status == SERVET_EUNRESOLVED, "one point too low: unresolved");
    plain(spike, 60);
    status = servet_fit_levels(&l, &curve, NULL);
    TAP_OK(status == SERVET_EUNRESOLVED || (status == SERVET_OK && l.count == 0),
           "one point too high: unresolved or doubtful, no level");
    memset(&l, 0x5a, sizeof l);
    for (i = 1, right = 0; i <= 2; i++) {
        plain(step, i);
        right += servet_fit_levels(&l, &curve, NULL) == SERVET_EUNRESOLVED;
    }
    curve.count = 0;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EUNRESOLVED;
    TAP_OK(right == 3 && !memcmp(&l, &mark, sizeof l), "two points, one, none: unresolved");
    for (i = 3, right = 0; i <= 60; i++) {
        plain(ramp, i);
        status = servet_fit_levels(&l, &curve, NULL);
        right += status == SERVET_OK || status == SERVET_EUNRESOLVED;
        plain(huge, i);
        status = servet_fit_levels(&l, &curve, NULL);
        right += status == SERVET_OK || status == SERVET_EUNRESOLVED;
    }
    TAP_OK(right == 116, "a slope without plateaus, and a step from 1e-300 to 1e300: an answer or none");
    plain(step, 60);
    status = servet_fit_levels(&l, &curve, NULL);
    TAP_OK(status == SERVET_OK && l.count == 1 && between(&l.level[0], 32 * KIB) && l.level[0].hi_bytes < 40 * KIB
           && l.memory_ns == 5, "one step: one level");

    memset(&l, 0x5a, sizeof l);
    right = servet_fit_levels(NULL, &curve, NULL) == SERVET_EINVAL;
    right += servet_fit_levels(&l, NULL, NULL) == SERVET_EINVAL;
    o.page_bytes = -1;
    right += servet_fit_levels(&l, &curve, &o) == SERVET_EINVAL;
    curve.count = SERVET_POINTS_MAX + 1;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    curve.count = -1;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    curve.count = 60;
    curve.point[7].bytes = curve.point[6].bytes;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    plain(step, 60);
    curve.point[7].ns = HUGE_VAL - HUGE_VAL;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    plain(step, 60);
    curve.point[7].sample_ns[0] = HUGE_VAL;
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    plain(step, 60);
    curve.point[59].bytes = HUGE_VAL;    /* it did not end once */
    right += servet_fit_levels(&l, &curve, NULL) == SERVET_EINVAL;
    TAP_OK(right == 9 && !memcmp(&l, &mark, sizeof l), "nine kinds of nonsense are refused (%d)", right);
}

/* ---- curves of other tools: TLB steps in them, every order of access, few points ---------------- */

static int is_near(double a, double b, double ratio) { return a <= b * ratio && a >= b / ratio; }

/* Sizes so many an octave from 4 KiB to 256 MiB, by a function of the size. */
static void foreign(double (*f)(double b), double per_octave)
{
    size_t n;
    for (n = 0; n <= 16 * per_octave; n++) {
        bytes[n] = floor(4096 * exp2((double)n / per_octave));
        ns[n] = f(bytes[n]);
    }
    servet_fit_curve(&curve, bytes, ns, n);
}

static double over(double b, double size) { return b > size ? 1 - size / b : 0; }
static double lottery(double b, double size) { return tail((int)(b / 4096) - 1, 16, 16 * 4096 / size); }
static double after(double b, double size) { return b > size; }

/* accesses that do not come round: all steps are wide */
static double aimless(double b) { return 1 + 3 * over(b, 32 * KIB) + 12 * over(b, 512 * KIB) + 80 * over(b, 8 * MIB); }
/* two caches a factor 3 apart, and no point of the second's own */
static double crowded(double b)
{
    return 1 + 6 * after(b, 32 * KIB) + 8 * lottery(b, 2 * MIB) + 95 * lottery(b, 6 * MIB);
}
/* TLBs of 64 and 1536 pages between the caches */
static double translated(double b)
{
    return 1.25 + 2.75 * after(b, 32 * KIB) + 1.8 * after(b, 256 * KIB) + 10 * lottery(b, 1 * MIB)
        + 5 * after(b, 6 * MIB) + 80 * lottery(b, 32 * MIB);
}
/* one page takes less than two, then a first level */
static double one_page(double b)
{
    return 1.2 + 2 * after(b, 4096) + 12 * after(b, 32 * KIB) + 80 * lottery(b, 1 * MIB);
}
/* interruptions */
static double disturbed(double b)
{
    return (1 + 3 * after(b, 32 * KIB) + 90 * lottery(b, 4 * MIB)) * (is_near(b, 128 * MIB, 1.05) ? 4
        : is_near(b, 256 * KIB, 1.05) ? 3 : 1);
}

/* What was answered, where it was wrong. */
static int said(const servet_levels *l, int ok, double per_octave)
{
    int i;
    for (i = 0; i < l->count && !ok; i++)
        TAP_DIAG("%g an octave: level %d %.0f KiB", per_octave, i + 1, l->level[i].bytes / KIB);
    for (i = 0; i < l->doubtful_count && !ok; i++)
        TAP_DIAG("%g an octave: doubtful %.0f KiB x %.2f", per_octave, l->doubtful[i].bytes / KIB,
                 l->doubtful[i].ratio);
    return ok;
}

static double paused(double b) { return disturbed(b) * (b > 200 * MIB ? 50 : 1); }

static void test_foreign(void)
{
    servet_levels l;
    int k, right = 0, doubts = 0;
    for (k = 1; k <= 4; k *= 2) {    /* one point an octave: to one grid step */
        const double ratio = k == 1 ? 2 : 1.5;
        foreign(aimless, k);
        right += said(&l, servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 3
                      && is_near(l.level[0].bytes, 32 * KIB, ratio)
                      && is_near(l.level[1].bytes, 512 * KIB, ratio)
                      && is_near(l.level[2].bytes, 8 * MIB, ratio), k);
    }
    TAP_OK(right == 3, "accesses that do not come round in a cycle: the sizes, not twice as much (%d of 3)", right);
    for (k = 2, right = 0; k <= 4; k *= 2) {    /* of one point an octave it may as well be a TLB's step */
        foreign(crowded, k);
        right += said(&l, servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 3
                      && is_near(l.level[1].bytes, 2 * MIB, 1.5) && is_near(l.level[2].bytes, 6 * MIB, 1.5), k);
    }
    TAP_OK(right == 2, "a level that no point shows alone (%d of 2)", right);
    for (k = 1, right = 0; k <= 4; k *= 2) {
        const double ratio = k == 1 ? 2 : 1.5;
        int i, first = 0, second = 0;
        foreign(translated, k);
        right += said(&l, servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 3
                      && is_near(l.level[1].bytes, 1 * MIB, ratio) && is_near(l.level[2].bytes, 32 * MIB, ratio), k);
        for (i = 0; i < l.doubtful_count; i++) {
            first += is_near(l.doubtful[i].bytes, 256 * KIB, 1.5) && l.doubtful[i].why == SERVET_DOUBT_TLB;
            second += is_near(l.doubtful[i].bytes, 6 * MIB, 1.5) && l.doubtful[i].why == SERVET_DOUBT_TLB;
        }
        doubts += first + second;
    }
    TAP_OK(right == 3, "three levels beside two TLBs (%d of 3)", right);
    TAP_OK(doubts >= 5, "which are named as doubtful (%d of 6)", doubts);
    foreign(one_page, 1);
    TAP_OK(servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 2 && l.level[0].bytes == 32 * KIB
           && l.doubtful_count == 1 && l.doubtful[0].bytes < 8 * KIB, "a step after one page is no first level");
    foreign(disturbed, 2);
    TAP_OK(servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 2 && l.level[0].bytes == 32 * KIB
           && is_near(l.level[1].bytes, 4 * MIB, 1.5), "single disturbed points make no level (%d)", l.count);
    foreign(paused, 2);
    TAP_OK(servet_fit_levels(&l, &curve, NULL) == SERVET_OK && l.count == 2 && l.doubtful_count == 1
           && l.doubtful[0].why == SERVET_DOUBT_NOISE && is_near(l.level[1].bytes, 4 * MIB, 1.5),
           "what is slower than any memory is noise");
    {    /* the search for rises ends, whatever the curve */
        uint64_t seed = 7;
        int i, answered = 0;
        for (k = 0; k < 6; k++) {
            for (i = 0; i < SERVET_POINTS_MAX; i++) {
                bytes[i] = k % 2 ? exp2(-500 + 559.0 * i / SERVET_POINTS_MAX) : 1024 * exp2(i / 12.0);
                ns[i] = exp2(0.04 * i) * (1 + 0.1 * k * servet_stats_random_unit(&seed));
            }
            servet_fit_curve(&curve, bytes, ns, SERVET_POINTS_MAX);
            i = servet_fit_levels(&l, &curve, NULL);
            answered += i == SERVET_OK || i == SERVET_EUNRESOLVED;
        }
        TAP_OK(answered == 6, "slopes of noise end with an answer or none");
    }
}

/* ---- Servet, 2010 ---------------------------------------------------------------------------- */

/* Cycles by the paper's formula: a cache of size cs with ways on pages of 4 KiB, hit before it and miss beyond. */
static double paper(double b, double cs, int ways, double hit, double miss)
{
    return hit + (miss - hit) * tail((int)(b / 4096), ways + 1, ways * 4096 / cs);
}

static size_t paper_grid(double from, double to)
{
    size_t n = 0;
    double b;
    for (b = from; b <= to; b = b < 2 * MIB ? 2 * b : b + MIB) bytes[n++] = b;
    return n;
}

static void test_binomial(void)
{
    static const double sizes[] = { 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12 };
    static const int ways[] = { 4, 8, 12, 16 };
    double size = -1;
    size_t i, k, n, right = 0;
    int status;
    n = paper_grid(256 * KIB, 4 * MIB);
    for (i = 0; i < n; i++) ns[i] = paper(bytes[i], 2 * MIB, 8, 20, 300);
    status = servet_fit_binomial(&size, bytes, ns, n, 4096);
    TAP_OK(status == SERVET_OK && size == 2 * MIB,
           "Dempsey: 2 MB from the range 256 KB to 4 MB (%.2f MB)", size / MIB);
    n = paper_grid(3 * MIB, 14 * MIB);
    for (i = 0; i < n; i++) ns[i] = paper(bytes[i], 12 * MIB, 24, 40, 250);
    status = servet_fit_binomial(&size, bytes, ns, n, 4096);
    TAP_OK(status == SERVET_OK && size == 12 * MIB,
           "Dunnington: 12 MB from the range 3 to 14 MB (%.2f MB)", size / MIB);
    for (k = 0; k < 9 * 4; k++) {    /* an even grid of three octaves below and one above */
        const double cs = sizes[k / 4] * MIB;
        for (n = 0; n <= 32; n++) {
            bytes[n] = floor(cs * exp2((double)n / 8 - 3) / 4096) * 4096;
            ns[n] = paper(bytes[n], cs, ways[k % 4], 10, 100);
        }
        if (servet_fit_binomial(&size, bytes, ns, n, 4096) == SERVET_OK && size == cs) right++;
        else TAP_DIAG("%g MB of %d ways: %g", cs / MIB, ways[k % 4], size / MIB);
    }
    TAP_OK(right >= 34, "of 36 caches the size of %lu is found exactly", (unsigned long)right);
    size = -1;
    for (i = 0; i < 10; i++) ns[i] = 5;
    right = servet_fit_binomial(&size, bytes, ns, 10, 4096) == SERVET_EUNRESOLVED;
    right += servet_fit_binomial(&size, bytes, ns, 2, 4096) == SERVET_EUNRESOLVED;
    right += servet_fit_binomial(&size, bytes, ns, 10, 0) == SERVET_EINVAL;
    right += servet_fit_binomial(&size, NULL, ns, 10, 4096) == SERVET_EINVAL;
    right += servet_fit_binomial(&size, bytes, NULL, 10, 4096) == SERVET_EINVAL;
    right += servet_fit_binomial(NULL, bytes, ns, 10, 4096) == SERVET_EINVAL;
    ns[3] = -1;
    right += servet_fit_binomial(&size, bytes, ns, 10, 4096) == SERVET_EINVAL;
    ns[3] = HUGE_VAL - HUGE_VAL;
    right += servet_fit_binomial(&size, bytes, ns, 10, 4096) == SERVET_EINVAL;
    ns[3] = 7;
    bytes[3] = bytes[2];
    right += servet_fit_binomial(&size, bytes, ns, 10, 4096) == SERVET_EINVAL;
    TAP_OK(right == 9 && size == -1, "no rise, too few points: unresolved; nonsense is refused (%lu of 9)",
           (unsigned long)right);
}

static void test_servet(void)
{
    servet_levels l, mark;
    size_t i, n = paper_grid(4 * KIB, 16 * MIB);
    int right, status;
    memset(&l, 0, sizeof l);
    for (i = 0; i < n; i++) ns[i] = bytes[i] <= 16 * KIB ? 4 : paper(bytes[i], 2 * MIB, 8, 25, 300);
    status = servet_fit_servet(&l, bytes, ns, n, 4096, 0);
    TAP_OK(status == SERVET_OK && l.count == 2 && l.level[0].bytes == 16 * KIB && l.level[0].method == SERVET_BY_PEAK
           && l.level[1].bytes == 2 * MIB && l.level[1].method == SERVET_BY_BINOMIAL,
               "Dempsey: L1 16 KB by its peak, L2 2 MB by the binomial (%d: %.3g, %.3g MB)",
           l.count, l.level[0].bytes / MIB, l.level[1].bytes / MIB);
    for (i = 0; i < n; i++) ns[i] = bytes[i] <= 16 * KIB ? 4 : bytes[i] <= 2 * MIB ? 25 : 300;
    status = servet_fit_servet(&l, bytes, ns, n, 4096, 0);
    TAP_OK(status == SERVET_OK && l.count == 2 && l.level[1].bytes == 2 * MIB && l.level[1].method == SERVET_BY_PEAK
           && l.level[1].lo_bytes == l.level[1].bytes && l.level[1].hi_bytes == l.level[1].bytes,
               "page colouring: a peak of one size is the size, with no interval");
    TAP_OK(l.level[0].latency_ns == 4 && l.level[1].latency_ns == 25 && l.memory_ns == 300,
           "with the cycles before each, and beyond");
    n = paper_grid(4 * KIB, 14 * MIB);
    for (i = 0; i < n; i++) ns[i] = bytes[i] <= 32 * KIB ? 3 : paper(bytes[i], 12 * MIB, 24, 14, 350);
    status = servet_fit_servet(&l, bytes, ns, n, 4096, 0);
    TAP_OK(status == SERVET_OK && l.count == 2 && l.level[0].bytes == 32 * KIB && l.level[1].bytes == 12 * MIB
           && l.level[1].method == SERVET_BY_BINOMIAL,
               "Dunnington: 12 MB though the largest array still rises (%.3g MB)", l.level[1].bytes / MIB);
    for (i = 0; i < n; i++) ns[i] = bytes[i] <= 32 * KIB ? 3 : i + 1 < n ? 14 : 100;
    status = servet_fit_servet(&l, bytes, ns, n, 4096, 0);
    TAP_OK(status == SERVET_OK && l.count == 1 && l.level[0].bytes == 32 * KIB,
           "what only the largest array shows is no peak yet");
    memset(&l, 0x5a, sizeof l);
    memset(&mark, 0x5a, sizeof mark);
    for (i = 0; i < n; i++) ns[i] = 9;
    right = servet_fit_servet(&l, bytes, ns, n, 4096, 0) == SERVET_EUNRESOLVED;
    right += servet_fit_servet(&l, bytes, ns, 0, 4096, 0) == SERVET_EUNRESOLVED;
    right += servet_fit_servet(&l, bytes, ns, 1, 4096, 0) == SERVET_EUNRESOLVED;
    right += servet_fit_servet(&l, bytes, ns, n, 0, 0) == SERVET_EINVAL;
    right += servet_fit_servet(&l, bytes, ns, n, 4096, -1) == SERVET_EINVAL;
    right += servet_fit_servet(NULL, bytes, ns, n, 4096, 0) == SERVET_EINVAL;
    ns[2] = 0;
    right += servet_fit_servet(&l, bytes, ns, n, 4096, 0) == SERVET_EINVAL;
    TAP_OK(right == 7 && !memcmp(&l, &mark, sizeof l),
           "flat, empty or one point: unresolved; nonsense is refused (%d of 7)", right);
}

static void test_words(void)
{
    TAP_OK(!strcmp(servet_text(SERVET_TEXT_POLICY, SERVET_POLICY_DUELING), "dueling")
           && !strcmp(servet_text(SERVET_TEXT_POLICY, -1), "unknown")
           && !strcmp(servet_text(SERVET_TEXT_POLICY, 7), "unknown")
               && !strcmp(servet_text(SERVET_TEXT_PLACEMENT, SERVET_PLACEMENT_EVEN), "even")
           && !strcmp(servet_text(SERVET_TEXT_PLACEMENT, 3), "unknown")
               && !strcmp(servet_text(SERVET_TEXT_METHOD, SERVET_BY_BINOMIAL), "binomial")
           && !strcmp(servet_text(SERVET_TEXT_METHOD, SERVET_BY_COUNT), "count")
           && !strcmp(servet_text(SERVET_TEXT_METHOD, SERVET_BY_HELD + 1), "unknown")
           && strstr(servet_text(SERVET_TEXT_DOUBT, SERVET_DOUBT_TLB), "TLB")
           && !strcmp(servet_text(SERVET_TEXT_DOUBT, 0), "unknown"),
           "enumerations have their words, and nothing else has");
}

/* ---- samples that were disturbed ------------------------------------------------------------- */

/* How many levels a compact chase shows that passes 32 KiB once, 1 ns and then 4, where the samples of some points from
 * the last but skip one on are disturbed and take so many times as long. */
static int levels_disturbed(int skip, int points, const double *times)
{
    servet_fit_opts o;
    servet_levels l;
    int i, k, n = 0;
    for (i = 0; i <= 4 * 12; i++)
        for (k = 0; k < 3; k++, n++) {
            bytes[n] = floor(4 * KIB * exp2(i / 4.0) / 64 + 0.5) * 64;
            ns[n] = (bytes[n] <= 33 * KIB ? 1 : 4) * (1 + 0.002 * k);
        }
    servet_fit_curve(&curve, bytes, ns, (size_t)n);
    for (i = 0; i < points; i++) {
        servet_point *p = &curve.point[curve.count - 1 - skip - i];
        for (k = 0; k < p->samples; k++) {
            p->flags[k] = SERVET_NOISE_SWITCH;
            p->sample_ns[k] *= times[i];
        }
    }
    servet__mcalibrator_settle(&curve);
    memset(&o, 0, sizeof o);
    o.compact = 1;
    return servet_fit_levels(&l, &curve, &o) < 0 ? -1 : l.count;
}

static void test_disturbed_points(void)
{
    static const double none[6] = { 1, 1, 1, 1, 1, 1 }, alike[6] = { 5, 5, 5, 5, 5, 5 }, once[6] = { 9, 1, 1, 1, 1, 1 };
    TAP_OK(levels_disturbed(0, 6, none) == 1, "flags alone are no level");
    TAP_OK(levels_disturbed(0, 2, alike) == 1, "two points at the end, slow and disturbed: no level");
    TAP_OK(levels_disturbed(0, 6, alike) == 2, "six of them that bear each other out: one more level");
    TAP_OK(levels_disturbed(0, 6, once) == 1, "one of six disturbed points: none");
    TAP_OK(levels_disturbed(1, 6, alike) == 1, "six before a clean one that is as quick as before: none");
}

/* Times drawn at random are no machine's; what is said of them has to be in order all the same. */
static void test_lawless(void)
{
    enum { CURVES = 2000 };
    uint64_t seed = 1;
    int k, i, fitted = 0, wrong = 0;
    for (k = 0; k < CURVES; k++) {
        const int n = 20 + k % 60;
        servet_levels l;
        double at = 4 * KIB;
        for (i = 0; i < n; i++) {
            bytes[i] = at *= 1 + 0.5 * servet_stats_random_unit(&seed);
            ns[i] = exp2(16 * servet_stats_random_unit(&seed));
        }
        if (servet_fit_curve(&curve, bytes, ns, (size_t)n) < 0 || servet_fit_levels(&l, &curve, NULL) < 0) continue;
        fitted++;
        for (i = 0; i < l.count; i++)
            wrong += !(0 < l.level[i].lo_bytes && l.level[i].lo_bytes <= l.level[i].bytes
                       && l.level[i].bytes <= l.level[i].hi_bytes && (!i || l.level[i - 1].bytes <= l.level[i].bytes));
    }
    TAP_OK(wrong == 0 && fitted > 20, "curves without a law: sizes in order and within their intervals (%d of %d "
           "fitted, %d sizes wrong)", fitted, CURVES, wrong);
}

/* Curves of little but noise, on which more misses were fitted than the curve is high: no latency is below 0. */
static void test_noise(void)
{
    static const int seeds[] = { 4, 142, 199, 247, 253, 342, 364, 496, 560, 623, 796, 800, 805, 810 };
    servet_levels l;
    int i, k, n, fits = 0, sound = 0, levels = 0;
    for (i = 0; i < (int)(sizeof seeds / sizeof *seeds); i++) {
        uint64_t seed = (uint64_t)seeds[i] + 1;
        double at = 1024, y = 1, noise;
        n = 20 + (int)servet_stats_random_below(&seed, 150);
        noise = 3 * servet_stats_random_unit(&seed);
        for (k = 0; k < n; k++) {
            bytes[k] = at *= 1.02 + 0.2 * servet_stats_random_unit(&seed);
            if (!servet_stats_random_below(&seed, 20)) y *= 1 + 4 * servet_stats_random_unit(&seed);
            ns[k] = y * exp2(noise * (servet_stats_random_unit(&seed) - 0.5));
        }
        if (servet_fit_curve(&curve, bytes, ns, (size_t)n) < 0 || servet_fit_levels(&l, &curve, NULL) < 0) continue;
        fits++;
        for (k = 0; k < l.count; k++, levels++)
            sound += l.level[k].lo_ns > 0 && l.level[k].lo_ns <= l.level[k].latency_ns
                  && l.level[k].latency_ns <= l.level[k].hi_ns;
    }
    TAP_OK(fits > 0 && sound == levels, "curves of noise: latencies of %d levels of %d are above 0, in their intervals",
           sound, levels);
}

/* What no curve can have is refused by all fits at once: sizes of 1e300 bytes were searched for minutes. */
static void test_refused(void)
{
    static const double odd_bytes[] = { 0, -1, 1e18, 1e300, HUGE_VAL, NAN }, odd_ns[] = { 0, -1, HUGE_VAL, NAN };
    static servet_curve good;
    double size;
    servet_levels l;
    int i, k, at, taken = 0;
    for (i = 0; i < 30; i++) ns[i] = i < 15 ? 1 : 4;
    for (i = 0; i < 30; i++) bytes[i] = 4096 * (i + 1);
    if (servet_fit_curve(&good, bytes, ns, 30) < 0) abort();
    for (i = 0; i < 10; i++)
        for (at = 0; at < 30; at += 29) {
            double *of = i < 6 ? &bytes[at] : &ns[at], odd = i < 6 ? odd_bytes[i] : odd_ns[i - 6], was = *of;
            *of = odd;
            taken += servet_fit_binomial(&size, bytes, ns, 30, 4096) != SERVET_EINVAL;
            taken += servet_fit_servet(&l, bytes, ns, 30, 4096, 0) != SERVET_EINVAL;
            *of = was;
            for (k = 0; k < 2; k++) {
                curve = good;
                if (i < 6) curve.point[at].bytes = odd;
                else if (k) curve.point[at].sample_ns[0] = odd;
                else curve.point[at].ns = odd;
                taken += servet_fit_levels(&l, &curve, NULL) != SERVET_EINVAL;
            }
        }
    TAP_OK(taken == 0, "sizes and times that no curve has are refused by each fit, but %d", taken);
}

int main(void)
{
    const struct rlimit most = { 18000, 18000 };    /* seconds of a CPU: what does not end fails */
    setrlimit(RLIMIT_CPU, &most);
    test_classes();
    test_miss_rate();
    test_chase_classes();
    test_curve();
    test_disturbed_points();
    test_lawless();
    test_noise();
    test_refused();
    test_near_noisy();
    test_levels();
    test_foreign();
    test_binomial();
    test_servet();
    test_words();
#if defined(__SANITIZE_ADDRESS__)
    (void)test_unresolved;
    (void)test_last_levels;
    (void)test_last_point;
    (void)test_few_far_points;
    (void)test_fallen_plateau;
    (void)test_near_levels;
    (void)test_scattered_level;
    (void)test_known_levels;
    (void)test_scattered_memory;
    TAP_SKIP(24, "more rates take too long with sanitizers");
#else
    test_unresolved();
    test_last_levels();
    test_last_point();
    test_few_far_points();
    test_fallen_plateau();
    test_near_levels();
    test_scattered_level();
    test_known_levels();
    test_scattered_memory();
#endif
    test_wide();
    return tap_done();
}

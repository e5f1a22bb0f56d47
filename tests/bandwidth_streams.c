/* bandwidth_streams.c - kernels, teams of threads, chains, and what is inferred from them
 *
 * BANDWIDTH_SEEDS=200 takes so many draws of each made curve instead of 20. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "tap.h"

#include <dirent.h>

static servet_bandwidth band, other;
static servet_rig rig;

static int seeds(void)
{
    const char *text = getenv("BANDWIDTH_SEEDS");
    return text ? atoi(text) : 20;
}

/* Of normal distribution, nearly: the sum of twelve. */
static double normal(uint64_t *seed)
{
    double x = -6;
    int i;
    for (i = 0; i < 12; i++) x += servet_stats_random_unit(seed);
    return x;
}

/* ---- words, bytes, order ---------------------------------------------------------------------- */

static void test_words(void)
{
    TAP_OK(strcmp(servet_text(SERVET_TEXT_KERNEL, SERVET_STREAM_TRIAD), "triad") == 0
           && strcmp(servet_text(SERVET_TEXT_KERNEL, SERVET_STREAM_LOAD), "load") == 0
           && strcmp(servet_text(SERVET_TEXT_KERNEL, SERVET_STREAM_KERNELS), "unknown") == 0
           && strcmp(servet_text(SERVET_TEXT_VECTOR, SERVET_VECTOR_512), "512 bits") == 0
           && strcmp(servet_text(SERVET_TEXT_VECTOR, 0), "unknown") == 0
           && strcmp(servet_text(SERVET_TEXT_VECTOR, -1), "unknown") == 0, "in words");
    TAP_OK(servet__bandwidth_count(SERVET_STREAM_LOAD, 0, 1) == 8
           && servet__bandwidth_count(SERVET_STREAM_STORE, 0, 0) == 8
           && servet__bandwidth_count(SERVET_STREAM_STORE, 0, 1) == 16
           && servet__bandwidth_count(SERVET_STREAM_STORE, 1, 1) == 8
           && servet__bandwidth_count(SERVET_STREAM_COPY, 0, 0) == 16
           && servet__bandwidth_count(SERVET_STREAM_COPY, 0, 1) == 24
           && servet__bandwidth_count(SERVET_STREAM_SCALE, 1, 1) == 16
           && servet__bandwidth_count(SERVET_STREAM_TRIAD, 0, 0) == 24
           && servet__bandwidth_count(SERVET_STREAM_TRIAD, 0, 1) == 32
           && servet__bandwidth_count(SERVET_STREAM_UPDATE, 0, 0) == 16
           && servet__bandwidth_count(SERVET_STREAM_UPDATE, 0, 1) == 16
           && servet__bandwidth_count(SERVET_STREAM_KERNELS, 0, 0) == 0, "bytes with and without write-allocate");
}

static void test_order(void)
{
    /* two sockets of two caches of two cores of two threads, siblings numbered as Linux often does: i and i + 8 */
    int16_t group[2][16], core[16];
    int place[16], out[16], i;
    static const int fill[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    static const int spread[16] = { 0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15 };
    static const int16_t alternate[4] = { 0, 1, 0, 1 };
    for (i = 0; i < 16; i++) {
        group[0][i] = (int16_t)(i % 8 / 2);
        group[1][i] = (int16_t)(i % 8 / 4);
        core[i] = (int16_t)(i % 8);
        place[i] = i;
    }
    servet__bandwidth_order(out, place, 16, group[0], 16, 2, core, 0);
    TAP_OK(memcmp(out, fill, sizeof fill) == 0, "filling: caches, then sockets, then siblings");
    servet__bandwidth_order(out, place, 16, group[0], 16, 2, core, 1);
    TAP_OK(memcmp(out, spread, sizeof spread) == 0, "spreading: sockets in turn, caches in turn, siblings last");
    servet__bandwidth_order(out, place, 4, group[0], 16, 0, alternate, 0);
    TAP_OK(out[0] == 0 && out[1] == 1 && out[2] == 2 && out[3] == 3, "cores alone");
    for (i = 0; i < 3; i++) place[i] = -1;
    servet__bandwidth_order(out, place, 3, group[0], 16, 2, core, 1);
    TAP_OK(out[0] == 0 && out[1] == 1 && out[2] == 2, "no groups");
}

static void test_settle(void)
{
    servet_bandwidth_point *p = &band.point[0];
    int i;
    memset(&band, 0, sizeof band);
    band.count = 1;
    p->kernel = SERVET_STREAM_TRIAD;
    p->cpus = 1;
    p->bytes = 4096;
    p->samples = 9;
    for (i = 0; i < 9; i++) p->sample_bytes_per_s[i] = 10e9 / (1 + 0.01 * i);
    servet__bandwidth_estimate(&band);
    TAP_NEAR(p->bytes_per_s, 10e9 / 1.02, 1e-9, "the lower quartile of the time");
    TAP_OK(p->lo_bytes_per_s < p->bytes_per_s && p->bytes_per_s < p->hi_bytes_per_s, "within its interval");
    TAP_NEAR(p->allocate_bytes_per_s, p->bytes_per_s * 32 / 24, 1e-9, "with write-allocate a third more");
    for (i = 0; i < 6; i++) p->flags[i] = SERVET_NOISE_SWITCH;
    servet__bandwidth_estimate(&band);
    TAP_OK(p->noisy == 6 && p->bytes_per_s < 10e9 / 1.06, "clean samples alone where there are three");
    TAP_OK(servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, SERVET_STREAM_TRIAD, 0, 1, 4096) == p
           && !servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, SERVET_STREAM_TRIAD, 1, 1, 4096)
           && !servet__bandwidth_find(&band, SERVET_SERIES_STORES, SERVET_STREAM_TRIAD, 0, 1, 4096),
           "points are found");
}

/* ---- saturation on made curves ----------------------------------------------------------------- */

enum { COUNTS = 12 };
static const int counts[COUNTS] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 56 };

/* Rates of a soft or hard corner, with noise and intervals that belong to it. */
static void make_curve(double *rate, double *lo, double *hi, double one, double knee, double p, double noise,
                       uint64_t *seed)
{
    int i;
    for (i = 0; i < COUNTS; i++) {
        const double n = counts[i];
        const double soft = p > 0 ? n * one * pow(1 + pow(n / knee, p), -1 / p) : one * (n < knee ? n : knee);
        rate[i] = soft * exp(noise * normal(seed));
        lo[i] = rate[i] * exp(-2 * noise);
        hi[i] = rate[i] * exp(2 * noise);
    }
}

static void test_fit(void)
{
    static const double knees[] = { 3, 8, 20 }, sharp[] = { 2, 4, 8, 0 }, noises[] = { 0.005, 0.02, 0.05 };
    static const int down[COUNTS] = { 1, 3, 2 };
    double rate[COUNTS], lo[COUNTS], hi[COUNTS];
    int many[COUNTS];
    uint64_t seed = 1;
    servet_saturation s, before;
    int a, b, c, k, draws = seeds();
    for (c = 0; c < 3; c++) {
        int runs = 0, held = 0, enough = 0, near_by = 0, open = 0;
        for (a = 0; a < 3; a++)
            for (b = 0; b < 4; b++)
                for (k = 0; k < draws; k++) {
                    double want;
                    make_curve(rate, lo, hi, 13e9, knees[a], sharp[b], noises[c], &seed);
                    if (servet__bandwidth_fit(&s, counts, rate, lo, hi, COUNTS, 0) < 0) continue;
                    runs++;
                    held += s.lo_knee <= knees[a] && (s.open || knees[a] <= s.hi_knee);
                    open += s.open;
                    near_by += fabs(s.top / (13e9 * knees[a]) - 1) < 2 * noises[c] + 0.03;
                    for (want = 1; want < 56; want++) {
                        const double most = sharp[b] > 0 ? 56 * pow(1 + pow(56 / knees[a], sharp[b]), -1 / sharp[b])
                                                         : knees[a];
                        const double here = sharp[b] > 0 ? want * pow(1 + pow(want / knees[a], sharp[b]), -1 / sharp[b])
                                                         : servet__min(want, knees[a]);
                        if (here >= 0.95 * most * (1 - 1e-9)) break;
                    }
                    enough += s.lo_enough <= (int)want && (int)want <= s.hi_enough;
                }
        TAP_DIAG("noise %.3f: %d runs, knee in its interval %d, top near %d, enough in its interval %d, open %d",
                 noises[c], runs, held, near_by, enough, open);
        TAP_OK(runs == 12 * draws && open * 100 <= runs, "noise %.3f: curves level off", noises[c]);
        TAP_OK(held >= runs * 95 / 100, "the knee is in its interval in %d of %d", held, runs);
        TAP_OK(near_by >= runs * 95 / 100, "the top is near in %d", near_by);
        TAP_OK(enough >= runs * 93 / 100, "the number for 95 %% is in its interval in %d", enough);
    }
    make_curve(rate, lo, hi, 13e9, 1e6, 4, 0.01, &seed);
    k = servet__bandwidth_fit(&s, counts, rate, lo, hi, COUNTS, 0);
    TAP_OK(k == SERVET_OK && s.open && s.hi_knee <= 0
           && s.lo_knee > 50, "a line is open: at least %.0f", s.lo_knee);
    TAP_OK(s.lo_enough <= 54 && s.hi_enough >= 53 && s.enough >= 53, "and needs nearly all (%d)", s.enough);
    make_curve(rate, lo, hi, 13e9, 8, 8, 0.005, &seed);
    for (k = 9; k < COUNTS; k++) {
        rate[k] *= 0.8;
        lo[k] *= 0.8;
        hi[k] *= 0.8;
    }
    k = servet__bandwidth_fit(&s, counts, rate, lo, hi, COUNTS, 0);
    TAP_OK(k == SERVET_OK
           && fabs(s.decline_frac - 0.2) < 0.03 && s.lo_knee <= 8.1 && s.hi_knee >= 7.9,
           "a decline of a fifth is told (%.3f) and does not move the knee (%.2f)", s.decline_frac, s.knee);
    TAP_OK(servet__bandwidth_fit(&s, counts, rate, NULL, NULL, COUNTS, 0.9) == SERVET_OK && s.enough < 12,
           "without intervals, another share");
    for (k = 0; k < COUNTS; k++) {
        many[k] = 1 << k;
        rate[k] = many[k] * pow(1 + pow(many[k] / 20.0, 4), -0.25);
    }
    k = servet__bandwidth_fit(&s, many, rate, NULL, NULL, COUNTS, 0);
    TAP_OK(k == SERVET_OK && s.lo_knee <= 20 && s.hi_knee >= 20 && s.hi_top < 22 && s.misfit_frac < 0.01,
           "1 to 2048: the knee is in [%.2f, %.2f]", s.lo_knee, s.hi_knee);
    memset(&s, 7, sizeof s);
    before = s;
    TAP_OK(servet__bandwidth_fit(&s, counts, rate, lo, hi, 2, 0) == SERVET_EUNRESOLVED, "two counts");
    rate[1] = 0;
    TAP_OK(servet__bandwidth_fit(&s, counts, rate, lo, hi, COUNTS, 0) == SERVET_EINVAL, "a rate of 0");
    rate[1] = 0.0 / (rate[1] + 0.0);
    TAP_OK(servet__bandwidth_fit(&s, counts, rate, NULL, NULL, COUNTS, 0) == SERVET_EINVAL, "not a number");
    rate[1] = 1;
    TAP_OK(servet__bandwidth_fit(&s, down, rate, NULL, NULL, COUNTS, 0) == SERVET_EINVAL, "numbers that do not ascend");
    TAP_OK(memcmp(&s, &before, sizeof s) == 0, "the output is untouched");
}

/* ---- chains ------------------------------------------------------------------------------------- */

static void made_chains(servet_parallelism *p, double latency_ns, double most_per_ns, double p_soft, double noise,
                        uint64_t *seed)
{
    static const int chains[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32 };
    int i;
    memset(p, 0, sizeof *p);
    p->bytes = 1e8;
    p->cpus = 1;
    p->line_bytes = 64;
    p->count = 17;
    for (i = 0; i < 17; i++) {
        servet_parallel_point *q = &p->point[i];
        const double k = chains[i], line = k / latency_ns;
        const double x = p_soft > 0 ? 1 / pow(pow(line, -p_soft) + pow(most_per_ns, -p_soft), 1 / p_soft)
                                    : servet__min(line, most_per_ns);
        q->chains = chains[i];
        q->ns = 1 / x * exp(noise * normal(seed));
        q->lo_ns = q->ns * exp(-2 * noise);
        q->hi_ns = q->ns * exp(2 * noise);
    }
}

static void test_chains(void)
{
    static servet_parallelism p;
    servet_mlp r;
    uint64_t seed = 5;
    int k, held = 0, latency = 0, k90 = 0, draws = 3 * seeds();
    for (k = 0; k < draws; k++) {
        const double mlp = 6 + 20 * servet_stats_random_unit(&seed), l = 4 + 100 * servet_stats_random_unit(&seed);
        made_chains(&p, l, mlp / l, 0, 0.02, &seed);
        if (servet__bandwidth_fit_parallel(&r, &p) < 0) continue;
        held += r.lo_mlp <= mlp && (r.open || mlp <= r.hi_mlp);
        latency += r.lo_latency_ns * 0.98 <= l && l <= r.hi_latency_ns * 1.02;
        k90 += r.lo_k90 <= ceil(0.9 * servet__min(mlp, 32)) && ceil(0.9 * servet__min(mlp, 32)) <= r.hi_k90;
    }
    TAP_DIAG("of %d: mlp in its interval %d, latency %d, k90 %d", draws, held, latency, k90);
    TAP_OK(held >= draws * 95 / 100, "X(K) = min(K / L, X): MLP = X L is in its interval in %d of %d", held, draws);
    TAP_OK(latency >= draws * 95 / 100, "the latency is in %d", latency);
    TAP_OK(k90 >= draws * 93 / 100, "the chains for 90 %% are in %d", k90);
    made_chains(&p, 100, 1e3, 0, 0.01, &seed);
    TAP_OK(servet__bandwidth_fit_parallel(&r, &p) == SERVET_OK && r.open && r.hi_mlp <= 0 && r.lo_mlp > 28,
           "still rising at 32 chains: open");
    /* P-Ray, Tables 2 and 3: cycles per access and GB/s; the clock that follows from the first gives the second */
    {
        static const struct { const char *name; double l2_cycles, l2_gb, cycles, gb; int l2_line; } table[] = {
            { "Harpertown", 6.18, 19.29, 52.09, 2.29, 64 }, { "Kentsfield", 6.05, 23.65, 32.03, 4.47, 64 },
            { "Niagara", 25.00, 0.71, 111.62, 0.64, 16 } };
        for (k = 0; k < 3; k++) {
            const double ghz = table[k].l2_gb * table[k].l2_cycles / table[k].l2_line;
            const double ns = table[k].cycles / ghz;
            made_chains(&p, 9 * ns, 1 / ns, 0, 0, &seed);
            TAP_OK(servet__bandwidth_fit_parallel(&r, &p) == SERVET_OK, "%s to memory", table[k].name);
            TAP_NEAR(r.bytes_per_s, table[k].gb * 1e9, 0.012, "its effective bandwidth");
        }
    }
    p.count = 2;
    TAP_OK(servet__bandwidth_fit_parallel(&r, &p) == SERVET_EUNRESOLVED, "two numbers of chains");
    p.count = 17;
    p.point[3].ns = 0;
    TAP_OK(servet__bandwidth_fit_parallel(&r, &p) == SERVET_EINVAL, "a time of 0");
}

/* ---- non-temporal stores ------------------------------------------------------------------------ */

/* Copies of two sorts, their ratio passing 1 at a size; slope in log ratio an octave. */
static void made_stores(servet_bandwidth *b, double cross, double slope, double noise, uint64_t *seed)
{
    double x;
    int j, k;
    memset(b, 0, sizeof *b);
    for (x = 65536; x < 3e8; x *= sqrt(2))
        for (j = 0; j < 2; j++) {
            servet_bandwidth_point *p = &b->point[b->count++];
            const double ratio = servet__max(-1, servet__min(0.4, slope * log2(x / cross)));
            p->series = SERVET_SERIES_STORES;
            p->kernel = SERVET_STREAM_COPY;
            p->streaming = j;
            p->cpus = 1;
            p->bytes = 2 * x;
            p->samples = 9;
            for (k = 0; k < 9; k++) p->sample_bytes_per_s[k] = 30e9 * exp((j ? ratio : 0) + noise * normal(seed));
        }
}

static void test_stores(void)
{
    static const double slopes[] = { 0.1, 0.4 }, noises[] = { 0.02, 0.1 };
    servet_streaming s, before;
    uint64_t seed = 11;
    int a, b, k, draws = seeds();
    for (a = 0; a < 2; a++)
        for (b = 0; b < 2; b++) {
            int held = 0, near_by = 0;
            for (k = 0; k < draws; k++) {
                const double cross = 1e6 * pow(64, servet_stats_random_unit(&seed));
                made_stores(&band, cross, slopes[a], noises[b], &seed);
                if (servet__bandwidth_fit_stores(&s, &band, 1) < 0 || s.always) continue;
                held += s.lo_bytes <= cross * 1.001 && (s.hi_bytes <= 0 || cross <= s.hi_bytes * 1.001);
                near_by += fabs(log2(s.bytes / cross)) < 0.1 + noises[b] / slopes[a];
            }
            TAP_OK(held >= draws * 90 / 100, "noise %.2f, slope %.1f: in the interval in %d of %d", noises[b],
                   slopes[a], held, draws);
            TAP_OK(near_by >= draws * 90 / 100, "near in %d", near_by);
        }
    made_stores(&band, 1e12, 0.1, 0.02, &seed);
    TAP_OK(servet__bandwidth_fit_stores(&s, &band, 1) == SERVET_OK && s.bytes <= 0 && s.hi_bytes <= 0
           && s.lo_bytes > 1e8 && s.gain_frac < 0, "never up to the largest size");
    made_stores(&band, 1024, 0.1, 0.01, &seed);
    TAP_OK(servet__bandwidth_fit_stores(&s, &band, 1) == SERVET_OK && s.always && s.bytes < 65537, "always");
    before = s;
    TAP_OK(servet__bandwidth_fit_stores(&s, &band, 2) == SERVET_EUNRESOLVED, "by as many CPUs there are none");
    TAP_OK(memcmp(&s, &before, sizeof s) == 0, "the output is untouched");
}

/* ---- kernels, word by word ----------------------------------------------------------------------- */

enum { GUARD = 8, WORDS = 3 * SERVET_STREAM_BYTES / 8 };

/* Kernels, and those with non-temporal stores once more. */
#define STORES(NAME, word, arrays, moves, writes, adds, becomes) + (writes)
enum { FORMS = SERVET_STREAM_KERNELS SERVET_STREAM_LIST(STORES) };

/* What a kernel makes of a word of each array, said once more; 1 = it adds it up. */
static int made_of(double *made, int kernel, const double *x, size_t passes)
{
    const struct { int adds; double made; } of[SERVET_STREAM_KERNELS] = {
        { 1, x[0] }, { 0, 3 }, { 0, x[1] }, { 0, 3 * x[1] }, { 0, x[1] + 3 * x[2] }, { 0, passes % 2 ? -x[0] : x[0] } };
    *made = of[kernel].made;
    return of[kernel].adds;
}

/* One kernel on n words of each array, with guards before and behind; is each word as it must be? */
static int kernel_right(int kernel, int streaming, int vector, size_t n, size_t passes)
{
    static double space[3][WORDS + 4 * GUARD];
    double *x[3], was[3], made;
    servet__kernel *k = servet__stream_kernel(kernel, streaming, vector);
    uint64_t sum, expected = 0;
    size_t i;
    int j, adds = 0, right = 1;
    if (!k) return 0;
    for (j = 0; j < 3; j++) {
        x[j] = (double *)(void *)(((uintptr_t)space[j] + 63) / 64 * 64 + 64);
        for (i = 0; i < WORDS + 2 * GUARD; i++) *(x[j] - GUARD + i) = -7;
        for (i = 0; i < n; i++) x[j][i] = (double)(j + 1) + (double)i / 4096;
    }
    sum = k(x[0], x[1], x[2], n * 8, passes, kernel == SERVET_STREAM_UPDATE ? -1 : 3);
    for (i = 0; i < n; i++) {
        uint64_t bits;
        for (j = 0; j < 3; j++) was[j] = (double)(j + 1) + (double)i / 4096;
        adds = made_of(&made, kernel, was, passes);
        memcpy(&bits, &made, sizeof bits);
        expected += adds ? bits * passes : 0;
        if (adds) made = was[0];
        right &= x[0][i] <= made && x[0][i] >= made && x[1][i] <= was[1] && x[1][i] >= was[1] && x[2][i] <= was[2]
              && x[2][i] >= was[2];
    }
    for (j = 0; j < 3; j++)
        for (i = 0; i < GUARD; i++) right &= *(x[j] - 1 - i) < -6 && x[j][n + i] < -6;
    return right && sum == expected;
}

static void test_kernels(void)
{
    const int widest = servet__vector_widest();
    int kernel, streaming, vector;
    for (vector = SERVET_VECTOR_PLAIN; vector <= widest; vector++)
        for (streaming = 0; streaming < 2; streaming++)
            for (kernel = 0; kernel < SERVET_STREAM_KERNELS; kernel++) {
                const size_t least = SERVET_STREAM_BYTES / 8;
                if (!servet__stream_kernel(kernel, streaming, vector)) continue;
                TAP_OK(kernel_right(kernel, streaming, vector, least, 1)
                       && kernel_right(kernel, streaming, vector, 2 * least, 2)
                       && kernel_right(kernel, streaming, vector, 3 * least, 5), "%s%s, %s",
                       servet_text(SERVET_TEXT_KERNEL, kernel), streaming ? ", non-temporal" : "",
                       servet_text(SERVET_TEXT_VECTOR, vector));
            }
    TAP_OK(!servet__stream_kernel(SERVET_STREAM_LOAD, 1, widest) && !servet__stream_kernel(SERVET_STREAM_COPY, 1,
           SERVET_VECTOR_PLAIN), "no non-temporal loads, none in plain C");
}

/* What is checked finds what is wrong. */
static void test_checks(void)
{
    static double space[3 * 4096 / 8 + 512];
    unsigned char *base = (unsigned char *)(void *)(((uintptr_t)space + 63) / 64 * 64);
    const int v = servet__vector_widest();
    int kernel, right = 0, caught = 0;
    for (kernel = 0; kernel < SERVET_STREAM_KERNELS; kernel++) {
        const servet__stream_arrays x = servet__stream_place(base, 3 * SERVET_STREAM_BYTES, kernel);
        uint64_t sum;
        servet__stream_fill(&x);
        caught += !servet__stream_right(&x, kernel, 3, 0);    /* nothing was done */
        servet__stream_fill(&x);
        sum = servet__stream_kernel(kernel, 0, v)(x.a, x.b, x.c, x.bytes, 3, x.s);
        right += servet__stream_right(&x, kernel, 3, sum);
        *(double *)(void *)(x.a + 8 * 17) += 1;                         /* one word wrong */
        caught += !servet__stream_right(&x, kernel, 3, sum);
    }
    TAP_OK(right == SERVET_STREAM_KERNELS && caught == 2 * SERVET_STREAM_KERNELS,
           "checks pass what is right and catch what is not (%d, %d)", right, caught);
}

/* ---- the team ----------------------------------------------------------------------------------- */

typedef struct part { int index, fail_at; long *sum; int meetings; } part;
static long shared_sum;

static int add_up(servet_team *team, void *arg)
{
    part *p = (part *)arg;
    size_t met = 0;
    int i, status;
    for (i = 0; i < 200; i++) {
        if (i == p->fail_at) return SERVET_ENOISE;
        if (i % 2 == p->index % 2) *p->sum += 1;     /* in turn: a meeting stands between two that write */
        if ((status = servet_team_meet(team, &met)) < 0) return status;
        p->meetings++;
    }
    return SERVET_OK;
}

static int threads(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    if (!d) return -1;
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* Are there as many threads as before?  One that was joined is listed for some moments more. */
static int threads_are(int before)
{
    const struct timespec ms = { 0, 1000000 };
    int i;
    for (i = 0; i < 60000 && threads() != before; i++) nanosleep(&ms, NULL);
    return i < 60000;
}

static void test_team(void)
{
    servet_cpus all, after, most;
    part p[2];
    int cpu[2], i, before;
    servet_machine_cpus(&all);
    cpu[0] = servet_cpus_next(&all, -1);
    memset(p, 0, sizeof p);
    p[0].fail_at = -1;
    p[0].sum = &shared_sum;
    servet_team_run(cpu, 1, &all, add_up, p, sizeof *p);
    before = threads();    /* a sanitizer has one of its own since there was a thread */
    cpu[1] = servet_cpus_next(&all, cpu[0]);
    memset(p, 0, sizeof p);
    shared_sum = 0;
    for (i = 0; i < 2; i++) {
        p[i].index = i;
        p[i].fail_at = -1;
        p[i].sum = &shared_sum;
    }
    if (cpu[1] < 0 || servet__cpu_now() < 0) {
        TAP_SKIP(4, "one CPU, or threads cannot be bound here");
    } else {
        TAP_OK(servet_team_run(cpu, 2, &all, add_up, p, sizeof *p) == SERVET_OK && shared_sum == 200
               && p[0].meetings == 200 && p[1].meetings == 200, "two threads meet 200 times");
        p[1].fail_at = 77;
        p[0].meetings = p[1].meetings = 0;
        TAP_OK(servet_team_run(cpu, 2, &all, add_up, p, sizeof *p) == SERVET_ENOISE && p[0].meetings <= 77
               && p[1].meetings == 77, "one fails: the other leaves, its status is returned");
        p[1].fail_at = -1;
        cpu[1] = cpu[0];
        TAP_OK(servet_team_run(cpu, 2, &all, add_up, p, sizeof *p) == SERVET_EINVAL, "a CPU twice");
        memset(&most, 255, sizeof most);
        most.count = 64 * SERVET_CPU_WORDS;
        cpu[1] = 8191;
        TAP_OK(servet__cpus_has(&all, 8191) || servet_team_run(cpu, 2, &most, add_up, p, sizeof *p) == SERVET_EPIN,
               "a CPU that is offline: the other does not wait for it");
    }
    cpu[1] = 8191;
    TAP_OK(servet__cpus_has(&all, 8191) || servet_team_run(cpu, 2, &all, add_up, p, sizeof *p) == SERVET_EPIN,
           "a CPU that is not allowed");
    TAP_OK(servet_team_run(cpu, 0, &all, add_up, p, sizeof *p) == SERVET_EINVAL, "no CPU");
    TAP_OK(threads_are(before), "no thread is left");
    servet_machine_cpus(&after);
    TAP_OK(memcmp(&all, &after, sizeof all) == 0, "the mask is as before");
}

/* ---- this machine: statuses, not times ------------------------------------------------------------ */

static int relay(const servet_machine *m, const int *cpu, int cpus, size_t n, size_t between, servet_sample *out)
{
    servet_relay q;
    memset(&q, 0, sizeof q);
    q.cpu = cpu;
    q.cpus = cpus;
    q.n = n;
    q.between = between;
    q.rounds = 2;
    return m->relay(m->ctx, &q, out);
}

static void test_rig(void)
{
    static const int chains[] = { 1, 2, 13, 40 };
    servet_stream_sample out[2 * SERVET_SAMPLES_MAX];
    servet_sample sample[8];
    servet_rig_opts o;
    servet_machine m;
    servet_cpus before, after;
    servet_stream s[2];
    servet_streams q;
    servet_parallel p;
    servet_node node[4];
    int cpu[2], nodes, tasks = threads(), status, i, ok;
    servet_machine_cpus(&before);
    memset(&o, 0, sizeof o);
    o.hi_bytes = 4 << 20;
    o.effort = 0.05;
    o.cpu_plus_1 = servet_cpus_next(&before, -1) + 1;
    if (servet_rig_open(&rig, &o) < 0 || !rig.pinned) {
        TAP_SKIP(1, "no rig, or threads cannot be bound here");
        return;
    }
    m = servet_rig_machine(&rig);
    memset(s, 0, sizeof s);
    memset(&q, 0, sizeof q);
    cpu[0] = servet_cpus_next(&before, -1);
    cpu[1] = servet_cpus_next(&before, cpu[0]);
    s[1].kernel = SERVET_STREAM_TRIAD;
    q.stream = s;
    q.streams = 2;
    q.rounds = 2;
    q.cpu = cpu;
    q.cpus = 1;
    q.bytes = 16384;
    memset(out, 0, sizeof out);
    status = m.bandwidth(m.ctx, &q, out);
    TAP_OK(status == SERVET_OK && out[0].bytes_per_s > 0 && out[3].bytes_per_s > 0
           && out[0].vector == rig.vector && out[0].chase_ns <= 0, "one CPU, without a thread (%.1f GB/s, %s)",
           out[0].bytes_per_s * 1e-9, servet_text(SERVET_TEXT_VECTOR, rig.vector));
    q.cpu = NULL;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK, "the rig's own CPU");
    q.cpu = cpu;
    q.bytes = 0;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "zero bytes");
    q.bytes = 5 << 20;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "more memory than there is");
    q.bytes = 1;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK, "one byte is the least there is");
    q.bytes = 0.0 / (q.bytes - 1);
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "not a number of bytes");
    q.bytes = 65536;
    TAP_OK(m.bandwidth(m.ctx, NULL, out) == SERVET_EINVAL && m.bandwidth(m.ctx, &q, NULL) == SERVET_EINVAL, "NULL");
    q.streams = 0;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "no streams");
    q.streams = 2;
    q.rounds = 99;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "too many rounds");
    q.rounds = 0;
    s[0].streaming = 1;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "a non-temporal load");
    s[0].streaming = 0;
    s[0].kernel = SERVET_STREAM_KERNELS;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "a kernel that does not exist");
    s[0].kernel = SERVET_STREAM_COPY;
    s[0].streaming = 1;
    s[0].vector = SERVET_VECTOR_PLAIN;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EUNSUPPORTED, "non-temporal in plain C");
    s[0].streaming = 0;
    s[0].vector = rig.vector == SERVET_VECTOR_SCALABLE ? SERVET_VECTOR_256 : rig.vector + 1;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EUNSUPPORTED, "vectors this CPU does not have");
    s[0].vector = SERVET_VECTOR_PLAIN;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK && out[0].vector == SERVET_VECTOR_PLAIN, "plain C");
    s[0].vector = 0;
    cpu[0] = 8191;
    TAP_OK(servet__cpus_has(&before, 8191) || m.bandwidth(m.ctx, &q, out) == SERVET_EPIN, "a CPU that is not allowed");
    cpu[0] = servet_cpus_next(&before, -1);
    s[0].gap_ns = -1;
    TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "idle without a chase");
    s[0].gap_ns = 0;
    q.memory = SERVET_MEMORY_NODE;
    q.node = 1023;
    status = m.bandwidth(m.ctx, &q, out);
    TAP_OK(status == SERVET_EINVAL || status == SERVET_EUNSUPPORTED || status == SERVET_ENOMEM,
           "a node that is not there: %s", servet_status_text(status));
    nodes = servet__machine_nodes(node, 4);
    TAP_OK(nodes >= 1 && node[0].cpus.count >= 0 && servet__machine_nodes(NULL, 0) == nodes, "%d nodes", nodes);
    q.node = node[0].id;
    status = m.bandwidth(m.ctx, &q, out);
    if (status == SERVET_EUNSUPPORTED) TAP_SKIP(2, "the kernel places no memory here");
    else {
        TAP_OK(status == SERVET_OK, "memory in the first node");
        q.memory = SERVET_MEMORY_SPREAD;
        TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK, "memory in turn on all");
    }
    q.memory = SERVET_MEMORY_LOCAL;
    memset(&p, 0, sizeof p);
    p.n = 256;
    p.chains = chains;
    p.counts = 4;
    p.rounds = 2;
    p.cpu = cpu;
    p.cpus = 1;
    ok = m.parallel(m.ctx, &p, sample) == SERVET_OK;
    for (i = 0; i < 8; i++) ok &= sample[i].ns > 0;
    TAP_OK(ok, "chains of one CPU");
    p.n = 39;
    TAP_OK(m.parallel(m.ctx, &p, sample) == SERVET_EINVAL, "more chains than elements");
    p.n = 256;
    p.counts = 0;
    TAP_OK(m.parallel(m.ctx, &p, sample) == SERVET_EINVAL && m.parallel(m.ctx, NULL, sample) == SERVET_EINVAL
           && m.parallel(m.ctx, &p, NULL) == SERVET_EINVAL, "bad arguments");
    p.counts = 4;
    p.n = (5 << 20) / 64;
    TAP_OK(m.parallel(m.ctx, &p, sample) == SERVET_EINVAL, "more memory than there is");
    p.n = 256;
    if (cpu[1] < 0) TAP_SKIP(9, "one CPU");
    else {
        q.cpus = p.cpus = 2;
        TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK && out[1].bytes_per_s > 0, "two CPUs stream");
        for (q.bytes = 387000, ok = 1; q.bytes < 397000; q.bytes += 500)
            ok &= m.bandwidth(m.ctx, &q, out) == SERVET_OK;
        TAP_OK(ok, "through any number of bytes, without writing to each other's");
        q.bytes = 65536;
        q.chase_bytes = 65536;
        s[0].gap_ns = 500;
        s[0].kernel = SERVET_STREAM_LOAD;
        TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_OK && out[0].chase_ns > 0 && out[0].bytes_per_s > 0,
               "one chases, one streams");
        TAP_OK(m.parallel(m.ctx, &p, sample) == SERVET_OK && sample[0].ns > 0, "chains of two CPUs");
        q.bytes = 3 << 20;
        TAP_OK(m.bandwidth(m.ctx, &q, out) == SERVET_EINVAL, "too much memory for two");
        q.bytes = 65536;
        TAP_OK(relay(&m, cpu, 2, 4096, 0, sample) == SERVET_OK && sample[0].ns > 0 && sample[1].ns > 0
               && sample[2].ns > 0 && sample[3].ns > 0, "one CPU reads what the other has read, twice");
        memset(sample, 0, sizeof sample);
        TAP_OK(relay(&m, cpu, 2, 256, 4096, sample) == SERVET_OK && sample[0].ns > 0 && sample[1].ns > 0
               && sample[2].ns > 0 && sample[3].ns > 0, "or what it has read itself before the other walks");
        TAP_OK(relay(&m, cpu, 1, 4096, 0, sample) == SERVET_EINVAL && relay(&m, cpu, 2, 2, 0, sample) == SERVET_EINVAL
               && relay(&m, cpu, 2, 4096, 0, NULL) == SERVET_EINVAL
               && relay(&m, cpu, 2, (size_t)1 << 30, 0, sample) < 0
               && relay(&m, cpu, 2, 256, (size_t)1 << 30, sample) < 0 && m.relay(m.ctx, NULL, sample) == SERVET_EINVAL,
               "nobody to read from, too few lines, no room");
        cpu[1] = 8191;
        TAP_OK(servet__cpus_has(&before, 8191) || (m.bandwidth(m.ctx, &q, out) == SERVET_EPIN
               && relay(&m, cpu, 2, 4096, 0, sample) == SERVET_EPIN
               && m.parallel(m.ctx, &p, sample) == SERVET_EPIN), "the second CPU is not allowed");
    }
    servet_rig_close(&rig);
    servet_machine_cpus(&after);
    TAP_OK(memcmp(&before, &after, sizeof before) == 0 && threads_are(tasks), "mask and threads are as before");
}

/* ---- a modelled machine: two nodes of four CPUs ----------------------------------------------------- */

typedef struct model {
    double seconds, noise, cross_bytes;
    int    nodes, no_streaming, calls, fail;
    uint64_t seed;
} model;

/* Bandwidth of n CPUs from one node to another; each has 12 GB/s, a node 30, the way between 14, all in turn both. */
static double model_rate(const model *w, int n, int kernel, int streaming, double bytes, int memory, int remote)
{
    const double core = memory == SERVET_MEMORY_LOCAL || !remote ? 12e9 : 7e9;
    const double top = memory == SERVET_MEMORY_SPREAD ? 28e9 : remote ? 14e9 : 30e9;
    double rate = pow(pow(n * core, -4) + pow(top, -4), -0.25);
    if (bytes < 1e6) rate = n * 100e9;
    if (streaming) rate *= bytes / 2 < w->cross_bytes ? 0.5 : 1.4;
    return rate * (kernel == SERVET_STREAM_STORE ? 0.6 : 1);
}

static int model_bandwidth(void *ctx, const servet_streams *q, servet_stream_sample *out)
{
    model *w = (model *)ctx;
    const int remote = q->memory == SERVET_MEMORY_NODE && q->cpu[0] / 4 != q->node;
    int r, i;
    w->calls++;
    if (w->fail && w->calls == w->fail) return SERVET_EPIN;
    for (i = 0; i < q->streams; i++) if (q->stream[i].streaming && w->no_streaming) return SERVET_EUNSUPPORTED;
    for (r = 0; r < q->rounds; r++)
        for (i = 0; i < q->streams; i++) {
            const servet_stream *s = &q->stream[i];
            servet_stream_sample *o = &out[r * q->streams + i];
            double rate = model_rate(w, q->cpus, s->kernel, s->streaming, q->bytes, q->memory, remote);
            memset(o, 0, sizeof *o);
            o->vector = SERVET_VECTOR_256;
            if (q->chase_bytes > 0) {
                const double free_ns = 16384 / 12.0, duty = s->gap_ns < 0 ? 0 : free_ns / (free_ns + s->gap_ns);
                rate = q->cpus > 1 ? duty * model_rate(w, q->cpus - 1, s->kernel, 0, q->bytes, q->memory, remote) : 0;
                o->chase_ns = (remote ? 160 : 100) / (1 - 0.8 * rate / 30e9) * exp(w->noise * normal(&w->seed));
            }
            o->bytes_per_s = rate * exp(w->noise * normal(&w->seed));
            w->seconds += 1e-3;
        }
    return SERVET_OK;
}

/* L = 80 ns, ten under way. */
static int model_parallel(void *ctx, const servet_parallel *q, servet_sample *out)
{
    model *w = (model *)ctx;
    int r, i;
    for (r = 0; r < q->rounds; r++)
        for (i = 0; i < q->counts; i++) {
            memset(&out[r * q->counts + i], 0, sizeof *out);
            out[r * q->counts + i].ns = 80.0 / servet__min(q->chains[i], 10) * exp(w->noise * normal(&w->seed));
        }
    w->seconds += 0.1;
    return SERVET_OK;
}

/* Lines of 64: elements nearer than that hit what a visit before brought, half of the time. */
static int model_chase(void *ctx, size_t n, const servet_chase_opts *o, servet_sample *out)
{
    model *w = (model *)ctx;
    memset(out, 0, sizeof *out);
    if ((double)n * o->line_bytes > 1e7 && o->line_bytes == 8) return SERVET_EINVAL;
    out->ns = (o->line_bytes < 64 ? 40 : 80) * exp(w->noise * normal(&w->seed));
    w->seconds += 1e-3;
    return SERVET_OK;
}

static double model_seconds(void *ctx) { return ((model *)ctx)->seconds; }
static int stop_at_once(void *ctx) { (void)ctx; return 1; }
static int stop_after_one(void *ctx) { return (*(int *)ctx)++ > 0; }

static const servet_bandwidth_point *numa_point(const servet_bandwidth *b, int kernel, int cpus, int from, int memory,
                                                int to, int chase)
{
    int i;
    for (i = 0; i < b->count; i++) {
        const servet_bandwidth_point *p = &b->point[i];
        if (p->kernel == kernel && p->cpus == cpus && p->cpu_node == from && p->memory == memory && p->node == to
            && (p->chase_bytes > 0) == chase) return p;
    }
    return NULL;
}

static void test_model(void)
{
    static const int cpu[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    static servet_parallelism par;
    const double sizes[2] = { 16384, 64e6 };
    double rate[16], lo[16], hi[16], last = 1e300;
    int n[16];
    servet_saturation sat;
    servet_streaming stores;
    int asked = 0;
    servet_strides strides;
    servet_mlp mlp;
    servet_bandwidth_opts o;
    servet_machine m;
    servet_node node[2];
    const servet_bandwidth_point *p, *q;
    model w;
    int i, status, ok, n_open, n_held;
    memset(&w, 0, sizeof w);
    w.noise = 0.01;
    w.cross_bytes = 3e6;
    w.seed = 3;
    memset(&m, 0, sizeof m);
    m.ctx = &w;
    m.bandwidth = model_bandwidth;
    m.parallel = model_parallel;
    m.chase = model_chase;
    m.seconds = model_seconds;
    memset(&o, 0, sizeof o);

    memset(&band, 0, sizeof band);
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, NULL) == SERVET_OK && band.count == 4 * FORMS,
           "all kernels: %d points", band.count);
    for (ok = 1, i = 0; i < band.count; i++) ok &= band.point[i].samples == 9 && band.point[i].lo_bytes_per_s > 0;
    TAP_OK(ok, "of nine samples each");
    p = servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, SERVET_STREAM_LOAD, 0, 4, 64e6);
    TAP_OK(p && fabs(p->bytes_per_s / model_rate(&w, 4, 0, 0, 64e6, 0, 0) - 1) < 0.03, "loads of four from memory");
    p = servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, SERVET_STREAM_COPY, 0, 1, 64e6);
    q = servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, SERVET_STREAM_COPY, 1, 1, 64e6);
    TAP_OK(p && q && q->bytes_per_s > 1.3 * p->bytes_per_s && p->allocate_bytes_per_s > 1.49 * p->bytes_per_s
           && fabs(q->allocate_bytes_per_s - q->bytes_per_s) < 1, "write-allocate is counted for regular stores alone");
    w.no_streaming = 1;
    memset(&other, 0, sizeof other);
    TAP_OK(servet_bandwidth_kernels(&other, &m, sizes, 2, cpu, 1, NULL) == SERVET_OK
           && other.count == 2 * SERVET_STREAM_KERNELS,
           "without non-temporal stores their points are left out");
    w.no_streaming = 0;
    memset(&other, 0, sizeof other);
    status = servet__bandwidth_kernels(&other, &m, sizes, 2, cpu, 4, 0, 0, NULL);
    for (ok = 1, i = 0; i < other.count; i++) ok &= other.point[i].cpus == 4 && !other.point[i].streaming;
    TAP_OK(status == SERVET_OK && ok && other.count == 2 * SERVET_STREAM_KERNELS,
           "by all alone, and regular stores: nothing else takes time");

    memset(&band, 0, sizeof band);
    TAP_OK(servet__bandwidth_scaling(&band, &m, 64e6, 0, cpu, 4, NULL) == SERVET_OK && band.count == 4, "1 to 4");
    for (i = 0; i < band.count; i++) {
        n[i] = band.point[i].cpus;
        rate[i] = band.point[i].bytes_per_s;
        lo[i] = band.point[i].lo_bytes_per_s;
        hi[i] = band.point[i].hi_bytes_per_s;
    }
    status = servet__bandwidth_fit(&sat, n, rate, lo, hi, (size_t)band.count, 0);
    TAP_OK(status == SERVET_OK && sat.lo_top <= 30e9 && (sat.open || 30e9 <= sat.hi_top) && sat.enough == 4,
           "top %.1f [%.1f, %.1f] GB/s", sat.top * 1e-9, sat.lo_top * 1e-9, sat.hi_top * 1e-9);
    memset(&other, 0, sizeof other);
    TAP_OK(servet__bandwidth_scaling(&other, &m, 64e6, 0, cpu, 8, NULL) == SERVET_OK && other.count == 6
           && other.point[4].cpus == 6 && other.point[5].cpus == 8, "1, 2, 3, 4, 6, 8");
    memset(&other, 0, sizeof other);
    TAP_OK(servet__bandwidth_scaling(&other, &m, 64e6, 0, cpu, 7, NULL) == SERVET_OK && other.count == 6
           && other.point[4].cpus == 6 && other.point[5].cpus == 7, "1, 2, 3, 4, 6, 7");

    memset(&band, 0, sizeof band);
    TAP_OK(servet__bandwidth_loaded(&band, &m, 64e6, 64e6, cpu, 4, NULL) == SERVET_OK && band.count == 10, "loaded");
    for (ok = 1, i = 0; i + 1 < 10; i++)
        ok &= band.point[i + 1].bytes_per_s > band.point[i].bytes_per_s
            && band.point[i + 1].chase_ns > band.point[i].chase_ns * 0.99;
    TAP_OK(ok && band.point[0].bytes_per_s <= 0 && band.point[9].chase_ns > 1.5 * band.point[0].chase_ns,
           "latency rises with load, from %.0f to %.0f ns", band.point[0].chase_ns, band.point[9].chase_ns);
    TAP_OK(servet__bandwidth_loaded(&band, &m, 64e6, 64e6, cpu, 1, NULL) == SERVET_EINVAL, "one CPU makes no load");

    memset(&band, 0, sizeof band);
    memset(&stores, 0, sizeof stores);
    status = servet_bandwidth_stores(&band, &m, 1e6, 64e6, cpu, 2, NULL);
    ok = servet__bandwidth_fit_stores(&stores, &band, 2) == SERVET_OK;
    TAP_OK(status == SERVET_OK && ok && stores.lo_bytes <= 3e6
           && 3e6 <= stores.hi_bytes && stores.hi_bytes < 2 * stores.lo_bytes,
           "non-temporal copies win from %.1f [%.1f, %.1f] MB", stores.bytes * 1e-6, stores.lo_bytes * 1e-6,
           stores.hi_bytes * 1e-6);
    TAP_NEAR(stores.gain_frac, 0.4, 0.1, "by two fifths");
    memset(&o, 0, sizeof o);
    o.run.budget_s = band.seconds / 6;
    w.cross_bytes = 30e6;
    memset(&other, 0, sizeof other);
    status = servet_bandwidth_stores(&other, &m, 1e6, 64e6, cpu, 2, &o);
    ok = servet__bandwidth_fit_stores(&stores, &other, 2) == SERVET_OK;
    for (i = n_held = 0; i < other.count; i++)    /* samples from which on non-temporal ones win: five bound it */
        n_held += other.point[i].streaming && other.point[i].bytes / 2 > w.cross_bytes ? other.point[i].samples : 0;
    TAP_OK(status == SERVET_OK && other.stopped && ok && stores.lo_bytes <= w.cross_bytes
           && (n_held < 5 ? stores.hi_bytes == 0 : stores.hi_bytes >= w.cross_bytes),
           "in a sixth of the time from %.1f [%.1f, %.1f] MB, by %d of %d points, %d samples above",
           stores.bytes * 1e-6, stores.lo_bytes * 1e-6, stores.hi_bytes * 1e-6, other.count, band.count, n_held);
    for (i = n_open = n_held = 0; i < 40; i++) {    /* no time at all: three sizes, once */
        w.cross_bytes = 1.5e6 * pow(2, i / 8.0);
        o.run.budget_s = 1e-9;
        o.run.seed = (uint64_t)i;
        memset(&other, 0, sizeof other);
        ok = servet_bandwidth_stores(&other, &m, 1e6, 64e6, cpu, 2, &o) == SERVET_OK && other.count == 6
          && servet__bandwidth_fit_stores(&stores, &other, 2) == SERVET_OK;
        n_open += ok && stores.hi_bytes == 0;
        n_held += ok && stores.lo_bytes <= w.cross_bytes && stores.bytes <= 64e6;
    }
    TAP_OK(n_open == 40 && n_held == 40, "without time: of 40 runs %d say where at least, and %d leave the end open",
           n_held, n_open);
    w.noise = 0.4;    /* where the crossing comes last in a turn 156 are near */
    o.run.budget_s = band.seconds / 3;
    for (i = n_held = 0; i < 200; i++) {
        w.cross_bytes = 2e6 * pow(16, i / 200.0);
        memset(&other, 0, sizeof other);
        ok = servet_bandwidth_stores(&other, &m, 1e6, 64e6, cpu, 2, &o) == SERVET_OK && other.stopped
          && servet__bandwidth_fit_stores(&stores, &other, 2) == SERVET_OK;
        n_held += ok && fabs(log2(stores.bytes / w.cross_bytes)) < 0.5;
    }
    TAP_OK(n_held >= 180, "a third of the time, noise of two fifths: within a factor of sqrt 2 in %d of 200", n_held);
    w.noise = 0.01;
    w.cross_bytes = 3e6;

    memset(node, 0, sizeof node);
    for (i = 0; i < 8; i++) servet_cpus_add(&node[i / 4].cpus, i);
    node[1].id = 1;
    memset(&band, 0, sizeof band);
    TAP_OK(servet__bandwidth_numa(&band, &m, node, 2, 64e6, NULL) == SERVET_OK && band.count == 30,
           "two nodes: %d points", band.count);
    p = numa_point(&band, SERVET_STREAM_LOAD, 4, 0, SERVET_MEMORY_NODE, 0, 0);
    q = numa_point(&band, SERVET_STREAM_LOAD, 4, 0, SERVET_MEMORY_NODE, 1, 0);
    TAP_OK(p && q && fabs(q->bytes_per_s / p->bytes_per_s - model_rate(&w, 4, 0, 0, 64e6, 1, 1)
           / model_rate(&w, 4, 0, 0, 64e6, 1, 0)) < 0.03, "remote is half of local");
    q = numa_point(&band, SERVET_STREAM_TRIAD, 4, 1, SERVET_MEMORY_SPREAD, 0, 0);
    TAP_OK(q && q->bytes_per_s > 24e9, "in turn");
    p = numa_point(&band, SERVET_STREAM_LOAD, 1, 1, SERVET_MEMORY_NODE, 1, 1);
    q = numa_point(&band, SERVET_STREAM_LOAD, 1, 1, SERVET_MEMORY_NODE, 0, 1);
    TAP_OK(p && q && fabs(q->chase_ns / p->chase_ns - 1.6) < 0.05, "latencies of both");

    last = w.seconds;
    TAP_OK(servet_bandwidth_parallel(&par, &m, 64e6, cpu, 1, NULL) == SERVET_OK && par.count == 17
           && par.point[16].chains == 32 && w.seconds - last < 2, "chains");
    memset(&mlp, 0, sizeof mlp);
    status = servet__bandwidth_fit_parallel(&mlp, &par);
    TAP_OK(status == SERVET_OK && mlp.lo_mlp <= 10 && 10 <= mlp.hi_mlp && mlp.lo_k90 <= 9 && mlp.hi_k90 >= 9
           && fabs(mlp.latency_ns / 80 - 1) < 0.02, "ten under way (%.2f [%.2f, %.2f])", mlp.mlp, mlp.lo_mlp,
           mlp.hi_mlp);
    TAP_NEAR(mlp.bytes_per_s, 64 / 8e-9, 0.02, "8 GB/s");
    TAP_OK(servet_bandwidth_parallel(&par, &m, 512, cpu, 1, &o) == SERVET_OK && par.count == 512 / par.line_bytes,
           "no more chains than lines");
    TAP_OK(servet_bandwidth_parallel(&par, &m, 128, cpu, 1, &o) == SERVET_EINVAL, "two are too few");
    m.parallel = NULL;
    TAP_OK(servet_bandwidth_parallel(&par, &m, 64e6, cpu, 1, NULL) == SERVET_EUNSUPPORTED, "a machine that cannot");

    TAP_OK(servet_bandwidth_strides(&strides, &m, sizes, 2, NULL) == SERVET_OK && strides.sizes == 2
           && strides.stride_bytes[5] == 256 && strides.ns[1][0] <= 0
           && fabs(strides.ns[1][1] / strides.ns[1][3] - 0.5) < 0.03, "strides: what does not fit is left out");

    memset(&band, 0, sizeof band);
    o.run.stop = stop_at_once;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, &o) == SERVET_ESTOPPED && band.count == 0,
           "stopped before anything was measured");
    strides.sizes = -1;
    TAP_OK(servet_bandwidth_strides(&strides, &m, sizes, 2, &o) == SERVET_ESTOPPED && strides.sizes == -1,
           "as of strides");
    memset(&band, 0, sizeof band);
    o.run.stop = stop_after_one;
    o.run.ctx = &asked;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, &o) == SERVET_OK && band.stopped
           && band.count == FORMS,
           "stopped after the first part, which is kept");
    o.run.stop = NULL;
    o.run.budget_s = 0.01;
    memset(&band, 0, sizeof band);
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, &o) == SERVET_OK && band.stopped
           && band.count < 4 * FORMS,
           "ended by its budget");
    o.rounds = 99;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, &o) == SERVET_EINVAL
           && servet_bandwidth_kernels(NULL, &m, sizes, 2, cpu, 4, NULL) == SERVET_EINVAL
           && servet_bandwidth_kernels(&band, NULL, sizes, 2, cpu, 4, NULL) == SERVET_EINVAL
           && servet_bandwidth_kernels(&band, &m, NULL, 2, cpu, 4, NULL) == SERVET_EINVAL
           && servet_bandwidth_kernels(&band, &m, sizes, 0, cpu, 4, NULL) == SERVET_EINVAL
           && servet_bandwidth_kernels(&band, &m, sizes, 2, NULL, 4, NULL) == SERVET_EINVAL, "bad arguments");
    w.fail = w.calls + 2;
    memset(&band, 0, sizeof band);
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, NULL) == SERVET_EPIN && band.count == FORMS
           && band.point[0].bytes_per_s > 0, "a CPU that goes away: its status, and what was measured before");
    w.fail = 0;
    memset(&band, 0, sizeof band);
    band.count = SERVET_BANDWIDTH_POINTS;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 1, cpu, 4, NULL) == SERVET_ESPACE, "no room for more points");
    band.count = SERVET_BANDWIDTH_POINTS - FORMS;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 1, cpu, 4, NULL) == SERVET_ESPACE
           && band.count == SERVET_BANDWIDTH_POINTS && band.point[SERVET_BANDWIDTH_POINTS - 1].samples == 9,
           "what there is room for is measured");
    band.count = 0;
    m.bandwidth = NULL;
    TAP_OK(servet_bandwidth_kernels(&band, &m, sizes, 2, cpu, 4, NULL) == SERVET_EUNSUPPORTED
           && servet__bandwidth_numa(&band, &m, node, 2, 64e6, NULL) == SERVET_EUNSUPPORTED, "a machine that cannot");
}

/* Numbers of CPUs of a scaling ascend, and end with all of them. */
static void test_steps(void)
{
    int cpus, k, before, right = 0;
    for (cpus = 1; cpus <= SERVET_CORES_MAX; cpus++) {
        for (before = 0, k = 1; k <= cpus && k > before; k = servet__bandwidth_next(k, cpus)) before = k;
        right += k > cpus && before == cpus;
    }
    TAP_OK(right == SERVET_CORES_MAX, "numbers of CPUs ascend to all of them: %d of %d", right, (int)SERVET_CORES_MAX);
}

int main(void)
{
    test_words();
    test_steps();
    test_order();
    test_settle();
    test_fit();
    test_chains();
    test_stores();
    test_kernels();
    test_checks();
    test_team();
    test_rig();
    test_model();
    return tap_done();
}

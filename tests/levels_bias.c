/* levels_bias.c - what the form of the miss rate does to the answer: Servet's of 2010 against the conditional one
 *
 * Two tables (prove -v), both of caches whose truth is known:
 *   miss rates    of a cyclic walk over n pages, counted line by line in the modelled cache and averaged over
 *                 placements, n / C = 0.5 .. 1.6, against P[B(n, p) > K] (the share of sets that overflow, as in
 *                 [Servet, III-A]), P[B(n-1, p) >= K] (the share of accesses that miss, LRU) and what the library
 *                 has for the policy
 *   capacities    that the paper's method and the library find on the same curves, 1 % noise and 3 % outliers
 * BIAS_DRAWS in the environment sets the number of placements a row of the second table, 10 if not, or 20 at length. */
#include "servet.h"
#include "sim.h"
#include "misses.h"
#include "tap.h"

enum { POINTS = 12, PAGE = 4096 };
enum { OLD, CONDITIONAL, LIBRARY, LEADERS, FORMS };

typedef struct cache { const char *name; double kib; int ways; } cache;
typedef struct deviation { double sum, square, most; int n; } deviation;

static const char *const policy_name[] = { "LRU", "FIFO", "PLRU", "NRU", "SRRIP", "BRRIP", "DRRIP", "QLRU", "random" };
static sim the_sim;
static servet_machine the_machine;    /* not on the stack: gcc inlines all of it into the sweep, and warns there */
static servet_curve curve;

static void deviate(deviation *d, double by)
{
    d->sum += by;
    d->square += by * by;
    if (fabs(by) > d->most) d->most = fabs(by);
    d->n++;
}

static double bias(const deviation *d) { return d->sum / d->n; }
static double rms(const deviation *d)  { return sqrt(d->square / d->n); }

/* >>miss rates -------------------------------------------------------------------------------- */

/* The cache alone: what it misses goes to memory. */
static sim_spec alone(const cache *c, int policy, int placement)
{
    sim_spec s = sim_single(c->kib * 1024, c->ways, policy, SIM_PHYSICAL, placement);
    s.name = c->name;
    s.level[0].ns = 5;
    s.memory_ns = 20;
    return s;
}

/* Deviations of each form from what is counted, over n / C.  Four lines of each page are walked, which does in
 * every set they meet what all do; where sets duel, all lines, as the leaders must be as rare as they are.  As many
 * placements as make a table's noise small: the fewer classes, the more. */
static void count_misses(deviation *form, double *expected, const cache *c, int policy, int placement)
{
    const sim_spec spec = alone(c, policy, placement);
    const double capacity = c->kib * 1024 / PAGE, p = c->ways / capacity;
    const int duels = policy == SIM_DRRIP, lines = duels ? 64 : 4;
    const int draws = (int)fmax((duels ? 2e5 : 4e4) / (capacity * lines), duels ? 3 : 6);
    const int where = placement == SIM_CONTIGUOUS ? SERVET_PLACEMENT_EVEN : SERVET_PLACEMENT_RANDOM;
    servet_chase_opts o;
    int i, d;
    memset(form, 0, FORMS * sizeof *form);
    *expected = 0;
    if (sim_open(&the_sim, &spec, NULL, 7) < 0) return;
    the_sim.exact = (size_t)1 << 30;
    memset(&o, 0, sizeof o);
    o.lines_per_page = lines;
    for (i = 0; i < POINTS; i++) {
        const double n = floor((0.5 + 0.1 * i) * capacity + 0.5);
        servet_sample sample;
        double missed = 0;
        for (d = 0; d < draws; d++) {
            o.seed = (uint64_t)d;
            if (sim_chase(&the_sim, (size_t)n * (size_t)lines, &o, &sample) < 0) missed += 1e9;
            missed += the_sim.hit_frac[1] / draws;
        }
        deviate(&form[OLD], servet_stats_binomial_tail(n, c->ways + 1, p) - missed);
        deviate(&form[CONDITIONAL], servet_stats_binomial_tail(n - 1, c->ways, p) - missed);
        deviate(&form[LIBRARY],
                misses_of(n, capacity, c->ways, sim_truth_policy(&spec, 0), where) - missed);
        /* one set in 32 leads for LRU; the duel of a walk over too much is lost by LRU, and all others follow */
        deviate(&form[LEADERS],
                misses_of(n, capacity, c->ways, SERVET_POLICY_LRU, where) / 32
                + misses_of(n, capacity, c->ways, SERVET_POLICY_ADAPTIVE, where) * 31 / 32 - missed);
        /* by theory: a page's own presence makes one more in its set than in a set looked at from outside */
        *expected -= (1 - p) * (servet_stats_binomial_tail(n - 1, c->ways, p)
                                - servet_stats_binomial_tail(n - 1, c->ways + 1, p)) / POINTS;
    }
    sim_close(&the_sim);
}

static void say_misses(const cache *c, int policy, const deviation *form)
{
    TAP_DIAG("  %-16s %-6s  %+.3f %.3f %.3f   %+.3f %.3f %.3f   %+.3f %.3f %.3f", c->name, policy_name[policy],
             bias(&form[0]), rms(&form[0]), form[0].most, bias(&form[1]), rms(&form[1]), form[1].most,
             bias(&form[2]), rms(&form[2]), form[2].most);
    if (policy == SIM_DRRIP)
        TAP_DIAG("  %-16s %-6s  %50s %+.3f %.3f %.3f", "", "", "1/32 LRU, 31/32 adaptive", bias(&form[LEADERS]),
                 rms(&form[LEADERS]), form[LEADERS].most);
}

static void test_miss_rates(void)
{
    static const cache all[] = {
        { "256K 8w", 256, 8 }, { "512K 8w", 512, 8 }, { "1M 8w", 1024, 8 }, { "1M 16w", 1024, 16 },
        { "1.25M 20w", 1280, 20 }, { "2M 16w", 2048, 16 }, { "8M 16w", 8192, 16 }, { "33M 11w 768cl", 33792, 11 }
    };
    /* The library's forms were made from simulations of their own.  RANDOM, BRRIP and NRU follow from how they work;
     * that of QLRU is a curve through what was seen, of which servet.h says that it is good to 0.15 a class. */
    static const struct { int policy; double most_bias; } other[] = {
        { SIM_FIFO, 0.01 }, { SIM_PLRU, 0.01 }, { SIM_SRRIP, 0.01 }, { SIM_NRU, 0.02 }, { SIM_QLRU, 0.04 },
        { SIM_RANDOM, 0.01 }, { SIM_BRRIP, 0.01 }, { SIM_DRRIP, 0.02 }
    };
    const int others = (int)(sizeof other / sizeof *other), caches = (int)(sizeof all / sizeof *all);
    deviation form[FORMS];
    double expected, worst_new = 0, worst_theory = 0, least_old = 1, worst_even = 0, worst_duel = 0, worst[16] = { 0 };
    int i, k;
    TAP_DIAG("miss rate, form minus counted, n/C = 0.5 .. 1.6: bias, rms, most");
    TAP_DIAG("  %-16s %-6s  %-21s %-21s %-20s", "pages scattered", "policy", "P[B(n,p)>K]", "  P[B(n-1,p)>=K]",
             "   library's for policy");
    for (i = 0; i < caches; i++) {
        count_misses(form, &expected, &all[i], SIM_LRU, SIM_SCATTERED);
        say_misses(&all[i], SIM_LRU, form);
        worst_new = fmax(worst_new, fabs(bias(&form[CONDITIONAL])));
        worst_theory = fmax(worst_theory, fabs(bias(&form[OLD]) - expected));
        least_old = fmin(least_old, -bias(&form[OLD]));
    }
    TAP_OK(worst_new < 0.01, "LRU: the conditional form is biased by %.4f at most", worst_new);
    TAP_OK(least_old > 0.03, "LRU: Servet's form says %.3f too few at least", least_old);
    TAP_OK(worst_theory < 0.01, "which is what theory says, (1-p) P[B(n-1,p) = K], to %.4f", worst_theory);
    for (k = 0; k < others; k++) {
        for (i = 2; i <= 5; i += 3) {    /* 1M 8w, 2M 16w */
            count_misses(form, &expected, &all[i], other[k].policy, SIM_SCATTERED);
            say_misses(&all[i], other[k].policy, form);
            worst[k] = fmax(worst[k], fabs(bias(&form[LIBRARY])));
            if (other[k].policy == SIM_DRRIP) worst_duel = fmax(worst_duel, fabs(bias(&form[LEADERS])));
        }
    }
    TAP_DIAG("  contiguous");
    for (k = -1; k < others; k++) {
        const int policy = k < 0 ? SIM_LRU : other[k].policy;
        for (i = 2; i <= 3; i++) {    /* 1M 8w, 1M 16w */
            count_misses(form, &expected, &all[i], policy, SIM_CONTIGUOUS);
            say_misses(&all[i], policy, form);
            if (k < 0) worst_even = fmax(worst_even, fabs(bias(&form[LIBRARY])));
            else worst[k] = fmax(worst[k], fabs(bias(&form[LIBRARY])));
            if (policy == SIM_DRRIP) worst_duel = fmax(worst_duel, fabs(bias(&form[LEADERS])));
        }
    }
    TAP_OK(worst_even < 0.01, "contiguous LRU: the library's form is biased by %.4f at most", worst_even);
    for (k = 0; k < others; k++)
        TAP_OK(worst[k] < other[k].most_bias, "%s: the library's form is biased by %.3f at most, less than %.2f",
               policy_name[other[k].policy], worst[k], other[k].most_bias);
    TAP_OK(worst_duel < 0.02, "DRRIP: a mixture by the leaders' share is biased by %.4f at most", worst_duel);
}

/* >>capacities -------------------------------------------------------------------------------- */

enum { FIGURE_4, FIGURE_3, FINE_OLD, FINE_CONDITIONAL, MODEL, METHODS, DRAWS_MAX = 400 };
typedef struct errors { double signed_[DRAWS_MAX], size[DRAWS_MAX]; int n; } errors;
typedef struct summary { double median, low, high, size; } summary;

static void add_error(errors *e, double got, double want)
{
    if (e->n == DRAWS_MAX) return;
    e->signed_[e->n] = got > 0 ? got / want - 1 : -1;    /* nothing found: as wrong as can be */
    e->size[e->n] = fabs(e->signed_[e->n]);
    e->n++;
}

static summary sum_up(errors *e)
{
    summary s;
    servet_stats_sort(e->signed_, (size_t)e->n);
    servet_stats_sort(e->size, (size_t)e->n);
    s.median = servet_stats_quantile(e->signed_, (size_t)e->n, 0.5);
    s.low = servet_stats_quantile(e->signed_, (size_t)e->n, 0.1);
    s.high = servet_stats_quantile(e->signed_, (size_t)e->n, 0.9);
    s.size = servet_stats_quantile(e->size, (size_t)e->n, 0.5);
    return s;
}

static double nearest(const servet_levels *levels, double want)
{
    double best = 0;
    int i;
    for (i = 0; i < levels->count; i++)
        if (best <= 0 || fabs(log(levels->level[i].bytes / want)) < fabs(log(best / want)))
            best = levels->level[i].bytes;
    return best;
}

/* The size whose miss rates, of LRU with ways known, come nearest to the curve's in squares relative to latency; the
 * latencies of hits and misses are free.  A list in steps of 2 %: all that differs is the form. */
static double fit_form(const double *bytes, const double *ns, size_t n, double want, int ways, int conditional)
{
    double best = -1, size = 0;
    int step;
    for (step = -35; step <= 35; step++) {
        const double c = want * pow(1.02, step + 0.5), p = ways * (double)PAGE / c;
        double w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, sse;
        size_t i;
        for (i = 0; i < n; i++) {
            const double pages = floor(bytes[i] / PAGE + 0.5), weight = 1 / (ns[i] * ns[i]);
            const double m = conditional ? servet_stats_binomial_tail(pages - 1, ways, p)
                                         : servet_stats_binomial_tail(pages, ways + 1, p);
            w += weight;
            x += weight * m;
            y += weight * ns[i];
            xx += weight * m * m;
            xy += weight * m * ns[i];
            yy += weight * ns[i] * ns[i];
        }
        xx -= x * x / w;
        xy -= x * y / w;
        sse = yy - y * y / w - (xx > 0 ? xy * xy / xx : 0);
        if (best < 0 || sse < best) {
            best = sse;
            size = c;
        }
    }
    return size;
}

/* Five draws of footprints behind a first level of 32 KiB, at 12 points per octave from a third of the cache to 2.2
 * times as much, at 4 below and beyond, to 8 times as much: what resists thrashing misses half at twice its size. */
static void sweep(const cache *c, int policy, int placement, uint64_t seed)
{
    static const sim_noise noise = { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 };
    const sim_level first = { 32768, 8, 64, 1.25, SIM_LRU, SIM_VIRTUAL, SIM_APART, 0, 0 };
    sim_spec spec = alone(c, policy, placement);
    servet_mcalibrator_opts o;
    const double size = c->kib * 1024;
    double bytes[SERVET_POINTS_MAX];
    int n;
    curve.count = 0;
    spec.level[1] = spec.level[0];
    spec.level[0] = first;
    if (sim_open(&the_sim, &spec, &noise, seed) < 0) return;
    the_sim.exact = 512;
    the_machine = sim_machine(&the_sim);
    memset(&o, 0, sizeof o);
    n = servet__mcalibrator_grid(bytes, SERVET_POINTS_MAX, 16384, size / 3.4, 4, PAGE);
    n += servet__mcalibrator_grid(bytes + n, (size_t)(SERVET_POINTS_MAX - n), size / 3, 2.2 * size, 12, PAGE);
    n += servet__mcalibrator_grid(bytes + n, (size_t)(SERVET_POINTS_MAX - n), 2.5 * size, 8 * size, 4, PAGE);
    o.bytes = bytes;
    o.byte_count = n;
    o.rounds_min = o.rounds_max = 5;
    o.run.budget_s = 1e6;
    o.run.seed = seed;
    if (servet_mcalibrator_sweep(&curve, &the_machine, &o) < 0) curve.count = 0;
    sim_close(&the_sim);
}

/* A point's median: unlike the quartile that the library summarises points by, it has no bias where placements differ,
 * so that what is left is the form's. */
static double point_ns(const servet_point *p)
{
    double x[SERVET_SAMPLES_MAX];
    memcpy(x, p->sample_ns, sizeof x);
    servet_stats_sort(x, (size_t)p->samples);
    return servet_stats_quantile(x, (size_t)p->samples, 0.5);
}

/* What each method makes of that curve.  Figure 4, the whole algorithm, gets the points of its own grid: sizes that
 * double up to 2 MiB and then grow by 1 MiB.  Figure 3 gets all points around the cache, as if the range were known. */
static void find_capacity(errors *method, double want, int ways)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX], next = 0, size = 0;
    servet_levels levels;
    size_t n = 0;
    int i;
    for (i = 0; i < curve.count; i++) {
        if (curve.point[i].bytes < next * 0.97) continue;
        bytes[n] = curve.point[i].bytes;
        ns[n++] = point_ns(&curve.point[i]);
        next = curve.point[i].bytes < 2097152 * 0.97 ? curve.point[i].bytes * 2 : curve.point[i].bytes + 1048576;
    }
    memset(&levels, 0, sizeof levels);
    servet_fit_servet(&levels, bytes, ns, n, PAGE, 0);
    add_error(&method[FIGURE_4], nearest(&levels, want), want);
    for (n = 0, i = 0; i < curve.count; i++) {
        if (curve.point[i].bytes < want / 4) continue;
        bytes[n] = curve.point[i].bytes;
        ns[n++] = point_ns(&curve.point[i]);
    }
    servet_fit_binomial(&size, bytes, ns, n, PAGE);
    add_error(&method[FIGURE_3], size, want);
    add_error(&method[FINE_OLD], fit_form(bytes, ns, n, want, ways, 0), want);
    add_error(&method[FINE_CONDITIONAL], fit_form(bytes, ns, n, want, ways, 1), want);
    memset(&levels, 0, sizeof levels);
    servet_fit_levels(&levels, &curve, NULL);
    add_error(&method[MODEL], nearest(&levels, want), want);
}

static void test_capacities(void)
{
    /* The first three are on the list of sizes that Servet's algorithm chooses from, which hides its bias; the others
     * are a slice of Skylake-SP's last level, and 9 of 16 ways of one of 2 MiB. */
    static const cache all[] = { { "", 512, 8 }, { "", 1024, 16 }, { "", 768, 12 }, { "", 1408, 11 }, { "", 1152, 9 } };
    /* Asked for is a median error below 3 %.  Where more is let pass, that is the shortfall, with room for the draw:
     *   scattered    the ramps of NRU and QLRU look much like that of a somewhat larger LRU cache
     *   contiguous   LRU rises from 0 to 1 between two points, which are 6 % apart */
    static const struct { int policy; double most[2]; } row[] = {
        { SIM_LRU, { 0.03, 0.07 } }, { SIM_PLRU, { 0.03, 0.07 } }, { SIM_NRU, { 0.12, 0.03 } },
        { SIM_QLRU, { 0.20, 0.03 } }, { SIM_RANDOM, { 0.04, 0.03 } }, { SIM_BRRIP, { 0.04, 0.03 } },
        { SIM_DRRIP, { 0.04, 0.03 } }
    };
    static errors method[METHODS];
    const char *wish = getenv("BIAS_DRAWS");
    const int draws = wish && atoi(wish) > 0 && atoi(wish) <= DRAWS_MAX ? atoi(wish) : tap_runs(20, 10);
    int k, i, placement, good = 0;
    TAP_DIAG("capacity, relative error: median [10 %%, 90 %%] over %d placements of 5 caches, 512K to 1408K", draws);
    TAP_DIAG("  %-17s  %-21s %-21s %-21s %-21s %-21s", "", "2010: all of it", "2010: range known", "P[B(n,p)>K], 2 %",
             "P[B(n-1,p)>=K], 2 %", "servet_fit_levels");
    for (placement = SIM_SCATTERED; placement <= SIM_CONTIGUOUS; placement++) {
        for (k = 0; k < (int)(sizeof row / sizeof *row); k++) {
            /* a tree over ways that are no power of two is another policy */
            const int caches = row[k].policy == SIM_PLRU ? 2 : 5;
            char text[METHODS * 32];
            size_t at = 0;
            summary s[METHODS];
            memset(method, 0, sizeof method);
            for (i = 0; i < draws; i++) {
                const cache *c = &all[i % caches];
                sweep(c, row[k].policy, placement, (uint64_t)(100000 * placement + 1000 * k + i));
                find_capacity(method, c->kib * 1024, c->ways);
            }
            for (i = 0; i < METHODS; i++) {
                s[i] = sum_up(&method[i]);
                at += (size_t)snprintf(text + at, sizeof text - at, " %+.2f [%+.2f, %+.2f] ", s[i].median, s[i].low,
                                       s[i].high);
            }
            TAP_DIAG("  %-10s %-6s %s", placement ? "contiguous" : "scattered", policy_name[row[k].policy], text);
            good += s[MODEL].size < 0.03;
            TAP_OK(s[MODEL].size < row[k].most[placement], "%s %s: median size of the error %.3f%s",
                   placement ? "contiguous" : "scattered", policy_name[row[k].policy], s[MODEL].size,
                   s[MODEL].size < 0.03 ? "" : ", short of 0.03");
            if (placement == SIM_SCATTERED && row[k].policy == SIM_LRU) {
                TAP_OK(s[FINE_OLD].median < -0.03, "LRU: Servet's form answers too low, %+.2f", s[FINE_OLD].median);
                TAP_OK(fabs(s[FINE_CONDITIONAL].median) < 0.021, "LRU: the conditional form is right, %+.2f",
                       s[FINE_CONDITIONAL].median);
            }
        }
    }
    TAP_DIAG("median error below 3 %% in %d of %d rows", good, 2 * (int)(sizeof row / sizeof *row));
}

int main(void)
{
    test_miss_rates();
    test_capacities();
    return tap_done();
}

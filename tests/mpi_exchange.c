/* servet_mpi.h without MPI: >>exchange, summaries of times; >>scaling, jumps between sizes, a pair by size. */
#define SERVET_MPI_IMPLEMENTATION
#define SERVET_MPI_OFFLINE
#include "../servet_mpi.h"
#include "tap.h"

static uint64_t random_state;
static double unit(void) { return servet_stats_random_unit(&random_state); }
static double normal(void) { return sqrt(-2 * log(1 - unit())) * cos(6.283185307179586 * unit()); }

/* ---- summaries ------------------------------------------------------------------------------------------------ */

static double one_sort(int sort)
{
    switch (sort) {
    case 0:  return 1000 * (1 + 0.1 * normal());
    case 1:  return 1000 * (1 + unit());
    case 2:  return 1000 * (1 - 0.3 * log(1 - unit()));
    default: return 1000 * exp(normal());
    }
}

static double two_sorts(int sort)
{
    switch (sort) {
    case 0:  return 1000 * (unit() < 0.3 ? 3.0 : 1) * (1 + 0.05 * normal());
    case 1:  return 1000 * (unit() < 0.3 ? 1.5 : 1) * (1 + 0.03 * normal());
    default: return unit() < 0.4 ? 2e6 * (0.5 + unit()) : 400 * (1 + 0.3 * unit());     /* a slice of a scheduler */
    }
}

static int bimodal_of(double (*draw)(int), int sort, int n, int runs)
{
    double ns[200];
    servet_message m;
    int i, k, found = 0;
    for (k = 0; k < runs; k++) {
        for (i = 0; i < n; i++) ns[i] = draw(sort);
        servet_mpi_summary(&m, ns, n);
        found += m.flags & SERVET_MESSAGE_BIMODAL;
    }
    return found;
}

static void test_summary(void)
{
    double ns[200] = {5, 3, 4, 1, 2};
    servet_message m, before;
    int sort, n, k, i, inside = 0;
    memset(&before, 7, sizeof before);
    m = before;
    TAP_OK(servet_mpi_summary(&m, ns, 0) == SERVET_EINVAL && servet_mpi_summary(&m, NULL, 3) == SERVET_EINVAL &&
           servet_mpi_summary(NULL, ns, 3) == SERVET_EINVAL && memcmp(&m, &before, sizeof m) == 0,
           "no times, no summary");
    TAP_OK(servet_mpi_summary(&m, ns, 5) == SERVET_OK && m.samples == 5 && m.flags == 0, "five times");
    TAP_OK(m.min_ns >= 1 && m.min_ns <= 1 && m.median_ns >= 3 && m.median_ns <= 3 && m.lo_ns <= 1 && m.hi_ns >= 5,
           "their least, their middle, and both ends for an interval");
    TAP_NEAR(m.p90_ns, 4.6, 1e-12, "P90");
    for (k = 0; k < 2000; k++) {
        for (i = 0; i < 41; i++) ns[i] = one_sort(2);
        servet_mpi_summary(&m, ns, 41);
        inside += m.lo_ns <= 1000 * (1 + 0.3 * log(2.0)) && m.hi_ns >= 1000 * (1 + 0.3 * log(2.0));
    }
    TAP_OK(inside >= 1900, "the true median is within the interval in %d of 2000", inside);
    for (n = 20; n <= 200; n *= 10) {
        int most = 0, least = 2000, found;
        for (sort = 0; sort < 4; sort++) if ((found = bimodal_of(one_sort, sort, n, 2000)) > most) most = found;
        for (sort = 0; sort < 3; sort++) if ((found = bimodal_of(two_sorts, sort, n, 2000)) < least) least = found;
        TAP_OK(most <= 20, "%d times of one sort taken for two in %d of 2000", n, most);
        TAP_OK(least >= 1960, "%d times of two sorts seen as such in %d of 2000", n, least);
    }
    TAP_OK(bimodal_of(two_sorts, 0, 19, 500) == 0, "nothing is said of fewer than 20");
}

/* ---- jumps ---------------------------------------------------------------------------------------------------- */

static servet_mpi__rung point_of(double bytes, double ns, double half_frac)
{
    servet_mpi__rung p;
    memset(&p, 0, sizeof p);
    p.point.bytes = bytes;
    p.point.trip.samples = 20;
    p.point.trip.min_ns = ns * (1 - 2 * half_frac);
    p.point.trip.p10_ns = ns * (1 - half_frac);
    p.point.trip.median_ns = ns;
    p.point.trip.lo_ns = ns * (1 - half_frac);
    p.point.trip.hi_ns = ns * (1 + half_frac);
    p.point.trip.p90_ns = p.point.trip.p99_ns = ns * (1 + 2 * half_frac);
    return p;
}

/* Points of a line with a step at a size and another slope from another, half_frac what the interval is wide. */
static int ladder_of(servet_mpi__rung *p, double step_at, double step, double bend_at, double bend, double half_frac)
{
    int n = 0;
    double s;
    for (s = 256; s <= 65536; s *= 2)
        p[n++] = point_of(s, (1000 + 0.1 * s + (s >= bend_at ? bend * (s - bend_at) : 0)) * (s >= step_at ? step : 1),
                          half_frac);
    return n;
}

static int jumps_of(const servet_mpi__rung *p, int n, int *where)
{
    int i, found = 0;
    for (i = 0; i + 1 < n; i++)
        if (servet_mpi__jumps(p, n, i)) { found++; *where = i; }
    return found;
}

static void shake(servet_mpi__rung *p, int n)
{
    int i;
    for (i = 0; i < n; i++)
        p[i] = point_of(p[i].point.bytes, p[i].point.trip.median_ns * (1 + 0.03 * normal()), 0.0588);
}

static void test_jump(void)
{
    servet_mpi__rung p[20];
    int n, where = -1, k, none = 0, few = 0;
    n = ladder_of(p, 3000, 2, 1e9, 0, 0.01);
    TAP_OK(jumps_of(p, n, &where) == 1 && where == 3, "a time that doubles between 2048 and 4096");
    n = ladder_of(p, 3000, 0.7, 1e9, 0, 0.01);
    TAP_OK(jumps_of(p, n, &where) == 1 && where == 3, "one that falls");
    n = ladder_of(p, 3000, 1.3, 1e9, 0, 0.2);
    TAP_OK(jumps_of(p, n, &where) == 0, "none within wide intervals");
    n = ladder_of(p, 1e9, 1, 3000, 0.9, 0.01);
    TAP_OK(jumps_of(p, n, &where) == 0, "another slope is no jump");
    n = ladder_of(p, 300, 3, 1e9, 0, 0.01);
    TAP_OK(!servet_mpi__jumps(p, n, 0) && !servet_mpi__jumps(p, n, n - 2),
           "of the first and the last gap only one side is known");
    n = ladder_of(p, 3000, 2, 1e9, 0, 0.01);
    p[4].point.trip.samples = 0;
    TAP_OK(!servet_mpi__jumps(p, n, 3), "nor beside a point that was not measured");
    for (k = 0; k < 2000; k++) {        /* intervals that hold what they promise: 95 of 100 */
        n = ladder_of(p, 1e9, 1, 3000, k % 2 ? 0.5 : 0, 0.0588);
        shake(p, n);
        none += jumps_of(p, n, &where) == 0;
        n = ladder_of(p, 3000, 1.8, 1e9, 0, 0.0588);
        shake(p, n);
        few += jumps_of(p, n, &where) == 1 && where == 3;
    }
    TAP_OK(none >= 1980, "no jump in %d of 2000 noisy ladders without", none);
    TAP_OK(few >= 1900, "one in %d of 2000 with a step by 1.8", few);
}

/* ---- a pair by size, on a modelled one ------------------------------------------------------------------------ */

typedef struct model {
    double step_at[3], step[3], noise, outliers, now_s, slow_after_s;
    int    steps, fail_after, rounds;
    uint64_t random;
} model;

static double model_seconds(void *c) { return ((model *)c)->now_s; }
static void model_describe(void *c, servet_network *n) { (void)c; n->ranks = 2; }

static int model_exchange(void *c, servet_mpi_round *r)
{
    model *m = (model *)c;
    const double s = (double)r->bytes;
    double ns[200], truth = r->kind == SERVET_MESSAGE_TRIP ? 1500 + 0.2 * s : (1500 + 0.3 * s * r->window) / r->window;
    double begin = m->now_s;
    int i, n = 0, most = r->most > 0 ? r->most : 200, least = r->least > 0 ? r->least : 5;
    if (++m->rounds == m->fail_after) return SERVET_ETIME;
    for (i = 0; i < m->steps; i++) if (s >= m->step_at[i]) truth += m->step[i];
    if (m->now_s > m->slow_after_s) truth *= 100;
    m->now_s += 20e-6;
    for (;;) {
        for (; n < least; n++) {
            double u = servet_stats_random_unit(&m->random), v = servet_stats_random_unit(&m->random);
            ns[n] = truth * (1 + m->noise * fabs(sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v)));
            if (servet_stats_random_unit(&m->random) < m->outliers) ns[n] *= 10;
            m->now_s += 2e-9 * ns[n] * (r->window > 1 ? r->window : 1);
        }
        servet_mpi_summary(r->each, ns, n);
        if ((r->each->hi_ns - r->each->lo_ns) / 2 < 0.05 * r->each->median_ns || n == most) break;
        if (m->now_s - begin > r->limit_s) { r->each->flags |= SERVET_MESSAGE_SHORT; break; }
        least = 2 * n < most ? 2 * n : most;
    }
    return SERVET_OK;
}

static int sizes_of(model *m, double budget_s, const servet_mpi_opts *o, servet_network_size *p, int cap,
                    servet_network_threshold *sw, int *switches)
{
    servet_mpi_network net;
    servet_mpi__task task;
    net.context = m;
    net.ranks = 2;
    net.seconds = model_seconds;
    net.describe = model_describe;
    net.exchange = model_exchange;
    if (servet_mpi__task_begin(&task, &net, o) < 0) return SERVET_EINVAL;
    return servet_mpi__pair_sizes(p, cap, sw, switches, &task, 0, 1, budget_s);
}

static int stop_after;
static int stops(void *ctx) { (void)ctx; return --stop_after < 0; }

static void test_sizes(void)
{
    static servet_network_size p[128];
    static servet_network_threshold sw[SERVET_NETWORK_THRESHOLDS];
    model m;
    servet_mpi_opts o;
    int seed, n, i, switches = 0, exact = 0, none = 0, all = 1, runs = 100;
    const double noise[] = {0, 0.02, 0.05, 0.1};
    size_t k;
    for (k = 0; k < 4; k++) {
        double worst_s = 0;
        exact = none = 0;
        for (seed = 0; seed < runs; seed++) {
            memset(&m, 0, sizeof m);
            m.random = (uint64_t)seed * 977 + 5;
            m.noise = noise[k];
            m.outliers = noise[k] / 5;
            m.slow_after_s = 1e9;
            n = sizes_of(&m, 3, NULL, p, 128, sw, &switches);
            none += switches == 0;
            all &= n == 23;
            m.steps = 2;
            m.step_at[0] = floor(300 + 3000 * unit());
            m.step[0] = 2000;
            m.step_at[1] = floor(20000 + 60000 * unit());
            m.step[1] = 8000;
            m.now_s = 0;
            n = sizes_of(&m, 3, NULL, p, 128, sw, &switches);
            if (m.now_s > worst_s) worst_s = m.now_s;
            exact += switches == 2 && fabs(sw[0].bytes - m.step_at[0]) < 0.5 &&
                     fabs(sw[1].bytes - m.step_at[1]) < 0.5 && sw[0].lo_bytes >= sw[0].bytes &&
                     sw[0].hi_bytes <= sw[0].bytes;
            for (i = 1; i < n; i++)
                all &= p[i].bytes > p[i - 1].bytes && p[i].stream.samples > 0 && p[i].both.samples > 0;
        }
        TAP_OK(exact >= 95, "noise %g: two changes to the byte in %d of %d", noise[k], exact, runs);
        TAP_OK(none >= 99, "noise %g: none where there is none in %d of %d", noise[k], none, runs);
        TAP_OK(worst_s < 3.3, "in %.2f s at most", worst_s);
    }
    TAP_OK(all, "all sizes in all three ways");
    memset(&m, 0, sizeof m);
    memset(&o, 0, sizeof o);
    m.slow_after_s = 1e9;
    o.most_bytes = 1000;
    n = sizes_of(&m, 1, &o, p, 128, sw, &switches);
    TAP_OK(n == 11 && p[10].bytes > 999 && p[10].bytes < 1001 && p[9].bytes < 513, "up to a size of any sort");
    TAP_OK(sizes_of(&m, 1, &o, p, 10, sw, &switches) == SERVET_ESPACE, "no room for them");
    m.steps = 1;
    m.step_at[0] = 100;
    m.step[0] = 5000;
    TAP_OK(sizes_of(&m, 1, &o, p, 11, sw, &switches) == 11 && switches == 1 && sw[0].bytes < 101,
           "no room for the sizes beside a change: it is found all the same");
    m.steps = 2;
    m.step_at[0] = 700;
    m.step_at[1] = 705;
    m.step[0] = m.step[1] = 2000;
    TAP_OK(sizes_of(&m, 1, &o, p, 128, sw, &switches) >= 11 && switches == 1 && sw[0].lo_bytes <= 700 &&
           sw[0].bytes >= 705 && sw[0].hi_bytes < 706 && sw[0].after_ns - sw[0].before_ns > 3900,
           "up in two steps a few bytes apart is one change");
    m.step_at[1] = 900;
    TAP_OK(sizes_of(&m, 1, &o, p, 128, sw, &switches) >= 11 && switches == 2, "far apart they are two");
    m.steps = 1;
    m.step_at[0] = 100;
    m.rounds = 0;
    m.fail_after = 1;
    n = 99;
    switches = -7;
    TAP_OK(sizes_of(&m, 1, &o, p, 128, sw, &switches) == SERVET_ETIME && switches == -7, "lost at once");
    m.rounds = 0;
    m.fail_after = 8;
    TAP_OK(sizes_of(&m, 1, &o, p, 128, sw, &switches) == 7, "lost later: what is known stays");
    m.fail_after = 0;
    stop_after = 6;
    o.run.stop = stops;
    n = sizes_of(&m, 1, &o, p, 128, sw, &switches);
    TAP_OK(n > 0 && n < 11, "stopped: %d sizes", n);
    o.run.stop = NULL;
    o.most_bytes = 1 << 30;
    m.now_s = 0;
    n = sizes_of(&m, 1, &o, p, 128, sw, &switches);
    TAP_OK(n >= 20 && n < 31 && m.now_s < 3, "sizes there is no time for are left out: %d in %.2f s", n, m.now_s);
}

int main(void)
{
    test_summary();
    test_jump();
    test_sizes();
    return tap_done();
}

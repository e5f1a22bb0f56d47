/* network_profile.c - questions to a network, and a network in a profile, by a program that knows no MPI */
#include "profiles.h"
#include "tap.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static servet_profile one, two, three;
static char dir[4096];

static int any_int(uint64_t *seed, int n) { return (int)servet_stats_random_below(seed, (size_t)n); }
static double any(uint64_t *seed) { return ldexp(servet_stats_random_unit(seed) - 0.5, any_int(seed, 90) - 20); }
static double unit(uint64_t *seed) { return servet_stats_random_unit(seed); }

/* Of a normal distribution, by twelve uniform ones. */
static double normal(uint64_t *seed)
{
    double sum = -6;
    int i;
    for (i = 0; i < 12; i++) sum += unit(seed);
    return sum;
}

/* A message of exactly that time, known to a share of it. */
static servet_message message(double ns, double within)
{
    servet_message m;
    memset(&m, 0, sizeof m);
    m.min_ns = 0.9 * ns;
    m.p10_ns = 0.95 * ns;
    m.median_ns = ns;
    m.p90_ns = 1.2 * ns;
    m.p99_ns = 1.5 * ns;
    m.lo_ns = ns / (1 + within);
    m.hi_ns = ns * (1 + within);
    m.samples = 40;
    return m;
}

static void add_size(servet_network *n, int layer, double bytes, double ns)
{
    servet_network_size *s = &n->size[n->size_count++];
    memset(s, 0, sizeof *s);
    s->layer = layer;
    s->bytes = bytes;
    s->trip = message(ns, 0.02);
}

static void add_load(servet_network *n, int layer, int at_once, double bytes, double ns)
{
    servet_network_load *l = &n->load[n->load_count++];
    memset(l, 0, sizeof *l);
    l->layer = layer;
    l->at_once = at_once;
    l->bytes = bytes;
    l->last = message(ns, 0.02);
    l->mean = message(0.9 * ns, 0.02);
}

/* Layer 0: 1000 ns and 0.1 ns a byte up to 8191 bytes, then 5000 and 0.05; powers of two from 1 to 1 MiB, and as where
 * a switch was followed to the byte the size before it. */
static double truth(double bytes) { return bytes < 8192 ? 1000 + 0.1 * bytes : 5000 + 0.05 * bytes; }

static void two_protocols(servet_network *n)
{
    double bytes;
    memset(n, 0, sizeof *n);
    n->ranks = 4;
    n->layer_count = 1;
    n->threshold_count = 1;
    n->threshold[0].bytes = n->threshold[0].lo_bytes = n->threshold[0].hi_bytes = 8192;
    n->threshold[0].before_ns = truth(8191);
    n->threshold[0].after_ns = truth(8192);
    for (bytes = 1; bytes <= 1048576; bytes *= 2) {
        if (bytes == 8192) add_size(n, 0, 8191, truth(8191));
        add_size(n, 0, bytes, truth(bytes));
    }
}

static void questions_of_time(void)
{
    servet_network *n = one.network;
    servet_message m, mark;
    double b, worst = 0, lo, hi;
    int i, right = 1;
    two_protocols(n);
    for (b = 1; b <= 1048576; b += b < 20000 ? 1 : 977) {
        if (servet_network_time(&m, n, 0, b, 1) != SERVET_OK) right = 0;
        worst = fmax(worst, fabs(m.median_ns / truth(b) - 1));
        if (!(m.lo_ns <= truth(b) && m.hi_ns >= truth(b) && m.hi_ns < 1.03 * m.median_ns)) right = 0;
    }
    TAP_OK(right && worst < 1e-12, "start-up and rate come out at every size, on either side of a switch");
    TAP_OK(servet_network_time(&m, n, 0, 0, 1) == 0 && m.median_ns == truth(1), "nothing takes as long as a byte");
    TAP_OK(servet_network_time(&m, n, 0, 4194304, 1) == 0, "beyond the largest size");
    TAP_NEAR(m.median_ns, 4 * truth(1048576), 1e-12, "at its rate");
    TAP_OK(m.p10_ns < m.median_ns && m.p90_ns > m.median_ns && m.samples == 40, "with its spread");

    n->size[13].trip.samples = 0;
    servet_network_time(&m, n, 0, 8000, 1);
    lo = truth(4096), hi = lo * 8000 / 4096;
    TAP_OK(m.lo_ns <= truth(8000) && m.hi_ns >= truth(8000) && m.lo_ns >= lo / 1.03 && m.hi_ns <= hi * 1.03
           && m.median_ns > lo && m.median_ns < hi,
           "a size before a switch, of which the last size was not measured, is an interval");
    servet_network_time(&m, n, 0, 8192, 1);
    TAP_NEAR(m.median_ns, truth(8192), 1e-12, "that of the switch itself is not");
    n->threshold[0].bytes = 9000;
    n->threshold[0].lo_bytes = 8193;
    n->threshold[0].hi_bytes = 16384;
    n->size[14].trip = message(1000 + 0.1 * 8192, 0.02);    /* measured: still of the first protocol */
    right = servet_network_time(&m, n, 0, 8192, 1) == 0 && m.hi_ns < 1.03 * (1000 + 0.1 * 8192);
    for (b = 8193; b < 16384; b += 61) {
        if (servet_network_time(&m, n, 0, b, 1) != SERVET_OK) right = 0;
        if (!(m.lo_ns <= 1000 + 0.1 * b && m.hi_ns >= 5000 + 0.05 * b)) right = 0;
    }
    servet_network_time(&m, n, 0, 16384, 1);
    TAP_OK(right && m.lo_ns > 0.97 * truth(16384), "where a switch is not known to the byte, both protocols are in the "
           "interval, and only there");

    two_protocols(n);
    mark = m = message(77, 0.5);
    TAP_OK(servet_network_time(&m, n, 1, 100, 1) == SERVET_EUNRESOLVED, "a layer that was not measured");
    TAP_OK(servet_network_time(&m, n, 0, 100, 2) == SERVET_EUNRESOLVED, "several, without scaling");
    TAP_OK(servet_network_time(&m, n, 2, 100, 1) == SERVET_EINVAL
           && servet_network_time(&m, n, -1, 1, 1) == SERVET_EINVAL
           && servet_network_time(&m, n, 0, -1, 1) == SERVET_EINVAL
           && servet_network_time(&m, n, 0, 1, 0) == SERVET_EINVAL
           && servet_network_time(&m, n, 0, (double)NAN, 1) == SERVET_EINVAL
           && servet_network_time(&m, n, 0, (double)INFINITY, 1) == SERVET_EINVAL
           && servet_network_time(NULL, n, 0, 1, 1) == SERVET_EINVAL
           && servet_network_time(&m, NULL, 0, 1, 1) == SERVET_EINVAL, "what is out of range");
    TAP_OK(!memcmp(&m, &mark, sizeof m), "and nothing written");
    for (i = 0; i < n->size_count; i++) n->size[i].trip.samples = 0;
    TAP_OK(servet_network_time(&m, n, 0, 100, 1) == SERVET_EUNRESOLVED, "sizes that could not be measured");
}

static void questions_of_load(void)
{
    servet_network *n = one.network;
    servet_message m;
    double apart = -1, whole = -1;
    int k;
    two_protocols(n);
    for (k = 1; k <= 4; k *= 2) add_load(n, 0, k, 1024, (0.5 + 0.5 * k) * 900);    /* 1, 1.5, 2.5 times as long */
    for (k = 1; k <= 4; k *= 2) add_load(n, 0, k, 1048576, k * 60000.0);           /* 1, 2, 4 times */
    servet_network_time(&m, n, 0, 1024, 2);
    TAP_NEAR(m.median_ns, 1.5 * truth(1024), 1e-12, "two at once, at a size of scaling");
    servet_network_time(&m, n, 0, 16, 4);
    TAP_NEAR(m.median_ns, 2.5 * truth(16), 1e-12, "four, below all sizes of scaling: as at the nearest");
    servet_network_time(&m, n, 0, 32768, 4);
    TAP_NEAR(m.median_ns, 3.25 * truth(32768), 1e-12, "half-way between two sizes of scaling");
    servet_network_time(&m, n, 0, 1048576, 3);
    TAP_NEAR(m.median_ns, 3 * truth(1048576), 1e-12, "three, between two and four");
    TAP_OK(m.hi_ns > 1.02 * m.median_ns && m.hi_ns < 1.04 * m.median_ns, "intervals of three numbers add in squares");
    TAP_OK(servet_network_time(&m, n, 0, 1024, 5) == SERVET_EUNRESOLVED, "more at once than ever were");
    n->load[0].kind = SERVET_LOAD_TO_ONE;
    TAP_OK(servet_network_time(&m, n, 0, 1024, 4) == 0, "what shares an end tells nothing of it");
    TAP_NEAR(m.median_ns, 4 * truth(1024), 1e-12, "and another size is taken");
    n->load[0].kind = SERVET_LOAD_APART;

    TAP_OK(servet_network_gather(&apart, &whole, n, 0, 100, 4) == 1,
           "small messages at once cost more than one of all");
    TAP_NEAR(apart, 2.5 * truth(100), 1e-12, "time of those apart");
    TAP_NEAR(whole, truth(400), 1e-12, "time of the one");
    n->load[2].last.samples = 1;
    TAP_OK(servet_network_gather(NULL, NULL, n, 0, 100, 4) == SERVET_EUNRESOLVED, "but not by a single sample");
    n->load_count = 0;
    for (k = 1; k <= 4; k *= 2) add_load(n, 0, k, 1024, 1000);    /* none slows another */
    TAP_OK(servet_network_gather(NULL, NULL, n, 0, 1048576, 4) == 0,
           "where none slows another, large ones are not gathered");
    TAP_OK(servet_network_gather(NULL, NULL, n, 0, 10, 4) == SERVET_EUNRESOLVED, "too little between them");
    TAP_OK(servet_network_gather(NULL, NULL, n, 0, 10, 8) == SERVET_EUNRESOLVED, "not measured");
    TAP_OK(servet_network_gather(NULL, NULL, n, 0, 10, 1) == SERVET_EINVAL, "one is not many");
}

/* How often do the intervals hold what is true, where each number was measured with the noise that it says? */
static void intervals(void)
{
    enum { TIMES = 2000 };
    servet_network *n = one.network;
    uint64_t seed = 5;
    int t, k, held = 0, held_alone = 0;
    for (t = 0; t < TIMES; t++) {
        const double start = 500 + 4000 * unit(&seed), rate = 0.02 + 0.2 * unit(&seed), share = unit(&seed);
        const int at_once = 2 + any_int(&seed, 7);
        double b;
        servet_message m;
        memset(n, 0, sizeof *n);
        n->ranks = 64;
        for (b = 1; b <= 65536; b *= 4) add_size(n, 0, b, (start + rate * b) * exp(0.02 / 1.96 * normal(&seed)));
        for (k = 1; k <= 8; k *= 2)
            add_load(n, 0, k, 4096, (start + rate * 4096) * (1 + share * (k - 1)) * exp(0.02 / 1.96 * normal(&seed)));
        b = 1 + 60000 * unit(&seed);
        servet_network_time(&m, n, 0, b, 1);
        held_alone += m.lo_ns <= start + rate * b && m.hi_ns >= start + rate * b;
        servet_network_time(&m, n, 0, b, at_once);
        b = (start + rate * b) * (1 + share * (at_once - 1));
        held += m.lo_ns <= b && m.hi_ns >= b;
    }
    TAP_OK(held_alone >= 0.95 * TIMES, "of one message the interval holds the truth in %d of %d", held_alone, TIMES);
    TAP_OK(held >= 0.95 * TIMES, "of several in %d of %d", held, TIMES);
}

static void add_ratio(servet_network_ratio *r, int which, double ratio, double within)
{
    memset(r, 0, sizeof *r);
    r->which = which;
    r->senders = 8;
    r->samples = 9;
    r->bytes_per_s = 1e9 / ratio;
    r->lo_bytes_per_s = r->bytes_per_s / (1 + within);
    r->hi_bytes_per_s = r->bytes_per_s * (1 + within);
    r->ratio = ratio;
    r->lo_ratio = ratio / (1 + within);
    r->hi_ratio = ratio * (1 + within);
}

/* A ring of so many nodes, a rank each: as many messages on each link as the distance. */
static void ring(servet_network *n, int nodes, double within)
{
    int d;
    memset(n, 0, sizeof *n);
    n->ranks = n->hosts = n->dist_nodes = nodes;
    for (d = 0; d < nodes; d++) n->host[d] = (int16_t)d;
    for (d = 1; d <= nodes / 2; d++) add_ratio(&n->dist[n->dist_count++], d, d, d > 1 ? within : 0);
}

static double distance_ratio(const servet_network *n, int distance)
{
    return servet_network_degradation(n, SERVET_DEGRADATION_DISTANCE, distance, NULL, NULL);
}

static double access_ratio(const servet_network *n, int processes)
{
    return servet_network_degradation(n, SERVET_DEGRADATION_ACCESS, processes, NULL, NULL);
}

static void questions_of_ratios(void)
{
    servet_network *n = one.network;
    double lo = 0, hi = 0;
    memset(n, 0, sizeof *n);
    TAP_OK(distance_ratio(n, 1) == SERVET_EUNRESOLVED
           && access_ratio(n, 1) == SERVET_EUNRESOLVED, "ratios that were not measured");
    ring(n, 16, 0.1);
    n->dist[4] = n->dist[7];    /* 1 2 3 4 . . . 8 */
    n->dist_count = 5;
    TAP_OK(servet_network_degradation(n, SERVET_DEGRADATION_DISTANCE, 3, &lo, &hi) == 3 && lo < 3 && hi > 3,
           "ratDist of a measured distance");
    TAP_NEAR(servet_network_degradation(n, SERVET_DEGRADATION_DISTANCE, 6, &lo, &hi), 6, 1e-12, "of one between two");
    TAP_OK(fabs(lo - 6 / 1.1) < 1e-9 && fabs(hi - 6 * 1.1) < 1e-9, "with its interval");
    TAP_OK(distance_ratio(n, 0) == SERVET_EINVAL
           && distance_ratio(n, 9) == SERVET_EINVAL
           && distance_ratio(NULL, 1) == SERVET_EINVAL, "of none");
    add_ratio(&n->access[0], 4, 2.5, 0.1);
    n->access_count = 1;
    TAP_NEAR(access_ratio(n, 2), 1.5, 1e-12, "ratNC between the reference and the first");
    TAP_OK(access_ratio(n, 4) == 2.5
           && access_ratio(n, 5) == SERVET_EINVAL, "of the last and beyond");
}

/* ---- process grids ---------------------------------------------------------------------------- */

enum { GRID_MOST = 64 };

/* The way a message takes around the ring, node by node. */
static int step(const servet_network *n, int a, int b)
{
    const int up = (b - a + n->dist_nodes) % n->dist_nodes;
    return 2 * up > n->dist_nodes ? -1 : 1;
}

/* One message among the others of its stage, which are count pairs of nodes. */
static double slow_message(const servet_network *n, int at[][2], int count, int which, double (*alone)(int, int),
                           const double *place)
{
    const int a = at[which][0], b = at[which][1], way = step(n, a, b);
    int i, node, d = 0, many = 0, out = 0, in = 0;
    double is, quiet = alone ? alone(a, b) : 1, shared;
    if (a == b) return quiet;
    for (node = a; node != b; node = (node + way + n->dist_nodes) % n->dist_nodes, d++) {
        for (i = 0; i < count; i++)
            if (at[i][0] == node && at[i][1] != node && step(n, node, at[i][1]) == way) break;
        many += i < count;
    }
    for (i = 0; i < count; i++) {
        out += at[i][0] == a && at[i][1] != a;
        in += at[i][1] == b && at[i][0] != b;
    }
    is = n->dist[d - 1].ratio * (place ? quiet / place[d] : 1);
    if (quiet > is) quiet = is;
    if (in > out) out = in;
    shared = out > 1 && n->access_count ? servet_network_degradation(n, SERVET_DEGRADATION_ACCESS, out, NULL, NULL) : 1;
    return (quiet + (is - quiet) * many / d) * shared;
}

/* Cost of one order, root by root and stage by stage. */
static double slow_cost(const servet_network *n, const int *node, const int *size, const double *weight,
                        const int *order, int dims, double (*alone)(int, int), const double *place)
{
    double cost = 0;
    int i, k, line, root, reach, stride = 1, total = 1;
    for (i = 0; i < dims; i++) total *= size[i];
    for (i = 0; i < dims; i++) {
        const int count = size[order[i]];
        double sum = 0;
        for (root = 0; root < count; root++)
            for (reach = 64; reach > 0; reach /= 2) {
                int at[GRID_MOST][2], messages = 0;
                double most = 0;
                for (line = 0; line < total; line++) {
                    if (line / stride % count) continue;    /* the first of each */
                    for (k = 0; k + reach < count; k += 2 * reach, messages++) {
                        at[messages][0] = node[line + (k + root) % count * stride];
                        at[messages][1] = node[line + (k + reach + root) % count * stride];
                    }
                }
                for (k = 0; k < messages; k++) {
                    const double is = slow_message(n, at, messages, k, alone, place);
                    if (is > most) most = is;
                }
                sum += most;
            }
        cost += weight[order[i]] * sum / count * count / total;
        stride *= count;
    }
    return cost;
}

static int next_order(int *p, int n)
{
    int i, k, t;
    for (i = n - 2; i >= 0 && p[i] > p[i + 1]; i--) { }
    if (i < 0) return 0;
    for (k = n - 1; p[k] < p[i]; k--) { }
    t = p[i], p[i] = p[k], p[k] = t;
    for (i++, k = n - 1; i < k; i++, k--) t = p[i], p[i] = p[k], p[k] = t;
    return 1;
}

/* All orders against their cost message by message, each processes on a node, or as they are said to be. */
static int as_message_by_message(const servet_network *n, const int *size, const double *weight, int dims, int each)
{
    double others[720], cost = -1, least = 1e300;
    int node[GRID_MOST], order[6], p[6], i, k = 0, right = 1;
    if (servet_network_grid(order, &cost, others, n, size, weight, dims) < 0) return 0;
    for (i = 0; i < dims; i++) p[i] = i;
    for (i = 0; i < GRID_MOST; i++) node[i] = each ? i / each : n->host[i];
    do {
        const double want = slow_cost(n, node, size, weight, p, dims, NULL, NULL);
        if (fabs(others[k] - want) > 1e-9 * want) right = 0;
        if (want < least) least = want;
        k++;
    } while (next_order(p, dims));
    return right && fabs(cost - least) <= 1e-9 * least
           && fabs(slow_cost(n, node, size, weight, order, dims, NULL, NULL) - least) <= 1e-9 * least;
}

/* A network of two nodes, ranks dealt in order: as many messages cross as trees have edges that do. */
static void grid_of_two(void)
{
    static const int size[] = { 16, 2 };    /* a row of sixteen is a node */
    static const double weight[] = { 32, 136 };
    servet_network *n = one.network;
    double others[2];
    int order[2], i;
    ring(n, 2, 0.02);
    n->ranks = 32;
    n->layer_count = 1;
    n->layer[0].in_hosts = 1;
    n->layer[0].bytes_per_s = 1e10;
    n->layer[1].bytes_per_s = n->dist[0].bytes_per_s = 1e9;
    for (i = 0; i < 32; i++) n->group[0][i] = n->host[i] = (int16_t)(i / 16);
    add_ratio(&n->access[n->access_count++], 16, 16, 0.02);
    TAP_OK(servet_network_grid(order, NULL, others, n, size, weight, 2) == 1 && order[0] == 1,
           "columns within nodes, although their broadcasts are four times as many: those of rows cross once");
    TAP_NEAR(others[0], 32 / 2.0 * 4 * 0.1 + 136 / 16.0 * 16, 1e-9, "row order: all of the columns' cross, at once");
    TAP_OK(others[1] < 0.75 * others[0], "of column order those of the rows, two at once");
    n->access_count = n->layer_count = 0;
}

/* Of the mean of those at distance 1. */
static double in_racks(int a, int b) { return (a / 4 == b / 4 ? 1 : 4.5) / 1.875; }

/* Two racks of four nodes, 4.5 times as slow between them: ratDist is a mean over places at each distance, and what a
 * line of the grid pays is that of its own places.  Crowding by distance comes on top. */
static void grid_of_racks(void)
{
    static const int size[] = { 4, 2 };    /* a row of four is a rack */
    static const double weight[] = { 8, 10 }, crowding[] = { 1, 1.4, 1.9, 2.2 };
    servet_network *n = one.network;
    double mean[5] = { 0, 0, 0, 0, 0 }, others[2];
    int order[2], node[8], i, k, d;
    ring(n, 8, 0.02);
    n->layer_count = 1;
    n->layer[0].groups = 2;
    n->layer[0].bytes_per_s = 9e8;
    n->layer[1].bytes_per_s = 2e8;
    for (i = 0; i < 8; i++) n->group[0][i] = (int16_t)(i / 4);
    for (d = 1; d <= 4; d++) for (i = 0; i < 8; i++) mean[d] += in_racks(i, (i + d) % 8) / 8;
    for (d = 1; d <= 4; d++) add_ratio(&n->dist[d - 1], d, mean[d] * crowding[d - 1], 0.02);
    n->dist[0].bytes_per_s = 9e8 / 1.875;
    TAP_OK(servet_network_grid(order, NULL, others, n, size, weight, 2) == 1 && order[0] == 0,
           "rows that stay in their racks are neighbours");
    for (i = 0; i < 8; i++) node[i] = i;
    for (k = 0; k < 2; k++) {
        const int is[] = { k, 1 - k };
        TAP_NEAR(others[k], slow_cost(n, node, size, weight, is, 2, in_racks, mean), 1e-9,
                 "%s first: messages by their places", k ? "columns" : "rows");
    }
    n->dist[0].bytes_per_s = 0;
    servet_network_grid(order, NULL, others, n, size, weight, 2);
    for (k = 0; k < 2; k++) {
        const int is[] = { k, 1 - k };
        TAP_NEAR(others[k], slow_cost(n, node, size, weight, is, 2, NULL, NULL), 1e-9,
                 "%s first, without bandwidths: by ratDist alone", k ? "columns" : "rows");
    }
    n->layer_count = 0;
}

static void grids(void)
{
    static const int square[] = { 4, 4 }, box[] = { 2, 4, 3 }, six[] = { 2, 1, 3, 2, 2, 2 }, line[] = { 16 };
    static const double rows[] = { 4, 1 }, columns[] = { 1, 4 }, even[] = { 1, 1 }, three_w[] = { 1, 5, 2 },
                        six_w[] = { 1, 7, 3, 2, 9, 4 };
    servet_network *n = one.network;
    int order[6], nodes[16], i, sure = 0;
    double cost = 0, others[720];
    uint64_t seed = 3;
    /* Figure 5 of Servet 3.0: a grid of 4 by 4 in which the rows are broadcast along */
    ring(n, 16, 0.05);
    TAP_OK(servet_network_grid(order, &cost, others, n, square, rows, 2) == 1 && order[0] == 0 && order[1] == 1,
           "dominant traffic along the first dimension: its processes are neighbours");
    /* within a row of four half of the nodes on a way of two send, from its last to its first a third of three; of
     * those eight apart one of two, of those four apart all */
    TAP_NEAR(cost, (4 * (1.5 + (1 + 5 / 3.0) / 2) + 4.5 + 4) / 4, 1e-12, "what that costs");
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, columns, 2) == 1 && order[0] == 1 && order[1] == 0,
           "along the second: those of the second");
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, even, 2) == 0 && order[0] == 0,
           "alike: nothing to choose, and as it was");
    ring(n, 16, 2);
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, rows, 2) == 0 && order[0] == 0,
           "ratios that are hardly known decide nothing");
    ring(n, 16, 0.05);
    for (i = 0; i < n->dist_count; i++) add_ratio(&n->dist[i], i + 1, 1, 0.02);
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, rows, 2) == 0, "nor does a flat network");
    ring(n, 24, 0.05);
    n->hosts = 0;    /* in order on the ring */
    TAP_OK(as_message_by_message(n, box, three_w, 3, 1), "three dimensions, all orders as message by message");
    ring(n, 48, 0.05);
    TAP_OK(as_message_by_message(n, six, six_w, 6, 1), "six");
    for (i = 0; i < n->dist_count; i++) add_ratio(&n->dist[i], i + 1, 1 + 3 * unit(&seed), 0.01);
    TAP_OK(as_message_by_message(n, six, six_w, 6, 1), "any ratios");

    /* several ranks on a node, as their hosts say */
    ring(n, 6, 0.05);
    n->ranks = 24;
    for (i = 0; i < 24; i++) n->host[i] = (int16_t)(i / 4);
    TAP_OK(as_message_by_message(n, box, three_w, 3, 4), "four ranks on each of six nodes");
    add_ratio(&n->access[n->access_count++], 8, 8, 0.05);
    TAP_OK(as_message_by_message(n, box, three_w, 3, 4), "who share their way out");
    for (i = 0; i < 24; i++) n->host[i] = (int16_t)(i % 6);
    TAP_OK(as_message_by_message(n, box, three_w, 3, 0), "ranks dealt to the nodes in turn");
    n->access_count = 0;
    /* a grid of other processes than were measured fills the nodes in order */
    ring(n, 4, 0.05);
    TAP_OK(servet_network_grid(order, &cost, NULL, n, line, even, 1) == 0, "one dimension has one order");
    for (i = 0; i < 16; i++) nodes[i] = i / 4;
    TAP_NEAR(cost, slow_cost(n, nodes, line, even, order, 1, NULL, NULL), 1e-9, "with four processes on each node");
    n->dist_count = 1;
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, rows, 2) == SERVET_EUNRESOLVED, "a distance is missing");
    n->dist_count = 0;
    TAP_OK(servet_network_grid(order, NULL, NULL, n, square, rows, 2) == SERVET_EUNRESOLVED, "all are");
    ring(n, 16, 0.05);
    {
        static const int none[] = { 4, 0 }, many[] = { 2000000, 4 }, seven[] = { 1, 1, 1, 1, 1, 1, 1 };
        static const double bad[] = { 1, -1 }, nan2[] = { 1, (double)NAN }, seven_w[] = { 1, 1, 1, 1, 1, 1, 1 };
        for (i = 0; i < 6; i++) order[i] = 9;
        TAP_OK(servet_network_grid(order, NULL, NULL, n, none, rows, 2) == SERVET_EINVAL
               && servet_network_grid(order, NULL, NULL, n, many, rows, 2) == SERVET_EINVAL
               && servet_network_grid(order, NULL, NULL, n, seven, seven_w, 7) == SERVET_EINVAL
               && servet_network_grid(order, NULL, NULL, n, seven, seven_w, 0) == SERVET_EINVAL
               && servet_network_grid(order, NULL, NULL, n, square, bad, 2) == SERVET_EINVAL
               && servet_network_grid(order, NULL, NULL, n, square, nan2, 2) == SERVET_EINVAL
               && servet_network_grid(NULL, NULL, NULL, n, square, rows, 2) == SERVET_EINVAL
               && order[0] == 9, "what is no grid, and nothing written");
    }
    /* noise: a true answer, or none, but no false one */
    for (i = 0; i < 1000; i++) {
        double gain;
        int d, status;
        ring(n, 16, 0);
        for (d = 1; d < n->dist_count; d++) {
            const double is = 1 + 0.02 * d;    /* little to gain */
            add_ratio(&n->dist[d], d + 1, is * (1 + 0.02 / 1.96 * normal(&seed)), 0.02);
        }
        gain = unit(&seed) < 0.5 ? 0 : 3;
        {
            const double w[] = { 1 + gain, 1 };
            status = servet_network_grid(order, NULL, NULL, n, square, w, 2);
            if (status == 1 && (gain <= 0 || order[0] != 0)) sure++;
        }
    }
    TAP_OK(sure <= 25, "with 2 %% of noise and 2 %% a hop an order is said to be better where it is not in %d of 1000",
           sure);
}

/* ---- the profile ------------------------------------------------------------------------------ */

static void any_message(servet_message *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    if (any_int(seed, 4) == 0) return;
    m->min_ns = any(seed);
    m->p10_ns = any(seed);
    m->median_ns = any(seed);
    m->p90_ns = any(seed);
    m->p99_ns = any(seed);
    m->lo_ns = any(seed);
    m->hi_ns = any(seed);
    m->samples = 1 + any_int(seed, 1000);
    m->flags = any_int(seed, 8);
}

static void any_trip(servet_trip *t, uint64_t *seed)
{
    if (any_int(seed, 3) == 0) return;
    t->p10_ns = (float)any(seed);
    t->median_ns = (float)any(seed);
    t->lo_ns = (float)any(seed);
    t->hi_ns = (float)any(seed);
    t->p90_ns = (float)any(seed);
}

static void any_ratio(servet_network_ratio *r, int which, uint64_t *seed)
{
    r->which = which;
    r->senders = any_int(seed, 5000);
    r->samples = any_int(seed, 50);
    r->bytes_per_s = any(seed);
    r->lo_bytes_per_s = any(seed);
    r->hi_bytes_per_s = any(seed);
    r->ratio = any(seed);
    r->lo_ratio = any(seed);
    r->hi_ratio = any(seed);
}

/* A network as the sections of servet_mpi.h could leave it, and beyond: any numbers, but ranks and groups that are. */
static void any_network(servet_network *n, uint64_t *seed, int ranks, int pairs)
{
    char *at = n->names;
    int i, k;
    memset(n, 0, sizeof *n);
    n->ranks = ranks;
    n->hosts = any_int(seed, 4) ? 1 + any_int(seed, ranks) : 0;
    for (i = 0; i < n->hosts; i++) {
        for (k = any_int(seed, 12); k > 0; k--) *at++ = (char)(' ' + any_int(seed, 95));
        *at++ = 0;
    }
    for (i = 0; i < ranks && n->hosts; i++) n->host[i] = (int16_t)any_int(seed, n->hosts);
    for (i = 0; i < ranks && n->hosts; i++) n->cpu_plus_1[i] = (int16_t)any_int(seed, 300);
    for (i = 0; i < 20; i++) n->library[i] = (char)(' ' + any_int(seed, 95));
    n->crowded = any_int(seed, 3);
    n->step_ns = any(seed);
    n->seconds = any(seed);
    n->rounds = any_int(seed, 100000);
    n->stopped = any_int(seed, 2);
    n->noisy = any_int(seed, 2);
    n->small_bytes = any(seed);
    n->trip_bytes = any(seed);
    n->stream_bytes = any(seed);
    n->distance_like = any_int(seed, 2);
    n->layer_count = any_int(seed, SERVET_NETWORK_LAYERS + 1);
    for (i = 0; i <= n->layer_count; i++) {
        servet_network_layer *l = &n->layer[i];
        l->pairs = 1 + any_int(seed, 1000);
        l->a = l->b = -1;
        if (any_int(seed, 2) && ranks > 1) {
            l->a = any_int(seed, ranks - 1);
            l->b = l->a + 1;
        }
        l->in_hosts = any_int(seed, 3) - 1;
        l->small_ns = any(seed);
        l->small_lo_ns = any(seed);
        l->small_hi_ns = any(seed);
        l->trip_ns = any(seed);
        l->trip_lo_ns = any(seed);
        l->trip_hi_ns = any(seed);
        l->bytes_per_s = any(seed);
        l->lo_bytes_per_s = any(seed);
        l->hi_bytes_per_s = any(seed);
        l->crowded_frac = any(seed);
        l->confidence_frac = unit(seed);
        for (k = 0; k < ranks && i < n->layer_count; k++) {
            n->group[i][k] = (int16_t)(k ? any_int(seed, ranks + 1) - 1 : 0);
            if (n->group[i][k] >= l->groups) l->groups = n->group[i][k] + 1;
        }
    }
    n->size_count = any_int(seed, SERVET_NETWORK_SIZES + 1);
    for (i = 0; i < n->size_count; i++) {
        n->size[i].layer = any_int(seed, n->layer_count + 1);
        n->size[i].bytes = fabs(any(seed)) + 1;
        any_message(&n->size[i].trip, seed);
        any_message(&n->size[i].stream, seed);
        any_message(&n->size[i].both, seed);
    }
    n->threshold_count = any_int(seed, SERVET_NETWORK_THRESHOLDS + 1);
    for (i = 0; i < n->threshold_count; i++) {
        servet_network_threshold *w = &n->threshold[i];
        w->layer = any_int(seed, n->layer_count + 1);
        w->bytes = any(seed);
        w->lo_bytes = any(seed);
        w->hi_bytes = any(seed);
        w->before_ns = any(seed);
        w->after_ns = any(seed);
    }
    n->load_count = any_int(seed, SERVET_NETWORK_LOADS + 1);
    for (i = 0; i < n->load_count; i++) {
        n->load[i].layer = any_int(seed, n->layer_count + 1);
        n->load[i].kind = any_int(seed, 3);
        n->load[i].at_once = 1 + any_int(seed, 64);
        n->load[i].bytes = any(seed);
        any_message(&n->load[i].last, seed);
        any_message(&n->load[i].mean, seed);
    }
    n->dist_count = any_int(seed, ranks / 2 + 1);
    for (i = k = 0; i < n->dist_count; i++)
        any_ratio(&n->dist[i], k += 1 + (i + 2 < n->dist_count ? 0 : any_int(seed, 2)), seed);
    n->access_count = any_int(seed, ranks < SERVET_NETWORK_SHARES ? ranks + 1 : SERVET_NETWORK_SHARES + 1);
    for (i = 0; i < n->access_count; i++) any_ratio(&n->access[i], i + 1, seed);
    if (n->dist_count) {
        n->dist_nodes = any_int(seed, ranks + 1);
        n->dist_bytes = any(seed);
        n->shape = any_int(seed, 5);
        n->shape_period = any_int(seed, 9);
        n->shape_period_2 = any_int(seed, 9);
    }
    if (n->access_count) {
        n->access_bytes = any(seed);
        n->access_constant = any_int(seed, 2);
    }
    n->pair_count = ranks > 1 ? any_int(seed, pairs + 1) : 0;
    for (i = 0; i < n->pair_count; i++) {
        n->pair[i].a = (int16_t)any_int(seed, ranks - 1);
        n->pair[i].b = (int16_t)(n->pair[i].a + 1);
        n->pair[i].at_once = (int16_t)any_int(seed, 100);
        n->pair[i].flags = (int16_t)any_int(seed, 8);
        any_trip(&n->pair[i].small, seed);
        any_trip(&n->pair[i].trip, seed);
        any_trip(&n->pair[i].stream, seed);
    }
}

/* To be freed. */
static char *written(const servet_profile *p, size_t *length)
{
    char *text;
    *length = servet_profile_write(p, NULL, 0);
    text = (char *)malloc(*length + 1);
    if (text) servet_profile_write(p, text, *length + 1);
    return text;
}

static void round_trips(void)
{
    enum { TIMES = 60 };
    int t, same = 0, same_text = 0, least = 1;
    uint64_t seed = 11;
    for (t = 0; t < TIMES; t++) {
        const int ranks = t == 0 ? 1 : t == 1 ? SERVET_NETWORK_RANKS : 1 + any_int(&seed, t < 6 ? 1500 : 60);
        size_t n, m;
        char *text, *again;
        clear(&one);
        one.network = (servet_network *)zeros(sizeof *one.network);
        any_network(one.network, &seed, ranks, t < 6 ? SERVET_NETWORK_PAIRS : 50);
        if (t == 1) one.network->dist_count = SERVET_NETWORK_SHIFTS - 1;
        for (n = 0; t == 1 && n < SERVET_NETWORK_SHIFTS - 1; n++) any_ratio(&one.network->dist[n], (int)n + 1, &seed);
        text = written(&one, &n);
        if (servet_profile_parse(anew(&two), text, n, NULL) != SERVET_OK) least = 0;
        again = written(&two, &m);
        same_text += m == n && !memcmp(text, again, n);
        same += same_block(one.network, two.network, sizeof *one.network);
        free(text);
        free(again);
    }
    TAP_OK(least && same == TIMES, "%d of %d networks come back to the last bit", same, TIMES);
    TAP_OK(same_text == TIMES, "and are written the same again: %d", same_text);
}

/* 1024 ranks on 64 hosts, three layers, 24 sizes each, 4000 pairs. */
static void large(void)
{
    servet_network *n;
    uint64_t seed = 21;
    size_t length, without;
    double bytes, best = 1e9, best_without = 1e9, begun;
    char *at, *text;
    int i, k;
    zero(&one);
    n = one.network = (servet_network *)zeros(sizeof *n);
    at = n->names;
    n->ranks = 1024;
    n->hosts = 64;
    n->layer_count = 2;
    for (i = 0; i < 64; i++) at += snprintf(at, 32, "node%04d.cluster.example", i) + 1;
    for (i = 0; i < 1024; i++) {
        n->host[i] = n->group[0][i] = (int16_t)(i / 16);
        n->group[1][i] = (int16_t)(i / 128);
    }
    n->layer[0].groups = 64;
    n->layer[1].groups = 8;
    for (i = 0; i < 3; i++) n->layer[i].b = i == 0 ? 1 : 200 * i;
    for (i = 0; i < 3; i++)
        for (bytes = 1; bytes <= 8388608; bytes *= 2) {
            servet_network_size *s = &n->size[n->size_count++];
            s->layer = i;
            s->bytes = bytes;
            s->trip = s->stream = s->both = message(1000 + unit(&seed) * bytes, unit(&seed));
        }
    for (i = 0; i < 60; i++) add_load(n, i / 20, 1 + i % 20, 65536, 1e5 * (1 + unit(&seed)));
    for (i = 0; i < 512; i++) add_ratio(&n->dist[i], i + 1, 1 + unit(&seed), 0.1);
    n->dist_count = 512;
    n->dist_nodes = 64;
    for (i = 0; i < 16; i++) add_ratio(&n->access[i], i + 1, 1 + unit(&seed), 0.1);
    n->access_count = 16;
    n->pair_count = 4000;
    for (i = 0; i < 4000; i++) {
        servet_network_pair *q = &n->pair[i];
        servet_trip *const trip[] = { &q->small, &q->trip, &q->stream };
        q->a = (int16_t)any_int(&seed, 1023);
        q->b = (int16_t)(q->a + 1);
        q->at_once = (int16_t)any_int(&seed, 500);
        for (k = 0; k < 3; k++) {
            const double ns = (1 + unit(&seed)) * (k == 0 ? 1500 : k == 1 ? 9000 : 200000);
            trip[k]->p10_ns = (float)(0.9 * ns);
            trip[k]->median_ns = (float)ns;
            trip[k]->lo_ns = (float)(0.98 * ns);
            trip[k]->hi_ns = (float)(1.02 * ns);
            trip[k]->p90_ns = (float)(1.3 * ns);
        }
    }
    text = written(&one, &length);
    for (i = 0; i < 15; i++) {
        begun = servet__clock_ns();
        servet_profile_parse(anew(&two), text, length, NULL);
        best = fmin(best, servet__clock_ns() - begun);
        begun = servet__clock_ns();
        servet__profile_parse(anew(&three), text, length, NULL, 0, NULL);
        best_without = fmin(best_without, servet__clock_ns() - begun);
    }
    TAP_OK(same_block(one.network, two.network, sizeof *one.network), "1024 ranks and 4000 pairs come back");
    TAP_OK(length < 1000000, "in less than 1 MB: %.0f bytes", (double)length);
    memset(three.network->pair, 0, sizeof three.network->pair);
    without = (size_t)n->pair_count;
    n->pair_count = 0;
    memset(n->pair, 0, without * sizeof *n->pair);
    TAP_OK(same_block(one.network, three.network, sizeof *one.network), "without evidence all but the pairs does");
    TAP_DIAG("read in %.2f ms, without evidence in %.2f ms", best * 1e-6, best_without * 1e-6);
    free(text);
}

/* The text of a profile whose network is this. */
static int parse_network(const char *network, const char *evidence)
{
    static char text[70000];
    snprintf(text, sizeof text, "{\"servet\": 1, \"network\": {%s}, \"evidence\": {\"network\": {\"pairs\": {%s}}},"
             " \"memory\": {\"latency_ns\": 5}}", network, evidence);
    mess(&two);
    return servet_profile_parse(anew(&two), text, strlen(text), NULL);
}

static int is_in_range(const servet_network *n)
{
    int i, k;
    if (n->ranks < 0 || n->ranks > SERVET_NETWORK_RANKS || n->hosts < 0 || n->hosts > n->ranks) return 0;
    if (n->layer_count < 0 || n->layer_count > SERVET_NETWORK_LAYERS || n->size_count > SERVET_NETWORK_SIZES
        || n->threshold_count > SERVET_NETWORK_THRESHOLDS || n->load_count > SERVET_NETWORK_LOADS
        || n->dist_count > SERVET_NETWORK_SHIFTS || n->access_count > SERVET_NETWORK_SHARES
        || n->pair_count > SERVET_NETWORK_PAIRS || n->names[SERVET_NETWORK_NAMES - 1]) return 0;
    for (i = 0; i < n->ranks; i++) if (n->hosts && (n->host[i] < 0 || n->host[i] >= n->hosts)) return 0;
    for (k = 0; k < n->layer_count; k++)
        for (i = 0; i < n->ranks; i++) if (n->group[k][i] < -1 || n->group[k][i] >= n->layer[k].groups) return 0;
    for (i = 0; i < n->pair_count; i++)
        if (n->pair[i].a < 0 || n->pair[i].a >= n->ranks || n->pair[i].b < 0 || n->pair[i].b >= n->ranks) return 0;
    return 1;
}

static void hostile(void)
{
    static const struct { const char *network, *why; } bad[] = {
        { "\"ranks\": 5000", "more ranks than there is room for" },
        { "\"ranks\": -1", "less than none" },
        { "\"ranks\": 1e99", "a number of ranks that is none" },
        { "\"ranks\": \"4\"", "a text for their number" },
        { "\"ranks\": 4, \"hosts\": [\"a\"], \"host\": [0, 0, 0]", "a rank without a host" },
        { "\"ranks\": 4, \"hosts\": [\"a\"], \"host\": [0, 0, 0, 1]", "a host that is not named" },
        { "\"ranks\": 4, \"hosts\": [\"a\"], \"host\": [0, 0, -1, 0]", "one below 0" },
        { "\"ranks\": 4, \"hosts\": [\"a\"]", "hosts of no ranks" },
        { "\"ranks\": 2, \"sizes\": [{\"layer\": 1, \"bytes\": 1}]", "a size of a layer that is not there" },
        { "\"ranks\": 2, \"sizes\": [{\"layer\": 0, \"bytes\": -1}]", "of less than nothing" },
        { "\"ranks\": 2, \"switches\": [{\"layer\": 99}]", "a switch of such a layer" },
        { "\"ranks\": 2, \"scaling\": [{\"layer\": -3, \"at_once\": 1}]", "messages at once of such a layer" },
        { "\"ranks\": 2, \"scaling\": [{\"layer\": 0, \"at_once\": 0}]", "none at once" },
        { "\"ranks\": 4, \"dist_ratio\": {\"distance\": [2, 1], \"ratio\": [1, 1]}", "distances that descend" },
        { "\"ranks\": 4, \"dist_ratio\": {\"distance\": [1, 9], \"ratio\": [1, 1]}", "beyond all ranks" },
        { "\"ranks\": 4, \"dist_ratio\": {\"nodes\": 2147483647, \"distance\": [1], \"ratio\": [1]}",
          "of too many nodes" },
        { "\"ranks\": 4, \"access_ratio\": {\"processes\": [0], \"ratio\": [1]}", "no process of a node" },
        { "\"ranks\": 2, \"layers\": [{\"group\": [0, 0], \"typical\": [0, 7]}]", "a pair of no ranks" }
    };
    static char text[70000];
    size_t i, at;
    int k, right;
    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        TAP_OK(parse_network(bad[i].network, "") == SERVET_OK && !two.network && two.memory_ns == 5,
               "%s: no network, and the rest stands", bad[i].why);
    /* a layer that is none ends the layers, as a point that is none ends a curve */
    TAP_OK(parse_network("\"ranks\": 2, \"layers\": [{\"group\": [0]}]", "") == SERVET_OK
           && two.network->layer_count == 0, "a layer of too few ranks is none");
    TAP_OK(parse_network("\"ranks\": 2, \"layers\": [{\"group\": [0, 2]}], \"scaling\": [{\"layer\": 1, "
                         "\"at_once\": 1}]", "") == SERVET_OK && !two.network,
           "one with a group beyond all ranks is none, and what is about it contradicts that");
    TAP_OK(parse_network("\"ranks\": 4", "\"a\": [0, 4], \"b\": [1, 2]") == SERVET_OK && two.network->ranks == 4
           && two.network->pair_count == 0, "evidence of ranks that are none is none");
    TAP_OK(parse_network("\"ranks\": 4", "\"a\": [0, 1], \"b\": [1, 1]") == SERVET_OK && two.network->pair_count == 0,
           "nor of one with itself");
    TAP_OK(parse_network("\"ranks\": 4", "\"a\": [0, 1], \"b\": [1, 2], \"trip_median_ns\": [5]") == SERVET_OK
           && two.network->pair_count == 2 && two.network->pair[0].trip.median_ns > 4
           && two.network->pair[1].trip.median_ns <= 0,
           "a column that is short leaves the rest 0");
    right = parse_network("\"ranks\": 4", "") == SERVET_OK && two.network->ranks == 4 && two.network->layer_count == 0
            && two.network->layer[0].a == 0 && servet_network_layer_of(two.network, 0, 1) == SERVET_EUNRESOLVED;
    TAP_OK(right, "absent keys are what was not measured");

    /* more of everything than there is room for */
    at = (size_t)snprintf(text, sizeof text, "\"ranks\": 9, \"layers\": [");
    for (k = 0; k < 40; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"group\": [0,0,0,0,0,0,0,0,0,0,0,0]}", k ? "," : "");
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"switches\": [");
    for (k = 0; k < 60; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"layer\": 1}", k ? "," : "");
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"scaling\": [");
    for (k = 0; k < 600; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"at_once\": 1}", k ? "," : "");
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"sizes\": [");
    for (k = 0; k < 600; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"bytes\": 1}", k ? "," : "");
    snprintf(text + at, sizeof text - at, "]");
    right = parse_network(text, "") == SERVET_OK && is_in_range(two.network) && two.network->ranks == 9;
    TAP_OK(right && two.network->layer_count == SERVET_NETWORK_LAYERS && two.network->size_count == SERVET_NETWORK_SIZES
           && two.network->load_count == SERVET_NETWORK_LOADS
           && two.network->threshold_count == SERVET_NETWORK_THRESHOLDS,
           "more of everything than there is room for: as much as there is");
    at = (size_t)snprintf(text, sizeof text, "\"ranks\": 9, \"hosts\": [\"");
    memset(text + at, 'x', 66000);
    strcpy(text + at + 66000, "\", \"y\"], \"host\": [0,0,0,0,0,1,1,1,1]");
    TAP_OK(parse_network(text, "") == SERVET_OK && is_in_range(two.network) && two.network->hosts == 2
           && strlen(servet_network_name(two.network, 0)) == SERVET_NETWORK_NAMES - 2
           && !*servet_network_name(two.network, 1), "a name longer than all may be is cut");
}

/* ---- files ------------------------------------------------------------------------------------ */

static const char *in_dir(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

/* What a program without MPI does with it. */
static void files(void)
{
    servet_network *n;
    char error[SERVET_TEXT_MAX];
    char path[4200], own[4200];
    servet_profile_opts o;
    size_t length;
    char *text;
    int right, k;
    uint64_t seed = 9;

    strcpy(path, in_dir("net.json"));
    zero(&three);
    n = three.network = (servet_network *)zeros(sizeof *n);
    ring(n, 16, 0.05);
    n->dist[4] = n->dist[7];
    memset(&n->dist[5], 0, 3 * sizeof *n->dist);
    n->dist_count = 5;    /* 1 2 3 4 8 */
    for (k = 1; k <= 4; k++) add_ratio(&n->access[n->access_count++], k, k, 0.05);
    n->pair_count = 1;
    n->pair[0].b = 1;
    TAP_OK(servet_profile_save_network(n, path, error) == SERVET_OK && !error[0],
           "a network into a file that is not there");
    TAP_OK(servet_profile_load(anew(&two), path, error) == SERVET_OK && two.network, "which is loaded again");
    for (right = 1, k = 1; k <= 8; k++) if (fabs(distance_ratio(two.network, k) - k) > 1e-12) right = 0;
    for (k = 1; k <= 4; k++) if (fabs(access_ratio(two.network, k) - k) > 1e-12) right = 0;
    TAP_OK(right, "each ratDist and ratNC, also between two that were measured");
    TAP_OK(distance_ratio(two.network, 9) == SERVET_EINVAL && access_ratio(two.network, 0) == SERVET_EINVAL
           && access_ratio(two.network, 5) == SERVET_EINVAL && access_ratio(NULL, 1) == SERVET_EINVAL
           && servet_network_degradation(two.network, 2, 1, NULL, NULL) == SERVET_EINVAL, "and none beyond");

    /* into a profile with all sorts of things */
    with_evidence(&one);
    one.memory_ns = 99;
    one.cache_count = 1;
    one.cache[0].bytes = 32768;
    for (k = 0; k < SERVET_REPORT_SOURCES; k++) one.cache[0].system_bytes[k] = -1;
    strcpy(one.key, "of another machine");
    one.evidence->line_pairs.count = 1;
    one.evidence->line_pairs.point[0].ns = 3.25;
    one.network = (servet_network *)zeros(sizeof *one.network);
    any_network(one.network, &seed, 7, 10);
    servet_profile_save(&one, path);
    TAP_OK(servet_profile_save_network(n, path, NULL) == SERVET_OK
           && servet_profile_load(anew(&two), path, error) == SERVET_OK, "into one that is there");
    *one.network = *n;
    TAP_OK(same(&one, &two), "nothing else is lost");
    text = written(&one, &length);
    put(path, "{\"servet\": 2}");
    TAP_OK(servet_profile_save_network(n, path, error) == SERVET_ESCHEMA && error[0], "not into one of another schema");
    put(path, "my diary");
    TAP_OK(servet_profile_save_network(n, path, error) == SERVET_EPARSE && error[0], "nor into a diary");
    put(path, "{\"servet\": 1}");
    TAP_OK(servet_profile_load(anew(&two), path, NULL) == SERVET_OK && !two.network, "a profile without a network");
    TAP_OK(servet_profile_save_network(n, in_dir("no/such/place.json"), NULL) == SERVET_EIO
           && servet_profile_save_network(NULL, path, NULL) == SERVET_EINVAL
           && servet_profile_save_network(n, "", NULL) == SERVET_EINVAL, "nowhere to save it");
    free(text);

    /* this machine's own file: a network alone is no profile to open, and stays where the caches are measured */
    setenv("XDG_CACHE_HOME", dir, 1);
    unsetenv("SERVET_PROFILE");
    memset(&o, 0, sizeof o);
    o.run.budget_s = 0.05;
    o.trust = 1;
    right = servet_profile_save_network(n, NULL, NULL) == SERVET_OK;
    TAP_OK(right && servet_profile_open(anew(&one), NULL, &o) >= 0, "this machine's own profile");
    /* too busy here for both levels in so short a time: it says so, and keeps what the file has */
    TAP_OK(one.loaded == 0 && (one.saved == SERVET_OK || (one.saved == SERVET_EUNRESOLVED && one.cache_count < 2))
           && one.network->ranks == 16, "is measured, and keeps the network");
    if (one.saved != SERVET_OK && servet_profile_path(own, sizeof own, NULL) >= 0) {
        servet_profile_load(anew(&two), own, NULL);
        two.cache_count = 1;
        two.cache[0].bytes = 32768;
        servet_profile_save(&two, own);
    }
    TAP_OK(servet_profile_open(anew(&two), NULL, &o) >= 0 && two.loaded == 1 && two.network->ranks == 16
           && two.network->pair_count == 0 && two.network->dist_count == 5
           && distance_ratio(two.network, 6) > 5.99, "opened again, without evidence");
    o.fresh = 1;
    TAP_OK(servet_profile_open(anew(&two), NULL, &o) >= 0 && two.loaded == 0 && two.network->ranks == 16
           && two.network->pair_count == 1, "measured again, it is still there with its evidence");
}

static void layers_of(void)
{
    servet_network *n = one.network;
    memset(n, 0, sizeof *n);
    n->ranks = 4;
    TAP_OK(servet_network_layer_of(n, 0, 1) == SERVET_EUNRESOLVED, "nothing measured");
    n->layer[0].pairs = 6;
    TAP_OK(servet_network_layer_of(n, 0, 1) == 0, "no groups: all pairs are of the outermost");
    n->layer_count = 1;
    n->group[0][0] = n->group[0][1] = 0;
    n->group[0][2] = n->group[0][3] = -1;
    TAP_OK(servet_network_layer_of(n, 0, 1) == 0 && servet_network_layer_of(n, 2, 3) == 1
           && servet_network_layer_of(n, 1, 2) == 1, "in a group, and in none");
    TAP_OK(servet_network_layer_of(n, 1, 1) == SERVET_EINVAL && servet_network_layer_of(n, 0, 4) == SERVET_EINVAL
           && servet_network_layer_of(n, -1, 0) == SERVET_EINVAL
           && servet_network_layer_of(NULL, 0, 1) == SERVET_EINVAL, "ranks that are none");
    n->hosts = 2;
    memcpy(n->names, "a\0bc", 5);
    TAP_OK(!strcmp(servet_network_name(n, 0), "a") && !strcmp(servet_network_name(n, 1), "bc")
           && !*servet_network_name(n, 2) && !*servet_network_name(n, -1) && !*servet_network_name(NULL, 0), "names");
}

static void remove_below(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;
    char name[8400];
    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (unlink(name) != 0) {
            remove_below(name);
            rmdir(name);
        }
    }
    if (d) closedir(d);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/servet-netprofile-%ld", tmp ? tmp : "/tmp", (long)getpid());
    if (mkdir(dir, 0700) != 0) {
        printf("Bail out! cannot make %s\n", dir);
        return 1;
    }
    one.network = (servet_network *)zeros(sizeof *one.network);
    two.network = (servet_network *)zeros(sizeof *two.network);
    layers_of();
    questions_of_time();
    questions_of_load();
    intervals();
    questions_of_ratios();
    grids();
    grid_of_racks();
    grid_of_two();
    round_trips();
    large();
    hostile();
    files();
    remove_below(dir);
    rmdir(dir);
    return tap_done();
}

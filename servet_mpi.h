/* servet_mpi.h - v0.5.0 - what the ranks of an MPI program meet on their way to each other
 *
 * USE
 *   #define SERVET_IMPLEMENTATION        in exactly one .c or .cpp file: servet.h as well; or
 *   #define SERVET_MPI_IMPLEMENTATION    where another file has SERVET_IMPLEMENTATION
 *   #include "servet_mpi.h"              there and wherever it is used; compile with mpicc, link with -pthread -lm
 *
 * EXAMPLE
 *   static servet_network n;
 *   if (servet_mpi_measure(&n, MPI_COMM_WORLD, NULL) >= 0 && rank == 0)      // collective
 *       for (int i = 0; i <= n.layer_count; i++)
 *           printf("layer %d: %.2f us, %.1f MB/s\n", i, n.layer[i].small_ns / 1e3, n.layer[i].bytes_per_s / 1e6);
 *
 * servet_mpi.h DOES NOT
 *   call MPI_Init, MPI_Finalize or MPI_Abort, use MPI_COMM_WORLD or the communicator that is passed (it uses a
 *       duplicate), print, or exit;
 *   take time from anything but MPI_Wtime, so that simulators of MPI work;
 *   compare the clocks of two ranks;
 *   believe host names: distances are measured, and names are compared with them afterwards.
 *
 * CONVENTIONS   those of servet.h, and
 *   [collective]  every rank of the communicator calls it; results are rank 0's, the status is everyone's
 *   [conductor]   called by rank 0 alone while the others serve (servet_mpi_conduct), or on a modelled network
 *
 * CONTENTS      grep -n '>>' servet_mpi.h; a section calls only sections above it
 *   >>exchange      sound times of messages, by rounds of many pairs; one pair by size         both
 *   >>layers        which ranks are near each other                                            both
 *   >>scaling       a pair of each layer by size; many messages of a layer at once             both
 *   >>distance      bandwidth by distance while all send                                       both
 *   >>access        bandwidth by processes of a node that send                                 both
 *   >>profile       all of it, into one struct                                                 both
 *
 * CONFIGURATION
 *   SERVET_MPI_OFFLINE      every file alike: without mpi.h; conductors, models and inference only
 *   SERVET_STATIC, SERVET_API, SERVET_PURE_ONLY (which includes SERVET_MPI_OFFLINE): as in servet.h
 *
 * METHOD
 *
 * LICENSE   that of servet.h
 */

#if (defined(SERVET_IMPLEMENTATION) || defined(SERVET_MPI_IMPLEMENTATION)) && !defined(SERVET_PURE_ONLY) && \
    !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
#  define _DEFAULT_SOURCE 1
#endif
#if defined(SERVET_IMPLEMENTATION) && !defined(SERVET_MPI_IMPLEMENTATION)
#  define SERVET_MPI_IMPLEMENTATION
#endif
#if defined(SERVET_PURE_ONLY) && !defined(SERVET_MPI_OFFLINE)
#  define SERVET_MPI_OFFLINE
#endif

#include "servet.h"
#if !defined(SERVET_MPI_OFFLINE)
#  include <mpi.h>
#endif

#ifndef SERVET_MPI_H
#define SERVET_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* >>exchange ---------------------------------------------------------------------------------- */

typedef struct servet_mpi_transfer { int from, to; } servet_mpi_transfer;

/* A round: messages of one sort that are under way at once.  A rank may be in many transfers. */
typedef struct servet_mpi_round {
    int    kind;                /* SERVET_MESSAGE_TRIP, STREAM or BOTH                              */
    size_t bytes;               /* of a message                                                     */
    int    window;              /* messages in a row before the acknowledgement; 0 = 1; a TRIP has 1 */
    int    together;            /* 1 = all begin each repetition together, behind a barrier; 0 = each pair repeats at
                                   its own pace, without others if it is the only one; a rank in one transfer only */
    int    least, most;         /* samples of each transfer; 0 = 5 and 200                          */
    double within_frac;         /* enough when half the interval of the median is less; 0 = 0.05    */
    double limit_s;             /* time for the round; 0 = 10                                       */
    int    count;
    const servet_mpi_transfer *transfer;
    /* The answers.  A time is that of one message: half a round trip; or the time until the acknowledgement of the
     * last, over the window. */
    servet_message *each;       /* room for count, or NULL; samples 0 = none could be taken         */
    servet_message  last, mean; /* together: of each repetition, the last transfer to end; the mean of all */
    double seconds;             /* what the round took                                              */
} servet_mpi_round;

/* A network as conductors see it: MPI (servet_mpi_conduct), or a model (tests/network.h). */
typedef struct servet_mpi_network {
    void  *context;
    int    ranks;
    double (*seconds)(void *context);                               /* a clock                      */
    void   (*describe)(void *context, servet_network *n);           /* ranks, hosts, names, library, crowded, step_ns */
    int    (*exchange)(void *context, servet_mpi_round *round);     /* runs a round; a status: ETIME and ENETWORK with
                                                                       the answers there are        */
} servet_mpi_network;

enum {
    SERVET_MPI_LAYERS = 1,      /* pairs, and the layers they are in                                */
    SERVET_MPI_SIZES = 2,       /* latency, bandwidth and protocols by size, a pair of each layer   */
    SERVET_MPI_SCALING = 4,     /* messages of each layer at once                                   */
    SERVET_MPI_DISTANCE = 8,    /* ratDist                                                          */
    SERVET_MPI_ACCESS = 16      /* ratNC                                                            */
};

typedef struct servet_mpi_opts {
    int    parts;               /* SERVET_MPI_*, added up; 0 = all                                  */
    double budget_s;            /* time for all;                                    0 = 20          */
    double limit_s;             /* after which a message is lost;                   0 = 10          */
    size_t trip_bytes;          /* messages of pairs: the first cache's size (Servet, III-D); 0 = 32 KiB */
    size_t stream_bytes;        /* for the bandwidth of pairs;                      0 = 1 MiB       */
    size_t most_bytes;          /* the largest of SIZES;                            0 = 4 MiB       */
    size_t ratio_bytes;         /* of DISTANCE and ACCESS (Servet 3.0: 32 MB);      0 = 32 10^6     */
    int    all_distances;       /* 1 = each of 1 to N/2; 0 = each up to 16, then some in an octave  */
    int    serial;              /* 1 = pairs one after another; 0 = in rounds of disjoint pairs, those in doubt alone */
    int    figure_7;            /* 1 = layers as Figure 7 of Servet: the first that is similar      */
    double similar_frac;        /* what Figure 7 calls similar;                     0 = 0.1         */
    uint64_t seed;
    int  (*stop)(void *ctx);    /* asked at rank 0 between rounds                                   */
    void (*progress)(void *ctx, double done_frac, double left_s);
    void  *ctx;
} servet_mpi_opts;

/* servet_mpi_summary - the message whose times, in any order, these are                            [pure]
 * Sorts ns.  The interval of the median is that of order statistics, 95 %.  EINVAL for none. */
SERVET_API int servet_mpi_summary(servet_message *out, double *ns, int count);

/* servet_mpi_exchange_sizes - one pair by size                                               [conductor]
 *   out, cap       points by size, 1 byte to most_bytes; layer is 0
 *   sw, switches   room for SERVET_NETWORK_SWITCHES places where the protocol changes, and how many were found
 * Powers of two, then sizes between by bisection wherever the time jumps against what both sides say, to the byte.
 * Returns the number of points. */
SERVET_API int servet_mpi_exchange_sizes(servet_network_size *out, int cap, servet_network_switch *sw, int *switches,
                                         const servet_mpi_network *net, int from, int to, double budget_s,
                                         const servet_mpi_opts *opts);

#if !defined(SERVET_MPI_OFFLINE)
/* servet_mpi_conduct - rank 0 conducts, the others serve                                     [collective]
 *   what    called at rank 0, with a network whose rounds all ranks play; its status is everyone's
 * Duplicates comm, which must be no intercommunicator (EINVAL), and frees the duplicate.  Ranks that wait sleep.
 * A rank that does not come, or that is lost: ETIME after opts->limit_s on all others, and the duplicate is not freed.
 * ENOMEM, ENETWORK. */
SERVET_API int servet_mpi_conduct(MPI_Comm comm, const servet_mpi_opts *opts,
                                  int (*what)(void *ctx, const servet_mpi_network *net), void *ctx);
#endif

/* >>layers ------------------------------------------------------------------------------------ */

/* servet_mpi_layers - measure pairs of ranks and infer their layers                          [conductor]
 *   n   ranks and hosts, pairs, layers are replaced; the rest stays
 * Up to 64 ranks all pairs; above, representatives.  Returns the number of layers. */
SERVET_API int servet_mpi_layers(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* servet_mpi_layers_infer - the layers, from the pairs                                             [pure]
 *   work   servet_mpi_work_bytes(n) bytes, aligned for double
 * Returns their number; EUNRESOLVED without pairs. */
SERVET_API size_t servet_mpi_work_bytes(const servet_network *n);
SERVET_API int servet_mpi_layers_infer(servet_network *n, void *work, const servet_mpi_opts *opts);

/* >>scaling ----------------------------------------------------------------------------------- */

/* servet_mpi_sizes - latency, bandwidth and protocols of a pair of each layer, by size       [conductor] */
SERVET_API int servet_mpi_sizes(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* servet_mpi_scaling - messages of each layer at once                                        [conductor] */
SERVET_API int servet_mpi_scaling(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* >>distance ---------------------------------------------------------------------------------- */

/* servet_mpi_distance - ratDist (Servet 3.0, section 4.1)                                     [conductor] */
SERVET_API int servet_mpi_distance(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* servet_mpi_distance_infer - the shape, from ratDist                                              [pure] */
SERVET_API int servet_mpi_distance_infer(servet_network *n);

/* >>access ------------------------------------------------------------------------------------ */

/* servet_mpi_access - ratNC (Servet 3.0, section 4.2)                                         [conductor] */
SERVET_API int servet_mpi_access(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* >>profile ----------------------------------------------------------------------------------- */

/* servet_mpi_conductor - all parts on any network                                            [conductor]
 * What follows from layers is left out where there are none.  Returns the number of layers. */
SERVET_API int servet_mpi_conductor(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

#if !defined(SERVET_MPI_OFFLINE)
/* servet_mpi_measure - all parts of the network of a communicator                            [collective]
 *   out   NULL where it is not wanted; filled at every rank that passes one
 * Returns the number of layers. */
SERVET_API int servet_mpi_measure(servet_network *out, MPI_Comm comm, const servet_mpi_opts *opts);
#endif

#ifdef __cplusplus
}
#endif
#endif /* SERVET_MPI_H */

/* Stop here if you are only interested in the interface. */

#if defined(SERVET_MPI_IMPLEMENTATION) && !defined(SERVET_MPI_IMPLEMENTATION_DONE)
#define SERVET_MPI_IMPLEMENTATION_DONE

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if !defined(SERVET_MPI_OFFLINE)
#  include <time.h>
#endif

#if defined(SERVET_STATIC)
#  define SERVET_MPI__DEF static SERVET__UNUSED
#else
#  define SERVET_MPI__DEF
#endif
#define SERVET_MPI__PRIVATE static SERVET__UNUSED

#ifdef __cplusplus
extern "C" {
#endif

/* >>exchange (implementation) ----------------------------------------------------------------- */

/* Ranks (l, u) of order statistics, 1 to n, with P[l <= B(n, 1/2) < u] >= 0.95; the ends where so few cannot. */
SERVET_MPI__PRIVATE void servet_mpi__median_ranks(int n, int *l, int *u)
{
    int k = 0;
    while (2 * (k + 1) <= n && 2 * servet_stats_binomial_tail(n, n - k, 0.5) <= 0.05) k++;
    *l = k > 0 ? k : 1;
    *u = n + 1 - *l;
}

SERVET_MPI__DEF int servet_mpi_summary(servet_message *out, double *ns, int count)
{
    servet_message m;
    int l, u;
    if (!out || !ns || count < 1) return SERVET_EINVAL;
    servet_stats_sort(ns, (size_t)count);
    servet_mpi__median_ranks(count, &l, &u);
    memset(&m, 0, sizeof m);
    m.min_ns = ns[0];
    m.p10_ns = servet_stats_quantile(ns, (size_t)count, 0.1);
    m.median_ns = servet_stats_quantile(ns, (size_t)count, 0.5);
    m.p90_ns = servet_stats_quantile(ns, (size_t)count, 0.9);
    m.p99_ns = servet_stats_quantile(ns, (size_t)count, 0.99);
    m.lo_ns = ns[l - 1];
    m.hi_ns = ns[u - 1];
    m.samples = count;
    *out = m;
    return SERVET_OK;
}

/* >>layers (implementation) ------------------------------------------------------------------- */

/* Which ranks are near each other is inferred in two steps.  Of a core of ranks, of which nearly all pairs were
 * measured, all costs are judged together: cuts of average-linkage trees over each sort of message and over all of
 * them, which are claimed where they are no chance and no gradient.  Further ranks are placed where their few pairs
 * suit best.  Costs are logarithms of p10; a hole is HUGE_VAL. */
#define SERVET_MPI__CORE   128
#define SERVET_MPI__SORTS    3      /* of messages: small, trip, stream                            */
#define SERVET_MPI__FLOOR 0.01      /* no tool repeats the cost of a pair to better than 1 %        */
#define SERVET_MPI__TRIES    6      /* cuts of a tree that are judged                               */

/* Units are groups of ranks that stay together: ranks, or the groups of an accepted partition. */
typedef struct servet_mpi__core {
    int n, k, tried;
    int use[SERVET_MPI__SORTS];             /* 1 = nearly all pairs have it                        */
    double noise[SERVET_MPI__SORTS];        /* of a cost, by triples                               */
    double known[SERVET_MPI__SORTS];        /* and by intervals                                    */
    double share[SERVET_MPI__SORTS];        /* of each in y                                        */
    double *x[SERVET_MPI__SORTS], *q[SERVET_MPI__SORTS];    /* costs of ranks; of units            */
    double *d, *y, *free_y, *link, *cell;   /* all sorts; those of a partition, freed of row effects; linkage */
    double *row, *effect, *slope, *sum, *count, *height, *ev;
    int *rank, *unit, *start, *member, *outer, *label, *best, *seen, *ma, *mb, *next, *tail, *size, *mult, *near_to;
    double weight;                          /* of the step in the fit beside row effects           */
} servet_mpi__core;

SERVET_MPI__PRIVATE int servet_mpi__finite(double v) { return v < HUGE_VAL && v > -HUGE_VAL; }

SERVET_MPI__PRIVATE double servet_mpi__log_gamma(double x)
{
    double shift = 1, r, r2;
    while (x < 16) shift *= x++;
    r = 1 / x;
    r2 = r * r;
    return (x - 0.5) * log(x) - x + 0.91893853320467274178
         + r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680))) - log(shift);
}

SERVET_MPI__PRIVATE double servet_mpi__log_factorial(double n) { return servet_mpi__log_gamma(n + 1); }

/* Log of an upper bound, close far out, of P[T > t] with nu degrees of freedom. */
SERVET_MPI__PRIVATE double servet_mpi__tail(double t, double nu)
{
    const double pi = 3.14159265358979323846;
    double bound;
    if (!(t > 0)) return 0;
    if (nu < 2) return log(1 / (pi * t) < 0.5 ? 1 / (pi * t) : 0.5);
    bound = servet_mpi__log_gamma((nu + 1) / 2) - servet_mpi__log_gamma(nu / 2) - 0.5 * log(pi * nu)
          + log(nu / ((nu - 1) * t)) - (nu - 1) / 2 * log(1 + t * t / nu);
    return bound < log(0.5) ? bound : log(0.5);
}

typedef struct servet_mpi__moments { double n, sum, square; } servet_mpi__moments;

/* Of v, sorted here where it is long enough to draw outliers in, to three standard deviations by the quartiles. */
SERVET_MPI__PRIVATE servet_mpi__moments servet_mpi__gather(double *v, size_t m, int draw_in)
{
    servet_mpi__moments s;
    double lo = -HUGE_VAL, hi = HUGE_VAL;
    size_t i;
    s.n = (double)m;
    s.sum = s.square = 0;
    if (draw_in && m >= 5) {
        double middle, sd;
        servet_stats_sort(v, m);
        middle = servet_stats_quantile(v, m, 0.5);
        sd = (servet_stats_quantile(v, m, 0.75) - servet_stats_quantile(v, m, 0.25)) / 1.349;
        if (sd < SERVET_MPI__FLOOR) sd = SERVET_MPI__FLOOR;
        lo = middle - 3 * sd;
        hi = middle + 3 * sd;
    }
    for (i = 0; i < m; i++) {
        double x = v[i] < lo ? lo : v[i] > hi ? hi : v[i];
        s.sum += x;
        s.square += x * x;
    }
    return s;
}

/* Variance of both about their means; nu: degrees of freedom out.  known: of single costs by their intervals, which
 * tell how well a cost is known, not how much the pairs of a layer differ: so they may only add. */
SERVET_MPI__PRIVATE double servet_mpi__spread(servet_mpi__moments in, servet_mpi__moments out, double fitted,
                                              double known, double *nu)
{
    const double free_of = in.n + out.n - 2 - fitted;
    double left = in.square - in.sum * in.sum / in.n + out.square - out.sum * out.sum / out.n;
    *nu = free_of > 0 ? free_of : 0;
    left = left > 0 && free_of > 0 ? left / free_of : 0;
    return (left > known * known ? left : known * known) + SERVET_MPI__FLOOR * SERVET_MPI__FLOOR;
}

/* Log of the chance that costs outside are above those inside by so much.  given: a single hypothesis, for which the
 * intervals of single costs count as well. */
SERVET_MPI__PRIVATE double servet_mpi__chance(servet_mpi__moments in, servet_mpi__moments out, double fitted,
                                              double weight, double known, int given)
{
    double nu, var;
    if (in.n < 1 || out.n < 1) return 0;
    var = servet_mpi__spread(in, out, fitted, known, &nu);
    if (given && known > 0) nu += in.n + out.n;
    if (nu < 1) return 0;
    return servet_mpi__tail((out.sum / out.n - in.sum / in.n)
                            / sqrt(var * (weight > 0 ? 1 / weight : 1 / in.n + 1 / out.n)), nu);
}

/* Costs of units inside blocks, then outside, into cell; returns how many, *inside of them first. */
SERVET_MPI__PRIVATE size_t servet_mpi__sides(servet_mpi__core *c, const double *q, const int *label, size_t *inside)
{
    const int k = c->k;
    size_t m = 0;
    int u, v, outside;
    for (outside = 0; outside < 2; outside++) {
        for (u = 0; u < k; u++)
            for (v = u + 1; v < k; v++)
                if (servet_mpi__finite(q[u * k + v]) && c->outer[u] == c->outer[v]
                    && (label[u] != label[v]) == outside) c->cell[m++] = q[u * k + v];
        if (!outside) *inside = m;
    }
    return m;
}

/* Chance that a cost inside is below one outside; sorts both parts of v. */
SERVET_MPI__PRIVATE double servet_mpi__below(double *v, size_t inside, size_t all)
{
    size_t i, j = inside;
    double s = 0;
    if (inside == 0 || all == inside) return 0;
    servet_stats_sort(v, inside);
    servet_stats_sort(v + inside, all - inside);
    for (i = 0; i < inside; i++) {
        while (j < all && v[j] <= v[i]) j++;
        s += (double)(all - j);
    }
    return s / ((double)inside * (double)(all - inside));
}

/* Average linkage of q, never across outer: merges (ma, mb) with heights, ascending.  Returns how many. */
SERVET_MPI__PRIVATE int servet_mpi__tree(servet_mpi__core *c, const double *q)
{
    const int k = c->k;
    int i, j, merges = 0, *to = c->near_to;
    double all = 0, count = 0, *least = c->row, *link = c->link;
    for (i = 0; i < k; i++) {
        c->size[i] = 1;
        for (j = i + 1; j < k; j++) {
            int there = servet_mpi__finite(q[i * k + j]) && c->outer[i] == c->outer[j];
            link[i * k + j] = there ? q[i * k + j] : 0;
            link[j * k + i] = there;
            all += link[i * k + j];
            count += there;
        }
    }
    all = count > 0 ? all / count : 0;
    for (i = 0; i < k; i++) to[i] = -2;
    for (;;) {
        int a = -1, b;
        for (i = 0; i < k; i++) {
            if (!c->size[i]) continue;
            if (to[i] == -2) {
                least[i] = HUGE_VAL;
                to[i] = -1;
                for (j = i + 1; j < k; j++) {
                    double v;
                    if (!c->size[j] || c->outer[j] != c->outer[i]) continue;
                    v = link[j * k + i] > 0 ? link[i * k + j] / link[j * k + i] : all;
                    if (v < least[i]) {
                        least[i] = v;
                        to[i] = j;
                    }
                }
            }
            if (to[i] >= 0 && (a < 0 || least[i] < least[a])) a = i;
        }
        if (a < 0) return merges;
        b = to[a];
        c->ma[merges] = a;
        c->mb[merges] = b;
        c->height[merges++] = least[a];
        c->size[a] += c->size[b];
        c->size[b] = 0;
        for (j = 0; j < k; j++) {
            if (j == a || j == b || !c->size[j]) continue;
            link[a < j ? a * k + j : j * k + a] += link[b < j ? b * k + j : j * k + b];
            link[a < j ? j * k + a : a * k + j] += link[b < j ? j * k + b : b * k + j];
            if (to[j] == a || to[j] == b || j < a) to[j] = -2;
        }
        to[a] = -2;
    }
}

/* The blocks after the first merges of the tree, as labels; returns how many. */
SERVET_MPI__PRIVATE int servet_mpi__blocks(servet_mpi__core *c, int merges, int *label)
{
    int i, j, blocks = 0;
    for (i = 0; i < c->k; i++) {
        c->next[i] = -1;
        c->tail[i] = i;
        c->size[i] = 1;
    }
    for (j = 0; j < merges; j++) {
        int a = c->ma[j], b = c->mb[j];
        c->next[c->tail[a]] = b;
        c->tail[a] = c->tail[b];
        c->size[b] = 0;
    }
    for (i = 0; i < c->k; i++) {
        if (!c->size[i]) continue;
        for (j = i; j >= 0; j = c->next[j]) label[j] = blocks;
        blocks++;
    }
    return blocks;
}

/* Number blocks from 0; returns how many. */
SERVET_MPI__PRIVATE int servet_mpi__number(servet_mpi__core *c, int *label, int below)
{
    int u, blocks = 0;
    for (u = 0; u < below; u++) c->mult[u] = -1;
    for (u = 0; u < c->k; u++) {
        if (c->mult[label[u]] < 0) c->mult[label[u]] = blocks++;
        label[u] = c->mult[label[u]];
    }
    return blocks;
}

/* Log of the number of ways to cut the units of each outer group into blocks of these sizes.  Sizes that are all one
 * need no naming: that is how machines are built. */
SERVET_MPI__PRIVATE double servet_mpi__ways(servet_mpi__core *c, const int *label, int blocks)
{
    const int k = c->k;
    double ways = 0;
    int b, u, g, sizes = 0;
    for (u = 0; u <= k; u++) c->size[u] = c->tail[u] = 0;
    for (u = 0; u < k; u++) c->size[label[u]]++;
    for (u = 0; u < k; u++) c->next[label[u]] = c->outer[u];
    for (b = 0; b < blocks; b++) c->tail[c->size[b]]++;
    for (b = 2; b <= k; b++) sizes += c->tail[b] > 0;
    for (g = 0; g < k; g++) {
        int all = 0;
        for (b = 0; b <= k; b++) c->mult[b] = 0;
        for (b = 0; b < blocks; b++) {
            if (c->size[b] < 1 || c->next[b] != g) continue;
            ways -= servet_mpi__log_factorial(c->size[b]);
            ways -= log((double)++c->mult[c->size[b]]);
            all += c->size[b];
        }
        if (!all) continue;
        ways += servet_mpi__log_factorial(all);
        sizes += c->mult[1] > 0 && c->mult[1] < all;
    }
    return ways + (sizes > 1 ? sizes - 1 : 0) * log((double)k);
}

/* Row effects: what each unit adds to the costs, or, with labels, to being together. */
SERVET_MPI__PRIVATE void servet_mpi__effects(const servet_mpi__core *c, const double *q, const int *label, double *e)
{
    const int k = c->k;
    int u, v, turn;
    for (u = 0; u < k; u++) e[u] = 0;
    for (turn = 0; turn < 30; turn++) {
        double moved = 0;
        for (u = 0; u < k; u++) {
            double s = 0, m = 0, was = e[u];
            for (v = 0; v < k; v++) {
                if (v == u || c->outer[u] != c->outer[v] || !servet_mpi__finite(q[u * k + v])) continue;
                s += (label ? (label[u] == label[v] ? 1.0 : 0.0) : q[u * k + v]) - e[v];
                m++;
            }
            e[u] = m > 0 ? s / m : 0;
            if (fabs(e[u] - was) > moved) moved = fabs(e[u] - was);
        }
        if (moved < 1e-6) break;
    }
}

/* free_y: y without row effects, fitted beside a step between inside and outside (Frisch and Waugh).  Fewer than 6
 * units have too few costs for it: as they are.  Returns 1 = freed, 0 = not, -1 = step and effects are one. */
SERVET_MPI__PRIVATE int servet_mpi__free_rows(servet_mpi__core *c, const int *label)
{
    const int k = c->k;
    int u, v;
    double xz = 0, zz = 0, step, all = 0;
    memcpy(c->free_y, c->y, (size_t)k * (size_t)k * sizeof *c->y);
    if (k < 6) return 0;
    servet_mpi__effects(c, c->y, NULL, c->effect);
    servet_mpi__effects(c, c->y, label, c->slope);
    for (u = 0; u < k; u++)
        for (v = u + 1; v < k; v++) {
            double z = (label[u] == label[v] ? 1.0 : 0.0) - c->slope[u] - c->slope[v];
            if (c->outer[u] != c->outer[v] || !servet_mpi__finite(c->y[u * k + v])) continue;
            xz += z * (c->y[u * k + v] - c->effect[u] - c->effect[v]);
            zz += z * z;
        }
    if (zz < 1e-6) return -1;
    c->weight = zz;
    step = xz / zz;
    for (u = 0; u < k; u++) {
        c->effect[u] -= step * c->slope[u];
        all += c->effect[u] / k;
    }
    for (u = 0; u < k; u++)
        for (v = 0; v < k; v++)
            if (servet_mpi__finite(c->y[u * k + v])) c->free_y[u * k + v] -= c->effect[u] + c->effect[v] - 2 * all;
    return 1;
}

/* How far along the way to the mean of others the nearest other block is, for each member: row; 2 = in no block. */
SERVET_MPI__PRIVATE void servet_mpi__margins(servet_mpi__core *c, const int *label, int blocks, double sd)
{
    const int k = c->k;
    int u, v, b, there = 0;
    double nearest;
    for (b = 0; b < blocks; b++) c->size[b] = 0;
    for (u = 0; u < k; u++) c->size[label[u]]++;
    for (b = 0; b < blocks; b++) there += c->size[b] > 0;
    /* The least of so many means that differ by noise alone is that much below them. */
    nearest = there > 2 ? 0.83 * sqrt(2 * log((double)there - 1)) * sd : 0;
    for (u = 0; u < k; u++) {
        double own, out = 0, count = 0, least = HUGE_VAL;
        c->row[u] = 2;
        if (c->size[label[u]] < 2) continue;
        for (b = 0; b < blocks; b++) c->sum[b] = c->count[b] = 0;
        for (v = 0; v < k; v++) {
            double x = c->free_y[u * k + v];
            if (v == u || c->outer[u] != c->outer[v] || !servet_mpi__finite(x)) continue;
            c->sum[label[v]] += x;
            c->count[label[v]]++;
        }
        if (c->count[label[u]] < 1) continue;
        own = c->sum[label[u]] / c->count[label[u]];
        for (b = 0; b < blocks; b++) {
            double x;
            if (b == label[u] || c->count[b] < 1) continue;
            x = c->sum[b] / c->count[b] + nearest / sqrt(c->count[b]);
            if (x < least) least = x;
            out += c->sum[b];
            count += c->count[b];
        }
        if (count < 1) continue;
        out /= count;
        c->row[u] = out > own ? ((least < out ? least : out) - own) / (out - own) : -1;
    }
}

/* Of comparisons of what a member of a block pays inside with what it pays to a unit outside, how many are in favour of
 * the block.  Next to five in a row or four in a square of a ring or mesh: 3 of 4; in a tree all, but for noise. */
SERVET_MPI__PRIVATE double servet_mpi__border(const servet_mpi__core *c, const int *mem, int m, const int *label, int h)
{
    const int k = c->k;
    int u, v, w = 0;
    double good = 0, all = 0;
    while (label[w] != h) w++;
    for (u = 0; u < m; u++) {
        const double out = c->y[mem[u] * k + w];
        if (!servet_mpi__finite(out)) continue;
        for (v = 0; v < m; v++) {
            const double in = c->y[mem[u] * k + mem[v]];
            if (v == u || !servet_mpi__finite(in)) continue;
            good += in < out ? 1 : in > out ? 0 : 0.5;
            all++;
        }
    }
    return all > 0 ? good / all : 1;
}

/* Is the step outward, to the nearest other block, the same for all members?  Where costs grow evenly with distance it
 * is not: on a line of length 2 L cut in two it is 2 L / 3 on average and varies by L / sqrt(12), 0.43 of it; in a tree
 * it varies by noise alone.  The variation as a part of the step, noise taken off; of logarithms, or of costs as they
 * are.  A slow rank is as slow inside as outside, by a factor or by a constant: so the lesser of both counts. */
SERVET_MPI__PRIVATE double servet_mpi__uneven(servet_mpi__core *c, const int *label, int blocks, int logs)
{
    const int k = c->k;
    int b, h, u, v, w, *mem = c->near_to, *size = c->mult;
    double total_var = 0, total_step = 0, count = 0, *mean = c->link, unit = 0, units = 0;
    for (u = 0; u < k * k; u++) {
        if (!servet_mpi__finite(c->y[u])) continue;
        unit += c->y[u];
        units++;
    }
    unit = units > 0 ? unit / units : 0;
    for (b = 0; b < blocks; b++) size[b] = 0;
    for (u = 0; u < k; u++) size[label[u]]++;
    for (b = 0; b < blocks; b++) {
        double least = HUGE_VAL, least_var = 0, least_part = 0, quiet = HUGE_VAL;
        int m = 0;
        for (u = 0; u < k; u++) if (label[u] == b) mem[m++] = u;
        if (m < 2) continue;
        for (u = 0; u < m; u++) {
            for (h = 0; h < blocks; h++) c->sum[h] = c->count[h] = 0;
            for (v = 0; v < k; v++) {
                double x = c->y[mem[u] * k + v];
                if (v == mem[u] || c->outer[mem[u]] != c->outer[v] || !servet_mpi__finite(x)) continue;
                c->sum[label[v]] += logs ? x - unit : exp(x - unit);
                c->count[label[v]]++;
            }
            for (h = 0; h < blocks; h++)
                mean[u * blocks + h] = c->count[h] > 0 ? c->sum[h] / c->count[h] : HUGE_VAL;
        }
        for (h = 0; h < blocks; h++) {
            double s = 0, s2 = 0, many = 0, noise = 0, cells = 0, width = size[h], grand = 0;
            for (w = 0; w < k && label[w] != h; w++) { }
            if (h == b || w == k || c->outer[w] != c->outer[mem[0]]) continue;
            if (width < 2) {
                if (m > 2 && servet_mpi__border(c, mem, m, label, h) < 0.875) return 1;
                continue;
            }
            for (u = 0; u < m; u++) {
                double step = mean[u * blocks + h] - mean[u * blocks + b];
                grand += mean[u * blocks + h] / m;
                if (!servet_mpi__finite(step)) continue;
                s += step;
                s2 += step * step;
                many++;
            }
            if (many < 2) continue;
            for (w = 0; w < k; w++) {       /* noise: what rows and columns leave */
                double column = 0;
                if (label[w] != h) continue;
                for (u = 0; u < m; u++) {
                    const double x = c->y[mem[u] * k + w] - unit;
                    column += (logs ? x : exp(x)) / m;
                }
                for (u = 0; u < m; u++) {
                    const double x = c->y[mem[u] * k + w] - unit;
                    double r = (logs ? x : exp(x)) - mean[u * blocks + h] - column + grand;
                    if (!servet_mpi__finite(r)) continue;
                    noise += r * r;
                    cells++;
                }
            }
            noise = cells > 0 ? noise / cells * m / (m - 1) * width / (width - 1) : 0;
            /* On a mesh it may be distance across; not so to all other blocks. */
            if ((m - 1) * (width - 1) >= 4 && noise < quiet) quiet = noise;
            if (s / many >= least) continue;
            least = s / many;
            least_var = (s2 - s * s / many) / (many - 1);
            least_part = 1 / width + (m > 2 ? 1.0 / (m - 1) : 0);
            if ((m - 1) * (width - 1) < 4) {
                least_var -= noise * least_part;
                least_part = 0;
            }
        }
        if (servet_mpi__finite(quiet)) least_var -= quiet * least_part;
        if (!servet_mpi__finite(least)) continue;
        total_var += least_var;
        total_step += least;
        count++;
    }
    if (count < 1 || total_step <= 0 || total_var <= 0) return 0;
    return sqrt(total_var / count) / (total_step / count);
}

/* y: the mean of all sorts of messages that tells these blocks apart best, were their noise independent: each by its
 * step over its variance.  Returns the variance of a cost in y by its intervals, -1 where nothing is nearer inside. */
SERVET_MPI__PRIVATE double servet_mpi__weigh(servet_mpi__core *c, const int *label)
{
    const int k = c->k;
    double weight[SERVET_MPI__SORTS], all = 0, known = 0, low[SERVET_MPI__SORTS], high[SERVET_MPI__SORTS];
    int f, i;
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        size_t inside = 0, m;
        servet_mpi__moments in, out;
        double nu, step;
        weight[f] = low[f] = high[f] = 0;
        if (!c->use[f]) continue;
        m = servet_mpi__sides(c, c->q[f], label, &inside);
        if (inside == 0 || m == inside) continue;
        in = servet_mpi__gather(c->cell, inside, 1);
        out = servet_mpi__gather(c->cell + inside, m - inside, 1);
        step = out.sum / out.n - in.sum / in.n;
        if (step > 0) weight[f] = step / servet_mpi__spread(in, out, 0, c->known[f], &nu);
        /* One sort of message that was disturbed shall not be all there is to a pair. */
        low[f] = in.sum / in.n - 2 * step;
        high[f] = out.sum / out.n + 2 * step;
        all += weight[f];
    }
    if (!(all > 0)) return -1;
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        c->share[f] = weight[f] / all;
        known += c->share[f] * c->share[f] * c->known[f] * c->known[f];
    }
    for (i = 0; i < k * k; i++) {
        c->y[i] = 0;
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            const double x = c->use[f] ? c->q[f][i] : HUGE_VAL;
            if (!(c->share[f] > 0)) continue;
            c->y[i] = servet_mpi__finite(x) ? c->y[i] + c->share[f] * (x < low[f] ? low[f] : x > high[f] ? high[f] : x)
                                            : HUGE_VAL;
            if (!servet_mpi__finite(c->y[i])) break;
        }
    }
    return known;
}

/* One block, and a rest that is farther still from itself: near and far ranks rather than a group.  Wants y. */
SERVET_MPI__PRIVATE int servet_mpi__gradual(const servet_mpi__core *c, const int *label, int b)
{
    const int k = c->k;
    int u, v;
    double in = 0, ins = 0, out = 0, outs = 0, rest = 0, rests = 0;
    for (u = 0; u < k; u++)
        for (v = u + 1; v < k; v++) {
            const double x = c->y[u * k + v];
            const int both = (label[u] == b) + (label[v] == b);
            if (c->outer[u] != c->outer[v] || !servet_mpi__finite(x)) continue;
            if (both == 2) {
                in += x;
                ins++;
            } else if (both == 1) {
                out += x;
                outs++;
            } else {
                rest += x;
                rests++;
            }
        }
    if (ins < 1 || outs < 1 || rests < 1) return 0;
    return rest / rests - out / outs >= 0.25 * (out / outs - in / ins);
}

/* Wherever an outer group is cut, it is cut into all of it but one. */
SERVET_MPI__PRIVATE int servet_mpi__but_one(servet_mpi__core *c, const int *label)
{
    const int k = c->k;
    int u, v, cut = 0;
    for (u = 0; u < k; u++) {
        int all = 0, most = 0;
        for (v = 0; v < u && c->outer[v] != c->outer[u]; v++) { }
        if (v < u) continue;
        for (v = u; v < k; v++) {
            int w, same = 0;
            if (c->outer[v] != c->outer[u]) continue;
            all++;
            for (w = u; w < k; w++) same += label[w] == label[v];
            if (same > most) most = same;
        }
        if (most == all) continue;
        if (most != all - 1 || most < 2) return 0;
        cut = 1;
    }
    return cut;
}

/* Costs inside and outside, both sorted, with a gap between them that is wider than either, but for a tenth. */
SERVET_MPI__PRIVATE int servet_mpi__gaping(const double *v, size_t inside, size_t all, double known)
{
    const double *out = v + inside;
    const size_t outs = all - inside;
    const double top = servet_stats_quantile(v, inside, 0.9), low = servet_stats_quantile(out, outs, 0.1);
    double wide = top - servet_stats_quantile(v, inside, 0.1), far = servet_stats_quantile(out, outs, 0.9) - low;
    if (far > wide) wide = far;
    if (wide < 3 * known) wide = 3 * known;
    return low - top > wide && low - top > 10 * SERVET_MPI__FLOOR;
}

/* The evidence for a partition of the units: minus the log of the chance of one as good; 0 = none.  Blocks that do not
 * stand apart by themselves are dissolved in label.  given: not found among these costs, but named beforehand. */
SERVET_MPI__PRIVATE double servet_mpi__judge(servet_mpi__core *c, int *label, int blocks, int given)
{
    const int k = c->k;
    int pass, u, v, b, fresh, kept = 0, freed, clean = 0, alone = -1;
    double t = 0, ways = 0, known, evidence;
    servet_mpi__moments in, out;
    in.n = out.n = 0;
    for (pass = 0; pass < 2; pass++) {
        size_t inside, all;
        double sd, step;
        known = servet_mpi__weigh(c, label);
        if (known < 0) return 0;
        known = sqrt(known);
        all = servet_mpi__sides(c, c->y, label, &inside);
        if (inside == 0 || all == inside) return 0;
        if (servet_mpi__below(c->cell, inside, all) < 0.9 && pass == 1) return 0;
        if (pass == 1 && !given && servet_mpi__but_one(c, label)
            && !servet_mpi__gaping(c->cell, inside, all, known)) return 0;
        freed = servet_mpi__free_rows(c, label);
        if (freed < 0 && !given) return 0;
        if (freed < 0) memcpy(c->free_y, c->y, (size_t)k * (size_t)k * sizeof *c->y);
        all = servet_mpi__sides(c, c->free_y, label, &inside);
        if (servet_mpi__below(c->cell, inside, all) < 0.9 && pass == 1) return 0;
        in = servet_mpi__gather(c->cell, inside, 0);
        sd = in.n > 2 ? sqrt((in.square > in.sum * in.sum / in.n ? in.square - in.sum * in.sum / in.n : 0)
                             / (in.n - 1)) : 0;
        if (sd < SERVET_MPI__FLOOR) sd = SERVET_MPI__FLOOR;
        servet_stats_sort(c->cell, inside);
        servet_stats_sort(c->cell + inside, all - inside);
        clean = c->cell[inside] - c->cell[inside - 1] > 3 * sd;
        out = servet_mpi__gather(c->cell + inside, all - inside, 1);
        in = servet_mpi__gather(c->cell, inside, 1);
        step = out.sum / out.n - in.sum / in.n;
        ways = given ? log(2.0) : servet_mpi__ways(c, label, blocks);
        t = servet_mpi__chance(in, out, freed == 1 ? k : 0, freed == 1 ? c->weight : 0, known, given);
        servet_mpi__margins(c, label, blocks, sd);
        for (b = 0, kept = 0, fresh = blocks; b < blocks; b++) {
            size_t m = 0;
            int members = 0;
            double own = 0, owns = 0, far = 0, fars = 0;
            for (u = 0; u < k; u++) {
                if (label[u] != b) continue;
                members++;
                if (c->row[u] < 2) c->cell[m++] = c->row[u];
                for (v = 0; v < k; v++) {
                    const double x = c->y[u * k + v];
                    if (v == u || c->outer[u] != c->outer[v] || !servet_mpi__finite(x)) continue;
                    if (label[v] == b) {
                        own += x;
                        owns++;
                    } else {
                        far += x;
                        fars++;
                    }
                }
            }
            if (members < 2) continue;
            if (fars < 1) continue;     /* all of its outer group: neither for nor against */
            servet_stats_sort(c->cell, m);
            if ((owns < 1 || far / fars - own / owns >= 0.25 * step)
                && (clean || given || (m && servet_stats_quantile(c->cell, m, 0.5) >= 0.5))) {
                kept++;
                continue;
            }
            for (u = 0, v = 0; u < k; u++) if (label[u] == b && v++) label[u] = fresh++;
        }
        blocks = servet_mpi__number(c, label, fresh);
        if (!kept) return 0;
    }
    for (u = 0; u < k; u++) {
        for (v = 0; v < k && (v == u || label[v] != label[u]); v++) { }
        if (v < k) alone = label[u];
    }
    /* Half way between a tree and an even gradient. */
    if (servet_mpi__uneven(c, label, blocks, 0) > 0.22 && servet_mpi__uneven(c, label, blocks, 1) > 0.22) return 0;
    if (kept == 1 && !given && servet_mpi__gradual(c, label, alone)) return 0;
    evidence = -(t + ways);
    /* The lowest costs of all, and exactly those of a partition: few arrangements of as many are. */
    if (clean && !given) {
        double exact = servet_mpi__log_factorial(in.n + out.n) - servet_mpi__log_factorial(in.n)
                     - servet_mpi__log_factorial(out.n) - ways;
        if (exact > evidence) evidence = exact;
    }
    return evidence;
}

/* Judge a candidate; the better stays in best.  Returns the evidence of the best so far. */
SERVET_MPI__PRIVATE double servet_mpi__try(servet_mpi__core *c, int blocks, int given, double found)
{
    const int k = c->k;
    double evidence;
    int t;
    for (t = 0; t < c->tried && !given; t++)
        if (!memcmp(c->seen + t * k, c->label, (size_t)k * sizeof *c->label)) return found;
    if (c->tried < (SERVET_MPI__SORTS + 2) * SERVET_MPI__TRIES)
        memcpy(c->seen + c->tried++ * k, c->label, (size_t)k * sizeof *c->label);
    evidence = servet_mpi__judge(c, c->label, blocks, given);
    /* One in a hundred for all that is claimed: from any of five trees, at any of some four places between layers. */
    if (evidence <= (given ? log(100.0) : log(2000.0)) || evidence <= found) return found;
    memcpy(c->best, c->label, (size_t)k * sizeof *c->best);
    return evidence;
}

/* The best cuts of a tree over q, judged. */
SERVET_MPI__PRIVATE double servet_mpi__cuts(servet_mpi__core *c, const double *q, double known, double found)
{
    const int k = c->k, merges = servet_mpi__tree(c, q);
    int m, i, j, tries;
    double ways = 0, *same = c->link;       /* blocks of an outer group of one size, less 1 */
    servet_mpi__moments in, all;
    in.n = in.sum = in.square = 0;
    all = in;
    for (i = 0; i < k; i++) {
        c->next[i] = -1;
        c->tail[i] = i;
        c->size[i] = 1;
    }
    for (i = 0; i < k * k; i++) same[i] = 0;
    for (i = 0; i < k; i++) same[c->outer[i] * k]++;
    for (m = 0; m < merges; m++) {
        const int a = c->ma[m], b = c->mb[m];
        size_t cells = 0;
        servet_mpi__moments s;
        for (i = a; i >= 0; i = c->next[i])
            for (j = b; j >= 0; j = c->next[j])
                if (servet_mpi__finite(q[i * k + j])) c->cell[cells++] = q[i * k + j];
        s = servet_mpi__gather(c->cell, cells, 1);
        all.n += c->count[m] = s.n;
        all.sum += c->sum[m] = s.sum;
        all.square += c->effect[m] = s.square;
        c->next[c->tail[a]] = b;
        c->tail[a] = c->tail[b];
    }
    for (m = 0; m + 1 < merges; m++) {
        const int a = c->ma[m], sa = c->size[a], sb = c->size[c->mb[m]];
        servet_mpi__moments out = all;
        ways += servet_mpi__log_factorial(sa) + servet_mpi__log_factorial(sb) - servet_mpi__log_factorial(sa + sb);
        ways += log(same[c->outer[a] * k + sa - 1]--);
        ways += log(same[c->outer[a] * k + sb - 1]--);
        ways -= log(++same[c->outer[a] * k + sa + sb - 1]);
        c->size[a] = sa + sb;
        in.n += c->count[m];
        in.sum += c->sum[m];
        in.square += c->effect[m];
        out.n -= in.n;
        out.sum -= in.sum;
        out.square -= in.square;
        /* heights that differ by less than costs are known to are one */
        c->ev[m] = c->height[m + 1] > c->height[m] + SERVET_MPI__FLOOR / 10
                 ? -(servet_mpi__chance(in, out, 0, 0, known, 0) + ways) : -HUGE_VAL;
    }
    for (tries = 0; tries < SERVET_MPI__TRIES; tries++) {
        int at = -1;
        double best = -HUGE_VAL;
        for (m = 0; m + 1 < merges; m++) {
            if (!(c->ev[m] > best) || (m > 0 && c->ev[m] < c->ev[m - 1])) continue;
            if (m + 2 < merges && c->ev[m] < c->ev[m + 1]) continue;
            best = c->ev[m];
            at = m;
        }
        if (at < 0) break;
        c->ev[at] = -HUGE_VAL;
        i = servet_mpi__blocks(c, at + 1, c->label);
        found = servet_mpi__try(c, i, 0, found);
    }
    return found;
}

/* Move units to the block they are nearest to, or out of all: what a tree joined too early, it never parts again. */
SERVET_MPI__PRIVATE void servet_mpi__refine(servet_mpi__core *c, int *label)
{
    const int k = c->k;
    size_t inside, all;
    int u, v, b, turn, moved = 1;
    double in = 0, out = 0;
    if (servet_mpi__weigh(c, label) < 0 || servet_mpi__free_rows(c, label) < 0) return;
    all = servet_mpi__sides(c, c->free_y, label, &inside);
    if (inside == 0 || inside == all) return;
    servet_stats_sort(c->cell, inside);
    servet_stats_sort(c->cell + inside, all - inside);
    in = servet_stats_quantile(c->cell, inside, 0.5);
    out = servet_stats_quantile(c->cell + inside, all - inside, 0.5);
    for (turn = 0; turn < 4 && moved; turn++)
        for (u = 0, moved = 0; u < k; u++) {
            double least = (in + out) / 2;
            int to = -1;
            for (b = 0; b < k; b++) c->sum[b] = c->count[b] = 0;
            for (v = 0; v < k; v++) {
                if (v != u) c->count[label[v]] += 1e-6;
                if (v == u || c->outer[u] != c->outer[v] || !servet_mpi__finite(c->free_y[u * k + v])) continue;
                c->sum[label[v]] += c->free_y[u * k + v];
                c->count[label[v]]++;
            }
            for (b = 0; b < k; b++) {
                if (c->count[b] < 1 || c->sum[b] / floor(c->count[b]) >= least) continue;
                least = c->sum[b] / floor(c->count[b]);
                to = b;
            }
            if (to < 0)
                for (to = 0; to < k && c->count[to] > 0; ) to++;    /* an empty one, or its own if alone */
            if (to >= k || to == label[u]) continue;
            label[u] = to;
            moved = 1;
        }
}

/* The units: the blocks of inner (ranks, where NULL), in the groups of outer (one, where NULL); costs between two are
 * medians. */
SERVET_MPI__PRIVATE void servet_mpi__units(servet_mpi__core *c, const int *inner, const int *outer)
{
    const int n = c->n;
    int i, a, b, f, s, t, k = 0;
    for (i = 0; i < n; i++) {
        c->unit[i] = inner ? inner[i] : i;
        if (c->unit[i] >= k) k = c->unit[i] + 1;
    }
    c->k = k;
    for (a = 0; a <= k; a++) c->start[a] = 0;
    for (i = 0; i < n; i++) {
        c->start[c->unit[i] + 1]++;
        c->outer[c->unit[i]] = outer ? outer[i] : 0;
    }
    for (a = 0; a < k; a++) c->start[a + 1] += c->start[a];
    for (a = 0; a < k; a++) c->next[a] = c->start[a];
    for (i = 0; i < n; i++) c->member[c->next[c->unit[i]]++] = i;
    for (f = 0; f < SERVET_MPI__SORTS; f++)
        for (a = 0; a < k && c->use[f]; a++) {
            c->q[f][a * k + a] = HUGE_VAL;
            for (b = a + 1; b < k; b++) {
                size_t m = 0;
                for (s = c->start[a]; s < c->start[a + 1]; s++)
                    for (t = c->start[b]; t < c->start[b + 1]; t++) {
                        double v = c->x[f][c->member[s] * n + c->member[t]];
                        if (servet_mpi__finite(v)) c->cell[m++] = v;
                    }
                servet_stats_sort(c->cell, m);
                c->q[f][a * k + b] = c->q[f][b * k + a] = m ? servet_stats_quantile(c->cell, m, 0.5) : HUGE_VAL;
            }
        }
    for (a = 0; a < k * k; a++) {
        double all = 0;
        c->d[a] = 0;
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            if (!c->use[f]) continue;
            all += 1 / c->noise[f];
            c->d[a] = servet_mpi__finite(c->q[f][a]) ? c->d[a] + c->q[f][a] / c->noise[f] : HUGE_VAL;
            if (!servet_mpi__finite(c->d[a])) break;
        }
        if (servet_mpi__finite(c->d[a])) c->d[a] /= all;
    }
}

/* Noise of a sort of message: in a tree the two dearest of three costs are equal, but for noise.  Where they are not,
 * that tells how far costs are from a tree. */
SERVET_MPI__PRIVATE double servet_mpi__triples(servet_mpi__core *c, const double *x)
{
    const int n = c->n;
    uint64_t seed = 1;
    size_t m = 0, most = (size_t)n * (size_t)n < 4096 ? (size_t)n * (size_t)n : 4096;
    int tries;
    for (tries = 0; tries < 16384 && m < most && n >= 3; tries++) {
        const int i = (int)servet_stats_random_below(&seed, (size_t)n);
        const int j = (int)servet_stats_random_below(&seed, (size_t)n);
        const int k = (int)servet_stats_random_below(&seed, (size_t)n);
        double v[3];
        if (i == j || j == k || k == i) continue;
        v[0] = x[i * n + j];
        v[1] = x[j * n + k];
        v[2] = x[i * n + k];
        if (!servet_mpi__finite(v[0]) || !servet_mpi__finite(v[1]) || !servet_mpi__finite(v[2])) continue;
        servet_stats_sort(v, 3);
        c->cell[m++] = v[2] - v[1];
    }
    if (m == 0) return SERVET_MPI__FLOOR;
    servet_stats_sort(c->cell, m);
    /* |a - b| of two normal values has the median 0.95 of their standard deviation */
    return servet_stats_quantile(c->cell, m, 0.5) / 0.95 + SERVET_MPI__FLOOR;
}

/* y: which place a cost has among all, from 0 to 1, by the middle of its sorts: one sort that was disturbed does not
 * matter, nor by how much. */
SERVET_MPI__PRIVATE void servet_mpi__ranked(servet_mpi__core *c)
{
    const int k = c->k;
    int f, u, v, sorts;
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        size_t m = 0;
        double *place = f == 0 ? c->y : f == 1 ? c->free_y : c->link;
        if (!c->use[f]) continue;
        for (u = 0; u < k; u++)
            for (v = u + 1; v < k; v++)
                if (c->outer[u] == c->outer[v] && servet_mpi__finite(c->q[f][u * k + v]))
                    c->cell[m++] = c->q[f][u * k + v];
        servet_stats_sort(c->cell, m);
        for (u = 0; u < k * k; u++) {
            size_t lo = 0, hi = m;
            while (lo < hi) {
                const size_t half = (lo + hi) / 2;
                if (c->cell[half] < c->q[f][u]) lo = half + 1;
                else hi = half;
            }
            place[u] = servet_mpi__finite(c->q[f][u]) ? (double)lo / (double)(m + 1) : HUGE_VAL;
        }
    }
    for (u = 0; u < k * k; u++) {
        double x[SERVET_MPI__SORTS];
        for (f = sorts = 0; f < SERVET_MPI__SORTS; f++) {
            const double *place = f == 0 ? c->y : f == 1 ? c->free_y : c->link;
            if (c->use[f] && servet_mpi__finite(place[u])) x[sorts++] = place[u];
        }
        servet_stats_sort(x, (size_t)sorts);
        c->y[u] = sorts == 3 ? x[1] : sorts == 2 ? (x[0] + x[1]) / 2 : sorts ? x[0] : HUGE_VAL;
    }
}

/* A partition between inner and outer (NULL: ranks; all); labels of ranks out.  Returns the evidence, 0 = none. */
SERVET_MPI__PRIVATE double servet_mpi__split(servet_mpi__core *c, const int *inner, const int *outer, const int *host,
                                             int *out)
{
    double found = 0, known = 0, all = 0;
    int f, i, u, v, k, named = 1;
    servet_mpi__units(c, inner, outer);
    k = c->k;
    c->tried = 0;
    if (k < 3) return 0;
    for (i = 0; i < c->n; i++)
        for (v = c->start[c->unit[i]]; v < c->start[c->unit[i] + 1]; v++)
            named &= host[c->member[v]] == host[i];
    if (named) {
        for (u = 0; u < k; u++) {
            for (v = 0; v < u; v++)
                if (host[c->member[c->start[v]]] == host[c->member[c->start[u]]] && c->outer[u] == c->outer[v]) break;
            c->label[u] = v;
        }
        i = servet_mpi__number(c, c->label, k);
        found = servet_mpi__try(c, i, 1, found);
    }
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        if (!c->use[f]) continue;
        all += 1 / c->noise[f];
        known += c->known[f] * c->known[f] / (c->noise[f] * c->noise[f]);
        found = servet_mpi__cuts(c, c->q[f], c->known[f], found);
    }
    found = servet_mpi__cuts(c, c->d, sqrt(known) / all, found);
    servet_mpi__ranked(c);
    found = servet_mpi__cuts(c, c->y, 0, found);
    if (!(found > 0)) return 0;
    memcpy(c->label, c->best, (size_t)k * sizeof *c->label);
    servet_mpi__refine(c, c->label);
    i = servet_mpi__number(c, c->label, k);
    found = servet_mpi__try(c, i, 0, found);
    for (i = 0; i < c->n; i++) out[i] = c->best[c->unit[i]];
    return found;
}

/* Are the costs of units nearer and farther without groups?  Then units that are near each other have similar rows,
 * which noise and slow units do not bring about: the correlation of both, freed of rows, against that of units whose
 * names are shuffled (Mantel). */
SERVET_MPI__PRIVATE int servet_mpi__metric(servet_mpi__core *c)
{
    const int k = c->k;
    int u, v, w, turn, beyond = 0, *name = c->label;
    double real = 0;
    uint64_t seed = 7;
    if (k < 6) return 0;
    for (u = 0; u < k; u++)
        for (v = 0; v < k; v++) {
            double s = 0, m = 0;
            for (w = 0; w < k && v != u; w++) {
                const double a = c->d[u * k + w], b = c->d[v * k + w];
                if (w == u || w == v || !servet_mpi__finite(a) || !servet_mpi__finite(b)) continue;
                s += fabs(a - b);
                m++;
            }
            c->y[u * k + v] = m > 0 ? s / m : HUGE_VAL;
        }
    for (w = 0; w < 2; w++) {
        double *q = w ? c->y : c->d, *to = w ? c->link : c->free_y, all = 0;
        servet_mpi__effects(c, q, NULL, c->effect);
        for (u = 0; u < k; u++) all += c->effect[u] / k;
        for (u = 0; u < k * k; u++)
            to[u] = u / k != u % k && servet_mpi__finite(q[u]) ? q[u] - c->effect[u / k] - c->effect[u % k] : 0;
    }
    for (turn = 0; turn < 200; turn++) {
        double s = 0;
        for (u = 0; u < k; u++) name[u] = u;
        for (u = k - 1; u > 0 && turn; u--) {
            const int at = (int)servet_stats_random_below(&seed, (size_t)u + 1), keep = name[u];
            name[u] = name[at];
            name[at] = keep;
        }
        for (u = 0; u < k; u++) {
            const double *row = c->link + name[u] * k;
            for (v = u + 1; v < k; v++) s += c->free_y[u * k + v] * row[name[v]];
        }
        if (!turn) real = s;
        else beyond += s >= real;
    }
    return beyond == 0;
}

typedef struct servet_mpi__edge { int a, b, level; double x[SERVET_MPI__SORTS]; } servet_mpi__edge;

typedef struct servet_mpi__place {
    servet_mpi__core c;
    int ranks, edges, layers, metric;
    int *core;                      /* of each rank: which of the core, -1 = not in it              */
    int *start, *to;                /* edges of each rank                                           */
    int *placed, *fresh;
    servet_mpi__edge *edge;
    double *score;                  /* of each edge, for each layer and the outermost               */
    int *part[SERVET_NETWORK_LAYERS];   /* of the core, the innermost first                         */
    int *group[SERVET_NETWORK_LAYERS];  /* of ranks; all in some group, maybe alone                 */
    double proof[SERVET_NETWORK_LAYERS];
    double typical[SERVET_NETWORK_LAYERS + 1][SERVET_MPI__SORTS], spread[SERVET_NETWORK_LAYERS + 1][SERVET_MPI__SORTS];
} servet_mpi__place;

/* Memory after what is taken; laid out where work is not NULL. */
SERVET_MPI__PRIVATE size_t servet_mpi__lay(servet_mpi__place *p, int ranks, int pairs, void *work)
{
    const size_t n = (size_t)(ranks < SERVET_MPI__CORE ? ranks : SERVET_MPI__CORE), line = n + 2, cells = n * n;
    const size_t tries = (SERVET_MPI__SORTS + 2) * SERVET_MPI__TRIES + 1;
    double *at = (double *)work;
    int *list, i;
    if (work) {
        servet_mpi__core *c = &p->c;
        double **square[5], **vector[7];
        int **ints[14];
        memset(p, 0, sizeof *p);
        square[0] = &c->d; square[1] = &c->y; square[2] = &c->free_y; square[3] = &c->link; square[4] = &c->cell;
        vector[0] = &c->row; vector[1] = &c->effect; vector[2] = &c->slope; vector[3] = &c->sum;
        vector[4] = &c->count; vector[5] = &c->height; vector[6] = &c->ev;
        ints[0] = &c->rank; ints[1] = &c->unit; ints[2] = &c->start; ints[3] = &c->member; ints[4] = &c->outer;
        ints[5] = &c->label; ints[6] = &c->best; ints[7] = &c->ma; ints[8] = &c->mb; ints[9] = &c->next;
        ints[10] = &c->tail; ints[11] = &c->size; ints[12] = &c->mult; ints[13] = &c->near_to;
        p->ranks = ranks;
        for (i = 0; i < SERVET_MPI__SORTS; i++, at += cells) c->x[i] = at;
        for (i = 0; i < SERVET_MPI__SORTS; i++, at += cells) c->q[i] = at;
        for (i = 0; i < 5; i++, at += cells) *square[i] = at;
        for (i = 0; i < 7; i++, at += line) *vector[i] = at;
        p->score = at;
        at += (size_t)pairs * (SERVET_NETWORK_LAYERS + 1);
        p->edge = (servet_mpi__edge *)(void *)at;
        list = (int *)(void *)(p->edge + pairs);
        for (i = 0; i < 14; i++, list += line) *ints[i] = list;
        c->seen = list;
        list += tries * n;
        for (i = 0; i < SERVET_NETWORK_LAYERS; i++, list += n) p->part[i] = list;
        for (i = 0; i < SERVET_NETWORK_LAYERS; i++, list += ranks) p->group[i] = list;
        p->core = list;
        p->start = p->core + ranks;
        p->placed = p->start + ranks + 1;
        p->fresh = p->placed + ranks;
        p->to = p->fresh + ranks;
    }
    return (11 * cells + 7 * line + (size_t)pairs * (SERVET_NETWORK_LAYERS + 1)) * sizeof(double)
         + (size_t)pairs * sizeof(servet_mpi__edge)
         + (14 * line + (tries + SERVET_NETWORK_LAYERS) * n + (SERVET_NETWORK_LAYERS + 4) * (size_t)ranks + 1
            + 2 * (size_t)pairs) * sizeof(int);
}

SERVET_MPI__PRIVATE int servet_mpi__sound(const servet_network *n)
{
    int i;
    if (!n || n->ranks < 1 || n->ranks > SERVET_NETWORK_RANKS || n->pair_count < 0
        || n->pair_count > SERVET_NETWORK_PAIRS) return 0;
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *p = n->pair + i;
        if (p->a < 0 || p->b < 0 || p->a >= n->ranks || p->b >= n->ranks || p->a == p->b) return 0;
    }
    return 1;
}

SERVET_MPI__DEF size_t servet_mpi_work_bytes(const servet_network *n)
{
    servet_mpi__place p;
    return servet_mpi__sound(n) ? servet_mpi__lay(&p, n->ranks, n->pair_count, NULL) : 0;
}

SERVET_MPI__PRIVATE const servet_trip *servet_mpi__sort(const servet_network_pair *p, int f)
{
    return f == 0 ? &p->small : f == 1 ? &p->trip : &p->stream;
}

/* Edges from records.  Of several records of a pair the lowest counts, since disturbance adds; but a pair among others
 * shares what it passes through, and must not look near because it was also measured alone.  So costs of one way of
 * measuring are brought to the other, of which there are more, by the ratio of pairs that have both and cost about as
 * much: the middle one of five. */
SERVET_MPI__PRIVATE void servet_mpi__edges(servet_mpi__place *p, const servet_network *n)
{
    int i, e, f, k, have[2];
    double *way[2], *sorted;
    memset(p->start, 0, ((size_t)p->ranks + 1) * sizeof *p->start);
    memset(p->placed, 0, (size_t)p->ranks * sizeof *p->placed);
    for (i = 0; i < n->pair_count; i++) p->start[(n->pair[i].a < n->pair[i].b ? n->pair[i].a : n->pair[i].b) + 1]++;
    for (i = 0; i < p->ranks; i++) p->start[i + 1] += p->start[i];
    way[0] = p->score;                          /* three sorts among others, then alone */
    way[1] = way[0] + (size_t)n->pair_count * SERVET_MPI__SORTS;
    sorted = way[1] + (size_t)n->pair_count * SERVET_MPI__SORTS;
    for (i = 0; i < n->pair_count; i++) {       /* by the lower rank, to find what is the same pair */
        const servet_network_pair *r = n->pair + i;
        const int a = r->a < r->b ? r->a : r->b, b = r->a < r->b ? r->b : r->a;
        for (e = p->start[a]; e < p->start[a] + p->placed[a] && p->edge[e].b != b; e++) { }
        if (e == p->start[a] + p->placed[a]) {
            p->placed[a]++;
            p->edge[e].a = a;
            p->edge[e].b = b;
            for (f = 0; f < SERVET_MPI__SORTS; f++)
                way[0][e * SERVET_MPI__SORTS + f] = way[1][e * SERVET_MPI__SORTS + f] = HUGE_VAL;
        }
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            const double v = (double)servet_mpi__sort(r, f)->p10_ns;
            double *to = way[r->at_once <= 1] + e * SERVET_MPI__SORTS + f;
            if (v > 0 && v < HUGE_VAL && log(v) < *to) *to = log(v);
        }
    }
    p->edges = 0;
    for (i = 0; i < p->ranks; i++)
        for (e = p->start[i]; e < p->start[i] + p->placed[i]; e++) {
            for (k = f = 0; f < 2 * SERVET_MPI__SORTS; f++) {
                const int from = e * SERVET_MPI__SORTS + f / 2, to = p->edges * SERVET_MPI__SORTS + f / 2;
                way[f & 1][to] = way[f & 1][from];
                k |= servet_mpi__finite(way[f & 1][to]);
            }
            if (k) p->edge[p->edges++] = p->edge[e];
        }
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        size_t m = 0, at;
        int base;
        have[0] = have[1] = 0;
        for (e = 0; e < p->edges; e++) {
            const double crowd = way[0][e * SERVET_MPI__SORTS + f], own = way[1][e * SERVET_MPI__SORTS + f];
            have[0] += servet_mpi__finite(crowd);
            have[1] += servet_mpi__finite(own);
        }
        base = have[1] > have[0];
        for (e = 0; e < p->edges; e++) {        /* pairs that have both, by what the rarer way says */
            const double rare = way[!base][e * SERVET_MPI__SORTS + f];
            if (servet_mpi__finite(rare) && servet_mpi__finite(way[base][e * SERVET_MPI__SORTS + f])) sorted[m++] = rare;
        }
        servet_stats_sort(sorted, m);
        for (e = 0; e < p->edges; e++) {
            const double rare = way[!base][e * SERVET_MPI__SORTS + f];
            double usual = way[base][e * SERVET_MPI__SORTS + f], ratio[5], lo, hi;
            size_t first;
            int found = 0, g;
            p->edge[e].x[f] = usual;
            if (!servet_mpi__finite(rare)) continue;
            for (at = 0; at < m && sorted[at] < rare; at++) { }
            first = at < 2 ? 0 : at - 2;
            if (first + 5 > m) first = m > 5 ? m - 5 : 0;
            lo = m ? sorted[first] : 0;
            hi = m ? sorted[first + 5 <= m ? first + 4 : m - 1] : 0;
            for (g = 0; g < p->edges && found < 5; g++) {
                const double other = way[!base][g * SERVET_MPI__SORTS + f], both = way[base][g * SERVET_MPI__SORTS + f];
                if (servet_mpi__finite(other) && servet_mpi__finite(both) && other >= lo && other <= hi)
                    ratio[found++] = both - other;
            }
            servet_stats_sort(ratio, (size_t)found);
            lo = found ? servet_stats_quantile(ratio, (size_t)found, 0.5) : 0;
            if (base ? lo > 0 : lo < 0) lo = 0;             /* others do not make a message faster */
            if (rare + lo < usual) usual = rare + lo;
            p->edge[e].x[f] = usual;
        }
    }
    memset(p->start, 0, ((size_t)p->ranks + 1) * sizeof *p->start);
    for (e = 0; e < p->edges; e++) {
        p->start[p->edge[e].a + 1]++;
        p->start[p->edge[e].b + 1]++;
    }
    for (i = 0; i < p->ranks; i++) p->start[i + 1] += p->start[i];
    for (i = 0; i < p->ranks; i++) p->placed[i] = p->start[i];
    for (e = 0; e < p->edges; e++) {
        p->to[p->placed[p->edge[e].a]++] = e;
        p->to[p->placed[p->edge[e].b]++] = e;
    }
}

SERVET_MPI__PRIVATE int servet_mpi__other(const servet_mpi__place *p, int e, int rank)
{
    return p->edge[e].a == rank ? p->edge[e].b : p->edge[e].a;
}

/* Ranks all of which know nearly all others: those with most pairs first. */
SERVET_MPI__PRIVATE void servet_mpi__choose(servet_mpi__place *p)
{
    const int all = p->ranks <= SERVET_MPI__CORE && 4.0 * p->edges >= p->ranks * (p->ranks - 1.0);
    int i, e, *hits = p->placed;
    p->c.n = 0;
    for (i = 0; i < p->ranks; i++) {
        p->core[i] = all ? i : -1;
        hits[i] = 0;
        if (all) p->c.rank[p->c.n++] = i;
    }
    while (!all && p->c.n < SERVET_MPI__CORE) {
        int at = -1, most = -1;
        for (i = 0; i < p->ranks; i++) {
            const int degree = p->start[i + 1] - p->start[i];
            if (p->core[i] >= 0 || degree < 1 || 10 * hits[i] < 9 * p->c.n) continue;
            if (degree > most) {
                most = degree;
                at = i;
            }
        }
        if (at < 0) break;
        p->core[at] = p->c.n;
        p->c.rank[p->c.n++] = at;
        for (e = p->start[at]; e < p->start[at + 1]; e++) hits[servet_mpi__other(p, p->to[e], at)]++;
    }
}

/* Costs of the core, and what is known of their noise. */
SERVET_MPI__PRIVATE void servet_mpi__fill(servet_mpi__place *p, const servet_network *n)
{
    servet_mpi__core *c = &p->c;
    const size_t cells = (size_t)c->n * (size_t)c->n;
    size_t i, m;
    int e, f, there, pairs = 0;
    for (f = 0; f < SERVET_MPI__SORTS; f++) for (i = 0; i < cells; i++) c->x[f][i] = HUGE_VAL;
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        for (e = there = pairs = 0; e < p->edges; e++) {
            const int a = p->core[p->edge[e].a], b = p->core[p->edge[e].b];
            if (a < 0 || b < 0) continue;
            pairs++;
            if (!servet_mpi__finite(p->edge[e].x[f])) continue;
            there++;
            c->x[f][a * c->n + b] = c->x[f][b * c->n + a] = p->edge[e].x[f];
        }
        c->use[f] = there > 0 && 10 * there >= 9 * pairs;
        for (e = 0, m = 0; e < n->pair_count && m < cells; e++) {
            const servet_trip *t = servet_mpi__sort(n->pair + e, f);
            if (t->lo_ns > 0 && t->hi_ns >= t->lo_ns) c->cell[m++] = log((double)t->hi_ns / (double)t->lo_ns) / 3.92;
        }
        servet_stats_sort(c->cell, m);
        c->known[f] = m ? servet_stats_quantile(c->cell, m, 0.5) : 0;
        if (c->use[f]) c->noise[f] = servet_mpi__triples(c, c->x[f]);
    }
}

/* The layers of the core. */
SERVET_MPI__PRIVATE void servet_mpi__nest(servet_mpi__place *p, const servet_network *n)
{
    servet_mpi__core *c = &p->c;
    int open[SERVET_NETWORK_LAYERS + 1], i, at, l;
    p->layers = 0;
    open[0] = 1;
    for (i = 0; i < c->n; i++) p->fresh[i] = n->hosts > 0 ? n->host[c->rank[i]] : 0;
    for (;;) {
        int *last = p->part[SERVET_NETWORK_LAYERS - 1], *spare;
        double proof;
        for (at = 0; at <= p->layers && !open[at]; at++) { }
        if (at > p->layers || p->layers == SERVET_NETWORK_LAYERS - 1) break;
        proof = servet_mpi__split(c, at > 0 ? p->part[at - 1] : NULL, at < p->layers ? p->part[at] : NULL, p->fresh,
                                  last);
        open[at] = 0;
        if (!(proof > 0)) continue;
        spare = p->part[p->layers];
        for (l = p->layers; l > at; l--) {
            p->part[l] = p->part[l - 1];
            p->proof[l] = p->proof[l - 1];
            open[l + 1] = open[l];
        }
        p->part[SERVET_NETWORK_LAYERS - 1] = spare;
        p->part[at] = last;
        p->proof[at] = proof;
        open[at] = open[at + 1] = 1;
        p->layers++;
    }
    servet_mpi__units(c, p->layers ? p->part[p->layers - 1] : NULL, NULL);
    p->metric = servet_mpi__metric(c);
}

/* The layer of a pair of the core; layers where none joins them. */
SERVET_MPI__PRIVATE int servet_mpi__within(const servet_mpi__place *p, int a, int b)
{
    int l = 0;
    while (l < p->layers && p->group[l][a] != p->group[l][b]) l++;
    return l;
}

/* What pairs of each layer typically cost, and how much they differ: by quartiles, drawn toward what noise is there
 * where pairs are few. */
SERVET_MPI__PRIVATE void servet_mpi__learn(servet_mpi__place *p)
{
    int l, f, e;
    for (f = 0; f < SERVET_MPI__SORTS; f++)
        for (l = 0; l <= p->layers; l++) {
            size_t m = 0;
            double sd = 0;
            for (e = 0; e < p->edges && m < (size_t)p->c.n * (size_t)p->c.n; e++)
                if (p->core[p->edge[e].a] >= 0 && p->core[p->edge[e].b] >= 0 && p->edge[e].level == l
                    && servet_mpi__finite(p->edge[e].x[f])) p->c.cell[m++] = p->edge[e].x[f];
            servet_stats_sort(p->c.cell, m);
            if (m > 1)
                sd = (servet_stats_quantile(p->c.cell, m, 0.75) - servet_stats_quantile(p->c.cell, m, 0.25)) / 1.349;
            p->typical[l][f] = m ? servet_stats_quantile(p->c.cell, m, 0.5) : HUGE_VAL;
            p->spread[l][f] = sqrt((sd * sd * (double)m + 4 * p->c.known[f] * p->c.known[f]) / ((double)m + 4))
                            + SERVET_MPI__FLOOR;
        }
}

/* How badly a pair suits each layer: squares of deviations, each drawn in, so that one disturbed sort of message is not
 * all there is to it, and the logarithm of what is usual. */
SERVET_MPI__PRIVATE void servet_mpi__suit(const servet_mpi__place *p, const double *x, double *score)
{
    int l, f;
    for (l = 0; l <= p->layers; l++) {
        score[l] = 0;
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            double z;
            if (!servet_mpi__finite(x[f]) || !servet_mpi__finite(p->typical[l][f])) continue;
            z = (x[f] - p->typical[l][f]) / p->spread[l][f];
            z *= z;
            score[l] += (z > 36 ? 36 + log(z / 36) : z) + 2 * log(p->spread[l][f]);
        }
    }
}

SERVET_MPI__PRIVATE int servet_mpi__least(const double *score, int layers)
{
    int l, best = 0;
    for (l = 1; l <= layers; l++) if (score[l] < score[best]) best = l;
    return best;
}

/* Join rank x to y at a layer: inside, it is alone. */
SERVET_MPI__PRIVATE void servet_mpi__join(servet_mpi__place *p, int x, int y, int layer)
{
    int l;
    for (l = 0; l < p->layers; l++) p->group[l][x] = l >= layer && y >= 0 ? p->group[l][y] : x;
    p->placed[x] = 1;
}

/* The place that suits all pairs of x with ranks that have one: to be y's neighbour at a layer.  Returns the layer. */
SERVET_MPI__PRIVATE int servet_mpi__seat(servet_mpi__place *p, int x, int *with)
{
    const int width = p->layers + 1;
    int e, g, l, best = -1, known = 0;
    double least = HUGE_VAL;
    *with = -1;
    for (e = p->start[x]; e < p->start[x + 1]; e++) {
        const int y = servet_mpi__other(p, p->to[e], x);
        const double *score = p->score + p->to[e] * width;
        if (!p->placed[y] || y == x) continue;
        known++;
        for (l = 0; l <= p->layers; l++) {
            double s = 0;
            /* Of candidates, those that the pair itself can bear. */
            if (score[l] > score[servet_mpi__least(score, p->layers)] + 36) continue;
            for (g = p->start[x]; g < p->start[x + 1]; g++) {
                const int z = servet_mpi__other(p, p->to[g], x);
                int at;
                if (!p->placed[z] || z == x) continue;
                at = z == y ? 0 : servet_mpi__within(p, y, z);
                s += p->score[p->to[g] * width + (at > l ? at : l)];
            }
            if (s < least || (s <= least && l < best)) {
                least = s;
                best = l;
                *with = y;
            }
        }
    }
    return known ? best : -1;
}

/* Ranks beside the core: near ones first, so that what joins a group is there before what does not. */
SERVET_MPI__PRIVATE void servet_mpi__seats(servet_mpi__place *p)
{
    const int width = p->layers + 1;
    int i, e, l, with, turn, moved, left = 0;
    for (i = 0; i < p->ranks; i++) {
        p->placed[i] = p->core[i] >= 0;
        for (l = 0; l < p->layers; l++)
            p->group[l][i] = p->placed[i] ? p->c.rank[p->part[l][p->core[i]]] : i;
        left += !p->placed[i];
    }
    /* A group is called after one of its ranks: that of the core whose place its label is, if no rank else. */
    for (l = 0; l < p->layers; l++) {
        for (i = 0; i < p->c.n; i++) p->c.label[i] = -1;
        for (i = 0; i < p->c.n; i++) {
            int *first = p->c.label + p->part[l][i];
            if (*first < 0) *first = p->c.rank[i];
            p->group[l][p->c.rank[i]] = *first;
        }
    }
    for (e = 0; e < p->edges; e++) {
        const int a = p->edge[e].a, b = p->edge[e].b;
        p->edge[e].level = p->core[a] >= 0 && p->core[b] >= 0 ? servet_mpi__within(p, a, b) : -1;
    }
    servet_mpi__learn(p);
    for (e = 0; e < p->edges; e++) {
        servet_mpi__suit(p, p->edge[e].x, p->score + e * width);
        if (p->edge[e].level < 0) p->edge[e].level = servet_mpi__least(p->score + e * width, p->layers);
    }
    while (left > 0) {
        int at = -1, most = 0;
        for (i = 0, moved = 0; i < p->ranks; i++) {
            int near = 0, known = 0;
            if (p->placed[i]) continue;
            for (e = p->start[i]; e < p->start[i + 1]; e++) {
                if (!p->placed[servet_mpi__other(p, p->to[e], i)]) continue;
                known++;
                near += p->edge[p->to[e]].level < p->layers;
            }
            if (near) {
                l = servet_mpi__seat(p, i, &with);
                servet_mpi__join(p, i, with, l);
                left--;
                moved = 1;
            } else if (p->start[i + 1] - p->start[i] + (known > 0) * 2 * p->edges > most) {
                most = p->start[i + 1] - p->start[i] + (known > 0) * 2 * p->edges;
                at = i;
            }
        }
        if (moved) continue;
        if (at < 0) break;              /* ranks of which nothing is known */
        servet_mpi__join(p, at, -1, p->layers);
        left--;
    }
    /* What was placed early may have learnt more since. */
    for (turn = 0; turn < 2; turn++)
        for (i = 0; i < p->ranks; i++) {
            int mine = 0;
            if (p->core[i] >= 0 || p->start[i + 1] - p->start[i] < 2 || !p->placed[i]) continue;
            for (e = 0; e < p->ranks && !mine; e++)     /* a group is called after it: others hang on that */
                for (l = 0; l < p->layers; l++) mine |= e != i && p->group[l][e] == i;
            if (mine) continue;
            l = servet_mpi__seat(p, i, &with);
            if (l >= 0) servet_mpi__join(p, i, with, l);
        }
}

/* Medians over the pairs of a layer of one sort of message, with the interval of order statistics. */
SERVET_MPI__PRIVATE void servet_mpi__median(double *v, double *lo, double *hi, size_t m, double *out)
{
    int l, u;
    out[0] = out[1] = out[2] = 0;
    if (m == 0) return;
    servet_stats_sort(v, m);
    servet_stats_sort(lo, m);
    servet_stats_sort(hi, m);
    servet_mpi__median_ranks((int)m, &l, &u);
    out[0] = servet_stats_quantile(v, m, 0.5);
    /* So few pairs that their own intervals say more. */
    out[1] = m < 6 ? lo[0] : v[l - 1];
    out[2] = m < 6 ? hi[m - 1] : v[u - 1];
}

/* The edge of a pair; -1 where it has no cost. */
SERVET_MPI__PRIVATE int servet_mpi__find(const servet_mpi__place *p, int a, int b)
{
    int e;
    if (p->start[a + 1] - p->start[a] > p->start[b + 1] - p->start[b]) {
        e = a;
        a = b;
        b = e;
    }
    for (e = p->start[a]; e < p->start[a + 1]; e++) if (servet_mpi__other(p, p->to[e], a) == b) return p->to[e];
    return -1;
}

/* What the pairs of each layer cost, from the records: those alone where there are three, else all. */
SERVET_MPI__PRIVATE void servet_mpi__report(servet_mpi__place *p, const servet_network *n, servet_network_layer *layer)
{
    const size_t pairs = (size_t)n->pair_count;
    double *v = p->score, *lo = v + pairs, *hi = lo + pairs, *own = hi + pairs, *crowd = own + pairs;
    int l, f, i, e, alone;
    for (e = 0; e < p->edges; e++) {
        p->edge[e].level = servet_mpi__within(p, p->edge[e].a, p->edge[e].b);
        own[e] = crowd[e] = 0;
    }
    for (i = 0; i < n->pair_count; i++) {       /* the same pair, alone and among others */
        const servet_network_pair *r = n->pair + i;
        const double t = (double)r->trip.median_ns;
        double *to;
        e = servet_mpi__find(p, r->a, r->b);
        if (e < 0 || !(t > 0)) continue;
        to = r->at_once > 1 ? crowd + e : own + e;
        if (!(*to > 0) || t < *to) *to = t;
    }
    for (l = 0; l <= p->layers; l++) {
        servet_network_layer *y = layer + l;
        double middle[SERVET_MPI__SORTS][3], nearest = HUGE_VAL;
        size_t m = 0;
        y->a = y->b = -1;
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            for (alone = 1, m = 0; alone >= 0 && m < 3; alone--)
                for (i = 0, m = 0; i < n->pair_count; i++) {
                    const servet_network_pair *r = n->pair + i;
                    const servet_trip *t = servet_mpi__sort(r, f);
                    if (!(t->median_ns > 0) || (alone && r->at_once > 1)
                        || servet_mpi__within(p, r->a, r->b) != l) continue;
                    v[m] = (double)t->median_ns;
                    lo[m] = (double)t->lo_ns;
                    hi[m++] = (double)t->hi_ns;
                }
            servet_mpi__median(v, lo, hi, m, middle[f]);
        }
        y->small_ns = middle[0][0];
        y->small_lo_ns = middle[0][1];
        y->small_hi_ns = middle[0][2];
        y->trip_ns = middle[1][0];
        y->trip_lo_ns = middle[1][1];
        y->trip_hi_ns = middle[1][2];
        if (middle[2][0] > 0 && n->stream_bytes > 0) {
            y->bytes_per_s = n->stream_bytes / middle[2][0] * 1e9;
            y->lo_bytes_per_s = middle[2][2] > 0 ? n->stream_bytes / middle[2][2] * 1e9 : 0;
            y->hi_bytes_per_s = middle[2][1] > 0 ? n->stream_bytes / middle[2][1] * 1e9 : 0;
        }
        for (i = 0; i < n->pair_count; i++) {   /* the medoid: one alone and undisturbed, where there is one as good */
            const servet_network_pair *r = n->pair + i;
            double far = 0;
            int sorts = 0;
            if (servet_mpi__within(p, r->a, r->b) != l) continue;
            for (f = 0; f < SERVET_MPI__SORTS; f++) {
                const servet_trip *t = servet_mpi__sort(r, f);
                if (!(t->median_ns > 0) || !(middle[f][0] > 0)) continue;
                far += fabs(log((double)t->median_ns / middle[f][0]));
                sorts++;
            }
            if (!sorts) continue;
            far = far / sorts + (r->flags ? SERVET_MPI__FLOOR : 0);
            if (far < nearest) {
                nearest = far;
                y->a = r->a;
                y->b = r->b;
            }
        }
        for (e = 0, m = 0; e < p->edges; e++) {
            if (p->edge[e].level != l) continue;
            y->pairs++;
            if (crowd[e] > 0 && own[e] > 0) v[m++] = crowd[e] / own[e];
        }
        servet_stats_sort(v, m);
        y->crowded_frac = m ? servet_stats_quantile(v, m, 0.5) : 0;
    }
}

/* Layers by Figure 7: each pair, in order, to the first layer whose first latency is similar; from the nearest layer
 * outward, ranks that its pairs join. */
SERVET_MPI__PRIVATE void servet_mpi__figure_7(servet_mpi__place *p, const servet_network *n, double similar)
{
    double first[SERVET_NETWORK_LAYERS + 1];
    int count = 0, i, l, e, at, order[SERVET_NETWORK_LAYERS + 1], f = 1;
    for (i = 0; i < n->pair_count && f == 1; i++) if (n->pair[i].trip.median_ns > 0) f = 2;
    f = f == 2 ? 1 : 0;                         /* small messages where there are no others */
    for (e = 0; e < p->edges; e++) p->edge[e].level = -1;
    for (i = 0; i < n->pair_count; i++) {
        const double t = (double)servet_mpi__sort(n->pair + i, f)->median_ns;
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (!(t > 0) || e < 0) continue;
        for (l = 0; l < count && fabs(t - first[l]) > similar * first[l]; l++) { }
        if (l == count && count < SERVET_NETWORK_LAYERS + 1) first[count++] = t;
        if (l > count - 1) l = count - 1;       /* more layers than there is room for: the last takes them */
        p->edge[e].level = l;
    }
    for (l = 0; l < count; l++) {
        for (order[l] = 0, at = 0; at < count; at++)
            order[l] += first[at] < first[l] || (first[at] <= first[l] && at < l);
    }
    p->layers = count > 0 ? count - 1 : 0;
    for (l = 0; l < p->layers; l++) {
        for (i = 0; i < p->ranks; i++) p->fresh[i] = i;
        for (e = 0; e < p->edges; e++) {
            int a = p->edge[e].a, b = p->edge[e].b;
            if (p->edge[e].level < 0 || order[p->edge[e].level] > l) continue;
            while (p->fresh[a] != a) a = p->fresh[a];
            while (p->fresh[b] != b) b = p->fresh[b];
            if (a < b) p->fresh[b] = a;
            else p->fresh[a] = b;
        }
        for (i = 0; i < p->ranks; i++) {
            int a = i;
            while (p->fresh[a] != a) a = p->fresh[a];
            p->group[l][i] = a;
        }
        p->proof[l] = 0;
    }
}

/* All of the inference, up to the groups of all ranks. */
SERVET_MPI__PRIVATE void servet_mpi__place_all(servet_mpi__place *p, const servet_network *n)
{
    servet_mpi__edges(p, n);
    servet_mpi__choose(p);
    servet_mpi__fill(p, n);
    servet_mpi__nest(p, n);
    servet_mpi__seats(p);
}

SERVET_MPI__DEF int servet_mpi_layers_infer(servet_network *n, void *work, const servet_mpi_opts *opts)
{
    servet_mpi__place place, *p = &place;
    servet_network_layer layer[SERVET_NETWORK_LAYERS + 1];
    const double similar = opts && opts->similar_frac > 0 ? opts->similar_frac : 0.1;
    int l, i, count = 0, from[SERVET_NETWORK_LAYERS];
    if (!work || !servet_mpi__sound(n) || (opts && (opts->similar_frac < 0 || opts->similar_frac >= 1)))
        return SERVET_EINVAL;
    servet_mpi__lay(p, n->ranks, n->pair_count, work);
    if (opts && opts->figure_7) {
        servet_mpi__edges(p, n);
        if (p->edges) servet_mpi__figure_7(p, n, similar);
    } else {
        servet_mpi__place_all(p, n);
    }
    if (p->edges == 0) return SERVET_EUNRESOLVED;
    for (l = 0; l < p->layers; l++) {           /* a group has two ranks, and is not all there is */
        int groups = 0, whole = 0;
        for (i = 0; i < p->ranks; i++) p->fresh[i] = 0;
        for (i = 0; i < p->ranks; i++) p->fresh[p->group[l][i]]++;
        for (i = 0; i < p->ranks; i++) {
            groups += p->fresh[i] > 1;
            whole |= p->fresh[i] == p->ranks;
        }
        if (groups && !whole) from[count++] = l;
    }
    for (l = 0; l < count; l++) {
        p->group[l] = p->group[from[l]];        /* from[l] >= l */
        p->proof[l] = p->proof[from[l]];
    }
    p->layers = count;
    memset(layer, 0, sizeof layer);
    servet_mpi__report(p, n, layer);
    memcpy(n->layer, layer, sizeof layer);
    n->layer_count = count;
    n->distance_like = p->metric;
    for (l = 0; l < SERVET_NETWORK_LAYERS; l++) {
        int groups = 0, out = 0, across = 0;
        for (i = 0; i < SERVET_NETWORK_RANKS; i++) n->group[l][i] = -1;
        if (l >= count) continue;
        for (i = 0; i < p->ranks; i++) p->fresh[i] = p->placed[i] = 0;
        for (i = 0; i < p->ranks; i++) p->fresh[p->group[l][i]]++;
        for (i = 0; i < p->ranks; i++) {
            const int g = p->group[l][i];
            if (p->fresh[g] > 1) p->placed[g] = ++groups;
            if (p->fresh[g] > 0) p->fresh[g] = -p->fresh[g];
            if (p->fresh[g] < -1) n->group[l][i] = (int16_t)(p->placed[g] - 1);
        }
        n->layer[l].groups = groups;
        n->layer[l].confidence_frac = p->proof[l] > 0 ? 1 - exp(-p->proof[l]) : 0;
        /* Hosts and groups: two of a group on two hosts, and two of a host in two groups or one of them in none. */
        for (i = 0; i < p->ranks; i++) p->fresh[i] = p->placed[i] = -1;
        for (i = 0; i < p->ranks; i++) {
            const int g = n->group[l][i], h = n->host[i] >= 0 && n->host[i] < p->ranks ? n->host[i] : 0;
            if (g >= 0) {
                if (p->fresh[g] < 0) p->fresh[g] = h;
                else out |= p->fresh[g] != h;
            }
            if (p->placed[h] < 0) p->placed[h] = g < 0 ? p->ranks + i : g;
            else across |= p->placed[h] != g;
        }
        n->layer[l].in_hosts = !out ? 1 : !across ? 0 : -1;
    }
    return count;
}

/* A survey: what is measured so far, and what it may still cost. */
typedef struct servet_mpi__survey {
    const servet_mpi_network *net;
    const servet_mpi_opts *opts;
    servet_network *n;
    servet_mpi_transfer *list;
    servet_message *each;
    double began_s, budget_s, limit_s;
    int    status;                      /* below 0: what ended it                                   */
    int    over;                        /* 1 = by the budget or on request                          */
} servet_mpi__survey;

SERVET_MPI__PRIVATE double servet_mpi__left(const servet_mpi__survey *s)
{
    return s->budget_s - (s->net->seconds(s->net->context) - s->began_s);
}

SERVET_MPI__PRIVATE void servet_mpi__keep(servet_trip *t, const servet_message *m)
{
    if (m->samples < 1 || (t->p10_ns > 0 && (double)t->p10_ns <= m->p10_ns)) return;
    t->p10_ns = (float)m->p10_ns;
    t->median_ns = (float)m->median_ns;
    t->lo_ns = (float)m->lo_ns;
    t->hi_ns = (float)m->hi_ns;
    t->p90_ns = (float)m->p90_ns;
}

/* One round of the pairs in list, all sorts of messages, into records; alone is a record of its own.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__round(servet_mpi__survey *s, int count, int *record, double time_s)
{
    int f, i;
    for (f = 0; f < SERVET_MPI__SORTS; f++) {
        servet_mpi_round r;
        const double left = servet_mpi__left(s);
        int status;
        if (s->over || s->status < 0) return 0;
        if (left <= 0 || (s->opts && s->opts->stop && s->opts->stop(s->opts->ctx))) {
            s->over = 1;
            return 0;
        }
        memset(&r, 0, sizeof r);
        r.kind = f == 2 ? SERVET_MESSAGE_STREAM : SERVET_MESSAGE_TRIP;
        r.bytes = (size_t)(f == 0 ? s->n->small_bytes : f == 1 ? s->n->trip_bytes : s->n->stream_bytes);
        r.window = f == 2 ? 2 : 1;
        r.most = 60;
        r.limit_s = time_s < 0.02 ? 0.02 : time_s;
        if (r.limit_s > s->limit_s) r.limit_s = s->limit_s;
        r.count = count;
        r.transfer = s->list;
        r.each = s->each;
        memset(s->each, 0, (size_t)count * sizeof *s->each);
        status = s->net->exchange(s->net->context, &r);
        s->n->rounds++;
        for (i = 0; i < count && status != SERVET_EINVAL && status != SERVET_ENOMEM; i++) {
            servet_network_pair *p = s->n->pair + record[i];
            const servet_message *m = s->each + i;
            if (m->samples < 1) continue;
            servet_mpi__keep(f == 0 ? &p->small : f == 1 ? &p->trip : &p->stream, m);
            p->flags = (int16_t)(p->flags | m->flags);
        }
        if (status < 0) {
            s->status = status;
            return 0;
        }
    }
    return 1;
}

/* A record for a pair, alone or among others: the one there is, or a new one; -1 where there is no room. */
SERVET_MPI__PRIVATE int servet_mpi__record(servet_network *n, int a, int b, int at_once, int from)
{
    int i;
    for (i = from; i < n->pair_count; i++) {
        servet_network_pair *p = n->pair + i;
        if (((p->a == a && p->b == b) || (p->a == b && p->b == a)) && (p->at_once <= 1) == (at_once <= 1)) return i;
    }
    if (n->pair_count >= SERVET_NETWORK_PAIRS) return -1;
    memset(&n->pair[i], 0, sizeof n->pair[i]);
    n->pair[i].a = (int16_t)a;
    n->pair[i].b = (int16_t)b;
    n->pair[i].at_once = (int16_t)at_once;
    return n->pair_count++;
}

/* All pairs of these ranks: in rounds of a tournament, or one after another. */
SERVET_MPI__PRIVATE int servet_mpi__tournament(servet_mpi__survey *s, int *rank, int count, uint64_t *seed,
                                               double budget_s)
{
    const int rounds = servet_pairs_rounds(count), serial = s->opts && s->opts->serial;
    const double until = servet_mpi__left(s) - budget_s;
    servet_pair pair[SERVET_MPI__CORE / 2];
    int record[SERVET_MPI__CORE / 2], order[SERVET_MPI__CORE], i, r, at;
    for (i = count - 1; i > 0; i--) {
        const int j = (int)servet_stats_random_below(seed, (size_t)i + 1), keep = rank[i];
        rank[i] = rank[j];
        rank[j] = keep;
    }
    for (r = 0; r < rounds; r++) order[r] = r;
    for (r = rounds - 1; r > 0; r--) {
        const int j = (int)servet_stats_random_below(seed, (size_t)r + 1), keep = order[r];
        order[r] = order[j];
        order[j] = keep;
    }
    for (r = 0; r < rounds; r++) {
        const int pairs = servet_pairs_round(pair, count, order[r]), steps = serial ? pairs : 1;
        for (at = 0; at < steps; at++) {
            const int first = serial ? at : 0, many = serial ? 1 : pairs;
            const double left = servet_mpi__left(s) - until;
            for (i = 0; i < many; i++) {
                const int a = rank[pair[first + i].a], b = rank[pair[first + i].b];
                /* Either end begins, by chance: what a protocol costs may depend on who does. */
                const int turn = (int)(servet_stats_random(seed) >> 63);
                record[i] = servet_mpi__record(s->n, a, b, many, 0);
                if (record[i] < 0) return 1;
                s->list[i].from = turn ? a : b;
                s->list[i].to = turn ? b : a;
            }
            if (!servet_mpi__round(s, many, record, left / (SERVET_MPI__SORTS * ((rounds - r - 1) * steps + steps - at))))
                return 0;
            if (s->opts && s->opts->progress)
                s->opts->progress(s->opts->ctx, 1 - servet_mpi__left(s) / s->budget_s, left > 0 ? left : 0);
        }
    }
    return 1;
}

/* Pairs in doubt: of two sorts of times, far above what their layer costs, or as near to another layer as to their own.
 * Counts those not yet measured alone; the worst come first. */
SERVET_MPI__PRIVATE int servet_mpi__suspects(servet_mpi__place *p, const servet_network *n, int *edge, int most)
{
    double *doubt = p->score + (size_t)p->edges * (size_t)(p->layers + 1);
    int e, i, f, l, count = 0;
    memset(p->fresh, 0, (size_t)p->ranks * sizeof *p->fresh);
    for (e = 0; e < p->edges; e++) {
        double score[SERVET_NETWORK_LAYERS + 1], next = HUGE_VAL;
        const int own = servet_mpi__within(p, p->edge[e].a, p->edge[e].b);
        servet_mpi__suit(p, p->edge[e].x, score);
        doubt[e] = 0;
        for (f = 0; f < SERVET_MPI__SORTS; f++) {
            const double z = servet_mpi__finite(p->edge[e].x[f]) && servet_mpi__finite(p->typical[own][f])
                           ? (p->edge[e].x[f] - p->typical[own][f]) / p->spread[own][f] : 0;
            if (fabs(z) > 4) doubt[e] += fabs(z);       /* one in 16 000, were it noise */
        }
        for (l = 0; l <= p->layers; l++) if (l != own && score[l] < next) next = score[l];
        if (score[own] > next) doubt[e] += 4 + score[own] - next;
    }
    for (i = 0; i < n->pair_count; i++) {
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (e >= 0 && (n->pair[i].flags & SERVET_MESSAGE_BIMODAL)) doubt[e] += 4;
    }
    for (i = 0; i < n->pair_count; i++) {
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (e >= 0 && n->pair[i].at_once <= 1) doubt[e] = 0;
    }
    for (;;) {
        int worst = -1;
        for (e = 0; e < p->edges; e++) if (doubt[e] > 0 && (worst < 0 || doubt[e] > doubt[worst])) worst = e;
        if (worst < 0 || count == most) return count;
        doubt[worst] = 0;
        edge[count++] = worst;
    }
}

/* These pairs alone. */
SERVET_MPI__PRIVATE int servet_mpi__alone(servet_mpi__survey *s, const servet_mpi__place *p, const int *edge, int count,
                                          double budget_s)
{
    const double until = servet_mpi__left(s) - budget_s;
    int i;
    for (i = 0; i < count; i++) {
        const servet_mpi__edge *e = p->edge + edge[i];
        const double left = servet_mpi__left(s) - until;
        int record = servet_mpi__record(s->n, e->a, e->b, 1, 0);
        if (left <= 0 || record < 0) return 1;
        s->list[0].from = e->a;
        s->list[0].to = e->b;
        if (!servet_mpi__round(s, 1, &record, left / (SERVET_MPI__SORTS * (count - i)))) return 0;
    }
    return 1;
}

/* Some pairs of each layer that are not known alone: at even steps, so that all parts of it are seen. */
SERVET_MPI__PRIVATE int servet_mpi__samples(servet_mpi__place *p, const servet_network *n, int *edge, int each)
{
    int e, i, l, count = 0, *known = p->fresh;
    double *seen = p->score;
    for (e = 0; e < p->edges; e++) seen[e] = 0;
    for (i = 0; i < n->pair_count; i++) {
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (e >= 0 && n->pair[i].at_once <= 1) seen[e] = 1;
    }
    (void)known;
    for (l = 0; l <= p->layers; l++) {
        int all = 0, want = each, at = 0, step;
        for (e = 0; e < p->edges; e++) {
            if (servet_mpi__within(p, p->edge[e].a, p->edge[e].b) != l) continue;
            if (seen[e] > 0) want--;
            else all++;
        }
        if (want <= 0 || all == 0) continue;
        step = all / want > 0 ? all / want : 1;
        for (e = 0; e < p->edges && want > 0; e++) {
            if (seen[e] > 0 || servet_mpi__within(p, p->edge[e].a, p->edge[e].b) != l) continue;
            if (at++ % step) continue;
            edge[count++] = e;
            want--;
        }
    }
    return count;
}

SERVET_MPI__PRIVATE int servet_mpi__many(servet_mpi__survey *s, uint64_t *seed) { (void)s; (void)seed; return SERVET_EUNSUPPORTED; }

/* What is known of layers so far, in memory that the caller frees; NULL where there is none. */
SERVET_MPI__PRIVATE void *servet_mpi__known(servet_mpi__place *p, const servet_network *n)
{
    /* One pair more than there are, so that a network without any has memory, too. */
    void *work = malloc(servet_mpi_work_bytes(n) + 64);
    if (!work) return NULL;
    servet_mpi__lay(p, n->ranks, n->pair_count, work);
    servet_mpi__place_all(p, n);
    return work;
}

/* Up to so many ranks all pairs are measured. */
enum { servet_mpi__all_pairs = 64, servet_mpi__turns = 3, servet_mpi__examples = 5 };

/* All pairs; again with others beside them, if there is time; those in doubt alone. */
SERVET_MPI__PRIVATE int servet_mpi__few(servet_mpi__survey *s, uint64_t *seed)
{
    servet_network *n = s->n;
    servet_mpi__place p;
    int rank[servet_mpi__all_pairs], edge[SERVET_MPI__CORE], i, turn, count;
    const int most = n->ranks < 8 ? 8 : n->ranks;
    double spent;
    void *work;
    for (i = 0; i < n->ranks; i++) rank[i] = i;
    if (!servet_mpi__tournament(s, rank, n->ranks, seed, 0.5 * s->budget_s)) return SERVET_OK;
    spent = s->budget_s - servet_mpi__left(s);
    if (!(s->opts && s->opts->serial) && n->ranks > 2 && spent < 0.2 * s->budget_s
        && !servet_mpi__tournament(s, rank, n->ranks, seed, 0.25 * s->budget_s)) return SERVET_OK;
    for (turn = 0; turn < servet_mpi__turns; turn++) {
        work = servet_mpi__known(&p, n);
        if (!work) return SERVET_ENOMEM;
        count = servet_mpi__suspects(&p, n, edge, most);
        i = count == 0 || servet_mpi__alone(s, &p, edge, count, 0.3 * servet_mpi__left(s));
        free(work);
        if (!i) return SERVET_OK;
        if (count == 0) break;
    }
    work = servet_mpi__known(&p, n);
    if (!work) return SERVET_ENOMEM;
    if (s->opts && s->opts->serial) {           /* what others at once do to them */
        servet_pair pair[servet_mpi__all_pairs / 2];
        int record[servet_mpi__all_pairs / 2], r;
        for (r = 0; r < 3 && n->ranks > 3 && r < servet_pairs_rounds(n->ranks); r++) {
            count = servet_pairs_round(pair, n->ranks, r);
            for (i = 0; i < count; i++) {
                record[i] = servet_mpi__record(n, rank[pair[i].a], rank[pair[i].b], count, 0);
                if (record[i] < 0) break;
                s->list[i].from = rank[pair[i].a];
                s->list[i].to = rank[pair[i].b];
            }
            if (i < count || !servet_mpi__round(s, count, record, servet_mpi__left(s) / 10)) break;
        }
    } else {
        count = servet_mpi__samples(&p, n, edge, servet_mpi__examples);
        servet_mpi__alone(s, &p, edge, count, servet_mpi__left(s));
    }
    free(work);
    return SERVET_OK;
}

SERVET_MPI__DEF int servet_mpi_layers(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    servet_mpi__survey s;
    servet_network *copy;
    uint64_t seed = opts && opts->seed ? opts->seed : 1;
    void *work = NULL;
    int status;
    if (!n || !net || !net->exchange || !net->seconds || net->ranks < 1 || net->ranks > SERVET_NETWORK_RANKS
        || (opts && (opts->budget_s < 0 || opts->limit_s < 0 || opts->similar_frac < 0 || opts->similar_frac >= 1)))
        return SERVET_EINVAL;
    memset(&s, 0, sizeof s);
    s.net = net;
    s.opts = opts;
    s.began_s = net->seconds(net->context);
    s.budget_s = opts && opts->budget_s > 0 ? opts->budget_s : 20;
    s.limit_s = opts && opts->limit_s > 0 ? opts->limit_s : 10;
    copy = s.n = (servet_network *)malloc(sizeof *copy);
    s.list = (servet_mpi_transfer *)malloc(((size_t)net->ranks / 2 + 1) * sizeof *s.list);
    s.each = (servet_message *)malloc(((size_t)net->ranks / 2 + 1) * sizeof *s.each);
    status = copy && s.list && s.each ? SERVET_OK : SERVET_ENOMEM;
    if (status == SERVET_OK) {
        *copy = *n;
        copy->ranks = net->ranks;
        copy->hosts = copy->pair_count = copy->layer_count = copy->distance_like = copy->stopped = 0;
        memset(copy->host, 0, sizeof copy->host);
        memset(copy->layer, 0, sizeof copy->layer);
        memset(copy->group, 0xff, sizeof copy->group);      /* -1: of none */
        copy->layer[0].a = copy->layer[0].b = -1;
        if (net->describe) net->describe(net->context, copy);
        copy->small_bytes = 8;
        copy->trip_bytes = opts && opts->trip_bytes ? (double)opts->trip_bytes : 32768;
        copy->stream_bytes = opts && opts->stream_bytes ? (double)opts->stream_bytes : 1048576;
        if (copy->ranks > servet_mpi__all_pairs) status = servet_mpi__many(&s, &seed);
        else if (copy->ranks > 1) status = servet_mpi__few(&s, &seed);
        if (s.status == SERVET_EINVAL || s.status == SERVET_ENOMEM) status = s.status;
    }
    if (status == SERVET_OK && copy->ranks > 1) {
        work = malloc(servet_mpi_work_bytes(copy) + 64);
        status = work ? servet_mpi_layers_infer(copy, work, opts) : SERVET_ENOMEM;
        if (status == SERVET_EUNRESOLVED) status = s.status < 0 ? s.status : s.over ? SERVET_ESTOPPED : status;
    }
    if (status >= 0) {
        copy->stopped |= s.over || s.status < 0;
        copy->seconds += net->seconds(net->context) - s.began_s;
        *n = *copy;
    }
    free(work);
    free(s.each);
    free(s.list);
    free(copy);
    return status;
}

/* >>scaling (implementation) ------------------------------------------------------------------ */

/* >>distance (implementation) ----------------------------------------------------------------- */

/* >>access (implementation) ------------------------------------------------------------------- */

/* >>profile (implementation) ------------------------------------------------------------------ */

#ifdef __cplusplus
}
#endif
#undef SERVET_MPI__DEF
#undef SERVET_MPI__PRIVATE
#endif /* SERVET_MPI_IMPLEMENTATION */

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
    int    each_rank;           /* 1 = DISTANCE of all ranks, not of one of each node               */
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

/* servet_mpi_sizes - latency, bandwidth and protocols of a pair of each layer, by size       [conductor]
 *   n   layers; size and protocol are replaced
 * The typical pair of each layer speaks for all others of it (Servet 2010, III-D).  Returns the number of points. */
SERVET_API int servet_mpi_sizes(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* servet_mpi_scaling - messages of each layer at once                                        [conductor]
 *   n   layers; load is replaced
 * Of each layer, with messages of trip_bytes and of stream_bytes, all at once behind a barrier:
 *   apart          1, 2, 4 and so on to as many pairs as have no rank in common, neighbours in groups first, since they
 *                  share most; at last the same pairs both ways, twice as many messages.  Half of a round trip
 *   from, to one   the layer's typical rank and up to 64 others.  Until acknowledged
 * A drift of the network widens the intervals of those alone and is no slope.  Returns the number of points. */
SERVET_API int servet_mpi_scaling(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* >>distance ---------------------------------------------------------------------------------- */

/* servet_mpi_distance - ratDist (Servet 3.0, section 4.1)                                     [conductor]
 *   n   hosts, and layers if there are; dist and shape are replaced
 * One process of each node, its first rank, in the order of ranks: each sends to the one d further on, all at once.  A
 * node is a host; where measured layers contradict the names of hosts, a group of that layer which agrees best with
 * them.
 * bytes_per_s is the harmonic mean over processes, all bytes over all times, as rates should be averaged.
 * Ratios are of neighbours in time, their intervals from 6 to 24 passes.  Where the time is too short for 6, messages
 * are shorter (dist_bytes), to a 32nd; then, or with opts->ratio_bytes, passes are fewer and intervals wide.
 * Up to 16 each distance, above four in an octave, the divisors of N and N/2; all of them with all_distances.
 * Ranks of a single node have no distance: EUNRESOLVED, unless opts->each_rank.  Two nodes have one, with ratio 1.
 * Returns the number of distances known; ETIME or ENETWORK where a rank was lost, with what was known before. */
SERVET_API int servet_mpi_distance(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts);

/* servet_mpi_distance_infer - the shape, from ratDist                                              [pure]
 * Only differences that intervals cannot explain, were all pairs of distances compared, and of more than a hundredth:
 *   flat        there are none, and one of a half would be seen
 *   two-level   never less with distance, and no more from shape_period on, likewise: the slope from there is below half
 *               of what it was before
 *   ring        never less otherwise.  Two groups that share a link look the same
 *   torus       less and more: the torus of N nodes, in the order of its first dimension, that explains most of it,
 *               if that is nine tenths; shape_period and shape_period_2 are where it returns
 *   unknown     else, unless one of those above explains nine tenths
 * Returns SERVET_SHAPE_*; EUNRESOLVED for fewer than two distances, EINVAL for ratios that are none. */
SERVET_API int servet_mpi_distance_infer(servet_network *n);

/* >>access ------------------------------------------------------------------------------------ */

/* servet_mpi_access - ratNC (Servet 3.0, section 4.2)                                         [conductor]
 *   n   hosts, and layers if there are; access is replaced
 * k processes on each of some nodes, spread over the groups within it, send to the same place on the next node, all at
 * once.  NC is the most that two nodes have.  The paper keeps 2 NC senders: where there are so many nodes, those k that
 * divide them are measured, with 2 NC / k nodes.  Else each k up to 16 and four in an octave above, on as many nodes as
 * have so many ranks, no more than 2 NC / k and no fewer than two; access_constant is 0 then.
 * Passes, means and intervals as in servet_mpi_distance.  EUNRESOLVED for a single node.  Returns the number of k. */
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

/* >>scaling (implementation) ------------------------------------------------------------------ */

#define SERVET_MPI__SMALL_BYTES 32768       /* trip_bytes where nothing says otherwise                */
#define SERVET_MPI__LARGE_BYTES 1048576     /* stream_bytes likewise                                  */

/* A part of a network that is being measured. */
typedef struct servet_mpi__part {
    const servet_mpi_network *net;
    servet_mpi_opts opts;
    double   begin_s, end_s;
    uint64_t random;
    int      rounds, status;    /* of the first round that failed                                   */
    int      stopped;           /* 1 = the time was over, or opts->stop said so                     */
    int      planned, played;   /* rounds, for progress                                             */
} servet_mpi__part;

/* Ranks and hosts are asked for where they are not known yet. */
SERVET_MPI__PRIVATE int servet_mpi__part_open(servet_mpi__part *p, servet_network *n, const servet_mpi_network *net,
                                              const servet_mpi_opts *opts)
{
    if (!n || !net || !net->exchange || !net->seconds) return SERVET_EINVAL;
    memset(p, 0, sizeof *p);
    if (opts) p->opts = *opts;
    if (n->ranks == 0 && net->describe) net->describe(net->context, n);
    if (n->ranks < 1 || n->ranks > SERVET_NETWORK_RANKS || n->ranks != net->ranks) return SERVET_EINVAL;
    p->net = net;
    p->begin_s = net->seconds(net->context);
    p->end_s = p->begin_s + (p->opts.budget_s > 0 ? p->opts.budget_s : 20);
    p->random = p->opts.seed;
    return SERVET_OK;
}

SERVET_MPI__PRIVATE double servet_mpi__part_left_s(const servet_mpi__part *p)
{
    return p->end_s - p->net->seconds(p->net->context);
}

/* Plays a round in what is left of the time: 1 if it has its answers. */
SERVET_MPI__PRIVATE int servet_mpi__part_play(servet_mpi__part *p, servet_mpi_round *r)
{
    const double left_s = servet_mpi__part_left_s(p);
    if (p->status < 0 || p->stopped) return 0;
    if (p->opts.stop && p->opts.stop(p->opts.ctx)) p->stopped = 1;
    if (left_s <= 0) p->stopped = 1;
    if (p->stopped) return 0;
    if (r->limit_s <= 0 || r->limit_s > left_s) r->limit_s = left_s;
    p->status = p->net->exchange(p->net->context, r);
    p->rounds++;
    p->played++;
    if (p->opts.progress) {
        double done_frac = p->planned > p->played ? (double)p->played / p->planned : 1;
        const double spent_s = p->net->seconds(p->net->context) - p->begin_s;
        if (spent_s / (p->end_s - p->begin_s) > done_frac) done_frac = spent_s / (p->end_s - p->begin_s);
        if (done_frac > 1) done_frac = 1;
        p->opts.progress(p->opts.ctx, done_frac, spent_s / done_frac - spent_s);
    }
    return p->status >= 0;
}

/* What has been learnt is in n; returns what the conductor does. */
SERVET_MPI__PRIVATE int servet_mpi__part_close(const servet_mpi__part *p, servet_network *n, int known)
{
    n->rounds += p->rounds;
    n->seconds += p->net->seconds(p->net->context) - p->begin_s;
    if (p->stopped || p->status < 0) n->stopped = 1;
    if (p->status < 0) return p->status;
    return known > 0 ? known : p->stopped ? SERVET_ESTOPPED : SERVET_EUNRESOLVED;
}

/* Of a rank, the group it has in a layer, or one of its own; in the outermost all are together. */
SERVET_MPI__PRIVATE int servet_mpi__group(const servet_network *n, int layer, int rank)
{
    if (layer < 0) return n->ranks + rank;
    if (layer >= n->layer_count) return 0;
    return n->group[layer][rank] >= 0 ? n->group[layer][rank] : n->ranks + rank;
}

/* Ranks such that those of a group follow each other, in every layer; work: 3 * ranks + 1 numbers. */
SERVET_MPI__PRIVATE void servet_mpi__order(int *order, const servet_network *n, int *work)
{
    const int ranks = n->ranks;
    int *sorted = work, *begin = work + ranks, i, l;
    for (i = 0; i < ranks; i++) order[i] = i;
    for (l = 0; l < n->layer_count; l++) {      /* the outermost last, and each keeps the order of those before */
        memset(begin, 0, (2 * (size_t)ranks + 1) * sizeof *begin);
        for (i = 0; i < ranks; i++) begin[servet_mpi__group(n, l, i) + 1]++;
        for (i = 0; i < 2 * ranks; i++) begin[i + 1] += begin[i];
        for (i = 0; i < ranks; i++) sorted[begin[servet_mpi__group(n, l, order[i])]++] = order[i];
        memcpy(order, sorted, (size_t)ranks * sizeof *order);
    }
}

/* Pairs of a layer without a rank in common, as many as there can be: neighbours in the order of groups first, so that
 * the first pairs share whatever there is to share.
 *   pair    ranks / 2 out
 *   work    5 * ranks + 1 numbers
 * Where the greedy way leaves ranks, they are of one inner group: a pair without any of them is opened for two. */
SERVET_MPI__PRIVATE int servet_mpi__apart(servet_mpi_transfer *pair, const servet_network *n, int layer, int *work)
{
    const int ranks = n->ranks;
    int *order = work, *used = work + ranks, begin = 0, count = 0, i, j;
    servet_mpi__order(order, n, work + 2 * ranks);
    memset(used, 0, (size_t)ranks * sizeof *used);
    while (begin < ranks) {
        const int parent = servet_mpi__group(n, layer, order[begin]), first = count;
        int end = begin, next = begin;
        while (end < ranks && servet_mpi__group(n, layer, order[end]) == parent) end++;
        for (i = begin; i < end; i++) {
            const int own = servet_mpi__group(n, layer - 1, order[i]);
            if (used[i]) continue;
            if (next <= i) next = i + 1;
            for (j = next; j < end && (used[j] || servet_mpi__group(n, layer - 1, order[j]) == own); j++) {}
            if (j == end) continue;
            next = j + 1;       /* those between are of this group, or paired */
            used[i] = used[j] = 1;
            pair[count].from = order[i];
            pair[count++].to = order[j];
        }
        for (i = begin, j = first; i < end; i++) {
            int k = i + 1, own;
            if (used[i]) continue;
            own = servet_mpi__group(n, layer - 1, order[i]);
            while (k < end && used[k]) k++;
            while (j < count && (servet_mpi__group(n, layer - 1, pair[j].from) == own ||
                                 servet_mpi__group(n, layer - 1, pair[j].to) == own)) j++;
            if (k >= end || j >= count) break;
            used[i] = used[k] = 1;
            pair[count].from = pair[j].to;
            pair[count++].to = order[k];
            pair[j++].to = order[i];
        }
        begin = end;
    }
    return count;
}

SERVET_MPI__DEF int servet_mpi_sizes(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    enum { MOST = SERVET_NETWORK_SIZES, SWITCHES = SERVET_NETWORK_SWITCHES };
    servet_mpi__part p;
    servet_network_size *size;
    servet_network_switch *change, *found;
    int status = servet_mpi__part_open(&p, n, net, opts), sizes = 0, changes = 0, layer, left = 0, i;
    if (status < 0) return status;
    for (layer = 0; layer <= n->layer_count; layer++) left += n->layer[layer].pairs > 0 && n->layer[layer].a >= 0;
    if (left == 0) return SERVET_EUNRESOLVED;
    size = (servet_network_size *)calloc(MOST, sizeof *size);
    change = (servet_network_switch *)calloc(2 * SWITCHES, sizeof *change);
    if (!size || !change) { free(size); free(change); return SERVET_ENOMEM; }
    found = change + SWITCHES;
    for (layer = 0; layer <= n->layer_count && !p.stopped && p.status >= 0; layer++) {
        const servet_network_layer *v = &n->layer[layer];
        int count = 0, switches = 0;
        if (v->pairs < 1 || v->a < 0) continue;
        if ((p.opts.stop && p.opts.stop(p.opts.ctx)) || servet_mpi__part_left_s(&p) <= 0) { p.stopped = 1; break; }
        count = servet_mpi_exchange_sizes(size + sizes, (MOST - sizes) / left, found, &switches, net, v->a, v->b,
                                          servet_mpi__part_left_s(&p) / left, opts);
        left--;
        if (count < 0) { p.status = count; break; }
        for (i = 0; i < count; i++) size[sizes + i].layer = layer;
        sizes += count;
        for (i = 0; i < switches && i < SWITCHES && changes < SWITCHES; i++) {
            change[changes] = found[i];
            change[changes++].layer = layer;
        }
    }
    if (sizes > 0) {
        memcpy(n->size, size, (size_t)sizes * sizeof *size);
        n->size_count = sizes;
        memcpy(n->protocol, change, (size_t)changes * sizeof *change);
        n->switch_count = changes;
    }
    free(size);
    free(change);
    return servet_mpi__part_close(&p, n, sizes);
}

/* Loads of a layer: those apart, up to twice the pairs there are, then from one and to one. */
enum { SERVET_MPI__MOST_PEERS = 64 };

/* Numbers at once: 1, then by factors, and most.  NULL counts them. */
SERVET_MPI__PRIVATE int servet_mpi__ladder(int *at_once, int most, int factor)
{
    int count = 0, k;
    for (k = 1; k < most; k *= factor, count++) if (at_once) at_once[count] = k;
    if (at_once && most > 0) at_once[count] = most;
    return most > 0 ? count + 1 : 0;
}

/* The most there can be at once of a layer, of a kind. */
SERVET_MPI__PRIVATE int servet_mpi__most_at_once(const servet_network *n, int layer, int kind, servet_mpi_transfer *t,
                                                 int *work)
{
    int count = 0, i;
    const int centre = n->layer[layer].a;
    if (kind == SERVET_LOAD_APART) return servet_mpi__apart(t, n, layer, work);
    for (i = 0; i < n->ranks && count < SERVET_MPI__MOST_PEERS; i++)
        if (i != centre && servet_network_layer_of(n, centre, i) == layer) count++;
    return count;
}

/* The transfers of a load; pairs beyond those there are: the same the other way. */
SERVET_MPI__PRIVATE int servet_mpi__load(servet_mpi_transfer *t, const servet_network *n,
                                         const servet_network_load *load, int *work)
{
    const int centre = n->layer[load->layer].a, ranks = n->ranks;
    int count = 0, i;
    if (load->kind == SERVET_LOAD_APART) {
        const int pairs = servet_mpi__apart(t, n, load->layer, work);
        for (i = pairs; i < load->at_once; i++) {
            t[i].from = t[i - pairs].to;
            t[i].to = t[i - pairs].from;
        }
        return load->at_once;
    }
    servet_mpi__order(work, n, work + ranks);
    for (i = 0; i < ranks && count < load->at_once; i++) {
        if (work[i] == centre || servet_network_layer_of(n, centre, work[i]) != load->layer) continue;
        t[count].from = load->kind == SERVET_LOAD_FROM_ONE ? centre : work[i];
        t[count++].to = load->kind == SERVET_LOAD_FROM_ONE ? work[i] : centre;
    }
    return count;
}

/* The points of all layers in the order they are kept in; more than there is room for: larger steps. */
SERVET_MPI__PRIVATE int servet_mpi__load_plan(servet_network_load *load, const servet_network *n, const double *bytes,
                                              servet_mpi_transfer *t, int *work)
{
    int factor, count, layer, kind, size, steps, i, at_once[32];
    for (factor = 2;; factor *= 2) {
        count = 0;
        for (layer = 0; layer <= n->layer_count; layer++) {
            if (n->layer[layer].pairs < 1 || n->layer[layer].a < 0) continue;
            for (kind = SERVET_LOAD_APART; kind <= SERVET_LOAD_TO_ONE; kind++) {
                const int most = servet_mpi__most_at_once(n, layer, kind, t, work);
                steps = servet_mpi__ladder(at_once, most, factor);
                if (kind == SERVET_LOAD_APART && most > 0) at_once[steps++] = 2 * most;
                for (size = 0; size < 2; size++)
                    for (i = 0; i < steps; i++, count++) {
                        if (count >= SERVET_NETWORK_LOADS) continue;
                        memset(&load[count], 0, sizeof load[count]);
                        load[count].layer = layer;
                        load[count].kind = kind;
                        load[count].at_once = at_once[i];
                        load[count].bytes = bytes[size];
                    }
            }
        }
        if (count <= SERVET_NETWORK_LOADS) return count;
    }
}

/* An interval that also holds what the same showed at another time. */
SERVET_MPI__PRIVATE void servet_mpi__widen(servet_message *m, const servet_message *other)
{
    if (other->samples < 1) return;
    if (other->median_ns < m->lo_ns) m->lo_ns = other->median_ns;
    if (other->median_ns > m->hi_ns) m->hi_ns = other->median_ns;
}

/* Measures the points: those alone first, since the others are compared with them, then pairs apart, then shared ends,
 * each sort in random order so that a drift of the network is no slope; those alone again at the end. */
SERVET_MPI__PRIVATE int servet_mpi__load_all(servet_network_load *load, int count, servet_mpi__part *p,
                                             const servet_network *n, servet_mpi_transfer *t, int *work)
{
    int turn[SERVET_NETWORK_LOADS], pass, i, j, known = 0, left;
    p->planned = count;
    for (i = 0; i < count; i++) p->planned += load[i].at_once == 1;
    left = p->planned;
    for (pass = 0; pass < 4; pass++) {
        int turns = 0;
        for (i = 0; i < count; i++) {
            const int alone = load[i].at_once == 1, ends = load[i].kind != SERVET_LOAD_APART;
            if (pass == 0 || pass == 3 ? alone : !alone && ends == (pass == 2)) turn[turns++] = i;
        }
        for (i = turns - 1; i > 0; i--) {
            const int k = (int)servet_stats_random_below(&p->random, (size_t)i + 1);
            j = turn[i];
            turn[i] = turn[k];
            turn[k] = j;
        }
        for (i = 0; i < turns; i++) {
            servet_network_load *v = &load[turn[i]];
            servet_mpi_round r;
            memset(&r, 0, sizeof r);
            r.kind = v->kind == SERVET_LOAD_APART ? SERVET_MESSAGE_TRIP : SERVET_MESSAGE_STREAM;
            r.bytes = (size_t)v->bytes;
            r.window = 1;
            r.together = 1;
            r.most = 60;
            r.count = servet_mpi__load(t, n, v, work);
            r.transfer = t;
            r.limit_s = 4 * servet_mpi__part_left_s(p) / left--;     /* most take less than their share */
            if (!servet_mpi__part_play(p, &r)) return known;
            if (r.last.samples < 1) continue;
            if (v->last.samples > 0) {
                servet_mpi__widen(&r.last, &v->last);
                servet_mpi__widen(&r.mean, &v->mean);
            } else known++;
            v->last = r.last;
            v->mean = r.mean;
        }
    }
    return known;
}

SERVET_MPI__DEF int servet_mpi_scaling(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    servet_mpi__part p;
    servet_network_load *load;
    servet_mpi_transfer *t;
    double bytes[2];
    int status = servet_mpi__part_open(&p, n, net, opts), *work, count, known = 0, i, j;
    if (status < 0) return status;
    bytes[0] = p.opts.trip_bytes > 0 ? (double)p.opts.trip_bytes : n->trip_bytes;
    bytes[1] = p.opts.stream_bytes > 0 ? (double)p.opts.stream_bytes : n->stream_bytes;
    if (bytes[0] <= 0) bytes[0] = SERVET_MPI__SMALL_BYTES;
    if (bytes[1] <= bytes[0]) bytes[1] = bytes[0] < SERVET_MPI__LARGE_BYTES ? SERVET_MPI__LARGE_BYTES : 32 * bytes[0];
    load = (servet_network_load *)calloc(SERVET_NETWORK_LOADS, sizeof *load);
    t = (servet_mpi_transfer *)calloc((size_t)n->ranks + SERVET_MPI__MOST_PEERS, sizeof *t);
    work = (int *)calloc(5 * (size_t)n->ranks + 1, sizeof *work);
    status = load && t && work ? SERVET_OK : SERVET_ENOMEM;
    count = status < 0 ? 0 : servet_mpi__load_plan(load, n, bytes, t, work);
    if (status >= 0 && count == 0) status = SERVET_EUNRESOLVED;
    if (status >= 0) {
        known = servet_mpi__load_all(load, count, &p, n, t, work);
        for (i = j = 0; i < count; i++) if (load[i].last.samples > 0) load[j++] = load[i];
        if (known > 0) {
            memcpy(n->load, load, (size_t)j * sizeof *load);
            n->load_count = j;
        }
        status = servet_mpi__part_close(&p, n, known);
    }
    free(load);
    free(t);
    free(work);
    return status;
}

/* >>distance (implementation) ----------------------------------------------------------------- */

/* Ratios of bandwidth: how they are measured.
 *
 * Each point is a set of transfers that begin together.  In each of several passes all points come in random order,
 * with the reference after any four; the time of a point is taken over that of the reference at the same time, from
 * those before and after.  So what slows the network for a while cancels, and passes differ by what is left, which
 * gives the interval. */
#define SERVET_MPI__RATIO_BYTES 32e6        /* Servet 3.0, section 4                                  */
#define SERVET_MPI__LEAST_BYTES 65536.0     /* no shorter message shows the bandwidth of a network    */
enum {
    SERVET_MPI__REFERENCE_EVERY = 4,
    SERVET_MPI__PASSES = 24,
    SERVET_MPI__ENOUGH = 6,     /* of passes, an interval of order statistics of 95 % exists            */
    SERVET_MPI__REPEATS = 5
};
#define SERVET_MPI__NARROW 0.01             /* half an interval, as a share: the second decimal, as papers print it */

typedef struct servet_mpi__ratios {
    int     count;              /* points; the first is the reference                               */
    const int *which;
    int   (*build)(servet_mpi_transfer *t, const void *ctx, int which);
    const void *ctx;
    double  bytes;              /* out: what was sent                                               */
    /* Room for all. */
    servet_mpi_transfer *transfer;
    double *ns, *over;          /* PASSES of each point: of the reference twice as many, apart       */
    double *reference_ns;
    int    *passes, *turn;
    int     references;
} servet_mpi__ratios;

/* Middle and interval, 95 %: order statistics, or, of few, Student's t of logarithms, and all there are at least.
 * Sorts x. */
SERVET_MPI__PRIVATE int servet_mpi__middle(double *mid, double *lo, double *hi, double *x, int n)
{
    static const double t[5] = { 0, 12.706, 4.303, 3.182, 2.776 };  /* of 1 to 4 degrees of freedom      */
    double mean = 0, square = 0, half;
    int i, l, u;
    if (n < 2) return SERVET_EUNRESOLVED;
    servet_stats_sort(x, (size_t)n);
    *mid = servet_stats_quantile(x, (size_t)n, 0.5);
    if (n >= SERVET_MPI__ENOUGH) {
        servet_mpi__median_ranks(n, &l, &u);
        *lo = x[l - 1];
        *hi = x[u - 1];
        return SERVET_OK;
    }
    for (i = 0; i < n; i++) mean += log(x[i]) / n;
    for (i = 0; i < n; i++) square += (log(x[i]) - mean) * (log(x[i]) - mean) / (n - 1);
    half = t[n - 1] * sqrt(square / n);
    *lo = *mid * exp(-half) < x[0] ? *mid * exp(-half) : x[0];
    *hi = *mid * exp(half) > x[n - 1] ? *mid * exp(half) : x[n - 1];
    return SERVET_OK;
}

/* One visit of a point: the time of a message, the mean over processes, the middle of the repeats; 0 = none. */
SERVET_MPI__PRIVATE double servet_mpi__ratio_visit(double *last_ns, servet_mpi__part *p, servet_mpi__ratios *v,
                                                   int which, double bytes, int repeats)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = SERVET_MESSAGE_STREAM;
    r.bytes = (size_t)bytes;
    r.window = 1;
    r.together = 1;
    r.least = r.most = repeats;
    r.count = v->build(v->transfer, v->ctx, which);
    r.transfer = v->transfer;
    if (r.count < 1 || !servet_mpi__part_play(p, &r) || r.mean.samples < 1) return 0;
    if (last_ns) *last_ns = r.last.median_ns;
    return r.mean.median_ns;
}

/* How long a pass takes at v->bytes, by messages of a 32nd, of a few points; 0 = not known. */
SERVET_MPI__PRIVATE double servet_mpi__ratio_probe(servet_mpi__part *p, servet_mpi__ratios *v)
{
    double bytes = floor(v->bytes / 32), all = 0;
    int i, most = v->count < 4 ? v->count : 4;
    if (bytes < SERVET_MPI__LEAST_BYTES) bytes = SERVET_MPI__LEAST_BYTES;
    if (bytes > v->bytes) bytes = v->bytes;
    for (i = 0; i < most; i++) {
        const int at = most > 1 ? i * (v->count - 1) / (most - 1) : 0;
        double last = 0;
        if (servet_mpi__ratio_visit(&last, p, v, v->which[at], bytes, 1) <= 0) return 0;
        all += last * (v->bytes / bytes) / most;
    }
    return 1e-9 * all * (v->count + (v->count - 1) / SERVET_MPI__REFERENCE_EVERY + 1);
}

/* A pass over all points: 1, or 0 where it could not be ended. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_pass(servet_mpi__part *p, servet_mpi__ratios *v, int repeats)
{
    const servet_mpi_network *net = p->net;
    double before = 0, before_s = 0, at_s[SERVET_MPI__REFERENCE_EVERY], ns[SERVET_MPI__REFERENCE_EVERY];
    int i, j, done = 0;
    for (i = 1; i < v->count; i++) v->turn[i - 1] = i;
    for (i = v->count - 2; i > 0; i--) {
        const int k = (int)servet_stats_random_below(&p->random, (size_t)i + 1), swap = v->turn[i];
        v->turn[i] = v->turn[k];
        v->turn[k] = swap;
    }
    for (;;) {
        int some = 0;
        double after, after_s;
        for (j = 0; before > 0 && j < SERVET_MPI__REFERENCE_EVERY && done + some < v->count - 1; j++, some++) {
            at_s[j] = net->seconds(net->context);
            ns[j] = servet_mpi__ratio_visit(NULL, p, v, v->which[v->turn[done + some]], v->bytes, repeats);
            if (ns[j] <= 0) return 0;
        }
        after_s = net->seconds(net->context);
        after = servet_mpi__ratio_visit(NULL, p, v, v->which[0], v->bytes, repeats);
        if (after <= 0) return 0;
        v->reference_ns[v->references++] = after;
        for (j = 0; j < some; j++) {
            const int at = v->turn[done + j];
            const double share = after_s > before_s ? (at_s[j] - before_s) / (after_s - before_s) : 0.5;
            v->ns[at * SERVET_MPI__PASSES + v->passes[at]] = ns[j];
            v->over[at * SERVET_MPI__PASSES + v->passes[at]++] = ns[j] / (before + (after - before) * share);
        }
        done += some;
        if (done >= v->count - 1) return 1;
        before = after;
        before_s = after_s;
    }
}

/* All intervals are narrow, or as many passes as there may be were made. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_enough(const servet_mpi__ratios *v, int passes)
{
    double x[SERVET_MPI__PASSES], mid, lo, hi;
    int i;
    if (passes >= SERVET_MPI__PASSES) return 1;
    if (passes < SERVET_MPI__ENOUGH) return 0;
    for (i = 1; i < v->count; i++) {
        memcpy(x, v->over + (size_t)i * SERVET_MPI__PASSES, (size_t)v->passes[i] * sizeof *x);
        if (servet_mpi__middle(&mid, &lo, &hi, x, v->passes[i]) < 0 || hi - lo > 2 * SERVET_MPI__NARROW * mid) return 0;
    }
    return 1;
}

/* The records of points with two observations or more; returns their number. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_out(servet_network_ratio *out, servet_mpi__ratios *v)
{
    int i, count = 0;
    for (i = 0; i < v->count; i++) {
        const size_t at = (size_t)i * SERVET_MPI__PASSES;
        double *ns = i == 0 ? v->reference_ns : v->ns + at, mid, lo, hi;
        const int n = i == 0 ? v->references : v->passes[i];
        servet_network_ratio r;
        memset(&r, 0, sizeof r);
        if (servet_mpi__middle(&mid, &lo, &hi, ns, n) < 0) {
            if (i == 0) return 0;
            continue;
        }
        r.which = v->which[i];
        r.senders = v->build(v->transfer, v->ctx, r.which);
        r.samples = n;
        r.bytes_per_s = 1e9 * v->bytes / mid;
        r.lo_bytes_per_s = 1e9 * v->bytes / hi;
        r.hi_bytes_per_s = 1e9 * v->bytes / lo;
        r.ratio = r.lo_ratio = r.hi_ratio = 1;
        if (i > 0) servet_mpi__middle(&r.ratio, &r.lo_ratio, &r.hi_ratio, v->over + at, n);
        out[count++] = r;
    }
    return count;
}

SERVET_MPI__PRIVATE void servet_mpi__ratio_close(servet_mpi__ratios *v)
{
    free(v->transfer);
    free(v->ns);
    free(v->passes);
}

/* Measures all points; returns how many are known.  v: count, which, build, ctx.
 * Where the time is too short for an interval of 95 %, messages are shorter, to a 32nd; then, or where their size was
 * asked for, passes are fewer; and where there would not be two, messages are shorter again. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_all(servet_network_ratio *out, servet_mpi__part *p, servet_mpi__ratios *v,
                                              int ranks)
{
    const size_t count = (size_t)v->count;
    const double wanted = p->opts.ratio_bytes > 0 ? (double)p->opts.ratio_bytes : SERVET_MPI__RATIO_BYTES;
    const double passes = p->opts.ratio_bytes > 0 ? 2.5 : SERVET_MPI__ENOUGH + 0.5;
    double pass_s, begin_s;
    int pass = 0, repeats = 1, known = 0;
    v->bytes = wanted;
    v->references = 0;
    v->transfer = (servet_mpi_transfer *)calloc((size_t)ranks, sizeof *v->transfer);
    v->ns = (double *)calloc((3 * count + 2) * SERVET_MPI__PASSES, sizeof *v->ns);
    v->passes = (int *)calloc(2 * count, sizeof *v->passes);
    if (!v->transfer || !v->ns || !v->passes) { servet_mpi__ratio_close(v); return SERVET_ENOMEM; }
    v->over = v->ns + count * SERVET_MPI__PASSES;
    v->reference_ns = v->over + count * SERVET_MPI__PASSES;
    v->turn = v->passes + count;
    pass_s = servet_mpi__ratio_probe(p, v);
    if (pass_s > 0 && passes * pass_s > servet_mpi__part_left_s(p)) {
        const double share = servet_mpi__part_left_s(p) / pass_s;
        v->bytes = wanted * share / passes;
        if (v->bytes < wanted / 32) v->bytes = wanted * share / 2.5 < wanted / 32 ? wanted * share / 2.5 : wanted / 32;
        if (v->bytes < SERVET_MPI__LEAST_BYTES)
            v->bytes = wanted < SERVET_MPI__LEAST_BYTES ? wanted : SERVET_MPI__LEAST_BYTES;
        v->bytes = floor(v->bytes);
    }
    /* A first message of that size: where memory is short, half of it, and so on. */
    while (pass_s > 0 && servet_mpi__ratio_visit(NULL, p, v, v->which[0], v->bytes, 1) <= 0) {
        if (p->status != SERVET_ENOMEM || v->bytes < 2 * SERVET_MPI__LEAST_BYTES) break;
        p->status = SERVET_OK;
        v->bytes = floor(v->bytes / 2);
    }
    while (pass_s > 0 && p->status >= 0 && !p->stopped) {
        begin_s = p->net->seconds(p->net->context);
        if (!servet_mpi__ratio_pass(p, v, repeats)) break;
        pass_s = p->net->seconds(p->net->context) - begin_s;
        if (servet_mpi__ratio_enough(v, ++pass)) break;
        if (pass == 1) {        /* what is left, for as many passes as there may be */
            const double most = servet_mpi__part_left_s(p) / (SERVET_MPI__PASSES * pass_s);
            repeats = most < 1 ? 1 : most > SERVET_MPI__REPEATS ? SERVET_MPI__REPEATS : (int)most;
            pass_s *= repeats;
            p->planned = p->played * SERVET_MPI__PASSES;
        }
        if (pass >= 2 && pass_s > servet_mpi__part_left_s(p)) break;
    }
    known = servet_mpi__ratio_out(out, v);
    servet_mpi__ratio_close(v);
    return known;
}

/* >>nodes */

/* How well groups of a layer and hosts agree: pairs that are together in both, of those that are in one; hosts come
 * first, work: 2 * ranks numbers.  Counted by cells in the order of hosts: ranks of a host that share a group. */
SERVET_MPI__PRIVATE double servet_mpi__agreement(const servet_network *n, int layer, int *work)
{
    const int ranks = n->ranks;
    int *count = work, i, h;
    double both = 0, hosts = 0, groups = 0;
    memset(work, 0, 2 * (size_t)ranks * sizeof *work);
    for (i = 0; i < ranks; i++) groups += count[servet_mpi__group(n, layer, i)]++;
    for (h = 0; h < n->hosts; h++) {
        int members = 0;
        memset(work, 0, 2 * (size_t)ranks * sizeof *work);
        for (i = 0; i < ranks; i++) {
            if (n->host[i] != h) continue;
            both += count[servet_mpi__group(n, layer, i)]++;
            hosts += members++;
        }
    }
    return hosts + groups > both ? both / (hosts + groups - both) : 0;
}

/* The node of each rank, numbered by the first rank of each: its host; or, where layers contradict the names of hosts,
 * the group of that layer that agrees best with them.  work: 4 * ranks numbers.  Returns the number of nodes. */
SERVET_MPI__PRIVATE int servet_mpi__nodes(int *node, const servet_network *n, int *work)
{
    const int ranks = n->ranks;
    double best = -1;
    int layer, i, nodes = 0, by = -1, crossed = 0;
    for (layer = 0; layer < n->layer_count; layer++) crossed |= n->layer[layer].in_hosts < 0;
    for (layer = 0; crossed && layer < n->layer_count; layer++) {
        const double agreement = servet_mpi__agreement(n, layer, work);
        if (agreement > best) { best = agreement; by = layer; }
    }
    for (i = 0; i < 3 * ranks; i++) work[i] = -1;
    for (i = 0; i < ranks; i++) {
        const int key = by < 0 ? n->host[i] : servet_mpi__group(n, by, i);
        if (key < 0 || key >= 3 * ranks) return 0;
        if (work[key] < 0) work[key] = nodes++;
        node[i] = work[key];
    }
    return nodes;
}

/* >>shifts */

typedef struct servet_mpi__ring { int nodes; const int *rank; } servet_mpi__ring;

SERVET_MPI__PRIVATE int servet_mpi__ring_build(servet_mpi_transfer *t, const void *ctx, int which)
{
    const servet_mpi__ring *ring = (const servet_mpi__ring *)ctx;
    int i;
    for (i = 0; i < ring->nodes; i++) {
        t[i].from = ring->rank[i];
        t[i].to = ring->rank[(i + which) % ring->nodes];
    }
    return ring->nodes;
}

/* Numbers of 1 to last, ascending: all up to 16, four in an octave above, those that divide nodes, since periods of a
 * torus do, and the last; or all. */
SERVET_MPI__PRIVATE int servet_mpi__distances(int *d, int nodes, int last, int all)
{
    int i, count = 0;
    for (i = 1; i <= last; i++) {
        int step = 1;
        while (16 * step < i) step *= 2;        /* 17 to 32 by 4, 33 to 64 by 8, ... */
        step = i > 16 ? 2 * step : 1;
        if (all || i % step == 0 || (nodes > 0 && nodes % i == 0) || i == last) d[count++] = i;
    }
    return count;
}

SERVET_MPI__DEF int servet_mpi_distance(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    servet_mpi__part p;
    servet_mpi__ratios v;
    servet_mpi__ring ring;
    servet_network_ratio *out;
    int status = servet_mpi__part_open(&p, n, net, opts), *work, *node, *rank, *which, i, known = 0;
    if (status < 0) return status;
    memset(&v, 0, sizeof v);
    out = (servet_network_ratio *)calloc(SERVET_NETWORK_SHIFTS, sizeof *out);
    work = (int *)calloc(6 * (size_t)n->ranks + SERVET_NETWORK_SHIFTS, sizeof *work);
    status = out && work ? SERVET_OK : SERVET_ENOMEM;
    if (status >= 0) {
        which = work + 6 * n->ranks;
        node = work + 4 * n->ranks;
        rank = work + 5 * n->ranks;
        ring.nodes = servet_mpi__nodes(node, n, work);
        if (p.opts.each_rank) for (i = ring.nodes = 0; i < n->ranks; i++) node[i] = ring.nodes++;
        for (i = n->ranks - 1; i >= 0; i--) rank[node[i]] = i;
        ring.rank = rank;
        v.count = servet_mpi__distances(which, ring.nodes, ring.nodes / 2, p.opts.all_distances);
        v.which = which;
        v.build = servet_mpi__ring_build;
        v.ctx = &ring;
        if (ring.nodes < 2) status = SERVET_EUNRESOLVED;
    }
    if (status >= 0) {
        known = servet_mpi__ratio_all(out, &p, &v, n->ranks);
        status = known == SERVET_ENOMEM ? known : servet_mpi__part_close(&p, n, known);
    }
    if (known > 0) {
        memcpy(n->dist, out, (size_t)known * sizeof *out);
        n->dist_count = known;
        n->dist_nodes = ring.nodes;
        n->dist_bytes = v.bytes;
        if (servet_mpi_distance_infer(n) < 0) n->shape = SERVET_SHAPE_UNKNOWN;
    }
    free(out);
    free(work);
    return status;
}

/* >>shapes */

/* Two decimals, as papers print ratios: less is no difference to a program, and differences of latency are below. */
#define SERVET_MPI__SAME 0.01
/* What is said to be constant hides no such ratio: Servet 3.0 minds those above (section 4.2). */
#define SERVET_MPI__MATTERS 1.5
/* A shape may leave a tenth of the differences to how paths happen to meet. */
#define SERVET_MPI__LEFT 0.1

typedef struct servet_mpi__shape {
    int    count, nodes;
    double worst, usual;                        /* this many deviations between any two are no chance  */
    double log_ratio[SERVET_NETWORK_SHIFTS], deviation[SERVET_NETWORK_SHIFTS];
    int    which[SERVET_NETWORK_SHIFTS];
} servet_mpi__shape;

/* Deviations from intervals; none counts for less than is usual, since of few passes they scatter. */
SERVET_MPI__PRIVATE void servet_mpi__shape_open(servet_mpi__shape *s, const servet_network *n)
{
    double sorted[SERVET_NETWORK_SHIFTS];
    int i;
    s->usual = 0;
    s->count = n->dist_count;
    s->nodes = n->dist_nodes;
    for (i = 0; i < s->count; i++) {
        const servet_network_ratio *r = &n->dist[i];
        s->which[i] = r->which;
        s->log_ratio[i] = log(r->ratio);
        s->deviation[i] = log(r->hi_ratio / r->lo_ratio) / (2 * 1.96);
        if (i > 0) sorted[i - 1] = s->deviation[i];
    }
    if (s->count > 1) {
        servet_stats_sort(sorted, (size_t)s->count - 1);
        s->usual = servet_stats_quantile(sorted, (size_t)s->count - 1, 0.5);
    }
    for (i = 1; i < s->count; i++) if (s->deviation[i] < s->usual) s->deviation[i] = s->usual;
    /* Of all pairs, 1 in 100 times one is as far apart by chance: Q(z) <= exp(-z^2 / 2) / 2. */
    s->worst = sqrt(2 * log(0.5 * s->count * (s->count - 1) / (2 * 0.01)));
}

/* Surely more at j than at i. */
SERVET_MPI__PRIVATE int servet_mpi__shape_above(const servet_mpi__shape *s, int j, int i)
{
    const double u = s->deviation[i], v = s->deviation[j];
    return s->log_ratio[j] - s->log_ratio[i] > s->worst * sqrt(u * u + v * v) + SERVET_MPI__SAME;
}

/* Any of first to last, ascending, that is surely above an earlier one (up), or below (down). */
SERVET_MPI__PRIVATE int servet_mpi__shape_moves(const servet_mpi__shape *s, int first, int last, int up)
{
    int i, j;
    for (i = first; i < last; i++)
        for (j = i + 1; j <= last; j++)
            if (up ? servet_mpi__shape_above(s, j, i) : servet_mpi__shape_above(s, i, j)) return 1;
    return 0;
}

/* Never less with distance: constant from some distance on?  The slope there must be surely below half of what it was
 * before; a tail too short or too noisy to tell that is none.  Returns that distance, 0 = none. */
SERVET_MPI__PRIVATE int servet_mpi__shape_plateau(const servet_mpi__shape *s)
{
    const int last = s->count - 1;
    int g = last, i, alike = 1;
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, slope, spread, level, before;
    while (g > 1 && alike) {
        for (i = g; i <= last && alike; i++)
            alike = !servet_mpi__shape_above(s, i, g - 1) && !servet_mpi__shape_above(s, g - 1, i);
        g -= alike;
    }
    if (g > last - 1) return 0;
    for (i = g; i <= last; i++) {
        const double ratio = exp(s->log_ratio[i]), sd = ratio * (s->deviation[i] + SERVET_MPI__SAME / 2);
        const double w = 1 / (sd * sd), x = s->which[i];
        sw += w;
        sx += w * x;
        sy += w * ratio;
        sxx += w * x * x;
        sxy += w * x * ratio;
    }
    spread = sxx - sx * sx / sw;
    slope = (sxy - sx * sy / sw) / spread;
    level = sy / sw;
    /* The tail begins where ratios are no longer below it. */
    while (g < last - 1 && log(level) - s->log_ratio[g] > 2 * s->deviation[g] + SERVET_MPI__SAME) g++;
    before = (level - 1) / (s->which[g] - s->which[0]);
    return slope + 3 / sqrt(spread) < before / 2 ? s->which[g] : 0;
}

SERVET_MPI__PRIVATE double servet_mpi__shape_weight(const servet_mpi__shape *s, int i)
{
    const double sd = s->deviation[i] + SERVET_MPI__SAME;
    return 1 / (sd * sd);
}

/* What a fit leaves unexplained of the differences, noise counted; 1 = all. */
SERVET_MPI__PRIVATE double servet_mpi__shape_left(const servet_mpi__shape *s, const double *log_fit)
{
    double sw = 0, sy = 0, all = 0, left = 0;
    int i;
    for (i = 0; i < s->count; i++) {
        sw += servet_mpi__shape_weight(s, i);
        sy += servet_mpi__shape_weight(s, i) * s->log_ratio[i];
    }
    for (i = 0; i < s->count; i++) {
        const double w = servet_mpi__shape_weight(s, i);
        const double e = s->log_ratio[i] - sy / sw, f = s->log_ratio[i] - log_fit[i];
        all += w * e * e;
        left += w * f * f;
    }
    return all > 0 ? left / all : 1;
}

/* Nearly never less with distance: what the nearest such ratios leave, and, in deviations, how far these are from them
 * beyond noise. */
SERVET_MPI__PRIVATE double servet_mpi__shape_rising(double *beyond, const servet_mpi__shape *s)
{
    double fit[SERVET_NETWORK_SHIFTS], weight[SERVET_NETWORK_SHIFTS], scratch[2 * SERVET_NETWORK_SHIFTS], square = 0;
    int i;
    for (i = 0; i < s->count; i++) {
        fit[i] = s->log_ratio[i];
        weight[i] = servet_mpi__shape_weight(s, i);
    }
    servet_stats_isotonic(fit, weight, (size_t)s->count, scratch);
    for (i = 0; i < s->count; i++) {
        const double e = s->log_ratio[i] - fit[i], d = s->deviation[i];
        square += (e * e - d * d) / s->count;
    }
    *beyond = square > 0 ? sqrt(square) : 0;
    return servet_mpi__shape_left(s, fit);
}

/* The way round a ring of n that is shorter. */
SERVET_MPI__PRIVATE double servet_mpi__shape_fold(int x, int n) { return x < n - x ? x : n - x; }

/* Time of a shift by d in a torus, over that of a message alone, where a link carries 1 / load of them at full rate.
 * Whose first coordinate wraps move one more along the second, and so on; all others alike, so that each link of a
 * dimension carries as many messages as they move steps along it. */
SERVET_MPI__PRIVATE double servet_mpi__shape_torus(int d, const int *n, double load)
{
    const int x = d % n[0];
    double sum = 0;
    int c, e;
    for (c = 0; c < 2; c++) {
        const double first = c ? (double)x / n[0] : 1 - (double)x / n[0];
        const int y = (d / n[0] + c) % n[1];
        for (e = 0; e < 2; e++) {
            const double second = e ? (double)y / n[1] : 1 - (double)y / n[1];
            const int z = ((d / n[0] + c) / n[1] + e) % n[2];
            double most = servet_mpi__shape_fold(x, n[0]), other = servet_mpi__shape_fold(y, n[1]);
            if (other > most) most = other;
            other = servet_mpi__shape_fold(z, n[2]);
            if (other > most) most = other;
            sum += first * second * (load * most > 1 ? load * most : 1);
        }
    }
    return sum;
}

/* Less and more again: the torus of all these nodes that leaves least, if that is less than best. */
SERVET_MPI__PRIVATE int servet_mpi__shape_periods(int *period, int *second, const servet_mpi__shape *s, double best)
{
    enum { LOADS = 24 };
    double fit[SERVET_NETWORK_SHIFTS];
    int n[3], i, j, found = 0;
    for (n[0] = 2; n[0] <= s->nodes / 2; n[0]++) {
        if (s->nodes % n[0]) continue;
        for (n[1] = 2; n[1] <= s->nodes / n[0]; n[1]++) {
            if (s->nodes / n[0] % n[1]) continue;
            n[2] = s->nodes / n[0] / n[1];
            for (i = 0; i <= LOADS; i++) {      /* links as fast as a message, to 16 times */
                const double load = pow(16, -(double)i / LOADS), one = log(servet_mpi__shape_torus(1, n, load));
                double left;
                for (j = 0; j < s->count; j++) fit[j] = log(servet_mpi__shape_torus(s->which[j], n, load)) - one;
                left = servet_mpi__shape_left(s, fit);
                if (left >= best) continue;
                best = left;
                found = 1;
                *period = n[0];
                *second = n[2] > 1 ? n[0] * n[1] : 0;
            }
        }
    }
    return found;
}

SERVET_MPI__DEF int servet_mpi_distance_infer(servet_network *n)
{
    servet_mpi__shape s;
    int i, shape = SERVET_SHAPE_UNKNOWN, period = 0, second = 0, sees;
    if (!n || n->dist_count < 0 || n->dist_count > SERVET_NETWORK_SHIFTS) return SERVET_EINVAL;
    for (i = 0; i < n->dist_count; i++) {
        const servet_network_ratio *r = &n->dist[i];
        if (!(r->lo_ratio > 0 && r->lo_ratio <= r->ratio && r->ratio <= r->hi_ratio && r->hi_ratio < HUGE_VAL))
            return SERVET_EINVAL;
    }
    if (n->dist_count < 2) return SERVET_EUNRESOLVED;
    servet_mpi__shape_open(&s, n);
    sees = s.worst * sqrt(2.0) * s.usual < log(SERVET_MPI__MATTERS);
    if (servet_mpi__shape_moves(&s, 0, s.count - 1, 0)) {
        double beyond, left = servet_mpi__shape_rising(&beyond, &s);
        if (servet_mpi__shape_periods(&period, &second, &s, left < SERVET_MPI__LEFT ? left : SERVET_MPI__LEFT))
            shape = SERVET_SHAPE_TORUS;
        else if (left < SERVET_MPI__LEFT) {     /* paths that meet by chance: more of what noise does */
            for (i = 0; i < s.count; i++) s.deviation[i] = sqrt(s.deviation[i] * s.deviation[i] + beyond * beyond);
            shape = SERVET_SHAPE_RING;
        }
    } else if (servet_mpi__shape_moves(&s, 0, s.count - 1, 1)) shape = SERVET_SHAPE_RING;
    else if (sees) shape = SERVET_SHAPE_FLAT;
    if (shape == SERVET_SHAPE_RING) {
        period = servet_mpi__shape_plateau(&s);
        if (period > 0) shape = sees ? SERVET_SHAPE_TWO_LEVEL : SERVET_SHAPE_UNKNOWN;
    }
    if (shape == SERVET_SHAPE_UNKNOWN) period = 0;
    n->shape = shape;
    n->shape_period = period;
    n->shape_period_2 = second;
    return shape;
}

/* >>access (implementation) ------------------------------------------------------------------- */

typedef struct servet_mpi__slots {
    int  nodes, least;          /* nodes; as many are used as give this many senders, if there are    */
    const int *begin;           /* of each node, in rank, and the end                               */
    const int *rank;            /* of each node, spread over its processors                         */
} servet_mpi__slots;

/* which processes on each of some nodes, each to the same place on the next. */
SERVET_MPI__PRIVATE int servet_mpi__slots_build(servet_mpi_transfer *t, const void *ctx, int which)
{
    const servet_mpi__slots *s = (const servet_mpi__slots *)ctx;
    int node, k, used = 0, first = -1, before = -1, count = 0, wanted = s->least / which;
    if (wanted < 2) wanted = 2;
    for (node = 0; node <= s->nodes; node++) {
        const int last = node == s->nodes || used == wanted;
        if (!last && s->begin[node + 1] - s->begin[node] < which) continue;
        for (k = 0; k < which && before >= 0; k++, count++) {
            t[count].from = s->rank[s->begin[before] + k];
            t[count].to = s->rank[s->begin[last ? first : node] + k];
        }
        if (last) break;
        if (first < 0) first = node;
        before = node;
        used++;
    }
    return used > 1 ? count : 0;
}

/* Orders a node's ranks so that the first of them are as far from each other as they can be: the next is of that outer
 * group of which the fewest are taken, then of that inner group, then the lowest.
 *   rank, count   ranks of the node, ascending; sorted in place
 *   taken         layers * 2 * ranks numbers, 0; left so */
SERVET_MPI__PRIVATE void servet_mpi__spread(int *rank, int count, const servet_network *n, int *taken)
{
    const size_t row = 2 * (size_t)n->ranks;
    int i, j, l;
    for (i = 0; i < count; i++) {
        int best = i;
        for (j = i + 1; j < count; j++)
            for (l = n->layer_count - 1; l >= 0; l--) {
                const int of_j = taken[(size_t)l * row + (size_t)servet_mpi__group(n, l, rank[j])];
                const int of_best = taken[(size_t)l * row + (size_t)servet_mpi__group(n, l, rank[best])];
                if (of_j < of_best) best = j;
                if (of_j != of_best) break;
            }
        j = rank[best];
        memmove(rank + i + 1, rank + i, (size_t)(best - i) * sizeof *rank);
        rank[i] = j;
        for (l = 0; l < n->layer_count; l++) taken[(size_t)l * row + (size_t)servet_mpi__group(n, l, j)]++;
    }
    for (i = 0; i < count; i++)
        for (l = 0; l < n->layer_count; l++) taken[(size_t)l * row + (size_t)servet_mpi__group(n, l, rank[i])] = 0;
}

/* The ranks of each node in that order.  begin: nodes + 1, rank: ranks out.  Returns a status. */
SERVET_MPI__PRIVATE int servet_mpi__slots_fill(int *begin, int *rank, const int *node, int nodes,
                                               const servet_network *n)
{
    int *taken = (int *)calloc(2 * (size_t)n->ranks * (size_t)(n->layer_count + 1), sizeof *taken), i;
    if (!taken) return SERVET_ENOMEM;
    for (i = 0; i < n->ranks; i++) begin[node[i] + 1]++;
    for (i = 0; i < nodes; i++) begin[i + 1] += begin[i];
    for (i = 0; i < n->ranks; i++) rank[begin[node[i]]++] = i;
    for (i = nodes; i > 0; i--) begin[i] = begin[i - 1];
    begin[0] = 0;
    for (i = 0; i < nodes; i++) servet_mpi__spread(rank + begin[i], begin[i + 1] - begin[i], n, taken);
    free(taken);
    return SERVET_OK;
}

/* The most processes that two nodes have. */
SERVET_MPI__PRIVATE int servet_mpi__slots_most(const int *begin, int nodes)
{
    int most = 0, second = 0, i;
    for (i = 0; i < nodes; i++) {
        const int here = begin[i + 1] - begin[i];
        if (here > most) { second = most; most = here; }
        else if (here > second) second = here;
    }
    return second;
}

SERVET_MPI__DEF int servet_mpi_access(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    servet_mpi__part p;
    servet_mpi__ratios v;
    servet_mpi__slots slots;
    servet_network_ratio *out;
    int status = servet_mpi__part_open(&p, n, net, opts), *work, *node, *rank, *begin, *which, i, j, known = 0;
    if (status < 0) return status;
    memset(&v, 0, sizeof v);
    memset(&slots, 0, sizeof slots);
    out = (servet_network_ratio *)calloc(SERVET_NETWORK_SHARES, sizeof *out);
    work = (int *)calloc(8 * (size_t)n->ranks + 2, sizeof *work);
    status = out && work ? SERVET_OK : SERVET_ENOMEM;
    if (status >= 0) {
        node = work + 4 * n->ranks;
        rank = work + 5 * n->ranks;
        which = work + 6 * n->ranks;
        begin = work + 7 * n->ranks;
        slots.nodes = servet_mpi__nodes(node, n, work);
        slots.begin = begin;
        slots.rank = rank;
        if (slots.nodes < 2) status = SERVET_EUNRESOLVED;
        else status = servet_mpi__slots_fill(begin, rank, node, slots.nodes, n);
    }
    if (status >= 0) {
        const int most = servet_mpi__slots_most(slots.begin, slots.nodes);
        v.count = servet_mpi__distances(which, 0, most, 0);
        slots.least = 2 * most;
        /* As many senders at all points: where nodes suffice, those numbers of processes that divide them. */
        if (slots.nodes >= slots.least) {
            for (i = v.count = 0, j = 1; j <= most; j++) if (slots.least % j == 0) which[v.count++] = j;
        }
        v.which = which;
        v.build = servet_mpi__slots_build;
        v.ctx = &slots;
        if (v.count > SERVET_NETWORK_SHARES) v.count = SERVET_NETWORK_SHARES;
        known = servet_mpi__ratio_all(out, &p, &v, n->ranks);
        status = known == SERVET_ENOMEM ? known : servet_mpi__part_close(&p, n, known);
    }
    if (known > 0) {
        memcpy(n->access, out, (size_t)known * sizeof *out);
        n->access_count = known;
        n->access_bytes = v.bytes;
        n->access_constant = 1;
        for (i = 1; i < known; i++) if (out[i].senders != out[0].senders) n->access_constant = 0;
    }
    free(out);
    free(work);
    return status;
}

/* >>profile (implementation) ------------------------------------------------------------------ */

#ifdef __cplusplus
}
#endif
#undef SERVET_MPI__DEF
#undef SERVET_MPI__PRIVATE
#endif /* SERVET_MPI_IMPLEMENTATION */

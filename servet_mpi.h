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
#  if defined(SMPI_H) && !defined(SERVET_MPI_BLOCKING)
#    define SERVET_MPI_BLOCKING
#  endif
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
 * Sorts ns, which must be above 0.  The interval of the median is that of order statistics, 95 %.  BIMODAL is said of
 * 20 and more: a gap between two parts, a tenth of the samples or more each, wider than either.  EINVAL for none. */
SERVET_API int servet_mpi_summary(servet_message *out, double *ns, int count);

/* servet_mpi_exchange_jump - does the time of a message jump between two sizes?                    [pure]
 *   point, count   ascending sizes whose trip was measured
 *   at             between point[at] and the next
 *   jump_ns        NULL or out: what is more (or less) than the slopes on both sides say
 * 1 = by more than all intervals allow, in the worst case of each, and by more than a twentieth; else 0, as for the
 * first and last gap.  Fewer ns for more bytes are a jump as well.  EINVAL. */
SERVET_API int servet_mpi_exchange_jump(const servet_network_size *point, int count, int at, double *jump_ns);

/* servet_mpi_exchange_sizes - one pair by size                                               [conductor]
 *   out, cap       points by size, 1 byte to most_bytes; layer is 0
 *   sw, switches   room for SERVET_NETWORK_SWITCHES places where the protocol changes, and how many were found
 * Powers of two, each measured in three passes that are in different orders; then sizes between by bisection wherever
 * the time of a trip jumps (servet_mpi_exchange_jump), to the byte while the time lasts; both sides of a switch are
 * among the points.  Streams have a window of 64 messages, less from 64 KiB on, so that 4 MiB are under way.
 * Returns the number of points, less than asked for where the time was over; ESPACE where cap is below that of the
 * powers of two, the errors of exchange where there is no point at all. */
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
#  include <sched.h>
#  include <stdio.h>
#  include <time.h>
#  include <unistd.h>
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

/* On a logarithmic scale, so that a scheduler's milliseconds, which vary, are as narrow as the wire's microseconds.  A
 * gap of less than a twentieth is not worth a word.  Of 20 samples of one sort (normal, uniform, exponential,
 * lognormal) one in 200 at most is taken for two, of 40 none in 4000; 99 of 100 are seen where a third of the times are
 * half as long again, or more. */
SERVET_MPI__PRIVATE int servet_mpi__bimodal(const double *sorted, int n)
{
    const int tenth = n / 10, few = (n + 9) / 10;
    double gap = 1.05, lower, upper;
    int i, at = 0;
    if (n < 20 || !(sorted[0] > 0)) return 0;
    for (i = few; i <= n - few; i++) {
        if (!(sorted[i] / sorted[i - 1] > gap)) continue;
        gap = sorted[i] / sorted[i - 1];
        at = i;
    }
    if (at == 0) return 0;
    lower = log(sorted[at - 1] / sorted[tenth < at - 1 ? tenth : at - 1]);
    upper = log(sorted[n - 1 - tenth > at ? n - 1 - tenth : at] / sorted[at]);
    return log(gap) > 1.5 * lower && log(gap) > 1.5 * upper;
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
    m.flags = servet_mpi__bimodal(ns, count) ? SERVET_MESSAGE_BIMODAL : 0;
    *out = m;
    return SERVET_OK;
}

/* The slopes that intervals allow between two points: a cost by the byte is never below 0. */
SERVET_MPI__PRIVATE void servet_mpi__slopes(const servet_network_size *a, const servet_network_size *b, double *least,
                                            double *most)
{
    const double low = (b->trip.lo_ns - a->trip.hi_ns) / (b->bytes - a->bytes);
    const double high = (b->trip.hi_ns - a->trip.lo_ns) / (b->bytes - a->bytes);
    *least = low > 0 ? low : 0;
    *most = high > 0 ? high : 0;
}

SERVET_MPI__DEF int servet_mpi_exchange_jump(const servet_network_size *point, int count, int at, double *jump_ns)
{
    const servet_network_size *a, *b;
    double least, most, least_2, most_2, over, under, jump = 0;
    int i, jumps = 0;
    if (!point || at < 0 || at + 1 >= count) return SERVET_EINVAL;
    for (i = at > 0 ? at - 1 : 0; i < count && i <= at + 2; i++)
        if (point[i].trip.samples < 1 || (i > at - 1 && i > 0 && !(point[i].bytes > point[i - 1].bytes)))
            return SERVET_EINVAL;
    if (at == 0 || at + 2 >= count) return 0;       /* one side says nothing of what the other becomes */
    a = &point[at];
    b = &point[at + 1];
    servet_mpi__slopes(a - 1, a, &least, &most);
    servet_mpi__slopes(b, b + 1, &least_2, &most_2);
    if (least_2 < least) least = least_2;
    if (most_2 > most) most = most_2;
    over = b->trip.lo_ns - a->trip.hi_ns - most * (b->bytes - a->bytes);
    under = a->trip.lo_ns - b->trip.hi_ns + least * (b->bytes - a->bytes);
    if (over > 0) {
        jump = b->trip.median_ns - a->trip.median_ns - most * (b->bytes - a->bytes);
        jumps = b->trip.p10_ns - a->trip.p10_ns > most * (b->bytes - a->bytes) && jump > a->trip.median_ns / 20;
    } else if (under > 0) {
        jump = b->trip.median_ns - a->trip.median_ns - least * (b->bytes - a->bytes);
        jumps = b->trip.p10_ns - a->trip.p10_ns < least * (b->bytes - a->bytes) && -jump > a->trip.median_ns / 20;
    }
    if (jump_ns) *jump_ns = jump;
    return jumps;
}

/* One message from several passes: the pass in the middle, its interval widened by what the passes disagree. */
SERVET_MPI__PRIVATE servet_message servet_mpi__merge(const servet_message *m, int count)
{
    servet_message out;
    int i, k, middle = -1, taken = 0, flags = 0, samples = 0;
    double least = 0, low = 0, high = 0, p99 = 0;
    memset(&out, 0, sizeof out);
    for (i = 0; i < count; i++) {
        if (m[i].samples < 1) continue;
        if (taken == 0 || m[i].min_ns < least) least = m[i].min_ns;
        if (taken == 0 || m[i].median_ns < low) low = m[i].median_ns;
        if (taken == 0 || m[i].median_ns > high) high = m[i].median_ns;
        if (taken == 0 || m[i].p99_ns > p99) p99 = m[i].p99_ns;
        flags |= m[i].flags;
        samples += m[i].samples;
        taken++;
    }
    for (i = 0; i < count && middle < 0; i++) {     /* the lower one of an even number */
        int below = 0, same = 0;
        if (m[i].samples < 1) continue;
        for (k = 0; k < count; k++) {
            below += m[k].samples > 0 && m[k].median_ns < m[i].median_ns;
            same += m[k].samples > 0 && k < i && m[k].median_ns >= m[i].median_ns && m[k].median_ns <= m[i].median_ns;
        }
        if (below + same == (taken - 1) / 2) middle = i;
    }
    if (middle < 0) return out;
    out = m[middle];
    out.min_ns = least;
    out.p99_ns = p99;
    if (low < out.lo_ns) out.lo_ns = low;
    if (high > out.hi_ns) out.hi_ns = high;
    out.samples = samples;
    out.flags = flags;
    return out;
}

enum { servet_mpi__passes = 3, servet_mpi__sizes_most = 160 };

typedef struct servet_mpi__ladder {
    servet_network_size point[servet_mpi__sizes_most];      /* ascending; the trip is merged from:  */
    servet_message pass[servet_mpi__sizes_most][servet_mpi__passes];
    unsigned char done[servet_mpi__sizes_most];             /* the gap after it is settled          */
    int    keep[servet_mpi__sizes_most];                    /* wanted in the result                 */
    int    count, from, to, status;
    double end_s;
    uint64_t random;
    const servet_mpi_network *net;
    const servet_mpi_opts *opts;
} servet_mpi__ladder;

SERVET_MPI__PRIVATE double servet_mpi__left_s(const servet_mpi__ladder *l)
{
    if (l->status < 0 || (l->opts && l->opts->stop && l->opts->stop(l->opts->ctx))) return 0;
    return l->end_s - l->net->seconds(l->net->context);
}

SERVET_MPI__PRIVATE int servet_mpi__stream_window(double bytes)
{
    const double window = 4194304.0 / bytes;
    return window >= 64 ? 64 : window < 1 ? 1 : (int)window;
}

/* One kind of message of one size; 0 samples if it failed. */
SERVET_MPI__PRIVATE servet_message servet_mpi__ladder_take(servet_mpi__ladder *l, int kind, double bytes,
                                                           double limit_s)
{
    servet_mpi_transfer t;
    servet_mpi_round r;
    servet_message m;
    int e;
    memset(&r, 0, sizeof r);
    memset(&m, 0, sizeof m);
    t.from = l->from;
    t.to = l->to;
    r.kind = kind;
    r.bytes = (size_t)bytes;
    r.window = kind == SERVET_MESSAGE_TRIP ? 1 : servet_mpi__stream_window(bytes);
    r.limit_s = limit_s > 1e-3 ? limit_s : 1e-3;
    r.count = 1;
    r.transfer = &t;
    r.each = &m;
    e = l->net->exchange(l->net->context, &r);
    if (e < 0) l->status = e;
    return m;
}

/* A point's place, made if need be; -1 where there is no more room. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_at(servet_mpi__ladder *l, double bytes)
{
    int i = 0, k;
    while (i < l->count && l->point[i].bytes < bytes) i++;
    if (i < l->count && l->point[i].bytes <= bytes) return i;
    if (l->count == servet_mpi__sizes_most) return -1;
    for (k = l->count++; k > i; k--) {
        l->point[k] = l->point[k - 1];
        l->done[k] = l->done[k - 1];
        l->keep[k] = l->keep[k - 1];
        memcpy(l->pass[k], l->pass[k - 1], sizeof l->pass[k]);
    }
    memset(&l->point[i], 0, sizeof l->point[i]);
    memset(l->pass[i], 0, sizeof l->pass[i]);
    l->point[i].bytes = bytes;
    l->done[i] = 0;
    l->keep[i] = 0;
    return i;
}

SERVET_MPI__PRIVATE void servet_mpi__ladder_trip(servet_mpi__ladder *l, int at, int pass, double limit_s)
{
    l->pass[at][pass] = servet_mpi__ladder_take(l, SERVET_MESSAGE_TRIP, l->point[at].bytes, limit_s);
    l->point[at].trip = servet_mpi__merge(l->pass[at], servet_mpi__passes);
}

/* Trips of all sizes, first upward, so that sizes for which the time will not do are left out; then shuffled.  Each
 * gets time by its bytes, and a little as all do. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_trips(servet_mpi__ladder *l, double share_s)
{
    const double begin = l->net->seconds(l->net->context), most = l->point[l->count - 1].bytes;
    const double even = share_s / (4.0 * servet_mpi__passes * l->count);
    int order[servet_mpi__sizes_most], i, k, pass, swap;
    for (i = 0; i < l->count; i++) {
        const double left = servet_mpi__left_s(l);
        if (i > 0 && left < 6e-9 * l->point[i - 1].trip.median_ns * l->point[i].bytes / l->point[i - 1].bytes) break;
        if (i > 0 && left <= 0) break;
        servet_mpi__ladder_trip(l, i, 0, even + share_s / (2.0 * servet_mpi__passes) * l->point[i].bytes / most);
        if (l->point[i].trip.samples < 1) break;
    }
    l->count = i;
    for (pass = 1; pass < servet_mpi__passes; pass++) {
        double cost = 0;
        for (i = 0; i < l->count; i++) {
            order[i] = i;
            cost += l->point[i].trip.median_ns;
        }
        for (i = l->count - 1; i > 0; i--) {
            k = (int)servet_stats_random_below(&l->random, (size_t)i + 1);
            swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (i = 0; i < l->count; i++) {
            const double left = share_s - (l->net->seconds(l->net->context) - begin);
            if (left <= 0 || servet_mpi__left_s(l) <= 0) return;
            servet_mpi__ladder_trip(l, order[i], pass, even + left / (2.0 * (servet_mpi__passes - pass)) *
                                    l->point[order[i]].trip.median_ns / cost);
        }
    }
}

/* How far the time of the next point is from what the sides say, over the time itself; 0 = within intervals.  Looking
 * costs little, so that here the doubt is for a switch: the flatter side is believed.  servet_mpi_exchange_jump
 * decides. */
SERVET_MPI__PRIVATE double servet_mpi__suspicion(const servet_mpi__ladder *l, int at)
{
    const servet_network_size *a = &l->point[at], *b = a + 1;
    double slope = 0, least, most, over, under;
    if (at > 0) servet_mpi__slopes(a - 1, a, &slope, &most);
    if (at + 2 < l->count) {
        servet_mpi__slopes(b, b + 1, &least, &most);
        if (at == 0 || least < slope) slope = least;
    }
    over = b->trip.lo_ns - a->trip.hi_ns - slope * (b->bytes - a->bytes);
    under = a->trip.lo_ns - b->trip.hi_ns + slope * (b->bytes - a->bytes);
    return (over > 0 ? over : under > 0 ? under : 0) / a->trip.median_ns;
}

/* The passes that a point still lacks; 1 if there were any. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_more(servet_mpi__ladder *l, int at, double limit_s)
{
    int pass, more = 0;
    for (pass = 0; pass < servet_mpi__passes; pass++) {
        if (l->pass[at][pass].samples > 0 || servet_mpi__left_s(l) <= 0) continue;
        servet_mpi__ladder_trip(l, at, pass, limit_s);
        more = 1;
    }
    return more;
}

/* Halves the most suspicious gap until none is, or it is a byte wide.  The points on both sides of a gap, and the next
 * ones, get all their passes first: a quiet moment is not the protocol's. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_bisect(servet_mpi__ladder *l, double share_s)
{
    const double until = l->net->seconds(l->net->context) + share_s;
    for (;;) {
        const double left = until - l->net->seconds(l->net->context);
        double most = 0.05, s;
        int i, at = -1, more = 0, middle;
        if (left <= 0 || servet_mpi__left_s(l) <= 0) return;
        for (i = 0; i + 1 < l->count; i++) {
            if (l->done[i] || (s = servet_mpi__suspicion(l, i)) <= most) continue;
            most = s;
            at = i;
        }
        if (at < 0) return;
        for (i = at > 0 ? at - 1 : 0; i < l->count && i <= at + 2; i++)
            more |= servet_mpi__ladder_more(l, i, left / 12);
        if (more) continue;
        if (l->point[at + 1].bytes - l->point[at].bytes <= 1) {
            l->done[at] = 1;
            continue;
        }
        middle = servet_mpi__ladder_at(l, floor((l->point[at].bytes + l->point[at + 1].bytes) / 2));
        if (middle < 0) return;
        servet_mpi__ladder_trip(l, middle, 0, left / 12);
        if (l->point[middle].trip.samples < 1) return;
    }
}

/* Of those not followed to the byte, since the time was over, only such as all passes saw. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_switches(servet_mpi__ladder *l, servet_network_switch *sw)
{
    int i, found = 0;
    for (i = 0; i + 1 < l->count && found < SERVET_NETWORK_SWITCHES; i++) {
        int k, seen = 1;
        if (servet_mpi_exchange_jump(l->point, l->count, i, NULL) != 1) continue;
        for (k = 0; k < servet_mpi__passes; k++) seen &= l->pass[i][k].samples > 0 && l->pass[i + 1][k].samples > 0;
        if (!seen) continue;
        sw[found].layer = 0;
        sw[found].bytes = sw[found].hi_bytes = l->point[i + 1].bytes;
        sw[found].lo_bytes = l->point[i].bytes + 1;
        sw[found].before_ns = l->point[i].trip.median_ns;
        sw[found++].after_ns = l->point[i + 1].trip.median_ns;
        l->keep[i] = l->keep[i + 1] = 1;
    }
    return found;
}

/* What a turn of messages in a row may take, from their trips. */
SERVET_MPI__PRIVATE double servet_mpi__ladder_cost(const servet_mpi__ladder *l, int at)
{
    return l->keep[at] ? 1e-9 * l->point[at].trip.median_ns * servet_mpi__stream_window(l->point[at].bytes) : 0;
}

/* Streams of the points that are kept, passes merged as trips are.  What the warming up of one would cost that the time
 * will not do for, is left out. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_streams(servet_mpi__ladder *l)
{
    servet_message pass[2][servet_mpi__sizes_most][servet_mpi__passes];
    double cost = 0;
    int i, k, p;
    memset(pass, 0, sizeof pass);
    for (i = 0; i < l->count; i++) cost += 2 * servet_mpi__passes * servet_mpi__ladder_cost(l, i);
    for (p = 0; p < servet_mpi__passes; p++) {
        for (i = 0; i < l->count; i++) {
            for (k = 0; k < 2 && l->keep[i]; k++) {
                const double left = servet_mpi__left_s(l), one = servet_mpi__ladder_cost(l, i);
                if (left > (p > 0 ? 3 * cost : 3 * one))
                    pass[k][i][p] = servet_mpi__ladder_take(l, k ? SERVET_MESSAGE_BOTH : SERVET_MESSAGE_STREAM,
                                                            l->point[i].bytes, left * (one / cost));
                cost -= one;
            }
        }
    }
    for (i = 0; i < l->count; i++) {
        l->point[i].stream = servet_mpi__merge(pass[0][i], servet_mpi__passes);
        l->point[i].both = servet_mpi__merge(pass[1][i], servet_mpi__passes);
    }
}

SERVET_MPI__DEF int servet_mpi_exchange_sizes(servet_network_size *out, int cap, servet_network_switch *sw,
                                              int *switches, const servet_mpi_network *net, int from, int to,
                                              double budget_s, const servet_mpi_opts *opts)
{
    const double most = opts && opts->most_bytes > 0 ? (double)opts->most_bytes : 4194304.0;
    servet_network_switch found[SERVET_NETWORK_SWITCHES];
    servet_mpi__ladder *l;
    double bytes;
    int i, count = 0, at, jumps;
    if (!out || cap < 1 || !sw || !switches || !net || !net->exchange || !net->seconds || from < 0 || to < 0 ||
        from >= net->ranks || to >= net->ranks || from == to || !(budget_s > 0) || most > 2147483647.0)
        return SERVET_EINVAL;
    l = (servet_mpi__ladder *)calloc(1, sizeof *l);
    if (!l) return SERVET_ENOMEM;
    l->net = net;
    l->opts = opts;
    l->from = from;
    l->to = to;
    l->random = opts ? opts->seed : 0;
    l->end_s = net->seconds(net->context) + budget_s;
    for (bytes = 1; bytes < most; bytes *= 2) servet_mpi__ladder_at(l, bytes);
    servet_mpi__ladder_at(l, most);
    for (i = 0; i < l->count; i++) l->keep[i] = 1;
    if (l->count > cap) { free(l); return SERVET_ESPACE; }
    servet_mpi__ladder_trips(l, 0.3 * budget_s);
    servet_mpi__ladder_bisect(l, 0.3 * budget_s);
    jumps = servet_mpi__ladder_switches(l, found);
    for (i = 0; i < l->count; i++) count += l->keep[i];
    for (i = 0; i < l->count && count > cap; i++) {     /* powers of two first */
        if (!l->keep[i] || (l->point[i].bytes >= most) || floor(log2(l->point[i].bytes)) >= log2(l->point[i].bytes))
            continue;
        l->keep[i] = 0;
        count--;
    }
    servet_mpi__ladder_streams(l);
    for (i = at = 0; i < l->count; i++)
        if (l->keep[i]) out[at++] = l->point[i];
    if (at > 0) {
        memcpy(sw, found, (size_t)jumps * sizeof *sw);
        *switches = jumps;
    }
    i = l->status;
    free(l);
    return at > 0 ? at : i < 0 ? i : SERVET_ETIME;
}

#if !defined(SERVET_MPI_OFFLINE)

/* Rank 0 sends orders; all other ranks serve.  A round is ordered from the ranks in it alone, so that the others are
 * left asleep.  Control messages are arrays of doubles: exact for the integers in them, and right between machines of
 * different form.  Once a message is lost (limit_s) the network is given up: nothing later could be trusted. */
enum {
    servet_mpi__op_end = 0, servet_mpi__op_round = 1, servet_mpi__op_give = 2, servet_mpi__op_alive = 3
};
enum {                              /* what a tag says, below the number of the round               */
    servet_mpi__tag_order = 0, servet_mpi__tag_list = 1, servet_mpi__tag_memory = 2, servet_mpi__tag_go = 3,
    servet_mpi__tag_ready = 4, servet_mpi__tag_data = 5, servet_mpi__tag_ack = 6, servet_mpi__tag_up = 7,
    servet_mpi__tag_down = 8, servet_mpi__tag_result = 9, servet_mpi__tag_give = 10, servet_mpi__tag_even = 11,
    servet_mpi__tags = 16
};
enum { servet_mpi__order_head = 16, servet_mpi__order_all = 48, servet_mpi__result_all = 12 };
enum { servet_mpi__warm_most = 8, servet_mpi__brief_warm = 50 };
enum { servet_mpi__period = 251 };  /* of bytes sent, so that doubling what is there keeps it       */

typedef struct servet_mpi__site {   /* where a rank is                                              */
    char name[MPI_MAX_PROCESSOR_NAME], kernel[64];
    servet_cpus cpus;
} servet_mpi__site;

typedef struct servet_mpi__end {    /* a rank's end of all that is under way                        */
    MPI_Comm comm;
    int      rank, ranks, status;   /* status < 0: given up                                         */
    int      round;                 /* of orders: part of tags                                      */
    int      prompt;                /* no message of the round has waited for its receiver          */
    int      spoilt;                /* something came that was not sent                             */
    int      crowded, crowded_all;  /* ranks without a CPU of their own, on this kernel and on all  */
    int      near_ranks;            /* on this kernel, this one counted                             */
    double   limit_s;               /* for a message                                                */
    double   step_s, span_s;        /* of the clock; of a sample                                    */
    unsigned char *out, *in;        /* messages sent and received                                   */
    size_t   out_bytes, in_bytes;
    MPI_Request *request;           /* of a round together                                          */
    int     *request_of;            /* its transfer and what it is                                  */
    int      request_room;
    double  *sample;
    size_t   sample_room;
    double   order[servet_mpi__order_all];
    double  *list;                  /* transfers and neighbours of the order under way              */
    int      list_room;
    double   small[4];              /* control messages between ranks                               */
    double   result[servet_mpi__result_all];
    servet_mpi__site here;
    /* rank 0 */
    double  *need;                  /* what each rank is known to have: bytes out, in, other        */
    double   begin_s, alive_s;      /* when the others last heard of this rank                      */
    int      answers;               /* of the round that have come                                  */
    servet_mpi__site *site;         /* of all ranks                                                 */
    int     *near_all;              /* of all ranks: how many are on their host; of those crowded   */
    double  *wants;                 /* 1 for a rank that wants the results; then their numbers      */
} servet_mpi__end;

SERVET_MPI__PRIVATE int servet_mpi__tag(const servet_mpi__end *x, int what)
{
    return what + servet_mpi__tags * (x->round & 1023);     /* MPI promises 32767 */
}

SERVET_MPI__PRIVATE int servet_mpi__give_up(servet_mpi__end *x, int status)
{
    if (x->status >= 0) x->status = status;
    return x->status;
}

/* After some time of asking in vain, and again: whether it is too long; and, where ranks share CPUs, another gets this
 * one, which may be the rank that is waited for.  Where they need not share them they yield late, when the other must
 * be without a CPU: two that yield to each other all the time are left on one. */
SERVET_MPI__PRIVATE int servet_mpi__patience(servet_mpi__end *x, double *begin)
{
    const double now = MPI_Wtime();
    if (!(*begin > 0)) *begin = now;
    if (now - *begin > x->limit_s) return servet_mpi__give_up(x, SERVET_ETIME);
#if !defined(SERVET_MPI_BLOCKING)
    if (x->crowded || now - *begin > 1e-3) sched_yield();
#endif
    return SERVET_OK;
}

/* Waits without rest: what is awaited is under way, and its time may be taken.  In a simulator a rank that asks again
 * and again moves the clock, and no rank is lost, so that it waits as programs do. */
SERVET_MPI__PRIVATE int servet_mpi__wait(servet_mpi__end *x, MPI_Request *request)
{
#if defined(SERVET_MPI_BLOCKING)
    return MPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? SERVET_OK : servet_mpi__give_up(x, SERVET_ENETWORK);
#else
    double begin = 0;
    int done = 0, asked = 0, e;
    for (;;) {
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return servet_mpi__give_up(x, SERVET_ENETWORK);
        if (done) return SERVET_OK;
        if (++asked % 64) continue;
        if ((e = servet_mpi__patience(x, &begin)) < 0) return e;
    }
#endif
}

/* Waits asleep, for up to limit_s: longer pauses the longer it has waited, and none so long that it would be felt.
 * Without a limit where that is 0. */
SERVET_MPI__PRIVATE int servet_mpi__rest(MPI_Request *request, double limit_s)
{
#if defined(SERVET_MPI_BLOCKING)
    (void)limit_s;
    return MPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? SERVET_OK : SERVET_ENETWORK;
#else
    const double begin = MPI_Wtime();
    int done = 0;
    for (;;) {
        struct timespec pause;
        double waited;
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return SERVET_ENETWORK;
        if (done) return SERVET_OK;
        waited = MPI_Wtime() - begin;
        if (waited > limit_s) return SERVET_ETIME;
        pause.tv_sec = 0;
        pause.tv_nsec = waited < 80e-6 ? 20000 : waited > 4e-3 ? 1000000 : (long)(waited * 1e9 / 4);
        nanosleep(&pause, NULL);
    }
#endif
}

SERVET_MPI__PRIVATE int servet_mpi__send(servet_mpi__end *x, const double *d, int count, int to, int tag)
{
    MPI_Request request;
    union { const double *from; void *to; } plain;      /* MPI-2 sends what is not const */
    plain.from = d;
    if (MPI_Isend(plain.to, count, MPI_DOUBLE, to, tag, x->comm, &request) != MPI_SUCCESS)
        return servet_mpi__give_up(x, SERVET_ENETWORK);
    return servet_mpi__wait(x, &request);
}

/* rest: the sender may be long in coming. */
SERVET_MPI__PRIVATE int servet_mpi__receive(servet_mpi__end *x, double *d, int count, int from, int tag, double rest_s)
{
    MPI_Request request;
    int e;
    if (MPI_Irecv(d, count, MPI_DOUBLE, from, tag, x->comm, &request) != MPI_SUCCESS)
        return servet_mpi__give_up(x, SERVET_ENETWORK);
    if (rest_s <= 0) return servet_mpi__wait(x, &request);
    e = servet_mpi__rest(&request, rest_s);
    return e < 0 ? servet_mpi__give_up(x, e) : SERVET_OK;
}

/* Memory that grows.  Linux gives more than there is and kills who uses it: what would not leave half to others is
 * refused here.  Touched at once, each byte a function of its place and of the rank. */
SERVET_MPI__PRIVATE unsigned char servet_mpi__byte(int rank, size_t at)
{
    return (unsigned char)(rank * 37 + (int)(at % servet_mpi__period) + 1);
}

SERVET_MPI__PRIVATE int servet_mpi__grow(const servet_mpi__end *x, unsigned char **area, size_t *room, double bytes)
{
    unsigned char *fresh;
    size_t i, part, size;
    if (bytes <= (double)*room) return SERVET_OK;
    if (bytes > (double)((size_t)-1 / 4)) return SERVET_ENOMEM;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    {
        double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
        if (pages > 0 && page > 0 && bytes * x->near_ranks > pages * page / 4) return SERVET_ENOMEM;
    }
#endif
    size = (size_t)bytes;
    fresh = (unsigned char *)malloc(size);
    if (!fresh) return SERVET_ENOMEM;
    for (i = 0; i < size && i < (size_t)servet_mpi__period; i++) fresh[i] = servet_mpi__byte(x->rank, i);
    for (; i < size; i += part) {
        part = i < size - i ? i : size - i;
        memcpy(fresh + i, fresh, part);
    }
    free(*area);
    *area = fresh;
    *room = size;
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__grow_samples(servet_mpi__end *x, size_t count)
{
    double *fresh;
    if (count <= x->sample_room) return SERVET_OK;
    if (count > (size_t)-1 / sizeof *fresh) return SERVET_ENOMEM;
    fresh = (double *)malloc(count * sizeof *fresh);
    if (!fresh) return SERVET_ENOMEM;
    free(x->sample);
    x->sample = fresh;
    x->sample_room = count;
    return SERVET_OK;
}

/* request_of has room for a number of each transfer as well, of which there are fewer. */
SERVET_MPI__PRIVATE int servet_mpi__grow_requests(servet_mpi__end *x, double count)
{
    MPI_Request *fresh;
    int *fresh_of;
    if (count <= x->request_room) return SERVET_OK;
    if (count > 1e8) return SERVET_ENOMEM;
    fresh = (MPI_Request *)malloc((size_t)count * sizeof *fresh);
    fresh_of = (int *)malloc((size_t)count * 2 * sizeof *fresh_of);
    if (!fresh || !fresh_of) {
        free(fresh);
        free(fresh_of);
        return SERVET_ENOMEM;
    }
    free(x->request);
    free(x->request_of);
    x->request = fresh;
    x->request_of = fresh_of;
    x->request_room = (int)count;
    return SERVET_OK;
}

/* What a rank was told of a round. */
typedef struct servet_mpi__part {
    int    kind, window, together, least, most, transfers, neighbours, steps, all, agree, each;
    size_t bytes;
    double within_frac, limit_s;
    const double *transfer;         /* index, peer, 1 = from here                                   */
    const double *neighbour;        /* parent or -1, children                                       */
    const double *step;             /* of the barrier: whom to tell, whom to hear                   */
} servet_mpi__part;

SERVET_MPI__PRIVATE servet_mpi__part servet_mpi__part_of(const double *order, const double *list)
{
    servet_mpi__part p;
    p.kind = (int)order[2];
    p.bytes = (size_t)order[3];
    p.window = (int)order[4];
    p.together = (int)order[5];
    p.least = (int)order[6];
    p.most = (int)order[7];
    p.within_frac = order[8];
    p.limit_s = order[9];
    p.transfers = (int)order[10];
    p.neighbours = (int)order[11];
    p.agree = (int)order[12];
    p.each = (int)order[13];
    p.all = (int)order[14];
    p.transfer = list;
    p.neighbour = list + 3 * p.transfers;
    p.steps = (int)order[15];
    p.step = p.neighbour + p.neighbours;
    return p;
}

/* Bytes of messages that may come in at once, each to a place of its own. */
SERVET_MPI__PRIVATE double servet_mpi__in_bytes(int kind, int window, double bytes, int from_here, int to_here)
{
    if (kind == SERVET_MESSAGE_TRIP) return bytes * (from_here + to_here);
    return bytes * window * (kind == SERVET_MESSAGE_BOTH ? from_here + to_here : to_here);
}

SERVET_MPI__PRIVATE int servet_mpi__prepare(servet_mpi__end *x, const servet_mpi__part *p)
{
    int i, from_here = 0, e;
    size_t samples;
    for (i = 0; i < p->transfers; i++) from_here += p->transfer[3 * i + 2] > 0;
    e = servet_mpi__grow(x, &x->out, &x->out_bytes, (double)p->bytes);
    if (e >= 0)
        e = servet_mpi__grow(x, &x->in, &x->in_bytes, servet_mpi__in_bytes(p->kind, p->window, (double)p->bytes,
                                                                           from_here, p->transfers - from_here));
    /* Of pairs: the samples and a copy in order.  Together: those of all transfers from here, and of the round. */
    samples = (size_t)p->most * (size_t)(from_here + 3);
    if (e >= 0) e = servet_mpi__grow_samples(x, samples);
    return e < 0 ? e : servet_mpi__grow_requests(x, (double)p->transfers * (2.0 * p->window + 2));
}

/* --- a pair at its own pace --- */

SERVET_MPI__PRIVATE int servet_mpi__put(servet_mpi__end *x, size_t bytes, int to, int tag)
{
    MPI_Request request;
    if (MPI_Isend(x->out, (int)bytes, MPI_BYTE, to, tag, x->comm, &request) != MPI_SUCCESS)
        return servet_mpi__give_up(x, SERVET_ENETWORK);
#if !defined(SERVET_MPI_BLOCKING)
    {
        int done = 0;
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        if (done) return SERVET_OK;
    }
#endif
    x->prompt = 0;
    return servet_mpi__wait(x, &request);
}

/* The same in a row of turns so short that it is the call that counts: as programs do, where so far no such message
 * waited for the other end. */
SERVET_MPI__PRIVATE int servet_mpi__put_brief(servet_mpi__end *x, size_t bytes, int to, int tag, int brief)
{
    if (!brief || !x->prompt) return servet_mpi__put(x, bytes, to, tag);
    if (MPI_Send(x->out, (int)bytes, MPI_BYTE, to, tag, x->comm) == MPI_SUCCESS) return SERVET_OK;
    return servet_mpi__give_up(x, SERVET_ENETWORK);
}

SERVET_MPI__PRIVATE int servet_mpi__get(servet_mpi__end *x, size_t bytes, int from, int tag)
{
    MPI_Request request;
    if (MPI_Irecv(x->in, (int)bytes, MPI_BYTE, from, tag, x->comm, &request) != MPI_SUCCESS)
        return servet_mpi__give_up(x, SERVET_ENETWORK);
    return servet_mpi__wait(x, &request);
}

/* The receives of a window, each to a place of its own; and its sends, all from one. */
SERVET_MPI__PRIVATE int servet_mpi__post(servet_mpi__end *x, MPI_Request *request, size_t bytes, int window, int from)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_data);
    int i;
    for (i = 0; i < window; i++)
        if (MPI_Irecv(x->in + (size_t)i * bytes, (int)bytes, MPI_BYTE, from, tag, x->comm, &request[i]) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__pour(servet_mpi__end *x, MPI_Request *request, size_t bytes, int window, int to)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_data);
    int i;
    for (i = 0; i < window; i++)
        if (MPI_Isend(x->out, (int)bytes, MPI_BYTE, to, tag, x->comm, &request[i]) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__wait_all(servet_mpi__end *x, MPI_Request *request, int count)
{
    int i, e = SERVET_OK;
    for (i = 0; i < count && e >= 0; i++) e = servet_mpi__wait(x, &request[i]);
    return e;
}

/* What came is what was sent: looked at once in a round, at both ends and in the middle. */
SERVET_MPI__PRIVATE void servet_mpi__blank(unsigned char *at, size_t bytes)
{
    at[0] = at[bytes / 2] = at[bytes - 1] = 0;
}

SERVET_MPI__PRIVATE int servet_mpi__intact(const unsigned char *at, size_t bytes, int from)
{
    const size_t middle = bytes / 2, end = bytes - 1;
    return at[0] == servet_mpi__byte(from, 0) && at[middle] == servet_mpi__byte(from, middle) &&
           at[end] == servet_mpi__byte(from, end);
}

/* A turn of messages both ways, the same at either end.  Receives of the next are posted before the acknowledgement
 * that lets the other begin it. */
SERVET_MPI__PRIVATE int servet_mpi__turn_both(servet_mpi__end *x, size_t bytes, int window, int peer, int more)
{
    const int ack = servet_mpi__tag(x, servet_mpi__tag_ack);
    int e = servet_mpi__pour(x, x->request + window, bytes, window, peer);
    if (e >= 0) e = servet_mpi__wait_all(x, x->request, window);
    if (e >= 0 && more) e = servet_mpi__post(x, x->request, bytes, window, peer);
    if (e >= 0) e = servet_mpi__put(x, 0, peer, ack);
    if (e >= 0) e = servet_mpi__wait_all(x, x->request + window, window);
    return e < 0 ? e : servet_mpi__get(x, 0, peer, ack);
}

/* The partner of a pair: as many turns as it is told, until it is told none.  When it is ready it says whether what
 * came before was what was sent. */
SERVET_MPI__PRIVATE int servet_mpi__follow(servet_mpi__end *x, const servet_mpi__part *p)
{
    const int peer = (int)p->transfer[1], data = servet_mpi__tag(x, servet_mpi__tag_data);
    const int ack = servet_mpi__tag(x, servet_mpi__tag_ack), ready = servet_mpi__tag(x, servet_mpi__tag_ready);
    int first = 1, intact = 1, brief, e;
    x->prompt = 1;
    for (;;) {
        double turns;
        e = servet_mpi__receive(x, x->small, 2, peer, servet_mpi__tag(x, servet_mpi__tag_go), 0);
        if (e < 0 || x->small[0] <= 0) return e;
        turns = x->small[0] * x->small[1] + (p->kind == SERVET_MESSAGE_BOTH);
        brief = x->small[1] > 1;
        servet_mpi__blank(x->in, p->bytes);
        if (p->kind != SERVET_MESSAGE_TRIP) e = servet_mpi__post(x, x->request, p->bytes, p->window, peer);
        x->small[0] = intact;
        if (e >= 0) e = servet_mpi__send(x, x->small, 1, peer, ready);
        for (; e >= 0 && turns > 0; turns -= 1) {
            if (p->kind == SERVET_MESSAGE_TRIP) {
                e = servet_mpi__get(x, p->bytes, peer, data);
                if (e >= 0) e = servet_mpi__put_brief(x, p->bytes, peer, data, brief);
            } else if (p->kind == SERVET_MESSAGE_STREAM) {
                e = servet_mpi__wait_all(x, x->request, p->window);
                if (e >= 0 && turns > 1) e = servet_mpi__post(x, x->request, p->bytes, p->window, peer);
                if (e >= 0) e = servet_mpi__put(x, 0, peer, ack);
            } else {
                e = servet_mpi__turn_both(x, p->bytes, p->window, peer, turns > 1);
            }
        }
        if (e < 0) return e;
        if (first) intact = servet_mpi__intact(x->in, p->bytes, peer);
        first = 0;
    }
}

/* Samples of turns each, ns a message, into x->sample from at.  Both ways there is an untimed turn before, in which the
 * two fall into step. */
SERVET_MPI__PRIVATE int servet_mpi__lead_samples(servet_mpi__end *x, const servet_mpi__part *p, int at, int samples,
                                                 int turns)
{
    const int peer = (int)p->transfer[1], data = servet_mpi__tag(x, servet_mpi__tag_data);
    const int ack = servet_mpi__tag(x, servet_mpi__tag_ack), ready = servet_mpi__tag(x, servet_mpi__tag_ready);
    const double messages = turns * (p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window);
    int i, k, e = SERVET_OK;
    if (p->kind == SERVET_MESSAGE_BOTH) e = servet_mpi__post(x, x->request, p->bytes, p->window, peer);
    x->small[0] = samples;
    x->small[1] = turns;
    if (e >= 0) e = servet_mpi__send(x, x->small, 2, peer, servet_mpi__tag(x, servet_mpi__tag_go));
    if (e >= 0) e = servet_mpi__receive(x, x->small + 2, 1, peer, ready, 0);
    if (e >= 0 && !(x->small[2] > 0)) x->spoilt = 1;
    if (e >= 0 && p->kind == SERVET_MESSAGE_BOTH) e = servet_mpi__turn_both(x, p->bytes, p->window, peer, 1);
    for (i = 0; e >= 0 && i < samples; i++) {
        const double begin = MPI_Wtime();
        for (k = 0; e >= 0 && k < turns; k++) {
            if (p->kind == SERVET_MESSAGE_TRIP) {
                e = servet_mpi__put_brief(x, p->bytes, peer, data, turns > 1);
                if (e >= 0) e = servet_mpi__get(x, p->bytes, peer, data);
            } else if (p->kind == SERVET_MESSAGE_STREAM) {
                e = servet_mpi__pour(x, x->request, p->bytes, p->window, peer);
                if (e >= 0) e = servet_mpi__wait_all(x, x->request, p->window);
                if (e >= 0) e = servet_mpi__get(x, 0, peer, ack);
            } else {
                e = servet_mpi__turn_both(x, p->bytes, p->window, peer, i + 1 < samples || k + 1 < turns);
            }
        }
        x->sample[at + i] = (MPI_Wtime() - begin) / messages * 1e9;
    }
    return e;
}

/* The samples so far, as one message; flags as far as the samples show. */
SERVET_MPI__PRIVATE void servet_mpi__settle(servet_message *out, double *scratch, const double *sample, int count,
                                            double messages_s_steps)
{
    memcpy(scratch, sample, (size_t)count * sizeof *sample);
    if (servet_mpi_summary(out, scratch, count) < 0) return;
    if (out->median_ns < messages_s_steps) out->flags |= SERVET_MESSAGE_COARSE;
}

SERVET_MPI__PRIVATE int servet_mpi__narrow(const servet_message *m, double within_frac)
{
    return m->samples > 0 && (m->hi_ns - m->lo_ns) / 2 <= within_frac * m->median_ns;
}

/* Untimed turns until they get no faster: the first message between two ranks may cost a thousand others.  Then as
 * many turns a sample as the clock asks for; and of such short ones some more, since an end that slept a moment ago is
 * slow for longer than they last.  Returns how many turns, and how long one takes. */
SERVET_MPI__PRIVATE int servet_mpi__warm(servet_mpi__end *x, const servet_mpi__part *p, double *turn_s)
{
    const double messages = p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window, begin = MPI_Wtime();
    double before = 0, now = 0;
    int i, e, turns = 1;
    x->prompt = 1;
    for (i = 0; i < servet_mpi__warm_most; i++) {
        if ((e = servet_mpi__lead_samples(x, p, 0, 1, 1)) < 0) return e;
        now = x->sample[0] * messages / 1e9;
        if (i > 0 && now >= before / 2) break;
        before = now;
    }
    while (now * turns < x->span_s && turns < 1 << 16 && MPI_Wtime() - begin < p->limit_s / 2) {
        const double want = now > 0 ? ceil(x->span_s / now) : turns * 16.0;
        turns = want < turns * 16.0 ? (want > turns ? (int)want : turns + 1) : turns * 16;
        if ((e = servet_mpi__lead_samples(x, p, 0, 1, turns)) < 0) return e;
        now = x->sample[0] * messages / 1e9;
    }
    if (turns > 1 && now > 0) {
        double many = p->limit_s / 20 / (now * turns);
        if (many > servet_mpi__brief_warm) many = servet_mpi__brief_warm;
        if (many > p->most) many = p->most;
        if ((e = servet_mpi__lead_samples(x, p, 0, many < 1 ? 1 : (int)many, turns)) < 0) return e;
    }
    *turn_s = now;
    return turns;
}

SERVET_MPI__PRIVATE int servet_mpi__lead(servet_mpi__end *x, const servet_mpi__part *p, servet_message *out)
{
    const double messages = p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window, begin = MPI_Wtime();
    double turn_s = 0, steps;
    int count = 0, next, e, turns = servet_mpi__warm(x, p, &turn_s), brief = 0;
    if (turns < 0) return turns;
    steps = 10 * x->step_s * 1e9 / (messages * turns);
    next = p->least;
    for (;;) {
        const double left = p->limit_s - (MPI_Wtime() - begin), one = turn_s * turns;
        if (next * one > left) {
            next = one > 0 && left > one ? (int)(left / one) : 1;
            brief = 1;
        }
        if (brief && count >= 1 && left < one) break;
        if ((e = servet_mpi__lead_samples(x, p, count, next, turns)) < 0) return e;
        if (x->spoilt) break;
        count += next;
        servet_mpi__settle(out, x->sample + p->most, x->sample, count, steps);
        turn_s = out->median_ns * messages / 1e9;
        if (count >= p->least && servet_mpi__narrow(out, p->within_frac)) { brief = 0; break; }
        if (count >= p->most) { brief = 0; break; }
        next = count < p->most - count ? count : p->most - count;
        brief = 0;
    }
    if (brief) out->flags |= SERVET_MESSAGE_SHORT;
    x->small[0] = x->small[1] = 0;
    e = servet_mpi__send(x, x->small, 2, (int)p->transfer[1], servet_mpi__tag(x, servet_mpi__tag_go));
    return e >= 0 && x->spoilt ? SERVET_ENETWORK : e;
}

/* --- all together --- */

enum {                              /* what a request is: 4 * transfer + this                       */
    servet_mpi__data_in = 0, servet_mpi__data_out = 1, servet_mpi__ack_in = 2, servet_mpi__ack_out = 3
};

SERVET_MPI__PRIVATE int servet_mpi__any(servet_mpi__end *x, int count, int *which)
{
    MPI_Status status;
#if defined(SERVET_MPI_BLOCKING)
    if (MPI_Waitany(count, x->request, which, &status) != MPI_SUCCESS) return servet_mpi__give_up(x, SERVET_ENETWORK);
    return SERVET_OK;
#else
    double begin = 0;
    int done = 0, asked = 0, e;
    for (;;) {
        if (MPI_Testany(count, x->request, which, &done, &status) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        if (done) return SERVET_OK;
        if (++asked % 64) continue;
        if ((e = servet_mpi__patience(x, &begin)) < 0) return e;
    }
#endif
}

/* Of each transfer of a round: messages still to come in, what its time still waits for, where its samples go. */
SERVET_MPI__PRIVATE int *servet_mpi__left(const servet_mpi__end *x) { return x->request_of + x->request_room; }

/* Requests of a repetition are laid out by transfer; receives are posted before the barrier.  Returns how many. */
SERVET_MPI__PRIVATE int servet_mpi__lay_out(servet_mpi__end *x, const servet_mpi__part *p)
{
    const int data = servet_mpi__tag(x, servet_mpi__tag_data), ack = servet_mpi__tag(x, servet_mpi__tag_ack);
    const size_t ack_bytes = p->kind == SERVET_MESSAGE_TRIP ? p->bytes : 0;
    unsigned char *in = x->in;
    int i, k, at = 0, *left = servet_mpi__left(x), *due = left + p->transfers;
    for (i = 0; i < p->transfers; i++) {
        const int peer = (int)p->transfer[3 * i + 1], from_here = p->transfer[3 * i + 2] > 0;
        const int takes = !from_here || p->kind == SERVET_MESSAGE_BOTH;
        const int gives = from_here || p->kind == SERVET_MESSAGE_BOTH;
        left[i] = takes ? p->window : 0;
        due[i] = from_here ? 1 + left[i] : 0;
        for (k = 0; k < left[i]; k++, at++, in += p->bytes) {
            x->request_of[at] = 4 * i + servet_mpi__data_in;
            if (MPI_Irecv(in, (int)p->bytes, MPI_BYTE, peer, data, x->comm, &x->request[at]) != MPI_SUCCESS)
                return servet_mpi__give_up(x, SERVET_ENETWORK);
        }
        if (takes) {
            x->request_of[at] = 4 * i + servet_mpi__ack_out;
            x->request[at++] = MPI_REQUEST_NULL;
        }
        if (!gives) continue;
        for (k = 0; k < p->window; k++, at++) {
            x->request_of[at] = 4 * i + servet_mpi__data_out;
            x->request[at] = MPI_REQUEST_NULL;
        }
        x->request_of[at] = 4 * i + servet_mpi__ack_in;
        if (MPI_Irecv(in, (int)ack_bytes, MPI_BYTE, peer, ack, x->comm, &x->request[at++]) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        in += ack_bytes;
    }
    return at;
}

SERVET_MPI__PRIVATE int servet_mpi__start(servet_mpi__end *x, const servet_mpi__part *p, int i, size_t bytes, int what)
{
    const int peer = (int)p->transfer[3 * (x->request_of[i] / 4) + 1], tag = servet_mpi__tag(x, what);
    if (MPI_Isend(x->out, (int)bytes, MPI_BYTE, peer, tag, x->comm, &x->request[i]) == MPI_SUCCESS) return SERVET_OK;
    return servet_mpi__give_up(x, SERVET_ENETWORK);
}

/* One repetition.  The time of a transfer is its sender's, from the common start to the acknowledgement (and, both
 * ways, to all that came).  Of transfers from here, in their order, one goes to x->sample[its place * most + at]; the
 * largest to tell[0], their sum to tell[1]. */
SERVET_MPI__PRIVATE int servet_mpi__repeat(servet_mpi__end *x, const servet_mpi__part *p, int requests, int at,
                                           double *tell)
{
    const size_t ack_bytes = p->kind == SERVET_MESSAGE_TRIP ? p->bytes : 0;
    const double begin = MPI_Wtime(), messages = p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window;
    int i, k, which, place, open = requests, e = SERVET_OK, *left = servet_mpi__left(x), *due = left + p->transfers;
    for (i = 0; e >= 0 && i < requests; i++)
        if (x->request_of[i] % 4 == servet_mpi__data_out)
            e = servet_mpi__start(x, p, i, p->bytes, servet_mpi__tag_data);
    tell[0] = tell[1] = tell[2] = 0;
    while (e >= 0 && open-- > 0) {
        int of, what;
        if ((e = servet_mpi__any(x, requests, &which)) < 0) break;
        if (which < 0 || which >= requests) return servet_mpi__give_up(x, SERVET_ENETWORK);
        of = x->request_of[which] / 4;
        what = x->request_of[which] % 4;
        if (what == servet_mpi__data_in && --left[of] == 0) {
            for (i = which; x->request_of[i] != 4 * of + servet_mpi__ack_out; i++) { }
            e = servet_mpi__start(x, p, i, ack_bytes, servet_mpi__tag_ack);
        }
        if ((what == servet_mpi__data_in || what == servet_mpi__ack_in) && due[of] > 0 && --due[of] == 0) {
            const double ns = (MPI_Wtime() - begin) / messages * 1e9;
            for (place = 0, k = 0; k < of; k++) place += p->transfer[3 * k + 2] > 0;
            x->sample[(size_t)place * (size_t)p->most + (size_t)at] = ns;
            if (ns > tell[0]) tell[0] = ns;
            tell[1] += ns;
        }
    }
    return e;
}

/* Between repetitions a tree carries upward what the last one took, and downward what the root says of the next. */
SERVET_MPI__PRIVATE int servet_mpi__tree_up(servet_mpi__end *x, const servet_mpi__part *p, double *tell)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_up);
    int i, e = SERVET_OK;
    for (i = p->neighbours - 1; e >= 0 && i >= 1; i--) {
        if ((e = servet_mpi__receive(x, x->small, 3, (int)p->neighbour[i], tag, 0)) < 0) break;
        if (x->small[0] > tell[0]) tell[0] = x->small[0];
        tell[1] += x->small[1];
        tell[2] += x->small[2];
    }
    if (e < 0 || p->neighbour[0] < 0) return e;
    return servet_mpi__send(x, tell, 3, (int)p->neighbour[0], tag);
}

SERVET_MPI__PRIVATE int servet_mpi__tree_down(servet_mpi__end *x, const servet_mpi__part *p, double *say)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_down);
    int i, e = SERVET_OK;
    if (p->neighbour[0] >= 0) {
        e = servet_mpi__receive(x, x->small, 2, (int)p->neighbour[0], tag, 0);
        say[0] = x->small[0];
        say[1] = x->small[1];
    }
    for (i = 1; e >= 0 && i < p->neighbours; i++) e = servet_mpi__send(x, say, 2, (int)p->neighbour[i], tag);
    return e;
}

/* That all leave it at nearly the same time is for a barrier of another sort: in step k each tells the one 2^k after it
 * and hears the one 2^k before (Hensgen, Finkel, Manber 1988). */
SERVET_MPI__PRIVATE int servet_mpi__even(servet_mpi__end *x, const servet_mpi__part *p)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_even);
    int i, e = SERVET_OK;
    for (i = 0; e >= 0 && i < p->steps; i++) {
        e = servet_mpi__send(x, x->small, 0, (int)p->step[2 * i], tag);
        if (e >= 0) e = servet_mpi__receive(x, x->small, 0, (int)p->step[2 * i + 1], tag, 0);
    }
    return e;
}

/* What the root knows of a round together, and what it says: say[0] 0 = untimed, 1 = timed; say[1] 1 = the last,
 * 2 = the last since the time is over. */
typedef struct servet_mpi__root {
    int    warm, count, check;
    double begin_s, before_ns, turn_s;
    servet_message last, mean;
} servet_mpi__root;

SERVET_MPI__PRIVATE void servet_mpi__decide(servet_mpi__root *r, const servet_mpi__end *x, const servet_mpi__part *p,
                                            double *last, double *scratch, double *say)
{
    const double now_s = MPI_Wtime() - r->begin_s;
    say[0] = r->count > 0 || r->warm >= 2 * servet_mpi__warm_most;
    say[1] = 0;
    if (now_s + r->turn_s > p->limit_s) {
        say[0] = 1;
        say[1] = r->count + 1 < p->most ? 2 : 1;
    }
    if (!(say[0] > 0)) return;
    if (r->count + 1 >= p->most) say[1] = 1;
    if (r->count >= 2 && r->count + 1 >= p->least && r->count >= r->check) {
        r->check = r->count + 1 + r->count / 8;
        servet_mpi__settle(&r->last, scratch, last, r->count, 10 * x->step_s * 1e9);
        if (servet_mpi__narrow(&r->last, p->within_frac)) say[1] = 1;
    }
}

/* Rank 0 puts answers into the round; others send them there. */
SERVET_MPI__PRIVATE void servet_mpi__pack(double *d, int which, int status, const servet_message *m)
{
    memset(d, 0, servet_mpi__result_all * sizeof *d);
    d[0] = which;
    d[1] = status;
    d[2] = m->min_ns; d[3] = m->p10_ns; d[4] = m->median_ns; d[5] = m->p90_ns; d[6] = m->p99_ns;
    d[7] = m->lo_ns; d[8] = m->hi_ns;
    d[9] = m->samples;
    d[10] = m->flags;
}

enum { servet_mpi__is_last = -1, servet_mpi__is_mean = -2, servet_mpi__is_nothing = -3 };

SERVET_MPI__PRIVATE int servet_mpi__unpack(servet_mpi_round *r, const double *d)
{
    const int which = (int)d[0], status = (int)d[1];
    servet_message m, *to = which == servet_mpi__is_last ? &r->last : which == servet_mpi__is_mean ? &r->mean : NULL;
    if (which >= 0 && which < r->count && r->each) to = &r->each[which];
    if (status < 0 || !to) return status;
    m.min_ns = d[2]; m.p10_ns = d[3]; m.median_ns = d[4]; m.p90_ns = d[5]; m.p99_ns = d[6];
    m.lo_ns = d[7]; m.hi_ns = d[8];
    m.samples = (int)d[9];
    m.flags = (int)d[10];
    *to = m;
    return status;
}

SERVET_MPI__PRIVATE int servet_mpi__answer(servet_mpi__end *x, servet_mpi_round *round, int which, int status,
                                           const servet_message *m)
{
    servet_mpi__pack(x->result, which, status, m);
    if (round) {
        x->answers++;
        return servet_mpi__unpack(round, x->result);
    }
    return servet_mpi__send(x, x->result, servet_mpi__result_all, 0, servet_mpi__tag(x, servet_mpi__tag_result));
}

SERVET_MPI__PRIVATE int servet_mpi__answer_together(servet_mpi__end *x, const servet_mpi__part *p,
                                                    servet_mpi_round *round, servet_mpi__root *r, int count, int flags,
                                                    int from_here)
{
    double *last = x->sample + (size_t)from_here * (size_t)p->most, *scratch = last + 2 * (size_t)p->most;
    const double steps = 10 * x->step_s * 1e9 / (p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window);
    servet_message m;
    int i, place = 0, e = SERVET_OK;
    memset(&m, 0, sizeof m);
    for (i = 0; p->each && e >= 0 && i < p->transfers; i++) {
        if (!(p->transfer[3 * i + 2] > 0)) continue;
        servet_mpi__settle(&m, scratch, x->sample + (size_t)place++ * (size_t)p->most, count, steps);
        m.flags |= flags;
        e = servet_mpi__answer(x, round, (int)p->transfer[3 * i], SERVET_OK, &m);
    }
    if (e < 0 || p->neighbour[0] >= 0) return e;
    servet_mpi__settle(&r->last, scratch, last, count, steps);
    servet_mpi__settle(&r->mean, scratch, last + p->most, count, steps);
    r->last.flags |= flags;
    r->mean.flags |= flags;
    e = servet_mpi__answer(x, round, servet_mpi__is_last, SERVET_OK, &r->last);
    return e < 0 ? e : servet_mpi__answer(x, round, servet_mpi__is_mean, SERVET_OK, &r->mean);
}

/* Messages of a repetition that are not what was sent. */
SERVET_MPI__PRIVATE int servet_mpi__intact_all(const servet_mpi__end *x, const servet_mpi__part *p, int blank)
{
    unsigned char *in = x->in;
    int i, k, bad = 0;
    for (i = 0; i < p->transfers; i++) {
        const int from_here = p->transfer[3 * i + 2] > 0;
        const int takes = !from_here || p->kind == SERVET_MESSAGE_BOTH || p->kind == SERVET_MESSAGE_TRIP;
        for (k = 0; takes && k < p->window; k++, in += p->bytes) {
            if (blank) servet_mpi__blank(in, p->bytes);
            else if (!servet_mpi__intact(in, p->bytes, (int)p->transfer[3 * i + 1])) bad++;
        }
    }
    return bad;
}

SERVET_MPI__PRIVATE int servet_mpi__play_together(servet_mpi__end *x, const servet_mpi__part *p,
                                                  servet_mpi_round *round)
{
    const int is_root = p->neighbour[0] < 0;
    double say[2] = {0, 0}, tell[3] = {0, 0, 0}, *last, *scratch;
    int i, e = SERVET_OK, from_here = 0, count = 0, first = 1, timed = 0, bad = 0;
    servet_mpi__root r;
    memset(&r, 0, sizeof r);
    r.begin_s = MPI_Wtime();
    for (i = 0; i < p->transfers; i++) from_here += p->transfer[3 * i + 2] > 0;
    last = x->sample + (size_t)from_here * (size_t)p->most;
    scratch = last + 2 * (size_t)p->most;
    servet_mpi__intact_all(x, p, 1);
    do {
        int requests = servet_mpi__lay_out(x, p);
        if (requests < 0 || (e = servet_mpi__tree_up(x, p, tell)) < 0) return requests < 0 ? requests : e;
        if (is_root && !first) {
            r.turn_s = tell[0] / 1e9 * (p->kind == SERVET_MESSAGE_TRIP ? 2.0 : p->window);
            if (timed) {
                last[r.count] = tell[0];
                last[p->most + r.count++] = tell[1] / p->all;
            } else {
                r.warm = r.warm + 1 >= servet_mpi__warm_most || (r.warm > 0 && tell[0] >= r.before_ns / 2) ?
                         2 * servet_mpi__warm_most : r.warm + 1;
                r.before_ns = tell[0];
            }
        }
        if (is_root) servet_mpi__decide(&r, x, p, last, scratch, say);
        if (tell[2] > 0) say[1] = bad = 1;
        if ((e = servet_mpi__tree_down(x, p, say)) < 0 || (e = servet_mpi__even(x, p)) < 0) return e;
        timed = say[0] > 0;
        if ((e = servet_mpi__repeat(x, p, requests, count, tell)) < 0) return e;
        if (first) tell[2] = servet_mpi__intact_all(x, p, 0);
        count += timed;
        first = 0;
    } while (!(say[1] > 0));
    if ((e = servet_mpi__tree_up(x, p, tell)) < 0) return e;
    if (is_root && (bad || tell[2] > 0))
        return servet_mpi__answer(x, round, servet_mpi__is_nothing, SERVET_ENETWORK, &r.last);
    if (is_root) {
        last[r.count] = tell[0];
        last[p->most + r.count++] = tell[1] / p->all;
    }
    return servet_mpi__answer_together(x, p, round, &r, count, say[1] > 1 ? SERVET_MESSAGE_SHORT : 0, from_here);
}

/* A rank's part in a round; round is rank 0's. */
SERVET_MPI__PRIVATE int servet_mpi__play(servet_mpi__end *x, const servet_mpi__part *p, servet_mpi_round *round)
{
    servet_message m;
    int e;
    memset(&m, 0, sizeof m);
    if (p->together) {
        e = servet_mpi__play_together(x, p, round);
        if (e < 0 && !round) servet_mpi__answer(x, NULL, servet_mpi__is_nothing, e, &m);
        return e;
    }
    if (!(p->transfer[2] > 0)) return servet_mpi__follow(x, p);
    e = servet_mpi__lead(x, p, &m);
    return x->status < 0 && round ? e : servet_mpi__answer(x, round, (int)p->transfer[0], e, &m);
}

/* --- rank 0 --- */

/* A sign of life to all, so that they go on waiting for orders. */
SERVET_MPI__PRIVATE void servet_mpi__alive(servet_mpi__end *x)
{
#if defined(SERVET_MPI_BLOCKING)
    (void)x;
#else
    double order[servet_mpi__order_all];
    int i;
    if (MPI_Wtime() - x->alive_s < x->limit_s / 4) return;
    memset(order, 0, sizeof order);
    order[0] = servet_mpi__op_alive;
    for (i = 1; i < x->ranks && x->status >= 0; i++) servet_mpi__send(x, order, servet_mpi__order_all, i, 0);
    x->alive_s = MPI_Wtime();
#endif
}

/* Who is in a round with what: transfers of each rank, and the ranks in order. */
typedef struct servet_mpi__cast {
    int *first, *of, *rank, count;  /* transfers of a rank: of[first[rank]] to of[first[rank + 1] - 1] */
} servet_mpi__cast;

SERVET_MPI__PRIVATE void servet_mpi__cast_free(servet_mpi__cast *c)
{
    free(c->first);
    free(c->of);
    free(c->rank);
}

SERVET_MPI__PRIVATE int servet_mpi__cast_make(servet_mpi__cast *c, const servet_mpi_round *r, int ranks)
{
    int i, k;
    memset(c, 0, sizeof *c);
    c->first = (int *)calloc((size_t)ranks + 2, sizeof *c->first);
    c->of = (int *)malloc((size_t)r->count * 2 * sizeof *c->of);
    c->rank = (int *)malloc((size_t)ranks * sizeof *c->rank);
    if (!c->first || !c->of || !c->rank) { servet_mpi__cast_free(c); return SERVET_ENOMEM; }
    for (i = 0; i < r->count; i++) { c->first[r->transfer[i].from + 2]++; c->first[r->transfer[i].to + 2]++; }
    for (i = 2; i < ranks + 2; i++) c->first[i] += c->first[i - 1];
    for (i = 0; i < r->count; i++)
        for (k = 0; k < 2; k++) c->of[c->first[(k ? r->transfer[i].to : r->transfer[i].from) + 1]++] = i;
    for (i = 0; i < ranks; i++) if (c->first[i + 1] > c->first[i]) c->rank[c->count++] = i;
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__round_valid(const servet_mpi_round *r, int ranks)
{
    int i;
    if (r->kind < SERVET_MESSAGE_TRIP || r->kind > SERVET_MESSAGE_BOTH || r->bytes < 1 ||
        (double)r->bytes > 2147483647.0 || r->window < 0 || r->window > 1 << 20 || (r->kind == SERVET_MESSAGE_TRIP &&
        r->window > 1) || r->together < 0 || r->together > 1 || r->least < 0 || r->most < 0 || r->most > 1000000 ||
        (r->most > 0 && r->least > r->most) || !(r->within_frac >= 0 && r->within_frac <= 1e9) ||
        !(r->limit_s >= 0 && r->limit_s <= 1e9) || r->count < 0 || (r->count > 0 && !r->transfer)) return 0;
    for (i = 0; i < r->count; i++)
        if (r->transfer[i].from < 0 || r->transfer[i].from >= ranks || r->transfer[i].to < 0 ||
            r->transfer[i].to >= ranks || r->transfer[i].from == r->transfer[i].to) return 0;
    return 1;
}

/* The order of the rank at a place of the cast, its head and its list. */
SERVET_MPI__PRIVATE int servet_mpi__order_make(servet_mpi__end *x, const servet_mpi_round *r, const servet_mpi__cast *c,
                                               int place)
{
    const int rank = c->rank[place], begin = c->first[rank], count = c->first[rank + 1] - begin;
    double *o = x->order, *list;
    int i, bit, need = 3 * count + 3 * 32 + 1;
    if (need > x->list_room) {
        double *fresh = (double *)malloc((size_t)need * sizeof *fresh);
        if (!fresh) return SERVET_ENOMEM;
        free(x->list);
        x->list = fresh;
        x->list_room = need;
    }
    list = x->list;
    memset(o, 0, sizeof x->order);
    o[0] = servet_mpi__op_round;
    o[1] = x->round;
    o[2] = r->kind;
    o[3] = (double)r->bytes;
    o[4] = r->window > 0 ? r->window : 1;
    o[5] = r->together;
    o[7] = r->most > 0 ? r->most : r->least > 200 ? r->least : 200;
    o[6] = r->least > 0 ? r->least : o[7] < 5 ? o[7] : 5;
    o[8] = r->within_frac > 0 ? r->within_frac : 0.05;
    o[9] = r->limit_s > 0 ? r->limit_s : 10;
    o[10] = count;
    o[13] = r->each != NULL;
    o[14] = r->count;
    for (i = 0; i < count; i++) {
        const servet_mpi_transfer *t = &r->transfer[c->of[begin + i]];
        *list++ = c->of[begin + i];
        *list++ = t->from == rank ? t->to : t->from;
        *list++ = t->from == rank;
    }
    if (!r->together) return 3 * count;
    *list++ = place > 0 ? c->rank[place & (place - 1)] : -1;
    for (bit = 1; bit < c->count && !(place & bit); bit *= 2) { }
    for (bit /= 2; bit >= 1; bit /= 2) if (place + bit < c->count) *list++ = c->rank[place + bit];
    o[11] = (int)(list - x->list) - 3 * count;
    for (bit = 1; bit < c->count; bit *= 2) {
        *list++ = c->rank[(place + bit) % c->count];
        *list++ = c->rank[(place - bit + c->count) % c->count];
        o[15]++;
    }
    return (int)(list - x->list);
}

/* Bytes a rank needs: out, in, and for samples and requests. */
SERVET_MPI__PRIVATE int servet_mpi__needs(servet_mpi__end *x, int rank, const servet_mpi__part *p)
{
    int i, from_here = 0;
    double in, other;
    for (i = 0; i < p->transfers; i++) from_here += p->transfer[3 * i + 2] > 0;
    in = servet_mpi__in_bytes(p->kind, p->window, (double)p->bytes, from_here, p->transfers - from_here);
    other = (double)p->transfers * (2.0 * p->window + 2) + (double)p->most * (from_here + 3);
    if ((double)p->bytes <= x->need[3 * rank] && in <= x->need[3 * rank + 1] && other <= x->need[3 * rank + 2])
        return 0;
    if ((double)p->bytes > x->need[3 * rank]) x->need[3 * rank] = (double)p->bytes;
    if (in > x->need[3 * rank + 1]) x->need[3 * rank + 1] = in;
    if (other > x->need[3 * rank + 2]) x->need[3 * rank + 2] = other;
    return 1;
}

SERVET_MPI__PRIVATE int servet_mpi__order_all_of(servet_mpi__end *x, const servet_mpi_round *r,
                                                 const servet_mpi__cast *c, int *agree)
{
    int place, count, e = SERVET_OK;
    *agree = 0;
    for (place = 0; place < c->count; place++) {
        servet_mpi__part p;
        if ((count = servet_mpi__order_make(x, r, c, place)) < 0) return count;
        p = servet_mpi__part_of(x->order, x->list);
        if (!r->together && p.transfers > 1) return SERVET_EINVAL;
        *agree |= servet_mpi__needs(x, c->rank[place], &p);
    }
    for (place = c->count - 1; e >= 0 && place >= 0; place--) {     /* that of rank 0 is left behind, if any */
        count = servet_mpi__order_make(x, r, c, place);
        x->order[12] = *agree;
        if (c->rank[place] == 0) break;
        if (count <= servet_mpi__order_all - servet_mpi__order_head)
            memcpy(x->order + servet_mpi__order_head, x->list, (size_t)count * sizeof *x->list);
        e = servet_mpi__send(x, x->order, servet_mpi__order_all, c->rank[place], 0);
        if (e >= 0 && count > servet_mpi__order_all - servet_mpi__order_head)
            e = servet_mpi__send(x, x->list, count, c->rank[place], servet_mpi__tag(x, servet_mpi__tag_list));
    }
    return e;
}

/* All ranks of a round have the memory for it, or none begins it. */
SERVET_MPI__PRIVATE int servet_mpi__agree(servet_mpi__end *x, const servet_mpi__cast *c)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_memory);
    double verdict = SERVET_OK;
    int place, e = SERVET_OK;
    if (c->rank[0] == 0) {
        const servet_mpi__part own = servet_mpi__part_of(x->order, x->list);
        verdict = servet_mpi__prepare(x, &own);
    }
    for (place = c->rank[0] == 0; e >= 0 && place < c->count; place++) {
        e = servet_mpi__receive(x, x->small, 1, c->rank[place], tag, x->limit_s);
        if (e >= 0 && x->small[0] < verdict) verdict = x->small[0];
    }
    for (place = c->rank[0] == 0; e >= 0 && place < c->count; place++)
        e = servet_mpi__send(x, &verdict, 1, c->rank[place], tag);
    if (e < 0) return e;
    for (place = 0; verdict < 0 && place < c->count; place++)
        memset(&x->need[3 * c->rank[place]], 0, 3 * sizeof *x->need);
    return (int)verdict;
}

SERVET_MPI__PRIVATE int servet_mpi__collect(servet_mpi__end *x, servet_mpi_round *r, double limit_s)
{
    const int all = r->together ? 2 + (r->each ? r->count : 0) : r->count;
    const double begin = MPI_Wtime();
    while (x->answers < all) {
        MPI_Request request;
        int e;
        if (MPI_Irecv(x->result, servet_mpi__result_all, MPI_DOUBLE, MPI_ANY_SOURCE,
                      servet_mpi__tag(x, servet_mpi__tag_result), x->comm, &request) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        do {
            e = servet_mpi__rest(&request, x->limit_s / 4);
            if (e == SERVET_ETIME) servet_mpi__alive(x);
        } while (e == SERVET_ETIME && x->status >= 0 && MPI_Wtime() - begin <= limit_s + 2 * x->limit_s);
        if (e < 0) return servet_mpi__give_up(x, e);
        x->answers++;
        if ((e = servet_mpi__unpack(r, x->result)) < 0) return servet_mpi__give_up(x, e);
    }
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__exchange(void *context, servet_mpi_round *r)
{
    servet_mpi__end *x = (servet_mpi__end *)context;
    const double begin = MPI_Wtime();
    servet_mpi__cast cast;
    int e, agree = 0;
    if (!r || !servet_mpi__round_valid(r, x->ranks)) return SERVET_EINVAL;
    memset(&r->last, 0, sizeof r->last);
    memset(&r->mean, 0, sizeof r->mean);
    if (r->each) memset(r->each, 0, (size_t)r->count * sizeof *r->each);
    r->seconds = 0;
    if (x->status < 0 || r->count == 0) return x->status;
    if ((e = servet_mpi__cast_make(&cast, r, x->ranks)) < 0) return e;
    x->round++;
    x->answers = 0;
    servet_mpi__alive(x);
    e = servet_mpi__order_all_of(x, r, &cast, &agree);
    if (e >= 0 && agree) e = servet_mpi__agree(x, &cast);
    if (e >= 0 && cast.rank[0] == 0) {
        const servet_mpi__part own = servet_mpi__part_of(x->order, x->list);
        e = servet_mpi__play(x, &own, r);
    }
    if (e >= 0) e = servet_mpi__collect(x, r, r->limit_s > 0 ? r->limit_s : 10);
    servet_mpi__cast_free(&cast);
    r->seconds = MPI_Wtime() - begin;
    return e == SERVET_ENETWORK || e == SERVET_ETIME ? servet_mpi__give_up(x, e) : e;
}

SERVET_MPI__PRIVATE double servet_mpi__seconds(void *context)
{
    const servet_mpi__end *x = (const servet_mpi__end *)context;
    return MPI_Wtime() - x->begin_s;
}

/* Hosts are numbered by their first rank.  A name is whole or "": the pool is not for parts of names. */
SERVET_MPI__PRIVATE void servet_mpi__describe(void *context, servet_network *n)
{
    const servet_mpi__end *x = (const servet_mpi__end *)context;
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    size_t used = 0, length;
    int i, k, chars = 0;
    n->ranks = x->ranks;
    n->hosts = 0;
    memset(n->names, 0, sizeof n->names);
    for (i = 0; i < x->ranks; i++) {
        for (k = 0; k < i && strcmp(x->site[i].name, x->site[k].name) != 0; k++) { }
        n->host[i] = k < i ? n->host[k] : (int16_t)n->hosts++;
    }
    for (i = 0, k = 0; i < x->ranks; i++) {
        if (n->host[i] != k) continue;
        k++;
        length = strlen(x->site[i].name);
        if (used + length + (size_t)(n->hosts - k) < sizeof n->names) {
            memcpy(n->names + used, x->site[i].name, length);
            used += length;
        }
        used++;
    }
    memset(library, 0, sizeof library);
    if (MPI_Get_library_version(library, &chars) != MPI_SUCCESS) library[0] = 0;
    length = strcspn(library, "\r\n");
    if (length > sizeof n->library - 1) length = sizeof n->library - 1;
    memset(n->library, 0, sizeof n->library);
    memcpy(n->library, library, length);
    n->crowded = x->crowded_all;
    n->step_ns = x->step_s * 1e9;
}

/* What the clock advances by, and what reading it costs: a sample lasts 100 steps and 200 readings, so that either
 * is below a part in a hundred of it.  A simulator's clock may stand still. */
SERVET_MPI__PRIVATE void servet_mpi__clock(double *step_s, double *span_s)
{
    const double begin = MPI_Wtime();
    double before = begin, now = begin;
    int i, steps = 0;
    *step_s = 0;
    for (i = 0; i < 200000 && steps < 20; i++) {
        now = MPI_Wtime();
        if (now > before) {
            if (steps == 0 || now - before < *step_s) *step_s = now - before;
            steps++;
        }
        before = now;
    }
    *span_s = 200 * (now - begin) / i;
    if (*span_s < 100 * *step_s) *span_s = 100 * *step_s;
}

SERVET_MPI__PRIVATE int servet_mpi__give(servet_mpi__end *x, unsigned char *what, size_t bytes, const double *neighbour,
                                         int neighbours)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_give);
    MPI_Request request;
    int i, e = SERVET_OK;
    if (neighbour[0] >= 0) {
        if (MPI_Irecv(what, (int)bytes, MPI_BYTE, (int)neighbour[0], tag, x->comm, &request) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        e = servet_mpi__wait(x, &request);
    }
    for (i = 1; e >= 0 && i < neighbours; i++) {
        if (MPI_Isend(what, (int)bytes, MPI_BYTE, (int)neighbour[i], tag, x->comm, &request) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        e = servet_mpi__wait(x, &request);
    }
    return e;
}

SERVET_MPI__PRIVATE int servet_mpi__serve_round(servet_mpi__end *x)
{
    const int count = 3 * (int)x->order[10] + (int)x->order[11] + 2 * (int)x->order[15];
    const double *list = x->order + servet_mpi__order_head;
    servet_mpi__part p;
    int e;
    x->round = (int)x->order[1];
    if (count > servet_mpi__order_all - servet_mpi__order_head) {
        if (count > x->list_room) {
            free(x->list);
            x->list_room = 0;
            x->list = (double *)malloc((size_t)count * sizeof *x->list);
            if (!x->list) return servet_mpi__give_up(x, SERVET_ENOMEM);
            x->list_room = count;
        }
        if ((e = servet_mpi__receive(x, x->list, count, 0, servet_mpi__tag(x, servet_mpi__tag_list), 0)) < 0) return e;
        list = x->list;
    }
    p = servet_mpi__part_of(x->order, list);
    if (p.agree) {
        x->small[0] = servet_mpi__prepare(x, &p);
        e = servet_mpi__send(x, x->small, 1, 0, servet_mpi__tag(x, servet_mpi__tag_memory));
        if (e >= 0)
            e = servet_mpi__receive(x, x->small, 1, 0, servet_mpi__tag(x, servet_mpi__tag_memory), 2 * x->limit_s);
        if (e < 0 || x->small[0] < 0) return e;
    }
    return servet_mpi__play(x, &p, NULL);
}

/* All ranks but 0, until told to end: the status it came to. */
SERVET_MPI__PRIVATE int servet_mpi__serve(servet_mpi__end *x, unsigned char *out)
{
    for (;;) {
        int e = servet_mpi__receive(x, x->order, servet_mpi__order_all, 0, 0, 2 * x->limit_s);
        if (e < 0) return e;
        if ((int)x->order[0] == servet_mpi__op_end)
            return x->order[2] > 0 ? servet_mpi__give_up(x, (int)x->order[1]) : (int)x->order[1];
        if ((int)x->order[0] == servet_mpi__op_round) e = servet_mpi__serve_round(x);
        if ((int)x->order[0] == servet_mpi__op_give)
            e = servet_mpi__give(x, out, (size_t)x->order[2], x->order + servet_mpi__order_head, (int)x->order[11]);
        if (e < 0) return e;
    }
}

/* Ranks of a kernel that cannot have a CPU of their own: those left over when each takes one of the CPUs it may use
 * and as many as possible get one (augmenting paths). */
SERVET_MPI__PRIVATE int servet_mpi__left_over(const servet_cpus *may, int ranks)
{
    const int cpus = 64 * SERVET_CPU_WORDS;
    int *owner, *from, *queue, i, cpu, left = 0;
    for (i = 1; i < ranks && memcmp(&may[i], &may[0], sizeof *may) == 0; i++) { }
    if (i == ranks) return ranks > may[0].count ? ranks - may[0].count : 0;
    owner = (int *)malloc((size_t)cpus * 3 * sizeof *owner);
    if (!owner) return 0;
    from = owner + cpus;            /* the CPU that its rank would take instead leads here          */
    queue = from + cpus;
    for (cpu = 0; cpu < cpus; cpu++) owner[cpu] = -1;
    for (i = 0; i < ranks; i++) {
        int head = 0, tail = 0, rank = i, via = -1, end = -1;
        for (cpu = 0; cpu < cpus; cpu++) from[cpu] = -2;
        while (end < 0) {
            for (cpu = servet_cpus_first(&may[rank]); cpu >= 0 && end < 0; cpu = servet_cpus_next(&may[rank], cpu)) {
                if (from[cpu] != -2) continue;
                from[cpu] = via;
                if (owner[cpu] < 0) end = cpu;
                else queue[tail++] = cpu;
            }
            if (end >= 0 || head == tail) break;
            via = queue[head++];
            rank = owner[via];
        }
        left += end < 0;
        for (cpu = end; cpu >= 0; cpu = from[cpu]) owner[cpu] = from[cpu] >= 0 ? owner[from[cpu]] : i;
    }
    free(owner);
    return left;
}

/* All tell rank 0 of some doubles, and it tells all: sums of them, the least of the first.  By messages: a collective
 * operation can neither be given up nor, in a simulator, be afforded. */
SERVET_MPI__PRIVATE int servet_mpi__tell(servet_mpi__end *x, double *d, int count, double *all)
{
    int i, k, e = SERVET_OK;
    if (x->rank > 0) {
        e = servet_mpi__send(x, d, count, 0, servet_mpi__tag(x, servet_mpi__tag_up));
        if (e >= 0)
            e = servet_mpi__receive(x, x->small, count, 0, servet_mpi__tag(x, servet_mpi__tag_down), x->limit_s);
        memcpy(d, x->small, (size_t)count * sizeof *d);
        return e;
    }
    if (all) all[0] = d[1];
    for (i = 1; e >= 0 && i < x->ranks; i++) {
        e = servet_mpi__receive(x, x->small, count, i, servet_mpi__tag(x, servet_mpi__tag_up), x->limit_s);
        if (x->small[0] < d[0]) d[0] = x->small[0];
        for (k = 1; k < count; k++) d[k] += x->small[k];
        if (all) all[i] = x->small[1];
    }
    for (i = 1; e >= 0 && i < x->ranks; i++)
        e = servet_mpi__send(x, d, count, i, servet_mpi__tag(x, servet_mpi__tag_down));
    return e;
}

/* This rank's host: its name, its kernel's own (that of containers is one, whatever names they bear), its CPUs. */
SERVET_MPI__PRIVATE void servet_mpi__site_here(servet_mpi__site *s)
{
    int chars = 0;
    memset(s, 0, sizeof *s);
    if (MPI_Get_processor_name(s->name, &chars) != MPI_SUCCESS) s->name[0] = 0;
    s->name[MPI_MAX_PROCESSOR_NAME - 1] = 0;
#if !defined(SERVET_MPI_BLOCKING)
    {
        FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
        if (servet_machine_cpus(&s->cpus) < 0) s->cpus.count = 0;
        if (f) {
            s->kernel[fread(s->kernel, 1, sizeof s->kernel - 1, f)] = 0;
            fclose(f);
        }
    }
#endif
}

/* Of each rank how many are on its kernel, and how many of those have no CPU of their own; returns the sum of these.
 * In a simulator all share one memory, and its CPUs run none of them. */
SERVET_MPI__PRIVATE int servet_mpi__crowd(const servet_mpi__site *site, int ranks, int *near_ranks, int *crowded)
{
    servet_cpus *may = (servet_cpus *)malloc((size_t)ranks * sizeof *may);
    int i, k, all = 0;
    for (i = 0; i < ranks; i++) {
        near_ranks[i] = 0;
        crowded[i] = 0;
    }
#if defined(SERVET_MPI_BLOCKING)
    for (i = 0; i < ranks; i++) near_ranks[i] = ranks;
    (void)site;
    (void)k;
#else
    for (i = 0; i < ranks; i++) {
        const int by_kernel = site[i].kernel[0] != 0;
        int count = 0, known = 1, left;
        if (near_ranks[i] > 0) continue;
        for (k = i; k < ranks; k++) {
            if (by_kernel ? strcmp(site[i].kernel, site[k].kernel) != 0 : strcmp(site[i].name, site[k].name) != 0)
                continue;
            near_ranks[k] = -1;
            known &= site[k].cpus.count > 0;
            if (may) may[count] = site[k].cpus;
            count++;
        }
        left = may && known ? servet_mpi__left_over(may, count) : 0;
        for (k = i; k < ranks; k++) {
            if (near_ranks[k] >= 0) continue;
            near_ranks[k] = count;
            crowded[k] = left;
        }
        all += left;
    }
#endif
    free(may);
    return all;
}

/* What is known before all else: the worst status, who wants the results, rank 0's limit; then hosts and their CPUs. */
SERVET_MPI__PRIVATE int servet_mpi__meet(servet_mpi__end *x, int status, double wants)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_result);
    MPI_Request request;
    double d[3];
    int i, e;
    d[0] = status;
    d[1] = wants;
    d[2] = x->rank == 0 ? x->limit_s : 0;
    if ((e = servet_mpi__tell(x, d, 3, x->wants)) < 0) return e;
    if (d[0] < 0) return (int)d[0];
    x->limit_s = d[2];
    if (x->rank > 0) {
        servet_mpi__site_here(&x->here);
        if (MPI_Isend(&x->here, (int)sizeof x->here, MPI_BYTE, 0, tag, x->comm, &request) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        if ((e = servet_mpi__rest(&request, x->limit_s)) < 0) return servet_mpi__give_up(x, e);
        e = servet_mpi__receive(x, x->small, 2, 0, servet_mpi__tag(x, servet_mpi__tag_down), x->limit_s);
        x->near_ranks = (int)x->small[0];
        x->crowded = (int)x->small[1];
        return e;
    }
    servet_mpi__site_here(&x->site[0]);
    for (i = 1; i < x->ranks; i++) {
        if (MPI_Irecv(&x->site[i], (int)sizeof *x->site, MPI_BYTE, i, tag, x->comm, &request) != MPI_SUCCESS)
            return servet_mpi__give_up(x, SERVET_ENETWORK);
        if ((e = servet_mpi__rest(&request, x->limit_s)) < 0) return servet_mpi__give_up(x, e);
    }
    x->crowded_all = servet_mpi__crowd(x->site, x->ranks, x->near_all, x->near_all + x->ranks);
    x->near_ranks = x->near_all[0];
    x->crowded = x->near_all[x->ranks];
    for (i = 1, e = SERVET_OK; e >= 0 && i < x->ranks; i++) {
        x->small[0] = x->near_all[i];
        x->small[1] = x->near_all[x->ranks + i];
        e = servet_mpi__send(x, x->small, 2, i, servet_mpi__tag(x, servet_mpi__tag_down));
    }
    return e;
}

SERVET_MPI__PRIVATE int servet_mpi__opts_valid(const servet_mpi_opts *o)
{
    return !o || (o->parts >= 0 && o->parts < 32 && o->budget_s >= 0 && o->budget_s <= 1e9 && o->limit_s >= 0 &&
                  o->limit_s <= 1e9 && o->trip_bytes <= 2147483647u && o->stream_bytes <= 2147483647u &&
                  o->most_bytes <= 2147483647u && o->ratio_bytes <= 2147483647u && o->similar_frac >= 0 &&
                  o->similar_frac <= 1e9);
}

/* The duplicate.  A rank that does not come is noticed here; where waiting is all there is, it is not. */
SERVET_MPI__PRIVATE int servet_mpi__duplicate(MPI_Comm comm, MPI_Comm *out, double limit_s)
{
#if defined(SERVET_MPI_BLOCKING)
    (void)limit_s;
    return MPI_Comm_dup(comm, out) == MPI_SUCCESS ? SERVET_OK : SERVET_ENETWORK;
#else
    MPI_Request request;
    if (MPI_Comm_idup(comm, out, &request) != MPI_SUCCESS) return SERVET_ENETWORK;
    return servet_mpi__rest(&request, limit_s);
#endif
}

SERVET_MPI__PRIVATE void servet_mpi__end_free(servet_mpi__end *x)
{
    if (!x) return;
    free(x->out);
    free(x->in);
    free(x->request);
    free(x->request_of);
    free(x->sample);
    free(x->list);
    free(x->need);
    free(x->site);
    free(x->near_all);
    free(x->wants);
    free(x);
}

/* NULL where there is no memory.  Until the duplicate is there, who rank 0 is is known from comm. */
SERVET_MPI__PRIVATE servet_mpi__end *servet_mpi__end_make(int rank, int ranks, double limit_s)
{
    servet_mpi__end *x = (servet_mpi__end *)calloc(1, sizeof *x);
    if (!x) return NULL;
    x->rank = rank;
    x->ranks = ranks;
    x->limit_s = limit_s;
    x->near_ranks = 1;
    if (rank > 0) return x;
    x->need = (double *)calloc((size_t)ranks, 3 * sizeof *x->need);
    x->site = (servet_mpi__site *)calloc((size_t)ranks, sizeof *x->site);
    x->near_all = (int *)calloc((size_t)ranks, 2 * sizeof *x->near_all);
    x->wants = (double *)calloc((size_t)ranks, sizeof *x->wants);
    if (x->need && x->site && x->near_all && x->wants) return x;
    servet_mpi__end_free(x);
    return NULL;
}

/* The end, at rank 0: results to who wants them, the status to all.  After a loss the message goes to whom it finds. */
SERVET_MPI__PRIVATE void servet_mpi__dismiss(servet_mpi__end *x, int status, unsigned char *out, size_t bytes)
{
    int i, bit, count = 1, neighbours, place;
    double *o = x->order;
    if (x->status >= 0 && status >= 0 && out) {
        for (i = 1; i < x->ranks; i++) if (x->wants[i] > 0) x->wants[count++] = i;  /* count <= i */
        x->wants[0] = 0;
        for (place = count - 1; place >= 0 && x->status >= 0; place--) {
            memset(o, 0, sizeof x->order);
            o[0] = servet_mpi__op_give;
            o[2] = (double)bytes;
            neighbours = servet_mpi__order_head;
            o[neighbours++] = place > 0 ? x->wants[place & (place - 1)] : -1;
            for (bit = 1; bit < count && !(place & bit); bit *= 2) { }
            for (bit /= 2; bit >= 1; bit /= 2) if (place + bit < count) o[neighbours++] = x->wants[place + bit];
            o[11] = neighbours - servet_mpi__order_head;
            if (place > 0) servet_mpi__send(x, o, servet_mpi__order_all, (int)x->wants[place], 0);
            else servet_mpi__give(x, out, bytes, o + servet_mpi__order_head, (int)o[11]);
        }
    }
    memset(o, 0, sizeof x->order);
    o[0] = servet_mpi__op_end;
    o[1] = x->status < 0 ? x->status : status;
    o[2] = x->status < 0;
    for (i = 1; i < x->ranks; i++) {
        MPI_Request request;
        if (x->status >= 0) servet_mpi__send(x, o, servet_mpi__order_all, i, 0);
        else if (MPI_Isend(o, servet_mpi__order_all, MPI_DOUBLE, i, 0, x->comm, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}

/* out of bytes: at rank 0 what `what` fills, NULL if nothing is to be given; elsewhere where it goes, NULL if not.
 * status: what this rank has to say at first. */
SERVET_MPI__PRIVATE int servet_mpi__run(MPI_Comm comm, const servet_mpi_opts *opts,
                                        int (*what)(void *ctx, const servet_mpi_network *net), void *ctx,
                                        unsigned char *out, size_t bytes, int status)
{
    int e, is_inter = 0, rank = 0, ranks = 0;
    const double limit_s = servet_mpi__opts_valid(opts) && opts && opts->limit_s > 0 ? opts->limit_s : 10;
    servet_mpi__end *x;
    MPI_Comm dup = MPI_COMM_NULL;
    if (comm == MPI_COMM_NULL) return SERVET_EINVAL;
    if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) return SERVET_EINVAL;
    if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || MPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return SERVET_ENETWORK;
    if (!servet_mpi__opts_valid(opts) || (rank == 0 && !what)) status = SERVET_EINVAL;
    if (ranks > SERVET_NETWORK_RANKS) status = SERVET_ESPACE;
    if ((e = servet_mpi__duplicate(comm, &dup, limit_s)) < 0) return e;
    x = servet_mpi__end_make(rank, ranks, limit_s);
    if (x) {
        x->comm = dup;
        x->begin_s = x->alive_s = MPI_Wtime();
        e = MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN) == MPI_SUCCESS ? status : SERVET_ENETWORK;
        e = servet_mpi__meet(x, e, out != NULL);
    } else {                        /* the others are told, and nothing else happens                */
        servet_mpi__end spare;
        memset(&spare, 0, sizeof spare);
        spare.comm = dup;
        spare.rank = rank;
        spare.ranks = ranks;
        spare.limit_s = limit_s;
        e = servet_mpi__meet(&spare, SERVET_ENOMEM, 0);
    }
    if (e >= 0) {
        servet_mpi__clock(&x->step_s, &x->span_s);
        if (rank == 0) {
            servet_mpi_network net;
            net.context = x;
            net.ranks = ranks;
            net.seconds = servet_mpi__seconds;
            net.describe = servet_mpi__describe;
            net.exchange = servet_mpi__exchange;
            e = what(ctx, &net);
            servet_mpi__dismiss(x, e, out, bytes);
        } else {
            e = servet_mpi__serve(x, out);
        }
    }
    if (x && x->status < 0) return x->status;   /* requests may be open: what they point to stays, and the duplicate */
    servet_mpi__end_free(x);
    MPI_Comm_free(&dup);
    return e;
}

SERVET_MPI__DEF int servet_mpi_conduct(MPI_Comm comm, const servet_mpi_opts *opts,
                                       int (*what)(void *ctx, const servet_mpi_network *net), void *ctx)
{
    return servet_mpi__run(comm, opts, what, ctx, NULL, 0, SERVET_OK);
}
#endif /* !SERVET_MPI_OFFLINE */

/* >>layers (implementation) ------------------------------------------------------------------- */

/* >>scaling (implementation) ------------------------------------------------------------------ */

/* >>distance (implementation) ----------------------------------------------------------------- */

/* >>access (implementation) ------------------------------------------------------------------- */

/* >>profile (implementation) ------------------------------------------------------------------ */

#if !defined(SERVET_MPI__COMPLETE)
#  define SERVET_MPI__COMPLETE 0    /* 1 as soon as all sections above are there; then this goes away */
#endif

/* A part of the time, to one part of the measurement: what it leaves is the others'. */
typedef struct servet_mpi__shares {
    const servet_mpi_opts *opts;
    const servet_mpi_network *net;
    double begin_s, budget_s, done_frac, part_frac;
    int    rounds;
} servet_mpi__shares;

SERVET_MPI__PRIVATE int servet_mpi__shares_stop(void *ctx)
{
    const servet_mpi_opts *o = ((servet_mpi__shares *)ctx)->opts;
    return o && o->stop ? o->stop(o->ctx) : 0;
}

SERVET_MPI__PRIVATE void servet_mpi__shares_progress(void *ctx, double done_frac, double left_s)
{
    servet_mpi__shares *s = (servet_mpi__shares *)ctx;
    const double done = s->done_frac + s->part_frac * (done_frac < 0 ? 0 : done_frac > 1 ? 1 : done_frac);
    const double left = s->budget_s - (s->net->seconds(s->net->context) - s->begin_s);
    if (s->opts && s->opts->progress) s->opts->progress(s->opts->ctx, done, left > left_s ? left : left_s);
}

SERVET_MPI__PRIVATE int servet_mpi__shares_exchange(void *context, servet_mpi_round *r)
{
    servet_mpi__shares *s = (servet_mpi__shares *)context;
    s->rounds++;
    return s->net->exchange(s->net->context, r);
}

SERVET_MPI__PRIVATE double servet_mpi__shares_seconds(void *context)
{
    const servet_mpi__shares *s = (const servet_mpi__shares *)context;
    return s->net->seconds(s->net->context);
}

SERVET_MPI__PRIVATE void servet_mpi__shares_describe(void *context, servet_network *n)
{
    const servet_mpi__shares *s = (const servet_mpi__shares *)context;
    s->net->describe(s->net->context, n);
}

SERVET_MPI__DEF int servet_mpi_conductor(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    static const double weight[5] = {0.3, 0.25, 0.2, 0.15, 0.1};    /* later parts gain what earlier ones leave */
    const int asked = opts && opts->parts > 0 ? opts->parts : 31;
    servet_mpi__shares s;
    servet_mpi_network counted;
    servet_mpi_opts o;
    int i, e, worst = SERVET_OK, parts = asked;
    if (!n || !net || !net->exchange || !net->seconds || asked > 31) return SERVET_EINVAL;
    if (net->ranks < 2) return SERVET_EUNRESOLVED;
    if (asked & (SERVET_MPI_SIZES | SERVET_MPI_SCALING) && n->layer_count == 0 && n->layer[0].pairs == 0)
        parts |= SERVET_MPI_LAYERS;
    memset(&s, 0, sizeof s);
    s.opts = opts;
    s.net = net;
    s.begin_s = net->seconds(net->context);
    s.budget_s = opts && opts->budget_s > 0 ? opts->budget_s : 20;
    counted = *net;
    counted.context = &s;
    counted.exchange = servet_mpi__shares_exchange;
    counted.seconds = servet_mpi__shares_seconds;
    counted.describe = servet_mpi__shares_describe;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    o.stop = servet_mpi__shares_stop;
    o.progress = servet_mpi__shares_progress;
    o.ctx = &s;
    net->describe(net->context, n);
    for (i = 0; i < 5; i++) {
        const double left = s.budget_s - (net->seconds(net->context) - s.begin_s);
        double rest = 0;
        int k;
        if (!(parts >> i & 1)) continue;
        for (k = i; k < 5; k++) rest += parts >> k & 1 ? weight[k] : 0;
        s.part_frac = (1 - s.done_frac) * weight[i] / rest;
        o.budget_s = left * weight[i] / rest;
        if (o.budget_s <= 0 || servet_mpi__shares_stop(&s)) { n->stopped = 1; break; }
#if SERVET_MPI__COMPLETE
        e = i == 0 ? servet_mpi_layers(n, &counted, &o) : i == 1 ? servet_mpi_sizes(n, &counted, &o) :
            i == 2 ? servet_mpi_scaling(n, &counted, &o) : i == 3 ? servet_mpi_distance(n, &counted, &o) :
            servet_mpi_access(n, &counted, &o);
#else
        (void)counted;
        e = SERVET_EUNSUPPORTED;
#endif
        s.done_frac += s.part_frac;
        if (e == SERVET_EUNRESOLVED) continue;      /* there is nothing of it here */
        if (e < 0 && worst >= 0) worst = e;
        if (e == SERVET_ETIME || e == SERVET_ENETWORK || (e < 0 && i == 0)) break;
    }
    n->rounds = s.rounds;
    n->seconds = net->seconds(net->context) - s.begin_s;
    return worst < 0 ? worst : n->layer_count;
}

#if !defined(SERVET_MPI_OFFLINE)
typedef struct servet_mpi__measured {
    servet_network *n;
    const servet_mpi_opts *opts;
} servet_mpi__measured;

SERVET_MPI__PRIVATE int servet_mpi__measure_all(void *ctx, const servet_mpi_network *net)
{
    const servet_mpi__measured *m = (const servet_mpi__measured *)ctx;
    return servet_mpi_conductor(m->n, net, m->opts);
}

SERVET_MPI__DEF int servet_mpi_measure(servet_network *out, MPI_Comm comm, const servet_mpi_opts *opts)
{
    servet_mpi__measured m;
    unsigned char *give;
    int e, rank = 0, lacks = 0, flag = 0;
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &flag) != MPI_SUCCESS || flag) return SERVET_EINVAL;
    if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return SERVET_ENETWORK;
    m.n = out || rank == 0 ? (servet_network *)calloc(1, sizeof *m.n) : NULL;
    m.opts = opts;
    lacks = !m.n && (out || rank == 0);
    give = (unsigned char *)m.n;
    e = servet_mpi__run(comm, opts, servet_mpi__measure_all, &m, give, sizeof *m.n, lacks ? SERVET_ENOMEM : SERVET_OK);
    if (out && m.n && (e >= 0 || (e == SERVET_ETIME && rank == 0 && m.n->ranks > 0))) *out = *m.n;
    if (e >= 0 || rank == 0) free(m.n);     /* elsewhere, after a loss, it may still be written to */
    return e;
}
#endif

#ifdef __cplusplus
}
#endif
#undef SERVET_MPI__DEF
#undef SERVET_MPI__PRIVATE
#endif /* SERVET_MPI_IMPLEMENTATION */

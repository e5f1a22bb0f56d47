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

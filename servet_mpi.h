/* servet_mpi.h - v0.6.0 - what the ranks of an MPI program meet on their way to each other
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
 *   run on machines of different byte order at once (control messages are structs);
 *   believe host names: distances are measured, and names are compared with them afterwards.
 *
 * CONVENTIONS   those of servet.h, and
 *   [collective]  every rank of the communicator calls it; results are rank 0's, the status is everyone's
 *
 * CONTENTS      grep -n '>>' servet_mpi.h; a section calls only sections above it
 *   >>exchange      times of messages, by rounds of many pairs                                 both
 *   >>conduct       rank 0 orders rounds, the others serve; where ranks are                    collective
 *   >>layers        which ranks are near each other                                            pure
 *   >>survey        which pairs are measured for that                                          machine
 *   >>scaling       a pair of each layer by size; many messages of a layer at once             both
 *   >>distance      bandwidth by distance while all send                                       both
 *   >>access        bandwidth by processes of a node that send                                 both
 *   >>automaton     does adding ranks pay: weak scaling of a cellular automaton                 machine
 *   >>profile       all of it, into one struct                                                 both
 *
 * CONFIGURATION
 *   SERVET_MPI_OFFLINE      every file alike: without mpi.h; models and inference only
 *   SERVET_MPI_BLOCKING     implementing file: wait as programs do, without limits: for simulators of MPI, where asking
 *                           again and again moves the clock; SimGrid's is known
 *   SERVET_STATIC, SERVET_API, SERVET_PURE_ONLY (which includes SERVET_MPI_OFFLINE): as in servet.h
 *
 * METHOD   each section of the implementation opens with its quantity, model and estimator, and what fools it
 *   References   Gonzalez-Dominguez et al., IPDPS 2010, section III-D [Servet]; the same, The Servet 3.0 Benchmark
 *                Suite: Characterization of Network Performance Degradation, 2013 [Servet 3.0]
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

/* A round: messages of one kind that are under way at once.  A rank may be in many transfers. */
typedef struct servet_mpi_round {
    int    kind;                /* SERVET_MESSAGE_TRIP, STREAM or BOTH                              */
    size_t bytes;               /* of a message                                                     */
    int    window;              /* messages in a row before the acknowledgement; 0 = 1; a TRIP has 1 */
    int    together;            /* 1 = all begin each repetition at one moment; 0 = each pair repeats at
                                   its own pace, without others if it is the only one; a rank in one transfer only */
    int    least, most;         /* samples of each transfer; 0 = 5 and 200                          */
    double within_frac;         /* enough when half the interval of the median is less; 0 = 0.05    */
    double limit_s;             /* time for the round; 0 = 10                                       */
    int    count;               /* a rank is in SERVET_NETWORK_RANKS of them at most                     */
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
    int    (*exchange)(void *context, servet_mpi_round *round);     /* runs a round; a status: ETIME, ENETWORK and
                                                                       ENOMEM with the answers there are */
} servet_mpi_network;

enum {
    SERVET_MPI_LAYERS = 1,      /* pairs, and the layers they are in                                */
    SERVET_MPI_SIZES = 2,       /* latency, bandwidth and protocols by size, a pair of each layer   */
    SERVET_MPI_SCALING = 4,     /* messages of each layer at once                                   */
    SERVET_MPI_DISTANCE = 8,    /* ratDist                                                          */
    SERVET_MPI_ACCESS = 16      /* ratNC                                                            */
};

typedef struct servet_mpi_opts {
    servet_run run;             /* budget of the whole 20 s; rank 0 is asked, between rounds */
    int    parts;               /* SERVET_MPI_*, added up; 0 = all                                  */
    double limit_s;             /* after which a message is lost;                   0 = 10          */
    size_t trip_bytes;          /* messages of pairs: the first cache's size (Servet, III-D); 0 = 32 KiB */
    size_t stream_bytes;        /* for the bandwidth of pairs;                      0 = 1 MiB       */
    size_t most_bytes;          /* the largest of SIZES;                            0 = 4 MiB       */
    size_t ratio_bytes;         /* of DISTANCE and ACCESS (Servet 3.0: 32 MB);      0 = 32 10^6     */
    int    all_distances;       /* 1 = each of 1 to N/2; 0 = each up to 16, then some in an octave  */
    int    each_rank;           /* 1 = DISTANCE of all ranks, not of one of each node               */
    int    figure_7;            /* 1 = layers as Figure 7 of Servet: the first that is similar      */
    double similar_frac;        /* what Figure 7 calls similar;                     0 = 0.1         */
} servet_mpi_opts;

/* servet_mpi_summary - the message whose times, in any order, these are                            [pure]
 * Sorts ns, which must be above 0.  The interval of the median is that of order statistics, 95 %.  BIMODAL is said of
 * 20 and more: a gap between two parts, a tenth of the samples or more each, wider than either.  EINVAL for none. */
SERVET_API int servet_mpi_summary(servet_message *out, double *ns, int count);

/* >>conduct ----------------------------------------------------------------------------------- */

#if !defined(SERVET_MPI_OFFLINE)
/* servet_mpi_conduct - rank 0 conducts, the others serve                                     [collective]
 *   what    called at rank 0, with a network whose rounds all ranks play; its status is everyone's
 * Duplicates comm, which must be no intercommunicator (EINVAL), and frees the duplicate.  Ranks that wait sleep.
 * A rank that does not come, or a message that is lost: ETIME after opts->limit_s on all others; a rank that is lost
 * within a round: after that of the round and twice this.  Then, and after ENETWORK, exchange measures nothing more,
 * and the duplicate is not freed.  Between rounds `what` must not take longer than opts->limit_s, or the others think
 * it lost.  ENOMEM; ESPACE of more than SERVET_NETWORK_RANKS. */
SERVET_API int servet_mpi_conduct(MPI_Comm comm, const servet_mpi_opts *opts,
                                  int (*what)(void *ctx, const servet_mpi_network *net), void *ctx);
#endif

/* >>layers ------------------------------------------------------------------------------------ */

/* >>survey ------------------------------------------------------------------------------------ */

/* >>scaling ----------------------------------------------------------------------------------- */

/* >>distance ---------------------------------------------------------------------------------- */

/* servet_mpi_infer - layers of ranks from the pairs, the shape from ratDist                            [pure]
 * Layers  Groups are claimed where a partition of ranks is no chance in all kinds of messages together (Student's t
 *         against the number of ways to group them; host names are one way that need not be found), where it separates,
 *         where its step outward is the same for all members (on a ring, torus or mesh it is not), and where pairs
 *         alone do not deny it.  distance_like: near pairs have similar rows without being groups (Mantel's test, one
 *         in 200).  Ranks of which few pairs are known join the groups these pairs suit.  What costs differ by less
 *         than 1 % is taken for noise.  opts->figure_7: as Figure 7 of Servet instead, from trips in the order of the
 *         records, similar_frac apart.  Where there are other layers than before, what was measured of each is left
 *         out.
 * Shape   SERVET_SHAPE_*, of two distances or more.  Only differences that intervals cannot explain, were all pairs of
 *         distances compared, and of more than a hundredth:
 *           flat        there are none, and one of a half would be seen
 *           two-level   never less with distance, and no more from shape_period on, likewise: the slope from there is
 *                       below half of what it was before
 *           ring        never less, and ever more to the end.  Two groups that share a link look the same, and are
 *                       two-level where layers have found groups of so many hosts
 *           torus       less and more: the torus of N nodes, in the order of its first dimension, that explains most of
 *                       it, if that is nine tenths; shape_period and shape_period_2 are where it returns
 *           unknown     else, unless one of those above explains nine tenths
 * Returns the number of layers; EUNRESOLVED without pairs, with the shape nevertheless; EINVAL, ENOMEM.
 * Cost: 0.1 s for 4096 ranks, less where ranks are few. */
SERVET_API int servet_mpi_infer(servet_network *n, const servet_mpi_opts *opts);

/* >>access ------------------------------------------------------------------------------------ */

/* >>automaton --------------------------------------------------------------------------------- */

#if !defined(SERVET_MPI_OFFLINE)
/* servet_mpi_automaton - the scaling benchmark on the ranks of a communicator                [collective]
 *   out    as of servet_automaton_measure, at every rank
 *   opts   those of rank 0 count
 * A Cartesian communicator of the first 1, 2, 4 ... and all ranks; ranks that have no part wait for the next run.
 * EINVAL for an intercommunicator, ENETWORK where MPI says that a message failed. */
SERVET_API int servet_mpi_automaton(servet_automaton *out, MPI_Comm comm, const servet_automaton_opts *opts);
#endif

/* >>profile ----------------------------------------------------------------------------------- */

#if !defined(SERVET_MPI_OFFLINE)
/* servet_mpi_measure - all parts of the network of a communicator                            [collective]
 *   out   NULL where it is not wanted; filled at every rank that passes one
 * What follows from layers is left out where there are none; each part has a share of the budget, and what it leaves
 * goes to those after it.
 * Returns the number of layers.  EUNRESOLVED of one rank.  After ETIME and ENETWORK rank 0's out has what was known by
 * then, if anything was. */
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
#  if !defined(CLOCK_MONOTONIC)
#    error "servet_mpi.h: POSIX names are hidden. Include it first in this file, or compile with -D_DEFAULT_SOURCE"
#  endif
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

/* Quantity   the time of a message between two ranks: alone, or among others that begin at the same moment.
 * Model      a round trip takes 2 t, a window of w messages and its acknowledgement w t; t > 0 has a lower bound, to
 *            which schedulers, other programs and first contacts only add.
 * Estimator  the median of samples and its interval of order statistics; samples double in number until half the
 *            interval is within_frac of the median.  A sample lasts 100 steps of the clock or 200 readings, by several
 *            turns in a row.  Buffers are warm: each message of a transfer comes from one place and goes to one place.
 * Fooled by  a first contact (turns before count only when they get no faster); a late start among others (the
 *            repetition is made again); ranks that share a CPU (they yield, and the record says how many).
 * References Hoefler, Schneider, Lumsdaine, Accurately measuring collective operations at massive scale, IPDPS 2008:
 *            a start by a window of time; Servet 2010, III-D. */

/* Ranks (l, u) of order statistics, 1 to n, with P[l <= B(n, 1/2) < u] >= 0.95; the ends where so few cannot. */
SERVET_MPI__PRIVATE void servet_mpi__median_ranks(int n, int *l, int *u)
{
    int k = 0;
    while (2 * (k + 1) <= n && 2 * servet_stats_binomial_tail(n, n - k, 0.5) <= 0.05) k++;
    *l = k > 0 ? k : 1;
    *u = n + 1 - *l;
}

/* On a logarithmic scale, so that a scheduler's milliseconds, which vary, are as narrow as the wire's microseconds.  A
 * gap of less than a twentieth is not reported.  Of 20 samples of one distribution (normal, uniform, exponential,
 * lognormal) one in 200 at most is taken for bimodal, of 40 none in 4000; 99 of 100 are seen where a third of the times
 * are half as long again, or more. */
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

SERVET_MPI__PRIVATE void servet_mpi__swap(int *a, int *b)
{
    const int keep = *a;
    *a = *b;
    *b = keep;
}

/* In an order by chance. */
SERVET_MPI__PRIVATE void servet_mpi__shuffle(int *x, int n, uint64_t *random)
{
    int i;
    for (i = n - 1; i > 0; i--) servet_mpi__swap(&x[i], &x[servet_stats_random_below(random, (size_t)i + 1)]);
}

/* A part of a network that is being measured: what bounds it, and whether that has ended it. */
typedef struct servet_mpi__task {
    const servet_mpi_network *net;
    servet_mpi_opts opts;
    double   begin_s, end_s;
    uint64_t random;
    int      rounds, status;    /* of the first round that failed                                   */
    int      stopped;           /* 1 = the time was over, or opts->run.stop said so                 */
    int      planned, played;   /* rounds, for progress; planned 0 = by time alone                  */
} servet_mpi__task;

SERVET_MPI__PRIVATE int servet_mpi__task_begin(servet_mpi__task *p, const servet_mpi_network *net,
                                               const servet_mpi_opts *opts)
{
    if (!net || !net->exchange || !net->seconds || (opts && opts->run.budget_s < 0)) return SERVET_EINVAL;
    memset(p, 0, sizeof *p);
    if (opts) p->opts = *opts;
    p->net = net;
    p->begin_s = net->seconds(net->context);
    p->end_s = p->begin_s + (p->opts.run.budget_s > 0 ? p->opts.run.budget_s : 20);
    p->random = p->opts.run.seed;
    return SERVET_OK;
}

SERVET_MPI__PRIVATE double servet_mpi__task_left_s(const servet_mpi__task *p)
{
    return p->end_s - p->net->seconds(p->net->context);
}

/* Has it ended? */
SERVET_MPI__PRIVATE int servet_mpi__task_over(servet_mpi__task *p)
{
    if (p->status < 0) return 1;
    if (p->opts.run.stop && p->opts.run.stop(p->opts.run.ctx)) p->stopped = 1;
    if (servet_mpi__task_left_s(p) <= 0) p->stopped = 1;
    return p->stopped;
}

/* Plays a round in what is left of the time: 1 if it has its answers. */
SERVET_MPI__PRIVATE int servet_mpi__task_play(servet_mpi__task *p, servet_mpi_round *r)
{
    const double left_s = servet_mpi__task_left_s(p), all_s = p->end_s - p->begin_s;
    double done_frac, spent_s, more_s;
    if (servet_mpi__task_over(p)) return 0;
    if (r->limit_s <= 0 || r->limit_s > left_s) r->limit_s = left_s;
    p->status = p->net->exchange(p->net->context, r);
    p->rounds++;
    p->played++;
    if (!p->opts.run.progress) return p->status >= 0;
    spent_s = all_s - servet_mpi__task_left_s(p);
    done_frac = p->planned > 0 ? (double)p->played / p->planned : 0;
    done_frac = fmin(fmax(done_frac, spent_s / all_s), 1);
    more_s = done_frac > 0 ? spent_s / done_frac - spent_s : all_s;
    p->opts.run.progress(p->opts.run.ctx, done_frac, fmax(fmin(more_s, all_s - spent_s), 0));
    return p->status >= 0;
}

/* What has been learnt is in n; known: how many answers.  Returns these, or why there are none. */
SERVET_MPI__PRIVATE int servet_mpi__task_close(const servet_mpi__task *p, servet_network *n, int known)
{
    n->rounds += p->rounds;
    n->seconds += p->net->seconds(p->net->context) - p->begin_s;
    if (p->stopped || p->status < 0) n->stopped = 1;
    if (p->status < 0) return p->status;
    return known > 0 ? known : p->stopped ? SERVET_ESTOPPED : SERVET_EUNRESOLVED;
}

#if !defined(SERVET_MPI_OFFLINE)

/* Rank 0 sends orders; all other ranks serve.  A round is ordered from the ranks in it alone, so that the others are
 * left asleep.  Control messages are structs, sent as bytes between machines of one form.  Once a message is lost
 * (limit_s) the network is given up: nothing later could be trusted. */
enum { servet_mpi__op_end = 0, servet_mpi__op_round = 1, servet_mpi__op_give = 2, servet_mpi__op_alive = 3 };
enum {                              /* kinds of messages, in a tag below the number of the round     */
    servet_mpi__tag_go = 3, servet_mpi__tag_ready = 4,
    servet_mpi__tag_data = 5, servet_mpi__tag_ack = 6, servet_mpi__tag_up = 7, servet_mpi__tag_down = 8,
    servet_mpi__tag_result = 9, servet_mpi__tag_give = 10, servet_mpi__tag_echo = 12,
    servet_mpi__tags = 16
};
enum { servet_mpi__warm_most = 8, servet_mpi__brief_warm = 50 };
enum {                              /* commands of the root of a round: of the next repetition      */
    servet_mpi__do_next = 0, servet_mpi__do_end = 1, servet_mpi__do_short = 2, servet_mpi__do_failed = 3,
    servet_mpi__do_echo = 4
};
enum { servet_mpi__echoes_first = 8, servet_mpi__echoes_most = 24 };
enum { servet_mpi__children = 32, servet_mpi__legs_most = SERVET_NETWORK_RANKS };
enum { servet_mpi__page = 4096 };   /* where buffers begin: a kilobyte that straddles lines costs a tenth more */
enum { servet_mpi__period = 251 };  /* of bytes sent, so that doubling what is there keeps it       */

typedef struct servet_mpi__site {   /* where a rank is                                              */
    char name[MPI_MAX_PROCESSOR_NAME], kernel[64];
    servet_cpus cpus;
} servet_mpi__site;

typedef struct servet_mpi__way {    /* of a word from this rank to another                          */
    int    echoes;                  /* 0 = not known                                                */
    double least_s;                 /* there and back                                               */
} servet_mpi__way;

typedef struct servet_mpi__leg { int index, peer, from_here; } servet_mpi__leg;     /* a transfer, as one end sees it */

/* A rank's part in a round. */
typedef struct servet_mpi__part {
    int    kind, window, together, least, most;
    int    all, each;               /* transfers of the round; 1 = an answer for each               */
    int    timed;                   /* 1 = repetitions begin at a common time                       */
    int    legs, neighbours;
    size_t bytes;
    double within_frac, limit_s;
    const servet_mpi__leg *leg;     /* these two are set where the order arrives                    */
    const int *neighbour;           /* parent or -1, children                                       */
} servet_mpi__part;

typedef struct servet_mpi__order {      /* sent with the legs there are                               */
    int    op, round, status;
    servet_mpi__part part;
    int    neighbour[servet_mpi__children + 1];
    servet_mpi__leg leg[servet_mpi__legs_most];
} servet_mpi__order;

typedef struct servet_mpi__report {     /* up the tree, of the ranks below: the repetition that ended */
    double worst_ns, sum_ns, way_s, late_s;
    int    status;
} servet_mpi__report;

typedef struct servet_mpi__command {    /* down the tree: of the next repetition                        */
    int    what, counts;            /* counts: 1 = the last one is a sample                         */
    double wait_s;                  /* until it begins                                              */
} servet_mpi__command;

typedef struct servet_mpi__result { /* which: a transfer, or -1: the last and the mean of all       */
    int    which, status;
    servet_message message, mean;
} servet_mpi__result;

typedef struct servet_mpi__hello { int status, wants; servet_mpi__site site; } servet_mpi__hello;
typedef struct servet_mpi__welcome { int status, near_ranks, crowded; double limit_s; } servet_mpi__welcome;

/* A rank's end of all that is under way.  What is received goes here, not to the stack: after a loss it may still
 * come. */
typedef struct servet_mpi__end {
    MPI_Comm comm;
    int      rank, ranks, status;   /* status < 0: given up                                         */
    int      round;                 /* of orders: part of tags                                      */
    int      prompt;                /* no message of the round has waited for its receiver          */
    int      crowded, crowded_all;  /* ranks without a CPU of their own, on this kernel and on all  */
    int      near_ranks;            /* on this kernel, this one counted                             */
    double   limit_s;               /* for a message                                                */
    double   step_s, span_s;        /* of the clock; of a sample                                    */
    unsigned char *out, *in, *block;        /* messages sent and received; what follows is in block */
    size_t   out_bytes, in_bytes, block_bytes;
    double  *sample;
    MPI_Request *request;           /* of a round together: for each transfer those of a window in, and out, and of an
                                       acknowledgement in, and out                                  */
    int     *left;                  /* of each transfer: messages to come, answers its time waits for */
    servet_mpi__order order;
    int      go[2], ready;          /* of a pair: samples and turns; a status                       */
    servet_mpi__report report;
    servet_mpi__command command;
    servet_mpi__way *way;           /* to each rank                                                 */
    servet_mpi__result result;
    servet_mpi__hello hello;
    servet_mpi__welcome welcome;
    /* rank 0 */
    double   begin_s, alive_s;      /* when the others last heard of this rank                      */
    servet_mpi__site *site;         /* of all ranks                                                 */
    int     *near_all;              /* of all ranks: how many are on their host; of those crowded   */
    int     *wants;                 /* 1 for a rank that wants the results; then their numbers      */
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

/* What MPI says of a call. */
SERVET_MPI__PRIVATE int servet_mpi__said(servet_mpi__end *x, int result)
{
    return result == MPI_SUCCESS ? SERVET_OK : servet_mpi__give_up(x, SERVET_ENETWORK);
}

/* How long this rank has waited.  A time in which it did not run at all (a stopped job, a machine put to sleep) counts
 * as half the limit at most: the others did not run either, or their messages are here by now. */
typedef struct servet_mpi__waited {
    double last_s, sum_s;
} servet_mpi__waited;

SERVET_MPI__PRIVATE double servet_mpi__waited_s(servet_mpi__waited *w, double limit_s)
{
    const double now = MPI_Wtime(), since = w->last_s > 0 ? now - w->last_s : 0;
    w->last_s = now;
    w->sum_s += since < limit_s / 2 ? since : limit_s / 2;
    return w->sum_s;
}

/* After some time of asking in vain, and again: whether it is too long; and, where ranks share CPUs, another gets this
 * one, which may be the rank that is waited for.  Where they need not share them they yield late, when the other must
 * be without a CPU: two that yield to each other all the time are left on one. */
SERVET_MPI__PRIVATE int servet_mpi__check_limit(servet_mpi__end *x, servet_mpi__waited *w)
{
    if (servet_mpi__waited_s(w, x->limit_s) > x->limit_s) return servet_mpi__give_up(x, SERVET_ETIME);
#if !defined(SERVET_MPI_BLOCKING)
    if (x->crowded || w->sum_s > 1e-3) sched_yield();
#endif
    return SERVET_OK;
}

/* Waits without rest for one of these requests: what is awaited is under way, and its time may be taken.  In a
 * simulator a rank that asks again and again moves the clock, and no rank is lost, so that it waits as programs do.
 * which: the one of several that has ended. */
SERVET_MPI__PRIVATE int servet_mpi__wait_any(servet_mpi__end *x, MPI_Request *request, int count, int *which)
{
#if defined(SERVET_MPI_BLOCKING)
    return servet_mpi__said(x, count == 1 ? MPI_Wait(request, MPI_STATUS_IGNORE)
                                          : MPI_Waitany(count, request, which, MPI_STATUS_IGNORE));
#else
    servet_mpi__waited waited = {0, 0};
    int done = 0, asked = 0, e;
    for (;;) {
        e = servet_mpi__said(x, count == 1 ? MPI_Test(request, &done, MPI_STATUS_IGNORE)
                                           : MPI_Testany(count, request, which, &done, MPI_STATUS_IGNORE));
        if (e < 0 || done) return e;
        if (++asked % 64 == 0 && (e = servet_mpi__check_limit(x, &waited)) < 0) return e;
    }
#endif
}

SERVET_MPI__PRIVATE int servet_mpi__wait(servet_mpi__end *x, MPI_Request *request, int count)
{
    int i, e = SERVET_OK;
    for (i = 0; i < count && e >= 0; i++) e = servet_mpi__wait_any(x, &request[i], 1, NULL);
    return e;
}

/* Waits asleep, for up to limit_s: longer pauses the longer it has waited, and none so long that it would be felt.
 * Without a limit where that is 0. */
SERVET_MPI__PRIVATE int servet_mpi__wait_asleep(MPI_Request *request, double limit_s)
{
#if defined(SERVET_MPI_BLOCKING)
    (void)limit_s;
    return MPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? SERVET_OK : SERVET_ENETWORK;
#else
    servet_mpi__waited w = {0, 0};
    int done = 0;
    for (;;) {
        struct timespec pause;
        double waited;
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return SERVET_ENETWORK;
        if (done) return SERVET_OK;
        waited = servet_mpi__waited_s(&w, limit_s);
        if (waited > limit_s) return SERVET_ETIME;
        pause.tv_sec = 0;
        pause.tv_nsec = waited < 80e-6 ? 20000 : waited > 4e-3 ? 1000000 : (long)(waited * 1e9 / 4);
        nanosleep(&pause, NULL);
    }
#endif
}

/* So many messages, all from one place. */
SERVET_MPI__PRIVATE int servet_mpi__begin_send(servet_mpi__end *x, MPI_Request *request, int count, const void *from,
                                               size_t bytes, int to, int tag)
{
    union { const void *from; void *to; } plain;        /* MPI-2 sends what is not const */
    int i, e = SERVET_OK;
    plain.from = from;
    for (i = 0; i < count && e >= 0; i++)
        e = servet_mpi__said(x, MPI_Isend(plain.to, (int)bytes, MPI_BYTE, to, tag, x->comm, &request[i]));
    return e;
}

/* So many messages, each to a place of its own. */
SERVET_MPI__PRIVATE int servet_mpi__begin_receive(servet_mpi__end *x, MPI_Request *request, int count, void *to,
                                                  size_t bytes, int from, int tag)
{
    int i, e = SERVET_OK;
    for (i = 0; i < count && e >= 0; i++)
        e = servet_mpi__said(x, MPI_Irecv((unsigned char *)to + (size_t)i * bytes, (int)bytes, MPI_BYTE, from, tag,
                                          x->comm, &request[i]));
    return e;
}

SERVET_MPI__PRIVATE int servet_mpi__send(servet_mpi__end *x, const void *what, size_t bytes, int to, int tag)
{
    MPI_Request request;
    const int e = servet_mpi__begin_send(x, &request, 1, what, bytes, to, tag);
    return e < 0 ? e : servet_mpi__wait(x, &request, 1);
}

/* asleep_s: 0 = the message is under way; else how long the sender may be in coming. */
SERVET_MPI__PRIVATE int servet_mpi__receive(servet_mpi__end *x, void *to, size_t bytes, int from, int tag,
                                            double asleep_s)
{
    MPI_Request request;
    int e = servet_mpi__begin_receive(x, &request, 1, to, bytes, from, tag);
    if (e < 0) return e;
    if (asleep_s <= 0) return servet_mpi__wait(x, &request, 1);
    e = servet_mpi__wait_asleep(&request, asleep_s);
    return e < 0 ? servet_mpi__give_up(x, e) : SERVET_OK;
}

/* Memory that grows.  Linux gives more than there is and kills who uses it: what would not leave half to others is
 * refused here.  Touched at once, each byte a function of its place and of the rank. */
SERVET_MPI__PRIVATE unsigned char servet_mpi__byte(int rank, size_t at)
{
    return (unsigned char)(rank * 37 + (int)(at % servet_mpi__period) + 1);
}

SERVET_MPI__PRIVATE int servet_mpi__area(const servet_mpi__end *x, unsigned char **area, size_t *room, double bytes)
{
    void *memory = NULL;
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
    if (posix_memalign(&memory, servet_mpi__page, size) != 0) return SERVET_ENOMEM;
    fresh = (unsigned char *)memory;
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

/* Bytes of messages that may come in at once, each to a place of its own. */
SERVET_MPI__PRIVATE double servet_mpi__in_bytes(const servet_mpi__part *p, int from_here)
{
    const int to_here = p->legs - from_here;
    if (p->kind == SERVET_MESSAGE_TRIP) return (double)p->bytes * p->legs;
    return (double)p->bytes * p->window * (p->kind == SERVET_MESSAGE_BOTH ? p->legs : to_here);
}

SERVET_MPI__PRIVATE int servet_mpi__from_here(const servet_mpi__part *p)
{
    int i, count = 0;
    for (i = 0; i < p->legs; i++) count += p->leg[i].from_here;
    return count;
}

/* Memory for a round.  Of a pair: the samples and a copy in order.  Together: samples of all transfers from here, of
 * the last and the mean of all, and a copy in order. */
SERVET_MPI__PRIVATE int servet_mpi__prepare(servet_mpi__end *x, const servet_mpi__part *p)
{
    const int from_here = servet_mpi__from_here(p);
    const double samples = (double)p->most * (from_here + 3), requests = (double)p->legs * (2.0 * p->window + 2);
    int e = servet_mpi__area(x, &x->out, &x->out_bytes, (double)p->bytes);
    if (e >= 0) e = servet_mpi__area(x, &x->in, &x->in_bytes, servet_mpi__in_bytes(p, from_here));
    if (e >= 0) e = servet_mpi__area(x, &x->block, &x->block_bytes, samples * sizeof *x->sample +
                                     requests * sizeof *x->request + 2.0 * p->legs * sizeof *x->left);
    if (e < 0) return e;
    x->sample = (double *)(void *)x->block;
    x->request = (MPI_Request *)(void *)(x->sample + (size_t)samples);
    x->left = (int *)(void *)(x->request + (size_t)requests);
    return SERVET_OK;
}

/* Messages that a turn times: there and back, or those of a window. */
SERVET_MPI__PRIVATE int servet_mpi__messages(const servet_mpi__part *p)
{
    return p->kind == SERVET_MESSAGE_TRIP ? 2 : p->window;
}

/* A sign of life from rank 0 to all, so that they go on waiting for orders. */
SERVET_MPI__PRIVATE void servet_mpi__alive(servet_mpi__end *x)
{
#if defined(SERVET_MPI_BLOCKING)
    (void)x;
#else
    const int op = servet_mpi__op_alive;        /* as an order begins */
    int i;
    if (x->rank > 0 || MPI_Wtime() - x->alive_s < x->limit_s / 4) return;
    for (i = 1; i < x->ranks && x->status >= 0; i++) servet_mpi__send(x, &op, sizeof op, i, 0);
    x->alive_s = MPI_Wtime();
#endif
}

/* --- a pair at its own pace --- */

/* brief: in a row of turns so short that it is the call that counts: as programs do, where so far no such message
 * waited for the other end. */
SERVET_MPI__PRIVATE int servet_mpi__put(servet_mpi__end *x, size_t bytes, int to, int tag, int brief)
{
    MPI_Request request;
    int done = 0, e;
    if (brief && x->prompt) return servet_mpi__said(x, MPI_Send(x->out, (int)bytes, MPI_BYTE, to, tag, x->comm));
    e = servet_mpi__begin_send(x, &request, 1, x->out, bytes, to, tag);
#if !defined(SERVET_MPI_BLOCKING)
    if (e >= 0) e = servet_mpi__said(x, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
#endif
    if (e < 0 || done) return e;
    x->prompt = 0;
    return servet_mpi__wait(x, &request, 1);
}

/* Receives of a window of a pair. */
SERVET_MPI__PRIVATE int servet_mpi__receive_window(servet_mpi__end *x, const servet_mpi__part *p)
{
    return servet_mpi__begin_receive(x, x->request, p->window, x->in, p->bytes, p->leg[0].peer,
                                     servet_mpi__tag(x, servet_mpi__tag_data));
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

/* A turn, of the end that begins it or of the other: a message there and back, or those of a window and an
 * acknowledgement.  more: there is a turn after it, whose receives are posted before the acknowledgement that lets the
 * other begin it. */
SERVET_MPI__PRIVATE int servet_mpi__turn(servet_mpi__end *x, const servet_mpi__part *p, int begins, int brief, int more)
{
    const int peer = p->leg[0].peer, data = servet_mpi__tag(x, servet_mpi__tag_data);
    const int ack = servet_mpi__tag(x, servet_mpi__tag_ack), both = p->kind == SERVET_MESSAGE_BOTH;
    MPI_Request *out = x->request + p->window;
    int e = SERVET_OK;
    if (p->kind == SERVET_MESSAGE_TRIP) {
        if (begins) e = servet_mpi__put(x, p->bytes, peer, data, brief);
        if (e >= 0) e = servet_mpi__receive(x, x->in, p->bytes, peer, data, 0);
        return e < 0 || begins ? e : servet_mpi__put(x, p->bytes, peer, data, brief);
    }
    if (begins || both) e = servet_mpi__begin_send(x, out, p->window, x->out, p->bytes, peer, data);
    if (!begins || both) {
        if (e >= 0) e = servet_mpi__wait(x, x->request, p->window);
        if (e >= 0 && more) e = servet_mpi__receive_window(x, p);
        if (e >= 0) e = servet_mpi__put(x, 0, peer, ack, 0);
    }
    if (e < 0 || !(begins || both)) return e;
    e = servet_mpi__wait(x, out, p->window);
    return e < 0 ? e : servet_mpi__receive(x, &x->ready, 0, peer, ack, 0);
}

/* The partner of a pair: as many turns as the leader asks for, until it asks for none.  When it is ready it sends its
 * status: OK, no memory, or what came was not what was sent. */
SERVET_MPI__PRIVATE int servet_mpi__follow(servet_mpi__end *x, const servet_mpi__part *p, int status)
{
    const int peer = p->leg[0].peer, go = servet_mpi__tag(x, servet_mpi__tag_go);
    const int ready = servet_mpi__tag(x, servet_mpi__tag_ready);
    int first = 1, i, turns, e;
    x->prompt = 1;
    for (;; first = 0) {
        servet_mpi__alive(x);
        e = servet_mpi__receive(x, x->go, sizeof x->go, peer, go, 0);
        if (e < 0 || x->go[0] <= 0) return e;
        if (status >= 0) {
            servet_mpi__blank(x->in, p->bytes);
            if (p->kind != SERVET_MESSAGE_TRIP) e = servet_mpi__receive_window(x, p);
        }
        x->ready = status;
        if (e >= 0) e = servet_mpi__send(x, &x->ready, sizeof x->ready, peer, ready);
        if (e >= 0 && status >= 0 && p->kind == SERVET_MESSAGE_BOTH) e = servet_mpi__turn(x, p, 0, 0, 1);
        for (turns = x->go[0]; e >= 0 && status >= 0 && turns > 0; turns--) {
            for (i = x->go[1]; e >= 0 && i > 0; i--)
                e = servet_mpi__turn(x, p, 0, x->go[1] > 1, turns > 1 || i > 1);
            servet_mpi__alive(x);
        }
        if (e < 0) return e;
        if (first && status >= 0 && !servet_mpi__intact(x->in, p->bytes, peer)) status = SERVET_ENETWORK;
    }
}

/* Samples of turns each, ns a message, into x->sample from at.  Both ways there is an untimed turn before, in which the
 * two fall into step.  Returns the partner's status. */
SERVET_MPI__PRIVATE int servet_mpi__lead_samples(servet_mpi__end *x, const servet_mpi__part *p, int at, int samples,
                                                 int turns)
{
    const int peer = p->leg[0].peer, ready = servet_mpi__tag(x, servet_mpi__tag_ready);
    const int go[2] = {samples, turns};
    int i, k, e;
    e = servet_mpi__send(x, go, sizeof go, peer, servet_mpi__tag(x, servet_mpi__tag_go));
    if (e >= 0) e = servet_mpi__receive(x, &x->ready, sizeof x->ready, peer, ready, 0);
    if (e >= 0) e = x->ready;
    if (e >= 0 && p->kind == SERVET_MESSAGE_BOTH) {
        e = servet_mpi__receive_window(x, p);
        if (e >= 0) e = servet_mpi__turn(x, p, 1, 0, 1);
    }
    for (i = 0; e >= 0 && i < samples; i++) {
        const double begin = MPI_Wtime();
        for (k = 0; e >= 0 && k < turns; k++)
            e = servet_mpi__turn(x, p, 1, turns > 1, i + 1 < samples || k + 1 < turns);
        x->sample[at + i] = (MPI_Wtime() - begin) / ((double)turns * servet_mpi__messages(p)) * 1e9;
        servet_mpi__alive(x);       /* samples may last longer than was foreseen, of ends that lost their CPU */
    }
    return e;
}

/* The samples so far, as one message; COARSE where a sample is less than coarse_ns. */
SERVET_MPI__PRIVATE void servet_mpi__so_far(servet_message *out, double *scratch, const double *sample, int count,
                                            double coarse_ns)
{
    memcpy(scratch, sample, (size_t)count * sizeof *sample);
    if (servet_mpi_summary(out, scratch, count) < 0) return;
    if (out->median_ns < coarse_ns) out->flags |= SERVET_MESSAGE_COARSE;
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
    const double begin = MPI_Wtime(), in_turn_s = servet_mpi__messages(p) / 1e9;
    double before = 0, now = 0;
    int i, e, turns = 1;
    x->prompt = 1;
    for (i = 0; i < servet_mpi__warm_most; i++) {
        if ((e = servet_mpi__lead_samples(x, p, 0, 1, 1)) < 0) return e;
        now = x->sample[0] * in_turn_s;
        if (i > 0 && now >= before / 2) break;
        before = now;
    }
    while (now * turns < x->span_s && turns < 1 << 16 && MPI_Wtime() - begin < p->limit_s / 2) {
        const double want = now > 0 ? ceil(x->span_s / now) : HUGE_VAL;
        turns = (int)fmin(fmax(want, turns + 1), turns * 16.0);
        if ((e = servet_mpi__lead_samples(x, p, 0, 1, turns)) < 0) return e;
        now = x->sample[0] * in_turn_s;
    }
    if (turns > 1 && now > 0) {
        const double many = fmin(p->limit_s / 20 / (now * turns), fmin((int)servet_mpi__brief_warm, p->most));
        if ((e = servet_mpi__lead_samples(x, p, 0, (int)fmax(many, 1), turns)) < 0) return e;
    }
    *turn_s = now;
    return turns;
}

/* Samples of a pair until the interval is narrow, there are enough, or the time is over. */
SERVET_MPI__PRIVATE int servet_mpi__lead_all(servet_mpi__end *x, const servet_mpi__part *p, servet_message *out)
{
    const double messages = servet_mpi__messages(p), begin = MPI_Wtime();
    double turn_s = 0, coarse_ns;
    int count = 0, next, e, turns = servet_mpi__warm(x, p, &turn_s), brief = 0;
    if (turns < 0) return turns;
    coarse_ns = 10 * x->step_s * 1e9 / (messages * turns);
    next = p->least;
    for (;;) {
        const double left = p->limit_s - (MPI_Wtime() - begin), one = turn_s * turns;
        servet_mpi__alive(x);
        if (next * one > x->limit_s / 2) next = one < x->limit_s / 4 ? (int)(x->limit_s / 2 / one) : 1;
        if (next * one > left) {
            next = one > 0 && left > one ? (int)(left / one) : 1;
            brief = 1;
        }
        if (brief && count >= 1 && left < one) break;
        if ((e = servet_mpi__lead_samples(x, p, count, next, turns)) < 0) return e;
        count += next;
        servet_mpi__so_far(out, x->sample + p->most, x->sample, count, coarse_ns);
        turn_s = out->median_ns * messages / 1e9;
        brief = 0;
        if (count >= p->most || (count >= p->least && servet_mpi__narrow(out, p->within_frac))) break;
        next = count < p->most - count ? count : p->most - count;
    }
    if (brief) out->flags |= SERVET_MESSAGE_SHORT;
    return SERVET_OK;
}

/* The leader of a pair; what ends it, ends its partner. */
SERVET_MPI__PRIVATE int servet_mpi__lead(servet_mpi__end *x, const servet_mpi__part *p, int status, servet_message *out)
{
    static const int none[2] = {0, 0};
    int e = status < 0 ? status : servet_mpi__lead_all(x, p, out), sent;
    if (x->status < 0) return x->status;
    sent = servet_mpi__send(x, none, sizeof none, p->leg[0].peer, servet_mpi__tag(x, servet_mpi__tag_go));
    return sent < 0 ? sent : e;
}

/* --- all together --- */

/* The requests of a repetition; receives are posted before the start.  Returns how many will end. */
SERVET_MPI__PRIVATE int servet_mpi__post_round(servet_mpi__end *x, const servet_mpi__part *p)
{
    const int data = servet_mpi__tag(x, servet_mpi__tag_data), ack = servet_mpi__tag(x, servet_mpi__tag_ack);
    const int w = p->window, all = 2 * w + 2;
    const size_t ack_bytes = p->kind == SERVET_MESSAGE_TRIP ? p->bytes : 0;
    unsigned char *in = x->in;
    int i, k, open = 0, e = SERVET_OK, *left = x->left, *due = left + p->legs;
    for (i = 0; i < p->legs && e >= 0; i++) {
        const servet_mpi__leg *leg = &p->leg[i];
        const int takes = !leg->from_here || p->kind == SERVET_MESSAGE_BOTH;
        const int gives = leg->from_here || p->kind == SERVET_MESSAGE_BOTH;
        MPI_Request *request = x->request + (size_t)i * (size_t)all;
        for (k = 0; k < all; k++) request[k] = MPI_REQUEST_NULL;
        left[i] = takes ? w : 0;
        due[i] = leg->from_here ? 1 + left[i] : 0;
        open += (takes + gives) * (w + 1);
        e = servet_mpi__begin_receive(x, request, left[i], in, p->bytes, leg->peer, data);
        in += (size_t)left[i] * p->bytes;
        if (e < 0 || !gives) continue;
        e = servet_mpi__begin_receive(x, request + 2 * w, 1, in, ack_bytes, leg->peer, ack);
        in += ack_bytes;
    }
    return e < 0 ? e : open;
}

/* One repetition.  The time of a transfer is its sender's, from the common start to the acknowledgement (and, both
 * ways, to all that came).  Of transfers from here, in their order, one goes to x->sample[its place * most + at]; the
 * largest and their sum to the report. */
SERVET_MPI__PRIVATE int servet_mpi__repeat(servet_mpi__end *x, const servet_mpi__part *p, int open, int at,
                                           servet_mpi__report *report)
{
    const int data = servet_mpi__tag(x, servet_mpi__tag_data), ack = servet_mpi__tag(x, servet_mpi__tag_ack);
    const int w = p->window, all = 2 * w + 2;
    const size_t ack_bytes = p->kind == SERVET_MESSAGE_TRIP ? p->bytes : 0;
    const double begin = MPI_Wtime();
    int i, k, which = 0, place, e = SERVET_OK, *left = x->left, *due = left + p->legs;
    for (i = 0; e >= 0 && i < p->legs; i++)
        if (p->leg[i].from_here || p->kind == SERVET_MESSAGE_BOTH)
            e = servet_mpi__begin_send(x, x->request + (size_t)i * (size_t)all + w, w, x->out, p->bytes,
                                       p->leg[i].peer, data);
    while (e >= 0 && open-- > 0) {
        int in;
        if ((e = servet_mpi__wait_any(x, x->request, p->legs * all, &which)) < 0) break;
        if (which < 0 || which >= p->legs * all) return servet_mpi__give_up(x, SERVET_ENETWORK);
        i = which / all;
        in = which % all < w;
        if (in && --left[i] == 0)
            e = servet_mpi__begin_send(x, x->request + (size_t)(i + 1) * (size_t)all - 1, 1, x->out, ack_bytes,
                                       p->leg[i].peer, ack);
        if ((in || which % all == 2 * w) && due[i] > 0 && --due[i] == 0) {
            const double ns = (MPI_Wtime() - begin) / servet_mpi__messages(p) * 1e9;
            for (place = 0, k = 0; k < i; k++) place += p->leg[k].from_here;
            x->sample[(size_t)place * (size_t)p->most + (size_t)at] = ns;
            if (ns > report->worst_ns) report->worst_ns = ns;
            report->sum_ns += ns;
        }
    }
    return e;
}

/* --- a common start ---
 *
 * Who leaves a barrier hears of it up to a few latencies after others do, which is longer than a message may use the
 * link that all share.  So the word to begin says how long to wait as well: it comes down a tree, and each rank sends
 * its children what is left of the time when it sends, less what the way to them takes, half of the shortest there and
 * back.  No clock is compared with another's, only read for as long as the word is under way.  Who hears too late
 * reports it, and the repetition is made again, in which all wait longer.  Where ranks share CPUs there is no common
 * time, and none waits for it: each begins when it hears. */

/* Words to a child that waits, and back: until two agree; then one in each round, for a shorter one may come, unless
 * they agree so well that none will. */
SERVET_MPI__PRIVATE int servet_mpi__echo(servet_mpi__end *x, int rank)
{
    servet_mpi__way *w = &x->way[rank];
    const int most = w->echoes > 0 ? 1 : (int)servet_mpi__echoes_first;
    const int down = servet_mpi__tag(x, servet_mpi__tag_down), back = servet_mpi__tag(x, servet_mpi__tag_echo);
    servet_mpi__command word;
    int i, e;
    memset(&word, 0, sizeof word);
    word.what = servet_mpi__do_echo;
    for (i = 0; i < most && w->echoes < (int)servet_mpi__echoes_most; i++) {
        const double begin = MPI_Wtime(), before = w->least_s;
        double s;
        e = servet_mpi__send(x, &word, sizeof word, rank, down);
        if (e >= 0) e = servet_mpi__receive(x, &x->ready, sizeof x->ready, rank, back, 0);
        if (e < 0) return e;
        s = MPI_Wtime() - begin;
        if (w->echoes++ == 0 || s < w->least_s) w->least_s = s;
        if (w->echoes == 1) continue;
        if (s <= 1.001 * before && before <= 1.001 * s) w->echoes = servet_mpi__echoes_most;
        if (s <= 1.1 * before && before <= 1.1 * s) break;
    }
    return SERVET_OK;
}

/* Between repetitions a tree carries upward what the last one took, and downward what the root commands.  The ways to
 * children are measured before the first repetition. */
SERVET_MPI__PRIVATE int servet_mpi__tree_up(servet_mpi__end *x, const servet_mpi__part *p, int first,
                                            servet_mpi__report *mine)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_up);
    const servet_mpi__report *r = &x->report;
    int i, e = SERVET_OK;
    mine->way_s = 0;
    for (i = p->neighbours - 1; e >= 0 && i >= 1; i--) {
        const int child = p->neighbour[i];
        if ((e = servet_mpi__receive(x, &x->report, sizeof x->report, child, tag, 0)) < 0) break;
        if (r->worst_ns > mine->worst_ns) mine->worst_ns = r->worst_ns;
        if (r->late_s > mine->late_s) mine->late_s = r->late_s;
        if (r->status < mine->status) mine->status = r->status;
        mine->sum_ns += r->sum_ns;
        if (first && p->timed) e = servet_mpi__echo(x, child);
        if (x->way[child].least_s / 2 + r->way_s > mine->way_s) mine->way_s = x->way[child].least_s / 2 + r->way_s;
    }
    if (e < 0 || p->neighbour[0] < 0) return e;
    return servet_mpi__send(x, mine, sizeof *mine, p->neighbour[0], tag);
}

/* begin_s: the common start by this rank's clock. */
SERVET_MPI__PRIVATE int servet_mpi__tree_down(servet_mpi__end *x, const servet_mpi__part *p,
                                              servet_mpi__command *command, double *begin_s)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_down), parent = p->neighbour[0];
    servet_mpi__command down;
    int i, e = SERVET_OK;
    while (parent >= 0) {
        if ((e = servet_mpi__receive(x, &x->command, sizeof x->command, parent, tag, 0)) < 0) return e;
        *command = x->command;
        if (command->what != servet_mpi__do_echo) break;
        e = servet_mpi__send(x, &x->ready, sizeof x->ready, parent, servet_mpi__tag(x, servet_mpi__tag_echo));
        if (e < 0) return e;
    }
    *begin_s = MPI_Wtime() + command->wait_s;
    for (i = 1, down = *command; e >= 0 && i < p->neighbours; i++) {
        const int child = p->neighbour[i];
        if (command->wait_s > 0) down.wait_s = *begin_s - MPI_Wtime() - x->way[child].least_s / 2;
        e = servet_mpi__send(x, &down, sizeof down, child, tag);
    }
    return e;
}

/* Waits for the common start; how late it is. */
SERVET_MPI__PRIVATE double servet_mpi__until(double begin_s)
{
    double left_s = begin_s - MPI_Wtime();
    const double late_s = left_s < 0 ? -left_s : 0;
#if defined(SERVET_MPI_BLOCKING)
    if (left_s > 0) {
        struct timespec pause;
        pause.tv_sec = (time_t)left_s;
        pause.tv_nsec = (long)((left_s - (double)pause.tv_sec) * 1e9);
        nanosleep(&pause, NULL);
    }
#else
    while (left_s > 0) left_s = begin_s - MPI_Wtime();
#endif
    return late_s;
}

/* What the root knows of a round together. */
typedef struct servet_mpi__root {
    int    repeats, warm, count, check, dropped, over;      /* warm: 1 = it is, and all count       */
    double begin_s, before_ns, turn_s, slack_s;             /* slack_s: beyond the longest way      */
} servet_mpi__root;

/* Whether a repetition counts: not until they get no faster, as the first message between two ranks may cost a thousand
 * others; nor where some began so late that it matters, unless that is most of them. */
SERVET_MPI__PRIVATE int servet_mpi__root_counts(servet_mpi__root *r, const servet_mpi__part *p,
                                                const servet_mpi__report *m)
{
    const int warm = r->warm;
    r->turn_s = m->worst_ns / 1e9 * servet_mpi__messages(p);
    r->repeats++;
    if (m->late_s > 0 && r->slack_s < m->way_s + r->turn_s)         /* not longer than messages take */
        r->slack_s = 2 * (r->slack_s > m->late_s ? r->slack_s : m->late_s);
    if (r->repeats >= servet_mpi__warm_most || (r->repeats > 1 && m->worst_ns >= r->before_ns / 2)) r->warm = 1;
    r->before_ns = m->worst_ns;
    if (r->over) return 1;
    if (!warm) return 0;
    if (p->timed && m->late_s > r->turn_s / 50 && r->dropped <= r->count) {
        r->dropped++;
        return 0;
    }
    return 1;
}

/* What comes next.  last: the samples of the last transfer; scratch: as many. */
SERVET_MPI__PRIVATE int servet_mpi__root_decide(servet_mpi__root *r, const servet_mpi__part *p, const double *last,
                                                double *scratch)
{
    if (r->count >= p->most) return servet_mpi__do_end;
    if (r->count >= 2 && r->count >= p->least && r->count >= r->check) {
        servet_message m;
        memset(&m, 0, sizeof m);
        r->check = r->count + 1 + r->count / 8;
        servet_mpi__so_far(&m, scratch, last, r->count, 0);
        if (servet_mpi__narrow(&m, p->within_frac)) return servet_mpi__do_end;
    }
    if (MPI_Wtime() - r->begin_s + r->turn_s > p->limit_s) {
        if (r->count > 0) return servet_mpi__do_short;
        r->over = 1;
    }
    return servet_mpi__do_next;
}

/* Rank 0 puts answers into the round; others send them there.  A status of which the round may go on is returned. */
SERVET_MPI__PRIVATE int servet_mpi__take(servet_mpi_round *r, const servet_mpi__result *m)
{
    if (m->status < 0) return m->status;
    if (m->which < 0) {
        r->last = m->message;
        r->mean = m->mean;
    } else if (m->which < r->count && r->each) r->each[m->which] = m->message;
    return SERVET_OK;
}

SERVET_MPI__PRIVATE int servet_mpi__answer(servet_mpi__end *x, servet_mpi_round *round)
{
    if (round) return servet_mpi__take(round, &x->result);
    return servet_mpi__send(x, &x->result, sizeof x->result, 0, servet_mpi__tag(x, servet_mpi__tag_result));
}

/* Of each transfer from here; at the root first of all: the status, the last and the mean. */
SERVET_MPI__PRIVATE int servet_mpi__answer_together(servet_mpi__end *x, const servet_mpi__part *p,
                                                    servet_mpi_round *round, int count, int status, int flags)
{
    const size_t most = (size_t)p->most;
    double *last = x->sample + (size_t)servet_mpi__from_here(p) * most, *scratch = last + 2 * most;
    const double coarse_ns = 10 * x->step_s * 1e9 / servet_mpi__messages(p);
    servet_mpi__result *r = &x->result;
    int i, place = 0, e = SERVET_OK;
    memset(r, 0, sizeof *r);
    if (p->neighbour[0] < 0) {
        r->which = -1;
        r->status = status;
        if (status >= 0) {
            servet_mpi__so_far(&r->message, scratch, last, count, coarse_ns);
            servet_mpi__so_far(&r->mean, scratch, last + most, count, coarse_ns);
        }
        r->message.flags |= flags;
        r->mean.flags |= flags;
        e = servet_mpi__answer(x, round);
    }
    for (i = 0; p->each && status >= 0 && e >= 0 && i < p->legs; i++) {
        if (!p->leg[i].from_here) continue;
        r->which = p->leg[i].index;
        servet_mpi__so_far(&r->message, scratch, x->sample + (size_t)place++ * most, count, coarse_ns);
        r->message.flags |= flags;
        e = servet_mpi__answer(x, round);
    }
    return e;
}

/* Messages of a repetition: made blank before it, and after it 0 = not what was sent. */
SERVET_MPI__PRIVATE int servet_mpi__intact_all(const servet_mpi__end *x, const servet_mpi__part *p, int blank)
{
    unsigned char *in = x->in;
    int i, k, intact = 1;
    for (i = 0; i < p->legs; i++) {
        if (p->leg[i].from_here && p->kind == SERVET_MESSAGE_STREAM) continue;
        for (k = 0; k < p->window; k++, in += p->bytes) {
            if (blank) servet_mpi__blank(in, p->bytes);
            else intact &= servet_mpi__intact(in, p->bytes, p->leg[i].peer);
        }
    }
    return intact;
}

/* Of the root: whether the last repetition counts, and what comes next. */
SERVET_MPI__PRIVATE void servet_mpi__root_next(servet_mpi__end *x, const servet_mpi__part *p, servet_mpi__root *r,
                                               const servet_mpi__report *m, double *last, servet_mpi__command *command)
{
    const size_t most = (size_t)p->most;
    memset(command, 0, sizeof *command);
    if (m->status < 0) {
        command->what = servet_mpi__do_failed;
        return;
    }
    if (r->begin_s <= 0) {
        r->begin_s = MPI_Wtime();
        r->slack_s = m->way_s / 2 + x->span_s;
    } else {
        last[r->count] = m->worst_ns;
        last[most + (size_t)r->count] = m->sum_ns / p->all;
        command->counts = servet_mpi__root_counts(r, p, m);
        r->count += command->counts;
        command->what = servet_mpi__root_decide(r, p, last, last + 2 * most);
    }
    if (p->timed) command->wait_s = m->way_s + r->slack_s;
}

/* status: of this rank's memory. */
SERVET_MPI__PRIVATE int servet_mpi__play_together(servet_mpi__end *x, const servet_mpi__part *p, int status,
                                                  servet_mpi_round *round)
{
    double begin_s = 0, *last = NULL;
    servet_mpi__report mine;
    servet_mpi__root root;
    servet_mpi__command command;
    int e, requests, count = 0, repeats = 0;
    memset(&root, 0, sizeof root);
    memset(&mine, 0, sizeof mine);
    mine.status = status;
    if (status >= 0) {
        last = x->sample + (size_t)servet_mpi__from_here(p) * (size_t)p->most;
        servet_mpi__intact_all(x, p, 1);
    }
    for (;; repeats++) {
        servet_mpi__alive(x);
        if ((e = servet_mpi__tree_up(x, p, repeats == 0, &mine)) < 0) return e;
        if (p->neighbour[0] < 0) servet_mpi__root_next(x, p, &root, &mine, last, &command);
        if ((e = servet_mpi__tree_down(x, p, &command, &begin_s)) < 0) return e;
        count += command.counts;
        if (command.what != servet_mpi__do_next) break;
        if ((requests = servet_mpi__post_round(x, p)) < 0) return requests;
        memset(&mine, 0, sizeof mine);
        mine.late_s = servet_mpi__until(begin_s);
        if ((e = servet_mpi__repeat(x, p, requests, count, &mine)) < 0) return e;
        if (repeats == 0 && !servet_mpi__intact_all(x, p, 0)) mine.status = SERVET_ENETWORK;
    }
    if (command.what == servet_mpi__do_failed && mine.status >= 0) mine.status = SERVET_ENETWORK;    /* another's */
    return servet_mpi__answer_together(x, p, round, count, mine.status, command.what == servet_mpi__do_short ?
                                       SERVET_MESSAGE_SHORT : 0);
}

/* A rank's part in a round; round is rank 0's. */
SERVET_MPI__PRIVATE int servet_mpi__play(servet_mpi__end *x, const servet_mpi__part *p, servet_mpi_round *round)
{
    const int status = servet_mpi__prepare(x, p);
    servet_message m;
    int e;
    if (!p->together && !p->leg[0].from_here) return servet_mpi__follow(x, p, status);
    memset(&m, 0, sizeof m);
    e = p->together ? servet_mpi__play_together(x, p, status, round) : servet_mpi__lead(x, p, status, &m);
    if (p->together && (e >= 0 || round)) return e;
    if (x->status < 0 && round) return x->status;
    memset(&x->result, 0, sizeof x->result);
    x->result.status = e;
    x->result.message = m;
    x->result.which = p->leg[0].index;
    return servet_mpi__answer(x, round);
}

#endif /* !SERVET_MPI_OFFLINE */

/* >>conduct (implementation) ------------------------------------------------------------------ */

#if !defined(SERVET_MPI_OFFLINE)

/* Rank 0 makes orders and collects answers; the others serve.  Model: a message that has not come in limit_s of the
 * time that this rank ran is lost, and with it the network.  Fooled by a rank that computes for longer. */

/* The ranks of a round in order, and the transfers of each; first is to be freed. */
typedef struct servet_mpi__members {
    int *first, *of, *rank, count;  /* transfers of a rank: of[first[rank]] to of[first[rank + 1] - 1] */
} servet_mpi__members;

SERVET_MPI__PRIVATE int servet_mpi__members_make(servet_mpi__members *c, const servet_mpi_round *r, int ranks)
{
    int i, k;
    memset(c, 0, sizeof *c);
    c->first = (int *)calloc(2 * ((size_t)ranks + 1 + (size_t)r->count), sizeof *c->first);
    if (!c->first) return SERVET_ENOMEM;
    c->rank = c->first + ranks + 2;
    c->of = c->rank + ranks;
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

/* Parent and children of a place in a binomial tree: the parent lacks the lowest bit.  Returns how many numbers. */
SERVET_MPI__PRIVATE int servet_mpi__tree(int *list, const int *rank, int count, int place)
{
    int bit, many = 1;
    list[0] = place > 0 ? rank[place & (place - 1)] : -1;
    for (bit = 1; bit < count && !(place & bit); bit *= 2) { }
    for (bit /= 2; bit >= 1; bit /= 2) if (place + bit < count) list[many++] = rank[place + bit];
    return many;
}

/* The part that an order gives, with what it points to where it arrived. */
SERVET_MPI__PRIVATE const servet_mpi__part *servet_mpi__part_here(servet_mpi__order *o)
{
    o->part.leg = o->leg;
    o->part.neighbour = o->neighbour;
    return &o->part;
}

SERVET_MPI__PRIVATE size_t servet_mpi__order_bytes(const servet_mpi__order *o)
{
    return offsetof(servet_mpi__order, leg) + (size_t)o->part.legs * sizeof *o->leg;
}

/* The order of the rank at a place among the members. */
SERVET_MPI__PRIVATE void servet_mpi__order_make(servet_mpi__end *x, const servet_mpi_round *r,
                                               const servet_mpi__members *c, int place)
{
    const int rank = c->rank[place], begin = c->first[rank], count = c->first[rank + 1] - begin;
    servet_mpi__order *o = &x->order;
    servet_mpi__part *p = &o->part;
    int i;
    memset(o, 0, offsetof(servet_mpi__order, leg));
    o->op = servet_mpi__op_round;
    o->round = x->round;
    p->kind = r->kind;
    p->bytes = r->bytes;
    p->window = r->window > 0 ? r->window : 1;
    p->together = r->together;
    p->most = r->most > 0 ? r->most : r->least > 200 ? r->least : 200;
    p->least = r->least > 0 ? r->least : p->most < 5 ? p->most : 5;
    p->within_frac = r->within_frac > 0 ? r->within_frac : 0.05;
    p->limit_s = r->limit_s > 0 ? r->limit_s : 10;
    p->each = r->each != NULL;
    p->all = r->count;
    p->timed = r->together && x->crowded_all == 0;
    p->legs = count;
    for (i = 0; i < count; i++) {
        const servet_mpi_transfer *t = &r->transfer[c->of[begin + i]];
        o->leg[i].index = c->of[begin + i];
        o->leg[i].peer = t->from == rank ? t->to : t->from;
        o->leg[i].from_here = t->from == rank;
    }
    if (r->together) p->neighbours = servet_mpi__tree(o->neighbour, c->rank, c->count, place);
}

/* Orders to all members; that of rank 0, which is the first, is left behind. */
SERVET_MPI__PRIVATE int servet_mpi__order_all_of(servet_mpi__end *x, const servet_mpi_round *r,
                                                 const servet_mpi__members *c)
{
    const int most = r->together ? (int)servet_mpi__legs_most : 1;
    int place, e = SERVET_OK;
    for (place = 0; place < c->count; place++)
        if (c->first[c->rank[place] + 1] - c->first[c->rank[place]] > most) return SERVET_EINVAL;
    for (place = c->count - 1; e >= 0 && place >= 0; place--) {
        servet_mpi__order_make(x, r, c, place);
        if (c->rank[place] == 0) break;
        e = servet_mpi__send(x, &x->order, servet_mpi__order_bytes(&x->order), c->rank[place], 0);
    }
    return e;
}

/* The next answer, while which the others learn that rank 0 is alive. */
SERVET_MPI__PRIVATE int servet_mpi__next_answer(servet_mpi__end *x, int from, double limit_s)
{
    MPI_Request request;
    double waited = 0;
    int e = servet_mpi__begin_receive(x, &request, 1, &x->result, sizeof x->result, from,
                                      servet_mpi__tag(x, servet_mpi__tag_result));
    if (e < 0) return e;
    do {
        e = servet_mpi__wait_asleep(&request, x->limit_s / 4);
        if (e == SERVET_ETIME) servet_mpi__alive(x);
        waited += x->limit_s / 4;
    } while (e == SERVET_ETIME && x->status >= 0 && waited <= limit_s + 2 * x->limit_s);
    return e < 0 ? servet_mpi__give_up(x, e) : SERVET_OK;
}

/* The answers of a round from other ranks: of one together the root's first, which says whether there are more; then in
 * the order in which they come.  Of pairs one may lack memory, and the others go on. */
SERVET_MPI__PRIVATE int servet_mpi__collect(servet_mpi__end *x, servet_mpi_round *r, const servet_mpi__members *c)
{
    const double limit_s = r->limit_s > 0 ? r->limit_s : 10;
    int i, e, status = SERVET_OK, own = 0, all = r->together && !r->each ? 0 : r->count;
    if (r->together && c->rank[0] != 0) {
        if ((e = servet_mpi__next_answer(x, c->rank[0], limit_s)) < 0) return e;
        if ((e = servet_mpi__take(r, &x->result)) < 0) return e;
    }
    for (i = 0; i < r->count; i++) own += r->transfer[i].from == 0;
    for (i = own; i < all; i++) {
        if ((e = servet_mpi__next_answer(x, MPI_ANY_SOURCE, limit_s)) < 0) return e;
        e = servet_mpi__take(r, &x->result);
        if (e == SERVET_ENETWORK || e == SERVET_ETIME) return e;
        if (e < status) status = e;
    }
    return status;
}

SERVET_MPI__PRIVATE int servet_mpi__exchange(void *context, servet_mpi_round *r)
{
    servet_mpi__end *x = (servet_mpi__end *)context;
    const double begin = MPI_Wtime();
    servet_mpi__members cast;
    int e, own = SERVET_OK;
    if (!r || !servet_mpi__round_valid(r, x->ranks)) return SERVET_EINVAL;
    memset(&r->last, 0, sizeof r->last);
    memset(&r->mean, 0, sizeof r->mean);
    if (r->each) memset(r->each, 0, (size_t)r->count * sizeof *r->each);
    r->seconds = 0;
    if (x->status < 0 || r->count == 0) return x->status;
    if ((e = servet_mpi__members_make(&cast, r, x->ranks)) < 0) return e;
    x->round++;
    servet_mpi__alive(x);
    e = servet_mpi__order_all_of(x, r, &cast);
    if (e >= 0 && cast.rank[0] == 0) own = servet_mpi__play(x, servet_mpi__part_here(&x->order), r);
    if (e >= 0 && x->status >= 0 && !(r->together && own < 0)) e = servet_mpi__collect(x, r, &cast);
    if (own < e) e = own;
    free(cast.first);
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
        n->cpu_plus_1[i] = (int16_t)(x->site[i].cpus.count == 1 ? servet_cpus_next(&x->site[i].cpus, -1) + 1 : 0);
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
    snprintf(n->library, sizeof n->library, "%.*s", (int)strcspn(library, "\r\n"), library);
    n->crowded = x->crowded_all;
    n->step_ns = x->step_s * 1e9;
}

/* What the clock advances by, and what reading it costs: a sample lasts 100 steps and 200 readings, so that either
 * is below a part in a hundred of it.  A simulator's clock may stand still. */
SERVET_MPI__PRIVATE void servet_mpi__clock(double *step_s, double *span_s)
{
#if defined(SERVET_MPI_BLOCKING)
    const int most = 200;
#else
    const int most = 200000;
#endif
    const double begin = MPI_Wtime();
    double before = begin, now = begin;
    int i, steps = 0;
    *step_s = 0;
    for (i = 0; i < most && steps < 20; i++) {
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

/* From the parent, and to the children, that an order names. */
SERVET_MPI__PRIVATE int servet_mpi__pass_down(servet_mpi__end *x, unsigned char *what, size_t bytes)
{
    const int tag = servet_mpi__tag(x, servet_mpi__tag_give), *neighbour = x->order.neighbour;
    int i, e = SERVET_OK;
    if (neighbour[0] >= 0) e = servet_mpi__receive(x, what, bytes, neighbour[0], tag, 0);
    for (i = 1; e >= 0 && i < x->order.part.neighbours; i++)
        e = servet_mpi__send(x, what, bytes, neighbour[i], tag);
    return e;
}

/* All ranks but 0, until the order to end: the status it came to. */
SERVET_MPI__PRIVATE int servet_mpi__serve(servet_mpi__end *x, unsigned char *out)
{
    const servet_mpi__order *o = &x->order;
    for (;;) {
        int e = servet_mpi__receive(x, &x->order, sizeof x->order, 0, 0, 2 * x->limit_s);
        if (e < 0) return e;
        if (o->op == servet_mpi__op_alive) continue;
        x->round = o->round;
        if (o->op == servet_mpi__op_end) return o->round < 0 ? servet_mpi__give_up(x, o->status) : o->status;
        e = o->op == servet_mpi__op_round ? servet_mpi__play(x, servet_mpi__part_here(&x->order), NULL)
                                          : servet_mpi__pass_down(x, out, o->part.bytes);
        if (e < 0) return e;
    }
}

/* Ranks of a kernel that cannot have a CPU of their own: those left over when each takes a CPU it may use, those first
 * that may use the fewest.  That leaves the fewest where masks contain each other or are apart, as of cores, sockets
 * and hosts.  may: changed. */
SERVET_MPI__PRIVATE int servet_mpi__left_over(servet_cpus *may, int ranks)
{
    servet_cpus taken;
    int i, k, cpu, left = 0;
    memset(&taken, 0, sizeof taken);
    for (i = 1; i < ranks && memcmp(&may[i], &may[0], sizeof *may) == 0; i++) { }
    if (i == ranks) return ranks > may[0].count ? ranks - may[0].count : 0;
    for (i = 0; i < ranks; i++) {
        int least = i;
        servet_cpus one;
        for (k = i + 1; k < ranks; k++) if (may[k].count < may[least].count) least = k;
        one = may[least];
        may[least] = may[i];
        cpu = servet_cpus_next(&one, -1);
        while (cpu >= 0 && servet_cpus_next(&taken, cpu - 1) == cpu) cpu = servet_cpus_next(&one, cpu);
        if (cpu >= 0) servet_cpus_add(&taken, cpu);
        else left++;
    }
    return left;
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

/* What is known before all else.  Each rank says its status, whether it wants the results, and where it is; rank 0,
 * which may lack the memory to keep that, says the worst status, its limit, and how crowded they are.  By messages: a
 * collective operation can neither be given up nor, in a simulator, be afforded. */
SERVET_MPI__PRIVATE int servet_mpi__greet_root(servet_mpi__end *x, int status, int wants)
{
    servet_mpi__welcome w;
    int i, e = SERVET_OK;
    memset(&w, 0, sizeof w);
    w.limit_s = x->limit_s;
    if (x->site) {
        servet_mpi__site_here(&x->site[0]);
        x->wants[0] = wants;
    }
    for (i = 1; e >= 0 && i < x->ranks; i++) {
        e = servet_mpi__receive(x, &x->hello, sizeof x->hello, i, servet_mpi__tag(x, servet_mpi__tag_up), x->limit_s);
        if (x->hello.status < status) status = x->hello.status;
        if (!x->site) continue;
        x->site[i] = x->hello.site;
        x->wants[i] = x->hello.wants;
    }
    if (e < 0) return e;
    if (status >= 0) {
        x->crowded_all = servet_mpi__crowd(x->site, x->ranks, x->near_all, x->near_all + x->ranks);
        x->near_ranks = x->near_all[0];
        x->crowded = x->near_all[x->ranks];
    }
    w.status = status;
    for (i = 1; e >= 0 && i < x->ranks; i++) {
        if (status >= 0) {
            w.near_ranks = x->near_all[i];
            w.crowded = x->near_all[x->ranks + i];
        }
        e = servet_mpi__send(x, &w, sizeof w, i, servet_mpi__tag(x, servet_mpi__tag_down));
    }
    return e < 0 ? e : status;
}

SERVET_MPI__PRIVATE int servet_mpi__greet(servet_mpi__end *x, int status, int wants)
{
    int e;
    if (x->rank == 0) return servet_mpi__greet_root(x, status, wants);
    x->hello.status = status;
    x->hello.wants = wants;
    servet_mpi__site_here(&x->hello.site);
    e = servet_mpi__send(x, &x->hello, sizeof x->hello, 0, servet_mpi__tag(x, servet_mpi__tag_up));
    if (e >= 0) e = servet_mpi__receive(x, &x->welcome, sizeof x->welcome, 0, servet_mpi__tag(x, servet_mpi__tag_down),
                                        x->limit_s);
    if (e < 0) return e;
    x->limit_s = x->welcome.limit_s;
    x->near_ranks = x->welcome.near_ranks;
    x->crowded = x->welcome.crowded;
    return x->welcome.status;
}

SERVET_MPI__PRIVATE int servet_mpi__opts_valid(const servet_mpi_opts *o)
{
    return !o || (o->parts >= 0 && o->parts < 32 && o->run.budget_s >= 0 && o->run.budget_s <= 1e9 && o->limit_s >= 0 &&
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
    return servet_mpi__wait_asleep(&request, limit_s);
#endif
}

SERVET_MPI__PRIVATE void servet_mpi__end_free(servet_mpi__end *x)
{
    if (!x) return;
    free(x->out);
    free(x->in);
    free(x->block);
    free(x->way);
    free(x->site);
    free(x->near_all);
    free(x->wants);
    free(x);
}

/* NULL where there is no memory.  status: what rank 0 lacks the memory to keep comes out at all. */
SERVET_MPI__PRIVATE servet_mpi__end *servet_mpi__end_make(int rank, int ranks, double limit_s, int *status)
{
    servet_mpi__end *x = (servet_mpi__end *)calloc(1, sizeof *x);
    if (!x) return NULL;
    x->rank = rank;
    x->ranks = ranks;
    x->limit_s = limit_s;
    x->near_ranks = 1;
    x->way = (servet_mpi__way *)calloc((size_t)ranks, sizeof *x->way);
    if (!x->way) *status = SERVET_ENOMEM;
    if (rank > 0) return x;
    x->site = (servet_mpi__site *)calloc((size_t)ranks, sizeof *x->site);
    x->near_all = (int *)calloc((size_t)ranks, 2 * sizeof *x->near_all);
    x->wants = (int *)calloc((size_t)ranks, sizeof *x->wants);
    if (!x->site || !x->near_all || !x->wants) *status = SERVET_ENOMEM;
    return x;
}

/* The end, at rank 0: results to who wants them, the status to all.  After a loss the message goes to whom it finds. */
SERVET_MPI__PRIVATE void servet_mpi__finish(servet_mpi__end *x, int status, unsigned char *out, size_t bytes)
{
    servet_mpi__order *o = &x->order;
    int i, place, count = 1;
    memset(o, 0, offsetof(servet_mpi__order, leg));
    if (x->status >= 0 && status >= 0 && out) {
        for (i = 1; i < x->ranks; i++) if (x->wants[i]) x->wants[count++] = i;      /* count <= i */
        x->wants[0] = 0;
        o->op = servet_mpi__op_give;
        o->round = x->round;        /* which not all took part in */
        o->part.bytes = bytes;
        for (place = count - 1; place >= 0 && x->status >= 0; place--) {
            o->part.neighbours = servet_mpi__tree(o->neighbour, x->wants, count, place);
            if (place > 0) servet_mpi__send(x, o, servet_mpi__order_bytes(o), x->wants[place], 0);
            else servet_mpi__pass_down(x, out, bytes);
        }
    }
    o->op = servet_mpi__op_end;
    o->status = x->status < 0 ? x->status : status;
    o->round = x->status < 0 ? -1 : x->round;       /* -1: all is given up */
    for (i = 1; i < x->ranks; i++) {
        MPI_Request request;
        if (x->status >= 0) servet_mpi__send(x, o, servet_mpi__order_bytes(o), i, 0);
        else if (MPI_Isend(o, (int)servet_mpi__order_bytes(o), MPI_BYTE, i, 0, x->comm, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}

/* out of bytes: at rank 0 what `what` fills, NULL if nothing is to be given; elsewhere where it goes, NULL if not.
 * status: of this rank, at first. */
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
    if (MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN) != MPI_SUCCESS) status = SERVET_ENETWORK;
    x = servet_mpi__end_make(rank, ranks, limit_s, &status);
    if (!x) {                       /* not even what says so to the others: they wait in vain */
        MPI_Comm_free(&dup);
        return SERVET_ENOMEM;
    }
    x->comm = dup;
    x->begin_s = x->alive_s = MPI_Wtime();
    e = servet_mpi__greet(x, status, out != NULL);
    if (e >= 0) servet_mpi__clock(&x->step_s, &x->span_s);
    if (e >= 0 && rank == 0) {
        servet_mpi_network net;
        net.context = x;
        net.ranks = ranks;
        net.seconds = servet_mpi__seconds;
        net.describe = servet_mpi__describe;
        net.exchange = servet_mpi__exchange;
        e = what(ctx, &net);
        servet_mpi__finish(x, e, out, bytes);
    } else if (e >= 0) e = servet_mpi__serve(x, out);
    if (x->status < 0) return x->status;   /* requests may be open: what they point to stays, and the duplicate */
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

/* Quantity   which ranks are near each other: nested groups, the innermost first, and what a message costs in each.
 * Model      log cost of a pair = that of the innermost group that has both ranks + what each rank adds + noise.
 * Estimator  of a core of ranks, of which nearly all pairs were measured, servet_groups_find judges all costs together;
 *            further ranks go where the sum of squared deviations of their pairs is least.  Costs are p10, which the
 *            slower nine tenths do not reach; a missing one is HUGE_VAL.
 * Fooled by  pairs alone beside pairs among others (the way of measuring counts that most have); a single disturbed
 *            kind of message (deviations beyond six count by their logarithm).
 * References Servet 2010, III-D and Figure 7; >>groups of servet.h. */
#define SERVET_MPI__CORE   128
#define SERVET_MPI__KINDS    3      /* of messages: small, trip, stream                            */
#define SERVET_MPI__TRIP_BYTES 32768        /* trip_bytes where nothing says otherwise                */
#define SERVET_MPI__STREAM_BYTES 1048576    /* stream_bytes likewise                                  */
#define SERVET_MPI__FLOOR 0.01      /* no tool repeats the cost of a pair to better than 1 %        */

SERVET_MPI__PRIVATE int servet_mpi__finite(double v) { return v < HUGE_VAL && v > -HUGE_VAL; }

typedef struct servet_mpi__edge {
    int a, b, level;
    double x[SERVET_MPI__KINDS], own[SERVET_MPI__KINDS];        /* costs; alone                     */
} servet_mpi__edge;

typedef struct servet_mpi__place {
    int n, ranks, edges, layers;    /* ranks of the core; all                                       */
    int *rank, *first, *host;       /* of the core: which, the first of its group, its host         */
    int *core;                      /* of each rank: which of the core, -1 = not in it              */
    int *start, *to;                /* edges of each rank                                           */
    int *placed, *fresh, *many;
    servet_mpi__edge *edge;
    double *score;                  /* of each edge, for each layer and the outermost               */
    servet_groups found;            /* of the core                                                  */
    double *cost[SERVET_MPI__KINDS], *alone[SERVET_MPI__KINDS], *cell;  /* of its pairs; values gathered */
    double known[SERVET_MPI__KINDS];    /* noise of a cost, by intervals                            */
    int *parted;                    /* groups of the core in each layer                             */
    int *group[SERVET_NETWORK_LAYERS];  /* of ranks; all in some group, maybe alone                 */
    /* Of pairs of each layer: what they cost, and how much they differ; [1] alone */
    double typical[2][SERVET_NETWORK_LAYERS + 1][SERVET_MPI__KINDS];
    double spread[2][SERVET_NETWORK_LAYERS + 1][SERVET_MPI__KINDS];
} servet_mpi__place;

SERVET_MPI__PRIVATE int servet_mpi__sound(const servet_network *n)
{
    int i;
    if (n->ranks < 1 || n->ranks > SERVET_NETWORK_RANKS || n->pair_count < 0
        || n->pair_count > SERVET_NETWORK_PAIRS) return 0;
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *p = n->pair + i;
        if (p->a < 0 || p->b < 0 || p->a >= n->ranks || p->b >= n->ranks || p->a == p->b) return 0;
    }
    return 1;
}

SERVET_MPI__PRIVATE const servet_trip *servet_mpi__kind(const servet_network_pair *p, int f)
{
    return f == 0 ? &p->small : f == 1 ? &p->trip : &p->stream;
}

/* A cost of a pair, alone and among others, from all of its records, of which the lowest counts, since disturbance
 * adds.  way: of each edge and kind, among others [0] and alone [1]; HUGE_VAL where there is none. */
SERVET_MPI__PRIVATE void servet_mpi__read_records(servet_mpi__place *p, const servet_network *n, double **way)
{
    int i, e, f;
    memset(p->start, 0, ((size_t)p->ranks + 1) * sizeof *p->start);
    memset(p->placed, 0, (size_t)p->ranks * sizeof *p->placed);
    for (i = 0; i < n->pair_count; i++) p->start[(n->pair[i].a < n->pair[i].b ? n->pair[i].a : n->pair[i].b) + 1]++;
    for (i = 0; i < p->ranks; i++) p->start[i + 1] += p->start[i];
    for (i = 0; i < 2 * n->pair_count * SERVET_MPI__KINDS; i++) way[0][i] = HUGE_VAL;
    for (i = 0; i < n->pair_count; i++) {       /* by the lower rank, to find what is the same pair */
        const servet_network_pair *r = n->pair + i;
        const int a = r->a < r->b ? r->a : r->b, b = r->a < r->b ? r->b : r->a;
        for (e = p->start[a]; e < p->start[a] + p->placed[a] && p->edge[e].b != b; e++) { }
        if (e == p->start[a] + p->placed[a]) p->placed[a]++;
        p->edge[e].a = a;
        p->edge[e].b = b;
        for (f = 0; f < SERVET_MPI__KINDS; f++) {
            const double v = (double)servet_mpi__kind(r, f)->p10_ns;
            double *to = way[r->at_once <= 1] + e * SERVET_MPI__KINDS + f;
            if (v > 0 && v < HUGE_VAL && log(v) < *to) *to = log(v);
        }
    }
    p->edges = 0;
    for (i = 0; i < p->ranks; i++)              /* to the front, without those that have no cost */
        for (e = p->start[i]; e < p->start[i] + p->placed[i]; e++) {
            int known = 0;
            for (f = 0; f < 2 * SERVET_MPI__KINDS; f++) {
                const double v = way[f & 1][e * SERVET_MPI__KINDS + f / 2];
                way[f & 1][p->edges * SERVET_MPI__KINDS + f / 2] = v;
                known |= servet_mpi__finite(v);
            }
            if (known) p->edge[p->edges++] = p->edge[e];
        }
}

/* Edges from records.  A pair among others shares what it passes through, and must not look near because it was also
 * measured alone: of two ways of measuring that counts of which there are more, the other where there is no such. */
SERVET_MPI__PRIVATE void servet_mpi__edges(servet_mpi__place *p, const servet_network *n)
{
    double *way[2];
    int i, e, f;
    way[0] = p->score;
    way[1] = way[0] + (size_t)n->pair_count * SERVET_MPI__KINDS;
    servet_mpi__read_records(p, n, way);
    for (f = 0; f < SERVET_MPI__KINDS; f++) {
        int have[2] = {0, 0}, most;
        for (e = 0; e < p->edges; e++)
            for (i = 0; i < 2; i++) have[i] += servet_mpi__finite(way[i][e * SERVET_MPI__KINDS + f]);
        most = have[1] > have[0];
        for (e = 0; e < p->edges; e++) {
            const int at = e * SERVET_MPI__KINDS + f;
            p->edge[e].own[f] = way[1][at];
            p->edge[e].x[f] = servet_mpi__finite(way[most][at]) ? way[most][at] : way[!most][at];
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

/* A place for a sound network, with its edges.  Returns the memory that it lies in, to be freed; NULL = none. */
SERVET_MPI__PRIVATE void *servet_mpi__place_open(servet_mpi__place *p, const servet_network *net)
{
    const size_t ranks = (size_t)net->ranks, pairs = (size_t)net->pair_count;
    const size_t n = ranks < SERVET_MPI__CORE ? ranks : SERVET_MPI__CORE, cells = n * n;
    const size_t scores = pairs * (SERVET_NETWORK_LAYERS + 1 + SERVET_MPI__KINDS);
    const size_t doubles = (2 * SERVET_MPI__KINDS + 1) * cells + scores;
    const size_t ints = (3 + SERVET_GROUPS_LAYERS) * n + (SERVET_NETWORK_LAYERS + 5) * ranks + 1 + 2 * pairs;
    double *at = (double *)malloc(doubles * sizeof *at + pairs * sizeof *p->edge + ints * sizeof(int));
    void *work = at;
    int *list, i;
    if (!work) return NULL;
    memset(p, 0, sizeof *p);
    p->ranks = net->ranks;
    for (i = 0; i < SERVET_MPI__KINDS; i++, at += cells) p->cost[i] = at;
    for (i = 0; i < SERVET_MPI__KINDS; i++, at += cells) p->alone[i] = at;
    p->cell = at;
    p->score = at + cells;
    p->edge = (servet_mpi__edge *)(void *)(p->score + scores);
    p->rank = (int *)(void *)(p->edge + pairs);
    p->first = p->rank + n;
    p->host = p->first + n;
    p->parted = p->host + n;
    list = p->parted + SERVET_GROUPS_LAYERS * n;
    for (i = 0; i < SERVET_NETWORK_LAYERS; i++, list += ranks) p->group[i] = list;
    p->core = list;
    p->start = p->core + ranks;
    p->placed = p->start + ranks + 1;
    p->fresh = p->placed + ranks;
    p->many = p->fresh + ranks;
    p->to = p->many + ranks;
    servet_mpi__edges(p, net);
    return work;
}

SERVET_MPI__PRIVATE int servet_mpi__other(const servet_mpi__place *p, int e, int rank)
{
    return p->edge[e].a == rank ? p->edge[e].b : p->edge[e].a;
}

/* Ranks all of which know nearly all others: those with most pairs first. */
SERVET_MPI__PRIVATE void servet_mpi__core_choose(servet_mpi__place *p)
{
    const int all = p->ranks <= SERVET_MPI__CORE && 4.0 * p->edges >= p->ranks * (p->ranks - 1.0);
    int i, e, *hits = p->placed;
    p->n = 0;
    for (i = 0; i < p->ranks; i++) {
        p->core[i] = all ? i : -1;
        hits[i] = 0;
        if (all) p->rank[p->n++] = i;
    }
    while (!all && p->n < SERVET_MPI__CORE) {
        int at = -1, most = -1;
        for (i = 0; i < p->ranks; i++) {
            const int degree = p->start[i + 1] - p->start[i];
            if (p->core[i] >= 0 || degree < 1 || 10 * hits[i] < 9 * p->n) continue;
            if (degree > most) {
                most = degree;
                at = i;
            }
        }
        if (at < 0) break;
        p->core[at] = p->n;
        p->rank[p->n++] = at;
        for (e = p->start[at]; e < p->start[at + 1]; e++) hits[servet_mpi__other(p, p->to[e], at)]++;
    }
}

/* Costs of the core, by kinds of messages that nearly all pairs have, and what is known of their noise.  Returns which
 * kinds, as bits. */
SERVET_MPI__PRIVATE int servet_mpi__core_costs(servet_mpi__place *p, const servet_network *n)
{
    const size_t cells = (size_t)p->n * (size_t)p->n;
    size_t i, m;
    int e, f, there, pairs, use = 0;
    for (f = 0; f < SERVET_MPI__KINDS; f++) {
        for (i = 0; i < cells; i++) p->cost[f][i] = p->alone[f][i] = 0;
        for (e = there = pairs = 0; e < p->edges; e++) {
            const int a = p->core[p->edge[e].a], b = p->core[p->edge[e].b];
            if (a < 0 || b < 0) continue;
            i = (size_t)((a < b ? a : b) * p->n + (a < b ? b : a));
            pairs++;
            if (servet_mpi__finite(p->edge[e].own[f])) p->alone[f][i] = exp(p->edge[e].own[f]);
            if (!servet_mpi__finite(p->edge[e].x[f])) continue;
            there++;
            p->cost[f][i] = exp(p->edge[e].x[f]);
        }
        if (there > 0 && 10 * there >= 9 * pairs) use |= 1 << f;
        for (e = 0, m = 0; e < n->pair_count && m < cells; e++) {
            const servet_trip *t = servet_mpi__kind(n->pair + e, f);
            if (t->lo_ns > 0 && t->hi_ns >= t->lo_ns) p->cell[m++] = log((double)t->hi_ns / (double)t->lo_ns) / 3.92;
        }
        servet_stats_sort(p->cell, m);
        p->known[f] = m ? servet_stats_quantile(p->cell, m, 0.5) : 0;
    }
    return use;
}

/* The layers of the core; 0 = no memory. */
SERVET_MPI__PRIVATE int servet_mpi__core_layers(servet_mpi__place *p, const servet_network *n)
{
    servet_groups *g = &p->found;
    const int use = servet_mpi__core_costs(p, n);
    int i, f;
    for (i = 0; i < p->n; i++) p->host[i] = n->hosts > 0 ? n->host[p->rank[i]] : 0;
    g->n = p->n;
    g->given = p->host;
    for (f = 0; f < SERVET_MPI__KINDS; f++) {
        if (!(use >> f & 1)) continue;
        g->cost[g->sorts] = p->cost[f];
        g->alone[g->sorts] = p->alone[f];
        g->known_frac[g->sorts++] = p->known[f];
    }
    if (servet_groups_find(g, p->parted) == SERVET_ENOMEM) return 0;    /* without costs: no layers */
    p->layers = g->layers;
    return 1;
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
SERVET_MPI__PRIVATE void servet_mpi__layer_spread(servet_mpi__place *p)
{
    int l, f, e, own;
    double *cell = p->cell;
    for (f = 0; f < SERVET_MPI__KINDS; f++)
        for (l = 0; l <= p->layers; l++)
            for (own = 0; own < 2; own++) {
                size_t m = 0;
                double sd = 0;
                for (e = 0; e < p->edges && m < (size_t)p->n * (size_t)p->n; e++) {
                    const double x = own ? p->edge[e].own[f] : p->edge[e].x[f];
                    if (p->core[p->edge[e].a] >= 0 && p->core[p->edge[e].b] >= 0 && p->edge[e].level == l
                        && servet_mpi__finite(x)) cell[m++] = x;
                }
                servet_stats_sort(cell, m);
                if (m > 1) sd = (servet_stats_quantile(cell, m, 0.75) - servet_stats_quantile(cell, m, 0.25)) / 1.349;
                p->typical[own][l][f] = m ? servet_stats_quantile(cell, m, 0.5) : HUGE_VAL;
                p->spread[own][l][f] = sqrt((sd * sd * (double)m + 4 * p->known[f] * p->known[f]) / ((double)m + 4))
                                     + SERVET_MPI__FLOOR;
                /* Small messages cost alone what they cost among others; of large ones few say nothing. */
                if (own && (f == 0 || m < 3)) p->typical[1][l][f] = f == 0 ? p->typical[0][l][f] : HUGE_VAL;
                if (own && f == 0) p->spread[1][l][f] = p->spread[0][l][f];
            }
}

/* How badly a pair, alone or not, suits each layer: squares of deviations, each drawn in, so that one disturbed kind of
 * message is not all there is to it, and the logarithm of what is usual. */
SERVET_MPI__PRIVATE void servet_mpi__deviance(const servet_mpi__place *p, const double *x, int own, double *score)
{
    int l, f;
    for (l = 0; l <= p->layers; l++) score[l] = 0;
    for (f = 0; f < SERVET_MPI__KINDS; f++) {
        int known = servet_mpi__finite(x[f]);
        for (l = 0; l <= p->layers; l++) known &= servet_mpi__finite(p->typical[own][l][f]);
        for (l = 0; l <= p->layers && known; l++) {
            double z = (x[f] - p->typical[own][l][f]) / p->spread[own][l][f];
            z *= z;
            score[l] += (z > 36 ? 36 + log(z / 36) : z) + 2 * log(p->spread[own][l][f]);
        }
    }
}

SERVET_MPI__PRIVATE int servet_mpi__least(const double *score, int layers)
{
    int l, best = 0;
    for (l = 1; l <= layers; l++) if (score[l] < score[best]) best = l;
    return best;
}

/* Are the groups of two ranks one of layer l, by all pairs between them? */
SERVET_MPI__PRIVATE int servet_mpi__one_group(const servet_mpi__place *p, int l, int a, int b)
{
    const int width = p->layers + 1, *group = p->group[l];
    double sum[SERVET_NETWORK_LAYERS + 1], next = HUGE_VAL;
    int i, e, k, near = 0, all = 0;
    const int known = p->core[group[a]] >= 0 && p->core[group[b]] >= 0;
    if (p->many[group[a]] > p->many[group[b]]) servet_mpi__swap(&a, &b);
    for (k = 0; k < width; k++) sum[k] = 0;
    for (i = p->fresh[group[a]]; i >= 0; i = p->placed[i])
        for (e = p->start[i]; e < p->start[i + 1]; e++) {
            if (group[servet_mpi__other(p, p->to[e], i)] != group[b]) continue;
            for (k = 0; k < width; k++) sum[k] += p->score[p->to[e] * width + k];
            near += p->edge[p->to[e]].level <= l;
            all++;
        }
    k = servet_mpi__least(sum, p->layers);
    if (k > l || !known) return k <= l;
    /* Of the core that is decided, but for what single disturbed pairs have kept apart: no doubt in all, nor in four of
     * five. */
    for (e = l + 1; e < width; e++) if (sum[e] < next) next = sum[e];
    return next - sum[k] > 12 && 5 * near >= 4 * all;
}

/* Groups of the core, called after their first rank; any other rank is in one of its own. */
SERVET_MPI__PRIVATE void servet_mpi__core_groups(servet_mpi__place *p)
{
    int i, e, l;
    for (l = 0; l < p->layers; l++) {
        for (i = 0; i < p->ranks; i++) p->group[l][i] = i;
        for (i = 0; i < p->n; i++) p->first[i] = -1;
        for (i = 0; i < p->n; i++) {
            int *first = p->first + p->found.group[l][i];
            if (*first < 0) *first = p->rank[i];
            p->group[l][p->rank[i]] = *first;
        }
    }
    for (e = 0; e < p->edges; e++) {
        const int a = p->edge[e].a, b = p->edge[e].b;
        p->edge[e].level = p->core[a] >= 0 && p->core[b] >= 0 ? servet_mpi__within(p, a, b) : -1;
    }
}

/* Two groups become one, called after that of the core, or the larger one. */
SERVET_MPI__PRIVATE void servet_mpi__unite(servet_mpi__place *p, int *group, int to, int from)
{
    int i, last = -1;
    if (p->core[from] >= 0 || (p->core[to] < 0 && p->many[from] > p->many[to])) servet_mpi__swap(&to, &from);
    for (i = p->fresh[from]; i >= 0; i = p->placed[i]) {
        group[i] = to;
        last = i;
    }
    p->placed[last] = p->fresh[to];
    p->fresh[to] = p->fresh[from];
    p->many[to] += p->many[from];
    p->fresh[from] = -1;
}

/* Ranks beside the core, layer by layer from the innermost: groups that pairs between them say are one are united,
 * those of the core first. */
SERVET_MPI__PRIVATE void servet_mpi__groups(servet_mpi__place *p)
{
    const int width = p->layers + 1;
    int i, e, l, moved, beside;
    servet_mpi__core_groups(p);
    servet_mpi__layer_spread(p);
    for (e = 0; e < p->edges; e++) {
        const int own = servet_mpi__finite(p->edge[e].own[0]);
        servet_mpi__deviance(p, own ? p->edge[e].own : p->edge[e].x, own, p->score + e * width);
        p->edge[e].level = servet_mpi__least(p->score + e * width, p->layers);
    }
    for (l = 0; l < p->layers; l++) {
        int *group = p->group[l];
        for (i = 0; i < p->ranks; i++) {        /* what is one inside, is one outside */
            const int inner = l ? p->group[l - 1][i] : i;
            if (p->core[i] < 0) group[i] = p->core[inner] >= 0 ? group[inner] : inner;
            p->fresh[i] = -1;
            p->many[i] = 0;
        }
        for (i = p->ranks - 1; i >= 0; i--) {   /* members of each in a list: fresh, then placed */
            p->placed[i] = p->fresh[group[i]];
            p->fresh[group[i]] = i;
            p->many[group[i]]++;
        }
        for (beside = 0; beside < 2; beside += !moved)
            for (e = 0, moved = 0; e < p->edges; e++) {
                const int a = p->edge[e].a, b = p->edge[e].b;
                if ((!beside && (p->core[a] < 0 || p->core[b] < 0)) || p->edge[e].level > l || group[a] == group[b]
                    || !servet_mpi__one_group(p, l, a, b)) continue;
                servet_mpi__unite(p, group, group[a], group[b]);
                moved = 1;
            }
    }
}

/* The edge of a pair; -1 where it has no cost. */
SERVET_MPI__PRIVATE int servet_mpi__find(const servet_mpi__place *p, int a, int b)
{
    int e;
    if (p->start[a + 1] - p->start[a] > p->start[b + 1] - p->start[b]) servet_mpi__swap(&a, &b);
    for (e = p->start[a]; e < p->start[a + 1]; e++) if (servet_mpi__other(p, p->to[e], a) == b) return p->to[e];
    return -1;
}

/* Medians of a layer of one kind of message, with their interval: pairs alone where there are three, else all.
 * v: 3 numbers of each record. */
SERVET_MPI__PRIVATE void servet_mpi__layer_median(const servet_mpi__place *p, const servet_network *n, int l, int f,
                                                  double *v, double *out)
{
    double *lo = v + n->pair_count, *hi = lo + n->pair_count;
    int alone, i, m = 0, first, last;
    for (alone = 1; alone >= 0 && m < 3; alone--)
        for (i = 0, m = 0; i < n->pair_count; i++) {
            const servet_network_pair *r = n->pair + i;
            const servet_trip *t = servet_mpi__kind(r, f);
            if (!(t->median_ns > 0) || (alone && r->at_once > 1) || servet_mpi__within(p, r->a, r->b) != l) continue;
            v[m] = (double)t->median_ns;
            lo[m] = (double)t->lo_ns;
            hi[m++] = (double)t->hi_ns;
        }
    out[0] = out[1] = out[2] = 0;
    if (m == 0) return;
    servet_stats_sort(v, (size_t)m);
    servet_stats_sort(lo, (size_t)m);
    servet_stats_sort(hi, (size_t)m);
    servet_mpi__median_ranks(m, &first, &last);
    out[0] = servet_stats_quantile(v, (size_t)m, 0.5);
    out[1] = m < 6 ? lo[0] : v[first - 1];      /* so few pairs that their own intervals say more */
    out[2] = m < 6 ? hi[m - 1] : v[last - 1];
}

/* The typical pair of a layer: the medoid, one undisturbed where there is one as good. */
SERVET_MPI__PRIVATE void servet_mpi__medoid(const servet_mpi__place *p, const servet_network *n, int l,
                                            double middle[SERVET_MPI__KINDS][3], servet_network_layer *y)
{
    double nearest = HUGE_VAL;
    int i, f;
    y->a = y->b = -1;
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *r = n->pair + i;
        double far = 0;
        int kinds = 0;
        if (servet_mpi__within(p, r->a, r->b) != l) continue;
        for (f = 0; f < SERVET_MPI__KINDS; f++) {
            const servet_trip *t = servet_mpi__kind(r, f);
            if (!(t->median_ns > 0) || !(middle[f][0] > 0)) continue;
            far += fabs(log((double)t->median_ns / middle[f][0]));
            kinds++;
        }
        if (!kinds) continue;
        far = far / kinds + (r->flags ? SERVET_MPI__FLOOR : 0);
        if (far >= nearest) continue;
        nearest = far;
        y->a = r->a;
        y->b = r->b;
    }
}

/* What the pairs of each layer cost, from the records. */
SERVET_MPI__PRIVATE void servet_mpi__describe_layers(servet_mpi__place *p, servet_network *n)
{
    double *v = p->score, *own = v + 3 * (size_t)n->pair_count, *crowd = own + n->pair_count;
    int l, f, i, e;
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
        servet_network_layer *y = n->layer + l;
        double middle[SERVET_MPI__KINDS][3];
        size_t m = 0;
        for (f = 0; f < SERVET_MPI__KINDS; f++) servet_mpi__layer_median(p, n, l, f, v, middle[f]);
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
        servet_mpi__medoid(p, n, l, middle, y);
        for (e = 0; e < p->edges; e++) {
            if (p->edge[e].level != l) continue;
            y->pairs++;
            if (crowd[e] > 0 && own[e] > 0) v[m++] = crowd[e] / own[e];
        }
        servet_stats_sort(v, m);
        y->crowded_frac = servet_stats_quantile(v, m, 0.5);
    }
}

/* Layers by Figure 7: each pair, in order, to the first layer whose first latency is similar; from the nearest layer
 * outward, ranks that its pairs join. */
SERVET_MPI__PRIVATE void servet_mpi__figure_7(servet_mpi__place *p, const servet_network *n, double similar)
{
    double first[SERVET_NETWORK_LAYERS + 1];
    int count = 0, i, l, e, at, order[SERVET_NETWORK_LAYERS + 1], f = 0;
    for (i = 0; i < n->pair_count; i++) if (n->pair[i].trip.median_ns > 0) f = 1;  /* else small messages */
    for (e = 0; e < p->edges; e++) p->edge[e].level = -1;
    for (i = 0; i < n->pair_count; i++) {
        const double t = (double)servet_mpi__kind(n->pair + i, f)->median_ns;
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (!(t > 0) || e < 0) continue;
        for (l = 0; l < count && fabs(t - first[l]) > similar * first[l]; l++) { }
        if (l == count && count < SERVET_NETWORK_LAYERS + 1) first[count++] = t;
        if (l > count - 1) l = count - 1;       /* more layers than there is room for: the last takes them */
        p->edge[e].level = l;
    }
    for (l = 0; l < count; l++)
        for (order[l] = 0, at = 0; at < count; at++)
            order[l] += first[at] < first[l] || (first[at] <= first[l] && at < l);
    p->layers = count > 0 ? count - 1 : 0;
    for (l = 0; l < p->layers; l++) {
        int *group = p->group[l], moved = 1;
        for (i = 0; i < p->ranks; i++) group[i] = i;
        while (moved)                           /* the lowest rank of those that are joined */
            for (e = 0, moved = 0; e < p->edges; e++) {
                int *a = &group[p->edge[e].a], *b = &group[p->edge[e].b];
                if (p->edge[e].level < 0 || order[p->edge[e].level] > l || *a == *b) continue;
                *a = *b = *a < *b ? *a : *b;
                moved = 1;
            }
    }
}

/* From edges to the groups of all ranks; 0 = no memory. */
SERVET_MPI__PRIVATE int servet_mpi__place_all(servet_mpi__place *p, const servet_network *n)
{
    servet_mpi__core_choose(p);
    if (!servet_mpi__core_layers(p, n)) return 0;
    servet_mpi__groups(p);
    return 1;
}

/* Hosts and groups: 1 = no group has ranks of two hosts; 0 = none parts a host; else -1. */
SERVET_MPI__PRIVATE int servet_mpi__in_hosts(servet_mpi__place *p, const servet_network *n, const int16_t *group)
{
    int i, out = 0, across = 0;
    for (i = 0; i < p->ranks; i++) p->fresh[i] = p->placed[i] = -1;
    for (i = 0; i < p->ranks; i++) {
        const int g = group[i], h = n->host[i] >= 0 && n->host[i] < p->ranks ? n->host[i] : 0;
        if (g >= 0 && p->fresh[g] < 0) p->fresh[g] = h;
        if (g >= 0) out |= p->fresh[g] != h;
        if (p->placed[h] < 0) p->placed[h] = g < 0 ? p->ranks + i : g;
        else across |= p->placed[h] != g;
    }
    return !out ? 1 : !across ? 0 : -1;
}

/* Layers that have a group of two ranks or more, and none of all; their groups, numbered in the order of their first
 * ranks, -1 for ranks that are alone. */
SERVET_MPI__PRIVATE void servet_mpi__number_layers(servet_mpi__place *p, servet_network *n)
{
    int l, i, count = 0;
    memset(n->layer, 0, sizeof n->layer);
    memset(n->group, 0xff, sizeof n->group);    /* -1: of none */
    for (l = 0; l < p->layers; l++) {
        int *group = p->group[count] = p->group[l], most = 0;
        servet_network_layer *y = &n->layer[count];
        for (i = 0; i < p->ranks; i++) {
            p->fresh[i] = 0;
            p->placed[i] = -1;
        }
        for (i = 0; i < p->ranks; i++) if (++p->fresh[group[i]] > most) most = p->fresh[group[i]];
        if (most < 2 || most == p->ranks) continue;
        for (i = 0; i < p->ranks; i++) {
            int *number = &p->placed[group[i]];
            if (p->fresh[group[i]] > 1 && *number < 0) *number = y->groups++;
            n->group[count][i] = (int16_t)*number;
        }
        y->confidence_frac = p->found.evidence[l] > 0 ? 1 - exp(-p->found.evidence[l]) : 0;
        y->in_hosts = servet_mpi__in_hosts(p, n, n->group[count++]);
    }
    n->layer_count = p->layers = count;
}

/* The layers, from the pairs. */
SERVET_MPI__PRIVATE int servet_mpi__layers_infer(servet_network *n, const servet_mpi_opts *opts)
{
    servet_mpi__place place, *p = &place;
    const double similar = opts && opts->similar_frac > 0 ? opts->similar_frac : 0.1;
    void *work;
    int status = SERVET_OK;
    if (!n || (opts && (opts->similar_frac < 0 || opts->similar_frac >= 1))) return SERVET_EINVAL;
    if (n->pair_count == 0) return SERVET_EUNRESOLVED;
    if (!servet_mpi__sound(n)) return SERVET_EINVAL;
    work = servet_mpi__place_open(p, n);
    if (!work) return SERVET_ENOMEM;
    if (p->edges == 0) status = SERVET_EUNRESOLVED;
    else if (opts && opts->figure_7) servet_mpi__figure_7(p, n, similar);
    else if (!servet_mpi__place_all(p, n)) status = SERVET_ENOMEM;
    if (status < 0) {
        free(work);
        return status;
    }
    servet_mpi__number_layers(p, n);
    servet_mpi__describe_layers(p, n);
    n->distance_like = p->found.gradient;
    free(work);
    return p->layers;
}

/* >>survey (implementation) ------------------------------------------------------------------- */

/* Quantity   the times of enough pairs of ranks to tell their layers: N (N - 1) / 2 up to 64 ranks, N log N above.
 * Model      disturbance only adds; what pairs of a layer share on their way they share alike while all ranks are in
 *            pairs of that layer.
 * Estimator  tournaments, layer by layer as known so far; pairs in doubt again alone; above 64 ranks one descent of the
 *            tree of groups for each rank, and pairs by chance to contradict it.
 * Fooled by  moments that are slower (all is measured again where it took little time); a core that saw no two ranks of
 *            a group (another core, by the layers of the first).
 * References Servet 2010, III-D. */

typedef struct servet_mpi__survey {     /* what is measured so far                                  */
    servet_mpi__task task;
    servet_network *n;
    servet_mpi_transfer *list;
    servet_message *each;
    double limit_s;                     /* for a round                                              */
    void  *work;                        /* of the layers that are known so far                      */
} servet_mpi__survey;

/* Of a pair measured twice the faster time stays: disturbance only adds. */
SERVET_MPI__PRIVATE void servet_mpi__keep(servet_trip *t, const servet_message *m)
{
    if (m->samples < 1 || (t->p10_ns > 0 && (double)t->p10_ns <= m->p10_ns)) return;
    t->p10_ns = (float)m->p10_ns;
    t->median_ns = (float)m->median_ns;
    t->lo_ns = (float)m->lo_ns;
    t->hi_ns = (float)m->hi_ns;
    t->p90_ns = (float)m->p90_ns;
}

/* One round of the pairs in list, with one kind of message; 0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__pairs_play(servet_mpi__survey *s, int f, int count, int least, double limit_s)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = f == 2 ? SERVET_MESSAGE_STREAM : SERVET_MESSAGE_TRIP;
    r.bytes = (size_t)(f == 0 ? s->n->small_bytes : f == 1 ? s->n->trip_bytes : s->n->stream_bytes);
    r.window = 1;
    r.least = least;
    r.most = 60;
    r.limit_s = limit_s < s->limit_s ? limit_s : s->limit_s;
    r.count = count;
    r.transfer = s->list;
    r.each = s->each;
    memset(s->each, 0, (size_t)count * sizeof *s->each);
    return servet_mpi__task_play(&s->task, &r);
}

/* The pairs in list, with these kinds of messages (bits), into records.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__round(servet_mpi__survey *s, int kinds, int count, const int *record, double time_s)
{
    int f, i, many = 0;
    for (f = 0; f < SERVET_MPI__KINDS; f++) many += kinds >> f & 1;
    for (f = 0; f < SERVET_MPI__KINDS; f++) {
        /* Small ones cost little, and most of the structure is theirs; alone are those in doubt. */
        const int least = f == 2 ? 3 : f == 1 ? 5 : count > 1 ? 10 : 40;
        if (!(kinds >> f & 1)) continue;
        if (!servet_mpi__pairs_play(s, f, count, least, time_s / many < 0.02 ? 0.02 : time_s / many)) return 0;
        for (i = 0; i < count; i++) {
            servet_network_pair *p = s->n->pair + record[i];
            if (s->each[i].samples < 1) continue;
            p->at_once = (int16_t)count;
            p->flags = (int16_t)(p->flags | s->each[i].flags);
            servet_mpi__keep(f == 0 ? &p->small : f == 1 ? &p->trip : &p->stream, &s->each[i]);
        }
    }
    return 1;
}

/* A record for a pair, alone or among others: the one there is, or a new one; -1 where there is no room. */
SERVET_MPI__PRIVATE int servet_mpi__record(servet_network *n, int a, int b, int at_once)
{
    int i;
    for (i = 0; i < n->pair_count; i++) {
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

/* These pairs at once.  Either end begins, by chance: what a protocol costs may depend on who does.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__pairs(servet_mpi__survey *s, int kinds, const servet_pair *pair, int count,
                                          double time_s)
{
    int record[SERVET_NETWORK_RANKS / 2], i, many = 0;
    for (i = 0; i < count; i++) {
        const int turn = (int)servet_stats_random_below(&s->task.random, 2);
        record[many] = servet_mpi__record(s->n, pair[i].a, pair[i].b, count);
        if (record[many] < 0) continue;
        s->list[many].from = turn ? pair[i].a : pair[i].b;
        s->list[many++].to = turn ? pair[i].b : pair[i].a;
    }
    return many == 0 || servet_mpi__round(s, kinds, many, record, time_s);
}

/* For pairs of layer l: of each place the first place of its group (parent), and of its group of the layer within
 * (child). */
SERVET_MPI__PRIVATE void servet_mpi__nested(int *parent, int *child, const servet_mpi__place *p, const int *rank, int n,
                                            int l)
{
    const int layers = p ? p->layers : 0;
    int i, k;
    for (i = 0; i < n; i++) {
        for (k = 0; l < layers && p->group[l][rank[k]] != p->group[l][rank[i]]; k++) { }
        parent[i] = k;
        for (k = 0; k < i && (l == 0 || p->group[l - 1][rank[k]] != p->group[l - 1][rank[i]]); k++) { }
        child[i] = k;
    }
}

/* A round of a tournament: in each parent its children meet in pairs, and of two that meet each member one of the
 * other's, shifted by so many of at most `most` members.  Returns how many pairs. */
SERVET_MPI__PRIVATE int servet_mpi__matches(servet_pair *pair, const int *parent, const int *child, const int *rank,
                                            int n, int round, int shift, int most)
{
    servet_pair game[SERVET_MPI__CORE / 2];
    int top, g, k, count = 0;
    for (top = 0; top < n; top++) {
        int first[SERVET_MPI__CORE], wide = 0, games;
        for (k = 0; k < n; k++) if (parent[k] == top && child[k] == k) first[wide++] = k;
        if (wide < 2 || round >= SERVET_PAIRS_ROUNDS(wide)) continue;
        games = servet_pairs_round(game, wide, round);
        for (g = 0; g < games; g++) {
            int a, b, with, at = 0;
            for (a = 0; a < n; a++) {
                if (child[a] != first[game[g].a]) continue;
                for (b = 0, with = 0; b < n; b++)
                    if (child[b] == first[game[g].b] && with++ == (at + shift) % most) break;
                at++;
                if (b == n) continue;
                pair[count].a = rank[a];
                pair[count++].b = rank[b];
            }
        }
    }
    return count;
}

/* All pairs in a tournament, layer by layer: while pairs of a layer are measured, all ranks are in such pairs, and
 * those of one group with those of one other.  So what they share on their way out is shared alike by all of them, and
 * does not make some look nearer.  p NULL: as if there were no layers.  of: n ranks.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__tournament(servet_mpi__survey *s, int kinds, const servet_mpi__place *p,
                                               const int *of, int n, double budget_s)
{
    const double until_s = servet_mpi__task_left_s(&s->task) - budget_s;
    servet_pair pair[SERVET_MPI__CORE];
    int rank[SERVET_MPI__CORE], order[SERVET_MPI__CORE], parent[SERVET_MPI__CORE], child[SERVET_MPI__CORE];
    int l, i, k, r, done = 0;
    memcpy(rank, of, (size_t)n * sizeof *rank);
    servet_mpi__shuffle(rank, n, &s->task.random);
    for (l = 0; l <= (p ? p->layers : 0); l++) {
        int rounds = 0, most = 0, shift;
        servet_mpi__nested(parent, child, p, rank, n, l);
        for (i = 0; i < n; i++) {               /* rounds of the widest parent; members of the largest child */
            int wide = 0, deep = 0;
            for (k = 0; k < n; k++) {
                wide += parent[k] == i && child[k] == k;
                deep += child[k] == i;
            }
            if (wide > 1 && SERVET_PAIRS_ROUNDS(wide) > rounds) rounds = SERVET_PAIRS_ROUNDS(wide);
            if (deep > most) most = deep;
        }
        for (r = 0; r < rounds; r++) order[r] = r;
        servet_mpi__shuffle(order, rounds, &s->task.random);
        for (r = 0; r < rounds; r++)
            for (shift = 0; shift < most; shift++) {
                const double left_s = servet_mpi__task_left_s(&s->task) - until_s;
                const int count = servet_mpi__matches(pair, parent, child, rank, n, order[r], shift, most);
                if (left_s <= 0 && kinds != 1) return 1;    /* time for what comes after is worth more */
                done += count;
                if (count && !servet_mpi__pairs(s, kinds, pair, count,
                                                left_s * count / (n * (n - 1) / 2 - done + count))) return 0;
            }
    }
    return 1;
}

/* Layers by what is known so far; 0 = no memory. */
SERVET_MPI__PRIVATE int servet_mpi__known(servet_mpi__survey *s, servet_mpi__place *p)
{
    free(s->work);
    s->work = servet_mpi__place_open(p, s->n);
    return s->work && servet_mpi__place_all(p, s->n);
}

/* Marks pairs that are known alone. */
SERVET_MPI__PRIVATE void servet_mpi__mark_alone(const servet_mpi__place *p, const servet_network *n, double *mark,
                                                double value)
{
    int i, e;
    for (i = 0; i < n->pair_count; i++)
        if (n->pair[i].at_once <= 1 && (e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b)) >= 0) mark[e] = value;
}

/* Pairs in doubt: of two kinds of times, far above what their layer costs, or as near to another layer as to their own.
 * Counts those not yet measured alone; the worst come first. */
SERVET_MPI__PRIVATE int servet_mpi__suspects(servet_mpi__place *p, const servet_network *n, int *edge, int most)
{
    double *doubt = p->score + (size_t)p->edges * (size_t)(p->layers + 1);
    int e, i, f, l, count = 0;
    for (e = 0; e < p->edges; e++) {
        double score[SERVET_NETWORK_LAYERS + 1], next = HUGE_VAL;
        const int own = servet_mpi__within(p, p->edge[e].a, p->edge[e].b);
        servet_mpi__deviance(p, p->edge[e].x, 0, score);
        doubt[e] = 0;
        for (f = 0; f < SERVET_MPI__KINDS; f++) {
            const double z = servet_mpi__finite(p->edge[e].x[f]) && servet_mpi__finite(p->typical[0][own][f])
                           ? (p->edge[e].x[f] - p->typical[0][own][f]) / p->spread[0][own][f] : 0;
            if (fabs(z) > 4) doubt[e] += fabs(z);       /* one in 16 000, were it noise */
        }
        for (l = 0; l <= p->layers; l++) if (l != own && score[l] < next) next = score[l];
        if (score[own] > next) doubt[e] += 4 + score[own] - next;
    }
    for (i = 0; i < n->pair_count; i++) {
        e = servet_mpi__find(p, n->pair[i].a, n->pair[i].b);
        if (e >= 0 && (n->pair[i].flags & SERVET_MESSAGE_BIMODAL)) doubt[e] += 4;
    }
    servet_mpi__mark_alone(p, n, doubt, 0);
    for (; count < most; count++) {
        int worst = -1;
        for (e = 0; e < p->edges; e++) if (doubt[e] > 0 && (worst < 0 || doubt[e] > doubt[worst])) worst = e;
        if (worst < 0) break;
        doubt[worst] = 0;
        edge[count] = worst;
    }
    return count;
}

/* These pairs alone.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__alone(servet_mpi__survey *s, const servet_mpi__place *p, const int *edge, int count,
                                          double budget_s)
{
    const double until_s = servet_mpi__task_left_s(&s->task) - budget_s;
    int i;
    for (i = 0; i < count; i++) {
        const servet_mpi__edge *e = p->edge + edge[i];
        const double left_s = servet_mpi__task_left_s(&s->task) - until_s;
        const int record = servet_mpi__record(s->n, e->a, e->b, 1);
        if (left_s <= 0 || record < 0) return 1;
        s->list[0].from = e->a;
        s->list[0].to = e->b;
        if (!servet_mpi__round(s, 7, 1, &record, left_s / (count - i))) return 0;
    }
    return 1;
}

/* Some pairs of each layer that are not known alone: at even steps, so that all parts of it are seen. */
SERVET_MPI__PRIVATE int servet_mpi__samples(servet_mpi__place *p, const servet_network *n, int *edge, int each)
{
    int e, l, count = 0;
    double *seen = p->score;
    for (e = 0; e < p->edges; e++) seen[e] = 0;
    servet_mpi__mark_alone(p, n, seen, 1);
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

/* Up to so many ranks all pairs are measured; and up to so many again, where layers were found and it took a fifth of
 * the time or less: what lasts longer is no moment. */
enum { servet_mpi__all_pairs = 64, servet_mpi__turns = 3, servet_mpi__examples = 6, servet_mpi__passing = 16 };

/* Small messages first, which share nothing; the layers they show order the rounds of the others.  Again with others
 * beside them, if there is time; those in doubt alone; then some of each layer alone: what crowding costs, and whether
 * a layer is more than crowding. */
SERVET_MPI__PRIVATE int servet_mpi__few(servet_mpi__survey *s, const int *of, int ranks, double budget_s)
{
    servet_mpi__task *t = &s->task;
    servet_mpi__place p;
    const int most = ranks < 8 ? 8 : ranks;
    int edge[SERVET_MPI__CORE], turn, count;
    double began_s = servet_mpi__task_left_s(t);
    const double until_s = began_s - budget_s;
    if (!servet_mpi__tournament(s, 1, NULL, of, ranks, 0.15 * budget_s)) return SERVET_OK;
    if (began_s - servet_mpi__task_left_s(t) < 0.05 * budget_s
        && !servet_mpi__tournament(s, 1, NULL, of, ranks, 0.1 * budget_s)) return SERVET_OK;
    if (!servet_mpi__known(s, &p)) return SERVET_ENOMEM;
    began_s = servet_mpi__task_left_s(t);
    if (!servet_mpi__tournament(s, 6, &p, of, ranks, 0.4 * budget_s)) return SERVET_OK;
    if (began_s - servet_mpi__task_left_s(t) < 0.15 * budget_s
        && !servet_mpi__tournament(s, 6, &p, of, ranks, 0.2 * budget_s)) return SERVET_OK;
    for (turn = 0; turn < servet_mpi__turns; turn++) {
        if (!servet_mpi__known(s, &p)) return SERVET_ENOMEM;
        count = servet_mpi__suspects(&p, s->n, edge, most);
        if (!servet_mpi__alone(s, &p, edge, count, 0.3 * (servet_mpi__task_left_s(t) - until_s))) return SERVET_OK;
        if (count == 0) break;
    }
    for (turn = 0; turn < servet_mpi__turns; turn++) {
        if (!servet_mpi__known(s, &p)) return SERVET_ENOMEM;
        count = servet_mpi__samples(&p, s->n, edge, servet_mpi__examples);
        if (count == 0 || !servet_mpi__alone(s, &p, edge, count, 0.5 * (servet_mpi__task_left_s(t) - until_s))) break;
    }
    return SERVET_OK;
}

/* --- thousands of ranks: each placed in the tree of groups ---
 *
 * All pairs of a core of ranks give the layers.  Any other rank descends their tree: it is compared with one member of
 * each group of the outermost layer until one is near, then with one of each group inside, and so on; a rank that is
 * near none of a group's children begins a new one.  Comparisons of many ranks make one round, each with a member of
 * its own. */
typedef struct servet_mpi__member {     /* a rank                                                   */
    int  host, used;                /* used: 1 = it is compared in this round                       */
    int  with, layer;               /* the nearest so far, -1; the layer that joins them            */
    int  next;                      /* where in the list of groups it goes on                       */
    int  around[SERVET_NETWORK_LAYERS];     /* next member of the same group, in a ring             */
    int  turn[SERVET_NETWORK_LAYERS];       /* of the group called after it: its member that was compared last */
    servet_network_pair best;       /* the pair that says where it belongs                          */
} servet_mpi__member;

typedef struct servet_mpi__comparison { /* of two ranks: by a round of many                         */
    servet_network_pair result;
    int  want, layer, doubt;        /* the layer that is expected, -1 = any; that it is; 1 = again  */
} servet_mpi__comparison;

typedef struct servet_mpi__descent {
    servet_mpi__survey *s;
    servet_mpi__place *p;           /* groups are called after their first rank                     */
    int  ranks, names;              /* names: 1 = the innermost groups of the core are within hosts */
    servet_mpi__member *of;         /* ranks                                                        */
    servet_mpi__comparison *pair;   /* of this round                                                */
    int  pairs;
    int *list[SERVET_NETWORK_LAYERS], count[SERVET_NETWORK_LAYERS];     /* groups of each layer in order */
    int *order;                     /* ranks by chance; first those without a place                 */
    int  pending;                   /* ranks without a place                                        */
} servet_mpi__descent;

SERVET_MPI__PRIVATE void servet_mpi__descent_free(servet_mpi__descent *g)
{
    free(g->of);
    free(g->pair);
    free(g->order);
}

/* Memory for all of it; 0 = there is none. */
SERVET_MPI__PRIVATE int servet_mpi__descent_make(servet_mpi__descent *g, servet_mpi__survey *s, servet_mpi__place *p)
{
    const servet_network *n = s->n;
    const size_t ranks = (size_t)n->ranks;
    int i;
    memset(g, 0, sizeof *g);
    g->s = s;
    g->p = p;
    g->ranks = n->ranks;
    g->of = (servet_mpi__member *)calloc(ranks, sizeof *g->of);
    g->pair = (servet_mpi__comparison *)calloc(ranks, sizeof *g->pair);
    g->order = (int *)calloc(ranks, (1 + SERVET_NETWORK_LAYERS) * sizeof *g->order);
    if (!g->of || !g->pair || !g->order) return 0;
    for (i = 0; i < SERVET_NETWORK_LAYERS; i++) g->list[i] = g->order + (size_t)(1 + i) * ranks;
    for (i = 0; i < n->ranks; i++) g->of[i].host = n->hosts > 0 ? n->host[i] : 0;
    return 1;
}

/* A new group of layer l, of rank x alone. */
SERVET_MPI__PRIVATE void servet_mpi__found(servet_mpi__descent *g, int l, int x)
{
    g->list[l][g->count[l]++] = x;
    g->of[x].around[l] = g->of[x].turn[l] = x;
}

/* Rank x has its place: into the groups of others. */
SERVET_MPI__PRIVATE void servet_mpi__enter(servet_mpi__descent *g, int x)
{
    int l;
    for (l = 0; l < g->p->layers; l++) {
        const int group = g->p->group[l][x];
        if (group == x) continue;
        g->of[x].around[l] = g->of[group].around[l];
        g->of[group].around[l] = x;
    }
}

/* The same for a rank beside the core, with what it showed; alone in all that is nearer than its layer. */
SERVET_MPI__PRIVATE void servet_mpi__attach(servet_mpi__descent *g, int x)
{
    servet_network *n = g->s->n;
    const servet_mpi__member *m = &g->of[x];
    int l;
    for (l = 0; l < g->p->layers; l++) {
        const int joins = l >= m->layer && m->with >= 0;
        g->p->group[l][x] = joins ? g->p->group[l][m->with] : x;
        if (!joins) servet_mpi__found(g, l, x);
    }
    servet_mpi__enter(g, x);
    if (m->best.small.p10_ns > 0 && n->pair_count < SERVET_NETWORK_PAIRS - 1) n->pair[n->pair_count++] = m->best;
}

/* The group that a rank is to be compared with: the next inside the one it is in, which is not that of the rank it is
 * near; -1 = none left. */
SERVET_MPI__PRIVATE int servet_mpi__candidate(servet_mpi__descent *g, servet_mpi__member *m)
{
    const int l = m->layer - 1, with = m->with;
    if (l < 0) return -1;
    for (; m->next < g->count[l]; m->next++) {
        const int group = g->list[l][m->next];
        if (with < 0) return group;
        if (g->p->group[l][with] == group) continue;
        if (l + 1 == g->p->layers || g->p->group[l + 1][with] == g->p->group[l + 1][group]) return group;
    }
    return -1;
}

/* A member of a group that is free in this round; -1 = none. */
SERVET_MPI__PRIVATE int servet_mpi__free_member(servet_mpi__descent *g, int l, int group)
{
    int tries, at = g->of[group].turn[l];
    for (tries = 0; tries < 64; tries++) {
        at = g->of[at].around[l];
        if (!g->of[at].used) {
            g->of[group].turn[l] = at;
            return at;
        }
        if (at == g->of[group].turn[l]) return -1;
    }
    return -1;
}

/* A round of comparisons begins: the first so many ranks of order by chance, and none is used. */
SERVET_MPI__PRIVATE void servet_mpi__round_begin(servet_mpi__descent *g, int many)
{
    int i;
    servet_mpi__shuffle(g->order, many, &g->s->task.random);
    for (i = 0; i < g->ranks; i++) g->of[i].used = 0;
    g->pairs = 0;
}

/* x with another. */
SERVET_MPI__PRIVATE void servet_mpi__round_add(servet_mpi__descent *g, int x, int to, int want)
{
    servet_mpi__comparison *c = &g->pair[g->pairs++];
    memset(c, 0, sizeof *c);
    c->result.a = (int16_t)x;
    c->result.b = (int16_t)to;
    c->want = want;
    g->of[x].used = g->of[to].used = 1;
}

/* The layer of a pair just measured: -1 = not known.  In doubt: not three and a half deviations better than any other,
 * or not within four of its own, or not the layer that is expected. */
SERVET_MPI__PRIVATE void servet_mpi__guess(const servet_mpi__descent *g, servet_mpi__comparison *c)
{
    const double small_ns = (double)c->result.small.p10_ns;
    const double x[SERVET_MPI__KINDS] = {log(small_ns > 0 ? small_ns : 1), HUGE_VAL, HUGE_VAL};
    double score[SERVET_NETWORK_LAYERS + 1], next = HUGE_VAL;
    int l;
    c->doubt = 0;
    c->layer = -1;
    if (!(small_ns > 0)) return;
    servet_mpi__deviance(g->p, x, 0, score);
    c->layer = servet_mpi__least(score, g->p->layers);
    for (l = 0; l <= g->p->layers; l++) if (l != c->layer && score[l] < next) next = score[l];
    c->doubt = next - score[c->layer] <= 12 || (c->want >= 0 && c->layer != c->want)
            || fabs(x[0] - g->p->typical[0][c->layer][0]) >= 4 * g->p->spread[0][c->layer][0];
}

/* A round of comparisons by small messages; those in doubt again, together, of which the lowest counts: what was
 * disturbed once is hardly so each time.  0 = over. */
SERVET_MPI__PRIVATE int servet_mpi__compare(servet_mpi__descent *g)
{
    const double limit_s = 0.05 * (g->s->task.end_s - g->s->task.begin_s);
    int turn, i, many;
    for (i = 0; i < g->pairs; i++) {
        g->pair[i].doubt = 1;
        g->pair[i].result.at_once = (int16_t)(g->pairs > 1 ? g->pairs : 2);     /* again beside others is not alone */
    }
    for (turn = 0; turn < 3; turn++) {
        for (i = many = 0; i < g->pairs; i++) {
            if (!g->pair[i].doubt) continue;
            g->s->list[many].from = g->pair[i].result.a;
            g->s->list[many++].to = g->pair[i].result.b;
        }
        if (many == 0) break;
        if (!servet_mpi__pairs_play(g->s, 0, many, 10, limit_s)) return turn > 0;
        for (i = many = 0; i < g->pairs; i++) {
            servet_mpi__comparison *c = &g->pair[i];
            if (c->doubt) {
                c->result.flags = (int16_t)(c->result.flags | g->s->each[many].flags);
                servet_mpi__keep(&c->result.small, g->s->each + many++);
            }
            servet_mpi__guess(g, c);
        }
    }
    return 1;
}

/* The core is placed, and no other rank. */
SERVET_MPI__PRIVATE void servet_mpi__descent_begin(servet_mpi__descent *g)
{
    servet_mpi__place *p = g->p;
    int i, l;
    memset(g->count, 0, sizeof g->count);
    for (i = 0; i < g->ranks; i++) {
        servet_mpi__member *m = &g->of[i];
        m->with = -1;
        m->layer = p->layers;
        m->next = 0;
        memset(&m->best, 0, sizeof m->best);
    }
    g->names = p->layers > 0 && g->s->n->hosts > 1;
    for (i = 0; i < p->n; i++)
        if (p->layers > 0) g->names &= g->of[p->rank[i]].host == g->of[p->group[0][p->rank[i]]].host;
    for (l = 0; l < p->layers; l++)
        for (i = 0; i < p->n; i++)
            if (p->group[l][p->rank[i]] == p->rank[i]) servet_mpi__found(g, l, p->rank[i]);
    for (i = 0; i < p->n; i++) servet_mpi__enter(g, p->rank[i]);
    for (i = g->pending = 0; i < g->ranks; i++) if (p->core[i] < 0) g->order[g->pending++] = i;
}

/* The rank that x, without a place, is compared with in this round; -1 = none is free, -2 = x has its place now. */
SERVET_MPI__PRIVATE int servet_mpi__partner(servet_mpi__descent *g, int x)
{
    servet_mpi__member *m = &g->of[x];
    const int group = servet_mpi__candidate(g, m);
    if (group >= 0) return servet_mpi__free_member(g, m->layer - 1, group);
    servet_mpi__attach(g, x);
    return -2;
}

/* All ranks beside the core.  What is known when time is over is kept. */
SERVET_MPI__PRIVATE void servet_mpi__descend(servet_mpi__descent *g)
{
    int i;
    servet_mpi__descent_begin(g);
    while (g->pending > 0) {
        int left = 0;
        servet_mpi__round_begin(g, g->pending);
        for (i = 0; i < g->pending; i++) {
            const int x = g->order[i], to = servet_mpi__partner(g, x);
            if (to == -2) continue;
            g->order[left++] = x;
            if (to >= 0) servet_mpi__round_add(g, x, to, -1);
        }
        if (g->pairs == 0 && left == g->pending) break;
        g->pending = left;
        if (g->pairs > 0 && !servet_mpi__compare(g)) break;
        for (i = 0; i < g->pairs; i++) {
            const int at = g->pair[i].layer;
            servet_mpi__member *m = &g->of[g->pair[i].result.a];
            m->next++;
            if (at < 0 || (at >= m->layer && m->best.small.p10_ns > 0)) continue;
            m->best = g->pair[i].result;
            if (at >= m->layer) continue;
            m->layer = at;
            m->with = m->best.b;
            m->next = 0;
        }
    }
    for (i = 0; i < g->pending; i++) servet_mpi__attach(g, g->order[i]);
}

/* All ranks, in their order. */
SERVET_MPI__PRIVATE void servet_mpi__all_ranks(servet_mpi__descent *g)
{
    int i;
    for (i = 0; i < g->ranks; i++) g->order[i] = i;
}

/* Pairs by chance, all over and within groups: do they cost what their place says?  Some of their records are kept.
 * 1 = no, of more than one in a hundred. */
SERVET_MPI__PRIVATE int servet_mpi__contradicted(servet_mpi__descent *g)
{
    const int layers = g->p->layers;
    servet_network *n = g->s->n;
    int turn, i, k, wrong = 0, all = 0;
    servet_mpi__all_ranks(g);
    for (turn = 0; turn < 3; turn++) {
        servet_mpi__round_begin(g, g->ranks);
        for (i = 0; i < g->ranks; i++) {
            const int x = g->order[i];
            const int l = turn > 0 && layers > 0 ? (int)servet_stats_random_below(&g->s->task.random, (size_t)layers)
                                                 : layers;
            int to = -1;
            if (g->of[x].used) continue;
            g->of[x].used = 1;
            if (l < layers) to = servet_mpi__free_member(g, l, g->p->group[l][x]);
            for (k = i + 1; l == layers && to < 0 && k < g->ranks; k++)
                if (!g->of[g->order[k]].used) to = g->order[k];
            if (to >= 0) servet_mpi__round_add(g, x, to, servet_mpi__within(g->p, x, to));
        }
        if (g->pairs == 0 || !servet_mpi__compare(g)) break;
        for (i = 0; i < g->pairs; i++) {
            const servet_mpi__comparison *c = &g->pair[i];
            const int at = c->layer;
            if (at < 0) continue;
            all++;
            /* Nearer or farther than believed, or than any layer that is known. */
            wrong += at != c->want || fabs(log((double)c->result.small.p10_ns) - g->p->typical[0][at][0])
                                      > 6 * g->p->spread[0][at][0];
            if ((at != c->want || i < 64) && n->pair_count < SERVET_NETWORK_PAIRS - 1)
                n->pair[n->pair_count++] = c->result;
        }
    }
    return 100 * wrong > all + 100;
}

/* Ranks for the first core, by hosts: of some host eight, and one of each of the next three, since neighbours may well
 * be near each other; and so on from other hosts.  Returns how many; those are used. */
SERVET_MPI__PRIVATE int servet_mpi__core_by_hosts(servet_mpi__descent *g, int hosts, int *core)
{
    int tries, i, from = 0, count = 0;
    for (tries = 0; tries < 4 * servet_mpi__all_pairs; tries++) {
        int left = tries % 4 == 0 ? 8 : 1;
        if (tries % 4 == 0) from = (int)servet_stats_random_below(&g->s->task.random, (size_t)hosts);
        for (i = 0; i < g->ranks && left > 0 && count < servet_mpi__all_pairs; i++) {
            servet_mpi__member *m = &g->of[g->order[i]];
            if (m->used || m->host != (from + tries % 4) % hosts) continue;
            m->used = 1;
            core[count++] = g->order[i];
            left--;
        }
    }
    return count;
}

/* Ranks for the core, so many of list (shuffled), by layers as measured: as many groups of the outermost as there are
 * of the next in each of them, and so on inward, so that all layers are seen, and each beside the next.  Returns how
 * many: less than want where groups are small. */
SERVET_MPI__PRIVATE int servet_mpi__core_by_layers(servet_mpi__descent *g, int *list, int many, int layer, int want,
                                                   int *core)
{
    const int *group = layer >= 0 ? g->p->group[layer] : NULL;
    int i, k, at, end, count = 0, parts = 0, most;
    if (want > many) want = many;
    if (!group) {
        memcpy(core, list, (size_t)want * sizeof *core);
        return want;
    }
    most = (int)ceil(pow((double)want, 1 / (layer + 2.0)) - 1e-9);
    for (i = 0; i < many && parts < most; i++) {
        for (k = 0; k < i && group[list[k]] != group[list[i]]; k++) { }
        parts += k == i;
    }
    if (most > parts) most = parts;
    for (at = 0; at < many && most > 0; at = end, most--) {
        const int of = group[list[at]];
        for (i = end = at; i < many; i++)       /* all of the first group that is left: to the front */
            if (group[list[i]] == of) servet_mpi__swap(&list[i], &list[end++]);
        count += servet_mpi__core_by_layers(g, list + at, end - at, layer - 1, (want - count + most - 1) / most,
                                            core + count);
    }
    return count;
}

/* Ranks for a core, by hosts or by the layers of the last one, and more of any. */
SERVET_MPI__PRIVATE int servet_mpi__core(servet_mpi__descent *g, int hosts, int *core)
{
    int i, count;
    servet_mpi__all_ranks(g);
    servet_mpi__round_begin(g, g->ranks);
    count = hosts > 0 ? servet_mpi__core_by_hosts(g, hosts, core)
          : servet_mpi__core_by_layers(g, g->order, g->ranks, g->p->layers - 1, servet_mpi__all_pairs, core);
    for (i = 0; i < count; i++) g->of[core[i]].used = 1;
    for (i = 0; i < g->ranks && count < servet_mpi__all_pairs; i++)
        if (!g->of[g->order[i]].used) core[count++] = g->order[i];
    return count;
}

/* So many ranks that not all pairs are measured: all pairs of a core, then all others beside it.  Where pairs by chance
 * contradict that, or the names of hosts tell nothing of layers and chose the core blindly, so that it may have seen no
 * two ranks of a socket: again with another core, until two of them see as many layers. */
SERVET_MPI__PRIVATE int servet_mpi__many(servet_mpi__survey *s)
{
    servet_network *n = s->n;
    servet_mpi__task *t = &s->task;
    servet_mpi__descent g;
    servet_mpi__place p;
    int core[servet_mpi__all_pairs], status = SERVET_OK, round, wrong, count, before = -1;
    if (!servet_mpi__descent_make(&g, s, &p)) status = SERVET_ENOMEM;
    for (round = 0; round < 4 && status >= 0; round++) {
        count = servet_mpi__core(&g, round > 0 ? 0 : n->hosts > 0 ? n->hosts : 1, core);
        n->pair_count = 0;
        status = servet_mpi__few(s, core, count, 0.5 * servet_mpi__task_left_s(t));
        if (status < 0 || t->status < 0 || t->stopped || n->pair_count == 0) break;
        if (!servet_mpi__known(s, &p)) status = SERVET_ENOMEM;
        if (status < 0) break;
        servet_mpi__descend(&g);
        wrong = servet_mpi__contradicted(&g);
        if (t->stopped || t->status < 0 || p.layers == 0) break;
        if (!wrong && (p.layers == before || (round == 0 && g.names))) break;
        before = p.layers;
        n->noisy |= round == 3 && wrong;
    }
    servet_mpi__descent_free(&g);
    return status;
}

/* Pairs of n, up to 64 ranks or above. */
SERVET_MPI__PRIVATE int servet_mpi__survey_all(servet_mpi__survey *s)
{
    const double all_s = servet_mpi__task_left_s(&s->task);
    int all[servet_mpi__all_pairs], i, status, turn;
    servet_mpi__place p;
    if (s->n->ranks < 2) return SERVET_OK;
    if (s->n->ranks > servet_mpi__all_pairs) return servet_mpi__many(s);
    for (i = 0; i < s->n->ranks; i++) all[i] = i;
    status = servet_mpi__few(s, all, s->n->ranks, all_s);
    if (status < 0 || s->task.stopped || s->n->ranks > servet_mpi__passing
        || servet_mpi__task_left_s(&s->task) <= 0.8 * all_s) return status;
    /* Layers that few rounds show may be those of a few moments, as one round has one partition of four ranks: all is
     * measured again at other times, of each pair the better stays. */
    if (!servet_mpi__known(s, &p)) return SERVET_ENOMEM;
    for (turn = 0; turn < servet_mpi__turns && p.layers > 0; turn++)
        if (!servet_mpi__tournament(s, 7, &p, all, s->n->ranks, all_s / (4 * servet_mpi__turns))) break;
    return SERVET_OK;
}

/* Measure pairs of ranks and infer their layers.
 *   n   ranks and hosts, pairs, layers are replaced; the rest stays
 * Up to 64 ranks all pairs: small messages in rounds of disjoint pairs; then larger ones layer by layer, so that what
 * pairs share they share alike; those in doubt, and some of each layer, alone.  Of 16 and fewer, where layers are found
 * soon, all of it again at other times: moments must not become groups.  Above, all pairs of 64 ranks, and the others
 * placed beside them; noisy = 1 where pairs by chance still contradict that.
 * Returns the number of layers; stopped = 1 where time was over, opts->run.stop said so or a message was lost, with
 * what is known.  EINVAL, ENOMEM; ESTOPPED, ETIME, ENETWORK where nothing is.  One rank has no pairs and no layers. */
SERVET_MPI__PRIVATE int servet_mpi__layers(servet_network *n, const servet_mpi_network *net,
                                           const servet_mpi_opts *opts)
{
    servet_mpi__survey s;
    servet_network *copy;
    int status;
    memset(&s, 0, sizeof s);
    if (!n || servet_mpi__task_begin(&s.task, net, opts) < 0 || net->ranks < 1 || net->ranks > SERVET_NETWORK_RANKS
        || s.task.opts.limit_s < 0 || s.task.opts.similar_frac < 0 || s.task.opts.similar_frac >= 1)
        return SERVET_EINVAL;
    s.limit_s = s.task.opts.limit_s > 0 ? s.task.opts.limit_s : 10;
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
        copy->trip_bytes = s.task.opts.trip_bytes ? (double)s.task.opts.trip_bytes : SERVET_MPI__TRIP_BYTES;
        copy->stream_bytes = s.task.opts.stream_bytes ? (double)s.task.opts.stream_bytes : SERVET_MPI__STREAM_BYTES;
        status = servet_mpi__survey_all(&s);
        if (s.task.status == SERVET_EINVAL || s.task.status == SERVET_ENOMEM) status = s.task.status;
    }
    if (status == SERVET_OK && copy->ranks > 1) {
        status = servet_mpi__layers_infer(copy, opts);
        if (status == SERVET_EUNRESOLVED && s.task.status < 0) status = s.task.status;
        else if (status == SERVET_EUNRESOLVED && s.task.stopped) status = SERVET_ESTOPPED;
    }
    if (status >= 0) {
        servet_mpi__task_close(&s.task, copy, status);
        *n = *copy;
    }
    free(s.work);
    free(s.each);
    free(s.list);
    free(copy);
    return status;
}

/* >>scaling (implementation) ------------------------------------------------------------------ */

/* Quantity   of a pair of each layer the time by size, and the sizes at which it jumps; of many how much slower.
 * Model      t(bytes) = latency + slope bytes between changes of protocol; last(k) / last(1) for k messages at once.
 * Estimator  medians of passes in different orders, bisection of gaps that intervals cannot explain; the last of each
 *            repetition, less what an acknowledgement takes.
 * Fooled by  a quiet moment (passes); a drift (order by chance, those alone at both ends).
 * References Servet 2010, III-D and IV-D. */

/* Ranks and hosts are asked for where they are not known yet. */
SERVET_MPI__PRIVATE int servet_mpi__task_open(servet_mpi__task *p, servet_network *n, const servet_mpi_network *net,
                                              const servet_mpi_opts *opts)
{
    const int e = n ? servet_mpi__task_begin(p, net, opts) : SERVET_EINVAL;
    if (e < 0) return e;
    if (n->ranks == 0 && net->describe) net->describe(net->context, n);
    return n->ranks < 1 || n->ranks > SERVET_NETWORK_RANKS || n->ranks != net->ranks ? SERVET_EINVAL : SERVET_OK;
}

/* Of a rank, the group it has in a layer, or one of its own; in the outermost all are together. */
SERVET_MPI__PRIVATE int servet_mpi__group(const servet_network *n, int layer, int rank)
{
    if (layer < 0) return n->ranks + rank;
    if (layer >= n->layer_count) return 0;
    return n->group[layer][rank] >= 0 ? n->group[layer][rank] : n->ranks + rank;
}

/* Ranks such that those of a group follow each other, in every layer; work: 3 * ranks + 1 numbers. */
SERVET_MPI__PRIVATE void servet_mpi__by_group(int *order, const servet_network *n, int *work)
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
    servet_mpi__by_group(order, n, work + 2 * ranks);
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

/* --- a pair by size ---
 *
 * Powers of two, each measured in passes that come in different orders; then sizes between, by bisection wherever the
 * time of a trip jumps: a library changes its protocol there.  Streams follow, of the sizes that are kept. */
enum { servet_mpi__passes = 3, servet_mpi__sizes_most = 160 };

typedef struct servet_mpi__rung {
    servet_network_size point;      /* its messages are merged from passes                          */
    servet_message pass[3][servet_mpi__passes];     /* trips, streams, both ways                    */
    int done, keep;                 /* the gap after it is a byte wide; wanted in the result        */
} servet_mpi__rung;

/* How far the time of rung[at + 1] is from the line of the sizes before or after it, by more than the intervals allow;
 * below 0: under it.  wide: 1 = with any slope that the intervals beside the gap allow, 0 = with the flattest.  A cost
 * by the byte is never below 0.  *slope: of the line it is beyond. */
SERVET_MPI__PRIVATE double servet_mpi__excess(const servet_mpi__rung *rung, int count, int at, int wide, double *slope)
{
    const servet_network_size *a = &rung[at].point, *b = &rung[at + 1].point;
    double least = HUGE_VAL, most = 0, over, under;
    int i;
    for (i = at - 1; i <= at + 1; i += 2) {
        const servet_network_size *c, *d;
        double low, high;
        if (i < 0 || i + 1 >= count) continue;
        c = &rung[i].point;
        d = &rung[i + 1].point;
        low = (d->trip.lo_ns - c->trip.hi_ns) / (d->bytes - c->bytes);
        high = (d->trip.hi_ns - c->trip.lo_ns) / (d->bytes - c->bytes);
        if (low < least) least = low > 0 ? low : 0;
        if (high > most) most = high;
        if (c->trip.samples < 1 || d->trip.samples < 1) return 0;
    }
    if (least >= HUGE_VAL) least = 0;
    if (!wide) most = least;
    over = b->trip.lo_ns - a->trip.hi_ns - most * (b->bytes - a->bytes);
    under = a->trip.lo_ns - b->trip.hi_ns + least * (b->bytes - a->bytes);
    *slope = over > 0 ? most : least;
    return over > 0 ? over : under > 0 ? -under : 0;
}

/* Does the time of a message jump between rung[at] and the next?  By more than all intervals allow, in the worst case
 * of each, and by more than a twentieth.  Of the first and the last gap only one side is known, which says nothing of
 * what the other becomes.  Fewer ns for more bytes are a jump as well. */
SERVET_MPI__PRIVATE int servet_mpi__jumps(const servet_mpi__rung *rung, int count, int at)
{
    const servet_network_size *a = &rung[at].point, *b = &rung[at + 1].point;
    double slope, way, excess, jump, jump_p10;
    if (at == 0 || at + 2 >= count) return 0;
    excess = servet_mpi__excess(rung, count, at, 1, &slope);
    way = excess < 0 ? -1 : 1;
    jump = way * (b->trip.median_ns - a->trip.median_ns - slope * (b->bytes - a->bytes));
    jump_p10 = way * (b->trip.p10_ns - a->trip.p10_ns - slope * (b->bytes - a->bytes));
    return fabs(excess) > 0 && jump_p10 > 0 && jump > a->trip.median_ns / 20;
}

/* An interval that also holds what the same showed at another time. */
SERVET_MPI__PRIVATE void servet_mpi__widen(servet_message *m, const servet_message *other)
{
    if (other->samples < 1) return;
    if (other->median_ns < m->lo_ns) m->lo_ns = other->median_ns;
    if (other->median_ns > m->hi_ns) m->hi_ns = other->median_ns;
}

/* One message from several passes: the pass in the middle, the lower one of an even number, its interval widened by
 * what the passes disagree. */
SERVET_MPI__PRIVATE servet_message servet_mpi__merge(const servet_message *m)
{
    servet_message sorted[servet_mpi__passes], out;
    int i, k, count = 0;
    memset(&out, 0, sizeof out);
    for (i = 0; i < servet_mpi__passes; i++) {
        if (m[i].samples < 1) continue;
        for (k = count++; k > 0 && sorted[k - 1].median_ns > m[i].median_ns; k--) sorted[k] = sorted[k - 1];
        sorted[k] = m[i];
    }
    if (count == 0) return out;
    out = sorted[(count - 1) / 2];
    for (i = 0, out.samples = 0; i < count; i++) {
        servet_mpi__widen(&out, &sorted[i]);
        if (sorted[i].min_ns < out.min_ns) out.min_ns = sorted[i].min_ns;
        if (sorted[i].p99_ns > out.p99_ns) out.p99_ns = sorted[i].p99_ns;
        out.samples += sorted[i].samples;
        out.flags |= sorted[i].flags;
    }
    return out;
}

typedef struct servet_mpi__ladder {
    servet_mpi__rung rung[servet_mpi__sizes_most];          /* ascending                            */
    int    count;
    double end_s;
    servet_mpi_transfer pair;
    servet_mpi__task *task;
} servet_mpi__ladder;

SERVET_MPI__PRIVATE double servet_mpi__ladder_left_s(const servet_mpi__ladder *l)
{
    return servet_mpi__task_over(l->task) ? 0 : l->end_s - l->task->net->seconds(l->task->net->context);
}

SERVET_MPI__PRIVATE int servet_mpi__stream_window(double bytes)
{
    const double window = 4194304.0 / bytes;
    return window >= 64 ? 64 : window < 1 ? 1 : (int)window;
}

/* A pass of one kind of message of one size; 0 samples if it failed. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_take(servet_mpi__ladder *l, int at, int kind, int pass, double limit_s)
{
    servet_mpi__rung *g = &l->rung[at];
    servet_message *passes = g->pass[kind - SERVET_MESSAGE_TRIP];
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    memset(&passes[pass], 0, sizeof passes[pass]);
    r.kind = kind;
    r.bytes = (size_t)g->point.bytes;
    r.window = kind == SERVET_MESSAGE_TRIP ? 1 : servet_mpi__stream_window(g->point.bytes);
    r.limit_s = limit_s > 1e-3 ? limit_s : 1e-3;
    r.count = 1;
    r.transfer = &l->pair;
    r.each = &passes[pass];
    servet_mpi__task_play(l->task, &r);
    *(kind == SERVET_MESSAGE_TRIP ? &g->point.trip : kind == SERVET_MESSAGE_STREAM ? &g->point.stream
                                                                                   : &g->point.both)
        = servet_mpi__merge(passes);
}

/* A size's place, made if need be; -1 where there is no more room. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_at(servet_mpi__ladder *l, double bytes)
{
    int i = 0;
    while (i < l->count && l->rung[i].point.bytes < bytes) i++;
    if (i < l->count && l->rung[i].point.bytes <= bytes) return i;
    if (l->count == servet_mpi__sizes_most) return -1;
    memmove(&l->rung[i + 1], &l->rung[i], (size_t)(l->count++ - i) * sizeof *l->rung);
    memset(&l->rung[i], 0, sizeof l->rung[i]);
    l->rung[i].point.bytes = bytes;
    return i;
}

/* Trips of all sizes, first upward, so that sizes for which the time will not do are left out; then shuffled.  Each
 * gets time by its bytes, and a little as all do. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_trips(servet_mpi__ladder *l, double share_s)
{
    const double until_s = servet_mpi__ladder_left_s(l) - share_s, most = l->rung[l->count - 1].point.bytes;
    const double even = share_s / (4 * servet_mpi__passes * l->count);
    int order[servet_mpi__sizes_most], i, pass;
    for (i = 0; i < l->count; i++) {
        const double left = servet_mpi__ladder_left_s(l), bytes = l->rung[i].point.bytes;
        const servet_network_size *before = i > 0 ? &l->rung[i - 1].point : NULL;
        if (before && (left <= 0 || left < 6e-9 * before->trip.median_ns * bytes / before->bytes)) break;
        servet_mpi__ladder_take(l, i, SERVET_MESSAGE_TRIP, 0,
                                even + share_s / (2 * servet_mpi__passes) * bytes / most);
        if (l->rung[i].point.trip.samples < 1) break;
    }
    l->count = i;
    for (pass = 1; pass < servet_mpi__passes; pass++) {
        double cost = 0;
        for (i = 0; i < l->count; i++) {
            order[i] = i;
            cost += l->rung[i].point.trip.median_ns;
        }
        servet_mpi__shuffle(order, l->count, &l->task->random);
        for (i = 0; i < l->count; i++) {
            const double left = servet_mpi__ladder_left_s(l) - until_s;
            if (left <= 0) return;
            servet_mpi__ladder_take(l, order[i], SERVET_MESSAGE_TRIP, pass,
                                    even + left / (2.0 * (servet_mpi__passes - pass)) *
                                    l->rung[order[i]].point.trip.median_ns / cost);
        }
    }
}

/* The gap that looks most like a jump, where that is a twentieth of the time; -1 = none.  To look costs little, so that
 * the flattest slope is taken here; servet_mpi__jumps decides. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_gap(const servet_mpi__ladder *l)
{
    double most = 0.05, slope;
    int i, at = -1;
    for (i = 0; i + 1 < l->count; i++) {
        const double x = fabs(servet_mpi__excess(l->rung, l->count, i, 0, &slope)) / l->rung[i].point.trip.median_ns;
        if (l->rung[i].done || !(x > most)) continue;
        most = x;
        at = i;
    }
    return at;
}

/* Halves that gap until there is none, or it is a byte wide.  The points on both sides of a gap, and the next ones, get
 * all their passes first: a quiet moment is not the protocol's. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_bisect(servet_mpi__ladder *l, double share_s)
{
    const double until_s = servet_mpi__ladder_left_s(l) - share_s;
    int at;
    while ((at = servet_mpi__ladder_gap(l)) >= 0) {
        const double left = servet_mpi__ladder_left_s(l) - until_s, bytes = l->rung[at].point.bytes;
        const double next = l->rung[at + 1].point.bytes;
        int i, pass, more = 0, middle;
        if (left <= 0) return;
        for (i = at > 0 ? at - 1 : 0; i < l->count && i <= at + 2; i++)
            for (pass = 0; pass < servet_mpi__passes; pass++) {
                if (l->rung[i].pass[0][pass].samples > 0 || servet_mpi__ladder_left_s(l) <= 0) continue;
                servet_mpi__ladder_take(l, i, SERVET_MESSAGE_TRIP, pass, left / 12);
                more = 1;
            }
        if (more) continue;
        if (next - bytes <= 1) {
            l->rung[at].done = 1;
            continue;
        }
        middle = servet_mpi__ladder_at(l, floor((bytes + next) / 2));
        if (middle < 0) return;
        servet_mpi__ladder_take(l, middle, SERVET_MESSAGE_TRIP, 0, left / 12);
        if (l->rung[middle].point.trip.samples < 1) return;
    }
}

/* Of those not followed to the byte, since the time was over, only such as all passes saw.  Two less than a
 * 32nd apart are one: a library changes once there, and a noisy time half way up is no change of its own. */
SERVET_MPI__PRIVATE int servet_mpi__ladder_thresholds(servet_mpi__ladder *l, servet_network_threshold *sw)
{
    int i, found = 0;
    for (i = 0; i + 1 < l->count && found < SERVET_NETWORK_THRESHOLDS; i++) {
        const servet_network_size *a = &l->rung[i].point, *b = &l->rung[i + 1].point;
        servet_network_threshold *s = &sw[found];
        int k, seen = 1;
        if (!servet_mpi__jumps(l->rung, l->count, i)) continue;
        for (k = 0; k < servet_mpi__passes; k++)
            seen &= l->rung[i].pass[0][k].samples > 0 && l->rung[i + 1].pass[0][k].samples > 0;
        if (!seen) continue;
        if (found && b->bytes - sw[found - 1].lo_bytes < a->bytes / 32) s--;
        else {
            found++;
            s->layer = 0;
            s->lo_bytes = a->bytes + 1;
            s->before_ns = a->trip.median_ns;
            l->rung[i].keep = 1;
        }
        s->bytes = s->hi_bytes = b->bytes;
        s->after_ns = b->trip.median_ns;
        l->rung[i + 1].keep = 1;
    }
    return found;
}

/* What a turn of messages in a row may take, from their trips. */
SERVET_MPI__PRIVATE double servet_mpi__ladder_cost(const servet_mpi__rung *g)
{
    return g->keep ? 1e-9 * g->point.trip.median_ns * servet_mpi__stream_window(g->point.bytes) : 0;
}

/* Streams of the sizes that are kept.  What the warming up of one would cost that the time will not do for, is left
 * out. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_streams(servet_mpi__ladder *l)
{
    double cost = 0;
    int i, kind, p;
    for (i = 0; i < l->count; i++) cost += 2 * servet_mpi__passes * servet_mpi__ladder_cost(&l->rung[i]);
    for (p = 0; p < servet_mpi__passes; p++)
        for (i = 0; i < l->count; i++)
            for (kind = SERVET_MESSAGE_STREAM; kind <= SERVET_MESSAGE_BOTH && l->rung[i].keep; kind++) {
                const double left = servet_mpi__ladder_left_s(l), one = servet_mpi__ladder_cost(&l->rung[i]);
                if (left > (p > 0 ? 3 * cost : 3 * one)) servet_mpi__ladder_take(l, i, kind, p, left * (one / cost));
                cost -= one;
            }
}

/* Of the sizes that are kept those without room are dropped; powers of two, and the largest, come first. */
SERVET_MPI__PRIVATE void servet_mpi__ladder_fit(servet_mpi__ladder *l, int cap, double most)
{
    int i, count = 0;
    for (i = 0; i < l->count; i++) count += l->rung[i].keep;
    for (i = 0; i < l->count && count > cap; i++) {
        const double bytes = l->rung[i].point.bytes;
        if (!l->rung[i].keep || bytes >= most || floor(log2(bytes)) >= log2(bytes)) continue;
        l->rung[i].keep = 0;
        count--;
    }
}

/* One pair by size.
 *   out, cap         points by size, 1 byte to most_bytes; layer is 0
 *   sw, thresholds   room for SERVET_NETWORK_THRESHOLDS places where the protocol changes, and how many were found
 * Both sides of a change are among the points, and two less than a 32nd apart are one.  Streams have a window of 64
 * messages, less from 64 KiB on, so that 4 MiB are under way.
 * Returns the number of points, less than asked for where the time was over; ESPACE where cap is below that of the
 * powers of two, the errors of exchange where there is no point at all. */
SERVET_MPI__PRIVATE int servet_mpi__pair_sizes(servet_network_size *out, int cap, servet_network_threshold *sw,
                                               int *thresholds, servet_mpi__task *task, int from, int to,
                                               double budget_s)
{
    const double most = task->opts.most_bytes > 0 ? (double)task->opts.most_bytes : 4194304.0;
    servet_mpi__ladder *l;
    double bytes;
    int i, at, jumps;
    if (most > 2147483647.0) return SERVET_EINVAL;
    l = (servet_mpi__ladder *)calloc(1, sizeof *l);
    if (!l) return SERVET_ENOMEM;
    l->task = task;
    l->pair.from = from;
    l->pair.to = to;
    l->end_s = task->net->seconds(task->net->context) + budget_s;
    for (bytes = 1; bytes < most; bytes *= 2) servet_mpi__ladder_at(l, bytes);
    servet_mpi__ladder_at(l, most);
    for (i = 0; i < l->count; i++) l->rung[i].keep = 1;
    if (l->count > cap) { free(l); return SERVET_ESPACE; }
    servet_mpi__ladder_trips(l, 0.3 * budget_s);
    servet_mpi__ladder_bisect(l, 0.3 * budget_s);
    jumps = servet_mpi__ladder_thresholds(l, sw);
    servet_mpi__ladder_fit(l, cap, most);
    servet_mpi__ladder_streams(l);
    for (i = at = 0; i < l->count; i++)
        if (l->rung[i].keep) out[at++] = l->rung[i].point;
    if (at > 0) *thresholds = jumps;
    free(l);
    return at > 0 ? at : task->status < 0 ? task->status : SERVET_ETIME;
}

/* Latency, bandwidth and protocols of a pair of each layer, by size.
 *   n   layers; size and protocol are replaced
 * The typical pair of each layer speaks for all others of it (Servet 2010, III-D).  Returns the number of points. */
SERVET_MPI__PRIVATE int servet_mpi__sizes(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    const int most = SERVET_NETWORK_SIZES;
    servet_mpi__task p;
    servet_network_size *size;
    servet_network_threshold change[SERVET_NETWORK_THRESHOLDS], found[SERVET_NETWORK_THRESHOLDS];
    int status = servet_mpi__task_open(&p, n, net, opts), sizes = 0, changes = 0, layer, left = 0, i;
    if (status < 0) return status;
    for (layer = 0; layer <= n->layer_count; layer++) left += n->layer[layer].pairs > 0 && n->layer[layer].a >= 0;
    if (left == 0) return SERVET_EUNRESOLVED;
    size = (servet_network_size *)calloc((size_t)most, sizeof *size);
    if (!size) return SERVET_ENOMEM;
    for (layer = 0; layer <= n->layer_count && !servet_mpi__task_over(&p); layer++) {
        const servet_network_layer *v = &n->layer[layer];
        int count, thresholds;
        if (v->pairs < 1 || v->a < 0) continue;
        count = servet_mpi__pair_sizes(size + sizes, (most - sizes) / left, found, &thresholds, &p, v->a, v->b,
                                       servet_mpi__task_left_s(&p) / left);
        left--;
        if (count < 0) {
            if (count != SERVET_ETIME && p.status >= 0) p.status = count;
            break;
        }
        for (i = 0; i < count; i++) size[sizes + i].layer = layer;
        sizes += count;
        for (i = 0; i < thresholds && changes < SERVET_NETWORK_THRESHOLDS; i++) {
            change[changes] = found[i];
            change[changes++].layer = layer;
        }
    }
    if (sizes > 0) {
        memcpy(n->size, size, (size_t)sizes * sizeof *size);
        n->size_count = sizes;
        memcpy(n->threshold, change, (size_t)changes * sizeof *change);
        n->threshold_count = changes;
    }
    free(size);
    return servet_mpi__task_close(&p, n, sizes);
}

/* Loads of a layer: those apart, up to twice the pairs there are, then from one and to one. */
enum { SERVET_MPI__MOST_PEERS = 64 };

/* The transfers of a load; pairs beyond those there are: the same the other way.  Returns how many; of a load that asks
 * for none, the most there can be. */
SERVET_MPI__PRIVATE int servet_mpi__load(servet_mpi_transfer *t, const servet_network *n,
                                         const servet_network_load *load, int *work)
{
    const int centre = n->layer[load->layer].a, ranks = n->ranks, want = load->at_once;
    int count = 0, i;
    if (load->kind == SERVET_LOAD_APART) {
        const int pairs = servet_mpi__apart(t, n, load->layer, work);
        if (pairs < 1) return 0;
        for (i = 0; pairs + i < want; i++) {
            t[pairs + i].from = t[i].to;
            t[pairs + i].to = t[i].from;
        }
        return want > 0 ? want : pairs;
    }
    servet_mpi__by_group(work, n, work + ranks);
    for (i = 0; i < ranks && count < (want > 0 ? want : (int)SERVET_MPI__MOST_PEERS); i++) {
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
    servet_network_load one;
    int factor, count, size, i, at_once[32];
    memset(&one, 0, sizeof one);
    for (factor = 2;; factor *= 2) {
        count = 0;
        for (one.layer = 0; one.layer <= n->layer_count; one.layer++) {
            if (n->layer[one.layer].pairs < 1 || n->layer[one.layer].a < 0) continue;
            for (one.kind = SERVET_LOAD_APART; one.kind <= SERVET_LOAD_TO_ONE; one.kind++) {
                int most, steps = 0;
                one.at_once = 0;
                most = servet_mpi__load(t, n, &one, work);
                for (i = 1; i < most; i *= factor) at_once[steps++] = i;
                if (most > 0) at_once[steps++] = most;
                if (one.kind == SERVET_LOAD_APART && most > 0) at_once[steps++] = 2 * most;
                for (size = 0; size < 2; size++)
                    for (i = 0; i < steps; i++, count++) {
                        if (count >= SERVET_NETWORK_LOADS) continue;
                        load[count] = one;
                        load[count].at_once = at_once[i];
                        load[count].bytes = bytes[size];
                    }
            }
        }
        if (count <= SERVET_NETWORK_LOADS) return count;
    }
}

/* From until it was acknowledged to until it was there.  Half of a round trip would not do: of many at once, some are
 * on their way back while others still come, and hide what these take. */
SERVET_MPI__PRIVATE void servet_mpi__there(servet_message *m, double ack_ns)
{
    if (ack_ns > m->min_ns / 2) ack_ns = m->min_ns / 2;
    m->min_ns -= ack_ns;
    m->p10_ns -= ack_ns;
    m->median_ns -= ack_ns;
    m->p90_ns -= ack_ns;
    m->p99_ns -= ack_ns;
    m->lo_ns -= ack_ns;
    m->hi_ns -= ack_ns;
}

/* Measures the points: those alone first, since the others are compared with them, then pairs apart, then shared ends,
 * each kind in random order so that a drift of the network is no slope; those alone again at the end. */
SERVET_MPI__PRIVATE int servet_mpi__load_all(servet_network_load *load, int count, servet_mpi__task *p,
                                             const servet_network *n, servet_mpi_transfer *t, int *work)
{
    int turn[SERVET_NETWORK_LOADS], pass, i, known = 0, left;
    p->planned = count;
    for (i = 0; i < count; i++) p->planned += load[i].at_once == 1;
    left = p->planned;
    for (pass = 0; pass < 4; pass++) {
        int turns = 0;
        for (i = 0; i < count; i++) {
            const int alone = load[i].at_once == 1, ends = load[i].kind != SERVET_LOAD_APART;
            if (pass == 0 || pass == 3 ? alone : !alone && ends == (pass == 2)) turn[turns++] = i;
        }
        servet_mpi__shuffle(turn, turns, &p->random);
        for (i = 0; i < turns; i++) {
            servet_network_load *v = &load[turn[i]];
            servet_mpi_round r;
            memset(&r, 0, sizeof r);
            r.kind = SERVET_MESSAGE_STREAM;
            r.bytes = (size_t)v->bytes;
            r.window = 1;
            r.together = 1;
            r.most = 60;
            r.count = servet_mpi__load(t, n, v, work);
            r.transfer = t;
            r.limit_s = 4 * servet_mpi__task_left_s(p) / left--;     /* most take less than their share */
            if (!servet_mpi__task_play(p, &r)) {
                if (p->status != SERVET_ENOMEM) return known;
                p->status = SERVET_OK;      /* too many for the memory of an end */
                continue;
            }
            if (r.last.samples < 1) continue;
            servet_mpi__there(&r.last, n->layer[v->layer].small_ns);     /* as acknowledgements take */
            servet_mpi__there(&r.mean, n->layer[v->layer].small_ns);
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

/* Messages of each layer at once.
 *   n   layers; load is replaced
 * Of each layer, with messages of trip_bytes and of stream_bytes, all at one moment:
 *   apart          1, 2, 4 and so on to as many pairs as have no rank in common, neighbours in groups first, since they
 *                  share most; at last the same pairs both ways, twice as many messages
 *   from, to one   the layer's typical rank and up to 64 others
 * Times are until the message is there: until it is acknowledged, less the time of a small message.
 * A drift of the network widens the intervals of those alone and is no slope.  Returns the number of points. */
SERVET_MPI__PRIVATE int servet_mpi__scaling(servet_network *n, const servet_mpi_network *net,
                                            const servet_mpi_opts *opts)
{
    servet_mpi__task p;
    servet_network_load *load;
    servet_mpi_transfer *t;
    double bytes[2];
    int status = servet_mpi__task_open(&p, n, net, opts), *work, count, known = 0, i, j;
    if (status < 0) return status;
    bytes[0] = p.opts.trip_bytes > 0 ? (double)p.opts.trip_bytes : n->trip_bytes;
    bytes[1] = p.opts.stream_bytes > 0 ? (double)p.opts.stream_bytes : n->stream_bytes;
    if (bytes[0] <= 0) bytes[0] = SERVET_MPI__TRIP_BYTES;
    if (bytes[1] <= bytes[0]) bytes[1] = bytes[0] < SERVET_MPI__STREAM_BYTES ? SERVET_MPI__STREAM_BYTES : 32 * bytes[0];
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
        status = servet_mpi__task_close(&p, n, known);
    }
    free(load);
    free(t);
    free(work);
    return status;
}

/* >>distance (implementation) ----------------------------------------------------------------- */

/* Quantity   ratDist(d): time of a message while each node sends to the d-th next, over that to the next.
 * Model      t(d) = bytes max over links (messages that share the link / its rate); in a torus the load of a dimension
 *            is the steps that messages move along it.
 * Estimator  in passes of random order, the reference after any four points: a point over the reference at the same
 *            time, from those before and after, so that what slows the network for a while cancels.  The ratio of the
 *            least of a few repeats; intervals by order statistics of passes, and they hold the ratio of the middle.
 * Fooled by  disturbance, which draws ratios to 1; paths that meet by chance (a tenth may stay unexplained).
 * References Servet 3.0, section 4. */
#define SERVET_MPI__RATIO_BYTES 32e6        /* Servet 3.0, section 4                                  */
#define SERVET_MPI__LEAST_BYTES 65536.0     /* no shorter message shows the bandwidth of a network    */
enum {
    SERVET_MPI__REFERENCE_EVERY = 4,
    SERVET_MPI__PASSES = 24,
    SERVET_MPI__LEAST = 2,
    SERVET_MPI__ENOUGH = 6,     /* of passes, an interval of order statistics of 95 % exists            */
    SERVET_MPI__REPEATS = 3     /* or two more, at each visit; odd, so that there is a middle           */
};
#define SERVET_MPI__NARROW 0.01             /* half an interval, as a share: the second decimal, as papers print it */
#define SERVET_MPI__ALIKE  1e-4             /* repeats that are: no noise, as in simulators             */

typedef struct servet_mpi__ratios {
    int     count;              /* points; the first is the reference                               */
    const int *which;
    int   (*build)(servet_mpi_transfer *t, const void *ctx, int which);
    const void *ctx;
    double  bytes;              /* out: what was sent                                               */
    /* Room for all. */
    servet_mpi_transfer *transfer;
    servet_message *each;
    double *ns, *over, *over_middle;    /* PASSES of each point; the least, and the middle            */
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

/* A visit of a point: the time of a message, the mean over processes, of each the least and the middle of its repeats.
 * What only adds, to some messages of some processes, counts the more the shorter a message is, and draws ratios to 1:
 * it is hardly in the least, and how much it is shows in the difference between both. */
typedef struct servet_mpi__visit { double at_s, least_ns, middle_ns; } servet_mpi__visit;

/* 1 if it was made.  last_s: NULL or added to: until the last message was there, all repeats. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_visit(servet_mpi__visit *out, double *last_s, servet_mpi__task *p,
                                                servet_mpi__ratios *v, int which, double bytes, int repeats)
{
    servet_mpi_round r;
    int i;
    out->at_s = p->net->seconds(p->net->context);
    out->least_ns = out->middle_ns = 0;
    memset(&r, 0, sizeof r);
    r.kind = SERVET_MESSAGE_STREAM;
    r.bytes = (size_t)bytes;
    r.window = 1;
    r.together = 1;
    r.least = SERVET_MPI__LEAST;
    r.most = repeats;
    r.within_frac = SERVET_MPI__ALIKE;
    r.count = v->build(v->transfer, v->ctx, which);
    r.transfer = v->transfer;
    r.each = v->each;
    if (r.count < 1) return 0;
    memset(r.each, 0, (size_t)r.count * sizeof *r.each);
    if (!servet_mpi__task_play(p, &r)) return 0;
    for (i = 0; i < r.count; i++) {
        if (r.each[i].samples < 1) p->stopped = 1;      /* not one in the time there was */
        out->least_ns += r.each[i].min_ns / r.count;
        out->middle_ns += r.each[i].median_ns / r.count;
    }
    if (p->stopped) return 0;
    if (last_s) *last_s += 1e-9 * r.last.median_ns * repeats;
    return out->least_ns > 0;
}

/* How long a pass takes at v->bytes, by messages of bytes between a few points; 0 = not known.  By rounds that are not
 * the first of these ranks, and whole: beside what is timed there are messages before. */
SERVET_MPI__PRIVATE double servet_mpi__ratio_probe(servet_mpi__task *p, servet_mpi__ratios *v, double bytes)
{
    const int most = v->count < 4 ? v->count : 4;
    double all_s = 0;
    int i, again;
    for (again = 0; again < 2; again++)
        for (i = 0; i < most; i++) {
            const int at = most > 1 ? i * (v->count - 1) / (most - 1) : 0;
            servet_mpi__visit visit;
            if (!servet_mpi__ratio_visit(&visit, NULL, p, v, v->which[at], bytes, SERVET_MPI__REPEATS)) return 0;
            if (again) all_s += (p->net->seconds(p->net->context) - visit.at_s) * (v->bytes / bytes) / most;
        }
    return all_s * (v->count + (v->count - 1) / SERVET_MPI__REFERENCE_EVERY + 1);
}

/* The same, by small messages, and then, as these take longer than their bytes, by larger ones if that costs little. */
SERVET_MPI__PRIVATE double servet_mpi__ratio_pass_s(servet_mpi__task *p, servet_mpi__ratios *v)
{
    const double larger = floor(v->bytes / 32), least = SERVET_MPI__LEAST_BYTES;
    const double pass_s = servet_mpi__ratio_probe(p, v, v->bytes < least ? v->bytes : least);
    if (larger <= least || pass_s / 4 > servet_mpi__task_left_s(p)) return pass_s;
    return servet_mpi__ratio_probe(p, v, larger);
}

/* A pass over all points: 1, or 0 where it could not be ended. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_pass(double *last_s, servet_mpi__task *p, servet_mpi__ratios *v, int repeats)
{
    servet_mpi__visit before, after, point[SERVET_MPI__REFERENCE_EVERY];
    int i, j, some, done = 0;
    for (i = 1; i < v->count; i++) v->turn[i - 1] = i;
    servet_mpi__shuffle(v->turn, v->count - 1, &p->random);
    memset(&before, 0, sizeof before);
    for (;;) {
        const int *turn = v->turn + done;
        some = before.least_ns > 0 ? v->count - 1 - done : 0;
        if (some > SERVET_MPI__REFERENCE_EVERY) some = SERVET_MPI__REFERENCE_EVERY;
        for (j = 0; j < some; j++)
            if (!servet_mpi__ratio_visit(&point[j], last_s, p, v, v->which[turn[j]], v->bytes, repeats)) return 0;
        if (!servet_mpi__ratio_visit(&after, last_s, p, v, v->which[0], v->bytes, repeats)) return 0;
        v->reference_ns[v->references++] = after.middle_ns;
        for (j = 0; j < some; j++) {
            const int at = turn[j] * SERVET_MPI__PASSES + v->passes[turn[j]]++;
            double share = 0.5;
            if (after.at_s > before.at_s) share = (point[j].at_s - before.at_s) / (after.at_s - before.at_s);
            v->ns[at] = point[j].middle_ns;
            v->over[at] = point[j].least_ns / (before.least_ns + (after.least_ns - before.least_ns) * share);
            v->over_middle[at] = point[j].middle_ns / (before.middle_ns + (after.middle_ns - before.middle_ns) * share);
        }
        done += some;
        if (done >= v->count - 1) return 1;
        before = after;
    }
}

/* All intervals are narrow, or as many passes as there may be were made.  Fewer do where there is hardly any spread, as
 * in simulators. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_enough(const servet_mpi__ratios *v, int passes)
{
    const double narrow = passes < SERVET_MPI__ENOUGH ? 0.1 * SERVET_MPI__NARROW : SERVET_MPI__NARROW;
    double x[SERVET_MPI__PASSES], mid, lo, hi;
    int i;
    if (passes >= SERVET_MPI__PASSES) return 1;
    if (passes < SERVET_MPI__LEAST) return 0;
    for (i = 1; i < v->count; i++) {
        memcpy(x, v->over + (size_t)i * SERVET_MPI__PASSES, (size_t)v->passes[i] * sizeof *x);
        if (servet_mpi__middle(&mid, &lo, &hi, x, v->passes[i]) < 0 || hi - lo > 2 * narrow * mid) return 0;
    }
    if (v->count > 1) return 1;
    memcpy(x, v->reference_ns, (size_t)passes * sizeof *x);     /* nothing but the reference, one a pass */
    return servet_mpi__middle(&mid, &lo, &hi, x, passes) >= 0 && hi - lo <= 2 * narrow * mid;
}

/* The ratio by the least, with an interval as much wider, both ways, as that by the middle is off. */
SERVET_MPI__PRIVATE void servet_mpi__ratio_of(servet_network_ratio *r, double *over, double *over_middle, int n)
{
    double middle, lo, hi, off;
    servet_mpi__middle(&middle, &lo, &hi, over_middle, n);
    servet_mpi__middle(&r->ratio, &r->lo_ratio, &r->hi_ratio, over, n);
    off = middle > r->ratio ? middle / r->ratio : r->ratio / middle;
    if (r->ratio / off < r->lo_ratio) r->lo_ratio = r->ratio / off;
    if (r->ratio * off > r->hi_ratio) r->hi_ratio = r->ratio * off;
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
        if (i > 0) servet_mpi__ratio_of(&r, v->over + at, v->over_middle + at, n);
        out[count++] = r;
    }
    return count;
}

SERVET_MPI__PRIVATE void servet_mpi__ratio_close(servet_mpi__ratios *v)
{
    free(v->transfer);
    free(v->each);
    free(v->ns);
    free(v->passes);
}

/* Measures all points; returns how many are known.  v: count, which, build, ctx.
 * Where the time is too short for passes of which two may be disturbed, messages are shorter, to a 32nd; then, or where
 * their size was asked for, passes are fewer; and where there would not be two, messages are shorter again. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_all(servet_network_ratio *out, servet_mpi__task *p, servet_mpi__ratios *v,
                                              int ranks)
{
    const size_t count = (size_t)v->count;
    const double wanted = p->opts.ratio_bytes > 0 ? (double)p->opts.ratio_bytes : SERVET_MPI__RATIO_BYTES;
    const double passes = p->opts.ratio_bytes > 0 ? 2.5 : SERVET_MPI__PASSES / 2 + 0.5;
    double pass_s, begin_s;
    servet_mpi__visit visit;
    int pass = 0, repeats = SERVET_MPI__REPEATS, known = 0;
    v->bytes = wanted;
    v->references = 0;
    v->transfer = (servet_mpi_transfer *)calloc((size_t)ranks, sizeof *v->transfer);
    v->ns = (double *)calloc((4 * count + 2) * SERVET_MPI__PASSES, sizeof *v->ns);
    v->passes = (int *)calloc(2 * count, sizeof *v->passes);
    v->each = (servet_message *)calloc((size_t)ranks, sizeof *v->each);
    if (!v->transfer || !v->each || !v->ns || !v->passes) { servet_mpi__ratio_close(v); return SERVET_ENOMEM; }
    v->over = v->ns + count * SERVET_MPI__PASSES;
    v->over_middle = v->over + count * SERVET_MPI__PASSES;
    v->reference_ns = v->over_middle + count * SERVET_MPI__PASSES;
    v->turn = v->passes + count;
    pass_s = servet_mpi__ratio_pass_s(p, v);
    if (pass_s > 0 && passes * pass_s > servet_mpi__task_left_s(p)) {
        const double share = servet_mpi__task_left_s(p) / pass_s;
        v->bytes = fmax(wanted * share / passes, fmin(wanted * share / 2.5, wanted / 32));
        v->bytes = floor(fmax(v->bytes, fmin(wanted, SERVET_MPI__LEAST_BYTES)));
    }
    /* A first message of that size: where memory is short, half of it, and so on. */
    while (pass_s > 0 && !servet_mpi__ratio_visit(&visit, NULL, p, v, v->which[0], v->bytes, repeats)) {
        if (p->status != SERVET_ENOMEM || v->bytes < 2 * SERVET_MPI__LEAST_BYTES) break;
        p->status = SERVET_OK;
        v->bytes = floor(v->bytes / 2);
    }
    while (pass_s > 0 && p->status >= 0 && !p->stopped) {
        double last_s = 0;
        begin_s = p->net->seconds(p->net->context);
        if (!servet_mpi__ratio_pass(&last_s, p, v, repeats)) break;
        pass_s = p->net->seconds(p->net->context) - begin_s;
        if (servet_mpi__ratio_enough(v, ++pass)) break;
        if (pass == 1) {        /* half of the passes there may be, and two more repeats if that leaves time for them */
            const double more_s = last_s * 2 / repeats;
            if ((SERVET_MPI__PASSES / 2 - 1) * (pass_s + more_s) < servet_mpi__task_left_s(p)) {
                repeats += 2;
                pass_s += more_s;
            }
            p->planned = p->played * SERVET_MPI__PASSES / 2;
        }
        if (pass >= 2 && pass_s > servet_mpi__task_left_s(p)) break;
    }
    known = servet_mpi__ratio_out(out, v);
    servet_mpi__ratio_close(v);
    return known;
}

/* The same into the record, where anything was found.  Returns what the part does. */
SERVET_MPI__PRIVATE int servet_mpi__ratio_record(servet_network *n, servet_network_ratio *to, int *count,
                                                 servet_mpi__task *p, servet_mpi__ratios *v)
{
    servet_network_ratio *out = (servet_network_ratio *)calloc((size_t)v->count + 1, sizeof *out);
    const int known = out ? servet_mpi__ratio_all(out, p, v, n->ranks) : SERVET_ENOMEM;
    if (known > 0) {
        memcpy(to, out, (size_t)known * sizeof *out);
        *count = known;
    }
    free(out);
    return known == SERVET_ENOMEM ? known : servet_mpi__task_close(p, n, known);
}

/* --- nodes --- */

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

/* --- shifts --- */

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

/* --- shapes --- */

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
    for (i = 0; i < s->count; i++) if (s->deviation[i] < s->usual) s->deviation[i] = s->usual;
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

/* Slope of ratios from a point to the last, and its deviation; their mean. */
SERVET_MPI__PRIVATE void servet_mpi__shape_slope(double *slope, double *deviation, double *mean,
                                                 const servet_mpi__shape *s, int first)
{
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, spread;
    int i;
    for (i = first; i < s->count; i++) {
        const double ratio = exp(s->log_ratio[i]), sd = ratio * (s->deviation[i] + SERVET_MPI__SAME / 2);
        const double w = 1 / (sd * sd), x = s->which[i];
        sw += w;
        sx += w * x;
        sy += w * ratio;
        sxx += w * x * x;
        sxy += w * x * ratio;
    }
    spread = sxx - sx * sx / sw;
    *slope = (sxy - sx * sy / sw) / spread;
    *deviation = 1 / sqrt(spread);
    *mean = sy / sw;
}

/* Never less with distance: constant from some distance on?  Of the longest tail in which no two differ, the slope is
 * then surely below half of what it was before: that distance.  Where it surely rises, or the last three do: 0.  Else
 * it is too noisy to tell: -1. */
SERVET_MPI__PRIVATE int servet_mpi__shape_plateau(const servet_mpi__shape *s)
{
    const int last = s->count - 1;
    int g = last, i, alike = 1;
    double slope, deviation, level;
    while (g > 1 && alike) {
        for (i = g; i <= last && alike; i++)
            alike = !servet_mpi__shape_above(s, i, g - 1) && !servet_mpi__shape_above(s, g - 1, i);
        g -= alike;
    }
    if (g < last) {
        const int tail = g;
        servet_mpi__shape_slope(&slope, &deviation, &level, s, tail);
        /* It begins where ratios are no longer below it. */
        while (g < last - 1 && log(level) - s->log_ratio[g] > 2 * s->deviation[g] + SERVET_MPI__SAME) g++;
        if (slope + 3 * deviation < 0.5 * (level - 1) / (s->which[g] - s->which[0])) return s->which[g];
        g = tail;
    }
    servet_mpi__shape_slope(&slope, &deviation, &level, s, g < last - 2 ? g : last > 2 ? last - 2 : 0);
    return slope > 3 * deviation ? 0 : -1;
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
    const int loads = 24;
    double fit[SERVET_NETWORK_SHIFTS];
    int n[3], i, j, found = 0;
    for (n[0] = 2; n[0] <= s->nodes / 2; n[0]++) {
        if (s->nodes % n[0]) continue;
        for (n[1] = 2; n[1] <= s->nodes / n[0]; n[1]++) {
            if (s->nodes / n[0] % n[1]) continue;
            n[2] = s->nodes / n[0] / n[1];
            for (i = 0; i <= loads; i++) {      /* links as fast as a message, to 16 times */
                const double load = pow(16, -(double)i / loads), one = log(servet_mpi__shape_torus(1, n, load));
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

/* The most hosts in a group of a layer that groups whole hosts; 0 = there is none. */
SERVET_MPI__PRIVATE int servet_mpi__shape_hosts(const servet_network *n)
{
    int l, i, j, k, most = 0;
    for (l = 0; l < n->layer_count; l++) {
        if (n->layer[l].in_hosts != 0) continue;
        for (i = 0; i < n->ranks; i++) {
            int hosts = 0;
            for (k = 0; k < i && n->group[l][k] != n->group[l][i]; k++) { }
            if (n->group[l][i] < 0 || k < i) continue;
            for (k = i; k < n->ranks; k++) {
                if (n->group[l][k] != n->group[l][i]) continue;
                for (j = i; j < k && n->host[j] != n->host[k]; j++) { }
                hosts += j == k;
            }
            if (hosts > most) most = hosts;
        }
    }
    return most;
}

/* The shape, from ratDist.  Returns it; EUNRESOLVED for fewer than two distances, EINVAL for ratios that are none. */
SERVET_MPI__PRIVATE int servet_mpi__distance_infer(servet_network *n)
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
        if (period <= 0 && servet_mpi__shape_hosts(n) >= s.which[s.count - 1]) {    /* nothing beyond a group is seen */
            shape = SERVET_SHAPE_TWO_LEVEL;
            period = servet_mpi__shape_hosts(n);
        } else if (period > 0 && sees) shape = SERVET_SHAPE_TWO_LEVEL;
        else if (period != 0) shape = SERVET_SHAPE_UNKNOWN;
    }
    if (shape == SERVET_SHAPE_UNKNOWN) period = 0;
    n->shape = shape;
    n->shape_period = period;
    n->shape_period_2 = second;
    return shape;
}

SERVET_MPI__DEF int servet_mpi_infer(servet_network *n, const servet_mpi_opts *opts)
{
    const int layers = n ? n->layer_count : 0, status = servet_mpi__layers_infer(n, opts);
    if (status == SERVET_EINVAL || status == SERVET_ENOMEM) return status;
    if (status >= 0 && n->layer_count != layers) n->size_count = n->threshold_count = n->load_count = 0;
    servet_mpi__distance_infer(n);    /* what it cannot tell stays as it was */
    return status;
}

/* ratDist (Servet 3.0, section 4.1).
 *   n   hosts, and layers if there are; dist and shape are replaced
 * One process of each node, its first rank, in the order of ranks: each sends to the one d further on, all at once.  A
 * node is a host; where measured layers contradict the names of hosts, a group of that layer which agrees best with
 * them.
 * bytes_per_s is the harmonic mean over processes, all bytes over all times, as rates should be averaged; of each
 * process, the middle of 3 or 5 repeats.  Ratios are of the least of these, since disturbance only adds, and of
 * neighbours in time; their intervals are from 6 to 24 passes, and hold the ratio of the middle as well.  Where time
 * is too short for 12, messages are shorter (dist_bytes), to a 32nd; then, or with opts->ratio_bytes, passes are fewer
 * and intervals wide.
 * Up to 16 each distance, above four in an octave, the divisors of N and N/2; all of them with all_distances.
 * Ranks of a single node have no distance: EUNRESOLVED, unless opts->each_rank.  Two nodes have one, with ratio 1.
 * Returns the number of distances known; ETIME or ENETWORK where a rank was lost, with what was known before. */
SERVET_MPI__PRIVATE int servet_mpi__distance(servet_network *n, const servet_mpi_network *net,
                                             const servet_mpi_opts *opts)
{
    servet_mpi__task p;
    servet_mpi__ratios v;
    servet_mpi__ring ring;
    int status = servet_mpi__task_open(&p, n, net, opts), *work, *node, *rank, *which, i, known = 0;
    if (status < 0) return status;
    memset(&v, 0, sizeof v);
    work = (int *)calloc(6 * (size_t)n->ranks + SERVET_NETWORK_SHIFTS, sizeof *work);
    if (!work) return SERVET_ENOMEM;
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
    status = ring.nodes < 2 ? SERVET_EUNRESOLVED : servet_mpi__ratio_record(n, n->dist, &known, &p, &v);
    if (known > 0) {
        n->dist_count = known;
        n->dist_nodes = ring.nodes;
        n->dist_bytes = v.bytes;
        if (servet_mpi__distance_infer(n) < 0) n->shape = SERVET_SHAPE_UNKNOWN;
    }
    free(work);
    return status;
}

/* >>access (implementation) ------------------------------------------------------------------- */

/* Quantity   ratNC(k): time of a message while k processes of each node send, over that with one.
 * Model      t(k) = bytes k / rate of the node's way out, from the k at which a process alone does not fill it.
 * Estimator  that of >>distance, with as many senders at all k where there are nodes enough.
 * Fooled by  links between groups of nodes (nodes of one group are used).
 * References Servet 3.0, section 4.2. */

typedef struct servet_mpi__slots {
    int  nodes, least;          /* nodes; as many are used as give this many senders, if there are    */
    const int *begin;           /* of each node, in rank, and the end                               */
    const int *rank;            /* of each node, those of a group after each other                  */
} servet_mpi__slots;

/* The k-th of so many processes of a node, that are spread over its groups. */
SERVET_MPI__PRIVATE int servet_mpi__slot(const servet_mpi__slots *s, int node, int k, int which)
{
    return s->rank[s->begin[node] + k * (s->begin[node + 1] - s->begin[node]) / which];
}

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
            t[count].from = servet_mpi__slot(s, before, k, which);
            t[count].to = servet_mpi__slot(s, last ? first : node, k, which);
        }
        if (last) break;
        if (first < 0) first = node;
        before = node;
        used++;
    }
    return used > 1 ? count : 0;
}

/* The ranks of each node, such that those of a group follow each other.  begin: nodes + 1, rank: ranks out; work:
 * 4 * ranks + 1 numbers. */
SERVET_MPI__PRIVATE void servet_mpi__slots_fill(int *begin, int *rank, const int *node, int nodes,
                                                const servet_network *n, int *work)
{
    int i;
    servet_mpi__by_group(work, n, work + n->ranks);
    for (i = 0; i < n->ranks; i++) begin[node[i] + 1]++;
    for (i = 0; i < nodes; i++) begin[i + 1] += begin[i];
    for (i = 0; i < n->ranks; i++) rank[begin[node[work[i]]]++] = work[i];
    for (i = nodes; i > 0; i--) begin[i] = begin[i - 1];
    begin[0] = 0;
}

/* Nodes that are all of one group, where a layer has a group with two nodes of most processes: the innermost such
 * layer, its group with the most of those nodes, lest ever fewer nodes cross ever fewer of the links between groups,
 * and ratios mix both.  Nodes of other groups are dropped, in place.  count: 3 * ranks numbers.  Returns the nodes that
 * are left. */
SERVET_MPI__PRIVATE int servet_mpi__slots_near(int *begin, int *rank, int nodes, int most, const servet_network *n,
                                               int *count)
{
    int *of = count + 2 * n->ranks;     /* the group that a node is in, all of it; -1 = in none          */
    int l, i, k, best = -1, left = 0, used = 0;
    for (l = 0; l < n->layer_count && best < 0; l++) {
        memset(count, 0, 2 * (size_t)n->ranks * sizeof *count);
        for (i = 0; i < nodes; i++) {
            of[i] = servet_mpi__group(n, l, rank[begin[i]]);
            for (k = begin[i]; k < begin[i + 1]; k++) if (servet_mpi__group(n, l, rank[k]) != of[i]) break;
            if (k < begin[i + 1]) of[i] = -1;
            else if (k - begin[i] >= most) count[of[i]]++;
        }
        for (i = 0; i < 2 * n->ranks; i++) if (count[i] > 1 && (best < 0 || count[i] > count[best])) best = i;
        if (best < 0) continue;
        for (i = 0; i < nodes; i++) {
            const int first = begin[i], end = begin[i + 1];
            if (of[i] != best) continue;
            begin[left++] = used;
            for (k = first; k < end; k++) rank[used++] = rank[k];
        }
        begin[left] = used;
    }
    return best < 0 ? nodes : left;
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

/* ratNC (Servet 3.0, section 4.2).
 *   n   hosts, and layers if there are; access is replaced
 * k processes on each of some nodes, spread over the groups within it, send to the same place on the next node, all at
 * once.  NC is the most that two nodes have.  Where layers group nodes, these are of one group of the innermost such
 * layer: links between groups count in distances, not here.  The paper keeps 2 NC senders: where there are so many
 * nodes, those k that divide them are measured, with 2 NC / k nodes.  Else each k up to 16 and four in an octave above,
 * on as many nodes as have so many ranks, no more than 2 NC / k and no fewer than two; access_constant is 0 then.
 * Passes, means and intervals as in servet_mpi__distance.  EUNRESOLVED for a single node.  Returns the number of k. */
SERVET_MPI__PRIVATE int servet_mpi__access(servet_network *n, const servet_mpi_network *net,
                                           const servet_mpi_opts *opts)
{
    servet_mpi__task p;
    servet_mpi__ratios v;
    servet_mpi__slots slots;
    int status = servet_mpi__task_open(&p, n, net, opts), *work, *node, *rank, *begin, *which, i, j, known = 0;
    if (status < 0) return status;
    memset(&v, 0, sizeof v);
    memset(&slots, 0, sizeof slots);
    work = (int *)calloc(8 * (size_t)n->ranks + 2, sizeof *work);
    if (!work) return SERVET_ENOMEM;
    begin = work + 4 * n->ranks + 1;
    node = begin + n->ranks + 1;
    rank = node + n->ranks;
    which = rank + n->ranks;
    slots.nodes = servet_mpi__nodes(node, n, work);
    slots.begin = begin;
    slots.rank = rank;
    status = slots.nodes < 2 ? SERVET_EUNRESOLVED : SERVET_OK;
    if (status >= 0) {
        int most;
        servet_mpi__slots_fill(begin, rank, node, slots.nodes, n, work);
        most = servet_mpi__slots_most(slots.begin, slots.nodes);
        slots.nodes = servet_mpi__slots_near(begin, rank, slots.nodes, most, n, work);
        v.count = servet_mpi__distances(which, 0, most, 0);
        slots.least = 2 * most;
        /* As many senders at all points: where nodes suffice, those numbers of processes that divide them. */
        if (slots.nodes >= slots.least)
            for (i = v.count = 0, j = 1; j <= most; j++) if (slots.least % j == 0) which[v.count++] = j;
        v.which = which;
        v.build = servet_mpi__slots_build;
        v.ctx = &slots;
        if (v.count > SERVET_NETWORK_SHARES) v.count = SERVET_NETWORK_SHARES;
        status = servet_mpi__ratio_record(n, n->access, &known, &p, &v);
    }
    if (known > 0) {
        n->access_count = known;
        n->access_bytes = v.bytes;
        n->access_constant = 1;
        for (i = 1; i < known; i++) if (n->access[i].senders != n->access[0].senders) n->access_constant = 0;
    }
    free(work);
    return status;
}

/* >>automaton (implementation) ---------------------------------------------------------------- */

#if !defined(SERVET_MPI_OFFLINE)

/* What rank 0 tells all: a run, or with no workers that this was the last one, and the status of all. */
typedef struct servet_mpi__torus_run {
    servet_automaton_opts opts;
    int variation, workers, status;
} servet_mpi__torus_run;

typedef struct servet_mpi__torus {
    MPI_Comm comm, ring;        /* ring: of the workers of this run, in the order of their bands     */
    int      rank, ranks, above, below;
    int      alone, met;        /* one worker; meetings of this run                                  */
    int     *order;             /* of workers, as rank 0 tells it                                    */
} servet_mpi__torus;

SERVET_MPI__PRIVATE double servet_mpi__torus_seconds(void *ctx)
{
    (void)ctx;
    return MPI_Wtime();
}

/* A barrier that tells all of the worst status of one. */
SERVET_MPI__PRIVATE int servet_mpi__torus_agree(MPI_Comm comm, int status)
{
    int worst = status;
    return MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS ? worst : (int)SERVET_ENETWORK;
}

SERVET_MPI__PRIVATE int servet_mpi__torus_meet(void *ctx)
{
    servet_mpi__torus *t = (servet_mpi__torus *)ctx;
    t->met++;
    return servet_mpi__torus_agree(t->ring, SERVET_OK);
}

SERVET_MPI__PRIVATE int servet_mpi__torus_edges(void *ctx, const void *first, const void *last, void *above,
                                                void *below, size_t bytes, size_t message)
{
    enum { SERVET_MPI__UP = 1, SERVET_MPI__DOWN = 2, SERVET_MPI__EDGES = 4 };
    const servet_mpi__torus *t = (const servet_mpi__torus *)ctx;
    MPI_Request q[SERVET_MPI__EDGES];
    MPI_Status all[SERVET_MPI__EDGES];
    size_t at;
    if (t->alone) {     /* its own neighbour: nothing goes over the network */
        memcpy(above, last, bytes);
        memcpy(below, first, bytes);
        return SERVET_OK;
    }
    for (at = 0; at < bytes; at += message) {
        const int n = (int)message, up = SERVET_MPI__UP, down = SERVET_MPI__DOWN;
        char *upper = (char *)(uintptr_t)first + at, *lower = (char *)(uintptr_t)last + at;  /* MPI-2 knows no const */
        if (MPI_Irecv((char *)above + at, n, MPI_BYTE, t->above, down, t->ring, &q[0]) != MPI_SUCCESS
            || MPI_Irecv((char *)below + at, n, MPI_BYTE, t->below, up, t->ring, &q[1]) != MPI_SUCCESS
            || MPI_Isend(upper, n, MPI_BYTE, t->above, up, t->ring, &q[2]) != MPI_SUCCESS
            || MPI_Isend(lower, n, MPI_BYTE, t->below, down, t->ring, &q[3]) != MPI_SUCCESS
            || MPI_Waitall(SERVET_MPI__EDGES, q, all) != MPI_SUCCESS) return SERVET_ENETWORK;
    }
    return SERVET_OK;
}

/* This rank's part of a run, if it has one.  A rank that fails before a meeting comes there with its status. */
SERVET_MPI__PRIVATE int servet_mpi__torus_band(servet_mpi__torus *t, servet_automaton_worker *out,
                                               const servet_mpi__torus_run *c, int at)
{
    const int periodic = 1;
    servet_automaton_peers peers;
    MPI_Comm some;
    int status = SERVET_OK;
    if (MPI_Comm_split(t->comm, at < 0 ? MPI_UNDEFINED : 0, at, &some) != MPI_SUCCESS) return SERVET_ENETWORK;
    if (at < 0) return SERVET_OK;
    if (MPI_Cart_create(some, 1, &c->workers, &periodic, 0, &t->ring) != MPI_SUCCESS
        || MPI_Cart_shift(t->ring, 0, 1, &t->above, &t->below) != MPI_SUCCESS) status = SERVET_ENETWORK;
    t->alone = c->workers == 1;
    t->met = 0;
    peers.at = at;
    peers.workers = c->workers;
    peers.seconds = servet_mpi__torus_seconds;
    peers.meet = servet_mpi__torus_meet;
    peers.edges = servet_mpi__torus_edges;
    peers.ctx = t;
    if (status >= 0) status = servet_automaton_band(out, c->variation, &peers, &c->opts);
    if (status < 0 && status != SERVET_ENETWORK && t->met == 0) servet_mpi__torus_agree(t->ring, status);
    MPI_Comm_free(&t->ring);
    MPI_Comm_free(&some);
    return status;
}

/* A run, by all ranks: each finds its band in the order, and rank 0 gets what all had. */
SERVET_MPI__PRIVATE int servet_mpi__torus_play(servet_mpi__torus *t, servet_automaton_run *out,
                                               const servet_mpi__torus_run *c)
{
    servet_automaton_worker own, *all = NULL, *worker = NULL;
    int i, at = -1, status = SERVET_OK;
    memset(&own, 0, sizeof own);
    if (MPI_Bcast(t->order, c->workers, MPI_INT, 0, t->comm) != MPI_SUCCESS) return SERVET_ENETWORK;
    for (i = 0; i < c->workers; i++) if (t->order[i] == t->rank) at = i;
    if (t->rank == 0) {
        all = (servet_automaton_worker *)calloc((size_t)t->ranks, sizeof *all);
        worker = (servet_automaton_worker *)calloc((size_t)c->workers, sizeof *worker);
        if (!all || !worker) status = SERVET_ENOMEM;
    }
    status = servet_mpi__torus_agree(t->comm, status);
    if (status >= 0) status = servet_mpi__torus_agree(t->comm, servet_mpi__torus_band(t, &own, c, at));
    if (status >= 0 && MPI_Gather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, t->comm)
                       != MPI_SUCCESS) status = SERVET_ENETWORK;
    for (i = 0; status >= 0 && t->rank == 0 && i < c->workers; i++) worker[i] = all[t->order[i]];
    if (status >= 0 && t->rank == 0) status = servet_automaton_join(out, c->variation, worker, c->workers, &c->opts);
    free(worker);
    free(all);
    return status;
}

/* Rank 0 runs the benchmark: each run is told to all. */
SERVET_MPI__PRIVATE int servet_mpi__torus_once(void *ctx, servet_automaton_run *out, int variation, const int *order,
                                               int workers, const servet_automaton_opts *opts)
{
    servet_mpi__torus *t = (servet_mpi__torus *)ctx;
    servet_mpi__torus_run c;
    memset(&c, 0, sizeof c);
    memcpy(t->order, order, (size_t)workers * sizeof *order);
    c.opts = *opts;
    c.variation = variation;
    c.workers = workers;
    if (MPI_Bcast(&c, (int)sizeof c, MPI_BYTE, 0, t->comm) != MPI_SUCCESS) return SERVET_ENETWORK;
    return servet_mpi__torus_play(t, out, &c);
}

/* The others play until they are told the status of all. */
SERVET_MPI__PRIVATE int servet_mpi__torus_serve(servet_mpi__torus *t)
{
    servet_mpi__torus_run c;
    for (;;) {
        if (MPI_Bcast(&c, (int)sizeof c, MPI_BYTE, 0, t->comm) != MPI_SUCCESS) return SERVET_ENETWORK;
        if (c.workers == 0) return c.status;
        servet_mpi__torus_play(t, NULL, &c);
    }
}

SERVET_MPI__DEF int servet_mpi_automaton(servet_automaton *out, MPI_Comm comm, const servet_automaton_opts *opts)
{
    servet_mpi__torus t;
    servet_mpi__torus_run c;
    int flag = 0, status;
    memset(&t, 0, sizeof t);
    memset(&c, 0, sizeof c);
    if (!out || comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &flag) != MPI_SUCCESS || flag) return SERVET_EINVAL;
    if (MPI_Comm_dup(comm, &t.comm) != MPI_SUCCESS || MPI_Comm_rank(t.comm, &t.rank) != MPI_SUCCESS
        || MPI_Comm_size(t.comm, &t.ranks) != MPI_SUCCESS) return SERVET_ENETWORK;
    t.order = (int *)malloc((size_t)t.ranks * sizeof *t.order);
    status = servet_mpi__torus_agree(t.comm, t.order ? SERVET_OK : SERVET_ENOMEM);
    if (status >= 0 && t.rank > 0) status = servet_mpi__torus_serve(&t);
    else if (status >= 0) {
        c.status = status = servet_automaton_measure(out, t.ranks, servet_mpi__torus_once, &t, opts);
        MPI_Bcast(&c, (int)sizeof c, MPI_BYTE, 0, t.comm);
    }
    if (status >= 0 && MPI_Bcast(out, (int)sizeof *out, MPI_BYTE, 0, t.comm) != MPI_SUCCESS) status = SERVET_ENETWORK;
    free(t.order);
    MPI_Comm_free(&t.comm);
    return status;
}

#endif /* !SERVET_MPI_OFFLINE */

/* >>profile (implementation) ------------------------------------------------------------------ */

/* A part of the measurement within the whole, to its caller's stop and progress. */
typedef struct servet_mpi__share {
    const servet_mpi__task *whole;
    double done_frac, part_frac;
} servet_mpi__share;

SERVET_MPI__PRIVATE int servet_mpi__share_stop(void *ctx)
{
    const servet_run *run = &((servet_mpi__share *)ctx)->whole->opts.run;
    return run->stop ? run->stop(run->ctx) : 0;
}

SERVET_MPI__PRIVATE void servet_mpi__share_progress(void *ctx, double done_frac, double left_s)
{
    const servet_mpi__share *s = (servet_mpi__share *)ctx;
    const servet_run *run = &s->whole->opts.run;
    const double left = servet_mpi__task_left_s(s->whole);
    if (run->progress) run->progress(run->ctx, s->done_frac + s->part_frac * done_frac, left > left_s ? left : left_s);
}

/* All parts of any network.  What follows from layers is left out where there are none; SIZES and SCALING measure
 * layers first where n has none.  Each part has a share of the time, and what it leaves goes to those after it.
 * Returns the number of layers; below 0 the first status of a part that failed, and n keeps what the others found. */
SERVET_MPI__PRIVATE int servet_mpi__all(servet_network *n, const servet_mpi_network *net, const servet_mpi_opts *opts)
{
    static const struct {
        int part;
        double weight;
        int (*measure)(servet_network *, const servet_mpi_network *, const servet_mpi_opts *);
    } each[5] = {       /* sizes take what they are given: after scaling, which seldom does */
        { SERVET_MPI_LAYERS, 0.3, servet_mpi__layers }, { SERVET_MPI_SCALING, 0.2, servet_mpi__scaling },
        { SERVET_MPI_SIZES, 0.25, servet_mpi__sizes }, { SERVET_MPI_DISTANCE, 0.15, servet_mpi__distance },
        { SERVET_MPI_ACCESS, 0.1, servet_mpi__access } };
    int i, k, worst = SERVET_OK, parts = opts && opts->parts > 0 ? opts->parts : 31;
    servet_mpi__task whole;
    servet_mpi__share share;
    servet_mpi_opts o;
    if (servet_mpi__task_begin(&whole, net, opts) < 0) return SERVET_EINVAL;
    if (net->ranks < 2) return SERVET_EUNRESOLVED;
    if (parts & (SERVET_MPI_SIZES | SERVET_MPI_SCALING) && n->layer_count == 0 && n->layer[0].pairs == 0)
        parts |= SERVET_MPI_LAYERS;
    memset(&share, 0, sizeof share);
    share.whole = &whole;
    o = whole.opts;
    o.run.stop = servet_mpi__share_stop;
    o.run.progress = servet_mpi__share_progress;
    o.run.ctx = &share;
    net->describe(net->context, n);
    if (n->hosts < 2) parts &= o.each_rank ? ~SERVET_MPI_ACCESS : ~(SERVET_MPI_DISTANCE | SERVET_MPI_ACCESS);
    n->rounds = 0;
    for (i = 0; i < 5; i++) {
        double rest = 0;
        int e;
        if (!(parts & each[i].part)) continue;
        for (k = i; k < 5; k++) rest += parts & each[k].part ? each[k].weight : 0;
        share.part_frac = (1 - share.done_frac) * each[i].weight / rest;
        o.run.budget_s = servet_mpi__task_left_s(&whole) * each[i].weight / rest;
        if (servet_mpi__task_over(&whole)) { n->stopped = 1; break; }
        e = each[i].measure(n, net, &o);
        share.done_frac += share.part_frac;
        if (e == SERVET_EUNRESOLVED) continue;      /* there is nothing of it here */
        if (e < 0 && worst >= 0) worst = e;
        if (e == SERVET_ETIME || e == SERVET_ENETWORK || (e < 0 && i == 0)) break;
    }
    n->seconds = net->seconds(net->context) - whole.begin_s;
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
    return servet_mpi__all(m->n, net, m->opts);
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
    if (out && m.n && (e >= 0 || ((e == SERVET_ETIME || e == SERVET_ENETWORK) && rank == 0 && m.n->ranks > 0)))
        *out = *m.n;
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

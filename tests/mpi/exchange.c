/* exchange - messages between ranks, as servet_mpi.h times them: on any number of ranks, any MPI (TAP at rank 0)
 *
 * What servet_mpi.h sends and receives goes through functions here, which count it, and lose or spoil it where a test
 * wants that.  Where a rank cannot be waited for with a limit (SERVET_MPI_BLOCKING) nothing is lost.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- between servet_mpi.h and MPI -------------------------------------------------------------------------------- */

enum { TAGS = 16, DATA = 5, ORDER = 0 };            /* what servet_mpi.h means by a tag: its rest by 16           */
typedef struct wire {
    double sent[TAGS], taken[TAGS];                 /* messages, by what they are                                 */
    double sent_bytes, taken_bytes;                 /* of DATA                                                    */
    int    lose_data, lose_all, spoil_data;         /* 1 = the next one; all from now on; the next one            */
    double slow_after;                              /* DATA, and each takes a millisecond; 0 = none               */
} wire;
static wire wired;

static int seen_isend(void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    static char spoilt[1 << 20];
    const int what = tag % TAGS;
    wired.sent[what]++;
    if (what == DATA) wired.sent_bytes += count;
    if (what == DATA && wired.slow_after > 0 && wired.sent[DATA] > wired.slow_after) {
        const double begin = MPI_Wtime();
        while (MPI_Wtime() - begin < 1e-3) { }
    }
    if (wired.lose_all || (what == DATA && wired.lose_data)) {
        wired.lose_data = 0;
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    if (what == DATA && wired.spoil_data && count <= (int)sizeof spoilt) {
        wired.spoil_data = 0;
        memcpy(spoilt, from, (size_t)count);
        spoilt[count / 2] = (char)(spoilt[count / 2] + 1);
        from = spoilt;
    }
    return MPI_Isend(from, count, type, to, tag, comm, request);
}

static int seen_irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    wired.taken[tag % TAGS]++;
    if (tag % TAGS == DATA) wired.taken_bytes += count;
    return MPI_Irecv(to, count, type, from, tag, comm, request);
}

static int seen_send(void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    int e = seen_isend(from, count, type, to, tag, comm, &request);
    return e == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : e;
}

#define MPI_Isend seen_isend
#define MPI_Irecv seen_irecv
#define MPI_Send  seen_send
#define SERVET_MPI_IMPLEMENTATION
#include "servet_mpi.h"
#undef MPI_Isend
#undef MPI_Irecv
#undef MPI_Send
#include "../tap.h"

static int rank, ranks;

static int least_of(int x) { int y = 0; MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); return y; }
static int most_of(int x)  { int y = 0; MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); return y; }
static double sum_of(double x)
{
    double y = 0;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
}

/* Results are told at rank 0. */
static void all_same(int status, int value, const char *name)
{
    const int least = least_of(status), most = most_of(status);
    if (rank > 0) return;
    TAP_OK(least == value && most == value, "%s: %d at all ranks", name, value);
    if (least != value || most != value) TAP_DIAG("from %d to %d", least, most);
}
static void all_true(int holds, const char *name)
{
    const int all = least_of(holds != 0);
    if (rank == 0) TAP_OK(all, "%s", name);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static const servet_mpi_network *net;       /* at rank 0, within a conductor */
static servet_mpi_transfer transfer[4096];
static servet_message each[4096];

static servet_mpi_round a_round(int kind, size_t bytes, int window, int together, int count)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.bytes = bytes;
    r.window = window;
    r.together = together;
    r.count = count;
    r.transfer = transfer;
    r.each = each;
    r.limit_s = 0.5;
    return r;
}

static servet_mpi_round so_often(int samples, servet_mpi_round r)
{
    r.least = r.most = samples;
    return r;
}

static int play(servet_mpi_round *r) { return net->exchange(net->context, r); }

static int ordered(const servet_message *m, int least, int most)
{
    return m->samples >= (m->flags & SERVET_MESSAGE_SHORT ? 1 : least) && m->samples <= most &&
           m->min_ns > 0 && m->min_ns <= m->p10_ns &&
           m->p10_ns <= m->median_ns && m->median_ns <= m->p90_ns && m->p90_ns <= m->p99_ns &&
           m->lo_ns <= m->median_ns && m->median_ns <= m->hi_ns && m->min_ns <= m->lo_ns && m->hi_ns >= m->lo_ns;
}

static int all_ordered(const servet_mpi_round *r, int least, int most)
{
    int i;
    for (i = 0; i < r->count; i++)
        if (!ordered(&each[i], least, most)) return 0;
    return !r->together || (ordered(&r->last, least, most) && ordered(&r->mean, least, most));
}

/* Pairs from both ends; the one in the middle of an odd number is left out. */
static int pairs(void)
{
    int i;
    for (i = 0; i < ranks / 2; i++) {
        transfer[i].from = i % 2 ? ranks - 1 - i : i;
        transfer[i].to = ranks - 1 - transfer[i].from;
    }
    return ranks / 2;
}

static int ring(int distance)
{
    int i;
    for (i = 0; i < ranks; i++) { transfer[i].from = i; transfer[i].to = (i + distance) % ranks; }
    return ranks;
}

static int to_one(int one)
{
    int i, n = 0;
    for (i = 0; i < ranks; i++) if (i != one) { transfer[n].from = i; transfer[n++].to = one; }
    return n;
}

static int from_one(int one)
{
    int i, n = to_one(one);
    for (i = 0; i < n; i++) { transfer[i].to = transfer[i].from; transfer[i].from = one; }
    return n;
}

static int all_to_all(void)
{
    int i, k, n = 0;
    for (i = 0; i < ranks; i++) for (k = 0; k < ranks; k++) if (i != k) { transfer[n].from = i; transfer[n++].to = k; }
    return n;
}

static const char *const KIND[] = {"trip", "stream", "both"};

static int kinds(void *ctx, const servet_mpi_network *network)
{
    static const size_t sizes[] = {1, 8, 5000, 70001};
    int kind, together;
    size_t s;
    (void)ctx;
    net = network;
    for (kind = 0; kind <= SERVET_MESSAGE_BOTH; kind++) {
        for (together = 0; together < 2; together++) {
            int right = 1, most_last = 1;
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                servet_mpi_round r = a_round(kind, sizes[s], kind ? 3 : 0, together, pairs());
                int i;
                r.least = 4;
                r.most = 11;
                right &= play(&r) == SERVET_OK && all_ordered(&r, 4, 11) && r.seconds > 0;
                for (i = 0; together && i < r.count; i++)
                    most_last &= r.last.median_ns >= each[i].median_ns && r.last.median_ns >= r.mean.median_ns &&
                                 r.last.samples == each[i].samples;
            }
            TAP_OK(right, "%s, pairs %s, 1 to 70001 bytes", KIND[kind], together ? "together" : "each at its pace");
            if (together) TAP_OK(most_last, "%s: the last is no earlier than any", KIND[kind]);
        }
    }
    return 7;
}

/* Every message of data is taken that was sent, and of each transfer as many as its windows say. */
static int windows(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r;
    double before = wired.sent[DATA], mine;
    (void)ctx;
    net = network;
    transfer[0].from = 0;
    transfer[0].to = ranks - 1;
    r = so_often(6, a_round(SERVET_MESSAGE_STREAM, 100, 5, 1, 1));
    TAP_OK(play(&r) == SERVET_OK && each[0].samples == 6, "six repetitions of a window of five");
    mine = wired.sent[DATA] - before;
    TAP_OK(mine >= 5 * 8 && fmod(mine, 5) < 0.5, "%g messages, whole windows, with at least two to warm up", mine);
    before = wired.sent[DATA];
    r = so_often(6, a_round(SERVET_MESSAGE_STREAM, 1000000, 2, 0, 1));
    TAP_OK(play(&r) == SERVET_OK && each[0].samples == 6, "six samples of a window of two at its own pace");
    mine = wired.sent[DATA] - before;
    TAP_OK(mine >= 2 * 8 && fmod(mine, 2) < 0.5, "%g messages, whole windows, with at least two to warm up", mine);
    return 0;
}

/* Room for many samples of one transfer is none for many transfers: for the sanitizer at rank 0. */
static int grown(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r;
    int i, e;
    (void)ctx;
    net = network;
    transfer[0].from = 0;
    transfer[0].to = ranks - 1;
    r = so_often(500, a_round(SERVET_MESSAGE_TRIP, 64, 1, 0, 1));
    e = play(&r);
    for (i = 0; i < 8; i++) transfer[i] = transfer[0];
    r = so_often(2, a_round(SERVET_MESSAGE_STREAM, 8, 1, 1, 8));    /* no more bytes either */
    TAP_OK(e == SERVET_OK && play(&r) == SERVET_OK && all_ordered(&r, 2, 2), "many transfers after many samples");
    return 0;
}

static int many(void *ctx, const servet_mpi_network *network)
{
    int kind, shape;
    (void)ctx;
    net = network;
    for (kind = 0; kind <= SERVET_MESSAGE_BOTH; kind++) {
        static const char *const name[] = {"a ring", "all to one", "one to all", "all to all", "the same pair thrice"};
        for (shape = 0; shape < 5; shape++) {
            int i, e, count = shape == 0 ? ring(1) : shape == 1 ? to_one(ranks - 1) : shape == 2 ? from_one(ranks / 2) :
                              shape == 3 ? all_to_all() : 3;
            servet_mpi_round r = a_round(kind, 3000, kind ? 2 : 1, 1, count);
            for (i = 0; shape == 4 && i < 3; i++) { transfer[i].from = ranks - 1; transfer[i].to = 0; }
            r.least = 3;
            r.most = 9;
            e = play(&r);
            TAP_OK(e == SERVET_OK && all_ordered(&r, 3, 9), "%s by %s", name[shape], KIND[kind]);
        }
    }
    {
        servet_mpi_round r = a_round(SERVET_MESSAGE_STREAM, 3000, 1, 1, ring(1));
        r.each = NULL;
        TAP_OK(play(&r) == SERVET_OK && r.last.samples > 0, "without room for each");
    }
    return 0;
}

/* ---- what cannot be ---------------------------------------------------------------------------------------------- */

static int bad_rounds(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round good, r;
    int right = 1;
    (void)ctx;
    net = network;
    transfer[0].from = 0;
    transfer[0].to = ranks - 1;
    good = a_round(SERVET_MESSAGE_STREAM, 64, 1, 0, 1);
#define BAD(what) do { r = good; what; right = right && play(&r) == SERVET_EINVAL; \
        if (!right) TAP_DIAG("not refused: %s", #what); } while (0)
    BAD(r.kind = 3);
    BAD(r.kind = -1);
    BAD(r.bytes = 0);
#if SIZE_MAX > 0xffffffffu
    BAD(r.bytes = (size_t)INT32_MAX + 1);
#endif
    BAD(r.window = -1);
    BAD(r.kind = SERVET_MESSAGE_TRIP; r.window = 2);
    BAD(r.together = 2);
    BAD(r.least = -1);
    BAD(r.least = 5; r.most = 4);
    BAD(r.within_frac = -1);
    BAD(r.limit_s = -1);
    BAD(r.count = -1);
    BAD(r.transfer = NULL);
    transfer[1].from = 0;
    transfer[1].to = ranks;
    BAD(r.transfer = transfer + 1);
    transfer[1].to = -1;
    BAD(r.transfer = transfer + 1);
    transfer[1].to = 0;
    BAD(r.transfer = transfer + 1);
    TAP_OK(right, "rounds that cannot be are refused");
    transfer[1].from = ranks - 1;
    r = good;
    r.count = 2;
    TAP_OK(play(&r) == SERVET_EINVAL, "a rank in two pairs, each at its own pace, is refused");
    r = good;
    r.count = 0;
    TAP_OK(play(&r) == SERVET_OK, "a round of nothing");
    r = good;
    r.bytes = 1 << 24;     /* one is soon there, and all of them nowhere */
    r.window = 1 << 20;
    TAP_OK(play(&r) == SERVET_ENOMEM && each[0].samples == 0, "messages beyond memory: ENOMEM");
    r.kind = SERVET_MESSAGE_BOTH;
    r.together = 1;
    TAP_OK(play(&r) == SERVET_ENOMEM && r.last.samples == 0, "and both ways");
    r = good;
    TAP_OK(play(&r) == SERVET_OK && each[0].samples > 0, "and then one that is good");
    return SERVET_ENOISE;
}

static int alone(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r;
    (void)ctx;
    net = network;
    r = a_round(SERVET_MESSAGE_TRIP, 8, 1, 1, 0);
    TAP_OK(network->ranks == 1 && play(&r) == SERVET_OK && r.last.samples == 0, "one rank: a round of nothing");
    transfer[0].from = transfer[0].to = 0;
    r.count = 1;
    TAP_OK(play(&r) == SERVET_EINVAL, "and none to itself");
    return 3;
}

static int hurried(void *ctx, const servet_mpi_network *network)
{
    int together;
    (void)ctx;
    net = network;
    for (together = 0; together < 2; together++) {
        servet_mpi_round r = a_round(SERVET_MESSAGE_STREAM, 1 << 20, 2, together, pairs());
        int i, e, brief = 1;
        r.limit_s = 1e-9;
        r.within_frac = 1e-9;
        e = play(&r);
        for (i = 0; i < r.count; i++) brief &= each[i].samples >= 1 && each[i].flags & SERVET_MESSAGE_SHORT;
        TAP_OK(e == SERVET_OK && brief, "no time, %s: a few samples, and said so", together ? "together" : "pairs");
    }
    return 0;
}

static int quits(void *ctx, const servet_mpi_network *network) { (void)network; return *(int *)ctx; }

/* ---- what is known of ranks -------------------------------------------------------------------------------------- */

static int described(void *ctx, const servet_mpi_network *network)
{
    servet_network *n = (servet_network *)ctx;
    memset(n, 1, sizeof *n);
    network->describe(network->context, n);
    return network->seconds(network->context) >= 0 ? SERVET_OK : SERVET_EIO;
}

static void test_describe(void)
{
    servet_network *n = (servet_network *)malloc(sizeof *n);
    char name[MPI_MAX_PROCESSOR_NAME], *names = (char *)malloc((size_t)ranks * MPI_MAX_PROCESSOR_NAME);
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int i, k, e, length = 0, right = 1;
    servet_cpus cpus;
    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    e = servet_mpi_conduct(MPI_COMM_WORLD, NULL, described, n);
    all_same(e, SERVET_OK, "a conductor that only asks for hosts");
    MPI_Get_library_version(library, &length);
    if (rank == 0) {
        int next = 0;
        for (i = 0; i < ranks; i++) {
            right &= !strcmp(servet_network_name(n, n->host[i]), names + i * MPI_MAX_PROCESSOR_NAME);
            for (k = 0; k < i; k++)
                right &= (n->host[i] == n->host[k]) ==
                         !strcmp(names + i * MPI_MAX_PROCESSOR_NAME, names + k * MPI_MAX_PROCESSOR_NAME);
            right &= n->host[i] <= next;
            next += n->host[i] == next;
        }
        TAP_OK(n->ranks == ranks && n->hosts == next && right, "%d hosts of %d ranks, by their first", n->hosts, ranks);
        TAP_OK(n->library[0] && !strncmp(n->library, library, strlen(n->library)) && !strchr(n->library, '\n'),
               "library: %s", n->library);
        TAP_OK(n->step_ns > 0 && n->step_ns < 1e7, "the clock's step is %g ns", n->step_ns);
#if defined(SERVET_MPI_BLOCKING)
        TAP_OK(n->crowded == 0, "nobody is crowded in a simulator");
#else
        if (n->hosts == 1 && servet_machine_cpus(&cpus) >= 0)
            TAP_OK(n->crowded == (ranks > cpus.count ? ranks - cpus.count : 0), "%d ranks without a CPU, of %d on %d",
                   n->crowded, ranks, cpus.count);
#endif
    }
    (void)cpus;
    free(names);
    free(n);
}

/* ---- a pair by size ---------------------------------------------------------------------------------------------- */

static int asked_to_stop;
static int stop_later(void *ctx) { return ++asked_to_stop > *(int *)ctx; }

static int by_size(void *ctx, const servet_mpi_network *network)
{
    static servet_network_size point[128];
    servet_network_threshold sw[SERVET_NETWORK_THRESHOLDS];
    servet_mpi__task task;
    servet_mpi_opts o;
    int n, all, switches = -1, i, right = 1, few = 12, short_of_time;
    double begin;
    (void)ctx;
    memset(&o, 0, sizeof o);
    o.most_bytes = 20000;
    begin = network->seconds(network->context);
    servet_mpi__task_begin(&task, network, &o);
    n = all = servet_mpi__pair_sizes(point, 128, sw, &switches, &task, ranks - 1, 0, 3);
    short_of_time = network->seconds(network->context) - begin > 2.5;
    TAP_OK(n >= 16 && switches >= 0, "%d sizes, %d changes of protocol", n, switches);
    for (i = 0; i < n; i++)
        right &= point[i].layer == 0 && point[i].trip.median_ns > 0 &&
                 (i == 0 || point[i].bytes > point[i - 1].bytes) &&
                 (short_of_time || (point[i].stream.median_ns > 0 && point[i].both.median_ns > 0));
    TAP_OK(right && point[0].bytes < 1.5 && point[n - 1].bytes > 19999, "from 1 to 20000 bytes, upward, in %s ways",
           short_of_time ? "one to three" : "three");
    for (i = 0, right = 1; i < switches; i++)
        right &= sw[i].lo_bytes <= sw[i].bytes && sw[i].bytes <= sw[i].hi_bytes && sw[i].before_ns > 0 &&
                 sw[i].after_ns > 0;
    TAP_OK(right, "changes with intervals");
    o.run.stop = stop_later;
    o.run.ctx = &few;
    servet_mpi__task_begin(&task, network, &o);
    n = servet_mpi__pair_sizes(point, 128, sw, &switches, &task, ranks - 1, 0, 2);
    TAP_OK(n > 0 && n < all, "stopped after some questions: %d sizes", n);
    o.run.stop = NULL;
    TAP_OK(servet_mpi__task_begin(&task, network, &o) == SERVET_OK &&
           servet_mpi__pair_sizes(point, 5, sw, &switches, &task, 0, ranks - 1, 1) == SERVET_ESPACE,
           "no room for all sizes");
    return 0;
}

/* ---- communicators and options ----------------------------------------------------------------------------------- */

static void test_bad_calls(void)
{
    int value = 4, e;
    servet_mpi_opts o;
    MPI_Comm other, half;
    MPI_Errhandler before, after;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    all_same(servet_mpi_conduct(MPI_COMM_NULL, NULL, quits, &value), SERVET_EINVAL, "no communicator");
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, NULL, NULL), SERVET_EINVAL, "no conductor");
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, quits, &value), 4, "what the conductor says");
    value = SERVET_EUNRESOLVED;
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, quits, &value), SERVET_EUNRESOLVED, "and if it fails");
    memset(&o, 0, sizeof o);
    o.limit_s = -1;
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, &o, quits, &value), SERVET_EINVAL, "a limit below 0");
    o.limit_s = 0;
    o.most_bytes = rank == ranks - 1 ? (size_t)INT32_MAX + 1 : 0;
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, &o, quits, &value), SERVET_EINVAL, "too large a size at one rank");
    all_same(servet_mpi_measure(NULL, MPI_COMM_NULL, NULL), SERVET_EINVAL, "nothing to measure");
    if (ranks > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
#if defined(SMPI_H)
        (void)other;
        if (rank == 0) TAP_SKIP(2, "SimGrid makes no intercommunicators");
#else
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &other);
        all_same(servet_mpi_conduct(other, NULL, quits, &value), SERVET_EINVAL, "an intercommunicator");
        all_same(servet_mpi_measure(NULL, other, NULL), SERVET_EINVAL, "and to measure");
        MPI_Comm_free(&other);
#endif
        value = 5 + rank % 2;       /* two at once, of different ranks */
        e = servet_mpi_conduct(half, NULL, quits, &value);
        all_true(e == 5 + rank % 2, "two communicators at once, each with its own rank 0");
        MPI_Comm_free(&half);
    }
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
    all_true(before == after, "the error handler is what it was");
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&after);
}

/* Who passes a struct gets what rank 0 has, if there is anything; who does not, nothing. */
static void test_measure(void)
{
    const int wants = rank % 3 != 1;
    servet_network *n = (servet_network *)malloc(sizeof *n);
    servet_mpi_opts o;
    const unsigned char *byte = (const unsigned char *)n;
    double sum = 0;
    size_t i;
    int e, untouched = 1;
    memset(&o, 0, sizeof o);
    memset(n, 0x5a, sizeof *n);
    o.parts = SERVET_MPI_LAYERS;
    o.run.budget_s = 2;
    e = servet_mpi_measure(wants ? n : NULL, MPI_COMM_WORLD, &o);
    all_true(least_of(e) == most_of(e), "measured, with the same status at all ranks");
    all_true(ranks == 1 || e >= 0, "and there is an answer");
    for (i = 0; i < sizeof *n; i++) {
        untouched &= byte[i] == 0x5a;
        sum += (double)byte[i] * (double)(i % 1000 + 1);
    }
    if (e < 0) {
        const int kept = rank == 0 && e == SERVET_ETIME && n->ranks == ranks;
        all_true(untouched || kept, "nothing is touched where it failed, but for what rank 0 knew in time");
    } else {
        double of_0 = sum;
        MPI_Bcast(&of_0, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        all_true(wants ? fabs(sum - of_0) < 0.5 && n->ranks == ranks : untouched, "who asked got all, others nothing");
    }
    if (ranks == 1) all_true(e == SERVET_EUNRESOLVED, "of one rank there is nothing to know");
    free(n);
}

/* ---- ranks and messages that are lost ---------------------------------------------------------------------------- */

#if !defined(SERVET_MPI_BLOCKING)
static int what_fails, kept, second, third;         /* at rank 0, of conductors that lose something */

static int loses(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r = a_round(SERVET_MESSAGE_TRIP, 64, 1, what_fails > 0 && what_fails < 4, pairs());
    (void)ctx;
    net = network;
    r.limit_s = 0.05;
    kept = play(&r) == SERVET_OK && each[0].samples > 0;
    if (what_fails == 2) wired.lose_all = 1;
    else if (what_fails >= 3) wired.spoil_data = 1;
    else wired.lose_data = 1;
    second = play(&r);
    wired.lose_all = 0;
    third = play(&r);
    return 5;
}

static int lasts(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r = a_round(SERVET_MESSAGE_STREAM, 100000, 16, 0, 1);
    (void)ctx;
    net = network;
    transfer[0].from = 0;
    transfer[0].to = 1;
    r.limit_s = 1.5;
    r.within_frac = 1e-9;
    r.most = 1000000;
    return play(&r);
}

/* What was as fast as to plan a thousand samples at once takes seconds for them: others are not to give up. */
static int slows(void *ctx, const servet_mpi_network *network)
{
    servet_mpi_round r = a_round(SERVET_MESSAGE_STREAM, 100, 1, 0, 1);
    int e;
    (void)ctx;
    net = network;
    transfer[0].from = 0;
    transfer[0].to = 1;
    r.least = r.most = 1600;
    wired.slow_after = wired.sent[DATA] + 1000;    /* the last 600 take five times the limit */
    e = play(&r);
    wired.slow_after = 0;
    return e;
}

static void test_losses(void)
{
    static const char *const name[] = {"a message of a pair is lost", "a message of many is lost",
                                       "a rank is heard of no more", "one of many is not what was sent",
                                       "one of a pair is not what was sent"};
    servet_mpi_opts o;
    MPI_Comm comm;
    double begin;
    int value = 6, e;
    memset(&o, 0, sizeof o);
    o.limit_s = 0.4;
    for (what_fails = 0; what_fails < 5; what_fails++) {
        const int expect = what_fails >= 3 ? SERVET_ENETWORK : SERVET_ETIME;
        double seconds;
        memset(&wired, 0, sizeof wired);
        begin = MPI_Wtime();
        e = servet_mpi_conduct(MPI_COMM_WORLD, &o, loses, NULL);
        seconds = MPI_Wtime() - begin;
        all_same(e, expect, name[what_fails]);
        all_true(seconds < 3, "and noticed in time");
        if (rank == 0) {
            TAP_OK(e == expect && kept && second == expect && third == expect, "known before stays, nothing after it");
            TAP_DIAG("%.2f s", seconds);
        }
        memset(&wired, 0, sizeof wired);
    }
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, &o, lasts, NULL), SERVET_OK, "a round longer than others wait");
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, &o, slows, NULL), SERVET_OK, "samples longer than others wait");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    begin = MPI_Wtime();
    e = rank < ranks - 1 ? servet_mpi_conduct(comm, &o, quits, &value) : SERVET_ETIME;
    begin = MPI_Wtime() - begin;
    all_same(e, SERVET_ETIME, "a rank that does not come");
    all_true(rank == ranks - 1 || (begin > 0.35 && begin < 2), "waited for as long as was said");
    MPI_Barrier(MPI_COMM_WORLD);
    all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, quits, &value), 6, "and another communicator works");
}
#endif

int main(int argc, char **argv)
{
    double sent, taken, messages;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1) {
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, alone, NULL), 3, "alone");
    } else {
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, kinds, NULL), 7, "kinds of messages");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, windows, NULL), 0, "windows");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, grown, NULL), 0, "many transfers after many samples");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, many, NULL), 0, "many of a rank");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, bad_rounds, NULL), SERVET_ENOISE, "bad rounds");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, hurried, NULL), 0, "no time");
        all_same(servet_mpi_conduct(MPI_COMM_WORLD, NULL, by_size, NULL), 0, "by size");
        sent = sum_of(wired.sent_bytes);
        taken = sum_of(wired.taken_bytes);
        messages = sum_of(wired.sent[DATA]) - sum_of(wired.taken[DATA]);
        all_true(sent > 0 && fabs(sent - taken) < 0.5 && fabs(messages) < 0.5, "as many bytes taken as sent");
        if (rank == 0) TAP_DIAG("%.0f bytes", sent);
    }
    test_describe();
    test_bad_calls();
    test_measure();
#if !defined(SERVET_MPI_BLOCKING)
    if (ranks > 1) test_losses();
#endif
    MPI_Finalize();
    return rank == 0 ? tap_done() : 0;
}

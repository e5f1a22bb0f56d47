/* exchange - is a message's time that of a plain ping-pong?  Both by turns in one run of two ranks
 *
 *     mpicc -O2 -I. bench/exchange.c -o exchange -pthread -lm && mpirun -n 2 ./exchange [BYTES...]
 *
 * The plain one is what osu_latency does: MPI_Send and MPI_Recv by turns, half of a round trip.  Its clock is read as
 * often as ours, every 20 trips, so that medians compare.  Prints CSV: of each size the median over blocks of either,
 * their ratio and difference, block by block, and the quartiles of these.
 *
 *     exchange --ours BYTES...     ours alone, as `bytes,ns`: bench/latency.sh compares with other programs
 */
#if defined(__has_include)
#  if __has_include(<mpi.h>)
#    define BENCH_MPI 1
#  endif
#endif
#if !defined(BENCH_MPI)
#  include <stdio.h>
int main(void)
{
    printf("# for mpicc: mpicc -O2 -I. bench/exchange.c -o exchange -pthread -lm && mpirun -n 2 ./exchange\n");
    return 0;
}
#else
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include <stdio.h>

enum { BLOCKS = 21, ALONE = 5, CHUNKS = 200, TRIPS = 20, WARM = 200 };

static double half_trip(void *ctx, const servet_mpi_network *net, size_t bytes)
{
    servet_mpi_transfer t = {0, 1};
    servet_message m;
    servet_mpi_round r;
    (void)ctx;
    memset(&r, 0, sizeof r);
    memset(&m, 0, sizeof m);
    r.kind = SERVET_MESSAGE_TRIP;
    r.bytes = bytes;
    r.least = r.most = CHUNKS;
    r.count = 1;
    r.transfer = &t;
    r.each = &m;
    r.limit_s = 2;
    return net->exchange(net->context, &r) < 0 ? 0 : m.median_ns;
}

static struct { size_t bytes; double ns; } ask;

static int ours(void *ctx, const servet_mpi_network *net)
{
    ask.ns = half_trip(ctx, net, ask.bytes);
    return SERVET_OK;
}

static double plain(size_t bytes, int rank)
{
    static double chunk[CHUNKS];
    static char *out, *in;
    static size_t room;
    int i, k;
    if (bytes > room) {
        out = (char *)realloc(out, bytes);
        in = (char *)realloc(in, bytes);
        room = bytes;
        if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 1);
        memset(out, 1, bytes);
        memset(in, 2, bytes);
    }
    for (i = -WARM / TRIPS; i < CHUNKS; i++) {
        const double begin = MPI_Wtime();
        for (k = 0; k < TRIPS; k++) {
            if (rank == 0) MPI_Send(out, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(out, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
        if (i >= 0) chunk[i] = (MPI_Wtime() - begin) / (2 * TRIPS) * 1e9;
    }
    servet_stats_sort(chunk, CHUNKS);
    return servet_stats_quantile(chunk, CHUNKS, 0.5);
}

/* As many trips as others make: some blocks, and the median. */
static int alone(int argc, char **argv, int rank)
{
    static double mine[BLOCKS];
    int i, b, e = SERVET_OK;
    for (i = 2; i < argc && e >= 0; i++) {
        ask.bytes = (size_t)atoi(argv[i]);
        for (b = 0; b < ALONE && e >= 0; b++) {
            e = servet_mpi_conduct(MPI_COMM_WORLD, NULL, ours, NULL);
            mine[b] = ask.ns;
        }
        servet_stats_sort(mine, ALONE);
        if (rank == 0 && e >= 0) printf("%d,%.1f\n", (int)ask.bytes, servet_stats_quantile(mine, ALONE, 0.5));
    }
    return e;
}

int main(int argc, char **argv)
{
    static double mine[BLOCKS], theirs[BLOCKS], ratio[BLOCKS], more[BLOCKS];
    int rank, ranks, i, b, e = SERVET_OK;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && !strcmp(argv[1], "--ours")) {
        if (ranks == 2) e = alone(argc, argv, rank);
        argc = 0;
    }
    if (argc > 0 && ranks == 2 && rank == 0)
        printf("bytes,ours_ns,plain_ns,ratio,ratio_q25,ratio_q75,more_ns,more_q25,more_q75\n");
    for (i = 1; argc > 0 && ranks == 2 && e >= 0 && (i < argc || i == 1); i++) {
        ask.bytes = i < argc ? (size_t)atoi(argv[i]) : 8;
        for (b = 0; b < BLOCKS && e >= 0; b++) {
            theirs[b] = plain(ask.bytes, rank);
            e = servet_mpi_conduct(MPI_COMM_WORLD, NULL, ours, NULL);
            mine[b] = ask.ns;
            ratio[b] = mine[b] / theirs[b];
            more[b] = mine[b] - theirs[b];
        }
        servet_stats_sort(mine, BLOCKS);
        servet_stats_sort(theirs, BLOCKS);
        servet_stats_sort(ratio, BLOCKS);
        servet_stats_sort(more, BLOCKS);
#define MIDDLE(x) servet_stats_quantile(x, BLOCKS, 0.5)
#define QUARTILES(x) servet_stats_quantile(x, BLOCKS, 0.25), servet_stats_quantile(x, BLOCKS, 0.75)
        if (rank == 0)
            printf("%d,%.1f,%.1f,%.4f,%.4f,%.4f,%.1f,%.1f,%.1f\n", (int)ask.bytes, MIDDLE(mine), MIDDLE(theirs),
                   MIDDLE(ratio), QUARTILES(ratio), MIDDLE(more), QUARTILES(more));
    }
    if (ranks != 2 && rank == 0) fprintf(stderr, "exchange: two ranks, please\n");
    if (e < 0 && rank == 0) fprintf(stderr, "exchange: %s\n", servet_status_text(e));
    MPI_Finalize();
    return ranks != 2 || e < 0;
}
#endif

/* mpi_kernels.c - what processes send in three of the NAS Parallel Benchmarks, timed where they were placed, and as a
 *                 profile has it
 *
 *     mpicc -O2 examples/mpi_kernels.c -I. -lm -pthread -o mpi_kernels && mpirun -n 16 ./mpi_kernels
 *         [--bytes N] [--times N] [--load FILE]
 *
 * For Servet 3.0, section 6.2, Figures 7 and 8: run it as processes are placed by the launcher, and as `servet map`
 * places them.  Each kernel is a row of stages in which a process sends one message and receives one, without the
 * computation between them, of N bytes (1 MB) a process at most:
 *   cg   conjugate gradient on a grid of processes: sums along rows, by halves; the vector to the transposed process;
 *        two inner products (NPB's cg.f)
 *   is   integer sort: keys from each process to each other, N bytes from all of a process
 *   mg   multigrid on a periodic box: faces to six neighbours, four levels down and up, a quarter of the bytes each
 * The number of processes is a power of two.  With --load (-: of this machine) the second column is what its network,
 * hosts in their order, makes of it: of each stage the slowest message; between nodes it takes longer than alone as
 * ratDist says, as far as the nodes on its way send the same way, times ratNC of as many as leave or reach a node.
 * What the messages within a node take from each other it does not know. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG, IS, MG, KERNELS, LEVELS = 4, TIMES = 99 };
static const char *const word[] = { "cg", "is", "mg" };

typedef struct sent { int to, from; double bytes; } sent;    /* to -1 = nothing, as to oneself */

static int log_2(int n)
{
    int k = 0;
    while (2 << k <= n) k++;
    return k;
}

static int stages(int kernel, int ranks)
{
    const int columns = (log_2(ranks) + 1) / 2;
    return kernel == CG ? columns + 1 + 2 * log_2(ranks) : kernel == IS ? ranks - 1 : 2 * LEVELS * 6;
}

/* As cg.f has it: as many columns as rows, or twice as many. */
static int transposed(int rank, int ranks)
{
    const int rows = 1 << log_2(ranks) / 2;
    if (rows * rows == ranks) return rank % rows * rows + rank / rows;
    return 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
}

/* What a rank sends in a stage, and from whom it receives as much. */
static sent stage(int kernel, int ranks, int number, int rank, double bytes)
{
    const int bits = log_2(ranks), columns = (bits + 1) / 2;
    sent s;
    s.bytes = bytes;
    if (kernel == CG && number < columns) {
        s.to = s.from = rank ^ (1 << (columns - 1 - number));
        s.bytes /= 2 << number;
    } else if (kernel == CG && number == columns) {
        s.to = s.from = transposed(rank, ranks);
    } else if (kernel == CG) {
        s.to = s.from = rank ^ (1 << (number - columns - 1) % bits);
        s.bytes = 8;
    } else if (kernel == IS) {
        s.to = (rank + number + 1) % ranks;
        s.from = (rank + ranks - number - 1) % ranks;
        s.bytes /= ranks;
    } else {
        const int level = number / 6 < LEVELS ? number / 6 : 2 * LEVELS - 1 - number / 6, dim = number % 6 / 2;
        const int long_bits = (bits + 2) / 3, mid_bits = (bits + 1) / 3;
        const int stride = dim == 0 ? 1 : dim == 1 ? 1 << long_bits : 1 << (long_bits + mid_bits);
        const int size = 1 << (dim == 0 ? long_bits : dim == 1 ? mid_bits : bits - long_bits - mid_bits);
        const int up = rank + ((rank / stride + 1) % size - rank / stride % size) * stride;
        const int down = rank + ((rank / stride + size - 1) % size - rank / stride % size) * stride;
        s.to = number % 2 ? down : up;
        s.from = number % 2 ? up : down;
        s.bytes /= 1 << 2 * level;
    }
    if (s.to == rank) s.to = s.from = -1;
    if (s.bytes < 8) s.bytes = 8;
    return s;
}

/* Seconds of one turn, of the slowest. */
static double run(int kernel, char *out, char *in, double bytes)
{
    double begun, took, last = 0;
    int i, rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    for (i = 0; i < stages(kernel, ranks); i++) {
        const sent s = stage(kernel, ranks, i, rank, bytes);
        if (s.to >= 0)
            MPI_Sendrecv(out, (int)s.bytes, MPI_CHAR, s.to, i, in, (int)s.bytes, MPI_CHAR, s.from, i, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
    took = MPI_Wtime() - begun;
    MPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

/* ---- as the profile has it ------------------------------------------------------------------------------------- */

/* A stage: messages that leave and reach each node, which nodes send up or down their ring, and ratDist summed over the
 * messages of a node. */
typedef struct crowd {
    int out[SERVET_NETWORK_RANKS], in[SERVET_NETWORK_RANKS];
    char goes[2][SERVET_NETWORK_RANKS];
    double far[SERVET_NETWORK_RANKS];
} crowd;

static int way(int nodes, int a, int b, int *down)
{
    const int up = a <= b ? b - a : b - a + nodes;
    *down = 2 * up > nodes;
    return *down ? nodes - up : up;
}

/* At the k-th place, or the last that was measured in proportion. */
static double access_ratio(const servet_network *n, int k)
{
    const int last = n->access_count ? n->access[n->access_count - 1].which : 1;
    double x;
    if (k < 2 || last < 2) return 1;
    x = servet_network_degradation(n, SERVET_DEGRADATION_ACCESS, k < last ? k : last, NULL, NULL);
    return k > last ? x * k / last : x;
}

/* Seconds of a message alone: as measured by size, else by latency and bandwidth of its layer. */
static double alone(const servet_network *n, int layer, double bytes)
{
    const servet_network_layer *l = &n->layer[layer];
    servet_message m;
    if (servet_network_time(&m, n, layer, bytes, 1) >= 0) return 1e-9 * m.median_ns;
    return 1e-9 * l->small_ns + (l->bytes_per_s > 0 ? bytes / l->bytes_per_s : 0);
}

/* ratDist of a message, as far as the nodes on its way send the same way: it was had with all of them. */
static double far(const servet_network *n, const crowd *c, int a, int b)
{
    int down, i, node = a, many = 0;
    const int d = way(n->dist_nodes, a, b, &down);
    const double ratio = servet_network_degradation(n, SERVET_DEGRADATION_DISTANCE, d, NULL, NULL);
    for (i = 0; i < d; i++, node = (node + (down ? n->dist_nodes - 1 : 1)) % n->dist_nodes) many += c->goes[down][node];
    return ratio > 1 ? 1 + (ratio - 1) * many / d : 1;
}

/* Messages within a node are of the innermost layer of groups within hosts; where none was found, as between nodes.
 * Those that leave a node share its way out, each the longer the further all of them go. */
static double message(const servet_network *n, const crowd *c, int a, int b, double bytes)
{
    const int layer = a == b && n->layer_count > 0 && n->layer[0].in_hosts == 1 ? 0 : n->layer_count;
    const double start = 1e-9 * n->layer[layer].small_ns, rate = n->layer[layer].bytes_per_s;
    double ratio, took = alone(n, layer, bytes);
    if (a == b) return took;
    ratio = c->far[a] / c->out[a] * access_ratio(n, c->out[a] > c->in[b] ? c->out[a] : c->in[b]);
    if (rate > n->dist[0].bytes_per_s) ratio *= rate / n->dist[0].bytes_per_s;    /* to neighbours while all send */
    return took > start ? start + (took - start) * ratio : took;
}

/* Seconds of one turn, ranks on these hosts of the network. */
static double predict(const servet_network *n, const int *node, int kernel, int ranks, double bytes)
{
    static crowd c;                     /* large */
    double all = 0;
    int i, r, down;
    for (i = 0; i < stages(kernel, ranks); i++) {
        double slowest = 0;
        memset(&c, 0, sizeof c);
        for (r = 0; r < ranks; r++) {
            const sent s = stage(kernel, ranks, i, r, bytes);
            if (s.to < 0 || node[s.to] == node[r]) continue;
            c.out[node[r]]++;
            c.in[node[s.to]]++;
            way(n->dist_nodes, node[r], node[s.to], &down);
            c.goes[down][node[r]] = 1;
        }
        for (r = 0; r < ranks; r++) {
            const sent s = stage(kernel, ranks, i, r, bytes);
            if (s.to >= 0 && node[s.to] != node[r]) c.far[node[r]] += far(n, &c, node[r], node[s.to]);
        }
        for (r = 0; r < ranks; r++) {
            const sent s = stage(kernel, ranks, i, r, bytes);
            const double one = s.to < 0 ? 0 : message(n, &c, node[r], node[s.to], s.bytes);
            if (one > slowest) slowest = one;
        }
        all += slowest;
    }
    return all;
}

/* The network of a profile; ratios between its hosts must be known. */
static int load(servet_network *n, const char *from)
{
    servet_profile p;
    char error[SERVET_TEXT_MAX] = "";
    int status = !strcmp(from, "-") ? servet_profile_open(&p, NULL, NULL) : servet_profile_load(&p, from, error);
    if (status >= 0 && p.network) *n = *p.network;
    if (status >= 0) servet_profile_free(&p);
    if (status >= 0 && n->dist_count > 0 && n->dist_nodes == n->hosts && n->dist[0].bytes_per_s > 0) return 1;
    fprintf(stderr, "mpi_kernels: %s: %s %s\n", from, status < 0 ? servet_status_text(status)
            : "no bandwidth by distance between its hosts: mpi_degradation -o FILE measures it", error);
    return 0;
}

/* The host of the network on which each rank is, by name, at rank 0.  0 = one of them is not there. */
static int places(int *node, const servet_network *n, int ranks)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", *all = NULL;
    int length = 0, rank, r, i, good = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(name, &length);
    if (rank == 0) all = (char *)malloc((size_t)ranks * sizeof name);
    if (rank == 0 && !all) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(name, (int)sizeof name, MPI_CHAR, all, (int)sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (r = 0; rank == 0 && r < ranks; r++) {
        for (i = 0; i < n->hosts && strcmp(servet_network_name(n, i), all + (size_t)r * sizeof name); i++) { }
        node[r] = i;
        if (i < n->hosts || !good) continue;
        fprintf(stderr, "mpi_kernels: %s: no host of the profile\n", all + (size_t)r * sizeof name);
        good = 0;
    }
    free(all);
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

int main(int argc, char **argv)
{
    static servet_network n;            /* large */
    static int node[SERVET_NETWORK_RANKS];
    double bytes = 1e6, ns[TIMES];
    const char *from = NULL, *wrong = NULL;
    char *room;
    servet_message m;
    int i, k, rank, ranks, times = 3, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = 1; i < argc && !wrong; i += 2) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        const int positive = value && end != value && !*end && number >= 1 && number <= 1e9;
        if (!strcmp(argv[i], "--load") && value) from = value;
        else if (!strcmp(argv[i], "--bytes") && positive) bytes = number;
        else if (!strcmp(argv[i], "--times") && positive && number <= (int)TIMES) times = (int)number;
        else wrong = argv[i];
    }
    if (wrong && rank == 0)
        fprintf(stderr, "mpi_kernels: %s: not understood, or its value is missing or wrong: mpi_kernels [--bytes N]"
                " [--times N, to 99] [--load FILE]\n", wrong);
    if (!wrong && (ranks < 2 || (ranks & (ranks - 1)) || ranks > SERVET_NETWORK_RANKS)) {
        wrong = "";
        if (rank == 0) fprintf(stderr, "mpi_kernels: %d processes: it takes 2, 4, 8 ... 4096\n", ranks);
    }
    if (!wrong && from && rank == 0) good = load(&n, from);
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!wrong && from && good) good = places(node, &n, ranks);
    if (wrong || !good) {
        MPI_Finalize();
        return 2;
    }
    room = (char *)calloc(2, (size_t)bytes + 8);
    if (!room) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) printf("%-6s %12s%s\n", "kernel", "ms", from ? "    predicted" : "");
    for (k = 0; k < KERNELS; k++) {
        for (i = -1; i < times; i++) {
            const double s = run(k, room, room + (size_t)bytes + 8, bytes);
            if (i >= 0) ns[i] = 1e9 * s;
        }
        servet_mpi_summary(&m, ns, times);
        if (rank == 0) printf("%-6s %12.4f", word[k], m.median_ns / 1e6);
        if (rank == 0 && from) printf(" %12.4f", 1e3 * predict(&n, node, k, ranks, bytes));
        if (rank == 0) printf("\n");
    }
    free(room);
    i = rank == 0 ? message_written("mpi_kernels") : 0;
    MPI_Finalize();
    return i;
}

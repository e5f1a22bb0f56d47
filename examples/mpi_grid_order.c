/* mpi_grid_order.c - should neighbouring ranks be neighbours along the rows of a process grid, or along its columns?
 *
 *     mpicc -O2 examples/mpi_grid_order.c -I. -lm -pthread -o mpi_grid_order && mpirun -n 16 ./mpi_grid_order
 *         [--rows P] [--bytes N] [--times N] [--load FILE]
 *
 * Servet 3.0, section 6.1 and Figure 6: the triangular solve X * U = B on a grid of P x Q processes, each with a block
 * of B and X of N bytes, U upper triangular of Q x Q such blocks.  Step k: the blocks of U on and right of the diagonal
 * are broadcast down their columns; column k of X is solved and broadcast along all rows; what is left of B is updated.
 * All of it is run with ranks along rows first, and along columns first: communications (the broadcasts),
 * synchronisations before them and computations timed apart, and X * U compared with B.  What servet_network_grid
 * predicts, by layers and ratios measured here or taken from a profile (-: of this machine), is printed beside the gain
 * in broadcasts and the synchronisations that wait for them. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ORDER, COLUMN_ORDER, ORDERS, TIMES = 99 };
enum { COMMUNICATION, SYNCHRONISATION, COMPUTATION, NETWORK, WHOLE, PARTS };    /* NETWORK: the first two */

/* A process of the grid.  Blocks are n x n, row-major. */
typedef struct solver {
    MPI_Comm line[2];                   /* along my row, and along my column                        */
    int rows, columns, row, column, n;
    double *b, *x, *u, *of_column;      /* mine of B and X; U of this step, X of its column, from others */
    double *mine;                       /* blocks of U that lie here: rows k, k + rows, ... of my column */
    double since, spent[PARTS];
} solver;

/* Anything that is the same everywhere: -1 to 1, by place of the matrix. */
static double entry(int which, int i, int j)
{
    uint64_t seed = ((uint64_t)which << 60) + ((uint64_t)i << 30) + (uint64_t)j;
    return 2 * servet_stats_random_unit(&seed) - 1;
}

/* U of n_all rows is nearly diagonal, so that X is about as large as B. */
static double entry_of_u(int i, int j, int n_all) { return i == j ? 2 : i < j ? entry(0, i, j) / n_all : 0; }

static void lap(solver *s, int part)
{
    const double now = MPI_Wtime();
    s->spent[part] += now - s->since;
    s->since = now;
}

/* All of a line wait for each other, and then for the block of one of them. */
static void broadcast(solver *s, double *block, int from, int along)
{
    MPI_Barrier(s->line[along]);
    lap(s, SYNCHRONISATION);
    MPI_Bcast(block, s->n * s->n, MPI_DOUBLE, from, s->line[along]);
    lap(s, COMMUNICATION);
}

/* x = b / u, u upper triangular. */
static void divide(double *x, const double *b, const double *u, int n)
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        double *row = x + (size_t)i * (size_t)n;
        memcpy(row, b + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        for (k = 0; k < n; k++) {
            const double *of = u + (size_t)k * (size_t)n;
            row[k] /= of[k];
            for (j = k + 1; j < n; j++) row[j] -= row[k] * of[j];
        }
    }
}

/* b -= x * u. */
static void update(double *b, const double *x, const double *u, int n)
{
    int i, j, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++) {
            const double *of = u + (size_t)k * (size_t)n, by = x[(size_t)i * (size_t)n + (size_t)k];
            double *row = b + (size_t)i * (size_t)n;
            for (j = 0; j < n; j++) row[j] -= by * of[j];
        }
}

static void fill(const solver *s)
{
    const int n = s->n, n_all = n * s->columns;
    double *of_u = s->mine;
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            s->b[(size_t)i * (size_t)n + (size_t)j] = entry(1, s->row * n + i, s->column * n + j);
    for (k = s->row; k <= s->column; k += s->rows)
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) *of_u++ = entry_of_u(k * n + i, s->column * n + j, n_all);
}

static void solve(solver *s)
{
    const size_t block = (size_t)s->n * (size_t)s->n;
    int k;
    fill(s);
    memset(s->spent, 0, sizeof s->spent);
    MPI_Barrier(MPI_COMM_WORLD);
    s->since = MPI_Wtime();
    for (k = 0; k < s->columns; k++) {
        double *u = s->row == k % s->rows ? s->mine + (size_t)(k / s->rows) * block : s->u;
        double *x = s->column == k ? s->x : s->of_column;
        if (s->column >= k) broadcast(s, u, k % s->rows, 1);
        if (s->column == k) divide(x, s->b, u, s->n);
        lap(s, COMPUTATION);
        broadcast(s, x, k, 0);
        if (s->column > k) update(s->b, x, u, s->n);
        lap(s, COMPUTATION);
    }
    s->spent[NETWORK] = s->spent[COMMUNICATION] + s->spent[SYNCHRONISATION];
    s->spent[WHOLE] = s->spent[NETWORK] + s->spent[COMPUTATION];
}

/* The largest of |X * (U * v) - B * v| over what rounding may make of it, v any vector: below 1 if X is right, but for
 * a chance that no one has.  HUGE_VAL without memory. */
static double wrong(const solver *s)
{
    const int n = s->n, n_all = n * s->columns;
    double *side = (double *)calloc(3 * (size_t)n, sizeof *side), *u_v = side + n, *sum = u_v + n, most = 0, all;
    int i, j, have = side != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!have) {
        free(side);
        return HUGE_VAL;
    }
    for (i = 0; i < n; i++)             /* my part of U v */
        for (j = s->column * n + i; j < n_all; j++) u_v[i] += entry_of_u(s->column * n + i, j, n_all) * entry(2, 0, j);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            side[i] += s->x[(size_t)i * (size_t)n + (size_t)j] * u_v[j]
                       - entry(1, s->row * n + i, s->column * n + j) * entry(2, 0, s->column * n + j);
    MPI_Allreduce(side, sum, n, MPI_DOUBLE, MPI_SUM, s->line[0]);
    for (i = 0; i < n; i++) most = sum[i] < 0 ? (-sum[i] > most ? -sum[i] : most) : sum[i] > most ? sum[i] : most;
    for (i = 0; i < n; i++) if (!(sum[i] <= 0 || sum[i] > 0)) most = HUGE_VAL;    /* no number */
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    free(side);
    return all / (4.0 * n_all * DBL_EPSILON);
}

/* Where I am in both orders, and room for the blocks. */
static int begin(solver *s, int rows, int columns, int n)
{
    const size_t block = (size_t)n * (size_t)n;
    int k, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (k = 0; k < ORDERS; k++) {
        memset(&s[k], 0, sizeof s[k]);
        s[k].rows = rows;
        s[k].columns = columns;
        s[k].n = n;
        s[k].row = k == ROW_ORDER ? rank / columns : rank % rows;
        s[k].column = k == ROW_ORDER ? rank % columns : rank / rows;
        MPI_Comm_split(MPI_COMM_WORLD, s[k].row, s[k].column, &s[k].line[0]);
        MPI_Comm_split(MPI_COMM_WORLD, s[k].column, s[k].row, &s[k].line[1]);
    }
    s[0].b = (double *)calloc((4 + (size_t)((columns + rows - 1) / rows)) * block, sizeof *s[0].b);
    k = s[0].b != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &k, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!k) return 0;
    for (k = 0; k < ORDERS; k++) {
        s[k].b = s[0].b;
        s[k].x = s[k].b + block;
        s[k].u = s[k].x + block;
        s[k].of_column = s[k].u + block;
        s[k].mine = s[k].of_column + block;
    }
    return 1;
}

/* By turns, once to warm up: mean time of processes, the whole that of the slowest.  Returns how wrong the worst is. */
static double measure(servet_message m[ORDERS][PARTS], solver *s, int times)
{
    static double ns[ORDERS][PARTS][TIMES];
    double all[PARTS], worst = 0, is;
    int i, k, part, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = -1; i < times; i++)
        for (k = 0; k < ORDERS; k++) {
            solve(&s[k]);
            MPI_Allreduce(s[k].spent, all, WHOLE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            for (part = 0; part < WHOLE; part++) all[part] /= ranks;
            MPI_Allreduce(&s[k].spent[WHOLE], &all[WHOLE], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            /* of a clock that stands still while ranks compute a part takes no time: it is less than a nanosecond */
            for (part = 0; part < PARTS && i >= 0; part++) ns[k][part][i] = all[part] > 1e-9 ? 1e9 * all[part] : 1;
            if (i >= 0 && i < times - 1) continue;
            is = wrong(&s[k]);
            worst = is > worst ? is : worst;
        }
    for (k = 0; k < ORDERS; k++)
        for (part = 0; part < PARTS; part++) servet_mpi_summary(&m[k][part], ns[k][part], times);
    return worst;
}

static void print_over(const char *what, const servet_message *column, const servet_message *row)
{
    printf("%s x%.3f [%.3f, %.3f]", what, column->median_ns / row->median_ns, column->lo_ns / row->hi_ns,
           column->hi_ns / row->lo_ns);
}

static void print(servet_message m[ORDERS][PARTS], const solver *s, int advice, const int *order, const double *cost)
{
    static const char *const word[] = { "row order", "column order" };
    const double bytes = 8.0 * s->n * s->n;
    int k, part;
    printf("%d x %d grid, blocks of %d x %d, %.0f bytes: %d broadcasts along rows, %d along columns\n", s->rows,
           s->columns, s->n, s->n, bytes, s->rows * s->columns, s->columns * (s->columns + 1) / 2);
    printf("%-13s %12s %16s %12s %12s\n", "ms, mean", "broadcasts", "synchronisation", "computation", "slowest");
    for (k = 0; k < ORDERS; k++) {
        printf("%-13s", word[k]);
        for (part = 0; part < PARTS; part++)
            if (part != NETWORK) printf(" %*.3f", part == SYNCHRONISATION ? 16 : 12, m[k][part].median_ns / 1e6);
        printf("\n");
    }
    if (advice < 0) printf("no advice: %s\n", servet_status_text(advice));
    else printf("advice: %s; ", advice == 0 ? "nothing to choose" : word[order[0]]);
    printf("column order over row order: ");
    if (advice >= 0) printf("predicted x%.3f, ", cost[COLUMN_ORDER] / cost[ROW_ORDER]);
    print_over("measured", &m[COLUMN_ORDER][NETWORK], &m[ROW_ORDER][NETWORK]);
    print_over("; broadcasts alone", &m[COLUMN_ORDER][COMMUNICATION], &m[ROW_ORDER][COMMUNICATION]);
    print_over("; the whole", &m[COLUMN_ORDER][WHOLE], &m[ROW_ORDER][WHOLE]);
    printf("\n");
}

/* The network, at rank 0: measured, or from a profile, with a line where that cannot be had. */
static int network(servet_network *n, const char *from, double bytes)
{
    servet_profile p;
    char error[SERVET_TEXT_MAX] = "";
    servet_mpi_opts o;
    int status = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(&o, 0, sizeof o);
    o.parts = SERVET_MPI_LAYERS | SERVET_MPI_DISTANCE | SERVET_MPI_ACCESS;
    o.ratio_bytes = (size_t)bytes;
    if (!from) o.trip_bytes = message_bytes(MPI_COMM_WORLD, 0, NULL);
    if (!from) return servet_mpi_measure(rank == 0 ? n : NULL, MPI_COMM_WORLD, &o);
    if (rank == 0 && !strcmp(from, "-")) status = servet_profile_open(&p, NULL, NULL);
    else if (rank == 0) status = servet_profile_load(&p, from, error);
    if (rank == 0 && status < 0)
        fprintf(stderr, "mpi_grid_order: %s: %s %s\n", from, servet_status_text(status), error);
    if (rank == 0 && status >= 0) {
        if (p.network) *n = *p.network;
        servet_profile_free(&p);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/* The first argument that is not understood, or NULL. */
static const char *arguments(int argc, char **argv, int ranks, int *rows, double *bytes, int *times, const char **from)
{
    int i;
    for (i = 1; i < argc; i += 2) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        const int positive = value && end != value && !*end && number >= 1 && number <= 1e9;
        if (!strcmp(argv[i], "--load") && value) *from = value;
        else if (!strcmp(argv[i], "--bytes") && positive) *bytes = number;
        else if (!strcmp(argv[i], "--times") && positive && number <= (int)TIMES) *times = (int)number;
        else if (!strcmp(argv[i], "--rows") && positive && ranks % (int)number == 0) *rows = (int)number;
        else return argv[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static servet_network n;            /* large */
    solver s[ORDERS];
    servet_message m[ORDERS][PARTS];
    double weight[2], cost[ORDERS] = { 0, 0 }, bytes = 1e6, is;
    const char *from = NULL, *not_understood;
    int size[2], order[2] = { 0, 1 }, rows = 0, columns, side = 1, times = 9, rank, ranks, advice, i, code = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    not_understood = arguments(argc, argv, ranks, &rows, &bytes, &times, &from);
    if (not_understood) {
        if (rank == 0)
            fprintf(stderr, "mpi_grid_order: %s: not understood, or its value is missing or wrong: mpi_grid_order"
                    " [--rows P, which divides the ranks] [--bytes N] [--times N, to 99] [--load FILE]\n",
                    not_understood);
        MPI_Finalize();
        return 2;
    }
    for (columns = i = 1; i * i <= ranks; i++) if (ranks % i == 0) columns = ranks / i;    /* the squarest */
    if (rows == 0) rows = ranks / columns;
    columns = ranks / rows;
    while (8.0 * (side + 1) * (side + 1) <= bytes) side++;
    bytes = 8.0 * side * side;
    advice = network(&n, from, bytes);
    if (from && advice < 0) {
        MPI_Finalize();
        return 2;
    }
    size[0] = columns;                                      /* along a row */
    size[1] = rows;
    weight[0] = bytes * rows * columns;                     /* of all its broadcasts */
    weight[1] = bytes * columns * (columns + 1) / 2.0;
    if (rank == 0 && advice >= 0) advice = servet_network_grid(order, NULL, cost, &n, size, weight, 2);
    if (begin(s, rows, columns, side)) {
        is = measure(m, s, times);
        if (rank == 0) print(m, s, advice, order, cost);
        if (rank == 0) printf("X * U - B: %s, %.3g of what rounding may make of it\n", is < 1 ? "right" : "WRONG", is);
        code = !(is < 1);
    } else {
        if (rank == 0) fprintf(stderr, "mpi_grid_order: no memory for blocks\n");
        code = 1;
    }
    for (i = 0; i < 2 * ORDERS; i++) MPI_Comm_free(&s[i / 2].line[i % 2]);
    free(s[0].b);
    MPI_Bcast(&advice, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (advice < 0 && advice != SERVET_EUNRESOLVED) code = 1;
    if (rank == 0 && code == 0) code = message_written("mpi_grid_order");
    MPI_Finalize();
    return code;
}

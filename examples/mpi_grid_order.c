/* mpi_grid_order.c - should neighbouring ranks be neighbours along the rows of a process grid, or along its columns?
 *
 *     mpicc -O2 examples/mpi_grid_order.c -I. -lm -pthread -o mpi_grid_order && mpirun -n 16 ./mpi_grid_order
 *         [--rows P] [--bytes N] [--load FILE]
 *
 * Servet 3.0, section 6.1: the triangular solve X * U = B on a grid of P x Q processes with a block on each.  In step k
 * the blocks of U right of the diagonal are broadcast down their columns, fewer in each step, and the k-th column of X
 * along all rows.  The advice is that of servet_network_grid, by layers and ratDist measured here or taken from a
 * profile (-: of this machine); then the broadcasts are run both ways.  A row-ordered grid: neighbours are in a row. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static servet_network n;        /* large */

enum { ROW_ORDER, COLUMN_ORDER, ORDERS, TIMES = 9 };

/* All broadcasts of a solve, in ns until the last rank has had the last. */
static double solve(MPI_Comm row, MPI_Comm column, int my_column, int rows, int columns, char *block, int bytes)
{
    double begun, took, last = 0;
    int k;
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    for (k = 0; k < columns; k++) {
        if (my_column >= k) MPI_Bcast(block, bytes, MPI_CHAR, k % rows, column);
        MPI_Bcast(block, bytes, MPI_CHAR, k, row);
    }
    took = 1e9 * (MPI_Wtime() - begun);
    MPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

int main(int argc, char **argv)
{
    servet_profile p;
    servet_mpi_opts o;
    servet_message m[ORDERS];
    MPI_Comm row[ORDERS], column[ORDERS];
    double ns[ORDERS][TIMES], weight[2], cost[ORDERS] = { 0, 0 }, bytes = 1e6;
    const char *from = NULL, *wrong = NULL;
    char error[SERVET_TEXT_MAX] = "", *block;
    int size[2], order[2], my_column[ORDERS], rows = 0, columns, rank, ranks, have, status = 0, advice = 0, i, k;
    memset(&o, 0, sizeof o);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = 1; i < argc && !wrong; i += 2) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        const int positive = value && end != value && !*end && number >= 1 && number <= 1e9;
        if (!strcmp(argv[i], "--load") && value) from = value;
        else if (!strcmp(argv[i], "--bytes") && positive) bytes = number;
        else if (!strcmp(argv[i], "--rows") && positive && ranks % (int)number == 0) rows = (int)number;
        else wrong = argv[i];
    }
    for (columns = i = 1; i * i <= ranks; i++) if (ranks % i == 0) columns = ranks / i;    /* the squarest */
    if (rows == 0) rows = ranks / columns;
    if (wrong) {
        if (rank == 0)
            fprintf(stderr, "mpi_grid_order: %s: not understood, or its value is missing or wrong: mpi_grid_order"
                    " [--rows P, which divides the ranks] [--bytes N] [--load FILE]\n", wrong);
        MPI_Finalize();
        return 2;
    }
    columns = ranks / rows;
    o.parts = SERVET_MPI_LAYERS | SERVET_MPI_DISTANCE | SERVET_MPI_ACCESS;
    o.ratio_bytes = (size_t)bytes;
    if (!from) status = servet_mpi_measure(rank == 0 ? &n : NULL, MPI_COMM_WORLD, &o);
    else if (rank == 0 && !strcmp(from, "-")) status = servet_profile_open(&p, NULL, NULL);
    else if (rank == 0) status = servet_profile_load(&p, from, error);
    if (from && rank == 0 && status >= 0) {
        if (p.network) n = *p.network;
        servet_profile_free(&p);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    size[0] = columns;                                      /* along a row */
    size[1] = rows;
    weight[0] = bytes * rows * columns * (columns - 1);     /* a block to each of the others, as often as broadcast */
    weight[1] = bytes * columns * (columns + 1) / 2.0 * (rows - 1);
    if (rank == 0 && status >= 0) advice = servet_network_grid(order, NULL, cost, &n, size, weight, 2);

    block = (char *)calloc((size_t)bytes, 1);
    i = block != NULL;
    MPI_Allreduce(&i, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (k = 0; k < ORDERS; k++) {
        const int my_row = k == ROW_ORDER ? rank / columns : rank % rows;
        my_column[k] = k == ROW_ORDER ? rank % columns : rank / rows;
        MPI_Comm_split(MPI_COMM_WORLD, my_row, my_column[k], &row[k]);
        MPI_Comm_split(MPI_COMM_WORLD, my_column[k], my_row, &column[k]);
    }
    for (i = -1; i < TIMES; i++)                            /* once to warm up, then by turns */
        for (k = 0; k < ORDERS && have; k++) {
            const double took = solve(row[k], column[k], my_column[k], rows, columns, block, (int)bytes);
            if (i >= 0) ns[k][i] = took;
        }
    for (k = 0; k < ORDERS; k++) {
        MPI_Comm_free(&row[k]);
        MPI_Comm_free(&column[k]);
        if (have) servet_mpi_summary(&m[k], ns[k], TIMES);
    }
    if (rank == 0 && have) {
        printf("%d x %d grid, blocks of %.0f bytes: %d broadcasts along rows, %d along columns\n", rows, columns,
               bytes, rows * columns, columns * (columns + 1) / 2);
        for (k = 0; k < ORDERS; k++)
            printf("%-13s %9.3f ms [%.3f, %.3f]\n", k == ROW_ORDER ? "row order" : "column order", m[k].median_ns / 1e6,
                   m[k].lo_ns / 1e6, m[k].hi_ns / 1e6);
        if (status < 0 || advice < 0)
            printf("no advice: %s %s\n", servet_status_text(status < 0 ? status : advice), error);
        else
            printf("advice: %s; column order over row order: predicted x%.3f, measured x%.3f [%.3f, %.3f]\n",
                   advice == 0 ? "nothing to choose" : order[0] == 0 ? "row order" : "column order",
                   cost[COLUMN_ORDER] / cost[ROW_ORDER], m[COLUMN_ORDER].median_ns / m[ROW_ORDER].median_ns,
                   m[COLUMN_ORDER].lo_ns / m[ROW_ORDER].hi_ns, m[COLUMN_ORDER].hi_ns / m[ROW_ORDER].lo_ns);
    }
    if (rank == 0 && !have) fprintf(stderr, "mpi_grid_order: no memory for a block\n");
    free(block);
    MPI_Finalize();
    return status < 0 || !have;
}

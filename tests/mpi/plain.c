/* plain - what a few lines of MPI find, for comparison with what servet_mpi.h says; knows nothing of it
 *
 *     plain pairs [BYTES...]      pair A B BYTES MICROSECONDS: half of a round trip, all pairs by turns
 *     plain shift BYTES           shift D LAST MEAN: time at distance D over that at 1 while all send to rank + D,
 *                                 of the last to have its message, and the mean of all
 *     plain share BYTES           share K LAST MEAN: the same by K ranks of each node of the first half over one
 *     plain load A B STEP BYTES   load K MICROSECONDS: K ranks A, A + STEP, ... send to B, B + STEP, ... at once
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAKES = 5 };

static int rank, ranks;
static char *data;

static double least(const double *t)
{
    double x = t[0];
    int i;
    for (i = 1; i < TAKES; i++)
        if (t[i] < x) x = t[i];
    return x;
}

static void send_to(int to, int bytes)  { MPI_Send(data, bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD); }
static void take_from(int from, int bytes)
{
    MPI_Recv(data, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double trip(int a, int b, int bytes)
{
    double t[TAKES] = {0}, start;
    int i;
    for (i = -1; i < TAKES; i++) {
        start = MPI_Wtime();
        if (rank == a) { send_to(b, bytes); take_from(b, bytes); }
        else           { take_from(a, bytes); send_to(a, bytes); }
        if (i >= 0) t[i] = (MPI_Wtime() - start) / 2;
    }
    return least(t);
}

/* Seconds until the last of all has its message; *mean: until those who get one have it.  -1 = this rank does not. */
static double together(int from, int to, int bytes, double *mean)
{
    double t[TAKES], sums[TAKES], own, start;
    char *other = (char *)malloc((size_t)bytes);
    MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
    int i, all = 0, one = from >= 0;
    if (!other) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (i = -1; i < TAKES; i++) {
        const int at = i < 0 ? 0 : i;
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        if (from >= 0) MPI_Irecv(other, bytes, MPI_BYTE, from, 2, MPI_COMM_WORLD, &in);
        if (to >= 0) MPI_Isend(data, bytes, MPI_BYTE, to, 2, MPI_COMM_WORLD, &out);
        MPI_Wait(&in, MPI_STATUS_IGNORE);
        own = from >= 0 ? MPI_Wtime() - start : 0;
        MPI_Wait(&out, MPI_STATUS_IGNORE);
        MPI_Allreduce(&own, &t[at], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&own, &sums[at], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(other);
    *mean = least(sums) / all;
    return least(t);
}

static void pairs(int count, char **sizes)
{
    int a, b, i;
    for (a = 0; a < ranks; a++)
        for (b = a + 1; b < ranks; b++)
            for (i = 0; i < count; i++) {
                double t = 0;
                if (rank == a || rank == b) t = trip(a, b, atoi(sizes[i]));
                if (rank == a && a > 0) MPI_Send(&t, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
                if (rank == 0 && a > 0) MPI_Recv(&t, 1, MPI_DOUBLE, a, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (rank == 0) printf("pair %d %d %s %.6f\n", a, b, sizes[i], 1e6 * t);
                MPI_Barrier(MPI_COMM_WORLD);
            }
}

int main(int argc, char **argv)
{
    const char *what;
    double first = 0, first_mean = 0, t, mean;
    int most = 0, i, k;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    what = argc > 1 ? argv[1] : "";
    for (i = 2; i < argc; i++)
        if (atoi(argv[i]) > most) most = atoi(argv[i]);
    data = (char *)calloc(1, (size_t)most + 1);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    if (!strcmp(what, "pairs")) pairs(argc - 2, argv + 2);
    if (!strcmp(what, "shift") && argc == 3)
        for (k = 1; k <= ranks / 2; k++) {
            t = together((rank - k + ranks) % ranks, (rank + k) % ranks, most, &mean);
            if (k == 1) { first = t; first_mean = mean; }
            if (rank == 0) printf("shift %d %.4f %.4f\n", k, t / first, mean / first_mean);
        }
    if (!strcmp(what, "share") && argc == 3) {
        MPI_Comm node;
        int place, size;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        MPI_Comm_rank(node, &place);
        MPI_Comm_size(node, &size);
        MPI_Comm_free(&node);
        for (k = 1; k <= size; k++) {
            int other = (rank + ranks / 2) % ranks, sends = rank < ranks / 2;
            t = together(place < k && !sends ? other : -1, place < k && sends ? other : -1, most, &mean);
            if (k == 1) { first = t; first_mean = mean; }
            if (rank == 0) printf("share %d %.4f %.4f\n", k, t / first, mean / first_mean);
        }
    }
    if (!strcmp(what, "load") && argc == 6) {
        int a = atoi(argv[2]), b = atoi(argv[3]), step = atoi(argv[4]), bytes = atoi(argv[5]);
        for (k = 1; a + (k - 1) * step < b && b + (k - 1) * step < ranks; k++) {
            int sends = rank >= a && rank < b && (rank - a) % step == 0 && (rank - a) / step < k;
            int takes = rank >= b && (rank - b) % step == 0 && (rank - b) / step < k;
            t = together(takes ? rank - b + a : -1, sends ? rank - a + b : -1, bytes, &mean);
            if (rank == 0) printf("load %d %.4f\n", k, 1e6 * t);
        }
    }
    free(data);
    MPI_Finalize();
    return 0;
}

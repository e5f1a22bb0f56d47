/* mpi_rounds - your own rounds of messages: what a halo exchange costs when all ranks make theirs at once
 *
 *     mpirun -n 8 build/mpi_rounds [BYTES, or as large as the first cache]
 *
 * Rank 0 says which messages are under way together, and the other ranks serve.  Here each rank sends to the next, at
 * one moment, as a stencil code does at each step; beside it, one such message alone.  The last to arrive is what the
 * code waits for.
 */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 20, MOST = 200 };    /* samples */

/* Messages from each of so many ranks to the next, all at once. */
static int play(servet_message *last, const servet_mpi_network *net, size_t bytes, int count)
{
    static servet_mpi_transfer transfer[SERVET_NETWORK_RANKS];
    servet_mpi_round r;
    int i, status;
    memset(&r, 0, sizeof r);
    for (i = 0; i < count; i++) {
        transfer[i].from = i;
        transfer[i].to = (i + 1) % net->ranks;
    }
    r.kind = SERVET_MESSAGE_STREAM;
    r.bytes = bytes;
    r.together = 1;
    r.least = LEAST;
    r.most = MOST;
    r.count = count;
    r.transfer = transfer;
    status = net->exchange(net->context, &r);
    *last = r.last;
    return status;
}

static int conduct(void *ctx, const servet_mpi_network *net)    /* at rank 0 */
{
    const size_t bytes = *(const size_t *)ctx;
    servet_message alone, all;
    int status = net->ranks < 2 ? SERVET_EUNRESOLVED : play(&alone, net, bytes, 1);
    if (status >= 0) status = play(&all, net, bytes, net->ranks);
    if (status < 0) return status;
    printf("%.0f bytes from one rank to the next: alone %.2f us [%.2f, %.2f], the last of %d at once %.2f us "
           "[%.2f, %.2f], %.2f times\n", (double)bytes, alone.median_ns / 1e3, alone.lo_ns / 1e3, alone.hi_ns / 1e3,
           net->ranks, all.median_ns / 1e3, all.lo_ns / 1e3, all.hi_ns / 1e3, all.median_ns / alone.median_ns);
    return SERVET_OK;
}

int main(int argc, char **argv)
{
    double told = 0;
    char *rest = NULL;
    size_t bytes;
    int rank, status, code;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) told = strtod(argv[1], &rest);
    if (argc > 2 || (rest && *rest) || (argc > 1 && !(told >= 1 && told <= 1e9))) {
        if (rank == 0) fprintf(stderr, "mpi_rounds: BYTES is a size from 1 to 1e9\n");
        MPI_Finalize();
        return 2;
    }
    bytes = message_bytes(MPI_COMM_WORLD, (size_t)told, NULL);
    status = servet_mpi_conduct(MPI_COMM_WORLD, NULL, conduct, &bytes);
    if (rank == 0 && status < 0) fprintf(stderr, "mpi_rounds: %s\n", servet_status_text(status));
    code = status < 0 ? 1 : rank == 0 ? message_written("mpi_rounds") : 0;
    MPI_Finalize();
    return code;
}

/* mpi_automaton.c - does adding ranks pay here, and what stops it?
 *
 *     mpicc -O2 examples/mpi_automaton.c -I. -lm -pthread -o mpi_automaton && mpirun -n 16 ./mpi_automaton
 *         [--KEY VALUE ...] [--config FILE] [--csv | --xml]
 *
 * As automaton.c, by 1, 2, 4 ... and all ranks: edges go through the network. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#define AUTOMATON_NAME "mpi_automaton"
#include "automaton.h"

int main(int argc, char **argv)
{
    servet_automaton *result = (servet_automaton *)calloc(1, sizeof *result);
    servet_automaton_opts o;
    int form = -1, rank, code = 0, status = SERVET_ENOMEM;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    automaton_signals();    /* at every rank, as launchers send them to all; rank 0 is asked */
    if (rank == 0) code = automaton_arguments(&o, &form, argc, argv);
    if (rank == 0 && code == 0 && form >= AUTOMATON_KERNEL) {
        fprintf(stderr, "mpi_automaton: --kernel: the kernel alone needs no ranks: automaton\n");
        code = 2;
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (code == 0) {
        if (rank == 0) automaton_caches(&o);
        o.run.stop = automaton_stop;
        if (result) status = servet_mpi_automaton(result, MPI_COMM_WORLD, rank == 0 ? &o : NULL);
        if (rank == 0 && status < 0)
            fprintf(stderr, "mpi_automaton: %s\n", status == SERVET_EINVAL
                    ? "a grid smaller than its workers, or too large" : servet_status_text(status));
        if (rank == 0 && status >= 0) code = automaton_print(result, form);
        if (status < 0) code = status == SERVET_EINVAL ? 2 : 1;
    }
    MPI_Finalize();
    free(result);
    return code;
}

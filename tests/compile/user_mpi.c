/* A program that uses servet_mpi.h, compiled as C and as C++ by tests/mpi/header.sh in every way users do.
 *
 *   -DLAST      other headers come first, as in most programs
 *   -DUSER      uses only: another unit implements
 *   -DHALF      implements the half with MPI: another unit has servet.h's
 *   -DOTHER     is that unit
 *   -DLATE      a header included it already, without the define
 *   -DTWO       calls the unit compiled with -DSECOND
 *   SERVET_*    as documented, from the command line
 *
 * It calls what it claims to have, for a misspelt macro would pass otherwise; and exits with 0 if all is right.
 */
#if defined(LAST)
#  if !defined(SERVET_MPI_OFFLINE) && !defined(SERVET_PURE_ONLY)
#    include <mpi.h>
#  endif
#  include <stdio.h>
#  include <stdlib.h>
#  include <string.h>
#  include <unistd.h>
#  if defined(__cplusplus)
#    include <vector>
#  endif
#endif
#if defined(LATE)
#  include "servet_mpi.h"
#endif
#if defined(HALF)
#  define SERVET_MPI_IMPLEMENTATION
#elif !defined(USER) && !defined(SERVET_IMPLEMENTATION)
#  define SERVET_IMPLEMENTATION
#endif
#if defined(OTHER)
#  include "servet.h"
#else
#  include "servet_mpi.h"
#  include "servet_mpi.h"   /* twice, as by way of another header */
#  include "servet.h"       /* and what it includes */
#endif
#include <stdio.h>

#if defined(OTHER)
int other_unit(void);
int other_unit(void) { return 0; }
#else

#define CHECK(cond) \
    do { if (!(cond)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); return 1; } } while (0)

static int check_pure(void)
{
    static servet_mpi_opts opts;   /* C++ warns of {0}, and C before C23 has no {} */
    static servet_mpi_round around;
    static servet_mpi_network net;
    static servet_network n;       /* large, and so the interface's sizes are met in every dialect */
    double ns[5];
    servet_message m;
    int i;

    for (i = 0; i < 5; i++) ns[i] = 5 - i;
    CHECK(servet_mpi_summary(&m, ns, 5) == SERVET_OK);
    CHECK(m.samples == 5 && m.min_ns > 1 - 1e-9 && m.min_ns < 1 + 1e-9 && m.median_ns > 3 - 1e-9);
    CHECK(servet_mpi_summary(&m, ns, 0) == SERVET_EINVAL);
    CHECK(around.count == 0 && net.ranks == 0 && opts.parts == 0 && SERVET_MPI_ACCESS == 16);
    CHECK(servet_mpi_infer(&n, &opts) < 0);
    return 0;
}

#if !defined(SERVET_PURE_ONLY) && !defined(SERVET_MPI_OFFLINE) && !defined(SECOND)
#if defined(__cplusplus)
extern "C"
#endif
int count_ranks(void *ctx, const servet_mpi_network *net);
int count_ranks(void *ctx, const servet_mpi_network *net)
{
    *(int *)ctx = net->ranks;
    return SERVET_OK;
}

static int check_mpi(int *argc, char ***argv)
{
    static servet_network n;
    int ranks = 0;
    MPI_Init(argc, argv);
    CHECK(servet_mpi_conduct(MPI_COMM_WORLD, NULL, count_ranks, &ranks) == SERVET_OK);
    CHECK(ranks == 1);
    CHECK(servet_mpi_measure(&n, MPI_COMM_NULL, NULL) < 0);
    MPI_Finalize();
    return 0;
}
#endif

#if defined(__cplusplus)
extern "C"
#endif
int second_unit(void);

#if defined(SECOND)   /* half of a program */
int second_unit(void)
{
    return check_pure();
}
#else
int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
#  if defined(TWO)    /* the other half */
    CHECK(second_unit() == 0);
#  endif
#  if !defined(SERVET_PURE_ONLY) && !defined(SERVET_MPI_OFFLINE)
    CHECK(check_mpi(&argc, &argv) == 0);
#  endif
    return check_pure();
}
#endif
#endif

/* message.h - how large messages of MPI examples are where nobody says so: as the first cache (Servet 2010, III-D) */
#ifndef SERVET_EXAMPLES_MESSAGE_H
#define SERVET_EXAMPLES_MESSAGE_H

#include "servet_mpi.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Ranks that wait sleep, so that the one that measures has the node. */
static inline void message_rest(MPI_Comm comm)
{
    const struct timespec pause = { 0, 1000000 };
    MPI_Request r;
    int done = 0;
    MPI_Ibarrier(comm, &r);
    while (MPI_Test(&r, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) nanosleep(&pause, NULL);
}

/* The first cache of this node, and whence: of p, where it has caches, else of the node's profile, else measured now.
 * Nodes of a simulator are not this one. */
static inline double message_of_cache(const servet_profile *p, const char **from)
{
    servet_question q;
    servet_answer a;
    servet_profile own;
    memset(&q, 0, sizeof q);
    memset(&own, 0, sizeof own);
    q.what = SERVET_ASK_BYTES;
    q.level = 1;
    if (!p || p->cache_count == 0) p = NULL;
#if !defined(SERVET_MPI_BLOCKING)
    if (!p) {
        servet_profile_opts o;
        memset(&o, 0, sizeof o);
        o.no_save = 1;          /* by the CPUs of one rank: the file may be that of all */
        if (servet_profile_open(&own, NULL, &o) >= 0) p = &own;
    }
#endif
    if (servet_ask(&a, p, &q) < 0) memset(&a, 0, sizeof a);
    *from = a.source == SERVET_SOURCE_OS ? "the first cache, as the system says"
          : a.source != SERVET_SOURCE_MEASURED ? "by default, as the first cache is not known"
          : own.loaded ? "the first cache, measured, of the profile" : "the first cache, measured";
    servet_profile_free(&own);
    return a.value;
}

/* Bytes of a message, told or (0) by the first cache of rank 0's node, which p may be of; rank 0 prints them.
 *                                                                                                     [collective] */
static inline size_t message_bytes(MPI_Comm comm, size_t told, const servet_profile *p)
{
    const char *from = "as told";
    double bytes = (double)told;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0 && !told) bytes = message_of_cache(p, &from);
    if (!told) message_rest(comm);
    MPI_Bcast(&bytes, 1, MPI_DOUBLE, 0, comm);
    if (rank == 0) printf("messages of %.0f bytes: %s\n", bytes, from);
    return (size_t)bytes;
}

#endif

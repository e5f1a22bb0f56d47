/* message.h - what MPI examples have in common: how large messages are where nobody says so, as the first cache
 * (Servet 2010, III-D); signals; can a result be saved? */
#ifndef SERVET_EXAMPLES_MESSAGE_H
#define SERVET_EXAMPLES_MESSAGE_H

#include "servet_mpi.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* At every rank, as launchers send it to all; rank 0 is asked. */
static volatile sig_atomic_t message_interrupted;
static inline void message_interrupt(int number) { (void)number; message_interrupted = 1; }
static inline int message_stop(void *ctx) { (void)ctx; return message_interrupted; }
static inline void message_signals(void)
{
    signal(SIGINT, message_interrupt);
    signal(SIGTERM, message_interrupt);
    if (signal(SIGHUP, message_interrupt) == SIG_IGN) signal(SIGHUP, SIG_IGN);    /* by nohup */
    signal(SIGXFSZ, SIG_IGN);    /* an output beyond the limit of file sizes fails, and is told */
}

/* Has all come out that was printed?  0, or 2 with a line. */
static inline int message_written(const char *program)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
    return 2;
}

/* Better known before measuring than after: can rank 0 save into that file, -: that of this machine?  joins: beside
 * what it has, if it is a profile.  0, or 2 with a line.                                              [collective] */
static inline int message_file(MPI_Comm comm, const char *program, const char *path, int joins)
{
    servet_profile p;
    char error[SERVET_TEXT_MAX] = "", own[4096];
    int rank, status = SERVET_OK;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        status = servet_profile_save_text(strcmp(path, "-") ? path : NULL, NULL, 0);
        if (status < 0 && errno) snprintf(error, sizeof error, "%s", strerror(errno));
        if (!strcmp(path, "-") && servet_profile_path(own, sizeof own, NULL) >= 0) path = own;
        if (status >= 0 && joins) {
            status = servet_profile_load(&p, path, error);
            if (status >= 0) servet_profile_free(&p);
            else if (status == SERVET_EIO) status = SERVET_OK;    /* not there yet, or no file */
        }
        if (status < 0) fprintf(stderr, "%s: %s: %s %s\n", program, path, servet_status_text(status), error);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, comm);
    return status < 0 ? 2 : 0;
}

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

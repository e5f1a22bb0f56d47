/* mpi_degradation.c - what the distance between nodes costs, and what their processes take from each other
 *
 *     mpicc -O2 examples/mpi_degradation.c -I. -lm -pthread -o mpi_degradation && mpirun -n 16 ./mpi_degradation
 *         [-o FILE] [--bytes N] [--budget SECONDS]
 *     ./mpi_degradation --load FILE
 *
 * The two benchmarks of Servet 3.0, section 4: ratDist by distance in the ring of nodes, ratNC by processes of a node,
 * with messages of 32 MB if not told otherwise.  Of a node so many processes are taken as far from each other as may
 * be, by the processors, caches and cores that the system or the profile says they are bound to.  Ratios are kept in
 * the profile of this machine (-), or FILE, beside layers of the same ranks; --load takes them from there, as any
 * program can that knows no MPI. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static servet_network n;    /* large */
static int16_t cpu_plus_1[SERVET_NETWORK_RANKS];

static void print_rates(const char *what, const servet_network_ratio *r, int count)
{
    int i;
    printf("%-10s %12s %26s\n", what, "MB/s each", "95 %");
    for (i = 0; i < count; i++)
        printf("%10d %12.1f [%11.1f, %11.1f]\n", r[i].which, r[i].bytes_per_s / 1e6, r[i].lo_bytes_per_s / 1e6,
               r[i].hi_bytes_per_s / 1e6);
    if (count == 0) printf("           not measured: it takes several nodes, and two processes on one\n");
}

/* Is a record of the same ranks, where they are now? */
static int same_ranks(const servet_network *old)
{
    int h, same = old->ranks == n.ranks && old->hosts == n.hosts && !strcmp(old->library, n.library)
        && !memcmp(old->host, n.host, (size_t)n.ranks * sizeof *n.host)
        && !memcmp(old->cpu_plus_1, n.cpu_plus_1, (size_t)n.ranks * sizeof *n.cpu_plus_1);
    for (h = 0; same && h < n.hosts; h++) same = !strcmp(servet_network_name(old, h), servet_network_name(&n, h));
    return same;
}

/* Layers that the file has of these ranks stay, and what ratios they are joined with; 0 = it has some of others.  The
 * record is as doubtful as either of its parts, and costs what both did: ratios that replace others cost the same. */
static int join(const char *path)
{
    servet_profile p;
    servet_network *old;
    char own[4096];
    int joins = 1;
    if (!path && servet_profile_path(own, sizeof own, NULL) >= 0) path = own;
    if (!path || servet_profile_load(&p, path, NULL) < 0) return 1;
    old = p.network;
    if (old && old->layer_count + old->pair_count > 0 && (joins = same_ranks(old)) != 0) {
        if (old->dist_count + old->access_count == 0) {
            old->seconds += n.seconds;
            old->rounds += n.rounds;
        }
        old->stopped |= n.stopped;
        old->noisy |= n.noisy;
        old->crowded = n.crowded;
        if (n.dist_count > 0) {
            old->dist_count = n.dist_count;
            old->dist_nodes = n.dist_nodes;
            old->dist_bytes = n.dist_bytes;
            old->shape = n.shape;
            old->shape_period = n.shape_period;
            old->shape_period_2 = n.shape_period_2;
            memcpy(old->dist, n.dist, sizeof n.dist);
        }
        if (n.access_count > 0) {
            old->access_count = n.access_count;
            old->access_constant = n.access_constant;
            old->access_bytes = n.access_bytes;
            memcpy(old->access, n.access, sizeof n.access);
        }
        n = *old;
    }
    servet_profile_free(&p);
    return joins;
}

/* At each distance or number, also between those that were measured. */
static void print_ratios(const servet_network *of, int kind)
{
    const char *const what = kind == SERVET_DEGRADATION_DISTANCE ? "ratDist" : "ratNC";
    double lo, hi, x;
    int i;
    for (i = 1; (x = servet_network_degradation(of, kind, i, &lo, &hi)) > 0; i++)
        printf("%s[%d] %.2f [%.2f, %.2f]\n", what, i, x, lo, hi);
}

/* From a file, as a program does at its start. */
static int load(const char *path)
{
    servet_profile p;
    char error[SERVET_TEXT_MAX], own[4096];
    int status = SERVET_OK;
    error[0] = 0;
    if (!strcmp(path, "-")) {
        status = servet_profile_path(own, sizeof own, NULL);
        path = own;
    }
    if (status >= 0) status = servet_profile_load(&p, path, error);
    if (status < 0) {
        fprintf(stderr, "mpi_degradation: %s: %s %s\n", path, servet_status_text(status), error);
        return 2;
    }
    print_ratios(p.network, SERVET_DEGRADATION_DISTANCE);
    print_ratios(p.network, SERVET_DEGRADATION_ACCESS);
    if (!p.network || p.network->dist_count + p.network->access_count == 0)
        printf("neither ratio has been measured\n");
    servet_profile_free(&p);
    return 0;
}

typedef struct here {
    char        name[MPI_MAX_PROCESSOR_NAME];
    whereabouts at;
} here;

/* This rank's host, and where it is there.  A simulator's nodes are not this one. */
static void find_here(here *h, const char *file)
{
    int length = 0;
    memset(h, 0, sizeof *h);
    memset(&h->at, -1, sizeof h->at);
    MPI_Get_processor_name(h->name, &length);
#if !defined(SERVET_MPI_BLOCKING)
    {
        servet_cpus cpus;
        servet_profile p;
        char own[4096];
        if (!file && servet_profile_path(own, sizeof own, NULL) >= 0) file = own;
        if (!file || servet_profile_load(&p, file, NULL) < 0) memset(&p, 0, sizeof p);
        if (servet_machine_cpus(&cpus) >= 0) h->at = place_in(&cpus, &p);
        servet_profile_free(&p);
    }
#else
    (void)file;
#endif
}

/* Ranks such that those of a node that are near each other follow each other there, where servet takes each so manieth.
 * order: the rank in the place of each, at all of them; to be freed. */
static MPI_Comm spread(int **order, const char *file)
{
    MPI_Comm comm;
    here own, *all;
    whereabouts *at;
    int ranks, rank, i, k, unknown = 0, *host;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    all = (here *)malloc((size_t)ranks * sizeof *all);
    at = (whereabouts *)malloc((size_t)ranks * sizeof *at);
    host = (int *)malloc((size_t)ranks * sizeof *host);
    *order = (int *)malloc((size_t)ranks * sizeof **order);
    if (!all || !at || !host || !*order) MPI_Abort(MPI_COMM_WORLD, 1);
    find_here(&own, file);
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (i = 0; i < ranks; i++) {
        for (k = 0; strcmp(all[k].name, all[i].name) != 0; k++) { }
        host[i] = k;
        at[i] = all[i].at;
        unknown += !place_known(&at[i]);
    }
    place_order(*order, at, host, ranks);
    for (i = 0; (*order)[i] != rank; i++) { }
    MPI_Comm_split(MPI_COMM_WORLD, 0, i, &comm);
    if (i == 0) {
        printf("%s, near ranks beside each other:", all[0].name);
        for (i = k = 0; i < ranks; i++) {
            const int cpu = at[(*order)[i]].key[PLACE_CPU];
            if (host[i] != host[0] || ++k > 16) continue;
            printf(" %d", (*order)[i]);
            if (cpu >= 0) printf(":%d", cpu);
        }
        if (k > 16) printf(" ... (%d ranks)", k);
        printf("\n");
        if (unknown) printf("ranks of which nothing is known but the node, in rank order: %d of %d\n", unknown, ranks);
    }
    free(all);
    free(at);
    free(host);
    return comm;
}

int main(int argc, char **argv)
{
    static const char *const shape[] = { "no clear shape", "flat", "like a ring", "like a torus", "two levels" };
    servet_mpi_opts o;
    const char *file = NULL, *from = NULL, *wrong = NULL;
    char error[SERVET_TEXT_MAX] = "";
    MPI_Comm comm = MPI_COMM_WORLD;
    int i, rank, status = 0, code = 0, *order = NULL;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_MPI_DISTANCE | SERVET_MPI_ACCESS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    message_signals();
    o.run.stop = message_stop;
    for (i = 1; i < argc && !wrong; i += 2) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        const int positive = value && end != value && !*end && number >= 1 && number < 1e12;
        if (!strcmp(argv[i], "-o") && value && *value) file = strcmp(value, "-") ? value : NULL;
        else if (!strcmp(argv[i], "--load") && value) from = value;
        else if (!strcmp(argv[i], "--bytes") && positive) o.ratio_bytes = (size_t)number;
        else if (!strcmp(argv[i], "--budget") && positive) o.run.budget_s = number;
        else wrong = argv[i];
    }
    if (wrong && rank == 0)
        fprintf(stderr, "mpi_degradation: %s: not understood, or its value is missing or wrong: mpi_degradation"
                " [-o FILE] [--bytes N] [--budget SECONDS] | --load FILE\n", wrong);
    if (wrong) {
        code = 2;
    } else if (from) {
        if (rank == 0) code = load(from);
    } else if (!file || (code = message_file(MPI_COMM_WORLD, "mpi_degradation", file, 1)) == 0) {
        comm = spread(&order, file);
        MPI_Comm_rank(comm, &rank);
        status = servet_mpi_measure(rank == 0 ? &n : NULL, comm, &o);
        code = status < 0;
        for (i = 0; i < n.ranks; i++) cpu_plus_1[order[i]] = n.cpu_plus_1[i];    /* by ranks of the program again */
        memcpy(n.cpu_plus_1, cpu_plus_1, sizeof cpu_plus_1);
        free(order);
        if (rank == 0 && n.ranks > 0) {
            printf("messages of %.0f bytes: %s\n", o.ratio_bytes ? (double)o.ratio_bytes : 32e6,
                   o.ratio_bytes ? "as told" : "as Servet 3.0 has it");
            print_rates("distance", n.dist, n.dist_count);
            print_ratios(&n, SERVET_DEGRADATION_DISTANCE);
            if (n.dist_count > 1) printf("%s\n", shape[n.shape >= 0 && n.shape < 5 ? n.shape : 0]);
            print_rates("processes", n.access, n.access_count);
            print_ratios(&n, SERVET_DEGRADATION_ACCESS);
            printf("%.1f s%s\n", n.seconds, n.stopped ? ", not all of it in time" : "");
        }
        if (rank == 0 && message_interrupted) fprintf(stderr, "mpi_degradation: interrupted\n");
        else if (rank == 0 && status < 0) fprintf(stderr, "mpi_degradation: %s\n", servet_status_text(status));
        if (rank == 0 && n.dist_count + n.access_count > 0) {
            if (join(file)) status = servet_profile_save_network(&n, file, error);
            else status = SERVET_EINVAL, strcpy(error, "the file has layers of other ranks, hosts or CPUs: -o another");
            if (status < 0) {
                fprintf(stderr, "mpi_degradation: not saved: %s\n", *error ? error : servet_status_text(status));
                code = 2;
            }
        }
    }
    if (rank == 0 && code == 0) code = message_written("mpi_degradation");
    MPI_Bcast(&code, 1, MPI_INT, 0, comm);
    MPI_Finalize();
    return code;
}

/* mpi_layers.c - how far the ranks of an MPI program are from each other, and what that costs
 *
 *     mpicc -O2 examples/mpi_layers.c -I. -lm -pthread -o mpi_layers && mpirun -n 8 ./mpi_layers [-o FILE]
 *         [--budget SECONDS] [--message BYTES] [--bytes LARGEST] [--parts layers,sizes,scaling,distance,access]
 *
 * Layers are told by messages of BYTES, the first cache of rank 0's node if not told otherwise, and larger ones.
 * -o FILE puts all of it into the profile FILE (- : that of this machine) beside what is there; `servet show FILE` then
 * prints every size.  Interrupted, it prints and saves what it knows by then.  Exit 1: not measured; 2: bad usage. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "mpi_layers [-o FILE] [--budget SECONDS] [--message BYTES] [--bytes LARGEST]"
                            " [--parts layers,sizes,scaling,distance,access]";
static servet_network n;    /* large */

/* A line now and then, as launchers pass on whole lines. */
static void progress(void *ctx, double done_frac, double left_s)
{
    double *last_s = (double *)ctx;
    const double now_s = MPI_Wtime();
    if (now_s - *last_s < 4) return;
    *last_s = now_s;
    fprintf(stderr, "mpi_layers: %.0f %%, %.0f s left at most\n", 100 * done_frac, left_s);
}

static const char *layer_text(int layer)
{
    static char text[32];
    snprintf(text, sizeof text, "layer %d", layer + 1);
    return layer < n.layer_count ? text : n.layer_count ? "outermost" : "all pairs";
}

/* With its core, as host:cpu, if it was bound to one. */
static void print_rank(int r)
{
    printf(" %d %s", r, servet_network_name(&n, n.host[r]));
    if (n.cpu_plus_1[r] > 0) printf(":%d", n.cpu_plus_1[r] - 1);
}

static void print_layers(void)
{
    int i, r, g, unbound = 0;
    for (r = 0; r < n.ranks; r++) unbound += n.cpu_plus_1[r] < 1;
    printf("%d ranks on %d host%s, %.*s\n", n.ranks, n.hosts, n.hosts == 1 ? "" : "s",
           (int)strcspn(n.library, ","), n.library);
    if (unbound) printf("ranks whose core is not known, as they are bound to none or to several: %d\n", unbound);
    printf("%-10s %26s %26s %26s\n", "", "us, few bytes", "us, many", "MB/s");
    for (i = 0; i <= n.layer_count; i++) {
        const servet_network_layer *l = &n.layer[i];
        if (l->pairs < 1) continue;
        printf("%-10s", layer_text(i));
        printf("%9.2f [%6.2f, %6.2f]", l->small_ns / 1e3, l->small_lo_ns / 1e3, l->small_hi_ns / 1e3);
        printf("%9.1f [%6.1f, %6.1f]", l->trip_ns / 1e3, l->trip_lo_ns / 1e3, l->trip_hi_ns / 1e3);
        printf("%9.0f [%6.0f, %6.0f]", l->bytes_per_s / 1e6, l->lo_bytes_per_s / 1e6, l->hi_bytes_per_s / 1e6);
        for (g = 0; i < n.layer_count && g < l->groups && g < 8; g++) {
            printf("  {");
            for (r = 0; r < n.ranks; r++) if (n.group[i][r] == g) print_rank(r);
            printf(" }");
        }
        printf("%s\n", i < n.layer_count && l->in_hosts < 0 ? "  (not as hosts are named)" : "");
    }
    if (n.layer_count == 0 && n.distance_like) printf("ranks are nearer and farther without groups\n");
}

/* Who is how far from a rank, the nearest first. */
static void print_from(int rank)
{
    int i, r;
    for (i = 0; i <= n.layer_count; i++) {
        int some = 0;
        for (r = 0; r < n.ranks; r++) {
            if (r == rank || servet_network_layer_of(&n, rank, r) != i) continue;
            if (!some++) {
                printf("from");
                print_rank(rank);
                printf(", %s:", layer_text(i));
            }
            if (some <= 16) print_rank(r);
        }
        if (some > 16) printf(" ... (%d ranks)", some);
        if (some) printf("\n");
    }
}

/* Of few messages there is no interval. */
static void print_us(const servet_message *m)
{
    printf("%.2f us ", m->median_ns / 1e3);
    if (m->samples < 5) printf("[few samples]");
    else printf("[%.2f, %.2f]", m->lo_ns / 1e3, m->hi_ns / 1e3);
}

static void print_messages(void)
{
    double bytes;
    int i;
    for (bytes = 1; bytes <= 1e9 && n.size_count; bytes *= 16) {
        servet_message one, four;
        for (i = 0; i <= n.layer_count; i++) {
            if (servet_network_time(&one, &n, i, bytes, 1) < 0 || bytes > n.size[n.size_count - 1].bytes) continue;
            printf("%8.0f bytes, %s: ", bytes, layer_text(i));
            print_us(&one);
            if (one.samples >= 5) printf(", P90 %.2f", one.p90_ns / 1e3);
            if (servet_network_time(&four, &n, i, bytes, 4) >= 0) {
                printf("; four at once ");
                print_us(&four);
            }
            if (servet_network_gather(NULL, NULL, &n, i, bytes, 4) == 1) printf(": better one that carries all");
            printf("\n");
        }
    }
    for (i = 0; i < n.threshold_count; i++)
        printf("%s: another protocol from %.0f bytes on [%.0f, %.0f]\n", layer_text(n.threshold[i].layer),
               n.threshold[i].bytes, n.threshold[i].lo_bytes, n.threshold[i].hi_bytes);
    for (i = 0; i < n.dist_count; i++)
        printf("%s%d: %.2f [%.2f, %.2f]", i ? "  " : "ratDist  ", n.dist[i].which, n.dist[i].ratio, n.dist[i].lo_ratio,
               n.dist[i].hi_ratio);
    if (n.dist_count) printf("\n");
    for (i = 0; i < n.access_count; i++)
        printf("%s%d: %.2f [%.2f, %.2f]", i ? "  " : "ratNC    ", n.access[i].which, n.access[i].ratio,
               n.access[i].lo_ratio, n.access[i].hi_ratio);
    if (n.access_count) printf("\n");
    printf("%.1f s%s%s%s\n", n.seconds, n.stopped ? ", not all of it in time" : "", n.noisy ? ", NOISY" : "",
           n.crowded ? "; ranks share CPUs" : "");
}

static int parts_of(char *list)
{
    static const char *const name[] = { "layers", "sizes", "scaling", "distance", "access" };
    int parts = 0, i;
    for (list = strtok(list, ","); list; list = strtok(NULL, ",")) {
        for (i = 0; i < 5 && strcmp(list, name[i]); i++) { }
        if (i == 5) return 0;
        parts |= 1 << i;
    }
    return parts;
}

int main(int argc, char **argv)
{
    servet_mpi_opts o;
    const char *file = NULL, *wrong = NULL;
    char error[SERVET_TEXT_MAX] = "";
    double told_s;
    int i, rank, status, saved = SERVET_OK;
    memset(&o, 0, sizeof o);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    message_signals();
    told_s = MPI_Wtime();
    o.run.stop = message_stop;
    o.run.progress = progress;
    o.run.ctx = &told_s;
    for (i = 1; i < argc && !wrong; i += 2) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        const int positive = value && end != value && !*end && number > 0 && number < 1e12;
        if (!strcmp(argv[i], "-o") && value && *value) file = value;
        else if (!strcmp(argv[i], "--budget") && positive && number <= 86400) o.run.budget_s = number;
        else if (!strcmp(argv[i], "--message") && positive && number >= 1) o.trip_bytes = (size_t)number;
        else if (!strcmp(argv[i], "--bytes") && positive && number >= 1) o.most_bytes = (size_t)number;
        else if (!strcmp(argv[i], "--parts") && value) wrong = (o.parts = parts_of(value)) ? NULL : argv[i];
        else wrong = argv[i];
    }
    if (wrong) {
        if (rank == 0)
            fprintf(stderr, "mpi_layers: %s: not understood, or its value is missing or wrong: %s\n", wrong, usage);
        MPI_Finalize();
        return 2;
    }
    if (file && message_file(MPI_COMM_WORLD, "mpi_layers", file, 1)) {
        MPI_Finalize();
        return 2;
    }
    o.trip_bytes = message_bytes(MPI_COMM_WORLD, o.trip_bytes, NULL);
    status = servet_mpi_measure(rank == 0 ? &n : NULL, MPI_COMM_WORLD, &o);
    if (rank == 0 && n.ranks > 0) {    /* if not all, then what there is */
        print_layers();
        print_from(0);
        print_messages();
        if (file && n.pair_count + n.dist_count + n.access_count == 0) {
            fprintf(stderr, "mpi_layers: nothing is known: not saved\n");
            if (status >= 0) status = SERVET_EUNRESOLVED;
        } else if (file) saved = servet_profile_save_network(&n, strcmp(file, "-") ? file : NULL, error);
        if (saved < 0) fprintf(stderr, "mpi_layers: %s: %s %s\n", file, servet_status_text(saved), error);
    }
    if (rank == 0 && message_interrupted) fprintf(stderr, "mpi_layers: interrupted\n");
    else if (rank == 0 && status == SERVET_EUNRESOLVED && n.ranks < 2)
        fprintf(stderr, "mpi_layers: one rank meets no network\n");
    else if (rank == 0 && status < 0) fprintf(stderr, "mpi_layers: %s\n", servet_status_text(status));
    if (rank == 0 && message_written("mpi_layers")) saved = SERVET_EIO;
    MPI_Bcast(&saved, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return saved < 0 ? 2 : status < 0;
}

/* network - all that servet_mpi.h finds between the ranks of MPI_COMM_WORLD, a line each, for the scripts beside it
 *
 *     network [NAME=VALUE...]     fields of servet_mpi_opts: parts=LIST of layers, sizes, scaling, distance, access;
 *                                 budget_s limit_s trip_bytes stream_bytes most_bytes ratio_bytes all_distances
 *                                 figure_7 seed; and profile=FILE, the network into the profile there
 *
 *     status S SAME               of servet_mpi_measure at rank 0; 1 = all ranks have the same
 *     ranks N HOSTS CROWDED       rounds N SECONDS STOPPED NOISY      layers N DISTANCE_LIKE
 *     pair A B AT_ONCE FLAGS SMALL_US TRIP_US MB_PER_S                with pairs=1
 *     layer I GROUPS PAIRS A B IN_HOSTS SMALL_US TRIP_US MB_PER_S     group I, and that of each rank (-1 = none)
 *     size I BYTES TRIP_US MB_PER_S                                   switch I BYTES BEFORE_US AFTER_US
 *     load I KIND AT_ONCE BYTES LAST_US MEAN_US
 *     dist D RATIO LO HI MB_PER_S                                     shape S PERIOD PERIOD_2
 *     share K RATIO LO HI MB_PER_S
 */
#define SERVET_MPI_IMPLEMENTATION
#include "servet_mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const PARTS[] = {"layers", "sizes", "scaling", "distance", "access"};

static int parts_of(const char *list)
{
    int parts = 0, i;
    for (i = 0; i < 5; i++)
        if (strstr(list, PARTS[i])) parts |= 1 << i;
    return parts;
}

static int with_pairs;

static const char *option(servet_mpi_opts *o, const char *arg, const char *profile)
{
    const char *value = strchr(arg, '=');
    size_t name = value ? (size_t)(value - arg) : 0;
    if (!value) return profile;
    value++;
#define IS(text) (name == sizeof(text) - 1 && !memcmp(arg, text, sizeof(text) - 1))
    if (IS("parts")) o->parts = parts_of(value);
    if (IS("budget_s")) o->run.budget_s = atof(value);
    if (IS("limit_s")) o->limit_s = atof(value);
    if (IS("trip_bytes")) o->trip_bytes = (size_t)atof(value);
    if (IS("stream_bytes")) o->stream_bytes = (size_t)atof(value);
    if (IS("most_bytes")) o->most_bytes = (size_t)atof(value);
    if (IS("ratio_bytes")) o->ratio_bytes = (size_t)atof(value);
    if (IS("all_distances")) o->all_distances = atoi(value);
    if (IS("figure_7")) o->figure_7 = atoi(value);
    if (IS("seed")) o->run.seed = (uint64_t)atoi(value);
    if (IS("pairs")) with_pairs = atoi(value);
    return IS("profile") ? value : profile;
}

static void print_ratios(const char *name, const servet_network_ratio *r, int count)
{
    int i;
    for (i = 0; i < count; i++)
        printf("%s %d %.4f %.4f %.4f %.3f\n", name, r[i].which, r[i].ratio, r[i].lo_ratio, r[i].hi_ratio,
               r[i].bytes_per_s / 1e6);
}

static void print_network(const servet_network *n)
{
    int i, k;
    printf("ranks %d %d %d\n", n->ranks, n->hosts, n->crowded);
    printf("rounds %d %.6f %d %d\n", n->rounds, n->seconds, n->stopped, n->noisy);
    printf("layers %d %d\n", n->layer_count, n->distance_like);
    for (i = 0; i <= n->layer_count && i <= SERVET_NETWORK_LAYERS && n->pair_count > 0; i++) {
        const servet_network_layer *l = &n->layer[i];
        printf("layer %d %d %d %d %d %d %.4f %.4f %.3f\n", i, l->groups, l->pairs, l->a, l->b, l->in_hosts,
               l->small_ns / 1e3, l->trip_ns / 1e3, l->bytes_per_s / 1e6);
        if (i == n->layer_count) break;
        printf("group %d", i);
        for (k = 0; k < n->ranks; k++) printf(" %d", n->group[i][k]);
        printf("\n");
    }
    for (i = 0; with_pairs && i < n->pair_count; i++) {
        const servet_network_pair *p = &n->pair[i];
        printf("pair %d %d %d %d %.4f %.4f %.3f\n", p->a, p->b, p->at_once, p->flags,
               (double)p->small.p10_ns / 1e3, (double)p->trip.p10_ns / 1e3,
               p->stream.p10_ns > 0 ? 1e3 * n->stream_bytes / (double)p->stream.p10_ns : 0);
    }
    for (i = 0; i < n->size_count; i++)
        printf("size %d %.0f %.4f %.3f\n", n->size[i].layer, n->size[i].bytes, n->size[i].trip.median_ns / 1e3,
               n->size[i].stream.median_ns > 0 ? 1e3 * n->size[i].bytes / n->size[i].stream.median_ns : 0);
    for (i = 0; i < n->threshold_count; i++)
        printf("switch %d %.0f %.4f %.4f\n", n->threshold[i].layer, n->threshold[i].bytes,
               n->threshold[i].before_ns / 1e3, n->threshold[i].after_ns / 1e3);
    for (i = 0; i < n->load_count; i++)
        printf("load %d %d %d %.0f %.4f %.4f\n", n->load[i].layer, n->load[i].kind, n->load[i].at_once,
               n->load[i].bytes, n->load[i].last.median_ns / 1e3, n->load[i].mean.median_ns / 1e3);
    print_ratios("dist", n->dist, n->dist_count);
    if (n->dist_count > 0) printf("shape %d %d %d\n", n->shape, n->shape_period, n->shape_period_2);
    print_ratios("share", n->access, n->access_count);
}

int main(int argc, char **argv)
{
    servet_network *n = NULL;    /* a megabyte: not of a thousand ranks in one process */
    servet_mpi_opts opts;
    const char *profile = NULL;
    char error[SERVET_TEXT_MAX];
    int rank, status, least, most, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(&opts, 0, sizeof opts);
    for (i = 1; i < argc; i++) profile = option(&opts, argv[i], profile);
    if (rank == 0) n = (servet_network *)calloc(1, sizeof *n);
    if (rank == 0 && !n) MPI_Abort(MPI_COMM_WORLD, 1);
    status = servet_mpi_measure(n, MPI_COMM_WORLD, &opts);
    MPI_Allreduce(&status, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&status, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("status %d %d %s\n", status, least == most, status < 0 ? servet_status_text(status) : "");
        print_network(n);
        if (profile && servet_profile_save_network(n, profile, error) < 0) printf("profile: %s\n", error);
    }
    free(n);
    MPI_Finalize();
    return 0;
}

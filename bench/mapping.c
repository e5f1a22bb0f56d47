/* mapping.c - processes placed by servet_mapping_processes, beside TreeMatch and Scotch on the same matrices
 *
 *     build/bench/mapping [--sizes 8,64,256] [--seeds 9]
 *
 * Quantity    traffic times distance over all pairs of processes (servet_mapping_cost), of as many processes as there
 *             are cores; wall time of the search
 * Machines    nodes of sockets, from 32 cores on racks of four nodes: 50 ns in a socket, 120 in a node, 1200 or 1500 to
 *             another one; all three are told the same tree
 * Matrices    with ranks shuffled, so that rank order knows nothing: stencils, butterfly (each with those whose numbers
 *             differ in a bit), transpose (rows of a square grid, and its transpose: NPB's CG), random partners,
 *             communities of five to nine, and random values without zeros
 * Columns     mean over seeds of the cost over ours, and in how many of them it is below ours; milliseconds, median.
 *             optimum: of all 40320 ways, at 8 processes.  moved: processes that Scotch put beyond the cores there are,
 *             which were moved to the first that are free: it may leave cores idle
 * Fooled by   scotch_gmap is a program: its time is what it says of the mapping itself, without reading files
 *
 * TreeMatch is that of Open MPI (mca_topo_treematch.so, found beside libmpi or where TREEMATCH points), Scotch what
 * SCOTCH_GMAP or PATH has as scotch_gmap; without them their columns are empty, and a line says so. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "../tests/mapping.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SEEDS_MAX = 99, MOST = 1024, LEVELS = 4 };
enum { STENCIL_2D, STENCIL_3D, BUTTERFLY, TRANSPOSE, PARTNERS, COMMUNITIES, DENSE, MATRICES };
static const char *const matrix_word[] = { "stencil_2d", "stencil_3d", "butterfly", "transpose", "partners",
                                           "communities", "dense" };

/* A tree: arity of each level from the top, and the distance of those whose ways part there. */
typedef struct tree { int levels, arity[LEVELS]; double ns[LEVELS]; } tree;

typedef struct answer { double cost, ms; int moved; } answer;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- machines and matrices ------------------------------------------------------------------------------------- */

static void add_level(tree *t, int arity, double ns)
{
    if (arity < 2) return;
    t->arity[t->levels] = arity;
    t->ns[t->levels++] = ns;
}

/* As mapping_cluster has it. */
static void machine(servet_profile *p, tree *t, int n)
{
    const int cpus = n < 32 ? 4 : 16, hosts = n / cpus;
    mapping_cluster(p, hosts, cpus, cpus / 2);
    memset(t, 0, sizeof *t);
    if (hosts > 4) add_level(t, hosts / 4, 1500);
    add_level(t, hosts > 4 ? 4 : hosts, hosts > 4 ? 1200 : 1500);
    add_level(t, 2, 120);
    add_level(t, cpus / 2, 50);
}

static void add(double *m, const int *label, int n, int i, int k, double bytes)
{
    if (i == k) return;
    m[label[i] * n + label[k]] += bytes;
    m[label[k] * n + label[i]] += bytes;
}

/* Integers, as Scotch takes no others. */
static void matrix(double *m, int n, int kind, uint64_t seed)
{
    int label[MOST], i, k, x = 1, y, z = 1, t;
    for (i = 0; i < n; i++) label[i] = i;
    for (i = n - 1; i > 0; i--) {
        k = (int)servet_stats_random_below(&seed, (size_t)i + 1);
        t = label[i], label[i] = label[k], label[k] = t;
    }
    memset(m, 0, (size_t)n * (size_t)n * sizeof *m);
    for (i = 1; i * i <= n; i++) if (n % i == 0) x = n / i;
    for (i = 1; kind == STENCIL_3D && i * i * i <= n; i++) if (n % i == 0) z = i;
    for (i = 1; kind == STENCIL_3D && i * i <= n / z; i++) if (n / z % i == 0) x = n / z / i;
    y = n / z / x;
    for (i = 0; i < n; i++) switch (kind) {
    case STENCIL_2D:
    case STENCIL_3D:
        if (i % x + 1 < x) add(m, label, n, i, i + 1, 100);
        if (i / x % y + 1 < y) add(m, label, n, i, i + x, 100);
        if (i / x / y + 1 < z) add(m, label, n, i, i + x * y, 100);
        break;
    case BUTTERFLY:
        for (k = 1; k < n; k *= 2) if ((i ^ k) < n && i < (i ^ k)) add(m, label, n, i, i ^ k, 100);
        break;
    case TRANSPOSE:
        for (k = 1; k < x; k *= 2) if (i % x < (i % x ^ k)) add(m, label, n, i, i / x * x + (i % x ^ k), 100);
        k = x == y ? i % x * x + i / x : (i * y + i / x) % n;
        add(m, label, n, i, k, 100);
        break;
    case PARTNERS:
        for (k = 0; k < 4; k++)
            add(m, label, n, i, (int)servet_stats_random_below(&seed, (size_t)n),
                1 + (double)servet_stats_random_below(&seed, 1000));
        break;
    case COMMUNITIES:
        t = 5 + i / 64 % 5;
        for (k = i + 1; k < n && k / t == i / t; k++) add(m, label, n, i, k, 100);
        add(m, label, n, i, (int)servet_stats_random_below(&seed, (size_t)n), 10);
        break;
    default:
        for (k = 0; k < i; k++) add(m, label, n, i, k, 1 + (double)servet_stats_random_below(&seed, 1000));
    }
}

/* ---- those who answer ------------------------------------------------------------------------------------------ */

static double cost_of(servet_mapping *m, const servet_profile *p, const double *bytes, const int *core)
{
    servet_traffic t;
    double cost = -1;
    int i;
    memset(&t, 0, sizeof t);
    t.bytes = bytes;
    for (i = 0; core && i < m->processes; i++) {
        m->node[i] = (int16_t)(core[i] / m->cpus);
        m->cpu[i] = (int16_t)(core[i] % m->cpus);
    }
    return servet_mapping_cost(&cost, m, p, &t) < 0 ? -1 : cost;
}

static answer ours(const servet_profile *p, const double *bytes, int n)
{
    servet_mapping m;
    servet_traffic t;
    answer a = { -1, 0, 0 };
    double begun;
    memset(&t, 0, sizeof t);
    t.bytes = bytes;
    if (servet_mapping_cores(&m, p, n, SERVET_BOUND_COMMUNICATION) != n) return a;
    begun = now_ms();
    if (servet_mapping_processes(&m, p, &t) < 0) return a;
    a.ms = now_ms() - begun;
    a.cost = cost_of(&m, p, bytes, NULL);
    return a;
}

/* The functions of TreeMatch's treematch.h, with what they point to unknown here, but that a solution begins with the
 * core of each process. */
typedef void *(*tm_topology)(int *arity, double *cost, int levels, int *numbering, int cores);
typedef void *(*tm_matrix)(double **rows, int n);
typedef void *(*tm_tree)(void *topology, void *matrix, double *weight, double *speed);
typedef void *(*tm_map)(void *topology, void *tree);
typedef void (*tm_optimize)(void **topology);
static struct { tm_topology topology; tm_matrix matrix; tm_tree tree; tm_map map; tm_optimize optimize; } tm;

static void *symbol(void *library, const char *name)
{
    void *s = dlsym(library, name);
    if (!s) printf("# TreeMatch: no %s\n", name);
    return s;
}

static int find_treematch(void)
{
    static const char *const at[] = { "/usr/lib/*/openmpi/lib/openmpi*/mca_topo_treematch.so",
                                      "/usr/lib*/openmpi/lib/openmpi*/mca_topo_treematch.so",
                                      "/usr/local/lib/openmpi/mca_topo_treematch.so" };
    const char *path = getenv("TREEMATCH");
    void *library, *s[5];
    glob_t g;
    size_t i;
    memset(&g, 0, sizeof g);
    for (i = 0; i < 3 && !path; i++)
        if (glob(at[i], 0, NULL, &g) == 0 && g.gl_pathc > 0) path = g.gl_pathv[0];
    library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!library) printf("# TreeMatch: not here: %s\n", path ? dlerror() : "no mca_topo_treematch.so of Open MPI");
    if (library) printf("# TreeMatch: %s\n", path);
    if (!library) return 0;
    s[0] = symbol(library, "tm_build_synthetic_topology");
    s[1] = symbol(library, "tm_build_affinity_mat");
    s[2] = symbol(library, "tm_build_tree_from_topology");
    s[3] = symbol(library, "tm_compute_mapping");
    s[4] = symbol(library, "tm_optimize_topology");
    if (!s[0] || !s[1] || !s[2] || !s[3] || !s[4]) return 0;
    memcpy(&tm.topology, &s[0], sizeof s[0]);    /* ISO C knows no cast from object to function */
    memcpy(&tm.matrix, &s[1], sizeof s[1]);
    memcpy(&tm.tree, &s[2], sizeof s[2]);
    memcpy(&tm.map, &s[3], sizeof s[3]);
    memcpy(&tm.optimize, &s[4], sizeof s[4]);
    return 1;
}

static answer treematch(const servet_profile *p, const tree *t, const double *bytes, int n)
{
    servet_mapping m;
    answer a = { -1, 0, 0 };
    double *rows[MOST], *copy = (double *)malloc((size_t)n * (size_t)n * sizeof *copy), cost[LEVELS + 1], begun;
    int arity[LEVELS + 1], numbering[] = { 0 }, i, **solution;
    void *topology;
    if (!copy || servet_mapping_cores(&m, p, n, SERVET_BOUND_COMMUNICATION) != n) return a;
    memcpy(copy, bytes, (size_t)n * (size_t)n * sizeof *copy);
    for (i = 0; i < n; i++) rows[i] = copy + (size_t)i * (size_t)n;
    for (i = 0; i < t->levels; i++) {
        arity[i] = t->arity[i];
        cost[i] = t->ns[i];
    }
    arity[i] = 0;
    cost[i] = 0;
    begun = now_ms();
    topology = tm.topology(arity, cost, t->levels + 1, numbering, 1);
    tm.optimize(&topology);    /* as Open MPI does */
    solution = (int **)tm.map(topology, tm.tree(topology, tm.matrix(rows, n), NULL, NULL));
    a.ms = now_ms() - begun;
    a.cost = cost_of(&m, p, bytes, *solution);      /* what they hold is left to the end of the program */
    return a;
}

static const char *gmap;
static char dir[] = "/tmp/servet_mapping_XXXXXX";

static int write_scotch(const tree *t, const double *bytes, int n)
{
    char path[64];
    long arcs = 0;
    FILE *f;
    int i, k;
    snprintf(path, sizeof path, "%s/target", dir);
    f = fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "tleaf %d", t->levels);     /* links add up from the leaves */
    for (i = 0; i < t->levels; i++)
        fprintf(f, " %d %.0f", t->arity[i], t->ns[i] - (i + 1 < t->levels ? t->ns[i + 1] : 0));
    fprintf(f, "\n");
    fclose(f);
    snprintf(path, sizeof path, "%s/graph", dir);
    f = fopen(path, "w");
    if (!f) return 0;
    for (i = 0; i < n * n; i++) arcs += bytes[i] > 0;
    fprintf(f, "0\n%d %ld\n0 010\n", n, arcs);
    for (i = 0; i < n; i++) {
        int degree = 0;
        for (k = 0; k < n; k++) degree += bytes[i * n + k] > 0;
        fprintf(f, "%d", degree);
        for (k = 0; k < n; k++) if (bytes[i * n + k] > 0) fprintf(f, " %.0f %d", bytes[i * n + k], k);
        fprintf(f, "\n");
    }
    return fclose(f) == 0;
}

static answer scotch(const servet_profile *p, const tree *t, const double *bytes, int n)
{
    servet_mapping m;
    answer a = { -1, 0, 0 };
    char command[4400], line[256];
    int core[MOST], on[MOST], i, k, read = 0;
    double s;
    FILE *f;
    if (servet_mapping_cores(&m, p, n, SERVET_BOUND_COMMUNICATION) != n || !write_scotch(t, bytes, n)) return a;
    snprintf(command, sizeof command, "%s %s/graph %s/target %s/map -b0 -cqb -vt 2>&1", gmap, dir, dir, dir);
    f = popen(command, "r");
    if (!f) return a;
    while (fgets(line, sizeof line, f)) if (sscanf(line, "T Mapping %lf", &s) == 1) a.ms = 1e3 * s;
    if (pclose(f) != 0) return a;
    snprintf(command, sizeof command, "%s/map", dir);
    f = fopen(command, "r");
    if (!f) return a;
    memset(on, 0, sizeof on);
    for (i = 0; i < n; i++) core[i] = -1;
    if (fscanf(f, "%d", &k) == 1)
        while (fscanf(f, "%d %d", &i, &k) == 2)
            if (i >= 0 && i < n && k >= 0 && k < n && core[i] < 0 && ++read && !on[k]++) core[i] = k;
    fclose(f);
    if (read < n) return a;
    for (i = k = 0; i < n; i++) {
        if (core[i] >= 0) continue;
        while (on[k]) k++;
        on[core[i] = k]++;
        a.moved++;
    }
    a.cost = cost_of(&m, p, bytes, core);
    return a;
}

/* The least of all ways to place so few. */
static double optimum(const servet_profile *p, const double *bytes, int n)
{
    servet_mapping m;
    int core[8], i, k, t;
    double best = -1;
    if (servet_mapping_cores(&m, p, n, SERVET_BOUND_COMMUNICATION) != n) return -1;
    for (i = 0; i < n; i++) core[i] = i;
    for (;;) {
        const double cost = cost_of(&m, p, bytes, core);
        if (best < 0 || cost < best) best = cost;
        for (i = n - 2; i >= 0 && core[i] > core[i + 1]; i--) { }
        if (i < 0) return best;
        for (k = n - 1; core[k] < core[i]; k--) { }
        t = core[i], core[i] = core[k], core[k] = t;
        for (i++, k = n - 1; i < k; i++, k--) t = core[i], core[i] = core[k], core[k] = t;
    }
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct column { double over[SEEDS_MAX], ms[SEEDS_MAX]; int count, below, moved; } column;

static void note(column *c, answer a, double of)
{
    if (!(a.cost >= 0) || !(of > 0)) return;
    c->below += a.cost < of * (1 - 1e-9);
    c->moved += a.moved;
    c->ms[c->count] = a.ms;
    c->over[c->count++] = a.cost / of;
}

/* The mean over ours and how often it is better; milliseconds if there are any. */
static void print_column(column *c, int timed)
{
    double sum = 0;
    int i;
    for (i = 0; i < c->count; i++) sum += c->over[i];
    qsort(c->ms, (size_t)c->count, sizeof *c->ms, ascending);
    if (!c->count) printf(timed ? ",,," : ",,");
    else printf(",%.3f,%d", sum / c->count, c->below);
    if (c->count && timed) printf(",%.2f", c->ms[c->count / 2]);
}

static void row(int n, int kind, int seeds, int have_tm)
{
    static column of[4];            /* rank order, optimum, TreeMatch, Scotch */
    servet_profile p;
    tree t;
    double *bytes = (double *)malloc((size_t)n * (size_t)n * sizeof *bytes), ms[SEEDS_MAX];
    int seed;
    memset(of, 0, sizeof of);
    machine(&p, &t, n);
    for (seed = 0; bytes && seed < seeds; seed++) {
        servet_mapping m;
        answer a, other = { -1, 0, 0 };
        matrix(bytes, n, kind, (uint64_t)seed + 1);
        a = ours(&p, bytes, n);
        ms[seed] = a.ms;
        if (servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION) == n) other.cost = cost_of(&m, &p, bytes, NULL);
        note(&of[0], other, a.cost);
        other.cost = n == 8 ? optimum(&p, bytes, n) : -1;
        note(&of[1], other, a.cost);
        if (have_tm) note(&of[2], treematch(&p, &t, bytes, n), a.cost);
        if (gmap) note(&of[3], scotch(&p, &t, bytes, n), a.cost);
    }
    qsort(ms, (size_t)seeds, sizeof *ms, ascending);
    printf("%d,%s,%.2f", n, matrix_word[kind], ms[seeds / 2]);
    for (seed = 0; seed < 4; seed++) print_column(&of[seed], seed > 1);
    printf(",%d\n", of[3].moved);
    fflush(stdout);
    free(bytes);
    servet_profile_free(&p);
}

static int number_of(const char *s, int least, int most)
{
    char *end = NULL;
    const long x = s ? strtol(s, &end, 10) : 0;
    return s && end != s && (*end == 0 || *end == ',') && x >= least && x <= most ? (int)x : 0;
}

int main(int argc, char **argv)
{
    const char *sizes = "8,64,256", *s;
    int seeds = 9, have_tm, kind, i, k;
    for (i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--sizes") && argv[i + 1]) sizes = argv[i + 1];
        else if (!strcmp(argv[i], "--seeds") && (k = number_of(argv[i + 1], 1, SEEDS_MAX)) != 0) seeds = k;
        else break;
    }
    for (s = sizes; s && i >= argc; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        const int n = number_of(s, 8, MOST);
        if (n == 0 || (n & (n - 1)) || n == 16) i = 0;      /* whole nodes, and racks */
    }
    if (i < argc) {
        fprintf(stderr, "mapping: %s: mapping [--sizes of 8, 32, 64, 128 ... 1024] [--seeds N, to 99]\n",
                argv[i ? i : 1]);
        return 2;
    }
    printf("# servet_mapping_processes, TreeMatch and Scotch: %d matrices each, ranks shuffled\n", seeds);
    have_tm = find_treematch();
    gmap = getenv("SCOTCH_GMAP") ? getenv("SCOTCH_GMAP") : "scotch_gmap";
    {
        char command[4200];
        snprintf(command, sizeof command, "%s -V >/dev/null 2>&1", gmap);
        if (strlen(gmap) > 4000 || system(command) != 0 || !mkdtemp(dir)) gmap = NULL;
    }
    printf("# Scotch: %s\n", gmap ? gmap : "not here: no scotch_gmap");
    printf("processes,matrix,servet_ms,rank_order,better,optimum,better,treematch,better,ms,scotch,better,ms,moved\n");
    for (s = sizes; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        for (kind = 0; kind < MATRICES; kind++) row(number_of(s, 8, MOST), kind, seeds, have_tm);
    if (gmap) {
        char command[64];
        snprintf(command, sizeof command, "rm -rf %s", dir);
        if (system(command) != 0) return 1;
    }
    return 0;
}

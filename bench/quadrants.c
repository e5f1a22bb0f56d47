/* quadrants.c - threads of a matrix product placed with and against the caches they share: P-Ray's Figure 1
 *
 *     build/bench/quadrants [N [ROUNDS]]      default: 800 as there, 15 rounds
 *
 * Quantity    C = A * B of N x N doubles by four threads, each a quadrant of C.  Two that have the same columns use one
 *             half of B again for every row: on cores that share a cache it is there once, and fits
 * Modelled    misses of two L2 of 4 MB, 16 ways, each of two cores (Core 2 Quad), cores 0 and 1 and 2 and 3 on one,
 *             true LRU, lines of the four threads by turns, N / 8 rows of each: threads in rank order, and where
 *             servet_mapping_processes has them by the bytes they use again
 * Here        seconds by two CPUs with two threads each, in pairs of runs in random order: those of one half of B on
 *             one CPU, and on both; the ratio against / with, its median, and order statistics that bound it in 95
 *             cases of 100.  Two threads of a CPU take turns of milliseconds: little of the other's half is gained
 * References  Duchateau et al., P-Ray, LCPC 2008, section 1 (up to 32 % slower) */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "../tests/mapping.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { LINE = 8, WAYS = 16, SETS = 4096, ROUNDS_MAX = 199 };    /* doubles of a line; 4 MB */

/* ---- modelled -------------------------------------------------------------------------------------------------- */

typedef struct cache { size_t line[SETS][WAYS]; long misses, all; } cache;      /* the last used first; line + 1 */

static void touch(cache *c, size_t line)
{
    size_t *set = c->line[line % SETS];
    int i = 0;
    while (i < WAYS - 1 && set[i] != line + 1) i++;
    c->misses += set[i] != line + 1;
    c->all++;
    for (; i > 0; i--) set[i] = set[i - 1];
    set[0] = line + 1;
}

/* Row by row of each quadrant: an element of A, a row of its half of B. */
static double missed(const int *core, int n, int rows)
{
    static cache l2[2];
    const size_t width = (size_t)n / LINE, a = 0, b = (size_t)n * width, c = 2 * b;
    int i, t, k;
    size_t j;
    memset(l2, 0, sizeof l2);
    for (i = 0; i < rows; i++)
        for (k = 0; k < n; k++)
            for (t = 0; t < 4; t++) {
                cache *of = &l2[core[t] / 2];
                const size_t row = (size_t)(t / 2 * (n / 2) + i), from = (size_t)(t % 2) * (width / 2);
                touch(of, a + row * width + (size_t)k / LINE);
                for (j = from; j < from + width / 2; j++) {
                    touch(of, b + (size_t)k * width + j);
                    if (k == 0) touch(of, c + row * width + j);
                }
            }
    return (double)(l2[0].misses + l2[1].misses) / (double)(l2[0].all + l2[1].all);
}

static int modelled(int n)
{
    servet_profile p;
    servet_mapping m;
    servet_traffic t;
    double bytes[16], in_order, placed;
    int core[4] = { 0, 1, 2, 3 }, a, b, status;
    memset(&p, 0, sizeof p);
    memset(&t, 0, sizeof t);
    mapping_cores(&p, 4, 4, 60, 60);
    for (a = 0; a < 4; a++)
        for (b = 0; b < a; b++)
            p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(b, a)] = a / 2 == b / 2 ? 25 : 60;
    for (a = 0; a < 4; a++)
        for (b = 0; b < 4; b++)     /* halves of B for each row, of A once */
            bytes[4 * a + b] = a == b ? 0 : 4.0 * n * n * (a % 2 == b % 2 ? n / 2 : a / 2 == b / 2);
    t.bytes = bytes;
    status = servet_mapping_cores(&m, &p, 4, SERVET_BOUND_COMMUNICATION);
    if (status == 4) status = servet_mapping_processes(&m, &p, &t);
    servet_profile_free(&p);
    if (status < 0) return status;
    /* in rank order threads 0 and 1, which have the same rows and not the same columns, share a cache */
    in_order = missed(core, n, n / 8);
    for (a = 0; a < 4; a++) core[a] = m.cpu[a];
    placed = missed(core, n, n / 8);
    printf("modelled,rank order: cores 0 1 2 3,%.4f of lines missed\n", in_order);
    printf("modelled,servet: cores %d %d %d %d,%.4f\n", core[0], core[1], core[2], core[3], placed);
    return 0;
}

/* ---- here ------------------------------------------------------------------------------------------------------ */

typedef struct quadrant { const double *a, *b; double *c; int n, which, cpu; } quadrant;

static void *multiply(void *arg)
{
    const quadrant *q = (const quadrant *)arg;
    const int n = q->n, half = n / 2, first = q->which / 2 * half, left = q->which % 2 * half;
    int i, j, k;
    if (servet__machine_pin(q->cpu, NULL) < 0) exit(1);
    for (i = first; i < first + half; i++) {
        double *to = q->c + (size_t)i * (size_t)n + left;
        for (j = 0; j < half; j++) to[j] = 0;
        for (k = 0; k < n; k++) {
            const double by = q->a[(size_t)i * (size_t)n + (size_t)k], *of = q->b + (size_t)k * (size_t)n + left;
            for (j = 0; j < half; j++) to[j] += by * of[j];
        }
    }
    return NULL;
}

static double product(const double *a, const double *b, double *c, int n, const int *cpu)
{
    pthread_t thread[4];
    quadrant q[4];
    struct timespec t[2];
    int i;
    clock_gettime(CLOCK_MONOTONIC, &t[0]);
    for (i = 0; i < 4; i++) {
        q[i].a = a;
        q[i].b = b;
        q[i].c = c;
        q[i].n = n;
        q[i].which = i;
        q[i].cpu = cpu[i];
        if (pthread_create(&thread[i], NULL, multiply, &q[i]) != 0) exit(1);
    }
    for (i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &t[1]);
    return (double)(t[1].tv_sec - t[0].tv_sec) + 1e-9 * (double)(t[1].tv_nsec - t[0].tv_nsec);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int here(int n, int rounds)
{
    servet_cpus cpus;
    const size_t all = (size_t)n * (size_t)n;
    double *x = (double *)calloc(3 * all, sizeof *x), ratio[ROUNDS_MAX], s[2] = { 0, 0 };
    int with[4], against[4], i, k, first, second;
    uint64_t seed = 1;
    if (!x) return SERVET_ENOMEM;
    if (servet_machine_cpus(&cpus) < 0 || cpus.count < 2) {
        printf("here,one CPU: nothing to choose\n");
        free(x);
        return 0;
    }
    first = servet_cpus_next(&cpus, -1);
    second = servet_cpus_next(&cpus, first);
    for (i = 0; i < 4; i++) {
        with[i] = i % 2 ? second : first;           /* by columns: one half of B each */
        against[i] = (i + i / 2) % 2 ? second : first;
    }
    for (i = 0; i < (int)(2 * all); i++) x[i] = servet_stats_random_unit(&seed);
    for (i = -1; i < rounds; i++) {
        const int order = (int)servet_stats_random_below(&seed, 2);
        for (k = 0; k < 2; k++) s[k ^ order] = product(x, x + all, x + 2 * all, n, k ^ order ? against : with);
        if (i >= 0) ratio[i] = s[1] / s[0];
    }
    free(x);
    qsort(ratio, (size_t)rounds, sizeof *ratio, ascending);
    k = (int)(0.5 * rounds - 0.98 * sqrt((double)rounds));
    if (k < 0) k = 0;
    printf("here,against over with,%.3f [%.3f, %.3f],%d rounds\n", ratio[rounds / 2], ratio[k], ratio[rounds - 1 - k],
           rounds);
    return 0;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 800, rounds = argc > 2 ? atoi(argv[2]) : 15;
    int status;
    if (argc > 3 || n < 16 || n > 4096 || n % 16 || rounds < 5 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "quadrants: quadrants [N, a multiple of 16 to 4096 [ROUNDS, 5 to %d]]\n", ROUNDS_MAX);
        return 2;
    }
    printf("# %d x %d doubles, four threads: where, threads on, what\n", n, n);
    status = modelled(n);
    if (status >= 0) status = here(n, rounds);
    if (status < 0) fprintf(stderr, "quadrants: %s\n", servet_status_text(status));
    return status < 0;
}

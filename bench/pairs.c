/* pairs.c - what it costs to infer layers of so many cores, and in how many rounds all pairs meet */
#define SERVET_IMPLEMENTATION
#include "servet.h"

static double cost[SERVET_PAIRS_CORES * SERVET_PAIRS_CORES];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Three layers with 5 % noise; the processor time of one inference. */
static double inference(int cores)
{
    static servet_layers layers;
    uint64_t seed = 1;
    double start, took;
    int i, j;
    for (i = 0; i < cores; i++)
        for (j = 0; j < i; j++) {
            double noise = 0.05 * (servet_stats_random_unit(&seed) + servet_stats_random_unit(&seed)
                                   + servet_stats_random_unit(&seed) - 1.5) * 2;
            double v = i / 2 == j / 2 ? 8 : i / 16 == j / 16 ? 24 : i / (cores / 2) == j / (cores / 2) ? 100 : 200;
            cost[i * cores + j] = cost[j * cores + i] = v * (1 + noise);
        }
    start = seconds();
    servet_pairs_layers(&layers, cost, cores);
    took = seconds() - start;
    return took;
}

int main(void)
{
    int n;
    printf("cores    all pairs    rounds   layers\n");
    for (n = 2; n <= 1024; n *= 2) {
        printf("%5d %12d %9d", n, n * (n - 1) / 2, SERVET_PAIRS_ROUNDS(n));
        if (n >= 32) printf(" %7.3f s", inference(n));
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

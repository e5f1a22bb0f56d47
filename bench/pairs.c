/* pairs.c - how many tests it takes to learn which cores share a cache, and what it costs to infer layers
 *
 * A schedule is run against a machine of known groups, numbered at random, without noise; tests are counted, not timed.
 * "guided" knows the groups from latencies and verifies them; "one by one" knows nothing. */
#define SERVET_IMPLEMENTATION
#include "servet.h"

static int16_t truth[SERVET_PAIRS_CORES], found[SERVET_PAIRS_CORES];
static unsigned char known[SERVET_PAIRS_CORES * SERVET_PAIRS_CORES];
static double cost[SERVET_PAIRS_CORES * SERVET_PAIRS_CORES];

static int tests(int cores, int size, int guided, uint64_t seed)
{
    servet_pair pair;
    int i, n = 0;
    memset(known, 0, sizeof known);
    for (i = 0; i < cores; i++) truth[i] = (int16_t)(i / size);
    for (i = cores - 1; i > 0; i--) {
        int k = (int)servet_stats_random_below(&seed, (size_t)i + 1);
        int16_t t = truth[i];
        truth[i] = truth[k];
        truth[k] = t;
    }
    while (servet__pairs_next(&pair, found, known, guided ? truth : NULL, cores) == 1) {
        servet__pairs_answer(known, cores, pair, truth[pair.a] == truth[pair.b]);
        n++;
    }
    return n;
}

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
    void *work = malloc(servet_pairs_work_bytes(cores));
    uint64_t seed = 1;
    double start, took;
    int i, j;
    if (!work) return 0;
    for (i = 0; i < cores; i++)
        for (j = 0; j < i; j++) {
            double noise = 0.05 * (servet_stats_random_unit(&seed) + servet_stats_random_unit(&seed)
                                   + servet_stats_random_unit(&seed) - 1.5) * 2;
            double v = i / 2 == j / 2 ? 8 : i / 16 == j / 16 ? 24 : i / (cores / 2) == j / (cores / 2) ? 100 : 200;
            cost[i * cores + j] = cost[j * cores + i] = v * (1 + noise);
        }
    start = seconds();
    servet_pairs_layers(&layers, cost, cores, work);
    took = seconds() - start;
    free(work);
    return took;
}

int main(void)
{
    int n, size;
    printf("tests of capacity       groups of 2                groups of 8                groups of 48\n"
           "cores    all pairs    guided  one by one         guided  one by one         guided  one by one    rounds"
           "   layers\n");
    for (n = 2; n <= 1024; n *= 2) {
        printf("%5d %12d", n, n * (n - 1) / 2);
        for (size = 2; size <= 48; size = size == 2 ? 8 : size == 8 ? 48 : 49) {
            if (size > n) {
                printf("%10s%12s     ", "-", "-");
                continue;
            }
            printf("%10d", tests(n, size, 1, 1));
            if (n / size <= 64) printf("%12d     ", tests(n, size, 0, 1));
            else printf("%12s     ", "not run");
        }
        printf("%8d", servet_pairs_rounds(n));
        if (n >= 32) printf(" %7.3f s", inference(n));
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

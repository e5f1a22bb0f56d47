/* compare.c - which of two versions of one's own code is faster, and is that chance?
 *
 *     cc -O2 examples/compare.c -I. -lm -pthread -o compare && ./compare
 *
 * Here a matrix is summed along its rows and along its columns.  The two take turns, which is first by the throw of a
 * coin: what slows the machine for a while then slows both.  If they were alike, each would win half of the pairs, so
 * the chance of at least as many wins is a tail of the binomial distribution (sign test, two-sided). */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>

enum { PAIRS = 100, SIDE = 512 };

static double matrix[SIDE][SIDE];

static double along_rows(void)
{
    double sum = 0;
    int i, k;
    for (i = 0; i < SIDE; i++) for (k = 0; k < SIDE; k++) sum += matrix[i][k];
    return sum;
}

static double along_columns(void)
{
    double sum = 0;
    int i, k;
    for (i = 0; i < SIDE; i++) for (k = 0; k < SIDE; k++) sum += matrix[k][i];
    return sum;
}

int main(int argc, char **argv)
{
    double (*const version[2])(void) = { along_rows, along_columns };
    const double pairs = PAIRS;
    double ns[2], ratio[PAIRS], scratch[PAIRS], wins = 0, most, chance;
    volatile double result = 0;    /* so that no call is left out */
    uint64_t seed = (uint64_t)argc;
    servet_summary s;
    servet_timer t;
    int i, k;

    (void)argv;
    for (i = 0; i < SIDE; i++) for (k = 0; k < SIDE; k++) matrix[i][k] = servet_stats_random_unit(&seed);
    if (servet_timer_init(&t, NULL) < 0) return 1;
    for (i = -1; i < PAIRS; i++) {    /* the first to warm up */
        const int first = (int)servet_stats_random_below(&seed, 2);
        for (k = 0; k < 2; k++) {
            const int which = k ? 1 - first : first;
            const uint64_t start = servet_timer_start(&t);
            matrix[0][0] += 1e-9;    /* so that each sum is made */
            result = version[which]();
            ns[which] = servet_timer_ns(&t, start, servet_timer_stop(&t));
        }
        if (i >= 0) ratio[i] = ns[1] / ns[0];
    }
    for (i = 0; i < PAIRS; i++) wins += ratio[i] > 1 ? 1 : ratio[i] < 1 ? 0 : 0.5;
    most = 2 * wins > pairs ? wins : pairs - wins;
    chance = 2 * servet_stats_binomial_tail(PAIRS, most, 0.5);
    if (chance > 1) chance = 1;
    if (servet_stats_summarise(&s, ratio, PAIRS, scratch) < 0) return 1;
    printf("columns over rows: x%.2f in the middle, x%.2f [%.2f, %.2f] at the lower quartile (sum %g)\n", s.median,
           s.q25, s.lo, s.hi, result);
    printf("rows won %g of %d: %s (chance of that if they were alike: %.2g)\n", wins, PAIRS,
           chance > 0.05 ? "no difference is shown" : 2 * wins > pairs ? "rows are faster" : "columns are faster",
           chance);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("compare: standard output"), 2;
    return 0;
}

/* timers.c - time something of one's own that takes nanoseconds
 *
 *     cc -O2 examples/timers.c -I. -lm -pthread -o timers && ./timers
 *
 * A block is repeated until it is long enough for the counter, some hundred blocks are timed, and the lower quartile
 * with its interval is told: it withstands interrupts and neighbours, who only add. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <math.h>
#include <stdio.h>

static double values[1000];

static double work(void)
{
    double sum = 0;
    int i;
    for (i = 0; i < 1000; i++) sum += sqrt(values[i]);
    return sum;
}

int main(int argc, char **argv)
{
    enum { BLOCKS = 200 };
    double ns[BLOCKS], scratch[BLOCKS];
    volatile double result = 0;    /* so that no call is left out */
    servet_summary s;
    servet_frequency f;
    servet_timer t;
    uint64_t seed = (uint64_t)argc;
    int i, k, calls;

    (void)argv;
    for (i = 0; i < 1000; i++) values[i] = servet_stats_random_unit(&seed);    /* not known to the compiler */
    if (servet_timer_init(&t, NULL) < 0) return 1;
    printf("%s: steps of %.2f ns, a reading takes %.1f ns%s\n", t.source == SERVET_TIMER_COUNTER ? "counter" : "clock",
           t.step_ns, t.overhead_ns, t.trapped ? ", trapped by a hypervisor" : "");
    if (servet_timer_frequency(&f, &t, 0) >= 0)
        printf("the core runs at %.3f %s [%.3f, %.3f]\n", f.ghz, f.units ? "GHz" : "(no unit)", f.lo_ghz, f.hi_ghz);
    for (calls = 1, i = 0; i < BLOCKS; i++) {
        const uint64_t start = servet_timer_start(&t);
        for (k = 0; k < calls; k++) {
            values[k % 1000] += 1e-9;    /* so that each call is made */
            result = work();
        }
        ns[i] = servet_timer_ns(&t, start, servet_timer_stop(&t));
        if (ns[i] < t.min_block_ns) {    /* too short to be told from the counter's steps */
            calls *= 2;
            i = -1;
        }
    }
    for (i = 0; i < BLOCKS; i++) ns[i] /= calls;
    if (servet_stats_summarise(&s, ns, BLOCKS, scratch) < 0) return 1;
    servet_stats_sort(ns, BLOCKS);
    printf("1000 roots: %.1f ns [%.1f, %.1f] to %.0f %% (%d calls a block; sum %g)\n", s.q25, s.lo, s.hi,
           100 * s.coverage_frac, calls, result);
    printf("one block in a hundred took %.1f ns or more\n", servet_stats_quantile(ns, BLOCKS, 0.99));
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("timers: standard output"), 2;
    return 0;
}

/* threads.c - how many threads for a loop that waits for memory
 *
 *     cc -O2 examples/threads.c -I. -lm -pthread -o threads && ./threads
 *
 * A few CPUs fill a memory's controllers; more only wait, and slow others.  The answer is the smallest number that
 * reached 95 % of the best rate: some 8 s the first time.  bench/payoff_threads.c tells what it gains. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    servet_profile_opts o;
    servet_profile p;
    int i, status;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_CORES | SERVET_PART_BANDWIDTH;
    o.run.budget_s = 8;
    o.fresh = o.no_save = 1;
    status = servet_profile_open(&p, NULL, &o);
    if (status < 0) {
        fprintf(stderr, "threads: %s\n", servet_status_text(status));
        return 1;
    }
    if (!p.contention || !p.contention->scalings) printf("one CPU, or nothing could be told\n");
    for (i = 0; p.contention && i < p.contention->scalings; i++) {
        const servet_contention_scaling *s = &p.contention->scaling[i];
        printf("%d threads [%d, %d] of %d CPUs give 95 %% of %.1f GB/s\n", s->enough, s->lo_enough, s->hi_enough,
               s->cpus, s->best_bytes_per_s * 1e-9);
    }
    servet_profile_free(&p);
    return 0;
}

/* chase.c - a pointer chase of one's own: the latency of one footprint, by one chain and by several
 *
 *     cc -O2 examples/chase.c -I. -lm -pthread -o chase && ./chase [KIB]
 *
 * Each load needs the one before, so no processor can begin it early; the order is random, so no prefetcher knows it.
 * Several chains at once say how many misses the core has under way.  Several orders are walked, as an unlucky one has
 * more lines in some sets than these hold. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS = 1 << 13, ORDERS = 7, BLOCKS = 9, SAMPLES = ORDERS * BLOCKS, ROWS = 4, CHAINS = (1 << ROWS) - 1 };

static double ns[ROWS][SAMPLES];    /* of a load by 1, 2, 4 and 8 chains */

/* Samples of one order, shorter than the time slices of a system. */
static int walk(int from, const servet_timer *t, unsigned char *memory, size_t n, uint32_t *order, uint64_t seed)
{
    servet_chase_opts o;
    servet_chase chase;
    int row, block, status;
    memset(&o, 0, sizeof o);
    o.line_bytes = 64;
    o.chains = CHAINS;    /* entries, evenly apart on the one cycle */
    o.seed = seed;
    status = servet_chase_build(&chase, memory, NULL, n, order, &o);
    if (status >= 0) status = servet_chase_verify(&chase, memory, n * 64);
    if (status < 0) return status;
    servet_chase_walk_many(chase.entry, 1, n);    /* once around: into the caches, and back */
    for (row = 0; row < ROWS; row++) {
        void **at = chase.entry + (1 << row) - 1;    /* others than before, whose lines are cached now */
        for (block = 0; block < BLOCKS; block++) {
            const uint64_t start = servet_timer_start(t);
            servet_chase_walk_many(at, 1 << row, LOADS >> row);
            ns[row][from + block] = servet_timer_ns(t, start, servet_timer_stop(t)) / (double)LOADS;
        }
    }
    return SERVET_OK;
}

typedef struct own {
    size_t n, huge_bytes;    /* lines, and bytes of them on huge pages */
    uint32_t *order;
} own;

/* What the thread does that is bound to a CPU: one that moves leaves its lines behind. */
static int chase(servet_team *team, void *arg)
{
    own *o = (own *)arg;
    servet_region memory;
    servet_timer t;
    uint64_t seed = 1;
    int i, status = servet_timer_init(&t, NULL);
    (void)team;
    if (status >= 0) status = servet_machine_map(&memory, o->n * 64, SERVET_PAGES_HUGE);
    if (status < 0) return status;
    o->huge_bytes = memory.huge_bytes;
    for (i = 0; i < SAMPLES && status >= 0; i += BLOCKS)
        status = walk(i, &t, memory.base, o->n, o->order, servet_stats_random(&seed));
    servet_machine_unmap(&memory);
    return status;
}

int main(int argc, char **argv)
{
    char *rest = NULL;
    const double kib = argc > 1 ? strtod(argv[1], &rest) : 4096;
    double scratch[SAMPLES];
    servet_summary s;
    servet_cpus allowed;
    own o;
    int row, cpu, status;

    if ((rest && *rest) || !(kib >= 4 && kib <= 1048576)) {
        fprintf(stderr, "chase: KIB is a size from 4 to 1048576\n");
        return 2;
    }
    memset(&o, 0, sizeof o);
    o.n = (size_t)(kib * 1024 / 64);
    o.order = (uint32_t *)malloc(o.n * sizeof *o.order);
    status = o.order ? servet_machine_cpus(&allowed) : (int)SERVET_ENOMEM;
    cpu = status >= 0 ? servet_cpus_next(&allowed, -1) : 0;
    if (status >= 0) status = servet_team_run(&cpu, 1, NULL, chase, &o, sizeof o);
    free(o.order);
    if (status < 0) {
        fprintf(stderr, "chase: %s\n", servet_status_text(status));
        return 1;
    }
    printf("%.0f KiB, %.0f %% of it on huge pages, %d orders\n", kib,
           100.0 * (double)o.huge_bytes / (double)(o.n * 64), ORDERS);
    for (row = 0; row < ROWS; row++)
        if (servet_stats_summarise(&s, ns[row], SAMPLES, scratch) >= 0)
            printf("%d chain%s %6.2f ns a load [%.2f, %.2f]\n", 1 << row, row ? "s:" : ": ", s.q25, s.lo, s.hi);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("chase: standard output"), 2;
    return 0;
}

/* chase.c - a pointer chase of one's own: the latency of one footprint, by one chain and by several
 *
 *     cc -O2 examples/chase.c -I. -lm -pthread -o chase && ./chase [KIB]
 *
 * Each load needs the one before, so no processor can begin it early; the order is random, so no prefetcher knows it.
 * Several chains at once say how many misses the core has under way. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { LOADS = 1 << 20, PASSES = 5 };
    const double kib = argc > 1 ? atof(argv[1]) : 4096;
    servet_chase_opts o = { 0 };
    servet_region memory;
    servet_chase chase;
    servet_cpus allowed;
    servet_timer t;
    uint32_t *order;
    size_t n;
    int k, pass, status = SERVET_EINVAL;

    if (!(kib >= 4 && kib <= 1048576)) {
        fprintf(stderr, "chase: KIB is a size from 4 to 1048576\n");
        return 2;
    }
    n = (size_t)(kib * 1024 / 64);
    o.line_bytes = 64;
    o.chains = 8;    /* entries, evenly apart on the one cycle */
    servet_machine_cpus(&allowed);    /* a thread that moves leaves its lines behind */
    if (servet_machine_pin(servet_cpus_next(&allowed, -1), &allowed) < 0)
        fprintf(stderr, "chase: not bound to a CPU\n");
    order = (uint32_t *)malloc(n * sizeof *order);
    if (!order || servet_timer_init(&t, NULL) < 0 || servet_machine_map(&memory, n * 64, SERVET_PAGES_HUGE) < 0) {
        fprintf(stderr, "chase: no memory, or no timer\n");
        return 1;
    }
    status = servet_chase_build(&chase, memory.base, NULL, n, order, &o);
    if (status >= 0) status = servet_chase_verify(&chase, memory.base, n * 64);
    if (status < 0) {
        fprintf(stderr, "chase: %s\n", servet_status_text(status));
        return 1;
    }
    printf("%.0f KiB, %.0f %% of it on huge pages\n", kib, 100.0 * (double)memory.huge_bytes / (double)(n * 64));
    servet_chase_walk_many(chase.entry, 1, n);    /* once around: into the caches, and back */
    for (k = 1; k <= chase.chains; k *= 2) {
        double least = 0;
        for (pass = 0; pass < PASSES; pass++) {
            const uint64_t start = servet_timer_start(&t);
            double ns;
            servet_chase_walk_many(chase.entry, k, LOADS / (size_t)k);
            ns = servet_timer_ns(&t, start, servet_timer_stop(&t)) / LOADS;
            if (pass == 0 || ns < least) least = ns;
        }
        printf("%d chain%s %6.2f ns a load\n", k, k > 1 ? "s:" : ": ", least);
    }
    servet_machine_unmap(&memory);
    servet_machine_restore(&allowed);
    free(order);
    return 0;
}

/* coherence.c - how far apart data of different threads must be, and what it costs where they share
 *
 *     cc -O2 examples/coherence.c -I. -lm -pthread -o coherence && ./coherence
 *
 * On a guest with two CPUs of 2024 it printed:
 *     CPUs 0 and 1: blocks of 64 bytes [64, 64]; an addition takes 14.9 ns in one, 5.4 ns in two
 *     data of different threads: 64 bytes apart (lines beside each other do not disturb each other)
 * and below that each operation's time by one CPU and by two on the same place: reads and writes no longer than alone,
 * as stores to one place wait in a buffer and become one; alternating writes five times as long. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

static servet_rig rig;
static servet_coherence c;

int main(void)
{
    static const char *const neighbour[] = {
        "unknown if lines disturb each other", "lines beside each other do not disturb each other",
        "lines are fetched in aligned pairs", "a line is fetched with the next"
    };
    static const char *const buffered[] = {
        "too little to say whether stores wait in a buffer", "stores to one place wait in a buffer and become one",
        "each store is seen by the others"
    };
    static servet_profile p;    /* of what was found here alone */
    servet_question q;
    servet_answer apart;
    servet_cpus allowed;
    servet_machine m;
    int cpu[2], cpus, status, op, k;

    memset(&q, 0, sizeof q);
    servet_machine_cpus(&allowed);
    cpu[0] = servet_cpus_next(&allowed, -1);
    cpu[1] = servet_cpus_next(&allowed, cpu[0]);
    cpus = cpu[1] < 0 ? 1 : 2;
    status = servet_rig_open(&rig, NULL);
    if (status >= 0) {
        m = servet_rig_machine(&rig);
        if (cpus == 2) status = servet_coherence_block(&c, &m, cpu, 1, NULL);
        /* what two CPUs cannot say stays unknown */
        if (status >= 0 && cpus == 2) servet_coherence_destructive(&c, &m, cpu, 2, 0, NULL);
        if (status >= 0) status = servet_coherence_costs(&c, &m, cpu, cpus, NULL);
        servet_rig_close(&rig);
    }
    if (status < 0) {
        fprintf(stderr, "coherence: %s\n", servet_status_text(status));
        return 1;
    }
    for (k = 0; k < c.blocks; k++) {
        const servet_block *b = &c.block[k];
        printf("CPUs %d and %d: ", b->cpu[0], b->cpu[1]);
        if (b->bytes > 0) printf("blocks of %.0f bytes [%.0f, %.0f]", b->bytes, b->lo_bytes, b->hi_bytes);
        else printf("blocks unknown, %s", servet_status_text(b->status));
        printf("; an addition takes %.1f ns in one, %.1f ns in two\n", b->near_ns, b->far_ns);
    }
    p.coherence = &c;
    q.what = SERVET_ASK_APART;
    if (servet_ask(&apart, &p, &q) >= 0)
        printf("data of different threads: %.0f bytes apart [%.0f, %.0f] (%s)\n", apart.value, apart.lo, apart.hi,
               neighbour[c.destructive.neighbour]);
    printf("\nns              ");
    for (k = 0; k < c.costs.count; k++) printf("   by %d CPU%s              ", k + 1, k ? "s" : " ");
    printf("\n");
    for (op = 0; op < SERVET_COST_OPERATIONS; op++) {
        printf("%-18s", servet_text(SERVET_TEXT_OPERATION, op));
        for (k = 0; k < c.costs.count; k++) {
            const servet_cost_point *one = &c.costs.point[op][k];
            printf("%7.2f [%5.2f, %5.2f]    ", one->ns, one->lo_ns, one->hi_ns);
        }
        printf("\n");
    }
    printf("%s\n", buffered[c.costs.buffered]);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("coherence: standard output"), 2;
    return 0;
}

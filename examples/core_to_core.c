/* core_to_core.c - how long a line takes from each CPU to each other, and which are near
 *
 *     cc -O2 examples/core_to_core.c -I. -lm -pthread -o core_to_core && ./core_to_core
 *
 * One way, half of a round trip of two flags, in ns.  A value in brackets is not to be believed: something disturbed
 * every attempt.  The last column is compare-and-swap on one line, for the nearest other CPU. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>

static servet_rig rig;
static servet_cores c;
static servet_layers layers;
static double sound[SERVET_CORES_MAX * SERVET_CORES_MAX];    /* the matrix, of what is to be believed */

int main(void)
{
    servet_cpus allowed;
    servet_machine m;
    int cpu[SERVET_CORES_MAX], n = 0, i, j, k, status;

    servet_machine_cpus(&allowed);
    for (i = servet_cpus_next(&allowed, -1); i >= 0 && n < SERVET_CORES_MAX; i = servet_cpus_next(&allowed, i))
        cpu[n++] = i;
    if (n < 2) {
        fprintf(stderr, "core_to_core: one CPU: there is no pair\n");
        return 1;
    }
    status = servet_rig_open(&rig, NULL);
    if (status >= 0) {
        m = servet_rig_machine(&rig);
        status = servet_pairs_latency(&c, &m, cpu, n, NULL);
        servet_rig_close(&rig);
    }
    if (status < 0) {
        fprintf(stderr, "core_to_core: %s\n", servet_status_text(status));
        return 1;
    }
    for (printf("    "), j = 0; j < c.count; j++) printf("%7d", c.cpu[j]);
    printf("    CAS\n");
    for (i = 0; i < c.count; i++) {
        double nearest = 0;
        for (printf("%4d", c.cpu[i]), j = 0; j < c.count; j++) {
            const int at = i == j ? 0 : SERVET_PAIRS_AT(i, j);
            const double ns = (double)c.ns[SERVET_HANDOFF_FLAGS][at], cas = (double)c.ns[SERVET_HANDOFF_CAS][at];
            if (i == j || c.state[at] == SERVET_CORES_UNMEASURED) printf("      .");
            else printf(c.state[at] == SERVET_CORES_SOUND ? " %6.1f" : " (%.0f)", ns);
            if (i == j || c.state[at] != SERVET_CORES_SOUND) continue;
            sound[i * c.count + j] = ns;
            if (nearest <= 0 || cas < nearest) nearest = cas;
        }
        printf(" %6.1f\n", nearest);
    }
    if (servet_pairs_layers(&layers, sound, c.count) > 0)
        for (k = 0; k < layers.count; k++)
            printf("layer %d: %d groups within which lines take %.1f ns [%.1f, %.1f]\n", k, layers.layer[k].groups,
                   layers.layer[k].latency_ns, layers.layer[k].lo_ns, layers.layer[k].hi_ns);
    for (i = 0; i < c.siblings; i++)    /* threads of one core have half of it each */
        printf("CPUs %d and %d at once: each adds %.0f %% as fast as alone\n", c.cpu[c.sibling[i].a],
               c.cpu[c.sibling[i].b], 100 * (double)c.sibling[i].speed_frac);
    printf("%d pairs in %.2f s: %d sound, %d contaminated; %d were seen at two distances\n",
           c.count * (c.count - 1) / 2, c.seconds, c.sound, c.contaminated, c.moved);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("core_to_core: standard output"), 2;
    return 0;
}

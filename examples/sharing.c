/* sharing.c - which CPUs share which cache, who slows whom at memory, and how many loads a core has under way
 *
 *     cc -O2 examples/sharing.c -I. -lm -pthread -o sharing && ./sharing
 *
 * Sizes come from a profile first (two seconds); then pairs of CPUs are victim and aggressor by turns, beside a
 * control. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static servet_rig rig;
static servet_contention contention;
static servet_parallelism chains;

int main(void)
{
    servet_cpus allowed;
    servet_profile p;
    servet_levels levels;
    servet_sharing *sharing = (servet_sharing *)calloc(1, sizeof *sharing);
    servet_sharing_opts o;
    servet_machine m;
    int cpu[64], n = 0, i, k, status = servet_profile_calibrate(&p, NULL);

    if (status < 0 || !sharing) {
        fprintf(stderr, "sharing: %s\n", servet_status_text(status < 0 ? status : SERVET_ENOMEM));
        return 1;
    }
    memset(&levels, 0, sizeof levels);
    memset(&o, 0, sizeof o);
    for (i = 0; i < p.cache_count; i++) {
        servet_level *l = &levels.level[levels.count++];
        l->level = i + 1;
        l->bytes = p.cache[i].bytes;
        l->lo_bytes = p.cache[i].lo_bytes;
        l->latency_ns = p.cache[i].latency_ns;
    }
    levels.memory_ns = p.memory_ns > 0 ? p.memory_ns : p.memory_fetch_ns;   /* a short start has no more */
    servet_profile_free(&p);
    servet_machine_cpus(&allowed);
    for (i = servet_cpus_next(&allowed, -1); i >= 0 && n < 64; i = servet_cpus_next(&allowed, i)) cpu[n++] = i;
    if (servet_rig_open(&rig, NULL) < 0) return 1;
    m = servet_rig_machine(&rig);
    o.run.budget_s = 5;
    status = servet_pairs_shared(sharing, &m, &levels, cpu, n, &o);
    for (i = 0; status >= 0 && i < sharing->count; i++) {
        const servet_sharing_level *l = &sharing->level[i];
        printf("L%d, %.0f KiB:", l->level, l->bytes / 1024);
        for (k = 0; k < sharing->cpus; k++) printf(" %d", l->group[k]);
        printf("  (CPUs of one number share it; -1: not known)\n");
    }
    if (servet_bandwidth_contention(&contention, &m, 67108864, cpu, n, NULL) >= 0)
        printf("memory: one CPU alone moves %.1f GB/s; %d levels of overhead in pairs\n",
               contention.reference_bytes_per_s * 1e-9, contention.levels);
    if (servet_bandwidth_parallel(&chains, &m, 67108864, cpu, 1, NULL) >= 0)
        for (i = 0; i < chains.count; i++)
            printf("%2d chains: %.1f ns a load\n", chains.point[i].chains, chains.point[i].ns);
    servet_rig_close(&rig);
    free(sharing);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("sharing: standard output"), 2;
    return 0;
}

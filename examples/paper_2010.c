/* paper_2010.c - the algorithms of Servet (IPDPS 2010) as published: Figures 1 to 6 on this machine
 *
 *     cc -O2 examples/paper_2010.c -I. -lm -pthread -o paper_2010 && ./paper_2010
 *
 * The traversal in strides of 1 KiB and the sizes it gives; which CPUs share a level, by pairs over two thirds of it;
 * which pairs collide at memory.  Prefetchers follow that stride today, and hashed sets spread it: `servet run` is the
 * form that replaces this one. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

enum { CPUS = 16, SIZES = 64, LEVELS = 8 };

static servet_rig rig;

/* Figure 5: 0 where a pair is less than twice as slow as one CPU alone. */
static void sharing(const servet_machine *m, const int *cpu, int cpus, int level, double bytes)
{
    double both[CPUS * CPUS] = { 0 }, alone;
    int shared[CPUS * CPUS], group[CPUS], a, b;
    size_t n[2];
    servet_chase_opts chase;
    servet_sample s[2];
    memset(&chase, 0, sizeof chase);
    n[0] = n[1] = (size_t)(bytes * 2 / 3 / 64);
    if (n[0] < 1 || m->together(m->ctx, cpu, 1, n, &chase, s) < 0) return;
    alone = s[0].ns;
    for (a = 0; a < cpus; a++)
        for (b = a + 1; b < cpus; b++) {
            int pair[2];
            pair[0] = cpu[a];
            pair[1] = cpu[b];
            if (m->together(m->ctx, pair, 2, n, &chase, s) < 0) return;
            both[a * cpus + b] = (s[0].ns + s[1].ns) / 2;
        }
    if (servet_pairs_sharing(shared, both, cpus, alone, 0) < 0) return;
    if (servet_pairs_groups(group, shared, cpus, 0) < 1) printf("L%d: no two CPUs share it\n", level);
    for (a = 0; a < cpus; a++) if (group[a] >= 0) printf("L%d: CPU %d is in group %d\n", level, cpu[a], group[a]);
}

/* Figure 6: levels of bandwidth of pairs that copy at the same time. */
static void collisions(const servet_machine *m, const int *cpu, int cpus)
{
    double both[CPUS * CPUS] = { 0 }, bandwidth[LEVELS], reference;
    int level[CPUS * CPUS], a, b, i, levels;
    servet_stream copy;
    servet_streams what;
    servet_stream_sample s;
    memset(&copy, 0, sizeof copy);
    memset(&what, 0, sizeof what);
    copy.kernel = SERVET_STREAM_COPY;
    what.stream = &copy;
    what.streams = 1;
    what.cpu = cpu;
    what.cpus = 1;
    what.bytes = 67108864;
    if (m->bandwidth(m->ctx, &what, &s) < 0) return;
    reference = s.bytes_per_s;
    for (a = 0; a < cpus; a++)
        for (b = a + 1; b < cpus; b++) {
            int pair[2];
            pair[0] = cpu[a];
            pair[1] = cpu[b];
            what.cpu = pair;
            what.cpus = 2;
            if (m->bandwidth(m->ctx, &what, &s) < 0) return;
            both[a * cpus + b] = s.bytes_per_s / 2;
        }
    levels = servet_pairs_overheads(bandwidth, LEVELS, level, both, cpus, reference, 0, 0.05);
    printf("memory: one CPU copies %.1f GB/s; %d levels of overhead\n", reference * 1e-9, levels);
    for (i = 0; i < levels; i++) printf("        %.1f GB/s each in pairs of level %d\n", bandwidth[i] * 1e-9, i);
}

int main(void)
{
    double bytes[SIZES], cycles[SIZES], mode;
    int cpu[CPUS], cpus = 0, i, n;
    servet_levels levels;
    servet_cpus allowed;
    servet_machine m;

    servet_machine_cpus(&allowed);
    for (i = servet_cpus_next(&allowed, -1); i >= 0 && cpus < CPUS; i = servet_cpus_next(&allowed, i)) cpu[cpus++] = i;
    n = servet_mcalibrator(bytes, cycles, SIZES, 0, 0);
    if (n < 0) {
        fprintf(stderr, "paper_2010: %s\n", servet_status_text(n));
        return 1;
    }
    for (i = 0; i < n; i++) printf("%10.0f bytes %8.2f cycles\n", bytes[i], cycles[i]);
    if (servet_fit_servet(&levels, bytes, cycles, (size_t)n, 4096, 0) < 0) levels.count = 0;
    for (i = 0; i < levels.count; i++) printf("L%d: %.0f KiB\n", i + 1, levels.level[i].bytes / 1024);
    if (servet_fit_binomial(&mode, bytes, cycles, (size_t)n, 4096) >= 0)
        printf("Figure 3 on the whole curve: %.0f KiB\n", mode / 1024);
    if (cpus > 1 && servet_rig_open(&rig, NULL) >= 0) {
        m = servet_rig_machine(&rig);
        for (i = 0; i < levels.count; i++) sharing(&m, cpu, cpus, i + 1, levels.level[i].bytes);
        collisions(&m, cpu, cpus);
        servet_rig_close(&rig);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("paper_2010: standard output"), 2;
    return 0;
}

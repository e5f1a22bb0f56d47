/* bandwidth.c - what streams get of each level and of memory, and copies that bypass the caches, by size
 *
 *     cc -O2 examples/bandwidth.c -I. -lm -pthread -o bandwidth && ./bandwidth
 *
 * GB are 10^9 bytes, counted as the program loads and stores them; a regular store to a line that no cache has reads
 * it first, which the last column counts too, of memory.  Levels are taken as half of 32 KiB, half of 512 KiB, and
 * 64 MiB; non-temporal stores are of interest in memory, and for copies from the size where they win.  Loads in random
 * order are what streams are not: the last lines have their latency, by how far elements are apart. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>

static servet_rig rig;
static servet_bandwidth b, copies;

/* Below the size of a line several elements share one, and a load may find its line fetched already. */
static void print_strides(const servet_strides *s)
{
    int i, k;
    for (i = 0; i < s->sizes; i++)
        for (k = 0; k < SERVET_STRIDES; k++)
            if (s->ns[i][k] > 0)
                printf("%6.0f KiB in random order, elements %3d bytes apart: %6.1f ns [%.1f, %.1f]\n",
                       s->bytes[i] / 1024, s->stride_bytes[k], s->ns[i][k], s->lo_ns[i][k], s->hi_ns[i][k]);
}

int main(void)
{
    static const double bytes[] = { 16384, 262144, 67108864 };
    servet_cpus allowed;
    servet_machine m;
    servet_strides strides;
    int cpu[2], cpus, i, status;

    servet_machine_cpus(&allowed);
    cpu[0] = servet_cpus_next(&allowed, -1);
    cpu[1] = servet_cpus_next(&allowed, cpu[0]);
    cpus = cpu[1] < 0 ? 1 : 2;
    status = servet_rig_open(&rig, NULL);
    if (status >= 0) {
        m = servet_rig_machine(&rig);
        status = servet_bandwidth_kernels(&b, &m, bytes, 3, cpu, cpus, NULL);
        if (status >= 0) status = servet_bandwidth_stores(&copies, &m, 262144, 33554432, cpu, 1, NULL);
        if (status >= 0) status = servet_bandwidth_strides(&strides, &m, bytes + 1, 2, NULL);
        servet_rig_close(&rig);
    }
    if (status < 0) {
        fprintf(stderr, "bandwidth: %s\n", servet_status_text(status));
        return 1;
    }
    printf("kernel  stores        CPUs  KiB each    GB/s      lo      hi  with write-allocate\n");
    for (i = 0; i < b.count; i++) {
        const servet_bandwidth_point *p = &b.point[i];
        if (p->streaming && p->bytes < bytes[2]) continue;
        printf("%-7s %-12s %5d %9.0f %7.1f %7.1f %7.1f", servet_text(SERVET_TEXT_KERNEL, p->kernel),
               p->streaming ? "non-temporal" : "regular", p->cpus, p->bytes / 1024, p->bytes_per_s * 1e-9,
               p->lo_bytes_per_s * 1e-9, p->hi_bytes_per_s * 1e-9);
        if (p->bytes < bytes[2]) printf("\n");
        else printf("  %7.1f\n", p->allocate_bytes_per_s * 1e-9);
    }
    for (i = 0; i < copies.count; i++)
        printf("copies of %6.0f KiB, %-12s stores: %6.1f GB/s\n", copies.point[i].bytes / 1024,
               copies.point[i].streaming ? "non-temporal" : "regular", copies.point[i].bytes_per_s * 1e-9);
    print_strides(&strides);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("bandwidth: standard output"), 2;
    return 0;
}

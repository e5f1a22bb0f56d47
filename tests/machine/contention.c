/* contention.c - who shares and who collides on the machine at hand: what must hold anywhere, and what is left behind
 *
 * Which levels are shared is told, not asked: nobody knows it here. */
#include "servet.h"
#include "../tap.h"

#include <dirent.h>

enum { TRIES = 3 };

static servet_rig rig;
static servet_profile p;
static servet_sharing sharing;
static servet_contention contention;

static int threads(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* Of two CPUs a level is told for both or for neither.  Who shares a level shares those behind it. */
static int told(int levels)
{
    int i, k, ok = 1;
    for (i = 0; i < levels; i++) {
        const servet_sharing_level *l = &sharing.level[i];
        TAP_DIAG("level %d, %.0f KiB: %s, %s; log likelihood ratio %.1f, %d tests, %d rounds, %.3f s", i + 1,
                 l->bytes / 1024, servet_status_text(l->status),
                 l->unknown ? "unknown" : l->groups == 1 ? "shared" : "each its own", l->llr[0], l->tests, l->rounds,
                 l->seconds);
        ok &= l->unknown == 0 ? l->groups >= 1 && l->groups <= 2 && l->llr[0] >= 4.6 && l->llr[1] >= 4.6
            : l->group[0] == -1 && l->group[1] == -1;
        for (k = i; k < levels && l->groups == 1 && !l->unknown; k++)
            ok &= sharing.level[k].unknown > 0 || sharing.level[k].groups == 1;
    }
    return ok;
}

int main(void)
{
    servet_cpus before, after;
    servet_profile_opts po;
    servet_sharing_opts so;
    servet_machine m;
    servet_levels levels;
    int cpu[2], wrong[2], i, status, count, right = 0, sound = 0, slowed = 0, had;
    memset(&po, 0, sizeof po);
    memset(&so, 0, sizeof so);
    memset(&levels, 0, sizeof levels);
    if (servet_machine_cpus(&before) < 0 || before.count < 2) {
        TAP_SKIP(1, "fewer than two CPUs");
        return tap_done();
    }
    cpu[0] = servet_cpus_next(&before, -1);
    cpu[1] = servet_cpus_next(&before, cpu[0]);
    had = threads();
    po.run.budget_s = 4;     /* less does not get to memory */
    po.parts = SERVET_PART_CACHES;
    servet_profile_calibrate(&p, &po);
    if (p.cache_count < 2 || servet_rig_open(&rig, NULL) < 0) {
        TAP_SKIP(1, "the caches could not be found");
        return tap_done();
    }
    m = servet_rig_machine(&rig);
    if (!rig.pinned) {
        servet_rig_close(&rig);
        TAP_SKIP(1, "threads cannot be bound to CPUs here");
        return tap_done();
    }
    levels.count = p.cache_count;
    levels.memory_ns = p.memory_ns;
    for (i = 0; i < levels.count; i++) {
        servet_level *l = &levels.level[i];
        l->level = i + 1;
        l->bytes = p.cache[i].bytes;
        l->latency_ns = p.cache[i].latency_ns;
        l->ways = p.cache[i].ways;
        l->policy = p.cache[i].policy;
        l->placement = p.cache[i].placement;
    }
    so.run.budget_s = 3;
    for (i = 0; i < TRIES && !right; i++) {    /* a host moves CPUs between one core's threads and two cores */
        tap_then();
        status = servet_pairs_shared(&sharing, &m, &levels, cpu, 2, &so);
        right = told(status);
        if (status <= 0) break;
    }
    count = sharing.count;
    if (status != SERVET_ESTOPPED || !TAP_CROWDED(2)) {
        TAP_OK(status > 0 && status <= levels.count, "levels asked: %d, in %.2f s", status, sharing.seconds);
        TAP_OK(right, "each with its likelihood; who shares a level shares those behind it");
    }
    for (i = 0; i < TRIES; i++) {    /* two that others leave no CPU copy less than one */
        tap_then();
        status = servet_bandwidth_contention(&contention, &m, 32.0 * 1048576, cpu, 2, NULL);
        sound = status >= 0 && contention.reference_bytes_per_s > 1e8 && contention.gammas == 1
             && contention.gamma[0].lo <= contention.gamma[0].gamma
             && contention.gamma[0].gamma <= contention.gamma[0].hi;
        slowed = status == SERVET_ENOISE || (sound && contention.gamma[0].gamma >= 0.9);
        if (!slowed || tap_others() < TAP_MUCH) break;
    }
    if (!slowed || !TAP_CROWDED(1))
        TAP_OK(sound && !slowed, "two copy: %.1f GB/s alone, %.3f [%.3f, %.3f] lost together, in %.2f s",
               contention.reference_bytes_per_s / 1e9, contention.gamma[0].gamma, contention.gamma[0].lo,
               contention.gamma[0].hi, contention.seconds);
    wrong[0] = cpu[0];
    wrong[1] = 64 * SERVET_CPU_WORDS - 1;
    status = servet_pairs_shared(&sharing, &m, &levels, wrong, 2, &so);
    TAP_OK((status == SERVET_EPIN || status == SERVET_EINVAL) && sharing.count == count, "a CPU that is none: %s",
           servet_status_text(status));
    status = servet_bandwidth_contention(&contention, &m, 32.0 * 1048576, wrong, 2, NULL);
    TAP_OK(status == SERVET_EPIN || status == SERVET_EINVAL, "nor does it copy: %s", servet_status_text(status));
    servet_rig_close(&rig);
    TAP_OK(servet_machine_cpus(&after) >= 0 && !memcmp(&before, &after, sizeof before), "the mask is as it was");
    TAP_OK(threads() == had, "no thread is left");
    return tap_done();
}

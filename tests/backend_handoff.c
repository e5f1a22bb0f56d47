/* backend_handoff.c - hand-offs between CPUs of the machine at hand: nobody hangs, nothing is left; CPUs to visit */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "../servet.h"
#include "tap.h"

static servet_cores cores;

static int threads(void)
{
    char text[4096];
    int n = 0;
    if (servet__read_file("/proc/self/status", text, sizeof text) > 0 && strstr(text, "Threads:"))
        n = atoi(strstr(text, "Threads:") + 8);
    return n;
}

/* One that leads alone: the other leaves at once, or never answers. */
typedef struct lonely { servet__exchange w; int leaves, late, cas; uint32_t line[2][64]; int status; } lonely;

static int lonely_work(servet_team *team, void *arg)
{
    lonely *x = (lonely *)arg;
    if (x->leaves) return x->leaves;
    x->w.team = team;
    x->w.mine = x->line[0];
    x->w.theirs = x->cas ? x->line[0] : x->line[1];
    x->w.since_ns = servet__clock_ns() - (x->late ? 3e9 : 0);
    x->status = x->late == 2 ? servet__handoff_follow(&x->w) : servet__handoff_lead(&x->w, 1000);
    return x->status;
}

static void test_lonely(const int *cpu, const servet_cpus *allowed)
{
    static lonely x[2];
    int cas, late, status;
    for (cas = 0; cas < 2; cas++) {
        memset(x, 0, sizeof x);
        x[0].cas = cas;
        x[1].leaves = SERVET_ENOMEM;
        status = servet_team_run(cpu, 2, allowed, lonely_work, x, sizeof *x);
        TAP_OK(status == SERVET_ENOMEM && x[0].status == SERVET_ENOMEM, "a thread that fails frees the other (%s)",
               cas ? "CAS" : "flags");
        for (late = 1; late < 3; late++) {
            memset(x, 0, sizeof x);
            x[0].cas = cas;
            x[0].late = late;
            TAP_OK(servet_team_run(cpu, 1, allowed, lonely_work, x, sizeof *x) == SERVET_ENOISE
                   && x[0].status == SERVET_ENOISE, "nobody %s for two seconds", late == 1 ? "answers" : "leads");
        }
    }
}

/* Which CPUs are visited, of sets of any size, and which is taken. */
static void test_visited(void)
{
    const double equal[] = { 1.02, 1, 1.01 }, second[] = { 1.3, 1, 1.2 }, waits[] = { 1.3, 60, 1.2 };
    int cpu[SERVET__VISITED_CPUS], sets = 0, wrong = 0, i, n, size, now, step;
    for (size = 1; size <= 300; size++)
        for (step = 1; step < 4; step += 2)
            for (now = 0; now < 4; now++, sets++) {
                servet_cpus set;
                int widest = 0;
                memset(&set, 0, sizeof set);
                for (i = 0; i < size; i++) servet_cpus_add(&set, 1 + i * step);
                set.count = now;    /* a caller's, who set bits alone */
                memset(cpu, -1, sizeof cpu);
                n = servet__rig_visited(cpu, &set, now);
                wrong += n != (size < SERVET__VISITED_CPUS ? size : SERVET__VISITED_CPUS)
                      || (servet__cpus_has(&set, now) && cpu[0] != now);
                for (i = 0; i < n; i++) {
                    wrong += !servet__cpus_has(&set, cpu[i]);
                    if (i > 1 && cpu[i] - cpu[i - 1] > widest) widest = cpu[i] - cpu[i - 1];
                    if (i > 1) wrong += cpu[i] <= cpu[i - 1];
                }
                wrong += widest > step * (size / 7 + 2);
            }
    TAP_OK(wrong == 0, "of %d sets up to 8 CPUs are visited, this one first, the others evenly spaced", sets);
    TAP_OK(servet__quietest(equal, 1) == 0 && servet__quietest(equal, 3) == 0 && servet__quietest(second, 3) == 1
           && servet__quietest(waits, 3) == 2, "the thread stays unless it is clearly less disturbed elsewhere");
}

static void test_rig(void)
{
    static servet_rig rig;
    const uint32_t offset[2] = { 256, 256 };
    servet_sample out[4];
    servet_rig_opts ro;
    servet_machine m;
    servet_handoff q;
    servet_cpus before, after;
    int cpu[4], kind, home, i, ok, tasks, status;
    servet_machine_cpus(&before);
    cpu[0] = servet_cpus_next(&before, -1);
    cpu[1] = servet_cpus_next(&before, cpu[0]);
    memset(&ro, 0, sizeof ro);
    ro.hi_bytes = 1 << 20;
    ro.effort = 0.1;
    ro.cpu_plus_1 = cpu[0] + 1;
    if (cpu[1] < 0 || servet_rig_open(&rig, &ro) < 0 || !rig.pinned) {
        TAP_SKIP(1, "one CPU, no rig, or threads cannot be bound here");
        return;
    }
    m = servet_rig_machine(&rig);
    test_lonely(cpu, &before);
    tasks = threads();
    memset(&q, 0, sizeof q);
    q.cpu = cpu;
    q.pairs = 1;
    q.rounds = 4;
    for (kind = 0; kind < SERVET_HANDOFF_KINDS; kind++)
        for (home = 0; home < 2; home++) {
            q.kind = kind;
            q.home = home;
            memset(out, 0, sizeof out);
            status = m.handoff(m.ctx, &q, out);
            for (ok = 1, i = 0; i < 4; i++) ok &= out[i].ns > 0.5 && out[i].ns < 1e7 && out[i].anchor_cycles > 0;
            TAP_OK(status == SERVET_OK && ok, "%s, line of the %s: %.1f ns", kind ? "CAS" : "flags",
                   home ? "second" : "first", out[0].ns);
        }
    q.offset = offset;
    TAP_OK(m.handoff(m.ctx, &q, out) == SERVET_OK && out[0].ns > 0, "a line of a page for all");
    q.kind = SERVET_HANDOFF_FLAGS;
    TAP_OK(m.handoff(m.ctx, &q, out) == SERVET_EINVAL, "not with flags");
    q.kind = SERVET_HANDOFF_CAS;
    q.pairs = 2;
    TAP_OK(m.handoff(m.ctx, &q, out) == SERVET_EINVAL, "two pairs on one place");
    q.offset = NULL;
    cpu[2] = cpu[0];
    cpu[3] = cpu[1];
    TAP_OK(m.handoff(m.ctx, &q, out) == SERVET_EINVAL, "a CPU in two pairs");
    q.pairs = 0;
    ok = m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.pairs = 1;
    q.rounds = SERVET_SAMPLES_MAX + 1;
    ok &= m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.rounds = 1;
    q.home = 2;
    ok &= m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.home = 0;
    q.kind = SERVET_HANDOFF_KINDS;
    ok &= m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.kind = 0;
    q.effort = -1;
    ok &= m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.effort = 0;
    q.cpu = NULL;
    ok &= m.handoff(m.ctx, &q, out) == SERVET_EINVAL;
    q.cpu = cpu;
    TAP_OK(ok && m.handoff(m.ctx, NULL, out) == SERVET_EINVAL && m.handoff(m.ctx, &q, NULL) == SERVET_EINVAL,
           "bad arguments");
    status = servet_pairs_latency(&cores, &m, cpu, 2, NULL);
    TAP_OK(status >= 0 && cores.count == 2 && cores.sound + cores.contaminated == 1 && cores.ns[0][0] > 0.5f
           && cores.ns[1][0] > 0.5f, "%s: %.1f and %.1f ns, in %.3f s", status ? "sound" : "contaminated",
           (double)cores.ns[0][0], (double)cores.ns[1][0], cores.seconds);
    cpu[1] = 8191;
    TAP_OK(servet__cpus_has(&before, 8191) || (m.handoff(m.ctx, &q, out) == SERVET_EPIN
           && servet_pairs_latency(&cores, &m, cpu, 2, NULL) == SERVET_EPIN),
           "a CPU that is not there, or not allowed");
    TAP_OK(threads() == tasks, "no thread is left");
    servet_rig_close(&rig);
    servet_machine_cpus(&after);
    TAP_OK(memcmp(&before, &after, sizeof before) == 0, "the mask is as before");
}

int main(void)
{
    test_visited();
    test_rig();
    return tap_done();
}

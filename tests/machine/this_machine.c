/* this_machine.c - loose checks on the machine at hand: orders, ratios and what is left behind; never a time
 *
 * Every bound is one that a neighbour cannot break: ratios of readings taken beside each other, with room. */
#include "servet.h"
#include "../private.h"
#include "../tap.h"
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

static servet_profile profile;
static servet_curve curve;

static int mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    int c, lines = 0;
    if (!f) return -1;
    while ((c = getc(f)) != EOF) lines += c == '\n';
    fclose(f);
    return lines;
}

static void test_timer(void)
{
    servet_timer t, clock;
    servet_timer_opts o;
    servet_frequency f;
    uint64_t a, b;
    double ratio, before, after;
    int i;
    memset(&f, 0, sizeof f);
    TAP_OK(servet_timer_init(&t, NULL) == SERVET_OK, "a timer is found");
    TAP_OK(t.monotone && t.ns_per_tick > 0 && t.step_ns >= t.ns_per_tick && t.min_block_ns >= 1000 * t.step_ns,
           "its figures fit together");
    TAP_DIAG("calibrated in %.3f s", t.calibrate_s);
    memset(&o, 0, sizeof o);
    o.source = SERVET_TIMER_CLOCK;
    TAP_OK(servet_timer_init(&clock, &o) == SERVET_OK && clock.source == SERVET_TIMER_CLOCK, "the clock can be chosen");
    for (i = 0, ratio = 0; i < 5 && !(ratio > 0.99 && ratio < 1.01); i++) {    /* or interrupted */
        before = servet__clock_ns();
        a = servet_timer_start(&t);
        while (servet__clock_ns() - before < 20e6) { }
        b = servet_timer_stop(&t);
        after = servet__clock_ns();
        ratio = servet_timer_ns(&t, a, b) / (after - before);
    }
    TAP_OK(ratio > 0.99 && ratio < 1.01, "20 ms by the timer are %.4f of those by the clock", ratio);
    o.source = 7;
    TAP_OK(servet_timer_init(&t, &o) == SERVET_EINVAL && t.ns_per_tick > 0, "a source that does not exist is refused");
    TAP_OK(servet_timer_frequency(&f, &t, 0.05) == SERVET_OK && f.lo_ghz <= f.ghz && f.ghz <= f.hi_ghz && f.ghz > 0.02
           && f.ghz < 20, "the core runs at %.3f GHz [%.3f, %.3f]", f.ghz, f.lo_ghz, f.hi_ghz);
    if (f.units)
        TAP_OK(f.l1_cycles > 1.5 && f.l1_cycles < 12, "a first-level load takes %.2f of its cycles", f.l1_cycles);
    else
        TAP_SKIP(1, "no additions of known length here");
}

static void test_pinning(void)
{
    servet_cpus before, saved, after;
    int cpu, status;
    servet_machine_cpus(&before);
    TAP_OK(before.count > 0 && servet_cpus_next(&before, -1) >= 0, "%d CPUs may be used", before.count);
    cpu = servet_cpus_next(&before, -1);
    status = servet__machine_pin(cpu, &saved);
    if (status == SERVET_EUNSUPPORTED) {
        TAP_SKIP(3, "no affinity here");
        return;
    }
    TAP_OK(status == SERVET_OK && servet__cpu_now() == cpu, "the thread is bound to CPU %d", cpu);
    servet__machine_restore(&saved);
    servet_machine_cpus(&after);
    TAP_OK(!memcmp(&before, &after, sizeof before), "and is as free as before afterwards");
    TAP_OK(servet__machine_pin(8191, &saved) < 0 && servet__machine_pin(-1, &saved) == SERVET_EINVAL,
           "CPUs that are not there are refused");
}

/* What the reference chains of every sample rest on: independent additions are faster than dependent ones.  All cores
 * of these architectures issue two at once at least; others may issue one. */
static void test_adds(const servet_timer *t)
{
    enum { TRIES = 400, TURNS = 512 };
    double one = HUGE_VAL, many = HUGE_VAL;
    int i, wide = 0;
#if defined(__x86_64__) || defined(__aarch64__)
    wide = 1;
#endif
    for (i = 0; i < TRIES; i++) {
        one = fmin(one, servet__add_ns(t, TURNS));
        many = fmin(many, servet__adds_ns(t, TURNS));
    }
    TAP_OK(many > one / 16 && many < (wide ? 0.75 : 1.05) * one,
           "an addition takes %.3f ns in one chain, %.3f in eight", one, many);
}

/* Pages that alias: refusals, and that a track in them misses translations, not data.  Where the system has none, the
 * status says so. */
static void test_alias(const servet_machine *m)
{
    enum { FEW = 32, MANY = 16384, TURNS = 25 };
    static uint32_t place[MANY];
    const uint32_t page = (uint32_t)(sysconf(_SC_PAGESIZE) / SERVET_PLACE_BYTES);
    double ns[SERVET_TRACK_PARTS], few = 0, many = 0;
    servet_sample sample;
    servet_track t;
    struct rlimit before, small;
    int i, status;
    memset(&t, 0, sizeof t);
    for (i = 0; i < MANY; i++) place[i] = (uint32_t)i * page + (uint32_t)(i % SERVET_ALIAS_FRAMES * 8) % page;
    t.place = place;
    t.n = FEW;
    t.repeats = 1;
    t.pages = SERVET_PAGES_ALIAS;
    TAP_OK(m->track(m->ctx, &t, ns, &sample) == SERVET_EINVAL, "pages that alias: of raw tracks only");
    t.raw = 1;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 512;
    setrlimit(RLIMIT_FSIZE, &small);
    status = m->track(m->ctx, &t, ns, &sample);
    setrlimit(RLIMIT_FSIZE, &before);
    TAP_OK(status == SERVET_ENOMEM || status == SERVET_EUNSUPPORTED, "none below the limit of file sizes, no signal");
    status = m->track(m->ctx, &t, ns, &sample);
    if (status == SERVET_EUNSUPPORTED || status == SERVET_ENOMEM) {
        TAP_SKIP(3, "no pages that alias here: %s", servet_status_text(status));
        return;
    }
    TAP_OK(status == SERVET_OK, "they are there");
    for (i = 0; i < TURNS; i++) {
        t.between = place;
        t.between_n = FEW;
        m->track(m->ctx, &t, ns, &sample);
        few = i == 0 || ns[0] < few ? ns[0] : few;
        t.between_n = MANY;
        m->track(m->ctx, &t, ns, &sample);
        many = i == 0 || ns[0] < many ? ns[0] : many;
    }
    TAP_OK(many > few, "behind 16384 pages a load takes longer than behind 32: %.2f, %.2f ns", many, few);
    place[3] = page * SERVET_ALIAS_PAGES;
    TAP_OK(m->track(m->ctx, &t, ns, &sample) == SERVET_EINVAL, "a place behind them is refused");
}

static void test_rig(void)
{
    servet_rig rig;
    servet_rig_opts o;
    servet_machine m;
    servet_mcalibrator_opts sweep;
    servet_cpus before, after;
    double bytes[3] = { 8192, 262144, 33554432 };
    const int maps = mappings();
    int i, inside = 0;
    memset(&o, 0, sizeof o);
    memset(&sweep, 0, sizeof sweep);
    servet_machine_cpus(&before);
    o.hi_bytes = 33554432;
    TAP_OK(servet_rig_open(&rig, &o) == SERVET_OK, "memory and timer are ready");
    m = servet_rig_machine(&rig);
    sweep.bytes = bytes;
    sweep.byte_count = 3;
    sweep.rounds_min = 3;
    curve.count = 0;
    TAP_OK(servet_mcalibrator_sweep(&curve, &m, &sweep) == SERVET_OK && curve.count == 3, "three footprints are swept");
    TAP_OK(curve.point[0].ns < curve.point[1].ns && curve.point[1].ns < curve.point[2].ns,
           "8 KiB %.2f, 256 KiB %.2f, 32 MiB %.2f ns", curve.point[0].ns, curve.point[1].ns, curve.point[2].ns);
    for (i = 0; i < 3; i++)
        inside += curve.point[i].lo_ns <= curve.point[i].ns && curve.point[i].ns <= curve.point[i].hi_ns;
    TAP_OK(inside == 3, "each latency lies in its interval");
    bytes[2] = 1e12;
    TAP_OK(servet_mcalibrator_sweep(&curve, &m, &sweep) == SERVET_EINVAL, "more than was mapped is refused");
    test_alias(&m);
    test_adds(&rig.timer);
    servet_rig_close(&rig);
    servet_machine_cpus(&after);
    TAP_OK(!memcmp(&before, &after, sizeof before), "no binding is left");
    if (maps < 0) TAP_SKIP(1, "no /proc/self/maps");
    else TAP_OK(mappings() <= maps + 2, "no mapping is left (%d lines, %d before)", mappings(), maps);
}

/* A thread that spins on a CPU until it is told to end. */
typedef struct spinner { int cpu, begun, end; } spinner;

static int spinner_work(servet_team *team, void *arg)
{
    spinner *b = (spinner *)arg;
    (void)team;
    __atomic_store_n(&b->begun, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&b->end, __ATOMIC_ACQUIRE)) { }
    return SERVET_OK;
}

static void *spinner_run(void *arg)
{
    spinner *b = (spinner *)arg;
    if (servet_team_run(&b->cpu, 1, NULL, spinner_work, b, sizeof *b) < 0)
        __atomic_store_n(&b->begun, -1, __ATOMIC_RELEASE);
    return NULL;
}

/* Of two CPUs, of which one has a thread that never rests, the other is measured on. */
static void test_chosen(void)
{
    enum { TRIES = 12, SPOILT = 2 };
    servet_rig_opts o;
    servet_rig rig;
    servet_cpus all, two, saved;
    spinner busy;
    pthread_t thread;
    int other, i, right = 0, opened = 0;
    servet_machine_cpus(&all);
    memset(&busy, 0, sizeof busy);
    memset(&two, 0, sizeof two);
    memset(&o, 0, sizeof o);
    busy.cpu = servet_cpus_next(&all, -1);
    other = servet_cpus_next(&all, busy.cpu);
    if (other < 0 || pthread_create(&thread, NULL, spinner_run, &busy) != 0) {
        TAP_SKIP(1, "one CPU, or no thread");
        return;
    }
    while (!__atomic_load_n(&busy.begun, __ATOMIC_ACQUIRE)) sched_yield();
    servet_cpus_add(&two, busy.cpu);
    servet_cpus_add(&two, other);
    o.hi_bytes = 1 << 20;
    o.cpus = &two;
    tap_then();
    for (i = 0; i < TRIES && servet__machine_pin(busy.cpu, &saved) >= 0; i++) {    /* where it would stay */
        if (servet_rig_open(&rig, &o) >= 0) {
            opened += rig.pinned;
            right += rig.pinned && rig.cpu == other && servet__cpu_now() == other;
            servet_rig_close(&rig);
        }
        servet__machine_restore(&saved);
    }
    __atomic_store_n(&busy.end, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    if (opened == 0 || busy.begun < 0) TAP_SKIP(1, "threads cannot be bound here");
    else if (right >= opened - SPOILT || !TAP_CROWDED(1))
        TAP_OK(right >= opened - SPOILT, "of two CPUs, one of them busy, the other is chosen in %d of %d", right,
               opened);
}

static int stop_after;

static int stop_at_once(void *ctx)
{
    return ++*(int *)ctx > stop_after;
}

static void test_profile(void)
{
    servet_profile_opts o;
    int calls = 0, status, i, ordered = 1, inside = 0;
    memset(&o, 0, sizeof o);
    o.run.budget_s = 0.3;
    tap_then();
    status = servet_profile_calibrate(&profile, &o);
    for (i = 1; i < profile.cache_count; i++) {    /* 0 ns: not told in the time */
        const servet_cache *c = &profile.cache[i];
        ordered = ordered && c->bytes > c[-1].bytes && (c->latency_ns > c[-1].latency_ns || c->latency_ns <= 0);
        if (!ordered) TAP_DIAG("%.0f bytes of %.2f ns, then %.0f of %.2f", c[-1].bytes, c[-1].latency_ns, c->bytes,
                               c->latency_ns);
    }
    TAP_OK(status == SERVET_OK && profile.cache_count > 0, "%d cache levels are found in 0.3 s", profile.cache_count);
    if (ordered || !TAP_CROWDED(1)) TAP_OK(ordered, "each larger and slower than the one before");
    for (i = 0; i < profile.cache_count; i++)
        inside += profile.cache[i].lo_bytes <= profile.cache[i].bytes
               && profile.cache[i].bytes <= profile.cache[i].hi_bytes;
    TAP_OK(inside == profile.cache_count, "each size lies in its interval");
    servet_profile_free(&profile);
    o.run.stop = stop_at_once;
    o.run.budget_s = 3;    /* so that it is stopped, not over, on a slow machine too */
    o.run.ctx = &calls;
    for (stop_after = 2500; stop_after <= 20000; stop_after *= 2) {    /* beside others none may be counted so soon */
        calls = 0;
        status = servet_profile_calibrate(&profile, &o);
        if (status != SERVET_ESTOPPED) break;
    }
    TAP_OK(status == SERVET_OK && profile.made.stopped
           && (profile.evidence->counts > 0 || profile.evidence->curve.count > 0)
           && !profile.made.converged,
           "stopped in the middle it keeps what it knows");
}

static void test_traversal(void)
{
    double bytes[16], cycles[16];
    int n = servet_mcalibrator(bytes, cycles, 16, 4096, 4194304), i, positive = 1;
    TAP_OK(n == 12, "the traversal of 2010 visits %d sizes from 4 KiB to 4 MiB", n);
    for (i = 0; i < n; i++) positive = positive && cycles[i] > 0.5;
    TAP_OK(positive && bytes[9] == 2097152 && bytes[10] == 3145728, "doubling up to 2 MiB, then by 1 MiB");
    TAP_OK(servet_mcalibrator(bytes, cycles, 3, 4096, 4194304) == SERVET_ESPACE, "too small an array is refused");
}

int main(void)
{
    test_timer();
    test_pinning();
    test_rig();
    test_chosen();
    test_profile();
    test_traversal();
    return tap_done();
}

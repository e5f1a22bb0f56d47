/* hierarchy_survival.c - how long lines stay that are left alone: half-lives beside others who insert lines at a known
 * rate, what a program may count on, bad arguments
 *
 * SURVIVAL_SEEDS=n takes so many runs of each machine and rate instead of 12; SURVIVAL_VERBOSE=1 tells of every one. */
#include "servet.h"
#include "private.h"
#include "sim.h"
#include "tap.h"

#define MIB 1048576.0

static servet_survivals e;
static servet_survival s[SERVET_SURVIVAL_SIZES];
static servet_profile p;

/* Small levels, as the model goes through every line: 128 KiB and 2 MiB, of random replacement and of LRU. */
#define TEST_MACHINE(policy) { "survival", "two levels", 4096, SIM_SCATTERED, \
      { SIM_L(128, 8, 64, 4, LRU, PHYSICAL, APART), SIM_L(2048, 16, 64, 18, policy, HASHED, APART), SIM_NONE, \
        SIM_NONE }, \
      { SIM_T(64, 0, 2), SIM_T(2048, 8, 10) }, 95, 0, 0, 1, SIM_NO_HUGE, SIM_T0, SIM_PLAIN }
static const sim_spec machines[] = { TEST_MACHINE(RANDOM), TEST_MACHINE(LRU) };
enum { MACHINES = 2 };

static int measure(const sim_spec *spec, const double *insert_per_us, double busy_frac, int noise, double budget_s,
                   uint64_t seed)
{
    static sim at;
    servet_machine m;
    servet_run run;
    int status;
    memset(&e, 0, sizeof e);
    memset(&run, 0, sizeof run);
    run.seed = seed;
    run.budget_s = budget_s;
    if (sim_open(&at, spec, &sim_noises[noise], seed) < 0) return SERVET_EINVAL;
    at.insert_per_us[0] = insert_per_us[0];
    at.insert_per_us[1] = insert_per_us[1];
    at.insert_busy_frac = busy_frac;
    m = sim_machine(&at);
    status = servet__hierarchy_survival(&e, &m, spec->level[1].bytes, spec->level[0].bytes, &run);
    sim_close(&at);
    return status < 0 ? status : servet__survival_infer(s, &e);
}

/* Half-lives of a rate: those that lie within what was waited for are near the law's, those that do not are open. */
static void test_rates(int seeds, int verbose)
{
    static const double half_ms[] = { 0.3, 2, 20, 400 };
    const double lines = machines[0].level[1].bytes / 64;
    int r, m, i, k;
    for (r = 0; r < 4; r++) {
        const double truth_ns = 1e6 * half_ms[r];
        const double rate[2] = { log(2) * lines / (1e3 * half_ms[r]), 0 };
        int all = 0, near_ = 0, covered = 0, open = 0, runs = 0;
        for (m = 0; m < MACHINES; m++)
            for (i = 0; i < seeds; i++) {
                const int n = measure(&machines[m], rate, 0, i % 2 ? SIM_QUIET : SIM_GUEST, 1.5,
                                      (uint64_t)(100 * r + i));
                runs += n == 5;
                for (k = 0; k < n && s[k].bytes < 0.6 * machines[m].level[1].bytes; k++) {
                    if (s[k].bytes < 64 * SERVET_COUNT_BLOCK) continue;      /* a line of each of 16 */
                    all++;
                    open += s[k].half_ns == 0;
                    near_ += fabs(log(s[k].half_ns / truth_ns)) < log(1.25);
                    covered += s[k].lo_half_ns <= truth_ns && (s[k].hi_half_ns >= truth_ns || s[k].hi_half_ns == 0);
                    if (verbose)
                        printf("# machine %d, rate %d, seed %d: %.0f KiB: %.3g [%.3g, %.3g] of %.3g ms\n", m, r, i,
                               s[k].bytes / 1024, s[k].half_ns * 1e-6, s[k].lo_half_ns * 1e-6, s[k].hi_half_ns * 1e-6,
                               half_ms[r]);
                }
            }
        TAP_OK(runs == MACHINES * seeds, "half-life %g ms: %d of %d runs give all sizes", half_ms[r], runs,
               MACHINES * seeds);
        if (truth_ns > 50e6)
            TAP_OK(open == all && covered == all, "half-life %g ms: %d of %d open, as longer than was waited for",
                   half_ms[r], open, all);
        else
            TAP_OK(near_ >= 0.95 * all && covered >= 0.9 * all, "half-life %g ms: %d of %d within 25 %%, %d in their "
                   "intervals", half_ms[r], near_, all, covered);
    }
}

/* A neighbour of one moment in three: what is mostly had, at best and at worst. */
static void test_quarters(int seeds)
{
    const double lines = machines[0].level[1].bytes / 64, half_ms[2] = { 40, 0.5 };
    double rate[2];
    int i, k, all = 0, mostly = 0, best = 0, worst = 0;
    for (k = 0; k < 2; k++) rate[k] = log(2) * lines / (1e3 * half_ms[k]);
    for (i = 0; i < seeds; i++) {
        const int n = measure(&machines[i % MACHINES], rate, 0.33, SIM_QUIET, 4, (uint64_t)(900 + i));
        for (k = 0; k < n && s[k].bytes < 0.6 * machines[0].level[1].bytes; k++) {
            if (s[k].bytes < 64 * SERVET_COUNT_BLOCK) continue;
            all++;
            mostly += s[k].half_ns > 8e6;
            best += s[k].quiet_half_ns == 0 || s[k].quiet_half_ns > 25e6;
            worst += s[k].busy_half_ns > 0 && s[k].busy_half_ns < 1.5e6;
        }
    }
    TAP_OK(all >= 3 * seeds && mostly >= 0.8 * all && best >= 0.9 * all && worst >= 0.8 * all,
           "busy one moment in three: of %d sizes %d mostly keep, %d at best for long, %d at worst hardly", all, mostly,
           best, worst);
}

/* Nobody else: nothing is lost, of what fits. */
static void test_alone(void)
{
    static const double none[2] = { 0, 0 };
    const int n = measure(&machines[0], none, 0, SIM_SILENT, 1, 5);
    int k, ok = n == 5;
    for (k = 0; k < n && s[k].bytes < 0.6 * machines[0].level[1].bytes; k++)
        ok &= s[k].half_ns == 0 && s[k].frac[s[k].waits - 1] > 0.97;
    TAP_OK(ok, "alone: lines stay");
}

static int ask(servet_answer *a, double seconds)
{
    servet_question q;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_RESIDENT;
    q.seconds = seconds;
    return servet_ask(a, &p, &q);
}

/* Bytes to count on fall with time, never to 0; three quarters of a set that large stay by the law. */
static void test_use(int seeds)
{
    const double lines = machines[0].level[1].bytes / 64, rate[2] = { log(2) * lines / 5e3, 0 };
    const double times[] = { 0, 1e-4, 1e-3, 1.5e-3, 3e-3, 1e-2, 1 };
    servet_answer a;
    int i, k, falls = 0, before = 0, after = 0;
    for (i = 0; i < seeds; i++) {
        double last = HUGE_VAL;
        int ok = 1;
        memset(&p, 0, sizeof p);
        p.survival_count = measure(&machines[0], rate, 0, SIM_QUIET, 1.5, (uint64_t)(500 + i));
        memcpy(p.survival, s, sizeof s);
        for (k = 0; k < 7; k++) {
            ok &= ask(&a, times[k]) == 0 && a.value > 0 && a.value <= last && a.lo <= a.value && a.value <= a.hi
                  && a.source == SERVET_SOURCE_MEASURED;
            last = a.value;
        }
        falls += ok;
        before += ask(&a, 1.5e-3) == 0 && a.value >= MIB;      /* of 5 ms a quarter is lost after 2.1 */
        after += ask(&a, 3e-3) == 0 && a.value < MIB / 8;
    }
    TAP_OK(falls == seeds, "bytes to count on fall with the time until they are used again in %d of %d", falls, seeds);
    TAP_OK(before >= 0.9 * seeds && after >= 0.9 * seeds, "half the level before a quarter is lost: %d of %d; not "
           "after it: %d", before, seeds, after);
    memset(&p, 0, sizeof p);
    TAP_OK(ask(&a, 1) == 0 && a.value > 0 && a.source == SERVET_SOURCE_DEFAULT, "not measured: a default");
    TAP_OK(ask(&a, -1) == SERVET_EINVAL && ask(&a, NAN) == SERVET_EINVAL, "a time below 0, or none");
}

/* The whole way: calibrated, written, read, inferred again from the evidence. */
static void test_profile(void)
{
    const double rate[2] = { log(2) * machines[0].level[1].bytes / 64 / 5e3, 0 };
    static servet_profile again;
    static sim at;
    servet_profile_opts o;
    servet_machine m;
    servet_answer a, b;
    char *text;
    size_t length;
    int status, ok;
    memset(&o, 0, sizeof o);
    sim_open(&at, &machines[0], &sim_noises[SIM_QUIET], 77);
    at.insert_per_us[0] = rate[0];
    m = sim_machine(&at);
    o.machine = &m;
    o.parts = SERVET_PART_SURVIVAL;
    o.run.budget_s = 4;
    o.hi_bytes = 33554432;
    status = servet_profile_calibrate(&p, &o);
    sim_close(&at);
    TAP_OK(status >= 0 && p.survival_count >= 4 && p.made.parts & SERVET_PART_SURVIVAL, "calibrated: %d sizes",
           p.survival_count);
    length = servet_profile_write(&p, NULL, 0);
    text = (char *)malloc(length + 1);
    if (!text) return;
    servet_profile_write(&p, text, length + 1);
    ok = servet_profile_parse(&again, text, length, NULL) >= 0;
    TAP_OK(ok && again.survival_count == p.survival_count
           && !memcmp(again.survival, p.survival, sizeof p.survival), "read as written");
    again.survival_count = 0;
    servet_profile_infer(&again);
    TAP_OK(again.survival_count == p.survival_count && !memcmp(again.survival, p.survival, sizeof p.survival),
           "the same again from the evidence");
    ok = ask(&a, 1e-3) == 0 && ask(&b, 2e-2) == 0;
    TAP_OK(ok && a.value > 4 * b.value, "%.0f KiB to count on for a ms, %.0f for 20", a.value / 1024, b.value / 1024);
    free(text);
    servet_profile_free(&p);
    servet_profile_free(&again);
}

static void test_arguments(void)
{
    static const double none[2] = { 0, 0 };
    static servet_machine m;
    servet_run run;
    memset(&run, 0, sizeof run);
    memset(&e, 0, sizeof e);
    m.seconds = sim_seconds;
    TAP_OK(servet__survival_infer(s, &e) == 0, "no evidence: no answer");
    TAP_OK(servet__hierarchy_survival(&e, &m, MIB, 2 * MIB, &run) == SERVET_EINVAL, "a level below the one before");
    TAP_OK(servet__hierarchy_survival(&e, &m, MIB, 0, &run) == SERVET_EUNSUPPORTED, "a machine without tracks");
    TAP_OK(measure(&machines[0], none, 0, SIM_SILENT, 1e-9, 1) == 0 && e.count == 1,
           "no time: one point, and no answer");
}

int main(void)
{
    const int seeds = getenv("SURVIVAL_SEEDS") ? atoi(getenv("SURVIVAL_SEEDS")) : 12;
    const int verbose = getenv("SURVIVAL_VERBOSE") != NULL;
    test_rates(seeds, verbose);
    test_quarters(seeds);
    test_alone();
    test_use(seeds);
    test_profile();
    test_arguments();
    return tap_done();
}

/* test_cores.c - several CPUs at the last level: who shares it, is it exclusive, what is to be had of it over time
 *
 * CORES_SEEDS=10 takes so many seeds of every modelled machine at three noises instead of one of some at one;
 * CORES_VERBOSE=1 tells of each; CORES_REAL=seconds measures this machine too, and tells what it found. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

#include <dirent.h>

static servet_shared_evidence evidence;
static sim one_sim, other_sim;

/* ---- made evidence --------------------------------------------------------------------------- */

/* Curves as the model has them, 20 points each: so many copies of a level of so many bytes; it need not hold what each
 * CPU adds. */
static void make_evidence(servet_shared_evidence *e, int cpus, int rounds, double level_bytes, int copies,
                          double added_bytes, double noise, uint64_t seed)
{
    int i, r, j;
    memset(e, 0, sizeof *e);
    e->cpus = cpus;
    e->rounds = rounds;
    for (r = 0; r < rounds; r++) e->round_s[r] = r;
    for (j = 0; j < 2; j++) {
        const double added = added_bytes * (j ? cpus : 1), capacity = level_bytes * (j ? copies : 1) + added;
        for (i = 0; i < 20; i++) {
            servet_shared_point *p = &e->point[e->count++];
            const double bytes = floor(capacity * 0.3 * pow(9, i / 19.0) / 4096) * 4096;
            p->cpus = j ? cpus : 1;
            p->bytes = bytes;
            for (r = 0; r < rounds; r++)
                p->ns[r] = (10 + 50 * servet_fit_miss_rate((bytes - added) / (j ? copies : 1) / 4096,
                                                           level_bytes / 4096, 16, SERVET_POLICY_LRU,
                                                           SERVET_PLACEMENT_RANDOM))
                         * (1 + noise * (servet_stats_random_unit(&seed) - 0.5));
        }
    }
}

static void test_made(void)
{
    const double mib = 1048576;
    servet_shared r;
    servet_shared_evidence *e = &evidence;
    memset(&r, 0, sizeof r);
    make_evidence(e, 4, 6, 8 * mib, 1, mib, 0.02, 1);
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_OK, "X = 8 + 1, X_4 = 8 + 4 MiB");
    TAP_OK(r.sharing == SERVET_SHARING_ALL, "all share it");
    TAP_OK(r.exclusive == SERVET_EXCLUSIVE_YES, "it is exclusive (a %.2f [%.2f, %.2f])", r.extra, r.lo_extra,
           r.hi_extra);
    TAP_NEAR(r.bytes, 8 * mib, 0.05, "of 8 MiB");
    TAP_OK(r.lo_bytes <= 8 * mib && 8 * mib <= r.hi_bytes, "in its interval [%.3f, %.3f]",
           r.lo_bytes / mib, r.hi_bytes / mib);
    TAP_NEAR(r.all_bytes, 12 * mib, 0.03, "all together 12");
    make_evidence(e, 8, 6, 8 * mib, 1, 0, 0.02, 2);
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_ALL
           && r.exclusive == SERVET_EXCLUSIVE_NO, "X = X_8: shared, not exclusive");
    TAP_NEAR(r.bytes, 8 * mib, 0.05, "of 8 MiB");
    make_evidence(e, 2, 6, 8 * mib, 1, 0, 0.02, 2);
    TAP_OK(servet_fit_shared(&r, e, mib / 8, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_ALL
           && r.exclusive == SERVET_EXCLUSIVE_UNKNOWN, "two CPUs of 128 KiB are too little to tell that of 8 MiB");
    TAP_OK(r.lo_bytes < 8 * mib - mib / 8 && r.hi_bytes >= 8 * mib, "and the interval spans both");
    make_evidence(e, 4, 6, 8 * mib, 4, 0, 0.02, 3);
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_NONE
           && r.exclusive == SERVET_EXCLUSIVE_UNKNOWN, "X_4 = 4 X: each has its own");
    TAP_OK(r.lo_copies <= 4 && 4 <= r.hi_copies, "four copies (%.2f)", r.copies);
    e->told = SERVET_SHARING_ALL;
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_UNKNOWN,
           "and pairs that say the contrary: unknown");
    e->told = SERVET_SHARING_NONE;
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_NONE, "the same: so it is");
    e->told = SERVET_SHARING_ALL + 1;
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EINVAL, "something else: invalid");
    make_evidence(e, 4, 6, 8 * mib, 2, 0, 0.02, 3);
    TAP_OK(servet_fit_shared(&r, e, mib / 4, NULL) == SERVET_OK && r.sharing == SERVET_SHARING_PART,
           "X_4 = 2 X: two and two share one");
    TAP_NEAR(r.copies, 2, 0.05, "two copies");
    make_evidence(e, 4, 6, 8 * mib, 1, 0, 0.02, 3);
    memset(&r, 7, sizeof r);
    {
        static servet_shared before;
        int i, k;
        before = r;
        for (i = 0; i < e->count; i++) for (k = 0; k < e->rounds; k++) e->point[i].ns[k] = 10;
        TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EUNRESOLVED, "nothing rises");
        for (i = 0; i < e->count; i++) for (k = 0; k < e->rounds; k++) e->point[i].ns[k] = i % 2 ? 100 : 10;
        TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EUNRESOLVED, "up and down");
        e->count = 9;
        TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EUNRESOLVED, "one curve");
        e->count = 0;
        TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EUNRESOLVED, "nothing");
        TAP_OK(memcmp(&r, &before, sizeof r) == 0, "the output is untouched");
    }
    make_evidence(e, 4, 6, 8 * mib, 1, 0, 0.02, 3);
    TAP_OK(servet_fit_shared(&r, e, 0, NULL) == SERVET_EINVAL && servet_fit_shared(NULL, e, mib, NULL) == SERVET_EINVAL
           && servet_fit_shared(&r, NULL, mib, NULL) == SERVET_EINVAL, "bad arguments");
    e->point[3].ns[2] = -1;
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EINVAL, "a latency below 0");
    e->point[3].ns[2] = 0.0 / (e->point[3].ns[3] - e->point[3].ns[3]);
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EINVAL, "not a number");
    make_evidence(e, 1, 6, 8 * mib, 1, 0, 0.02, 3);
    TAP_OK(servet_fit_shared(&r, e, mib, NULL) == SERVET_EINVAL, "one CPU");
    TAP_OK(sizeof(servet_shared_evidence) < 16384, "the evidence takes %d bytes", (int)sizeof(servet_shared_evidence));
    TAP_OK(strcmp(servet_fit_sharing_text(SERVET_SHARING_PART), "shared by some") == 0
           && strcmp(servet_fit_sharing_text(9), "unknown") == 0
           && strcmp(servet_fit_exclusive_text(SERVET_EXCLUSIVE_YES), "exclusive") == 0
           && strcmp(servet_fit_exclusive_text(-1), "unknown") == 0, "in words");
}

/* ---- modelled machines ----------------------------------------------------------------------- */

enum { NO_TRUTH = -1 };

/* CPUs to chase with: of those that share the last level, or all there are; no two share a private one. */
static int choose(const sim_spec *spec, int most, int *cpu)
{
    const int last = sim_truth_levels(spec) - 1, cores = spec->level[last].cores > 1 ? spec->level[last].cores : 0;
    int k, step = 1, l;
    for (l = 0; l < last; l++) if (spec->level[l].cores > step) step = spec->level[l].cores;
    for (k = 0; k < most && k * step < (cores ? cores : spec->cpus) && k * step < spec->cpus; k++) cpu[k] = k * step;
    return k;
}

static int truth_exclusive(const sim_spec *spec)
{
    const int last = sim_truth_levels(spec) - 1;
    switch (spec->level[last].relation) {
    case SIM_EXCLUSIVE: return SERVET_EXCLUSIVE_YES;
    case SIM_INCLUSIVE: return SERVET_EXCLUSIVE_NO;
    default: break;
    }
    /* Apart from one that keeps part of what does not fit, it loses that part and holds other things: both add up. */
    switch (spec->level[last - 1].policy) {
    case SIM_LRU: case SIM_FIFO: case SIM_PLRU: return SERVET_EXCLUSIVE_NO;
    default: return NO_TRUTH;
    }
}

typedef struct tally {
    int runs, failed, shared, shared_wrong, judged, right, wrong, size_judged, within10, covered;
} tally;

static void add(tally *sum, const tally *t)
{
    sum->runs += t->runs;
    sum->failed += t->failed;
    sum->shared += t->shared;
    sum->shared_wrong += t->shared_wrong;
    sum->judged += t->judged;
    sum->right += t->right;
    sum->wrong += t->wrong;
    sum->size_judged += t->size_judged;
    sum->within10 += t->within10;
    sum->covered += t->covered;
}

/* What servet says of a machine; a status. */
static int ask(servet_shared *r, const servet_machine *m, const sim_spec *spec, const int *cpu, int cpus, int seed,
               double budget_s)
{
    const int last = sim_truth_levels(spec) - 1;
    servet_hierarchy_opts o;
    servet_fit_opts fit;
    int status;
    memset(&o, 0, sizeof o);
    memset(&fit, 0, sizeof fit);
    o.seed = (uint64_t)seed;
    o.budget_s = budget_s;
    fit.page_bytes = o.page_bytes = spec->page_bytes;
    o.line_bytes = spec->level[0].line_bytes;
    /* an earlier curve is some way off */
    status = servet_hierarchy_shared(&evidence, m, cpu, cpus, sim_truth_bytes(spec, last - 1),
                                     sim_truth_bytes(spec, last) * (seed % 2 ? 0.8 : 1.2), &o);
    return status < 0 ? status : servet_fit_shared(r, &evidence, sim_truth_bytes(spec, last - 1), &fit);
}

/* Of all answers: in how many of the intervals is what there is?  No neighbour of the model uses the last level. */
static int answers, effective_covered, busy_covered;

static tally try_machine(const sim_spec *spec, const sim_noise *noise, int seed, int most, double budget_s)
{
    const int last = sim_truth_levels(spec) - 1, shared = spec->level[last].cores > 1;
    const double x = sim_truth_bytes(spec, last), c = spec->level[last].relation == SIM_EXCLUSIVE
                                                    ? x - sim_truth_bytes(spec, last - 1) : x;
    servet_machine m;
    servet_shared r;
    tally t;
    int cpu[SIM_CPUS], cpus = choose(spec, most, cpu), status, truth = truth_exclusive(spec);
    memset(&t, 0, sizeof t);
    memset(&r, 0, sizeof r);
    if (cpus < 2 || sim_open(&one_sim, spec, noise, (uint64_t)seed) < 0) return t;
    one_sim.exact = 512;
    m = sim_machine(&one_sim);
    m.bytes = 1e9;
    status = ask(&r, &m, spec, cpu, cpus, seed, budget_s);
    t.runs = 1;
    t.failed = status < 0;
    if (status >= 0) {
        t.shared = r.sharing == (shared ? SERVET_SHARING_ALL : SERVET_SHARING_NONE);
        t.shared_wrong = !t.shared && r.sharing != SERVET_SHARING_UNKNOWN;
        t.judged = shared && truth != NO_TRUTH;
        t.right = t.judged && r.exclusive == truth;
        t.wrong = t.judged && r.exclusive != truth && r.exclusive != SERVET_EXCLUSIVE_UNKNOWN;
        t.size_judged = truth != NO_TRUTH;
        t.within10 = t.size_judged && fabs((shared ? r.bytes / c : r.one_bytes / x) - 1) <= 0.1;
        t.covered = t.size_judged && r.lo_bytes <= c && c <= r.hi_bytes;
        answers++;
        effective_covered += r.lo_effective_bytes <= x && x <= r.hi_effective_bytes;
        busy_covered += r.lo_busy_bytes <= x && x <= r.hi_busy_bytes;
    }
    if (getenv("CORES_VERBOSE"))
        TAP_DIAG("%-22s %d CPUs, seed %d: %s; %s, %s%s; a %.2f [%.2f, %.2f]; X %.3f, X_k/X %.3f, C %.3f [%.3f, %.3f] of"
                 " truth; effective %.3f busy %.3f drift %.3f misfit %.3f rounds %d", spec->name, cpus, seed,
                 servet_status_text(status), servet_fit_sharing_text(r.sharing), servet_fit_exclusive_text(r.exclusive),
                 t.wrong || t.shared_wrong ? " WRONG" : "", r.extra, r.lo_extra, r.hi_extra, r.one_bytes / x,
                 r.all_bytes / r.one_bytes, r.bytes / c, r.lo_bytes / c, r.hi_bytes / c, r.effective_bytes / x,
                 r.busy_bytes / x, r.drift_frac, r.misfit_frac, r.rounds);
    sim_close(&one_sim);
    return t;
}

static void rates(void)
{
    static const char *const some[] = { "skylake-sp", "zen4-guest", "zen2-guest-12", "nehalem", "hsx-guest-8",
                                        "paper-dunnington", "cortex-a76", "exynos-m3", "loongson-3a5000",
                                        "alder-lake-n", "paper-dempsey", "power10" };
    static const char *const name[SIM_NOISES] = { "silent", "quiet", "guest", "crowded" };
    const char *asked = getenv("CORES_SEEDS");
    const int seeds = asked ? atoi(asked) : 1;
    int noise, i, k, seed;
    for (noise = asked ? SIM_QUIET : SIM_GUEST; noise <= (asked ? SIM_CROWDED : SIM_GUEST); noise++) {
        tally all;
        memset(&all, 0, sizeof all);
        answers = effective_covered = busy_covered = 0;
        for (i = 0; i < SIM_MACHINES; i++) {
            const sim_spec *spec = &sim_machines[i];
            int wanted = asked != NULL;
            for (k = 0; k < (int)(sizeof some / sizeof *some); k++) wanted = wanted || strcmp(spec->name, some[k]) == 0;
            /* what would take long, or more memory than is modelled, is left out */
            if (!wanted || spec->cpus < 2 || sim_truth_bytes(spec, sim_truth_levels(spec) - 1) > 70e6) continue;
            for (seed = 1; seed <= seeds; seed++) {
                tally t = try_machine(spec, &sim_noises[noise], seed, 8, asked ? 6 : 3);
                add(&all, &t);
            }
        }
        TAP_DIAG("%s: %d runs, %d without an answer; sharing right %d, wrong %d; of %d exclusivity right %d, wrong %d;"
                 " of %d sizes within 10 %% %d, in the interval %d", name[noise], all.runs, all.failed, all.shared,
                 all.shared_wrong, all.judged, all.right, all.wrong, all.size_judged, all.within10, all.covered);
        TAP_OK(all.runs >= 10, "%s: there are machines", name[noise]);
        TAP_OK(all.failed <= 0.1 * all.runs, "%s: answers", name[noise]);
        TAP_OK(all.shared >= 0.85 * all.runs, "%s: who shares the last level", name[noise]);
        TAP_OK(all.shared_wrong <= 0.02 * all.runs, "%s: hardly ever wrong", name[noise]);
        TAP_OK(all.right >= 0.4 * all.judged, "%s: is it exclusive", name[noise]);
        TAP_OK(all.wrong <= 0.05 * all.judged, "%s: hardly ever wrong", name[noise]);
        TAP_OK(all.within10 >= 0.75 * all.size_judged, "%s: sizes within 10 %%", name[noise]);
        TAP_DIAG("%s: of %d answers effective capacity in its interval %d, busy %d", name[noise], answers,
                 effective_covered, busy_covered);
        TAP_OK(effective_covered + busy_covered >= 2 * 0.8 * answers, "%s: and in their intervals", name[noise]);
    }
}

/* ---- a neighbour at the last level ------------------------------------------------------------ */

/* Two machines that differ in the ways left of the last level; time decides which one answers. */
typedef struct shifting {
    sim   *quiet, *busy;
    double seconds, begin_s, end_s, period_s, share;    /* busy in a share of each period between begin and end */
    int    busy_count, count;
} shifting;

static int shifting_together(void *ctx, const int *cpu, int cpus, const size_t *n, const servet_chase_opts *opts,
                             servet_sample *out)
{
    shifting *s = (shifting *)ctx;
    const double phase = fmod(s->seconds, s->period_s) / s->period_s;
    const int busy = s->seconds >= s->begin_s && s->seconds < s->end_s && phase < s->share;
    sim *which = busy ? s->busy : s->quiet;
    const double before = sim_seconds(which);
    const int status = sim_together(which, cpu, cpus, n, opts, out);
    s->seconds += sim_seconds(which) - before;
    s->busy_count += busy;
    s->count++;
    return status;
}

static double shifting_seconds(void *ctx) { return ((const shifting *)ctx)->seconds; }

static void neighbour(void)
{
    const sim_spec *spec = sim_named("hsx-guest-8");
    sim_spec less = *spec;
    const double x = sim_truth_bytes(spec, 2), part = 5.0 / 8;
    shifting s;
    servet_machine m;
    servet_shared r;
    int cpu[SIM_CPUS], cpus = choose(spec, 4, cpu), run, i;
    less.level[2].part_ways = 5;
    for (run = 0; run < 3; run++) {
        memset(&s, 0, sizeof s);
        memset(&m, 0, sizeof m);
        memset(&r, 0, sizeof r);
        if (sim_open(&one_sim, spec, &sim_noises[SIM_QUIET], 5) < 0
            || sim_open(&other_sim, &less, &sim_noises[SIM_QUIET], 6) < 0) return;
        one_sim.exact = other_sim.exact = 512;
        s.quiet = &one_sim;
        s.busy = &other_sim;
        s.end_s = 1e9;
        s.period_s = 0.31;
        s.share = run == 0 ? 0 : run == 1 ? 0.4 : 1;
        if (run == 2) s.begin_s = 4;    /* comes in the middle, and stays */
        m.ctx = &s;
        m.together = shifting_together;
        m.seconds = shifting_seconds;
        m.bytes = 1e9;
        i = ask(&r, &m, spec, cpu, cpus, 1, 8);
        TAP_DIAG("neighbour %s: busy in %.2f of the samples; %s; one %.2f, effective %.2f [%.2f, %.2f], busy %.2f"
                 " [%.2f, %.2f] of what is there, with him %.2f; drift %.2f [%.2f, %.2f], scatter %.3f, %d rounds",
                 run == 0 ? "none" : run == 1 ? "now and then" : "comes to stay", s.busy_count / (double)s.count,
                 servet_status_text(i), r.one_bytes / x, r.effective_bytes / x, r.lo_effective_bytes / x,
                 r.hi_effective_bytes / x, r.busy_bytes / x, r.lo_busy_bytes / x, r.hi_busy_bytes / x, part,
                 r.drift_frac, r.lo_drift_frac, r.hi_drift_frac, r.scatter_frac, r.rounds);
        if (run == 0) {
            TAP_OK(i >= 0 && r.busy_bytes > 0.9 * r.effective_bytes, "alone: effective is busy");
            TAP_OK(fabs(r.drift_frac) < 0.05, "and stays");
        } else if (run == 1) {
            TAP_NEAR(r.effective_bytes / x, 1, 0.1, "a neighbour now and then: effective is what there is");
            TAP_NEAR(r.busy_bytes / x, part, 0.15, "busy is what he leaves");
        } else {
            TAP_OK(r.hi_drift_frac < 0 && r.drift_frac < -0.2, "a neighbour who comes to stay is a drift");
            TAP_OK(r.sharing == SERVET_SHARING_ALL, "and all share it still");
        }
        sim_close(&one_sim);
        sim_close(&other_sim);
    }
}

/* ---- arguments, and this machine -------------------------------------------------------------- */

static int threads(void)    /* -1 where the system does not say */
{
    DIR *d = opendir("/proc/self/task");
    int n = -2;
    if (!d) return -1;
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static void stop_at(void *ctx, double done, double left) { (void)done; (void)left; ++*(int *)ctx; }
static int  stop_soon(void *ctx) { return ++*(int *)ctx > 40; }

static void test_arguments(void)
{
    static const int cpu[] = { 0, 1 };
    servet_hierarchy_opts o;
    servet_machine m;
    int asked = 0;
    memset(&o, 0, sizeof o);
    sim_open(&one_sim, sim_named("skylake-sp"), NULL, 1);
    one_sim.exact = 512;
    m = sim_machine(&one_sim);
    TAP_OK(m.together != NULL, "a modelled machine can");
    memset(&evidence, 7, sizeof evidence);
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 1, 1e6, 1e7, NULL) == SERVET_EUNSUPPORTED
           && servet_hierarchy_shared(&evidence, &m, cpu, 0, 1e6, 1e7, NULL) == SERVET_EUNSUPPORTED,
           "one CPU shares nothing");
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1e7, 1e7, NULL) == SERVET_EINVAL
           && servet_hierarchy_shared(&evidence, &m, cpu, 2, 0, 1e7, NULL) == SERVET_EINVAL
           && servet_hierarchy_shared(NULL, &m, cpu, 2, 1e6, 1e7, NULL) == SERVET_EINVAL
           && servet_hierarchy_shared(&evidence, &m, NULL, 2, 1e6, 1e7, NULL) == SERVET_EINVAL
           && servet_hierarchy_shared(&evidence, &m, cpu, 65, 1e6, 1e7, NULL) == SERVET_EINVAL, "bad arguments");
    o.budget_s = -1;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1e6, 1e7, &o) == SERVET_EINVAL, "bad options");
    o.budget_s = 1;
    o.stop = stop_soon;
    o.ctx = &asked;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1.1e6, 1.2e7, &o) == SERVET_ESTOPPED && asked > 1,
           "stopped in the first round");
    TAP_OK(evidence.cpus == 0x07070707, "the output is untouched");
    o.stop = NULL;
    o.progress = stop_at;
    asked = 0;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1.1e6, 1.2e7, &o) == SERVET_OK && asked > 40
           && evidence.rounds >= 1 && evidence.count >= 30, "progress is told");
    m.bytes = 2e7;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1.1e6, 1.2e7, &o) == SERVET_EUNSUPPORTED, "little memory");
    m.bytes = 5e8;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1.1e6, 2e8, &o) == SERVET_EUNRESOLVED, "nothing ends there");
    m.together = NULL;
    TAP_OK(servet_hierarchy_shared(&evidence, &m, cpu, 2, 1e6, 1e7, &o) == SERVET_EUNSUPPORTED, "one that cannot");
    sim_close(&one_sim);
}

static void test_rig(void)
{
    servet_rig rig;
    servet_rig_opts o;
    servet_machine m;
    servet_cpus cpus, before, after;
    servet_sample out[2], one;
    const size_t none[] = { 0 }, few[] = { 256, 256, 256 }, some[] = { 4096, 64 };
    const size_t many[] = { 64, 16000000 / 64 };
    int cpu[3], status, count;
    memset(&o, 0, sizeof o);
    memset(out, 0, sizeof out);
    memset(&one, 0, sizeof one);
    o.hi_bytes = 16e6;
    servet_machine_cpus(&cpus);
    cpu[0] = servet_cpus_first(&cpus);
    cpu[1] = servet_cpus_next(&cpus, cpu[0]);
    cpu[2] = 8191;
    if (servet_rig_open(&rig, &o) < 0 || !rig.pinned) {
        TAP_SKIP(8, "no rig, or threads cannot be bound here");
        return;
    }
    m = servet_rig_machine(&rig);
    servet_machine_cpus(&before);
    status = m.together(m.ctx, cpu, 1, few, NULL, out);
    count = threads();    /* after the first: a sanitizer begins one of its own */
    TAP_OK(status == SERVET_OK && out[0].ns > 0 && out[0].ns < 1e4 && out[0].anchor_cycles > 0, "one CPU in a thread");
    out[0].ns = -7;
    TAP_OK(m.together(m.ctx, cpu, 0, few, NULL, out) == SERVET_EINVAL
           && m.together(m.ctx, cpu, 1, none, NULL, out) == SERVET_EINVAL
           && m.together(m.ctx, NULL, 1, few, NULL, out) == SERVET_EINVAL
           && m.together(m.ctx, cpu, 1, few, NULL, NULL) == SERVET_EINVAL
           && m.together(m.ctx, cpu, 1, NULL, NULL, out) == SERVET_EINVAL, "bad arguments");
    cpu[2] = cpu[0];
    TAP_OK(m.together(m.ctx, cpu, 3, few, NULL, out) == SERVET_EINVAL, "a CPU twice");
    cpu[2] = 8191;
    TAP_OK(servet_cpus_has(&cpus, 8191) || m.together(m.ctx, cpu + 2, 1, few, NULL, out) == SERVET_EPIN,
           "a CPU that is not there");
    TAP_OK(out[0].ns < 0, "the output is untouched");
    if (cpu[1] >= 0) {
        status = m.together(m.ctx, cpu, 2, some, NULL, out);
        TAP_OK(status == SERVET_OK && out[0].ns > 0 && out[1].ns > 0 && out[0].ns < 1e4 && out[1].ns < 1e4,
               "two CPUs at once");
        TAP_OK(m.together(m.ctx, cpu, 2, many, NULL, out) == SERVET_EINVAL, "more than there is memory for");
    } else {
        TAP_SKIP(2, "one CPU");
    }
    servet_machine_cpus(&after);
    TAP_OK(threads() == count && memcmp(&before, &after, sizeof before) == 0, "no thread left, bound as before");
    servet_rig_close(&rig);
}

/* What this machine says: told, not judged. */
static void real(double budget_s)
{
    servet_rig rig;
    servet_rig_opts o;
    servet_hierarchy_opts h;
    servet_machine m;
    servet_cpus cpus;
    servet_shared r;
    int cpu[SERVET_SHARED_CPUS], n = 0, c, status, i, k;
    const double about = getenv("CORES_ABOUT") ? atof(getenv("CORES_ABOUT")) : 16e6;
    const double private_bytes = getenv("CORES_PRIVATE") ? atof(getenv("CORES_PRIVATE")) : 1048576;
    memset(&o, 0, sizeof o);
    memset(&h, 0, sizeof h);
    memset(&r, 0, sizeof r);
    servet_machine_cpus(&cpus);
    for (c = servet_cpus_first(&cpus); c >= 0 && n < SERVET_SHARED_CPUS; c = servet_cpus_next(&cpus, c)) cpu[n++] = c;
    o.hi_bytes = 4 * about * n;
    if (n < 2 || servet_rig_open(&rig, &o) < 0) {
        TAP_DIAG("one CPU, or no rig");
        return;
    }
    m = servet_rig_machine(&rig);
    h.budget_s = budget_s;
    status = servet_hierarchy_shared(&evidence, &m, cpu, n, private_bytes, about, &h);
    TAP_DIAG("evidence: %s, %d rounds, %d taken, %d again, %.1f s", servet_status_text(status), evidence.rounds,
             evidence.taken, evidence.retaken, evidence.seconds);
    if (status >= 0) status = servet_fit_shared(&r, &evidence, private_bytes, NULL);
    TAP_DIAG("%s; %s, %s; a %.2f [%.2f, %.2f]; MiB: one %.2f [%.2f, %.2f], all %.2f [%.2f, %.2f]%s, level %.2f"
             " [%.2f, %.2f], effective %.2f [%.2f, %.2f], busy %.2f [%.2f, %.2f]; drift %.2f [%.2f, %.2f], scatter"
             " %.2f; %s, misfit %.3f", servet_status_text(status), servet_fit_sharing_text(r.sharing),
             servet_fit_exclusive_text(r.exclusive), r.extra, r.lo_extra, r.hi_extra, r.one_bytes / 1048576,
             r.lo_one_bytes / 1048576, r.hi_one_bytes / 1048576, r.all_bytes / 1048576, r.lo_all_bytes / 1048576,
             r.hi_all_bytes / 1048576, r.all_open ? " or more" : "", r.bytes / 1048576, r.lo_bytes / 1048576,
             r.hi_bytes / 1048576, r.effective_bytes / 1048576, r.lo_effective_bytes / 1048576,
             r.hi_effective_bytes / 1048576, r.busy_bytes / 1048576, r.lo_busy_bytes / 1048576,
             r.hi_busy_bytes / 1048576, r.drift_frac, r.lo_drift_frac, r.hi_drift_frac, r.scatter_frac,
             servet_fit_policy_text(r.policy), r.misfit_frac);
    for (i = 0; getenv("CORES_VERBOSE") && i < evidence.count; i++) {
        char text[512];
        int at = 0;
        for (k = 0; k < evidence.rounds && at < 480; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, " %.1f%s", evidence.point[i].ns[k],
                           evidence.point[i].flags[k] ? "!" : "");
        TAP_DIAG("%d CPUs %8.0f KiB:%s", evidence.point[i].cpus, evidence.point[i].bytes / 1024, text);
    }
    servet_rig_close(&rig);
}

int main(void)
{
    test_made();
    test_arguments();
    test_rig();
    neighbour();
    rates();
    if (getenv("CORES_REAL")) real(atof(getenv("CORES_REAL")));
    return tap_done();
}

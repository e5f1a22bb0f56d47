/* test_infer.c - the whole way from measuring to answers, on modelled machines whose truth is known
 *
 * For every machine of the table, several seeds and two kinds of noise, servet_profile_measure is run as on a real
 * machine.  What is asserted are rates over all of them: single runs may fail, and the table (prove -v) shows where.
 * INFER_SEEDS in the environment sets the number of seeds. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "sim.h"
#include "tap.h"

typedef struct tally { int runs, levels, exactable, exact, sized, within5, within10, covered; } tally;

static servet_profile profile;

static void add(tally *sum, const tally *t)
{
    sum->runs += t->runs;
    sum->levels += t->levels;
    sum->exactable += t->exactable;
    sum->exact += t->exact;
    sum->sized += t->sized;
    sum->within5 += t->within5;
    sum->within10 += t->within10;
    sum->covered += t->covered;
}

static void say(const char *name, const tally *t)
{
    TAP_DIAG("  %-22s %2d  %2d  %2d of %2d  %2d %2d %2d of %2d", name, t->runs, t->levels, t->exact, t->exactable,
             t->within5, t->within10, t->covered, t->sized);
}

/* Can the first level be told to the line?  Where its sets are chosen by physical addresses above a page, and pages
 * are scattered, its ways are nowhere in a row. */
static int exactable(const sim_spec *spec)
{
    const sim_level *l = &spec->level[0];
    return l->index == SIM_VIRTUAL || l->bytes / l->ways <= spec->page_bytes;
}

/* One machine, one noise, some seeds. */
static tally try_machine(const sim_spec *spec, const sim_noise *noise, int seeds, double budget_s)
{
    const int truth = sim_truth_levels(spec);
    const double last = sim_truth_bytes(spec, truth - 1);
    tally t;
    int seed, i;
    memset(&t, 0, sizeof t);
    for (seed = 1; seed <= seeds; seed++) {
        servet_profile_opts o;
        servet_machine m;
        sim s;
        if (sim_open(&s, spec, noise, (uint64_t)seed) < 0) continue;
        m = sim_machine(&s);
        memset(&o, 0, sizeof o);
        memset(&profile, 0, sizeof profile);
        profile.host.page_bytes = spec->page_bytes;
        o.hi_bytes = last * 8 < 256.0 * 1048576 ? last * 8 : 256.0 * 1048576;
        o.budget_s = budget_s;
        o.seed = (uint64_t)seed;
        servet_profile_measure(&profile, &m, &o);
        sim_close(&s);
        t.runs++;
        t.levels += profile.cache_count == truth;
        if (exactable(spec)) {
            t.exactable++;
            t.exact += profile.cache_count > 0 && profile.cache[0].bytes == sim_truth_bytes(spec, 0);
        }
        for (i = 1; i < truth; i++) {
            const double want = sim_truth_bytes(spec, i);
            const servet_cache *c = &profile.cache[i];
            t.sized++;
            if (profile.cache_count != truth) continue;
            t.within5 += fabs(c->bytes / want - 1) <= 0.05;
            t.within10 += fabs(c->bytes / want - 1) <= 0.10;
            t.covered += c->lo_bytes <= want && want <= c->hi_bytes;
        }
        if (getenv("INFER_VERBOSE")) {
            printf("# %s seed %d:", spec->name, seed);
            for (i = 0; i < profile.cache_count; i++)
                printf("  %.0fK [%.0f, %.0f] %s %s", profile.cache[i].bytes / 1024, profile.cache[i].lo_bytes / 1024,
                       profile.cache[i].hi_bytes / 1024, servet_fit_policy_text(profile.cache[i].policy),
                       servet_fit_method_text(profile.cache[i].method));
            printf("  truth");
            for (i = 0; i < truth; i++) printf(" %.0fK", sim_truth_bytes(spec, i) / 1024);
            printf("  (%d taken, %.2f s)\n", profile.curve.taken, profile.made.seconds);
        }
    }
    return t;
}

/* A curve of two caches by the model: 48 KiB, then so many pages of 16 ways; 0 pages: no second step. */
static void model_curve(servet_curve *curve, double lo_bytes, double hi_bytes, double pages)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
    int i, n = servet_mcalibrator_grid(bytes, SERVET_POINTS_MAX, lo_bytes, hi_bytes, 12, 64);
    for (i = 0; i < n; i++) {
        ns[i] = bytes[i] <= 49152 ? 1.6 : 5;
        if (pages > 0)
            ns[i] += 30 * servet_fit_miss_rate(bytes[i] / 4096, pages, 16, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM);
    }
    servet_fit_curve(curve, bytes, ns, (size_t)n);
}

/* The second curve of a profile decides on sizes, and on steps that are not there. */
static void test_two_curves(void)
{
    memset(&profile, 0, sizeof profile);
    model_curve(&profile.curve, 8192, 33554432, 600);
    servet_profile_infer(&profile);
    TAP_OK(profile.cache_count == 2 && fabs(profile.cache[1].bytes / (600 * 4096.0) - 1) < 0.05,
           "without a capacity curve the latency curve gives the size");
    model_curve(&profile.capacity, 700e3, 5e6, 512);
    servet_profile_infer(&profile);
    TAP_OK(profile.cache_count == 2 && fabs(profile.cache[1].bytes / (512 * 4096.0) - 1) < 0.05,
           "with one, that gives it");
    TAP_NEAR(profile.cache[1].latency_ns, 5, 0.05, "and the latency curve the latency");
    /* a third step, 8 MiB and after, makes the second one of the middle, and the capacity curve is flat there */
    {
        double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
        int i, n = servet_mcalibrator_grid(bytes, SERVET_POINTS_MAX, 8192, 134217728, 12, 64);
        for (i = 0; i < n; i++)
            ns[i] = bytes[i] <= 49152 ? 1.6 : bytes[i] <= 400e3 ? 5 : bytes[i] <= 8e6 ? 8 : 80;
        servet_fit_curve(&profile.curve, bytes, ns, (size_t)n);
    }
    memset(&profile.capacity, 0, sizeof profile.capacity);
    servet_profile_infer(&profile);
    TAP_OK(profile.cache_count == 3, "three steps are three levels");
    model_curve(&profile.capacity, 150e3, 1.2e6, 0);
    servet_profile_infer(&profile);
    TAP_OK(profile.cache_count == 2 && profile.doubtful_count == 1 && profile.doubtful[0].why == SERVET_DOUBT_TLB,
           "one that small groups of pages do not show was a TLB's");
}

int main(void)
{
    /* The least shares asked for: below what was found by about two standard deviations of so few runs. */
    static const struct {
        const char *name;
        int noise;
        double budget_s, levels, exact, within10, covered;
    } setting[] = {
        { "quiet machines, 4 s", SIM_QUIET, 4, 0.95, 0.95, 0.85, 0.92 },
        { "guests, 4 s", SIM_GUEST, 4, 0.90, 0.88, 0.72, 0.88 },
        { "guests, 0.25 s", SIM_GUEST, 0.25, 0.60, 0.40, 0.20, 0.60 },
    };
    const int seeds = getenv("INFER_SEEDS") ? atoi(getenv("INFER_SEEDS")) : 2;
    int k, i;
    for (k = 0; k < 3; k++) {
        tally all;
        memset(&all, 0, sizeof all);
        TAP_DIAG("%s: runs; levels right; first level exact; others within 5 %%, 10 %%, covered", setting[k].name);
        for (i = 0; i < SIM_MACHINES; i++) {
            tally t = try_machine(&sim_machines[i], &sim_noises[setting[k].noise], seeds, setting[k].budget_s);
            say(sim_machines[i].name, &t);
            add(&all, &t);
        }
        say("all", &all);
        TAP_OK(all.runs == SIM_MACHINES * seeds, "%s: %d runs", setting[k].name, all.runs);
        TAP_OK(all.levels >= setting[k].levels * all.runs, "%s: number of levels right in %d of %d", setting[k].name,
               all.levels, all.runs);
        TAP_OK(all.exact >= setting[k].exact * all.exactable, "%s: first level exact in %d of %d", setting[k].name,
               all.exact, all.exactable);
        TAP_OK(all.within10 >= setting[k].within10 * all.sized, "%s: other levels within 10 %% in %d of %d",
               setting[k].name, all.within10, all.sized);
        TAP_OK(all.covered >= setting[k].covered * all.sized, "%s: in their intervals in %d of %d", setting[k].name,
               all.covered, all.sized);
    }
    test_two_curves();
    return tap_done();
}

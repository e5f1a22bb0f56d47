/* profile_infer.c - the whole way from measuring to answers, on modelled machines whose truth is known
 *
 * For every setting - noise, time, with or without tracks - some machines of the table are measured by
 * servet_profile_calibrate, told no more than a real one is: how large its memory and its pages are.  Together the
 * settings meet all machines.  What is asserted are rates: single runs may fail, and are shown (prove -v).  The tables
 * have a row for each policy of a level, for each way its pages lie in, and for last levels that are inclusive,
 * exclusive or neither, beside the method of Servet's paper
 * (ascending addresses 1 KiB apart; sizes that double up to 2 MiB, then by 1 MiB, from 16 MiB on by a sixteenth;
 * medians of three) on the same machines up to twice their last level or more, which nobody tells a real one.
 *
 * In the environment INFER_SEEDS is the number of runs of each, INFER_FROM the seed of the first, and INFER_ALL=1 lets
 * each setting meet all machines; INFER_SETTING=2 runs only the third, INFER_VERBOSE=1 shows all runs, and
 * INFER_SLICE=3/8 takes the third of each eight machines alone, so that several processes may share the table.
 * AT_LENGTH=1 adds what a prefetcher of pairs changes. */
#include "servet.h"
#include "sim.h"
#include "tap.h"
#include <time.h>

#define MIB 1048576.0

enum { PARTS = 16, POLICIES = SIM_PLRU3 + 1, PLACES = 2, LAST = POLICIES + PLACES, ROWS = LAST + SIM_EXCLUSIVE + 2 };

static const char *const row_name[ROWS] = { "LRU", "FIFO", "tree-PLRU", "NRU", "SRRIP", "BRRIP", "set-dueling", "QLRU",
                                            "random", "PLRU of trees", "scattered pages", "huge pages", "last, apart",
                                            "last, inclusive", "last, exclusive", "all" };

/* 1 and 5 % of noise with 3 % outliers; the others are those of sim.h. */
static const sim_noise one_percent = { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 };
static const sim_noise five_percent = { 0.05, 0.03, 2, 0, 0, 0, 0, 0, 0 };

typedef struct setting {
    const char *name;
    const sim_noise *noise;
    double budget_s;
    int tracks, better;       /* better: than the paper's method */
    unsigned parts;           /* machines i with bit i % PARTS set */
    double levels, exact, within5, within10, within15, covered;   /* shares of runs and levels asked for */
} setting;

/* Of runs, of first levels, and of all levels after them. */
typedef struct tally {
    int runs, levels, exactable, exact, sized, within[3], covered, open, lost;    /* open: said to be unresolved, and
                                                off by more than 15 %; lost: said so, and not off */
    int paper_levels, paper_exact, paper_within[3];
} tally;

typedef struct answer {
    int count;
    double bytes[SERVET_LEVELS_MAX], lo[SERVET_LEVELS_MAX], hi[SERVET_LEVELS_MAX];
    int counted[SERVET_LEVELS_MAX], unresolved[SERVET_LEVELS_MAX];
} answer;

static servet_profile profile;
static tally sum[ROWS];
static double paper_cpu_s;

/* The level of the answer that means the i-th true one: each is the other's nearest, less than a factor of 3 apart; or
 * -1. */
static int meant(const answer *a, const sim_spec *spec, int i)
{
    const int truth = sim_truth_levels(spec);
    int k, best = -1;
    for (k = 0; k < a->count; k++)
        if (best < 0 || fabs(log(a->bytes[k] / sim_truth_bytes(spec, i)))
                        < fabs(log(a->bytes[best] / sim_truth_bytes(spec, i)))) best = k;
    if (best < 0 || fabs(log(a->bytes[best] / sim_truth_bytes(spec, i))) > log(3.0)) return -1;
    for (k = 0; k < truth; k++)
        if (fabs(log(a->bytes[best] / sim_truth_bytes(spec, k)))
            < fabs(log(a->bytes[best] / sim_truth_bytes(spec, i)))) return -1;
    return best;
}

/* Levels that a sweep to hi_bytes must show, and in *most those it may, as it may go on to reach_bytes. */
static int visible(const sim_spec *spec, double hi_bytes, double reach_bytes, int *most)
{
    const int truth = sim_truth_levels(spec);
    int n = truth;
    while (n > 0 && 1.5 * sim_truth_bytes(spec, n - 1) > hi_bytes) n--;
    *most = n;
    while (*most < truth && sim_truth_bytes(spec, *most) < reach_bytes) ++*most;
    return n;
}

static void by_paper(answer *a, const servet_machine *m, const sim_spec *spec, uint64_t seed)
{
    enum { SIZES = 300, REPEATS = 3 };
    static double bytes[SIZES], ns[SIZES], x[SIZES][REPEATS];
    const double last = sim_truth_bytes(spec, sim_truth_levels(spec) - 1);
    const double hi = fmin(exp2(ceil(log2(2 * last))), 256 * MIB);
    servet_levels levels;
    servet_chase_opts o;
    int n = 0, i, k;
    double size, step;
    memset(&o, 0, sizeof o);
    o.pattern = SERVET_CHASE_STRIDE;
    o.line_bytes = 1024;
    o.page_bytes = spec->page_bytes;
    o.in_place = 1;
    for (size = 4096; size <= hi && n < SIZES; bytes[n++] = size, size += step)
        step = size < 2 * MIB ? size : fmax(MIB, exp2(floor(log2(size))) / 16);
    for (k = 0; k < REPEATS; k++)
        for (i = 0; i < n; i++) {
            servet_sample sample;
            memset(&sample, 0, sizeof sample);
            o.seed = seed + (uint64_t)k;
            m->chase(m->ctx, (size_t)(bytes[i] / 1024), &o, &sample);
            x[i][k] = sample.ns;
        }
    for (i = 0; i < n; i++) {
        servet_stats_sort(x[i], REPEATS);
        ns[i] = x[i][1];
    }
    memset(a, 0, sizeof *a);
    if (servet_fit_servet(&levels, bytes, ns, (size_t)n, spec->page_bytes, 0) < 0) return;
    for (i = 0; i < levels.count; i++) a->bytes[a->count++] = levels.level[i].bytes;
}

/* The clock of a modelled machine stands still while nothing is measured: who waits for it then waits for ever. */
enum { ASKED_MOST = 2000 };
static const servet_machine *clocked;
static double clock_s;
static int asked, asked_most;    /* since it went on; in any run */

static double watched(void *ctx)
{
    const double now_s = clocked->seconds(ctx);
    asked = now_s > clock_s ? 0 : asked + 1;
    clock_s = now_s;
    if (asked > asked_most) asked_most = asked;
    return asked_most > ASKED_MOST ? now_s + 1e6 : now_s;
}

static int calibrate(const servet_machine *m, servet_profile_opts *o)
{
    servet_machine watching = *m;
    watching.seconds = watched;
    clocked = m;
    clock_s = -1;
    o->machine = &watching;
    servet_profile_free(&profile);
    memset(&profile, 0, sizeof profile);
    return servet_profile_calibrate(&profile, o);
}

static void by_servet(answer *a, const servet_machine *m, const sim_spec *spec, const setting *at, double hi_bytes,
                      uint64_t seed)
{
    servet_profile_opts o;
    servet_host host;
    int i;
    memset(&o, 0, sizeof o);
    memset(&host, 0, sizeof host);
    host.page_bytes = spec->page_bytes;
    host.memory_bytes = 16384 * MIB;
    o.host = &host;
    o.hi_bytes = hi_bytes;
    o.run.budget_s = at->budget_s;
    o.parts = SERVET_PART_CACHES;
    o.run.seed = seed;
    calibrate(m, &o);
    a->count = profile.cache_count;
    for (i = 0; i < a->count; i++) {
        a->bytes[i] = profile.cache[i].bytes;
        a->lo[i] = profile.cache[i].lo_bytes;
        a->hi[i] = profile.cache[i].hi_bytes;
        a->unresolved[i] = profile.cache[i].unresolved;
        a->counted[i] = profile.cache[i].method == SERVET_BY_COUNT;
    }
}

/* Can the first level be told to the line?  Where its sets are chosen by physical addresses above a page, and pages
 * are scattered, its ways are nowhere in a row; then only counting pages tells, which takes tracks and time. */
static int exactable(const sim_spec *spec, const setting *at)
{
    const sim_level *l = &spec->level[0];
    return l->index == SIM_VIRTUAL || l->bytes / l->ways <= spec->page_bytes || (at->tracks && at->budget_s >= 1.2);
}

/* Of an exclusive level a curve shows what fits into it and those before it; pages that always stay are as many as it
 * holds itself, what its makers and Servet's paper call its size (512 KiB of their Athlon).  A count may say either. */
static double truth_of(const sim_spec *spec, int i, const answer *a, int k)
{
    const double all = sim_truth_bytes(spec, i);
    const double own = spec->level[i].bytes * sim_truth_ways(spec, i) / spec->level[i].ways;
    return k >= 0 && a->counted[k] && spec->level[i].relation == SIM_EXCLUSIVE
           && fabs(log(a->bytes[k] / own)) < fabs(log(a->bytes[k] / all)) ? own : all;
}

static double off(const answer *a, const sim_spec *spec, int i, int *at)
{
    *at = meant(a, spec, i);
    return *at < 0 ? DBL_MAX : fabs(a->bytes[*at] / truth_of(spec, i, a, *at) - 1);
}

static void add_level(tally *t, const sim_spec *spec, const setting *at, int i, const answer *a, const answer *paper)
{
    static const double bound[3] = { 0.05, 0.10, 0.15 };
    int k, j, q;
    const double error = off(a, spec, i, &k), paper_error = off(paper, spec, i, &q), want = truth_of(spec, i, a, k);
    if (i == 0) {
        t->exactable += exactable(spec, at);
        t->exact += exactable(spec, at) && error < 1e-9;
        t->paper_exact += exactable(spec, at) && paper_error < 1e-9;
        return;
    }
    t->sized++;
    for (j = 0; j < 3; j++) {
        t->within[j] += error <= bound[j];
        t->paper_within[j] += paper_error <= bound[j];
    }
    t->open += k >= 0 && a->unresolved[k] && error > 0.15;
    t->lost += k >= 0 && a->unresolved[k] && error <= 0.15;
    t->covered += k >= 0 && a->lo[k] <= want * 1.0001 && want <= a->hi[k] * 1.0001;
}

static void show(const sim_spec *spec, int number, double cpu_s)
{
    char text[512];
    size_t n = 0;
    int i;
    for (i = 0; i < profile.cache_count && n + 100 < sizeof text; i++) {
        const servet_cache *c = &profile.cache[i];
        n += (size_t)snprintf(text + n, 100, " %.0fK [%.0f, %.0f] %s %s,", c->bytes / 1024, c->lo_bytes / 1024,
                              c->hi_bytes / 1024,
                              servet_text(SERVET_TEXT_POLICY, c->policy), servet_text(SERVET_TEXT_METHOD, c->method));
    }
    n += (size_t)snprintf(text + n, 20, " truth");
    for (i = 0; i < sim_truth_levels(spec) && n + 60 < sizeof text; i++)
        n += (size_t)snprintf(text + n, 60, " %.0fK %s%s", sim_truth_bytes(spec, i) / 1024,
                              row_name[spec->level[i].policy],
                              spec->level[i].relation == SIM_EXCLUSIVE ? " exclusive" : "");
    TAP_DIAG("  %s %d:%s (%.1f s, %.2f CPU s)", spec->name, number, text,
             profile.made.seconds, cpu_s);
}

/* One run: right where everything that is asked for was found. */
static void try_machine(const sim_spec *spec, const setting *at, uint64_t seed, int number)
{
    const double hi_bytes = (at->budget_s >= 1.5 ? 256 : at->budget_s > 0.5 ? 64 : 16) * MIB;
    const double reach_bytes = at->budget_s >= 1.5 ? 1024 * MIB : hi_bytes;
    const clock_t begun = clock();
    int most, least = visible(spec, hi_bytes, reach_bytes, &most), i, k, good, number_right, paper_number_right;
    answer a, paper;
    servet_machine m;
    double cpu_s;
    sim s;
    if (sim_open(&s, spec, at->noise, seed) < 0) return;
    m = sim_machine(&s);
    if (!at->tracks) m.track = NULL;
    by_servet(&a, &m, spec, at, reach_bytes > hi_bytes ? 0 : hi_bytes, seed);
    cpu_s = (double)(clock() - begun) / CLOCKS_PER_SEC;
    memset(&paper, 0, sizeof paper);
    if (at->better) by_paper(&paper, &m, spec, seed);
    paper_cpu_s += (double)(clock() - begun) / CLOCKS_PER_SEC - cpu_s;
    sim_close(&s);
    good = number_right = a.count >= least && a.count <= most;
    paper_number_right = paper.count >= least && paper.count <= most;
    sum[ROWS - 1].runs++;
    sum[ROWS - 1].levels += number_right;
    sum[ROWS - 1].paper_levels += paper_number_right;
    for (i = 0; i < least; i++) {
        const double error = off(&a, spec, i, &k);
        const int last = i + 1 == sim_truth_levels(spec);
        int row[4];
        row[0] = ROWS - 1;
        row[1] = spec->level[i].policy;
        row[2] = POLICIES + (spec->huge_bytes > 0 && spec->huge_backed);
        row[3] = LAST + spec->level[i].relation;
        for (k = 0; k < 3 + last; k++) {
            add_level(&sum[row[k]], spec, at, i, &a, &paper);
            if (k == 0) continue;
            sum[row[k]].runs++;
            sum[row[k]].levels += number_right;
            sum[row[k]].paper_levels += paper_number_right;
        }
        if (i == 0 ? exactable(spec, at) && error > 1e-9 : error > 0.10) good = 0;
    }
    if (!good || getenv("INFER_VERBOSE")) show(spec, number, cpu_s);
}

static void say(const char *name, const tally *t)
{
    if (t->runs == 0) return;
    TAP_DIAG("  %-16s %4d %4d %4d | %3d of %3d %3d | %3d  %3d %3d %3d  %3d | %3d %3d %3d", name, t->runs, t->levels,
             t->paper_levels, t->exact, t->exactable, t->paper_exact, t->sized, t->within[0], t->within[1],
             t->within[2], t->covered, t->paper_within[0], t->paper_within[1], t->paper_within[2]);
}

static void try_setting(const setting *at, int which, int first, int seeds)
{
    const tally *all = &sum[ROWS - 1];
    const clock_t begun = clock();
    const int everything = getenv("INFER_ALL") != NULL;
    int i, k, seed, machines = 0, slice = 1, slices = 1;
    if (getenv("INFER_SLICE") && sscanf(getenv("INFER_SLICE"), "%d/%d", &slice, &slices) != 2) slices = 0;
    memset(sum, 0, sizeof sum);
    paper_cpu_s = 0;
    TAP_DIAG("%s: runs that are not right, or have a level off by more than 10 %%", at->name);
    for (i = 0; i < SIM_MACHINES; i++) {
        if (!everything && !(at->parts >> i % PARTS & 1)) continue;
        if (slices < 1 || i % slices != slice - 1) continue;
        machines++;
        for (seed = first; seed < first + seeds; seed++)
            try_machine(&sim_machines[i], at, (uint64_t)(seed * 1000000 + which * 1000 + i), seed);
    }
    TAP_DIAG("%s: of each policy, placement and kind of last level the levels (of all: runs), those in", at->name);
    TAP_DIAG("  runs with the number of levels right (by the paper's method) | first levels exact (by the paper's) |");
    TAP_DIAG("  other levels; within 5, 10, 15 %%; in their intervals | by the paper's method within 5, 10, 15 %%");
    for (k = 0; k < ROWS; k++) say(row_name[k], &sum[k]);
    TAP_DIAG("%s: %.1f CPU s, %.1f of them by the paper's method", at->name,
             (double)(clock() - begun) / CLOCKS_PER_SEC, paper_cpu_s);
    TAP_OK(all->runs == machines * seeds && machines > 0, "%s: %d runs", at->name, all->runs);
    TAP_OK(all->levels >= at->levels * all->runs, "%s: number of levels right in %d of %d", at->name, all->levels,
           all->runs);
    TAP_OK(all->exact >= at->exact * all->exactable, "%s: first level exact in %d of %d", at->name, all->exact,
           all->exactable);
    TAP_OK(all->within[0] >= at->within5 * all->sized, "%s: other levels within 5 %% in %d of %d", at->name,
           all->within[0], all->sized);
    TAP_OK(all->within[1] >= at->within10 * all->sized, "%s: within 10 %% in %d", at->name, all->within[1]);
    TAP_OK(all->within[2] >= at->within15 * all->sized, "%s: within 15 %% in %d", at->name, all->within[2]);
    TAP_OK(all->lost <= 0.02 * all->sized + 1, "%s: %d others said to be unresolved, and %d that are within 15 %%",
           at->name, all->open, all->lost);
    TAP_OK(all->covered >= at->covered * all->sized, "%s: in their intervals in %d", at->name, all->covered);
    if (at->better) TAP_OK(all->within[1] > all->paper_within[1] && all->exact >= all->paper_exact,
           "%s: more than by the paper's method, %d within 10 %% and %d exact", at->name, all->paper_within[1],
           all->paper_exact);
}

/* A prefetcher that brings the other line of a pair changes what is seen of a level shared by many, not its size, nor
 * how far memory is: in machines with one, and the same without; and where the second level keeps what it brings. */
static void test_pairs(void)
{
    enum { SEEDS = 5 };
    static const setting at = { "1 % noise, 4 s", &one_percent, 4, 1, 1, 0, 0, 0, 0, 0, 0, 0 };
    double middle[3] = { 1, 1, 1 };    /* of the runs: of one in five another number of levels may come out */
    int i, which, seed;
    for (i = 0; i < SIM_MACHINES && strcmp(sim_machines[i].name, "bdx-guest-6"); i++) { }
    for (which = 0; which <= 2 && i < SIM_MACHINES; which++) {
        sim_spec spec = sim_machines[i];
        double log_off[SEEDS];
        int near = 0, memory = 0;
        spec.pairs = which > 0;
        spec.level[1].bytes = which < 2 ? 131072 : 1048576;    /* less than the groups of others, or more */
        for (seed = 1; seed <= SEEDS; seed++) {
            servet_machine m;
            double off = 1;
            answer a;
            sim s;
            memset(&a, 0, sizeof a);
            log_off[seed - 1] = off;
            if (sim_open(&s, &spec, at.noise, (uint64_t)seed) < 0) continue;
            m = sim_machine(&s);
            by_servet(&a, &m, &spec, &at, 256 * MIB, (uint64_t)seed);
            sim_close(&s);
            if (a.count == 3) off = log(a.bytes[2] / sim_truth_bytes(&spec, 2));
            log_off[seed - 1] = off;
            near += fabs(off) < log(1.1);
            memory += fabs(profile.memory_ns / spec.memory_ns - 1) < 0.1;
        }
        servet_stats_sort(log_off, SEEDS);
        middle[which] = log_off[SEEDS / 2];
        TAP_OK(near >= SEEDS - 1 && memory >= SEEDS - 1, "%s: the last level within 10 %% in %d of %d, memory in %d",
               which == 2 ? "which the second level keeps" : which ? "with a prefetcher of pairs" : "without", near,
               (int)SEEDS, memory);
    }
    TAP_OK(i < SIM_MACHINES && fabs(middle[1] - middle[0]) < 0.04,
           "and as large: %+.1f %% off in the median, %+.1f %% without", 100 * (exp(middle[1]) - 1),
           100 * (exp(middle[0]) - 1));
}

/* Guests that have few ways of a last level: by one cycle they are like smaller levels that replace at random. */
static void test_few_ways(void)
{
    enum { SEEDS = 2 };
    static const char *const name[] = { "skx-guest-4", "spr-guest-3" };
    static const setting at = { "1 % noise, 4 s", &one_percent, 4, 1, 1, 0, 0, 0, 0, 0, 0, 0 };
    static servet_profile again;
    static char text[1 << 21];
    int i, seed, near = 0, same = 0, late = 0;
    for (i = 0; i < 2; i++)
        for (seed = 1; seed <= SEEDS; seed++) {
            const sim_spec *spec = sim_named(name[i]);
            servet_machine m;
            answer a;
            sim s;
            memset(&a, 0, sizeof a);
            if (!spec || sim_open(&s, spec, at.noise, (uint64_t)(902 + seed)) < 0) continue;
            m = sim_machine(&s);
            by_servet(&a, &m, spec, &at, 0, (uint64_t)(902 + seed));
            late += m.seconds(m.ctx) > 1.1 * at.budget_s;
            sim_close(&s);
            near += a.count == 3 && fabs(a.bytes[2] / sim_truth_bytes(spec, 2) - 1) < 0.1;
            if (servet_profile_write(&profile, text, sizeof text) >= sizeof text) continue;
            servet_profile_free(&again);
            if (servet_profile_parse(&again, text, strlen(text), NULL) < 0
                || servet_profile_infer(&again) < 0) continue;
            same += again.cache_count == a.count && a.count == 3 && fabs(again.cache[2].bytes / a.bytes[2] - 1) < 1e-9
                    && fabs(again.cache[2].lo_bytes / a.lo[2] - 1) < 1e-9;
        }
    /* five of six are near: one may be not */
    TAP_OK(near >= 2 * SEEDS - 1 && late == 0, "few ways: the last level within 10 %% in %d of %d, %d late", near,
           2 * SEEDS, late);
    TAP_OK(same == 2 * SEEDS, "the file alone says the same in %d", same);
}

/* Curves whose fit takes a part of a ramp for a level: single loads resolve none before the last.  The third's sweep
 * beyond the range ends less than a millisecond before its time does. */
static void test_ramps(void)
{
    static const struct { const char *name; uint64_t seed; } run[] = { { "power8", 1000070 },
                                                                       { "n1-guest-12", 1000086 },
                                                                       { "emerald-rapids", 1000028 } };
    int k, i;
    for (k = 0; k < 3; k++) {
        const sim_spec *spec = sim_named(run[k].name);
        servet_profile_opts o;
        servet_machine m;
        servet_host host;
        sim s;
        if (!spec || sim_open(&s, spec, &one_percent, run[k].seed) < 0) return;
        m = sim_machine(&s);
        memset(&host, 0, sizeof host);
        host.page_bytes = spec->page_bytes;
        host.memory_bytes = 17179869184.0;
        memset(&o, 0, sizeof o);
        o.host = &host;
        o.run.seed = run[k].seed;
        o.parts = SERVET_PART_CACHES | SERVET_PART_TLB;
        calibrate(&m, &o);
        for (i = 0; i < profile.cache_count; i++) TAP_DIAG("%s: %.0f KiB", spec->name, profile.cache[i].bytes / 1024);
        i = sim_truth_levels(spec) - 1;
        TAP_OK(profile.cache_count == i + 1 && fabs(profile.cache[i].bytes / sim_truth_bytes(spec, i) - 1) < 0.1,
               "%s: its %d levels, and no part of a ramp", spec->name, i + 1);
        sim_close(&s);
    }
}

int main(void)
{
    /* The least shares asked for: below what was found by about two standard deviations of 11 to 22 runs.  Without
     * tracks nothing can be counted, and no first level is exact. */
    static const setting settings[] = {
        { "1 % noise, 2 s", &one_percent, 2, 1, 1, 0x0001, 0.89, 0.95, 0.81, 0.90, 0.92, 0.90 },
        { "1 % noise, 2 s, no tracks", &one_percent, 2, 0, 0, 0x1918, 0.87, 0, 0.66, 0.79, 0.88, 0.93 },
        { "5 % noise, 2 s", &five_percent, 2, 1, 1, 0x0202, 0.90, 0.95, 0.71, 0.81, 0.85, 0.90 },
        { "guests, 2 s", &sim_noises[SIM_GUEST], 2, 1, 0, 0x0004, 0.80, 0.85, 0.68, 0.78, 0.79, 0.84 },
        { "quiet machines, 2 s, no tracks", &sim_noises[SIM_QUIET], 2, 0, 0, 0x2020, 0.88, 0, 0.56, 0.71, 0.83, 0.93 },
        { "guests, 0.25 s", &sim_noises[SIM_GUEST], 0.25, 1, 0, 0xc4c0, 0.66, 0.90, 0.55, 0.62, 0.66, 0.73 }
    };
    const int seeds = getenv("INFER_SEEDS") ? atoi(getenv("INFER_SEEDS")) : 1;
    const int first = getenv("INFER_FROM") ? atoi(getenv("INFER_FROM")) : 1;
    const int only = getenv("INFER_SETTING") ? atoi(getenv("INFER_SETTING")) : -1;
    unsigned met = 0;
    int k;
    for (k = 0; k < (int)(sizeof settings / sizeof *settings); k++) met |= settings[k].parts;
    TAP_OK(met == (1u << PARTS) - 1, "each machine of the table is met in some setting");
    for (k = 0; k < (int)(sizeof settings / sizeof *settings); k++)
        if (only < 0 || only == k) try_setting(&settings[k], k, first, seeds);
    if (getenv("AT_LENGTH")) test_pairs();
    test_few_ways();
    test_ramps();
    TAP_OK(asked_most <= ASKED_MOST, "no run waits for a clock that stands still: asked for %d times at most",
           asked_most);
    return tap_done();
}

/* profile_again.c - is what a loaded profile says of caches still so: the decision, and how often it is right on
 * machines whose levels are as large, half or twice as large, with and without a neighbour; and are levels counted
 * where other programs have most of the CPU
 *
 * Rates are asserted less two standard deviations of as many runs; AGAIN_VERBOSE=1 shows each run that is not right. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

static const sim_noise one_percent = { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 1 };
#define AGAIN_S 0.007    /* as servet_profile_open gives */
static const double got_frac = 0.1;    /* of a start, until there is memory */
static int verbose;

/* ---- pure ------------------------------------------------------------------------------------- */

/* Rounds of which the largest rise is between two footprints, alike but for the clock. */
static int told(const char *rises, int *rounds)
{
    double ns[4];
    int n, k, still = 0, told = 0;
    for (n = 0; rises[n] && !told; n++) {
        const double clock = 1 + 0.3 * (n % 3);
        for (k = 0; k < 4; k++) ns[k] = clock * (k > rises[n] - '0' ? 9 : 4);
        told = servet__still_told(&still, ns, n + 1);
    }
    *rounds = n;
    return told;
}

static void test_decision(void)
{
    static const struct { const char *rises, *what; int told, rounds; } of[] = {
        { "1111", "where it was three times", 1, 3 },
        { "21111", "once elsewhere, then where it was", 1, 4 },
        { "0000000000", "always before", -1, 8 },
        { "2222222222", "always behind", -1, 8 },
        { "3333333333", "nowhere", -1, 8 },
        { "0202020202", "now before, now behind", -1, 8 },
        { "11", "twice where it was: too few", 0, 2 },
        { "0000001", "mostly elsewhere: too few", 0, 7 }
    };
    int i, rounds;
    for (i = 0; i < (int)(sizeof of / sizeof *of); i++) {
        const int as = told(of[i].rises, &rounds);
        TAP_OK(as == of[i].told && rounds == of[i].rounds, "rises %s: %s after %d rounds", of[i].what,
               as > 0 ? "still" : as < 0 ? "not so" : "not told", rounds);
    }
}

/* ---- modelled machines ------------------------------------------------------------------------ */

typedef struct rates { int runs, refuted, still; double seconds, most; } rates;

/* Levels that an index of lines inside a page mixes are asked for by all lines, as a file of such a machine says. */
static void ask(rates *r, const sim_spec *spec, int level, double of_truth, double awake, int seed)
{
    const sim_neighbour who = sim_stranger(awake);
    servet_profile p;
    servet_machine m;
    double begun;
    sim s;
    int as, i;
    if (sim_open(&s, spec, &one_percent, (uint64_t)seed) < 0) return;
    if (awake > 0) sim_beside(&s, &who);
    m = sim_machine(&s);
    memset(&p, 0, sizeof p);
    p.cache_count = level + 1;
    for (i = 0; i <= level; i++) {
        p.cache[i].bytes = sim_truth_bytes(spec, i);
        p.cache[i].latency_ns = spec->level[i].ns;
        p.cache[i].method = i == level ? SERVET_BY_COUNT : SERVET_BY_MODEL;
    }
    p.cache[level].bytes *= of_truth;
    if (spec->level[level].index == SIM_HASHED) p.made.ask_lines = 64;
    for (i = 0; i < seed % 7; i++)    /* another moment */
        servet__still(&m, 65536, 8, 0.001, HUGE_VAL, (uint64_t)i);
    begun = m.seconds(m.ctx);
    as = servet__profile_again(&p, &m, spec->tick_ns, AGAIN_S, (uint64_t)seed);
    begun = m.seconds(m.ctx) - begun;
    sim_close(&s);
    r->runs++;
    r->refuted += as == level + 1;
    r->still += as == 0;
    r->seconds += begun;
    if (begun > r->most) r->most = begun;
    if (verbose && (of_truth == 1 ? as != 0 : as != level + 1))
        TAP_DIAG("    %s, level %d of %.1f, seed %d: %s", spec->name, level + 1, of_truth, seed,
                 as > 0 ? "refuted" : as < 0 ? "not told" : "still");
}

/* A load waits for no other program on the CPU: what is told of a second level ends after the time on the wall and one
 * round, the third at least, of what it takes with the CPU alone. */
static void test_waits(void)
{
    const double left_frac = 0.05;
    int i, k, runs = 0, late = 0, worth = 0;
    for (i = 0; i < SIM_MACHINES; i += 5) {
        const sim_spec *spec = &sim_machines[i];
        double took[2];
        int told[2];
        if (sim_truth_levels(spec) < 3 || spec->level[1].cores > 1 || sim_truth_bytes(spec, 1) > 2097152) continue;
        for (k = 0; k < 2; k++) {
            servet_profile p;
            servet_machine m;
            sim s;
            if (sim_open(&s, spec, &one_percent, (uint64_t)i) < 0) abort();
            if (k) s.left_frac = left_frac;
            m = sim_machine(&s);
            memset(&p, 0, sizeof p);
            p.cache_count = 2;
            p.cache[1].bytes = sim_truth_bytes(spec, 1);
            p.cache[1].latency_ns = spec->level[1].ns;
            p.cache[1].method = SERVET_BY_COUNT;
            if (spec->level[1].index == SIM_HASHED) p.made.ask_lines = 64;
            took[k] = m.seconds(m.ctx);
            told[k] = servet__profile_again(&p, &m, spec->tick_ns, AGAIN_S, (uint64_t)i);
            took[k] = m.seconds(m.ctx) - took[k];
            sim_close(&s);
        }
        if (told[0] != 0 || told[1] > 0) continue;    /* what is refuted takes longer, and a new measurement */
        runs++;
        late += took[1] > AGAIN_S + 1.2 * took[0] / 3 / left_frac;
        worth += took[0] / left_frac > AGAIN_S + 1.2 * took[0] / 3 / left_frac;
        if (verbose) TAP_DIAG("    %s: %.2f ms, beside others %.2f", spec->name, 1e3 * took[0], 1e3 * took[1]);
    }
    TAP_OK(late == 0 && worth > 2, "others have %.0f %% of the CPU: of %d loads %d wait for them, where %d would",
           100 * (1 - left_frac), runs, late, worth);
}

/* No fewer than a share of runs, less two standard deviations. */
static int at_least(int n, const rates *r, double share)
{
    return n >= share * r->runs - 2 * sqrt(r->runs * share * (1 - share));
}

static void test_machines(void)
{
    /* shares that are refuted where the level is half as large as the file says, and twice: L1, L2 */
    static const struct { double awake, half[2], twice[2]; } beside[] = {
        { 0,   { 0.96, 0.99 }, { 0.88, 0.99 } },
        { 0.5, { 0.96, 0.93 }, { 0.85, 0.80 } },
        { 0.9, { 0.96, 0.93 }, { 0.85, 0.80 } }
    };
    static const double of_truth[] = { 1, 2, 0.5 };
    static const char *const what[] = { "as large", "half as large", "twice as large" };
    const int seeds = tap_runs(5, 1), every = tap_runs(1, 2);
    int b, l, t, i, k;
    for (b = 0; b < 3; b++) for (l = 0; l < 2; l++) for (t = 0; t < 3; t++) {
        rates r;
        memset(&r, 0, sizeof r);
        for (i = (b + l + t) % every; i < SIM_MACHINES; i += every) {
            const sim_spec *spec = &sim_machines[i];
            if (sim_truth_levels(spec) < l + 2 || spec->level[l].cores > 1 || sim_truth_bytes(spec, l) > 2097152)
                continue;
            for (k = 0; k < seeds; k++) ask(&r, spec, l, of_truth[t], beside[b].awake, 1 + i % 11 + 11 * k);
        }
        if (t == 0) {
            TAP_OK(at_least(r.runs - r.refuted, &r, 0.99) && at_least(r.still, &r, l ? 0.96 : 0.99),
                   "a neighbour %.0f %% of the time: level %d as large as the file says: of %d kept %d, told so %d; "
                   "%.1f ms, at most %.1f", 100 * beside[b].awake, l + 1, r.runs, r.runs - r.refuted, r.still,
                   1e3 * r.seconds / r.runs, 1e3 * r.most);
        } else {
            TAP_OK(at_least(r.refuted, &r, t == 1 ? beside[b].half[l] : beside[b].twice[l]),
                   "a neighbour %.0f %% of the time: level %d %s: of %d noticed %d, not told %d; %.1f ms",
                   100 * beside[b].awake, l + 1, what[t], r.runs, r.refuted, r.runs - r.refuted - r.still,
                   1e3 * r.seconds / r.runs);
        }
    }
}

/* Other programs have most of the CPU: a core's own levels are counted all the same, in little more than the budget, or
 * by a start in what its counts take of the CPU.  later_frac: of the second levels. */
static void test_crowded(double budget_s, double left_frac, double later_frac, double times)
{
    const int every = tap_runs(1, 10);
    int i, levels = 0, right[2] = { 0, 0 }, runs = 0;
    double most_s = 0;
    for (i = 0; i < SIM_MACHINES; i += every) {
        const sim_spec *spec = &sim_machines[i];
        servet_profile_opts o;
        servet_profile p;
        servet_machine m;
        sim s;
        const int own = sim_truth_levels(spec) > 1 && spec->level[1].cores == 1
                     && sim_truth_bytes(spec, 1) <= 2097152;
        if (sim_open(&s, spec, &one_percent, (uint64_t)i) < 0) continue;
        s.left_frac = left_frac;
        m = sim_machine(&s);
        memset(&o, 0, sizeof o);
        o.machine = &m;
        o.run.budget_s = budget_s;
        if (servet_profile_calibrate(&p, &o) >= 0) {
            const int n = p.cache_count;
            const int first = n > 0 && fabs(p.cache[0].bytes / sim_truth_bytes(spec, 0) - 1) < 0.02;
            /* Of an exclusive level what it holds itself, or with the level before it. */
            const int second = n > 1 && own && (fabs(p.cache[1].bytes / sim_truth_bytes(spec, 1) - 1) < 0.1
                                                || fabs(p.cache[1].bytes / spec->level[1].bytes - 1) < 0.1);
            right[0] += first;
            right[1] += second;
            if (p.made.seconds > most_s) most_s = p.made.seconds;
            if (verbose && (!first || second < own))
                TAP_DIAG("    %s: %.0f, %.0f KiB in %.1f s", spec->name, n > 0 ? p.cache[0].bytes / 1024 : 0,
                         n > 1 ? p.cache[1].bytes / 1024 : 0, p.made.seconds);
            servet_profile_free(&p);
        }
        runs++;
        levels += own;
        sim_close(&s);
    }
    TAP_OK(right[0] >= 0.95 * runs - 1 && right[1] >= later_frac * levels - 1,
           "others have %.0f %% of the CPU: of %d first levels %d exact, of %d second ones %d within a tenth",
           100 * (1 - left_frac), runs, right[0], levels, right[1]);
    TAP_OK(most_s < times * budget_s, "in at most %.2f s of %.2f", most_s, budget_s);
}

/* A start of a modelled machine, of a time B, of which getting memory takes a tenth: 0.9 B - 0.1 B are left.
 * who NULL = alone; parts 0 = by default. */
static int started(servet_profile *p, const sim_spec *spec, const sim_neighbour *who, int parts, double budget_s,
                   uint64_t seed)
{
    servet_profile_opts o;
    servet_machine m;
    sim s;
    int status;
    if (sim_open(&s, spec, &one_percent, seed) < 0) return SERVET_ENOMEM;
    if (who) sim_beside(&s, who);
    m = sim_machine(&s);
    memset(&o, 0, sizeof o);
    o.machine = &m;
    o.parts = parts;
    o.run.budget_s = (0.9 - got_frac) * budget_s;
    o.run.seed = seed;
    o.hi_bytes = (budget_s < 0.1 ? 8 : budget_s < 0.25 ? 16 : 32) * 1048576.0;
    status = servet_profile_calibrate(p, &o);
    sim_close(&s);
    return status;
}

/* How far the nearest level is from a size, as a logarithm. */
static double nearest(const servet_profile *p, double bytes)
{
    double least = HUGE_VAL;
    int i;
    for (i = 0; i < p->cache_count; i++) least = fmin(least, fabs(log(p->cache[i].bytes / bytes)));
    return least;
}

/* Starts of little time end by 1.2 times that, and the first level is known, of later ones as many as time allows. */
static void test_tiers(void)
{
    static const double budget_s[] = { 0.04, 0.05, 0.1, 0.25 };
    static const double later_frac[] = { 0.63, 0.70, 0.78, 0.91 };
    enum { TIERS = 4 };
    const int every = tap_runs(1, 13);
    int i, b, k, kept, first, runs, near_;
    for (b = 0; b < TIERS; b++) {
        double most = 0;
        rates later;
        memset(&later, 0, sizeof later);
        for (i = kept = first = runs = near_ = 0; i < 2 * SIM_MACHINES; i += every) {
            const sim_spec *spec = &sim_machines[i % SIM_MACHINES];
            const sim_neighbour who = sim_stranger(0.5);
            servet_profile p;
            double took;
            runs++;
            if (started(&p, spec, i >= SIM_MACHINES ? &who : NULL, 0, budget_s[b], (uint64_t)i) < 0) continue;
            took = p.made.seconds / budget_s[b];
            kept += took + got_frac < 1.2;
            if (took > most) most = took;
            for (k = 1; k < sim_truth_levels(spec); k++) {      /* of which a start reads as much and half again */
                const double want = sim_truth_bytes(spec, k);
                if (want > (b < 2 ? 8 : b < 3 ? 16 : 32) * 1048576.0 / 1.5) continue;
                later.runs++;
                near_ += nearest(&p, want) < log(1.25);
            }
            first += p.cache_count > 0 && fabs(p.cache[0].bytes / sim_truth_bytes(spec, 0) - 1) < 0.1;
            if (verbose && took + got_frac >= 1.2) TAP_DIAG("    %s: %.2f of its budget", spec->name, took + got_frac);
            servet_profile_free(&p);
        }
        TAP_OK(kept >= runs - 1 && first >= 0.9 * runs,
               "%3.0f ms: of %d starts, half of them beside a neighbour, %d end in time (the latest at %.2f), %d first "
               "levels within a tenth", 1e3 * budget_s[b], runs, kept, most + got_frac, first);
        TAP_OK(at_least(near_, &later, later_frac[b]), "... and of %d later levels %d within a quarter", later.runs,
               near_);
    }
}

/* A neighbour who is there for 30 to 100 ms and as long away: what he disturbs at first is counted again at another
 * moment, or intervals of a third of the first levels reach a quarter further (of 89 starts 32, and 13 so). */
static void test_moments(void)
{
    const int every = tap_runs(1, 4);
    sim_neighbour who = sim_stranger(0.5);
    int i, wide = 0, first = 0, runs = 0;
    who.phase_lo_s = 0.03;
    who.phase_hi_s = 0.1;
    for (i = 0; i < SIM_MACHINES; i += every) {
        servet_profile p;
        runs++;
        if (started(&p, &sim_machines[i], &who, 0, 0.25, (uint64_t)(SIM_MACHINES + i)) < 0) continue;
        first += p.cache_count > 0 && fabs(p.cache[0].bytes / sim_truth_bytes(&sim_machines[i], 0) - 1) < 0.1;
        wide += p.cache_count > 0 && p.cache[0].hi_bytes > 1.1 * p.cache[0].bytes;
        servet_profile_free(&p);
    }
    TAP_OK(first >= 0.95 * runs && wide <= 0.146 * runs + 2 * sqrt(0.146 * 0.854 * runs),
           "a neighbour who comes and goes: of %d first levels %d within a tenth, %d of a wide interval", runs, first,
           wide);
}

/* TLBs that are asked for get time in a start that would not look for them by itself. */
static void test_asked(void)
{
    const int every = tap_runs(1, 18);
    int i, right[2] = { 0, 0 }, unasked = 0, runs = 0, seconds = 0;
    for (i = 0; i < SIM_MACHINES; i += every) {
        const sim_spec *spec = &sim_machines[i];
        servet_profile p;
        int k;
        if (!spec->tlb[0].entries) continue;
        runs++;
        seconds += spec->tlb[1].entries > 0;
        if (started(&p, spec, NULL, 0, 0.5, (uint64_t)i) >= 0) {
            unasked += p.tlb.small.count;
            servet_profile_free(&p);
        }
        if (started(&p, spec, NULL, SERVET_PART_CACHES | SERVET_PART_TLB, 0.5, (uint64_t)i) < 0) continue;
        for (k = 0; k < p.tlb.small.count && k < 2; k++)
            right[k] += fabs((double)p.tlb.small.level[k].entries / spec->tlb[k].entries - 1) < 0.05;
        if (verbose)
            TAP_DIAG("    %s: %d TLBs, %d of %d, %d of %d", spec->name, p.tlb.small.count,
                     p.tlb.small.level[0].entries, spec->tlb[0].entries, p.tlb.small.level[1].entries,
                     spec->tlb[1].entries);
        servet_profile_free(&p);
    }
    TAP_OK(unasked == 0 && right[0] >= 0.9 * runs - 1 && right[1] >= 0.9 * seconds - 1,
           "TLBs asked for in .5 s: of %d first ones %d within 5 %%, of %d second ones %d, unasked %d", runs, right[0],
           seconds, right[1], unasked);
}

/* ---- the last level and memory ---------------------------------------------------------------- */

/* Of a level that others use and a profile's word for it: is less than half of it there?  1, 0, -1 = not asked.
 *   room    memory to ask in
 *   right   where it is less: 1 = what is said to be there is, and no less than the level before */
static int lessened(const sim_spec *spec, double of_truth, double awake, double room, double seconds, int seed,
                    int *right)
{
    const sim_neighbour who = sim_stranger(awake);
    const int last = sim_truth_levels(spec) - 1;
    const servet_cache *before;
    double memory_ns, now, truth;
    servet_profile p;
    servet_machine m;
    sim s;
    int i;
    if (last < 1 || sim_open(&s, spec, &one_percent, (uint64_t)seed) < 0) return -1;
    if (awake > 0) sim_beside(&s, &who);
    m = sim_machine(&s);
    m.bytes = fmin(m.bytes, room);
    truth = sim_truth_bytes(spec, last);
    memset(&p, 0, sizeof p);
    p.cache_count = last + 1;
    for (i = 0; i <= last; i++) {
        p.cache[i].bytes = p.cache[i].lo_bytes = sim_truth_bytes(spec, i);
        p.cache[i].latency_ns = spec->level[i].ns;
        p.cache[i].method = i == last ? SERVET_BY_HELD : SERVET_BY_COUNT;
    }
    p.cache[last].lo_bytes *= of_truth;
    p.memory_ns = spec->memory_ns;
    if (seed % 2) {    /* a start that saw a part of it */
        p.cache_count = last;
        p.seen_bytes = p.cache[last].lo_bytes;
    }
    for (i = 0; i < seed % 7; i++)    /* another moment */
        servet__still(&m, 65536, 8, 0.001, HUGE_VAL, (uint64_t)i);
    now = servet__profile_lessened(&p, &m, spec->tick_ns, seconds, (uint64_t)seed);
    i = fmin(0.75 * servet__profile_last(&p, &before, &memory_ns), 0.95 * m.bytes) > 3 * before->bytes;
    *right = now <= 1.1 * truth && now >= before->bytes;
    sim_close(&s);
    if (verbose && i && (now > 0) != (of_truth > 1))
        TAP_DIAG("    %s, last level of %.1f, %.0f %%, seed %d: %s, %.0f KiB of %.0f", spec->name, of_truth,
                 100 * awake, seed, now > 0 ? "less" : "as much", now / 1024, truth / 1024);
    return i ? now > 0 : -1;
}

/* In the memory that a load has levels of less than 4 MiB can be told from more; with room and time all. */
static void test_last(void)
{
    static const struct { double of_truth, most_bytes, room, seconds; const char *what; int every; } of[] = {
        { 1, 1e12, 8 * 1048576.0, AGAIN_S, "as large", 3 },
        { 2.5, 3.9 * 1048576, 8 * 1048576.0, AGAIN_S, ".4 of what the file says, less than 4 MiB", 1 },
        { 2.5, 1e12, 1e12, 1, ".4 of what the file says, with room to ask", 10 }
    };
    static const double awake[] = { 0, 0.5, 0.9 };
    int b, t, i;
    for (b = 0; b < 3; b++) for (t = 0; t < 3; t++) {
        const int every = tap_runs(1, of[t].every);
        int rights = 0;
        rates r;
        memset(&r, 0, sizeof r);
        for (i = b % every; i < SIM_MACHINES; i += every) {
            const sim_spec *spec = &sim_machines[i];
            const int n = sim_truth_levels(spec);
            int right, less;
            if (n < 2 || sim_truth_bytes(spec, n - 1) > of[t].most_bytes) continue;
            less = lessened(spec, of[t].of_truth, awake[b], of[t].room, of[t].seconds, 1 + i % 11, &right);
            r.runs += less >= 0;
            r.refuted += less > 0;
            rights += less > 0 && right;
        }
        TAP_OK(t == 0 ? at_least(r.runs - r.refuted, &r, 0.99) : at_least(rights, &r, 0.95),
               "a neighbour %.0f %% of the time: last level %s: of %d noticed %d, what is left right in %d",
               100 * awake[b], of[t].what, r.runs, r.refuted, rights);
    }
}

/* A start of 10 ms: claims of levels that were confirmed, and draws of 8 MiB of what is behind them. */
static void test_seen(void)
{
    const int every = tap_runs(1, 3);
    const double room = 8 * 1048576.0;
    int i, k, runs = 0, most = 0, beyond = 0, none = 0, nothing = 0;
    for (i = 0; i < SIM_MACHINES; i += every) {
        const sim_spec *spec = &sim_machines[i];
        const int levels = sim_truth_levels(spec), own = levels > 2 ? 2 : levels;
        const double last = sim_truth_bytes(spec, levels - 1), before = sim_truth_bytes(spec, own - 1);
        servet_profile p;
        servet_machine m;
        double seen;
        sim s;
        if (levels > 3 || 6 * before > room || sim_open(&s, spec, &one_percent, (uint64_t)i) < 0) continue;
        m = sim_machine(&s);
        m.bytes = room;
        memset(&p, 0, sizeof p);
        p.claims = own;
        p.host.report_count = own;
        for (k = 0; k < own; k++) {
            p.claim[k] = SERVET_CLAIM_CONFIRMED;
            p.host.report[k].level = k + 1;
            p.host.report[k].bytes = sim_truth_bytes(spec, k);
        }
        seen = servet__claims_seen(&p, &m, m.seconds(m.ctx) + 0.006, (uint64_t)i);
        if (levels > 2) {
            runs++;
            most += seen > 0.6 * fmin(last, 0.95 * room);
            beyond += seen > 1.1 * last;
        } else {
            none++;
            nothing += seen < 2 * before;
        }
        if (verbose) TAP_DIAG("    %s: %.0f of %.0f KiB", spec->name, seen / 1024, last / 1024);
        p.claim[own - 1] = p.claim[0] = SERVET_CLAIM_UNTESTED;
        if (servet__claims_seen(&p, &m, m.seconds(m.ctx) + 0.006, 1) != 0) abort();
        sim_close(&s);
    }
    TAP_OK(most >= 0.9 * runs && beyond == 0,
           "behind confirmed claims: of %d last levels most is seen of %d, too much of %d", runs, most, beyond);
    TAP_OK(none > 0 && nothing == none, "of %d machines without one nothing in %d", none, nothing);
}

/* Runs that are stopped before the curve, of guests that are told sixteen times of the last level.  Draws say what it
 * holds and its latency, with a counter of 5 ns on every other machine, and readings that contain 10 ns. */
typedef struct until { const servet_machine *m; double end_s; } until;
static int (*track_alone)(void *ctx, const servet_track *t, double *ns, servet_sample *out);

static int track_timed(void *ctx, const servet_track *track, double *ns, servet_sample *out)
{
    const double timer_ns = 10;
    const int status = track_alone(ctx, track, ns, out);
    servet_track t;
    int i;
    if (status < 0 || servet__track_resolve(&t, track) < 0 || !t.raw) return status;
    for (i = 0; i < t.parts * t.repeats; i++) ns[i] += timer_ns / (double)(t.n / (size_t)t.parts);
    return status;
}

static int stop_at(void *ctx)
{
    const until *u = (const until *)ctx;
    return u->m->seconds(u->m->ctx) >= u->end_s;
}

static void test_stopped(void)
{
    const int every = tap_runs(1, 7);
    int i, runs = 0, looked = 0, believed = 0, within = 0;
    double most_s = 0, error[SIM_MACHINES] = { 0 };
    rates drawn;
    memset(&drawn, 0, sizeof drawn);
    for (i = 0; i < SIM_MACHINES; i += every) {
        const sim_spec *spec = &sim_machines[i];
        const int levels = sim_truth_levels(spec);
        const servet_cache *last;
        servet_profile p;
        servet_profile_opts o;
        servet_question q;
        servet_answer a;
        servet_host host;
        servet_machine m;
        until u;
        sim s;
        if (levels != 3 || sim_open(&s, spec, &one_percent, (uint64_t)i) < 0) continue;
        s.timer.tick_ns = i % 2 ? 5 : 0;
        m = sim_machine(&s);
        track_alone = m.track;
        m.track = track_timed;
        memset(&o, 0, sizeof o);
        memset(&q, 0, sizeof q);
        memset(&host, 0, sizeof host);
        strcpy(host.hypervisor, "modelled");
        host.page_bytes = 4096;
        host.report_count = 1;
        host.report[0].source = SERVET_REPORT_SYSCONF;
        host.report[0].level = levels;
        host.report[0].bytes = 16 * sim_truth_bytes(spec, levels - 1);
        u.m = &m;
        u.end_s = m.seconds(m.ctx) + 0.4;
        o.machine = &m;
        o.host = &host;
        o.run.budget_s = 2;
        o.run.seed = (uint64_t)i;
        o.run.stop = stop_at;
        o.run.ctx = &u;
        q.what = SERVET_ASK_BYTES;
        q.level = levels;
        if (servet_profile_calibrate(&p, &o) >= 0) {
            if (p.evidence->curve.count == 0 && p.cache_count >= levels - 1 && servet_ask(&a, &p, &q) >= 0) {
                runs++;
                looked += p.evidence->resident.count > 0;
                believed += a.value >= host.report[0].bytes;
                most_s = fmax(most_s, p.made.seconds - 0.4);
                if (verbose) TAP_DIAG("    %s: %.0f of %.0f KiB", spec->name, a.value / 1024,
                                      sim_truth_bytes(spec, levels - 1) / 1024);
            }
            p.timer.step_ns = s.timer.tick_ns;
            servet_profile_infer(&p);
            last = &p.cache[levels - 1];
            if (p.evidence->curve.count == 0 && p.cache_count == levels && last->method == SERVET_BY_HELD) {
                const double truth = spec->level[levels - 1].ns;
                error[drawn.runs++] = fabs(last->latency_ns / truth - 1);
                within += last->lo_ns <= truth && truth <= last->hi_ns;
                if (verbose) TAP_DIAG("    %s: %.1f ns, %.1f [%.1f, %.1f]", spec->name, truth, last->latency_ns,
                                      last->lo_ns, last->hi_ns);
            }
            servet_profile_free(&p);
        }
        sim_close(&s);
    }
    TAP_OK(runs > 0 && looked == runs && believed <= 0.1 * runs, "of %d stopped runs %d looked at the last level, "
           "%d believed a claim of 16 times as much", runs, looked, believed);
    servet_stats_sort(error, (size_t)drawn.runs);
    TAP_OK(drawn.runs > 0 && at_least(within, &drawn, 0.95) && error[drawn.runs / 2] < 0.05,
           "latency by draws alone: of %d in the interval %d, half of them within %.0f %%", drawn.runs, within,
           100 * error[drawn.runs > 0 ? drawn.runs / 2 : 0]);
    TAP_OK(most_s < 0.1, "and ended %.2f s later, of .05", most_s);
}

/* Flushing and fetching a line of a memory that is so slow, beside someone who delays a share of it. */
typedef struct flushing { double ns, delayed; uint64_t seed; int asked, fails; } flushing;

static int flush(void *ctx, const servet_operate *what, servet_sample *out)
{
    flushing *f = (flushing *)ctx;
    int i;
    f->asked++;
    if (f->fails || what->operation != SERVET_OPERATE_FETCH || what->cpus != 1) return SERVET_EUNSUPPORTED;
    for (i = 0; i < what->rounds; i++) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].ns = f->ns * (1 + 0.1 * servet_stats_random_unit(&f->seed));
        if (servet_stats_random_unit(&f->seed) < f->delayed) out[i].ns *= 3;
    }
    return SERVET_OK;
}

static void test_memory(void)
{
    static const struct { double slower, delayed; int noticed; const char *what; } of[] = {
        { 1, 0, 0, "as fast" },      { 1, 0.5, 0, "as fast, but for half of the flushes" },
        { 1.3, 0.5, 0, "a third slower" },   { 2, 0, 1, "half as fast" },
        { 0.5, 0.5, 1, "twice as fast" }
    };
    enum { RUNS = 200 };
    servet_profile p;
    servet_machine m;
    flushing f;
    int i, k;
    memset(&p, 0, sizeof p);
    memset(&m, 0, sizeof m);
    memset(&f, 0, sizeof f);
    m.ctx = &f;
    m.operate = flush;
    for (i = 0; i < (int)(sizeof of / sizeof *of); i++) {
        int noticed = 0;
        for (k = 0; k < RUNS; k++) {
            f.delayed = 0;
            f.ns = 100;
            p.memory_fetch_ns = servet__memory_fetch(&m, 0, (uint64_t)k);
            f.delayed = of[i].delayed;
            f.ns *= of[i].slower;
            noticed += servet__profile_moved(&p, &m, 0, (uint64_t)k);
        }
        TAP_OK(of[i].noticed ? noticed >= 0.99 * RUNS : noticed <= 0.01 * RUNS, "memory %s: noticed in %d of %d",
               of[i].what, noticed, RUNS);
    }
    f.asked = 0;
    TAP_OK(!servet__profile_moved(&p, &m, -1, 1) && f.asked == 0, "not asked where the CPU is not known");
    f.fails = 1;
    TAP_OK(!servet__profile_moved(&p, &m, 0, 1) && servet__memory_fetch(&m, 0, 1) == 0,
           "nor told where flushing fails");
    p.memory_fetch_ns = f.asked = 0;
    TAP_OK(!servet__profile_moved(&p, &m, 0, 1) && f.asked == 0, "nor asked where it was not known before");
    m.operate = NULL;
    TAP_OK(servet__memory_fetch(&m, 0, 1) == 0, "and a machine that does not operate has none");
}

/* A machine that is another one from a time on: as if a neighbour on the core's other thread, who kept ways of the
 * first level without pause and slowed the reference chains by 1.3 to 1.8 times, had gone. */
typedef struct two { sim before, after; double until_ns; uint64_t seed; } two;

static sim *two_now(two *t)
{
    sim *s = t->before.time_ns < t->until_ns ? &t->before : &t->after;
    t->before.time_ns = t->after.time_ns = fmax(t->before.time_ns, t->after.time_ns);
    return s;
}

static void two_slow(two *t, const sim *s, servet_sample *out)
{
    if (s == &t->before) out->anchor_cycles *= 1.3 + 0.5 * sqrt(servet_stats_random_unit(&t->seed));
}

static int two_chase(void *ctx, size_t n, const servet_chase_opts *o, servet_sample *out)
{
    sim *s = two_now((two *)ctx);
    const int status = sim_chase(s, n, o, out);
    two_slow((two *)ctx, s, out);
    return status;
}

static int two_track(void *ctx, const servet_track *t, double *ns, servet_sample *out)
{
    sim *s = two_now((two *)ctx);
    const int status = sim_track(s, t, ns, out);
    two_slow((two *)ctx, s, out);
    return status;
}

static double two_seconds(void *ctx) { return sim_seconds(two_now((two *)ctx)); }

/* The first level is counted once more when all else was measured. */
static void test_gone(void)
{
    const int runs = tap_runs(4, 2);
    static two t;
    sim_spec less = *sim_named("emerald-rapids-guest"), all = less;
    const double budget_s = 3, bytes = all.level[0].bytes;
    int k, found = 0;
    less.level[0].bytes = 40960;
    less.level[0].ways = 10;
    for (k = 0; k < runs; k++) {
        servet_machine m;
        servet_profile_opts o;
        servet_profile p;
        memset(&t, 0, sizeof t);
        if (sim_open(&t.before, &less, &one_percent, (uint64_t)k + 1) < 0
            || sim_open(&t.after, &all, &one_percent, (uint64_t)k + 1) < 0) abort();
        m = sim_machine(&t.after);
        m.ctx = &t;
        m.chase = two_chase;
        m.track = two_track;
        m.seconds = two_seconds;
        m.together = NULL;
        t.until_ns = 0.9e9 * budget_s;
        t.seed = (uint64_t)k + 1;
        memset(&o, 0, sizeof o);
        o.machine = &m;
        o.parts = SERVET_PART_CACHES | SERVET_PART_SURVIVAL;
        o.run.budget_s = budget_s;
        o.run.seed = (uint64_t)k + 1;
        o.hi_bytes = 33554432;
        if (servet_profile_calibrate(&p, &o) < 0) abort();
        if (getenv("AGAIN_VERBOSE")) TAP_DIAG("%.0f [%.0f, %.0f] after %.2f s", p.cache[0].bytes, p.cache[0].lo_bytes,
                                              p.cache[0].hi_bytes, t.after.time_ns * 1e-9);
        found += p.cache_count > 0 && p.cache[0].bytes == bytes && p.cache[0].disturbed;
        servet_profile_free(&p);
        sim_close(&t.before);
        sim_close(&t.after);
    }
    TAP_OK(found == runs, "a neighbour kept two ways of twelve until the last tenth of a run: all twelve are found in "
           "%d of %d runs", found, runs);
}

static void test_skipped(void)
{
    const sim_spec *spec = sim_named("skylake");
    servet_profile p;
    servet_machine m;
    sim s;
    int none, modelled, deaf;
    if (sim_open(&s, spec, &one_percent, 1) < 0) abort();
    m = sim_machine(&s);
    memset(&p, 0, sizeof p);
    none = servet__profile_again(&p, &m, 0, 1, 1);
    p.cache_count = 1;
    p.cache[0].bytes = 4096;
    p.cache[0].latency_ns = 1;
    p.cache[0].method = SERVET_BY_MODEL;
    modelled = servet__profile_again(&p, &m, 0, 1, 1);
    p.cache[0].method = SERVET_BY_COUNT;
    p.made.ask_lines = -1;
    deaf = servet__profile_again(&p, &m, 0, 1, 1);
    p.made.ask_lines = 0;
    TAP_OK(none == -1 && modelled == -1 && deaf == -1 && servet__profile_again(&p, &m, 1e6, 1, 1) == -1,
           "nothing is told of no level, of one not counted or not to be asked for, nor by too coarse a timer");
    TAP_OK(servet__profile_again(&p, &m, 0, 1, 1) == 1, "and one that was counted is refuted");
    m.track = NULL;
    TAP_OK(servet__profile_again(&p, &m, 0, 1, 1) == -1, "but not by a machine that has no tracks");
    sim_close(&s);
}

/* By a garbled timer a block would be timed for years: then it is calibrated anew. */
static void test_timer(void)
{
    static const double odd[] = { 0, -1, 1e-300, 1e18, 1e300 };
    static const servet_timer usual = { SERVET_TIMER_COUNTER, 1, 0, 1, 0.4, 1e-5, 30, 0.9, 1500, 0.008 };
    static servet_profile p;
    int i, k, taken = 0;
    memset(&p, 0, sizeof p);
    p.timer = usual;
    TAP_OK(servet__profile_timer(&p) == NULL, "a file without a timer has none");
    p.timer_valid = 1;
    TAP_OK(servet__profile_timer(&p) == &p.timer, "one that has a timer has that");
    for (i = 0; i < 5; i++)
        for (k = 0; k < 4; k++) {
            p.timer = usual;
            *(k == 0 ? &p.timer.ns_per_tick : k == 1 ? &p.timer.overhead_ns : k == 2 ? &p.timer.step_ns
              : &p.timer.min_block_ns) = odd[i];
            taken += servet__profile_timer(&p) != NULL && !(k == 1 && odd[i] >= 0 && odd[i] < 1);
        }
    TAP_OK(taken == 0, "none of 18 that make no sense is taken");
}

int main(void)
{
    test_timer();
    verbose = getenv("AGAIN_VERBOSE") != NULL;
    test_decision();
    test_skipped();
    test_waits();
    test_machines();
    test_last();
    test_seen();
    test_stopped();
    test_memory();
    test_tiers();
    test_gone();
    test_moments();
    test_asked();
    test_crowded(2, 0.2, 0.95, 1.5);
    test_crowded(0.25, 0.1, 0.85, 5);
    return tap_done();
}

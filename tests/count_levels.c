/* count_levels.c - counts of levels and TLBs: what decides and settles them, and how often they are right on machines
 * whose truth is known
 *
 * Rates are asserted less two standard deviations of as many runs; the table is a remark (prove -v).  COUNT_SEEDS=8
 * takes so many seeds of each instead of 2, AT_LENGTH=1 takes 30; COUNT_VERBOSE=1 shows each that is not exact. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

#define KIB 1024.0

/* ---- pure: decisions ------------------------------------------------------------------------- */

/* Votes of a unit, of which a share looks evicted, until they decide; 1 = decided as resident. */
static int voted(double evicted_frac, double disturbed_frac, double error_frac, int *votes, uint64_t *seed)
{
    int resident = 0, evicted = 0, verdict = 0;
    while (!verdict && resident + evicted < 1000) {
        if (servet_stats_random_unit(seed) < evicted_frac) evicted++;
        else resident++;
        verdict = servet__count_decide(resident, evicted, disturbed_frac, error_frac);
    }
    *votes += resident + evicted;
    return verdict > 0;
}

static void test_decide(void)
{
    enum { UNITS = 20000, MOST = 100 };
    static const double disturbed[] = { 0, 0.25, 0.4, 0.5 }, error[] = { 0.01, 0.001 };
    uint64_t seed = 3;
    int i, k, n, r, e, bad = 0, open = 0, limit = 0, late = 0;
    for (r = 0; r < MOST; r++)
        for (e = 0; e + r < MOST; e++)
            for (i = 0; i < 4; i++)
                if (servet__count_decide(r, e, disturbed[i], 0.001) == 0 && r + e >= limit) limit = r + e + 1;
    TAP_OK(limit < MOST, "%d votes decide, whatever they are", limit);
    for (i = 0; i < 4; i++)
        for (k = 0; k < 2; k++) {
            const double e_ = disturbed[i] < 0.25 ? 0.25 : disturbed[i];
            int wrong_in = 0, wrong_out = 0, votes_in = 0, votes_out = 0;
            for (n = 0; n < UNITS; n++) {
                wrong_in += !voted(e_, disturbed[i], error[k], &votes_in, &seed);
                wrong_out += voted(0.95, disturbed[i], error[k], &votes_out, &seed);
            }
            TAP_DIAG("disturbed %.2f, error %.3f: resident wrong %.5f in %.1f votes, evicted wrong %.5f in %.1f",
                     disturbed[i], error[k], wrong_in / (double)UNITS, votes_in / (double)UNITS,
                     wrong_out / (double)UNITS, votes_out / (double)UNITS);
            /* Two standard deviations of as many units.  Where much looks evicted the votes end before one error in a
             * thousand. */
            n = wrong_in > wrong_out ? wrong_in : wrong_out;
            if (disturbed[i] > 0.3 && k == 1) late = n > late ? n : late;
            else bad += n > error[k] * UNITS + 2 * sqrt(error[k] * UNITS);
        }
    TAP_OK(bad == 0, "decisions are wrong no more often than stated");
    TAP_OK(late < 0.007 * UNITS, "but in %.4f of them at most, where the last vote decides before one in a thousand",
           late / (double)UNITS);
    for (i = 0, bad = 0; i < 4; i++)
        for (r = 0; r < limit; r++)
            for (e = 0; e + r < limit; e++) {
                const int here = servet__count_decide(r, e, disturbed[i], 0.01);
                if (e + r + 1 == limit) open += here == 0;    /* the last vote decides */
                else if (servet__count_decide(r + 1, e, disturbed[i], 0.01) < here
                         || servet__count_decide(r, e + 1, disturbed[i], 0.01) > here) bad++;
            }
    TAP_OK(bad <= open, "a further vote for one answer never speaks for the other, but for the last (%d)", bad);
    TAP_OK(servet__count_decide(2, 0, 0, 0.01) == 1 && servet__count_decide(1, 0, 0, 0.01) == 0
           && servet__count_decide(0, 3, 0, 0.01) == 0 && servet__count_decide(0, 4, 0, 0.01) == -1,
           "undisturbed: resident by two votes, evicted by four");
}

/* ---- pure: what a count says ----------------------------------------------------------------- */

/* Runs that kept so many, each; 0 ends the list. */
static servet_count made(int a, int b, int c, int d)
{
    const int kept[] = { a, b, c, d };
    servet_count r;
    int i;
    memset(&r, 0, sizeof r);
    r.unit_bytes = SERVET_COUNT_BLOCK;
    r.loads = 16;
    r.reach = 10000;
    for (i = 0; i < 4 && kept[i] > 0; i++) {
        servet_count_run *run = &r.run[r.runs++];
        run->resident_ns = 2 + 0.1 * i;
        run->limit_ns = 5;
        run->evicted_ns = 9 + i;
        run->disturbed_frac = 0.01;
        run->full = 1;
        run->passes = 2;
        run->pass[0].kept = kept[i] + 1;
        run->pass[1].kept = kept[i];
    }
    return r;
}

static void sets_of(servet_count *c, int a, int b, int d, int e)
{
    const int n[] = { a, b, d, e };
    int i;
    for (c->sets = i = 0; i < 4 && n[i] > 0; i++) c->set_units[c->sets++] = n[i];
}

/* Units and ways that a count says, in one number; -1 = unresolved. */
static int says(const servet_count *c)
{
    servet_counted r;
    return servet_count_settle(&r, c, 0) < 0 ? -1 : (int)(1000 * r.units + r.ways);
}

static int refusal(const servet_count *c)
{
    servet_counted r, before;
    int status;
    memset(&r, 0x5a, sizeof r);
    before = r;
    status = servet_count_settle(&r, c, 0);
    return status < 0 && memcmp(&r, &before, sizeof r) == 0 ? status : 1;
}

static void test_settle(void)
{
    servet_counted r;
    servet_count c = made(256, 256, 0, 0);
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.lo_units == 256 && r.hi_units == 256
           && r.usual_units == 256 && !r.disturbed && r.ways == 0, "two runs that agree");
    TAP_OK(r.resident_ns == 2 && r.evicted_ns == 9, "with the latencies of the run with the faster hits");
    c = made(200, 256, 256, 0);
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.usual_units == 256 && r.lo_units <= 256
           && !r.disturbed, "of three runs one that is low changes nothing");
    c = made(200, 210, 256, 256);
    c.run[4] = c.run[0];
    c.runs = 5;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.usual_units == 210 && r.disturbed
           && r.lo_units == 200, "most of them low: what is there, and what could be had");
    c = made(255, 0, 0, 0);
    c.run[0].passes = 1;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.disturbed && r.lo_units == 192
           && r.hi_units == 320, "a fill alone tells what it kept, in wide bounds");
    c.run[0].disturbed_frac = 0.8;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.hi_units == 512,
           "wider where it was disturbed: a neighbour may keep as much");
    c.run[0].disturbed_frac = 0;
    c.run[1] = c.run[0];
    c.run[1].passes = 2;
    c.runs = 2;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 255 && r.lo_units == 255,
           "and nothing beside a run that was asked again");
    c.runs = 1;
    c.kind = SERVET_COUNT_TLB;
    TAP_OK(refusal(&c) == SERVET_EUNRESOLVED, "of a TLB it tells nothing");
    c = made(536, 0, 0, 0);
    c.run[0].pass[0].kept = 510;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.lo_units == 536 && r.hi_units == 536,
           "a first level is what was kept last");
    c.before = 12;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 536 && fabs(r.lo_units - 0.97 * 510) < 1e-9
           && r.hi_units == 552, "a later one without known ways is from 3 %% less than its fill kept to 3 %% more");
    sets_of(&c, 16, 16, 16, 16);
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 512 && r.ways == 16 && r.lo_units == 512
           && r.hi_units == 536, "with known ways a power of two of classes, where the fill kept that");
    c.run[0].pass[0].kept = 470;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 544, "but not where it kept something else");
    c.run[0].pass[0].kept = 510;
    c.run[0].pass[1].kept = 656;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 656, "nor where more is kept by a quarter");
    c = made(256, 0, 0, 0);
    c.run[0].full = 0;
    TAP_OK(refusal(&c) == SERVET_EUNRESOLVED, "no run that filled the level: unresolved");
    c.runs = 0;
    TAP_OK(refusal(&c) == SERVET_EUNRESOLVED, "nor without a run");
    c = made(100, 200, 0, 0);
    c.run[2] = made(400, 0, 0, 0).run[0];
    c.runs = 3;
    TAP_OK(refusal(&c) == SERVET_EUNRESOLVED, "runs that differ by more than a quarter: unresolved");
    c = made(256, 256, 0, 0);
    c.run[1].disturbed_frac = 0.3;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.disturbed && r.hi_units == 320,
           "references that were disturbed are told; of one quiet run of several, by chance, a quarter of doubt");
    c = made(256, 256, 256, 0);
    c.run[1].disturbed_frac = 0.3;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.disturbed && r.hi_units == 256,
           "two quiet runs are enough for the interval");
    c.run[0].disturbed_frac = 0.3;
    c.run[1].full = 0;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.hi_units == 320,
           "one is no proof also where others did not fill the level");
    c.runs = 1;
    c.run[0].disturbed_frac = 0;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.hi_units == 256, "and the one there is");
    c = made(256, 256, 0, 0);
    c.run[1].disturbed_frac = 0.3;
    c.run[0].disturbed_frac = 0.8;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.disturbed && r.hi_units == 512,
           "where all were disturbed, a neighbour may keep as much");
    c.run[1].patient = 1;
    c.run[1].quiet_votes = 32;
    c.run[1].quiet_resident = 2;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.disturbed && r.hi_units == 384,
           "but half of it where in quiet moments of one run refused units were evicted all the same");
    c.run[1].quiet_resident = 30;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.hi_units == 512, "where they stayed then, he does");
    c.run[1].quiet_resident = c.run[1].quiet_votes = 8;
    c.run[1].quiet_resident = 0;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.hi_units == 512, "too few such moments tell nothing");
    c = made(200, 256, 256, 0);
    c.run[1].disturbed_frac = c.run[2].disturbed_frac = 0.8;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.hi_units == 512,
           "also where the quiet run had less than the others");
    c = made(256, 256, 0, 0);
    c.run[0].anchor_cycles = c.run[1].anchor_cycles = 6;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && !r.disturbed && r.hi_units == 256
           && servet_count_settle(&r, &c, 5) == SERVET_OK && r.disturbed && r.hi_units == 512,
           "reference chains that are slower than undisturbed: someone is there, and may keep as much");
    c.run[1].anchor_cycles = 5;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.disturbed && r.hi_units == 320,
           "one run beside undisturbed ones leaves a quarter");
    c = made(128, 128, 128, 256);
    c.run[0].anchor_cycles = c.run[1].anchor_cycles = c.run[2].anchor_cycles = 6;
    c.run[3].anchor_cycles = 5;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 256 && r.usual_units == 128 && r.lo_units == 128
           && r.hi_units == 320, "what it says outranks what disturbed ones do (%.0f)", r.units);
    c = made(640, 48, 48, 0);
    c.run[0].resident_ns = 6;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 48 && r.lo_units == 48 && r.hi_units == 48
           && r.disturbed && r.resident_ns == 2.1, "a run that kept more, and slower, counted the level behind");
    c.run[1].passes = 1;
    c.runs = 2;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.disturbed && r.lo_units < r.units
           && r.units == c.run[1].pass[0].kept, "also where the other one is a fill alone, which then tells");
    c.run[1].passes = 2;
    c.runs = 3;
    c.run[0].resident_ns = 3.5;
    TAP_OK(servet_count_settle(&r, &c, 0) < 0 || r.hi_units == 640, "one that is slower alone counts");

    c = made(128, 128, 0, 0);
    sets_of(&c, 8, 8, 8, 0);
    TAP_OK(says(&c) == 128008, "ways from three sets that agree (%d)", says(&c));
    sets_of(&c, 8, 8, 0, 0);
    TAP_OK(says(&c) == 128000, "two are too few (%d)", says(&c));
    sets_of(&c, 8, 8, 8, 13);
    TAP_OK(says(&c) == 128008, "one set that is too large (%d)", says(&c));
    sets_of(&c, 8, 8, 8, 100);
    TAP_OK(says(&c) == 128008, "or much too large (%d)", says(&c));
    c = made(255, 255, 0, 0);
    sets_of(&c, 16, 16, 16, 16);
    TAP_OK(says(&c) == 256016, "255 blocks of 16 ways are 256 (%d)", says(&c));
    c = made(512, 512, 0, 0);
    sets_of(&c, 17, 17, 17, 17);
    TAP_OK(says(&c) == 512016, "512 blocks by sets of 17 have 16 ways (%d)", says(&c));
    c = made(100, 100, 0, 0);
    sets_of(&c, 16, 16, 16, 16);
    TAP_OK(says(&c) == 100000, "ways that blocks are no multiple of are not known (%d)", says(&c));
    c = made(12, 12, 12, 12);
    sets_of(&c, 12, 11, 12, 11);
    TAP_OK(says(&c) == 12012, "12 blocks by sets of 12 and 11 by turns are 12 ways (%d)", says(&c));
    c = made(510, 510, 0, 0);
    sets_of(&c, 15, 15, 16, 0);
    TAP_OK(says(&c) == 512016, "510 blocks by sets of 15 and 16 are 512: a power of two of classes (%d)", says(&c));
    c = made(516, 516, 0, 0);
    sets_of(&c, 16, 16, 16, 0);
    TAP_OK(says(&c) == 512016, "and so are 516 of 16 ways, luck kept four (%d)", says(&c));

    c = made(4, 4, 0, 0);
    c.kind = SERVET_COUNT_TLB;
    c.run[0].rest = c.run[1].rest = 8;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 72 && r.hi_units == 75,
           "a TLB: groups of pages, the pages that fit beside them, and perhaps those that a question touches");
    c.before = 64;
    c.run[0].rest = c.run[1].rest = 0;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 64 && r.hi_units == 79,
           "a later one may hold another group but for a page");
    c.before = 0;
    c.run[0].rest = c.run[1].rest = -1;
    TAP_OK(servet_count_settle(&r, &c, 0) == SERVET_OK && r.units == 64 && r.hi_units == 82,
           "a first one of which single pages were not told, another group but for a page, and what questions touch");

    c = made(8, 8, 0, 0);
    TAP_OK(servet_count_settle(NULL, &c, 0) == SERVET_EINVAL && refusal(NULL) == SERVET_EINVAL, "no pointer: invalid");
    c.runs = -1;
    TAP_OK(refusal(&c) == SERVET_EINVAL, "fewer than no runs: invalid");
    c.runs = SERVET_COUNT_RUNS + 1;
    TAP_OK(refusal(&c) == SERVET_EINVAL, "more than there is room for: invalid");
    c.runs = 2;
    c.sets = SERVET_COUNT_SETS + 1;
    TAP_OK(refusal(&c) == SERVET_EINVAL, "or sets: invalid");
    c.sets = 0;
    c.run[0].passes = c.run[1].passes = SERVET_COUNT_PASSES + 1;
    TAP_OK(refusal(&c) == SERVET_EUNRESOLVED, "passes beyond those there are: no run");
}

/* ---- modelled machines ------------------------------------------------------------------------ */

/* 1 % of noise with 3 % outliers. */
static const sim_noise one_percent = { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 1 };
static const servet_run no_limit;    /* all zero */

static int seeds, verbose;

/* How often; n of them were asked for. */
typedef struct rate { int n, told, exact, in_5, held, ways; } rate;

static void add(rate *sum, const rate *r)
{
    sum->n += r->n;
    sum->told += r->told;
    sum->exact += r->exact;
    sum->in_5 += r->in_5;
    sum->held += r->held;
    sum->ways += r->ways;
}

static void show(const char *name, const rate *r)
{
    TAP_DIAG("  %-34s %4d runs: answered %4d exact %4d within 5 %% %4d in the interval %4d ways %4d", name, r->n,
             r->told, r->exact, r->in_5, r->held, r->ways);
}

/* So many of n come out at the stated rate, less two standard deviations. */
static int least(double p, int n) { return (int)floor(n * p - 2 * sqrt(n * p * (1 - p)) + 1e-9); }

static void judge(const char *name, const rate *r, double exact, double in_5, double held)
{
    show(name, r);
    TAP_OK(r->exact >= least(exact, r->n) && r->in_5 >= least(in_5, r->n) && r->held >= least(held, r->n),
           "%s: of %d exact %d (%d or more), within 5 %% %d (%d), in the interval %d (%d)", name, r->n, r->exact,
           least(exact, r->n), r->in_5, least(in_5, r->n), r->held, least(held, r->n));
}

static void note(rate *r, const char *name, const servet_counted *c, double units, int ways)
{
    r->told++;
    r->exact += c->units == units;
    r->in_5 += fabs(c->units / units - 1) <= 0.05;
    r->held += c->lo_units <= units && units <= c->hi_units;
    r->ways += c->ways == ways;
    if (verbose && (c->units != units || c->ways != ways))
        TAP_DIAG("    %s: %.0f [%.0f, %.0f] usual %.0f, ways %d; truth %.0f, %d", name, c->units, c->lo_units,
                 c->hi_units, c->usual_units, c->ways, units, ways);
}

/* What count_levels measures. */
static servet_curve level_curve;
static servet_count level_count[SIM_LEVELS];

/* Counts the levels of one machine, the first `wanted` at most, from a thin curve that goes beyond its last level below
 * 8 MiB.  Returns how many. */
static int count_levels(const sim_spec *spec, int wanted, double tick_ns, double awake, int seed)
{
    sim_neighbour who = sim_stranger(awake);
    servet_machine m;
    servet_run run;
    double most = 0;
    sim s;
    int i, n;
    for (i = 0; i < sim_truth_levels(spec) && sim_truth_bytes(spec, i) < 8388608; i++)
        most = 4 * sim_truth_bytes(spec, i);
    if (sim_open(&s, spec, &one_percent, (uint64_t)seed) < 0) return -1;
    s.timer.tick_ns = tick_ns;
    if (awake > 0) sim_beside(&s, &who);
    m = sim_machine(&s);
    memset(&run, 0, sizeof run);
    run.budget_s = 0.5;
    run.seed = (uint64_t)seed;
    memset(&level_curve, 0, sizeof level_curve);
    n = servet__hierarchy_thin(&level_curve, &m, most, &run);
    if (n >= 0) n = servet__hierarchy_counts(level_count, 0, wanted, &level_curve, &m, &run);
    sim_close(&s);
    return n;
}

/* Counts of one machine's levels, of the first `wanted` alone: at[i] for the i-th. */
static void try_levels(rate *at, int wanted, const sim_spec *spec, double tick_ns, double awake, int seed)
{
    const int n = count_levels(spec, wanted, tick_ns, awake, seed);
    servet_counted c;
    int i;
    for (i = 0; i < wanted && i < sim_truth_levels(spec) && sim_truth_bytes(spec, i) < 8388608; i++) {
        /* Of an exclusive level what it holds itself, or with the level before it. */
        const double all = sim_truth_bytes(spec, i) / SERVET_COUNT_BLOCK;
        const double own = spec->level[i].bytes / SERVET_COUNT_BLOCK;
        at[i].n++;
        if (i < n && servet_count_settle(&c, &level_count[i], level_curve.anchor_cycles) >= 0)
            note(&at[i], spec->name, &c, fabs(c.units - own) < fabs(c.units - all) ? own : all,
                 sim_truth_ways(spec, i));
    }
}

/* The only TLB holds 64 pages of 8 KiB, far less than the second level: over eight lines of a block its miss costs a
 * third of a hit there, as a nearer cache would gain, but is none. */
static void try_translated(void)
{
    const sim_spec *spec = sim_named("pray-niagara");
    const double first = sim_truth_bytes(spec, 0), second = sim_truth_bytes(spec, 1);
    const int runs = 4 * seeds;
    int seed, none = 0;
    for (seed = 1; seed <= runs; seed++) {
        const int n = count_levels(spec, SIM_LEVELS, 0, 0, seed);
        int i, wrong = 0;
        for (i = 0; i < n; i++) {
            servet_counted c;
            if (servet_count_settle(&c, &level_count[i], level_curve.anchor_cycles) < 0) continue;
            c.units *= SERVET_COUNT_BLOCK;
            wrong += 2 * first < c.units && 2 * c.units < second;
        }
        none += n >= 1 && wrong == 0;
    }
    TAP_OK(none == runs, "a TLB's step is counted as no cache: %d of %d", none, runs);
}

/* A count of a level by itself, which is guessed to within a factor of two. */
static void try_single(rate *r, const sim_spec *spec, double tick_ns, int seed)
{
    static const double guess[] = { 1, 0.6, 1.5, 0.8, 1.9 };
    const double units = spec->level[0].bytes / SERVET_COUNT_BLOCK;
    servet_count_opts o;
    servet_machine m;
    servet_counted counted;
    servet_count c;
    char name[99];
    sim s;
    int status;
    r->n++;
    if (sim_open(&s, spec, &one_percent, (uint64_t)seed) < 0) return;
    s.timer.tick_ns = tick_ns;
    m = sim_machine(&s);
    memset(&o, 0, sizeof o);
    o.about_units = guess[seed % 5] * units;
    o.run.seed = (uint64_t)seed;
    status = servet_count_cache(&c, &m, &o);
    sim_close(&s);
    snprintf(name, sizeof name, "policy %d, %d ways, seed %d", spec->level[0].policy, spec->level[0].ways, seed);
    if (status >= 0 && servet_count_settle(&counted, &c, 0) >= 0) note(r, name, &counted, units, spec->level[0].ways);
    else if (verbose) TAP_DIAG("    %s: unresolved (%s)", name, servet_status_text(status));
}

static void try_policies(void)
{
    /* What it gives: exact, within 5 %, in the interval, ways, in shares of the runs. */
    static const struct { const char *name; int policy; double exact, in_5, held, ways; } of[] = {
        { "LRU", SIM_LRU, 0.98, 0.98, 0.98, 0.98 },
        { "FIFO", SIM_FIFO, 0.98, 0.98, 0.98, 0.98 },
        { "tree-PLRU", SIM_PLRU, 0.89, 0.98, 0.94, 0.89 },
        { "NRU", SIM_NRU, 0.98, 0.98, 0.98, 0.98 },
        { "SRRIP", SIM_SRRIP, 0.98, 0.98, 0.98, 0.98 },
        { "BRRIP", SIM_BRRIP, 0.98, 0.98, 0.98, 0.98 },
        { "QLRU", SIM_QLRU, 0.98, 0.98, 0.98, 0.98 },
        { "random", SIM_RANDOM, 0.98, 0.98, 0.98, 0.98 },
        { "DRRIP", SIM_DRRIP, 0.98, 0.98, 0.98, 0.98 },
        { "PLRU of trees", SIM_PLRU3, 0.98, 0.98, 0.98, 0.98 }
    };
    static const int ways[] = { 8, 12, 16 };
    rate all;
    int i, k, seed;
    memset(&all, 0, sizeof all);
    for (i = 0; i < 10; i++) {
        rate sum;
        memset(&sum, 0, sizeof sum);
        for (k = 0; k < 3; k++) {
            char name[64];
            rate r;
            memset(&r, 0, sizeof r);
            for (seed = 1; seed <= seeds; seed++) {
                const sim_spec spec = sim_single(8.0 * ways[k] * SERVET_COUNT_BLOCK, ways[k], of[i].policy,
                                                 SIM_PHYSICAL, SIM_SCATTERED);
                try_single(&r, &spec, 0, seed);
            }
            snprintf(name, sizeof name, "%s, %d ways", of[i].name, ways[k]);
            show(name, &r);
            add(&sum, &r);
        }
        judge(of[i].name, &sum, of[i].exact, of[i].in_5, of[i].held);
        TAP_OK(sum.ways >= least(of[i].ways, sum.n), "%s: ways of %d in %d (%d or more)", of[i].name, sum.n, sum.ways,
               least(of[i].ways, sum.n));
        add(&all, &sum);
    }
    show("all policies", &all);
}

/* A first level of 32 KiB, and one of 256 KiB behind it, of the policy and index given. */
static sim_spec two_levels(int policy, int index, int relation)
{
    sim_spec spec = sim_single(32 * KIB, 8, SIM_PLRU, SIM_VIRTUAL, SIM_SCATTERED);
    const sim_level second = { 256 * KIB, 8, 64, 4, SIM_LRU, SIM_PHYSICAL, SIM_APART, 0, 0 };
    const sim_tlb first_tlb = { 64, 4, 2, SIM_VIRTUAL, 0 }, second_tlb = { 1536, 12, 8, SIM_VIRTUAL, 0 };
    spec.level[1] = second;
    spec.level[1].policy = policy;
    spec.level[1].index = index;
    spec.level[1].relation = relation;
    spec.tlb[0] = first_tlb;
    spec.tlb[1] = second_tlb;
    spec.memory_ns = 80;
    return spec;
}

/* A second level whose index mixes the lines of a block, guessed rightly and wrongly: a part of the lines fills all its
 * sets, and by that part alone it would seem several times as large; so it does in a thin curve, which guesses. */
static void try_mixed(void)
{
    enum { GUESSES = 7 };
    static const double guess[GUESSES] = { 0.5, 0.7, 1, 1.4, 2, 8, 12 };
    static const int index[] = { SIM_HASHED, SIM_XORED };
    const double thin = 4;    /* a larger guess is one of a thin curve: of a level of 1 MiB */
    int i, k, told = 0, right = 0, n = 0, seed;
    for (i = 0; i < 2; i++)
        for (k = 0; k < GUESSES; k++)
            for (seed = 1; seed <= (seeds + 3) / 4; seed++, n++) {
                sim_spec spec = two_levels(SIM_LRU, index[i], SIM_APART);
                servet_count_opts o;
                servet_machine m;
                servet_counted counted;
                servet_count c;
                sim s;
                double units;
                if (guess[k] > thin) spec.level[1].bytes *= 4;
                units = spec.level[1].bytes / SERVET_COUNT_BLOCK;
                if (sim_open(&s, &spec, &one_percent, (uint64_t)seed) < 0) continue;
                m = sim_machine(&s);
                memset(&o, 0, sizeof o);
                o.about_units = guess[k] * units;
                o.before_units = 8;
                o.run.seed = (uint64_t)seed;
                if (servet_count_cache(&c, &m, &o) >= 0 && servet_count_settle(&counted, &c, 0) >= 0) {
                    told++;
                    right += counted.lo_units <= 1.05 * units && counted.units <= 1.05 * units;
                }
                sim_close(&s);
            }
    TAP_OK(told >= least(0.95, n) && right >= least(0.98, told),
           "an index that mixes lines, level guessed: of %d answered %d (%d or more), too large %d", n, told,
           least(0.95, n), told - right);
}

/* Of 1.25 times what 8 ways hold blocks find room in a quarter of the sets: of a few asked half may, by chance. */
static void try_chance(void)
{
    int i, seed, n = 0, large = 0;
    for (i = 0; i < SIM_MACHINES && strcmp(sim_machines[i].name, "zen4"); i++) { }
    for (seed = 1; i < SIM_MACHINES && seed <= 5 * seeds; seed++) {
        const double units = sim_truth_bytes(&sim_machines[i], 1) / SERVET_COUNT_BLOCK;
        servet_count_opts o;
        servet_machine m;
        servet_counted counted;
        servet_count c;
        sim s;
        if (sim_open(&s, &sim_machines[i], &one_percent, (uint64_t)seed) < 0) continue;
        m = sim_machine(&s);
        memset(&o, 0, sizeof o);
        o.about_units = 0.7 * units;
        o.before_units = sim_truth_bytes(&sim_machines[i], 0) / SERVET_COUNT_BLOCK;
        o.run.seed = (uint64_t)seed;
        if (servet_count_cache(&c, &m, &o) >= 0 && servet_count_settle(&counted, &c, 0) >= 0) {
            n++;
            large += counted.units > 1.05 * units;
        }
        sim_close(&s);
    }
    TAP_OK(n > 3 * seeds && 50 * large < n, "and one of 8 ways: of %d too large %d", n, large);
}

static void try_places(void)
{
    static const struct { const char *name; int index; double exact, in_5, held; } of[] = {
        { "physical index", SIM_PHYSICAL, 0.98, 0.98, 0.98 }, { "hashed index", SIM_HASHED, 0, 0, 0 },
        { "index with XOR of lines", SIM_XORED, 0.98, 0.98, 0.98 }
    };
    static const struct { int bytes; double exact, in_5, held; } page[] = {
        { 4096, 0.98, 0.98, 0.98 }, { 16384, 0.98, 0.98, 0.98 }, { 65536, 0.98, 0.98, 0.98 }
    };
    static const struct { double tick_ns, exact, in_5, held; } timer[] = {
        { 0.3, 0.98, 0.98, 0.98 }, { 10, 0.98, 0.98, 0.98 }, { 40, 0.98, 0.98, 0.98 }
    };
    static const struct { double awake, exact, in_5, held; } beside[] = {
        { 0, 0.98, 0.98, 0.98 }, { 0.1, 0.98, 0.98, 0.98 }, { 0.5, 0.98, 0.98, 0.98 }, { 0.9, 0.92, 0.98, 0.92 }
    };
    rate r[SIM_LEVELS];
    char name[64];
    int i, seed;
    for (i = 0; i < 3; i++) {
        const sim_spec spec = two_levels(SIM_LRU, of[i].index, SIM_APART);
        const int runs = of[i].index == SIM_PHYSICAL ? seeds : (seeds + 2) / 3;    /* all lines take long */
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= runs; seed++) try_levels(r, SIM_LEVELS, &spec, 0, 0, seed);
        show(of[i].name, &r[0]);
        if (of[i].exact > 0) judge(of[i].name, &r[1], of[i].exact, of[i].in_5, of[i].held);
        else {      /* lines of a block lie in sets of their own: none of them is evicted as a whole */
            show(of[i].name, &r[1]);
            TAP_OK(r[1].n > 0 && r[1].told == r[1].held, "%s: of %d no answer, or a right one: %d, %d",
                   of[i].name, r[1].n, r[1].told, r[1].held);
        }
    }
    {
        const sim_spec spec = two_levels(SIM_LRU, SIM_PHYSICAL, SIM_EXCLUSIVE);
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= seeds; seed++) try_levels(r, SIM_LEVELS, &spec, 0, 0, seed);
        show("exclusive pair, first", &r[0]);
        judge("exclusive pair, second", &r[1], 0.98, 0.98, 0.98);
    }
    for (i = 0; i < 3; i++) {
        sim_spec spec = two_levels(SIM_PLRU, SIM_PHYSICAL, SIM_APART);
        spec.page_bytes = page[i].bytes;
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= seeds; seed++) try_levels(r, SIM_LEVELS, &spec, 0, 0, seed);
        snprintf(name, sizeof name, "pages of %d KiB", page[i].bytes / 1024);
        show(name, &r[0]);
        judge(name, &r[1], page[i].exact, page[i].in_5, page[i].held);
    }
    for (i = 0; i < 3; i++) {
        const sim_spec spec = two_levels(SIM_PLRU, SIM_PHYSICAL, SIM_APART);
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= seeds; seed++) try_levels(r, SIM_LEVELS, &spec, timer[i].tick_ns, 0, seed);
        snprintf(name, sizeof name, "a counter of %.1f ns", timer[i].tick_ns);
        add(&r[0], &r[1]);
        judge(name, &r[0], timer[i].exact, timer[i].in_5, timer[i].held);
    }
    for (i = 0; i < 4; i++) {
        const sim_spec spec = two_levels(SIM_PLRU, SIM_PHYSICAL, SIM_APART);
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= 3 * seeds; seed++) try_levels(r, SIM_LEVELS, &spec, 0, beside[i].awake, seed);
        snprintf(name, sizeof name, "a neighbour %.0f %% of the time", 100 * beside[i].awake);
        show(name, &r[0]);
        add(&r[0], &r[1]);
        judge(name, &r[0], beside[i].exact, beside[i].in_5, beside[i].held);
    }
}

/* First levels of random replacement beside a neighbour whose lines are evicted no sooner than own ones: they may come
 * out too small, but the interval says so. */
static void try_random(void)
{
    const double awake = 0.9, held = 0.9;
    rate r;
    int i, seed;
    memset(&r, 0, sizeof r);
    for (i = 0; i < SIM_MACHINES; i++) {
        const sim_spec *spec = &sim_machines[i];
        if (spec->level[0].policy != SIM_RANDOM) continue;
        for (seed = 1; seed <= 2 * seeds; seed++) try_levels(&r, 1, spec, 0, awake, seed);
    }
    judge("random replacement, a neighbour 90 %", &r, 0.5, 0.5, held);
}

/* First levels beside a program on the other thread of the core that does nothing but keep one way or two: it evicts no
 * unit that was kept, and the level looks smaller.  What reference chains take undisturbed is known. */
static void try_steady(double awake, double held)
{
    rate r;
    char name[64];
    int i, seed, small = 0;
    memset(&r, 0, sizeof r);
    for (i = 0; i < 4; i++)
        for (seed = 1; seed <= seeds; seed++) {
            sim_spec spec = two_levels(SIM_LRU, SIM_PHYSICAL, SIM_APART);
            sim_neighbour who = sim_stranger(awake);
            servet_count_opts o;
            servet_counted c;
            servet_count count;
            servet_machine m;
            double anchor, units;
            sim s;
            memset(spec.tlb, 0, sizeof spec.tlb);
            if (i & 1) {
                spec.level[0].bytes = 48 * KIB;
                spec.level[0].ways = 12;
                spec.level[0].policy = SIM_LRU;
            }
            who.bytes_lo = who.bytes_hi = (i & 2 ? 8 : 4) * KIB;
            who.loads_per_us_lo = 100;
            who.loads_per_us_hi = 400;
            who.in_order_frac = 1;
            units = spec.level[0].bytes / SERVET_COUNT_BLOCK;
            r.n++;
            if (sim_open(&s, &spec, &one_percent, (uint64_t)seed) < 0) continue;
            anchor = sim__anchor(&s, 0);
            sim_beside(&s, &who);
            m = sim_machine(&s);
            memset(&o, 0, sizeof o);
            o.about_units = units;
            o.run.seed = (uint64_t)seed;
            o.run.budget_s = 0.05;
            if (servet_count_cache(&count, &m, &o) >= 0 && servet_count_settle(&c, &count, anchor) >= 0) {
                note(&r, "steady", &c, units, spec.level[0].ways);
                small += c.units < units;
            }
            sim_close(&s);
        }
    snprintf(name, sizeof name, "ways kept %.0f %% of the time", 100 * awake);
    judge(name, &r, 0, 0, held);
    TAP_OK(8 * small >= r.n, "%s: of %d too small by what is kept %d", name, r.n, small);
}

/* Second levels in too short a time, alone and beside a neighbour: where it ends after the fill, that alone tells. */
static void try_short(double awake, double in_5, double held)
{
    static const double budget_s[] = { 0.004, 0.008, 0.016, 0.032, 0.064 };
    char name[64];
    rate fill;
    int i, k, whole = 0;
    memset(&fill, 0, sizeof fill);
    for (i = 0; i < SIM_MACHINES; i++) {
        const sim_spec *spec = &sim_machines[i];
        const double units = sim_truth_levels(spec) > 1 ? sim_truth_bytes(spec, 1) / SERVET_COUNT_BLOCK : 0;
        if (!(units > 0 && units <= 1024) || spec->level[1].relation == SIM_EXCLUSIVE) continue;
        for (k = i % 5; k < 5 * (seeds + 1) / 2; k += 5) {    /* one of the times each */
            const sim_neighbour who = sim_stranger(awake);
            servet_count_opts o;
            servet_counted c;
            servet_count count;
            servet_machine m;
            sim s;
            if (sim_open(&s, spec, &one_percent, (uint64_t)k + 1) < 0) continue;
            if (awake > 0) sim_beside(&s, &who);
            m = sim_machine(&s);
            memset(&o, 0, sizeof o);
            o.about_units = units * 0.7;
            o.before_units = sim_truth_bytes(spec, 0) / SERVET_COUNT_BLOCK;
            o.run.seed = (uint64_t)k + 1;
            o.run.budget_s = budget_s[k % 5];
            if (servet_count_cache(&count, &m, &o) >= 0 && servet_count_settle(&c, &count, 0) >= 0) {
                if (count.runs == 1 && count.run[0].passes == 1) {
                    fill.n++;
                    note(&fill, spec->name, &c, units, 0);
                } else whole++;
            }
            sim_close(&s);
        }
    }
    snprintf(name, sizeof name, "fills alone, a neighbour %.0f %%", 100 * awake);
    judge(name, &fill, 0, in_5, held);
    TAP_OK(fill.n >= whole / 8 && whole > 0, "%s: of %d counts of short times", name, whole + fill.n);
}

static void try_tlbs(void)
{
    static const struct { int first, ways, second, second_ways; } of[] = {
        { 16, 0, 128, 4 }, { 32, 0, 512, 4 }, { 48, 0, 1024, 4 }, { 64, 4, 1536, 12 }, { 72, 0, 512, 8 },
        { 96, 6, 1280, 5 }, { 10, 0, 512, 2 }
    };
    /* Exact, within 5 %, in the interval. */
    static const double first[3] = { 0.98, 0.99, 0.99 }, second[3] = { 0.86, 0.98, 0.95 };
    rate r[2], all[2];
    char name[64];
    int i, k, seed;
    memset(all, 0, sizeof all);
    for (i = 0; i < (int)(sizeof of / sizeof *of); i++) {
        sim_spec spec = two_levels(SIM_PLRU, SIM_PHYSICAL, SIM_APART);
        const sim_tlb one = { of[i].first, of[i].ways, 2, SIM_VIRTUAL, 0 };
        const sim_tlb two = { of[i].second, of[i].second_ways, 10, SIM_VIRTUAL, 0 };
        spec.tlb[0] = one;
        spec.tlb[1] = two;
        memset(r, 0, sizeof r);
        for (seed = 1; seed <= seeds; seed++) {
            servet_count count[3];
            servet_counted c;
            servet_machine m;
            servet_run run;
            sim s;
            int n;
            r[0].n++;
            r[1].n++;
            if (sim_open(&s, &spec, &one_percent, (uint64_t)seed) < 0) continue;
            m = sim_machine(&s);
            memset(&run, 0, sizeof run);
            run.seed = (uint64_t)seed;
            run.budget_s = 1;
            n = servet__hierarchy_tlbs(count, 2, &m, 0, 0, &run);
            sim_close(&s);
            for (k = 0; k < n; k++) {
                if (servet_count_settle(&c, &count[k], 0) < 0) continue;
                snprintf(name, sizeof name, "TLB %d of %d and %d", k + 1, of[i].first, of[i].second);
                note(&r[k], name, &c, k ? of[i].second : of[i].first, 0);
            }
        }
        for (k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "TLB %d of %d entries, %d ways", k + 1, k ? of[i].second : of[i].first,
                     k ? of[i].second_ways : of[i].ways);
            show(name, &r[k]);
            add(&all[k], &r[k]);
        }
    }
    judge("first TLBs", &all[0], first[0], first[1], first[2]);
    judge("second TLBs", &all[1], second[0], second[1], second[2]);
}

/* ---- statuses --------------------------------------------------------------------------------- */

static int stop_now(void *ctx)
{
    (void)ctx;
    return 1;
}

static int broken_track(void *ctx, const servet_track *track, double *ns, servet_sample *out)
{
    (void)ctx;
    (void)track;
    (void)ns;
    (void)out;
    return SERVET_EIO;
}

/* A first TLB of 64 entries, read in steps of 10 ns: resident groups of 8 pages all take 30, evicted ones this or 10
 * more. */
static double evicted_ns;
static int stepped_track(void *ctx, const servet_track *track, double *ns, servet_sample *out)
{
    const int n = track->parts * track->repeats;
    int i;
    (void)ctx;
    memset(out, 0, sizeof *out);
    for (i = 0; i < n; i++)
        ns[i] = (track->between_n < 64 ? 30 : evicted_ns + 10 * (i % 2)) / (double)(track->n / (size_t)track->parts);
    return SERVET_OK;
}

static void test_steps(const servet_machine *m)
{
    servet_count_opts o;
    servet_count c;
    servet_machine stepped = *m;
    int passes[2] = { 0, 0 }, i;
    memset(&o, 0, sizeof o);
    o.about_units = 32;
    o.group_pages = 8;
    o.runs = 1;
    stepped.track = stepped_track;
    for (i = 0; i < 2; i++) {
        evicted_ns = i ? 80 : 40;
        if (servet_count_tlb(&c, &stepped, &o) >= 0) passes[i] = c.run[0].passes;
    }
    TAP_OK(passes[0] == 0, "evicted one step of the timer above resident: not told apart (%d passes)", passes[0]);
    TAP_OK(passes[1] >= 2, "five steps: counted (%d passes)", passes[1]);
}

/* CPU time at half the pace of a machine's seconds, and how often it was asked for. */
static const servet_machine *paced;
static int asked_ran;
static double half_ran(void *ctx)
{
    asked_ran++;
    return paced->seconds(ctx) / 2;
}

static void test_cpu_time(const servet_machine *m)
{
    servet_count_opts o;
    servet_count c;
    servet_machine half = *m;
    memset(&o, 0, sizeof o);
    memset(&c, 0, sizeof c);
    o.about_units = 256;
    o.before_units = 8;
    o.runs = SERVET_COUNT_RUNS;
    o.run.budget_s = 0.004;
    paced = m;
    half.ran = half_ran;
    asked_ran = 0;
    servet_count_cache(&c, &half, &o);
    TAP_OK(c.seconds > 1.8 * o.run.budget_s && c.seconds < 2.3 * o.run.budget_s,
           "half of the CPU: the budget is of CPU time, twice as much wall time (%.2f times)",
           c.seconds / o.run.budget_s);
    TAP_OK(c.questions > 20 * asked_ran, "CPU time asked for %d times in %d questions", asked_ran, c.questions);
    o.run.most_s = o.run.budget_s / 2;
    servet_count_cache(&c, &half, &o);
    TAP_OK(c.seconds > o.run.most_s && c.seconds < 1.5 * o.run.most_s,
           "wall time ends it, too, before the budget is used (%.2f times)", c.seconds / o.run.most_s);
}

/* A thin curve has three draws in its time, and one where others have so much of the CPU that this would pass twice. */
static void test_thin_draws(void)
{
    static servet_curve thin;
    sim_spec spec = sim_single(32 * KIB, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    servet_run run;
    servet_machine m;
    double once_s = 0;
    int crowded, points = 0;
    sim s;
    for (crowded = -1; crowded <= 1; crowded++) {
        if (!TAP_OK(sim_open(&s, &spec, &one_percent, 3) >= 0, "a machine")) return;
        if (crowded > 0) s.left_frac = 0.2;
        m = sim_machine(&s);
        memset(&run, 0, sizeof run);
        run.budget_s = crowded < 0 ? 1 : 3.5 * once_s;
        run.most_s = 1;
        if (servet__hierarchy_thin(&thin, &m, 131072, &run) < 0) thin.taken = -1;
        if (crowded < 0) {
            points = thin.count;
            once_s = thin.seconds / 3;
        } else {
            TAP_OK(thin.taken == (crowded ? 1 : 3) * points, "%d samples of %d points where %s", thin.taken, points,
                   crowded ? "others have four fifths of the CPU" : "nobody has");
        }
        sim_close(&s);
    }
}

/* The status, where an error left the count untouched, else a 1 that is no status. */
static int refused(const servet_machine *m, const servet_count_opts *o)
{
    static servet_count c, before;
    int status;
    memset(&c, 0x5a, sizeof c);
    before = c;
    status = servet_count_cache(&c, m, o);
    return status < 0 && memcmp(&c, &before, sizeof c) == 0 ? status : 1;
}

static void test_statuses(void)
{
    static servet_count c, again;
    static servet_curve thin;    /* large */
    const sim_spec spec = two_levels(SIM_LRU, SIM_PHYSICAL, SIM_APART);
    servet_count_opts o, bad;
    servet_machine m, other;
    sim s;
    int i;
    memset(&o, 0, sizeof o);
    o.about_units = 8;
    o.run.seed = 9;
    for (i = 0; i < 2; i++) {
        if (!TAP_OK(sim_open(&s, &spec, &one_percent, 3) >= 0, "a machine")) return;
        m = sim_machine(&s);
        memset(i ? &again : &c, 0, sizeof c);
        servet_count_cache(i ? &again : &c, &m, &o);
        if (i == 0) sim_close(&s);
    }
    TAP_OK(c.runs > 0 && memcmp(&c, &again, sizeof c) == 0, "equal seeds, equal counts");
    test_steps(&m);
    test_cpu_time(&m);
    TAP_OK(servet_count_cache(NULL, &m, &o) == SERVET_EINVAL && refused(NULL, &o) == SERVET_EINVAL
           && refused(&m, NULL) == SERVET_EINVAL, "nothing given: invalid");
    bad = o;
    bad.about_units = 0;
    i = refused(&m, &bad) == SERVET_EINVAL;
    bad.about_units = 1e9;
    i += refused(&m, &bad) == SERVET_EINVAL;
    bad = o;
    bad.before_units = -1;
    i += refused(&m, &bad) == SERVET_EINVAL;
    bad = o;
    bad.run.budget_s = -1;
    i += refused(&m, &bad) == SERVET_EINVAL;
    bad = o;
    bad.runs = SERVET_COUNT_RUNS + 1;
    i += refused(&m, &bad) == SERVET_EINVAL;
    bad = o;
    bad.group_pages = -1;
    i += refused(&m, &bad) == SERVET_EINVAL;
    bad = o;
    bad.page_bytes = 512;
    i += servet_count_tlb(&c, &m, &bad) == SERVET_EINVAL;
    TAP_OK(i == 7, "options out of range: invalid (%d of 7)", i);
    other = m;
    other.track = NULL;
    TAP_OK(refused(&other, &o) == SERVET_EUNSUPPORTED, "no tracks: unsupported");
    other = m;
    other.bytes = 65536;
    bad = o;
    bad.about_units = 1000;
    TAP_OK(refused(&other, &bad) == SERVET_EUNSUPPORTED, "too little memory: unsupported");
    other = m;
    other.track = broken_track;
    TAP_OK(refused(&other, &o) == SERVET_EIO, "a machine that fails: its status");
    bad = o;
    bad.run.stop = stop_now;
    TAP_OK(refused(&m, &bad) == SERVET_ESTOPPED, "stopped at once: stopped");
    TAP_OK(servet__hierarchy_thin(&thin, &m, 100, &o.run) == SERVET_EINVAL, "a thin curve of no block is invalid");
    TAP_OK(servet__hierarchy_counts(&c, 0, 1, &thin, &m, &o.run) == 0, "an empty one shows no level");
    other = m;
    other.track = NULL;
    TAP_OK(servet__hierarchy_thin(&thin, &other, 1e6, &o.run) == SERVET_EUNSUPPORTED
           && servet__hierarchy_counts(&c, 0, 1, &thin, &other, &o.run) == SERVET_EUNSUPPORTED,
           "no tracks: unsupported");
    sim_close(&s);
}

/* A third level of a core's own is counted like the second. */
static void test_third(void)
{
    static servet_curve thin;    /* large */
    static servet_count count[SIM_LEVELS];
    const sim_spec *spec = sim_named("lunar-lake-p");
    servet_counted c;
    servet_machine m;
    servet_run run;
    sim s;
    int seed, n, right = 0, again = 0, asked;
    memset(&run, 0, sizeof run);
    run.budget_s = 0.25;
    for (seed = 1; seed <= 3; seed++) {
        if (sim_open(&s, spec, &one_percent, (uint64_t)seed) < 0) continue;
        m = sim_machine(&s);
        memset(&thin, 0, sizeof thin);
        n = servet__hierarchy_thin(&thin, &m, 8388608, &run);
        if (n >= 0) n = servet__hierarchy_counts(count, 0, SIM_LEVELS, &thin, &m, &no_limit);
        right += n == 3 && servet_count_settle(&c, &count[2], 0) >= 0
                 && fabs(c.units * SERVET_COUNT_BLOCK / sim_truth_bytes(spec, 2) - 1) <= 0.05;
        asked = count[0].questions;
        memset(&count[1], 0, sizeof count[1]);
        n = servet__hierarchy_counts(count, 1, 2, &thin, &m, &no_limit);
        again += n == 2 && count[0].questions == asked && servet_count_settle(&c, &count[1], 0) >= 0
                 && fabs(c.units * SERVET_COUNT_BLOCK / sim_truth_bytes(spec, 1) - 1) <= 0.05;
        sim_close(&s);
    }
    TAP_OK(right >= 2, "48, 192 and 2560 KiB, without options: three counts, the third within 5 %% in %d of 3", right);
    TAP_OK(again == 3, "the second, behind a first that is known, in %d of 3", again);
}

/* Which counts that failed are worth another moment. */
static void test_hindered(void)
{
    servet_count c;
    memset(&c, 0, sizeof c);
    TAP_OK(servet__count_hindered(&c), "a count for which no time was left is tried again");
    c.runs = 1;
    c.run[0].resident_ns = 3;
    c.run[0].evicted_ns = 10;
    TAP_OK(servet__count_hindered(&c), "and one that was not filled in its time");
    c.run[0].evicted_ns = 3.5;
    TAP_OK(!servet__count_hindered(&c), "not one whose evicted loads take no longer");
    c.run[0].evicted_ns = 10;
    c.run[0].passes = 2;
    TAP_OK(!servet__count_hindered(&c), "nor one that nobody disturbed");
    c.run[0].disturbed_frac = 0.3;
    TAP_OK(servet__count_hindered(&c), "but one that somebody did");
}

/* A draw of so many bytes behind a level of size bytes: resident takes 30 ns, evicted 150, of loads in order; slow: of
 * a share of them both take twice as long. */
static void draw_of(servet_resident *e, double bytes, double size, double slow)
{
    enum { LOADS = 1024, EACH = LOADS / SERVET_RESIDENT_BINS };
    servet_resident_point *p = &e->point[e->count++];
    const int resident = (int)(LOADS * (size < bytes ? size / bytes : 1));
    double ns[LOADS];
    int i;
    for (i = 0; i < LOADS; i++) ns[i] = (i < resident ? 30 : 150) * (i % 100 < 100 * slow ? 2 : 1);
    servet_stats_sort(ns, LOADS);
    memset(p, 0, sizeof *p);
    p->bytes = bytes;
    for (i = 0; i < LOADS; i++) p->ns[i / EACH] += ns[i] / EACH;
}

static int held_is(servet_held *h, const servet_resident *e, double mib)
{
    return servet_count_held(h, e, 0) >= 0 && fabs(h->bytes / mib / 1048576 - 1) < 0.03
        && h->lo_bytes <= h->bytes && h->bytes <= h->hi_bytes && h->usual_bytes <= h->bytes;
}

static void test_held(void)
{
    static const double size[] = { 3, 4, 6, 8, 12, 16, 24, 32 };
    static servet_resident e;    /* large */
    servet_held h;
    int i, k;
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 8388608, 0);
    TAP_OK(held_is(&h, &e, 8) && !h.disturbed && h.hi_bytes < 9.5 * 1048576 && fabs(h.resident_ns - 30) < 1
           && fabs(h.evicted_ns - 150) < 1, "held: 8 MiB of draws of 3 to 32");
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 8388608, 0.5);
    TAP_OK(held_is(&h, &e, 8), "and where a sibling slows half of the loads");
    for (e.count = k = 0; k < 4; k++)
        for (i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, k == 1 ? 8388608 : 3145728 + 100000 * k, 0);
    TAP_OK(held_is(&h, &e, 8) && h.disturbed && h.usual_bytes < 4194304 && h.hi_bytes >= 16777216,
           "8 MiB at one moment of four: disturbed, mostly 3, to 16 perhaps");
    for (i = 0; i < e.count; i++) e.point[i].anchor_cycles = i / 8 == 1 ? 5 : 6;
    TAP_OK(held_is(&h, &e, 8) && !h.disturbed && h.hi_bytes > 1.6 * h.bytes && h.hi_bytes < 2 * h.bytes,
           "but not where reference chains were slow at the other moments, which widen it");
    TAP_OK(servet_count_held(&h, &e, 4) >= 0 && h.disturbed, "and again where they are known to take less");
    for (i = 0; i < e.count; i++) e.point[i].flags = i / 8 == 1 ? SERVET_NOISE_SWITCH : 0;
    TAP_OK(servet_count_held(&h, &e, 6) >= 0 && h.disturbed, "or the switch was then");
    for (e.count = i = 0; i < 4; i++) draw_of(&e, size[i] * 1048576, 6.5 * 1048576, 0);
    TAP_OK(servet_count_held(&h, &e, 0) >= 0 && h.disturbed, "one draw is larger: a lower bound");
    draw_of(&e, 7.25 * 1048576, 6.5 * 1048576, 0);
    TAP_OK(held_is(&h, &e, 6.5) && !h.disturbed, "two are, one of them by a ninth: that is all");
    for (e.count = i = 0; i < 6; i++) draw_of(&e, size[i] * 1048576, 4194304, 0);
    draw_of(&e, 12582912, 1e9, 0);
    TAP_OK(servet_count_held(&h, &e, 0) >= 0 && h.bytes < 6291456 && h.hi_bytes > 23e6 && h.hi_bytes < 26e6,
           "one draw held 12 MiB, others 4: up to twice what it did");
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 1e9, 0.3);
    TAP_OK(servet_count_held(&h, &e, 0) == SERVET_EUNRESOLVED, "all is held: unresolved");
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 0, 0.3);
    TAP_OK(servet_count_held(&h, &e, 0) == SERVET_EUNRESOLVED, "nothing is: unresolved");
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 8388608, 0);
    TAP_OK(!servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 0),
           "loads of 8 MiB alike: none of 4 MiB before it");
    TAP_OK(servet__resident_resolves(&e, 1048576, 1.1 * 1048576, 8388608, 0, 0),
           "one that has no two bins of a draw may be");
    for (i = 0; i < e.count; i++)
        for (k = 0; k < SERVET_RESIDENT_BINS && k * size[i] < 4 * SERVET_RESIDENT_BINS; k++) e.point[i].ns[k] = 20;
    TAP_OK(servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 0), "one of 4 MiB that is faster");
    TAP_OK(servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 5)
           && !servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 10),
           "by two steps of the timer, not by one: 10 ns");
    for (i = 0; i < e.count; i++)
        for (k = 0; k < SERVET_RESIDENT_BINS && k * size[i] < 8 * SERVET_RESIDENT_BINS; k++)
            e.point[i].ns[k] = 20 + 2 * k * size[i] / 8;
    TAP_OK(!servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 0),
           "none where loads of 8 MiB are of all distances");
    for (e.count = k = 0; k < 4; k++) for (i = 3; i < 6; i++) draw_of(&e, size[i] * 1048576, 8388608, k ? 0.5 : 0);
    for (i = 0; i < e.count; i++) e.point[i].anchor_cycles = i < 3 ? 5 : 6;
    TAP_OK(!servet__resident_resolves(&e, 1048576, 4194304, 8388608, 0, 0),
           "none where a sibling slows half of the loads of most draws, and others are undisturbed");
    TAP_OK(servet__resident_resolves(&e, 1048576, 4194304, 8388608, 4, 0), "all are disturbed: the most tell");
    for (e.count = i = 0; i < 8; i++) draw_of(&e, size[i] * 1048576, 32 * 1048576, 0);
    for (i = 0; i < e.count; i++)    /* behind one of 1 MiB, whose loads take 3, here 12 */
        for (k = 0; k < SERVET_RESIDENT_BINS && k * size[i] < SERVET_RESIDENT_BINS; k++) e.point[i].ns[k] = 12;
    TAP_OK(servet__resident_seen(&e, 3, 40) == 32 * 1048576, "all 32 MiB are seen in a level of 21 ns");
    TAP_OK(servet__resident_seen(&e, 30, 40) == 0 && servet__resident_seen(&e, 0, 9) == 0,
           "not where that may be memory");
    for (i = 6; i < 8; i++) e.point[i].ns[14] = e.point[i].ns[15] = 150;
    TAP_OK(fabs(servet__resident_seen(&e, 3, 40) / (27.5 * 1048576) - 1) < 0.03,
           "of two draws an eighth is not: the rest");
    e.count = 0;
    TAP_OK(servet_count_held(&h, &e, 0) == SERVET_EUNRESOLVED && servet_count_held(NULL, &e, 0) == SERVET_EINVAL
           && servet_count_held(&h, NULL, 0) == SERVET_EINVAL, "no draws are unresolved, none at all invalid");
    e.count = SERVET_RESIDENT_POINTS + 1;
    TAP_OK(servet_count_held(&h, &e, 0) == SERVET_EINVAL, "nor more than there is room for");
}

/* What draws ask for: blocks of 64 lines, of which each is read once a pass; lines from the first of a block to the one
 * that is timed. */
static struct { int draws, passes, blocks, whole, near_, away[64]; } seen;
static const servet_machine *seen_of;

static int spied(void *ctx, const servet_track *t, double *ns, servet_sample *out)
{
    size_t i;
    seen.draws++;
    seen.passes += t->between_passes;
    for (i = 0; i + 64 <= t->between_n; i += 64) {
        const uint32_t first = t->between[i] / 8, timed = t->between[i + 1 + (size_t)t->skip] / 8;
        const int away = (int)((timed - first) % 64);
        uint64_t lines = 0;
        int k;
        for (k = 0; k < 64; k++)
            if (t->between[i + (size_t)k] / 512 == first / 64)
                lines |= UINT64_C(1) << t->between[i + (size_t)k] / 8 % 64;
        seen.blocks++;
        seen.whole += lines == UINT64_MAX;
        seen.near_ += away < 16 || away > 48;
        seen.away[away]++;
    }
    return seen_of->track(ctx, t, ns, out);
}


static void test_resident_statuses(void)
{
    static servet_resident e;    /* large */
    servet_count_opts o, bad;
    servet_machine m, other;
    sim s;
    int first, i;
    if (sim_open(&s, sim_named("haswell"), &one_percent, 1) < 0) return;
    m = sim_machine(&s);
    memset(&o, 0, sizeof o);
    memset(&e, 0, sizeof e);
    o.before_units = 64;
    o.run.budget_s = 0.01;
    TAP_OK(servet_count_resident(NULL, &m, 1e8, &o) == SERVET_EINVAL
           && servet_count_resident(&e, NULL, 1e8, &o) == SERVET_EINVAL
           && servet_count_resident(&e, &m, 0, &o) == SERVET_EINVAL
           && servet_count_resident(&e, &m, 1e8, NULL) == SERVET_EINVAL, "resident: nonsense is invalid");
    bad = o;
    bad.before_units = 0;
    TAP_OK(servet_count_resident(&e, &m, 1e8, &bad) == SERVET_EINVAL, "so is no level before");
    other = m;
    other.track = spied;
    memset(&seen, 0, sizeof seen);
    seen_of = &m;
    i = servet_count_resident(&e, &other, 1e8, &o);
    TAP_OK(i >= 0 && seen.blocks > 0 && seen.whole == seen.blocks,
           "a draw reads each line of its blocks once a pass: %d of %d blocks", seen.whole, seen.blocks);
    TAP_OK(seen.passes == 2 * seen.draws, "and reads them twice, as some caches keep a part alone of what came once");
    for (first = i = 0; i < 64; i++) first += seen.away[i] > 0;
    TAP_OK(first >= 30 && seen.near_ == 0, "the line timed is at %d distances from the one before, none below 16 "
           "lines: prefetchers learn one", first);
    memset(&e, 0, sizeof e);
    other = m;
    other.track = NULL;
    TAP_OK(servet_count_resident(&e, &other, 1e8, &o) == SERVET_EUNSUPPORTED
           && servet_count_resident(&e, &m, 786432 - 4096, &o) == SERVET_EUNSUPPORTED,
           "no tracks, less room than three times the level before: unsupported");
    TAP_OK(servet_count_resident(&e, &m, 786432, &o) == SERVET_OK && e.count > 0 && e.point[0].bytes == 786432,
           "with so much one footprint is read");
    memset(&e, 0, sizeof e);
    bad = o;
    bad.run.stop = stop_now;
    TAP_OK(servet_count_resident(&e, &m, 1e8, &bad) == SERVET_ESTOPPED && e.count == 0 && e.stopped,
           "stopped at once: stopped");
    other = m;
    other.track = broken_track;
    TAP_OK(servet_count_resident(&e, &other, 1e8, &o) < 0 && e.count == 0, "a machine that fails is told");
    TAP_OK(servet_count_resident(&e, &m, 1e8, &o) >= 0 && (first = e.count) > 0
           && servet_count_resident(&e, &m, 1e8, &o) >= 0 && e.count > first, "what was begun goes on");
    sim_close(&s);
}

/* Last levels of modelled machines, whose second level is known; n of them had an answer. */
static void try_held(double awake, double in_5, double in_10, double held)
{
    enum { MOMENTS = 4 };
    const int each = awake > 0 ? 9 : 4;
    static servet_resident e;    /* large */
    sim_neighbour who = sim_stranger(awake);
    int i, k, n = 0, five = 0, ten = 0, in = 0, wrong = 0;
    for (i = 0; i < SIM_MACHINES; i++) {
        const sim_spec *spec = &sim_machines[i];
        const int levels = sim_truth_levels(spec);
        const double all = levels == 3 ? sim_truth_bytes(spec, 2) : 0;
        servet_count_opts o;
        servet_held h;
        servet_machine m;
        double anchor = 0;    /* of a quiet core */
        sim s;
        if (i % each != 1 || !(all > 0 && all <= 41943040) || spec->follow_pages > 0) continue;
        if (sim_open(&s, spec, &one_percent, 1) < 0) continue;
        memset(&e, 0, sizeof e);
        memset(&o, 0, sizeof o);
        anchor = sim__anchor(&s, 0);
        if (awake > 0) sim_beside(&s, &who);
        m = sim_machine(&s);
        o.before_units = sim_truth_bytes(spec, 1) / SERVET_COUNT_BLOCK;
        o.run.budget_s = awake > 0 ? 0.1 : 0.3;
        for (k = 0; k < (awake > 0 ? (int)MOMENTS : 1); k++) {    /* others do what they do for a while */
            s.time_ns += k > 0 ? 0.5e9 : 0;
            servet_count_resident(&e, &m, 268435456, &o);
        }
        sim_close(&s);
        n++;
        if (servet_count_held(&h, &e, anchor) < 0) continue;
        five += fabs(h.bytes / all - 1) <= 0.05;
        ten += fabs(h.bytes / all - 1) <= 0.1;
        in += h.lo_bytes <= all && all <= h.hi_bytes;
        wrong += !h.disturbed && fabs(h.bytes / all - 1) > 0.15;
        if (verbose && fabs(h.bytes / all - 1) > 0.05)
            TAP_DIAG("    %s: %.2f [%.2f, %.2f] usual %.2f MiB%s; truth %.2f", spec->name, h.bytes / 1048576,
                     h.lo_bytes / 1048576, h.hi_bytes / 1048576, h.usual_bytes / 1048576, h.disturbed ? "?" : "",
                     all / 1048576);
    }
    k = n - least(0.95, n);    /* sure and wrong, at most */
    TAP_OK(n > 3 && five >= least(in_5, n) && ten >= least(in_10, n) && in >= least(held, n) && wrong <= k,
           "last levels beside a neighbour awake %.0f %%: of %d within 5 %% %d (%d or more), 10 %% %d (%d), held %d"
           " (%d), surely wrong %d (%d or fewer)", 100 * awake, n, five, least(in_5, n), ten, least(in_10, n), in,
           least(held, n), wrong, k);
}

int main(void)
{
    seeds = getenv("COUNT_SEEDS") ? atoi(getenv("COUNT_SEEDS")) : tap_runs(30, 2);
    verbose = getenv("COUNT_VERBOSE") != NULL;
    test_decide();
    test_settle();
    test_statuses();
    test_hindered();
    test_held();
    test_resident_statuses();
    test_thin_draws();
    test_third();
    try_held(0, 0.97, 0.99, 0.99);
    try_held(0.5, 0.8, 0.9, 0.95);
    try_policies();
    try_mixed();
    try_chance();
    try_places();
    try_random();
    try_steady(1, 0.98);
    try_steady(0.9, 0.98);
    try_short(0, 0.95, 0.97);
    try_short(0.5, 0.93, 0.97);
    try_tlbs();
    try_translated();
    return tap_done();
}

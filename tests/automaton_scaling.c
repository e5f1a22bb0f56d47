/* automaton_scaling.c - formulas by the thesis's own numbers, grids that do not depend on the workers, what limits. */
#include "servet.h"
#include "private.h"
#include "scaling.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Tables 4.2 and 4.3 of [CLUE]: workers, efficiency in percent, serial fraction in percent, as printed. */
static void test_formulas(void)
{
    static const double table[][3] = {
        { 2, 98.92, 1.09 }, { 4, 98.68, 0.45 }, { 8, 98.31, 0.25 }, { 16, 98.41, 0.11 },    /* cluster A */
        { 2, 99.83, 0.17 }, { 4, 99.87, 0.04 }, { 8, 99.16, 0.12 },                         /* B */
        { 2, 99.80, 0.20 }, { 4, 99.83, 0.06 }, { 8, 99.71, 0.04 }, { 16, 99.56, 0.03 },    /* C */
        { 2, 99.71, 0.29 }, { 4, 99.21, 0.27 }, { 8, 99.04, 0.14 },                         /* D */
        { 2, 99.48, 0.52 }, { 4, 99.14, 0.29 }, { 8, 99.33, 0.10 },                         /* E */
        { 2, 96.60, 3.52 }, { 4, 95.30, 1.64 }, { 8, 94.10, 0.90 }, { 16, 91.58, 0.61 },    /* F */
        { 2, 98.57, 1.45 }, { 4, 97.31, 0.92 }, { 8, 96.25, 0.56 },                         /* G */
        { 8, 98.14, 0.27 }, { 8, 98.60, 0.20 }, { 8, 99.02, 0.14 }, { 8, 92.87, 1.10 },     /* by variation */
        { 8, 88.54, 1.85 }, { 8, 88.65, 1.83 }, { 8, 92.62, 1.14 }, { 8, 92.92, 1.09 }, { 8, 92.66, 1.13 } };
    const int rows = (int)(sizeof table / sizeof table[0]);
    int i, good = 0;
    TAP_NEAR(servet__scaling_amdahl(0.01, 16), 13.913, 0.001, "(1) Amdahl, 16 workers");
    TAP_NEAR(servet__scaling_amdahl(0.01, 512), 83.797, 0.001, "(1) Amdahl, 512 workers");
    TAP_NEAR(servet__scaling_gustafson(0.01, 512), 506.89, 0.001, "(2) Gustafson, 512 workers");
    for (i = 0; i < rows; i++) {    /* printed to a hundredth of a percent, both of them rounded */
        const double f = 100 * servet__scaling_serial(table[i][1] / 100 * table[i][0], table[i][0]);
        good += fabs(f - table[i][2]) <= 0.012;
    }
    TAP_OK(good == rows, "(11) Karp-Flatt: %d of %d serial fractions of tables 4.2 and 4.3", good, rows);
}

static void test_grids(void)
{
    static const char *const word[] = {
#define WORD(NAME, word, text) #word,
        SERVET_AUTOMATON_LIST(WORD)
    };
    servet_automaton_opts o, joined;
    servet_automaton_run one, many;
    servet_cpus usable;
    int cpu[3], order[] = { 0, 1, 2 }, n = 0, v, k;
    servet_machine_cpus(&usable);
    for (k = servet_cpus_next(&usable, -1); k >= 0 && n < 3; k = servet_cpus_next(&usable, k)) cpu[n++] = k;
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++) {
        int good = 1, status;
        memset(&o, 0, sizeof o);
        o.rows = 6 * 7;
        o.columns = 531;    /* longer than a strip, and no multiple of a vector */
        o.iterations = 5;
        o.far_rows = o.rows;
        joined = o;
        joined.stores = SERVET_AUTOMATON_REGULAR;
        o.stores = SERVET_AUTOMATON_PAST;
        for (k = 1; k <= n; k++) {
            status = servet_automaton_threads(cpu, &many, v, order, k, &o);
            joined.rows = v == SERVET_AUTOMATON_STRONG ? o.rows : o.rows * k;
            if (v == SERVET_AUTOMATON_NEAR && k > 1) continue;     /* a grid of its own size */
            if (status >= 0) status = servet_automaton_threads(cpu, &one, v, order, 1, &joined);
            if (status < 0 || one.checksum != many.checksum) good = 0;
            if (fabs(many.mean_after / many.mean_before - 1) > (v == SERVET_AUTOMATON_INTEGER ? 1e-4 : 1e-6)) good = 0;
        }
        TAP_OK(good, "%s: the same grid by 1 to %d workers as by one on all of it, its mean kept", word[v], n);
    }
}

static void test_limits(void)
{
    int i, k;
    for (k = 0; k < 2; k++)
        for (i = 0; i < SCALING_CASES; i++) {
            const struct scaling_case *c = &scaling_cases[i];
            const int good = scaling_named(&c->y, c->bound, c->limit, scaling_noise[k]);
            TAP_OK(good >= 90, "%s, noise %.1f %%: named rightly in %d of 100", c->what, 100 * scaling_noise[k], good);
        }
}

static void test_rates(void)
{
    servet_automaton *a = (servet_automaton *)calloc(1, sizeof *a);
    if (!a) return;
    a->points = 1;
    a->point[0].trials = 1;
    a->point[0].trial_s[0] = 0.5;
    a->point[0].best.workers = 1;
    a->point[0].best.rows = a->point[0].best.columns = 100;
    a->point[0].best.iterations = 20;
    servet__automaton_infer(a);
    TAP_OK(fabs(a->point[0].act_per_s / 4e5 - 1) < 1e-12, "(15) ACT/s");
    free(a);
}

/* A point of so many trials, as long as the first or by so much longer each. */
static void point(servet_automaton *a, int variation, int workers, int trials, double first_s, double longer)
{
    servet_automaton_point *p = &a->point[a->points++];
    int i;
    memset(p, 0, sizeof *p);
    p->best.variation = variation;
    p->best.workers = workers;
    p->best.rows = variation == SERVET_AUTOMATON_STRONG ? 100 / workers : 100;
    p->best.columns = p->best.iterations = 100;
    p->trials = trials;
    for (i = 0; i < trials; i++) p->trial_s[i] = first_s * (1 + longer * i);
}

static void test_speedups(void)
{
    servet_automaton *a = (servet_automaton *)calloc(1, sizeof *a);
    const servet_automaton_point *p;
    if (!a) return;
    point(a, SERVET_AUTOMATON_BASE, 1, 3, 1, 0.01);
    point(a, SERVET_AUTOMATON_BASE, 4, 3, 1.25, 0.1);
    point(a, SERVET_AUTOMATON_STRONG, 1, 3, 1, 0.01);
    point(a, SERVET_AUTOMATON_STRONG, 4, 1, 0.3125, 0);
    point(a, SERVET_AUTOMATON_STRONG, 3, 1, 0.33, 0);
    servet__automaton_infer(a);
    p = &a->point[1];
    TAP_OK(fabs(p->speedup / 3.2 - 1) < 1e-12 && fabs(p->efficiency / 0.8 - 1) < 1e-12, "(9), (10): 4 x 1 / 1.25");
    TAP_OK(fabs(p->serial_frac / (0.25 / 3) - 1) < 1e-9, "(11): (1 / 3.2 - 1 / 4) / (3 / 4)");
    /* a serial part of (4 - 3.2) / 3 of the time by one more worker each: 8 - 7 x that */
    TAP_OK(fabs(p->twice_speedup / (8 - 7 * 0.8 / 3) - 1) < 1e-9, "(2): by 8 workers");
    TAP_OK(fabs(p->lo_s * p->hi_s / (p->best_s * p->best_s) - 1) < 1e-12 && p->hi_s > 1.09 * p->best_s
           && fabs(p->lo_speedup * p->hi_s / (4 * a->point[0].lo_s) - 1) < 1e-12 && p->lo_speedup < p->speedup
           && p->hi_speedup > p->speedup, "the interval reaches as far below the best as the median is above it");
    p = &a->point[3];
    TAP_OK(fabs(p->speedup / 3.2 - 1) < 1e-12, "(6) strong scaling: 1 / 0.3125");
    TAP_OK(fabs(p->twice_speedup * (0.25 / 3 + (1 - 0.25 / 3) / 8) - 1) < 1e-9, "(1): by 8 workers");
    TAP_OK(fabs(a->point[4].speedup / 3 - 1) < 1e-12 && fabs(a->point[4].efficiency - 1) < 1e-12,
           "(6), 99 of 100 rows by three workers in 0.33 of the time: three times as fast, not more");
    TAP_OK(fabs(p->hi_s / p->best_s / 1.1 - 1) < 1e-9, "of one trial the interval is as wide as the widest");
    a->points = 0;
    point(a, SERVET_AUTOMATON_BASE, 1, 3, 1, 0);
    point(a, SERVET_AUTOMATON_BASE, 2, 3, 1.01, 0.5);
    servet__automaton_infer(a);
    TAP_OK(a->limit == SERVET_LIMIT_UNKNOWN && a->lost_frac < 0.05,
           "little lost, but by an interval that holds a third: not that nothing limits");
    a->points = 0;
    point(a, SERVET_AUTOMATON_BASE, 1, 3, 1, 0.001);
    point(a, SERVET_AUTOMATON_BASE, 2, 3, 1.01, 0.001);
    point(a, SERVET_AUTOMATON_LONG, 1, 3, 1, 0.001);
    point(a, SERVET_AUTOMATON_LONG, 2, 3, 1.3, 0.001);
    servet__automaton_infer(a);
    TAP_OK(a->limit == SERVET_LIMIT_NOTHING,
           "nothing limits where nothing is lost, whatever a variation loses");
    free(a);
}

/* What is in a file comes out of it, points and trials; what contradicts itself is left out. */
static void test_files(void)
{
#define POINT(workers, best_s) "{\"variation\": \"base\", \"workers\": " workers ", \"rows\": 1, \"columns\": 1, " \
                               "\"iterations\": 1, \"best_s\": " best_s "}"
    static const char *const bad[] = {
        "\"points\": [" POINT("0", "1") "]", "\"points\": [" POINT("1", "-1") "]",
        "\"points\": [" POINT("1", "1") "," POINT("1", "2") "]", "\"points\": []", "\"points\": 7" };
    static char text[65536], again[65536], small[1024];
    static servet_profile p, q;
    servet_automaton *a = (servet_automaton *)calloc(1, sizeof *a);
    size_t i, dropped = 0;
    int n;
    if (!a) return;
    point(a, SERVET_AUTOMATON_BASE, 1, 3, 1, 0.01);
    point(a, SERVET_AUTOMATON_BASE, 2, 2, 1.1, 0.02);
    point(a, SERVET_AUTOMATON_CELLS, 2, 1, 9, 0);
    servet__automaton_infer(a);
    a->workers = 2;
    p.automaton = a;
    p.cores_with_siblings = q.cores_with_siblings = -1;
    n = (int)servet_profile_write(&p, text, sizeof text);
    TAP_OK(n > 0 && n < (int)sizeof text && servet_profile_parse(&q, text, (size_t)n, NULL) == SERVET_OK && q.automaton
           && q.automaton->points == 3 && q.automaton->point[1].trials == 2
           && memcmp(q.automaton->point[1].trial_s, a->point[1].trial_s, sizeof a->point[1].trial_s) == 0
           && q.automaton->point[2].best.variation == SERVET_AUTOMATON_CELLS
           && memcmp(&q.automaton->point[1].speedup, &a->point[1].speedup, sizeof(double)) == 0, "a file and back");
    TAP_OK(q.automaton && (int)servet_profile_write(&q, again, sizeof again) == n
           && memcmp(text, again, (size_t)n) == 0,
           "and the same file again");
    servet_profile_free(&q);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        n = snprintf(small, sizeof small, "{\"servet\": 1, \"automaton\": {\"workers\": 1, %s}}", bad[i]);
        if (servet_profile_parse(&q, small, (size_t)n, NULL) == SERVET_OK) dropped += !q.automaton;
        servet_profile_free(&q);
    }
    TAP_OK(dropped == i, "%d of %d that contradict themselves are left out", (int)dropped, (int)i);
    free(a);
}

static void test_arguments(void)
{
    servet_automaton_opts o;
    servet_automaton_run r;
    servet_cpus usable;
    int cpu[2], order[] = { 0, 1 };
    memset(&o, 0, sizeof o);
    servet_machine_cpus(&usable);
    cpu[0] = cpu[1] = servet_cpus_next(&usable, -1);
    TAP_OK(servet_automaton_threads(cpu, &r, 0, order, 1, &o) == SERVET_EINVAL, "no grid");
    o.rows = o.columns = 16;
    TAP_OK(servet_automaton_threads(cpu, &r, 0, order, 1, &o) == SERVET_EINVAL, "no iterations");
    o.iterations = 1;
    TAP_OK(servet_automaton_threads(cpu, &r, 0, order, 2, &o) == SERVET_EINVAL, "a CPU twice");
    TAP_OK(servet_automaton_threads(cpu, &r, SERVET_AUTOMATON_VARIATIONS, order, 1, &o) == SERVET_EINVAL,
           "an unknown variation");
    o.rows = 6;
    o.far_rows = 4;
    TAP_OK(servet_automaton_threads(cpu, &r, SERVET_AUTOMATON_FAR, order, 1, &o) == SERVET_EINVAL,
           "blocks of far cells that do not fill a band");
    o.far_rows = 0;
    o.rows = 1;
    TAP_OK(servet_automaton_threads(cpu, &r, SERVET_AUTOMATON_LONG, order, 1, &o) == SERVET_EINVAL, "half a row");
    o.rows = 2000000000;
    TAP_OK(servet_automaton_threads(cpu, &r, 0, order, 1, &o) == SERVET_EINVAL, "a size that overflows");
    o.rows = 16;
    o.stores = SERVET_AUTOMATON_PAST + 1;
    TAP_OK(servet_automaton_threads(cpu, &r, 0, order, 1, &o) == SERVET_EINVAL, "unknown stores");
}

/* Twice the bytes at the edges take longer, but by one worker the base varies by more than eight lose. */
static void test_unsure(void)
{
    static const struct { int variation, workers; double trial_s[3]; } run[] = {
        { SERVET_AUTOMATON_BASE, 1, { 1, 1.2, 1.25 } }, { SERVET_AUTOMATON_BASE, 8, { 1.1, 1.15, 1.3 } },
        { SERVET_AUTOMATON_LONG, 1, { 1, 1, 1.01 } }, { SERVET_AUTOMATON_LONG, 8, { 1.4, 1.41, 1.42 } } };
    static servet_automaton a;    /* large */
    int i, sure;
    for (sure = 0; sure < 2; sure++) {
        memset(&a, 0, sizeof a);
        for (i = 0; i < 4; i++) {
            servet_automaton_point *p = &a.point[a.points++];
            p->best.variation = run[i].variation;
            p->best.workers = run[i].workers;
            p->best.rows = p->best.columns = p->best.iterations = 100;
            p->trials = 3;
            memcpy(p->trial_s, run[i].trial_s, sizeof run[i].trial_s);
            if (sure && i == 0) p->trial_s[1] = 1.01;
        }
        servet__automaton_infer(&a);
        TAP_OK(a.limit == (sure ? SERVET_LIMIT_NETWORK : SERVET_LIMIT_UNKNOWN) && a.lost_frac > 0.05
               && (a.lo_lost_frac > 0) == sure, "lost %.2f [%.2f, %.2f]: %s", a.lost_frac, a.lo_lost_frac,
               a.hi_lost_frac, servet_text(SERVET_TEXT_LIMIT, a.limit));
        TAP_OK(!(fabs(a.part_frac[SERVET_LIMIT_PRECISION]) > 0), "without doubles they have no share");
    }
}

/* Runs in no time: 1 ns a cell, and 100 ns a byte of its edges where there are others. */
typedef struct modelled {
    int runs, refused, shuffled, fails_at, stops_at;
    int trials[SERVET_AUTOMATON_VARIATIONS][5];     /* of the variation by 1, 2, 4 and all of 6 workers */
    int apart;                                      /* trials of the base by all: runs of others between them */
    int last;
    struct timespec takes;      /* of a run                                                          */
} modelled;

static int run_of(void *ctx, servet_automaton_run *out, int variation, const int *order, int workers,
                  const servet_automaton_opts *opts)
{
    modelled *m = (modelled *)ctx;
    const int wide = variation == SERVET_AUTOMATON_LONG ? 2 : 1, at = workers == 6 ? 3 : workers / 2;
    int i, seen = 0;
    if (m->fails_at && m->runs + 1 == m->fails_at) return SERVET_ENOMEM;
    m->runs++;
    if (m->takes.tv_nsec) nanosleep(&m->takes, NULL);
    if (workers > 6 || (workers != 6 && workers & (workers - 1))) m->refused++;
    else m->trials[variation][at]++;
    for (i = 0; i < workers; i++) seen |= 1 << order[i];
    m->refused += seen != (1 << workers) - 1;
    for (i = 0; i < workers && order[i] == i; i++) { }
    m->shuffled += i < workers && variation == SERVET_AUTOMATON_ORDER;
    m->refused += i < workers && variation != SERVET_AUTOMATON_ORDER;
    if (variation == SERVET_AUTOMATON_BASE && workers == 6) {
        m->apart += m->last > 0 && m->runs - m->last > 4;
        m->last = m->runs;
    }
    memset(out, 0, sizeof *out);
    out->variation = variation;
    out->workers = workers;
    out->iterations = opts->iterations;
    out->rows = variation == SERVET_AUTOMATON_STRONG ? opts->rows / workers : opts->rows / wide;
    out->columns = opts->columns * wide;
    out->seconds = 1e-9 * opts->iterations * (out->rows * out->columns + (workers > 1 ? 800.0 * out->columns : 0));
    out->wall_s.mean = out->seconds;
    return SERVET_OK;
}

/* One that takes as long by any number of workers; with ctx by a clock that does not see ten iterations. */
static int flat(void *ctx, servet_automaton_run *out, int variation, const int *order, int workers,
                const servet_automaton_opts *opts)
{
    (void)order;
    if (opts->iterations < 1) return SERVET_EINVAL;
    memset(out, 0, sizeof *out);
    out->variation = variation;
    out->workers = workers;
    out->iterations = opts->iterations;
    out->rows = opts->rows;
    out->columns = opts->columns;
    out->seconds = out->wall_s.mean = ctx && opts->iterations < 10 ? 0 : 0.001;
    return SERVET_OK;
}

static int stops_at(void *ctx) { return ((modelled *)ctx)->runs >= ((modelled *)ctx)->stops_at; }

static void test_measure(void)
{
    static servet_automaton a, untouched;    /* large */
    servet_automaton_opts o;
    modelled m;
    int v, k, good = 1, status;
    memset(&o, 0, sizeof o);
    memset(&m, 0, sizeof m);
    o.rows = 1200;
    o.columns = 800;
    o.iterations = 10;
    o.trials = 3;
    o.stores = SERVET_AUTOMATON_REGULAR;
    o.run.budget_s = 600;
    status = servet_automaton_measure(&a, 6, run_of, &m, &o);
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++) for (k = 0; k < 4; k++) good &= m.trials[v][k] == 3;
    TAP_OK(status == SERVET_OK && good && m.runs == 120 && m.refused == 0 && a.points == 40 && !a.stopped,
           "ten variations by 1, 2, 4 and 6 workers, three trials of each: %d runs, %d points", m.runs, a.points);
    TAP_OK(m.shuffled > 0 && m.apart == 2, "workers in their order, but of one variation, and trials spread");
    TAP_OK(a.limit == SERVET_LIMIT_NETWORK && fabs(a.lost_frac - 0.4) < 0.01
           && fabs(a.part_frac[SERVET_LIMIT_NETWORK] - 0.4) < 0.01 && fabs(a.point[3].speedup - 3.6) < 0.01,
           "edges take 4/10 of the time: %s %.3f of %.3f", servet_text(SERVET_TEXT_LIMIT, a.limit),
           a.part_frac[SERVET_LIMIT_NETWORK], a.lost_frac);
    memset(&m, 0, sizeof m);
    m.stops_at = 6;
    o.run.stop = stops_at;
    o.run.ctx = &m;
    status = servet_automaton_measure(&a, 6, run_of, &m, &o);
    TAP_OK(status == SERVET_OK && a.stopped && a.points == 6 && m.runs == 6
           && a.point[5].best.variation == SERVET_AUTOMATON_INTEGER && a.point[5].trials == 1,
           "stopped after six runs: what was run, base first");
    m.stops_at = 0;
    memcpy(&a, &untouched, sizeof a);
    status = servet_automaton_measure(&a, 6, run_of, &m, &o);
    TAP_OK(status == SERVET_ESTOPPED && !memcmp(&a, &untouched, sizeof a), "before the first: nothing");
    o.iterations = o.stores = 0;
    for (v = 3; v <= 20; v += 17) {
        memset(&m, 0, sizeof m);
        m.stops_at = v;
        status = servet_automaton_measure(&a, 6, run_of, &m, &o);
        TAP_OK(status == SERVET_ESTOPPED && m.runs == v && !memcmp(&a, &untouched, sizeof a),
               "in a pilot, after %d runs: nothing either, and no run more: %d", v, m.runs);
    }
    o.run.stop = NULL;
    o.run.budget_s = 0.05;
    memset(&m, 0, sizeof m);
    m.takes.tv_nsec = 5000000;    /* ten variations' pilots alone would take four times the budget */
    status = servet_automaton_measure(&a, 6, run_of, &m, &o);
    for (k = 0, good = a.points >= 4; k < a.points; k++)
        good &= a.point[k].trials > 0 && a.point[k].best.variation == k / 4;
    TAP_OK(status == SERVET_OK && good && a.points < 40 && a.points % 4 == 0 && a.stopped,
           "with little time fewer variations, each by all workers: %d points", a.points);
    o.run.budget_s = 600;
    o.iterations = 10;
    o.stores = SERVET_AUTOMATON_REGULAR;
    memset(&m, 0, sizeof m);
    memcpy(&a, &untouched, sizeof a);
    m.fails_at = 50;
    status = servet_automaton_measure(&a, 6, run_of, &m, &o);
    TAP_OK(status == SERVET_ENOMEM && m.runs == 49 && !memcmp(&a, &untouched, sizeof a), "a run that fails ends it");
    o.rows = o.columns = 0;
    o.first_bytes = 49152;
    o.second_bytes = 2097152;
    status = servet_automaton_measure(&a, 400, flat, NULL, &o);
    TAP_OK(status == SERVET_OK && a.rows >= 400, "400 workers, with a row each of one worker's: %s, %d rows",
           servet_status_text(status), a.rows);
    o.iterations = 0;
    status = servet_automaton_measure(&a, 2, flat, &m, &o);
    TAP_OK(status == SERVET_OK && a.points == 20 && a.iterations >= 10, "pilots in no time: %s, %d iterations",
           servet_status_text(status), a.iterations);
    o.rows = 4;
    TAP_OK(servet_automaton_measure(&a, 6, run_of, &m, &o) == SERVET_EINVAL
           && servet_automaton_measure(NULL, 6, run_of, &m, NULL) == SERVET_EINVAL
           && servet_automaton_measure(&a, 0, run_of, &m, NULL) == SERVET_EINVAL
           && servet_automaton_measure(&a, 6, NULL, &m, NULL) == SERVET_EINVAL, "fewer rows than workers, and none");
}

int main(void)
{
    test_formulas();
    test_grids();
    test_limits();
    test_rates();
    test_speedups();
    test_files();
    test_arguments();
    test_unsure();
    test_measure();
    return tap_done();
}

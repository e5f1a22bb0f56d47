/* coherence_lines.c - blocks, lines fetched with others and costs of sharing, on modelled machines and on this one
 *
 * COHERENCE_SEEDS=500 takes so many draws of each modelled machine instead of 40. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "sim.h"
#include "nodes.h"
#include "tap.h"

#include <dirent.h>

static servet_coherence c, again;
static servet_rig rig;
static sim_node node;

static int seeds(void)
{
    const char *text = getenv("COHERENCE_SEEDS");
    return text ? atoi(text) : 40;
}

/* Of normal distribution, nearly: the sum of twelve. */
static double normal(uint64_t *seed)
{
    double x = -6;
    int i;
    for (i = 0; i < 12; i++) x += servet_stats_random_unit(seed);
    return x;
}

/* ---- a modelled machine ------------------------------------------------------------------------- */

enum { NEIGHBOUR_QUAD = 4 };   /* four lines fetched together; else SERVET_NEIGHBOUR_* */

typedef struct model {
    uint64_t seed;
    double seconds, noise, outliers;   /* deviation of logarithms; share of samples taken much too slowly */
    int    line, near_line;     /* coherence blocks: of CPUs in different groups of four, and in one  */
    int    shift;               /* where blocks begin                                                */
    int    siblings;            /* 1 = CPUs 2 n and 2 n + 1 are threads of a core                     */
    double contrast;            /* of additions in one block over those in two                       */
    int    neighbour;
    double slow, control;       /* what lines fetched together and the same line do, as factors       */
    int    buffered;            /* stores to one place become one                                    */
    double part;                /* of the way, half in logarithms: what additions 64 apart get; 0 = nothing */
    int    calls, fail;         /* the call that fails                                               */
    int    no_fetch;
} model;

static double model_noise(model *w, unsigned *flags)
{
    double factor = exp(w->noise * normal(&w->seed));
    if (servet_stats_random_unit(&w->seed) < w->outliers) {
        factor *= 1 + 9 * servet_stats_random_unit(&w->seed);
        if (servet_stats_random_unit(&w->seed) < 0.5) *flags |= SERVET_NOISE_SWITCH;
    }
    return factor;
}

static int model_shares(const model *w, int a, int b, uint32_t x, uint32_t y)
{
    const uint32_t line = (uint32_t)(a / 4 == b / 4 ? w->near_line : w->line), shift = (uint32_t)w->shift;
    return !(w->siblings && a / 2 == b / 2) && (x + shift) / line == (y + shift) / line;
}

/* Does a fetch of x take y along? */
static int model_beside(const model *w, uint32_t x, uint32_t y)
{
    const uint32_t a = x / (uint32_t)w->line, b = y / (uint32_t)w->line;
    if (w->neighbour == SERVET_NEIGHBOUR_PAIR) return a / 2 == b / 2;
    if (w->neighbour == SERVET_NEIGHBOUR_NEXT) return a + 1 >= b && b + 1 >= a;
    return w->neighbour == NEIGHBOUR_QUAD && a / 4 == b / 4;
}

static int model_operate(void *ctx, const servet_operate *q, servet_sample *out)
{
    model *w = (model *)ctx;
    int r, i, j;
    w->calls++;
    if (w->fail && w->calls == w->fail) return SERVET_EPIN;
    for (r = 0; r < q->rounds || r == 0; r++)
        for (i = 0; i < q->cpus; i++) {
            const int op = q->each ? q->each[i] : q->operation;
            const uint32_t mine = q->offset ? q->offset[i] : 0;
            servet_sample *o = &out[r * q->cpus + i];
            double factor = 1;
            int rivals = 1;
            memset(o, 0, sizeof *o);
            for (j = 0; j < q->cpus; j++) {
                const uint32_t its = q->offset ? q->offset[j] : 0;
                if (j == i) continue;
                if (q->each && q->each[j] == SERVET_OPERATE_FETCH) {
                    if (w->no_fetch) return SERVET_EUNSUPPORTED;
                    if (model_shares(w, q->cpu[i], q->cpu[j], mine, its)) factor = w->control;
                    else if (model_beside(w, its, mine)) factor = w->slow;
                } else if (model_shares(w, q->cpu[i], q->cpu[j], mine, its)) rivals++;
                else if (w->part > 0 && (mine > its ? mine - its : its - mine) == 64) factor = exp(w->part
                                                                                             * log(w->contrast));
            }
            if (op == SERVET_OPERATE_READ) o->ns = 0.15;
            else if (op == SERVET_OPERATE_WRITE) o->ns = w->buffered ? 0.15 : 0.15 + 0.3 * (rivals - 1);
            else if (op == SERVET_OPERATE_ALTERNATE) o->ns = 0.15 + 0.4 * (rivals - 1);
            else if (op == SERVET_OPERATE_UPDATE) o->ns = w->buffered ? 2.5 : 2.5 * rivals;
            else o->ns = 6 * (rivals > 1 ? w->contrast * rivals / 2 : 1) * factor;
            o->ns *= model_noise(w, &o->flags);
        }
    w->seconds += 3e-4;
    return SERVET_OK;
}

static int model_handoff(void *ctx, const servet_handoff *q, servet_sample *out)
{
    model *w = (model *)ctx;
    int r, i, j;
    w->calls++;
    if (w->fail && w->calls == w->fail) return SERVET_EPIN;
    for (r = 0; r < q->rounds || r == 0; r++)
        for (i = 0; i < q->pairs; i++) {
            servet_sample *o = &out[r * q->pairs + i];
            memset(o, 0, sizeof *o);
            o->ns = 50;
            for (j = 0; q->offset && j < q->pairs; j++) {
                if (i == j) continue;
                if (q->offset[i] / (uint32_t)w->line == q->offset[j] / (uint32_t)w->line) o->ns *= w->control;
                else if (model_beside(w, q->offset[i], q->offset[j])) o->ns *= w->slow;
            }
            o->ns *= model_noise(w, &o->flags);
        }
    w->seconds += 5e-4;
    return SERVET_OK;
}

static double model_seconds(void *ctx) { return ((model *)ctx)->seconds; }

static model model_new(uint64_t seed)
{
    model w;
    memset(&w, 0, sizeof w);
    w.seed = seed;
    w.noise = 0.05;
    w.outliers = 0.05;
    w.line = w.near_line = 64;
    w.contrast = 8;
    w.neighbour = SERVET_NEIGHBOUR_FREE;
    w.slow = 1.25;
    w.control = 2;
    w.buffered = 1;
    return w;
}

static servet_machine model_machine(model *w)
{
    servet_machine m;
    memset(&m, 0, sizeof m);
    m.ctx = w;
    m.seconds = model_seconds;
    m.operate = model_operate;
    m.handoff = model_handoff;
    return m;
}

/* ---- blocks --------------------------------------------------------------------------------------- */

static const int four[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static void block(model *w)
{
    static const int cpu[2] = { 0, 4 };
    servet_machine m = model_machine(w);
    servet_coherence_opts o;
    memset(&c, 0, sizeof c);
    memset(&o, 0, sizeof o);
    o.run.budget_s = 10;
    o.run.seed = w->seed;
    if (servet_coherence_block(&c, &m, cpu, 1, &o) < 0) memset(&c, 0, sizeof c);
}

static void test_blocks(void)
{
    static const int lines[] = { 16, 32, 64, 128, 256, 512, 1024 };
    static const double contrasts[] = { 1.8, 3, 10, 40 };
    int a, b, k, runs = 0, right = 0, wrong = 0, taken = 0;
    double least = 1;
    for (a = 0; a < 7; a++)
        for (b = 0; b < 4; b++)
            for (k = 0; k < seeds(); k++) {
                model w = model_new((uint64_t)(1 + k + 1000 * (a + 10 * b)));
                w.line = lines[a];
                w.contrast = contrasts[b];
                block(&w);
                runs++;
                right += c.block[0].bytes == lines[a];
                wrong += c.block[0].bytes > 0 && c.block[0].bytes != lines[a];
                taken += w.calls;
                if (c.block[0].bytes > 0) least = servet__min(least, c.block[0].confidence_frac);
                if (c.block[0].bytes > 0 && (c.block[0].lo_bytes != c.block[0].bytes
                    || c.block[0].hi_bytes != c.block[0].bytes || c.block[0].status != SERVET_OK)) wrong++;
            }
    TAP_DIAG("of %d machines (16 to 1024 bytes; 1.8 to 40 times as slow) %d right, %d wrong, %d unresolved; "
             "%.0f calls each, confidence %.4f and more", runs, right, wrong, runs - right - wrong,
             (double)taken / runs, least);
    TAP_OK(right >= 0.99 * runs, "blocks are found");
    TAP_OK(wrong <= 0.001 * runs, "and not wrongly");
    TAP_OK(least > 0.95, "with confidence");
}

/* What is no block, or cannot be seen, is not told as one. */
static void test_no_blocks(void)
{
    int k, runs = 0, told = 0, flat = 0, part = 0, wrong = 0, noisy = 0;
    for (k = 0; k < seeds(); k++, runs++) {
        model w = model_new((uint64_t)(77 + k));
        w.shift = 16;
        block(&w);
        told += c.block[0].bytes > 0;
        w = model_new((uint64_t)(77 + k));
        w.contrast = 1;
        block(&w);
        flat += c.block[0].bytes <= 0 && c.block[0].status == SERVET_EUNSUPPORTED;
        w = model_new((uint64_t)(77 + k));
        w.part = 0.5;
        block(&w);
        part += c.block[0].status == SERVET_EUNRESOLVED && c.block[0].lo_bytes <= 64 && c.block[0].hi_bytes >= 64;
        w = model_new((uint64_t)(77 + k));
        w.noise = 0.5;
        w.contrast = 3;
        block(&w);
        noisy += c.block[0].bytes > 0;
        wrong += c.block[0].bytes > 0 && c.block[0].bytes != 64;
    }
    TAP_OK(told == 0, "blocks that do not begin at their multiples are none (%d of %d told)", told, runs);
    TAP_OK(flat >= 0.99 * runs, "threads of one core: neighbours cost no more (%d of %d)", flat, runs);
    TAP_OK(part >= 0.99 * runs, "half way between is neither: unresolved, within its interval (%d of %d)", part, runs);
    TAP_OK(wrong <= 0.01 * runs, "noise of a half at contrast 3: %d told of %d, %d wrongly", noisy, runs, wrong);
    {
        model w = model_new(1);
        w.line = 2048;
        block(&w);
        TAP_OK(c.block[0].status == SERVET_EUNRESOLVED && c.block[0].lo_bytes > 1024 && c.block[0].hi_bytes <= 0,
               "beyond 1024 bytes: open");
        w = model_new(1);
        w.line = 48;
        block(&w);
        TAP_OK(c.block[0].status == SERVET_OK && c.block[0].bytes == 48, "bisected to what is no power of two");
    }
}

static void test_kinds(void)
{
    static const int cpu[6] = { 0, 1, 1, 2, 2, 7 };
    model w = model_new(5);
    servet_machine m = model_machine(&w);
    servet_coherence_opts o;
    int status;
    memset(&c, 0, sizeof c);
    memset(&o, 0, sizeof o);
    w.siblings = 1;
    w.near_line = 16;
    status = servet_coherence_block(&c, &m, cpu, 3, NULL);
    TAP_OK(status == SERVET_OK && c.blocks == 3 && c.block[0].status == SERVET_EUNSUPPORTED && c.block[0].bytes <= 0
           && c.block[1].bytes == 16 && c.block[2].bytes == 64, "a thread's neighbour, a near CPU and a far one: "
           "nothing, %.0f, %.0f bytes", c.block[1].bytes, c.block[2].bytes);
    TAP_OK(servet__coherence_apart(&c) == 64, "the largest counts");
    TAP_OK(c.block[2].cpu[0] == 2 && c.block[2].cpu[1] == 7 && c.block[2].near_ns > 5 * c.block[2].far_ns
           && c.block[2].lo_near_ns <= c.block[2].near_ns && c.block[2].near_ns <= c.block[2].hi_near_ns
           && c.block[2].lo_far_ns <= c.block[2].far_ns && c.block[2].far_ns <= c.block[2].hi_far_ns, "with times");
    again = c;
    again.block[2].bytes = again.block[2].lo_bytes = again.block[2].near_ns = 1;
    servet__coherence_infer(&again);
    TAP_OK(memcmp(&again, &c, sizeof c) == 0, "what samples say does not change when it is asked again");
    memset(&c, 0, sizeof c);
    TAP_OK(servet_coherence_block(NULL, &m, cpu, 1, NULL) == SERVET_EINVAL
           && servet_coherence_block(&c, NULL, cpu, 1, NULL) == SERVET_EINVAL
           && servet_coherence_block(&c, &m, NULL, 1, NULL) == SERVET_EINVAL
           && servet_coherence_block(&c, &m, cpu, 0, NULL) == SERVET_EINVAL
           && servet_coherence_block(&c, &m, cpu + 1, 1, NULL) == SERVET_EINVAL, "bad arguments");
    o.run.budget_s = -1;
    TAP_OK(servet_coherence_block(&c, &m, cpu, 1, &o) == SERVET_EINVAL, "bad options");
    o.run.budget_s = 0.005;
    status = servet_coherence_block(&c, &m, cpu + 4, 1, &o);
    TAP_OK(status == SERVET_OK && c.stopped && c.blocks == 1 && c.block[0].status == SERVET_EUNRESOLVED
           && c.block[0].bytes <= 0, "ended by its budget: unresolved");
    w.fail = w.calls + 30;
    status = servet_coherence_block(&c, &m, cpu + 2, 2, NULL);
    TAP_OK(status == SERVET_EPIN && c.blocks == 2 && c.block[1].status == SERVET_EUNRESOLVED,
           "a CPU that goes away: its status, and what was measured before");
    c.blocks = SERVET_BLOCK_PAIRS;
    TAP_OK(servet_coherence_block(&c, &m, cpu, 1, NULL) == SERVET_ESPACE, "no room");
    m.operate = NULL;
    memset(&c, 0, sizeof c);
    TAP_OK(servet_coherence_block(&c, &m, cpu, 1, NULL) == SERVET_EUNSUPPORTED
           && servet_coherence_destructive(&c, &m, cpu, 2, 64, NULL) == SERVET_EUNSUPPORTED
           && servet_coherence_costs(&c, &m, cpu, 1, NULL) == SERVET_EUNSUPPORTED, "a machine that cannot");
}

/* ---- lines fetched with others -------------------------------------------------------------------- */

static void test_destructive(void)
{
    static const int kinds[] = { SERVET_NEIGHBOUR_FREE, SERVET_NEIGHBOUR_PAIR, SERVET_NEIGHBOUR_NEXT, NEIGHBOUR_QUAD };
    static const double bytes[] = { 1, 2, 2, 4 };
    static const int lines[] = { 64, 128 };
    int method, a, b, k;
    for (method = SERVET_DESTRUCTIVE_PAIRS; method <= SERVET_DESTRUCTIVE_FETCH; method++) {
        int runs = 0, right = 0, wrong = 0, held = 0;
        for (a = 0; a < 4; a++)
            for (b = 0; b < 2; b++)
                for (k = 0; k < seeds(); k++) {
                    model w = model_new((uint64_t)(1 + k + 1000 * (a + 10 * b)));
                    servet_machine m = model_machine(&w);
                    const servet_destructive *d = &c.destructive;
                    const double want = bytes[a] * lines[b];
                    const int kind = kinds[a] == NEIGHBOUR_QUAD ? SERVET_NEIGHBOUR_PAIR : kinds[a];
                    w.neighbour = kinds[a];
                    w.line = w.near_line = lines[b];
                    memset(&c, 0, sizeof c);
                    if (servet_coherence_destructive(&c, &m, four, method == SERVET_DESTRUCTIVE_PAIRS ? 4 : 2, lines[b],
                                                     NULL) < 0) continue;
                    runs++;
                    right += d->bytes == want && d->neighbour == kind && d->method == method;
                    wrong += d->bytes > 0 && (d->bytes != want || d->neighbour != kind);
                    held += d->lo_bytes <= want && (d->hi_bytes <= 0 || d->hi_bytes >= want);
                }
        TAP_DIAG("%s: of %d machines %d right, %d wrong, %d unknown; the interval holds in %d",
                 method == SERVET_DESTRUCTIVE_PAIRS ? "two pairs" : "fetches", runs, right, wrong, runs - right - wrong,
                 held);
        TAP_OK(runs == 8 * seeds() && right >= 0.99 * runs, "lines alone, in pairs, with the next, in fours");
        TAP_OK(wrong <= 0.002 * runs && held >= 0.99 * runs, "hardly ever wrongly");
    }
}

static void test_destructive_statuses(void)
{
    model w = model_new(3);
    servet_machine m = model_machine(&w);
    servet_coherence_opts o;
    int status;
    memset(&o, 0, sizeof o);
    memset(&c, 0, sizeof c);
    w.control = 1;
    w.neighbour = SERVET_NEIGHBOUR_PAIR;
    status = servet_coherence_destructive(&c, &m, four, 2, 64, NULL);
    TAP_OK(status == SERVET_OK && c.destructive.neighbour == SERVET_NEIGHBOUR_UNKNOWN && c.destructive.bytes <= 0,
           "where one line disturbs nobody nothing can be seen");
    w.control = 2;
    memset(&c, 0, sizeof c);
    TAP_OK(servet_coherence_destructive(&c, &m, four, 2, 0, NULL) == SERVET_EUNRESOLVED, "no block, no lines");
    w.line = w.near_line = 32;
    status = servet_coherence_block(&c, &m, four, 1, NULL);
    TAP_OK(status == SERVET_OK && servet_coherence_destructive(&c, &m, four, 2, 0, NULL) == SERVET_OK
           && c.destructive.block_bytes == 32 && c.destructive.bytes == 64
           && servet__coherence_apart(&c) == 64, "of the block that was found: a pair of 32 is 64");
    m.handoff = NULL;
    status = servet_coherence_destructive(&c, &m, four, 4, 0, NULL);
    TAP_OK(status == SERVET_OK && c.destructive.method == SERVET_DESTRUCTIVE_FETCH, "four CPUs without hand-offs");
    w.no_fetch = 1;
    status = servet_coherence_destructive(&c, &m, four, 4, 0, NULL);
    TAP_OK(status == SERVET_EUNSUPPORTED && c.destructive.method == SERVET_DESTRUCTIVE_NONE
           && servet__coherence_apart(&c) == 32, "nor fetches: the block, as far as is known");
    w.no_fetch = 0;
    TAP_OK(servet_coherence_destructive(&c, &m, four, 1, 0, NULL) == SERVET_EUNSUPPORTED, "one CPU");
    TAP_OK(servet_coherence_destructive(&c, &m, four, 2, 1000, NULL) == SERVET_EINVAL
           && servet_coherence_destructive(&c, &m, four, 2, 20, NULL) == SERVET_EINVAL
           && servet_coherence_destructive(&c, &m, NULL, 2, 64, NULL) == SERVET_EINVAL, "bad arguments");
    w.line = w.near_line = 256;
    status = servet_coherence_destructive(&c, &m, four, 4, 256, NULL);
    TAP_OK(status == SERVET_OK && c.destructive.count == 8 && c.destructive.bytes == 512,
           "large lines: what fits in a page");
    TAP_OK(servet_coherence_destructive(&c, &m, four, 4, 512, NULL) == SERVET_EINVAL, "and larger ones not");
    w.fail = w.calls + 30;
    status = servet_coherence_destructive(&c, &m, four, 2, 32, NULL);
    TAP_OK(status == SERVET_EPIN && c.destructive.neighbour == SERVET_NEIGHBOUR_UNKNOWN, "a CPU that goes away");
}

/* ---- costs ---------------------------------------------------------------------------------------- */

static void test_costs(void)
{
    static const int most[] = { 2, 4, 8 };
    servet_machine m;
    int a, k, buffered, runs = 0, right = 0, wrong = 0, linear = 0, slopes = 0, held = 0, grown = 0, op, status;
    model w;
    for (buffered = 0; buffered < 2; buffered++)
        for (a = 0; a < 3; a++)
            for (k = 0; k < seeds(); k++) {
                const servet_costs *t = &c.costs;
                w = model_new((uint64_t)(1 + k + 1000 * a));
                w.buffered = buffered;
                m = model_machine(&w);
                memset(&c, 0, sizeof c);
                if (servet_coherence_costs(&c, &m, four, most[a], NULL) < 0) continue;
                runs++;
                right += t->buffered == (buffered ? SERVET_BUFFERED_SHOWN : SERVET_BUFFERED_REFUTED);
                wrong += t->buffered == (buffered ? SERVET_BUFFERED_REFUTED : SERVET_BUFFERED_SHOWN);
                grown++;
                held += t->lo_growth[SERVET_OPERATE_ATOMIC] <= w.contrast * most[a] / 2
                     && w.contrast * most[a] / 2 <= t->hi_growth[SERVET_OPERATE_ATOMIC];
                if (most[a] < 8) continue;
                slopes++;
                linear += t->lo_power[SERVET_OPERATE_ATOMIC] <= 1 && 1 <= t->hi_power[SERVET_OPERATE_ATOMIC]
                       && t->hi_power[SERVET_OPERATE_READ] < 0.2 && t->lo_power[SERVET_OPERATE_ALTERNATE] > 0.8;
            }
    TAP_DIAG("of %d machines the buffer was told of %d rightly, of %d wrongly; growth within its interval %d of %d, "
             "powers %d of %d", runs, right, wrong, held, grown, linear, slopes);
    TAP_OK(right >= 0.99 * runs && wrong == 0, "stores that wait in a buffer, and such that do not");
    TAP_OK(held >= 0.9 * grown && linear >= 0.9 * slopes, "growth and power");

    w = model_new(9);
    m = model_machine(&w);
    memset(&c, 0, sizeof c);
    status = servet_coherence_costs(&c, &m, four, 7, NULL);
    TAP_OK(status == SERVET_OK && c.costs.count == 6 && c.costs.point[0][4].cpus == 6 && c.costs.point[4][5].cpus == 7,
           "1, 2, 3, 4, 6, 7");
    for (op = 0; op < SERVET_COST_OPERATIONS; op++)
        for (k = 0; k < c.costs.count; k++) {
            const servet_cost_point *p = &c.costs.point[op][k];
            status |= (p->samples != 12 && p->samples != 24) || !(p->lo_ns <= p->ns && p->ns <= p->hi_ns && p->ns > 0)
                   || p->slowest_ns < p->ns * 0.99;
        }
    TAP_OK(status == SERVET_OK, "twelve samples of each or twice as many, within their intervals, the slowest above");
    TAP_NEAR(c.costs.point[SERVET_OPERATE_UPDATE][0].ns, 2.5, 0.1, "time of an update");
    again = c;
    servet__coherence_infer(&again);
    TAP_OK(memcmp(&again, &c, sizeof c) == 0, "settled again it is the same");
    status = servet_coherence_costs(&c, &m, four, 5, NULL);
    TAP_OK(status == SERVET_OK && c.costs.count == 5 && c.costs.point[0][4].cpus == 5
           && c.costs.point[0][4].samples == c.costs.point[0][0].samples && c.costs.point[0][0].samples <= 24,
           "by another number of CPUs: anew");
    memset(&c, 0, sizeof c);
    status = servet_coherence_costs(&c, &m, four, 1, NULL);
    TAP_OK(status == SERVET_OK && c.costs.count == 1 && c.costs.buffered == SERVET_BUFFERED_UNKNOWN
           && c.costs.growth[4] <= 0 && c.costs.hi_power[4] < 0, "one CPU: what it takes alone");
    status = servet_coherence_costs(&c, &m, four, 2, NULL);
    TAP_OK(status == SERVET_OK && c.costs.count == 2 && c.costs.growth[4] > 4 && c.costs.hi_power[4] < 0,
           "two CPUs: growth, and no power");
    TAP_OK(servet_coherence_costs(&c, &m, four, 0, NULL) == SERVET_EINVAL
           && servet_coherence_costs(&c, &m, NULL, 2, NULL) == SERVET_EINVAL, "bad arguments");
    memset(&c, 0, sizeof c);
    w.fail = w.calls + 3;
    status = servet_coherence_costs(&c, &m, four, 2, NULL);
    TAP_OK(status == SERVET_EPIN && c.costs.count == 1 && c.costs.point[0][0].samples == 4
           && c.costs.point[SERVET_OPERATE_UPDATE][0].samples == 0, "a CPU that goes away");
    TAP_OK(strcmp(servet_text(SERVET_TEXT_OPERATION, SERVET_OPERATE_ALTERNATE), "alternating write") == 0
           && strcmp(servet_text(SERVET_TEXT_OPERATION, 99), "unknown") == 0
           && strcmp(servet_text(SERVET_TEXT_OPERATION, -1), "unknown") == 0, "in words");
}

/* How far writes grow by all CPUs of a node in silence: as reads 0, as alternating writes 1. */
static double node_exposed(const int *cpu, int cpus)
{
    double grown[3];
    int op, k, i;
    for (op = 0; op < 3; op++)
        for (grown[op] = 0, k = 1; k <= cpus; k += cpus - 1) {
            servet_operate q;
            double rate = 0;
            memset(&q, 0, sizeof q);
            q.cpu = cpu;
            q.cpus = k;
            q.operation = op;
            for (i = 0; i < k; i++) rate += 1 / sim_node_operation(&node, &q, i);
            grown[op] = log(k / rate) - grown[op];
        }
    return (grown[1] - grown[0]) / (grown[2] - grown[0]);
}

/* Kentsfield's buffer is said to hide half of a store's wait, that of MareNostrum 5 nearly all: by how far writes grow
 * is asked, on as many CPUs as that. */
static void test_nodes(void)
{
    int i, k, seed, runs = 0, right = 0, wrong = 0, shown = 0, cpu[SIM_NODE_CPUS];
    for (i = 0; i < SIM_NODES; i++)
        for (seed = 0; seed < 1 + seeds() / 10; seed++) {
            servet_coherence_opts o;
            servet_machine m;
            double truth;
            int cpus;
            if (sim_node_open(&node, &sim_nodes[i], &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed) < 0) abort();
            cpus = node.cpus < 8 ? node.cpus : 8;
            for (k = 0; k < cpus; k++) cpu[k] = node.cpus / cpus * k;
            memset(&o, 0, sizeof o);
            o.run.budget_s = 10;
            m = sim_node_machine(&node);
            memset(&c, 0, sizeof c);
            if (cpus < 2 || servet_coherence_costs(&c, &m, cpu, cpus, &o) < 0) continue;
            truth = node_exposed(cpu, cpus);
            if (!(truth < 0.4 || truth > 0.6)) continue;   /* also not-a-number: siblings, whose writes wait for none */
            runs++;
            shown += truth < 0.5;
            right += c.costs.buffered == (truth < 0.5 ? SERVET_BUFFERED_SHOWN : SERVET_BUFFERED_REFUTED);
            wrong += c.costs.buffered == (truth < 0.5 ? SERVET_BUFFERED_REFUTED : SERVET_BUFFERED_SHOWN);
        }
    TAP_DIAG("nodes: of %d runs (%d with stores that wait in a buffer) %d right, %d wrong", runs, shown, right, wrong);
    TAP_OK(right >= 0.98 * runs && wrong == 0 && shown > 0 && shown < runs, "buffers of modelled nodes");
}

/* ---- this machine --------------------------------------------------------------------------------- */

static int threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;
    if (!dir) return 0;
    while (readdir(dir)) n++;
    closedir(dir);
    return n - 2;
}

/* A thread that was joined may be listed for a moment. */
static int threads_are(int before)
{
    const struct timespec ms = { 0, 1000000 };
    int i;
    for (i = 0; i < 60000 && threads() != before; i++) nanosleep(&ms, NULL);
    return i < 60000;
}

/* As servet__operate_part, but the first CPU fails at once. */
static int part_or_fail(servet__worker *w)
{
    return w->index > 0 ? servet__operate_part(w) : (int)SERVET_EIO;
}

static void test_operate(const servet_machine *m, const int *cpu, int cpus, const servet_cpus *allowed)
{
    servet_sample out[2 * SERVET_SAMPLES_MAX], kept[2 * SERVET_SAMPLES_MAX];
    uint32_t offset[2] = { 0, 64 };
    int each[2] = { SERVET_OPERATE_ATOMIC, SERVET_OPERATE_READ }, far_off[2], op, i, ok, status;
    servet_operate q;
    memset(&q, 0, sizeof q);
    q.cpu = cpu;
    q.effort = 0.1;
    for (q.cpus = 1; q.cpus <= cpus; q.cpus++)
        for (op = 0; op < SERVET_OPERATIONS; op++) {
            q.operation = op;
            q.rounds = 3;
            memset(out, 0, sizeof out);
            status = m->operate(m->ctx, &q, out);
            if (op == SERVET_OPERATE_FETCH && status == SERVET_EUNSUPPORTED) {
                TAP_SKIP(1, "no line can be thrown out here");
                continue;
            }
            for (ok = status == SERVET_OK, i = 0; i < 3 * q.cpus; i++)
                ok &= out[i].ns > 0.005 && out[i].ns < 1e6 && out[i].anchor_cycles > 0;
            TAP_OK(ok && out[3 * q.cpus].ns <= 0, "%s by %d", servet_text(SERVET_TEXT_OPERATION, op), q.cpus);
        }
    q.cpus = 1;
    q.rounds = 0;
    q.offset = offset;
    q.operation = SERVET_OPERATE_ALTERNATE;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_OK, "two places");
    q.each = each;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_OK && out[0].ns > 0, "an operation of its own");
    memset(out, 7, sizeof out);
    memcpy(kept, out, sizeof out);
    each[0] = SERVET_OPERATIONS;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "one that there is not");
    q.each = NULL;
    offset[0] = 4;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "no multiple of 8");
    offset[0] = SERVET_OPERATE_BYTES;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "beyond the block");
    offset[0] = 0;
    q.operation = -1;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "no operation");
    q.operation = 0;
    q.rounds = SERVET_SAMPLES_MAX + 1;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "too many rounds");
    q.rounds = 1;
    q.effort = -1;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "an effort below 0");
    q.effort = 0.1;
    q.cpus = 0;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL && m->operate(m->ctx, NULL, out) == SERVET_EINVAL
           && m->operate(m->ctx, &q, NULL) == SERVET_EINVAL, "no CPU, no request, no place for the answer");
    q.cpus = 1;
    far_off[0] = far_off[1] = 8191;
    q.cpu = far_off;
    TAP_OK(servet__cpus_has(allowed, 8191) || m->operate(m->ctx, &q, out) == SERVET_EPIN, "a CPU that is not allowed");
    far_off[0] = far_off[1] = cpu[0];
    q.cpus = 2;
    TAP_OK(m->operate(m->ctx, &q, out) == SERVET_EINVAL, "a CPU named twice");
    TAP_OK(memcmp(out, kept, sizeof out) == 0, "outputs are untouched on error");
    if (cpus < 2) TAP_SKIP(1, "one CPU");
    else {
        servet__operate_call call;
        call.what = &q;
        call.block = rig.region.base;
        call.least_ns = 1e4;
        q.operation = SERVET_OPERATE_ATOMIC;
        q.offset = NULL;
        q.rounds = 20;
        TAP_OK(servet__rig_run(out, &rig, cpu, 2, 1, 20, 1, part_or_fail, &call) == SERVET_EIO
               && memcmp(out, kept, sizeof out) == 0, "a CPU that fails frees the other");
    }
}

/* The line size that the system reports: only to compare with. */
static int reported_line(void)
{
    static servet_host host;
    int i, line = 0;
    servet__machine_host(&host);
    for (i = 0; i < host.report_count; i++) if (host.report[i].line_bytes > line) line = host.report[i].line_bytes;
    return line;
}

/* Whatever else is running: no wrong answer.  tests/machine/coherence.c asks for right ones. */
static void test_here(const servet_machine *m, const int *cpu, int cpus)
{
    const int line = reported_line();
    int status;
    memset(&c, 0, sizeof c);
    status = servet_coherence_costs(&c, m, cpu, cpus, NULL);
    TAP_OK(status == SERVET_OK && c.costs.count >= 1 && c.costs.point[0][0].ns > 0, "costs: %s",
           servet_status_text(status));
    if (cpus < 2) {
        TAP_SKIP(2, "one CPU");
        return;
    }
    status = servet_coherence_block(&c, m, cpu, 1, NULL);
    TAP_OK(status == SERVET_OK && c.blocks == 1 && (c.block[0].bytes <= 0 || line == 0 || c.block[0].bytes == line),
           "block: %s, %.0f bytes [%.0f, %.0f], %.4f", servet_status_text(status), c.block[0].bytes,
           c.block[0].lo_bytes, c.block[0].hi_bytes, c.block[0].confidence_frac);
    status = servet_coherence_destructive(&c, m, cpu, cpus, 64, NULL);
    TAP_OK(status == SERVET_OK || status == SERVET_EUNSUPPORTED, "lines beside each other: %s; %.0f bytes",
           servet_status_text(status), c.destructive.bytes);
}

static void *nothing(void *arg) { return arg; }

static void test_rig(void)
{
    servet_cpus before, after;
    servet_rig_opts o;
    servet_machine m;
    pthread_t first;
    int cpu[2], cpus, tasks;
    /* what watches for races begins a thread of its own with the first of the program */
    if (pthread_create(&first, NULL, nothing, NULL) == 0) pthread_join(first, NULL);
    tasks = threads();
    memset(&o, 0, sizeof o);
    o.hi_bytes = 1 << 20;
    servet_machine_cpus(&before);
    cpu[0] = servet_cpus_next(&before, -1);
    cpu[1] = servet_cpus_next(&before, cpu[0]);
    cpus = cpu[1] < 0 ? 1 : 2;
    if (servet_rig_open(&rig, &o) < 0) {
        TAP_OK(0, "a rig");
        return;
    }
    if (!rig.pinned) cpus = 1;
    m = servet_rig_machine(&rig);
    test_operate(&m, cpu, cpus, &before);
    test_here(&m, cpu, cpus);
    servet_rig_close(&rig);
    servet_machine_cpus(&after);
    TAP_OK(memcmp(&before, &after, sizeof before) == 0 && threads_are(tasks), "mask and threads are as before");
}

int main(void)
{
    test_blocks();
    test_no_blocks();
    test_kinds();
    test_destructive();
    test_destructive_statuses();
    test_costs();
    test_nodes();
    test_rig();
    return tap_done();
}

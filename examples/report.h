/* report.h - a profile as one page to look at: servet report
 *
 * A section for each thing that was measured, and none for what was not.  Included by servet.c, whose words for sizes,
 * times and groups it uses; page.h makes the markup. */
#ifndef SERVET_REPORT_H
#define SERVET_REPORT_H

#include "page.h"
#include "fitted.h"

static graph chart;             /* the one being made: too large for the stack                       */

typedef struct report_page {
    page top, nav, body;
    int  sections;
} report_page;

/* ---- parts of sections ------------------------------------------------------------------------ */

static void section_begin(report_page *r, const char *id, const char *title)
{
    page_put(&r->nav, "<li><a href=\"#%s\">", id);
    page_text(&r->nav, title);
    page_raw(&r->nav, "</a></li>");
    page_put(&r->body, "<section id=\"%s\"><h2>", id);
    page_text(&r->body, title);
    page_raw(&r->body, "</h2>\n");
    r->sections++;
}

static void section_end(report_page *r) { page_raw(&r->body, "</section>\n"); }

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void paragraph(page *w, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    page_raw(w, "<p>");
    page_text(w, line);
    page_raw(w, "</p>\n");
}

/* A new chart: what it shows goes to those who do not see it. */
static graph *chart_begin(const char *title, graph_axis x, graph_axis y, const char *about)
{
    memset(&chart, 0, sizeof chart);
    snprintf(chart.title, sizeof chart.title, "%s", title);
    snprintf(chart.about, sizeof chart.about, "%s", about);
    chart.x = x;
    chart.y = y;
    return &chart;
}

/* "1.67 ns [1.65, 1.70]" and the like. */
static words within_text(double v, double lo, double hi, const char *unit)
{
    words w;
    if (is_one_sample(lo, hi))
        snprintf(w.text, sizeof w.text, "%.30s%s%.20s (one sample)", digits(v).text, *unit ? " " : "", unit);
    else if (lo <= hi && hi > 0)
        snprintf(w.text, sizeof w.text, "%.30s%s%.20s [%.30s, %.30s]", digits(v).text, *unit ? " " : "", unit,
                 digits(lo).text, digits(hi).text);
    else snprintf(w.text, sizeof w.text, "%.30s%s%.20s", digits(v).text, *unit ? " " : "", unit);
    return w;
}

static words rate_within(double rate, double lo, double hi)
{
    return within_text(rate * 1e-9, lo * 1e-9, hi * 1e-9, "GB/s");
}

static words cpus_text(int cpus)
{
    words w;
    snprintf(w.text, sizeof w.text, "%d CPU%s", cpus, cpus == 1 ? "" : "s");
    return w;
}

static words pages_text(double bytes)
{
    words w;
    snprintf(w.text, sizeof w.text, "%.40s pages", size_text(bytes).text);
    return w;
}

/* The CPUs of a group as a list: "0-7,128-135"; empty where there are none. */
static words group_text(const int16_t *group, const int *cpu, int n, int which)
{
    static servet_cpus cpus;
    char list[4096];
    words w;
    int i;
    memset(&cpus, 0, sizeof cpus);
    for (i = 0; i < n; i++) if (group[i] == which) servet_cpus_add(&cpus, cpu[i]);
    if (servet_cpus_write(&cpus, list, sizeof list) < 0) list[0] = 0;
    if (strlen(list) > 100) strcpy(list + 97, "...");
    snprintf(w.text, sizeof w.text, "%.100s", list);
    return w;
}

/* "{0,1} {2,3} and 6 more". */
static void groups_line(char *line, size_t cap, const int16_t *group, const int *cpu, int n, int groups)
{
    enum { SHOWN = 8 };
    size_t used = 0;
    int g;
    line[0] = 0;
    for (g = 0; g < groups && g < SHOWN && used + 120 < cap; g++)
        used += (size_t)snprintf(line + used, cap - used, "%s{%.100s}", g ? " " : "",
                                 group_text(group, cpu, n, g).text);
    if (g < groups) snprintf(line + used, cap - used, " and %d more", groups - g);
}

static double asked(const servet_profile *p, int what, int level, int busy, servet_answer *a)
{
    servet_question q;
    memset(&q, 0, sizeof q);
    q.what = what;
    q.level = level;
    q.busy = busy;
    q.cpu = p->made.cpu;
    return servet_ask(a, p, &q) >= 0 ? a->value : 0;
}

/* ---- the five lines --------------------------------------------------------------------------- */

static void report_top(page *w, const servet_profile *p)
{
    const servet_host *h = &p->host;
    int i;
    page_raw(w, "<h1>");
    page_text(w, h->cpu_model[0] ? h->cpu_model : h->arch[0] ? h->arch : p->network ? "A network" : "A machine");
    page_raw(w, "</h1>\n<p class=\"dim\">What a program really gets from it, as measured");
    if (h->os[0]) page_say(w, "; %s %s", h->os, h->kernel);
    page_raw(w, "</p>\n<dl class=\"brief\">\n");
    for (i = 0; i < FIRST_LINES; i++) {
        if (!say_first(p, i)) continue;
        page_put(w, "<dt>%s</dt><dd>", first_lines[i].name);
        page_text(w, said.text);
        page_raw(w, "</dd>\n");
        said_none();
    }
    page_raw(w, "</dl>\n");
}

/* ---- latency and levels ----------------------------------------------------------------------- */

/* One sample has no interval. */
static void add_curve(graph *g, int line, const servet_curve *c)
{
    int i;
    for (i = 0; i < c->count; i++) {
        const servet_point *q = &c->point[i];
        graph_add(g, line, q->bytes, q->ns, q->samples == 1 ? q->ns : q->lo_ns, q->samples == 1 ? q->ns : q->hi_ns);
    }
}

/* The fitted model between the ends of the curve, and below how far the points are from it. */
static void add_fitted(graph *g, const fitted *t, const fitted_classes *classes, const servet_curve *c, int residuals)
{
    enum { STEPS = 240 };
    const double lo = c->point[0].bytes, hi = c->point[c->count - 1].bytes;
    const int line = graph_line(g, GRAPH_LINE | GRAPH_DASHED, "the fit: what the levels foretell");
    double most;
    int i, off;
    for (i = 0; i <= STEPS && lo > 0; i++) {
        const double bytes = lo * pow(hi / lo, (double)i / (int)STEPS);
        graph_add(g, line, bytes, fitted_ns(t, classes, bytes), 0, 0);
    }
    if (!residuals) return;
    off = graph_line(g, GRAPH_MARKS | GRAPH_BELOW, "%s", "");
    most = 100 * t->most_frac > 50 ? 100 : 100 * t->most_frac > 25 ? 50 : 100 * t->most_frac > 10 ? 25 : 10;
    g->below = graph_scale("measured beyond the fit, % (what is farther at the edge)", 0, GRAPH_PLAIN);
    g->below.lo = -most;
    g->below.hi = most;
    for (i = 0; i < c->count; i++) {
        const servet_point *q = &c->point[i];
        const double ns = fitted_ns(t, classes, q->bytes);
        if (ns > 0 && q->ns > 0) graph_add(g, off, q->bytes, fmax(-most, fmin(most, 100 * (q->ns / ns - 1))), 0, 0);
    }
}

static void latency_marks(graph *g, const servet_profile *p)
{
    int i;
    for (i = 0; i < p->cache_count; i++)
        graph_mark(g, p->cache[i].bytes, p->cache[i].lo_bytes, p->cache[i].hi_bytes, 0, "L%d %.24s", i + 1,
                   size_text(p->cache[i].bytes).text);
    for (i = 0; i < p->tlb.small.count && i < SERVET_TLB_LEVELS; i++) {
        const servet_tlb_level *l = &p->tlb.small.level[i];
        const double page_bytes = p->host.page_bytes > 0 ? p->host.page_bytes : 4096;
        graph_mark(g, l->entries * page_bytes, l->lo_entries * page_bytes, l->hi_entries * page_bytes, 1, "TLB %d",
                   i + 1);
    }
}

static const servet_curve *latency_curve(const servet_profile *p)
{
    const servet_evidence *e = p->evidence;
    const servet_curve *c = !e ? NULL : e->curve.count > 1 ? &e->curve : &e->thin;
    return c && c->count > 1 ? c : NULL;
}

/* The curve with its levels; 1 = and what they foretell of it, which is in t. */
static int latency_chart(const servet_profile *p, fitted *t, int residuals)
{
    static fitted_classes classes[SERVET_LEVELS_MAX];
    const servet_curve *c = latency_curve(p);
    graph *g = chart_begin("Latency of dependent loads", graph_scale("working set", 1, GRAPH_BYTES),
                           graph_scale("ns a load", 1, GRAPH_PLAIN),
                           "Time of a load against the size of the working set, both logarithmic, with steps at the "
                           "caches; the fitted model, in it the part of a level that others use which so slow a walk "
                           "keeps; and the intervals of where levels end.");
    const int fits = fitted_of(t, classes, p, c);
    add_curve(g, graph_line(g, GRAPH_LINE | GRAPH_MARKS, "random order, misses of the TLB kept out"), c);
    if (p->evidence->prefetched.count > 1)
        add_curve(g, graph_line(g, GRAPH_LINE | GRAPH_MARKS, "ascending addresses: prefetchers help"),
                  &p->evidence->prefetched);
    if (fits) add_fitted(g, t, classes, c, residuals);
    latency_marks(g, p);
    return fits;
}

static void fitted_said(page *w, const fitted *t, const servet_profile *p)
{
    int i;
    page_raw(w, "<p>");
    page_say(w, "The dashed line is the model that was fitted: %s ns where all hits", digits(t->base).text);
    for (i = 0; i < t->levels; i++)
        page_say(w, "%s %s ns for misses of L%d", i ? "," : ", and more by", digits(t->level[i].rise).text, i + 1);
    page_raw(w, ". Which share of the loads misses follows from a level's size, its ways and how it replaces lines:");
    for (i = 0; i < t->levels; i++) {
        const fitted_level *l = &t->level[i];
        page_say(w, "%s L%d %s, %d ways%s, %s%s, %s placement%s", i ? ";" : "", i + 1, size_text(l->bytes).text,
                 l->ways, p->cache[i].ways > 0 ? "" : "*", servet_text(SERVET_TEXT_POLICY, l->policy),
                 p->cache[i].policy ? "" : "*", servet_text(SERVET_TEXT_PLACEMENT, l->placement),
                 p->cache[i].placement ? "" : "*");
    }
    page_say(w, " (* = not known, and taken as suits the curve best). Half of the points are within %.3g %% of it, the "
             "farthest is %.3g %% off.", 100 * t->typical_frac, 100 * t->worst_frac);
    page_raw(w, "</p>\n");
}

static void section_latency(report_page *r, const servet_profile *p)
{
    fitted fit;
    int fits;
    if (!latency_curve(p)) return;
    section_begin(r, "latency", "Latency by working set");
    paragraph(&r->body, "How long a load takes that has to wait for the one before, over working sets of growing size: "
                        "as long as a level of cache holds the set, its loads take that level's time. Solid vertical "
                        "lines are the levels that were found, with their 95 %% intervals as bands; dotted ones are "
                        "how far the entries of a TLB (the buffer of address translations) reach.");
    fits = latency_chart(p, &fit, 1);
    page_raw(&r->body, "<div class=\"plots\">\n");
    graph_draw(&r->body, &chart);
    page_raw(&r->body, "</div>\n");
    if (fits) fitted_said(&r->body, &fit, p);
    section_end(r);
}

/* What each source of the system says of a level, in one cell. */
static void level_claims(table *t, const servet_cache *c)
{
    char line[400] = "";
    size_t used = 0;
    int s;
    for (s = 0; s < SERVET_REPORT_SOURCES; s++) {
        if (c->system_bytes[s] < 0 || used + 100 > sizeof line) continue;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %.30s: %s", used ? "; " : "",
                                 servet_text(SERVET_TEXT_REPORT, s), said_text(c->system_bytes[s]).text,
                                 servet_text(SERVET_TEXT_VERDICT, c->system_verdict[s]));
    }
    table_cell(t, "%s", used ? line : "nothing");
}

static void levels_table(page *w, const servet_profile *p)
{
    table t = table_begin(w, "stack big", "Caches, as measured on one CPU",
                          "level|size|95 % interval|ns of a hit|cycles|how it was found|the system says|count on");
    servet_answer a;
    double one, all;
    int i;
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        table_row(&t);
        table_cell(&t, "L%d", i + 1);
        table_cell(&t, "%s", size_text(c->bytes).text);
        table_cell(&t, "%s", interval_text(c->lo_bytes, c->hi_bytes).text);
        table_cell(&t, "%s", within_text(c->latency_ns, c->lo_ns, c->hi_ns, "").text);
        if (c->latency_cycles > 0) table_cell(&t, "%.1f", c->latency_cycles);
        else table_cell(&t, "not known");
        table_cell(&t, "%s%s%s", how_text(c).text, c->unresolved ? "; unresolved" : "",
                   c->effective ? "; what could be had meanwhile" : "");
        level_claims(&t, c);
        one = asked(p, SERVET_ASK_BYTES, i + 1, 0, &a);
        all = asked(p, SERVET_ASK_BYTES, i + 1, 1, &a);
        if (all < one) table_cell(&t, "%.30s; %.30s with all at work", said_text(one).text, said_text(all).text);
        else table_cell(&t, "%s", said_text(one).text);
    }
    if (p->memory_ns > 0) {
        table_row(&t);
        table_cell(&t, "memory");
        table_cell(&t, "%s", said_text(p->host.memory_bytes).text);
        table_cell(&t, "as the system says");
        table_cell(&t, "%s", within_text(p->memory_ns, p->memory_lo_ns, p->memory_hi_ns, "").text);
        if (p->frequency.ghz > 0) table_cell(&t, "%.1f", p->memory_ns * p->frequency.ghz);
        else table_cell(&t, "not known");
        table_cell(&t, "misses of the TLB kept out");
    }
    table_end(&t);
}

static void tlb_rows(table *t, const servet_tlb *b, double page_bytes, double ghz)
{
    int i;
    for (i = 0; i < b->count && i < SERVET_TLB_LEVELS; i++) {
        const servet_tlb_level *l = &b->level[i];
        table_row(t);
        table_cell(t, "TLB %d, %s", i + 1, pages_text(page_bytes).text);
        table_cell(t, "%d", l->entries);
        table_cell(t, "[%d, %d]", l->lo_entries, l->hi_entries);
        table_cell(t, "%s", within_text(l->penalty_ns, l->lo_ns, l->hi_ns, "").text);
        if (ghz > 0) table_cell(t, "%.1f", l->penalty_ns * ghz);
        else table_cell(t, "not known");
    }
}

static void tlb_table(page *w, const servet_profile *p)
{
    table t;
    if (p->tlb.small.count < 1 && p->tlb.large.count < 1) return;
    t = table_begin(w, "stack flow", "Buffers of address translations (TLB)",
                    "TLB|entries|95 % interval|a miss costs, ns|cycles");
    tlb_rows(&t, &p->tlb.small, p->host.page_bytes, p->frequency.ghz);
    tlb_rows(&t, &p->tlb.large, p->host.huge_page_bytes, p->frequency.ghz);
    table_end(&t);
    if (p->tlb.small.walk_ns > 0)
        paragraph(w, "Where all of them miss, a walk through page tables that are near takes %.3g ns%s.",
                  p->tlb.small.walk_ns, p->tlb.small.walk_far_ns > 0 ? ", and more where they are far" : "");
    if (p->tlb.backing == SERVET_BACKING_SPLIT || p->tlb.backing == SERVET_BACKING_PART)
        paragraph(w, "Large pages are not large to the TLBs here, as the machine below splits them: %s.",
                  servet_text(SERVET_TEXT_BACKING, p->tlb.backing));
}

/* Each thing that the system says, and whether it is so. */
static void findings_table(page *w, const servet_profile *p)
{
    static servet_finding found[SERVET_FINDINGS_MAX];
    const int count = servet_profile_check(found, SERVET_FINDINGS_MAX, p);
    table t;
    int i;
    if (count < 1) return;
    paragraph(w, "What the system says comes from files of the kernel (sysfs), the C library (sysconf) and the "
                 "processor itself (CPUID). Verdicts: agree = what it says lies in the measured interval or within a "
                 "tenth; os_wrong = it is not so; os_missing = measured, but not said; shared_less = a program gets "
                 "less of it; unmeasured = not measured, or not surely enough.");
    t = table_begin(w, "stack flow", "What the system says, and what is so",
                    "of|verdict|the system says|measured|interval");
    for (i = 0; i < count; i++) {
        const servet_finding *f = &found[i];
        table_row(&t);
        table_cell(&t, "%s", finding_text(f).text);
        table_cell(&t, "%s", servet_text(SERVET_TEXT_VERDICT, f->verdict));
        table_cell(&t, "%s by %s", amount_text(f, f->said).text, servet_text(SERVET_TEXT_REPORT, f->source));
        table_cell(&t, "%s", f->measured > 0 ? amount_text(f, f->measured).text : "not measured");
        if (f->measured > 0) table_cell(&t, "%.40s to %.40s", amount_text(f, f->lo).text, amount_text(f, f->hi).text);
        else table_cell(&t, "-");
    }
    table_end(&t);
}

static void section_levels(report_page *r, const servet_profile *p)
{
    page *w = &r->body;
    int i;
    if (p->cache_count < 1 && p->tlb.small.count < 1) return;
    section_begin(r, "caches", "Caches and TLBs");
    if (p->cache_count > 0) {
        paragraph(w, "Sizes are in units of 1024. A cycle is one of the core's clock while it was measured. \"Count "
                     "on\" is how much a program should plan with: what was counted, or the sure part of what could "
                     "not be.");
        levels_table(w, p);
    }
    for (i = 0; i < p->doubtful_count && i < SERVET_LEVELS_MAX; i++)
        paragraph(w, "A doubtful step at %s (latency x%.2f) is not taken for a cache: %s.",
                  size_text(p->doubtful[i].bytes).text, p->doubtful[i].ratio,
                  servet_text(SERVET_TEXT_DOUBT, p->doubtful[i].why));
    if (p->line.line_bytes > 0) {
        page_raw(w, "<p>");
        page_say(w, "A cache line - what a miss brings - has %d bytes [%d, %d]", p->line.line_bytes, p->line.lo_bytes,
                 p->line.hi_bytes);
        page_raw(w, ".</p>\n");
    }
    tlb_table(w, p);
    findings_table(w, p);
    section_end(r);
}

/* ---- between CPUs ----------------------------------------------------------------------------- */

static const servet_layers *sorting;    /* by which report_order sorts                                 */

/* CPUs so that the members of each group are next to each other: by the outermost layer, then inward. */
static int by_layers(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    int i;
    for (i = sorting ? sorting->count - 1 : -1; i >= 0; i--)
        if (sorting->group[i][x] != sorting->group[i][y]) return sorting->group[i][x] < sorting->group[i][y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void order_by_layers(int *order, int n, const servet_layers *l)
{
    int i;
    for (i = 0; i < n; i++) order[i] = i;
    sorting = l && l->cores == n && l->count <= SERVET_PAIRS_LAYERS ? l : NULL;
    qsort(order, (size_t)n, sizeof *order, by_layers);
}

typedef struct pairs_of { const int *order; const servet_cores *cores; const servet_contention *memory; } pairs_of;

static double handoff_ns(const void *ctx, int a, int b)
{
    const pairs_of *x = (const pairs_of *)ctx;
    const int at = SERVET_PAIRS_AT(x->order[a], x->order[b]);
    return x->cores->state[at] == SERVET_CORES_CONTAMINATED && x->cores->count > 16 ? 0
           : (double)x->cores->ns[SERVET_HANDOFF_FLAGS][at];
}

/* Of few CPUs as measured; of more, of which some pairs stand for others, by the level of overhead. */
static double copied_gb(const void *ctx, int a, int b)
{
    const pairs_of *x = (const pairs_of *)ctx;
    const servet_contention *c = x->memory;
    const int at = SERVET_PAIRS_AT(x->order[a], x->order[b]), level = c->overhead[at];
    if (c->cpus <= 16) return (double)c->pair_bytes_per_s[at] * 1e-9;
    if (level >= 0 && level < c->levels && level < SERVET_CONTENTION_LEVELS) return c->level[level].bytes_per_s * 1e-9;
    return level == -1 ? c->reference_bytes_per_s * 1e-9 : 0;
}

/* Least and most that a map has to show; 0 = nothing. */
static int map_span(pair_map *m, map_value *value, const void *ctx)
{
    int a, b;
    m->lo = HUGE_VAL;
    m->hi = 0;
    for (a = 0; a < m->n; a++)
        for (b = 0; b < a; b++) {
            const double v = value(ctx, a, b);
            if (!(v > 0) || !(v < 1e30)) continue;
            m->lo = fmin(m->lo, v);
            m->hi = fmax(m->hi, v);
        }
    m->lo = fmin(m->lo, m->hi / MAP_LEAST);
    return m->hi > 0;
}

/* Numbers in the cells of up to 16 CPUs; ? where a pair is not to be believed. */
static void map_values(page *w, const pair_map *m, map_value *value, const void *ctx, const servet_cores *c,
                       const int *order)
{
    const double side = map_cell(m);
    int a, b;
    for (a = 0; a < m->n; a++)
        for (b = 0; b < m->n; b++) {
            const double v = a == b ? 0 : value(ctx, a, b);
            if (!(v > 0)) continue;
            page_put(w, "<text class=\"c%s\" style=\"font-size:%.0fpx;fill:%s\" x=\"%.1f\" y=\"%.1f\">%s%s</text>\n",
                     m->n > 8 ? " o" : "", m->n > 12 ? 9.0 : m->n > 8 ? 11.0 : 13.0,
                     map_dark(map_shade(m, v)) ? "#fff" : "#000", MAP_LEFT + (b + 0.5) * side,
                     MAP_TOP + (a + 0.5) * side + 4, digits(v).text,
                     c && c->state[SERVET_PAIRS_AT(order[a], order[b])] == SERVET_CORES_CONTAMINATED ? "?" : "");
        }
}

/* What pairs cost, for up to 64 CPUs as a table as well. */
static void cores_table(page *w, const servet_cores *c)
{
    table t;
    int a, b;
    if (c->count > 64) return;
    page_raw(w, "<details><summary>the numbers of this picture</summary>");
    t = table_begin(w, "data", "One way of a line, by pairs", "CPUs|by two flags, ns|by compare-and-swap, ns|believed");
    for (a = 0; a < c->count; a++)
        for (b = a + 1; b < c->count; b++) {
            const int at = SERVET_PAIRS_AT(a, b);
            const double ns = (double)c->ns[SERVET_HANDOFF_FLAGS][at], cas = (double)c->ns[SERVET_HANDOFF_CAS][at];
            if (!(ns > 0)) continue;
            table_row(&t);
            table_cell(&t, "%d, %d", c->cpu[a], c->cpu[b]);
            table_cell(&t, c->doubt_permille[SERVET_HANDOFF_FLAGS][at] < 65535 ? "%.1f +- %.1f" : "%.1f, open", ns,
                       ns * c->doubt_permille[SERVET_HANDOFF_FLAGS][at] / 1000);
            table_cell(&t, cas > 0 ? "%.1f" : "not known", cas);
            table_cell(&t, "%s", c->state[at] == SERVET_CORES_CONTAMINATED ? "no: disturbed" : "yes");
        }
    table_end(&t);
    page_raw(w, "</details>\n");
}

static void cores_map(page *w, const servet_profile *p)
{
    static int order[SERVET_CORES_MAX];
    const servet_cores *c = p->cores;
    pairs_of pairs;
    pair_map m;
    int i;
    memset(&m, 0, sizeof m);
    memset(&pairs, 0, sizeof pairs);
    order_by_layers(order, c->count, &p->layers);
    pairs.order = order;
    pairs.cores = c;
    m.n = c->count;
    m.unit = "ns";
    if (c->count < 3 || !map_span(&m, handoff_ns, &pairs)) return;
    map_begin(w, "One way of a cache line between two CPUs, ns",
              "A map of all pairs of CPUs; dark is near. Frames are the groups that were found.");
    map_cells(w, &m, handoff_ns, &pairs);
    for (i = 0; sorting && i < sorting->count; i++) map_frames(w, &m, sorting->group[i], order);
    map_numbers(w, &m, c->cpu, order);
    if (c->count <= 16) map_values(w, &m, handoff_ns, &pairs, c, order);
    map_end(w, &m);
    cores_table(w, c);
    page_raw(w, "</figure>\n");
}

static void layers_table(page *w, const servet_profile *p)
{
    const servet_layers *l = &p->layers;
    const servet_cores *c = p->cores;
    char line[1200];
    table t;
    int i;
    if (l->cores != c->count || c->count < 3 || l->count > SERVET_PAIRS_LAYERS) return;
    t = table_begin(w, "stack flow", "Layers of near CPUs, the innermost first",
                    "layer|ns one way|95 % interval|groups|members");
    for (i = 0; i < l->count; i++) {
        groups_line(line, sizeof line, l->group[i], c->cpu, c->count, l->layer[i].groups);
        table_row(&t);
        table_cell(&t, "layer %d", i + 1);
        table_cell(&t, "%s", digits(l->layer[i].latency_ns).text);
        table_cell(&t, "%s", times_text(l->layer[i].lo_ns, l->layer[i].hi_ns).text);
        table_cell(&t, "%d", l->layer[i].groups);
        table_cell(&t, "%s", line);
    }
    if (l->outermost_ns > 0) {
        table_row(&t);
        table_cell(&t, "%s", l->count ? "beyond them" : "all alike");
        table_cell(&t, "%s", digits(l->outermost_ns).text);
        table_cell(&t, "%s", times_text(l->lo_ns, l->hi_ns).text);
    }
    table_end(&t);
}

static void sharing_table(page *w, const servet_profile *p)
{
    const servet_sharing *x = p->sharing;
    char line[1200];
    int size[SERVET_CORES_MAX], i, k, most;
    table t;
    if (!x || x->count < 1 || x->cpus > SERVET_CORES_MAX) return;
    t = table_begin(w, "stack flow", "Who shares which cache", "level|shared by|CPUs not told");
    for (i = 0; i < x->count && i < SERVET_LEVELS_MAX; i++) {
        const servet_sharing_level *l = &x->level[i];
        memset(size, 0, sizeof size);
        for (k = 0, most = 0; k < x->cpus; k++)
            if (l->group[k] >= 0 && l->group[k] < SERVET_CORES_MAX && ++size[l->group[k]] > most)
                most = size[l->group[k]];
        groups_line(line, sizeof line, l->group, x->cpu, x->cpus, l->groups);
        table_row(&t);
        table_cell(&t, "L%d", l->level);
        if (l->status != SERVET_OK)
            table_cell(&t, "not known: %s", l->status == SERVET_EUNSUPPORTED ? "too little memory"
                       : l->status == SERVET_ESTOPPED ? "no time left" : "sharing would make no difference");
        else if (most == 0) table_cell(&t, "not known: neighbours come and go");
        else table_cell(&t, "%s", most > 1 ? line : "nobody: each CPU has its own");
        table_cell(&t, "%d of %d", l->status == SERVET_OK ? l->unknown : x->cpus, x->cpus);
    }
    table_end(&t);
}

static void cores_said(page *w, const servet_profile *p)
{
    const servet_cores *c = p->cores;
    char line[1200];
    if (c->count == 2 && c->ns[0][0] > 0)
        paragraph(w, "From one to the other it takes %.1f ns%s by two flags, and %.1f by compare-and-swap.",
                  (double)c->ns[SERVET_HANDOFF_FLAGS][0],
                  c->state[0] == SERVET_CORES_CONTAMINATED ? " (disturbed, not to be believed)" : "",
                  (double)c->ns[SERVET_HANDOFF_CAS][0]);
    paragraph(w, "%d of %d CPUs; %d of their pairs confirmed, %d disturbed and %s.", c->count, c->of, c->sound,
              c->contaminated, c->count > 16 ? "left out" : "marked ?");
    if (c->sound > 0)
        paragraph(w, "At which CPU the memory of the line is matters by %.0f %% at most in nine pairs of ten.",
                  100 * c->home_frac);
    if (p->cores_with_siblings > 0) {
        groups_line(line, sizeof line, p->smt, c->cpu, c->count, p->cores_with_siblings);
        paragraph(w, "Threads of one core: %s.", line);
    } else
        paragraph(w, p->cores_with_siblings == 0 ? "No two of them are threads of one core."
                  : "Whether two of them are threads of one core is not known.");
    if (p->layers.kinds > 1 && p->layers.cores == c->count) {
        groups_line(line, sizeof line, p->layers.kind, c->cpu, c->count, p->layers.kinds);
        paragraph(w, "CPUs of %d roles, as large and small cores are: %s.", p->layers.kinds, line);
    }
    if (c->moved)
        paragraph(w, "%d %s seen at another distance at times: virtual CPUs that their host moves?", c->moved,
                  c->moved == 1 ? "pair was" : "pairs were");
}

static void section_cores(report_page *r, const servet_profile *p)
{
    page *w = &r->body;
    const int pairs = p->cores && p->cores->count > 1;
    if (!pairs && !(p->sharing && p->sharing->count > 0 && p->sharing->cpus > 1)) return;
    section_begin(r, "cores", "Between CPUs");
    paragraph(w, "How long a cache line takes from one CPU to another, one way, and which CPUs use the same cache. "
                 "CPUs that are near exchange data quickly; CPUs that share a cache also take it from each other.");
    if (pairs) {
        cores_said(w, p);
        page_raw(w, "<div class=\"plots\">\n");
        cores_map(w, p);
        page_raw(w, "</div>\n");
        layers_table(w, p);
    }
    sharing_table(w, p);
    section_end(r);
}

/* ---- bandwidth -------------------------------------------------------------------------------- */

#define KERNEL_SAYS(NAME, word, arrays, moves, writes, adds, becomes) \
    (adds) ? #word ": sum of " #becomes : #word ": a = " #becomes,
static const char *const kernel_says[SERVET_STREAM_KERNELS] = { SERVET_STREAM_LIST(KERNEL_SAYS) };
#define KERNEL_COLUMN(NAME, word, arrays, moves, writes, adds, becomes) "|" #word

/* Kernels by working set, by so many CPUs. */
static void rates_chart(page *w, const servet_rates *b, int cpus)
{
    char title[100];
    graph *g;
    int k, s, i, line;
    snprintf(title, sizeof title, "Bandwidth of %.60s", cpus_text(cpus).text);
    g = chart_begin(title, graph_scale("working set of each CPU", 1, GRAPH_BYTES), graph_scale("GB/s, all together", 1,
                    GRAPH_PLAIN), "Bytes loaded and stored a second by kernel, against the working set.");
    for (s = 0; s < 2; s++)
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
            for (i = 0; i < b->count; i++)
                if (b->rate[i].cpus == cpus && b->rate[i].kernel == k && b->rate[i].streaming == s) break;
            if (i == b->count) continue;
            line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s%s", kernel_says[k], s ? ", past the caches" : "");
            for (i = 0; i < b->count; i++) {
                const servet_rate *x = &b->rate[i];
                if (x->cpus == cpus && x->kernel == k && x->streaming == s)
                    graph_add(g, line, x->bytes, x->bytes_per_s * 1e-9, x->lo_bytes_per_s * 1e-9,
                              x->hi_bytes_per_s * 1e-9);
            }
        }
    graph_draw(w, g);
}

static void rates_table(page *w, const servet_rates *b)
{
    const servet_rate *r, *x;
    table t;
    int k;
    t = table_begin(w, "stack flow", "GB/s by level and CPUs; within: the widest interval of a row, ? of one sample; "
                    "> where each sample was disturbed, at least that",
                    "level|CPUs|set" SERVET_STREAM_LIST(KERNEL_COLUMN) "|within");
    for (r = next_rate(b, NULL); r; r = next_rate(b, r)) {
        table_row(&t);
        table_cell(&t, "%s", r->level < 0 ? "not certain" : level_text(r->level).text);
        table_cell(&t, "%d", r->cpus);
        table_cell(&t, "%s", size_text(r->bytes).text);
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
            x = find_rate(b, r, k, 0);
            table_cell(&t, "%s", x ? rate_at_least(x).text : "-");
        }
        table_cell(&t, "%s", rates_within(b, r, 0).text);
    }
    table_end(&t);
}

static void growth_chart(page *w, const servet_rates *b)
{
    graph *g = chart_begin("Bandwidth by number of CPUs", graph_scale("CPUs at work", 1, GRAPH_COUNT),
                           graph_scale("GB/s, all together", 0, GRAPH_PLAIN),
                           "Bandwidth of memory against the number of CPUs that use it at the same time.");
    int i, k, line;
    for (i = 0; i < b->growths && i < 2; i++) {
        const servet_growth *x = &b->growth[i];
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s, %s", servet_text(SERVET_TEXT_KERNEL, x->kernel),
                          x->spread ? "CPUs of all groups in turn" : "groups filled one by one");
        for (k = 0; k < x->count && k < SERVET_GROWTH_POINTS; k++)
            graph_add(g, line, x->cpus[k], x->bytes_per_s[k] * 1e-9, x->lo_bytes_per_s[k] * 1e-9,
                      x->hi_bytes_per_s[k] * 1e-9);
    }
    graph_draw(w, g);
}

static void growth_said(page *w, const servet_rates *b)
{
    int i;
    for (i = 0; i < b->growths && i < 2; i++) {
        const servet_growth *x = &b->growth[i];
        if (x->fitted)
            paragraph(w, "With %s, %d CPUs [%d, %d] reach 95 %% of the best rate: more of them only help where they "
                      "compute, too.", x->spread ? "CPUs of all groups taken in turn" : "groups filled one by one",
                      x->fit.enough, x->fit.lo_enough, x->fit.hi_enough);
    }
}

static void loaded_chart(page *w, const servet_rates *b)
{
    graph *g = chart_begin("Latency of memory beside loads of other CPUs", graph_scale("GB/s that the others load", 0,
                           GRAPH_PLAIN), graph_scale("ns a load", 0, GRAPH_PLAIN),
                           "How long a load from memory takes while other CPUs load so many bytes a second.");
    const int line = graph_line(g, GRAPH_LINE | GRAPH_MARKS | GRAPH_AS_ADDED, "%s", "");
    int i;
    for (i = 0; i < b->loads && i < SERVET_LOADED_POINTS; i++)
        graph_add(g, line, b->loaded[i].bytes_per_s * 1e-9, b->loaded[i].latency_ns, b->loaded[i].lo_ns,
                  b->loaded[i].hi_ns);
    if (b->loads > 1) graph_draw(w, g);
}

/* Rates by number of chains: loads that do not wait for each other. */
static void chains_chart(page *w, const servet_profile *p)
{
    const servet_evidence *e = p->evidence;
    graph *g = chart_begin("Independent loads at once", graph_scale("chains of a CPU", 1, GRAPH_COUNT),
                           graph_scale("ns a load, over all chains", 1, GRAPH_PLAIN),
                           "Time of a load against the number of chains of loads that do not wait for each other.");
    int i, k, c, line, level;
    for (i = 0; e && i < e->parallel_count && i < SERVET_CHAINS_KEPT; i++) {
        const servet_parallelism *x = &e->parallel[i];
        for (c = 0, level = -1; c < p->chains_count && c < SERVET_CHAINS_KEPT; c++)
            if (p->chains[c].cpus == x->cpus && p->chains[c].bytes >= x->bytes && p->chains[c].bytes <= x->bytes)
                level = p->chains[c].level;
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s, %s",
                          level < 0 ? size_text(x->bytes).text : level_text(level).text, cpus_text(x->cpus).text);
        for (k = 0; k < x->count && k < SERVET_PARALLEL_POINTS; k++)
            graph_add(g, line, x->point[k].chains, x->point[k].ns, x->point[k].lo_ns, x->point[k].hi_ns);
    }
    graph_draw(w, g);
}

static void chains_table(page *w, const servet_profile *p)
{
    table t;
    int i;
    if (p->chains_count < 1) return;
    paragraph(w, "A core can have several loads under way at once, if they do not wait for each other: so many chains "
                 "of loads hide the latency of a level.");
    t = table_begin(w, "stack flow", "Loads under way at once",
                    "level|CPUs|loads under way|chains for 90 % of the best|GB/s in whole lines");
    for (i = 0; i < p->chains_count && i < SERVET_CHAINS_KEPT; i++) {
        const servet_chains *c = &p->chains[i];
        table_row(&t);
        table_cell(&t, "%s", c->level < 0 ? size_text(c->bytes).text : level_text(c->level).text);
        table_cell(&t, "%d", c->cpus);
        if (c->mlp.open) table_cell(&t, "at least %.1f", c->mlp.lo_mlp);
        else table_cell(&t, "%.1f %.60s", c->mlp.mlp, bracket_text(1, c->mlp.lo_mlp, c->mlp.hi_mlp).text);
        table_cell(&t, "%d [%d, %d]", c->mlp.k90, c->mlp.lo_k90, c->mlp.hi_k90);
        table_cell(&t, "%s", rate_within(c->mlp.bytes_per_s, c->mlp.lo_bytes_per_s, c->mlp.hi_bytes_per_s).text);
    }
    table_end(&t);
}

static double middle_of(const double *sample, int n)
{
    double sorted[SERVET_SAMPLES_MAX];
    if (n < 1 || n > SERVET_SAMPLES_MAX) return 0;
    memcpy(sorted, sample, (size_t)n * sizeof *sorted);
    servet_stats_sort(sorted, (size_t)n);
    return servet_stats_quantile(sorted, (size_t)n, 0.5);
}

/* Copies with both sorts of stores, by size, and where they cross. */
static void stores_chart(page *w, const servet_profile *p, const servet_streaming *s)
{
    const servet_bandwidth *e = p->evidence ? &p->evidence->streams : NULL;
    char title[120];
    graph *g;
    int i, past, line;
    snprintf(title, sizeof title, "Copies through and past the caches, %.60s", cpus_text(s->cpus).text);
    g = chart_begin(title, graph_scale("bytes that each CPU copies", 1, GRAPH_BYTES),
                    graph_scale("GB/s, all together", 1, GRAPH_PLAIN),
                    "Bandwidth of copies by size, with regular and with non-temporal stores; bars reach from the least "
                    "to the most of the samples.");
    for (past = 0; past < 2 && e; past++) {
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS,
                          past ? "non-temporal stores, past the caches" : "regular stores");
        for (i = 0; i < e->count && i < SERVET_BANDWIDTH_POINTS; i++) {
            const servet_bandwidth_point *q = &e->point[i];
            double lo = HUGE_VAL, hi = 0;
            int k;
            if (q->series != SERVET_SERIES_STORES || q->cpus != s->cpus || q->streaming != past) continue;
            for (k = 0; k < q->samples && k < SERVET_SAMPLES_MAX; k++) {
                lo = fmin(lo, q->sample_bytes_per_s[k]);
                hi = fmax(hi, q->sample_bytes_per_s[k]);
            }
            graph_add(g, line, q->bytes, middle_of(q->sample_bytes_per_s, q->samples) * 1e-9, lo * 1e-9, hi * 1e-9);
        }
    }
    if (s->bytes > 0 && !s->always)    /* an open end reaches to the edge */
        graph_mark(g, s->bytes, s->lo_bytes, s->hi_bytes > 0 ? s->hi_bytes : 1e29, 0, "%.20s",
                   size_text(s->bytes).text);
    graph_draw(w, g);
}

static void stores_said(page *w, const servet_streaming *s)
{
    page_raw(w, "<p>");
    page_say(w, "Non-temporal copies (stores that go past the caches) by %s ", cpus_text(s->cpus).text);
    if (s->always) page_raw(w, "win at every size");
    else if (!(s->bytes > 0))
        page_say(w, "were not seen to win; from %s each on they may", size_text(s->lo_bytes).text);
    else if (s->hi_bytes > 0) page_say(w, "win from %s each %s on", size_text(s->bytes).text,
                                       interval_text(s->lo_bytes, s->hi_bytes).text);
    else page_say(w, "may win from %s each on, not surely", size_text(s->bytes).text);
    page_say(w, "; %+.0f %% at the largest.", 100 * s->gain_frac);
    page_raw(w, "</p>\n");
}

static void nodes_table(page *w, const servet_profile *p)
{
    table t;
    int i;
    if (p->node_count < 1) return;
    paragraph(w, "Memory comes in nodes (NUMA), each near to some CPUs: what those of a node get from each. Rates are "
                 "medians; their samples are in the profile.");
    t = table_begin(w, "stack flow", "From the CPUs of a node to the memory of a node",
                    "CPUs of|memory of|ns a load|GB/s, one CPU loads|one CPU, triad|all CPUs load|all CPUs, triad");
    for (i = 0; i < p->node_count && i < SERVET_NODE_RATES; i++) {
        const servet_node_rate *x = &p->node[i];
        table_row(&t);
        table_cell(&t, "node %d", x->cpu_node);
        if (x->node < 0) table_cell(&t, "all in turn");
        else table_cell(&t, "node %d", x->node);
        table_cell(&t, "%s", within_text(x->latency_ns, x->lo_ns, x->hi_ns, "").text);
        table_cell(&t, "%s", rate_text(x->load_bytes_per_s).text);
        table_cell(&t, "%s", rate_text(x->triad_bytes_per_s).text);
        table_cell(&t, "%s", rate_text(x->all_load_bytes_per_s).text);
        table_cell(&t, "%s", rate_text(x->all_triad_bytes_per_s).text);
    }
    table_end(&t);
}

static void rates_charts(page *w, const servet_rates *b)
{
    int i, most = 0, least = 1 << 30;
    for (i = 0; i < b->count; i++) {
        if (b->rate[i].cpus > most) most = b->rate[i].cpus;
        if (b->rate[i].cpus < least) least = b->rate[i].cpus;
    }
    if (b->count < 1) return;
    rates_chart(w, b, least);
    if (most > least) rates_chart(w, b, most);
}

static void section_bandwidth(report_page *r, const servet_profile *p)
{
    const servet_rates *b = &p->bandwidth;
    page *w = &r->body;
    int i;
    if (b->count < 1 && p->chains_count < 1 && p->streaming_count < 1 && p->node_count < 1) return;
    section_begin(r, "bandwidth", "Bandwidth");
    paragraph(w, "How many bytes a second a program loads and stores. A GB is 10^9 bytes, counted as the program moves "
                 "them: what a regular store reads first is not in it. Kernels go through arrays of doubles (a, b, c; "
                 "s is a constant)%s%s.", b->count ? " with vectors of " : "",
              b->count ? servet_text(SERVET_TEXT_VECTOR, b->rate[0].vector) : "");
    page_raw(w, "<div class=\"plots\">\n");
    rates_charts(w, b);
    growth_chart(w, b);
    loaded_chart(w, b);
    chains_chart(w, p);
    for (i = 0; i < p->streaming_count && i < 2; i++) stores_chart(w, p, &p->streaming[i]);
    page_raw(w, "</div>\n");
    if (b->count > 0) rates_table(w, b);
    growth_said(w, b);
    for (i = 0; i < p->streaming_count && i < 2; i++) stores_said(w, &p->streaming[i]);
    chains_table(w, p);
    nodes_table(w, p);
    section_end(r);
}

/* ---- who slows whom at memory ------------------------------------------------------------------ */

/* The CPUs of a domain; NULL text where the file says nonsense. */
static words domain_text(const servet_contention *c, int domain)
{
    words none;
    none.text[0] = 0;
    if (domain < 0 || domain >= c->domains || domain >= SERVET_CONTENTION_DOMAINS || c->domain[domain].layer < 0
        || c->domain[domain].layer >= SERVET_CONTENTION_LAYERS) return none;
    return group_text(c->group[c->domain[domain].layer], c->cpu, c->cpus, c->domain[domain].group);
}

/* In whole per cent, none of them -0. */
static double percent(double frac) { return fabs(frac) < 0.005 ? 0 : 100 * frac; }

static void collisions_table(page *w, const servet_contention *c)
{
    enum { SHOWN = 40 };
    table t;
    int i;
    if (c->gammas < 1) return;
    t = table_begin(w, "stack flow", "What groups of CPUs lose to each other at memory",
                    "these|beside|lose|95 % interval|verdict");
    for (i = 0; i < c->gammas && i < SERVET_CONTENTION_GAMMAS && i < SHOWN; i++) {
        const servet_contention_gamma *g = &c->gamma[i];
        if (!domain_text(c, g->a).text[0]) continue;
        table_row(&t);
        table_cell(&t, "%s%.100s", g->b < 0 ? "all parts of " : "", domain_text(c, g->a).text);
        table_cell(&t, "%s", g->b < 0 ? "each other" : domain_text(c, g->b).text);
        table_cell(&t, "%.0f %%", percent(g->gamma));
        if (is_one_sample(g->lo, g->hi)) table_cell(&t, "one sample");
        else table_cell(&t, "[%.0f %%, %.0f %%]", percent(g->lo), percent(g->hi));
        table_cell(&t, "%s", servet_text(SERVET_TEXT_COLLIDE, g->verdict));
    }
    table_end(&t);
}

static void contention_map(page *w, const servet_profile *p)
{
    static int order[SERVET_CORES_MAX];
    const servet_contention *c = p->contention;
    const int alike = p->cores && p->cores->count == c->cpus && !memcmp(p->cores->cpu, c->cpu,
                                                                      (size_t)c->cpus * sizeof *c->cpu);
    pairs_of pairs;
    pair_map m;
    int i, known = 0;
    memset(&m, 0, sizeof m);
    memset(&pairs, 0, sizeof pairs);
    order_by_layers(order, c->cpus, alike ? &p->layers : NULL);
    pairs.order = order;
    pairs.memory = c;
    m.n = c->cpus;
    m.unit = "GB/s";
    for (i = 0; i < c->cpus * (c->cpus - 1) / 2; i++) known += c->pair_bytes_per_s[i] > 0;
    if (c->cpus < 3 || known < 2 || !map_span(&m, copied_gb, &pairs)) return;
    map_begin(w, "What one CPU copies while another does, GB/s",
              "A map of pairs of CPUs: the bandwidth that one of them keeps. Dark pairs slow each other; empty ones "
              "are not known. Of more than 16 CPUs pairs of the same groups stand for each other.");
    map_cells(w, &m, copied_gb, &pairs);
    for (i = 0; sorting && i < sorting->count; i++) map_frames(w, &m, sorting->group[i], order);
    map_numbers(w, &m, c->cpu, order);
    if (c->cpus <= 16) map_values(w, &m, copied_gb, &pairs, NULL, order);
    map_end(w, &m);
    page_raw(w, "</figure>\n");
}

static void scaling_chart(page *w, const servet_contention *c)
{
    graph *g = chart_begin("Bandwidth of memory within groups",
                           graph_scale("CPUs of the group at work", 1, GRAPH_COUNT),
                           graph_scale("GB/s, all together", 0, GRAPH_PLAIN),
                           "Bandwidth of a group of CPUs against how many of them are at work.");
    int i, k, line;
    for (i = 0; i < c->scalings && i < SERVET_CONTENTION_SCALINGS; i++) {
        const servet_contention_scaling *x = &c->scaling[i];
        if (!domain_text(c, x->domain).text[0]) continue;
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "in {%.60s}: %d [%d, %d] are enough for 95 %%",
                          domain_text(c, x->domain).text, x->enough, x->lo_enough, x->hi_enough);
        for (k = 0; k < x->count && k < SERVET_CONTENTION_COUNTS; k++)
            graph_add(g, line, x->n[k], x->bytes_per_s[k] * 1e-9, x->lo_bytes_per_s[k] * 1e-9,
                      x->hi_bytes_per_s[k] * 1e-9);
    }
    graph_draw(w, g);
}

static void section_contention(report_page *r, const servet_profile *p)
{
    const servet_contention *c = p->contention;
    page *w = &r->body;
    char line[1200];
    int i;
    if (!c || c->cpus < 2 || c->cpus > SERVET_CORES_MAX || !(c->reference_bytes_per_s > 0)) return;
    section_begin(r, "contention", "Who slows whom at memory");
    paragraph(w, "One CPU alone copies %s. What is left of that while others copy, too: CPUs that slow each other use "
                 "the same way to memory. (What is said of a pair has a standard error of %.1f %%.)",
              rate_within(c->reference_bytes_per_s, c->lo_reference_bytes_per_s, c->hi_reference_bytes_per_s).text,
              100 * c->noise_frac);
    for (i = 0; i < c->levels && i < SERVET_CONTENTION_LEVELS; i++) {
        groups_line(line, sizeof line, c->level[i].group, c->cpu, c->cpus, c->level[i].groups);
        paragraph(w, "%s each beside another of %s.", rate_within(c->level[i].bytes_per_s, c->level[i].lo_bytes_per_s,
                                                                  c->level[i].hi_bytes_per_s).text, line);
    }
    page_raw(w, "<div class=\"plots\">\n");
    contention_map(w, p);
    scaling_chart(w, c);
    page_raw(w, "</div>\n");
    collisions_table(w, c);
    section_end(r);
}

/* ---- coherence --------------------------------------------------------------------------------- */

static void costs_chart(page *w, const servet_costs *c)
{
    graph *g = chart_begin("An operation of CPUs that share a line", graph_scale("CPUs at work", 1, GRAPH_COUNT),
                           graph_scale("ns an operation of one CPU", 1, GRAPH_PLAIN),
                           "Time of an operation against the number of CPUs that do it on the same place; in brackets "
                           "how many times longer it takes by the most CPUs.");
    int k, i, line;
    for (k = 0; k < SERVET_COST_OPERATIONS; k++) {
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s (x%.60s)", servet_text(SERVET_TEXT_OPERATION, k),
                          digits_within(c->growth[k], c->lo_growth[k], c->hi_growth[k]).text);
        for (i = 0; i < c->count && i < SERVET_COST_POINTS; i++)
            graph_add(g, line, c->point[k][i].cpus, c->point[k][i].ns, c->point[k][i].lo_ns, c->point[k][i].hi_ns);
    }
    graph_draw(w, g);
}

static void section_coherence(report_page *r, const servet_profile *p)
{
    static const char *const neighbour[] = { "what neighbouring lines do to each other is not known",
                                             "neighbouring lines do not slow each other",
                                             "the two lines of a pair slow each other",
                                             "lines side by side slow each other" };
    const servet_coherence *c = p->coherence;
    page *w = &r->body;
    int i;
    if (!c || (c->blocks < 1 && c->costs.count < 1 && !c->destructive.method)) return;
    section_begin(r, "coherence", "Data that several CPUs write");
    paragraph(w, "CPUs that write to the same block of memory (a coherence block, mostly a cache line) have to take it "
                 "from each other, even where they write to different bytes of it: false sharing.");
    page_raw(w, "<ul class=\"plain\">");
    for (i = 0; i < c->blocks && i < SERVET_BLOCK_PAIRS; i++) {
        const servet_block *b = &c->block[i];
        page_raw(w, "<li>");
        page_say(w, "CPUs %d and %d: ", b->cpu[0], b->cpu[1]);
        if (b->bytes > 0) page_say(w, "a block has %.0f bytes [%.0f, %.0f]", b->bytes, b->lo_bytes, b->hi_bytes);
        else page_raw(w, b->status == SERVET_EUNSUPPORTED ? "they share what they write to, so the block is not known"
                      : "the block is not known, as it was disturbed");
        page_say(w, "; an addition takes %s in one block and %s apart.",
                 within_text(b->near_ns, b->lo_near_ns, b->hi_near_ns, "ns").text,
                 within_text(b->far_ns, b->lo_far_ns, b->hi_far_ns, "ns").text);
        page_raw(w, "</li>\n");
    }
    if (c->destructive.method) {
        page_raw(w, "<li>");
        page_say(w, "Lines that are fetched together: %s", neighbour[c->destructive.neighbour & 3]);
        if (c->destructive.bytes > 0) page_say(w, "; data of different CPUs are best %.0f bytes [%.0f, %.0f] apart",
                                               c->destructive.bytes, c->destructive.lo_bytes, c->destructive.hi_bytes);
        page_raw(w, ".</li>\n");
    }
    if (c->costs.count && c->costs.buffered)
        page_raw(w, c->costs.buffered == SERVET_BUFFERED_SHOWN
                 ? "<li>Writes to one place become one in a store buffer: that is why they cost little.</li>"
                 : "<li>Writes to one place do not become one in a store buffer.</li>");
    if (c->blocks < 1 && !c->destructive.method && !c->costs.buffered) page_raw(w, "<li>By number of CPUs:</li>");
    page_raw(w, "</ul>\n<div class=\"plots\">\n");
    costs_chart(w, &c->costs);
    page_raw(w, "</div>\n");
    section_end(r);
}

/* ---- what stays, and what more threads add ------------------------------------------------------ */

static void survival_chart(page *w, const servet_profile *p)
{
    graph *g = chart_begin("Still in caches after being left alone", graph_scale("ms left alone", 1, GRAPH_PLAIN),
                           graph_scale("% of the lines", 0, GRAPH_PLAIN),
                           "Share of the lines of a set that is still in the caches, against the time left alone.");
    int i, k, line;
    for (i = 0; i < p->survival_count && i < SERVET_SURVIVAL_SIZES; i++) {
        const servet_survival *s = &p->survival[i];
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "a set of %s", size_text(s->bytes).text);
        for (k = 0; k < s->waits && k < SERVET_SURVIVAL_WAITS; k++)
            graph_add(g, line, s->age_ns[k] * 1e-6, 100 * s->frac[k], 100 * s->lo_frac[k], 100 * s->hi_frac[k]);
    }
    graph_draw(w, g);
}

static words survived_text(double ns, const servet_survival *s)
{
    words w;
    const int last = s->waits > 0 && s->waits <= SERVET_SURVIVAL_WAITS ? s->waits - 1 : 0;
    if (ns > 0) snprintf(w.text, sizeof w.text, "%.3g", ns * 1e-6);
    else snprintf(w.text, sizeof w.text, "over %.3g", s->age_ns[last] * 1e-6);
    return w;
}

static void section_survival(report_page *r, const servet_profile *p)
{
    static const double seconds[] = { 1e-4, 1e-3, 1e-2, 5e-2 };
    page *w = &r->body;
    servet_question q;
    servet_answer a;
    table t;
    int i;
    if (p->survival_count < 1) return;
    section_begin(r, "survival", "How long data stay that are left alone");
    paragraph(w, "Others use the last level, too. Sets of several sizes were read, left alone for a while, and looked "
                 "for again: what is still in a cache then, mostly, and at the best and worst quarter of the moments.");
    page_raw(w, "<div class=\"plots\">\n");
    survival_chart(w, p);
    page_raw(w, "</div>\n");
    t = table_begin(w, "stack flow", "ms until half of the lines are gone",
                    "set|mostly|95 % interval|best quarter|worst quarter");
    for (i = 0; i < p->survival_count && i < SERVET_SURVIVAL_SIZES; i++) {
        const servet_survival *s = &p->survival[i];
        table_row(&t);
        table_cell(&t, "%s", size_text(s->bytes).text);
        table_cell(&t, "%s", survived_text(s->half_ns, s).text);
        if (is_one_sample(s->lo_half_ns, s->hi_half_ns)) table_cell(&t, "one sample");
        else if (s->hi_half_ns > 0) table_cell(&t, "[%.3g, %.3g]", s->lo_half_ns * 1e-6, s->hi_half_ns * 1e-6);
        else table_cell(&t, "[%.3g, open]", s->lo_half_ns * 1e-6);
        table_cell(&t, "%s", survived_text(s->quiet_half_ns, s).text);
        table_cell(&t, "%s", survived_text(s->busy_half_ns, s).text);
    }
    table_end(&t);
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_RESIDENT;
    page_raw(w, "<p>To count on, if used again within ");
    for (i = 0; i < (int)(sizeof seconds / sizeof *seconds); i++) {
        q.seconds = seconds[i];
        if (servet_ask(&a, p, &q) >= 0)
            page_say(w, "%s%.3g ms: %s %s", i ? "; " : "", 1e3 * seconds[i], size_text(a.value).text,
                     interval_text(a.lo, a.hi).text);
    }
    page_raw(w, ".</p>\n");
    section_end(r);
}

static void efficiency_chart(page *w, const servet_automaton *a)
{
    graph *g = chart_begin("Efficiency of more threads", graph_scale("threads", 1, GRAPH_COUNT),
                           graph_scale("% of perfect scaling", 0, GRAPH_PLAIN),
                           "Efficiency of each variation of a cellular automaton against the number of threads.");
    int v, k, line;
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++) {
        for (k = 0; k < a->points && a->point[k].best.variation != v; k++) { }
        if (k == a->points) continue;
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s", servet_text(SERVET_TEXT_VARIATION, v));
        for (k = 0; k < a->points && k < SERVET_AUTOMATON_POINTS; k++) {
            const servet_automaton_point *q = &a->point[k];
            const int several = q->best.workers > 1;    /* of one it is 100 % by definition */
            if (q->best.variation == v)
                graph_add(g, line, q->best.workers, 100 * q->efficiency, several ? 100 * q->lo_efficiency : 0,
                          several ? 100 * q->hi_efficiency : 0);
        }
    }
    graph_draw(w, g);
}

/* By one thread there is only how fast it is. */
static void automaton_alone(page *w, const servet_automaton *a)
{
    table t = table_begin(w, "data", "Each variation by one thread; the best of its trials",
                          "variation|million cells a second");
    int k;
    for (k = 0; k < a->points && k < SERVET_AUTOMATON_POINTS; k++) {
        table_row(&t);
        table_cell(&t, "%s", servet_text(SERVET_TEXT_VARIATION, a->point[k].best.variation));
        table_cell(&t, "%.0f", a->point[k].net_act_per_s * 1e-6);
    }
    table_end(&t);
}

static void automaton_table(page *w, const servet_automaton *a)
{
    table t = table_begin(w, "stack flow", "Each variation by its most threads",
                          "variation|threads|speedup|efficiency|serial fraction|million cells a second");
    int k;
    for (k = 0; k < a->points && k < SERVET_AUTOMATON_POINTS; k++) {
        const servet_automaton_point *q = &a->point[k];
        if (k + 1 < a->points && k + 1 < SERVET_AUTOMATON_POINTS && a->point[k + 1].best.variation == q->best.variation)
            continue;
        table_row(&t);
        table_cell(&t, "%s", servet_text(SERVET_TEXT_VARIATION, q->best.variation));
        table_cell(&t, "%d", q->best.workers);
        table_cell(&t, "%.2f %.60s", q->speedup, bracket_text(2, q->lo_speedup, q->hi_speedup).text);
        table_cell(&t, "%.1f %% %.60s", 100 * q->efficiency,
                   bracket_text(1, 100 * q->lo_efficiency, 100 * q->hi_efficiency).text);
        table_cell(&t, "%.4f %.60s", q->serial_frac, bracket_text(4, q->lo_serial_frac, q->hi_serial_frac).text);
        table_cell(&t, "%.0f", q->net_act_per_s * 1e-6);
    }
    table_end(&t);
}

static void section_automaton(report_page *r, const servet_profile *p)
{
    const servet_automaton *a = p->automaton;
    page *w = &r->body;
    if (!a || a->points < 1) return;
    section_begin(r, "automaton", "Does adding threads pay?");
    paragraph(w, "A cellular automaton, %d x %d cells a thread; were nothing in the way, any number of threads would "
                 "take the time of one. Efficiency is the share of that which is left; the serial fraction is the part "
                 "that did not get faster (Karp and Flatt). Each variation changes one thing against the base, so that "
                 "what it loses tells what is in the way.", a->rows, a->columns);
    paragraph(w, "One thread's speed hangs on: %s.", servet_text(SERVET_TEXT_LIMIT, a->bound));
    if (a->workers > 1)
        paragraph(w, "More threads run into: %s; by all of them %.1f %% %s of the time are lost.",
                  servet_text(SERVET_TEXT_LIMIT, a->limit), 100 * a->lost_frac,
                  bracket_text(1, 100 * a->lo_lost_frac, 100 * a->hi_lost_frac).text);
    if (a->workers < 2) automaton_alone(w, a);
    else {
        page_raw(w, "<div class=\"plots\">\n");
        efficiency_chart(w, a);
        page_raw(w, "</div>\n");
        automaton_table(w, a);
    }
    section_end(r);
}

/* ---- between ranks of MPI ----------------------------------------------------------------------- */

static void reaches_table(page *w, const servet_network *n)
{
    char columns[300];
    table t;
    int i;
    if (n->layer_count == 0 && n->layer[0].pairs < 1) return;
    snprintf(columns, sizeof columns,
             "layer|us of %.30s|us of %.30s|MB/s, messages of %.30s|slower while all are under way|groups",
             size_text(n->small_bytes).text, size_text(n->trip_bytes).text, size_text(n->stream_bytes).text);
    t = table_begin(w, "stack flow", "Layers of near ranks, the innermost first", columns);
    for (i = 0; i <= n->layer_count && i <= SERVET_NETWORK_LAYERS; i++) {
        const servet_network_layer *l = &n->layer[i];
        if (l->pairs < 1) continue;
        table_row(&t);
        table_cell(&t, "%s", reach_text(n, i).text);
        table_cell(&t, "%s", us_within(l->small_ns, l->small_lo_ns, l->small_hi_ns).text);
        table_cell(&t, "%s", us_within(l->trip_ns, l->trip_lo_ns, l->trip_hi_ns).text);
        table_cell(&t, "%s", mb_within(l->bytes_per_s, l->lo_bytes_per_s, l->hi_bytes_per_s).text);
        if (l->crowded_frac > 0) table_cell(&t, "x%.2f", l->crowded_frac);
        else table_cell(&t, "not known");
        if (i == n->layer_count) table_cell(&t, "none");
        else table_cell(&t, "%d%s", l->groups, n->hosts < 2 ? "" : l->in_hosts > 0 ? ", within hosts" : l->in_hosts == 0
                        ? ", of whole hosts" : ", across hosts: names and distances disagree");
    }
    table_end(&t);
    if (n->layer_count == 0)
        paragraph(w, n->distance_like ? "Ranks are nearer and farther without groups."
                  : "No ranks are nearer to each other than to others.");
}

enum { NETWORK_CELLS = 64 };    /* ranks of which pairs are drawn as cells; of more as dots       */

static const servet_network *ranking;

static int by_network(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    int i;
    for (i = ranking->layer_count - 1; i >= 0; i--)
        if (ranking->group[i][x] != ranking->group[i][y])
            return ranking->group[i][x] < ranking->group[i][y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Of a layer and of a pair: us of trips, or MB/s of streams. */
static double layer_cost(const servet_network *n, int layer, int rates)
{
    return rates ? n->layer[layer].bytes_per_s * 1e-6 : n->layer[layer].trip_ns * 1e-3;
}

static double pair_cost(const servet_network *n, const servet_network_pair *q, int rates)
{
    const double ns = (double)(rates ? q->stream.median_ns : q->trip.median_ns);
    return !(ns > 0) ? 0 : rates ? n->stream_bytes / ns * 1e3 : ns * 1e-3;
}

static void network_square(page *w, const pair_map *m, int from, int to, double v)
{
    const double side = map_cell(m), wide = (to - from) * side;
    int rgb[3];
    if (!(v > 0)) return;
    map_colour(map_shade(m, v), rgb);
    page_put(w, "<path fill=\"#%02x%02x%02x\" d=\"M%.2f %.2fh%.2fv%.2fh-%.2fz\"/>\n", (unsigned)rgb[0],
             (unsigned)rgb[1], (unsigned)rgb[2], MAP_LEFT + from * side, MAP_TOP + from * side, wide, wide, wide);
}

/* Squares of groups, the outermost first, each over those around it. */
static void network_groups(page *w, const pair_map *m, const servet_network *n, const int *order, int rates)
{
    int layer, i, from;
    network_square(w, m, 0, m->n, layer_cost(n, n->layer_count, rates));
    for (layer = n->layer_count - 1; layer >= 0; layer--)
        for (i = 1, from = 0; i <= m->n; i++) {
            const int16_t *group = n->group[layer];
            if (i < m->n && group[order[i]] == group[order[from]] && group[order[i]] >= 0) continue;
            if (i - from > 1) network_square(w, m, from, i, layer_cost(n, layer, rates));
            from = i;
        }
}

/* Measured pairs as dots above the diagonal; of few ranks whole cells on both sides. */
static void network_dots(page *w, const pair_map *m, const servet_network *n, const int *place, int rates)
{
    const double side = map_cell(m), dot = fmax(side, n->pair_count > 3000 ? 2 : 3);
    int shade, i, some, rgb[3];
    for (shade = 0; shade < MAP_SHADES; shade++) {
        map_colour(shade, rgb);
        for (i = 0, some = 0; i < n->pair_count && i < SERVET_NETWORK_PAIRS; i++) {
            const servet_network_pair *q = &n->pair[i];
            const double v = pair_cost(n, q, rates);
            int a, b;
            if (!(v > 0) || map_shade(m, v) != shade || q->a < 0 || q->a >= m->n || q->b < 0 || q->b >= m->n) continue;
            a = place[q->a] < place[q->b] ? place[q->a] : place[q->b];
            b = place[q->a] < place[q->b] ? place[q->b] : place[q->a];
            if (!some++) page_put(w, "<path fill=\"#%02x%02x%02x\" d=\"", (unsigned)rgb[0], (unsigned)rgb[1],
                                  (unsigned)rgb[2]);
            page_put(w, "M%.1f %.1fh%.1fv%.1fh-%.1fz", MAP_LEFT + (b + 0.5) * side - dot / 2,
                     MAP_TOP + (a + 0.5) * side - dot / 2, dot, dot, dot);
            if (m->n <= NETWORK_CELLS)
                page_put(w, "M%.1f %.1fh%.1fv%.1fh-%.1fz", MAP_LEFT + a * side, MAP_TOP + b * side, dot, dot, dot);
        }
        if (some) page_raw(w, "\"/>\n");
    }
}

static int network_span(pair_map *m, const servet_network *n, int rates)
{
    int i;
    m->lo = HUGE_VAL;
    m->hi = 0;
    for (i = 0; i <= n->layer_count + n->pair_count; i++) {
        const double v = i <= n->layer_count ? layer_cost(n, i, rates)
                         : pair_cost(n, &n->pair[i - n->layer_count - 1], rates);
        if (!(v > 0) || !(v < 1e30)) continue;
        m->lo = fmin(m->lo, v);
        m->hi = fmax(m->hi, v);
    }
    m->lo = fmin(m->lo, m->hi / MAP_LEAST);
    return m->hi > 0;
}

/* The pairs that were measured, if they are not too many to read. */
static void network_table(page *w, const servet_network *n)
{
    enum { READABLE = 500 };
    table t;
    int i;
    if (n->pair_count < 1 || n->pair_count > READABLE) return;
    page_raw(w, "<details><summary>the numbers of both pictures</summary>");
    t = table_begin(w, "data", "Pairs of ranks", "ranks|us one way|95 % interval|MB/s|95 % interval");
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *q = &n->pair[i];
        table_row(&t);
        table_cell(&t, "%d, %d", q->a, q->b);
        table_cell(&t, "%s", us_text((double)q->trip.median_ns).text);
        if (is_one_sample((double)q->trip.lo_ns, (double)q->trip.hi_ns)) table_cell(&t, "one sample");
        else table_cell(&t, "[%s, %s]", us_text((double)q->trip.lo_ns).text, us_text((double)q->trip.hi_ns).text);
        table_cell(&t, "%s", digits(pair_cost(n, q, 1)).text);
        if (is_one_sample((double)q->stream.lo_ns, (double)q->stream.hi_ns)) table_cell(&t, "one sample");
        else if (q->stream.lo_ns > 0 && q->stream.hi_ns > 0)
            table_cell(&t, "[%s, %s]", digits(n->stream_bytes * 1e3 / (double)q->stream.hi_ns).text,
                       digits(n->stream_bytes * 1e3 / (double)q->stream.lo_ns).text);
    }
    table_end(&t);
    page_raw(w, "</details>\n");
}

static void network_map(page *w, const servet_network *n, int rates)
{
    static int order[SERVET_NETWORK_RANKS], place[SERVET_NETWORK_RANKS], number[SERVET_NETWORK_RANKS];
    char title[160];
    pair_map m;
    int i;
    memset(&m, 0, sizeof m);
    m.n = n->ranks;
    m.unit = rates ? "MB/s" : "us";
    m.high_is_near = rates;
    if (n->ranks < 3 || !network_span(&m, n, rates)) return;
    for (i = 0; i < m.n; i++) order[i] = number[i] = i;
    ranking = n;
    qsort(order, (size_t)m.n, sizeof *order, by_network);
    for (i = 0; i < m.n; i++) place[order[i]] = i;
    snprintf(title, sizeof title,
             rates ? "Bandwidth between ranks, messages of %.40s" : "Messages of %.40s between ranks",
             size_text(rates ? n->stream_bytes : n->trip_bytes).text);
    map_begin(w, title, m.n > NETWORK_CELLS
              ? "A map of ranks, members of a group next to each other: squares are the groups that were found, dots "
                "above the diagonal the pairs that were measured. Dark is near."
              : "A map of all pairs of ranks, members of a group next to each other. Dark is near.");
    network_groups(w, &m, n, order, rates);
    network_dots(w, &m, n, place, rates);
    map_numbers(w, &m, number, order);
    map_end(w, &m);
    if (!rates) network_table(w, n);
    page_raw(w, "</figure>\n");
}

/* Messages of a size: half a round trip in us, or the rate of a stream; a line a layer. */
static void sizes_chart(page *w, const servet_network *n, int rates)
{
    graph *g = chart_begin(rates ? "Bandwidth by size of message" : "Time by size of message",
                           graph_scale("size of a message", 1, GRAPH_BYTES),
                           graph_scale(rates ? "MB/s, one way" : "us, one way", 1, GRAPH_PLAIN),
                           "Messages of the typical pair of each layer against their size.");
    int layer, i, line;
    for (layer = 0; layer <= n->layer_count && layer <= SERVET_NETWORK_LAYERS; layer++) {
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s", reach_text(n, layer).text);
        for (i = 0; i < n->size_count && i < SERVET_NETWORK_SIZES; i++) {
            const servet_network_size *s = &n->size[i];
            const servet_message *x = rates ? &s->stream : &s->trip;
            if (s->layer != layer || x->samples < 1 || !(x->median_ns > 0) || !(x->lo_ns > 0)) continue;
            if (rates) graph_add(g, line, s->bytes, s->bytes / x->median_ns * 1e3, s->bytes / x->hi_ns * 1e3,
                                 s->bytes / x->lo_ns * 1e3);
            else graph_add(g, line, s->bytes, x->median_ns * 1e-3, x->lo_ns * 1e-3, x->hi_ns * 1e-3);
        }
    }
    graph_draw(w, g);
}

static void protocols_said(page *w, const servet_network *n)
{
    int i;
    if (n->threshold_count < 1) return;
    page_raw(w, "<p>Where the time of a message jumps, the library takes another protocol:</p>\n<ul class=\"plain\">");
    for (i = 0; i < n->threshold_count && i < SERVET_NETWORK_THRESHOLDS; i++) {
        const servet_network_threshold *x = &n->threshold[i];
        page_raw(w, "<li>");
        page_say(w, "%s: from %.0f bytes", reach_text(n, x->layer).text, x->bytes);
        if (x->hi_bytes > x->lo_bytes) page_say(w, " [%.0f, %.0f]", x->lo_bytes, x->hi_bytes);
        page_say(w, " on, %s us before and %s after", us_text(x->before_ns).text, us_text(x->after_ns).text);
        page_raw(w, "</li>\n");
    }
    page_raw(w, "</ul>\n");
}

/* Messages at once, of a kind and of the largest size: a line a layer. */
static void loads_chart(page *w, const servet_network *n, int kind, const char *title)
{
    graph *g = chart_begin(title, graph_scale("messages at once", 1, GRAPH_COUNT),
                           graph_scale("us until the last is there", 1, GRAPH_PLAIN),
                           "Time until the last of several messages is there, against how many are under way at once.");
    double most = 0;
    int layer, i, line;
    for (i = 0; i < n->load_count; i++) if (n->load[i].kind == kind) most = fmax(most, n->load[i].bytes);
    for (layer = 0; layer <= n->layer_count && layer <= SERVET_NETWORK_LAYERS; layer++) {
        line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s, %.40s", reach_text(n, layer).text, size_text(most).text);
        for (i = 0; i < n->load_count && i < SERVET_NETWORK_LOADS; i++) {
            const servet_network_load *l = &n->load[i];
            if (l->layer == layer && l->kind == kind && l->bytes >= most)
                graph_add(g, line, l->at_once, l->last.median_ns * 1e-3, l->last.lo_ns * 1e-3, l->last.hi_ns * 1e-3);
        }
    }
    graph_draw(w, g);
}

static void ratios_chart(page *w, const char *title, const char *x, const char *about, const servet_network_ratio *q,
                         int count)
{
    graph *g = chart_begin(title, graph_scale(x, count > 40, GRAPH_COUNT), graph_scale("times slower", 0, GRAPH_PLAIN),
                           about);
    const int line = graph_line(g, GRAPH_LINE | GRAPH_MARKS, "%s", "");
    int i;
    for (i = 0; i < count; i++) {
        const int within = q[i].lo_ratio < q[i].hi_ratio;    /* else what the others are told against */
        graph_add(g, line, q[i].which, q[i].ratio, within ? q[i].lo_ratio : 0, within ? q[i].hi_ratio : 0);
    }
    graph_draw(w, g);
}

static void section_network(report_page *r, const servet_profile *p)
{
    static const char *const at_once[] = { "Messages at once, each pair with ends of its own",
                                          "Messages at once from one rank", "Messages at once to one rank" };
    const servet_network *n = p->network;
    page *w = &r->body;
    int i;
    if (!n || n->ranks < 1 || n->layer_count < 0 || n->layer_count > SERVET_NETWORK_LAYERS) return;
    section_begin(r, "network", "Between ranks of MPI");
    page_raw(w, "<p>");
    page_say(w, "%d ranks on %d host%s", n->ranks, n->hosts, n->hosts == 1 ? "" : "s");
    if (n->library[0]) page_say(w, " (%s)", n->library);
    page_say(w, "; %.3g s, %d rounds of messages. An MB is 10^6 bytes; times are of one way.", n->seconds, n->rounds);
    if (n->crowded) page_say(w, " %d of them have no CPU of their own: times are those of waiting, too.", n->crowded);
    page_raw(w, "</p>\n");
    reaches_table(w, n);
    page_raw(w, "<div class=\"plots\">\n");
    network_map(w, n, 0);
    network_map(w, n, 1);
    sizes_chart(w, n, 0);
    sizes_chart(w, n, 1);
    for (i = SERVET_LOAD_APART; i <= SERVET_LOAD_TO_ONE; i++) loads_chart(w, n, i, at_once[i]);
    ratios_chart(w, "ratDist: all nodes send so far at once", "distance of nodes",
                 "How much slower messages are while each node's process sends to the one so many nodes on, against "
                 "the next.", n->dist, n->dist_count);
    ratios_chart(w, "ratNC: more processes of a node send at once", "processes of a node",
                 "How much slower messages are by the number of processes of a node that send.", n->access,
                 n->access_count);
    page_raw(w, "</div>\n");
    protocols_said(w, n);
    section_end(r);
}

/* ---- the topology as drawn ------------------------------------------------------------------------ */

/* Boxes in boxes: partitions of the CPUs, from what joins most of them to what joins few. */
enum { BOX_CPUS = SERVET_CORES_MAX, BOX_PARTS = 24, BOX_MOST = 4 * BOX_CPUS, BOX_LABELS = 8, BOX_FOLD = 16 };
#define BOX_WIDE   330          /* of the picture                                                     */
#define BOX_PAD      5          /* between boxes                                                      */
#define BOX_TEXT    13          /* a line of a name                                                   */
#define BOX_LETTER   6.2        /* width, as wide as they come in common fonts                        */
#define BOX_LEAST   88          /* of a box with a name, beside others                                */
#define BOX_SHIFT    3          /* of each of the two sheets that lie below one that stands for many   */

/* What a partition is of; of those that are alike the first is named first. */
enum { BOX_NODE, BOX_WAY, BOX_PACKAGE, BOX_CORE, BOX_CACHE, BOX_LAYER };

typedef struct box_part {
    char    name[80];
    int     kind, level, groups;
    double  each;               /* CPUs of a group, in the mean                                      */
    int16_t group[BOX_CPUS];    /* by place; -1 = none                                               */
} box_part;

typedef struct box {
    int    first, next;         /* the first inside, the next beside; -1 = none                      */
    int    cpu;                 /* of a CPU alone; else -1                                           */
    int    labels, label[BOX_LABELS];           /* which partitions                                  */
    int    members, times;      /* CPUs; how many such boxes this one stands for                     */
    int    lines;               /* of its name                                                       */
    char   list[64];            /* its CPUs                                                          */
    double x, y, wide, high;
} box;

typedef struct drawing {
    int      cpus, cpu[BOX_CPUS];
    int      parts, boxes;
    char     whole[80];         /* the name of the machine                                           */
    box_part part[BOX_PARTS];
    box      at[BOX_MOST];
} drawing;

static box_part *drawing_part(drawing *d, int kind, const int16_t *group, int n)
{
    box_part *q = &d->part[d->parts];
    int i, members = 0;
    if (d->parts == BOX_PARTS || n != d->cpus) return NULL;
    memset(q, 0, sizeof *q);
    for (i = 0; i < n; i++) {
        q->group[i] = (int16_t)(group[i] >= 0 && group[i] < BOX_CPUS ? group[i] : -1);
        members += q->group[i] >= 0;
        if (q->group[i] >= q->groups) q->groups = q->group[i] + 1;
    }
    if (members == 0) return NULL;
    q->kind = kind;
    q->each = (double)members / q->groups;
    d->parts++;
    return q;
}

static void drawing_level(drawing *d, const servet_profile *p, int level, const int16_t *group, int n)
{
    box_part *q = drawing_part(d, BOX_CACHE, group, n);
    /* where cores are of several kinds, sizes are those of one of them */
    const double bytes = level >= 1 && level <= p->cache_count && p->layers.kinds < 2 ? p->cache[level - 1].bytes : 0;
    if (!q) return;
    q->level = level;
    snprintf(q->name, sizeof q->name, bytes > 0 ? "L%d %.40s" : "L%d", level, size_text(bytes).text);
}

/* Are CPUs of one group of a in one of b, and the other way round? */
static int parts_alike(const int16_t *a, const int16_t *b, int n)
{
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++)
            if ((a[i] >= 0 && a[i] == a[k]) != (b[i] >= 0 && b[i] == b[k])) return 0;
    return 1;
}

/* Has a group of a several groups of b? */
static int part_holds(const int16_t *a, const int16_t *b, int n)
{
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++) if (a[i] >= 0 && a[i] == a[k] && b[i] >= 0 && b[k] >= 0 && b[i] != b[k]) return 1;
    return 0;
}

/* Are all CPUs in groups of one size? */
static int groups_equal(const int16_t *group, int n)
{
    int has[BOX_CPUS], i, size = 0;
    memset(has, 0, sizeof has);
    for (i = 0; i < n; i++) if (group[i] >= 0 && group[i] < BOX_CPUS) has[group[i]]++;
    for (i = 0; i < n; i++) {
        if (group[i] < 0 || group[i] >= BOX_CPUS || (size && has[group[i]] != size)) return 0;
        size = has[group[i]];
    }
    return size < n;
}

/* Groups of a layer that are new in it: those of the one before may appear again.  Where all are of one size, and have
 * several caches of the last level each, or a way to memory or a node of their own, they are packages or dies. */
static void drawing_layer(drawing *d, const servet_layers *l, int layer, int levels)
{
    int16_t group[BOX_CPUS];
    const box_part *cache = NULL;
    box_part *q;
    int i, k, same, package = 0;
    for (i = 0; i < d->cpus; i++) {
        for (k = 0, same = layer > 0; k < d->cpus && same; k++)
            same = (l->group[layer][k] == l->group[layer][i]) == (l->group[layer - 1][k] == l->group[layer - 1][i]);
        group[i] = (int16_t)(same ? -1 : l->group[layer][i]);
    }
    for (i = 0; i < d->parts; i++) {
        if (d->part[i].kind == BOX_CACHE && (!cache || d->part[i].level > cache->level)) cache = &d->part[i];
        package |= d->part[i].kind <= BOX_WAY && parts_alike(d->part[i].group, l->group[layer], d->cpus);
    }
    package |= cache && cache->level == levels && cache->each > 1 && part_holds(group, cache->group, d->cpus);
    package &= groups_equal(l->group[layer], d->cpus);
    q = drawing_part(d, package ? BOX_PACKAGE : BOX_LAYER, group, d->cpus);
    if (q) snprintf(q->name, sizeof q->name, "%.20s ns apart", digits(l->layer[layer].latency_ns).text);
}

/* Where layers of both are there, packages have dies in them. */
static void drawing_packages(drawing *d)
{
    char apart[sizeof d->part->name];
    int i, n = 0, at = 0;
    for (i = 0; i < d->parts; i++) n += d->part[i].kind == BOX_PACKAGE;
    for (i = 0; i < d->parts; i++) {
        box_part *q = &d->part[i];
        if (q->kind != BOX_PACKAGE) continue;
        strcpy(apart, q->name);
        snprintf(q->name, sizeof q->name, "%s, %.40s", n < 2 ? "package or die" : at++ ? "die" : "package", apart);
    }
}

/* CPUs that use one way to memory: parts of a domain that slow each other. */
static void drawing_memory(drawing *d, const servet_contention *c)
{
    int16_t group[BOX_CPUS];
    box_part *q;
    int i, k, at, some = 0;
    for (k = 0; k < c->cpus; k++) group[k] = -1;
    for (i = 0; i < c->gammas && i < SERVET_CONTENTION_GAMMAS; i++) {
        const servet_contention_gamma *g = &c->gamma[i];
        if (g->verdict != SERVET_COLLIDE_YES || !domain_text(c, g->a).text[0]) continue;
        at = g->b < 0 ? g->a : c->domain[g->a].parent;
        if (!domain_text(c, at).text[0]) continue;
        for (k = 0; k < c->cpus; k++)
            if (group[k] < 0 && c->group[c->domain[at].layer][k] == c->domain[at].group) group[k] = (int16_t)some;
        some++;
    }
    q = drawing_part(d, BOX_WAY, group, c->cpus);
    if (q) strcpy(q->name, "one way to memory");
}

/* How many nodes have CPUs, and how many these are; 0 where the profile does not say. */
static int nodes_sizes(int *size, const servet_profile *p)
{
    int id[SERVET_NODE_RATES], i, k, n = 0;
    for (i = 0; i < p->node_count && i < SERVET_NODE_RATES; i++) {
        for (k = 0; k < n && id[k] != p->node[i].cpu_node; k++) { }
        if (k < n || p->node[i].cpus < 1) continue;
        id[n] = p->node[i].cpu_node;
        size[n++] = p->node[i].cpus;
    }
    return n;
}

static int sizes_match(const int16_t *group, int cpus, const int *size, int n)
{
    int has[SERVET_NODE_RATES], taken[SERVET_NODE_RATES], i, k;
    memset(has, 0, sizeof has);
    memset(taken, 0, sizeof taken);
    for (i = 0; i < cpus; i++) {
        if (group[i] < 0 || group[i] >= n) return 0;
        has[group[i]]++;
    }
    for (i = 0; i < n; i++) {
        for (k = 0; k < n && (taken[k] || has[k] != size[i]); k++) { }
        if (k == n) return 0;
        taken[k] = 1;
    }
    return 1;
}

/* Nodes of memory: a profile has what their CPUs get, and among the groups of contention those CPUs. */
static void drawing_nodes(drawing *d, const servet_profile *p, const servet_contention *c)
{
    int size[SERVET_NODE_RATES], n = nodes_sizes(size, p), l, i;
    double lo = HUGE_VAL, hi = 0, rate_lo = HUGE_VAL, rate_hi = 0;
    box_part *q;
    for (l = c->given <= SERVET_PAIRS_LAYERS ? c->given - 1 : -1; l >= 0; l--)
        if (sizes_match(c->given_group[l], c->cpus, size, n)) break;
    if (n < 2 || l < 0 || !(q = drawing_part(d, BOX_NODE, c->given_group[l], c->cpus))) return;
    for (i = 0; i < p->node_count && i < SERVET_NODE_RATES; i++) {
        const servet_node_rate *x = &p->node[i];
        if (x->node != x->cpu_node || !(x->latency_ns > 0)) continue;
        lo = fmin(lo, x->latency_ns);
        hi = fmax(hi, x->latency_ns);
        rate_lo = fmin(rate_lo, x->all_load_bytes_per_s);
        rate_hi = fmax(rate_hi, x->all_load_bytes_per_s);
    }
    strcpy(q->name, "memory node");
    if (hi > 1.1 * lo)
        snprintf(q->name, sizeof q->name, "memory node, %.12s to %.12s ns", digits(lo).text, digits(hi).text);
    else if (hi > 0) snprintf(q->name, sizeof q->name, "memory node, %.12s ns", digits((lo + hi) / 2).text);
    if (hi > 0 && rate_lo > 0 && rate_hi < 1.1 * rate_lo)
        snprintf(q->name + strlen(q->name), sizeof q->name - strlen(q->name), ", %.12s GB/s",
                 rate_text((rate_lo + rate_hi) / 2).text);
}

/* Is a before b: of larger groups, or in the order of what they are? */
static int larger_part(const box_part *a, const box_part *b)
{
    if (a->each > b->each || a->each < b->each) return a->each > b->each ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* What is known; 0 where it makes no picture. */
static int drawing_of(drawing *d, const servet_profile *p)
{
    const int16_t alone[1] = { 0 };
    const servet_contention *c = p->contention;
    int i, k;
    memset(d, 0, sizeof *d);
    if (p->cores && p->cores->count > 1) {
        d->cpus = p->cores->count;
        memcpy(d->cpu, p->cores->cpu, (size_t)d->cpus * sizeof *d->cpu);
    } else if (p->sharing && p->sharing->cpus > 1 && p->sharing->cpus <= BOX_CPUS) {
        d->cpus = p->sharing->cpus;
        memcpy(d->cpu, p->sharing->cpu, (size_t)d->cpus * sizeof *d->cpu);
    } else if (p->host.cpu_count == 1 && p->cache_count > 0) {
        d->cpus = 1;
        d->cpu[0] = p->made.cpu;
        for (i = p->cache_count; i > 0; i--) drawing_level(d, p, i, alone, 1);
        return 1;
    } else return 0;
    if (c && c->cpus == d->cpus && !memcmp(c->cpu, d->cpu, (size_t)d->cpus * sizeof *d->cpu)) {
        drawing_nodes(d, p, c);
        drawing_memory(d, c);
    }
    for (i = p->sharing ? p->sharing->count - 1 : -1; i >= 0; i--)
        if (p->sharing->level[i].status == SERVET_OK)
            drawing_level(d, p, p->sharing->level[i].level, p->sharing->level[i].group, p->sharing->cpus);
    for (i = p->layers.count - 1; i >= 0 && i < SERVET_PAIRS_LAYERS && p->layers.cores == d->cpus; i--)
        drawing_layer(d, &p->layers, i, p->cache_count);
    drawing_packages(d);
    if (p->cores && p->cores->count == d->cpus && p->cores_with_siblings > 0) {
        box_part *q = drawing_part(d, BOX_CORE, p->smt, d->cpus);
        if (q) strcpy(q->name, "core");
    }
    for (i = 1; i < d->parts; i++)    /* few, and those that are alike stay in this order */
        for (k = i; k > 0 && larger_part(&d->part[k - 1], &d->part[k]) > 0; k--) {
            const box_part x = d->part[k];
            d->part[k] = d->part[k - 1];
            d->part[k - 1] = x;
        }
    return d->parts > 0;
}

/* How many of the whole machine, and of these, are in a group. */
static int group_has(const drawing *d, int part, int group, const int *member, int n)
{
    int i, count = 0;
    for (i = 0; i < n; i++) count += d->part[part].group[member ? member[i] : i] == group;
    return count;
}

/* The group of a member in a partition, if all of it is among these; else -1. */
static int whole_group(const drawing *d, int part, const int *member, int n, int which)
{
    const int g = d->part[part].group[member[which]];
    return g >= 0 && group_has(d, part, g, member, n) == group_has(d, part, g, NULL, d->cpus) ? g : -1;
}

static int box_new(drawing *d, const int *member, int n)
{
    static servet_cpus cpus;
    box *b = &d->at[d->boxes];
    char list[4096];
    int i;
    memset(b, 0, sizeof *b);
    memset(&cpus, 0, sizeof cpus);
    b->first = b->next = b->cpu = -1;
    b->times = 1;
    b->members = n;
    for (i = 0; i < n; i++) servet_cpus_add(&cpus, d->cpu[member[i]]);
    if (servet_cpus_write(&cpus, list, sizeof list) < 0) list[0] = 0;
    if (strlen(list) > 36) strcpy(list + 33, "...");
    snprintf(b->list, sizeof b->list, "%.60s", list);
    return d->boxes++;
}

/* One more of its names, those of larger things first. */
static void box_label(drawing *d, int which, int part)
{
    box *b = &d->at[which];
    int i;
    if (b->labels == BOX_LABELS) return;
    for (i = b->labels++; i > 0 && d->part[b->label[i - 1]].kind > d->part[part].kind; i--)
        b->label[i] = b->label[i - 1];
    b->label[i] = part;
}

/* A box around these, with what all of them have in common as its names, and boxes of their groups inside.  There are
 * fewer than three times as many boxes as CPUs: each of several CPUs has two inside or more. */
static int box_around(drawing *d, int *member, int n, int part)
{
    static int16_t done[BOX_CPUS];
    const int self = box_new(d, member, n);
    int i, last = -1, sub;
    for (; part < d->parts; part++) {
        int g = whole_group(d, part, member, n, 0), all = g >= 0 && group_has(d, part, g, member, n) == n, some = 0;
        if (all) box_label(d, self, part);
        if (all) continue;
        for (i = 0; i < n; i++) some |= whole_group(d, part, member, n, i) >= 0;
        if (some && n > 1) break;
    }
    if (n == 1 && d->at[self].labels == 0) {
        d->at[self].cpu = d->cpu[member[0]];
        return self;
    }
    while (n > 0) {    /* the first member's group, or it alone, then what is left */
        const int g = part < d->parts ? whole_group(d, part, member, n, 0) : -1;
        int taken[BOX_CPUS], count = 0, rest = 0;
        for (i = 0; i < n; i++) done[i] = (int16_t)(i == 0 || (g >= 0 && d->part[part].group[member[i]] == g));
        for (i = 0; i < n; i++) {
            if (done[i]) taken[count++] = member[i];
            else member[rest++] = member[i];
        }
        if (n > 1 || d->at[self].first >= 0) sub = box_around(d, taken, count, g >= 0 ? part : part + 1);
        else {    /* one CPU in boxes of its own */
            sub = box_new(d, taken, 1);
            d->at[sub].cpu = d->cpu[taken[0]];
        }
        if (last < 0) d->at[self].first = sub;
        else d->at[last].next = sub;
        last = sub;
        n = rest;
    }
    return self;
}

/* Do two boxes hold the same, but for which CPUs? */
static int box_like(const drawing *d, int a, int b)
{
    const box *x = &d->at[a], *y = &d->at[b];
    int i, k;
    if (x->members != y->members || x->labels != y->labels || (x->cpu >= 0) != (y->cpu >= 0)
        || memcmp(x->label, y->label, (size_t)x->labels * sizeof *x->label)) return 0;
    for (i = x->first, k = y->first; i >= 0 && k >= 0; i = d->at[i].next, k = d->at[k].next)
        if (d->at[i].times != d->at[k].times || !box_like(d, i, k)) return 0;
    return i < 0 && k < 0;
}

/* Of three or more that are alike the first stands for all; bare CPUs stay. */
static void box_fold(drawing *d, int which)
{
    int i, k, before, alike;
    for (i = d->at[which].first; i >= 0; i = d->at[i].next) box_fold(d, i);
    for (i = d->at[which].first; i >= 0; i = d->at[i].next) {
        if (d->at[i].cpu >= 0) continue;
        for (k = d->at[i].next, alike = 1; k >= 0; k = d->at[k].next) alike += box_like(d, i, k);
        if (alike < 3) continue;
        for (k = d->at[i].next, before = i; k >= 0; k = d->at[k].next) {
            if (box_like(d, i, k)) d->at[before].next = d->at[k].next;
            else before = k;
        }
        d->at[i].times = alike;
    }
}

/* The name of a box: how many it stands for, what its CPUs have in common, and which these are. */
static void box_name(const drawing *d, int which, char *text, size_t cap)
{
    const box *b = &d->at[which];
    size_t used = 0;
    int i;
    text[0] = 0;
    if (which == 0) used += (size_t)snprintf(text, cap, "%s", d->whole);
    if (b->times > 1) used += (size_t)snprintf(text, cap, "%d x", b->times);
    for (i = 0; i < b->labels && used < cap; i++)
        used += (size_t)snprintf(text + used, cap - used, "%s%s", !used ? "" : i || which == 0 ? ", " : " ",
                                 d->part[b->label[i]].name);
    if (used < cap && which > 0 && b->members > 1 && (d->cpus > BOX_FOLD || b->members > 2))
        snprintf(text + used, cap - used, "%sCPUs %s%s", !used ? "" : b->labels ? ": " : " ", b->list,
                 b->times > 1 ? " ..." : "");
}

/* A line of so many letters from a text, broken at blanks where there are some; returns how many are behind it. */
static size_t box_line(const char *text, size_t letters)
{
    size_t cut = letters;
    if (strlen(text) <= letters) return strlen(text);
    while (cut > 0 && text[cut] != ' ') cut--;
    if (cut > 0) return cut;
    for (cut = letters; cut > 0 && text[cut - 1] != ','; ) cut--;
    return cut > 0 ? cut : letters;
}

static size_t box_letters(double wide) { return wide > 8 + 4 * BOX_LETTER ? (size_t)((wide - 8) / BOX_LETTER) : 4; }

/* Places inside, in rows of so many.  Returns the height of all. */
static double box_rows(drawing *d, const box *b, int across, double wide)
{
    double y = BOX_PAD + b->lines * BOX_TEXT, high = 0;
    int i, n;
    for (i = b->first, n = 0; i >= 0; i = d->at[i].next, n++) {
        if (n && n % across == 0) {
            y += high + BOX_PAD;
            high = 0;
        }
        d->at[i].x = BOX_PAD + n % across * (wide + BOX_PAD);
        d->at[i].y = y;
        high = fmax(high, d->at[i].high);
    }
    return y + high + BOX_PAD;
}

/* Sizes from the inside out, up to a width: boxes inside in rows of equal length. */
static void box_measure(drawing *d, int which, double most)
{
    box *b = &d->at[which];
    const double under = b->times > 1 ? 2 * BOX_SHIFT : 0, room = most - under - 2 * BOX_PAD;
    double widest = 0, each = room;
    char name[400];
    size_t at, n;
    int i, count = 0, named = 0, across;
    if (b->cpu >= 0) {
        b->wide = 26;
        b->high = 18;
        return;
    }
    for (i = b->first; i >= 0; i = d->at[i].next, count++) named += d->at[i].cpu < 0;
    if (named > 1) {    /* side by side, if their names have room */
        across = (int)((room + BOX_PAD) / (BOX_LEAST + BOX_PAD));
        across = across < 1 ? 1 : across > count ? count : across;
        across = (count + (count + across - 1) / across - 1) / ((count + across - 1) / across);
        each = (room - (across - 1) * BOX_PAD) / across;
    }
    for (i = b->first; i >= 0; i = d->at[i].next) {
        box_measure(d, i, each);
        widest = fmax(widest, d->at[i].wide);
    }
    if (named > 1 && count == named)    /* of one width */
        for (i = b->first; i >= 0; i = d->at[i].next) d->at[i].wide = widest;
    across = (int)((room + BOX_PAD) / (widest + BOX_PAD));
    across = across < 1 ? 1 : across > count ? count : across;
    i = (count + across - 1) / across;      /* rows */
    across = (count + i - 1) / i;
    b->wide = across * (widest + BOX_PAD) + BOX_PAD;
    box_name(d, which, name, sizeof name);
    b->wide = fmin(fmax(b->wide, 10 + BOX_LETTER * (double)strlen(name)), most - under);
    for (at = 0; name[at]; at += n + (name[at + n] == ' '), b->lines++) n = box_line(name + at, box_letters(b->wide));
    b->high = box_rows(d, b, across, widest) + under;
    b->wide += under;
}

static void box_draw(page *w, const drawing *d, int which, double x, double y, int depth)
{
    const box *b = &d->at[which];
    const double under = b->times > 1 ? 2 * BOX_SHIFT : 0;
    char name[400];
    size_t at, n;
    int i, k;
    x += b->x;
    y += b->y;
    if (b->times > 1) page_put(w, "<g data-times=\"%d\">", b->times);
    for (k = b->times > 1 ? 2 : 0; k >= 0; k--)
        page_put(w, "<rect class=\"box%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>",
                 b->cpu >= 0 ? " cpu" : depth % 2 ? " even" : "", x + k * BOX_SHIFT, y + k * BOX_SHIFT, b->wide - under,
                 b->high - under);
    if (b->cpu >= 0)
        page_put(w, "<text class=\"c p\" x=\"%.1f\" y=\"%.1f\">%d</text>", x + b->wide / 2, y + b->high / 2 + 3.6,
                 b->cpu);
    else box_name(d, which, name, sizeof name);
    for (at = 0, k = 0; b->cpu < 0 && name[at]; at += n + (name[at + n] == ' '), k++) {
        n = box_line(name + at, box_letters(b->wide - under));
        page_put(w, "<text class=\"p\" x=\"%.1f\" y=\"%.1f\">%.*s</text>", x + 4, y + 12 + k * BOX_TEXT, (int)n,
                 name + at);
    }
    page_raw(w, "\n");
    for (i = b->first; i >= 0; i = d->at[i].next) box_draw(w, d, i, x, y, depth + 1);
    if (b->times > 1) page_raw(w, "</g>\n");
}

/* The same as text: who is in which box, all of them. */
static void topology_table(page *w, const drawing *d)
{
    table t;
    int i, k, g;
    page_raw(w, "<details><summary>the CPUs of all boxes</summary>");
    t = table_begin(w, "stack", "Groups of CPUs, from the outside in", "what they share|groups|CPUs");
    for (i = 0; i < d->parts; i++) {
        const box_part *q = &d->part[i];
        char names[400] = "";
        size_t used = 0;
        for (k = 0; k < i && !parts_alike(d->part[k].group, q->group, d->cpus); k++) { }
        if (k < i) continue;    /* told with that one */
        for (k = i; k < d->parts && used < sizeof names; k++)
            if (parts_alike(d->part[k].group, q->group, d->cpus))
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", d->part[k].name);
        table_row(&t);
        table_cell(&t, "%s", names);
        table_cell(&t, "%d", q->groups);
        page_raw(w, "<td class=\"t\" data-of=\"CPUs\">");
        for (g = 0; g < q->groups; g++)
            if (group_has(d, i, g, NULL, d->cpus)) page_say(w, "{%s} ", group_text(q->group, d->cpu, d->cpus, g).text);
        page_raw(w, "</td>");
        t.at++;
    }
    table_end(&t);
    page_raw(w, "</details>\n");
}

static void topology_said(page *w, const drawing *d, const servet_profile *p)
{
    char missing[100] = "";
    size_t used = 0;
    int i, k;
    for (i = 1; i <= p->cache_count && used + 8 < sizeof missing; i++) {
        for (k = 0; k < d->parts && (d->part[k].kind != BOX_CACHE || d->part[k].level != i); k++) { }
        if (k == d->parts)
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%sL%d", used ? ", " : "", i);
    }
    if (used) paragraph(w, "Not drawn, as it was not told who shares it: %s.", missing);
}

static void section_topology(report_page *r, const servet_profile *p)
{
    static drawing d;
    page *w = &r->body;
    int member[BOX_CPUS], i;
    if (!drawing_of(&d, p)) return;
    for (i = 0; i < d.cpus; i++) member[i] = i;
    if (d.at[box_around(&d, member, d.cpus, 0)].first < 0) return;    /* it is the first of all */
    snprintf(d.whole, sizeof d.whole, p->host.memory_bytes > 0 ? "machine, %.20s, %.40s" : "machine, %.20s",
             cpus_text(d.cpus).text, size_text(p->host.memory_bytes).text);
    if (d.cpus > BOX_FOLD) box_fold(&d, 0);
    box_measure(&d, 0, BOX_WIDE - 2);
    d.at[0].x = d.at[0].y = 1;
    section_begin(r, "topology", "The machine as drawn from measurements");
    paragraph(w, "Boxes hold the CPUs (blue, by the system's numbers) that share something: memory, a way to it, "
                 "nearness, a cache. It is what the times say; the system's own description was not asked%s. \"Apart\" "
                 "is how long a cache line takes from one of them to another.%s",
              p->node_count > 1 ? " but for which CPUs are of which node of memory" : "",
              d.cpus <= BOX_FOLD ? "" : " Of boxes that are alike the first is drawn, on a pile, with their number.");
    page_picture(w, "topology", "Topology", "Nested boxes of CPUs: what they share, from the outside in.", BOX_WIDE,
                 d.at[0].high + 2);
    box_draw(w, &d, 0, 0, 0, 0);
    page_raw(w, "</svg>\n");
    topology_said(w, &d, p);
    topology_table(w, &d);
    page_raw(w, "</figure>\n");
    section_end(r);
}

/* ---- how it was measured -------------------------------------------------------------------------- */

enum { OF_LATENCY, OF_LEVELS, OF_CORES, OF_SHARING, OF_BANDWIDTH, OF_COHERENCE, OF_SURVIVAL, OF_AUTOMATON, OF_NETWORK,
       METHODS };
static const struct { const char *of, *how, *fooled; } method[METHODS] = {
    { "Latency by working set",
      "One random cycle of pointers through one pointer a line, shuffled inside groups of pages, so that misses of the "
      "TLB stay out. Sizes come in random order, each sample draws other pages, and a disturbed one is taken again. A "
      "point is the lower quartile of its samples; its interval is that of order statistics.",
      "A neighbour that shares the core all the time; a clock that changes meanwhile." },
    { "Sizes of caches and TLBs",
      "Of a core's own level blocks of 4 KiB are touched, walked and timed one by one: those that stay are counted by "
      "votes. Of a level that others use what is still there right after reading is counted at several moments. What "
      "cannot be counted is fitted: miss rates of a level of so many ways against the curve.",
      "Others that use a level all the time: what can be had is counted then; exclusive levels, whose count may hold "
      "the level before; sets chosen line by line within a page." },
    { "Lines between CPUs",
      "Two threads hand a line to and fro, by two flags or by compare-and-swap, without a pause; half of a round trip. "
      "All pairs in a tournament, again in another order; a pair counts when other takes, or the pairs of the same two "
      "groups, confirm it.",
      "A neighbour that shares a core all the time: its part is in all takes." },
    { "Who shares a cache",
      "CPUs chase through most of a level, each in memory of its own, alone and together: those that share it evict "
      "each other and are slower by what the model foretells.",
      "Neighbours that come and go with the tests; a level that keeps a part of itself for each CPU." },
    { "Bandwidth, and loads at once",
      "Streams over arrays of each CPU's own, begun together, until the last is done; results are checked word by "
      "word. Loads under way are rate at the ceiling times latency (Little), from 1 to 32 chains.",
      "Neighbours at the same memory; clocks that fall when all CPUs work." },
    { "Coherence",
      "Two CPUs add atomically, and one moves away byte by byte: slow in one block, fast in two. Operations by number "
      "of CPUs on one place.",
      "A neighbour on one of the CPUs: then it says that it does not know." },
    { "How long data stay",
      "Sets are read twice, left alone by a chain that touches no memory, and a line of each of some blocks is timed.",
      "It is of the minutes it was measured in: neighbours come and go." },
    { "Scaling",
      "Each variation runs by 1, 2, 4 and more threads that begin together, several trials in turns; the best counts, "
      "as disturbance only adds.",
      "Clocks that fall when all CPUs work count as a serial part." },
    { "Messages",
      "Half of a round trip, or a stream that its receiver acknowledges, warmed up pair by pair; the median with its "
      "interval. Layers are found in groups of ranks by time and rate together.",
      "Ranks that share a CPU wait in their messages; other jobs on the same network." }
};

/* Table I of Servet (2010). */
static void costs_table(page *w, const servet_profile *p)
{
    show_cost c[SHOW_COSTS + 2];
    const int n = costs_of(c, p);
    table t;
    int i;
    if (n < 2) return;
    t = table_begin(w, "data", "What each part took", "part|seconds");
    for (i = 0; i < n; i++) {
        table_row(&t);
        table_cell(&t, "%s", c[i].part);
        table_cell(&t, "%s", seconds_text(c[i].seconds).text);
    }
    table_row(&t);
    table_cell(&t, "in all");
    table_cell(&t, "%s", seconds_text(p->made.seconds).text);
    table_end(&t);
    say_samples(p);
    paragraph(w, "%s.", said.text);
    said_none();
}

static void section_methods(report_page *r, const servet_profile *p)
{
    int known[METHODS], i;
    known[OF_LATENCY] = p->evidence && p->evidence->curve.count > 1;
    known[OF_LEVELS] = p->cache_count > 0 || p->tlb.small.count > 0;
    known[OF_CORES] = p->cores != NULL;
    known[OF_SHARING] = p->sharing != NULL;
    known[OF_BANDWIDTH] = p->bandwidth.count > 0 || p->chains_count > 0 || p->contention;
    known[OF_COHERENCE] = p->coherence != NULL;
    known[OF_SURVIVAL] = p->survival_count > 0;
    known[OF_AUTOMATON] = p->automaton != NULL;
    known[OF_NETWORK] = p->network != NULL;
    section_begin(r, "methods", "How each was measured, and what fools it");
    for (i = 0; i < METHODS; i++) {
        if (!known[i]) continue;
        page_put(&r->body, "<details><summary>%s</summary><p>", method[i].of);
        page_text(&r->body, method[i].how);
        page_raw(&r->body, "</p><p><strong>What fools it:</strong> ");
        page_text(&r->body, method[i].fooled);
        page_raw(&r->body, "</p></details>\n");
    }
    costs_table(&r->body, p);
    section_end(r);
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int report_pages_write(const servet_profile *p, const char *file)
{
    report_page r;
    page whole;
    int code, measured;
    memset(&r, 0, sizeof r);
    memset(&whole, 0, sizeof whole);
    report_top(&r.top, p);
    section_latency(&r, p);
    section_levels(&r, p);
    section_cores(&r, p);
    section_bandwidth(&r, p);
    section_contention(&r, p);
    section_coherence(&r, p);
    section_survival(&r, p);
    section_automaton(&r, p);
    section_network(&r, p);
    section_topology(&r, p);
    measured = r.sections;
    section_methods(&r, p);
    page_around(&whole, p->host.cpu_model[0] ? p->host.cpu_model : "servet", &r.top, &r.nav, &r.body);
    page_raw(&whole, "</main>\n<footer><p>Made by servet " SERVET_VERSION " from a profile");
    if (p->made.when[0]) page_say(&whole, " of %s", p->made.when);
    page_raw(&whole, ". Colours: Okabe and Ito; maps: viridis.</p></footer>\n</body>\n</html>\n");
    if (!measured) code = fail("report: the profile holds nothing that was measured");
    else if (whole.failed) code = fail("report: too large for the memory there is");
    else code = write_whole(file, whole.text);
    free(r.top.text);
    free(r.nav.text);
    free(r.body.text);
    free(whole.text);
    return code;
}

/* The latency curve alone. */
static int report_picture_write(const servet_profile *p, const char *file)
{
    enum { UNDER = 78 };        /* letters of which there is room                                    */
    char under[UNDER + 4];
    page whole;
    fitted fit;
    int code;
    memset(&whole, 0, sizeof whole);
    if (!latency_curve(p)) return fail("report: the profile holds no latency curve to draw");
    latency_chart(p, &fit, 0);
    say_machine(p);
    snprintf(under, sizeof under, said.length > UNDER ? "%.*s..." : "%.*s", UNDER, said.text);
    said_none();
    graph_alone(&whole, &chart, under);
    code = whole.failed ? fail("report: too large for the memory there is")
         : !whole.text ? fail("report: the profile holds no latency curve to draw") : write_whole(file, whole.text);
    free(whole.text);
    return code;
}

static int report_file(servet_profile *p, int argc, char **argv)
{
    const char *file = "-", *profile = NULL;
    int i, code, picture = 0;
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--picture")) picture = 1;
        else if (!strcmp(argv[i], "-o")) {
            if (i + 1 == argc || !argv[i + 1][0]) return fail("-o needs a file name");
            file = argv[++i];
        } else if ((argv[i][0] == '-' && argv[i][1]) || profile) {
            return unknown_argument("report", argv[i]);
        } else profile = argv[i];
    }
    if (strcmp(file, "-") && !can_be_replaced(file)) return 2;    /* better known before a machine is measured */
    code = get_profile(p, profile);
    return code ? code : picture ? report_picture_write(p, file) : report_pages_write(p, file);
}

#endif /* SERVET_REPORT_H */

/* paper_clue.h - CLUE (2006), chapter 4: a cellular automaton by ever more workers, here threads
 *
 * As published: 20 iterations, ten trials, of which the fastest counts; single precision, the mean of eight neighbours,
 * a square grid for each worker.  Data rearrange is the grid twice as long and half as high, with the memory width of
 * double precision. */
#if !defined(PAPER_CLUE_H)
#define PAPER_CLUE_H

enum { PAPER_CLUE_SIDE = 4716 };    /* cells of a side, of the clusters with 512 MB a node */

/* A side of cells: the published one, or less where four arrays of doubles of it for each worker are more than a
 * quarter of the memory (the published grid was a third of a node's). */
static int paper_clue_side(paper_call *p)
{
    const double side = floor(sqrt(paper_memory() / 4 / p->cpus / 32));
    if (p->quick) return (int)fmin(side, 1024);
    return (int)fmin(side, PAPER_CLUE_SIDE);
}

/* All runs, once; NULL where there are none. */
static const servet_automaton *paper_clue(paper_call *p)
{
    static servet_automaton a;
    static int last = -1;
    servet_automaton_opts o;
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], status;
    if (a.points > 0) return &a;
    memset(&o, 0, sizeof o);
    o.rows = o.columns = paper_clue_side(p);
    o.iterations = 20;
    o.trials = p->quick ? 3 : 10;
    o.variations = 1u << SERVET_AUTOMATON_BASE | 1u << SERVET_AUTOMATON_INTEGER | 1u << SERVET_AUTOMATON_DOUBLE
                   | 1u << SERVET_AUTOMATON_LONG;
    o.run.budget_s = 1800;    /* trials end it, not the time */
    o.run.stop = stop;
    if (isatty(2)) {
        o.run.progress = progress;
        o.run.ctx = &last;
    }
    paper_fill_order(p, order, node_of);
    paper_close(p);
    status = servet_automaton_measure(&a, p->cpus, servet_automaton_threads, order, &o);
    if (o.run.progress) fputs("\r                                        \r", stderr);
    if (status >= 0 && a.points > 0) return &a;
    a.points = 0;
    paper_failed(p, status);
    return NULL;
}

/* The variations as the tables have them. */
static const struct { int variation; const char *name; } paper_clue_rows[] = {
    { SERVET_AUTOMATON_BASE, "Base Line" }, { SERVET_AUTOMATON_LONG, "Data Rearrange" },
    { SERVET_AUTOMATON_DOUBLE, "Double Precision" }, { SERVET_AUTOMATON_INTEGER, "Integer" } };
enum { PAPER_CLUE_ROWS = sizeof paper_clue_rows / sizeof *paper_clue_rows };

static const servet_automaton_point *paper_clue_point(const servet_automaton *a, int variation, int workers)
{
    int i;
    for (i = 0; i < a->points; i++)
        if (a->point[i].best.variation == variation && a->point[i].best.workers == workers) return &a->point[i];
    return NULL;
}

/* The workers of Table 4.3: eight, or as many as there are. */
static int paper_clue_workers(const servet_automaton *a)
{
    return paper_clue_point(a, SERVET_AUTOMATON_BASE, 8) ? 8 : a->workers;
}

static int paper_clue_columns(paper_table *t, const char *title, const char *first)
{
    paper_begin(t, title, first);
    paper_column(t, "10^6 ACT/s");
    paper_column(t, "efficiency, %%");
    paper_column(t, "serial, %%");
    paper_column(t, "ours: efficiency from");
    return paper_column(t, "to");
}

/* One worker has an efficiency of 1, and counts as serial altogether, as printed. */
static void paper_clue_fill(paper_table *t, int row, const servet_automaton_point *x)
{
    if (!x) return;
    t->value[row][1] = x->act_per_s * 1e-6;
    t->value[row][2] = 100 * (x->best.workers > 1 ? x->efficiency : 1);
    t->value[row][3] = 100 * (x->best.workers > 1 ? x->serial_frac : 1);
    if (x->best.workers == 1) return;
    t->value[row][4] = 100 * x->lo_efficiency;
    t->value[row][5] = 100 * x->hi_efficiency;
}

static int paper_clue_end(paper_call *p, const servet_automaton *a, const paper_table *t)
{
    const int code = paper_end(p, t);
    paper_say(p, "%d x %d cells a worker, %d iterations, the fastest of %d trials; threads, where published are nodes",
              a->rows, a->columns, a->iterations, p->quick ? 3 : 10);
    return code;
}

static int paper_clue_table1(paper_call *p)
{
    const servet_profile *had = paper_profile(p);
    paper_table *t = &paper_sheet;
    paper_begin(t, "Tested configuration", "");
    paper_column(t, "here");
    t->value[paper_named(t, "workers")][1] = p->cpus;
    if (paper_ghz(p) > 0) t->value[paper_named(t, "processor speed, GHz")][1] = p->ghz;
    if (had && had->cache_count > 1)
        t->value[paper_named(t, "cache, KiB")][1] = floor(had->cache[had->cache_count > 1].bytes / 1024);
    t->value[paper_named(t, "RAM, MiB")][1] = floor(paper_memory() / 1048576);
    t->value[paper_named(t, "side of the grid of a worker")][1] = paper_clue_side(p);
    return paper_end(p, t);
}

static int paper_clue_table2(paper_call *p)
{
    const servet_automaton *a = paper_clue(p);
    paper_table *t = &paper_sheet;
    int i;
    if (!a) return 1;
    paper_clue_columns(t, "Results by processor count for the base line variation", "workers");
    for (i = 0; i < a->points; i++)
        if (a->point[i].best.variation == SERVET_AUTOMATON_BASE)
            paper_clue_fill(t, paper_row(t, a->point[i].best.workers), &a->point[i]);
    return paper_clue_end(p, a, t);
}

static int paper_clue_table3(paper_call *p)
{
    const servet_automaton *a = paper_clue(p);
    paper_table *t = &paper_sheet;
    char title[100];
    int i;
    if (!a) return 1;
    snprintf(title, sizeof title, "Results by variation type using %d worker%s", paper_clue_workers(a),
             paper_clue_workers(a) > 1 ? "s" : "");
    paper_clue_columns(t, title, "variation");
    for (i = 0; i < PAPER_CLUE_ROWS; i++)
        paper_clue_fill(t, paper_named(t, "%s", paper_clue_rows[i].name),
                        paper_clue_point(a, paper_clue_rows[i].variation, paper_clue_workers(a)));
    return paper_clue_end(p, a, t);
}

/* ACT/s in millions, efficiency or serial fraction in per cent, as Tables 4.2 and 4.3 have them in columns 1 to 3. */
static double paper_clue_metric(const servet_automaton_point *x, int metric)
{
    static paper_table from;
    paper_begin(&from, "", "");
    paper_clue_fill(&from, paper_row(&from, 0), x);
    return from.value[0][metric];
}

/* One metric as a figure, by variation or by workers. */
static int paper_clue_figure(paper_call *p, int metric, int by_workers, const char *title, const char *unit)
{
    const servet_automaton *a = paper_clue(p);
    paper_table *t = &paper_sheet;
    int i, k, r;
    if (!a) return 1;
    paper_begin(t, title, by_workers ? "workers" : "variation");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "%s", unit);
    if (by_workers) paper_column(t, "Base Line");
    else for (i = 0; i < a->points; i++)
        if (a->point[i].best.variation == SERVET_AUTOMATON_BASE)
            paper_column(t, "%d worker%s", a->point[i].best.workers, a->point[i].best.workers > 1 ? "s" : "");
    for (i = 0; i < a->points && by_workers; i++) {
        if (a->point[i].best.variation != SERVET_AUTOMATON_BASE) continue;
        r = paper_row(t, a->point[i].best.workers);
        t->value[r][1] = paper_clue_metric(&a->point[i], metric);
    }
    for (i = 0; i < PAPER_CLUE_ROWS && !by_workers; i++)
        for (r = paper_named(t, "%s", paper_clue_rows[i].name), k = 1; k < t->columns; k++)
            t->value[r][k] = paper_clue_metric(paper_clue_point(a, paper_clue_rows[i].variation, atoi(t->head[k])),
                                               metric);
    return paper_clue_end(p, a, t);
}

static int paper_clue_fig2(paper_call *p)
{
    return paper_clue_figure(p, 1, 0, "Cell state transitions per second by variation", "10^6 ACT/s");
}

static int paper_clue_fig3(paper_call *p)
{
    return paper_clue_figure(p, 2, 0, "Efficiency by variation", "%");
}

static int paper_clue_fig4(paper_call *p)
{
    return paper_clue_figure(p, 3, 0, "Experimental serial fraction by variation", "%");
}

static int paper_clue_fig5(paper_call *p)
{
    return paper_clue_figure(p, 2, 1, "Efficiency by workers", "%");
}

static int paper_clue_fig6(paper_call *p)
{
    return paper_clue_figure(p, 3, 1, "Experimental serial fraction by workers", "%");
}

static const paper_item paper_clue_items[] = {
    { "table4.1", "the configuration", 0, "0 s", paper_clue_table1 },
    { "table4.2", "speed, efficiency and serial fraction by workers", 0, "2 min", paper_clue_table2 },
    { "table4.3", "speed, efficiency and serial fraction by variation", 0, "2 min", paper_clue_table3 },
    { "fig4.2", "cell state transitions a second by variation", 0, "2 min", paper_clue_fig2 },
    { "fig4.3", "efficiency by variation", 0, "2 min", paper_clue_fig3 },
    { "fig4.4", "serial fraction by variation", 0, "2 min", paper_clue_fig4 },
    { "fig4.5", "efficiency by workers", 0, "2 min", paper_clue_fig5 },
    { "fig4.6", "serial fraction by workers", 0, "2 min", paper_clue_fig6 }
};

#endif

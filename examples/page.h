/* page.h - a page of HTML with plots in SVG, made in memory: escaped text, tables, charts, maps of pairs
 *
 * It stands in one file, without scripts, and fetches nothing.  Colours are those of Okabe and Ito (Color Universal
 * Design, 2008), which the colour-blind tell apart, some of them darker on white; lines differ by marks and dashes, as
 * well.  Maps of pairs use a ramp through five colours of viridis (Smith and van der Walt, 2015), whose lightness grows
 * evenly, so that it reads in grey.  words, size_text and digits are those of servet.c, which includes this. */
#ifndef SERVET_PAGE_H
#define SERVET_PAGE_H

typedef struct page {
    char  *text;
    size_t length, cap;
    int    failed;              /* 1 = there was no memory: what follows is not written              */
} page;

/* ---- text ------------------------------------------------------------------------------------ */

static void page_add(page *w, const char *text, size_t n)
{
    if (!w->failed && w->length + n + 1 > w->cap) {
        const size_t cap = 2 * w->cap + n + 4096;
        char *more = (char *)realloc(w->text, cap);
        w->failed = !more;
        if (more) w->text = more;
        if (more) w->cap = cap;
    }
    if (w->failed) return;
    memcpy(w->text + w->length, text, n);
    w->length += n;
    w->text[w->length] = 0;
}

static void page_raw(page *w, const char *text) { page_add(w, text, strlen(text)); }

/* Markup: whatever comes from a profile goes through page_text. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void page_put(page *w, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    page_raw(w, line);
}

/* Bytes of the character of UTF-8 that a text begins with; 0 = it is none that a page may have. */
static int page_character(const unsigned char *c)
{
    const int n = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3
                : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    int i;
    for (i = 1; i < n; i++) if ((c[i] & 0xc0) != 0x80) return 0;
    if (n == 1) return c[0] >= ' ' && c[0] != 127;
    if (n == 2) return c[0] > 0xc2 || c[1] >= 0xa0 ? 2 : 0;    /* below are control characters */
    if (n == 3 && ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0)    /* two ways to say it; half a
                                                                                         pair of UTF-16 */
                   || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe))) return 0;
    if (n == 4 && ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))) return 0;
    return n;
}

/* Any text, as text: nothing of it is markup. */
static void page_text(page *w, const char *text)
{
    static const char *const name[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    while (*text) {
        const char *special = strchr("&<>\"'", *text);
        const int n = page_character((const unsigned char *)text);
        if (special) page_raw(w, name[special - strchr("&<>\"'", '&')]);
        else if (n > 0) page_add(w, text, (size_t)n);
        else page_raw(w, " ");
        text += special || n < 1 ? 1 : n;
    }
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void page_say(page *w, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    page_text(w, line);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The n-th of some words with | between. */
static words page_word(const char *list, int n)
{
    words w;
    size_t length;
    while (n-- > 0 && *list) {
        list += strcspn(list, "|");
        list += *list == '|';
    }
    length = strcspn(list, "|");
    if (length >= sizeof w.text) length = sizeof w.text - 1;
    memcpy(w.text, list, length);
    w.text[length] = 0;
    return w;
}

/* A table being written: on narrow screens a row becomes a block with the names of columns before its cells. */
typedef struct table {
    page *w;
    const char *columns;        /* their names with | between                                        */
    int count, at;              /* of them; cells of this row so far, -1 = no row yet                */
} table;

static table table_begin(page *w, const char *kind, const char *caption, const char *columns)
{
    table t;
    const char *c;
    int i;
    t.w = w;
    t.columns = columns;
    t.at = -1;
    for (c = columns, t.count = 1; *c; c++) t.count += *c == '|';
    page_put(w, "<div class=\"wide\"><table class=\"%s\"><caption>", kind);
    page_text(w, caption);
    page_raw(w, "</caption><thead><tr>");
    for (i = 0; i < t.count; i++) {
        page_raw(w, "<th scope=\"col\">");
        page_text(w, page_word(columns, i).text);
        page_raw(w, "</th>");
    }
    page_raw(w, "</tr></thead><tbody>\n");
    return t;
}

/* Cells that a row does not have are empty. */
static void table_fill(table *t)
{
    for (; t->at >= 0 && t->at < t->count; t->at++) page_raw(t->w, "<td></td>");
}

static void table_row(table *t)
{
    table_fill(t);
    page_raw(t->w, t->at < 0 ? "<tr>" : "</tr>\n<tr>");
    t->at = 0;
}

/* Over the rows that follow. */
static void table_heading(table *t, const char *text)
{
    table_row(t);
    page_put(t->w, "<th class=\"over\" scope=\"rowgroup\" colspan=\"%d\">", t->count);
    page_text(t->w, text);
    page_raw(t->w, "</th>");
    t->at = t->count;
}

/* The first cell of a row is its heading. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void table_cell(table *t, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (t->at == 0) page_raw(t->w, "<th scope=\"row\">");
    else {
        page_put(t->w, "<td%s data-of=\"", strlen(line) > 22 ? " class=\"t\"" : "");    /* may be broken */
        page_text(t->w, page_word(t->columns, t->at).text);
        page_raw(t->w, "\">");
    }
    page_text(t->w, line);
    page_raw(t->w, t->at == 0 ? "</th>" : "</td>");
    t->at++;
}

static void table_end(table *t)
{
    if (t->at < 0) table_row(t);
    table_fill(t);
    page_raw(t->w, "</tr></tbody></table></div>\n");
}

/* ---- charts ---------------------------------------------------------------------------------- */

enum { GRAPH_PLAIN = 0, GRAPH_BYTES = 1, GRAPH_COUNT = 2 };    /* what an axis has; bytes and counts by doubling */
enum { GRAPH_LINE = 1, GRAPH_MARKS = 2, GRAPH_DASHED = 4, GRAPH_BELOW = 8,      /* in the strip below    */
       GRAPH_AS_ADDED = 16 };   /* else by x                                                         */
enum { GRAPH_POINTS = 6000, GRAPH_MOST_SERIES = 28, GRAPH_MOST_BANDS = 16, GRAPH_COLOURS = 7, GRAPH_TICKS = 12 };
/* Lengths are in units of pictures, whose width is theirs on any screen.  LETTER: the widest in common fonts at the
 * largest size in use. */
#define GRAPH_WIDTH  480
#define GRAPH_LEFT    65
#define GRAPH_RIGHT   14
#define GRAPH_HEIGHT 230
#define GRAPH_ROW     17
#define GRAPH_STRIP   66     /* height of what is below, if there is any, and of the gap above it    */
#define GRAPH_GAP     36
#define GRAPH_LETTER   9

typedef struct graph_axis {
    const char *title;          /* with its unit                                                     */
    int    log, kind;           /* kind: GRAPH_PLAIN ...                                              */
    double lo, hi;              /* hi 0 = of the points                                              */
} graph_axis;

typedef struct graph_point {
    int    series, at;          /* which line; how many were added before                            */
    double x, y, lo, hi;        /* lo = hi = 0: no interval                                          */
} graph_point;

typedef struct graph_band {      /* across the whole height                                           */
    double at, lo, hi;
    int    dotted;
    char   name[40];
} graph_band;

typedef struct graph {
    char title[160], about[600];
    graph_axis x, y, below;     /* below: of a strip with the same x, if it has a title              */
    int series, points, bands, rows;            /* rows: of names of bands                           */
    struct { char name[120]; int style; } line[GRAPH_MOST_SERIES];
    graph_band  band[GRAPH_MOST_BANDS];
    graph_point point[GRAPH_POINTS];
} graph;

static graph_axis graph_scale(const char *title, int log_scale, int kind)
{
    graph_axis a;
    memset(&a, 0, sizeof a);
    a.title = title;
    a.log = log_scale;
    a.kind = kind;
    return a;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int graph_line(graph *g, int style, const char *format, ...)
{
    va_list args;
    if (g->series == GRAPH_MOST_SERIES) return -1;
    va_start(args, format);
    vsnprintf(g->line[g->series].name, sizeof g->line[0].name, format, args);
    va_end(args);
    g->line[g->series].style = style;
    return g->series++;
}

static int graph_can(const graph_axis *a, double v) { return v < 1e30 && v > (a->log ? 0 : -1e30); }

static void graph_add(graph *g, int series, double x, double y, double lo, double hi)
{
    graph_point *q = &g->point[g->points];
    if (series < 0 || g->points == GRAPH_POINTS || !graph_can(&g->x, x)
        || !graph_can(g->line[series].style & GRAPH_BELOW ? &g->below : &g->y, y)) return;
    q->series = series;
    q->at = g->points;
    q->x = x;
    q->y = y;
    q->lo = lo <= hi && hi < 1e30 && lo > -1e30 ? lo : 0;
    q->hi = lo <= hi && hi < 1e30 && lo > -1e30 ? hi : 0;
    g->points++;
}

#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
static void graph_mark(graph *g, double at, double lo, double hi, int dotted, const char *format, ...)
{
    graph_band *b = &g->band[g->bands];
    va_list args;
    if (g->bands == GRAPH_MOST_BANDS || !graph_can(&g->x, at)) return;
    va_start(args, format);
    vsnprintf(b->name, sizeof b->name, format, args);
    va_end(args);
    b->at = at;
    b->lo = graph_can(&g->x, lo) && lo <= at ? lo : at;
    b->hi = graph_can(&g->x, hi) && hi >= at ? hi : at;
    b->dotted = dotted;
    g->bands++;
}

/* Intervals widen an axis, but not so far that what lies in them is not to be seen any more. */
static void graph_range(graph *g)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL, least, most;
    int i;
    for (i = 0; i < g->points; i++) {
        const double y = g->point[i].y;
        if (g->line[g->point[i].series].style & GRAPH_BELOW) {
            g->below.lo = fmin(g->below.lo, y);
            g->below.hi = fmax(g->below.hi, y);
            continue;
        }
        lo = fmin(lo, y);
        hi = fmax(hi, y);
    }
    least = g->y.log ? lo / 4 : lo - (hi - lo + fabs(hi));
    most = g->y.log ? hi * 4 : hi + (hi - lo + fabs(hi));
    for (i = 0; i < g->points; i++)
        if (g->point[i].lo < g->point[i].hi) {
            if (!g->y.log || g->point[i].lo > 0) lo = fmin(lo, fmax(least, g->point[i].lo));
            hi = fmax(hi, fmin(most, g->point[i].hi));
        }
    if (!g->y.log) lo = fmin(lo, 0);
    g->y.lo = g->y.log ? lo / 1.15 : lo;
    g->y.hi = g->y.log ? hi * 1.15 : hi + 0.06 * (hi - lo);
    for (i = 0, lo = HUGE_VAL, hi = -HUGE_VAL; i < g->points; i++) {
        lo = fmin(lo, g->point[i].x);
        hi = fmax(hi, g->point[i].x);
    }
    for (i = 0; i < g->bands; i++)    /* where a level ends is to be seen */
        if (!g->band[i].dotted && g->band[i].at < 64 * hi && g->band[i].at > lo / 64) {
            lo = fmin(lo, g->band[i].at);
            hi = fmax(hi, g->band[i].at);
        }
    g->x.lo = g->x.log ? lo / 1.06 : lo - 0.03 * (hi - lo);
    g->x.hi = g->x.log ? hi * 1.06 : hi + 0.03 * (hi - lo);
    if (!(g->y.hi > g->y.lo)) g->y.hi = g->y.lo + 1;
    if (!(g->x.hi > g->x.lo)) g->x.hi = g->x.lo + 1;
}

/* From 0 to 1 along an axis. */
static double graph_at(const graph_axis *a, double v)
{
    double t;
    if (a->log) t = v > 0 ? log(v / a->lo) / log(a->hi / a->lo) : 0;
    else t = (v - a->lo) / (a->hi - a->lo);
    return t > 0 ? t < 1 ? t : 1 : 0;
}

static double graph_x(const graph *g, double x)
{
    return GRAPH_LEFT + (GRAPH_WIDTH - GRAPH_LEFT - GRAPH_RIGHT) * graph_at(&g->x, x);
}

static int graph_top(const graph *g) { return 24 + GRAPH_ROW * g->rows; }

static double graph_y(const graph *g, double y) { return graph_top(g) + GRAPH_HEIGHT * (1 - graph_at(&g->y, y)); }

static int graph_strip(const graph *g) { return graph_top(g) + GRAPH_HEIGHT + GRAPH_GAP; }

static int graph_bottom(const graph *g)
{
    return graph_top(g) + GRAPH_HEIGHT + (g->below.title ? GRAPH_GAP + GRAPH_STRIP : 0);
}

/* Of a value of a line, in the picture or in the strip. */
static double graph_place(const graph *g, int s, double y)
{
    return g->line[s].style & GRAPH_BELOW ? graph_strip(g) + GRAPH_STRIP * (1 - graph_at(&g->below, y)) : graph_y(g, y);
}

/* Where numbers stand on an axis: powers of two, of ten, 1-2-5, or even steps.  Returns how many. */
static int graph_ticks(const graph_axis *a, double *at, int most)
{
    const double ratio = a->log ? a->hi / a->lo : 0, base = a->kind == GRAPH_PLAIN ? 10 : 2;
    double step, k;
    int n = 0;
    if (a->log && ratio > 4) {
        static const double within[] = { 1, 2, 5 };
        const int fine = base > 9 && ratio < 2000;
        int i;
        if (fine) most = GRAPH_TICKS;
        step = ceil(log(ratio) / log(base) / (most - 1));
        for (k = floor(log(a->lo) / log(base) / step) * step; n < most && pow(base, k) <= a->hi; k += step)
            for (i = 0; i < (fine ? 3 : 1); i++) {
                const double v = within[i] * pow(base, k);
                if (v >= a->lo && v <= a->hi && n < most) at[n++] = v;
            }
        return n;
    }
    step = pow(10, floor(log10((a->hi - a->lo) / (most - 1))));
    if (a->kind == GRAPH_COUNT && step < 1) step = 1;
    while ((a->hi - a->lo) / step > most - 1) {
        step *= 2;
        if ((a->hi - a->lo) / step > most - 1) step *= 2.5;
    }
    for (k = ceil(a->lo / step); n < most && k * step <= a->hi; k++) at[n++] = k * step;
    return n;
}

static words graph_number(const graph_axis *a, double v)
{
    words w;
    if (a->kind == GRAPH_BYTES && v >= 1) return size_text(v);
    snprintf(w.text, sizeof w.text, fabs(v) < 1e6 ? "%.6g" : "%.3g", fabs(v) < 1e-12 ? 0 : v);
    return w;
}

/* Numbers and lines along an axis that goes up. */
static void graph_side(page *w, const graph_axis *a, int top, int high, int most)
{
    double at[GRAPH_TICKS];
    int i, n = graph_ticks(a, at, most);
    page_raw(w, "<path class=\"grid\" d=\"");
    for (i = 0; i < n; i++)
        page_put(w, "M%d %.1fH%d", GRAPH_LEFT, top + high * (1 - graph_at(a, at[i])), GRAPH_WIDTH - GRAPH_RIGHT);
    page_put(w, "\"/>\n<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", GRAPH_LEFT, top, top + high,
             GRAPH_WIDTH - GRAPH_RIGHT);
    for (i = 0; i < n; i++)
        page_put(w, "<text class=\"n%s\" x=\"%d\" y=\"%.1f\">%s</text>", i % 2 && n > 4 ? " o" : "", GRAPH_LEFT - 6,
                 top + high * (1 - graph_at(a, at[i])) + 4, graph_number(a, at[i]).text);
}

/* The frame with its numbers.  Every other number stands back on narrow screens (class o). */
static void graph_frame(page *w, const graph *g)
{
    double at[GRAPH_TICKS];
    const double bottom = graph_bottom(g);
    int i, n;
    page_put(w, "<text class=\"u\" x=\"2\" y=\"13\">");
    page_text(w, g->y.title);
    page_raw(w, "</text>\n");
    graph_side(w, &g->y, graph_top(g), GRAPH_HEIGHT, 7);
    if (g->below.title) {
        page_put(w, "<text class=\"u\" x=\"2\" y=\"%d\">", graph_strip(g) - 17);
        page_text(w, g->below.title);
        page_raw(w, "</text>\n");
        graph_side(w, &g->below, graph_strip(g), GRAPH_STRIP, 4);
    }
    n = graph_ticks(&g->x, at, 7);
    for (i = 0; i < n; i++) {
        const double x = graph_x(g, at[i]);
        const int end = x > GRAPH_WIDTH - 30;
        page_put(w, "<path class=\"axis\" d=\"M%.1f %.0fv4\"/><text class=\"%s%s\" x=\"%.1f\" y=\"%.0f\">%s</text>", x,
                 bottom, end ? "n" : "c", i % 2 && n > 3 ? " o" : "", end ? GRAPH_WIDTH - 2 : x, bottom + 20,
                 graph_number(&g->x, at[i]).text);
    }
    page_put(w, "\n<text class=\"n u\" x=\"%d\" y=\"%.0f\">", GRAPH_WIDTH - 2, bottom + 39);
    page_text(w, g->x.title);
    page_raw(w, "</text>\n");
}

/* Which row the name of a band is in, so that none lies over another at the largest letters; and where it begins. */
static int graph_row(const graph *g, int which, double *begin)
{
    enum { ROWS = 6 };
    double end[ROWS];
    int i, row = 0;
    for (i = 0; i < ROWS; i++) end[i] = 0;
    for (i = 0; i <= which; i++) {
        const double wide = GRAPH_LETTER * (double)strlen(g->band[i].name);
        *begin = fmin(fmax(graph_x(g, g->band[i].at) - wide / 2, 2), GRAPH_WIDTH - 2 - wide);
        for (row = 0; row < ROWS - 1 && *begin < end[row]; row++) { }
        end[row] = *begin + wide + GRAPH_LETTER;
    }
    *begin += GRAPH_LETTER * (double)strlen(g->band[which].name) / 2;
    return row;
}

static int graph_by_x(const void *a, const void *b)
{
    const graph_point *p = (const graph_point *)a, *q = (const graph_point *)b;
    if (p->series != q->series) return p->series < q->series ? -1 : 1;
    if (p->x < q->x || p->x > q->x) return p->x < q->x ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static int graph_before(const void *a, const void *b)
{
    const double x = ((const graph_band *)a)->at, y = ((const graph_band *)b)->at;
    return x < y ? -1 : x > y;
}

static void graph_bands(page *w, const graph *g)
{
    double middle;
    int i, y;
    for (i = 0; i < g->bands; i++) {
        const graph_band *b = &g->band[i];
        const double x = graph_x(g, b->at), lo = graph_x(g, b->lo), hi = graph_x(g, b->hi);
        const char *dotted = b->dotted ? " d" : "";
        if (hi > lo)
            page_put(w, "<rect class=\"band%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", dotted, lo,
                     graph_top(g), hi - lo, GRAPH_HEIGHT);
        if (hi > lo && g->below.title)
            page_put(w, "<rect class=\"band%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", dotted, lo,
                     graph_strip(g), hi - lo, GRAPH_STRIP);
        y = 38 + GRAPH_ROW * graph_row(g, i, &middle);
        page_put(w, "<path class=\"mark%s\" d=\"M%.1f %dV%d", dotted, x, y, graph_top(g) + GRAPH_HEIGHT);
        if (g->below.title) page_put(w, "M%.1f %dv%d", x, graph_strip(g), GRAPH_STRIP);
        page_raw(w, "\"/>\n");
    }
    for (i = 0; i < g->bands; i++) {
        y = 34 + GRAPH_ROW * graph_row(g, i, &middle);
        page_put(w, "<text class=\"c b%s\" x=\"%.1f\" y=\"%d\">", g->band[i].dotted ? " d" : "", middle, y);
        page_text(w, g->band[i].name);
        page_raw(w, "</text>\n");
    }
}

/* A mark around a place, another shape for each line. */
static void graph_shape(page *w, int which, double x, double y, double r)
{
    switch (which % GRAPH_COLOURS) {
    case 0: page_put(w, "M%.1f %.1fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", x - r, y, r, r, 2 * r, r, r, -2 * r); break;
    case 1: page_put(w, "M%.1f %.1fh%gv%gh%gz", x - r, y - r, 2 * r, 2 * r, -2 * r); break;
    case 2: page_put(w, "M%.1f %.1fl%g %gh%gz", x, y - 1.2 * r, 1.2 * r, 2.2 * r, -2.4 * r); break;
    case 3: page_put(w, "M%.1f %.1fl%g %gl%g %gl%g %gz", x, y - 1.4 * r, 1.4 * r, 1.4 * r, -1.4 * r, 1.4 * r, -1.4 * r,
                     -1.4 * r); break;
    case 4: page_put(w, "M%.1f %.1fh%gl%g %gz", x - 1.2 * r, y - r, 2.4 * r, -1.2 * r, 2.2 * r); break;
    case 5: page_put(w, "M%.1f %.1fh%gv%gh%gz", x - 1.5 * r, y - 0.5 * r, 3 * r, r, -3 * r); break;
    default: page_put(w, "M%.1f %.1fh%gv%gh%gz", x - 0.5 * r, y - 1.5 * r, r, 3 * r, -r); break;
    }
}

static void graph_data(page *w, const graph *g, int s)
{
    const int style = g->line[s].style, colour = s % GRAPH_COLOURS;
    int i, n = 0, bars = 0;
    for (i = 0; i < g->points; i++) n += g->point[i].series == s;
    if (style & GRAPH_LINE) {
        page_put(w, "<path class=\"line s%d%s\" d=\"", colour,
                 style & GRAPH_DASHED || s >= GRAPH_COLOURS ? " dash" : "");
        for (i = 0, n = 0; i < g->points; i++) {
            const graph_point *q = &g->point[i];
            if (q->series != s) continue;
            page_put(w, "%c%.1f %.1f", n++ ? 'L' : 'M', graph_x(g, q->x), graph_place(g, s, q->y));
        }
        page_raw(w, "\"/>\n");
    }
    if (!(style & GRAPH_MARKS)) return;
    for (i = 0; i < g->points; i++) {
        const graph_point *q = &g->point[i];
        if (q->series != s || !(q->lo < q->hi)) continue;
        if (!bars++) page_put(w, "<path class=\"bar s%d\" d=\"", colour);
        page_put(w, "M%.1f %.1fV%.1f", graph_x(g, q->x), graph_place(g, s, q->lo), graph_place(g, s, q->hi));
    }
    if (bars) page_raw(w, "\"/>\n");
    page_put(w, "<path class=\"dot s%d%s\" d=\"", colour, s >= GRAPH_COLOURS ? " open" : "");
    for (i = 0; i < g->points; i++)
        if (g->point[i].series == s)
            graph_shape(w, s, graph_x(g, g->point[i].x), graph_place(g, s, g->point[i].y),
                        n > 90 ? 1.5 : n > 30 ? 2.4 : 3.2);
    page_raw(w, "\"/>\n");
}

/* A piece of a line, 30 x 12. */
static void graph_sample(page *w, const graph *g, int s)
{
    const int colour = s % GRAPH_COLOURS;
    if (g->line[s].style & GRAPH_LINE)
        page_put(w, "<path class=\"line s%d%s\" d=\"M1 6H29\"/>", colour,
                 g->line[s].style & GRAPH_DASHED || s >= GRAPH_COLOURS ? " dash" : "");
    if (!(g->line[s].style & GRAPH_MARKS)) return;
    page_put(w, "<path class=\"dot s%d%s\" d=\"", colour, s >= GRAPH_COLOURS ? " open" : "");
    graph_shape(w, s, 15, 6, 3.2);
    page_raw(w, "\"/>");
}

/* What each line is: below the picture, where it may take as many lines of text as it needs. */
static void graph_key(page *w, const graph *g)
{
    int i;
    if (g->series < 2 && !(g->series && g->line[0].name[0])) return;
    page_raw(w, "<ul class=\"key\">");
    for (i = 0; i < g->series; i++) {
        if (!g->line[i].name[0]) continue;
        page_raw(w, "<li><svg viewBox=\"0 0 30 12\" aria-hidden=\"true\">");
        graph_sample(w, g, i);
        page_raw(w, "</svg> ");
        page_text(w, g->line[i].name);
        page_raw(w, "</li>");
    }
    page_raw(w, "</ul>\n");
}

/* The numbers behind the picture, for those who do not see it or want to the digit. */
static void graph_table(page *w, const graph *g)
{
    char columns[300];
    table t;
    int i, s;
    snprintf(columns, sizeof columns, "%.100s|%.100s|95 %% interval", g->x.title, g->y.title);
    page_raw(w, "<details><summary>the numbers of this picture</summary>");
    t = table_begin(w, "data", g->title, columns);
    for (s = 0; s < g->series; s++) {
        if (!(g->line[s].style & GRAPH_MARKS) || g->line[s].style & GRAPH_BELOW) continue;
        if (g->line[s].name[0]) table_heading(&t, g->line[s].name);
        for (i = 0; i < g->points; i++) {
            const graph_point *q = &g->point[i];
            if (q->series != s) continue;
            table_row(&t);
            table_cell(&t, "%s", graph_number(&g->x, q->x).text);
            table_cell(&t, "%.4g", q->y);
            if (q->lo < q->hi) table_cell(&t, "%.4g to %.4g", q->lo, q->hi);
            else if (q->hi > 0) table_cell(&t, "one sample");
            else table_cell(&t, "none");
        }
    }
    table_end(&t);
    page_raw(w, "</details>\n");
}

/* Opens a picture with its title and what it shows, for those who do not see it. */
static void page_picture(page *w, const char *kind, const char *title, const char *about, double wide, double high)
{
    page_put(w, "<figure class=\"%s\"><figcaption>", kind);
    page_text(w, title);
    page_put(w, "</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", wide, high);
    page_text(w, title);
    page_raw(w, "</title><desc>");
    page_text(w, about);
    page_raw(w, "</desc>\n");
}

/* Where all is.  0 = there is nothing. */
static int graph_arrange(graph *g)
{
    double middle;
    int i, row;
    if (g->points == 0) return 0;
    graph_range(g);
    if (!(g->line[0].style & GRAPH_AS_ADDED)) qsort(g->point, (size_t)g->points, sizeof *g->point, graph_by_x);
    for (i = 0, row = 0; i < g->bands; i++)    /* others only where there is something */
        if (!g->band[i].dotted || (g->band[i].at >= g->x.lo && g->band[i].at <= g->x.hi)) g->band[row++] = g->band[i];
    g->bands = row;
    qsort(g->band, (size_t)g->bands, sizeof *g->band, graph_before);
    for (i = 0, g->rows = 0; i < g->bands; i++) if ((row = graph_row(g, i, &middle) + 1) > g->rows) g->rows = row;
    return 1;
}

static void graph_inside(page *w, const graph *g)
{
    int i;
    graph_bands(w, g);
    graph_frame(w, g);
    for (i = 0; i < g->series; i++) graph_data(w, g, i);
}

static int graph_draw(page *w, graph *g)
{
    if (!graph_arrange(g)) return 0;
    page_picture(w, "plot", g->title, g->about, GRAPH_WIDTH, graph_bottom(g) + 44);
    graph_inside(w, g);
    page_raw(w, "</svg>\n");
    graph_key(w, g);
    graph_table(w, g);
    page_raw(w, "</figure>\n");
    return 1;
}

/* ---- a picture alone ------------------------------------------------------------------------- */

/* For a file of its own, in which programs that know no variables have to find their colours: on a background of its
 * own, light or dark as is preferred where it is shown. */
static void graph_theme(page *w, int dark)
{
    static const char *const line[2][GRAPH_COLOURS] = {
        { "#0072b2", "#d55e00", "#009e73", "#b8568f", "#b97f00", "#3a94cf", "#1b1b1b" },
        { "#56b4e9", "#e69f00", "#2fc796", "#cc79a7", "#f0e442", "#d55e00", "#e8e8e6" } };
    const char *back = dark ? "#15171a" : "#fff", *text = dark ? "#e8e8e6" : "#1b1b1b";
    const char *dim = dark ? "#acacaa" : "#575757", *rule = dark ? "#40444a" : "#cfcfcf", *band = line[dark][0];
    int i;
    page_put(w, ".back{fill:%s}text{fill:%s}text.u,text.b.d{fill:%s}text.b{fill:%s;stroke:%s}\n", back, text, dim, band,
             back);
    page_put(w, ".grid{stroke:%s}.axis,.mark.d{stroke:%s}.band{fill:%s}.band.d{fill:%s}.mark{stroke:%s}\n", rule,
             dim, band, dim, band);
    for (i = 0; i < GRAPH_COLOURS; i++)
        page_put(w, ".line.s%d,.bar.s%d{stroke:%s}.dot.s%d{fill:%s}\n", i, i, line[dark][i], i, line[dark][i]);
}

/* The picture with its key, and a line below the title; NULL text where there is nothing to draw. */
static void graph_alone(page *w, graph *g, const char *under)
{
    enum { ABOVE = 46, BELOW = 52, SIDE = 6, WIDE = (int)GRAPH_WIDTH + 2 * SIDE };
    int i, rows = 0, y;
    if (!graph_arrange(g)) return;
    for (i = 0; i < g->series; i++) rows += g->line[i].name[0] != 0;
    y = ABOVE + graph_bottom(g) + BELOW;
    page_put(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
             "role=\"img\">\n<title>", WIDE * 3 / 2, (y + GRAPH_ROW * rows) * 3 / 2, WIDE, y + GRAPH_ROW * rows);
    page_text(w, g->title);
    page_raw(w, "</title>\n<desc>");
    page_text(w, g->about);
    page_raw(w, "</desc>\n<style>\ntext{font:11px system-ui,sans-serif}text.t{font-size:15px;font-weight:600}"
             "text.c{text-anchor:middle}text.n{text-anchor:end}\n"
             "text.b{font-weight:600;paint-order:stroke;stroke-width:4px}text.b.d{font-weight:400}\n"
             ".grid,.axis,.mark,.line,.bar{fill:none}.grid{stroke-width:.7}.band{opacity:.14}.mark{stroke-width:1.3}"
             ".mark.d{stroke-dasharray:2 3}\n.line{stroke-width:1.8;stroke-linejoin:round}.dash{stroke-dasharray:5 4}"
             ".bar{stroke-width:1.2;opacity:.75}\n");
    graph_theme(w, 0);
    page_raw(w, "@media (prefers-color-scheme:dark){\n");
    graph_theme(w, 1);
    page_put(w, "}\n</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text class=\"t\" x=\"8\" y=\"21\">",
             WIDE, y + GRAPH_ROW * rows);
    page_text(w, g->title);
    page_raw(w, "</text>\n<text class=\"u\" x=\"8\" y=\"38\">");
    page_text(w, under);
    page_put(w, "</text>\n<g transform=\"translate(%d %d)\">\n", SIDE, ABOVE);
    graph_inside(w, g);
    page_raw(w, "</g>\n");
    for (i = 0; i < g->series; i++) {
        if (!g->line[i].name[0]) continue;
        page_put(w, "<g transform=\"translate(8 %d)\">", y);
        graph_sample(w, g, i);
        page_raw(w, "<text x=\"38\" y=\"10\">");
        page_text(w, g->line[i].name);
        page_raw(w, "</text></g>\n");
        y += GRAPH_ROW;
    }
    page_raw(w, "</svg>\n");
}

/* ---- maps of pairs ---------------------------------------------------------------------------- */

#define MAP_SIDE   400
#define MAP_LEFT    60
#define MAP_TOP     26
#define MAP_SHADES  24
#define MAP_LEAST 1.25     /* from one end of a ramp to the other at least: less would show noise as colours  */

/* Through viridis, by equal steps. */
static void map_colour(int shade, int *rgb)
{
    static const int through[5][3] = { { 68, 1, 84 }, { 59, 82, 139 }, { 33, 145, 140 }, { 94, 201, 98 },
                                       { 253, 231, 37 } };
    const double t = 4.0 * shade / (MAP_SHADES - 1);
    const int at = t < 3 ? (int)t : 3;
    int k;
    for (k = 0; k < 3; k++) rgb[k] = (int)(through[at][k] + (t - at) * (through[at + 1][k] - through[at][k]) + 0.5);
}

/* Letters on it are white where it is dark (luminance by the weights of ITU-R BT.709). */
static int map_dark(int shade)
{
    int rgb[3];
    map_colour(shade, rgb);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] < 120;
}

typedef struct pair_map {
    int    n;                   /* a side                                                            */
    double lo, hi;              /* of the ramp, logarithmic                                          */
    const char *unit;
    int    high_is_near;        /* 1 = the ramp is turned, so that near is dark in both              */
} pair_map;

static int map_shade(const pair_map *m, double v)
{
    double t = m->hi > m->lo && v > 0 ? log(v / m->lo) / log(m->hi / m->lo) : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    if (m->high_is_near) t = 1 - t;
    return (int)(t * (MAP_SHADES - 1) + 0.5);
}

static void map_begin(page *w, const char *title, const char *about)
{
    page_picture(w, "map", title, about, GRAPH_WIDTH, MAP_TOP + MAP_SIDE + 62);
}

static double map_cell(const pair_map *m) { return (double)MAP_SIDE / m->n; }

/* The ramp with numbers at its ends and in the middle. */
static void map_end(page *w, const pair_map *m)
{
    const double y = MAP_TOP + MAP_SIDE + 14, wide = (double)MAP_SIDE / MAP_SHADES;
    int i, rgb[3];
    for (i = 0; i < MAP_SHADES && m->hi > m->lo; i++) {
        map_colour(m->high_is_near ? MAP_SHADES - 1 - i : i, rgb);
        page_put(w, "<path fill=\"#%02x%02x%02x\" d=\"M%.1f %.0fh%.1fv12h-%.1fz\"/>", (unsigned)rgb[0],
                 (unsigned)rgb[1], (unsigned)rgb[2], MAP_LEFT + i * wide, y, wide + 0.3, wide + 0.3);
    }
    if (m->hi > m->lo)
        page_put(w, "<text x=\"%d\" y=\"%.0f\">%s</text><text class=\"c\" x=\"%d\" y=\"%.0f\">%s</text>"
                 "<text class=\"n\" x=\"%d\" y=\"%.0f\">%s %s</text>\n", MAP_LEFT, y + 29, digits(m->lo).text,
                 MAP_LEFT + MAP_SIDE / 2, y + 29, digits(sqrt(m->lo * m->hi)).text, MAP_LEFT + MAP_SIDE, y + 29,
                 digits(m->hi).text, m->unit);
    page_raw(w, "</svg>\n");
}

/* Cells of all pairs, those of a colour in one path, neighbours of a row together: 256 x 256 take some 0.7 MB. */
typedef double map_value(const void *ctx, int a, int b);    /* 0 = not known */
static void map_cells(page *w, const pair_map *m, map_value *value, const void *ctx)
{
    const double side = map_cell(m);
    int shade, a, b, from, some, rgb[3];
    for (shade = 0; shade < MAP_SHADES; shade++) {
        map_colour(shade, rgb);
        for (a = 0, some = 0; a < m->n; a++)
            for (b = 0; b < m->n; b++) {
                double v = a == b ? 0 : value(ctx, a, b);
                if (!(v > 0) || map_shade(m, v) != shade) continue;
                for (from = b; b + 1 < m->n; b++) {
                    v = a == b + 1 ? 0 : value(ctx, a, b + 1);
                    if (!(v > 0) || map_shade(m, v) != shade) break;
                }
                if (!some++)
                    page_put(w, "<path transform=\"translate(%d %d) scale(%.5g)\" fill=\"#%02x%02x%02x\" d=\"",
                             MAP_LEFT, MAP_TOP, side, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
                page_put(w, "M%d %dh%dv1h-%dz", from, a, b + 1 - from, b + 1 - from);
            }
        if (some) page_raw(w, "\"/>\n");
    }
}

/* Frames around the groups of a partition, the members of each next to each other. */
static void map_frames(page *w, const pair_map *m, const int16_t *group, const int *order)
{
    const double side = map_cell(m);
    int i, from = 0;
    page_raw(w, "<path class=\"frame\" d=\"");
    for (i = 1; i <= m->n; i++) {
        if (i < m->n && group[order[i]] == group[order[from]] && group[order[i]] >= 0) continue;
        if (group[order[from]] >= 0 && i - from > 1 && (i - from) * side > 10)
            page_put(w, "M%.1f %.1fh%.1fv%.1fh-%.1fz", MAP_LEFT + from * side, MAP_TOP + from * side, (i - from) * side,
                     (i - from) * side, (i - from) * side);
        from = i;
    }
    page_raw(w, "\"/>\n");
}

/* Numbers along both sides: all of up to 16, else some at equal distances. */
static void map_numbers(page *w, const pair_map *m, const int *number, const int *order)
{
    const double side = map_cell(m);
    const int step = m->n <= 16 ? 1 : (m->n + 7) / 8;
    int i;
    for (i = 0; i < m->n; i += step) {
        const double at = (i + 0.5) * side;
        page_put(w, "<text class=\"c%s\" x=\"%.1f\" y=\"%d\">%d</text><text class=\"n\" x=\"%d\" y=\"%.1f\">%d</text>",
                 i / step % 2 && m->n > 8 ? " o" : "", MAP_LEFT + at, MAP_TOP - 7, number[order[i]], MAP_LEFT - 7,
                 MAP_TOP + at + 4, number[order[i]]);
    }
    page_raw(w, "\n");
}

/* ---- the page --------------------------------------------------------------------------------- */

static const char *const page_style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1b;--dim:#575757;--rule:#cfcfcf;--panel:#f5f5f2;--band:#0072b2;"
    "--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8568f;--s4:#b97f00;--s5:#3a94cf;--s6:#1b1b1b}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#e8e8e6;--dim:#acacaa;--rule:#40444a;--panel:#1e2125;"
    "--band:#56b4e9;--s0:#56b4e9;--s1:#e69f00;--s2:#2fc796;--s3:#cc79a7;--s4:#f0e442;--s5:#d55e00;--s6:#e8e8e6}}\n",
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
    "header,main,footer{max-width:82rem;margin:0 auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:1.5rem 0 .3rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .4rem;padding-top:.8rem;border-top:2px solid var(--rule)}\n"
    "h3{font-size:1.05rem;margin:1.4rem 0 .3rem}\n"
    "p,dl.brief,ul.plain{max-width:46rem;margin:.5rem 0}\n"
    ".dim,caption,figcaption,footer{color:var(--dim)}\n"
    "a{color:var(--s0)}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:1rem 0}\n",
    "dl.brief{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1rem;background:var(--panel);"
    "padding:.8rem 1rem;border-left:4px solid var(--s0);max-width:60rem}\n"
    "dl.brief dt{font-weight:600}\n"
    "dl.brief dd{margin:0;overflow-wrap:anywhere}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,33rem),1fr));gap:1rem 2rem;"
    "align-items:start}\n"
    "figure{margin:1rem 0;max-width:44rem;min-width:0}\n"
    "figcaption{font-weight:600;margin-bottom:.3rem}\n"
    "svg{display:block;width:100%;height:auto}\n"
    "svg text{font:11px system-ui,sans-serif;fill:var(--fg)}\n"
    "svg text.c{text-anchor:middle}\n"
    "svg text.n{text-anchor:end}\n"
    "svg text.u{fill:var(--dim)}\n"
    "svg text.p{font-size:10.5px}\n"
    "svg text.q{font-size:7.8px}\n"
    ".topology{max-width:30rem}\n"
    "svg text.b{font-weight:600;fill:var(--band);paint-order:stroke;stroke:var(--bg);stroke-width:4px}\n"
    "svg text.b.d{font-weight:400;fill:var(--dim)}\n",
    ".grid{stroke:var(--rule);fill:none;stroke-width:.7}\n"
    ".axis{stroke:var(--dim);fill:none}\n"
    ".band{fill:var(--band);opacity:.14}\n"
    ".band.d{fill:var(--dim)}\n"
    ".mark{stroke:var(--band);fill:none;stroke-width:1.3}\n"
    ".mark.d{stroke:var(--dim);stroke-dasharray:2 3}\n"
    ".line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}\n"
    ".dash{stroke-dasharray:5 4}\n"
    ".dot{fill:currentColor}\n"
    ".dot.open{fill:var(--bg);stroke:currentColor;stroke-width:1.3}\n"
    ".bar{stroke:currentColor;fill:none;stroke-width:1.2;opacity:.75}\n"
    ".frame{fill:none;stroke:var(--bg);stroke-width:1.2}\n"
    ".box{fill:var(--panel);stroke:var(--dim)}\n"
    ".box.even{fill:var(--bg)}\n"
    ".box.cpu{fill:var(--bg);stroke:var(--s0)}\n"
    ".s0{color:var(--s0)}.s1{color:var(--s1)}.s2{color:var(--s2)}.s3{color:var(--s3)}.s4{color:var(--s4)}"
    ".s5{color:var(--s5)}.s6{color:var(--s6)}\n",
    ".key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;list-style:none;padding:0;margin:.3rem 0;font-size:.9rem}\n"
    ".key li{display:flex;align-items:center;gap:.4rem}\n"
    ".key svg{width:30px;height:12px;flex:none}\n"
    ".wide{overflow-x:auto;margin:.6rem 0}\n"
    "table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;padding:.2rem 0;font-weight:600}\n"
    "th,td{text-align:left;vertical-align:top;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--rule)}\n"
    "td,tbody th{white-space:nowrap}\n"
    "tbody th.over{white-space:normal;padding-top:.8rem}\n"
    "td.t{white-space:normal;min-width:10rem}\n"
    "thead th{vertical-align:bottom;font-weight:600;border-bottom:2px solid var(--rule)}\n"
    "tbody th{font-weight:600}\n"
    "details{margin:.5rem 0;max-width:60rem}\n"
    "summary{cursor:pointer;color:var(--s0)}\n"
    "details details{margin-left:1rem}\n"
    "footer{margin-top:3rem;padding-bottom:2rem;font-size:.9rem}\n",
    "@media (max-width:62rem){table.big{font-size:.8rem}}\n"
    "@media (max-width:40rem){\n"
    "table.big{font-size:.92rem}\n"
    "dl.brief{grid-template-columns:1fr;gap:0}\n"
    "dl.brief dd{margin-bottom:.6rem}\n"
    "svg text{font-size:15px}\n"
    "svg text.p{font-size:10.5px}\n"
    "svg text.q{font-size:7.8px}\n"
    "svg .o{display:none}\n"
    "table.stack thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}\n"
    "table.stack,table.stack tbody,table.stack tr,table.stack th,table.stack td,table.stack caption{display:block}\n"
    "table.stack tr{padding:.5rem 0;border-bottom:2px solid var(--rule)}\n"
    "table.stack th,table.stack td{border:0;white-space:normal;min-width:0;padding:.1rem 0;overflow-wrap:anywhere}\n"
    "table.stack td::before{content:attr(data-of) \": \";color:var(--dim)}\n"
    "table.flow td{display:inline-block;margin-right:.9rem}\n"
    "table.stack td:empty{display:none}\n"
    "}\n",
    "@media print{\n"
    ":root{--bg:#fff;--fg:#000;--dim:#444;--rule:#bbb;--panel:#f5f5f2;--band:#0072b2;--s0:#0072b2;--s1:#d55e00;"
    "--s2:#009e73;--s3:#b8568f;--s4:#b97f00;--s5:#3a94cf;--s6:#000}\n"
    "body{font-size:10.5pt}\n"
    "nav{display:none}\n"
    "figure,tr,dl,table.stack{break-inside:avoid}\n"
    "h2,h3,figcaption,caption{break-after:avoid}\n"
    ".plots{grid-template-columns:1fr 1fr;gap:.5rem 1rem}\n"
    ".wide{overflow:visible}\n"
    "figure details{display:none}\n"
    "#methods details::details-content{content-visibility:visible;block-size:auto}\n"
    "}\n"
};

/* The page around what was written into body; title is any text. */
static void page_around(page *w, const char *title, const page *top, const page *nav, const page *body)
{
    size_t i;
    page_raw(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    page_text(w, title);
    page_raw(w, "</title>\n<style>\n");
    for (i = 0; i < sizeof page_style / sizeof *page_style; i++) page_raw(w, page_style[i]);
    page_raw(w, "</style>\n</head>\n<body>\n<header>\n");
    if (top->text) page_add(w, top->text, top->length);
    if (nav->text) {
        page_raw(w, "<nav aria-label=\"Sections\"><ul>");
        page_add(w, nav->text, nav->length);
        page_raw(w, "</ul></nav>\n");
    }
    page_raw(w, "</header>\n<main>\n");
    if (body->text) page_add(w, body->text, body->length);
    w->failed |= top->failed | nav->failed | body->failed;
}

#endif /* SERVET_PAGE_H */

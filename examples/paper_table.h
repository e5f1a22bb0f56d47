/* paper_table.h - a table of numbers as `servet paper` gives it: text, CSV, a plot in text, and SVG
 *
 * The first column is x, or the rows have names.  Needs fail, size_text and write_whole of servet.c. */
#if !defined(PAPER_TABLE_H)
#define PAPER_TABLE_H

enum { PAPER_ROWS = 2050, PAPER_COLUMNS = 24, PAPER_WORD = 40 };
enum { PAPER_LOG_X = 1, PAPER_LOG_Y = 2 };    /* scales of a figure */

#define PAPER_UNKNOWN (-HUGE_VAL)              /* a cell that is not known is blank */

typedef struct paper_table {
    char   title[200];
    char   head[PAPER_COLUMNS][PAPER_WORD];    /* column 0 is of x, or of the rows' names */
    char   name[PAPER_ROWS][PAPER_WORD];
    double value[PAPER_ROWS][PAPER_COLUMNS];
    int    columns, rows;
    int    named;                              /* 1 = rows have names in place of x */
    int    sizes;                              /* 1 = x is in bytes */
    int    figure, scales;                     /* 1 = drawn too; PAPER_LOG_* */
    int    drawn;                              /* columns that are drawn, from the first; 0 = all */
    char   unit[PAPER_WORD];                   /* of what is drawn */
} paper_table;

static int paper_known(double x) { return x > PAPER_UNKNOWN && x < HUGE_VAL; }

static void paper_begin(paper_table *t, const char *title, const char *first)
{
    memset(t, 0, sizeof *t);
    snprintf(t->title, sizeof t->title, "%s", title);
    snprintf(t->head[0], PAPER_WORD, "%s", first);
    t->columns = 1;
}

/* A column more; returns its place, the last one where there is no room. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int paper_column(paper_table *t, const char *format, ...)
{
    va_list args;
    if (t->columns < PAPER_COLUMNS) t->columns++;
    va_start(args, format);
    vsnprintf(t->head[t->columns - 1], PAPER_WORD, format, args);
    va_end(args);
    return t->columns - 1;
}

/* A row more, all of it unknown but x; returns its place, the last one where there is no room. */
static int paper_row(paper_table *t, double x)
{
    int k;
    if (t->rows < PAPER_ROWS) t->rows++;
    for (k = 0; k < PAPER_COLUMNS; k++) t->value[t->rows - 1][k] = PAPER_UNKNOWN;
    t->value[t->rows - 1][0] = x;
    return t->rows - 1;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int paper_named(paper_table *t, const char *format, ...)
{
    const int row = paper_row(t, PAPER_UNKNOWN);
    va_list args;
    va_start(args, format);
    vsnprintf(t->name[row], PAPER_WORD, format, args);
    va_end(args);
    t->named = 1;
    return row;
}

static words paper_number(double x)
{
    words w;
    const double size = fabs(x);
    if (!paper_known(x)) w.text[0] = 0;
    else snprintf(w.text, sizeof w.text, "%.*f", size == floor(size) ? 0 : size >= 1000 ? 0 : size >= 100 ? 1
                  : size >= 10 ? 2 : 3, x);
    return w;
}

static words paper_first(const paper_table *t, int row)
{
    words w;
    if (!t->named) return t->sizes ? size_text(t->value[row][0]) : paper_number(t->value[row][0]);
    snprintf(w.text, sizeof w.text, "%s", t->name[row]);
    return w;
}

static void paper_text(const paper_table *t)
{
    int width[PAPER_COLUMNS], r, k;
    for (k = 0; k < t->columns; k++) width[k] = (int)strlen(t->head[k]) > 8 ? (int)strlen(t->head[k]) : 8;
    for (r = 0; r < t->rows; r++)
        if ((int)strlen(paper_first(t, r).text) > width[0]) width[0] = (int)strlen(paper_first(t, r).text);
    for (k = 0; k < t->columns; k++) printf(k ? "  %*s" : "%-*s", width[k], t->head[k]);
    printf("\n");
    for (r = 0; r < t->rows; r++) {
        printf("%-*s", width[0], paper_first(t, r).text);
        for (k = 1; k < t->columns; k++) printf("  %*s", width[k], paper_number(t->value[r][k]).text);
        printf("\n");
    }
}

/* A value that has a comma or a quote is quoted (RFC 4180). */
static void paper_csv_word(const char *word)
{
    if (!strpbrk(word, ",\"")) {
        fputs(word, stdout);
        return;
    }
    putchar('"');
    for (; *word; word++) {
        if (*word == '"') putchar('"');
        putchar(*word);
    }
    putchar('"');
}

static void paper_csv(const paper_table *t)
{
    int r, k;
    for (k = 0; k < t->columns; k++) {
        if (k) putchar(',');
        paper_csv_word(t->head[k]);
    }
    putchar('\n');
    for (r = 0; r < t->rows; r++) {
        if (t->named) paper_csv_word(t->name[r]);
        else printf("%.9g", t->value[r][0]);
        for (k = 1; k < t->columns; k++) {
            putchar(',');
            if (paper_known(t->value[r][k])) printf("%.9g", t->value[r][k]);
        }
        putchar('\n');
    }
}

/* ---- figures --------------------------------------------------------------------------------- */

typedef struct paper_axes { double x_lo, x_hi, y_lo, y_hi; int scales, last; } paper_axes;

static double paper_x(const paper_table *t, int row) { return t->named ? row + 1 : t->value[row][0]; }

/* The range of what is drawn: from 0 where a scale of y is linear.  0 = there is nothing to draw. */
static int paper_axes_of(paper_axes *a, const paper_table *t)
{
    int r, k, some = 0;
    memset(a, 0, sizeof *a);
    a->scales = t->scales;
    a->last = t->drawn ? t->drawn : t->columns - 1;
    for (r = 0; r < t->rows; r++)
        for (k = 1; k <= a->last; k++) {
            const double x = paper_x(t, r), y = t->value[r][k];
            if (!paper_known(y) || ((a->scales & PAPER_LOG_X) && x <= 0) || ((a->scales & PAPER_LOG_Y) && y <= 0))
                continue;
            if (!some || x < a->x_lo) a->x_lo = x;
            if (!some || x > a->x_hi) a->x_hi = x;
            if (!some || y < a->y_lo) a->y_lo = y;
            if (!some || y > a->y_hi) a->y_hi = y;
            some = 1;
        }
    if (t->named) {    /* bars, each in the middle of a step of 1 */
        a->x_lo = 0.5;
        a->x_hi = t->rows + 0.5;
    }
    if (!(a->scales & PAPER_LOG_Y) && a->y_lo > 0) a->y_lo = 0;
    if (a->x_hi <= a->x_lo) a->x_hi = a->x_lo * 2 + 1;
    if (a->y_hi <= a->y_lo) a->y_hi = a->y_lo * 2 + 1;
    return some;
}

/* Where between 0 and 1 a value is on its axis; below 0 = it is not on it. */
static double paper_on_axis(double v, double lo, double hi, int is_log)
{
    if (!paper_known(v) || (is_log && v <= 0)) return -1;
    return is_log ? log(v / lo) / log(hi / lo) : (v - lo) / (hi - lo);
}

static double paper_on_x(const paper_axes *a, double v)
{
    return paper_on_axis(v, a->x_lo, a->x_hi, a->scales & PAPER_LOG_X);
}

static double paper_on_y(const paper_axes *a, double v)
{
    return paper_on_axis(v, a->y_lo, a->y_hi, a->scales & PAPER_LOG_Y);
}

/* In characters, a letter for each series; where two meet the later one is seen. */
static void paper_plot(const paper_table *t)
{
    enum { WIDE = 64, HIGH = 16 };
    char cell[HIGH][WIDE + 1];
    paper_axes a;
    int r, k;
    if (t->rows < 3 || !paper_axes_of(&a, t)) return;    /* two points are read from the table */
    for (r = 0; r < HIGH; r++) {
        memset(cell[r], ' ', WIDE);
        cell[r][WIDE] = 0;
    }
    for (k = 1; k <= a.last; k++)
        for (r = 0; r < t->rows; r++) {
            const double x = paper_on_x(&a, paper_x(t, r)), y = paper_on_y(&a, t->value[r][k]);
            if (x < 0 || y < 0) continue;
            cell[HIGH - 1 - (int)(y * (HIGH - 1) + 0.5)][(int)(x * (WIDE - 1) + 0.5)] = (char)('a' + k - 1);
        }
    printf("\n");
    for (r = 0; r < HIGH; r++)
        printf("%9s |%s\n", r == 0 ? paper_number(a.y_hi).text : r == HIGH - 1 ? paper_number(a.y_lo).text : "",
               cell[r]);
    printf("%9s +", "");
    for (k = 0; k < WIDE; k++) putchar('-');
    printf("\n%9s  %-32s%32s\n", t->unit, t->sizes ? size_text(a.x_lo).text : paper_number(a.x_lo).text,
           t->sizes ? size_text(a.x_hi).text : paper_number(a.x_hi).text);
    for (k = 1; k <= a.last; k++) printf("%9s  %c  %s\n", "", 'a' + k - 1, t->head[k]);
}

static void paper_svg_word(FILE *f, const char *word)
{
    for (; *word; word++) {
        if (*word == '&') fputs("&amp;", f);
        else if (*word == '<') fputs("&lt;", f);
        else if (*word == '>') fputs("&gt;", f);
        else fputc(*word, f);
    }
}

/* Ticks of an axis: 1, 2, 5 of each decade, powers of two of bytes, or steps of 1, 2, 5 where it is linear. */
static double paper_tick(double after, double lo, double hi, int is_log, int bytes, int whole)
{
    double unit;
    if (is_log && bytes) return after <= 0 ? exp2(ceil(log2(lo))) : after * (log2(hi / lo) > 8 ? 4 : 2);
    if (is_log) {
        const double decade = pow(10, floor(log10((after > 0 ? after : lo) * 1.0001)));
        const double digit = (after > 0 ? after : lo * 0.9999) / decade;
        return decade * (digit < 0.9999 ? 1 : digit < 1.9999 ? 2 : digit < 4.9999 ? 5 : 10);
    }
    unit = pow(10, floor(log10((hi - lo) / 4)));
    unit *= (hi - lo) / unit > 20 ? 5 : (hi - lo) / unit > 8 ? 2 : 1;
    if (whole && unit < 1) unit = 1;
    return after < lo - unit / 2 ? fabs(ceil(lo / unit - 1e-9) * unit) : after + unit;
}

static const int PAPER_LEFT = 70, PAPER_TOP = 50, PAPER_WIDE = 480, PAPER_HIGH = 300;    /* in SVG */

static void paper_svg_axes(FILE *f, const paper_table *t, const paper_axes *a)
{
    const int log_x = a->scales & PAPER_LOG_X, log_y = a->scales & PAPER_LOG_Y;
    double v;
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", PAPER_LEFT,
            PAPER_TOP, PAPER_WIDE, PAPER_HIGH);
    for (v = paper_tick(log_x ? 0 : a->x_lo - (a->x_hi - a->x_lo), a->x_lo, a->x_hi, log_x, t->sizes, 1);
         v <= a->x_hi * 1.0001; v = paper_tick(v, a->x_lo, a->x_hi, log_x, t->sizes, 1)) {
        const double x = PAPER_LEFT + PAPER_WIDE * paper_on_x(a, v);
        if (t->named && (v < 1 || v > t->rows || (t->rows > 24 && (int)v % (t->rows / 12)))) continue;
        fprintf(f, "<path d=\"M%.1f %dv-5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                PAPER_TOP + PAPER_HIGH, x, PAPER_TOP + PAPER_HIGH + 18);
        paper_svg_word(f, t->sizes ? size_text(v).text : t->named ? t->name[(int)v - 1]
                          : paper_number(v).text);
        fputs("</text>\n", f);
    }
    for (v = paper_tick(log_y ? 0 : a->y_lo - (a->y_hi - a->y_lo), a->y_lo, a->y_hi, log_y, 0, 0);
         v <= a->y_hi * 1.0001; v = paper_tick(v, a->y_lo, a->y_hi, log_y, 0, 0)) {
        const double y = PAPER_TOP + PAPER_HIGH * (1 - paper_on_y(a, v));
        fprintf(f, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                PAPER_LEFT, y, PAPER_WIDE, PAPER_LEFT - 6, y + 4, paper_number(v).text);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", PAPER_LEFT + PAPER_WIDE / 2,
            PAPER_TOP + PAPER_HIGH + 38);
    paper_svg_word(f, t->head[0]);
    fprintf(f, "</text>\n<text x=\"%d\" y=\"%d\">", 10, PAPER_TOP - 10);
    paper_svg_word(f, t->unit);
    fputs("</text>\n", f);
}

/* A bar of each row, beside those of the other series. */
static void paper_svg_bars(FILE *f, const paper_table *t, const paper_axes *a, int k, const char *colour)
{
    const double step = PAPER_WIDE / (double)t->rows, wide = 0.8 * step / a->last;
    int r;
    for (r = 0; r < t->rows; r++) {
        const double up = paper_on_y(a, t->value[r][k]);
        if (up < 0) continue;
        fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                PAPER_LEFT + step * (r + 0.1) + wide * (k - 1), PAPER_TOP + PAPER_HIGH * (1 - up), wide,
                PAPER_HIGH * up, colour);
    }
}

/* The colours of Okabe and Ito, which the colour-blind can tell apart; dashes beyond eight. */
static void paper_svg_lines(FILE *f, const paper_table *t, const paper_axes *a)
{
    static const char *const colour[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000",
                                          "#8a7d00" };
    int r, k;
    for (k = 1; k <= a->last; k++) {
        const char *c = colour[(k - 1) % 8], *dash = k > 8 ? " stroke-dasharray=\"6 3\"" : "";
        const int y = PAPER_TOP + 8 + 18 * (k - 1), x = PAPER_LEFT + PAPER_WIDE + 14;
        int begun = 0;
        fprintf(f, "<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"%d\"%s/><text x=\"%d\" y=\"%d\">", x, y, c,
                t->named ? 8 : 2, dash, x + 30, y + 4);
        paper_svg_word(f, t->head[k]);
        fputs("</text>\n", f);
        if (t->named) {
            paper_svg_bars(f, t, a, k, c);
            continue;
        }
        fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"", c, dash);
        for (r = 0; r < t->rows; r++) {
            const double at = paper_on_x(a, paper_x(t, r)), up = paper_on_y(a, t->value[r][k]);
            if (at < 0 || up < 0) continue;
            fprintf(f, "%c%.1f %.1f", begun++ ? 'L' : 'M', PAPER_LEFT + PAPER_WIDE * at,
                    PAPER_TOP + PAPER_HIGH * (1 - up));
        }
        fputs(begun ? "\"/>\n" : "M0 0\"/>\n", f);
        for (r = 0; r < t->rows; r++) {
            const double at = paper_on_x(a, paper_x(t, r)), up = paper_on_y(a, t->value[r][k]);
            if (at < 0 || up < 0) continue;
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", PAPER_LEFT + PAPER_WIDE * at,
                    PAPER_TOP + PAPER_HIGH * (1 - up), c);
        }
    }
}

/* Written to a file, or - for standard output.  0, or an exit code with a message. */
static int paper_svg(const paper_table *t, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    paper_axes a;
    FILE *f;
    int code, k, longest = 8;
    if (!paper_axes_of(&a, t)) return fail("paper: there is nothing to draw");
    f = open_memstream(&text, &length);
    if (!f) return fail("out of memory");
    for (k = 1; k <= a.last; k++) if ((int)strlen(t->head[k]) > longest) longest = (int)strlen(t->head[k]);
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n<title>", PAPER_LEFT + PAPER_WIDE + 60 + 7 * longest,
            PAPER_TOP + (a.last > 19 ? 18 * a.last : PAPER_HIGH) + 50);
    paper_svg_word(f, t->title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
          "<text x=\"10\" y=\"20\" font-size=\"14\">", f);
    paper_svg_word(f, t->title);
    fputs("</text>\n", f);
    paper_svg_axes(f, t, &a);
    paper_svg_lines(f, t, &a);
    fputs("</svg>\n", f);
    if (fclose(f) != 0 || !text) {
        free(text);
        return fail("out of memory");
    }
    code = write_whole(path, text);
    free(text);
    return code;
}

#endif

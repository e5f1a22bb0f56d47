/* inference.c - how right are the cache sizes after so many seconds, by servet and by other ways to find them?
 *
 * Build:   cc -O2 -I. bench/inference.c -o inference -pthread -lm      (or: make bench)
 * Run:     inference [--seeds N] [--noise silent|quiet|guest|crowded] [--machines NAME,...|all] [--seconds S,...]
 *                    [--csv] [--svg FILE] [--verbose]
 *          inference --machine --truth 32K,1M,any [--seeds N] [--seconds S,...] [--csv] [--svg FILE] [--verbose]
 * The first runs on modelled machines (tests/sim.h; eight from all over the table if none is named), whose truth is
 * known and whose seconds are counted, not waited for; the second on this one, whose truth you give: sizes in bytes or
 * with K, M; any = a level whose size is not known.  Prints a table (Markdown, or CSV) on stdout and all else on
 * stderr, with --verbose each answer; asserts nothing.
 *
 *   servet       servet_profile_calibrate, told how long it may take
 *   2010         the method of Servet's paper: ascending addresses at a stride of 1 KiB, sizes that double up to 2 MiB
 *                and then grow by 1 MiB; servet_fit_servet
 *   2010-random  the same in random order, which the prefetchers of today do not follow
 *   doubling     powers of two, one random cycle (TLB misses included), as many latency tools print them; read as
 *                their users do: a level ends where the next size takes more than 1.25 times as long, and where that
 *                is so for several in a row, at the steepest
 *   half-way     4 sizes per octave, servet's own chase; a level ends where the latency has risen half of its step
 *   lmbench      the rules of its program `cache`: sizes at quarters, bisected where the latency rises by more than
 *                1.35, page by page; a level ends at the last rise above 1.5, and 1.25 and 1.75 times a power of two
 *                are no sizes.  Its search for pages that collide is left out: it can take minutes
 *
 * All of them measure by the same callback and are given the same seconds.  servet is run anew for each time.  The
 * others chase neighbouring pages, as of one buffer, go over their sizes up to 5 times, and are asked at each time what
 * they know: the median at each size, of all sizes measured so far.  They end at four times the last level, which they
 * cannot know: that saves them time.  servet goes as far as servet_profile_calibrate would: 16, 64 or 256 MiB, by the
 * time there is.
 *
 *   spent     seconds, mean
 *   levels    share of the runs with the right number of levels, all of them true; and how many found were not true,
 *             mean: who answers many sizes has one near the truth as well
 *   L1, L2.., last   relative error of the size: median and 90 %, over all true levels of that kind (L2.. are those
 *             neither first nor last); `none` = not found.  A true level and one found belong together if each is
 *             the other's nearest and they are less than a factor of 3 apart
 *   covered   true levels inside the interval given, of those found, and the median width of the interval as a share
 *             of the size: without the last level, then of that, whose interval says where misses began and where
 *             they were the rule.  Only servet gives intervals
 */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "tests/sim.h"

#include <float.h>
#include <stdarg.h>

enum { SERVET, PAPER, SHUFFLED, DOUBLING, HALFWAY, LMBENCH, METHODS };
enum { FIRST, MIDDLE, LAST, KINDS };
enum { TIMES_MAX = 16, SIZES_MAX = 512, REPEATS = 5, SPREAD = 8 };
#define MIB 1048576.0

static const char *const method_name[] = { "servet", "2010", "2010-random", "doubling", "half-way", "lmbench" };

static const char *const noise_name[SIM_NOISES] = { "silent", "quiet", "guest", "crowded" };

typedef struct answer {
    int    count, intervals;
    double bytes[SERVET_LEVELS_MAX], lo[SERVET_LEVELS_MAX], hi[SERVET_LEVELS_MAX];
    double spent_s;
} answer;

typedef struct list { double *x; size_t n, room; } list;

typedef struct score {
    int    runs, levels, covered[2];    /* [1]: of last levels */
    double spent_s, extra;
    list   error[KINDS], width[2];
} score;

/* A machine, modelled or this one, with what is to be found. */
typedef struct subject {
    const sim_spec *spec;     /* NULL = this machine */
    sim             modelled;
    servet_rig      rig;
    servet_machine  m;
    int             levels;
    double          truth[SERVET_LEVELS_MAX];   /* 0 = not known */
    double          page_bytes, hi_bytes, grid_hi_bytes;
} subject;

static struct {
    int         seeds, noise, csv, machine, verbose, times, machines;
    double      seconds[TIMES_MAX];
    const char *svg;
    const sim_spec *spec[SIM_MACHINES + SPREAD];
    int         truths;
    double      truth[SERVET_LEVELS_MAX];
} args;
static score   scores[METHODS][TIMES_MAX];
static subject on;
static servet_profile profile;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3), noreturn))
#endif
static void quit(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "inference: ");
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    exit(status);
}

static void push(list *l, double x)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->x = (double *)realloc(l->x, l->room * sizeof *l->x);
        if (!l->x) quit(1, "out of memory");
    }
    l->x[l->n++] = x;
}

/* An order statistic, as some of the errors are infinite; the list is sorted.  -1 of nothing. */
static double quantile(const list *l, double q)
{
    size_t i = (size_t)ceil(q * (double)l->n);
    return l->n == 0 ? -1 : l->x[i > 0 ? i - 1 : 0];
}

/* ---- the subject ------------------------------------------------------------------------------------ */

static int subject_open(subject *s, const sim_spec *spec, uint64_t seed)
{
    double last;
    int i, status;
    s->spec = spec;
    s->page_bytes = 4096;
    s->hi_bytes = 256 * MIB;
    if (spec) {
        s->levels = sim_truth_levels(spec);
        for (i = 0; i < s->levels; i++) s->truth[i] = sim_truth_bytes(spec, i);
        s->page_bytes = spec->page_bytes;
        status = sim_open(&s->modelled, spec, &sim_noises[args.noise], seed);
        s->m = sim_machine(&s->modelled);
    } else {
        servet_rig_opts o;
        memset(&o, 0, sizeof o);
        o.seed = seed;
        s->levels = args.truths;
        memcpy(s->truth, args.truth, sizeof s->truth);
        do {
            o.hi_bytes = s->hi_bytes;
            status = servet_rig_open(&s->rig, &o);
        } while (status == SERVET_ENOMEM && (s->hi_bytes /= 2) >= MIB);
        s->m = servet_rig_machine(&s->rig);
    }
    last = s->truth[s->levels - 1];
    s->grid_hi_bytes = last > 0 ? exp2(ceil(log2(4 * last))) : 128 * MIB;
    s->grid_hi_bytes = fmin(s->grid_hi_bytes, s->hi_bytes);
    return status;
}

static void subject_close(subject *s)
{
    if (s->spec) sim_close(&s->modelled);
    else servet_rig_close(&s->rig);
}

/* ---- methods on a grid of sizes --------------------------------------------------------------------- */

/* What is measured, and when it is asked for: where a time has passed, the answer is made of what came before. */
typedef struct grid {
    const subject    *on;
    servet_chase_opts chase;
    int      method, size_count, next, failed;
    double   begun_s;
    answer  *out;
    uint64_t seed;
    double   bytes[SIZES_MAX], ns[SIZES_MAX][REPEATS];
    int      count[SIZES_MAX];
} grid;

static double grid_ns(const grid *g, int i)
{
    double x[REPEATS];
    memcpy(x, g->ns[i], sizeof x);
    servet_stats_sort(x, (size_t)g->count[i]);
    return servet_stats_quantile(x, (size_t)g->count[i], 0.5);
}

/* The sizes measured so far, ascending. */
static int grid_known(const grid *g, double *bytes, double *ns, int *at)
{
    int i, n = 0;
    for (i = 0; i < g->size_count; i++) {
        if (g->count[i] == 0) continue;
        bytes[n] = g->bytes[i];
        ns[n] = grid_ns(g, i);
        at[n++] = i;
    }
    return n;
}

static void found(answer *a, double bytes)
{
    if (a->count < SERVET_LEVELS_MAX) a->bytes[a->count++] = bytes;
}

static void answer_doubling(answer *a, const double *bytes, const double *ns, int n)
{
    int i;
    for (i = 0; i + 1 < n; i++) {
        const double rise = ns[i + 1] / ns[i];
        if (rise > 1.25 && (i == 0 || rise >= ns[i] / ns[i - 1]) && (i + 2 == n || rise > ns[i + 2] / ns[i + 1]))
            found(a, bytes[i]);
    }
}

/* A step is where each size takes more than 5 % longer than the one before, 1.25 times as long in all. */
static void answer_halfway(answer *a, const double *bytes, const double *measured, int n)
{
    double ns[SIZES_MAX], scratch[2 * SIZES_MAX];
    int i, from;
    for (i = 0; i < n; i++) ns[i] = measured[i];
    servet_stats_isotonic(ns, NULL, (size_t)n, scratch);
    for (i = 0; i + 1 < n; i++) {
        double half;
        if (!(ns[i + 1] > 1.05 * ns[i])) continue;
        for (from = i; i + 1 < n && ns[i + 1] > 1.05 * ns[i]; i++) { }
        if (!(ns[i] > 1.25 * ns[from])) continue;
        half = 0.5 * (ns[from] + ns[i]);
        while (ns[from + 1] < half) from++;
        found(a, bytes[from] * pow(bytes[from + 1] / bytes[from], (half - ns[from]) / (ns[from + 1] - ns[from])));
    }
}

static void answer_lmbench(answer *a, const grid *g, const double *measured, const int *at, int n)
{
    double ns[SIZES_MAX], rise[SIZES_MAX], most;
    int i, j, from;
    for (i = 0; i < n; i++) ns[i] = measured[i];
    for (i = n - 1; i-- > 0; ) {    /* what takes longer than the size after it is taken for an error */
        if (ns[i + 1] < 0.98 * ns[i]) ns[i] = ns[i + 1];
        rise[i] = ns[i + 1] / ns[i];
    }
    for (from = 0; ; from = j + 1) {
        double quarter;
        for (i = from, j = -1, most = 0; i + 1 < n; i++) {
            most = fmax(most, rise[i]);
            if (rise[i] > 1.5) j = i;
            if (most > 1.5 && 2 * g->bytes[at[j]] <= g->bytes[at[i]]) break;
        }
        if (i + 1 >= n || j < 0 || ns[j] > 0.5 * ns[n - 1]) break;
        quarter = g->bytes[at[j]] / exp2(floor(log2(g->bytes[at[j]])));
        found(a, g->bytes[at[j] + (quarter == 1.25 || quarter == 1.75)]);
    }
}

static answer grid_answer(const grid *g)
{
    double bytes[SIZES_MAX], ns[SIZES_MAX];
    int at[SIZES_MAX], i, n = grid_known(g, bytes, ns, at);
    servet_levels levels;
    answer a;
    memset(&a, 0, sizeof a);
    switch (g->method) {
    case DOUBLING: answer_doubling(&a, bytes, ns, n); break;
    case HALFWAY:  answer_halfway(&a, bytes, ns, n); break;
    case LMBENCH:  answer_lmbench(&a, g, ns, at, n); break;
    default:
        if (servet_fit_servet(&levels, bytes, ns, (size_t)n, g->on->page_bytes, 0) < 0) break;
        for (i = 0; i < levels.count; i++) found(&a, levels.level[i].bytes);
    }
    return a;
}

static int grid_over(const grid *g)
{
    return g->failed || g->next >= args.times;
}

/* One more sample of size i, unless it has as many as this pass is to give. */
static void grid_take(grid *g, int i, int pass)
{
    servet_sample sample;
    double spent_s;
    if (grid_over(g) || g->count[i] >= pass) return;
    g->chase.seed = servet_stats_random(&g->seed);
    memset(&sample, 0, sizeof sample);
    if (g->on->m.chase(g->on->m.ctx, (size_t)(g->bytes[i] / g->chase.line_bytes), &g->chase, &sample) < 0) {
        g->failed = 1;
        return;
    }
    spent_s = g->on->m.seconds(g->on->m.ctx) - g->begun_s;
    for (; g->next < args.times && spent_s > args.seconds[g->next]; g->next++) {
        g->out[g->next] = grid_answer(g);
        g->out[g->next].spent_s = args.seconds[g->next];
    }
    if (g->next < args.times) g->ns[i][g->count[i]++] = sample.ns;
}

/* lmbench's bisection, in the order it takes. */
static void grid_bisect(grid *g, int left, int right, int pass)
{
    const int middle = left + (right - left) / 2;
    double rise;
    if (middle == left || grid_over(g) || g->count[left] == 0 || g->count[right] == 0) return;
    rise = grid_ns(g, right) / grid_ns(g, left);
    if (rise >= 0.97 && rise <= 1.35) return;
    grid_take(g, middle, pass);
    grid_bisect(g, middle, right, pass);
    grid_bisect(g, left, middle, pass);
}

static void grid_sizes(grid *g)
{
    const double hi = g->on->grid_hi_bytes;
    double bytes;
    int quarter;
    if (g->method == HALFWAY) {
        g->size_count = servet__mcalibrator_grid(g->bytes, SIZES_MAX, 4096, hi, 4, g->chase.line_bytes);
        return;
    }
    for (bytes = g->method == LMBENCH ? 512 : 4096; bytes <= hi && g->size_count + 4 < SIZES_MAX; ) {
        if (g->method == LMBENCH) {
            for (quarter = 0; quarter < 4; quarter++) g->bytes[g->size_count++] = bytes * (1 + quarter / 4.0);
        } else {
            g->bytes[g->size_count++] = bytes;
        }
        bytes = (g->method == PAPER || g->method == SHUFFLED) && bytes >= 2 * MIB ? bytes + MIB : bytes * 2;
    }
}

static int grid_run(answer *out, const subject *s, int method, uint64_t seed)
{
    static grid g;
    int i, pass;
    memset(&g, 0, sizeof g);
    g.on = s;
    g.method = method;
    g.out = out;
    g.seed = seed;
    g.chase.page_bytes = (int)s->page_bytes;
    g.chase.line_bytes = 64;
    g.chase.in_place = 1;    /* one buffer, as such tools have it; where its pages lie in memory is another matter */
    if (method == PAPER) g.chase.pattern = SERVET_CHASE_STRIDE;
    if (method == PAPER || method == SHUFFLED) g.chase.line_bytes = 1024;
    if (method == DOUBLING) g.chase.pattern = SERVET_CHASE_RANDOM;
    if (method == LMBENCH) g.chase.group_pages = 1;
    grid_sizes(&g);
    g.begun_s = s->m.seconds(s->m.ctx);
    for (pass = 1; pass <= REPEATS && !grid_over(&g); pass++) {
        if (method == LMBENCH) {
            grid_take(&g, g.size_count - 1, pass);
            grid_take(&g, 0, pass);
            grid_bisect(&g, 0, g.size_count - 1, pass);
        } else {
            for (i = 0; i < g.size_count; i++) grid_take(&g, i, pass);
        }
    }
    for (; g.next < args.times; g.next++) {    /* done before the time is over */
        out[g.next] = grid_answer(&g);
        out[g.next].spent_s = fmin(s->m.seconds(s->m.ctx) - g.begun_s, args.seconds[g.next]);
    }
    return g.failed ? -1 : 0;
}

/* ---- servet ----------------------------------------------------------------------------------------- */

static int by_servet(answer *a, const subject *s, double seconds, uint64_t seed)
{
    servet_profile_opts o;
    servet_host host;
    int i, status;
    memset(a, 0, sizeof *a);
    servet_profile_free(&profile);
    memset(&profile, 0, sizeof profile);
    memset(&host, 0, sizeof host);
    if (s->spec) {    /* what the system says of it; without its memory the end of the sweep could be taken for that */
        host.page_bytes = (int)s->page_bytes;
        host.memory_bytes = 16384 * MIB;
    } else {
        servet__machine_host(&host);
    }
    memset(&o, 0, sizeof o);
    o.machine = &s->m;
    o.host = &host;
    o.run.budget_s = seconds;
    o.hi_bytes = fmin(s->hi_bytes, (seconds >= 1.5 ? 256 : seconds > 0.5 ? 64 : 16) * MIB);
    o.run.seed = seed;
    status = servet_profile_calibrate(&profile, &o);
    a->spent_s = profile.made.seconds;
    if (status < 0 && status != SERVET_ESTOPPED) return -1;
    a->intervals = 1;
    for (i = 0; i < profile.cache_count; i++) {
        a->lo[i] = profile.cache[i].lo_bytes;
        a->hi[i] = profile.cache[i].hi_bytes;
        found(a, profile.cache[i].bytes);
    }
    return 0;
}

/* ---- scores ----------------------------------------------------------------------------------------- */

static int nearest(const double *x, int n, double to)
{
    int i, best = -1;
    for (i = 0; i < n; i++)
        if (x[i] > 0 && (best < 0 || fabs(log(x[i] / to)) < fabs(log(x[best] / to)))) best = i;
    return best;
}

static void add(score *to, const answer *a, const subject *s)
{
    int i, k, extra = a->count;
    to->runs++;
    to->spent_s += a->spent_s;
    for (i = 0; i < s->levels; i++) {
        const int kind = i == 0 ? FIRST : i + 1 < s->levels ? MIDDLE : LAST;
        if (!(s->truth[i] > 0)) {
            extra--;
            continue;
        }
        k = nearest(a->bytes, a->count, s->truth[i]);
        if (k < 0 || nearest(s->truth, s->levels, a->bytes[k]) != i
            || fabs(log(a->bytes[k] / s->truth[i])) > log(3.0)) {
            push(&to->error[kind], HUGE_VAL);
            continue;
        }
        extra--;
        push(&to->error[kind], fabs(a->bytes[k] / s->truth[i] - 1));
        if (!a->intervals) continue;
        push(&to->width[kind == LAST], (a->hi[k] - a->lo[k]) / a->bytes[k]);
        to->covered[kind == LAST] += a->lo[k] <= s->truth[i] && s->truth[i] <= a->hi[k];
    }
    to->levels += a->count == s->levels && extra <= 0;
    to->extra += extra > 0 ? extra : 0;
}

static void say(const char *name, int seed, int method, int t, const answer *a)
{
    int i;
    fprintf(stderr, "%s, seed %d, %s, %g s:", name, seed, method_name[method], args.seconds[t]);
    for (i = 0; i < a->count; i++) {
        fprintf(stderr, "  %.1fK", a->bytes[i] / 1024);
        if (a->intervals) fprintf(stderr, " [%.1f, %.1f]", a->lo[i] / 1024, a->hi[i] / 1024);
    }
    fprintf(stderr, "\n");
}

static void run_all(const sim_spec *spec)
{
    const char *name = spec ? spec->name : "this machine";
    answer out[TIMES_MAX];
    int seed, method, t, u, bad;
    for (seed = 1; seed <= args.seeds; seed++) {
        for (method = 0; method < METHODS; method++) {
            for (t = 0; t < args.times; t = u) {    /* servet for one time, the others for all at once */
                const uint64_t key = (uint64_t)seed * 1000 + (uint64_t)t;
                const int status = subject_open(&on, spec, key);
                if (status < 0) quit(1, "%s: %s", name, servet_status_text(status));
                memset(out, 0, sizeof out);
                bad = method == SERVET ? by_servet(&out[t], &on, args.seconds[t], key)
                                       : grid_run(out, &on, method, key);
                if (bad) fprintf(stderr, "inference: %s: %s could not measure\n", name, method_name[method]);
                for (u = t; u <= (method == SERVET ? t : args.times - 1); u++) {
                    add(&scores[method][u], &out[u], &on);
                    if (args.verbose) say(name, seed, method, u, &out[u]);
                }
                subject_close(&on);
            }
        }
    }
    fprintf(stderr, "inference: %s done\n", name);
}

/* ---- tables and a drawing --------------------------------------------------------------------------- */

static const char *percent(char *buf, size_t cap, double x)
{
    if (x < 0) snprintf(buf, cap, "-");
    else if (x > DBL_MAX) snprintf(buf, cap, "none");
    else snprintf(buf, cap, x < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * x);
    return buf;
}

static void print_markdown(void)
{
    char x[2][32];
    int t, method, k;
    printf("| seconds | method      | spent | levels, extra | L1: median, 90 %% | L2..: med., 90 %% "
           "| last: med., 90 %% | covered, width; last |\n");
    printf("| ------: | ----------- | ----: | ------------: | ---------------- | ---------------- | ---------------- "
           "| -------------------- |\n");
    for (t = 0; t < args.times; t++) {
        for (method = 0; method < METHODS; method++) {
            const score *s = &scores[method][t];
            printf("| %7g | %-11s | %5.2f | %7s, %4.1f |", args.seconds[t], method_name[method], s->spent_s / s->runs,
                   percent(x[0], sizeof x[0], (double)s->levels / s->runs), s->extra / s->runs);
            for (k = 0; k < KINDS; k++) {
                percent(x[0], sizeof x[0], quantile(&s->error[k], 0.5));
                percent(x[1], sizeof x[1], quantile(&s->error[k], 0.9));
                printf(" %7s, %7s |", x[0], x[1]);
            }
            if (method != SERVET) printf(" - |\n");
            for (k = 0; method == SERVET && k < 2; k++) {
                const list *w = &s->width[k];
                percent(x[0], sizeof x[0], w->n ? s->covered[k] / (double)w->n : -1);
                percent(x[1], sizeof x[1], quantile(w, 0.5));
                printf(k ? "; %s, %s |\n" : " %s, %s", x[0], x[1]);
            }
        }
    }
}

static void print_csv(void)
{
    int t, method, k;
    printf("seconds,method,runs,spent_s,levels_right_frac,extra_levels,l1_median,l1_q90,middle_median,middle_q90,"
           "last_median,last_q90,found,covered_frac,width_median,last_found,last_covered_frac,last_width_median\n");
    for (t = 0; t < args.times; t++) {
        for (method = 0; method < METHODS; method++) {
            const score *s = &scores[method][t];
            printf("%g,%s,%d,%.3f,%.4f,%.3f", args.seconds[t], method_name[method], s->runs, s->spent_s / s->runs,
                   (double)s->levels / s->runs, s->extra / s->runs);
            for (k = 0; k < 2 * KINDS; k++) {
                const double e = quantile(&s->error[k / 2], k % 2 ? 0.9 : 0.5);
                if (e < 0) printf(",");
                else printf(e > DBL_MAX ? ",inf" : ",%.5f", e);
            }
            for (k = 0; k < 2; k++) {
                const list *w = &s->width[k];
                if (w->n) printf(",%d,%.4f,%.5f", (int)w->n, s->covered[k] / (double)w->n, quantile(w, 0.5));
                else printf(",,,");
            }
            printf("\n");
        }
    }
}

/* Four panels over seconds: levels right, and the median error of each kind of level. */
typedef struct panel { double x, y, w, h; } panel;

static double panel_x(const panel *p, double seconds)
{
    const double from = log(args.seconds[0]), to = log(args.seconds[args.times - 1]);
    return p->x + (to > from ? (log(seconds) - from) / (to - from) : 0.5) * p->w;
}

/* Errors from 0.1 % up to 100 %, logarithmic; what is more, or not found, is drawn on the upper edge. */
static double panel_y(const panel *p, double value, int error)
{
    if (error) value = (log10(fmin(fmax(value, 0.001), 1)) + 3) / 3;
    return p->y + p->h * (1 - value);
}

static void draw_panel(FILE *f, const panel *p, int kind, const char *title)
{
    static const char *const colour[] = { "#d1495b", "#00798c", "#30b0c0", "#7a7a7a", "#e09f3e", "#6a4c93" };
    static const char *const dash[] = { "", "7 3", "7 3 2 3", "2 3", "", "9 3 2 3" };
    static const double error_ticks[] = { 0.001, 0.01, 0.1, 1 }, share_ticks[] = { 0, 0.25, 0.5, 0.75, 1 };
    const int error = kind >= 0, ticks = error ? 4 : 5;
    int i, method, t;
    fprintf(f, "<text x='%.0f' y='%.0f' font-weight='bold'>%s</text>\n", p->x, p->y - 10, title);
    for (i = 0; i < ticks; i++) {
        const double at = error ? error_ticks[i] : share_ticks[i], y = panel_y(p, at, error);
        const char *sign = error && i == 0 ? "&#8804; " : error && i == 3 ? "&#8805; " : "";
        fprintf(f, "<path d='M%.1f %.1fh%.1f' stroke='#ddd'/>", p->x, y, p->w);
        fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='end'>%s%g %%</text>\n", p->x - 12, y + 4, sign, at * 100);
    }
    for (t = 0; t < args.times; t++)
        fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n", panel_x(p, args.seconds[t]),
                p->y + p->h + 17, args.seconds[t]);
    for (method = METHODS; method-- > 0; ) {
        fprintf(f, "<g stroke='%s' fill='none' stroke-width='%s' stroke-dasharray='%s'><path d='", colour[method],
                method == SERVET ? "3" : "2", dash[method]);
        for (t = 0; t < args.times; t++) {
            const score *s = &scores[method][t];
            double v = error ? quantile(&s->error[kind], 0.5) : (double)s->levels / s->runs;
            if (v < 0) continue;
            fprintf(f, "%c%.1f %.1f", t ? 'L' : 'M', panel_x(p, args.seconds[t]), panel_y(p, v, error));
        }
        fprintf(f, "'/></g>\n");
        for (t = 0; t < args.times; t++) {    /* hollow where there was nothing to be found */
            const score *s = &scores[method][t];
            double v = error ? quantile(&s->error[kind], 0.5) : (double)s->levels / s->runs;
            if (v < 0) continue;
            fprintf(f, "<circle cx='%.1f' cy='%.1f' r='%s' stroke='%s' stroke-width='1.5' fill='%s'/>\n",
                    panel_x(p, args.seconds[t]), panel_y(p, v, error), method == SERVET ? "4" : "3", colour[method],
                    v > DBL_MAX ? "white" : colour[method]);
        }
    }
    fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='middle'>seconds</text>\n", p->x + p->w / 2, p->y + p->h + 33);
    if (kind != LAST) return;
    for (method = 0; method < METHODS; method++) {    /* the legend, once, above all */
        const double x = 70 + 128.0 * method;
        fprintf(f, "<path d='M%.0f 46h30' stroke='%s' stroke-width='%s' stroke-dasharray='%s'/>"
                   "<text x='%.0f' y='50'>%s</text>\n", x, colour[method], method == SERVET ? "3" : "2", dash[method],
                x + 37, method_name[method]);
    }
}

static void draw(const char *path, const char *what)
{
    static const panel at[] = {
        { 70, 100, 330, 190 }, { 490, 100, 330, 190 }, { 70, 370, 330, 190 }, { 490, 370, 330, 190 }
    };
    FILE *f = fopen(path, "w");
    int bad;
    if (!f) quit(1, "%s cannot be written", path);
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' width='850' height='610' viewBox='0 0 850 610' "
               "font-family='sans-serif' font-size='12'>\n<rect width='850' height='610' fill='white'/>\n");
    fprintf(f, "<text x='70' y='24' font-size='15' font-weight='bold'>Cache sizes after so many seconds: %s</text>\n",
            what);
    draw_panel(f, &at[0], -1, "Runs with all levels, and no others");
    draw_panel(f, &at[1], FIRST, "First level: median error (hollow: not found)");
    draw_panel(f, &at[2], MIDDLE, "Levels between: median error");
    draw_panel(f, &at[3], LAST, "Last level: median error");
    fprintf(f, "</svg>\n");
    bad = ferror(f);
    if (fclose(f) || bad) quit(1, "%s cannot be written", path);
}

/* ---- arguments -------------------------------------------------------------------------------------- */

static double size_of(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (strcmp(text, "any") == 0) return 0;
    if (*end == 'K' || *end == 'k') x *= 1024, end++;
    else if (*end == 'M') x *= MIB, end++;
    return end != text && *end == 0 && x >= 1 && x < 1e13 ? x : -1;
}

/* The parts of a list, one by one; NULL at its end.  Changes the text. */
static char *part_of(char **text)
{
    char *part = *text, *comma;
    if (!part) return NULL;
    comma = strchr(part, ',');
    *text = comma ? comma + 1 : NULL;
    if (comma) *comma = 0;
    return part;
}

static void parse(int argc, char **argv)
{
    static const double seconds[] = { 0.1, 0.25, 0.5, 1, 2, 4, 8 };
    int i, noise_given = 0;
    char *part;
    args.seeds = 1;
    args.noise = SIM_GUEST;
    for (i = 1; i < argc; i++) {
        const char *name = argv[i];
        char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--csv") == 0) { args.csv = 1; continue; }
        if (strcmp(name, "--verbose") == 0) { args.verbose = 1; continue; }
        if (strcmp(name, "--machine") == 0) { args.machine = 1; continue; }
        if (strcmp(name, "--seeds") && strcmp(name, "--noise") && strcmp(name, "--machines") && strcmp(name, "--svg")
            && strcmp(name, "--seconds") && strcmp(name, "--truth"))
            quit(2, "%s is no option; see bench/inference.c", name);
        if (!value || !*value) quit(2, "%s needs a value", name);
        i++;
        if (strcmp(name, "--seeds") == 0) {
            char *end;
            long n = strtol(value, &end, 10);
            if (*end || n < 1 || n > 10000) quit(2, "--seeds %s is not from 1 to 10000", value);
            args.seeds = (int)n;
        } else if (strcmp(name, "--noise") == 0) {
            for (args.noise = 0; args.noise < SIM_NOISES && strcmp(value, noise_name[args.noise]); args.noise++) { }
            if (args.noise == SIM_NOISES) quit(2, "--noise %s is not silent, quiet, guest or crowded", value);
            noise_given = 1;
        } else if (strcmp(name, "--machines") == 0 && strcmp(value, "all") == 0) {
            for (args.machines = 0; args.machines < SIM_MACHINES; args.machines++)
                args.spec[args.machines] = &sim_machines[args.machines];
        } else if (strcmp(name, "--machines") == 0) {
            for (args.machines = 0; (part = part_of(&value)) != NULL; ) {
                if (!sim_named(part)) quit(2, "--machines: there is no %s in tests/sim.h", part);
                if (args.machines == SIM_MACHINES) quit(2, "--machines: more than there are");
                args.spec[args.machines++] = sim_named(part);
            }
        } else if (strcmp(name, "--seconds") == 0) {
            for (args.times = 0; (part = part_of(&value)) != NULL; args.times++) {
                char *end;
                double s = strtod(part, &end);
                if (args.times == TIMES_MAX) quit(2, "--seconds: more than %d", TIMES_MAX);
                if (end == part || *end || !(s >= 0.01 && s <= 3600))
                    quit(2, "--seconds: %s is not from 0.01 to 3600", part);
                if (args.times && s <= args.seconds[args.times - 1])
                    quit(2, "--seconds: %s is not more than before", part);
                args.seconds[args.times] = s;
            }
        } else if (strcmp(name, "--svg") == 0) {
            args.svg = value;
        } else {
            for (args.truths = 0; (part = part_of(&value)) != NULL; args.truths++) {
                if (args.truths == SERVET_LEVELS_MAX) quit(2, "--truth: more than %d levels", SERVET_LEVELS_MAX);
                args.truth[args.truths] = size_of(part);
                if (args.truth[args.truths] < 0) quit(2, "--truth: %s is no size", part);
            }
        }
    }
    if (args.machine && !args.truths) quit(2, "--machine needs --truth");
    if (args.machine && (args.machines || noise_given)) quit(2, "--machines and --noise are of modelled machines");
    if (!args.machine && args.truths) quit(2, "--truth is of this machine: --machine");
    if (!args.times) {
        args.times = (int)(sizeof seconds / sizeof *seconds);
        memcpy(args.seconds, seconds, sizeof seconds);
    }
    if (args.machine) args.machines = 1;    /* of which spec[0] is NULL */
    if (!args.machines)
        for (i = 0; i < SPREAD; i++) args.spec[args.machines++] = &sim_machines[i * SIM_MACHINES / SPREAD];
}

int main(int argc, char **argv)
{
    char what[128];
    int i, k;
    parse(argc, argv);
    for (i = 0; i < args.machines; i++) run_all(args.spec[i]);
    for (i = 0; i < METHODS * TIMES_MAX; i++) {
        score *s = &scores[i / TIMES_MAX][i % TIMES_MAX];
        for (k = 0; k < KINDS; k++) servet_stats_sort(s->error[k].x, s->error[k].n);
        for (k = 0; k < 2; k++) servet_stats_sort(s->width[k].x, s->width[k].n);
    }
    if (args.machine) snprintf(what, sizeof what, "this machine, %d run%s", args.seeds, args.seeds > 1 ? "s" : "");
    else snprintf(what, sizeof what, "%d modelled machines, %s noise, %d seed%s", args.machines,
                  noise_name[args.noise], args.seeds, args.seeds > 1 ? "s" : "");
    fprintf(stderr, "inference: %s\n", what);
    if (args.csv) print_csv();
    else print_markdown();
    if (args.svg) draw(args.svg, what);
    for (i = 0; i < METHODS * TIMES_MAX; i++) {
        score *s = &scores[i / TIMES_MAX][i % TIMES_MAX];
        for (k = 0; k < KINDS; k++) free(s->error[k].x);
        for (k = 0; k < 2; k++) free(s->width[k].x);
    }
    return fflush(stdout) || ferror(stdout);
}

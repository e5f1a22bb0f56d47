/* levels_curves.c - servet_fit_levels on curves of other tools: measured ones of documented machines (data/curve), and
 * such as those tools would give on the modelled machines of sim.h, whose TLBs are known as well
 *
 * One grid step is the distance of neighbouring points around a size.  A documented level is in range if the curve
 * has a point at or below it and one above.  It is found if an answered level lies within one grid step of it; an
 * answered level that is within one of no documented level is false.  What is asserted are rates; the tables
 * (prove -v) show each curve.  A step under `doubtful` is neither found nor false. */
#include "../servet.h"
#include "sim.h"
#include "tap.h"

#include <dirent.h>

enum { TRUTHS = 8 };

typedef struct tally {
    int curves, exact;          /* exact: as many levels as documented, each in its place           */
    int truths, found, doubted; /* doubted: not found, but a doubtful step is there                 */
    int levels, wrong, off;     /* answered; of them false; of those within an octave of a missed truth */
    int held;                   /* found or off, and the truth in the interval                      */
} tally;

typedef struct truth {
    double bytes[TRUTHS];
    int    count, scorable, adversarial, leaks;
} truth;

static servet_curve curve;

static void add(tally *sum, const tally *t)
{
    sum->curves += t->curves;
    sum->exact += t->exact;
    sum->truths += t->truths;
    sum->found += t->found;
    sum->doubted += t->doubted;
    sum->levels += t->levels;
    sum->wrong += t->wrong;
    sum->off += t->off;
    sum->held += t->held;
}

static void say(const char *name, const tally *t)
{
    TAP_DIAG("%-28s %3d curves  %3d of %3d levels found (%5.1f %%), %2d more as doubtful  %3d answered, %2d false "
             "(%4.1f %%), %2d of them near a missed one  intervals hold %3d of %3d  %3d exact", name, t->curves,
             t->found, t->truths, 100.0 * t->found / (t->truths ? t->truths : 1), t->doubted, t->levels, t->wrong,
             100.0 * t->wrong / (t->levels ? t->levels : 1), t->off, t->held, t->levels - t->wrong + t->off, t->exact);
}

/* Place of a size among the points of the curve: whole numbers are points. */
static double place(double bytes)
{
    int i = 0;
    while (i + 2 < curve.count && curve.point[i + 1].bytes <= bytes) i++;
    return i + log2(bytes / curve.point[i].bytes) / log2(curve.point[i + 1].bytes / curve.point[i].bytes);
}

static double tolerance;    /* in octaves, where the grid is finer */

static int near(double a, double b)
{
    return fabs(place(a) - place(b)) <= 1 + 1e-9 || fabs(log2(a / b)) < tolerance;
}

static int in_range(double bytes)
{
    return bytes >= curve.point[0].bytes && bytes < curve.point[curve.count - 1].bytes;
}

/* Levels and truths in pairs, the nearest first; what is left of either is false or missed. */
static tally score(const servet_levels *l, const truth *t, char *text, size_t cap)
{
    int of_truth[TRUTHS], of_level[SERVET_LEVELS_MAX], i, k;
    size_t used = 0;
    tally r;
    memset(&r, 0, sizeof r);
    for (i = 0; i < TRUTHS; i++) of_truth[i] = -1;
    for (k = 0; k < SERVET_LEVELS_MAX; k++) of_level[k] = -1;
    for (;;) {
        double best = 1e300;
        int bi = 0, bk = 0;
        for (i = 0; i < t->count; i++)
            for (k = 0; k < l->count; k++)
                if (of_truth[i] < 0 && of_level[k] < 0 && near(l->level[k].bytes, t->bytes[i])
                    && fabs(log(l->level[k].bytes / t->bytes[i])) < best) {
                    best = fabs(log(l->level[k].bytes / t->bytes[i]));
                    bi = i;
                    bk = k;
                }
        if (best > 1e299) break;
        of_truth[bi] = bk;
        of_level[bk] = bi;
    }
    r.curves = 1;
    r.exact = 1;
    for (i = 0; i < t->count; i++) {
        const int counts = in_range(t->bytes[i]);
        int doubt = 0;
        for (k = 0; k < l->doubtful_count; k++) doubt |= near(l->doubtful[k].bytes, t->bytes[i]);
        r.truths += counts;
        r.found += counts && of_truth[i] >= 0;
        r.doubted += counts && of_truth[i] < 0 && doubt;
        r.exact &= !counts || of_truth[i] >= 0;
        if (used < cap)
            used += (size_t)snprintf(text + used, cap - used, "%s%.0f%s", i ? " " : "", t->bytes[i] / 1024,
                                     !counts ? "(out)" : of_truth[i] >= 0 ? "" : doubt ? "(doubted)" : "(MISSED)");
    }
    if (used < cap) used += (size_t)snprintf(text + used, cap - used, " KiB | ");
    for (k = 0; k < l->count; k++) {
        r.levels++;
        r.wrong += of_level[k] < 0;
        for (i = 0; i < t->count; i++)
            if (of_level[k] == i || (of_level[k] < 0 && of_truth[i] < 0
                                     && fabs(log2(l->level[k].bytes / t->bytes[i])) < 1)) {
                r.off += of_level[k] < 0;
                r.held += l->level[k].lo_bytes <= t->bytes[i] && t->bytes[i] <= l->level[k].hi_bytes;
                break;
            }
        r.exact &= of_level[k] >= 0;
        if (used < cap) used += (size_t)snprintf(text + used, cap - used, "%s%.0f%s", k ? " " : "",
                                                 l->level[k].bytes / 1024, of_level[k] < 0 ? "(FALSE)" : "");
    }
    for (k = 0; k < l->doubtful_count; k++)
        if (used < cap) used += (size_t)snprintf(text + used, cap - used, "%s%.0f %s x%.2f", k ? ", " : " | ",
            l->doubtful[k].bytes / 1024, l->doubtful[k].why == SERVET_DOUBT_TLB ? "tlb"
            : l->doubtful[k].why == SERVET_DOUBT_NOISE ? "noise" : "other", l->doubtful[k].ratio);
    return r;
}

/* ---- measured curves ------------------------------------------------------------------------- */

/* The text of a small file; NULL if there is none. */
static const char *text_of(const char *dir, const char *name, const char *end)
{
    static char text[65536];
    char path[512];
    size_t n;
    FILE *f;
    snprintf(path, sizeof path, "%s/%s%s", dir, name, end);
    f = fopen(path, "rb");
    if (!f) return NULL;
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static int curve_read(const char *dir, const char *name)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
    const char *at = text_of(dir, name, ".csv");
    size_t n = 0;
    for (; at && *at && n < SERVET_POINTS_MAX; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (sscanf(at, "%lf,%lf", &bytes[n], &ns[n]) == 2) n++;
    return servet_fit_curve(&curve, bytes, ns, n);
}

static int truth_read(truth *t, const char *dir, const char *name)
{
    const char *text = text_of(dir, name, ".truth.json"), *caches, *end;
    memset(t, 0, sizeof *t);
    if (!text || !(caches = strstr(text, "\"caches\": [")) || !(end = strchr(caches, ']'))) return 0;
    while ((caches = strstr(caches, "\"bytes\": ")) && caches < end && t->count < TRUTHS) {
        caches += 9;
        t->bytes[t->count++] = strtod(caches, NULL);
    }
    t->scorable = strstr(text, "\"scorable\": true") != NULL;
    t->adversarial = strstr(text, "ADVERSARIAL") || strstr(text, ": adversarial");
    t->leaks = strstr(text, "\"grid_encodes_truth\": true") != NULL;
    return t->count > 0;
}

static int by_name(const void *a, const void *b) { return strcmp((const char *)a, (const char *)b); }

static void test_measured(void)
{
    const char *dir = getenv("CURVES") ? getenv("CURVES") : "tests/data/curve";
    enum { FILES = 512, KINDS = 32 };
    static char name[FILES][128];
    char kind[KINDS][32], line[512];
    tally all, plain, hard, leak, of_kind[KINDS];
    int files = 0, kinds = 0, i, k, readable = 0;
    struct dirent *e;
    DIR *d = opendir(dir);
    memset(&all, 0, sizeof all);
    plain = hard = leak = all;
    memset(of_kind, 0, sizeof of_kind);
    while (d && (e = readdir(d)) != NULL && files < FILES) {
        size_t n = strlen(e->d_name);
        if (n < 5 || n >= sizeof name[0] || strcmp(e->d_name + n - 4, ".csv")) continue;
        memcpy(name[files], e->d_name, n - 4);
        name[files++][n - 4] = 0;
    }
    if (d) closedir(d);
    if (files == 0) {
        TAP_SKIP(4, "no curves in %s", dir);
        return;
    }
    qsort(name, (size_t)files, sizeof *name, by_name);
    for (i = 0; i < files; i++) {
        servet_levels l;
        truth t;
        tally one;
        size_t length = strcspn(name[i], "_");
        memset(&l, 0, sizeof l);
        if (!truth_read(&t, dir, name[i]) || curve_read(dir, name[i]) < 0) continue;
        readable++;
        if (!t.scorable) continue;
        servet_fit_levels(&l, &curve, NULL);
        one = score(&l, &t, line, sizeof line);
        TAP_DIAG("%c %-28s %s", one.exact ? ' ' : '*', name[i], line);
        add(&all, &one);
        add(t.adversarial ? &hard : t.leaks ? &leak : &plain, &one);
        for (k = 0; k < kinds && (strlen(kind[k]) != length || strncmp(kind[k], name[i], length)); k++) { }
        if (k == kinds && kinds < KINDS && length < sizeof kind[0]) {
            memcpy(kind[k], name[i], length);
            kind[k][length] = 0;
            kinds++;
        }
        if (k < kinds) add(&of_kind[k], &one);
    }
    for (k = 0; k < kinds; k++) say(kind[k], &of_kind[k]);
    say("called adversarial", &hard);
    say("grid made of the truth", &leak);
    say("the others", &plain);
    say("all", &all);
    TAP_OK(readable == files, "%d of %d curves with their truth", readable, files);
    TAP_OK(all.found >= 0.95 * all.truths, "%d of %d documented levels found to one grid step", all.found, all.truths);
    TAP_OK(all.wrong <= 0.05 * all.levels, "%d of %d levels answered are not there", all.wrong, all.levels);
    TAP_OK(all.held >= 0.95 * (all.levels - all.wrong + all.off), "intervals hold %d of %d documented sizes", all.held,
           all.levels - all.wrong + all.off);
}

/* ---- modelled curves ------------------------------------------------------------------------- */

/* One curve as a tool would print it: one reading a size, sizes from 4 KiB so many an octave, all in one random cycle
 * or page by page. */
static int curve_model(const sim_spec *spec, const sim_noise *noise, double per_octave, int pattern, uint64_t seed)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
    const double last = sim_truth_bytes(spec, sim_truth_levels(spec) - 1);
    servet_chase_opts o;
    sim s;
    int i, n, made = 0;
    memset(&o, 0, sizeof o);
    o.pattern = pattern;
    o.in_place = 1;
    o.line_bytes = spec->level[0].line_bytes;
    o.page_bytes = spec->page_bytes;
    n = servet__mcalibrator_grid(bytes, SERVET_POINTS_MAX, 4096, servet__min(exp2(ceil(log2(last)) + 2), 268435456),
                                per_octave, o.line_bytes);
    if (n < 0 || sim_open(&s, spec, noise, seed) < 0) return SERVET_EINVAL;
    for (i = 0; i < n; i++) {
        servet_sample one;
        if (sim_chase(&s, (size_t)(bytes[i] / o.line_bytes), &o, &one) < 0) continue;
        bytes[made] = bytes[i];
        ns[made++] = one.ns;
    }
    sim_close(&s);
    return servet_fit_curve(&curve, bytes, ns, (size_t)made);
}

static void test_modelled(void)
{
    /* Without neighbours: one that stays for a whole curve halves the caches, and the truth with them. */
    static const sim_noise quiet = { 0.003, 0.01, 1.5, 0, 0, 0, 0, 0, 0 }, loud = { 0.02, 0.05, 2, 0, 0, 0, 0, 0, 0 };
    static const struct { const char *name; const sim_noise *noise; int pattern; double per_octave; } setting[] = {
        { "1 an octave, quiet", &quiet, SERVET_CHASE_RANDOM, 1 },
        { "1 an octave, loud", &loud, SERVET_CHASE_RANDOM, 1 },
        { "1 an octave, loud, groups", &loud, SERVET_CHASE_COMPACT, 1 },
        { "2 an octave, quiet", &quiet, SERVET_CHASE_RANDOM, 2 },
        { "2 an octave, loud", &loud, SERVET_CHASE_RANDOM, 2 },
        { "4 an octave, quiet", &quiet, SERVET_CHASE_RANDOM, 4 },
        { "4 an octave, loud", &loud, SERVET_CHASE_RANDOM, 4 },
        { "12 an octave, loud", &loud, SERVET_CHASE_RANDOM, 12 },
        { "4 an octave, loud, groups", &loud, SERVET_CHASE_COMPACT, 4 },
    };
    const int settings = (int)(sizeof setting / sizeof *setting), asked = getenv("CURVES_SEEDS") != NULL;
    const int seeds = asked ? atoi(getenv("CURVES_SEEDS")) : SIM_MACHINES < 26 ? 2 : 1;
    const int stride = asked || seeds > 1 ? 1 : SIM_MACHINES / 26;    /* about 26 curves a setting, 200 in all */
    tally all, sum, sparse;
    char line[512];
    int k, i, seed, tlb = 0, tlb_called = 0;
    memset(&all, 0, sizeof all);
    memset(&sparse, 0, sizeof sparse);
    tolerance = 0.25;
    for (k = 0; k < settings; k++) {
        memset(&sum, 0, sizeof sum);
        for (i = k % stride; i < SIM_MACHINES; i += stride) {
            const sim_spec *spec = &sim_machines[i];
            if (setting[k].per_octave > 4 && !asked && i % 3) continue;    /* they take the longest */
            for (seed = 1; seed <= seeds; seed++) {
                servet_levels l;
                servet_fit_opts o;
                truth t;
                tally one;
                int j, m;
                memset(&t, 0, sizeof t);
                memset(&l, 0, sizeof l);
                memset(&o, 0, sizeof o);
                o.page_bytes = spec->page_bytes;
                if (curve_model(spec, setting[k].noise, setting[k].per_octave, setting[k].pattern,
                                (uint64_t)(seed + 100 * k)) < 0) continue;
                for (t.count = 0; t.count < sim_truth_levels(spec); t.count++)
                    t.bytes[t.count] = sim_truth_bytes(spec, t.count);
                servet_fit_levels(&l, &curve, &o);
                one = score(&l, &t, line, sizeof line);
                if (getenv("CURVES_VERBOSE"))
                    TAP_DIAG("%c %-16s %-20s %s", one.exact ? ' ' : '*', setting[k].name, spec->name, line);
                add(&sum, &one);
                for (m = 0; m < SIM_TLBS && setting[k].pattern == SERVET_CHASE_RANDOM; m++) {
                    const double reach = sim_truth_tlb_bytes(spec, m);
                    int cache = 0, called = 0;
                    if (!(reach > 0) || !in_range(reach)) continue;
                    for (j = 0; j < t.count; j++) cache |= near(t.bytes[j], reach);
                    for (j = 0; j < l.count; j++) called |= near(l.level[j].bytes, reach);
                    if (cache) continue;
                    tlb++;
                    tlb_called += called;
                }
            }
        }
        say(setting[k].name, &sum);
        add(&all, &sum);
        if (setting[k].per_octave < 2) add(&sparse, &sum);
    }
    say("all modelled", &all);
    TAP_OK(all.curves >= 200, "%d modelled curves", all.curves);
    TAP_OK(sparse.found >= 0.95 * sparse.truths && sparse.wrong <= 0.07 * sparse.levels,
           "one point an octave: %d of %d levels found to one grid step, %d of %d false", sparse.found, sparse.truths,
           sparse.wrong, sparse.levels);
    TAP_OK(all.found >= 0.85 * all.truths && all.wrong <= 0.18 * all.levels,
           "of all %d of %d levels found to one grid step or a quarter of an octave, %d of %d false, of which %d are "
           "near a missed one", all.found, all.truths, all.wrong, all.levels, all.off);
    TAP_OK(all.wrong - all.off <= 0.09 * all.levels, "%d are where no cache ends", all.wrong - all.off);
    TAP_OK(all.held >= 0.95 * (all.levels - all.wrong + all.off), "intervals hold %d of %d sizes", all.held,
           all.levels - all.wrong + all.off);
    TAP_OK(tlb_called <= 0.15 * tlb, "of %d TLBs that reach as far as no cache %d are called one", tlb, tlb_called);
}

int main(void)
{
    test_measured();
    test_modelled();
    return tap_done();
}

/* referee.c - is a change to inference good?  One table, of rates over modelled machines, measured curves, matrices
 * and recorded runs of real machines, all with known truth
 *
 *   make referee                             all of it, in two processes; SEEDS=1: a fifth of the modelled runs
 *   build/referee [TALLIES...]               the same, added to what other slices left with REFEREE_SAVE
 *
 * In the environment: REFEREE_SEEDS runs of each modelled machine (5), the first with seed REFEREE_FROM (1);
 * REFEREE_JOBS processes (2); REFEREE_SLICE=2/3 does the second of each three runs alone, REFEREE_SAVE=FILE keeps its
 * tallies, so that others may share the table; REFEREE_ONLY=0,3,c does these rows of modelled machines alone, c the
 * curves, m the matrices, p the profiles; REFEREE_DATA=DIR looks there for more curves, matrices and profiles;
 * REFEREE_VERBOSE=1 shows all runs that are not right.
 *
 * Only what servet.h makes public is used, and of a profile no more than cache_count, cache[].bytes, lo_bytes,
 * hi_bytes, ways and unresolved, tlb, line and made: so the table can be compared over changes of what is inside.
 *
 * MODELLED.  Each machine of machines.h is measured by servet_profile_calibrate as a real one would be, told how large
 * its memory and its pages are, nothing else; all options are defaults.  Neighbours are those of sim_stranger.  A level
 * is answered if an answer and it are each other's nearest, and less than a factor of 3 apart.  Of a level that is
 * exclusive both its own size and that of all up to it are true.  Later levels are those after the first that a sweep
 * up to 256 MiB must show. */
#if !defined(_GNU_SOURCE)
#  define _GNU_SOURCE
#endif
#include "servet.h"
#include "private.h"
#include "scaling.h"
#include "sim.h"

#include <ctype.h>
#include <dirent.h>
#include <float.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB 1048576.0

enum { FILES = 1024, NAME = 160, KINDS = 24, JOBS_MAX = 64 };

/* ---- tallies ----------------------------------------------------------------------------------- */

enum { RUNS, LEVELS, FIRST, LATER, IN_5, IN_10, COVERED, WRONG, OPEN, MISSED, EXTRA, LINE, TLB_1, TLB_2, TLBS, TWO, ALL,
       CPU_S, INFER_S, INFER_MAX_S, WAYS, OWN, OWN_5, OWN_WRONG, TRUE_ONES,
       CONFIRMED, UNTRUE, REFUTED, USED_10, NOT_WORSE, FALSELY, COLUMNS };
enum { CURVES = 0, TRUTHS_THERE, FOUND, ANSWERED, FALSE_ONES, NEAR, HELD, EXACT };                /* of curves   */
enum { GROUPINGS_THERE = 0, GROUPINGS_FOUND, JACCARD, FLATS, FLATS_WRONG, SLOWEST_S };            /* of matrices */
enum { MODELLED = 0, CURVE = 8, MATRIX = 14, RECORDED = 16, ROWS = 52 };

typedef struct shared_state {
    int    next, done;
    double tally[JOBS_MAX][ROWS][COLUMNS];
} shared_state;

static shared_state *board;
static double (*mine)[COLUMNS];      /* of this process */
static double sum[ROWS][COLUMNS];
static int verbose;

/* ---- modelled machines --------------------------------------------------------------------------- */

/* Noise of the samples, and a neighbour: awake for so much of the time, below 0 none; 2: one on the same CPU instead,
 * for 4 of each 12 ms. */
typedef struct setting { const char *name; sim_noise noise; double awake_frac; } setting;
static const setting settings[] = {
    { "1 % noise, 3 % outliers", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, -1 },
    { "5 % noise, 3 % outliers", { 0.05, 0.03, 2, 0, 0, 0, 0, 0, 0 }, -1 },
    { "1 %, neighbour 10 %", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, 0.1 },
    { "1 %, neighbour 50 %", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, 0.5 },
    { "1 %, neighbour 90 %", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, 0.9 },
    { "1 %, neighbour 100 %", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, 1 },
    { "1 %, one on the same CPU", { 0.01, 0.03, 2, 0, 0, 0, 0, 0, 0 }, 2 }
};
enum { SETTINGS = (int)(sizeof settings / sizeof *settings) };

static servet_profile profile;

/* The answer that means the i-th true level, or -1. */
static int meant(const sim_spec *spec, int i)
{
    const int truth = sim_truth_levels(spec);
    int k, best = -1;
    for (k = 0; k < profile.cache_count; k++)
        if (best < 0 || fabs(log(profile.cache[k].bytes / sim_truth_bytes(spec, i)))
                        < fabs(log(profile.cache[best].bytes / sim_truth_bytes(spec, i)))) best = k;
    if (best < 0 || !(fabs(log(profile.cache[best].bytes / sim_truth_bytes(spec, i))) <= log(3.0))) return -1;
    for (k = 0; k < truth; k++)
        if (fabs(log(profile.cache[best].bytes / sim_truth_bytes(spec, k)))
            < fabs(log(profile.cache[best].bytes / sim_truth_bytes(spec, i)))) return -1;
    return best;
}

/* What was asked of level i: of an exclusive one what is nearer. */
static double truth_of(const sim_spec *spec, int i, int k)
{
    const double all = sim_truth_bytes(spec, i);
    const double own = spec->level[i].bytes * sim_truth_ways(spec, i) / spec->level[i].ways;
    return k >= 0 && spec->level[i].relation == SIM_EXCLUSIVE
           && fabs(log(profile.cache[k].bytes / own)) < fabs(log(profile.cache[k].bytes / all)) ? own : all;
}

/* One later level: what is answered, or -1, against the truth. */
static int size_level(double *t, int k, double want)
{
    const servet_cache *c = &profile.cache[k < 0 ? 0 : k];
    double error;
    t[LATER]++;
    if (k < 0) {
        t[MISSED]++;
        return 0;
    }
    error = fabs(c->bytes / want - 1);
    t[IN_5] += error <= 0.05;
    t[IN_10] += error <= 0.10;
    t[COVERED] += c->lo_bytes <= want * 1.0001 && want <= c->hi_bytes * 1.0001;
    t[WRONG] += error > 0.15 && !c->unresolved;
    t[OPEN] += c->unresolved != 0;
    return error <= 0.10;
}

/* Entries within 5 %, of so many; both as well, and no more than there are. */
static int size_tlbs(double *t, const int *entries, int count)
{
    int right[2] = { 0, 0 }, i, all = profile.tlb.small.count == count;
    for (i = 0; i < count; i++) {
        right[i] = i < profile.tlb.small.count
                   && fabs(profile.tlb.small.level[i].entries / (double)entries[i] - 1) <= 0.05;
        all &= right[i];
    }
    t[TLB_1] += right[0];
    t[TLB_2] += right[1];
    t[TWO] += count > 1;
    t[TLBS] += all;
    return all;
}

/* What it costs to infer once more, from the evidence alone. */
static void cost(double *t)
{
    const clock_t begun = clock();
    double s;
    servet_profile_infer(&profile);
    s = (double)(clock() - begun) / CLOCKS_PER_SEC;
    t[INFER_S] += s;
    if (s > t[INFER_MAX_S]) t[INFER_MAX_S] = s;
}

static void show(const char *name, int number, const sim_spec *spec)
{
    char text[1024];
    size_t n = 0;
    int i;
    for (i = 0; i < profile.cache_count && n + 120 < sizeof text; i++) {
        const servet_cache *c = &profile.cache[i];
        n += (size_t)snprintf(text + n, 120, " %.0fK [%.0f, %.0f]/%d%s", c->bytes / 1024, c->lo_bytes / 1024,
                              c->hi_bytes / 1024, c->ways, c->unresolved ? "?" : "");
    }
    n += (size_t)snprintf(text + n, 40, " line %d", profile.line.line_bytes);
    for (i = 0; i < profile.tlb.small.count && n + 60 < sizeof text; i++)
        n += (size_t)snprintf(text + n, 60, " tlb %d", profile.tlb.small.level[i].entries);
    if (spec) n += (size_t)snprintf(text + n, 20, " truth");
    for (i = 0; spec && i < sim_truth_levels(spec) && n + 60 < sizeof text; i++)
        n += (size_t)snprintf(text + n, 60, " %.0fK/%d", sim_truth_bytes(spec, i) / 1024, sim_truth_ways(spec, i));
    if (spec) snprintf(text + n, 80, " line %d tlb %d %d", spec->level[0].line_bytes, spec->tlb[0].entries,
                       spec->tlb[1].entries);
    fprintf(stderr, "  %s %d:%s\n", name, number, text);
}

/* What the system may claim of its level k + 1, the truth or half, double, eight times as much, and of all others the
 * truth: is it tested rightly, asked by this number, and is what a program is to use within 10 % of the truth, or else
 * no farther from it than what was measured, or less?  Where fewer levels were found nothing was tested. */
static void try_claims(const sim_spec *spec, double *t, int k, double want)
{
    const int levels = sim_truth_levels(spec);
    int other;
    static const double times[] = { 1, 0.5, 2, 8 };
    servet_cache *c = &profile.cache[k];
    const int found = k < profile.cache_count;
    const double measured = found ? fabs(log(c->bytes / want)) : 0;
    servet_question q;
    servet_answer a;
    size_t i;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_BYTES;
    q.level = k + 1;
    for (i = 0; i < sizeof times / sizeof *times; i++) {
        profile.host.report_count = levels;
        memset(profile.host.report, 0, sizeof profile.host.report);
        for (other = 0; other < levels; other++) {
            profile.host.report[other].source = SERVET_REPORT_SYSFS;
            profile.host.report[other].level = other + 1;
            profile.host.report[other].bytes = other == k ? times[i] * want : sim_truth_bytes(spec, other);
        }
        for (other = 0; other < profile.cache_count; other++)
            profile.cache[other].system_bytes[SERVET_REPORT_SYSFS] =
                other == k ? times[i] * want : other < levels ? sim_truth_bytes(spec, other) : 0;
        if (found)
            c->system_verdict[SERVET_REPORT_SYSFS] = servet__profile_verdict(&profile, k + 1, SERVET_REPORT_SYSFS);
        if (servet_ask(&a, &profile, &q) < 0) continue;
        if (i == 0) {
            t[TRUE_ONES]++;
            t[CONFIRMED] += a.claim == SERVET_CLAIM_CONFIRMED;
            t[FALSELY] += a.claim == SERVET_CLAIM_REFUTED;
            t[USED_10] += fabs(a.value / want - 1) <= 0.1;
            if (verbose && !(fabs(a.value / want - 1) <= 0.1))
                fprintf(stderr, "  %s: level %d of %.0fK used as %.0fK\n", spec->name, k + 1, want / 1024,
                        a.value / 1024);
            if (verbose && a.claim == SERVET_CLAIM_REFUTED)
                fprintf(stderr, "  %s: %.0fK, which is true, refuted by [%.0fK, %.0fK] of level %d\n", spec->name,
                        want / 1024, c->lo_bytes / 1024, c->hi_bytes / 1024, k + 1);
        } else {
            t[UNTRUE]++;
            t[REFUTED] += a.claim == SERVET_CLAIM_REFUTED;
            if (verbose && a.claim != SERVET_CLAIM_REFUTED)
                fprintf(stderr, "  %s: %.0fK of %.0fK not refuted by [%.0fK, %.0fK]\n", spec->name,
                        times[i] * want / 1024, want / 1024, c->lo_bytes / 1024, c->hi_bytes / 1024);
            t[NOT_WORSE] += a.value <= c->bytes || fabs(log(a.value / want)) <= measured + 1e-9;
        }
    }
    profile.host.report_count = 0;
}

static void try_machine(const sim_spec *spec, const setting *at, double *t, uint64_t seed, int number)
{
    static sim s;
    const int truth = sim_truth_levels(spec), tlbs = spec->tlb[1].entries > 0 ? 2 : spec->tlb[0].entries > 0;
    const clock_t begun = clock();
    int entries[2], used[SERVET_LEVELS_MAX] = { 0 }, must = truth, may = truth, i, k, good;
    sim_neighbour other = sim_stranger(at->awake_frac > 1 ? 0 : at->awake_frac);
    servet_profile_opts o;
    servet_host host;
    servet_machine m;
    if (at->awake_frac > 1) {
        other.slice_s = 0.008;
        other.away_s = 0.004;
    }
    if (sim_open(&s, spec, &at->noise, seed) < 0) return;
    if (at->awake_frac >= 0) sim_beside(&s, &other);
    m = sim_machine(&s);
    memset(&o, 0, sizeof o);
    servet_profile_free(&profile);
    memset(&profile, 0, sizeof profile);
    memset(&host, 0, sizeof host);
    host.page_bytes = spec->page_bytes;
    host.memory_bytes = 16384 * MIB;
    o.machine = &m;
    o.host = &host;
    o.run.seed = seed;
    o.parts = SERVET_PART_CACHES | SERVET_PART_TLB;
    servet_profile_calibrate(&profile, &o);
    sim_close(&s);
    while (must > 0 && 1.5 * sim_truth_bytes(spec, must - 1) > 256 * MIB) must--;
    while (may > must && sim_truth_bytes(spec, may - 1) >= 1024 * MIB) may--;
    t[RUNS]++;
    t[CPU_S] += (double)(clock() - begun) / CLOCKS_PER_SEC;
    good = profile.cache_count >= must && profile.cache_count <= may;
    t[LEVELS] += good;
    for (i = 0; i < truth; i++) {
        k = meant(spec, i);
        if (k >= 0) used[k] = 1;
        if (k >= 0 && i < must) try_claims(spec, t, i, truth_of(spec, i, k));
        if (i >= must) continue;
        if (i == 0) {
            const int exact = k >= 0 && fabs(profile.cache[k].bytes / sim_truth_bytes(spec, 0) - 1) < 1e-9;
            t[FIRST] += exact;
            good &= exact;
        } else {
            const double in_5 = t[IN_5], wrong = t[WRONG];
            good &= size_level(t, k, truth_of(spec, i, k));
            if (i + 1 < truth) {    /* a core's own, or what a few share: not the last */
                t[OWN]++;
                t[OWN_5] += t[IN_5] - in_5;
                t[OWN_WRONG] += t[WRONG] - wrong;
            }
        }
    }
    for (k = 0; k < profile.cache_count; k++) t[EXTRA] += !used[k] && !profile.cache[k].unresolved;
    k = profile.line.line_bytes == spec->level[0].line_bytes;
    t[LINE] += k;
    good &= k;
    entries[0] = spec->tlb[0].entries;
    entries[1] = spec->tlb[1].entries;
    good &= size_tlbs(t, entries, tlbs);
    t[ALL] += good;
    if (!good && verbose) show(spec->name, number, spec);
    cost(t);
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef struct file { char path[NAME]; int row; } file;
static file files[FILES];
static int file_count;

static const char *text_of(const char *path)
{
    static char *text;
    static size_t cap;
    size_t n = 0, got;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    do {
        if (n + 65536 > cap) {
            char *more = (char *)realloc(text, cap += 1048576);
            if (!more) exit(1);
            text = more;
        }
        got = fread(text + n, 1, 65535, f);
        n += got;
    } while (got > 0);
    fclose(f);
    text[n] = 0;
    return text;
}

static const char *truth_text(const char *path)
{
    char other[NAME + 16];
    snprintf(other, sizeof other, "%.*s.truth.json", (int)(strlen(path) - 4), path);
    return text_of(other);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const file *)a)->path, ((const file *)b)->path);
}

/* ---- curves of other tools, as test_curves scores them --------------------------------------------- */

enum { TRUTHS = 8, CURVE_ALL = CURVE, CURVE_PLAIN, CURVE_HARD, CURVE_LEAKS };
static servet_curve curve;

/* Place of a size among the points of the curve: whole numbers are points. */
static double place(double bytes)
{
    int i = 0;
    while (i + 2 < curve.count && curve.point[i + 1].bytes <= bytes) i++;
    return i + log2(bytes / curve.point[i].bytes) / log2(curve.point[i + 1].bytes / curve.point[i].bytes);
}

static void try_curve(const char *path)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX], truth[TRUTHS], t[COLUMNS] = { 0 };
    int of_truth[TRUTHS], of_level[SERVET_LEVELS_MAX], truths = 0, i, k, row;
    const char *at = text_of(path), *end;
    servet_levels l;
    size_t n = 0;
    memset(&l, 0, sizeof l);
    for (; at && *at && n < SERVET_POINTS_MAX; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (sscanf(at, "%lf,%lf", &bytes[n], &ns[n]) == 2) n++;
    at = truth_text(path);
    if (!at || servet_fit_curve(&curve, bytes, ns, n) < 0) return;
    row = strstr(at, "ADVERSARIAL") || strstr(at, ": adversarial") ? CURVE_HARD
        : strstr(at, "\"grid_encodes_truth\": true") ? CURVE_LEAKS : CURVE_PLAIN;
    if (!strstr(at, "\"scorable\": true") || !(at = strstr(at, "\"caches\": [")) || !(end = strchr(at, ']'))) return;
    while ((at = strstr(at, "\"bytes\": ")) != NULL && at < end && truths < TRUTHS) {
        at += 9;
        truth[truths++] = strtod(at, NULL);
    }
    servet_fit_levels(&l, &curve, NULL);
    for (i = 0; i < TRUTHS; i++) of_truth[i] = -1;
    for (k = 0; k < SERVET_LEVELS_MAX; k++) of_level[k] = -1;
    for (;;) {    /* in pairs, the nearest first, one grid step apart at most */
        double best = DBL_MAX;
        int bi = -1, bk = -1;
        for (i = 0; i < truths; i++)
            for (k = 0; k < l.count; k++) {
                const double off = fabs(log(l.level[k].bytes / truth[i]));
                if (of_truth[i] >= 0 || of_level[k] >= 0 || !(off < best)
                    || !(fabs(place(l.level[k].bytes) - place(truth[i])) <= 1 + 1e-9)) continue;
                best = off;
                bi = i;
                bk = k;
            }
        if (bi < 0) break;
        of_truth[bi] = bk;
        of_level[bk] = bi;
    }
    t[CURVES] = t[EXACT] = 1;
    for (i = 0; i < truths; i++) {
        const int counts = truth[i] >= curve.point[0].bytes && truth[i] < curve.point[curve.count - 1].bytes;
        t[TRUTHS_THERE] += counts;
        t[FOUND] += counts && of_truth[i] >= 0;
        if (counts && of_truth[i] < 0) t[EXACT] = 0;
    }
    for (k = 0; k < l.count; k++) {
        t[ANSWERED]++;
        t[FALSE_ONES] += of_level[k] < 0;
        if (of_level[k] < 0) t[EXACT] = 0;
        for (i = 0; i < truths; i++)
            if (of_level[k] == i || (of_level[k] < 0 && of_truth[i] < 0
                                     && fabs(log2(l.level[k].bytes / truth[i])) < 1)) {
                t[NEAR] += of_level[k] < 0;
                t[HELD] += l.level[k].lo_bytes <= truth[i] && truth[i] <= l.level[k].hi_bytes;
                break;
            }
    }
    for (i = 0; i < COLUMNS; i++) {
        mine[CURVE_ALL][i] += t[i];
        mine[row][i] += t[i];
    }
    if (!(t[EXACT] > 0) && verbose)
        fprintf(stderr, "  %s: %.0f of %.0f levels found, %.0f of %.0f answers false\n", base_of(path), t[FOUND],
                t[TRUTHS_THERE], t[FALSE_ONES], t[ANSWERED]);
}

/* ---- matrices of pair costs, as test_pairs scores them ----------------------------------------------- */

enum { CORES = SERVET_PAIRS_CORES, GROUPINGS = 8 };
static servet_layers found;

static int same(const int16_t *a, const int16_t *b, int n)
{
    int i, j;
    for (i = 0; i < n; i++) {
        if ((a[i] < 0) != (b[i] < 0)) return 0;
        for (j = 0; j < i; j++) if (a[i] >= 0 && a[j] >= 0 && (a[i] == a[j]) != (b[i] == b[j])) return 0;
    }
    return 1;
}

/* Over the groups of a truth, the mean of the best Jaccard index with any group of any layer. */
static double mean_jaccard(const int16_t *truth, int n)
{
    double all = 0;
    int which, i, j, l, groups = 0;
    for (which = 0; which < n; which++) {
        double best = 0;
        int size = 0;
        for (i = 0; i < n; i++) {
            if (truth[i] != which) continue;
            size++;
            for (l = 0; l < found.count; l++) {
                int either = 0, both = 0;
                if (found.group[l][i] < 0) continue;
                for (j = 0; j < n; j++) {
                    const int in = truth[j] == which, there = found.group[l][j] == found.group[l][i];
                    either += in || there;
                    both += in && there;
                }
                if (best * either < both) best = (double)both / either;
            }
        }
        if (!size) continue;
        all += best;
        groups++;
    }
    return groups ? all / groups : 1;
}

/* Groupings of a truth, single cores in none; of networks only the first, by hosts. */
static int groupings(const char *text, int16_t (*group)[CORES], int most)
{
    const char *at = strstr(text, "\"groups\": {");
    int count = 0;
    if (!at) return -1;
    for (at += strlen("\"groups\": {"); *at && *at != '}' && count < most; at++) {
        int i, depth = 0, groups = 0, size = 0, core = 0;
        if (*at != '"') continue;
        for (at++; *at && *at != '"'; at++) { }
        for (i = 0; i < CORES; i++) group[count][i] = -1;
        for (at += strcspn(at, "["); *at; at++) {
            if (*at == '[' && ++depth == 2) size = 0;
            if (isdigit((unsigned char)*at)) {
                char *end;
                core = (int)strtol(at, &end, 10);
                at = end - 1;
                if (core < CORES) group[count][core] = (int16_t)groups;
                size++;
            }
            if (*at != ']') continue;
            if (--depth == 0) break;
            if (size == 1 && core < CORES) group[count][core] = -1;
            groups += size > 1;
        }
        count++;
    }
    return count;
}

static void try_matrix(const char *path, double *t, int network)
{
    static int16_t group[GROUPINGS][CORES];
    const char *text = truth_text(path), *at;
    const int scorable = text && (network || strstr(text, "\"scorable\": true"));
    const int count = scorable ? groupings(text, group, network ? 1 : GROUPINGS) : -1;
    clock_t begun;
    double *cell, s;
    int n = 0, i, j, k, l;
    if (count < 0 || !(text = text_of(path))) return;
    for (at = text; *at; at++) n += *at == '\n' && at[1];
    n++;
    if (n < 2 || n > CORES || !(cell = (double *)calloc((size_t)n * (size_t)n, sizeof *cell))) return;
    for (at = text, i = 0; i < n && at; i++, at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *from = at;
        for (j = 0; j < n; j++) {
            char *end;
            from += strspn(from, " ");
            if (*from != ',' && *from != '\n') {
                cell[i * n + j] = strtod(from, &end);
                from = end + strspn(end, " ");
            }
            if (*from++ != ',') break;
        }
    }
    begun = clock();
    servet_pairs_layers(&found, cell, n);
    s = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (s > t[SLOWEST_S]) t[SLOWEST_S] = s;
    for (k = 0; k < count; k++) {
        int exact = 0;
        for (l = 0; l < found.count; l++) exact |= same(group[k], found.group[l], n);
        t[GROUPINGS_THERE]++;
        t[GROUPINGS_FOUND] += exact;
        t[JACCARD] += mean_jaccard(group[k], n);
        if (!exact && verbose) fprintf(stderr, "  %s: grouping %d not found\n", base_of(path), k + 1);
    }
    if (count == 0) {
        t[FLATS]++;
        t[FLATS_WRONG] += found.count > 0;
    }
    free(cell);
}

/* ---- recorded runs of real machines -------------------------------------------------------------------- */

/* By the first part of the name of the file; rows of short runs, of quick and of full ones. */
static const struct { const char *name; double first; int first_ways; double second; int tlb[2], line; } real[] = {
    { "clx", 32768, 8, 1048576, { 64, 1536 }, 64 },
    { "turin", 49152, 12, 1048576, { 96, 4096 }, 64 },
    { "milan", 32768, 8, 524288, { 64, 2048 }, 64 },
    { "gnr", 49152, 12, 2097152, { 96, 2048 }, 64 },
    { "emr2", 49152, 12, 2097152, { 96, 2048 }, 64 },
    { "genoa", 32768, 8, 1048576, { 72, 3072 }, 64 }
};
enum { REALS = (int)(sizeof real / sizeof *real), OF_REAL = 6 };
typedef char rows_for_all[RECORDED + REALS * OF_REAL == ROWS ? 1 : -1];
static const char *const recorded_name[OF_REAL] = { ", all", ", alone", ", beside a program", ", quick", ", full",
                                                    ", beside a thread" };

static void try_recorded(const char *path)
{
    const char *base = base_of(path), *text = text_of(path);
    double t[COLUMNS] = { 0 };
    int r, k, i, best = -1, row, good;
    for (r = 0; r < REALS; r++) {
        const size_t n = strlen(real[r].name);
        if (!strncmp(base, real[r].name, n) && base[n] == '-') break;
    }
    if (r == REALS || !text) return;
    row = strstr(base, "-quick") ? 3 : strstr(base, "-full") ? 4 : strstr(base, "-thread") ? 5
        : r > 0 && atoi(base + strlen(real[r].name) + 1) > 12 ? 2 : 1;
    servet_profile_free(&profile);
    memset(&profile, 0, sizeof profile);
    if (servet_profile_parse(&profile, text, strlen(text), NULL) < 0) {
        fprintf(stderr, "referee: %s is not read\n", path);
        return;
    }
    t[RUNS] = 1;
    cost(t);
    for (k = 0; k < profile.cache_count; k++)
        if (fabs(log(profile.cache[k].bytes / real[r].second)) < log(2.0)
            && (best < 0 || fabs(log(profile.cache[k].bytes / real[r].second))
                            < fabs(log(profile.cache[best].bytes / real[r].second)))) best = k;
    if (profile.cache_count > 0) {
        t[FIRST] = fabs(profile.cache[0].bytes / real[r].first - 1) < 1e-9;
        t[WAYS] = profile.cache[0].ways == real[r].first_ways;
    }
    good = size_level(t, best, real[r].second) && t[FIRST] > 0;
    t[LEVELS] = best == 1 && profile.cache_count == 3;
    t[LINE] = profile.line.line_bytes == real[r].line;
    good &= size_tlbs(t, real[r].tlb, 2) && t[LINE] > 0;
    t[ALL] = good;
    if (!good && verbose) show(base, 0, NULL);
    for (i = 0; i < COLUMNS; i++) {
        const double more = t[i];
        double *to[2];
        int j;
        to[0] = &mine[RECORDED + OF_REAL * r][i];
        to[1] = &mine[RECORDED + OF_REAL * r + row][i];
        for (j = 0; j < 2; j++) *to[j] = i == INFER_MAX_S ? fmax(*to[j], more) : *to[j] + more;
    }
}

/* ---- table ------------------------------------------------------------------------------------------------ */

static double share(double part, double of) { return of > 0 ? 100 * part / of : 0; }

static void print_modelled(void)
{
    int k, head = 0;
    for (k = 0; k < SETTINGS; k++) {
        const double *t = sum[MODELLED + k];
        if (!(t[RUNS] > 0)) continue;
        if (!head++) {
            printf("MODELLED MACHINES, %% of runs (of later levels)\n%-28s %5s %6s %6s |%4s %5s %5s |"
                   "%6s %5s %5s %5s %5s %5s %5s |%5s %6s %5s %5s %5s | %5s %6s %9s\n",
                   "", "runs", "levels", "L1", "own", "5%", "wrong", "later", "5%", "10%", "cover", "wrong", "open",
                   "miss", "extra", "line", "TLB1", "TLB2", "TLBs", "all", "CPU s", "infer ms");
        }
        printf("%-28s %5.0f %6.1f %6.1f |%4.0f %5.1f %5.1f |%6.0f %5.1f %5.1f %5.1f %5.1f %5.1f %5.1f |"
               "%5.1f %6.1f %5.1f %5.1f %5.1f | %5.1f %6.2f %4.0f %4.0f\n", settings[k].name, t[RUNS],
               share(t[LEVELS], t[RUNS]), share(t[FIRST], t[RUNS]), t[OWN], share(t[OWN_5], t[OWN]),
               share(t[OWN_WRONG], t[OWN]), t[LATER], share(t[IN_5], t[LATER]), share(t[IN_10], t[LATER]),
               share(t[COVERED], t[LATER]), share(t[WRONG], t[LATER]), share(t[OPEN], t[LATER]),
               share(t[MISSED], t[LATER]), share(t[EXTRA], t[RUNS]), share(t[LINE], t[RUNS]), share(t[TLB_1], t[RUNS]),
               share(t[TLB_2], t[TWO]), share(t[TLBS], t[RUNS]), share(t[ALL], t[RUNS]), t[CPU_S] / t[RUNS],
               1e3 * t[INFER_S] / t[RUNS], 1e3 * t[INFER_MAX_S]);
    }
    for (k = 0; head && k < SETTINGS; k++) {
        const double *t = sum[MODELLED + k];
        if (t[TRUE_ONES] > 0)
            printf("%-28s true claims of %.0f levels confirmed %.1f %%, refuted %.1f %%, use within 10 %% %.1f %%; "
                   "false ones refuted %.1f %%, use not worse %.1f %%\n", settings[k].name, t[TRUE_ONES],
                   share(t[CONFIRMED], t[TRUE_ONES]), share(t[FALSELY], t[TRUE_ONES]),
                   share(t[USED_10], t[TRUE_ONES]), share(t[REFUTED], t[UNTRUE]), share(t[NOT_WORSE], t[UNTRUE]));
    }
    if (head) printf("  own: later levels but the last; wrong: beyond 15 %% and not said to be unresolved; open: "
                     "unresolved;\n  miss: no answer means it; extra: means no level; TLBs: both within 5 %%, and no "
                     "more;\n  all: levels, L1 exact, later within 10 %%, line, TLBs; infer: mean, most\n");
}

static void print_curves(void)
{
    static const char *const name[] = { "all", "as measured", "called adversarial", "grid made of the truth" };
    int k;
    if (!(sum[CURVE_ALL][CURVES] > 0)) return;
    printf("CURVES OF OTHER TOOLS\n%-28s %6s %6s %6s %6s | %7s %9s | %5s %5s\n", "", "curves", "levels", "answer",
           "false", "recall", "precision", "held", "exact");
    for (k = 0; k < 4; k++) {
        const double *t = sum[CURVE + k];
        if (!(t[CURVES] > 0)) continue;
        printf("%-28s %6.0f %6.0f %6.0f %6.0f | %7.3f %9.3f | %5.1f %5.1f\n", name[k], t[CURVES], t[TRUTHS_THERE],
               t[ANSWERED], t[FALSE_ONES], t[FOUND] / t[TRUTHS_THERE], 1 - t[FALSE_ONES] / fmax(t[ANSWERED], 1),
               share(t[HELD], t[ANSWERED] - t[FALSE_ONES] + t[NEAR]), share(t[EXACT], t[CURVES]));
    }
}

static void print_matrices(void)
{
    int k;
    for (k = 0; k < 2; k++) {
        const double *t = sum[MATRIX + k];
        if (!(t[GROUPINGS_THERE] + t[FLATS] > 0)) continue;
        printf("%-28s groupings found %.0f of %.0f (%.1f %%), mean Jaccard %.3f; groups on %.0f of %.0f flat ones; "
               "%.2f s at most\n", k ? "MATRICES OF NETWORKS" : "MATRICES OF CORES", t[GROUPINGS_FOUND],
               t[GROUPINGS_THERE], share(t[GROUPINGS_FOUND], t[GROUPINGS_THERE]),
               t[JACCARD] / fmax(t[GROUPINGS_THERE], 1), t[FLATS_WRONG], t[FLATS], t[SLOWEST_S]);
    }
}

static void print_recorded(void)
{
    int r, k, head = 0;
    char name[64];
    for (r = 0; r < REALS; r++)
        for (k = 0; k < OF_REAL; k++) {
            const double *t = sum[RECORDED + OF_REAL * r + k];
            if (!(t[RUNS] > 0)) continue;
            if (!head++)
                printf("RECORDED RUNS, numbers of them\n%-28s %5s %6s %6s %5s |%6s %5s %5s %5s %5s %5s |%5s %5s %5s "
                       "%5s | %5s %9s\n", "", "runs", "levels", "L1", "ways", "L2 5%", "10%", "cover", "wrong", "open",
                       "miss", "line", "TLB1", "TLB2", "TLBs", "all", "infer ms");
            snprintf(name, sizeof name, "%s%s", real[r].name, recorded_name[k]);
            printf("%-28s %5.0f %6.0f %6.0f %5.0f |%6.0f %5.0f %5.0f %5.0f %5.0f %5.0f |%5.0f %5.0f %5.0f %5.0f "
                   "| %5.0f %4.0f %4.0f\n", name, t[RUNS], t[LEVELS], t[FIRST], t[WAYS], t[IN_5], t[IN_10],
                   t[COVERED], t[WRONG], t[OPEN], t[MISSED], t[LINE], t[TLB_1], t[TLB_2], t[TLBS], t[ALL],
                   1e3 * t[INFER_S] / t[RUNS], 1e3 * t[INFER_MAX_S]);
        }
    if (head)
        printf("  levels: three, and the second is L2; wrong: beyond 15 %%, not said to be unresolved; miss: none "
               "within a factor of 2\n");
}

/* ---- runs --------------------------------------------------------------------------------------------------- */

enum { OF_CURVE = 'c', OF_MATRIX = 'm', OF_NETWORK = 'n', OF_PROFILE = 'p' };

/* What limits scaling, in 100 draws of each modelled system. */
static void print_scaling(void)
{
    int i, k, n;
    printf("SCALING, what limits it named rightly, of 100 draws\n%-28s", "");
    for (k = 0; k < 3; k++) printf(" %5.1f %%", 100 * scaling_noise[k]);
    printf("\n");
    for (i = 0; i < SCALING_CASES; i++) {
        const struct scaling_case *c = &scaling_cases[i];
        printf("%-28s", c->what);
        for (k = 0; k < 3; k++) {
            n = scaling_named(&c->y, c->bound, c->limit, scaling_noise[k]);
            printf(" %7d", n);
        }
        printf("\n");
    }
}

static void list(const char *root, const char *folder, const char *end, int kind, const char *only)
{
    char path[NAME];
    struct dirent *e;
    DIR *d;
    int i;
    if (only && !strchr(only, kind == OF_NETWORK ? OF_MATRIX : kind)) return;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    d = opendir(path);
    while (d && (e = readdir(d)) != NULL && file_count < FILES) {
        const size_t n = strlen(e->d_name), m = strlen(end);
        if (n <= m || strcmp(e->d_name + n - m, end) || strstr(e->d_name, ".truth.") || strstr(e->d_name, ".row."))
            continue;
        for (i = 0; i < file_count && strcmp(base_of(files[i].path), e->d_name); i++) { }
        if (i < file_count) continue;    /* known from the first folder */
        if ((size_t)snprintf(files[file_count].path, NAME, "%s/%s", path, e->d_name) < NAME)
            files[file_count++].row = kind;
    }
    if (d) closedir(d);
}

static int listed(const char *only, int k)
{
    return !only || strchr(only, '0' + k) != NULL;
}

static void run(int which, int seeds, int first, const char *only)
{
    int k, i;
    if (which < file_count) {
        const file *f = &files[which];
        if (f->row == OF_CURVE) try_curve(f->path);
        else if (f->row == OF_PROFILE) try_recorded(f->path);
        else try_matrix(f->path, mine[MATRIX + (f->row == OF_NETWORK)], f->row == OF_NETWORK);
        return;
    }
    which -= file_count;
    i = which / seeds % SIM_MACHINES;
    for (k = 0; k < SETTINGS; k++) {
        if (!listed(only, k)) continue;
        if ((which -= seeds * SIM_MACHINES) < 0) break;
    }
    which += seeds * SIM_MACHINES;
    try_machine(&sim_machines[i], &settings[k], mine[MODELLED + k],
                (uint64_t)((first + which % seeds) * 1000000 + k * 1000 + i), first + which % seeds);
}

static void work(int job, int runs, int slice, int slices, int seeds, int first, const char *only)
{
    int at;
    mine = board->tally[job];
    while ((at = __sync_fetch_and_add(&board->next, 1)) < runs) {
        if (at % slices != slice - 1) continue;
        run(at, seeds, first, only);
        at = __sync_add_and_fetch(&board->done, 1);
        if (at % 10 == 0 || at * slices >= runs - slices)
            fprintf(stderr, verbose ? "  %d of %d\n" : "\r%d of %d ", at, (runs + slices - slice) / slices);
    }
}

static int number(const char *name, int otherwise)
{
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}

static void add(double (*more)[COLUMNS])
{
    int k, i;
    for (k = 0; k < ROWS; k++)
        for (i = 0; i < COLUMNS; i++) {
            const int most = k < CURVE || k >= RECORDED ? i == INFER_MAX_S : k >= MATRIX && i == SLOWEST_S;
            sum[k][i] = most ? fmax(sum[k][i], more[k][i]) : sum[k][i] + more[k][i];
        }
}

int main(int argc, char **argv)
{
    const char *only = getenv("REFEREE_ONLY"), *data = getenv("REFEREE_DATA"), *save = getenv("REFEREE_SAVE");
    const int seeds = number("REFEREE_SEEDS", 5), first = number("REFEREE_FROM", 1);
    int jobs = number("REFEREE_JOBS", 2), slice = 1, slices = 1, i, k, runs, status = 0;
    struct timespec begun, ended;
    FILE *f;
    verbose = getenv("REFEREE_VERBOSE") != NULL;
    if (getenv("REFEREE_SLICE") && (sscanf(getenv("REFEREE_SLICE"), "%d/%d", &slice, &slices) != 2 || slice < 1
                                    || slices < slice)) slices = 0;
    if (slices < 1 || seeds < 0 || jobs < 1 || jobs > JOBS_MAX) {
        fprintf(stderr, "referee: REFEREE_SLICE is like 1/4, _SEEDS not below 0, _JOBS 1 to %d\n", (int)JOBS_MAX);
        return 2;
    }
    board = (shared_state *)mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) return 1;
    for (i = 0; i < (data ? 2 : 1); i++) {
        const char *root = i ? data : "tests/data";
        list(root, "curve", ".csv", OF_CURVE, only);
        list(root, "c2c", ".csv", OF_MATRIX, only);
        list(root, "mpi", ".csv", OF_NETWORK, only);
        list(root, "profiles", ".json", OF_PROFILE, only);
    }
    qsort(files, (size_t)file_count, sizeof *files, by_path);
    for (runs = file_count, k = 0; k < SETTINGS; k++) runs += listed(only, k) ? seeds * SIM_MACHINES : 0;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (i = 1; i < jobs; i++) {
        fflush(NULL);
        if (fork() == 0) {
            work(i, runs, slice, slices, seeds, first, only);
            _exit(0);
        }
    }
    work(0, runs, slice, slices, seeds, first, only);
    while (wait(&k) > 0) status |= k;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    for (i = 0; i < jobs; i++) add(board->tally[i]);
    if (save && (f = fopen(save, "wb")) != NULL) {
        fwrite(sum, sizeof sum, 1, f);
        fclose(f);
    }
    for (i = 1; i < argc; i++) {
        static double more[ROWS][COLUMNS];
        f = fopen(argv[i], "rb");
        if (!f || fread(more, sizeof more, 1, f) != 1) {
            fprintf(stderr, "referee: %s holds no tallies\n", argv[i]);
            return 2;
        }
        fclose(f);
        add(more);
    }
    fprintf(stderr, "\r");
    print_modelled();
    print_curves();
    print_matrices();
    print_recorded();
    print_scaling();
    printf("%.0f s, %d processes%s\n", (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec
           - begun.tv_nsec), jobs, status ? "; SOME OF THEM DIED" : "");
    return status ? 1 : 0;
}

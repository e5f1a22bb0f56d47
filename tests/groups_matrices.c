/* groups_matrices.c - groups and layers of matrices of pair costs: measured ones of documented machines (data/c2c) and
 * modelled ones, and the papers' algorithms on pairs
 *
 * A grouping of a truth is found if one layer is exactly it: the same groups of two or more cores.  Its Jaccard index
 * is, over its groups, the mean of the best with any group of any layer.  On modelled machines a machine is false if
 * any group of any layer is none of the truth.  What is asserted are rates; the tables (prove -v) show each machine. */
#include "../servet.h"
#include "private.h"
#include "tap.h"
#include <limits.h>
#include <stdlib.h>

#include <ctype.h>
#include <time.h>

enum { CORES = SERVET_PAIRS_CORES, GROUPINGS = 8 };

typedef struct grouping {
    char name[32];
    int16_t group[CORES];
} grouping;

static double cost[CORES * CORES];
static servet_layers found;

static int infer(const double *matrix, int n) { return servet_pairs_layers(&found, matrix, n); }

/* ---- comparing ------------------------------------------------------------------------------------ */

static int same(const int16_t *a, const int16_t *b, int n)
{
    int i, j;
    for (i = 0; i < n; i++) {
        if ((a[i] < 0) != (b[i] < 0)) return 0;
        for (j = 0; j < i; j++) if (a[i] >= 0 && a[j] >= 0 && (a[i] == a[j]) != (b[i] == b[j])) return 0;
    }
    return 1;
}

/* Sizes of a true group, of the group of a layer that core is in, and of what they share. */
static double jaccard(const int16_t *truth, int which, const int16_t *layer, int core, int n)
{
    int i, either = 0, both = 0;
    if (layer[core] < 0) return 0;
    for (i = 0; i < n; i++) {
        int in = truth[i] == which, there = layer[i] == layer[core];
        either += in || there;
        both += in && there;
    }
    return (double)both / either;
}

static double mean_jaccard(const int16_t *truth, int n)
{
    double sum = 0;
    int which, i, l, groups = 0;
    for (which = 0; which < n; which++) {
        double best = 0;
        int size = 0;
        for (i = 0; i < n; i++) {
            if (truth[i] != which) continue;
            size++;
            for (l = 0; l < found.count; l++) {
                double j = jaccard(truth, which, found.group[l], i, n);
                if (j > best) best = j;
            }
        }
        if (!size) continue;
        sum += best;
        groups++;
    }
    return groups ? sum / groups : 1;
}

static int exact(const int16_t *truth, int n)
{
    int l;
    for (l = 0; l < found.count; l++) if (same(truth, found.group[l], n)) return 1;
    return 0;
}

/* Is a group of a layer a group of one of the truths? */
static int is_true(const grouping *truth, int truths, int layer, int which, int n)
{
    int t, i;
    for (t = 0; t < truths; t++) {
        int first = -1, good = 1;
        for (i = 0; i < n; i++) if (found.group[layer][i] == which && first < 0) first = truth[t].group[i];
        for (i = 0; i < n; i++) good &= (found.group[layer][i] == which) == (truth[t].group[i] == first);
        if (good && first >= 0) return 1;
    }
    return 0;
}

static int any_false(const grouping *truth, int truths, int n)
{
    int l, g;
    for (l = 0; l < found.count; l++)
        for (g = 0; g < found.layer[l].groups; g++) if (!is_true(truth, truths, l, g, n)) return 1;
    return 0;
}

static int nested(int n)
{
    int l, i, j;
    for (l = 1; l < found.count; l++)
        for (i = 0; i < n; i++)
            for (j = 0; j < i; j++) {
                const int16_t *in = found.group[l - 1], *out = found.group[l];
                if (in[i] >= 0 && in[i] == in[j] && (out[i] < 0 || out[i] != out[j])) return 0;
            }
    return 1;
}

/* ---- chance ----------------------------------------------------------------------------------------- */

static uint64_t chance;

static double gauss(void)
{
    double u = servet_stats_random_unit(&chance), v = servet_stats_random_unit(&chance);
    return sqrt(-2 * log(1 - u)) * cos(6.28318530717958648 * v);
}

/* ---- measured matrices ---------------------------------------------------------------------------- */

static int read_matrix(const char *path)
{
    static char line[1 << 16];
    FILE *f = fopen(path, "r");
    int n = 0, j;
    if (!f) return 0;
    for (j = 0; j < CORES * CORES; j++) cost[j] = 0;
    while (n < CORES && fgets(line, sizeof line, f)) {
        char *at = line, *end;
        for (j = 0; j < CORES; j++) {
            cost[n * CORES + j] = strtod(at, &end);
            at = end + strspn(end, " ");
            if (*at++ != ',') break;
        }
        n++;
    }
    fclose(f);
    for (j = 0; j < n * n; j++) cost[j] = cost[j / n * CORES + j % n];     /* rows come before where they go */
    return n;
}

/* Groupings under "groups" in a truth; single cores are in none. */
static int read_truth(const char *path, grouping *g, int *flat, int *scorable)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    const char *at;
    size_t length;
    int count = 0;
    if (!f) return -1;
    length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[length] = 0;
    *flat = strstr(text, "\"flat\": true") != NULL;
    *scorable = strstr(text, "\"scorable\": true") != NULL;
    at = strstr(text, "\"groups\": {");
    if (!at) return -1;
    for (at += strlen("\"groups\": {"); *at && *at != '}' && count < GROUPINGS; at++) {
        int i, depth = 0, groups = 0, size = 0, core = 0;
        if (*at != '"') continue;
        for (i = 0, at++; *at != '"'; at++) if (i < 31) g[count].name[i++] = *at;
        g[count].name[i] = 0;
        for (i = 0; i < CORES; i++) g[count].group[i] = -1;
        for (at += strcspn(at, "["); *at; at++) {
            if (*at == '[' && ++depth == 2) size = 0;
            if (isdigit((unsigned char)*at)) {
                char *end;
                core = (int)strtol(at, &end, 10);
                at = end - 1;
                if (core < CORES) g[count].group[core] = (int16_t)groups;
                size++;
            }
            if (*at != ']') continue;
            if (--depth == 0) break;
            if (size == 1 && core < CORES) g[count].group[core] = -1;
            groups += size > 1;
        }
        count++;
    }
    return count;
}

/* Each with the groupings that are not found there, and why. */
static const struct { const char *name, *missed; } measured[] = {
    { "a53_rpi3", "" }, { "a53_s5p6818", "" }, { "a53_s5p6818_op3", "" }, { "a55_rk3566_lse", "" },
    { "a55_rk3566_lse_op3", "" }, { "a72_rpi4", "" }, { "adl_i7_12700h", "" }, { "altra_q80_numa_off", "" },
    { "altra_q80_numa_on", "" }, { "apple_m1pro_10c", "" }, { "apple_m1pro_epk", "" }, { "apple_m4pro_12c", "" },
    { "bdw_2x_e5_2630v4", "" }, { "bdw_2x_e5_2680v4", "" }, { "bdw_e5_2695v4_smtoff", "" }, { "elbrus_8c2", "" },
    { "hsw_i5_4590", "" }, { "icx_2x_8358_smtoff", "" }, { "icx_2x_8360y", "" }, { "icx_2x_8375c_aws", "" },
    { "ivb_i7_4930k", "" },
    { "kunpeng920_6426", "" }, { "loongson_2x_3b4000", "" }, { "mctop_hsw_4x_e7_4830v3", "" },
    { "mctop_ivb_2x_e5_2680v2", "" },
    { "mctop_niagara2", "" }, { "mctop_opteron_4x_6172", "" }, { "merom_c2d_t7500", "" }, { "phytium_d2000", "" },
    { "power7_2x", "" },
    { "rpl_i7_13700kf", "l2: small cores cost 47 ns inside a cluster and 46 ns between the two" },
    { "rpl_i7_14700k", "l2, core_type: small cores cost 33 to 70 ns inside a cluster and 33 to 67 ns outside" },
    { "spr_w9_3475x_smtoff", "tile: costs are a sum of two cores' own to 1 %, in tiles and between" },
    { "tgl_i5_1135g7", "" }, { "unpinned_apple_m1air", "" }, { "unpinned_cfl_i9_9980hk", "" },
    { "zen1_tr_1950x_a", "" }, { "zen1_tr_1950x_b", "" }, { "zen2_2x_epyc_7302", "" }, { "zen2_tr_3960x", "" },
    { "zen3_epyc_74f3_wt", "" },
    { "zen3_epyc_74f3_wt_op3", "smt: the one pair costs 28 ns, with the other cores of its cache 22 and 26" },
    { "zen3_ryzen_5600x", "" }, { "zen3_ryzen_5800u", "" }, { "zen3_ryzen_5950x", "" }, { "zen3_ryzen_pro_5850u", "" },
    { "zen4_ryzen_7950x", "" }, { "zen4c_2x_epyc_9754", "" }, { "zen4c_epyc_9754", "" },
    { "zenplus_ryzen_2700x_wt", "" },
    { "zenplus_ryzen_2700x_wt_op3", "" }, { "clx_2x_8275cl", "" }
};

static void test_measured(const char *folder)
{
    static grouping truth[GROUPINGS];
    char path[512], text[512];
    int q, t, l, total = 0, right = 0, flats = 0, wrong = 0, unnested = 0, unexplained = 0, missing = 0, many = 0;
    double sum = 0, slowest = 0;
    for (q = 0; q < (int)(sizeof measured / sizeof *measured); q++) {
        int n, count, flat, scorable, at = 0;
        clock_t start;
        snprintf(path, sizeof path, "%s/%s.truth.json", folder, measured[q].name);
        count = read_truth(path, truth, &flat, &scorable);
        snprintf(path, sizeof path, "%s/%s.csv", folder, measured[q].name);
        n = read_matrix(path);
        missing += n < 2 || count < 0;
        if (n < 2 || count < 0) continue;
        start = clock();
        infer(cost, n);
        slowest = fmax(slowest, (double)(clock() - start) / CLOCKS_PER_SEC);
        unnested += !nested(n);
        many += scorable && found.count > count;
        text[0] = 0;
        for (l = 0; l < found.count; l++)
            at += snprintf(text + at, sizeof text - (size_t)at, " %dx%.1f", found.layer[l].groups,
                           found.layer[l].latency_ns);
        at += snprintf(text + at, sizeof text - (size_t)at, " | %.1f;", found.outermost_ns);
        for (t = 0; t < count && scorable; t++) {
            int ok = exact(truth[t].group, n);
            double j = mean_jaccard(truth[t].group, n);
            total++;
            right += ok;
            sum += j;
            unexplained += !ok && !strstr(measured[q].missed, truth[t].name);
            at += snprintf(text + at, sizeof text - (size_t)at, " %s %s %.2f", truth[t].name,
                           ok ? "found" : "MISSED", j);
        }
        if (count == 0 && scorable) {
            flats++;
            wrong += found.count > 0;
            snprintf(text + at, sizeof text - (size_t)at, " flat%s", found.count ? ", FALSE" : "");
        }
        TAP_DIAG("%-27s n %3d %s%s%s", measured[q].name, n, text, *measured[q].missed ? "  " : "", measured[q].missed);
    }
    TAP_DIAG("%d of %d groupings found (%.1f %%), mean Jaccard %.3f; groups on %d of %d flat machines; %.2f s at most",
             right, total, 100.0 * right / total, sum / total, wrong, flats, slowest);
    TAP_OK(missing == 0, "all measured matrices and their truths are there");
    TAP_OK(100 * right >= 92 * total, "measured: %d of %d groupings found exactly, 92 %% wanted", right, total);
    TAP_OK(sum >= 0.957 * total, "measured: mean Jaccard index %.3f, 0.957 wanted", sum / total);
    TAP_OK(wrong == 0 && flats > 5, "measured: no group on %d flat machines", flats);
    TAP_OK(unnested == 0, "measured: layers are nested");
    TAP_OK(many <= 7, "measured: more layers than groupings on %d machines, 7 known", many);
    TAP_OK(unexplained == 0, "measured: what is missed is known");
}

/* Two whose rows differ by less than a factor of 3 more between groups than inside: all but the sorts of cores of the
 * first, of which costs do not tell. */
static void test_faint(const char *folder)
{
    static const char *const name[] = { "rpl_i7_13850hx_rw", "zen5_ryzen_9950x" };
    static grouping truth[GROUPINGS];
    int q, t, n, count, flat, scorable, right = 0, all = 0;
    for (q = 0; q < 2; q++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.truth.json", folder, name[q]);
        count = read_truth(path, truth, &flat, &scorable);
        snprintf(path, sizeof path, "%s/%s.csv", folder, name[q]);
        if (count < 0 || (n = read_matrix(path)) < 2) continue;
        infer(cost, n);
        for (t = 0; t < count; t++) {
            right += exact(truth[t].group, n);
            all++;
        }
    }
    TAP_OK(right == 4 && all == 5, "faint: %d of %d groupings found, 4 wanted", right, all);
}

/* Measured matrices again, each with what happens to others: groupings found, of those found without. */
static void test_disturbed(const char *folder)
{
    static const char *const what[] = { "3 % noise", "one cost in fifty up to three times as dear, both directions",
                                        "one cost in twenty a hole", "one core 1.5 times as slow", "whole numbers" };
    static const int wanted[] = { 95, 94, 92, 81, 97 };
    static grouping truth[GROUPINGS];
    static double plain[CORES * CORES];
    int right[5] = { 0 }, all[5] = { 0 }, flats[5] = { 0 }, wrong[5] = { 0 }, q, k, s, t, i, j;
    for (q = 0; q < (int)(sizeof measured / sizeof *measured); q++) {
        char path[512];
        int n, count, flat, scorable, before[GROUPINGS];
        snprintf(path, sizeof path, "%s/%s.truth.json", folder, measured[q].name);
        count = read_truth(path, truth, &flat, &scorable);
        snprintf(path, sizeof path, "%s/%s.csv", folder, measured[q].name);
        n = read_matrix(path);
        if (n < 3 || n > 130 || count < 0 || !scorable) continue;
        memcpy(plain, cost, sizeof(double) * (size_t)n * (size_t)n);
        infer(cost, n);
        for (t = 0; t < count; t++) before[t] = exact(truth[t].group, n);
        for (k = 0; k < 5; k++)
            for (s = 0; s < 4; s++) {
                int slow;
                chance = (uint64_t)(1000 * s + 10 * q + k + 1);
                slow = (int)servet_stats_random_below(&chance, (size_t)n);
                for (i = 0; i < n; i++)
                    for (j = 0; j <= i; j++) {
                        double v = plain[i * n + j], w = plain[j * n + i], u = servet_stats_random_unit(&chance);
                        if (k == 0) v *= exp(0.03 * gauss());
                        if (k == 0) w *= exp(0.03 * gauss());
                        if (k == 1 && u < 0.02) v = w = (v > 0 ? v : w) * (1 + 100 * u);
                        if (k == 2 && u < 0.05) v = w = 0;
                        if (k == 3 && (i == slow || j == slow)) v *= 1.5;
                        if (k == 3 && (i == slow || j == slow)) w *= 1.5;
                        cost[i * n + j] = k == 4 ? floor(v + 0.5) : v;
                        cost[j * n + i] = k == 4 ? floor(w + 0.5) : w;
                    }
                infer(cost, n);
                for (t = 0; t < count; t++) {
                    right[k] += before[t] && exact(truth[t].group, n);
                    all[k] += before[t];
                }
                flats[k] += count == 0;
                wrong[k] += count == 0 && found.count > 0;
            }
    }
    for (k = 0; k < 5; k++) {
        TAP_OK(all[k] > 0 && 100 * right[k] >= wanted[k] * all[k],
               "measured, and %s: %d of %d still found, %d %% wanted", what[k], right[k], all[k], wanted[k]);
        TAP_DIAG("groups on %d of %d flat machines", wrong[k], flats[k]);
    }
}

/* The same machine with its cores numbered otherwise, in another unit, transposed: the same answer. */
static void test_invariance(const char *folder)
{
    static const char *const name[] = { "zen2_2x_epyc_7302", "adl_i7_12700h", "apple_m4pro_12c", "zen3_epyc_74f3_wt" };
    static double other[CORES * CORES];
    static servet_layers first;
    int q, what, bad = 0;
    for (q = 0; q < 4; q++) {
        char path[512];
        int n, i, j, l, to[CORES];
        uint64_t seed = 7;
        snprintf(path, sizeof path, "%s/%s.csv", folder, name[q]);
        n = read_matrix(path);
        infer(cost, n);
        first = found;
        for (what = 0; what < 3; what++) {
            for (i = 0; i < n; i++) to[i] = i;
            for (i = n - 1; i > 0 && what == 0; i--) {
                int k = (int)servet_stats_random_below(&seed, (size_t)i + 1), t = to[i];
                to[i] = to[k];
                to[k] = t;
            }
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++) other[to[i] * n + to[j]] = cost[what == 2 ? j * n + i : i * n + j]
                                                                 * (what == 1 ? 2600 : 1);
            infer(other, n);
            bad += found.count != first.count;
            for (l = 0; l < found.count && l < first.count; l++) {
                int16_t back[CORES];
                for (i = 0; i < n; i++) back[i] = found.group[l][to[i]];
                bad += !same(back, first.group[l], n);
            }
        }
    }
    TAP_OK(bad == 0, "neither numbering nor unit nor direction changes the answer");
}

/* ---- modelled matrices ---------------------------------------------------------------------------- */

enum { tree, mesh, ring, star, hybrid, slow_hybrid, far_hybrid, hidden_home, zen3, mesh_of_pairs, partly, slow_half };

typedef struct model {
    const char *name;
    int n, kind, levels, size[3];
    double ns[5];               /* of levels, the innermost first, then outermost                   */
} model;

static const model models[] = {
    { "flat, 2",                  2, tree, 0, { 0 }, { 30 } },
    { "flat, 3",                  3, tree, 0, { 0 }, { 30 } },
    { "flat, 4",                  4, tree, 0, { 0 }, { 30 } },
    { "flat, 8",                  8, tree, 0, { 0 }, { 30 } },
    { "flat, 16",                16, tree, 0, { 0 }, { 30 } },
    { "flat, 64",                64, tree, 0, { 0 }, { 30 } },
    { "flat, 256",              256, tree, 0, { 0 }, { 30 } },
    { "Kentsfield",               4, tree, 1, { 2 }, { 20, 70 } },
    { "Harpertown",               8, tree, 2, { 2, 4 }, { 25, 60, 90 } },
    { "SMT, 4 cores",             8, tree, 1, { 2 }, { 7, 27 } },
    { "SMT, 8 cores",            16, tree, 1, { 2 }, { 7, 27 } },
    { "SMT, 32 cores",           64, tree, 1, { 2 }, { 8, 45 } },
    { "Dunnington",              24, tree, 2, { 2, 6 }, { 25, 50, 100 } },
    { "8 cores of 8 threads",    64, tree, 1, { 8 }, { 20, 60 } },
    { "desktop Zen",             32, tree, 2, { 2, 16 }, { 8, 18, 85 } },
    { "256 threads of Zen",     256, tree, 3, { 2, 16, 128 }, { 8, 24, 100, 200 } },
    { "Zen in quadrants",        64, tree, 3, { 4, 16, 32 }, { 25, 90, 120, 210 } },
    { "cluster on die",          48, tree, 3, { 2, 12, 24 }, { 8, 40, 56, 110 } },
    { "two sockets",             56, tree, 1, { 28 }, { 45, 110 } },
    { "sockets 1.3 apart",       32, tree, 1, { 16 }, { 50, 65 } },
    { "clusters 1.25 apart",     64, tree, 1, { 8 }, { 80, 100 } },
    { "pairs 1.5 apart",         32, tree, 1, { 2 }, { 60, 90 } },
    { "clusters in dies",        64, tree, 2, { 4, 32 }, { 30, 36, 80 } },
    { "dies in sockets",         48, tree, 2, { 6, 12 }, { 117, 197, 280 } },
    { "P and E, near clusters",  24, hybrid, 0, { 0 }, { 5, 33, 25, 42 } },
    { "P and E, slow clusters",  20, slow_hybrid, 0, { 0 }, { 5, 31, 56, 44, 37 } },
    { "P and E, far clusters",   32, far_hybrid, 0, { 0 }, { 36, 150, 165, 285, 175 } },
    { "home hides a socket",     64, hidden_home, 2, { 8, 32 }, { 25, 105, 205 } },
    { "8 cores as measured",     64, zen3, 1, { 8 }, { 25, 100 } },
    { "mesh, 6 x 6",             36, mesh, 6, { 0 }, { 40, 4 } },
    { "mesh, 8 x 8",             64, mesh, 8, { 0 }, { 40, 4 } },
    { "mesh, 4 x 8, steep",      32, mesh, 8, { 0 }, { 20, 10 } },
    { "ring of 12",              12, ring, 0, { 0 }, { 30, 3 } },
    { "ring of 24",              24, ring, 0, { 0 }, { 30, 3 } },
    { "near and far, 16",        16, star, 0, { 0 }, { 40, 0.1 } },
    { "near and far, 64",        64, star, 0, { 0 }, { 40, 0.1 } },
    { "mesh of SMT cores",       48, mesh_of_pairs, 6, { 2 }, { 8, 40, 4 } },
    { "2 pairs, 8 others",       12, partly, 2, { 2 }, { 5, 35 } },     /* levels: so many groups      */
    { "3 pairs, 14 others",      20, partly, 3, { 2 }, { 10, 35 } },
    { "4 pairs, 6 others",       14, partly, 4, { 2 }, { 10, 35 } },
    { "2 fours, 10 others",      18, partly, 2, { 4 }, { 22, 35 } },
    { "3 fours, 6 others",       18, partly, 3, { 4 }, { 10, 35 } },
    { "2 eights, 12 others",     28, partly, 2, { 8 }, { 10, 35 } },
    { "11 fast, 13 slow cores",  24, slow_half, 11, { 0 }, { 44, 46.5, 50.8 } },  /* two Xeon 8275CL (KCORES) */
    { "2 fours, 8 others",       16, partly, 2, { 4 }, { 10, 35 } }     /* as many as in groups: no complement */
};

/* ns between the cores of one cluster of an EPYC 7763, much the same in all sixteen: two are slow to all others, which
 * is no group of six (KCORES, core-to-core-latency-plus). */
static const double zen3_ns[8][7] = {
    { 0 }, { 26.3 }, { 24.3, 24.6 }, { 29.8, 27.9, 27.0 }, { 21.9, 21.9, 20.4, 24.2 }, { 27.6, 27.4, 26.3, 27.2, 24.2 },
    { 24.2, 24.7, 22.5, 26.8, 21.2, 25.5 }, { 25.7, 26.1, 24.0, 27.3, 22.0, 29.9, 24.0 } };

/* Hops between two places of a mesh so many wide. */
static double hops(int a, int b, int wide) { return abs(a % wide - b % wide) + abs(a / wide - b / wide); }

/* Is it of two kinds of cores?  Threads of the first, the others in clusters of four. */
static int kinds(const model *m)
{
    return m->kind == slow_hybrid ? 12 : m->kind == hybrid || m->kind == far_hybrid ? 16 : 0;
}

static double between(const model *m, const double *far, int i, int j)
{
    const int p = kinds(m);
    double v;
    int l, d = abs(i - j);
    switch (m->kind) {
    case mesh: return m->ns[0] + m->ns[1] * (hops(i, j, m->levels) - 1);
    case ring: return m->ns[0] + m->ns[1] * ((2 * d > m->n ? m->n - d : d) - 1);
    case star: return m->ns[0] * (1 + m->ns[1] * (far[i] + far[j]) / 2);
    case partly: return i / m->size[0] == j / m->size[0] && i / m->size[0] < m->levels ? m->ns[0] : m->ns[1];
    case slow_half: return m->ns[(i >= m->levels) + (j >= m->levels)];
    case mesh_of_pairs: return i / 2 == j / 2 ? m->ns[0] : m->ns[1] + m->ns[2] * (hops(i / 2, j / 2, m->levels) - 1);
    case hybrid: case slow_hybrid: case far_hybrid:
        if (i < p && j < p) return i / 2 == j / 2 ? m->ns[0] : m->ns[1];
        if (i >= p && j >= p) return (i - p) / 4 == (j - p) / 4 ? m->ns[2] : m->ns[3];
        /* cores of the first kind that are near the second hide its clusters */
        return m->ns[m->kind == hybrid ? 3 : 4] * (m->kind == far_hybrid ? exp(0.05 * far[(i < j ? i : j) / 2]) : 1);
    default:
        for (v = m->ns[m->levels], l = m->levels - 1; l >= 0; l--) if (i / m->size[l] == j / m->size[l]) v = m->ns[l];
        if (m->kind == zen3 && v < m->ns[1] && i != j) v = zen3_ns[(i > j ? i : j) % 8][(i < j ? i : j) % 8];
        if (m->kind == hidden_home && i >= m->n / 2 && j >= m->n / 2 && v < m->ns[2] && v > m->ns[0]) v = m->ns[2];
        return v;
    }
}

typedef struct noise { const char *name; double frac, outliers, holes; int both; } noise;

static const noise noises[] = {
    { "1 %", 0.01, 0, 0, 0 }, { "2 %", 0.02, 0, 0, 0 }, { "5 %", 0.05, 0, 0, 0 }, { "10 %", 0.10, 0, 0, 0 },
    { "5 % + 3 % outliers", 0.05, 0.03, 0, 0 }, { "the same, both directions", 0.05, 0.03, 0, 1 },
    { "2 % + 2 % holes", 0.02, 0, 0.02, 0 }
};
enum { NOISES = sizeof noises / sizeof *noises };

/* A machine numbered at random; outliers are up to three times as dear. */
static int build(const model *m, const noise *e, grouping *truth)
{
    const int n = m->n;
    int i, j, t, place[CORES], truths = 0;
    static double far[CORES];
    for (i = 0; i < n; i++) {
        place[i] = i;
        far[i] = gauss();
    }
    for (i = n - 1; i > 0; i--) {
        int k = (int)servet_stats_random_below(&chance, (size_t)i + 1);
        t = place[i];
        place[i] = place[k];
        place[k] = t;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double v = i == j ? 0 : between(m, far, place[i], place[j]) * exp(e->frac * gauss());
            if (servet_stats_random_unit(&chance) < e->outliers) v *= 1 + 2 * servet_stats_random_unit(&chance);
            if (servet_stats_random_unit(&chance) < e->holes) v = 0;
            cost[i * n + j] = v;
            if (!e->both && j < i) cost[i * n + j] = cost[j * n + i];
        }
    for (t = 0; t < 3; t++)
        for (i = 0; i < n; i++) {
            const int at = place[i], p = kinds(m);
            int *to = &truths, group = -1;
            if (m->kind == tree || m->kind == hidden_home || m->kind == zen3)
                group = t < m->levels ? at / m->size[t] : -1;
            else if (m->kind == mesh_of_pairs) group = t == 0 ? at / 2 : -1;
            else if (m->kind == partly) group = t == 0 && at / m->size[0] < m->levels ? at / m->size[0] : -1;
            else if (p > 0) {
                if (at < p) group = t < 2 ? at / 2 : 100;
                else if (t > 0) group = t == 1 || m->kind == hybrid ? 101 + (at - p) / 4 : 101;
            }
            truth[t].group[i] = (int16_t)group;
            if (group >= 0 && *to <= t) *to = t + 1;
        }
    return truths;
}

static void test_models(int seeds)
{
    static grouping truth[3];
    int q, k, s, t, all_found[3] = { 0, 0, 0 }, all[3] = { 0, 0, 0 }, flats = 0, flat_false = 0, trees = 0;
    int tree_false = 0, layered = 0, many = 0, others = 0, other_false = 0, unnested = 0, two_found = 0, two = 0;
    int beside = 0, beside_found = 0, beside_false = 0;
    char line[256];
    int at = 0;
    for (k = 0; k < NOISES; k++) at += snprintf(line + at, sizeof line - (size_t)at, " | %s", noises[k].name);
    TAP_DIAG("groupings found and machines with a false group, of %d seeds each, at%s", seeds, line);
    for (q = 0; q < (int)(sizeof models / sizeof *models); q++) {
        const model *m = &models[q];
        const int weak = strstr(m->name, "apart") != NULL || !strcmp(m->name, "clusters in dies");
        for (k = at = 0; k < NOISES; k++) {
            int hit = 0, total = 0, wrong = 0, runs = m->n > 200 ? seeds / 4 + 1 : seeds;
            for (s = 0; s < runs; s++) {
                int truths, bad;
                chance = (uint64_t)(1000003 * s + 8191 * q + 31 * k + 1);
                truths = build(m, &noises[k], truth);
                infer(cost, m->n);
                for (t = 0; t < truths; t++) hit += exact(truth[t].group, m->n);
                total += truths;
                bad = any_false(truth, truths, m->n);
                wrong += bad;
                layered += m->kind == tree && truths > 0;
                many += m->kind == tree && truths > 0 && found.count > truths;
                unnested += !nested(m->n);
            }
            at += snprintf(line + at, sizeof line - (size_t)at, total ? " | %.2f %.2f" : " |  -   %.2f",
                           total ? (double)hit / total : (double)wrong / runs, (double)wrong / runs);
            if (!total && m->kind == tree) {
                flats += runs;
                flat_false += wrong;
            } else if (m->kind == partly) {
                beside_found += hit;
                beside += total;
                beside_false += wrong;
            } else if (m->kind == tree || m->kind == hidden_home || m->kind == zen3 || kinds(m)) {
                const int hard = k == 3 ? 1 : k == 4 ? 2 : 0;
                if (!weak) {
                    all_found[hard] += hit;
                    all[hard] += total;
                    trees += runs;
                    tree_false += wrong;
                } else if (k < 2) {
                    two_found += hit;
                    two += total;
                }
            } else {
                others += runs;
                other_false += wrong;
            }
        }
        TAP_DIAG("%-24s%s", m->name, line);
    }
    TAP_OK(100 * all_found[0] >= 99 * all[0], "modelled: %d of %d groupings found at 1 to 5 %% noise, with outliers"
           " in two directions or holes, 99 %% wanted",
           all_found[0], all[0]);
    TAP_OK(100 * all_found[1] >= 93 * all[1], "modelled: %d of %d found at 10 %%, 93 %% wanted", all_found[1], all[1]);
    TAP_OK(100 * all_found[2] >= 95 * all[2], "modelled: %d of %d found with outliers in one direction, 95 %% wanted",
           all_found[2], all[2]);
    TAP_OK(100 * two_found >= 99 * two, "modelled: %d of %d found that are 1.2 to 1.5 apart, at 1 and 2 %%", two_found,
           two);
    TAP_OK(100 * beside_found >= 96 * beside, "modelled: %d of %d times the groups beside single cores, 96 %% wanted",
           beside_found, beside);
    TAP_OK(25 * beside_false <= beside, "modelled: %d of %d times a false group besides, 4 %% allowed", beside_false,
           beside);
    TAP_OK(100 * tree_false <= trees, "modelled: %d of %d machines in groups with a false one, 1 %% allowed",
           tree_false, trees);
    TAP_OK(200 * many <= layered, "modelled: %d of %d machines in groups with a layer too many, 0.5 %% allowed",
           many, layered);
    TAP_OK(100 * flat_false <= flats, "modelled: %d of %d flat machines with a group, 1 %% allowed", flat_false, flats);
    TAP_OK(25 * other_false <= others, "modelled: %d of %d meshes, rings and such with a false group, 4 %% allowed",
           other_false, others);
    TAP_OK(unnested == 0, "modelled: layers are nested");
}

/* Machines without groups, some of whose cores are up to a quarter slower, or slow down while they are measured. */
static void test_slow(int seeds)
{
    static const int cores[] = { 8, 16, 36, 64 };
    int q, s, i, j, runs = 0, wrong = 0;
    for (q = 0; q < 4; q++)
        for (s = 0; s < 10 * seeds; s++) {
            const int n = cores[q];
            double slow[64], drift = s % 2 ? 0.1 : 0;
            chance = (uint64_t)(4099 * q + s + 1);
            for (i = 0; i < n; i++) {
                slow[i] = servet_stats_random_unit(&chance) < 0.2 ? 1 + 0.25 * servet_stats_random_unit(&chance) : 1;
                for (j = 0; j <= i; j++)
                    cost[i * n + j] = cost[j * n + i] = i == j ? 0 : 50 * fmax(slow[i], slow[j])
                                    * (1 + drift * i / n) * exp(0.01 * gauss());
            }
            infer(cost, n);
            runs++;
            wrong += found.count > 0;
        }
    TAP_OK(10 * wrong <= runs, "modelled: groups on %d of %d flat machines with slow cores, 10 %% allowed", wrong,
           runs);
}

/* ---- input of every kind ---------------------------------------------------------------------------- */

/* As many cores as there may be in three layers, and only three costs of ten. */
static void test_size(void)
{
    const int n = CORES;
    clock_t start;
    double seconds;
    int i, j;
    chance = 3;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double v = i / 2 == j / 2 ? 8 : i / 16 == j / 16 ? 24 : i / 128 == j / 128 ? 100 : 200;
            if (servet_stats_random_unit(&chance) < 0.7) v = 0;
            cost[i * n + j] = v * exp(0.05 * gauss());
        }
    start = clock();
    infer(cost, n);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    TAP_DIAG("%d cores: %.1f s", n, seconds);
    TAP_OK(found.count >= 3 && found.layer[found.count - 1].groups == 8, "layers: %d cores in three layers", n);
}

static void test_input(void)
{
    int i, j, n;
    static const double odd[] = { 1e-300, 1e300, 1, 5e-324 };
    memset(&found, 1, sizeof found);
    cost[0] = 5;
    TAP_OK(servet_pairs_layers(NULL, cost, 2) == SERVET_EINVAL && servet_pairs_layers(&found, NULL, 2) == SERVET_EINVAL,
           "layers: NULL");
    TAP_OK(servet_pairs_layers(&found, cost, 0) == SERVET_EINVAL
           && servet_pairs_layers(&found, cost, CORES + 1) == SERVET_EINVAL, "layers: sizes out of range");
    TAP_OK(servet_pairs_layers(&found, cost, 1) == SERVET_EUNRESOLVED && found.cores == 0x01010101,
           "layers: one core is unresolved, and nothing is written");
    for (i = 0; i < 9; i++) cost[i] = i % 2 ? HUGE_VAL : -1;
    TAP_OK(servet_pairs_layers(&found, cost, 3) == SERVET_EUNRESOLVED,
           "layers: nothing but holes");
    for (i = 0; i < 16; i++) cost[i] = i == 1 ? 7 : 0;
    TAP_OK(infer(cost, 4) == 0 && found.outermost_ns > 6.99 && found.outermost_ns < 7.01, "layers: a single cost");
    for (n = 2, i = 0; n <= 64; n++) {
        for (j = 0; j < n * n; j++) cost[j] = n % 2 ? 1e300 : 1e-300;
        i += infer(cost, n) != 0 || found.count != 0;
    }
    TAP_OK(i == 0, "layers: nothing where all costs are equal, 2 to 64 cores");
    for (j = 0; j < 9; j++) cost[j] = nan("");
    TAP_OK(servet_pairs_layers(&found, cost, 3) == SERVET_EUNRESOLVED,
           "layers: nothing but what is no number");
    for (j = 0; j < 64; j++) cost[j] = j / 8 / 4 == j % 8 / 4 ? 10 : 100;
    cost[1] = nan("");
    cost[2] = -5;
    cost[8] = HUGE_VAL;
    cost[3] = 1e300;
    cost[24] = 0;
    TAP_OK(infer(cost, 8) == 1 && found.layer[0].groups == 2 && found.group[0][1] == found.group[0][0],
           "layers: two groups of four though five cells are no costs");
    test_size();
    for (n = 2; n <= 70; n += n < 9 ? 1 : 30) {     /* whatever there is, it ends, and answers are in range */
        int seed, bad = 0, l;
        for (seed = 0; seed < 20; seed++) {
            chance = (uint64_t)(seed + 77 * n);
            for (i = 0; i < n * n; i++) {
                double u = servet_stats_random_unit(&chance);
                cost[i] = u < 0.1 ? odd[(int)(u * 40)] : u < 0.2 ? 0 : u < 0.5 ? 10 : exp(10 * gauss());
            }
            bad += infer(cost, n) < 0 && found.count > 0;
            for (l = 0; l < found.count; l++)
                for (j = 0; j < n; j++) bad += found.group[l][j] < -1 || found.group[l][j] >= found.layer[l].groups;
            bad += !nested(n);
        }
        TAP_OK(bad == 0, "layers: %d cores and numbers of every kind", n);
    }
}

/* ---- the papers' algorithms and schedules ------------------------------------------------------------ */

/* What Servet's paper measured: on Finis Terrae cores of one bus, and of one cell, disturb each other. */
static void test_overheads(void)
{
    double bw[4];
    int level[256], group[16], i, j, n, ok = 1;
    for (i = 0; i < 16; i++)
        for (j = 0; j < 16; j++) cost[i * 16 + j] = i / 4 == j / 4 ? 1.3 : i / 8 == j / 8 ? 2.0 : 2.6;
    n = servet_pairs_overheads(bw, 4, level, cost, 16, 2.6, 0, 0);
    TAP_OK(n == 2, "overheads: two levels on 16 cores of two cells");
    TAP_NEAR(bw[0], 1.3, 1e-12, "overheads: of a bus");
    TAP_NEAR(bw[1], 2.0, 1e-12, "overheads: of a cell");
    TAP_OK(servet_pairs_groups(group, level, 16, 0) == 4, "overheads: four buses");
    for (i = 0; i < 16; i++) ok &= group[i] == i / 4;
    TAP_OK(servet_pairs_groups(group, level, 16, 1) == 2 && ok, "overheads: and two cells");
    for (i = 0; i < 16; i++) ok &= group[i] == i / 8;
    TAP_OK(ok, "overheads: of the right cores");
    TAP_OK(servet_pairs_overheads(bw, 1, level, cost, 16, 2.6, 0, 0) == SERVET_ESPACE, "overheads: too many levels");
    for (i = 0; i < 256; i++) cost[i] = 2.59;
    TAP_OK(servet_pairs_overheads(bw, 4, level, cost, 16, 2.6, 0, 0) == 1, "overheads: any less counts, in the figure");
    TAP_OK(servet_pairs_overheads(bw, 4, level, cost, 16, 2.6, 0, 0.05) == 0, "overheads: noise does not, if asked");
    for (i = 0; i < 36; i++) level[i] = -1;    /* the example of the text */
    level[0 * 6 + 1] = level[1 * 6 + 0] = level[0 * 6 + 2] = level[2 * 6 + 0] = 0;
    level[3 * 6 + 4] = level[4 * 6 + 3] = level[3 * 6 + 5] = level[5 * 6 + 3] = 0;
    n = servet_pairs_groups(group, level, 6, 0);
    TAP_OK(n == 2 && group[0] == 0 && group[1] == 0 && group[2] == 0 && group[3] == 1 && group[4] == 1 && group[5] == 1,
           "groups: (0,1), (0,2), (3,4), (3,5) are {0,1,2} and {3,4,5}");
}

/* Three rounds of a test of a CPU beside others; near: it finds what they have read, or, evicting, what it left. */
static void test_of(servet_sharing *s, int level, int cpu, uint64_t others, int evicts, int near)
{
    enum { ROUNDS = 3 };
    servet_sharing_test *t = &s->test[s->tests++];
    int i;
    memset(t, 0, sizeof *t);
    t->level = (int16_t)level;
    t->cpu = (int16_t)cpu;
    t->others[0] = others;
    t->evicts = (int16_t)evicts;
    t->rounds = ROUNDS;
    t->first = s->samples;
    t->limit_ns = 20;
    t->next_ns = 40;
    t->llr = 6;
    for (i = 0; i < ROUNDS; i++) {
        servet_sharing_sample *x = &s->sample[s->samples++];
        x->own_ns = 10;
        x->read_ns = near ? 11 : 41;
    }
}

static int groups_are(const servet_sharing_level *l, int a, int b, int c, int d)
{
    return l->group[0] == a && l->group[1] == b && l->group[2] == c && l->group[3] == d;
}

/* Groups of four CPUs from tests. */
static void test_tests(void)
{
    static servet_sharing s;
    servet_sharing_level *l = s.level;
    s.cpus = 4;
    s.count = 2;
    test_of(&s, 1, 1, 1, 0, 1);
    test_of(&s, 1, 2, 1 | 2, 0, 0);
    test_of(&s, 1, 3, 1 | 4, 0, 1);
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[1], 0, 0, -1, -1) && l[1].unknown == 2,
           "with one of two, but not known which: unknown, and so is the one that is alone");
    test_of(&s, 1, 3, 1, 0, 0);
    test_of(&s, 1, 3, 4, 0, 1);
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[1], 0, 0, 1, 1) && l[1].groups == 2 && l[1].llr[3] > 6,
           "with the first or the third");
    TAP_OK(groups_are(&l[0], -1, -1, -1, -1), "of the level before nothing is known of either pair");
    test_of(&s, 0, 1, 1, 1, 0);
    test_of(&s, 0, 3, 4, 1, 1);
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[0], 0, 0, 1, 2) && l[0].unknown == 0,
           "two evict each other's lines, two do not, who is apart behind a level is apart in it");
    test_of(&s, 1, 1, 1, 0, 0);
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[1], -1, -1, 0, 0), "tests that contradict each other");
    test_of(&s, 1, 1, 1, 0, 0);
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[1], 0, 1, 2, 2) && groups_are(&l[0], 0, 1, 2, 3),
           "two against one");
    l[1].status = SERVET_EUNRESOLVED;
    TAP_OK(servet__sharing_levels(&s) == 2 && groups_are(&l[0], 0, 0, -1, -1),
           "where nobody knows who shares the level behind, each pair is to be asked");
    s.tests = 0;
    l[0].group[0] = 7;
    TAP_OK(servet__sharing_levels(&s) == 2 && l[0].group[0] == 7, "what a file without tests says stays");
}

static void test_sharing(void)
{
    int shared[24 * 24], group[24], i, j;
    for (i = 0; i < 24; i++)
        for (j = 0; j < 24; j++) cost[i * 24 + j] = i % 12 == j % 12 ? 31 : 10.2;
    TAP_OK(servet_pairs_sharing(shared, cost, 24, 10, 0) == 12, "sharing: 12 pairs of Dunnington's second level");
    TAP_OK(servet_pairs_groups(group, shared, 24, 0) == 12 && group[0] == group[12] && group[0] != group[1],
           "sharing: {0,12} is one");
    TAP_OK(servet_pairs_sharing(shared, cost, 24, 10, 4) == 0, "sharing: the ratio can be chosen");
}

/* Four hosts of four in two racks, of which small messages tell hosts and large ones racks; some pairs are holes. */
static void test_partitions(void)
{
    enum { N = 16 };
    static double small[N * N], large[N * N];
    static int host[N];
    servet_groups g;
    int group[SERVET_GROUPS_LAYERS * N], i, j, l, right = 0;
    chance = 5;
    memset(&g, 0, sizeof g);
    for (i = 0; i < N; i++)
        for (j = host[i] = 0; j < N; j++) {
            small[i * N + j] = (i / 4 == j / 4 ? 300 : 1500) * exp(0.02 * gauss());
            large[i * N + j] = (i / 8 == j / 8 ? 4000 : 9000) * exp(0.02 * gauss());
            if ((i + j) % 13 == 0) small[i * N + j] = 0;
        }
    g.n = N;
    g.sorts = 2;
    g.cost[0] = small;
    TAP_OK(servet_groups_find(NULL, group) == SERVET_EINVAL && servet_groups_find(&g, group) == SERVET_EINVAL,
           "partitions: no costs");
    g.cost[1] = large;
    for (i = 0; i < 3; i++) {
        g.n = i == 0 ? 0 : i == 1 ? SERVET_GROUPS_MOST + 1 : N;
        g.sorts = i == 2 ? SERVET_GROUPS_SORTS + 1 : 2;
        right += servet_groups_find(&g, group) == SERVET_EINVAL;
    }
    g.sorts = 2;
    TAP_OK(right == 3 && servet_groups_find(&g, NULL) == SERVET_EINVAL, "partitions: of none, too many, nor anywhere");
    TAP_OK(servet_groups_find(&g, group) == 2, "partitions: hosts in racks");
    right = 0;
    for (l = 0; l < g.layers && l < 2; l++)
        for (i = 0; i < N; i++)
            for (j = 0; j < i; j++)
                right += (g.group[l][i] == g.group[l][j]) == (l ? i / 8 == j / 8 : i / 4 == j / 4);
    TAP_OK(right == 2 * N * (N - 1) / 2 && !g.gradient && g.evidence[0] > 5, "partitions: as they are");
    g.given = host;
    TAP_OK(servet_groups_find(&g, group) == 2, "partitions: one that is given and groups all changes nothing");
    memset(small, 0, sizeof small);
    memset(large, 0, sizeof large);
    TAP_OK(servet_groups_find(&g, group) == SERVET_EUNRESOLVED && g.layers == 0, "partitions: nothing but holes");
}

static void test_rounds(void)
{
    static servet_pair pair[CORES];
    static unsigned char met[CORES][CORES];
    int n, r, i, bad = 0;
    for (n = 2; n <= 67; n++) {
        int pairs = 0;
        memset(met, 0, sizeof met);
        for (r = 0; r < SERVET_PAIRS_ROUNDS(n); r++) {
            unsigned char busy[CORES] = { 0 };
            int count = servet_pairs_round(pair, n, r);
            bad += count != n / 2;
            for (i = 0; i < count; i++) {
                bad += pair[i].a < 0 || pair[i].a >= pair[i].b || pair[i].b >= n || met[pair[i].a][pair[i].b]++;
                bad += busy[pair[i].a]++ || busy[pair[i].b]++;
                pairs++;
            }
        }
        bad += pairs != n * (n - 1) / 2;
    }
    TAP_OK(bad == 0, "rounds: every pair once, every core once a round, 2 to 67 cores");
    TAP_OK(SERVET_PAIRS_ROUNDS(1) == 0 && servet_pairs_round(pair, 8, 7) == SERVET_EINVAL
           && servet_pairs_round(pair, INT_MIN, 0) == SERVET_EINVAL, "rounds: no more of them");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "tests/data/c2c";
    test_input();
    test_partitions();
    test_rounds();
    test_overheads();
    test_tests();
    test_sharing();
    test_measured(folder);
    test_faint(folder);
    test_disturbed(folder);
    test_invariance(folder);
    test_slow(tap_runs(8, 4));
    test_models(argc > 2 ? atoi(argv[2]) : tap_runs(20, 5));
    return tap_done();
}

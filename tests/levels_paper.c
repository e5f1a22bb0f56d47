/* levels_paper.c - the algorithms of `servet paper` on what their works publish: the ten cache sizes of Servet's four
 * machines, the bandwidths of P-Ray's tables, the latencies of MareNostrum 5 */
#include "../servet.h"
#include "sim.h"
#include "machines.h"
#include "tap.h"
#include "../examples/paper_fit.h"

#define KIB 1024.0
#define MIB 1048576.0

enum { POINTS = 64 };

/* The machines of Servet (2010), section IV, and their caches in KiB; the largest array is twice the last of them. */
typedef struct machine { const char *name, *model; double kib[3]; int ways[3]; } machine;
static const machine machines[] = {
    { "Dempsey", "paper-dempsey", { 16, 2048, 0 }, { 8, 8, 0 } },
    { "Athlon 3200", "paper-athlon", { 64, 512, 0 }, { 2, 16, 0 } },
    { "Dunnington", "paper-dunnington", { 32, 3072, 12288 }, { 8, 12, 12 } },
    { "Finis Terrae", "paper-finis-terrae", { 16, 256, 9216 }, { 4, 8, 18 } }
};
enum { MACHINES = sizeof machines / sizeof *machines };

static double bytes[POINTS], ns[POINTS];

static int grid(double hi_bytes)
{
    int n = 0;
    double b;
    for (b = 4096; b <= hi_bytes && n < POINTS; b = b < 2 * MIB ? 2 * b : b + MIB) bytes[n++] = b;
    return n;
}

static int levels_of(const machine *m) { return m->kib[2] > 0 ? 3 : 2; }

static double largest(const machine *m) { return fmax(4 * MIB, 2 * KIB * m->kib[levels_of(m) - 1]); }

/* The traversal of Figure 1 on a modelled machine: one load of each KiB, ascending. */
static int traverse(const machine *m, uint64_t seed)
{
    static sim s;
    const sim_spec *spec = sim_named(m->model);
    servet_chase_opts o;
    servet_sample sample;
    servet_machine at;
    int i, n = grid(largest(m));
    if (!spec || sim_open(&s, spec, &sim_noises[SIM_QUIET], seed) < 0) return 0;
    at = sim_machine(&s);
    memset(&o, 0, sizeof o);
    o.pattern = SERVET_CHASE_STRIDE;
    o.line_bytes = 1024;
    o.page_bytes = spec->page_bytes;
    o.seed = seed;
    for (i = 0; i < n; i++) {
        if (at.chase(at.ctx, (size_t)(bytes[i] / 1024), &o, &sample) < 0) n = 0;
        else ns[i] = sample.ns;
    }
    sim_close(&s);
    return n;
}

/* How far the nearest found is from what is there. */
static double off(const paper_level *l, int n, double want)
{
    double least = DBL_MAX;
    int i;
    for (i = 0; i < n; i++) least = fmin(least, fabs(l[i].bytes / want - 1));
    return least;
}

/* By the paper's own formula, levels hit up to their end but for its miss rates: then its algorithm is exact. */
static void test_formula(void)
{
    int k, i, p, n;
    for (k = 0; k < MACHINES; k++) {
        const machine *m = &machines[k];
        const double page = k == 3 ? 16384 : 4096;
        paper_level l[PAPER_LEVELS];
        double worst = 0;
        n = grid(largest(m));
        for (i = 0; i < n; i++) {
            double t = bytes[i] <= m->kib[0] * KIB ? 4 : 12;
            for (p = 1; p < levels_of(m); p++)
                t += (p == 1 ? 40 : 400) * servet_stats_binomial_tail(floor(bytes[i] / page), m->ways[p] + 1,
                                                                     m->ways[p] * page / (m->kib[p] * KIB));
            ns[i] = t;
        }
        n = paper_levels(l, PAPER_LEVELS, bytes, ns, n, page, 0.05);
        for (p = 0; p < levels_of(m); p++) worst = fmax(worst, off(l, n, m->kib[p] * KIB));
        TAP_OK(n == levels_of(m) && worst < 0.17, "%s by its own formula: %d levels, at worst %.0f %% off", m->name, n,
               100 * worst);
        TAP_OK(n > 0 && l[0].bytes == m->kib[0] * KIB && l[0].how == PAPER_BY_POSITION, "%s: L1 of %g KiB by its peak",
               m->name, m->kib[0]);
    }
}

/* On the modelled machines, with TLBs, which the paper's algorithm knows nothing of. */
static void test_published(void)
{
    enum { SEEDS = 8 };
    int k, p, seed, n, all = 0, first = 0, near = 0, wide = 0, false_ = 0, found[MACHINES][3];
    memset(found, 0, sizeof found);
    for (k = 0; k < MACHINES; k++)
        for (seed = 1; seed <= SEEDS; seed++) {
            paper_level l[PAPER_LEVELS];
            const int points = traverse(&machines[k], (uint64_t)seed);
            n = paper_levels(l, PAPER_LEVELS, bytes, ns, points, k == 3 ? 16384 : 4096, 0.05);
            for (p = 0; p < levels_of(&machines[k]); p++) {
                const double error = off(l, n, machines[k].kib[p] * KIB);
                all++;
                first += p == 0 && error < 1e-9;
                near += p > 0 && error < 0.21;
                wide += p > 0 && error < 0.34;
                found[k][p] += error < 0.34;
            }
            false_ += n > levels_of(&machines[k]);
        }
    TAP_DIAG("Servet's algorithm on its four machines, pages drawn %d times: %d of %d first levels exact; of %d lower "
             "ones %d within 20 %%, %d within a third; in %d of %d a level that is none", SEEDS, first,
             MACHINES * SEEDS, all - MACHINES * SEEDS, near, wide, false_, MACHINES * SEEDS);
    TAP_OK(false_ <= MACHINES * SEEDS * 2 / 3, "a TLB or half of a ramp as a level of its own is not the rule (%d)",
           false_);
    TAP_OK(first == MACHINES * SEEDS, "all first levels by position (%d)", first);
    for (k = 0; k < MACHINES; k++)
        for (p = 1; p < levels_of(&machines[k]); p++)
            TAP_OK(found[k][p] >= SEEDS - 1, "%s: L%d of %g KiB within a third as published (%d of %d)",
                   machines[k].name, p + 1, machines[k].kib[p], found[k][p], SEEDS);
    TAP_OK(near >= 0.8 * (all - MACHINES * SEEDS), "four of five within a fifth: P(X > K) is biased low (%d)", near);
}

/* Ours: all ten. */
static void test_ours(void)
{
    static sim s;
    servet_profile profile;
    servet_profile_opts o;
    servet_host host;
    servet_machine at;
    int k, p;
    for (k = 0; k < MACHINES; k++) {
        const machine *m = &machines[k];
        const sim_spec *spec = sim_named(m->model);
        if (!spec || sim_open(&s, spec, &sim_noises[SIM_QUIET], 1) < 0) abort();
        at = sim_machine(&s);
        memset(&profile, 0, sizeof profile);
        memset(&o, 0, sizeof o);
        memset(&host, 0, sizeof host);
        host.page_bytes = spec->page_bytes;
        host.memory_bytes = 16384 * MIB;
        o.machine = &at;
        o.host = &host;
        o.hi_bytes = 64 * MIB;
        o.run.budget_s = 2;
        o.parts = SERVET_PART_CACHES;
        servet_profile_calibrate(&profile, &o);
        TAP_OK(profile.cache_count == levels_of(m), "%s, ours: %d levels", m->name, profile.cache_count);
        for (p = 0; p < levels_of(m); p++) {
            const servet_cache *c = &profile.cache[p];
            const double want = m->kib[p] * KIB;
            TAP_OK(p < profile.cache_count && (fabs(c->bytes / want - 1) < 0.05
                                               || (c->lo_bytes <= want && want <= c->hi_bytes)),
                   "%s, ours: L%d of %g KiB (%.0f [%.0f, %.0f])", m->name, p + 1, m->kib[p], c->bytes / KIB,
                   c->lo_bytes / KIB, c->hi_bytes / KIB);
        }
        servet_profile_free(&profile);
        sim_close(&s);
    }
}

static void test_parts(void)
{
    static const double mib[] = { 3, 9, 11, 33 };
    double list[PAPER_SIZES], gradient[3], value[2];
    int i, k, n, classes = 0, right = 0;
    n = paper_tentative(list, PAPER_SIZES, 4096, 64 * MIB);
    for (i = 0; i < 4; i++) for (k = 0; k < n; k++) right += list[k] == mib[i] * MIB;
    for (k = 1; k < n; k++) right += !(list[k] > list[k - 1]) * 100;
    TAP_OK(right == 4, "tentative sizes ascend and have 3, 9, 11 and 33 MiB");
    bytes[0] = 1;
    ns[0] = 2;
    ns[1] = 3;
    ns[2] = 3;
    paper_gradients(gradient, ns, 3);
    TAP_OK(gradient[0] == 1.5 && gradient[1] == 1, "gradients are C[k+1] / C[k]");
    for (i = 0; i < 8; i++) {
        bytes[i] = ldexp(4096, i);
        ns[i] = 7;
    }
    TAP_OK(paper_levels(NULL, 0, bytes, ns, 8, 4096, 0.05) == 0 && paper_binomial(bytes, ns, 8, 4096) == 0
           && paper_binomial(bytes, ns, 2, 4096) == 0, "a flat curve has no levels");
    for (i = 0; i < 8; i++) ns[i] = i < 4 ? 5 : i < 6 ? 20 : 80;
    {
        paper_level l[PAPER_LEVELS];
        n = paper_levels(l, PAPER_LEVELS, bytes, ns, 8, 4096, 0.05);
        TAP_OK(n == 2 && l[0].bytes == bytes[3] && l[1].bytes == bytes[5] && l[1].how == PAPER_BY_POSITION,
               "a peak of a single size is the size: pages are coloured");
    }
    right = paper_class_of(value, &classes, 2, 10) == 0;
    right += paper_class_of(value, &classes, 2, 10.9) == 0;
    right += paper_class_of(value, &classes, 2, 20) == 1;
    right += paper_class_of(value, &classes, 2, 40) == -1;
    TAP_OK(right == 4 && classes == 2, "similar latencies are one class, and there is no room for a third");
}

/* P-Ray, Tables 2 and 3: threads by machine, cycles per access to effective GB/s. */
static void test_pray(void)
{
    static const struct { const char *what; double ghz, line, cycles, gb; } row[] = {
        { "Harpertown, L2, 1 thread", 2.0, 64, 6.18, 19.29 }, { "Harpertown, L2, 2", 2.0, 64, 7.54, 15.81 },
        { "Kentsfield, L2, 1", 2.4, 64, 6.05, 23.65 }, { "Kentsfield, L2, 2", 2.4, 64, 6.50, 22.01 },
        { "Niagara, L2, 1", 1.2, 16, 25.00, 0.71 }, { "Niagara, L2, 8", 1.2, 16, 21.66, 0.83 },
        { "Harpertown, memory, 1", 2.0, 64, 52.09, 2.29 }, { "Harpertown, memory, 8", 2.0, 64, 183.30, 0.65 },
        { "Kentsfield, memory, 4", 2.4, 64, 121.02, 1.18 }, { "Niagara, memory, 2", 1.2, 64, 107.61, 0.67 } };
    static const double cycles[] = { 14, 9, 7.5, 6.8, 6.5, 6.2, 6.15, 6.18, 6.16 };    /* as bars of Figure 8 fall */
    static const double distance[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256 };
    static const double intel[] = { 9, 9, 9, 9, 8.8, 9, 1.1, 1.1, 1.1 }, flat[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    int i;
    for (i = 0; i < (int)(sizeof row / sizeof *row); i++)
        TAP_NEAR(paper_effective(row[i].ghz, row[i].line, row[i].cycles) / 1073741824, row[i].gb, 0.01, "%s: %.2f GB/s",
                 row[i].what, row[i].gb);
    TAP_OK(paper_saturation(cycles, 9) == 6, "from 6 accesses on the time is constant");
    TAP_OK(paper_block(distance, intel, 9) == 64 && paper_block(distance, flat, 9) == 0,
           "the block is where the time falls most, and none where it does not");
}

/* MareNostrum 5: Table 1 from the points of Figure 5 as they were read off, to +-0.2 ns.  Ours of L3 is
 * 3.7 % below the study's, which would be that of the plateau without the three points of the rise to it; its text does
 * not say so. */
static void test_mn5(void)
{
    static const double kib[] = { 48, 2048, 107520 }, published[] = { 1.6803, 6.1627, 36.0355 };
    static const double within[] = { 0.05, 0.03, 0.05 };
    FILE *f = fopen("tests/data/curve/jjol_spr_8480p_64B.csv", "r");
    unsigned char record[0x22];
    char line[100];
    double before = 0, mean;
    int n = 0, i;
    while (f && n < POINTS && fgets(line, sizeof line, f))
        n += sscanf(line, "%lf,%lf", &bytes[n], &ns[n]) == 2;
    if (f) fclose(f);
    if (n < 40) TAP_SKIP(3, "no tests/data/curve: run it from above tests");
    for (i = 0; n >= 40 && i < 3; i++, before = kib[i - 1] * KIB) {
        mean = paper_level_mean(bytes, ns, n, before, kib[i] * KIB);
        TAP_NEAR(mean, published[i], within[i], "L%d: %.2f ns, published %.2f", i + 1, mean, published[i]);
    }
    TAP_OK(paper_level_mean(bytes, ns, n, 1e15, 2e15) == 0, "a level without a point has no mean");
    memset(record, 0, sizeof record);    /* a module of 16 GB, 64 bits wide, DDR5-4800 */
    record[0] = 17;
    record[1] = 0x22;
    record[0x0a] = 64;
    record[0x0d] = 0x40;
    record[0x15] = 4800 % 256;
    record[0x16] = 4800 / 256;
    TAP_NEAR(16 * paper_module_rate(record, sizeof record), 614.4e9, 1e-12, "16 modules of DDR5-4800: 614 GB/s");
    record[0x20] = 4400 % 256;
    record[0x21] = 4400 / 256;
    TAP_NEAR(paper_module_rate(record, sizeof record), 35.2e9, 1e-12, "as they are configured, where that is said");
    record[0x0d] = 0;
    TAP_OK(paper_module_rate(record, sizeof record) == 0 && paper_module_rate(record, 8) == 0,
           "no module, or a record cut short: not known");
}

int main(void)
{
    test_parts();
    test_formula();
    test_published();
    test_ours();
    test_pray();
    test_mn5();
    return tap_done();
}

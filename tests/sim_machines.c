/* sim_machines.c - the modelled machine (sim.h) against what caches of known construction must do
 *
 * What the inference is tested on is tested here first, against formulas and against counts by hand. */
#include "../servet.h"
#include "sim.h"
#include "misses.h"
#include "tap.h"

static sim the_sim;   /* large */

static sim_level second(double bytes, int ways, int relation)
{
    sim_level level;
    memset(&level, 0, sizeof level);
    level.bytes = bytes;
    level.ways = ways;
    level.line_bytes = 64;
    level.ns = 4;
    level.policy = SIM_LRU;
    level.index = SIM_PHYSICAL;
    level.relation = relation;
    return level;
}

/* Shares of the loads that each level served (memory last), mean over so many draws. */
static void shares(double *share, const sim_spec *spec, size_t n, const servet_chase_opts *opts, int draws,
                   int warm, size_t exact)
{
    servet_sample sample;
    int i, l;
    for (l = 0; l <= SIM_LEVELS; l++) share[l] = 0;
    if (sim_open(&the_sim, spec, NULL, 7) < 0) return;
    the_sim.warm = warm;
    if (exact) the_sim.exact = exact;
    for (i = 0; i < draws; i++) {
        if (sim_chase(&the_sim, n, opts, &sample) < 0) break;
        for (l = 0; l <= SIM_LEVELS; l++) share[l] += the_sim.hit_frac[l] / draws;
    }
    sim_close(&the_sim);
}

static double miss(const sim_spec *spec, size_t n, const servet_chase_opts *opts, int draws)
{
    double share[SIM_LEVELS + 1];
    shares(share, spec, n, opts, draws, 0, 0);
    return share[sim_truth_levels(spec)];
}

/* Miss rate of m lines in turn in every set of K ways: four pages a way, all lines. */
static double cyclic(int policy, int ways, int m)
{
    sim_spec spec = sim_single(4 * 4096.0 * ways, ways, policy, SIM_PHYSICAL, SIM_CONTIGUOUS);
    double share[SIM_LEVELS + 1];
    shares(share, &spec, (size_t)m * 4 * 64, NULL, 1, 40, 0);
    return share[1];
}

static double random_miss(double m, double ways)   /* solves x = 1 - exp(-(m / K) x) */
{
    double x = 1;
    int i;
    for (i = 0; i < 200; i++) x = 1 - exp(-m / ways * x);
    return x;
}

/* A cycle alone does not tell LRU from FIFO: after it has gone over five pages on four ways, the second page is
 * loaded again, then the first, which displaces one.  Is the second still there? */
static int second_stays(int policy)
{
    sim_spec spec = sim_single(16384, 4, policy, SIM_PHYSICAL, SIM_CONTIGUOUS);
    servet_sample sample;
    uint32_t page[5];
    int i, n = 0, hit;
    if (sim_open(&the_sim, &spec, NULL, 1) < 0 || sim_chase(&the_sim, 5 * 64, NULL, &sample) < 0) return -1;
    for (i = 0; i < 5 * 64 && n < 5; i++)
        if (the_sim.order[i] % 4096 == 0) page[n++] = the_sim.order[i];
    hit = sim__load(&the_sim, page[1], 0) == 0;
    hit = hit && sim__load(&the_sim, page[0], 0) == 1;
    hit = hit ? sim__load(&the_sim, page[1], 0) == 0 : -1;
    sim_close(&the_sim);
    return hit;
}

static void test_policies(void)
{
    static const int ways[] = { 4, 8, 16 }, exact[] = { SIM_LRU, SIM_FIFO, SIM_PLRU, SIM_SRRIP };
    static const char *const names[] = {
        "LRU", "FIFO", "tree PLRU", "NRU", "SRRIP", "BRRIP", "DRRIP", "QLRU", "random"
    };
    int i, k, m, p;
    for (p = SIM_LRU; p <= SIM_RANDOM; p++) {
        int held = 1;
        for (k = 1; k <= 24; k++) held = held && cyclic(p, k, k) <= 0;
        TAP_OK(held, "%s: what fits stays, with 1 to 24 ways", names[p]);
    }
    for (i = 0; i < 3; i++) {
        int K = ways[i];
        for (p = 0; p < 4; p++) {
            double least = 1;
            for (m = K + 1; m <= 2 * K; m++) least = fmin(least, cyclic(exact[p], K, m));
            TAP_NEAR(least, 1, 1e-9, "%s, %d ways: a cycle of more lines misses always", names[exact[p]], K);
        }
        for (m = K + 1; m <= 2 * K; m += K / 2 - 1) {
            double formula = random_miss(m, K);
            TAP_NEAR(cyclic(SIM_RANDOM, K, m), formula, K == 4 ? 0.12 : 0.06,
                     "random, %d lines on %d ways", m, K);
            TAP_NEAR(cyclic(SIM_BRRIP, K, m), 1 - (K - 1.0) / m, 0.005, "BRRIP, %d lines on %d ways", m, K);
        }
    }
    /* Three trees of four: the one used least recently gives up a line, so that a cycle goes round all of them. */
    for (k = 0, m = 1; m <= 12; m++) k += cyclic(SIM_PLRU3, 12, m) > 0;
    TAP_OK(k == 0, "PLRU in three trees: what fits in 12 ways stays");
    TAP_NEAR(cyclic(SIM_PLRU3, 12, 13), 1, 1e-9, "13 lines on 12 ways always miss");
    TAP_NEAR(cyclic(SIM_PLRU3, 12, 18), 1, 1e-9, "and 18");
    TAP_OK(second_stays(SIM_LRU) == 1, "LRU keeps what was used again");
    TAP_OK(second_stays(SIM_FIFO) == 0, "FIFO does not");
    TAP_NEAR(cyclic(SIM_NRU, 16, 17), 0.53, 0.02, "NRU, 17 lines on 16 ways");
    TAP_NEAR(cyclic(SIM_NRU, 16, 20), 0.80, 0.02, "NRU, 20 lines on 16 ways");
    TAP_NEAR(cyclic(SIM_NRU, 16, 24), 0.93, 0.04, "NRU, 24 lines on 16 ways");
    for (m = 17; m <= 26; m += 3)
        TAP_OK(fabs(cyclic(SIM_QLRU, 16, m) - servet__class_misses(m, 16, SERVET_POLICY_QLRU)) < 0.14,
               "QLRU, %d lines on 16 ways: %.2f, the formula says %.2f", m, cyclic(SIM_QLRU, 16, m),
               servet__class_misses(m, 16, SERVET_POLICY_QLRU));
    TAP_NEAR(cyclic(SIM_DRRIP, 16, 20), 31 / 32.0 * 0.25 + 1 / 32.0, 0.02,
             "DRRIP: one set in 32 is SRRIP, the others BRRIP");
}

/* Against P[B(n-1, p) >= K] and its mixtures, over n from half to 1.6 times the capacity. */
static void test_placement(void)
{
    static const struct {
        const char *what;
        double kib;
        int ways, part, policy, index, truth;
        double tol;
    } c[] = {
        { "256 KiB, 8 ways, LRU", 256, 8, 0, SIM_LRU, SIM_PHYSICAL, SERVET_POLICY_LRU, 0.015 },
        { "1 MiB, 16 ways, LRU", 1024, 16, 0, SIM_LRU, SIM_PHYSICAL, SERVET_POLICY_LRU, 0.015 },
        { "1.25 MiB, 20 ways, SRRIP", 1280, 20, 0, SIM_SRRIP, SIM_PHYSICAL, SERVET_POLICY_LRU, 0.02 },
        { "1 MiB, 16 ways, LRU, hashed", 1024, 16, 0, SIM_LRU, SIM_HASHED, SERVET_POLICY_LRU, 0.015 },
        { "11 MiB in 8 slices, 11 ways, LRU", 11264, 11, 0, SIM_LRU, SIM_HASHED, SERVET_POLICY_LRU, 0.015 },
        { "4 of 20 ways of 15 MiB, LRU", 15360, 20, 4, SIM_LRU, SIM_HASHED, SERVET_POLICY_LRU, 0.015 },
        { "1 MiB, 16 ways, random", 1024, 16, 0, SIM_RANDOM, SIM_PHYSICAL, SERVET_POLICY_RANDOM, 0.025 },
        { "1 MiB, 16 ways, BRRIP", 1024, 16, 0, SIM_BRRIP, SIM_PHYSICAL, SERVET_POLICY_ADAPTIVE, 0.015 },
        { "1 MiB, 16 ways, NRU", 1024, 16, 0, SIM_NRU, SIM_PHYSICAL, SERVET_POLICY_NRU, 0.05 }
    };
    size_t i;
    for (i = 0; i < sizeof c / sizeof c[0]; i++) {
        sim_spec spec = sim_single(c[i].kib * 1024, c[i].ways, c[i].policy, c[i].index, SIM_SCATTERED);
        double capacity, step, square = 0, share[SIM_LEVELS + 1];
        int points = 0, draws = c[i].kib > 4096 ? 6 : c[i].kib > 512 ? 24 : 100;
        spec.level[0].part_ways = c[i].part;
        capacity = sim_truth_bytes(&spec, 0) / 4096;
        for (step = 0.5; step < 1.65; step += 0.1, points++) {
            size_t pages = (size_t)(step * capacity);
            double want = misses_of((double)pages, capacity, sim_truth_ways(&spec, 0), c[i].truth,
                                               SERVET_PLACEMENT_RANDOM), got;
            shares(share, &spec, pages * 64, NULL, draws, c[i].policy == SIM_NRU ? 12 : 0, 0);
            got = share[1];
            square += (got - want) * (got - want);
        }
        TAP_OK(sqrt(square / points) < c[i].tol, "scattered pages, %s: off the formula by %.4f", c[i].what,
               sqrt(square / points));
    }
    {
        sim_spec even = sim_single(1048576, 16, SIM_LRU, SIM_PHYSICAL, SIM_CONTIGUOUS);
        double scattered;
        TAP_OK(miss(&even, 256 * 64, NULL, 3) <= 0, "contiguous pages, LRU: all of it fits");
        TAP_NEAR(miss(&even, 264 * 64, NULL, 3), 8 * 17 / 264.0, 1e-9,
                 "8 pages more: what shares a set with them misses");
        TAP_NEAR(miss(&even, 272 * 64, NULL, 3), 1, 1e-9, "a page a class more: nothing fits");
        even.level[0].index = SIM_HASHED;
        TAP_OK(miss(&even, 256 * 64, NULL, 3) < 0.35, "a fold spreads contiguous pages nearly evenly");
        even = sim_single(8388608, 16, SIM_LRU, SIM_PHYSICAL, SIM_SCATTERED);
        scattered = misses_of(1536, 2048, 16, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM);
        TAP_NEAR(miss(&even, 1536 * 64, NULL, 6), scattered, 0.15, "1536 scattered pages in 8 MiB");
        even.page_bytes = 2097152;
        TAP_OK(miss(&even, 1536 * 64, NULL, 6) < 0.8 * scattered,
               "drawn from large pages they are spread more evenly");
    }
}

static void test_shrinking(void)
{
    static const int policies[] = { SIM_LRU, SIM_RANDOM, SIM_DRRIP };
    int i, index;
    for (i = 0; i < 3; i++)
        for (index = SIM_PHYSICAL; index <= SIM_HASHED; index++) {
            sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
            double worst = 0, size, full[SIM_LEVELS + 1], few[SIM_LEVELS + 1];
            spec.level[1] = second(2097152, 16, SIM_APART);
            spec.level[1].policy = policies[i];
            spec.level[1].index = index;
            for (size = 1.2e6; size < 4.2e6; size *= 1.3) {
                shares(full, &spec, (size_t)(size / 64), NULL, 3, 3, (size_t)1 << 30);
                shares(few, &spec, (size_t)(size / 64), NULL, 3, 3, 1024);
                worst = fmax(worst, fabs(full[2] - few[2]));
            }
            TAP_OK(worst < (i == 0 ? 0.006 : 0.03),
                   "shrunk 16 to 64 times, policy %d, index %d: the same within %.4f",
                   policies[i], index, worst);
        }
}

static void test_levels(void)
{
    sim_spec spec = sim_single(65536, 2, SIM_LRU, SIM_VIRTUAL, SIM_CONTIGUOUS);
    servet_chase_opts opts;
    double share[SIM_LEVELS + 1];
    memset(&opts, 0, sizeof opts);
    spec.level[1] = second(524288, 16, SIM_EXCLUSIVE);
    TAP_NEAR(sim_truth_bytes(&spec, 1), 589824, 0, "an exclusive level adds its bytes");
    TAP_OK(miss(&spec, 576 * 16, NULL, 1) <= 0, "exclusive: 576 KiB fit in 64 and 512");
    TAP_NEAR(miss(&spec, 608 * 16, NULL, 1), 1, 1e-9, "and 608 do not");
    spec.level[1].relation = SIM_APART;
    TAP_OK(miss(&spec, 512 * 16, NULL, 1) <= 0, "apart: 512 KiB fit");
    TAP_NEAR(miss(&spec, 544 * 16, NULL, 1), 1, 1e-9, "and 544 do not");

    spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_CONTIGUOUS);
    spec.level[1] = second(16384, 4, SIM_INCLUSIVE);
    shares(share, &spec, 24 * 16, NULL, 1, 3, 0);
    TAP_NEAR(share[2], 1, 1e-9, "inclusive: what the second level evicts leaves the first");
    spec.level[1].relation = SIM_APART;
    shares(share, &spec, 24 * 16, NULL, 1, 3, 0);
    TAP_NEAR(share[0], 1, 1e-9, "apart: it stays");

    spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    spec.level[1] = second(262144, 8, SIM_APART);
    spec.pairs = 1;
    spec.stride_gain = 4;
    opts.group_pages = 16;
    TAP_NEAR(miss(&spec, 4096 * 16, &opts, 1), 0.5, 0.02,
             "pairs: every other line is in the second level by then");
    opts.line_bytes = 128;
    TAP_NEAR(miss(&spec, 4096 * 8, &opts, 1), 1, 1e-3, "not so for one line of each pair");
    {
        servet_sample sample;
        double slow;
        memset(&sample, 0, sizeof sample);
        opts.line_bytes = 64;
        spec.pairs = 0;
        sim_open(&the_sim, &spec, NULL, 1);
        sim_chase(&the_sim, 65536, &opts, &sample);
        slow = sample.ns;
        opts.pattern = SERVET_CHASE_STRIDE;
        sim_chase(&the_sim, 65536, &opts, &sample);
        TAP_NEAR(slow / sample.ns, 4, 0.01, "ascending addresses are prefetched");
        sim_close(&the_sim);
    }
    /* A few lines a page, as the 1 KiB stride takes them: sets are what they take where the index is plain. */
    spec = sim_single(1048576, 16, SIM_LRU, SIM_PHYSICAL, SIM_CONTIGUOUS);
    opts.pattern = SERVET_CHASE_COMPACT;
    opts.lines_per_page = 4;
    TAP_NEAR(miss(&spec, 512 * 4, &opts, 2), 1, 1e-9, "4 lines of each of 512 pages do not fit in 256 pages");
    spec.level[0].index = SIM_HASHED;
    spec.placement = SIM_SCATTERED;
    TAP_OK(miss(&spec, 512 * 4, &opts, 2) < 0.05, "they do where the hash exchanges lines inside a page");
}

/* Shares of loads that miss in each TLB. */
static double tlb_misses(sim *s, size_t n, int pattern, int lines, int tlb)
{
    servet_chase_opts opts;
    servet_sample sample;
    memset(&opts, 0, sizeof opts);
    opts.pattern = pattern;
    opts.lines_per_page = lines;
    return sim_chase(s, n, &opts, &sample) < 0 ? -1 : s->tlb_frac[tlb];
}

static void test_tlb(void)
{
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    servet_sample sample;
    double share, base;
    spec.tlb[0].entries = 48;
    spec.tlb[0].ns = 3;
    spec.tlb[1].entries = 512;
    spec.tlb[1].ns = 20;
    sim_open(&the_sim, &spec, NULL, 3);
    TAP_OK(tlb_misses(&the_sim, 48, SERVET_CHASE_RANDOM, 1, 0) <= 0, "48 pages stay in a TLB of 48");
    TAP_NEAR(tlb_misses(&the_sim, 49, SERVET_CHASE_RANDOM, 1, 0), 1, 1e-9,
             "one line a page of 49 always misses");
    TAP_OK(tlb_misses(&the_sim, 512, SERVET_CHASE_RANDOM, 1, 1) <= 0, "512 pages stay in a second TLB of 512");
    TAP_NEAR(tlb_misses(&the_sim, 513, SERVET_CHASE_RANDOM, 1, 1), 1, 1e-9, "513 do not");
    TAP_NEAR(tlb_misses(&the_sim, 64 * 64, SERVET_CHASE_COMPACT, 0, 0), 16 / 64.0, 0.1,
             "compact: 48 of the 64 pages of a group are held");
    share = tlb_misses(&the_sim, 1024 * 64, SERVET_CHASE_COMPACT, 0, 1);
    TAP_NEAR(share, 1 / 64.0, 0.03, "compact: a walk a page and group");
    base = tlb_misses(&the_sim, 1000 * 64, SERVET_CHASE_COMPACT, 0, 0);
    the_sim.exact = (size_t)1 << 30;
    TAP_NEAR(base, tlb_misses(&the_sim, 1000 * 64, SERVET_CHASE_COMPACT, 0, 0), 0.04,
             "as often where nothing is shrunk");
    TAP_NEAR(tlb_misses(&the_sim, 1024 * 64, SERVET_CHASE_RANDOM, 0, 1), 0.5, 0.03,
             "random: half of 1024 pages is held");
    sim_close(&the_sim);

    spec.page_bytes = 65536;
    sim_open(&the_sim, &spec, NULL, 3);
    TAP_OK(tlb_misses(&the_sim, 128, SERVET_CHASE_RANDOM, 1, 1) <= 0, "64 KiB pages reach further");
    sim_close(&the_sim);

    spec.page_bytes = 4096;
    spec.tlb[0].entries = 64;
    spec.tlb[0].ways = 4;
    spec.tlb[1].entries = 0;
    sim_open(&the_sim, &spec, NULL, 3);
    share = tlb_misses(&the_sim, 64, SERVET_CHASE_RANDOM, 1, 0);
    TAP_OK(share > 0.05 && share < 0.7, "64 pages drawn at random conflict in 16 sets of 4 (%.2f)", share);
    memset(&sample, 0, sizeof sample);
    sim_chase(&the_sim, 64, NULL, &sample);
    TAP_NEAR(sample.ns, 1, 1e-9, "a page of lines costs the first level's latency");
    sim_close(&the_sim);
}

/* >>track: places of the pool chosen by what is known of their frames */

enum { PAGE_PLACES = 4096 / SERVET_PLACE_BYTES };

/* Latency of each part in the first pass, and of the sample, in silence; -1 where the track was refused. */
static double tracked(double *ns, const uint32_t *place, size_t n, int parts, const uint32_t *between, size_t between_n,
                      int pages)
{
    servet_track t;
    servet_sample sample;
    memset(&t, 0, sizeof t);
    t.place = place;
    t.n = n;
    t.parts = parts;
    t.between = between;
    t.between_n = between_n;
    t.raw = between != NULL;
    t.pages = pages;
    return sim_track(&the_sim, &t, ns, &sample) < 0 ? -1 : sample.ns;
}

/* The first so many pages that share the sets of page 0 in level l, page 0 not among them; how many there are. */
static size_t colliding(uint32_t *place, size_t most, int l)
{
    const uint32_t *at = the_sim.pool[0].at[l];
    uint32_t page;
    size_t n = 0;
    for (page = 1; page < 65536 && n < most; page++) if (at[page] == at[0]) place[n++] = page * PAGE_PLACES;
    return n;
}

static void test_tracks(void)
{
    static uint32_t between[4096];
    static const int policies[] = { SIM_LRU, SIM_FIFO, SIM_PLRU, SIM_PLRU3, SIM_QLRU };
    sim_spec spec = sim_single(262144, 8, SIM_LRU, SIM_PHYSICAL, SIM_SCATTERED);
    servet_machine m;
    servet_track t;
    servet_sample sample;
    uint32_t place[256];
    double ns[SERVET_TRACK_PARTS], bytes;
    size_t i, n;
    int k, line, good;
    memset(&sample, 0, sizeof sample);
    for (k = 0; k < 3; k++) {
        double fits, evicts;
        spec.level[0].index = k == 2 ? SIM_HASHED : SIM_PHYSICAL;
        spec.level[0].policy = policies[k == 1];
        sim_open(&the_sim, &spec, NULL, 4);
        place[0] = 0;
        tracked(ns, place, 1, 1, NULL, 0, 0);
        n = colliding(between, 16, 0);
        fits = tracked(ns, place, 1, 1, between, 7, 0);
        evicts = tracked(ns, place, 1, 1, between, 8, 0);
        TAP_OK(n == 16 && fits <= 1 && evicts >= 11,
               "a page is evicted by as many of its class as there are ways, and not by one less (%d)", k);
        for (i = n = 0; n < 1000; i++)
            if (the_sim.pool[0].at[0][i] != the_sim.pool[0].at[0][0]) between[n++] = (uint32_t)i * PAGE_PLACES;
        TAP_OK(tracked(ns, place, 1, 1, between, n, 0) <= 1, "nor by 1000 pages of other classes");
        between[0] = place[0];
        TAP_OK(tracked(ns, place, 1, 1, between, 7, 0) < 0, "a slot that is in both lists is refused");
        between[0] = place[0] + 1;
        TAP_OK(tracked(ns, place, 1, 1, between, 7, 0) > 0, "another one of its line is not");
        sim_close(&the_sim);
    }
    for (k = 0; k < 5; k++) {
        spec = sim_single(393216, 12, policies[k], SIM_PHYSICAL, SIM_SCATTERED);
        sim_open(&the_sim, &spec, NULL, 4);
        tracked(ns, place, 1, 1, NULL, 0, 0);
        n = colliding(between, 32, 0);
        TAP_OK(tracked(ns, between, 12, 1, NULL, 0, 0) <= 1 && tracked(ns, between, 13, 1, NULL, 0, 0) > 1,
               "12 colliding places stay in 12 ways, 13 do not, policy %d", policies[k]);
        sim_close(&the_sim);
    }

    /* Two places d bytes apart, each pair in a page of its own, all evicted in between. */
    for (line = 32; line <= 256; line *= 2) {
        spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
        spec.level[0].line_bytes = line;
        sim_open(&the_sim, &spec, NULL, 4);
        for (good = 1, k = 8; k <= 1024; k *= 2) {
            for (i = 0; i < 16; i++) {
                place[i] = (uint32_t)(i * PAGE_PLACES + i % 2 * PAGE_PLACES / 2);
                place[16 + i] = place[i] + (uint32_t)k / SERVET_PLACE_BYTES;
            }
            for (i = 0; i < 4096; i++) between[i] = (uint32_t)(64 * PAGE_PLACES + i * 4);   /* 128 KiB, each 32 bytes */
            tracked(ns, place, 32, 2, between, 4096, 0);
            good = good && fabs(ns[0] - 11) < 1e-9 && fabs(ns[1] - (k < line ? 1 : 11)) < 1e-9;
        }
        TAP_OK(good, "lines of %d bytes: a second load is at hand as far as the line reaches", line);
        sim_close(&the_sim);
    }
    spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    spec.level[1] = second(65536, 8, SIM_APART);
    spec.pairs = 1;
    sim_open(&the_sim, &spec, NULL, 4);
    for (i = 0; i < 16; i++) {
        place[i] = (uint32_t)(i * PAGE_PLACES + i % 2 * PAGE_PLACES / 2);
        place[16 + i] = place[i] + 64 / SERVET_PLACE_BYTES;
        place[32 + i] = place[i] + 128 / SERVET_PLACE_BYTES;
    }
    for (i = 0; i < 4096; i++) between[i] = (uint32_t)(64 * PAGE_PLACES + i * 8);   /* 256 KiB, each line */
    tracked(ns, place, 48, 3, between, 4096, 0);
    TAP_OK(ns[0] >= 11 && ns[1] <= 4 && ns[2] >= 11, "pairs: the other line of 128 bytes is in the second level");
    sim_close(&the_sim);

    spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    sim_open(&the_sim, &spec, NULL, 4);
    m = sim_machine(&the_sim);
    memset(&t, 0, sizeof t);
    place[0] = 0;
    place[1] = (uint32_t)(m.bytes / (double)SERVET_PLACE_BYTES);
    t.place = place;
    t.n = 1;
    TAP_OK(m.track(m.ctx, &t, ns, &sample) == SERVET_OK && m.seconds(m.ctx) > 30e-6, "a track takes time");
    bytes = m.seconds(m.ctx);
    t.n = 2;
    TAP_OK(m.track(m.ctx, &t, ns, &sample) == SERVET_EINVAL, "a place beyond the memory there is");
    t.place = between;
    t.between = place;
    t.between_n = 2;
    TAP_OK(m.track(m.ctx, &t, ns, &sample) == SERVET_EINVAL, "a cycle has nothing between");
    t.raw = 1;
    TAP_OK(m.track(m.ctx, &t, ns, &sample) == SERVET_EINVAL && m.seconds(m.ctx) <= bytes, "or among those between");
    sim_close(&the_sim);
}

/* Mean of the victims' latencies, 16 pages after so many others as half drive them out, over some draws of pages; the
 * same draws where the machine is shrunk and where it is not. */
static double evicted_ns(const sim_spec *spec, int whole, int *shrunk)
{
    enum { DRAWS = 60, VICTIMS = 16, OTHERS = 64, LINES = 64 };
    static uint32_t place[(VICTIMS + OTHERS) * LINES];
    double ns[SERVET_TRACK_PARTS], sum = 0;
    uint64_t random = 7;
    size_t i, group;
    int draw, k;
    for (draw = 0; draw < DRAWS; draw++) {
        for (i = 0; i < (VICTIMS + OTHERS) * LINES; i += LINES) {
            const size_t page = servet_stats_random_below(&random, 65536);
            for (k = 0; k < LINES; k++) place[i + (size_t)k] = (uint32_t)(page * PAGE_PLACES) + (uint32_t)k * 8;
        }
        for (i = 0; i < (VICTIMS + OTHERS) * LINES; i += group) {
            group = i < VICTIMS * LINES ? LINES : 32 * LINES;
            servet__shuffle(place + i, group, &random);
        }
        sim_open(&the_sim, spec, NULL, (uint64_t)draw);
        the_sim.whole = whole;
        tracked(ns, place, VICTIMS * LINES, VICTIMS, place + VICTIMS * LINES, OTHERS * LINES, 0);
        for (k = 0; k < VICTIMS; k++) sum += ns[k] / VICTIMS / DRAWS;
        *shrunk = the_sim.shrunk;
        sim_close(&the_sim);
    }
    return sum;
}

static void test_shrunk_tracks(void)
{
    static const char *const kind[] = { "plain", "pairs", "the next line", "pages followed", "long lines", "hashed",
                                       "two loads a line" };
    static const int policies[] = { SIM_LRU, SIM_PLRU, SIM_QLRU };
    int i, k, shrunk, whole;
    for (i = 0; i < 7; i++) {
        double worst = 0, least = 1e9, most = 0;
        int right = 1;
        for (k = 0; k < 3; k++) {
            sim_spec spec = sim_single(32768, 8, SIM_PLRU, SIM_VIRTUAL, SIM_SCATTERED);
            double full, fewer;
            spec.level[1] = second(262144, 8, SIM_APART);
            spec.level[1].policy = policies[k];
            spec.level[0].line_bytes = i == 6 ? 128 : 64;
            spec.level[1].line_bytes = i == 4 || i == 6 ? 128 : 64;
            spec.level[1].index = i == 5 ? SIM_HASHED : SIM_PHYSICAL;
            spec.pairs = i == 1;
            spec.next_line = i == 2;
            spec.follow_pages = i == 3 ? 32 : 0;
            spec.follow_frac = 0.5;
            fewer = evicted_ns(&spec, 0, &shrunk);
            full = evicted_ns(&spec, 1, &whole);
            right = right && whole == 1 && shrunk == (i == 6 ? 4 : 8);
            worst = fmax(worst, fabs(fewer / full - 1));
            least = fmin(least, full);
            most = fmax(most, full);
        }
        TAP_OK(right && worst < 0.01 && least > 4.5 && most < 10.5,
               "a shrunk track does as a full one, %s: the same within %.4f of %.1f to %.1f ns", kind[i], worst, least,
               most);
    }
}

/* Noise of tracks: their parts differ, the quartile withstands a preemption, a neighbour halves the ways. */
static void test_track_noise(void)
{
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    sim_noise noise = sim_noises[SIM_SILENT];
    servet_sample sample;
    servet_track t, cycle;
    uint32_t place[512];
    double ns[SERVET_TRACK_PARTS], square = 0, wild = 0, busy_ns = 0;
    int i, k, n = 0, switched = 0, busy = 0;
    memset(&sample, 0, sizeof sample);
    memset(&t, 0, sizeof t);
    for (i = 0; i < 512; i++) place[i] = (uint32_t)i * 8;
    t.place = place;
    t.n = 256;
    t.parts = 4;
    t.between = place + 256;
    t.between_n = 128;
    t.repeats = t.raw = 1;
    noise.jitter_frac = 0.02;
    sim_open(&the_sim, &spec, &noise, 9);
    for (i = 0; i < 300; i++) {
        sim_track(&the_sim, &t, ns, &sample);
        for (k = 0; k < 4; k++, n++) square += (ns[k] - 1) * (ns[k] - 1);
    }
    TAP_OK(sqrt(square / n) > 0.01 && sqrt(square / n) < 0.03, "parts are off by %.3f, as jitter makes them",
           sqrt(square / n));
    sim_close(&the_sim);
    noise.switches_per_s = 2000;
    noise.switch_s = 0.001;
    cycle = t;
    cycle.parts = 1;
    cycle.between = NULL;
    cycle.raw = 0;
    cycle.repeats = 5;
    sim_open(&the_sim, &spec, &noise, 9);
    for (i = 0; i < 300; i++) {
        sim_track(&the_sim, &cycle, ns, &sample);
        switched += sample.flags == SERVET_NOISE_SWITCH;
        wild = fmax(wild, ns[0]);
    }
    TAP_OK(switched > 10 && switched < 150 && wild < 1.2, "%d preemptions do not reach the quartile", switched);
    sim_close(&the_sim);
    noise = sim_noises[SIM_SILENT];
    noise.timer_ns = 6.4;
    sim_open(&the_sim, &spec, &noise, 9);
    for (square = 0, n = i = 0; i < 300; i++) {
        sim_track(&the_sim, &t, ns, &sample);
        for (k = 0; k < 4; k++, n++) square += (ns[k] - 1) * (ns[k] - 1);
    }
    TAP_OK(sqrt(square / n) > 0.05 && sqrt(square / n) < 0.15, "by %.3f where the timer is off by a tenth of 64 loads",
           sqrt(square / n));
    sim_close(&the_sim);

    noise = sim_noises[SIM_SILENT];
    noise.phase_frac = 0.3;
    noise.phase_s = 0.002;
    noise.phase_slow = 1;
    t.n = 384;
    t.parts = 1;
    t.between = NULL;
    t.raw = 0;
    sim_open(&the_sim, &spec, &noise, 9);
    for (n = i = 0; i < 300; i++) {
        sim_track(&the_sim, &t, ns, &sample);
        busy += the_sim.busy;
        if (the_sim.busy) busy_ns += ns[0];
        else n += ns[0] > 1;
    }
    TAP_OK(busy > 40 && busy < 200 && n == 0 && busy_ns > 5 * busy, "24 KiB do not fit beside a neighbour");
    sim_close(&the_sim);
}

/* Loads of tracks over so many places so far apart, each in another line of its page: shares that missed in TLB l and
 * took a long walk. */
static double page_misses(double *far, size_t n, size_t apart_bytes, int pages, int l)
{
    static uint32_t place[65536];
    double ns[SERVET_TRACK_PARTS];
    size_t i;
    for (i = 0; i < n; i++)
        place[i] = (uint32_t)((i * apart_bytes + i % 64 * 64) % (size_t)SIM_POOL_BYTES / SERVET_PLACE_BYTES);
    if (tracked(ns, place, n, 1, NULL, 0, pages) < 0) return -1;
    if (far) *far = the_sim.walk_frac;
    return the_sim.tlb_frac[l];
}

/* The same of pages that alias, raw, a line of each frame: shares of loads that missed in TLB 1, and in level 0. */
static double aliased_misses(double *data, size_t n)
{
    static uint32_t place[SERVET_ALIAS_PAGES + 1];
    double ns[SERVET_TRACK_PARTS];
    servet_sample sample;
    servet_track t;
    size_t i;
    memset(&t, 0, sizeof t);
    for (i = 0; i < n; i++) place[i] = (uint32_t)(i * PAGE_PLACES + i % SERVET_ALIAS_FRAMES * 8);
    t.place = t.between = place;
    t.n = t.between_n = n;
    t.repeats = t.raw = 1;
    t.pages = SERVET_PAGES_ALIAS;
    if (sim_track(&the_sim, &t, ns, &sample) < 0) return -1;
    *data = 1 - the_sim.hit_frac[0];
    return the_sim.tlb_frac[1];
}

static void test_pages(void)
{
    sim_spec spec = sim_single(8388608, 16, SIM_LRU, SIM_PHYSICAL, SIM_SCATTERED);
    const int small = SERVET_PAGES_SMALL;
    double far, few, ns[SERVET_TRACK_PARTS], little;
    uint32_t place[80];
    size_t i, plain, folded;
    spec.tlb[0].entries = 64;
    spec.tlb[0].ways = 4;
    spec.tlb[0].ns = 3;
    spec.tlb[1].entries = 512;
    spec.tlb[1].ns = 20;
    spec.tlb_huge[0].entries = 8;
    spec.tlb_huge[0].ns = 5;
    spec.huge_bytes = 2097152;
    spec.huge_backed = 1;
    spec.walk.entries = 16;
    spec.walk.span = 512;
    spec.walk.ns = 40;

    sim_open(&the_sim, &spec, NULL, 6);
    TAP_OK(page_misses(NULL, 64, 4096, small, 0) <= 0 && page_misses(NULL, 80, 4096, small, 0) >= 1,
           "64 pages in a row fit in 16 sets of 4, 80 do not");
    TAP_OK(page_misses(NULL, 4, 65536, small, 0) <= 0 && page_misses(NULL, 5, 65536, small, 0) >= 1,
           "16 pages apart they are all in one set: 4 fit, 5 do not");
    TAP_OK(page_misses(NULL, 512, 4096, small, 1) <= 0 && page_misses(NULL, 513, 4096, small, 1) >= 1,
           "the second TLB holds 512, packed");
    TAP_OK(page_misses(NULL, 512, 131072 + 4096, small, 1) <= 0 && page_misses(NULL, 513, 131072 + 4096, small, 1) >= 1,
           "or spread");
    TAP_OK(page_misses(&far, 8192, 4096, small, 1) >= 1 && far < 0.01, "tables of 32 MiB are at hand");
    page_misses(&far, 49152, 4096, small, 1);
    TAP_NEAR(far, 1 / 512.0, 0.05, "in ascending order each upper table of 192 MiB is looked up once");
    TAP_OK(page_misses(&far, 600, 425984, small, 1) >= 1 && far > 0.2, "spread over 244 MiB they are not (%.2f)", far);
    for (i = 0; i < 80; i++) place[i] = (uint32_t)(i * PAGE_PLACES + i % 64 * 8);
    tracked(ns, place, 80, 1, NULL, 0, small);
    little = tracked(ns, place, 64, 1, NULL, 0, small);
    TAP_OK(tracked(ns, place, 80, 1, NULL, 0, small) - little >= 3 - 1e-9, "a miss costs what it should");

    TAP_OK(page_misses(NULL, 4096, 4096, 0, 0) <= 0 && page_misses(NULL, 4608, 4096, 0, 0) > 0,
           "8 huge pages hold 4096 small ones");
    TAP_OK(page_misses(NULL, 8, 2097152, 0, 0) <= 0 && page_misses(NULL, 9, 2097152, 0, 0) >= 1,
           "a place in each of 8 fits, of 9 does not");
    TAP_OK(the_sim.tlb_frac[1] <= 0, "small TLBs are not asked");
    {
        servet_sample sample;
        servet_chase_opts opts;
        memset(&opts, 0, sizeof opts);
        opts.pattern = SERVET_CHASE_RANDOM;
        opts.lines_per_page = 1;
        opts.in_place = 1;
        sim_chase(&the_sim, 1024, &opts, &sample);
        TAP_OK(the_sim.tlb_frac[0] <= 0, "chases lie in huge pages too");
    }
    sim_close(&the_sim);
    spec.huge_backed = 0;
    sim_open(&the_sim, &spec, NULL, 6);
    TAP_OK(page_misses(NULL, 512, 4096, 0, 1) <= 0 && page_misses(NULL, 513, 4096, 0, 1) >= 1,
           "not backed by the host they are split up");
    sim_close(&the_sim);

    /* Pages that alias: many translations, few data. */
    spec.level[0].bytes = 32768;
    spec.level[0].ways = 8;
    sim_open(&the_sim, &spec, NULL, 6);
    TAP_OK(aliased_misses(&few, 512) <= 0 && few <= 0 && aliased_misses(&few, 513) >= 1 && few <= 0
           && aliased_misses(&few, SERVET_ALIAS_PAGES) >= 1 && few <= 0,
           "pages that alias take entries of the TLBs, and a line for each of their frames");
    TAP_OK(aliased_misses(&few, SERVET_ALIAS_PAGES + 1) < 0, "no more than there are");
    sim_close(&the_sim);
    spec.level[0] = sim_single(8388608, 16, SIM_LRU, SIM_PHYSICAL, SIM_SCATTERED).level[0];

    /* Frames: huge pages are contiguous inside, small ones are not. */
    spec.huge_backed = 1;
    spec.level[0].bytes = 1048576;
    sim_open(&the_sim, &spec, NULL, 6);
    for (i = 0; i < 17; i++) place[i] = (uint32_t)(i * 16 * PAGE_PLACES);
    TAP_OK(tracked(ns, place, 16, 1, NULL, 0, 0) <= 1 && tracked(ns, place, 17, 1, NULL, 0, 0) >= 11,
           "a way's stride collides in huge pages: 16 ways hold 16 places, not 17");
    TAP_OK(tracked(ns, place, 17, 1, NULL, 0, small) < 9, "not so in scattered small pages");
    sim_close(&the_sim);

    /* A folded index spreads what collides in low bits. */
    spec = sim_single(8388608, 16, SIM_LRU, SIM_PHYSICAL, SIM_SCATTERED);
    spec.tlb[0].entries = 64;
    spec.tlb[0].ways = 4;
    sim_open(&the_sim, &spec, NULL, 6);
    plain = 1;
    while (page_misses(NULL, plain + 1, 65536, small, 0) <= 0) plain++;
    sim_close(&the_sim);
    spec.tlb[0].index = SIM_HASHED;
    sim_open(&the_sim, &spec, NULL, 6);
    folded = 1;
    while (folded < 99 && page_misses(NULL, folded + 1, 65536, small, 0) <= 0) folded++;
    TAP_OK(plain == 4 && folded == 64, "a stride of the sets: %d pages of a plain index, %d of a folded one",
           (int)plain, (int)folded);
    sim_close(&the_sim);

    /* Four pages to an entry where their frames follow each other. */
    spec.tlb[0].ways = 0;
    spec.coalesce = 4;
    sim_open(&the_sim, &spec, NULL, 6);
    TAP_OK(page_misses(NULL, 64, 4096, small, 0) <= 0 && page_misses(NULL, 65, 4096, small, 0) >= 1,
           "frames apart: an entry a page");
    sim_close(&the_sim);
    spec.run_pages = 8;
    sim_open(&the_sim, &spec, NULL, 6);
    TAP_OK(page_misses(NULL, 256, 4096, small, 0) <= 0 && page_misses(NULL, 260, 4096, small, 0) > 0.2,
           "runs of frames: 64 entries hold 256 pages");
    TAP_OK(page_misses(NULL, 64, 16384, small, 0) <= 0 && page_misses(NULL, 65, 16384, small, 0) >= 1,
           "but 64 pages that lie apart");
    sim_close(&the_sim);
}

/* What prefetchers make of a compact chase through 4 MiB, behind 32 and 256 KiB. */
static void test_prefetchers(void)
{
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    servet_chase_opts opts;
    servet_sample sample;
    double ns[5], exact;
    int i;
    memset(&opts, 0, sizeof opts);
    memset(&sample, 0, sizeof sample);
    spec.level[1] = second(262144, 8, SIM_APART);
    spec.follow_pages = 32;
    spec.follow_frac = 0.5;
    sim_open(&the_sim, &spec, NULL, 8);
    for (i = 0; i < 5; i++) {
        opts.group_pages = 8 << i;
        sim_chase(&the_sim, 65536, &opts, &sample);
        ns[i] = sample.ns;
    }
    TAP_OK(ns[0] < 8 && ns[1] < 8 && ns[2] < 8 && fabs(ns[2] - ns[0]) < 0.2,
           "groups of as many pages as are followed come half from the level before: %.2f ns", ns[2]);
    TAP_OK(ns[3] > 8.5 && ns[4] > 9.5, "larger ones less and less: %.2f, %.2f ns of 11", ns[3], ns[4]);
    opts.group_pages = 64;
    sim_chase(&the_sim, 16384, &opts, &sample);
    exact = sample.ns;
    the_sim.exact = 1024;
    sim_chase(&the_sim, 16384, &opts, &sample);
    TAP_NEAR(sample.ns, exact, 0.02, "as much where it is shrunk");
    opts.lines_per_page = 1;
    opts.group_pages = 16;
    sim_chase(&the_sim, 8192, &opts, &sample);
    TAP_OK(the_sim.early_frac <= 0, "where one line a page is loaded there is nothing to foresee");
    opts.lines_per_page = 0;
    sim_chase(&the_sim, 640, &opts, &sample);
    TAP_OK(the_sim.early_frac <= 0, "nor in what the second level holds");
    sim_close(&the_sim);
    {
        uint32_t place[64], between[2048] = { 0, 512 };
        double alone[SERVET_TRACK_PARTS], with[SERVET_TRACK_PARTS], one;
        sim_open(&the_sim, &spec, NULL, 8);
        tracked(with, between, 1, 1, between + 1, 1, 0);
        one = colliding(place, 16, 1) == 16 ? tracked(with, place, 16, 1, NULL, 0, 0) : -1;
        TAP_NEAR(one, 11, 1e-9, "nor in 16 pages, all of them known, that collide in the second level");
        sim_close(&the_sim);
        for (i = 0; i < 64; i++) place[i] = (uint32_t)(i / 16 * PAGE_PLACES + i % 16 * 32);
        sim_open(&the_sim, &spec, NULL, 8);
        for (i = 0; i < 2048; i++) between[i] = (uint32_t)((64 + i / 8) * PAGE_PLACES + i % 8 * 64);
        tracked(with, place, 64, 1, between, 2048, 0);
        sim_close(&the_sim);
        spec.follow_pages = 0;
        sim_open(&the_sim, &spec, NULL, 8);
        tracked(alone, place, 64, 1, between, 2048, 0);
        TAP_OK(with[0] < alone[0] - 0.5, "tracks through the lines of a page are followed too");
        sim_close(&the_sim);
    }
    spec.next_line = 1;
    opts.group_pages = 16;
    /* A line misses where an odd number of lines, it the last, came in ascending order: 1 - 1/2! + 1/3! - ... */
    TAP_NEAR(miss(&spec, 65536, &opts, 1), 1 - exp(-1), 0.01, "the next line is at hand if its fetching was in time");
    opts.line_bytes = 128;
    TAP_NEAR(miss(&spec, 32768, &opts, 1), 1, 1e-3, "not so for every other line");
}

/* >>together: CPUs 0 and 1 share what is shared by two */

/* Chases of as many elements by each CPU. */
static int together(const int *cpu, int cpus, size_t each, servet_sample *out)
{
    size_t n[SIM_CPUS];
    int i;
    for (i = 0; i < SIM_CPUS; i++) n[i] = each;
    return sim_together(&the_sim, cpu, cpus, n, NULL, out);
}

static double capacity_of(const sim_spec *spec, const int *cpu, int cpus)   /* bytes at which half of all loads miss */
{
    servet_sample out[SIM_CPUS];
    double lo = 65536, hi = 8388608, share[2], at[2];
    int levels = sim_truth_levels(spec), i, d;
    memset(share, 0, sizeof share);
    memset(at, 0, sizeof at);
    while (hi / lo > 1.04) {
        double half = sqrt(lo * hi), miss_frac = 0;
        for (d = 0; d < 2; d++) {
            if (sim_open(&the_sim, spec, NULL, (uint64_t)(21 + d)) < 0) return -1;
            if (together(cpu, cpus, (size_t)(half / 64 / cpus), out) < 0) return -1;
            miss_frac += the_sim.hit_frac[levels] / 2;
            for (i = 0; i < cpus; i++) if (!(out[i].ns > 0)) return -1;
            sim_close(&the_sim);
        }
        if (miss_frac > 0.5) hi = half;
        else lo = half;
    }
    return sqrt(lo * hi);
}

static void test_together(void)
{
    static const int first[] = { 0 }, near[] = { 0, 1 }, apart[] = { 0, 2 }, all[] = { 3, 0, 2, 1 };
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_CONTIGUOUS);
    servet_sample one, two[2], out[4];
    double alone, x1, x2, x4;
    int i;
    memset(&one, 0, sizeof one);
    memset(two, 0, sizeof two);
    memset(out, 0, sizeof out);
    spec.cpus = 4;
    spec.level[1] = second(262144, 8, SIM_APART);
    spec.level[1].cores = 2;
    sim_open(&the_sim, &spec, NULL, 5);
    sim_chase(&the_sim, 192 * 16, NULL, &one);
    together(first, 1, 192 * 16, two);
    TAP_NEAR(two[0].ns, one.ns, 1e-9, "one CPU together is as one alone");
    alone = one.ns;
    together(near, 2, 192 * 16, two);
    TAP_OK(alone < 4.1 && two[0].ns > 10 && two[1].ns > 10, "twice 192 KiB do not fit in 256 that two CPUs share");
    together(apart, 2, 192 * 16, two);
    TAP_OK(two[0].ns < 4.1 && two[1].ns < 4.1, "they do where each has its own");
    together(near, 2, 24 * 16, two);
    TAP_OK(two[0].ns <= 1 && two[1].ns <= 1, "first levels are private");
    {
        static const size_t control[] = { 192 * 16, 16 * 16 }, aggressor[] = { 192 * 16, 160 * 16 };
        sim_together(&the_sim, near, 2, control, NULL, two);
        TAP_OK(two[0].ns < 4.1 && two[1].ns <= 1, "a small neighbour leaves room");
        sim_together(&the_sim, near, 2, aggressor, NULL, two);
        TAP_OK(two[0].ns > 10 && two[1].ns > 10, "a large one does not");
        sim_together(&the_sim, apart, 2, aggressor, NULL, two);
        TAP_OK(two[0].ns < 4.1 && two[1].ns < 4.1, "unless it has a cache of its own");
    }
    TAP_OK(together(all, 4, 96 * 16, out) == SERVET_OK, "in any order, all at once");
    for (i = 0, x4 = 0; i < 4; i++) x4 = fmax(x4, out[i].ns);
    TAP_OK(x4 < 4.1, "96 KiB each fit");
    sim_chase(&the_sim, 192 * 16, NULL, &one);
    TAP_NEAR(one.ns, alone, 1e-9, "afterwards one alone is as before");
    {
        static const int twice[] = { 1, 1 }, beyond[] = { 4 };
        TAP_OK(together(twice, 2, 64, two) == SERVET_EINVAL
               && together(beyond, 1, 64, two) == SERVET_EINVAL
               && together(near, 0, 64, two) == SERVET_EINVAL, "a CPU twice, none, or none such");
    }
    sim_close(&the_sim);

    /* A CPU that hits is faster, and does not wait for one that misses: shares of a common level go by demand. */
    spec.level[1].relation = SIM_INCLUSIVE;
    spec.level[1].bytes = 32768;
    spec.level[1].cores = 4;
    sim_open(&the_sim, &spec, NULL, 5);
    together(near, 2, 24 * 16, two);
    TAP_OK(two[0].ns > 10 && two[1].ns > 10, "what a shared inclusive level evicts leaves the private ones of all");
    sim_close(&the_sim);

    /* X_k = C3 + a k C2: a = 1 where the last level is exclusive, 0 where it fills with all. */
    spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_CONTIGUOUS);
    spec.cpus = 4;
    spec.level[1] = second(262144, 8, SIM_APART);
    spec.level[2] = second(1048576, 16, SIM_EXCLUSIVE);
    spec.level[2].ns = 7;
    spec.level[2].cores = 4;
    x1 = capacity_of(&spec, first, 1);
    x2 = capacity_of(&spec, near, 2);
    x4 = capacity_of(&spec, all, 4);
    TAP_NEAR(x1, 1.25 * 1048576, 0.06, "exclusive: one CPU has the last level and its own second");
    TAP_NEAR(x2 - x1, 262144, 0.3, "each further one adds its own");
    TAP_NEAR(x4, 2 * 1048576, 0.06, "four of them");
    spec.level[2].relation = SIM_APART;
    TAP_NEAR(capacity_of(&spec, all, 4), 1048576, 0.1, "apart: it is what it is, however many CPUs");
}

static void test_determinism(void)
{
    static sim other;
    const sim_spec *spec = sim_named("zen4-guest");
    servet_sample a, b;
    int i, same = 1, moved = 0, pages = 1;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    for (i = 0; i < 12; i++) {
        size_t n = (size_t)1 << (8 + i % 11);
        if (i == 0 && (sim_open(&the_sim, spec, &sim_noises[SIM_CROWDED], 11) < 0
                       || sim_open(&other, spec, &sim_noises[SIM_CROWDED], 11) < 0)) break;
        sim_chase(&the_sim, n, NULL, &a);
        sim_chase(&other, n, NULL, &b);
        same = same && memcmp(&a.ns, &b.ns, sizeof a.ns) == 0 && a.flags == b.flags
               && memcmp(&a.anchor_cycles, &b.anchor_cycles, sizeof a.anchor_cycles) == 0;
    }
    same = same && memcmp(&the_sim.time_ns, &other.time_ns, sizeof(double)) == 0;
    TAP_OK(same && i == 12, "equal seeds give equal samples and times");
    sim_close(&other);
    sim_close(&the_sim);
    sim_open(&the_sim, spec, NULL, 12);
    sim_open(&other, spec, &sim_noises[SIM_QUIET], 12);
    for (i = 0; i < 6; i++) {
        sim_chase(&the_sim, 20000, NULL, &a);
        sim_chase(&other, 20000, NULL, &b);
        pages = pages && memcmp(the_sim.hit_frac, other.hit_frac, sizeof other.hit_frac) == 0;
        moved += a.ns < b.ns || a.ns > b.ns;
    }
    TAP_OK(pages && moved == 6, "noise changes the samples, not the pages");
    sim_close(&other);
    sim_open(&other, spec, NULL, 13);
    sim_chase(&the_sim, 20000, NULL, &a);
    sim_chase(&other, 20000, NULL, &b);
    TAP_OK(a.ns < b.ns || a.ns > b.ns, "another seed, other pages");
    sim_close(&other);
    sim_close(&the_sim);
}

static void test_noise(void)
{
    const sim_spec *spec = sim_named("core2");
    sim_noise noise = sim_noises[SIM_SILENT];
    servet_sample sample;
    double busy_ns = 0, quiet_ns = 0, quiet_anchor = 0, busy_anchor = 1e9;
    double sum = 0, square = 0, slow = 0, last = 0;
    int i, busy = 0, switched = 0, outliers = 0, forward = 1;
    noise.phase_frac = 0.3;
    noise.phase_s = 0.002;
    noise.phase_slow = 1.2;
    memset(&sample, 0, sizeof sample);
    sim_open(&the_sim, spec, &noise, 5);
    for (i = 0; i < 1500; i++) {
        double now = the_sim.time_ns;
        int before = sim_busy_at(&the_sim, now), after;
        sim_chase(&the_sim, 24 * 1024 / 64, NULL, &sample);
        after = sim_busy_at(&the_sim, the_sim.time_ns);
        if (before != the_sim.busy) forward = 0;
        busy += before;
        *(before ? &busy_ns : &quiet_ns) += sample.ns;
        if (before || after) busy_anchor = fmin(busy_anchor, sample.anchor_cycles);
        else quiet_anchor = fmax(quiet_anchor, sample.anchor_cycles);
    }
    TAP_OK(forward && busy > 300 && busy < 600, "neighbours are there 3 of 10 times (%d of 1500)", busy);
    TAP_OK(busy_ns / busy > 2 * quiet_ns / (1500 - busy),
           "24 KiB lose half of the first level's ways to a neighbour");
    TAP_OK(busy_anchor > 1.15 * quiet_anchor,
           "the reference chains tell: %.2f cycles against %.2f", busy_anchor, quiet_anchor);
    sim_close(&the_sim);

    noise = sim_noises[SIM_SILENT];
    noise.jitter_frac = 0.02;
    sim_open(&the_sim, spec, &noise, 5);
    for (i = 0; i < 3000; i++) {
        sim_chase(&the_sim, 64, NULL, &sample);
        sum += log(sample.ns / 1.25) / 3000;
        square += log(sample.ns / 1.25) * log(sample.ns / 1.25) / 3000;
    }
    TAP_OK(fabs(sum) < 0.0015, "jitter has no bias (%.5f)", sum);
    TAP_NEAR(sqrt(square), 0.02, 0.05, "and the spread it should have");
    sim_close(&the_sim);

    noise = sim_noises[SIM_SILENT];
    noise.outlier_frac = 0.1;
    noise.outlier_max = 3;
    noise.switches_per_s = 200;
    noise.switch_s = 0.004;
    sim_open(&the_sim, spec, &noise, 6);
    for (i = 0; i < 2000; i++) {
        sim_chase(&the_sim, 64, NULL, &sample);
        if (sample.flags & SERVET_NOISE_SWITCH) switched++;
        else outliers += sample.ns > 1.26;
        slow = fmax(slow, sample.ns / 1.25);
        if (sim_seconds(&the_sim) <= last) forward = 0;
        last = sim_seconds(&the_sim);
    }
    TAP_OK(outliers > 140 && outliers < 250 && slow > 2.8 && slow < 4.5,
           "outliers: %d of 2000, up to %.1f times", outliers, slow);
    TAP_OK(switched > 50 && switched < 200, "preemptions are flagged: %d", switched);
    TAP_OK(forward && last > switched * 0.004 && last < switched * 0.004 + 2000 * 0.001,
           "and take their time: %.2f s", last);
    sim_close(&the_sim);
}

static void test_time(void)
{
    const sim_spec *spec = sim_named("core2");
    servet_sample sample;
    double small, large;
    memset(&sample, 0, sizeof sample);
    sim_open(&the_sim, spec, NULL, 1);
    TAP_OK(sim_seconds(&the_sim) <= 0, "time begins at 0");
    sim_chase(&the_sim, 64, NULL, &sample);
    small = sim_seconds(&the_sim);
    TAP_OK(small > 150e-6 && small < 500e-6, "a short cycle is repeated: %.0f us", small * 1e6);
    sim_chase(&the_sim, (size_t)1 << 20, NULL, &sample);
    large = sim_seconds(&the_sim) - small;
    TAP_OK(large > 20e-3 && large < 0.1, "64 MiB are built, touched and walked in part: %.0f ms", large * 1e3);
    sim_close(&the_sim);
}

/* Misses of a level at so many times what it holds, by the formula for pages that fall at random.  A duel is won by
 * BRRIP, which one set in 32 does not follow. */
static double formula(const sim_spec *spec, int l, double times)
{
    double page = spec->page_bytes, capacity = sim_truth_bytes(spec, l) / page, pages = floor(times * capacity);
    int ways = sim_truth_ways(spec, l), policy = sim_truth_policy(spec, l), duel = policy == SERVET_POLICY_DUELING;
    double miss = misses_of(pages, capacity, ways, duel ? SERVET_POLICY_ADAPTIVE : policy,
                                       SERVET_PLACEMENT_RANDOM);
    if (!duel) return miss;
    return (31 * miss + misses_of(pages, capacity, ways, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM)) / 32;
}

/* Share of the loads of a chase that no level up to l served, mean over so many draws. */
static double missed_in(int l, double bytes, const servet_chase_opts *opts, int draws)
{
    servet_sample sample;
    double share = 0, pages = floor(bytes / opts->page_bytes);
    size_t n = (size_t)(pages < 1 ? bytes / opts->line_bytes : pages * (opts->page_bytes / opts->line_bytes));
    int d, h;
    memset(&sample, 0, sizeof sample);
    for (d = 0; d < draws; d++) {
        if (sim_chase(&the_sim, n, opts, &sample) < 0) return -1;
        for (share += 1, h = 0; h <= l; h++) share -= the_sim.hit_frac[h];
    }
    return share / draws;
}

/* Every machine of the table: each level serves the curve where it should, and not where it should not.  Levels of
 * several classes that are no victims, and thrice as large as those nearer, miss as the formula says at 0.8, 1 and 1.3
 * times what they hold, but for the draws: exactly so where pages are apart and the policy is LRU or FIFO, within 0.12
 * where huge pages spread them or the policy is approximated, 0.18 for QLRU.  Fetching of neighbours is kept out by
 * leaving out every other line. */
static void test_machines(void)
{
    double worst_exact = 0, worst = 0;
    int i, l, t, checked = 0;
    for (i = 0; i < SIM_MACHINES; i++) {
        const sim_spec *spec = &sim_machines[i];
        int levels = sim_truth_levels(spec), good = 1;
        servet_chase_opts opts;
        memset(&opts, 0, sizeof opts);
        opts.page_bytes = spec->page_bytes;
        opts.line_bytes = spec->level[levels - 1].line_bytes;
        if (spec->pairs || spec->next_line) opts.line_bytes *= 2;
        if (sim_open(&the_sim, spec, NULL, 2) < 0) levels = good = 0;
        the_sim.exact = 2048;
        for (l = 0; l < levels; l++) {
            const sim_level *level = &spec->level[l];
            double bytes = sim_truth_bytes(spec, l), below, above;
            double classes = level->bytes / level->ways / spec->page_bytes, off = 0;
            int exact = !spec->huge_backed && (level->policy == SIM_LRU || level->policy == SIM_FIFO)
                        && (l == 0 || sim_truth_bytes(spec, l - 1) < bytes / 8);
            double within = exact ? 0.04 : level->policy == SIM_QLRU ? 0.18 : 0.12;
            int draws = classes > 1 ? (int)(250 / classes) : 1;
            draws = draws < 3 ? 3 : draws;
            if (exact && classes > 1) within += 0.6 / sqrt(draws * classes);
            below = missed_in(l, bytes * 0.4, &opts, draws) - (classes > 1 ? formula(spec, l, 0.4) : 0);
            above = missed_in(l, bytes * 2.5, &opts, draws);
            if (classes > 1 && level->index != SIM_VIRTUAL && level->relation != SIM_EXCLUSIVE
                && (l == 0 || sim_truth_bytes(spec, l - 1) < bytes / 3)) {
                static const double times[] = { 0.8, 1, 1.3 };
                for (t = 0; t < 3; t++) {
                    double got = missed_in(l, bytes * times[t], &opts, draws), want = formula(spec, l, times[t]);
                    off = fmax(off, fabs(got - want));
                }
                checked++;
                if (exact) worst_exact = fmax(worst_exact, off);
                else worst = fmax(worst, off);
            }
            if (below > 0.05 || above < 0.5 || off > within) {
                good = 0;
                TAP_DIAG("%s level %d of %.0f KiB: misses %.3f more than it should at 0.4, %.3f at 2.5, off by %.3f",
                         spec->name, l + 1, bytes / 1024, below, above, off);
            }
        }
        TAP_OK(good && sim_named(spec->name) == spec, "%s: %s", spec->name, spec->what);
        sim_close(&the_sim);
    }
    TAP_OK(SIM_MACHINES >= 55 && checked >= 55, "%d machines; %d levels off their formulas by at most %.3f, %.3f",
           SIM_MACHINES, checked, worst_exact, worst);
    TAP_OK(sim_named("no such machine") == NULL, "a name that is not in the table");
}

/* A level of 64 sets of 4 ways and 64 lines, one a set, each loaded again after as many loads of the neighbour as fit,
 * m a set: evicted where 4 or more of these came to its set, of a Poisson number with that mean, or, as the neighbour
 * goes on line by line, in m - 3 of the cases. */
static void test_neighbour_evicts(int in_order)
{
    sim_spec spec = sim_single(16384, 4, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    sim_neighbour other = sim_stranger(1);
    servet_chase_opts opts;
    servet_sample sample;
    double m, want = 1, term, got = 0;
    int i;
    spec.level[0].ns = 300;
    spec.memory_ns = 310;
    other.phase_lo_s = other.phase_hi_s = 1;
    other.loads_per_us_lo = other.loads_per_us_hi = 1000;
    other.bytes_lo = other.bytes_hi = 33554432;
    other.in_order_frac = in_order;
    other.clock_frac = 1;
    other.turn_ns = 0;
    memset(&opts, 0, sizeof opts);
    sim_open(&the_sim, &spec, NULL, 3);
    sim_beside(&the_sim, &other);
    for (i = 0; i < 40; i++) {
        sim_chase(&the_sim, 64, &opts, &sample);
        got += the_sim.hit_frac[1] / 40;
    }
    sim_close(&the_sim);
    m = (300 + 10 * got) / (1 + 310 / 4.0);
    for (term = exp(-m), i = 1; i <= 4; term *= m / i++) want -= term;
    if (in_order) want = m - 3;
    TAP_NEAR(got, want, 0.05, "%.2f loads a set evict %.3f of the lines, by the formula %.3f", m, got, want);
}

/* Share of questions whose 8 lines, after so many others of other pages, were not all nearer than memory. */
static double disturbed(const sim_neighbour *other, size_t between_n, double *ns_of)
{
    static uint32_t place[8 + 65536];
    const sim_spec *spec = sim_named("zen5-guest");
    double ns[SERVET_TRACK_PARTS];
    servet_sample sample;
    servet_track t;
    size_t i;
    int k, out = 0, asked = between_n > 4096 ? 60 : 600;
    memset(&t, 0, sizeof t);
    for (i = 0; i < 8; i++) place[i] = (uint32_t)(i * 64);
    for (i = 8; i < 8 + between_n; i++) place[i] = (uint32_t)((1 + (i - 8) / 64) * PAGE_PLACES + (i - 8) % 64 * 8);
    t.place = place;
    t.n = 8;
    t.between = place + 8;
    t.between_n = between_n;
    t.repeats = t.raw = 1;
    t.pages = SERVET_PAGES_SMALL;
    sim_open(&the_sim, spec, NULL, 4);
    if (other) sim_beside(&the_sim, other);
    for (*ns_of = 0, k = 0; k < asked; k++) {
        sim_track(&the_sim, &t, ns, &sample);
        out += the_sim.hit_frac[2] + the_sim.hit_frac[3] > 0;
        *ns_of += ns[0] / asked;
    }
    sim_close(&the_sim);
    return (double)out / asked;
}

static void test_neighbour(void)
{
    static const double fracs[] = { 0.1, 0.5, 0.9 };
    const sim_spec *guest = sim_named("zen5-guest");
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    sim_neighbour other = sim_stranger(1), none = sim_stranger(0);
    double few, many, alone, ns_few, ns_many, ns_alone;
    servet_chase_opts opts;
    servet_sample sample, again;
    int i, k, awake, flags, equal = 1;
    memset(&opts, 0, sizeof opts);
    memset(&sample, 0, sizeof sample);
    memset(&again, 0, sizeof again);
    test_neighbour_evicts(0);
    test_neighbour_evicts(1);

    for (k = 0; k < 3; k++) {
        const sim_neighbour is = sim_stranger(fracs[k]);
        sim_open(&the_sim, &spec, NULL, 5);
        sim_beside(&the_sim, &is);
        for (awake = i = 0; i < 20000; i++) {
            the_sim.time_ns += 20e6;
            sim_chase(&the_sim, 1, &opts, &sample);
            awake += the_sim.other.awake;
        }
        TAP_OK(fabs(awake / 20000.0 - fracs[k]) < 0.05, "awake in %.3f of the time, %.1f wanted", awake / 20000.0,
               fracs[k]);
        sim_close(&the_sim);
    }

    other.loads_per_us_lo = other.loads_per_us_hi = 30;
    other.bytes_lo = other.bytes_hi = 4194304;
    few = disturbed(&other, 64, &ns_few);
    many = disturbed(&other, 15360, &ns_many);
    alone = disturbed(NULL, 15360, &ns_alone);
    TAP_OK(few < 0.05 && many > 0.5 && alone <= 0, "after 64 lines %.2f of questions are disturbed, after 960 KiB "
           "%.2f, alone %.2f", few, many, alone);
    TAP_OK(ns_few < ns_many && ns_alone < ns_many, "%.1f and %.1f ns, %.1f alone", ns_few, ns_many, ns_alone);

    other.loads_per_us_lo = other.loads_per_us_hi = 10;    /* one line: it takes no more than the clock */
    other.bytes_lo = other.bytes_hi = 64;
    other.turn_ns = 0;
    sim_open(&the_sim, &spec, NULL, 6);
    sim_beside(&the_sim, &other);
    sim_chase(&the_sim, 256, &opts, &sample);
    TAP_NEAR(sample.ns, 1 / 0.84, 1e-9, "the clock follows it");
    sim_close(&the_sim);
    other.clock_frac = 1;
    other.turn_ns = 1000;
    sim_open(&the_sim, guest, NULL, 6);
    sim_beside(&the_sim, &other);
    sim_chase(&the_sim, 24 * 64, &opts, &sample);    /* twice the first level; 20 us */
    TAP_OK(sample.ns > 1.25 * 4.1 && sample.ns < 1.8 * 4.1, "by turns half as quick behind the first level: %.2f ns",
           sample.ns);
    sim_close(&the_sim);

    none.slice_s = 0.004;    /* one on the same CPU: a third of the time is lost, and all is cold after it */
    none.away_s = 0.002;
    sim_open(&the_sim, &spec, NULL, 7);
    sim_beside(&the_sim, &none);
    for (flags = i = 0; i < 500; i++) {
        sim_chase(&the_sim, 256, &opts, &sample);
        flags += sample.flags == SERVET_NOISE_SWITCH;
    }
    few = sim_seconds(&the_sim);
    sim_close(&the_sim);
    sim_open(&the_sim, &spec, NULL, 7);
    for (i = 0; i < 500; i++) sim_chase(&the_sim, 256, &opts, &sample);
    many = sim_seconds(&the_sim);
    sim_close(&the_sim);
    TAP_OK(flags > 10 && fabs(few - many - flags * 0.002) < 0.1 * (few - many),
           "one on the same CPU: %d switches, each flagged, of 2 ms each: %.3f s, %.3f alone", flags, few, many);

    none = sim_stranger(0);
    other = sim_stranger(0.5);
    for (k = 0; k < 2; k++) {    /* 0: none is the same as one that sleeps; 1: equal seeds, equal answers */
        for (i = 0; i < 3; i++) {
            sim_open(&the_sim, guest, &sim_noises[SIM_QUIET], 8);
            sim_beside(&the_sim, i == 2 ? NULL : k ? &other : &none);
            if (k && i == 2) sim_beside(&the_sim, &other);
            for (awake = 0; awake < 30; awake++) sim_chase(&the_sim, 8192, &opts, i ? &again : &sample);
            sim_close(&the_sim);
            equal &= !i || memcmp(&sample, &again, sizeof sample) == 0;
        }
    }
    TAP_OK(equal, "one that never wakes is none; equal seeds, equal answers");
    sim_open(&the_sim, &spec, NULL, 9);
    other.awake_frac = 2;
    TAP_OK(sim_beside(&the_sim, &other) == SERVET_EINVAL && sim_beside(&the_sim, NULL) == SERVET_OK,
           "awake for twice the time: invalid");
    sim_close(&the_sim);
}

/* Passes between that can change nothing are not walked: with and without, the same answers.  Pages less and more than
 * the first level or the second holds, four lines each, then one that stays or does not. */
static void test_passes(void)
{
    static uint32_t place[4 + 65536];
    double ns[2][SERVET_TRACK_PARTS];
    servet_sample sample;
    servet_track t;
    int i, k, every, off = 0, asked = 0;
    memset(&t, 0, sizeof t);
    t.place = place;
    t.n = 4;
    t.between = place + 4;
    t.between_passes = 8;
    t.repeats = t.raw = 1;
    t.pages = SERVET_PAGES_SMALL;
    for (i = 0; i < SIM_MACHINES; i++) {
        const sim_spec *spec = &sim_machines[i];
        const uint32_t page = (uint32_t)spec->page_bytes / SERVET_PLACE_BYTES;
        for (k = 0; k < 8; k++) {
            const double bytes = (k % 2 ? 1.1 : 0.8) * sim_truth_bytes(spec, k / 4);
            const uint32_t pages = (uint32_t)(bytes / spec->page_bytes) + 1;
            uint32_t p, m;
            if (4 * pages > 65536) continue;
            for (p = 0; p <= pages; p++)
                for (m = 0; m < 4; m++)
                    place[4 * p + m] = p * (k / 2 % 2 ? 7u : 1u) % (uint32_t)(SIM_POOL_BYTES / 16 / page) * page
                                     + m * page / 4;
            t.between_n = 4 * (size_t)pages;
            for (every = 0; every < 2; every++) {
                sim_open(&the_sim, spec, NULL, (uint64_t)k);
                the_sim.every = every;
                sim_track(&the_sim, &t, ns[every], &sample);
                sim_close(&the_sim);
            }
            asked++;
            off += fabs(ns[1][0] / ns[0][0] - 1) > 1e-9;
        }
    }
    TAP_OK(asked > 400 && off <= asked / 50, "of %d questions %d are answered otherwise if all passes are walked",
           asked, off);
}

/* A counter in steps: readings of short parts are multiples of it, and right in the mean. */
static void test_timer(void)
{
    static const double ticks[] = { 0.3, 10, 40 };
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    uint32_t place[72];
    double ns[SERVET_TRACK_PARTS], sum, off, slow;
    servet_sample sample;
    servet_track t;
    int i, k;
    memset(&t, 0, sizeof t);
    for (i = 0; i < 72; i++) place[i] = (uint32_t)i * 8;
    t.place = place;
    t.n = 8;
    t.between = place + 8;
    t.between_n = 64;
    t.repeats = t.raw = 1;
    for (k = 0; k < 3; k++) {
        sim_open(&the_sim, &spec, NULL, 1);
        the_sim.timer.tick_ns = ticks[k];
        for (sum = off = 0, i = 0; i < 4000; i++) {
            sim_track(&the_sim, &t, ns, &sample);
            sum += ns[0] / 4000;
            off = fmax(off, fabs(8 * ns[0] / ticks[k] - floor(8 * ns[0] / ticks[k] + 0.5)));
        }
        TAP_OK(off < 1e-9 && fabs(sum - 1) < 0.15, "steps of %.1f ns: multiples of them, %.3f ns in the mean", ticks[k],
               sum);
        sim_close(&the_sim);
    }
    sim_open(&the_sim, &spec, NULL, 1);
    the_sim.timer.irq_per_s = 1e6;    /* 8 ns of 1000 */
    the_sim.timer.irq_ns = 5000;
    the_sim.timer.read_ns = 2;
    for (sum = slow = off = 0, i = 0; i < 4000; i++) {
        sim_track(&the_sim, &t, ns, &sample);
        if (ns[0] > 100) slow++;
        else off = fmax(off, fabs(ns[0] - 1));
    }
    TAP_OK(slow > 15 && slow < 60 && off > 0.2 && off <= 0.25 + 1e-9, "%.0f of 4000 interrupted, 32 expected; others "
           "off by %.2f ns a load at most", slow, off);
    sim_close(&the_sim);
}

/* An index that XORs frame bits into line bits: 17 pages of one class of 16 ways conflict where all their lines are
 * loaded, or eight evenly stepped ones; by one line each they are in eight sets, and all stay. */
static void test_moved_lines(void)
{
    static const struct { int lines, step; } cases[] = {
        { 1, 64 }, { 2, 1 }, { 8, 1 }, { 8, 8 }, { 16, 4 }, { 64, 1 }
    };
    static const double want[2][6] = { { 1, 1, 1, 1, 1, 1 }, { 0, 0, 0, 1, 1, 1 } };
    static uint32_t place[17 * 64];
    sim_spec spec = sim_single(1048576, 16, SIM_LRU, SIM_PHYSICAL, SIM_CONTIGUOUS);
    double ns[SERVET_TRACK_PARTS], off;
    size_t n;
    int xored, k, p, i;
    for (xored = 0; xored < 2; xored++) {
        spec.level[0].index = xored ? SIM_XORED : SIM_PHYSICAL;
        sim_open(&the_sim, &spec, NULL, 1);
        for (off = 0, k = 0; k < 6; k++) {
            for (n = 0, p = 0; p < 17; p++)
                for (i = 0; i < cases[k].lines; i++)
                    place[n++] = (uint32_t)(16 * p * PAGE_PLACES + i * cases[k].step * 8);
            tracked(ns, place, n, 1, NULL, 0, SERVET_PAGES_SMALL);
            off = fmax(off, fabs(the_sim.hit_frac[1] - want[xored][k]));
        }
        TAP_OK(off <= 0, "17 pages of a class, index %s line bits: conflict by the lines as they must",
               xored ? "of frame bits XOR" : "of plain");
        sim_close(&the_sim);
    }
}

static void test_arguments(void)
{
    sim_spec spec = sim_single(32768, 8, SIM_LRU, SIM_VIRTUAL, SIM_SCATTERED);
    servet_chase_opts opts;
    servet_sample sample;
    servet_machine m;
    memset(&opts, 0, sizeof opts);
    memset(&sample, 0, sizeof sample);
    TAP_OK(sim_open(&the_sim, NULL, NULL, 0) == SERVET_EINVAL, "no machine");
    spec.level[0].ways = 64;
    TAP_OK(sim_open(&the_sim, &spec, NULL, 0) == SERVET_OK, "64 ways of LRU");
    sim_close(&the_sim);
    spec.level[0].policy = SIM_QLRU;
    TAP_OK(sim_open(&the_sim, &spec, NULL, 0) == SERVET_EINVAL, "too many ways for ages of two bits");
    spec.level[0].policy = SIM_LRU;
    spec.level[0].ways = 8;
    spec.level[0].relation = SIM_EXCLUSIVE;
    TAP_OK(sim_open(&the_sim, &spec, NULL, 0) == SERVET_EINVAL, "a first level exclusive of nothing");
    spec.level[0].relation = SIM_APART;
    TAP_OK(sim_open(&the_sim, &spec, NULL, 0) == SERVET_OK, "a good one");
    m = sim_machine(&the_sim);
    TAP_OK(m.chase(m.ctx, 0, NULL, &sample) == SERVET_EINVAL, "no element");
    opts.line_bytes = 48;
    TAP_OK(m.chase(m.ctx, 10, &opts, &sample) == SERVET_EINVAL && sample.ns <= 0,
           "lines that do not divide a page");
    TAP_OK(m.chase(m.ctx, 1, NULL, &sample) == SERVET_OK && sample.ns >= 1 && m.seconds(m.ctx) > 0,
           "one element");
    opts.line_bytes = 64;
    opts.in_place = 1;
    TAP_OK(m.chase(m.ctx, 512, &opts, &sample) == SERVET_OK && sample.ns <= 1,
           "in place, 32 KiB fit in the first level");
    sim_close(&the_sim);
}

int main(void)
{
    test_policies();
    test_placement();
    test_shrinking();
    test_levels();
    test_tlb();
    test_tracks();
    test_shrunk_tracks();
    test_track_noise();
    test_pages();
    test_prefetchers();
    test_together();
    test_determinism();
    test_noise();
    test_time();
    test_machines();
    test_neighbour();
    test_passes();
    test_timer();
    test_moved_lines();
    test_arguments();
    return tap_done();
}

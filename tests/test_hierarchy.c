/* test_hierarchy.c - lines and TLBs: rates on modelled machines, made evidence, bad arguments
 *
 * HIERARCHY_SEEDS=20 takes so many seeds of each machine at three noises instead of one at one;
 * HIERARCHY_VERBOSE=1 tells of every miss. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

/* Machines beside those of the table: what it has nothing of. */
#define TEST_CACHES { SIM_L(32, 8, 64, 1.1, PLRU, VIRTUAL, APART), SIM_L(1024, 16, 64, 4.0, LRU, PHYSICAL, APART), \
                      SIM_L(16384, 16, 64, 14, LRU, HASHED, APART), SIM_NONE }
static const sim_spec others[] = {
    { "line-256", "64 KiB pages, lines of 256 bytes", 65536, SIM_SCATTERED,
      { SIM_L(64, 4, 256, 2.8, LRU, VIRTUAL, APART), SIM_L(8192, 16, 256, 17, LRU, PHYSICAL, APART),
        SIM_NONE, SIM_NONE },
      { SIM_T(16, 0, 2.5), SIM_T(1024, 4, 20) }, 140, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "line-32", "lines of 32 bytes, tiny TLB", 4096, SIM_SCATTERED,
      { SIM_L(16, 4, 32, 3, LRU, VIRTUAL, APART), SIM_L(512, 8, 32, 12, LRU, PHYSICAL, APART), SIM_NONE, SIM_NONE },
      { SIM_T(10, 0, 2), SIM_T(128, 2, 20) }, 120, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "line-128", "64 KiB pages, lines of 128 bytes", 65536, SIM_SCATTERED,
      { SIM_L(32, 8, 128, 1.2, LRU, VIRTUAL, APART), SIM_L(512, 8, 128, 4, LRU, PHYSICAL, APART), SIM_NONE, SIM_NONE },
      { SIM_T(64, 0, 2.5), SIM_T(1024, 4, 15) }, 110, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "pairs", "a miss fetches both lines of 128 bytes", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(64, 4, 2.5), SIM_T(1536, 12, 10) }, 90, 1, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "hashed-tlb", "the second TLB's sets are hashed", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(64, 4, 2.5), { 2048, 8, 10, SIM_HASHED, 0 } }, 90, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "huge", "huge pages that are what they seem", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(72, 0, 2), SIM_T(3072, 12, 20) }, 90, 0, 1, 1,
      2097152, 1, { SIM_T(32, 0, 2), SIM_T(0, 0, 0) }, SIM_T(0, 0, 0), SIM_PLAIN },
    { "huge-split", "huge pages that a host splits", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(72, 0, 2), SIM_T(3072, 12, 20) }, 90, 0, 1, 1,
      2097152, 0, { SIM_T(32, 0, 2), SIM_T(0, 0, 0) }, SIM_T(0, 0, 0), SIM_PLAIN },
    { "upper-tables", "walks cost more where upper tables are not cached", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(64, 4, 2.5), SIM_T(512, 4, 8) }, 90, 0, 1, 1, SIM_NO_HUGE, { 16, 0, 20, SIM_VIRTUAL, 512 }, SIM_PLAIN },
    { "one-tlb", "a single TLB", 4096, SIM_SCATTERED, TEST_CACHES,
      { SIM_T(128, 4, 15), SIM_T(0, 0, 0) }, 90, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN }
};
#define OTHERS ((int)(sizeof others / sizeof others[0]))

static servet_line_evidence line_evidence;
static servet_tlb_evidence tlb_evidence;

typedef struct tally { int runs, line, fetch, levels, wanted, exact, within5, covered, penalty; } tally;

static void add(tally *sum, const tally *t)
{
    sum->runs += t->runs;
    sum->line += t->line;
    sum->fetch += t->fetch;
    sum->levels += t->levels;
    sum->wanted += t->wanted;
    sum->exact += t->exact;
    sum->within5 += t->within5;
    sum->covered += t->covered;
    sum->penalty += t->penalty;
}

static int truth_tlbs(const sim_spec *spec)
{
    return spec->tlb[1].entries > 0 ? 2 : 1;
}

static int truth_fetch(const sim_spec *spec)
{
    const int line = spec->level[0].line_bytes, below = spec->level[1].line_bytes;
    return spec->pairs && line < 128 ? 128 : below > line ? below : line;
}

/* One machine: line and TLBs, judged by what it is made of. */
static tally try_machine(const sim_spec *spec, const sim_noise *noise, int seed, servet_tlbs *tlbs)
{
    servet_hierarchy_opts o;
    servet_machine m;
    servet_line line;
    sim s;
    tally t;
    int i;
    memset(&t, 0, sizeof t);
    memset(&o, 0, sizeof o);
    memset(&line, 0, sizeof line);
    memset(tlbs, 0, sizeof *tlbs);
    if (sim_open(&s, spec, noise, (uint64_t)seed) < 0) return t;
    m = sim_machine(&s);
    o.page_bytes = spec->page_bytes;
    o.large_bytes = spec->huge_bytes;
    o.seed = (uint64_t)seed;
    o.settle = 0.2;     /* the model's TLBs are LRU and need no settling: this is for speed */
    t.runs = 1;
    if (servet_hierarchy_line(&line_evidence, &m, &o) >= 0 && servet_fit_line(&line, &line_evidence) >= 0) {
        t.line = line.line_bytes == spec->level[0].line_bytes;
        t.fetch = line.fetch_bytes == truth_fetch(spec);
    }
    o.line_bytes = line.line_bytes;
    if (servet_hierarchy_tlb(&tlb_evidence, &m, &o) >= 0) servet_fit_tlb(tlbs, &tlb_evidence);
    t.levels = tlbs->small.count == truth_tlbs(spec);
    for (i = 0; i < truth_tlbs(spec); i++) {
        const servet_tlb_level *l = &tlbs->small.level[i];
        const double want = spec->tlb[i].entries;
        t.wanted++;
        if (i >= tlbs->small.count) continue;
        t.exact += l->entries == spec->tlb[i].entries;
        t.within5 += fabs(l->entries / want - 1) <= 0.05;
        t.covered += l->lo_entries <= want && want <= l->hi_entries;
        t.penalty += fabs(l->penalty_ns / spec->tlb[i].ns - 1) <= 0.15;
    }
    if (getenv("HIERARCHY_VERBOSE")
        && (!t.line || !t.fetch || !t.levels || t.within5 < t.wanted || t.penalty < t.wanted)) {
        TAP_DIAG("%s, seed %d: line %d fetch %d", spec->name, seed, line.line_bytes, line.fetch_bytes);
        for (i = 0; i < tlbs->small.count; i++)
            TAP_DIAG("    TLB %d: %d [%d, %d], %.2f ns", i + 1, tlbs->small.level[i].entries,
                     tlbs->small.level[i].lo_entries, tlbs->small.level[i].hi_entries, tlbs->small.level[i].penalty_ns);
    }
    sim_close(&s);
    return t;
}

static void rates(void)
{
    static const char *name[SIM_NOISES] = { "silent", "quiet", "guest", "crowded" };
    const char *asked = getenv("HIERARCHY_SEEDS");
    const int seeds = asked ? atoi(asked) : 1;
    int noise, i, seed;
    for (noise = asked ? SIM_QUIET : SIM_GUEST; noise <= (asked ? SIM_CROWDED : SIM_GUEST); noise++) {
        tally all;
        memset(&all, 0, sizeof all);
        for (i = 0; i < SIM_MACHINES + OTHERS; i++) {
            const sim_spec *spec = i < SIM_MACHINES ? &sim_machines[i] : &others[i - SIM_MACHINES];
            tally t;
            servet_tlbs tlbs;
            memset(&t, 0, sizeof t);
            for (seed = 1; seed <= seeds; seed++) {
                tally one = try_machine(spec, &sim_noises[noise], seed, &tlbs);
                add(&t, &one);
            }
            if (asked)
                TAP_DIAG("%s %-22s %d runs: line %d fetch %d levels %d, of %d TLBs exact %d within 5%% %d covered %d"
                         " penalty %d", name[noise], spec->name, t.runs, t.line, t.fetch, t.levels, t.wanted, t.exact,
                         t.within5, t.covered, t.penalty);
            add(&all, &t);
        }
        TAP_DIAG("%s: %d runs: line %d, fetch %d, levels %d; of %d TLBs exact %d, within 5%% %d, covered %d, penalty"
                 " within 15%% %d", name[noise], all.runs, all.line, all.fetch, all.levels, all.wanted, all.exact,
                 all.within5, all.covered, all.penalty);
        TAP_OK(all.line >= (noise == SIM_CROWDED ? 0.9 : 1.0) * all.runs, "%s: lines", name[noise]);
        TAP_OK(all.levels >= (noise == SIM_CROWDED ? 0.7 : 0.95) * all.runs, "%s: number of TLBs", name[noise]);
        TAP_OK(all.within5 >= (noise == SIM_CROWDED ? 0.7 : 0.95) * all.wanted, "%s: entries", name[noise]);
        TAP_OK(all.penalty >= (noise == SIM_CROWDED ? 0.6 : 0.9) * all.wanted, "%s: penalties", name[noise]);
        TAP_OK(all.exact >= (noise == SIM_CROWDED ? 0.5 : 0.85) * all.wanted, "%s: to the entry", name[noise]);
        TAP_OK(all.covered >= (noise == SIM_CROWDED ? 0.8 : 0.93) * all.wanted, "%s: in their intervals", name[noise]);
    }
}

static const sim_spec *other(const char *name)
{
    int i;
    for (i = 0; i < OTHERS; i++) if (strcmp(others[i].name, name) == 0) return &others[i];
    return NULL;
}

static void large_pages(void)
{
    servet_tlbs t;
    tally one = try_machine(other("huge"), &sim_noises[SIM_QUIET], 1, &t);
    TAP_OK(one.runs && t.large.count == 1 && t.large.level[0].entries == 32, "huge pages: 32 entries (%d)",
           t.large.level[0].entries);
    TAP_OK(t.backing == SERVET_BACKING_WHOLE, "huge pages are whole: %s", servet_fit_backing_text(t.backing));
    try_machine(other("huge-split"), &sim_noises[SIM_QUIET], 1, &t);
    TAP_OK(t.large.count >= 1 && t.large.level[0].entries == 72, "split huge pages: small ones' entries (%d)",
           t.large.level[0].entries);
    TAP_OK(t.backing == SERVET_BACKING_SPLIT, "huge pages are split: %s", servet_fit_backing_text(t.backing));
}

static servet_tlb_evidence made;

/* A made point: hit 1 ns, and what misses. */
static void point(int kind, int pages, double miss_ns)
{
    servet_tlb_point *p = &made.point[made.count++];
    memset(p, 0, sizeof *p);
    p->kind = kind;
    p->pages = pages;
    p->samples = 3;
    p->settled = 1;
    p->packed_ns = 1;
    p->spread_ns = 1 + miss_ns;
    p->lo_ns = miss_ns - 0.01;
    p->hi_ns = miss_ns + 0.01;
}

/* Steps at the given entries; high = 1 adds an outlier below the second. */
static void curve(int first, int second, double rise, int high)
{
    int n;
    memset(&made, 0, sizeof made);
    for (n = 4; n < 40000; n += n / 5 + 1)
        point(SERVET_TLB_SMALL, n, (n > first ? 2 : 0) + (n > second ? rise : 0)
                                   + (high && n > 300 && n < 350 ? 9 : 0));
}

/* Of 12 ways, each set with one page too many missing 3.2 loads a round: what a random order makes LRU miss. */
static double overloaded(int n, int entries)
{
    return n <= entries ? 0 : 20 * fmin(3.2 * (n - entries) / n, 1);
}

/* What is asked for is given, until nothing more is; the number of times. */
static int answer_all(int kind, int first, int entries)
{
    int turn, i;
    for (turn = 0; turn < 60; turn++) {
        const int next = servet_fit_tlb_next(&made, kind, NULL);
        if (next <= 0) return turn;
        for (i = 0; i < made.count; i++) if (made.point[i].kind == kind && made.point[i].pages == next) return -1;
        point(kind, next, (next > first ? 2 : 0) + overloaded(next, entries));
        for (i = made.count - 1; i > 0 && (made.point[i - 1].kind > made.point[i].kind
             || (made.point[i - 1].kind == made.point[i].kind && made.point[i - 1].pages > made.point[i].pages)); i--) {
            servet_tlb_point x = made.point[i];
            made.point[i] = made.point[i - 1];
            made.point[i - 1] = x;
        }
    }
    return -1;
}

/* Ends that no threshold tells: sets run over one after another; entries that hold several neighbours. */
static void ends(void)
{
    static const int entries[] = { 1536, 1280, 2048, 3072, 1500 };
    servet_tlbs t;
    int i, n, turns;
    for (i = 0; i < 5; i++) {
        memset(&made, 0, sizeof made);
        for (n = 4; n < 40000; n += n / 5 + 1)
            point(SERVET_TLB_SMALL, n, (n > 64 ? 2 : 0) + overloaded(n, entries[i]));
        turns = answer_all(SERVET_TLB_SMALL, 64, entries[i]);
        n = servet_fit_tlb(&t, &made);
        TAP_OK(turns > 0 && turns < 40 && n >= 0 && t.small.count == 2, "%d entries in sets: all is asked for (%d)",
               entries[i], turns);
        TAP_OK(t.small.level[0].entries == 64, "the first is one page sharp (%d)", t.small.level[0].entries);
        TAP_OK(t.small.level[1].lo_entries <= entries[i] && entries[i] <= t.small.level[1].hi_entries
               && t.small.level[1].hi_entries - t.small.level[1].lo_entries < 0.04 * entries[i],
               "the second in a narrow interval [%d, %d]", t.small.level[1].lo_entries, t.small.level[1].hi_entries);
        /* 1500 is no number of sets and ways: only its interval is right */
        TAP_OK(i == 4 ? abs(t.small.level[1].entries - entries[i]) < 30 : t.small.level[1].entries == entries[i],
               "and exact (%d)", t.small.level[1].entries);
    }
    memset(&made, 0, sizeof made);
    for (n = 4; n < 40000; n += n / 5 + 1) point(SERVET_TLB_SMALL, n, (n > 256 ? 2 : 0) + overloaded(n, 6144));
    for (n = 4; n < 4000; n += n / 3 + 1) point(SERVET_TLB_SPARSE, n, (n > 64 ? 2 : 0) + overloaded(n, 1536));
    turns = answer_all(SERVET_TLB_SPARSE, 64, 1536);
    n = servet_fit_tlb(&t, &made);
    TAP_OK(turns > 0 && n >= 0 && t.small.count == 2 && t.small.level[0].entries == 64
           && t.small.level[1].entries == 1536, "pages apart tell how many entries there are (%d, %d)",
           t.small.level[0].entries, t.small.level[1].entries);
}

static void evidence(void)
{
    servet_tlbs t, before;
    double limit = 0;
    int n, i, next;
    curve(100, 1500, 10, 0);
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.count == 2, "two steps, two levels");
    TAP_OK(t.small.level[0].lo_entries <= 100 && t.small.level[0].hi_entries >= 100, "the first in its interval");
    TAP_OK(t.small.level[1].lo_entries <= 1500 && t.small.level[1].hi_entries >= 1500, "and the second");
    TAP_NEAR(t.small.level[0].penalty_ns, 2, 0.02, "penalty of the first");
    TAP_NEAR(t.small.level[1].penalty_ns, 10, 0.02, "penalty of the second");
    TAP_NEAR(t.small.walk_ns, 10, 0.02, "the walk is what the last level's misses cost");
    for (n = 0; n < 40; n++) {    /* bisection leads to the entry */
        next = servet_fit_tlb_next(&made, SERVET_TLB_SMALL, &limit);
        if (next <= 0) break;
        for (i = 0; i < made.count; i++) if (made.point[i].pages == next) break;
        if (i < made.count) break;
        point(SERVET_TLB_SMALL, next, (next > 100 ? 2 : 0) + (next > 1500 ? 10 : 0));
        for (i = made.count - 1; i > 0 && made.point[i - 1].pages > made.point[i].pages; i--) {
            servet_tlb_point x = made.point[i];
            made.point[i] = made.point[i - 1];
            made.point[i - 1] = x;
        }
    }
    TAP_OK(next == 0 && n < 30, "asks for few more points (%d), then for none", n);
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.level[0].entries == 100, "then the first is exact");
    TAP_OK(abs(t.small.level[1].entries - 1500) <= 15, "and the second within 1 %% (%d)", t.small.level[1].entries);
    /* who takes entries meanwhile disturbs, and makes a TLB of 128 look like this */
    for (i = 0; i < made.count; i++)
        if (made.point[i].pages > 100 && made.point[i].pages <= 128) made.point[i].noisy = 3;
    servet_fit_tlb(&t, &made);
    TAP_OK(t.small.level[0].entries == 100 && t.small.level[0].hi_entries >= 128,
           "misses of disturbed samples alone are no end: up to %d", t.small.level[0].hi_entries);
    for (i = 0; i < made.count; i++) if (made.point[i].noisy == 3) made.point[i].noisy = 2;
    servet_fit_tlb(&t, &made);
    TAP_OK(t.small.level[0].hi_entries == 100, "of one undisturbed, they are: %d", t.small.level[0].hi_entries);
    curve(100, 1500, 10, 1);
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.count == 2 && t.small.level[1].lo_entries <= 1500
           && t.small.level[1].hi_entries >= 1500, "one disturbed point is no step");
    for (i = 0, n = 0; i < made.count; i++) {    /* packed lines disturbed: translations that cost less than none */
        curve(100, 1500, 10, 0);
        made.point[i].settled = 0;
        made.point[i].packed_ns += 1.3;
        made.point[i].lo_ns -= 1.3;
        made.point[i].hi_ns -= 1.3;
        n += servet_fit_tlb(&t, &made) < 0 || t.small.count != 2 || t.small.level[0].lo_entries > 100
             || t.small.level[0].hi_entries < 100 || t.small.level[1].lo_entries > 1500
             || t.small.level[1].hi_entries < 1500;
    }
    TAP_OK(n == 0, "nor is one whose packed lines were disturbed: %d of %d wrong", n, made.count);
    curve(100, 1500, 10, 0);
    for (i = 0; i < made.count; i++) made.point[i].settled = made.point[i].pages < 1000;
    next = servet_fit_tlb_next(&made, SERVET_TLB_SMALL, NULL);
    TAP_OK(next > 2500 && next < 4500, "the point that tells the step is looked at again first (%d)", next);
    for (n = 0; n < 9 && next > 0; n++) {
        for (i = 0; i < made.count; i++) made.point[i].settled |= made.point[i].pages == next;
        i = next;
        next = servet_fit_tlb_next(&made, SERVET_TLB_SMALL, NULL);
        if (next >= i || next <= 1500) break;
    }
    TAP_OK(n > 2 && n < 9 && i > 1500 && i < 1900, "then those down to that above the end (%d)", i);
    for (i = 0; i < made.count; i++) {    /* a false step before: what was settled above it counts */
        const int n_ = made.point[i].pages;
        made.point[i].settled = n_ > 900 && n_ < 1100;
        if (n_ > 500 && n_ < 900) made.point[i].spread_ns += 3;
    }
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.count == 2 && t.small.level[1].hi_entries >= 1500,
           "a settled point clears those before it");
    /* Page tables: the second rise comes at a ninth of the pages where each has a line of the table. */
    curve(100, 1500, 10, 0);
    point(SERVET_TLB_SPARSE, 1000, 12);
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.count == 1, "a rise that moves with the page table is no TLB");
    made.count--;
    point(SERVET_TLB_SPARSE, 1000, 2);
    TAP_OK(servet_fit_tlb(&t, &made) >= 0 && t.small.count == 2, "one that stays is");
    /* Only cache misses: both tracks are slower. */
    curve(1 << 20, 1 << 20, 0, 0);
    for (i = 0; i < made.count; i++) {
        if (made.point[i].pages < 700) continue;
        made.point[i].packed_ns += 4;
        made.point[i].spread_ns += 4;
    }
    memset(&t, 1, sizeof t);
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EUNRESOLVED && t.small.count == 0, "cache misses of both are no TLB");
    TAP_OK(t.small.seen_pages > 30000, "and it says how far it looked");
    TAP_OK(servet_fit_tlb_next(&made, SERVET_TLB_SMALL, NULL) == 0, "and asks for nothing");
    /* Bad evidence. */
    memset(&t, 7, sizeof t);
    before = t;
    TAP_OK(servet_fit_tlb(NULL, &made) == SERVET_EINVAL && servet_fit_tlb(&t, NULL) == SERVET_EINVAL, "no pointer");
    made.point[3].spread_ns = -1;
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EINVAL && memcmp(&t, &before, sizeof t) == 0, "time below 0; untouched");
    curve(100, 1500, 10, 0);
    made.point[4].pages = made.point[3].pages;
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EINVAL, "a number of pages twice");
    curve(100, 1500, 10, 0);
    made.point[4].lo_ns = NAN;
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EINVAL, "not a number");
    made.count = SERVET_TLB_POINTS + 1;
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EINVAL && servet_fit_tlb_next(&made, 0, NULL) == 0, "too many points");
    made.count = 0;
    TAP_OK(servet_fit_tlb(&t, &made) == SERVET_EUNRESOLVED, "nothing is unresolved");
    TAP_OK(sizeof(servet_tlb_evidence) < 8192 && sizeof(servet_line_evidence) < 8192, "evidence is small: %d, %d bytes",
           (int)sizeof(servet_tlb_evidence), (int)sizeof(servet_line_evidence));
}

static servet_line_evidence drawn;

/* Pairs as a machine with these lines gives them, at 1 ns inside and 4 outside; far ones 20 and 60. */
static void pairs(int line, int fetch, double outside)
{
    static const int base[] = { 0, 64, 128 }, apart[] = { 0, 8, 32, 64, 128, 256, 512 };
    int test, b, a;
    memset(&drawn, 0, sizeof drawn);
    for (test = SERVET_LINE_NEAR; test <= SERVET_LINE_FAR; test++)
        for (b = 0; b < 3; b++)
            for (a = 0; a < 7; a++) {
                servet_line_point *p = &drawn.point[drawn.count++];
                const double miss = test == SERVET_LINE_NEAR ? outside : 20 * outside;
                const int same = (base[b] + apart[a]) / line == base[b] / line;
                const int near_ = test == SERVET_LINE_FAR && (base[b] + apart[a]) / fetch == base[b] / fetch;
                p->test = test;
                p->base_bytes = base[b];
                p->apart_bytes = apart[a];
                p->samples = 1;
                p->ns = apart[a] == 0 ? miss : (miss + (same ? 1 : near_ ? outside : miss)) / 2;
            }
}

static void lines(void)
{
    servet_line l, before;
    int size;
    for (size = 16; size <= 512; size *= 2) {
        pairs(size, size, 4);
        TAP_OK(servet_fit_line(&l, &drawn) >= 0 && (l.line_bytes == size || (l.lo_bytes <= size && size <= l.hi_bytes)),
               "line of %d (%d)", size, l.line_bytes);
    }
    pairs(64, 128, 4);
    TAP_OK(servet_fit_line(&l, &drawn) >= 0 && l.line_bytes == 64 && l.fetch_bytes == 128,
           "64 fetched in pairs (%d, %d)", l.line_bytes, l.fetch_bytes);
    TAP_NEAR(l.hit_ns, 1, 1e-9, "time inside");
    TAP_NEAR(l.miss_ns, 4, 1e-9, "time outside");
    pairs(64, 128, 4);    /* and in the near test too, where it leaves the second level: that gap is the wider */
    for (size = 0; size < drawn.count; size++) {
        servet_line_point *p = &drawn.point[size];
        const int second = (p->base_bytes + p->apart_bytes) / 128 == p->base_bytes / 128;
        if (p->test != SERVET_LINE_NEAR || (p->apart_bytes > 0 && p->ns < 3)) continue;
        p->ns = p->apart_bytes == 0 ? 16 : (16 + (second ? 3.3 : 16)) / 2;
    }
    for (size = 0; size < drawn.count; size++)    /* inside the line */
        if (drawn.point[size].test == SERVET_LINE_NEAR && drawn.point[size].ns < 3) drawn.point[size].ns = 8.5;
    memset(&l, 0, sizeof l);
    size = servet_fit_line(&l, &drawn);
    TAP_OK(size >= 0 && l.line_bytes == 64, "a neighbour that comes along is not the line (%d)", l.line_bytes);
    pairs(64, 64, 1.1);
    memset(&l, 7, sizeof l);
    before = l;
    TAP_OK(servet_fit_line(&l, &drawn) >= 0 && l.line_bytes == 64, "where the near test is flat the far one tells");
    drawn.count = 0;
    l = before;
    TAP_OK(servet_fit_line(&l, &drawn) == SERVET_EUNRESOLVED && memcmp(&l, &before, sizeof l) == 0, "nothing");
    pairs(64, 64, 1);
    for (size = 0; size < drawn.count; size++) drawn.point[size].ns = 3;
    TAP_OK(servet_fit_line(&l, &drawn) == SERVET_EUNRESOLVED, "all alike");
    drawn.point[2].ns = NAN;
    TAP_OK(servet_fit_line(&l, &drawn) == SERVET_EINVAL, "not a number");
    TAP_OK(servet_fit_line(NULL, &drawn) == SERVET_EINVAL && servet_fit_line(&l, NULL) == SERVET_EINVAL, "no pointer");
    drawn.count = SERVET_LINE_POINTS + 1;
    TAP_OK(servet_fit_line(&l, &drawn) == SERVET_EINVAL, "too many points");
}

static int stop_after(void *ctx)
{
    return --*(int *)ctx < 0;
}
static double last_share;
static void progress(void *ctx, double done_frac, double left_s)
{
    (void)ctx;
    if (!(done_frac >= 0 && done_frac <= 1) || !(left_s >= 0)) last_share = 1e9;
    else if (last_share < 1e9) last_share = done_frac;
}

static void arguments(void)
{
    servet_hierarchy_opts o;
    servet_machine m;
    sim s;
    int left = 0;
    if (sim_open(&s, sim_named("core2"), &sim_noises[SIM_QUIET], 1) < 0) return;
    m = sim_machine(&s);
    memset(&o, 0, sizeof o);
    o.settle = 0.1;
    TAP_OK(servet_hierarchy_line(NULL, &m, NULL) == SERVET_EINVAL
           && servet_hierarchy_tlb(NULL, &m, NULL) == SERVET_EINVAL
           && servet_hierarchy_line(&line_evidence, NULL, NULL) == SERVET_EINVAL
           && servet_hierarchy_tlb(&tlb_evidence, NULL, NULL) == SERVET_EINVAL, "no pointer");
    o.budget_s = -1;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) == SERVET_EINVAL, "time below 0");
    o.budget_s = 0;
    o.line_bytes = 96;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) == SERVET_EINVAL, "a line that is no power of two");
    o.line_bytes = 0;
    o.large_bytes = 5000;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) == SERVET_EINVAL, "large pages that are not made of small ones");
    o.large_bytes = 0;
    o.stop = stop_after;
    o.ctx = &left;
    memset(&tlb_evidence, 7, sizeof tlb_evidence);
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) == SERVET_ESTOPPED && tlb_evidence.count == 0x07070707,
           "stopped at once; nothing touched");
    left = 0;
    TAP_OK(servet_hierarchy_line(&line_evidence, &m, &o) == SERVET_ESTOPPED, "lines too");
    left = 60;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) >= 0 && tlb_evidence.stopped && tlb_evidence.count > 0
           && tlb_evidence.count < 40, "stopped later: what is known stays (%d points)", tlb_evidence.count);
    o.stop = NULL;
    o.progress = progress;
    o.budget_s = 0.05;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) >= 0 && tlb_evidence.seconds < 0.2,
           "ends at its budget (%.3f s)", tlb_evidence.seconds);
    TAP_OK(last_share > 0.5 && last_share <= 1, "progress is told (%.2f)", last_share);
    m.bytes = 4096 * 8;
    TAP_OK(servet_hierarchy_tlb(&tlb_evidence, &m, &o) == SERVET_EUNSUPPORTED, "too little memory");
    m = sim_machine(&s);
    m.track = NULL;
    TAP_OK(servet_hierarchy_line(&line_evidence, &m, NULL) == SERVET_EUNSUPPORTED
           && servet_hierarchy_tlb(&tlb_evidence, &m, NULL) == SERVET_EUNSUPPORTED, "no tracks");
    sim_close(&s);
    TAP_OK(strcmp(servet_fit_backing_text(99), "unknown") == 0 && strcmp(servet_fit_backing_text(1), "unknown") != 0,
           "words for backing");
}

int main(void)
{
    evidence();
    ends();
    lines();
    arguments();
#if defined(__SANITIZE_ADDRESS__)
    (void)large_pages;
    (void)rates;
    TAP_SKIP(8, "rates take too long with sanitizers");
#else
    large_pages();
    rates();
#endif
    return tap_done();
}

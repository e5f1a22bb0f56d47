/* chase_cycles.c - every chase is one cycle through exactly the elements asked for, in the order asked for
 *
 * The cycle is followed here by hand and each element ticked off; the header's own check is tested, not used. */
#include "../servet.h"
#include "private.h"
#include "tap.h"

enum { BYTES = 1 << 22, MOST = 4200 };

static union { void *align; char byte[BYTES]; } memory;
static uint32_t order[BYTES / 8];
static unsigned char seen[BYTES / 8], found_group[MOST];

static const char *at(const servet_chase *c,
    size_t i) { return memory.byte + (size_t)order[i] * (size_t)c->opts.line_bytes; }

/* What is wrong with a cycle over n elements on these pages (NULL: 0, 1, ..); NULL if nothing. */
static const char *wrong(const servet_chase *c, const uint32_t *page, size_t n)
{
    const servet_chase_opts *o = &c->opts;
    const size_t line = (size_t)o->line_bytes, per_page = (size_t)o->lines_per_page,
        page_lines = (size_t)o->page_bytes / line;
    const size_t pages = (n + per_page - 1) / per_page;
    const char *p = (const char *)c->entry[0];
    size_t i, k, gap, chain = 0, last_entry = 0, group = MOST, groups = 0;
    static unsigned char want[BYTES / 8];
    if (c->n != n) return "n";
    if (servet__chase_pages(n, o) != pages) return "pages";
    memset(seen, 0, sizeof seen);
    memset(want, 0, sizeof want);
    memset(found_group, 0, sizeof found_group);
    for (i = 0; i < n; i++) {    /* the places there must be: so many a page, spread evenly over it */
        const size_t number = page ? page[i / per_page] : i / per_page;
        want[number * page_lines + i % per_page * page_lines / per_page] = 1;
    }
    for (i = 0; i < n; i++) {
        const size_t place = (size_t)(p - memory.byte) / line, number = place / page_lines;
        if (p < memory.byte || p >= memory.byte + BYTES || (size_t)(p - memory.byte) % line) return "an address";
        if (seen[place]++) return "an element twice";
        if (!want[place]) return "a place";
        if (order[i] != place) return "order";
        if (p != at(c, i)) return "order";
        if (chain < (size_t)c->chains && p == (const char *)c->entry[chain]) {
            gap = i - last_entry;
            if (chain > 0 && (gap < n / (size_t)c->chains || gap > n / (size_t)c->chains + 1))
                return "entries not evenly spread";
            last_entry = i;
            chain++;
        }
        if (o->pattern == SERVET_CHASE_STRIDE && !page && i > 0 && order[i] <= order[i - 1]) return "not ascending";
        if (o->pattern != SERVET_CHASE_RANDOM) {    /* which page of the list, and of which group */
            for (k = 0; page && k < pages && page[k] != number; k++) { }
            k = (page ? k : number) / (size_t)(o->pattern == SERVET_CHASE_STRIDE ? 1 : o->group_pages);
            if (k != group) {
                if (found_group[k]++) return "a group left and visited again";
                if (page && groups != k) return "groups not in the order of the list";
                group = k;
                groups++;
            }
        }
        p = *(const char *const *)(const void *)p;
    }
    if (p != (const char *)c->entry[0]) return "not closed";
    if (chain != (size_t)c->chains) return "entries";
    gap = n - last_entry;
    if (c->chains > 1 && (gap < n / (size_t)c->chains || gap > n / (size_t)c->chains + 1))
        return "entries not evenly spread";
    return NULL;
}

/* Distinct page numbers below most. */
static void draw_pages(uint32_t *page, size_t n, size_t most, uint64_t *seed)
{
    size_t i;
    for (i = 0; i < most; i++) order[i] = (uint32_t)i;
    servet__shuffle(order, most, seed);
    for (i = 0; i < n; i++) page[i] = order[i];
}

static void test_build(void)
{
    static const int lines[] = { 0, 8, 64, 128 }, page_bytes[] = { 0, 512, 1024, 4096 }, groups[] = { 0, 1, 2, 5, 64 };
    static const char *const name[] = { "compact", "random", "stride" };
    static uint32_t page[MOST];
    uint64_t seed = 1;
    size_t n;
    int turn, pattern, built[3] = { 0, 0, 0 }, bad[3] = { 0, 0, 0 }, unverified = 0;
    for (n = 1; n <= MOST; n += n < 200 ? 1 : 999) {
        for (turn = 0; turn < 24; turn++) {
            servet_chase_opts o;
            servet_chase c;
            size_t pages;
            const char *why;
            memset(&o, 0, sizeof o);
            pattern = o.pattern = turn % 3;
            o.line_bytes = lines[servet_stats_random_below(&seed, 4)];
            o.page_bytes = page_bytes[servet_stats_random_below(&seed, 4)];
            o.group_pages = groups[servet_stats_random_below(&seed, 5)];
            o.lines_per_page = (int)servet_stats_random_below(&seed, 5);
            o.chains = (int)servet_stats_random_below(&seed, (n < 64 ? n : 64) + 1);
            o.seed = servet_stats_random(&seed);
            pages = servet__chase_pages(n, &o);
            if (pages * (size_t)(o.page_bytes ? o.page_bytes : 4096) > BYTES) continue;
            if (turn & 1) draw_pages(page, pages, BYTES / (o.page_bytes ? (size_t)o.page_bytes : 4096), &seed);
            memset(memory.byte, 0, sizeof memory.byte);
            if (servet_chase_build(&c, memory.byte, turn & 1 ? page : NULL, n, order, &o) != SERVET_OK) why = "refused";
            else why = wrong(&c, turn & 1 ? page : NULL, n);
            if (why) {
                if (!bad[pattern]++) TAP_DIAG("%s, n %lu, %d chains, %d lines a page, groups of %d: %s", name[pattern],
                                              (unsigned long)n, o.chains, o.lines_per_page, o.group_pages, why);
            } else if (servet_chase_verify(&c, memory.byte, BYTES) != SERVET_OK) {
                unverified++;
            }
            built[pattern]++;
        }
    }
    for (pattern = 0; pattern < 3; pattern++)
        TAP_OK(bad[pattern] == 0 && built[pattern] > 1000,
               "%s: %d chases of 1 to 200 elements, and some large, are one cycle each (%d are not)",
               name[pattern], built[pattern], bad[pattern]);
    TAP_OK(unverified == 0, "and all of them are verified");
}

static void test_chains(void)
{
    servet_chase_opts o;
    servet_chase c;
    size_t n;
    int bad = 0, refused = 0;
    memset(&o, 0, sizeof o);
    for (o.chains = 1; o.chains <= 64; o.chains++) {
        for (n = 1; n <= 130; n++) {
            const int status = servet_chase_build(&c, memory.byte, NULL, n, order, &o);
            const char *why = status < 0 ? NULL : wrong(&c, NULL, n);
            if ((n < (size_t)o.chains) != (status == SERVET_EINVAL)) refused++;
            if (why && !bad++) TAP_DIAG("%d chains on %lu elements: %s", o.chains, (unsigned long)n, why);
        }
    }
    TAP_OK(bad == 0, "1 to 64 chains enter 1 to 130 elements evenly: gaps differ by one at most (%d do not)", bad);
    TAP_OK(refused == 0, "more chains than elements are refused, and only those");
}

/* ---- randomness ------------------------------------------------------------------------------ */

/* A number for the cycle through 5 elements, from element 0 on: 0 to 119, of which 24 can be. */
static int cycle_of(const servet_chase *c)
{
    const char *p = memory.byte;
    int i, number = 0;
    for (i = 0; i < 4; i++) {
        p = *(const char *const *)(const void *)p;
        number = number * 5 + (int)((p - memory.byte) / (c->opts.lines_per_page == 1 ? c->opts.page_bytes
            : c->opts.line_bytes));
    }
    return number;
}

static void test_uniform(int pattern, int lines_per_page, int group_pages, const char *what)
{
    enum { SEEDS = 24000 };
    static int count[625];
    servet_chase_opts o;
    servet_chase c;
    double sum = 0;
    int i, kinds = 0;
    memset(&o, 0, sizeof o);
    memset(count, 0, sizeof count);
    o.pattern = pattern;
    o.lines_per_page = lines_per_page;
    o.group_pages = group_pages;
    for (o.seed = 0; o.seed < SEEDS; o.seed++) {
        if (servet_chase_build(&c, memory.byte, NULL, 5, order, &o) < 0) break;
        count[cycle_of(&c)]++;
    }
    for (i = 0; i < 625; i++) {
        if (!count[i]) continue;
        kinds++;
        sum += (count[i] - SEEDS / 24.0) * (count[i] - SEEDS / 24.0) / (SEEDS / 24.0);
    }
    TAP_OK(kinds == 24 && sum < 23 + 5 * sqrt(2.0 * 23),
           "%s: the 24 cycles of 5 elements are equally likely (chi-square %.0f for 23)", what, sum);
}

static void test_seeds(void)
{
    static uint32_t first[1000];
    servet_chase_opts o;
    servet_chase c;
    int pattern, same = 0, other = 0;
    size_t i, alike;
    memset(&o, 0, sizeof o);
    o.group_pages = 2;
    for (pattern = 0; pattern <= 2; pattern++) {
        o.pattern = pattern;
        o.seed = 42;
        servet_chase_build(&c, memory.byte, NULL, 1000, first, &o);
        servet_chase_build(&c, memory.byte, NULL, 1000, order, &o);
        same += !memcmp(first, order, sizeof first);
        o.seed = 43;
        servet_chase_build(&c, memory.byte, NULL, 1000, order, &o);
        for (i = alike = 0; i < 1000; i++) alike += first[i] == order[i];
        other += alike < 50;
    }
    TAP_OK(same == 3, "equal seeds give equal orders");
    TAP_OK(other == 2 && alike == 1000, "others give others, but for ascending addresses");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const struct { int pattern, line_bytes, page_bytes, group_pages, lines_per_page, chains; } bad[] = {
        { 4, 0, 0, 0, 0, 0 },     { -1, 0, 0, 0, 0, 0 },  { 0, 4, 0, 0, 0, 0 },     { 0, -64, 0, 0, 0, 0 },
            { 0, 68, 4096, 0, 0, 0 },
        { 0, 96, 4096, 0, 0, 0 }, { 0, 0, 100, 0, 0, 0 }, { 0, 0, -4096, 0, 0, 0 }, { 0, 8192, 0, 0, 0, 0 },
            { 0, 64, 32, 0, 0, 0 },
        { 0, 0, 4, 0, 0, 0 },     { 0, 0, 0, -1, 0, 0 },  { 0, 0, 0, 0, -1, 0 },    { 0, 64, 4096, 0, 65, 0 },
            { 0, 0, 0, 0, 0, -1 },
        { 0, 0, 0, 0, 0, 65 },    { 0, 12, 4092, 0, 0, 0 }, { 0, -2147483647, -2147483647, 0, 0, 0 },
            { 3, (int)sizeof(void *), 4096, 0, 0, 0 }, { 3, 0, 0, 0, 0, 2 }
    };
    static uint32_t places[100], mark[100];
    static char marked[8192];
    const int count = (int)(sizeof bad / sizeof *bad);
    servet_chase c, same;
    servet_chase_opts o;
    int i, refused = 0, pages = 0;
    memset(&c, 0x5a, sizeof c);
    memset(&same, 0x5a, sizeof same);
    memset(places, 0x5a, sizeof places);
    memset(mark, 0x5a, sizeof mark);
    memset(memory.byte, 0x5a, sizeof marked);
    memset(marked, 0x5a, sizeof marked);
    for (i = 0; i < count; i++) {
        memset(&o, 0, sizeof o);
        o.pattern = bad[i].pattern;
        o.line_bytes = bad[i].line_bytes;
        o.page_bytes = bad[i].page_bytes;
        o.group_pages = bad[i].group_pages;
        o.lines_per_page = bad[i].lines_per_page;
        o.chains = bad[i].chains;
        refused += servet_chase_build(&c, memory.byte, NULL, 100, places, &o) == SERVET_EINVAL;
        pages += servet__chase_pages(100, &o) == 0;
    }
    TAP_OK(refused == count && pages == count, "%d kinds of options out of range are refused (%d, %d)", count, refused,
           pages);
    TAP_OK(servet_chase_build(NULL, memory.byte, NULL, 100, places, NULL) == SERVET_EINVAL
           && servet_chase_build(&c, NULL, NULL, 100, places, NULL) == SERVET_EINVAL
           && servet_chase_build(&c, memory.byte, NULL, 100, NULL, NULL) == SERVET_EINVAL
           && servet_chase_build(&c, memory.byte, NULL, 0, places, NULL) == SERVET_EINVAL
           && servet_chase_build(&c, memory.byte, NULL, SIZE_MAX, places, NULL) == SERVET_EINVAL,
               "so are nothing to write to, and no or too many elements");
    memset(&o, 0, sizeof o);
    o.chains = 64;
    TAP_OK(servet_chase_build(&c, memory.byte, NULL, 63, places, &o) == SERVET_EINVAL, "and 64 chains on 63 elements");
    TAP_OK(!memcmp(&c, &same, sizeof c) && !memcmp(places, mark, sizeof mark)
           && !memcmp(memory.byte, marked, sizeof marked), "nothing is written then");
    TAP_OK(servet__chase_pages(0, NULL) == 0 && servet__chase_pages(1, NULL) == 1
           && servet__chase_pages(64 * 4096 / 64, NULL) >= 64,
           "pages needed: none for none, one for one");
}

static void set_next(const servet_chase *c, size_t i, const void *to)
{
    const void **p = (const void **)(void *)(memory.byte + (size_t)order[i] * (size_t)c->opts.line_bytes);
    *p = to;
}

static void test_verify(void)
{
    servet_chase c, d;
    servet_chase_opts o;
    int i, caught = 0;
    memset(&o, 0, sizeof o);
    o.chains = 4;
    for (i = 0; i < 9; i++) {
        if (servet_chase_build(&c, memory.byte, NULL, 100, order, &o) < 0) break;
        switch (i) {
        case 0: set_next(&c, 50, at(&c, 50)); break;                   /* one that points to itself  */
        case 1: set_next(&c, 10, at(&c, 12)); break;                   /* a cycle of 99              */
        case 2: set_next(&c, 99, at(&c, 1)); break;                    /* never back to the start    */
        case 3: set_next(&c, 20, at(&c, 71)); set_next(&c, 70, at(&c, 21)); break;    /* cut in two   */
        case 4: set_next(&c, 30, memory.byte + BYTES); break;          /* outside                    */
        case 5: set_next(&c, 30, memory.byte + BYTES - 4); break;      /* half outside               */
        case 6: set_next(&c, 30, (void *)((uintptr_t)memory.byte - 64)); break;
        case 7: set_next(&c, 30, NULL); break;
        default: set_next(&c, 99, memory.byte + 100 * 64); *(void **)(void *)(memory.byte + 100 * 64) = c.entry[0];
        /* 101 */
        }
        caught += servet_chase_verify(&c, memory.byte, BYTES) == SERVET_EINVAL;
    }
    TAP_OK(caught == 9, "nine kinds of broken cycles are noticed (%d)", caught);
    caught = 0;
    servet_chase_build(&c, memory.byte, NULL, 100, order, &o);
    TAP_OK(servet_chase_verify(&c, memory.byte, 100 * 64) == SERVET_OK
           && servet_chase_verify(&c, memory.byte, 100 * 64 - 57) == SERVET_EINVAL,
           "a sound one needs its memory to the last pointer");
    o.chains = 1;
    servet_chase_build(&d, memory.byte, NULL, 100, order, &o);
    set_next(&d, 49, d.entry[0]);
    TAP_OK(servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL, "half of a cycle walked twice is none");
    o.chains = 4;
    servet_chase_build(&c, memory.byte, NULL, 100, order, &o);
    d = c; d.n = 99; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.n = 101; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.n = 0; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.n = 200; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.chains = 0; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.entry[2] = d.entry[1]; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    d = c; d.entry[1] = *(void **)d.entry[1]; caught += servet_chase_verify(&d, memory.byte, BYTES) == SERVET_EINVAL;
    TAP_OK(caught == 7, "so are a wrong count and entries that are not evenly spread (%d)", caught);
    o.chains = 64;
    servet_chase_build(&c, memory.byte, NULL, 64, order, &o);
    c.chains = 65;
    TAP_OK(servet_chase_verify(&c, memory.byte, BYTES) == SERVET_EINVAL, "and more chains than a chase has room for");
    TAP_OK(servet_chase_verify(NULL, memory.byte, BYTES) == SERVET_EINVAL
           && servet_chase_verify(&c, NULL, BYTES) == SERVET_EINVAL
           && servet_chase_verify(&c, memory.byte, 4) == SERVET_EINVAL, "and nothing at all");
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void test_walk(void)
{
    static const size_t sizes[] = { 1, 2, 5, 16, 17, 100, 1000 };
    servet_chase_opts o;
    servet_chase c;
    size_t i, n, steps;
    int k, bad = 0, many = 0;
    memset(&o, 0, sizeof o);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        n = sizes[i];
        servet_chase_build(&c, memory.byte, NULL, n, order, &o);
        for (steps = 0; steps <= 70; steps++) bad += servet__walk(c.entry[0], steps) != at(&c, steps % n);
        bad += servet__walk(c.entry[0], n) != c.entry[0] || servet__walk(c.entry[0], 1000 * n) != c.entry[0];
        bad += servet__walk(c.entry[0], 12345) != at(&c, 12345 % n);
    }
    TAP_OK(bad == 0, "k steps end at the k-th element, n steps and their multiples at the start");
    for (k = 1; k <= 64; k++) {
        o.chains = k;
        servet_chase_build(&c, memory.byte, NULL, 200, order, &o);
        for (steps = 0; steps <= 40; steps += 1 + steps / 4) {
            void *entry[SERVET_CHAINS_MAX];
            int j;
            memcpy(entry, c.entry, sizeof entry);
            servet_chase_walk_many(entry, k, steps);
            for (j = 0; j < k; j++) many += entry[j] != servet__walk(c.entry[j], steps);
            for (; j < SERVET_CHAINS_MAX; j++) many += entry[j] != c.entry[j];
        }
    }
    TAP_OK(many == 0, "1 to 64 chains walked together end where each ends alone");
}

int main(void)
{
    test_build();
    test_chains();
    test_uniform(SERVET_CHASE_RANDOM, 0, 0, "random");
    test_uniform(SERVET_CHASE_COMPACT, 0, 0, "compact");
    test_uniform(SERVET_CHASE_COMPACT, 1, 1, "compact, groups of one");
    test_seeds();
    test_refused();
    test_verify();
    test_walk();
    return tap_done();
}

/* ask_answers.c - the questions of programs: what to count on, by what was measured and what the system claims */
#include "servet.h"
#include "private.h"
#include "tap.h"
#include "../examples/hwloc.h"

#define HELD_LEAST 0.9    /* of what was held, for sure */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024.0
#define MIB 1048576.0

static servet_profile p;
static servet_question q;
static servet_answer a;

static void level(int at, double bytes, double lo, double hi, int method)
{
    servet_cache *c = &p.cache[at - 1];
    int k;
    memset(c, 0, sizeof *c);
    c->bytes = c->usual_bytes = bytes;
    c->lo_bytes = lo;
    c->hi_bytes = hi;
    c->method = method;
    c->effective = method != SERVET_BY_COUNT;
    for (k = 0; k < SERVET_REPORT_SOURCES; k++) c->system_bytes[k] = -1;
    if (p.cache_count < at) p.cache_count = at;
}

static void claim(int at, double bytes, int verdict, int shared_cpus)
{
    servet_report *r = &p.host.report[p.host.report_count++];
    r->source = SERVET_REPORT_SYSFS;
    r->level = at;
    r->bytes = bytes;
    r->shared_cpus = shared_cpus;
    if (at > p.cache_count) return;
    p.cache[at - 1].system_bytes[SERVET_REPORT_SYSFS] = bytes;
    p.cache[at - 1].system_verdict[SERVET_REPORT_SYSFS] = verdict;
}

static int ask(int what, int at, int busy)
{
    q.what = what;
    q.level = at;
    q.busy = busy;
    return servet_ask(&a, &p, &q);
}

static int is(double value, int source, int claimed)
{
    return a.value == value && a.source == source && a.claim == claimed;
}

static void test_bytes(void)
{
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    p.host.cpu_count = 8;
    level(1, 48 * KIB, 48 * KIB, 48 * KIB, SERVET_BY_COUNT);
    level(2, 2 * MIB, 1.9 * MIB, 2.1 * MIB, SERVET_BY_COUNT);
    level(3, 5 * MIB, 3 * MIB, 9 * MIB, SERVET_BY_HELD);
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(48 * KIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_NONE), "counted");
    TAP_OK(ask(SERVET_ASK_BYTES, 0, 0) == 0 && a.value == 2 * MIB, "without a level: the second");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(3 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_NONE)
           && a.lo == 3 * MIB && a.hi == 9 * MIB, "held, and no claim: the lower end");
    claim(1, 64 * KIB, SERVET_VERDICT_OS_WRONG, 1);
    claim(3, 260 * MIB, SERVET_VERDICT_SHARED_LESS, 4);
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(48 * KIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_REFUTED),
           "counted, and the claim is false");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(3 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_REFUTED),
           "held, and the claim is the host's: the lower end");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 1) == 0 && a.value == 0.75 * MIB, "with all four at work: a quarter");
    p.host.report_count = 0;
    claim(3, 8 * MIB, SERVET_VERDICT_AGREE, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(8 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_CONFIRMED),
           "held, and the claim agrees: the claim");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 1) == 0 && a.value == 8 * MIB, "so with all at work");
    p.cache[2].usual_bytes = 3.9 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 1) == 0 && is(3 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_CONFIRMED)
           && ask(SERVET_ASK_BYTES, 3, 0) == 0 && a.value == 8 * MIB,
           "unless others mostly leave less than half of it: the lower end");
    p.cache[2].usual_bytes = 5 * MIB;
    TAP_OK(servet__profile_against(&p, 3, HELD_LEAST * p.cache[2].bytes - 1.9 * MIB) == SERVET_VERDICT_AGREE
           && servet__profile_against(&p, 3, HELD_LEAST * p.cache[2].bytes - 2.1 * MIB) == SERVET_VERDICT_OS_WRONG,
           "of what was held the second level may hold its 2 MiB alone, and no more");
    p.now_bytes = 1 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(1 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_REFUTED)
           && a.hi == 9 * MIB, "but that is not what a load could have");
    p.claims = 3;
    p.claim[2] = SERVET_CLAIM_CONFIRMED;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && a.value == 1 * MIB, "whatever was confirmed");
    p.claims = p.claim[2] = 0;
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 2 * MIB, "which says nothing of the second");
    p.cache_count = 2;
    p.seen_bytes = 4 * MIB;
    p.now_bytes = 2 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(2 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_REFUTED)
           && a.hi == 8 * MIB, "of one that was only seen nothing but the second is left");
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 2 * MIB && a.claim == SERVET_CLAIM_NONE, "that is as it was");
    p.cache_count = 3;
    p.now_bytes = p.seen_bytes = 0;
    level(3, 5 * MIB, 3 * MIB, 40 * MIB, SERVET_BY_HELD);
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(3 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_UNTESTED),
           "an interval that holds twice the claim, too, tests nothing: the lower end");
    claim(3, 5.1 * MIB, SERVET_VERDICT_AGREE, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(5.1 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_CONFIRMED),
           "unless the claim is the estimate");
    level(3, 5 * MIB, 3 * MIB, 9 * MIB, SERVET_BY_HELD);
    claim(3, 8 * MIB, SERVET_VERDICT_AGREE, 1);
    claim(4, 64 * MIB, SERVET_VERDICT_UNMEASURED, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && is(64 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_UNTESTED),
           "not found, but claimed");
    claim(4, 768 * MIB, SERVET_VERDICT_UNMEASURED, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && is(64 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_UNTESTED),
           "another source claims more: the smaller");
    p.seen_bytes = 16 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && a.value == 64 * MIB, "and a quarter of it seen, without a hypervisor");
    strcpy(p.host.hypervisor, "KVMKVMKVM");
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && is(16 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_UNTESTED)
           && a.lo == 16 * MIB && a.hi == 64 * MIB, "in a guest: what was seen, to the claim perhaps");
    p.seen_bytes = 32 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && is(64 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_UNTESTED),
           "unless half of the claim was");
    p.seen_bytes = 0;
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == 0 && a.value == 64 * MIB, "or nothing was looked for");
    p.host.hypervisor[0] = 0;
    TAP_OK(ask(SERVET_ASK_BYTES, 5, 0) == SERVET_EUNRESOLVED, "neither found nor claimed");
    TAP_OK(servet_ask(&a, NULL, &q) == SERVET_EUNRESOLVED, "nor without a profile");
    q.level = 1;
    TAP_OK(servet_ask(&a, NULL, &q) == 0 && a.value == 32 * KIB && a.source == SERVET_SOURCE_DEFAULT,
           "without a profile a default");
    p.cache[1].unresolved = 1;
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 1.9 * MIB, "counted, but unresolved: the lower end");
    p.cache[1].unresolved = 0;
    p.cache[1].usual_bytes = 1.5 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 1.5 * MIB,
           "counted, and a part is mostly others': what is left");
    level(1, 40 * KIB, 40 * KIB, 50 * KIB, SERVET_BY_COUNT);
    p.cache[0].usual_bytes = 36 * KIB;
    p.host.report_count = 0;
    claim(1, 48 * KIB, SERVET_VERDICT_AGREE, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(36 * KIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_CONFIRMED),
           "a count that nobody disturbed stands whatever is claimed");
    p.cache[0].disturbed = 1;
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(48 * KIB, SERVET_SOURCE_OS, SERVET_CLAIM_CONFIRMED)
           && a.lo == 40 * KIB && a.hi == 50 * KIB, "beside others, who only evict: the claim in the interval");
    p.cache[0].bytes = 48 * KIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(48 * KIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_CONFIRMED),
           "which a run counted, too: measured");
    p.cache[0].bytes = 40 * KIB;
    p.cache[0].hi_bytes = 80 * KIB;
    claim(1, 80 * KIB, SERVET_VERDICT_AGREE, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && a.value == 36 * KIB,
           "not one of twice as much: its half is in the interval, too");
    p.cache[0].hi_bytes = 50 * KIB;
    claim(1, 39 * KIB, SERVET_VERDICT_AGREE, 1);
    p.cache[0].usual_bytes = 40 * KIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && is(40 * KIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_CONFIRMED),
           "nor a smaller one: the count was there");
    claim(1, 48 * KIB, SERVET_VERDICT_OS_WRONG, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 1, 0) == 0 && a.value == 40 * KIB, "nor one that was refuted");
}

/* Of many sizes: tiles fit and are whole lines, one line more does not fit; parts fit and half as many do not. */
static void test_fit(void)
{
    uint64_t seed = 7;
    int i, tiles = 0, parts = 0, n = 2000;
    for (i = 0; i < n; i++) {
        const double bytes = 16 * KIB * pow(2, 14 * servet_stats_random_unit(&seed)), room = 0.75 * bytes;
        double line, step, next;
        memset(&p, 0, sizeof p);
        memset(&q, 0, sizeof q);
        level(1, bytes, 0.9 * bytes, 1.1 * bytes, SERVET_BY_COUNT);
        p.line.line_bytes = 32 << servet_stats_random_below(&seed, 3);
        q.arrays = 1 + (int)servet_stats_random_below(&seed, 6);
        q.element_bytes = 1 << servet_stats_random_below(&seed, 5);
        q.bytes = bytes * pow(2, 20 * servet_stats_random_unit(&seed) - 4);
        if (ask(SERVET_ASK_TILE, 0, 0) < 0) continue;
        line = p.line.line_bytes / q.element_bytes;
        step = q.arrays * line * line * q.element_bytes > room ? 1 : line;      /* where a line is too long: elements */
        if (a.value >= 8 * line) step = 4 * line;
        next = a.value + step;
        tiles += q.arrays * a.value * a.value * q.element_bytes <= room
                 && q.arrays * next * next * q.element_bytes > room && fmod(a.value, step) == 0 && a.lo <= a.value
                 && a.value <= a.hi;
        if (ask(SERVET_ASK_PARTS, 0, 0) < 0) continue;
        parts += q.bytes / a.value <= room && (a.value == 1 || 2 * q.bytes / a.value > room)
                 && exp2(floor(log2(a.value) + 0.5)) == a.value && a.lo <= a.value && a.value <= a.hi;
    }
    TAP_OK(tiles == n, "tiles: %d of %d fit, in whole lines or four, and no larger ones do", tiles, n);
    TAP_OK(parts == n, "parts: %d of %d fit, and half as many do not", parts, n);
    memset(&q, 0, sizeof q);
    q.element_bytes = 1e6;
    q.arrays = 100;
    TAP_OK(ask(SERVET_ASK_TILE, 0, 0) == 0 && a.value == 1, "elements that do not fit: tiles of one");
}

static void test_others(void)
{
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    TAP_OK(ask(SERVET_ASK_LINE, 0, 0) == 0 && a.value == 64 && a.source == SERVET_SOURCE_DEFAULT, "a line by default");
    TAP_OK(ask(SERVET_ASK_FANOUT, 0, 0) == 0 && a.value == 384 && a.source == SERVET_SOURCE_DEFAULT,
           "fan-out by default: lines of 32 KiB");
    TAP_OK(ask(SERVET_ASK_STREAMING, 0, 0) == SERVET_EUNRESOLVED, "streaming stores: not known");
    TAP_OK(ask(SERVET_ASK_THREADS, 0, 0) == SERVET_EUNRESOLVED, "threads: not known");
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == SERVET_EUNRESOLVED, "who shares: not known");
    TAP_OK(ask(SERVET_ASK_DISTANCE, 0, 0) == SERVET_EUNRESOLVED, "distance: not known");
    p.line.line_bytes = 128;
    p.line.lo_bytes = p.line.hi_bytes = 128;
    p.tlb.small.count = 1;
    p.tlb.small.level[0].entries = p.tlb.small.level[0].lo_entries = p.tlb.small.level[0].hi_entries = 96;
    TAP_OK(ask(SERVET_ASK_LINE, 0, 0) == 0 && a.value == 128 && a.source == SERVET_SOURCE_MEASURED, "a line");
    TAP_OK(ask(SERVET_ASK_APART, 0, 0) == 0 && a.value == 128, "apart: a line");
    p.streaming_count = 2;
    p.streaming[0].cpus = 1;
    p.streaming[0].hi_bytes = 0;
    p.streaming[1].cpus = 4;
    p.streaming[1].bytes = p.streaming[1].lo_bytes = p.streaming[1].hi_bytes = MIB;
    TAP_OK(ask(SERVET_ASK_STREAMING, 0, 0) == 0 && isinf(a.value), "alone streaming stores never win");
    TAP_OK(ask(SERVET_ASK_STREAMING, 0, 1) == 0 && a.value == MIB, "with four from a MiB on");
    p.streaming[0].always = 1;
    TAP_OK(ask(SERVET_ASK_STREAMING, 0, 0) == 0 && a.value == 0, "or always");
    level(1, 48 * KIB, 48 * KIB, 48 * KIB, SERVET_BY_COUNT);
    level(2, 2 * MIB, 2 * MIB, 2 * MIB, SERVET_BY_COUNT);
    level(3, 8 * MIB, 6 * MIB, 9 * MIB, SERVET_BY_HELD);
    p.cache[1].ways = 16;
    q.bytes = 256 * MIB;
    TAP_OK(ask(SERVET_ASK_PARTS, 2, 0) == 0 && a.value == 256, "parts that stay in the second level");
    TAP_OK(ask(SERVET_ASK_FANOUT, 0, 0) == 0 && a.value == 288 && a.lo == 288 && a.hi == 288
           && a.source == SERVET_SOURCE_MEASURED, "fan-out: three quarters of the first level's lines (%.0f)", a.value);
    q.bytes = 1024 * MIB;
    TAP_OK(ask(SERVET_ASK_PARTS, 2, 0) == 0 && a.value == 1024, "of four times the table four times as many");
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == 0 && a.value == 256, "of one pass: no more than the first level's 384 lines");
    q.bytes = 64 * MIB;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == 0 && a.value == 256 && ask(SERVET_ASK_PARTS, 2, 0) == 0 && a.value == 64,
           "of a smaller table as many: the first TLB has 96 pages, the level alone would take 64");
    p.tlb.small.count = 0;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == 0 && a.value == 64, "as where nothing is known of TLBs");
    p.tlb.small.count = 1;
    q.bytes = 1024 * MIB;
    p.cache[0].bytes = p.cache[0].lo_bytes = p.cache[0].hi_bytes = p.cache[0].usual_bytes = 64 * KIB;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == 0 && a.value == 512 && ask(SERVET_ASK_FANOUT, 0, 0) == 0 && a.value == 384,
           "as many as 512 lines, of which 384 are the fan-out");
    p.cache[0].bytes = p.cache[0].lo_bytes = p.cache[0].hi_bytes = p.cache[0].usual_bytes = 48 * KIB;
    p.tlb.small.count = 2;
    p.tlb.small.level[1].entries = p.tlb.small.level[1].lo_entries = p.tlb.small.level[1].hi_entries = 192;
    TAP_OK(ask(SERVET_ASK_FANOUT, 0, 0) == 0 && a.value == 192, "fan-out: no more than the second TLB has");
    q.bytes = 8192 * MIB;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == 0 && a.value == 2048, "but so many that they stay in the last level");
    q.bytes = 32768;    /* 4 sets of 16 ways: 64 lines, of which 3/4 */
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 48, "a column at rows of 32 KiB: what the sets hold");
    level(2, 2036 * KIB, 2036 * KIB, 2036 * KIB, SERVET_BY_COUNT);
    p.cache[1].ways = 16;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 48, "and the same where a few blocks were missed");
    q.bytes = 32832;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 128,
           "at rows of an odd number of lines: what the last TLB has");
    p.tlb.small.level[1].lo_entries = 134;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 128, "134 entries are 128 and those of stack, code, a row");
    p.tlb.small.level[1].lo_entries = 131;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 96, "131 are not: 64, and half as many again");
    p.line.line_bytes = 64;
    p.tlb.small.level[1].lo_entries = 2048;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 512, "all that the first level has, of enough");
    p.tlb.small.count = 0;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 512, "or where no TLB is known");
    /* 96 entries of 4 KiB an array: 64 rows, in 4 lines of 8 elements, as 96 rows of 768 bytes cross to 114 pages */
    p.tlb.small.count = 2;
    p.tlb.small.level[1].entries = p.tlb.small.level[1].lo_entries = p.tlb.small.level[1].hi_entries = 3 * 96;
    p.tlb.small.level[0].entries = p.tlb.small.level[0].lo_entries = 32;    /* less than any of these */
    q.bytes = 0;
    TAP_OK(ask(SERVET_ASK_TILE, 2, 0) == 0 && a.value == 224, "tiles whose rows follow each other: what the level has");
    q.bytes = 6144;
    TAP_OK(ask(SERVET_ASK_TILE, 2, 0) == 0 && a.value == 64, "at rows of 6 KiB: what the last TLB has");
    q.bytes = 2048;
    TAP_OK(ask(SERVET_ASK_TILE, 2, 0) == 0 && a.value == 192, "at rows of 2 KiB: two a page");
    p.tlb.large.count = 1;
    p.tlb.large.level[0].entries = p.tlb.large.level[0].lo_entries = p.tlb.large.level[0].hi_entries = 32;
    p.tlb.backing = SERVET_BACKING_WHOLE;
    q.bytes = 6144;
    TAP_OK(ask(SERVET_ASK_TILE, 2, 0) == 0 && a.value == 224, "on large pages: what the level has");
    q.bytes = 32832;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 512, "and of a column what the first level has");
    p.tlb.backing = SERVET_BACKING_SPLIT;
    p.tlb.small.count = 1;
    p.tlb.small.level[0].entries = p.tlb.small.level[0].lo_entries = 96;
    TAP_OK(ask(SERVET_ASK_COLUMN, 0, 0) == 0 && a.value == 64, "but not where the machine below splits them");
    q.bytes = -1;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == SERVET_EINVAL, "a table of less than nothing");
    q.bytes = NAN;
    TAP_OK(ask(SERVET_ASK_PARTS, 0, 0) == SERVET_EINVAL, "or of no number");
    q.bytes = 0;
    q.arrays = -1;
    TAP_OK(ask(SERVET_ASK_TILE, 0, 0) == SERVET_EINVAL, "arrays below 0");
    q.arrays = 0;
    TAP_OK(ask(SERVET_ASK_BYTES, SERVET_LEVELS_MAX + 1, 0) == SERVET_EINVAL, "a level that cannot be");
    TAP_OK(ask(SERVET_ASKED, 0, 0) == SERVET_EINVAL && servet_ask(NULL, &p, &q) == SERVET_EINVAL, "no such question");
}

/* Six CPUs of two memories; what is between them. */
static void test_cpus(void)
{
    static servet_cores cores;
    static servet_sharing sharing;
    static servet_contention contention;
    static servet_coherence coherence;
    int i;
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    p.line.line_bytes = 64;
    p.cores = &cores;
    p.sharing = &sharing;
    p.contention = &contention;
    p.coherence = &coherence;
    cores.count = sharing.cpus = contention.cpus = 6;
    for (i = 0; i < 6; i++) cores.cpu[i] = sharing.cpu[i] = contention.cpu[i] = 10 + i;
    i = SERVET_PAIRS_AT(1, 4);
    cores.ns[SERVET_HANDOFF_FLAGS][i] = 50;
    cores.doubt_permille[SERVET_HANDOFF_FLAGS][i] = 100;
    cores.state[i] = SERVET_CORES_SOUND;
    q.cpu = 14;
    q.cpu_2 = 11;
    TAP_OK(ask(SERVET_ASK_DISTANCE, 0, 0) == 0 && a.value == 50 && fabs(a.lo - 50 / 1.1) < 1e-9
           && fabs(a.hi - 55) < 1e-9, "a distance, within its doubt");
    cores.state[i] = SERVET_CORES_CONTAMINATED;
    TAP_OK(ask(SERVET_ASK_DISTANCE, 0, 0) == SERVET_EUNRESOLVED, "none of a pair that is contaminated");
    q.cpu_2 = 14;
    TAP_OK(ask(SERVET_ASK_DISTANCE, 0, 0) == SERVET_EUNRESOLVED, "nor of a CPU from itself");
    q.cpu_2 = 3;
    TAP_OK(ask(SERVET_ASK_DISTANCE, 0, 0) == SERVET_EUNRESOLVED, "nor of a CPU that was not measured");
    sharing.count = 1;
    sharing.level[0].level = 2;
    sharing.level[0].groups = 2;
    for (i = 0; i < 6; i++) sharing.level[0].group[i] = (int16_t)(i / 3);
    q.cpu_2 = 13;
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == 0 && a.value == 1, "two CPUs share a level");
    q.cpu_2 = 11;
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == 0 && a.value == 0 && a.lo == 0 && a.hi == 0, "two do not");
    cores.moved = 1;
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == 0 && a.value == 0 && a.lo == 0 && a.hi == 1, "unless their host moves them");
    cores.moved = 0;
    p.made.moves = 1;
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == 0 && a.value == 0 && a.lo == 0 && a.hi == 1, "nor where a load saw that");
    p.made.moves = 0;
    sharing.level[0].group[4] = -1;
    TAP_OK(ask(SERVET_ASK_SHARED, 2, 0) == SERVET_EUNRESOLVED, "and of one it is not known");
    level(1, 32 * KIB, 32 * KIB, 32 * KIB, SERVET_BY_COUNT);
    level(2, 3 * MIB, 3 * MIB, 3 * MIB, SERVET_BY_COUNT);
    p.host.cpu_count = 6;
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 1) == 0 && a.value == MIB, "three share it: a third each");
    contention.layers = 2;
    contention.domains = 2;
    contention.scalings = 2;
    for (i = 0; i < 6; i++) contention.group[1][i] = (int16_t)(i / 3);
    contention.domain[0].layer = 0;
    contention.domain[0].cpus = 6;
    contention.domain[0].parent = -1;
    contention.domain[1].layer = 1;
    contention.domain[1].group = 1;
    contention.domain[1].cpus = 3;
    contention.scaling[0].cpus = 6;
    contention.scaling[0].enough = contention.scaling[0].lo_enough = contention.scaling[0].hi_enough = 5;
    contention.scaling[1].domain = 1;
    contention.scaling[1].cpus = 3;
    contention.scaling[1].enough = contention.scaling[1].lo_enough = 1;
    contention.scaling[1].hi_enough = 2;
    TAP_OK(ask(SERVET_ASK_THREADS, 0, 0) == 0 && a.value == 2 && a.lo == 1 && a.hi == 2,
           "threads of the smallest domain that the CPU is in; in doubt the more");
    q.cpu = 11;
    TAP_OK(ask(SERVET_ASK_THREADS, 0, 0) == 0 && a.value == 5, "of a CPU that is not in that one: of the larger");
    q.cpu = 2;
    TAP_OK(ask(SERVET_ASK_THREADS, 0, 0) == SERVET_EUNRESOLVED, "of a CPU that is in none");
    TAP_OK(ask(SERVET_ASK_APART, 0, 0) == 0 && a.value == 64, "apart, where nothing is known between CPUs: a line");
    coherence.blocks = 1;
    coherence.block[0].bytes = 128;
    TAP_OK(ask(SERVET_ASK_APART, 0, 0) == 0 && a.value == 128 && a.source == SERVET_SOURCE_MEASURED, "a block");
    coherence.destructive.bytes = coherence.destructive.lo_bytes = 256;
    coherence.destructive.hi_bytes = 512;
    TAP_OK(ask(SERVET_ASK_APART, 0, 0) == 0 && a.value == 256 && a.lo == 256 && a.hi == 512,
           "the destructive size, with its interval");
}

/* A short busy run counted the first level, and missed the second before it held a part of the third. */
static void test_missed(void)
{
    static servet_sharing sharing;
    static servet_finding found[SERVET_FINDINGS_MAX];
    int i, n, wrong = 0;
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    memset(&sharing, 0, sizeof sharing);
    p.host.cpu_count = 4;
    level(1, 48 * KIB, 48 * KIB, 48 * KIB, SERVET_BY_COUNT);
    level(2, 13 * MIB, 12 * MIB, 15 * MIB, SERVET_BY_HELD);
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 12 * MIB, "without a system what was held is the second");
    claim(1, 48 * KIB, SERVET_VERDICT_AGREE, 1);
    claim(2, 1 * MIB, SERVET_VERDICT_UNMEASURED, 1);
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 12 * MIB, "nor was one missed where the system has no third");
    claim(3, 508 * MIB, SERVET_VERDICT_UNMEASURED, 4);
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && is(1 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_UNTESTED),
           "a missed second level: the system's word");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(12 * MIB, SERVET_SOURCE_MEASURED, SERVET_CLAIM_REFUTED),
           "and the third: what was held");
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 1) == 0 && a.value == 3 * MIB && ask(SERVET_ASK_BYTES, 2, 1) == 0
           && a.value == 1 * MIB, "all four at work share the third alone");
    TAP_OK(ask(SERVET_ASK_BYTES, 4, 0) == SERVET_EUNRESOLVED, "there is no fourth");
    p.now_bytes = 2 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && a.value == 2 * MIB && ask(SERVET_ASK_BYTES, 2, 0) == 0
           && a.value == 1 * MIB, "what a load found is of the third, too");
    p.now_bytes = 0;
    for (i = 0; i < SERVET_REPORT_SOURCES; i++) wrong += servet__profile_verdict(&p, 2, i) != SERVET_VERDICT_UNMEASURED;
    TAP_OK(wrong == 0, "and nothing is said against the system's second level");
    p.sharing = &sharing;
    sharing.cpus = 4;
    sharing.count = 1;
    sharing.level[0].level = 2;
    sharing.level[0].groups = 1;
    for (i = 0; i < 4; i++) sharing.cpu[i] = i;
    q.cpu_2 = 1;
    TAP_OK(ask(SERVET_ASK_SHARED, 3, 0) == 0 && a.value == 1 && ask(SERVET_ASK_SHARED, 2, 0) == SERVET_EUNRESOLVED,
           "who shares what was held is known of the third");
    n = servet_profile_check(found, SERVET_FINDINGS_MAX, &p);
    for (i = wrong = 0; i < n; i++) wrong += found[i].what == SERVET_FINDING_SHARED && found[i].level == 2;
    TAP_OK(n > 0 && wrong == 0, "which does not contradict the system on the second");
    claim(2, 12.5 * MIB, SERVET_VERDICT_AGREE, 1);
    p.host.report[p.host.report_count - 1].source = SERVET_REPORT_CPUID;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && a.value == 508 * MIB, "none was missed where one source agrees");
    p.host.report_count--;
    p.cache[1].system_bytes[SERVET_REPORT_SYSFS] = 1 * MIB;
    p.cache[1].system_verdict[SERVET_REPORT_SYSFS] = SERVET_VERDICT_UNMEASURED;
    p.cache[0].latency_ns = 1.5;
    p.cache[1].latency_ns = 4.5;
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 1 * MIB, "as near as a second level are its lines in there");
    p.host.report[p.host.report_count - 1].bytes = 14 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && is(14 * MIB, SERVET_SOURCE_OS, SERVET_CLAIM_CONFIRMED),
           "a claim of the third that what was held agrees with is confirmed");
    claim(4, 64 * MIB, SERVET_VERDICT_UNMEASURED, 4);
    p.host.report[p.host.report_count - 2].bytes = 4 * MIB;
    TAP_OK(ask(SERVET_ASK_BYTES, 3, 0) == 0 && a.value == 4 * MIB && ask(SERVET_ASK_BYTES, 4, 0) == 0
           && a.value == 12 * MIB, "two may be missed");
}

/* A number of a text at random, or one after which an element of a list is gone, becomes one that makes no sense; of
 * several in a row.  0 = there is none behind where. */
static int garble(char *text, size_t size, uint64_t *seed)
{
    static const char *const odd[] = { "0", "-1", "1", "63", "1e300", "-1e300", "1e-300", "1e18", "1e9", "-2e9", "0.5",
                                       "null", "\"\"", "[]", "{}", "1e999" };
    const char *const to = odd[servet_stats_random_below(seed, sizeof odd / sizeof *odd)];
    const size_t n = strlen(text), more = strlen(to);
    char *at = text + servet_stats_random_below(seed, n), *end;
    at = strpbrk(at, "0123456789");
    if (!at || n + more >= size || (at > text && (at[-1] == '"' || at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z'))))
        return 0;
    while (at > text && strchr("-.e+0123456789", at[-1])) at--;
    end = at + strspn(at, "-.e+0123456789");
    memmove(at + more, end, strlen(end) + 1);
    memcpy(at, to, more);
    return 1;
}

/* Is it a number, above 0 where it must be, and inside its interval? */
static int sane(int what)
{
    const int none = what == SERVET_ASK_STREAMING || what == SERVET_ASK_SHARED;
    return a.lo <= a.value && a.value <= a.hi && (none ? a.lo >= 0 : a.lo > 0 && a.hi < HUGE_VAL)
        && a.source >= SERVET_SOURCE_DEFAULT && a.source <= SERVET_SOURCE_MEASURED && a.claim >= SERVET_CLAIM_NONE
        && a.claim <= SERVET_CLAIM_UNTESTED;
}

/* All questions, with arguments from one end to the other.  Returns how many answers are not sane. */
static int ask_all(const servet_profile *of)
{
    static const double bytes[] = { 0, 1e-300, 1, 64, 4096, 32832, 1e9, 0.99e18 };
    static const double element[] = { 0, 0.125, 1, 8, 64, 1e9 }, seconds[] = { 0, 1e-9, 1e-3, 1, 1e300, HUGE_VAL };
    static const int cpu[] = { 0, 1, -1, 2147483647, -2147483647 - 1 };
    int i, bad = 0;
    for (i = 0; i < 8 * 9 * SERVET_ASKED; i++) {
        memset(&q, 0, sizeof q);
        q.what = i % SERVET_ASKED;
        q.level = i / SERVET_ASKED % (SERVET_LEVELS_MAX + 1);
        q.busy = i / 3 % 2;
        q.arrays = i / 5 % 4 == 3 ? 2147483647 : i / 5 % 4;
        q.bytes = bytes[i / 7 % 8];
        q.element_bytes = element[i / 2 % 6];
        q.seconds = seconds[i / 11 % 6];
        q.cpu = cpu[i / 4 % 5];
        q.cpu_2 = cpu[i % 5];
        if (servet_ask(&a, of, &q) < 0 || sane(q.what)) continue;
        if (bad++ == 0)
            TAP_DIAG("question %d of level %d: %g [%g, %g]", q.what, q.level, a.value, a.lo, a.hi);
    }
    return bad;
}

/* A profile with all that answers go by. */
static void whole(void)
{
    int i, k;
    memset(&p, 0, sizeof p);
    p.cores = (servet_cores *)calloc(1, sizeof *p.cores);
    p.sharing = (servet_sharing *)calloc(1, sizeof *p.sharing);
    p.contention = (servet_contention *)calloc(1, sizeof *p.contention);
    p.coherence = (servet_coherence *)calloc(1, sizeof *p.coherence);
    if (!p.cores || !p.sharing || !p.contention || !p.coherence) abort();
    p.host.cpu_count = p.cores->count = p.sharing->cpus = p.contention->cpus = 4;
    p.host.page_bytes = 4096;
    p.host.huge_page_bytes = 2 * MIB;
    p.cores_with_siblings = -1;
    for (i = 0; i < 4; i++) p.cores->cpu[i] = p.sharing->cpu[i] = p.contention->cpu[i] = i;
    for (i = 0; i < 6; i++) {
        p.cores->ns[SERVET_HANDOFF_FLAGS][i] = 50;
        p.cores->state[i] = SERVET_CORES_SOUND;
    }
    level(1, 48 * KIB, 48 * KIB, 48 * KIB, SERVET_BY_COUNT);
    level(2, 2 * MIB, 1.9 * MIB, 2.1 * MIB, SERVET_BY_COUNT);
    level(3, 13 * MIB, 9 * MIB, 15 * MIB, SERVET_BY_HELD);
    p.cache[1].ways = 16;
    for (i = 1; i <= 4; i++) claim(i, exp2(13 + 3 * i), SERVET_VERDICT_AGREE, i);
    for (p.claims = 3, i = 0; i < 3; i++) p.claim[i] = i + 1;
    p.seen_bytes = 4 * MIB;
    p.line.line_bytes = p.line.lo_bytes = p.line.hi_bytes = 64;
    p.tlb.backing = SERVET_BACKING_WHOLE;
    p.tlb.small.count = p.tlb.large.count = 2;
    for (i = 0; i < 2; i++) {
        servet_tlb_level *s = &p.tlb.small.level[i], *l = &p.tlb.large.level[i];
        s->entries = s->lo_entries = s->hi_entries = 64 << 4 * i;
        l->entries = l->lo_entries = l->hi_entries = 32;
    }
    p.streaming_count = p.survival_count = 2;
    for (i = 0; i < 2; i++) {
        p.streaming[i].cpus = 1 + 3 * i;
        p.streaming[i].bytes = p.streaming[i].lo_bytes = p.streaming[i].hi_bytes = MIB;
        p.survival[i].bytes = (1 + i) * MIB;
        for (p.survival[i].waits = 3, k = 0; k < 3; k++) {
            p.survival[i].age_ns[k] = exp2(10 + 4 * k);
            p.survival[i].frac[k] = p.survival[i].busy_frac[k] = p.survival[i].quiet_frac[k] = 1 - 0.2 * k - 0.1 * i;
        }
    }
    p.sharing->count = 2;
    for (i = 0; i < 2; i++) {
        p.sharing->level[i].level = 2 + i;
        for (k = 0; k < 4; k++) p.sharing->level[i].group[k] = (int16_t)(k >> i);
        p.sharing->level[i].groups = 4 >> i;
    }
    p.contention->layers = p.contention->domains = p.contention->scalings = 1;
    p.contention->domain[0].cpus = 4;
    p.contention->domain[0].parent = -1;
    p.contention->scaling[0].cpus = 4;
    p.contention->scaling[0].enough = p.contention->scaling[0].lo_enough = p.contention->scaling[0].hi_enough = 3;
    p.coherence->blocks = 1;
    p.coherence->block[0].bytes = 128;
    p.coherence->destructive.bytes = p.coherence->destructive.lo_bytes = p.coherence->destructive.hi_bytes = 128;
    p.coherence->destructive.count = 1;
}

/* Profiles as users edit them and disks garble them: one to some of the numbers make no sense. */
static void test_garbled(void)
{
    enum { TEXT = 1 << 16 };
    static char text[TEXT], odd[TEXT];
    static servet_finding found[SERVET_FINDINGS_MAX];
    static servet_mapping map;
    uint64_t seed = 11;
    int i, k, bad = 0, read = 0, nans = 0, harm = 0;
    whole();
    TAP_OK(servet_profile_write(&p, text, sizeof text) < TEXT && ask_all(&p) == 0 && ask_all(NULL) == 0,
           "all questions, of a profile and of none: above 0 and finite, inside their intervals");
    servet_profile_free(&p);
    for (i = 0; i < 3000; i++) {
        memcpy(odd, text, sizeof odd);
        for (k = 1 + (int)servet_stats_random_below(&seed, i % 2 ? 3 : 60); k > 0; k--) garble(odd, sizeof odd, &seed);
        if (servet_profile_parse(&p, odd, strlen(odd), NULL) < 0) continue;
        read++;
        bad += ask_all(&p) > 0;
        if (servet_mapping_cores(&map, &p, 1 + i % 5, i % 2) >= 0)
            servet_mapping_write(&map, &p, i % 6, odd, sizeof odd);
        k = hwloc_xml(&p, odd, sizeof odd, NULL);
        harm += k >= (int)sizeof odd || strstr(odd, "nan") || strstr(odd, "inf\"");
        k = servet_profile_check(found, SERVET_FINDINGS_MAX, &p);
        while (--k >= 0) nans += !(found[k].lo <= found[k].hi || found[k].lo > found[k].hi);
        servet_profile_free(&p);
    }
    TAP_OK(read > 2000 && bad == 0, "and of %d profiles with numbers that make no sense: %d have others", read, bad);
    TAP_OK(nans == 0, "findings about them are numbers");
    TAP_OK(harm == 0, "so are those in trees for hwloc, and mappings end");
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    for (i = bad = 0; i < 6; i++) {
        static const double none[] = { 0, NAN, HUGE_VAL, -1, 1e300, 1 };
        servet_answer usual;
        level(1, none[i], none[i], none[i], SERVET_BY_COUNT);
        level(2, none[i], none[i], none[i], SERVET_BY_HELD);
        p.cache[0].ways = p.cache[1].ways = i - 3;
        p.line.line_bytes = i - 5;
        p.now_bytes = p.seen_bytes = none[i];
        claim(2, none[i], SERVET_VERDICT_AGREE, -1);
        for (q.what = 0; q.what < SERVET_ASKED; q.what++) {
            const int status = servet_ask(&usual, NULL, &q);
            bad += servet_ask(&a, &p, &q) != status
                || (status >= 0 && (a.value != usual.value || a.source != usual.source || a.claim != usual.claim));
        }
    }
    TAP_OK(bad == 0, "sizes that make no sense: the answers of no profile");
    level(2, 2 * MIB, 3 * MIB, 1 * MIB, SERVET_BY_COUNT);
    TAP_OK(ask(SERVET_ASK_BYTES, 2, 0) == 0 && a.value == 256 * KIB, "nor does an interval the wrong way round");
    q.element_bytes = 0.1;
    TAP_OK(ask(SERVET_ASK_TILE, 1, 0) == SERVET_EINVAL, "elements of less than a bit");
}

int main(void)
{
    test_bytes();
    test_missed();
    test_garbled();
    test_fit();
    test_others();
    test_cpus();
    return tap_done();
}

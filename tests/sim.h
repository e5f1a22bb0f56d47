/* sim.h - modelled machines with known truth, reached through the callbacks of a real one; C99 or C++11
 *
 *   #include "servet.h"                          // its public half is all that is used
 *   #include "sim.h"
 *
 *   sim s;
 *   if (sim_open(&s, sim_named("zen4-guest"), &sim_noises[SIM_GUEST], seed) < 0) ...
 *   servet_machine m = sim_machine(&s);           // as from servet_rig_machine; s stays where it is
 *   servet_mcalibrator_sweep(&curve, &m, NULL);
 *   sim_truth_bytes(s.spec, 1) ...                // where the curve should step after the second level
 *   sim_close(&s);
 *
 * MODELLED, line by line: levels with sets, ways and a replacement policy, indexed by virtual, physical or hashed
 * physical address, or by one whose lines frame bits move; inclusive, exclusive and independent levels; a level of
 * which a partition leaves some ways; pages, small and huge, and where their frames fall; one or two TLBs, the page
 * walk, and the upper tables it finds at hand; CPUs that chase together, on what they share and what they do not;
 * prefetchers of the neighbouring line and of the next, of strides (a divisor of latency) and of the pages used last (a
 * share of the lines comes early); jitter, outliers, neighbours that come and go, preemptions; neighbours that evict
 * (sim_beside); steps of the counter; time, which passes with what is walked and built.
 * NOT MODELLED: overlap of accesses (the chains of a chase count as one), writes, instructions, page tables
 * in the caches, bandwidth.  Nodes of many CPUs, with hand-offs, operations and streams: nodes.h, included at the end.
 *
 * A track begins with empty caches and goes through the events of a real one in their order.  Its places lie in a
 * pool whose pages keep their frames as long as the sim is open.
 *
 * A neighbour that evicts makes loads of its own between those of a chase or track, in as much time as these take, so
 * that a question of microseconds mostly escapes it and a pass of 100 us does not.  Approximate: of a shrunk machine it
 * makes one load in k, as that makes; translations of a chase are counted in a walk of their own, beside as many of the
 * neighbour's as the mean load leaves time for, and the groups of full pages of shrunk chases are counted without; a
 * cycle below 20 us is repeated for so long, a longer one timed once.
 *
 * A chase draws its pages anew, fills empty caches by whole cycles until their policies are settled, and counts
 * the next cycle exactly.  Equal seeds and equal calls give equal results everywhere.
 *
 * Beyond s.exact elements the machine is shrunk k-fold: pages and the sets of every level are divided by k; the
 * ways, the pages and the classes pages fall into are not.  It does what one line offset in k does in the full
 * machine: exactly so where an index takes the offset as it is, and for a hash that exchanges the lines inside
 * each page, as the sets then differ in name only.  Two things are done apart.  TLBs: misses at the first touch
 * of a page by a group are as many in both machines, the others are counted on groups of full pages.  DRRIP:
 * the leaders' duel is taken as won by BRRIP, as it is wherever a cycle does not fit.  Shrunk curves are within
 * 0.5 % (rms) of exact ones over the table; 2 to 7 % off at one point in ninety, far beyond levels that duel and
 * where a level settles slowly or is exclusive.  Tracks over all lines of many pages are shrunk up to 8-fold, pairs and
 * lines of several sizes kept together; a mean over the lines of a page is then one over fewer of them.
 */
#ifndef SERVET_TESTS_SIM_H
#define SERVET_TESTS_SIM_H

#if !defined(SERVET_H)
#  error "sim.h: include servet.h before"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "private.h"

#define SIM_API static SERVET__UNUSED
#define SIM_LEVELS    4
#define SIM_TLBS      2
#define SIM_CPUS     64     /* that sim_together has chase at once                             */
#define SIM_EXACT  8192     /* elements up to which nothing is shrunk, unless s.exact is set       */
#define SIM_POOL_BYTES 268435456.0   /* pages are drawn from as much, and from 4 times what is drawn */

/* >>spec: machines and noise ------------------------------------------------------------------ */

enum { SIM_LRU, SIM_FIFO, SIM_PLRU, SIM_NRU, SIM_SRRIP, SIM_BRRIP, SIM_DRRIP, SIM_QLRU, SIM_RANDOM,
       SIM_PLRU3 };   /* policies; the last: trees of 4 ways, the tree used least recently gives up a line */
enum { SIM_VIRTUAL, SIM_PHYSICAL, SIM_HASHED, SIM_XORED };    /* indices; the last: physical, and the three highest bits
                               * of a line's place in its page (9 to 11 of an address) XOR bits of the frame above
                               * those of the index: pages move apart by line, eight evenly stepped lines as a whole */
enum {
    SIM_APART,        /* fills and evicts without regard to the level before                       */
    SIM_INCLUSIVE,    /* what it evicts leaves the levels before it as well                        */
    SIM_EXCLUSIVE     /* holds only what the level before evicts, and gives it back on a hit       */
};

typedef struct sim_level {
    double bytes;             /* 0 = no such level                                                 */
    int    ways, line_bytes;
    double ns;                /* load to use of a hit                                              */
    int    policy, index, relation;
    int    part_ways;         /* ways that a partition leaves; 0 = all                             */
    int    cores;             /* CPUs, of consecutive numbers, that share one; 0 = 1               */
} sim_level;

typedef struct sim_tlb {
    int    entries, ways;     /* entries 0 = no such TLB; ways 0 = fully associative; LRU          */
    double ns;                /* added by a miss: the next TLB's, or the page walk for the last    */
    int    index;             /* SIM_VIRTUAL: low bits of the page's number; SIM_HASHED: folded    */
    int    span;              /* aligned pages to an entry; 0 = 1                                  */
} sim_tlb;

enum {
    SIM_SCATTERED,    /* pages are drawn, and their frames are anywhere                            */
    SIM_CONTIGUOUS    /* pages follow each other, and so do their frames                           */
};

typedef struct sim_spec {
    const char *name, *what;
    int       page_bytes;     /* of the system, large ones too: unit of frames and of TLBs         */
    int       placement;
    sim_level level[SIM_LEVELS];
    sim_tlb   tlb[SIM_TLBS];
    double    memory_ns;
    int       pairs;          /* 1 = a miss of level 2 fetches the other line of 128 bytes too      */
    double    stride_gain;    /* divisor of latencies beyond the first for SERVET_CHASE_STRIDE; 0 = 1 */
    int       cpus;           /* 0 = 1                                                             */
    /* Huge pages: chases, and tracks that do not ask for small pages, lie in them where there are any.  A guest
     * whose host does not back them has each split up for the TLBs, and scattered, as if there were none. */
    int       huge_bytes;     /* 0 = none                                                          */
    int       huge_backed;
    sim_tlb   tlb_huge[SIM_TLBS];
    sim_tlb   walk;           /* of small pages: holds upper tables, span pages each; a miss in the last TLB that
                               * misses here too costs ns more                                     */
    int       run_pages;      /* small pages whose frames follow each other, aligned; 0 = 1        */
    int       coalesce;       /* small TLBs hold so many aligned pages in an entry if their frames do so */
    int       next_line;      /* 1 = a miss of level 2 fetches the line after it, in its page, too */
    int       follow_pages;   /* lines beyond level 2 of the pages used last, this many, come a level ... */
    double    follow_frac;    /* ... earlier, in so many cases                                     */
    double    tick_ns;        /* step of the counter; 0 = too fine to matter                        */
} sim_spec;

typedef struct sim_noise {
    double jitter_frac;                /* standard deviation of a sample's logarithm                */
    double outlier_frac, outlier_max;  /* share of samples slowed by a factor in [1, max]           */
    double phase_frac, phase_s;        /* share of the time with a neighbour, in phases this long   */
    double phase_slow;                 /* factor on all latencies meanwhile; 0 = 1                  */
    double switches_per_s, switch_s;   /* preemptions: how often, and how long each                 */
    double timer_ns;                   /* standard deviation of a reading: what a short track is timed to */
} sim_noise;

/* A neighbour that evicts, given to sim_beside: a program on the other thread of the core, which loads lines of its own
 * through the same caches and TLBs while it is awake, and one on the same CPU, which takes slices of time and leaves
 * all cold.  Phases, awake or not, last between so long and so long, the lengths of both drawn so that it is awake for
 * its share of the time; with each the program is another one: so many loads a microsecond while they hit its first
 * level, over a working set of so much, in random order or one line after the other.  Its own misses delay it, four at
 * a time. */
typedef struct sim_neighbour {
    double awake_frac;                 /* 0 = never, 1 = always                                    */
    double phase_lo_s, phase_hi_s;
    double loads_per_us_lo, loads_per_us_hi;
    double bytes_lo, bytes_hi;
    double in_order_frac;              /* share of the phases in which it goes line after line     */
    double clock_frac;                 /* the core's clock meanwhile, of the clock alone; 0 = 1    */
    double turn_ns, turn_slow;         /* in turns of so long, of which it has half, what is beyond the first level
                                          takes so much longer; turn_ns 0 = no turns               */
    double slice_s, away_s;            /* of the program on the same CPU: one comes every slice_s of time, in the
                                          mean, and lasts away_s; 0 = there is none                */
} sim_neighbour;

/* What time is read with: steps of the counter, the scatter of a reading's own cost, interrupts. */
typedef struct sim_timer {
    double tick_ns;                    /* readings are multiples of it; 0 = of the machine         */
    double read_ns;                    /* what a pair of readings adds: this much more or less, at most */
    double irq_per_s, irq_ns;          /* that fall into what is timed                             */
} sim_timer;

/* Strangers such as on a guest of two CPUs: awake for so much of the time, in phases of 2 ms to a second. */
SIM_API sim_neighbour sim_stranger(double awake_frac)
{
    sim_neighbour n = { 0, 0.002, 1, 10, 200, 8192, 4194304, 0.5, 0.84, 20e3, 2, 0, 0 };
    n.awake_frac = awake_frac;
    return n;
}

enum { SIM_SILENT, SIM_QUIET, SIM_GUEST, SIM_CROWDED, SIM_NOISES };
static SERVET__UNUSED const sim_noise sim_noises[SIM_NOISES] = {
    { 0,     0,    1,   0,    0,    0,    0,   0,     0  },
    { 0.003, 0.01, 1.5, 0,    0,    0,    0.5, 0.001, 2  },
    { 0.01,  0.03, 2,   0.15, 0.05, 1.25, 5,   0.002, 4  },
    { 0.05,  0.08, 3,   0.35, 0.02, 1.4,  40,  0.004, 10 }
};

#include "machines.h"

/* sim_named - a machine of the table; NULL if there is none of that name */
SIM_API const sim_spec *sim_named(const char *name)
{
    int i;
    for (i = 0; i < SIM_MACHINES; i++)
        if (strcmp(sim_machines[i].name, name) == 0) return &sim_machines[i];
    return NULL;
}

/* sim_single - a machine of one level, of 1 ns, before a memory of 11 ns; pages of 4 KiB */
SIM_API sim_spec sim_single(double bytes, int ways, int policy, int index, int placement)
{
    sim_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.name = spec.what = "single";
    spec.page_bytes = 4096;
    spec.placement = placement;
    spec.level[0].bytes = bytes;
    spec.level[0].ways = ways;
    spec.level[0].line_bytes = 64;
    spec.level[0].ns = 1;
    spec.level[0].policy = policy;
    spec.level[0].index = index;
    spec.memory_ns = 11;
    return spec;
}

/* sim_truth_levels - levels there are
 * sim_truth_bytes  - what the levels up to i (from 0) hold for one core: where the curve leaves level i
 * sim_truth_ways   - ways of level i that can be had
 * sim_truth_policy - SERVET_POLICY_* of level i
 * sim_truth_tlb_bytes - what TLB i reaches: where a chase of SERVET_CHASE_RANDOM steps too */
SIM_API int sim_truth_levels(const sim_spec *spec)
{
    int n = 0;
    while (n < SIM_LEVELS && spec->level[n].bytes > 0) n++;
    return n;
}

SIM_API int sim_truth_ways(const sim_spec *spec, int i)
{
    return spec->level[i].part_ways ? spec->level[i].part_ways : spec->level[i].ways;
}

SIM_API double sim_truth_bytes(const sim_spec *spec, int i)
{
    double bytes = 0;
    for (;; i--) {
        bytes += spec->level[i].bytes * sim_truth_ways(spec, i) / spec->level[i].ways;
        if (i == 0 || spec->level[i].relation != SIM_EXCLUSIVE) return bytes;
    }
}

SIM_API double sim_truth_tlb_bytes(const sim_spec *spec, int i)
{
    return (double)spec->tlb[i].entries * spec->page_bytes;
}

SIM_API int sim_truth_policy(const sim_spec *spec, int i)
{
    switch (spec->level[i].policy) {
    case SIM_NRU:    return SERVET_POLICY_NRU;
    case SIM_RANDOM: return SERVET_POLICY_RANDOM;
    case SIM_BRRIP:  return SERVET_POLICY_ADAPTIVE;
    case SIM_DRRIP:  return SERVET_POLICY_DUELING;
    case SIM_QLRU:   return SERVET_POLICY_QLRU;
    default:         return SERVET_POLICY_LRU;
    }
}

/* >>state ------------------------------------------------------------------------------------- */

/* A set at work.  Behind it lie its tags, the line in each way, and for LRU and FIFO a ring: of each way the next and
 * the one before, from the one that came last to the one that goes first, and round again. */
typedef struct sim__set {
    uint64_t bits;            /* of the policy: two a way for RRIP, one for NRU, inner nodes for PLRU, the way used last
                               * for LRU */
    uint64_t used;            /* a bit for each way that has a line                                */
    uint32_t epoch;           /* the call that used it last: an older one means it is empty        */
    uint32_t number;
} sim__set;

enum { SIM__WAYS = 64, SIM__NOWHERE = 255 };
#define SIM__NO_LINE UINT32_MAX

/* A level at work.  A line is known by its place in the footprint, in lines.  The way that held it last is kept for
 * each line that a call may come to, so that no set is searched; the set knows whether it still does.  So nothing is
 * cleared: a new epoch makes all sets empty. */
typedef struct sim__cache {
    unsigned char *sets;      /* each with what lies behind it                                     */
    size_t    set_bytes;
    unsigned char *way;       /* per line: the way that held it last                               */
    size_t    lines;          /* there is room for in way                                          */
    const uint32_t *at;       /* per piece: its first set, with the lines' exchange in it          */
    uint64_t  all, low;       /* a bit for each way; the lower one of two bits for each            */
    uint64_t  keep[SIM__WAYS], put[SIM__WAYS];   /* PLRU: the bits that stay, and those set, when a way is used */
    unsigned char third[128]; /* PLRU: to which node the bits of the first seven lead               */
    uint32_t  ways, mask;
    uint32_t  leaves;         /* the power of two that the ways are in the tree of PLRU            */
    int       shift, policy, relation;
    int       quiet;          /* 1 = what it evicts matters to no other level                      */
    uint32_t  duel;           /* DRRIP: from 512 on the other sets act as BRRIP                    */
} sim__cache;

/* What holds pages: the TLBs, the tables a walk finds at hand, the pages a prefetcher follows.  Each set is a
 * ring of entries, from the one used last to the one used first.  As in a cache, each page knows the entry it was put
 * in last, and that knows whether it still holds it. */
enum { SIM__WALK = SIM_TLBS, SIM__FOLLOW, SIM__STAGES };
typedef struct sim__entry { uint32_t page, next, prev; } sim__entry;
typedef struct sim__tlb {
    sim__entry *entry;        /* sets x ways                                                       */
    uint32_t *head, *count;   /* per set: the entry used last; entries in use                      */
    uint32_t *put;            /* per page, or group of pages: the entry it was put in last         */
    uint32_t  room;           /* entries there is memory for                                       */
    uint32_t  sets, ways;     /* sets 0 = not there for these pages                                */
    uint32_t  mask;           /* that tells a page's set, where sets are a power of two; or all bits */
    int       shift, bits;    /* log2 of pages to an entry; of sets, where a page's number is folded to them */
    double    ns, first_misses, other_misses;
} sim__tlb;

/* A neighbour at work.  Its lines lie behind the footprint, in pieces of their own. */
typedef struct sim__other {
    sim_neighbour is;
    uint64_t random;          /* of its phases, and of its loads                                   */
    double   until_ns, switch_ns;      /* end of the phase; next turn of the one on the same CPU   */
    double   gap_ns, due_ns;  /* between its loads; time it has for more of them                    */
    double   plain_ns, slow_ns;        /* time of loads by themselves, and with what it makes of it  */
    double   away_ns;         /* time that was lost to the one on the same CPU                       */
    size_t   bytes;           /* its working set                                                    */
    uint32_t lines, at;       /* of it, in this call; the next one, in order                        */
    uint32_t first, first_page, page_shift;   /* its place and page in this call; lines of a page   */
    int      there, awake, in_order, switches;
} sim__other;
enum { SIM__OTHER_MISSES = 4 };
#define SIM__OTHER_FROM 8589934592.0   /* where it lies in memory */

/* A place on a track, of a machine shrunk or not: the page for those who hold pages, and its line in full. */
typedef struct sim__stop { uint32_t place, page, line; } sim__stop;

/* Where the pages of a sim lie: their frames, for tracks. */
typedef struct sim__pool {
    uint32_t *at[SIM_LEVELS];
} sim__pool;

typedef struct sim {
    const sim_spec *spec;
    sim_noise  noise;
    double     time_ns;
    sim_timer  timer;         /* all 0 unless set                                                   */
    double     build_ns;      /* building and flushing, per element; 8 unless changed              */
    size_t     exact;         /* elements up to which nothing is shrunk; SIM_EXACT unless changed  */
    int        whole;         /* 1 = tracks are not shrunk                                         */
    double     insert_per_us[2], insert_busy_frac;    /* lines that others put into the last level while a passage
                               * waits: mostly, and in such a share of the passages                */
    double     left_frac;     /* of its CPU's time that other programs leave, in turns shorter than a sample; 0 = all */
    int        every;         /* 1 = passes between are walked, even if nothing can change any more  */
    int        warm;          /* cycles before the one counted; 0 = 1 for LRU and FIFO, else 3 or more */
    /* what the last call saw: */
    double     hit_frac[SIM_LEVELS + 1];   /* loads served by each level, and by memory after them */
    double     tlb_frac[SIM_TLBS];         /* loads that missed in each TLB                        */
    double     walk_frac, early_frac;      /* whose walk was a long one; that a prefetcher foresaw */
    int        shrunk, busy;               /* k; 1 = it began beside a neighbour                   */
    /* private */
    uint64_t   random, page_random, noise_random;   /* states: of orders and policies; pages; noise */
    uint64_t   key;                        /* of the frames, and of when neighbours come           */
    int        levels, piece_shift;
    uint32_t   epoch, visits, pair, next_line;
    uint32_t   unit;                       /* bytes of the pages used: small or huge                */
    sim__cache **cache;                    /* those of the CPU at work                              */
    sim__cache *of_cpu[SIM_CPUS][SIM_LEVELS];
    sim__tlb   tlb[SIM__STAGES];
    sim__other other;
    double     now_ns;        /* within a call, from time_ns on                                     */
    sim__pool  pool[4];                    /* small pages, huge ones; and both shrunk               */
    size_t     elements, pieces, system_pages, stops;   /* room in the arrays below                 */
    sim__stop *stop;
    uint32_t  *order, *system_page, *visit, *line, *at[SIM_LEVELS];
    uint64_t  *from, *frame, *linked;      /* linked: slots that a track uses, a bit each            */
} sim;

/* What each load goes through, the policy known where it is compiled. */
#if defined(__GNUC__)
#  define SIM__INLINE static inline __attribute__((always_inline, unused))
#else
#  define SIM__INLINE static inline
#endif

/* Number of the lowest bit of x, which has one. */
SIM__INLINE uint32_t sim__lowest(uint64_t x)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(x);
#else
    uint32_t bit = 0;
    for (; !(x & 1); x >>= 1) bit++;
    return bit;
#endif
}

SIM_API uint64_t sim__mix(uint64_t x)
{
    return servet_stats_random(&x);
}

SIM_API int sim__log2(size_t x)
{
    int bits = 0;
    while (x >>= 1) bits++;
    return bits;
}

/* As a rig does: defaults filled in, EINVAL for what is out of range; a shuffle. */
SIM_API int sim__chase_resolve(servet_chase_opts *o, const servet_chase_opts *opts)
{
    enum { GROUP_BYTES = 96 * 4096, LINE_BYTES = 64, WORD = (int)sizeof(void *) };
    if (opts != o) memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->page_bytes == 0) o->page_bytes = 4096;
    if (o->line_bytes == 0) o->line_bytes = o->page_bytes < LINE_BYTES ? o->page_bytes : LINE_BYTES;
    if (o->group_pages == 0)
        o->group_pages = o->page_bytes > GROUP_BYTES / 8 || o->page_bytes < 1 ? 8 : GROUP_BYTES / o->page_bytes;
    if (o->chains == 0) o->chains = 1;
    if (o->line_bytes < WORD || o->line_bytes % WORD || o->page_bytes % o->line_bytes || o->page_bytes < o->line_bytes)
        return SERVET_EINVAL;
    if (o->lines_per_page == 0) o->lines_per_page = o->page_bytes / o->line_bytes;
    return o->pattern < SERVET_CHASE_COMPACT || o->pattern > SERVET_CHASE_STRIDE || o->group_pages < 1
        || o->lines_per_page < 1 || o->lines_per_page > o->page_bytes / o->line_bytes
        || o->chains < 1 || o->chains > SERVET_CHAINS_MAX ? SERVET_EINVAL : SERVET_OK;
}

SIM_API int sim__track_resolve(servet_track *t, const servet_track *track)
{
    size_t per_part;
    if (!track) return SERVET_EINVAL;
    *t = *track;
    if (t->parts == 0) t->parts = 1;
    if (t->between_passes == 0) t->between_passes = 1;
    if (t->repeats == 0) t->repeats = 3;
    if (!t->between || t->between_n == 0) t->between = NULL, t->between_n = 0;
    per_part = t->n / (size_t)(t->parts > 0 ? t->parts : 1) + (size_t)t->skip;
    return t->n < 1 || t->parts < 1 || t->n % (size_t)t->parts || t->skip < 0 || t->between_passes < 1 || t->repeats < 1
        || t->repeats > SERVET_TRACK_REPEATS || t->parts > SERVET_TRACK_PARTS / t->repeats
        || t->pages < SERVET_PAGES_DEFAULT || t->pages > SERVET_PAGES_ALIAS
        || (!t->place && (!t->raw || t->repeats != 1 || t->between_n / (size_t)t->parts <= per_part))
        || (!t->raw && (t->parts > 1 || t->between)) || !(t->wait_ns >= 0 && t->wait_ns <= 1e10)
        || (t->wait_ns > 0 && t->place)
        || (t->pages == SERVET_PAGES_ALIAS && !(t->raw && t->place)) ? SERVET_EINVAL : SERVET_OK;
}

SIM_API void sim__shuffle(uint32_t *x, size_t n, uint64_t *seed)
{
    for (; n > 1; n--) {
        const size_t j = servet_stats_random_below(seed, n);
        const uint32_t t = x[n - 1];
        x[n - 1] = x[j];
        x[j] = t;
    }
}

/* A permutation of the numbers of `bits` bits, an even number, for each key: four rounds of Feistel. */
SIM_API uint64_t sim__permute(uint64_t x, int bits, uint64_t key)
{
    uint64_t mask = (UINT64_C(1) << bits / 2) - 1, left = x >> bits / 2, right = x & mask, next;
    int round;
    for (round = 0; round < 4; round++) {
        next = left ^ (sim__mix(key + right * 4 + (uint64_t)round) & mask);
        left = right;
        right = next;
    }
    return left << bits / 2 | right;
}

/* Chunks of so many bits, combined by exclusive or: a bijection on every aligned block of frames. */
SIM_API uint64_t sim__fold(uint64_t x, int bits)
{
    uint64_t folded = 0;
    for (; bits > 0 && x > 0; x >>= bits) folded ^= x & ((UINT64_C(1) << bits) - 1);
    return folded;
}

/* >>cache: one level -------------------------------------------------------------------------- */

SIM__INLINE sim__set *sim__set_at(const sim__cache *c, size_t i)
{
    return (sim__set *)(void *)(c->sets + i * c->set_bytes);
}

SIM__INLINE sim__set *sim__set_of(const sim *s, const sim__cache *c, uint32_t place)
{
    sim__set *m = sim__set_at(c, c->at[place >> s->piece_shift] ^ (place >> c->shift & c->mask));
    if (m->epoch != s->epoch) {
        m->bits = m->used = 0;
        m->epoch = s->epoch;
    }
    return m;
}

SIM__INLINE uint32_t *sim__tags(sim__set *m)
{
    return (uint32_t *)(void *)(m + 1);
}

SIM__INLINE unsigned char *sim__order_of(const sim__cache *c, sim__set *m)
{
    return (unsigned char *)(sim__tags(m) + c->ways);
}

SIM__INLINE int sim__ordered(int policy)   /* ways are kept in order, the first to keep in front */
{
    return policy == SIM_LRU || policy == SIM_FIFO;
}

/* Way w comes to the front of a set's ring, in which it is not; empty: of one in which there is none. */
SIM__INLINE void sim__link(const sim__cache *c, sim__set *m, uint32_t w, int empty)
{
    unsigned char *ring = sim__order_of(c, m);
    const uint32_t front = empty ? w : (uint32_t)m->bits, last = empty ? w : ring[2 * front + 1];
    ring[2 * w] = (unsigned char)front;
    ring[2 * w + 1] = (unsigned char)last;
    ring[2 * last] = ring[2 * front + 1] = (unsigned char)w;
    m->bits = w;
}

SIM__INLINE void sim__unlink(const sim__cache *c, sim__set *m, uint32_t w)
{
    unsigned char *ring = sim__order_of(c, m);
    const uint32_t next = ring[2 * w], prev = ring[2 * w + 1];
    ring[2 * prev] = (unsigned char)next;
    ring[2 * next + 1] = (unsigned char)prev;
    if (m->bits == w) m->bits = next;
}

/* Adds as much to all ages but that of way w as makes the oldest of them 3, if it is not. */
SIM__INLINE void sim__age(const sim__cache *c, sim__set *m, uint32_t w)
{
    uint64_t high = m->bits >> 1 & c->low, others = c->low & ~(UINT64_C(1) << 2 * w);
    if (high & m->bits) return;   /* one is 3 */
    m->bits += (high & others ? 1 : m->bits & others ? 2 : 3) * others;
}

/* Way w was used: now by a hit, or filled. */
SIM__INLINE void sim__touch(sim *s, const sim__cache *c, sim__set *m, uint32_t w, int filled, int policy)
{
    uint64_t rrpv;
    int bimodal;
    switch (policy) {
    case SIM_LRU:
        if (filled || m->bits == w) break;
        if (sim__order_of(c, m)[2 * w] == m->bits) {   /* the last before the front: the ring turns */
            m->bits = w;
            break;
        }
        sim__unlink(c, m, w);
        sim__link(c, m, w, 0);
        break;
    case SIM_NRU:
        m->bits |= UINT64_C(1) << w;
        if ((m->bits & c->all) == c->all) m->bits = UINT64_C(1) << w;
        break;
    case SIM_PLRU: case SIM_PLRU3:
        m->bits = (m->bits & c->keep[w]) | c->put[w];
        break;
    case SIM_SRRIP: case SIM_BRRIP: case SIM_DRRIP:
        bimodal = policy == SIM_BRRIP || (policy == SIM_DRRIP && m->number % 32 != 0
                  && (m->number % 32 == 1 || c->duel >= 512));
        rrpv = !filled ? 0 : bimodal && servet_stats_random(&s->random) % 32 != 0 ? 3 : 2;
        m->bits = (m->bits & ~(UINT64_C(3) << 2 * w)) | rrpv << 2 * w;
        break;
    case SIM_QLRU:   /* H00_M1_U1: a hit makes it young, a fill of middle age; if none is old, all others age */
        m->bits = (m->bits & ~(UINT64_C(3) << 2 * w)) | (uint64_t)(filled != 0) << 2 * w;
        sim__age(c, m, w);
        break;
    default: break;
    }
}

SIM__INLINE uint32_t sim__victim(sim *s, const sim__cache *c, sim__set *m, int policy)
{
    uint64_t high;
    uint32_t w, node, right;
    switch (policy) {
    case SIM_LRU: case SIM_FIFO:
        return sim__order_of(c, m)[2 * m->bits + 1];
    case SIM_RANDOM:
        return (uint32_t)servet_stats_random_below(&s->random, c->ways);
    case SIM_NRU:
        return ~m->bits & c->all ? sim__lowest(~m->bits & c->all) : c->ways - 1;
    case SIM_PLRU:
        for (node = c->third[m->bits >> 1 & 127]; node < c->leaves; node = node * 2 + (m->bits >> node & 1)) {}
        return node - c->leaves;
    case SIM_PLRU3:
        for (node = 0; 4 * node + 4 < c->ways && (m->bits >> (32 + 4 * node) & 0xf); node++) {}
        right = (uint32_t)(m->bits >> 4 * node & 1) & (uint32_t)(4 * node + 2 < c->ways);
        w = 4 * node + 2 * right;
        return w + ((uint32_t)(m->bits >> (4 * node + 1 + right) & 1) & (uint32_t)(w + 1 < c->ways));
    default:         /* RRIP, QLRU: the first way that is not expected back soon; if there is none, all age */
        high = m->bits >> 1 & c->low;
        if (!(high & m->bits)) m->bits += (high ? 1 : m->bits & c->low ? 2 : 3) * c->low;
        return sim__lowest(m->bits & m->bits >> 1 & c->low) / 2;
    }
}

/* Puts a line in that is not there; the line it displaced, or SIM__NO_LINE. */
SIM__INLINE uint32_t sim__insert(sim *s, const sim__cache *c, sim__set *m, uint32_t line, int policy)
{
    const int full = m->used == c->all;
    uint32_t w, out = SIM__NO_LINE;
    if (full) {
        w = sim__victim(s, c, m, policy);
        out = sim__tags(m)[w];
    } else {
        w = sim__lowest(~m->used);
        if (sim__ordered(policy)) sim__link(c, m, w, m->used == 0);
        m->used |= UINT64_C(1) << w;
    }
    sim__tags(m)[w] = line;
    c->way[line] = (unsigned char)w;
    if (sim__ordered(policy)) m->bits = w;   /* in a full set: the last of the ring is its front now */
    else sim__touch(s, c, m, w, 1, policy);
    return out;
}

/* The way of set m that holds a line, or SIM__NOWHERE. */
SIM__INLINE uint32_t sim__where(const sim__cache *c, sim__set *m, uint32_t line)
{
    const uint32_t w = c->way[line];
    return w < c->ways && m->used >> w & 1 && sim__tags(m)[w] == line ? w : (uint32_t)SIM__NOWHERE;
}

/* Takes a line out that may be there. */
SIM__INLINE void sim__remove(const sim__cache *c, sim__set *m, uint32_t line)
{
    const uint32_t w = sim__where(c, m, line);
    if (w == SIM__NOWHERE) return;
    if (sim__ordered(c->policy)) sim__unlink(c, m, w);
    m->used &= ~(UINT64_C(1) << w);
}

/* The same functions, each compiled for every policy. */
#define SIM__BY_POLICY(policy, DO) \
    switch (policy) { \
    case SIM_LRU:    DO(SIM_LRU);    break; \
    case SIM_FIFO:   DO(SIM_FIFO);   break; \
    case SIM_PLRU:   DO(SIM_PLRU);   break; \
    case SIM_NRU:    DO(SIM_NRU);    break; \
    case SIM_SRRIP:  DO(SIM_SRRIP);  break; \
    case SIM_BRRIP:  DO(SIM_BRRIP);  break; \
    case SIM_DRRIP:  DO(SIM_DRRIP);  break; \
    case SIM_QLRU:   DO(SIM_QLRU);   break; \
    case SIM_RANDOM: DO(SIM_RANDOM); break; \
    default:         DO(SIM_PLRU3);  break; \
    }

SIM_API void sim__hit(sim *s, const sim__cache *c, sim__set *m, uint32_t w)
{
#define SIM__DO(policy) sim__touch(s, c, m, w, 0, policy)
    SIM__BY_POLICY(c->policy, SIM__DO)
#undef SIM__DO
}

SIM_API uint32_t sim__put(sim *s, const sim__cache *c, sim__set *m, uint32_t place)
{
    const uint32_t line = place >> c->shift;
#define SIM__DO(policy) return sim__insert(s, c, m, line, policy)
    SIM__BY_POLICY(c->policy, SIM__DO)
#undef SIM__DO
    return SIM__NO_LINE;
}

/* Leaders of DRRIP count what they miss. */
SIM_API void sim__missed(sim__cache *c, const sim__set *m)
{
    const uint32_t leader = m->number % 32;
    if (leader == 0 && c->duel < 1023) c->duel++;
    if (leader == 1 && c->duel > 0) c->duel--;
}

/* Of PLRU, what using each way does to the bits.  The tree: every node on the way up shall point to the other side,
 * but to the left where there are no ways on the right.  Trees of four ways: a tree in 4 bits; who used after whom in
 * 4 rows of 4. */
SIM_API void sim__learn(sim__cache *c)
{
    uint32_t w, node, leaf, half;
    for (w = 0; w < c->ways; w++) {
        uint64_t keep = ~UINT64_C(0), put = 0;
        for (node = c->leaves + w, half = 1; c->policy == SIM_PLRU && node > 1; node /= 2, half *= 2) {
            const uint32_t right = (w & ~(half - 1)) + half;    /* of the other side the first, if node is a left one */
            keep &= ~(UINT64_C(1) << node / 2);
            put |= (uint64_t)(~node & 1 && right < c->ways) << node / 2;
        }
        if (c->policy == SIM_PLRU3) {
            node = w / 4;
            leaf = 4 * node + 1 + (w >> 1 & 1);
            keep = ~(UINT64_C(1) << 4 * node | UINT64_C(1) << leaf | UINT64_C(0x1111) << (32 + node));
            put = (uint64_t)(~w >> 1 & 1) << 4 * node | (uint64_t)(~w & 1) << leaf
                | (((UINT64_C(1) << (c->ways + 3) / 4) - 1) << (32 + 4 * node)
                   & ~(UINT64_C(0x1111) << (32 + node)));
        }
        c->keep[w] = keep;
        c->put[w] = put;
    }
    for (half = 0; half < 128; half++) {
        for (node = 1; node < 8 && node < c->leaves; node = node * 2 + (half << 1 >> node & 1)) {}
        c->third[half] = (unsigned char)node;
    }
}

/* >>hierarchy: all levels, and the TLBs ------------------------------------------------------- */

/* A place leaves all caches in front of level i of the CPU at work. */
SIM_API void sim__expel(sim *s, int i, uint32_t place)
{
    int cpu, l;
    for (cpu = 0; cpu < SIM_CPUS && s->of_cpu[cpu][0]; cpu++)
        for (l = 0; l < i && s->of_cpu[cpu][i] == s->cache[i]; l++) {
            sim__cache *near = s->of_cpu[cpu][l];
            sim__remove(near, sim__set_of(s, near, place), place >> near->shift);
        }
}

/* Puts a place in level i, in set m of it; what that displaces goes to the next one if that is exclusive, and so on. */
SIM__INLINE void sim__fill(sim *s, int i, sim__set *m, uint32_t place)
{
    for (;;) {
        const sim__cache *c = s->cache[i];
        const uint32_t out = sim__put(s, c, m, place);
        uint32_t at;
        if (c->quiet || out == SIM__NO_LINE) return;
        place = out << c->shift;
        if (c->relation == SIM_INCLUSIVE)
            for (at = place; at - place < UINT32_C(1) << c->shift; at += UINT32_C(1) << s->cache[0]->shift)
                sim__expel(s, i, at);
        if (++i == s->levels || s->cache[i]->relation != SIM_EXCLUSIVE) return;
        m = sim__set_of(s, s->cache[i], place);
    }
}

/* One load that begins at level `first`; the level that had it. */
SIM_API int sim__load(sim *s, uint32_t place, int first)
{
    uint32_t w = 0;
    sim__set *m = NULL, *sets[SIM_LEVELS];
    int hit, i;
    for (hit = first; hit < s->levels; hit++) {
        sim__cache *c = s->cache[hit];
        m = sets[hit] = sim__set_of(s, c, place);
        w = sim__where(c, m, place >> c->shift);
        if (w != SIM__NOWHERE) break;
        if (c->policy == SIM_DRRIP && s->shrunk == 1) sim__missed(c, m);
    }
    if (hit < s->levels) {
        const sim__cache *c = s->cache[hit];
        sim__hit(s, c, m, w);
        if (hit > first && c->relation == SIM_EXCLUSIVE) sim__remove(c, m, place >> c->shift);
    }
    for (i = hit; i-- > first; )
        if (i == first || s->cache[i]->relation != SIM_EXCLUSIVE) sim__fill(s, i, sets[i], place);
    return hit;
}

SIM__INLINE int sim__translate(sim__tlb *t, uint32_t page)
{
    uint32_t set = (page >>= t->shift) & t->mask, i = t->put[page], front;
    sim__entry *e, *f;
    int hit;
    if (t->bits) set = (uint32_t)sim__fold(page, t->bits);
    else if (set >= t->sets) set = page % t->sets;
    front = t->head[set];
    hit = i - set * t->ways < t->count[set] && t->entry[i].page == page;
    if (hit && i == front) return 1;
    f = &t->entry[front];
    if (hit) {
        e = &t->entry[i];
        if (e->next != front) {   /* else the ring turns */
            t->entry[e->prev].next = e->next;
            t->entry[e->next].prev = e->prev;
        } else {
            t->head[set] = i;
            return 1;
        }
    } else if (t->count[set] == t->ways) {
        i = f->prev;              /* the last of the ring is its front now */
        t->entry[i].page = page;
        t->put[page] = t->head[set] = i;
        return 0;
    } else {
        i = set * t->ways + t->count[set];
        e = &t->entry[i];
        e->page = page;
        t->put[page] = i;
        if (t->count[set]++ == 0) {
            e->next = e->prev = t->head[set] = i;
            return 0;
        }
    }
    e->next = front;
    e->prev = f->prev;
    t->entry[f->prev].next = i;
    f->prev = t->head[set] = i;
    return hit;
}

/* Looks a page up wherever pages are held; a bit for each stage that missed.  A prefetcher follows a page it knows
 * only to other lines than the one it saw there last. */
SIM__INLINE unsigned sim__lookaside(sim *s, uint32_t page, uint32_t line)
{
    unsigned missed = 0;
    int l;
    for (l = 0; l < SIM_TLBS && s->tlb[l].sets && !sim__translate(&s->tlb[l], page); l++) missed |= 1u << l;
    if (missed && (l == SIM_TLBS || !s->tlb[l].sets) && s->tlb[SIM__WALK].sets
        && !sim__translate(&s->tlb[SIM__WALK], page)) missed |= 1u << SIM__WALK;
    if (s->tlb[SIM__FOLLOW].sets) {
        if (!sim__translate(&s->tlb[SIM__FOLLOW], page) || s->line[page] == line) missed |= 1u << SIM__FOLLOW;
        s->line[page] = line;
    }
    return missed;
}

/* Empties a stage, and gives it the shape it has for the pages now used. */
SIM_API void sim__shape(sim *s, int l, const sim_tlb *d, int span)
{
    sim__tlb *t = &s->tlb[l];
    if (t->sets) memset(t->count, 0, t->sets * sizeof *t->count);
    t->first_misses = t->other_misses = 0;
    t->sets = 0;
    if (!d || d->entries < 1) return;
    t->ways = (uint32_t)(d->ways > 0 ? d->ways : d->entries);
    t->sets = (uint32_t)d->entries / t->ways;
    t->ns = d->ns;
    t->shift = sim__log2((size_t)span);
    t->mask = t->sets & (t->sets - 1) ? UINT32_MAX : t->sets - 1;
    t->bits = d->index == SIM_HASHED ? sim__log2(t->sets) : 0;
}

/* All stages for these pages.  The frames of small ones may follow each other, of those that alias they do not. */
SIM_API void sim__pages(sim *s, int pages)
{
    const sim_spec *d = s->spec;
    sim_tlb follow = { 0, 0, 0, 0, 0 };
    int l, runs, huge = pages == SERVET_PAGES_DEFAULT;
    if (!d->huge_backed || d->huge_bytes < 1) huge = 0;
    s->unit = (uint32_t)(huge ? d->huge_bytes : d->page_bytes);
    runs = !huge && pages != SERVET_PAGES_ALIAS && d->coalesce > 1
        && (d->placement == SIM_CONTIGUOUS || d->run_pages >= d->coalesce);
    for (l = 0; l < SIM_TLBS; l++) {
        const sim_tlb *t = huge ? &d->tlb_huge[l] : &d->tlb[l];
        sim__shape(s, l, t, t->span > 1 ? t->span : runs ? d->coalesce : 1);
    }
    sim__shape(s, SIM__WALK, huge ? NULL : &d->walk, d->walk.span > 1 ? d->walk.span : 1);
    follow.entries = d->follow_pages;
    sim__shape(s, SIM__FOLLOW, &follow, 1);
}

SIM_API uint64_t sim__frame(const sim *s, uint64_t page)
{
    uint64_t run = 1;
    if (s->unit == (uint32_t)s->spec->page_bytes && s->spec->run_pages > 1) run = (uint64_t)s->spec->run_pages;
    if (s->spec->placement == SIM_CONTIGUOUS) return page;
    return sim__permute(page / run, 24, s->key) * run + page % run;
}

/* >>neighbour ---------------------------------------------------------------------------------- */

/* Between lo and hi, the logarithm drawn evenly. */
SIM_API double sim__between(uint64_t *random, double lo, double hi)
{
    return hi > lo ? lo * pow(hi / lo, servet_stats_random_unit(random)) : lo;
}

/* The phase at now_ns.  Of lengths x drawn alike, those asleep last 2 (1 - f) x, those awake 2 f x. */
SIM_API void sim__phase(sim *s)
{
    sim__other *o = &s->other;
    const double f = o->is.awake_frac;
    while (s->now_ns >= o->until_ns) {
        o->awake = f >= 1 || (f > 0 && !o->awake);
        o->until_ns += 2e9 * (o->awake ? f : 1 - f) * sim__between(&o->random, o->is.phase_lo_s, o->is.phase_hi_s);
        if (!(f > 0)) o->until_ns = HUGE_VAL;
        o->gap_ns = 1e3 / sim__between(&o->random, o->is.loads_per_us_lo, o->is.loads_per_us_hi);
        o->bytes = (size_t)sim__between(&o->random, o->is.bytes_lo, o->is.bytes_hi);
        o->in_order = servet_stats_random_unit(&o->random) < o->is.in_order_frac;
    }
    o->lines = (uint32_t)(o->bytes / (size_t)s->spec->level[0].line_bytes / (size_t)(s->shrunk > 0 ? s->shrunk : 1));
    if (o->lines < 1) o->lines = 1;
    if (o->at >= o->lines) o->at = 0;
}

/* All caches and TLBs are empty. */
SIM_API void sim__cold(sim *s)
{
    int l;
    s->epoch++;
    for (l = 0; l < SIM__STAGES; l++)
        if (s->tlb[l].sets) memset(s->tlb[l].count, 0, s->tlb[l].sets * sizeof *s->tlb[l].count);
}

/* One load of the neighbour: into the caches, of a chase, or into what holds pages, or both, of a track.  Returns its
 * latency. */
SIM_API double sim__other_load(sim *s, int caches, int stages)
{
    sim__other *o = &s->other;
    const uint64_t r = servet_stats_random(&o->random);
    const uint32_t line = o->in_order ? o->at : (uint32_t)((r >> 32) * o->lines >> 32);
    int l, hit = 0;
    if (++o->at >= o->lines) o->at = 0;
    if (stages) {
        const uint32_t page = o->first_page + (line >> o->page_shift);
        for (l = 0; l < SIM_TLBS && s->tlb[l].sets && !sim__translate(&s->tlb[l], page); l++) { }
    }
    if (caches) hit = sim__load(s, o->first + (line << s->cache[0]->shift), 0);
    return hit < s->levels ? s->spec->level[hit].ns : s->spec->memory_ns;
}

/* So many ns pass for a load of the machine, k times as many of a shrunk one, whose loads stand for k: what the
 * neighbour does meanwhile. */
SIM_API void sim__meanwhile(sim *s, double ns, int stages)
{
    sim__other *o = &s->other;
    s->now_ns += ns * s->shrunk;
    if (s->now_ns >= o->until_ns) sim__phase(s);
    if (s->now_ns >= o->switch_ns) {
        const double away = o->is.away_s * 1e9;
        s->now_ns += away;
        o->away_ns += away;
        o->switches++;
        o->switch_ns = s->now_ns - o->is.slice_s * 1e9 * log(1 - servet_stats_random_unit(&o->random));
        sim__cold(s);
    }
    if (!o->awake) {
        o->due_ns = 0;
        return;
    }
    for (o->due_ns += ns; o->due_ns > 0; ) o->due_ns -= o->gap_ns + sim__other_load(s, 1, stages) / SIM__OTHER_MISSES;
}

/* What a load of level hit takes beside it, at now_ns, of so much alone: the clock is the core's and its caches'. */
SIM_API double sim__slowed(const sim *s, int hit, double ns)
{
    const sim__other *o = &s->other;
    if (!o->awake) return ns;
    if (o->is.clock_frac > 0 && hit < s->levels) ns /= o->is.clock_frac;
    if (o->is.turn_ns > 0 && hit > 0 && (uint64_t)(s->now_ns / o->is.turn_ns) % 2) ns *= o->is.turn_slow;
    return ns;
}

/* Begins a call: the neighbour's pieces come behind so many, its pages behind so many. */
SIM_API void sim__accompany(sim *s, size_t pieces, size_t pages)
{
    sim__other *o = &s->other;
    s->now_ns = s->time_ns;
    if (!o->there) return;
    o->first = (uint32_t)(pieces << s->piece_shift);
    o->first_page = (uint32_t)pages;
    o->page_shift = (uint32_t)sim__log2(s->unit / (size_t)s->spec->level[0].line_bytes / (size_t)s->shrunk);
    o->plain_ns = o->slow_ns = o->away_ns = o->due_ns = 0;
    o->switches = 0;
    if (s->now_ns >= o->switch_ns && o->is.slice_s > 0)    /* between calls: all are cold at their beginning */
        o->switch_ns = s->now_ns - o->is.slice_s * 1e9 * log(1 - servet_stats_random_unit(&o->random));
    sim__phase(s);
}

/* Pieces, or pages, of so many bytes that the neighbour may touch. */
SIM_API size_t sim__other_pieces(const sim *s, size_t bytes)
{
    return s->other.there ? (size_t)s->other.is.bytes_hi / bytes + 1 : 0;
}

/* >>call: pages, order, walk ------------------------------------------------------------------ */

/* An array of n zeros instead of old; *ok = 0 where there is no memory. */
SIM_API void *sim__renew(void *old, size_t n, size_t each, int *ok)
{
    void *p = calloc(n ? n : 1, each);
    free(old);
    if (!p) *ok = 0;
    return p;
}
#define SIM__RENEW(type, p, n, ok) ((p) = (type *)sim__renew(p, n, sizeof(type), ok))

/* Room for n elements in so many pieces, for so many pages of the system, and for so many stops. */
SIM_API int sim__reserve(sim *s, size_t n, size_t pieces, size_t system_pages, size_t stops)
{
    int ok = 1, l;
    if (n > s->elements) {
        s->elements = n;
        SIM__RENEW(uint32_t, s->order, n, &ok);
    }
    if (pieces > s->pieces) {
        s->pieces = pieces;
        SIM__RENEW(uint32_t, s->system_page, pieces, &ok);
        SIM__RENEW(uint64_t, s->from, pieces, &ok);
        SIM__RENEW(uint64_t, s->frame, pieces, &ok);
        for (l = 0; l < s->levels; l++) SIM__RENEW(uint32_t, s->at[l], pieces, &ok);
    }
    if (system_pages > s->system_pages) {
        s->system_pages = system_pages;
        SIM__RENEW(uint32_t, s->visit, system_pages, &ok);
        SIM__RENEW(uint32_t, s->line, system_pages, &ok);
        for (l = 0; l < SIM__STAGES; l++) {
            if (!s->tlb[l].room) continue;
            SIM__RENEW(uint32_t, s->tlb[l].put, system_pages, &ok);
        }
    }
    if (stops > s->stops) {
        s->stops = stops;
        SIM__RENEW(sim__stop, s->stop, stops, &ok);
    }
    if (!ok) s->elements = s->pieces = s->system_pages = s->stops = 0;   /* all anew next time */
    return ok ? SERVET_OK : SERVET_ENOMEM;
}

SIM_API uint32_t sim__sets(const sim_level *l)
{
    return (uint32_t)(l->bytes / l->ways / l->line_bytes);
}

SIM_API void sim__scrap(sim__cache *c)
{
    free(c->sets);
    free(c->way);
    free(c);
}

/* A CPU's caches, those it shares with CPUs of lower numbers among them; 0 where there is no memory. */
SIM_API int sim__equip(sim *s, int cpu)
{
    sim__cache *own[SIM_LEVELS] = { NULL };
    uint32_t i;
    int l, ok = 1;
    if (s->of_cpu[cpu][0]) return 1;
    for (l = 0; l < s->levels; l++) {
        const sim_level *d = &s->spec->level[l];
        sim__cache *c = NULL;
        if (d->cores > 1 && cpu % d->cores) continue;
        SIM__RENEW(sim__cache, c, 1, &ok);
        if (!(own[l] = c)) continue;
        c->policy = d->policy;
        c->set_bytes = sizeof(sim__set) + (size_t)d->ways * (sim__ordered(d->policy) ? 6 : 4);
        c->set_bytes += -c->set_bytes % sizeof(uint64_t);
        SIM__RENEW(unsigned char, c->sets, sim__sets(d) * c->set_bytes, &ok);
        for (i = 0; c->sets && i < sim__sets(d); i++) sim__set_at(c, i)->number = i;
        c->shift = sim__log2((size_t)d->line_bytes);
        c->relation = d->relation;
        c->quiet = d->relation != SIM_INCLUSIVE && (l + 1 == s->levels || d[1].relation != SIM_EXCLUSIVE);
    }
    for (l = 0; l < s->levels; l++) {
        const int cores = s->spec->level[l].cores;
        if (ok) s->of_cpu[cpu][l] = own[l] ? own[l] : s->of_cpu[cpu / cores * cores][l];
        else if (own[l]) sim__scrap(own[l]);
    }
    return ok;
}

/* By how much this call is shrunk: k, a power of two; see the top.  Where a page is not left in between, the
 * order of its lines matters to the TLBs and four remain. */
SIM_API uint32_t sim__shrink(const sim *s, size_t n, size_t piece, const servet_chase_opts *o)
{
    uint32_t k = 1, per_page = (uint32_t)o->lines_per_page, lines = (uint32_t)(o->page_bytes / o->line_bytes);
    uint32_t kept = o->pattern == SERVET_CHASE_RANDOM ? 4 : 1;
    int l, fits = 1;
    while (fits && n / k > s->exact) {
        uint32_t next = 2 * k;
        fits = per_page % next == 0 && lines % next == 0 && per_page / next >= kept;
        for (l = 0; fits && l < s->levels; l++)
            fits = sim__sets(&s->spec->level[l]) % next == 0
                   && piece / next >= (s->spec->pairs || s->spec->next_line ? 128 : 1)
                   && piece / next >= (size_t)s->spec->level[l].line_bytes;
        if (fits) k = next;
    }
    return k;
}

/* Where so many pieces of the neighbour lie. */
SIM_API void sim__other_frames(const sim *s, uint64_t *from, uint64_t *frame, size_t pieces, size_t piece)
{
    size_t x;
    for (x = 0; x < pieces; x++) {
        const uint64_t at = (uint64_t)SIM__OTHER_FROM + x * piece;
        from[x] = at / piece;
        frame[x] = (sim__frame(s, at / s->unit) * s->unit + at % s->unit) / piece;
    }
}

/* Draws pages as a rig does, from a window four times as large in a pool of so many, and finds the frame of
 * each piece: what lies together in memory, a page of the chase or of the system, whichever is smaller. */
SIM_API void sim__draw(sim *s, size_t pages, size_t pool, size_t piece, const servet_chase_opts *o)
{
    size_t per_page = (size_t)o->page_bytes / piece, least = ((size_t)8 << 20) / (size_t)o->page_bytes, x;
    int bits, in_place = s->spec->placement == SIM_CONTIGUOUS || o->in_place || o->pattern == SERVET_CHASE_STRIDE;
    size_t window = in_place ? pages : 4 * pages > least ? 4 * pages : least;
    size_t start = servet_stats_random_below(&s->page_random, pool - window + 1);
    uint64_t key = servet_stats_random(&s->page_random), unit = s->unit, page, from;
    for (bits = 2; (size_t)1 << bits < window; ) bits += 2;
    for (x = 0; x < pages * per_page; x++) {
        page = x / per_page;
        if (!in_place) do page = sim__permute(page, bits, key); while (page >= window);
        from = (start + page) * (uint64_t)o->page_bytes + x % per_page * piece;
        page = from / unit;
        s->system_page[x] = (uint32_t)page;
        s->from[x] = from / piece;
        s->frame[x] = (sim__frame(s, page) * unit + from % unit) / piece;
    }
}

/* Is there a neighbour at that time?  A fixed sequence of phases, whoever asks. */
SIM_API int sim_busy_at(const sim *s, double time_ns)
{
    uint64_t state;
    if (!(s->noise.phase_frac > 0) || !(s->noise.phase_s > 0)) return 0;
    state = s->key ^ sim__mix((uint64_t)(time_ns * 1e-9 / s->noise.phase_s));
    return servet_stats_random_unit(&state) < s->noise.phase_frac;
}

/* Lines of a piece that lie in sets of their own, and classes of pieces that share none: of shrunk pieces in shrunk
 * levels.  Returns the lines. */
SIM_API uint32_t sim__classes(const sim *s, int l, uint32_t piece, uint32_t *classes)
{
    uint32_t lines = piece >> sim__log2((size_t)s->spec->level[l].line_bytes);
    uint32_t sets = sim__sets(&s->spec->level[l]) / (uint32_t)s->shrunk;
    *classes = sets > lines ? sets / lines : 1;
    return sets < lines ? sets : lines;
}

/* Where each piece's lines go in level l: at + line inside the piece, combined by exclusive or.  A class is
 * what pieces of one another's sets have in common; a hash also exchanges the lines of a piece. */
SIM_API void sim__index(const sim *s, int l, uint32_t *at, const uint64_t *from, const uint64_t *frames, size_t pieces,
                        uint32_t piece)
{
    const sim_level *d = &s->spec->level[l];
    uint32_t classes, lines = sim__classes(s, l, piece, &classes);
    uint32_t even = classes & (~classes + 1), odd = classes / even;
    int bits = sim__log2(even);
    size_t x;
    for (x = 0; x < pieces; x++) {
        uint64_t frame = frames[x], one;
        if (d->index == SIM_HASHED) {
            one = sim__fold(frame, bits) + (odd > 1 ? even * (sim__mix(frame >> bits) % odd) : 0);
            at[x] = (uint32_t)one * lines + ((uint32_t)sim__mix(~frame) & (lines - 1));
        } else if (d->index == SIM_XORED) {
            at[x] = (uint32_t)(frame % classes) * lines + (uint32_t)sim__fold(frame / classes, 3) * (lines / 8);
        } else {
            one = d->index == SIM_VIRTUAL ? from[x] : frame;
            at[x] = (uint32_t)(one % classes) * lines;
        }
    }
}

/* Empty caches for the pieces of this call, of all CPUs there are. */
SIM_API int sim__begin(sim *s, uint32_t *const *at, uint32_t piece, size_t pieces)
{
    uint32_t classes;
    int cpu, l, ok = 1;
    s->epoch++;
    s->busy = sim_busy_at(s, s->time_ns);
    s->piece_shift = sim__log2(piece);
    s->pair = s->spec->pairs && piece >= 128 ? 64 : 0;
    s->next_line = s->spec->next_line && piece >= 128 ? (uint32_t)s->spec->level[s->levels - 1].line_bytes : 0;
    for (cpu = 0; cpu < SIM_CPUS && s->of_cpu[cpu][0]; cpu++)
        for (l = 0; l < s->levels; l++) {
            sim__cache *c = s->of_cpu[cpu][l];
            const size_t lines = (pieces << s->piece_shift) >> c->shift;
            uint32_t ways = (uint32_t)sim_truth_ways(s->spec, l);
            if (s->busy && l < 2 && ways > 1) ways /= 2;
            c->at = at[l];
            c->mask = sim__classes(s, l, piece, &classes) - 1;
            c->duel = s->shrunk > 1 ? 1023 : 512;   /* with less than a leader a class the winner is known: BRRIP */
            if (lines > c->lines) {
                SIM__RENEW(unsigned char, c->way, lines, &ok);
                c->lines = ok ? lines : 0;
            }
            if (ways == c->ways) continue;
            c->ways = ways;
            c->all = ~UINT64_C(0) >> (64 - ways);
            c->low = ways < 32 ? UINT64_C(0x5555555555555555) >> (64 - 2 * ways) : UINT64_C(0x5555555555555555);
            for (c->leaves = 1; c->leaves < ways; c->leaves *= 2) {}
            sim__learn(c);
        }
    s->cache = s->of_cpu[0];
    return ok ? SERVET_OK : SERVET_ENOMEM;
}

/* What one CPU chases: n elements that stand for `all`; visited together are `group` of them on group_pages. */
typedef struct sim__ring {
    uint32_t *order;
    size_t    n, all, first, pages;   /* pieces, of the footprint of all CPUs                      */
    size_t    group, group_pages;
} sim__ring;

/* The order of servet_chase_build; an element's place is its byte in a footprint of shrunk pages. */
SIM_API void sim__arrange(sim *s, const sim__ring *r, const servet_chase_opts *o)
{
    size_t n = r->n, group = r->group, from = r->first << s->piece_shift;
    uint32_t k = (uint32_t)s->shrunk, per_page = (uint32_t)o->lines_per_page / k;
    uint32_t page = (uint32_t)o->page_bytes / k, line = (uint32_t)o->line_bytes, lines = page / line;
    size_t i, g;
    for (i = 0; i < n; i++)
        r->order[i] = (uint32_t)(from + i / per_page * page + (uint32_t)(i % per_page) * lines / per_page * line);
    if (o->pattern == SERVET_CHASE_STRIDE) return;
    for (i = 0; i < n; i += group) sim__shuffle(r->order + i, n - i < group ? n - i : group, &s->random);
    for (g = n / group; g > 1; g--) {   /* whole groups change places; a part of one stays last */
        uint32_t *x = r->order + (g - 1) * group;
        uint32_t *y = r->order + servet_stats_random_below(&s->random, g) * group;
        for (i = 0; i < group; i++) {
            uint32_t t = x[i];
            x[i] = y[i];
            y[i] = t;
        }
    }
}

/* A place will be loaded soon: the sets it may go to in large levels are better at hand then. */
SIM__INLINE void sim__expect(const sim *s, uint32_t place)
{
#if defined(__GNUC__)
    int l;
    for (l = 1; l < s->levels; l++) {
        const sim__cache *c = s->cache[l];
        const sim__set *m = sim__set_at(c, c->at[place >> s->piece_shift] ^ (place >> c->shift & c->mask));
        __builtin_prefetch(m, 1);
        __builtin_prefetch((const char *)m + 64, 1);
        __builtin_prefetch(c->way + (place >> c->shift), 1);
    }
#else
    (void)s, (void)place;
#endif
}

/* A load, and what is fetched because of it; the level that had it. */
SIM__INLINE int sim__access(sim *s, uint32_t place)
{
    uint32_t inside = (UINT32_C(1) << s->piece_shift) - 1;
    int hit = sim__load(s, place, 0);
    if (hit > 1 && s->pair) sim__load(s, place ^ s->pair, 1);
    if (hit > 1 && s->next_line) sim__load(s, (place & ~inside) | ((place + s->next_line) & inside), 1);
    return hit;
}

/* One cycle's pages: adds to the misses of the stages; how often a page was come to by a group.  A neighbour translates
 * as much between two elements as it would in k times ns, but no more than what touches all its pages about twice. */
SIM_API double sim__cycle(sim *s, const sim__ring *r, double ns)
{
    const sim__other *o = &s->other;
    const double each = ns > 0 && o->there && o->awake ? ns * s->shrunk / (o->gap_ns + s->spec->level[0].ns) : 0;
    const double most = 2.0 * (double)(o->bytes / s->unit + 1);
    double firsts = 0, due = 0;
    size_t i, left = 0;
    unsigned missed;
    int l, first;
    for (i = 0; i < r->n; i++) {
        uint32_t place = r->order[i], page = s->system_page[place >> s->piece_shift];
        if (left == 0) {
            left = r->group;
            s->visits++;
        }
        left--;
        first = s->visit[page] != s->visits;
        s->visit[page] = s->visits;
        for (missed = sim__lookaside(s, page, place), l = 0; missed; missed >>= 1, l++) {
            if (!(missed & 1)) continue;
            if (first) s->tlb[l].first_misses++;
            else s->tlb[l].other_misses++;
        }
        firsts += first;
        for (due += each < most ? each : most; due > 0; due--) sim__other_load(s, 0, 1);
    }
    return firsts;
}

/* Misses among loads that come back to a page of a group of so many, all equally likely: what the few lines of
 * shrunk pages cannot tell. */
SIM_API void sim__revisit(sim *s, const sim__ring *r, size_t loads, size_t pages, double weight)
{
    size_t i;
    int l;
    for (i = 0; i < 2 * loads; i++) {
        uint32_t page = s->system_page[r->first + servet_stats_random_below(&s->random, pages)];
        unsigned missed = sim__lookaside(s, page, ~(uint32_t)i);
        for (l = 0; i >= loads && missed; missed >>= 1, l++)
            if (missed & 1) s->tlb[l].other_misses += weight;
    }
}

/* Shares of the loads of a ring that miss in each stage, once all hold what they will. */
SIM_API void sim__translations(sim *s, const sim__ring *r, double *missed, double ns)
{
    size_t k = (size_t)s->shrunk, groups = r->n / r->group, rest = r->n % r->group;
    double firsts, others;
    int l;
    sim__cycle(s, r, ns);
    for (l = 0; l < SIM__STAGES; l++) s->tlb[l].first_misses = s->tlb[l].other_misses = 0;
    firsts = sim__cycle(s, r, ns);
    others = (double)r->n - firsts;
    if (r->group < r->n && k > 1) {
        for (l = 0; l < SIM__STAGES; l++) s->tlb[l].other_misses = 0;
        sim__revisit(s, r, r->group * k, r->group_pages, (double)groups);
        if (rest) sim__revisit(s, r, rest * k, r->pages - groups * r->group_pages, 1);
        others = (double)(r->n * k);
    }
    for (l = 0; l < SIM__STAGES; l++) {
        missed[l] = s->tlb[l].first_misses / (double)r->all;
        if (others > 0) missed[l] += s->tlb[l].other_misses / others * (1 - firsts / (double)r->all);
    }
}

/* Cycles until each level is as it stays.  Its policy matters only where lines compete without all losing. */
SIM_API int sim__warm(const sim *s, size_t all, size_t n, int line_bytes)
{
    static const int cycles[] = { 1, 1, 3, 3, 1, 1, 2, 6, 2, 3 }, times[] = { 1, 1, 2, 2, 1, 1, 8, 2, 4, 2 };
    int warm = 1, l;
    if (s->warm) return s->warm;
    for (l = 0; l < s->levels; l++) {
        int policy = s->cache[l]->policy;
        if ((double)all * line_bytes > times[policy] * sim_truth_bytes(s->spec, l)) continue;
        if (warm < cycles[policy]) warm = cycles[policy];
        if (warm > 2 && n < 4096) warm = 16;
    }
    return warm;
}

/* Latency of level l, or of memory, where prefetchers divide what is beyond the first level by gain. */
SIM_API double sim__latency(const sim *s, int l, double gain)
{
    double ns = l < s->levels ? s->spec->level[l].ns : s->spec->memory_ns;
    if (l > 0) ns = ns / gain > s->spec->level[0].ns ? ns / gain : s->spec->level[0].ns;
    return ns;
}

/* ns per load where levels serve such shares of the loads and stages miss in such; keeps both for who asks. */
SIM_API double sim__cost(sim *s, const double *hits, const double *missed, double gain)
{
    double ns = 0, early = s->tlb[SIM__FOLLOW].sets ? s->spec->follow_frac * (1 - missed[SIM__FOLLOW]) : 0;
    int l;
    s->early_frac = 0;
    for (l = 0; l <= s->levels; l++) {
        s->hit_frac[l] = hits[l];
        ns += hits[l] * sim__latency(s, l, gain);
        if (l < 2) continue;
        s->early_frac += early * hits[l];
        ns -= early * hits[l] * (sim__latency(s, l, gain) - sim__latency(s, l - 1, gain));
    }
    for (l = 0; l < SIM__FOLLOW; l++) if (s->tlb[l].sets) ns += missed[l] * s->tlb[l].ns;
    for (l = 0; l < SIM_TLBS; l++) s->tlb_frac[l] = missed[l];
    s->walk_frac = missed[SIM__WALK];
    return ns;
}

/* The same beside a neighbour.  A cycle is walked again until 20 us are timed, as a rig times many. */
SIM_API double sim__walk_beside(sim *s, const sim__ring *r, int warm, double gain)
{
    enum { SHORT_NS = 20000, CYCLES = 4096 };
    double hits[SIM_LEVELS + 1], missed[SIM__STAGES], one, alone;
    size_t seen[SIM_LEVELS + 1] = { 0 }, i, loads = 0, way = r->n;
    sim__other *o = &s->other;
    int l, cycles = 0;
    for (warm = warm < 1 ? 1 : warm; cycles < CYCLES && (cycles <= warm || o->slow_ns * s->shrunk < SHORT_NS);
         cycles++) {
        if (cycles == warm) {
            o->plain_ns = o->slow_ns = 0;
            memset(seen, 0, sizeof seen);
            loads = 0;
        }
        for (i = 0; i < way; i++) {
            const int hit = sim__access(s, r->order[i < r->n ? i : 2 * r->n - 1 - i]);
            one = sim__latency(s, hit, gain);
            alone = one;
            one = sim__slowed(s, hit, one);
            o->plain_ns += alone;
            o->slow_ns += one;
            seen[hit]++;
            sim__meanwhile(s, one, 0);
        }
        loads += way;
    }
    one = o->slow_ns / (double)loads;    /* of a load: what the translations have to bear */
    sim__translations(s, r, missed, one);
    for (l = 0; l <= s->levels; l++) hits[l] = (double)seen[l] / (double)loads;
    return sim__cost(s, hits, missed, gain) * o->slow_ns / o->plain_ns;
}

/* Cycles until things are as they stay, then the one that counts: ns per load, without noise. */
SIM_API double sim__walk(sim *s, const sim__ring *r, int warm, double gain)
{
    double hits[SIM_LEVELS + 1], missed[SIM__STAGES];
    size_t seen[SIM_LEVELS + 1] = { 0 }, i;
    int l, last = 0;
    if (s->other.there && (s->other.awake || s->other.is.slice_s > 0)) return sim__walk_beside(s, r, warm, gain);
    for (; !last; warm--) {   /* until it was warm, or all hit the first level */
        last = warm <= 0 || seen[0] == r->n;
        memset(seen, 0, sizeof seen);
        for (i = 0; i < r->n; i++) seen[sim__access(s, r->order[i])]++;
    }
    sim__translations(s, r, missed, 0);
    for (l = 0; l <= s->levels; l++) hits[l] = (double)seen[l] / (double)r->n;
    return sim__cost(s, hits, missed, gain);
}

/* >>machine: noise and the callbacks ---------------------------------------------------------- */

SIM_API double sim__normal(sim *s)
{
    double u = 1 - servet_stats_random_unit(&s->noise_random), v = servet_stats_random_unit(&s->noise_random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

SIM_API double sim__jitter(sim *s, double frac)
{
    return exp(frac * sim__normal(s));
}

/* Reference chains of 12 to 60 KiB as a rig has them, in cycles of a quarter of the first level's latency. */
SIM_API double sim__anchor(sim *s, int busy)
{
    double have = s->spec->level[0].bytes / (busy ? 2 : 1), first_ns = s->spec->level[0].ns, cycles = 0, kib;
    double next_ns = s->levels > 1 ? s->spec->level[1].ns : s->spec->memory_ns;
    for (kib = 12; kib <= 60; kib += 16) cycles += kib / 144 * 4 * (kib * 1024 <= have ? 1 : next_ns / first_ns);
    return cycles * (busy ? s->noise.phase_slow : 1) * sim__jitter(s, 0.2 * s->noise.jitter_frac);
}

/* What a call takes beside a neighbour, at least what was gone through: a sample is flagged if time was lost. */
SIM_API double sim__overlapped(sim *s, double took, servet_sample *out)
{
    sim__other *o = &s->other;
    if (!o->there) return took;
    if (took < s->now_ns - s->time_ns) took = s->now_ns - s->time_ns;
    if (o->is.slice_s > 0 && s->time_ns + took >= o->switch_ns) {
        o->switches++;
        o->switch_ns = s->time_ns + took - o->is.slice_s * 1e9 * log(1 - servet_stats_random_unit(&o->random));
        took += o->is.away_s * 1e9;
    }
    if (o->switches) out->flags |= SERVET_NOISE_SWITCH;
    return took;
}

/* That much later; and the reference chains before and after. */
SIM_API void sim__pass_time(sim *s, double took, servet_sample *out)
{
    double after;
    s->time_ns += took;
    out->anchor_cycles = sim__anchor(s, s->busy);
    after = sim__anchor(s, sim_busy_at(s, s->time_ns));
    if (after > out->anchor_cycles) out->anchor_cycles = after;
    if (s->other.there && s->other.awake) {    /* its chains are evicted, and the clock is another */
        const double clock = s->other.is.clock_frac > 0 ? s->other.is.clock_frac : 1;
        out->anchor_cycles *= (1.1 + 0.4 * servet_stats_random_unit(&s->noise_random)) / clock;
    }
}

/* The sample of a chase that takes ns a load in silence.  Time passes: the building, warm cycles, which
 * overlap where they are long, three timed parts of 60 us to 3 ms, the reference chains.  A preemption is
 * flagged, and costs the sample up to half as much again, as the better parts of three are taken.  Returns the ns
 * that pass. */
SIM_API double sim__sample(sim *s, double ns, size_t n, servet_sample *out)
{
    double outlier = servet_stats_random_unit(&s->noise_random), preempt = servet_stats_random_unit(&s->noise_random);
    double worse = servet_stats_random_unit(&s->noise_random), cycle, took;
    if (s->busy) ns *= s->noise.phase_slow;
    ns *= sim__jitter(s, s->noise.jitter_frac);
    if (outlier < s->noise.outlier_frac) ns *= 1 + worse * (s->noise.outlier_max - 1);
    cycle = (double)n * ns;
    took = (double)n * s->build_ns + cycle * (n < 65536 ? 2 : n < 262144 ? 1.25 : 0.25) + 40000
           + 3 * (cycle < 60e3 ? 60e3 : cycle > 3e6 ? 3e6 : cycle);
    out->flags = 0;
    if (preempt < 1 - exp(-took * 1e-9 * s->noise.switches_per_s)) {
        out->flags = SERVET_NOISE_SWITCH;
        took += s->noise.switch_s * 1e9;
        ns *= 1 + 0.5 * worse;
    }
    out->ns = ns;
    return took;
}

/* Draws pages for each of so many CPUs and lays a ring of n elements over its own; o becomes the resolved options. */
SIM_API int sim__rings(sim *s, sim__ring *ring, int cpus, const size_t *n, servet_chase_opts *o)
{
    size_t all = 0, few = 0, most = 0, pool, piece, shrunk_piece, per_page, others, last_page;
    int l, status;
    sim__pages(s, SERVET_PAGES_DEFAULT);
    if (sim__chase_resolve(o, o) < 0) return SERVET_EINVAL;
    if (o->page_bytes & (o->page_bytes - 1) || o->line_bytes & (o->line_bytes - 1)) return SERVET_EUNSUPPORTED;
    for (l = 0; l < cpus; l++) {
        if (n[l] < 1) return SERVET_EINVAL;
        all += servet__chase_pages(n[l], o);
        if (n[l] > most) most = n[l];
    }
    if ((double)all * o->page_bytes >= 1073741824.0) return SERVET_ENOMEM;
    pool = (size_t)(SIM_POOL_BYTES / o->page_bytes);
    while (pool < 4 * all) pool *= 2;
    piece = (size_t)o->page_bytes < s->unit ? (size_t)o->page_bytes : s->unit;
    per_page = (size_t)o->page_bytes / piece;
    s->shrunk = (int)sim__shrink(s, most, piece, o);
    shrunk_piece = piece / (size_t)s->shrunk;
    for (l = 0; l < cpus; l++) few += n[l] / (size_t)s->shrunk + (n[l] % (size_t)s->shrunk != 0);
    others = sim__other_pieces(s, piece);
    last_page = (size_t)((double)pool * o->page_bytes / s->unit) + 1;
    status = sim__reserve(s, few, all * per_page + others, last_page + sim__other_pieces(s, s->unit), 0);
    if (status < 0) return status;
    sim__draw(s, all, pool, piece, o);
    sim__other_frames(s, s->from + all * per_page, s->frame + all * per_page, others, piece);
    for (l = 0; l < s->levels; l++)
        sim__index(s, l, s->at[l], s->from, s->frame, all * per_page + others, (uint32_t)shrunk_piece);
    status = sim__begin(s, s->at, (uint32_t)shrunk_piece, all * per_page + others);
    if (status < 0) return status;
    sim__accompany(s, all * per_page, last_page);
    for (few = all = 0, l = 0; l < cpus; l++) {
        sim__ring *r = &ring[l];
        r->order = s->order + few;
        r->n = n[l] / (size_t)s->shrunk + (n[l] % (size_t)s->shrunk != 0);
        r->all = n[l];
        r->pages = servet__chase_pages(n[l], o) * per_page;
        r->first = all;
        few += r->n;
        all += r->pages;
        r->group = o->pattern == SERVET_CHASE_COMPACT
                   ? (size_t)(o->lines_per_page / s->shrunk) * (size_t)o->group_pages : r->n;
        r->group_pages = (size_t)o->group_pages * per_page;
        sim__arrange(s, r, o);
    }
    return SERVET_OK;
}

SIM_API double sim__gain(const sim *s, const servet_chase_opts *o)
{
    return o->pattern == SERVET_CHASE_STRIDE && s->spec->stride_gain > 1 ? s->spec->stride_gain : 1;
}

SIM_API int sim_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    sim *s = (sim *)ctx;
    servet_chase_opts o;
    sim__ring ring;
    double took;
    int status;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    status = out ? sim__rings(s, &ring, 1, &n, &o) : SERVET_EINVAL;
    if (status < 0) return status;
    took = sim__sample(s, sim__walk(s, &ring, sim__warm(s, n, ring.n, o.line_bytes), sim__gain(s, &o)), n, out);
    took = sim__overlapped(s, took, out);
    sim__pass_time(s, took, out);
    return SERVET_OK;
}

/* CPUs below spec->cpus, each named once: caches for all of them. */
SIM_API int sim__seats(sim *s, const int *cpu, int cpus)
{
    int i, j, most = 0;
    if (!cpu || cpus < 1 || cpus > SIM_CPUS) return SERVET_EINVAL;
    for (i = 0; i < cpus; i++) {
        if (cpu[i] < 0 || cpu[i] >= (s->spec->cpus > 1 ? s->spec->cpus : 1)) return SERVET_EINVAL;
        for (j = 0; j < i; j++) if (cpu[j] == cpu[i]) return SERVET_EINVAL;
        if (cpu[i] > most) most = cpu[i];
    }
    for (i = 0; i <= most; i++) if (!sim__equip(s, i)) return SERVET_ENOMEM;
    return SERVET_OK;
}

/* sim_together - chases of several CPUs at the same time, the i-th over n[i] elements on pages of its own
 *   cpu   so many different ones, below spec->cpus
 *   out   a sample for each
 * Loads are made in the order of each CPU's clock, which its own latencies advance: a CPU that hits makes more of
 * them.  Every CPU is warm before any is counted, and all go on until each has been counted over a cycle.  What the
 * last call saw is the mean over the CPUs. */
SIM_API int sim_together(void *ctx, const int *cpu, int cpus, const size_t *n, const servet_chase_opts *opts,
                         servet_sample *out)
{
    sim *s = (sim *)ctx;
    servet_chase_opts o;
    sim__ring ring[SIM_CPUS];
    double clock[SIM_CPUS], stages_ns[SIM_CPUS], hits[SIM_CPUS][SIM_LEVELS + 1], missed[SIM_CPUS][SIM__STAGES];
    double ns[SIM_LEVELS + 1], none[SIM_LEVELS + 1] = { 0 }, sum[SIM_LEVELS + 1] = { 0 }, took = 0, gain, one;
    size_t loads[SIM_CPUS], counted[SIM_CPUS], warm[SIM_CPUS];
    int i, j, l, hit, cold, left, status;
    if (!n || !out) return SERVET_EINVAL;
    status = sim__seats(s, cpu, cpus);
    if (status < 0) return status;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    status = sim__rings(s, ring, cpus, n, &o);
    if (status < 0) return status;
    gain = sim__gain(s, &o);
    for (l = 0; l <= s->levels; l++) ns[l] = sim__latency(s, l, gain);
    for (i = 0; i < cpus; i++) {
        clock[i] = 0;
        loads[i] = counted[i] = 0;
        s->cache = s->of_cpu[cpu[i]];
        memset(hits[i], 0, sizeof hits[i]);
        sim__pages(s, SERVET_PAGES_DEFAULT);
        sim__translations(s, &ring[i], missed[i], 0);
        stages_ns[i] = sim__cost(s, none, missed[i], gain);
        warm[i] = (size_t)sim__warm(s, n[i], ring[i].n, o.line_bytes) * ring[i].n;
    }
    for (cold = left = cpus; left > 0; ) {
        for (i = 0, j = 1; j < cpus; j++) if (clock[j] < clock[i]) i = j;
        s->cache = s->of_cpu[cpu[i]];
        hit = sim__access(s, ring[i].order[loads[i] % ring[i].n]);
        loads[i]++;
        clock[i] += ns[hit] + stages_ns[i];
        if (cold > 0) {
            cold -= loads[i] == warm[i];
        } else if (counted[i] < ring[i].n) {
            hits[i][hit]++;
            left -= ++counted[i] == ring[i].n;
        }
    }
    for (i = 0; i < cpus; i++) {
        for (l = 0; l <= s->levels; l++) hits[i][l] /= (double)ring[i].n;
        one = sim__sample(s, sim__cost(s, hits[i], missed[i], gain), n[i], &out[i]);
        if (one > took) took = one;
        for (l = 0; l <= s->levels; l++) sum[l] += hits[i][l] / cpus;
    }
    memcpy(s->hit_frac, sum, sizeof sum);
    sim__pass_time(s, took, &out[0]);
    for (i = 1; i < cpus; i++) out[i].anchor_cycles = out[0].anchor_cycles;
    return SERVET_OK;
}

/* Loads of a CPU over a part of a ring, of so many equal ones: the latency, translations aside. */
SIM_API double sim__relay_walk(sim *s, int cpu, const sim__ring *r, int part, int parts, double gain)
{
    const size_t from = r->n * (size_t)part / (size_t)parts, to = r->n * (size_t)(part + 1) / (size_t)parts;
    double ns = 0;
    size_t i;
    s->cache = s->of_cpu[cpu];
    for (i = from; i < to; i++) ns += sim__latency(s, sim__access(s, r->order[i]), gain);
    return to > from ? ns / (double)(to - from) : 0;
}

/* sim_relay - what the first CPU finds of what the others have read, or of what it left while they walked elsewhere */
SIM_API int sim_relay(void *ctx, const servet_relay *q, servet_sample *out)
{
    sim *s = (sim *)ctx;
    sim__ring ring[SIM_CPUS];
    servet_chase_opts o;
    size_t n[SIM_CPUS];
    double gain, own[SIM_CPUS], found, took;
    int i, turn, round, status;
    if (!q || !out || q->cpus < 2 || q->n < 3) return SERVET_EINVAL;
    status = sim__seats(s, q->cpu, q->cpus);
    if (status < 0) return status;
    for (i = 0; i < q->cpus; i++) n[i] = i > 0 && q->between > 0 ? q->between : q->n;
    for (round = 0; round < (q->rounds ? q->rounds : 1); round++, out += q->cpus) {
        o = q->chase;
        o.seed += (uint64_t)round;
        status = sim__rings(s, ring, q->between > 0 ? q->cpus : 1, n, &o);
        if (status < 0) return status;
        gain = sim__gain(s, &o);
        for (turn = 0; turn < 2; turn++)
            for (i = q->between > 0 ? 0 : 1; i < (q->between > 0 ? 1 : q->cpus); i++)
                sim__relay_walk(s, q->cpu[i], ring, 0, 1, gain);
        if (q->between > 0) {
            own[0] = sim__relay_walk(s, q->cpu[0], ring, 0, 2, gain);
            for (i = 1; i < q->cpus; i++) sim__relay_walk(s, q->cpu[i], &ring[i], 0, 1, gain);
            found = sim__relay_walk(s, q->cpu[0], ring, 1, 2, gain);
        } else {
            for (i = 1; i < q->cpus; i++) own[i] = sim__relay_walk(s, q->cpu[i], ring, 0, 3, gain);
            found = sim__relay_walk(s, q->cpu[0], ring, 1, 3, gain);
            own[0] = sim__relay_walk(s, q->cpu[0], ring, 1, 3, gain);
            for (i = 1; i < q->cpus; i++) own[i] = fmax(own[i], sim__relay_walk(s, q->cpu[i], ring, 2, 3, gain));
        }
        for (took = 0, i = 0; i < q->cpus; i++)
            took = fmax(took, sim__sample(s, i == 0 ? found : own[q->between > 0 ? 0 : i], q->n, &out[i]));
        sim__pass_time(s, took, &out[0]);
        out[0].again_ns = q->between > 0 ? 0 : own[0];
    }
    return SERVET_OK;
}

/* What a walk over places met. */
typedef struct sim__tally {
    double loads, hits[SIM_LEVELS + 1], missed[SIM__STAGES];
    double plain_ns, slow_ns, away_ns;    /* beside a neighbour: what loads take alone, and took; time lost */
} sim__tally;

/* Bytes of lines that a shrunk track keeps or leaves together: of levels with larger ones, and pairs. */
SIM_API uint32_t sim__track_unit(const sim *s)
{
    int l, bytes = s->spec->pairs ? 128 : 1;
    for (l = 0; l < s->levels; l++)
        if (bytes < s->spec->level[l].line_bytes) bytes = s->spec->level[l].line_bytes;
    return (uint32_t)bytes;
}

/* Does a machine shrunk so much keep one in k of these? */
SIM_API int sim__all_kept(const sim *s, const uint32_t *place, size_t n, uint32_t k)
{
    const uint32_t left_out = (k - 1) * sim__track_unit(s) / (uint32_t)SERVET_PLACE_BYTES;
    static unsigned char page_kept[(size_t)SIM_POOL_BYTES / 1024 / 8];
    const uint32_t page = (uint32_t)s->spec->page_bytes / (uint32_t)SERVET_PLACE_BYTES;
    size_t i, kept = 0;
    for (i = 0; i < n; i++) kept += (place[i] & left_out) == 0;
    if (kept * k != n) return 0;
    for (i = 0; i < n; i++) page_kept[place[i] / page / 8] = 0;
    for (i = 0; i < n; i++)
        if ((place[i] & left_out) == 0) page_kept[place[i] / page / 8] |= (unsigned char)(1 << place[i] / page % 8);
    /* no page may be left out as a whole: a translation would be */
    for (i = 0; i < n && page_kept[place[i] / page / 8] >> place[i] / page % 8 & 1; i++) { }
    return i == n;
}

/* Where a part of what is timed begins. */
SIM_API const uint32_t *sim__part(const servet_track *t, int j)
{
    return t->place ? t->place + t->n / (size_t)t->parts * (size_t)j
                    : t->between + t->between_n / (size_t)t->parts * (size_t)j;
}

/* By how much a track is shrunk: only where it takes all lines of every page, and many of them, so that one unit in
 * k tells of the others.  A page has eight lines and four units left. */
SIM_API uint32_t sim__track_shrink(const sim *s, const servet_track *t)
{
    const size_t page = (size_t)s->spec->page_bytes, line = (size_t)s->spec->level[0].line_bytes;
    const size_t unit = sim__track_unit(s), steps = t->n / (size_t)t->parts;
    uint32_t k = 1;
    int l, fits = t->between_n >= 1024 && !s->whole;
    while (fits && k < 8) {
        const uint32_t next = 2 * k;
        fits = page / line / next >= 8 && page / unit / next >= 4;
        for (l = 0; fits && l < s->levels; l++) {
            const sim_level *d = &s->spec->level[l];
            fits = sim__sets(d) % (next * (uint32_t)(unit / (size_t)d->line_bytes)) == 0;
        }
        if (fits) k = next;
    }
    if (k == 1) return 1;
    fits = sim__all_kept(s, t->between, t->between_n, k);
    for (l = 0; fits && l < t->parts; l++) fits = sim__all_kept(s, sim__part(t, l), steps, k);
    return fits ? k : 1;
}

/* The stops of n places, in pages of so many frames: of a shrunk machine, only units that are multiples of k, where
 * they then are.  How many. */
SIM_API size_t sim__stops(const sim *s, sim__stop *stop, const uint32_t *place, size_t n, uint32_t frames)
{
    const int line = s->cache[0]->shift, unit = sim__log2(s->unit), page = sim__log2((size_t)s->spec->page_bytes);
    const int kept = sim__log2(sim__track_unit(s)), k = sim__log2((size_t)s->shrunk);
    const uint32_t inside = (UINT32_C(1) << page) - 1, in_unit = (UINT32_C(1) << kept) - 1;
    size_t i, stops = 0;
    for (i = 0; i < n; i++) {
        const uint32_t at = place[i] * (uint32_t)SERVET_PLACE_BYTES, in_page = at & inside;
        if (in_page >> kept & (uint32_t)(s->shrunk - 1)) continue;
        stop[stops].place = ((at >> page) % frames << s->piece_shift)
                          + (in_page >> kept >> k << kept) + (in_page & in_unit);
        stop[stops].page = at >> unit;
        stop[stops++].line = at >> line;
    }
    return stops;
}

/* Loads in turn, so many of them at once. */
SIM_API void sim__visit_beside(sim *s, const sim__stop *stop, size_t n, int at_once, sim__tally *sum)
{
    const double away_ns = s->other.away_ns;
    size_t i;
    unsigned missed;
    int l, hit;
    for (i = 0; i < n; i++) {
        double ns, slow;
        missed = sim__lookaside(s, stop[i].page, stop[i].line);
        hit = sim__access(s, stop[i].place);
        sum->hits[hit]++;
        ns = hit < s->levels ? s->spec->level[hit].ns : s->spec->memory_ns;
        for (l = 0; missed; missed >>= 1, l++)
            if (missed & 1) {
                sum->missed[l] += 1 / (double)s->shrunk;
                if (l < SIM__FOLLOW) ns += s->tlb[l].ns / s->shrunk;
            }
        slow = sim__slowed(s, hit, ns);
        sum->plain_ns += ns;
        sum->slow_ns += slow;
        sim__meanwhile(s, slow / at_once, 1);
    }
    sum->loads += (double)n;
    sum->away_ns += s->other.away_ns - away_ns;
}

/* What so many loads take at most. */
SIM_API double sim__longest(const sim *s, size_t n)
{
    double ns = s->spec->memory_ns;
    int l;
    for (l = 0; l < SIM__FOLLOW; l++) if (s->tlb[l].sets) ns += s->tlb[l].ns;
    return (double)n * ns * s->shrunk;
}

SIM_API void sim__visit(sim *s, const sim__stop *stop, size_t n, int at_once, sim__tally *sum)
{
    enum { AHEAD = 8 };
    uint32_t hits[SIM_LEVELS + 1] = { 0 }, misses[SIM__STAGES] = { 0 };
    size_t i;
    double took;
    unsigned missed;
    int l;
    if (s->other.there && (s->other.awake || s->now_ns + sim__longest(s, n) >= fmin(s->other.until_ns,
                                                                                     s->other.switch_ns))) {
        sim__visit_beside(s, stop, n, at_once, sum);
        return;
    }
    for (i = 0; i < n; i++) {
        sim__expect(s, stop[i + AHEAD < n ? i + AHEAD : i].place);
        missed = sim__lookaside(s, stop[i].page, stop[i].line);
        hits[sim__access(s, stop[i].place)]++;
        for (l = 0; missed; missed >>= 1, l++) misses[l] += missed & 1;
    }
    for (l = 0; l <= SIM_LEVELS; l++) sum->hits[l] += hits[l];
    for (l = 0; l < SIM__STAGES; l++) sum->missed[l] += misses[l] / (double)s->shrunk;    /* of so many */
    sum->loads += (double)n;
    if (!s->other.there) return;
    took = 0;
    for (l = 0; l <= s->levels; l++) took += hits[l] * sim__latency(s, l, 1);
    for (l = 0; l < SIM__FOLLOW; l++) if (s->tlb[l].sets) took += misses[l] / (double)s->shrunk * s->tlb[l].ns;
    sum->plain_ns += took;
    sum->slow_ns += took;
    s->now_ns += took * s->shrunk / at_once;
}

/* ns per load, in silence. */
SIM_API double sim__tally_ns(sim *s, const sim__tally *sum)
{
    const double loads = sum->loads > 0 ? sum->loads : 1;
    double hits[SIM_LEVELS + 1], missed[SIM__STAGES];
    int l;
    for (l = 0; l <= SIM_LEVELS; l++) hits[l] = sum->hits[l] / loads;
    for (l = 0; l < SIM__STAGES; l++) missed[l] = sum->missed[l] / loads;
    return sim__cost(s, hits, missed, 1) * (sum->plain_ns > 0 ? sum->slow_ns / sum->plain_ns : 1);
}

SIM_API void sim__tally_add(sim__tally *sum, const sim__tally *t)
{
    int l;
    sum->loads += t->loads;
    sum->plain_ns += t->plain_ns;
    sum->slow_ns += t->slow_ns;
    sum->away_ns += t->away_ns;
    for (l = 0; l <= SIM_LEVELS; l++) sum->hits[l] += t->hits[l];
    for (l = 0; l < SIM__STAGES; l++) sum->missed[l] += t->missed[l];
}

/* So many passes.  One that found all in the first level, or all in the second but for a few that the first had, leaves
 * that level as it is, but for the order in which it would give lines up, which is that of such a pass, and of a level
 * before it nothing older than the pass: the passes left are as it was.  Not where the second is exclusive, whose lines
 * move, nor beside a neighbour that may wake meanwhile. */
SIM_API void sim__passes(sim *s, const sim__stop *stop, size_t n, int passes, int at_once, sim__tally *sum)
{
    const int stay = !s->every && s->levels > 1 && s->cache[1]->relation != SIM_EXCLUSIVE && !s->spec->follow_pages;
    const sim__other *o = &s->other;
    int j, k;
    for (j = 0; j < passes; j++) {
        sim__tally one;
        double ns;
        memset(&one, 0, sizeof one);
        sim__visit(s, stop, n, at_once, &one);
        sim__tally_add(sum, &one);
        if (!stay || one.hits[0] + one.hits[1] < one.loads) continue;
        if (one.hits[1] > 0 && 8 * one.hits[0] > one.loads) continue;
        ns = (passes - 1 - j) * (o->there ? one.slow_ns * s->shrunk / at_once : 0);
        if (o->there && (o->awake || s->now_ns + ns >= fmin(o->until_ns, o->switch_ns))) continue;
        s->now_ns += ns;
        for (k = j + 1; k < passes; k++) sim__tally_add(sum, &one);
        return;
    }
}

/* What a timer says of so many ns. */
SIM_API double sim__read(sim *s, double ns)
{
    const double tick = s->timer.tick_ns > 0 ? s->timer.tick_ns : s->spec->tick_ns;
    if (s->timer.irq_per_s > 0
        && servet_stats_random_unit(&s->noise_random) < 1 - exp(-ns * 1e-9 * s->timer.irq_per_s)) ns += s->timer.irq_ns;
    if (s->timer.read_ns > 0) ns += s->timer.read_ns * (2 * servet_stats_random_unit(&s->noise_random) - 1);
    if (tick > 0) ns = tick * floor(ns / tick + servet_stats_random_unit(&s->noise_random));
    return ns > 0 ? ns : 0;
}

/* ns per load of so many, as timed. */
SIM_API double sim__timed(sim *s, double ns, double loads)
{
    double outlier = servet_stats_random_unit(&s->noise_random), worse = servet_stats_random_unit(&s->noise_random);
    if (s->busy) ns *= s->noise.phase_slow;
    ns *= sim__jitter(s, s->noise.jitter_frac);
    if (outlier < s->noise.outlier_frac) ns *= 1 + worse * (s->noise.outlier_max - 1);
    ns += s->noise.timer_ns / loads * sim__normal(s);
    return sim__read(s, ns * loads) / loads;
}

/* Where all pages of the pool go in each level, found once: pages keep their frames. */
SIM_API int sim__pool_open(sim *s, int huge)
{
    const size_t piece = (size_t)s->spec->page_bytes, own = (size_t)SIM_POOL_BYTES / piece;
    const size_t others = sim__other_pieces(s, piece), pieces = own + others;
    sim__pool *pool = &s->pool[huge + 2 * (s->shrunk > 1)];
    uint64_t *from = NULL, *frame = NULL;
    size_t x;
    int l, ok = 1;
    if (pool->at[0]) return SERVET_OK;
    SIM__RENEW(uint64_t, from, pieces, &ok);
    SIM__RENEW(uint64_t, frame, pieces, &ok);
    for (l = 0; l < s->levels; l++) SIM__RENEW(uint32_t, pool->at[l], pieces, &ok);
    for (x = 0; ok && x < own; x++) {
        from[x] = x;
        frame[x] = (sim__frame(s, x * piece / s->unit) * s->unit + x * piece % s->unit) / piece;
    }
    if (ok) sim__other_frames(s, from + own, frame + own, others, piece);
    for (l = 0; l < s->levels; l++) {
        if (ok) {
            sim__index(s, l, pool->at[l], from, frame, pieces, (uint32_t)piece / (uint32_t)s->shrunk);
            continue;
        }
        free(pool->at[l]);
        pool->at[l] = NULL;
    }
    free(from);
    free(frame);
    return ok ? SERVET_OK : SERVET_ENOMEM;
}

/* How many lines others put into the last level in a ns, as a share of those there are, while a passage is timed. */
SIM_API double sim__inserted(sim *s)
{
    const sim_level *last = &s->spec->level[s->levels - 1];
    const int busy = s->insert_busy_frac > 0 && servet_stats_random_unit(&s->noise_random) < s->insert_busy_frac;
    return s->insert_per_us[busy] * 1e-3 * last->line_bytes / last->bytes;
}

/* Is a slot in a list twice, or in both?  A rig links the lists there, and would walk something else. */
SIM_API int sim__twice(sim *s, const servet_track *t)
{
    int i, twice = 0;
    size_t k;
    if (!s->linked) s->linked = (uint64_t *)calloc((size_t)SIM_POOL_BYTES / SERVET_PLACE_BYTES / 64 + 1, 8);
    if (!s->linked) return 1;
    for (i = 0; i < 4; i++) {    /* marks both, then clears them */
        const uint32_t *list = i & 1 ? t->between : t->place;
        for (k = 0; list && k < (i & 1 ? t->between_n : t->n); k++) {
            const uint64_t bit = UINT64_C(1) << (list[k] % 64);
            if (i < 2) {
                twice |= (s->linked[list[k] / 64] & bit) != 0;
                s->linked[list[k] / 64] |= bit;
            } else s->linked[list[k] / 64] &= ~bit;
        }
    }
    return twice;
}

/* The track callback: the events of a rig's, in their order, beginning with empty caches.  What lies between takes
 * an eighth of the time of one load after another, as a rig walks it by so many chains. */
SIM_API int sim_track(void *ctx, const servet_track *track, double *ns, servet_sample *out)
{
    enum { CHAINS = 8, GUESS = 2048 };    /* loads walked, without anything between, until the length is known */
    sim *s = (sim *)ctx;
    servet_track t;
    servet_sample sample;
    double build_ns, pass[SERVET_TRACK_PARTS], took = 0, quiet[SERVET_TRACK_PARTS], preempt, end_ns = 0;
    sim__tally all, warm, aside;
    size_t i, n, from[SERVET_TRACK_PARTS + 1], steps, places, pages;
    const sim__stop *between;
    uint32_t frames;
    int j, k, huge, status;
    if (!ns || !out || sim__track_resolve(&t, track) < 0) return SERVET_EINVAL;
    frames = t.pages == SERVET_PAGES_ALIAS ? (uint32_t)SERVET_ALIAS_FRAMES : UINT32_MAX;
    places = (frames < UINT32_MAX ? (size_t)SERVET_ALIAS_PAGES * (size_t)s->spec->page_bytes : (size_t)SIM_POOL_BYTES)
           / (size_t)SERVET_PLACE_BYTES;
    for (i = 0; t.place && i < t.n; i++) if (t.place[i] >= places) return SERVET_EINVAL;
    for (i = 0; i < t.between_n; i++) if (t.between[i] >= places) return SERVET_EINVAL;
    if (frames == UINT32_MAX && sim__twice(s, &t)) return SERVET_EINVAL;
    sim__pages(s, t.pages);
    pages = (size_t)SIM_POOL_BYTES / s->unit + 1;
    if (pages <= SERVET_ALIAS_PAGES) pages = (size_t)SERVET_ALIAS_PAGES + 1;
    huge = s->unit != (uint32_t)s->spec->page_bytes;
    s->shrunk = (int)sim__track_shrink(s, &t);
    status = sim__reserve(s, 0, 0, pages + sim__other_pieces(s, s->unit),
                          t.n + (size_t)t.parts + t.between_n);
    if (status >= 0) status = sim__pool_open(s, huge);
    if (status < 0) return status;
    status = sim__begin(s, s->pool[huge + 2 * (s->shrunk > 1)].at, (uint32_t)(s->spec->page_bytes / s->shrunk),
                        (size_t)SIM_POOL_BYTES / (size_t)s->spec->page_bytes
                        + sim__other_pieces(s, (size_t)s->spec->page_bytes));
    if (status < 0) return status;
    sim__accompany(s, (size_t)SIM_POOL_BYTES / (size_t)s->spec->page_bytes, pages);
    build_ns = (double)(t.n + t.between_n) * s->build_ns * (t.raw ? 0.25 : 1);    /* of questions lines are near */
    s->now_ns += build_ns;
    memset(&all, 0, sizeof all);
    memset(&warm, 0, sizeof warm);
    memset(&aside, 0, sizeof aside);
    steps = t.n / (size_t)t.parts;
    for (from[0] = 0, j = 0; j < t.parts; j++) {
        const uint32_t *part = sim__part(&t, j);
        const size_t begin = from[j] + (t.place ? 0 : sim__stops(s, s->stop + from[j], part, 1, frames));
        from[j + 1] = begin + sim__stops(s, s->stop + begin, part + (t.place ? 0 : 1 + t.skip), steps, frames);
    }
    between = s->stop + from[t.parts];
    n = sim__stops(s, s->stop + from[t.parts], t.between, t.between_n, frames);
    if (t.raw) {
        if (t.place) {
            sim__visit(s, between, n, CHAINS, &aside);
            sim__visit(s, s->stop, from[t.parts], 1, &warm);
        }
        for (k = 0; k < t.repeats; k++) {
            double age_ns = t.wait_ns, inserted;    /* each line takes the place of one that is there */
            sim__passes(s, between, n, t.between_passes, CHAINS, &aside);
            inserted = t.place ? 0 : sim__inserted(s);
            for (j = 0; j < t.parts; j++) {
                sim__tally one;
                memset(&one, 0, sizeof one);
                if (!t.place) sim__visit(s, s->stop + from[j], 1, 1, &warm);
                sim__visit(s, s->stop + from[j] + !t.place, from[j + 1] - from[j] - !t.place, 1, &one);
                quiet[j] = sim__tally_ns(s, &one);
                sim__tally_add(&all, &one);
                if (inserted > 0 && servet_stats_random_unit(&s->noise_random) > exp(-inserted * age_ns))
                    quiet[j] = s->spec->memory_ns;
                age_ns += quiet[j];
                pass[j * t.repeats + k] = sim__timed(s, quiet[j], (double)steps) + one.away_ns / (double)steps;
            }
            end_ns = age_ns;
        }
        took = s->shrunk * (all.loads * sim__tally_ns(s, &all) + aside.loads * sim__tally_ns(s, &aside) / CHAINS);
    } else {
        size_t turn, turns = 4 + (t.n < GUESS ? (GUESS + t.n - 1) / t.n : 1), count = t.n < GUESS ? turns - 4 : 1;
        for (turn = 0; turn < turns; turn++) {
            sim__tally one;
            memset(&one, 0, sizeof one);
            sim__visit(s, s->stop, from[t.parts], 1, &one);
            sim__tally_add(&warm, &one);
            if (!s->other.there && !(one.hits[0] < one.loads) && !(one.missed[0] > 0)) break;    /* and so it stays */
        }
        for (k = 0; k < t.repeats; k++) {
            sim__tally one;
            memset(&one, 0, sizeof one);
            for (turn = 0; turn < count; turn++) {
                sim__visit(s, s->stop, from[t.parts], 1, &one);
                if (!s->other.there && !(one.hits[0] < one.loads) && !(one.missed[0] > 0)) break;
            }
            quiet[0] = sim__tally_ns(s, &one);
            sim__tally_add(&all, &one);
            took += quiet[0] * (double)t.n < 30e3 ? 30e3 : quiet[0] * (double)t.n;
            pass[k] = sim__timed(s, quiet[0], quiet[0] > 0 ? 30e3 / quiet[0] : 1);
        }
    }
    took += s->shrunk * warm.loads * sim__tally_ns(s, &warm) + build_ns + t.wait_ns;
    took += t.raw && !t.anchored ? 0 : 40000;
    sample.ns = sim__tally_ns(s, &all);    /* sets what the last call saw */
    if (!t.place) sample.ns = (t.wait_ns + end_ns) / 2;
    if (s->busy) took *= s->noise.phase_slow;
    sample.flags = 0;
    took = sim__overlapped(s, took, &sample);
    preempt = servet_stats_random_unit(&s->noise_random);
    if (preempt < 1 - exp(-took * 1e-9 * s->noise.switches_per_s)) {
        sample.flags = SERVET_NOISE_SWITCH;
        took += s->noise.switch_s * 1e9;
        j = (int)servet_stats_random_below(&s->noise_random, (size_t)t.parts);
        k = (int)servet_stats_random_below(&s->noise_random, (size_t)t.repeats);
        pass[j * t.repeats + k] += s->noise.switch_s * 1e9 / (double)steps;
    }
    sim__pass_time(s, took, &sample);
    for (j = 0; t.raw && j < t.parts; j++)
        for (k = 0; k < t.repeats; k++) ns[k * t.parts + j] = pass[j * t.repeats + k];
    if (!t.raw) {
        servet_stats_sort(pass, (size_t)t.repeats);
        sample.ns = ns[0] = servet_stats_quantile(pass, (size_t)t.repeats, 0.25);
    }
    *out = sample;
    return SERVET_OK;
}

SIM_API double sim_ran(void *ctx)
{
    return ((const sim *)ctx)->time_ns * 1e-9;
}

SIM_API double sim_seconds(void *ctx)
{
    const double left = ((const sim *)ctx)->left_frac;
    return sim_ran(ctx) / (left > 0 ? left : 1);
}

SIM_API servet_machine sim_machine(sim *s)
{
    servet_machine m;
    memset(&m, 0, sizeof m);
    m.ctx = s;
    m.chase = sim_chase;
    m.seconds = sim_seconds;
    if (s->left_frac > 0) m.ran = sim_ran;
    m.track = sim_track;
    m.together = sim_together;
    m.relay = sim_relay;
    m.bytes = SIM_POOL_BYTES;
    return m;
}

/* sim_beside - from now on with that neighbour; after sim_open, before anything is measured; NULL = with none
 * Chases and tracks see it; chases of several CPUs together do not.  EINVAL for phases, rates, sizes that are none. */
SIM_API int sim_beside(sim *s, const sim_neighbour *is)
{
    sim__other *o = &s->other;
    int l;
    for (l = 0; l < 4; l++) if (s->pool[l].at[0]) return SERVET_EINVAL;
    memset(o, 0, sizeof *o);
    if (!is) return SERVET_OK;
    if (!(is->awake_frac >= 0 && is->awake_frac <= 1) || !(is->phase_lo_s > 0) || !(is->loads_per_us_lo > 0)
        || !(is->bytes_lo >= s->spec->level[0].line_bytes) || !(is->bytes_hi <= 67108864.0) || is->slice_s < 0)
        return SERVET_EINVAL;
    o->is = *is;
    o->random = sim__mix(s->noise_random + 4);
    o->there = is->awake_frac > 0 || is->slice_s > 0;
    o->awake = servet_stats_random_unit(&o->random) >= is->awake_frac;    /* the other way round at time 0 */
    o->switch_ns = is->slice_s > 0 ? -is->slice_s * 1e9 * log(1 - servet_stats_random_unit(&o->random)) : HUGE_VAL;
    return SERVET_OK;
}

SIM_API void sim_close(sim *s)
{
    int l, cpu;
    free(s->linked);
    for (cpu = SIM_CPUS; cpu-- > 0; )
        for (l = 0; l < SIM_LEVELS; l++) {
            sim__cache *c = s->of_cpu[cpu][l];
            if (!c || (s->spec->level[l].cores > 1 && cpu % s->spec->level[l].cores)) continue;
            sim__scrap(c);
        }
    for (l = 0; l < SIM_LEVELS; l++) {
        free(s->at[l]);
        free(s->pool[0].at[l]);
        free(s->pool[1].at[l]);
        free(s->pool[2].at[l]);
        free(s->pool[3].at[l]);
    }
    for (l = 0; l < SIM__STAGES; l++) {
        free(s->tlb[l].entry);
        free(s->tlb[l].head);
        free(s->tlb[l].count);
        free(s->tlb[l].put);
    }
    free(s->order);
    free(s->system_page);
    free(s->visit);
    free(s->line);
    free(s->from);
    free(s->frame);
    free(s->stop);
    memset(s, 0, sizeof *s);
}

/* Ways there are bits for in a set. */
SIM_API int sim__most_ways(int policy)
{
    switch (policy) {
    case SIM_PLRU3: return 16;
    case SIM_SRRIP: case SIM_BRRIP: case SIM_DRRIP: case SIM_QLRU: return 32;
    default: return 64;
    }
}

/* Is a level, or a TLB, one that can be modelled? */
SIM_API int sim__sound_level(const sim_spec *spec, int l)
{
    const sim_level *d = &spec->level[l];
    uint32_t lines;
    if (d->ways < 1 || d->ways > sim__most_ways(d->policy) || d->part_ways < 0 || d->part_ways > d->ways
        || d->line_bytes < 8 || d->line_bytes & (d->line_bytes - 1) || spec->page_bytes % d->line_bytes || d->cores < 0)
        return 0;
    if (sim__sets(d) < 1 || (double)sim__sets(d) * d->ways * d->line_bytes < d->bytes) return 0;
    lines = (uint32_t)(spec->page_bytes / d->line_bytes);
    if (sim__sets(d) > lines ? sim__sets(d) % lines : sim__sets(d) & (sim__sets(d) - 1)) return 0;
    return d->relation != SIM_EXCLUSIVE || (l > 0 && d->line_bytes == d[-1].line_bytes);
}

SIM_API int sim__sound_tlb(const sim_tlb *d)
{
    int ways = d->ways > 0 ? d->ways : d->entries, sets = ways > 0 ? d->entries / ways : 0;
    if (d->entries < 1) return d->entries == 0;
    return sets * ways == d->entries && !(d->span & (d->span - 1)) && !(d->index == SIM_HASHED && sets & (sets - 1));
}

/* sim_open - a machine of that description, which must stay; noise NULL = none
 * EINVAL for geometry that is not modelled: lines, pages, spans of entries, or sets of a folded index that are no
 * powers of two, more ways than a policy has bits for, entries that sets do not divide, sets that pages do not divide
 * evenly among, an exclusive level of other lines than the one before it. */
SIM_API int sim_open(sim *s, const sim_spec *spec, const sim_noise *noise, uint64_t seed)
{
    int l, ok = 1;
    if (!s || !spec || sim_truth_levels(spec) < 1 || spec->page_bytes < 1
        || spec->page_bytes & (spec->page_bytes - 1)
        || spec->huge_bytes < 0 || spec->huge_bytes & (spec->huge_bytes - 1)
        || (spec->huge_bytes > 0 && spec->huge_bytes < spec->page_bytes) || spec->cpus < 0 || spec->cpus > SIM_CPUS
        || spec->run_pages & (spec->run_pages - 1) || spec->coalesce & (spec->coalesce - 1)) return SERVET_EINVAL;
    for (l = 0; l < sim_truth_levels(spec); l++) if (!sim__sound_level(spec, l)) return SERVET_EINVAL;
    for (l = 0; l < SIM_TLBS; l++)
        if (!sim__sound_tlb(&spec->tlb[l]) || !sim__sound_tlb(&spec->tlb_huge[l])) return SERVET_EINVAL;
    if (!sim__sound_tlb(&spec->walk) || spec->follow_pages < 0) return SERVET_EINVAL;
    memset(s, 0, sizeof *s);
    s->spec = spec;
    s->noise = noise ? *noise : sim_noises[SIM_SILENT];
    s->build_ns = 8;
    s->exact = SIM_EXACT;
    if (!(s->noise.phase_slow > 1)) s->noise.phase_slow = 1;
    s->random = sim__mix(seed);
    s->page_random = sim__mix(seed + 1);
    s->noise_random = sim__mix(seed + 2);
    s->key = sim__mix(seed + 3);
    s->levels = sim_truth_levels(spec);
    ok = sim__equip(s, 0);
    s->cache = s->of_cpu[0];
    for (l = 0; l < SIM__STAGES; l++) {
        sim__tlb *t = &s->tlb[l];
        int small = l < SIM_TLBS ? spec->tlb[l].entries : l == SIM__WALK ? spec->walk.entries : spec->follow_pages;
        int huge = l < SIM_TLBS ? spec->tlb_huge[l].entries : 0;
        t->room = (uint32_t)(small > huge ? small : huge);   /* as many sets as entries at most */
        SIM__RENEW(sim__entry, t->entry, t->room, &ok);
        SIM__RENEW(uint32_t, t->head, t->room, &ok);
        SIM__RENEW(uint32_t, t->count, t->room, &ok);
    }
    if (!ok) sim_close(s);
    return ok ? SERVET_OK : SERVET_ENOMEM;
}

#include "nodes.h"

#endif

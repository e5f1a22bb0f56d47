/* servet.h - v0.6.0 - what a program really gets from the memory hierarchy of the machine it runs on
 *
 * USE
 *   #define SERVET_IMPLEMENTATION        in exactly one .c or .cpp file
 *   #include "servet.h"                  there and wherever it is used; link with -pthread -lm
 *
 * EXAMPLE
 *   servet_profile p;
 *   if (servet_profile_open(&p, NULL, NULL) >= 0)          // a file read, or a tenth of a second
 *       for (int i = 0; i < p.cache_count; i++)
 *           printf("L%d %.0f bytes [%.0f, %.0f]\n", i + 1,
 *                  p.cache[i].bytes, p.cache[i].lo_bytes, p.cache[i].hi_bytes);
 *   servet_profile_free(&p);                               // once it is filled
 *
 * servet.h DOES NOT
 *   print, exit, or change a governor, a prefetcher or a priority;
 *   look at a size the system reports while it infers one (what is reported is compared afterwards);
 *   keep state between calls, or leave a thread, an affinity mask or a mapping behind;
 *   read performance counters, need root, or call MPI;
 *   claim a size it could not determine: "unresolved" is an answer with a status of its own.
 *
 * CONVENTIONS
 *   [pure]      a function of its arguments: no clock, file or thread; it allocates only what a profile keeps
 *               behind pointers; safe anywhere, at once
 *   [machine]   touches this machine; reentrant, but two measurements at once measure each other
 *   units       are in the name: _ns, _bytes, _s, _ghz, _frac; sizes in the text use 2^10 (KiB, MiB)
 *   results     int status: >= 0 is success (a count where one is returned), < 0 a servet_status;
 *               outputs are untouched on error
 *   options     last parameter; NULL or zero fields mean the default; out of range is EINVAL, never clamped
 *   memory      pure functions use what the caller passes; a measurement maps its own buffers (page size
 *               and alignment are part of the experiment) and releases them before it returns
 *   estimates   carry an interval (lo, hi) meant to hold the truth in 95 cases of 100, and their source
 *
 *   terms       evict, set, way, associativity, replacement policy, working set, plateau, miss rate: as in textbooks.
 *               block: 4 KiB that are asked about as one.  class: the sets that one block's lines may fall into, so
 *               that a level of W ways holds W blocks of each.  disturbed: something else ran on the core meanwhile.
 *               held: what of a footprint is still in a cache after it was read
 *
 * FUNCTIONS     an example of each kind is in examples/
 *   use           servet_profile_open, _load, _save, _free, _check, _path; servet_text; servet_network_*,
 *                 servet_degradation_*
 *   measure       servet_profile_calibrate: all or parts of it.  One thing alone: servet_pairs_latency, _shared;
 *                 servet_bandwidth_kernels, _stores, _parallel, _strides, _contention; servet_coherence_block,
 *                 _destructive, _costs.  Any machine, modelled or remote: servet_profile_measure
 *   infer again   servet_profile_infer, servet_fit_levels, servet_pairs_layers, servet_groups_find: from what was kept
 *   build         of one's own: servet_timer_*, servet_chase_*, servet_team_run (any function on several CPUs at once),
 *                 servet_pairs_round, servet_rig_open, servet_mcalibrator_sweep, servet_count_*, servet_fit_curve,
 *                 servet_stats_*
 *   as published  servet_mcalibrator, servet_fit_binomial, servet_fit_servet, servet_pairs_sharing, _overheads
 *
 * CONTENTS      grep -n '>>' servet.h; a section calls only sections above it
 *   >>config        how am I built?
 *   >>status        what went wrong?
 *   >>stats         summarise, bound and order samples; seeded random numbers     pure
 *   >>timer         ticks, what they are worth, and how fast the core really runs          machine
 *   >>machine       CPUs, pages, regions, what the system reports, noise meters            machine
 *   >>chase         pointer cycles: build, verify, walk                                    both
 *   >>backend       the machine as callbacks: what may be asked of one, and this one's answers     machine
 *   >>mcalibrator   latency against footprint: the modern curve and the 2010 traversal     machine
 *   >>count         how much does a level hold: blocks, ways, translations; beside others     both
 *   >>levels        which hierarchy explains a curve? one model, one search                pure
 *   >>hierarchy     which levels are there: thin curve, counts of caches and TLBs, line            machine
 *   >>groups        which partitions of what has near and far pairs are no chance?         pure
 *   >>pairs         who is near whom, who shares, who collides: groups, layers, schedules      both
 *   >>bandwidth     streams by level, CPUs and node; loads under way; non-temporal stores  both
 *   >>coherence     what goes between caches as a whole, what lines do to each other, what sharing costs  both
 *   >>network       what servet_mpi.h finds between ranks of MPI: the record, and questions to it     pure
 *   >>profile       everything in one struct: JSON, files, verdicts, calibrate or load     both
 *
 * CONFIGURATION
 *   SERVET_IMPLEMENTATION   implementing file only: compile the code here
 *   SERVET_STATIC           every file alike: make all functions static (a private copy)
 *   SERVET_API              every file alike: your own linkage attributes, instead of extern
 *   SERVET_PURE_ONLY        every file alike: only the [pure] half; needs no POSIX, builds with -std=c99
 *   SERVET_CACHES_ONLY      implementing file only, not with SERVET_STATIC: caches and TLBs alone, the sections up to
 *                           >>hierarchy, and >>profile.  What is between CPUs and ranks is kept from a file, no more
 *   SERVET_LOAD_ONLY        the same: no measuring, no inferring.  servet_profile_load, _save, _parse, _write, _free,
 *                           _copy, _path, _check; servet_text, servet_network_*, servet_degradation_*, servet_cpus_*
 *
 * METHOD
 *   timer        ticks are fenced and calibrated against the system's monotonic clock by bracketed readings; the
 *                core's own frequency comes from a chain of dependent additions, one a cycle
 *   chase        one random cycle through one pointer per line, shuffled inside groups of pages: few enough for
 *                the first TLB level, so that a step in the curve is a cache and not a TLB, and too many for
 *                prefetchers that follow several pages at once
 *   mcalibrator  each sample draws other pages, sizes come in random order, rounds repeat until the interval of
 *                each point is narrow or the time is over; short reference chains run beside every sample, so
 *                that a neighbour on the same core is noticed and the sample is taken again or marked
 *   count        touch a 4 KiB block, walk the blocks kept so far, time the block: resident or evicted.  This question
 *                lasts microseconds, so a neighbour on the core decides few of them; votes are weighed by a sequential
 *                test.  Blocks that stay are kept until no class of sets has room: their number is the level's size.
 *                The smallest set of them that evicts a refused block is as large as the level has ways.  TLBs
 *                alike, by groups of pages, of a second one mapped to few frames, so that no data are missed.  What
 *                others use too: read ever more, time what is still there, at several moments
 *   fit          what cannot be counted, and curves of other tools: levels whose miss rates explain the curve.  A page
 *                misses in a K-way cache if at least K of the n-1 others share its class of sets, P[B(n-1, p) >= K] for
 *                LRU, and the mixture over that count for other policies
 *   hierarchy    a thin curve, of four lines a block, tells how many levels there are and about where; then each is
 *                counted.  Line size by the second load of a pair
 *   groups       cuts of average-linkage dendrograms that are no chance (Student's t against the number of ways to
 *                group), that separate, and that are no gradient
 *   pairs        groups of cores as those, each node of the tree of groups again until nothing more is found; those
 *                that are dearer inside; cores of equal rows.  Ways of a line are timed without a pause
 *                in the loop, over several lines at home at either end, and believed when repeats or the other pairs
 *                of the same groups confirm them; threads of one core by how fast they add together.  Two share a
 *                cache where each is slower while the other, too, chases over most of it than while that hardly uses
 *                it, by what the fit predicts; of the last level, which strangers use as well, where loads by the one
 *                leave nothing of it to the other
 *   bandwidth    streams in assembly over arrays of each CPU's own, results checked word by word; CPUs start together,
 *                and a sample lasts until the last is done; bytes as the program counts them, and with those a store
 *                reads.  Loads under way at once: rate at the ceiling times latency (Little), from 1 to 32 chains, by
 *                a soft minimum that also tells how many CPUs saturate a memory.  Levels of overhead of pairs as Figure
 *                6 of Servet, and what groups lose to groups
 *   coherence    atomic additions of two CPUs, of which one moves away byte by byte: slow in one block, fast in two;
 *                shifted bases must find the same ends.  Lines fetched in pairs by what they do to each other, against
 *                lines far apart and interference made.  Operations by number of CPUs as MareNostrum 5, section 4.5
 *   References   Gonzalez-Dominguez et al., Servet: A Benchmark Suite for Autotuning on Multicore Clusters,
 *                IPDPS 2010 [Servet]; Saavedra and Smith, IEEE ToC 44(10), 1995 [Saavedra]; Yotov, Pingali,
 *                Stodghill, X-Ray, QEST 2005 [X-Ray]; Chen and Revels, arXiv 1608.04295 [Chen]; Vila, Koepf,
 *                Morales, Theory and Practice of Finding Eviction Sets, S&P 2019; Zhao et al., ASPLOS 2024;
 *                Duchateau et al., P-Ray, LCPC 2008 [P-Ray]; Little, Operations Research 9(3), 1961 [Little];
 *                Becklas and Olivera, Reverse Engineering MareNostrum 5 System Characteristics, 2025
 *
 * HISTORY
 *   0.6.0   a core's own caches and TLBs counted by short questions that vote
 *   0.5.0   networks of MPI ranks, with servet_mpi.h
 *   0.4.0   lines from CPU to CPU, who shares which cache, who slows whom at memory, coherence; levels filled page by
 *           page
 *   0.3.0   classes told apart by subsets, ends bisected in place, TLBs to the entry, several CPUs, what each source
 *           of the system says; groups of cores from matrices; streams and loads under way
 *   0.2.0   sizes and ways by counting pages that collide, line size, TLBs, foreign curves as sums of rises
 *   0.1.0   first: latency curve, cache levels, profile
 *
 * LICENSE   at the end of this file (MIT or public domain, as you choose)
 */

/* Feature test macros work only when this is the first include of the file; nothing here needs _GNU_SOURCE. */
#if defined(SERVET_IMPLEMENTATION) && !defined(SERVET_PURE_ONLY) && !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
#  define _DEFAULT_SOURCE 1
#endif

#ifndef SERVET_H
#define SERVET_H

#include <stddef.h>
#include <stdint.h>

/* >>config ------------------------------------------------------------------------------------ */

#define SERVET_VERSION_MAJOR 0
#define SERVET_VERSION_MINOR 6
#define SERVET_VERSION_PATCH 0
#define SERVET_VERSION "0.6.0"

#if defined(SERVET_STATIC) && defined(SERVET_API)
#  error "servet.h: define SERVET_STATIC or SERVET_API, not both"
#endif
#if defined(__GNUC__)
#  define SERVET__UNUSED __attribute__((unused))
#else
#  define SERVET__UNUSED
#endif
#if !defined(SERVET_API)
#  if defined(SERVET_STATIC)
#    define SERVET_API static SERVET__UNUSED
#  else
#    define SERVET_API extern
#  endif
#endif

/* Capacities of the plain structs below: part of the interface, the same in every file. */
#define SERVET_SAMPLES_MAX   24   /* samples kept at a point of a curve                             */
#define SERVET_POINTS_MAX   224   /* points of a curve: 18 octaves at 12 points each, and some more */
#define SERVET_LEVELS_MAX     8   /* cache levels; no machine known has more than five              */
#define SERVET_REPORTS_MAX   32   /* caches the system reports, over all its sources                */
#define SERVET_TLB_REPORTS_MAX 16 /* TLBs, likewise, an entry for each size of page                 */
#define SERVET_CHAINS_MAX    64   /* entries (independent chains) of one chase                      */
#define SERVET_TEXT_MAX      96   /* bytes of a text field, with its final zero                     */
#define SERVET_CPU_WORDS    128   /* words of a CPU mask: 8192 CPUs                                 */

#ifdef __cplusplus
extern "C" {
#endif

/* >>status ------------------------------------------------------------------------------------ */

#define SERVET_STATUS_LIST(X)                                                                       \
    X(OK,            0, "ok")                                                                       \
    X(EINVAL,       -1, "an argument is outside its documented range")                              \
    X(ENOMEM,       -2, "memory for the measurement could not be obtained")                         \
    X(EUNSUPPORTED, -3, "this system cannot do what was asked")                                     \
    X(EPIN,         -4, "the thread could not be bound to the CPU asked for")                       \
    X(ENOISE,       -5, "the samples vary too much for an answer")                                  \
    X(EUNRESOLVED,  -6, "the data do not determine what was asked for")                             \
    X(ESPACE,       -7, "the buffer given is too small")                                            \
    X(EPARSE,       -8, "the text is not what was expected")                                        \
    X(EIO,          -9, "the file could not be read or written")                                    \
    X(ESCHEMA,     -10, "the profile is of another schema")                                         \
    X(EOTHER,      -11, "the profile is of another machine")                                        \
    X(ESTOPPED,    -12, "stopped before anything was known")                                       \
    X(ETIME,       -13, "an answer did not come in the time allowed")                              \
    X(ENETWORK,    -14, "a message could not be sent or received")

typedef enum servet_status {
#define SERVET__X(name, value, text) SERVET_##name = value,
    SERVET_STATUS_LIST(SERVET__X)
#undef SERVET__X
    SERVET_STATUS_END = 1
} servet_status;

/* servet_status_text - what a status means, in a line without a full stop                    [pure]
 * Any int is allowed: a value >= 0 is "ok", an unknown one "unknown status".  Static storage. */
SERVET_API const char *servet_status_text(int status);

/* >>stats ------------------------------------------------------------------------------------- */

/* The lower quartile is the location used throughout: it withstands a third of the samples slowed by
 * neighbours, and unlike the minimum it withstands single values that came out too low [Chen]. */
typedef struct servet_summary {
    size_t n;               /* samples used; those that are not finite are left out             */
    double min, median, max;
    double q25;             /* lower quartile, interpolated between order statistics            */
    double lo, hi;          /* order statistics that bound the lower quartile                   */
    double coverage_frac;   /* confidence of [lo, hi]: >= 0.95, or what so few samples can give */
} servet_summary;

/* servet_stats_summarise - minimum, quartile with its interval, median, maximum              [pure]
 *   x, n      samples in any order, not changed
 *   scratch   n doubles
 * The interval is free of any distribution: ranks (l, u) with P[l <= Bin(n, 1/4) < u] >= 0.95.
 * EUNRESOLVED if no sample is finite. */
SERVET_API int servet_stats_summarise(servet_summary *out, const double *x, size_t n, double *scratch);

/* servet_stats_sort - ascending, in place; not-a-number must not occur                       [pure] */
SERVET_API void servet_stats_sort(double *x, size_t n);

/* servet_stats_quantile - of sorted[n], interpolated (type 7); n = 0 gives 0                  [pure] */
SERVET_API double servet_stats_quantile(const double *sorted, size_t n, double q);

/* servet_stats_binomial_tail - P[B(n, p) >= k], summed outward from the mode; O(sqrt(n p))     [pure]
 * p is taken into [0, 1]; k = 0 gives 1, k > n gives 0. */
SERVET_API double servet_stats_binomial_tail(double n, double k, double p);

/* servet_stats_isotonic - the non-decreasing sequence nearest to y in weighted squares       [pure]
 *   y, w      n values, replaced by the fit; their weights > 0, NULL = equal
 *   scratch   2 n doubles
 * Pool adjacent violators, O(n). */
SERVET_API void servet_stats_isotonic(double *y, const double *w, size_t n, double *scratch);

/* servet_stats_random - next of a sequence of 64-bit numbers, the same on every machine        [pure]
 * splitmix64 (Steele, Lea, Flood, OOPSLA 2014); any *state is a good seed.
 * _below: uniform in [0, n), n >= 1.  _unit: uniform in [0, 1). */
SERVET_API uint64_t servet_stats_random(uint64_t *state);
SERVET_API size_t   servet_stats_random_below(uint64_t *state, size_t n);
SERVET_API double   servet_stats_random_unit(uint64_t *state);

/* >>timer ------------------------------------------------------------------------------------- */

/* Sources of time.  A counter is used only where it is steady; the choice is in the result. */
enum {
    SERVET_TIMER_AUTO = 0,    /* the counter of this architecture if it is sound, else the clock   */
    SERVET_TIMER_COUNTER = 1, /* rdtsc, cntvct, rdtime or mftb; EUNSUPPORTED if there is none       */
    SERVET_TIMER_CLOCK = 2    /* clock_gettime: CLOCK_MONOTONIC_RAW if there, else CLOCK_MONOTONIC  */
};

typedef struct servet_timer {
    int    source;            /* SERVET_TIMER_COUNTER or SERVET_TIMER_CLOCK                        */
    int    monotone;          /* 1 = no reading came out before an earlier one                     */
    int    trapped;           /* 1 = reading it seems to leave the program (hypervisor or kernel)   */
    int    steady;            /* 1 = windows of different length agreed on ns_per_tick              */
    double ns_per_tick;
    double error_frac;        /* half width of the relative error of ns_per_tick                   */
    double overhead_ns;       /* of a start and stop with nothing between, lower quartile          */
    double step_ns;           /* what the reading advances by when it advances at all              */
    double min_block_ns;      /* shortest time worth measuring: 1000 steps or 50 overheads         */
    double calibrate_s;       /* what finding all this cost                                        */
} servet_timer;

typedef struct servet_timer_opts {
    int    source;            /* SERVET_TIMER_*;                                0 = AUTO             */
    double budget_s;          /* bound on the calibration, 0.001 to 1;          0 = 0.006            */
} servet_timer_opts;

typedef struct servet_frequency {
    double ghz;               /* cycles per ns of the core while measured, from dependent additions */
    double lo_ghz, hi_ghz;    /* order-statistic interval over the samples                          */
    double l1_cycles;         /* load-to-use latency of the first level, in those cycles            */
    int    consistent;        /* 1 = l1_cycles is within 0.1 of a whole number from 2 to 8           */
    int    units;             /* 1 = additions are cycles; 0 = portable chain, "ghz" is only relative */
} servet_frequency;

/* servet_timer_ns - ns between two readings, without the overhead, never below 0             [pure] */
SERVET_API double servet_timer_ns(const servet_timer *t, uint64_t start, uint64_t stop);

#if !defined(SERVET_PURE_ONLY)
/* servet_timer_init - choose and calibrate a timer                                        [machine]
 * Cost     opts->budget_s, bounded also where the clock stands still.
 * Fooled by  a clock stepped by time synchronisation within milliseconds; suspend and migration of a guest. */
SERVET_API int servet_timer_init(servet_timer *out, const servet_timer_opts *opts);

/* servet_timer_start, _stop - read the timer in ticks, fenced                              [machine]
 * Nothing after a start begins before it, and nothing before a stop ends after it. */
SERVET_API uint64_t servet_timer_start(const servet_timer *t);
SERVET_API uint64_t servet_timer_stop(const servet_timer *t);

/* servet_timer_frequency - how fast this core runs now                                     [machine]
 * Additions of one register to another cannot be folded or eliminated in renaming on any core known, so a
 * chain of n takes n cycles; the L1 latency in those cycles must come out whole, or something slowed both.
 * Cost     budget_s, 0 = 0.01.  The thread should be bound to a CPU.
 * Fooled by  a change of frequency while it runs (seen in lo, hi); a hypervisor that shares the core. */
SERVET_API int servet_timer_frequency(servet_frequency *out, const servet_timer *t, double budget_s);
#endif

/* >>machine ----------------------------------------------------------------------------------- */

/* How long a measurement may take, and who watches it: the first member of the options of each.  All zero is the
 * default.  A measurement that is stopped, or out of time, keeps what it knows and says so by its `stopped`. */
typedef struct servet_run {
    double budget_s;            /* bound on the whole;     0 = the default of the function               */
    uint64_t seed;              /* of draws and orders;    0 is a seed like others                       */
    int  (*stop)(void *ctx);    /* asked between samples, by the thread that called; non-zero ends it    */
    void (*progress)(void *ctx, double done_frac, double left_s);    /* called there, at most each .02 s */
    void  *ctx;                 /* handed to both                                                        */
} servet_run;

typedef struct servet_cpus {
    int      count;                      /* bits set                                           */
    uint64_t mask[SERVET_CPU_WORDS];     /* CPU c is bit c % 64 of word c / 64                  */
} servet_cpus;

/* servet_cpus_next, _add - walk and change a mask                                            [pure]
 * _next: the first CPU after one, -1 = from the begin; -1 where there is none.  _add: EINVAL outside 0..8191. */
SERVET_API int servet_cpus_next(const servet_cpus *cpus, int after_cpu);
SERVET_API int servet_cpus_add(servet_cpus *cpus, int cpu);

/* servet_cpus_parse, _write - the kernel's list form: "0-3,8,10-11"                          [pure]
 * _parse: EPARSE for anything else, or for no CPU at all.  _write: length, or ESPACE. */
SERVET_API int servet_cpus_parse(servet_cpus *out, const char *list);
SERVET_API int servet_cpus_write(const servet_cpus *cpus, char *buf, size_t cap);

/* What the system says about a cache: kept apart by source, compared afterwards, never used to infer. */
enum {
    SERVET_REPORT_SYSFS = 0, SERVET_REPORT_SYSCONF = 1, SERVET_REPORT_CPUID = 2, SERVET_REPORT_SYSCTL = 3,
    SERVET_REPORT_SOURCES = 4
};

typedef struct servet_report {
    int    source;              /* SERVET_REPORT_*                                             */
    int    level;               /* 1 = first; data and unified caches only                     */
    double bytes;               /* 0 = the source has an entry and says nothing                */
    int    line_bytes, ways;    /* 0 = not said                                                */
    int    shared_cpus;         /* usable CPUs said to share it; 0 = not said                  */
} servet_report;

typedef struct servet_tlb_report {
    int    source;              /* SERVET_REPORT_*                                             */
    int    level;               /* 1 = first; data and unified TLBs only                       */
    double page_bytes;          /* of this size of page                                        */
    int    entries, ways;       /* ways 0 = not said; as many as entries: any entry for any page */
} servet_tlb_report;

typedef struct servet_host {
    char   cpu_model[SERVET_TEXT_MAX];
    char   arch[SERVET_TEXT_MAX], os[SERVET_TEXT_MAX], kernel[SERVET_TEXT_MAX];
    char   hypervisor[SERVET_TEXT_MAX];  /* "" = none seen                                     */
    char   microcode[SERVET_TEXT_MAX];
    char   cpus[SERVET_TEXT_MAX];        /* usable CPUs as a list, cut at a comma if it is long */
    int    cpu_count;                    /* usable CPUs                                        */
    double quota_cpus;                   /* limit set by a control group; 0 = none             */
    double memory_bytes;                 /* physical memory as the system says it              */
    double page_bytes, huge_page_bytes;  /* 0 = no huge pages here                             */
    int    report_count;
    servet_report report[SERVET_REPORTS_MAX];
    int    tlb_report_count;
    servet_tlb_report tlb_report[SERVET_TLB_REPORTS_MAX];
} servet_host;

/* Pages of a region.  What was asked for and what was obtained are different fields. */
enum { SERVET_PAGES_DEFAULT = 0, SERVET_PAGES_HUGE = 1, SERVET_PAGES_SMALL = 2,
       SERVET_PAGES_ALIAS = 3 };   /* of tracks: page v is frame v % SERVET_ALIAS_FRAMES: many pages, few data */
enum { SERVET_ALIAS_FRAMES = 64, SERVET_ALIAS_PAGES = 32768 };

typedef struct servet_region {
    unsigned char *base;       /* aligned to the huge page size where there is one             */
    size_t bytes;
    size_t page_bytes;         /* the small page                                               */
    size_t huge_bytes;         /* how much lies on huge pages, as the kernel tells after touching */
    int    asked;              /* SERVET_PAGES_*                                               */
    void  *map; size_t map_bytes;   /* what is unmapped in the end                             */
} servet_region;

typedef struct servet_node {             /* memory with CPUs that are near to it                */
    int    id;                           /* the system's number                                */
    double bytes;                        /* of memory, as the system says it; 0 = not said      */
    servet_cpus cpus;                    /* none for memory alone                              */
} servet_node;

/* What may have disturbed a sample.  A flag says "this moved", not that the value is wrong. */
enum {
    SERVET_NOISE_SWITCH = 1,   /* the kernel took the CPU away (involuntary switch, run delay)  */
    SERVET_NOISE_FAULT = 2,    /* a page fault                                                 */
    SERVET_NOISE_MIGRATE = 4,  /* begun on one CPU, ended on another                           */
    SERVET_NOISE_STEAL = 8,    /* the hypervisor says it took time away during the round        */
    SERVET_NOISE_ANCHOR = 16   /* reference chains ran slower than they can: a neighbour on this core */
};

#if !defined(SERVET_PURE_ONLY)
/* servet_machine_cpus - CPUs this thread may use, from its affinity mask                   [machine]
 * (a control group's cpuset is already in it).  Where a system has no affinity: all that are online. */
SERVET_API int servet_machine_cpus(servet_cpus *out);

/* servet_machine_pin, _restore - bind this thread to a CPU and undo it                      [machine]
 * saved gets the mask before.  EPIN if the CPU is not allowed or offline, EUNSUPPORTED without affinity. */
SERVET_API int servet_machine_pin(int cpu, servet_cpus *saved);
SERVET_API int servet_machine_restore(const servet_cpus *saved);

/* servet_machine_map, _unmap - memory to measure in, touched, pages verified                [machine]
 *   pages   SERVET_PAGES_*; HUGE asks for transparent huge pages, SMALL refuses them
 * ENOMEM where the system refuses (also by ulimit -v).  A guest's huge page may lie on small pages of
 * its host: nobody can see that from inside. */
SERVET_API int  servet_machine_map(servet_region *out, size_t bytes, int pages);
SERVET_API void servet_machine_unmap(servet_region *region);

/* A team: threads on several CPUs at once, one bound to each. */
typedef struct servet_team {
    size_t threads;
    size_t arrived;                      /* atomic: over all barriers                          */
    int    failed;                       /* atomic: a status                                   */
} servet_team;
typedef int servet_work(servet_team *team, void *arg);    /* what a thread does; returns a status */

/* servet_team_run - has each CPU do some work at the same time, and waits for all           [machine]
 *   cpu, cpus   no CPU twice
 *   allowed     those that may be used;  NULL = all that this thread may use
 *   arg, size   the thread on cpu[k] gets arg + k size
 * EINVAL for a CPU named twice or no work, EPIN for one that cannot be bound to or lost its thread, ENOMEM where a
 * thread cannot be had, or what one of them returned.  Cost: some 20 us a thread. */
SERVET_API int servet_team_run(const int *cpu, int cpus, const servet_cpus *allowed, servet_work *work, void *arg,
                               size_t size);

/* servet_team_meet - a barrier: wait until all threads of a team have come here             [machine]
 *   times   counts this thread's barriers, 0 before the first
 * 0, or the status of a thread that failed: then nobody waits any more.  Cost: some 0.1 us, or the last one's delay. */
SERVET_API int servet_team_meet(servet_team *team, size_t *times);

#endif

/* >>chase ------------------------------------------------------------------------------------- */

enum {
    SERVET_CHASE_COMPACT = 0,   /* random inside groups of pages, groups in random order: the default   */
    SERVET_CHASE_RANDOM = 1,    /* one random cycle over everything: TLB misses included                 */
    SERVET_CHASE_STRIDE = 2     /* ascending addresses: what prefetchers like                            */
};

typedef struct servet_chase_opts {
    int      pattern;           /* SERVET_CHASE_*;                              0 = COMPACT              */
    int      line_bytes;        /* distance of two elements, a multiple of the size of a pointer that
                                   divides page_bytes;                          0 = 64 (128 on POWER, Apple) */
    int      page_bytes;        /* pages are drawn in this unit;                0 = 4096                 */
    int      group_pages;       /* pages visited together by COMPACT;           0 = 384 KiB of them, >= 8 */
    int      lines_per_page;    /* sample only this many lines a page, spread evenly;   0 = all          */
    int      chains;            /* entries spread evenly along the cycle, 1 to 64;      0 = 1            */
    int      in_place;          /* for a sampler: 1 = neighbouring pages instead of drawn ones           */
    double   effort;            /* for a sampler: time per sample against the usual;    0 = 1            */
    uint64_t seed;              /* of the shuffle;                              0 is a seed like others  */
} servet_chase_opts;

typedef struct servet_chase {
    void    *entry[SERVET_CHAINS_MAX];  /* where each chain starts                                       */
    int      chains;
    size_t   n;                         /* elements of the cycle                                        */
    servet_chase_opts opts;             /* resolved                                                      */
} servet_chase;

/* servet_chase_build - write one cycle of pointers through exactly n elements                 [pure]
 *   base     writable memory; element e of page p lies at base + page[p]*page_bytes + its offset
 *   page     pages to use, visited in this order but by RANDOM; groups are formed of neighbours in it; NULL =
 *            0, 1, 2, ... with the groups in random order
 *   n        elements, >= 1; pages needed: servet__chase_pages(n, opts)
 *   order    n numbers out: the elements' places in units of line_bytes, in cycle order
 * The visiting order is shuffled uniformly and closed to a ring, which is a uniformly random cycle (as from
 * Sattolo's algorithm), by servet_stats_random: equal seeds give equal cycles everywhere.  Lines are written
 * in the order in which they will be walked.  EINVAL for options out of range. */
SERVET_API int servet_chase_build(servet_chase *out, void *base, const uint32_t *page, size_t n,
                                  uint32_t *order, const servet_chase_opts *opts);

/* servet_chase_verify - is it one cycle of exactly n elements, with its entries evenly on it?   [pure]
 * Walks at most n + 1 steps; all must stay inside [base, base + bytes).  EINVAL where not. */
SERVET_API int servet_chase_verify(const servet_chase *chase, const void *base, size_t bytes);

/* servet_chase_walk_many - follow k chains in turn, steps loads of each, each needing the one before   [pure]
 * entry[] becomes where they ended.  Sixteen loads and one branch a turn; no compiler can drop or overlap the loads.
 * Of more than 12 chains the cursors are kept in memory, which adds a store and its forwarding to each load. */
SERVET_API void  servet_chase_walk_many(void **entry, int k, size_t steps);

/* >>backend ----------------------------------------------------------------------------------- */

/* One measurement of one footprint. */
typedef struct servet_sample {
    double   ns;              /* per load                                                          */
    double   anchor_cycles;   /* reference chains beside it, cycles per load; 0 = none             */
    unsigned flags;           /* SERVET_NOISE_* seen while it was taken; ANCHOR by hand-offs alone, where the
                                 clock of a core was below its best                                */
} servet_sample;

/* An address trace: places chosen one by one, which a chase over drawn pages cannot ask.  A place is the number of an
 * 8-byte slot, from the start of the memory that is measured in; none may occur twice, in one list or in both.  Loads
 * go to these places in this order, each needing the one before.  There are three forms:
 *   cycle      raw = 0: timed as a chase is, around as often as the timer needs; one part, nothing between
 *   question   raw = 1: each part once a pass, after what is between.  Every reading by itself, with the timer's
 *              overhead, which varies by more than a hit takes; no reference chains, no noise meters
 *   passage    raw = 1, place = NULL, one repeat: parts that begin evenly along between, so that nothing else touches
 *              what is timed; the first load of each, which translates its page, is not timed.  With noise meters */
#define SERVET_PLACE_BYTES 8
enum { SERVET_TRACK_PARTS = 1024, SERVET_TRACK_REPEATS = 15 };
typedef struct servet_track {
    const uint32_t *place;    /* what is timed                                                         */
    int      skip;            /* of a passage: places left out behind the first load of a part         */
    size_t   n;
    int      parts;           /* timed apart, n / parts loads each;                       0 = 1;
                                 parts x repeats at most SERVET_TRACK_PARTS                            */
    const uint32_t *between;  /* visited before each pass, about in this order; NULL = nothing         */
    size_t   between_n;
    int      between_passes;  /* how often;                                               0 = 1          */
    int      repeats;         /* passes;                                                  0 = 3          */
    int      raw;             /* see above                                                             */
    int      pages;           /* SERVET_PAGES_SMALL: in memory of small pages; _ALIAS: in SERVET_ALIAS_PAGES of these,
                                 of questions;                              0 = in that of chases         */
} servet_track;

/* What is done to whole arrays of doubles: SERVET_STREAM_LOAD, _STORE ...  A kernel's name and word; how many arrays;
 * words loaded and stored for each element; 1 = it writes what it has not read: a regular store reads the line first,
 * one past the caches does not; what an element of the first array, a, becomes, s a constant. */
#define SERVET_STREAM_LIST(X)                      \
    X(LOAD,   load,   1, 1, 0, a)                  \
    X(STORE,  store,  1, 1, 1, s)                  \
    X(COPY,   copy,   2, 2, 1, b)                  \
    X(SCALE,  scale,  2, 2, 1, s * b)              \
    X(TRIAD,  triad,  3, 3, 1, b + s * c)          \
    X(UPDATE, update, 1, 2, 0, s * a)
#define SERVET__STREAM_NAME(NAME, word, arrays, moves, writes, becomes) SERVET_STREAM_##NAME,
enum { SERVET_STREAM_LIST(SERVET__STREAM_NAME) SERVET_STREAM_KERNELS };
/* Vectors it is done with. */
enum {
    SERVET_VECTOR_WIDEST = 0,   /* the widest that the CPU, its system and this build have            */
    SERVET_VECTOR_PLAIN = 1,    /* what the compiler makes of C                                      */
    SERVET_VECTOR_128 = 2,      /* SSE2, NEON                                                        */
    SERVET_VECTOR_256 = 3,      /* AVX2                                                              */
    SERVET_VECTOR_512 = 4,      /* AVX-512                                                           */
    SERVET_VECTOR_SCALABLE = 5  /* SVE, where this was compiled for it                               */
};
/* Where the memory of a CPU's arrays is. */
enum {
    SERVET_MEMORY_LOCAL = 0,    /* near that CPU                                                     */
    SERVET_MEMORY_NODE = 1,     /* in one node                                                       */
    SERVET_MEMORY_SPREAD = 2    /* pages in turn on all nodes that are allowed                       */
};

typedef struct servet_stream {
    int    kernel;              /* SERVET_STREAM_*                                                   */
    int    streaming;           /* 1 = non-temporal stores, past the caches; STORE, COPY, SCALE, TRIAD */
    int    vector;              /* SERVET_VECTOR_*                                                   */
    double gap_ns;              /* idle after every 16 KiB; below 0 = always idle; only beside a chase */
} servet_stream;

enum { SERVET_STREAMS_MAX = 64, SERVET_STREAM_BYTES = 2048 };
typedef struct servet_streams {
    const servet_stream *stream;   /* several, each timed in every round                             */
    int    streams;
    int    rounds;              /* 1 to SERVET_SAMPLES_MAX;                               0 = 1          */
    const int *cpu;             /* all do the same at the same time, each with arrays of its own      */
    int    cpus;
    double bytes;               /* of a CPU, over all arrays of the kernel; each is a multiple of
                                   SERVET_STREAM_BYTES, rounded down, and at least that               */
    int    memory, node;        /* SERVET_MEMORY_*; which, for NODE                                   */
    double chase_bytes;         /* above 0: the first CPU chases over so much instead, the others stream
                                   as long as it does                                                */
    double effort;              /* time per sample against the usual;                    0 = 1          */
    uint64_t seed;
} servet_streams;

typedef struct servet_stream_sample {
    double   bytes_per_s;       /* loaded and stored, all CPUs together                              */
    double   chase_ns;          /* per load of the chase; 0 = there was none                         */
    int      vector;            /* SERVET_VECTOR_* used                                              */
    unsigned flags;             /* SERVET_NOISE_*                                                    */
} servet_stream_sample;

/* Chases that do not wait for each other. */
typedef struct servet_parallel {
    size_t n;                   /* elements of the one cycle that all chains of a CPU follow          */
    const int *chains;          /* numbers of chains, each timed in every round; 1 to SERVET_CHAINS_MAX */
    int    counts;
    int    rounds;              /* 1 to SERVET_SAMPLES_MAX;                               0 = 1          */
    const int *cpu;             /* all at the same time, each with a cycle of its own                 */
    int    cpus;
    servet_chase_opts chase;    /* its field chains is not used                                      */
} servet_parallel;

/* A line that goes from one CPU to another and back. */
enum {
    SERVET_HANDOFF_FLAGS = 0,   /* two lines: each CPU writes its own and waits for the other's       */
    SERVET_HANDOFF_CAS = 1,     /* one line, that each CPU takes in turn by compare-and-swap          */
    SERVET_HANDOFF_KINDS = 2
};
typedef struct servet_handoff {
    const int *cpu;             /* pairs that work at the same time: the p-th is cpu[2 p], cpu[2 p + 1]; none in two */
    int    pairs;
    int    kind;                /* SERVET_HANDOFF_*                                                  */
    int    home;                /* which CPU of a pair touches its lines first, so that they are near to it: 0 or 1 */
    const uint32_t *offset;     /* of each pair, where its line is in a page of 4096 bytes that all use (CAS), a
                                   multiple of 4, none twice; the page is that of the seed, wherever it is homed.
                                   NULL = each pair has lines of its own, elsewhere in each round    */
    int    rounds;              /* 1 to SERVET_SAMPLES_MAX;                               0 = 1          */
    double effort;              /* time per sample against the usual;                    0 = 1          */
    uint64_t seed;
} servet_handoff;

/* Operations of several CPUs, each on a place or two; one after the other, as fast as they go. */
enum {
    SERVET_OPERATE_READ = 0,        /* load                                                          */
    SERVET_OPERATE_WRITE = 1,       /* store                                                         */
    SERVET_OPERATE_ALTERNATE = 2,   /* store, now here and now in a second place                     */
    SERVET_OPERATE_UPDATE = 3,      /* load, and store of what was loaded: one operation             */
    SERVET_OPERATE_ATOMIC = 4,      /* add in memory, that nobody can come between                   */
    SERVET_OPERATE_ADD = 5,         /* no memory: independent adds, as many as a core can do         */
    SERVET_OPERATE_FETCH = 6,       /* load, and throw the line out of all caches; EUNSUPPORTED where programs cannot */
    SERVET_OPERATIONS = 7
};
enum { SERVET_OPERATE_BYTES = 65536 };
typedef struct servet_operate {
    const int *cpu;             /* all at the same time                                              */
    int    cpus;
    const uint32_t *offset;     /* of each CPU, where its 8 bytes are, from an aligned block of SERVET_OPERATE_BYTES;
                                   a multiple of 8.  NULL = all at the first                         */
    const uint32_t *second;     /* likewise, a second place, operated on in turn with the first.  NULL = the first,
                                   but of ALTERNATE 32 KiB further, or back                          */
    int    operation;           /* SERVET_OPERATE_*                                                  */
    const int *each;            /* of each CPU, an operation of its own instead; NULL = all the same  */
    int    rounds;              /* 1 to SERVET_SAMPLES_MAX;                               0 = 1          */
    double effort;              /* time per sample against the usual;                    0 = 1          */
    uint64_t seed;              /* of where the block lies                                           */
} servet_operate;

/* A machine, as everything that measures reaches it.  The default is this one (servet_rig_open); tests and
 * users may pass a modelled, recorded or remote one: zero it first, as what it cannot do is NULL.  Callbacks return
 * a status. */
typedef struct servet_machine {
    void *ctx;
    /* latency of a chase over n elements, on pages drawn anew for each call */
    int    (*chase)(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out);
    /* seconds since any moment: what budgets are counted in */
    double (*seconds)(void *ctx);
    /* seconds of them in which the measuring thread had its CPU, or waited for threads of its own; NULL = not known */
    double (*ran)(void *ctx);
    /* latencies of a track, per load: of a cycle ns[0], the lower quartile over the repeats; else ns[repeats x parts],
     * the parts of the first pass first; out as for a chase.  EINVAL for places beyond the memory there is.  NULL =
     * cannot */
    int    (*track)(void *ctx, const servet_track *track, double *ns, servet_sample *out);
    double bytes;             /* memory that tracks may lie in, of either kind                      */
    /* chases of several CPUs at the same time, n[i] elements of the i-th on pages of its own; a sample for each.  All
     * walk before one is timed, and until all have been.  EINVAL for a CPU named twice, EPIN for one that cannot be
     * used.  NULL = cannot */
    int    (*together)(void *ctx, const int *cpu, int cpus, const size_t *n, const servet_chase_opts *opts,
                       servet_sample *out);
    /* streams of one or several CPUs: out[rounds x streams], the streams of the first round first.  Results are
     * checked; EIO where one is wrong.  EINVAL for a CPU named twice or more memory than there is, EPIN for one that
     * cannot be used, EUNSUPPORTED for vectors or stores that this CPU does not have.  NULL = cannot */
    int    (*bandwidth)(void *ctx, const servet_streams *what, servet_stream_sample *out);
    /* latency per load, over all chains of a CPU, mean over the CPUs: out[rounds x counts], the counts of the first
     * round first.  EINVAL, EPIN as above.  NULL = cannot */
    int    (*parallel)(void *ctx, const servet_parallel *what, servet_sample *out);
    /* one way of a line from CPU to CPU, half of a round trip: out[rounds x pairs], the pairs of the first round first.
     * EINVAL, EPIN as above.  NULL = cannot */
    int    (*handoff)(void *ctx, const servet_handoff *what, servet_sample *out);
    /* time of an operation: out[rounds x cpus], the CPUs of the first round first.  All work before one is timed, and
     * until all have been.  EINVAL, EPIN as above.  NULL = cannot */
    int    (*operate)(void *ctx, const servet_operate *what, servet_sample *out);
} servet_machine;

#if !defined(SERVET_PURE_ONLY)
/* This machine, ready to measure: memory, timer, reference chains.  Fields are private. */
typedef struct servet_rig {
    servet_timer  timer;
    servet_region region;       /* of chases and streams                                             */
    servet_region orders, draws;    /* lists of chases over it: order; reference chains, and pages    */
    servet_region small, alias; /* mapped when a track first asks for such pages                     */
    size_t    least, room;      /* bytes of the region at first, and what it may grow to             */
    uint32_t *page, *order;
    void     *reference[4];     /* how far the reference chains have come                            */
    int       line_bytes;
    int       cpu, pinned;      /* pinned = 0 where the system cannot                                */
    int       vector, nodes;    /* SERVET_VECTOR_*, widest; nodes of memory                          */
    servet_cpus saved;
    uint64_t  seed;
    double    effort;
    double    steal_read_s;
    int64_t   steal_ticks;
    double    waited_ns;        /* for threads of its own                                            */
} servet_rig;

typedef struct servet_rig_opts {
    double hi_bytes;            /* largest footprint;                            0 = 256 MiB               */
    double reserve_bytes;       /* largest of a chase of one CPU, if that is more; memory is taken when one is
                                   asked for, and it fails with ENOMEM where there is none;  0 = hi_bytes  */
    int    cpu_plus_1;          /* CPU to measure on, plus one;                  0 = where the thread runs */
    int    pages;               /* SERVET_PAGES_*;                               0 = huge ones asked for   */
    int    line_bytes;          /* as in servet_chase_opts                                                 */
    double effort;              /* time per sample against the usual, 0.05 to 20;   0 = 1                  */
    uint64_t seed;
} servet_rig_opts;

/* servet_rig_open, _close - map memory, bind the thread, calibrate the timer; undo it all   [machine]
 * servet_rig_machine gives the callbacks of an open rig; it must stay where it is meanwhile.
 * Memory: hi_bytes, and 1/12 of it for lists; of what is reserved addresses alone, and none where the system refuses
 * them or limits them to less than four times as many.  Cost: touching it, about 0.1 s for 256 MiB. */
SERVET_API int  servet_rig_open(servet_rig *rig, const servet_rig_opts *opts);
SERVET_API void servet_rig_close(servet_rig *rig);
SERVET_API servet_machine servet_rig_machine(servet_rig *rig);
#endif

/* >>mcalibrator ------------------------------------------------------------------------------- */

typedef struct servet_point {
    double bytes;                             /* footprint: elements x line_bytes                  */
    double ns;                                /* lower quartile over the clean samples             */
    double lo_ns, hi_ns;                      /* its interval                                      */
    int    samples;                           /* kept, the oldest first                            */
    int    noisy;                             /* of them, those with a flag                        */
    double   sample_ns[SERVET_SAMPLES_MAX];
    double   anchor_cycles[SERVET_SAMPLES_MAX];   /* 0 = not taken                                 */
    unsigned char flags[SERVET_SAMPLES_MAX];  /* SERVET_NOISE_*                                    */
    unsigned char round[SERVET_SAMPLES_MAX];  /* which pass over all points it belongs to: its time */
} servet_point;

typedef struct servet_curve {
    int    count;                 /* points, by ascending bytes                                    */
    int    rounds;                /* passes made                                                   */
    int    converged;             /* points whose interval became narrow enough                    */
    int    stopped;               /* 1 = opts->stop ended it                                       */
    int    retaken;               /* samples thrown away because a noise meter moved               */
    int    taken;                 /* samples taken in all                                          */
    double seconds;               /* what it cost                                                  */
    double anchor_cycles;         /* what the reference chains take undisturbed                    */
    double huge_frac;             /* share of the memory that lay on huge pages, by the kernel; -1 unknown */
    servet_chase_opts chase;      /* resolved                                                      */
    servet_point point[SERVET_POINTS_MAX];
} servet_curve;

typedef struct servet_mcalibrator_opts {
    servet_run run;             /* budget of the whole 8 s; asked between samples                       */
    double lo_bytes, hi_bytes;    /* range of footprints;                          0 = 2 KiB, 256 MiB      */
    double points_per_octave;     /* 1 to 32;                                      0 = 4                   */
    const double *bytes;          /* instead of the grid: these footprints, in any order                   */
    int    byte_count;
    int    rounds_min;            /* before a point may be left;                   0 = 5                   */
    int    rounds_max;            /* at most SERVET_SAMPLES_MAX;                   0 = 9                   */
    double width_frac;            /* interval a point is left at;                  0 = 0.02                */
    int    retakes;               /* of a disturbed sample, at once;               0 = 2, -1 = none        */
    servet_chase_opts chase;      /* what to chase                                                         */
} servet_mcalibrator_opts;

/* servet_mcalibrator_sweep - latency against footprint                                     [machine]
 *   curve      in and out: points it already holds (count > 0) are kept and gain samples, so that a second
 *              sweep refines a first; set count to 0 for a new curve
 *   m          where to measure
 * Rounds over all points in random order; a disturbed sample is taken again at once, and kept with its flag
 * if it stays disturbed.  After rounds_min rounds a point whose interval is narrow is left alone; ends when
 * all are, after rounds_max, at the budget, or at opts->stop.  For the first round up to twice the budget is
 * taken; points it did not reach are left out.
 * ESPACE for more than SERVET_POINTS_MAX points, ESTOPPED if no sample was taken. */
SERVET_API int servet_mcalibrator_sweep(servet_curve *curve, const servet_machine *m,
                                        const servet_mcalibrator_opts *opts);

#if !defined(SERVET_PURE_ONLY)
/* servet_mcalibrator - Servet's traversal of 2010, as in its Figure 1                       [machine]
 *   bytes, cycles, cap   S and C of the paper: array sizes, and cycles per access
 *   min_bytes, max_bytes MIN_CACHE and MAX_CACHE; 0 = 4 KiB and 16 MiB
 * Fills an array with the stride (as many ints as 1 KiB holds), then adds along it reading each stride from
 * the array; sizes double up to 2 MiB and then grow by 1 MiB.  One departure: the loop is repeated until it
 * is long enough for the timer, as four accesses cannot be timed.  Cycles are of the core's own frequency.
 * Returns the number of sizes.  Kept as published: prefetchers of today follow this stride, and the result
 * is biased where cache sets are hashed.  Use servet_mcalibrator_sweep for an answer.  [Servet, III-A] */
SERVET_API int servet_mcalibrator(double *bytes, double *cycles, size_t cap, double min_bytes, double max_bytes);
#endif

/* >>count ------------------------------------------------------------------------------------- */

/* How much of something a core's own level holds: 4 KiB blocks of a cache, or translations of a TLB.
 *
 *   question    touch a unit, walk the units kept so far w times, time the unit:
 *                 below limit_ns a vote for "resident", else one for "evicted"
 *   decision    votes until the likelihood ratio of the two leaves [e, 1/e]  (Wald's sequential test, error e: 1 %)
 *   count       fill: keep units while they stay, until so many in a row were refused that no class of sets has room;
 *               verify: each kept unit, then each refused one, once more with more walks
 *   ways        the smallest set of kept units that evicts a refused one, by threshold group testing
 *
 * A question lasts microseconds, so a neighbour on the same core, who evicts now and then, decides few of the votes,
 * and nothing waits for quiet.  Two walks count LRU, FIFO, tree and bit PLRU, SRRIP and QLRU right; random replacement
 * and bimodal insertion keep a few units too many by luck, which eight walks evict.
 * [X-Ray; Vila, Koepf and Morales, S&P 2019; Wald, Ann. Math. Stat. 1945] */
enum { SERVET_COUNT_CACHE = 0, SERVET_COUNT_TLB = 1 };
#define SERVET_COUNT_BLOCK 4096   /* bytes of a unit of a cache                                      */
#define SERVET_COUNT_RUNS     9
#define SERVET_COUNT_PASSES   4
#define SERVET_COUNT_SETS     9

typedef struct servet_count_pass {      /* over units; the first of a run fills, others verify       */
    int    walks;               /* over the kept units, in each question                             */
    int    asked, kept;         /* units asked; kept after it                                        */
    int    resident_votes, evicted_votes;
} servet_count_pass;

typedef struct servet_count_run {
    double resident_ns, evicted_ns, limit_ns;   /* per load, the timer's overhead included            */
    double disturbed_frac;      /* of the references, resident ones that looked evicted               */
    int    patient;             /* 1 = units known to fit were evicted, so that more votes were asked */
    int    full;                /* 1 = the fill ended by refusals; 0 = by time, or at the end of the memory */
    int    rest;                /* first TLB: pages that fit beside the groups kept; -1 = not told   */
    int    passes;
    servet_count_pass pass[SERVET_COUNT_PASSES];
} servet_count_run;

/* Evidence: what was counted and how. */
typedef struct servet_count {
    int    kind;                /* SERVET_COUNT_*                                                    */
    double unit_bytes;          /* of a block, or of a page                                          */
    int    large;               /* of a TLB: 1 = pages lay in the memory of chases                    */
    int    loads;               /* of a question: lines of a block, or pages of a group              */
    double before;              /* units that the level before holds; 0 = it is the first            */
    double beside;              /* of a TLB: pages walked besides, which take entries too; none since 0.6 */
    double reach;               /* units there were: a level that holds more is not full             */
    int    runs;                /* those that were not ended, or that had no limit, are kept too      */
    servet_count_run run[SERVET_COUNT_RUNS];
    int    sets, set_units[SERVET_COUNT_SETS];   /* smallest evicting sets found, of refused units    */
    int    questions, stopped;
    double seconds;
} servet_count;

/* Answer. */
typedef struct servet_counted {
    double units, lo_units, hi_units;   /* blocks or translations: what is there, the most that was counted twice */
    double usual_units;         /* median of the runs: less where a neighbour keeps a part           */
    int    ways;                /* 0 = not known, or a TLB                                            */
    int    disturbed;           /* 1 = runs differ, or references were disturbed                      */
    double resident_ns, evicted_ns;
} servet_counted;

typedef struct servet_count_opts {
    servet_run run;             /* budget of the whole .25 s; asked between questions                   */
    double about_units;         /* the level to within a factor of 3, blocks or translations; has no default */
    double before_units;        /* of the level before;                          0 = the first level  */
    double page_bytes;          /* of a translation;                             0 = 4096             */
    int    large;               /* TLB: 1 = pages lie in the memory of chases, which may be large ones  */
    int    group_pages;         /* TLB: timed as one; finer where a TLB is small; 0 = 16             */
    int    runs;                /* 1 to SERVET_COUNT_RUNS;                       0 = 5 of a first level, 1 of a later */
} servet_count_opts;

/* servet_count_settle - what a count says                                                      [pure]
 * Units: the largest number above the median that two runs agree on to 1 %, else the mean of the upper half, as others
 * only evict; of a cache where the ways are known, whole classes of sets, if as many were found but for 3 %.  Ways: the
 * most common of evicting sets that nearly agree, one that leaves a power of two of classes first.  Where
 * every run was disturbed the interval reaches to twice that, as what a neighbour keeps is not seen; of a TLB it holds
 * what groups of pages may have left.  EUNRESOLVED without a run that filled the level, or where runs differ by more
 * than a quarter. */
SERVET_API int servet_count_settle(servet_counted *out, const servet_count *c);

/* Of a level that others use too, or that is too large to be filled page by page: n bytes of blocks drawn at random are
 * read, all their lines, and then one line of each of some blocks is timed.  What is still there was held.
 *
 *   held(n) = n P[ns < limit_ns],   limit_ns = resident_ns + 0.6 (evicted_ns - resident_ns)
 *
 * Behind a level of C bytes held(n) comes near C from below, whatever its policy: of little more than C some sets have
 * room left, of many times C the error of P counts n-fold.  Several chains read, so that a draw takes a third of a
 * millisecond for each MiB and a moment without neighbours is enough; a pass of a chase takes ten times that. */
enum { SERVET_RESIDENT_POINTS = 96, SERVET_RESIDENT_BINS = 16 };
typedef struct servet_resident_point {
    double bytes;               /* that were read                                                     */
    double anchor_cycles;       /* reference chains beside it                                        */
    int    flags;               /* SERVET_NOISE_*                                                    */
    double ns[SERVET_RESIDENT_BINS];    /* per load, of blocks in the order of theirs: means of as many each */
} servet_resident_point;

typedef struct servet_resident {        /* evidence                                                  */
    int    count, stopped;
    double before_bytes;        /* what the level before holds                                       */
    double seconds;
    servet_resident_point point[SERVET_RESIDENT_POINTS];
} servet_resident;

typedef struct servet_held {            /* answer                                                    */
    double bytes, lo_bytes, hi_bytes;   /* at good moments                                           */
    double usual_bytes;         /* mostly                                                            */
    int    disturbed;           /* 1 = of undisturbed draws less than half say so much               */
    double resident_ns, evicted_ns;
} servet_held;

/* servet_count_held - what a level that others use holds                                       [pure]
 *   anchor_cycles   what reference chains take undisturbed;   0 = the least of this evidence
 * The most that two draws say, the mean of those that say the same; usual: the largest median of a footprint's draws.
 * Others only evict, so it is a lower bound, but for the choice of blocks (5 %).  Disturbed, and up to twice as much
 * may be there, where of the draws beside which the reference chains ran undisturbed less than two, or less than half,
 * agree; else hi = bytes (1.1 + 0.9 x share of draws beside which they did not).  EUNRESOLVED where evicted is not told
 * from resident: no level, or no end of it was reached. */
SERVET_API int servet_count_held(servet_held *out, const servet_resident *e, double anchor_cycles);

#if !defined(SERVET_PURE_ONLY)
/* servet_count_resident - evidence for servet_count_held                                     [machine]
 *   e          zeroed, or begun at other moments: then it goes on
 *   hi_bytes   largest footprint;   opts->before_units, budget_s, seed, stop are used
 * From thrice the level before on (16 blocks at least) by factors of sqrt 2 until most is evicted; then around what is
 * held, by turns.
 * Cost     0.3 ms a MiB (Zen 4): some 0.1 s of 16 MiB, or the budget.  Memory: hi_bytes, and 1/15 for lists.
 * Fooled by  two levels behind those counted, whose hits differ: the nearer one counts whole, the farther in part.
 * EUNSUPPORTED where m has no tracks or too little memory, ESTOPPED without a point. */
SERVET_API int servet_count_resident(servet_resident *e, const servet_machine *m, double hi_bytes,
                                     const servet_count_opts *opts);

/* servet_count_cache, _tlb - count a level of a core's own                                   [machine]
 * Cost     a first level some 2 ms, 1 MiB 20 ms, 4 MiB 0.1 s; a first TLB 10 ms in five runs, one of 3072
 *          entries 0.15 to 0.2 s in three (Zen 4).  Memory: about 20 times about_units.
 * Fooled by  a level that others use all the time (it is full early: then the smaller count is what can be had), one
 *          whose sets are chosen line by line within a page, pages shared with the level before by exclusion (what
 *          is counted is the sum), and of a second TLB entries of the first that hold several pages in a row.
 * Whether evicted could be told from resident says servet_count_settle.  EUNSUPPORTED where m has no tracks or too
 * little memory, ESTOPPED without a run. */
SERVET_API int servet_count_cache(servet_count *out, const servet_machine *m, const servet_count_opts *opts);
SERVET_API int servet_count_tlb(servet_count *out, const servet_machine *m, const servet_count_opts *opts);
#endif

/* >>levels ------------------------------------------------------------------------------------- */

/* How a level replaces lines, as far as a latency curve tells. */
enum {
    SERVET_POLICY_UNKNOWN = 0,
    SERVET_POLICY_LRU = 1,      /* LRU, FIFO, tree PLRU: a cyclic walk over too much misses everywhere */
    SERVET_POLICY_NRU = 2,      /* not recently used, one bit                                         */
    SERVET_POLICY_RANDOM = 3,
    SERVET_POLICY_ADAPTIVE = 4, /* resists thrashing: keeps part of a working set that does not fit    */
    SERVET_POLICY_DUELING = 5,  /* set dueling: part LRU, part adaptive                               */
    SERVET_POLICY_QLRU = 6      /* ages of two bits, inserted at 1 and made 0 by a hit                */
};
/* Where the pages of a footprint fall among a level's sets. */
enum { SERVET_PLACEMENT_UNKNOWN = 0, SERVET_PLACEMENT_EVEN = 1, SERVET_PLACEMENT_RANDOM = 2 };

/* How a size was found. */
enum {
    SERVET_BY_GRID = 1,         /* between two points of a sparse curve                              */
    SERVET_BY_MODEL = 2,        /* miss-rate model fitted to the ramp                                */
    SERVET_BY_COMPACT_SET = 3,  /* of profiles before 0.6                                            */
    SERVET_BY_PEAK = 4,         /* gradient peak of the 2010 method                                  */
    SERVET_BY_BINOMIAL = 5,     /* binomial algorithm of the 2010 method                             */
    SERVET_BY_COUNT = 6,        /* blocks that stay in the level at once                             */
    SERVET_BY_HELD = 7          /* at least so much was found in it at good moments                   */
};

typedef struct servet_level {
    int    level;               /* 1 = nearest                                                       */
    double bytes, lo_bytes, hi_bytes;
    double latency_ns;          /* of a hit, as the curve shows it; 0 = not seen                     */
    double lo_ns, hi_ns;
    int    ways;                /* 0 = not known                                                     */
    int    policy, placement;   /* SERVET_POLICY_*, SERVET_PLACEMENT_*                               */
    int    method;              /* SERVET_BY_*                                                       */
    int    effective;           /* 1 = the last level: what could be had while measuring, not a size
                                   of the silicon; lo and hi are where misses began and where they were the rule */
    int    unresolved;          /* 1 = a dense curve does not determine the size: by less than half what it
                                   says lies within 15 % of bytes, the likeliest of sizes far apart  */
    double misfit_frac;         /* root mean square of the model's residuals, as a share of the step; 0 = none */
} servet_level;

/* Why a step is not called a level. */
enum { SERVET_DOUBT_TLB = 1, SERVET_DOUBT_NOISE = 2 };

typedef struct servet_doubt {
    double bytes;               /* where the step is                                                 */
    double ratio;               /* latency after it against before                                   */
    int    why;                 /* SERVET_DOUBT_*                                                   */
} servet_doubt;

typedef struct servet_levels {
    int    count;
    servet_level level[SERVET_LEVELS_MAX];
    int    doubtful_count;
    servet_doubt doubtful[SERVET_LEVELS_MAX];
    double memory_ns, memory_lo_ns, memory_hi_ns;   /* beyond the last level; 0 = the curve does not get there */
} servet_levels;

typedef struct servet_fit_opts {
    double page_bytes;          /* unit in which memory falls among sets;          0 = 4096             */
    double line_bytes;          /*                                                 0 = 64               */
    double step_ratio;          /* smallest rise that is a level, above 1;         0 = 1.25             */
    int    compact;             /* 1 = the chase kept TLB misses out, so small steps need no doubt       */
    const servet_level *known;  /* levels whose size, or ways too, are known, ascending, the nearest first  */
    int    known_count;
} servet_fit_opts;

/* servet_fit_levels - cache levels from a latency curve                                       [pure]
 *   curve    points ascending; samples are used where there are some, else ns alone
 * One model of the whole curve,
 *     latency(n) = T1 + sum over levels of d_i M_i(n),   d_i > 0,
 * M_i the share of accesses to n pages that miss level i (servet__fit_miss_rate).  Which levels: as few rises of a few
 * shapes as explain the curve to its scatter, each tried anew beside the others and two made one where that does (by
 * Schwarz's price); rises nearer than caches can be are one step.  How large each is: the posterior of its capacity
 * beside all other levels, summed over all ways, policies, placements, and whether it holds what the level before does
 * or only what that has lost; bytes is where most of it lies, within 5 %, and the interval holds 95 % of it, with a
 * term for what no model describes.  On grids of about an octave, where shapes say little, the size is the middle
 * between the last point that hits and the first that misses half.  Of the last level lo and hi are at least where
 * misses began and were the rule.
 * Before anything is seen some ways and policies are commoner than others, and in a quarter of all levels the number
 * of sets is a power of two.
 * Of known levels the curve tells the latency (0 where it does not show them), and its other levels end behind them.
 * A step that may be a TLB's (below 1.7 times, behind the first level, unless compact) or a page's (at 4 KiB), and one
 * that only noise supports or that leads to more than 1000 times the least, goes to doubtful.
 * EUNRESOLVED where there is no level (flat, falling or fewer than 3 points); doubtful steps are given then too.
 * EINVAL for known levels that are not ascending, or without size.
 * Cost: some 10 ms for a sparse curve, 20 to 60 ms for a dense one, 0.3 s where it is rough. */
SERVET_API int servet_fit_levels(servet_levels *out, const servet_curve *curve, const servet_fit_opts *opts);

/* servet_fit_curve - make a curve of plain pairs, from this tool or another                    [pure]
 *   bytes, ns   n pairs by ascending bytes; equal sizes become samples of one point, and more than
 *               SERVET_POINTS_MAX sizes are gathered on a grid
 * EINVAL for n < 1, for values that are not finite or not above 0, and where bytes descend. */
SERVET_API int servet_fit_curve(servet_curve *out, const double *bytes, const double *ns, size_t n);

/* servet_fit_binomial - Servet's probabilistic algorithm, as in its Figure 3                    [pure]
 *   bytes, cycles, n   the part of a curve around one cache
 * Miss rates (C - min C) / (max C - min C) against P[B(NP, K PS / CS) > K] for tentative sizes CS and
 * associativities K; the mode of the five best sizes.  Tentative sizes, which the paper leaves open: m 2^k
 * with m = 1, 1.25, 1.5, 1.75 between the smallest and the largest array; K = 1, 2, 4, 8, 12, 16, 24.
 * Returns the size's position in that list by *out_bytes; EUNRESOLVED for fewer than 3 points or no rise. */
SERVET_API int servet_fit_binomial(double *out_bytes, const double *bytes, const double *cycles, size_t n,
                                   double page_bytes);

/* servet_fit_servet - Servet's whole algorithm for all levels, as in its Figure 4               [pure]
 *   tolerance   a gradient above 1 + tolerance is a rise; 0 = 0.1 (the paper says "> 1", of clean data)
 * First peak: L1 at its position; a peak of one size: that size; a wider one, and one that lasts to the
 * largest array: servet_fit_binomial on the sizes around it.  Gives no intervals: lo = hi = bytes. */
SERVET_API int servet_fit_servet(servet_levels *out, const double *bytes, const double *cycles, size_t n,
                                 double page_bytes, double tolerance);

/* >>hierarchy --------------------------------------------------------------------------------- */

/* Pairs of loads of which the second follows at once, a distance away: what tells how much a miss brings. */
#define SERVET_LINE_POINTS 48
enum { SERVET_LINE_NEAR = 0, SERVET_LINE_FAR = 1 };   /* misses of the first level; of those far behind it */
typedef struct servet_line_point {
    int    test;                /* SERVET_LINE_*                                                     */
    int    base_bytes;          /* where in a block, aligned to 1024, the first load goes            */
    int    apart_bytes;         /* from there to the second; 0 = there is none                       */
    int    samples;
    double ns;                  /* per load                                                          */
} servet_line_point;

typedef struct servet_line_evidence {
    int    count;
    int    blocks[2];           /* in each test                                                      */
    int    taken, retaken, stopped;
    double seconds;
    servet_line_point point[SERVET_LINE_POINTS];
} servet_line_evidence;

typedef struct servet_line {
    int    line_bytes, lo_bytes, hi_bytes;   /* what a miss of the first level brings                  */
    int    fetch_bytes;         /* what a miss far behind it brings near, a prefetch of the other half of a pair
                                   included; 0 = not known                                           */
    int    predicted;           /* 1 = far behind it lines of other pairs come early too: a prefetcher learns */
    double hit_ns, miss_ns;     /* of the second load, inside the line and outside                   */
} servet_line;

#define SERVET_TLB_LEVELS   3
typedef struct servet_tlb_level {
    int    entries, lo_entries, hi_entries;    /* hi: up to where a miss was seen while nothing was disturbed */
    double penalty_ns;          /* of a miss that the next level, or after the last the page walk, answers */
    double lo_ns, hi_ns;
} servet_tlb_level;

typedef struct servet_tlb {     /* for one size of page */
    int    count;
    servet_tlb_level level[SERVET_TLB_LEVELS];
    int    seen_pages;          /* as many were tried: what is not seen is larger                    */
    double walk_ns;             /* page walk, the page tables near: at 3 times the last level's entries; 0 = not seen */
    double walk_far_ns;         /* at most pages tried, if 6 times the entries or more; 0 = not seen  */
} servet_tlb;

/* Do large pages save translations?  In a guest they may be large for its own system only. */
enum { SERVET_BACKING_UNKNOWN = 0, SERVET_BACKING_SPLIT = 1, SERVET_BACKING_PART = 2, SERVET_BACKING_WHOLE = 3 };

typedef struct servet_tlbs {
    servet_tlb small, large;
    int    backing;             /* SERVET_BACKING_*: what a large page costs: an entry for each small one, one for
                                   several of them, or a single one                                  */
} servet_tlbs;

/* >>groups ------------------------------------------------------------------------------------ */

#define SERVET_GROUPS_MOST  1024    /* may be grouped                                               */
#define SERVET_GROUPS_SORTS    3    /* matrices of costs at most                                    */
#define SERVET_GROUPS_LAYERS   8    /* one more than may be found                                   */

/* What servet_groups_find groups, and what it finds. */
typedef struct servet_groups {
    int n, sorts;               /* how many are grouped; ways to measure what their pairs cost      */
    const double *cost[SERVET_GROUPS_SORTS];    /* of each, n x n, row-major, any unit; read above the diagonal;
                                   what is not a finite number above 0 is a hole                    */
    const double *alone[SERVET_GROUPS_SORTS];   /* the same of pairs with no other under way, or NULL */
    double known_frac[SERVET_GROUPS_SORTS];     /* standard deviation of a cost, by its own interval; 0 = not known */
    const int *given;           /* NULL, or a partition that was named, as by hosts: a number of each */
    int    layers;              /* found, the innermost first                                       */
    int   *group[SERVET_GROUPS_LAYERS];         /* of each in each layer, in work: all are in one, maybe alone */
    double evidence[SERVET_GROUPS_LAYERS];      /* of each layer: -log of the chance of one as good */
    int    gradient;            /* 1 = pairs of the outermost groups are nearer and farther without groups */
} servet_groups;

/* servet_groups_find - nested partitions of what has near and far pairs                          [pure]
 *   g      n to alone: what is known of pairs; layers to gradient: the answers
 *   work   servet_groups_work_bytes(n, sorts) bytes, aligned for double; 0 for what cannot be
 * A partition is claimed where it is no chance in all sorts of costs together (Student's t against the number of ways
 * to group so many; the given one is one way that need not be found), where it separates: 9 of 10 comparisons of a cost
 * inside with one outside, and members nearer to each other than half the way to any other group; where the step
 * outward is the same for all members (on a line, ring, mesh or torus it is not), and where pairs alone do not deny it.
 * gradient: near pairs have similar rows without being groups (Mantel's test, one in 200).
 * What costs differ by less than 1 % is taken for noise.  Groups that are dearer inside than outside, and such as are
 * found in one part only, are what servet_pairs_layers finds between cores.
 * Returns the number of layers; EINVAL for NULL and what is out of range, EUNRESOLVED without any cost. */
SERVET_API int servet_groups_find(servet_groups *g, void *work);
SERVET_API size_t servet_groups_work_bytes(int n, int sorts);

/* >>pairs ------------------------------------------------------------------------------------- */

#define SERVET_PAIRS_CORES  1024   /* cores of a matrix at most                                     */
#define SERVET_PAIRS_LAYERS    8   /* layers of groups at most; machines have up to five            */

typedef struct servet_pairs_layer {
    double latency_ns, lo_ns, hi_ns;    /* between cores whose innermost common group is new here: median, interval */
    double confidence_frac;             /* 1 - the chance of grouping costs that are all alike, over all groupings    */
    int    groups;
} servet_pairs_layer;

/* What servet_pairs_layers found.  About 37 KB: a plain struct, copy it freely. */
typedef struct servet_layers {
    int    cores;
    int    count;                       /* layers, the innermost first; 0 = no core is nearer than another */
    servet_pairs_layer layer[SERVET_PAIRS_LAYERS];
    int16_t group[SERVET_PAIRS_LAYERS][SERVET_PAIRS_CORES];  /* of each core in each layer, from 0; -1 = of none */
    double outermost_ns, lo_ns, hi_ns;  /* between cores that no group joins                        */
    int    kinds;                       /* roles of cores, such as performance and efficiency       */
    int16_t kind[SERVET_PAIRS_CORES];   /* cores of one kind have equal rows, up to their order     */
} servet_layers;

/* servet_pairs_layers - which cores are near each other, from what pairs cost                       [pure]
 *   ns      cores x cores, row-major, any unit; the diagonal is not read, and what is not a finite number above 0
 *           is a hole.  Where both directions are known the lower counts: disturbance and a distant home add.
 * Groups are nested, and so are layers: the groups of a layer contain those of the one before, which may appear
 * again in it.  A group is claimed where a cut of an average-linkage tree, over the costs or over what is left of them
 * when each core may be nearer or farther as a whole,
 *   - is no chance: Student's t between costs inside and outside, against the number of ways to group so many cores;
 *   - separates: 9 of 10 comparisons of a cost inside with one outside, and members that are nearer to each other than
 *     to any other group by half the way;
 *   - is no gradient: the step outward is nearly the same for all members.  On a line or mesh it is not.
 * Groups dearer inside than outside are found as well (clusters of small cores, sockets whose lines are homed
 * elsewhere), and so is the other half of a machine that shows only one.  Cores of equal rows are a group where they
 * come in blocks of one size; a few cores left beside groups of one size are more of those; a single cost far above
 * what the most similar cores pay counts as a hole, in latencies as well.
 * What costs differ by less than 1 % is taken for noise.
 * Returns the number of layers.  EINVAL for NULL and sizes out of range, EUNRESOLVED if there is no cost at
 * all, ENOMEM: it works in 50 bytes a cell of the matrix.
 * Cost: a millisecond for 32 cores, 0.2 s for 256, 10 s for 1024. */
SERVET_API int servet_pairs_layers(servet_layers *out, const double *ns, int cores);

typedef struct servet_pair { int a, b; } servet_pair;

/* servet_pairs_rounds, _round - all pairs as a tournament: in a round no core is in two pairs      [pure]
 *   pair    cores / 2 pairs out, a < b; returns how many.  round from 0 to servet_pairs_rounds(cores) - 1
 * The circle method: cores - 1 rounds for an even number, as many as cores for an odd one.  For latencies and for
 * screening; not for capacity, where concurrent pairs disturb each other in the cache under test.  EINVAL. */
SERVET_API int servet_pairs_rounds(int cores);
SERVET_API int servet_pairs_round(servet_pair *pair, int cores, int round);

/* servet_pairs_sharing - pairs that share a cache, after Figure 5 of Servet                         [pure]
 *   shared     cores x cores out: 0 = the pair shares, -1 = not (for servet_pairs_groups)
 *   both_ns    cores x cores, a < b read: latency when both cores traverse 2/3 of the cache at once
 *   alone_ns   and when one does;  ratio: 0 = 2, the paper's
 * Returns the number of pairs.  Misses caches that replace at random or adaptively, and last levels less than
 * twice as fast as what is next: servet_pairs_shared is for those. */
SERVET_API int servet_pairs_sharing(int *shared, const double *both_ns, int cores, double alone_ns, double ratio);

/* servet_pairs_overheads - levels of bandwidth of pairs that collide in memory, after Figure 6 of Servet [pure]
 *   bandwidth  cap levels out, BW[i], in the order found
 *   level      cores x cores out: i for the pairs of Pm[i], -1 = no overhead
 *   both       cores x cores, a < b read, in the order of the figure: bandwidth of one core while both copy
 *   reference  and of one alone;  similar_frac: 0 = within 10 % of a level is the same
 *   less_frac  what counts as less than the reference: 0 = any, as in the figure; noise wants 0.05
 * Returns the number of levels.  EINVAL, ESPACE for more than cap. */
SERVET_API int servet_pairs_overheads(double *bandwidth, int cap, int *level, const double *both, int cores,
                                      double reference, double similar_frac, double less_frac);

/* servet_pairs_groups - cores joined by the pairs of one level: (0,1), (0,2) give {0,1,2}           [pure]
 *   group      of each core, from 0 in the order of their first cores; -1 = in none.  Returns how many. */
SERVET_API int servet_pairs_groups(int *group, const int *level, int cores, int which);

/* How far CPUs are from each other: the evidence. */
#define SERVET_CORES_MAX     256                                             /* CPUs kept at most            */
#define SERVET_CORES_PAIRS   (SERVET_CORES_MAX * (SERVET_CORES_MAX - 1) / 2)

enum {
    SERVET_CORES_UNMEASURED = 0,    /* a hole                                                           */
    SERVET_CORES_SOUND = 1,         /* repeated, or as all pairs of the same two groups                 */
    SERVET_CORES_CONTAMINATED = 2   /* measured, and not to be believed: something else was at work     */
};

typedef struct servet_sibling {         /* two CPUs that add as fast as they can, alone and together     */
    int16_t a, b;                       /* which of servet_cores.cpu, a < b                              */
    float   speed_frac;                 /* of each beside the other, against alone: half for siblings of a core */
} servet_sibling;

/* About 430 KB: a plain struct, copy it freely.  Where pair (a, b), a < b, is: servet_pairs_cores_at. */
typedef struct servet_cores {
    int    count;                       /* CPUs                                                          */
    int    of;                          /* of so many that were asked for: a choice where it is more     */
    int    cpu[SERVET_CORES_MAX];       /* their numbers                                                 */
    int    sound, contaminated;         /* pairs                                                         */
    int    passes;                      /* tournaments begun                                             */
    int    taken;                       /* samples                                                       */
    int    alone;                       /* takes of a pair with nobody else at work                      */
    int    moved;                       /* sound pairs seen at another distance as well, at times: virtual CPUs that
                                           their host moves, maybe                                        */
    int    stopped;                     /* 1 = ended by opts->stop or the budget                         */
    double seconds;
    double home_frac;                   /* what FLAGS cost with their lines near the wrong CPU, against near the
                                           other, less 1: nine sound pairs of ten have less               */
    float    ns[SERVET_HANDOFF_KINDS][SERVET_CORES_PAIRS];      /* one way, half of a round trip, the lower of both
                                           homes; 0 = unmeasured                                          */
    uint16_t doubt_permille[SERVET_HANDOFF_KINDS][SERVET_CORES_PAIRS];   /* half of its interval; 65535 = open  */
    unsigned char state[SERVET_CORES_PAIRS];                    /* SERVET_CORES_*, of all kinds together  */
    int    siblings;                    /* tests                                                         */
    servet_sibling sibling[SERVET_CORES_MAX];
} servet_cores;

typedef struct servet_cores_opts {
    servet_run run;             /* budget of the whole 10 s; asked between parts of it                  */
    int    rounds;              /* samples of a pair for each home, in a take, at most SERVET_SAMPLES_MAX; 0 = 5 */
    int    takes;               /* of a pair at most, each with other lines and other pairs beside it, 2 to 16;
                                                                                  0 = 8          */
    double effort;              /* time per sample against the usual;                              0 = 1   */
} servet_cores_opts;

/* servet_pairs_cores_at - where a pair is in the arrays of servet_cores: b (b - 1) / 2 + a for a < b    [pure]
 * In either order; a and b differ and are from 0 to SERVET_CORES_MAX - 1. */
SERVET_API int servet_pairs_cores_at(int a, int b);

/* servet_pairs_cores_layers - servet_pairs_layers of the sound pairs                             [pure]
 * Cores are places in c->cpu.  Two CPUs have no layers: there is nothing to compare with.  Statuses as there. */
SERVET_API int servet_pairs_cores_layers(servet_layers *out, const servet_cores *c, int kind);

/* servet_pairs_cores_siblings - CPUs that are threads of one core                                      [pure]
 *   group   count numbers out: cores by the order of their first CPUs; -1 = no sibling known
 * Joins pairs that together do about what one does alone: each 40 to 75 % of its speed (at 85 % or more they are
 * apart).  Latency alone proves nothing.  Returns the number of cores with siblings, EUNRESOLVED where no test was
 * made or one came out between. */
SERVET_API int servet_pairs_cores_siblings(int16_t *group, const servet_cores *c);

#if !defined(SERVET_PURE_ONLY)
/* servet_pairs_latency - how long a line takes from each CPU to each other                          [machine]
 *   out        written only when something was measured
 *   m          a machine with handoff; with operate, CPUs that are nearest are tested for being siblings
 *   cpu, cpus  2 or more, none twice; of more than SERVET_CORES_MAX, sixteen runs of neighbours spread evenly
 * All pairs in a tournament, CPUs in random order, both kinds, lines at either CPU; again in another order, if a third
 * of the budget was enough for the first.  A pair whose takes agree is sound: their lowest, if another is within a
 * tenth of it, or a fifth where their intervals are as wide; of takes whose own samples are far apart it needs three.
 * Of one take alone, that is so if at least three samples were undisturbed and the pair costs what the others of the
 * same two groups do.  Pairs that are neither, and those that contradict their groups, are measured again, alone or,
 * where there are too many for the budget, with few others, until the lowest take is confirmed; else they are
 * contaminated.  Virtual CPUs that their host moves have several distances: the least that was confirmed is told.
 * Returns the number of sound pairs.  EINVAL, EUNSUPPORTED where m has no handoff, EPIN for a CPU that cannot be used,
 * ESTOPPED or ENOISE if nothing was measured, or what m says.
 * Cost     some 10 ms for two CPUs, as much again for the test of siblings; some seconds for 256, of which threads are
 *          begun a thousand times.
 * Fooled by  a neighbour that shares a core all the time and never lets go: its share is in all takes. */
SERVET_API int servet_pairs_latency(servet_cores *out, const servet_machine *m, const int *cpu, int cpus,
                                    const servet_cores_opts *opts);
#endif

/* Who shares which cache: what CPUs do to each other that chase at once, each over memory of its own. */
enum { SERVET_SHARING_TESTS = 4096, SERVET_SHARING_SAMPLES = 32768 };

typedef struct servet_sharing_sample {
    int16_t cpu;                /* which of servet_sharing.cpu                                       */
    float   alone_ns;           /* of its loads, while no more of the set use the level than fit; by loads: the
                                   longer of those before and after                                  */
    float   beside_ns;          /* while all of the set do; 0 = it is no victim of this test         */
} servet_sharing_sample;

typedef struct servet_sharing_test {
    int16_t level;              /* which of servet_sharing.level                                     */
    int16_t cpus, rounds;       /* of the set, and samples of each                                   */
    int16_t need;               /* so many of the set evict each other if they share: 2, or more than half of it */
    int16_t one_sided;          /* 1 = not to be slowed proves nothing: strangers or other sets evict as well */
    int     first;              /* of its samples: those of a round in a row                         */
    double  bytes;              /* that each CPU chases over                                         */
    double  expected;           /* beside_ns / alone_ns of those that share: what eviction costs     */
    double  calm;               /* and of others: above 1 where all of the set may overflow the next level */
    double  limit_ns;           /* above 0: a test by loads; longer are misses of the level          */
    double  llr;                /* log likelihood ratio that decides about a CPU                     */
} servet_sharing_test;

typedef struct servet_sharing_level {
    int    level;               /* 1 = nearest                                                       */
    int    status;              /* SERVET_OK, or why nothing is known of it: EUNSUPPORTED = the memory is too little,
                                   EUNRESOLVED = sharing would make no difference that could be seen, ESTOPPED */
    double bytes;               /* of the level                                                      */
    double footprint_bytes;     /* of each CPU: by the size that a CPU had alone when it was tested  */
    double predicted;           /* ratio of two that share; of the paper's test what it asks for     */
    int    groups;              /* caches                                                            */
    int    unknown;             /* CPUs in none of them                                              */
    int16_t group[SERVET_CORES_MAX];    /* of each CPU, from 0: those of one number share a cache; -1 = unknown */
    double  llr[SERVET_CORES_MAX];      /* log likelihood ratio of the least sure test that this stands on:
                                   4.6 is 1 wrong in 100, 9.2 one in 10000; 0 = unknown, or the paper's test */
    int    tests;               /* pairs tested                                                      */
    int    at_once;             /* questions to more than two at once                                */
    int    flooded;             /* tests of an effective level by loads that leave nothing of it to those who share */
    int    undecided;           /* of all these                                                      */
    int    chases;              /* calls of the machine                                              */
    double seconds;
} servet_sharing_level;

/* About 750 KB: a plain struct, copy it freely; not for the stack. */
typedef struct servet_sharing {
    int    cpus;
    int    cpu[SERVET_CORES_MAX];       /* their numbers                                             */
    int    paper;                       /* 1 = by the paper's test                                   */
    int    count, stopped;              /* levels; 1 = ended by opts->stop, the budget, or the room for samples */
    double seconds;
    servet_sharing_level level[SERVET_LEVELS_MAX];
    int    tests, samples;              /* all that groups are inferred from                         */
    servet_sharing_test test[SERVET_SHARING_TESTS];
    servet_sharing_sample sample[SERVET_SHARING_SAMPLES];
} servet_sharing;

typedef struct servet_sharing_opts {
    servet_run run;             /* budget of the whole 10 s; asked between chases                       */
    int    paper;               /* 1 = as Figure 5 of Servet: every pair, 2/3 of the size, a ratio above 2;  0 = no  */
    double ratio;               /* asked for at most, where more is predicted; by the paper's test in any case; 0 = 2 */
    double footprint_frac;      /* of the level, by half of a set;   0 = 0.75, 0.80 where memory fills sets evenly */
    double llr;                 /* at which a test ends;        0 = 4.6, and more where CPUs are many        */
    int    ratios_max;          /* of a test, after which it is undecided, 3 to 64;             0 = 32       */
    const servet_layers *layers;   /* groups that are expected, cores in the order of cpu;      NULL = none  */
    double page_bytes;          /* in which memory falls among sets;                            0 = 4096     */
    int    line_bytes;          /* distance of elements;                   0 = 64 (128 on POWER, Apple)     */
    int    retakes;             /* of a disturbed chase, at once;                               0 = 1, -1 = none */
    double effort;              /* time per sample against the usual;                           0 = 1        */
} servet_sharing_opts;

#if !defined(SERVET_PURE_ONLY)
/* servet_pairs_shared - who shares which cache                                                      [machine]
 *   m          with together
 *   levels     as found: bytes, lo_bytes (what surely fits) and latency of each are used, memory_ns behind the last
 *   cpu, cpus  1 to SERVET_CORES_MAX, none twice
 * Level by level, each question chosen by what is inferred from the samples so far.  First one CPU alone over
 * twice the footprint: it must be slower, as it would be beside one that shares the level; else the level is taken to
 * be larger or smaller now than it was found, up to 4 times and down to a half.  One question: CPUs of a set chase, in
 * random order, part by part beside others over 16 KiB (a 64th of small levels), and all at once.
 *   - All CPUs as one set, then layer by layer inward the groups of opts->layers, those of a layer at the same time: a
 *     half of a set fills opts->footprint_frac of the level, and both overflow it together if nearly all share.
 *   - One CPU of each group, all at once, each over that much: who is not slowed shares with none of the others.
 *   - What that leaves open, pair by pair.  Who is slowed by many and shares with none is tested again as if the level
 *     were twice as large, and is unknown if that does not explain it.
 * Of a level that is effective, strangers may want it too, and two that share may lose nothing to each other.  There
 * only loads that leave nothing of the level to others, where m has bandwidth, show who is apart.
 * A level has a status of its own where m has not memory enough for two, or where no footprint of it shows anything.
 * Returns the number of levels.
 * EINVAL, EUNSUPPORTED where m has no together, EPIN for a CPU that cannot be used, ESTOPPED if nothing was measured.
 * Cost     a question some 12 chases: 30 ms for levels below 1 MiB, 1 s for 8 MiB and more where neighbours disturb.
 *          Some 800 chases a level for 256 CPUs of which layers show the groups; 19,000 for 128 of which they do not.
 * Fooled by  neighbours that come and go with the tests; a level that keeps parts of itself for each CPU. */
SERVET_API int servet_pairs_shared(servet_sharing *out, const servet_machine *m, const servet_levels *levels,
                                   const int *cpu, int cpus, const servet_sharing_opts *opts);
#endif

/* >>bandwidth --------------------------------------------------------------------------------- */

#define SERVET_BANDWIDTH_POINTS 192
typedef struct servet_bandwidth_point {
    int    kernel, streaming, vector;   /* as in servet_stream; the vector is the one used           */
    int    cpus, memory, node;          /* as in servet_streams                                      */
    int    cpu_node;                    /* the node of the CPUs; -1 = not asked                       */
    double bytes, chase_bytes, gap_ns;
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;   /* what the program loads and stores, all CPUs together */
    double allocate_bytes_per_s;        /* with lines that regular stores read first where no cache has them: what
                                           memory moves, if the CPU does not avoid that              */
    double chase_ns, lo_chase_ns, hi_chase_ns;            /* 0 = there was no chase                  */
    int    samples, noisy;
    double sample_bytes_per_s[SERVET_SAMPLES_MAX], sample_chase_ns[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];              /* SERVET_NOISE_*                          */
} servet_bandwidth_point;

typedef struct servet_bandwidth {
    int    count;
    int    taken, stopped;              /* samples; 1 = ended by opts->stop or the budget             */
    double seconds;
    servet_bandwidth_point point[SERVET_BANDWIDTH_POINTS];
} servet_bandwidth;

typedef struct servet_bandwidth_opts {
    servet_run run;             /* budget of the whole 10 s; asked between parts of it                  */
    int    rounds;              /* samples of a point, at most SERVET_SAMPLES_MAX;      0 = 9           */
    double effort;              /* time per sample against the usual;                   0 = 1           */
    int    vector;              /* SERVET_VECTOR_*;                                     0 = the widest  */
    int    chains_max;          /* of parallelism, 2 to SERVET_CHAINS_MAX;              0 = 32          */
} servet_bandwidth_opts;

/* How a rate grows with the number of those that work, up to a ceiling. */
typedef struct servet_saturation {
    double one, lo_one, hi_one;         /* rate of one, if all were as the first                     */
    double top, lo_top, hi_top;         /* the ceiling; hi 0 = open: not seen                         */
    double knee, lo_knee, hi_knee;      /* top / one: as many would fill it if none disturbed another; hi 0 = open */
    int    open;                        /* 1 = the rate was not seen to level off                     */
    int    enough, lo_enough, hi_enough;   /* smallest number with the share asked for of the best rate there was */
    double best;                        /* rate there                                                */
    double decline_frac;                /* how far the last lies below the best, if beyond their intervals; else 0 */
    double sharpness;                   /* p below: 2 bends slowly, 96 is a corner                   */
    double misfit_frac;                 /* root mean square of residuals                             */
} servet_saturation;

/* Independent chains: latency per load over all of them, by their number. */
#define SERVET_PARALLEL_POINTS 24
typedef struct servet_parallel_point {
    int    chains;
    double ns, lo_ns, hi_ns;            /* per load of a CPU, over its chains                         */
    int    samples, noisy;
    double sample_ns[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];
} servet_parallel_point;

typedef struct servet_parallelism {
    double bytes;                       /* of each CPU: which level it is                            */
    int    cpus, line_bytes, count;
    double seconds;
    servet_parallel_point point[SERVET_PARALLEL_POINTS];
} servet_parallelism;

typedef struct servet_mlp {
    double latency_ns, lo_latency_ns, hi_latency_ns;      /* of one chain, by the fit                */
    double mlp, lo_mlp, hi_mlp;         /* loads under way at once: rate at the ceiling x latency [Little]; 0 = open */
    int    open;                        /* 1 = still rising at the most chains                       */
    int    k90, lo_k90, hi_k90;         /* chains for 90 % of the best                               */
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;   /* effective bandwidth of all CPUs at the best number of
                                           chains: clock x line / cycles per read [P-Ray], a whole line for each load,
                                           though of the first level only a pointer is moved        */
    double misfit_frac;                 /* as in servet_saturation                                   */
} servet_mlp;

/* Where non-temporal copies begin to win. */
typedef struct servet_streaming {
    int    cpus;
    double bytes, lo_bytes, hi_bytes;   /* of what one CPU copies: non-temporal stores win from there on; 0 = not up to
                                           the largest size, hi 0 = nor surely                       */
    int    always;                      /* 1 = at the smallest size already                           */
    double gain_frac;                   /* at the largest size: bandwidth against that of regular ones, less 1 */
} servet_streaming;

/* servet_bandwidth_fit_stores - streaming_store_bytes from copies of both sorts by size          [pure]
 *   b, cpus   points of COPY with local memory by so many CPUs, both sorts of each size, sampled in turn
 * Ratios of neighbouring samples, their median by size made monotone, and where it crosses 1; the interval is
 * from the last size where they surely lose to the first where they surely win.  EUNRESOLVED for fewer than 3 sizes. */
SERVET_API int servet_bandwidth_fit_stores(servet_streaming *out, const servet_bandwidth *b, int cpus);

/* Latencies of a random cycle over elements at distances of 8 to 256 bytes. */
enum { SERVET_STRIDES = 6, SERVET_STRIDE_SIZES = 16 };
typedef struct servet_strides {
    int    sizes;
    double bytes[SERVET_STRIDE_SIZES];                    /* footprints                               */
    int    stride_bytes[SERVET_STRIDES];                  /* 8, 16, 32, 64, 128, 256                  */
    double ns[SERVET_STRIDE_SIZES][SERVET_STRIDES];       /* lower quartile; 0 = not possible: no memory for as many
                                                             elements, or smaller than a pointer      */
    double lo_ns[SERVET_STRIDE_SIZES][SERVET_STRIDES], hi_ns[SERVET_STRIDE_SIZES][SERVET_STRIDES];
    double seconds;
} servet_strides;

#if !defined(SERVET_PURE_ONLY)

/* servet_bandwidth_kernels - all kernels, both sorts of stores, by one CPU and by all            [machine]
 *   bytes, sizes   working sets of a CPU: better half of each level, and several times the last
 *   cpu, cpus      the first alone, and all of them
 * out must be set (count 0 for a new one); samples are added to what it holds, kernels in turn.  Where the machine has
 * no non-temporal stores their points are left out.  This and the following: EINVAL, EUNSUPPORTED, ESPACE, EPIN as for
 * servet__bandwidth_take, ESTOPPED if nothing was measured.
 * Cost     some 0.1 s for a level, 1 s for 64 MiB of memory; m's memory is at least cpus times the largest size.
 * Fooled by  neighbours at the same memory: the samples are spread over the time it takes, not beyond. */
SERVET_API int servet_bandwidth_kernels(servet_bandwidth *out, const servet_machine *m, const double *bytes, int sizes,
                                        const int *cpu, int cpus, const servet_bandwidth_opts *opts);

/* servet_bandwidth_stores - copies with regular and with non-temporal stores by size              [machine]
 *   lo_bytes, hi_bytes   of what one CPU copies: sizes between, two an octave
 * Where the budget ends first, fewer between the largest and the smallest.  For servet_bandwidth_fit_stores. */
SERVET_API int servet_bandwidth_stores(servet_bandwidth *out, const servet_machine *m, double lo_bytes, double hi_bytes,
                                       const int *cpu, int cpus, const servet_bandwidth_opts *opts);

/* servet_bandwidth_parallel - 1 to 32 chains over a footprint                                    [machine]
 *   bytes     of each CPU: better half of the level meant, several times the last for memory
 *   cpu, cpus the CPUs at work at once, each with chains of its own
 * For servet__bandwidth_fit_parallel.  Cost: 0.1 to 0.3 s. */
SERVET_API int servet_bandwidth_parallel(servet_parallelism *out, const servet_machine *m, double bytes, const int *cpu,
                                         int cpus, const servet_bandwidth_opts *opts);

/* servet_bandwidth_strides - as MareNostrum 5 section 4.4                                       [machine]
 * One random cycle over all elements of a footprint: below the line size several share a line, and a visit to one
 * brings in the others for later, as far as a cache keeps them that long. */
SERVET_API int servet_bandwidth_strides(servet_strides *out, const servet_machine *m, const double *bytes, int sizes,
                                        const servet_bandwidth_opts *opts);
#endif

/* Who slows whom at memory. */
enum {
    SERVET_COLLIDE_UNKNOWN = 0,
    SERVET_COLLIDE_NO = 1,          /* less than 3 % lost, surely: independent                           */
    SERVET_COLLIDE_PARTLY = 2,      /* something is lost, surely, but not surely more than a tenth       */
    SERVET_COLLIDE_YES = 3          /* more than 10 % lost, surely: one controller, or one way to it     */
};
enum {
    SERVET_CONTENTION_LEVELS = 8,   /* levels of overhead                                                */
    SERVET_CONTENTION_LAYERS = 16,
    SERVET_CONTENTION_DOMAINS = 64,
    SERVET_CONTENTION_GAMMAS = 128,
    SERVET_CONTENTION_SCALINGS = 12,
    SERVET_CONTENTION_COUNTS = 24,
    SERVET_CONTENTION_SETS = 1536,
    SERVET_CONTENTION_ROUNDS = 24
};

/* The evidence: CPUs that stream at once, and their rate together. */
typedef struct servet_contention_set {
    uint64_t cpus[SERVET_CORES_MAX / 64];   /* place p in servet_contention.cpu is bit p % 64 of word p / 64 */
    int    batch;                       /* sets of a batch are sampled in turns: round r of each beside the others' */
    int    rounds;
    float  bytes_per_s[SERVET_CONTENTION_ROUNDS];         /* by round: median of three samples        */
} servet_contention_set;

/* A level of overhead: BW[i] and, of Pm[i], the groups; its pairs are those of servet_contention.overhead. */
typedef struct servet_contention_level {
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;   /* BW[i], of one CPU while both of a pair copy, and the range
                                           of its pairs                                               */
    int    pairs;                       /* in Pm[i], those inferred from others of the same groups counted */
    int    groups;
    int16_t group[SERVET_CORES_MAX];    /* of each CPU, from 0; -1 = in no pair of this level         */
} servet_contention_level;

/* CPUs that stream together: a group of servet_contention.group. */
typedef struct servet_contention_domain {
    int    layer, group, cpus;
    int    parent;                      /* the domain it is part of; -1 = none                        */
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;   /* of all its CPUs at once                  */
} servet_contention_domain;

/* What two domains lose that stream at once: 1 - B(a and b) / (B(a) + B(b)). */
typedef struct servet_contention_gamma {
    int    a, b;                        /* domains of one parent; b -1 = all that are parts of a      */
    double gamma, lo, hi;
    int    verdict;                     /* SERVET_COLLIDE_*                                           */
    int    rounds;                      /* of all of them, each the median of three samples           */
} servet_contention_gamma;

/* Effective bandwidth by the number of CPUs at work in a group. */
typedef struct servet_contention_scaling {
    int    domain, cpus, count;         /* of which domain                                           */
    int    n[SERVET_CONTENTION_COUNTS];
    double bytes_per_s[SERVET_CONTENTION_COUNTS], lo_bytes_per_s[SERVET_CONTENTION_COUNTS],
           hi_bytes_per_s[SERVET_CONTENTION_COUNTS];
    int    enough, lo_enough, hi_enough;   /* smallest number that reaches 95 % of the best          */
    double best_bytes_per_s;
    int    fitted;                      /* 1 = by fit; 0 = by the points alone, as they are fewer than three */
    servet_saturation fit;
} servet_contention_scaling;

/* About 400 KB: a plain struct, copy it freely.  Where pair (a, b) is: servet_pairs_cores_at. */
typedef struct servet_contention {
    int    cpus;
    int    cpu[SERVET_CORES_MAX];       /* their numbers                                              */
    int    kernel, streaming, vector;   /* as in servet_stream                                        */
    double bytes;                       /* of each CPU                                                */
    double reference_bytes_per_s, lo_reference_bytes_per_s, hi_reference_bytes_per_s;   /* of one CPU alone */
    double own_bytes_per_s[SERVET_CORES_MAX];             /* of each alone; 0 = not measured          */
    int    pairs;                       /* measured                                                   */
    double noise_frac;                  /* standard error of what a pair is said to have              */
    float  pair_bytes_per_s[SERVET_CORES_PAIRS];   /* of one CPU while both work, if both were as the reference: that
                                           times B(a and b) / (B(a) + B(b)); 0 = not measured         */
    int8_t overhead[SERVET_CORES_PAIRS];           /* which level; -1 = no overhead, -2 = not known   */
    int    given;                       /* layers of groups that were given, nodes of memory among them, the innermost
                                           first: which pairs are alike                               */
    int16_t given_group[SERVET_PAIRS_LAYERS][SERVET_CORES_MAX];
    int    levels;
    servet_contention_level level[SERVET_CONTENTION_LEVELS];
    int    layers;                      /* of domains, the smallest first: those given, nodes, groups of levels of
                                           overhead, the last all CPUs                                */
    int16_t group[SERVET_CONTENTION_LAYERS][SERVET_CORES_MAX];   /* of each CPU in each; -1 = none    */
    int    domains;
    servet_contention_domain domain[SERVET_CONTENTION_DOMAINS];
    int    gammas;
    servet_contention_gamma gamma[SERVET_CONTENTION_GAMMAS];
    int    scalings;
    servet_contention_scaling scaling[SERVET_CONTENTION_SCALINGS];
    int    taken, stopped;              /* samples; 1 = ended by opts->stop or the budget             */
    double seconds;
    int    sets;                        /* all else but what was asked for follows from these and given_group */
    servet_contention_set set[SERVET_CONTENTION_SETS];
} servet_contention;

typedef struct servet_contention_opts {
    servet_run run;             /* budget of the whole 20 s; asked between samples                      */
    int    rounds;              /* of sets of CPUs at least, each the median of three samples; 0 = 4          */
    int    rounds_max;          /* and at most, until intervals are narrow, 3 to 24;          0 = 24          */
    double effort;              /* time per sample against the usual;                         0 = 1           */
    const servet_stream *stream;   /* what they do;             NULL = copy with regular stores, as in the paper */
    const servet_layers *layers;   /* groups that are near each other, cores in the order of cpu; NULL = none  */
    const int16_t *node;        /* of each CPU, the node of memory;                           NULL = one      */
    const int16_t *core;        /* of each CPU: siblings have one number, -1 = has none;      NULL = no siblings */
} servet_contention_opts;

#if !defined(SERVET_PURE_ONLY)
/* servet_bandwidth_contention - who slows whom at memory, and how many are enough                [machine]
 *   bytes      of each CPU's arrays: several times the last level; less where m has not so much for all that stream
 *   cpu, cpus  1 to SERVET_CORES_MAX, none twice
 * Sets of CPUs are sampled in rounds until what follows from them is narrow.  Pairs, as in Figure 6, each beside its
 * CPUs alone: all up to 120, of more three in each of up to eight groups of a layer, then all where these disagree, up
 * to 512.  Then groups, as a pair no longer saturates a socket: all CPUs of a group, of its neighbour, and of both; and
 * all parts of a group at once.  Then by number of CPUs, in the first group of each layer, one thread of each core
 * first and the groups inside in turn: nobody needs fewer.
 * Returns the number of overhead levels.  EINVAL, EUNSUPPORTED where m has no bandwidth, EPIN for a CPU that cannot be
 * used, ESTOPPED if nothing was measured.
 * Cost     2 CPUs: about 1 s with 64 MiB each.
 * Fooled by  neighbours that stream meanwhile; CPUs whose clock falls when all work. */
SERVET_API int servet_bandwidth_contention(servet_contention *out, const servet_machine *m, double bytes,
                                           const int *cpu, int cpus, const servet_contention_opts *opts);
#endif

/* >>coherence --------------------------------------------------------------------------------- */

#define SERVET_BLOCK_PAIRS        8   /* pairs of CPUs, better one of each layer                     */
#define SERVET_BLOCK_POINTS      28   /* places that a pair tries                                    */
#define SERVET_DESTRUCTIVE_POINTS 9   /* distances of two lines                                      */
#define SERVET_COST_POINTS       24   /* numbers of CPUs: up to 4096                                 */
#define SERVET_COST_OPERATIONS    5   /* SERVET_OPERATE_READ to _ATOMIC                              */

/* Two CPUs, one adding at a place and the other at a distance from it: in one block, or in two? */
typedef struct servet_block_point {
    int    base_bytes, distance_bytes;
    int    told;                        /* 1 = one block holds both, -1 = two do, 0 = cannot be said  */
    int    samples, noisy;              /* of them, those with a flag                                */
    double ns;                          /* of an addition: lower quartile                            */
    double sample_ns[SERVET_SAMPLES_MAX];
    double near_ns[SERVET_SAMPLES_MAX], far_ns[SERVET_SAMPLES_MAX];   /* beside each: at 8 bytes, and at 8 KiB */
    unsigned char flags[SERVET_SAMPLES_MAX];                          /* SERVET_NOISE_*                */
} servet_block_point;

typedef struct servet_block {
    int    cpu[2];
    int    status;                      /* SERVET_OK, or why bytes is 0: EUNSUPPORTED = neighbours cost no more than
                                           places far apart: the two share what they write to, as threads of one core
                                           do; EUNRESOLVED = places contradict each other or could not be told */
    double bytes;                       /* coherence block: what goes from cache to cache as a whole  */
    double lo_bytes, hi_bytes;          /* what was told leaves these; equal where all was; hi 0 = open */
    double confidence_frac;             /* that all places it rests on were told rightly             */
    double near_ns, lo_near_ns, hi_near_ns;   /* of an addition by each of two CPUs in one block     */
    double far_ns, lo_far_ns, hi_far_ns;      /* and far apart                                       */
    int    count;
    servet_block_point point[SERVET_BLOCK_POINTS];
} servet_block;

/* Lines that are fetched with others: what CPUs do with one slows those that work in the other. */
enum {
    SERVET_DESTRUCTIVE_NONE = 0,        /* not measured                                              */
    SERVET_DESTRUCTIVE_PAIRS = 1,       /* two pairs of CPUs, each handing on a line of its own      */
    SERVET_DESTRUCTIVE_FETCH = 2        /* two CPUs: one adds in a line, the other has one fetched again and again */
};
enum {
    SERVET_NEIGHBOUR_UNKNOWN = 0,
    SERVET_NEIGHBOUR_FREE = 1,          /* none slows another                                        */
    SERVET_NEIGHBOUR_PAIR = 2,          /* those of one aligned pair do                              */
    SERVET_NEIGHBOUR_NEXT = 3           /* any that lie side by side do                              */
};
typedef struct servet_destructive_point {
    int    base_bytes, distance_bytes;  /* of the first line, and from it to the second              */
    double slowdown, lo_slowdown, hi_slowdown;   /* time over that of lines far apart, less 1: median */
    int    told;                        /* 1 = slowed, -1 = not by 10 %, 0 = cannot be said           */
    int    samples, noisy;
    double sample_ns[SERVET_SAMPLES_MAX], far_ns[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];
} servet_destructive_point;

typedef struct servet_destructive {
    int    method;                      /* SERVET_DESTRUCTIVE_*                                      */
    int    neighbour;                   /* SERVET_NEIGHBOUR_*                                        */
    double block_bytes;                 /* of a line, as it was measured with                        */
    double bytes, lo_bytes, hi_bytes;   /* what must be between data of different CPUs that none slows another:
                                           std::hardware_destructive_interference_size; 0 = unknown  */
    servet_destructive_point control;   /* both in one line: if that slows nobody, nothing can be seen here */
    int    count;
    servet_destructive_point point[SERVET_DESTRUCTIVE_POINTS];
} servet_destructive;

/* One operation by so many CPUs at once. */
typedef struct servet_cost_point {
    int    cpus;
    double ns, lo_ns, hi_ns;            /* of an operation of one CPU, harmonic mean over the CPUs    */
    double slowest_ns;                  /* of the CPU that got the least: lower quartile             */
    int    samples, noisy;
    double sample_ns[SERVET_SAMPLES_MAX], sample_slowest_ns[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];
} servet_cost_point;

enum { SERVET_BUFFERED_UNKNOWN = 0, SERVET_BUFFERED_SHOWN = 1, SERVET_BUFFERED_REFUTED = 2 };
typedef struct servet_costs {
    int    count;                       /* points of each operation, by ascending cpus               */
    servet_cost_point point[SERVET_COST_OPERATIONS][SERVET_COST_POINTS];
    double growth[SERVET_COST_OPERATIONS];   /* time by the most CPUs over that by one: median over rounds */
    double lo_growth[SERVET_COST_OPERATIONS], hi_growth[SERVET_COST_OPERATIONS];
    double power[SERVET_COST_OPERATIONS];    /* p, where time is as cpus^p from two on: 1 = one after the other, 0 = all
                                                at once; hi below lo = fewer than three points       */
    double lo_power[SERVET_COST_OPERATIONS], hi_power[SERVET_COST_OPERATIONS];
    int    buffered;                    /* SERVET_BUFFERED_*: stores to one place wait in a buffer and become one */
    double exposed, lo_exposed, hi_exposed;  /* log growth of writes, from that of reads = 0 to that of alternating
                                                writes = 1                                           */
} servet_costs;

/* What servet_coherence_* measured.  About 200 KB: a plain struct, copy it freely. */
typedef struct servet_coherence {
    int    blocks;
    servet_block block[SERVET_BLOCK_PAIRS];
    servet_destructive destructive;
    servet_costs costs;
    int    taken, stopped;              /* samples; 1 = ended by opts->stop or the budget             */
    double seconds;
} servet_coherence;

typedef struct servet_coherence_opts {
    servet_run run;             /* budget of each of the three 1 s; asked between samples               */
    int    rounds;              /* samples of a cost and of a slowdown, at most SERVET_SAMPLES_MAX;  0 = 12 */
    double effort;              /* time per sample against the usual;                   0 = 1           */
} servet_coherence_opts;

/* servet_coherence_destructive_bytes - what to align data of different CPUs to                   [pure]
 * The destructive size where it is known, else the largest block of a pair, else 0. */
SERVET_API double servet_coherence_destructive_bytes(const servet_coherence *c);

#if !defined(SERVET_PURE_ONLY)
/* This and the following add to out, which is zeroed for a new one, and settle it.  EINVAL, EPIN as m->operate says,
 * EUNSUPPORTED where m cannot, ESTOPPED if nothing was measured; out keeps what was. */

/* servet_coherence_block - by false sharing                                                     [machine]
 *   cpu       2 x pairs CPUs; better a pair of each layer, as blocks may differ by the caches between [P-Ray]
 * Both add without end, one at base, the other at base + distance: 8 to 1024 bytes, doubled [P-Ray, Algorithm 1], then
 * bisected to 8; then from bases within the block found, where its end must be in the same place.  Additions are
 * atomic: of plain stores a buffer makes one.
 * Each pair has a status of its own in out.  Cost: 40 to 100 ms a pair.
 * Fooled by  nothing that is not said: a neighbour on one of the CPUs makes it EUNRESOLVED. */
SERVET_API int servet_coherence_block(servet_coherence *out, const servet_machine *m, const int *cpu, int pairs,
                                      const servet_coherence_opts *opts);

/* servet_coherence_destructive - do lines fetched in pairs disturb each other                   [machine]
 *   cpu, cpus     2, or 4 and more: the first two and the next two are pairs, and better no two of them one core
 *   block_bytes   of a line; 0 = the largest block in out, if there is one
 * With four: each pair hands a line to and fro by compare-and-swap, the second at a distance from the first [s(d)].
 * With two, or where m has no hand-offs: the first adds in a line of its own, while the second has one beside it
 * fetched from memory again and again; a fetch of both takes the first CPU's line away.  Against lines 3072 bytes
 * apart, in turns.  Cost: 0.1 s.  EUNRESOLVED without a block.
 * Fooled by  prefetchers that fetch the neighbour only now and then, or after a pattern that is not here. */
SERVET_API int servet_coherence_destructive(servet_coherence *out, const servet_machine *m, const int *cpu, int cpus,
                                            double block_bytes, const servet_coherence_opts *opts);

/* servet_coherence_costs - operations by 1, 2, 3, 4, 6, 8, 12, ... and all of the CPUs listed     [machine]
 *   cpu   in the order in which they are to be added: servet__bandwidth_order
 * All of them on one place, alternating writes on two lines in turn, as section 4.5 of the MareNostrum 5 study; without
 * the loop around, which held its reads to one a cycle.  Cost: 0.1 s for two CPUs. */
SERVET_API int servet_coherence_costs(servet_coherence *out, const servet_machine *m, const int *cpu, int cpus,
                                      const servet_coherence_opts *opts);
#endif

/* >>network ----------------------------------------------------------------------------------- */

/* What the ranks of an MPI program meet on their way to each other.  servet_mpi.h measures and infers it; the record
 * and the questions to it are here, for programs that load a profile and know no MPI. */
#define SERVET_NETWORK_RANKS    4096   /* at most                                                    */
#define SERVET_NETWORK_NAMES   65536   /* bytes of all host names                                    */
#define SERVET_NETWORK_PAIRS    8192   /* of ranks, kept as evidence                                 */
#define SERVET_NETWORK_LAYERS      8   /* of groups; beyond them is the outermost                    */
#define SERVET_NETWORK_SIZES     320   /* points of all layers' curves by size                       */
#define SERVET_NETWORK_THRESHOLDS   32   /* of protocols, all layers'                                  */
#define SERVET_NETWORK_LOADS     256   /* points of scaling, all layers'                             */
#define SERVET_NETWORK_SHIFTS   2048   /* distances                                                  */
#define SERVET_NETWORK_SHARES    256   /* numbers of processes of a node                             */

enum {
    SERVET_MESSAGE_TRIP = 0,    /* half of a round trip: to and fro by turns                        */
    SERVET_MESSAGE_STREAM = 1,  /* one way, several in a row, until the receiver's acknowledgement  */
    SERVET_MESSAGE_BOTH = 2     /* the same from both ends at once                                  */
};
enum {                          /* flags of a servet_message, added up                              */
    SERVET_MESSAGE_BIMODAL = 1, /* the times are of two sorts: an end that slept, or shares its CPU */
    SERVET_MESSAGE_SHORT = 2,   /* the time was over before the interval was narrow                 */
    SERVET_MESSAGE_COARSE = 4   /* the clock's step is above a tenth of what was timed              */
};

/* The time of one message, over many.  Compare minima or p10 where structure is asked for: disturbance only adds. */
typedef struct servet_message {
    double min_ns, p10_ns, median_ns, p90_ns, p99_ns;
    double lo_ns, hi_ns;                 /* of the median                                           */
    int    samples;                      /* 0 = not measured                                        */
    int    flags;                        /* SERVET_MESSAGE_BIMODAL and others                       */
} servet_message;

typedef struct servet_trip {             /* a servet_message as evidence of pairs keeps it          */
    float p10_ns, median_ns, lo_ns, hi_ns, p90_ns;       /* all 0 = not measured                    */
} servet_trip;

typedef struct servet_network_pair {     /* evidence: two ranks                                     */
    int16_t a, b;
    int16_t at_once;                     /* pairs under way together with this one, itself counted  */
    int16_t flags;                       /* of any of the three                                     */
    servet_trip small, trip, stream;     /* messages of small_bytes, trip_bytes and stream_bytes    */
} servet_network_pair;

/* Pairs of ranks whose innermost common group is of this layer, or, of the outermost, that no group joins. */
typedef struct servet_network_layer {
    int    groups;                       /* 0 of the outermost                                      */
    int    pairs;                        /* measured                                                */
    int    a, b;                         /* a pair that is typical of it; -1 = none                 */
    int    in_hosts;                     /* 1 = all its groups are within hosts, 0 = hosts within groups, -1 = hosts
                                            and groups cross: names and distances disagree          */
    double small_ns, small_lo_ns, small_hi_ns;           /* of messages of small_bytes              */
    double trip_ns, trip_lo_ns, trip_hi_ns;              /* of trip_bytes                           */
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;  /* of stream_bytes, one way                */
    double crowded_frac;                 /* trips of pairs all at once over those alone; 0 = not known */
    double confidence_frac;              /* as in servet_pairs_layer                                */
} servet_network_layer;

typedef struct servet_network_size {     /* messages of a size between the typical pair of a layer  */
    int    layer;
    double bytes;
    servet_message trip, stream, both;
} servet_network_size;

typedef struct servet_network_threshold {    /* where the time of a message jumps: another protocol */
    int    layer;
    double bytes, lo_bytes, hi_bytes;    /* the first size after it                                 */
    double before_ns, after_ns;
} servet_network_threshold;

enum {
    SERVET_LOAD_APART = 0,      /* each pair has ends of its own                                    */
    SERVET_LOAD_FROM_ONE = 1,   /* one rank sends to all others                                     */
    SERVET_LOAD_TO_ONE = 2      /* all send to one                                                  */
};
typedef struct servet_network_load {     /* messages of a layer at once                             */
    int    layer, kind, at_once;         /* SERVET_LOAD_*                                           */
    double bytes;
    servet_message last, mean;           /* of each repetition: the last to end; the mean of all    */
} servet_network_load;

/* Bandwidth of each process while all send, over the reference: at distance 1, or one process a node. */
typedef struct servet_network_ratio {
    int    which;                        /* the distance, or the processes of a node                */
    int    senders;                      /* all of them                                             */
    int    samples;
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s;
    double ratio, lo_ratio, hi_ratio;    /* reference over this: above 1 where it is slower         */
} servet_network_ratio;

enum {                          /* of bandwidth by distance                                         */
    SERVET_SHAPE_UNKNOWN = 0,
    SERVET_SHAPE_FLAT = 1,      /* distance does not matter                                         */
    SERVET_SHAPE_RING = 2,      /* ever less with distance                                          */
    SERVET_SHAPE_TORUS = 3,     /* less and more again, with periods                                */
    SERVET_SHAPE_TWO_LEVEL = 4  /* less up to the size of a group, then constant                    */
};

/* About 1 MB: a plain struct, copy it freely.  What was not measured is 0. */
typedef struct servet_network {
    int     ranks;                       /* 0 = not known                                           */
    int     hosts;
    int16_t host[SERVET_NETWORK_RANKS];  /* of each rank, from 0                                    */
    char    names[SERVET_NETWORK_NAMES]; /* of hosts, in their order, a zero after each             */
    char    library[SERVET_TEXT_MAX];    /* which MPI                                               */
    int     crowded;                     /* ranks that have no CPU of their own                     */
    double  step_ns;                     /* of the clock                                            */
    double  seconds;                     /* what measuring cost                                     */
    int     rounds;                      /* of messages                                             */
    int     stopped;                     /* 1 = the time was over or opts->stop said so: parts may be missing */
    int     noisy;                       /* 1 = the results deserve suspicion                       */
    double  small_bytes, trip_bytes, stream_bytes;       /* of the messages of pairs                */
    int     distance_like;               /* 1 = pairs are nearer and farther without groups         */
    int     layer_count;
    servet_network_layer layer[SERVET_NETWORK_LAYERS + 1];  /* the innermost first; at layer_count the outermost */
    int16_t group[SERVET_NETWORK_LAYERS][SERVET_NETWORK_RANKS];  /* of each rank in each layer; -1 = of none */
    int     size_count;
    servet_network_size size[SERVET_NETWORK_SIZES];         /* layers in order, sizes ascending     */
    int     threshold_count;
    servet_network_threshold threshold[SERVET_NETWORK_THRESHOLDS];
    int     load_count;
    servet_network_load load[SERVET_NETWORK_LOADS];         /* layers in order, then kind, bytes, at_once */
    int     dist_count;                  /* ratDist, ascending distances; some where ranks are many */
    int     dist_nodes;                  /* the ring, a process each                                */
    double  dist_bytes;
    servet_network_ratio dist[SERVET_NETWORK_SHIFTS];
    int     shape, shape_period, shape_period_2;            /* SERVET_SHAPE_*; periods 0 = none     */
    int     access_count;                /* ratNC, ascending                                        */
    int     access_constant;             /* 1 = as many senders at all points, as the paper asks    */
    double  access_bytes;
    servet_network_ratio access[SERVET_NETWORK_SHARES];
    int     pair_count;                  /* evidence                                                */
    servet_network_pair pair[SERVET_NETWORK_PAIRS];
} servet_network;

/* servet_network_name - of a host, "" where there is none                                        [pure] */
SERVET_API const char *servet_network_name(const servet_network *n, int host);

/* servet_network_layer_of - the layer whose group first joins two ranks                          [pure]
 * From 0, the innermost; layer_count where none does.  EINVAL for ranks that are none or the same, EUNRESOLVED
 * without layers. */
SERVET_API int servet_network_layer_of(const servet_network *n, int a, int b);

/* servet_network_time - what a message costs                                                     [pure]
 *   out      ns until it is there: median_ns with its interval, p10_ns and p90_ns; samples, the fewest of the places
 *            used, and their flags.  An interval of fewer than 5 samples is no more than what was seen
 *   layer    of servet_network_layer_of
 *   at_once  such messages under way at the same time, of pairs that have no rank in common while there are such,
 *            this one counted; 1 = alone
 * Half a round trip between the typical pair of the layer, on a line between the measured sizes beside this one, never
 * over a change of protocol: between the last size measured and a change the interval holds what any start-up time
 * and rate allow, where the change is not known to the byte both protocols.  Beyond the largest at its rate.  Of
 * several the last to end, by what scaling showed of the sizes beside.  EUNRESOLVED where sizes of the layer were not
 * measured, or more at once than ever were. */
SERVET_API int servet_network_time(servet_message *out, const servet_network *n, int layer, double bytes, int at_once);

/* servet_network_gather - many messages at once, or one of their size?                           [pure]
 *   apart_ns, one_ns   NULL or out: count (from 2) messages of bytes at once; one of count * bytes
 * The advice of Servet (2010), III-D: where messages at once cost more than one that carries all, gather them.
 * 1 = gather, 0 = do not, by intervals; EUNRESOLVED where these meet or stand on fewer than 5 samples (the times are
 * out nevertheless), or where one is not known. */
SERVET_API int servet_network_gather(double *apart_ns, double *one_ns, const servet_network *n, int layer, double bytes,
                                     int count);

/* servet_network_distance_ratio, _access_ratio - ratDist[distance] and ratNC[processes of a node]  [pure]
 *   lo, hi   NULL or the interval out
 * Reference bandwidth over that at the distance, while all send; 1 at the reference.  Between measured points in
 * proportion.  Below 0 a status: EINVAL outside 1 to the last point, EUNRESOLVED where nothing was measured.
 * Servet 3.0, sections 4.1 and 4.2. */
SERVET_API double servet_network_distance_ratio(const servet_network *n, int distance, double *lo, double *hi);
SERVET_API double servet_network_access_ratio(const servet_network *n, int processes, double *lo, double *hi);

/* servet_network_grid - which order of a process grid suits the network                          [pure]
 *   order     dims places out: order[0] is the dimension along which ranks are neighbours, then the next
 *   cost      NULL or out: of that order;  others   NULL or cost of all orders, permutations of dims in
 *             lexicographic order
 *   size      processes along each of dims (1 to 6) dimensions, at most 2^20 in all
 *   weight    bytes, or any measure of traffic, along each dimension
 * The cost of a dimension is its weight times the mean ratDist of all pairs in a line along it, as suits broadcasts
 * whose trees are the library's affair.  Servet 3.0, section 6.1: a row-ordered grid halved the broadcasts of a
 * triangular solver.  Distances are those of the ring of nodes that was measured.  A grid of as many processes as the
 * network has ranks lies on its hosts as those do; another fills the nodes in order, as many processes on each as it
 * takes, and pairs count by how often they are so far apart.  ratDist is a mean over all places; where layers tell
 * nodes apart (racks), a pair on its hosts counts as much more or less as streams of its layer take than those of all
 * pairs at its distance.  Within a node the ratio is 1, as to the next; between
 * nodes of several processes each it is times ratNC of as many, where that was measured.
 * Returns 1 if another order is worse by more than the intervals, 0 if there is nothing to choose; of orders that cost
 * the same the first is out.  EINVAL, EUNRESOLVED without ratDist of all distances of the grid. */
SERVET_API int servet_network_grid(int *order, double *cost, double *others, const servet_network *n, const int *size,
                                   const double *weight, int dims);

/* A program's own copy of the two ratios, a few bytes: Servet 3.0, section 4.3 (degr_desc). */
typedef struct servet_degradation {
    int     distances, processes;        /* entries; 0 = not measured                               */
    double *distance;                    /* ratDist[1..distances], at [d - 1]                       */
    double *access;                      /* ratNC[1..processes], at [k - 1]                         */
} servet_degradation;

/* servet_degradation_distance, _access - get_network_dist_ratio, get_network_access_ratio of the paper   [pure]
 * Below 0 a status: EINVAL outside 1 to the last entry, EUNRESOLVED where nothing was measured. */
SERVET_API double servet_degradation_distance(const servet_degradation *d, int distance);
SERVET_API double servet_degradation_access(const servet_degradation *d, int processes);

/* >>profile ----------------------------------------------------------------------------------- */

enum {
    SERVET_VERDICT_UNMEASURED = 0,  /* one side is missing or too unsure                            */
    SERVET_VERDICT_AGREE = 1,       /* what is reported lies in the measured interval, or within 10 % */
    SERVET_VERDICT_OS_MISSING = 2,  /* measured, and the source reports nothing                     */
    SERVET_VERDICT_OS_WRONG = 3,    /* reported for this level, and not what is there               */
    SERVET_VERDICT_SHARED_LESS = 4  /* the last level: the program gets less than is reported       */
};
enum { SERVET_SOURCE_DEFAULT = 0, SERVET_SOURCE_OS = 1, SERVET_SOURCE_MEASURED = 2 };

typedef struct servet_cache {
    double bytes, lo_bytes, hi_bytes;
    double latency_ns, lo_ns, hi_ns, latency_cycles;
    int    ways, policy, placement, method, effective;               /* as in servet_level          */
    int    unresolved;                   /* as there, and where others were there for most of the samples that show its
                                            end: then hi_bytes is twice bytes or more              */
    double usual_bytes;                  /* what could be had mostly, where others keep a part of a level that was
                                            counted or held; else bytes                             */
    int    disturbed;                    /* 1 = counts of this level differed, or references did     */
    double misfit_frac;
    int    source;                       /* SERVET_SOURCE_*                                         */
    int    verdict;                      /* the worst over the sources: SERVET_VERDICT_*            */
    double system_bytes[SERVET_REPORT_SOURCES];     /* by SERVET_REPORT_*; -1 = no such source here  */
    int    system_verdict[SERVET_REPORT_SOURCES];
} servet_cache;

/* Streams: the evidence, as few samples and as few fields as answers need. */
#define SERVET_STREAM_POINTS  336
#define SERVET_STREAM_SAMPLES   9
enum {
    SERVET_SERIES_KERNELS = 0,  /* all kernels, by one CPU and by all                               */
    SERVET_SERIES_FILL = 1,     /* CPUs added group by group                                        */
    SERVET_SERIES_SPREAD = 2,   /* CPUs added from all groups in turn                               */
    SERVET_SERIES_LOADED = 3,   /* a chase beside loads of the others                               */
    SERVET_SERIES_STORES = 4,   /* copies by size, both sorts of stores                             */
    SERVET_SERIES_NODES = 5,    /* from each node to each                                           */
    SERVET_SERIES = 6
};
typedef struct servet_stream_point {
    int    series;                       /* SERVET_SERIES_*                                         */
    int    kernel, streaming, vector, cpus, memory, node, cpu_node;    /* as in servet_bandwidth_point */
    double bytes, chase_bytes, gap_ns;
    int    samples;
    double sample_bytes_per_s[SERVET_STREAM_SAMPLES], sample_chase_ns[SERVET_STREAM_SAMPLES];
    unsigned char flags[SERVET_STREAM_SAMPLES];      /* SERVET_NOISE_*                              */
} servet_stream_point;

typedef struct servet_stream_evidence {
    int    count, taken, stopped;
    double seconds;
    servet_stream_point point[SERVET_STREAM_POINTS];
} servet_stream_evidence;

/* What was found with it. */
#define SERVET_RATES         112
#define SERVET_GROWTH_POINTS  28
#define SERVET_LOADED_POINTS  12
#define SERVET_CHAINS_KEPT     8
#define SERVET_NODE_RATES     24
typedef struct servet_rate {             /* of a kernel over a working set                          */
    int    level;                        /* which holds it: 1 = first, 0 = memory, -1 = not certain */
    int    kernel, streaming, vector, cpus;
    int    samples, noisy;
    double bytes;                        /* of each CPU                                             */
    double bytes_per_s, lo_bytes_per_s, hi_bytes_per_s, allocate_bytes_per_s;
} servet_rate;

typedef struct servet_growth {           /* a kernel by ever more CPUs                              */
    int    spread;                       /* 1 = groups taken in turn, 0 = filled one by one         */
    int    kernel, streaming, level, count;
    double bytes;
    int    cpus[SERVET_GROWTH_POINTS];
    double bytes_per_s[SERVET_GROWTH_POINTS], lo_bytes_per_s[SERVET_GROWTH_POINTS],
           hi_bytes_per_s[SERVET_GROWTH_POINTS];
    int    fitted;                       /* 1 = what follows is known: three numbers of CPUs do     */
    servet_saturation fit;
} servet_growth;

typedef struct servet_loaded {           /* latency of memory beside so many bytes a second         */
    double bytes_per_s, latency_ns, lo_ns, hi_ns;
} servet_loaded;

typedef struct servet_rates {
    int    count;
    servet_rate rate[SERVET_RATES];
    int    growths;
    servet_growth growth[2];
    int    loads;
    servet_loaded loaded[SERVET_LOADED_POINTS];    /* the first without any load beside it          */
} servet_rates;

typedef struct servet_chains {           /* loads under way at once, at a level                     */
    int    level, cpus;                  /* as in servet_rate                                       */
    double bytes;
    servet_mlp mlp;
} servet_chains;

typedef struct servet_node_rate {        /* from the CPUs of a node to memory                       */
    int    cpu_node, node, cpus;         /* node -1 = all in turn; the CPUs of all_bytes_per_s      */
    double latency_ns, lo_ns, hi_ns;
    double load_bytes_per_s, triad_bytes_per_s;               /* of one CPU                         */
    double all_load_bytes_per_s, all_triad_bytes_per_s;       /* of all of the node                 */
} servet_node_rate;

typedef struct servet_made {
    char   when[SERVET_TEXT_MAX];        /* UTC, ISO 8601                                            */
    double seconds;                      /* what measuring cost                                      */
    double budget_s;
    int    parts;                        /* what was asked for: SERVET_PART_*, added up; 0 = not known */
    int    cpu;                          /* measured on                                              */
    int    converged;                    /* 1 = every asked interval became narrow enough            */
    int    stopped;                      /* 1 = interrupted: parts may be missing                    */
    double noisy_frac;                   /* samples that were disturbed                              */
    double cpu_frac;                     /* of the time, what this thread had the CPU; 0 = not known */
} servet_made;

#define SERVET_COUNTS_MAX 8

/* What was measured, and what servet_profile_infer makes the answers from.  About 480 KB. */
typedef struct servet_evidence {
    servet_curve thin;                   /* how many levels, and about where                         */
    int          counts;
    servet_count count[SERVET_COUNTS_MAX];           /* caches, then TLBs, nearest first              */
    servet_resident resident;            /* what a level that others use holds                       */
    servet_curve curve;                  /* latencies, in groups too large for prefetchers           */
    servet_curve prefetched;             /* ascending addresses; count 0 = not asked for             */
    servet_line_evidence line_pairs;     /* pairs of loads                                           */
    servet_stream_evidence streams;      /* of bandwidth, node and streaming                         */
    int          parallel_count;
    servet_parallelism parallel[SERVET_CHAINS_KEPT]; /* of chains                                    */
} servet_evidence;

/* Everything known about a machine, about 38 KB.  What is large is behind pointers, NULL where it is not known, which
 * servet_profile_free releases: a struct assigned to another shares it, servet_profile_copy makes it anew.  Functions
 * that fill a profile do not look at what was in it: free it first.  All bytes 0 is a profile of nothing. */
typedef struct servet_profile {
    servet_made  made;
    servet_host  host;
    char         key[SERVET_TEXT_MAX];   /* names this machine and how it may be used                */
    int          timer_valid;
    servet_timer timer;
    servet_frequency frequency;
    int          cache_count;            /* levels found, the nearest first                          */
    servet_cache cache[SERVET_LEVELS_MAX];
    int          doubtful_count;
    servet_doubt doubtful[SERVET_LEVELS_MAX];
    double       memory_ns, memory_lo_ns, memory_hi_ns;
    servet_line  line;                   /* line_bytes 0 = not known                                 */
    servet_tlbs  tlb;                    /* small.count 0 = not known                                */
    servet_rates bandwidth;              /* count 0 = not known                                      */
    int          chains_count;
    servet_chains chains[SERVET_CHAINS_KEPT];        /* parallelism                                  */
    int          node_count;
    servet_node_rate node[SERVET_NODE_RATES];        /* numa; count 0 = not known, or one node       */
    int          streaming_count;
    servet_streaming streaming[2];       /* streaming_store_bytes: by one CPU, by all                */
    servet_layers layers;                /* of CPUs, places in cores->cpu; cores 0 = not known       */
    int          cores_with_siblings;    /* -1 = not known                                           */
    int16_t      smt[SERVET_CORES_MAX];  /* by place in cores->cpu: threads of one core have one number, -1 = none */
    servet_cores      *cores;            /* latencies between CPUs; NULL, as those that follow, = not known */
    servet_sharing    *sharing;          /* who shares which cache                                   */
    servet_contention *contention;       /* who slows whom at memory                                 */
    servet_coherence  *coherence;        /* what goes between caches as a whole, and what sharing costs */
    servet_network    *network;          /* between ranks of MPI                                     */
    servet_evidence   *evidence;         /* NULL in a profile that servet_profile_open loaded        */
    int          loaded;                 /* servet_profile_open: 1 = from a file, 0 = measured now   */
    int          saved;                  /* servet_profile_open: status of saving                    */
} servet_profile;

/* One thing that a source of the system says, and what was measured of it. */
#define SERVET_FINDINGS_MAX 128   /* always enough */
enum {
    SERVET_FINDING_BYTES = 0,   /* of a cache                                                       */
    SERVET_FINDING_WAYS = 1,
    SERVET_FINDING_LINE = 2,    /* bytes of its line                                                */
    SERVET_FINDING_SHARED = 3,  /* how many CPUs share the level                                    */
    SERVET_FINDING_ENTRIES = 4, /* of a TLB, for pages of page_bytes                                */
    SERVET_FINDINGS = 5
};
typedef struct servet_finding {
    int    what, level;         /* SERVET_FINDING_*; 1 = first                                      */
    int    source;              /* SERVET_REPORT_*                                                  */
    int    verdict;             /* SERVET_VERDICT_*                                                 */
    double said;                /* 0 = nothing                                                      */
    double measured, lo, hi;    /* measured 0 = not known                                           */
    double page_bytes;          /* of a TLB; 0 of others                                            */
} servet_finding;

/* What to measure. */
enum {
    SERVET_PART_CACHES = 1,
    SERVET_PART_TLB = 2,
    SERVET_PART_PREFETCHED = 4,
    SERVET_PART_BANDWIDTH = 16, /* streams and loads under way, by level, CPUs and node: bandwidth, parallelism, numa,
                                   streaming_store_bytes; without CACHES these are measured first, quickly */
    SERVET_PART_CORES = 32,     /* of several CPUs: latencies, layers, roles, siblings, who shares which cache, who
                                   slows whom at memory; caches as above                            */
    SERVET_PART_COHERENCE = 64  /* of several CPUs: block, destructive size, cost of operations     */
};

typedef struct servet_profile_opts {
    servet_run run;             /* budget of open .1 s, of calibrate 2 s                                */
    int    parts;               /* SERVET_PART_*, added up;            0 = caches, and TLBs from 1.2 s on     */
    double hi_bytes;            /* largest footprint;                  0 = by budget, 16 to 256 MiB, and from 1.5 s
                                   on up to 1 GiB where that does not leave the last level behind; measure: 256 MiB
                                   by any budget                                                           */
    int    cpu_plus_1;          /* CPU to measure on, plus one;        0 = where the thread runs           */
    const servet_cpus *cpus;    /* that may be measured together;      NULL = calibrate: all that are usable,
                                   measure: none                                                           */
    const servet_node *node;    /* nodes of memory, with CPUs that may be used;  NULL = calibrate: those there are,
                                   measure: none                                                           */
    int    nodes;
    int    fresh;               /* open: 1 = measure even where a file could be loaded                     */
    int    no_save;             /* open: 1 = do not write                                                  */
} servet_profile_opts;

/* servet_profile_check - what each source of the system says, against what was measured          [pure]
 *   out    room for cap of them; SERVET_FINDINGS_MAX is always enough
 * By level, then what is said, then source; caches before TLBs.  What is said agrees inside the measured interval, of
 * sizes and entries also within 10 % of the estimate.  The line measured is the
 * first level's; those of others are listed where a source says that they differ.  Each quantity has a verdict of its
 * own, unmeasured where it is unresolved.  Returns how many, or ESPACE. */
SERVET_API int servet_profile_check(servet_finding *out, int cap, const servet_profile *p);

/* Enumerations that have words, in the file as well. */
#define SERVET__TEXT_KINDS(X) X(DOUBT, doubt) X(POLICY, policy) X(PLACEMENT, placement) X(METHOD, method)           \
    X(BACKING, backing) X(KERNEL, kernel) X(VECTOR, vector) X(COLLIDE, collide) X(OPERATION, operation)            \
    X(FINDING, finding) X(VERDICT, verdict) X(SOURCE, source) X(REPORT, report)
#define SERVET__TEXT_KIND(NAME, word) SERVET_TEXT_##NAME,
enum { SERVET__TEXT_KINDS(SERVET__TEXT_KIND) SERVET_TEXTS };

/* servet_text - an enumerator in words                                                         [pure]
 *   kind    which enumeration: SERVET_TEXT_POLICY for SERVET_POLICY_* ...
 * Static storage; "unknown" for any other number. */
SERVET_API const char *servet_text(int kind, int value);
/* servet_profile_free - releases what is behind the pointers, which become NULL                 [pure]
 * The other answers stay.  NULL is allowed. */
SERVET_API void servet_profile_free(servet_profile *p);

/* servet_profile_copy - one that shares nothing with p                                          [pure]
 * ENOMEM, and out as it was. */
SERVET_API int servet_profile_copy(servet_profile *out, const servet_profile *p);

/* servet_profile_infer - levels, layers, verdicts and all that follows from the evidence        [pure]
 * Changes the answers of p, from its evidence, p->cores, p->frequency and p->host.  What has no evidence stays: without
 * any EUNRESOLVED.  ENOMEM: layers need 60 bytes for each pair of CPUs and direction. */
SERVET_API int servet_profile_infer(servet_profile *p);

/* servet_profile_write - as JSON, schema 1                                                      [pure]
 * Returns the length without the final zero, and writes as much as fits: call with cap 0 to ask.
 * Numbers survive a round trip to the last digit; a text written, parsed and written again is the same. */
SERVET_API size_t servet_profile_write(const servet_profile *p, char *buf, size_t cap);

/* servet_profile_parse - from JSON                                                              [pure]
 *   error   NULL or room for a reason with its place, SERVET_TEXT_MAX bytes
 * Strict JSON, at most 16 MiB and 32 levels deep, without recursion; unknown keys are ignored, absent ones
 * mean not measured.  A network that contradicts itself (groups of ranks that are none) is left out as a whole.
 * EPARSE, ESCHEMA, ENOMEM, and p as it was. */
SERVET_API int servet_profile_parse(servet_profile *p, const char *text, size_t length, char *error);

#if !defined(SERVET_PURE_ONLY)
/* servet_profile_measure - the caches of any machine that can be chased on                  [machine]
 *   p     set before; host.page_bytes is used (0 = 4096), the evidence and the answers are replaced, which releases
 *         what is behind their pointers, the rest stays
 *   m     the machine, real (servet_rig_machine) or modelled; hi_bytes must not be more than it has.  Where it is 0
 *         and 256 MiB prove too little (opts->hi_bytes), a status from a chase over more only ends the range there
 * Counts the levels that a thin curve shows, then the TLBs; sweeps the range behind what was counted, and densely
 * around what could not be.  A range that ends below 64 MiB (and an eighth of the memory) does not show the last level
 * nor memory, and none is claimed.
 * ESTOPPED if nothing could be measured at all. */
SERVET_API int servet_profile_measure(servet_profile *p, const servet_machine *m, const servet_profile_opts *opts);

/* servet_profile_calibrate - measure this machine                                          [machine]
 * Cost     opts->budget_s, a tenth more for several CPUs, and up to half as much again where memory is slow to come.
 *          Memory: opts->hi_bytes and a tenth; where that is 0, by budget up to 256 MiB, and more only once it proves
 *          needed, with addresses for 1 GiB (but not where they are limited to less than four times that).  For
 *          BANDWIDTH and CORES 64 MiB for each CPU, at most 128 of them, as all stream at once, and a tenth.  Of all
 *          never more than a quarter of what is free, to this process's control group too.
 * With less than two usable levels it still gives what is known; ESTOPPED if nothing is. */
SERVET_API int servet_profile_calibrate(servet_profile *out, const servet_profile_opts *opts);

/* servet_profile_load, _save - from and to a file; the save is atomic (written beside, then renamed) [machine]
 * EIO, and for load EPARSE, ESCHEMA, ENOMEM, with a reason in error as for _parse. */
SERVET_API int servet_profile_load(servet_profile *p, const char *path, char *error);
SERVET_API int servet_profile_save(const servet_profile *p, const char *path);

/* servet_profile_save_network - a network into the profile of this machine                     [machine]
 *   path   NULL = servet_profile_path
 * What the file has besides, with its evidence, stays.  One that is not there is made, without caches:
 * servet_profile_open measures them then, and keeps the network.  A file that is no profile is left alone: EPARSE,
 * ESCHEMA, EIO, ENOMEM, with a reason in error as for _parse. */
SERVET_API int servet_profile_save_network(const servet_network *n, const char *path, char *error);

/* servet_degradation_load, _release - ratDist and ratNC of a saved profile, and their memory    [machine]
 *   path   NULL = servet_profile_path
 * load_degr_info and release_degr_info of Servet 3.0, section 4.3.  A profile without a network leaves both counts 0.
 * What was not measured between two distances is in proportion to them.  EIO, EPARSE, ESCHEMA, ENOMEM. */
SERVET_API int servet_degradation_load(servet_degradation *d, const char *path, char *error);
SERVET_API void servet_degradation_release(servet_degradation *d);

/* servet_profile_path - where the profile of this machine and use is kept                   [machine]
 * $SERVET_PROFILE if set, else servet/<key>.json under $XDG_CACHE_HOME or ~/.cache.  ESPACE, EUNSUPPORTED. */
SERVET_API int servet_profile_path(char *buf, size_t cap);

/* servet_profile_open - load the saved profile of this machine, or measure and save it      [machine]
 *   path   NULL = servet_profile_path
 * The call that programs make at start-up: under a millisecond when the file is there and made on this
 * machine (same key: CPU, microcode, kernel, hypervisor, usable CPUs), opts->budget_s otherwise.  A file
 * that cannot be written is no error: see p->saved.  A file that is no profile is left alone; an interrupted
 * measurement is not saved, nor one without the caches.  A network in the file that is replaced stays, if it
 * is of this machine.  A loaded profile comes without its evidence
 * (servet_profile_load has it): do not save it.  Release p with servet_profile_free.  Returns the number of cache
 * levels. */
SERVET_API int servet_profile_open(servet_profile *p, const char *path, const servet_profile_opts *opts);
#endif

#ifdef __cplusplus
}
#endif
#endif /* SERVET_H */

/* Stop here if you are only interested in the interface. */

#if (defined(__INTELLISENSE__) || defined(__JETBRAINS_IDE__)) && !defined(SERVET_IMPLEMENTATION)
#  define SERVET_IMPLEMENTATION   /* so that an editor colours what follows */
#endif

#if defined(SERVET_IMPLEMENTATION) && !defined(SERVET_IMPLEMENTATION_DONE)
#define SERVET_IMPLEMENTATION_DONE

/* >>config (implementation) ------------------------------------------------------------------- */

#if defined(__FAST_MATH__)
#  error "servet.h: compile the implementing file without -ffast-math: infinities and not-a-number are tested for"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing of a build that only loads is hot: half the optimiser's time is saved where that can be asked for. */
#if defined(SERVET_LOAD_ONLY) && defined(__GNUC__) && !defined(__clang__)
#  pragma GCC push_options
#  pragma GCC optimize ("O1")
#endif

/* Linkage of definitions: static in a private copy; otherwise as declared. */
#if defined(SERVET_STATIC)
#  define SERVET__DEF static SERVET__UNUSED
#else
#  define SERVET__DEF
#endif
#if !defined(SERVET__PRIVATE)    /* tests that link a compiled copy call what is private, too */
#  define SERVET__PRIVATE static SERVET__UNUSED
#endif

/* What this build can do.  Function-like, so that a misspelt name does not compile. */
#define SERVET_HAS(feature) SERVET__HAS_##feature()
#if defined(SERVET_LOAD_ONLY)      /* nothing that measures or infers                                */
#  define SERVET__HAS_MEASURING() 0
#else
#  define SERVET__HAS_MEASURING() 1
#endif
#if defined(SERVET_CACHES_ONLY) || defined(SERVET_LOAD_ONLY)    /* what is between CPUs               */
#  define SERVET__HAS_CORES() 0
#else
#  define SERVET__HAS_CORES() 1
#endif
#if defined(SERVET_CACHES_ONLY)    /* questions to what is between ranks                             */
#  define SERVET__HAS_NETWORK() 0
#else
#  define SERVET__HAS_NETWORK() 1
#endif
#if defined(__linux__)
#  define SERVET__HAS_LINUX() 1
#else
#  define SERVET__HAS_LINUX() 0
#endif
#if defined(__APPLE__)
#  define SERVET__HAS_APPLE() 1
#else
#  define SERVET__HAS_APPLE() 0
#endif
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#  define SERVET__HAS_X86() 1
#else
#  define SERVET__HAS_X86() 0
#endif
#if SERVET_HAS(X86) && defined(__x86_64__)
#  define SERVET__HAS_X86_64() 1
#else
#  define SERVET__HAS_X86_64() 0
#endif
#if defined(__GNUC__) && defined(__aarch64__) && defined(__ARM_FEATURE_SVE)
#  define SERVET__HAS_SVE() 1
#else
#  define SERVET__HAS_SVE() 0
#endif
#if defined(__GNUC__) && defined(__aarch64__)
#  define SERVET__HAS_ARM64() 1
#else
#  define SERVET__HAS_ARM64() 0
#endif
#if defined(__GNUC__) && defined(__riscv) && __riscv_xlen == 64
#  define SERVET__HAS_RISCV64() 1
#else
#  define SERVET__HAS_RISCV64() 0
#endif
#if defined(__GNUC__) && defined(__powerpc64__)
#  define SERVET__HAS_PPC64() 1
#else
#  define SERVET__HAS_PPC64() 0
#endif

#if !defined(SERVET_PURE_ONLY)
#  include <errno.h>
#  include <fcntl.h>
#  include <pthread.h>
#  include <sched.h>
#  include <time.h>
#  include <unistd.h>
#  include <sys/mman.h>
#  include <sys/resource.h>
#  include <sys/stat.h>
#  include <sys/time.h>
#  include <sys/utsname.h>
#  if SERVET_HAS(LINUX)
#    include <sys/syscall.h>
#  endif
#  if SERVET_HAS(APPLE)
#    include <sys/sysctl.h>
#  endif
#  if SERVET_HAS(X86)
#    include <cpuid.h>
#  endif
#  if defined(MAP_ANONYMOUS)
#    define SERVET__MAP_ANON MAP_ANONYMOUS
#  elif defined(MAP_ANON)
#    define SERVET__MAP_ANON MAP_ANON
#  endif
#  if !defined(CLOCK_MONOTONIC) || !defined(SERVET__MAP_ANON)
#    error "servet.h: POSIX names are hidden. Include servet.h first in this file, or compile with -D_DEFAULT_SOURCE"
#  endif
#endif

#if defined(__GNUC__)
#  define SERVET__KEEP(p) __asm__ volatile("" : "+r"(p))       /* p has a use the compiler cannot see   */
#  define SERVET__FENCE() __asm__ volatile("" ::: "memory")    /* no access moves over this line        */
#else
#  error "servet.h: the implementation needs gcc, clang or a compiler that takes their inline assembly"
#endif

/* Lines of 128 bytes are as old as POWER4 and as new as Apple's; where they are, elements at 64 would share one. */
#if SERVET_HAS(APPLE) || SERVET_HAS(PPC64)
#  define SERVET__LINE_BYTES 128
#else
#  define SERVET__LINE_BYTES 64
#endif

/* >>status (implementation) ------------------------------------------------------------------- */

SERVET__DEF const char *servet_status_text(int status)
{
    if (status >= 0) return "ok";
    switch (status) {
#define SERVET__X(name, value, text) case value: return text;
    SERVET_STATUS_LIST(SERVET__X)
#undef SERVET__X
    default: return "unknown status";
    }
}

/* The words of an enumeration, by its numbers from 0: in a file, and for people. */
typedef struct servet__name { const char *key, *text; } servet__name;    /* text NULL = the same */
#define SERVET__TABLE(table) table, (int)(sizeof table / sizeof *table)
#define SERVET__WORD(word) { word, NULL }

SERVET__PRIVATE const char *servet__word_text(const servet__name *word, int words, int i)
{
    return i < 0 || i >= words ? "unknown" : word[i].text ? word[i].text : word[i].key;
}

/* >>stats (implementation) -------------------------------------------------------------------- */

SERVET__PRIVATE double servet__min(double a, double b) { return a < b ? a : b; }
SERVET__PRIVATE double servet__max(double a, double b) { return a > b ? a : b; }
SERVET__PRIVATE int    servet__finite(double x) { return x - x == 0; }

SERVET__PRIVATE int servet__compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

SERVET__DEF void servet_stats_sort(double *x, size_t n)
{
    if (n > 1) qsort(x, n, sizeof *x, servet__compare);
}

SERVET__DEF double servet_stats_quantile(const double *sorted, size_t n, double q)
{
    double at, part;
    size_t i;
    if (n == 0) return 0;
    at = servet__min(servet__max(q, 0), 1) * (double)(n - 1);
    i = (size_t)at;
    if (i + 1 >= n) return sorted[n - 1];
    part = at - (double)i;
    return sorted[i] + part * (sorted[i + 1] - sorted[i]);
}

#if SERVET_HAS(MEASURING)

/* log Gamma(x), x > 0: Stirling's series after a shift to x >= 16; lgamma would write to a global. */
SERVET__PRIVATE double servet__log_gamma(double x)
{
    double shift = 1, r, r2;
    while (x < 16) shift *= x++;
    r = 1 / x;
    r2 = r * r;
    return (x - 0.5) * log(x) - x + 0.91893853320467274178
         + r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680))) - log(shift);
}

SERVET__PRIVATE double servet__log_factorial(double n) { return servet__log_gamma(n + 1); }

/* Log of an upper bound, close far out, of P[T > t] with nu degrees of freedom. */
SERVET__PRIVATE double servet__t_tail(double t, double nu)
{
    const double pi = 3.14159265358979323846;
    double bound;
    if (!(t > 0)) return 0;
    if (nu < 2) return log(servet__min(1 / (pi * t), 0.5));
    bound = servet__log_gamma((nu + 1) / 2) - servet__log_gamma(nu / 2) - 0.5 * log(pi * nu)
          + log(nu / ((nu - 1) * t)) - (nu - 1) / 2 * log(1 + t * t / nu);
    return servet__min(bound, log(0.5));
}

/* Sort what may be sorted already. */
SERVET__PRIVATE void servet__sort_again(double *v, size_t n)
{
    size_t i = 1;
    while (i < n && v[i - 1] <= v[i]) i++;
    if (i < n) servet_stats_sort(v, n);
}

/* Standard deviation by the quartiles of v, sorted: 1.349 of them apart where normal. */
SERVET__PRIVATE double servet__robust_sd(const double *v, size_t m)
{
    return (servet_stats_quantile(v, m, 0.75) - servet_stats_quantile(v, m, 0.25)) / 1.349;
}

/* P[B(n, p) = k]; n may be fractional. */
SERVET__PRIVATE double servet__binomial_mass(double n, double k, double p)
{
    return exp(servet__log_gamma(n + 1) - servet__log_gamma(k + 1) - servet__log_gamma(n - k + 1)
               + k * log(p) + (n - k) * log(1 - p));
}

SERVET__DEF double servet_stats_binomial_tail(double n, double k, double p)
{
    double sum = 0, term, j, odds;
    k = ceil(k);
    if (!(k > 0)) return 1;
    if (k > n || !(p > 0)) return 0;
    if (p >= 1) return 1;
    odds = p / (1 - p);
    if (k > n * p) {    /* sum the side that is small, or the rest would be lost in rounding */
        for (j = k, term = servet__binomial_mass(n, k, p); j <= n && term > sum * 1e-17; j++) {
            sum += term;
            term *= (n - j) / (j + 1) * odds;
        }
        return servet__min(sum, 1);
    }
    for (j = k - 1, term = servet__binomial_mass(n, j, p); j >= 0 && term > sum * 1e-17; j--) {
        sum += term;
        term *= j / ((n - j + 1) * odds);
    }
    return servet__max(1 - sum, 0);
}

SERVET__DEF int servet_stats_summarise(servet_summary *out, const double *x, size_t n, double *scratch)
{
    servet_summary s;
    size_t i, l, u, best_l = 0, best_u;
    double below, best;
    if (!out || (n && (!x || !scratch))) return SERVET_EINVAL;
    memset(&s, 0, sizeof s);
    for (i = 0; i < n; i++) if (servet__finite(x[i])) scratch[s.n++] = x[i];
    if (s.n == 0) return SERVET_EUNRESOLVED;
    servet_stats_sort(scratch, s.n);
    s.min = scratch[0];
    s.max = scratch[s.n - 1];
    s.median = servet_stats_quantile(scratch, s.n, 0.5);
    s.q25 = servet_stats_quantile(scratch, s.n, 0.25);
    /* Narrowest pair of ranks with coverage >= 0.95; all of them where even that is not enough.  The interval
     * [x_(l), x_(u)], ranks from 1, covers with P[l <= Bin < u]. */
    best_u = s.n - 1;
    best = servet_stats_binomial_tail((double)s.n, 1, 0.25)
         - servet_stats_binomial_tail((double)s.n, (double)s.n, 0.25);
    for (l = 1; l <= s.n; l++) {
        below = servet_stats_binomial_tail((double)s.n, (double)l, 0.25);
        if (below < 0.95) break;
        for (u = l + 1; u <= s.n; u++) {
            double cover = below - servet_stats_binomial_tail((double)s.n, (double)u, 0.25);
            if (cover < 0.95) continue;
            if (u - l < best_u - best_l || (u - l == best_u - best_l && cover > best) || best < 0.95) {
                best_l = l - 1;
                best_u = u - 1;
                best = cover;
            }
            break;
        }
    }
    s.lo = scratch[best_l];
    s.hi = scratch[best_u];
    s.coverage_frac = best;
    *out = s;
    return SERVET_OK;
}

SERVET__DEF void servet_stats_isotonic(double *y, const double *w, size_t n, double *scratch)
{
    double *weight = scratch, *length = scratch + n;
    size_t i, j, top = 0, at = 0;
    for (i = 0; i < n; i++) {     /* y[0..top) holds the means of the blocks so far */
        double mean = y[i], sum = w ? w[i] : 1, count = 1;
        while (top > 0 && y[top - 1] > mean) {
            top--;
            mean = (mean * sum + y[top] * weight[top]) / (sum + weight[top]);
            sum += weight[top];
            count += length[top];
        }
        y[top] = mean;
        weight[top] = sum;
        length[top++] = count;
    }
    for (i = 0; i < top; i++) weight[i] = y[i];
    for (i = 0; i < top; i++) for (j = 0; j < (size_t)length[i]; j++) y[at++] = weight[i];
}

SERVET__DEF uint64_t servet_stats_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

SERVET__DEF size_t servet_stats_random_below(uint64_t *state, size_t n)
{
    uint64_t r = servet_stats_random(state);
    if (n <= 0xffffffffu) return (size_t)(((r >> 32) * n) >> 32);   /* bias below n / 2^32 */
    return (size_t)(r % n);
}

SERVET__DEF double servet_stats_random_unit(uint64_t *state)
{
    return (double)(servet_stats_random(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* The samples that no noise meter flagged where these are `least` or more, else all of them; how many. */
SERVET__PRIVATE size_t servet__clean(double *out, const double *x, const unsigned char *flags, int n, int least)
{
    int i, kept = 0;
    for (i = 0; i < n; i++) if (!flags[i]) out[kept++] = x[i];
    if (kept >= least) return (size_t)kept;
    for (i = 0; i < n; i++) out[i] = x[i];
    return (size_t)n;
}

/* A time: the lower quartile of the clean samples where three or more are, as disturbance only adds, and the interval
 * of its order statistics; 0 where there are no samples.  At most SERVET_SAMPLES_MAX of them. */
SERVET__PRIVATE void servet__clean_quartile(double *time, double *lo, double *hi, const double *x,
                                            const unsigned char *flags, int n)
{
    double clean[SERVET_SAMPLES_MAX], scratch[SERVET_SAMPLES_MAX];
    servet_summary s;
    memset(&s, 0, sizeof s);
    servet_stats_summarise(&s, clean, servet__clean(clean, x, flags, n, 3), scratch);
    *time = s.q25;
    *lo = s.lo;
    *hi = s.hi;
}

/* Median of n values, sorted here, and its interval of order statistics, which fails with probability `miss`.
 * 0 where so few values cannot give one: it then spans all of them. */
SERVET__PRIVATE int servet__median_interval(double *median, double *lo, double *hi, double *x, size_t n, double miss)
{
    size_t l = 0;
    if (n == 0) return 0;
    servet_stats_sort(x, n);
    *median = servet_stats_quantile(x, n, 0.5);
    /* the l-th from either end, counted from 1, leaves out the median with twice P[B(n, 1/2) <= l - 1] */
    while (l < n / 2 && 2 * servet_stats_binomial_tail((double)n, (double)(n - l), 0.5) <= miss) l++;
    *lo = x[l > 0 ? l - 1 : 0];
    *hi = x[n - (l > 0 ? l : 1)];
    return l > 0;
}

/* Mean of n values, three or more, sorted here, without a fifth on either side, and its standard error (Yuen).
 * Returns Student's t for 99 % and as many: who looks after each round whether it is enough looks often. */
SERVET__PRIVATE double servet__trimmed_mean(double *x, size_t n, double *mean, double *error)
{
    const double z = 2.5758, z2 = z * z;
    const size_t cut = n / 5, left = n - 2 * cut;
    const double v = (double)left - 1, share = (double)left / (double)n;
    double sum = 0, all = 0, squares = 0;
    size_t i;
    servet_stats_sort(x, n);
    for (i = cut; i < n - cut; i++) sum += x[i];
    for (i = 0; i < cut; i++) {         /* winsorized: what was cut counts as the outermost that is left */
        x[i] = x[cut];
        x[n - 1 - i] = x[n - 1 - cut];
    }
    for (i = 0; i < n; i++) all += x[i];
    for (i = 0; i < n; i++) squares += (x[i] - all / (double)n) * (x[i] - all / (double)n);
    *mean = sum / (double)left;
    *error = sqrt(squares / ((double)n - 1) / (double)n) / share;
    return z + z * (z2 + 1) / (4 * v) + z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * v * v)
             + z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * v * v * v);
}

/* >>timer (implementation) -------------------------------------------------------------------- */

/* Quantity    ns of a tick, the cost of a reading, cycles of the core.
 * Model       clock = ns_per_tick x ticks + constant; a chain of n dependent additions takes n cycles.
 * Estimator   the slope between two moments at which clock and counter are read together, each the tightest of twelve
 *             brackets clock-counter-clock.  Its error is their width by the distance; the two halves of the distance
 *             must agree.  GHz = n / ns, lower quartile over many short chains.
 * Fooled by   a clock that is stepped meanwhile; a counter that stops or changes its pace (then the clock is used); a
 *             hypervisor that traps readings, or shares the core.
 * References  Paoloni, How to Benchmark Code Execution Times on Intel IA-32 and IA-64, 2010: fences around rdtsc. */

/* The dependent chase.  Each turn is sixteen loads, each from the address the one before returned:
 *     x86-64  mov (%rax),%rax      aarch64  ldr x0,[x0]
 * A volatile access must happen as written, so no compiler and no link-time optimisation can drop it. */
#define SERVET__STEP(p)   (p) = *(void *volatile *)(p)
#define SERVET__STEP4(p)  do { SERVET__STEP(p); SERVET__STEP(p); SERVET__STEP(p); SERVET__STEP(p); } while (0)
#define SERVET__STEP16(p) do { SERVET__STEP4(p); SERVET__STEP4(p); SERVET__STEP4(p); SERVET__STEP4(p); } while (0)

SERVET__PRIVATE void *servet__walk(void *p, size_t steps)
{
    size_t turns = steps / 16;
    while (turns--) SERVET__STEP16(p);
    for (steps %= 16; steps; steps--) SERVET__STEP(p);
    return p;
}

SERVET__DEF double servet_timer_ns(const servet_timer *t, uint64_t start, uint64_t stop)
{
    if (stop <= start) return 0;
    return servet__max(0, (double)(stop - start) * t->ns_per_tick - t->overhead_ns);
}

#if !defined(SERVET_PURE_ONLY)

/* Time that this thread ran; 0 where the system does not say. */
SERVET__PRIVATE double servet__thread_ns(void)
{
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
#endif
    return 0;
}

SERVET__PRIVATE double servet__clock_ns(void)
{
    struct timespec t;
#if defined(CLOCK_MONOTONIC_RAW)
    if (clock_gettime(CLOCK_MONOTONIC_RAW, &t) == 0) return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
#endif
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

SERVET__PRIVATE int servet__counter_exists(void)
{
    return SERVET_HAS(X86) || SERVET_HAS(ARM64) || SERVET_HAS(RISCV64) || SERVET_HAS(PPC64);
}

/* The fences keep earlier work out of the interval and later work from starting in it.  cpuid would do so
 * too, but leaves a guest for its hypervisor each time. */
SERVET__PRIVATE uint64_t servet__counter(void)
{
#if SERVET_HAS(X86)
    uint32_t lo, hi;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi) :: "memory");
    return ((uint64_t)hi << 32) | lo;
#elif SERVET_HAS(ARM64)
    uint64_t t;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t) :: "memory");
    return t;
#elif SERVET_HAS(RISCV64)
    uint64_t t;
    __asm__ volatile("fence\n\trdtime %0\n\tfence" : "=r"(t) :: "memory");
    return t;
#elif SERVET_HAS(PPC64)
    uint64_t t;
    __asm__ volatile("sync\n\tmftb %0\n\tisync" : "=r"(t) :: "memory");
    return t;
#else
    return 0;
#endif
}

SERVET__PRIVATE uint64_t servet__ticks(int source)
{
    uint64_t t;
    if (source == SERVET_TIMER_COUNTER) return servet__counter();
    SERVET__FENCE();
    t = (uint64_t)servet__clock_ns();
    SERVET__FENCE();
    return t;
}

SERVET__DEF uint64_t servet_timer_start(const servet_timer *t) { return servet__ticks(t->source); }
SERVET__DEF uint64_t servet_timer_stop(const servet_timer *t) { return servet__ticks(t->source); }

/* One reading of counter and clock at the same moment: of several brackets clock-counter-clock the tightest. */
typedef struct servet__moment { double ns, width_ns, ticks; } servet__moment;

SERVET__PRIVATE servet__moment servet__moment_read(void)
{
    servet__moment best = { 0, 1e300, 0 };
    int i;
    for (i = 0; i < 12; i++) {
        double a = servet__clock_ns(), ticks = (double)servet__counter(), b = servet__clock_ns();
        if (b - a >= best.width_ns) continue;
        best.ns = (a + b) / 2;
        best.width_ns = b - a;
        best.ticks = ticks;
    }
    return best;
}

/* Wait for a moment at least wait_ns after first; a clock that stands still ends it too. */
SERVET__PRIVATE servet__moment servet__moment_after(const servet__moment *first, double wait_ns)
{
    long turns = 0;
    while (servet__clock_ns() - first->ns < wait_ns && turns < 100000000L) turns++;
    return servet__moment_read();
}

/* turns x 16 additions of one register to another, each needing the one before: one cycle each.  Additions of
 * a constant would not do: cores of today fold them in renaming.  Returns 1 if an addition is a cycle. */
SERVET__PRIVATE int servet__add_chain(size_t turns)
{
#if SERVET_HAS(X86) || SERVET_HAS(ARM64) || SERVET_HAS(RISCV64) || SERVET_HAS(PPC64)
    uintptr_t x = 1, y = 3;
#  if SERVET_HAS(X86)
#    define SERVET__ADD "add %1, %0\n\t"
#  else
#    define SERVET__ADD "add %0, %0, %1\n\t"
#  endif
    while (turns--)
        __asm__ volatile(SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD
                         SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD SERVET__ADD
                         : "+r"(x) : "r"(y));
#  undef SERVET__ADD
    return 1;
#else
    uintptr_t x = 1;
    int i;
    while (turns--) for (i = 0; i < 16; i++) { x += x >> 1; SERVET__KEEP(x); }
    return 0;
#endif
}

#endif /* !SERVET_PURE_ONLY */

/* The step of a timer from n distances of its readings, in ticks, sorted and overwritten.  Distances of work of
 * varying length cover a range; a fine counter leaves hardly a gap in it, a coarse one gaps of its step: the gap of
 * which as much of the range lies in larger ones as in smaller. */
SERVET__PRIVATE double servet__timer_gap(double *delta, size_t n)
{
    double range, sum = 0;
    size_t i;
    servet_stats_sort(delta, n);
    n = n * 9 / 10;    /* the largest tenth is interruptions */
    if (n < 2) return 1;
    range = delta[n - 1] - delta[0];
    for (i = 0; i + 1 < n; i++) delta[i] = delta[i + 1] - delta[i];
    servet_stats_sort(delta, n - 1);
    for (i = 0; i + 2 < n && sum + delta[i] < range / 2; i++) sum += delta[i];
    return servet__max(delta[i], 1);
}

#if !defined(SERVET_PURE_ONLY)

SERVET__PRIVATE double servet__timer_step(const servet_timer *t)
{
    enum { SERVET__READS = 1200 };
    double delta[SERVET__READS];
    int i;
    for (i = 0; i < SERVET__READS; i++) {
        uint64_t from = servet__ticks(t->source), to;
        servet__add_chain((size_t)(i % 40));
        to = servet__ticks(t->source);
        delta[i] = to > from ? (double)(to - from) : 0;
    }
    return servet__timer_gap(delta, SERVET__READS) * t->ns_per_tick;
}

/* Overhead, step, order and traps of a source whose ns_per_tick is known. */
SERVET__PRIVATE void servet__timer_examine(servet_timer *t)
{
    enum { SERVET__READS = 1000 };
    double delta[SERVET__READS];
    uint64_t last = servet__ticks(t->source), now;
    size_t i;
    t->monotone = 1;
    for (i = 0; i < SERVET__READS; i++) {
        now = servet__ticks(t->source);
        if (now < last) t->monotone = 0;
        delta[i] = now < last ? 0 : (double)(now - last) * t->ns_per_tick;
        last = now;
    }
    servet_stats_sort(delta, SERVET__READS);
    t->overhead_ns = servet_stats_quantile(delta, SERVET__READS, 0.25);
    t->trapped = t->overhead_ns > 200
              || servet_stats_quantile(delta, SERVET__READS, 0.9) > 20 * servet__max(t->overhead_ns, t->ns_per_tick);
    t->step_ns = servet__timer_step(t);
    t->min_block_ns = servet__max(1000 * t->step_ns, 50 * t->overhead_ns);
}

SERVET__DEF int servet_timer_init(servet_timer *out, const servet_timer_opts *opts)
{
    servet_timer t;
    servet__moment a, b, c;
    double budget = opts && opts->budget_s > 0 ? opts->budget_s * 1e9 : 6e6, early, late, begun = servet__clock_ns();
    int source = opts ? opts->source : SERVET_TIMER_AUTO;
    if (!out || source < SERVET_TIMER_AUTO || source > SERVET_TIMER_CLOCK) return SERVET_EINVAL;
    if (opts && opts->budget_s != 0 && !(opts->budget_s >= 0.001 && opts->budget_s <= 1)) return SERVET_EINVAL;
    if (source == SERVET_TIMER_COUNTER && !servet__counter_exists()) return SERVET_EUNSUPPORTED;
    memset(&t, 0, sizeof t);
    if (source != SERVET_TIMER_CLOCK && servet__counter_exists()) {
        a = servet__moment_read();
        b = servet__moment_after(&a, budget / 3);
        c = servet__moment_after(&a, budget * 0.95);
        early = b.ticks > a.ticks ? (b.ns - a.ns) / (b.ticks - a.ticks) : 0;
        late = c.ticks > b.ticks ? (c.ns - b.ns) / (c.ticks - b.ticks) : 0;
        t.source = SERVET_TIMER_COUNTER;
        t.ns_per_tick = c.ticks > a.ticks ? (c.ns - a.ns) / (c.ticks - a.ticks) : 0;
        t.error_frac = c.ns > a.ns ? (a.width_ns + c.width_ns) / (c.ns - a.ns) : 1;
        /* 200 ppm, or what the brackets allow: more is a counter that changes its pace */
        t.steady = early > 0 && late > 0
                && fabs(early / late - 1) < 2e-4 + (a.width_ns + 2 * b.width_ns + c.width_ns) / (b.ns - a.ns);
        if (t.ns_per_tick > 0) servet__timer_examine(&t);
    }
    if (source == SERVET_TIMER_COUNTER && !(t.ns_per_tick > 0)) return SERVET_EUNSUPPORTED;
    if (source == SERVET_TIMER_CLOCK
        || (source == SERVET_TIMER_AUTO && (!t.steady || !t.monotone || t.overhead_ns > 2000))) {
        memset(&t, 0, sizeof t);
        t.source = SERVET_TIMER_CLOCK;
        t.ns_per_tick = 1;
        t.steady = 1;
        servet__timer_examine(&t);
    }
    t.calibrate_s = (servet__clock_ns() - begun) * 1e-9;
    *out = t;
    return SERVET_OK;
}

SERVET__DEF int servet_timer_frequency(servet_frequency *out, const servet_timer *t, double budget_s)
{
    enum { SERVET__SAMPLES = 64, SERVET__RING = 16 };
    void *ring[SERVET__RING], *p = ring;
    double add[SERVET__SAMPLES], load[SERVET__SAMPLES], scratch[SERVET__SAMPLES], begun = servet__clock_ns(), whole;
    servet_summary sa, sl;
    servet_frequency f;
    size_t i, n, turns = 64;
    uint64_t a, b;
    if (!out || !t || !(budget_s >= 0 && budget_s <= 10)) return SERVET_EINVAL;
    if (budget_s == 0) budget_s = 0.01;
    memset(&f, 0, sizeof f);
    for (i = 0; i < SERVET__RING; i++) ring[i] = &ring[(i + 5) % SERVET__RING];
    /* long enough for the timer and no longer, so that most samples escape interruptions */
    for (n = 0; n < 20; n++) {
        a = servet_timer_start(t);
        f.units = servet__add_chain(turns);
        b = servet_timer_stop(t);
        if (servet_timer_ns(t, a, b) >= t->min_block_ns) break;
        turns *= 2;
    }
    for (n = 0; n < SERVET__SAMPLES && (n < 5 || servet__clock_ns() - begun < budget_s * 1e9); n++) {
        a = servet_timer_start(t);
        servet__add_chain(turns);
        b = servet_timer_stop(t);
        add[n] = servet_timer_ns(t, a, b) / (16.0 * (double)turns);
        a = servet_timer_start(t);
        p = servet__walk(p, turns * 4);
        b = servet_timer_stop(t);
        load[n] = servet_timer_ns(t, a, b) / (4.0 * (double)turns);
    }
    if (servet_stats_summarise(&sa, add, n, scratch) < 0 || !(sa.lo > 0)) return SERVET_EUNRESOLVED;
    if (servet_stats_summarise(&sl, load, n, scratch) < 0) return SERVET_EUNRESOLVED;
    f.ghz = 1 / sa.q25;
    f.lo_ghz = 1 / sa.hi;
    f.hi_ghz = 1 / sa.lo;
    f.l1_cycles = sl.q25 * f.ghz;
    whole = floor(f.l1_cycles + 0.5);
    f.consistent = f.units && whole >= 2 && whole <= 8 && fabs(f.l1_cycles - whole) < 0.1;
    *out = f;
    return SERVET_OK;
}

#endif /* !SERVET_PURE_ONLY */

#endif /* SERVET_HAS(MEASURING) */

/* >>machine (implementation) ------------------------------------------------------------------ */

/* Quantity    what the system says of CPUs, caches, TLBs, nodes, memory: to compare with, never to infer from.
 * Regions     memory for a measurement, touched, its huge pages verified in /proc/self/smaps.
 * Noise       switches, faults, run delay, migration and steal time of a thread, as differences of two readings: they
 *             mark samples that something disturbed.
 * Teams       threads bound to a CPU each, and a spinning barrier: all leave it within about 0.1 us of the last.
 * Fooled by   a hypervisor that reports the host's caches or none; huge pages of a guest on small ones of its host; a
 *             neighbour on the same core, which no meter of the kernel counts (reference chains of >>backend do).
 * References  Intel SDM 2A, CPUID; AMD APM 3, appendix E; Linux Documentation/ABI/testing/sysfs-devices-system-cpu. */

SERVET__PRIVATE int servet__cpus_has(const servet_cpus *cpus, int cpu)
{
    if (cpu < 0 || cpu >= 64 * SERVET_CPU_WORDS) return 0;
    return (int)(cpus->mask[cpu / 64] >> (cpu % 64) & 1);
}

SERVET__DEF int servet_cpus_next(const servet_cpus *cpus, int after_cpu)
{
    int c;
    for (c = after_cpu + 1; c < 64 * SERVET_CPU_WORDS; c++) {
        if (c % 64 == 0 && cpus->mask[c / 64] == 0) c += 63;
        else if (servet__cpus_has(cpus, c)) return c;
    }
    return -1;
}

SERVET__DEF int servet_cpus_add(servet_cpus *cpus, int cpu)
{
    if (cpu < 0 || cpu >= 64 * SERVET_CPU_WORDS) return SERVET_EINVAL;
    cpus->count += !servet__cpus_has(cpus, cpu);
    cpus->mask[cpu / 64] |= (uint64_t)1 << (cpu % 64);
    return SERVET_OK;
}

/* Digits at *s, at most 8191; -1 where there are none or it is more. */
SERVET__PRIVATE int servet__cpu_number(const char **s)
{
    int v = 0;
    if (**s < '0' || **s > '9') return -1;
    for (; **s >= '0' && **s <= '9'; ++*s) {
        v = v * 10 + (**s - '0');
        if (v >= 64 * SERVET_CPU_WORDS) return -1;
    }
    return v;
}

SERVET__DEF int servet_cpus_parse(servet_cpus *out, const char *list)
{
    servet_cpus cpus;
    if (!out || !list) return SERVET_EINVAL;
    memset(&cpus, 0, sizeof cpus);
    for (;;) {
        int a = servet__cpu_number(&list), b = a;
        if (a < 0) return SERVET_EPARSE;
        if (*list == '-') {
            list++;
            b = servet__cpu_number(&list);
            if (b < a) return SERVET_EPARSE;
        }
        for (; a <= b; a++) servet_cpus_add(&cpus, a);
        if (*list == 0 || (*list == '\n' && list[1] == 0)) break;
        if (*list++ != ',') return SERVET_EPARSE;
    }
    *out = cpus;
    return SERVET_OK;
}

SERVET__DEF int servet_cpus_write(const servet_cpus *cpus, char *buf, size_t cap)
{
    int from, to;
    size_t n = 0;
    char part[32];
    if (!cpus || !buf || !cap) return SERVET_EINVAL;
    buf[0] = 0;
    for (from = servet_cpus_next(cpus, -1); from >= 0; from = servet_cpus_next(cpus, to)) {
        for (to = from; servet__cpus_has(cpus, to + 1); to++) { }
        snprintf(part, sizeof part, to > from ? "%s%d-%d" : "%s%d", n ? "," : "", from, to);
        if (n + strlen(part) >= cap) return SERVET_ESPACE;
        memcpy(buf + n, part, strlen(part) + 1);
        n += strlen(part);
    }
    return (int)n;
}

#if !defined(SERVET_PURE_ONLY)

/* The affinity mask as the kernel has it, by the raw call: cpu_set_t is hidden without _GNU_SOURCE, and ends at 1024
 * CPUs. */
typedef struct servet__affinity { unsigned long word[64 * SERVET_CPU_WORDS / (8 * sizeof(long))]; } servet__affinity;
enum { SERVET__AFFINITY_BITS = 8 * (int)sizeof(long) };

SERVET__DEF int servet_machine_cpus(servet_cpus *out)
{
    servet_cpus cpus;
    long n, c;
    if (!out) return SERVET_EINVAL;
    memset(&cpus, 0, sizeof cpus);
#if SERVET_HAS(LINUX)
    {
        servet__affinity m;
        memset(&m, 0, sizeof m);
        if (syscall(SYS_sched_getaffinity, 0, sizeof m, &m) > 0)
            for (c = 0; c < 64 * SERVET_CPU_WORDS; c++)
                if (m.word[c / SERVET__AFFINITY_BITS] >> c % SERVET__AFFINITY_BITS & 1) servet_cpus_add(&cpus, (int)c);
    }
#endif
    n = cpus.count > 0 ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    for (c = 0; c < n && c < 64 * SERVET_CPU_WORDS; c++) servet_cpus_add(&cpus, (int)c);
    if (cpus.count == 0) servet_cpus_add(&cpus, 0);
    *out = cpus;
    return SERVET_OK;
}

#if SERVET_HAS(MEASURING)
SERVET__DEF int servet_machine_restore(const servet_cpus *saved)
{
#if SERVET_HAS(LINUX)
    servet__affinity m;
    int c;
    if (!saved || saved->count < 1) return SERVET_EINVAL;
    memset(&m, 0, sizeof m);
    for (c = servet_cpus_next(saved, -1); c >= 0; c = servet_cpus_next(saved, c))
        m.word[c / SERVET__AFFINITY_BITS] |= 1ul << (c % SERVET__AFFINITY_BITS);
    return syscall(SYS_sched_setaffinity, 0, sizeof m, &m) == 0 ? SERVET_OK : SERVET_EPIN;
#else
    (void)saved;
    return SERVET_EUNSUPPORTED;
#endif
}

SERVET__DEF int servet_machine_pin(int cpu, servet_cpus *saved)
{
    servet_cpus before, one;
    int status;
    if (cpu < 0 || cpu >= 64 * SERVET_CPU_WORDS) return SERVET_EINVAL;
    status = servet_machine_cpus(&before);
    if (status < 0) return status;
    memset(&one, 0, sizeof one);
    servet_cpus_add(&one, cpu);
    status = servet_machine_restore(&one);
    if (status >= 0 && saved) *saved = before;
    return status;
}

/* The CPU this thread is on; -1 where the system does not say. */
SERVET__PRIVATE int servet__cpu_now(void)
{
#if SERVET_HAS(LINUX) && defined(SYS_getcpu)
    unsigned cpu = 0;
    if (syscall(SYS_getcpu, &cpu, NULL, NULL) == 0) return (int)cpu;
#endif
    return -1;
}
#endif /* SERVET_HAS(MEASURING) */

/* The first bytes of a small file, without a final newline; -1 if there is none. */
SERVET__PRIVATE int servet__read_file(const char *path, char *buf, size_t cap)
{
    int fd = open(path, O_RDONLY);
    ssize_t n, all = 0;
    if (fd < 0) return -1;
    while ((size_t)all + 1 < cap && (n = read(fd, buf + all, cap - 1 - (size_t)all)) > 0) all += n;
    close(fd);
    while (all > 0 && (buf[all - 1] == '\n' || buf[all - 1] == ' ')) all--;
    buf[all] = 0;
    return (int)all;
}

/* The number in a small file; 0 where there is none, or "max", which is no limit. */
SERVET__PRIVATE double servet__read_number(const char *path)
{
    char text[128];
    double v;
    if (servet__read_file(path, text, sizeof text) <= 0) return 0;
    v = strtod(text, NULL);
    return v > 0 && v < 1e15 ? v : 0;
}

/* A text field: cut to fit, and without what would not print. */
SERVET__PRIVATE void servet__text(char *field, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < SERVET_TEXT_MAX; text++)
        if ((unsigned char)*text >= ' ' && (unsigned char)*text < 127) field[n++] = *text;
    while (n > 0 && field[n - 1] == ' ') n--;
    field[n] = 0;
}

/* Value of the first line "name : value" of a text in /proc form; 0 if there is none. */
SERVET__PRIVATE int servet__proc_value(const char *text, const char *name, char *field)
{
    char line[SERVET_TEXT_MAX];
    const char *at = text, *value;
    for (; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, name, strlen(name))) continue;
        value = at + strlen(name);
        value += strspn(value, " \t");
        if (*value++ != ':') continue;
        value += strspn(value, " \t");
        snprintf(line, sizeof line, "%.*s", (int)strcspn(value, "\n"), value);
        servet__text(field, line);
        return 1;
    }
    return 0;
}

#if SERVET_HAS(MEASURING)
SERVET__PRIVATE void servet__report_add(servet_host *h, int source, int level, double bytes, int line, int ways,
                                        int shared)
{
    servet_report *r = &h->report[h->report_count];
    if (h->report_count >= SERVET_REPORTS_MAX || level < 1 || level > SERVET_LEVELS_MAX) return;
    r->source = source;
    r->level = level;
    r->bytes = bytes;
    r->line_bytes = line;
    r->ways = ways;
    r->shared_cpus = shared;
    h->report_count++;
}

/* /sys/devices/system/cpu/cpuN/cache/indexI: level, type, size, ... */
SERVET__PRIVATE void servet__report_sysfs(servet_host *h, const servet_cpus *usable)
{
    static const char *const item[] = { "level", "type", "size", "coherency_line_size", "ways_of_associativity",
                                        "shared_cpu_list" };
    const int cpu = servet_cpus_next(usable, -1) < 0 ? 0 : servet_cpus_next(usable, -1);
    char path[160], text[6][256];
    servet_cpus shared;
    int i, k;
    for (i = 0; i < 16; i++) {
        char *unit;
        double bytes;
        for (k = 0; k < 6; k++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, i, item[k]);
            if (servet__read_file(path, text[k], sizeof text[k]) < 0) text[k][0] = 0;
        }
        if (!text[0][0]) break;
        if (!strcmp(text[1], "Instruction")) continue;
        bytes = (double)strtoul(text[2], &unit, 10) * (*unit == 'K' ? 1024.0 : *unit == 'M' ? 1048576.0 : 1.0);
        memset(&shared, 0, sizeof shared);
        servet_cpus_parse(&shared, text[5]);
        for (k = servet_cpus_next(&shared, -1); k >= 0; k = servet_cpus_next(&shared, k))
            shared.count -= !servet__cpus_has(usable, k);
        servet__report_add(h, SERVET_REPORT_SYSFS, atoi(text[0]), bytes, atoi(text[3]), atoi(text[4]), shared.count);
    }
}

SERVET__PRIVATE void servet__report_sysconf(servet_host *h)
{
#if defined(_SC_LEVEL1_DCACHE_SIZE)   /* glibc's; others have no such names */
    static const int name[4][3] = {
        { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL1_DCACHE_ASSOC },
        { _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL2_CACHE_ASSOC },
        { _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE, _SC_LEVEL3_CACHE_ASSOC },
        { _SC_LEVEL4_CACHE_SIZE, _SC_LEVEL4_CACHE_LINESIZE, _SC_LEVEL4_CACHE_ASSOC } };
    int i;
    for (i = 0; i < 4; i++) {
        long bytes = sysconf(name[i][0]), line = sysconf(name[i][1]), ways = sysconf(name[i][2]);
        if (i == 3 && bytes <= 0) break;    /* a fourth level that is not there is nothing missing */
        servet__report_add(h, SERVET_REPORT_SYSCONF, i + 1, bytes > 0 ? (double)bytes : 0,
                           line > 0 ? (int)line : 0, ways > 0 ? (int)ways : 0, 0);
    }
#else
    (void)h;
#endif
}

/* Intel: leaf 4; AMD: leaf 0x8000001d, of the same form. */
SERVET__PRIVATE void servet__report_cpuid(servet_host *h)
{
#if SERVET_HAS(X86)
    static const unsigned leaves[2] = { 4, 0x8000001du };
    unsigned a, b, c, d, i, k;
    for (k = 0; k < 2; k++) {
        int found = 0;
        for (i = 0; i < 16 && __get_cpuid_count(leaves[k], i, &a, &b, &c, &d); i++) {
            if ((a & 31) == 0) break;
            if ((a & 31) == 2) continue;
            found = 1;
            servet__report_add(h, SERVET_REPORT_CPUID, (int)(a >> 5 & 7),
                               ((double)(b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * ((double)c + 1),
                               (int)(b & 4095) + 1, (int)(b >> 22) + 1, (int)(a >> 14 & 4095) + 1);
        }
        if (found) return;
    }
#else
    (void)h;
#endif
}

/* Of one level and size of page a CPU may name several that work side by side: their entries add up. */
SERVET__PRIVATE void servet__report_tlb(servet_host *h, int level, double page_bytes, unsigned entries, unsigned ways)
{
    servet_tlb_report *r = h->tlb_report;
    int i;
    if (entries == 0 || level < 1 || level > SERVET_LEVELS_MAX) return;
    for (i = 0; i < h->tlb_report_count; i++, r++) {
        if (r->source != SERVET_REPORT_CPUID || r->level != level || r->page_bytes != page_bytes) continue;
        r->ways = r->ways == (int)ways ? r->ways : 0;
        r->entries += (int)entries;
        return;
    }
    if (i == SERVET_TLB_REPORTS_MAX) return;
    r->source = SERVET_REPORT_CPUID;
    r->level = level;
    r->page_bytes = page_bytes;
    r->entries = (int)entries;
    r->ways = (int)ways;
    h->tlb_report_count++;
}

/* AMD: EAX and EBX of leaves 0x80000005, 0x80000006 and 0x80000019, and EAX of 0x80000021.  Where its bit 14 is set the
 * second level's entries are counted in units of 32, as twelve bits do not hold 4096; a hypervisor that hides the bit
 * makes them 32 times too few. */
SERVET__PRIVATE void servet__report_tlb_amd(servet_host *h, const unsigned l5[2], const unsigned l6[2],
                                            const unsigned l19[2], unsigned l21)
{
    static const unsigned char ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 255 };
    const double page[3] = { 2097152, 4096, 1073741824 };
    const unsigned unit = l21 >> 14 & 1 ? 32 : 1;
    int i;
    for (i = 0; i < 3; i++) {
        const unsigned first = i < 2 ? l5[i] >> 16 & 255 : l19[0] >> 16 & 4095;
        const unsigned first_ways = i < 2 ? l5[i] >> 24 : ways[l19[0] >> 28];
        const unsigned word = i < 2 ? l6[i] : l19[1], second = (word >> 16 & 4095) * unit;
        servet__report_tlb(h, 1, page[i], first, first_ways == 255 ? first : first_ways);
        servet__report_tlb(h, 2, page[i], second, word >> 28 == 15 ? second : ways[word >> 28]);
    }
}

/* Intel: a subleaf of leaf 0x18.  Those that serve instructions or stores alone are passed over: we load. */
SERVET__PRIVATE void servet__report_tlb_leaf18(servet_host *h, unsigned b, unsigned c, unsigned d)
{
    const unsigned kind = d & 31, ways = b >> 16, entries = ways * c;
    const int level = (int)(d >> 5 & 7);
    if (kind != 1 && kind != 3 && kind != 4) return;
    if (b & 1) servet__report_tlb(h, level, 4096, entries, d & 256 ? entries : ways);
    if (b & 2) servet__report_tlb(h, level, 2097152, entries, d & 256 ? entries : ways);
    if (b & 8) servet__report_tlb(h, level, 1073741824, entries, d & 256 ? entries : ways);
}

/* Intel before that: descriptors of a byte each in leaf 2, without levels: of each size of page the larger is further
 * away.  (Intel's manual, table of the instruction CPUID.) */
SERVET__PRIVATE void servet__report_tlb_leaf2(servet_host *h, const unsigned word[4])
{
    enum { SERVET__4K = 1, SERVET__2M = 2, SERVET__1G = 4 };
    static const struct { unsigned char code, pages, ways; unsigned short entries; } known[] = {
        { 0x03, SERVET__4K, 4, 64 }, { 0x57, SERVET__4K, 4, 16 }, { 0x59, SERVET__4K, 16, 16 },
        { 0x5a, SERVET__2M, 4, 32 }, { 0x5b, SERVET__4K, 0, 64 }, { 0x5c, SERVET__4K, 0, 128 },
        { 0x5d, SERVET__4K, 0, 256 }, { 0x63, SERVET__2M, 4, 32 }, { 0x63, SERVET__1G, 4, 4 },
        { 0x64, SERVET__4K, 4, 512 }, { 0x6b, SERVET__4K, 8, 256 }, { 0x6c, SERVET__2M, 8, 128 },
        { 0x6d, SERVET__1G, 16, 16 }, { 0xa0, SERVET__4K, 32, 32 }, { 0xb3, SERVET__4K, 4, 128 },
        { 0xb4, SERVET__4K, 4, 256 }, { 0xba, SERVET__4K, 4, 64 }, { 0xc0, SERVET__4K, 4, 8 },
        { 0xc1, SERVET__4K | SERVET__2M, 8, 1024 }, { 0xc2, SERVET__4K | SERVET__2M, 4, 16 },
        { 0xc3, SERVET__4K | SERVET__2M, 6, 1536 }, { 0xc3, SERVET__1G, 4, 16 }, { 0xc4, SERVET__2M, 4, 32 },
        { 0xca, SERVET__4K, 4, 512 } };
    enum { SERVET__KNOWN_TLBS = (int)(sizeof known / sizeof *known) };
    static const struct { int bit; double bytes; } page[] = {
        { SERVET__4K, 4096 }, { SERVET__2M, 2097152 }, { SERVET__1G, 1073741824 } };
    int i, k, at, level, best, last;
    for (k = 0; k < 3; k++) {
        for (level = 1, last = 0; ; level++, last = known[best].entries) {
            for (i = 0, best = -1; i < SERVET__KNOWN_TLBS; i++) {
                if (!(known[i].pages & page[k].bit) || known[i].entries <= last) continue;
                if (best >= 0 && known[i].entries >= known[best].entries) continue;
                for (at = 1; at < 16; at++)    /* the first byte is no descriptor; bit 31: the word holds none */
                    if (!(word[at / 4] >> 31) && (word[at / 4] >> 8 * (at % 4) & 255) == known[i].code) best = i;
            }
            if (best < 0) break;
            servet__report_tlb(h, level, page[k].bytes, known[best].entries, known[best].ways);
        }
    }
}

SERVET__PRIVATE void servet__report_cpuid_tlb(servet_host *h)
{
#if SERVET_HAS(X86)
    unsigned a, b, c, d, l5[2] = { 0, 0 }, l6[2] = { 0, 0 }, l19[2] = { 0, 0 }, l21 = 0, word[4], i, most = 0;
    if (__get_cpuid(0x80000005u, &a, &b, &c, &d)) { l5[0] = a; l5[1] = b; }
    if (__get_cpuid(0x80000006u, &a, &b, &c, &d)) { l6[0] = a; l6[1] = b; }
    if (__get_cpuid(0x80000019u, &a, &b, &c, &d)) { l19[0] = a; l19[1] = b; }
    if (__get_cpuid(0x80000021u, &a, &b, &c, &d)) l21 = a;
    servet__report_tlb_amd(h, l5, l6, l19, l21);    /* elsewhere these are zero */
    for (i = 0; i <= most && i < 64 && __get_cpuid_count(0x18, i, &a, &b, &c, &d); i++) {
        if (i == 0) most = a;
        servet__report_tlb_leaf18(h, b, c, d);
    }
    if (h->tlb_report_count == 0 && __get_cpuid(2, &word[0], &word[1], &word[2], &word[3]))
        servet__report_tlb_leaf2(h, word);
#else
    (void)h;
#endif
}

SERVET__PRIVATE void servet__report_sysctl(servet_host *h)
{
#if SERVET_HAS(APPLE)
    static const char *const name[3] = { "hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize" };
    int64_t bytes, line = 0;
    size_t n = sizeof line;
    int i;
    if (sysctlbyname("hw.cachelinesize", &line, &n, NULL, 0) != 0) line = 0;
    for (i = 0; i < 3; i++) {
        n = sizeof bytes;
        bytes = 0;
        if (sysctlbyname(name[i], &bytes, &n, NULL, 0) == 0)
            servet__report_add(h, SERVET_REPORT_SYSCTL, i + 1, (double)bytes, (int)line, 0, 0);
    }
#else
    (void)h;
#endif
}
#endif /* SERVET_HAS(MEASURING) */

/* Name and microcode of the CPU, from /proc/cpuinfo.  Arm names only numbers. */
SERVET__PRIVATE void servet__host_model(servet_host *h)
{
    static const char *const names[] = { "model name", "cpu model", "cpu", "uarch", "Hardware" };
    char text[4096], by[SERVET_TEXT_MAX], part[SERVET_TEXT_MAX], model[2 * SERVET_TEXT_MAX + 32];
    size_t i;
    if (servet__read_file("/proc/cpuinfo", text, sizeof text) <= 0) return;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (servet__proc_value(text, names[i], h->cpu_model)) break;
    if (!h->cpu_model[0] && servet__proc_value(text, "CPU implementer", by)) {
        const int known = servet__proc_value(text, "CPU part", part);
        snprintf(model, sizeof model, known ? "implementer %s part %s" : "implementer %s", by, part);
        servet__text(h->cpu_model, model);
    }
    servet__proc_value(text, "microcode", h->microcode);
}

/* Limits of memory and of time that a control group sets, seen from inside a container. */
SERVET__PRIVATE void servet__host_limits(servet_host *h)
{
    char text[128], *rest;
    double limit = servet__read_number("/sys/fs/cgroup/memory.max");
    if (limit == 0) limit = servet__read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    if (limit > 0 && (h->memory_bytes == 0 || limit < h->memory_bytes)) h->memory_bytes = limit;
    if (servet__read_file("/sys/fs/cgroup/cpu.max", text, sizeof text) > 0) {
        const double quota = strtod(text, &rest), period = strtod(rest, NULL);    /* "max" is no number */
        if (quota > 0 && quota < 1e15 && period > 0) h->quota_cpus = quota / period;
    }
}

SERVET__PRIVATE void servet__host_hypervisor(servet_host *h)
{
#if SERVET_HAS(X86)
    unsigned a, b, c, d;
    union { unsigned word[3]; char text[13]; } name;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) return;
    memset(&name, 0, sizeof name);
    __cpuid(0x40000000u, a, name.word[0], name.word[1], name.word[2]);
    servet__text(h->hypervisor, name.text);
    if (!h->hypervisor[0]) servet__text(h->hypervisor, "unnamed");
#else
    char text[SERVET_TEXT_MAX];
    if (servet__read_file("/sys/hypervisor/type", text, sizeof text) > 0) servet__text(h->hypervisor, text);
#endif
}

/* CPU, system, memory, and what sysfs, sysconf, CPUID, sysctl report.
 * Reads a few small files.  Where a source is silent its entries are absent. */
SERVET__PRIVATE int servet__machine_host(servet_host *out)
{
    servet_host h;
    servet_cpus cpus;
    struct utsname u;
    char list[64 * SERVET_TEXT_MAX];
    const long page = sysconf(_SC_PAGESIZE);
    if (!out) return SERVET_EINVAL;
    memset(&h, 0, sizeof h);
    if (uname(&u) == 0) {
        servet__text(h.arch, u.machine);
        servet__text(h.os, u.sysname);
        servet__text(h.kernel, u.release);
    }
    servet_machine_cpus(&cpus);
    h.cpu_count = cpus.count;
    if (servet_cpus_write(&cpus, list, sizeof list) < 0) list[0] = 0;
    if (strlen(list) >= SERVET_TEXT_MAX) {
        list[SERVET_TEXT_MAX - 1] = 0;
        if (strrchr(list, ',')) *strrchr(list, ',') = 0;
    }
    servet__text(h.cpus, list);
    h.page_bytes = page > 0 ? (double)page : 4096;
#if defined(_SC_PHYS_PAGES)
    h.memory_bytes = servet__max((double)sysconf(_SC_PHYS_PAGES), 0) * h.page_bytes;
#endif
#if SERVET_HAS(APPLE)
    {
        char text[SERVET_TEXT_MAX];
        size_t n = sizeof text;
        int64_t bytes = 0;
        if (sysctlbyname("machdep.cpu.brand_string", text, &n, NULL, 0) == 0) servet__text(h.cpu_model, text);
        n = sizeof bytes;
        if (sysctlbyname("hw.memsize", &bytes, &n, NULL, 0) == 0) h.memory_bytes = (double)bytes;
    }
#endif
    servet__host_model(&h);
    servet__host_limits(&h);
    servet__host_hypervisor(&h);
    h.huge_page_bytes = servet__read_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
#if SERVET_HAS(MEASURING)
    servet__report_sysfs(&h, &cpus);
    servet__report_sysconf(&h);
    servet__report_cpuid(&h);
    servet__report_cpuid_tlb(&h);
    servet__report_sysctl(&h);
#endif
    *out = h;
    return SERVET_OK;
}

#if SERVET_HAS(MEASURING)
/* Bytes of the mappings that a region lies in, on transparent huge pages, from /proc/self/smaps; -1 unknown. */
SERVET__PRIVATE double servet__huge_bytes(const unsigned char *base, size_t bytes)
{
    const unsigned long begin = (unsigned long)(uintptr_t)base, end = begin + (unsigned long)bytes;
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    double found = -1;
    int inside = 0;
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to, kib;
        char dash;
        if (sscanf(line, "%lx%c%lx ", &from, &dash, &to) == 3 && dash == '-') {
            if (from >= end) break;
            inside = begin < to;
        } else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
            found = servet__max(found, 0) + 1024.0 * (double)kib;
    }
    fclose(f);
    return found;
}

/* Asks for the kind of pages from a place on, touches them, and asks what they are. */
SERVET__PRIVATE void servet__region_touch(servet_region *r, size_t from, int touch)
{
    double huge;
    size_t i;
#if defined(MADV_HUGEPAGE)
    if (r->asked == SERVET_PAGES_HUGE) madvise(r->base + from, r->bytes - from, MADV_HUGEPAGE);   /* verified below */
    if (r->asked == SERVET_PAGES_SMALL) madvise(r->base + from, r->bytes - from, MADV_NOHUGEPAGE);
#endif
    for (i = from; touch && i < r->bytes; i += r->page_bytes) r->base[i] = 1;   /* own pages, not the shared zeros */
    huge = r->asked == SERVET_PAGES_SMALL ? 0 : servet__huge_bytes(r->base, r->bytes);
    r->huge_bytes = huge > 0 ? (size_t)servet__min(huge, (double)r->bytes) : 0;
}

/* With room_bytes of addresses, of which those behind the first bytes are nobody's memory until servet__machine_grow
 * asks for it: nor do they count where a system promises no more than it has. */
SERVET__PRIVATE int servet__machine_map_within(servet_region *out, size_t bytes, size_t room_bytes, int pages,
                                               int touch)
{
    const size_t align = (size_t)2 << 20;   /* huge pages of nearly all systems; harmless elsewhere */
    servet_region r;
    long page = sysconf(_SC_PAGESIZE);
    int apart;
    if (!out || bytes == 0 || bytes > SIZE_MAX - 2 * align || room_bytes > SIZE_MAX - 2 * align) return SERVET_EINVAL;
    if (pages < SERVET_PAGES_DEFAULT || pages > SERVET_PAGES_SMALL) return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    r.asked = pages;
    r.page_bytes = page > 0 ? (size_t)page : 4096;
    r.bytes = (bytes + r.page_bytes - 1) / r.page_bytes * r.page_bytes;
    apart = room_bytes > r.bytes;
    r.map_bytes = (apart ? (room_bytes + r.page_bytes - 1) / r.page_bytes * r.page_bytes : r.bytes) + align;
    r.map = mmap(NULL, r.map_bytes, apart ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_PRIVATE | SERVET__MAP_ANON, -1, 0);
    if (r.map == MAP_FAILED) return SERVET_ENOMEM;
    r.base = (unsigned char *)r.map + (align - (uintptr_t)r.map % align) % align;
    if (apart && mprotect(r.base, r.bytes, PROT_READ | PROT_WRITE) != 0) {
        servet_machine_unmap(&r);
        return SERVET_ENOMEM;
    }
    servet__region_touch(&r, 0, touch);
    *out = r;
    return SERVET_OK;
}

SERVET__PRIVATE int servet__machine_map(servet_region *out, size_t bytes, int pages, int touch)
{
    return servet__machine_map_within(out, bytes, 0, pages, touch);
}

/* Makes more of a region's room memory, touched like the rest; the caller knows that there is so much. */
SERVET__PRIVATE int servet__machine_grow(servet_region *region, size_t bytes)
{
    const size_t from = region->bytes;
    bytes = (bytes + region->page_bytes - 1) / region->page_bytes * region->page_bytes;
    if (bytes <= from) return SERVET_OK;
    if (mprotect(region->base + from, bytes - from, PROT_READ | PROT_WRITE) != 0) return SERVET_ENOMEM;
    region->bytes = bytes;
    servet__region_touch(region, from, 1);
    return SERVET_OK;
}

SERVET__DEF int servet_machine_map(servet_region *out, size_t bytes, int pages)
{
    return servet__machine_map(out, bytes, pages, 1);
}

SERVET__DEF void servet_machine_unmap(servet_region *region)
{
    if (!region || !region->map) return;
    munmap(region->map, region->map_bytes);
    memset(region, 0, sizeof *region);
}

/* Ticks of steal time over all CPUs, from the first line of /proc/stat; 0 where there is none. */
SERVET__PRIVATE int64_t servet__steal_ticks(void)
{
    char text[256];
    long long v[8];
    if (servet__read_file("/proc/stat", text, sizeof text) <= 0) return 0;
    if (sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
               &v[7]) != 8) return 0;
    return v[7];
}

/* Noise meters of this thread, where a system tells threads apart: a few microseconds to read. */
typedef struct servet__noise {
    int64_t switches, faults, run_delay_ns;
    int     cpu;
} servet__noise;

#if SERVET_HAS(LINUX)
#  define SERVET__RUSAGE (__typeof__(RUSAGE_SELF))1    /* of a thread; its name is hidden without _GNU_SOURCE */
#else
#  define SERVET__RUSAGE RUSAGE_SELF
#endif

SERVET__PRIVATE servet__noise servet__noise_read(void)
{
    servet__noise now;
    struct rusage use;
    memset(&now, 0, sizeof now);
#if SERVET_HAS(LINUX)
    {
        char text[128];
        long long run, delay;
        if (servet__read_file("/proc/thread-self/schedstat", text, sizeof text) > 0
            && sscanf(text, "%lld %lld", &run, &delay) == 2) now.run_delay_ns = delay;
    }
#endif
    if (getrusage(SERVET__RUSAGE, &use) == 0) {
        now.switches = use.ru_nivcsw;
        now.faults = use.ru_minflt + use.ru_majflt;
    }
    now.cpu = servet__cpu_now();
    return now;
}

/* SERVET_NOISE_* of what moved since */
SERVET__PRIVATE unsigned servet__noise_flags(const servet__noise *before)
{
    const servet__noise now = servet__noise_read();
    unsigned flags = 0;
    if (now.switches > before->switches || now.run_delay_ns > before->run_delay_ns + 1000) flags |= SERVET_NOISE_SWITCH;
    if (now.faults > before->faults) flags |= SERVET_NOISE_FAULT;
    if (now.cpu != before->cpu) flags |= SERVET_NOISE_MIGRATE;
    return flags;
}

/* A thread of a team. */
typedef struct servet__thread {
    servet_team *team;
    servet_work *work;
    void     *arg;
    pthread_t thread;
    int       cpu;
} servet__thread;

SERVET__PRIVATE void servet__team_fail(servet_team *team, int status)
{
    int none = 0;
    __atomic_compare_exchange_n(&team->failed, &none, status, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

SERVET__PRIVATE int servet__team_failed(servet_team *team)
{
    return __atomic_load_n(&team->failed, __ATOMIC_ACQUIRE);
}

/* A barrier in halves: this thread is there; and have all come so many times?  It may work meanwhile. */
SERVET__PRIVATE void servet__team_arrive(servet_team *team, size_t *times)
{
    ++*times;
    __atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL);
}

SERVET__PRIVATE int servet__team_complete(servet_team *team, size_t times)
{
    return __atomic_load_n(&team->arrived, __ATOMIC_ACQUIRE) >= times * team->threads || servet__team_failed(team);
}

/* A thread that waits long lets others have the CPU. */
SERVET__DEF int servet_team_meet(servet_team *team, size_t *times)
{
    enum { SERVET__SPINS = 1 << 16 };
    long turns = 0;
    for (servet__team_arrive(team, times); !servet__team_complete(team, *times); turns++) {
#if SERVET_HAS(X86)
        __asm__ volatile("pause");
#endif
        if (turns >= SERVET__SPINS) sched_yield();
    }
    return servet__team_failed(team);
}

/* A CPU that goes offline loses its threads, so the thread checks in the end, too, that it is where it was bound. */
SERVET__PRIVATE void *servet__thread_run(void *arg)
{
    servet__thread *t = (servet__thread *)arg;
    int status = servet_machine_pin(t->cpu, NULL), now;
    if (status >= 0) status = t->work(t->team, t->arg);
    now = servet__cpu_now();
    if (status >= 0 && now >= 0 && now != t->cpu) status = SERVET_EPIN;
    if (status < 0) servet__team_fail(t->team, status);
    return NULL;
}

SERVET__DEF int servet_team_run(const int *cpu, int cpus, const servet_cpus *allowed, servet_work *work, void *arg,
                                size_t size)
{
    servet_team team;
    servet__thread *thread;
    servet_cpus seen, usable;
    int i, begun;
    memset(&seen, 0, sizeof seen);
    if (!cpu || cpus < 1 || !work) return SERVET_EINVAL;
    if (!allowed) {
        servet_machine_cpus(&usable);
        allowed = &usable;
    }
    for (i = 0; i < cpus; i++) {
        if (cpu[i] < 0 || servet__cpus_has(&seen, cpu[i])) return SERVET_EINVAL;
        if (!servet__cpus_has(allowed, cpu[i])) return SERVET_EPIN;
        servet_cpus_add(&seen, cpu[i]);
    }
    thread = (servet__thread *)calloc((size_t)cpus, sizeof *thread);
    if (!thread) return SERVET_ENOMEM;
    memset(&team, 0, sizeof team);
    team.threads = (size_t)cpus;
    for (begun = 0; begun < cpus; begun++) {
        servet__thread *t = &thread[begun];
        t->team = &team;
        t->work = work;
        t->arg = (char *)arg + (size_t)begun * size;
        t->cpu = cpu[begun];
        if (pthread_create(&t->thread, NULL, servet__thread_run, t) == 0) continue;
        servet__team_fail(&team, SERVET_ENOMEM);
        break;
    }
    for (i = 0; i < begun; i++) pthread_join(thread[i].thread, NULL);
    free(thread);
    return servet__team_failed(&team);
}

/* Memory nodes and the CPUs near to them.
 * Returns how many there are, of which the first cap are in out; 1 where the system knows no nodes: all CPUs in it. */
SERVET__PRIVATE int servet__machine_nodes(servet_node *out, int cap)
{
    servet_cpus ids;
    servet_node node;
    char path[64], text[2048];
    int n = 0, id;
    if (cap < 0 || (cap > 0 && !out)) return SERVET_EINVAL;
    if (servet__read_file("/sys/devices/system/node/online", text, sizeof text) > 0
        && servet_cpus_parse(&ids, text) >= 0)
        for (id = servet_cpus_next(&ids, -1); id >= 0; id = servet_cpus_next(&ids, id)) {
            char *total;
            memset(&node, 0, sizeof node);
            node.id = id;
            snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", id);
            if (servet__read_file(path, text, sizeof text) > 0) servet_cpus_parse(&node.cpus, text);
            snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", id);
            if (servet__read_file(path, text, sizeof text) > 0 && (total = strstr(text, "MemTotal:")) != NULL)
                node.bytes = 1024 * strtod(total + 9, NULL);
            if (n < cap) out[n] = node;
            n++;
        }
    if (n == 0) {
        memset(&node, 0, sizeof node);
        servet_machine_cpus(&node.cpus);
        if (n < cap) out[n] = node;
        n++;
    }
    return n;
}

/* Puts untouched memory into a node, or in turn into all that are allowed (node < 0).  Preferred and not bound: where a
 * node is full the kernel would rather kill the program.  The numbers are the kernel's: its header with their names is
 * not everywhere. */
SERVET__PRIVATE int servet__memory_place(void *base, size_t bytes, int node)
{
#if SERVET_HAS(LINUX) && defined(SYS_mbind) && defined(SYS_get_mempolicy)
    enum { SERVET__PREFERRED = 1, SERVET__INTERLEAVE = 3, SERVET__MEMS_ALLOWED = 4 };
    enum { SERVET__BITS = 8 * (int)sizeof(unsigned long), SERVET__WORDS = 1024 / SERVET__BITS };
    const unsigned long bits = 1024, allowed = SERVET__MEMS_ALLOWED;
    unsigned long mask[SERVET__WORDS];
    memset(mask, 0, sizeof mask);
    if (node >= 1024) return SERVET_EINVAL;
    if (node >= 0) mask[node / SERVET__BITS] = 1ul << (node % SERVET__BITS);
    else if (syscall(SYS_get_mempolicy, NULL, mask, bits, NULL, allowed) != 0) return SERVET_EUNSUPPORTED;
    /* the kernel takes one off the number of bits */
    if (syscall(SYS_mbind, base, bytes, node >= 0 ? SERVET__PREFERRED : SERVET__INTERLEAVE, mask, bits + 1,
                0u) == 0) return SERVET_OK;
    return errno == ENOSYS || errno == EPERM ? SERVET_EUNSUPPORTED : SERVET_EINVAL;
#else
    (void)base;
    (void)bytes;
    (void)node;
    return SERVET_EUNSUPPORTED;
#endif
}

/* The node a touched page is in; -1 where the system does not say. */
SERVET__PRIVATE int servet__memory_node(void *page)
{
#if SERVET_HAS(LINUX) && defined(SYS_get_mempolicy)
    enum { SERVET__NODE = 1, SERVET__ADDR = 2 };
    int node = -1;
    if (syscall(SYS_get_mempolicy, &node, NULL, 0ul, page, (unsigned long)(SERVET__NODE | SERVET__ADDR)) == 0)
        return node;
#else
    (void)page;
#endif
    return -1;
}

#endif /* SERVET_HAS(MEASURING) */
#endif /* !SERVET_PURE_ONLY */

/* >>chase (implementation) -------------------------------------------------------------------- */

/* Quantity    ns of a load that waits for the load before it.
 * Model       of n lines on one random cycle, T = steps x sum over levels of P(served by l) x latency(l); k chains at
 *             once, T / k as long as the core has room for k misses.
 * Estimator   here only the cycle, and the walk; >>backend times it.
 * Fooled by   prefetchers, if the cycle follows addresses or stays in few pages; TLB misses, if it wanders over many.
 *             COMPACT lies between: random inside groups of pages, groups in random order.
 * References  Sattolo, Information Processing Letters 22(6), 1986: uniformly random cycles; McVoy and Staelin, lmbench,
 *             USENIX 1996: dependent loads. */

#if SERVET_HAS(MEASURING)

/* Pages visited together: 96 of 4 KiB.  More, and a chase misses the first TLB level too often (64 entries, mostly: a
 * third of the loads then, a sixth of an L2 latency).  Fewer, and prefetchers that remember the last pages and the
 * lines touched there run ahead of it: with 64 pages every second load from memory came out as an L2 hit on a core
 * of 2023, with 80 a few per cent, with 96 none. */
enum { SERVET__GROUP_BYTES = 96 * 4096 };   /* and other page sizes in proportion */

/* Defaults filled in; EINVAL for what is out of range. */
SERVET__PRIVATE int servet__chase_resolve(servet_chase_opts *o, const servet_chase_opts *opts)
{
    if (opts != o) memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->page_bytes == 0) o->page_bytes = 4096;
    if (o->line_bytes == 0) o->line_bytes = o->page_bytes < SERVET__LINE_BYTES ? o->page_bytes : SERVET__LINE_BYTES;
    if (o->group_pages == 0)
        o->group_pages = o->page_bytes > SERVET__GROUP_BYTES / 8 || o->page_bytes < 1 ? 8
                       : SERVET__GROUP_BYTES / o->page_bytes;
    if (o->chains == 0) o->chains = 1;
    if (o->line_bytes < (int)sizeof(void *) || o->line_bytes % (int)sizeof(void *) || o->page_bytes % o->line_bytes
        || o->page_bytes < o->line_bytes) return SERVET_EINVAL;
    if (o->lines_per_page == 0) o->lines_per_page = o->page_bytes / o->line_bytes;
    if (o->pattern < SERVET_CHASE_COMPACT || o->pattern > SERVET_CHASE_STRIDE || o->group_pages < 1
        || o->lines_per_page < 1 || o->lines_per_page > o->page_bytes / o->line_bytes
        || o->chains < 1 || o->chains > SERVET_CHAINS_MAX) return SERVET_EINVAL;
    return SERVET_OK;
}

/* Where in a cycle of n the k-th of so many chains begins. */
SERVET__PRIVATE size_t servet__chase_place(size_t n, int chains, int k)
{
    return (size_t)((uint64_t)n * (uint64_t)k / (uint64_t)chains);
}

/* Pages that n elements take under opts; 0 where opts are out of range */
SERVET__PRIVATE size_t servet__chase_pages(size_t n, const servet_chase_opts *opts)
{
    servet_chase_opts o;
    if (servet__chase_resolve(&o, opts) < 0) return 0;
    return n / (size_t)o.lines_per_page + (n % (size_t)o.lines_per_page != 0);
}

SERVET__PRIVATE void servet__shuffle(uint32_t *x, size_t n, uint64_t *seed)
{
    for (; n > 1; n--) {
        size_t j = servet_stats_random_below(seed, n);
        uint32_t t = x[n - 1];
        x[n - 1] = x[j];
        x[j] = t;
    }
}

/* Links n places, in units of so many bytes from base, to a ring in this order; and where chains evenly along it
 * begin. */
SERVET__PRIVATE void servet__chase_link(void **entry, int chains, char *base, const uint32_t *order, size_t n,
                                        size_t unit)
{
    enum { SERVET__AHEAD = 24 };
    size_t i;
    int k;
    for (i = 0; i < n; i++) {
#if defined(__GNUC__)   /* the stores wait for their lines one by one: ask for them ahead, four times as fast */
        __builtin_prefetch(base + order[i + SERVET__AHEAD < n ? i + SERVET__AHEAD : n - 1] * unit, 1);
#endif
        *(void **)(void *)(base + order[i] * unit) = base + order[i + 1 < n ? i + 1 : 0] * unit;
    }
    for (k = 0; k < chains; k++) entry[k] = base + order[servet__chase_place(n, chains, k)] * unit;
}

SERVET__DEF int servet_chase_build(servet_chase *out, void *base, const uint32_t *page, size_t n, uint32_t *order,
                                   const servet_chase_opts *opts)
{
    servet_chase c;
    size_t per_page, per_group, page_lines, line, i, j, k, g;
    uint64_t seed;
    memset(&c, 0, sizeof c);
    if (!out || !base || !order || n < 1 || servet__chase_resolve(&c.opts, opts) < 0) return SERVET_EINVAL;
    if (n > 0xffffffffu / 2 || (size_t)c.opts.chains > n) return SERVET_EINVAL;
    seed = c.opts.seed;
    line = (size_t)c.opts.line_bytes;
    per_page = (size_t)c.opts.lines_per_page;
    per_group = per_page * (size_t)c.opts.group_pages;
    page_lines = (size_t)c.opts.page_bytes / line;
    for (i = 0, k = 0; i < n; k++) {
        uint32_t first = (uint32_t)((page ? page[k] : k) * page_lines);
        for (j = 0; j < per_page && i < n; j++) order[i++] = first + (uint32_t)(j * page_lines / per_page);
    }
    if (c.opts.pattern == SERVET_CHASE_RANDOM) servet__shuffle(order, n, &seed);
    if (c.opts.pattern == SERVET_CHASE_COMPACT) {
        for (i = 0; i < n; i += per_group) servet__shuffle(order + i, n - i < per_group ? n - i : per_group, &seed);
        for (g = page ? 0 : n / per_group; g > 1; g--) {   /* whole groups change places; a part stays last */
            size_t other = servet_stats_random_below(&seed, g);
            uint32_t *x = order + (g - 1) * per_group, *y = order + other * per_group;
            for (i = 0; other != g - 1 && i < per_group; i++) {
                uint32_t t = x[i];
                x[i] = y[i];
                y[i] = t;
            }
        }
    }
    c.n = n;
    c.chains = c.opts.chains;
    servet__chase_link(c.entry, c.chains, (char *)base, order, n, line);
    *out = c;
    return SERVET_OK;
}

SERVET__DEF int servet_chase_verify(const servet_chase *chase, const void *base, size_t bytes)
{
    const char *from = (const char *)base, *p;
    size_t i, reached = 1;
    if (!chase || !base || chase->n < 1 || bytes < sizeof(void *)) return SERVET_EINVAL;
    if (chase->chains < 1 || chase->chains > SERVET_CHAINS_MAX) return SERVET_EINVAL;
    p = (const char *)chase->entry[0];
    for (i = 0; i < chase->n; i++) {
        if (p < from || p > from + (bytes - sizeof(void *))) return SERVET_EINVAL;
        if (i > 0 && p == (const char *)chase->entry[0]) return SERVET_EINVAL;    /* closed too early */
        if (reached < (size_t)chase->chains && p == (const char *)chase->entry[reached]
            && i == servet__chase_place(chase->n, chase->chains, (int)reached)) reached++;
        p = *(const char *const *)(const void *)p;
    }
    return p == (const char *)chase->entry[0] && reached == (size_t)chase->chains ? SERVET_OK : SERVET_EINVAL;
}

/* Of up to twelve chains the cursors live in registers, where a machine has as many; of the other numbers listed here
 * in fixed places of the stack, which cores of today rename as they do registers. */
SERVET__DEF void servet_chase_walk_many(void **entry, int k, size_t steps)
{
#define SERVET__GO(i) SERVET__STEP(p[i])
#define SERVET__GO2 SERVET__GO(0); SERVET__GO(1)
#define SERVET__GO3 SERVET__GO2; SERVET__GO(2)
#define SERVET__GO4 SERVET__GO3; SERVET__GO(3)
#define SERVET__GO5 SERVET__GO4; SERVET__GO(4)
#define SERVET__GO6 SERVET__GO5; SERVET__GO(5)
#define SERVET__GO7 SERVET__GO6; SERVET__GO(6)
#define SERVET__GO8 SERVET__GO7; SERVET__GO(7)
#define SERVET__GO9 SERVET__GO8; SERVET__GO(8)
#define SERVET__GO10 SERVET__GO9; SERVET__GO(9)
#define SERVET__GO11 SERVET__GO10; SERVET__GO(10)
#define SERVET__GO12 SERVET__GO11; SERVET__GO(11)
#define SERVET__GO14 SERVET__GO12; SERVET__GO(12); SERVET__GO(13)
#define SERVET__GO16 SERVET__GO14; SERVET__GO(14); SERVET__GO(15)
#define SERVET__GO20 SERVET__GO16; SERVET__GO(16); SERVET__GO(17); SERVET__GO(18); SERVET__GO(19)
#define SERVET__GO24 SERVET__GO20; SERVET__GO(20); SERVET__GO(21); SERVET__GO(22); SERVET__GO(23)
#define SERVET__GO28 SERVET__GO24; SERVET__GO(24); SERVET__GO(25); SERVET__GO(26); SERVET__GO(27)
#define SERVET__GO32 SERVET__GO28; SERVET__GO(28); SERVET__GO(29); SERVET__GO(30); SERVET__GO(31)
#define SERVET__CASE(k) case k: for (; steps; steps--) { SERVET__GO##k; } break
    enum { SERVET__KEPT = 32 };
    void *p[SERVET__KEPT];
    int i, kept = 1;
    for (i = 0; i < SERVET__KEPT; i++) p[i] = entry[i < k ? i : 0];
    if (k == 8) {    /* of tracks: the switch reads a table of jumps, a page that takes an entry of the TLB */
        for (; steps; steps--) { SERVET__GO8; }
    } else switch (k) {
    case 1: p[0] = servet__walk(p[0], steps); break;
    SERVET__CASE(2); SERVET__CASE(3); SERVET__CASE(4); SERVET__CASE(5); SERVET__CASE(6);
    SERVET__CASE(7); SERVET__CASE(9); SERVET__CASE(10); SERVET__CASE(11);
    SERVET__CASE(12); SERVET__CASE(14); SERVET__CASE(16); SERVET__CASE(20); SERVET__CASE(24);
    SERVET__CASE(28); SERVET__CASE(32);
    default:
        for (kept = 0; steps; steps--) for (i = 0; i < k; i++) SERVET__STEP(entry[i]);
    }
    for (i = 0; kept && i < k; i++) entry[i] = p[i];
}

/* >>backend (implementation) ------------------------------------------------------------------ */

/* Quantity    what one machine answers: ns a load of chases and address traces, bytes/s of streams, ns of a hand-off
 *             between two CPUs, ns of an operation on shared lines.
 * Model       a sample is steady work between two readings of the timer, long enough that these do not matter; CPUs
 *             start at a barrier, and none rests before the last is done.
 * Estimator   chases: lower quartile over passes.  Streams: bytes moved by all over the time of the slowest, every word
 *             checked.  Hand-offs: half the lower quartile over blocks of round trips.
 * Frame       each callback of several CPUs has a part, run by a worker on every CPU (servet__rig_run), and what its
 *             kernel times in each round (servet__worker_rounds).  The rest is placement, and joining the samples.
 * Fooled by   what runs beside it.  Three witnesses: the kernel's noise meters, steal time, and reference chains, which
 *             slow down when somebody shares the core or its first cache.
 * References  [Servet]; McCalpin, STREAM; [Little]; Molka et al., PACT 2009: lines between cores; MareNostrum 5. */

/* Defaults filled in; EINVAL for what is out of range. */
SERVET__PRIVATE int servet__track_resolve(servet_track *t, const servet_track *track)
{
    size_t per_part;
    if (!track) return SERVET_EINVAL;
    *t = *track;
    if (t->parts == 0) t->parts = 1;
    if (t->between_passes == 0) t->between_passes = 1;
    if (t->repeats == 0) t->repeats = 3;
    if (!t->between || t->between_n == 0) t->between = NULL, t->between_n = 0;
    per_part = t->n / (size_t)(t->parts > 0 ? t->parts : 1) + (size_t)t->skip;
    if (t->n < 1 || t->parts < 1 || t->n % (size_t)t->parts || t->skip < 0 || t->between_passes < 1 || t->repeats < 1
        || t->repeats > SERVET_TRACK_REPEATS || t->parts > SERVET_TRACK_PARTS / t->repeats
        || t->pages < SERVET_PAGES_DEFAULT || t->pages > SERVET_PAGES_ALIAS
        || (!t->place && (!t->raw || t->repeats != 1 || t->between_n / (size_t)t->parts <= per_part))
        || (!t->raw && (t->parts > 1 || t->between))
        || (t->pages == SERVET_PAGES_ALIAS && !(t->raw && t->place))) return SERVET_EINVAL;
    return SERVET_OK;
}

#define SERVET__STREAM_KIND(NAME, word, arrays, moves, writes, becomes) { arrays, moves, writes },
static SERVET__UNUSED const struct { int arrays, moves, writes; } servet__stream_kind[SERVET_STREAM_KERNELS] = {
    SERVET_STREAM_LIST(SERVET__STREAM_KIND) };

#if !defined(SERVET_PURE_ONLY)

/* Streams.  A kernel makes so many passes over arrays of so many bytes, a multiple of SERVET_STREAM_BYTES.  It returns
 * the sum of the words that it loaded if it is LOAD, else 0.  Kernels are assembly where there is some: what a compiler
 * makes of intrinsics depends on its options, and it drops loads of which nothing is used.  Eight vectors a turn keep
 * the load ports of today's cores busy.  Words are summed as integers: an addition takes one cycle, and is exact in any
 * order.  TRIAD loads with a product and a sum: a quarter faster than a load and a fused one (a core of 2024). */
typedef uint64_t __attribute__((may_alias)) servet__word;
typedef uint64_t servet__kernel(void *a, const void *b, const void *c, size_t bytes, size_t passes, double s);

#define SERVET__IF_0(...)
#define SERVET__IF_1(...) __VA_ARGS__

/* Plain C, from the table.  The fence keeps passes apart; words may be read as doubles or as integers. */
#define SERVET__PLAIN_DEF(NAME, word, arrays, moves, writes, becomes)                                              \
SERVET__PRIVATE uint64_t servet__##word##_plain(void *to, const void *y, const void *z, size_t bytes,              \
                                                size_t passes, double s)                                           \
{                                                                                                                  \
    const servet__word *x = (const servet__word *)to;                                                              \
    size_t i, n = bytes / sizeof(double);                                                                          \
    uint64_t sum = 0;                                                                                              \
    for (; passes; passes--) {                                                                                     \
        if (SERVET_STREAM_##NAME == SERVET_STREAM_LOAD) for (i = 0; i < n; i++) sum += x[i];                       \
        else for (i = 0; i < n; i++) {                                                                             \
            const double a = ((double *)to)[i], b = ((const double *)y)[i], c = ((const double *)z)[i];            \
            ((double *)to)[i] = becomes;                                                                           \
            (void)a, (void)b, (void)c, (void)s;                                                                    \
        }                                                                                                          \
        SERVET__FENCE();                                                                                           \
    }                                                                                                              \
    return sum;                                                                                                    \
}
SERVET_STREAM_LIST(SERVET__PLAIN_DEF)

/* Assembly.  A set of instructions has a macro for each kernel, which makes one vector: of number n, register v n, w
 * bytes, at p, q, r in arrays a, b, c; put stores it at p.  Registers 0 to 7, and 15 (31 on Arm) as well, begin as s,
 * of LOAD as 0; _END adds them up into io.  _PUT stores as usual, _PAST past the caches.
 * What differs: SERVET__STREAM_LOOP, turns of so many bytes over all blocks, passes times. */
#define SERVET__STREAM_DEF(name, kernel, turn, begin, body, end)                                                   \
SERVET__PRIVATE uint64_t name(void *a, const void *b, const void *c, size_t bytes, size_t passes, double s)        \
{                                                                                                                  \
    union { double s[8]; uint64_t sum[8]; } io;   /* s in, sums out */                                             \
    const size_t size = turn;                                                                                      \
    size_t left;                                                                                                   \
    void *p;                                                                                                       \
    const void *q, *r;                                                                                             \
    int i;                                                                                                         \
    for (i = 0; i < 8; i++) io.s[i] = (int)(kernel) == SERVET_STREAM_LOAD ? 0 : s;                                 \
    __asm__ volatile(begin SERVET__STREAM_LOOP(body) end                                                           \
        : [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [left] "=&r"(left), [passes] "+&r"(passes)                     \
        : [a] "r"(a), [b] "r"(b), [c] "r"(c), [blocks] "r"(bytes / size), [size] SERVET__STREAM_SIZE(size),        \
          [io] "r"(&io)                                                                                            \
        : SERVET__STREAM_CLOBBER);                                                                                 \
    for (i = 1; i < 8; i++) io.sum[0] += io.sum[i];                                                                \
    return (int)(kernel) == SERVET_STREAM_LOAD ? io.sum[0] : 0;                                                    \
}
/* A kernel of a set, and where it writes what it has not read the non-temporal one. */
#define SERVET__STREAM_BOTH(NAME, word, writes, t, turn, SET, v, w)                                                \
    SERVET__STREAM_DEF(servet__##word##_##t, SERVET_STREAM_##NAME, turn, SET##_BEGIN(v, w),                        \
                       SET##_EACH(SET##_##NAME, SET##_PUT, v, w), SET##_END(v, w))                                 \
    SERVET__IF_##writes(SERVET__STREAM_DEF(servet__##word##_nt_##t, SERVET_STREAM_##NAME, turn, SET##_BEGIN(v, w), \
                        SET##_EACH(SET##_##NAME, SET##_PAST, v, w), SERVET__STREAM_DRAIN SET##_END(v, w)))

#if SERVET_HAS(X86_64)
#  define SERVET__STREAM_SIZE(size) "er"(size)
#  define SERVET__STREAM_CLOBBER "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm15"
#  define SERVET__STREAM_DRAIN   "sfence\n\t"
#  define SERVET__STREAM_LOOP(body)                                                                                \
        "1:\n\tmov %[a], %[p]\n\tmov %[b], %[q]\n\tmov %[c], %[r]\n\tmov %[blocks], %[left]\n\t.p2align 5\n"        \
        "2:\n\t" body "add %[size], %[p]\n\tadd %[size], %[q]\n\tadd %[size], %[r]\n\t"                            \
        "dec %[left]\n\tjnz 2b\n\tdec %[passes]\n\tjnz 1b\n\t"
#  define SERVET__SSE_EACH(X, put, v, w) X(v, w, "0", put) X(v, w, "1", put) X(v, w, "2", put) X(v, w, "3", put)    \
                                         X(v, w, "4", put) X(v, w, "5", put) X(v, w, "6", put) X(v, w, "7", put)
#  define SERVET__SSE_BEGIN(v, w) "movups (%[io]), %%xmm15\n\t" SERVET__SSE_EACH(SERVET__SSE_S, , v, w)
#  define SERVET__SSE_END(v, w)   SERVET__SSE_EACH(SERVET__SSE_SUM, , v, w) "movups %%xmm15, (%[io])\n\t"
#  define SERVET__SSE_S(v, w, n, put)      "movaps %%xmm15, %%" v n "\n\t"
#  define SERVET__SSE_SUM(v, w, n, put)    "paddq %%" v n ", %%xmm15\n\t"
#  define SERVET__SSE_PUT(v, w, n)         "movapd %%" v n ", " n "*" w "(%[p])\n\t"
#  define SERVET__SSE_PAST(v, w, n)        "movntpd %%" v n ", " n "*" w "(%[p])\n\t"
#  define SERVET__SSE_TIMES(v, w, n, p)    "movapd " n "*" w "(" p "), %%" v n "\n\tmulpd %%xmm15, %%" v n "\n\t"
#  define SERVET__SSE_LOAD(v, w, n, put)   "paddq " n "*" w "(%[p]), %%" v n "\n\t"
#  define SERVET__SSE_STORE(v, w, n, put)  put(v, w, n)
#  define SERVET__SSE_COPY(v, w, n, put)   "movapd " n "*" w "(%[q]), %%" v n "\n\t" put(v, w, n)
#  define SERVET__SSE_SCALE(v, w, n, put)  SERVET__SSE_TIMES(v, w, n, "%[q]") put(v, w, n)
#  define SERVET__SSE_TRIAD(v, w, n, put)  SERVET__SSE_TIMES(v, w, n, "%[r]")                                       \
                                           "addpd " n "*" w "(%[q]), %%" v n "\n\t" put(v, w, n)
#  define SERVET__SSE_UPDATE(v, w, n, put) SERVET__SSE_TIMES(v, w, n, "%[p]") put(v, w, n)

#  define SERVET__AVX_EACH SERVET__SSE_EACH
#  define SERVET__AVX_BEGIN(v, w) "vbroadcastsd (%[io]), %%" v "15\n\t" SERVET__AVX_EACH(SERVET__AVX_S, , v, w)
#  define SERVET__AVX_END(v, w)   SERVET__AVX_EACH(SERVET__AVX_SUM, , v, w)                                         \
                                  "vmovupd %%" v "15, (%[io])\n\tvzeroupper\n\t"
#  define SERVET__AVX_S(v, w, n, put)      "vmovapd %%" v "15, %%" v n "\n\t"
#  define SERVET__AVX_SUM(v, w, n, put)    "vpaddq %%" v n ", %%" v "15, %%" v "15\n\t"
#  define SERVET__AVX_PUT(v, w, n)         "vmovapd %%" v n ", " n "*" w "(%[p])\n\t"
#  define SERVET__AVX_PAST(v, w, n)        "vmovntpd %%" v n ", " n "*" w "(%[p])\n\t"
#  define SERVET__AVX_TIMES(v, w, n, p)    "vmulpd " n "*" w "(" p "), %%" v "15, %%" v n "\n\t"
#  define SERVET__AVX_LOAD(v, w, n, put)   "vpaddq " n "*" w "(%[p]), %%" v n ", %%" v n "\n\t"
#  define SERVET__AVX_STORE(v, w, n, put)  put(v, w, n)
#  define SERVET__AVX_COPY(v, w, n, put)   "vmovapd " n "*" w "(%[q]), %%" v n "\n\t" put(v, w, n)
#  define SERVET__AVX_SCALE(v, w, n, put)  SERVET__AVX_TIMES(v, w, n, "%[q]") put(v, w, n)
#  define SERVET__AVX_TRIAD(v, w, n, put)  SERVET__AVX_TIMES(v, w, n, "%[r]")                                       \
                                           "vaddpd " n "*" w "(%[q]), %%" v n ", %%" v n "\n\t" put(v, w, n)
#  define SERVET__AVX_UPDATE(v, w, n, put) SERVET__AVX_TIMES(v, w, n, "%[p]") put(v, w, n)

#  define SERVET__DEF_128(NAME, word, arrays, moves, writes, becomes)                                               \
    SERVET__STREAM_BOTH(NAME, word, writes, 128, 8 * 16, SERVET__SSE, "xmm", "16")
#  define SERVET__DEF_256(NAME, word, arrays, moves, writes, becomes)                                               \
    SERVET__STREAM_BOTH(NAME, word, writes, 256, 8 * 32, SERVET__AVX, "ymm", "32")
#  define SERVET__DEF_512(NAME, word, arrays, moves, writes, becomes)                                               \
    SERVET__STREAM_BOTH(NAME, word, writes, 512, 8 * 64, SERVET__AVX, "zmm", "64")
SERVET_STREAM_LIST(SERVET__DEF_128)
SERVET_STREAM_LIST(SERVET__DEF_256)
SERVET_STREAM_LIST(SERVET__DEF_512)
#elif SERVET_HAS(ARM64)
#  define SERVET__STREAM_SIZE(size) "r"(size)
#  define SERVET__STREAM_CLOBBER "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",  \
                                 "v19", "v20", "v21", "v22", "v23", "v31"
#  define SERVET__STREAM_DRAIN   ""
#  define SERVET__STREAM_LOOP(body)                                                                                \
        "1:\n\tmov %[p], %[a]\n\tmov %[q], %[b]\n\tmov %[r], %[c]\n\tmov %[left], %[blocks]\n\t.p2align 5\n"        \
        "2:\n\t" body "add %[p], %[p], %[size]\n\tadd %[q], %[q], %[size]\n\tadd %[r], %[r], %[size]\n\t"           \
        "subs %[left], %[left], #1\n\tb.ne 2b\n\tsubs %[passes], %[passes], #1\n\tb.ne 1b\n\t"
/* Pairs of vectors: i and j are their numbers, k and l those of helpers, o their place. */
#  define SERVET__NEON_EACH(X, put, v, w) X("0", "1", "16", "17", "0", put) X("2", "3", "18", "19", "32", put)      \
                                          X("4", "5", "20", "21", "64", put) X("6", "7", "22", "23", "96", put)
#  define SERVET__NEON_BEGIN(v, w) "ld1r {v31.2d}, [%[io]]\n\t" SERVET__NEON_EACH(SERVET__NEON_S, , v, w)
#  define SERVET__NEON_END(v, w)   SERVET__NEON_EACH(SERVET__NEON_SUM, , v, w) "str q31, [%[io]]\n\t"
#  define SERVET__NEON_S(i, j, k, l, o, put)   "mov v" i ".16b, v31.16b\n\tmov v" j ".16b, v31.16b\n\t"
#  define SERVET__NEON_SUM(i, j, k, l, o, put) "add v31.2d, v31.2d, v" i ".2d\n\tadd v31.2d, v31.2d, v" j ".2d\n\t"
#  define SERVET__NEON_PUT(i, j, o)    "stp q" i ", q" j ", [%[p], #" o "]\n\t"
#  define SERVET__NEON_PAST(i, j, o)   "stnp q" i ", q" j ", [%[p], #" o "]\n\t"
#  define SERVET__NEON_GET(i, j, p, o) "ldp q" i ", q" j ", [" p ", #" o "]\n\t"
#  define SERVET__NEON_TIMES(i, j, p, o) SERVET__NEON_GET(i, j, p, o)                                               \
                                  "fmul v" i ".2d, v" i ".2d, v31.2d\n\tfmul v" j ".2d, v" j ".2d, v31.2d\n\t"
#  define SERVET__NEON_LOAD(i, j, k, l, o, put)   SERVET__NEON_GET(k, l, "%[p]", o)                                 \
                                  "add v" i ".2d, v" i ".2d, v" k ".2d\n\tadd v" j ".2d, v" j ".2d, v" l ".2d\n\t"
#  define SERVET__NEON_STORE(i, j, k, l, o, put)  put(i, j, o)
#  define SERVET__NEON_COPY(i, j, k, l, o, put)   SERVET__NEON_GET(i, j, "%[q]", o) put(i, j, o)
#  define SERVET__NEON_SCALE(i, j, k, l, o, put)  SERVET__NEON_TIMES(i, j, "%[q]", o) put(i, j, o)
#  define SERVET__NEON_TRIAD(i, j, k, l, o, put)  SERVET__NEON_GET(i, j, "%[q]", o) SERVET__NEON_GET(k, l, "%[r]", o) \
            "fmla v" i ".2d, v" k ".2d, v31.2d\n\tfmla v" j ".2d, v" l ".2d, v31.2d\n\t" put(i, j, o)
#  define SERVET__NEON_UPDATE(i, j, k, l, o, put) SERVET__NEON_TIMES(i, j, "%[p]", o) put(i, j, o)
#  define SERVET__DEF_128(NAME, word, arrays, moves, writes, becomes)                                               \
    SERVET__STREAM_BOTH(NAME, word, writes, 128, 128, SERVET__NEON, , )
SERVET_STREAM_LIST(SERVET__DEF_128)
#endif

#if SERVET_HAS(SVE)
#  undef SERVET__STREAM_CLOBBER
#  define SERVET__STREAM_CLOBBER "memory", "cc", "p0", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z16", "z31"
#  define SERVET__SVE_EACH(X, put, v, w) X("0", put) X("1", put) X("2", put) X("3", put)                            \
                                         X("4", put) X("5", put) X("6", put) X("7", put)
#  define SERVET__SVE_BEGIN(v, w) "ptrue p0.d\n\tld1rd {z31.d}, p0/z, [%[io]]\n\t"                              \
                                  SERVET__SVE_EACH(SERVET__SVE_S, , v, w)
#  define SERVET__SVE_END(v, w)   SERVET__SVE_EACH(SERVET__SVE_SUM, , v, w)                                        \
                                  "uaddv d31, p0, z31.d\n\tstr d31, [%[io]]\n\t"
#  define SERVET__SVE_S(n, put)      "mov z" n ".d, z31.d\n\t"
#  define SERVET__SVE_SUM(n, put)    "add z31.d, z31.d, z" n ".d\n\t"
#  define SERVET__SVE_AT(p, n)       "[" p ", #" n ", mul vl]\n\t"
#  define SERVET__SVE_PUT(n)         "st1d {z" n ".d}, p0, " SERVET__SVE_AT("%[p]", n)
#  define SERVET__SVE_PAST(n)        "stnt1d {z" n ".d}, p0, " SERVET__SVE_AT("%[p]", n)
#  define SERVET__SVE_GET(n, p, at)  "ld1d {z" n ".d}, p0/z, " SERVET__SVE_AT(p, at)
#  define SERVET__SVE_TIMES(n, p)    SERVET__SVE_GET(n, p, n) "fmul z" n ".d, z" n ".d, z31.d\n\t"
#  define SERVET__SVE_LOAD(n, put)   SERVET__SVE_GET("16", "%[p]", n) "add z" n ".d, z" n ".d, z16.d\n\t"
#  define SERVET__SVE_STORE(n, put)  put(n)
#  define SERVET__SVE_COPY(n, put)   SERVET__SVE_GET(n, "%[q]", n) put(n)
#  define SERVET__SVE_SCALE(n, put)  SERVET__SVE_TIMES(n, "%[q]") put(n)
#  define SERVET__SVE_TRIAD(n, put)  SERVET__SVE_GET(n, "%[q]", n) SERVET__SVE_GET("16", "%[r]", n)                \
                                     "fmla z" n ".d, p0/m, z16.d, z31.d\n\t" put(n)
#  define SERVET__SVE_UPDATE(n, put) SERVET__SVE_TIMES(n, "%[p]") put(n)
SERVET__PRIVATE size_t servet__sve_bytes(void)
{
    size_t bytes;
    __asm__("rdvl %0, #1" : "=r"(bytes));
    return bytes;
}
#  define SERVET__DEF_SVE(NAME, word, arrays, moves, writes, becomes)                                               \
    SERVET__STREAM_BOTH(NAME, word, writes, sve, 8 * servet__sve_bytes(), SERVET__SVE, , )
SERVET_STREAM_LIST(SERVET__DEF_SVE)
#endif

SERVET__PRIVATE int servet__vector_widest(void)
{
#if SERVET_HAS(X86_64)
    enum { SERVET__OSXSAVE = 1 << 27, SERVET__AVX2 = 1 << 5, SERVET__AVX512F = 1 << 16, SERVET__YMM = 0x6,
          SERVET__ZMM = 0xe6 };
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SERVET__OSXSAVE)) return SERVET_VECTOR_128;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));   /* the registers that the system saves */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & SERVET__AVX2)
        || (saved & SERVET__YMM) != SERVET__YMM) return SERVET_VECTOR_128;
    return (b & SERVET__AVX512F) && (saved & SERVET__ZMM) == SERVET__ZMM ? SERVET_VECTOR_512 : SERVET_VECTOR_256;
#elif SERVET_HAS(SVE)
    return SERVET_VECTOR_SCALABLE;
#elif SERVET_HAS(ARM64)
    return SERVET_VECTOR_128;
#else
    return SERVET_VECTOR_PLAIN;
#endif
}

/* The kernel for a stream, NULL where there is none. */
SERVET__PRIVATE servet__kernel *servet__stream_kernel(int kernel, int streaming, int vector)
{
#define SERVET__KERNELS(word, writes, t) { servet__##word##_##t, SERVET__IF_##writes(servet__##word##_nt_##t) },
#define SERVET__AT_PLAIN(NAME, word, arrays, moves, writes, becomes) { servet__##word##_plain, NULL },
#define SERVET__AT_128(NAME, word, arrays, moves, writes, becomes) SERVET__KERNELS(word, writes, 128)
#define SERVET__AT_256(NAME, word, arrays, moves, writes, becomes) SERVET__KERNELS(word, writes, 256)
#define SERVET__AT_512(NAME, word, arrays, moves, writes, becomes) SERVET__KERNELS(word, writes, 512)
#define SERVET__AT_SVE(NAME, word, arrays, moves, writes, becomes) SERVET__KERNELS(word, writes, sve)
    static servet__kernel *const table[5][SERVET_STREAM_KERNELS][2] = {    /* by vector, as far as there are some */
        { SERVET_STREAM_LIST(SERVET__AT_PLAIN) },
#if SERVET_HAS(X86_64)
        { SERVET_STREAM_LIST(SERVET__AT_128) }, { SERVET_STREAM_LIST(SERVET__AT_256) },
        { SERVET_STREAM_LIST(SERVET__AT_512) },
#elif SERVET_HAS(ARM64)
        { SERVET_STREAM_LIST(SERVET__AT_128) },
#endif
#if SERVET_HAS(SVE)
        { { NULL } }, { { NULL } }, { SERVET_STREAM_LIST(SERVET__AT_SVE) }
#endif
    };
    return table[vector - SERVET_VECTOR_PLAIN][kernel][streaming];
}

/* Reference chains just below the usual first-level sizes: the one that fills most of the first level of the
 * machine at hand jumps when someone else uses that cache, and all slow down when someone shares the core. */
enum { SERVET__REFERENCES = 4 };
static const int servet__reference_kib[SERVET__REFERENCES] = { 12, 28, 44, 60 };

SERVET__PRIVATE size_t servet__reference_n(const servet_rig *r, int i)
{
    return (size_t)servet__reference_kib[i] * 1024 / (size_t)r->line_bytes;
}

/* Time of one of many dependent additions, ns. */
SERVET__PRIVATE double servet__add_ns(const servet_timer *t)
{
    enum { SERVET__TURNS = 512 };
    const uint64_t from = servet_timer_start(t);
    servet__add_chain(SERVET__TURNS);
    return servet_timer_ns(t, from, servet_timer_stop(t)) / (16.0 * (int)SERVET__TURNS);
}

SERVET__PRIVATE double servet__rig_timed(const servet_rig *r, void **p, size_t steps)
{
    const uint64_t from = servet_timer_start(&r->timer);
    *p = servet__walk(*p, steps);
    return servet_timer_ns(&r->timer, from, servet_timer_stop(&r->timer)) / (double)steps;
}

/* Cycles per load over all reference chains, each walked once to warm it and once timed, into so many samples that
 * are taken beside it: before and after, of which the slower counts.  In cycles, by additions timed beside them, so
 * that a change of frequency is not taken for a neighbour. */
SERVET__PRIVATE void servet__rig_reference(servet_rig *r, servet_sample *s, size_t samples)
{
    double ns = 0, n = 0, add_ns = HUGE_VAL, cycles;
    size_t k;
    int i;
    for (i = 0; i < SERVET__REFERENCES; i++) {
        const size_t steps = servet__reference_n(r, i);
        /* The least of several counts: one that an interrupt delayed would make the loads seem faster than they can
         * be, and all others disturbed beside it. */
        add_ns = servet__min(add_ns, servet__add_ns(&r->timer));
        r->reference[i] = servet__walk(r->reference[i], steps);
        ns += servet__rig_timed(r, &r->reference[i], steps) * (double)steps;
        n += (double)steps;
    }
    cycles = add_ns > 0 ? ns / n / add_ns : 0;
    for (k = 0; k < samples; k++) s[k].anchor_cycles = servet__max(s[k].anchor_cycles, cycles);
}

/* SERVET_NOISE_STEAL if the hypervisor took time since this was asked last; it counts in hundredths of a second. */
SERVET__PRIVATE unsigned servet__rig_stolen(servet_rig *r)
{
    unsigned flags = 0;
    if (servet__clock_ns() * 1e-9 - r->steal_read_s > 0.01) {
        const int64_t ticks = servet__steal_ticks();
        if (ticks > r->steal_ticks) flags = SERVET_NOISE_STEAL;
        r->steal_ticks = ticks;
        r->steal_read_s = servet__clock_ns() * 1e-9;
    }
    return flags;
}

/* How long a sample takes at least, which usually takes so many ns. */
SERVET__PRIVATE double servet__rig_least_ns(const servet_rig *r, double usual_ns, double effort)
{
    return servet__max(r->timer.min_block_ns, usual_ns * r->effort * (effort > 0 ? effort : 1));
}

/* The frame of a callback that has several CPUs at work.  Each runs the callback's part as a worker, with what all
 * share in call, and samples of its own. */
typedef struct servet__worker servet__worker;
typedef int servet__part(servet__worker *w);    /* returns a status */
struct servet__worker {
    servet_rig   rig;           /* a copy: places in the reference chains, pages and order are its own */
    servet_team *team;
    size_t       arrived;       /* at barriers                                                       */
    int          index;
    servet__part *part;
    void        *call, *own;    /* of all workers; what the part keeps                               */
    servet_sample *sample;
    size_t       turn;          /* samples taken                                                     */
};

SERVET__PRIVATE int servet__worker_run(servet_team *team, void *arg)
{
    servet__worker *w = (servet__worker *)arg;
    w->team = team;
    return w->part(w);
}

/* Has each CPU do its part: the rig's own CPU alone, or one where none can be bound, on the thread there is.
 *   each, out   so many samples of each CPU, those of the first CPU first; to be freed */
SERVET__PRIVATE int servet__rig_run(servet_sample **out, servet_rig *r, const int *cpu, int cpus, size_t each,
                                    servet__part *part, void *call)
{
    const size_t workers = (size_t)cpus;
    servet__worker *w = (servet__worker *)calloc(workers, sizeof *w);
    servet_sample *sample = (servet_sample *)calloc(workers * each, sizeof *sample);
    int status = w && sample ? SERVET_OK : (int)SERVET_ENOMEM;
    unsigned stolen;
    size_t k;
    for (k = 0; status >= 0 && k < workers; k++) {
        w[k].rig = *r;
        w[k].index = (int)k;
        w[k].part = part;
        w[k].call = call;
        w[k].sample = sample + k * each;
    }
    if (status >= 0 && cpus == 1 && (!cpu || !r->pinned || cpu[0] == r->cpu)) {
        servet_team alone;
        memset(&alone, 0, sizeof alone);
        alone.threads = 1;
        status = servet__worker_run(&alone, w);
    } else if (status >= 0 && !r->pinned) status = SERVET_EUNSUPPORTED;
    else if (status >= 0) {
        const double idle_ns = servet__clock_ns() - servet__thread_ns();
        status = servet_team_run(cpu, cpus, &r->saved, servet__worker_run, w, sizeof *w);
        r->waited_ns += servet__clock_ns() - servet__thread_ns() - idle_ns;
    }
    stolen = servet__rig_stolen(r);
    for (k = 0; status >= 0 && k < workers * each; k++) sample[k].flags |= stolen;
    free(w);
    if (status < 0) {
        free(sample);
        sample = NULL;
    }
    *out = sample;
    return status;
}

/* Samples of all items in each round, those of the first round first; each round begins with another item, as one may
 * leave something in the caches to the next.  timed: ns, once all have met. */
SERVET__PRIVATE int servet__worker_rounds(servet__worker *w, int rounds, int items,
                                          double (*timed)(servet__worker *w, int item))
{
    int round, i;
    for (round = 0; round < rounds; round++)
        for (i = 0; i < items; i++, w->turn++) {
            const int item = (i + round) % items;
            servet_sample *s = &w->sample[round * items + item];
            const servet__noise before = servet__noise_read();
            s->ns = timed(w, item);
            s->flags |= servet__noise_flags(&before);
            if (servet__team_failed(w->team)) return servet__team_failed(w->team);
        }
    return SERVET_OK;
}

/* Adds what disturbed another CPU of the same sample. */
SERVET__PRIVATE void servet__sample_join(servet_sample *s, const servet_sample *other)
{
    s->anchor_cycles = servet__max(s->anchor_cycles, other->anchor_cycles);
    s->flags |= other->flags;
}

/* Is what requests have in common in range? */
SERVET__PRIVATE int servet__rig_takes(const int *cpu, int cpus, int rounds, double effort)
{
    return cpus >= 1 && cpus <= 64 * SERVET_CPU_WORDS && (cpu || cpus == 1) && rounds >= 0
        && rounds <= SERVET_SAMPLES_MAX && effort >= 0 && effort <= 100;
}

enum { SERVET__RIG_UNIT = 1024 };    /* bytes: the smallest unit in which pages may be asked for */

/* Chases side by side, one a CPU.  Their pages are drawn for all at once, so that one CPU and several meet the same
 * chances. */
typedef struct servet__chases {
    const size_t *n;            /* elements of the k-th: n[k x step]                                 */
    int      step;              /* 0 = all the same                                                  */
    servet_chase_opts opts;     /* resolved                                                          */
    const servet_parallel *what;    /* chains, if so it is                                           */
} servet__chases;

/* Bytes of the lists for chases over so much memory: the order; the pages drawn, behind the reference chains. */
SERVET__PRIVATE size_t servet__rig_order_bytes(const servet_rig *r, size_t bytes)
{
    return bytes / (size_t)r->line_bytes * sizeof(uint32_t);
}

SERVET__PRIVATE size_t servet__rig_draw_bytes(size_t bytes)
{
    size_t all = bytes / SERVET__RIG_UNIT * sizeof(uint32_t);
    int i;
    for (i = 0; i < SERVET__REFERENCES; i++) all += (size_t)servet__reference_kib[i] * 1024;
    return all;
}

/* Memory for a chase beyond what there is, as far as addresses are reserved.  The lists first: they never cover less
 * than the region. */
SERVET__PRIVATE int servet__rig_grow(servet_rig *r, double bytes)
{
    const size_t page = r->region.page_bytes;
    size_t all;
    int status;
    if (bytes <= (double)r->region.bytes || bytes > (double)r->room) return SERVET_OK;
    all = ((size_t)bytes + page - 1) / page * page;
    status = servet__machine_grow(&r->orders, servet__rig_order_bytes(r, all));
    if (status >= 0) status = servet__machine_grow(&r->draws, servet__rig_draw_bytes(all));
    return status < 0 ? status : servet__machine_grow(&r->region, all);
}

/* Draws the pages of all into r->page: a random subset of a window four times as large, so that placements differ
 * from draw to draw and the window's own translations stay few. */
SERVET__PRIVATE int servet__chases_draw(servet_rig *r, const servet__chases *c, int cpus)
{
    const size_t page_bytes = (size_t)c->opts.page_bytes, least = ((size_t)8 << 20) / page_bytes;
    const int contiguous = c->opts.in_place || c->opts.pattern == SERVET_CHASE_STRIDE;
    uint64_t seed = c->opts.seed ^ r->seed;
    double most_pages = 0, elements = 0;
    size_t all, pages, window, from, i;
    int k;
    for (k = 0; k < cpus; k++) {
        const size_t n = c->n[k * c->step];
        if (n < (size_t)c->opts.chains) return SERVET_EINVAL;
        most_pages += (double)servet__chase_pages(n, &c->opts);
        elements += (double)n;
    }
    if (cpus == 1) {
        const int status = servet__rig_grow(r, servet__max(most_pages * (double)page_bytes, elements * r->line_bytes));
        if (status < 0) return status;
    }
    all = r->region.bytes / page_bytes;
    if (most_pages > (double)all || elements * r->line_bytes > (double)r->region.bytes
        || page_bytes < SERVET__RIG_UNIT) return SERVET_EINVAL;
    pages = (size_t)most_pages;
    window = contiguous ? pages : 4 * pages;
    if (!contiguous && window < least) window = least;
    if (window > all) window = all;
    from = servet_stats_random_below(&seed, all - window + 1);
    for (i = 0; i < window; i++) r->page[i] = (uint32_t)(from + i);
    for (i = 0; !contiguous && i < pages; i++) {
        const size_t j = i + servet_stats_random_below(&seed, window - i);
        const uint32_t t = r->page[i];
        r->page[i] = r->page[j];
        r->page[j] = t;
    }
    return SERVET_OK;
}

/* Builds the chase of the k-th CPU, whose pages and order are behind those of the CPUs before it. */
SERVET__PRIVATE int servet__chases_build(servet_chase *out, servet_rig *r, const servet__chases *c, int k)
{
    servet_chase_opts o = c->opts;
    int j;
    for (j = 0; j < k; j++) {
        r->page += servet__chase_pages(c->n[j * c->step], &o);
        r->order += c->n[j * c->step];
    }
    o.seed += (uint64_t)k;
    return servet_chase_build(out, r->region.base, r->page, c->n[k * c->step], r->order, &o);
}

/* A chase at work. */
enum { SERVET__PASSES = 3 };
typedef struct servet__pace {
    double pass[SERVET__PASSES];
    size_t passes, wanted;      /* taken, and how many there are to be                               */
    size_t steps;               /* of each                                                           */
    void  *p;                   /* how far it has come                                               */
} servet__pace;

/* Warms a chase of which r->order is the order, and decides how it is timed: a cycle that is quickly walked is walked
 * whole, several times; a long one in parts that follow each other, each line having been visited one cycle ago.
 * Building made the lines dirty, and it takes a few visits in the cycle's order until all are written back and every
 * cache keeps what it will go on keeping (on a core of 2023 a second level's misses fell by a third from the second to
 * the eighth).  The first by loads that do not wait for each other: it brings in what fits, and of a cache shared with
 * other programs more than a chase can hold, which the slow walk after it gives back. */
SERVET__PRIVATE void servet__rig_warm(servet_rig *r, servet__pace *c, const servet_chase *chase)
{
    const size_t n = chase->n;
    const double least_ns = servet__rig_least_ns(r, 60e3, chase->opts.effort);
    const double most_ns = servet__rig_least_ns(r, 2e6, chase->opts.effort);
    void *p = chase->entry[0], *sink = p;
    double guess;
    size_t i;
    memset(c, 0, sizeof *c);
    for (i = 0; i < n; i++)
        sink = *(void *volatile *)(void *)(r->region.base + r->order[i] * (size_t)chase->opts.line_bytes);
    SERVET__KEEP(sink);
    guess = servet__max(servet__rig_timed(r, &p, n < 4096 ? n : 4096), 0.05);
    p = servet__walk(p, (size_t)servet__min(6.0 * (double)n, 8 * most_ns / guess));
    guess = servet__rig_timed(r, &p, n < 2048 ? 2048 / n * n : n <= 65536 ? n : 4096);
    if (n >= 2048 && n <= 65536) c->pass[c->passes++] = guess;
    guess = servet__max(guess, 0.05) * (double)n;    /* ns of a cycle */
    if (guess > most_ns) c->steps = (size_t)(most_ns / guess * (double)n) + 1;
    else c->steps = n * (size_t)ceil(least_ns / guess);
    if (c->steps != n) c->passes = 0;    /* the guess was shorter or longer than what counts */
    c->wanted = guess > 3 * least_ns ? 2 : SERVET__PASSES;
    c->p = p;
}

/* The latency: lower quartile over the passes. */
SERVET__PRIVATE double servet__rig_passes(const servet_rig *r, servet__pace *c)
{
    while (c->passes < c->wanted) c->pass[c->passes++] = servet__rig_timed(r, &c->p, c->steps);
    servet_stats_sort(c->pass, c->passes);
    return servet_stats_quantile(c->pass, c->passes, 0.25);
}

/* The chase callback of this machine. */
SERVET__PRIVATE int servet__rig_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet__chases c;
    servet_chase chase;
    servet__pace pace;
    servet__noise before;
    servet_sample s;
    int status;
    memset(&c, 0, sizeof c);
    memset(&s, 0, sizeof s);
    c.n = &n;
    status = servet__chase_resolve(&c.opts, opts);
    if (status >= 0) status = servet__chases_draw(r, &c, 1);
    if (status >= 0) status = servet__chases_build(&chase, r, &c, 0);
    if (status < 0) return status;
    before = servet__noise_read();
    servet__rig_reference(r, &s, 1);
    servet__rig_warm(r, &pace, &chase);
    s.ns = servet__rig_passes(r, &pace);
    servet__rig_reference(r, &s, 1);
    s.flags |= servet__noise_flags(&before);
    s.flags |= servet__rig_stolen(r);
    *out = s;
    return SERVET_OK;
}

/* Walks on until all have come here: none waits idly beside others that chase.  A status. */
SERVET__PRIVATE int servet__together_walk(servet__worker *w, servet__pace *pace)
{
    enum { SERVET__STEPS = 1024 };
    servet__team_arrive(w->team, &w->arrived);
    do pace->p = servet__walk(pace->p, SERVET__STEPS);
    while (!servet__team_complete(w->team, w->arrived));
    return servet__team_failed(w->team);
}

/* A CPU builds its cycle itself, so that the lines are in its own caches. */
SERVET__PRIVATE int servet__together_part(servet__worker *w)
{
    servet__pace pace;
    servet_chase chase;
    servet__noise before;
    int status = servet__chases_build(&chase, &w->rig, (const servet__chases *)w->call, w->index);
    if (status < 0) return status;
    servet__rig_reference(&w->rig, w->sample, 1);
    servet__rig_warm(&w->rig, &pace, &chase);
    if ((status = servet__together_walk(w, &pace)) < 0) return status;
    pace.passes = 0;    /* that of the warming was taken beside others that may have been building */
    before = servet__noise_read();
    pace.p = servet__walk(pace.p, 1024);
    w->sample->ns = servet__rig_passes(&w->rig, &pace);
    w->sample->flags |= servet__noise_flags(&before);
    status = servet__together_walk(w, &pace);
    servet__rig_reference(&w->rig, w->sample, 1);
    return status;
}

/* The together callback of this machine. */
SERVET__PRIVATE int servet__rig_together(void *ctx, const int *cpu, int cpus, const size_t *n,
                                         const servet_chase_opts *opts, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet__chases c;
    servet_sample *sample;
    int status;
    if (!cpu || !n || !out || !servet__rig_takes(cpu, cpus, 0, 0)) return SERVET_EINVAL;
    memset(&c, 0, sizeof c);
    c.n = n;
    c.step = 1;
    status = servet__chase_resolve(&c.opts, opts);
    if (status >= 0) status = servet__chases_draw(r, &c, cpus);
    if (status >= 0) status = servet__rig_run(&sample, r, cpu, cpus, 1, servet__together_part, &c);
    if (status < 0) return status;
    memcpy(out, sample, (size_t)cpus * sizeof *out);
    free(sample);
    return SERVET_OK;
}

/* Links places to a ring, of which chains begin evenly along it; EINVAL where one lies beyond. */
SERVET__PRIVATE int servet__track_build(void **entry, int chains, const servet_region *region, const uint32_t *place,
                                        size_t n)
{
    const size_t all = region->bytes / SERVET_PLACE_BYTES;
    size_t i;
    for (i = 0; i < n; i++) if (place[i] >= all) return SERVET_EINVAL;
    servet__chase_link(entry, chains, (char *)region->base, place, n, SERVET_PLACE_BYTES);
    return SERVET_OK;
}

/* Each reading by itself, of parts.  What lies between is walked by several chains at once, which nobody waits for;
 * their ends overlap rather than leave something out.  What this touches takes entries of the TLBs that are counted: a
 * page of the stack, which is why it is not inlined into a larger frame, and the readings. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
SERVET__PRIVATE int servet__rig_raw(double *ns, servet_timer timer, const servet_region *region, const servet_track *t)
{
    enum { SERVET__CHAINS = 8 };
    const size_t steps = t->n / (size_t)t->parts;
    const int parts = t->parts, repeats = t->repeats, passes = t->between_passes;
    const int chains = !t->between_n ? 0 : t->between_n < SERVET__CHAINS ? 1 : SERVET__CHAINS;
    const size_t many = chains ? t->between_n / (size_t)chains + 1 : 0;
    int j, k;
    void *p, *between[SERVET__CHAINS];
    if (t->place && servet__track_build(&p, 1, region, t->place, t->n) < 0) return SERVET_EINVAL;
    if (chains && servet__track_build(between, chains, region, t->between, t->between_n) < 0) return SERVET_EINVAL;
    if (t->place) {    /* the lists that were read to build the chains leave first */
        if (chains) servet_chase_walk_many(between, chains, many);
        p = servet__walk(p, t->n);
    }
    for (k = 0; k < repeats; k++) {
        if (chains) servet_chase_walk_many(between, chains, (size_t)passes * many);
        for (j = 0; j < parts; j++) {
            uint64_t from;
            if (!t->place) {
                const uint32_t *place = t->between + servet__chase_place(t->between_n, parts, j);
                p = servet__walk(region->base + (size_t)place[0] * SERVET_PLACE_BYTES, 1);
                p = region->base + (size_t)place[1 + t->skip] * SERVET_PLACE_BYTES;
            }
            from = servet_timer_start(&timer);
            p = servet__walk(p, steps);
            *ns++ = (double)(servet_timer_stop(&timer) - from) * timer.ns_per_tick / (double)steps;
        }
    }
    return SERVET_OK;
}

/* Pages of SERVET_PAGES_ALIAS: a file of no name, mapped again and again.  Its frames are taken in random order, as an
 * entry of a TLB may hold several pages whose frames follow each other.  EUNSUPPORTED where there are no such files. */
SERVET__PRIVATE int servet__rig_alias(servet_region *out)
{
#if SERVET_HAS(LINUX) && defined(SYS_memfd_create)
    uint32_t frame[SERVET_ALIAS_FRAMES];
    const long page = sysconf(_SC_PAGESIZE);
    const size_t page_bytes = page > 0 ? (size_t)page : 4096, file_bytes = page_bytes * SERVET_ALIAS_FRAMES;
    uint64_t seed = 0;
    servet_region r;
    size_t at;
    int file;
    memset(&r, 0, sizeof r);
    r.asked = SERVET_PAGES_ALIAS;
    r.page_bytes = page_bytes;
    r.bytes = r.map_bytes = page_bytes * SERVET_ALIAS_PAGES;
    file = (int)syscall(SYS_memfd_create, "servet", 1u /* MFD_CLOEXEC */);
    if (file < 0) return SERVET_EUNSUPPORTED;
    r.map = ftruncate(file, (off_t)file_bytes) < 0 ? MAP_FAILED
          : mmap(NULL, r.map_bytes, PROT_NONE, MAP_PRIVATE | SERVET__MAP_ANON, -1, 0);
    r.base = (unsigned char *)r.map;
    for (at = 0; r.map != MAP_FAILED && at < r.bytes; at += file_bytes)
        if (mmap(r.base + at, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) break;
    close(file);
    if (r.map == MAP_FAILED) return SERVET_ENOMEM;
    if (at < r.bytes) {
        servet_machine_unmap(&r);
        return SERVET_ENOMEM;
    }
    for (at = 0; at < SERVET_ALIAS_FRAMES; at++) frame[at] = (uint32_t)at;
    servet__shuffle(frame, SERVET_ALIAS_FRAMES, &seed);
    for (at = 0; at < SERVET_ALIAS_FRAMES; at++) r.base[frame[at] * page_bytes] = 0;
    for (at = 0; at < r.bytes; at += page_bytes) (void)*(volatile unsigned char *)(r.base + at);    /* page tables */
    *out = r;
    return SERVET_OK;
#else
    (void)out;
    return SERVET_EUNSUPPORTED;
#endif
}

/* As servet__rig_raw, in pages that alias: chains of as many pages have no room in so few frames.  All memory there is
 * 0; what one load gives is added to the address of the next, so that each needs the one before. */
SERVET__PRIVATE int servet__rig_aliased(double *ns, servet_timer timer, const servet_region *region,
                                        const servet_track *t)
{
    const size_t steps = t->n / (size_t)t->parts, all = region->bytes / SERVET_PLACE_BYTES;
    const volatile uint64_t *base = (const volatile uint64_t *)(const void *)region->base;
    uint64_t zero = 0;
    size_t i;
    int j, k, pass;
    for (i = 0; i < t->n; i++) if (t->place[i] >= all) return SERVET_EINVAL;
    for (i = 0; i < t->between_n; i++) if (t->between[i] >= all) return SERVET_EINVAL;
    for (k = 0; k < t->repeats; k++) {
        for (pass = 0; pass < t->between_passes; pass++)
            for (i = 0; i < t->between_n; i++) zero |= base[t->between[i]];
        for (j = 0; j < t->parts; j++) {
            const volatile uint32_t *place = t->place + (size_t)j * steps;
            uint64_t from;
            for (i = 0; i < steps; i += 16) zero |= place[i] & base[0];    /* the list itself is near */
            from = servet_timer_start(&timer);
            for (i = 0; i < steps; i++) zero = base[place[i] + zero];
            *ns++ = (double)(servet_timer_stop(&timer) - from) * timer.ns_per_tick / (double)steps;
        }
    }
    return zero == 0 ? SERVET_OK : SERVET_EIO;
}

/* A cycle as a chase times it: as often around as the timer needs; lower quartile over the repeats. */
SERVET__PRIVATE int servet__rig_cycle(double *ns, const servet_rig *r, const servet_region *region,
                                      const servet_track *t)
{
    double pass[SERVET_TRACK_REPEATS], guess;
    size_t steps;
    void *p;
    int k;
    if (servet__track_build(&p, 1, region, t->place, t->n) < 0) return SERVET_EINVAL;
    p = servet__walk(p, 4 * t->n);
    guess = servet__rig_timed(r, &p, t->n < 2048 ? (2048 + t->n - 1) / t->n * t->n : t->n);
    steps = t->n * (size_t)ceil(servet__rig_least_ns(r, 30e3, 1) / (servet__max(guess, 0.05) * (double)t->n));
    for (k = 0; k < t->repeats; k++) pass[k] = servet__rig_timed(r, &p, steps);
    servet_stats_sort(pass, (size_t)t->repeats);
    *ns = servet_stats_quantile(pass, (size_t)t->repeats, 0.25);
    return SERVET_OK;
}

/* The memory a track lies in, mapped when it is first asked for.  Tracks touch small pages in their own random order:
 * frames that followed pages could share an entry of a TLB that joins neighbours, and only what is used is paid for. */
SERVET__PRIVATE int servet__track_region(servet_region **out, servet_rig *r, int pages)
{
    *out = pages == SERVET_PAGES_ALIAS ? &r->alias : pages == SERVET_PAGES_SMALL ? &r->small : &r->region;
    if ((*out)->base) return SERVET_OK;
    return pages == SERVET_PAGES_ALIAS ? servet__rig_alias(*out)
                                       : servet__machine_map(*out, r->least, SERVET_PAGES_SMALL, 0);
}

/* The track callback of this machine. */
SERVET__PRIVATE int servet__rig_track(void *ctx, const servet_track *track, double *ns, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet_region *region;
    servet_track t;
    servet__noise before;
    servet_sample s;
    int status;
    if (servet__track_resolve(&t, track) < 0 || !ns || !out) return SERVET_EINVAL;
    if ((status = servet__track_region(&region, r, t.pages)) < 0) return status;
    memset(&s, 0, sizeof s);
    if (t.raw && t.place)    /* a short question: nothing beside it */
        status = t.pages == SERVET_PAGES_ALIAS ? servet__rig_aliased(ns, r->timer, region, &t)
                                               : servet__rig_raw(ns, r->timer, region, &t);
    else {
        before = servet__noise_read();
        servet__rig_reference(r, &s, 1);
        status = t.raw ? servet__rig_raw(ns, r->timer, region, &t) : servet__rig_cycle(ns, r, region, &t);
        servet__rig_reference(r, &s, 1);
        s.flags |= servet__noise_flags(&before);
        if (!t.raw) s.ns = ns[0];
    }
    if (status >= 0) *out = s;
    return status;
}

/* What the words of the arrays are, by their place among 64: short fractions, of which all results are exact. */
typedef struct servet__stream_words { double a[64], b[64], c[64], want[64]; } servet__stream_words;

enum { SERVET__STREAM_PIECE = 16384, SERVET__STREAM_ALIGN = 4096, SERVET__STREAM_SMALL = 65536 };

/* Arrays of a kernel in so many bytes from base.  Each begins two lines behind the place in a page where the one before
 * did: a core that compares 12 bits of addresses never takes a load for one of what was just stored, and loads of two
 * arrays are not of the same bank. */
typedef struct servet__stream_arrays {
    unsigned char *a, *b, *c;
    size_t bytes;               /* of each                                                           */
    double s, moved;            /* constant; bytes loaded and stored in a pass                        */
} servet__stream_arrays;

SERVET__PRIVATE servet__stream_arrays servet__stream_place(unsigned char *base, double bytes, int kernel)
{
    enum { SERVET__APART = 128 };
    servet__stream_arrays x;
    size_t unit = SERVET_STREAM_BYTES, step;
    if (!(bytes < (double)SERVET__STREAM_SMALL)) {
        unit = SERVET__STREAM_ALIGN;
        bytes -= (servet__stream_kind[kernel].arrays - 1) * (double)SERVET__APART;
    }
    x.bytes = (size_t)(bytes / servet__stream_kind[kernel].arrays) / unit * unit;
    if (x.bytes < SERVET_STREAM_BYTES) x.bytes = SERVET_STREAM_BYTES;
    step = (x.bytes + SERVET__STREAM_ALIGN - 1) / SERVET__STREAM_ALIGN * SERVET__STREAM_ALIGN + (size_t)SERVET__APART;
    x.a = base;
    x.b = servet__stream_kind[kernel].arrays > 1 ? base + step : base;
    x.c = servet__stream_kind[kernel].arrays > 2 ? base + 2 * step : base;
    x.s = kernel == SERVET_STREAM_UPDATE ? -1 : 3;
    x.moved = (double)servet__stream_kind[kernel].moves * (double)x.bytes;
    return x;
}

/* Writes the arrays anew. */
SERVET__PRIVATE void servet__stream_fill(const servet__stream_arrays *x, servet__stream_words *w)
{
    double *a = (double *)(void *)x->a, *b = (double *)(void *)x->b, *c = (double *)(void *)x->c;
    const size_t n = x->bytes / sizeof(double);
    size_t i;
    int j;
    for (j = 0; j < 64; j++) {
        w->a[j] = 100 + j;
        w->b[j] = 1 + j / 64.0;
        w->c[j] = 2 + j / 128.0;
    }
    for (i = 0; x->b != x->a && i < n; i++) b[i] = w->b[i % 64];
    for (i = 0; x->c != x->a && i < n; i++) c[i] = w->c[i % 64];
    for (i = 0; i < n; i++) a[i] = w->a[i % 64];
}

#define SERVET__STREAM_CASE(NAME, word, arrays, moves, writes, becomes) case SERVET_STREAM_##NAME: return becomes;
SERVET__PRIVATE double servet__stream_becomes(int kernel, double a, double b, double c, double s)
{
    switch (kernel) { SERVET_STREAM_LIST(SERVET__STREAM_CASE) default: return 0; }
}

/* After so many passes over what was written anew, of which sum was returned: is every word as it must be? */
SERVET__PRIVATE int servet__stream_right(const servet__stream_arrays *x, servet__stream_words *w, int kernel,
                                         size_t passes, uint64_t sum)
{
    const servet__word *a = (const servet__word *)(const void *)x->a;
    const size_t n = x->bytes / sizeof(double);
    uint64_t bits[64], all = 0, wrong = 0;
    size_t i;
    int j;
    for (j = 0; j < 64; j++) w->want[j] = servet__stream_becomes(kernel, w->a[j], w->b[j], w->c[j], x->s);
    if (kernel == SERVET_STREAM_UPDATE && passes % 2 == 0) memcpy(w->want, w->a, sizeof w->want);
    memcpy(bits, w->want, sizeof bits);
    for (j = 0; j < 64; j++) all += bits[j];
    for (i = 0; i < n; i += 64) for (j = 0; j < 64; j++) wrong |= a[i + (size_t)j] ^ bits[j];
    return wrong == 0 && sum == (kernel == SERVET_STREAM_LOAD ? passes * (n / 64) * all : 0);
}

/* Streams of several CPUs: what they share, and what each has. */
typedef struct servet__streams_call {
    const servet_streams *what;
    int    own_memory;          /* 1 = each maps its own                                             */
    size_t slice;               /* bytes of each CPU                                                 */
    double least_ns;            /* of a sample                                                       */
    int    vector[SERVET_STREAMS_MAX];
    size_t passes[SERVET_STREAMS_MAX];   /* atomic                                                   */
    size_t finished;            /* atomic: samples of which the chase is over                        */
} servet__streams_call;

typedef struct servet__streamer {
    unsigned char *base;
    servet__pace pace;          /* of the chase                                                      */
} servet__streamer;

/* ns a byte while the chase goes on, idle after each piece; 0 = all idle. */
SERVET__PRIVATE double servet__stream_beside(servet__worker *w, const servet__stream_arrays *x, servet__kernel *k,
                                             const servet_stream *s)
{
    const servet_timer *t = &w->rig.timer;
    const size_t arrays = (size_t)servet__stream_kind[s->kernel].arrays;
    const size_t piece = (size_t)SERVET__STREAM_PIECE / arrays / SERVET_STREAM_BYTES * SERVET_STREAM_BYTES;
    const uint64_t from = servet_timer_start(t);
    size_t *finished = &((servet__streams_call *)w->call)->finished, done = 0;
    double moved = 0;
    while (__atomic_load_n(finished, __ATOMIC_ACQUIRE) <= w->turn && !servet__team_failed(w->team)) {
        const size_t bytes = x->bytes - done < piece ? x->bytes - done : piece;
        uint64_t at;
        if (s->gap_ns >= 0) {
            k(x->a + done, x->b + done, x->c + done, bytes, 1, x->s);
            done = done + bytes < x->bytes ? done + bytes : 0;
            moved += x->moved / (double)x->bytes * (double)bytes;
        }
        if (s->gap_ns > 0)
            for (at = servet_timer_start(t); servet_timer_ns(t, at, servet_timer_stop(t)) < s->gap_ns; ) { }
        if (s->gap_ns < 0) servet_timer_stop(t);   /* slow enough to leave a sibling thread its core */
    }
    return moved > 0 ? servet_timer_ns(t, from, servet_timer_stop(t)) / moved : 0;
}

/* Finds how many passes fill a sample, for all CPUs the same, and checks what they do. */
SERVET__PRIVATE int servet__stream_pilot(servet__worker *w, unsigned char *base, int item)
{
    servet__streams_call *call = (servet__streams_call *)w->call;
    const servet_timer *t = &w->rig.timer;
    const servet_stream *s = &call->what->stream[item];
    const servet__stream_arrays x = servet__stream_place(base, call->what->bytes, s->kernel);
    servet__kernel *k = servet__stream_kernel(s->kernel, s->streaming, call->vector[item]);
    servet__stream_words words;
    size_t passes = 1, most;
    double ns;
    uint64_t sum, from;
    int status;
    servet__stream_fill(&x, &words);
    if ((status = servet_team_meet(w->team, &w->arrived)) < 0) return status;
    for (;; passes *= 2) {
        if (passes > 1 && s->kernel == SERVET_STREAM_UPDATE) servet__stream_fill(&x, &words);
        from = servet_timer_start(t);
        sum = k(x.a, x.b, x.c, x.bytes, passes, x.s);
        ns = servet_timer_ns(t, from, servet_timer_stop(t));
        if (ns > call->least_ns / 4 || passes > (size_t)1 << 28) break;
    }
    if (!servet__stream_right(&x, &words, s->kernel, passes, sum)) return SERVET_EUNSUPPORTED;
    passes = (size_t)ceil((double)passes
                          * servet__min(8, servet__max(1e-9, call->least_ns / servet__max(ns, 1))));
    most = __atomic_load_n(&call->passes[item], __ATOMIC_ACQUIRE);
    while (most < passes && !__atomic_compare_exchange_n(&call->passes[item], &most, passes, 0, __ATOMIC_ACQ_REL,
                                                         __ATOMIC_ACQUIRE)) { }
    return servet_team_meet(w->team, &w->arrived);
}

/* The CPU that chases waits for the pilots of the others. */
SERVET__PRIVATE int servet__stream_idle(servet__worker *w)
{
    const int status = servet_team_meet(w->team, &w->arrived);
    return status < 0 ? status : servet_team_meet(w->team, &w->arrived);
}

/* A sample: ns a byte that was moved; of the CPU that chases ns a load. */
SERVET__PRIVATE double servet__stream_timed(servet__worker *w, int item)
{
    servet__streams_call *call = (servet__streams_call *)w->call;
    servet__streamer *own = (servet__streamer *)w->own;
    const servet_timer *t = &w->rig.timer;
    const servet_stream *s = &call->what->stream[item];
    const servet__stream_arrays x = servet__stream_place(own->base, call->what->bytes, s->kernel);
    servet__kernel *k = servet__stream_kernel(s->kernel, s->streaming, call->vector[item]);
    const size_t passes = call->passes[item];
    const int chase = call->what->chase_bytes > 0;
    double ns;
    uint64_t from;
    /* another kernel may have left other lines in the caches */
    if (!chase && passes > 1) k(x.a, x.b, x.c, x.bytes, 1, x.s);
    if (servet_team_meet(w->team, &w->arrived) < 0) return 0;
    if (chase && w->index > 0) return servet__stream_beside(w, &x, k, s);
    if (chase) {
        own->pace.p = servet__walk(own->pace.p, 1024);
        own->pace.passes = 0;
        ns = servet__rig_passes(&w->rig, &own->pace);
        __atomic_store_n(&call->finished, w->turn + 1, __ATOMIC_RELEASE);
        return ns;
    }
    from = servet_timer_start(t);
    k(x.a, x.b, x.c, x.bytes, passes, x.s);
    /* until the last is done: who is late cannot make the others look fast */
    if (w->team->threads > 1) servet_team_meet(w->team, &w->arrived);
    return servet_timer_ns(t, from, servet_timer_stop(t)) / (x.moved * (double)passes);
}

/* Pilots, and the chase of the first CPU if it is to have one; then the rounds. */
SERVET__PRIVATE int servet__stream_rounds(servet__worker *w)
{
    servet__streams_call *call = (servet__streams_call *)w->call;
    servet__streamer *own = (servet__streamer *)w->own;
    const servet_streams *what = call->what;
    const int chase = what->chase_bytes > 0 && w->index == 0, line = w->rig.line_bytes;
    int status = SERVET_OK, i;
    if (chase) {
        servet_chase_opts o;
        servet_chase built;
        const size_t pages = (size_t)(servet__max(what->chase_bytes, SERVET__STREAM_ALIGN) / (int)SERVET__STREAM_ALIGN);
        const size_t n = pages * (size_t)(SERVET__STREAM_ALIGN / line);
        memset(&o, 0, sizeof o);
        o.line_bytes = line;
        o.seed = what->seed;
        w->rig.region.base = own->base;
        status = servet_chase_build(&built, own->base, NULL, n, w->rig.order, &o);
        if (status < 0) return status;
        servet__rig_warm(&w->rig, &own->pace, &built);
    }
    for (i = 0; i < what->streams && status >= 0; i++)
        status = chase ? servet__stream_idle(w) : servet__stream_pilot(w, own->base, i);
    return status < 0 ? status : servet__worker_rounds(w, what->rounds, what->streams, servet__stream_timed);
}

/* Where the arrays are: in the rig's memory, or in some that this CPU maps, places and touches. */
SERVET__PRIVATE int servet__stream_part(servet__worker *w)
{
    const servet__streams_call *call = (const servet__streams_call *)w->call;
    const servet_streams *what = call->what;
    servet__streamer own;
    servet_region mapped;
    int status = SERVET_OK;
    size_t at;
    memset(&mapped, 0, sizeof mapped);
    w->own = &own;
    own.base = w->rig.region.base + (size_t)w->index * call->slice;
    if (call->own_memory) {
        status = servet__machine_map(&mapped, call->slice, SERVET_PAGES_HUGE, 0);
        if (status < 0) return status;
        own.base = mapped.base;
        if (what->memory != SERVET_MEMORY_LOCAL)
            status = servet__memory_place(own.base, mapped.bytes, what->memory == SERVET_MEMORY_NODE ? what->node : -1);
        for (at = 0; status >= 0 && at < mapped.bytes; at += mapped.page_bytes) own.base[at] = 1;
        /* a node that is full leaves it to others */
        if (status >= 0 && what->memory == SERVET_MEMORY_NODE
            && servet__memory_node(own.base + mapped.bytes - 1) != what->node) status = SERVET_ENOMEM;
    }
    if (status >= 0) status = servet__stream_rounds(w);
    servet_machine_unmap(&mapped);
    return status;
}

/* Does a request make sense, and are its kernels there?  Vectors filled in. */
SERVET__PRIVATE int servet__stream_resolve(servet__streams_call *call, const servet_rig *r, const servet_streams *q)
{
    int i;
    if (!q || !q->stream || !servet__rig_takes(q->cpu, q->cpus, q->rounds, q->effort) || q->streams < 1
        || q->streams > SERVET_STREAMS_MAX || !(q->bytes > 0 && q->bytes < 1e15)
        || !(q->chase_bytes >= 0 && q->chase_bytes < 1e15)
        || q->memory < SERVET_MEMORY_LOCAL || q->memory > SERVET_MEMORY_SPREAD
        || (q->memory == SERVET_MEMORY_NODE && q->node < 0)) return SERVET_EINVAL;
    for (i = 0; i < q->streams; i++) {
        const servet_stream *s = &q->stream[i];
        if (s->kernel < 0 || s->kernel >= SERVET_STREAM_KERNELS || s->streaming < 0 || s->streaming > 1
            || s->vector < SERVET_VECTOR_WIDEST || s->vector > SERVET_VECTOR_SCALABLE
            || (s->streaming && !servet__stream_kind[s->kernel].writes)
            || !(s->gap_ns > -1e15 && s->gap_ns < 1e15) || (s->gap_ns < 0 && !(q->chase_bytes > 0)))
            return SERVET_EINVAL;
    }
    for (i = 0; i < q->streams; i++) {
        const servet_stream *s = &q->stream[i];
        const int v = s->vector == SERVET_VECTOR_WIDEST ? r->vector : s->vector;
        if (v != SERVET_VECTOR_PLAIN && v > r->vector) return SERVET_EUNSUPPORTED;
        if (!servet__stream_kernel(s->kernel, s->streaming, v)) return SERVET_EUNSUPPORTED;
        call->vector[i] = v;
    }
    return SERVET_OK;
}

/* The bandwidth callback of this machine.  Without a chase all CPUs moved as much by the time the last was done. */
SERVET__PRIVATE int servet__rig_bandwidth(void *ctx, const servet_streams *what, servet_stream_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet__streams_call call;
    servet_streams q;
    servet_sample *sample;
    size_t samples, i, k, cpus;
    int status;
    memset(&call, 0, sizeof call);
    status = servet__stream_resolve(&call, r, what);
    if (status < 0 || !out) return status < 0 ? status : (int)SERVET_EINVAL;
    q = *what;
    if (q.rounds == 0) q.rounds = 1;
    cpus = (size_t)q.cpus;
    samples = (size_t)q.rounds * (size_t)q.streams;
    call.what = &q;
    call.own_memory = r->nodes > 1 || q.memory != SERVET_MEMORY_LOCAL;
    call.least_ns = servet__rig_least_ns(r, 300e3, q.effort);
    /* up: what one CPU is given must not reach into what the next one has */
    call.slice = ((size_t)servet__max(servet__max(q.bytes, q.chase_bytes), SERVET__STREAM_SMALL)
                  + SERVET__STREAM_ALIGN - 1) / SERVET__STREAM_ALIGN * SERVET__STREAM_ALIGN;
    if (call.slice > r->region.bytes / cpus) return SERVET_EINVAL;
    status = servet__rig_run(&sample, r, q.cpu, q.cpus, samples, servet__stream_part, &call);
    for (i = 0; status >= 0 && i < samples; i++) {
        const int chase = q.chase_bytes > 0;
        servet_stream_sample s;
        double slowest = 0;
        memset(&s, 0, sizeof s);
        s.vector = call.vector[i % (size_t)q.streams];
        if (chase) s.chase_ns = sample[i].ns;
        for (k = 0; k < cpus; k++) {
            const servet_sample *of = &sample[k * samples + i];
            s.flags |= of->flags;
            slowest = servet__max(slowest, of->ns);
            if (chase && k > 0 && of->ns > 0) s.bytes_per_s += 1e9 / of->ns;
        }
        if (!chase && slowest > 0) s.bytes_per_s = (double)cpus * 1e9 / slowest;
        out[i] = s;
    }
    free(sample);
    return status;
}

/* Chains of one CPU. */
typedef struct servet__chainer {
    size_t at;                  /* in the cycle                                                      */
    double loads[SERVET_CHAINS_MAX];    /* that fill a sample, by number of chains asked for          */
} servet__chainer;

/* Walks k chains over the next loads of the cycle, each a part of them, so that no line comes again before all the
 * others; where they are more than the cycle has, from places evenly along it.  ns per load. */
SERVET__PRIVATE double servet__chains_walk(servet__worker *w, int k, double loads)
{
    const servet__chases *c = (const servet__chases *)w->call;
    servet__chainer *own = (servet__chainer *)w->own;
    const size_t n = c->n[0], line = (size_t)c->opts.line_bytes;
    const int whole = loads >= (double)n;
    const size_t steps = (size_t)servet__max(loads / k, 1);
    void *entry[SERVET_CHAINS_MAX];
    uint64_t from;
    double ns;
    int i;
    for (i = 0; i < k; i++) {
        const size_t place = whole ? servet__chase_place(n, k, i) : (own->at + (size_t)i * steps) % n;
        entry[i] = w->rig.region.base + (size_t)w->rig.order[place] * line;
    }
    if (!whole) own->at = (own->at + (size_t)k * steps) % n;
    if (servet_team_meet(w->team, &w->arrived) < 0) return 0;
    from = servet_timer_start(&w->rig.timer);
    servet_chase_walk_many(entry, k, steps);
    ns = servet_timer_ns(&w->rig.timer, from, servet_timer_stop(&w->rig.timer));
    /* the others are not to find it quiet */
    for (servet__team_arrive(w->team, &w->arrived); !servet__team_complete(w->team, w->arrived); )
        servet_chase_walk_many(entry, k, 16);
    return ns / ((double)steps * k);
}

SERVET__PRIVATE double servet__chains_timed(servet__worker *w, int item)
{
    const servet_parallel *what = ((const servet__chases *)w->call)->what;
    return servet__chains_walk(w, what->chains[item], ((const servet__chainer *)w->own)->loads[item]);
}

SERVET__PRIVATE int servet__chains_part(servet__worker *w)
{
    const servet__chases *c = (const servet__chases *)w->call;
    const servet_parallel *what = c->what;
    const double least_ns = servet__rig_least_ns(&w->rig, 300e3, c->opts.effort);
    servet__chainer own;
    servet__pace pace;
    servet_chase chase;
    double ns;
    int i, status = servet__chases_build(&chase, &w->rig, c, w->index);
    if (status < 0) return status;
    memset(&own, 0, sizeof own);
    w->own = &own;
    servet__rig_reference(&w->rig, w->sample, (size_t)what->rounds * (size_t)what->counts);
    servet__rig_warm(&w->rig, &pace, &chase);
    ns = servet__max(servet__rig_timed(&w->rig, &pace.p, 4096), 0.05);
    for (i = 0; i < what->counts; i++) {    /* a pilot of a tenth; what it finds is kept near by now */
        const double tenth = least_ns / 10 * servet__min(what->chains[i], 8) / ns;
        own.loads[i] = least_ns / servet__max(servet__chains_walk(w, what->chains[i], tenth), 0.01);
    }
    return servet__worker_rounds(w, what->rounds, what->counts, servet__chains_timed);
}

/* The parallel callback of this machine. */
SERVET__PRIVATE int servet__rig_parallel(void *ctx, const servet_parallel *what, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet_parallel q;
    servet__chases c;
    servet_sample *sample;
    size_t samples, i, k, cpus;
    int status;
    if (!what || !out || !what->chains || what->counts < 1 || what->counts > SERVET_CHAINS_MAX
        || !servet__rig_takes(what->cpu, what->cpus, what->rounds, 0)) return SERVET_EINVAL;
    q = *what;
    if (q.rounds == 0) q.rounds = 1;
    for (i = 0; i < (size_t)q.counts; i++)
        if (q.chains[i] < 1 || q.chains[i] > SERVET_CHAINS_MAX || (size_t)q.chains[i] > q.n) return SERVET_EINVAL;
    q.chase.chains = 1;
    memset(&c, 0, sizeof c);
    c.n = &q.n;
    c.what = &q;
    cpus = (size_t)q.cpus;
    samples = (size_t)q.rounds * (size_t)q.counts;
    status = servet__chase_resolve(&c.opts, &q.chase);
    if (status >= 0) status = servet__chases_draw(r, &c, q.cpus);
    if (status >= 0) status = servet__rig_run(&sample, r, q.cpu, q.cpus, samples, servet__chains_part, &c);
    if (status < 0) return status;
    for (i = 0; i < samples; i++) {
        memset(&out[i], 0, sizeof out[i]);
        for (k = 0; k < cpus; k++) {
            out[i].ns += sample[k * samples + i].ns / (double)cpus;
            servet__sample_join(&out[i], &sample[k * samples + i]);
        }
    }
    free(sample);
    return SERVET_OK;
}

/* Operations on places that several CPUs may share.  On x86 the instructions of the MareNostrum 5 study; elsewhere what
 * relaxed atomics compile to, plain loads and stores, but for RISC-V, where compilers before 2023 store by an exchange.
 * A place is as wide as a register. */
typedef uintptr_t __attribute__((may_alias)) servet__cell;
typedef void servet__operation(servet__cell *a, servet__cell *b, size_t turns);
enum { SERVET__OPERATE_TURN = 16 };   /* operations of a turn, every other one on b */

#if SERVET_HAS(X86) && defined(__SSE2__)
#  define SERVET__CELL_READ(p)   __asm__ volatile("movsd %0, %%xmm0" : : "m"(*(p)) : "xmm0", "memory")
#  define SERVET__CELL_WRITE(p)  __asm__ volatile("movsd %%xmm0, %0" : "=m"(*(p)) : : "memory")
#  define SERVET__CELL_UPDATE(p) \
    __asm__ volatile("movsd %0, %%xmm0\n\tmovsd %%xmm0, %0" : "+m"(*(p)) : : "xmm0", "memory")
#elif SERVET_HAS(RISCV64)
#  define SERVET__CELL_READ(p)   __asm__ volatile("ld t0, %0" : : "m"(*(p)) : "t0", "memory")
#  define SERVET__CELL_WRITE(p)  __asm__ volatile("sd zero, %0" : "=m"(*(p)) : : "memory")
#  define SERVET__CELL_UPDATE(p) __asm__ volatile("ld t0, %0\n\tsd t0, %0" : "+m"(*(p)) : : "t0", "memory")
#else
#  define SERVET__CELL_READ(p)                                                  \
    do {                                                                        \
        servet__cell servet__seen = __atomic_load_n(p, __ATOMIC_RELAXED);       \
        SERVET__KEEP(servet__seen);                                             \
        SERVET__FENCE();                                                        \
    } while (0)
#  define SERVET__CELL_WRITE(p)                                                 \
    do {                                                                        \
        __atomic_store_n(p, (servet__cell)1, __ATOMIC_RELAXED);                 \
        SERVET__FENCE();                                                        \
    } while (0)
#  define SERVET__CELL_UPDATE(p)                                                \
    do {                                                                        \
        servet__cell servet__seen = __atomic_load_n(p, __ATOMIC_RELAXED);       \
        SERVET__KEEP(servet__seen);                                             \
        __atomic_store_n(p, servet__seen, __ATOMIC_RELAXED);                    \
        SERVET__FENCE();                                                        \
    } while (0)
#endif
/* The line leaves all caches, also those of others.  Whether a program may do that on Arm is up to the system. */
#if SERVET_HAS(X86) && defined(__SSE2__)
#  define SERVET__CELL_FLUSH(p)  __asm__ volatile("lfence\n\tclflush %0\n\tmfence" : "+m"(*(p)) : : "memory")
#elif SERVET_HAS(ARM64) && SERVET_HAS(LINUX)
#  define SERVET__CELL_FLUSH(p)  __asm__ volatile("dc civac, %0\n\tdsb ish" : : "r"(p) : "memory")
#elif SERVET_HAS(PPC64)
#  define SERVET__CELL_FLUSH(p)  __asm__ volatile("dcbf 0, %0\n\tsync" : : "r"(p) : "memory")
#endif
#define SERVET__CELL_FETCH(p)                                                   \
    do {                                                                        \
        SERVET__CELL_READ(p);                                                   \
        SERVET__CELL_FLUSH(p);                                                  \
    } while (0)
#define SERVET__CELL_ATOMIC(p)                                                  \
    do {                                                                        \
        __atomic_fetch_add(p, (servet__cell)1, __ATOMIC_RELAXED);               \
        SERVET__FENCE();                                                        \
    } while (0)

#define SERVET__OPERATE_DEF(name, cell)                                         \
SERVET__PRIVATE void name(servet__cell *a, servet__cell *b, size_t turns)       \
{                                                                               \
    while (turns--) {                                                           \
        cell(a); cell(b); cell(a); cell(b); cell(a); cell(b); cell(a); cell(b); \
        cell(a); cell(b); cell(a); cell(b); cell(a); cell(b); cell(a); cell(b); \
    }                                                                           \
}
SERVET__OPERATE_DEF(servet__operate_read, SERVET__CELL_READ)
SERVET__OPERATE_DEF(servet__operate_write, SERVET__CELL_WRITE)
SERVET__OPERATE_DEF(servet__operate_update, SERVET__CELL_UPDATE)
SERVET__OPERATE_DEF(servet__operate_atomic, SERVET__CELL_ATOMIC)
#if defined(SERVET__CELL_FLUSH)
SERVET__OPERATE_DEF(servet__operate_fetch, SERVET__CELL_FETCH)
#endif

/* Eight chains: no core known does more additions at once.  Fewer where registers are. */
SERVET__PRIVATE void servet__operate_add(servet__cell *a, servet__cell *b, size_t turns)
{
    const servet__cell y = (servet__cell)turns;
    servet__cell x0 = 0, x1 = 1, x2 = 2, x3 = 3;
#define SERVET__ADD(x) x += y; SERVET__KEEP(x)
#define SERVET__ADD4(p, q, r, s) SERVET__ADD(p); SERVET__ADD(q); SERVET__ADD(r); SERVET__ADD(s)
#if UINTPTR_MAX > 0xffffffffu
    servet__cell x4 = 4, x5 = 5, x6 = 6, x7 = 7;
#  define SERVET__ADD8() SERVET__ADD4(x0, x1, x2, x3); SERVET__ADD4(x4, x5, x6, x7)
#else
#  define SERVET__ADD8() SERVET__ADD4(x0, x1, x2, x3); SERVET__ADD4(x0, x1, x2, x3)
#endif
    (void)a;
    (void)b;
    while (turns--) { SERVET__ADD8(); SERVET__ADD8(); }
#undef SERVET__ADD
#undef SERVET__ADD4
#undef SERVET__ADD8
}

SERVET__PRIVATE servet__operation *servet__operate_of(int operation)
{
    switch (operation) {
    case SERVET_OPERATE_READ: return servet__operate_read;
    case SERVET_OPERATE_WRITE: case SERVET_OPERATE_ALTERNATE: return servet__operate_write;
    case SERVET_OPERATE_UPDATE: return servet__operate_update;
    case SERVET_OPERATE_ATOMIC: return servet__operate_atomic;
    case SERVET_OPERATE_ADD: return servet__operate_add;
#if defined(SERVET__CELL_FLUSH)
    case SERVET_OPERATE_FETCH: return servet__operate_fetch;
#endif
    default: return NULL;
    }
}

/* One CPU's operations. */
typedef struct servet__operate_call {
    const servet_operate *what;
    unsigned char *block;
    double least_ns;            /* of a sample                                                       */
} servet__operate_call;

typedef struct servet__operator {
    servet__operation *operation;
    servet__cell *a, *b;
} servet__operator;

/* ns per operation, over so long.  Parts of it grow from a few operations, as there may be CPUs enough at work that
 * each waits for milliseconds. */
SERVET__PRIVATE double servet__operate_run(const servet__operator *o, const servet_timer *t, double least_ns)
{
    double ns, parts = 0, done = 0;
    size_t turns = 1;
    uint64_t from = servet_timer_start(t), last = from, now;
    do {
        o->operation(o->a, o->b, turns);
        now = servet_timer_stop(t);
        done += (double)turns;
        ns = servet__max(servet_timer_ns(t, from, now) - parts++ * t->overhead_ns, 0);
        if (servet_timer_ns(t, last, now) < servet__max(least_ns / 32, 4 * t->overhead_ns)) turns *= 2;
        last = now;
    } while (ns < least_ns);
    return ns / (done * (int)SERVET__OPERATE_TURN);
}

/* All work before one is timed, and until all have been. */
SERVET__PRIVATE double servet__operate_timed(servet__worker *w, int item)
{
    const servet__operator *o = (const servet__operator *)w->own;
    const double least_ns = ((const servet__operate_call *)w->call)->least_ns;
    double ns = 0;
    int k;
    (void)item;
    for (k = 0; k < 2 && !servet__team_failed(w->team); k++) {
        ns = servet__operate_run(o, &w->rig.timer, k ? least_ns : least_ns / 8);
        for (servet__team_arrive(w->team, &w->arrived); !servet__team_complete(w->team, w->arrived); )
            o->operation(o->a, o->b, 1);
    }
    return ns;
}

SERVET__PRIVATE int servet__operate_part(servet__worker *w)
{
    const servet__operate_call *call = (const servet__operate_call *)w->call;
    const servet_operate *what = call->what;
    const int k = w->index, operation = what->each ? what->each[k] : what->operation;
    const uint32_t first = what->offset ? what->offset[k] : 0;
    const uint32_t far_off = operation == SERVET_OPERATE_ALTERNATE ? SERVET_OPERATE_BYTES / 2 : 0;
    servet__operator o;
    int status;
    o.operation = servet__operate_of(operation);
    o.a = (servet__cell *)(void *)(call->block + first);
    o.b = (servet__cell *)(void *)(call->block + (what->second ? what->second[k] : first ^ far_off));
    w->own = &o;
    /* Waits until all are there, and leaves the CPU to the thread that begins them, which may be on this one: who works
     * at once would hold it up for the scheduler's slice of milliseconds; and it still has to fall asleep. */
    for (servet__team_arrive(w->team, &w->arrived); !servet__team_complete(w->team, w->arrived); ) sched_yield();
    if (w->team->threads > 1) sched_yield();
    servet__rig_reference(&w->rig, w->sample, (size_t)what->rounds);
    status = servet__worker_rounds(w, what->rounds, 1, servet__operate_timed);
    servet__rig_reference(&w->rig, w->sample, (size_t)what->rounds);
    return status;
}

/* Is it a place in the block? */
SERVET__PRIVATE int servet__operate_place(uint32_t offset)
{
    return offset % sizeof(uint64_t) == 0 && offset <= SERVET_OPERATE_BYTES - sizeof(uint64_t);
}

SERVET__PRIVATE int servet__operate_resolve(const servet_operate *q)
{
    int k;
    if (!q || !servet__rig_takes(q->cpu, q->cpus, q->rounds, q->effort)
        || q->operation < 0 || q->operation >= SERVET_OPERATIONS) return SERVET_EINVAL;
    for (k = 0; k < q->cpus; k++)
        if ((q->offset && !servet__operate_place(q->offset[k])) || (q->second && !servet__operate_place(q->second[k]))
            || (q->each && (q->each[k] < 0 || q->each[k] >= SERVET_OPERATIONS))) return SERVET_EINVAL;
    for (k = 0; k < q->cpus; k++)
        if (!servet__operate_of(q->each ? q->each[k] : q->operation)) return SERVET_EUNSUPPORTED;
    return SERVET_OK;
}

/* The operate callback of this machine. */
SERVET__PRIVATE int servet__rig_operate(void *ctx, const servet_operate *what, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet__operate_call call;
    servet_operate q;
    servet_sample *sample;
    uint64_t seed;
    size_t i, k, cpus, rounds;
    int status = servet__operate_resolve(what);
    if (status < 0) return status;
    if (!out || r->region.bytes < SERVET_OPERATE_BYTES) return SERVET_EINVAL;
    q = *what;
    if (q.rounds == 0) q.rounds = 1;
    seed = q.seed ^ r->seed;
    call.what = &q;
    call.block = r->region.base + servet_stats_random_below(&seed, r->region.bytes / SERVET_OPERATE_BYTES)
               * SERVET_OPERATE_BYTES;
    call.least_ns = servet__rig_least_ns(r, 150e3, q.effort);
    cpus = (size_t)q.cpus;
    rounds = (size_t)q.rounds;
    status = servet__rig_run(&sample, r, q.cpu, q.cpus, rounds, servet__operate_part, &call);
    for (i = 0; status >= 0 && i < rounds; i++)
        for (k = 0; k < cpus; k++) out[i * cpus + k] = sample[k * rounds + i];
    free(sample);
    return status;
}

/* Hand-offs of several pairs at once.  Of each pair the first CPU leads: it counts round trips, times them, and ends
 * the exchange, so that the other need not know how many there will be. */
typedef struct servet__handoff_call {
    const servet_handoff *what;
    unsigned char *base;        /* untouched, small pages                                            */
    size_t area;                /* bytes of a pair; with offsets all use the first page               */
    size_t timed;               /* atomic: over all rounds, samples taken                             */
    uint64_t seed;
} servet__handoff_call;

typedef struct servet__exchange {
    servet_team *team;
    uint32_t *mine, *theirs;    /* lines; of CAS the same                                            */
    uint32_t trips;             /* since the lines were new                                          */
    double   since_ns;          /* when the exchange began                                           */
} servet__exchange;

/* Turns of a loop that waits before it asks what is the matter: tens of microseconds, ten times the longest way. */
enum { SERVET__HANDOFF_SPINS = 1 << 15, SERVET__HANDOFF_PAGE = 4096, SERVET__HANDOFF_UNIT = 64 };
static const uint32_t servet__handoff_over = 0xffffffffu;

/* The other CPU does not answer: it may be at another thread, or gone.  This one lets others run meanwhile, as it may
 * be the very CPU that the other thread needs, and gives up after two seconds. */
SERVET__PRIVATE int servet__handoff_late(servet__exchange *x, uint32_t *turns)
{
    if (servet__clock_ns() - x->since_ns > 2e9) servet__team_fail(x->team, SERVET_ENOISE);
    sched_yield();
    *turns = SERVET__HANDOFF_SPINS - SERVET__HANDOFF_SPINS / 16;
    return servet__team_failed(x->team);
}

/* Spins until it is so.  Nothing in the loops but the exchange and a count: a pause would be part of what is timed. */
#define SERVET__HANDOFF_UNTIL(so)                                                                                  \
    do {                                                                                                           \
        uint32_t servet__turns = 0;                                                                                \
        int servet__failed;                                                                                        \
        while (!(so))                                                                                              \
            if (++servet__turns > SERVET__HANDOFF_SPINS                                                            \
                && (servet__failed = servet__handoff_late(x, &servet__turns)) < 0) return servet__failed;          \
    } while (0)
/* Finds from in a line and writes to; seen: what it found. */
#define SERVET__HANDOFF_TAKES(line, seen, from, to)                                                                \
    ((seen) = (from), __atomic_compare_exchange_n(line, &(seen), to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))

/* So many round trips. */
SERVET__PRIVATE int servet__handoff_lead(servet__exchange *x, uint32_t trips)
{
    uint32_t *mine = x->mine, *theirs = x->theirs, n = x->trips, seen;
    const uint32_t end = n + trips;
    x->trips = end;
    if (mine != theirs)
        while (n != end) {
            __atomic_store_n(mine, ++n, __ATOMIC_RELEASE);
            SERVET__HANDOFF_UNTIL(__atomic_load_n(theirs, __ATOMIC_ACQUIRE) == n);
        }
    else
        for (; n != end; n++) SERVET__HANDOFF_UNTIL(SERVET__HANDOFF_TAKES(mine, seen, 0, 1));
    return SERVET_OK;
}

/* Answers until the other CPU ends it. */
SERVET__PRIVATE int servet__handoff_follow(servet__exchange *x)
{
    uint32_t *mine = x->mine, *theirs = x->theirs, last = 0, seen;
    for (;;) {
        if (mine != theirs) SERVET__HANDOFF_UNTIL((seen = __atomic_load_n(theirs, __ATOMIC_ACQUIRE)) != last);
        else SERVET__HANDOFF_UNTIL(SERVET__HANDOFF_TAKES(mine, seen, 1, 0) || seen == servet__handoff_over);
        if (seen == servet__handoff_over) return SERVET_OK;
        if (mine != theirs) __atomic_store_n(mine, last = seen, __ATOMIC_RELEASE);
    }
}

/* Ends the exchange; with CAS the line has to come back first. */
SERVET__PRIVATE int servet__handoff_end(servet__exchange *x)
{
    uint32_t seen;
    if (x->mine != x->theirs) __atomic_store_n(x->mine, servet__handoff_over, __ATOMIC_RELEASE);
    else SERVET__HANDOFF_UNTIL(SERVET__HANDOFF_TAKES(x->mine, seen, 0, servet__handoff_over));
    return SERVET_OK;
}

SERVET__PRIVATE int servet__handoff_timed(servet__exchange *x, const servet_timer *t, uint32_t trips, double *ns)
{
    const uint64_t from = servet_timer_start(t);
    const int status = servet__handoff_lead(x, trips);
    *ns = servet_timer_ns(t, from, servet_timer_stop(t)) / trips;
    return status;
}

/* Times a sample: blocks of round trips, of which half of the lower quartile is one way.  Goes on until all pairs have
 * been timed, as none is to find it quieter than another. */
SERVET__PRIVATE int servet__handoff_sample(servet__worker *w, servet__exchange *x, int round, double *one_way_ns)
{
    enum { SERVET__BLOCKS = 9 };
    servet__handoff_call *call = (servet__handoff_call *)w->call;
    const servet_timer *t = &w->rig.timer;
    const double least_ns = servet__rig_least_ns(&w->rig, 16e3, call->what->effort);
    const size_t all = ((size_t)round + 1) * (size_t)call->what->pairs;
    double ns[SERVET__BLOCKS], guess;
    uint32_t trips;
    int i, status;
    if ((status = servet__handoff_lead(x, 64)) < 0) return status;   /* until the other is there */
    for (trips = 64;; trips *= 2) {
        if ((status = servet__handoff_timed(x, t, trips, &guess)) < 0) return status;
        if (guess * trips > least_ns / 4 || trips > 1u << 22) break;
    }
    trips = (uint32_t)servet__max(16, servet__min(1 << 24, ceil(least_ns / servet__max(guess, 1))));
    for (i = 0; i < SERVET__BLOCKS; i++)
        if ((status = servet__handoff_timed(x, t, trips, &ns[i])) < 0) return status;
    servet_stats_sort(ns, SERVET__BLOCKS);
    *one_way_ns = servet_stats_quantile(ns, SERVET__BLOCKS, 0.25) / 2;
    __atomic_add_fetch(&call->timed, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&call->timed, __ATOMIC_ACQUIRE) < all)
        if ((status = servet__handoff_lead(x, 16)) < 0) return status;
    return servet__handoff_end(x);
}

/* Works until the clock of this core no longer rises; at most for 20 ms. */
SERVET__PRIVATE void servet__handoff_warm(const servet_timer *t)
{
    enum { SERVET__WINDOW = 32 };
    const double begun = servet__clock_ns();
    double last = HUGE_VAL, now;
    int i;
    do {
        for (now = HUGE_VAL, i = 0; i < SERVET__WINDOW; i++) now = servet__min(now, servet__add_ns(t));
        if (now > 0.995 * last) return;
        last = now;
    } while (servet__clock_ns() - begun < 20e6);
}

/* Where the lines of a round are; both CPUs of a pair find the same.  Those of a pair are in different pages, so that
 * no prefetcher brings in one for the other. */
SERVET__PRIVATE void servet__handoff_lines(const servet__handoff_call *call, servet__exchange *x, int index, int round)
{
    const servet_handoff *what = call->what;
    const int pair = index / 2, side = index % 2;
    unsigned char *at = call->base;
    uint64_t seed = call->seed ^ ((uint64_t)pair << 32 | (uint64_t)round);
    uint32_t *line[2];
    int i;
    if (what->offset) line[0] = line[1] = (uint32_t *)(void *)(at + what->offset[pair]);
    else {
        at += (size_t)pair * call->area + (size_t)round * 2 * SERVET__HANDOFF_PAGE;
        for (i = 0; i < 2; i++, at += SERVET__HANDOFF_PAGE)
            line[i] = (uint32_t *)(void *)(at + SERVET__HANDOFF_UNIT
                      * servet_stats_random_below(&seed, SERVET__HANDOFF_PAGE / SERVET__HANDOFF_UNIT));
        if (what->kind == SERVET_HANDOFF_CAS) line[1] = line[0];
    }
    x->mine = line[side];
    x->theirs = line[!side];
    x->trips = 0;
}

SERVET__PRIVATE int servet__handoff_part(servet__worker *w)
{
    servet__handoff_call *call = (servet__handoff_call *)w->call;
    const servet_handoff *what = call->what;
    const int leads = w->index % 2 == 0, home = w->index % 2 == what->home;
    const servet_timer *t = &w->rig.timer;
    servet__exchange x;
    servet__noise before;
    double fastest, add_ns[SERVET_SAMPLES_MAX];
    size_t at;
    int round, status;
    x.team = w->team;
    if (home && !what->offset) {
        unsigned char *area = call->base + (size_t)(w->index / 2) * call->area;
        for (at = 0; at < call->area; at += SERVET__HANDOFF_PAGE) area[at] = 0;
    }
    servet__handoff_warm(t);
    fastest = servet__add_ns(t);
    for (round = 0; round < what->rounds; round++) {
        servet_sample *s = &w->sample[round];
        servet__handoff_lines(call, &x, w->index, round);
        /* a page of all: it may hold anything before */
        if (what->offset && home) __atomic_store_n(x.mine, 0, __ATOMIC_RELEASE);
        servet__rig_reference(&w->rig, s, 1);
        add_ns[round] = servet__add_ns(t);
        if ((status = servet_team_meet(w->team, &w->arrived)) < 0) return status;
        x.since_ns = servet__clock_ns();
        before = servet__noise_read();
        status = leads ? servet__handoff_sample(w, &x, round, &s->ns) : servet__handoff_follow(&x);
        if (status < 0) return status;
        s->flags |= servet__noise_flags(&before);
        add_ns[round] = servet__max(add_ns[round], servet__add_ns(t));
        fastest = servet__min(fastest, add_ns[round]);
        servet__rig_reference(&w->rig, s, 1);
        if ((status = servet_team_meet(w->team, &w->arrived)) < 0) return status;
    }
    /* a clock that was slower than it can be, or additions that were interrupted */
    for (round = 0; round < what->rounds; round++)
        if (add_ns[round] > 1.03 * fastest) w->sample[round].flags |= SERVET_NOISE_ANCHOR;
    return SERVET_OK;
}

SERVET__PRIVATE int servet__handoff_resolve(const servet_handoff *q)
{
    int i, k;
    if (!q || !q->cpu || q->pairs < 1 || q->pairs > 32 * SERVET_CPU_WORDS || q->home < 0 || q->home > 1 || q->kind < 0
        || !servet__rig_takes(q->cpu, 2 * q->pairs, q->rounds, q->effort) || q->kind >= SERVET_HANDOFF_KINDS
        || (q->offset && q->kind != SERVET_HANDOFF_CAS)) return SERVET_EINVAL;
    for (i = 0; q->offset && i < q->pairs; i++) {
        if (q->offset[i] % sizeof(uint32_t) || q->offset[i] >= SERVET__HANDOFF_PAGE) return SERVET_EINVAL;
        for (k = 0; k < i; k++) if (q->offset[k] == q->offset[i]) return SERVET_EINVAL;
    }
    return SERVET_OK;
}

/* The handoff callback of this machine. */
SERVET__PRIVATE int servet__rig_handoff(void *ctx, const servet_handoff *what, servet_sample *out)
{
    servet_rig *r = (servet_rig *)ctx;
    servet_handoff q;
    servet__handoff_call call;
    servet_sample *sample = NULL;
    servet_region region;
    int i, k, status = servet__handoff_resolve(what);
    if (status < 0 || !out) return SERVET_EINVAL;
    q = *what;
    if (q.rounds == 0) q.rounds = 1;
    memset(&call, 0, sizeof call);
    memset(&region, 0, sizeof region);
    call.what = &q;
    call.seed = q.seed ^ r->seed;
    call.seed = servet_stats_random(&call.seed);
    call.area = 2 * (size_t)q.rounds * SERVET__HANDOFF_PAGE;
    call.area = (call.area + r->region.page_bytes - 1) / r->region.page_bytes * r->region.page_bytes;
    if (q.offset)    /* the same again for the same seed, as lines are nearer to some CPUs than to others */
        call.base = r->region.base + SERVET__HANDOFF_PAGE
                  * servet_stats_random_below(&call.seed, r->region.bytes / SERVET__HANDOFF_PAGE);
    else {
        status = servet__machine_map(&region, (size_t)q.pairs * call.area, SERVET_PAGES_SMALL, 0);
        if (status < 0) return status;
        call.base = region.base;
    }
    status = servet__rig_run(&sample, r, q.cpu, 2 * q.pairs, (size_t)q.rounds, servet__handoff_part, &call);
    for (k = 0; status >= 0 && k < q.rounds; k++)
        for (i = 0; i < q.pairs; i++) {
            servet_sample *s = &out[k * q.pairs + i];
            *s = sample[2 * i * q.rounds + k];
            servet__sample_join(s, &sample[(2 * i + 1) * q.rounds + k]);
        }
    free(sample);
    servet_machine_unmap(&region);
    return status;
}

SERVET__PRIVATE double servet__rig_seconds(void *ctx)
{
    (void)ctx;
    return servet__clock_ns() * 1e-9;
}

SERVET__PRIVATE double servet__rig_ran(void *ctx)
{
    const servet_rig *r = (const servet_rig *)ctx;
    return (servet__thread_ns() + r->waited_ns) * 1e-9;
}

SERVET__DEF servet_machine servet_rig_machine(servet_rig *rig)
{
    servet_machine m;
    memset(&m, 0, sizeof m);
    m.ctx = rig;
    m.chase = servet__rig_chase;
    m.seconds = servet__rig_seconds;
    if (servet__thread_ns() > 0) m.ran = servet__rig_ran;
    m.track = servet__rig_track;
    m.together = servet__rig_together;
    m.bandwidth = servet__rig_bandwidth;
    m.parallel = servet__rig_parallel;
    m.operate = servet__rig_operate;
    m.handoff = servet__rig_handoff;
    m.bytes = (double)rig->least;
    return m;
}

SERVET__DEF void servet_rig_close(servet_rig *rig)
{
    if (!rig) return;
    servet_machine_unmap(&rig->region);
    servet_machine_unmap(&rig->orders);
    servet_machine_unmap(&rig->draws);
    servet_machine_unmap(&rig->small);
    servet_machine_unmap(&rig->alias);
    if (rig->pinned) servet_machine_restore(&rig->saved);
    rig->pinned = 0;
}

/* Bytes of addresses that this process may have. */
SERVET__PRIVATE double servet__rig_addresses(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return (double)limit.rlim_cur;
    return (double)SIZE_MAX;
}

/* The memory of chases, with room to grow, and its lists. */
SERVET__PRIVATE int servet__rig_map(servet_rig *r, size_t bytes, size_t room, int pages)
{
    int status = servet__machine_map_within(&r->region, bytes, room, pages, 1);
    if (status < 0) return status;
    bytes = r->region.bytes;
    room -= room % r->region.page_bytes;
    if (room < bytes) room = bytes;
    status = servet__machine_map_within(&r->orders, servet__rig_order_bytes(r, bytes),
                                        servet__rig_order_bytes(r, room), SERVET_PAGES_HUGE, 1);
    if (status >= 0)
        status = servet__machine_map_within(&r->draws, servet__rig_draw_bytes(bytes), servet__rig_draw_bytes(room),
                                            SERVET_PAGES_HUGE, 1);
    if (status >= 0) {
        r->least = bytes;
        r->room = room;
        return SERVET_OK;
    }
    servet_machine_unmap(&r->region);
    servet_machine_unmap(&r->orders);
    return status;
}

/* Builds the reference chains at the head of the list of draws. */
SERVET__PRIVATE void servet__rig_references(servet_rig *r)
{
    servet_chase_opts o;
    servet_chase built;
    unsigned char *at = r->draws.base;
    int i;
    memset(&o, 0, sizeof o);
    o.pattern = SERVET_CHASE_RANDOM;
    o.line_bytes = r->line_bytes;
    r->order = (uint32_t *)(void *)r->orders.base;
    for (i = 0; i < SERVET__REFERENCES; at += (size_t)servet__reference_kib[i] * 1024, i++) {
        o.seed = (uint64_t)i + 1;
        servet_chase_build(&built, at, NULL, servet__reference_n(r, i), r->order, &o);
        r->reference[i] = built.entry[0];
    }
    r->page = (uint32_t *)(void *)at;
}

SERVET__DEF int servet_rig_open(servet_rig *rig, const servet_rig_opts *opts)
{
    servet_rig r;
    servet_rig_opts o;
    int status;
    if (!rig) return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    if (o.hi_bytes == 0) o.hi_bytes = 256.0 * 1048576;
    if (o.effort == 0) o.effort = 1;
    if (o.line_bytes == 0) o.line_bytes = SERVET__LINE_BYTES;
    if (!(o.hi_bytes >= 65536 && o.hi_bytes < (double)SIZE_MAX / 4)
        || !(o.reserve_bytes >= 0 && o.reserve_bytes < (double)SIZE_MAX / 4) || !(o.effort >= 0.05 && o.effort <= 20)
        || o.line_bytes < 16 || 4096 % o.line_bytes || o.cpu_plus_1 < 0) return SERVET_EINVAL;
    r.line_bytes = o.line_bytes;
    r.effort = o.effort;
    r.seed = o.seed;
    r.cpu = o.cpu_plus_1 > 0 ? o.cpu_plus_1 - 1 : servet__cpu_now();
    if (r.cpu >= 0) {
        status = servet_machine_pin(r.cpu, &r.saved);
        if (status < 0 && (status != SERVET_EUNSUPPORTED || o.cpu_plus_1 > 0)) return status;
        r.pinned = status >= 0;
    }
    if (o.pages == SERVET_PAGES_DEFAULT) o.pages = SERVET_PAGES_HUGE;
    status = servet_timer_init(&r.timer, NULL);
    if (status >= 0 && (!(o.reserve_bytes > o.hi_bytes) || servet__rig_addresses() / 4 < o.reserve_bytes
                        || servet__rig_map(&r, (size_t)o.hi_bytes, (size_t)o.reserve_bytes, o.pages) < 0))
        status = servet__rig_map(&r, (size_t)o.hi_bytes, 0, o.pages);
    if (status < 0) {
        servet_rig_close(&r);
        return status;
    }
    servet__rig_references(&r);
    r.vector = servet__vector_widest();
    r.nodes = servet__machine_nodes(NULL, 0);
    r.steal_ticks = servet__steal_ticks();
    r.steal_read_s = servet__clock_ns() * 1e-9;
    *rig = r;
    return SERVET_OK;
}

#endif /* !SERVET_PURE_ONLY */

/* >>mcalibrator (implementation) -------------------------------------------------------------- */

/* Quantity    latency L(bytes) against footprint, with an interval each.
 * Model       a sample is L(bytes) of one draw of pages, plus what disturbed it, which only ever adds.
 * Estimator   lower quartile over the clean samples of a point, and its order-statistic interval.  Clean: without a
 *             noise flag, and with reference chains within 3 % of the curve's undisturbed ones.
 * Fooled by   a neighbour of the last level who never rests: all samples alike are slow, and none is flagged.
 * References  [Servet], Figure 1, as servet_mcalibrator; [Saavedra]. */

/* What bounds a measurement under way: its time, and the caller's stop.  Asked before each part of it. */
typedef struct servet__watch {
    const servet_machine *m;
    servet_run run;             /* with its budget resolved                                          */
    double begun_s, limit_s;    /* limit_s: when it is over; the budget, unless a part may take another share of it */
    double ran_s;               /* own time of the CPU at the begin; -1 = wall time counts           */
    double told_s;              /* when progress was told last                                       */
    int    asked;
    int    over, stopped;       /* over: by time or the caller; stopped: by the caller               */
} servet__watch;

SERVET__PRIVATE void servet__watch_begin(servet__watch *w, const servet_machine *m, const servet_run *run)
{
    memset(w, 0, sizeof *w);
    w->m = m;
    w->run = *run;
    w->limit_s = run->budget_s;
    w->ran_s = -1;
    w->begun_s = m->seconds(m->ctx);
}

/* From now on the CPU's own time counts, as another program may have its turn there: up to 2.5 times as much in all. */
SERVET__PRIVATE void servet__watch_own(servet__watch *w)
{
    if (w->m->ran) w->ran_s = w->m->ran(w->m->ctx);
}

/* Wall time since the begin. */
SERVET__PRIVATE double servet__watch_elapsed(const servet__watch *w) { return w->m->seconds(w->m->ctx) - w->begun_s; }

SERVET__PRIVATE double servet__watch_used(const servet__watch *w)
{
    const double elapsed_s = servet__watch_elapsed(w);
    return w->ran_s >= 0 && elapsed_s < 2.5 * w->limit_s ? w->m->ran(w->m->ctx) - w->ran_s : elapsed_s;
}

/* Is it over?  Time ends no measurement before its first part: however short the budget, something is known.  Progress
 * is told at most fifty times a second, as what a callback does leaves its lines and pages to what is measured next.
 *   done_frac   of the work, for progress, where it says more than the time does */
SERVET__PRIVATE int servet__watch_over(servet__watch *w, double done_frac)
{
    const double used_s = servet__watch_used(w), pause_s = 0.02;
    if (!w->stopped && w->run.stop && w->run.stop(w->run.ctx)) w->stopped = w->over = 1;
    if (w->asked++ > 0 && used_s > w->limit_s) w->over = 1;
    if (w->run.progress && !w->over && (w->asked == 1 || used_s >= w->told_s + pause_s)) {
        const double done = servet__min(servet__max(done_frac, used_s / w->run.budget_s), 1);
        w->told_s = used_s;
        w->run.progress(w->run.ctx, done,
                        done > 0 ? servet__min(used_s * (1 / done - 1), w->run.budget_s) : w->run.budget_s);
    }
    return w->over;
}

/* Geometric sizes from lo to hi, rounded to lines, no two alike.
 * Returns how many (ESPACE beyond cap). */
SERVET__PRIVATE int servet__mcalibrator_grid(double *bytes, size_t cap, double lo_bytes, double hi_bytes,
                                             double points_per_octave, int line_bytes)
{
    double line = line_bytes > 0 ? line_bytes : SERVET__LINE_BYTES, last = 0, x, b;
    size_t n = 0, i;
    if (!bytes || !(lo_bytes >= line) || !(hi_bytes >= lo_bytes) || !(hi_bytes < 1e15)
        || !(points_per_octave >= 1 && points_per_octave <= 1024)) return SERVET_EINVAL;
    for (i = 0; ; i++) {
        /* anchored at powers of two, so that grids of different ranges share their points */
        x = exp2((floor(log2(lo_bytes) * points_per_octave + 1e-9) + (double)i) / points_per_octave);
        b = floor(x / line + 0.5) * line;
        if (b > hi_bytes * 1.0001) break;
        if (b < lo_bytes || b <= last) continue;
        if (n >= cap) return SERVET_ESPACE;
        bytes[n++] = last = b;
    }
    return (int)n;
}

/* Sets latency, interval and flags of a point from its samples; quiet_anchor: undisturbed reference chains. */
SERVET__PRIVATE void servet__point_settle(servet_point *p, double quiet_anchor)
{
    double clean[SERVET_SAMPLES_MAX], scratch[SERVET_SAMPLES_MAX];
    servet_summary s;
    int k, n;
    p->noisy = 0;
    for (k = n = 0; k < p->samples; k++) {
        int slow = p->anchor_cycles[k] > 1.03 * quiet_anchor && quiet_anchor > 0;
        p->flags[k] = (unsigned char)((p->flags[k] & ~SERVET_NOISE_ANCHOR) | (slow ? SERVET_NOISE_ANCHOR : 0));
        if (p->flags[k]) p->noisy++;
        else clean[n++] = p->sample_ns[k];
    }
    if (n == 0)    /* nothing better was to be had */
        for (k = 0; k < p->samples; k++) clean[n++] = p->sample_ns[k];
    if (servet_stats_summarise(&s, clean, (size_t)n, scratch) < 0) return;
    p->ns = s.q25;
    p->lo_ns = s.lo;
    p->hi_ns = s.hi;
}

/* Set ns, intervals and flags of all points from their samples.
 * Marks samples whose reference chains ran more than 3 % above the curve's undisturbed ones; the sweep calls it. */
SERVET__PRIVATE void servet__mcalibrator_settle(servet_curve *curve)
{
    double low[8];
    int i, k, n = 0;
    /* Undisturbed: the median of the eight lowest, so that no single low reading sets the bar. */
    for (i = 0; i < curve->count; i++) {
        for (k = 0; k < curve->point[i].samples; k++) {
            double a = curve->point[i].anchor_cycles[k];
            int at;
            if (!(a > 0)) continue;
            if (n < 8) at = n++;
            else if (a < low[7]) at = 7;
            else continue;
            for (; at > 0 && low[at - 1] > a; at--) low[at] = low[at - 1];
            low[at] = a;
        }
    }
    curve->anchor_cycles = n ? low[n / 2] : 0;
    for (i = 0; i < curve->count; i++) servet__point_settle(&curve->point[i], curve->anchor_cycles);
}

/* The options a sweep runs with; EINVAL for what is out of range. */
SERVET__PRIVATE int servet__mcalibrator_resolve(servet_mcalibrator_opts *o, const servet_mcalibrator_opts *opts)
{
    int status;
    memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    status = servet__chase_resolve(&o->chase, &o->chase);
    if (status < 0) return status;
    if (o->lo_bytes == 0) o->lo_bytes = 2048;
    if (o->hi_bytes == 0) o->hi_bytes = 256.0 * 1048576;
    if (o->points_per_octave == 0) o->points_per_octave = 4;
    if (o->rounds_min == 0) o->rounds_min = 5;
    if (o->rounds_max == 0) o->rounds_max = o->rounds_min > 9 ? o->rounds_min : 9;
    if (o->width_frac == 0) o->width_frac = 0.02;
    if (o->run.budget_s == 0) o->run.budget_s = 8;
    o->retakes = o->retakes == 0 ? 2 : o->retakes < 0 ? 0 : o->retakes;
    if (!(o->points_per_octave >= 1 && o->points_per_octave <= 32) || o->rounds_min < 1
        || o->rounds_max < o->rounds_min || o->rounds_max > SERVET_SAMPLES_MAX || !(o->width_frac > 0)
        || !(o->run.budget_s > 0) || o->retakes > 100 || (o->byte_count > 0 && !o->bytes) || o->byte_count < 0
        || !(o->lo_bytes >= o->chase.line_bytes) || !(o->hi_bytes >= o->lo_bytes)) return SERVET_EINVAL;
    return SERVET_OK;
}

/* Puts a footprint into the curve if it is not there. */
SERVET__PRIVATE int servet__curve_insert(servet_curve *curve, double bytes)
{
    int i = curve->count;
    while (i > 0 && curve->point[i - 1].bytes > bytes) i--;
    if (i > 0 && curve->point[i - 1].bytes == bytes) return SERVET_OK;
    if (curve->count >= SERVET_POINTS_MAX) return SERVET_ESPACE;
    memmove(&curve->point[i + 1], &curve->point[i], (size_t)(curve->count - i) * sizeof *curve->point);
    memset(&curve->point[i], 0, sizeof *curve->point);
    curve->point[i].bytes = bytes;
    curve->count++;
    return SERVET_OK;
}

/* Keeps a sample; a full point forgets a disturbed one first, then the oldest. */
SERVET__PRIVATE void servet__point_add(servet_point *p, const servet_sample *s, int round)
{
    int k = p->samples, i;
    if (k == SERVET_SAMPLES_MAX) {
        for (i = 0; i + 1 < k && !p->flags[i]; i++) { }
        if (!p->flags[i]) i = 0;
        for (k--; i < k; i++) {
            p->sample_ns[i] = p->sample_ns[i + 1];
            p->anchor_cycles[i] = p->anchor_cycles[i + 1];
            p->flags[i] = p->flags[i + 1];
            p->round[i] = p->round[i + 1];
        }
    }
    p->sample_ns[k] = s->ns;
    p->anchor_cycles[k] = s->anchor_cycles;
    p->flags[k] = (unsigned char)s->flags;
    p->round[k] = (unsigned char)(round > 255 ? 255 : round);
    p->samples = k + 1;
}

/* One sample, taken again while something disturbs it; the last try stands, with its flags. */
SERVET__PRIVATE int servet__sample_take(servet_curve *curve, servet_sample *s, const servet_machine *m, size_t n,
                                        const servet_mcalibrator_opts *o, uint64_t *seed, double *quiet_anchor)
{
    servet_chase_opts chase = o->chase;
    int try_, status = SERVET_OK;
    for (try_ = 0; try_ <= o->retakes; try_++) {
        if (try_ > 0) curve->retaken++;
        memset(s, 0, sizeof *s);
        chase.seed = servet_stats_random(seed);
        status = m->chase(m->ctx, n, &chase, s);
        if (status < 0) return status;
        curve->taken++;
        if (s->anchor_cycles > 0 && (*quiet_anchor == 0 || s->anchor_cycles < *quiet_anchor))
            *quiet_anchor = s->anchor_cycles;
        if (!s->flags && !(s->anchor_cycles > 1.03 * *quiet_anchor)) break;
    }
    return SERVET_OK;
}

/* A sweep under way. */
typedef struct servet__sweep {
    servet_curve *curve;
    servet_mcalibrator_opts o;  /* resolved */
    servet__watch watch;
    uint64_t seed;
    double   quiet;             /* cycles of the reference chains, undisturbed                       */
    uint32_t turn[SERVET_POINTS_MAX];   /* points whose interval is still wide                       */
    int      open, taken;       /* how many; samples                                                 */
} servet__sweep;

/* The footprints asked for, into x->turn as points of the curve. */
SERVET__PRIVATE int servet__sweep_begin(servet__sweep *x)
{
    const servet_mcalibrator_opts *o = &x->o;
    servet_curve *curve = x->curve;
    double bytes[SERVET_POINTS_MAX];
    int n, i, k;
    if (o->byte_count > SERVET_POINTS_MAX) return SERVET_ESPACE;
    for (n = 0; n < o->byte_count; n++) {
        bytes[n] = floor(o->bytes[n] / o->chase.line_bytes + 0.5) * o->chase.line_bytes;
        if (!(bytes[n] >= o->chase.line_bytes && bytes[n] < 1e15)) return SERVET_EINVAL;
    }
    if (n == 0) n = servet__mcalibrator_grid(bytes, SERVET_POINTS_MAX, o->lo_bytes, o->hi_bytes,
                                             o->points_per_octave, o->chase.line_bytes);
    if (n < 0) return n;
    if (curve->count + n > SERVET_POINTS_MAX) return SERVET_ESPACE;
    if (curve->count == 0) memset(curve, 0, sizeof *curve);
    curve->chase = o->chase;
    curve->huge_frac = -1;
    for (i = 0; i < n; i++) servet__curve_insert(curve, bytes[i]);
    for (i = 0; i < n; i++) {
        for (k = 0; curve->point[k].bytes != bytes[i]; k++) { }
        x->turn[i] = (uint32_t)k;
    }
    x->open = n;
    return SERVET_OK;
}

/* A sample of every open point, in random order; then those that are narrow enough are closed. */
SERVET__PRIVATE int servet__sweep_round(servet__sweep *x, const servet_machine *m, int round)
{
    servet_mcalibrator_opts *o = &x->o;
    int i, status;
    x->curve->rounds++;
    servet__shuffle(x->turn, (size_t)x->open, &x->seed);
    for (i = 0; i < x->open; i++) {
        servet_point *p = &x->curve->point[x->turn[i]];
        servet_sample s;
        if (servet__watch_over(&x->watch, ((double)round + (double)i / x->open) / o->rounds_max)) break;
        if (servet__watch_used(&x->watch) > o->run.budget_s) o->retakes = 0;
        status = servet__sample_take(x->curve, &s, m, (size_t)(p->bytes / o->chase.line_bytes), o, &x->seed, &x->quiet);
        if (status < 0) return status;
        servet__point_add(p, &s, x->curve->rounds);
        x->taken++;
    }
    servet__mcalibrator_settle(x->curve);
    x->quiet = x->curve->anchor_cycles;
    for (i = 0; i < x->open && round + 1 >= o->rounds_min; ) {
        const servet_point *p = &x->curve->point[x->turn[i]];
        if (p->samples - p->noisy < o->rounds_min || p->hi_ns - p->lo_ns > o->width_frac * p->ns) i++;
        else x->turn[i] = x->turn[--x->open];
    }
    return SERVET_OK;
}

SERVET__DEF int servet_mcalibrator_sweep(servet_curve *curve, const servet_machine *m,
                                         const servet_mcalibrator_opts *opts)
{
    servet__sweep x;
    int i, k, round, status = servet__mcalibrator_resolve(&x.o, opts);
    if (!curve || !m || !m->chase || !m->seconds || status < 0) return SERVET_EINVAL;
    if (curve->count < 0 || curve->count > SERVET_POINTS_MAX) return SERVET_EINVAL;
    x.curve = curve;
    status = servet__sweep_begin(&x);
    if (status < 0) return status;
    x.seed = x.o.run.seed;
    x.quiet = curve->anchor_cycles;
    x.taken = 0;
    servet__watch_begin(&x.watch, m, &x.o.run);
    x.watch.limit_s = 2 * x.o.run.budget_s;     /* a first round of all points is worth twice the time */
    for (round = 0; x.open > 0 && round < x.o.rounds_max && !x.watch.over; round++) {
        status = servet__sweep_round(&x, m, round);
        if (status < 0) return status;
        x.watch.limit_s = x.o.run.budget_s;
    }
    for (i = k = 0; i < curve->count; i++) {    /* a sweep that was stopped leaves no empty points */
        if (curve->point[i].samples == 0) continue;
        if (k != i) curve->point[k] = curve->point[i];
        k++;
    }
    curve->count = k;
    for (i = curve->converged = 0; i < curve->count; i++)
        curve->converged += curve->point[i].hi_ns - curve->point[i].lo_ns <= x.o.width_frac * curve->point[i].ns;
    curve->stopped |= x.watch.stopped;
    curve->seconds += servet__watch_elapsed(&x.watch);
    return x.taken > 0 ? SERVET_OK : SERVET_ESTOPPED;
}

#if !defined(SERVET_PURE_ONLY)

SERVET__DEF int servet_mcalibrator(double *bytes, double *cycles, size_t cap, double min_bytes, double max_bytes)
{
    const double two_mib = 2097152, mib = 1048576;
    servet_timer timer;
    servet_frequency f;
    servet_region region;
    double i;
    size_t n = 0, count;
    int status;
    if (min_bytes == 0) min_bytes = 4096;
    if (max_bytes == 0) max_bytes = 16 * mib;
    if (!bytes || !cycles) return SERVET_EINVAL;
    if (!(min_bytes >= 1024) || !(max_bytes >= min_bytes) || !(max_bytes < 1e12)) return SERVET_EINVAL;
    for (i = min_bytes, count = 0; i <= max_bytes; i = i < two_mib ? i * 2 : i + mib) count++;
    if (count > cap) return SERVET_ESPACE;
    status = servet_timer_init(&timer, NULL);
    if (status >= 0) status = servet_timer_frequency(&f, &timer, 0);
    if (status >= 0) status = servet_machine_map(&region, (size_t)max_bytes, SERVET_PAGES_DEFAULT);
    if (status < 0) return status;
    for (i = min_bytes; i <= max_bytes; i = i < two_mib ? i * 2 : i + mib) {
        int *array = (int *)(void *)region.base;
        const size_t size = (size_t)i / sizeof(int);
        size_t j, repeats = 1, k, aux = 0;
        double ns;
        for (j = 0; j < size; j++) array[j] = 1024 / (int)sizeof(int);   /* each position keeps the stride */
        for (;;) {
            uint64_t a = servet_timer_start(&timer), b;
            for (k = 0; k < repeats; k++) {
                SERVET__FENCE();    /* the strides are read again in every traversal */
                for (j = 0; j < size; j += (size_t)array[j]) aux += size;
            }
            b = servet_timer_stop(&timer);
            SERVET__KEEP(aux);
            ns = servet_timer_ns(&timer, a, b);
            if (ns >= servet__max(2e5, timer.min_block_ns) || repeats > ((size_t)1 << 24)) break;
            repeats *= 2;
        }
        bytes[n] = i;
        cycles[n++] = ns / ((double)repeats * ceil((double)size * sizeof(int) / 1024)) * f.ghz;
    }
    servet_machine_unmap(&region);
    return (int)n;
}

#endif /* !SERVET_PURE_ONLY */

/* >>count (implementation) -------------------------------------------------------------------- */

/* P[resident vote | evicted]: a line that luck left, or a reading that came out too low. */
#define SERVET__COUNT_LUCK 0.05
/* P[evicted vote | resident] that is assumed beside a neighbour who evicts all the time: four resident votes of thirty
 * decide. */
#define SERVET__COUNT_PATIENT 0.8
/* Share of resident references, or votes on kept units, that look evicted, below which a run counts as undisturbed. */
#define SERVET__COUNT_CALM 0.25
/* Votes of "evicted" on units that were kept, from which on that is assumed: of a quiet core there are hardly any. */
#define SERVET__COUNT_DISTURBED 0.1
/* Evicted against resident, at least: as of a curve, less is no step. */
#define SERVET__COUNT_STEP 1.25
/* Where the limit lies between the two.  A block is resident if two thirds of its lines are; a group of pages if less
 * than one in eight is missing, as one overfull class of sets takes that many of each group in it. */
#define SERVET__COUNT_LINES 0.35
#define SERVET__COUNT_PAGES 0.125
/* And at most so many times resident: evicted references may come from memory, where a neighbour evicted them from the
 * level behind as well, which then costs less than the limit. */
#define SERVET__COUNT_HIGHEST 1.7
/* Units verified of those filled, below which luck had kept some: replacement is random, and more walks end it. */
#define SERVET__COUNT_LUCKY 0.98
/* Pages that a question itself touches, of stack, readings and constants: as many of a first TLB are not counted. */
#define SERVET__COUNT_OWN 3

/* Do so many votes decide?  1 = resident, -1 = evicted, 0 = ask on.
 *   disturbed_frac   P[evicted vote | resident], .25 to .8; P[resident vote | evicted] is .05
 *   error_frac       of decisions, at most
 * Neighbours only ever evict: at 1 % "resident" takes two votes, "evicted" four or more. */
SERVET__PRIVATE int servet__count_decide(int resident, int evicted, double disturbed_frac, double error_frac)
{
    enum { SERVET__VOTES = 40 };    /* then the likelier of both: a question on the border is not asked for ever */
    const double e = servet__min(servet__max(disturbed_frac, 0.25), SERVET__COUNT_PATIENT), f = SERVET__COUNT_LUCK;
    const double ratio = resident * log((1 - e) / f) + evicted * log(e / (1 - f));
    if (resident + evicted >= SERVET__VOTES || fabs(ratio) > log(1 / error_frac - 1)) return ratio > 0 ? 1 : -1;
    return 0;
}

/* Share of a level's units by which counts of it differ. */
#define SERVET__COUNT_SCATTER 0.03

/* Of how many classes so many units are ways, where it is a power of two, as sets are chosen by bits of addresses; else
 * 0. */
SERVET__PRIVATE double servet__count_classes(double units, int ways)
{
    const double classes = exp2(floor(log2(servet__max(units / ways, 1)) + 0.5)), whole = ways * classes;
    return fabs(whole - units) <= servet__max(1, SERVET__COUNT_SCATTER * whole) ? classes : 0;
}

/* The size of evicting sets that classes make likely, else the most common, if two thirds of those no larger than twice
 * that are nearly as large: a search that took one wrong answer ends with too many blocks; a policy that is no LRU may
 * evict with one too few. */
SERVET__PRIVATE int servet__count_ways(const servet_count *c, double units)
{
    int i, k, best = 0, most = 0;
    for (i = 0; i < c->sets; i++) {
        int equal = servet__count_classes(units, c->set_units[i]) > 0 ? (int)SERVET_COUNT_SETS : 0;
        int agree = 0, near_ = 0;
        for (k = 0; k < c->sets; k++) {
            equal += c->set_units[k] == c->set_units[i];
            agree += abs(c->set_units[k] - c->set_units[i]) <= 1 + c->set_units[i] / 16;
            near_ += c->set_units[k] <= 2 * c->set_units[i];
        }
        if (equal > most && agree >= 3 && 3 * agree >= 2 * near_) most = equal, best = c->set_units[i];
    }
    return best;
}

SERVET__DEF int servet_count_settle(servet_counted *out, const servet_count *c)
{
    double n[SERVET_COUNT_RUNS], sum = 0, doubt = 0, calm = 0;    /* calm: the most of a run that nobody disturbed */
    servet_counted r;
    int i, runs = 0, untold = 0, patient;
    if (!out || !c || c->runs < 0 || c->runs > SERVET_COUNT_RUNS || c->sets < 0 || c->sets > SERVET_COUNT_SETS)
        return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    for (i = 0; i < c->runs; i++) {
        const servet_count_run *run = &c->run[i];
        const int last = run->passes - 1;
        if (!run->full || last < 1 || last >= SERVET_COUNT_PASSES || run->pass[last].kept < 1) continue;
        n[runs++] = (double)run->pass[last].kept * (c->kind == SERVET_COUNT_TLB ? c->loads : 1)
                  + (run->rest > 0 ? run->rest : 0) + c->beside;
        untold = untold || run->rest < 0;
        /* of a TLB groups that miss a page may be kept, and look evicted at times: by themselves */
        patient = run->patient && c->kind != SERVET_COUNT_TLB;
        if (!patient && run->disturbed_frac < SERVET__COUNT_CALM) calm = servet__max(calm, n[runs - 1]);
        doubt = servet__max(doubt, patient ? 1 : run->disturbed_frac);
        if (runs == 1 || run->resident_ns < r.resident_ns) {
            r.resident_ns = run->resident_ns;
            r.evicted_ns = run->evicted_ns;
        }
    }
    if (runs == 0) return SERVET_EUNRESOLVED;
    servet_stats_sort(n, (size_t)runs);
    r.usual_units = n[runs / 2];
    for (i = runs / 2; i < runs; i++) sum += n[i];
    r.units = floor(sum / (runs - runs / 2) + 0.5);
    for (i = runs - 1; i > runs / 2; i--)
        if (n[i - 1] >= 0.99 * n[i]) {
            int k, same = 0;
            r.units = n[i];
            for (k = i; k >= 0 && n[k] >= 0.98 * n[i]; k--) {    /* of these the most common */
                int m, equal = 0;
                for (m = 0; m < runs; m++) equal += n[m] == n[k];
                if (equal > same) same = equal, r.units = n[k];
            }
            break;
        }
    r.lo_units = servet__min(n[(runs - 1) / 4], r.units);
    r.hi_units = servet__max(n[runs - 1], r.units);
    r.disturbed = doubt > SERVET__COUNT_CALM || r.usual_units < 0.99 * r.units;
    if (c->kind == SERVET_COUNT_TLB) {    /* a group that was refused for one page may have had room for the others */
        if (c->before == 0) r.hi_units += SERVET__COUNT_OWN;
        if (untold || c->before > 0) r.hi_units += c->loads - 1;
        /* Where an index spreads pages runs differ by what groups leave free; so may the best and the level. */
        if (c->before > 0) r.hi_units = servet__max(r.hi_units, 2 * r.units - r.lo_units);
    } else if ((r.ways = servet__count_ways(c, r.units)) > 0) {
        double whole = servet__count_classes(r.units, r.ways) * r.ways;
        if (!(whole > 0)) whole = ceil(r.units / r.ways - 0.01) * r.ways;
        if (r.units < 1.5 * r.ways) {    /* one class: all are ways */
            whole = r.units;
            r.ways = fabs(r.units - r.ways) < 1.5 ? (int)(r.units + 0.5) : 0;
        } else if (fabs(whole - r.units) > servet__max(1, 0.01 * whole)) {
            /* A policy that ages lines keeps one through as many others as its set has ways, and more: sets that evict
             * are larger then.  Fewer ways, of which the blocks are a power of two of classes. */
            int ways;
            for (ways = r.ways - 1; 2 * ways >= r.ways; ways--) {
                if (servet__count_classes(r.units, ways) * ways != r.units) continue;
                whole = r.units;
                r.ways = ways;
                break;
            }
        }
        if (r.ways > 0 && fabs(whole - r.units) <= servet__max(1, SERVET__COUNT_SCATTER * whole)) {
            if (r.usual_units >= 0.97 * r.units) r.usual_units = whole;
            r.units = whole;
            if (r.lo_units >= 0.97 * whole) r.lo_units = whole;
            r.hi_units = r.hi_units <= 1.03 * whole ? whole : servet__max(r.hi_units, whole);
        } else r.ways = 0;
    }
    if (r.hi_units > 1.25 * r.units + c->loads && r.lo_units < 0.8 * r.units) return SERVET_EUNRESOLVED;
    /* Someone was there all the time: he may keep as much as is counted, by the same right. */
    if (calm < 0.97 * r.units) r.hi_units = servet__max(r.hi_units, 2 * r.units);
    *out = r;
    return SERVET_OK;
}

/* Share of the loads that were faster: bins are means of as many, in order, so within one it is as between two. */
SERVET__PRIVATE double servet__resident_frac(const servet_resident_point *p, double limit_ns)
{
    int k;
    for (k = 0; k < SERVET_RESIDENT_BINS && p->ns[k] < limit_ns; k++) { }
    if (k == 0 || k == SERVET_RESIDENT_BINS) return (double)k / (int)SERVET_RESIDENT_BINS;
    return (k - 0.5 + (limit_ns - p->ns[k - 1]) / (p->ns[k] - p->ns[k - 1])) / (int)SERVET_RESIDENT_BINS;
}

/* The most that is read in less than a limit, of which two draws say as much; 0 where the limit parts nothing, as
 * draws of up to small_bytes are not below it. */
SERVET__PRIVATE double servet__resident_within(const servet_resident *e, double limit_ns, double small_bytes)
{
    double held[SERVET_RESIDENT_POINTS];
    int i, small = 0, below = 0;
    for (i = 0; i < e->count; i++) {
        const double frac = servet__resident_frac(&e->point[i], limit_ns);
        held[i] = e->point[i].bytes * frac;
        if (e->point[i].bytes > small_bytes) continue;
        small++;
        below += frac > 0.9;
    }
    servet_stats_sort(held, (size_t)e->count);
    return e->count > 1 && 2 * below > small ? held[e->count - 2] : 0;
}

/* Evicted against resident, at least: a sibling thread takes half of a core, and doubles what is resident. */
#define SERVET__HELD_STEP 2.2

SERVET__DEF int servet_count_held(servet_held *out, const servet_resident *e, double anchor_cycles)
{
    enum { SERVET__MIDDLE = SERVET_RESIDENT_BINS / 2 - 1 };
    double held[SERVET_RESIDENT_POINTS], sd[SERVET_RESIDENT_POINTS], some[SERVET_RESIDENT_POINTS];
    double limit_ns, top, sum = 0;
    servet_held h;
    int i, k, n, there = 0, large = 0, clean = 0, agree = 0;
    if (!out || !e || e->count < 0 || e->count > SERVET_RESIDENT_POINTS) return SERVET_EINVAL;
    memset(&h, 0, sizeof h);
    for (i = 0; i < e->count; i++) {
        const servet_resident_point *p = &e->point[i];
        if (!(p->bytes > 0)) return SERVET_EINVAL;
        if (i == 0 || p->ns[SERVET__MIDDLE] < h.resident_ns) h.resident_ns = p->ns[SERVET__MIDDLE];
        if (p->anchor_cycles > 0 && (!(anchor_cycles > 0) || p->anchor_cycles < anchor_cycles))
            anchor_cycles = p->anchor_cycles;
    }
    for (n = i = 0; i < e->count; i++) {    /* behind the bin in which both meet */
        for (k = 0; k < SERVET_RESIDENT_BINS && e->point[i].ns[k] <= SERVET__HELD_STEP * h.resident_ns; k++) { }
        if (k + 2 < SERVET_RESIDENT_BINS) some[n++] = e->point[i].ns[k + 1];
    }
    if (n == 0) return SERVET_EUNRESOLVED;
    servet_stats_sort(some, (size_t)n);
    h.evicted_ns = some[n / 2];
    limit_ns = h.resident_ns + 0.6 * (h.evicted_ns - h.resident_ns);    /* what disturbs only adds */
    for (i = 0; i < e->count; i++) {
        const double bytes = e->point[i].bytes, frac = servet__resident_frac(&e->point[i], limit_ns);
        held[i] = bytes * frac;
        sd[i] = bytes * sqrt((frac * (1 - frac) + 1e-3)
                             / servet__min(bytes / SERVET_COUNT_BLOCK, (int)SERVET_TRACK_PARTS));
    }
    for (i = 0; i < e->count; i++) {    /* a footprint, where it occurs first */
        for (k = 0; k < i && e->point[k].bytes != e->point[i].bytes; k++) { }
        if (k < i) continue;
        for (n = 0, k = i; k < e->count; k++) if (e->point[k].bytes == e->point[i].bytes) some[n++] = held[k];
        servet_stats_sort(some, (size_t)n);
        h.usual_bytes = servet__max(h.usual_bytes, some[n / 2]);
    }
    memcpy(some, held, sizeof held);
    servet_stats_sort(some, (size_t)e->count);
    top = some[e->count > 1 ? e->count - 2 : 0];
    for (i = 0; i < e->count; i++)    /* of draws that say the same the largest came out too large */
        if (held[i] > top - 3 * sd[i]) {
            sum += held[i];
            there++;
        }
    h.bytes = sum / there;
    for (i = 0; i < e->count; i++) {
        const servet_resident_point *p = &e->point[i];
        if (p->bytes < 1.2 * h.bytes) continue;
        large++;
        if (p->flags || p->anchor_cycles > 1.03 * anchor_cycles) continue;
        clean++;
        agree += held[i] > 0.9 * h.bytes;
    }
    h.usual_bytes = servet__min(h.usual_bytes, h.bytes);
    h.disturbed = agree < 2 || 2 * agree < clean;
    h.lo_bytes = 0.9 * h.bytes;
    /* what others keep all the time is not seen: up to as much again, the more draws they disturbed */
    h.hi_bytes = h.bytes * (h.disturbed ? 2 : 1.1 + 0.9 * (1 - (double)clean / large));
    *out = h;
    return SERVET_OK;
}

#if !defined(SERVET_PURE_ONLY)

enum { SERVET__COUNT_BATCH = 32, SERVET__COUNT_LOADS = 64, SERVET__COUNT_SHARE = 16 };

/* A count under way. */
typedef struct servet__counting {
    const servet_machine *m;
    servet_count_opts o;
    servet_count *out;
    servet_count_run *run;
    servet__watch watch;
    uint64_t  seed;
    int       whole;                /* cache: 1 = all lines of a block are used                      */
    int       offset[SERVET__COUNT_LOADS];  /* cache: the lines of a block, in places, in the order walked */
    int       few, start, many;     /* units, as planned                                            */
    int       units;                /* of the pool                                                  */
    uint32_t *unit;                 /* the pool in random order: blocks, or groups of pages         */
    uint32_t *kept, *refused;
    int       kept_n, refused_n;
    int       kept_votes, kept_evicted;     /* votes on units that were kept; "evicted" among them  */
    int       walks;                /* in searches among kept units                                 */
    int       pages;                /* TLB: SERVET_PAGES_*                                            */
    uint32_t  apart;                /* TLB: of so many pages in a row one is used                     */
    int       extra;                /* TLB: pages of a refused group that are walked besides          */
    uint32_t *place, *between;      /* lists for a question                                         */
    int       status;
} servet__counting;

SERVET__PRIVATE int servet__count_over(servet__counting *c)
{
    return c->status < 0 || servet__watch_over(&c->watch, 0);
}

/* Place of the k-th load of a unit.  Of a group of pages each page has another line, so that the sets of caches are
 * used evenly.  Of a first TLB one page of each 16 in a row, as an entry may hold several that follow each other (Zen:
 * four, so that 72 entries came out as 288); which one goes round, so that all sets are used.  Of a second TLB pages
 * alias, a line of each of few frames, so that data stay in the first level however many pages there are. */
SERVET__PRIVATE uint32_t servet__count_place(const servet__counting *c, uint32_t unit, int k)
{
    const uint32_t lines = (uint32_t)(c->out->unit_bytes / 64);
    const uint32_t places = (uint32_t)(c->out->unit_bytes / SERVET_PLACE_BYTES);
    uint32_t page = unit * (uint32_t)c->out->loads + (uint32_t)k;
    const uint32_t line = (page * 401 + page / lines) % lines;
    if (c->out->kind == SERVET_COUNT_CACHE)
        return unit * (uint32_t)(SERVET_COUNT_BLOCK / SERVET_PLACE_BYTES) + (uint32_t)c->offset[k];
    if (c->pages == SERVET_PAGES_ALIAS) {
        return page * places + page % SERVET_ALIAS_FRAMES % lines * (64 / SERVET_PLACE_BYTES);
    }
    if (c->apart > 1) {
        const uint32_t row = page / c->apart, at = page % c->apart;
        page = (row * c->apart + (at + row) % c->apart) * c->apart + at;
    }
    return page * places + line * (64 / SERVET_PLACE_BYTES);
}

/* The list of what is walked.  Blocks line by line, one line of each block after the other: all lines of such a column
 * fall into one set of a first level whose ways are of 4 KiB, so that it evicts itself there and passes through to the
 * level that is counted.  Pages in random order. */
SERVET__PRIVATE size_t servet__count_walked(servet__counting *c, const uint32_t *unit, int units)
{
    size_t n = 0;
    int i, k;
    for (k = 0; k < c->out->loads; k++)
        for (i = 0; i < units; i++) c->between[n++] = servet__count_place(c, unit[i], k);
    if (c->out->kind == SERVET_COUNT_TLB) {
        servet__shuffle(c->between, n, &c->seed);
        for (k = 0; k < c->extra; k++) c->between[n++] = servet__count_place(c, c->refused[0], k);
    }
    return n;
}

/* Readings in ns a load: of each repeat those of all units.  between_n places are walked before each. */
SERVET__PRIVATE int servet__count_read(servet__counting *c, double *ns, const uint32_t *unit, int units,
                                       size_t between_n, int walks, int repeats)
{
    const int loads = c->out->loads;
    servet_track t;
    servet_sample sample;
    int i, k;
    memset(&t, 0, sizeof t);
    for (i = 0; i < units; i++) {
        for (k = 0; k < loads; k++) c->place[i * loads + k] = servet__count_place(c, unit[i], k);
        if (c->out->kind == SERVET_COUNT_TLB) servet__shuffle(c->place + i * loads, (size_t)loads, &c->seed);
    }
    t.place = c->place;
    t.n = (size_t)(units * loads);
    t.parts = units;
    t.between = between_n ? c->between : NULL;
    t.between_n = between_n;
    t.between_passes = walks;
    t.repeats = repeats;
    t.raw = 1;
    t.pages = c->pages;
    c->out->questions += units * repeats;
    return c->status = c->m->track(c->m->ctx, &t, ns, &sample);
}

SERVET__PRIVATE int servet__count_verdict(const servet__counting *c, int resident, int evicted, double error_frac)
{
    const double disturbed_frac = c->run->patient ? SERVET__COUNT_PATIENT : c->run->disturbed_frac;
    return servet__count_decide(resident, evicted, disturbed_frac, error_frac);
}

/* Asks some units at once; those that stay are kept from then on, others are refused.  As each is decided by itself,
 * two that compete for the last way of a set are not both kept: the one decided first is walked from then on.  Returns
 * how many stayed. */
SERVET__PRIVATE int servet__count_ask(servet__counting *c, const uint32_t *asked, int n, int walks,
                                      servet_count_pass *pass)
{
    enum { SERVET__REPEATS = 2 };
    uint32_t unit[SERVET__COUNT_BATCH];
    int yes[SERVET__COUNT_BATCH], no[SERVET__COUNT_BATCH], i, k, left = n, stayed = 0;
    double ns[(int)SERVET__COUNT_BATCH * (int)SERVET__REPEATS];
    size_t between_n = servet__count_walked(c, c->kept, c->kept_n);
    for (i = 0; i < n; i++) {
        unit[i] = asked[i];
        yes[i] = no[i] = 0;
    }
    pass->asked += n;
    while (left > 0 && !servet__count_over(c)) {
        const int count = left, before = c->kept_n;
        if (servet__count_read(c, ns, unit, count, between_n, walks, SERVET__REPEATS) < 0) break;
        for (i = left = 0; i < count; i++) {
            int verdict;
            for (k = 0; k < SERVET__REPEATS; k++) {
                const int in = ns[k * count + i] < c->run->limit_ns;
                yes[i] += in;
                no[i] += !in;
                pass->resident_votes += in;
                pass->evicted_votes += !in;
            }
            verdict = servet__count_verdict(c, yes[i], no[i], 0.01);
            if (verdict > 0) {
                c->kept[c->kept_n++] = unit[i];
                c->kept_votes += yes[i] + no[i];
                c->kept_evicted += no[i];
            } else if (verdict < 0) c->refused[c->refused_n++] = unit[i];
            else {
                unit[left] = unit[i];
                yes[left] = yes[i];
                no[left++] = no[i];
            }
        }
        stayed += c->kept_n - before;
        if (c->kept_n > before && left > 0) between_n = servet__count_walked(c, c->kept, c->kept_n);
    }
    for (i = 0; i < left; i++) c->refused[c->refused_n++] = unit[i];    /* time was over */
    return stayed;
}

/* Units asked at once: few enough that two of one class of sets, which would evict each other, are rare. */
SERVET__PRIVATE int servet__count_batch(const servet__counting *c, int left)
{
    const int n = c->kept_n / SERVET__COUNT_SHARE;
    const int batch = n < 1 ? 1 : n > SERVET__COUNT_BATCH ? SERVET__COUNT_BATCH : n;
    return batch < left ? batch : left;
}

/* Limit between resident and evicted, from units of which it is known: resident, behind units enough to be out of the
 * level before; evicted, behind many more than the level holds.  0 where the two do not part. */
SERVET__PRIVATE int servet__count_references(servet__counting *c)
{
    enum { SERVET__TRIES = 5, SERVET__READS = 15, SERVET__FAR = 3 };
    double in[SERVET__TRIES][SERVET__READS], sorted[SERVET__READS], out[SERVET__READS];
    double middle[SERVET__TRIES], wide[SERVET__TRIES], step = 0;
    servet_count_run *r = c->run;
    const double part = c->out->kind == SERVET_COUNT_TLB ? SERVET__COUNT_PAGES : SERVET__COUNT_LINES;
    int i, k, above = 0;
    for (i = 0; i < SERVET__TRIES; i++) {
        const size_t n = servet__count_walked(c, c->unit, c->few);
        if (servet__count_over(c)) return 0;
        if (servet__count_read(c, in[i], &c->unit[c->few + i], 1, n, 4, SERVET__READS) < 0) return 0;
        memcpy(sorted, in[i], sizeof sorted);
        servet_stats_sort(sorted, SERVET__READS);
        for (k = 1; k < SERVET__READS; k++)    /* of the timer: the least distance of two readings, but for rounding */
            if (sorted[k] > 1.03 * sorted[k - 1] && !(step > 0 && step < sorted[k] - sorted[k - 1]))
                step = sorted[k] - sorted[k - 1];
        middle[i] = sorted[SERVET__READS / 2];
        wide[i] = servet_stats_quantile(sorted, SERVET__READS, 0.75)
                - servet_stats_quantile(sorted, SERVET__READS, 0.25);
    }
    /* Not the least: a block whose class of the level before has room never left that. */
    servet_stats_sort(middle, SERVET__TRIES);
    servet_stats_sort(wide, SERVET__TRIES);
    r->resident_ns = middle[SERVET__TRIES / 2];
    for (i = 0; i < SERVET__READS && !servet__count_over(c); i += SERVET__FAR) {
        const size_t n = servet__count_walked(c, c->unit + c->units - c->many, c->many);
        servet__count_read(c, out + i, &c->unit[c->few + i], 1, n, 1, SERVET__FAR);
    }
    if (servet__count_over(c)) return 0;
    servet_stats_sort(out, SERVET__READS);
    r->evicted_ns = servet_stats_quantile(out, SERVET__READS, 1.0 / 3);
    /* At least between two steps of the timer, and what resident readings scatter by. */
    r->limit_ns = r->resident_ns + servet__max(servet__max(part * (r->evicted_ns - r->resident_ns), 1.5 * step),
                                               wide[SERVET__TRIES / 2]);
    if (c->out->kind == SERVET_COUNT_CACHE)
        r->limit_ns = servet__min(r->limit_ns, SERVET__COUNT_HIGHEST * r->resident_ns);
    for (i = 0; i < SERVET__TRIES; i++) for (k = 0; k < SERVET__READS; k++) above += in[i][k] >= r->limit_ns;
    r->disturbed_frac = (above + 1.0) / (SERVET__TRIES * SERVET__READS + 2);
    return r->evicted_ns > SERVET__COUNT_STEP * r->resident_ns
        && r->evicted_ns - r->resident_ns > servet__max(3 * wide[SERVET__TRIES / 2], 2.5 * step);
}

/* Adds units of a list until so many in a row were refused; returns whether there were.
 * A class with room is one of kept / ways: r random units in a row miss it by exp(-r ways / kept), with 16 ways and
 * r = kept / 4 by 2 %. */
SERVET__PRIVATE int servet__count_add(servet__counting *c, const uint32_t *unit, int units, int least,
                                      servet_count_pass *pass)
{
    int row = 0, next = 0;
    while (row < least || row < c->kept_n / 4) {
        const int n = servet__count_batch(c, units - next);
        if (n < 1 || servet__count_over(c)) return 0;
        row = servet__count_ask(c, unit + next, n, pass->walks, pass) > 0 ? 0 : row + n;
        next += n;
    }
    return 1;
}

/* Keeps the first `start` unasked, then adds others. */
SERVET__PRIVATE void servet__count_fill(servet__counting *c, int start, int least)
{
    servet_count_pass *pass = &c->run->pass[c->run->passes++];
    pass->walks = 2;
    c->refused_n = 0;
    for (c->kept_n = 0; c->kept_n < start; c->kept_n++) c->kept[c->kept_n] = c->unit[c->kept_n];
    c->run->full = servet__count_add(c, c->unit + start, c->units - start, least, pass);
    pass->kept = c->kept_n;
}

/* Asks each kept unit against the others, then the refused ones. */
SERVET__PRIVATE void servet__count_verify(servet__counting *c, int walks)
{
    servet_count_pass *pass = &c->run->pass[c->run->passes++];
    uint32_t batch[SERVET__COUNT_BATCH];
    int again, left, n;
    pass->walks = walks;
    for (again = 0; again < 2; again++) {
        uint32_t *list = again ? c->refused : c->kept;
        int *count = again ? &c->refused_n : &c->kept_n;
        for (left = *count; left > 0 && !servet__count_over(c); left -= n) {
            n = servet__count_batch(c, left);
            memcpy(batch, list, (size_t)n * sizeof *batch);
            *count -= n;
            memmove(list, list + n, (size_t)*count * sizeof *list);
            servet__count_ask(c, batch, n, walks, pass);
        }
    }
    if (servet__count_over(c)) c->run->full = 0;    /* what was not asked again is missing */
    pass->kept = c->kept_n;
}

/* Do some units evict another one? */
SERVET__PRIVATE int servet__count_evicts(servet__counting *c, uint32_t unit, const uint32_t *other, int others)
{
    enum { SERVET__REPEATS = 2 };
    double ns[SERVET__REPEATS];
    int yes = 0, no = 0, verdict = 0, k;
    const size_t n = servet__count_walked(c, other, others);
    while (!verdict && !servet__count_over(c)) {
        if (servet__count_read(c, ns, &unit, 1, n, c->walks, SERVET__REPEATS) < 0) return 0;
        for (k = 0; k < SERVET__REPEATS; k++) {
            yes += ns[k] < c->run->limit_ns;
            no += !(ns[k] < c->run->limit_ns);
        }
        /* of some hundred in a search none may be wrong */
        verdict = servet__count_verdict(c, yes, no, 0.001);
    }
    return verdict < 0;
}

/* Size of the smallest set of kept units that evicts a refused one: groups that are not needed are left out, ever
 * smaller ones.  0 where nothing does, or where a wrong answer left out what was needed. */
SERVET__PRIVATE int servet__count_set(servet__counting *c, uint32_t unit)
{
    uint32_t *set = c->refused + c->refused_n, *aside = set + c->kept_n;
    int n = c->kept_n, group, i;
    memcpy(set, c->kept, (size_t)n * sizeof *set);
    if (!servet__count_evicts(c, unit, set, n)) return 0;
    for (group = n > 16 ? n / 16 : 1; group >= 1; group /= 2)
        for (i = (n - 1) / group * group; i >= 0 && !servet__count_over(c); i -= group) {
            const int size = n - i < group ? n - i : group;
            if (size >= n) break;
            memcpy(aside, set + i, (size_t)size * sizeof *aside);
            memmove(set + i, set + i + size, (size_t)(n - i - size) * sizeof *set);
            if (servet__count_evicts(c, unit, set, n - size)) {
                n -= size;
            } else {
                memmove(set + i + size, set + i, (size_t)(n - i - size) * sizeof *set);
                memcpy(set + i, aside, (size_t)size * sizeof *aside);
            }
        }
    return !servet__count_over(c) && servet__count_evicts(c, unit, set, n) ? n : 0;
}

/* Mean reading of the kept groups behind themselves and so many pages of a refused one. */
SERVET__PRIVATE double servet__count_beside(servet__counting *c, int extra)
{
    const int groups = (int)servet__min(c->kept_n, SERVET__COUNT_BATCH), readings = groups * SERVET_TRACK_REPEATS;
    double ns[(int)SERVET__COUNT_BATCH * (int)SERVET_TRACK_REPEATS], sum = 0;
    size_t n;
    int i;
    c->extra = extra;
    n = servet__count_walked(c, c->kept, c->kept_n);
    c->extra = 0;
    if (servet__count_read(c, ns, c->kept, groups, n, c->walks, SERVET_TRACK_REPEATS) < 0) return 0;
    for (i = 0; i < readings; i++)    /* an interrupt adds no more than an evicted group */
        sum += servet__min(ns[i], c->run->evicted_ns);
    return sum / readings;
}

/* Do so many pages of a refused group fit beside those kept?  1, -1, or 0 = not told.  If not, one page at least is
 * missed in each walk, however entries are replaced: less than the counter's step of one reading, but not of the mean
 * of dozens.  Of such means the lower quartile, as neighbours only evict. */
SERVET__PRIVATE int servet__count_fits(servet__counting *c, int extra)
{
    enum { SERVET__MEANS = 32 };
    /* one page missed, in ns a load */
    const double page_ns = (c->run->evicted_ns - c->run->resident_ns) / (c->out->loads * c->kept_n);
    double with[SERVET__MEANS], without[SERVET__MEANS], ns;
    int i;
    for (i = 0; i < SERVET__MEANS; i++) {
        if (servet__count_over(c)) return 0;
        with[i] = servet__count_beside(c, extra);
        without[i] = servet__count_beside(c, 0);
    }
    servet_stats_sort(with, SERVET__MEANS);
    servet_stats_sort(without, SERVET__MEANS);
    ns = servet_stats_quantile(without, SERVET__MEANS, 0.25);
    if (ns - without[0] > 4 * page_ns) return 0;    /* the quartile misses four pages more than the least: evicted */
    return servet_stats_quantile(with, SERVET__MEANS, 0.25) - ns < page_ns / 2 ? 1 : -1;
}

/* Share of readings that look evicted of three quarters of the units kept, behind themselves: by others alone. */
SERVET__PRIVATE double servet__count_disturbed(servet__counting *c)
{
    enum { SERVET__TURNS = 4 };
    double ns[(int)SERVET__COUNT_BATCH * (int)SERVET__TURNS];
    const int units = 3 * c->kept_n / 4, asked = units < SERVET__COUNT_BATCH ? units : SERVET__COUNT_BATCH;
    const size_t n = servet__count_walked(c, c->kept, units);
    int i, above = 0;
    if (asked < 1 || servet__count_read(c, ns, c->kept, asked, n, 2, SERVET__TURNS) < 0) return 0;
    for (i = 0; i < asked * SERVET__TURNS; i++) above += ns[i] >= c->run->limit_ns;
    return above / (double)(asked * SERVET__TURNS);
}

/* How many pages of a refused group fit beside those kept. */
SERVET__PRIVATE void servet__count_rest(servet__counting *c)
{
    int lo = 0, hi = c->out->loads - 1;
    c->run->rest = -1;
    while (lo < hi && c->refused_n > 0 && c->kept_n > 0) {
        const int middle = (lo + hi + 1) / 2, fits = servet__count_fits(c, middle);
        if (fits == 0) return;
        if (fits > 0) lo = middle;
        else hi = middle - 1;
    }
    c->run->rest = lo;
}

/* Is it a TLB's step?  A translation is missed once for a block, a line each time: of all lines of a block a miss of
 * the TLB costs a part of what it does of a few, one of the cache as much.  Only small steps are asked. */
SERVET__PRIVATE int servet__count_translated(servet__counting *c)
{
    const servet_count_run few = *c->run;
    const int loads = c->out->loads;
    int offset[SERVET__COUNT_LOADS], i, parted;
    double step_ns;
    if (c->o.before_units == 0 || 4 * loads > SERVET__COUNT_LOADS || few.evicted_ns > 2 * few.resident_ns) return 0;
    memcpy(offset, c->offset, sizeof offset);
    c->out->loads = SERVET__COUNT_LOADS;
    for (i = 0; i < SERVET__COUNT_LOADS; i++) c->offset[i] = i * (64 / SERVET_PLACE_BYTES);
    parted = servet__count_references(c);
    step_ns = c->run->evicted_ns - c->run->resident_ns;
    c->out->loads = loads;
    memcpy(c->offset, offset, sizeof offset);
    *c->run = few;
    return !parted || step_ns < 0.5 * (few.evicted_ns - few.resident_ns);
}

/* Lines of a block: as few as tell resident from evicted, as what is timed longer is disturbed more. */
SERVET__PRIVATE int servet__count_loads(servet__counting *c)
{
    int loads = c->whole ? (int)SERVET__COUNT_LOADS : c->o.before_units > 0 ? 8 : 16, i;
    if (c->out->kind == SERVET_COUNT_TLB) return servet__count_references(c);
    for (; loads <= SERVET__COUNT_LOADS; loads *= 2) {
        const int lines = SERVET_COUNT_BLOCK / 64;
        const int first = (int)servet_stats_random_below(&c->seed, (size_t)lines);
        c->out->loads = loads;
        /* Evenly apart: where an index exchanges the lines inside a page, such a part of them stays one. */
        for (i = 0; i < loads; i++)
            c->offset[i] = (first + i * (lines / loads)) % lines * (64 / SERVET_PLACE_BYTES);
        for (i = loads - 1; i > 0; i--) {
            const int k = (int)servet_stats_random_below(&c->seed, (size_t)i + 1), t = c->offset[i];
            c->offset[i] = c->offset[k];
            c->offset[k] = t;
        }
        if (servet__count_references(c)) return !servet__count_translated(c);
        if (servet__count_over(c)) return 0;
    }
    return 0;
}

/* Do as many blocks as a count begins with stay with all their lines, too?  Not where an index mixes the lines of a
 * page: a part of them then spreads over more sets than its own. */
SERVET__PRIVATE int servet__count_holds(servet__counting *c)
{
    enum { SERVET__ASKED = 8 };
    const int part = c->out->loads, start = c->start > c->few ? c->start : c->few;
    const int n = start < SERVET__ASKED ? start : (int)SERVET__ASKED;
    servet_count_pass none;
    int i, offset[SERVET__COUNT_LOADS], stayed;
    if (c->out->kind != SERVET_COUNT_CACHE || part == SERVET__COUNT_LOADS || n < 1) return 1;
    memset(&none, 0, sizeof none);
    memcpy(offset, c->offset, sizeof offset);
    for (c->kept_n = 0; c->kept_n < start - n; c->kept_n++) c->kept[c->kept_n] = c->unit[n + c->kept_n];
    c->refused_n = 0;
    c->out->loads = SERVET__COUNT_LOADS;
    for (i = 0; i < SERVET__COUNT_LOADS; i++) c->offset[i] = i * (64 / SERVET_PLACE_BYTES);
    stayed = servet__count_ask(c, c->unit, n, 2, &none);
    c->out->loads = part;
    memcpy(c->offset, offset, sizeof offset);
    return 2 * stayed >= n;
}

/* Small pages are touched in random order first: frames that follow each other as pages do may share an entry. */
SERVET__PRIVATE void servet__count_touch(servet__counting *c)
{
    double ns;
    int i;
    for (i = 0; i < c->units; i++) c->unit[i] = (uint32_t)i;
    if (c->pages == SERVET_PAGES_SMALL)
        servet__count_read(c, &ns, c->unit, 1, servet__count_walked(c, c->unit + 1, c->units - 1), 1, 1);
}

/* One run: limits, fill, verify.  0 where the level was not filled. */
SERVET__PRIVATE int servet__count_run(servet__counting *c)
{
    const int tlb = c->out->kind == SERVET_COUNT_TLB;
    int i, start = c->start;
    servet_count_run *r = c->run = &c->out->run[c->out->runs++];
    memset(r, 0, sizeof *r);
    for (i = 0; i < c->units; i++) c->unit[i] = (uint32_t)i;
    servet__shuffle(c->unit, (size_t)c->units, &c->seed);
    if (!servet__count_loads(c)) return 0;
    if (!c->whole && !servet__count_holds(c)) {    /* by so much the level seemed larger */
        c->start = start = start * c->out->loads / (int)SERVET__COUNT_LOADS;
        c->whole = 1;
        if (!servet__count_loads(c)) return 0;
    }
    servet__count_fill(c, start > c->few ? start : c->few, tlb ? 8 : 24);
    c->kept_votes = c->kept_evicted = 0;
    servet__count_verify(c, c->walks = 8);
    if (c->kept_evicted > SERVET__COUNT_DISTURBED * c->kept_votes) {
        /* A neighbour evicts units of which it is known that they fit: so it does others that do.  Shorter questions,
         * and more patience. */
        r->patient = 1;
        servet__count_verify(c, c->walks = 2);
    } else if (r->full && r->pass[1].kept < SERVET__COUNT_LUCKY * r->pass[0].kept - 1) {
        servet__count_verify(c, c->walks = 32);    /* luck that eight walks did not end */
    }
    if (r->full && tlb && c->o.before_units == 0) servet__count_rest(c);
    if (r->full && tlb) r->disturbed_frac = servet__max(r->disturbed_frac, servet__count_disturbed(c));
    return r->full;
}

/* Smallest sets that evict, of a few refused blocks: of several runs two each, as where one counted less its sets are
 * smaller too. */
SERVET__PRIVATE void servet__count_sets(servet__counting *c, int runs)
{
    servet_count *r = c->out;
    const int most = runs > 1 ? 2 : (int)SERVET_COUNT_SETS;
    int i;
    for (i = 0; i < most && i < c->refused_n && r->sets < SERVET_COUNT_SETS && !servet__count_over(c); i++) {
        const int n = servet__count_ways(r, c->kept_n) > 0 ? 0 : servet__count_set(c, c->refused[i]);
        if (n > 0) r->set_units[r->sets++] = n;
    }
}

/* How many units are needed, and memory for the lists.  few: that leave the level before behind; start: that surely
 * fit; many: that surely evict. */
SERVET__PRIVATE int servet__count_plan(servet__counting *c)
{
    enum { SERVET__GROUP = 16 };
    servet_count *r = c->out;
    const servet_count_opts *o = &c->o;
    const int tlb = r->kind == SERVET_COUNT_TLB, per = tlb ? o->group_pages ? o->group_pages : (int)SERVET__GROUP : 1;
    const double about = o->about_units / per, unit_bytes = per * r->unit_bytes;
    const size_t batch = (size_t)SERVET__COUNT_BATCH * SERVET__COUNT_LOADS;
    int most;
    r->loads = tlb ? per : (int)SERVET__COUNT_LOADS;
    /* twice what evicts all but by chance: of a level of two ways a class may get few of them */
    c->few = o->before_units > 0 ? (int)ceil(2.5 * o->before_units / per) + 2 : 0;
    c->start = (int)(about / 2);
    /* Of a first TLB no more than the second holds: else its misses, cheaper than a page walk, count as hits. */
    c->many = (int)ceil((o->before_units > 0 && !tlb ? 6 : 4) * about) + (!tlb || o->before_units > 0 ? 16 : 0);
    c->pages = !tlb || o->large ? SERVET_PAGES_DEFAULT : o->before_units > 0 ? SERVET_PAGES_ALIAS : SERVET_PAGES_SMALL;
    /* Of the units that are drawn until every class of sets is full most are refused.  Memory is not used before. */
    c->units = c->many + c->few + (int)SERVET__COUNT_BATCH + (tlb && o->before_units == 0 ? 0 : 10 * (int)about);
    most = c->pages == SERVET_PAGES_ALIAS ? (int)SERVET_ALIAS_PAGES / per
                                          : (int)servet__min(c->m->bytes / unit_bytes, 16777216);
    if (c->units > most) c->units = most;
    if (c->many > c->units - c->few - (int)SERVET__COUNT_BATCH) c->many = c->units - c->few - (int)SERVET__COUNT_BATCH;
    if (c->many < 2 * about) return SERVET_EUNSUPPORTED;
    r->reach = (double)c->units * per;
    for (c->apart = tlb && o->before_units == 0 && !o->large ? 16 : 1; c->apart > 1; c->apart /= 2)
        if ((c->units + 1) * unit_bytes * c->apart <= c->m->bytes) break;
    /* the pool; kept; refused, and behind them a set and what is taken out of it; lists of a question */
    c->unit = (uint32_t *)malloc(((size_t)c->units * (size_t)(6 + r->loads) + batch + (size_t)SERVET__COUNT_LOADS)
                                 * sizeof *c->unit);
    if (!c->unit) return SERVET_ENOMEM;
    c->kept = c->unit + c->units;
    c->refused = c->kept + c->units;
    c->place = c->refused + 4 * (size_t)c->units;
    c->between = c->place + batch;
    return SERVET_OK;
}

SERVET__PRIVATE int servet__count_level(servet_count *out, const servet_machine *m, const servet_count_opts *opts,
                                        int kind)
{
    servet__counting c;
    servet_count r;
    servet_counted known;
    int runs, i;
    if (!out || !m || !m->seconds || !opts || !(opts->about_units >= 1 && opts->about_units <= 1048576)
        || !(opts->before_units >= 0 && opts->before_units <= 1048576) || !(opts->run.budget_s >= 0) || opts->runs < 0
        || opts->runs > SERVET_COUNT_RUNS || opts->group_pages < 0 || opts->group_pages > SERVET__COUNT_LOADS
        || !(opts->page_bytes == 0 || (opts->page_bytes >= 4096 && fmod(opts->page_bytes, 64) == 0)))
        return SERVET_EINVAL;
    if (!m->track) return SERVET_EUNSUPPORTED;
    memset(&c, 0, sizeof c);
    memset(&r, 0, sizeof r);
    c.m = m;
    c.o = *opts;
    c.out = &r;
    c.seed = opts->run.seed;
    if (c.o.run.budget_s == 0) c.o.run.budget_s = 0.25;
    servet__watch_begin(&c.watch, m, &c.o.run);
    servet__watch_own(&c.watch);
    r.kind = kind;
    r.unit_bytes = kind == SERVET_COUNT_CACHE ? SERVET_COUNT_BLOCK : opts->page_bytes > 0 ? opts->page_bytes : 4096;
    r.before = opts->before_units;
    r.large = opts->large != 0;
    runs = opts->runs ? opts->runs : opts->before_units > 0 ? 1 : 5;
    c.status = servet__count_plan(&c);
    if (c.status < 0) return c.status;
    servet__count_touch(&c);
    for (i = 0; i < runs && !servet__count_over(&c); i++) {
        if (!servet__count_run(&c) || kind == SERVET_COUNT_TLB) continue;
        servet__count_sets(&c, runs);
        /* Whole classes of sets of known ways: a second run would say the same. */
        if (opts->before_units > 0 && servet_count_settle(&known, &r) >= 0 && known.ways > 0 && !known.disturbed) break;
    }
    free(c.unit);
    if (c.status < 0) return c.status;
    r.stopped = c.watch.stopped;
    r.seconds = servet__watch_elapsed(&c.watch);
    if (r.runs == 0) return SERVET_ESTOPPED;
    *out = r;
    return SERVET_OK;
}

SERVET__DEF int servet_count_cache(servet_count *out, const servet_machine *m, const servet_count_opts *opts)
{
    return servet__count_level(out, m, opts, SERVET_COUNT_CACHE);
}

SERVET__DEF int servet_count_tlb(servet_count *out, const servet_machine *m, const servet_count_opts *opts)
{
    return servet__count_level(out, m, opts, SERVET_COUNT_TLB);
}

/* Blocks of a footprint, of which every q-th is timed, 16 or a multiple of it in all: about n. */
SERVET__PRIVATE int servet__resident_blocks(double n, int *parts)
{
    const int q = (int)ceil(n / (int)SERVET_TRACK_PARTS);
    *parts = (int)(n / q) / SERVET_RESIDENT_BINS * SERVET_RESIDENT_BINS;
    return *parts * q;
}

/* Draws n blocks, reads them and times a few lines of each of some. */
SERVET__PRIVATE int servet__resident_ask(servet_resident_point *p, const servet_machine *m, uint32_t *block, int pool,
                                         double n, uint32_t *between, uint64_t *seed)
{
    enum { SERVET__BLOCK_LINES = SERVET_COUNT_BLOCK / 64,
           SERVET__LINE_PLACES = 64 / SERVET_PLACE_BYTES,
           SERVET__BLOCK_PLACES = SERVET_COUNT_BLOCK / SERVET_PLACE_BYTES };
    double ns[SERVET_TRACK_PARTS];
    servet_track t;
    servet_sample sample;
    int parts, i, k, status;
    const int blocks = servet__resident_blocks(n, &parts), each = parts / SERVET_RESIDENT_BINS;
    for (i = 0; i < blocks; i++) {
        const size_t other = (size_t)i + servet_stats_random_below(seed, (size_t)(pool - i));
        const uint32_t b = block[other];
        const int line = (int)servet_stats_random_below(seed, SERVET__BLOCK_LINES);
        block[other] = block[i];
        block[i] = b;
        for (k = 0; k < SERVET__BLOCK_LINES; k++)    /* all in order, as a cache may keep others longer */
            *between++ = b * SERVET__BLOCK_PLACES
                       + (uint32_t)((line + k) % SERVET__BLOCK_LINES * SERVET__LINE_PLACES);
    }
    memset(&t, 0, sizeof t);
    t.parts = parts;
    t.n = (size_t)parts;
    t.between_n = (size_t)blocks * SERVET__BLOCK_LINES;
    t.between = between - t.between_n;
    t.skip = SERVET__BLOCK_LINES / 2;    /* what is fetched with a line is near it */
    t.repeats = 1;
    t.raw = 1;
    status = m->track(m->ctx, &t, ns, &sample);
    if (status < 0) return status;
    servet_stats_sort(ns, (size_t)parts);
    memset(p, 0, sizeof *p);
    p->bytes = (double)blocks * SERVET_COUNT_BLOCK;
    p->anchor_cycles = sample.anchor_cycles;
    p->flags = (int)sample.flags;
    for (i = 0; i < parts; i++) p->ns[i / each] += ns[i] / each;
    return SERVET_OK;
}

/* The next footprint: upward by factors of sqrt 2 until a quarter is held at most; then those of one to two times what
 * is held, by turns.  since: points of other moments.  -1 = enough of this one. */
SERVET__PRIVATE int servet__resident_next(const servet_resident *e, const double *blocks, int sizes, int since)
{
    enum { SERVET__DRAWS = 2, SERVET__DRAWS_DISTURBED = 4 };
    servet_held held;
    const double end = servet_count_held(&held, e, 0) < 0 ? 0 : held.bytes;
    int i, k, parts, next = -1, least = end > 0 && held.disturbed ? SERVET__DRAWS_DISTURBED : SERVET__DRAWS;
    for (i = 0; i < sizes; i++) {
        const double bytes = (double)servet__resident_blocks(blocks[i], &parts) * SERVET_COUNT_BLOCK;
        int drawn = 0, now = 0;
        if (i > 2 && end > 0 && bytes > 4 * end) break;
        for (k = 0; k < e->count; k++) {
            drawn += e->point[k].bytes == bytes;
            now += e->point[k].bytes == bytes && k >= since;
        }
        if (drawn == 0) return i;
        if (bytes > 1.1 * end && bytes < 2.2 * end && now < least) {
            least = now;
            next = i;
        }
    }
    return next;
}

SERVET__DEF int servet_count_resident(servet_resident *e, const servet_machine *m, double hi_bytes,
                                      const servet_count_opts *opts)
{
    enum { SERVET__SIZES = 40, SERVET__POOL = 1 << 18 };
    double blocks[SERVET__SIZES], most, read = 0;
    servet_run run;
    servet__watch watch;
    int i, sizes, pool, since, status = SERVET_OK;
    uint32_t *block, *between;
    uint64_t seed;
    if (!e || e->count < 0 || e->count > SERVET_RESIDENT_POINTS || !m || !m->seconds || !opts
        || !(opts->before_units >= 1 && opts->before_units <= 1048576) || !(hi_bytes > 0) || !(opts->run.budget_s >= 0))
        return SERVET_EINVAL;
    pool = (int)servet__min(m->bytes / SERVET_COUNT_BLOCK, (int)SERVET__POOL);
    most = servet__min(hi_bytes / SERVET_COUNT_BLOCK, 0.95 * pool);    /* draws differ at least in their order */
    for (sizes = 0; sizes < SERVET__SIZES && (sizes == 0 || blocks[sizes - 1] < most); sizes++)
        blocks[sizes] = servet__min(servet__max(3 * opts->before_units, SERVET_RESIDENT_BINS) * exp2(sizes / 2.0),
                                    most);
    if (!m->track || sizes < 3) return SERVET_EUNSUPPORTED;
    block = (uint32_t *)malloc((size_t)pool * sizeof *block);
    between = (uint32_t *)malloc((size_t)blocks[sizes - 1] * (SERVET_COUNT_BLOCK / 64) * sizeof *between);
    e->before_bytes = opts->before_units * SERVET_COUNT_BLOCK;
    seed = opts->run.seed + (uint64_t)e->count;
    since = e->count;
    run = opts->run;
    if (run.budget_s == 0) run.budget_s = 0.25;
    servet__watch_begin(&watch, m, &run);
    if (!block || !between) status = SERVET_ENOMEM;
    for (i = 0; status >= 0 && i < pool; i++) block[i] = (uint32_t)i;
    for (i = 0; i < e->count; i++) read += e->point[i].bytes;
    while (status >= 0 && e->count < SERVET_RESIDENT_POINTS) {
        const int next = servet__resident_next(e, blocks, sizes, since);
        double spent, took;
        if (next < 0 || servet__watch_over(&watch, 0)) break;
        /* as long as others took for each byte; a first draw may take twice the time there is */
        spent = servet__watch_elapsed(&watch);
        took = read > 0 ? (e->seconds + spent) / read * blocks[next] * SERVET_COUNT_BLOCK : 0;
        if (spent + (e->count > since ? 1 : 0.5) * took > run.budget_s) break;
        status = servet__resident_ask(&e->point[e->count], m, block, pool, blocks[next], between, &seed);
        if (status >= 0) read += e->point[e->count++].bytes;
    }
    e->stopped = watch.stopped;
    e->seconds += servet__watch_elapsed(&watch);
    free(block);
    free(between);
    return status < 0 ? status : e->count > 0 ? SERVET_OK : SERVET_ESTOPPED;
}

#endif /* !SERVET_PURE_ONLY */

#endif /* SERVET_HAS(MEASURING) */

/* >>levels (implementation) -------------------------------------------------------------------- */

/* Quantity    how many levels a curve of latency against footprint n shows, and the capacity C of each
 * Model       latency(n) = T1 + sum over levels of d_i M_i(n),  d_i > 0,
 *             M_i the miss rate of a cyclic walk over n pages.  They fall at random on C / K classes of K ways, so that
 *             with p = K / C there are B(n - 1, p) others in the class of a page:
 *                 M(n) = sum over j of P[B(n - 1, p) = j] f(j + 1),  f the miss rate of one class, by policy
 * Estimator   which levels: rises of six shapes of M, added while they pay (Schwarz's criterion), each tried anew
 *             beside the others, left out or joined with its neighbour where that costs less; what each holds: the
 *             posterior of C, summed over ways, policies and placements, beside all other levels
 * Fooled by   replacement that no form describes, by some 5 % of the size; two levels less than a factor of two apart;
 *             TLBs, where the chase does not keep their misses out; a neighbour that stays
 * References  [Servet] for pages that fall among classes at random; Schwarz, Estimating the Dimension of a Model,
 *             1978 */

static const servet__name servet__doubt_word[] = {
    SERVET__WORD("unknown"), { "tlb", "may be a TLB's or a page's step: one curve alone cannot tell" },
    { "noise", "no wider than the noise" } };
static const servet__name servet__policy_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("lru"), SERVET__WORD("nru"), SERVET__WORD("random"),
    SERVET__WORD("adaptive"), SERVET__WORD("dueling"), SERVET__WORD("qlru") };
static const servet__name servet__placement_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("even"), SERVET__WORD("random") };
static const servet__name servet__method_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("grid"), SERVET__WORD("model"), SERVET__WORD("compact_set"),
    SERVET__WORD("peak"), SERVET__WORD("binomial"), SERVET__WORD("count"), SERVET__WORD("held"),
    { "conflicts", "unknown" }, { "onset", "unknown" } };

#if SERVET_HAS(MEASURING)

/* Share of a cyclic walk over m > 0 lines of one class that a class of k ways misses, by policy.
 * LRU by definition.  NRU: between two times that all bits are cleared k - 1 ways are used anew, and what is left of
 * the walk since hits once in every m - k + 1 of them; exact.  RANDOM the root of x = 1 - exp(-(m/k) x), the share of
 * ways overwritten between two visits; ADAPTIVE keeps k - 1 lines and misses the rest; QLRU (H00_M1_R0_U1 of the
 * second levels of Intel's cores from 2018 on, by uops.info/cache.html) a curve through the steady states of 8 to 24
 * ways, where it is good to 0.15; before it is settled it misses more, about as NRU does. */
SERVET__PRIVATE double servet__class_misses(double m, double k, int policy)
{
    double x, lru, adaptive;
    int i;
    if (m <= k) return 0;
    lru = 1;
    adaptive = 1 - (k - 1) / m;
    switch (policy) {
    case SERVET_POLICY_NRU:
        x = (k - 1) / (ceil(m) - k + 1);
        return k <= 1 ? 1 : 1 - floor(x) / (k - 1);
    case SERVET_POLICY_RANDOM:
        if (k <= 1) return 1;
        x = servet__min(1, 2 * (m / k - 1) + 1e-3);    /* above the root, from where Newton descends to it */
        for (i = 0; i < 20; i++) {
            double e = exp(-m / k * x), step = (x - 1 + e) / (1 - m / k * e);
            x -= step;
            if (fabs(step) < 1e-9) break;
        }
        return servet__min(servet__max(x, 0), 1);
    case SERVET_POLICY_ADAPTIVE: return adaptive;
    case SERVET_POLICY_DUELING: return (lru + 31 * adaptive) / 32;    /* who leads for LRU is lost */
    case SERVET_POLICY_QLRU: return 1 - exp(-4.2 * (m - k) / k);
    default: return lru;
    }
}

/* The values for m = 1 .. SERVET__CLASS, once for all capacities. */
enum { SERVET__CLASS = 224 };

SERVET__PRIVATE void servet__class_table(double *f, int ways, int policy)
{
    int m;
    for (m = 0; m < SERVET__CLASS; m++) f[m] = servet__class_misses(m + 1, ways, policy);
}

SERVET__PRIVATE double servet__miss_even(const double *f, double m)
{
    double below = floor(m), part = m - below, lo, hi;
    if (m >= SERVET__CLASS - 1) return f[SERVET__CLASS - 1];
    lo = below < 1 ? 0 : f[(int)below - 1];
    hi = f[(int)below];
    /* classes hold below or below + 1 pages each; an access is in a class as often as that has pages */
    return ((1 - part) * below * lo + part * (below + 1) * hi) / servet__max(m, 1e-300);
}

/* sum over j of P[B(n-1, p) = j] f(j + 1), outward from the mode, of so many f at once */
SERVET__PRIVATE void servet__miss_scattered(double *miss, double f[][SERVET__CLASS], int count, double n, double p)
{
    const double others = n - 1, odds = p / (1 - p), mode = servet__min(floor(servet__max(n, 1) * p), floor(others));
    const int last = SERVET__CLASS - 1;
    double term, part, j, mass = 0;
    int k, up;
    for (k = 0; k < count; k++) miss[k] = others <= 0 ? f[k][0] : p >= 1 ? f[k][(int)servet__min(n, last + 1) - 1] : 0;
    if (others <= 0 || p >= 1) return;
    if (mode - 6 * sqrt(mode + 1) > last) {
        for (k = 0; k < count; k++) miss[k] = f[k][last];
        return;
    }
    term = servet__binomial_mass(others, mode, p);
    for (up = 1; up >= 0; up--)
        for (j = mode, part = term; part > 1e-7; ) {
            if (up || j < mode) {
                for (k = 0; k < count; k++) miss[k] += part * f[k][(int)servet__min(j, last)];
                mass += part;
            }
            if (up ? j + 1 > others : j < 1) break;
            part *= up ? (others - j) / (j + 1) * odds : j / ((others - j + 1) * odds);
            j += up ? 1 : -1;
        }
    for (k = 0; k < count; k++) miss[k] /= mass;
}

SERVET__PRIVATE double servet__miss_random(double (*f)[SERVET__CLASS], double n, double p)
{
    double miss;
    servet__miss_scattered(&miss, f, 1, n, p);
    return miss;
}

/* Share of accesses that miss in a cyclic walk over n pages.
 *   capacity   pages the cache holds;  ways: K;  policy, placement: SERVET_*
 * RANDOM placement: sum over j of P[B(n-1, K/capacity) = j] f(j+1), f the policy's miss rate for that many
 * pages in a class of K; EVEN: every class has n K / capacity.  n may be a fraction of a page. */
SERVET__PRIVATE double servet__fit_miss_rate(double n, double capacity, int ways, int policy, int placement)
{
    double f[SERVET__CLASS];
    if (!(n > 0) || !(capacity > 0) || ways < 1) return 0;
    if (ways >= SERVET__CLASS / 2)    /* so many that classes are filled evenly */
        return servet__class_misses(n * ways / capacity, ways, policy);
    servet__class_table(f, ways, policy);
    return placement == SERVET_PLACEMENT_EVEN ? servet__miss_even(f, n * ways / capacity)
                                              : servet__miss_random(&f, n, ways / capacity);
}

SERVET__DEF int servet_fit_curve(servet_curve *out, const double *bytes, const double *ns, size_t n)
{
    size_t i, seen = 0, sizes = 0;
    uint64_t seed = 1;
    double per_octave = 0, key = 0;
    if (!out || !bytes || !ns || n < 1) return SERVET_EINVAL;
    for (i = 0; i < n; i++) {
        if (!servet__finite(bytes[i]) || !servet__finite(ns[i])) return SERVET_EINVAL;
        if (!(bytes[i] > 0) || !(ns[i] > 0)) return SERVET_EINVAL;
        if (i > 0 && bytes[i] < bytes[i - 1]) return SERVET_EINVAL;
        if (i == 0 || bytes[i] > bytes[i - 1]) sizes++;
    }
    if (sizes > SERVET_POINTS_MAX) per_octave = (SERVET_POINTS_MAX - 2) / (log2(bytes[n - 1]) - log2(bytes[0]));
    memset(out, 0, sizeof *out);
    out->huge_frac = -1;
    for (i = 0; i < n; i++) {
        servet_sample s;
        servet_point *p;
        double at = per_octave > 0 ? floor((log2(bytes[i]) - log2(bytes[0])) * per_octave) : bytes[i];
        if (i == 0 || at != key) {
            out->count++;
            out->point[out->count - 1].bytes = bytes[i];
            seen = 0;
        }
        key = at;
        p = &out->point[out->count - 1];
        memset(&s, 0, sizeof s);
        s.ns = ns[i];
        if (++seen <= SERVET_SAMPLES_MAX) {
            servet__point_add(p, &s, 1);
        } else {    /* each of them is kept with the same chance */
            size_t place = servet_stats_random_below(&seed, seen);
            if (place < SERVET_SAMPLES_MAX) p->sample_ns[place] = ns[i];
        }
    }
    servet__mcalibrator_settle(out);
    return SERVET_OK;
}

/* What a point says: the middle of its clean samples; for a ramp the draws' middle is what the model predicts.  What
 * disturbs adds, and points that look noisy are taken again and again: samples more than so many standard deviations,
 * each a share of the latency (0 = not known), above the lower quartile do not count.  In kept how many do. */
SERVET__PRIVATE double servet__point_middle(const servet_point *p, double scatter, int *kept)
{
    const double far = 10;
    double clean[SERVET_SAMPLES_MAX];
    size_t k, n = 0;
    for (k = 0; k < (size_t)p->samples; k++) if (!p->flags[k]) clean[n++] = p->sample_ns[k];
    *kept = (int)n;
    if (n < 2) return p->ns;
    servet_stats_sort(clean, n);
    if (scatter > 0) {
        const double most = (1 + far * scatter) * servet_stats_quantile(clean, n, 0.25);
        while (n > 2 && clean[n - 1] > most) n--;
        *kept = (int)n;
    }
    if (n == 2 && clean[1] > 1.1 * clean[0]) return clean[0];    /* what disturbs adds; draws hardly differ as much */
    if (n == 3) return clean[1];
    /* mean of the middle half: as robust as needed, and less coarse than a median of five */
    {
        size_t cut = n / 4, i;
        double sum = 0;
        for (i = cut; i < n - cut; i++) sum += clean[i];
        return sum / (double)(n - 2 * cut);
    }
}

/* ---- the curve as the fit sees it -------------------------------------------------------------- */

typedef struct servet__view {
    int    n;
    double x[SERVET_POINTS_MAX];      /* log2 of bytes                                              */
    double y[SERVET_POINTS_MAX];      /* ns, the middle of the samples                              */
    double low[SERVET_POINTS_MAX];    /* log of ns, isotonic                                        */
    double error[SERVET_POINTS_MAX];  /* standard error of y, as a share of it                      */
    unsigned char few[SERVET_POINTS_MAX];   /* 1 = one or two samples, 2 = none that is clean       */
    double scatter;                   /* of a single sample, as a share                             */
} servet__view;

/* How far a single sample is from its point, as a share: the middle distance, which an outlier does not move; 0 where
 * there are too few. */
SERVET__PRIVATE double servet__point_scatter(const servet_point *p, double y)
{
    double off[SERVET_SAMPLES_MAX];
    int k, n = 0;
    for (k = 0; k < p->samples; k++) if (!p->flags[k]) off[n++] = fabs(p->sample_ns[k] / y - 1);
    if (n < 3) return 0;
    servet_stats_sort(off, (size_t)n);
    return 1.48 * servet_stats_quantile(off, (size_t)n, 0.5) * sqrt(n / (n - 1.0));
}

/* Median of n values above 0, or what there is if there are none. */
SERVET__PRIVATE double servet__median_of(double *x, int n, double none)
{
    if (n < 1) return none;
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

/* What disturbs can only add, and longer walks take no less a load: a point of one or two samples was disturbed if it
 * is five standard deviations above the second lowest of those that follow it (the second, as a single one may be too
 * low), and one without a clean sample if it is above the lowest clean one.  It counts as little as ten times its error
 * says, from that height. */
SERVET__PRIVATE void servet__view_lower(servet__view *v, double least)
{
    double low1 = 1e300, low2 = 1e300, clean = 1e300;
    int i;
    for (i = v->n - 1; i >= 0; i--) {
        const double y = v->y[i], low = v->few[i] > 1 ? servet__min(low2, clean) : low2;
        if (v->few[i] < 2) clean = servet__min(clean, y);
        if (v->few[i] && y > (1 + 5 * servet__max(v->scatter, least)) * low) {
            v->y[i] = low;
            v->error[i] *= 10;
            continue;
        }
        if (y < low1) {
            low2 = low1;
            low1 = y;
        } else if (y < low2) {
            low2 = y;
        }
    }
}

/* Samples scatter about as much everywhere, in ramps, where few pages compete, more: the middle of all, or that of a
 * point and its neighbours if that is more.  Many samples are worth more, not without end, as the model errs too. */
SERVET__PRIVATE void servet__view_make(servet__view *v, const servet_curve *curve, int compact)
{
    double scratch[2 * SERVET_POINTS_MAX], draws[SERVET_POINTS_MAX], each[SERVET_POINTS_MAX];
    int i, k, n, kept;
    v->n = curve->count;
    v->scatter = 0.01;
    for (i = n = 0; i < v->n; i++) {
        v->x[i] = log2(curve->point[i].bytes);
        v->y[i] = servet__point_middle(&curve->point[i], 0, &kept);
        draws[i] = servet__point_scatter(&curve->point[i], v->y[i]);
        if (draws[i] > 0) each[n++] = draws[i];
    }
    if (n > 0) v->scatter = servet__min(servet__max(servet__median_of(each, n, 0), 0.002), 0.3);
    /* A disturbance adds: what the last points say without a clean sample is a rise only where three bear it out, to
     * the height of two of them; what the last says by a single one, only where points behind it do. */
    for (i = v->n; i > 0 && curve->point[i - 1].noisy >= curve->point[i - 1].samples; i--) { }
    if (compact && v->n - i >= 3) {
        double *end = &v->y[v->n - 3], last[3];
        memcpy(last, end, sizeof last);
        end[1] = servet__min(end[1], servet__median_of(last, 3, 0));
    } else if (compact) {
        v->n = i;
    }
    if (v->n < 7) v->n = curve->count;    /* nearly all are disturbed: these flags tell nothing */
    i = v->n - 1;
    if (compact && i > 0 && curve->point[i].samples - curve->point[i].noisy < 2
        && v->y[i] > (1 + 5 * servet__max(v->scatter, 0.01)) * v->y[i - 1]) v->n--;
    for (i = 0; i < v->n; i++) {
        const servet_point *p = &curve->point[i];
        double local = v->scatter;
        for (k = i - 3 < 0 ? 0 : i - 3, n = 0; k <= i + 3 && k < v->n; k++) if (draws[k] > 0) each[n++] = draws[k];
        if (n >= 3) local = servet__max(local, servet__median_of(each, n, 0));
        kept = p->samples - p->noisy;
        if (compact) v->y[i] = servet__min(v->y[i], servet__point_middle(p, local, &kept));
        v->few[i] = (unsigned char)(kept < 1 ? 2 : kept <= 2);
        v->error[i] = local / sqrt(kept < 1 ? 0.1 : kept / (1 + kept / 8.0));
    }
    if (compact) servet__view_lower(v, 0.01);
    for (i = 0; i < v->n; i++) v->low[i] = log(v->y[i]);
    servet_stats_isotonic(v->low, NULL, (size_t)v->n, scratch);
}

/* Median of the latencies on the plateau of points [from, to], with its spread. */
SERVET__PRIVATE void servet__plateau(const servet_curve *curve, const servet__view *v, int from, int to,
                                     double *ns, double *lo, double *hi)
{
    double y[SERVET_POINTS_MAX];
    int i;
    if (to < from) to = from;
    *lo = *hi = 0;
    for (i = from; i <= to; i++) {
        const servet_point *p = &curve->point[i];
        y[i - from] = v->y[i];
        if (i == from || p->lo_ns < *lo) *lo = p->lo_ns;
        if (i == from || p->hi_ns > *hi) *hi = p->hi_ns;
    }
    *ns = servet__median_of(y, to - from + 1, 0);
    *lo = servet__min(*lo, *ns);
    *hi = servet__max(*hi, *ns);
}

/* ---- which levels: as few rises as explain the curve ------------------------------------------- */

/* Share of accesses that miss, by the footprint over the capacity, where that is many pages: kinds of rises that differ
 * to the eye. */
enum {
    SERVET__RISE_SHARP = 0,     /* all at once: a virtual index, large pages, a TLB                       */
    SERVET__RISE_BENT = 1,      /* at once, but less and less, as where some of too much is kept           */
    SERVET__RISE_LOTTERY = 2,   /* pages fall at random on classes of 16, LRU                             */
    SERVET__RISE_LOTTERY_8 = 3, /* the same of 8                                                          */
    SERVET__RISE_RANDOM = 4,    /* of 16, random replacement                                              */
    SERVET__RISE_SHARE = 5,     /* 1 - C/n: accesses that do not come round in a cycle, whatever is replaced */
    SERVET__RISES = 6,
    SERVET__RISE_OCTAVE = 16,   /* table entries an octave, from 2 octaves below the capacity             */
    SERVET__RISE_TABLE = 10 * SERVET__RISE_OCTAVE + 1,
    SERVET__MIX_MAX = 10        /* rises at most                                                          */
};
#define SERVET__MIX_WORK 4e8    /* some tenths of a second; curves of machines take thousandths           */

typedef struct servet__rise {
    double x;                   /* log2 of the capacity                                                   */
    double ns;                  /* what it adds                                                           */
    int    kind;
    int    known;               /* 1 = the capacity is known, and stays                                   */
} servet__rise;

typedef struct servet__mix {
    int    n;                   /* points: those of the curve, gathered                                   */
    double x[SERVET_POINTS_MAX], y[SERVET_POINTS_MAX], weight[SERVET_POINTS_MAX];   /* 1 / (sigma y)      */
    double table[SERVET__RISES][SERVET__RISE_TABLE];
    double slow;                /* first of the points left out at the end, as they are not of memory     */
    double base;                /* ns before all rises                                                    */
    double page;                /* log2 of the bytes of one                                               */
    double from;                /* log2 of the smallest capacity that may be tried                        */
    double apart;               /* of capacities tried, and of points gathered, in octaves                */
    double price;               /* what a rise more has to explain                                        */
    double work;                /* multiplications so far: the search ends in bounded time                */
    int    rises;
    servet__rise rise[SERVET__MIX_MAX];
    double basis[SERVET__MIX_MAX + 1][SERVET_POINTS_MAX];    /* orthonormal: of base and rises             */
    double left[SERVET_POINTS_MAX];                          /* what they leave unexplained               */
} servet__mix;

SERVET__PRIVATE void servet__rise_tables(double table[SERVET__RISES][SERVET__RISE_TABLE])
{
    const double pages = 16384;    /* so many that their number hardly matters */
    double f[2][SERVET__CLASS], g[SERVET__CLASS];
    int k;
    servet__class_table(f[0], 16, SERVET_POLICY_LRU);
    servet__class_table(f[1], 8, SERVET_POLICY_LRU);
    servet__class_table(g, 16, SERVET_POLICY_RANDOM);
    for (k = 0; k < SERVET__RISE_TABLE; k++) {
        const double r = exp2((double)k / (int)SERVET__RISE_OCTAVE - 2), bend = servet__max(1 - (r - 1) / 0.65, 0);
        table[SERVET__RISE_SHARP][k] = servet__min(servet__max((r - 1) * 8, 0), 1);
        table[SERVET__RISE_BENT][k] = r <= 1 ? 0 : 1 - bend * bend;
        table[SERVET__RISE_LOTTERY][k] = servet__miss_random(&f[0], r * pages, 16 / pages);
        table[SERVET__RISE_LOTTERY_8][k] = servet__miss_random(&f[1], r * pages, 8 / pages);
        table[SERVET__RISE_RANDOM][k] = servet__miss_random(&g, r * pages, 16 / pages);
        table[SERVET__RISE_SHARE][k] = servet__max(1 - 1 / r, 0);
    }
}

SERVET__PRIVATE double servet__rise_at(const servet__mix *m, const servet__rise *r, double x)
{
    double u = (x - r->x + 2) * (int)SERVET__RISE_OCTAVE, below;
    if (u <= 0) return m->table[r->kind][0];
    if (u >= (int)SERVET__RISE_TABLE - 1) return 1;
    below = floor(u);
    return m->table[r->kind][(int)below]
         + (u - below) * (m->table[r->kind][(int)below + 1] - m->table[r->kind][(int)below]);
}

SERVET__PRIVATE double servet__mix_at(const servet__mix *m, double x)
{
    double sum = m->base;
    int k;
    for (k = 0; k < m->rises; k++) sum += m->rise[k].ns * servet__rise_at(m, &m->rise[k], x);
    return sum;
}

/* Takes from a column of n what an orthonormal basis explains, which goes to part if that is not NULL; the square of
 * what is left. */
SERVET__PRIVATE double servet__reduce(double *column, double basis[][SERVET_POINTS_MAX], int columns, int n,
                                      double *part)
{
    double sum = 0;
    int i, k;
    for (k = 0; k < columns; k++) {
        double along = 0;
        for (i = 0; i < n; i++) along += column[i] * basis[k][i];
        for (i = 0; i < n; i++) column[i] -= along * basis[k][i];
        if (part) part[k] = along;
    }
    for (i = 0; i < n; i++) sum += column[i] * column[i];
    return sum;
}

/* The basis of base and all rises but skip, and what they leave: residuals are relative to the latency. */
SERVET__PRIVATE int servet__mix_basis(servet__mix *m, int skip)
{
    int k, i, columns = 0;
    for (k = -1; k < m->rises; k++) {
        double *column = m->basis[columns], norm;
        if (k == skip && k >= 0) continue;
        for (i = 0; i < m->n; i++) column[i] = m->weight[i] * (k < 0 ? 1 : servet__rise_at(m, &m->rise[k], m->x[i]));
        norm = sqrt(servet__reduce(column, m->basis, columns, m->n, NULL));
        if (!(norm > 1e-9)) continue;
        for (i = 0; i < m->n; i++) column[i] /= norm;
        columns++;
    }
    for (i = 0; i < m->n; i++) m->left[i] = m->weight[i] * m->y[i];
    servet__reduce(m->left, m->basis, columns, m->n, NULL);
    return columns;
}

/* The rise that explains most of what is left: its gain in squares.  Capacities tried are the points, and between
 * them some; of equal ones the smallest, which is a point: the last that hits.  Of kinds the first that does nearly as
 * well as the best.  Pages fall at random only where there are some for each class, and not in the first level, which
 * is indexed by virtual addresses. */
SERVET__PRIVATE double servet__mix_pick(servet__mix *m, int columns, int skip, servet__rise *out)
{
    double best[SERVET__RISES] = { 0 }, most = 0, column[SERVET_POINTS_MAX];
    servet__rise found[SERVET__RISES], r;
    double nearest = 1e300;     /* the first level */
    const int known = skip >= 0 && m->rise[skip].known;
    int i, j, k, parts;
    memset(found, 0, sizeof found);
    for (k = 0; k < m->rises; k++)
        if (k != skip && m->rise[k].x > m->page + 0.5) nearest = servet__min(nearest, m->rise[k].x);
    for (i = 0; i + 1 < m->n; i++) {
        const double gap = m->x[i + 1] - m->x[i];
        parts = (int)servet__min(ceil(gap / m->apart - 0.01), 8);
        for (j = 0; j < parts; j++) {
            r.x = known ? m->rise[skip].x : m->x[i] + gap * j / parts;
            r.ns = 0;
            r.known = known;
            if (!known && r.x < m->from) continue;
            for (r.kind = 0; r.kind < SERVET__RISES; r.kind++) {
                double along = 0, whole, square;
                int c;
                m->work += (double)m->n * (columns + 1);
                if (!known && servet__rise_at(m, &r, m->x[0]) > 0.05) continue;    /* it would have begun before */
                if (r.kind >= SERVET__RISE_LOTTERY && r.kind <= SERVET__RISE_RANDOM
                    && (r.x < m->page + (r.kind == SERVET__RISE_LOTTERY_8 ? 4 : 5) || r.x <= nearest)) continue;
                for (k = 0, whole = 0; k < m->n; k++) {
                    column[k] = m->weight[k] * servet__rise_at(m, &r, m->x[k]);
                    along += column[k] * m->left[k];
                    whole += column[k] * column[k];
                }
                for (c = 0, square = whole; c < columns; c++) {
                    double part = 0;
                    for (k = 0; k < m->n; k++) part += column[k] * m->basis[c][k];
                    square -= part * part;
                }
                if (!(square > 1e-9 * whole)) continue;
                if (!(along > 0) || !(along * along / square > best[r.kind] * (1 + 1e-6))) continue;
                best[r.kind] = along * along / square;
                found[r.kind] = r;
                most = servet__max(most, best[r.kind]);
            }
            if (known) i = m->n;
        }
    }
    for (k = 0; k < SERVET__RISES && !(best[k] > 0 && best[k] >= most - 1); k++) { }
    if (k < SERVET__RISES) *out = found[k];
    return most;
}

/* Heights of base and rises by least squares; the lowest of those not above 0 is taken out until all are.  A known
 * one stays, with no height. */
SERVET__PRIVATE void servet__mix_solve(servet__mix *m)
{
    int out[SERVET__MIX_MAX + 1] = { 0 };
    for (;;) {
        double a[SERVET__MIX_MAX + 1][SERVET__MIX_MAX + 2] = { { 0 } }, column[SERVET__MIX_MAX + 1][SERVET_POINTS_MAX];
        const int n = m->rises + 1;
        int i, j, k, lowest = 0;
        for (k = 0; k < n; k++)
            for (i = 0; i < m->n; i++)
                column[k][i] = out[k] ? 0 : m->weight[i] * (k == 0 ? 1 : servet__rise_at(m, &m->rise[k - 1], m->x[i]));
        for (k = 0; k < n; k++) {
            for (j = 0; j <= n; j++) {
                a[k][j] = 0;
                for (i = 0; i < m->n; i++) a[k][j] += column[k][i] * (j < n ? column[j][i] : m->weight[i] * m->y[i]);
            }
            a[k][k] *= 1 + 1e-12;
        }
        for (k = 0; k < n; k++) {      /* positive definite: no pivoting is needed */
            if (!(a[k][k] > 0)) a[k][k] = 1;
            for (j = k + 1; j < n; j++) {
                const double part = a[j][k] / a[k][k];
                for (i = k; i <= n; i++) a[j][i] -= part * a[k][i];
            }
        }
        for (k = n - 1; k >= 0; k--) {
            double sum = a[k][n];
            for (j = k + 1; j < n; j++) sum -= a[k][j] * a[j][n];
            a[k][n] = sum / a[k][k];
        }
        m->base = a[0][n];
        for (k = 1; k < n; k++) {
            m->rise[k - 1].ns = out[k] ? 0 : a[k][n];
            if (!out[k] && a[k][n] <= 0 && (lowest == 0 || a[k][n] < a[lowest][n])) lowest = k;
        }
        if (lowest == 0) return;
        if (m->rise[lowest - 1].known) {
            out[lowest] = 1;
        } else {
            m->rises--;
            for (k = lowest; k <= m->rises; k++) {
                m->rise[k - 1] = m->rise[k];
                out[k] = out[k + 1];
            }
        }
    }
}

/* Points of the curve as the mix sees them: with the errors of their samples and of the kinds, which are as good as a
 * thirtieth. */
SERVET__PRIVATE void servet__mix_points(servet__mix *m, const servet__view *v, double least)
{
    const double kinds = 0.03;
    double low[SERVET_POINTS_MAX], scratch[2 * SERVET_POINTS_MAX], scatter = 0;
    int i, from;
    m->n = 0;
    m->work = 0;
    m->apart = servet__max(0.25, (v->x[v->n - 1] - v->x[0]) / 96);
    for (from = 0; from < v->n; from = i) {
        double y[SERVET_POINTS_MAX];
        for (i = from; i < v->n && v->x[i] - v->x[from] < 0.96 * m->apart; i++) y[i - from] = v->y[i];
        m->x[m->n] = (v->x[from] + v->x[i - 1]) / 2;
        /* beyond a million times the least nothing is memory, and squares would not hold it */
        m->y[m->n++] = servet__min(servet__median_of(y, i - from, 0) / least, 1e6);
    }
    /* no memory is so slow: pages from a disk, or a pause */
    for (m->slow = 0; m->n > 1 && m->y[m->n - 1] > 1000; m->n--) m->slow = m->y[m->n - 1];
    /* A curve rises: a point above both its neighbours, or below both, is wrong by itself. */
    for (i = 1; i + 1 < m->n; i++)
        m->y[i] = servet__max(servet__min(m->y[i], servet__max(m->y[i - 1], m->y[i + 1])),
                              servet__min(m->y[i - 1], m->y[i + 1]));
    for (i = 0; i < m->n; i++) low[i] = log(m->y[i]);
    servet_stats_isotonic(low, NULL, (size_t)m->n, scratch);
    for (i = 0; i < m->n; i++) scatter += (log(m->y[i]) - low[i]) * (log(m->y[i]) - low[i]) / m->n;
    for (i = 0; i < m->n; i++) m->weight[i] = 1 / (servet__max(kinds, sqrt(scatter)) * m->y[i]);
    m->price = 9;
}

/* Tries each rise anew beside the others, until nothing changes.  Returns the squares of what is left. */
SERVET__PRIVATE double servet__mix_settle(servet__mix *m)
{
    double sum = 0;
    int turn, k, i, changed = 1;
    for (turn = 0; turn < 6 && changed && m->work < SERVET__MIX_WORK; turn++) {
        for (k = changed = 0; k < m->rises; k++) {
            const int others = servet__mix_basis(m, k);
            servet__rise r;
            if (servet__mix_pick(m, others, k, &r) <= 0) continue;
            changed |= r.x != m->rise[k].x || r.kind != m->rise[k].kind;
            m->rise[k] = r;
        }
    }
    servet__mix_solve(m);
    for (i = 0; i < m->n; i++) {
        const double off = m->weight[i] * (m->y[i] - servet__mix_at(m, m->x[i]));
        sum += off * off;
    }
    return sum;
}

SERVET__PRIVATE void servet__mix_sort(servet__mix *m)
{
    int i, k;
    for (k = 1; k < m->rises; k++) {
        const servet__rise r = m->rise[k];
        for (i = k; i > 0 && m->rise[i - 1].x > r.x; i--) m->rise[i] = m->rise[i - 1];
        m->rise[i] = r;
    }
}

/* As few rises as explain the curve but for its scatter: adds the best while it gains, then takes out what is not
 * missed once the others have moved: each left out, and each two neighbours made one. */
SERVET__PRIVATE void servet__mix_fit(servet__mix *m)
{
    double now = servet__mix_settle(m);
    int k, out;
    while (m->rises < SERVET__MIX_MAX && m->rises + 2 < m->n) {
        const int columns = servet__mix_basis(m, -1), had = m->rises;
        servet__rise r;
        if (!(servet__mix_pick(m, columns, -1, &r) > m->price)) break;
        m->rise[m->rises++] = r;
        now = servet__mix_settle(m);
        if (m->rises <= had) break;
    }
    for (out = 1; out && m->rises > 1 && m->work < SERVET__MIX_WORK; ) {
        servet__rise saved[SERVET__MIX_MAX], best[SERVET__MIX_MAX];
        const int rises = m->rises;
        double least = now + m->price;
        servet__mix_sort(m);
        memcpy(saved, m->rise, sizeof saved);
        for (k = 0, out = 0; k < 2 * rises - 1 && m->work < SERVET__MIX_WORK; k++) {
            const int two = k >= rises, at = two ? k - rises : k;
            double sum;
            if (saved[at].known) continue;
            memcpy(m->rise, saved, sizeof saved);
            m->rises = rises - 1;
            memmove(m->rise + at, m->rise + at + 1, (size_t)(rises - 1 - at) * sizeof *m->rise);
            if (two && m->rise[at].known) continue;
            if (two) servet__mix_pick(m, servet__mix_basis(m, at), at, &m->rise[at]);
            sum = servet__mix_settle(m);
            if (sum >= least) continue;
            least = sum;
            out = m->rises;
            memcpy(best, m->rise, sizeof best);
        }
        memcpy(m->rise, out ? best : saved, sizeof saved);
        m->rises = out ? out : rises;
        if (out) now = least;
        servet__mix_solve(m);
    }
    servet__mix_sort(m);
}

/* Rises that are one step of the curve. */
typedef struct servet__group {
    int    parts, kind;         /* of so many rises, the kind of the first                                */
    double x, ns;               /* log2 of the capacity: their mean by height; what they add              */
    double before;              /* latency before                                                         */
    const servet_level *known;  /* what is known of it; NULL = nothing                                    */
    double add[SERVET_POINTS_MAX];    /* what it adds to each point of the curve                          */
} servet__group;

/* No machine has a level that holds less than about twice what the one before holds, and capacities are known to a
 * quarter of an octave: nearer rises are one step, of a shape that is none of those above.  Where no TLB rises among
 * them, one that more than doubles the latency stands until the whole family is asked (servet__groups_are_one); behind
 * a capacity that is known, one that may be twice as far. */
SERVET__PRIVATE int servet__mix_groups(servet__group *group, const servet__mix *m, const servet__view *v, double unit,
                                       const servet_fit_opts *o)
{
    const double apart = 1.3, tall = o->compact ? 0.6 : apart, exact = 0.75;
    double before = m->base * unit;
    int k, i, n = 0, known = 0;
    for (k = 0; k < m->rises; k++) {
        const servet__rise *r = &m->rise[k];
        const double ns = r->ns * unit;
        servet__group *g = &group[n - (n > 0)];
        if (n > 0 && !r->known && r->x - g->x < (g->known ? exact : ns < before ? apart : tall)) {
            if (!g->known) g->x = (g->x * g->ns + r->x * ns) / (g->ns + ns);
            g->ns += ns;
            g->parts++;
        } else {
            g = &group[n++];
            g->parts = 1;
            g->kind = r->kind;
            g->x = r->x;
            g->ns = ns;
            g->known = r->known ? &o->known[known++] : NULL;
            g->before = before;
            memset(g->add, 0, sizeof g->add);
        }
        for (i = 0; i < v->n; i++) g->add[i] += ns * servet__rise_at(m, r, v->x[i]);
        before += ns;
    }
    return n;
}

/* The steps of a curve; in base the latency before them.  In slow and slow_ratio where the curve is no memory's. */
SERVET__PRIVATE int servet__groups_find(servet__group *group, double *base, double *slow, double *slow_ratio,
                                        const servet__view *v, const servet_fit_opts *o)
{
    servet__mix m;
    double unit = v->y[0];
    int i;
    for (i = 1; i < v->n; i++) unit = servet__min(unit, v->y[i]);
    memset(&m, 0, sizeof m);
    m.page = log2(o->page_bytes);
    servet__rise_tables(m.table);
    servet__mix_points(&m, v, unit);
    for (i = 0; i < o->known_count; i++) {
        m.rise[m.rises].x = log2(o->known[i].bytes);
        m.rise[m.rises++].known = 1;
        m.from = log2(o->known[i].bytes) + 0.1;
    }
    servet__mix_fit(&m);
    *base = m.base * unit;
    *slow = m.slow > 0 ? exp2(m.x[m.n - 1]) : 0;
    *slow_ratio = m.slow / m.y[m.n - 1];
    return servet__mix_groups(group, &m, v, unit, o);
}

/* ---- what a level holds: all capacities, ways, policies and placements together ---------------- */

/* Classes of all policies, and the share that misses by the footprint over the capacity, where pages are scattered. */
enum {
    SERVET__POLICIES = SERVET_POLICY_QLRU,     /* from SERVET_POLICY_LRU on, counted from 0                      */
    SERVET__FORMS = 2 * SERVET__POLICIES,      /* of scattered pages, then of even ones                          */
    SERVET__RATIO_OCTAVE = 32,  /* table entries an octave, from 4 octaves below the capacity to 5 above          */
    SERVET__RATIOS = 9 * SERVET__RATIO_OCTAVE + 1
};
typedef struct servet__classes {
    int    ways;
    double f[SERVET__POLICIES][SERVET__CLASS];
    double p;                   /* chance that a page is of a class, as the table has it; 0 = there is no table   */
    double table[SERVET__RATIOS][SERVET__POLICIES];
} servet__classes;

/* As servet__class_table, of a chase, which has gone through some six cycles when it is timed: a class of QLRU, filled
 * by the first, keeps a line more after each until it is settled. */
SERVET__PRIVATE void servet__chase_table(double *f, int ways, int policy)
{
    int m;
    servet__class_table(f, ways, policy);
    if (policy != SERVET_POLICY_QLRU) return;
    for (m = ways; m < SERVET__CLASS; m++) f[m] = servet__max(f[m], 1 - 5.0 / (m + 1));
}

/* Where classes are many, how many hardly matters, and one table does for all capacities near pages. */
SERVET__PRIVATE void servet__classes_make(servet__classes *c, int ways, double pages)
{
    const double most = 0.02;
    int u, k;
    c->ways = ways;
    for (k = 0; k < SERVET__POLICIES; k++) servet__chase_table(c->f[k], ways, k + 1);
    c->p = ways / pages > most ? 0 : ways / pages;
    for (u = 0; c->p > 0 && u < SERVET__RATIOS; u++)
        servet__miss_scattered(c->table[u], c->f, SERVET__POLICIES,
                               pages * exp2((double)u / (int)SERVET__RATIO_OCTAVE - 4), c->p);
}

/* Miss rates of n pages, of all forms. */
SERVET__PRIVATE void servet__classes_miss(double *miss, servet__classes *c, double n, double capacity)
{
    int k;
    if (!(n > 0)) {
        for (k = 0; k < SERVET__FORMS; k++) miss[k] = 0;
        return;
    }
    if (c->p > 0) {
        const double u = servet__min(servet__max((log2(n / capacity) + 4) * (int)SERVET__RATIO_OCTAVE, 0),
                                     (int)SERVET__RATIOS - 1.001);
        const double *from = c->table[(int)u], *to = c->table[(int)u + 1];
        for (k = 0; k < SERVET__POLICIES; k++) miss[k] = from[k] + (u - floor(u)) * (to[k] - from[k]);
    } else {
        servet__miss_scattered(miss, c->f, SERVET__POLICIES, n, c->ways / capacity);
    }
    for (k = 0; k < SERVET__POLICIES; k++)
        miss[(int)SERVET__POLICIES + k] = servet__miss_even(c->f[k], n * c->ways / capacity);
}

/* How common it is, before anything is seen: LRU's kin are commoner than random replacement, and that than the rest;
 * some ways than others, though a partition may leave any few. */
SERVET__PRIVATE double servet__policy_common(int policy, int ways)
{
    static const double common[] = { 0, 8, 2, 4, 2, 2, 1 };    /* in the order of SERVET_POLICY_* */
    /* caches that keep some of too many are last levels of 8 to 20 ways, or parts of these */
    return common[policy] * (ways > 20 && (policy == SERVET_POLICY_ADAPTIVE || policy == SERVET_POLICY_DUELING) ? 0.2
                             : 1);
}

static const struct servet__ways { int ways; double common; } servet__ways_list[] = {
    { 2, 0.1 }, { 3, 0.2 }, { 4, 0.3 }, { 5, 0.2 }, { 6, 0.3 }, { 7, 0.2 }, { 8, 1 }, { 9, 0.2 }, { 10, 0.5 },
    { 11, 0.5 }, { 12, 1 }, { 14, 0.2 }, { 16, 1 }, { 18, 0.2 }, { 20, 0.5 }, { 24, 0.3 }, { 32, 0.3 }, { 48, 0.2 },
    { 64, 0.2 }
};
enum { SERVET__LEVELS_WAYS = sizeof servet__ways_list / sizeof *servet__ways_list };

/* How common a capacity of so many ways is, per octave: sets are a power of two in a quarter of all levels, any number
 * in the others: slices are as many as there are cores, and partitions leave what others do not need.  A tooth of that
 * comb is a Gaussian as wide as models err, 3 %. */
SERVET__PRIVATE double servet__capacity_common(double bytes, int ways)
{
    const double width = log2(1.03), any = 0.75, off = log2(bytes / ways);
    const double x = (off - floor(off + 0.5)) / width;
    return any + (1 - any) * exp(-0.5 * x * x) / (sqrt(2 * 3.14159265358979) * width);
}

/* What a level is by one form. */
typedef struct servet__form {
    double bytes, held_bytes;   /* capacity; of these, what the level before holds, as this one does not: exclusive */
    double at0, rise, drift, left;
    int    ways, policy, placement;
} servet__form;

enum { SERVET__LEVELS_GRID = 96, SERVET__BESIDE = 4 };
typedef struct servet__post {
    int    n, from, columns;
    double pages[SERVET_POINTS_MAX], x[SERVET_POINTS_MAX], y[SERVET_POINTS_MAX], root[SERVET_POINTS_MAX];
    double basis[SERVET__BESIDE][SERVET_POINTS_MAX];         /* orthonormal: of 1 and of other levels  */
    double upper[SERVET__BESIDE][SERVET__BESIDE];            /* they are the basis times this          */
    double left[SERVET_POINTS_MAX], part[SERVET__BESIDE], squares;    /* of y, what it leaves           */
    unsigned char out[SERVET_POINTS_MAX];                    /* 1 = a disturbance                      */
    double lo_bytes, step, page_bytes, before_bytes;
    int    grid;
    double power;                                            /* of squares in likelihoods              */
    double own[SERVET__POLICIES][SERVET__LEVELS_GRID];              /* likelihood of each policy's capacities */
    double sum[SERVET__LEVELS_GRID];                                /* of all, less sure                      */
    servet__form found[SERVET__POLICIES];                    /* likeliest                              */
} servet__post;

/* Inverse variances of the points: their samples', and what no model describes, which is a hundredth of the step and of
 * what levels behind add; of those that are out a thousandth.  Then the basis. */
SERVET__PRIVATE void servet__post_weigh(servet__post *p, const servet__view *v, const servet__group *group, int groups,
                                        int at)
{
    const double model = 0.02;
    int i, k;
    for (i = 0; i < p->n; i++) {
        double variance = v->error[p->from + i] * p->y[i], behind = group[at].ns;
        for (k = at + 1; k < groups; k++) behind += group[k].add[p->from + i];
        variance = variance * variance + model * model * behind * behind + 1e-12 * p->y[i] * p->y[i];
        p->root[i] = sqrt((p->out[i] ? 1e-3 : 1) / variance);
    }
    p->columns = 0;
    for (k = -1; k < groups; k++) {
        double *column = p->basis[p->columns], whole = 0, norm;
        if (k == at || p->columns == SERVET__BESIDE) continue;
        for (i = 0; i < p->n; i++) {
            column[i] = p->root[i] * (k < 0 ? 1 : group[k].add[p->from + i]);
            whole += column[i] * column[i];
        }
        norm = servet__reduce(column, p->basis, p->columns, p->n, p->upper[p->columns]);
        if (!(norm > 1e-4 * whole)) continue;
        norm = sqrt(norm);
        p->upper[p->columns][p->columns] = norm;
        for (i = 0; i < p->n; i++) column[i] /= norm;
        p->columns++;
    }
    for (i = 0; i < p->n; i++) p->left[i] = p->root[i] * p->y[i];
    p->squares = servet__reduce(p->left, p->basis, p->columns, p->n, p->part);
}

/* Weighted squares of what miss rates leave of the points, by least squares.  Hits of the level behind grow slower with
 * the footprint (its banks, translations, its own first misses): a drift of up to a tenth of the step an octave is
 * allowed beyond the capacity.  A free drift would not do: it and the capacity trade against each other. */
SERVET__PRIVATE double servet__post_left(servet__form *form, const servet__post *p, const double *miss,
                                         const double *beyond)
{
    double m[SERVET_POINTS_MAX], d[SERVET_POINTS_MAX], pm[SERVET__BESIDE], pd[SERVET__BESIDE];
    double mm = 0, md = 0, dd = 0, my = 0, dy = 0, best = 1e300;
    int i, k;
    for (k = 0; k < p->columns; k++) pm[k] = pd[k] = 0;
    for (i = 0; i < p->n; i++) {
        m[i] = p->root[i] * miss[i];
        d[i] = m[i] * beyond[i];
        mm += m[i] * m[i];
        md += m[i] * d[i];
        dd += d[i] * d[i];
        my += m[i] * p->left[i];
        dy += d[i] * p->left[i];
    }
    for (k = 0; k < p->columns; k++) {
        for (i = 0; i < p->n; i++) {
            pm[k] += m[i] * p->basis[k][i];
            pd[k] += d[i] * p->basis[k][i];
        }
        mm -= pm[k] * pm[k];
        md -= pm[k] * pd[k];
        dd -= pd[k] * pd[k];
    }
    for (k = 0; k < 3; k++) {
        const double drift = 0.04 * k, square = mm + drift * (2 * md + drift * dd), along = my + drift * dy;
        double left, rise, height[SERVET__BESIDE];
        int c, e;
        if (!(square > 1e-9) || !(along > 0)) continue;
        rise = along / square;
        /* what is not needed has to pay */
        left = servet__max(p->squares - rise * along, 0) * (1 + 0.05 * k);
        if (left >= best) continue;
        for (c = p->columns - 1; c >= 0; c--) {    /* no level takes away */
            height[c] = p->part[c] - rise * (pm[c] + drift * pd[c]);
            for (e = c + 1; e < p->columns; e++) height[c] -= p->upper[e][c] * height[e];
            height[c] /= p->upper[c][c];
            if (height[c] < 0) break;
        }
        if (c >= 0) continue;
        best = left;
        form->at0 = height[0];
        form->rise = rise;
        form->drift = drift;
    }
    return best;
}

/* Adds all capacities, policies and placements for so many ways.  An exclusive level holds only what the level before
 * has lost: of a walk over n pages it is met by n less what that holds.  Behind the first level, which virtual
 * addresses index, pages fill classes evenly only where frames follow each other, as in large pages: in one case of
 * five. */
SERVET__PRIVATE void servet__post_try(servet__post *p, int ways, double common, int exclusive)
{
    servet__classes c;
    double miss[SERVET__FORMS][SERVET_POINTS_MAX], beyond[SERVET_POINTS_MAX], one[SERVET__FORMS];
    const double held = exclusive ? p->before_bytes : 0, in_row = 0.2;
    int g, i, k;
    servet__classes_make(&c, ways, servet__max(p->lo_bytes * pow(p->step, p->grid / 2) - held, 1) / p->page_bytes);
    for (g = 0; g < p->grid; g++) {
        const double bytes = p->lo_bytes * pow(p->step, g), capacity = (bytes - held) / p->page_bytes;
        if (held > 0 && (held > 0.7 * bytes || held < 0.02 * bytes)) continue;
        for (i = 0; i < p->n; i++) {
            servet__classes_miss(one, &c, p->pages[i] - held / p->page_bytes, capacity);
            for (k = 0; k < SERVET__FORMS; k++) miss[k][i] = one[k];
            beyond[i] = servet__max(0, p->x[i] - log2(bytes));
        }
        for (k = 0; k < SERVET__FORMS; k++) {
            const int at = k % (int)SERVET__POLICIES, even = k >= SERVET__POLICIES;
            servet__form form;
            double likely, prior;
            if (!even && ways > capacity) continue;    /* a way is less than a page: nothing is left to chance */
            form.left = servet__post_left(&form, p, miss[k], beyond);
            if (form.left > 1e299) continue;
            likely = form.left / p->n + 0.5;
            prior = servet__policy_common(at + 1, ways) * common * (even && p->before_bytes > 0 ? in_row : 1)
                  * servet__capacity_common(bytes - held, ways);
            p->own[at][g] += prior * pow(likely, -p->power);
            p->sum[g] += prior * pow(likely, -0.57 * p->power);
            if (form.left >= p->found[at].left) continue;
            form.bytes = bytes;
            form.held_bytes = held;
            form.ways = ways;
            form.policy = at + 1;
            form.placement = even ? SERVET_PLACEMENT_EVEN : SERVET_PLACEMENT_RANDOM;
            p->found[at] = form;
        }
    }
}

/* What a form adds to points of the curve. */
SERVET__PRIVATE void servet__form_adds(double *add, const servet__form *r, const servet__view *v, double page_bytes)
{
    const double held = r->held_bytes / page_bytes, capacity = r->bytes / page_bytes - held;
    double f[SERVET__CLASS];
    int i;
    servet__chase_table(f, r->ways, r->policy);
    for (i = 0; i < v->n; i++) {
        const double n = exp2(v->x[i]) / page_bytes - held;
        add[i] = !(n > 0) ? 0 : r->rise * (1 + r->drift * servet__max(0, v->x[i] - log2(r->bytes)))
               * (r->placement == SERVET_PLACEMENT_EVEN ? servet__miss_even(f, n * r->ways / capacity)
                                                        : servet__miss_random(&f, n, r->ways / capacity));
    }
}

/* Quantile of a distribution over capacities that grow by step from lo_bytes on. */
SERVET__PRIVATE double servet__grid_quantile(const double *mass, int n, double part, double lo_bytes, double step)
{
    double want = 0;
    int g;
    for (g = 0; g < n; g++) want += mass[g];
    want *= part;
    for (g = 0; g + 1 < n && want > mass[g]; g++) want -= mass[g];
    return lo_bytes * pow(step, g - 0.5 + (mass[g] > 0 ? servet__min(want / mass[g], 1) : 0.5));
}

/* The capacity that is within some 5 % of the true one most likely, whatever the policy: policies that agree bear each
 * other out, and one that is likelier than each of them, but not than all, stands alone.  In worth what each policy has
 * near it. */
SERVET__PRIVATE double servet__post_likeliest(double *worth, const servet__post *s)
{
    enum { SERVET__FINER = 4 };
    const double narrow = log(s->step) / 0.04;    /* of the grid, in standard deviations of a Gaussian */
    double most = 0, at = 0;
    int u, g, k;
    for (u = 0; u <= SERVET__FINER * (s->grid - 1) + 1; u++) {    /* at last once more, where most is */
        const int last = u > SERVET__FINER * (s->grid - 1);
        const double centre = last ? at : (double)u / (int)SERVET__FINER;
        double all = 0;
        for (k = 0; k < SERVET__POLICIES; k++) worth[k] = 0;
        for (g = 0; g < s->grid; g++) {
            const double x = (g - centre) * narrow, near_ = exp(-0.5 * x * x);
            for (k = 0; k < SERVET__POLICIES; k++) worth[k] += near_ * s->own[k][g];
        }
        for (k = 0; k < SERVET__POLICIES; k++) all += worth[k];
        if (last || all <= most) continue;
        most = all;
        at = centre;
    }
    return s->lo_bytes * pow(s->step, at);
}

/* Is it likelier than not that the capacity is none within 15 % of that? */
SERVET__PRIVATE int servet__post_unresolved(const servet__post *s, double bytes)
{
    double near_ = 0, all = 0;
    int g, k;
    for (g = 0; g < s->grid; g++) {
        const double off = log(s->lo_bytes / bytes) + g * log(s->step);
        for (k = 0; k < SERVET__POLICIES; k++) {
            all += s->own[k][g];
            if (fabs(off) < log(1.15)) near_ += s->own[k][g];
        }
    }
    return near_ < 0.5 * all;
}

/* Takes out what few samples put far above the best fit, as a disturbance that lasted does; 0 where nothing is. */
SERVET__PRIVATE int servet__post_trim(servet__post *p, const double *off, const servet__view *v)
{
    double size[SERVET_POINTS_MAX], scale;
    int i, found = 0;
    for (i = 0; i < p->n; i++) size[i] = fabs(off[i]) * p->root[i];
    scale = servet__max(1.48 * servet__median_of(size, p->n, 0), 1);
    for (i = 0; i < p->n; i++) {
        if (!v->few[p->from + i] || off[i] * p->root[i] < 5 * scale) continue;
        p->out[i] = 1;
        found++;
    }
    return found;
}

/* What points from lo to hi, log2 of bytes, say of group `at` beside all others: the level's size, interval, ways,
 * policy and placement; and in the group what it adds by the likeliest form.  What a capacity is worth is the sum over
 * all else of the likelihood, as nothing tells what that is but the curve.  lo > hi: the points that it takes.  In
 * score, if that is not NULL, minus twice the logarithm of the likeliest. */
SERVET__PRIVATE int servet__post_fit(servet_level *l, const servet__view *v, servet__group *group, int groups, int at,
                                     const servet_fit_opts *o, double lo, double hi, double *score)
{
    servet__group *own = &group[at];
    servet__post p;
    servet__form *form;
    double worth[SERVET__POLICIES], off[SERVET_POINTS_MAX], add[SERVET_POINTS_MAX], sum = 0, weights = 0;
    const double before = at ? group[at - 1].x : -1e3, after = at + 1 < groups ? group[at + 1].x : 1e3;
    const double err = 0.02;    /* of capacities, as no form is quite what a cache does */
    double from = own->x - 1.3, to = own->x + 1, top = 0;
    int i, k, best, turn;
    if (lo > hi) {    /* as far as other levels are not what rises */
        lo = servet__max(own->x - 2, before + 0.25 * (own->x - before));
        hi = servet__min(own->x + 2.5, after - 0.25 * (after - own->x));
    }
    memset(&p, 0, sizeof p);
    p.page_bytes = o->page_bytes;
    p.before_bytes = at ? exp2(before) : 0;
    for (i = 0; i < v->n; i++) {
        if (v->x[i] < lo - 1e-9 || v->x[i] > hi + 1e-9) continue;
        /* Where the curve falls something else has changed: what a prefetcher does, or the order of the chase. */
        if (v->x[i] > own->x && servet__max(v->y[i], v->y[i + (i + 1 < v->n)]) < 0.95 * top) break;
        if (p.n > 0) top = servet__max(top, servet__min(v->y[i - 1], v->y[i]));    /* one may err */
        if (p.n == 0) p.from = i;
        p.x[p.n] = v->x[i];
        p.pages[p.n] = exp2(v->x[i]) / o->page_bytes;
        p.y[p.n++] = v->y[i];
    }
    if (p.n < 7) return SERVET_EUNRESOLVED;
    from = servet__max(from, before + 0.6);
    to = servet__min(to, after - 0.6);
    if (!(to > from)) return SERVET_EUNRESOLVED;
    p.lo_bytes = exp2(from);
    p.grid = score ? SERVET__LEVELS_GRID / 2 : SERVET__LEVELS_GRID;    /* to compare, coarser will do */
    p.step = exp2((to - from) / (p.grid - 1));
    if (own->known) {
        p.lo_bytes = own->known->bytes;
        p.grid = 1;
    }
    p.power = servet__min(servet__max(p.n - 4, 1), 80) / 2.0;
    for (turn = 0; turn < 2; turn++) {
        memset(p.own, 0, sizeof p.own);
        memset(p.sum, 0, sizeof p.sum);
        for (k = 0; k < SERVET__POLICIES; k++) p.found[k].left = 1e300;
        servet__post_weigh(&p, v, group, groups, at);
        for (i = 0; i < SERVET__LEVELS_WAYS; i++) {
            const int ways = own->known && own->known->ways > 0 ? own->known->ways : servet__ways_list[i].ways;
            if (score && servet__ways_list[i].common < 0.3) continue;
            servet__post_try(&p, ways, servet__ways_list[i].common, 0);
            if (at && !own->known) servet__post_try(&p, ways, servet__ways_list[i].common, 1);
            if (own->known && own->known->ways > 0) break;
        }
        l->bytes = servet__post_likeliest(worth, &p);
        for (k = best = 0; k < SERVET__POLICIES; k++) if (worth[k] > worth[best]) best = k;
        if (!(worth[best] > 0)) return SERVET_EUNRESOLVED;
        form = &p.found[best];
        servet__form_adds(add, form, v, o->page_bytes);
        for (i = 0; i < p.n; i++) off[i] = p.root[i] * (p.y[i] - add[p.from + i]);
        servet__reduce(off, p.basis, p.columns, p.n, NULL);
        for (i = 0; i < p.n; i++) off[i] /= p.root[i];
        if (turn || !servet__post_trim(&p, off, v)) break;
    }
    for (i = 0; i < p.n; i++) {
        if (p.out[i]) continue;
        sum += off[i] * off[i] * p.root[i] * p.root[i];
        weights += p.root[i] * p.root[i];
    }
    if (score) *score = p.n * log(form->left / p.n + 0.5);
    l->misfit_frac = sqrt(sum / weights) / form->rise;
    l->unresolved = servet__post_unresolved(&p, l->bytes);
    l->lo_bytes = servet__min(servet__grid_quantile(p.sum, p.grid, 0.025, p.lo_bytes, p.step), l->bytes) / (1 + err);
    l->hi_bytes = servet__max(servet__grid_quantile(p.sum, p.grid, 0.975, p.lo_bytes, p.step), l->bytes) * (1 + err);
    l->ways = form->ways;
    l->policy = form->policy;
    l->placement = form->placement;
    l->method = SERVET_BY_MODEL;
    memcpy(own->add, add, sizeof add);
    if (!own->known) own->x = log2(l->bytes);
    own->ns = form->rise;
    return SERVET_OK;
}

/* Are groups at and at + 1 one level that the search took for two, as no kind it knows is like that one?  By the whole
 * family, and Schwarz's price: the logarithm of the number of points for each of capacity, height, ways and policy. */
SERVET__PRIVATE int servet__groups_are_one(const servet__view *v, servet__group *group, int groups, int at,
                                           const servet_fit_opts *o)
{
    const servet__group *a = &group[at], *b = &group[at + 1];
    const double lo = a->x - 1.5, hi = b->x + 2;
    const double from = at ? servet__max(lo, group[at - 1].x + 0.25 * (a->x - group[at - 1].x)) : lo;
    const double to = at + 2 < groups ? servet__min(hi, group[at + 2].x - 0.25 * (group[at + 2].x - b->x)) : hi;
    const double nearest = 0.8;    /* octaves; what no machine has */
    servet__group trial[SERVET__MIX_MAX], *one = &trial[at];
    double single, pair;
    servet_level l;
    int i, n = 0;
    for (i = 0; i < v->n; i++) n += v->x[i] >= from - 1e-9 && v->x[i] <= to + 1e-9;
    memset(&l, 0, sizeof l);
    memcpy(trial, group, (size_t)groups * sizeof *group);
    if (servet__post_fit(&l, v, trial, groups, at, o, from, to, &pair) < 0
        || servet__post_fit(&l, v, trial, groups, at + 1, o, from, to, &pair) < 0
        || trial[at + 1].x - trial[at].x < nearest) pair = 1e300;
    memcpy(trial, group, (size_t)groups * sizeof *group);
    memmove(one + 1, b + 1, (size_t)(groups - at - 2) * sizeof *group);
    for (i = 0; i < v->n; i++) one->add[i] += b->add[i];
    one->ns += b->ns;
    if (!one->known) one->x = (a->x * a->ns + b->x * b->ns) / one->ns;
    one->parts += b->parts;
    if (servet__post_fit(&l, v, trial, groups - 1, at, o, from, to, &single) < 0
        || single - pair > 4 * log((double)n)) return 0;
    memcpy(group, trial, (size_t)(groups - 1) * sizeof *group);
    return 1;
}

/* ---- the levels -------------------------------------------------------------------------------- */

/* Are these points in order, of times that can be? */
SERVET__PRIVATE int servet__curve_sound(const servet_curve *c)
{
    int i, k;
    if (c->count < 0 || c->count > SERVET_POINTS_MAX) return 0;
    for (i = 0; i < c->count; i++) {
        const servet_point *p = &c->point[i];
        if (!(p->bytes > 0) || !servet__finite(p->bytes) || !(p->ns > 0) || !servet__finite(p->ns)) return 0;
        if (!servet__finite(p->lo_ns) || !servet__finite(p->hi_ns)) return 0;
        if ((i > 0 && p->bytes <= p[-1].bytes) || p->samples > SERVET_SAMPLES_MAX) return 0;
        for (k = 0; k < p->samples; k++)
            if (!(p->sample_ns[k] > 0) || !servet__finite(p->sample_ns[k])) return 0;
    }
    return 1;
}

/* Which share of a group's rise each point of the curve has seen: what the other rises do not explain. */
SERVET__PRIVATE void servet__group_parts(double *part, double base, const servet__group *group, int groups, int at,
                                         const servet__view *v)
{
    double scratch[2 * SERVET_POINTS_MAX], weight[SERVET_POINTS_MAX];
    int i, k;
    for (i = 0; i < v->n; i++) {
        double others = base;
        for (k = 0; k < groups; k++) if (k != at) others += group[k].add[i];
        part[i] = servet__min(servet__max((v->y[i] - others) / group[at].ns, -1), 2);
        weight[i] = 1 / (v->y[i] * v->y[i]) + 1e-12;
    }
    servet_stats_isotonic(part, weight, (size_t)v->n, scratch);
}

/* Why a group may be no cache; 0 = it is one.  more: there are others behind it. */
SERVET__PRIVATE int servet__group_doubt(const servet__group *g, int first, int more)
{
    const double ratio = 1 + g->ns / g->before;
    /* 4 KiB: no data cache is so small, but some cores have the translation of the page used last at hand. */
    if (first) return more && g->x < 12.5 ? SERVET_DOUBT_TLB : 0;
    /* A first-level TLB miss costs 5 to 9 cycles where an L1 hit costs 3 to 5 and one in L2 10 and more; a page walk
     * 15 to 40 where a hit in L3 costs 35 and more.  A further cache costs twice the one before it or more. */
    return ratio < 1.7 ? SERVET_DOUBT_TLB : 0;
}

/* A level's size by the grid alone: between the last point that hits and the first that misses half, in the middle
 * where they are so far apart that shapes say little.  Returns 1 where a likelihood says no more: there, and of a rise
 * at once in a curve of one reading a size, which is at the last point that hits. */
SERVET__PRIVATE int servet__level_grid(servet_level *l, const servet__view *v, const servet__group *g, int last,
                                       int half, int compact)
{
    const double wide = v->x[half] - v->x[last], blind = 2.5;    /* octaves: that is no interval, but all */
    const int sparse = wide > 0.8 * (half - last);
    const int lottery = g->parts > 1 || (g->kind >= SERVET__RISE_LOTTERY && g->kind <= SERVET__RISE_RANDOM);
    l->method = SERVET_BY_GRID;
    l->bytes = exp2(servet__min(servet__max(g->x, v->x[last]), v->x[half]));
    if (sparse && wide < blind && g->kind != SERVET__RISE_SHARP) l->bytes = exp2((v->x[last] + v->x[half]) / 2);
    l->lo_bytes = servet__min(exp2(v->x[last]), l->bytes);
    l->hi_bytes = servet__max(exp2(v->x[half]), l->bytes);
    return sparse || !(lottery || compact);
}

/* Rise of a curve's logarithm that is none: 5 %. */
#define SERVET__FLAT 0.05

/* Levels, or doubts, from groups.  Returns the point from which on memory answers. */
SERVET__PRIVATE int servet__groups_levels(servet_levels *r, const servet_curve *curve, const servet__view *v,
                                          servet__group *group, int groups, double base, const servet_fit_opts *o)
{
    const double misfit = 0.08;    /* of the step; other tools' curves show more than caches */
    double part[SERVET_POINTS_MAX];
    int k, steps = 0, last = 0, end = 0;
    for (k = 0; k < groups; k++) steps += group[k].ns >= (o->step_ratio - 1) * group[k].before;
    for (k = 0; k < groups; k++) {
        servet__group *g = &group[k];
        const double ratio = 1 + g->ns / g->before;
        servet_level *l = &r->level[r->count], by;
        int a = 0, b, half, why;
        if (g->known) {
            *l = *g->known;
            l->latency_ns = l->lo_ns = l->hi_ns = 0;
        } else if (ratio < o->step_ratio) {
            continue;
        }
        steps--;
        why = g->known || o->compact ? 0 : servet__group_doubt(g, r->count == 0, steps > 0);
        if (why || r->count == SERVET_LEVELS_MAX) {
            servet_doubt *d = &r->doubtful[r->doubtful_count];
            if (r->doubtful_count == SERVET_LEVELS_MAX) continue;
            d->bytes = exp2(g->x);
            d->ratio = ratio;
            d->why = why ? why : SERVET_DOUBT_NOISE;
            r->doubtful_count++;
            continue;
        }
        l->level = ++r->count;
        if (g->known && (!(g->ns > 0) || v->x[0] > g->x)) continue;    /* not to be seen */
        servet__group_parts(part, base, group, groups, k, v);
        while (a + 1 < v->n && part[a + 1] < 0.1) a++;      /* the last that hits */
        for (half = a; half + 1 < v->n && part[half] < 0.5; half++) { }
        for (b = half; b + 1 < v->n && part[b] < 0.95; b++) {
            if (k + 1 < groups && v->x[b + 1] > group[k + 1].x) break;
            /* a shape that ends slowly goes on behind where the curve itself is flat */
            if (k + 1 == groups && v->low[v->n - 1] - v->low[b] < SERVET__FLAT) break;
        }
        if (!g->known) {
            const int done = servet__level_grid(l, v, g, a, half, o->compact);
            by = *l;
            if (!done && servet__post_fit(&by, v, group, groups, k, o, 1, 0, NULL) >= 0
                && (o->compact || by.misfit_frac < misfit)) *l = by;
        }
        if (end <= a) {
            servet__plateau(curve, v, end, a, &l->latency_ns, &l->lo_ns, &l->hi_ns);
        } else {    /* no point shows it alone */
            l->latency_ns = l->lo_ns = l->hi_ns = g->before;
        }
        end = b;
        last = a;
    }
    /* shared with others, so that only what could be had can be said */
    if (r->count > 1 && !group[groups - 1].known) {
        servet_level *l = &r->level[r->count - 1];
        l->effective = 1;
        l->lo_bytes = servet__min(l->lo_bytes, exp2(v->x[last]));
        l->hi_bytes = servet__max(l->hi_bytes, exp2(v->x[end]));
    }
    return end;
}

SERVET__DEF int servet_fit_levels(servet_levels *out, const servet_curve *curve, const servet_fit_opts *opts)
{
    servet__view v;
    servet__group group[SERVET__MIX_MAX];
    servet_levels r;
    servet_fit_opts o;
    double base, slow, slow_ratio;
    int k, groups, end;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    if (o.page_bytes == 0) o.page_bytes = 4096;
    if (o.step_ratio == 0) o.step_ratio = 1.25;
    if (!out || !curve || !servet__curve_sound(curve)) return SERVET_EINVAL;
    if (!(o.page_bytes > 0 && o.page_bytes < 1e15) || !(o.step_ratio > 1 && o.step_ratio < 1e6)) return SERVET_EINVAL;
    if (o.known_count < 0 || o.known_count > SERVET_LEVELS_MAX || (o.known_count > 0 && !o.known)) return SERVET_EINVAL;
    for (k = 0; k < o.known_count; k++)
        if (!(o.known[k].bytes > (k ? o.known[k - 1].bytes : 0)) || !(o.known[k].bytes < 1e15)) return SERVET_EINVAL;
    if (curve->count < 3) return SERVET_EUNRESOLVED;
    memset(&r, 0, sizeof r);
    servet__view_make(&v, curve, o.compact);
    groups = servet__groups_find(group, &base, &slow, &slow_ratio, &v, &o);
    for (k = 0; k < groups; k++) {
        servet_level spare;
        if (group[k].known && group[k].ns > 0) servet__post_fit(&spare, &v, group, groups, k, &o, 1, 0, NULL);
    }
    for (k = 0; o.compact && k + 1 < groups; ) {
        const int near_ = !group[k + 1].known && group[k + 1].x - group[k].x < 2.5;
        if (near_ && servet__groups_are_one(&v, group, groups, k, &o)) groups--;
        else k++;
    }
    end = servet__groups_levels(&r, curve, &v, group, groups, base, &o);
    if (slow > 0 && r.doubtful_count < SERVET_LEVELS_MAX) {
        r.doubtful[r.doubtful_count].bytes = slow;
        r.doubtful[r.doubtful_count].ratio = slow_ratio;
        r.doubtful[r.doubtful_count++].why = SERVET_DOUBT_NOISE;
    }
    if (r.count == 0 && r.doubtful_count == 0) return SERVET_EUNRESOLVED;
    if (r.count > 0) servet__plateau(curve, &v, end, v.n - 1, &r.memory_ns, &r.memory_lo_ns, &r.memory_hi_ns);
    /* Still rising at its end: memory was not reached.  A last point of a single sample may only be disturbed. */
    k = v.n - 1 - (v.n > end + 2 && curve->point[v.n - 1].samples == 1);
    if (end >= v.n - 1 || v.low[k] - v.low[end] > 0.2 * servet__max(v.x[k] - v.x[end], 0.5))
        r.memory_ns = r.memory_lo_ns = r.memory_hi_ns = 0;
    *out = r;
    return r.count > 0 ? SERVET_OK : SERVET_EUNRESOLVED;
}

/* Figure 3: the sum of |MR - P(X > K)| for tentative sizes and ways; mode of the five best sizes. */
SERVET__DEF int servet_fit_binomial(double *out_bytes, const double *bytes, const double *cycles, size_t n,
                                    double page_bytes)
{
    static const int ways[] = { 1, 2, 4, 8, 12, 16, 24 };
    enum { SERVET__BEST = 5 };
    double best[SERVET__BEST], size[SERVET__BEST], hit, overhead, top = 0, octave;
    int quarter, count[SERVET__BEST], mode = 0, found = 0;
    size_t i, k;
    if (!out_bytes || !bytes || !cycles || !(page_bytes > 0)) return SERVET_EINVAL;
    if (n < 3) return SERVET_EUNRESOLVED;
    for (i = 0; i < n; i++)
        if (!(bytes[i] > 0) || !(cycles[i] > 0) || (i > 0 && bytes[i] <= bytes[i - 1])) return SERVET_EINVAL;
    for (hit = cycles[0], i = 0; i < n; i++) {
        hit = servet__min(hit, cycles[i]);
        top = servet__max(top, cycles[i]);
    }
    overhead = top - hit;
    if (!(overhead > 0)) return SERVET_EUNRESOLVED;
    for (octave = floor(log2(bytes[0])); octave <= log2(bytes[n - 1]); octave++) {
        for (quarter = 0; quarter < 4; quarter++) {
            const double cs = exp2(octave) * (1 + quarter / 4.0);
            if (cs < bytes[0] || cs > bytes[n - 1]) continue;
            for (k = 0; k < sizeof ways / sizeof *ways; k++) {
                double div = 0, p = ways[k] * page_bytes / cs;
                int at, j;
                if (p > 1) continue;    /* a way is smaller than a page: not a physically indexed cache's case */
                for (i = 0; i < n; i++)
                    div += fabs((cycles[i] - hit) / overhead
                                - servet_stats_binomial_tail(floor(bytes[i] / page_bytes), ways[k] + 1, p));
                for (at = found; at > 0 && best[at - 1] > div; at--) { }
                if (at >= SERVET__BEST) continue;
                if (found < SERVET__BEST) found++;
                for (j = found - 1; j > at; j--) { best[j] = best[j - 1]; size[j] = size[j - 1]; }
                best[at] = div;
                size[at] = cs;
            }
        }
    }
    if (found == 0) return SERVET_EUNRESOLVED;
    for (i = 0; i < (size_t)found; i++) {
        count[i] = 0;
        for (k = 0; k < (size_t)found; k++) count[i] += size[k] == size[i];
        if (count[i] > count[mode]) mode = (int)i;    /* of equal ones the better fit, which comes first */
    }
    *out_bytes = size[mode];
    return SERVET_OK;
}

/* Figure 4. */
SERVET__DEF int servet_fit_servet(servet_levels *out, const double *bytes, const double *cycles, size_t n,
                                  double page_bytes, double tolerance)
{
    servet_levels r;
    size_t i, from, to;
    if (tolerance == 0) tolerance = 0.1;
    if (!out || !bytes || !cycles || !(page_bytes > 0) || !(tolerance > 0)) return SERVET_EINVAL;
    for (i = 0; i < n; i++)
        if (!(bytes[i] > 0) || !(cycles[i] > 0) || (i > 0 && bytes[i] <= bytes[i - 1])) return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    for (i = 0; i + 1 < n && r.count < SERVET_LEVELS_MAX; ) {
        servet_level *l = &r.level[r.count];
        double size = bytes[i];
        int method = SERVET_BY_PEAK;
        if (!(cycles[i + 1] / cycles[i] > 1 + tolerance)) { i++; continue; }
        for (from = i; i + 1 < n && cycles[i + 1] / cycles[i] > 1 + tolerance; i++) { }
        to = i;     /* the gradient is high from from to to - 1 */
        if (r.count == 0) {    /* the first peak, and no more of it: what follows may belong to the next cache */
            double top = 0;
            for (i = from; i < to && cycles[i + 1] / cycles[i] > top; i++) {
                top = cycles[i + 1] / cycles[i];
                size = bytes[i];
            }
        } else if (to - from > 1 || to + 1 == n) {
            if (servet_fit_binomial(&size, bytes + from, cycles + from, to - from + 1, page_bytes) < 0) continue;
            method = SERVET_BY_BINOMIAL;
        }
        l->level = ++r.count;
        l->bytes = l->lo_bytes = l->hi_bytes = size;
        l->latency_ns = cycles[from];
        l->method = method;
        r.memory_ns = cycles[to];
    }
    if (r.count == 0) return SERVET_EUNRESOLVED;
    *out = r;
    return SERVET_OK;
}

/* >>hierarchy (implementation) ---------------------------------------------------------------- */

/* Quantity    which levels a core has of its own, and their sizes; the bytes of a line, and of what is fetched at
 *             once; the entries of data TLBs
 * Model       a load's latency is that of the nearest level that still holds its line.  The second of two loads in a
 *             row, d bytes behind the first, hits the first level if both are in one line, else it misses:
 *                 ns(base, d) = hit_ns  if floor(base / line) = floor((base + d) / line),  else miss_ns
 * Estimator   levels: a thin curve shows how many and about where, counts (>>count) give their sizes, the nearest
 *             first, as each count has to know the level before; line: the smallest power of two for which all pairs
 *             inside are faster than all others, by half of the widest such gap; TLBs: counts from guesses upward
 * Fooled by   a level within 1.3 times the latency of the one before; a neighbour who holds a part of a level during
 *             all runs; a prefetcher of pairs of lines makes a second gap, twice as far out (it is the fetch size)
 * References  Yotov, Pingali, Stodghill, Automatic Measurement of Memory Hierarchy Parameters, 2005 (X-Ray) */

/* Does the second load of p stay in the block of size bytes that the first is in? */
SERVET__PRIVATE int servet__line_inside(const servet_line_point *p, int size)
{
    return (p->base_bytes + p->apart_bytes) / size == p->base_bytes / size;
}

/* Time of a second load: what the pair takes more than the first alone, from the same base or else any. */
SERVET__PRIVATE int servet__line_second(double *ns, const servet_line_evidence *e, const servet_line_point *p)
{
    double single = 0, own = 0;
    int i, n = 0;
    for (i = 0; i < e->count; i++) {
        const servet_line_point *q = &e->point[i];
        if (q->test != p->test || q->apart_bytes != 0) continue;
        single += q->ns;
        n++;
        if (q->base_bytes == p->base_bytes) own = q->ns;
    }
    if (n == 0) return 0;
    *ns = 2 * p->ns - (own > 0 ? own : single / n);
    return 1;
}

/* Second loads of one test split by size: the slowest inside, the fastest outside; 0 where one side is empty. */
SERVET__PRIVATE int servet__line_split(const servet_line_evidence *e, int test, int size, double *inside,
                                       double *outside)
{
    int i, n_in = 0, n_out = 0;
    double ns;
    for (i = 0; i < e->count; i++) {
        const servet_line_point *p = &e->point[i];
        if (p->test != test || p->apart_bytes == 0 || !servet__line_second(&ns, e, p)) continue;
        if (servet__line_inside(p, size)) {
            if (n_in++ == 0 || ns > *inside) *inside = ns;
        } else {
            if (n_out++ == 0 || ns < *outside) *outside = ns;
        }
    }
    return n_in > 0 && n_out > 0;
}

/* The line as one test has it; line_bytes stays 0 where the two sorts of loads do not part.  A miss that brings a
 * neighbour into a level behind the first makes a second gap, twice as far out and maybe wider: so it is the smallest
 * size whose gap, as a ratio, is at least half the widest on a scale of logarithms.  Noise makes small ones only. */
SERVET__PRIVATE void servet__line_size(servet_line *r, const servet_line_evidence *e, int test)
{
    enum { SERVET__LEAST = 16, SERVET__MOST = 512, SERVET__SIZES = 6 };
    double in[SERVET__SIZES], beyond[SERVET__SIZES], gap[SERVET__SIZES], widest = 0;
    int i;
    for (i = 0; i < SERVET__SIZES; i++) {
        gap[i] = 0;
        if (!servet__line_split(e, test, (int)SERVET__LEAST << i, &in[i], &beyond[i])) continue;
        in[i] = servet__max(in[i], 0.01);
        if (!(beyond[i] > 1.25 * in[i])) continue;   /* as for a level: less is no step */
        gap[i] = log(beyond[i] / in[i]);
        widest = servet__max(widest, gap[i]);
        if (r->lo_bytes == 0) r->lo_bytes = (int)SERVET__LEAST << i;
    }
    for (i = 0; i < SERVET__SIZES && widest > 0; i++) {
        if (gap[i] < 0.5 * widest) continue;
        if (r->line_bytes == 0) {
            r->line_bytes = (int)SERVET__LEAST << i;
            r->hit_ns = in[i];
            r->miss_ns = beyond[i];
            widest = gap[i];
        }
        /* the same loads inside */
        if (gap[i] >= widest - 0.001 && in[i] <= r->hit_ns) r->hi_bytes = (int)SERVET__LEAST << i;
    }
}

/* Line size and fetch size from pairs of loads.
 * For each power of two: are the second loads that stay in an aligned block of it clearly faster than all others?
 * The sizes for which they are bound the line.  EUNRESOLVED where the two sorts do not part. */
SERVET__PRIVATE int servet__line_fit(servet_line *out, const servet_line_evidence *e)
{
    servet_line r;
    double in, beyond, ns;
    int i, size, test;
    if (!out || !e || e->count < 0 || e->count > SERVET_LINE_POINTS) return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    for (i = 0; i < e->count; i++)
        if (!(e->point[i].ns > 0) || e->point[i].apart_bytes < 0 || e->point[i].base_bytes < 0) return SERVET_EINVAL;
    /* The line: what is inside takes a hit of the first level, what is outside at least one of the second.  Of the near
     * test; where its misses cost too little to be told, of the far one. */
    for (test = SERVET_LINE_NEAR; test <= SERVET_LINE_FAR && r.line_bytes == 0; test++)
        servet__line_size(&r, e, test);
    if (r.line_bytes == 0) return SERVET_EUNRESOLVED;
    /* Fetch size: the largest size whose inside is clearly faster than all beyond it, far behind the first level. */
    for (size = r.line_bytes; size <= 256 && size <= 4 * r.line_bytes; size *= 2)
        if (servet__line_split(e, SERVET_LINE_FAR, size, &in, &beyond) && beyond > 1.25 * servet__max(in, r.hit_ns))
            r.fetch_bytes = size;
    for (i = 0; i < e->count; i++) {    /* one line on, in the next pair: early as well? */
        const servet_line_point *p = &e->point[i];
        if (p->test != SERVET_LINE_FAR || p->apart_bytes != r.line_bytes || p->base_bytes % (2 * r.line_bytes) == 0
            || p->base_bytes % r.line_bytes) continue;
        if (servet__line_second(&ns, e, p)) {
            double single = 0;
            int k;
            for (k = 0; k < e->count; k++)
                if (e->point[k].test == SERVET_LINE_FAR && e->point[k].apart_bytes == 0)
                    single = servet__max(single, e->point[k].ns);
            if (single > 1.5 * servet__max(ns, r.hit_ns)) r.predicted = 1;
        }
    }
    *out = r;
    return SERVET_OK;
}

#endif /* SERVET_HAS(MEASURING) */

static const servet__name servet__backing_word[] = {
    SERVET__WORD("unknown"), { "split", "each small page of a large one takes an entry" },
    { "part", "several small pages of a large one share an entry" }, { "whole", "a large page takes one entry" } };

#if SERVET_HAS(MEASURING)

#if !defined(SERVET_PURE_ONLY)

/* Places of some lines of `blocks` blocks drawn from the pool, those of a block one after the other. */
SERVET__PRIVATE void servet__thin_places(uint32_t *place, uint32_t *block, int pool, int blocks, int lines,
                                         uint64_t *seed)
{
    enum { SERVET__PAGE_LINES = 64, SERVET__LINE_PLACES = 64 / SERVET_PLACE_BYTES,
           SERVET__BLOCK_PLACES = SERVET_COUNT_BLOCK / SERVET_PLACE_BYTES };
    const int from = (int)servet_stats_random_below(seed, SERVET__PAGE_LINES);
    int i, k;
    for (i = 0; i < pool; i++) block[i] = (uint32_t)i;
    for (i = 0; i < blocks; i++) {    /* a part of a shuffle */
        const size_t other = (size_t)i + servet_stats_random_below(seed, (size_t)(pool - i));
        const uint32_t b = block[other];
        block[other] = block[i];
        block[i] = b;
        for (k = 0; k < lines; k++) {
            const int line = (from + k * SERVET__PAGE_LINES / lines) % SERVET__PAGE_LINES;
            place[i * lines + k] = b * SERVET__BLOCK_PLACES + (uint32_t)(line * SERVET__LINE_PLACES);
        }
        servet__shuffle(place + i * lines, (size_t)lines, seed);
    }
}

/* Draws of blocks for every point of the curve, until the time is over; the first draw may take half as long again. */
SERVET__PRIVATE int servet__thin_draw(servet_curve *c, const servet_machine *m, uint32_t *place, uint32_t *block,
                                      int pool, servet__watch *watch)
{
    enum { SERVET__THIN_LINES = 4, SERVET__THIN_LEAST = 64, SERVET__THIN_DRAWS = 3, SERVET__THIN_PASSES = 3 };
    const double first = 1.5;
    double ns[SERVET__THIN_PASSES];
    uint64_t seed = watch->run.seed;
    servet_sample sample;
    servet_track t;
    int i, draw, status;
    memset(&t, 0, sizeof t);
    t.place = place;
    t.repeats = SERVET__THIN_PASSES;
    t.raw = 1;
    watch->limit_s = first * watch->run.budget_s;
    for (draw = 0; draw < SERVET__THIN_DRAWS && !watch->over; draw++, watch->limit_s = watch->run.budget_s)
        for (i = 0; i < c->count; i++) {
            const int blocks = (int)(c->point[i].bytes / SERVET_COUNT_BLOCK + 0.5);
            servet_point *p = &c->point[i];
            int lines = SERVET__THIN_LINES;
            while (lines * blocks < SERVET__THIN_LEAST) lines *= 2;
            if (servet__watch_over(watch, 0)) break;
            servet__thin_places(place, block, pool, blocks, lines, &seed);
            t.n = (size_t)(blocks * lines);
            status = m->track(m->ctx, &t, ns, &sample);
            if (status < 0) return status;
            p->round[p->samples] = (unsigned char)draw;
            p->sample_ns[p->samples++] = servet__min(ns[SERVET__THIN_PASSES - 2], ns[SERVET__THIN_PASSES - 1]);
            c->taken++;
        }
    c->rounds = draw;
    return SERVET_OK;
}

/* Latency of few lines of ever more 4 KiB blocks.
 *   hi_bytes   largest footprint;   run->budget_s: 0 = .25 s
 * Of each block four lines (of fewer than 16 blocks more), those of a block one after the other: as a column of lines
 * misses where whole blocks would, this costs a sixteenth of a chase, and a TLB miss counts a quarter.  Three draws of
 * blocks a point.  Shows how many levels there are and about where: what counts begin with.
 * Cost: 5 ms to 1 MiB, 30 ms to 16 MiB.  ESTOPPED if nothing was measured. */
SERVET__PRIVATE int servet__hierarchy_thin(servet_curve *out, const servet_machine *m, double hi_bytes,
                                           const servet_run *run)
{
    enum { SERVET__LINES_MOST = 64 };    /* of one block; of 16 or more four each: fewer than the blocks times 8 */
    servet_curve *c;
    double bytes[SERVET_POINTS_MAX];
    servet_run asked;
    servet__watch watch;
    uint32_t *place;
    int i, n, pool, status;
    if (!out || !m || !m->seconds || !(hi_bytes >= SERVET_COUNT_BLOCK)) return SERVET_EINVAL;
    if (!m->track) return SERVET_EUNSUPPORTED;
    memset(&asked, 0, sizeof asked);
    if (run) asked = *run;
    if (!(asked.budget_s > 0)) asked.budget_s = 0.25;
    hi_bytes = servet__min(hi_bytes, m->bytes / 2);
    n = servet__mcalibrator_grid(bytes, SERVET_POINTS_MAX, SERVET_COUNT_BLOCK, hi_bytes, 4, SERVET_COUNT_BLOCK);
    if (n < 0) return n;
    pool = (int)(2 * hi_bytes / SERVET_COUNT_BLOCK);    /* so that draws differ */
    c = (servet_curve *)calloc(1, sizeof *c);
    place = (uint32_t *)malloc(((size_t)pool * 5 + 2 * (size_t)SERVET__LINES_MOST) * sizeof *place);
    if (!c || !place) {
        free(c);
        free(place);
        return SERVET_ENOMEM;
    }
    c->chase.page_bytes = SERVET_COUNT_BLOCK;
    c->huge_frac = -1;
    for (c->count = n, i = 0; i < n; i++) c->point[i].bytes = bytes[i];
    servet__watch_begin(&watch, m, &asked);
    servet__watch_own(&watch);
    status = servet__thin_draw(c, m, place + pool, place, pool, &watch);
    while (c->count > 0 && c->point[c->count - 1].samples == 0) c->count--;
    servet__mcalibrator_settle(c);
    c->stopped = watch.stopped;
    c->seconds = servet__watch_elapsed(&watch);
    if (status >= 0 && c->count > 0) *out = *c;
    else if (status >= 0) status = SERVET_ESTOPPED;
    free(c);
    free(place);
    return status;
}

/* What a first and a second level take: a count that is begun has so much of the CPU, however late it is. */
#define SERVET__COUNT_LEAST_S 0.06

/* Below this budget a start-up waits: three runs of each level do. */
#define SERVET__SHORT_S 0.2

/* Options of a count, with the time that is left. */
SERVET__PRIVATE servet_count_opts servet__count_begin(const servet_machine *m, const servet_run *run,
                                                      double page_bytes, double begun)
{
    servet_count_opts o;
    memset(&o, 0, sizeof o);
    o.page_bytes = page_bytes;
    if (!run) return o;
    o.run = *run;
    if (run->budget_s > 0)
        o.run.budget_s = servet__max(run->budget_s - (m->seconds(m->ctx) - begun), SERVET__COUNT_LEAST_S);
    return o;
}

/* Counts the levels that a thin curve shows, the nearest first.  Ends before the first that cannot be counted: larger
 * than 16 MiB, too large for the time, or used by others so much that no two runs agree.  Returns how many. */
SERVET__PRIVATE int servet__hierarchy_counts(servet_count *count, int cap, const servet_curve *thin,
                                             const servet_machine *m, const servet_run *run)
{
    enum { SERVET__RUNS = 3 };
    const double most = 4096;       /* blocks: 16 MiB, more than any core has of its own */
    const double step = 1.3;        /* a rise that ends a plateau: a little more than the 1.25 that a count must show */
    const double apart = 1.25;      /* the next level against the one before: nearer is the same, seen once more */
    const double past = 1.6;        /* the plateau behind a level begins: all its sets are full by then */
    double least[SERVET_POINTS_MAX], units[SERVET_POINTS_MAX], begun, before = 0;
    int i, k, n = 0;
    if (!count || cap < 1 || !thin || !m || !m->seconds || thin->count < 0 || thin->count > SERVET_POINTS_MAX)
        return SERVET_EINVAL;
    if (!m->track) return SERVET_EUNSUPPORTED;
    begun = m->seconds(m->ctx);
    for (i = thin->count - 1; i >= 0; i--) {    /* monotone: a disturbance only adds */
        units[i] = thin->point[i].bytes / SERVET_COUNT_BLOCK;
        least[i] = i + 1 < thin->count ? servet__min(thin->point[i].ns, least[i + 1]) : thin->point[i].ns;
    }
    for (i = 0; i < thin->count && n < cap; n++) {
        const double hit_ns = least[i];
        servet_count_opts o = servet__count_begin(m, run, 0, begun);
        servet_counted counted;
        for (k = i + 1; k < thin->count && least[k] < step * hit_ns; k++) { }
        if (k >= thin->count) break;
        o.about_units = sqrt(units[k - 1] * units[k]);
        /* A third if there is time: a run takes as much longer than the last one as there is more to fill. */
        if (n > 1 && run && run->budget_s > 0
            && count[n - 1].seconds / count[n - 1].runs * o.about_units / before
               > run->budget_s - (m->seconds(m->ctx) - begun)) break;
        if (o.about_units > most || (n > 0 && o.about_units < apart * before)) break;
        o.before_units = before;
        o.runs = n > 0 || o.run.budget_s < SERVET__SHORT_S ? SERVET__RUNS : 0;
        if (servet_count_cache(&count[n], m, &o) < 0) break;
        if (servet_count_settle(&counted, &count[n]) < 0 || counted.units < apart * before) {
            if (n == 0 || count[n].run[0].passes > 0) break;
            i = k;    /* evicted cannot be told from resident: a TLB's step, behind which another may follow */
            n--;
            continue;
        }
        before = counted.units;
        for (i = k; i < thin->count && units[i] < past * before; i++) { }
    }
    return n;
}

/* Counts data TLBs: the first, the second, and, where large, the first in the memory of chases, which
 * tells whether large pages save translations.  Returns how many. */
SERVET__PRIVATE int servet__hierarchy_tlbs(servet_count *count, int cap, const servet_machine *m, double page_bytes,
                                           int large, const servet_run *run)
{
    /* Numbers of entries, and of pages timed as one, as few as the counter tells apart.  A guess of the second serves
     * for half to three times it, the most common twice, as it may be disturbed. */
    static const short first[][2] = { { 12, 4 }, { 12, 8 }, { 32, 8 }, { 32, 16 }, { 96, 16 }, { 96, 32 } };
    static const short second[][2] = { { 128, 4 }, { 128, 8 }, { 512, 8 }, { 2048, 16 }, { 2048, 16 }, { 6144, 16 } };
    enum { SERVET__FIRST = 6, SERVET__SECOND = 6, SERVET__LARGE = 3, SERVET__RUNS = 5 };
    servet_count_opts o;
    servet_counted counted, second_counted;
    servet_count c;
    double begun;
    int i, n = 0, status = SERVET_OK;
    if (!count || cap < 1 || !m || !m->seconds) return SERVET_EINVAL;
    if (!m->track) return SERVET_EUNSUPPORTED;
    begun = m->seconds(m->ctx);
    for (i = 0; i < SERVET__FIRST && n == 0; i++) {
        o = servet__count_begin(m, run, page_bytes, begun);
        o.about_units = first[i][0];
        o.group_pages = first[i][1];
        if (servet_count_tlb(&c, m, &o) >= 0 && servet_count_settle(&counted, &c) >= 0) count[n++] = c;
    }
    for (i = 0; i < SERVET__SECOND && n == 1 && n < cap && status >= 0; i++) {
        o = servet__count_begin(m, run, page_bytes, begun);
        o.before_units = counted.units;
        o.about_units = second[i][0];
        o.group_pages = second[i][1];
        o.runs = SERVET__RUNS;
        if (o.about_units < 2 * o.before_units) continue;
        status = servet_count_tlb(&c, m, &o);
        if (status >= 0 && servet_count_settle(&second_counted, &c) >= 0
            && second_counted.units > 1.5 * o.before_units) count[n++] = c;
    }
    if (n > 0 && n < cap && large) {
        o = servet__count_begin(m, run, page_bytes, begun);
        o.about_units = first[SERVET__LARGE][0];
        o.group_pages = first[SERVET__LARGE][1];
        o.large = 1;
        if (servet_count_tlb(&c, m, &o) >= 0) count[n++] = c;
    }
    return n;
}

/* A measurement under way. */
typedef struct servet__task {
    const servet_machine *m;
    servet__watch watch;
    double   quiet_cycles;      /* of the reference chains, undisturbed: the least seen              */
    double   waited_s;          /* in which a disturbance was given time to go away                  */
    int      taken, retaken;
    uint64_t seed;
    uint32_t *place;            /* room for as many places as a track has at most                    */
    uint32_t *line;             /* the lines of a point, in units                                    */
} servet__task;

/* One track, taken again while something disturbs it: a neighbour keeps a core for some ten milliseconds, so that more
 * than a few tries are worth their time, up to a quarter of the budget in all.  Returns a status, or 1 where it stayed
 * disturbed. */
SERVET__PRIVATE int servet__task_read(servet__task *t, const servet_track *track, double *ns)
{
    enum { SERVET__RETAKES = 2 };
    const double patience_s = 0.1, share = 0.25, from = t->m->seconds(t->m->ctx);
    const double slack = 1.03;      /* reference chains repeat to 1 %, beside a program they take 5 % more and up */
    const double forget = 1.02;     /* the least may have been a reading that came out too low */
    servet_sample s;
    double waited_s = 0;
    int tries, status, noisy = 1;
    for (tries = 0; noisy; tries++) {
        if (tries > SERVET__RETAKES && (waited_s > patience_s
                                        || t->waited_s + waited_s > share * t->watch.run.budget_s)) break;
        if (tries > 0) t->retaken++;
        memset(&s, 0, sizeof s);
        status = t->m->track(t->m->ctx, track, ns, &s);
        if (status < 0) return status;
        t->taken++;
        if (s.anchor_cycles > 0 && (t->quiet_cycles == 0 || s.anchor_cycles < t->quiet_cycles))
            t->quiet_cycles = s.anchor_cycles;
        noisy = s.flags != 0 || s.anchor_cycles > slack * t->quiet_cycles;
        waited_s = t->m->seconds(t->m->ctx) - from;
        if (noisy && servet__watch_over(&t->watch, 0)) break;
    }
    if (tries > 1) t->waited_s += waited_s;
    if (noisy && waited_s > patience_s) t->quiet_cycles *= forget;
    return noisy;
}

/* Blocks in random order, and in each a load at base, and if there is one a second at apart from it: upward or
 * downward at random, as there are prefetchers that learn a distance. */
SERVET__PRIVATE void servet__line_places(servet__task *t, servet_track *track, size_t blocks, int base, int apart)
{
    size_t i, n = 0;
    for (i = 0; i < blocks; i++) t->line[i] = (uint32_t)i;
    servet__shuffle(t->line, blocks, &t->seed);
    for (i = 0; i < blocks; i++) {
        const uint32_t at = t->line[i] * (1024 / SERVET_PLACE_BYTES) + (uint32_t)(base / SERVET_PLACE_BYTES);
        const uint32_t then = at + (uint32_t)(apart / SERVET_PLACE_BYTES);
        const int down = apart > 0 && servet_stats_random_below(&t->seed, 2);
        t->place[n++] = down ? then : at;
        if (apart > 0) t->place[n++] = down ? at : then;
    }
    memset(track, 0, sizeof *track);
    track->place = t->place;
    track->n = n;
}

/* Which pairs are timed, and what they took so far. */
enum { SERVET__LINE_PAIRS = 18, SERVET__LINE_ROUNDS = 24 };
typedef struct servet__line_test {
    int    test, pairs, rounds;
    size_t blocks, most;        /* that are used; and may be, where all loads still hit              */
    const short (*at)[2];       /* base, and distance to the second load                             */
    double ns[SERVET__LINE_PAIRS][SERVET__LINE_ROUNDS];
} servet__line_test;

/* How many blocks leave the first level: half as many again as the first power of two of which single loads miss it.
 * That is one and a half to three times what it holds, and so, where it can be had, less than what the second does:
 * there all misses cost alike, whatever comes with them.  0 = stopped, or nothing is seen. */
SERVET__PRIVATE size_t servet__line_near(servet__task *t, size_t most)
{
    enum { SERVET__FIRST = 8 };
    double hit = 0;
    size_t blocks;
    int k;
    for (blocks = SERVET__FIRST; blocks <= most; blocks *= 2) {
        double ns = 0, again;
        for (k = 0; k < 3; k++) {    /* the lowest of three: what disturbs only adds */
            servet_track track;
            if (servet__watch_over(&t->watch, 0)) return 0;
            servet__line_places(t, &track, blocks, 0, 0);
            if (servet__task_read(t, &track, &again) < 0) return 0;
            if (k == 0 || again < ns) ns = again;
            if (hit > 0 && ns < 1.5 * hit) break;
        }
        if (hit == 0 || ns < hit) hit = ns;
        if (ns > 1.5 * hit) return 3 * blocks / 2 < most ? 3 * blocks / 2 : most;
    }
    return 0;
}

/* Points from the rounds of one parity, or with step 1 from all: the lowest of each, as what disturbs only adds. */
SERVET__PRIVATE void servet__line_points(servet_line_evidence *e, const servet__line_test *x, int from, int step)
{
    int i, k;
    for (i = 0; x->rounds > from && i < x->pairs; i++) {
        servet_line_point *p = &e->point[e->count++];
        memset(p, 0, sizeof *p);
        p->test = x->test;
        p->base_bytes = x->at[i][0];
        p->apart_bytes = x->at[i][1];
        p->ns = x->ns[i][from];
        for (k = from; k < x->rounds; k += step, p->samples++) p->ns = servet__min(p->ns, x->ns[i][k]);
    }
    e->blocks[x->test] = (int)x->blocks;
}

/* Do the odd rounds and the even ones say the same, with nothing left open?  Of the near test the line, of the far one
 * what is fetched.  -1 where neither says anything. */
SERVET__PRIVATE int servet__line_agreed(const servet__line_test *near_, const servet__line_test *far_)
{
    servet_line_evidence e;
    servet_line line[2];
    int k, open = 0;
    for (k = 0; k < 2; k++) {
        memset(&e, 0, sizeof e);
        servet__line_points(&e, near_, far_ ? 0 : k, far_ ? 1 : 2);
        if (far_) servet__line_points(&e, far_, k, 2);
        if (servet__line_fit(&line[k], &e) < 0) open++;
        else if (!far_ && line[k].lo_bytes != line[k].hi_bytes) return 0;
    }
    if (open > 0) return open == 2 ? -1 : 0;
    return line[0].line_bytes == line[1].line_bytes
        && (!far_ || (line[0].fetch_bytes == line[1].fetch_bytes && line[0].fetch_bytes > 0));
}

/* Rounds over all pairs of one test until they agree, at most until a share of the budget is used.  The first is ended
 * if it is begun: half a table says nothing.  Where near loads all take the same, they may never have left the first
 * level: a neighbour had its share of it when blocks were chosen.  Then twice as many are tried. */
SERVET__PRIVATE int servet__line_rounds(servet__task *t, servet__line_test *x, const servet__line_test *near_,
                                        int least, double from, double to)
{
    int i, status, agreed;
    while (x->rounds < SERVET__LINE_ROUNDS) {
        for (i = 0; i < x->pairs; i++) {
            const double used = servet__watch_used(&t->watch) / t->watch.run.budget_s;
            const double share = from + (to - from) * (x->rounds + (double)i / x->pairs) / (int)SERVET__LINE_ROUNDS;
            servet_track track;
            if ((servet__watch_over(&t->watch, share) || used > to) && (t->watch.stopped || x->rounds > 0))
                return SERVET_OK;
            servet__line_places(t, &track, x->blocks, x->at[i][0], x->at[i][1]);
            if (x->test == SERVET_LINE_FAR) track.repeats = 1;
            status = servet__task_read(t, &track, &x->ns[i][x->rounds]);
            if (status < 0) return status;
        }
        x->rounds++;
        if (x->rounds < least || x->rounds % 2 != 0) continue;
        agreed = near_ ? servet__line_agreed(near_, x) : servet__line_agreed(x, NULL);
        if (agreed > 0) break;
        if (agreed == 0 || 2 * x->blocks > x->most) continue;
        x->blocks *= 2;
        x->rounds = 0;
    }
    return SERVET_OK;
}

/* Evidence for servet__line_fit.
 *   far_blocks   of the test far behind the first level;   0 = 8192;   run->budget_s: 0 = .4 s
 * Blocks of 1 KiB in random order, a load at a base in each, and a second at once at a distance of 8 to 512 bytes.
 * The second is in the same page, so its translation is there.  Memory: 1 KiB a block, as far as m has it.
 * Cost: about 0.1 s.  EUNSUPPORTED where m has no tracks, ESTOPPED if nothing was measured. */
SERVET__PRIVATE int servet__hierarchy_line(servet_line_evidence *out, const servet_machine *m, int far_blocks,
                                           const servet_run *run)
{
    static const short near_at[][2] = { { 0, 0 }, { 0, 8 }, { 0, 16 }, { 0, 32 }, { 0, 64 }, { 0, 96 }, { 0, 128 },
        { 0, 192 }, { 0, 256 }, { 0, 384 }, { 0, 512 }, { 64, 0 }, { 64, 32 }, { 64, 64 }, { 64, 128 },
        { 128, 0 }, { 128, 64 }, { 128, 128 } };
    static const short far_at[][2] = { { 0, 0 }, { 0, 8 }, { 0, 32 }, { 0, 64 }, { 0, 128 }, { 0, 256 }, { 0, 512 },
        { 64, 0 }, { 64, 32 }, { 64, 64 }, { 128, 128 }, { 256, 256 } };
    enum { SERVET__NEAR_BLOCKS = 384, SERVET__FAR_BLOCKS = 8192, SERVET__NEAR_LEAST = 4, SERVET__FAR_LEAST = 2 };
    servet_line_evidence e;
    servet_run asked;
    servet__task t;
    servet__line_test near_, far_;
    int status;
    if (!out || !m || !m->seconds || (run && !(run->budget_s >= 0))) return SERVET_EINVAL;
    if (!m->track || !(m->bytes >= 2048)) return SERVET_EUNSUPPORTED;
    memset(&asked, 0, sizeof asked);
    if (run) asked = *run;
    if (asked.budget_s == 0) asked.budget_s = 0.4;
    memset(&t, 0, sizeof t);
    t.m = m;
    t.seed = asked.seed;
    servet__watch_begin(&t.watch, m, &asked);
    memset(&e, 0, sizeof e);
    memset(&near_, 0, sizeof near_);
    memset(&far_, 0, sizeof far_);
    far_.most = far_.blocks = (size_t)servet__min(far_blocks > 0 ? far_blocks : SERVET__FAR_BLOCKS, m->bytes / 1024);
    far_.test = SERVET_LINE_FAR;
    far_.at = far_at;
    far_.pairs = (int)(sizeof far_at / sizeof far_at[0]);
    near_.most = far_.most < (size_t)SERVET__NEAR_BLOCKS ? far_.most : (size_t)SERVET__NEAR_BLOCKS;
    near_.test = SERVET_LINE_NEAR;
    near_.at = near_at;
    near_.pairs = (int)(sizeof near_at / sizeof near_at[0]);
    t.place = (uint32_t *)malloc(3 * far_.most * sizeof *t.place);
    if (!t.place) return SERVET_ENOMEM;
    t.line = t.place + 2 * far_.most;
    near_.blocks = servet__line_near(&t, near_.most);
    if (near_.blocks == 0) near_.blocks = near_.most;
    status = servet__line_rounds(&t, &near_, NULL, SERVET__NEAR_LEAST, 0, 0.5);
    if (status >= 0 && !t.watch.stopped) status = servet__line_rounds(&t, &far_, &near_, SERVET__FAR_LEAST, 0.5, 1);
    free(t.place);
    if (status < 0) return status;
    servet__line_points(&e, &near_, 0, 1);
    servet__line_points(&e, &far_, 0, 1);
    if (e.count == 0) return SERVET_ESTOPPED;
    e.taken = t.taken;
    e.retaken = t.retaken;
    e.stopped = t.watch.stopped;
    e.seconds = servet__watch_elapsed(&t.watch);
    *out = e;
    return SERVET_OK;
}

#endif /* !SERVET_PURE_ONLY */

#endif /* SERVET_HAS(MEASURING) */

/* >>groups (implementation) ------------------------------------------------------------------- */

#if SERVET_HAS(CORES)

/* Quantity    a partition of k units (cores, ranks, groups of them) into blocks whose members are near each other.
 * Model       of the logarithm x of a cost between units u and v, by sort f of measurement,
 *                 x_f(u, v) = a_f - b_f [u, v in one block] + r(u) + r(v) + noise,   b_f > 0:
 *             a step b between outside and inside, beside row effects r of units that are slow as a whole.
 * Estimator   candidates are cuts of average-linkage dendrograms over each sort, their means weighted by noise, their
 *             and what is left of costs freed of row effects; the best of them with single units moved; and a
 *             partition that was given.  Sorts are weighted by their step over its variance.  The evidence for a
 *             candidate is -log of (p value of Student's t for the step) x (number of partitions into such sizes).
 * Fooled by   disturbance, which adds: costs are drawn in to three standard deviations (winsorised), the deviation by
 *             quartiles; distance: a step outward that varies among members is a gradient (uneven, border);
 *             chance: few costs, for which only a wide gap counts; loads
 *             that pairs under way at once put on each other: pairs alone may deny a partition.
 * References  Sokal, Michener, A Statistical Method for Evaluating Systematic Relationships, 1958 (average linkage);
 *             Murtagh, A Survey of Recent Advances in Hierarchical Clustering Algorithms, Computer J. 26, 1983
 *             (chains of nearest neighbours); Frisch, Waugh, Partial Time Regressions, Econometrica 1, 1933; Mantel,
 *             The Detection of Disease Clustering, Cancer Research 27, 1967.
 *
 * Costs are logarithms; a hole is HUGE_VAL.  Blocks never cross outer groups, and costs between these do not count. */
typedef struct servet__grouping {
    int n, k, sorts, tried;
    int slow;                   /* units may be slow as a whole: that is no gradient                         */
    int dear;                   /* costs are negated: groups are dearer inside, and disturbance lowers       */
    double least;               /* evidence that is wanted                                                   */
    double noise[SERVET_GROUPS_SORTS];      /* of a cost, by triples                                         */
    double known[SERVET_GROUPS_SORTS];      /* and by its interval                                           */
    double share[SERVET_GROUPS_SORTS];      /* of each sort in y                                             */
    double *x[SERVET_GROUPS_SORTS], *q[SERVET_GROUPS_SORTS];    /* costs of members; of units                */
    const double *alone[SERVET_GROUPS_SORTS];                   /* not logarithms; or NULL                   */
    double *d, *y, *left;       /* all sorts by their noise; weighted for a partition; freed of row effects  */
    double *link, *cell;        /* linkage: sums above, counts below; values gathered                        */
    double *row, *effect, *slope, *sum, *count, *height, *ev;
    double weight, fitted;      /* of the step in the fit beside row effects; how many these are             */
    double merit, most;         /* of the partition that is judged; of the best                              */
    int *unit, *start, *member, *outer, *label, *best, *seen, *ma, *mb, *next, *tail, *size, *mult, *mem;
} servet__grouping;

enum {
    servet__groups_tries = 6,   /* cuts of a dendrogram that are judged                                      */
    servet__groups_rows = 6     /* units of an outer group with row effects of their own; fewer cost too much */
};
#define SERVET__GROUPS_FLOOR 0.01   /* no tool repeats the cost of a pair to better than 1 %                 */

/* Memory after what is taken; laid out where work is not NULL. */
SERVET__PRIVATE size_t servet__groups_lay(servet__grouping *c, int n, int sorts, void *work)
{
    const size_t cells = (size_t)n * (size_t)n, line = (size_t)n + 2;
    const size_t tries = (size_t)(sorts + 1) * servet__groups_tries + 2;
    const size_t squares = (size_t)(2 * sorts + 4 + (sorts > 1));
    const size_t ints = (13 * line + tries * (size_t)n + 1) / 2 * 2;
    double **square[4], **vector[7], *at = (double *)work;
    int **list[13], *whole, i;
    if (!work) return (squares * cells + 7 * line) * sizeof(double) + ints * sizeof(int);
    memset(c, 0, sizeof *c);
    c->n = n;
    c->sorts = sorts;
    square[0] = &c->y; square[1] = &c->left; square[2] = &c->link; square[3] = &c->cell;
    vector[0] = &c->row; vector[1] = &c->effect; vector[2] = &c->slope; vector[3] = &c->sum; vector[4] = &c->count;
    vector[5] = &c->height; vector[6] = &c->ev;
    list[0] = &c->unit; list[1] = &c->start; list[2] = &c->member; list[3] = &c->outer; list[4] = &c->label;
    list[5] = &c->best; list[6] = &c->ma; list[7] = &c->mb; list[8] = &c->next; list[9] = &c->tail;
    list[10] = &c->size; list[11] = &c->mult; list[12] = &c->mem;
    for (i = 0; i < sorts; i++, at += cells) c->x[i] = at;
    for (i = 0; i < sorts; i++, at += cells) c->q[i] = at;
    for (i = 0; i < 4; i++, at += cells) *square[i] = at;
    c->d = c->q[0];
    if (sorts > 1) {
        c->d = at;
        at += cells;
    }
    for (i = 0; i < 7; i++, at += line) *vector[i] = at;
    whole = (int *)(void *)at;
    for (i = 0; i < 13; i++, whole += line) *list[i] = whole;
    c->seen = whole;
    return (squares * cells + 7 * line) * sizeof(double) + ints * sizeof(int);
}

/* ---- costs of units, and dendrograms over them ---- */

/* d: the mean of all sorts, each by its noise. */
SERVET__PRIVATE void servet__groups_mean(servet__grouping *c)
{
    const int k = c->k;
    int a, f;
    for (a = 0; a < k * k && c->sorts > 1; a++) {
        double all = 0, x = 0;
        for (f = 0; f < c->sorts; f++) {
            x += c->q[f][a] / c->noise[f];
            all += 1 / c->noise[f];
        }
        c->d[a] = servet__finite(x) ? x / all : HUGE_VAL;
    }
}

/* Units from unit (-1: in none) and k: their members, and the median cost between any two. */
SERVET__PRIVATE void servet__groups_units(servet__grouping *c)
{
    const int n = c->n, k = c->k;
    int i, a, b, f, s, t;
    for (a = 0; a <= k; a++) c->start[a] = 0;
    for (i = 0; i < n; i++) if (c->unit[i] >= 0) c->start[c->unit[i] + 1]++;
    for (a = 0; a < k; a++) c->start[a + 1] += c->start[a];
    for (a = 0; a < k; a++) c->next[a] = c->start[a];
    for (i = 0; i < n; i++) if (c->unit[i] >= 0) c->member[c->next[c->unit[i]]++] = i;
    for (f = 0; f < c->sorts; f++)
        for (a = 0; a < k; a++) {
            c->q[f][a * k + a] = HUGE_VAL;
            for (b = a + 1; b < k; b++) {
                size_t m = 0;
                for (s = c->start[a]; s < c->start[a + 1]; s++)
                    for (t = c->start[b]; t < c->start[b + 1]; t++) {
                        double v = c->x[f][c->member[s] * n + c->member[t]];
                        if (servet__finite(v)) c->cell[m++] = v;
                    }
                servet_stats_sort(c->cell, m);
                c->q[f][a * k + b] = c->q[f][b * k + a] = m ? servet_stats_quantile(c->cell, m, 0.5) : HUGE_VAL;
            }
        }
    servet__groups_mean(c);
}

SERVET__PRIVATE double servet__groups_linkage(const servet__grouping *c, int i, int j, double all)
{
    double count = i < j ? c->link[j * c->k + i] : c->link[i * c->k + j];
    double sum = i < j ? c->link[i * c->k + j] : c->link[j * c->k + i];
    return c->outer[i] != c->outer[j] ? HUGE_VAL : count > 0 ? sum / count : all;
}

/* Sums and counts of costs between units; returns the mean of all, for pairs of which none is known. */
SERVET__PRIVATE double servet__groups_link(servet__grouping *c, const double *q)
{
    const int k = c->k;
    int i, j;
    double all = 0, count = 0;
    for (i = 0; i < k; i++)
        for (c->size[i] = 1, j = i + 1; j < k; j++) {
            int there = servet__finite(q[i * k + j]) && c->outer[i] == c->outer[j];
            c->link[i * k + j] = there ? q[i * k + j] : 0;
            c->link[j * k + i] = there;
            all += c->link[i * k + j];
            count += there;
        }
    return count > 0 ? all / count : 0;
}

/* Merges by height, stable: of equal ones a child stays before its parent. */
SERVET__PRIVATE void servet__groups_order(servet__grouping *c, int merges)
{
    int wide, i, *ma = c->next, *mb = c->tail;
    double *height = c->ev;
    for (wide = 1; wide < merges; wide *= 2) {
        int lo;
        for (lo = 0; lo < merges; lo += 2 * wide) {
            int mid = lo + wide < merges ? lo + wide : merges, hi = lo + 2 * wide < merges ? lo + 2 * wide : merges;
            int s = lo, t = mid, o;
            for (o = lo; o < hi; o++) {
                i = t >= hi || (s < mid && c->height[s] <= c->height[t]) ? s++ : t++;
                height[o] = c->height[i];
                ma[o] = c->ma[i];
                mb[o] = c->mb[i];
            }
        }
        memcpy(c->height, height, (size_t)merges * sizeof *height);
        memcpy(c->ma, ma, (size_t)merges * sizeof *ma);
        memcpy(c->mb, mb, (size_t)merges * sizeof *mb);
    }
}

/* Average linkage of q by chains of nearest neighbours, O(k^2): merges (ma, mb) with heights, ascending.  Returns how
 * many.  Holes may make a parent lower than its child: it is as high then. */
SERVET__PRIVATE int servet__groups_tree(servet__grouping *c, const double *q)
{
    const int k = c->k;
    int i, j, top = 0, merges = 0, *chain = c->mem;
    const double all = servet__groups_link(c, q);
    double *high = c->row;
    for (i = 0; i < k; i++) high[i] = -HUGE_VAL;
    for (;;) {
        int a, b;
        double best;
        if (top == 0) {
            for (i = 0; i < k && !c->size[i]; i++) { }
            if (i == k) break;
            chain[top++] = i;
        }
        for (;;) {
            a = chain[top - 1];
            b = top > 1 ? chain[top - 2] : -1;
            best = b >= 0 ? servet__groups_linkage(c, a, b, all) : HUGE_VAL;
            for (j = 0; j < k; j++) {
                double v = j != a && c->size[j] ? servet__groups_linkage(c, a, j, all) : HUGE_VAL;
                if (v < best) {
                    best = v;
                    b = j;
                }
            }
            if (b < 0 || (top > 1 && b == chain[top - 2])) break;
            chain[top++] = b;
        }
        if (b < 0) {                            /* the last of its outer group */
            c->size[a] = top = 0;
            continue;
        }
        top -= 2;
        if (a > b) {
            i = a;
            a = b;
            b = i;
        }
        c->ma[merges] = a;
        c->mb[merges] = b;
        c->height[merges++] = high[a] = servet__max(best, servet__max(high[a], high[b]));
        for (j = 0; j < k; j++) {
            if (j == a || j == b || !c->size[j]) continue;
            c->link[a < j ? a * k + j : j * k + a] += c->link[b < j ? b * k + j : j * k + b];
            c->link[a < j ? j * k + a : a * k + j] += c->link[b < j ? j * k + b : b * k + j];
        }
        c->size[b] = 0;
    }
    servet__groups_order(c, merges);
    return merges;
}

/* The blocks after the first merges of the tree, as labels; returns how many. */
SERVET__PRIVATE int servet__groups_blocks(servet__grouping *c, int merges, int *label)
{
    int i, j, blocks = 0;
    for (i = 0; i < c->k; i++) {
        c->next[i] = -1;
        c->tail[i] = i;
        c->size[i] = 1;
    }
    for (j = 0; j < merges; j++) {
        int a = c->ma[j], b = c->mb[j];
        c->next[c->tail[a]] = b;
        c->tail[a] = c->tail[b];
        c->size[b] = 0;
    }
    for (i = 0; i < c->k; i++) {
        if (!c->size[i]) continue;
        for (j = i; j >= 0; j = c->next[j]) label[j] = blocks;
        blocks++;
    }
    return blocks;
}

/* Number blocks from 0; returns how many. */
SERVET__PRIVATE int servet__groups_number(servet__grouping *c, int *label, int below)
{
    int u, blocks = 0;
    for (u = 0; u < below; u++) c->mult[u] = -1;
    for (u = 0; u < c->k; u++) {
        if (c->mult[label[u]] < 0) c->mult[label[u]] = blocks++;
        label[u] = c->mult[label[u]];
    }
    return blocks;
}

/* ---- chance ---- */

typedef struct servet__moments { double n, sum, square; } servet__moments;

/* Of v, sorted here where it is long enough to draw outliers in, to three standard deviations by the quartiles: 1 =
 * all, 2 = above, since disturbance only adds. */
SERVET__PRIVATE servet__moments servet__groups_moments(double *v, size_t m, int draw_in)
{
    servet__moments s;
    double lo = -HUGE_VAL, hi = HUGE_VAL;
    size_t i;
    s.n = (double)m;
    s.sum = s.square = 0;
    if (draw_in && m >= 5) {
        double middle, sd;
        servet__sort_again(v, m);
        middle = servet_stats_quantile(v, m, 0.5);
        sd = servet__max(servet__robust_sd(v, m), SERVET__GROUPS_FLOOR);
        if (draw_in == 1) lo = middle - 3 * sd;
        hi = middle + 3 * sd;
    }
    for (i = 0; i < m; i++) {
        double x = servet__min(servet__max(v[i], lo), hi);
        s.sum += x;
        s.square += x * x;
    }
    return s;
}

/* Variance of both about their means; nu: degrees of freedom out.  known: of single costs by their intervals, which
 * tell how well a cost is known, not how much the pairs of a layer differ: so they may only add. */
SERVET__PRIVATE double servet__groups_spread(servet__moments in, servet__moments out, double fitted, double known,
                                             double *nu)
{
    double left = in.square - in.sum * in.sum / in.n + out.square - out.sum * out.sum / out.n;
    *nu = servet__max(in.n + out.n - 2 - fitted, 0);
    left = left > 0 && *nu > 0 ? left / *nu : 0;
    return servet__max(left, known * known) + SERVET__GROUPS_FLOOR * SERVET__GROUPS_FLOOR;
}

/* Log of the chance that costs outside are above those inside by so much: Student's t, of two means or, with weight, of
 * the step in a fit beside row effects.  given: a single hypothesis, for which the intervals of single costs count as
 * well. */
SERVET__PRIVATE double servet__groups_chance(servet__moments in, servet__moments out, double fitted, double weight,
                                             double known, int given)
{
    double nu, var;
    if (in.n < 1 || out.n < 1) return 0;
    var = servet__groups_spread(in, out, fitted, known, &nu);
    if (given && known > 0) nu += in.n + out.n;
    if (nu < 1) return 0;
    return servet__t_tail((out.sum / out.n - in.sum / in.n)
                               / sqrt(var * (weight > 0 ? 1 / weight : 1 / in.n + 1 / out.n)), nu);
}

/* Costs inside blocks, then outside, into cell; returns how many, *inside of them first. */
SERVET__PRIVATE size_t servet__groups_sides(servet__grouping *c, const double *q, const int *label, size_t *inside)
{
    const int k = c->k;
    size_t m = 0;
    int u, v, outside;
    for (outside = 0; outside < 2; outside++) {
        for (u = 0; u < k; u++)
            for (v = u + 1; v < k; v++)
                if (servet__finite(q[u * k + v]) && c->outer[u] == c->outer[v]
                    && (label[u] != label[v]) == outside) c->cell[m++] = q[u * k + v];
        if (!outside) *inside = m;
    }
    return m;
}

/* Chance that a cost inside is below one outside (Mann and Whitney's U over all comparisons); sorts both parts of v. */
SERVET__PRIVATE double servet__groups_below(double *v, size_t inside, size_t all)
{
    size_t i, j = inside;
    double s = 0;
    if (inside == 0 || all == inside) return 0;
    servet__sort_again(v, inside);
    servet__sort_again(v + inside, all - inside);
    for (i = 0; i < inside; i++) {
        while (j < all && v[j] <= v[i]) j++;
        s += (double)(all - j);
    }
    return s / ((double)inside * (double)(all - inside));
}

/* Log of the number of ways to cut the units of each outer group into blocks of these sizes, and to choose which outer
 * groups of as many units are cut like this.  Sizes that are all one need no naming: that is how machines are built.
 * Of m units, in m_s blocks of size s: m! / prod (s!^m_s m_s!). */
SERVET__PRIVATE double servet__groups_ways(servet__grouping *c, const int *label, int blocks)
{
    const int k = c->k;
    double ways = 0, *inner = c->sum, *parts = c->count;
    int b, u, g, sizes = 0, *units = c->mem;
    for (u = 0; u <= k; u++) c->size[u] = c->tail[u] = 0;
    for (u = 0; u < k; u++) c->size[label[u]]++;
    for (u = 0; u < k; u++) c->next[label[u]] = c->outer[u];
    for (b = 0; b < blocks; b++) c->tail[c->size[b]]++;
    for (b = 2; b <= k; b++) sizes += c->tail[b] > 0;
    for (g = 0; g < k; g++) {
        int all = 0, alike = 0, like = 0;
        units[g] = 0;
        parts[g] = 0;
        for (b = 0; b < blocks; b++) {
            if (c->size[b] < 1 || c->next[b] != g) continue;
            if (!all) for (u = 0; u <= k; u++) c->mult[u] = 0;
            c->mult[c->size[b]]++;
            parts[g]++;
            all += c->size[b];
        }
        units[g] = all;
        if (!all) continue;
        inner[g] = servet__log_factorial(all);
        for (b = 1; b <= all; b++) {            /* in this order: equal cuts have equal sums */
            if (!c->mult[b]) continue;
            inner[g] -= c->mult[b] * servet__log_factorial(b) + servet__log_factorial(c->mult[b]);
        }
        ways += inner[g];
        sizes += c->mult[1] > 0 && c->mult[1] < all;
        for (u = 0; u < g; u++) {
            if (units[u] != all) continue;
            alike++;
            like += fabs(parts[u] - parts[g]) < 0.5 && inner[u] >= inner[g] && inner[u] <= inner[g];
        }
        ways += log((alike + 1.0) / (like + 1.0));
    }
    return ways + (sizes > 1 ? sizes - 1 : 0) * log((double)k);
}

/* ---- row effects ---- */

/* What each unit adds to the costs, or, with labels, to being together; of units in small outer groups (by tail, their
 * sizes) what all of them add. */
SERVET__PRIVATE void servet__groups_effects(const servet__grouping *c, const double *q, const int *label, double *e)
{
    const int k = c->k;
    int u, v, turn;
    double tied = 0, cells = 0;
    for (u = 0; u < k; u++) {
        e[u] = 0;
        if (c->tail[u] >= servet__groups_rows) continue;
        for (v = u + 1; v < k; v++) {
            if (c->outer[u] != c->outer[v] || !servet__finite(q[u * k + v])) continue;
            tied += label ? (label[u] == label[v] ? 1.0 : 0.0) : q[u * k + v];
            cells++;
        }
    }
    for (u = 0; u < k && cells > 0; u++) if (c->tail[u] < servet__groups_rows) e[u] = tied / cells / 2;
    for (turn = 0; turn < 30; turn++) {
        double moved = 0;
        for (u = 0; u < k; u++) {
            double s = 0, m = 0, was = e[u];
            if (c->tail[u] < servet__groups_rows) continue;
            for (v = 0; v < k; v++) {
                if (v == u || c->outer[u] != c->outer[v] || !servet__finite(q[u * k + v])) continue;
                s += (label ? (label[u] == label[v] ? 1.0 : 0.0) : q[u * k + v]) - e[v];
                m++;
            }
            e[u] = m > 0 ? s / m : 0;
            moved = servet__max(moved, fabs(e[u] - was));
        }
        if (moved < SERVET__GROUPS_FLOOR / 1000) break;
    }
}

/* A cost by the shares of y, not drawn in. */
SERVET__PRIVATE double servet__groups_mixed(const servet__grouping *c, int u, int v)
{
    double x = 0;
    int f;
    for (f = 0; f < c->sorts; f++) if (c->share[f] > 0) x += c->share[f] * c->q[f][u * c->k + v];
    return x;
}

/* How unlike costs within outer groups are: squares about their mean. */
SERVET__PRIVATE double servet__groups_unlike(const servet__grouping *c, const double *q)
{
    double n = 0, sum = 0, square = 0;
    int u, v;
    for (u = 0; u < c->k; u++)
        for (v = u + 1; v < c->k; v++) {
            const double x = q[u * c->k + v];
            if (c->outer[u] != c->outer[v] || !servet__finite(x)) continue;
            n++;
            sum += x;
            square += x * x;
        }
    return n > 0 ? square - sum * sum / n : 0;
}

/* By how much costs across outer groups are above those within, as a factor; 0 = one kind is missing. */
SERVET__PRIVATE double servet__groups_across(const servet__grouping *c)
{
    double far = 0, fars = 0, near = 0, nears = 0;
    int u, v;
    for (u = 0; u < c->k; u++)
        for (v = u + 1; v < c->k; v++) {
            const double x = servet__groups_mixed(c, u, v);
            if (!servet__finite(x)) continue;
            if (c->outer[u] == c->outer[v]) {
                near += x;
                nears++;
            } else {
                far += x;
                fars++;
            }
        }
    return nears < 1 || fars < 1 ? 0 : servet__max(exp(far / fars - near / nears), 1);
}

/* How much slower each unit of a small outer group is than its mates toward all outside, median, into row. */
SERVET__PRIVATE void servet__groups_slowness(servet__grouping *c)
{
    const int k = c->k;
    int u, v, w;
    for (u = 0; u < k; u++) {
        size_t m = 0;
        c->row[u] = 0;
        if (c->tail[u] >= servet__groups_rows || c->tail[u] < 2) continue;
        for (v = 0; v < k; v++) {
            const double own = servet__groups_mixed(c, u, v);
            double mates = 0;
            if (c->outer[v] == c->outer[u] || !servet__finite(own)) continue;
            for (w = 0; w < k; w++)
                if (c->outer[w] == c->outer[u]) mates += servet__groups_mixed(c, w, v) / c->tail[u];
            if (servet__finite(mates)) c->sum[m++] = own - mates;
        }
        servet_stats_sort(c->sum, m);
        c->row[u] = m ? servet_stats_quantile(c->sum, m, 0.5) : 0;
    }
}

/* Small outer groups: how much slower each unit is than the fastest of its group toward all outside, which in a tree is
 * as far from all of them.  By a factor; or by a constant, that is more where costs are less: as many times as much as
 * these are dearer.  What leaves costs most alike is taken off q into left.  If nothing does, differences toward
 * outside are noise, or of what pairs share on their way, and not of slow units. */
SERVET__PRIVATE void servet__groups_free_slow(servet__grouping *c, const double *q)
{
    const int k = c->k;
    double scale, best = 0, least, unlike;
    int u, v, w, small = 0;
    for (u = 0; u < k; u++) small |= c->tail[u] < servet__groups_rows;
    scale = small ? servet__groups_across(c) : 0;
    if (!(scale > 0)) return;
    servet__groups_slowness(c);
    for (u = 0; u < k; u++) {
        c->count[u] = c->row[u];
        for (v = 0; v < k; v++)
            if (c->outer[v] == c->outer[u]) c->count[u] = servet__min(c->count[u], c->row[v]);
    }
    least = servet__groups_unlike(c, q);
    for (w = 0; w < 3; w++) {       /* by a factor, by a constant; at last by the better of these, or not at all */
        const double by = w == 0 ? 1 : w == 1 ? scale : best;
        for (u = 0; u < k; u++)
            for (v = 0; v < k; v++) {
                c->left[u * k + v] = q[u * k + v];
                if (c->outer[u] == c->outer[v] && servet__finite(q[u * k + v]))
                    c->left[u * k + v] -= by * (c->row[u] - c->count[u] + c->row[v] - c->count[v]);
            }
        unlike = servet__groups_unlike(c, c->left);
        if (unlike < least) {
            least = unlike;
            best = by;
        }
    }
}

/* The size of the outer group of each unit, in tail. */
SERVET__PRIVATE void servet__groups_outers(servet__grouping *c)
{
    int u, v;
    for (u = 0; u < c->k; u++) for (v = 0, c->tail[u] = 0; v < c->k; v++) c->tail[u] += c->outer[u] == c->outer[v];
}

/* left: q without row effects, fitted beside a step between inside and outside (Frisch and Waugh); without one, where
 * label is NULL.  Fewer than 6 units leave too little: as they are; and, of blocks that were given, less than 3 costs
 * for 2 units (groups of 4 have those).  Where outer groups are that small, what members cost others tells slow ones.
 * Returns 1 = freed, 0 = not, -1 = step and effects are one. */
SERVET__PRIVATE int servet__groups_free(servet__grouping *c, const double *q, const int *label, int given)
{
    const int k = c->k;
    int u, v;
    double xz = 0, zz = 0, step = 0, all = 0, costs = 0;
    memcpy(c->left, q, (size_t)k * (size_t)k * sizeof *c->left);
    for (u = 0; u < k; u++)
        for (v = u + 1; v < k; v++) costs += c->outer[u] == c->outer[v] && servet__finite(q[u * k + v]);
    if (k < servet__groups_rows || (given && 2 * costs < 3.0 * k)) return 0;
    servet__groups_outers(c);
    c->fitted = 0;
    for (u = 0; u < k; u++) c->fitted += c->tail[u] >= servet__groups_rows;
    c->fitted += c->fitted < k;
    if (label) servet__groups_free_slow(c, q);
    servet__groups_effects(c, c->left, NULL, c->effect);
    for (u = 0; u < k; u++) c->slope[u] = 0;
    if (label) {
        servet__groups_effects(c, c->left, label, c->slope);
        for (u = 0; u < k; u++)
            for (v = u + 1; v < k; v++) {
                double z = (label[u] == label[v] ? 1.0 : 0.0) - c->slope[u] - c->slope[v];
                if (c->outer[u] != c->outer[v] || !servet__finite(q[u * k + v])) continue;
                xz += z * (c->left[u * k + v] - c->effect[u] - c->effect[v]);
                zz += z * z;
            }
        if (zz < 1e-6) return -1;
        c->weight = zz;
        step = xz / zz;
    }
    for (u = 0; u < k; u++) {
        c->effect[u] -= step * c->slope[u];
        all += c->effect[u] / k;
    }
    for (u = 0; u < k; u++)
        for (v = 0; v < k; v++)
            if (servet__finite(q[u * k + v])) c->left[u * k + v] -= c->effect[u] + c->effect[v] - 2 * all;
    return 1;
}

/* ---- what is no group ---- */

/* How far along the way to the mean of others the nearest other block is, for each member: row; 2 = in no block. */
SERVET__PRIVATE void servet__groups_margins(servet__grouping *c, const int *label, int blocks, double sd)
{
    const int k = c->k;
    int u, v, b, there = 0;
    double nearest;
    for (b = 0; b < blocks; b++) c->size[b] = 0;
    for (u = 0; u < k; u++) c->size[label[u]]++;
    for (b = 0; b < blocks; b++) there += c->size[b] > 0;
    /* The least of so many means that differ by noise alone is that much below them. */
    nearest = there > 2 ? 0.83 * sqrt(2 * log((double)there - 1)) * sd : 0;
    for (u = 0; u < k; u++) {
        double own, out = 0, count = 0, least = HUGE_VAL;
        c->row[u] = 2;
        if (c->size[label[u]] < 2) continue;
        for (b = 0; b < blocks; b++) c->sum[b] = c->count[b] = 0;
        for (v = 0; v < k; v++) {
            double x = c->left[u * k + v];
            if (v == u || c->outer[u] != c->outer[v] || !servet__finite(x)) continue;
            c->sum[label[v]] += x;
            c->count[label[v]]++;
        }
        if (c->count[label[u]] < 1) continue;
        own = c->sum[label[u]] / c->count[label[u]];
        for (b = 0; b < blocks; b++) {
            if (b == label[u] || c->count[b] < 1) continue;
            least = servet__min(least, c->sum[b] / c->count[b] + nearest / sqrt(c->count[b]));
            out += c->sum[b];
            count += c->count[b];
        }
        if (count < 1) continue;
        out /= count;
        c->row[u] = out > own ? (servet__min(least, out) - own) / (out - own) : -1;
    }
}

/* Of comparisons of what a member of a block pays inside with what it pays to a unit outside, how many are in favour of
 * the block.  Next to five in a row or four in a square of a ring or mesh: 3 of 4; in a tree all, but for noise. */
SERVET__PRIVATE double servet__groups_border(const servet__grouping *c, const double *q, const int *mem, int m, int w)
{
    const int k = c->k;
    int u, v;
    double good = 0, all = 0;
    for (u = 0; u < m; u++) {
        const double out = q[mem[u] * k + w];
        if (!servet__finite(out)) continue;
        for (v = 0; v < m; v++) {
            const double in = q[mem[u] * k + mem[v]];
            if (v == u || !servet__finite(in)) continue;
            good += in < out ? 1 : in > out ? 0 : 0.5;
            all++;
        }
    }
    return all > 0 ? good / all : 1;
}

/* A cost as it is, or its logarithm. */
SERVET__PRIVATE double servet__groups_scaled(const servet__grouping *c, double x, int logs)
{
    return logs ? x : c->dear ? -exp(-x) : exp(x);
}

/* Means of costs of each member, mem, of a block with each block, in link. */
SERVET__PRIVATE void servet__groups_means(servet__grouping *c, const double *q, const int *label, int blocks, int m,
                                          double unit, int logs)
{
    const int k = c->k;
    int u, v, h;
    for (u = 0; u < m; u++) {
        const int own = c->mem[u];
        for (h = 0; h < blocks; h++) c->sum[h] = c->count[h] = 0;
        for (v = 0; v < k; v++) {
            double x = q[own * k + v];
            if (v == own || c->outer[own] != c->outer[v] || !servet__finite(x)) continue;
            c->sum[label[v]] += servet__groups_scaled(c, x - unit, logs);
            c->count[label[v]]++;
        }
        for (h = 0; h < blocks; h++) c->link[u * blocks + h] = c->count[h] > 0 ? c->sum[h] / c->count[h] : HUGE_VAL;
    }
}

/* Noise of the costs between a block and block h: what rows and columns of these leave, per degree of freedom. */
SERVET__PRIVATE double servet__groups_residual(const servet__grouping *c, const double *q, const int *label, int blocks,
                                               int m, int h, double unit, int logs)
{
    const int k = c->k;
    double noise = 0, cells = 0, grand = 0, width = 0;
    int u, w;
    for (u = 0; u < m; u++) grand += c->link[u * blocks + h] / m;
    for (w = 0; w < k; w++) {
        double column = 0;
        if (label[w] != h) continue;
        width++;
        for (u = 0; u < m; u++) column += servet__groups_scaled(c, q[c->mem[u] * k + w] - unit, logs) / m;
        for (u = 0; u < m; u++) {
            double r = servet__groups_scaled(c, q[c->mem[u] * k + w] - unit, logs) - c->link[u * blocks + h]
                     - column + grand;
            if (!servet__finite(r)) continue;
            noise += r * r;
            cells++;
        }
    }
    return cells > 0 ? noise / cells * m / (m - 1) * width / (width - 1) : 0;
}

/* Steps outward: sums over blocks of the mean step to the nearest other block, and of how it varies among members,
 * toward that one and toward all. */
typedef struct servet__outward { double blocks, step, var, wide; } servet__outward;

/* Those of block b; 0 = a unit beside it is as near as its members. */
SERVET__PRIVATE int servet__groups_outward(servet__grouping *c, const double *q, const int *label, int blocks, int b,
                                           double unit, int logs, servet__outward *all)
{
    const int k = c->k;
    double least = HUGE_VAL, least_var = 0, least_part = 0, quiet = HUGE_VAL, raw = 0, part = 0, loud = 0, others = 0;
    int h, u, w, m = 0;
    for (u = 0; u < k; u++) if (label[u] == b) c->mem[m++] = u;
    if (m < 2) return 1;
    servet__groups_means(c, q, label, blocks, m, unit, logs);
    for (h = 0; h < blocks; h++) {
        double s = 0, s2 = 0, many = 0, noise, share;
        const double width = c->mult[h];
        for (w = 0; w < k && label[w] != h; w++) { }
        if (h == b || w == k || c->outer[w] != c->outer[c->mem[0]]) continue;
        if (width < 2) {
            if (!c->dear && m > 2 && servet__groups_border(c, q, c->mem, m, w) < 0.875) return 0;
            continue;
        }
        for (u = 0; u < m; u++) {
            double step = c->link[u * blocks + h] - c->link[u * blocks + b];
            if (!servet__finite(step)) continue;
            s += step;
            s2 += step * step;
            many++;
        }
        if (many < 2) continue;
        noise = servet__groups_residual(c, q, label, blocks, m, h, unit, logs);
        share = 1 / width + (m > 2 ? 1.0 / (m - 1) : 0);
        /* On a mesh it may be distance across; not so to all other blocks. */
        if ((m - 1) * (width - 1) >= 4 && noise < quiet) quiet = noise;
        raw += (s2 - s * s / many) / (many - 1);
        part += share;
        loud += noise * share;
        others++;
        if (s / many >= least) continue;
        least = s / many;
        least_var = (s2 - s * s / many) / (many - 1);
        least_part = share;
        if ((m - 1) * (width - 1) < 4) {
            least_var -= noise * share;
            least_part = 0;
        }
    }
    if (!servet__finite(least)) return 1;
    all->blocks++;
    all->step += least;
    all->var += least_var - (servet__finite(quiet) ? quiet * least_part : 0);
    all->wide += (raw - (servet__finite(quiet) ? quiet * part : loud)) / others;
    return 1;
}

/* Is the step outward, to the nearest other block, the same for all members?  Where costs grow evenly with distance it
 * is not: on a line of length 2 L cut in two it is 2 L / 3 on average and varies by L / sqrt(12), 0.43 of it; in a tree
 * it varies by noise alone.  The variation as a part of the step, noise taken off; of logarithms, or of costs as they
 * are.  A slow unit is as slow inside as outside, by a factor or by a constant: so the lesser of both counts.
 * Of the variation toward the nearest and of that toward all other blocks, which noise hides less, the larger. */
SERVET__PRIVATE double servet__groups_uneven(servet__grouping *c, const double *q, const int *label, int blocks,
                                             int logs)
{
    const int k = c->k;
    servet__outward all;
    double unit = 0, units = 0;
    int b, u;
    memset(&all, 0, sizeof all);
    for (u = 0; u < k * k; u++) {
        if (!servet__finite(q[u])) continue;
        unit += q[u];
        units++;
    }
    unit = units > 0 ? unit / units : 0;
    for (b = 0; b < blocks; b++) c->mult[b] = 0;
    for (u = 0; u < k; u++) c->mult[label[u]]++;
    for (b = 0; b < blocks; b++)
        if (!servet__groups_outward(c, q, label, blocks, b, unit, logs, &all)) return 1;
    if (!c->slow) all.var = servet__max(all.var, all.wide);
    if (all.blocks < 1 || all.step <= 0 || all.var <= 0) return 0;
    return sqrt(all.var / all.blocks) / (all.step / all.blocks);
}

/* Costs inside and outside, both sorted, with a gap between them that is wider than either, but for a tenth. */
SERVET__PRIVATE int servet__groups_gaping(const double *v, size_t inside, size_t all)
{
    const double *out = v + inside;
    const size_t outs = all - inside;
    const double top = servet_stats_quantile(v, inside, 0.9), low = servet_stats_quantile(out, outs, 0.1);
    const double wide = servet__max(top - servet_stats_quantile(v, inside, 0.1),
                                    servet_stats_quantile(out, outs, 0.9) - low);
    return low - top > servet__max(wide, 10 * SERVET__GROUPS_FLOOR);
}

/* Pairs among others share what they pass through, and those of one round share the same moment, which may look like
 * groups.  Are pairs inside nearer, by any sort of cost, when they are alone?  Where too few of either side are known
 * alone, that is not said; but where there are no more, these have to stand apart clearly. */
SERVET__PRIVATE int servet__groups_denied(servet__grouping *c, const int *label)
{
    const int n = c->n;
    int f, i, j, outside, tests = 0;
    for (f = 0; f < c->sorts; f++) {
        size_t m = 0, inside = 0;
        if (!c->alone[f]) continue;
        for (outside = 0; outside < 2; outside++) {
            for (i = 0; i < n; i++)
                for (j = i + 1; j < n; j++) {
                    const int u = c->unit[i], v = c->unit[j];
                    const double x = c->alone[f][i * n + j];
                    if (u != v && c->outer[u] == c->outer[v] && (label[u] != label[v]) == outside
                        && x > 0 && servet__finite(x)) c->cell[m++] = log(x);
                }
            if (!outside) inside = m;
        }
        if (inside < 3 || m - inside < 3) {
            if (inside < 1 || m - inside < 2 || (int)m < n * (n - 1) / 2) continue;
            tests++;
            servet__groups_below(c->cell, inside, m);   /* sorts */
            if (servet__groups_gaping(c->cell, inside, m)) return 0;
            continue;
        }
        tests++;
        if (servet__groups_below(c->cell, inside, m) >= 0.9) return 0;
    }
    return tests > 0;
}

/* ---- a partition ---- */

/* y: the mean of all sorts of costs that tells these blocks apart best, were their noise independent: each by its step
 * over its variance.  draw_in: to twice the step beyond either mean, so that one sort that was disturbed is not all
 * there is to a pair.  Returns the variance of a cost in y by its intervals, -1 where nothing is nearer inside. */
SERVET__PRIVATE double servet__groups_weigh(servet__grouping *c, const int *label, int draw_in)
{
    double low[SERVET_GROUPS_SORTS], high[SERVET_GROUPS_SORTS], all = 0, known = 0;
    int f, i;
    for (f = 0; f < c->sorts; f++) {
        size_t inside = 0, m;
        servet__moments in, out;
        double nu, step;
        c->share[f] = 0;
        low[f] = high[f] = 0;
        m = servet__groups_sides(c, c->q[f], label, &inside);
        if (inside == 0 || m == inside) continue;
        in = servet__groups_moments(c->cell, inside, 1);
        out = servet__groups_moments(c->cell + inside, m - inside, 1);
        step = out.sum / out.n - in.sum / in.n;
        low[f] = in.sum / in.n - 2 * step;
        high[f] = out.sum / out.n + 2 * step;
        c->share[f] = servet__max(step, 0) / servet__groups_spread(in, out, 0, c->known[f], &nu);
        all += c->share[f];
    }
    if (!(all > 0)) return -1;
    for (f = 0; f < c->sorts; f++) {
        c->share[f] /= all;
        known += c->share[f] * c->share[f] * c->known[f] * c->known[f];
    }
    for (i = 0; i < c->k * c->k; i++) {
        c->y[i] = 0;
        for (f = 0; f < c->sorts; f++) {
            double x = c->q[f][i];
            if (draw_in && servet__finite(x)) x = servet__min(servet__max(x, low[f]), high[f]);
            if (c->share[f] > 0) c->y[i] += c->share[f] * x;
        }
    }
    return known;
}

/* What is found of a partition whose costs are weighted and freed. */
typedef struct servet__step {
    servet__moments in, out;
    double known, sd, step;     /* deviation of a cost by its interval; of costs inside; from inside to outside */
    double t, plain;            /* logs of chances, beside row effects and without                           */
    int freed, clean;           /* clean: no cost inside is above one outside                                */
} servet__step;

/* The step between inside and outside of a partition; 0 = none.  last: of what is to stay, not of what may be
 * dissolved yet: costs inside have to be the lesser. */
SERVET__PRIVATE int servet__groups_step(servet__grouping *c, const int *label, int given, int last, servet__step *s)
{
    const size_t cells = (size_t)c->k * (size_t)c->k;
    const int draw_in = c->dear ? last : 2;
    size_t inside, all;
    s->known = servet__groups_weigh(c, label, 1);
    if (s->known < 0) return 0;
    s->known = sqrt(s->known);
    if (last) {
        all = servet__groups_sides(c, c->y, label, &inside);
        if (servet__groups_below(c->cell, inside, all) < 0.9) return 0;
        s->plain = servet__groups_chance(servet__groups_moments(c->cell, inside, 0),
                                         servet__groups_moments(c->cell + inside, all - inside, draw_in), 0, 0,
                                         s->known, given);
    }
    s->freed = servet__groups_free(c, c->y, label, given);
    if (s->freed < 0 && !given) return 0;
    if (s->freed < 0) memcpy(c->left, c->y, cells * sizeof *c->y);
    all = servet__groups_sides(c, c->left, label, &inside);
    if (inside == 0 || all == inside) return 0;
    if (last && servet__groups_below(c->cell, inside, all) < 0.9) return 0;
    servet__sort_again(c->cell, inside);
    servet__sort_again(c->cell + inside, all - inside);
    s->in = servet__groups_moments(c->cell, inside, 0);
    s->sd = s->in.n > 2 ? sqrt(servet__max(s->in.square - s->in.sum * s->in.sum / s->in.n, 0) / (s->in.n - 1)) : 0;
    s->sd = servet__max(s->sd, SERVET__GROUPS_FLOOR);
    s->clean = c->cell[inside] - c->cell[inside - 1] > 3 * s->sd;
    /* Low ones outside are not drawn in: a group that was left out would look like a few that were disturbed. */
    s->out = servet__groups_moments(c->cell + inside, all - inside, draw_in);
    s->step = s->out.sum / s->out.n - s->in.sum / s->in.n;
    s->t = servet__groups_chance(s->in, s->out, s->freed == 1 ? c->fitted : 0, s->freed == 1 ? c->weight : 0, s->known,
                                 given);
    return 1;
}

/* How far a block's costs to others are above those inside, by y; HUGE_VAL where there are none inside, *others = to
 * how many others. */
SERVET__PRIVATE double servet__groups_own_step(const servet__grouping *c, const int *label, int b, double *others)
{
    const int k = c->k;
    double own = 0, owns = 0, far = 0, fars = 0;
    int u, v;
    for (u = 0; u < k; u++)
        for (v = 0; v < k && label[u] == b; v++) {
            const double x = c->y[u * k + v];
            if (v == u || c->outer[u] != c->outer[v] || !servet__finite(x)) continue;
            if (label[v] == b) {
                own += x;
                owns++;
            } else {
                far += x;
                fars++;
            }
        }
    *others = fars;
    return owns < 1 || fars < 1 ? HUGE_VAL : far / fars - own / owns;
}

/* Dissolve blocks that do not stand apart by themselves: whose own step is less than a quarter of that of all, or half
 * of whose members are nearer to some other block than half way to the mean of others.  Returns how many blocks are
 * there then, *kept of them more than a unit. */
SERVET__PRIVATE int servet__groups_dissolve(servet__grouping *c, int *label, int blocks, const servet__step *s,
                                            int given, int *kept)
{
    const int k = c->k, least = c->dear ? 3 : 2;    /* dear by chance is a matter of one disturbance, cheap is not */
    int u, v, b, fresh = blocks;
    *kept = 0;
    servet__groups_margins(c, label, blocks, s->sd);
    for (b = 0; b < blocks; b++) {
        size_t m = 0;
        int members = 0;
        double others, own = servet__groups_own_step(c, label, b, &others);
        for (u = 0; u < k; u++) {
            members += label[u] == b;
            if (label[u] == b && c->row[u] < 2) c->cell[m++] = c->row[u];
        }
        if (members < 2 || others < 1) continue;    /* all of its outer group: neither for nor against */
        servet_stats_sort(c->cell, m);
        if (members >= least && own >= 0.25 * s->step
            && (s->clean || given || (m && servet_stats_quantile(c->cell, m, 0.5) >= 0.5))) {
            ++*kept;
            continue;
        }
        for (u = 0, v = 0; u < k; u++) if (label[u] == b && v++) label[u] = fresh++;
    }
    return servet__groups_number(c, label, fresh);
}

/* The evidence for a partition of the units: minus the log of the chance of one as good; 0 = none.  Blocks that do not
 * stand apart by themselves are dissolved in label.  given: not found among these costs, but named beforehand.
 * merit: row effects can take the place of a step where units are few, so partitions that are as good beside them are
 * told apart by costs as they are. */
SERVET__PRIVATE double servet__groups_judge(servet__grouping *c, int *label, int blocks, int given)
{
    int pass, kept = 0;
    double ways = 0, evidence;
    const double *q;
    servet__step s;
    memset(&s, 0, sizeof s);
    c->merit = 0;
    for (pass = 0; pass < 2; pass++) {
        if (!servet__groups_step(c, label, given, pass, &s)) return 0;
        ways = given ? log(2.0) : servet__groups_ways(c, label, blocks);
        blocks = servet__groups_dissolve(c, label, blocks, &s, given, &kept);
        if (!kept) return 0;
    }
    servet__groups_weigh(c, label, 0);
    q = c->slow ? c->left : c->y;
    /* Half way between a tree and an even gradient. */
    if (servet__groups_uneven(c, q, label, blocks, 0) > 0.22
        && servet__groups_uneven(c, q, label, blocks, 1) > 0.22) return 0;
    if (servet__groups_denied(c, label)) return 0;
    /* Disturbance makes costs dear: one in twenty, for no other reason. */
    if (c->dear) s.t = servet__max(s.t, log(0.05) * s.in.n);
    evidence = -(s.t + ways);
    /* The lowest costs of all, and exactly those of a partition: few arrangements of as many are. */
    if (s.clean && !given && !c->dear)
        evidence = servet__max(evidence, servet__log_factorial(s.in.n + s.out.n) - servet__log_factorial(s.in.n)
                                         - servet__log_factorial(s.out.n) - ways);
    c->merit = evidence - s.plain;
    return evidence;
}

/* ---- the best partition ---- */

/* Judge the candidate in label; that of more merit stays in best.  Returns the evidence of the best so far. */
SERVET__PRIVATE double servet__groups_try(servet__grouping *c, int blocks, int given, double found)
{
    const int k = c->k;
    double evidence;
    int t;
    for (t = 0; t < c->tried && !given; t++)
        if (!memcmp(c->seen + t * k, c->label, (size_t)k * sizeof *c->label)) return found;
    memcpy(c->seen + c->tried++ * k, c->label, (size_t)k * sizeof *c->label);
    evidence = servet__groups_judge(c, c->label, blocks, given);
    if (evidence <= (given ? log(100.0) : c->least) || (found > 0 && c->merit <= c->most)) return found;
    c->most = c->merit;
    memcpy(c->best, c->label, (size_t)k * sizeof *c->best);
    return evidence;
}

/* The evidence in q of every cut of its dendrogram, in ev, from sums kept from merge to merge. */
SERVET__PRIVATE void servet__groups_profile(servet__grouping *c, const double *q, int merges, double known,
                                            double fitted)
{
    const int k = c->k;
    int m, i, j;
    double ways = 0, *same = c->link;       /* blocks of an outer group of one size, less 1 */
    servet__moments in, all;
    memset(&in, 0, sizeof in);
    all = in;
    for (i = 0; i < k; i++) {
        c->next[i] = -1;
        c->tail[i] = i;
        c->size[i] = 1;
    }
    for (i = 0; i < k * k; i++) same[i] = 0;
    for (i = 0; i < k; i++) same[c->outer[i] * k]++;
    for (m = 0; m < merges; m++) {
        const int a = c->ma[m], b = c->mb[m];
        size_t cells = 0;
        servet__moments s;
        for (i = a; i >= 0; i = c->next[i])
            for (j = b; j >= 0; j = c->next[j]) if (servet__finite(q[i * k + j])) c->cell[cells++] = q[i * k + j];
        s = servet__groups_moments(c->cell, cells, 1);
        all.n += c->count[m] = s.n;
        all.sum += c->sum[m] = s.sum;
        all.square += c->effect[m] = s.square;
        c->next[c->tail[a]] = b;
        c->tail[a] = c->tail[b];
    }
    for (m = 0; m + 1 < merges; m++) {
        const int a = c->ma[m], sa = c->size[a], sb = c->size[c->mb[m]];
        double *of = same + c->outer[a] * k - 1;
        servet__moments out = all;
        ways += servet__log_factorial(sa) + servet__log_factorial(sb) - servet__log_factorial(sa + sb);
        ways += log(of[sa]--);
        ways += log(of[sb]--);
        ways -= log(++of[sa + sb]);
        c->size[a] = sa + sb;
        in.n += c->count[m];
        in.sum += c->sum[m];
        in.square += c->effect[m];
        out.n -= in.n;
        out.sum -= in.sum;
        out.square -= in.square;
        /* heights that differ by less than costs are known to are one */
        c->ev[m] = c->height[m + 1] > c->height[m] + SERVET__GROUPS_FLOOR / 10
                 ? -(servet__groups_chance(in, out, fitted, 0, known, 0) + ways) : -HUGE_VAL;
    }
}

/* The best cuts of a dendrogram over q, judged. */
SERVET__PRIVATE double servet__groups_cuts(servet__grouping *c, const double *q, double known, double fitted,
                                           double found)
{
    const int merges = servet__groups_tree(c, q);
    int m, tries;
    servet__groups_profile(c, q, merges, known, fitted);
    for (tries = 0; tries < servet__groups_tries; tries++) {
        int at = -1;
        double best = -HUGE_VAL;
        for (m = 0; m + 1 < merges; m++) {
            if (!(c->ev[m] > best) || (m > 0 && c->ev[m] < c->ev[m - 1])) continue;
            if (m + 2 < merges && c->ev[m] < c->ev[m + 1]) continue;
            best = c->ev[m];
            at = m;
        }
        if (at < 0 || (tries > 1 && best <= 0)) break;
        c->ev[at] = -HUGE_VAL;
        found = servet__groups_try(c, servet__groups_blocks(c, at + 1, c->label), 0, found);
    }
    return found;
}

/* Sums and counts of the costs, left, of unit u with each block; those of other outer groups are out of reach. */
SERVET__PRIVATE void servet__groups_toward(servet__grouping *c, const int *label, int u)
{
    const int k = c->k;
    int v, b;
    for (b = 0; b < k; b++) c->sum[b] = c->count[b] = 0;
    for (v = 0; v < k; v++) {
        const int within = c->outer[u] == c->outer[v];
        if (v == u || (within && !servet__finite(c->left[u * k + v]))) continue;
        c->sum[label[v]] += within ? c->left[u * k + v] : HUGE_VAL;
        c->count[label[v]]++;
    }
}

/* Move units to the block they are nearest to, or out of all: what a tree joined too early, it never parts again.  A
 * unit that is near to none goes where no cost speaks against it: to none, or to one that is left over as well.
 * alone: only those that are in no block with another. */
SERVET__PRIVATE void servet__groups_refine(servet__grouping *c, int *label, int alone)
{
    const int k = c->k;
    size_t inside, all;
    int u, v, b, turn, moved = 1;
    double middle;
    if (servet__groups_weigh(c, label, 1) < 0 || servet__groups_free(c, c->y, label, 0) < 0) return;
    all = servet__groups_sides(c, c->left, label, &inside);
    if (inside == 0 || inside == all) return;
    servet_stats_sort(c->cell, inside);
    servet_stats_sort(c->cell + inside, all - inside);
    middle = (servet_stats_quantile(c->cell, inside, 0.5)
              + servet_stats_quantile(c->cell + inside, all - inside, 0.5)) / 2;
    for (turn = 0; turn < 4 && moved; turn++)
        for (u = 0, moved = 0; u < k; u++) {
            double least = middle;
            int to = -1, others = 0;
            for (v = 0; v < k; v++) others += v != u && label[v] == label[u];
            if (alone && others) continue;
            servet__groups_toward(c, label, u);
            for (b = 0; b < k; b++) {
                if (c->count[b] < 1 || c->sum[b] / c->count[b] >= least) continue;
                least = c->sum[b] / c->count[b];
                to = b;
            }
            if (to < 0) for (to = 0; to < k && c->count[to] > 0; ) to++;
            if (to >= k || to == label[u]) continue;
            label[u] = to;
            moved = 1;
        }
}

/* The best partition of the units, in best.  given: NULL, or labels of one that was named.  Returns the evidence, 0 =
 * none. */
SERVET__PRIVATE double servet__groups_split(servet__grouping *c, const int *given)
{
    const int k = c->k;
    double found = 0, known = 0, all = 0;
    int f;
    c->tried = 0;
    if (k < 3) return 0;
    if (given) {
        memcpy(c->label, given, (size_t)k * sizeof *c->label);
        found = servet__groups_try(c, servet__groups_number(c, c->label, k), 1, found);
    }
    for (f = 0; f < c->sorts; f++) {
        all += 1 / c->noise[f];
        known += c->known[f] * c->known[f] / (c->noise[f] * c->noise[f]);
        found = servet__groups_cuts(c, c->q[f], c->known[f], 0, found);
    }
    if (c->sorts > 1) {
        found = servet__groups_cuts(c, c->d, sqrt(known) / all, 0, found);
    } else if (servet__groups_free(c, c->d, NULL, 0) == 1) {
        found = servet__groups_cuts(c, c->left, c->known[0], c->fitted, found);
    }
    if (!(found > 0)) return 0;
    memcpy(c->label, c->best, (size_t)k * sizeof *c->label);
    servet__groups_refine(c, c->label, 0);
    return servet__groups_try(c, servet__groups_number(c, c->label, k), 0, found);
}

/* ---- layers ---- */

/* Noise of a sort of cost: in a tree the two dearest of three costs are equal (ultrametric), but for noise.  Where they
 * are not, that tells how far costs are from a tree. */
SERVET__PRIVATE double servet__groups_triples(servet__grouping *c, const double *x)
{
    const int n = c->n;
    const size_t most = (size_t)n * (size_t)n < 4096 ? (size_t)n * (size_t)n : 4096;
    uint64_t seed = 1;
    size_t m = 0;
    int tries;
    for (tries = 0; tries < 16384 && m < most && n >= 3; tries++) {
        const int i = (int)servet_stats_random_below(&seed, (size_t)n);
        const int j = (int)servet_stats_random_below(&seed, (size_t)n);
        const int k = (int)servet_stats_random_below(&seed, (size_t)n);
        double v[3];
        if (i == j || j == k || k == i) continue;
        v[0] = x[i * n + j];
        v[1] = x[j * n + k];
        v[2] = x[i * n + k];
        if (!servet__finite(v[0]) || !servet__finite(v[1]) || !servet__finite(v[2])) continue;
        servet_stats_sort(v, 3);
        c->cell[m++] = v[2] - v[1];
    }
    if (m == 0) return SERVET__GROUPS_FLOOR;
    servet_stats_sort(c->cell, m);
    /* |a - b| of two normal values has the median 0.95 of their standard deviation */
    return servet_stats_quantile(c->cell, m, 0.5) / 0.95 + SERVET__GROUPS_FLOOR;
}

/* Units: the blocks of inner (each one, where NULL), in the groups of outer (one, where NULL). */
SERVET__PRIVATE void servet__groups_between(servet__grouping *c, const int *inner, const int *outer)
{
    int i;
    c->k = 0;
    for (i = 0; i < c->n; i++) {
        c->unit[i] = inner ? inner[i] : i;
        c->outer[c->unit[i]] = outer ? outer[i] : 0;
        if (c->unit[i] >= c->k) c->k = c->unit[i] + 1;
    }
    servet__groups_units(c);
}

/* A partition between inner and outer; labels of all n out.  Returns the evidence, 0 = none. */
SERVET__PRIVATE double servet__groups_insert(servet__grouping *c, const int *inner, const int *outer, const int *given,
                                             int *out)
{
    int i, u, v, named = given != NULL;
    double found;
    servet__groups_between(c, inner, outer);
    for (i = 0; i < c->n && named; i++) named = given[c->member[c->start[c->unit[i]]]] == given[i];
    for (u = 0; u < c->k && named; u++) {
        const int own = given[c->member[c->start[u]]];
        for (v = 0; v < u && (given[c->member[c->start[v]]] != own || c->outer[u] != c->outer[v]); v++) { }
        c->label[u] = v;
    }
    found = servet__groups_split(c, named ? c->label : NULL);
    for (i = 0; i < c->n && found > 0; i++) out[i] = c->best[c->unit[i]];
    return found;
}

/* Is a partition the next one but for a few groups, cut since some of their costs were disturbed?  Most of the next
 * one's groups are whole then, and in the others each part has a pair with another part that is as near, by all sorts
 * of costs, as pairs of a group are. */
SERVET__PRIVATE int servet__groups_left_out(servet__grouping *c, const int *part, const int *next)
{
    double top[SERVET_GROUPS_SORTS];
    int f, u, v, w, groups = 0, cut = 0;
    for (f = 0; f < c->sorts; f++) {
        size_t m = 0;
        top[f] = HUGE_VAL;
        for (u = 0; u < c->n; u++)
            for (v = u + 1; v < c->n; v++)
                if (part[u] == part[v] && servet__finite(c->x[f][u * c->n + v]))
                    c->cell[m++] = c->x[f][u * c->n + v];
        if (m < 1) continue;
        servet_stats_sort(c->cell, m);
        top[f] = servet_stats_quantile(c->cell, m, 0.5)
               + 3 * (servet__max(servet__robust_sd(c->cell, m), c->known[f]) + SERVET__GROUPS_FLOOR);
    }
    for (u = 0; u < c->n; u++) {
        int others = 0, first = 1, whole = 1, near = 0;
        for (v = 0; v < c->n; v++) {
            if (v == u || next[v] != next[u]) continue;
            others = 1;
            first &= v > u;
            whole &= part[v] == part[u];
        }
        groups += others && first;
        cut += others && first && !whole;
        if (!others || whole) continue;
        for (v = 0; v < c->n && !near; v++)     /* of its part and another */
            for (w = 0; w < c->n && !near && part[v] == part[u]; w++) {
                if (next[w] != next[u] || part[w] == part[u]) continue;
                near = 1;
                for (f = 0; f < c->sorts; f++) near &= c->x[f][v * c->n + w] <= top[f];
            }
        if (!near) return 0;
    }
    return cut > 0 && 4 * cut <= groups;
}

/* Layers: partitions between those there are, inside the first and outside the last, until there is none. */
SERVET__PRIVATE void servet__groups_nest(servet__grouping *c, servet_groups *g)
{
    int open[SERVET_GROUPS_LAYERS + 1], at, l, **part = g->group;
    open[0] = 1;
    for (;;) {
        int *last = part[SERVET_GROUPS_LAYERS - 1];
        double proof;
        for (at = 0; at <= g->layers && !open[at]; at++) { }
        if (at > g->layers || g->layers == SERVET_GROUPS_LAYERS - 1) break;
        proof = servet__groups_insert(c, at > 0 ? part[at - 1] : NULL, at < g->layers ? part[at] : NULL, g->given,
                                      last);
        open[at] = 0;
        if (!(proof > 0)) continue;
        part[SERVET_GROUPS_LAYERS - 1] = part[g->layers];
        for (l = g->layers++; l > at; l--) {
            part[l] = part[l - 1];
            g->evidence[l] = g->evidence[l - 1];
            open[l + 1] = open[l];
        }
        part[at] = last;
        g->evidence[at] = proof;
        open[at] = open[at + 1] = 1;
    }
    for (at = 0; at + 1 < g->layers; at++) {
        int *spare = part[at];
        if (!servet__groups_left_out(c, spare, part[at + 1])) continue;
        for (l = at; l + 1 < g->layers; l++) {
            part[l] = part[l + 1];
            g->evidence[l] = g->evidence[l + 1];
        }
        part[--g->layers] = spare;
        at--;
    }
}

/* Are the costs of units nearer and farther without groups?  Then units that are near each other have similar rows,
 * which noise and slow units do not bring about: the correlation of both, freed of rows, against that of units whose
 * names are shuffled (Mantel's permutation test). */
SERVET__PRIVATE int servet__groups_gradient(servet__grouping *c)
{
    const int k = c->k;
    int u, v, w, turn, beyond = 0, *name = c->label;
    double real = 0;
    uint64_t seed = 7;
    if (k < servet__groups_rows) return 0;
    for (u = 0; u < k; u++)
        for (v = 0; v < k; v++) {
            double s = 0, m = 0;
            for (w = 0; w < k && v != u; w++) {
                const double a = c->d[u * k + w], b = c->d[v * k + w];
                if (w == u || w == v || !servet__finite(a) || !servet__finite(b)) continue;
                s += fabs(a - b);
                m++;
            }
            c->y[u * k + v] = m > 0 ? s / m : HUGE_VAL;
        }
    servet__groups_outers(c);
    for (w = 0; w < 2; w++) {
        double *q = w ? c->y : c->d, *to = w ? c->link : c->left;
        servet__groups_effects(c, q, NULL, c->effect);
        for (u = 0; u < k * k; u++)
            to[u] = u / k != u % k && servet__finite(q[u]) ? q[u] - c->effect[u / k] - c->effect[u % k] : 0;
    }
    for (turn = 0; turn < 200; turn++) {
        double s = 0;
        for (u = 0; u < k; u++) name[u] = u;
        for (u = k - 1; u > 0 && turn; u--) {
            const int at = (int)servet_stats_random_below(&seed, (size_t)u + 1), keep = name[u];
            name[u] = name[at];
            name[at] = keep;
        }
        for (u = 0; u < k; u++) {
            const double *row = c->link + name[u] * k;
            for (v = u + 1; v < k; v++) s += c->left[u * k + v] * row[name[v]];
        }
        if (!turn) real = s;
        else beyond += s >= real;
    }
    return beyond == 0;
}

SERVET__DEF size_t servet_groups_work_bytes(int n, int sorts)
{
    servet__grouping c;
    if (n < 1 || n > SERVET_GROUPS_MOST || sorts < 1 || sorts > SERVET_GROUPS_SORTS) return 0;
    return servet__groups_lay(&c, n, sorts, NULL) + SERVET_GROUPS_LAYERS * (size_t)n * sizeof(int);
}

SERVET__DEF int servet_groups_find(servet_groups *g, void *work)
{
    servet__grouping c;
    int f, i, n, m = 0;
    if (!g || !work || servet_groups_work_bytes(g->n, g->sorts) == 0) return SERVET_EINVAL;
    n = g->n;
    for (f = 0; f < g->sorts; f++) if (!g->cost[f] || !(g->known_frac[f] >= 0)) return SERVET_EINVAL;
    g->group[0] = (int *)(void *)((char *)work + servet__groups_lay(&c, n, g->sorts, work));
    for (i = 1; i < SERVET_GROUPS_LAYERS; i++) g->group[i] = g->group[i - 1] + n;
    for (f = 0; f < g->sorts; f++) {
        for (i = 0; i < n * n; i++) {
            const double x = g->cost[f][i / n < i % n ? i : i % n * n + i / n];
            c.x[f][i] = i / n != i % n && x > 0 && servet__finite(x) ? log(x) : HUGE_VAL;
            m += servet__finite(c.x[f][i]);
        }
        c.alone[f] = g->alone[f];
        c.known[f] = g->known_frac[f];
        c.noise[f] = servet__groups_triples(&c, c.x[f]);
    }
    /* One in a hundred for all that is claimed: from any of five trees, at any of some four places between layers. */
    c.least = log(2000.0);
    g->layers = g->gradient = 0;
    if (m == 0) return SERVET_EUNRESOLVED;
    servet__groups_nest(&c, g);
    servet__groups_between(&c, g->layers ? g->group[g->layers - 1] : NULL, NULL);
    g->gradient = servet__groups_gradient(&c);
    return g->layers;
}

/* >>pairs (implementation) -------------------------------------------------------------------- */

/* Groups are nodes of a tree: cores 0 .. n-1, the machine n, groups from n+1 on.  The units of a node are its
 * children; a new group takes some of them. */
typedef struct servet__pairs {
    servet__grouping c;           /* costs of cores, and units of the node at hand                    */
    int n, nodes;               /* cores; nodes so far                                              */
    double *x, *cell;           /* costs of cores; values gathered (both of c)                      */
    double *latency, *key, *proof, *line;                       /* of nodes                         */
    int *parent, *dear, *mate, *child, *rank, *mark, *many, *list, *set;    /* dear: as below       */
} servet__pairs;

enum { servet__pairs_cheap = 0, servet__pairs_slow = 1, servet__pairs_other = 2, servet__pairs_tied = 3,
       servet__pairs_alike = 4 };

/* Memory after what is taken; lays out p where work is not NULL. */
SERVET__PRIVATE size_t servet__pairs_lay(servet__pairs *p, int n, void *work)
{
    const size_t bytes = servet__groups_lay(&p->c, n, 1, work), nodes = 2 * (size_t)n + 2;
    double **line[4], *at = (double *)work;
    int **list[9], *whole, i;
    if (!work) return bytes + 4 * nodes * sizeof(double) + 9 * nodes * sizeof(int);
    at += bytes / sizeof *at;
    line[0] = &p->latency; line[1] = &p->key; line[2] = &p->proof; line[3] = &p->line;
    list[0] = &p->parent; list[1] = &p->dear; list[2] = &p->mate; list[3] = &p->child; list[4] = &p->rank;
    list[5] = &p->mark; list[6] = &p->many; list[7] = &p->list; list[8] = &p->set;
    for (i = 0; i < 4; i++, at += nodes) *line[i] = at;
    whole = (int *)(void *)at;
    for (i = 0; i < 9; i++, whole += nodes) *list[i] = whole;
    p->n = n;
    p->x = p->c.x[0];
    p->cell = p->c.cell;
    p->c.noise[0] = 1;
    p->c.slow = 1;
    for (i = 0; i < n; i++) p->c.outer[i] = 0;
    return bytes + 4 * nodes * sizeof(double) + 9 * nodes * sizeof(int);
}

/* 50 bytes a cell of the matrix: 13 MB for 512 cores.  0 where cores are none or more than SERVET_PAIRS_CORES. */
SERVET__PRIVATE size_t servet__pairs_work_bytes(int cores)
{
    servet__pairs p;
    return cores >= 1 && cores <= SERVET_PAIRS_CORES ? servet__pairs_lay(&p, cores, NULL) : 0;
}

/* The units of a node: its children, their cores, and the median cost between any two. */
SERVET__PRIVATE void servet__pairs_units(servet__pairs *p, int g)
{
    int i, v;
    p->c.k = 0;
    for (i = 0; i < p->nodes; i++) {
        if (i == g || p->parent[i] != g) continue;
        p->rank[i] = p->c.k;
        p->child[p->c.k++] = i;
    }
    for (i = 0; i < p->n; i++) {
        for (v = i; v >= 0 && p->parent[v] != g; ) v = p->parent[v];
        p->c.unit[i] = v >= 0 ? p->rank[v] : -1;
    }
    servet__groups_units(&p->c);
}

/* A new group under g, of the units whose mark is set; the unit list stays as it was. */
SERVET__PRIVATE int servet__pairs_join(servet__pairs *p, int g, const int *mark, int value, int dear, double proof)
{
    int u, made = p->nodes;
    if (made >= 2 * p->n) return g;
    p->parent[made] = g;
    p->dear[made] = dear;
    p->mate[made] = -1;
    p->proof[made] = proof;
    for (u = 0; u < p->c.k; u++) if (mark[u] == value) p->parent[p->child[u]] = made;
    p->nodes++;
    return made;
}

/* One group of half the cores: the rest is the other half, though its lines are homed far off.  Slow groups: they are
 * of one kind of cores, the rest of another. */
SERVET__PRIVATE void servet__pairs_rest(servet__pairs *p, int g)
{
    int i, k, all = 0, in = 0, slow = 0, first, second;
    servet__pairs_units(p, g);
    k = p->c.k;
    all = p->c.start[k];
    for (i = 0; i < k; i++) {
        p->mark[i] = p->child[i] > p->n && p->dear[p->child[i]] == servet__pairs_slow;
        slow += p->mark[i];
        if (p->mark[i]) in += p->c.start[i + 1] - p->c.start[i];
    }
    for (i = 0; i < k && slow == 0; i++) {
        if (2 * (p->c.start[i + 1] - p->c.start[i]) != all || p->child[i] <= p->n) continue;
        p->mark[i] = slow = 1;
        in = all / 2;
    }
    if (k < 3 || slow == 0 || slow == k || all - in < 4 || (k - slow < 2 && slow < 2)) return;
    for (i = 0; !p->mark[i]; i++) { }
    first = p->child[i];
    if (slow > 1) first = servet__pairs_join(p, g, p->mark, 1, servet__pairs_other, p->proof[first]);
    if (k - slow < 2) return;
    second = servet__pairs_join(p, g, p->mark, 0, servet__pairs_other, p->proof[first]);
    if (second != g) p->mate[second] = first;
}

/* Mean differences of rows, over 256 columns at most, into left; a hole where two rows share nothing. */
SERVET__PRIVATE void servet__pairs_rows(servet__pairs *p, const double *rows, int width)
{
    const int n = p->n, step = width > 256 ? (width + 255) / 256 : 1;
    int i, j, t;
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            double s = 0, m = 0;
            for (t = 0; t < width && i != j; t += step) {
                double a = rows[i * n + t], b = rows[j * n + t];
                if (!servet__finite(a) || !servet__finite(b)) continue;
                s += fabs(a - b);
                m++;
            }
            p->c.left[i * n + j] = p->c.left[j * n + i] = m > 0 ? s / m : HUGE_VAL;
        }
}

/* Disturbance makes single costs dear.  Cores whose rows are alike cost any other core the same: a cost far above what
 * the three most like either end pay is a hole.  Far is above the last but one of them (others may be siblings of the
 * other end) by four standard deviations, by the quartiles of all such differences, and by 1.3, a step between levels:
 * what is less does no harm. */
SERVET__PRIVATE void servet__pairs_disturbed(servet__pairs *p)
{
    const int n = p->n;
    int i, j, t, *near[3];
    size_t m = 0;
    double sd, middle;
    if (n < 6) return;
    near[0] = p->c.ma;
    near[1] = p->c.mb;
    near[2] = p->rank;
    servet__pairs_rows(p, p->x, n);
    for (i = 0; i < n; i++) {
        for (t = 0; t < 3; t++) near[t][i] = -1;
        for (j = 0; j < n; j++) {
            int k = j;
            if (j == i || !servet__finite(p->c.left[i * n + j])) continue;
            for (t = 0; t < 3 && k >= 0; t++) {
                int was = near[t][i];
                if (was >= 0 && p->c.left[i * n + was] <= p->c.left[i * n + k]) continue;
                near[t][i] = k;
                k = was;
            }
        }
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++) {
            double v[6];
            size_t c = 0;
            p->c.y[i * n + j] = HUGE_VAL;
            if (!servet__finite(p->x[i * n + j])) continue;
            for (t = 0; t < 6; t++) {
                const int other = t < 3 ? j : i, k = near[t % 3][t < 3 ? i : j];
                if (k >= 0 && k != other && servet__finite(p->x[k * n + other])) v[c++] = p->x[k * n + other];
            }
            if (c < 3) continue;
            servet_stats_sort(v, c);
            p->c.y[i * n + j] = p->cell[m++] = p->x[i * n + j] - v[c - (c > 3 ? 2 : 1)];
        }
    if (m < 10) return;
    servet_stats_sort(p->cell, m);
    middle = servet_stats_quantile(p->cell, m, 0.5);
    sd = servet__max(servet__robust_sd(p->cell, m), SERVET__GROUPS_FLOOR);
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (servet__finite(p->c.y[i * n + j]) && p->c.y[i * n + j] > middle + servet__max(4 * sd, log(1.3)))
                p->x[i * n + j] = p->x[j * n + i] = HUGE_VAL;
}

/* Log of the chance that so many cores thrown into so many blocks fill all of them alike, 0 where they do not. */
SERVET__PRIVATE double servet__pairs_even(const int *size, int n)
{
    double blocks = 0, missed;
    int i, each = 0;
    for (i = 0; i < n; i++) {
        if (!size[i]) continue;
        if (each && size[i] != each) return 0;
        each = size[i];
        blocks++;
    }
    missed = blocks * pow(1 - 1 / blocks, n);       /* ways to throw that leave a block empty do not count */
    if (each < 2 || missed > 0.5) return 0;
    return servet__log_factorial(n) - blocks * servet__log_factorial(each) - n * log(blocks)
         - log(1 - missed);
}

/* Cores whose rows are equal, three times more so than with others', or in blocks of one size throughout, which is no
 * chance.  They are groups if their own costs are the least of their rows more often than chance would have it, or if
 * the usual judgement says so.  If not they are tied: what is inferred above them must not count one row twice. */
SERVET__PRIVATE void servet__pairs_twins(servet__pairs *p)
{
    const int n = p->n;
    int i, j, c, g;
    servet__pairs_units(p, n);
    servet__pairs_rows(p, p->x, n);
    servet__groups_tree(&p->c, p->c.left);
    for (i = 0; i < n; i++) p->list[i] = 1;
    for (c = 0; c < n - 3; c++) {
        double h0 = p->c.height[c], h1 = p->c.height[c + 1], tail, proof;
        int blocks, wins = 0, groups = 0, in = 0, even = 0;
        p->list[p->c.ma[c]] += p->list[p->c.mb[c]];
        p->list[p->c.mb[c]] = 0;
        if (h1 < 3 * servet__max(h0, SERVET__GROUPS_FLOOR / 2)) {
            even = h0 < SERVET__GROUPS_FLOOR && h1 > h0 + SERVET__GROUPS_FLOOR / 10
                && servet__pairs_even(p->list, n) < -log(1000.0 * n);
            if (!even) continue;
        }
        blocks = servet__groups_blocks(&p->c, c + 1, p->c.best);
        for (g = 0; g < blocks; g++) {
            double least = HUGE_VAL, own = HUGE_VAL;
            int size = 0;
            for (j = 0; j < blocks; j++) p->c.sum[j] = p->c.count[j] = 0;
            for (i = 0; i < n; i++) {
                if (p->c.best[i] != g) continue;
                size++;
                for (j = 0; j < n; j++) {
                    if (!servet__finite(p->x[i * n + j])) continue;
                    p->c.sum[p->c.best[j]] += p->x[i * n + j];
                    p->c.count[p->c.best[j]]++;
                }
            }
            if (size < 2) continue;
            groups++;
            in += size;
            for (j = 0; j < blocks; j++) {
                double mean = p->c.count[j] > 0 ? p->c.sum[j] / p->c.count[j] : HUGE_VAL;
                if (j == g) own = mean;
                else least = servet__min(least, mean);
            }
            wins += own < least + SERVET__GROUPS_FLOOR / 2;
        }
        if (groups < 2 || 2 * in < n) continue;
        tail = servet_stats_binomial_tail(groups, wins, 1.0 / blocks);
        proof = -log(servet__max(tail, 1e-300));
        if (even && proof < log(1000.0)) continue;
        memcpy(p->c.label, p->c.best, (size_t)n * sizeof *p->c.label);
        tail = servet__groups_judge(&p->c, p->c.label, blocks, 0);
        if (!memcmp(p->c.label, p->c.best, (size_t)n * sizeof *p->c.label)) proof = servet__max(proof, tail);
        if (tail >= log(1000.0)) {      /* some are groups, others a chance likeness; slow members are missing */
            double better;
            if (proof < log(1000.0)) {
                memcpy(p->c.best, p->c.label, (size_t)n * sizeof *p->c.best);
                proof = tail;
            }
            servet__groups_refine(&p->c, p->c.label, 1);
            better = servet__groups_judge(&p->c, p->c.label, servet__groups_number(&p->c, p->c.label, n), 0);
            if (better > tail) {
                memcpy(p->c.best, p->c.label, (size_t)n * sizeof *p->c.best);
                proof = servet__max(proof, better);
            }
            blocks = servet__groups_number(&p->c, p->c.best, n);
        }
        for (g = 0; g < blocks; g++) {
            double own = 0, owns = 0, out = 0, outs = 0;
            int size = 0, dear = proof < log(1000.0) ? servet__pairs_tied : servet__pairs_cheap;
            for (i = 0; i < n; i++) {
                if (p->c.best[i] != g) continue;
                size++;
                for (j = 0; j < n; j++) {
                    if (!servet__finite(p->x[i * n + j])) continue;
                    if (p->c.best[j] == g) {
                        own += p->x[i * n + j];
                        owns++;
                    } else {
                        out += p->x[i * n + j];
                        outs++;
                    }
                }
            }
            if (size < 2) continue;
            if (dear == servet__pairs_cheap && owns > 0 && outs > 0 && own / owns > out / outs)
                dear = servet__pairs_slow;
            if (even && dear == servet__pairs_cheap) dear = servet__pairs_alike;
            servet__pairs_join(p, n, p->c.best, g, dear, proof);
        }
        servet__pairs_rest(p, n);
        return;
    }
}

/* The best partition of the units, of those dear inside where costs are negated.  One in a hundred, for as many groups
 * of this size as the machine may have. */
SERVET__PRIVATE double servet__pairs_split(servet__pairs *p, int dear)
{
    const int k = p->c.k;
    double proof, *q = p->c.q[0];
    int i;
    for (i = 0; i < k * k && dear; i++) if (servet__finite(q[i])) q[i] = -q[i];
    p->c.dear = dear;
    p->c.least = log(100.0) + log((double)p->n / p->c.start[k]);
    proof = servet__groups_split(&p->c, NULL);
    p->c.dear = 0;
    return proof;
}

/* Everything there is to find below and above every group, until nothing more is. */
SERVET__PRIVATE void servet__pairs_search(servet__pairs *p)
{
    int g, b, u, again = 1;
    while (again) {
        again = 0;
        for (g = p->n; g < p->nodes; g++) {
            double proof = 0;
            int dear;
            for (dear = 0; dear < 2 && !(proof > 0); dear++) {
                int most = 0;
                servet__pairs_units(p, g);
                if (p->c.k < 3) break;
                proof = servet__pairs_split(p, dear);
                if (!(proof > 0)) continue;
                for (u = 0; u < p->c.k; u++) if (p->c.best[u] > most) most = p->c.best[u];
                for (b = 0; b <= most; b++) {
                    int size = 0;
                    for (u = 0; u < p->c.k; u++) size += p->c.best[u] == b;
                    if (size > 1)
                        servet__pairs_join(p, g, p->c.best, b, dear ? servet__pairs_slow : servet__pairs_cheap, proof);
                }
                servet__pairs_rest(p, g);
                again = 1;
            }
        }
    }
}

/* How many cores are below each node. */
SERVET__PRIVATE void servet__pairs_sizes(const servet__pairs *p, int *cores)
{
    int i, v;
    for (i = 0; i < p->nodes; i++) cores[i] = 0;
    for (i = 0; i < p->n; i++) for (v = i; v >= 0; v = p->parent[v]) cores[v]++;
}

/* A group of the usual size and a core or two more, among groups of that size: they are not of it if as many miss them
 * around it. */
SERVET__PRIVATE void servet__pairs_odd(servet__pairs *p)
{
    const int n = p->n;
    int g, h, i, *cores = p->many;
    servet__pairs_sizes(p, cores);
    for (g = n + 1; g < p->nodes; g++) {
        int inner = -1, groups = 0, alike = 0, more = 0, around = 0;
        for (i = 0; i < p->nodes; i++) {
            if (p->parent[i] != g && p->parent[i] != p->parent[g]) continue;
            if (p->parent[i] != g) around += i < n;
            else if (i < n) more++;
            else {
                groups++;
                inner = i;
            }
        }
        if (groups != 1 || !more || !around || p->dear[g] != p->dear[inner] || more >= cores[inner]) continue;
        for (h = n + 1; h < p->nodes; h++) alike += cores[h] == cores[inner] && p->dear[h] == p->dear[inner];
        if (alike < 3 || (more + around) % cores[inner]) continue;
        p->dear[g] = servet__pairs_tied;
    }
}

/* Undo ties; nodes that stay are numbered anew. */
SERVET__PRIVATE void servet__pairs_untie(servet__pairs *p)
{
    const int n = p->n;
    int g, i, m = n + 1;
    for (g = n + 1; g < p->nodes; g++) {
        if (p->dear[g] != servet__pairs_tied) continue;
        for (i = 0; i < p->nodes; i++) if (p->parent[i] == g) p->parent[i] = p->parent[g];
    }
    for (i = 0; i <= n; i++) p->rank[i] = i;
    for (g = n + 1; g < p->nodes; g++) p->rank[g] = p->dear[g] == servet__pairs_tied ? -1 : m++;
    for (i = 0; i < p->nodes; i++) {
        int to = p->rank[i];
        if (to < 0) continue;
        p->parent[to] = p->parent[i] < 0 ? -1 : p->rank[p->parent[i]];
        if (i <= n) continue;
        p->dear[to] = p->dear[i];
        p->proof[to] = p->proof[i];
        p->mate[to] = p->mate[i] >= 0 ? p->rank[p->mate[i]] : -1;
    }
    p->nodes = m;
}

/* Median cost between the members of set and the cores in other units (inside = 0), or among members (inside = 1);
 * HUGE_VAL where none was measured. */
SERVET__PRIVATE double servet__pairs_typical(servet__pairs *p, const int *set, int size, int inside)
{
    const int n = p->n;
    int i, j, t;
    size_t m = 0;
    for (i = 0; i < n; i++) p->rank[i] = 0;
    for (t = 0; t < size; t++) p->rank[set[t]] = 1;
    for (t = 0; t < size; t++)
        for (i = set[t], j = 0; j < n; j++) {
            if (p->c.unit[j] < 0 || p->rank[j] != inside || !servet__finite(p->x[i * n + j])) continue;
            if (inside || p->c.unit[j] != p->c.unit[i]) p->cell[m++] = p->x[i * n + j];
        }
    servet_stats_sort(p->cell, m);
    return m ? servet_stats_quantile(p->cell, m, 0.5) : HUGE_VAL;
}

/* So many of the cores left, marked in block as they are taken, into set: the two nearest to each other, then who is
 * nearest to those so far; without costs, the first there are. */
SERVET__PRIVATE void servet__pairs_gather(servet__pairs *p, const int *left, int alone, int *set, int size)
{
    const int n = p->n;
    int i, j, had, first = -1, second = -1;
    for (i = 0; i < alone; i++)
        for (j = i + 1; j < alone && !p->mark[i]; j++) {
            if (p->mark[j] || (first >= 0 && !(p->x[left[i] * n + left[j]] < p->x[left[first] * n + left[second]])))
                continue;
            first = i;
            second = j;
        }
    set[0] = left[first];
    set[1] = left[second];
    p->mark[first] = p->mark[second] = 1;
    for (had = 2; had < size; had++) {
        double least = HUGE_VAL;
        for (i = 0, first = -1; i < alone; i++) {
            double sum = 0, count = 0;
            for (j = 0; j < had && !p->mark[i]; j++) {
                double x = p->x[left[i] * n + set[j]];
                if (!servet__finite(x)) continue;
                sum += x;
                count++;
            }
            if (p->mark[i] || (first >= 0 && !(count > 0 && sum / count < least))) continue;
            least = count > 0 ? sum / count : HUGE_VAL;
            first = i;
        }
        set[had] = left[first];
        p->mark[first] = 1;
    }
}

/* Machines are built of equal parts.  Where three or more groups have one size, as many cores left over beside them as
 * fill more of that size are taken for such, if they are nearer to each other than to others by half of the usual step.
 * A last pair needs not even that (its one cost may be disturbed, or a hole) if its cores cost others what members of
 * pairs do. */
SERVET__PRIVATE void servet__pairs_fill(servet__pairs *p)
{
    const int n = p->n;
    int g, h, i, u, size, many, all, alone, turn, *left = p->list, *set = p->set, *cores = p->many;
    servet__pairs_sizes(p, cores);
    for (g = n; g < p->nodes; g++) {
        double step, lo = HUGE_VAL, hi = -HUGE_VAL;
        size_t steps = 0;
        servet__pairs_units(p, g);
        for (u = 0, alone = 0; u < p->c.k; u++)
            if (p->c.start[u + 1] - p->c.start[u] == 1) left[alone++] = p->c.member[p->c.start[u]];
        if (!alone || alone == p->c.k) continue;
        for (u = 0, size = 0, many = 0; u < p->c.k; u++) {        /* the usual size */
            int count = 0;
            if (cores[p->child[u]] == 1) continue;
            for (h = n + 1; h < p->nodes; h++)
                count += cores[h] == cores[p->child[u]] && p->dear[h] == p->dear[p->child[u]];
            if (count <= many) continue;
            many = count;
            size = cores[p->child[u]];
        }
        for (u = 0, all = 0; u < p->c.k; u++) all += p->c.start[u + 1] - p->c.start[u] == size;
        if (many < 3 || alone % size || alone / size > many || all < 1) continue;
        for (u = 0; u < p->c.k; u++) {
            double in, out;
            for (i = 0; i < p->c.start[u + 1] - p->c.start[u]; i++) set[i] = p->c.member[p->c.start[u] + i];
            if (i != size) continue;
            in = servet__pairs_typical(p, set, size, 1);
            out = servet__pairs_typical(p, set, size, 0);
            lo = servet__min(lo, out);
            hi = servet__max(hi, servet__finite(out) ? out : -HUGE_VAL);
            if (servet__finite(in) && servet__finite(out)) p->c.sum[steps++] = out - in;
        }
        if (!steps) continue;
        servet_stats_sort(p->c.sum, steps);
        step = servet_stats_quantile(p->c.sum, steps, 0.5);
        if (!(step > 0)) continue;
        for (i = 0; i < alone; i++) p->mark[i] = 0;        /* 1: taken */
        for (turn = 0; turn < alone / size; turn++) {
            double in, out;
            int good;
            servet__pairs_gather(p, left, alone, set, size);
            in = servet__pairs_typical(p, set, size, 1);
            out = servet__pairs_typical(p, set, size, 0);
            good = out - in > step / 2;
            if (!good && alone == 2 && size == 2) {
                double room = (hi - lo) / 2 + SERVET__GROUPS_FLOOR, a, b;
                a = servet__pairs_typical(p, set, 1, 0);
                b = servet__pairs_typical(p, set + 1, 1, 0);
                good = a > lo - room && a < hi + room && b > lo - room && b < hi + room;
            }
            if (!good || p->nodes >= 2 * n) continue;
            for (u = 0; u < p->c.k; u++) if (p->c.start[u + 1] - p->c.start[u] == size) break;
            p->parent[p->nodes] = g;
            p->dear[p->nodes] = p->dear[p->child[u]];
            p->mate[p->nodes] = -1;
            p->proof[p->nodes] = p->proof[p->child[u]];
            for (i = 0; i < size; i++) p->parent[set[i]] = p->nodes;
            cores[p->nodes++] = size;
        }
    }
}

/* Costs between the units of a node, core by core, appended to d. */
SERVET__PRIVATE size_t servet__pairs_level(servet__pairs *p, int g, size_t m)
{
    const int n = p->n, *unit = p->c.unit;
    int i, j;
    servet__pairs_units(p, g);
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (unit[i] >= 0 && unit[j] >= 0 && unit[i] != unit[j] && servet__finite(p->x[i * n + j]))
                p->c.link[m++] = p->x[i * n + j];
    return m;
}

/* Median of so many costs in d, and the order statistics that bound it in 95 cases of 100. */
SERVET__PRIVATE double servet__pairs_median(servet__pairs *p, size_t m, double *lo, double *hi)
{
    double reach = 0.98 * sqrt((double)m), middle = ((double)m - 1) / 2;
    size_t last = m - 1;
    servet_stats_sort(p->c.link, m);
    *lo = exp(p->c.link[middle > reach ? (size_t)(middle - reach) : 0]);
    *hi = exp(p->c.link[middle + reach + 1 < (double)last ? (size_t)(middle + reach + 1) : last]);
    return servet_stats_quantile(p->c.link, m, 0.5);
}

/* Latencies of groups, and keys to order them by: no group before what is inside it nor before others as large as what
 * is inside it (those are the same part of the machine, whatever they cost), halves of one machine together. */
SERVET__PRIVATE void servet__pairs_keys(servet__pairs *p)
{
    const int n = p->n;
    int g, o, turn, *cores = p->many;
    double lo, hi;
    for (g = n; g < p->nodes; g++) {
        size_t m = servet__pairs_level(p, g, 0);
        p->latency[g] = m ? servet__pairs_median(p, m, &lo, &hi) : HUGE_VAL;
    }
    for (g = n + 1; g < p->nodes; g++) {    /* not measured: as its siblings */
        size_t m = 0;
        if (servet__finite(p->latency[g])) continue;
        for (o = n + 1; o < p->nodes; o++)
            if (p->parent[o] == p->parent[g] && servet__finite(p->latency[o])) p->cell[m++] = p->latency[o];
        servet_stats_sort(p->cell, m);
        p->latency[g] = servet_stats_quantile(p->cell, m, 0.5);
    }
    for (g = n; g < p->nodes; g++) p->key[g] = p->latency[g];
    for (g = n + 1; g < p->nodes; g++)
        if (p->mate[g] >= 0) p->key[g] = p->key[p->mate[g]] = servet__min(p->key[g], p->key[p->mate[g]]);
    servet__pairs_sizes(p, cores);
    for (turn = 0; turn < 4 * SERVET_PAIRS_LAYERS; turn++) {
        for (g = 0; g <= n; g++) p->line[g] = 0;     /* the last key of groups of each size */
        for (g = n + 1; g < p->nodes; g++) p->line[cores[g]] = servet__max(p->line[cores[g]], p->key[g]);
        for (g = n + 1; g < p->nodes; g++) {
            int up = p->parent[g];
            if (up > n && cores[up] > cores[g] && p->key[up] < p->line[cores[g]] + 1e-6)
                p->key[up] = p->line[cores[g]] + 1e-6;
            if (up > n && p->key[up] < p->key[g] + 1e-6) p->key[up] = p->key[g] + 1e-6;
            if (p->mate[g] >= 0) p->key[g] = p->key[p->mate[g]] = servet__max(p->key[g], p->key[p->mate[g]]);
        }
    }
}

/* The layer of every group, in size; returns how many there are.  Groups sorted by latency are cut where the step to
 * the next is wider than from there to what is outside, and between a group and what is in it at the widest step. */
SERVET__PRIVATE int servet__pairs_layering(servet__pairs *p)
{
    const int n = p->n;
    int g, o, at, count = 0, layer = 0, *order = p->list, *cut = p->mark;
    for (g = n + 1; g < p->nodes; g++) {
        for (o = count++; o > 0 && p->key[order[o - 1]] > p->key[g]; o--) order[o] = order[o - 1];
        order[o] = g;
    }
    for (at = 0; at < count; at++) {
        g = order[at];
        p->rank[g] = at;
        cut[at] = at > 0 && p->key[g] - p->key[order[at - 1]] > fabs(p->latency[p->parent[g]] - p->latency[g]);
    }
    for (;;) {
        int best = -1;
        double widest = -1;
        for (g = n + 1; g < p->nodes; g++) {
            int up = p->parent[g], parted = up == n, here = -1;
            double wide = -1;
            for (at = p->rank[g] + 1; !parted && at <= p->rank[up]; at++) {
                double step = p->key[order[at]] - p->key[order[at - 1]];
                parted = cut[at];
                if (step <= wide) continue;
                wide = step;
                here = at;
            }
            if (parted || here < 0 || wide <= widest) continue;
            widest = wide;
            best = here;
        }
        if (best < 0) break;
        cut[best] = 1;
    }
    for (at = 0; at < count; at++) {
        layer += cut[at];
        p->set[order[at]] = layer < SERVET_PAIRS_LAYERS ? layer : SERVET_PAIRS_LAYERS - 1;
    }
    return count ? p->set[order[count - 1]] + 1 : 0;
}

/* Kinds: rows equal but for their order, three times more so than with others'; all are of one kind where none such. */
SERVET__PRIVATE void servet__pairs_kinds(servet__pairs *p, servet_layers *out)
{
    const int n = p->n;
    int i, j, c, best = -1, kinds = 1, width;
    double ratio = 3;
    for (i = 0; i < n; i++) {
        size_t m = 0;
        for (j = 0; j < n; j++) if (j != i && servet__finite(p->x[i * n + j])) p->cell[m++] = p->x[i * n + j];
        servet_stats_sort(p->cell, m);
        for (j = 0; j < n; j++)
            p->c.q[0][i * n + j] = m ? servet_stats_quantile(p->cell, m, n > 1 ? (double)j / (n - 1) : 0) : HUGE_VAL;
    }
    width = n;
    servet__pairs_rows(p, p->c.q[0], width);
    p->c.k = n;
    servet__groups_tree(&p->c, p->c.left);
    for (c = 0; c < n - 2; c++) {
        double h0 = p->c.height[c], h1 = p->c.height[c + 1];
        h0 = servet__max(h0, SERVET__GROUPS_FLOOR);
        if (!servet__finite(h1) || h1 < ratio * h0) continue;
        ratio = h1 / h0;
        best = c;
    }
    if (best >= 0) kinds = servet__groups_blocks(&p->c, best + 1, p->c.label);
    for (i = 0; i < n; i++) out->kind[i] = (int16_t)(best >= 0 ? p->c.label[i] : 0);
    out->kinds = kinds;
}

SERVET__PRIVATE int servet__pairs_layers_in(servet_layers *out, const double *ns, int cores, void *work)
{
    servet__pairs p;
    const int n = cores;
    int i, j, g, l;
    size_t m = 0;
    if (!out || !ns || !work || cores < 1 || cores > SERVET_PAIRS_CORES) return SERVET_EINVAL;
    servet__pairs_lay(&p, n, work);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double a = ns[i * n + j], b = ns[j * n + i];
            if (!(a > 0) || !servet__finite(a)) a = HUGE_VAL;
            if (!(b > 0) || !servet__finite(b)) b = HUGE_VAL;
            a = servet__min(a, b);
            p.x[i * n + j] = i == j || !servet__finite(a) ? HUGE_VAL : log(a);
            m += servet__finite(p.x[i * n + j]) ? 1u : 0u;
        }
    if (m == 0) return SERVET_EUNRESOLVED;
    for (i = 0; i < n; i++) p.parent[i] = n;
    p.parent[n] = -1;
    p.dear[n] = 0;
    p.nodes = n + 1;
    servet__pairs_disturbed(&p);
    servet__pairs_twins(&p);
    servet__pairs_search(&p);
    servet__pairs_odd(&p);
    servet__pairs_untie(&p);
    servet__pairs_fill(&p);
    memset(out, 0, sizeof *out);
    out->cores = n;
    servet__pairs_keys(&p);
    out->count = servet__pairs_layering(&p);
    for (l = 0; l < out->count; l++) {
        servet_pairs_layer *layer = &out->layer[l];
        double chance = 0;
        for (g = 0; g < p.nodes; g++) p.rank[g] = -1;
        for (i = 0; i < n; i++) {
            int v, top = -1;
            for (v = p.parent[i]; v > n; v = p.parent[v]) if (p.set[v] <= l) top = v;
            if (top >= 0 && p.rank[top] < 0) p.rank[top] = layer->groups++;
            out->group[l][i] = (int16_t)(top >= 0 ? p.rank[top] : -1);
        }
        for (g = n + 1, m = 0; g < p.nodes; g++) {
            if (p.set[g] != l) continue;
            m = servet__pairs_level(&p, g, m);
            chance = servet__max(chance, exp(-p.proof[g]));
        }
        layer->confidence_frac = 1 - chance;
        layer->latency_ns = m ? exp(servet__pairs_median(&p, m, &layer->lo_ns, &layer->hi_ns)) : 0;
    }
    m = servet__pairs_level(&p, n, 0);
    if (m) out->outermost_ns = exp(servet__pairs_median(&p, m, &out->lo_ns, &out->hi_ns));
    servet__pairs_kinds(&p, out);
    return out->count;
}

SERVET__DEF int servet_pairs_layers(servet_layers *out, const double *ns, int cores)
{
    const size_t bytes = servet__pairs_work_bytes(cores);
    void *work = bytes > 0 ? malloc(bytes) : NULL;
    const int status = bytes > 0 && !work ? SERVET_ENOMEM : servet__pairs_layers_in(out, ns, cores, work);
    free(work);
    return status;
}

SERVET__DEF int servet_pairs_rounds(int cores)
{
    return cores < 2 ? 0 : cores % 2 ? cores : cores - 1;
}

SERVET__DEF int servet_pairs_round(servet_pair *pair, int cores, int round)
{
    const int turn = cores % 2 ? cores : cores - 1;     /* places on the circle; with an odd number one core rests */
    int i, n = 0;
    if (!pair || cores < 2 || round < 0 || round >= turn) return SERVET_EINVAL;
    for (i = cores % 2; i <= turn / 2; i++) {
        int a = (round + i) % turn, b = i == 0 ? turn : (round + turn - i) % turn;
        pair[n].a = a < b ? a : b;
        pair[n++].b = a < b ? b : a;
    }
    return n;
}

SERVET__DEF int servet_pairs_sharing(int *shared, const double *both_ns, int cores, double alone_ns, double ratio)
{
    int a, b, pairs = 0;
    if (!shared || !both_ns || cores < 1 || !(alone_ns > 0) || !(ratio >= 0)) return SERVET_EINVAL;
    if (!(ratio > 0)) ratio = 2;
    for (a = 0; a < cores; a++)
        for (b = a; b < cores; b++) {
            int yes = a != b && both_ns[a * cores + b] / alone_ns > ratio;
            shared[a * cores + b] = shared[b * cores + a] = yes ? 0 : -1;
            pairs += yes;
        }
    return pairs;
}

SERVET__DEF int servet_pairs_overheads(double *bandwidth, int cap, int *level, const double *both, int cores,
                                       double reference, double similar_frac, double less_frac)
{
    int a, b, i, n = 0;
    if (!bandwidth || !level || !both || cap < 0 || cores < 1 || !(reference > 0)) return SERVET_EINVAL;
    if (!(similar_frac >= 0 && similar_frac < 1) || !(less_frac >= 0 && less_frac < 1)) return SERVET_EINVAL;
    if (!(similar_frac > 0)) similar_frac = 0.1;
    for (a = 0; a < cores; a++) {
        level[a * cores + a] = -1;
        for (b = a + 1; b < cores; b++) {
            double here = both[a * cores + b];
            level[a * cores + b] = level[b * cores + a] = -1;
            if (!(here < reference * (1 - less_frac))) continue;
            for (i = 0; i < n && !(fabs(here - bandwidth[i]) <= similar_frac * bandwidth[i]); i++) { }
            if (i == n) {
                if (n == cap) return SERVET_ESPACE;
                bandwidth[n++] = here;
            }
            level[a * cores + b] = level[b * cores + a] = i;
        }
    }
    return n;
}

SERVET__DEF int servet_pairs_groups(int *group, const int *level, int cores, int which)
{
    int i, j, groups = 0, moved;
    if (!group || !level || cores < 1 || which < 0) return SERVET_EINVAL;
    for (i = 0; i < cores; i++) group[i] = -1;
    for (i = 0; i < cores; i++) {
        if (group[i] >= 0) continue;
        for (j = 0; j < cores && level[i * cores + j] != which; j++) { }
        if (j == cores) continue;
        group[i] = groups;
        do {
            int a, b;
            moved = 0;
            for (a = 0; a < cores; a++)
                for (b = 0; b < cores && group[a] == groups; b++)
                    if (level[a * cores + b] == which && group[b] < 0) {
                        group[b] = groups;
                        moved = 1;
                    }
        } while (moved);
        groups++;
    }
    return groups;
}

#endif

SERVET__DEF int servet_pairs_cores_at(int a, int b)
{
    return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b;
}
#if SERVET_HAS(CORES)

/* The costs of all pairs as a matrix, for servet_pairs_layers.
 *   ns      count x count out, row-major and symmetric; 0, a hole, where a pair is not sound, and on the diagonal
 *   kind    SERVET_HANDOFF_*
 * Returns the number of sound pairs; EINVAL. */
SERVET__PRIVATE int servet__pairs_cores_matrix(double *ns, const servet_cores *c, int kind)
{
    int a, b, sound = 0;
    if (!ns || !c || c->count < 1 || c->count > SERVET_CORES_MAX || kind < 0 || kind >= SERVET_HANDOFF_KINDS)
        return SERVET_EINVAL;
    for (b = 0; b < c->count; b++) {
        ns[b * c->count + b] = 0;
        for (a = 0; a < b; a++) {
            const int at = servet_pairs_cores_at(a, b), good = c->state[at] == SERVET_CORES_SOUND;
            ns[a * c->count + b] = ns[b * c->count + a] = good ? (double)c->ns[kind][at] : 0;
            sound += good;
        }
    }
    return sound;
}

SERVET__PRIVATE size_t servet__cores_work_bytes(int cores)
{
    if (cores < 1 || cores > SERVET_CORES_MAX) return 0;
    return servet__pairs_work_bytes(cores) + (size_t)cores * (size_t)cores * sizeof(double);
}

SERVET__PRIVATE int servet__cores_layers_in(servet_layers *out, const servet_cores *c, int kind, void *work)
{
    double *ns = (double *)work;
    int status;
    if (!out || !work) return SERVET_EINVAL;
    status = servet__pairs_cores_matrix(ns, c, kind);
    if (status < 0) return status;
    return servet__pairs_layers_in(out, ns, c->count, ns + (size_t)c->count * (size_t)c->count);
}

SERVET__DEF int servet_pairs_cores_layers(servet_layers *out, const servet_cores *c, int kind)
{
    const size_t bytes = c ? servet__cores_work_bytes(c->count) : 0;
    void *work = bytes > 0 ? malloc(bytes) : NULL;
    const int status = bytes > 0 && !work ? SERVET_ENOMEM : servet__cores_layers_in(out, c, kind, work);
    free(work);
    return status;
}

/* Siblings share what adds, so each has half of it, a little more where one leaves gaps; two cores of one clock and
 * power budget lose less than a sixth. */
SERVET__DEF int servet_pairs_cores_siblings(int16_t *group, const servet_cores *c)
{
    int i, j, groups = 0, decided = 0, lead[SERVET_CORES_MAX];
    if (!group || !c || c->count < 1 || c->count > SERVET_CORES_MAX || c->siblings < 0
        || c->siblings > SERVET_CORES_MAX) return SERVET_EINVAL;
    for (i = 0; i < c->count; i++) lead[i] = i;
    for (i = 0; i < c->siblings; i++) {
        const servet_sibling *s = &c->sibling[i];
        const double speed = (double)s->speed_frac;
        if (s->a < 0 || s->b < 0 || s->a >= c->count || s->b >= c->count || s->a == s->b) return SERVET_EINVAL;
        if (speed >= 0.4 && speed <= 0.75) {
            const int to = lead[s->a] < lead[s->b] ? lead[s->a] : lead[s->b];
            const int from = lead[s->a] < lead[s->b] ? lead[s->b] : lead[s->a];
            for (j = 0; j < c->count; j++) if (lead[j] == from) lead[j] = to;
        } else if (!(speed >= 0.85)) return SERVET_EUNRESOLVED;
        decided++;
    }
    if (!decided) return SERVET_EUNRESOLVED;
    for (i = 0; i < c->count; i++) {
        int mates = 0;
        for (j = 0; j < c->count; j++) mates += lead[j] == lead[i];
        group[i] = (int16_t)(mates == 1 ? -1 : lead[i] == i ? groups++ : group[lead[i]]);
    }
    return groups;
}

#if !defined(SERVET_PURE_ONLY)
/* How far CPUs are from each other.
 *
 * Quantity   latency of a line from one CPU to another, half of a round trip, for each pair.
 * Model      disturbance only adds: a take of a pair is its latency, or more; the CPUs of two groups are equally far
 *            from each other, up to a fifth.
 * Estimator  the lower quartile of a take's samples; of takes, the lowest cluster that repeats.  A pair is sound where
 *            takes agree, or one undisturbed take agrees with the median of the pairs of the same two groups.
 * Fooled by  a neighbour that is in all takes; a host that moves virtual CPUs; lines homed at a far node.
 * References core-to-core-latency and its matrices (tests/data/c2c); tournaments by the circle method. */

/* Half of the interval of a take whose lines are alike; and of one that can be believed at all: where a guest's memory
 * is on two sockets that it cannot tell apart, some lines cost nearly twice what others do. */
#define SERVET__CORES_ALIKE  0.25
#define SERVET__CORES_SPREAD 0.6

/* What a take said of a pair. */
typedef struct servet__cores_take {
    float ns[SERVET_HANDOFF_KINDS], half_frac[SERVET_HANDOFF_KINDS];
    float home_frac;
    unsigned char clean, alone;
} servet__cores_take;

typedef struct servet__cores_block { int key, at; float ns; } servet__cores_block;

typedef struct servet__cores_run {
    const servet_machine *m;
    servet_cores *c;
    servet_cores_opts o;
    int    pairs;               /* of all CPUs                                                       */
    servet__watch watch;
    uint64_t seed;
    servet__cores_take *take;   /* o.takes of each pair                                              */
    unsigned char *takes;       /* made of each pair                                                 */
    unsigned char *again;       /* 1 = to be measured again                                          */
    unsigned char *known;       /* 2 = takes confirm each other, 1 = one clean take                  */
    unsigned char *seen;        /* SERVET__CORES_*, two bits for each kind                           */
    servet_sample *sample;      /* of a take of a round: rounds x pairs, for each kind and home       */
    int   *cpu;                 /* of the pairs of a round                                           */
    int   *list;
    float *home;
    servet__cores_block *block;
    servet_layers *layers;
    void  *work;
} servet__cores_run;

SERVET__PRIVATE int servet__cores_over(servet__cores_run *r, double done_frac)
{
    return r->c->stopped = servet__watch_over(&r->watch, done_frac);
}

/* The lower quartile of a pair's samples with one kind and home, clean ones if there are three; half the width of its
 * interval, as a part of it.  Returns 1 if they were clean. */
SERVET__PRIVATE int servet__cores_quartile(const servet_sample *s, int rounds, int pairs, double anchor, double *ns,
                                           double *half_frac)
{
    double x[SERVET_SAMPLES_MAX], scratch[SERVET_SAMPLES_MAX];
    const int least = rounds < 3 ? rounds : 3;
    servet_summary sum;
    size_t n = 0;
    int i, clean;
    for (i = 0; i < rounds; i++)
        if (!s[i * pairs].flags && !(s[i * pairs].anchor_cycles > anchor) && s[i * pairs].ns > 0)
            x[n++] = s[i * pairs].ns;
    clean = n >= (size_t)least;
    for (n = clean ? n : 0, i = 0; !clean && i < rounds; i++) if (s[i * pairs].ns > 0) x[n++] = s[i * pairs].ns;
    if (servet_stats_summarise(&sum, x, n, scratch) < 0) return -1;
    *ns = sum.q25;
    *half_frac = (sum.hi - sum.lo) / 2 / sum.q25;
    return clean;
}

/* What the samples of a round say of its i-th pair.  A reference chain that took a quarter longer than is usual for
 * this pair was disturbed, and its sample may have been. */
SERVET__PRIVATE int servet__cores_reduce(const servet__cores_run *r, int pairs, int i, servet__cores_take *take)
{
    enum { SERVET__ALL = 2 * SERVET_HANDOFF_KINDS };
    const size_t part = (size_t)r->o.rounds * (size_t)pairs;
    double anchor[SERVET__ALL * SERVET_SAMPLES_MAX], limit = HUGE_VAL, ns[2], half[2];
    size_t n = 0;
    int set, k, kind, home;
    memset(take, 0, sizeof *take);
    for (set = 0; set < SERVET__ALL; set++)
        for (k = 0; k < r->o.rounds; k++) {
            const double a = r->sample[(size_t)set * part + (size_t)(k * pairs + i)].anchor_cycles;
            if (a > 0) anchor[n++] = a;
        }
    servet_stats_sort(anchor, n);
    if (n) limit = 1.25 * servet_stats_quantile(anchor, n, 0.5);
    take->clean = 1;
    for (kind = 0; kind < SERVET_HANDOFF_KINDS; kind++) {
        int clean[2];
        for (home = 0; home < 2; home++) {
            clean[home] = servet__cores_quartile(r->sample + (size_t)(2 * kind + home) * part + i, r->o.rounds, pairs,
                                                 limit, &ns[home], &half[home]);
            if (clean[home] < 0) return 0;
        }
        home = ns[1] < ns[0];
        take->ns[kind] = (float)ns[home];
        take->half_frac[kind] = (float)half[home];
        take->clean = (unsigned char)(take->clean && clean[home] && half[home] < SERVET__CORES_SPREAD);
        if (kind == SERVET_HANDOFF_FLAGS) take->home_frac = (float)(ns[!home] / ns[home] - 1);
    }
    return 1;
}

/* Measures pairs at the same time: both kinds, lines at either CPU.  Where it was too disturbed to end, no take. */
SERVET__PRIVATE int servet__cores_measure(servet__cores_run *r, const servet_pair *pair, int pairs, int alone)
{
    const size_t part = (size_t)r->o.rounds * (size_t)pairs;
    servet_handoff q;
    int i, set, status;
    memset(&q, 0, sizeof q);
    for (i = 0; i < pairs; i++) {
        r->cpu[2 * i] = r->c->cpu[pair[i].a];
        r->cpu[2 * i + 1] = r->c->cpu[pair[i].b];
    }
    q.cpu = r->cpu;
    q.pairs = pairs;
    q.rounds = r->o.rounds;
    q.effort = r->o.effort;
    for (set = 0; set < 2 * SERVET_HANDOFF_KINDS; set++) {
        q.kind = set / 2;
        q.home = set % 2;
        q.seed = servet_stats_random(&r->seed);
        status = r->m->handoff(r->m->ctx, &q, r->sample + (size_t)set * part);
        if (status == SERVET_ENOISE) return SERVET_OK;
        if (status < 0) return status;
        r->c->taken += q.rounds * pairs;
    }
    for (i = 0; i < pairs; i++) {
        const int at = servet_pairs_cores_at(pair[i].a, pair[i].b);
        servet__cores_take take;
        if (r->takes[at] >= r->o.takes || !servet__cores_reduce(r, pairs, i, &take)) continue;
        take.alone = (unsigned char)alone;
        r->take[at * r->o.takes + r->takes[at]++] = take;
        r->c->alone += alone;
    }
    return SERVET_OK;
}

/* Do two costs agree?  Within a tenth, or within what is not known of them. */
SERVET__PRIVATE int servet__cores_agree(double a, double b, double half_frac)
{
    return fabs(a - b) <= servet__max(0.1, servet__min(half_frac, 0.2)) * servet__min(a, b);
}

/* The cost of a pair by its takes: the lowest quartile of those that agree with the lowest of them, as nothing makes a
 * line faster than it is.  One that no other comes near to is no foundation: those above it count if they are three, as
 * do takes whose own samples are far apart.
 * Returns 2 where takes confirm each other and one of them was clean, 1 for one clean take, else 0. */
SERVET__PRIVATE int servet__cores_settle(const servet__cores_run *r, int at, int kind, int *moved)
{
    const servet__cores_take *take = r->take + at * r->o.takes;
    const int n = r->takes[at];
    double ns[16], half[16], x;
    int clean[16], from, to = 0, i, j, found = -1, any;
    servet_cores *c = r->c;
    *moved = 0;
    for (i = 0; i < n; i++) {    /* ascending */
        for (j = i; j > 0 && ns[j - 1] > (double)take[i].ns[kind]; j--) {
            ns[j] = ns[j - 1];
            half[j] = half[j - 1];
            clean[j] = clean[j - 1];
        }
        ns[j] = (double)take[i].ns[kind];
        half[j] = (double)take[i].half_frac[kind];
        clean[j] = take[i].clean;
    }
    if (n == 0) return 0;
    for (from = 0; from < n; from = to) {
        for (any = 0, to = from; to < n && servet__cores_agree(ns[from], ns[to], half[from] + half[to]); to++)
            any += clean[to];
        if (any == 0 || to - from < ((found < 0 && from > 0) || half[from] > SERVET__CORES_ALIKE ? 3 : 2)) continue;
        if (found < 0) {
            found = from;
            x = servet_stats_quantile(ns + from, (size_t)(to - from), 0.25);
            c->ns[kind][at] = (float)x;
            x = servet__max(half[from], (from > 0 ? x - ns[0] : ns[to - 1] - ns[from]) / (from > 0 ? x : 2 * x));
            c->doubt_permille[kind][at] = (uint16_t)servet__min(65534, ceil(1000 * x));
        } else if (any >= 2) *moved = 1;
    }
    if (found >= 0) {
        *moved |= found > 0;
        return 2;
    }
    c->ns[kind][at] = (float)ns[0];
    c->doubt_permille[kind][at] = 65535;
    if (n == 1 && clean[0]) c->doubt_permille[kind][at] = (uint16_t)servet__min(65534, ceil(1000 * half[0]));
    return n == 1 && clean[0];
}

SERVET__PRIVATE int servet__cores_by_key(const void *a, const void *b)
{
    const servet__cores_block *x = (const servet__cores_block *)a, *y = (const servet__cores_block *)b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

SERVET__PRIVATE int servet__cores_by_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Which pairs should cost the same: those whose CPUs are of the same two groups.  A pair of two CPUs that no others
 * are like is compared with all of its layer. */
SERVET__PRIVATE int servet__cores_key(const servet_layers *l, int a, int b, int by_layer)
{
    int layer = 0, x, y;
    while (layer < l->count && (l->group[layer][a] < 0 || l->group[layer][a] != l->group[layer][b])) layer++;
    if (by_layer) return layer;
    x = layer == 0 || l->group[layer - 1][a] < 0 ? SERVET_CORES_MAX + a : l->group[layer - 1][a];
    y = layer == 0 || l->group[layer - 1][b] < 0 ? SERVET_CORES_MAX + b : l->group[layer - 1][b];
    if (layer == 0) x = y = l->count ? l->group[0][a] : 0;
    else if (l->group[layer - 1][a] < 0 && l->group[layer - 1][b] < 0) x = y = 2 * SERVET_CORES_MAX;
    return (layer * 1024 + (x < y ? x : y)) * 1024 + (x < y ? y : x);
}

enum { SERVET__CORES_LIKE = 1, SERVET__CORES_ODD = 2 };    /* bits: there was something to compare with; it differs */

/* Compares known pairs with the others of their block: odd is one that differs by more than a fifth, and by more than
 * four standard deviations as the median deviation tells them. */
SERVET__PRIVATE void servet__cores_compare(servet__cores_run *r, int kind, int by_layer)
{
    servet_cores *c = r->c;
    double dev[128];
    int a, b, n = 0, from, to, i;
    for (b = 1; b < c->count; b++)
        for (a = 0; a < b; a++) {
            const int at = servet_pairs_cores_at(a, b);
            if (!r->known[at] || (by_layer && (r->seen[at] >> 2 * kind & SERVET__CORES_LIKE))) continue;
            r->block[n].key = servet__cores_key(r->layers, a, b, by_layer);
            r->block[n].ns = c->ns[kind][at];
            r->block[n++].at = at;
        }
    qsort(r->block, (size_t)n, sizeof *r->block, servet__cores_by_key);
    for (from = 0; from < n; from = to) {
        double median, sigma;
        size_t k = 0;
        for (to = from; to < n && r->block[to].key == r->block[from].key; to++) { }
        if (to - from < 4) continue;
        median = (double)r->block[from + (to - from) / 2].ns;
        for (i = 0; i < to - from && i < 128; i++)    /* evenly over large blocks */
            dev[k++] = fabs((double)r->block[from + (to - from <= 128 ? i : i * (to - from) / 128)].ns - median);
        servet_stats_sort(dev, k);
        sigma = 1.4826 * servet_stats_quantile(dev, k, 0.5);
        for (i = from; i < to; i++) {
            const double off = fabs((double)r->block[i].ns - median);
            const int verdict = off > servet__max(0.2 * median, 4 * sigma) ? SERVET__CORES_LIKE | SERVET__CORES_ODD
                                                                           : SERVET__CORES_LIKE;
            r->seen[r->block[i].at] = (unsigned char)(r->seen[r->block[i].at] | verdict << 2 * kind);
        }
    }
}

/* Where most CPUs are in groups of a layer, two that are in none, though in the same group outside of it, may be mates
 * whose only take was slowed to what is usual there: nothing but their missing group tells. */
SERVET__PRIVATE void servet__cores_missing(servet__cores_run *r)
{
    const servet_layers *l = r->layers;
    int layer, a, b, grouped;
    for (layer = 0; layer < l->count; layer++) {
        for (grouped = a = 0; a < l->cores; a++) grouped += l->group[layer][a] >= 0;
        if (2 * grouped < l->cores || grouped == l->cores) continue;
        for (b = 1; b < l->cores; b++)
            for (a = 0; a < b; a++) {
                const int at = servet_pairs_cores_at(a, b);
                if (l->group[layer][a] >= 0 || l->group[layer][b] >= 0 || r->takes[at] != 1) continue;
                if (layer + 1 < l->count && l->group[layer + 1][a] != l->group[layer + 1][b]) continue;
                r->seen[at] |= SERVET__CORES_ODD;
            }
    }
}

/* States of all pairs, and which are to be measured again.  Returns how many are. */
SERVET__PRIVATE int servet__cores_judge(servet__cores_run *r)
{
    const int same = SERVET__CORES_LIKE * 5, differs = SERVET__CORES_ODD * 5;   /* by either kind */
    servet_cores *c = r->c;
    int at, k, moved, wanted = 0, layers = 0, homes = 0;
    c->sound = c->contaminated = c->moved = 0;
    memset(r->seen, 0, (size_t)r->pairs);
    for (at = 0; at < r->pairs; at++) {
        int best = 2, any = 0;
        for (k = 0; k < SERVET_HANDOFF_KINDS; k++) {
            const int s = servet__cores_settle(r, at, k, &moved);
            best = s < best ? s : best;
            any |= moved;
        }
        r->known[at] = (unsigned char)best;
        c->state[at] = (unsigned char)(best ? SERVET_CORES_SOUND : SERVET_CORES_CONTAMINATED);
        if (best == 2) c->moved += any;
    }
    if (c->count > 3) layers = servet__cores_layers_in(r->layers, c, SERVET_HANDOFF_FLAGS, r->work);
    if (layers < 0 || c->count <= 3) memset(r->layers, 0, sizeof *r->layers);
    for (k = 0; k < SERVET_HANDOFF_KINDS && c->count > 3; k++) {
        servet__cores_compare(r, k, 0);
        servet__cores_compare(r, k, 1);
    }
    if (layers > 0) servet__cores_missing(r);
    for (at = 0; at < r->pairs; at++) {
        const servet__cores_take *take = r->take + at * r->o.takes;
        const int odd = r->seen[at] & differs, like = (r->seen[at] & same) == same;
        float home = take[0].home_frac;    /* of the take with least: lines that are far are far in all */
        int alone = 0;
        for (k = 0; k < r->takes[at]; k++) {
            alone += take[k].alone;
            if (take[k].home_frac < home) home = take[k].home_frac;
        }
        c->state[at] = SERVET_CORES_CONTAMINATED;
        if (r->takes[at] == 0) c->state[at] = SERVET_CORES_UNMEASURED;
        else if (r->known[at] == 2 && (!odd || alone > 1 || r->takes[at] > 3)) c->state[at] = SERVET_CORES_SOUND;
        else if (r->known[at] == 1 && like && !odd) c->state[at] = SERVET_CORES_SOUND;
        c->sound += c->state[at] == SERVET_CORES_SOUND;
        c->contaminated += c->state[at] == SERVET_CORES_CONTAMINATED;
        r->again[at] = (unsigned char)(c->state[at] != SERVET_CORES_SOUND && r->takes[at] < r->o.takes);
        wanted += r->again[at];
        if (c->state[at] == SERVET_CORES_SOUND) r->home[homes++] = home;
    }
    if (homes > 0) {
        qsort(r->home, (size_t)homes, sizeof *r->home, servet__cores_by_float);
        c->home_frac = (double)r->home[(homes - 1) * 9 / 10];
    }
    return wanted;
}

/* Measures what is to be measured again: alone, where there is time to do it twice; else pairs that have no CPU in
 * common at the same time. */
SERVET__PRIVATE int servet__cores_again(servet__cores_run *r, int wanted)
{
    servet_cores *c = r->c;
    const double begun = r->m->seconds(r->m->ctx);
    unsigned char busy[SERVET_CORES_MAX];
    int i, j, a, b, status, done = 0, crowd = 0;
    for (i = 0; i < r->pairs; i++) r->list[i] = i;
    for (i = 0; i < r->pairs; i++) {
        j = i + (int)servet_stats_random_below(&r->seed, (size_t)(r->pairs - i));
        a = r->list[i];
        r->list[i] = r->list[j];
        r->list[j] = a;
    }
    while (done < wanted) {
        servet_pair pair[SERVET_CORES_MAX / 2];
        int pairs = 0;
        memset(busy, 0, sizeof busy);
        for (i = 0; i < r->pairs && pairs < (crowd ? c->count / 2 : 1); i++) {
            const int at = r->list[i];
            if (!r->again[at]) continue;
            for (b = 1; (b + 1) * b / 2 <= at; b++) { }
            a = at - b * (b - 1) / 2;
            if (busy[a] || busy[b]) continue;
            busy[a] = busy[b] = 1;
            r->again[at] = 0;
            pair[pairs].a = a;
            pair[pairs++].b = b;
        }
        if (pairs == 0) break;
        if ((status = servet__cores_measure(r, pair, pairs, pairs == 1)) < 0) return status;
        done += pairs;
        if (servet__cores_over(r, 0.9)) break;
        if (!crowd && done == 8) {
            const double now = r->m->seconds(r->m->ctx);
            crowd = (now - begun) / done * 2 * wanted > r->o.run.budget_s - servet__watch_used(&r->watch);
        }
    }
    return SERVET_OK;
}

/* Times of a pair's adds: of each alone, of each together. */
enum { SERVET__ADD_TRIES = 8, SERVET__ADD_TIMES = 4 };
typedef struct servet__adds {
    double ns[SERVET__ADD_TIMES][SERVET__ADD_TRIES];
    size_t n[SERVET__ADD_TIMES];
    double lowest[SERVET__ADD_TIMES];
    int    agreed;
} servet__adds;

/* How fast the two CPUs of pairs add together, against alone; pairs are of different groups, tested at the same time.
 * Times as low as two tries tell them, as a neighbour may have been at work in any. */
SERVET__PRIVATE int servet__cores_add(servet__cores_run *r, const servet_pair *pair, int pairs)
{
    servet_cores *c = r->c;
    servet__adds *add = (servet__adds *)calloc((size_t)pairs, sizeof *add);
    servet_sample *s = (servet_sample *)calloc((size_t)(2 * pairs * r->o.rounds), sizeof *s);
    servet_operate q;
    int list[SERVET_CORES_MAX], t, k, i, j, n = pairs, status = add && s ? SERVET_OK : SERVET_ENOMEM;
    memset(&q, 0, sizeof q);
    q.operation = SERVET_OPERATE_ADD;
    q.rounds = r->o.rounds;
    q.effort = r->o.effort;
    q.cpu = r->cpu;
    for (t = 0; status >= 0 && t < SERVET__ADD_TRIES && n > 0; t++) {
        for (n = i = 0; i < pairs; i++) if (!add[i].agreed) list[n++] = i;
        for (k = 0; status >= 0 && n > 0 && k < 3; k++) {    /* the first ones, the second ones, both */
            q.cpus = k < 2 ? n : 2 * n;
            for (i = 0; i < n; i++) {
                r->cpu[i] = c->cpu[k == 1 ? pair[list[i]].b : pair[list[i]].a];
                if (k == 2) r->cpu[n + i] = c->cpu[pair[list[i]].b];
            }
            q.seed = servet_stats_random(&r->seed);
            status = r->m->operate(r->m->ctx, &q, s);
            for (i = 0; status >= 0 && i < q.cpus; i++) {
                servet__adds *x = &add[list[i % n]];
                double ns = 0, half;
                if (servet__cores_quartile(s + i, q.rounds, q.cpus, HUGE_VAL, &ns, &half) < 0) continue;
                j = k < 2 ? k : 2 + i / n;
                x->ns[j][x->n[j]++] = ns;
            }
            if (status == SERVET_ENOISE) status = SERVET_OK;
        }
        for (i = 0; i < n; i++) {
            servet__adds *x = &add[list[i]];
            for (x->agreed = 1, j = 0; j < SERVET__ADD_TIMES; j++) {
                size_t at = 0;    /* the lowest that another comes near to */
                servet_stats_sort(x->ns[j], x->n[j]);
                while (at + 1 < x->n[j] && !(x->ns[j][at + 1] < 1.1 * x->ns[j][at])) at++;
                x->agreed &= at + 1 < x->n[j];
                if (at + 1 < x->n[j]) x->lowest[j] = x->ns[j][at];
            }
            /* none is faster beside another than alone */
            for (j = 0; j < 2 && x->agreed; j++) x->agreed = x->lowest[j] < 1.15 * x->lowest[j + 2];
        }
    }
    for (i = 0; status >= 0 && i < pairs && c->siblings < SERVET_CORES_MAX; i++) {
        const servet__adds *x = &add[i];
        servet_sibling *out = &c->sibling[c->siblings];
        if (!x->agreed) continue;
        out->a = (int16_t)(pair[i].a < pair[i].b ? pair[i].a : pair[i].b);
        out->b = (int16_t)(pair[i].a < pair[i].b ? pair[i].b : pair[i].a);
        out->speed_frac = (float)((x->lowest[0] / x->lowest[2] + x->lowest[1] / x->lowest[3]) / 2);
        c->siblings++;
    }
    free(add);
    free(s);
    return status == SERVET_EUNSUPPORTED ? (int)SERVET_OK : status;
}

/* Tests the first CPU of each innermost group with its others; of a large group two.  Where there are no groups, the
 * nearest two CPUs. */
SERVET__PRIVATE int servet__cores_threads(servet__cores_run *r)
{
    enum { SERVET__THREADS = 8 };
    servet_cores *c = r->c;
    const servet_layers *l = r->layers;
    servet_pair pair[SERVET_CORES_MAX / 2];
    int g, i, t, pairs, status = SERVET_OK;
    if (!r->m->operate) return SERVET_OK;
    /* of the states as they are now */
    if (c->count > 3 && servet__cores_layers_in(r->layers, c, SERVET_HANDOFF_FLAGS, r->work) < 0)
        memset(r->layers, 0, sizeof *r->layers);
    if (l->count == 0) {
        float least = 0;
        for (pairs = 0, g = 1; g < c->count; g++)
            for (i = 0; i < g; i++) {
                const float ns = c->ns[SERVET_HANDOFF_FLAGS][servet_pairs_cores_at(i, g)];
                if (!(ns > 0) || (pairs && ns >= least)) continue;
                least = ns;
                pair[0].a = i;
                pair[0].b = g;
                pairs = 1;
            }
        return pairs ? servet__cores_add(r, pair, pairs) : (int)SERVET_OK;
    }
    for (t = 1; status >= 0 && t < SERVET__THREADS; t++) {
        for (pairs = g = 0; g < l->layer[0].groups; g++) {
            int size = 0, first = -1, mate = -1, last = -1;
            for (i = 0; i < c->count; i++) {
                if (l->group[0][i] != g) continue;
                if (size == 0) first = i;
                if (size == t) mate = i;
                size++;
                last = i;
            }
            if (size > SERVET__THREADS && t > 1) mate = t == 2 ? last : -1;
            if (mate < 0) continue;
            pair[pairs].a = first;
            pair[pairs++].b = mate;
        }
        if (pairs == 0 || servet__cores_over(r, 0.95)) break;
        status = servet__cores_add(r, pair, pairs);
    }
    return status;
}

SERVET__PRIVATE int servet__cores_resolve(servet_cores_opts *o, const servet_cores_opts *opts)
{
    memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->rounds == 0) o->rounds = 5;
    if (o->takes == 0) o->takes = 8;
    if (o->run.budget_s == 0) o->run.budget_s = 10;
    if (o->effort == 0) o->effort = 1;
    if (o->rounds < 1 || o->rounds > SERVET_SAMPLES_MAX || o->takes < 2 || o->takes > 16 || !(o->run.budget_s > 0)
        || !(o->effort >= 0.05 && o->effort <= 20)) return SERVET_EINVAL;
    return SERVET_OK;
}

/* The CPUs to measure: all, or sixteen runs of neighbours.  Runs keep small groups whole, whose CPUs have neighbouring
 * numbers or are half of the machine apart: the k-th run and the k+8-th are that. */
SERVET__PRIVATE void servet__cores_choose(servet_cores *c, const int *cpu, int cpus)
{
    enum { SERVET__RUNS = 16, SERVET__RUN = SERVET_CORES_MAX / SERVET__RUNS };
    int i;
    c->of = cpus;
    c->count = cpus < SERVET_CORES_MAX ? cpus : SERVET_CORES_MAX;
    for (i = 0; i < c->count; i++)
        c->cpu[i] = cpus <= SERVET_CORES_MAX ? cpu[i]
                  : cpu[(int)((int64_t)(i / SERVET__RUN) * cpus / SERVET__RUNS) + i % SERVET__RUN];
}

SERVET__PRIVATE int servet__cores_tournaments(servet__cores_run *r)
{
    servet_cores *c = r->c;
    const int rounds = servet_pairs_rounds(c->count), both = 2;
    servet_pair pair[SERVET_CORES_MAX / 2];
    int order[SERVET_CORES_MAX], round, i, j, pairs, status;
    for (i = 0; i < c->count; i++) order[i] = i;
    for (c->passes = 0; c->passes < both && !c->stopped; ) {
        if (c->passes && servet__watch_used(&r->watch) > r->o.run.budget_s / 3) break;
        for (i = 0; i < c->count; i++) {
            const int t = order[i];
            j = i + (int)servet_stats_random_below(&r->seed, (size_t)(c->count - i));
            order[i] = order[j];
            order[j] = t;
        }
        c->passes++;
        for (round = 0; round < rounds; round++) {
            pairs = servet_pairs_round(pair, c->count, round);
            for (i = 0; i < pairs; i++) {
                pair[i].a = order[pair[i].a];
                pair[i].b = order[pair[i].b];
            }
            if ((status = servet__cores_measure(r, pair, pairs, 0)) < 0) return status;
            if (servet__cores_over(r, 0.8 * (c->passes - 1 + (round + 1.0) / rounds) / both)) break;
        }
    }
    return SERVET_OK;
}

SERVET__DEF int servet_pairs_latency(servet_cores *out, const servet_machine *m, const int *cpu, int cpus,
                                     const servet_cores_opts *opts)
{
    servet__cores_run r;
    int i, j, wanted, status = SERVET_OK;
    size_t pairs, count;
    memset(&r, 0, sizeof r);
    if (!out || !m || !cpu || cpus < 2 || cpus > 64 * SERVET_CPU_WORDS || servet__cores_resolve(&r.o, opts) < 0)
        return SERVET_EINVAL;
    for (i = 0; i < cpus; i++) for (j = 0; j < i; j++) if (cpu[i] == cpu[j]) return SERVET_EINVAL;
    if (!m->handoff || !m->seconds) return SERVET_EUNSUPPORTED;
    count = (size_t)(cpus < SERVET_CORES_MAX ? cpus : SERVET_CORES_MAX);
    pairs = count * (count - 1) / 2;
    r.m = m;
    r.pairs = (int)pairs;
    r.seed = r.o.run.seed;
    servet__watch_begin(&r.watch, m, &r.o.run);
    r.c = (servet_cores *)calloc(1, sizeof *r.c);
    r.take = (servet__cores_take *)calloc(pairs * (size_t)r.o.takes, sizeof *r.take);
    r.takes = (unsigned char *)calloc(pairs, 4);
    r.sample = (servet_sample *)calloc(2 * (size_t)SERVET_HANDOFF_KINDS * (size_t)r.o.rounds * (count / 2),
                                       sizeof *r.sample);
    r.cpu = (int *)calloc(count, sizeof *r.cpu);
    r.list = (int *)calloc(pairs, sizeof *r.list);
    r.home = (float *)calloc(pairs, sizeof *r.home);
    r.block = (servet__cores_block *)calloc(pairs, sizeof *r.block);
    r.layers = (servet_layers *)calloc(1, sizeof *r.layers);
    r.work = malloc(servet__cores_work_bytes((int)count));
    if (!r.c || !r.take || !r.takes || !r.sample || !r.cpu || !r.list || !r.home || !r.block || !r.layers || !r.work)
        status = SERVET_ENOMEM;
    if (status >= 0) {
        r.again = r.takes + pairs;
        r.known = r.again + pairs;
        r.seen = r.known + pairs;
        servet__cores_choose(r.c, cpu, cpus);
        status = servet__cores_tournaments(&r);
    }
    for (i = 0; status >= 0; i++) {
        if ((wanted = servet__cores_judge(&r)) == 0 || r.c->stopped || i == r.o.takes) break;
        status = servet__cores_again(&r, wanted);
    }
    if (status >= 0 && !r.c->stopped) status = servet__cores_threads(&r);
    if (status >= 0 && r.c->sound + r.c->contaminated == 0) status = r.c->stopped ? SERVET_ESTOPPED : SERVET_ENOISE;
    if (status >= 0) {
        r.c->seconds = servet__watch_elapsed(&r.watch);
        *out = *r.c;
        status = out->sound;
    }
    free(r.work);
    free(r.layers);
    free(r.block);
    free(r.home);
    free(r.list);
    free(r.cpu);
    free(r.sample);
    free(r.takes);
    free(r.take);
    free(r.c);
    return status;
}
#endif

/* Who shares a cache.
 *
 * Quantity   the partition of CPUs into those that share one cache of a level.
 * Model      n CPUs that share a cache of C bytes and walk over F each miss as one CPU does over n F: their latency is
 *            t_hit + (t_next - t_hit) m(n F / C), m the miss rate of the level's policy.  So a CPU is slowed beside
 *            others by r = t(n F) / t(F), if n F > C >= F, and not at all if they are apart.
 * Estimator  normal errors of log ratios x of unknown size: l = n/2 log(sum x^2 / sum (x - log r)^2), above 0 for
 *            sharing.  Each CPU's time beside all of a set is compared with its own beside a part of it, in turns.
 * Fooled by  strangers who use the cache as well: what two that share evict of each other's they may not have had.
 * References Gonzalez-Dominguez et al., Servet (2010), Figure 5, for pairs at two thirds of the size; sets that are
 *            tested as one and taken apart where they fail: R. Dorfman, The detection of defective members of large
 *            populations, 1943. */

/* Latency over so many bytes for a CPU that has so many of a level. */
SERVET__PRIVATE double servet__share_ns(const servet_level *level, double next_ns, double bytes, double has_bytes,
                                        double page_bytes)
{
    const int ways = level->ways > 0 ? level->ways : 8;
    const int policy = level->policy != SERVET_POLICY_UNKNOWN ? level->policy : (int)SERVET_POLICY_LRU;
    const int placement = level->placement != SERVET_PLACEMENT_UNKNOWN ? level->placement
                        : level->level == 1 ? (int)SERVET_PLACEMENT_EVEN : (int)SERVET_PLACEMENT_RANDOM;
    return level->latency_ns + (next_ns - level->latency_ns)
         * servet__fit_miss_rate(bytes / page_bytes, has_bytes / page_bytes, ways, policy, placement);
}

/* What sharing a cache does to two CPUs that fill most of it each.
 *   level      bytes, latency_ns, ways, policy, placement; what is not known is taken as 8 ways, LRU, RANDOM
 *   next_ns    latency of what is behind it
 *   frac       footprint of each, as a share of the level
 *   own_bytes  what a second CPU adds to what fits: its private levels, if this one is exclusive; else 0
 * Latency with twice the footprint over latency with one, by servet__fit_miss_rate.  0 for bad arguments. */
SERVET__PRIVATE double servet__pairs_predict(const servet_level *level, double next_ns, double frac, double own_bytes,
                                             double page_bytes)
{
    if (!level || !(level->bytes > 0) || !(level->latency_ns > 0) || !(next_ns >= level->latency_ns) || !(frac > 0)
        || !(own_bytes >= 0) || !(page_bytes > 0) || !servet__finite(next_ns)) return 0;
    return servet__share_ns(level, next_ns, 2 * frac * level->bytes, level->bytes + own_bytes, page_bytes)
         / servet__share_ns(level, next_ns, frac * level->bytes, level->bytes, page_bytes);
}

/* Does a CPU share with others, from repeated tests and the ratio predicted if it does.
 *   ratio      n of them, at most 64: its time beside the others over its time without; those beyond what sharing
 *              predicts count as that, those below 1 as 1, so that a disturbance weighs no more than an honest test
 *   predicted  above 1.02: what sharing would give, from the miss rates of the policy found
 *   llr        NULL or the log likelihood ratio out, above 0 for sharing
 *   llr_limit  0 = 4.6: wrong once in 100
 * Errors are at least 1 %: each hypothesis takes the size that suits it best.
 * 1 = shared, 0 = not, EUNRESOLVED while |llr| is below the limit or fewer than 3 ratios are there. */
SERVET__PRIVATE int servet__pairs_compare(double *llr, const double *ratio, int n, double predicted, double llr_limit)
{
    enum { SERVET__MOST = 64, SERVET__FEWEST = 3 };
    double apart = 0, sharing = 0, l;
    int i;
    if (!ratio || n < 0 || n > SERVET__MOST || !(llr_limit >= 0) || !(predicted > 1.02) || !servet__finite(predicted))
        return SERVET_EINVAL;
    if (!(llr_limit > 0)) llr_limit = 4.6;
    for (i = 0; i < n; i++) {
        double x;
        if (!(ratio[i] > 0)) return SERVET_EINVAL;
        x = log(servet__min(servet__max(ratio[i], 1), predicted));
        apart += x * x + SERVET__GROUPS_FLOOR * SERVET__GROUPS_FLOOR;
        x -= log(predicted);
        sharing += x * x + SERVET__GROUPS_FLOOR * SERVET__GROUPS_FLOOR;
    }
    l = n > 0 ? 0.5 * n * log(apart / sharing) : 0;
    if (llr) *llr = l;
    return n < SERVET__FEWEST || fabs(l) < llr_limit ? (int)SERVET_EUNRESOLVED : l > 0;
}

/* Votes of a victim between hits and misses.  One counts where the victim had its footprint in the level before and
 * after; wrong one time in ten, four more of one kind than of the other mislead once in 6500. */
SERVET__PRIVATE double servet__sharing_votes(const servet_sharing_test *t, const servet_sharing_sample *x)
{
    int r, more = 0;
    for (r = 0; r < t->rounds; r++) {
        const servet_sharing_sample *s = &x[r * t->cpus];
        if ((double)s->alone_ns < t->limit_ns) more += (double)s->beside_ns > t->limit_ns ? 1 : -1;
    }
    return more * log(9.0);
}

/* Log likelihood ratio that a CPU of a test is slowed by the others.
 *   x   samples of the test; of two CPUs the lesser ratio counts for both: who shares slows the other, and what
 *       disturbs a round counts once.  Of many that may share in any way some are in the same part at times: the
 *       lowest of a CPU's own times is what it takes alone. */
SERVET__PRIVATE double servet__sharing_llr(const servet_sharing_test *t, const servet_sharing_sample *x, int member)
{
    double ratio[64], llr = 0, alone = HUGE_VAL;
    int r, k, n = 0;
    for (r = 0; r < t->rounds; r++) alone = servet__min(alone, (double)x[r * t->cpus + member].alone_ns);
    if (t->limit_ns > 0) return member == 0 || t->cpus == 2 ? servet__sharing_votes(t, x) : 0;
    for (r = 0; r < t->rounds && n < 64; r++) {
        double least = HUGE_VAL;
        for (k = 0; k < t->cpus; k++) {
            const servet_sharing_sample *s = &x[r * t->cpus + k];
            const double own = t->cpus > 2 && t->need == 2 ? alone : (double)s->alone_ns;
            if ((k == member || t->cpus == 2) && own > 0)
                least = servet__min(least, (double)s->beside_ns / own / t->calm);
        }
        if (least > 0 && servet__finite(least)) ratio[n++] = least;
    }
    return servet__pairs_compare(&llr, ratio, n, t->expected, t->llr) < 0 ? 0 : llr;
}

/* Evidence about two CPUs, or two groups by their first CPUs, for and against sharing, and the largest footprints. */
typedef struct servet__relation {
    float llr[2], bytes[2];                         /* for, against: neither is below 0               */
    int   tested;                                   /* tests of these two alone                       */
} servet__relation;

typedef struct servet__relations {
    servet__relation pair[SERVET_CORES_PAIRS];
    int   first[SERVET_CORES_MAX];                  /* CPU of the group of each                       */
    double own[SERVET_CORES_MAX];                   /* of a test: log likelihood ratios, 0 = undecided */
} servet__relations;

/* Log likelihood ratios of a test's CPUs, as far as they are decided; returns how many are slowed. */
SERVET__PRIVATE int servet__sharing_read(double *own, const servet_sharing *s, const servet_sharing_test *t)
{
    int i, slowed = 0;
    for (i = 0; i < t->cpus; i++) {
        own[i] = servet__sharing_llr(t, &s->sample[t->first], i);
        if (!(fabs(own[i]) >= t->llr) || (own[i] < 0 && t->one_sided)) own[i] = 0;
        slowed += own[i] > 0;
    }
    return slowed;
}

/* Adds evidence of two CPUs, against sharing below 0. */
SERVET__PRIVATE void servet__sharing_add(servet__relations *r, int a, int b, double llr, double bytes)
{
    servet__relation *p = &r->pair[servet_pairs_cores_at(a, b)];
    const int against = llr < 0;
    p->llr[against] += (float)fabs(llr);
    if (bytes > (double)p->bytes[against]) p->bytes[against] = (float)bytes;
}

/* Log likelihood ratio of two.  That they spare each other proves nothing if they evict each other over more: the level
 * is larger than was thought. */
SERVET__PRIVATE double servet__sharing_of(const servet__relations *r, int a, int b)
{
    const servet__relation *p = &r->pair[servet_pairs_cores_at(a, b)];
    const int larger = (double)p->bytes[0] > 1.2 * (double)p->bytes[1];
    return (double)p->llr[0] - (larger ? 0 : (double)p->llr[1]);
}

/* CPUs slowed where more than half of the set must share for it are of one group, as no two groups are that large. */
SERVET__PRIVATE void servet__sharing_for(servet__relations *r, const servet_sharing *s, const servet_sharing_test *t)
{
    const servet_sharing_sample *x = &s->sample[t->first];
    const int slowed = servet__sharing_read(r->own, s, t);
    int i, lead = -1;
    if (t->cpus == 2) r->pair[servet_pairs_cores_at(x[0].cpu, x[1].cpu)].tested++;
    if (2 * t->need <= t->cpus || slowed < t->need) return;
    for (i = 0; i < t->cpus; i++) {
        if (!(r->own[i] > 0)) continue;
        if (lead < 0) lead = i;
        else servet__sharing_add(r, x[lead].cpu, x[i].cpu, servet__min(r->own[lead], r->own[i]), t->bytes);
    }
}

/* A CPU that is spared shares with none of the set if two suffice, else with none of those slowed. */
SERVET__PRIVATE void servet__sharing_against(servet__relations *r, const servet_sharing *s,
                                             const servet_sharing_test *t)
{
    const servet_sharing_sample *x = &s->sample[t->first];
    const int slowed = servet__sharing_read(r->own, s, t);
    int i, j;
    for (i = 0; i < t->cpus; i++)
        for (j = 0; r->own[i] < 0 && j < t->cpus; j++) {
            if (j == i || (j < i && r->own[j] < 0)) continue;    /* itself, and what was counted */
            if (t->need > 2 && (slowed < t->need || !(r->own[j] > 0))) continue;
            servet__sharing_add(r, x[i].cpu, x[j].cpu, r->own[i], t->bytes);
        }
}

/* The second group becomes part of the first. */
SERVET__PRIVATE void servet__sharing_merge(servet__relations *r, int cpus, int to, int from)
{
    int i, k;
    for (i = 0; i < cpus; i++) if (r->first[i] == from) r->first[i] = to;
    for (i = 0; i < cpus; i++) {
        servet__relation *p, *q;
        if (r->first[i] != i || i == to) continue;
        p = &r->pair[servet_pairs_cores_at(i, to)];
        q = &r->pair[servet_pairs_cores_at(i, from)];
        for (k = 0; k < 2; k++) {
            p->llr[k] += q->llr[k];
            if (q->bytes[k] > p->bytes[k]) p->bytes[k] = q->bytes[k];
        }
        p->tested += q->tested;
    }
}

/* Joins groups, those with most evidence first. */
SERVET__PRIVATE void servet__sharing_join(servet__relations *r, int cpus)
{
    int a, b, to, from = 0;
    for (a = 0; a < cpus; a++) r->first[a] = a;
    while (from >= 0) {
        double best = 0;
        for (to = from = -1, b = 1; b < cpus; b++)
            for (a = 0; a < b && r->first[b] == b; a++) {
                const double x = r->first[a] == a ? servet__sharing_of(r, a, b) : 0;
                if (!(x > best)) continue;
                best = x;
                to = a;
                from = b;
            }
        if (from >= 0) servet__sharing_merge(r, cpus, to, from);
    }
}

/* Two first CPUs of which no test decides: of tests that contradict each other little is left. */
SERVET__PRIVATE int servet__sharing_open(const servet__relations *r, int a, int b)
{
    return fabs(servet__sharing_of(r, a, b)) < 4.6 / 2;
}

/* CPUs that belong nowhere: not told from an earlier group, though tested, or from any that was not.  And a CPU slowed
 * by many of which none shares with it. */
SERVET__PRIVATE void servet__sharing_doubt(servet__relations *r, const servet_sharing *s, int level, char *unknown)
{
    int a, b, i, j, k;
    memset(unknown, 0, SERVET_CORES_MAX);
    for (b = 1; b < s->cpus; b++)
        for (a = 0; a < b; a++) {
            if (r->first[a] != a || r->first[b] != b || !servet__sharing_open(r, a, b)) continue;
            unknown[b] = 1;
            if (!r->pair[servet_pairs_cores_at(a, b)].tested) unknown[a] = 1;
        }
    for (k = 0; k < s->tests; k++) {
        const servet_sharing_test *t = &s->test[k];
        const servet_sharing_sample *x = &s->sample[t->first];
        if (t->level != level || t->cpus < 3 || t->need > 2) continue;
        servet__sharing_read(r->own, s, t);
        for (i = 0; i < t->cpus; i++) {
            const int first = r->first[x[i].cpu];
            int others = 0;
            if (!(r->own[i] > 0)) continue;
            for (j = 0; j < t->cpus; j++) others += j != i && r->first[x[j].cpu] == first;
            for (j = 0; j < s->cpus && !(t->limit_ns > 0); j++) others += j != x[i].cpu && r->first[j] == first;
            if (others == 0) unknown[first] = 1;
        }
    }
}

/* How sure groups are: the least of a CPU's tests that say so, or of its group's. */
SERVET__PRIVATE void servet__sharing_sure(servet__relations *r, const servet_sharing *s, int level, double *llr)
{
    double group[SERVET_CORES_MAX];
    int members[SERVET_CORES_MAX], i, k;
    for (i = 0; i < s->cpus; i++) llr[i] = group[i] = 0;
    for (k = 0; k < s->tests; k++) {
        const servet_sharing_test *t = &s->test[k];
        const servet_sharing_sample *x = &s->sample[t->first];
        if (t->level != level) continue;
        servet__sharing_read(r->own, s, t);
        memset(members, 0, sizeof members);
        for (i = 0; i < t->cpus; i++) members[r->first[x[i].cpu]]++;
        for (i = 0; i < t->cpus; i++) {
            const int cpu = x[i].cpu, first = r->first[cpu];
            const double sure = fabs(r->own[i]);
            if (!(sure > 0) || (r->own[i] > 0) != (members[first] >= t->need)) continue;
            llr[cpu] = llr[cpu] > 0 ? servet__min(llr[cpu], sure) : sure;
            group[first] = group[first] > 0 ? servet__min(group[first], sure) : sure;
        }
    }
    for (i = 0; i < s->cpus; i++) if (!(llr[i] > 0)) llr[i] = group[r->first[i]];
}

/* The pair to test next, none more than three times: the first CPU that is not placed yet, and of the group that a CPU
 * joined last. */
SERVET__PRIVATE int servet__sharing_next(const servet__relations *r, int cpus, servet_pair *next)
{
    int last[SERVET_CORES_MAX], a, b;
    for (b = 0; b < cpus; b++) {
        int best = -1;
        for (a = 0; a < b && r->first[b] == b; a++)
            if (r->first[a] == a && servet__sharing_open(r, a, b) && r->pair[servet_pairs_cores_at(a, b)].tested < 3
                && (best < 0 || last[a] > last[best])) best = a;
        last[r->first[b]] = b;
        if (best < 0) continue;
        next->a = best;
        next->b = b;
        return 1;
    }
    return 0;
}

/* Groups of a level from its samples.
 *   first   NULL, or of each CPU out: the first of its group, whether or not that is told from all others
 *   next    NULL, or the pair to test next out
 * Returns 1 where there is a next pair, 0, ENOMEM. */
SERVET__PRIVATE int servet__sharing_infer(servet_sharing *s, int level, int *first, servet_pair *next)
{
    servet__relations *r = (servet__relations *)calloc(1, sizeof *r);
    servet_sharing_level *l = &s->level[level];
    char unknown[SERVET_CORES_MAX];
    int i, k, more;
    if (!r) return SERVET_ENOMEM;
    for (k = 0; k < s->tests; k++) if (s->test[k].level == level) servet__sharing_for(r, s, &s->test[k]);
    for (k = 0; k < s->tests; k++) if (s->test[k].level == level) servet__sharing_against(r, s, &s->test[k]);
    servet__sharing_join(r, s->cpus);
    more = next ? servet__sharing_next(r, s->cpus, next) : 0;
    servet__sharing_doubt(r, s, level, unknown);
    servet__sharing_sure(r, s, level, l->llr);
    for (l->groups = l->unknown = i = 0; i < s->cpus; i++) {
        k = r->first[i];
        l->group[i] = (int16_t)(unknown[k] ? -1 : k < i ? l->group[k] : l->groups++);
        l->unknown += l->group[i] < 0;
        if (l->group[i] < 0) l->llr[i] = 0;
        if (first) first[i] = k;
    }
    free(r);
    return more;
}

/* Figure 5: who is slowed beyond the ratio asked for shares, and pairs are joined. */
SERVET__PRIVATE int servet__sharing_paper(servet_sharing *s, int level)
{
    const size_t n = (size_t)s->cpus;
    double *both = (double *)calloc(n * n, sizeof *both);
    int *shared = (int *)calloc(n * n, sizeof *shared), group[SERVET_CORES_MAX], i, groups;
    for (i = 0; both && shared && i < s->tests; i++) {
        const servet_sharing_sample *x = &s->sample[s->test[i].first];
        const int a = x[0].cpu < x[1].cpu ? x[0].cpu : x[1].cpu, b = x[0].cpu + x[1].cpu - a;
        if (s->test[i].level == level) both[a * s->cpus + b] = (double)x[0].beside_ns / (double)x[0].alone_ns;
    }
    if (both && shared && servet_pairs_sharing(shared, both, s->cpus, 1, s->level[level].predicted) >= 0) {
        groups = servet_pairs_groups(group, shared, s->cpus, 0);
        for (i = 0; i < s->cpus; i++) s->level[level].group[i] = (int16_t)(group[i] < 0 ? groups++ : group[i]);
        s->level[level].groups = groups;
        s->level[level].unknown = 0;
    }
    i = both && shared ? (int)SERVET_OK : (int)SERVET_ENOMEM;
    free(both);
    free(shared);
    return i;
}

/* Who shares which level, from the samples alone: group, groups, unknown and llr of all levels that have tests; what
 * others state, as read from a file without samples, stays.  A CPU slowed as expected in a set of which more than half
 * must share to be slowed shares with the others slowed; one not slowed shares with none of a set of which two suffice.
 * Groups are joined, those with most evidence first, while the sum over their members is for it.  A CPU that no test
 * tells from an earlier group is unknown.  Returns the number of levels; EINVAL, ENOMEM. */
SERVET__PRIVATE int servet__sharing_levels(servet_sharing *s)
{
    int i, k, status = SERVET_OK;
    if (!s || s->cpus < 1 || s->cpus > SERVET_CORES_MAX || s->count < 0 || s->count > SERVET_LEVELS_MAX
        || s->tests < 0 || s->tests > SERVET_SHARING_TESTS) return SERVET_EINVAL;
    for (i = 0; status >= 0 && i < s->count; i++) {
        for (k = 0; k < s->tests && s->test[k].level != i; k++) { }
        if (k < s->tests) status = s->paper ? servet__sharing_paper(s, i) : servet__sharing_infer(s, i, NULL, NULL);
    }
    return status < 0 ? status : s->count;
}

#if !defined(SERVET_PURE_ONLY)

enum {
    SERVET__SHARE_SMALL = 16384,    /* what a CPU chases over that shall be no burden                */
    SERVET__SHARE_FEW = 8,          /* CPUs of which all pairs may be tested, where only loads decide */
    SERVET__SHARE_OWN = 32,         /* so many at once are a part each; of more a few are together   */
    SERVET__SHARE_ROUNDS = 16       /* of a question to many                                         */
};

/* Who shares: under way.  place, set, test: the question; CPUs of a set are in a row. */
typedef struct servet__share {
    servet_sharing *out;
    servet_sharing_level *l;
    servet_level level;
    double next_ns, next_bytes, memory_ns, own_bytes;     /* behind it; next_bytes 0 = memory        */
    const servet_machine *m;
    servet_sharing_opts o;
    uint64_t seed;
    servet__watch watch;
    double frac, limit, asked;          /* ratio that is asked for                                   */
    int    loads;                       /* 1 = only loads show who is apart                          */
    int    first[SERVET_CORES_MAX];     /* of each CPU: the first of its group, by what is known     */
    double ns[SERVET_CORES_MAX];        /* of the last chase, by place in out->cpu                   */
    double quiet[SERVET_CORES_MAX];     /* reference chains undisturbed                              */
    int    count, sets, parts;          /* parts of each set that use the level in turns             */
    int    place[SERVET_CORES_MAX], set[SERVET_CORES_MAX];
    servet_sharing_test test[SERVET_CORES_MAX];
} servet__share;

/* Is it over?  Asked before each chase. */
SERVET__PRIVATE int servet__share_over(servet__share *t)
{
    const double part = t->l ? 1 - exp(-t->l->tests / (2.0 * t->out->cpus)) : 0;    /* how many follow is not known */
    return t->out->stopped = servet__watch_over(&t->watch, (t->out->count + part) / (t->out->count + 1));
}

/* Chases of some CPUs at once over so many bytes each; t->ns.  Again while one of a few is disturbed. */
SERVET__PRIVATE int servet__share_chase(servet__share *t, const int *place, int count, const double *bytes)
{
    enum { SERVET__FEW = 4 };
    int cpu[SERVET_CORES_MAX], i, tries, status;
    size_t n[SERVET_CORES_MAX];
    servet_sample s[SERVET_CORES_MAX];
    servet_chase_opts chase;
    memset(&chase, 0, sizeof chase);
    chase.line_bytes = t->o.line_bytes;
    chase.page_bytes = (int)t->o.page_bytes;
    chase.effort = t->o.effort;
    chase.in_place = t->next_bytes > 0;     /* what misses alone already would tell of the level behind, too */
    for (i = 0; i < count; i++) {
        cpu[i] = t->out->cpu[place[i]];
        n[i] = (size_t)servet__max(bytes[i] / t->o.line_bytes, 1);
    }
    for (tries = 0; tries <= t->o.retakes; tries++) {
        int disturbed = 0;
        if (servet__share_over(t)) return SERVET_ESTOPPED;
        memset(s, 0, sizeof s);
        chase.seed = servet_stats_random(&t->seed);
        status = t->m->together(t->m->ctx, cpu, count, n, &chase, s);
        if (status < 0) return status;
        t->l->chases++;
        for (i = 0; i < count; i++) {
            double *quiet = &t->quiet[place[i]];
            if (!(s[i].ns > 0)) return SERVET_ENOISE;
            t->ns[place[i]] = s[i].ns;
            if (s[i].anchor_cycles > 0 && (!(*quiet > 0) || s[i].anchor_cycles < *quiet)) *quiet = s[i].anchor_cycles;
            disturbed |= s[i].flags || s[i].anchor_cycles > 1.03 * *quiet;
        }
        if (!disturbed || count > SERVET__FEW) break;
    }
    return SERVET_OK;
}

/* Keeps a test, x its samples. */
SERVET__PRIVATE int servet__share_keep(servet__share *t, servet_sharing_test *test, const servet_sharing_sample *x)
{
    servet_sharing *s = t->out;
    const int n = test->rounds * test->cpus;
    int i, decided = 0;
    if (s->tests == SERVET_SHARING_TESTS || s->samples + n > SERVET_SHARING_SAMPLES) {
        s->stopped = 1;
        return SERVET_ESTOPPED;
    }
    for (i = 0; i < test->cpus; i++) decided |= fabs(servet__sharing_llr(test, x, i)) >= test->llr;
    t->l->undecided += !decided;
    test->level = (int16_t)(t->l - s->level);
    test->one_sided = (int16_t)((t->level.effective && !(test->limit_ns > 0)) || t->sets > 1);
    test->first = s->samples;
    memcpy(&s->sample[s->samples], x, (size_t)n * sizeof *x);
    s->samples += n;
    s->test[s->tests++] = *test;
    return SERVET_OK;
}

/* A new question; and a set of it, each CPU over a share of the level. */
SERVET__PRIVATE void servet__share_begin(servet__share *t, int parts)
{
    t->count = t->sets = 0;
    t->parts = parts;
}

SERVET__PRIVATE servet_sharing_test *servet__share_add(servet__share *t, const int *place, int count, double frac)
{
    servet_sharing_test *test = &t->test[t->sets];
    int i;
    memset(test, 0, sizeof *test);
    test->cpus = (int16_t)count;
    test->need = 2;
    test->bytes = frac * t->level.bytes;
    test->expected = t->asked;
    test->calm = 1;
    test->llr = t->limit;
    for (i = 0; i < count; i++) {
        t->place[t->count] = place[i];
        t->set[t->count++] = t->sets;
    }
    t->sets++;
    return test;
}

/* A round: each part of a set uses the level by itself, and all at once, each set with a random one of these first.
 * Parts are drawn so that no two of many are in the same one in more than one round of `parts`, a prime: with the i-th
 * CPU at row u and column v of a table as wide, in round r it is in part v + r u. */
SERVET__PRIVATE int servet__share_round(servet__share *t, int round, servet_sharing_sample *x)
{
    const double small = servet__min(SERVET__SHARE_SMALL, t->level.bytes / 64);    /* of several together, too */
    const int turns = t->parts + 1;
    int start[SERVET_CORES_MAX], phase[SERVET_CORES_MAX], turn, i, k, status;
    double bytes[SERVET_CORES_MAX];
    for (i = 0; i < t->sets; i++) start[i] = (int)servet_stats_random_below(&t->seed, (size_t)turns);
    for (turn = 0; turn < turns; turn++) {
        for (k = i = 0; i < t->count; i++) {
            const int part = (k % t->parts + round * (k / t->parts)) % t->parts;
            phase[i] = (turn + start[t->set[i]]) % turns;
            if (phase[i] < t->parts && phase[i] != part) phase[i] = -1;
            bytes[i] = phase[i] < 0 ? small : t->test[t->set[i]].bytes;
            k = i + 1 < t->count && t->set[i + 1] == t->set[i] ? k + 1 : 0;
        }
        if ((status = servet__share_chase(t, t->place, t->count, bytes)) < 0) return status;
        for (i = 0; i < t->count; i++) {
            x[i].cpu = (int16_t)t->place[i];
            if (phase[i] == t->parts) x[i].beside_ns = (float)t->ns[t->place[i]];
            else if (phase[i] >= 0) x[i].alone_ns = (float)t->ns[t->place[i]];
        }
    }
    return SERVET_OK;
}

/* Asks the question, in as many rounds as it takes to decide of all CPUs; all sets are kept as tests. */
SERVET__PRIVATE int servet__share_ask(servet__share *t)
{
    const int most = t->count == 2 || t->o.ratios_max < SERVET__SHARE_ROUNDS ? t->o.ratios_max : SERVET__SHARE_ROUNDS;
    servet_sharing_sample *x, *own;    /* of each set in a row: most rounds of its CPUs */
    servet_sharing_sample now[SERVET_CORES_MAX];
    const int least = t->sets > 1 ? 6 : 1;    /* sets that share with each other may be in step for some rounds */
    int r, i, k, from, left = t->sets, status = SERVET_OK;
    if (t->count == 0) return SERVET_OK;
    x = (servet_sharing_sample *)calloc((size_t)(t->count * most), sizeof *x);
    if (!x) return SERVET_ENOMEM;
    for (r = 0; (left > 0 || r < least) && r < most && (status = servet__share_round(t, r, now)) >= 0; r++)
        for (left = from = i = 0; i < t->sets; from += t->test[i++].cpus) {
            servet_sharing_test *test = &t->test[i];
            int open = 0;
            own = &x[from * most];
            memcpy(&own[r * test->cpus], &now[from], (size_t)test->cpus * sizeof *own);
            test->rounds = (int16_t)(r + 1);
            for (k = 0; k < test->cpus; k++) open += fabs(servet__sharing_llr(test, own, k)) < test->llr;
            left += open > (test->cpus > 2 && test->need == 2 ? 2 : 0);    /* two are a pair to test */
        }
    if (t->count > 2) t->l->at_once++;
    else t->l->tests++;
    for (from = i = 0; status >= 0 && i < t->sets; from += t->test[i++].cpus)
        status = servet__share_keep(t, &t->test[i], &x[from * most]);
    free(x);
    return status;
}

/* Loads of others, the victim first.  From far more than the level holds, as fast as they can, or from almost nothing,
 * in turns: of a level that they share nothing is left to the victim, however much strangers have of it. */
SERVET__PRIVATE int servet__share_flood(servet__share *t, const int *place, int count)
{
    enum { SERVET__CALLS = 97, SERVET__PAIRED = SERVET__CALLS / 2 };
    const double most = 0.9 * t->m->bytes / count, large = servet__min(16 * t->level.bytes, most);
    servet_sharing_sample *x = (servet_sharing_sample *)calloc((size_t)(count * SERVET__PAIRED), sizeof *x);
    servet_stream load;
    servet_streams what;
    servet_stream_sample sample;
    servet_sharing_test *test;
    int cpu[SERVET_CORES_MAX], i, n, status = x ? (int)SERVET_OK : (int)SERVET_ENOMEM;
    double before = 0;
    memset(&load, 0, sizeof load);
    memset(&what, 0, sizeof what);
    for (i = 0; i < count; i++) cpu[i] = t->out->cpu[place[i]];
    what.stream = &load;
    what.streams = what.rounds = 1;
    what.cpu = cpu;
    what.cpus = count;
    what.effort = t->o.effort;
    what.chase_bytes = servet__min(t->frac * t->level.bytes,
                                   servet__max(sqrt(t->own_bytes * t->level.bytes), 1.5 * t->own_bytes));
    servet__share_begin(t, 2);
    test = servet__share_add(t, place, count, what.chase_bytes / t->level.bytes);
    test->limit_ns = sqrt(t->level.latency_ns * t->memory_ns);
    test->llr = 4 * log(9.0) - 0.01;    /* servet__sharing_votes */
    if (!(t->own_bytes > 0) || large < 2 * t->level.bytes || what.chase_bytes < 1.2 * t->own_bytes
        || !(test->limit_ns > 1.3 * t->level.latency_ns)) n = SERVET__CALLS;
    else n = 0;
    for (; status >= 0 && n < SERVET__CALLS && fabs(servet__sharing_llr(test, x, 0)) < test->llr; n++) {
        if (servet__share_over(t)) status = SERVET_ESTOPPED;
        what.bytes = n % 2 ? large : (double)SERVET__SHARE_SMALL;
        what.seed = servet_stats_random(&t->seed);
        if (status >= 0) status = t->m->bandwidth(t->m->ctx, &what, &sample);
        if (status < 0) break;
        t->l->chases++;
        if (n % 2) {
            for (i = 0; i < count; i++) x[n / 2 * count + i].cpu = (int16_t)place[i];
            x[n / 2 * count].beside_ns = (float)sample.chase_ns;
            continue;
        }
        if (n > 0) x[(n / 2 - 1) * count].alone_ns = (float)servet__max(before, sample.chase_ns);
        test->rounds = (int16_t)(n / 2);
        before = sample.chase_ns;
    }
    t->l->flooded++;
    if (test->rounds == 0) {    /* a test that cannot be made is undecided */
        for (i = 0; x && i < count; i++) x[i].cpu = (int16_t)place[i];
        test->rounds = 1;
    }
    if (status >= 0) status = servet__share_keep(t, test, x);
    free(x);
    return status;
}

SERVET__PRIVATE int servet__share_pair(servet__share *t, int a, int b)
{
    int place[2], status;
    place[0] = a;
    place[1] = b;
    if (t->loads) {    /* each as the victim of the other */
        status = servet__share_flood(t, place, 2);
        place[0] = b;
        place[1] = a;
        return status < 0 ? status : servet__share_flood(t, place, 2);
    }
    servet__share_begin(t, 2);
    servet__share_add(t, place, 2, t->frac);
    return servet__share_ask(t);
}

/* What the samples so far say: t->first, and the pair to test next. */
SERVET__PRIVATE int servet__share_infer(servet__share *t, servet_pair *next)
{
    return servet__sharing_infer(t->out, (int)(t->l - t->out->level), t->first, next);
}

/* One CPU of each group found so far; returns how many. */
SERVET__PRIVATE int servet__share_firsts(const servet__share *t, int *rep)
{
    int i, n = 0;
    for (i = 0; i < t->out->cpus; i++) if (t->first[i] == i) rep[n++] = i;
    return n;
}

/* Ratio of k CPUs if all share, each with own levels that an exclusive one does not repeat; and if two halves do, each
 * a cache of its own, that fill it as far as one half of those who share. */
SERVET__PRIVATE double servet__share_expected(const servet__share *t, int k)
{
    const double own = (k - 1) * t->own_bytes;
    const double near_ratio = servet__pairs_predict(&t->level, t->next_ns, t->frac, own, t->o.page_bytes);
    const double far_ratio = servet__pairs_predict(&t->level, t->memory_ns, t->frac, own, t->o.page_bytes);
    return k > 2 ? servet__min(near_ratio, far_ratio) : servet__min(servet__min(near_ratio, far_ratio), t->o.ratio);
}

SERVET__PRIVATE double servet__share_calm(const servet__share *t, int k)
{
    return k > 2 ? servet__pairs_predict(&t->level, t->next_ns, t->frac / 2, 0, t->o.page_bytes) : 1;
}

/* How many of so many may be tested as one set: a power of two, so that halves are equal.  Each must have more than its
 * own levels hold, and what they cost by sharing must be seen. */
SERVET__PRIVATE int servet__share_size(const servet__share *t, int members)
{
    int k = 2;
    while (2 * k <= members && 2 * t->frac / (2 * k) * t->level.bytes > 4 * t->own_bytes
           && servet__share_expected(t, 2 * k) / servet__share_calm(t, 2 * k) > 1.5) k *= 2;
    return k;
}

/* Members of an expected group that are not joined yet, if its last test did not fail. */
SERVET__PRIVATE int servet__share_members(const servet__share *t, const int16_t *candidate, int group, int *member)
{
    int i, n = 0;
    for (i = 0; i < t->out->cpus; i++) if (candidate[i] == group && t->first[i] == i) member[n++] = i;
    return n;
}

/* Each expected group, candidate, is tested as one set, all at once as far as memory allows; larger groups in several,
 * each with the group's first CPU and the last ones that are not joined to it yet, until one fails. */
SERVET__PRIVATE int servet__share_together(servet__share *t, const int16_t *candidate)
{
    int member[SERVET_CORES_MAX], place[SERVET_CORES_MAX], before[SERVET_CORES_MAX], g, i, m, k, left, status;
    const double bytes = 2 * t->frac * t->level.bytes;
    for (g = 0; g < t->out->cpus; g++) before[g] = SERVET_CORES_MAX + 1;
    do {
        servet__share_begin(t, 2);
        for (left = g = 0; g < t->out->cpus; g++) {
            servet_sharing_test *test;
            m = servet__share_members(t, candidate, g, member);
            k = servet__share_size(t, m);
            if (m < 2 || m == before[g] || !(servet__share_expected(t, k) > 1.05) || (left + 1) * bytes > t->m->bytes)
                continue;
            before[g] = m;
            place[0] = member[0];
            for (i = 1; i < k; i++) place[i] = member[m - k + i];
            test = servet__share_add(t, place, k, 2 * t->frac / k);
            test->need = (int16_t)(k / (2 * t->frac) + 1);
            test->calm = servet__share_calm(t, k);
            test->expected = servet__share_expected(t, k) / test->calm;
            left++;
        }
        if ((status = servet__share_ask(t)) < 0 || (status = servet__share_infer(t, NULL)) < 0) return status;
    } while (left);
    return SERVET_OK;
}

/* With which footprint many at once are told apart best: what they miss they may miss in the next level as well, if
 * they overflow that together.  calm is what that alone would do; returned is what sharing would do beyond that. */
SERVET__PRIVATE double servet__share_plan(const servet__share *t, int count, double *frac, double *calm)
{
    static const double part[] = { 0.2, 0.3, 0.4, 0.5, 0.6 };
    enum { SERVET__PARTS = 5 };
    double best = 0;
    int i;
    for (i = 0; i <= SERVET__PARTS; i++) {
        const double f = i < SERVET__PARTS ? part[i] : t->frac;
        const double shares = servet__pairs_predict(&t->level, t->next_ns, f, t->own_bytes, t->o.page_bytes);
        double alone = 1;
        if (t->next_bytes > 0 && count * f * t->level.bytes > 0.5 * t->next_bytes)
            alone = servet__share_ns(&t->level, t->memory_ns, f * t->level.bytes, t->level.bytes, t->o.page_bytes)
                  / servet__share_ns(&t->level, t->next_ns, f * t->level.bytes, t->level.bytes, t->o.page_bytes);
        if (shares / alone < best) continue;
        best = shares / alone;
        *frac = f;
        *calm = alone;
    }
    return best;
}

SERVET__PRIVATE int servet__share_prime(int n)
{
    int i;
    for (i = 2; i * i <= n && n % i; i++) { }
    return n > 1 && i * i > n;
}

/* One CPU of each group, all at once: who is spared shares with none of the others. */
SERVET__PRIVATE int servet__share_apart(servet__share *t, const int *rep, int reps)
{
    double frac = 0, calm = 1;
    const double expected = servet__min(servet__share_plan(t, reps, &frac, &calm), t->o.ratio);
    int place[SERVET_CORES_MAX], parts, i, j, status = SERVET_OK;
    for (i = 0; t->loads && status >= 0 && i < reps; i++) {    /* each as the victim of all others */
        for (j = 0; j < reps; j++) place[j] = rep[(i + j) % reps];
        status = servet__share_flood(t, place, reps);
    }
    if (t->loads || !(expected > 1.1) || reps * frac * t->level.bytes > t->m->bytes) return status;
    parts = reps;
    if (reps > SERVET__SHARE_OWN)    /* in fours, of a prime number of parts */
        for (parts = (reps + 3) / 4 | 1; !servet__share_prime(parts); parts += 2) { }
    servet__share_begin(t, parts);
    servet__share_add(t, rep, reps, frac);
    t->test[0].expected = expected;
    t->test[0].calm = calm;
    return servet__share_ask(t);
}

/* Who was slowed by many and shares with none found: pairs of those as if the level were twice as large, as it is for
 * some kinds of cores. */
SERVET__PRIVATE int servet__share_larger(servet__share *t)
{
    int rep[SERVET_CORES_MAX], n = 0, i, j, status;
    if (t->loads || (status = servet__share_infer(t, NULL)) < 0) return SERVET_OK;
    for (i = 0; i < t->out->cpus; i++) if (t->first[i] == i && t->l->group[i] < 0) rep[n++] = i;
    t->level.bytes *= 2;
    for (i = 1; status >= 0 && i < n && t->frac * t->level.bytes * 2 <= t->m->bytes; i++)
        for (j = 0; status >= 0 && j < i && t->first[rep[i]] == rep[i]; j++) {
            if (t->first[rep[j]] != rep[j]) continue;
            status = servet__share_pair(t, rep[j], rep[i]);
            if (status >= 0) status = servet__share_infer(t, NULL);
        }
    t->level.bytes /= 2;
    return status;
}

SERVET__PRIVATE int servet__share_level(servet__share *t)
{
    const servet_layers *layers = t->o.layers;
    int rep[SERVET_CORES_MAX], n, i, l = layers ? layers->count : 0, status = SERVET_OK;
    int16_t all[SERVET_CORES_MAX];
    servet_pair next;
    memset(all, 0, sizeof all);
    for (i = 0; i < t->out->cpus; i++) t->first[i] = i;
    t->limit = t->o.llr + log((double)t->out->cpus);
    if (t->loads && t->out->cpus <= SERVET__SHARE_FEW) l = -1;
    for (; status >= 0 && l >= 0; l--)
        status = servet__share_together(t, layers && l < layers->count ? layers->group[l] : all);
    if (status < 0) return status;
    n = servet__share_firsts(t, rep);
    if (n > 2 && (status = servet__share_apart(t, rep, n)) < 0) return status;
    while ((status = servet__share_infer(t, &next)) == 1)
        if ((status = servet__share_pair(t, next.a, next.b)) < 0) return status;
    return status < 0 ? status : servet__share_larger(t);
}

/* Figure 5: every pair over two thirds of the size at once, against one alone. */
SERVET__PRIVATE int servet__share_paper(servet__share *t)
{
    enum { SERVET__TIMES = 3 };     /* of which the middle counts: a disturbance doubles a time as well */
    const int cpus = t->out->cpus;
    double bytes[2], x[SERVET__TIMES], alone = 0;
    int a, b, k, place[2], status;
    servet_sharing_sample pair[2];
    memset(pair, 0, sizeof pair);
    bytes[0] = bytes[1] = t->frac * t->level.bytes;
    for (a = -1; a < cpus; a++)
        for (b = a < 0 ? 0 : a + 1; b < (a < 0 ? 1 : cpus); b++) {
            place[0] = a < 0 ? 0 : a;
            place[1] = b;
            for (k = 0; k < SERVET__TIMES; k++) {
                if ((status = servet__share_chase(t, place, a < 0 ? 1 : 2, bytes)) < 0) return status;
                x[k] = a < 0 ? t->ns[0] : (t->ns[place[0]] + t->ns[place[1]]) / 2;
            }
            servet_stats_sort(x, SERVET__TIMES);
            if (a < 0) {
                alone = x[SERVET__TIMES / 2];
                continue;
            }
            servet__share_begin(t, 2);
            servet__share_add(t, place, 2, t->frac)->rounds = 1;
            for (k = 0; k < 2; k++) {
                pair[k].cpu = (int16_t)place[k];
                pair[k].alone_ns = (float)alone;
                pair[k].beside_ns = (float)x[SERVET__TIMES / 2];
            }
            t->l->tests++;
            if ((status = servet__share_keep(t, t->test, pair)) < 0) return status;
            t->l->undecided = 0;
        }
    return servet__sharing_paper(t->out, (int)(t->l - t->out->level));
}

/* Is the level as large as it was found?  One CPU alone must be slower over twice the footprint, as two that share it
 * would be.  If surely not, it is larger now, or smaller where it is slow over the single footprint: by factors of 1.4,
 * up to 4 or down to a half.  1 = evictions would be seen with the footprint, 0 = with none. */
SERVET__PRIVATE int servet__share_fits(servet__share *t)
{
    const double between_ns = sqrt(t->level.latency_ns * t->next_ns);
    const int place = 0;
    double ratio[64], single[64], llr;
    int step, k, n, way = 0, status;
    for (step = 0; step < 5; step++) {
        int verdict = SERVET_EUNRESOLVED;
        for (n = 0; verdict == SERVET_EUNRESOLVED && n < (t->o.ratios_max + 3) / 4; n++) {
            double ns[2] = { 0, 0 };
            for (k = 0; k < 2; k++) {
                const int twice = k != n % 2;
                const double bytes = (1 + twice) * t->frac * t->level.bytes;
                if (bytes > t->m->bytes) return 0;
                status = servet__share_chase(t, &place, 1, &bytes);
                if (status < 0) return status;
                ns[twice] = t->ns[place];
            }
            single[n] = ns[0];
            ratio[n] = ns[1] / ns[0];
            verdict = servet__pairs_compare(&llr, ratio, n + 1, t->asked, t->o.llr);
        }
        if (verdict != 0) break;    /* not decided by so few: taken as it was found */
        servet_stats_sort(single, (size_t)n);
        k = servet_stats_quantile(single, (size_t)n, 0.25) > between_ns ? -1 : 1;
        if (way * k < 0 || step == (k > 0 ? 4 : 2)) return 0;
        way = k;
        t->level.bytes *= k > 0 ? sqrt(2.0) : sqrt(0.5);
    }
    t->l->footprint_bytes = t->frac * t->level.bytes;
    return 1;
}

SERVET__PRIVATE int servet__share_resolve(servet_sharing_opts *o, const servet_sharing_opts *opts)
{
    memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->ratio == 0) o->ratio = 2;
    if (o->llr == 0) o->llr = 4.6;
    if (o->ratios_max == 0) o->ratios_max = 32;
    if (o->page_bytes == 0) o->page_bytes = 4096;
    if (o->line_bytes == 0) o->line_bytes = SERVET__LINE_BYTES;
    if (o->run.budget_s == 0) o->run.budget_s = 10;
    if (o->effort == 0) o->effort = 1;
    o->retakes = o->retakes == 0 ? 1 : o->retakes < 0 ? 0 : o->retakes;
    if (!(o->ratio > 1) || !(o->llr > 0) || o->ratios_max < 3 || o->ratios_max > 64 || o->line_bytes < 16
        || !(o->page_bytes >= 1024 && o->page_bytes <= 1073741824) || !(o->run.budget_s > 0)
        || !(o->effort >= 0.05 && o->effort <= 20) || o->retakes > 100
        || !(o->footprint_frac >= 0 && o->footprint_frac < 1)) return SERVET_EINVAL;
    return SERVET_OK;
}

/* The i-th level: what it is, and what is behind it. */
SERVET__PRIVATE void servet__share_open(servet__share *t, const servet_levels *levels, int i)
{
    const int last = i + 1 == levels->count;
    servet_sharing_level *l = &t->out->level[i];
    int j;
    t->l = l;
    t->level = levels->level[i];
    /* What does not surely fit tells of the level behind. */
    if (!t->o.paper && t->level.lo_bytes > 0 && t->level.lo_bytes < t->level.bytes)
        t->level.bytes = servet__max(t->level.lo_bytes, 0.7 * t->level.bytes);
    t->next_ns = last ? levels->memory_ns : levels->level[i + 1].latency_ns;
    t->next_bytes = last ? 0 : levels->level[i + 1].bytes;
    t->memory_ns = servet__max(levels->memory_ns, t->next_ns);
    t->own_bytes = i > 0 ? levels->level[i - 1].bytes : 0;    /* were it exclusive */
    t->frac = t->o.footprint_frac > 0 ? t->o.footprint_frac : t->o.paper ? 2 / 3.0
            : t->level.placement == SERVET_PLACEMENT_EVEN || i == 0 ? 0.8 : 0.75;
    t->limit = t->o.llr;
    t->loads = !t->o.paper && t->level.effective && t->m->bandwidth;
    l->level = t->level.level;
    l->bytes = t->level.bytes;
    l->footprint_bytes = t->frac * l->bytes;
    l->predicted = t->o.paper ? t->o.ratio
                 : servet__pairs_predict(&t->level, t->next_ns, t->frac, t->own_bytes, t->o.page_bytes);
    t->asked = servet__min(l->predicted, t->o.ratio);
    l->unknown = t->out->cpus == 1 ? 0 : t->out->cpus;
    l->groups = t->out->cpus == 1;
    for (j = 0; j < t->out->cpus; j++) l->group[j] = (int16_t)(t->out->cpus == 1 ? 0 : -1);
}

/* Measures who shares it; l->status says where that cannot be. */
SERVET__PRIVATE int servet__share_measure(servet__share *t)
{
    servet_sharing_level *l = t->l;
    int fits = 1, status;
    if (!(l->bytes > 0) || !(l->predicted > 1.05)) l->status = SERVET_EUNRESOLVED;
    else if (t->out->cpus > 1 && t->m->bytes < 2 * l->footprint_bytes) l->status = SERVET_EUNSUPPORTED;
    if (t->out->cpus == 1 || l->status < 0) return SERVET_OK;
    if (t->o.paper) status = servet__share_paper(t);
    else {
        if (!t->loads) fits = servet__share_fits(t);
        status = fits > 0 ? servet__share_level(t) : fits;
        if (status >= 0 || status == SERVET_ESTOPPED) servet__share_infer(t, NULL);
    }
    if (fits == 0) l->status = SERVET_EUNRESOLVED;
    if (status == SERVET_ESTOPPED) l->status = status;
    return status;
}

SERVET__DEF int servet_pairs_shared(servet_sharing *out, const servet_machine *m, const servet_levels *levels,
                                    const int *cpu, int cpus, const servet_sharing_opts *opts)
{
    servet__share *t;
    servet_sharing *r;
    servet_sharing_opts o;
    int i, j, known = 0, status = SERVET_OK;
    if (!out || !m || !m->seconds || !levels || levels->count < 1 || levels->count > SERVET_LEVELS_MAX || !cpu
        || cpus < 1 || cpus > SERVET_CORES_MAX || servet__share_resolve(&o, opts) < 0
        || (o.layers && (o.layers->cores != cpus || o.layers->count < 0 || o.layers->count > SERVET_PAIRS_LAYERS)))
        return SERVET_EINVAL;
    for (i = 0; i < cpus; i++) for (j = 0; j < i; j++) if (cpu[i] == cpu[j]) return SERVET_EINVAL;
    if (!m->together) return SERVET_EUNSUPPORTED;
    t = (servet__share *)calloc(1, sizeof *t);
    r = (servet_sharing *)calloc(1, sizeof *r);
    if (!t || !r) status = SERVET_ENOMEM;
    if (status >= 0) {
        t->out = r;
        t->m = m;
        t->o = o;
        t->seed = o.run.seed;
        servet__watch_begin(&t->watch, m, &o.run);
        r->cpus = cpus;
        r->paper = o.paper != 0;
        memcpy(r->cpu, cpu, (size_t)cpus * sizeof *cpu);
    }
    for (i = 0; status >= 0 && i < levels->count; i++) {
        const double begun_s = m->seconds(m->ctx);
        servet__share_open(t, levels, i);
        status = servet__share_measure(t);
        known += t->l->unknown < cpus;
        t->l->seconds = m->seconds(m->ctx) - begun_s;
        r->count++;
    }
    if (status >= 0 || (status == SERVET_ESTOPPED && known > 0)) {
        r->seconds = servet__watch_elapsed(&t->watch);
        *out = *r;
        status = r->count;
    }
    free(t);
    free(r);
    return status;
}

#endif /* !SERVET_PURE_ONLY */

/* >>bandwidth (implementation) ---------------------------------------------------------------- */

/* Quantities: bytes per second that programs load and store, by kernel, level, number of CPUs and node; loads under
 * way; the size from which non-temporal stores win; who loses how much by streaming beside whom.
 * Models:
 *   saturation    1 / B(n)^p = 1 / (n B(1))^p + 1 / top^p; B(1), top and the corner p by least squares of log B
 *   chains        the same of the number of chains; loads under way = top x latency [Little]
 *   stores        log of non-temporal over regular bandwidth does not fall with size; where it crosses 0
 *   collision     gamma = 1 - B(all at once) / sum of B(each alone)
 * Estimators: a rate is that of the lower quartile of the time of clean samples, with the interval of its order
 * statistics; gamma the trimmed mean over rounds in which all sets were sampled beside each other.
 * Fooled by: neighbours at the same memory, who slow all of a round alike or some sets more than others (gamma is then
 * too large; rounds and the trimmed mean take what is rare); clocks that fall as more CPUs work, which look like
 * contention; a form of saturation that is not the machine's, which misfit_frac shows.
 * Who collides is decided from the samples in servet_contention.set alone, by servet__contention_infer; measuring asks
 * for the sets that are missing.
 * References: McCalpin's STREAM; Gonzalez-Dominguez et al., Servet, Figure 6 (pairs); P-Ray (effective bandwidth);
 * Yuen 1974 (trimmed means). */

/* Bytes that a kernel moves for one element of 8.
 *   streaming   its stores are non-temporal
 *   allocate    1 = count also the lines that a regular store must read before it can change a part of them: store 16
 *               for 8, copy and scale 24 for 16, triad 32 for 24; load, update and non-temporal stores none
 * 0 for a kernel that does not exist.  STREAM and most others count without; memory controllers count with. */
SERVET__PRIVATE int servet__bandwidth_count(int kernel, int streaming, int allocate)
{
    if (kernel < 0 || kernel >= SERVET_STREAM_KERNELS) return 0;
    return 8 * (servet__stream_kind[kernel].moves + (allocate && !streaming && servet__stream_kind[kernel].writes));
}

/* Rates, times and intervals of all points from their samples.  A rate is estimated by its inverse, the time. */
SERVET__PRIVATE void servet__bandwidth_estimate(servet_bandwidth *out)
{
    double time[SERVET_SAMPLES_MAX], mid, lo, hi;
    int i, j;
    for (i = 0; i < out->count; i++) {
        servet_bandwidth_point *p = &out->point[i];
        const double counted = servet__bandwidth_count(p->kernel, p->streaming, 0);
        for (p->noisy = 0, j = 0; j < p->samples; j++) {
            p->noisy += p->flags[j] != 0;
            time[j] = p->sample_bytes_per_s[j] > 0 ? 1 / p->sample_bytes_per_s[j] : (double)INFINITY;
        }
        servet__clean_quartile(&mid, &lo, &hi, time, p->flags, p->samples);
        p->bytes_per_s = mid > 0 ? 1 / mid : 0;
        p->lo_bytes_per_s = mid > 0 ? 1 / hi : 0;
        p->hi_bytes_per_s = mid > 0 ? 1 / lo : 0;
        p->allocate_bytes_per_s = p->bytes_per_s * servet__bandwidth_count(p->kernel, p->streaming, 1) / counted;
        servet__clean_quartile(&p->chase_ns, &p->lo_chase_ns, &p->hi_chase_ns, p->sample_chase_ns, p->flags,
                               p->chase_bytes > 0 ? p->samples : 0);
    }
}

/* The point of so many CPUs and bytes each, in local memory, without a chase.
 * NULL where there is none. */
SERVET__PRIVATE const servet_bandwidth_point *servet__bandwidth_find(const servet_bandwidth *b, int kernel,
                                                                            int streaming, int cpus, double bytes)
{
    int i;
    for (i = 0; i < b->count; i++) {
        const servet_bandwidth_point *p = &b->point[i];
        if (p->kernel == kernel && p->streaming == streaming && p->cpus == cpus && fabs(p->bytes - bytes) < 0.5
            && p->memory == SERVET_MEMORY_LOCAL && !(p->chase_bytes > 0)) return p;
    }
    return NULL;
}

/* In which order CPUs are to be added: the next is that of a core least used; then, if they are to be spread, of the
 * groups least used, the outermost first; else of the groups that come first.
 *   out       cpus positions out: a permutation of 0 .. cpus - 1
 *   group     group[l * cpus + i]: that of the i-th CPU at level l; the outermost level (socket) first, the last one
 *             the core, of which siblings are members;  NULL with levels 0 = each for itself
 *   spread    0 = fill a group before the next is begun, 1 = take groups in turn, at every level
 * One thread of each core comes first, all second ones after them. */
SERVET__PRIVATE int servet__bandwidth_order(int *out, const int *group, int levels, int cpus, int spread)
{
    int k, i, j, l;
    if (!out || cpus < 1 || cpus > 65536 || levels < 0 || levels > 16 || (levels > 0 && !group)) return SERVET_EINVAL;
    for (k = 0; k < cpus; k++) {
        int best = -1, best_key[20];
        for (i = 0; i < cpus; i++) {
            int key[20], keys = 0, taken = 0;
            for (j = 0; j < k; j++) taken |= out[j] == i;
            if (taken) continue;
            key[keys++] = 0;
            for (j = 0; levels > 0 && j < i; j++)   /* which thread of its core it is */
                key[0] += group[(levels - 1) * cpus + j] == group[(levels - 1) * cpus + i];
            for (l = 0; l < levels; l++) {
                int used = 0, first = i;
                for (j = 0; j < k; j++) used += group[l * cpus + out[j]] == group[l * cpus + i];
                for (j = 0; j < i && first == i; j++) if (group[l * cpus + j] == group[l * cpus + i]) first = j;
                key[keys++] = spread ? used : first;
            }
            for (l = 0; best >= 0 && l < keys && key[l] == best_key[l]; l++) { }
            if (best >= 0 && (l == keys || key[l] > best_key[l])) continue;
            best = i;
            memcpy(best_key, key, sizeof key);
        }
        out[k] = best;
    }
    return SERVET_OK;
}

/* log of the rate of n relative to that of one, for a knee and a sharpness. */
SERVET__PRIVATE double servet__saturate(double n, double knee, double p)
{
    return log(n) - log(1 + pow(n / knee, p)) / p;
}

/* Weighted residuals of a knee and a sharpness; log of the rate of one that fits best in *one. */
SERVET__PRIVATE double servet__saturation_misfit(const double *n, const double *rate, const double *weight,
                                                 size_t count, double knee, double p, double *one)
{
    double sum = 0, mean = 0, err = 0, r;
    size_t i;
    for (i = 0; i < count; i++) {
        sum += weight[i];
        mean += weight[i] * (log(rate[i]) - servet__saturate(n[i], knee, p));
    }
    *one = mean / sum;
    for (i = 0; i < count; i++) {
        r = log(rate[i]) - *one - servet__saturate(n[i], knee, p);
        err += weight[i] * r * r;
    }
    return err;
}

/* Smallest whole number with so much of the rate at the most. */
SERVET__PRIVATE int servet__saturation_enough(double knee, double p, double most, double share)
{
    const double want = servet__saturate(most, knee, p) + log(share);
    double lo = 1, hi = most;
    while (hi - lo > 0.5) {
        const double mid = floor((lo + hi) / 2);
        if (mid <= lo) return servet__saturate(lo, knee, p) >= want ? (int)lo : (int)ceil(hi);
        if (servet__saturate(mid, knee, p) >= want) hi = mid;
        else lo = mid;
    }
    return servet__saturate(lo, knee, p) >= want ? (int)lo : (int)ceil(hi);
}

/* How many saturate what they share.
 *   n, rate       counts ascending from 1 or more, each at most 65536, and their rates above 0, in any unit
 *   lo, hi        intervals of the rates; NULL = not known
 *   share_frac    of the best rate, for enough; 0 = 0.95
 * 1 / B^p = 1 / (n one)^p + 1 / top^p, p one of 2, 3, 4, 6, 10, 24, 96, by least squares of log B; behind the best
 * point a decline beyond the intervals is told and left out.  Intervals hold what fits within 95 % of the likelihood.
 * EUNRESOLVED for fewer than 3 counts, EINVAL for rates that are not above 0 or counts that do not ascend. */
enum { SERVET__COUNTS = 256, SERVET__SHARPS = 7, SERVET__KNEES = 480 };
typedef struct servet__saturations {    /* every knee and sharpness, and how it fits                  */
    double err[SERVET__SHARPS][SERVET__KNEES], one[SERVET__SHARPS][SERVET__KNEES];
    double from, step, least;           /* knees are from * step^k                                    */
    double most, share;                 /* largest count, and the share of the rate there that is enough */
} servet__saturations;
static const double servet__sharpness[SERVET__SHARPS] = { 2, 3, 4, 6, 10, 24, 96 };

/* Fits of all knees and sharpnesses; the best in *s. */
SERVET__PRIVATE void servet__saturation_search(servet_saturation *s, servet__saturations *f, const double *n,
                                               const double *rate, const double *weight, size_t count)
{
    int j, k;
    f->from = 0.5 * n[0];
    f->most = n[count - 1];
    f->step = pow(64 * f->most / f->from, 1 / ((double)SERVET__KNEES - 1));
    f->least = (double)INFINITY;
    for (j = 0; j < SERVET__SHARPS; j++)
        for (k = 0; k < SERVET__KNEES; k++) {
            const double knee = f->from * pow(f->step, k);
            f->err[j][k] = servet__saturation_misfit(n, rate, weight, count, knee, servet__sharpness[j], &f->one[j][k]);
            if (f->err[j][k] >= f->least) continue;
            f->least = f->err[j][k];
            s->knee = knee;
            s->sharpness = servet__sharpness[j];
            s->one = exp(f->one[j][k]);
        }
    s->top = s->one * s->knee;
    s->enough = servet__saturation_enough(s->knee, s->sharpness, f->most, f->share);
}

/* Intervals of what fits within 95 % of the likelihood: misfits by `chi` times what samples explain; `wide` is how far
 * the log of the rate of one may be off. */
SERVET__PRIVATE void servet__saturation_intervals(servet_saturation *s, const servet__saturations *f, double chi,
                                                  double wide)
{
    const double limit = f->least + 3.84 * chi;
    int j, k;
    s->lo_one = s->lo_top = s->lo_knee = (double)INFINITY;
    s->lo_enough = s->hi_enough = s->enough;
    for (j = 0; j < SERVET__SHARPS; j++)
        for (k = 0; k < SERVET__KNEES; k++) {
            const double knee = f->from * pow(f->step, k), one = f->one[j][k];
            int enough;
            if (f->err[j][k] > limit) continue;
            enough = servet__saturation_enough(knee, servet__sharpness[j], f->most, f->share);
            s->lo_one = servet__min(s->lo_one, exp(one - wide));
            s->hi_one = servet__max(s->hi_one, exp(one + wide));
            s->lo_knee = servet__min(s->lo_knee, knee / f->step);   /* the truth lies between knees that are tried */
            s->hi_knee = servet__max(s->hi_knee, knee * f->step);
            s->lo_top = servet__min(s->lo_top, knee / f->step * exp(one - wide));
            s->hi_top = servet__max(s->hi_top, knee * f->step * exp(one + wide));
            if (enough < s->lo_enough) s->lo_enough = enough;
            if (enough > s->hi_enough) s->hi_enough = enough;
        }
    s->open = s->hi_knee > 16 * f->most;    /* a straight line fits: where it would end is not in the data */
    if (s->open) s->hi_top = s->hi_knee = 0;
}

SERVET__PRIVATE int servet__saturation_sound(const double *n, const double *rate, const double *lo, const double *hi,
                                             size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (!(rate[i] > 0) || !servet__finite(rate[i]) || !(n[i] >= 1 && n[i] <= 65536)) return 0;
        if (i > 0 && !(n[i] > n[i - 1])) return 0;
        if (lo && !(lo[i] > 0 && hi[i] >= lo[i] && servet__finite(hi[i]))) return 0;
    }
    return 1;
}

SERVET__PRIVATE int servet__bandwidth_fit(servet_saturation *out, const double *n, const double *rate, const double *lo,
                                          const double *hi, size_t count, double share_frac)
{
    const double own_frac = 0.01;   /* what the form may be wrong by where samples say nothing narrower */
    double weight[SERVET__COUNTS], chi, sum = 0;
    servet__saturations f;
    servet_saturation s;
    size_t i, best = 0, used;
    if (!out || !n || !rate || (!lo) != (!hi) || count > SERVET__COUNTS || !(share_frac >= 0 && share_frac < 1)
        || !servet__saturation_sound(n, rate, lo, hi, count)) return SERVET_EINVAL;
    if (count < 3) return SERVET_EUNRESOLVED;
    memset(&s, 0, sizeof s);
    f.share = share_frac > 0 ? share_frac : 0.95;
    for (i = 0; i < count; i++) {
        const double half = lo ? (log(hi[i]) - log(lo[i])) / 4 : 0;   /* two standard deviations each way */
        weight[i] = 1 / (half * half + own_frac * own_frac);
        if (rate[i] > rate[best]) best = i;
    }
    used = count;
    if (best + 1 < count && (lo ? hi[count - 1] < lo[best] : rate[count - 1] < 0.95 * rate[best])) {
        s.decline_frac = 1 - rate[count - 1] / rate[best];
        used = best + 1;
    }
    s.best = rate[best];
    if (used < 3) return SERVET_EUNRESOLVED;
    servet__saturation_search(&s, &f, n, rate, weight, used);
    for (i = 0; i < used; i++) sum += weight[i];
    chi = servet__max(1, f.least / servet__max((double)used - 3, 1));
    s.misfit_frac = sqrt(f.least / sum);
    servet__saturation_intervals(&s, &f, chi, 1.96 * sqrt(chi / sum));
    *out = s;
    return SERVET_OK;
}

/* How many loads are under way at once.
 * servet__bandwidth_fit on k / latency; statuses as there. */
SERVET__PRIVATE int servet__bandwidth_fit_parallel(servet_mlp *out, const servet_parallelism *p)
{
    enum { SERVET__POINTS = SERVET_PARALLEL_POINTS };
    double n[SERVET__POINTS], rate[SERVET__POINTS], lo[SERVET__POINTS], hi[SERVET__POINTS];
    servet_saturation s;
    servet_mlp r;
    double most = 0;
    int i, status;
    if (!out || !p || p->count < 0 || p->count > SERVET_PARALLEL_POINTS || p->cpus < 1 || p->line_bytes < 1)
        return SERVET_EINVAL;
    memset(&r, 0, sizeof r);
    for (i = 0; i < p->count; i++) {
        const servet_parallel_point *q = &p->point[i];
        const double scale = (double)p->line_bytes * p->cpus * 1e9;
        if (!(q->ns > 0 && q->lo_ns > 0 && q->hi_ns >= q->lo_ns)) return SERVET_EINVAL;
        n[i] = q->chains;
        rate[i] = 1 / q->ns;
        lo[i] = 1 / q->hi_ns;
        hi[i] = 1 / q->lo_ns;
        if (rate[i] <= most) continue;
        most = rate[i];
        r.bytes_per_s = scale * rate[i];
        r.lo_bytes_per_s = scale * lo[i];
        r.hi_bytes_per_s = scale * hi[i];
    }
    status = servet__bandwidth_fit(&s, n, rate, lo, hi, (size_t)p->count, 0.9);
    if (status < 0) return status;
    r.latency_ns = 1 / s.one;
    r.lo_latency_ns = 1 / s.hi_one;
    r.hi_latency_ns = 1 / s.lo_one;
    r.mlp = s.knee;
    r.lo_mlp = s.lo_knee;
    r.hi_mlp = s.hi_knee;
    r.open = s.open;
    r.k90 = s.enough;
    r.lo_k90 = s.lo_enough;
    r.hi_k90 = s.hi_enough;
    r.misfit_frac = s.misfit_frac;
    *out = r;
    return SERVET_OK;
}

/* Where values that do not fall first come to 0: between two sizes by logarithm; 0 = nowhere. */
SERVET__PRIVATE double servet__crossing(const double *bytes, const double *y, size_t n)
{
    size_t i;
    for (i = 0; i < n && y[i] < 0; i++) { }
    if (i == n) return 0;
    if (i == 0 || !(y[i] > y[i - 1])) return bytes[i];
    return bytes[i - 1] * pow(bytes[i] / bytes[i - 1], -y[i - 1] / (y[i] - y[i - 1]));
}

/* Log of non-temporal over regular copies of a size, from neighbouring samples, with its interval; 0 = no samples. */
SERVET__PRIVATE int servet__stores_gain(double *mid, double *lo, double *hi, const servet_bandwidth *b,
                                        const servet_bandwidth_point *p)
{
    const servet_bandwidth_point *q = servet__bandwidth_find(b, SERVET_STREAM_COPY, 1, p->cpus, p->bytes);
    double gain[SERVET_SAMPLES_MAX];
    size_t n = 0;
    int k;
    for (k = 0; q && k < p->samples && k < q->samples; k++)
        if (p->sample_bytes_per_s[k] > 0 && q->sample_bytes_per_s[k] > 0)
            gain[n++] = log(q->sample_bytes_per_s[k] / p->sample_bytes_per_s[k]);
    servet__median_interval(mid, lo, hi, gain, n, 0.05);
    return n > 0;
}

SERVET__DEF int servet_bandwidth_fit_stores(servet_streaming *out, const servet_bandwidth *b, int cpus)
{
    enum { SERVET__SIZES = 64 };
    double bytes[SERVET__SIZES], mid[SERVET__SIZES], lo[SERVET__SIZES], hi[SERVET__SIZES], scratch[2 * SERVET__SIZES];
    servet_streaming s;
    size_t sizes = 0, i;
    double last = 0;
    if (!out || !b || cpus < 1 || b->count < 0 || b->count > SERVET_BANDWIDTH_POINTS) return SERVET_EINVAL;
    while (sizes < SERVET__SIZES) {     /* the next larger size */
        const servet_bandwidth_point *next = NULL;
        int j;
        for (j = 0; j < b->count; j++) {
            const servet_bandwidth_point *p = &b->point[j];
            if (p->kernel == SERVET_STREAM_COPY && !p->streaming && p->cpus == cpus && p->bytes > last
                && p->memory == SERVET_MEMORY_LOCAL && !(p->chase_bytes > 0) && (!next || p->bytes < next->bytes))
                next = p;
        }
        if (!next) break;
        last = next->bytes;
        bytes[sizes] = last / 2;
        sizes += (size_t)servet__stores_gain(&mid[sizes], &lo[sizes], &hi[sizes], b, next);
    }
    if (sizes < 3) return SERVET_EUNRESOLVED;
    memset(&s, 0, sizeof s);
    s.cpus = cpus;
    s.gain_frac = exp(mid[sizes - 1]) - 1;
    servet_stats_isotonic(mid, NULL, sizes, scratch);
    servet_stats_isotonic(lo, NULL, sizes, scratch);
    servet_stats_isotonic(hi, NULL, sizes, scratch);
    s.bytes = servet__crossing(bytes, mid, sizes);
    s.lo_bytes = bytes[0];
    for (i = 0; i < sizes; i++) if (hi[i] < 0) s.lo_bytes = bytes[i];
    for (i = sizes; i > 0 && lo[i - 1] > 0; i--) s.hi_bytes = bytes[i - 1];
    s.always = lo[0] > 0;
    *out = s;
    return SERVET_OK;
}

enum { SERVET__CONTENTION_LEAST = 3 };      /* rounds from which something is inferred */

/* What domains lose by streaming at once, from logarithms of B(together) / sum of B(alone) by round.
 * a and b stay.  EUNRESOLVED for fewer than 3 rounds. */
SERVET__PRIVATE int servet__bandwidth_gamma(servet_contention_gamma *g, double *left, int rounds)
{
    const double least_error = 0.002;       /* rates that are equal to the digit are no proof */
    double mean, error, t;
    if (rounds < SERVET__CONTENTION_LEAST) return SERVET_EUNRESOLVED;
    t = servet__trimmed_mean(left, (size_t)rounds, &mean, &error);
    error = servet__max(error, least_error);
    g->rounds = rounds;
    g->gamma = 1 - exp(mean);
    g->lo = 1 - exp(mean + t * error);
    g->hi = 1 - exp(mean - t * error);
    g->verdict = g->lo > 0.1 ? SERVET_COLLIDE_YES : g->hi < 0.03 ? SERVET_COLLIDE_NO
               : g->lo > 0 ? SERVET_COLLIDE_PARTLY : SERVET_COLLIDE_UNKNOWN;
    return SERVET_OK;
}

/* Sets of CPUs, as bits of their places. */
enum { SERVET__SET_WORDS = SERVET_CORES_MAX / 64 };

SERVET__PRIVATE int servet__set_has(const uint64_t *set, int place) { return (int)(set[place / 64] >> place % 64 & 1); }

SERVET__PRIVATE void servet__set_add(uint64_t *set, int place) { set[place / 64] |= UINT64_C(1) << place % 64; }

SERVET__PRIVATE int servet__set_equal(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, SERVET__SET_WORDS * sizeof *a) == 0;
}

SERVET__PRIVATE int servet__set_within(const uint64_t *a, const uint64_t *b)
{
    int k;
    for (k = 0; k < SERVET__SET_WORDS && !(a[k] & ~b[k]); k++) { }
    return k == SERVET__SET_WORDS;
}

/* The CPUs of a set in ascending order; how many. */
SERVET__PRIVATE int servet__set_places(const uint64_t *set, int *place)
{
    int i, n = 0;
    for (i = 0; i < SERVET_CORES_MAX; i++) if (servet__set_has(set, i)) place[n++] = i;
    return n;
}

SERVET__PRIVATE int servet__set_size(const uint64_t *set)
{
    int place[SERVET_CORES_MAX];
    return servet__set_places(set, place);
}

/* The parts of a set: sets of its batch within it, none touching another, that make it up.  How many; 0 = there are
 * none.  Parts come before what they are parts of. */
SERVET__PRIVATE int servet__contention_parts(const servet_contention *c, int set, int *part)
{
    const servet_contention_set *whole = &c->set[set];
    uint64_t covered[SERVET__SET_WORDS] = { 0 };
    int i, k, parts = 0;
    for (i = 0; i < set && parts < SERVET_CORES_MAX; i++) {
        const uint64_t *s = c->set[i].cpus;
        if (c->set[i].batch != whole->batch || !servet__set_within(s, whole->cpus)) continue;
        for (k = 0; k < SERVET__SET_WORDS && !(s[k] & covered[k]); k++) { }
        if (k < SERVET__SET_WORDS) continue;
        for (k = 0; k < SERVET__SET_WORDS; k++) covered[k] |= s[k];
        part[parts++] = i;
    }
    return parts > 1 && servet__set_equal(covered, whole->cpus) ? parts : 0;
}

/* By round, log of the rate of a set over the sum of those of its parts; of none, log of its rate.  How many rounds. */
SERVET__PRIVATE int servet__contention_left(const servet_contention *c, int set, const int *part, int parts, double *x)
{
    const servet_contention_set *whole = &c->set[set];
    int rounds = whole->rounds, r, p;
    for (p = 0; p < parts; p++) if (c->set[part[p]].rounds < rounds) rounds = c->set[part[p]].rounds;
    for (r = 0; r < rounds; r++) {
        double sum = parts > 0 ? 0 : 1;
        for (p = 0; p < parts; p++) sum += (double)c->set[part[p]].bytes_per_s[r];
        x[r] = log((double)whole->bytes_per_s[r] / sum);
        if (!servet__finite(x[r])) return 0;
    }
    return rounds;
}

/* Rate of a set with its interval; 0 = too few rounds. */
SERVET__PRIVATE int servet__contention_rate(const servet_contention *c, int set, double *rate, double *lo, double *hi)
{
    double x[SERVET_CONTENTION_ROUNDS], mean, error, t;
    const int rounds = servet__contention_left(c, set, NULL, 0, x);
    if (rounds < SERVET__CONTENTION_LEAST) return 0;
    t = servet__trimmed_mean(x, (size_t)rounds, &mean, &error);
    *rate = exp(mean);
    *lo = exp(mean - t * error);
    *hi = exp(mean + t * error);
    return 1;
}

SERVET__PRIVATE double servet__contention_median(double *x, int n)
{
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

/* Rates of CPUs alone, their median as the reference, and what pairs have of it. */
SERVET__PRIVATE void servet__contention_pairs(servet_contention *c)
{
    double rate[SERVET_CORES_MAX], lo[SERVET_CORES_MAX], hi[SERVET_CORES_MAX], errors[SERVET_CONTENTION_SETS],
        x[SERVET_CONTENTION_ROUNDS], mean;
    int place[SERVET_CORES_MAX], part[SERVET_CORES_MAX], own = 0, i, rounds;
    c->pairs = 0;
    memset(c->own_bytes_per_s, 0, sizeof c->own_bytes_per_s);
    memset(c->pair_bytes_per_s, 0, sizeof c->pair_bytes_per_s);
    for (i = 0; i < c->sets; i++) {
        if (servet__set_places(c->set[i].cpus, place) != 1 || c->own_bytes_per_s[place[0]] > 0
            || !servet__contention_rate(c, i, &rate[own], &lo[own], &hi[own])) continue;
        c->own_bytes_per_s[place[0]] = rate[own++];
    }
    c->reference_bytes_per_s = servet__contention_median(rate, own);
    c->lo_reference_bytes_per_s = servet__contention_median(lo, own);
    c->hi_reference_bytes_per_s = servet__contention_median(hi, own);
    for (i = 0; i < c->sets; i++) {
        float *pair;
        if (servet__set_places(c->set[i].cpus, place) != 2 || servet__contention_parts(c, i, part) != 2) continue;
        pair = &c->pair_bytes_per_s[servet_pairs_cores_at(place[0], place[1])];
        rounds = servet__contention_left(c, i, part, 2, x);
        if (rounds < SERVET__CONTENTION_LEAST || (double)*pair > 0) continue;
        servet__trimmed_mean(x, (size_t)rounds, &mean, &errors[c->pairs++]);
        *pair = (float)(c->reference_bytes_per_s * exp(mean));
    }
    c->noise_frac = servet__contention_median(errors, c->pairs);
}

/* The class of a pair: the innermost of the groups given that both are in, or none of them: one more layer. */
enum { SERVET__CONTENTION_CLASSES = (SERVET_PAIRS_LAYERS + 1) * SERVET_CORES_MAX };
SERVET__PRIVATE int servet__contention_class(const servet_contention *c, int a, int b)
{
    int l;
    for (l = 0; l < c->given; l++)
        if (c->given_group[l][a] >= 0 && c->given_group[l][a] == c->given_group[l][b])
            return l * SERVET_CORES_MAX + c->given_group[l][a];
    return l * SERVET_CORES_MAX;
}

/* Pairs whose rates lie together: logarithms against the reference up to `most`. */
typedef struct servet__cluster { double sum, most; int pairs; } servet__cluster;

/* Clusters of pair rates in ascending order, parted where two neighbours are `gap` apart; how many, at most cap. */
SERVET__PRIVATE int servet__contention_clusters(const servet_contention *c, double gap, servet__cluster *out, int cap)
{
    enum { SERVET__BINS = 2000 };
    const double from = -4, width = 0.0025;    /* up to e times the reference: no sort, as pairs may be 32640 */
    servet__cluster bin[SERVET__BINS];
    int i, n = 0;
    memset(bin, 0, sizeof bin);
    for (i = 0; i < c->cpus * (c->cpus - 1) / 2; i++) {
        const double x = log((double)c->pair_bytes_per_s[i] / c->reference_bytes_per_s);
        servet__cluster *b = &bin[(int)servet__min(servet__max((x - from) / width, 0), SERVET__BINS - 1)];
        if (!((double)c->pair_bytes_per_s[i] > 0)) continue;
        b->most = b->pairs++ ? servet__max(b->most, x) : x;
        b->sum += x;
    }
    for (i = 0; i < SERVET__BINS; i++) {
        if (bin[i].pairs == 0) continue;
        if (n == 0 || bin[i].most - out[n - 1].most > gap) {
            if (n == cap) return SERVET_ESPACE;
            out[n++] = bin[i];
            continue;
        }
        out[n - 1].sum += bin[i].sum;
        out[n - 1].pairs += bin[i].pairs;
        out[n - 1].most = bin[i].most;
    }
    return n;
}

/* Numbers the CPUs that pairs of a level join: connected components. */
SERVET__PRIVATE void servet__contention_groups(servet_contention *c, int which)
{
    servet_contention_level *l = &c->level[which];
    int16_t first[SERVET_CORES_MAX];
    int a, b, k;
    for (a = 0; a < c->cpus; a++) {
        first[a] = (int16_t)a;
        l->group[a] = -1;
    }
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            const int16_t stays = first[a] < first[b] ? first[a] : first[b];
            const int16_t gone = first[a] < first[b] ? first[b] : first[a];
            if (c->overhead[servet_pairs_cores_at(a, b)] != which) continue;
            l->pairs++;
            l->group[a] = l->group[b] = 0;      /* in one */
            for (k = 0; k < c->cpus && gone != stays; k++) if (first[k] == gone) first[k] = stays;
        }
    for (a = 0; a < c->cpus; a++)
        if (l->group[a] >= 0) l->group[a] = (int16_t)(first[a] == a ? l->groups++ : l->group[first[a]]);
}

/* Levels of pairs measured: those of their clusters, of which the first `levels` lose something.  What has more than
 * `less`, and is nearer to the reference than to the mean of its level, loses nothing: noise may join both. */
SERVET__PRIVATE void servet__contention_assign(servet_contention *c, const servet__cluster *cluster, int clusters,
                                               double less)
{
    int i, k;
    for (i = 0; i < c->cpus * (c->cpus - 1) / 2; i++) {
        const double rate = (double)c->pair_bytes_per_s[i], x = log(rate / c->reference_bytes_per_s);
        c->overhead[i] = -2;
        if (!(rate > 0)) continue;
        for (k = 0; k < clusters - 1 && x > cluster[k].most; k++) { }
        c->overhead[i] = -1;
        if (k >= c->levels) continue;
        if (x > less && -x < x - log(c->level[k].bytes_per_s / c->reference_bytes_per_s)) continue;
        c->overhead[i] = (int8_t)k;
        c->level[k].hi_bytes_per_s = servet__max(c->level[k].hi_bytes_per_s, rate);
        if (c->level[k].lo_bytes_per_s == 0 || rate < c->level[k].lo_bytes_per_s) c->level[k].lo_bytes_per_s = rate;
    }
}

/* Levels of pairs not measured: what those of their class have, if they agree, else nothing; of a class without any,
 * what all of the layer have. */
SERVET__PRIVATE void servet__contention_unmeasured(servet_contention *c)
{
    enum { SERVET__OPEN = -3, SERVET__TORN = -4 };
    int8_t class_level[SERVET__CONTENTION_CLASSES], layer_level[SERVET_PAIRS_LAYERS + 1];
    int a, b;
    memset(class_level, SERVET__OPEN, sizeof class_level);
    memset(layer_level, SERVET__OPEN, sizeof layer_level);
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            const int which = servet__contention_class(c, a, b);
            const int8_t level = c->overhead[servet_pairs_cores_at(a, b)];
            int8_t *of_class = &class_level[which], *of_layer = &layer_level[which / SERVET_CORES_MAX];
            if (level == -2) continue;
            *of_class = (int8_t)(*of_class == SERVET__OPEN || *of_class == level ? level : (int)SERVET__TORN);
            *of_layer = (int8_t)(*of_layer == SERVET__OPEN || *of_layer == level ? level : (int)SERVET__TORN);
        }
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            const int at = servet_pairs_cores_at(a, b), which = servet__contention_class(c, a, b);
            int level = class_level[which];
            if (level == SERVET__OPEN) level = layer_level[which / SERVET_CORES_MAX];
            if (!((double)c->pair_bytes_per_s[at] > 0) && level >= -1) c->overhead[at] = (int8_t)level;
        }
}

/* Levels, their pairs and groups, from the pairs measured.
 * Sets levels, level and overhead of c from reference, noise_frac, pair_bytes_per_s and given: Figure 6 of Servet, with
 * what its "similar" leaves open: rates are sorted, and parted where two neighbours are 4 % apart, or four standard
 * errors where that is more; levels whose means differ by less than 10 % are one; what has less than the reference by
 * 5 %, or four standard errors, is overhead.  The worst level is the first.
 * Returns the number of levels; EINVAL, ESPACE. */
SERVET__PRIVATE int servet__bandwidth_overheads(servet_contention *c)
{
    enum { SERVET__CLUSTERS = 64 };
    const double similar = log(1.1);
    servet__cluster cluster[SERVET__CLUSTERS], *x = cluster;
    double less;
    int a, i, n, lossy;
    if (!c || c->cpus < 1 || c->cpus > SERVET_CORES_MAX || !(c->reference_bytes_per_s > 0) || !(c->noise_frac >= 0)
        || c->given < 0 || c->given > SERVET_PAIRS_LAYERS) return SERVET_EINVAL;
    for (a = 0; a < c->cpus; a++)
        for (i = 0; i < c->given; i++)
            if (c->given_group[i][a] < -1 || c->given_group[i][a] >= SERVET_CORES_MAX) return SERVET_EINVAL;
    n = servet__contention_clusters(c, servet__max(0.04, 4 * c->noise_frac), cluster, SERVET__CLUSTERS);
    if (n < 0) return n;
    less = log(1 - servet__min(servet__max(0.05, 4 * c->noise_frac), 0.9));
    for (lossy = 0; lossy < n && x[lossy].sum / x[lossy].pairs < less; lossy++) { }
    for (i = 0; i + 1 < lossy; ) {
        if (x[i + 1].sum / x[i + 1].pairs - x[i].sum / x[i].pairs >= similar) {
            i++;
            continue;
        }
        x[i + 1].sum += x[i].sum;
        x[i + 1].pairs += x[i].pairs;
        memmove(&x[i], &x[i + 1], (size_t)(--n - i) * sizeof *x);
        lossy--;
    }
    if (lossy > SERVET_CONTENTION_LEVELS) return SERVET_ESPACE;
    memset(c->level, 0, sizeof c->level);
    c->levels = lossy;
    for (i = 0; i < lossy; i++) c->level[i].bytes_per_s = c->reference_bytes_per_s * exp(x[i].sum / x[i].pairs);
    servet__contention_assign(c, cluster, n, less);
    servet__contention_unmeasured(c);
    for (i = 0; i < lossy; i++) servet__contention_groups(c, i);
    return lossy;
}

/* CPUs of a group on average. */
SERVET__PRIVATE double servet__contention_share(const int16_t *group, int cpus)
{
    int i, in = 0, groups = 0;
    for (i = 0; i < cpus; i++) {
        in += group[i] >= 0;
        if (group[i] >= groups) groups = group[i] + 1;
    }
    return groups > 0 ? (double)in / groups : 0;
}

/* A layer among others, which are kept by the size of their groups, numbered from 0; not if it is there already, joins
 * nobody, or there is no room. */
SERVET__PRIVATE void servet__contention_layer(int16_t (*layer)[SERVET_CORES_MAX], int *layers, int cap,
                                              const int16_t *group, int cpus)
{
    int16_t mine[SERVET_CORES_MAX];
    int l, i, j, groups = 0, in = 0;
    if (*layers == cap) return;
    memset(mine, 0xff, sizeof mine);
    for (i = 0; i < cpus; i++) {
        for (j = 0; j < i && group[j] != group[i]; j++) { }
        if (group[i] >= 0) mine[i] = (int16_t)(j < i ? mine[j] : groups++);
        in += group[i] >= 0;
    }
    if (groups == 0 || (groups == in && groups > 1)) return;
    for (l = 0; l < *layers; l++) if (memcmp(layer[l], mine, (size_t)cpus * sizeof *mine) == 0) return;
    for (l = 0; l < *layers; l++)
        if (servet__contention_share(mine, cpus) < servet__contention_share(layer[l], cpus)) break;
    memmove(layer[l + 1], layer[l], (size_t)((*layers)++ - l) * sizeof mine);
    memcpy(layer[l], mine, sizeof mine);
}

SERVET__PRIVATE int servet__contention_members(const servet_contention *c, int domain, uint64_t *set)
{
    const servet_contention_domain *d = &c->domain[domain];
    int i, n = 0;
    for (i = 0; i < c->cpus; i++) {
        if (c->group[d->layer][i] != d->group) continue;
        servet__set_add(set, i);
        n++;
    }
    return n;
}

/* Adds a domain, unless it is there already, of another layer, or neither within another nor apart from it. */
SERVET__PRIVATE void servet__contention_domain(servet_contention *c, int layer, int group)
{
    uint64_t mine[SERVET__SET_WORDS] = { 0 };
    servet_contention_domain *x = &c->domain[c->domains];
    int d, k;
    memset(x, 0, sizeof *x);
    x->layer = layer;
    x->group = group;
    x->parent = -1;
    x->cpus = servet__contention_members(c, c->domains, mine);
    for (d = 0; d < c->domains; d++) {
        uint64_t other[SERVET__SET_WORDS] = { 0 }, common = 0;
        servet__contention_members(c, d, other);
        for (k = 0; k < SERVET__SET_WORDS; k++) common |= mine[k] & other[k];
        if (common && (!servet__set_within(other, mine) || servet__set_within(mine, other))) return;
    }
    for (d = 0; d < c->domains; d++) {      /* the parent is the smallest that holds all of one: the first that does */
        uint64_t other[SERVET__SET_WORDS] = { 0 };
        servet__contention_members(c, d, other);
        if (c->domain[d].parent < 0 && c->domain[d].layer != layer && servet__set_within(other, mine))
            c->domain[d].parent = c->domains;
    }
    c->domains++;
}

/* Layers of groups given, of levels of overhead, and of all CPUs; where that is the only one, of each alone.  Domains
 * of the layers from the outermost inward, as long as all groups of a layer have room. */
SERVET__PRIVATE void servet__contention_domains(servet_contention *c)
{
    enum { SERVET__SINGLE = 32 };   /* CPUs that are domains each, where there are no groups */
    const int16_t all[SERVET_CORES_MAX] = { 0 };
    int l, g, i, n, groups[SERVET_CONTENTION_LAYERS], least;
    c->layers = c->domains = 0;
    if (c->cpus < 2) return;
    for (l = 0; l < c->given; l++)
        servet__contention_layer(c->group, &c->layers, SERVET_CONTENTION_LAYERS - 1, c->given_group[l], c->cpus);
    for (l = 0; l < c->levels; l++)
        servet__contention_layer(c->group, &c->layers, SERVET_CONTENTION_LAYERS - 1, c->level[l].group, c->cpus);
    servet__contention_layer(c->group, &c->layers, SERVET_CONTENTION_LAYERS, all, c->cpus);
    if (c->layers == 1 && c->cpus <= SERVET__SINGLE) {
        memcpy(c->group[c->layers++], c->group[0], sizeof c->group[0]);
        for (i = 0; i < c->cpus; i++) c->group[0][i] = (int16_t)i;
    }
    for (least = c->layers, n = 0; least > 0; least--) {
        int *most = &groups[least - 1];
        for (*most = i = 0; i < c->cpus; i++)
            if (c->group[least - 1][i] >= *most) *most = c->group[least - 1][i] + 1;
        n += *most;
        if (n > SERVET_CONTENTION_DOMAINS) break;
    }
    for (l = least; l < c->layers; l++) for (g = 0; g < groups[l]; g++) servet__contention_domain(c, l, g);
}

/* Domains within a parent that are next to it; how many. */
SERVET__PRIVATE int servet__contention_children(const servet_contention *c, int parent, int *child)
{
    int d, n = 0;
    for (d = 0; d < c->domains; d++) if (c->domain[d].parent == parent) child[n++] = d;
    return n;
}

/* What some domains lose by streaming at once, from the set of all of them whose parts they are; 0 = not measured. */
SERVET__PRIVATE int servet__contention_gamma(servet_contention_gamma *out, const servet_contention *c,
                                             const int *domain, int domains)
{
    uint64_t cpus[SERVET_CONTENTION_DOMAINS][SERVET__SET_WORDS], all[SERVET__SET_WORDS] = { 0 };
    double x[SERVET_CONTENTION_ROUNDS];
    int part[SERVET_CORES_MAX], i, k, s;
    memset(cpus, 0, sizeof cpus);
    for (i = 0; i < domains; i++) {
        servet__contention_members(c, domain[i], cpus[i]);
        servet__contention_members(c, domain[i], all);
    }
    for (s = 0; s < c->sets; s++) {
        if (!servet__set_equal(c->set[s].cpus, all) || servet__contention_parts(c, s, part) != domains) continue;
        for (i = 0; i < domains; i++) {
            for (k = 0; k < domains && !servet__set_equal(c->set[part[i]].cpus, cpus[k]); k++) { }
            if (k == domains) break;
        }
        if (i == domains && servet__bandwidth_gamma(out, x, servet__contention_left(c, s, part, domains, x)) >= 0)
            return 1;
    }
    return 0;
}

/* Losses of neighbours among the children of each domain, and of all of them.  Returns the first domain of whose
 * children one was not measured, -1 where all are known. */
SERVET__PRIVATE int servet__contention_gammas(servet_contention *c)
{
    int child[SERVET_CONTENTION_DOMAINS], parent, children, k, missing = -1;
    c->gammas = 0;
    for (parent = 0; parent < c->domains; parent++) {
        children = servet__contention_children(c, parent, child);
        for (k = 0; k + (children == 2) < children && children > 1 && c->gammas < SERVET_CONTENTION_GAMMAS; k++) {
            const int two = k + 1 < children;       /* the last comparison is of all */
            servet_contention_gamma *g = &c->gamma[c->gammas];
            memset(g, 0, sizeof *g);
            g->a = two ? child[k] : parent;
            g->b = two ? child[k + 1] : -1;
            if (servet__contention_gamma(g, c, two ? &child[k] : child, two ? 2 : children)) c->gammas++;
            else if (missing < 0) missing = parent;
        }
    }
    return missing;
}

/* 1, 2, 3, 4, 6, 8, 12, ... and the last; beyond it when that was. */
SERVET__PRIVATE int servet__bandwidth_next(int k, int cpus)
{
    const int next = k < 4 ? k + 1 : (k & (k - 1)) ? k / 3 * 4 : k / 2 * 3;
    return k < cpus && next > cpus ? cpus : next;
}

/* Sets of one batch by which a domain grows from one CPU to all: how many, 0 = there are none. */
SERVET__PRIVATE int servet__contention_chain(const servet_contention *c, const uint64_t *domain, int *chain)
{
    const int cpus = servet__set_size(domain);
    int first, s, k, n;
    for (first = 0; first < c->sets; first++) {
        if (!servet__set_within(c->set[first].cpus, domain) || servet__set_size(c->set[first].cpus) != 1) continue;
        chain[0] = first;
        for (n = 1, k = servet__bandwidth_next(1, cpus), s = first + 1; k <= cpus && s < c->sets; s++) {
            const servet_contention_set *x = &c->set[s];
            if (x->batch != c->set[first].batch) break;
            if (!servet__set_within(x->cpus, domain) || !servet__set_within(c->set[chain[n - 1]].cpus, x->cpus)
                || servet__set_size(x->cpus) != k) continue;
            chain[n++] = s;
            k = servet__bandwidth_next(k, cpus);
        }
        if (k > cpus) return n;
    }
    return 0;
}

/* How many are enough: by the curve through the points, its interval stretched to where the points reach as much. */
SERVET__PRIVATE void servet__contention_enough(servet_contention_scaling *x)
{
    const double share = 0.95;
    double n[SERVET_CONTENTION_COUNTS];
    int i, best = 0;
    for (i = 0; i < x->count; i++) {
        n[i] = x->n[i];
        if (x->bytes_per_s[i] > x->bytes_per_s[best]) best = i;
    }
    x->best_bytes_per_s = x->bytes_per_s[best];
    for (i = best; i >= 0; i--) {
        if (x->hi_bytes_per_s[i] >= share * x->lo_bytes_per_s[best]) x->lo_enough = x->n[i];
        if (x->bytes_per_s[i] >= share * x->best_bytes_per_s) x->enough = x->n[i];
        if (x->lo_bytes_per_s[i] >= share * x->best_bytes_per_s || i == best) x->hi_enough = x->n[i];
    }
    x->fitted = servet__bandwidth_fit(&x->fit, n, x->bytes_per_s, x->lo_bytes_per_s, x->hi_bytes_per_s,
                                     (size_t)x->count, share) >= 0;
    if (!x->fitted) return;
    x->lo_enough = x->enough < x->fit.lo_enough ? x->enough : x->fit.lo_enough;     /* the form may be wrong */
    x->hi_enough = x->enough > x->fit.hi_enough ? x->enough : x->fit.hi_enough;
    x->enough = x->fit.enough;
    x->best_bytes_per_s = x->fit.best;
}

/* Scaling of the first domain of each layer.  Returns the first of them that was not measured; -1 = all were. */
SERVET__PRIVATE int servet__contention_scalings(servet_contention *c)
{
    int chain[SERVET_CORES_MAX], d, i, n, layer = -1, missing = -1;
    c->scalings = 0;
    for (d = 0; d < c->domains && c->scalings < SERVET_CONTENTION_SCALINGS; d++) {
        uint64_t cpus[SERVET__SET_WORDS] = { 0 };
        servet_contention_scaling *x = &c->scaling[c->scalings];
        if (c->domain[d].layer == layer || c->domain[d].cpus < 2) continue;
        layer = c->domain[d].layer;
        memset(x, 0, sizeof *x);
        x->domain = d;
        x->cpus = servet__contention_members(c, d, cpus);
        n = servet__contention_chain(c, cpus, chain);
        for (i = 0; i < n && i < SERVET_CONTENTION_COUNTS; i++) {
            if (!servet__contention_rate(c, chain[i], &x->bytes_per_s[x->count], &x->lo_bytes_per_s[x->count],
                                         &x->hi_bytes_per_s[x->count])) continue;
            x->n[x->count++] = servet__set_size(c->set[chain[i]].cpus);
        }
        if (x->count < 2) {
            if (missing < 0) missing = d;
            continue;
        }
        servet__contention_enough(x);
        c->scalings++;
    }
    return missing;
}

/* All answers from the samples in c->set and the groups given.  Of a file without samples: levels, from its pairs.
 *   *children, *growth   the first domain whose children, or whose scaling, were not measured; -1 = none is missing;
 *                        both may be NULL
 * Returns the number of levels; EINVAL, ESPACE, EUNRESOLVED where no CPU was measured alone. */
SERVET__PRIVATE int servet__contention_infer(servet_contention *c, int *children, int *growth)
{
    int d, s, status, missing;
    if (children) *children = -1;
    if (growth) *growth = -1;
    if (c->sets > 0) {
        servet__contention_pairs(c);
        if (!(c->reference_bytes_per_s > 0)) return SERVET_EUNRESOLVED;
    }
    status = servet__bandwidth_overheads(c);
    if (status < 0 || c->sets == 0) return status;
    memset(c->group, 0, sizeof c->group);       /* nothing of an inference before is left */
    memset(c->domain, 0, sizeof c->domain);
    memset(c->gamma, 0, sizeof c->gamma);
    memset(c->scaling, 0, sizeof c->scaling);
    servet__contention_domains(c);
    for (d = 0; d < c->domains; d++) {
        servet_contention_domain *x = &c->domain[d];
        uint64_t cpus[SERVET__SET_WORDS] = { 0 };
        servet__contention_members(c, d, cpus);
        for (s = 0; s < c->sets; s++)
            if (servet__set_equal(c->set[s].cpus, cpus)
                && servet__contention_rate(c, s, &x->bytes_per_s, &x->lo_bytes_per_s, &x->hi_bytes_per_s)) break;
    }
    missing = servet__contention_gammas(c);
    if (children) *children = missing;
    missing = servet__contention_scalings(c);
    if (growth) *growth = missing;
    return status;
}

#if !defined(SERVET_PURE_ONLY)

/* Samples of some streams, added to the points they belong to.
 *   cpu_node   of the points; -1 = not asked
 * ESPACE for more than SERVET_BANDWIDTH_POINTS; EUNSUPPORTED where m has no bandwidth; else what the machine says. */
SERVET__PRIVATE int servet__bandwidth_take(servet_bandwidth *out, const servet_machine *m, const servet_streams *what,
                                           int cpu_node)
{
    servet_stream_sample *samples;
    int at[SERVET_STREAMS_MAX], rounds, i, r, fresh = 0, status;
    if (!out || !m || !what || !what->stream || what->streams < 1 || what->streams > SERVET_STREAMS_MAX
        || what->rounds < 0 || what->rounds > SERVET_SAMPLES_MAX || out->count < 0
        || out->count > SERVET_BANDWIDTH_POINTS) return SERVET_EINVAL;
    if (!m->bandwidth) return SERVET_EUNSUPPORTED;
    rounds = what->rounds ? what->rounds : 1;
    for (i = 0; i < what->streams; i++) {
        const servet_stream *s = &what->stream[i];
        for (r = 0; r < out->count; r++) {
            const servet_bandwidth_point *p = &out->point[r];
            if (p->kernel == s->kernel && p->streaming == s->streaming && fabs(p->gap_ns - s->gap_ns) < 0.5
                && p->cpus == what->cpus && p->memory == what->memory && p->node == what->node
                && p->cpu_node == cpu_node && fabs(p->bytes - what->bytes) < 0.5
                && fabs(p->chase_bytes - what->chase_bytes) < 0.5) break;
        }
        at[i] = r < out->count ? r : out->count + fresh++;
    }
    if (out->count + fresh > SERVET_BANDWIDTH_POINTS) return SERVET_ESPACE;
    samples = (servet_stream_sample *)calloc((size_t)rounds * (size_t)what->streams, sizeof *samples);
    if (!samples) return SERVET_ENOMEM;
    status = m->bandwidth(m->ctx, what, samples);
    for (r = 0; status >= 0 && r < rounds; r++)
        for (i = 0; i < what->streams; i++) {
            const servet_stream_sample *s = &samples[r * what->streams + i];
            servet_bandwidth_point *p = &out->point[at[i]];
            if (at[i] >= out->count && r == 0) {
                memset(p, 0, sizeof *p);
                p->kernel = what->stream[i].kernel;
                p->streaming = what->stream[i].streaming;
                p->gap_ns = what->stream[i].gap_ns;
                p->vector = s->vector;
                p->cpus = what->cpus;
                p->memory = what->memory;
                p->node = what->node;
                p->cpu_node = cpu_node;
                p->bytes = what->bytes;
                p->chase_bytes = what->chase_bytes;
            }
            out->taken++;
            if (p->samples == SERVET_SAMPLES_MAX) continue;   /* the oldest stay */
            p->sample_bytes_per_s[p->samples] = s->bytes_per_s;
            p->sample_chase_ns[p->samples] = s->chase_ns;
            p->flags[p->samples++] = (unsigned char)(s->flags & 255);
        }
    if (status >= 0) out->count += fresh;
    free(samples);
    return status < 0 ? status : (int)SERVET_OK;
}

/* A sweep: requests, which are sampled in turns so that what is compared is taken at several times. */
typedef struct servet__band { servet_streams q; int cpu_node; } servet__band;
typedef struct servet__bands {
    servet_bandwidth *out;
    const servet_machine *m;
    servet_bandwidth_opts o;
    servet__band *band;         /* the last one is spare: what cannot be added is written there     */
    int    count, room;
    int    status;              /* ENOMEM, if there was no room for one                              */
    int    optional;            /* 1 = streams with non-temporal stores, which stand last, may be left out */
} servet__bands;

SERVET__PRIVATE int servet__bandwidth_resolve(servet_bandwidth_opts *o, const servet_bandwidth_opts *opts)
{
    memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->rounds == 0) o->rounds = 9;
    if (o->run.budget_s == 0) o->run.budget_s = 10;
    if (o->effort == 0) o->effort = 1;
    if (o->chains_max == 0) o->chains_max = 32;
    if (o->rounds < 1 || o->rounds > SERVET_SAMPLES_MAX || !(o->run.budget_s > 0)
        || !(o->effort >= 0.05 && o->effort <= 20)
        || o->vector < SERVET_VECTOR_WIDEST || o->vector > SERVET_VECTOR_SCALABLE || o->chains_max < 2
        || o->chains_max > SERVET_CHAINS_MAX) return SERVET_EINVAL;
    return SERVET_OK;
}

SERVET__PRIVATE int servet__bands_begin(servet__bands *b, servet_bandwidth *out, const servet_machine *m,
                                        const int *cpu, int cpus, const servet_bandwidth_opts *opts)
{
    memset(b, 0, sizeof *b);
    if (!out || !m || !cpu || cpus < 1 || servet__bandwidth_resolve(&b->o, opts) < 0) return SERVET_EINVAL;
    if (!m->bandwidth || !m->seconds) return SERVET_EUNSUPPORTED;
    b->out = out;
    b->m = m;
    b->room = 64;
    b->band = (servet__band *)calloc((size_t)b->room, sizeof *b->band);
    return b->band ? SERVET_OK : SERVET_ENOMEM;
}

/* A request for streams by some CPUs, in local memory if it is not changed. */
SERVET__PRIVATE servet__band *servet__bands_add(servet__bands *b, const servet_stream *s, int streams, const int *cpu,
                                                int cpus, double bytes)
{
    servet__band *band;
    if (b->count + 1 == b->room) {
        band = (servet__band *)realloc(b->band, 2 * (size_t)b->room * sizeof *b->band);
        if (band) {
            b->band = band;
            b->room *= 2;
        } else b->status = SERVET_ENOMEM;
    }
    band = &b->band[b->count];
    if (b->status >= 0) b->count++;
    memset(band, 0, sizeof *band);
    band->cpu_node = -1;
    band->q.stream = s;
    band->q.streams = streams;
    band->q.effort = b->o.effort;
    band->q.seed = b->o.run.seed;
    band->q.cpu = cpu;
    band->q.cpus = cpus;
    band->q.bytes = bytes;
    return band;
}

SERVET__PRIVATE int servet__bands_take(servet__bands *b, servet__band *band)
{
    servet_streams *q = &band->q;
    int status = servet__bandwidth_take(b->out, b->m, q, band->cpu_node), plain = 0;
    while (plain < q->streams && !q->stream[plain].streaming) plain++;
    if (status != SERVET_EUNSUPPORTED || !b->optional || plain == 0 || plain == q->streams) return status;
    q->streams = plain;
    return servet__bandwidth_take(b->out, b->m, q, band->cpu_node);
}

/* Samples all requests, estimates, and ends the sweep. */
SERVET__PRIVATE int servet__bands_run(servet__bands *b)
{
    enum { SERVET__TURNS = 2 };
    servet__watch watch;
    int i, turn, done = 0, status = b->status;
    servet__watch_begin(&watch, b->m, &b->o.run);
    for (turn = 0; status >= 0 && turn < SERVET__TURNS; turn++)
        for (i = 0; status >= 0 && i < b->count; i++) {
            servet__band *band = &b->band[i];
            band->q.rounds = turn ? b->o.rounds - 1 : 1;    /* something of each, as soon as can be */
            if (servet__watch_over(&watch, (double)done++ / (SERVET__TURNS * b->count))) b->out->stopped = 1;
            if (band->q.rounds > 0 && !watch.over) status = servet__bands_take(b, band);
        }
    free(b->band);
    b->out->seconds += servet__watch_elapsed(&watch);
    if (status >= 0) servet__bandwidth_estimate(b->out);
    return status < 0 ? status : b->out->count > 0 ? (int)SERVET_OK : (int)SERVET_ESTOPPED;
}

SERVET__DEF int servet_bandwidth_kernels(servet_bandwidth *out, const servet_machine *m, const double *bytes, int sizes,
                                         const int *cpu, int cpus, const servet_bandwidth_opts *opts)
{
    servet__bands b;
    servet_stream s[2 * SERVET_STREAM_KERNELS];
    int n = 0, k, i, status;
    if (!bytes || sizes < 1) return SERVET_EINVAL;
    if ((status = servet__bands_begin(&b, out, m, cpu, cpus, opts)) < 0) return status;
    memset(s, 0, sizeof s);
    for (k = 0; k < SERVET_STREAM_KERNELS; k++) s[n++].kernel = k;
    for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
        if (!servet__stream_kind[k].writes) continue;
        s[n].streaming = 1;
        s[n++].kernel = k;
    }
    for (k = 0; k < n; k++) s[k].vector = b.o.vector;
    b.optional = 1;
    for (i = 0; i < sizes; i++)
        for (k = 0; k < (cpus > 1 ? 2 : 1); k++) servet__bands_add(&b, s, n, cpu, k ? cpus : 1, bytes[i]);
    return servet__bands_run(&b);
}

/* A stream by 1, 2, 3, 4, 6, 8, 12, ... and all of the CPUs listed.
 *   cpu   in the order in which they are to be added: servet__bandwidth_order
 * For servet__bandwidth_fit. */
SERVET__PRIVATE int servet__bandwidth_scaling(servet_bandwidth *out, const servet_machine *m,
                                              const servet_stream *stream, double bytes, const int *cpu, int cpus,
                                              const servet_bandwidth_opts *opts)
{
    servet__bands b;
    int k, status;
    if (!stream) return SERVET_EINVAL;
    if ((status = servet__bands_begin(&b, out, m, cpu, cpus, opts)) < 0) return status;
    for (k = 1; k <= cpus; k = servet__bandwidth_next(k, cpus)) servet__bands_add(&b, stream, 1, cpu, k, bytes);
    return servet__bands_run(&b);
}

/* Latency of one CPU's chase while the others load.
 *   chase_bytes, bytes   of the chase, and of each CPU that loads; cpu[0] chases, cpus >= 2
 * Ten rates: idle, then with ever shorter gaps, down to none. */
SERVET__PRIVATE int servet__bandwidth_loaded(servet_bandwidth *out, const servet_machine *m, double chase_bytes,
                                             double bytes, const int *cpu, int cpus, const servet_bandwidth_opts *opts)
{
    static const double gap_ns[] = { -1, 20000, 10000, 5000, 3000, 2000, 1000, 500, 200, 0 };
    enum { SERVET__GAPS = 10 };
    servet__bands b;
    servet_stream s[SERVET__GAPS];
    int i, status;
    if (cpus < 2 || !(chase_bytes > 0)) return SERVET_EINVAL;
    if ((status = servet__bands_begin(&b, out, m, cpu, cpus, opts)) < 0) return status;
    memset(s, 0, sizeof s);
    for (i = 0; i < SERVET__GAPS; i++) {
        s[i].kernel = SERVET_STREAM_LOAD;
        s[i].vector = b.o.vector;
        s[i].gap_ns = gap_ns[i];
    }
    servet__bands_add(&b, s, SERVET__GAPS, cpu, cpus, bytes)->q.chase_bytes = chase_bytes;
    return servet__bands_run(&b);
}

SERVET__DEF int servet_bandwidth_stores(servet_bandwidth *out, const servet_machine *m, double lo_bytes,
                                        double hi_bytes, const int *cpu, int cpus, const servet_bandwidth_opts *opts)
{
    servet__bands b;
    servet_stream s[2];
    double bytes[64];
    int i, step, status;
    const int sizes = servet__mcalibrator_grid(bytes, 64, lo_bytes, hi_bytes, 2, SERVET_STREAM_BYTES);
    if (sizes < 0) return sizes;
    if ((status = servet__bands_begin(&b, out, m, cpu, cpus, opts)) < 0) return status;
    memset(s, 0, sizeof s);
    s[0].kernel = s[1].kernel = SERVET_STREAM_COPY;
    s[0].vector = s[1].vector = b.o.vector;
    s[1].streaming = 1;
    /* The largest, then those halfway between: where the time ends early the whole range was asked, if coarsely. */
    for (step = 64; step > 0; step /= 2)
        for (i = sizes - 1; i >= 0; i -= step)
            if (step == 64 || (sizes - 1 - i) % (2 * step)) servet__bands_add(&b, s, 2, cpu, cpus, 2 * bytes[i]);
    return servet__bands_run(&b);
}

/* From each node with CPUs to the memory of each node, and of all in turn.
 *   node, nodes   servet__machine_nodes, with only such CPUs as may be used
 * Loads and triads of one CPU and of all of a node, and a chase (its point has gap_ns -1).  Points have node,
 * cpu_node and memory.  EUNSUPPORTED for fewer than two nodes. */
SERVET__PRIVATE int servet__bandwidth_numa(servet_bandwidth *out, const servet_machine *m, const servet_node *node,
                                           int nodes, double bytes, const servet_bandwidth_opts *opts)
{
    servet__bands b;
    servet_stream s[2], idle;
    int *all, *cpu, from, to, k, status;
    if (!node || nodes < 1) return SERVET_EINVAL;
    if (nodes < 2) return SERVET_EUNSUPPORTED;
    for (from = k = 0; from < nodes; from++) k += node[from].cpus.count;
    cpu = all = (int *)calloc((size_t)k + 1, sizeof *all);
    if (!all) return SERVET_ENOMEM;
    status = servet__bands_begin(&b, out, m, all, 1, opts);
    memset(s, 0, sizeof s);
    memset(&idle, 0, sizeof idle);
    s[0].kernel = SERVET_STREAM_LOAD;
    s[1].kernel = SERVET_STREAM_TRIAD;
    s[0].vector = s[1].vector = b.o.vector;
    idle.gap_ns = -1;
    for (from = 0; status >= 0 && from < nodes; from++) {
        int cpus = 0;
        for (k = servet_cpus_next(&node[from].cpus, -1); k >= 0; k = servet_cpus_next(&node[from].cpus, k))
            cpu[cpus++] = k;
        for (to = 0; cpus > 0 && to <= nodes; to++)     /* the last are all in turn */
            for (k = 0; k < (cpus > 1 ? 3 : 2); k++) {  /* one CPU, its chase, all of them */
                servet__band *x = servet__bands_add(&b, k == 1 ? &idle : s, k == 1 ? 1 : 2, cpu, k == 2 ? cpus : 1,
                                                    bytes);
                x->cpu_node = node[from].id;
                x->q.chase_bytes = k == 1 ? bytes : 0;
                x->q.memory = to < nodes ? SERVET_MEMORY_NODE : SERVET_MEMORY_SPREAD;
                x->q.node = to < nodes ? node[to].id : 0;
            }
        cpu += cpus;
    }
    if (status >= 0) status = servet__bands_run(&b);
    free(all);
    return status;
}

SERVET__DEF int servet_bandwidth_parallel(servet_parallelism *out, const servet_machine *m, double bytes,
                                          const int *cpu, int cpus, const servet_bandwidth_opts *opts)
{
    static const int grid[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64 };
    enum { SERVET__GRID = 20 };
    servet_bandwidth_opts o;
    servet_parallelism *r;
    servet_parallel q;
    servet_sample *samples;
    double begun;
    int chains[SERVET__GRID], i, j, counts, status;
    if (!out || !m || !(bytes > 0 && bytes < 1e15) || !cpu || cpus < 1 || servet__bandwidth_resolve(&o, opts) < 0)
        return SERVET_EINVAL;
    if (!m->parallel || !m->seconds) return SERVET_EUNSUPPORTED;
    memset(&q, 0, sizeof q);
    q.chase.line_bytes = SERVET__LINE_BYTES;
    q.chase.effort = o.effort;
    q.chase.seed = o.run.seed;
    q.n = (size_t)(bytes / q.chase.line_bytes);
    for (counts = 0; counts < SERVET__GRID && grid[counts] <= o.chains_max && (size_t)grid[counts] <= q.n; counts++)
        chains[counts] = grid[counts];
    if (counts < 3) return SERVET_EINVAL;
    q.chains = chains;
    q.counts = counts;
    q.rounds = o.rounds;
    q.cpu = cpu;
    q.cpus = cpus;
    r = (servet_parallelism *)calloc(1, sizeof *r);
    samples = (servet_sample *)calloc((size_t)(q.rounds * counts), sizeof *samples);
    begun = m->seconds(m->ctx);
    status = r && samples ? m->parallel(m->ctx, &q, samples) : (int)SERVET_ENOMEM;
    for (i = 0; status >= 0 && i < counts; i++) {
        servet_parallel_point *p = &r->point[i];
        p->chains = chains[i];
        for (j = 0; j < q.rounds; j++) {
            p->sample_ns[j] = samples[j * counts + i].ns;
            p->flags[j] = (unsigned char)(samples[j * counts + i].flags & 255);
            p->noisy += p->flags[j] != 0;
        }
        p->samples = q.rounds;
        servet__clean_quartile(&p->ns, &p->lo_ns, &p->hi_ns, p->sample_ns, p->flags, p->samples);
    }
    if (status >= 0) {
        r->bytes = bytes;
        r->cpus = cpus;
        r->line_bytes = q.chase.line_bytes;
        r->count = counts;
        r->seconds = m->seconds(m->ctx) - begun;
        *out = *r;
    }
    free(r);
    free(samples);
    return status < 0 ? status : (int)SERVET_OK;
}

SERVET__DEF int servet_bandwidth_strides(servet_strides *out, const servet_machine *m, const double *bytes, int sizes,
                                         const servet_bandwidth_opts *opts)
{
    enum { SERVET__ROUNDS = 5 };
    servet_bandwidth_opts o;
    servet_strides r;
    servet_chase_opts c;
    servet_sample sample;
    servet_summary s;
    double x[SERVET_STRIDE_SIZES][SERVET_STRIDES][SERVET__ROUNDS], scratch[SERVET__ROUNDS];
    servet__watch watch;
    int i, j, k, taken = 0;
    if (!out || !m || !bytes || sizes < 1 || sizes > SERVET_STRIDE_SIZES || servet__bandwidth_resolve(&o, opts) < 0)
        return SERVET_EINVAL;
    if (!m->chase || !m->seconds) return SERVET_EUNSUPPORTED;
    memset(&r, 0, sizeof r);
    r.sizes = sizes;
    servet__watch_begin(&watch, m, &o.run);
    for (k = 0; k < SERVET__ROUNDS; k++)
        for (i = 0; i < sizes; i++)
            for (j = 0; j < SERVET_STRIDES; j++) {
                memset(&c, 0, sizeof c);
                x[i][j][k] = (double)INFINITY;
                r.bytes[i] = bytes[i];
                r.stride_bytes[j] = 8 << j;
                if (!(bytes[i] >= r.stride_bytes[j] && bytes[i] < 1e12)) return SERVET_EINVAL;
                c.pattern = SERVET_CHASE_RANDOM;
                c.line_bytes = r.stride_bytes[j];
                c.seed = o.run.seed + (uint64_t)(unsigned)k;
                c.effort = o.effort;
                if (servet__watch_over(&watch, ((double)k + (double)i / sizes) / (int)SERVET__ROUNDS)
                    || m->chase(m->ctx, (size_t)(bytes[i] / c.line_bytes), &c, &sample) < 0) continue;
                x[i][j][k] = sample.ns;
                taken++;
            }
    for (i = 0; i < sizes; i++)
        for (j = 0; j < SERVET_STRIDES; j++) {
            if (servet_stats_summarise(&s, x[i][j], SERVET__ROUNDS, scratch) < 0) continue;
            r.ns[i][j] = s.q25;
            r.lo_ns[i][j] = s.lo;
            r.hi_ns[i][j] = s.hi;
        }
    r.seconds = servet__watch_elapsed(&watch);
    if (taken == 0) return SERVET_EUNSUPPORTED;
    *out = r;
    return SERVET_OK;
}

/* Contention under way. */
typedef struct servet__contend {
    servet_contention *c;
    const servet_machine *m;
    servet_contention_opts o;
    servet_stream stream;
    servet__watch watch;
    double bytes, part_from, part_to;   /* shares of the work, for progress                          */
    uint64_t seed;
    int    batch;               /* first set of the batch that is asked for                          */
    int    pairs;               /* 1 = it is one of pairs                                            */
    int    full;                /* 1 = there was no room for all sets of it                          */
} servet__contend;

/* Rate of a set of CPUs: the median of three samples. */
SERVET__PRIVATE int servet__contend_sample(servet__contend *t, servet_contention_set *set, double bytes)
{
    enum { SERVET__EACH = 3 };
    servet_stream_sample s[SERVET__EACH];
    double x[SERVET__EACH];
    int cpu[SERVET_CORES_MAX], i, status;
    servet_streams q;
    memset(&q, 0, sizeof q);
    memset(s, 0, sizeof s);
    q.cpus = servet__set_places(set->cpus, cpu);
    for (i = 0; i < q.cpus; i++) cpu[i] = t->c->cpu[cpu[i]];
    q.stream = &t->stream;
    q.streams = 1;
    q.rounds = SERVET__EACH;
    q.cpu = cpu;
    q.bytes = bytes;
    q.effort = t->o.effort;
    q.seed = servet_stats_random(&t->seed);
    status = t->m->bandwidth(t->m->ctx, &q, s);
    if (status < 0) return status;
    for (i = 0; i < SERVET__EACH; i++) {
        if (!(s[i].bytes_per_s > 0) || !servet__finite(s[i].bytes_per_s)) return SERVET_ENOISE;
        x[i] = s[i].bytes_per_s;
    }
    t->c->vector = s[0].vector;
    t->c->taken += SERVET__EACH;
    set->bytes_per_s[set->rounds++] = (float)servet__contention_median(x, SERVET__EACH);
    return SERVET_OK;
}

/* Adds a set to the batch that is asked for, unless it is there. */
SERVET__PRIVATE void servet__contend_add(servet__contend *t, const uint64_t *cpus)
{
    servet_contention *c = t->c;
    servet_contention_set *s = &c->set[c->sets];
    int i;
    for (i = t->batch; i < c->sets; i++) if (servet__set_equal(c->set[i].cpus, cpus)) return;
    t->full |= c->sets == SERVET_CONTENTION_SETS;
    if (t->full) return;
    memset(s, 0, sizeof *s);
    memcpy(s->cpus, cpus, sizeof s->cpus);
    s->batch = t->batch > 0 ? c->set[t->batch - 1].batch + 1 : 0;
    c->sets++;
}

/* Is what the batch was asked for known?  A loss to a tenth, to 3 % where some is lost; of pairs every other, as many
 * make a level.  A batch without losses, of rates alone, asks for no more rounds than the least. */
SERVET__PRIVATE int servet__contend_clear(const servet__contend *t)
{
    const servet_contention *c = t->c;
    double x[SERVET_CONTENTION_ROUNDS];
    int part[SERVET_CORES_MAX], s, parts, losses = 0, unclear = 0;
    for (s = t->batch; s < c->sets; s++) {
        servet_contention_gamma g;
        if ((parts = servet__contention_parts(c, s, part)) == 0) continue;
        losses++;
        memset(&g, 0, sizeof g);
        if (servet__bandwidth_gamma(&g, x, servet__contention_left(c, s, part, parts, x)) < 0
            || g.verdict == SERVET_COLLIDE_UNKNOWN
            || g.hi - g.lo > (g.verdict == SERVET_COLLIDE_PARTLY ? 0.03 : 0.1)) unclear++;
    }
    return unclear <= (t->pairs ? losses / 2 : 0);
}

/* Samples the sets of the batch in rounds, each in random order, until what was asked for is known.  Of pairs three
 * rounds are enough when seven tenths of the time are over: the rest is for groups.  A batch of fewer is dropped. */
SERVET__PRIVATE int servet__contend_batch(servet__contend *t)
{
    const double pairs_frac = 0.7;
    servet_contention *c = t->c;
    const int sets = c->sets - t->batch;
    int order[SERVET_CONTENTION_SETS], i, r, most = 1, status = SERVET_OK;
    double bytes;
    for (i = 0; i < sets; i++) {
        const int size = servet__set_size(c->set[t->batch + i].cpus);
        order[i] = t->batch + i;
        if (size > most) most = size;
    }
    bytes = servet__min(t->bytes, t->m->bytes / most);
    for (r = 0; status >= 0 && !t->watch.over && r < t->o.rounds_max; r++) {
        if (r >= t->o.rounds && servet__contend_clear(t)) break;
        for (i = sets - 1; i > 0; i--) {
            const int j = (int)servet_stats_random_below(&t->seed, (size_t)i + 1), k = order[i];
            order[i] = order[j];
            order[j] = k;
        }
        for (i = 0; status >= 0 && i < sets; i++) {
            const double done = servet__min((r + (double)i / sets) / t->o.rounds_max, 1);
            if (servet__watch_over(&t->watch, t->part_from + (t->part_to - t->part_from) * done)) break;
            if (t->pairs && r >= SERVET__CONTENTION_LEAST
                && servet__watch_used(&t->watch) > pairs_frac * t->o.run.budget_s) return SERVET_OK;
            status = servet__contend_sample(t, &c->set[order[i]], bytes);
        }
    }
    c->stopped = t->watch.over;
    if (r < SERVET__CONTENTION_LEAST + t->watch.over) c->sets = t->batch;
    return status;
}

/* Asks for pairs whose level is not known, each beside its CPUs alone: all of them, if they are not too many; if they
 * are and none was measured, the first, the middle and the last of each class, of up to eight groups of a layer. */
SERVET__PRIVATE void servet__contend_pairs(servet__contend *t)
{
    enum { SERVET__ALL = 120, SERVET__MORE = 512, SERVET__GROUPS = 8 };     /* 120: of 16 CPUs */
    const servet_contention *c = t->c;
    int of_class[SERVET__CONTENTION_CLASSES], seen[SERVET__CONTENTION_CLASSES], groups[SERVET_PAIRS_LAYERS + 1];
    int pair[SERVET__MORE][2], pairs = 0, open = 0, a, b, k, l, all;
    memset(of_class, 0, sizeof of_class);
    memset(seen, 0, sizeof seen);
    for (l = 0; l <= c->given; l++)
        groups[l] = l == c->given ? 1
                  : (int)(c->cpus / servet__max(servet__contention_share(c->given_group[l], c->cpus), 1));
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            open += c->overhead[servet_pairs_cores_at(a, b)] == -2;
            of_class[servet__contention_class(c, a, b)]++;
        }
    all = open <= (c->pairs > 0 ? (int)SERVET__MORE - c->pairs : (int)SERVET__ALL);
    if (!all && c->pairs > 0) return;
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b && pairs < SERVET__MORE; a++) {
            const int which = servet__contention_class(c, a, b), n = of_class[which], at = seen[which]++;
            const int every = (groups[which / SERVET_CORES_MAX] + SERVET__GROUPS - 1) / SERVET__GROUPS;
            if (c->overhead[servet_pairs_cores_at(a, b)] != -2) continue;
            if (!all && (which % SERVET_CORES_MAX % every || (at != 0 && at != n / 2 && at != n - 1))) continue;
            pair[pairs][0] = a;
            pair[pairs++][1] = b;
        }
    for (k = 0; k < 3 * pairs; k++) {       /* parts first */
        uint64_t set[SERVET__SET_WORDS] = { 0 };
        if (k < 2 * pairs) servet__set_add(set, pair[k / 2][k % 2]);
        else for (l = 0; l < 2; l++) servet__set_add(set, pair[k - 2 * pairs][l]);
        servet__contend_add(t, set);
    }
}

/* Asks for the children of a domain: each, neighbours at once, and all at once. */
SERVET__PRIVATE void servet__contend_children(servet__contend *t, int parent)
{
    int child[SERVET_CONTENTION_DOMAINS], k, i;
    const int children = servet__contention_children(t->c, parent, child);
    for (k = 0; k < 2 * children; k++) {
        uint64_t set[SERVET__SET_WORDS] = { 0 };
        const int of = k % children, all = k == 2 * children - 1;
        for (i = 0; i < children; i++)
            if (i == of || (k >= children && i == of + 1) || all) servet__contention_members(t->c, child[i], set);
        servet__contend_add(t, set);
    }
}

/* Asks for a domain by the number of its CPUs, one thread of each core first and its groups in turn: so the fewest are
 * enough, and no group is full while another idles. */
SERVET__PRIVATE int servet__contend_growth(servet__contend *t, int domain)
{
    const servet_contention *c = t->c;
    const servet_contention_domain *d = &c->domain[domain];
    int place[SERVET_CORES_MAX], order[SERVET_CORES_MAX], i, l, k, status;
    uint64_t set[SERVET__SET_WORDS] = { 0 };
    const int n = servet__contention_members(c, domain, set), levels = d->layer + 1;
    int *group = (int *)calloc((size_t)(levels * n), sizeof *group);
    if (!group) return SERVET_ENOMEM;
    servet__set_places(set, place);
    for (i = 0; i < n; i++) {
        for (l = 0; l < d->layer; l++) {    /* outermost first */
            const int g = c->group[d->layer - 1 - l][place[i]];
            group[l * n + i] = g < 0 ? SERVET_CORES_MAX + i : g;
        }
        l = t->o.core ? t->o.core[place[i]] : -1;
        group[d->layer * n + i] = l < 0 ? 32768 + i : l;
    }
    status = servet__bandwidth_order(order, group, levels, n, 1);
    free(group);
    memset(set, 0, sizeof set);
    for (i = 0, k = 1; status >= 0 && i < n; i++) {
        servet__set_add(set, place[order[i]]);
        if (i + 1 < k) continue;
        servet__contend_add(t, set);
        k = servet__bandwidth_next(k, n);
    }
    return status;
}

/* Asks for what is missing: pairs, else the children of a domain, else its scaling; nothing where there is no room. */
SERVET__PRIVATE int servet__contend_next(servet__contend *t, int children, int growth)
{
    const uint64_t first[SERVET__SET_WORDS] = { 1 };
    servet_contention *c = t->c;
    int status = SERVET_OK;
    t->batch = c->sets;
    t->full = 0;
    t->part_from = 0;
    t->part_to = 0.5;
    if (c->cpus > 1) servet__contend_pairs(t);
    else if (c->sets == 0) servet__contend_add(t, first);
    t->pairs = c->sets > t->batch;
    if (!t->pairs && children >= 0) {
        t->part_from = 0.5 + 0.3 * children / c->domains;
        t->part_to = 0.8;
        servet__contend_children(t, children);
    } else if (!t->pairs && growth >= 0) {
        t->part_from = 0.8 + 0.2 * growth / c->domains;
        t->part_to = 1;
        status = servet__contend_growth(t, growth);
    }
    if (t->full) c->sets = t->batch;
    return status;
}

SERVET__PRIVATE int servet__contend_all(servet__contend *t)
{
    servet_contention *c = t->c;
    int children = -1, growth = -1, levels = SERVET_EUNRESOLVED, status;
    for (;;) {
        status = servet__contend_next(t, children, growth);
        if (status >= 0 && c->sets > t->batch) status = servet__contend_batch(t);
        if (status < 0 || c->sets == t->batch) break;
        levels = servet__contention_infer(c, &children, &growth);
        if (levels < 0 || t->watch.over) break;
    }
    return status < 0 ? status : levels == SERVET_EUNRESOLVED ? (int)SERVET_ESTOPPED : levels;
}

SERVET__PRIVATE int servet__contend_resolve(servet_contention_opts *o, const servet_contention_opts *opts, int cpus)
{
    int i;
    memset(o, 0, sizeof *o);
    if (opts) *o = *opts;
    if (o->rounds == 0) o->rounds = 4;
    if (o->rounds_max == 0) o->rounds_max = SERVET_CONTENTION_ROUNDS;
    if (o->run.budget_s == 0) o->run.budget_s = 20;
    if (o->effort == 0) o->effort = 1;
    if (o->rounds < SERVET__CONTENTION_LEAST || o->rounds_max < o->rounds || o->rounds_max > SERVET_CONTENTION_ROUNDS
        || !(o->run.budget_s > 0) || !(o->effort >= 0.05 && o->effort <= 20)) return SERVET_EINVAL;
    if (o->layers && (o->layers->cores != cpus || o->layers->count < 0 || o->layers->count > SERVET_PAIRS_LAYERS))
        return SERVET_EINVAL;
    for (i = 0; o->node && i < cpus; i++) if (o->node[i] < -1) return SERVET_EINVAL;
    return SERVET_OK;
}

SERVET__DEF int servet_bandwidth_contention(servet_contention *out, const servet_machine *m, double bytes,
                                            const int *cpu, int cpus, const servet_contention_opts *opts)
{
    servet__contend t;
    int i, j, status;
    memset(&t, 0, sizeof t);
    if (!out || !m || !m->seconds || !cpu || cpus < 1 || cpus > SERVET_CORES_MAX
        || !(bytes >= (double)SERVET_STREAM_BYTES) || servet__contend_resolve(&t.o, opts, cpus) < 0)
        return SERVET_EINVAL;
    for (i = 0; i < cpus; i++) for (j = 0; j < i; j++) if (cpu[i] == cpu[j]) return SERVET_EINVAL;
    if (!m->bandwidth) return SERVET_EUNSUPPORTED;
    t.c = (servet_contention *)calloc(1, sizeof *t.c);
    if (!t.c) return SERVET_ENOMEM;
    t.m = m;
    t.seed = t.o.run.seed;
    t.stream.kernel = SERVET_STREAM_COPY;
    if (t.o.stream) t.stream = *t.o.stream;
    t.bytes = servet__min(bytes, m->bytes / (cpus > 1 ? 2 : 1));
    servet__watch_begin(&t.watch, m, &t.o.run);
    t.c->cpus = cpus;
    memcpy(t.c->cpu, cpu, (size_t)cpus * sizeof *cpu);
    t.c->kernel = t.stream.kernel;
    t.c->streaming = t.stream.streaming;
    t.c->bytes = t.bytes;
    for (i = 0; t.o.layers && i < t.o.layers->count; i++)
        servet__contention_layer(t.c->given_group, &t.c->given, SERVET_PAIRS_LAYERS, t.o.layers->group[i], cpus);
    if (t.o.node)
        servet__contention_layer(t.c->given_group, &t.c->given, SERVET_PAIRS_LAYERS, t.o.node, cpus);
    memset(t.c->overhead, -2, sizeof t.c->overhead);
    status = servet__contend_all(&t);
    if (status >= 0) {
        t.c->seconds = servet__watch_elapsed(&t.watch);
        *out = *t.c;
    }
    free(t.c);
    return status;
}

#endif /* !SERVET_PURE_ONLY */

/* >>coherence (implementation) ---------------------------------------------------------------- */

/* Quantities: the coherence block, bytes that go between caches as a whole; the destructive size, bytes between data of
 * different CPUs that none slows another; what an operation on one place costs by the number of CPUs.
 * Models: two CPUs that add in one block take the block from each other, in two they do not: times near those of
 * neighbouring words, or near those of places far apart.  A line that is fetched with another slows who works there.
 * Cost ~ cpus^power; stores that a buffer joins grow as reads do, not as alternating writes.
 * Estimators: a vote of samples against both references taken beside each (block); medians of ratios of neighbouring
 * samples with intervals of order statistics (slowdown, growth, power, exposure).
 * Fooled by: a neighbour on one of the CPUs (votes contradict: unresolved); CPUs that share their first cache (no
 * contrast: unsupported); prefetchers that fetch the neighbour only after another pattern.
 * References: P-Ray, Algorithm 1; the MareNostrum 5 study, section 4.5; Theil and Sen (power). */

/* Places of a pair: what samples say, and what follows. */
enum { SERVET__BLOCK_NEAR = 8, SERVET__BLOCK_FAR = 8192, SERVET__BLOCK_MOST = 1024, SERVET__BLOCK_VOTES = 4 };
typedef struct servet__block_view {
    const servet_block *block;
    int    need;                /* more of one vote than of the other, to be told                    */
    int    full;                /* 1 = there is no room for more places                              */
    int    want_base, want_distance, want_samples;   /* of what is not told, that with fewest samples; -1 = none */
    int    stuck;               /* 1 = something could not be told by as many samples as there may be */
    int    lo, hi;              /* so much is surely in one block; and so much not, 0 = not found     */
    int    contradicted, done;
    double wrong;               /* chance that something it rests on was told wrongly                */
} servet__block_view;

/* One more sample of one block than of two, or less, and so on. */
SERVET__PRIVATE int servet__block_votes(const servet_block_point *p)
{
    const double least_contrast = 0.4;   /* log of 1.5: below that, samples of some noise cannot be told by thirds */
    double vote[SERVET_SAMPLES_MAX], clean[SERVET_SAMPLES_MAX], votes = 0;
    size_t n;
    int i;
    for (i = 0; i < p->samples; i++) {
        double contrast, way;
        vote[i] = 0;
        if (!(p->sample_ns[i] > 0 && p->near_ns[i] > 0 && p->far_ns[i] > 0)) continue;
        contrast = log(p->near_ns[i] / p->far_ns[i]);
        way = log(p->sample_ns[i] / p->far_ns[i]);
        if (contrast > least_contrast) vote[i] = 3 * way > 2 * contrast ? 1 : 3 * way < contrast ? -1 : 0;
    }
    for (n = servet__clean(clean, vote, p->flags, p->samples, SERVET__BLOCK_VOTES); n > 0; n--) votes += clean[n - 1];
    return (int)votes;
}

/* Is it one block there?  1, -1, or 0 and it is wanted if it may still be told. */
SERVET__PRIVATE int servet__block_told(servet__block_view *v, int base, int distance)
{
    const servet_block_point *p = NULL;
    int i, votes = 0, samples = 0;
    for (i = 0; i < v->block->count && !p; i++)
        if (v->block->point[i].base_bytes == base && v->block->point[i].distance_bytes == distance)
            p = &v->block->point[i];
    if (p) {
        votes = servet__block_votes(p);
        samples = p->samples;
    }
    if (votes >= v->need || -votes >= v->need) {
        v->wrong += 1 / (1 + pow(9, votes > 0 ? votes : -votes));
        return votes > 0 ? 1 : -1;
    }
    if (samples >= SERVET_SAMPLES_MAX || (!p && v->full)) v->stuck = 1;
    else if (v->want_base < 0 || samples < v->want_samples) {
        v->want_base = base;
        v->want_distance = distance;
        v->want_samples = samples;
    }
    return 0;
}

/* Distances from a base of 0, doubled and bisected, and then bases within the block they give. */
SERVET__PRIVATE void servet__block_look(servet__block_view *v, const servet_block *block, int need)
{
    int d, told, i, half;
    memset(v, 0, sizeof *v);
    v->block = block;
    v->need = need;
    v->full = block->count >= SERVET_BLOCK_POINTS;
    v->want_base = -1;
    v->lo = SERVET__BLOCK_NEAR;
    for (d = 2 * SERVET__BLOCK_NEAR; d <= SERVET__BLOCK_MOST; d *= 2) {
        told = servet__block_told(v, 0, d);
        if (told > 0) v->lo = d;
        if (told < 0 && v->hi == 0) v->hi = d;
    }
    v->contradicted = v->hi > 0 && v->lo >= v->hi;
    if (v->contradicted || v->want_base >= 0 || v->hi == 0) return;
    while (v->hi - v->lo > SERVET__BLOCK_NEAR) {
        const int mid = (v->lo + v->hi) / (2 * SERVET__BLOCK_NEAR) * SERVET__BLOCK_NEAR;
        told = servet__block_told(v, 0, mid);
        if (told == 0) return;
        *(told > 0 ? &v->lo : &v->hi) = mid;
    }
    half = v->hi / (2 * SERVET__BLOCK_NEAR) * SERVET__BLOCK_NEAR;
    {
        const int place[5][3] = {   /* base, distance, and what is to be told */
            { half, v->hi - half, -1 }, { half, v->hi - half - SERVET__BLOCK_NEAR, 1 },
            { v->hi - SERVET__BLOCK_NEAR, SERVET__BLOCK_NEAR, -1 }, { v->hi, v->hi - SERVET__BLOCK_NEAR, 1 },
            { 2 * v->hi - SERVET__BLOCK_NEAR, SERVET__BLOCK_NEAR, -1 }
        };
        for (i = 0, told = 1; i < 5; i++) {
            int is;
            if (place[i][1] <= 0) continue;
            is = servet__block_told(v, place[i][0], place[i][1]);
            v->contradicted |= is == -place[i][2];
            told &= is != 0;
        }
        v->done = told && !v->contradicted;
    }
}

/* A contradiction is asked about again, by twice as many votes. */
SERVET__PRIVATE void servet__block_find(servet__block_view *v, const servet_block *block)
{
    servet__block_look(v, block, SERVET__BLOCK_VOTES);
    if (v->contradicted) servet__block_look(v, block, 2 * SERVET__BLOCK_VOTES);
}

/* Are neighbours no slower than places far apart?  Samples that say so must be eight more than others. */
SERVET__PRIVATE int servet__block_flat(const servet_block *block)
{
    int i, j, votes = 0;
    for (i = 0; i < block->count; i++)
        for (j = 0; j < block->point[i].samples; j++)
            votes += block->point[i].near_ns[j] < 1.5 * block->point[i].far_ns[j] ? 1 : -1;
    return votes >= 8;
}

/* Which place of a pair to try next.
 * 1 and where, or 0: all is told, contradicted for good, or cannot be. */
SERVET__PRIVATE int servet__coherence_next(const servet_block *block, int *base_bytes, int *distance_bytes)
{
    servet__block_view v;
    if (!block || !base_bytes || !distance_bytes || block->count < 0 || block->count > SERVET_BLOCK_POINTS)
        return SERVET_EINVAL;
    servet__block_find(&v, block);
    if (v.contradicted || v.want_base < 0 || servet__block_flat(block)) return 0;
    *base_bytes = v.want_base;
    *distance_bytes = v.want_distance;
    return 1;
}

/* Lower quartile of the clean samples of one sort at all places, with its interval. */
SERVET__PRIVATE void servet__block_reference(double *ns, double *lo, double *hi, const servet_block *block,
                                             int near_by)
{
    enum { SERVET__MOST = SERVET_BLOCK_POINTS * SERVET_SAMPLES_MAX };
    double x[SERVET__MOST], scratch[SERVET__MOST];
    servet_summary s;
    size_t n = 0;
    int i, j;
    for (i = 0; i < block->count; i++)
        for (j = 0; j < block->point[i].samples; j++)
            if (!block->point[i].flags[j])
                x[n++] = near_by ? block->point[i].near_ns[j] : block->point[i].far_ns[j];
    *ns = *lo = *hi = 0;
    if (servet_stats_summarise(&s, x, n, scratch) < 0) return;
    *ns = s.q25;
    *lo = s.lo;
    *hi = s.hi;
}

SERVET__PRIVATE void servet__block_infer(servet_block *b)
{
    double lo, hi;
    servet__block_view v;
    int i, j;
    for (i = 0; i < b->count; i++) {
        servet_block_point *p = &b->point[i];
        const int votes = servet__block_votes(p);
        p->told = votes >= SERVET__BLOCK_VOTES ? 1 : votes <= -SERVET__BLOCK_VOTES ? -1 : 0;
        for (p->noisy = 0, j = 0; j < p->samples; j++) p->noisy += p->flags[j] != 0;
        servet__clean_quartile(&p->ns, &lo, &hi, p->sample_ns, p->flags, p->samples);
    }
    servet__block_reference(&b->near_ns, &b->lo_near_ns, &b->hi_near_ns, b, 1);
    servet__block_reference(&b->far_ns, &b->lo_far_ns, &b->hi_far_ns, b, 0);
    servet__block_find(&v, b);
    b->bytes = b->lo_bytes = b->hi_bytes = b->confidence_frac = 0;
    if (servet__block_flat(b)) {
        b->status = SERVET_EUNSUPPORTED;
        return;
    }
    b->status = v.done ? (int)SERVET_OK : (int)SERVET_EUNRESOLVED;
    if (v.contradicted) return;
    b->lo_bytes = v.lo + SERVET__BLOCK_NEAR;
    b->hi_bytes = v.hi;
    if (!v.done) return;
    b->bytes = v.hi;
    b->confidence_frac = servet__max(1 - v.wrong, 0);
}

/* Where two lines are tried, in lines; the first four must be as they are. */
static const int servet__destructive_at[SERVET_DESTRUCTIVE_POINTS][2] = {
    { 0, 1 }, { 2, 1 }, { 1, 1 }, { 3, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 0, 4 }, { 0, 8 }
};
enum { SERVET__DESTRUCTIVE_FAR = 3072, SERVET__DESTRUCTIVE_LEAST = 10 };

/* small_frac: a slowdown below that is none. */
SERVET__PRIVATE void servet__destructive_slowdown(servet_destructive_point *p, double small_frac)
{
    double slowdown[SERVET_SAMPLES_MAX], clean[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];
    int i, n = 0;
    p->slowdown = p->lo_slowdown = p->hi_slowdown = 0;
    for (p->told = p->noisy = 0, i = 0; i < p->samples; i++) {
        p->noisy += p->flags[i] != 0;
        if (!(p->sample_ns[i] > 0 && p->far_ns[i] > 0)) continue;
        flags[n] = p->flags[i];
        slowdown[n++] = p->sample_ns[i] / p->far_ns[i] - 1;
    }
    if (servet__median_interval(&p->slowdown, &p->lo_slowdown, &p->hi_slowdown, clean,
                                servet__clean(clean, slowdown, flags, n, SERVET__DESTRUCTIVE_LEAST), 0.002))
        p->told = p->lo_slowdown > 0.02 ? 1 : p->hi_slowdown < small_frac ? -1 : 0;
}

/* What is less than half of what interference does when it is made is none of its kind. */
SERVET__PRIVATE void servet__destructive_slowdowns(servet_destructive *d)
{
    const double most_frac = 0.1;
    int i;
    servet__destructive_slowdown(&d->control, most_frac);
    for (i = 0; i < d->count; i++)
        servet__destructive_slowdown(&d->point[i], servet__min(most_frac, d->control.slowdown / 2));
}

/* The least number of lines, a power of two, such that none so far apart slow each other. */
SERVET__PRIVATE void servet__destructive_infer(servet_destructive *d)
{
    int i, lines = 1, open_lines = 1, pair, next;
    servet__destructive_slowdowns(d);
    d->neighbour = SERVET_NEIGHBOUR_UNKNOWN;
    d->bytes = d->lo_bytes = d->hi_bytes = 0;
    if (d->method == SERVET_DESTRUCTIVE_NONE || d->control.told != 1 || d->count < 4) return;
    for (i = 0; i < d->count; i++) {
        const int apart = servet__destructive_at[i][1];
        while (d->point[i].told == 1 && lines <= apart) lines *= 2;
        while (d->point[i].told != -1 && open_lines <= apart) open_lines *= 2;
    }
    d->lo_bytes = lines * d->block_bytes;
    d->hi_bytes = open_lines > servet__destructive_at[d->count - 1][1] ? 0 : open_lines * d->block_bytes;
    pair = d->point[0].told == d->point[1].told ? d->point[0].told : 0;
    next = d->point[2].told == d->point[3].told ? d->point[2].told : 0;
    /* of four fetched together the second and third are two of the same, the fourth and fifth are not */
    if (lines >= 4 && d->point[2].told == 1 && d->point[3].told == -1) next = -1;
    /* fetched in pairs or with what follows: one of two that should be alike, and is not, says neither */
    if (lines != open_lines || !(d->hi_bytes > 0) || pair == 0 || next == 0 || (pair < 0 && next > 0)) return;
    d->bytes = d->lo_bytes;
    d->neighbour = next > 0 ? SERVET_NEIGHBOUR_NEXT : pair > 0 || lines > 1 ? SERVET_NEIGHBOUR_PAIR
                 : SERVET_NEIGHBOUR_FREE;
}

#define SERVET__COST_CONTRAST 0.4   /* log of 1.5: what alternating writes must grow beyond reads */

/* What follows from the samples of one round, if they are all there; *flags: those of all that it follows from. */

/* Growth: log of the time by the `at`-th number of CPUs over that by one. */
SERVET__PRIVATE int servet__cost_growth(double *growth, unsigned char *flags, const servet_costs *c, int operation,
                                        int at, int round)
{
    const servet_cost_point *one = &c->point[operation][0], *many = &c->point[operation][at];
    if (round >= one->samples || round >= many->samples || !(one->sample_ns[round] > 0 && many->sample_ns[round] > 0))
        return 0;
    *growth = log(many->sample_ns[round] / one->sample_ns[round]);
    *flags = (unsigned char)(*flags | one->flags[round] | many->flags[round]);
    return 1;
}

/* Power: slope of log time over log CPUs, from two CPUs on: the median over pairs of points, which one sample that was
 * disturbed hardly moves (Theil and Sen). */
SERVET__PRIVATE int servet__cost_power(double *power, unsigned char *flags, const servet_costs *c, int operation,
                                       int round)
{
    double slope[SERVET_COST_POINTS * SERVET_COST_POINTS / 2];
    size_t n = 0;
    int i, j;
    for (i = 0; i < c->count; i++) {
        const servet_cost_point *p = &c->point[operation][i];
        if (p->cpus < 2) continue;
        if (round >= p->samples || !(p->sample_ns[round] > 0)) return 0;
        *flags |= p->flags[round];
        for (j = 0; j < i; j++) {
            const servet_cost_point *q = &c->point[operation][j];
            if (q->cpus >= 2)
                slope[n++] = log(p->sample_ns[round] / q->sample_ns[round]) / log((double)p->cpus / q->cpus);
        }
    }
    if (n < 3) return 0;
    servet_stats_sort(slope, n);
    *power = servet_stats_quantile(slope, n, 0.5);
    return 1;
}

/* Exposure: how far writes grew, from as reads to as alternating writes did; nothing where these differ too little. */
SERVET__PRIVATE int servet__cost_exposure(double *exposed, unsigned char *flags, const servet_costs *c, int at,
                                          int round)
{
    double grown[SERVET_OPERATE_ALTERNATE + 1];
    int op;
    for (op = 0; op <= SERVET_OPERATE_ALTERNATE; op++)
        if (!servet__cost_growth(&grown[op], flags, c, op, at, round)) return 0;
    if (!(grown[SERVET_OPERATE_ALTERNATE] - grown[SERVET_OPERATE_READ] > SERVET__COST_CONTRAST)) return 0;
    *exposed = (grown[SERVET_OPERATE_WRITE] - grown[SERVET_OPERATE_READ])
             / (grown[SERVET_OPERATE_ALTERNATE] - grown[SERVET_OPERATE_READ]);
    return 1;
}

/* Median over the rounds and its 95 % interval, of clean rounds where ten are; 0 where so few cannot give one. */
enum { SERVET__COST_GROWTH, SERVET__COST_POWER, SERVET__COST_EXPOSURE, SERVET__COST_LEAST = 10 };
SERVET__PRIVATE int servet__cost_median(double *median, double *lo, double *hi, const servet_costs *c, int what,
                                        int operation)
{
    double x[SERVET_SAMPLES_MAX], clean[SERVET_SAMPLES_MAX];
    unsigned char flags[SERVET_SAMPLES_MAX];
    int n = 0, round;
    for (round = 0; round < SERVET_SAMPLES_MAX && c->count > 1; round++) {
        flags[n] = 0;
        n += what == SERVET__COST_GROWTH ? servet__cost_growth(&x[n], &flags[n], c, operation, c->count - 1, round)
           : what == SERVET__COST_POWER ? servet__cost_power(&x[n], &flags[n], c, operation, round)
           : servet__cost_exposure(&x[n], &flags[n], c, c->count - 1, round);
    }
    return servet__median_interval(median, lo, hi, clean, servet__clean(clean, x, flags, n, SERVET__COST_LEAST), 0.05);
}

SERVET__PRIVATE void servet__cost_point_estimate(servet_cost_point *p)
{
    double lo, hi;
    int i;
    for (p->noisy = 0, i = 0; i < p->samples; i++) p->noisy += p->flags[i] != 0;
    servet__clean_quartile(&p->ns, &p->lo_ns, &p->hi_ns, p->sample_ns, p->flags, p->samples);
    servet__clean_quartile(&p->slowest_ns, &lo, &hi, p->sample_slowest_ns, p->flags, p->samples);
}

SERVET__PRIVATE void servet__costs_infer(servet_costs *c)
{
    double mid, lo, hi;
    int op, i;
    c->buffered = SERVET_BUFFERED_UNKNOWN;
    c->exposed = c->lo_exposed = c->hi_exposed = 0;
    for (op = 0; op < SERVET_COST_OPERATIONS; op++) {
        for (i = 0; i < c->count; i++) servet__cost_point_estimate(&c->point[op][i]);
        c->growth[op] = c->lo_growth[op] = c->hi_growth[op] = 0;
        c->power[op] = c->lo_power[op] = 0;
        c->hi_power[op] = -1;
        if (servet__cost_median(&mid, &lo, &hi, c, SERVET__COST_GROWTH, op)) {
            c->growth[op] = exp(mid);
            c->lo_growth[op] = exp(lo);
            c->hi_growth[op] = exp(hi);
        }
        if (servet__cost_median(&mid, &lo, &hi, c, SERVET__COST_POWER, op)) {
            c->power[op] = mid;
            c->lo_power[op] = lo;
            c->hi_power[op] = hi;
        }
    }
    if (!servet__cost_median(&mid, &lo, &hi, c, SERVET__COST_EXPOSURE, 0)) return;
    c->exposed = mid;
    c->lo_exposed = lo;
    c->hi_exposed = hi;
    if (!(c->lo_growth[SERVET_OPERATE_ALTERNATE] > exp(SERVET__COST_CONTRAST) * c->hi_growth[SERVET_OPERATE_READ]))
        return;
    if (hi < 0.5) c->buffered = SERVET_BUFFERED_SHOWN;
    if (lo > 0.5) c->buffered = SERVET_BUFFERED_REFUTED;
}

/* Set all that is inferred from samples.
 * Block: a sample says "one block" where its time is nearer to that of neighbours than to that of places far apart,
 * both taken beside it, by two thirds of the way in logarithms, and "two" likewise; a place is told by four more of one
 * than of the other.  Samples that are wrong one time in ten mislead by that once in 6500.  The block is the smallest
 * distance told apart from a base of 0 where all that was told agrees: below it one, from it on two, and from bases
 * within the block its end at the same place.
 * Destructive: the median of ratios of neighbouring samples, with an interval of order statistics that fails twice in a
 * thousand: slowed where it lies above 1.02, not where it lies below 1.1 and half of what the control is slowed by.
 * Costs: medians of ratios over rounds; buffered is shown where alternating writes surely grow by more than half and
 * writes surely less than half as much (in logarithms), refuted where surely more than half. */
SERVET__PRIVATE void servet__coherence_infer(servet_coherence *out)
{
    int i;
    for (i = 0; i < out->blocks; i++) servet__block_infer(&out->block[i]);
    servet__destructive_infer(&out->destructive);
    servet__costs_infer(&out->costs);
}

/* The largest block that was found, or 0. */
SERVET__PRIVATE double servet__coherence_largest(const servet_coherence *c)
{
    double most = 0;
    int i;
    for (i = 0; i < c->blocks; i++) most = servet__max(most, c->block[i].bytes);
    return most;
}

SERVET__DEF double servet_coherence_destructive_bytes(const servet_coherence *c)
{
    return c->destructive.bytes > 0 ? c->destructive.bytes : servet__coherence_largest(c);
}

#if !defined(SERVET_PURE_ONLY)

/* A measurement under way. */
enum { SERVET__SHARING_RETAKES = 2 };   /* of a disturbed sample, at once */
typedef struct servet__sharing_work {
    servet_coherence *out;
    const servet_machine *m;
    servet_coherence_opts o;
    servet__watch watch;
    double parts, done;
    int    taken;
} servet__sharing_work;

SERVET__PRIVATE int servet__coherence_begin(servet__sharing_work *w, servet_coherence *out, const servet_machine *m,
                                            const int *cpu, int cpus, const servet_coherence_opts *opts)
{
    memset(w, 0, sizeof *w);
    if (opts) w->o = *opts;
    if (w->o.rounds == 0) w->o.rounds = 12;
    if (w->o.run.budget_s == 0) w->o.run.budget_s = 1;
    if (w->o.effort == 0) w->o.effort = 1;
    if (!out || !m || !cpu || cpus < 1 || cpus > 64 * SERVET_CPU_WORDS || w->o.rounds < 1
        || w->o.rounds > SERVET_SAMPLES_MAX || !(w->o.run.budget_s > 0) || !(w->o.effort >= 0.05 && w->o.effort <= 20)
        || out->blocks < 0 || out->blocks > SERVET_BLOCK_PAIRS) return SERVET_EINVAL;
    if (!m->operate || !m->seconds) return SERVET_EUNSUPPORTED;
    w->out = out;
    w->m = m;
    servet__watch_begin(&w->watch, m, &w->o.run);
    return SERVET_OK;
}

SERVET__PRIVATE int servet__coherence_over(servet__sharing_work *w)
{
    if (servet__watch_over(&w->watch, w->done++ / w->parts)) w->out->stopped = 1;
    return w->watch.over;
}

SERVET__PRIVATE int servet__coherence_end(servet__sharing_work *w, int status)
{
    w->out->seconds += servet__watch_elapsed(&w->watch);
    w->out->taken += w->taken;
    servet__coherence_infer(w->out);
    return status < 0 ? status : w->taken > 0 ? (int)SERVET_OK : (int)SERVET_ESTOPPED;
}

/* ns of an operation of one CPU, harmonic mean over them: what they get done together.  The longest in *slowest. */
SERVET__PRIVATE double servet__operated(double *slowest, unsigned *flags, const servet_sample *sample, int cpus)
{
    double rate = 0;
    int i;
    for (*slowest = 0, i = 0; i < cpus; i++) {
        rate += sample[i].ns > 0 ? 1 / sample[i].ns : 0;
        *slowest = servet__max(*slowest, sample[i].ns);
        *flags |= sample[i].flags & 255;
    }
    return rate > 0 ? cpus / rate : 0;
}

/* Two CPUs add at two places. */
SERVET__PRIVATE int servet__block_add(servet__sharing_work *w, double *ns, unsigned *flags, const int *cpu, int base,
                                      int other, uint64_t seed)
{
    servet_operate q;
    servet_sample s[2];
    uint32_t offset[2];
    double slowest;
    int status;
    memset(&q, 0, sizeof q);
    offset[0] = (uint32_t)base;
    offset[1] = (uint32_t)other;
    q.cpu = cpu;
    q.cpus = 2;
    q.offset = offset;
    q.operation = SERVET_OPERATE_ATOMIC;
    q.effort = w->o.effort / 3;    /* neighbours and others differ by factors: short samples will do */
    q.seed = seed;
    status = w->m->operate(w->m->ctx, &q, s);
    if (status >= 0) *ns = servet__operated(&slowest, flags, s, 2);
    return status;
}

/* One sample of a place with its references, all in one block of memory; the CPUs change places each time. */
SERVET__PRIVATE int servet__block_sample(servet__sharing_work *w, servet_block *b, int base, int distance)
{
    servet_block_point *p = NULL;
    double ns[3];
    unsigned flags = 0;
    int i, status = SERVET_OK, cpu[2], take;
    for (i = 0; i < b->count && !p; i++)
        if (b->point[i].base_bytes == base && b->point[i].distance_bytes == distance) p = &b->point[i];
    for (take = 0; take <= SERVET__SHARING_RETAKES && (take == 0 || flags); take++) {
        const uint64_t seed = w->o.run.seed + (uint64_t)(unsigned)w->taken++;
        cpu[0] = b->cpu[w->taken & 1];
        cpu[1] = b->cpu[1 - (w->taken & 1)];
        flags = 0;
        for (i = 0; i < 3; i++) {
            const int other[3] = { base ^ SERVET__BLOCK_NEAR, base + SERVET__BLOCK_FAR, base + distance };
            status = servet__block_add(w, &ns[i], &flags, cpu, base, other[i], seed);
            if (status < 0) return status;
        }
    }
    if (!p) {
        p = &b->point[b->count++];
        memset(p, 0, sizeof *p);
        p->base_bytes = base;
        p->distance_bytes = distance;
    }
    p->near_ns[p->samples] = ns[0];
    p->far_ns[p->samples] = ns[1];
    p->sample_ns[p->samples] = ns[2];
    p->flags[p->samples++] = (unsigned char)flags;
    return SERVET_OK;
}

SERVET__DEF int servet_coherence_block(servet_coherence *out, const servet_machine *m, const int *cpu, int pairs,
                                       const servet_coherence_opts *opts)
{
    servet__sharing_work w;
    int k, status = servet__coherence_begin(&w, out, m, cpu, pairs, opts), over = 0;
    if (status < 0) return status;
    if (pairs > SERVET_BLOCK_PAIRS - out->blocks) return SERVET_ESPACE;
    for (k = 0; k < pairs; k++) if (cpu[2 * k] == cpu[2 * k + 1]) return SERVET_EINVAL;
    w.parts = 70.0 * pairs;
    for (k = 0; k < pairs && status >= 0 && !over; k++) {
        servet_block *b = &out->block[out->blocks];
        int base, distance;
        memset(b, 0, sizeof *b);
        b->cpu[0] = cpu[2 * k];
        b->cpu[1] = cpu[2 * k + 1];
        w.done = servet__max(w.done, 70.0 * k);
        while (status >= 0 && servet__coherence_next(b, &base, &distance) > 0 && !(over = servet__coherence_over(&w)))
            status = servet__block_sample(&w, b, base, distance);
        if (b->count > 0) out->blocks++;
    }
    return servet__coherence_end(&w, status);
}

/* Median of three times, of the clean ones where two are; *flags: those of what it is the median of. */
SERVET__PRIVATE double servet__sharing_median(unsigned *flags, const servet_sample *sample, int step)
{
    double ns[3], x[3];
    unsigned char disturbed[3];
    size_t n;
    int i;
    for (i = 0; i < 3; i++) {
        ns[i] = sample[i * step].ns;
        disturbed[i] = (unsigned char)(sample[i * step].flags & 255);
    }
    n = servet__clean(x, ns, disturbed, 3, 2);
    if (n == 3) *flags |= (unsigned)(disturbed[0] | disturbed[1] | disturbed[2]);
    servet_stats_sort(x, n);
    return servet_stats_quantile(x, n, 0.5);
}

/* ns of what CPUs do in the first line, while others do the same in a second, or another has that fetched. */
SERVET__PRIVATE int servet__destructive_take(servet__sharing_work *w, double *ns, unsigned *flags, const int *cpu,
                                             int first, int second, uint64_t seed)
{
    static const int each[2] = { SERVET_OPERATE_ATOMIC, SERVET_OPERATE_FETCH };
    servet_sample s[6];
    uint32_t place[2];
    int status;
    place[0] = (uint32_t)first;
    place[1] = (uint32_t)second;
    if (w->out->destructive.method == SERVET_DESTRUCTIVE_PAIRS) {
        servet_handoff q;
        memset(&q, 0, sizeof q);
        q.cpu = cpu;
        q.pairs = 2;
        q.kind = SERVET_HANDOFF_CAS;
        q.offset = place;
        q.rounds = 3;
        q.effort = w->o.effort / 3;
        q.seed = seed;
        status = w->m->handoff(w->m->ctx, &q, s);
    } else {
        servet_operate q;
        memset(&q, 0, sizeof q);
        q.cpu = cpu;
        q.cpus = 2;
        q.offset = place;
        q.each = each;
        q.rounds = 3;
        q.effort = w->o.effort / 3;
        q.seed = seed;
        status = w->m->operate(w->m->ctx, &q, s);
    }
    /* of the first alone: the second line has another home each time, which may be nearer or farther */
    if (status >= 0) *ns = servet__sharing_median(flags, s, 2);
    return status;
}

/* A sample of a distance and one far apart, first one first and then the other; first and second pair, or CPU, change
 * places from round to round. */
SERVET__PRIVATE int servet__destructive_sample(servet__sharing_work *w, servet_destructive_point *p, const int *cpu,
                                               int round)
{
    const int pairs = w->out->destructive.method == SERVET_DESTRUCTIVE_PAIRS, per = pairs ? 2 : 1;
    const int far_off = p->base_bytes + SERVET__DESTRUCTIVE_FAR, near_by = p->base_bytes + p->distance_bytes;
    const uint64_t seed = w->o.run.seed + (uint64_t)(unsigned)round;
    double ns[2] = { 0, 0 };
    unsigned flags = 1;
    int turned[4], take, i, status = SERVET_OK;
    for (i = 0; i < 2 * per; i++) turned[i] = cpu[(i + (round & 1) * per) % (2 * per)];
    for (take = 0; take <= SERVET__SHARING_RETAKES && flags; take++, w->taken++)
        for (flags = 0, i = 0; i < 2; i++) {
            const int is_far = (i + round / 2) & 1;
            status = servet__destructive_take(w, &ns[is_far], &flags, turned, p->base_bytes, is_far ? far_off : near_by,
                                              seed);
            if (status < 0) return status;
        }
    p->sample_ns[p->samples] = ns[0];
    p->far_ns[p->samples] = ns[1];
    p->flags[p->samples++] = (unsigned char)flags;
    return SERVET_OK;
}

SERVET__DEF int servet_coherence_destructive(servet_coherence *out, const servet_machine *m, const int *cpu, int cpus,
                                             double block_bytes, const servet_coherence_opts *opts)
{
    servet__sharing_work w;
    servet_destructive *d;
    int i, round, over = 0, undecided = 1, status = servet__coherence_begin(&w, out, m, cpu, cpus, opts);
    if (status < 0) return status;
    if (cpus < 2) return SERVET_EUNSUPPORTED;
    if (block_bytes == 0) block_bytes = servet__coherence_largest(out);
    if (block_bytes == 0) return SERVET_EUNRESOLVED;
    if (!(block_bytes >= 16 && block_bytes <= 256) || fmod(block_bytes, 8) > 0) return SERVET_EINVAL;
    d = &out->destructive;
    memset(d, 0, sizeof *d);
    d->method = cpus >= 4 && m->handoff ? SERVET_DESTRUCTIVE_PAIRS : SERVET_DESTRUCTIVE_FETCH;
    d->block_bytes = block_bytes;
    for (i = 0; i < SERVET_DESTRUCTIVE_POINTS; i++) {
        servet_destructive_point *p = &d->point[d->count];
        p->base_bytes = (int)block_bytes * servet__destructive_at[i][0];
        p->distance_bytes = (int)block_bytes * servet__destructive_at[i][1];
        if (p->base_bytes + p->distance_bytes > SERVET__DESTRUCTIVE_FAR / 2) break;
        d->count++;
    }
    d->control.distance_bytes = 8;    /* what others do in the same line must be seen: else nothing can */
    w.parts = w.o.rounds * (d->count + 1);
    for (round = 0; status >= 0 && !over && round < SERVET_SAMPLES_MAX && (round < w.o.rounds || undecided); round++) {
        for (i = -1; status >= 0 && i < d->count && !over; i++) {
            servet_destructive_point *p = i < 0 ? &d->control : &d->point[i];
            if (round >= w.o.rounds && p->told != 0) continue;
            if ((over = servet__coherence_over(&w)) != 0) break;
            status = servet__destructive_sample(&w, p, cpu, round);
        }
        if (round + 1 < w.o.rounds) continue;
        servet__destructive_slowdowns(d);
        for (undecided = d->control.told == 0, i = 0; i < d->count; i++) undecided |= d->point[i].told == 0;
    }
    if (d->control.samples == 0) memset(d, 0, sizeof *d);
    return servet__coherence_end(&w, status);
}

/* The point of an operation by so many CPUs; NULL where there is no room. */
SERVET__PRIVATE servet_cost_point *servet__cost_at(servet_costs *c, int operation, int cpus)
{
    int i;
    for (i = 0; i < c->count && c->point[operation][i].cpus != cpus; i++) { }
    if (i == c->count) {
        int op;
        if (c->count == SERVET_COST_POINTS || (i > 0 && c->point[0][i - 1].cpus > cpus)) return NULL;
        for (op = 0; op < SERVET_COST_OPERATIONS; op++) {
            memset(&c->point[op][i], 0, sizeof c->point[op][i]);
            c->point[op][i].cpus = cpus;
        }
        c->count++;
    }
    return &c->point[operation][i];
}

SERVET__DEF int servet_coherence_costs(servet_coherence *out, const servet_machine *m, const int *cpu, int cpus,
                                       const servet_coherence_opts *opts)
{
    enum { SERVET__COST_TURNS = 3 };
    servet__sharing_work w;
    servet_sample *samples = NULL;
    int k, op, turn, i, status = servet__coherence_begin(&w, out, m, cpu, cpus, opts), over = 0;
    if (status < 0) return status;
    samples = (servet_sample *)calloc((size_t)cpus * SERVET_SAMPLES_MAX, sizeof *samples);
    if (!samples) return SERVET_ENOMEM;
    w.parts = (int)SERVET__COST_TURNS * (int)SERVET_COST_OPERATIONS * (2 * log2((double)cpus) + 1);
    for (turn = 0; turn < 2 * (int)SERVET__COST_TURNS; turn++) {
        const int third = turn % (int)SERVET__COST_TURNS;
        const int rounds = w.o.rounds * (third + 1) / (int)SERVET__COST_TURNS
                         - w.o.rounds * third / (int)SERVET__COST_TURNS;
        if (turn == (int)SERVET__COST_TURNS) {   /* as many again where the answer is open */
            servet__costs_infer(&out->costs);
            if (cpus == 1 || out->costs.buffered != SERVET_BUFFERED_UNKNOWN) break;
        }
        for (k = 1; k <= cpus; k = servet__bandwidth_next(k, cpus))
            for (op = 0; op < SERVET_COST_OPERATIONS; op++) {
                servet_cost_point *p;
                servet_operate q;
                if (status < 0 || rounds == 0 || over || (over = servet__coherence_over(&w)) != 0) continue;
                p = servet__cost_at(&out->costs, op, k);
                if (!p) {
                    status = SERVET_ESPACE;
                    continue;
                }
                memset(&q, 0, sizeof q);
                q.cpu = cpu;
                q.cpus = k;
                q.operation = op;
                q.rounds = rounds;
                q.effort = w.o.effort;
                q.seed = w.o.run.seed + (uint64_t)(unsigned)turn;
                status = m->operate(m->ctx, &q, samples);
                for (i = 0; status >= 0 && i < rounds && p->samples < SERVET_SAMPLES_MAX; i++, p->samples++) {
                    unsigned flags = 0;
                    p->sample_ns[p->samples] = servet__operated(&p->sample_slowest_ns[p->samples], &flags,
                                                                samples + (size_t)i * (size_t)k, k);
                    p->flags[p->samples] = (unsigned char)flags;
                    w.taken++;
                }
            }
    }
    free(samples);
    return servet__coherence_end(&w, status);
}

#endif /* !SERVET_PURE_ONLY */

#endif /* SERVET_HAS(CORES) */

/* >>network (implementation) ------------------------------------------------------------------ */

/* Quantity   what a message costs between two ranks, from the record of a network: alone, among others, by distance.
 * Model      time is linear in bytes between thresholds of the protocol; many at once take longer by a factor that
 *            is linear in their number and in the logarithm of bytes; a ratio is linear between distances.
 * Estimator  the nearest records; intervals of independent factors add in squares on a logarithmic scale.
 * Fooled by  sizes beyond those measured (in proportion, with an interval that holds any start-up time).
 * References Servet 2010, III-D; Servet 3.0, section 4. */

#if SERVET_HAS(NETWORK)

SERVET__DEF const char *servet_network_name(const servet_network *n, int host)
{
    const char *name;
    if (!n || host < 0 || host >= n->hosts) return "";
    for (name = n->names; host && name < n->names + SERVET_NETWORK_NAMES - 1; host--) name += strlen(name) + 1;
    return name < n->names + SERVET_NETWORK_NAMES - 1 ? name : "";
}

SERVET__DEF int servet_network_layer_of(const servet_network *n, int a, int b)
{
    int i;
    if (!n || a < 0 || b < 0 || a >= n->ranks || b >= n->ranks || a == b) return SERVET_EINVAL;
    if (n->layer_count < 1 && n->layer[0].pairs < 1) return SERVET_EUNRESOLVED;
    for (i = 0; i < n->layer_count; i++) if (n->group[i][a] >= 0 && n->group[i][a] == n->group[i][b]) return i;
    return n->layer_count;
}

/* A message of so many bytes.  bytes 0 = there is none. */
typedef struct servet__message_at { double bytes; servet_message is; } servet__message_at;

SERVET__PRIVATE servet_message servet__message_times(const servet_message *m, double factor)
{
    servet_message x = *m;
    x.min_ns *= factor;
    x.p10_ns *= factor;
    x.median_ns *= factor;
    x.p90_ns *= factor;
    x.p99_ns *= factor;
    x.lo_ns *= factor;
    x.hi_ns *= factor;
    return x;
}

/* Between two, the second having this share. */
SERVET__PRIVATE servet_message servet__message_between(const servet_message *a, const servet_message *b, double share)
{
    servet_message x;
    memset(&x, 0, sizeof x);
    x.p10_ns = a->p10_ns + share * (b->p10_ns - a->p10_ns);
    x.median_ns = a->median_ns + share * (b->median_ns - a->median_ns);
    x.p90_ns = a->p90_ns + share * (b->p90_ns - a->p90_ns);
    x.lo_ns = a->lo_ns + share * (b->lo_ns - a->lo_ns);
    x.hi_ns = a->hi_ns + share * (b->hi_ns - a->hi_ns);
    x.samples = a->samples < b->samples ? a->samples : b->samples;
    x.flags = a->flags | b->flags;
    return x;
}

/* The time over the time, of independent samples: the intervals' distances on the scale of ratios add in squares. */
SERVET__PRIVATE servet_message servet__message_over(const servet_message *a, const servet_message *b)
{
    servet_message x = *a;
    const double below = log(a->median_ns / a->lo_ns), above = log(a->hi_ns / a->median_ns),
                 b_below = log(b->median_ns / b->lo_ns), b_above = log(b->hi_ns / b->median_ns);
    x.p10_ns = a->p10_ns / b->median_ns;
    x.median_ns = a->median_ns / b->median_ns;
    x.p90_ns = a->p90_ns / b->median_ns;
    x.lo_ns = x.median_ns * exp(-sqrt(below * below + b_above * b_above));
    x.hi_ns = x.median_ns * exp(sqrt(above * above + b_below * b_below));
    x.samples = a->samples < b->samples ? a->samples : b->samples;
    x.flags = a->flags | b->flags;
    return x;
}

SERVET__PRIVATE int servet__message_sound(const servet_message *m)
{
    return m->samples > 0 && m->median_ns > 0 && m->lo_ns > 0 && m->lo_ns <= m->median_ns && m->hi_ns >= m->median_ns
           && servet__finite(m->hi_ns);
}

/* What a place beside a change of protocol took: as sure as the nearest that was measured. */
SERVET__PRIVATE servet__message_at servet__message_beside(double bytes, double ns, const servet_message *nearest)
{
    servet__message_at x;
    memset(&x, 0, sizeof x);
    if (!(bytes > 0) || !(ns > 0)) return x;
    x.bytes = bytes;
    x.is = servet__message_times(nearest, ns / nearest->median_ns);
    return x;
}

/* One message alone by the protocol that is in use from threshold a on up to b; NULL = from or to any size.  On one
 * side of what was measured the time is between that and what is in proportion to it, as any start-up time and rate
 * have it; beyond the largest of all in proportion. */
SERVET__PRIVATE int servet__network_piece(servet_message *out, const servet_network *n, int layer, double bytes,
                                          const servet_network_threshold *a, const servet_network_threshold *b)
{
    servet__message_at left, right, x;
    servet_message far;
    int i;
    memset(&left, 0, sizeof left);
    memset(&right, 0, sizeof right);
    for (i = 0; i < n->size_count; i++) {
        const servet_network_size *s = &n->size[i];
        if (s->layer != layer || !(s->bytes > 0) || !servet__message_sound(&s->trip) || (a && s->bytes < a->bytes)
            || (b && s->bytes >= b->bytes)) continue;
        if (s->bytes <= bytes && s->bytes > left.bytes) {
            left.bytes = s->bytes;
            left.is = s->trip;
        }
        if (s->bytes < bytes || (right.bytes > 0 && s->bytes >= right.bytes)) continue;
        right.bytes = s->bytes;
        right.is = s->trip;
    }
    if (left.bytes <= 0 && right.bytes <= 0) return SERVET_EUNRESOLVED;
    if (left.bytes <= 0 && a) {
        x = servet__message_beside(a->hi_bytes, a->after_ns, &right.is);
        if (x.bytes <= bytes) left = x;
    }
    if (right.bytes <= 0 && b) {
        x = servet__message_beside(b->lo_bytes - 1, b->before_ns, &left.is);
        if (x.bytes >= bytes) right = x;
    }
    if (left.bytes > 0 && right.bytes > 0) {
        *out = servet__message_between(&left.is, &right.is, right.bytes > left.bytes
                                       ? (bytes - left.bytes) / (right.bytes - left.bytes) : 0);
        return SERVET_OK;
    }
    x = left.bytes > 0 ? left : right;
    far = servet__message_times(&x.is, bytes / x.bytes);
    *out = servet__message_between(&far, &far, 0);
    if (left.bytes > 0 && !b) return SERVET_OK;
    *out = servet__message_times(out, sqrt(x.bytes / bytes));
    out->lo_ns = servet__min(x.is.lo_ns, far.lo_ns);
    out->hi_ns = servet__max(x.is.hi_ns, far.hi_ns);
    return SERVET_OK;
}

/* One message alone.  Where a threshold is not known to the byte it may be of either side. */
SERVET__PRIVATE int servet__network_alone(servet_message *out, const servet_network *n, int layer, double bytes)
{
    const servet_network_threshold *at[SERVET_NETWORK_THRESHOLDS + 4], **t = at + 2;    /* ascending, NULL beside */
    servet_message other;
    int i, k, count = 0, piece = 0, status;
    memset(at, 0, sizeof at);
    if (bytes < 1) bytes = 1;    /* what goes with it takes as long */
    for (i = 0; i < n->threshold_count && i < SERVET_NETWORK_THRESHOLDS; i++) {
        const servet_network_threshold *s = &n->threshold[i];
        if (s->layer != layer || !(s->bytes > 0)) continue;
        for (k = count++; k > 0 && t[k - 1]->bytes > s->bytes; k--) t[k] = t[k - 1];
        t[k] = s;
        piece += s->bytes <= bytes;
    }
    t += piece;                  /* the piece from t[-1] to t[0] */
    status = servet__network_piece(out, n, layer, bytes, t[-1], t[0]);
    for (k = -1; k <= 0 && status >= 0; k++) {
        if (!t[k] || (k < 0 ? bytes >= t[k]->hi_bytes : !(bytes >= t[k]->lo_bytes && t[k]->lo_bytes > 0))
            || servet__network_piece(&other, n, layer, bytes, k < 0 ? t[-2] : t[0], k < 0 ? t[-1] : t[1]) < 0) continue;
        out->lo_ns = servet__min(out->lo_ns, other.lo_ns);
        out->hi_ns = servet__max(out->hi_ns, other.hi_ns);
    }
    return status;
}

/* The last of several messages of these bytes at once, over one alone; bytes are among those that were measured. */
SERVET__PRIVATE int servet__network_slower(servet_message *out, const servet_network *n, int layer, double bytes,
                                           int at_once)
{
    const servet_network_load *one = NULL, *fewer = NULL, *more = NULL;
    servet_message lo, hi;
    int i;
    for (i = 0; i < n->load_count; i++) {
        const servet_network_load *l = &n->load[i];
        if (l->layer != layer || l->kind != SERVET_LOAD_APART || l->bytes < bytes || l->bytes > bytes
            || !servet__message_sound(&l->last)) continue;
        if (l->at_once == 1) one = l;
        if (l->at_once <= at_once && (!fewer || l->at_once > fewer->at_once)) fewer = l;
        if (l->at_once >= at_once && (!more || l->at_once < more->at_once)) more = l;
    }
    if (!one || !fewer || !more) return SERVET_EUNRESOLVED;
    lo = servet__message_over(&fewer->last, &one->last);
    hi = servet__message_over(&more->last, &one->last);
    *out = servet__message_between(&lo, &hi, more == fewer ? 0 : (double)(at_once - fewer->at_once)
                                                                 / (more->at_once - fewer->at_once));
    return SERVET_OK;
}

/* hypot is not among what the pure half takes of the library. */
SERVET__PRIVATE double servet__hypotenuse(double a, double b) { return sqrt(a * a + b * b); }

SERVET__DEF int servet_network_time(servet_message *out, const servet_network *n, int layer, double bytes, int at_once)
{
    servet_message alone, below, above, over;
    double lo_bytes = 0, hi_bytes = 0, share = 0, lo, hi;
    int i, got, got_above, status;
    if (!out || !n || layer < 0 || layer > n->layer_count || !(bytes >= 0) || !servet__finite(bytes) || at_once < 1)
        return SERVET_EINVAL;
    status = servet__network_alone(&alone, n, layer, bytes);
    if (status < 0) return status;
    if (at_once == 1) {
        *out = alone;
        return SERVET_OK;
    }
    for (i = 0; i < n->load_count; i++) {    /* the sizes beside this one of which so many were sent */
        const servet_network_load *l = &n->load[i];
        if (l->layer != layer || l->kind != SERVET_LOAD_APART || l->at_once < at_once || !(l->bytes > 0)
            || servet__network_slower(&over, n, layer, l->bytes, at_once) < 0) continue;
        if (l->bytes <= bytes && l->bytes > lo_bytes) lo_bytes = l->bytes;
        if (l->bytes >= bytes && (hi_bytes <= 0 || l->bytes < hi_bytes)) hi_bytes = l->bytes;
    }
    got = lo_bytes > 0 && servet__network_slower(&below, n, layer, lo_bytes, at_once) >= 0;
    got_above = hi_bytes > 0 && servet__network_slower(&above, n, layer, hi_bytes, at_once) >= 0;
    if (!got && !got_above) return SERVET_EUNRESOLVED;
    if (!got) below = above;
    if (!got_above) above = below;
    if (got && got_above && hi_bytes > lo_bytes) share = log(bytes / lo_bytes) / log(hi_bytes / lo_bytes);
    over = servet__message_between(&below, &above, share);
    lo = servet__hypotenuse(log(alone.median_ns / alone.lo_ns), log(over.median_ns / over.lo_ns));
    hi = servet__hypotenuse(log(alone.hi_ns / alone.median_ns), log(over.hi_ns / over.median_ns));
    over = servet__message_times(&over, alone.median_ns);
    over.lo_ns = over.median_ns * exp(-lo);
    over.hi_ns = over.median_ns * exp(hi);
    over.samples = over.samples < alone.samples ? over.samples : alone.samples;
    over.flags |= alone.flags;
    *out = over;
    return SERVET_OK;
}

SERVET__DEF int servet_network_gather(double *apart_ns, double *one_ns, const servet_network *n, int layer,
                                      double bytes, int count)
{
    servet_message apart, one;
    int status;
    if (count < 2) return SERVET_EINVAL;
    status = servet_network_time(&apart, n, layer, bytes, count);
    if (status >= 0) status = servet_network_time(&one, n, layer, bytes * count, 1);
    if (status < 0) return status;
    if (apart_ns) *apart_ns = apart.median_ns;
    if (one_ns) *one_ns = one.median_ns;
    /* of five samples all of them hold the median in 94 cases of 100 */
    if (apart.samples < 5 || one.samples < 5) return SERVET_EUNRESOLVED;
    return apart.lo_ns > one.hi_ns ? 1 : apart.hi_ns < one.lo_ns ? 0 : SERVET_EUNRESOLVED;
}

/* A ratio of those that ascend, or between two of them.  At 1 it is the reference to itself. */
SERVET__PRIVATE double servet__network_ratio(const servet_network_ratio *r, int count, int which, double *lo,
                                             double *hi)
{
    servet_network_ratio x, one;
    int a = 0, b = count - 1, m;
    if (count < 1) return SERVET_EUNRESOLVED;
    if (which < 1 || which > r[count - 1].which) return SERVET_EINVAL;
    while (a < b) {    /* the first that is not below it */
        m = (a + b) / 2;
        if (r[m].which < which) a = m + 1;
        else b = m;
    }
    x = r[a];
    if (x.which > which) {
        double share;
        memset(&one, 0, sizeof one);
        one.which = 1;
        one.ratio = one.lo_ratio = one.hi_ratio = 1;
        if (a > 0) one = r[a - 1];
        share = (double)(which - one.which) / (x.which - one.which);
        x.ratio = one.ratio + share * (x.ratio - one.ratio);
        x.lo_ratio = one.lo_ratio + share * (x.lo_ratio - one.lo_ratio);
        x.hi_ratio = one.hi_ratio + share * (x.hi_ratio - one.hi_ratio);
    }
    if (!(x.ratio > 0)) return SERVET_EUNRESOLVED;
    if (lo) *lo = x.lo_ratio;
    if (hi) *hi = x.hi_ratio;
    return x.ratio;
}

SERVET__DEF double servet_network_distance_ratio(const servet_network *n, int distance, double *lo, double *hi)
{
    return n ? servet__network_ratio(n->dist, n->dist_count, distance, lo, hi) : (double)SERVET_EINVAL;
}

SERVET__DEF double servet_network_access_ratio(const servet_network *n, int processes, double *lo, double *hi)
{
    return n ? servet__network_ratio(n->access, n->access_count, processes, lo, hi) : (double)SERVET_EINVAL;
}

/* Seconds a byte takes between two ranks, by the streams of their layer; 0 = not known. */
SERVET__PRIVATE double servet__network_slowness(const servet_network *n, int a, int b)
{
    const int layer = servet_network_layer_of(n, a, b);
    return layer >= 0 && n->layer[layer].bytes_per_s > 0 ? 1 / n->layer[layer].bytes_per_s : 0;
}

/* Of each distance between nodes the mean slowness over all places: ratDist is a mean over places as well, of which
 * those within a rack, say, are faster than those between racks.  0 = there are no layers that tell nodes apart. */
SERVET__PRIVATE int servet__network_places(double *slowness, const servet_network *n)
{
    int16_t first[SERVET_NETWORK_RANKS];    /* rank of each node */
    const int nodes = n->hosts;
    int i, d, layers = 0;
    for (i = 0; i < n->layer_count; i++) layers += n->layer[i].in_hosts == 0;
    if (layers == 0) return 0;
    memset(first, 0, sizeof first);
    for (i = n->ranks - 1; i >= 0; i--) if (n->host[i] >= 0 && n->host[i] < nodes) first[n->host[i]] = (int16_t)i;
    for (d = 1; d <= nodes / 2; d++) {
        slowness[d] = 0;
        for (i = 0; i < nodes; i++) {
            const double one = servet__network_slowness(n, first[i], first[(i + d) % nodes]);
            if (!(one > 0)) return 0;
            slowness[d] += one / nodes;
        }
    }
    return 1;
}

/* Mean ratDist, its lower and its upper end over all pairs of processes in a line of the grid, over all lines. */
SERVET__PRIVATE int servet__network_spread(double *mean, const servet_network *n, int total, int stride, int count)
{
    double pairs[SERVET_NETWORK_RANKS / 2 + 1], all = 0;    /* by distance between their nodes, weighed by place */
    double slowness[SERVET_NETWORK_RANKS / 2 + 1];
    double shared = 1, lo_shared = 1, hi_shared = 1;        /* what the others of a node take */
    const int nodes = n->dist_nodes, each = (total + nodes - 1) / nodes;
    int i, k, d;
    memset(pairs, 0, sizeof pairs);
    mean[0] = mean[1] = mean[2] = 0;
    if (each > 1) shared = servet_network_access_ratio(n, each, &lo_shared, &hi_shared);
    if (shared < 0) shared = 1;
    if (total == n->ranks && nodes == n->hosts) {
        const int placed = servet__network_places(slowness, n);
        for (i = 0; i < total; i++)
            for (k = i + stride; k < total && k / stride / count == i / stride / count; k += stride) {
                d = n->host[i] < n->host[k] ? n->host[k] - n->host[i] : n->host[i] - n->host[k];
                if (d >= nodes) return SERVET_EINVAL;
                if (nodes - d < d) d = nodes - d;
                pairs[d] += placed && d > 0 ? servet__network_slowness(n, i, k) / slowness[d] : 1;
                all++;
            }
    } else {
        for (i = 1; i < count; i++)
            for (k = 0; k < 2; k++) {
                d = (int)((double)i * stride / each) + k;
                pairs[d < nodes - d ? d : nodes - d] += (double)(count - i) * (k ? (double)i * stride / each - (d - 1)
                                                                             : 1 - ((double)i * stride / each - d));
            }
        for (d = 0; d <= nodes / 2; d++) all += pairs[d];
    }
    for (d = 0; d <= nodes / 2; d++) {
        double ratio = 1, lo = 1, hi = 1;
        if (!(pairs[d] > 0)) continue;
        if (d > 0) ratio = servet_network_distance_ratio(n, d, &lo, &hi);
        if (ratio < 0) return SERVET_EUNRESOLVED;
        mean[0] += pairs[d] * ratio * (d > 0 ? shared : 1);
        mean[1] += pairs[d] * lo * (d > 0 ? lo_shared : 1);
        mean[2] += pairs[d] * hi * (d > 0 ? hi_shared : 1);
    }
    for (i = 0; i < 3 && all > 0; i++) mean[i] /= all;
    return SERVET_OK;
}

SERVET__DEF int servet_network_grid(int *order, double *cost, double *others, const servet_network *n, const int *size,
                                    const double *weight, int dims)
{
    enum { SERVET__GRID_DIMS = 6, SERVET__GRID_MOST = 1 << 20 };
    double mean[SERVET__GRID_DIMS][1 << SERVET__GRID_DIMS][3];    /* of a dimension, by those nearer than it */
    int place[SERVET__GRID_DIMS], best[SERVET__GRID_DIMS], orders = 0, i, k, mask, status, total = 1;
    double lowest = 0, lowest_hi = 0, highest_lo = 0;
    memset(place, 0, sizeof place);
    if (!order || !n || !size || !weight || dims < 1 || dims > SERVET__GRID_DIMS) return SERVET_EINVAL;
    for (i = 0; i < dims; i++) {
        if (size[i] < 1 || size[i] > SERVET__GRID_MOST / total || !(weight[i] >= 0) || !servet__finite(weight[i]))
            return SERVET_EINVAL;
        total *= size[i];
        place[i] = i;
    }
    if (n->dist_count < 1 || n->dist_nodes < 2 || n->dist_nodes > SERVET_NETWORK_RANKS) return SERVET_EUNRESOLVED;
    for (i = 0; i < dims; i++)
        for (mask = 0; mask < 1 << dims; mask++) {
            int stride = 1;
            if (mask >> i & 1) continue;
            for (k = 0; k < dims; k++) if (mask >> k & 1) stride *= size[k];
            status = servet__network_spread(mean[i][mask], n, total, stride, size[i]);
            if (status < 0) return status;
        }
    for (;;) {
        double is = 0, lo = 0, hi = 0;
        for (mask = i = 0; i < dims; i++) {
            const double *m = mean[place[i]][mask];
            is += weight[place[i]] * m[0];
            lo += weight[place[i]] * m[1];
            hi += weight[place[i]] * m[2];
            mask |= 1 << place[i];
        }
        if (others) others[orders] = is;
        if (orders == 0 || is < lowest) {
            lowest = is;
            lowest_hi = hi;
            memcpy(best, place, sizeof best);
        }
        if (orders++ == 0 || lo > highest_lo) highest_lo = lo;
        for (i = dims - 2; i >= 0 && place[i] > place[i + 1]; i--) { }    /* the next in lexicographic order */
        if (i < 0) break;
        for (k = dims - 1; place[k] < place[i]; k--) { }
        mask = place[i];
        place[i] = place[k];
        place[k] = mask;
        for (i++, k = dims - 1; i < k; i++, k--) {
            mask = place[i];
            place[i] = place[k];
            place[k] = mask;
        }
    }
    memcpy(order, best, (size_t)dims * sizeof *order);
    if (cost) *cost = lowest;
    return highest_lo > lowest_hi * (1 + 1e-9);    /* not by rounding */
}

SERVET__DEF double servet_degradation_distance(const servet_degradation *d, int distance)
{
    if (!d) return SERVET_EINVAL;
    if (d->distances < 1 || !d->distance) return SERVET_EUNRESOLVED;
    return distance < 1 || distance > d->distances ? (double)SERVET_EINVAL : d->distance[distance - 1];
}

SERVET__DEF double servet_degradation_access(const servet_degradation *d, int processes)
{
    if (!d) return SERVET_EINVAL;
    if (d->processes < 1 || !d->access) return SERVET_EUNRESOLVED;
    return processes < 1 || processes > d->processes ? (double)SERVET_EINVAL : d->access[processes - 1];
}

#endif /* SERVET_HAS(NETWORK) */

/* >>profile (implementation) ------------------------------------------------------------------ */

/* Quantity    what a program asks of a machine: sizes, latencies, who shares, rates; each with its interval and source.
 * Model       of a level: counts c of a core's own blocks, a curve T(bytes) of all levels, bytes r held at times.
 * Estimator   what was counted stands.  The curve is fitted with those levels known; what it finds less than a quarter
 *             above the last of them is that one.  A last level that others use is r, if resolved: its upper end
 *             is what there is, its lower end what was had mostly.  What the system says agrees inside the interval or
 *             within a tenth; a size that is unsure by more than a quarter calls nothing wrong.
 * File        one table of fields for each struct serves writing and reading.  What follows from others is derived once
 *             all is read; a network or a point that contradicts itself is left out.
 * Fooled by   a neighbour who is there all the time, as what he takes is never seen; a file edited by hand.
 * References  [Servet] for what is asked; RFC 8259 for JSON. */

#define SERVET__STREAM_WORD(NAME, word, arrays, moves, writes, becomes) SERVET__WORD(#word),
static const servet__name servet__kernel_word[] = { SERVET_STREAM_LIST(SERVET__STREAM_WORD) };
static const servet__name servet__vector_word[] = {
    SERVET__WORD("unknown"), { "plain", "plain C" }, { "128", "128 bits" }, { "256", "256 bits" },
    { "512", "512 bits" }, SERVET__WORD("scalable") };
static const servet__name servet__collide_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("independent"), SERVET__WORD("partly"), SERVET__WORD("shared") };
static const servet__name servet__operation_word[] = {
    SERVET__WORD("read"), SERVET__WORD("write"), { "alternating_write", "alternating write" }, SERVET__WORD("update"),
    { "atomic_update", "atomic update" }, SERVET__WORD("add"), SERVET__WORD("fetch") };
static const servet__name servet__finding_word[] = {
    SERVET__WORD("size"), SERVET__WORD("ways"), SERVET__WORD("line"), SERVET__WORD("shared"), SERVET__WORD("entries") };
static const servet__name servet__verdict_word[] = {
    SERVET__WORD("unmeasured"), SERVET__WORD("agree"), SERVET__WORD("os_missing"), SERVET__WORD("os_wrong"),
        SERVET__WORD("shared_less") };
static const servet__name servet__source_word[] = {
    SERVET__WORD("default"), SERVET__WORD("os"), SERVET__WORD("measured") };
static const servet__name servet__report_word[] = {
    SERVET__WORD("sysfs"), SERVET__WORD("sysconf"), SERVET__WORD("cpuid"), SERVET__WORD("sysctl") };

/* One description of the file serves writing and reading: each field is visited once, and appended
 * or looked up.  Reading needs no memory: a container is a place in the text, and its
 * members are found by scanning on from the last one found, so that a file in our own order is read in one pass. */
enum { SERVET__JSON_DEPTH = 32, SERVET__JSON_BYTES = 16 << 20 };

typedef struct servet__json {
    int    reading;
    int    evidence;          /* 0 = leave the evidence out                                     */
    int    depth;
    /* writing */
    char  *buf;
    size_t cap, length;
    int    members[SERVET__JSON_DEPTH];    /* written so far in each open container            */
    int    inline_[SERVET__JSON_DEPTH];    /* array of numbers, on one line                    */
    /* reading: text that servet__json_check has found sound */
    const char *first[SERVET__JSON_DEPTH]; /* after the bracket of each open container         */
    const char *at[SERVET__JSON_DEPTH];    /* where the next look-up begins, or                */
    const char *last[SERVET__JSON_DEPTH];  /* not NULL: the value found last, behind which it does */
    const char *longest;      /* member of the whole, mostly the evidence, which is not gone through */
    size_t longest_bytes;     /* for each key that is absent                                    */
    char   point[8];          /* decimal point of the current locale, of several bytes in some */
    const int *cpu;           /* CPUs that groups and pairs are of                             */
    int    each;              /* how many; or how many ranks                                   */
    int    index;             /* of the struct in the list around it, or of a word             */
    int    status;            /* SERVET_OK, or SERVET_ENOMEM                                   */
} servet__json;

SERVET__PRIVATE void servet__json_put(servet__json *j, const char *text, size_t n)
{
    if (j->length < j->cap) memcpy(j->buf + j->length, text, n < j->cap - j->length ? n : j->cap - j->length);
    j->length += n;
}

/* What stands between 0 and 5 in this locale. */
SERVET__PRIVATE void servet__decimal_point(char *point)
{
    char text[16];
    size_t n;
    snprintf(text, sizeof text, "%.1f", 0.5);
    n = strlen(text) > 2 ? strlen(text) - 2 : 0;
    if (n < 1 || n > 7) n = 1, text[1] = '.';
    memcpy(point, text + 1, n);
    point[n] = 0;
}

/* Comma, line and key before a value. */
SERVET__PRIVATE void servet__json_lead(servet__json *j, const char *key)
{
    static const char spaces[] = "                                                                ";
    if (j->depth > 0) {
        int d = j->depth - 1;
        if (j->members[d]++) servet__json_put(j, ", ", j->inline_[d] ? 2 : 1);
        if (!j->inline_[d]) {
            servet__json_put(j, "\n", 1);
            servet__json_put(j, spaces, (size_t)(2 * j->depth));
        }
    }
    if (key) {
        servet__json_put(j, "\"", 1);
        servet__json_put(j, key, strlen(key));
        servet__json_put(j, "\": ", 3);
    }
}

/* Shortest of 15 to 17 digits that gives the same number again, of 6 to 9 for a float; a whole number as one. */
SERVET__PRIVATE int servet__json_digits(char *text, size_t cap, double v, const char *point, int is_float)
{
    int digits;
    char *at;
    if (!servet__finite(v)) return snprintf(text, cap, "null");
    if (v == floor(v) && fabs(v) < 1e15) return snprintf(text, cap, "%.0f", v == 0 ? 0.0 : v);
    for (digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++) {
        double again;
        snprintf(text, cap, "%.*g", digits, v);
        again = strtod(text, NULL);
        if (is_float ? (float)again == (float)v : again == v) break;
    }
    at = strcmp(point, ".") ? strstr(text, point) : NULL;
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
    return (int)strlen(text);
}

/* As strtod, many times faster where up to 15 digits are a whole number that a double holds, times or over a power of
 * ten that it holds as well: one rounding, to the nearest.  NULL = leave it to strtod.  Otherwise the end. */
SERVET__PRIVATE const char *servet__json_quick(const char *p, double *v)
{
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
    static const double ten[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const int minus = *p == '-';
    uint64_t digits = 0;
    int count = 0, exponent = 0, more = 0;
    for (p += minus; *p >= '0' && *p <= '9'; p++, count++) digits = 10 * digits + (uint64_t)(*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, count++, exponent--) digits = 10 * digits + (uint64_t)(*p - '0');
    if (*p == 'e' || *p == 'E') {
        const int below = *++p == '-';
        for (p += *p == '-' || *p == '+'; *p >= '0' && *p <= '9'; p++) if (more < 1000) more = 10 * more + (*p - '0');
        exponent += below ? -more : more;
    }
    if (count > 15 || exponent < -22 || exponent > 22) return NULL;
    *v = exponent < 0 ? (double)digits / ten[-exponent] : (double)digits * ten[exponent];
    if (minus) *v = -*v;
    return p;
#else
    (void)p;
    (void)v;
    return NULL;
#endif
}

/* A number of sound text in the current locale's form.  Digits of the mantissa beyond forty do not matter. */
SERVET__PRIVATE double servet__json_value(const char *p, const char *point)
{
    char text[128];
    size_t n = 0, digits = 0;
    double quick;
    int exponent = 0, fraction = 0;
    if (servet__json_quick(p, &quick)) return quick;
    for (; *p && strchr("+-.0123456789eE", *p) && n + 24 < sizeof text; p++) {
        if (*p == '.') {
            memcpy(text + n, point, strlen(point));
            n += strlen(point);
            fraction = 1;
        } else if (*p == 'e' || *p == 'E') {
            exponent = 1;
            text[n++] = 'e';
        } else if (exponent || *p < '0' || *p > '9' || digits < 40) {
            digits += *p >= '0' && *p <= '9';
            text[n++] = *p;
        } else if (!fraction) {
            text[n++] = '0';    /* it still counts for the magnitude */
        }
    }
    text[n] = 0;
    return strtod(text, NULL);
}

/* Position after the value that begins at p; with depth 1, after the container in which p stands.  The text is sound,
 * so brackets and quotes are balanced. */
SERVET__PRIVATE const char *servet__json_skip(const char *p, int depth)
{
    do {
        if (*p == '"') {
            for (p++; *p != '"'; p++) if (*p == '\\') p++;
            p++;
        } else if (*p == '[' || *p == '{') {
            depth++;
            p++;
        } else if (*p == ']' || *p == '}') {
            depth--;
            p++;
        } else if (depth > 0) {
            p += strcspn(p, "\"[]{}");
        } else {
            p += strcspn(p, ",]} \t\r\n");
        }
    } while (depth > 0);
    return p;
}

SERVET__PRIVATE const char *servet__json_blank(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++;
    return p;
}

/* Position after a value. */
SERVET__PRIVATE const char *servet__json_past(const servet__json *j, const char *value)
{
    return value == j->longest ? value + j->longest_bytes : servet__json_skip(value, 0);
}

/* Where the next look-up begins in an open container. */
SERVET__PRIVATE const char *servet__json_at(servet__json *j, int d)
{
    if (j->last[d]) {
        j->at[d] = servet__json_past(j, j->last[d]);
        j->last[d] = NULL;
    }
    return j->at[d];
}

/* Value of a key in the open object, or the next value of the open array (key NULL); NULL where there is none. */
SERVET__PRIVATE const char *servet__json_find(servet__json *j, const char *key)
{
    const char *p, *start;
    const int d = j->depth - 1;
    size_t n;
    int wrapped = 0;
    if (d < 0 || !j->first[d]) return NULL;
    p = start = servet__json_blank(servet__json_at(j, d));
    if (*p == ',') p = start = servet__json_blank(p + 1);
    if (!key) {
        if (*p == ']' || *p == '}') return NULL;
        return j->last[d] = p;
    }
    for (n = strlen(key); ; ) {
        if (*p == '}' || *p == ']') {
            if (wrapped++) return NULL;
            p = servet__json_blank(j->first[d]);
            if (p == start) return NULL;
            continue;
        }
        if (wrapped && p == start) return NULL;
        if (*p != '"') return NULL;    /* an array was met where an object was expected */
        {
            const char *name = p + 1, *value = servet__json_skip(p, 0);
            const int same = (size_t)(value - 1 - name) == n && !memcmp(name, key, n);
            value = servet__json_blank(servet__json_blank(value) + 1);
            if (same) return j->last[d] = value;
            p = servet__json_blank(servet__json_past(j, value));
            if (*p == ',') p = servet__json_blank(p + 1);
        }
    }
}

/* Opens an object '{' or array '['; in reading 0 where it is absent.  To be closed in either case but that. */
SERVET__PRIVATE int servet__json_open(servet__json *j, const char *key, char bracket, int on_one_line)
{
    if (j->depth >= SERVET__JSON_DEPTH) return 0;
    if (j->reading) {
        const char *p = servet__json_find(j, key);
        if (!p || *p != bracket) return 0;
        j->first[j->depth] = j->at[j->depth] = p + 1;
        j->last[j->depth++] = NULL;
        return 1;
    }
    servet__json_lead(j, key);
    servet__json_put(j, &bracket, 1);
    j->members[j->depth] = 0;
    j->inline_[j->depth] = on_one_line;
    j->depth++;
    return 1;
}

SERVET__PRIVATE void servet__json_close(servet__json *j, char bracket)
{
    static const char spaces[] = "                                                                ";
    j->depth--;
    if (j->reading) {    /* what is behind the last look-up is all that was not gone through yet */
        const int d = j->depth - 1;
        if (d < 0 || j->last[d] != j->first[j->depth] - 1) return;
        j->at[d] = servet__json_skip(servet__json_at(j, j->depth), 1);
        j->last[d] = NULL;
        return;
    }
    if (j->members[j->depth] && !j->inline_[j->depth]) {
        servet__json_put(j, "\n", 1);
        servet__json_put(j, spaces, (size_t)(2 * j->depth));
    }
    servet__json_put(j, &bracket, 1);
}

SERVET__PRIVATE int servet__json_number(servet__json *j, const char *key, double *v)
{
    char text[64];
    if (j->reading) {
        const char *p = servet__json_find(j, key);
        double x;
        if (!p || (*p != '-' && (*p < '0' || *p > '9'))) return 0;
        x = servet__json_value(p, j->point);
        if (!servet__finite(x)) return 0;
        *v = x;
        return 1;
    }
    servet__json_lead(j, key);
    servet__json_put(j, text, (size_t)servet__json_digits(text, sizeof text, *v, j->point, 0));
    return 1;
}

/* Kinds of numbers, alone and in arrays. */
enum { SERVET__CELL_DOUBLE, SERVET__CELL_FLOAT, SERVET__CELL_INT, SERVET__CELL_COUNT, SERVET__CELL_INT16,
       SERVET__CELL_UINT16, SERVET__CELL_INT8, SERVET__CELL_BYTE, SERVET__CELL_KINDS };

static const unsigned char servet__cell_bytes[] = {
    sizeof(double), sizeof(float), sizeof(int), sizeof(int), sizeof(int16_t), sizeof(uint16_t), 1, 1 };

SERVET__PRIVATE double servet__cell_get(const void *at, int kind)
{
    switch (kind) {
    case SERVET__CELL_FLOAT: return (double)*(const float *)at;
    case SERVET__CELL_INT: case SERVET__CELL_COUNT: return *(const int *)at;
    case SERVET__CELL_INT16: return *(const int16_t *)at;
    case SERVET__CELL_UINT16: return *(const uint16_t *)at;
    case SERVET__CELL_INT8: return *(const int8_t *)at;
    case SERVET__CELL_BYTE: return *(const unsigned char *)at;
    default: return *(const double *)at;
    }
}

SERVET__PRIVATE void servet__cell_set(void *at, int kind, double v)
{
    switch (kind) {
    case SERVET__CELL_FLOAT: *(float *)at = (float)servet__min(servet__max(v, -3e38), 3e38); break;
    case SERVET__CELL_INT: *(int *)at = (int)servet__min(servet__max(v, -1e9), 1e9); break;
    case SERVET__CELL_COUNT: *(int *)at = (int)servet__min(servet__max(v, 0), 1e9); break;
    case SERVET__CELL_INT16: *(int16_t *)at = (int16_t)servet__min(servet__max(v, -32768), 32767); break;
    case SERVET__CELL_UINT16: *(uint16_t *)at = (uint16_t)servet__min(servet__max(v, 0), 65535); break;
    case SERVET__CELL_INT8: *(int8_t *)at = (int8_t)servet__min(servet__max(v, -128), 127); break;
    case SERVET__CELL_BYTE: *(unsigned char *)at = (unsigned char)servet__min(servet__max(v, 0), 255); break;
    default: *(double *)at = v;
    }
}

/* One number; an int that is none is left as it was. */
SERVET__PRIVATE void servet__json_cell(servet__json *j, const char *key, void *at, int kind)
{
    double v = servet__cell_get(at, kind);
    if (!servet__json_number(j, key, &v) || !j->reading) return;
    if (kind != SERVET__CELL_INT) servet__cell_set(at, kind, v);
    else if (v >= -2147483647.0 && v <= 2147483647.0) *(int *)at = (int)v;
}

/* The next number of an open array. */
SERVET__PRIVATE int servet__json_next(servet__json *j, double *v)
{
    const char *p = servet__json_at(j, j->depth - 1), *end;
    while (*p == ' ' || *p == ',') p++;
    if (*p != '-' && (*p < '0' || *p > '9')) return servet__json_number(j, NULL, v);
    end = servet__json_quick(p, v);
    if (!end) return servet__json_number(j, NULL, v);
    j->at[j->depth - 1] = end;
    return 1;
}

/* The next count of an open array, stride bytes apart, 0 = side by side; returns how many there are. */
SERVET__PRIVATE int servet__json_run(servet__json *j, void *array, size_t stride, int kind, int count)
{
    const size_t step = stride ? stride : servet__cell_bytes[kind];
    char text[64];
    int i;
    for (i = 0; i < count; i++) {
        void *at = (char *)array + (size_t)i * step;
        double v = 0;
        if (j->reading) {
            if (!servet__json_next(j, &v)) break;
            servet__cell_set(at, kind, v);
            continue;
        }
        v = servet__cell_get(at, kind);
        servet__json_lead(j, NULL);
        servet__json_put(j, text, (size_t)servet__json_digits(text, sizeof text, v, j->point,
                                                              kind == SERVET__CELL_FLOAT));
    }
    return i;
}

/* Pairs of CPUs, as servet_pairs_cores_at has them: a line for each but the first. */
SERVET__PRIVATE void servet__json_triangle(servet__json *j, const char *key, void *array, int kind)
{
    int b;
    if (!servet__json_open(j, key, '[', 0)) return;
    for (b = 1; b < j->each && servet__json_open(j, NULL, '[', 1); b++) {
        const size_t first = (size_t)servet_pairs_cores_at(0, b);
        servet__json_run(j, (char *)array + first * servet__cell_bytes[kind], 0, kind, b);
        servet__json_close(j, ']');
    }
    servet__json_close(j, ']');
}

/* Where a CPU is among those of groups and pairs, looked for from a place on, as the next is mostly beside; their
 * number where it is none of them. */
SERVET__PRIVATE int servet__json_place(const servet__json *j, double cpu, int from)
{
    int i;
    for (i = 0; i < j->each; i++) if (j->cpu[(from + i) % j->each] == cpu) return (from + i) % j->each;
    return j->each;
}

/* Pairs of CPUs whose byte of a triangle has a value, by the numbers of both. */
SERVET__PRIVATE void servet__json_marked(servet__json *j, const char *key, unsigned char *cell, int value)
{
    int a, b, pair[2];
    if (!servet__json_open(j, key, '[', 1)) return;
    for (b = 1; b < j->each && !j->reading; b++)
        for (a = 0; a < b; a++) {
            if (cell[servet_pairs_cores_at(a, b)] != value) continue;
            pair[0] = j->cpu[a];
            pair[1] = j->cpu[b];
            servet__json_open(j, NULL, '[', 1);
            servet__json_run(j, pair, 0, SERVET__CELL_INT, 2);
            servet__json_close(j, ']');
        }
    while (j->reading && servet__json_open(j, NULL, '[', 1)) {
        const int both = servet__json_run(j, pair, 0, SERVET__CELL_INT, 2) == 2;
        servet__json_close(j, ']');
        if (!both) continue;
        a = servet__json_place(j, pair[0], 0);
        b = servet__json_place(j, pair[1], a);
        if (a < j->each && b < j->each && a != b) cell[servet_pairs_cores_at(a, b)] = (unsigned char)value;
    }
    servet__json_close(j, ']');
}

/* Groups of CPUs, each a list of their numbers; CPUs of none have -1.  Returns how many; -1 where they are absent. */
SERVET__PRIVATE int servet__json_groups(servet__json *j, const char *key, int16_t *group)
{
    const int n = j->each;
    int i, at = 0, groups = 0;
    double number;
    for (i = 0; i < n; i++) {
        if (j->reading) group[i] = -1;
        else if (group[i] >= groups) groups = group[i] + 1;
    }
    if (!servet__json_open(j, key, '[', 1)) return -1;
    for (i = 0; i < (j->reading ? n : groups) && servet__json_open(j, NULL, '[', 1); i++) {
        while (j->reading && servet__json_number(j, NULL, &number)) {
            const int place = servet__json_place(j, number, at);
            if (place < n) group[at = place] = (int16_t)i;
        }
        for (at = 0; at < n && !j->reading; at++) {
            number = j->cpu[at];
            if (group[at] == i) servet__json_number(j, NULL, &number);
        }
        servet__json_close(j, ']');
    }
    servet__json_close(j, ']');
    return i;
}

SERVET__PRIVATE void servet__json_bool(servet__json *j, const char *key, int *v)
{
    if (j->reading) {
        const char *p = servet__json_find(j, key);
        if (p && (*p == 't' || *p == 'f')) *v = *p == 't';
        return;
    }
    servet__json_lead(j, key);
    servet__json_put(j, *v ? "true" : "false", *v ? 4 : 5);
}

/* A text field of cap bytes; what is not plain ASCII is left out.  In reading 0 where it is absent. */
SERVET__PRIVATE int servet__json_string(servet__json *j, const char *key, char *field, size_t cap)
{
    size_t n = 0;
    if (j->reading) {
        const char *p = servet__json_find(j, key);
        if (!p || *p != '"') return 0;
        for (p++; *p != '"' && n + 1 < cap; p++) {
            if (*p == '\\' && *++p != '"' && *p != '\\' && *p != '/') {
                if (*p == 'u') p += 4;
                continue;
            }
            if (*p >= ' ' && *p < 127) field[n++] = *p;
        }
        field[n] = 0;
        return 1;
    }
    servet__json_lead(j, key);
    servet__json_put(j, "\"", 1);
    for (; *field; field++) {
        if (*field == '"' || *field == '\\') servet__json_put(j, "\\", 1);
        if (*field >= ' ' && *field < 127) servet__json_put(j, field, 1);
    }
    servet__json_put(j, "\"", 1);
    return 1;
}

/* An enumeration, by its words; an unknown word leaves it as it was. */
SERVET__PRIVATE void servet__json_word(servet__json *j, const char *key, int *v, const servet__name *word, int words)
{
    char text[SERVET_TEXT_MAX] = "";
    int i;
    if (!j->reading && *v >= 0 && *v < words) snprintf(text, sizeof text, "%s", word[*v].key);
    servet__json_string(j, key, text, sizeof text);
    for (i = 0; j->reading && i < words; i++) if (!strcmp(text, word[i].key)) *v = i;
}

/* Why something is not known. */
SERVET__PRIVATE void servet__json_status(servet__json *j, const char *key, int *status)
{
    static const servet__name word[] = {
        SERVET__WORD("ok"), SERVET__WORD("unsupported"), SERVET__WORD("unresolved"), SERVET__WORD("stopped") };
    static const int of[] = { SERVET_OK, SERVET_EUNSUPPORTED, SERVET_EUNRESOLVED, SERVET_ESTOPPED };
    int i, k = 0;
    for (i = 0; i < 4; i++) if (*status == of[i]) k = i;
    servet__json_word(j, key, &k, word, 4);
    if (j->reading) *status = of[k];
}

/* A set of the CPUs, a bit for each by its place, as their numbers. */
SERVET__PRIVATE void servet__json_mask(servet__json *j, const char *key, uint64_t *mask)
{
    double number;
    int i;
    if (!servet__json_open(j, key, '[', 1)) return;
    for (i = 0; !j->reading && i < j->each; i++) {
        number = j->cpu[i];
        if (mask[i / 64] >> i % 64 & 1) servet__json_number(j, NULL, &number);
    }
    for (i = 0; j->reading && servet__json_number(j, NULL, &number); ) {
        i = servet__json_place(j, number, i);
        if (i < j->each) mask[i / 64] |= UINT64_C(1) << i % 64;
        else i = 0;
    }
    servet__json_close(j, ']');
}

/* Bits of an int, each a word: each is written once, and as many are read. */
SERVET__PRIVATE void servet__json_set(servet__json *j, const char *key, int *bits, const servet__name *word, int words)
{
    int i, k;
    if (!servet__json_open(j, key, '[', 1)) return;
    for (i = 0; i < words; i++) {
        k = j->reading ? -1 : i;
        if (j->reading || *bits & 1 << i) servet__json_word(j, NULL, &k, word, words);
        if (j->reading && k >= 0) *bits |= 1 << k;
    }
    servet__json_close(j, ']');
}

/* Texts in a buffer of so many bytes, a zero after each; those that have no room are empty. */
SERVET__PRIVATE void servet__json_names(servet__json *j, const char *key, char *names, size_t bytes, int *count)
{
    char *const end = names + bytes - 1, *at = names, none[1] = "";
    int i;
    if (!servet__json_open(j, key, '[', 1)) return;
    for (i = 0; i < (j->reading ? j->each : *count); i++) {
        char *const name = at < end ? at : none;
        if (!servet__json_string(j, NULL, name, at < end ? (size_t)(end - at) : 1)) break;
        at += at < end ? strlen(name) + 1 : 0;
    }
    servet__json_close(j, ']');
    if (j->reading) *count = i;
}

/* What the file says of a struct: a table with a line or a word for each of its fields, in the order of the file.  The
 * same tables serve writing and reading. */
enum { SERVET__IS_DOUBLE = SERVET__CELL_DOUBLE, SERVET__IS_FLOAT = SERVET__CELL_FLOAT,
       SERVET__IS_INT = SERVET__CELL_INT, SERVET__IS_COUNT = SERVET__CELL_COUNT,
       SERVET__IS_INT16 = SERVET__CELL_INT16, SERVET__IS_UINT16 = SERVET__CELL_UINT16,
       SERVET__IS_INT8 = SERVET__CELL_INT8, SERVET__IS_BYTE = SERVET__CELL_BYTE,
       SERVET__IS_BOOL = SERVET__CELL_KINDS, SERVET__IS_STATUS, SERVET__IS_TEXT, SERVET__IS_WORD,
       SERVET__IS_SET,         /* bits of an int, each a word                                        */
       SERVET__IS_NAMES,       /* texts in a buffer                                                  */
       SERVET__IS_INDEX,       /* of the struct in the list around it, from 1: written, not read     */
       SERVET__IS_OBJECT,      /* a struct; without a key its fields are those of the one around it  */
       SERVET__IS_LIST,        /* an array of structs                                                */
       SERVET__IS_COLUMNS,     /* the same, an array of numbers for each field                       */
       SERVET__IS_BY_WORD,     /* for each word of an enumeration an object, of fields that are arrays by it */
       SERVET__IS_EACH,        /* how many ranks there are                                           */
       SERVET__IS_CPUS,        /* numbers of CPUs, which what follows is about; without a key they are known   */
       SERVET__IS_GROUPS,      /* of these CPUs                                                      */
       SERVET__IS_LAYERS,      /* of such groups                                                     */
       SERVET__IS_TRIANGLE,    /* of their pairs                                                     */
       SERVET__IS_MARKED,      /* those pairs whose byte of a triangle has a value                   */
       SERVET__IS_MASK,        /* a set of these CPUs, by bit of their place                         */
       SERVET__IS_FLAGS,       /* of samples: with a flag they are noisy                             */
       SERVET__IS_SHARERS };   /* of a cache: groups that are written again for those who look here  */
enum { SERVET__SOME = 1,       /* not written where it is 0, or where the count is not above 0       */
       SERVET__LINE = 2,       /* each struct on one line                                            */
       SERVET__OWN = 4,        /* an array that says how many there are                              */
       SERVET__ALONG = 8,      /* an array of as many as are known already                           */
       SERVET__EACH = 16,      /* an array of as many as there are CPUs, or ranks                    */
       SERVET__MARK = 32,      /* the count is 1 where the object is there                           */
       SERVET__NEEDED = 64,    /* what was read is not sound without: a number above 0, a full array (of some) */
       SERVET__BEHIND = 128,   /* an object behind a pointer; absent where that is NULL              */
       SERVET__MAKE = 256,     /* and one is made where it is read                                   */
       SERVET__MINUS = 512,     /* absent where the number, or the count, is below 0: then it is -1   */
       SERVET__MANY = 1024,    /* not written where the count is below 2                             */
       SERVET__AROUND = 2048,  /* in the struct around, an array with a place for each of a list     */
       SERVET__NEXT = 4096,    /* the struct behind those of a list; there if those are             */
       SERVET__SIGNED = 8192,  /* words from -1 on                                                   */
       SERVET__BARE = 16384 }; /* by word the fields themselves, no object around them               */

typedef struct servet__field {
    const char *key;
    int    kind, how;          /* SERVET__IS_*; the flags above, added up                            */
    size_t at, count;          /* in the struct: the field, and the int that counts its places       */
    int    cap;                /* places of an array, words, or the value that marks a pair          */
    size_t size;               /* of a struct inside, or of a buffer; where the noisy are counted    */
    size_t stride;             /* from one place by word, or of a list, to the next                  */
    const servet__name *word;  /* of an enumeration                                                  */
    const struct servet__field *of;      /* fields of a struct inside                                */
    int    of_count;
    int  (*has)(const void *one);        /* is there anything to write?  Of an object: of this one   */
} servet__field;

#define SERVET__PLACES(T, m)  (int)(sizeof ((T *)0)->m / sizeof *((T *)0)->m)
#define SERVET__EVERY(T, m)    sizeof *((T *)0)->m
#define SERVET__ENUM(words)   (int)(sizeof words / sizeof *words)
#define SERVET__FIELD_IF(T, kind, how, m, key, has) \
    { key, SERVET__IS_##kind, how, offsetof(T, m), 0, 0, 0, 0, NULL, NULL, 0, has }
#define SERVET__FIELD(T, kind, how, m, key) SERVET__FIELD_IF(T, kind, how, m, key, NULL)
#define SERVET__WORDS_AS(T, kind, how, m, key, words) \
    { key, SERVET__IS_##kind, how, offsetof(T, m), 0, SERVET__ENUM(words), 0, 0, words, NULL, 0, NULL }
#define SERVET__WORDS(T, m, key, words) SERVET__WORDS_AS(T, WORD, 0, m, key, words)
#define SERVET__ARRAY_IF(T, kind, how, m, key, n, has) \
    { key, SERVET__IS_##kind, how, offsetof(T, m), offsetof(T, n), SERVET__PLACES(T, m), sizeof ((T *)0)->m, 0, NULL, \
      NULL, 0, has }
#define SERVET__ARRAY(T, kind, how, m, key, n) SERVET__ARRAY_IF(T, kind, how, m, key, n, NULL)
#define SERVET__FLAGS(T, m, n, noisy) \
    { #m, SERVET__IS_FLAGS, SERVET__ALONG, offsetof(T, m), offsetof(T, n), SERVET__PLACES(T, m), offsetof(T, noisy), \
      0, NULL, NULL, 0, NULL }
#define SERVET__PAIRS(T, kind, m, key) \
    { key, SERVET__IS_TRIANGLE, 0, offsetof(T, m), 0, SERVET__CELL_##kind, 0, 0, NULL, NULL, 0, NULL }
#define SERVET__MARKED(T, m, key, n, value) \
    { key, SERVET__IS_MARKED, SERVET__SOME, offsetof(T, m), offsetof(T, n), value, 0, 0, NULL, NULL, 0, NULL }
#define SERVET__LIST(T, how, m, key, n, table) \
    { key, SERVET__IS_LIST, how, offsetof(T, m), offsetof(T, n), SERVET__PLACES(T, m), SERVET__EVERY(T, m), 0, NULL, \
      SERVET__TABLE(table), NULL }
#define SERVET__COLUMNS(T, m, n, table) \
    { NULL, SERVET__IS_COLUMNS, 0, offsetof(T, m), offsetof(T, n), SERVET__PLACES(T, m), SERVET__EVERY(T, m), 0, NULL, \
      SERVET__TABLE(table), NULL }
#define SERVET__OBJECT(T, how, m, key, n, table) \
    { key, SERVET__IS_OBJECT, how, offsetof(T, m), offsetof(T, n), 0, sizeof ((T *)0)->m, 0, NULL, \
      SERVET__TABLE(table), NULL }
#define SERVET__OBJECT_IF(T, how, m, key, table, has) \
    { key, SERVET__IS_OBJECT, how, offsetof(T, m), 0, 0, sizeof ((T *)0)->m, 0, NULL, SERVET__TABLE(table), has }
#define SERVET__PART(T, m, table) SERVET__OBJECT_IF(T, 0, m, NULL, table, NULL)
#define SERVET__POINTER(T, how, m, key, table, has) \
    { key, SERVET__IS_OBJECT, SERVET__BEHIND | (how), offsetof(T, m), 0, 0, SERVET__EVERY(T, m), 0, NULL, \
      SERVET__TABLE(table), has }
/* Of fields that are the struct's own, shown as an object inside. */
#define SERVET__INSIDE(T, how, key, n, table) \
    { key, SERVET__IS_OBJECT, how, 0, offsetof(T, n), 0, sizeof(T), 0, NULL, SERVET__TABLE(table), NULL }
#define SERVET__INSIDE_IF(T, how, key, table, has) \
    { key, SERVET__IS_OBJECT, how, 0, 0, 0, sizeof(T), 0, NULL, SERVET__TABLE(table), has }
/* For each word of an enumeration: an object with fields of the struct that are arrays by it, or a list of such. */
#define SERVET__BY_WORD(T, how, m, key, n, words, table) \
    { key, SERVET__IS_BY_WORD, how, 0, offsetof(T, n), SERVET__PLACES(T, m), 0, 0, words, SERVET__TABLE(table), NULL }
#define SERVET__OF_WORD(T, kind, how, m, key) \
    { key, SERVET__IS_##kind, how, offsetof(T, m), 0, 0, 0, SERVET__EVERY(T, m), NULL, NULL, 0, NULL }
#define SERVET__WORDS_OF_WORD(T, m, key, words) \
    { key, SERVET__IS_WORD, 0, offsetof(T, m), 0, SERVET__ENUM(words), 0, SERVET__EVERY(T, m), words, NULL, 0, NULL }
#define SERVET__LIST_OF_WORD(T, how, m, key, n, table) \
    { key, SERVET__IS_LIST, how, offsetof(T, m), offsetof(T, n), SERVET__PLACES(T, m[0]), SERVET__EVERY(T, m[0]), \
      SERVET__EVERY(T, m), NULL, SERVET__TABLE(table), NULL }
/* An array of the struct around, for each T of its list; n is in T. */
#define SERVET__ARRAY_BESIDE(AROUND, T, kind, how, m, key, n) \
    { key, SERVET__IS_##kind, SERVET__AROUND | (how), offsetof(AROUND, m), offsetof(T, n), \
      SERVET__PLACES(AROUND, m[0]), 0, SERVET__EVERY(AROUND, m), NULL, NULL, 0, NULL }

/* Is there anything to write of x? */
#define SERVET__HAS_OF(name, T, what) \
    SERVET__PRIVATE int servet__json_has_##name(const void *one) { const T *x = (const T *)one; return what; }

/* One to eight fields of one kind, with their names as keys. */
#define SERVET__1(T, k, a)      SERVET__FIELD(T, k, 0, a, #a)
#define SERVET__2(T, k, a, ...) SERVET__1(T, k, a), SERVET__1(T, k, __VA_ARGS__)
#define SERVET__3(T, k, a, ...) SERVET__1(T, k, a), SERVET__2(T, k, __VA_ARGS__)
#define SERVET__4(T, k, a, ...) SERVET__1(T, k, a), SERVET__3(T, k, __VA_ARGS__)
#define SERVET__5(T, k, a, ...) SERVET__1(T, k, a), SERVET__4(T, k, __VA_ARGS__)
#define SERVET__6(T, k, a, ...) SERVET__1(T, k, a), SERVET__5(T, k, __VA_ARGS__)
#define SERVET__7(T, k, a, ...) SERVET__1(T, k, a), SERVET__6(T, k, __VA_ARGS__)
#define SERVET__8(T, k, a, ...) SERVET__1(T, k, a), SERVET__7(T, k, __VA_ARGS__)
#define SERVET__PICK(a, b, c, d, e, f, g, h, name, ...) name
#define SERVET__FIELDS(T, k, ...) \
    SERVET__PICK(__VA_ARGS__, SERVET__8, SERVET__7, SERVET__6, SERVET__5, SERVET__4, SERVET__3, SERVET__2, SERVET__1, \
                 0)(T, k, __VA_ARGS__)

SERVET__PRIVATE int *servet__json_count(void *one, const servet__field *f)
{
    void *at = (char *)one + f->count;
    return (int *)at;
}

/* Is there anything to write of a field that is not always there? */
SERVET__PRIVATE int servet__json_some(const servet__field *f, void *one, const void *at)
{
    const int scalar = f->kind <= SERVET__IS_BOOL && !f->cap;
    const int kind = f->kind == SERVET__IS_BOOL ? SERVET__CELL_INT : f->kind;
    double v;
    if (f->has && f->kind != SERVET__IS_OBJECT) return f->has(one);
    if (!(f->how & (SERVET__SOME | SERVET__MINUS | SERVET__MANY))) return 1;
    v = scalar || f->kind == SERVET__IS_SET ? servet__cell_get(at, scalar ? kind : SERVET__CELL_INT)
                                            : *servet__json_count(one, f);
    return f->how & SERVET__MINUS ? v >= 0 : f->how & SERVET__MANY ? v > 1 : scalar ? v < 0 || v > 0 : v > 0;
}

/* An array; returns whether it is as long as it should be. */
SERVET__PRIVATE int servet__json_array(servet__json *j, void *one, void *at, const servet__field *f)
{
    const int own = f->how & SERVET__OWN && j->reading;
    int n = f->how & SERVET__EACH ? j->each : own || !(f->how & (SERVET__OWN | SERVET__ALONG))
          ? f->cap : *servet__json_count(one, f), got;
    if (!servet__json_open(j, f->key, '[', 1)) return 0;
    if (n > f->cap) n = f->cap;
    got = servet__json_run(j, at, 0, f->kind, n);
    if (own) *servet__json_count(one, f) = got;
    servet__json_close(j, ']');
    return got == n;
}

/* Objects are visited inside each other, as deep as tables are.  0 where what was read is not sound. */
typedef int servet__visit_fields(servet__json *j, void *one, void *whole, const servet__field *f, int fields);
SERVET__PRIVATE servet__visit_fields servet__json_visit;

SERVET__PRIVATE void servet__json_list(servet__json *j, void *one, void *at, const servet__field *f)
{
    const int known = f->how & SERVET__ALONG, outer = j->index;
    int *count = servet__json_count(one, f), i;
    if (!servet__json_open(j, f->key, '[', 0)) return;
    for (i = 0; i < (j->reading && !known ? f->cap : *count); i++) {
        void *each = (char *)at + (size_t)i * f->size;
        int sound;
        if (!servet__json_open(j, NULL, '{', f->how & SERVET__LINE)) break;
        j->index = i;
        sound = servet__json_visit(j, each, one, f->of, f->of_count);
        servet__json_close(j, '}');
        if (!j->reading || known) continue;
        if (!sound) {
            memset(each, 0, f->size);
            break;
        }
        *count = i + 1;
    }
    j->index = outer;
    servet__json_close(j, ']');
}

/* A column of nothing but 0 is not written.  The first is as long as there are structs; those behind the end of a
 * shorter one are 0. */
SERVET__PRIVATE void servet__json_columns(servet__json *j, void *one, char *at, const servet__field *f)
{
    int *count = servet__json_count(one, f), i, k, n = j->reading ? f->cap : *count;
    for (k = 0; k < f->of_count; k++) {
        const servet__field *of = &f->of[k];
        for (i = 0; !j->reading && k > 0 && i < n; i++) {
            const double v = servet__cell_get(at + of->at + (size_t)i * f->size, of->kind);
            if (v < 0 || v > 0) break;
        }
        if ((!j->reading && k > 0 && i == n) || !servet__json_open(j, of->key, '[', 1)) continue;
        i = servet__json_run(j, at + of->at, f->size, of->kind, n);
        servet__json_close(j, ']');
        if (j->reading && k == 0) n = *count = i;
    }
}

/* Words of which the first field is -1 are absent. */
SERVET__PRIVATE void servet__json_by_word(servet__json *j, void *one, void *whole, const servet__field *f)
{
    const int outer = j->index, none = f->of->how & SERVET__MINUS;
    const int there = !f->key || servet__json_open(j, f->key, '{', 0);
    for (j->index = 0; j->index < f->cap; j->index++) {
        void *first = (char *)one + f->of->at + (size_t)j->index * f->of->stride;
        servet__field bare = *f->of;
        bare.key = f->word[j->index].key;
        if (none && j->reading) servet__cell_set(first, f->of->kind, -1);
        if (!there || (none && !j->reading && servet__cell_get(first, f->of->kind) < 0)) continue;
        if (f->how & SERVET__BARE) {
            servet__json_visit(j, one, whole, &bare, 1);
        } else if (servet__json_open(j, bare.key, '{', f->how & SERVET__LINE)) {
            servet__json_visit(j, one, whole, f->of, f->of_count);
            servet__json_close(j, '}');
        }
    }
    j->index = outer;
    if (there && f->key) servet__json_close(j, '}');
}

SERVET__PRIVATE void servet__json_object(servet__json *j, void *one, void *at, const servet__field *f)
{
    void *inside = at;
    int sound;
    if (f->how & SERVET__BEHIND) memcpy(&inside, at, sizeof inside);
    if (!inside && !(j->reading && f->how & SERVET__MAKE)) return;
    if ((!j->reading && f->has && !f->has(inside) && !(f->how & SERVET__NEXT && *servet__json_count(one, f) > 0))
        || (f->key && !servet__json_open(j, f->key, '{', f->how & SERVET__LINE))) return;
    if (j->reading && f->how & SERVET__MARK) *servet__json_count(one, f) = 1;
    if (!inside) inside = calloc(1, f->size);
    sound = inside && servet__json_visit(j, inside, one, f->of, f->of_count);
    if (f->key) servet__json_close(j, '}');
    if (!j->reading) return;
    if (!inside) j->status = SERVET_ENOMEM;
    if (!sound && !(f->how & SERVET__BEHIND)) memset(inside, 0, f->size);
    if (!(f->how & SERVET__MAKE)) return;
    if (!sound) {
        free(inside);
        inside = NULL;
    }
    memcpy(at, &inside, sizeof inside);
}

/* Fields that are about several CPUs. */
SERVET__PRIVATE void servet__json_of_cpus(servet__json *j, void *one, void *at, const servet__field *f)
{
    int i, *count = servet__json_count(one, f);
    if (f->kind == SERVET__IS_TRIANGLE) {
        servet__json_triangle(j, f->key, at, f->cap);
    } else if (f->kind == SERVET__IS_MARKED) {
        servet__json_marked(j, f->key, (unsigned char *)at, f->cap);
    } else if (f->kind == SERVET__IS_GROUPS) {
        i = servet__json_groups(j, f->key, (int16_t *)at);
        if (j->reading) *count = i < 0 && !(f->how & SERVET__MINUS) ? 0 : i;
    } else if (f->kind == SERVET__IS_CPUS) {
        servet__field numbers = *f;
        numbers.kind = SERVET__CELL_INT;
        numbers.how = SERVET__OWN;
        if (f->key) servet__json_array(j, one, at, &numbers);
        j->cpu = (const int *)at;
        j->each = *count;
    } else if (servet__json_open(j, f->key, '[', 0)) {
        for (i = 0; i < (j->reading ? f->cap : *count) && servet__json_open(j, NULL, '{', 1); i++) {
            servet__json_groups(j, "groups", (int16_t *)at + i * SERVET_CORES_MAX);
            servet__json_close(j, '}');
        }
        if (j->reading) *count = i;
        servet__json_close(j, ']');
    }
}

/* Flags of samples, and how many of these are noisy. */
SERVET__PRIVATE void servet__json_flags(servet__json *j, void *one, void *at, const servet__field *f)
{
    const unsigned char *flags = (const unsigned char *)at;
    void *counted = (char *)one + f->size;
    int i, n = 0;
    servet__field bytes = *f;
    bytes.kind = SERVET__CELL_BYTE;
    servet__json_array(j, one, at, &bytes);
    for (i = 0; i < *servet__json_count(one, f); i++) n += flags[i] != 0;
    if (j->reading) *(int *)counted = n;
}

/* Who shares a level, where that is known.  That none crowds out another of what could be had of a level, which others
 * use as well, is no proof that each has one of his own. */
SERVET__PRIVATE const servet_sharing_level *servet__profile_sharing(const servet_profile *p, int level)
{
    const servet_sharing *x = p->sharing;
    int i;
    if (!x) return NULL;
    for (i = 0; i < x->count && x->level[i].level != level; i++) { }
    if (i == x->count || x->level[i].status != SERVET_OK) return NULL;
    if (level <= p->cache_count && p->cache[level - 1].effective && x->level[i].groups == x->cpus
        && !x->level[i].flooded) return NULL;
    return &x->level[i];
}

/* Groups of the CPUs that share a cache, once more for those who look for them there. */
SERVET__PRIVATE void servet__json_sharers(servet__json *j, const char *key, const servet_profile *p)
{
    const servet_sharing_level *shared = j->reading ? NULL : servet__profile_sharing(p, j->index + 1);
    if (!shared) return;
    j->cpu = p->sharing->cpu;
    j->each = p->sharing->cpus;
    servet__json_groups(j, key, (int16_t *)(uintptr_t)shared->group);
}

/* One field of a struct; whole is the one around it.  0 where what was read is not sound. */
SERVET__PRIVATE int servet__json_field(servet__json *j, void *one, void *whole, void *at, const servet__field *f)
{
    const int needed = j->reading && f->how & SERVET__NEEDED;
    int k = j->index + 1, *number = (int *)at;
    switch (f->kind) {
    case SERVET__IS_BOOL: servet__json_bool(j, f->key, number); return 1;
    case SERVET__IS_STATUS: servet__json_status(j, f->key, number); return 1;
    case SERVET__IS_TEXT: servet__json_string(j, f->key, (char *)at, SERVET_TEXT_MAX); return 1;
    case SERVET__IS_WORD:
        k = *number + (f->how & SERVET__SIGNED ? 1 : 0);
        servet__json_word(j, f->key, &k, f->word, f->cap);
        if (j->reading) *number = k - (f->how & SERVET__SIGNED ? 1 : 0);
        return 1;
    case SERVET__IS_SET: servet__json_set(j, f->key, number, f->word, f->cap); return 1;
    case SERVET__IS_NAMES: servet__json_names(j, f->key, (char *)at, f->size, servet__json_count(one, f)); return 1;
    case SERVET__IS_INDEX: servet__json_cell(j, f->key, &k, SERVET__CELL_INT); return 1;
    case SERVET__IS_OBJECT: servet__json_object(j, one, at, f); return 1;
    case SERVET__IS_LIST: servet__json_list(j, one, at, f); return 1;
    case SERVET__IS_COLUMNS: servet__json_columns(j, one, (char *)at, f); return 1;
    case SERVET__IS_BY_WORD: servet__json_by_word(j, one, whole, f); return 1;
    case SERVET__IS_MASK: servet__json_mask(j, f->key, (uint64_t *)at); return 1;
    case SERVET__IS_FLAGS: servet__json_flags(j, one, at, f); return 1;
    case SERVET__IS_SHARERS: servet__json_sharers(j, f->key, (const servet_profile *)whole); return 1;
    case SERVET__IS_EACH:
        servet__json_cell(j, f->key, number, SERVET__CELL_INT);
        j->each = *number;
        return !j->reading || *number > 0;
    case SERVET__IS_CPUS: servet__json_of_cpus(j, one, at, f); return !j->reading || j->each > 0;
    case SERVET__IS_GROUPS: case SERVET__IS_LAYERS: case SERVET__IS_TRIANGLE: case SERVET__IS_MARKED:
        servet__json_of_cpus(j, one, at, f);
        return 1;
    }
    if (f->cap)
        return servet__json_array(j, one, at, f) || !needed
            || (f->how & SERVET__SOME && *servet__json_count(one, f) == 0);
    if (j->reading && f->how & SERVET__MINUS) servet__cell_set(at, f->kind, -1);
    servet__json_cell(j, f->key, at, f->kind);
    return !needed || servet__cell_get(at, f->kind) > 0;
}

SERVET__PRIVATE int servet__json_visit(servet__json *j, void *one, void *whole, const servet__field *f, int fields)
{
    for (; fields-- > 0; f++) {
        char *at = (char *)(f->how & SERVET__AROUND ? whole : one) + f->at + (size_t)j->index * f->stride;
        if (f->how & SERVET__NEXT) at += (size_t)*servet__json_count(one, f) * f->size;
        if (!j->reading && !servet__json_some(f, one, at)) continue;
        if (!servet__json_field(j, one, whole, at, f)) return 0;
    }
    return 1;
}

static const servet__name servet__timer_word[] = {
    SERVET__WORD("auto"), SERVET__WORD("counter"), SERVET__WORD("clock") };
static const servet__name servet__counted_word[] = { SERVET__WORD("cache"), SERVET__WORD("tlb") };
static const servet__name servet__memory_word[] = {
    SERVET__WORD("local"), SERVET__WORD("node"), SERVET__WORD("spread") };
static const servet__name servet__series_word[] = {
    SERVET__WORD("kernels"), SERVET__WORD("fill"), SERVET__WORD("spread"), SERVET__WORD("loaded"),
        SERVET__WORD("stores"), SERVET__WORD("nodes") };
static const servet__name servet__part_word[] = {
    SERVET__WORD("caches"), SERVET__WORD("tlb"), SERVET__WORD("prefetched"), SERVET__WORD("shared"),
        SERVET__WORD("bandwidth"),
    SERVET__WORD("cores"), SERVET__WORD("coherence") };
static const servet__name servet__destructive_word[] = {
    SERVET__WORD("none"), SERVET__WORD("pairs"), SERVET__WORD("fetch") };
static const servet__name servet__neighbour_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("free"), SERVET__WORD("pair"), SERVET__WORD("next") };
static const servet__name servet__buffered_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("shown"), SERVET__WORD("refuted") };
static const servet__name servet__load_word[] = {
    SERVET__WORD("apart"), SERVET__WORD("from_one"), SERVET__WORD("to_one") };
static const servet__name servet__shape_word[] = {
    SERVET__WORD("unknown"), SERVET__WORD("flat"), SERVET__WORD("ring"), SERVET__WORD("torus"),
        SERVET__WORD("two_level") };
static const servet__name servet__hosts_word[] = {    /* from -1 on */
    SERVET__WORD("crossed by groups"), SERVET__WORD("within groups"), SERVET__WORD("around groups") };

/* How it was made, and where. */

static const servet__field servet__made_table[] = {
    SERVET__FIELDS(servet_made, TEXT, when), SERVET__FIELDS(servet_made, DOUBLE, seconds, budget_s),
    SERVET__WORDS_AS(servet_made, SET, SERVET__SOME, parts, "parts", servet__part_word),
    SERVET__FIELDS(servet_made, INT, cpu),
    SERVET__FIELDS(servet_made, BOOL, converged, stopped), SERVET__FIELDS(servet_made, DOUBLE, noisy_frac),
    SERVET__FIELD(servet_made, DOUBLE, SERVET__SOME, cpu_frac, "cpu_frac") };
static const servet__field servet__report_table[] = {
    SERVET__WORDS(servet_report, source, "source", servet__report_word), SERVET__FIELDS(servet_report, INT, level),
    SERVET__FIELDS(servet_report, DOUBLE, bytes), SERVET__FIELDS(servet_report, INT, line_bytes, ways, shared_cpus) };
static const servet__field servet__tlb_report_table[] = {
    SERVET__WORDS(servet_tlb_report, source, "source", servet__report_word),
    SERVET__FIELDS(servet_tlb_report, INT, level), SERVET__FIELDS(servet_tlb_report, DOUBLE, page_bytes),
    SERVET__FIELDS(servet_tlb_report, INT, entries, ways) };
static const servet__field servet__host_table[] = {
    SERVET__FIELDS(servet_host, TEXT, cpu_model, arch, os, kernel, hypervisor, microcode, cpus),
    SERVET__FIELDS(servet_host, INT, cpu_count),
    SERVET__FIELDS(servet_host, DOUBLE, quota_cpus, memory_bytes, page_bytes, huge_page_bytes),
    SERVET__LIST(servet_host, SERVET__LINE, report, "reports", report_count, servet__report_table),
    SERVET__LIST(servet_host, SERVET__LINE | SERVET__SOME, tlb_report, "tlb_reports", tlb_report_count,
                 servet__tlb_report_table) };
static const servet__field servet__steps_table[] = {
    SERVET__WORDS(servet_timer, source, "source", servet__timer_word),
    SERVET__FIELDS(servet_timer, BOOL, monotone, trapped, steady),
    SERVET__FIELDS(servet_timer, DOUBLE, ns_per_tick, error_frac, overhead_ns, step_ns, min_block_ns, calibrate_s) };
static const servet__field servet__frequency_table[] = {
    SERVET__FIELDS(servet_frequency, DOUBLE, ghz, lo_ghz, hi_ghz, l1_cycles),
    SERVET__FIELDS(servet_frequency, BOOL, consistent, units) };
static const servet__field servet__timer_table[] = {
    SERVET__PART(servet_profile, timer, servet__steps_table),
    SERVET__OBJECT_IF(servet_profile, SERVET__LINE, frequency, "core", servet__frequency_table, NULL) };

/* Caches, line, TLBs. */

static const servet__field servet__system_table[] = {
    SERVET__OF_WORD(servet_cache, DOUBLE, SERVET__MINUS, system_bytes, "bytes"),
    SERVET__WORDS_OF_WORD(servet_cache, system_verdict, "verdict", servet__verdict_word) };
static const servet__field servet__cache_table[] = {
    SERVET__FIELD(servet_cache, INDEX, 0, bytes, "level"),
    SERVET__FIELDS(servet_cache, DOUBLE, bytes, lo_bytes, hi_bytes),
    SERVET__FIELD(servet_cache, INT, SERVET__SOME, ways, "ways"),    /* absent: not known */
    SERVET__FIELDS(servet_cache, DOUBLE, latency_ns, lo_ns, hi_ns, latency_cycles),
    SERVET__WORDS(servet_cache, policy, "policy", servet__policy_word),
    SERVET__WORDS(servet_cache, placement, "placement", servet__placement_word),
    SERVET__WORDS(servet_cache, method, "method", servet__method_word),
    SERVET__FIELDS(servet_cache, DOUBLE, misfit_frac), SERVET__FIELDS(servet_cache, BOOL, effective),
    SERVET__FIELD(servet_cache, BOOL, SERVET__SOME, unresolved, "unresolved"),
    SERVET__FIELD(servet_cache, BOOL, SERVET__SOME, disturbed, "disturbed"),
    SERVET__FIELD(servet_cache, DOUBLE, SERVET__SOME, usual_bytes, "usual_bytes"),
    SERVET__WORDS(servet_cache, source, "source", servet__source_word),
    SERVET__WORDS(servet_cache, verdict, "verdict", servet__verdict_word),
    SERVET__BY_WORD(servet_cache, SERVET__LINE, system_bytes, "system", ways, servet__report_word,
                    servet__system_table),
    SERVET__FIELD(servet_cache, SHARERS, 0, bytes, "groups") };
static const servet__field servet__doubt_table[] = {
    SERVET__FIELDS(servet_doubt, DOUBLE, bytes, ratio), SERVET__WORDS(servet_doubt, why, "why", servet__doubt_word) };
static const servet__field servet__memory_table[] = {
    SERVET__FIELD(servet_profile, DOUBLE, 0, memory_ns, "latency_ns"),
    SERVET__FIELD(servet_profile, DOUBLE, 0, memory_lo_ns, "lo_ns"),
    SERVET__FIELD(servet_profile, DOUBLE, 0, memory_hi_ns, "hi_ns") };
SERVET__HAS_OF(memory, servet_profile, x->memory_ns > 0)
SERVET__HAS_OF(cores, servet_profile, x->cores && x->cores->count > 0)
SERVET__HAS_OF(latencies, servet_cores, x->count > 0)
SERVET__HAS_OF(sharing, servet_sharing, x->cpus > 0)
SERVET__HAS_OF(contention, servet_contention, x->cpus > 0)
SERVET__HAS_OF(network, servet_network, x->ranks > 0)
SERVET__HAS_OF(pairs, servet_network, x->ranks > 0 && x->pair_count > 0)
static const servet__field servet__line_table[] = {
    SERVET__FIELD(servet_line, INT, 0, line_bytes, "bytes"), SERVET__FIELDS(servet_line, INT, lo_bytes, hi_bytes),
    SERVET__FIELD(servet_line, INT, SERVET__SOME, fetch_bytes, "fetch_bytes"),
    SERVET__FIELDS(servet_line, BOOL, predicted), SERVET__FIELDS(servet_line, DOUBLE, hit_ns, miss_ns) };
static const servet__field servet__tlb_level_table[] = {
    SERVET__FIELDS(servet_tlb_level, INT, entries, lo_entries, hi_entries),
    SERVET__FIELDS(servet_tlb_level, DOUBLE, penalty_ns, lo_ns, hi_ns) };
static const servet__field servet__tlb_table[] = {
    SERVET__LIST(servet_tlb, SERVET__LINE, level, "levels", count, servet__tlb_level_table),
    SERVET__FIELDS(servet_tlb, INT, seen_pages), SERVET__FIELD(servet_tlb, DOUBLE, SERVET__SOME, walk_ns, "walk_ns"),
    SERVET__FIELD(servet_tlb, DOUBLE, SERVET__SOME, walk_far_ns, "walk_far_ns") };
SERVET__HAS_OF(tlb, servet_tlb, x->count != 0 || x->seen_pages != 0)
static const servet__field servet__tlbs_table[] = {
    SERVET__WORDS(servet_tlbs, backing, "backing", servet__backing_word),
    SERVET__OBJECT_IF(servet_tlbs, 0, small, "small", servet__tlb_table, servet__json_has_tlb),
    SERVET__OBJECT_IF(servet_tlbs, 0, large, "large", servet__tlb_table, servet__json_has_tlb) };
SERVET__HAS_OF(tlbs, servet_tlbs, x->small.count > 0 || x->large.count > 0)

/* Streams and chains. */
static const servet__field servet__rate_table[] = {
    SERVET__FIELDS(servet_rate, INT, level), SERVET__WORDS(servet_rate, kernel, "kernel", servet__kernel_word),
    SERVET__WORDS(servet_rate, vector, "vector", servet__vector_word), SERVET__FIELDS(servet_rate, BOOL, streaming),
    SERVET__FIELDS(servet_rate, INT, cpus),
    SERVET__FIELDS(servet_rate, DOUBLE, bytes, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s, allocate_bytes_per_s),
    SERVET__FIELDS(servet_rate, INT, samples, noisy) };
static const servet__field servet__fit_table[] = {
    SERVET__FIELD(servet_saturation, DOUBLE, 0, one, "one_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, lo_one, "lo_one_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, hi_one, "hi_one_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, top, "top_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, lo_top, "lo_top_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, hi_top, "hi_top_bytes_per_s"),
    SERVET__FIELD(servet_saturation, DOUBLE, 0, best, "best_bytes_per_s"),
    SERVET__FIELDS(servet_saturation, DOUBLE, knee, lo_knee, hi_knee), SERVET__FIELDS(servet_saturation, BOOL, open),
    SERVET__FIELDS(servet_saturation, INT, enough, lo_enough, hi_enough),
    SERVET__FIELDS(servet_saturation, DOUBLE, decline_frac, sharpness, misfit_frac) };
static const servet__field servet__growth_table[] = {
    SERVET__FIELDS(servet_growth, BOOL, spread), SERVET__WORDS(servet_growth, kernel, "kernel", servet__kernel_word),
    SERVET__FIELDS(servet_growth, BOOL, streaming), SERVET__FIELDS(servet_growth, INT, level),
    SERVET__FIELDS(servet_growth, DOUBLE, bytes), SERVET__ARRAY(servet_growth, COUNT, SERVET__OWN, cpus, "cpus", count),
    SERVET__ARRAY(servet_growth, DOUBLE, SERVET__ALONG, bytes_per_s, "bytes_per_s", count),
    SERVET__ARRAY(servet_growth, DOUBLE, SERVET__ALONG, lo_bytes_per_s, "lo_bytes_per_s", count),
    SERVET__ARRAY(servet_growth, DOUBLE, SERVET__ALONG, hi_bytes_per_s, "hi_bytes_per_s", count),
    SERVET__OBJECT(servet_growth, SERVET__LINE | SERVET__SOME | SERVET__MARK, fit, "fit", fitted, servet__fit_table) };
static const servet__field servet__loaded_table[] = {
    SERVET__FIELDS(servet_loaded, DOUBLE, bytes_per_s, latency_ns, lo_ns, hi_ns) };
static const servet__field servet__rates_table[] = {
    SERVET__LIST(servet_rates, SERVET__LINE, rate, "rates", count, servet__rate_table),
    SERVET__LIST(servet_rates, SERVET__SOME, growth, "scaling", growths, servet__growth_table),
    SERVET__LIST(servet_rates, SERVET__SOME | SERVET__LINE, loaded, "loaded", loads, servet__loaded_table) };
SERVET__HAS_OF(rates, servet_rates, x->count || x->growths || x->loads)
static const servet__field servet__mlp_table[] = {
    SERVET__FIELDS(servet_mlp, DOUBLE, latency_ns, lo_latency_ns, hi_latency_ns, mlp, lo_mlp, hi_mlp),
    SERVET__FIELDS(servet_mlp, BOOL, open), SERVET__FIELDS(servet_mlp, INT, k90, lo_k90, hi_k90),
    SERVET__FIELDS(servet_mlp, DOUBLE, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s, misfit_frac) };
static const servet__field servet__chains_table[] = {
    SERVET__FIELDS(servet_chains, INT, level, cpus), SERVET__FIELDS(servet_chains, DOUBLE, bytes),
    SERVET__PART(servet_chains, mlp, servet__mlp_table) };
static const servet__field servet__node_table[] = {
    SERVET__FIELDS(servet_node_rate, INT, cpu_node, node, cpus),
    SERVET__FIELDS(servet_node_rate, DOUBLE, latency_ns, lo_ns, hi_ns, load_bytes_per_s, triad_bytes_per_s),
    SERVET__FIELDS(servet_node_rate, DOUBLE, all_load_bytes_per_s, all_triad_bytes_per_s) };
static const servet__field servet__streaming_table[] = {
    SERVET__FIELDS(servet_streaming, INT, cpus), SERVET__FIELDS(servet_streaming, DOUBLE, bytes, lo_bytes, hi_bytes),
    SERVET__FIELDS(servet_streaming, BOOL, always), SERVET__FIELDS(servet_streaming, DOUBLE, gain_frac) };

/* CPUs, and layers of them. */

/* Pairs with a latency are sound, but for those that are named. */
static const servet__field servet__latencies_table[] = {
    SERVET__ARRAY(servet_cores, CPUS, 0, cpu, "cpus", count),
    SERVET__FIELDS(servet_cores, INT, of, moved, passes, taken, alone), SERVET__FIELDS(servet_cores, BOOL, stopped),
    SERVET__FIELDS(servet_cores, DOUBLE, seconds, home_frac),
    SERVET__PAIRS(servet_cores, FLOAT, ns[SERVET_HANDOFF_FLAGS], "latency_ns"),
    SERVET__PAIRS(servet_cores, FLOAT, ns[SERVET_HANDOFF_CAS], "cas_ns"),
    SERVET__MARKED(servet_cores, state, "contaminated", contaminated, SERVET_CORES_CONTAMINATED) };
static const servet__field servet__layer_table[] = {
    SERVET__FIELDS(servet_pairs_layer, DOUBLE, latency_ns, lo_ns, hi_ns, confidence_frac),

    SERVET__ARRAY_BESIDE(servet_layers, servet_pairs_layer, GROUPS, 0, group, "groups", groups) };
static const servet__field servet__outermost_table[] = {
    SERVET__FIELD(servet_layers, DOUBLE, 0, outermost_ns, "latency_ns"),
    SERVET__FIELDS(servet_layers, DOUBLE, lo_ns, hi_ns) };
static const servet__field servet__layers_table[] = {
    SERVET__LIST(servet_layers, SERVET__LINE, layer, "layers", count, servet__layer_table),
    SERVET__INSIDE(servet_layers, SERVET__LINE | SERVET__MARK, "outermost", cores, servet__outermost_table),
    SERVET__ARRAY(servet_layers, INT16, SERVET__EACH | SERVET__MANY, kind, "roles", kinds) };
static const servet__field servet__cores_table[] = {
    SERVET__POINTER(servet_profile, SERVET__MAKE, cores, NULL, servet__latencies_table, NULL),
    SERVET__ARRAY(servet_profile, GROUPS, SERVET__MINUS, smt, "smt", cores_with_siblings),
    SERVET__OBJECT(servet_profile, SERVET__SOME, layers, NULL, layers.cores, servet__layers_table) };

/* Who shares which cache. */
static const servet__field servet__sharing_level_table[] = {
    SERVET__FIELDS(servet_sharing_level, INT, level), SERVET__FIELDS(servet_sharing_level, STATUS, status),
    SERVET__FIELDS(servet_sharing_level, DOUBLE, bytes, footprint_bytes, predicted),
    SERVET__FIELDS(servet_sharing_level, INT, tests, at_once, flooded, undecided, chases),
    SERVET__FIELDS(servet_sharing_level, DOUBLE, seconds),
    SERVET__ARRAY(servet_sharing_level, GROUPS, 0, group, "groups", groups),
    SERVET__ARRAY(servet_sharing_level, DOUBLE, SERVET__EACH, llr, "llr", groups) };
static const servet__field servet__sharing_table[] = {
    SERVET__ARRAY(servet_sharing, CPUS, 0, cpu, "cpus", cpus), SERVET__FIELDS(servet_sharing, BOOL, paper, stopped),
    SERVET__FIELDS(servet_sharing, DOUBLE, seconds),
    SERVET__LIST(servet_sharing, 0, level, "levels", count, servet__sharing_level_table) };

/* Who slows whom at memory. */
static const servet__field servet__overhead_table[] = {
    SERVET__FIELDS(servet_contention_level, DOUBLE, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s),
    SERVET__FIELDS(servet_contention_level, INT, pairs),
    SERVET__ARRAY(servet_contention_level, GROUPS, 0, group, "groups", groups) };
static const servet__field servet__domain_table[] = {
    SERVET__FIELDS(servet_contention_domain, INT, layer, group, cpus, parent),
    SERVET__FIELDS(servet_contention_domain, DOUBLE, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s) };
static const servet__field servet__gamma_table[] = {
    SERVET__FIELDS(servet_contention_gamma, INT, a, b), SERVET__FIELDS(servet_contention_gamma, DOUBLE, gamma, lo, hi),
    SERVET__FIELDS(servet_contention_gamma, INT, rounds),
    SERVET__WORDS(servet_contention_gamma, verdict, "verdict", servet__collide_word) };
static const servet__field servet__by_number_table[] = {
    SERVET__FIELDS(servet_contention_scaling, INT, domain, cpus, enough, lo_enough, hi_enough),
    SERVET__FIELDS(servet_contention_scaling, DOUBLE, best_bytes_per_s),
    SERVET__ARRAY(servet_contention_scaling, INT, SERVET__OWN, n, "n", count),
    SERVET__ARRAY(servet_contention_scaling, DOUBLE, SERVET__ALONG, bytes_per_s, "bytes_per_s", count),
    SERVET__ARRAY(servet_contention_scaling, DOUBLE, SERVET__ALONG, lo_bytes_per_s, "lo_bytes_per_s", count),
    SERVET__ARRAY(servet_contention_scaling, DOUBLE, SERVET__ALONG, hi_bytes_per_s, "hi_bytes_per_s", count),
    SERVET__OBJECT(servet_contention_scaling, SERVET__LINE | SERVET__SOME | SERVET__MARK, fit, "fit", fitted,
                   servet__fit_table) };
static const servet__field servet__contention_table[] = {
    SERVET__ARRAY(servet_contention, CPUS, 0, cpu, "cpus", cpus),
    SERVET__WORDS(servet_contention, kernel, "kernel", servet__kernel_word),
    SERVET__WORDS(servet_contention, vector, "vector", servet__vector_word),
    SERVET__FIELDS(servet_contention, BOOL, streaming), SERVET__FIELDS(servet_contention, DOUBLE, bytes,
                   reference_bytes_per_s, lo_reference_bytes_per_s, hi_reference_bytes_per_s),
    SERVET__FIELDS(servet_contention, INT, pairs), SERVET__FIELDS(servet_contention, DOUBLE, noise_frac),
    SERVET__FIELDS(servet_contention, INT, taken), SERVET__FIELDS(servet_contention, BOOL, stopped),
    SERVET__FIELDS(servet_contention, DOUBLE, seconds),
    SERVET__LIST(servet_contention, SERVET__LINE, level, "levels", levels, servet__overhead_table),
    SERVET__ARRAY(servet_contention, LAYERS, 0, group, "layers", layers),
    SERVET__LIST(servet_contention, SERVET__LINE, domain, "domains", domains, servet__domain_table),
    SERVET__LIST(servet_contention, SERVET__LINE, gamma, "gammas", gammas, servet__gamma_table),
    SERVET__LIST(servet_contention, 0, scaling, "scaling", scalings, servet__by_number_table) };

/* Coherence. */
static const servet__field servet__block_table[] = {
    SERVET__ARRAY(servet_block, INT, 0, cpu, "cpus", status), SERVET__FIELDS(servet_block, STATUS, status),
    SERVET__FIELDS(servet_block, DOUBLE, bytes, lo_bytes, hi_bytes, confidence_frac),
    SERVET__FIELDS(servet_block, DOUBLE, near_ns, lo_near_ns, hi_near_ns, far_ns, lo_far_ns, hi_far_ns) };
static const servet__field servet__destructive_table[] = {
    SERVET__WORDS(servet_destructive, method, "method", servet__destructive_word),
    SERVET__WORDS(servet_destructive, neighbour, "neighbours", servet__neighbour_word),
    SERVET__FIELDS(servet_destructive, DOUBLE, block_bytes, bytes, lo_bytes, hi_bytes) };
static const servet__field servet__cost_table[] = {
    SERVET__FIELDS(servet_cost_point, INT, cpus), SERVET__FIELDS(servet_cost_point, DOUBLE, ns, lo_ns, hi_ns,
        slowest_ns) };
static const servet__field servet__operation_table[] = {
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, growth, "growth"),
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, lo_growth, "lo_growth"),
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, hi_growth, "hi_growth"),
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, power, "power"),
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, lo_power, "lo_power"),
    SERVET__OF_WORD(servet_costs, DOUBLE, 0, hi_power, "hi_power"),
    SERVET__LIST_OF_WORD(servet_costs, SERVET__LINE, point, "points", count, servet__cost_table) };
static const servet__field servet__costs_table[] = {
    SERVET__WORDS(servet_costs, buffered, "buffered", servet__buffered_word),
    SERVET__FIELDS(servet_costs, DOUBLE, exposed, lo_exposed, hi_exposed),
    SERVET__BY_WORD(servet_costs, 0, growth, NULL, count, servet__operation_word, servet__operation_table) };
static const servet__field servet__coherence_table[] = {
    SERVET__FIELDS(servet_coherence, INT, taken), SERVET__FIELDS(servet_coherence, BOOL, stopped),
    SERVET__FIELDS(servet_coherence, DOUBLE, seconds),
    SERVET__LIST(servet_coherence, SERVET__LINE, block, "blocks", blocks, servet__block_table),
    SERVET__OBJECT_IF(servet_coherence, SERVET__LINE, destructive, "destructive", servet__destructive_table, NULL),
    SERVET__OBJECT(servet_coherence, SERVET__SOME, costs, "costs", costs.count, servet__costs_table) };
SERVET__HAS_OF(coherence, servet_coherence, x->blocks || x->costs.count || x->destructive.count)

/* Networks. */

static const servet__field servet__message_table[] = {
    SERVET__FIELDS(servet_message, DOUBLE, median_ns, lo_ns, hi_ns, min_ns, p10_ns, p90_ns, p99_ns),
    SERVET__FIELD(servet_message, INT, SERVET__NEEDED, samples, "samples"), SERVET__FIELD(servet_message, INT,
        SERVET__SOME, flags, "flags") };
#define SERVET__MESSAGE(T, m) \
    SERVET__OBJECT(T, SERVET__LINE | SERVET__SOME, m, #m, m.samples, servet__message_table)

SERVET__HAS_OF(typical, servet_network_layer, x->a >= 0 && x->a != x->b)
SERVET__HAS_OF(reach, servet_network_layer, x->pairs > 0)
static const servet__field servet__reach_table[] = {
    SERVET__FIELDS(servet_network_layer, INT, pairs),
    { "typical", SERVET__IS_INT, 0, offsetof(servet_network_layer, a), 0, 2, 0, 0, NULL, NULL, 0,    /* and b */
      servet__json_has_typical },
    SERVET__WORDS_AS(servet_network_layer, WORD, SERVET__SIGNED, in_hosts, "hosts", servet__hosts_word),
    SERVET__FIELDS(servet_network_layer, DOUBLE, small_ns, small_lo_ns, small_hi_ns, trip_ns, trip_lo_ns, trip_hi_ns),
    SERVET__FIELDS(servet_network_layer, DOUBLE, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s, crowded_frac,
                   confidence_frac) };
static const servet__field servet__network_layer_table[] = {
    SERVET__ARRAY_BESIDE(servet_network, servet_network_layer, INT16, SERVET__EACH | SERVET__NEEDED, group, "group",
                         groups),
    SERVET__FIELDS(servet_network_layer, INT, groups),    /* for those who do not count */
    SERVET__INSIDE_IF(servet_network_layer, 0, NULL, servet__reach_table, NULL) };
static const servet__field servet__size_table[] = {
    SERVET__FIELDS(servet_network_size, INT, layer), SERVET__FIELDS(servet_network_size, DOUBLE, bytes),
    SERVET__MESSAGE(servet_network_size, trip), SERVET__MESSAGE(servet_network_size, stream),
    SERVET__MESSAGE(servet_network_size, both) };
static const servet__field servet__threshold_table[] = {
    SERVET__FIELDS(servet_network_threshold, INT, layer),
    SERVET__FIELDS(servet_network_threshold, DOUBLE, bytes, lo_bytes, hi_bytes, before_ns, after_ns) };
static const servet__field servet__load_table[] = {
    SERVET__FIELDS(servet_network_load, INT, layer), SERVET__WORDS(servet_network_load, kind, "ends",
        servet__load_word),
    SERVET__FIELDS(servet_network_load, INT, at_once), SERVET__FIELDS(servet_network_load, DOUBLE, bytes),
    SERVET__MESSAGE(servet_network_load, last), SERVET__MESSAGE(servet_network_load, mean) };
#define SERVET__RATIOS(by)                                                                                        \
    SERVET__FIELD(servet_network_ratio, INT, 0, which, by),                                                       \
    SERVET__FIELDS(servet_network_ratio, DOUBLE, ratio, lo_ratio, hi_ratio, bytes_per_s, lo_bytes_per_s,          \
                   hi_bytes_per_s), SERVET__FIELDS(servet_network_ratio, INT, senders, samples)
static const servet__field servet__distance_table[] = { SERVET__RATIOS("distance") };
static const servet__field servet__processes_table[] = { SERVET__RATIOS("processes") };
static const servet__field servet__dist_table[] = {
    SERVET__FIELD(servet_network, INT, 0, dist_nodes, "nodes"), SERVET__FIELD(servet_network, DOUBLE, 0, dist_bytes,
        "bytes"),
    SERVET__WORDS(servet_network, shape, "shape", servet__shape_word),
    SERVET__FIELD(servet_network, INT, 0, shape_period, "period"),
    SERVET__FIELD(servet_network, INT, 0, shape_period_2, "period_2"),
    SERVET__COLUMNS(servet_network, dist, dist_count, servet__distance_table) };
static const servet__field servet__access_table[] = {
    SERVET__FIELD(servet_network, DOUBLE, 0, access_bytes, "bytes"),
    SERVET__FIELD(servet_network, BOOL, 0, access_constant, "constant"),
    SERVET__COLUMNS(servet_network, access, access_count, servet__processes_table) };
static const servet__field servet__network_table[] = {
    SERVET__FIELD(servet_network, EACH, 0, ranks, "ranks"), SERVET__FIELDS(servet_network, TEXT, library),
    SERVET__FIELDS(servet_network, INT, crowded), SERVET__FIELDS(servet_network, DOUBLE, step_ns, seconds),
    SERVET__FIELDS(servet_network, INT, rounds), SERVET__FIELDS(servet_network, BOOL, stopped, noisy),
    SERVET__FIELDS(servet_network, DOUBLE, small_bytes, trip_bytes, stream_bytes),
    SERVET__FIELDS(servet_network, BOOL, distance_like),
    SERVET__ARRAY(servet_network, NAMES, SERVET__SOME, names, "hosts", hosts),
    SERVET__ARRAY(servet_network, INT16, SERVET__EACH | SERVET__SOME | SERVET__NEEDED, host, "host", hosts),
    { "layers", SERVET__IS_LIST, SERVET__LINE, offsetof(servet_network, layer), offsetof(servet_network, layer_count),
      SERVET_NETWORK_LAYERS, sizeof(servet_network_layer), 0, NULL, SERVET__TABLE(servet__network_layer_table), NULL },
    { "outermost", SERVET__IS_OBJECT, SERVET__LINE | SERVET__NEXT, offsetof(servet_network, layer),
      offsetof(servet_network, layer_count), 0, sizeof(servet_network_layer), 0, NULL,
      SERVET__TABLE(servet__reach_table), servet__json_has_reach },
    SERVET__LIST(servet_network, SERVET__LINE | SERVET__SOME, size, "sizes", size_count, servet__size_table),
    SERVET__LIST(servet_network, SERVET__LINE | SERVET__SOME, threshold, "switches", threshold_count,
                 servet__threshold_table),
    SERVET__LIST(servet_network, SERVET__LINE | SERVET__SOME, load, "scaling", load_count, servet__load_table),
    SERVET__INSIDE(servet_network, SERVET__SOME, "dist_ratio", dist_count, servet__dist_table),
    SERVET__INSIDE(servet_network, SERVET__SOME, "access_ratio", access_count, servet__access_table) };

/* The evidence: curves and counts. */
static const servet__field servet__chase_opts_table[] = {
    SERVET__FIELDS(servet_chase_opts, INT, pattern, line_bytes, page_bytes, group_pages, lines_per_page) };

static const servet__field servet__point_table[] = {
    SERVET__FIELDS(servet_point, DOUBLE, bytes, ns, lo_ns, hi_ns),
    SERVET__ARRAY(servet_point, DOUBLE, SERVET__OWN, sample_ns, "sample_ns", samples),
    SERVET__ARRAY(servet_point, DOUBLE, SERVET__ALONG, anchor_cycles, "anchor_cycles", samples),
    SERVET__ARRAY(servet_point, BYTE, SERVET__ALONG, flags, "flags", samples),
    SERVET__ARRAY(servet_point, BYTE, SERVET__ALONG, round, "round", samples) };
static const servet__field servet__curve_table[] = {
    SERVET__PART(servet_curve, chase, servet__chase_opts_table),
    SERVET__FIELDS(servet_curve, INT, rounds, converged, taken, retaken), SERVET__FIELDS(servet_curve, BOOL, stopped),
    SERVET__FIELDS(servet_curve, DOUBLE, seconds, huge_frac, anchor_cycles),
    SERVET__LIST(servet_curve, SERVET__LINE, point, "points", count, servet__point_table) };
static const servet__field servet__pass_table[] = {
    SERVET__FIELDS(servet_count_pass, INT, walks, asked, kept, resident_votes, evicted_votes) };
static const servet__field servet__run_table[] = {
    SERVET__FIELDS(servet_count_run, DOUBLE, resident_ns, evicted_ns, limit_ns, disturbed_frac),
    SERVET__FIELDS(servet_count_run, BOOL, patient, full), SERVET__FIELDS(servet_count_run, INT, rest),
    SERVET__LIST(servet_count_run, SERVET__LINE, pass, "passes", passes, servet__pass_table) };
static const servet__field servet__count_table[] = {
    SERVET__WORDS(servet_count, kind, "kind", servet__counted_word), SERVET__FIELD(servet_count, DOUBLE,
        SERVET__NEEDED, unit_bytes, "unit_bytes"),
    SERVET__FIELDS(servet_count, BOOL, large), SERVET__FIELD(servet_count, INT, SERVET__NEEDED, loads, "loads"),
    SERVET__FIELDS(servet_count, DOUBLE, before, beside, reach), SERVET__FIELDS(servet_count, INT, questions),
    SERVET__FIELDS(servet_count, BOOL, stopped), SERVET__FIELDS(servet_count, DOUBLE, seconds),
    SERVET__LIST(servet_count, 0, run, "runs", runs, servet__run_table),
    SERVET__ARRAY(servet_count, COUNT, SERVET__OWN, set_units, "sets", sets) };
static const servet__field servet__resident_point_table[] = {
    SERVET__FIELD(servet_resident_point, DOUBLE, SERVET__NEEDED, bytes, "bytes"),
    SERVET__FIELDS(servet_resident_point, DOUBLE, anchor_cycles), SERVET__FIELDS(servet_resident_point, INT, flags),
    SERVET__ARRAY(servet_resident_point, DOUBLE, SERVET__NEEDED, ns, "ns", flags) };
static const servet__field servet__resident_table[] = {
    SERVET__FIELDS(servet_resident, DOUBLE, before_bytes), SERVET__FIELDS(servet_resident, BOOL, stopped),
    SERVET__FIELDS(servet_resident, DOUBLE, seconds),
    SERVET__LIST(servet_resident, SERVET__LINE, point, "points", count, servet__resident_point_table) };
static const servet__field servet__line_point_table[] = {
    SERVET__FIELDS(servet_line_point, INT, test, base_bytes, apart_bytes, samples),
    SERVET__FIELDS(servet_line_point, DOUBLE, ns) };
static const servet__field servet__line_pairs_table[] = {
    SERVET__FIELDS(servet_line_evidence, INT, taken, retaken), SERVET__FIELDS(servet_line_evidence, BOOL, stopped),
    SERVET__FIELDS(servet_line_evidence, DOUBLE, seconds),
    SERVET__FIELD(servet_line_evidence, INT, 0, blocks[0], "near_blocks"),
    SERVET__FIELD(servet_line_evidence, INT, 0, blocks[1], "far_blocks"),
    SERVET__LIST(servet_line_evidence, SERVET__LINE, point, "points", count, servet__line_point_table) };
SERVET__HAS_OF(chase, servet_stream_point, x->chase_bytes > 0)
static const servet__field servet__stream_table[] = {
    SERVET__WORDS(servet_stream_point, series, "series", servet__series_word),
    SERVET__WORDS(servet_stream_point, kernel, "kernel", servet__kernel_word),
    SERVET__WORDS(servet_stream_point, vector, "vector", servet__vector_word),
    SERVET__WORDS(servet_stream_point, memory, "memory", servet__memory_word),
    SERVET__FIELDS(servet_stream_point, BOOL, streaming), SERVET__FIELD(servet_stream_point, INT, SERVET__NEEDED,
        cpus, "cpus"),
    SERVET__FIELDS(servet_stream_point, INT, node, cpu_node),
    SERVET__FIELD(servet_stream_point, DOUBLE, SERVET__NEEDED, bytes, "bytes"),
    SERVET__FIELDS(servet_stream_point, DOUBLE, chase_bytes, gap_ns),
    SERVET__ARRAY(servet_stream_point, DOUBLE, SERVET__OWN, sample_bytes_per_s, "bytes_per_s", samples),
    SERVET__ARRAY_IF(servet_stream_point, DOUBLE, SERVET__ALONG, sample_chase_ns, "chase_ns", samples,
                     servet__json_has_chase),
    SERVET__ARRAY(servet_stream_point, BYTE, SERVET__ALONG, flags, "flags", samples) };
static const servet__field servet__streams_table[] = {
    SERVET__FIELDS(servet_stream_evidence, INT, taken), SERVET__FIELDS(servet_stream_evidence, BOOL, stopped),
    SERVET__FIELDS(servet_stream_evidence, DOUBLE, seconds),
    SERVET__LIST(servet_stream_evidence, SERVET__LINE, point, "points", count, servet__stream_table) };
static const servet__field servet__chain_point_table[] = {
    SERVET__FIELD(servet_parallel_point, INT, SERVET__NEEDED, chains, "chains"), SERVET__FIELDS(servet_parallel_point,
        DOUBLE, ns, lo_ns, hi_ns),
    SERVET__ARRAY(servet_parallel_point, DOUBLE, SERVET__OWN, sample_ns, "sample_ns", samples),
    SERVET__FLAGS(servet_parallel_point, flags, samples, noisy) };
static const servet__field servet__parallel_table[] = {
    SERVET__FIELD(servet_parallelism, DOUBLE, SERVET__NEEDED, bytes, "bytes"),
    SERVET__FIELD(servet_parallelism, INT, SERVET__NEEDED, cpus, "cpus"),
    SERVET__FIELDS(servet_parallelism, INT, line_bytes),
    SERVET__FIELDS(servet_parallelism, DOUBLE, seconds),
    SERVET__LIST(servet_parallelism, SERVET__LINE, point, "points", count, servet__chain_point_table) };

/* What several CPUs did. */
static const servet__field servet__sibling_table[] = {
    SERVET__FIELDS(servet_sibling, INT16, a, b), SERVET__FIELDS(servet_sibling, FLOAT, speed_frac) };
static const servet__field servet__cores_evidence_table[] = {
    SERVET__ARRAY(servet_cores, CPUS, 0, cpu, NULL, count),
    SERVET__PAIRS(servet_cores, UINT16, doubt_permille[SERVET_HANDOFF_FLAGS], "doubt_permille"),
    SERVET__PAIRS(servet_cores, UINT16, doubt_permille[SERVET_HANDOFF_CAS], "cas_doubt_permille"),
    SERVET__LIST(servet_cores, SERVET__LINE, sibling, "siblings", siblings, servet__sibling_table) };
/* Tests of who shares: the set once, then times round by round. */
static const servet__field servet__test_table[] = {
    SERVET__FIELDS(servet_sharing_test, INT16, level, cpus, rounds, need, one_sided),
    SERVET__FIELDS(servet_sharing_test, INT, first),
    SERVET__FIELDS(servet_sharing_test, DOUBLE, bytes, expected, calm, limit_ns, llr) };
static const servet__field servet__test_sample_table[] = {
    SERVET__FIELDS(servet_sharing_sample, INT16, cpu),
    SERVET__FIELDS(servet_sharing_sample, FLOAT, alone_ns, beside_ns) };
static const servet__field servet__test_samples_table[] = {
    SERVET__COLUMNS(servet_sharing, sample, samples, servet__test_sample_table) };
static const servet__field servet__sharing_evidence_table[] = {
    SERVET__LIST(servet_sharing, SERVET__LINE, test, "sharing_tests", tests, servet__test_table),
    SERVET__INSIDE(servet_sharing, 0, "sharing_samples", samples, servet__test_samples_table) };
static const servet__field servet__set_table[] = {
    SERVET__FIELDS(servet_contention_set, INT, batch), SERVET__FIELDS(servet_contention_set, MASK, cpus),
    SERVET__ARRAY(servet_contention_set, FLOAT, SERVET__OWN, bytes_per_s, "bytes_per_s", rounds) };
static const servet__field servet__contention_evidence_table[] = {
    SERVET__ARRAY(servet_contention, CPUS, 0, cpu, NULL, cpus),
    SERVET__ARRAY(servet_contention, DOUBLE, SERVET__EACH, own_bytes_per_s, "own_bytes_per_s", cpus),
    SERVET__PAIRS(servet_contention, FLOAT, pair_bytes_per_s, "pair_bytes_per_s"),
    SERVET__PAIRS(servet_contention, INT8, overhead, "overhead"),
    SERVET__ARRAY(servet_contention, LAYERS, 0, given_group, "given", given),
    SERVET__LIST(servet_contention, SERVET__SOME | SERVET__LINE, set, "sets", sets, servet__set_table) };
static const servet__field servet__block_point_table[] = {
    SERVET__FIELDS(servet_block_point, INT, base_bytes, distance_bytes, told), SERVET__FIELDS(servet_block_point,
        DOUBLE, ns),
    SERVET__ARRAY(servet_block_point, DOUBLE, SERVET__OWN, sample_ns, "sample_ns", samples),
    SERVET__ARRAY(servet_block_point, DOUBLE, SERVET__ALONG, near_ns, "near_ns", samples),
    SERVET__ARRAY(servet_block_point, DOUBLE, SERVET__ALONG, far_ns, "far_ns", samples),
    SERVET__FLAGS(servet_block_point, flags, samples, noisy) };
static const servet__field servet__block_evidence_table[] = {
    SERVET__LIST(servet_block, SERVET__LINE, point, "points", count, servet__block_point_table) };
static const servet__field servet__destructive_point_table[] = {
    SERVET__FIELDS(servet_destructive_point, INT, base_bytes, distance_bytes),
    SERVET__FIELDS(servet_destructive_point, DOUBLE, slowdown, lo_slowdown, hi_slowdown),
    SERVET__FIELDS(servet_destructive_point, INT, told),
    SERVET__ARRAY(servet_destructive_point, DOUBLE, SERVET__OWN, sample_ns, "sample_ns", samples),
    SERVET__ARRAY(servet_destructive_point, DOUBLE, SERVET__ALONG, far_ns, "far_ns", samples),
    SERVET__FLAGS(servet_destructive_point, flags, samples, noisy) };
static const servet__field servet__places_table[] = {
    SERVET__LIST(servet_destructive, SERVET__LINE, point, "destructive", count, servet__destructive_point_table),
    SERVET__OBJECT(servet_destructive, SERVET__LINE | SERVET__SOME, control, "control", count,
                   servet__destructive_point_table) };
static const servet__field servet__cost_point_table[] = {
    SERVET__ARRAY(servet_cost_point, DOUBLE, SERVET__OWN, sample_ns, "sample_ns", samples),
    SERVET__ARRAY(servet_cost_point, DOUBLE, SERVET__ALONG, sample_slowest_ns, "slowest_ns", samples),
    SERVET__FLAGS(servet_cost_point, flags, samples, noisy) };
/* In the order of their numbers of CPUs. */
static const servet__field servet__operation_points_table[] = {
    SERVET__LIST_OF_WORD(servet_costs, SERVET__LINE | SERVET__ALONG, point, NULL, count, servet__cost_point_table) };
static const servet__field servet__cost_points_table[] = {
    SERVET__BY_WORD(servet_costs, SERVET__BARE | SERVET__SOME, point, NULL, count, servet__operation_word,
                    servet__operation_points_table) };
static const servet__field servet__coherence_evidence_table[] = {
    SERVET__LIST(servet_coherence, SERVET__ALONG, block, "blocks", blocks, servet__block_evidence_table),
    SERVET__PART(servet_coherence, destructive, servet__places_table),
    SERVET__PART(servet_coherence, costs, servet__cost_points_table) };

/* Messages of pairs of ranks. */
#define SERVET__TRIP(which, member) \
    { #which "_" #member, SERVET__IS_FLOAT, 0, offsetof(servet_network_pair, which) + offsetof(servet_trip, member), \
      0, 0, 0, 0, NULL, NULL, 0, NULL }
#define SERVET__TRIPS(which) SERVET__TRIP(which, p10_ns), SERVET__TRIP(which, median_ns), \
    SERVET__TRIP(which, lo_ns), SERVET__TRIP(which, hi_ns), SERVET__TRIP(which, p90_ns)
static const servet__field servet__trips_table[] = {
    SERVET__FIELDS(servet_network_pair, INT16, a, b, at_once, flags), SERVET__TRIPS(small), SERVET__TRIPS(trip),
    SERVET__TRIPS(stream) };
static const servet__field servet__pair_table[] = {
    SERVET__COLUMNS(servet_network, pair, pair_count, servet__trips_table) };
static const servet__field servet__pairs_table[] = {
    SERVET__INSIDE(servet_network, 0, "pairs", pair_count, servet__pair_table) };

/* The whole file; then the evidence, and what belongs to it of that which programs ask for. */
static const servet__field servet__profile_table[] = {
    SERVET__FIELDS(servet_profile, TEXT, key), SERVET__OBJECT_IF(servet_profile, 0, made, "made", servet__made_table,
        NULL),
    SERVET__OBJECT_IF(servet_profile, 0, host, "host", servet__host_table, NULL),
    SERVET__INSIDE(servet_profile, SERVET__SOME | SERVET__MARK, "timer", timer_valid, servet__timer_table),
    SERVET__LIST(servet_profile, SERVET__SOME, cache, "caches", cache_count, servet__cache_table),
    SERVET__LIST(servet_profile, SERVET__SOME | SERVET__LINE, doubtful, "doubtful", doubtful_count,
        servet__doubt_table),
    SERVET__INSIDE_IF(servet_profile, SERVET__LINE, "memory", servet__memory_table, servet__json_has_memory),
    SERVET__OBJECT(servet_profile, SERVET__SOME | SERVET__LINE, line, "line", line.line_bytes, servet__line_table),
    SERVET__OBJECT_IF(servet_profile, 0, tlb, "tlb", servet__tlbs_table, servet__json_has_tlbs),
    SERVET__OBJECT_IF(servet_profile, 0, bandwidth, "bandwidth", servet__rates_table, servet__json_has_rates),
    SERVET__LIST(servet_profile, SERVET__SOME | SERVET__LINE, chains, "parallelism", chains_count,
        servet__chains_table),
    SERVET__LIST(servet_profile, SERVET__SOME | SERVET__LINE, node, "numa", node_count, servet__node_table),
    SERVET__LIST(servet_profile, SERVET__SOME | SERVET__LINE, streaming, "streaming_store_bytes", streaming_count,
                 servet__streaming_table),
    SERVET__INSIDE_IF(servet_profile, 0, "cores", servet__cores_table, servet__json_has_cores),
    SERVET__POINTER(servet_profile, SERVET__MAKE, sharing, "sharing", servet__sharing_table,
                    servet__json_has_sharing),
    SERVET__POINTER(servet_profile, SERVET__MAKE, contention, "contention", servet__contention_table,
                    servet__json_has_contention),
    SERVET__POINTER(servet_profile, SERVET__MAKE, coherence, "coherence", servet__coherence_table,
                    servet__json_has_coherence),
    SERVET__POINTER(servet_profile, SERVET__MAKE, network, "network", servet__network_table,
                    servet__json_has_network) };
static const servet__field servet__evidence_table[] = {
    SERVET__OBJECT(servet_evidence, SERVET__SOME, thin, "thin", thin.count, servet__curve_table),
    SERVET__LIST(servet_evidence, SERVET__SOME, count, "counts", counts, servet__count_table),
    SERVET__OBJECT(servet_evidence, SERVET__SOME, resident, "resident", resident.count, servet__resident_table),
    SERVET__OBJECT(servet_evidence, SERVET__SOME, curve, "curve", curve.count, servet__curve_table),
    SERVET__OBJECT(servet_evidence, SERVET__SOME, prefetched, "prefetched", prefetched.count, servet__curve_table),
    SERVET__OBJECT(servet_evidence, SERVET__SOME, line_pairs, "line_pairs", line_pairs.count, servet__line_pairs_table),
    SERVET__OBJECT(servet_evidence, SERVET__SOME, streams, "streams", streams.count, servet__streams_table),
    SERVET__LIST(servet_evidence, SERVET__SOME, parallel, "parallel", parallel_count, servet__parallel_table) };
static const servet__field servet__samples_table[] = {
    SERVET__POINTER(servet_profile, 0, cores, "cores", servet__cores_evidence_table, servet__json_has_latencies),
    SERVET__POINTER(servet_profile, 0, sharing, NULL, servet__sharing_evidence_table, servet__json_has_sharing),
    SERVET__POINTER(servet_profile, 0, contention, "contention", servet__contention_evidence_table,
                    servet__json_has_contention),
    SERVET__POINTER(servet_profile, 0, coherence, "coherence", servet__coherence_evidence_table,
                    servet__json_has_coherence),
    SERVET__POINTER(servet_profile, 0, network, "network", servet__pairs_table, servet__json_has_pairs) };

/* What the file does not say as it follows from what it does, and what contradicts itself. */

/* A curve ends before a point that is none. */
SERVET__PRIVATE void servet__curve_derive(servet_curve *c)
{
    int i, n;
    for (i = 0; i < c->count; i++) {
        const servet_point *q = &c->point[i];
        for (n = 0; n < q->samples && q->sample_ns[n] > 0; n++) { }
        if (n < q->samples || !(q->bytes > 0 && q->ns > 0 && (i == 0 || q->bytes > q[-1].bytes))) break;
    }
    c->count = i;
#if SERVET_HAS(MEASURING)
    servet__mcalibrator_settle(c);
#endif
}

/* Pairs with a latency are sound, but for those that are named. */
SERVET__PRIVATE void servet__cores_derive(servet_cores *c)
{
    const int pairs = c->count * (c->count - 1) / 2;
    int i, k, n;
    for (i = 0; i < pairs; i++) {
        for (n = k = 0; k < SERVET_HANDOFF_KINDS; k++) {
            if (!((double)c->ns[k][i] > 0)) c->ns[k][i] = 0;
            n += (double)c->ns[k][i] > 0;
        }
        if (c->state[i] != SERVET_CORES_CONTAMINATED)
            c->state[i] = (unsigned char)(n ? SERVET_CORES_SOUND : SERVET_CORES_UNMEASURED);
        c->sound += c->state[i] == SERVET_CORES_SOUND;
        c->contaminated += c->state[i] == SERVET_CORES_CONTAMINATED;
    }
}

SERVET__PRIVATE void servet__layers_derive(servet_layers *l, int cores)
{
    int i;
    if (l->cores) l->cores = cores;
    for (l->kinds = l->cores > 0, i = 0; i < l->cores; i++) {
        if (l->kind[i] < 0 || l->kind[i] >= cores) l->kind[i] = 0;
        if (l->kind[i] >= l->kinds) l->kinds = l->kind[i] + 1;
    }
}

/* Numbers of groups or hosts, from least to below most: the one above all of them; 0 = it is not that. */
SERVET__PRIVATE int servet__network_above(const int16_t *of, int ranks, int least, int most)
{
    int i, above = 0;
    for (i = 0; i < ranks; i++) {
        if (of[i] < least || of[i] >= most) return 0;
        if (of[i] >= above) above = of[i] + 1;
    }
    return above;
}

/* Does what was read of a network go together?  Half of one that contradicts itself would be a wrong answer. */
SERVET__PRIVATE int servet__network_derive(servet_network *n)
{
    int i;
    if (n->ranks > SERVET_NETWORK_RANKS) return 0;
    if (n->hosts > 0 && !servet__network_above(n->host, n->ranks, 0, n->hosts)) return 0;
    for (i = 0; i <= n->layer_count; i++) {
        servet_network_layer *l = &n->layer[i];
        if (l->a == l->b && (i < n->layer_count || l->pairs > 0)) l->a = l->b = -1;
        if (l->a < -1 || l->b < -1 || l->a >= n->ranks || l->b >= n->ranks) return 0;
        if (i == n->layer_count) break;
        l->groups = servet__network_above(n->group[i], n->ranks, -1, n->ranks);
        if (!l->groups) return 0;
    }
    for (i = 0; i < n->size_count; i++)
        if (n->size[i].layer < 0 || n->size[i].layer > n->layer_count || !(n->size[i].bytes > 0)) return 0;
    for (i = 0; i < n->threshold_count; i++)
        if (n->threshold[i].layer < 0 || n->threshold[i].layer > n->layer_count) return 0;
    for (i = 0; i < n->load_count; i++)
        if (n->load[i].layer < 0 || n->load[i].layer > n->layer_count || n->load[i].at_once < 1) return 0;
    for (i = 0; i < n->dist_count; i++)
        if (n->dist[i].which <= (i ? n->dist[i - 1].which : 0) || n->dist[i].which > n->ranks) return 0;
    for (i = 0; i < n->access_count; i++)
        if (n->access[i].which <= (i ? n->access[i - 1].which : 0) || n->access[i].which > n->ranks) return 0;
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *q = &n->pair[i];
        if (q->a < 0 || q->b < 0 || q->a >= n->ranks || q->b >= n->ranks || q->a == q->b) break;
    }
    if (i < n->pair_count) n->pair_count = 0;
    return n->dist_nodes >= 0 && n->dist_nodes <= n->ranks;
}

/* Tests of who shares, as far as their samples are there: sets of CPUs that name none twice, round by round. */
SERVET__PRIVATE void servet__sharing_derive(servet_sharing *s)
{
    int i, k, n, kept = 0;
    for (i = 0; i < s->tests; i++) {
        const servet_sharing_test *t = &s->test[i];
        const servet_sharing_sample *x = &s->sample[t->first >= 0 && t->first < s->samples ? t->first : 0];
        int whole = t->level >= 0 && t->level < s->count && t->cpus >= 2 && t->cpus <= s->cpus && t->rounds >= 1
                    && t->need >= 2 && t->first >= 0 && t->first <= s->samples - t->cpus * t->rounds;
        for (n = 0; whole && n < t->cpus * t->rounds; n++) {
            whole = x[n].cpu >= 0 && x[n].cpu < s->cpus && x[n].cpu == x[n % t->cpus].cpu;
            for (k = 0; whole && n < t->cpus && k < n; k++) whole = x[k].cpu != x[n].cpu;
        }
        if (whole) s->test[kept++] = *t;
    }
    s->tests = kept;
}

SERVET__PRIVATE void servet__profile_derive(servet_profile *p)
{
    int i, k;
    if (p->sharing) servet__sharing_derive(p->sharing);
    for (i = 0; i < p->cache_count; i++) {    /* before 0.6: pages counted, and ends bisected */
        if (p->cache[i].method == SERVET_BY_HELD + 1) p->cache[i].method = SERVET_BY_COUNT;
        if (p->cache[i].method > SERVET_BY_HELD) p->cache[i].method = SERVET_BY_MODEL;
    }
    if (p->cores) servet__cores_derive(p->cores);
    if (p->cores_with_siblings < 0) memset(p->smt, 0, sizeof p->smt);
    servet__layers_derive(&p->layers, p->cores ? p->cores->count : 0);
    for (i = 0; p->sharing && i < p->sharing->count; i++)
        for (k = 0; k < p->sharing->cpus; k++) p->sharing->level[i].unknown += p->sharing->level[i].group[k] < 0;
    if (p->network && !servet__network_derive(p->network)) {
        free(p->network);
        p->network = NULL;
    }
    if (!p->evidence) return;
    servet__curve_derive(&p->evidence->thin);
    servet__curve_derive(&p->evidence->curve);
    servet__curve_derive(&p->evidence->prefetched);
}

/* The evidence of p, made empty where there is none; NULL = no memory for it. */
SERVET__PRIVATE servet_evidence *servet__profile_evidence(servet_profile *p)
{
    servet_evidence *e = p ? p->evidence : NULL;
    if (e || !p) return e;
    e = (servet_evidence *)calloc(1, sizeof *e);
    if (e) e->curve.huge_frac = e->prefetched.huge_frac = e->thin.huge_frac = -1;
    return p->evidence = e;
}

SERVET__PRIVATE void servet__json_profile(servet__json *j, servet_profile *p)
{
    char version[SERVET_TEXT_MAX] = SERVET_VERSION;
    double schema = 1;
    if (!j->reading) {
        servet__json_open(j, NULL, '{', 0);
        servet__json_number(j, "servet", &schema);
        servet__json_string(j, "version", version, sizeof version);
    }
    servet__json_visit(j, p, p, SERVET__TABLE(servet__profile_table));
    if (j->evidence && servet__json_open(j, "evidence", '{', 0)) {
        servet_evidence *e = j->reading ? servet__profile_evidence(p) : p->evidence;
        if (e) servet__json_visit(j, e, p, SERVET__TABLE(servet__evidence_table));
        else if (j->reading) j->status = SERVET_ENOMEM;
        servet__json_visit(j, p, p, SERVET__TABLE(servet__samples_table));
        servet__json_close(j, '}');
    }
    if (j->reading) return;
    servet__json_close(j, '}');
    servet__json_put(j, "\n", 1);
}

/* Scalars of a text, each from its first character: the place behind it, or NULL and in *bad what is wrong; the end of
 * the text where it ends too early. */
SERVET__PRIVATE const char *servet__json_wrong(const char **bad, const char *p, const char *end)
{
    *bad = p < end ? p : end;
    return NULL;
}

SERVET__PRIVATE const char *servet__json_check_string(const char *p, const char *end, const char **bad)
{
    const char *const begin = p;
    int i;
    for (p++; p < end && *p != '"'; p++) {
        if ((unsigned char)*p < ' ') return servet__json_wrong(bad, begin, end);
        if (*p != '\\') continue;
        if (++p >= end) return servet__json_wrong(bad, end, end);
        if (!*p || !strchr("\"\\/bfnrtu", *p)) return servet__json_wrong(bad, begin, end);
        for (i = *p == 'u' ? 4 : 0; i > 0; i--)
            if (++p >= end || !*p || !strchr("0123456789abcdefABCDEF", *p))
                return servet__json_wrong(bad, p < end ? begin : end, end);
    }
    return p < end ? p + 1 : servet__json_wrong(bad, end, end);
}

/* Past digits, of which there has to be one. */
SERVET__PRIVATE const char *servet__json_check_digits(const char *p, const char *end)
{
    if (p >= end || *p < '0' || *p > '9') return NULL;
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

SERVET__PRIVATE const char *servet__json_check_number(const char *p, const char *end, const char **bad)
{
    const char *const begin = p, *q;
    if (*p == '-') p++;
    if (!(q = servet__json_check_digits(p, end))) return servet__json_wrong(bad, p < end ? begin : end, end);
    if (*p == '0' && q > p + 1) return servet__json_wrong(bad, begin, end);
    p = q;
    if (p < end && *p == '.' && !(p = servet__json_check_digits(q = p + 1, end)))
        return servet__json_wrong(bad, q < end ? begin : end, end);
    if (p < end && (*p == 'e' || *p == 'E')) {
        if (++p < end && (*p == '+' || *p == '-')) p++;
        if (!(p = servet__json_check_digits(q = p, end))) return servet__json_wrong(bad, q < end ? begin : end, end);
    }
    return p;
}

SERVET__PRIVATE const char *servet__json_check_word(const char *p, const char *end, const char **bad)
{
    const char *const begin = p, *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
    for (; p < end && *word && *p == *word; p++, word++) { }
    return *word ? servet__json_wrong(bad, p < end ? begin : end, end) : p;
}

/* Is text one sound JSON value?  A stack of brackets instead of recursion.  On error *bad is the place.  Where the
 * longest member of the whole is goes to *longest, and its length to *longest_bytes, to be skipped at once. */
SERVET__PRIVATE int servet__json_check(const char *text, size_t length, const char **bad, const char **longest,
                                       size_t *longest_bytes)
{
    char stack[SERVET__JSON_DEPTH];
    const char *p = text, *end = text + length, *member = text;
    int depth = 0, want = 'v';    /* v value, e value or end of array, k key or end of object, K key, c comma or end,
                                     n nothing more */
    while (p < end) {
        const char *const begin = *bad = p;
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') {
            p++;
        } else if (want == 'n') {
            return 0;
        } else if (want == 'c' && *p == ',') {
            want = stack[depth - 1] == '{' ? 'K' : 'v';
            p++;
        } else if (depth > 0 && strchr("cke", want) && *p == (stack[depth - 1] == '{' ? '}' : ']')) {
            want = --depth ? 'c' : 'n';
            p++;
            if (depth == 1 && (size_t)(p - member) > *longest_bytes) {
                *longest = member;
                *longest_bytes = (size_t)(p - member);
            }
        } else if (want == 'c') {
            return 0;
        } else if (want == 'k' || want == 'K') {
            if (*p != '"' || !(p = servet__json_check_string(p, end, bad))) return 0;
            while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
            if (p >= end || *p != ':') return servet__json_wrong(bad, p < end ? begin : end, end) != NULL;
            p++;
            want = 'v';
        } else if (*p == '{' || *p == '[') {
            if (depth >= SERVET__JSON_DEPTH) return 0;
            if (depth == 1) member = p;
            stack[depth++] = *p;
            want = *p++ == '{' ? 'k' : 'e';
        } else {
            p = *p == '"' ? servet__json_check_string(p, end, bad)
              : *p == '-' || (*p >= '0' && *p <= '9') ? servet__json_check_number(p, end, bad)
              : servet__json_check_word(p, end, bad);
            if (!p) return 0;
            want = depth ? 'c' : 'n';
        }
    }
    *bad = end;
    return want == 'n';
}

SERVET__PRIVATE void servet__profile_clear(servet_profile *p)
{
    memset(p, 0, sizeof *p);
    p->cores_with_siblings = -1;
}

/* What is behind the pointers of a profile. */
typedef struct servet__block { size_t at, bytes; } servet__block;
#define SERVET__BLOCK(m) { offsetof(servet_profile, m), sizeof *((servet_profile *)0)->m }
static const servet__block servet__behind[] = { SERVET__BLOCK(cores), SERVET__BLOCK(sharing), SERVET__BLOCK(contention),
    SERVET__BLOCK(coherence), SERVET__BLOCK(network), SERVET__BLOCK(evidence) };
enum { SERVET__BLOCKS = (int)(sizeof servet__behind / sizeof *servet__behind) };

SERVET__DEF void servet_profile_free(servet_profile *p)
{
    void *block, *const none = NULL;
    int i;
    for (i = 0; p && i < SERVET__BLOCKS; i++) {
        memcpy(&block, (char *)p + servet__behind[i].at, sizeof block);
        free(block);
        memcpy((char *)p + servet__behind[i].at, &none, sizeof none);
    }
}

SERVET__DEF int servet_profile_copy(servet_profile *out, const servet_profile *p)
{
    servet_profile own;
    void *from, *to;
    int i, short_of = 0;
    if (!out || !p) return SERVET_EINVAL;
    own = *p;
    for (i = 0; i < SERVET__BLOCKS; i++) {
        memcpy(&from, (const char *)p + servet__behind[i].at, sizeof from);
        to = from ? malloc(servet__behind[i].bytes) : NULL;
        if (to) memcpy(to, from, servet__behind[i].bytes);
        short_of += !to != !from;
        memcpy((char *)&own + servet__behind[i].at, &to, sizeof to);
    }
    if (short_of) servet_profile_free(&own);
    else *out = own;
    return short_of ? SERVET_ENOMEM : SERVET_OK;
}

SERVET__DEF size_t servet_profile_write(const servet_profile *p, char *buf, size_t cap)
{
    servet__json j;
    memset(&j, 0, sizeof j);
    j.buf = buf;
    j.cap = buf ? cap : 0;
    j.evidence = 1;
    servet__decimal_point(j.point);
    /* the visitor takes what it may change; in writing it changes nothing */
    servet__json_profile(&j, (servet_profile *)(uintptr_t)p);
    if (j.cap > 0) j.buf[j.length < j.cap ? j.length : j.cap - 1] = 0;
    return j.length;
}

/* Sound text is walked by its brackets, which all close before its end: no final zero is needed.  p NULL: only whether
 * it is a profile.  A key: EOTHER, and p as it was, where the profile has another one or no cache. */
SERVET__PRIVATE int servet__profile_parse(servet_profile *p, const char *text, size_t length, char *error,
                                          int evidence, const char *key)
{
    servet__json j;
    servet_profile own;
    const char *bad, *q, *longest = NULL;
    size_t longest_bytes = 0;
    char found[SERVET_TEXT_MAX] = "";
    double schema = 0;
    if (error) error[0] = 0;
    if (length > SERVET__JSON_BYTES) {
        if (error) snprintf(error, SERVET_TEXT_MAX, "larger than %d MiB", SERVET__JSON_BYTES >> 20);
        return SERVET_EPARSE;
    }
    if (!servet__json_check(text, length, &bad, &longest, &longest_bytes)) {
        int line = 1;
        for (q = text; q < bad; q++) line += *q == '\n';
        if (error)
            snprintf(error, SERVET_TEXT_MAX, "line %d: %s", line, bad == text + length ? "ends too early" : "not JSON");
        return SERVET_EPARSE;
    }
    memset(&j, 0, sizeof j);
    j.reading = 1;
    j.evidence = evidence;
    j.longest = longest;
    j.longest_bytes = longest_bytes;
    servet__decimal_point(j.point);
    q = servet__json_blank(text);
    if (*q == '{') {
        j.first[0] = j.at[0] = q + 1;
        j.depth = 1;
    }
    if (!servet__json_number(&j, "servet", &schema)) {
        if (error) snprintf(error, SERVET_TEXT_MAX, "no \"servet\" key: not a profile");
        return SERVET_ESCHEMA;
    }
    if (schema != 1) {
        if (error) snprintf(error, SERVET_TEXT_MAX, "schema %g, this program reads 1", schema);
        return SERVET_ESCHEMA;
    }
    if (key) {
        servet__json_string(&j, "key", found, sizeof found);
        if (strcmp(found, key) || !servet__json_open(&j, "caches", '[', 0) || !servet__json_find(&j, NULL))
            return SERVET_EOTHER;
        j.depth = 1;
        j.at[0] = j.first[0];
        j.last[0] = NULL;
    }
    if (!p) return SERVET_OK;
    servet__profile_clear(&own);
    servet__json_profile(&j, &own);
    servet__profile_derive(&own);
    if (j.status < 0) servet_profile_free(&own);
    else *p = own;
    if (j.status < 0 && error) snprintf(error, SERVET_TEXT_MAX, "no memory");
    return j.status;
}

SERVET__DEF const char *servet_text(int kind, int value)
{
    switch (kind) {
#define SERVET__TEXT_CASE(NAME, word) \
    case SERVET_TEXT_##NAME: return servet__word_text(SERVET__TABLE(servet__##word##_word), value);
    SERVET__TEXT_KINDS(SERVET__TEXT_CASE)
#undef SERVET__TEXT_CASE
    }
    return "unknown";
}

/* A level that others use leaves a program one way in so many at the least: less, and it is not of that size. */
#define SERVET__SHARERS 16

/* A reported number against a measured one: by its interval, or if that is wider a share of the estimate. */
SERVET__PRIVATE int servet__verdict(double said, double measured, double lo, double hi, double share, int others_use_it)
{
    if (said < 0 || !(measured > 0)) return SERVET_VERDICT_UNMEASURED;
    if (said == 0) return SERVET_VERDICT_OS_MISSING;
    if (said >= servet__min(lo, (1 - share) * measured) && said <= servet__max(hi, (1 + share) * measured))
        return SERVET_VERDICT_AGREE;
    return others_use_it && said > measured && said < SERVET__SHARERS * measured ? SERVET_VERDICT_SHARED_LESS
                                                                                  : SERVET_VERDICT_OS_WRONG;
}

/* How far apart two numbers above 0 are. */
SERVET__PRIVATE double servet__apart(double a, double b) { return fabs(log(a / b)); }

/* Do a source and the measurement count levels differently, and this one seems to be another of them? */
SERVET__PRIVATE int servet__profile_crossed(const servet_profile *p, int level, int source)
{
    const double bytes = p->cache[level - 1].bytes, said = p->cache[level - 1].system_bytes[source];
    int i, k, top = 0, nearest, crossed = 0;
    for (i = 0; i < p->host.report_count; i++) {
        const servet_report *r = &p->host.report[i];
        if (r->source != source || !(r->bytes > 0)) continue;
        if (r->level > top) top = r->level;
        if (said > 0) crossed = crossed || servet__apart(r->bytes, bytes) < servet__apart(said, bytes);
        for (k = 1, nearest = 0; k < p->cache_count; k++)
            if (servet__apart(r->bytes, p->cache[k].bytes) < servet__apart(r->bytes, p->cache[nearest].bytes))
                nearest = k;
        crossed = crossed || (nearest + 1 == level) != (r->level == level);
    }
    return crossed && top > 0 && top != p->cache_count;
}

/* A size that is not known to within a quarter, of which more might be there. */
SERVET__PRIVATE int servet__profile_unsure(const servet_cache *c)
{
    return c->unresolved || (!c->effective && c->hi_bytes > 1.25 * c->lo_bytes);
}

/* One reported size against one measured level.  Where a level was missed or is one too many, nothing is said of those
 * that may have been taken for each other.  Nor is anything called wrong by a size that is not known to within a
 * quarter, but by the most that may be there. */
SERVET__PRIVATE int servet__profile_verdict(const servet_profile *p, int level, int source)
{
    const servet_cache *c = &p->cache[level - 1];
    const int verdict = servet__verdict(c->system_bytes[source], c->bytes, c->lo_bytes, c->hi_bytes, 0.1,
                                        c->effective);
    if (verdict == SERVET_VERDICT_AGREE || verdict == SERVET_VERDICT_UNMEASURED) return verdict;
    if (servet__profile_crossed(p, level, source)) return SERVET_VERDICT_UNMEASURED;
    if (verdict != SERVET_VERDICT_OS_WRONG || !servet__profile_unsure(c)) return verdict;
    if (c->effective && c->system_bytes[source] >= SERVET__SHARERS * c->hi_bytes) return verdict;
    return SERVET_VERDICT_UNMEASURED;
}

SERVET__PRIVATE int servet__profile_graver(int a, int b)
{
    static const int weight[] = { 0, 1, 2, 4, 3 };    /* by SERVET_VERDICT_* */
    return weight[a] >= weight[b] ? a : b;
}

#if SERVET_HAS(CORES)
/* What a stream was and what it took, from one struct to the other: as many samples as both have room for. */
#define SERVET__STREAM_COPY(to, from) do {                                                                        \
        (to)->kernel = (from)->kernel; (to)->streaming = (from)->streaming; (to)->vector = (from)->vector;        \
        (to)->cpus = (from)->cpus; (to)->memory = (from)->memory; (to)->node = (from)->node;                      \
        (to)->cpu_node = (from)->cpu_node; (to)->bytes = (from)->bytes; (to)->chase_bytes = (from)->chase_bytes;  \
        (to)->gap_ns = (from)->gap_ns;                                                                            \
        (to)->samples = (from)->samples < SERVET_STREAM_SAMPLES ? (from)->samples : SERVET_STREAM_SAMPLES;        \
        memcpy((to)->sample_bytes_per_s, (from)->sample_bytes_per_s, SERVET_STREAM_SAMPLES * sizeof(double));     \
        memcpy((to)->sample_chase_ns, (from)->sample_chase_ns, SERVET_STREAM_SAMPLES * sizeof(double));           \
        memcpy((to)->flags, (from)->flags, SERVET_STREAM_SAMPLES);                                                \
    } while (0)

/* The points of a series, as whoever took them had them. */
SERVET__PRIVATE void servet__profile_series(servet_bandwidth *b, const servet_stream_evidence *e, int series)
{
    int i;
    b->count = 0;
    for (i = 0; i < e->count && b->count < SERVET_BANDWIDTH_POINTS; i++) {
        const servet_stream_point *q = &e->point[i];
        servet_bandwidth_point *to = &b->point[b->count];
        if (q->series != series || q->kernel < 0 || q->kernel >= SERVET_STREAM_KERNELS || q->samples < 1) continue;
        memset(to, 0, sizeof *to);
        SERVET__STREAM_COPY(to, q);
        b->count++;
    }
    servet__bandwidth_estimate(b);
}

/* So many of the CPUs may have to share a level: by pairs, or all of them the last one if nothing tells. */
SERVET__PRIVATE int servet__profile_most(const servet_profile *p, int level, int cpus)
{
    const servet_sharing_level *l = servet__profile_sharing(p, level);
    int k, g, most = 1;
    if (l && l->unknown == 0)
        for (k = 0; k < p->sharing->cpus; k++) {
            int n = 0;
            for (g = 0; g < p->sharing->cpus; g++) n += l->group[g] == l->group[k];
            if (n > most) most = n;
        }
    else if (level == p->cache_count) most = cpus;
    return most < cpus ? most : cpus;
}

/* The level that holds the working sets of so many CPUs.  0 = memory, where they are twice the last level; -1 =
 * between, or how far caches go is not known. */
SERVET__PRIVATE int servet__profile_level(const servet_profile *p, double bytes, int cpus)
{
    int i;
    for (i = 0; i < p->cache_count; i++)
        if (bytes * servet__profile_most(p, i + 1, cpus) <= p->cache[i].lo_bytes) return i + 1;
    return p->memory_ns > 0 && p->cache_count > 0 && bytes >= 2 * p->cache[p->cache_count - 1].hi_bytes ? 0 : -1;
}

SERVET__PRIVATE void servet__profile_growth(servet_profile *p, const servet_bandwidth *b, int spread)
{
    servet_growth *g = &p->bandwidth.growth[p->bandwidth.growths];
    double n[SERVET_GROWTH_POINTS];
    int i, k;
    memset(g, 0, sizeof *g);
    for (i = 0; i < b->count && g->count < SERVET_GROWTH_POINTS; i++) {
        const servet_bandwidth_point *q = &b->point[i];
        if (!(q->bytes_per_s > 0) || (g->count > 0 && q->cpus <= g->cpus[g->count - 1])) continue;
        k = g->count++;
        n[k] = g->cpus[k] = q->cpus;
        g->bytes_per_s[k] = q->bytes_per_s;
        g->lo_bytes_per_s[k] = q->lo_bytes_per_s;
        g->hi_bytes_per_s[k] = q->hi_bytes_per_s;
        g->kernel = q->kernel;
        g->streaming = q->streaming;
        g->bytes = q->bytes;
    }
    if (g->count < 2) return;
    g->spread = spread;
    g->level = servet__profile_level(p, g->bytes, 1);
    g->fitted = servet__bandwidth_fit(&g->fit, n, g->bytes_per_s, g->lo_bytes_per_s, g->hi_bytes_per_s,
                                     (size_t)g->count, 0) >= 0;
    p->bandwidth.growths++;
}

/* The pair of nodes that a point is about, a new one at the end where it is the first. */
SERVET__PRIVATE servet_node_rate *servet__profile_node(servet_profile *p, const servet_bandwidth_point *q)
{
    const int node = q->memory == SERVET_MEMORY_SPREAD ? -1 : q->node;
    int i;
    for (i = 0; i < p->node_count; i++)
        if (p->node[i].cpu_node == q->cpu_node && p->node[i].node == node) return &p->node[i];
    if (i == SERVET_NODE_RATES) return NULL;
    memset(&p->node[i], 0, sizeof p->node[i]);
    p->node[i].cpu_node = q->cpu_node;
    p->node[i].node = node;
    p->node[i].cpus = 1;
    p->node_count++;
    return &p->node[i];
}

/* What streams tell. */
SERVET__PRIVATE void servet__profile_rates(servet_profile *p)
{
    servet_bandwidth b;    /* of a series */
    int i, k, spread, all = 1;
    memset(&p->bandwidth, 0, sizeof p->bandwidth);
    p->node_count = p->streaming_count = 0;
    servet__profile_series(&b, &p->evidence->streams, SERVET_SERIES_KERNELS);
    for (i = 0; i < b.count && p->bandwidth.count < SERVET_RATES; i++) {
        const servet_bandwidth_point *q = &b.point[i];
        servet_rate *r = &p->bandwidth.rate[p->bandwidth.count];
        if (!(q->bytes_per_s > 0)) continue;
        r->level = servet__profile_level(p, q->bytes, q->cpus);
        r->kernel = q->kernel;
        r->streaming = q->streaming;
        r->vector = q->vector;
        r->cpus = q->cpus;
        r->samples = q->samples;
        r->noisy = q->noisy;
        r->bytes = q->bytes;
        r->bytes_per_s = q->bytes_per_s;
        r->lo_bytes_per_s = q->lo_bytes_per_s;
        r->hi_bytes_per_s = q->hi_bytes_per_s;
        r->allocate_bytes_per_s = r->level ? 0 : q->allocate_bytes_per_s;    /* caches have the line */
        p->bandwidth.count++;
    }
    for (spread = 0; spread <= 1; spread++) {
        servet__profile_series(&b, &p->evidence->streams, spread ? SERVET_SERIES_SPREAD : SERVET_SERIES_FILL);
        servet__profile_growth(p, &b, spread);
    }
    servet__profile_series(&b, &p->evidence->streams, SERVET_SERIES_LOADED);
    for (i = 0; i < b.count && p->bandwidth.loads < SERVET_LOADED_POINTS; i++) {
        servet_loaded *l = &p->bandwidth.loaded[p->bandwidth.loads];
        if (!(b.point[i].chase_ns > 0)) continue;
        l->bytes_per_s = servet__finite(b.point[i].bytes_per_s) ? b.point[i].bytes_per_s : 0;
        l->latency_ns = b.point[i].chase_ns;
        l->lo_ns = b.point[i].lo_chase_ns;
        l->hi_ns = b.point[i].hi_chase_ns;
        p->bandwidth.loads++;
    }
    servet__profile_series(&b, &p->evidence->streams, SERVET_SERIES_STORES);
    for (i = 0; i < b.count; i++) if (b.point[i].cpus > all) all = b.point[i].cpus;
    for (k = 1; k <= 2 && p->streaming_count < 2; k++)
        if ((k == 1 || all > 1)
            && servet_bandwidth_fit_stores(&p->streaming[p->streaming_count], &b, k == 1 ? 1 : all) >= 0)
            p->streaming_count++;
    servet__profile_series(&b, &p->evidence->streams, SERVET_SERIES_NODES);
    for (i = 0; i < b.count; i++) {
        const servet_bandwidth_point *q = &b.point[i];
        servet_node_rate *r = servet__profile_node(p, q);
        if (!r) continue;
        if (q->cpus > r->cpus) r->cpus = q->cpus;
        if (q->chase_bytes > 0) {
            r->latency_ns = q->chase_ns;
            r->lo_ns = q->lo_chase_ns;
            r->hi_ns = q->hi_chase_ns;
        } else if (q->kernel == SERVET_STREAM_LOAD) {
            *(q->cpus > 1 ? &r->all_load_bytes_per_s : &r->load_bytes_per_s) = q->bytes_per_s;
        } else if (q->kernel == SERVET_STREAM_TRIAD) {
            *(q->cpus > 1 ? &r->all_triad_bytes_per_s : &r->triad_bytes_per_s) = q->bytes_per_s;
        }
    }
}

/* And chains. */
SERVET__PRIVATE void servet__profile_chains(servet_profile *p)
{
    int i;
    for (i = p->chains_count = 0; i < p->evidence->parallel_count; i++) {
        servet_chains *c = &p->chains[p->chains_count];
        memset(c, 0, sizeof *c);
        if (servet__bandwidth_fit_parallel(&c->mlp, &p->evidence->parallel[i]) < 0) continue;
        c->bytes = p->evidence->parallel[i].bytes;
        c->cpus = p->evidence->parallel[i].cpus;
        c->level = servet__profile_level(p, c->bytes, c->cpus);
        p->chains_count++;
    }
}

#endif

#if SERVET_HAS(MEASURING)

/* What a curve was found to be, so that a calibration, which asks after each step, fits none twice. */
typedef struct servet__fitted { int count, status; long taken; double known; servet_levels levels; } servet__fitted;

/* The levels of a curve, or as they were found when it had as many samples and the same levels were known. */
SERVET__PRIVATE int servet__profile_fit(servet_levels *levels, const servet_curve *curve, const servet_fit_opts *opts,
                                        servet__fitted *fitted)
{
    double known = 0;
    int i, status;
    for (i = 0; i < opts->known_count; i++) known += opts->known[i].bytes;
    if (fitted && curve->taken > 0 && fitted->taken == curve->taken && fitted->count == curve->count
        && fitted->known == known) {
        *levels = fitted->levels;
        return fitted->status;
    }
    status = servet_fit_levels(levels, curve, opts);
    if (status < 0) memset(levels, 0, sizeof *levels);
    if (!fitted) return status;
    fitted->count = curve->count;
    fitted->taken = curve->taken;
    fitted->known = known;
    fitted->status = status;
    fitted->levels = *levels;
    return status;
}

/* Levels that were counted, the nearest first, with the latency that the curve shows: below each level's end by a
 * quarter, where hardly anything misses yet.  Returns how many. */
SERVET__PRIVATE int servet__profile_counted(servet_level *level, servet_counted *counted, const servet_profile *p)
{
    int i, k, n = 0;
    double before = 0;
    /* A file of before 0.6 has no counts: what it says was counted, by evidence that is no longer read, stands. */
    for (i = 0; p->evidence->counts == 0 && i < p->cache_count && p->cache[i].unresolved == 0
         && (p->cache[i].method == SERVET_BY_COUNT || p->cache[i].method == SERVET_BY_COMPACT_SET); i++) {
        const servet_cache *c = &p->cache[i];
        servet_level *l = &level[n];
        memset(l, 0, sizeof *l);
        memset(&counted[n], 0, sizeof counted[n]);
        counted[n].usual_units = c->bytes / SERVET_COUNT_BLOCK;
        l->level = ++n;
        l->bytes = c->bytes;
        l->lo_bytes = c->lo_bytes;
        l->hi_bytes = c->hi_bytes;
        l->latency_ns = c->latency_ns;
        l->lo_ns = c->lo_ns;
        l->hi_ns = c->hi_ns;
        l->ways = c->ways;
        l->method = c->method;
    }
    for (i = 0; i < p->evidence->counts && n < SERVET_LEVELS_MAX; i++) {
        const servet_count *c = &p->evidence->count[i];
        servet_level *l = &level[n];
        double best = 0;
        if (c->kind != SERVET_COUNT_CACHE || servet_count_settle(&counted[n], c) < 0) continue;
        if (counted[n].units * c->unit_bytes < 1.25 * before) continue;    /* that one, while another had a part */
        memset(l, 0, sizeof *l);
        l->level = n + 1;
        l->bytes = counted[n].units * c->unit_bytes;
        l->lo_bytes = counted[n].lo_units * c->unit_bytes;
        l->hi_bytes = counted[n].hi_units * c->unit_bytes;
        l->ways = counted[n].ways;
        l->method = SERVET_BY_COUNT;
        for (k = 0; k < p->evidence->curve.count; k++) {
            const servet_point *q = &p->evidence->curve.point[k];
            if (q->samples == 0 || q->bytes < 1.5 * before || q->bytes > 0.75 * l->bytes || (best > 0 && q->ns >= best))
                continue;
            best = l->latency_ns = q->ns;
            l->lo_ns = q->lo_ns;
            l->hi_ns = q->hi_ns;
        }
        for (k = 0; k < p->evidence->thin.count && !(best > 0); k++) {    /* some TLB misses included */
            const servet_point *q = &p->evidence->thin.point[k];
            if (q->bytes < 1.5 * before || q->bytes > 0.75 * l->bytes) continue;
            l->latency_ns = q->ns;
            l->lo_ns = q->lo_ns;
            l->hi_ns = q->hi_ns;
            break;
        }
        before = l->bytes;
        n++;
    }
    return n;
}

/* Someone was there for more than half of the samples that show a level's end: he may keep as much as was found. */
SERVET__PRIVATE void servet__profile_doubt(servet_level *l, const servet_curve *c, double step_ratio)
{
    int i, k, samples = 0, noisy = 0;
    for (i = 0; i < c->count; i++)
        for (k = 0; k < c->point[i].samples && c->point[i].bytes > l->lo_bytes / 2; k++) {
            if (c->point[i].sample_ns[k] < step_ratio * l->latency_ns) continue;
            samples++;
            noisy += c->point[i].flags[k] != 0;
        }
    if (2 * noisy <= samples) return;
    l->unresolved = 1;
    l->hi_bytes = servet__max(l->hi_bytes, 2 * l->bytes);
}

/* Counted levels, and behind them those that only a curve shows: a last level that others use too. */
SERVET__PRIVATE int servet__profile_combine(servet_levels *out, const servet_profile *p, const servet_level *known,
                                            int known_count, const servet_fit_opts *opts, servet__fitted *fitted)
{
    servet_levels curve;
    servet_fit_opts o = *opts;
    int i, k, status;
    o.known = known;
    o.known_count = known_count;
    status = servet__profile_fit(&curve, &p->evidence->curve, &o, fitted);
    if (status < 0 && known_count == 0) return status;
    *out = curve;
    out->count = 0;
    for (i = 0; i < known_count; i++) {
        servet_level *l = &out->level[out->count++];
        *l = known[i];
        for (k = 0; k < curve.count; k++)
            if (curve.level[k].bytes == l->bytes && curve.level[k].latency_ns > 0 && !(l->latency_ns > 0)) {
                l->latency_ns = curve.level[k].latency_ns;
                l->lo_ns = curve.level[k].lo_ns;
                l->hi_ns = curve.level[k].hi_ns;
            }
    }
    for (i = 0; i < curve.count && out->count < SERVET_LEVELS_MAX; i++) {
        const double before = out->count > 0 ? out->level[out->count - 1].bytes : 0;
        servet_level *l = &out->level[out->count];
        double beyond[SERVET_POINTS_MAX];
        int n = 0;
        if (!(curve.level[i].bytes > 1.25 * before)) continue;
        for (k = 0; k < p->evidence->curve.count; k++)
            if (p->evidence->curve.point[k].bytes > curve.level[i].hi_bytes && p->evidence->curve.point[k].samples > 0)
                beyond[n++] = p->evidence->curve.point[k].ns;
        servet_stats_sort(beyond, (size_t)n);
        if (n > 0 && beyond[n / 2] < opts->step_ratio * curve.level[i].latency_ns) {
            /* A disturbed sample: behind the end of a level most points are slower. */
            if (out->memory_ns == 0) {
                out->memory_ns = curve.level[i].latency_ns;
                out->memory_lo_ns = curve.level[i].lo_ns;
                out->memory_hi_ns = curve.level[i].hi_ns;
            }
            continue;
        }
        *l = curve.level[i];
        l->level = ++out->count;
        l->lo_bytes = servet__max(l->lo_bytes, before);
        servet__profile_doubt(l, &p->evidence->curve, opts->step_ratio);
    }
    return SERVET_OK;
}

/* What was held at good moments is there.  A curve says what is to be had for the length of a pass, which is less where
 * others fill the level meanwhile, or nothing where a neighbour left no step to see. */
SERVET__PRIVATE void servet__profile_held(servet_levels *out, double *usual_bytes, const servet_profile *p, int known)
{
    const double before = known > 0 ? out->level[known - 1].bytes : 0;
    servet_level *l;
    servet_held held;
    double least = 0;
    int i, k, at = known;
    if (known == 0 || servet_count_held(&held, &p->evidence->resident, p->evidence->curve.anchor_cycles) < 0
        || held.bytes < 2 * before) return;
    for (i = known + 1; i < out->count; i++)
        if (servet__apart(out->level[i].bytes, held.bytes) < servet__apart(out->level[at].bytes, held.bytes)) at = i;
    *usual_bytes = held.usual_bytes;
    if (out->count == known) {
        if (known == SERVET_LEVELS_MAX) return;
        memset(&out->level[known], 0, sizeof out->level[known]);
        out->level[known].latency_ns = out->level[known].lo_ns = out->level[known].hi_ns = held.resident_ns;
        for (i = 0; i < p->evidence->curve.count; i++) {    /* where hardly anything misses yet */
            const servet_point *q = &p->evidence->curve.point[i];
            if (q->samples == 0 || q->bytes < 1.5 * before || q->bytes > held.usual_bytes / 2
                || (least > 0 && q->ns >= least)) continue;
            least = out->level[known].latency_ns = q->ns;
            out->level[known].lo_ns = q->lo_ns;
            out->level[known].hi_ns = q->hi_ns;
        }
        out->count++;
    } else if (held.disturbed && out->level[at].bytes > 1.3 * held.bytes) {
        return;    /* a lower bound */
    } else {
        *usual_bytes = servet__min(*usual_bytes, out->level[at].bytes);
        /* Of what is held the level before has its own part, unless this one has that as well: both say the same. */
        if (!out->level[at].unresolved && out->level[at].bytes >= held.bytes - before)
            held.bytes = servet__min(held.bytes, out->level[at].bytes);
    }
    l = &out->level[at];
    l->bytes = held.bytes;
    l->lo_bytes = servet__min(held.lo_bytes, 0.9 * *usual_bytes);    /* to what there is from what is had mostly */
    l->hi_bytes = held.hi_bytes;
    l->ways = 0;
    l->policy = SERVET_POLICY_UNKNOWN;
    l->placement = SERVET_PLACEMENT_UNKNOWN;
    l->method = SERVET_BY_HELD;
    l->unresolved = held.disturbed;
    for (i = k = known; i < out->count; i++) {
        const servet_level *b = &out->level[i];
        /* beside it what only disturbed samples show is none, nor one that holds less than is read as quickly */
        if (i != at && (b->unresolved || (i < at && servet__resident_within(&p->evidence->resident, held.resident_ns
                        + (b[1].latency_ns - b->latency_ns) / 2, b->bytes / 2) > 1.5 * b->bytes))) continue;
        if (i == at && k < i) {    /* what was left out was a part of it */
            l->latency_ns = out->level[k].latency_ns;
            l->lo_ns = out->level[k].lo_ns;
            l->hi_ns = out->level[k].hi_ns;
        }
        out->level[k] = out->level[i];
        out->level[k].level = k + 1;
        k++;
    }
    out->count = k;
    out->level[k - 1].effective = 1;
}

/* TLBs from their counts. */
SERVET__PRIVATE void servet__profile_tlbs(servet_profile *p)
{
    servet_tlb *t = &p->tlb.small;
    double first_ns = 0;
    int i;
    if (p->evidence->counts == 0) return;    /* what a file of before 0.6 says stands */
    memset(&p->tlb, 0, sizeof p->tlb);
    for (i = 0; i < p->evidence->counts; i++) {
        const servet_count *c = &p->evidence->count[i];
        servet_counted n;
        servet_tlb_level *l = &t->level[t->count];
        const int status = c->kind == SERVET_COUNT_TLB ? servet_count_settle(&n, c) : SERVET_EINVAL;
        if (c->kind == SERVET_COUNT_TLB && c->large && c->runs > 0 && t->count > 0) {
            /* In memory of large pages small ones take entries of their own, or they do not. */
            const double more_ns = c->run[0].evicted_ns - c->run[0].resident_ns;
            if (status >= 0 && n.units <= 1.5 * t->level[0].entries) p->tlb.backing = SERVET_BACKING_SPLIT;
            else if (status >= 0) p->tlb.backing = SERVET_BACKING_PART;
            else if (more_ns < 0.3 * first_ns) p->tlb.backing = SERVET_BACKING_WHOLE;
            continue;
        }
        if (status < 0 || t->count == SERVET_TLB_LEVELS || !(n.hi_units < 1e9)) continue;
        l->entries = (int)(n.units + 0.5);
        l->lo_entries = (int)(n.lo_units + 0.5);
        l->hi_entries = (int)(n.hi_units + 0.5);
        l->penalty_ns = l->lo_ns = l->hi_ns = n.evicted_ns - n.resident_ns;
        t->seen_pages = (int)servet__min(servet__max(t->seen_pages, c->reach), 1e9);
        t->walk_ns += l->penalty_ns;
        if (t->count++ == 0) first_ns = l->penalty_ns;
    }
    if (t->count < 2) t->walk_ns = 0;
}

/* The i-th level as an answer. */
SERVET__PRIVATE void servet__profile_cache(servet_profile *p, int i, const servet_level *l)
{
    servet_cache *c = &p->cache[i];
    memset(c, 0, sizeof *c);
    c->bytes = c->usual_bytes = l->bytes;
    c->lo_bytes = l->lo_bytes;
    c->hi_bytes = l->hi_bytes;
    c->latency_ns = l->latency_ns;
    c->lo_ns = l->lo_ns;
    c->hi_ns = l->hi_ns;
    c->latency_cycles = p->frequency.units ? l->latency_ns * p->frequency.ghz : 0;
    c->policy = l->policy;
    c->placement = l->placement;
    c->method = l->method;
    c->misfit_frac = l->misfit_frac;
    c->effective = l->effective;
    c->unresolved = l->unresolved;
    c->source = SERVET_SOURCE_MEASURED;
}

/* What each source of the system says of each level, and how that compares. */
SERVET__PRIVATE void servet__profile_system(servet_profile *p)
{
    int i, k;
    for (i = 0; i < p->cache_count; i++)
        for (k = 0; k < SERVET_REPORT_SOURCES; k++) p->cache[i].system_bytes[k] = -1;
    for (k = 0; k < p->host.report_count; k++)    /* a source that says something of one level could of others */
        for (i = 0; i < p->cache_count; i++)
            if (p->cache[i].system_bytes[p->host.report[k].source] < 0)
                p->cache[i].system_bytes[p->host.report[k].source] = 0;
    for (k = 0; k < p->host.report_count; k++) {
        const servet_report *r = &p->host.report[k];
        if (r->level >= 1 && r->level <= p->cache_count) p->cache[r->level - 1].system_bytes[r->source] = r->bytes;
    }
    for (i = 0; i < p->cache_count; i++)
        for (k = 0; k < SERVET_REPORT_SOURCES; k++) {
            servet_cache *c = &p->cache[i];
            c->system_verdict[k] = servet__profile_verdict(p, i + 1, k);
            c->verdict = servet__profile_graver(c->verdict, c->system_verdict[k]);
        }
}

/* Levels, verdicts, lines and TLBs. */
SERVET__PRIVATE int servet__profile_levels(servet_profile *p, servet__fitted *fitted)
{
    servet_level known[SERVET_LEVELS_MAX];
    servet_counted counted[SERVET_LEVELS_MAX];
    servet_levels levels;
    servet_fit_opts opts;
    double usual = 0;    /* of a last level that held more */
    int i, n, status;
    double top;
    long noisy = 0, samples = 0;
    memset(&opts, 0, sizeof opts);
    opts.page_bytes = p->host.page_bytes > 0 ? p->host.page_bytes : 4096;
    opts.compact = p->evidence->curve.chase.pattern == SERVET_CHASE_COMPACT;
    opts.step_ratio = 1.25;
    n = servet__profile_counted(known, counted, p);
    memset(&levels, 0, sizeof levels);
    status = servet__profile_combine(&levels, p, known, n, &opts, fitted);
    if (status < 0 && status != SERVET_EUNRESOLVED) return status;
    p->doubtful_count = levels.doubtful_count;
    memcpy(p->doubtful, levels.doubtful, sizeof p->doubtful);
    /* A short curve may end on the plateau of a cache that is larger still: then what follows is not memory, and what
     * came last is a level like others. */
    top = p->evidence->curve.count ? p->evidence->curve.point[p->evidence->curve.count - 1].bytes : 0;
    if (top < 64.0 * 1048576 && 8 * top < p->host.memory_bytes) {
        levels.memory_ns = levels.memory_lo_ns = levels.memory_hi_ns = 0;
        if (levels.count > 0) levels.level[levels.count - 1].effective = 0;
    }
    servet__profile_held(&levels, &usual, p, n);
    p->cache_count = levels.count;
    p->memory_ns = levels.memory_ns;
    p->memory_lo_ns = levels.memory_lo_ns;
    p->memory_hi_ns = levels.memory_hi_ns;
    memset(p->cache, 0, sizeof p->cache);
    for (i = 0; i < levels.count; i++) {
        servet_cache *c = &p->cache[i];
        servet__profile_cache(p, i, &levels.level[i]);
        if (i < n) {
            c->ways = levels.level[i].ways;    /* a ramp tells them only roughly */
            c->usual_bytes = counted[i].usual_units * SERVET_COUNT_BLOCK;
            c->disturbed = counted[i].disturbed;
        } else if (c->method == SERVET_BY_HELD) {
            c->usual_bytes = usual;
            c->disturbed = c->unresolved;
        }
    }
    servet__profile_system(p);
    for (i = 0; i < p->evidence->curve.count; i++) {
        noisy += p->evidence->curve.point[i].noisy;
        samples += p->evidence->curve.point[i].samples;
    }
    p->made.noisy_frac = samples ? (double)noisy / (double)samples : 0;
    if (servet__line_fit(&p->line, &p->evidence->line_pairs) < 0) memset(&p->line, 0, sizeof p->line);
    servet__profile_tlbs(p);
    p->made.stopped = p->evidence->curve.stopped || p->evidence->thin.stopped || p->evidence->prefetched.stopped;
    p->made.converged = !p->made.stopped && levels.count > 0;
    for (i = 0; i < levels.count; i++) if (servet__profile_unsure(&p->cache[i])) p->made.converged = 0;
    return levels.count > 0 ? SERVET_OK : SERVET_EUNRESOLVED;
}

SERVET__PRIVATE int servet__profile_infer(servet_profile *p, servet__fitted *fitted)
{
    const int status = servet__profile_levels(p, fitted);
    if (status < 0 && status != SERVET_EUNRESOLVED) return status;
#if SERVET_HAS(CORES)
    servet__profile_rates(p);
    servet__profile_chains(p);
    if (p->cores && p->cores->count > 0) {
        p->cores_with_siblings = servet_pairs_cores_siblings(p->smt, p->cores);
        if (p->cores_with_siblings < 0) p->cores_with_siblings = -1;
    }
    if (p->sharing && p->sharing->cpus > 0) servet__sharing_levels(p->sharing);
    if (p->contention && p->contention->cpus > 0) servet__contention_infer(p->contention, NULL, NULL);
    if (p->coherence) servet__coherence_infer(p->coherence);
#endif
    if (p->evidence->streams.stopped) p->made.stopped = 1;
    if (p->made.stopped) p->made.converged = 0;
    return status;
}

#endif /* SERVET_HAS(MEASURING) */

#if SERVET_HAS(CORES)
/* p->layers, from the latencies in p->cores.  EUNRESOLVED where there are none; they stay where there is no memory. */
SERVET__PRIVATE int servet__profile_infer_layers(servet_profile *p)
{
    servet_layers *found;
    int status;
    if (!p->cores || p->cores->count < 1) return SERVET_EUNRESOLVED;
    found = (servet_layers *)calloc(1, sizeof *found);
    if (!found) return SERVET_ENOMEM;
    status = servet_pairs_cores_layers(found, p->cores, SERVET_HANDOFF_FLAGS);
    if (status < 0) memset(found, 0, sizeof *found);
    if (status != SERVET_ENOMEM) p->layers = *found;
    free(found);
    return status;
}

SERVET__DEF int servet_profile_infer(servet_profile *p)
{
    int status, layers;
    if (!p) return SERVET_EINVAL;
    status = p->evidence ? servet__profile_infer(p, NULL) : (int)SERVET_EUNRESOLVED;
    layers = servet__profile_infer_layers(p);
    return layers == SERVET_ENOMEM ? layers : status;
}
#endif

/* Which measured TLB a reported one is: the one of its level, or where fewer were found the nearest in size that is
 * not nearer to another report; NULL where none was. */
SERVET__PRIVATE const servet_tlb_level *servet__profile_tlb(const servet_profile *p, const servet_tlb *t,
                                                            const servet_tlb_report *r)
{
    const servet_tlb_level *best = NULL;
    int i, top = 0;
    for (i = 0; i < p->host.tlb_report_count; i++) {
        const servet_tlb_report *q = &p->host.tlb_report[i];
        if (q->source == r->source && q->page_bytes == r->page_bytes && q->level > top) top = q->level;
    }
    if (t->count >= top) return r->level >= 1 && r->level <= t->count ? &t->level[r->level - 1] : NULL;
    for (i = 0; i < t->count; i++)
        if (!best || servet__apart(r->entries, t->level[i].entries) < servet__apart(r->entries, best->entries))
            best = &t->level[i];
    for (i = 0; best && i < p->host.tlb_report_count; i++) {
        const servet_tlb_report *q = &p->host.tlb_report[i];
        if (q->source == r->source && q->page_bytes == r->page_bytes
            && servet__apart(q->entries, best->entries) < servet__apart(r->entries, best->entries)) best = NULL;
    }
    return best;
}

/* Appends a finding to those of room for SERVET_FINDINGS_MAX; verdict < 0: by its numbers. */
SERVET__PRIVATE void servet__finding_add(servet_finding *found, int *count, const servet_finding *f, int verdict)
{
    servet_finding *to = &found[*count];
    if (*count == SERVET_FINDINGS_MAX) return;
    *to = *f;
    to->verdict = verdict >= 0 ? verdict : servet__verdict(f->said, f->measured, f->lo, f->hi,
                                                           f->what == SERVET_FINDING_ENTRIES ? 0.1 : 0, 0);
    ++*count;
}

/* How many CPUs share a level with the one that was measured on, by pairs; 0 = not known. */
SERVET__PRIVATE int servet__profile_sharers(int *lo, int *hi, const servet_profile *p, int level)
{
    const servet_sharing *x = p->sharing;
    const servet_sharing_level *l = servet__profile_sharing(p, level);
    int k, own, n = 0;
    if (!l) return 0;
    for (own = 0; own < x->cpus && x->cpu[own] != p->made.cpu; own++) { }
    if (own == x->cpus || l->group[own] < 0) return 0;
    for (k = 0; k < x->cpus; k++) n += l->group[k] == l->group[own];
    *lo = n;
    *hi = n + l->unknown + (p->host.cpu_count > x->cpus ? p->host.cpu_count - x->cpus : 0);
    return n;
}

/* What was measured of what a finding is about; 0 = nothing. */
SERVET__PRIVATE void servet__finding_measured(servet_finding *f, const servet_profile *p)
{
    const servet_cache *c = f->level <= p->cache_count ? &p->cache[f->level - 1] : NULL;
    int lo = 0, hi = 0;
    f->measured = f->lo = f->hi = 0;
    if (f->what == SERVET_FINDING_BYTES && c) {
        f->measured = c->bytes;
        f->lo = c->lo_bytes;
        f->hi = c->hi_bytes;
    } else if (f->what == SERVET_FINDING_WAYS && c) {
        f->measured = c->ways;    /* as sure as the product of ways and their size */
        f->lo = c->ways * servet__min(c->lo_bytes / c->bytes, 1);
        f->hi = c->ways * servet__max(c->hi_bytes / c->bytes, 1);
    } else if (f->what == SERVET_FINDING_LINE && f->level == 1) {    /* of the first level the line is known */
        f->measured = p->line.line_bytes;
        f->lo = p->line.lo_bytes;
        f->hi = p->line.hi_bytes;
    } else if (f->what == SERVET_FINDING_SHARED) {    /* by pairs */
        f->measured = servet__profile_sharers(&lo, &hi, p, f->level);
        f->lo = lo;
        f->hi = hi;
    }
}

/* What its source says of it; 0 where it has no words for that, or is not here.  CPUID gives room for CPU numbers, not
 * CPUs.  Of lines those of later levels are a finding only where they differ from the first. */
SERVET__PRIVATE int servet__finding_said(servet_finding *f, const servet_profile *p)
{
    const servet_report *r = NULL, *first = NULL;
    int i, here = 0;
    for (i = 0; i < p->host.report_count; i++) {
        if (p->host.report[i].source != f->source) continue;
        here = 1;
        if (p->host.report[i].level == 1) first = &p->host.report[i];
        if (p->host.report[i].level == f->level) r = &p->host.report[i];
    }
    f->said = !r ? 0 : f->what == SERVET_FINDING_BYTES ? r->bytes : f->what == SERVET_FINDING_WAYS ? r->ways
            : f->what == SERVET_FINDING_LINE ? r->line_bytes : r->shared_cpus;
    if (f->what == SERVET_FINDING_WAYS && f->source == SERVET_REPORT_SYSCTL) return 0;
    if (f->what == SERVET_FINDING_SHARED && (!(f->measured > 0) || f->source != SERVET_REPORT_SYSFS)) return 0;
    if (f->what == SERVET_FINDING_LINE && r && first && r != first && r->line_bytes == first->line_bytes) return 0;
    return here && (f->said > 0 || f->measured > 0);
}

/* TLBs, of small pages or of large ones: of those that the machine below splits, what is seen is another matter. */
SERVET__PRIVATE void servet__findings_tlb(servet_finding *found, int *count, const servet_profile *p, int large)
{
    servet_finding f;
    int i;
    memset(&f, 0, sizeof f);
    f.what = SERVET_FINDING_ENTRIES;
    for (f.level = 1; f.level <= SERVET_LEVELS_MAX; f.level++)
        for (i = 0; i < p->host.tlb_report_count; i++) {
            const servet_tlb_report *r = &p->host.tlb_report[i];
            const servet_tlb_level *t = NULL;
            if (r->level != f.level || large != (r->page_bytes != p->host.page_bytes)) continue;
            if (!large) t = servet__profile_tlb(p, &p->tlb.small, r);
            else if (r->page_bytes == p->host.huge_page_bytes && p->tlb.backing == SERVET_BACKING_WHOLE)
                t = servet__profile_tlb(p, &p->tlb.large, r);
            f.source = r->source;
            f.page_bytes = r->page_bytes;
            f.said = r->entries;
            f.measured = t ? t->entries : 0;
            f.lo = t ? t->lo_entries : 0;
            f.hi = t ? t->hi_entries : 0;
            servet__finding_add(found, count, &f, -1);
        }
}

SERVET__DEF int servet_profile_check(servet_finding *out, int cap, const servet_profile *p)
{
    servet_finding found[SERVET_FINDINGS_MAX], f;
    int levels, i, count = 0;
    if (!out || cap < 0 || !p) return SERVET_EINVAL;
    for (levels = p->cache_count, i = 0; i < p->host.report_count; i++)
        if (p->host.report[i].level > levels) levels = p->host.report[i].level;
    memset(&f, 0, sizeof f);
    for (f.level = 1; f.level <= levels && f.level <= SERVET_LEVELS_MAX; f.level++)
        for (f.what = SERVET_FINDING_BYTES; f.what <= SERVET_FINDING_SHARED; f.what++) {
            const int by_level = f.what == SERVET_FINDING_BYTES && f.level <= p->cache_count;
            servet__finding_measured(&f, p);
            for (f.source = 0; f.source < SERVET_REPORT_SOURCES; f.source++)
                if (servet__finding_said(&f, p))
                    servet__finding_add(found, &count, &f,
                                        by_level ? p->cache[f.level - 1].system_verdict[f.source] : -1);
        }
    servet__findings_tlb(found, &count, p, 0);
    servet__findings_tlb(found, &count, p, 1);
    if (count > cap) return SERVET_ESPACE;
    memcpy(out, found, (size_t)count * sizeof *out);
    return count;
}

SERVET__DEF int servet_profile_parse(servet_profile *p, const char *text, size_t length, char *error)
{
    if (!p || !text) return SERVET_EINVAL;
    if (length > 0 && text[length - 1] == 0) length--;
    return servet__profile_parse(p, text, length, error, 1, NULL);
}

/* Pages visited together behind what was counted: 48 of 4 KiB.  A prefetcher that follows the pages in which something
 * missed hides half the misses while those pages are few and none when they are many, which bends a ramp visited in
 * larger groups.  One that brings the other line of a pair into the second level saves that line's turn only if the
 * group stays there until then; else the last level is asked twice, takes the line for one in use, and seems larger. */
enum { SERVET__CURVE_GROUP_BYTES = 48 * 4096 };

/* First levels are indexed by virtual addresses, mostly: up to this size neighbouring pages are taken, so that the
 * step stays sharp where a way is larger than a page. */
#define SERVET__SMALL_BYTES (200.0 * 1024)

#if !defined(SERVET_PURE_ONLY)

#if SERVET_HAS(MEASURING)

/* What the sweeps of one measurement share. */
typedef struct servet__job {
    const servet_profile_opts *opts;
    servet_profile *p;
    const servet_machine *m;
    servet_mcalibrator_opts sweep;
    double          begun, budget_s;    /* since then, for what is under way */
    double          started, total_s;   /* for all */
    double          hi_bytes;    /* more must not be asked for */
    double          reach_bytes; /* but where the last level would not be left behind */
    servet__fitted  fitted;
} servet__job;

/* Room for all that may be measured, in place of answers and evidence; not what is behind pointers, which is
 * another's, but for the network. */
SERVET__PRIVATE int servet__profile_forget(servet_profile *p)
{
    memset(&p->layers, 0, sizeof p->layers);
    memset(&p->tlb, 0, sizeof p->tlb);
    p->cache_count = 0;
    p->cores_with_siblings = -1;
    p->evidence = NULL;
    p->cores = (servet_cores *)calloc(1, sizeof *p->cores);
    p->sharing = (servet_sharing *)calloc(1, sizeof *p->sharing);
    p->contention = (servet_contention *)calloc(1, sizeof *p->contention);
    p->coherence = (servet_coherence *)calloc(1, sizeof *p->coherence);
    return servet__profile_evidence(p) && p->cores && p->sharing && p->contention && p->coherence ? SERVET_OK
                                                                                                  : SERVET_ENOMEM;
}

/* What nothing came of is not known. */
SERVET__PRIVATE void servet__profile_tidy(servet_profile *p)
{
    servet_profile none;
    memset(&none, 0, sizeof none);
#define SERVET__TIDY(m, there) if (!(there)) { none.m = p->m; p->m = NULL; }
    SERVET__TIDY(cores, p->cores->count)
    SERVET__TIDY(sharing, p->sharing->cpus)
    SERVET__TIDY(contention, p->contention->cpus)
    SERVET__TIDY(coherence, servet__json_has_coherence(p->coherence))
#undef SERVET__TIDY
    servet_profile_free(&none);
}

SERVET__PRIVATE double servet__job_left(const servet__job *job)
{
    return job->budget_s - (job->m->seconds(job->m->ctx) - job->begun);
}

SERVET__PRIVATE void servet__job_progress(void *ctx, double done_frac, double left_s)
{
    const servet__job *job = (const servet__job *)ctx;
    const double left = servet__max(job->total_s - (job->m->seconds(job->m->ctx) - job->started), 0);
    (void)done_frac;    /* of one sweep of several */
    (void)left_s;
    if (job->opts->run.progress) job->opts->run.progress(job->opts->run.ctx, 1 - left / job->total_s, left);
}

SERVET__PRIVATE int servet__job_stop(void *ctx)
{
    const servet__job *job = (const servet__job *)ctx;
    return job->opts->run.stop ? job->opts->run.stop(job->opts->run.ctx) : 0;
}

/* A sweep over given footprints, to end when this share of the whole budget is used. */
SERVET__PRIVATE int servet__job_sweep(servet__job *job, servet_curve *curve, const double *bytes, int count,
                                      double until_frac, int rounds_min, int rounds_max)
{
    servet_mcalibrator_opts o = job->sweep;
    double time_s = servet__job_left(job) - (1 - until_frac) * job->budget_s;
    if (job->p->evidence->curve.count == 0) time_s = servet__max(time_s, 0.1 * job->budget_s);
    if (count < 1 || time_s <= 0.001 || job->p->evidence->curve.stopped)
        return SERVET_OK;
    if (curve->count + count > SERVET_POINTS_MAX) return SERVET_OK;
    o.bytes = bytes;
    o.byte_count = count;
    o.run.budget_s = time_s;
    o.rounds_min = rounds_min;
    o.rounds_max = rounds_max;
    o.run.seed = job->sweep.run.seed + (uint64_t)curve->rounds + 1;
    return servet_mcalibrator_sweep(curve, job->m, &o);
}

/* Footprints dense enough for the model, most of an octave to either side of a level. */
SERVET__PRIVATE int servet__job_dense(double *bytes, int cap, const servet_cache *c, double hi_bytes,
                                      double points_per_octave, int line_bytes)
{
    const double from = servet__max(servet__min(c->lo_bytes, c->bytes) / 2.2, 4096);
    const double end = servet__max(c->hi_bytes, c->bytes), near = 9.2 * 1048576;
    /* The interval of the last one reaches to where misses are the rule; far behind it samples cost most, and what is
     * there the sparse points show. */
    const double to = servet__min(c->effective ? servet__max(end, servet__min(1.8 * end, near)) : 1.8 * end, hi_bytes);
    int n = servet__mcalibrator_grid(bytes, (size_t)cap, from, to, points_per_octave, line_bytes);
    return n < 0 ? 0 : n;
}

/* Does a curve end before its last level is left behind?  Of a cycle 2.5 times as long as a level, one that evicts at
 * random still has a tenth of the loads, of one half as long as that two thirds, and what is behind the level is not
 * seen.  Far beyond all levels known, a last octave that rises by a fifth is one more that begins to miss: growing
 * tables of pages add 5 to 15 %.  And six octaves without a level end in memory only if that takes more than 40 ns: to
 * open a row and read a column takes the chips alone 25 to 30. */
SERVET__PRIVATE int servet__curve_cut_short(const servet_profile *p)
{
    const servet_curve *c = &p->evidence->curve;
    const double level = p->cache_count > 0 ? p->cache[p->cache_count - 1].bytes : 0;
    const servet_point *last;
    int i;
    if (c->count < 2) return 0;
    last = &c->point[c->count - 1];
    for (i = c->count - 1; i > 0 && c->point[i].bytes > 0.51 * last->bytes; i--) { }
    return last->bytes < 2.5 * level || (last->bytes > 64 * level && last->ns < 40)
        || (c->point[i].bytes > 2.5 * level && last->lo_ns > 1.2 * c->point[i].hi_ns);
}

/* Goes on behind the end of the range, two points an octave, until the last level is left behind; appends them to far.
 * Before the first of them the last octave is measured once more, as a single disturbed sample there looks like a level
 * that begins to miss.  Where there is no memory for more, or no time (the next takes half as long again as this one),
 * what there is stands. */
SERVET__PRIVATE int servet__job_reach(servet__job *job, double *far, int far_count, double until_frac)
{
    const double from = job->hi_bytes, line = job->sweep.chase.line_bytes;
    const double end_s = (1 - until_frac) * job->budget_s;
    servet_curve *c = &job->p->evidence->curve;
    double left_s, took_s = 0, again[SERVET_POINTS_MAX];
    int i, k, n, status = SERVET_OK;
    for (i = 1; status >= 0 && far_count < SERVET_POINTS_MAX && c->count > 0; i++) {
        const double next = servet__min(floor(from * exp2(i / 2.0) / line) * line, job->reach_bytes);
        if (next < 1.1 * job->hi_bytes || c->point[c->count - 1].bytes < 0.7 * job->hi_bytes) break;
        servet__profile_infer(job->p, &job->fitted);
        if (!servet__curve_cut_short(job->p)) break;
        if (i == 1) {
            for (n = k = 0; k < c->count; k++)
                if (c->point[k].bytes > 0.45 * job->hi_bytes) again[n++] = c->point[k].bytes;
            if ((status = servet__job_sweep(job, c, again, n, until_frac, 1, 1)) < 0) break;
            servet__profile_infer(job->p, &job->fitted);
            if (!servet__curve_cut_short(job->p)) break;
        }
        left_s = servet__job_left(job);
        if (left_s - 1.5 * took_s < end_s) break;
        status = servet__job_sweep(job, c, &next, 1, until_frac, 1, 1);
        took_s = left_s - servet__job_left(job);
        while (c->count > 0 && c->point[c->count - 1].samples == 0) c->count--;
        if (status >= 0 && c->point[c->count - 1].bytes > job->hi_bytes) far[far_count++] = job->hi_bytes = next;
    }
    return far_count;
}

/* The run of short questions that end when this share of the budget is used. */
SERVET__PRIVATE servet_run servet__job_asks(servet__job *job, double until_frac)
{
    servet_run run = job->sweep.run;
    run.budget_s = servet__max(servet__job_left(job) - (1 - until_frac) * job->budget_s, 0.001);
    return run;
}

/* What a core has of its own: a thin curve, then counts. */
SERVET__PRIVATE void servet__job_counts(servet__job *job, double until_frac)
{
    const double most = servet__min(job->hi_bytes, 32.0 * 1048576);
    servet_profile *p = job->p;
    servet_run run = servet__job_asks(job, until_frac / 3);
    int n;
    if (servet__hierarchy_thin(&p->evidence->thin, job->m, most, &run) < 0) return;
    run = servet__job_asks(job, until_frac);
    n = servet__hierarchy_counts(p->evidence->count, SERVET_LEVELS_MAX, &p->evidence->thin, job->m, &run);
    p->evidence->counts = n > 0 ? n : 0;
}

/* TLBs behind the caches known by now, beside those that were counted. */
SERVET__PRIVATE void servet__job_tlbs(servet__job *job, double budget_s)
{
    servet_profile *p = job->p;
    servet_run run = servet__job_asks(job, 1);
    servet_count found[SERVET_COUNTS_MAX];
    int i, n, known = 0;
    run.budget_s = budget_s;
    for (i = 0; i < p->evidence->counts; i++) known += p->evidence->count[i].kind == SERVET_COUNT_TLB;
    n = servet__hierarchy_tlbs(found, SERVET_COUNTS_MAX - p->evidence->counts, job->m, job->sweep.chase.page_bytes,
                               known == 0 && p->host.huge_page_bytes > 0, &run);
    for (i = known > 0; i < n; i++) p->evidence->count[p->evidence->counts++] = found[i];
}

/* Share of what is left after counting that each moment takes. */
#define SERVET__MOMENT 0.05

/* What the level behind those counted holds, at one moment more. */
SERVET__PRIVATE void servet__job_resident(servet__job *job, double budget_s)
{
    servet_profile *p = job->p;
    servet_level known[SERVET_LEVELS_MAX];
    servet_counted counted[SERVET_LEVELS_MAX];
    servet_run run = servet__job_asks(job, 1);
    servet_count_opts o = servet__count_begin(job->m, &run, job->sweep.chase.page_bytes, 0);
    const int n = servet__profile_counted(known, counted, p);
    if (budget_s <= 0 || n < 1 || servet__job_stop(job)) return;
    o.before_units = known[n - 1].bytes / SERVET_COUNT_BLOCK;
    o.run.budget_s = budget_s;
    servet_count_resident(&p->evidence->resident, job->m, servet__max(job->hi_bytes, job->reach_bytes), &o);
}

/* First levels and TLBs once more, at another moment: a neighbour who kept a part of them may be gone; of long runs
 * caches beside which he was seen, too.  So may one beside whom no second TLB was found. */
SERVET__PRIVATE void servet__job_again(servet__job *job, int thorough)
{
    servet_profile *p = job->p;
    int i, k, tlbs = 0, disturbed = 0;
    for (i = 0; i < p->evidence->curve.count; i++) disturbed += p->evidence->curve.point[i].noisy > 0;
    for (i = 0; i < p->evidence->counts; i++)
        tlbs += p->evidence->count[i].kind == SERVET_COUNT_TLB && !p->evidence->count[i].large;
    if (tlbs == 1 && disturbed > 0 && !servet__job_stop(job)) servet__job_tlbs(job, 0.15);
    for (i = 0; i < p->evidence->counts && !servet__job_stop(job); i++) {
        servet_count *c = &p->evidence->count[i], more;
        servet_run run = servet__job_asks(job, 1);
        servet_count_opts o = servet__count_begin(job->m, &run, job->sweep.chase.page_bytes, 0);
        servet_counted counted;
        if (c->large || servet_count_settle(&counted, c) < 0) continue;
        if (c->before > 0 && !(thorough && (counted.disturbed || c->kind == SERVET_COUNT_TLB))) continue;
        o.before_units = c->before;
        o.about_units = counted.units;
        o.group_pages = c->kind == SERVET_COUNT_TLB ? c->loads : 0;
        o.runs = SERVET_COUNT_RUNS - c->runs;
        o.run.seed += 1;
        o.run.budget_s = c->before > 0 ? SERVET__COUNT_LEAST_S : 0.02;
        if (o.runs < 1 || (c->kind == SERVET_COUNT_TLB ? servet_count_tlb(&more, job->m, &o)
                                                        : servet_count_cache(&more, job->m, &o)) < 0) continue;
        for (k = 0; k < more.runs && c->runs < SERVET_COUNT_RUNS; k++) c->run[c->runs++] = more.run[k];
        for (k = 0; k < more.sets && c->sets < SERVET_COUNT_SETS; k++) c->set_units[c->sets++] = more.set_units[k];
        c->seconds += more.seconds;
        c->questions += more.questions;
    }
}

/* The latency curve, dense around the end of what could not be counted; ends at a status below 0. */
SERVET__PRIVATE int servet__job_curve(servet__job *job, int thorough)
{
    const double near = 8.0 * 1048576;
    const int line = job->sweep.chase.line_bytes, group = job->sweep.chase.group_pages;
    servet_profile *p = job->p;
    servet_level known[SERVET_LEVELS_MAX];
    servet_counted counted[SERVET_LEVELS_MAX];
    double bytes[SERVET_POINTS_MAX], far[SERVET_POINTS_MAX], from = thorough ? 2048 : 4096;
    double hi = job->hi_bytes, before = 0;
    const double moment_s = thorough ? SERVET__MOMENT * job->budget_s : 0;
    int i, n = 0, small, far_count, status = SERVET_OK;

    /* 1: of what was counted the curve need only show the latency */
    n = servet__profile_counted(known, counted, p);
    for (i = small = 0; i < n; i++) {
        const double end = known[i].bytes;
        bytes[small++] = floor(servet__max(end / 2, 1.5 * before) / line) * line;
        if (bytes[small - 1] < 0.7 * end) bytes[small++] = floor(0.7 * end / line) * line;
        before = end;
    }
    if (n > 0) from = known[n - 1].bytes * 1.1;

    /* 2: the range behind; where samples cost most in one round and, beyond 64 MiB, at half as many points */
    i = from >= near ? 0
      : servet__mcalibrator_grid(bytes + small, (size_t)(SERVET_POINTS_MAX - small), from, servet__min(hi, near), 4,
                                line);
    if (i < 0) return i;
    n = small + i;
    for (i = 0; i < n && bytes[i] <= SERVET__SMALL_BYTES; i++) { }
    job->sweep.chase.in_place = 1;
    status = servet__job_sweep(job, &p->evidence->curve, bytes, i, thorough ? 0.45 : 0.7, 3, 5);
    job->sweep.chase.in_place = 0;
    servet__job_resident(job, moment_s);
    if (before > 0)
        job->sweep.chase.group_pages = (int)servet__max(servet__min(SERVET__CURVE_GROUP_BYTES, before / 2)
                                                        / job->sweep.chase.page_bytes, 4);
    if (status >= 0)
        status = servet__job_sweep(job, &p->evidence->curve, bytes + i, n - i, thorough ? 0.62 : 0.8, 2,
                                    thorough ? 5 : 3);
    servet__job_resident(job, moment_s);
    from = servet__max(from, near * 1.15);
    n = hi <= from ? 0
      : servet__mcalibrator_grid(far, SERVET_POINTS_MAX, from, servet__min(hi, 64.0 * 1048576), 4, line);
    if (n >= 0 && hi > 64.0 * 1048576) {
        i = servet__mcalibrator_grid(far + n, (size_t)(SERVET_POINTS_MAX - n), 80.0 * 1048576, hi, 2, line);
        if (i > 0) n += i;
    }
    far_count = n > 0 ? n : 0;
    if (status >= 0) status = servet__job_sweep(job, &p->evidence->curve, far, far_count, thorough ? 0.74 : 0.9, 1, 1);
    if (status < 0) return status;
    servet__job_resident(job, moment_s);
    far_count = servet__job_reach(job, far, far_count, 0.8);
    hi = job->hi_bytes;
    servet__profile_infer(p, &job->fitted);

    /* 3: points dense enough for the model around what was not counted; then the end of the range once more */
    for (i = n = 0; i < p->cache_count && i < SERVET_LEVELS_MAX; i++)
        if (p->cache[i].method != SERVET_BY_COUNT && p->cache[i].method != SERVET_BY_HELD)
            n += servet__job_dense(bytes + n, (SERVET_POINTS_MAX - p->evidence->curve.count) / 2 - n, &p->cache[i], hi,
                                   thorough ? 8 : 6, line);
    if (status >= 0) status = servet__job_sweep(job, &p->evidence->curve, bytes, n, thorough ? 0.87 : 0.92, 3, 9);
    if (status >= 0) status = servet__job_sweep(job, &p->evidence->curve, far, far_count, thorough ? 0.93 : 0.98, 2, 7);
    job->sweep.chase.group_pages = group;
    return status;
}

/* Line size and TLBs.  What cannot be told is left out. */
SERVET__PRIVATE void servet__job_pages(servet__job *job, int tlb, double until_frac)
{
    servet_profile *p = job->p;
    servet_run run;
    int i, far_blocks = 8192;
    if (servet__job_stop(job)) return;
    if (tlb) servet__job_tlbs(job, servet__job_asks(job, until_frac).budget_s);
    if (servet__job_stop(job)) return;
    run = servet__job_asks(job, until_frac);
    run.budget_s = servet__min(servet__max(run.budget_s, 0.1 * job->budget_s), 0.4);
    for (i = 0; i < p->cache_count; i++)    /* far beyond all that is this core's own */
        if (!p->cache[i].effective && p->cache[i].bytes / 256 > far_blocks && p->cache[i].bytes < 33554432)
            far_blocks = (int)(p->cache[i].bytes / 256);
    servet__hierarchy_line(&p->evidence->line_pairs, job->m, far_blocks, &run);
}

#if SERVET_HAS(CORES)
/* CPUs that work together, the one measured on first, as many as a control group gives time for.  How many. */
SERVET__PRIVATE int servet__job_cpus(const servet__job *job, int *cpu)
{
    const servet_cpus *cpus = job->opts->cpus;
    const double quota = job->p->host.quota_cpus;
    const int own = job->opts->cpu_plus_1 > 0 ? job->opts->cpu_plus_1 - 1 : 0;
    int next, n = 1;
    cpu[0] = own;
    if (!cpus || servet_cpus_next(cpus, -1) < 0) return 1;
    if (!servet__cpus_has(cpus, own)) cpu[0] = servet_cpus_next(cpus, -1);
    for (next = servet_cpus_next(cpus, -1); next >= 0; next = servet_cpus_next(cpus, next))
        if (next != cpu[0]) cpu[n++] = next;
    return quota >= 1 && quota < n ? (int)quota : n;
}

/* Working sets of one part of the bandwidth: half of each level, and memory. */
typedef struct servet__working_sets {
    int    count;
    double bytes[SERVET_CHAINS_KEPT / 2];
    int    all[SERVET_CHAINS_KEPT / 2];    /* 1 = all CPUs may have as much at once                      */
    double memory_bytes, all_memory_bytes; /* of one CPU at work, and of each of all                    */
} servet__working_sets;

/* Half of what a level has for sure, and where CPUs share it a part for each, as far as that is still more than the
 * level before holds. */
SERVET__PRIVATE void servet__job_sets(const servet__job *job, servet__working_sets *sets, int cpus)
{
    const servet_profile *p = job->p;
    const double most = job->m->bytes > 0 ? job->m->bytes : job->hi_bytes;
    double beyond = 0;
    int i;
    memset(sets, 0, sizeof *sets);
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        const double before = i > 0 ? p->cache[i - 1].hi_bytes : 0;
        const int last = i + 1 == p->cache_count, n = servet__profile_most(p, i + 1, cpus);
        double bytes = c->lo_bytes / 2;
        int all = 1;
        beyond = c->hi_bytes;
        if (i > 1 && !last) continue;    /* of many levels the first two and the last */
        if (bytes < 1.2 * before) bytes = sqrt(before * c->lo_bytes);
        if (bytes / n >= 1.2 * before) bytes /= n;
        else all = 0;
        if (!(bytes > before) || bytes < SERVET_STREAM_BYTES * 3 || bytes * (all ? cpus : 1) > most) continue;
        sets->bytes[sets->count] = bytes;
        sets->all[sets->count++] = all;
    }
    sets->memory_bytes = servet__min(servet__max(4 * beyond, 64.0 * 1048576), most);
    sets->all_memory_bytes = servet__min(sets->memory_bytes, floor(most / cpus / 65536) * 65536);
}

/* Adds points to the evidence. */
SERVET__PRIVATE void servet__job_streams(servet__job *job, const servet_bandwidth *b, int series, int cpus_least)
{
    servet_stream_evidence *e = &job->p->evidence->streams;
    int i;
    e->taken += b->taken;
    e->seconds += b->seconds;
    for (i = 0; i < b->count && e->count < SERVET_STREAM_POINTS; i++) {
        const servet_bandwidth_point *from = &b->point[i];
        servet_stream_point *q = &e->point[e->count];
        if (from->cpus < cpus_least) continue;
        memset(q, 0, sizeof *q);
        q->series = series;
        SERVET__STREAM_COPY(q, from);
        e->count++;
    }
}

/* What the parts of the bandwidth share. */
typedef struct servet__bands_job {
    servet__job *job;
    servet__working_sets sets;
    int *cpu, cpus;
    servet_bandwidth *b;         /* of one of them                                                       */
    servet_bandwidth_opts o;
} servet__bands_job;

/* Kernels over a working set of each of so many CPUs. */
SERVET__PRIVATE int servet__band_kernels_over(servet__bands_job *x, double bytes, int cpus, int streaming,
                                              int cpus_least)
{
    int k, status;
    memset(x->b, 0, sizeof *x->b);
    status = servet_bandwidth_kernels(x->b, x->job->m, &bytes, 1, x->cpu, cpus, &x->o);
    for (k = 0; status >= 0 && k < x->b->count && !streaming; k++)
        if (x->b->point[k].streaming) x->b->point[k--] = x->b->point[--x->b->count];
    if (status >= 0) servet__job_streams(x->job, x->b, SERVET_SERIES_KERNELS, cpus_least);
    return status;
}

/* Kernels by level: three quarters of the time to memory, more where all CPUs, with less room each, are asked apart;
 * non-temporal stores only there, where they are of use. */
SERVET__PRIVATE int servet__band_kernels(servet__bands_job *x)
{
    const servet__working_sets *sets = &x->sets;
    const double whole_s = x->o.run.budget_s;
    const int apart = sets->all_memory_bytes < sets->memory_bytes;
    int i, status;
    x->o.run.budget_s = whole_s * (apart ? 0.4 : 0.75);
    status = servet__band_kernels_over(x, sets->memory_bytes, apart ? 1 : x->cpus, 1, 1);
    if (status >= 0 && apart && x->cpus > 1 && !servet__job_stop(x->job))
        status = servet__band_kernels_over(x, sets->all_memory_bytes, x->cpus, 1, x->cpus);
    x->o.run.budget_s = whole_s * 0.25 / sets->count;
    for (i = 0; status >= 0 && i < sets->count && !servet__job_stop(x->job); i++)
        status = servet__band_kernels_over(x, sets->bytes[i], sets->all[i] ? x->cpus : 1, 0, 1);
    return status;
}

/* Chains by level: by one CPU and by all. */
SERVET__PRIVATE int servet__band_chains(servet__bands_job *x)
{
    const double until_s = servet__job_left(x->job) - x->o.run.budget_s;
    servet_evidence *e = x->job->p->evidence;
    int i, all;
    for (all = 0; all <= (x->cpus > 1); all++)
        for (i = -1; i < x->sets.count; i++) {
            const double bytes = i >= 0 ? x->sets.bytes[i] : all ? x->sets.all_memory_bytes : x->sets.memory_bytes;
            if (servet__job_left(x->job) < until_s || servet__job_stop(x->job)) return SERVET_OK;
            if (e->parallel_count == SERVET_CHAINS_KEPT) return SERVET_OK;
            if (all && i >= 0 && !x->sets.all[i]) continue;
            if (servet_bandwidth_parallel(&e->parallel[e->parallel_count], x->job->m, bytes, x->cpu, all ? x->cpus : 1,
                                          &x->o) >= 0)
                e->parallel_count++;
        }
    return SERVET_OK;
}

/* Both sorts of stores by size: by one CPU, and by all where they have enough for several sizes. */
SERVET__PRIVATE int servet__band_stores(servet__bands_job *x)
{
    const servet_profile *p = x->job->p;
    const double lo = servet__max(65536, p->cache_count > 0 ? p->cache[0].hi_bytes : 0);
    x->o.run.budget_s /= x->cpus > 1 ? 2 : 1;
    if (servet_bandwidth_stores(x->b, x->job->m, lo, x->sets.memory_bytes / 2, x->cpu, 1, &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_STORES, 1);
    memset(x->b, 0, sizeof *x->b);
    if (x->cpus > 1 && !servet__job_stop(x->job) && x->sets.all_memory_bytes > 8 * lo
        && servet_bandwidth_stores(x->b, x->job->m, lo, x->sets.all_memory_bytes / 2, x->cpu, x->cpus, &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_STORES, 1);
    return SERVET_OK;
}

/* From nodes of CPUs to all nodes: of the first nodes alone where there are many. */
SERVET__PRIVATE int servet__band_nodes(servet__bands_job *x)
{
    const int nodes = x->job->opts->nodes;
    servet_node *node = (servet_node *)malloc((size_t)nodes * sizeof *node);
    int i, from, most = 100 / (5 * (nodes + 1));
    if (!node) return SERVET_OK;
    memcpy(node, x->job->opts->node, (size_t)nodes * sizeof *node);
    for (i = from = 0; i < nodes; i++)
        if (node[i].cpus.count > 0 && from++ >= (most > 1 ? most : 1)) memset(&node[i].cpus, 0, sizeof node[i].cpus);
    if (servet__bandwidth_numa(x->b, x->job->m, node, nodes, x->sets.all_memory_bytes, &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_NODES, 1);
    free(node);
    return SERVET_OK;
}

/* The order in which CPUs are to be added, filling groups or taking them in turn; 0 where no groups are known. */
SERVET__PRIVATE int servet__job_order(const servet__job *job, int *out, const int *cpu, int cpus, int spread)
{
    const servet_profile *p = job->p;
    const int levels = p->layers.count + 1;
    int *group, i, l, at, known = p->layers.count > 0 || p->cores_with_siblings > 0;
    if (!known || cpus > SERVET_CORES_MAX) return 0;
    group = (int *)calloc((size_t)(levels + 1) * (size_t)cpus, sizeof *group);
    if (!group) return 0;
    for (i = 0; i < cpus; i++) {
        for (at = 0; at < p->cores->count && p->cores->cpu[at] != cpu[i]; at++) { }
        for (l = 0; l < levels; l++) {
            const int g = at == p->cores->count ? -1 : l + 1 < levels ? p->layers.group[levels - 2 - l][at]
                        : p->cores_with_siblings > 0 ? p->smt[at] : -1;
            group[l * cpus + i] = g >= 0 ? g : SERVET_CORES_MAX + i;
        }
    }
    known = servet__bandwidth_order(&group[levels * cpus], group, levels, cpus, spread) >= 0;
    for (i = 0; known && i < cpus; i++) out[i] = cpu[group[levels * cpus + i]];
    free(group);
    return known;
}

/* A stream by ever more CPUs, in two orders where there are groups. */
SERVET__PRIVATE int servet__band_growth(servet__bands_job *x)
{
    const int cpus = x->cpus;
    int *fill = (int *)malloc(2 * (size_t)cpus * sizeof *fill), *spread = fill ? fill + cpus : NULL, groups;
    servet_stream triad;
    if (!fill) return SERVET_OK;
    memset(&triad, 0, sizeof triad);
    triad.kernel = SERVET_STREAM_TRIAD;
    groups = servet__job_order(x->job, fill, x->cpu, cpus, 0) && servet__job_order(x->job, spread, x->cpu, cpus, 1)
          && memcmp(fill, spread, (size_t)cpus * sizeof *fill);
    if (groups) x->o.run.budget_s /= 2;
    if (servet__bandwidth_scaling(x->b, x->job->m, &triad, x->sets.all_memory_bytes, groups ? fill : x->cpu, cpus,
                                  &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_FILL, 1);
    memset(x->b, 0, sizeof *x->b);
    if (groups && !servet__job_stop(x->job)
        && servet__bandwidth_scaling(x->b, x->job->m, &triad, x->sets.all_memory_bytes, spread, cpus, &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_SPREAD, 1);
    free(fill);
    return SERVET_OK;
}

/* Latency of memory beside loads of the others. */
SERVET__PRIVATE int servet__band_loaded(servet__bands_job *x)
{
    if (servet__bandwidth_loaded(x->b, x->job->m, x->sets.all_memory_bytes, x->sets.all_memory_bytes, x->cpu, x->cpus,
                                 &x->o) >= 0)
        servet__job_streams(x->job, x->b, SERVET_SERIES_LOADED, 1);
    return SERVET_OK;
}

/* Parts of the bandwidth in their order; each may use its share, by weight, of what is left. */
typedef struct servet__band_part {
    double weight;
    int    cpus, nodes;          /* it needs so many of them                                             */
    int    beyond;               /* and working sets beyond all caches                                   */
    int  (*measure)(servet__bands_job *x);    /* a status below 0 ends all                                    */
} servet__band_part;
static const servet__band_part servet__band_parts[] = {
    { 8, 1, 0, 0, servet__band_kernels }, { 5, 1, 0, 0, servet__band_stores }, { 5, 1, 0, 0, servet__band_chains },
    { 6, 1, 2, 0, servet__band_nodes },   { 4, 3, 0, 1, servet__band_growth }, { 2, 2, 0, 0, servet__band_loaded } };
enum { SERVET__BAND_PARTS = (int)(sizeof servet__band_parts / sizeof *servet__band_parts) };

SERVET__PRIVATE double servet__band_weight(const servet__bands_job *x, int k)
{
    const servet__band_part *part = &servet__band_parts[k];
    if (x->cpus < part->cpus || (part->nodes && (!x->job->opts->node || x->job->opts->nodes < part->nodes))) return 0;
    return part->beyond && servet__profile_level(x->job->p, x->sets.all_memory_bytes, 1) != 0 ? 0 : part->weight;
}

/* Streams and chains, until a moment. */
SERVET__PRIVATE int servet__job_bandwidth(servet__job *job, double until_s)
{
    const double least_s = 0.005;    /* kernels, that something is known, take it also where the time is over */
    servet_profile *p = job->p;
    servet__bands_job x;
    double weight[SERVET__BAND_PARTS], rest = 0, whole_s;
    int k, status = SERVET_OK;
    if (!job->m->bandwidth) return SERVET_EUNSUPPORTED;
    memset(&x, 0, sizeof x);
    x.job = job;
    x.b = (servet_bandwidth *)malloc(sizeof *x.b);
    x.cpu = (int *)malloc(64 * SERVET_CPU_WORDS * sizeof *x.cpu);
    if (!x.b || !x.cpu) status = SERVET_ENOMEM;
    job->budget_s = until_s;
    whole_s = servet__job_left(job);
    servet__profile_infer(p, &job->fitted);
    x.o.rounds = whole_s > 2.5 ? SERVET_STREAM_SAMPLES : 5;
    x.o.effort = servet__min(servet__max(whole_s / 3, 0.2), 1);
    x.o.run = job->sweep.run;
    x.cpus = x.cpu ? servet__job_cpus(job, x.cpu) : 0;
    servet__job_sets(job, &x.sets, x.cpus);
    for (k = 0; k < SERVET__BAND_PARTS; k++) rest += weight[k] = servet__band_weight(&x, k);
    for (k = 0; status >= 0 && k < SERVET__BAND_PARTS && !servet__job_stop(job); rest -= weight[k++]) {
        x.o.run.budget_s = servet__job_left(job) * weight[k] / rest;
        if (!(weight[k] > 0) || (p->evidence->streams.count > 0 && !(x.o.run.budget_s > least_s))) continue;
        x.o.run.budget_s = servet__max(x.o.run.budget_s, least_s);
        memset(x.b, 0, sizeof *x.b);
        status = servet__band_parts[k].measure(&x);
    }
    p->evidence->streams.stopped = servet__job_stop(job);
    free(x.b);
    free(x.cpu);
    return status;
}

/* Who shares which of the levels found. */
SERVET__PRIVATE void servet__job_sharing(servet__job *job, double budget_s)
{
    servet_profile *p = job->p;
    servet_sharing_opts o;
    servet_levels levels;
    int i;
    servet__profile_infer(p, &job->fitted);
    if (!job->m->together || p->cache_count == 0) return;
    memset(&o, 0, sizeof o);
    memset(&levels, 0, sizeof levels);
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        servet_level *l = &levels.level[levels.count++];
        l->level = i + 1;
        l->bytes = c->bytes;
        l->lo_bytes = c->lo_bytes;
        l->hi_bytes = c->hi_bytes;
        l->latency_ns = c->latency_ns;
        l->ways = c->ways;
        l->policy = c->policy;
        l->placement = c->placement;
        l->effective = c->effective;
    }
    levels.memory_ns = p->memory_ns;
    if (p->layers.count > 0) o.layers = &p->layers;
    o.page_bytes = job->sweep.chase.page_bytes;
    o.line_bytes = job->sweep.chase.line_bytes;
    o.run = job->sweep.run;
    o.run.budget_s = budget_s;
    servet_pairs_shared(p->sharing, job->m, &levels, p->cores->cpu, p->cores->count, &o);
}

/* Who slows whom at memory. */
SERVET__PRIVATE void servet__job_contention(servet__job *job, double budget_s)
{
    servet_profile *p = job->p;
    const servet_profile_opts *opts = job->opts;
    servet_contention_opts o;
    servet__working_sets sets;
    int16_t node[SERVET_CORES_MAX];
    int i, k;
    if (!job->m->bandwidth) return;
    memset(&o, 0, sizeof o);
    for (i = 0; i < p->cores->count; i++)
        for (node[i] = -1, k = 0; opts->node && k < opts->nodes; k++)
            if (servet__cpus_has(&opts->node[k].cpus, p->cores->cpu[i])) node[i] = (int16_t)k;
    if (opts->node && opts->nodes > 1) o.node = node;
    if (p->layers.count > 0) o.layers = &p->layers;
    if (p->cores_with_siblings > 0) o.core = p->smt;
    o.run = job->sweep.run;
    o.run.budget_s = budget_s;
    servet__job_sets(job, &sets, p->cores->count);
    servet_bandwidth_contention(p->contention, job->m, sets.memory_bytes, p->cores->cpu, p->cores->count, &o);
}

/* What is between CPUs, until a moment.  Absent where there is one, or where they cannot be bound. */
SERVET__PRIVATE int servet__job_cores(servet__job *job, double until_s)
{
    servet_profile *p = job->p;
    servet_cores_opts o;
    int *cpu, cpus = 0, next;
    double left;
    if (!job->opts->cpus || job->opts->cpus->count < 2) return SERVET_EUNSUPPORTED;
    cpu = (int *)malloc(64 * SERVET_CPU_WORDS * sizeof *cpu);
    if (!cpu) return SERVET_ENOMEM;
    for (next = servet_cpus_next(job->opts->cpus, -1); next >= 0; next = servet_cpus_next(job->opts->cpus, next))
        cpu[cpus++] = next;
    job->budget_s = until_s;
    left = servet__max(servet__job_left(job), 0.01);
    memset(&o, 0, sizeof o);
    o.run = job->sweep.run;
    o.run.budget_s = (cpus > 32 ? 0.6 : 0.3) * left;    /* pairs are many, and what else is asked rests on them */
    next = servet_pairs_latency(p->cores, job->m, cpu, cpus, &o);
    free(cpu);
    if (next < 0) return next;
    servet__profile_infer(p, &job->fitted);    /* who are siblings */
    servet__profile_infer_layers(p);
    left = servet__job_left(job);
    if (left > 0 && !servet__job_stop(job)) servet__job_contention(job, 0.4 * left);
    left = servet__job_left(job);    /* last, as it takes longest where levels are large */
    if (left > 0 && !servet__job_stop(job)) servet__job_sharing(job, left);
    return SERVET_OK;
}

/* A pair of CPUs that no nearer group joins: of a layer, or of none at all (layer = their number).  Siblings are none:
 * what they share they need not hand on. */
SERVET__PRIVATE int servet__job_pair(const servet_profile *p, int layer, int *pair)
{
    int a, b, l;
    for (b = 1; b < p->cores->count; b++)
        for (a = 0; a < b; a++) {
            if (p->cores_with_siblings > 0 && p->smt[a] >= 0 && p->smt[a] == p->smt[b]) continue;
            for (l = 0; l < p->layers.count; l++)
                if (p->layers.group[l][a] >= 0 && p->layers.group[l][a] == p->layers.group[l][b]) break;
            if (l != layer) continue;
            pair[0] = p->cores->cpu[a];
            pair[1] = p->cores->cpu[b];
            return 1;
        }
    return 0;
}

/* Coherence, until a moment. */
SERVET__PRIVATE int servet__job_coherence(servet__job *job, double until_s)
{
    servet_profile *p = job->p;
    servet_coherence_opts o;
    int *cpu, *order, cpus, apart, i, k, pair[2 * SERVET_BLOCK_PAIRS], pairs = 0;
    if (!job->m->operate || !job->opts->cpus || job->opts->cpus->count < 2) return SERVET_EUNSUPPORTED;
    cpu = (int *)malloc(2 * 64 * SERVET_CPU_WORDS * sizeof *cpu);
    if (!cpu) return SERVET_ENOMEM;
    order = cpu + 64 * SERVET_CPU_WORDS;
    cpus = servet__job_cpus(job, cpu);
    if (cpus < 2) cpus = 2;    /* two take turns anyway */
    if (cpus > 4096) cpus = 4096;
    job->budget_s = until_s;
    memset(&o, 0, sizeof o);
    o.run = job->sweep.run;
    for (i = p->layers.count; i >= 0 && pairs < SERVET_BLOCK_PAIRS; i--)
        pairs += servet__job_pair(p, i, &pair[2 * pairs]);
    if (!pairs) {
        pair[0] = cpu[0];
        pair[1] = cpu[1];
        pairs = 1;
    }
    if (!servet__job_order(job, order, cpu, cpus, 0)) memcpy(order, cpu, (size_t)cpus * sizeof *cpu);
    for (i = apart = 0; i < cpus && apart < 4; i++) {    /* one of each core, as far as is known */
        int at, other, sibling = 0;
        for (at = 0; at < p->cores->count && p->cores->cpu[at] != order[i]; at++) { }
        for (k = 0; k < apart && at < p->cores->count && p->cores_with_siblings > 0; k++) {
            for (other = 0; other < p->cores->count && p->cores->cpu[other] != cpu[k]; other++) { }
            sibling |= other < p->cores->count && p->smt[at] >= 0 && p->smt[at] == p->smt[other];
        }
        if (!sibling) cpu[apart++] = order[i];
    }
    if (apart == 3) apart = 2;
    o.run.budget_s = servet__max(servet__job_left(job) * 0.4, 0.01);
    servet_coherence_block(p->coherence, job->m, pair, pairs, &o);
    o.run.budget_s = servet__job_left(job) * 0.5;
    if (o.run.budget_s > 0 && !servet__job_stop(job) && apart >= 2)
        servet_coherence_destructive(p->coherence, job->m, cpu, apart, 0, &o);
    o.run.budget_s = servet__job_left(job);
    if (o.run.budget_s > 0 && !servet__job_stop(job)) servet_coherence_costs(p->coherence, job->m, order, cpus, &o);
    free(cpu);
    return SERVET_OK;
}
#endif

/* What is measured, in this order, as what follows may use what is known by then: who is near whom tells in which order
 * CPUs join a stream, and which pairs hand lines on.  Each part has its share of the time by weight; what one leaves
 * goes to those that follow. */
enum { SERVET__PARTS_MORE = SERVET_PART_BANDWIDTH | SERVET_PART_CORES | SERVET_PART_COHERENCE,
       SERVET__PARTS_ALL = SERVET_PART_CACHES | SERVET_PART_TLB | SERVET_PART_PREFETCHED | SERVET__PARTS_MORE };
typedef struct servet__run_part {
    int    part;
    double weight;
    int  (*measure)(servet__job *job, double until_s);    /* NULL = with the caches */
} servet__run_part;
#if SERVET_HAS(CORES)
#  define SERVET__WHERE_CORES(measure) measure
#else
#  define SERVET__WHERE_CORES(measure) NULL
#endif
static const servet__run_part servet__run_parts[] = {
    { SERVET_PART_CACHES, 7, NULL }, { SERVET_PART_TLB, 4, NULL }, { SERVET_PART_PREFETCHED, 2, NULL },
    { SERVET_PART_CORES, 7, SERVET__WHERE_CORES(servet__job_cores) },
    { SERVET_PART_BANDWIDTH, 5, SERVET__WHERE_CORES(servet__job_bandwidth) },
    { SERVET_PART_COHERENCE, 2, SERVET__WHERE_CORES(servet__job_coherence) } };
enum { SERVET__RUN_PARTS = (int)(sizeof servet__run_parts / sizeof *servet__run_parts) };

SERVET__PRIVATE double servet__part_weight(int parts)
{
    double weight = 0;
    int i;
    for (i = 0; i < SERVET__RUN_PARTS; i++)
        if (parts & servet__run_parts[i].part) weight += servet__run_parts[i].weight;
    return weight;
}

/* What is beyond the caches, in so much time. */
SERVET__PRIVATE void servet__job_more(servet__job *job, int parts, double left_s)
{
    double weight = 0;
    int i;
    job->begun = job->m->seconds(job->m->ctx);
    for (i = 0; i < SERVET__RUN_PARTS && !servet__job_stop(job); i++) {
        if (!(parts & servet__run_parts[i].part) || !servet__run_parts[i].measure) continue;
        weight += servet__run_parts[i].weight;
        servet__run_parts[i].measure(job, left_s * weight / servet__part_weight(parts));
    }
}

SERVET__PRIVATE int servet__profile_measure(servet_profile *p, const servet_machine *m,
                                            const servet_profile_opts *opts, double reach_bytes)
{
    servet__job job;
    double bytes[SERVET_POINTS_MAX], total_s, begun, ran_s, prefetched = 0, all_s, late_s = 0;
    int n, status, thorough, parts, more;
    if (!m->chase || !m->seconds || !(opts->run.budget_s >= 0 && opts->run.budget_s <= 3600)
        || !(opts->hi_bytes == 0 || opts->hi_bytes >= 262144) || opts->parts < 0 || opts->parts > SERVET__PARTS_ALL
        || opts->nodes < 0 || opts->nodes > 1024) return SERVET_EINVAL;
    total_s = all_s = opts->run.budget_s > 0 ? opts->run.budget_s : 2;
    thorough = total_s >= 1.2;
    parts = opts->parts ? opts->parts : SERVET_PART_CACHES | (thorough ? SERVET_PART_TLB : 0);
    more = parts & SERVET__PARTS_MORE;
    if (more && !SERVET_HAS(CORES)) return SERVET_EUNSUPPORTED;
    parts &= ~SERVET__PARTS_MORE;
    if (more && !(parts & SERVET_PART_CACHES)) {    /* sizes are needed, if roughly */
        total_s = servet__min(0.2 * all_s, 1.5);
        late_s = parts ? (all_s - total_s) * servet__part_weight(parts) / servet__part_weight(parts | more) : 0;
        parts |= SERVET_PART_CACHES;
    } else if (more) {
        total_s = all_s * servet__part_weight(parts) / servet__part_weight(parts | more);
    }
    total_s += late_s;
    thorough = total_s >= 1.2;
    memset(&job, 0, sizeof job);
    job.opts = opts;
    job.p = p;
    job.m = m;
    job.begun = job.started = begun = m->seconds(m->ctx);
    job.total_s = all_s;
    ran_s = m->ran ? m->ran(m->ctx) : 0;
    job.hi_bytes = opts->hi_bytes > 0 ? opts->hi_bytes : 256.0 * 1048576;
    job.reach_bytes = total_s >= 1.5 ? reach_bytes : 0;
    job.sweep.chase.page_bytes = 4096;
    if (p->host.page_bytes >= 1024 && p->host.page_bytes <= 65536) job.sweep.chase.page_bytes = (int)p->host.page_bytes;
    status = servet__chase_resolve(&job.sweep.chase, &job.sweep.chase);
    if (status < 0) return status;
    job.sweep.chase.effort = thorough ? 1 : servet__max(0.15, total_s / 4);
    job.sweep.run.seed = opts->run.seed;
    job.sweep.run.ctx = &job;
    job.sweep.run.progress = servet__job_progress;
    job.sweep.run.stop = servet__job_stop;
    job.sweep.retakes = thorough ? 2 : 1;

    /* Each part's share of the time; what one leaves goes to the next. */
    if (parts & SERVET_PART_PREFETCHED) prefetched = 0.12;
    job.budget_s = total_s * (1 - prefetched);
    if (parts & SERVET_PART_CACHES) servet__job_counts(&job, thorough ? 0.25 : 0.6);
    servet__profile_infer(p, &job.fitted);
    if (thorough || parts & SERVET_PART_TLB) servet__job_pages(&job, parts & SERVET_PART_TLB, 0.5);
    /* A sweep may take twice its time in its first round, and inference follows: of a start-up half of what is left. */
    job.budget_s = servet__max((total_s < SERVET__SHORT_S ? 0.5 : 1) * servet__job_left(&job),
                               (thorough ? 0.25 : 0.1) * total_s);
    job.begun = m->seconds(m->ctx);
    if (parts & SERVET_PART_CACHES && thorough) servet__job_resident(&job, SERVET__MOMENT * job.budget_s);
    if (parts & SERVET_PART_CACHES)
        for (n = 0; n < 3; n++) {    /* again where all the time went to others before a single sample */
            status = servet__job_curve(&job, thorough);
            if (status != SERVET_ESTOPPED || p->evidence->curve.count > 0 || servet__job_stop(&job)) break;
            job.begun = m->seconds(m->ctx);
        }
    servet__job_again(&job, thorough);
    if (parts & SERVET_PART_CACHES && thorough) servet__job_resident(&job, servet__job_left(&job));
    if (status >= 0 && parts & SERVET_PART_PREFETCHED && !servet__job_stop(&job)) {
        job.budget_s = total_s;
        n = servet__mcalibrator_grid(bytes, SERVET_POINTS_MAX, 4096, job.hi_bytes, 2, job.sweep.chase.line_bytes);
        job.sweep.chase.pattern = SERVET_CHASE_STRIDE;
        if (n > 0) status = servet__job_sweep(&job, &p->evidence->prefetched, bytes, n, 0.98, 3, 5);
    }
    if (status >= 0 && more) servet__job_more(&job, more, servet__max(all_s - (m->seconds(m->ctx) - begun), 0.05));
    p->made.parts = parts | more;
    p->made.budget_s = all_s;
    p->made.seconds = m->seconds(m->ctx) - begun;
    p->made.cpu_frac = 0;
    if (m->ran && p->made.seconds > 0)
        p->made.cpu_frac = servet__min(servet__max((m->ran(m->ctx) - ran_s) / p->made.seconds, 0.001), 1);
    if (status < 0 && status != SERVET_ESTOPPED) return status;
    if (p->evidence->curve.count == 0 && p->evidence->counts == 0 && p->evidence->line_pairs.count == 0
        && p->evidence->prefetched.count == 0)
        return SERVET_ESTOPPED;
    if (servet__job_stop(&job))    /* also between two sweeps, or before one */
        p->evidence->curve.stopped = p->evidence->thin.stopped = 1;
    servet__profile_infer(p, &job.fitted);
    return SERVET_OK;
}

enum { SERVET__REACH_BYTES = 1 << 30 };    /* the most that is gone to where nobody says how far */

SERVET__DEF int servet_profile_measure(servet_profile *p, const servet_machine *m, const servet_profile_opts *opts)
{
    servet_profile_opts none;
    servet_profile work;    /* so that p is as it was where nothing comes of it */
    int status;
    memset(&none, 0, sizeof none);
    if (!p || !m) return SERVET_EINVAL;
    work = *p;
    if (!opts) opts = &none;
    status = servet__profile_forget(&work);
    if (status >= 0)
        status = servet__profile_measure(&work, m, opts, opts->hi_bytes > 0 ? 0 : (double)SERVET__REACH_BYTES);
    if (status < 0) {
        work.network = NULL;
        servet_profile_free(&work);
        return status;
    }
    servet__profile_tidy(&work);
    p->network = NULL;
    servet_profile_free(p);
    *p = work;
    return status;
}

#endif /* SERVET_HAS(MEASURING) */

/* Names this machine and how it may be used: whatever changes an answer. */
SERVET__PRIVATE void servet__profile_key(char *key, const servet_host *h)
{
    char text[10 * SERVET_TEXT_MAX], thp[64];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);    /* FNV-1a */
    size_t i;
    if (servet__read_file("/sys/kernel/mm/transparent_hugepage/enabled", thp, sizeof thp) < 0) thp[0] = 0;
    snprintf(text, sizeof text, "1|%s|%s|%s|%s|%s|%s|%s|%d|%g|%g|%s", h->cpu_model, h->microcode, h->arch, h->os,
             h->kernel, h->hypervisor, h->cpus, h->cpu_count, h->quota_cpus, h->page_bytes, thp);
    for (i = 0; text[i]; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    snprintf(key, SERVET_TEXT_MAX, "%08lx%08lx", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
}

#if SERVET_HAS(MEASURING)
#if SERVET_HAS(LINUX)
/* What the control groups of this process leave of their limits, in bytes; 0 = none.  Cached files can be dropped.
 * system = where /proc and /sys are. */
SERVET__PRIVATE double servet__cgroup_left(const char *system)
{
    static const char *const in[] = { "0::", ":memory:" },
                      *const limit[] = { "memory.max", "memory.limit_in_bytes" },
                      *const used[] = { "memory.current", "memory.usage_in_bytes" },
                      *const root[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/memory" };
    char groups[4096], path[1024], file[2048], text[8192], *end;
    double least = 0;
    int i;
    snprintf(file, sizeof file, "%.512s/proc/self/cgroup", system);
    if (servet__read_file(file, groups, sizeof groups) <= 0) return 0;
    for (i = 0; i < 2; i++) {
        const char *from = strstr(groups, in[i]);
        if (!from) continue;
        from += strlen(in[i]);
        if (strcspn(from, "\n") >= sizeof path) continue;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(from, "\n"), from);
        for (;;) {    /* from its own upwards */
            double most, left, kept;
            snprintf(file, sizeof file, "%.512s%s%s/%s", system, root[i], path, limit[i]);
            most = servet__read_number(file);
            snprintf(file, sizeof file, "%.512s%s%s/%s", system, root[i], path, used[i]);
            left = most - servet__read_number(file);
            snprintf(file, sizeof file, "%.512s%s%s/memory.stat", system, root[i], path);
            if (most > 0 && servet__read_file(file, text, sizeof text) > 0) {
                const char *c = strstr(text, "total_inactive_file ");    /* version 1: with those of groups in it */
                if (!c) c = strstr(text, "inactive_file ");
                if (c && (kept = strtod(strchr(c, ' '), NULL)) > 0) left += kept;
            }
            if (most > 0 && (least == 0 || left < least)) least = servet__max(left, 1);
            end = strrchr(path, '/');
            if (!end) break;
            *end = 0;
        }
    }
    return least;
}
#endif

SERVET__PRIVATE double servet__memory_to_use(const servet_host *h)
{
    double bytes = h->memory_bytes;
#if SERVET_HAS(LINUX)
    char text[1024], field[SERVET_TEXT_MAX];
    const double left = servet__cgroup_left("");
    if (left > 0 && (bytes == 0 || left < bytes)) bytes = left;
    if (servet__read_file("/proc/meminfo", text, sizeof text) > 0 && servet__proc_value(text, "MemAvailable", field)) {
        double available = 1024 * strtod(field, NULL);
        if (available > 0 && (bytes == 0 || available < bytes)) bytes = available;
    }
#endif
    return bytes / 4;    /* the rest is other people's */
}

/* The nodes of this machine with only such CPUs as may be used; to be freed.  How many, 0 where that cannot be had. */
SERVET__PRIVATE int servet__profile_nodes(servet_node **out, const servet_cpus *cpus)
{
    enum { SERVET__NODES_MAX = 64 };
    servet_node *node = (servet_node *)calloc(SERVET__NODES_MAX, sizeof *node);
    int i, w, nodes = node ? servet__machine_nodes(node, SERVET__NODES_MAX) : 0;
    if (nodes > SERVET__NODES_MAX) nodes = SERVET__NODES_MAX;
    for (i = 0; i < nodes && cpus; i++) {
        servet_cpus left;
        memset(&left, 0, sizeof left);
        for (w = servet_cpus_next(&node[i].cpus, -1); w >= 0; w = servet_cpus_next(&node[i].cpus, w))
            if (servet__cpus_has(cpus, w)) servet_cpus_add(&left, w);
        node[i].cpus = left;
    }
    *out = node;
    return nodes < 0 ? 0 : nodes;
}

SERVET__DEF int servet_profile_calibrate(servet_profile *out, const servet_profile_opts *opts)
{
    servet_profile_opts o;
    servet_profile own, *const p = &own;    /* so that out is as it was where nothing comes of it */
    servet_host host;
    servet_rig rig;
    servet_rig_opts rig_opts;
    servet_machine m;
    servet_cpus usable;
    servet_node *node = NULL;
    double memory, budget_s, most, reach, begun = servet__clock_ns() * 1e-9;
    time_t now = time(NULL);
    struct tm utc;
    int status;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    if (!out || !(o.run.budget_s >= 0 && o.run.budget_s <= 3600) || o.cpu_plus_1 < 0) return SERVET_EINVAL;
    if (!(o.hi_bytes == 0 || (o.hi_bytes >= 262144 && o.hi_bytes < 1e13))) return SERVET_EINVAL;
    budget_s = o.run.budget_s > 0 ? o.run.budget_s : 2;
    reach = o.hi_bytes == 0 && budget_s >= 1.5 ? (double)SERVET__REACH_BYTES : 0;
    if (o.hi_bytes == 0) o.hi_bytes = (budget_s >= 1.5 ? 256 : budget_s > 0.5 ? 64 : 16) * 1048576.0;
    memset(&rig_opts, 0, sizeof rig_opts);
    rig_opts.cpu_plus_1 = o.cpu_plus_1;
    rig_opts.seed = o.run.seed;
    status = servet__machine_host(&host);
    if (status < 0) return status;
    if (!o.cpus && servet_machine_cpus(&usable) >= 0) o.cpus = &usable;
    memory = servet__memory_to_use(&host);
    /* all CPUs stream at once, each through several times what is cached of the last level */
    most = o.parts > 0 && o.parts & (SERVET_PART_BANDWIDTH | SERVET_PART_CORES) && o.cpus
         ? servet__max(o.hi_bytes, servet__min(o.cpus->count, 128) * 67108864.0) : o.hi_bytes;
    if (memory > 0) most = servet__min(most, servet__max(memory, 1048576));
    if (memory > 0) reach = servet__min(reach, memory);
    rig_opts.reserve_bytes = floor(reach / 65536) * 65536;
    for (;; most /= 2) {    /* a smaller honest answer where memory is short */
        rig_opts.hi_bytes = most = floor(most / 65536) * 65536;
        status = servet_rig_open(&rig, &rig_opts);
        if (status != SERVET_ENOMEM || most < 524288) break;
    }
    if (status < 0) return status;
    o.hi_bytes = servet__min(o.hi_bytes, most);
    reach = servet__min(reach, (double)rig.room);
    servet__profile_clear(p);
    if (servet__profile_forget(p) < 0) {
        servet_rig_close(&rig);
        servet_profile_free(p);
        return SERVET_ENOMEM;
    }
    if (!o.node && rig.nodes > 1) o.nodes = servet__profile_nodes(&node, o.cpus);
    if (node) o.node = node;
    p->host = host;
    p->timer = rig.timer;
    p->timer_valid = 1;
    servet__profile_key(p->key, &p->host);
    servet_timer_frequency(&p->frequency, &rig.timer, budget_s >= 1.5 ? 0.02 : 0.005);
    /* A tenth is for the sample that is under way at the end, and for what follows it.  Getting memory may take most of
     * a short budget where a hypervisor has to find it first. */
    o.run.budget_s = servet__max(0.9 * budget_s - (servet__clock_ns() * 1e-9 - begun), 0.6 * budget_s);
    m = servet_rig_machine(&rig);
    if (!o.cpu_plus_1 && rig.pinned) o.cpu_plus_1 = rig.cpu + 1;
    status = servet__profile_measure(p, &m, &o, reach);
    free(node);
    p->evidence->curve.huge_frac = (double)rig.region.huge_bytes / (double)rig.region.bytes;
    if (p->evidence->prefetched.count) p->evidence->prefetched.huge_frac = p->evidence->curve.huge_frac;
    servet_rig_close(&rig);
    p->made.cpu = rig.cpu;
    p->made.budget_s = budget_s;
    p->made.seconds = servet__clock_ns() * 1e-9 - begun;
    if (gmtime_r(&now, &utc)) strftime(p->made.when, sizeof p->made.when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (status < 0) {
        servet_profile_free(p);
        return status;
    }
    servet__profile_tidy(p);
    *out = *p;
    return status;
}
#endif /* SERVET_HAS(MEASURING) */

SERVET__PRIVATE int servet__profile_read(servet_profile *p, const char *path, char *error, int evidence,
                                         const char *key)
{
    struct stat about;
    char *text;
    int fd, status;
    size_t length = 0;
    ssize_t n;
    if (error) error[0] = 0;
    if (!path) return SERVET_EINVAL;
    fd = open(path, O_RDONLY | O_NONBLOCK);    /* a pipe must not make it wait */
    if (fd < 0) {
        if (error) snprintf(error, SERVET_TEXT_MAX, "cannot be opened");
        return SERVET_EIO;
    }
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > SERVET__JSON_BYTES) {
        if (error) snprintf(error, SERVET_TEXT_MAX, "not a file of at most %d MiB", SERVET__JSON_BYTES >> 20);
        close(fd);
        return SERVET_EIO;
    }
    text = (char *)malloc((size_t)about.st_size + 1);
    if (!text) {
        close(fd);
        return SERVET_ENOMEM;
    }
    while (length < (size_t)about.st_size && (n = read(fd, text + length, (size_t)about.st_size - length)) > 0)
        length += (size_t)n;
    close(fd);
    text[length] = 0;
    status = servet__profile_parse(p, text, length, error, evidence, key);
    free(text);
    return status;
}

SERVET__DEF int servet_profile_load(servet_profile *p, const char *path, char *error)
{
    return p ? servet__profile_read(p, path, error, 1, NULL) : SERVET_EINVAL;
}

SERVET__DEF int servet_profile_save(const servet_profile *p, const char *path)
{
    struct stat about;
    char *text, *beside, *real;
    size_t length, at = 0, room;
    ssize_t n;
    int fd, status = SERVET_EIO;
    if (!p || !path || !*path) return SERVET_EINVAL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return SERVET_EIO;    /* a pipe, a device, a directory */
    real = realpath(path, NULL);    /* a link stays one, and what it leads to is replaced */
    if (real) path = real;
    length = servet_profile_write(p, NULL, 0);
    room = strlen(path) + 32;
    text = (char *)malloc(length + 1);
    beside = (char *)malloc(room);
    if (!text || !beside) {
        status = SERVET_ENOMEM;
        goto done;
    }
    servet_profile_write(p, text, length + 1);
    snprintf(beside, room, "%s.%ld.tmp", path, (long)getpid());
    fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) goto done;
    while (at < length && (n = write(fd, text + at, length - at)) > 0) at += (size_t)n;
    if (at == length && fsync(fd) == 0) status = SERVET_OK;
    if (close(fd) != 0) status = SERVET_EIO;
    if (status == SERVET_OK && rename(beside, path) != 0) status = SERVET_EIO;
    if (status < 0) unlink(beside);
done:
    free(text);
    free(beside);
    free(real);
    return status;
}

/* Path of the profile with this key, its directories made if asked. */
SERVET__PRIVATE int servet__profile_place(char *buf, size_t cap, const char *key, int make)
{
    const char *named = getenv("SERVET_PROFILE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const int by_cache = cache && cache[0] == '/';
    int n;
    if (named && *named) {
        n = snprintf(buf, cap, "%s", named);
        return n < 0 || (size_t)n >= cap ? SERVET_ESPACE : SERVET_OK;
    }
    if (!by_cache && (!home || home[0] != '/')) return SERVET_EUNSUPPORTED;
    n = snprintf(buf, cap, "%s%s", by_cache ? cache : home, by_cache ? "" : "/.cache");
    if (n < 0 || (size_t)n + strlen(key) + 16 >= cap) return SERVET_ESPACE;
    if (make) mkdir(buf, 0700);    /* where it exists or cannot be made, opening the file tells */
    strcat(buf, "/servet");
    if (make) mkdir(buf, 0700);
    snprintf(buf + strlen(buf), cap - strlen(buf), "/%s.json", key);
    return SERVET_OK;
}

SERVET__DEF int servet_profile_path(char *buf, size_t cap)
{
    servet_host host;
    char key[SERVET_TEXT_MAX];
    int status;
    if (!buf || !cap) return SERVET_EINVAL;
    status = servet__machine_host(&host);
    if (status < 0) return status;
    servet__profile_key(key, &host);
    return servet__profile_place(buf, cap, key, 0);
}

#if SERVET_HAS(NETWORK)
SERVET__DEF int servet_profile_save_network(const servet_network *n, const char *path, char *error)
{
    servet_profile p;
    char key[SERVET_TEXT_MAX], own[4096];
    int status;
    if (error) error[0] = 0;
    if (!n || n->ranks < 1 || (path && !*path)) return SERVET_EINVAL;
    servet__profile_clear(&p);
    status = servet__machine_host(&p.host);
    servet__profile_key(key, &p.host);
    strcpy(p.key, key);
    if (status >= 0 && !path) {
        status = servet__profile_place(own, sizeof own, key, 1);
        path = own;
    }
    if (status >= 0 && access(path, F_OK) == 0) status = servet__profile_read(&p, path, error, 1, NULL);
    if (status >= 0) {
        free(p.network);
        p.network = (servet_network *)(uintptr_t)n;    /* it is only written */
        status = servet_profile_save(&p, path);
        p.network = NULL;
    }
    servet_profile_free(&p);
    return status;
}

SERVET__DEF int servet_degradation_load(servet_degradation *d, const char *path, char *error)
{
    servet_degradation found;
    servet_profile p;
    char own[4096];
    int i, status = SERVET_OK;
    if (error) error[0] = 0;
    if (!d) return SERVET_EINVAL;
    if (!path) {
        status = servet_profile_path(own, sizeof own);
        if (status < 0) return status;
        path = own;
    }
    memset(&found, 0, sizeof found);
    status = servet__profile_read(&p, path, error, 0, NULL);
    if (status >= 0) {
        const servet_network *n = p.network;
        if (n && n->dist_count > 0) found.distances = n->dist[n->dist_count - 1].which;
        if (n && n->access_count > 0) found.processes = n->access[n->access_count - 1].which;
        found.distance = (double *)malloc(((size_t)found.distances + 1) * sizeof *found.distance);
        found.access = (double *)malloc(((size_t)found.processes + 1) * sizeof *found.access);
        if (!found.distance || !found.access) status = SERVET_ENOMEM;
        for (i = 0; status >= 0 && i < found.distances; i++)
            found.distance[i] = servet_network_distance_ratio(n, i + 1, NULL, NULL);
        for (i = 0; status >= 0 && i < found.processes; i++)
            found.access[i] = servet_network_access_ratio(n, i + 1, NULL, NULL);
        servet_profile_free(&p);
    }
    if (status >= 0) *d = found;
    else servet_degradation_release(&found);
    return status;
}

SERVET__DEF void servet_degradation_release(servet_degradation *d)
{
    if (!d) return;
    free(d->distance);
    free(d->access);
    memset(d, 0, sizeof *d);
}
#endif

#if SERVET_HAS(MEASURING)
/* What is known of the network stays where the rest is measured again: it is not measured by this program. */
SERVET__PRIVATE void servet__profile_keep(servet_profile *p, const char *path)
{
    servet_profile old;
    if (servet__profile_read(&old, path, NULL, 1, NULL) < 0) return;
    if (!strcmp(old.key, p->key)) {
        p->network = old.network;
        old.network = NULL;
    }
    servet_profile_free(&old);
}

SERVET__DEF int servet_profile_open(servet_profile *p, const char *path, const servet_profile_opts *opts)
{
    servet_profile_opts o;
    servet_host host;
    char key[SERVET_TEXT_MAX], own[4096];
    const char *named = getenv("SERVET_PROFILE");
    int status, may_write = 1;
    if (!p) return SERVET_EINVAL;
    memset(&o, 0, sizeof o);
    if (opts) o = *opts;
    if (o.run.budget_s == 0) o.run.budget_s = 0.1;
    status = servet__machine_host(&host);
    if (status < 0) return status;
    servet__profile_key(key, &host);
    if (path || (named && *named)) {
        /* A file that is there and is no profile is somebody's: it is read first and stays. */
        if (!path) path = named;
        status = servet__profile_read(o.fresh ? NULL : p, path, NULL, 0, key);
        may_write = status >= 0 || status == SERVET_EOTHER || access(path, F_OK) != 0;
    } else if (servet__profile_place(own, sizeof own, key, !o.no_save) >= 0) {
        path = own;
        status = o.fresh ? SERVET_EIO : servet__profile_read(p, path, NULL, 0, key);
    }
    if (path && !o.fresh && status >= 0) {
        p->loaded = 1;
        p->saved = SERVET_OK;
        return p->cache_count;
    }
    status = servet_profile_calibrate(p, &o);
    if (status < 0) return status;
    if (path && may_write) servet__profile_keep(p, path);
    /* Half a profile must not take the place of a whole one, nor one that would never be loaded. */
    p->saved = o.no_save || !path || !may_write ? SERVET_EIO : p->made.stopped ? SERVET_ESTOPPED
             : o.parts && !(o.parts & SERVET_PART_CACHES) ? SERVET_EUNRESOLVED
             : servet_profile_save(p, path);
    return p->cache_count;
}
#endif /* SERVET_HAS(MEASURING) */

#endif /* !SERVET_PURE_ONLY */

#if defined(SERVET_LOAD_ONLY) && defined(__GNUC__) && !defined(__clang__)
#  pragma GCC pop_options
#endif

#endif /* SERVET_IMPLEMENTATION */

/* This software is available under two licenses; choose the one you like.
 *
 * ALTERNATIVE A - MIT License.  Copyright (c) 2026 the servet authors.
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation
 * the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
 * to permit persons to whom the Software is furnished to do so, subject to the following conditions: the above
 * copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.  THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.  IN NO EVENT
 * SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
 * CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
 * IN THE SOFTWARE.
 *
 * ALTERNATIVE B - Public domain (www.unlicense.org).  This is free and unencumbered software released into the
 * public domain: anyone may copy, modify, publish, use, compile, sell, or distribute it, in source or binary form,
 * for any purpose and by any means, without warranty of any kind. */

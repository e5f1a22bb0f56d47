/* profile_whole.c - the profile as a text, as a file, and as what a program opens at start-up
 *
 * Nothing here depends on what this machine measures: where a profile is measured, only its fate is looked at. */
#include "profiles.h"
#include "misses.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#if defined(__linux__)
#  include <linux/filter.h>
#  include <linux/seccomp.h>
#  include <sys/mman.h>
#  include <sys/prctl.h>
#  include <sys/resource.h>
#  include <sys/syscall.h>
#endif
#include <float.h>
#include <locale.h>
#include <signal.h>

static servet_profile one, two, mark;
static char dir[4096];                   /* of this run, removed at the end */
static volatile sig_atomic_t waited;     /* a call had to be woken up */
static int few;                          /* 1 = fewer cases of a kind: PROFILE_FEW is set, as beneath valgrind */
#if defined(__SANITIZE_ADDRESS__)
enum { CHECKED = 1 };                    /* each call is looked at, and takes three times as long */
#else
enum { CHECKED = 0 };
#endif

static void on_alarm(int sig) { waited = sig; }

/* Wakes what blocks after a minute; a call that returns at once leaves waited at 0. */
static void hurry(int on)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = on_alarm;    /* no SA_RESTART: the call fails */
    sigaction(SIGALRM, &act, NULL);
    waited = 0;
    alarm(on ? 60 : 0);
}

static const double awkward[] = {
    0, 0.1, 1e-300, 1.0 / 3, 9007199254740994.0, DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 1e15, 999999999999999.0,
    123456789012345678.0, 2.5e-5, -1.0 / 3, -DBL_MAX, 5e-324, 1.7976931348623155e308, 0.30000000000000004, 1e23
};

static double any(uint64_t *seed)
{
    const size_t n = sizeof awkward / sizeof *awkward, i = servet_stats_random_below(seed, 2 * n);
    return i < n ? awkward[i] : ldexp(servet_stats_random_unit(seed) - 0.5,
        (int)servet_stats_random_below(seed, 200) - 100);
}

static double above_0(uint64_t *seed)
{
    const double x = fabs(any(seed));
    return x > 0 && x < 1e300 ? x : 1;
}

static int any_int(uint64_t *seed, int n) { return (int)servet_stats_random_below(seed, (size_t)n); }

static void any_text(char *text, uint64_t *seed)
{
    const int n = any_int(seed, 3) ? any_int(seed, 12) : any_int(seed, SERVET_TEXT_MAX);
    int i;
    for (i = 0; i < n; i++) text[i] = any_int(seed, 8) ? (char)(' ' + any_int(seed, 95))
        : "\"\\/{}[]:,"[any_int(seed, 9)];
}

static void any_doubles(double *x, int n, uint64_t *seed) { while (n-- > 0) *x++ = any(seed); }

/* The fields of a struct from one to another, all of them doubles: one more between them is set as well. */
static void any_until(double *x, const void *end, uint64_t *seed) { while (x < (const double *)end) *x++ = any(seed); }

/* What all evidence says of how it was taken. */
static void any_taken(int *taken, int *retaken, int *stopped, double *seconds, uint64_t *seed)
{
    *taken = any_int(seed, 2147483647);
    *retaken = any_int(seed, 100);
    *stopped = any_int(seed, 2);
    *seconds = any(seed);
}

static void any_curve(servet_curve *c, uint64_t *seed, int points)
{
    int i, k;
    double bytes = 64 * (1 + servet_stats_random_unit(seed));
    c->chase.pattern = any_int(seed, 4);
    c->chase.line_bytes = 8 << any_int(seed, 6);
    c->chase.page_bytes = 4096 << any_int(seed, 5);
    c->chase.group_pages = any_int(seed, 1000);
    c->chase.lines_per_page = any_int(seed, 65);
    c->rounds = any_int(seed, 100);
    c->converged = any_int(seed, 100);
    any_taken(&c->taken, &c->retaken, &c->stopped, &c->seconds, seed);
    c->huge_frac = any_int(seed, 3) - 1;
    c->count = points;
    for (i = 0; i < points; i++) {
        servet_point *p = &c->point[i];
        p->bytes = bytes *= 1.01 + servet_stats_random_unit(seed);
        p->samples = any_int(seed, SERVET_SAMPLES_MAX + 1);
        p->ns = above_0(seed);    /* stands where there are no samples */
        p->lo_ns = above_0(seed);
        p->hi_ns = above_0(seed);
        for (k = 0; k < p->samples; k++) {
            p->sample_ns[k] = above_0(seed);
            p->anchor_cycles[k] = any_int(seed, 3) ? 16 + servet_stats_random_unit(seed) : 0;
            p->flags[k] = (unsigned char)(any_int(seed, 3) ? 0 : any_int(seed, 16));
            p->round[k] = (unsigned char)any_int(seed, 256);
        }
    }
    servet__mcalibrator_settle(c);
}

static void any_tlb(servet_tlb *t, uint64_t *seed)
{
    int i;
    if (any_int(seed, 3) == 0) return;
    t->count = any_int(seed, SERVET_TLB_LEVELS + 1);
    for (i = 0; i < t->count; i++) {
        t->level[i].entries = any_int(seed, 100000);
        t->level[i].lo_entries = any_int(seed, 100000);
        t->level[i].hi_entries = any_int(seed, 100000);
        any_until(&t->level[i].penalty_ns, &t->level[i + 1], seed);
    }
    t->seen_pages = 1 + any_int(seed, 100000);
    if (any_int(seed, 2)) t->walk_ns = above_0(seed);
    if (any_int(seed, 2)) t->walk_far_ns = above_0(seed);
}

static void any_count(servet_count *c, uint64_t *seed)
{
    int i, k;
    c->kind = any_int(seed, 2);
    c->unit_bytes = above_0(seed);
    c->large = any_int(seed, 2);
    c->loads = 1 + any_int(seed, 64);
    c->before = any(seed);
    c->reach = any(seed);
    c->runs = any_int(seed, SERVET_COUNT_RUNS + 1);
    for (i = 0; i < c->runs; i++) {
        servet_count_run *r = &c->run[i];
        any_until(&r->resident_ns, &r->patient, seed);
        r->full = any_int(seed, 2);
        r->rest = any_int(seed, 64);
        r->quiet_votes = any_int(seed, 100);
        r->quiet_resident = any_int(seed, 100);
        r->passes = any_int(seed, SERVET_COUNT_PASSES + 1);
        for (k = 0; k < r->passes; k++) {
            r->pass[k].walks = any_int(seed, 100);
            r->pass[k].asked = any_int(seed, 100000);
            r->pass[k].kept = any_int(seed, 100000);
            r->pass[k].resident_votes = any_int(seed, 2147483647);
            r->pass[k].evicted_votes = any_int(seed, 2147483647);
        }
    }
    c->sets = any_int(seed, SERVET_COUNT_SETS + 1);
    for (i = 0; i < c->sets; i++) c->set_units[i] = any_int(seed, 1000000000);
    c->questions = any_int(seed, 2147483647);
    c->stopped = any_int(seed, 2);
    c->seconds = any(seed);
}

static void any_resident(servet_resident_point *p, uint64_t *seed)
{
    p->bytes = 1 + fabs(any(seed));
    p->anchor_cycles = any(seed);
    p->flags = any_int(seed, 32);
    any_doubles(p->ns, SERVET_RESIDENT_BINS, seed);
}

/* The evidence that is about blocks, pages and pairs of loads. */
static void any_pages(servet_profile *p, uint64_t *seed)
{
    int i;
    if (any_int(seed, 2)) {
        servet_line_evidence *e = &p->evidence->line_pairs;
        e->count = 1 + any_int(seed, SERVET_LINE_POINTS);
        e->blocks[0] = any_int(seed, 10000);
        e->blocks[1] = any_int(seed, 10000);
        any_taken(&e->taken, &e->retaken, &e->stopped, &e->seconds, seed);
        for (i = 0; i < e->count; i++) {
            e->point[i].test = any_int(seed, 2);
            e->point[i].base_bytes = any_int(seed, 1024);
            e->point[i].apart_bytes = any_int(seed, 1024);
            e->point[i].samples = any_int(seed, 100);
            e->point[i].ns = any(seed);
        }
    }
    if (any_int(seed, 2)) {
        servet_resident *e = &p->evidence->resident;
        e->count = 1 + any_int(seed, SERVET_RESIDENT_POINTS);
        e->before_bytes = any(seed);
        e->stopped = any_int(seed, 2);
        e->seconds = any(seed);
        for (i = 0; i < e->count; i++) any_resident(&e->point[i], seed);
    }
    if (any_int(seed, 2)) {
        servet_survivals *e = &p->evidence->survival;
        e->count = 1 + any_int(seed, SERVET_SURVIVAL_POINTS);
        e->level_bytes = any(seed);
        e->before_bytes = any(seed);
        e->stopped = any_int(seed, 2);
        e->seconds = any(seed);
        for (i = 0; i < e->count; i++) any_resident(&e->point[i].read, seed);
        for (i = 0; i < e->count; i++) any_doubles(&e->point[i].wait_ns, 2, seed);
    }
    p->evidence->counts = any_int(seed, SERVET_COUNTS_MAX + 1);
    for (i = 0; i < p->evidence->counts; i++) any_count(&p->evidence->count[i], seed);
}

/* Streams and chains: the evidence, and what it tells. */
static void any_bands(servet_profile *p, uint64_t *seed)
{
    int i, k;
    p->evidence->streams.count = any_int(seed, 3) ? any_int(seed, 20) : any_int(seed, SERVET_BANDWIDTH_POINTS + 1);
    if (p->evidence->streams.count > 0)
        any_taken(&p->evidence->streams.taken, &k, &p->evidence->streams.stopped, &p->evidence->streams.seconds, seed);
    for (i = 0; i < p->evidence->streams.count; i++) {
        servet_bandwidth_point *q = &p->evidence->streams.point[i];
        q->series = any_int(seed, SERVET_SERIES);
        q->kernel = any_int(seed, SERVET_STREAM_KERNELS);
        q->streaming = any_int(seed, 2);
        q->vector = any_int(seed, SERVET_VECTOR_SCALABLE + 1);
        q->cpus = 1 + any_int(seed, 9000);
        q->memory = any_int(seed, SERVET_MEMORY_SPREAD + 1);
        q->node = any_int(seed, 9);
        q->cpu_node = any_int(seed, 9) - 1;
        q->bytes = above_0(seed);
        q->chase_bytes = any_int(seed, 2) ? above_0(seed) : 0;
        q->gap_ns = any(seed);
        q->samples = any_int(seed, SERVET_SAMPLES_MAX + 1);
        any_doubles(q->sample_bytes_per_s, q->samples, seed);
        if (q->chase_bytes > 0) any_doubles(q->sample_chase_ns, q->samples, seed);
        for (k = 0; k < q->samples; k++) q->flags[k] = (unsigned char)any_int(seed, 32);
    }
    p->evidence->parallel_count = any_int(seed, SERVET_CHAINS_KEPT + 1);
    for (i = 0; i < p->evidence->parallel_count; i++) {
        servet_parallelism *q = &p->evidence->parallel[i];
        q->bytes = above_0(seed);
        q->cpus = 1 + any_int(seed, 9000);
        q->line_bytes = any_int(seed, 1000);
        q->seconds = any(seed);
        q->count = any_int(seed, SERVET_PARALLEL_POINTS + 1);
        for (k = 0; k < q->count; k++) {
            servet_parallel_point *x = &q->point[k];
            int n;
            x->chains = 1 + k;
            any_until(&x->ns, &x->samples, seed);
            x->samples = any_int(seed, SERVET_SAMPLES_MAX + 1);
            any_doubles(x->sample_ns, x->samples, seed);
            for (n = 0; n < x->samples; n++) x->noisy += (x->flags[n] = (unsigned char)any_int(seed, 3)) != 0;
        }
    }
}

static void any_rates(servet_profile *p, uint64_t *seed)
{
    servet_rates *b = &p->bandwidth;
    int i, k;
    b->count = any_int(seed, SERVET_RATES + 1);
    for (i = 0; i < b->count; i++) {
        servet_rate *r = &b->rate[i];
        r->level = any_int(seed, 10) - 1;
        r->kernel = any_int(seed, SERVET_STREAM_KERNELS);
        r->streaming = any_int(seed, 2);
        r->vector = any_int(seed, SERVET_VECTOR_SCALABLE + 1);
        r->cpus = any_int(seed, 9000);
        r->samples = any_int(seed, 25);
        r->noisy = any_int(seed, 25);
        any_until(&r->bytes, r + 1, seed);
    }
    b->growths = any_int(seed, 3);
    for (i = 0; i < b->growths; i++) {
        servet_growth *g = &b->growth[i];
        g->spread = any_int(seed, 2);
        g->kernel = any_int(seed, SERVET_STREAM_KERNELS);
        g->streaming = any_int(seed, 2);
        g->level = any_int(seed, 10) - 1;
        g->count = any_int(seed, SERVET_GROWTH_POINTS + 1);
        for (k = 0; k < g->count; k++) g->cpus[k] = any_int(seed, 9000);
        any_doubles(g->bytes_per_s, g->count, seed);
        any_doubles(g->lo_bytes_per_s, g->count, seed);
        any_doubles(g->hi_bytes_per_s, g->count, seed);
        g->fitted = any_int(seed, 2);
        any_until(&g->bytes, g->cpus, seed);
        if (!g->fitted) continue;
        any_until(&g->fit.one, &g->fit.open, seed);
        any_until(&g->fit.best, &g->fit + 1, seed);
        g->fit.open = any_int(seed, 2);
        g->fit.enough = any_int(seed, 9000);
        g->fit.lo_enough = any_int(seed, 9000);
        g->fit.hi_enough = any_int(seed, 9000);
    }
    b->loads = any_int(seed, SERVET_LOADED_POINTS + 1);
    for (i = 0; i < b->loads; i++) any_until(&b->loaded[i].bytes_per_s, &b->loaded[i + 1], seed);
    p->chains_count = any_int(seed, SERVET_CHAINS_KEPT + 1);
    for (i = 0; i < p->chains_count; i++) {
        servet_mlp *m = &p->chains[i].mlp;
        any_until(&p->chains[i].bytes, &m->open, seed);
        any_until(&m->bytes_per_s, m + 1, seed);
        p->chains[i].level = any_int(seed, 10) - 1;
        p->chains[i].cpus = any_int(seed, 9000);
        m->open = any_int(seed, 2);
        m->k90 = any_int(seed, 65);
        m->lo_k90 = any_int(seed, 65);
        m->hi_k90 = any_int(seed, 65);
    }
    p->node_count = any_int(seed, SERVET_NODE_RATES + 1);
    for (i = 0; i < p->node_count; i++) {
        p->node[i].cpu_node = any_int(seed, 9);
        p->node[i].node = any_int(seed, 10) - 1;
        p->node[i].cpus = any_int(seed, 100);
        any_until(&p->node[i].latency_ns, &p->node[i + 1], seed);
    }
    p->survival_count = any_int(seed, SERVET_SURVIVAL_SIZES + 1);
    for (i = 0; i < p->survival_count; i++) {
        servet_survival *s = &p->survival[i];
        any_until(&s->bytes, &s->waits, seed);
        s->waits = any_int(seed, SERVET_SURVIVAL_WAITS + 1);
        any_doubles(s->age_ns, s->waits, seed);
        any_doubles(s->frac, s->waits, seed);
        any_doubles(s->lo_frac, s->waits, seed);
        any_doubles(s->hi_frac, s->waits, seed);
        any_doubles(s->quiet_frac, s->waits, seed);
        any_doubles(s->busy_frac, s->waits, seed);
    }
    p->streaming_count = any_int(seed, 3);
    for (i = 0; i < p->streaming_count; i++) {
        p->streaming[i].cpus = any_int(seed, 9000);
        p->streaming[i].always = any_int(seed, 2);
        any_until(&p->streaming[i].bytes, &p->streaming[i].always, seed);
        any_doubles(&p->streaming[i].gain_frac, 1, seed);
    }
}

/* Numbers of CPUs, none twice; returns how many. */
static int any_cpus(int *cpu, uint64_t *seed)
{
    const int n = 1 + any_int(seed, any_int(seed, 6) ? 6 : SERVET_CORES_MAX);
    int i, from = any_int(seed, 9);
    for (i = 0; i < n; i++) cpu[i] = from += 1 + any_int(seed, 3);
    return n;
}

/* Groups numbered by their first members; returns how many. */
static int any_groups(int16_t *group, int n, uint64_t *seed)
{
    int i, groups = 0;
    for (i = 0; i < n; i++) {
        const int g = any_int(seed, groups + 2) - 1;
        group[i] = (int16_t)g;
        if (g == groups) groups++;
    }
    return groups;
}

static float any_float(uint64_t *seed)
{
    return any_int(seed, 3) ? (float)(1 + 300 * servet_stats_random_unit(seed)) : (float)(1 + any_int(seed, 1000));
}

static void any_cores(servet_profile *p, uint64_t *seed)
{
    servet_cores *const c = p->cores = (servet_cores *)zeros(sizeof *p->cores);
    int i, k, pairs;
    c->count = any_cpus(c->cpu, seed);
    pairs = c->count * (c->count - 1) / 2;
    c->of = any_int(seed, 9000);
    c->moved = any_int(seed, 9);
    c->passes = any_int(seed, 9);
    c->taken = any_int(seed, 1000000);
    c->alone = any_int(seed, 1000);
    c->stopped = any_int(seed, 2);
    c->seconds = any(seed);
    c->home_frac = any(seed);
    for (i = 0; i < pairs; i++) {
        c->state[i] = (unsigned char)any_int(seed, 3);
        for (k = 0; k < SERVET_HANDOFF_KINDS; k++) {
            if (c->state[i]) c->ns[k][i] = any_float(seed);
            c->doubt_permille[k][i] = (uint16_t)any_int(seed, 65536);
        }
        c->sound += c->state[i] == SERVET_CORES_SOUND;
        c->contaminated += c->state[i] == SERVET_CORES_CONTAMINATED;
    }
    c->takes = pairs ? any_int(seed, 3 * pairs) : 0;
    for (i = 0; i < c->takes; i++) {
        servet_cores_take *t = &c->take[i];
        t->at = any_int(seed, pairs);
        t->clean = (unsigned char)any_int(seed, 2);
        t->home_frac = any_float(seed);
        for (k = 0; k < SERVET_HANDOFF_KINDS; k++) {
            t->ns[k] = any_float(seed) + 1;
            t->half_permille[k] = (uint16_t)any_int(seed, 65535);
        }
    }
    c->siblings = any_int(seed, c->count);
    for (i = 0; i < c->siblings; i++) {
        c->sibling[i].a = (int16_t)any_int(seed, c->count);
        c->sibling[i].b = (int16_t)any_int(seed, c->count);
        c->sibling[i].speed_frac = any_float(seed);
    }
    if (any_int(seed, 2)) p->cores_with_siblings = any_groups(p->smt, c->count, seed);
    if (any_int(seed, 2)) {
        servet_layers *l = &p->layers;
        l->cores = c->count;
        l->count = any_int(seed, SERVET_PAIRS_LAYERS + 1);
        for (i = 0; i < l->count; i++) {
            any_until(&l->layer[i].latency_ns, &l->layer[i].groups, seed);
            l->layer[i].groups = any_groups(l->group[i], c->count, seed);
        }
        any_until(&l->outermost_ns, &l->kinds, seed);
        for (l->kinds = 1, i = 0; i < c->count; i++) {
            l->kind[i] = (int16_t)any_int(seed, l->kinds + (l->kinds < c->count));
            if (l->kind[i] == l->kinds) l->kinds++;
        }
    }
}

static int any_status(uint64_t *seed)
{
    static const int status[] = { SERVET_OK, SERVET_EUNSUPPORTED, SERVET_EUNRESOLVED, SERVET_ESTOPPED };
    return status[any_int(seed, 4)];
}

static void any_test(servet_sharing *x, int level, uint64_t *seed)
{
    servet_sharing_test *t = &x->test[x->tests++];
    int k;
    t->level = (int16_t)level;
    t->cpu = (int16_t)any_int(seed, x->cpus);
    t->rounds = (int16_t)(1 + any_int(seed, 4));
    t->evicts = (int16_t)any_int(seed, 2);
    t->first = x->samples;
    for (k = 0; k < x->cpus; k++)
        if (k != t->cpu && (any_int(seed, 2) || k == (t->cpu + 1) % x->cpus))
            t->others[k / 64] |= (uint64_t)1 << k % 64;
    any_until(&t->bytes, t + 1, seed);
    for (k = 0; k < t->rounds; k++) {
        servet_sharing_sample *s = &x->sample[x->samples++];
        s->own_ns = (float)any_int(seed, 9999) / 8;
        s->read_ns = (float)any_int(seed, 9999) / 8;
        s->again_ns = (float)any_int(seed, 9999) / 8;
    }
}

static void any_sharing(servet_sharing *x, uint64_t *seed)
{
    int i, k;
    x->cpus = any_cpus(x->cpu, seed);
    x->stopped = any_int(seed, 2);
    x->seconds = any(seed);
    x->count = any_int(seed, SERVET_LEVELS_MAX + 1);
    for (i = 0; i < x->count; i++) {
        servet_sharing_level *l = &x->level[i];
        double *const number[] = { &l->bytes, &l->footprint_bytes, &l->seconds };
        for (k = 0; k < 3; k++) any_doubles(number[k], 1, seed);
        l->level = any_int(seed, 9);
        l->status = any_status(seed);
        l->tests = any_int(seed, 999);
        l->rounds = any_int(seed, 999);
        l->undecided = any_int(seed, 999);
        l->groups = any_groups(l->group, x->cpus, seed);
        for (k = 0; k < x->cpus; k++) l->unknown += l->group[k] < 0;
        any_doubles(l->llr, x->cpus, seed);
        for (k = any_int(seed, 4); k > 0 && x->cpus > 1; k--) any_test(x, i, seed);
    }
}

static void any_contention(servet_contention *c, uint64_t *seed)
{
    int i, k;
    c->cpus = any_cpus(c->cpu, seed);
    c->kernel = any_int(seed, SERVET_STREAM_KERNELS);
    c->streaming = any_int(seed, 2);
    c->vector = any_int(seed, SERVET_VECTOR_SCALABLE + 1);
    any_until(&c->bytes, c->own_bytes_per_s, seed);
    any_doubles(c->own_bytes_per_s, c->cpus, seed);
    any_doubles(&c->noise_frac, 1, seed);
    any_doubles(&c->seconds, 1, seed);
    c->pairs = any_int(seed, 999);
    c->taken = any_int(seed, 999);
    c->stopped = any_int(seed, 2);
    for (i = 0; i < c->cpus * (c->cpus - 1) / 2; i++) {
        c->pair_bytes_per_s[i] = any_float(seed) * 1e8f;
        c->overhead[i] = (int8_t)(any_int(seed, 8) - 2);
    }
    c->given = any_int(seed, SERVET_PAIRS_LAYERS + 1);
    for (i = 0; i < c->given; i++) any_groups(c->given_group[i], c->cpus, seed);
    c->layers = any_int(seed, SERVET_CONTENTION_LAYERS + 1);
    for (i = 0; i < c->layers; i++) any_groups(c->group[i], c->cpus, seed);
    c->levels = any_int(seed, SERVET_CONTENTION_LEVELS + 1);
    for (i = 0; i < c->levels; i++) {
        any_until(&c->level[i].bytes_per_s, &c->level[i].pairs, seed);
        c->level[i].pairs = any_int(seed, 999);
        c->level[i].groups = any_groups(c->level[i].group, c->cpus, seed);
    }
    c->domains = any_int(seed, SERVET_CONTENTION_DOMAINS + 1);
    for (i = 0; i < c->domains; i++) {
        c->domain[i].layer = any_int(seed, 20);
        c->domain[i].group = any_int(seed, 20);
        c->domain[i].cpus = any_int(seed, 20);
        c->domain[i].parent = any_int(seed, 20) - 1;
        any_until(&c->domain[i].bytes_per_s, &c->domain[i + 1], seed);
    }
    c->gammas = any_int(seed, SERVET_CONTENTION_GAMMAS + 1);
    for (i = 0; i < c->gammas; i++) {
        c->gamma[i].a = any_int(seed, 70);
        c->gamma[i].b = any_int(seed, 70) - 1;
        c->gamma[i].verdict = any_int(seed, SERVET_COLLIDE_YES + 1);
        c->gamma[i].rounds = any_int(seed, 70);
        any_until(&c->gamma[i].gamma, &c->gamma[i].verdict, seed);
    }
    c->scalings = any_int(seed, SERVET_CONTENTION_SCALINGS + 1);
    for (i = 0; i < c->scalings; i++) {
        servet_contention_scaling *x = &c->scaling[i];
        x->domain = any_int(seed, 70);
        x->cpus = any_int(seed, 300);
        x->count = any_int(seed, SERVET_CONTENTION_COUNTS + 1);
        for (k = 0; k < x->count; k++) x->n[k] = any_int(seed, 300);
        any_doubles(x->bytes_per_s, x->count, seed);
        any_doubles(x->lo_bytes_per_s, x->count, seed);
        any_doubles(x->hi_bytes_per_s, x->count, seed);
        x->enough = any_int(seed, 300);
        x->lo_enough = any_int(seed, 300);
        x->hi_enough = any_int(seed, 300);
        any_doubles(&x->best_bytes_per_s, 1, seed);
        x->fitted = any_int(seed, 2);
        if (x->fitted) any_doubles(&x->fit.knee, 1, seed);
    }
    c->sets = any_int(seed, 40);
    for (i = 0; i < c->sets; i++) {
        servet_contention_set *s = &c->set[i];
        s->batch = any_int(seed, 9);
        s->rounds = any_int(seed, SERVET_CONTENTION_ROUNDS + 1);
        for (k = 0; k < c->cpus; k++) s->cpus[k / 64] |= (uint64_t)any_int(seed, 2) << k % 64;
        for (k = 0; k < s->rounds; k++) s->bytes_per_s[k] = any_float(seed) * 1e8f;
    }
}

/* Samples of any kind: returns how many, and of them those with a flag. */
static int any_samples(double *one_, double *two_, double *three, unsigned char *flags, int *noisy, uint64_t *seed)
{
    const int n = any_int(seed, SERVET_SAMPLES_MAX + 1);
    int i;
    any_doubles(one_, n, seed);
    any_doubles(two_, n, seed);
    if (three) any_doubles(three, n, seed);
    for (i = 0; i < n; i++) *noisy += (flags[i] = (unsigned char)any_int(seed, 3)) != 0;
    return n;
}

static void any_destructive(servet_destructive_point *q, uint64_t *seed)
{
    q->base_bytes = any_int(seed, 9999);
    q->distance_bytes = any_int(seed, 9999);
    q->told = any_int(seed, 3) - 1;
    any_until(&q->slowdown, &q->told, seed);
    q->samples = any_samples(q->sample_ns, q->far_ns, NULL, q->flags, &q->noisy, seed);
}

static void any_coherence(servet_coherence *c, uint64_t *seed)
{
    servet_costs *x = &c->costs;
    servet_destructive *d = &c->destructive;
    int i, k;
    c->blocks = 1 + any_int(seed, SERVET_BLOCK_PAIRS);
    c->taken = any_int(seed, 999);
    c->stopped = any_int(seed, 2);
    c->seconds = any(seed);
    for (i = 0; i < c->blocks; i++) {
        servet_block *b = &c->block[i];
        any_until(&b->bytes, &b->count, seed);
        b->cpu[0] = any_int(seed, 99);
        b->cpu[1] = any_int(seed, 99);
        b->status = any_status(seed);
        b->count = any_int(seed, SERVET_BLOCK_POINTS + 1);
        for (k = 0; k < b->count; k++) {
            servet_block_point *q = &b->point[k];
            q->base_bytes = any_int(seed, 9999);
            q->distance_bytes = any_int(seed, 9999);
            q->told = any_int(seed, 3) - 1;
            any_doubles(&q->ns, 1, seed);
            q->samples = any_samples(q->sample_ns, q->near_ns, q->far_ns, q->flags, &q->noisy, seed);
        }
    }
    d->method = any_int(seed, 3);
    d->neighbour = any_int(seed, 4);
    any_until(&d->block_bytes, &d->control, seed);
    d->count = any_int(seed, SERVET_DESTRUCTIVE_POINTS + 1);
    for (i = 0; i < d->count; i++) any_destructive(&d->point[i], seed);
    if (d->count) any_destructive(&d->control, seed);
    x->count = any_int(seed, SERVET_COST_POINTS + 1);
    for (i = 0; i < SERVET_COST_OPERATIONS && x->count; i++) {
        double *const number[] = { &x->growth[i], &x->lo_growth[i], &x->hi_growth[i], &x->power[i], &x->lo_power[i],
            &x->hi_power[i] };
        for (k = 0; k < 6; k++) any_doubles(number[k], 1, seed);
        for (k = 0; k < x->count; k++) {
            servet_cost_point *q = &x->point[i][k];
            q->cpus = any_int(seed, 9999);
            any_until(&q->ns, &q->samples, seed);
            q->samples = any_samples(q->sample_ns, q->sample_slowest_ns, NULL, q->flags, &q->noisy, seed);
        }
    }
    if (!x->count) return;
    x->buffered = any_int(seed, 3);
    any_until(&x->exposed, x + 1, seed);
}

/* A profile with every field that is kept in a file set at random. */
static void any_profile(servet_profile *p, uint64_t seed)
{
    int i, k;
    with_evidence(p);
    any_text(p->key, &seed);
    any_text(p->made.when, &seed);
    any_until(&p->made.seconds, &p->made.parts, &seed);
    p->made.parts = any_int(&seed, 128);
    p->made.cpu = any_int(&seed, 9000);
    p->made.converged = any_int(&seed, 2);
    p->made.stopped = any_int(&seed, 2);
    any_until(&p->made.noisy_frac, &p->made + 1, &seed);
    any_text(p->host.cpu_model, &seed);
    any_text(p->host.arch, &seed);
    any_text(p->host.os, &seed);
    any_text(p->host.kernel, &seed);
    any_text(p->host.hypervisor, &seed);
    any_text(p->host.microcode, &seed);
    any_text(p->host.cpus, &seed);
    p->host.cpu_count = any_int(&seed, 9000);
    p->host.quota_cpus = any(&seed);
    p->host.memory_bytes = any(&seed);
    p->host.page_bytes = any(&seed);
    p->host.huge_page_bytes = any(&seed);
    p->host.report_count = any_int(&seed, SERVET_REPORTS_MAX + 1);
    for (i = 0; i < p->host.report_count; i++) {
        servet_report *r = &p->host.report[i];
        r->source = any_int(&seed, SERVET_REPORT_SOURCES);
        r->level = any_int(&seed, 9);
        r->bytes = any(&seed);
        r->line_bytes = any_int(&seed, 300);
        r->ways = any_int(&seed, 40);
        r->shared_cpus = -any_int(&seed, 300);
    }
    p->host.tlb_report_count = any_int(&seed, SERVET_TLB_REPORTS_MAX + 1);
    for (i = 0; i < p->host.tlb_report_count; i++) {
        servet_tlb_report *r = &p->host.tlb_report[i];
        r->source = any_int(&seed, SERVET_REPORT_SOURCES);
        r->level = any_int(&seed, 9);
        r->page_bytes = any(&seed);
        r->entries = any_int(&seed, 10000);
        r->ways = any_int(&seed, 300);
    }
    p->timer_valid = any_int(&seed, 2);
    if (p->timer_valid) {
        p->timer.source = 1 + any_int(&seed, 2);
        p->timer.monotone = any_int(&seed, 2);
        p->timer.trapped = any_int(&seed, 2);
        p->timer.steady = any_int(&seed, 2);
        any_until(&p->timer.ns_per_tick, &p->timer + 1, &seed);
        any_until(&p->frequency.ghz, &p->frequency.consistent, &seed);
        p->frequency.consistent = any_int(&seed, 2);
        p->frequency.units = any_int(&seed, 2);
    }
    p->cache_count = any_int(&seed, SERVET_LEVELS_MAX + 1);
    for (i = 0; i < p->cache_count; i++) {
        servet_cache *c = &p->cache[i];
        any_until(&c->bytes, &c->ways, &seed);
        c->ways = any_int(&seed, 100);
        c->policy = any_int(&seed, SERVET_POLICY_QLRU + 1);
        c->placement = any_int(&seed, SERVET_PLACEMENT_RANDOM + 1);
        c->method = any_int(&seed, SERVET_BY_HELD + 1);
        c->effective = any_int(&seed, 2);
        c->unresolved = any_int(&seed, 2);
        c->disturbed = any_int(&seed, 2);
        c->usual_bytes = any_int(&seed, 2) ? above_0(&seed) : 0;
        c->misfit_frac = any(&seed);
        c->source = any_int(&seed, SERVET_SOURCE_MEASURED + 1);
        c->verdict = any_int(&seed, SERVET_VERDICT_SHARED_LESS + 1);
        for (k = 0; k < SERVET_REPORT_SOURCES; k++) {
            c->system_bytes[k] = any_int(&seed, 3) ? fabs(any(&seed)) : -1;
            if (c->system_bytes[k] >= 0) c->system_verdict[k] = any_int(&seed, SERVET_VERDICT_SHARED_LESS + 1);
        }
    }
    p->seen_bytes = any(&seed);
    p->doubtful_count = any_int(&seed, SERVET_LEVELS_MAX + 1);
    for (i = 0; i < p->doubtful_count; i++) {
        p->doubtful[i].bytes = any(&seed);
        p->doubtful[i].ratio = any(&seed);
        p->doubtful[i].why = any_int(&seed, SERVET_DOUBT_NOISE + 1);
    }
    if (any_int(&seed, 2)) {
        p->memory_ns = above_0(&seed);
        p->memory_lo_ns = any(&seed);
        p->memory_hi_ns = any(&seed);
        p->memory_fetch_ns = any_int(&seed, 2) ? above_0(&seed) : 0;
    }
    if (any_int(&seed, 2)) {
        p->line.line_bytes = 8 << any_int(&seed, 6);
        p->line.lo_bytes = any_int(&seed, 300);
        p->line.hi_bytes = any_int(&seed, 300);
        p->line.hit_ns = any(&seed);
        p->line.miss_ns = any(&seed);
    }
    any_tlb(&p->tlb.small, &seed);
    any_tlb(&p->tlb.large, &seed);
    if (p->tlb.small.count > 0 || p->tlb.large.count > 0) p->tlb.backing = any_int(&seed, SERVET_BACKING_WHOLE + 1);
    else memset(&p->tlb, 0, sizeof p->tlb);    /* no level at all is not kept */
    any_pages(p, &seed);
    if (any_int(&seed, 2)) any_bands(p, &seed);
    if (any_int(&seed, 2)) any_rates(p, &seed);
    if (any_int(&seed, 3) == 0) any_cores(p, &seed);
    if (any_int(&seed, 4) == 0) any_sharing(p->sharing = (servet_sharing *)zeros(sizeof *p->sharing), &seed);
    if (any_int(&seed, 4) == 0) any_contention(p->contention = (servet_contention *)zeros(sizeof *p->contention),
                                                 &seed);
    if (any_int(&seed, 3) == 0) any_coherence(p->coherence = (servet_coherence *)zeros(sizeof *p->coherence),
                                                &seed);
    if (any_int(&seed, 4))
        any_curve(&p->evidence->curve, &seed, 1 + any_int(&seed, any_int(&seed, 8) ? 20 : SERVET_POINTS_MAX));
    if (any_int(&seed, 2)) any_curve(&p->evidence->thin, &seed, 1 + any_int(&seed, 20));
    if (any_int(&seed, 2)) any_curve(&p->evidence->prefetched, &seed, 1 + any_int(&seed, 20));
}

/* The profile as a text of its own; the block ends where the text ends, for sanitizers to see a step too far. */
static char *text_of(const servet_profile *p, size_t *length)
{
    char *text, *exact;
    *length = servet_profile_write(p, NULL, 0);
    text = (char *)malloc(*length + 1);
    exact = (char *)malloc(*length);
    if (!text || !exact) abort();
    servet_profile_write(p, text, *length + 1);
    memcpy(exact, text, *length);
    free(text);
    return exact;
}

static void untouched_begin(servet_profile *p)
{
    mess(p);
    memset(&mark, 0x5a, sizeof mark);
}

static int untouched(const servet_profile *p) { return !memcmp(p, &mark, sizeof mark); }

/* ---- text ------------------------------------------------------------------------------------ */

/* Seeds for which text -> struct -> text is not the same; the struct must be the same to the last bit, too. */
static int round_trips(uint64_t from, int count, const char *what)
{
    int bad = 0;
    uint64_t seed;
    for (seed = from; seed < from + (uint64_t)count; seed++) {
        size_t n, m;
        char *text, *again;
        any_profile(&one, seed);
        text = text_of(&one, &n);
        mess(&two);
        if (servet_profile_parse(anew(&two), text, n, NULL) != SERVET_OK || !same(&one, &two)) {
            bad++;
            TAP_DIAG("%s: seed %lu comes back another", what, (unsigned long)seed);
        } else {
            again = text_of(&two, &m);
            if (m != n || memcmp(text, again, n)) bad++;
            free(again);
        }
        free(text);
    }
    return bad;
}

/* How a number stands in a profile. */
static char *written(char *buf, size_t cap, double v)
{
    static const char key[] = "\"seconds\": ";
    static char text[65536];
    const char *at;
    clear(&one);
    one.made.seconds = v;
    servet_profile_write(&one, text, sizeof text);
    at = strstr(text, key);
    snprintf(buf, cap, "%.*s", at ? (int)strcspn(at + sizeof key - 1, ",\n") : 0, at ? at + sizeof key - 1 : "");
    return buf;
}

static void test_round_trip(void)
{
    char text[64], *end;
    size_t i, n = 0;
    TAP_OK(round_trips(1, few ? 10 : 60, "C locale") == 0, "random profiles come back with every bit of every field");
    for (i = 0; i < sizeof awkward / sizeof *awkward; i++)    /* against strtod, not our own reading */
        n += strtod(written(text, sizeof text, awkward[i]), &end) == awkward[i] && *end == 0;
    TAP_OK(n == i, "awkward numbers are written with all they need");
    TAP_OK(!strcmp(written(text, sizeof text, 0.1), "0.1"), "and with no more: 0.1 is %s", text);
    TAP_OK(!strcmp(written(text, sizeof text, -0.0), "0"), "negative zero is written as %s", text);
    zero(&one);
    one.made.seconds = HUGE_VAL;
    one.made.budget_s = HUGE_VAL - HUGE_VAL;
    end = text_of(&one, &n);
    TAP_OK(servet_profile_parse(anew(&two), end, n, NULL) == SERVET_OK && two.made.seconds == 0
           && two.made.budget_s == 0,
           "what is not finite is written so that it can be read, as not measured");
    free(end);
}

/* Bytes of a text before its evidence. */
static size_t before_evidence(const char *text, size_t n)
{
    static const char key[] = ",\n  \"evidence\": ";
    const size_t length = sizeof key - 1;
    size_t i;
    for (i = 0; i + length <= n; i++) if (!memcmp(text + i, key, length)) return i;
    return n > 2 ? n - 2 : 0;    /* "\n}" */
}

/* As a start loads a file: without the evidence it has all else, wherever the evidence stands, and what is no JSON is
 * noticed there, too. */
static void test_left_out(void)
{
    static const struct { const char *text; int status; } of[] = {
        { "{\"evidence\": {\"key\": \"no\", \"a\": [1, {\"b\": []}]}, \"servet\": 1, \"key\": \"yes\"}", SERVET_OK },
        { "{\"servet\": 1, \"evidence\": [[], {\"key\": \"no\"}, 2], \"key\": \"yes\"}", SERVET_OK },
        { "{\"servet\": 1, \"key\": \"yes\", \"evidence\": {}}", SERVET_OK },
        { "{\"servet\": 1, \"evidence\": null, \"key\": \"yes\"}", SERVET_OK },
        { "{\"servet\": 1, \"made\": {\"evidence\": {\"a\": 1}, \"seconds\": 3}, \"key\": \"yes\"}", SERVET_OK },
        { "{\"servet\": 1, \"evidence\": {\"a\": [1, 2}, \"key\": \"yes\"}", SERVET_EPARSE },
        { "{\"servet\": 1, \"key\": \"yes\", \"evidence\": {\"a\": [1, 2]", SERVET_EPARSE }
    };
    const int runs = few ? 10 : 60, all = (int)(sizeof of / sizeof *of);
    int i, same_as = 0, ok = 0;
    for (i = 0; i < runs; i++) {
        size_t n, m, k;
        char *text, *again;
        any_profile(&one, (uint64_t)i + 1);
        text = text_of(&one, &n);
        mess(&two);
        if (servet__profile_parse(anew(&two), text, n, NULL, 0, NULL) != SERVET_OK || two.evidence) abort();
        again = text_of(&two, &m);
        k = before_evidence(text, n);
        same_as += k > 1000 && before_evidence(again, m) == k && !memcmp(text, again, k);
        free(text);
        free(again);
    }
    TAP_OK(same_as == runs, "loaded without evidence: all else is there in %d of %d", same_as, runs);
    for (i = 0; i < all; i++) {
        const int status = servet__profile_parse(anew(&two), of[i].text, strlen(of[i].text), NULL, 0, NULL);
        ok += status == of[i].status
           && (status < 0 || (!strcmp(two.key, "yes") && two.made.seconds == (strstr(of[i].text, "made") ? 3 : 0)));
    }
    TAP_OK(ok == all, "wherever it stands, and whatever is in it: %d of %d", ok, all);
}

/* A locale by name, or one made in dir; "" where there is none. */
static const char *locale_set(const char *name)
{
    static char command[3 * sizeof dir];
    char full[64];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    if (setlocale(LC_ALL, full)) return "installed";
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 '%s/%s' >'%s/localedef.log' 2>&1", name, dir, full,
        dir);
    if (system(command) == -1) return "";
    setenv("LOCPATH", dir, 1);
    return setlocale(LC_ALL, full) ? "made" : "";
}

static void test_locale(const char *name)
{
    static const char text[] = "{\"servet\": 1, \"made\": {\"seconds\": 0.25}}";
    const char *how = locale_set(name), *point = localeconv()->decimal_point;
    if (!*how || !strcmp(point, ".")) {
        TAP_SKIP(2, "no locale %s here, and localedef does not make one", name);
    } else {
        TAP_OK(round_trips(500, few ? 1 : 6, name) == 0,
               "the same where the decimal point is \"%s\" (%s, %s)", point, name, how);
        TAP_OK(servet_profile_parse(anew(&two), text, sizeof text - 1, NULL) == SERVET_OK && two.made.seconds == 0.25
               && servet_profile_write(&two, NULL, 0) > 0, "0.25 is read as such there (%s)", name);
    }
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

/* Copies a JSON value with the members of all objects in reverse order, and an unknown member first in each if
 * asked.  Returns the end of the value. */
static const char *rearranged(char **out, const char *p, int stranger)
{
    const char *member[256], *end[256];
    int n = 0;
    if (*p == '"') {
        do {
            if (*p == '\\') *(*out)++ = *p++;
            *(*out)++ = *p++;
        } while (*p != '"');
        *(*out)++ = *p++;
        return p;
    }
    if (*p == '[') {
        for (*(*out)++ = *p++; *p != ']'; )
            if (*p == ' ' || *p == '\n' || *p == ',') *(*out)++ = *p++;
            else p = rearranged(out, p, stranger);
        *(*out)++ = *p++;
        return p;
    }
    if (*p != '{') {
        while (*p && !strchr(",]} \n", *p)) *(*out)++ = *p++;
        return p;
    }
    for (p++; *p != '}'; n++) {
        char *scratch = *out;    /* written over below */
        while (*p == ' ' || *p == '\n' || *p == ',') p++;
        if (*p == '}') break;
        member[n] = p;
        p = rearranged(&scratch, p, 0);
        p += strspn(p, ": ");
        p = rearranged(&scratch, p, 0);
        end[n] = p;
        while (*p == ' ' || *p == '\n') p++;
    }
    *(*out)++ = '{';
    if (stranger) {
        static const char text[] = "\"caches\\u0000\\\"}]\": [1e-7, {\"servet\": \"]}\\\\\", \"points\": []}, "
                                   "null, {}, -0.5]";
        memcpy(*out, text, sizeof text - 1);
        *out += sizeof text - 1;
        if (n) *(*out)++ = ',';
    }
    while (n-- > 0) {
        const char *value = rearranged(out, member[n], 0);
        *(*out)++ = ':';
        value += strspn(value, ": ");
        if (rearranged(out, value, stranger) != end[n]) abort();
        if (n > 0) *(*out)++ = ',';
    }
    *(*out)++ = '}';
    return p + 1;
}

static void test_order(void)
{
    int stranger, bad[2] = { 0, 0 };
    uint64_t seed;
    for (stranger = 0; stranger <= 1; stranger++) {
        for (seed = 1000; seed < 1010; seed++) {
            size_t n;
            char *text, *other, *at;
            any_profile(&one, seed);
            text = text_of(&one, &n);
            at = other = (char *)malloc(4 * n + 100000);
            if (!other) abort();
            rearranged(&at, text, stranger);
            if (servet_profile_parse(anew(&two), other, (size_t)(at - other), NULL) != SERVET_OK
                || !same(&one, &two))
                bad[stranger]++;
            free(text);
            free(other);
        }
    }
    TAP_OK(bad[0] == 0, "members in reverse order mean the same");
    TAP_OK(bad[1] == 0, "unknown members change nothing, in any object");
}

static int parse(const char *text) { return servet_profile_parse(anew(&two), text, strlen(text), NULL); }

static void test_missing(void)
{
    clear(&one);
    TAP_OK(parse("{\"servet\": 1}") == SERVET_OK && same(&one, &two) && !two.evidence,
           "without any other key nothing is measured");
    TAP_OK(parse(" {\"caches\" : [{\"bytes\":32768}, {}], \"servet\":1 } \r\n") == SERVET_OK && two.cache_count == 2
           && two.cache[0].bytes == 32768 && two.cache[0].ways == 0 && two.cache[1].bytes == 0
           && two.cache[1].system_bytes[0] == -1 && two.memory_ns == 0, "what a level does not say is not known of it");
    TAP_OK(parse("{\"servet\":1,\"caches\":[{\"bytes\":\"big\",\"ways\":null,\"policy\":7,"
                 "\"verdict\":\"fine\",\"effective\":1}],"
                 "\"host\":[],\"made\":3,\"evidence\":\"none\",\"memory\":true}") == SERVET_OK
           && two.cache_count == 1 && two.cache[0].bytes == 0 && two.cache[0].policy == 0
           && two.cache[0].verdict == SERVET_VERDICT_UNMEASURED, "a value of another type counts as absent");
    TAP_OK(parse("{\"servet\":1,\"made\":{\"cpu\":1e99,\"when\":\"\\u0041\\n\\\"b\\/\\\\\"}}") == SERVET_OK
           && two.made.cpu == 0 && !strcmp(two.made.when, "\"b/\\"),
               "a number beyond int counts as absent; escapes are understood");
    TAP_OK(parse("{\"servet\":1,\"made\":{\"seconds\":"
                 "0.10000000000000000000000000000000000000000000000000000000000000000000000000000001e3}}") == SERVET_OK
           && two.made.seconds == 100, "a number of many digits keeps its exponent");
    TAP_OK(parse("{\"servet\":1,\"evidence\":{\"curve\":{\"points\":[{\"bytes\":64,\"ns\":1},"
                 "{\"bytes\":32,\"ns\":2}]}}}") == SERVET_OK
           && two.evidence->curve.count == 1, "points that do not ascend end a curve");
}

static void test_refused(void)
{
    static const char *const schema[] = {
        "{\"servet\": 2}", "{\"servet\": 0}", "{\"servet\": 1.5}", "{\"servet\": \"1\"}", "{\"servet\": null}", "{}",
            "[]",
        "[{\"servet\": 1}]", "1", "\"servet\"", "null", "{\"x\": {\"servet\": 1}}", "{\"Servet\": 1}",
            "{\"servet\": 1e999}"
    };
    static const char *const broken[] = {
        "", " ", "{", "}", "{\"servet\": 1", "{\"servet\": 1}}", "{\"servet\": 1} 2", "{\"servet\": 1,}",
            "{\"servet\" 1}",
        "{servet: 1}", "{'servet': 1}", "{\"servet\": 01}", "{\"servet\": +1}", "{\"servet\": 1.}", "{\"servet\": .5}",
        "{\"servet\": 1e}", "{\"servet\": -}", "{\"servet\": 0x1}", "{\"servet\": NaN}", "{\"servet\": Infinity}",
        "{\"servet\": tru}", "{\"servet\": truee}", "{\"servet\": 1, \"a\": [1,]}", "{\"servet\": 1, \"a\": [1 2]}",
        "{\"servet\": 1, \"a\": [1}}", "{\"servet\": 1, \"a\": {]}", "{\"servet\": 1 \"a\": 2}",
            "{\"servet\": 1,, \"a\": 2}",
        "{\"servet\": 1, \"a\": \"\n\"}", "{\"servet\": 1, \"a\": \"\\x\"}", "{\"servet\": 1, \"a\": \"\\u12g4\"}",
        "{\"servet\": 1, \"a\": \"\\u12\"}", "{\"servet\": 1, \"a\": \"", "{\"servet\": 1} // why",
            "\xef\xbb\xbf{\"servet\": 1}",
        "{\"servet\": 1, 2: 3}", "{\"servet\": 1, \"a\"}", "{\"servet\": 1, [1]}", "bytes,ns\n1024,1.5\n", "\\", "]",
            "[,1]"
    };
    char error[SERVET_TEXT_MAX];
    size_t i, n;
    int status;
    for (i = 0; i < sizeof schema / sizeof *schema; i++) {
        untouched_begin(&two);
        memset(error, '?', sizeof error);
        status = servet_profile_parse(anew(&two), schema[i], strlen(schema[i]), error);
        TAP_OK(status == SERVET_ESCHEMA && untouched(&two) && memchr(error, 0, sizeof error) && error[0],
               "another schema: %s (%s)", schema[i], error);
    }
    for (i = n = 0; i < sizeof broken / sizeof *broken; i++) {
        untouched_begin(&two);
        memset(error, '?', sizeof error);
        status = servet_profile_parse(anew(&two), broken[i], strlen(broken[i]), error);
        if (status == SERVET_EPARSE && untouched(&two) && memchr(error, 0, sizeof error) && error[0]) n++;
        else TAP_DIAG("accepted or not left alone: %s", broken[i]);
    }
    TAP_OK(n == i, "%d kinds of broken JSON are refused with a reason, and nothing is written", (int)i);
    status = servet_profile_parse(anew(&two), "{\"servet\": 1,\n\"a\":\n?}", 21, error);
    TAP_OK(status == SERVET_EPARSE && strstr(error, "line 3"), "the reason names the line: %s", error);
    {
        static const char *const wrong[] = { "{\"a\" 1}", "{\"a\"x", "[\"\\x", "[\"\\u12g", "[01", "[1.x", "[1e+x",
                                             "[-x", "[tru]", "[nulx", "hello" };
        for (i = n = 0; i < sizeof wrong / sizeof *wrong; i++)
            n += servet_profile_parse(anew(&two), wrong[i], strlen(wrong[i]), error) == SERVET_EPARSE
              && strstr(error, "not JSON");
        TAP_OK(n == i, "what is wrong before its end is not said to end too early (%d of %d)", (int)n, (int)i);
    }
    TAP_OK(servet_profile_parse(anew(&two), "{\"servet\": 1}\0", 14, NULL) == SERVET_OK
           && servet_profile_parse(anew(&two), "{\"servet\"\0: 1}", 14, NULL) == SERVET_EPARSE,
               "a final zero is no part of the text, another is an error");
    untouched_begin(&two);
    TAP_OK(servet_profile_parse(NULL, "{}", 2, NULL) == SERVET_EINVAL
           && servet_profile_parse(anew(&two), NULL, 0, NULL) == SERVET_EINVAL && untouched(&two),
               "no text, or no profile, is EINVAL");
}

static void test_limits(void)
{
    enum { MOST = 16 << 20 };
    char deep[256], *wide = (char *)malloc(MOST + 1);
    int depth, status[2];
    if (!wide) abort();
    for (depth = 31; depth <= 32; depth++) {    /* and the object around them */
        sprintf(deep, "{\"servet\":1,\"a\":%.*s%.*s}", depth, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", depth,
            "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
        untouched_begin(&two);
        status[depth - 31] = parse(deep);
    }
    TAP_OK(status[0] == SERVET_OK && status[1] == SERVET_EPARSE && untouched(&two),
           "32 levels deep is read, 33 is not");
    memset(wide, '[', MOST);
    TAP_OK(servet_profile_parse(anew(&two), wide, MOST, NULL) == SERVET_EPARSE, "nor are 16 Mi brackets");
    memset(wide, ' ', MOST + 1);
    memcpy(wide + MOST - 13, " {\"servet\":1}", 14);
    status[0] = servet_profile_parse(anew(&two), wide, MOST, NULL);
    untouched_begin(&two);
    memcpy(wide + MOST - 13, "  {\"servet\":1}", 14);
    wide[MOST] = '}';
    status[1] = servet_profile_parse(anew(&two), wide, MOST + 1, NULL);
    TAP_OK(status[0] == SERVET_OK && status[1] == SERVET_EPARSE && untouched(&two),
           "16 MiB are read, a byte more is not");
    free(wide);
}

/* Every beginning of a profile, or those every so many bytes, in a block of exactly that size. */
static void test_truncated(const servet_profile *p, const char *what, size_t step)
{
    size_t length, n, bad = 0;
    char *text = text_of(p, &length), error[SERVET_TEXT_MAX];
    untouched_begin(&two);
    for (n = 0; n + 1 < length; n += step) {    /* but for the newline at the end */
        char *part = (char *)malloc(n + !n);
        if (!part) abort();
        memcpy(part, text, n);
        if (servet_profile_parse(anew(&two), part, n, error) != SERVET_EPARSE
            || !strstr(error, ": ends too early")) bad++;
        free(part);
    }
    TAP_OK(bad == 0 && untouched(&two), "%s cut off at any of %lu bytes is refused as that", what,
           (unsigned long)(length / step));
    free(text);
}

static void test_write_cap(void)
{
    const size_t step = (size_t)tap_runs(97, CHECKED ? 6211 : 1553);
    size_t length, cap, bad = 0;
    char *text, *part;
    any_profile(&one, 979);    /* short */
    text = text_of(&one, &length);
    part = (char *)malloc(length + 9);
    if (!part) abort();
    for (cap = 0; cap <= length + 8; cap += cap + 9 > length ? 1 : few ? 1 + cap : cap < 300 ? 1 : step) {
        const size_t kept = cap > length ? length : cap ? cap - 1 : 0;
        memset(part, '#', length + 9);
        if (servet_profile_write(&one, part, cap) != length || memcmp(part, text, kept) || (cap && part[kept])
            || part[cap] != '#' || memchr(part + cap, 0, length + 9 - cap)) bad++;
    }
    TAP_OK(bad == 0, "with any room the length needed is told, what fits is written and ended, and nothing beyond");
    TAP_OK(servet_profile_write(&one, NULL, 1000) == length, "without a buffer the length alone");
    free(part);
    free(text);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *in_dir(const char *name)
{
    static char path[4][sizeof dir + 64];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) abort();
}

static int holds(const char *path, const char *text)
{
    char got[256] = "";
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
    if (f) fclose(f);
    return n == strlen(text) && !memcmp(got, text, n);
}

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    if (!d) return -1;
    while (readdir(d)) n++;
    closedir(d);
    return n - 2;
}

/* What a path is: 'f' file, 'd' directory, 'p' pipe, 'l' link, '-' nothing there. */
static int kind(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0) return '-';
    return S_ISREG(s.st_mode) ? 'f' : S_ISDIR(s.st_mode) ? 'd' : S_ISFIFO(s.st_mode) ? 'p' : S_ISLNK(s.st_mode) ? 'l'
        : '?';
}

static void test_files(void)
{
    const char old[] = "{\"servet\": 1, \"key\": \"old\"}\n";
    char error[SERVET_TEXT_MAX], sub[sizeof dir + 64], file[sizeof dir + 128];
    struct rlimit before, small;
    struct stat about;
    int status, files;
    any_profile(&one, 5);
    snprintf(sub, sizeof sub, "%s/files", dir);
    snprintf(file, sizeof file, "%s/p.json", sub);
    mkdir(sub, 0755);

    TAP_OK(servet_profile_save(&one, file) == SERVET_OK && servet_profile_load(anew(&two), file, error) == SERVET_OK
           && same(&one, &two) && !error[0] && entries(sub) == 1,
               "saved and loaded it is the same, and alone in its directory");
    put_file(file, old);
    chmod(file, 0640);
    any_profile(&one, 6);
    TAP_OK(servet_profile_save(&one, file) == SERVET_OK && servet_profile_load(anew(&two), file, NULL) == SERVET_OK
           && same(&one, &two) && entries(sub) == 1 && stat(file, &about) == 0
           && (about.st_mode & 0777) == 0640, "saved over an old one it replaces it, with its permissions");

    /* a disk that is full after a part */
    put_file(file, old);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 600;
    setrlimit(RLIMIT_FSIZE, &small);
    errno = 0;
    status = servet_profile_save(&one, file);
    setrlimit(RLIMIT_FSIZE, &before);
    TAP_OK(status == SERVET_EIO && errno == EFBIG && holds(file, old) && entries(sub) == 1,
           "beyond the limit of file sizes the old one stays, and no signal ends the program");

    /* a directory that cannot be written; root may write anywhere, so as nobody */
    chmod(dir, 0755);
    if (geteuid() == 0 && seteuid(65534) != 0) {
        TAP_SKIP(1, "root cannot become nobody here");
    } else {
        chmod(sub, 0555);
        status = servet_profile_save(&one, file);
        if (getuid() == 0 && seteuid(0) != 0) abort();
        chmod(sub, 0755);
        TAP_OK(status == SERVET_EIO && holds(file, old) && entries(sub) == 1,
               "nor does it change where the directory cannot be written");
    }
    mkdir(in_dir("files/d"), 0755);
    put_file(in_dir("files/d/x"), "");
    files = entries(sub);
    TAP_OK(servet_profile_save(&one, in_dir("files/d")) == SERVET_EIO && kind(in_dir("files/d/x")) == 'f'
           && entries(sub) == files,
           "a directory is no place to save to, and keeps what it holds");
    TAP_OK(servet_profile_save(&one, in_dir("files/none/p.json")) == SERVET_EIO
           && servet_profile_save(&one, in_dir("files/p.json/p.json")) == SERVET_EIO
           && servet_profile_save(&one, "") == SERVET_EINVAL && servet_profile_save(NULL, file) == SERVET_EINVAL
           && servet_profile_save(&one, NULL) == SERVET_EINVAL, "nor is one that is not there");

    if (mkfifo(in_dir("files/pipe"), 0600) == 0) {
        untouched_begin(&two);
        hurry(1);
        status = servet_profile_load(anew(&two), in_dir("files/pipe"), NULL);
        TAP_OK(status == SERVET_EIO && !waited && untouched(&two), "a pipe is no profile, and not waited for");
        hurry(1);
        status = servet_profile_save(&one, in_dir("files/pipe"));
        TAP_OK(status == SERVET_EIO && !waited && kind(in_dir("files/pipe")) == 'p',
               "what is not a file is not replaced by one (a pipe here; for root it might be /dev/null)");
        hurry(0);
        unlink(in_dir("files/pipe"));
    } else {
        TAP_SKIP(2, "no pipes in this directory");
    }
    TAP_OK(servet_profile_save(&one, "/dev/null") == SERVET_OK && kind("/dev/null") == '?'
           && servet_profile_save_text("/dev/null", NULL, 0) == SERVET_OK, "a device is written to");
    if ((status = open(file, O_WRONLY | O_APPEND)) >= 0) {
        put_file(file, old);
        snprintf(error, sizeof error, "/dev/fd/%d", status);
        TAP_OK(servet_profile_save_text(error, "more", 4) == SERVET_OK && write(status, "!", 1) == 1
               && holds(file, "{\"servet\": 1, \"key\": \"old\"}\nmore!"), "so is what is open already, at its end");
        close(status);
    }
    if ((status = open(file, O_RDONLY)) >= 0) {
        snprintf(error, sizeof error, "/dev/fd/%d", status);
        TAP_OK(servet_profile_save_text(error, NULL, 0) == SERVET_EIO && errno == EBADF, "unless it is only read");
        close(status);
    }
    if ((status = open(sub, O_RDONLY)) >= 0) {
        snprintf(error, sizeof error, "/dev/fd/%d/below", status);
        if (mkdir(error, 0755) != 0) TAP_SKIP(1, "no paths below folders that are open");
        else TAP_OK(rmdir(error) == 0 && servet_profile_save_text(error, "x", 1) == SERVET_OK && holds(error, "x")
                    && unlink(error) == 0, "a path below a folder that is open is none that is open");
        close(status);
    }
    put_file(file, old);
    TAP_OK(servet_profile_save_text(file, NULL, 0) == SERVET_OK && holds(file, old)
           && servet_profile_save_text(in_dir("files/new"), NULL, 0) == SERVET_OK && kind(in_dir("files/new")) == '-'
           && servet_profile_save_text(in_dir("files/none/p"), NULL, 0) == SERVET_EIO
           && servet_profile_save_text(in_dir("files/d"), NULL, 0) == SERVET_EIO, "to ask changes nothing");
    if (symlink("none", in_dir("files/open")) == 0 && symlink("none/x", in_dir("files/lost")) == 0)
        TAP_OK(servet_profile_save_text(in_dir("files/open"), NULL, 0) == SERVET_OK && kind(in_dir("files/none")) == '-'
               && servet_profile_save_text(in_dir("files/open"), "x", 1) == SERVET_OK
               && holds(in_dir("files/none"), "x") && kind(in_dir("files/open")) == 'l'
               && servet_profile_save_text(in_dir("files/lost"), "x", 1) == SERVET_EIO
               && kind(in_dir("files/lost")) == 'l', "a link to what is not there: that is made, where it can be");
    if (symlink("p.json", in_dir("files/link")) == 0) {
        put_file(file, old);
        status = servet_profile_save(&one, in_dir("files/link"));
        TAP_OK(status == SERVET_OK && kind(in_dir("files/link")) == 'l'
               && servet_profile_load(anew(&two), file, NULL) == SERVET_OK
               && same(&one, &two), "a link stays one: the file it names is replaced");
    } else {
        TAP_SKIP(1, "no links in this directory");
    }

    untouched_begin(&two);
    status = servet_profile_load(anew(&two), in_dir("files/none.json"), error);
    TAP_OK(status == SERVET_EIO && error[0] && untouched(&two), "loading a file that is missing: %s", error);
    status = servet_profile_load(anew(&two), sub, error);
    TAP_OK(status == SERVET_EIO && error[0] && untouched(&two), "loading a directory: %s", error);
    put_file(file, "");
    status = servet_profile_load(anew(&two), file, error);
    TAP_OK(status == SERVET_EPARSE && error[0] && untouched(&two), "loading an empty file: %s", error);
    put_file(file, "{\"servet\": 3}");
    status = servet_profile_load(anew(&two), file, error);
    TAP_OK(status == SERVET_ESCHEMA && error[0] && untouched(&two), "loading another schema: %s", error);
    TAP_OK(servet_profile_load(NULL, file, NULL) == SERVET_EINVAL
           && servet_profile_load(anew(&two), NULL, NULL) == SERVET_EINVAL
           && untouched(&two), "loading from or to nothing");
}

/* ---- opening --------------------------------------------------------------------------------- */

static void quick(servet_profile_opts *o)
{
    memset(o, 0, sizeof *o);
    o->run.budget_s = getenv("PROFILE_FEW") ? 1 : 0.05;    /* under valgrind all is fifty times as slow */
    o->hi_bytes = 1048576;
    o->trust = 1;
}

/* Opens with a file that must not be replaced; 1 if it was not, and a measurement was handed over all the same. */
static int left_alone(const char *path, const servet_profile_opts *o, int was)
{
    const int status = servet_profile_open(anew(&two), path, o);
    return status >= 0 && !two.loaded && two.saved < 0 && kind(path) == was && two.made.seconds > 0;
}

static int stop_now(void *ctx) { return ctx == NULL; }

/* What may lie where this machine's own profile should: all of it is ours, and replaced. */
static void test_own(const char *path, const servet_profile_opts *o)
{
    static const struct { const char *what, *text; } of[] = {
        { "of a later schema", "{\"servet\": 9}" }, { "of an older schema", "{\"servet\": 0.6, \"key\": \"x\"}" },
        { "that is no JSON", "bytes,ns\n1024,1.5\n" }, { "that is empty", "" },
        { "that ends too early", "{\"servet\": 1, \"key\": \"" },
        { "of another machine", "{\"servet\": 1, \"key\": \"x\"}" },
        { "without caches", NULL }
    };
    char text[2 * SERVET_TEXT_MAX], key[SERVET_TEXT_MAX];
    int i, status, loaded;
    strcpy(key, two.key);
    for (i = 0; i < (int)(sizeof of / sizeof *of); i++) {
        snprintf(text, sizeof text, "{\"servet\": 1, \"key\": \"%s\"}", key);
        put_file(path, of[i].text ? of[i].text : text);
        status = servet_profile_open(anew(&two), NULL, o);
        loaded = two.loaded;
        TAP_OK(status >= 0 && !loaded && two.saved == SERVET_OK
               && servet_profile_load(anew(&two), path, NULL) == SERVET_OK
               && !strcmp(two.key, key), "a file there %s is ours, and replaced", of[i].what);
    }
    put_file(path, "x");
    if (chmod(path, 0) == 0 && access(path, R_OK) != 0) {
        status = servet_profile_open(anew(&two), NULL, o);
        TAP_OK(status >= 0 && two.saved == SERVET_OK && servet_profile_load(anew(&two), path, NULL) == SERVET_OK,
               "one that cannot be read as well");
    } else {
        TAP_SKIP(1, "one that cannot be read: this user may read all");
    }
}

/* However short the time is, there is an answer: what the system says, and whether it stood the test. */
static void test_short(void)
{
    static const double budget[] = { 1e-6, 0.001, 0.01, 0.03 };
    servet_profile_opts o;
    servet_question q;
    servet_answer a;
    int i, level, status, sound, said[3] = { 0, 0, 0 };
    memset(&o, 0, sizeof o);
    memset(&q, 0, sizeof q);
    for (i = 0; i < 4; i++) {
        o.run.budget_s = budget[i];
        status = servet_profile_open(anew(&two), in_dir("short.json"), &o);
        sound = status == 0 && !two.loaded && two.saved == SERVET_EUNRESOLVED && kind(in_dir("short.json")) == '-'
             && !two.evidence && servet_profile_write(&two, NULL, 0) > 0 && two.made.budget_s == budget[i];
        for (level = 1; level <= 2; level++) {
            q.level = level;
            const int os = two.claim[level - 1] == SERVET_CLAIM_CONFIRMED
                        || two.claim[level - 1] == SERVET_CLAIM_UNTESTED;
            sound = sound && servet_ask(&a, &two, &q) == SERVET_OK && a.value >= 1024
                 && a.claim == two.claim[level - 1] && os == (a.source == SERVET_SOURCE_OS);
            if (budget[i] < 0.008)    /* no time for a test */
                sound = sound && (a.claim == SERVET_CLAIM_UNTESTED || a.claim == SERVET_CLAIM_NONE);
            said[level] = a.claim;
        }
        TAP_OK(sound, "opened for %g ms: answers all the same, of the first level %d, of the second %d, and no file",
               1e3 * budget[i], said[1], said[2]);
    }
    two.claim[1] = SERVET_CLAIM_REFUTED;
    q.level = 2;
    TAP_OK(servet_ask(&a, &two, &q) == SERVET_OK && a.value > 1024 && a.value <= 262144
           && a.source == SERVET_SOURCE_DEFAULT && a.claim == SERVET_CLAIM_REFUTED,
           "of a claim that did not stand it the default, or half of it");
}

/* Can programs flush lines here? */
static int flushes(void)
{
    servet_rig rig;
    servet_rig_opts o;
    servet_machine m;
    double ns;
    memset(&o, 0, sizeof o);
    o.hi_bytes = 262144;
    if (servet_rig_open(&rig, &o) < 0) return 0;
    m = servet_rig_machine(&rig);
    ns = servet__memory_fetch(&m, rig.cpu, 1);
    servet_rig_close(&rig);
    return ns > 0;
}

/* A file of a memory that takes five times as long is noticed by a load that has time to ask, which lasts less than
 * the 7 ms of its questions; the others are not told, and keep the file. */
static void test_asked_memory(const servet_profile_opts *opts)
{
    enum { TRIES = 20 };
    const char *file = in_dir("asked.json");
    int i, asked = 0, noticed = 0, sound = 1;
    if (!flushes()) {
        TAP_SKIP(1, "programs cannot flush lines here: of memory nothing is asked");
        return;
    }
    for (i = 0; i < TRIES && sound && !noticed; i++) {
        double said_ns, took_s;
        unlink(file);
        sound = servet_profile_open(anew(&one), file, opts) >= 0;
        if (!sound || one.cache_count == 0) continue;    /* a busy CPU left no time to count */
        sound = one.memory_fetch_ns > 0;
        said_ns = one.memory_fetch_ns *= 5;
        if (servet_profile_save(&one, file) < 0) abort();
        took_s = servet__clock_ns() * -1e-9;
        sound = sound && servet_profile_open(anew(&two), file, opts) >= 0;
        took_s += servet__clock_ns() * 1e-9;
        noticed = two.refuted > one.cache_count;
        sound = sound && (two.loaded ? !two.refuted && two.memory_fetch_ns == said_ns
                                     : two.refuted > 0 && two.memory_fetch_ns < said_ns / 1.5);
        asked += two.loaded == 2 && took_s < 0.007;
    }
    unlink(file);
    if (sound && !noticed && !asked) TAP_SKIP(1, "others were too busy: of memory nothing was asked");
    else TAP_OK(sound && noticed, "a file of a memory that takes five times as long: noticed at the %d. load", i);
}

/* Are the answers those of the evidence? */
static int inferred(servet_profile *p)
{
    size_t n, m;
    char *text = text_of(p, &n), *again;
    int same;
    servet_profile_infer(p);
    again = text_of(p, &m);
    same = n == m && !memcmp(text, again, n);
    free(text);
    free(again);
    return same;
}

static void pointers(const void **to, const servet_profile *p)
{
    to[0] = p->cores;
    to[1] = p->sharing;
    to[2] = p->contention;
    to[3] = p->coherence;
    to[4] = p->automaton;
}

/* A part that is added comes with its evidence, all else stays. */
static void test_added(void)
{
    enum { PARTS = 9 };
    static servet_evidence was, had;
    int i, k, right = 0, tried = 0, tlbs = 0;
    uint64_t seed;
    for (seed = 1; seed <= (few ? 2 : 10); seed++)
        for (k = 1; k < PARTS; k++) {
            const int part = 1 << k;
            const void *own[5], *more[5], *now[5];
            int n = 0, ok;
            if (part == 8) continue;    /* none has this number */
            any_profile(&one, seed);
            any_profile(&two, seed + 1000);
            if (seed % 2) memset(&one.evidence->line_pairs, 0, sizeof one.evidence->line_pairs);
            was = *one.evidence;
            had = *two.evidence;
            pointers(own, &one);
            pointers(more, &two);
            servet__profile_add(&one, &two, part);
            servet__bandwidth_estimate(&was.streams);    /* rates follow from samples, where that goes so far */
            servet__bandwidth_estimate(&had.streams);
            servet__bandwidth_estimate(&one.evidence->streams);
            pointers(now, &one);
#define STAYS(m, p)  (!memcmp(&one.evidence->m, part == (p) ? &had.m : &was.m, sizeof was.m))
            ok = STAYS(thin, 0) && STAYS(resident, 0) && STAYS(curve, 0)
              && STAYS(line_pairs, was.line_pairs.count == 0 ? SERVET_PART_TLB : 0)
              && STAYS(survival, SERVET_PART_SURVIVAL) && STAYS(prefetched, SERVET_PART_PREFETCHED)
              && STAYS(streams, SERVET_PART_BANDWIDTH) && STAYS(parallel_count, SERVET_PART_BANDWIDTH)
              && STAYS(parallel, SERVET_PART_BANDWIDTH)
              && one.made.parts & part && inferred(&one);
            for (i = 0; i < 5; i++)
                ok = ok && now[i] == (part == (i < 3 ? SERVET_PART_CORES : i == 3 ? SERVET_PART_COHERENCE
                                               : SERVET_PART_AUTOMATON) ? more[i] : own[i]);
            for (i = 0; i < was.counts + had.counts; i++) {    /* caches of one's, TLBs of one's or two's */
                const servet_count *c = i < was.counts ? &was.count[i] : &had.count[i - was.counts];
                const int of = c->kind == SERVET_COUNT_TLB && part == SERVET_PART_TLB;
                if (of != (i >= was.counts) || n == SERVET_COUNTS_MAX) continue;
                ok = ok && n < one.evidence->counts && !memcmp(&one.evidence->count[n], c, sizeof *c);
                tlbs += of;
                n++;
            }
            right += ok && n == one.evidence->counts;
            tried++;
        }
#undef STAYS
    TAP_OK(right == tried && tlbs > 0, "a part is added with its evidence, and all else stays: %d of %d", right, tried);
}

/* A file serves those who ask for no more than it has.  Else what it lacks is measured and added; its caches stay. */
static void test_parts(const servet_profile_opts *opts)
{
    enum { CACHES = SERVET_PART_CACHES, TLB = SERVET_PART_TLB, AHEAD = SERVET_PART_PREFETCHED };
    static const struct { int asked, loaded, has; } of[] = {
        { 0, 0, CACHES }, { CACHES, 1, CACHES }, { CACHES | TLB, 0, CACHES | TLB }, { 0, 1, CACHES | TLB },
        { AHEAD, 0, CACHES | TLB | AHEAD }, { TLB, 1, CACHES | TLB | AHEAD }
    };
    const char *file = in_dir("parts.json");
    servet_profile_opts o = *opts;
    static servet_cache cache[SERVET_LEVELS_MAX];
    int i, status, ok = 0, counted = 1;
    unlink(file);
    for (i = 0; i < (int)(sizeof of / sizeof *of) && counted; i++) {
        o.parts = of[i].asked;
        status = servet_profile_open(anew(&two), file, &o);
        counted = status > 0;    /* a file without a level is none */
        if (i == 0) memcpy(cache, two.cache, sizeof cache);
        ok += status > 0 && (two.loaded > 0) == of[i].loaded && two.made.parts == of[i].has && two.saved == SERVET_OK
           && servet_profile_load(anew(&two), file, NULL) == SERVET_OK && two.made.parts == of[i].has
           && !memcmp(two.cache, cache, sizeof cache)
           && (two.evidence->prefetched.count > 0) == ((of[i].has & AHEAD) > 0)
           && (i == 0 || (two.network && two.network->ranks == 2));
        if (i > 0) continue;
        two.network = (servet_network *)zeros(sizeof *two.network);
        two.network->ranks = 2;
        if (servet_profile_save(&two, file) < 0) abort();
    }
    if (counted) {    /* with time for more all is measured again */
        o.parts = SERVET_PART_SURVIVAL;
        o.run.budget_s = 3 * (two.made.seconds + opts->run.budget_s);
        status = servet_profile_open(anew(&two), file, &o);
        counted = status > 0;
        ok += status > 0 && !two.loaded && two.made.parts == (of[i - 1].has | SERVET_PART_SURVIVAL)
           && two.made.budget_s == o.run.budget_s && two.network && two.network->ranks == 2;
        o.run.budget_s = opts->run.budget_s;
    }
    o.parts = SERVET_PART_COHERENCE;
    o.run.most_s = 1e-9;
    status = servet_profile_open(anew(&two), file, &o);
    ok += status > 0 && two.made.parts == (of[i - 1].has | SERVET_PART_SURVIVAL)
       && two.saved == SERVET_EUNRESOLVED && two.evidence && two.network && two.network->ranks == 2;
    o.run.most_s = 0;
    o.run.stop = stop_now;
    untouched_begin(&two);
    ok += servet_profile_open(&two, file, &o) == SERVET_ESTOPPED && untouched(&two);
    unlink(file);
    if (!counted) TAP_SKIP(1, "others were too busy: no level was found");
    else TAP_OK(ok == i + 3, "a file that has all parts asked for is loaded, what it lacks added, if there is time: "
                "%d of %d", ok, i + 3);
}

/* In a file, CPUs five times as far apart as measured. */
static void put_apart(const char *file)
{
    int k;
    if (servet_profile_load(anew(&two), file, NULL) < 0 || !two.cores) abort();
    for (k = 0; k < SERVET_CORES_PAIRS; k++) two.cores->ns[SERVET_HANDOFF_FLAGS][k] *= 5;
    if (servet_profile_save(&two, file) < 0) abort();
}

/* A file of CPUs five times as far apart is noticed by who asks for distances, and by nobody else: measured again the
 * first time, and not known the second. */
static void test_asked_cores(const servet_profile_opts *opts)
{
    enum { TRIES = 10 };
    const char *file = in_dir("asked.json");
    servet_profile_opts o = *opts;
    servet_cpus cpus;
    int i, k, asked = 0, noticed = 0, again = 0, sound = 1;
    if (servet_machine_cpus(&cpus) < 0 || servet_cpus_next(&cpus, servet_cpus_next(&cpus, -1)) < 0) {
        TAP_SKIP(3, "one CPU has no distances");
        return;
    }
    for (i = 0; i < TRIES && sound && !noticed; i++) {
        servet_question q;
        servet_answer a;
        double said_ns, sure_ns, took_s;
        unlink(file);
        o.parts = SERVET_PART_CACHES | SERVET_PART_CORES;
        o.run.budget_s = 10 * opts->run.budget_s;
        if (servet_profile_open(anew(&one), file, &o) < 1 || !one.cores || one.cores->sound == 0) continue;
        memset(&q, 0, sizeof q);
        q.what = SERVET_ASK_DISTANCE;
        for (k = 0; one.cores->state[k] != SERVET_CORES_SOUND; k++) { }
        for (q.cpu_2 = 1; SERVET_PAIRS_AT(0, q.cpu_2 + 1) <= k; q.cpu_2++) { }
        q.cpu = one.cores->cpu[k - SERVET_PAIRS_AT(0, q.cpu_2)];
        q.cpu_2 = one.cores->cpu[q.cpu_2];
        sound = servet_ask(&a, &one, &q) == SERVET_OK;
        said_ns = a.value;
        sure_ns = a.hi - a.lo;
        put_apart(file);
        o.parts = SERVET_PART_CACHES;
        took_s = servet__clock_ns() * -1e-9;
        sound = sound && servet_profile_open(anew(&two), file, &o) >= 0 && two.refuted <= two.cache_count + 1;
        took_s += servet__clock_ns() * 1e-9;
        if (!two.loaded) continue;      /* another answer was refuted */
        asked += two.loaded == 2 && took_s < 0.007;
        sound = sound && servet_ask(&a, &two, &q) == SERVET_OK && fabs(a.value / said_ns - 5) < 0.001
             && fabs((a.hi - a.lo) / 5 - sure_ns) <= 0.001 * sure_ns;
        o.parts |= SERVET_PART_CORES;
        sound = sound && servet_profile_open(anew(&two), file, &o) >= 0;
        noticed = two.refuted == one.cache_count + 2 && two.cores;
        sound = sound && (!noticed || !memcmp(one.cache, two.cache, sizeof one.cache));    /* no more than that */
        for (k = 0; noticed && k < TRIES && !again; k++) {
            put_apart(file);
            sound = sound && servet_profile_open(anew(&two), file, &o) >= 0;
            again = two.loaded == 1 && two.made.moves == 1 && !two.refuted && !two.cores && !two.sharing
                 && servet_ask(&a, &two, &q) == SERVET_EUNRESOLVED;
            if (two.refuted > 0 && two.refuted <= two.cache_count + 1) noticed = 0;    /* another answer was: anew */
        }
    }
    unlink(file);
    TAP_OK(sound, "a file's distances are as sure as when they were measured");
    if (sound && !again && !asked) {
        TAP_SKIP(2, "others were too busy: of distances nothing was asked");
        return;
    }
    TAP_OK(noticed, "a file of CPUs five times as far apart: noticed at the %d. load", i);
    TAP_OK(again, "and not known at the next load that finds them so");
}

/* A file whose first level is asked for, which no machine has: whether it is refuted or not told, the fates of file and
 * profile go together, and the network stays. */
static void test_asked(const char *file, const servet_profile_opts *opts)
{
    servet_profile_opts o = *opts;
    int status, as_was;
    servet_profile_load(anew(&one), file, NULL);
    one.cache[0].bytes = one.cache[0].lo_bytes = one.cache[0].hi_bytes = 12345;
    one.cache[0].method = SERVET_BY_COUNT;
    one.cache[0].unresolved = one.cache[0].effective = 0;
    one.network = (servet_network *)calloc(1, sizeof *one.network);
    one.network->ranks = 2;
    if (servet_profile_save(&one, in_dir("asked.json")) < 0) abort();
    o.trust = 0;
    status = servet_profile_open(anew(&two), in_dir("asked.json"), &o);
    servet_profile_load(anew(&one), in_dir("asked.json"), NULL);
    as_was = one.cache[0].bytes == 12345;
    TAP_OK(status >= 0 && (two.loaded ? as_was && two.refuted == 0 && two.cache[0].bytes == 12345
                                      : !as_was && two.refuted == 1 && two.saved == SERVET_OK && two.evidence != NULL)
           && two.network && two.network->ranks == 2 && one.network && one.network->ranks == 2,
           "a file with a level that is not so: %s", two.loaded ? "not told, kept" : "measured again, replaced");
    one.made.ask_lines = -1;
    one.cache[0].bytes = 12345;
    if (servet_profile_save(&one, in_dir("asked.json")) < 0) abort();
    status = servet_profile_open(anew(&two), in_dir("asked.json"), &o);
    TAP_OK(status >= 0 && two.loaded == 1 && two.refuted == 0 && two.cache[0].bytes == 12345,
           "one of which nothing is to be asked is loaded: %d levels, %d, refuted %d, the first %.0f", status,
           two.loaded, two.refuted, two.cache[0].bytes);
    unlink(in_dir("asked.json"));
    test_asked_memory(&o);
    test_asked_cores(&o);
    test_parts(opts);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Where addresses are scarce a load maps no more than it may, and touches nothing that is not its own. */
static void test_scarce(const servet_profile_opts *opts)
{
    const size_t own_bytes = (size_t)64 << 20, mib = (size_t)1 << 20;
    servet_profile_opts o;
    struct rlimit was, lim;
    unsigned char *own;
    size_t slack, i, changed = 0;
    long pages = 0;
    FILE *f;
    const char *file = in_dir("scarce.json");
    o = *opts;
    o.trust = 0;
    own = (unsigned char *)mmap(NULL, own_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED || getrlimit(RLIMIT_AS, &was) != 0 || getenv("PROFILE_FEW")
        || servet_profile_open(anew(&two), file, opts) < 0) {
        TAP_SKIP(1, "no limit of addresses here");
        return;
    }
    for (slack = 8; slack < 40; slack += 2) {
        f = fopen("/proc/self/statm", "r");
        if (!f || fscanf(f, "%ld", &pages) != 1) pages = 0;
        if (f) fclose(f);
        lim = was;
        lim.rlim_cur = (rlim_t)pages * 4096 + (rlim_t)(slack * mib);
        if (pages == 0 || setrlimit(RLIMIT_AS, &lim) != 0) break;
        servet_profile_open(anew(&two), file, &o);
        setrlimit(RLIMIT_AS, &was);
        for (i = 0; i < own_bytes; i += 64) changed += own[i] != 0;
    }
    munmap(own, own_bytes);
    unlink(file);
    TAP_OK(changed == 0, "opened with 8 to 38 MiB of addresses left: nothing of the program's own is overwritten");
}
#endif

/* Descriptors of directories that a program started now would get. */
static int folders_left;

static int look_for_folders(void *ctx)
{
    struct stat is;
    int fd;
    (void)ctx;
    for (fd = 3; fd < 256; fd++)
        folders_left += fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    return 0;
}

/* Gives back the lock that servet_profile_open waits for when that asks; when it asks again, does it have it? */
enum { GIVEN_BACK = -1, LOCKED = -2, FREE = -3 };

static int give_back(void *ctx)
{
    int *lock = (int *)ctx, again;
    if (*lock >= 0) {
        close(*lock);
        *lock = GIVEN_BACK;
    } else if (*lock == GIVEN_BACK && (again = open(dir, O_RDONLY)) >= 0) {
        *lock = flock(again, LOCK_EX | LOCK_NB) != 0 ? LOCKED : FREE;
        close(again);
    }
    return 0;
}

static void test_lock(const servet_profile_opts *opts)
{
    servet_profile_opts o = *opts;
    int status, before;
    look_for_folders(NULL);
    before = folders_left;
    folders_left = 0;
    o.run.stop = look_for_folders;
    status = servet_profile_open(anew(&two), in_dir("locked.json"), &o);
    TAP_OK(status >= 0 && two.saved == SERVET_OK && before == 0 && folders_left == 0,
           "the lock is not handed to a program that another thread starts meanwhile");
    o.run.stop = give_back;
    o.run.ctx = &before;
    before = open(dir, O_RDONLY);
    if (before >= 0 && flock(before, LOCK_EX) == 0) {
        status = servet_profile_open(anew(&two), in_dir("awaited.json"), &o);
        TAP_OK(status >= 0 && two.saved == SERVET_OK && before == LOCKED,
               "whoever waits for another process is asked whether to stop, and measures after it");
    } else {
        TAP_SKIP(1, "no locks in this directory");
    }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* What a thread has by default where the C library is musl. */
enum { SMALL_STACK = 128 * 1024 };

static void *from_a_small_stack(void *opts)
{
    static servet_profile_opts o;
    static int status;
    o = *(const servet_profile_opts *)opts;
    status = servet_profile_open(anew(&two), in_dir("small.json"), &o);
    if (status >= 0) status = servet_profile_load(anew(&two), in_dir("small.json"), NULL);
    if (status >= 0) status = servet_profile_infer(&two);
    return &status;
}

static void test_small_stack(const servet_profile_opts *opts)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *status = NULL;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, SMALL_STACK) == 0
        && pthread_create(&thread, &attr, from_a_small_stack, (void *)(uintptr_t)opts) == 0) {
        pthread_join(thread, &status);
        TAP_OK(status && *(int *)status >= 0, "128 KiB of stack are enough to open, load and infer: %s",
               servet_status_text(*(int *)status));
    } else {
        TAP_SKIP(1, "no threads of so small a stack here");
    }
    pthread_attr_destroy(&attr);
}
#endif

#if defined(__linux__)
/* A thread that may not bind itself: its filter of system calls, as services have, refuses that. */
static void *unbound(void *opts)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
    static struct sock_fprog filter = { sizeof code / sizeof *code, code };
    static int status[2];
    servet_profile_opts o = *(const servet_profile_opts *)opts;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return NULL;
    status[0] = servet_profile_open(anew(&two), in_dir("unbound.json"), &o);
    if (status[0] >= 0) status[0] = two.saved;
    o.cpu_plus_1 = 1;
    status[1] = servet_profile_calibrate(anew(&two), &o);
    return status;
}

static void test_unbound(const servet_profile_opts *opts)
{
    pthread_t thread;
    void *status = NULL;
    if (pthread_create(&thread, NULL, unbound, (void *)(uintptr_t)opts) == 0) pthread_join(thread, &status);
    if (status) {
        TAP_OK(((int *)status)[0] == SERVET_OK, "opened where no thread may be bound: %s",
               servet_status_text(((int *)status)[0]));
        TAP_OK(((int *)status)[1] == SERVET_EUNSUPPORTED, "where a CPU is asked for, that is told: %s",
               servet_status_text(((int *)status)[1]));
    } else {
        TAP_SKIP(2, "no filters of system calls here");
    }
}
#endif

static void test_open(void)
{
    const char precious[] = "bytes,ns\n1024,1.5\n";
    servet_profile_opts o;
    char file[sizeof dir + 64], key[SERVET_TEXT_MAX], own[SERVET_TEXT_MAX], path[4096];
    char want[sizeof dir + 2 * SERVET_TEXT_MAX];
    int status;
    FILE *f;
    quick(&o);
    snprintf(file, sizeof file, "%s/open.json", dir);

    status = servet_profile_open(anew(&one), file, &o);
    TAP_OK(status >= 0 && status == one.cache_count && !one.loaded && one.saved == SERVET_OK
           && one.made.seconds > 0
           && servet_profile_load(anew(&two), file, NULL) == SERVET_OK && !strcmp(one.key, two.key)
               && two.evidence->curve.count == one.evidence->curve.count,
           "opened where there is no file: measured, and saved with its evidence");
    if (status < 0) return;
    strcpy(key, one.key);
    test_truncated(&two, "a measured profile", 1);

    /* A level no machine has shows that the file was read and nothing measured. */
    servet_profile_load(anew(&one), file, NULL);
    one.cache_count = 1;
    one.cache[0].bytes = 12345;
    if (servet_profile_save(&one, file) < 0) abort();
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status == 1 && two.loaded && two.saved == SERVET_OK && two.cache[0].bytes == 12345, "opened again: loaded");
    {    /* where a file is there, too */
        servet_profile_opts odd = o;
        int refused;
        untouched_begin(&two);
        odd.run.budget_s = NAN;
        refused = servet_profile_open(&two, file, &odd) == SERVET_EINVAL;
        odd = o;
        odd.hi_bytes = -1;
        refused += servet_profile_open(&two, file, &odd) == SERVET_EINVAL;
        odd = o;
        odd.cpu_plus_1 = -1;
        refused += servet_profile_open(&two, file, &odd) == SERVET_EINVAL;
        TAP_OK(refused == 3 && untouched(&two), "options that cannot be are refused, though they would not be needed");
    }
    test_asked(file, &o);
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    test_scarce(&o);
    test_small_stack(&o);
#endif
    test_lock(&o);
#if defined(__linux__)
    test_unbound(&o);
#endif
    test_short();
    o.fresh = 1;
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status >= 0 && !two.loaded && two.saved == SERVET_OK && two.cache[0].bytes != 12345
           && servet_profile_load(anew(&two), file, NULL) == SERVET_OK && two.cache[0].bytes != 12345,
               "opened fresh: measured and saved again");
    o.fresh = 0;
    strcpy(one.key, "another machine");
    if (servet_profile_save(&one, file) < 0) abort();
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status >= 0 && !two.loaded && two.saved == SERVET_OK && !strcmp(two.key, key)
           && servet_profile_load(anew(&two), file, NULL) == SERVET_OK && !strcmp(two.key, key),
               "the profile of another machine is measured anew, and replaced");

    o.parts = SERVET_PART_PREFETCHED;
    status = servet_profile_open(anew(&two), in_dir("unsaved.json"), &o);
    TAP_OK(status == 0 && two.evidence->prefetched.count > 0 && two.saved == SERVET_EUNRESOLVED
           && kind(in_dir("unsaved.json")) == '-', "nor does what was measured without the caches take their place");
    o.parts = 0;
    o.no_save = 1;
    status = servet_profile_open(anew(&two), in_dir("unsaved.json"), &o);
    TAP_OK(status >= 0 && !two.loaded && kind(in_dir("unsaved.json")) == '-',
           "opened not to be saved: nothing is written");
    o.no_save = 0;
    status = servet_profile_open(anew(&two), in_dir("none/p.json"), &o);
    TAP_OK(status >= 0 && two.saved == SERVET_EIO && two.made.seconds > 0,
           "where it cannot be saved it is measured all the same");

    put_file(file, precious);
    TAP_OK(left_alone(file, &o, 'f') && holds(file, precious), "a file that is no profile stays");
    o.fresh = 1;
    TAP_OK(left_alone(file, &o, 'f') && holds(file, precious), "and stays where a fresh one was asked for");
    o.fresh = 0;
    put_file(file, "{\"servet\": 9}");
    TAP_OK(left_alone(file, &o, 'f') && holds(file, "{\"servet\": 9}"), "a profile of a later schema stays");
    put_file(file, precious);
    if (truncate(file, (16 << 20) + 1) != 0) abort();
    TAP_OK(left_alone(file, &o, 'f') && truncate(file, (off_t)strlen(precious)) == 0 && holds(file, precious),
           "a large file stays");
    mkdir(in_dir("folder"), 0755);
    TAP_OK(left_alone(in_dir("folder"), &o, 'd'), "a directory stays");
    if (mkfifo(in_dir("pipe"), 0600) == 0) {
        hurry(1);
        TAP_OK(left_alone(in_dir("pipe"), &o, 'p') && !waited, "a pipe stays, and is not waited for");
        hurry(0);
    } else {
        TAP_SKIP(1, "no pipes in this directory");
    }

    /* without a path */
    unsetenv("SERVET_PROFILE");
    setenv("XDG_CACHE_HOME", in_dir("cache"), 1);
    snprintf(want, sizeof want, "%s/cache/servet/%s.json", dir, key);
    TAP_OK(servet_profile_path(path, sizeof path, NULL) == SERVET_OK && !strcmp(path, want)
           && kind(in_dir("cache")) == '-',
           "the place is $XDG_CACHE_HOME/servet/<key>.json, and asking makes nothing");
    memset(path, '#', sizeof path);
    TAP_OK(servet_profile_path(path, 20, NULL) == SERVET_ESPACE && path[20] == '#'
           && servet_profile_path(NULL, 20, NULL) == SERVET_EINVAL,
           "too little room for it is told");
    TAP_OK(servet_profile_path(path, strlen(want), NULL) == SERVET_ESPACE && path[0] == '#'
           && servet_profile_path(path, strlen(want) + 1, NULL) == SERVET_OK && !strcmp(path, want),
           "and as much as it takes is enough");
    setenv("XDG_CACHE_HOME", in_dir("some/place"), 1);
    TAP_OK(servet_profile_save_text(NULL, "x", 1) == SERVET_OK && entries(in_dir("some/place/servet")) == 1,
           "all its folders are made");
    setenv("XDG_CACHE_HOME", in_dir("cache"), 1);
    status = servet_profile_open(anew(&two), NULL, &o);
    TAP_OK(status >= 0 && two.saved == SERVET_OK && kind(want) == 'f' && entries(in_dir("cache/servet")) == 1,
           "opened without a path: saved there");
    test_own(want, &o);
    setenv("SERVET_PROFILE", file, 1);
    put_file(file, precious);
    memset(own, 0, sizeof own);
    TAP_OK(servet_profile_path(path, sizeof path, own) == SERVET_OK && !strcmp(path, file) && !strcmp(own, key),
           "$SERVET_PROFILE comes first, the key is the machine's");
    o.fresh = 1;
    status = servet_profile_open(anew(&two), NULL, &o);
    TAP_OK(status >= 0 && two.saved < 0 && holds(file, precious), "and is not replaced where it names no profile");
    o.fresh = 0;
    unsetenv("SERVET_PROFILE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", dir, 1);
    snprintf(want, sizeof want, "%s/.cache/servet/%s.json", dir, key);
    TAP_OK(servet_profile_path(path, sizeof path, NULL) == SERVET_OK && !strcmp(path, want),
           "without XDG_CACHE_HOME it is ~/.cache");
    setenv("HOME", in_dir("nobody"), 1);
    TAP_OK(servet_profile_save_text(NULL, "x", 1) == SERVET_EIO && kind(in_dir("nobody")) == '-',
           "a home that is not there is not made");
    unsetenv("HOME");
    status = servet_profile_open(anew(&two), NULL, &o);
    memset(own, 0, sizeof own);
    TAP_OK(servet_profile_path(path, sizeof path, own) == SERVET_EUNSUPPORTED && !strcmp(own, key) && status >= 0
           && two.saved < 0 && two.made.seconds > 0,
           "without a home it is measured and not saved");
    TAP_OK(servet_profile_save_text(NULL, "x", 1) == SERVET_EUNSUPPORTED && errno == 0, "for which errno has no word");

    /* arguments */
    put_file(file, precious);
    untouched_begin(&two);
    o.run.budget_s = -1;
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status == SERVET_EINVAL && untouched(&two), "a negative budget is refused");
    quick(&o);
    o.hi_bytes = 1000;
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status == SERVET_EINVAL && untouched(&two), "a footprint too small for anything is refused");
    quick(&o);
    if (servet_profile_open(anew(&one), in_dir("sound.json"), &o) < 0) abort();
    o.cpu_plus_1 = 8193;
    status = servet_profile_open(anew(&two), in_dir("sound.json"), &o);
    TAP_OK(status == SERVET_EINVAL && untouched(&two), "so is a CPU that no system has, whatever a file says");
    quick(&o);
    o.parts = 8;
    status = servet_profile_open(anew(&two), in_dir("sound.json"), &o);
    TAP_OK(status == SERVET_EINVAL && untouched(&two), "and a part that is none");
    quick(&o);
    o.cpu_plus_1 = 8192;
    status = servet_profile_open(anew(&two), file, &o);
    TAP_OK(status < 0 && untouched(&two), "a CPU that is not there is refused (%s), and the profile is as it was",
           servet_status_text(status));
    TAP_OK(servet_profile_open(NULL, file, NULL) == SERVET_EINVAL, "no profile to open is refused");
    strcpy(one.key, "another machine");    /* a sound profile, but not to be used */
    if (servet_profile_save(&one, in_dir("other.json")) < 0) abort();
    untouched_begin(&two);
    status = servet_profile_open(anew(&two), in_dir("other.json"), &o);
    TAP_OK(status < 0 && untouched(&two), "and it is where another machine's file was read before (%s)",
           servet_status_text(status));
    quick(&o);
    o.run.stop = stop_now;
    status = servet_profile_open(anew(&two), in_dir("other.json"), &o);
    TAP_OK(status == SERVET_ESTOPPED && untouched(&two) && servet_profile_calibrate(anew(&two), &o) == SERVET_ESTOPPED
           && untouched(&two), "and where it is stopped before anything is known");
    o.fresh = 1;
    status = servet_profile_open(anew(&two), in_dir("other.json"), &o);
    TAP_OK(status == SERVET_ESTOPPED && untouched(&two) && kind(in_dir("other.json")) == 'f',
           "also where a fresh one was asked for");
    f = fopen(file, "rb");
    TAP_OK(f && holds(file, precious), "and the file is still there");
    if (f) fclose(f);
}

/* ---- limits of control groups ---------------------------------------------------------------- */

#if defined(__linux__)
/* A file of so many directories, made where they are not there; NULL = remove it. */
static void put_below(const char *system, const char *file, const char *text)
{
    char path[sizeof dir + 512];
    size_t i = strlen(system) + 1;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", system, file) >= sizeof path) abort();
    if (!text) {
        if (remove(path) != 0) abort();
        return;
    }
    for (; path[i]; i++) {
        if (path[i] != '/') continue;
        path[i] = 0;
        mkdir(path, 0700);
        path[i] = '/';
    }
    put_file(path, text);
}

static void test_cgroups(void)
{
    const char *const groups = "proc/self/cgroup";
    char none[sizeof dir + 64], v2[sizeof dir + 64], v1[sizeof dir + 64], deep[2048];
    size_t i;
    snprintf(none, sizeof none, "%s/no-groups", dir);
    snprintf(v2, sizeof v2, "%s/groups-2", dir);
    snprintf(v1, sizeof v1, "%s/groups-1", dir);
    TAP_OK(servet__cgroup_left(none) == 0, "no control groups: no limit");
    mkdir(v2, 0700);
    put_below(v2, groups, "0::/a/b\n");
    TAP_OK(servet__cgroup_left(v2) == 0, "a group that is not to be seen: none");
    put_below(v2, "sys/fs/cgroup/a/b/memory.max", "max\n");
    put_below(v2, "sys/fs/cgroup/a/b/memory.current", "400000\n");
    TAP_OK(servet__cgroup_left(v2) == 0, "\"max\": none");
    put_below(v2, "sys/fs/cgroup/a/b/memory.max", "1000000\n");
    TAP_OK(servet__cgroup_left(v2) == 600000, "its limit, less what it has");
    put_below(v2, "sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_anon 7\ninactive_file 100000\nactive_file 9\n");
    TAP_OK(servet__cgroup_left(v2) == 700000, "of which it can drop files that it has not used for long");
    put_below(v2, "sys/fs/cgroup/a/memory.max", "900000\n");
    put_below(v2, "sys/fs/cgroup/a/memory.current", "850000\n");
    TAP_OK(servet__cgroup_left(v2) == 50000, "an ancestor's limit, where that leaves less");
    put_below(v2, "sys/fs/cgroup/a/memory.stat", "inactive_file 250000\n");
    TAP_OK(servet__cgroup_left(v2) == 300000, "with files of its own to drop");
    put_below(v2, "sys/fs/cgroup/a/memory.max", "2000000\n");
    TAP_OK(servet__cgroup_left(v2) == 700000, "not where that leaves more");
    put_below(v2, "sys/fs/cgroup/a/memory.max", "max\n");
    put_below(v2, "sys/fs/cgroup/memory.max", "600000\n");
    put_below(v2, "sys/fs/cgroup/memory.current", "590000\n");
    TAP_OK(servet__cgroup_left(v2) == 10000, "one further up, past one without, to the first");
    put_below(v2, "sys/fs/cgroup/memory.current", "700000\n");
    TAP_OK(servet__cgroup_left(v2) == 1, "a limit that is used up leaves a byte, as 0 is none");
    put_below(v2, "sys/fs/cgroup/memory.max", NULL);
    put_below(v2, "sys/fs/cgroup/a/b/memory.current", NULL);
    put_below(v2, "sys/fs/cgroup/a/b/memory.stat", NULL);
    TAP_OK(servet__cgroup_left(v2) == 1000000, "without a file of what is used, or of what of it: all of the limit");
    put_below(v2, groups, "0::/elsewhere/x\n");
    put_below(v2, "sys/fs/cgroup/memory.max", "800000\n");
    TAP_OK(servet__cgroup_left(v2) == 100000, "a group named from outside a container: what is seen inside");
    put_below(v2, groups, "0::/");
    TAP_OK(servet__cgroup_left(v2) == 100000, "the first group itself, and no end of the line");
    memset(deep, 'd', sizeof deep);
    memcpy(deep, "0::/", 4);
    deep[sizeof deep - 1] = 0;
    for (i = 100; i + 1 < sizeof deep; i += 100) deep[i] = '/';
    put_below(v2, groups, deep);
    TAP_OK(servet__cgroup_left(v2) == 100000, "a name that is too long: what is known of those around it");
    put_below(v2, groups, "");
    TAP_OK(servet__cgroup_left(v2) == 0, "no group: none");
    put_below(v2, groups, NULL);
    TAP_OK(servet__cgroup_left(v2) == 100000, "no /proc: the outermost");

    mkdir(v1, 0700);
    put_below(v1, groups, "9:name=systemd:/\n4:memory:/x/y\n3:cpuset:/c\n0::/\n");
    put_below(v1, "sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "9223372036854771712\n");
    put_below(v1, "sys/fs/cgroup/memory/x/y/memory.usage_in_bytes", "5000\n");
    TAP_OK(servet__cgroup_left(v1) == 0, "version 1: a limit as large as can be is none");
    put_below(v1, "sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "20000\n");
    put_below(v1, "sys/fs/cgroup/memory/x/y/memory.stat",
              "cache 3000\ninactive_file 1000\nactive_file 1\ntotal_inactive_file 1000\n");
    TAP_OK(servet__cgroup_left(v1) == 16000, "version 1: its limit, less what it has but could drop");
    put_below(v1, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "30000\n");
    put_below(v1, "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "28000\n");
    TAP_OK(servet__cgroup_left(v1) == 2000, "version 1: an ancestor's");
    put_below(v1, "sys/fs/cgroup/memory/x/memory.stat", "cache 0\ninactive_file 0\ntotal_inactive_file 1000\n");
    TAP_OK(servet__cgroup_left(v1) == 3000, "version 1: which counts what is in groups below it apart");
    put_below(v1, "sys/fs/cgroup/memory.max", "1500\n");
    TAP_OK(servet__cgroup_left(v1) == 1500, "both versions at once: what the stricter one leaves");
    put_below(v1, groups, "3:cpuset:/c\n");
    TAP_OK(servet__cgroup_left(v1) == 0, "groups of other things: none");
}

static void test_quotas(void)
{
    const char *const groups = "proc/self/cgroup";
    char v2[sizeof dir + 64], v1[sizeof dir + 64];
    servet_host h;
    memset(&h, 0, sizeof h);
    snprintf(v2, sizeof v2, "%s/limits-2", dir);
    snprintf(v1, sizeof v1, "%s/limits-1", dir);
    mkdir(v2, 0700);
    mkdir(v1, 0700);
    put_below(v2, groups, "0::/slice/job\n");
    servet__host_limits(&h, v2);
    TAP_OK(h.quota_cpus == 0 && h.memory_bytes == 0, "no limits");
    put_below(v2, "sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
    put_below(v2, "sys/fs/cgroup/slice/cpu.max", "250000 100000\n");
    put_below(v2, "sys/fs/cgroup/cpu.max", "400000 100000\n");
    put_below(v2, "sys/fs/cgroup/slice/memory.max", "1000000\n");
    put_below(v2, "sys/fs/cgroup/slice/job/memory.max", "2000000\n");
    h.memory_bytes = 3e6;
    servet__host_limits(&h, v2);
    TAP_OK(h.quota_cpus == 2.5 && h.memory_bytes == 1e6, "the strictest of a group and those around it: %g CPUs",
           h.quota_cpus);
    memset(&h, 0, sizeof h);
    put_below(v1, groups, "4:memory:/x\n3:cpuacct,cpu:/x\n2:cpuset:/c\n0::/\n");
    put_below(v1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
    put_below(v1, "sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
    servet__host_limits(&h, v1);
    TAP_OK(h.quota_cpus == 0 && h.memory_bytes == 0, "version 1: -1 is none");
    put_below(v1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n");
    put_below(v1, "sys/fs/cgroup/memory/memory.limit_in_bytes", "7000\n");
    servet__host_limits(&h, v1);
    TAP_OK(h.quota_cpus == 0.5 && h.memory_bytes == 7000, "version 1, two controllers in one: %g CPUs", h.quota_cpus);
}
#endif

/* ---- inference from a profile ---------------------------------------------------------------- */

/* Three plateaus of 1, 4 and 20 ns up to 32 KiB and 1 MiB, sampled five times; what is shared by others (level 2,
 * the last) is of an effective size. */
static void made_up(servet_profile *p)
{
    double bytes[5 * 80], ns[5 * 80];
    uint64_t seed = 3;
    int i, n = 0;
    for (i = 0; i < 80; i++) {
        const double b = floor(1024 * exp2(i / 5.0) / 64 + 0.5) * 64, clean = b <= 32768 ? 1 : b <= 1048576 ? 4 : 20;
        int k;
        for (k = 0; k < 5; k++, n++) {
            bytes[n] = b;
            ns[n] = clean * (1 + 0.01 * servet_stats_random_unit(&seed));
        }
    }
    with_evidence(p);
    if (servet_fit_curve(&p->evidence->curve, bytes, ns, (size_t)n) < 0) abort();
    p->host.page_bytes = 4096;
}

typedef struct saving { const char *path; int failed; } saving;

static void *saves(void *of)
{
    saving *s = (saving *)of;
    int i;
    for (i = 0; i < 40; i++) s->failed += servet_profile_save(&two, s->path) < 0;
    return NULL;
}

static void test_saves(void)
{
    const char *path = in_dir("saved.json");
    saving here = { path, 0 }, there = { path, 0 };
    pthread_t thread;
    made_up(&two);
    if (pthread_create(&thread, NULL, saves, &there) != 0) {
        TAP_SKIP(1, "no threads");
        return;
    }
    saves(&here);
    pthread_join(thread, NULL);
    TAP_OK(here.failed + there.failed == 0 && servet_profile_load(anew(&one), path, NULL) == SERVET_OK,
           "two threads save to one file: %d of 80 fail", here.failed + there.failed);
    servet_profile_free(&two);
}

static void says(servet_profile *p, int source, int level, double bytes)
{
    servet_report *r = &p->host.report[p->host.report_count++];
    memset(r, 0, sizeof *r);
    r->source = source;
    r->level = level;
    r->bytes = bytes;
}

/* Structs filled by hand, of which a count is beyond what they have room for. */
static void test_overfull(void)
{
    static const char test[] =
        "{\"servet\":1,\"sharing\":{\"cpus\":[0,1],\"levels\":[{\"level\":2,\"bytes\":1000000}]},"
        "\"evidence\":{\"sharing_tests\":[{\"level\":0,\"cpu\":1,\"rounds\":2,\"others\":[0],\"limit_ns\":30,"
        "\"next_ns\":90}],\"sharing_samples\":{\"own_ns\":[10,10],\"read_ns\":[12,12]}}}";
    int k, refused = 0, status;
    for (k = 0; k < 6; k++) {
        with_evidence(&one);
        one.cores = (servet_cores *)zeros(sizeof *one.cores);
        one.sharing = (servet_sharing *)zeros(sizeof *one.sharing);
        one.contention = (servet_contention *)zeros(sizeof *one.contention);
        one.automaton = (servet_automaton *)zeros(sizeof *one.automaton);
        if (k == 0) one.cores->count = SERVET_CORES_MAX + 1;
        if (k == 1) one.cores->takes = -1;
        if (k == 2) one.sharing->cpus = SERVET_CORES_MAX + 1;
        if (k == 3) one.contention->cpus = one.contention->given = 2;
        if (k == 3) one.contention->given_group[0][0] = 32000;
        if (k == 4) one.automaton->points = 1;
        if (k == 4) one.automaton->point[0].trials = SERVET_AUTOMATON_TRIALS + 1;
        status = servet_profile_infer(&one);
        refused += status == (k < 5 ? SERVET_EINVAL : SERVET_EUNRESOLVED);
    }
    TAP_OK(refused == 6, "counts out of range are refused, nothing in all parts is not: %d of 6", refused);
    status = servet_profile_parse(anew(&one), test, sizeof test - 1, NULL);
    if (status >= 0) servet_profile_infer(&one);
    TAP_OK(status >= 0 && one.sharing && one.sharing->count == 1 && one.sharing->level[0].unknown == 2,
           "a test of sharing without its threshold asks for the usual one");
    for (k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text, "{\"servet\":1,\"sharing\":{\"cpus\":[0,1],\"levels\":[{\"level\":3}]},"
                 "\"evidence\":{\"sharing_tests\":[{\"level\":0,\"cpu\":1,\"rounds\":4,\"bytes\":4e6,%s"
                 "\"limit_ns\":40,\"next_ns\":140,\"llr\":8.7}],\"sharing_samples\":{\"own_ns\":[30,30,30,30],"
                 "\"read_ns\":[35,35,35,35]}}}", k ? "\"others\":[0]," : "\"cpus\":2,\"need\":2,");
        status = servet_profile_parse(anew(&one), text, strlen(text), NULL);
        if (status >= 0) servet_profile_infer(&one);
        TAP_OK(status >= 0 && one.sharing && one.sharing->tests == k
               && one.sharing->level[0].groups == k, k ? "lines handed on four times are one cache"
               : "a test of an older file, without others, is none");
    }
}

static void test_infer(void)
{
    size_t n, m;
    char *text, *again;
    int i, k;
    made_up(&one);
    says(&one, SERVET_REPORT_SYSFS, 1, 32768);
    says(&one, SERVET_REPORT_SYSFS, 2, 8388608);
    says(&one, SERVET_REPORT_SYSCTL, 2, 33554432);
    says(&one, SERVET_REPORT_SYSCONF, 1, 0);
    says(&one, SERVET_REPORT_CPUID, 1, 65536);
    says(&one, SERVET_REPORT_CPUID, 2, 262144);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2,
           "two levels from a curve made of three plateaus");
    TAP_OK(one.cache[0].lo_bytes <= 32768 && one.cache[0].hi_bytes >= 32768 && one.cache[0].hi_bytes < 40000
           && one.cache[1].lo_bytes <= 1048576 && one.cache[1].hi_bytes >= 1048576,
               "their sizes are in their intervals");
    TAP_NEAR(one.cache[0].latency_ns, 1.005, 0.006, "the first level's latency");
    TAP_NEAR(one.cache[1].latency_ns, 4.02, 0.006, "the second level's");
    TAP_NEAR(one.memory_ns, 20.1, 0.006, "memory's");
    TAP_OK(one.cache[0].system_verdict[SERVET_REPORT_SYSFS] == SERVET_VERDICT_AGREE,
           "what is reported as measured: agree");
    TAP_OK(one.cache[0].system_verdict[SERVET_REPORT_SYSCONF] == SERVET_VERDICT_OS_MISSING
           && one.cache[1].system_verdict[SERVET_REPORT_SYSCONF] == SERVET_VERDICT_OS_MISSING,
               "reported as 0, or not while others are: os_missing");
    TAP_OK(one.cache[0].system_verdict[SERVET_REPORT_CPUID] == SERVET_VERDICT_OS_WRONG,
           "reported twice as large: os_wrong");
    TAP_OK(one.cache[1].effective && one.cache[1].system_verdict[SERVET_REPORT_SYSFS] == SERVET_VERDICT_SHARED_LESS,
           "a last level reported larger: shared_less");
    TAP_OK(one.cache[1].system_verdict[SERVET_REPORT_SYSCTL] == SERVET_VERDICT_OS_WRONG,
           "sixteen times as large and more: os_wrong");
    TAP_OK(one.cache[1].system_verdict[SERVET_REPORT_CPUID] == SERVET_VERDICT_OS_WRONG, "reported smaller: os_wrong");
    TAP_OK(one.cache[0].system_verdict[SERVET_REPORT_SYSCTL] == SERVET_VERDICT_OS_MISSING
           && one.cache[0].system_bytes[SERVET_REPORT_SYSCTL] == 0, "reported of another level only: os_missing");
    TAP_OK(one.cache[0].verdict == SERVET_VERDICT_OS_WRONG && one.cache[1].verdict == SERVET_VERDICT_OS_WRONG,
           "the worst verdict is the level's");

    for (i = k = 0; i < one.evidence->curve.count; i++)    /* few points: a wide interval */
        if (one.evidence->curve.point[i].bytes < 28000 || one.evidence->curve.point[i].bytes > 55000)
            one.evidence->curve.point[k++] = one.evidence->curve.point[i];
    one.evidence->curve.count = k;
    servet_profile_infer(&one);
    TAP_OK(one.cache_count == 2 && one.cache[0].system_verdict[SERVET_REPORT_CPUID] == SERVET_VERDICT_OS_WRONG
           && one.cache[0].system_verdict[SERVET_REPORT_SYSFS] == SERVET_VERDICT_AGREE,
           "by a size in [%.0f, %.0f] 65536 are called wrong, and what is inside is not",
           one.cache[0].lo_bytes, one.cache[0].hi_bytes);
    made_up(&one);
    says(&one, SERVET_REPORT_SYSFS, 1, 32768);
    says(&one, SERVET_REPORT_CPUID, 1, 65536);
    servet_profile_infer(&one);
    TAP_OK(one.cache[0].system_verdict[SERVET_REPORT_SYSCTL] == SERVET_VERDICT_UNMEASURED
           && one.cache[0].system_bytes[SERVET_REPORT_SYSCTL] == -1, "a source that is not there: unmeasured");

    text = text_of(&one, &n);
    i = servet_profile_parse(anew(&two), text, n, NULL);
    memset(two.cache, 0, sizeof two.cache);    /* answers gone, the evidence is there */
    two.cache_count = two.doubtful_count = 0;
    two.memory_ns = 0;
    k = servet_profile_infer(&two);
    again = text_of(&two, &m);
    TAP_OK(i == SERVET_OK && k == SERVET_OK && n == m && !memcmp(text, again, n),
           "inferred again from the evidence in its text it says the same");
    free(text);
    free(again);

    for (i = 0; i < one.evidence->curve.count; i++)
        for (k = 0; k < 2; k++) one.evidence->curve.point[i].flags[k] = SERVET_NOISE_SWITCH;
    servet__mcalibrator_settle(&one.evidence->curve);
    servet_profile_infer(&one);
    TAP_OK(one.cache_count > 0 && one.cache[0].verdict == SERVET_VERDICT_OS_WRONG
           && one.cache[0].system_verdict[SERVET_REPORT_CPUID] == SERVET_VERDICT_OS_WRONG && !one.cache[0].unresolved,
           "of a run with 2 of 5 samples disturbed what is known all the same has its verdict");
    for (i = 0; i < one.evidence->curve.count; i++) one.evidence->curve.point[i].flags[2] = SERVET_NOISE_SWITCH;
    servet__mcalibrator_settle(&one.evidence->curve);
    servet_profile_infer(&one);
    TAP_OK(one.cache_count > 0 && one.cache[0].unresolved && one.cache[0].hi_bytes >= 2 * one.cache[0].bytes
           && one.cache[0].verdict != SERVET_VERDICT_OS_WRONG,
           "of one with 3 of 5 what only the curve shows has none: as much may be taken as is seen");
    TAP_NEAR(one.made.noisy_frac, 0.6, 1e-12, "their share");
    for (i = 0; i < one.evidence->curve.count; i++) for (k = 0; k < 3; k++) one.evidence->curve.point[i].flags[k] = 0;
    servet__mcalibrator_settle(&one.evidence->curve);
    one.made.cpu_frac = 0.55;
    servet_profile_infer(&one);
    TAP_OK(one.cache[0].verdict == SERVET_VERDICT_OS_WRONG,
           "nor does a CPU that ran others for half of the time take it");

    with_evidence(&one);
    one.cache_count = 2;
    TAP_OK(servet_profile_infer(&one) == SERVET_EUNRESOLVED && one.cache_count == 0,
           "of empty evidence there is no level");
    clear(&one);
    one.cache_count = 1;
    TAP_OK(servet_profile_infer(&one) == SERVET_EUNRESOLVED && one.cache_count == 1, "without any all stays as it was");
    TAP_OK(servet_profile_infer(NULL) == SERVET_EINVAL, "nor without a profile");
    for (i = -1, k = 0; i <= 5; i++) k += !strcmp(servet_text(SERVET_TEXT_VERDICT, i), "unknown");
    TAP_OK(k == 2 && !strcmp(servet_text(SERVET_TEXT_VERDICT, SERVET_VERDICT_SHARED_LESS), "shared_less")
           && !strcmp(servet_text(SERVET_TEXT_SOURCE, SERVET_SOURCE_OS), "os")
               && !strcmp(servet_text(SERVET_TEXT_SOURCE, 3), "unknown")
           && !strcmp(servet_text(SERVET_TEXT_REPORT, SERVET_REPORT_SYSCTL), "sysctl")
               && !strcmp(servet_text(SERVET_TEXT_REPORT, -1), "unknown"),
           "enumerations have their words, and nothing else has");
}

/* Counts of a cache of that many blocks and ways, which two runs filled. */
static servet_count counted(int blocks, int ways)
{
    servet_count c;
    int i;
    memset(&c, 0, sizeof c);
    c.unit_bytes = SERVET_COUNT_BLOCK;
    c.loads = 16;
    c.reach = 20.0 * blocks;
    c.runs = 2;
    for (i = 0; i < 2; i++) {
        c.run[i].resident_ns = 1;
        c.run[i].limit_ns = 2;
        c.run[i].evicted_ns = 4;
        c.run[i].full = 1;
        c.run[i].passes = 2;
        c.run[i].pass[0].kept = c.run[i].pass[1].kept = blocks;
    }
    for (i = 0; i < 4; i++) c.set_units[c.sets++] = ways;
    return c;
}

/* What was counted decides on sizes; the curve says how far levels are, and what is behind them. */
static void test_counts(void)
{
    int i;
    made_up(&one);
    one.evidence->count[one.evidence->counts++] = counted(12, 12);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2 && one.cache[0].bytes == 49152
           && one.cache[0].lo_bytes == 49152 && one.cache[0].hi_bytes == 49152 && one.cache[0].ways == 12
           && one.cache[0].method == SERVET_BY_COUNT, "a first level that was counted is as large as that");
    TAP_NEAR(one.cache[0].latency_ns, 1.005, 0.006, "as far as the curve says");
    TAP_OK(one.cache[1].method != SERVET_BY_COUNT && one.cache[1].lo_bytes <= 1048576
           && one.cache[1].hi_bytes >= 1048576, "and what lies behind it is the curve's");
    one.evidence->count[one.evidence->counts++] = counted(240, 16);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2 && one.cache[1].bytes == 240 * 4096.0
           && one.cache[1].ways == 16, "unless it was counted too");
    one.evidence->count[1].run[0].full = one.evidence->count[1].run[1].full = 0;
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2
           && one.cache[1].method != SERVET_BY_COUNT, "a count that did not end says nothing");
    one.evidence->count[1] = counted(240, 16);
    one.evidence->count[1].run[0].pass[1].kept = 200;
    one.evidence->count[1].run[2] = one.evidence->count[1].run[0];
    one.evidence->count[1].run[3] = one.evidence->count[1].run[1];
    one.evidence->count[1].runs = 4;
    one.evidence->count[1].run[4] = one.evidence->count[1].run[0];
    one.evidence->count[1].runs = 5;
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[1].bytes == 240 * 4096.0 && one.cache[1].disturbed
           && one.cache[1].usual_bytes == 200 * 4096.0, "of which a neighbour had a part, mostly: what could be had");
    one.evidence->curve.count = 0;
    one.evidence->count[1] = counted(240, 16);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2 && one.memory_ns == 0,
           "counts alone tell levels, and nothing of memory");
    for (i = 0; i < 3; i++) {    /* the curve ends in the first level but for one sample */
        servet_point *q = &one.evidence->curve.point[i];
        memset(q, 0, sizeof *q);
        q->bytes = i == 2 ? 268435456 : 20480 + 8192 * i;
        q->sample_ns[0] = q->ns = q->lo_ns = q->hi_ns = i == 2 ? 110 : 1 + 0.01 * i;
        q->samples = 1;
    }
    one.evidence->curve.point[2].noisy = 1;
    for (i = 0; i < 4; i++) {
        const int slow = i < 2, far_ = i % 2;
        one.evidence->curve.count = far_ ? 3 : 2;
        one.evidence->curve.point[2].flags[0] = slow ? SERVET_NOISE_ANCHOR : SERVET_NOISE_SWITCH | SERVET_NOISE_ANCHOR;
        TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache_count == 2
               && one.memory_ns == (far_ && slow ? 110 : 0), "of %s sample that %s memory is %sknown", far_ ? "a far"
               : "no far", slow ? "a slow core took" : "lost time", far_ && slow ? "" : "not ");
    }
    one.evidence->curve.count = 3;    /* one of its samples lost no time */
    for (i = 0; i < 3; i++) {
        servet_point *q = &one.evidence->curve.point[2];
        q->sample_ns[i] = i == 1 ? 110 : 300 + i;
        q->flags[i] = SERVET_NOISE_ANCHOR | (i == 1 ? 0 : SERVET_NOISE_SWITCH);
        q->samples = q->noisy = i + 1;
        q->ns = 301;
    }
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.memory_ns == 110 && one.memory_hi_ns == 110,
           "those that lost time do not count beside it");
    for (i = 0; i < 3; i++) one.evidence->curve.point[2].sample_ns[i] = 15;
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.memory_ns == 0, "memory is no nearer than it can be");
}

/* Reference chains of counts: so many runs of two levels, with what the chains took in each. */
static void chained(const double *cycles, int runs)
{
    int i;
    made_up(&one);
    one.evidence->count[one.evidence->counts++] = counted(10, 10);
    one.evidence->count[one.evidence->counts++] = counted(240, 16);
    for (i = 0; i < runs; i++) {
        servet_count *c = &one.evidence->count[i % 2];
        if (i > 1) c->run[i / 2] = c->run[0];
        c->run[i / 2].anchor_cycles = cycles[i];
        c->runs = i / 2 + 1;
    }
}

/* Who was there all the time may have kept a part of what was counted. */
static void test_chains_of_counts(void)
{
    static const double low[] = { 1, 1.015, 1.015, 1.022, 1.022, 1.022, 1.022, 1.023, 1.023, 1.023, 1.024, 1.024 };
    static const double later[] = { 1, 1.007, 1.016, 1.415, 1.498, 1.606, 1.667, 1.703, 1.735, 1.74 };
    static const double beside[] = { 1, 1.002, 1.137, 1.23, 1.256, 1.273, 1.295, 1.318, 1.324, 1.334, 1.342, 1.342 };
    static const double keeps[] = { 1, 1, 1.15, 1, 1.02, 1, 1.02, 1, 1.13, 1, 1, 1, 1.02, 1, 1.01, 1, 1, 1 };
    static const double paused[] = { 1, 1.002, 1.003, 1.23, 1.256, 1.273, 1.295, 1.318, 1.324, 1.334, 1.342, 1.342 };
    int i;
    chained(low, 12);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 40960,
           "of reference chains one is too low: the count is exact");
    chained(later, 10);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 40960,
           "a neighbour came later: the count is exact");
    chained(beside, 12);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 81920,
           "he was there all the time: he may have as much");
    chained(keeps, 18);
    for (i = 0; i < 9; i++) one.evidence->count[0].run[i].patient = i == 0 || i > 4;    /* his evictions, or own ones */
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 51200,
           "two of nine runs seem undisturbed, two are slowed: a quarter more");
    for (i = 1; i < 5; i += 3) {
        one.evidence->count[0].run[i].patient = 1;
        one.evidence->count[0].run[i].anchor_cycles = 1;
    }
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 40960, "none is slowed: exact");
    chained(paused, 12);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 81920, "or but for a moment");
    one.evidence->resident.count = 3;
    for (i = 0; i < 5; i++) {    /* nothing was held */
        servet_resident_point *p = &one.evidence->resident.point[i];
        memset(p, 0, sizeof *p);
        p->bytes = 4194304;
        p->anchor_cycles = 1.001;
    }
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 40960,
           "unless draws of a later level were without him, too: two runs are undisturbed");
    one.evidence->resident.count = 5;
    for (i = 0; i < 5; i++) one.evidence->resident.point[i].anchor_cycles = 0.985;
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.cache[0].hi_bytes == 81920,
           "not where these agree with each other alone: at one moment he slows all alike");
}

static void add_stream(int series, double bytes, double chase_bytes, double chase_ns, double gap_ns)
{
    servet_bandwidth_point *q = &one.evidence->streams.point[one.evidence->streams.count++];
    int k;
    memset(q, 0, sizeof *q);
    q->series = series;
    q->kernel = SERVET_STREAM_LOAD;
    q->cpus = 1;
    q->bytes = bytes;
    q->chase_bytes = chase_bytes;
    q->gap_ns = gap_ns;
    for (k = 0; k < 5; k++) {
        q->sample_bytes_per_s[k] = 1e10;
        q->sample_chase_ns[k] = chase_ns;
    }
    q->samples = 5;
}

/* Where the curve does not reach memory, the chase beside idle CPUs says how far it is. */
static void test_beside_idle(void)
{
    made_up(&one);
    one.evidence->curve.count = 0;
    one.evidence->count[one.evidence->counts++] = counted(12, 12);
    one.evidence->count[one.evidence->counts++] = counted(240, 16);
    add_stream(SERVET_SERIES_KERNELS, 67108864, 0, 0, 0);
    add_stream(SERVET_SERIES_LOADED, 67108864, 67108864, 120, 500);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.memory_ns == 0 && one.bandwidth.loads == 1
           && one.bandwidth.rate[0].level == -1, "beside busy CPUs memory is not known");
    add_stream(SERVET_SERIES_LOADED, 67108864, 67108864, 95, -1);
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.memory_ns == 95 && one.bandwidth.loads == 2
           && one.bandwidth.rate[0].level == 0, "beside idle ones it is, and rates are of it");
    one.evidence->streams.point[2].chase_bytes = 524288;
    TAP_OK(servet_profile_infer(&one) == SERVET_OK && one.memory_ns == 0, "not by what the last level holds");
    one.evidence->streams.point[2].chase_bytes = 67108864;
    one.evidence->counts = one.evidence->curve.count = 0;
    one.cache_count = 0;
    TAP_OK(servet_profile_infer(&one) == SERVET_EUNRESOLVED && one.memory_ns == 0, "nor where no level is known");
}

/* ---- the system's words ---------------------------------------------------------------------- */

/* Entries that CPUID tells of a level, for a size of page; 0 = nothing. */
static int told(const servet_host *h, int level, double page_bytes)
{
    int i, entries = 0;
    for (i = 0; i < h->tlb_report_count; i++)
        if (h->tlb_report[i].level == level && h->tlb_report[i].page_bytes == page_bytes)
            entries += h->tlb_report[i].entries;
    return entries;
}

/* Registers as processors give them. */
static void test_tlb_reports(void)
{
    static const unsigned none[2] = { 0, 0 };
    static const unsigned zen5[2][2] = { { 0xff60ff40u, 0xff60ff40u }, { 0x40802040u, 0x60804040u } };
    static const unsigned zen2[3][2] = { { 0xff40ff40u, 0xff40ff40u }, { 0x48006400u, 0x68006400u },
                                         { 0xf040f040u, 0xf0400000u } };
    static const unsigned k8[2][2] = { { 0xff08ff08u, 0xff20ff20u }, { 0, 0x42004200u } };
    static const unsigned sandy_bridge[4] = { 0x76035a01u, 0x00f0b0ffu, 0, 0x00ca0000u };
    static const unsigned skylake[4] = { 0x76036301u, 0x00f0b5ffu, 0, 0x00c30000u };
    servet_host h;
    unsigned word[4] = { 0x80035a01u, 0xffffffffu, 0, 0x80ca0000u };
    double m2 = 2097152, g1 = 1073741824;
    memset(&h, 0, sizeof h);
    servet__report_tlb_amd(&h, none, none, none, 0);
    servet__report_tlb_leaf2(&h, word);
    TAP_OK(h.tlb_report_count == 0, "nothing comes of nothing, nor of words marked as none");
    servet__report_tlb_amd(&h, zen2[0], zen2[1], zen2[2], 0);
    TAP_OK(told(&h, 1, 4096) == 64 && told(&h, 2, 4096) == 2048 && told(&h, 1, m2) == 64 && told(&h, 2, m2) == 2048
           && told(&h, 1, g1) == 64 && told(&h, 2, g1) == 64 && h.tlb_report[0].ways == 64, "AMD Zen 2");
    memset(&h, 0, sizeof h);
    servet__report_tlb_amd(&h, zen5[0], zen5[1], none, 0x4000);
    TAP_OK(told(&h, 1, 4096) == 96 && told(&h, 2, 4096) == 4096 && told(&h, 2, m2) == 4096,
           "AMD Zen 5 counts the second level in units of 32");
    memset(&h, 0, sizeof h);
    servet__report_tlb_amd(&h, zen5[0], zen5[1], none, 0);
    TAP_OK(told(&h, 1, 4096) == 96 && told(&h, 2, 4096) == 128, "which a guest cannot know where that bit is hidden");
    memset(&h, 0, sizeof h);
    servet__report_tlb_amd(&h, k8[0], k8[1], none, 0);
    TAP_OK(told(&h, 1, 4096) == 32 && told(&h, 2, 4096) == 512 && told(&h, 1, m2) == 8 && told(&h, 2, m2) == 0,
           "AMD K8, without a second level for large pages");
    memset(&h, 0, sizeof h);
    servet__report_tlb_leaf18(&h, 0x00040001u, 16, 0x00004024u);      /* loads, 4 KiB: 64 */
    servet__report_tlb_leaf18(&h, 0x00100001u, 1, 0x00004125u);       /* stores alone */
    servet__report_tlb_leaf18(&h, 0x00080001u, 8, 0x00004022u);       /* instructions */
    servet__report_tlb_leaf18(&h, 0x00080007u, 128, 0x00004043u);     /* 4 KiB and 2 MiB: 1024 */
    servet__report_tlb_leaf18(&h, 0x00080009u, 128, 0x00004043u);     /* 4 KiB and 1 GiB: 1024 */
    TAP_OK(told(&h, 1, 4096) == 64 && told(&h, 2, 4096) == 2048 && told(&h, 2, m2) == 1024 && told(&h, 2, g1) == 1024
           && h.tlb_report_count == 4, "Intel's leaf 0x18: what works side by side adds up, stores do not count");
    memset(&h, 0, sizeof h);
    servet__report_tlb_leaf2(&h, sandy_bridge);
    TAP_OK(told(&h, 1, 4096) == 64 && told(&h, 2, 4096) == 512 && told(&h, 1, m2) == 32,
           "Intel Sandy Bridge, by leaf 2");
    memset(&h, 0, sizeof h);
    servet__report_tlb_leaf2(&h, skylake);
    TAP_OK(told(&h, 1, 4096) == 64 && told(&h, 2, 4096) == 1536 && told(&h, 1, m2) == 32 && told(&h, 2, m2) == 1536
           && told(&h, 1, g1) == 4 && told(&h, 2, g1) == 16, "Skylake");
}

/* The verdict on what a source says of a level; -1 = no such finding, -2 = several. */
static int verdict(const servet_finding *f, int count, int what, int level, int source, double page_bytes)
{
    int i, found = -1;
    for (i = 0; i < count; i++)
        if (f[i].what == what && f[i].level == level && f[i].source == source && f[i].page_bytes == page_bytes)
            found = found == -1 ? f[i].verdict : -2;
    return found;
}

static void says_tlb(servet_profile *p, int level, double page_bytes, int entries)
{
    servet_tlb_report *r = &p->host.tlb_report[p->host.tlb_report_count++];
    r->source = SERVET_REPORT_CPUID;
    r->level = level;
    r->page_bytes = page_bytes;
    r->entries = entries;
}

static void has_tlb(servet_tlb *t, int entries, int lo, int hi)
{
    t->level[t->count].entries = entries;
    t->level[t->count].lo_entries = lo;
    t->level[t->count++].hi_entries = hi;
    t->seen_pages = 32768;
}

/* Where a source lists more levels than were found, or fewer, which is its report of? */
static void test_shifted(void)
{
    enum { FIT = SERVET_BY_MODEL, COUNT = SERVET_BY_COUNT, WRONG = SERVET_VERDICT_OS_WRONG };
    static const struct {
        const char *what;
        double found[5], said[5];       /* KiB, the last 0                                      */
        int    method[4], effective;    /* of the last                                          */
        int    level, verdict;
    } order[] = {
        { "one missed, another report fits", { 64, 2304 }, { 64, 256, 2304 }, { COUNT, FIT }, 0,
          2, SERVET_VERDICT_UNMEASURED },
        { "one missed, none fits", { 64, 2304 }, { 64, 256, 1152 }, { COUNT, FIT }, 0, 2, WRONG },
        { "one missed, in front: its report fits the level before", { 64, 256, 4096 }, { 32, 64, 256, 2048 },
          { COUNT, COUNT, FIT }, 0, 2, SERVET_VERDICT_UNMEASURED },
        { "one spurious, its report fits the next", { 64, 512, 5109, 8606 }, { 64, 512, 8704 },
          { COUNT, COUNT, FIT, FIT }, 0, 3, SERVET_VERDICT_UNMEASURED },
        { "one spurious, it fits none", { 64, 512, 5109, 8606 }, { 64, 512, 17408 },
          { COUNT, COUNT, FIT, FIT }, 0, 3, WRONG },
        { "one spurious, but a counted level is there", { 64, 512, 4200, 8606 }, { 64, 4096, 8704 },
          { COUNT, COUNT, FIT, FIT }, 0, 2, WRONG },
        { "one missed, a larger report may be shared", { 48, 3000 }, { 48, 1024, 36864 }, { COUNT, FIT }, 1,
          2, SERVET_VERDICT_UNMEASURED },
        { "one missed, and less than either says", { 48, 3000 }, { 48, 4096, 36864 }, { COUNT, FIT }, 1,
          2, SERVET_VERDICT_SHARED_LESS },
        { "as many as said", { 64, 512, 5109 }, { 64, 4096, 8704 }, { COUNT, FIT, FIT }, 0, 2, WRONG } };
    size_t i;
    int k;
    for (i = 0; i < sizeof order / sizeof *order; i++) {
        servet_profile_free(&one);
        memset(&one, 0, sizeof one);
        for (k = 0; order[i].said[k] > 0; k++) says(&one, SERVET_REPORT_SYSFS, k + 1, 1024 * order[i].said[k]);
        for (k = 0; order[i].found[k] > 0; k++) {
            servet_cache *c = &one.cache[one.cache_count++];
            c->bytes = 1024 * order[i].found[k];
            c->lo_bytes = 0.95 * c->bytes;
            c->hi_bytes = 1.05 * c->bytes;
            c->method = order[i].method[k];
            c->system_bytes[SERVET_REPORT_SYSFS] = 1024 * order[i].said[k];
        }
        one.cache[one.cache_count - 1].effective = order[i].effective;
        TAP_OK(servet__profile_verdict(&one, order[i].level, SERVET_REPORT_SYSFS) == order[i].verdict,
               "levels of a source: %s", order[i].what);
    }
    memset(&one, 0, sizeof one);
}

static void test_check(void)
{
    enum { sysfs = SERVET_REPORT_SYSFS, sysconf_ = SERVET_REPORT_SYSCONF, cpuid = SERVET_REPORT_CPUID };
    servet_finding f[SERVET_FINDINGS_MAX];
    servet_tlbs kept;
    servet_cache first;
    int n, i;
    made_up(&one);
    says(&one, sysfs, 1, 32768);
    one.host.report[0].ways = 8;
    one.host.report[0].line_bytes = 64;
    says(&one, sysfs, 2, 131072);
    one.host.report[1].ways = 16;
    one.host.report[1].line_bytes = 64;
    says(&one, sysfs, 3, 1048576);
    one.host.report[2].line_bytes = 128;
    says(&one, sysconf_, 1, 32768);
    says(&one, cpuid, 1, 32768);
    one.host.report[4].ways = 12;
    one.host.report[4].line_bytes = 128;
    says(&one, SERVET_REPORT_SYSCTL, 1, 32768);
    servet_profile_infer(&one);
    one.cache[0].ways = 8;    /* as if counted */
    one.cache[0].lo_bytes = one.cache[0].hi_bytes = one.cache[0].bytes;
    one.line.line_bytes = 64;
    one.line.lo_bytes = one.line.hi_bytes = 64;
    one.host.huge_page_bytes = 2097152;
    says_tlb(&one, 1, 4096, 64);
    says_tlb(&one, 2, 4096, 1536);
    says_tlb(&one, 1, 2097152, 32);
    says_tlb(&one, 1, 1073741824, 4);
    has_tlb(&one.tlb.small, 64, 64, 64);
    has_tlb(&one.tlb.small, 3050, 2950, 3100);
    has_tlb(&one.tlb.large, 32, 32, 32);
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_BYTES, 1, sysfs, 0) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_BYTES, 2, sysfs, 0) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_BYTES, 3, sysfs, 0) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_BYTES, 2, sysconf_, 0) == SERVET_VERDICT_OS_MISSING,
           "check: sizes; of three levels said and two found, that which is nearer to another gets no verdict");
    TAP_OK(verdict(f, n, SERVET_FINDING_WAYS, 1, sysfs, 0) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_WAYS, 1, sysconf_, 0) == SERVET_VERDICT_OS_MISSING
           && verdict(f, n, SERVET_FINDING_WAYS, 1, cpuid, 0) == SERVET_VERDICT_OS_WRONG
           && verdict(f, n, SERVET_FINDING_WAYS, 1, SERVET_REPORT_SYSCTL, 0) == -1
           && verdict(f, n, SERVET_FINDING_WAYS, 2, sysfs, 0) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_WAYS, 2, cpuid, 0) == -1, "check: ways, which a sysctl has no words for");
    one.host.report[4].ways = 9;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_WAYS, 1, cpuid, 0) == SERVET_VERDICT_OS_WRONG, "check: 9 ways are not 8");
    one.cache[0].lo_bytes = 0.8 * one.cache[0].bytes;
    one.cache[0].hi_bytes = 1.2 * one.cache[0].bytes;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    for (i = 0; i < n && !(f[i].what == SERVET_FINDING_WAYS && f[i].source == cpuid); i++) { }
    TAP_OK(i < n && f[i].verdict == SERVET_VERDICT_AGREE && f[i].lo == 7 && f[i].hi == 9,
           "check: of a level that may be a fifth larger or smaller 7 to 9, whole ones");
    one.cache[0].lo_bytes = one.cache[0].hi_bytes = one.cache[0].bytes;
    TAP_OK(verdict(f, n, SERVET_FINDING_LINE, 1, sysfs, 0) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_LINE, 1, sysconf_, 0) == SERVET_VERDICT_OS_MISSING
           && verdict(f, n, SERVET_FINDING_LINE, 1, cpuid, 0) == SERVET_VERDICT_OS_WRONG
           && verdict(f, n, SERVET_FINDING_LINE, 2, sysfs, 0) == -1
           && verdict(f, n, SERVET_FINDING_LINE, 3, sysfs, 0) == SERVET_VERDICT_UNMEASURED,
           "check: lines, of further levels where they differ");
    TAP_OK(verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 4096) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_ENTRIES, 2, cpuid, 4096) == SERVET_VERDICT_OS_WRONG
           && verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 2097152) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 1073741824) == SERVET_VERDICT_UNMEASURED,
           "check: TLBs; large pages that may be split get no verdict");
    first = one.cache[0];
    i = one.host.report_count;
    one.host.report_count = 0;    /* or levels said to be three, of which two are found, cross */
    one.cache[0].bytes = one.cache[0].lo_bytes = one.cache[0].hi_bytes = 24576;
    TAP_OK(servet__profile_verdict(&one, 1, sysfs) == SERVET_VERDICT_OS_WRONG, "check: another size than is said");
    one.cache[0].unresolved = 1;
    one.cache[0].lo_bytes = 16384;
    one.cache[0].hi_bytes = 49152;
    TAP_OK(servet__profile_verdict(&one, 1, sysfs) == SERVET_VERDICT_AGREE,
           "check: one that is unresolved does not contradict what is in its interval");
    one.cache[0].hi_bytes = 28672;
    TAP_OK(servet__profile_verdict(&one, 1, sysfs) == SERVET_VERDICT_OS_WRONG, "check: but what is not");
    one.cache[0] = first;
    one.host.report_count = i;
    kept = one.tlb;
    one.tlb.small.level[0].entries = 51;
    one.tlb.small.level[0].lo_entries = 48;
    one.tlb.small.level[0].hi_entries = 72;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 4096) != SERVET_VERDICT_OS_WRONG,
           "check: a TLB that seems smaller only where a neighbour may have had entries contradicts nobody");
    one.tlb.small.level[0].hi_entries = 54;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 4096) == SERVET_VERDICT_OS_WRONG,
           "check: one that is known to be smaller does");
    one.tlb = kept;
    one.tlb.backing = SERVET_BACKING_WHOLE;
    one.tlb.small.count = 1;
    one.tlb.small.level[0].entries = 1500;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 4096) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_ENTRIES, 2, cpuid, 4096) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_ENTRIES, 1, cpuid, 2097152) == SERVET_VERDICT_AGREE,
           "check: where one TLB of two was found, it is that which it is nearest to; whole large pages");
    for (i = 0; i < n && servet_profile_check(f, i, &one) == SERVET_ESPACE; i++) { }
    TAP_OK(i == n && servet_profile_check(NULL, 9, &one) == SERVET_EINVAL
           && servet_profile_check(f, 9, NULL) == SERVET_EINVAL, "check: too little room for %d is told", n);
    one.cache[0].lo_bytes = 0.85 * one.cache[0].bytes;
    one.cache[0].hi_bytes = 1.15 * one.cache[0].bytes;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_WAYS, 1, cpuid, 0) == SERVET_VERDICT_AGREE,
           "check: but they may be, where the size is known to 15 %%");
    one.made.noisy_frac = 0.9;
    TAP_OK(servet_profile_check(&f[n], SERVET_FINDINGS_MAX - n, &one) == n && !memcmp(f, &f[n], (size_t)n * sizeof *f),
           "check: a disturbed run has the same verdicts");
    made_up(&one);
    says(&one, sysfs, 1, 1048576);    /* one level is said, two are found */
    says(&one, sysconf_, 1, 32768);
    says(&one, cpuid, 1, 65536);
    says(&one, cpuid, 2, 1048576);
    servet_profile_infer(&one);
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
    TAP_OK(verdict(f, n, SERVET_FINDING_BYTES, 1, sysfs, 0) == SERVET_VERDICT_OS_WRONG
           && verdict(f, n, SERVET_FINDING_BYTES, 2, sysfs, 0) == SERVET_VERDICT_UNMEASURED
           && verdict(f, n, SERVET_FINDING_BYTES, 1, sysconf_, 0) == SERVET_VERDICT_AGREE
           && verdict(f, n, SERVET_FINDING_BYTES, 2, sysconf_, 0) == SERVET_VERDICT_OS_MISSING
           && verdict(f, n, SERVET_FINDING_BYTES, 1, cpuid, 0) == SERVET_VERDICT_OS_WRONG,
           "check: of levels that may have been taken for each other nothing is said, but of the first");
    for (i = 1; i < 300; i++) {
        any_profile(&one, (uint64_t)i);
        n = servet_profile_check(f, SERVET_FINDINGS_MAX, &one);
        if (n < 0 || n > SERVET_FINDINGS_MAX) break;
    }
    TAP_OK(i == 300 && !strcmp(servet_text(SERVET_TEXT_FINDING, SERVET_FINDING_WAYS), "ways")
           && !strcmp(servet_text(SERVET_TEXT_FINDING, SERVET_FINDINGS), "unknown"),
           "check: numbers from nowhere do no harm");
}

static int no_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    (void)ctx; (void)n; (void)opts; (void)out;
    return SERVET_ENOMEM;
}

static double no_time(void *ctx) { (void)ctx; return 0; }

/* Draws of 1 to 16 MiB, of which a level of so many bytes held its part, once of each in turns with half of that. */
static void held_up(servet_profile *p, double bytes, int turns)
{
    servet_resident *e = &p->evidence->resident;
    int i, k, b;
    memset(e, 0, sizeof *e);
    e->before_bytes = 32768;
    for (k = 0; k < 4; k++)
        for (i = 0; i <= 8; i++) {
            servet_resident_point *q = &e->point[e->count++];
            const double there = k > 0 && turns ? bytes / 2 : bytes;
            q->bytes = 4096 * floor(256 * exp2(i / 2.0));
            for (b = 0; b < SERVET_RESIDENT_BINS; b++)
                q->ns[b] = (b + 0.5) / SERVET_RESIDENT_BINS * q->bytes < there ? 5 : 25;
        }
}

/* A last level as a curve has it, and as it was held. */
static void test_held(void)
{
    static servet_profile p;
    servet_resident_point *q;
    servet_count *c;
    int i;
    made_up(&p);    /* 32 KiB, 1 MiB */
    c = &p.evidence->count[0];
    memset(c, 0, sizeof *c);
    p.evidence->counts = 1;
    c->kind = SERVET_COUNT_CACHE;
    c->unit_bytes = 4096;
    c->loads = 64;
    c->runs = 2;
    for (i = 0; i < 2; i++) {
        c->run[i].full = 1;
        c->run[i].passes = 2;
        c->run[i].pass[0].kept = c->run[i].pass[1].kept = 8;
        c->run[i].resident_ns = 1;
        c->run[i].evicted_ns = 4;
    }
    says(&p, SERVET_REPORT_SYSFS, 2, 4194304);
    says(&p, SERVET_REPORT_SYSCONF, 2, 1e8);
    says(&p, SERVET_REPORT_CPUID, 2, 2e8);
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method != SERVET_BY_HELD && p.cache[1].bytes < 1500000,
           "a level counted, and one that the curve shows");
    held_up(&p, 4194304, 0);
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method == SERVET_BY_HELD && fabs(p.cache[1].bytes / 4194304 - 1) < 0.05
           && p.cache[1].usual_bytes == p.cache[1].bytes && !p.cache[1].unresolved && p.cache[1].effective
           && fabs(p.cache[1].lo_bytes - (0.9 * p.cache[1].bytes - 32768)) < 1
           && p.cache[1].system_verdict[SERVET_REPORT_SYSFS] == SERVET_VERDICT_AGREE,
           "held by all draws is more than the curve shows: had mostly, but for what the first level may hold of it");
    TAP_OK(fabs(p.memory_ns - p.cache[1].latency_ns - 20) < 1e-9 && p.memory_lo_ns < 20.2
           && p.memory_hi_ns >= p.memory_ns,
           "evicted loads take 20 ns more than resident ones: so does memory, of which the chase is a lower bound");
    held_up(&p, 4194304, 1);
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method == SERVET_BY_HELD && p.cache[1].unresolved
           && fabs(p.cache[1].bytes / 4194304 - 1) < 0.05 && fabs(p.cache[1].usual_bytes / 2097152 - 1) < 0.1
           && p.cache[1].lo_bytes < p.cache[1].usual_bytes && p.cache[1].lo_bytes > 0.85 * p.cache[1].usual_bytes
           && p.cache[1].hi_bytes >= 8000000, "but at few moments: half of it mostly, and more may be there");
    TAP_OK(p.cache[1].system_verdict[SERVET_REPORT_SYSCONF] == SERVET_VERDICT_SHARED_LESS
           && p.cache[1].system_verdict[SERVET_REPORT_CPUID] == SERVET_VERDICT_OS_WRONG,
           "a report is wrong that is sixteen times the most there may be");
    held_up(&p, 524288, 1);
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method != SERVET_BY_HELD && p.cache[1].bytes > 800000,
           "of less than the curve shows, at few moments, nothing is said");
    held_up(&p, 4194304, 0);
    for (i = 0; i < p.evidence->curve.count; i++) {
        servet_point *end = &p.evidence->curve.point[i];
        const double far_bytes = end->bytes;
        if (far_bytes > 1048576) *end = end[-1];
        end->bytes = far_bytes;
    }
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method == SERVET_BY_HELD && p.cache[1].latency_ns > 3 && p.memory_ns == 0,
           "a curve that ends on it tells nothing of memory");
    for (i = 0; i < p.evidence->curve.count; i++)
        if (p.evidence->curve.point[i].bytes > 65536) break;
    p.evidence->curve.count = i;
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].method == SERVET_BY_HELD && fabs(p.cache[1].bytes / 4194304 - 1) < 0.05
           && p.cache[1].latency_ns > 0 && p.seen_bytes == 0, "held where a curve shows nothing: a level");
    while (p.evidence->curve.point[p.evidence->curve.count - 1].bytes > 32768) p.evidence->curve.count--;
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && p.cache[1].latency_ns == 0, "its latency is not told without loads of the one before");
    q = &p.evidence->resident.point[0];
    q->bytes = 4 * 32768;
    for (i = 0; i < SERVET_RESIDENT_BINS / 4; i++) q->ns[i] = 3.5;
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 2 && fabs(p.cache[1].latency_ns - p.cache[0].latency_ns - 1.5) < 1e-9,
           "these take 1.5 ns less, whatever the timer takes");
    p.timer.step_ns = 10;
    servet_profile_infer(&p);
    TAP_OK(fabs(p.cache[1].lo_ns - p.cache[0].lo_ns) < 1e-9
           && fabs(p.cache[1].hi_ns - p.cache[0].hi_ns - 11.5) < 1e-9, "known to a step of the timer");
    held_up(&p, 1e9, 0);
    servet_profile_infer(&p);
    TAP_OK(p.cache_count == 1 && p.seen_bytes >= 16777216, "and none where all is held, but seen");
    p.evidence->resident.point[0].bytes = 67108864;
    for (i = 0; i < 2; i++) {
        servet_point *end = &p.evidence->curve.point[p.evidence->curve.count - 1 + !i];
        memset(end, 0, sizeof *end);
        end->bytes = i ? 268435456 : 209715200;
        end->sample_ns[0] = end->ns = end->lo_ns = end->hi_ns = 110;
        end->samples = 1;
        if (i == 0) p.evidence->curve.count++;
        servet_profile_infer(&p);
        TAP_OK(p.cache_count == 1 && p.seen_bytes > 66e6 && p.memory_ns == 110 * i, i ? "four times as large is"
               : "a chase three times as large as what was seen is not told to be of memory");
    }
}

/* A machine with a first level of 128 KiB and a second of 512, which counts what is asked of it. */
typedef struct stub { double seconds, lost_s, most_bytes; int calls, stop_after; } stub;

static int stub_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    stub *s = (stub *)ctx;
    const double bytes = (double)n * opts->line_bytes;
    memset(out, 0, sizeof *out);
    out->ns = bytes <= 131072 ? 1 : bytes <= 524288 ? 4 : 40;
    if (bytes > s->most_bytes) s->most_bytes = bytes;
    s->seconds += 1e-4;
    s->calls++;
    return SERVET_OK;
}

static double stub_seconds(void *ctx)
{
    stub *s = (stub *)ctx;
    const double now = s->seconds;
    s->seconds += s->lost_s;    /* after the first look at the clock */
    s->lost_s = 0;
    return now;
}

static int stub_stop(void *ctx)
{
    const stub *s = (const stub *)ctx;
    return s->stop_after && s->calls >= s->stop_after;
}

/* Others have the CPU for 40 % of the time. */
static double stub_ran(void *ctx) { return 0.6 * stub_seconds(ctx); }

/* A machine of which little is behind its last level by 256 MiB: one that evicts at random keeps
 * h = exp(-(1 - h) n / C) of a cycle of n. */
typedef struct far_stub {
    double bytes, memory_ns;    /* the last level, 0 = none; what is behind it */
    double there_bytes;         /* memory it has, 0 = any */
    double disturbed_bytes;     /* of which the first sample is twice too long, 0 = none */
    double most_bytes, seconds;
    int    refused;
} far_stub;

static int far_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    far_stub *s = (far_stub *)ctx;
    const double bytes = (double)n * opts->line_bytes;
    double hits = s->bytes > bytes;
    int i;
    memset(out, 0, sizeof *out);
    if (s->there_bytes > 0 && bytes > s->there_bytes) {
        s->refused++;
        return SERVET_ENOMEM;
    }
    for (i = 0; i < 1000 && s->bytes > 0 && s->bytes <= bytes; i++) hits = exp(-(1 - hits) * bytes / s->bytes);
    out->ns = bytes <= 49152 ? 1 : bytes <= 2097152 ? 4 : 33 * hits + s->memory_ns * (1 - hits);
    if (bytes == s->disturbed_bytes) {
        out->ns *= 2;
        s->disturbed_bytes = 0;
    }
    if (bytes > s->most_bytes) s->most_bytes = bytes;
    s->seconds += 1e-4 + (double)n * 8e-9;
    return SERVET_OK;
}

static double far_seconds(void *ctx) { return ((far_stub *)ctx)->seconds; }

/* The profile of it in two, and how far it was asked to go, in MiB. */
static double far_measure(far_stub *s, double mib, double memory_ns, double hi_mib, double budget_s)
{
    servet_machine m;
    servet_profile_opts o;
    memset(&m, 0, sizeof m);
    memset(&o, 0, sizeof o);
    zero(&two);
    s->bytes = mib * 1048576;
    s->memory_ns = memory_ns;
    s->most_bytes = s->seconds = s->refused = 0;
    m.ctx = s;
    m.chase = far_chase;
    m.seconds = far_seconds;
    o.run.budget_s = budget_s;
    o.hi_bytes = hi_mib * 1048576;
    o.parts = SERVET_PART_CACHES;
    o.machine = &m;
    return servet_profile_calibrate(&two, &o) == SERVET_OK ? s->most_bytes / 1048576 : -1;
}

static void test_far(void)
{
    const servet_cache *last = two.cache + 2;
    const double sizes[] = { 120, 168, 200, 240, 290 };
    double most;
    size_t i;
    far_stub s;
    int empty = 0, k;
    memset(&s, 0, sizeof s);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        most = far_measure(&s, sizes[i], 120, 0, 4);
        TAP_OK(most >= 2.4 * sizes[i] && most < 5 * sizes[i] && two.cache_count == 3
               && fabs(last->bytes / s.bytes - 1) < 0.05 && last->lo_bytes <= s.bytes && s.bytes <= last->hi_bytes
               && two.evidence->curve.point[two.evidence->curve.count - 1].bytes == s.most_bytes,
               "a last level of %.0f MiB is followed until it is left behind, to %.0f MiB: %.0f MiB", sizes[i], most,
               last->bytes / 1048576);
    }
    most = far_measure(&s, 504, 120, 0, 4);
    TAP_OK(most > 1000 && most <= 1024 && two.cache_count == 3 && fabs(last->bytes / s.bytes - 1) < 0.1,
           "one of which 256 MiB show nothing too, as no memory is so fast: to %.0f MiB, %.0f MiB", most,
           last->bytes / 1048576);
    TAP_OK(far_measure(&s, 32, 120, 0, 4) <= 256 && s.most_bytes > 255e6 && two.cache_count == 3
           && fabs(last->bytes / s.bytes - 1) < 0.05, "one of 32 MiB is not measured beyond 256 MiB");
    s.disturbed_bytes = 268435456;
    most = far_measure(&s, 32, 120, 0, 4);
    TAP_OK(most > 255 && most <= 256 && s.disturbed_bytes == 0, "nor for the sake of one sample that was disturbed");
    TAP_OK(far_measure(&s, 0, 60, 0, 4) <= 256 && two.cache_count == 2, "nor memory right behind the second level");
    TAP_OK(far_measure(&s, 168, 120, 256, 4) <= 256 && s.most_bytes > 255e6
           && far_measure(&s, 168, 120, 300, 4) <= 300 && s.most_bytes > 255e6,
           "no further than somebody said, though it be needed");
    TAP_OK(far_measure(&s, 168, 120, 0, 1.4) <= 256 && s.most_bytes > 255e6, "nor in a short time");
    s.there_bytes = 400 * 1048576.0;
    most = far_measure(&s, 168, 120, 0, 4);
    for (k = 0; k < two.evidence->curve.count; k++) empty += two.evidence->curve.point[k].samples == 0;
    TAP_OK(most > 360 && most <= 400 && s.refused == 1 && empty == 0 && two.cache_count == 3
           && fabs(last->bytes / s.bytes - 1) < 0.1, "where memory ends, what was measured stands (%.0f MiB, %.0f MiB)",
           most, last->bytes / 1048576);
}

static void test_measure(void)
{
    servet_machine m;
    servet_profile_opts o;
    stub s;
    int status;
    memset(&m, 0, sizeof m);
    m.ctx = &s;
    m.chase = stub_chase;
    m.seconds = stub_seconds;
    memset(&s, 0, sizeof s);
    quick(&o);
    o.machine = &m;
    o.run.budget_s = 2;
    zero(&two);
    status = servet_profile_calibrate(&two, &o);
    TAP_OK(status == SERVET_OK && two.cache_count == 2 && two.cache[0].lo_bytes <= 131072
           && two.cache[0].hi_bytes >= 131072
           && two.cache[1].lo_bytes <= 524288 && two.cache[1].hi_bytes >= 524288,
               "the levels of a simple machine are found");
    TAP_OK(s.most_bytes > 0 && s.most_bytes <= o.hi_bytes, "and never more than hi_bytes is asked of it (%.0f)",
           s.most_bytes);
    TAP_OK(two.made.cpu_frac == 0, "a machine that cannot tell who had its CPU says nothing of it");
    m.ran = stub_ran;
    memset(&s, 0, sizeof s);
    zero(&two);
    status = servet_profile_calibrate(&two, &o);
    TAP_OK(status == SERVET_OK && fabs(two.made.cpu_frac - 0.6) < 0.01,
           "one that can says that others had it for 40 %% of the time (%.2f)", two.made.cpu_frac);
    m.ran = NULL;
    memset(&s, 0, sizeof s);
    s.stop_after = 5;
    o.run.stop = stub_stop;
    o.run.ctx = &s;
    zero(&two);
    status = servet_profile_calibrate(&two, &o);
    TAP_OK(status == SERVET_OK && s.calls == 5 && two.evidence->curve.taken == 5 && two.made.stopped
           && !two.made.converged,
           "stopped after 5 samples it keeps 5, and says so");
    memset(&s, 0, sizeof s);
    o.run.stop = NULL;
    o.run.budget_s = 0.25;
    s.lost_s = 0.3;
    zero(&two);
    status = servet_profile_calibrate(&two, &o);
    TAP_OK(status == SERVET_OK && two.evidence->curve.count > 0,
           "a start-up that is put to sleep for all of its budget still gets something (%s)",
           servet_status_text(status));
}

/* Four CPUs with 32 KiB and 256 KiB of their own, which may be two pairs of siblings that share these, and 4 MiB. */
typedef struct crowd {
    double seconds, stop_s, most_s;
    uint64_t seed;
    int    siblings, apart, calls, most_cpus;
} crowd;

static double crowd_ns(crowd *c, double bytes, int sharers, double all_bytes)
{
    const double own = misses_of(sharers * bytes / 4096, 64, 8, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM);
    const double last = misses_of(all_bytes / 4096, 1024, 16, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM);
    c->seconds += 1e-3;
    c->calls++;
    return ((sharers * bytes <= 32768 ? 1 : 4) + 10 * own + 60 * last)
         * (1 + 0.01 * servet_stats_random_unit(&c->seed));
}

static int crowd_chase(void *ctx, size_t n, const servet_chase_opts *opts, servet_sample *out)
{
    const double bytes = (double)n * opts->line_bytes;
    memset(out, 0, sizeof *out);
    out->ns = crowd_ns((crowd *)ctx, bytes, 1, bytes);
    return SERVET_OK;
}

/* What the others walked comes from the last level, if all share it, else from memory; of the levels of one's own, if a
 * sibling walked it, and what one left there is evicted by a sibling. */
static int crowd_relay(void *ctx, const servet_relay *q, servet_sample *out)
{
    crowd *c = (crowd *)ctx;
    const double bytes = (double)q->n * q->chase.line_bytes;
    int i, r, siblings = 0;
    if (q->cpus > c->most_cpus) c->most_cpus = q->cpus;
    for (i = 0; i < q->cpus; i++) {
        if (q->cpu[i] < 0 || q->cpu[i] > 3) return SERVET_EPIN;
        siblings += i > 0 && c->siblings && q->cpu[i] % 2 == q->cpu[0] % 2;
    }
    for (r = 0; r < q->rounds; r++, out += q->cpus) {
        for (i = 0; i < q->cpus; i++) {
            memset(&out[i], 0, sizeof out[i]);
            out[i].ns = crowd_ns(c, bytes, 1, bytes);
        }
        if (q->between > 0 && siblings) out[0].ns = 4;
        else if (q->between == 0 && !siblings) out[0].ns = c->apart ? 74 : 14;
    }
    return SERVET_OK;
}

static double crowd_seconds(void *ctx) { return ((const crowd *)ctx)->seconds; }

static int crowd_stop(void *ctx)    /* in the middle of the first round, or where it is told */
{
    const crowd *c = (const crowd *)ctx;
    return (c->most_cpus > 1 && c->calls > 100 && c->seconds > 1e3) || (c->stop_s > 0 && c->seconds > c->stop_s);
}

/* 100 GB/s a CPU from its own 256 KiB, 50 from what all share, 12 from memory, which gives 30 to all of a node, and
 * half as much to those of another; non-temporal stores win beyond 8 MiB. */
static int crowd_bandwidth(void *ctx, const servet_streams *q, servet_stream_sample *out)
{
    crowd *c = (crowd *)ctx;
    const int far = q->memory == SERVET_MEMORY_NODE && q->cpu[0] / 2 != q->node;
    const double top = q->memory == SERVET_MEMORY_SPREAD ? 40e9 : far ? 15e9 : 30e9;
    int i, r;
    if (q->cpus > c->most_cpus) c->most_cpus = q->cpus;
    for (i = 0; i < q->cpus; i++) if (q->cpu[i] < 0 || q->cpu[i] > 3) return SERVET_EPIN;
    for (r = 0; r < q->rounds; r++)
        for (i = 0; i < q->streams; i++) {
            servet_stream_sample *x = &out[r * q->streams + i];
            const int beyond = q->bytes * q->cpus > 4194304;
            double rate = q->bytes <= 262144 ? q->cpus * 100e9 : !beyond ? q->cpus * 50e9
                        : servet__min(q->cpus * 12e9, top);
            if (q->stream[i].streaming) rate *= q->bytes / 2 < 8388608 ? 0.5 : 1.3;
            memset(x, 0, sizeof *x);
            if (q->chase_bytes > 0) {    /* what the others load takes the last level away; of memory 80 ns */
                rate = q->stream[i].gap_ns < 0 ? 0 : (q->cpus - 1) * 12e9 / (1 + q->stream[i].gap_ns / 1000);
                x->chase_ns = (far ? 1.5 : 1) * (1 + rate / 60e9) * 80 / 74
                            * crowd_ns(c, q->chase_bytes, 1,
                                       q->chase_bytes + (rate > 0 && !c->apart ? q->cpus - 1 : 0) * q->bytes);
            }
            x->bytes_per_s = rate * (1 + 0.01 * servet_stats_random_unit(&c->seed));
            x->vector = SERVET_VECTOR_256;
            c->seconds += 2e-3;
        }
    c->calls++;
    return SERVET_OK;
}

/* Up to eight loads under way. */
static int crowd_parallel(void *ctx, const servet_parallel *q, servet_sample *out)
{
    crowd *c = (crowd *)ctx;
    const double bytes = (double)q->n * q->chase.line_bytes, ns = bytes <= 32768 ? 1 : bytes <= 262144 ? 4 : 64;
    int i;
    for (i = 0; i < q->rounds * q->counts; i++) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].ns = ns / servet__min(q->chains[i % q->counts], 8) * (1 + 0.01 * servet_stats_random_unit(&c->seed));
    }
    c->seconds += 0.1;
    c->calls++;
    return SERVET_OK;
}

/* CPUs 0 and 1 are near each other, 2 and 3 too. */
static int crowd_handoff(void *ctx, const servet_handoff *q, servet_sample *out)
{
    crowd *c = (crowd *)ctx;
    int r, i;
    for (r = 0; r < q->rounds; r++)
        for (i = 0; i < q->pairs; i++) {
            servet_sample *x = &out[r * q->pairs + i];
            memset(x, 0, sizeof *x);
            x->ns = (q->cpu[2 * i] / 2 == q->cpu[2 * i + 1] / 2 ? 20 : 70) * (q->kind == SERVET_HANDOFF_CAS ? 0.5 : 1)
                  * (1 + 0.01 * servet_stats_random_unit(&c->seed));
            c->seconds += 2e-4;
        }
    c->calls++;
    return SERVET_OK;
}

/* Blocks of 64 bytes; who shares one waits for the others, but for loads. */
static int crowd_operate(void *ctx, const servet_operate *q, servet_sample *out)
{
    crowd *c = (crowd *)ctx;
    const int alone = q->operation == SERVET_OPERATE_READ || q->operation == SERVET_OPERATE_ADD
                   || q->operation == SERVET_OPERATE_WRITE;
    int r, i, k;
    if (q->cpus > c->most_cpus) c->most_cpus = q->cpus;
    for (r = 0; r < (q->rounds ? q->rounds : 1); r++)
        for (i = 0; i < q->cpus; i++) {
            servet_sample *x = &out[r * q->cpus + i];
            int others = 0, beside = 0;
            for (k = 0; k < q->cpus; k++) {
                const uint32_t a = q->offset ? q->offset[i] : 0, b = q->offset ? q->offset[k] : 0;
                others += k != i && a / 64 == b / 64;
                beside += k != i && c->siblings && q->cpu[k] % 2 == q->cpu[i] % 2;
            }
            memset(x, 0, sizeof *x);
            x->ns = (q->operation == SERVET_OPERATE_ADD ? 0.1 * (1 + beside) : alone ? 0.3 : 5 * (1 + 4 * others))
                  * (1 + 0.01 * servet_stats_random_unit(&c->seed));
            c->seconds += 1e-4;
        }
    c->calls++;
    return SERVET_OK;
}

static servet_node crowd_nodes[2];    /* of two CPUs each; none are offered while count is 0 */

static int crowd_measure(crowd *c, int parts, double budget_s, int cpus)
{
    servet_machine m;
    servet_profile_opts o;
    servet_cpus list;
    servet_host host;
    int i;
    memset(&m, 0, sizeof m);
    memset(&list, 0, sizeof list);
    quick(&o);
    for (i = 0; i < cpus; i++) servet_cpus_add(&list, i);
    c->seed = 1;
    m.ctx = c;
    m.chase = crowd_chase;
    m.seconds = crowd_seconds;
    m.relay = crowd_relay;
    m.bandwidth = crowd_bandwidth;
    m.parallel = crowd_parallel;
    m.handoff = crowd_handoff;
    m.operate = crowd_operate;
    m.bytes = o.hi_bytes = 67108864;
    if (crowd_nodes[0].cpus.count > 0) {
        o.node = crowd_nodes;
        o.nodes = 2;
    }
    o.run.budget_s = budget_s;
    o.run.most_s = c->most_s;
    o.parts = parts;
    o.cpus = cpus ? &list : NULL;
    o.run.stop = crowd_stop;
    o.run.ctx = c;
    zero(&two);
    memset(&host, 0, sizeof host);
    host.cpu_count = cpus;
    host.memory_bytes = 1e9;
    o.machine = &m;
    o.host = &host;
    return servet_profile_calibrate(&two, &o);
}

static const servet_rate *rate(int kernel, int streaming, int level, int cpus)
{
    int i;
    for (i = 0; i < two.bandwidth.count; i++) {
        const servet_rate *r = &two.bandwidth.rate[i];
        if (r->kernel == kernel && r->streaming == streaming && r->level == level && r->cpus == cpus) return r;
    }
    return NULL;
}

static int rate_is(int kernel, int streaming, int level, int cpus, double bytes_per_s)
{
    const servet_rate *r = rate(kernel, streaming, level, cpus);
    return r && r->lo_bytes_per_s <= r->bytes_per_s && r->bytes_per_s <= r->hi_bytes_per_s
        && fabs(r->bytes_per_s / bytes_per_s - 1) < 0.02;
}

/* Are the answers those of the evidence in a text of the profile, which comes back as it was? */
static int again_from_file(void)
{
    size_t n, m, n_;
    char *text = text_of(&two, &n_), *again;
    int alike = servet_profile_parse(anew(&one), text, n_, NULL) == SERVET_OK;
    memset(&one.bandwidth, 0, sizeof one.bandwidth);
    memset(one.chains, 0, sizeof one.chains);
    memset(one.node, 0, sizeof one.node);
    memset(one.streaming, 0, sizeof one.streaming);
    memset(&one.layers, 0, sizeof one.layers);
    memset(one.smt, 0, sizeof one.smt);
    one.chains_count = one.node_count = one.streaming_count = 0;
    one.cores_with_siblings = -1;
    for (n = 0; one.coherence && n < SERVET_BLOCK_PAIRS; n++) one.coherence->block[n].bytes = 0;
    if (one.coherence) memset(one.coherence->costs.growth, 0, sizeof one.coherence->costs.growth);
    if (one.contention) {       /* but for what was asked for, and the samples */
        servet_contention *c = one.contention;
        c->reference_bytes_per_s = c->lo_reference_bytes_per_s = c->hi_reference_bytes_per_s = c->noise_frac = 0;
        c->pairs = c->levels = c->layers = c->domains = c->gammas = c->scalings = 0;
        memset(c->own_bytes_per_s, 0, sizeof c->own_bytes_per_s);
        memset(c->pair_bytes_per_s, 0, sizeof c->pair_bytes_per_s);
        memset(c->overhead, 0, sizeof c->overhead);
        memset(c->level, 0, sizeof c->level);
        memset(c->group, 0, sizeof c->group);
        memset(c->domain, 0, sizeof c->domain);
        memset(c->gamma, 0, sizeof c->gamma);
        memset(c->scaling, 0, sizeof c->scaling);
    }
    servet_profile_infer(&one);
    again = text_of(&one, &m);
    alike &= n_ == m && !memcmp(text, again, m);
    free(text);
    free(again);
    return alike;
}

static void test_bandwidth(void)
{
    static const int parts = SERVET_PART_BANDWIDTH;
    const servet_node_rate *node = two.node;
    crowd c;
    int i, k, status, ok;
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 8, 4);
    TAP_OK(status == SERVET_OK && two.cache_count == 3 && two.bandwidth.count > 0,
           "asked for bandwidth alone, sizes are found first: %d levels, %d rates", two.cache_count,
           two.bandwidth.count);
    TAP_OK(c.seconds < 8 * 1.07 + 0.5, "in the time there was: %.2f s of 8", c.seconds);
    TAP_OK(rate_is(SERVET_STREAM_LOAD, 0, 1, 1, 100e9) && rate_is(SERVET_STREAM_COPY, 0, 2, 4, 400e9)
           && rate_is(SERVET_STREAM_LOAD, 0, 3, 1, 50e9) && rate_is(SERVET_STREAM_LOAD, 0, 3, 4, 200e9)
           && rate_is(SERVET_STREAM_UPDATE, 0, 0, 1, 12e9) && rate_is(SERVET_STREAM_TRIAD, 0, 0, 4, 30e9),
           "rates by level, by one CPU and by four");
    TAP_OK(rate_is(SERVET_STREAM_COPY, 1, 0, 1, 12e9 * 1.3) && !rate(SERVET_STREAM_COPY, 1, 1, 1),
           "non-temporal ones of memory alone");
    TAP_OK(rate(SERVET_STREAM_COPY, 0, 0, 1)->allocate_bytes_per_s > 17e9
           && rate(SERVET_STREAM_COPY, 0, 1, 1)->allocate_bytes_per_s == 0,
           "lines read before they are written count for memory alone");
    TAP_OK(two.bandwidth.growths == 1 && two.bandwidth.growth[0].fitted && two.bandwidth.growth[0].fit.enough == 3
           && two.bandwidth.growth[0].count == 4, "of four CPUs three are enough for memory");
    TAP_OK(two.bandwidth.loads >= 3 && two.bandwidth.loaded[0].bytes_per_s == 0
           && fabs(two.bandwidth.loaded[0].latency_ns - 80) < 1
           && two.bandwidth.loaded[two.bandwidth.loads - 1].latency_ns > 120, "latency beside loads");
    for (ok = two.chains_count == 8, i = 0; i < two.chains_count; i++)
        ok &= two.chains[i].mlp.lo_mlp <= 8.5 && two.chains[i].mlp.hi_mlp >= 7.5 && two.chains[i].level >= 0;
    TAP_OK(ok, "eight loads under way at each of %d", two.chains_count);
    TAP_OK(two.streaming_count == 2 && two.streaming[0].cpus == 1 && two.streaming[1].cpus == 4
           && two.streaming[0].lo_bytes < 8388608 && two.streaming[0].hi_bytes >= 8388608,
           "non-temporal copies win from 8 MiB on: %.3g [%.3g, %.3g]", two.streaming[0].bytes,
           two.streaming[0].lo_bytes, two.streaming[0].hi_bytes);
    TAP_OK(two.node_count == 0 && again_from_file(), "and the file tells all of it again from its evidence");

    for (i = 0; i < 2; i++) for (k = 0; k < 2; k++) servet_cpus_add(&crowd_nodes[i].cpus, 2 * i + k);
    crowd_nodes[1].id = 1;
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 10, 4);
    TAP_OK(status == SERVET_OK && two.node_count == 6 && node[0].node == 0 && node[1].node == 1 && node[2].node == -1
           && node[5].cpu_node == 1, "two nodes: from each to each, and to both in turn");
    TAP_OK(fabs(node[0].latency_ns - 80) < 1 && fabs(node[1].latency_ns - 120) < 1
           && fabs(node[0].all_triad_bytes_per_s / 24e9 - 1) < 0.02
           && fabs(node[3].all_load_bytes_per_s / 15e9 - 1) < 0.02 && again_from_file(),
           "what is near is faster, and to tell it the file is enough");
    memset(crowd_nodes, 0, sizeof crowd_nodes);
    TAP_OK(parse("{\"servet\":1,\"bandwidth\":{\"rates\":[{\"kernel\":\"load\"},7],\"loaded\":3},\"numa\":{},"
                 "\"streaming_store_bytes\":65536,\"evidence\":{\"streams\":{\"points\":[{\"series\":\"kernels\","
                 "\"cpus\":1,\"bytes\":64,\"bytes_per_s\":[1e308,-1,0]},{\"bytes\":0}]}}}") == SERVET_OK
           && two.bandwidth.count == 1 && two.node_count == 0 && two.streaming_count == 0
           && two.evidence->streams.count == 1
           && servet_profile_infer(&two) == SERVET_EUNRESOLVED, "what is of another type counts as absent");
}

static int streams_of(int series)
{
    int i, n = 0;
    for (i = 0; i < two.evidence->streams.count; i++) n += two.evidence->streams.point[i].series == series;
    return n;
}

static void test_bandwidth_in_part(void)
{
    static const int parts = SERVET_PART_BANDWIDTH;
    const int each = tap_runs(1, 3);    /* twelfth */
    double whole_s;
    crowd c;
    int i, status, ok;
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 8, 4);
    whole_s = c.seconds;
    for (ok = 1, i = 1; i < 12; i += each) {
        memset(&c, 0, sizeof c);
        c.stop_s = i * whole_s / 12;
        status = crowd_measure(&c, parts, 8, 4);
        ok &= status == SERVET_OK && two.made.stopped && !two.made.converged && c.seconds < c.stop_s + 0.7
            && again_from_file() && (two.bandwidth.count > 0) == (streams_of(SERVET_SERIES_KERNELS) > 0)
            && (two.streaming_count > 0) == (streams_of(SERVET_SERIES_STORES) >= 6);    /* three sizes, two sorts */
    }
    TAP_OK(ok, "stopped at any moment, what was known is kept and told as a part");

    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 5, 1);
    for (ok = 1, i = 0; i < two.bandwidth.count; i++) ok &= two.bandwidth.rate[i].cpus == 1;
    TAP_OK(status == SERVET_OK && two.bandwidth.count > 0 && ok && two.bandwidth.loads == 0
           && two.streaming_count == 1, "one CPU is measured alone");
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, 0, 8, 4);
    TAP_OK(status == SERVET_OK && two.bandwidth.count == 0 && two.evidence->streams.count == 0,
           "nothing of it where it was not asked for");
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts | SERVET_PART_CACHES | SERVET_PART_TLB, 20, 4);
    TAP_OK(status == SERVET_OK && two.cache_count == 3 && two.bandwidth.count > 0 && c.seconds < 20 * 1.07 + 0.5,
           "beside all else it takes its share: %.2f s of 20", c.seconds);
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 0.2, 4);
    TAP_OK(status == SERVET_OK && two.bandwidth.count > 0 && c.seconds < 2,
           "in a fifth of a second there is something, and not much later: %.2f s", c.seconds);
}

static int in_groups(const int16_t *group, int a, int b, int c, int d)
{
    return group[0] == a && group[1] == b && group[2] == c && group[3] == d;
}

/* Groups of all levels once more, from a file in which every CPU is in none. */
static int sharing_again(void)
{
    servet_sharing *x = two.sharing;
    const size_t size = sizeof x->level;
    servet_sharing_level *was = (servet_sharing_level *)malloc(size);
    int i, k, same = 1;
    if (!was) abort();
    memcpy(was, x->level, size);
    for (i = 0; i < x->count; i++) {
        x->level[i].groups = x->level[i].unknown = 0;
        for (k = 0; k < x->cpus; k++) {
            x->level[i].group[k] = -1;
            x->level[i].llr[k] = 0;
        }
    }
    servet_profile_infer(&two);
    for (i = 0; i < x->count; i++) {
        same &= x->level[i].groups == was[i].groups && x->level[i].unknown == was[i].unknown;
        for (k = 0; k < x->cpus; k++) same &= x->level[i].group[k] == was[i].group[k] && x->level[i].llr[k] > 4.5;
    }
    free(was);
    return same && x->count == 3 && x->tests > 3;
}

static void test_cores(void)
{
    static const int parts = SERVET_PART_CORES | SERVET_PART_COHERENCE;
    servet_contention *copy;
    servet_finding f[SERVET_FINDINGS_MAX];
    const servet_sharing_level *l;
    crowd c;
    int i, n, status, ok;
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 10, 4);
    TAP_OK(status == SERVET_OK && two.cores->count == 4 && two.cores->sound == 6 && two.cores->contaminated == 0
           && two.cache_count == 3, "of four CPUs all six pairs are sound, and caches are found first");
    TAP_OK(c.seconds < 10 * 1.07 + 0.5, "in the time there was: %.2f s of 10", c.seconds);
    TAP_OK(two.layers.count == 1 && in_groups(two.layers.group[0], 0, 0, 1, 1)
           && fabs(two.layers.layer[0].latency_ns - 20) < 1 && fabs(two.layers.outermost_ns - 70) < 1,
           "two pairs near each other");
    TAP_OK(two.cores_with_siblings == 0, "none of them threads of one core");
    for (ok = two.sharing->count == 3, l = two.sharing->level; l < two.sharing->level + two.sharing->count; l++)
        ok &= l->status == SERVET_OK && (l->level < 3 ? l->groups == 4 : in_groups(l->group, 0, 0, 0, 0));
    TAP_OK(ok, "the last level is shared by all, the others by none");
    TAP_OK(two.contention->cpus == 4 && two.contention->levels == 0
           && fabs(two.contention->reference_bytes_per_s / 12e9 - 1) < 0.05, "no pair slows each other at memory, ...");
    for (i = n = 0; i < two.contention->scalings; i++)
        n += two.contention->scaling[i].cpus == 4 && two.contention->scaling[i].enough == 3;
    TAP_OK(n == 1, "but of four CPUs three are enough for it");
    TAP_OK(two.coherence->blocks == 2 && two.coherence->block[0].bytes == 64 && two.coherence->block[1].bytes == 64
           && two.coherence->block[0].cpu[0] / 2 != two.coherence->block[0].cpu[1] / 2
           && two.coherence->block[1].cpu[0] / 2 == two.coherence->block[1].cpu[1] / 2,
           "blocks of 64 bytes, of a pair that is near and one that is far");
    TAP_OK(two.coherence->costs.count == 4 && two.coherence->costs.growth[SERVET_OPERATE_ATOMIC] > 10
           && two.coherence->costs.growth[SERVET_OPERATE_READ] < 1.1, "what operations cost by up to four");
    TAP_OK(again_from_file(), "and the file tells all of it again from its evidence");
    copy = (servet_contention *)malloc(sizeof *copy);
    if (!copy) abort();
    *copy = *two.contention;
    two.contention->sets = 0;
    servet_profile_infer(&two);
    two.contention->sets = copy->sets;
    TAP_OK(memcmp(two.contention, copy, sizeof *copy) == 0, "a file without samples keeps what it says");
    free(copy);
    says(&two, SERVET_REPORT_SYSFS, 2, 262144);
    two.host.report[0].shared_cpus = 2;
    says(&two, SERVET_REPORT_SYSFS, 3, 4194304);
    two.host.report[1].shared_cpus = 4;
    servet_profile_infer(&two);
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &two);
    TAP_OK(verdict(f, n, SERVET_FINDING_SHARED, 2, SERVET_REPORT_SYSFS, 0) == SERVET_VERDICT_OS_WRONG
           && verdict(f, n, SERVET_FINDING_SHARED, 3, SERVET_REPORT_SYSFS, 0) == SERVET_VERDICT_AGREE,
           "who shares is compared with what sysfs says, of every level");
    TAP_OK(sharing_again(), "who shares follows from the samples of the file alone, where its groups are blanked");
    for (i = 0; i < 4; i++) two.sharing->level[2].group[i] = (int16_t)i;
    two.sharing->level[2].groups = 4;
    two.cache[2].effective = 1;
    n = servet_profile_check(f, SERVET_FINDINGS_MAX, &two);
    TAP_OK(verdict(f, n, SERVET_FINDING_SHARED, 3, SERVET_REPORT_SYSFS, 0) == SERVET_VERDICT_OS_WRONG,
           "also where nobody found in the last level what another had just read");
    TAP_OK(parse("{\"servet\":1,\"cores\":{\"cpus\":[3,1,2],\"latency_ns\":[[50],[-7,1e300,5],3],\"contaminated\":"
                 "[[3,1],[1,9],[2],7],\"smt\":[[3,77],5],\"layers\":[{\"groups\":7}],\"outermost\":{},"
                 "\"roles\":[9,-1]},\"sharing\":{\"cpus\":[0,1],\"levels\":[{\"groups\":[[0],[0],[1]]}]},"
                 "\"contention\":{\"cpus\":[0],\"levels\":[{}],\"gammas\":[{\"a\":-5,\"b\":900}]},"
                 "\"coherence\":{\"blocks\":[{\"cpus\":[1]}],\"costs\":{\"read\":{\"points\":[{},{}]},"
                 "\"write\":{\"points\":[]}}},\"evidence\":{\"cores\":{\"siblings\":[{\"a\":-9,\"b\":99}]},"
                 "\"contention\":{\"pair_bytes_per_s\":[[-1]],\"given\":[{\"groups\":[[0]]}],\"sets\":[{},"
                 "{\"cpus\":[0,7,-1],\"bytes_per_s\":[0,-1,1e300,1]},{\"batch\":-5,\"cpus\":[0]}]},"
                 "\"sharing_tests\":[{\"level\":0,\"cpu\":1,\"rounds\":3,\"others\":[0],\"first\":1},"
                 "{\"level\":9,\"cpu\":1,\"rounds\":1,\"others\":[0]},{\"level\":0,\"cpu\":1,\"rounds\":1,"
                 "\"others\":[1]},{\"level\":0,\"cpu\":7,\"rounds\":1,\"others\":[0]},{\"level\":0,\"cpu\":1,"
                 "\"rounds\":1,\"others\":[0],\"first\":-3},{}],"
                 "\"sharing_samples\":{\"own_ns\":[1,1,1],\"read_ns\":[9,9,9]}}}") == SERVET_OK
           && two.cores->count == 3 && two.cores->sound == 1 && two.cores->contaminated == 1
           && two.cores->ns[SERVET_HANDOFF_FLAGS][1] == 0 && two.layers.kinds == 1 && two.sharing->level[0].groups == 2
           && two.sharing->tests == 0 && two.sharing->samples == 3
           && servet_profile_infer(&two) == SERVET_EUNRESOLVED && two.cores_with_siblings == -1,
           "nonsense of that kind does no harm");
    zero(&one);
    TAP_OK(servet__profile_infer_layers(&one) == SERVET_EUNRESOLVED && servet_profile_infer(NULL) == SERVET_EINVAL,
           "no layers without latencies");
}

static void test_cores_in_part(void)
{
    static const int parts = SERVET_PART_CORES | SERVET_PART_COHERENCE;
    const int each = tap_runs(1, 3);
    double whole_s;
    crowd c;
    int i, status, ok;
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 10, 4);
    whole_s = c.seconds;
    for (ok = 1, i = 1; i < 12; i += each) {
        memset(&c, 0, sizeof c);
        c.stop_s = i * whole_s / 12;
        status = crowd_measure(&c, parts, 10, 4);
        if (status != SERVET_OK || !two.made.stopped || two.made.converged || c.seconds > c.stop_s + 0.7
            || !again_from_file()) {
            TAP_DIAG("stopped at %.2f s: %d, ended at %.2f s", c.stop_s, status, c.seconds);
            ok = 0;
        }
    }
    TAP_OK(ok, "stopped at any moment, what was known is kept and told as a part");
    memset(&c, 0, sizeof c);
    c.most_s = whole_s / 4;
    status = crowd_measure(&c, parts, 10, 4);
    TAP_OK(status == SERVET_OK && two.made.stopped && c.seconds > c.most_s && c.seconds < c.most_s + 0.7,
           "as after the wall time that was allowed: %.2f s of %.2f", c.seconds, c.most_s);
    memset(&c, 0, sizeof c);
    c.siblings = 1;
    status = crowd_measure(&c, parts, 10, 4);
    TAP_OK(status == SERVET_OK && two.made.parts == (parts | SERVET_PART_CACHES), "what was asked for is kept");
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts, 4, 1);
    TAP_OK(status == SERVET_OK && !two.cores && !two.coherence && two.cache_count > 0
           && c.most_cpus <= 1, "of one CPU there is nothing between, and all else is measured");
    memset(&c, 0, sizeof c);
    status = crowd_measure(&c, parts | SERVET_PART_BANDWIDTH, 12, 4);
    TAP_OK(status == SERVET_OK && two.bandwidth.growths == 2 && !two.bandwidth.growth[0].spread
           && two.bandwidth.growth[1].spread && c.seconds < 12 * 1.07 + 0.5,
           "with groups known CPUs are added both ways; %.2f s of 12", c.seconds);
}

static void test_measure_arguments(void)
{
    servet_machine m;
    servet_profile_opts o;
    memset(&m, 0, sizeof m);
    m.chase = no_chase;
    m.seconds = no_time;
    quick(&o);
    o.machine = &m;
    untouched_begin(&two);
    TAP_OK(servet_profile_calibrate(NULL, &o) == SERVET_EINVAL && servet_profile_open(&two, NULL, &o) == SERVET_EINVAL,
           "a machine for no profile, or to be kept as if it were this one, is refused");
    o.run.budget_s = 3601;
    TAP_OK(servet_profile_calibrate(&two, &o) == SERVET_EINVAL && untouched(&two),
           "measuring with nonsense is refused");
    quick(&o);
    o.machine = &m;
    o.run.budget_s = HUGE_VAL - HUGE_VAL;
    TAP_OK(servet_profile_calibrate(&two, &o) == SERVET_EINVAL && untouched(&two),
           "and with a budget that is no number");
    quick(&o);
    o.machine = &m;
    any_profile(&two, 979);
    mark = two;
    TAP_OK(servet_profile_calibrate(&two, &o) == SERVET_ENOMEM && untouched(&two),
           "what the machine says is handed on, and the profile is as it was");
}

int main(void)
{
    char command[2 * sizeof dir];
    const char *tmp = getenv("TMPDIR");
    few = getenv("PROFILE_FEW") != NULL;
    snprintf(dir, sizeof dir, "%s/servet.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        TAP_OK(0, "a directory to work in");
        return tap_done();
    }
    test_round_trip();
    test_left_out();
    test_added();
    if (!few) {
        test_locale("de_DE");
        test_locale("ps_AF");    /* its decimal point takes two bytes */
        test_order();
    }
    test_missing();
    test_refused();
    test_limits();
    any_profile(&one, 92);    /* short, with a count and two curves */
    test_truncated(&one, "a random profile", (size_t)(few || CHECKED ? 260 : tap_runs(1, 37)));
    any_profile(&one, 1327);    /* with nearly all there is */
    test_truncated(&one, "one with everything", few ? 9700 : 970);
    test_write_cap();
    test_files();
    test_open();
#if defined(__linux__)
    test_cgroups();
    test_quotas();
#endif
    test_infer();
    test_overfull();
    test_counts();
    test_chains_of_counts();
    test_beside_idle();
    test_saves();
    test_held();
    test_tlb_reports();
    test_shifted();
    test_check();
    test_measure();
    if (!few || getenv("AT_LENGTH")) {
        test_bandwidth();
        test_cores();
    }
    if (!few) {    /* the same ways as before, with other arguments */
        test_far();
        test_bandwidth_in_part();
        test_cores_in_part();
    }
    test_measure_arguments();
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command) != 0) TAP_DIAG("%s is left", dir);
    return tap_done();
}

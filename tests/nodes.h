/* nodes.h - modelled nodes of many CPUs, reached through the callbacks of a real machine; C99 or C++11
 *
 *   #include "servet.h"                           // as for sim.h, which includes this
 *   #include "sim.h"
 *
 *   sim_node node;                                // large: static, or from malloc
 *   if (sim_node_open(&node, sim_node_named("dunnington"), &sim_node_noises[SIM_NODE_RATED], seed) < 0) ...
 *   servet_machine m = sim_node_machine(&node);   // the node stays where it is; nothing to close
 *   m.handoff(m.ctx, ...), m.operate, m.together, m.relay, m.bandwidth, m.parallel, m.chase, m.seconds
 *   sim_node_layer_groups(&node, 0, group) ...    // truth, by the numbers that CPUs have
 *
 * sim.h goes through caches access by access, for one CPU or a few.  Here every answer is a formula, so that
 * nodes of hundreds of CPUs take microseconds a sample; pairs_nodes.c compares both where both can.
 *
 * A CPU has a place, by which all that is shared is made of neighbours, and a number, by which it is asked for: as
 * documented for the machine, or drawn (sim_node_scramble).
 *
 * MODELLED
 *   hand-off    by the innermost group two CPUs have in common; kinds of cores; compare-and-swap is dearer; on a mesh
 *               each line has a tile, drawn for each round or by seed and offset, and both CPUs' ways to it count;
 *               lines homed at the far node; pages of nodes that are hidden from a guest; lines of pairs that
 *               work at the same time, where they share a block or a pair of blocks; siblings that work in two pairs.
 *               Else pairs at the same time do not disturb each other.
 *   operations  adds by width, and less where siblings work; stores that a store buffer holds back or not; CPUs on one
 *               block of coherence wait for the block to come round, by their hand-off times; who fetches a block
 *               may take the other of its pair with it, from whoever works in both or has it; no other coupling.
 *   chases      misses of each level in cyclic walks over pages that fall anywhere: LRU, random, adaptive; CPUs that
 *               share a level compete by what each touches between two visits of the other's lines; exclusive levels
 *               hold what is over; memory gets slower with its load.  Footprints count by lines: no TLB, no
 *               prefetchers, no partial use of sets by strides.
 *   streams     rates of levels and of one CPU at memory; what groups share: path by path from the innermost (core,
 *               bus, cell, die), links between sockets, controllers; each with a ceiling approached as
 *               1/B^p = 1/sum^p + 1/ceiling^p; remote and interleaved memory; a chase beside them waits in the
 *               controller's queue.  Kernels differ by the bytes they move, counted with write-allocate, and stores
 *               cost the controller a little more.
 *   chains      k / latency, up to the loads under way of the level.
 *   noise       every pair has an error of its own that stays; jitter of each sample; outliers; neighbours that hold a
 *               CPU for some ms and slow all it takes part in; disturbances are flagged in a share of the cases.
 *   time        threads that start, samples; clocks do not run otherwise.
 * NOT MODELLED: frequencies that change, preemption as such (a neighbour is what it looks like), snoop filters that
 * fill up, page walks, instructions.
 */
#ifndef SERVET_TESTS_NODES_H
#define SERVET_TESTS_NODES_H

#include "sim.h"    /* whichever of the two comes first */

#define SIM_NODE_CPUS  512
enum { SIM_NODE_KINDS = 2, SIM_NODE_LAYERS = 4, SIM_NODE_CACHES = 3, SIM_NODE_PATHS = 3 };
#define SIM_NODE_FLUSH_NS 60.0      /* to throw a line out of all caches                              */
enum { SIM_WHOLE = -1 };    /* a group that is the whole node, of whatever kinds */

/* >>node: description ------------------------------------------------------------------------- */

/* Arrays of two are by kind of core; the second kind's CPUs come after the first's. */
typedef struct sim_node_layer {
    const char *name;       /* NULL = no more                                                       */
    int    cpus[2];         /* of a group, CPUs of neighbouring places; below 2 = none of this kind  */
    double ns[2];           /* one way, where it is the innermost that two CPUs have in common       */
} sim_node_layer;

typedef struct sim_node_cache {
    double bytes[2];        /* 0 = no such level                                                    */
    int    cpus[2];         /* that share one, of neighbouring places; 1 = private; SIM_WHOLE        */
    int    ways;
    double ns, bytes_per_ns;  /* of a hit; of one CPU that streams                                  */
    int    policy;          /* SIM_LRU; SIM_RANDOM; SIM_DRRIP: as one that keeps what it can          */
    int    exclusive;       /* holds what the level before does not                                 */
} sim_node_cache;

typedef struct sim_node_path {   /* to memory, of CPUs of neighbouring places */
    const char *name;       /* NULL = no more                                                       */
    int    cpus;
    double bytes_per_ns;    /* its ceiling                                                          */
} sim_node_path;

typedef struct sim_node_spec {
    const char *name, *what;
    int    cpus[2], threads[2];      /* all of a kind; of a core                                     */
    double share[2];        /* of a core's adds that each of two siblings gets: 0.5 if one can have all */
    double ghz[2], adds[2];          /* adds a cycle                                                */
    const char *order;      /* numbering: digits of a place, that of layer 0 first, from the slowest to the fastest
                               of a CPU's number; NULL = numbers are places; one kind only            */
    sim_node_layer layer[SIM_NODE_LAYERS];
    double apart_ns[3];     /* without a group in common: first kind, second kind, one of each         */
    double cas_frac;        /* compare-and-swap is as much dearer                                    */
    double home_frac;       /* lines homed elsewhere cost as much more; half of it where two nodes take part and the
                               line is at the later one                                             */
    int    hidden;          /* 1 = pages lie in any node, whoever touches them first; streams' in all alike */
    int    mesh_cpus, mesh_wide, mesh_layer;   /* CPUs and columns of a mesh, 0 = none; layers before it are inside */
    double hop_ns;
    int    block_bytes, destructive_bytes;     /* of coherence; what two busy lines must be apart      */
    double pair_frac;       /* how much dearer hand-offs are where two of them share the latter        */
    double leak;            /* of a store's wait for its block that the store buffer does not hide       */
    double burst;           /* operations a CPU gets done while it has the block                      */
    sim_node_cache cache[SIM_NODE_CACHES];
    double memory_ns, one_bytes_per_ns[2];     /* of one CPU                                          */
    int    loads[SIM_NODE_CACHES + 1];         /* under way at once at each level, memory last         */
    sim_node_path path[SIM_NODE_PATHS];
    int    node_cpus;       /* CPUs to a node of memory                                             */
    double node_bytes_per_ns;                  /* ceiling of its controllers                          */
    int    link_cpus;       /* CPUs between which there is no link: a socket's                        */
    double link_bytes_per_ns, far_frac;        /* ceiling to the rest; rate of one CPU there against near */
    double sharpness;       /* p                                                                    */
} sim_node_spec;

typedef struct sim_node_noise {
    double own_frac;                   /* standard deviation of a pair's logarithm, which stays       */
    double jitter_frac;                /* of a sample's                                              */
    double outlier_frac, outlier_max;  /* share of samples slowed by a factor in [1, max]             */
    double phase_frac, phase_s;        /* share of the time that a CPU has a neighbour, in phases      */
    double phase_slow;                 /* factor at most on what it takes part in, another each phase  */
    double flagged_frac;               /* share of what disturbs that has a flag                       */
} sim_node_noise;

enum { SIM_NODE_SILENT, SIM_NODE_QUIET, SIM_NODE_RATED, SIM_NODE_VISITED, SIM_NODE_NOISES };
static SERVET__UNUSED const sim_node_noise sim_node_noises[SIM_NODE_NOISES] = {
    { 0,     0,    0,    1,   0,     0,     0,  0   },
    { 0.005, 0.01, 0.01, 1.5, 0,     0,     0,  0.5 },
    { 0.01,  0.05, 0.03, 3,   0,     0,     0,  0.5 },    /* what rates are asked for at                */
    { 0.01,  0.05, 0.03, 3,   0.004, 0.005, 40, 0.5 }     /* and neighbours who come                    */
};

typedef struct sim_node {
    const sim_node_spec *spec;
    sim_node_noise noise;
    int      cpus, cpu;                 /* all; the one that measures                               */
    double   time_ns;
    double   handoff_ns, operate_ns, stream_ns;             /* what a sample takes: may be changed    */
    double   start_ns;                                      /* and the start of a thread              */
    double   tenant_bytes, tenant_bytes_per_ns;             /* what strangers load in each last level, and how fast */
    int      calls, samples;            /* so far                                                   */
    uint64_t random, key;
    int16_t  place[SIM_NODE_CPUS], number[SIM_NODE_CPUS];   /* of a CPU's number; of a place           */
    unsigned char offline[SIM_NODE_CPUS];                   /* 1 = cannot be used                     */
    /* private */
    int16_t  next[SIM_NODE_CACHES][SIM_NODE_CPUS];
    double   bytes[SIM_NODE_CPUS], ns[SIM_NODE_CPUS], memory_ns[SIM_NODE_CPUS], rate[SIM_NODE_CPUS];
    double   miss[SIM_NODE_CPUS][SIM_NODE_CACHES], held[SIM_NODE_CPUS][SIM_NODE_CACHES];
    double   load[SIM_NODE_CPUS], part[SIM_NODE_CPUS], way_ns[SIM_NODE_CPUS], need[SIM_NODE_CPUS];
    double   quick[SIM_NODE_CPUS];      /* of streams: cost of a line against that of a chase's load; 0 = a chase */
} sim_node;

/* >>node: places and groups ------------------------------------------------------------------- */

SIM_API int sim__node_kind(const sim_node_spec *s, int place)
{
    return place >= s->cpus[0];
}

/* First place of the group of so many CPUs that a place is in. */
SIM_API int sim__node_first(const sim_node_spec *s, const int *cpus, int place)
{
    const int kind = sim__node_kind(s, place), from = kind ? s->cpus[0] : 0;
    if (cpus[kind] == SIM_WHOLE) return 0;
    return cpus[kind] < 2 ? place : from + (place - from) / cpus[kind] * cpus[kind];
}

SIM_API int sim__node_together(const sim_node_spec *s, const int *cpus, int a, int b)
{
    return sim__node_first(s, cpus, a) == sim__node_first(s, cpus, b);
}

SIM_API int sim__node_of(const sim_node_spec *s, int place)
{
    return place / s->node_cpus;
}

SIM_API int sim__node_layers(const sim_node_spec *s)
{
    int l = 0;
    while (l < SIM_NODE_LAYERS && s->layer[l].name) l++;
    return l;
}

SIM_API int sim__node_caches(const sim_node_spec *s)
{
    int l = 0;
    while (l < SIM_NODE_CACHES && s->cache[l].bytes[0] > 0) l++;
    return l;
}

/* Groups by number of CPU: from 0 in the order of their first numbers, -1 = alone or, with size 0, of no group. */
SIM_API int sim__node_groups(const sim_node *n, const int *cpus, int16_t *group)
{
    int16_t of[SIM_NODE_CPUS];
    int i, j, groups = 0;
    for (i = 0; i < n->cpus; i++) of[i] = -1;
    for (i = 0; i < n->cpus; i++) {
        const int p = n->place[i], first = sim__node_first(n->spec, cpus, p);
        int others = 0;
        for (j = 0; j < n->cpus && !others; j++)
            others = j != i && sim__node_first(n->spec, cpus, n->place[j]) == first;
        if (others && of[first] < 0) of[first] = (int16_t)groups++;
        group[i] = (int16_t)(others ? of[first] : -1);
    }
    return groups;
}

/* sim_node_layer_groups, _cache_groups, _core_groups, _path_groups, _node_groups - the truth: groups of a layer of
 * hand-offs, of CPUs that share a level of cache, a core, a path to memory, a node of memory.  group: one for each
 * CPU's number, -1 = alone.  Returns how many groups of two or more; -1 = there is no such layer, level or path. */
SIM_API int sim_node_layer_groups(const sim_node *n, int layer, int16_t *group)
{
    return layer < sim__node_layers(n->spec) ? sim__node_groups(n, n->spec->layer[layer].cpus, group) : -1;
}

SIM_API int sim_node_cache_groups(const sim_node *n, int level, int16_t *group)
{
    return level < sim__node_caches(n->spec) ? sim__node_groups(n, n->spec->cache[level].cpus, group) : -1;
}

/* Siblings of which none has what it has alone: a core whose halves add beside each other is none. */
SIM_API int sim_node_core_groups(const sim_node *n, int16_t *group)
{
    int cpus[2], k;
    for (k = 0; k < 2; k++) cpus[k] = n->spec->share[k] < 0.8 ? n->spec->threads[k] : 1;
    return sim__node_groups(n, cpus, group);
}

SIM_API int sim_node_path_groups(const sim_node *n, int path, int16_t *group)
{
    int cpus[2];
    if (path >= SIM_NODE_PATHS || !n->spec->path[path].name) return -1;
    cpus[0] = cpus[1] = n->spec->path[path].cpus;
    return sim__node_groups(n, cpus, group);
}

SIM_API int sim_node_node_groups(const sim_node *n, int16_t *group)
{
    int cpus[2];
    cpus[0] = cpus[1] = n->spec->node_cpus >= n->cpus ? SIM_WHOLE : n->spec->node_cpus;
    return sim__node_groups(n, cpus, group);
}

/* >>node: noise and time ---------------------------------------------------------------------- */

SIM_API double sim__node_normal(uint64_t *state)
{
    double u = 1 - servet_stats_random_unit(state), v = servet_stats_random_unit(state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Factor of the neighbour that a CPU has now; 1 = none. */
SIM_API double sim_node_neighbour(const sim_node *n, int cpu)
{
    uint64_t state;
    if (!(n->noise.phase_frac > 0) || !(n->noise.phase_s > 0)) return 1;
    state = sim__mix(n->key + (uint64_t)cpu) ^ sim__mix((uint64_t)(n->time_ns * 1e-9 / n->noise.phase_s));
    if (!(servet_stats_random_unit(&state) < n->noise.phase_frac)) return 1;
    return 1 + (n->noise.phase_slow - 1) * servet_stats_random_unit(&state);
}

/* What is taken for x where these CPUs take part. */
SIM_API double sim__node_noisy(sim_node *n, double x, const int *cpu, int cpus, unsigned *flags)
{
    double outlier, worse, flagged;
    int i, disturbed;
    outlier = servet_stats_random_unit(&n->random);
    worse = servet_stats_random_unit(&n->random);
    flagged = servet_stats_random_unit(&n->random);
    x *= exp(n->noise.jitter_frac * sim__node_normal(&n->random));
    disturbed = outlier < n->noise.outlier_frac;
    if (disturbed) x *= 1 + worse * (n->noise.outlier_max - 1);
    for (i = 0; i < cpus; i++) {
        const double slow = sim_node_neighbour(n, cpu[i]);
        x *= slow;
        disturbed |= slow > 1;
    }
    if (flags) *flags = disturbed && flagged < n->noise.flagged_frac ? (unsigned)SERVET_NOISE_SWITCH : 0;
    n->samples++;
    return x;
}

/* Are they CPUs that can be used, each named once? */
SIM_API int sim__node_usable(sim_node *n, const int *cpu, int cpus)
{
    unsigned char named[SIM_NODE_CPUS];
    int i, status = SERVET_OK;
    if (!cpu || cpus < 1 || cpus > n->cpus) return SERVET_EINVAL;
    memset(named, 0, sizeof named);
    for (i = 0; i < cpus; i++) {
        if (cpu[i] < 0 || cpu[i] >= SIM_NODE_CPUS || named[cpu[i]]) return SERVET_EINVAL;
        named[cpu[i]] = 1;
        if (cpu[i] >= n->cpus || n->offline[cpu[i]]) status = SERVET_EPIN;
    }
    if (status == SERVET_OK) {
        n->calls++;
        n->time_ns += n->start_ns * cpus;
    }
    return status;
}

SIM_API int sim__node_rounds(int *rounds, double *effort)
{
    if (*rounds == 0) *rounds = 1;
    if (!(*effort > 0) && !(*effort < 0)) *effort = 1;
    return *rounds >= 1 && *rounds <= SERVET_SAMPLES_MAX && *effort > 0 ? SERVET_OK : SERVET_EINVAL;
}

/* >>node: hand-offs --------------------------------------------------------------------------- */

/* Hops from a place to a tile of a mesh; from another mesh: by its own first column and the tile's. */
SIM_API int sim__node_hops(const sim_node_spec *s, int place, int mesh, int tile)
{
    const int at = place % s->mesh_cpus / s->threads[0];
    const int x = at % s->mesh_wide, y = at / s->mesh_wide, tx = tile % s->mesh_wide, ty = tile / s->mesh_wide;
    if (place / s->mesh_cpus != mesh) return x + tx + abs(y - ty);
    return abs(x - tx) + abs(y - ty);
}

/* sim_node_way - one way between two CPUs in silence, ns
 *   home   CPU that touched the page first;  page, line: any numbers that tell pages, and lines in them, apart */
SIM_API double sim_node_way(const sim_node *n, int a, int b, int kind, int home, uint64_t page, uint64_t line)
{
    const sim_node_spec *s = n->spec;
    const int p = n->place[a], q = n->place[b], nodes = n->cpus / s->node_cpus;
    const int kp = sim__node_kind(s, p), kq = sim__node_kind(s, q), layers = sim__node_layers(s);
    int l, at = sim__node_of(s, n->place[home]);
    double ns = 0;
    uint64_t own = sim__mix(n->key + (uint64_t)(p < q ? p * SIM_NODE_CPUS + q : q * SIM_NODE_CPUS + p) * 4 + 1);
    if (s->hidden && nodes > 1) at = (int)(sim__mix(page ^ n->key) % (uint64_t)nodes);
    for (l = 0; l < layers && !sim__node_together(s, s->layer[l].cpus, p, q); l++) { }
    ns = l < layers ? s->layer[l].ns[kp] : s->apart_ns[kp == kq ? kp : 2];
    if (s->mesh_cpus && l >= s->mesh_layer) {
        const int tiles = s->mesh_cpus / s->threads[0], mesh = at * s->node_cpus / s->mesh_cpus;
        const int tile = (int)(sim__mix(sim__mix(page ^ n->key) + line) % (uint64_t)tiles);
        ns += s->hop_ns * (sim__node_hops(s, p, mesh, tile) + sim__node_hops(s, q, mesh, tile));
    }
    if (sim__node_of(s, p) == sim__node_of(s, q)) {
        if (at != sim__node_of(s, p)) ns *= 1 + s->home_frac;
    } else if (at == (p > q ? sim__node_of(s, p) : sim__node_of(s, q))) {
        ns *= 1 + s->home_frac / 2;
    }
    if (kind == SERVET_HANDOFF_CAS) ns *= 1 + s->cas_frac;
    return ns * exp(n->noise.own_frac * sim__node_normal(&own));
}

SIM_API int sim_node_handoff(void *ctx, const servet_handoff *what, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    const sim_node_spec *s = n->spec;
    servet_handoff w;
    uint64_t page = 0;
    int r, p, q, status;
    if (!what || !out) return SERVET_EINVAL;
    w = *what;
    if (w.pairs < 1 || w.pairs > n->cpus / 2 || w.kind < 0 || w.kind >= SERVET_HANDOFF_KINDS || w.home < 0 || w.home > 1
        || sim__node_rounds(&w.rounds, &w.effort) < 0 || (w.offset && w.kind != SERVET_HANDOFF_CAS))
        return SERVET_EINVAL;
    for (p = 0; w.offset && p < w.pairs; p++) {
        if (w.offset[p] % 4 || w.offset[p] >= 4096) return SERVET_EINVAL;
        for (q = 0; q < p; q++) if (w.offset[q] == w.offset[p]) return SERVET_EINVAL;
    }
    status = sim__node_usable(n, w.cpu, 2 * w.pairs);
    if (status < 0) return status;
    for (r = 0; r < w.rounds; r++) {
        page = w.offset ? sim__mix(w.seed) : servet_stats_random(&n->random);
        for (p = 0; p < w.pairs; p++) {
            const int *cpu = w.cpu + 2 * p;
            const uint32_t line = w.offset ? w.offset[p] / (uint32_t)s->block_bytes : 0;
            servet_sample *o = &out[r * w.pairs + p];
            double ns = sim_node_way(n, cpu[0], cpu[1], w.kind, cpu[w.home], page + (w.offset ? 0 : (uint64_t)p), line);
            double slow = 1;
            for (q = 0; q < w.pairs && w.offset; q++) {
                if (q == p) continue;
                if (w.offset[q] / (uint32_t)s->block_bytes == w.offset[p] / (uint32_t)s->block_bytes) slow += 1;
                else if (w.offset[q] / (uint32_t)s->destructive_bytes == w.offset[p] / (uint32_t)s->destructive_bytes)
                    slow += s->pair_frac;
            }
            o->ns = sim__node_noisy(n, ns * slow, cpu, 2, &o->flags);
            o->anchor_cycles = 0;
        }
        n->time_ns += n->handoff_ns * w.effort;
    }
    return SERVET_OK;
}

/* >>node: operations -------------------------------------------------------------------------- */

SIM_API int sim__node_does(const servet_operate *w, int i)
{
    return w->each ? w->each[i] : w->operation;
}

/* Where the i-th CPU works: in turn here and there. */
SIM_API void sim__node_places(const servet_operate *w, int i, uint32_t *place)
{
    const uint32_t step = sim__node_does(w, i) == SERVET_OPERATE_ALTERNATE ? SERVET_OPERATE_BYTES / 2 : 0;
    place[0] = w->offset ? w->offset[i] : 0;
    place[1] = (place[0] + step) % SERVET_OPERATE_BYTES;
}

/* What others do to a place of the i-th CPU. */
typedef struct sim__node_others {
    double turn_ns;     /* until the block is this CPU's again, as others write it too; 0 = it is its own       */
    double taken_frac;  /* time that goes by until it is back, as others fetch it from memory or one beside it   */
    int    siblings;    /* at work                                                                   */
} sim__node_others;

SIM_API sim__node_others sim__node_met(const sim_node *n, const servet_operate *w, int i, uint32_t place)
{
    const sim_node_spec *s = n->spec;
    const uint32_t block = place / (uint32_t)s->block_bytes, pair = place / (uint32_t)s->destructive_bytes;
    sim__node_others met = { 0, 0, 0 };
    uint32_t its[2];
    double sum = 0;
    int j, k, others = 0;
    for (j = 0; j < w->cpus; j++) {
        const double way = j == i ? 0 : sim_node_way(n, w->cpu[i], w->cpu[j], SERVET_HANDOFF_FLAGS, w->cpu[i], w->seed,
                                                     block);
        int there = 0;
        double near_by = 0;
        if (j == i) continue;
        if (sim__node_together(s, s->threads, n->place[w->cpu[i]], n->place[w->cpu[j]])) {
            met.siblings++;
            continue;
        }
        sim__node_places(w, j, its);
        for (k = 0; k < 2; k++) {
            if (its[k] / (uint32_t)s->block_bytes == block) there = 1;
            else if (its[k] / (uint32_t)s->destructive_bytes == pair) near_by = s->pair_frac;
        }
        if (sim__node_does(w, j) == SERVET_OPERATE_FETCH) {
            met.taken_frac += (there ? 1 : near_by) * 2 * way / (s->memory_ns + SIM_NODE_FLUSH_NS);
        } else if (there) {
            others++;
            sum += way;
        }
    }
    if (others) met.turn_ns = (others + 1) * (sum / others) / s->burst;
    return met;
}

/* sim_node_operation - ns of an operation of the i-th of these CPUs in silence */
SIM_API double sim_node_operation(const sim_node *n, const servet_operate *w, int i)
{
    const sim_node_spec *s = n->spec;
    const int kind = sim__node_kind(s, n->place[w->cpu[i]]);
    const double cycle = 1 / s->ghz[kind];
    sim__node_others met[2];
    uint32_t place[2];
    double sum = 0;
    int k;
    sim__node_places(w, i, place);
    for (k = 0; k < 2; k++) met[k] = sim__node_met(n, w, i, place[k]);
    /* who fetches a block may fetch the other of its pair with it, and take it away from where it is used */
    if (place[0] / (uint32_t)s->block_bytes != place[1] / (uint32_t)s->block_bytes
        && place[0] / (uint32_t)s->destructive_bytes == place[1] / (uint32_t)s->destructive_bytes)
        for (k = 0; k < 2; k++)
            if (met[k].turn_ns < s->pair_frac * met[1 - k].turn_ns) met[k].turn_ns = s->pair_frac * met[1 - k].turn_ns;
    for (k = 0; k < 2; k++) {
        const double turn = met[k].turn_ns, own = 1 + met[k].taken_frac;
        const int siblings = met[k].siblings;
        switch (sim__node_does(w, i)) {
        case SERVET_OPERATE_READ: sum += cycle * own; break;
        case SERVET_OPERATE_WRITE: sum += (cycle + s->leak * turn) * own; break;
        case SERVET_OPERATE_ALTERNATE: sum += (turn > cycle ? turn : cycle) * own; break;
        case SERVET_OPERATE_UPDATE: sum += (5 * cycle + s->leak * turn) * own; break;
        case SERVET_OPERATE_ATOMIC: sum += (turn > 18 * cycle ? turn : 18 * cycle) * (1 + siblings) * own; break;
        case SERVET_OPERATE_FETCH: sum += s->memory_ns + SIM_NODE_FLUSH_NS; break;
        default: sum += cycle / s->adds[kind] * (siblings ? (1 + siblings) * 0.5 / s->share[kind] : 1);
        }
    }
    return sum / 2;
}

SIM_API int sim_node_operate(void *ctx, const servet_operate *what, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    servet_operate w;
    int r, i, status;
    if (!what || !out) return SERVET_EINVAL;
    w = *what;
    if (w.operation < 0 || w.operation >= SERVET_OPERATIONS || sim__node_rounds(&w.rounds, &w.effort) < 0)
        return SERVET_EINVAL;
    for (i = 0; i < w.cpus; i++) {
        if (w.offset && (w.offset[i] % 8 || w.offset[i] > SERVET_OPERATE_BYTES - 8)) return SERVET_EINVAL;
        if (w.each && (w.each[i] < 0 || w.each[i] >= SERVET_OPERATIONS)) return SERVET_EINVAL;
    }
    status = sim__node_usable(n, w.cpu, w.cpus);
    if (status < 0) return status;
    for (i = 0; i < w.cpus; i++) n->way_ns[i] = sim_node_operation(n, &w, i);
    for (r = 0; r < w.rounds; r++) {
        for (i = 0; i < w.cpus; i++) {
            servet_sample *o = &out[r * w.cpus + i];
            o->ns = sim__node_noisy(n, n->way_ns[i], &w.cpu[i], 1, &o->flags);
            o->anchor_cycles = 0;
        }
        n->time_ns += n->operate_ns * w.effort;
    }
    return SERVET_OK;
}

/* >>node: chases ------------------------------------------------------------------------------ */

/* Chance that k or more fall where the mean is so many: Poisson. */
SIM_API double sim__node_tail(double mean, int k)
{
    double p = exp(-mean), sum = p;
    int i;
    if (mean > 700) return 1;
    for (i = 1; i < k; i++) {
        p *= mean / i;
        sum += p;
    }
    return sum < 1 ? 1 - sum : 0;
}

/* Share of visits that miss in a level, by the bytes of lines that are there in all, that are touched between two
 * visits of one, and that miss meanwhile (as guessed before).  LRU keeps what comes again before as many others as
 * there are ways; what resists keeps as many lines of a set as there are ways, of whichever CPU; at random each miss
 * takes one of them.  Even: the first level, whose index is in the page. */
SIM_API double sim__node_misses(const sim_node_cache *c, double capacity, double in_all, double between, double missed,
                                int even)
{
    const int k = c->ways;
    const double mean = k * (c->policy == SIM_LRU ? between : in_all) / capacity;
    double p, sum = 0, full = 0, x_full = 0;
    int x;
    if (even || mean > 6 * k) {     /* as many in every set */
        if (mean <= k) return 0;
        if (c->policy == SIM_RANDOM) return 1 - exp(-missed / capacity);
        return c->policy != SIM_LRU ? 1 - k / mean : mean < k + 1 ? mean - k : 1;
    }
    if (c->policy == SIM_LRU) return sim__node_tail(mean, k);
    for (p = exp(-mean), x = 0; x < 12 * k; x++) {
        if (x >= k) {
            full += p;
            x_full += p * (x + 1);
            sum += p * (x + 1.0 - k) / (x + 1.0);
        }
        p *= mean / (x + 1);
    }
    if (c->policy == SIM_RANDOM)    /* all misses are in the sets that are full */
        return full > 1e-9 ? full * (1 - exp(-missed / capacity / full * x_full / full / (mean + 1))) : 0;
    return sum < 1 ? sum : 1;
}

/* Who shares a level with whom, of these CPUs: rings of them, n->next. */
SIM_API void sim__node_rings(sim_node *n, int level, const int *cpu, int cpus)
{
    int16_t last[SIM_NODE_CPUS], *next = n->next[level];
    int i;
    for (i = 0; i < n->cpus; i++) last[i] = -1;
    for (i = 0; i < cpus; i++) {
        const int group = sim__node_first(n->spec, n->spec->cache[level].cpus, n->place[cpu[i]]);
        next[i] = (int16_t)(last[group] < 0 ? i : next[last[group]]);
        if (last[group] >= 0) next[last[group]] = (int16_t)i;
        last[group] = (int16_t)i;
    }
}

/* Where so many CPUs go round over n->bytes each: n->miss of each level and n->ns a line, when a line of a level costs
 * cost[l] and one of memory n->memory_ns.  Slower ones leave more time for others' lines, and others make them slower:
 * it is gone through until it holds.  queues: memory gets slower with the load of nodes and paths. */
SIM_API void sim__node_settle(sim_node *n, const int *cpu, int cpus, const double *cost, int queues)
{
    const sim_node_spec *s = n->spec;
    const int levels = sim__node_caches(s);
    int i, j, l, t, turn, moving = 1;
    for (l = 0; l < levels; l++) sim__node_rings(n, l, cpu, cpus);
    for (i = 0; i < cpus; i++) {
        n->ns[i] = cost[0] * (n->quick[i] > 0 ? n->quick[i] : 1);
        n->need[i] = 1;    /* by how much memory is slower */
        for (l = 0; l < levels; l++) {
            const int kind = sim__node_kind(s, n->place[cpu[i]]);
            int sharers = 1;
            n->miss[i][l] = 1;
            n->held[i][l] = 0;
            if (l == 0 || !s->cache[l].exclusive) continue;
            for (j = n->next[l - 1][i]; j != i; j = n->next[l - 1][j]) sharers++;
            n->held[i][l] = s->cache[l - 1].bytes[kind] / sharers;    /* by the level before */
        }
    }
    for (turn = 0; turn < 40 && moving; turn++) {
        for (l = 0; l < levels; l++) {
            const sim_node_cache *c = &s->cache[l];
            for (i = 0; i < cpus; i++) {
                const int kind = sim__node_kind(s, n->place[cpu[i]]);
                const double before = l ? n->miss[i][l - 1] : 1, cycle = n->bytes[i] / 64 * n->ns[i];
                double between = 0, in_all = 0, missed = 0;
                j = i;
                do {
                    const double come = l ? n->miss[j][l - 1] : 1;
                    const double visits = j == i ? n->bytes[i] : 64 * cycle / n->ns[j];
                    const double bytes = n->bytes[j] * come > n->held[j][l] ? n->bytes[j] * come - n->held[j][l] : 0;
                    between += bytes < come * visits ? bytes : come * visits;
                    in_all += bytes;
                    missed += visits * n->miss[j][l];
                    j = n->next[l][j];
                } while (j != i);
                if (l == levels - 1) {
                    const double visits = n->tenant_bytes_per_ns * cycle;
                    const double come = visits < n->tenant_bytes ? visits : n->tenant_bytes;
                    between += come;
                    in_all += come;
                    missed += visits;
                }
                n->miss[i][l] = sim__node_misses(c, c->bytes[kind], in_all, between, missed, l == 0);
                if (n->miss[i][l] > before) n->miss[i][l] = before;
            }
        }
        for (moving = turn < 2, i = 0; i < cpus; i++) {
            double ns = 0, before = 1;
            for (l = 0; l < levels; l++) {
                ns += (before - n->miss[i][l]) * cost[l];
                before = n->miss[i][l];
            }
            if (n->quick[i] > 0) ns *= n->quick[i];
            ns += before * n->memory_ns[i] * n->need[i];
            moving |= fabs(ns - n->ns[i]) > 1e-5 * ns;
            n->ns[i] = turn ? sqrt(ns * n->ns[i]) : ns;
        }
        for (i = 0; i < cpus && queues; i++) n->need[i] = 1;
        for (t = 0; t <= SIM_NODE_PATHS && queues; t++) {
            const int size = t < SIM_NODE_PATHS ? s->path[t].cpus : s->node_cpus;
            const double top = t < SIM_NODE_PATHS ? s->path[t].bytes_per_ns : s->node_bytes_per_ns;
            if (t < SIM_NODE_PATHS && !s->path[t].name) continue;
            for (i = 0; i < n->cpus; i++) n->load[i] = 0;
            for (i = 0; i < cpus; i++) n->load[n->place[cpu[i]] / size] += 64 * n->miss[i][levels - 1] / n->ns[i] / top;
            for (i = 0; i < cpus; i++) {
                const double load = n->load[n->place[cpu[i]] / size], full = load < 1 ? load : 1;
                const double slow = 1 + 0.25 * full / (1.05 - full);
                if (slow > n->need[i]) n->need[i] = slow;
            }
        }
    }
}

/* sim_node_together - as sim_together, by formulas */
SIM_API int sim_node_together(void *ctx, const int *cpu, int cpus, const size_t *elements,
                              const servet_chase_opts *opts, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    servet_chase_opts o;
    double cost[SIM_NODE_CACHES], took = 0;
    int i, l, status;
    memset(&o, 0, sizeof o);
    if (!elements || !out || sim__chase_resolve(&o, opts) < 0) return SERVET_EINVAL;
    for (i = 0; i < cpus && i < SIM_NODE_CPUS; i++) if (elements[i] < 1) return SERVET_EINVAL;
    status = sim__node_usable(n, cpu, cpus);
    if (status < 0) return status;
    for (l = 0; l < SIM_NODE_CACHES; l++) cost[l] = n->spec->cache[l].ns;
    for (i = 0; i < cpus; i++) {
        n->bytes[i] = (double)elements[i] * o.line_bytes;
        n->memory_ns[i] = n->spec->memory_ns;
    }
    sim__node_settle(n, cpu, cpus, cost, 1);
    for (i = 0; i < cpus; i++) {
        const double cycle = (double)elements[i] * n->ns[i], timed = cycle < 60e3 ? 60e3 : cycle > 3e6 ? 3e6 : cycle;
        const double warm = elements[i] < 65536 ? 2 : elements[i] < 262144 ? 1.25 : 0.25;    /* as sim__sample */
        const double one = 8.0 * (double)elements[i] + warm * cycle + 3 * timed;
        out[i].ns = sim__node_noisy(n, n->ns[i], &cpu[i], 1, &out[i].flags);
        out[i].anchor_cycles = 4 * exp(0.2 * n->noise.jitter_frac * sim__node_normal(&n->random))
                             * (sim_node_neighbour(n, cpu[i]) > 1 ? 1.3 : 1);
        if (one > took) took = one;
    }
    n->time_ns += took;
    return SERVET_OK;
}

/* What a CPU finds over so many bytes that one has just walked: in the nearest level that both share and that holds
 * them, beside strangers in the last, else in memory. */
SIM_API double sim__node_relayed(const sim_node *n, int from, int to, double bytes, double missed)
{
    const sim_node_spec *s = n->spec;
    const int levels = sim__node_caches(s), kind = sim__node_kind(s, n->place[to]);
    int l;
    for (l = 0; l < levels; l++)
        if (s->cache[l].bytes[kind] >= bytes && sim__node_together(s, s->cache[l].cpus, n->place[to], n->place[from]))
            return s->cache[l].ns + (l == levels - 1 ? missed * (s->memory_ns - s->cache[l].ns) : 0);
    return s->memory_ns;
}

/* In which level a CPU finds its own lines after others have walked so many bytes: behind those that they share. */
SIM_API double sim__node_evicted(const sim_node *n, const int *cpu, int cpus, double bytes, double between)
{
    const sim_node_spec *s = n->spec;
    const int levels = sim__node_caches(s), kind = sim__node_kind(s, n->place[cpu[0]]);
    int l, i;
    for (l = 0; l < levels; l++) {
        double all = bytes;
        for (i = 1; i < cpus; i++)
            all += between * sim__node_together(s, s->cache[l].cpus, n->place[cpu[0]], n->place[cpu[i]]);
        if (s->cache[l].bytes[kind] >= all) return s->cache[l].ns;
    }
    return s->memory_ns;
}

/* A relay; the others find what they walk as one of them alone does.  A line takes 250 ns to flush, of less than 1 MiB;
 * all are read two times. */
SIM_API int sim_node_relay(void *ctx, const servet_relay *q, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    const sim_node_spec *s = n->spec;
    const int levels = sim__node_caches(s);
    servet_chase_opts o;
    double cost[SIM_NODE_CACHES], own[SIM_NODE_CPUS], found, bytes, took = 50e3;
    int i, l, r, status;
    memset(&o, 0, sizeof o);
    if (!q || q->cpus < 2 || q->n < 3 || !out || sim__chase_resolve(&o, &q->chase) < 0) return SERVET_EINVAL;
    status = sim__node_usable(n, q->cpu, q->cpus);
    if (status < 0) return status;
    for (l = 0; l < SIM_NODE_CACHES; l++) cost[l] = s->cache[l].ns;
    bytes = (double)q->n * o.line_bytes;
    found = q->between > 0 ? sim__node_evicted(n, q->cpu, q->cpus, bytes, (double)q->between * o.line_bytes) : HUGE_VAL;
    for (i = q->between > 0 ? 0 : 1; i < q->cpus; i++) {
        n->bytes[0] = bytes;
        n->memory_ns[0] = s->memory_ns;
        sim__node_settle(n, &q->cpu[i], 1, cost, 1);
        own[i] = n->ns[0];
        if (q->between > 0) break;
        found = fmin(found, sim__node_relayed(n, q->cpu[i], q->cpu[0], bytes, n->miss[0][levels - 1]));
        took = fmax(took, (double)q->n * (3 * own[i] + (q->n < 16384 ? 250 : 0)));
    }
    if (q->between == 0) {      /* the first CPU's second walk, over a third */
        n->bytes[0] = bytes / 3;
        sim__node_settle(n, q->cpu, 1, cost, 1);
        own[0] = n->ns[0];
    }
    for (r = 0; r < (q->rounds ? q->rounds : 1); r++, out += q->cpus) {
        const double again = sim__node_noisy(n, own[0], q->cpu, 1, NULL);
        for (i = 0; i < q->cpus; i++) {
            memset(&out[i], 0, sizeof out[i]);
            if (i > 0 && q->between > 0) out[i].ns = again;
            else out[i].ns = sim__node_noisy(n, i == 0 ? found : own[i], &q->cpu[i], 1, &out[i].flags);
        }
        if (q->between == 0) out[0].again_ns = again;
        n->time_ns += took;
    }
    return SERVET_OK;
}

SIM_API int sim_node_chase(void *ctx, size_t elements, const servet_chase_opts *opts, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    return sim_node_together(ctx, &n->cpu, 1, &elements, opts, out);
}

/* >>node: streams and chains ------------------------------------------------------------------ */

/* 1/B^p = 1/want^p + 1/top^p: what is left of one that is wanted; top 0 = no ceiling */
SIM_API double sim__node_soft(const sim_node_spec *s, double want, double top)
{
    return top > 0 && want > 0 ? pow(1 + pow(want / top, s->sharpness), -1 / s->sharpness) : 1;
}

/* Groups of so many neighbouring places take what their path lets through: n->rate. */
SIM_API void sim__node_narrow(sim_node *n, const int *cpu, int cpus, int size, double top)
{
    int i;
    for (i = 0; i < n->cpus; i++) n->load[i] = 0;
    for (i = 0; i < cpus; i++) n->load[n->place[cpu[i]] / size] += n->rate[i] * n->part[i];
    for (i = 0; i < cpus; i++)
        if (n->part[i] > 0) n->rate[i] *= sim__node_soft(n->spec, n->load[n->place[cpu[i]] / size], top);
}

/* What CPUs that ask memory for n->rate each get of it, bytes per ns: in n->rate.  weight: of a byte at the
 * controllers.  Returns the load of the controllers of the memory that a CPU at the place uses, as a share of their
 * ceiling. */
SIM_API double sim__node_ration(sim_node *n, const int *cpu, int cpus, int memory, int node, double weight, int place)
{
    const sim_node_spec *s = n->spec;
    const int nodes = n->cpus / s->node_cpus, near_by = s->link_cpus / s->node_cpus;
    double least = 1;
    int i, k, t;
    for (i = 0; i < cpus; i++) n->part[i] = 1;
    for (k = 0; k < 2; k++)    /* misses under way are a core's, if a little more with siblings; or one of each CPU */
        if (s->threads[k] > 1 && s->loads[SIM_NODE_CACHES] > 1) {
            for (i = 0; i < cpus; i++) n->part[i] = sim__node_kind(s, n->place[cpu[i]]) == k;
            sim__node_narrow(n, cpu, cpus, s->threads[k], 1.15 * s->one_bytes_per_ns[k]);
        }
    for (i = 0; i < cpus; i++) n->part[i] = 1;
    for (t = 0; t < SIM_NODE_PATHS && s->path[t].name; t++)
        sim__node_narrow(n, cpu, cpus, s->path[t].cpus, s->path[t].bytes_per_ns);
    for (i = 0; i < cpus; i++) {
        const int home = sim__node_of(s, n->place[cpu[i]]), at = memory == SERVET_MEMORY_NODE ? node : home;
        n->part[i] = memory == SERVET_MEMORY_SPREAD ? 1 - (double)near_by / nodes
                   : at * s->node_cpus / s->link_cpus != n->place[cpu[i]] / s->link_cpus;
    }
    if (s->link_bytes_per_ns > 0) sim__node_narrow(n, cpu, cpus, s->link_cpus, s->link_bytes_per_ns);
    for (k = 0; k < nodes; k++) n->load[k] = 0;
    for (i = 0; i < cpus; i++) {
        const int home = sim__node_of(s, n->place[cpu[i]]), at = memory == SERVET_MEMORY_NODE ? node : home;
        if (memory != SERVET_MEMORY_SPREAD) n->load[at] += weight * n->rate[i];
        for (k = 0; k < nodes && memory == SERVET_MEMORY_SPREAD; k++) n->load[k] += weight * n->rate[i] / nodes;
    }
    for (k = 0; k < nodes; k++) {
        const double left = sim__node_soft(s, n->load[k], s->node_bytes_per_ns);
        if (left < least) least = left;
    }
    for (i = 0; i < cpus; i++) {
        const int home = sim__node_of(s, n->place[cpu[i]]), at = memory == SERVET_MEMORY_NODE ? node : home;
        n->rate[i] *= memory == SERVET_MEMORY_SPREAD ? least
                    : sim__node_soft(s, n->load[at], s->node_bytes_per_ns);
    }
    t = memory == SERVET_MEMORY_NODE ? node : sim__node_of(s, place);
    return n->load[t] / s->node_bytes_per_ns * sim__node_soft(s, n->load[t], s->node_bytes_per_ns);
}

/* By how much memory is dearer for a CPU where its pages are: far ones, and near ones as far as they are in turn. */
SIM_API double sim__node_farther(const sim_node *n, int cpu, int memory, int node)
{
    const sim_node_spec *s = n->spec;
    const int place = n->place[cpu], spread = s->hidden || memory == SERVET_MEMORY_SPREAD;
    const double far_away = spread ? 1 - (double)s->link_cpus / n->cpus
                          : memory == SERVET_MEMORY_NODE && node * s->node_cpus / s->link_cpus != place / s->link_cpus;
    return 1 - far_away + far_away / s->far_frac;
}

#define SIM__STREAM(NAME, word, arrays, moves, writes, adds, becomes) { writes, adds },
static const struct { int writes, adds; } sim__stream[] = { SERVET_STREAM_LIST(SIM__STREAM) };

/* sim_node_stream_rate - bytes per ns that a program loads and stores on all these CPUs, in silence
 *   load   NULL, or the load of the controllers near cpu[0] out, as a share of their ceiling */
SIM_API double sim_node_stream_rate(sim_node *n, const int *cpu, int cpus, const servet_streams *w,
                                    const servet_stream *what, double *load)
{
    const sim_node_spec *s = n->spec;
    const int memory = s->hidden ? (int)SERVET_MEMORY_SPREAD : w->memory;
    const int levels = sim__node_caches(s);
    const double counted = servet__bandwidth_count(what->kernel, what->streaming, 0);
    const double moved = servet__bandwidth_count(what->kernel, what->streaming, 1);
    const double stores = sim__stream[what->kernel].adds ? 0 : 8 / moved;
    double cost[SIM_NODE_CACHES], sum = 0, at_place;
    int i, l;
    for (l = 0; l < SIM_NODE_CACHES; l++) cost[l] = s->cache[l].bytes_per_ns > 0 ? 64 / s->cache[l].bytes_per_ns : 0;
    for (i = 0; i < cpus; i++) {
        const int place = n->place[cpu[i]], kind = sim__node_kind(s, place);
        n->bytes[i] = w->bytes;
        n->memory_ns[i] = 64 / s->one_bytes_per_ns[kind] * sim__node_farther(n, cpu[i], w->memory, w->node);
    }
    sim__node_settle(n, cpu, cpus, cost, 0);
    for (i = 0; i < cpus; i++) {
        double *miss = &n->miss[i][levels - 1];
        if (what->streaming && *miss < 1) {    /* past the caches */
            n->ns[i] += (1 - *miss) * n->memory_ns[i];
            *miss = 1;
        }
        n->need[i] = n->ns[i] - *miss * n->memory_ns[i];    /* inside the caches */
        n->rate[i] = 64 * *miss / n->ns[i];
        if (what->gap_ns > 0) n->rate[i] *= 16384 / (64 / n->ns[i]) / (16384 / (64 / n->ns[i]) + what->gap_ns);
        n->way_ns[i] = n->rate[i];
    }
    at_place = sim__node_ration(n, cpu, cpus, memory, w->node, 1 + 0.15 * stores, n->place[w->cpu[0]]);
    if (load) *load = at_place;
    for (i = 0; i < cpus; i++) {
        const double miss = n->miss[i][levels - 1];
        const double ns = n->need[i] + (miss > 0 ? miss * n->memory_ns[i] * n->way_ns[i] / n->rate[i] : 0);
        double busy = 1;
        if (what->gap_ns > 0) busy = 16384 / (64 / ns) / (16384 / (64 / ns) + what->gap_ns);
        sum += 64 / ns * busy;
    }
    return sum * counted / moved;
}

SIM_API int sim_node_bandwidth(void *ctx, const servet_streams *what, servet_stream_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    const sim_node_spec *s = n->spec;
    servet_streams w;
    double rate[SERVET_STREAMS_MAX], chase_ns[SERVET_STREAMS_MAX], cost[SIM_NODE_CACHES], load;
    const int levels = sim__node_caches(s);
    int k, r, l, status, first;
    if (!what || !out) return SERVET_EINVAL;
    w = *what;
    if (!w.stream || w.streams < 1 || w.streams > SERVET_STREAMS_MAX || sim__node_rounds(&w.rounds, &w.effort) < 0
        || w.memory < 0 || w.memory > SERVET_MEMORY_SPREAD || w.node < 0 || w.node >= n->cpus / s->node_cpus
        || !(w.bytes > 0)) return SERVET_EINVAL;
    for (k = 0; k < w.streams; k++) {
        const servet_stream *t = &w.stream[k];
        if (t->kernel < 0 || t->kernel >= SERVET_STREAM_KERNELS || t->vector < 0 || t->vector > SERVET_VECTOR_SCALABLE
            || (t->streaming && !sim__stream[t->kernel].writes))
            return SERVET_EINVAL;
        if (t->vector > SERVET_VECTOR_256) return SERVET_EUNSUPPORTED;
    }
    first = w.chase_bytes > 0;
    status = sim__node_usable(n, w.cpu, w.cpus);
    if (status < 0) return status;
    for (l = 0; l < SIM_NODE_CACHES; l++) cost[l] = s->cache[l].ns;
    for (k = 0; k < w.streams; k++) {
        load = rate[k] = chase_ns[k] = 0;
        if (w.cpus > first && (!first || !(w.stream[k].gap_ns < 0)))
            rate[k] = sim_node_stream_rate(n, w.cpu + first, w.cpus - first, &w, &w.stream[k], &load);
        if (!first) continue;
        n->bytes[0] = w.chase_bytes;
        n->memory_ns[0] = s->memory_ns * sim__node_farther(n, w.cpu[0], w.memory, w.node)
                        * (1 + 0.25 * load / (1.05 - (load < 1 ? load : 1)));
        for (l = 1; l < w.cpus; l++) {      /* the others compete with it for what they share */
            n->bytes[l] = w.bytes;
            n->memory_ns[l] = 64 / s->one_bytes_per_ns[sim__node_kind(s, n->place[w.cpu[l]])];
            n->quick[l] = 64 / (s->cache[levels - 1].bytes_per_ns * s->cache[levels - 1].ns);
        }
        sim__node_settle(n, w.cpu, w.stream[k].gap_ns < 0 ? 1 : w.cpus, cost, 0);
        for (l = 1; l < w.cpus; l++) n->quick[l] = 0;
        chase_ns[k] = n->ns[0];
    }
    for (r = 0; r < w.rounds; r++)
        for (k = 0; k < w.streams; k++) {
            servet_stream_sample *o = &out[r * w.streams + k];
            unsigned flags = 0;
            memset(o, 0, sizeof *o);
            o->vector = w.stream[k].vector ? w.stream[k].vector : SERVET_VECTOR_256;
            if (rate[k] > 0) o->bytes_per_s = 1e9 * rate[k] / sim__node_noisy(n, 1, &w.cpu[first], 1, &o->flags);
            if (first) o->chase_ns = sim__node_noisy(n, chase_ns[k], &w.cpu[0], 1, &flags);
            o->flags |= flags;
            n->time_ns += n->stream_ns * w.effort;
        }
    return SERVET_OK;
}

/* Loads under way of the levels that serve a CPU, and its rate with so many chains: 1/ns. */
SIM_API int sim_node_parallel(void *ctx, const servet_parallel *what, servet_sample *out)
{
    sim_node *n = (sim_node *)ctx;
    const sim_node_spec *s = n->spec;
    const int levels = sim__node_caches(s);
    servet_parallel w;
    servet_chase_opts o;
    double cost[SIM_NODE_CACHES], effort = 1;
    int i, k, l, r, status;
    if (!what || !out) return SERVET_EINVAL;
    w = *what;
    memset(&o, 0, sizeof o);
    if (!w.chains || w.counts < 1 || w.n < 1 || sim__node_rounds(&w.rounds, &effort) < 0
        || sim__chase_resolve(&o, &w.chase) < 0) return SERVET_EINVAL;
    for (k = 0; k < w.counts; k++) if (w.chains[k] < 1 || w.chains[k] > SERVET_CHAINS_MAX) return SERVET_EINVAL;
    status = sim__node_usable(n, w.cpu, w.cpus);
    if (status < 0) return status;
    for (l = 0; l < SIM_NODE_CACHES; l++) cost[l] = s->cache[l].ns;
    for (i = 0; i < w.cpus; i++) {
        n->bytes[i] = (double)w.n * o.line_bytes;
        n->memory_ns[i] = s->memory_ns;
    }
    sim__node_settle(n, w.cpu, w.cpus, cost, 0);
    for (k = 0; k < w.counts; k++) {
        double mean = 0;
        for (i = 0; i < w.cpus; i++) {
            const double miss = n->miss[i][levels - 1];
            double most = 0, before = 1;
            for (l = 0; l < levels; l++) {
                most += (before - n->miss[i][l]) * s->loads[l];
                before = n->miss[i][l];
            }
            most = (most + before * s->loads[SIM_NODE_CACHES]) / n->ns[i];
            n->way_ns[i] = w.chains[k] / n->ns[i];
            n->way_ns[i] *= sim__node_soft(s, n->way_ns[i], most);
            n->rate[i] = 64 * n->way_ns[i] * miss;
        }
        sim__node_ration(n, w.cpu, w.cpus, SERVET_MEMORY_LOCAL, 0, 1, 0);
        for (i = 0; i < w.cpus; i++) {
            const double miss = n->miss[i][levels - 1], asked = 64 * n->way_ns[i] * miss;
            mean += (1 + miss * (miss > 0 ? asked / n->rate[i] - 1 : 0)) / n->way_ns[i] / w.cpus;
        }
        for (r = 0; r < w.rounds; r++) {
            servet_sample *to = &out[r * w.counts + k];
            to->ns = sim__node_noisy(n, mean, w.cpu, w.cpus, &to->flags);
            to->anchor_cycles = 0;
            n->time_ns += n->stream_ns;
        }
    }
    return SERVET_OK;
}

/* sim_node_kernel_rate - the truth: bytes per ns of a kernel with regular stores, over so much local memory each */
SIM_API double sim_node_kernel_rate(sim_node *n, const int *cpu, int cpus, int kernel, double bytes)
{
    servet_streams w;
    servet_stream what;
    memset(&w, 0, sizeof w);
    memset(&what, 0, sizeof what);
    what.kernel = kernel;
    w.cpu = cpu;
    w.bytes = bytes;
    return sim_node_stream_rate(n, cpu, cpus, &w, &what, NULL);
}

/* sim_node_enough - the truth: the smallest number of these CPUs, in their order, that gets share_frac of what the best
 * number of them gets */
SIM_API int sim_node_enough(sim_node *n, const int *cpu, int cpus, int kernel, double bytes, double share_frac)
{
    double best = 0;
    int i, pass;
    for (pass = 0; pass < 2; pass++)
        for (i = 1; i <= cpus; i++) {
            const double rate = sim_node_kernel_rate(n, cpu, i, kernel, bytes);
            if (pass && rate >= share_frac * best) return i;
            if (rate > best) best = rate;
        }
    return cpus;
}

/* >>node: machines ---------------------------------------------------------------------------- */

#define SIM_G(name, cpus, ns) { name, { cpus, 0 }, { ns, 0 } }
#define SIM_G2(name, cpus, cpus_2, ns, ns_2) { name, { cpus, cpus_2 }, { ns, ns_2 } }
#define SIM_NO_G { NULL, { 0, 0 }, { 0, 0 } }
#define SIM_C(kib, cpus, ways, ns, rate, policy, exclusive) \
    { { (kib) * 1024.0, 0 }, { cpus, 1 }, ways, ns, rate, SIM_##policy, exclusive }
#define SIM_C2(kib, kib_2, cpus, cpus_2, ways, ns, rate, policy, exclusive) \
    { { (kib) * 1024.0, (kib_2) * 1024.0 }, { cpus, cpus_2 }, ways, ns, rate, SIM_##policy, exclusive }
#define SIM_NO_C { { 0, 0 }, { 0, 0 }, 0, 0, 0, 0, 0 }
#define SIM_P(name, cpus, rate) { name, cpus, rate }
#define SIM_NO_P { NULL, 0, 0 }
#define SIM_NO_MESH 0, 0, 0, 0

/* Groups, sizes, ways, numbers: the papers and vendors' documentation.  Of times and rates those in a comment; the
 * rest is of the kind and order published for such machines, and no claim about them.  Rows: CPUs, threads, share,
 * GHz, adds, numbering; layers; apart, CAS, home, hidden; mesh, block, destructive, pair, leak, burst; caches; memory,
 * one CPU, loads under way; paths; node, link, far, sharpness. */
static SERVET__UNUSED const sim_node_spec sim_nodes[] = {
    /* Servet 2010: 4 x Xeon E7450; {0,12} share L2, {0,1,2,12,13,14} L3; any two CPUs disturb each other alike */
    { "dunnington", "4 Intel Xeon E7450 of Servet 2010", { 24, 0 }, { 1, 1 }, { 1, 1 }, { 2.4, 0 }, { 3, 0 }, "021",
      { SIM_G("pair", 2, 25), SIM_G("socket", 6, 50), SIM_NO_G, SIM_NO_G },
      { 100, 0, 0 }, 0.3, 0, 0, SIM_NO_MESH, 64, 128, 0.5, 0.5, 2,
      { SIM_C(32, 1, 8, 1.25, 30, LRU, 0), SIM_C(3072, 2, 12, 6.3, 12, LRU, 0), SIM_C(12288, 6, 12, 40, 4, LRU, 0) },
      150, { 2.6, 0 }, { 4, 8, 8, 6 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 24, 3.4, 24, 0, 1, 8 },
    /* Servet 2010: HP RX7640, 8 dual-core Itanium 2; two processors to a bus, two buses to a cell; pairs of a bus get
     * least, of a cell a quarter less than one CPU, others nothing less */
    { "finis-terrae", "HP RX7640 of Servet 2010, 8 Itanium 2", { 16, 0 }, { 1, 1 }, { 1, 1 }, { 1.6, 0 }, { 4, 0 },
      NULL,
      { SIM_G("bus", 4, 130), SIM_G("cell", 8, 190), SIM_NO_G, SIM_NO_G },
      { 290, 0, 0 }, 0.3, 0.2, 0, SIM_NO_MESH, 128, 128, 0.5, 0.5, 2,
      { SIM_C(16, 1, 4, 0.63, 25, LRU, 0), SIM_C(256, 1, 8, 3.5, 25, LRU, 0), SIM_C(9216, 1, 18, 8.8, 10, LRU, 0) },
      200, { 2.6, 0 }, { 4, 8, 8, 6 }, { SIM_P("bus", 4, 2.6), SIM_NO_P, SIM_NO_P }, 8, 3.9, 8, 6, 0.6, 24 },
    /* Servet 3.0: "L2 (2MB) and L3 (8MB) caches are shared by groups of four and eight cores"; 4 nodes of memory; two
     * CPUs do not disturb each other there */
    { "hector", "Cray XE6 node of Servet 3.0 as printed there", { 32, 0 }, { 1, 1 }, { 1, 1 }, { 2.3, 0 }, { 2, 0 },
      NULL,
      { SIM_G("L2", 4, 55), SIM_G("die", 8, 100), SIM_G("socket", 16, 150), SIM_NO_G },
      { 220, 0, 0 }, 0.2, 0.3, 0, SIM_NO_MESH, 64, 64, 0.5, 0.3, 2,
      { SIM_C(16, 1, 4, 1.7, 20, LRU, 0), SIM_C(2048, 4, 16, 9, 14, LRU, 0), SIM_C(8192, 8, 64, 22, 8, LRU, 1) },
      95, { 4.5, 0 }, { 4, 10, 10, 8 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 8, 13, 16, 12, 0.6, 8 },
    /* AMD's documentation of the same processors: modules of two cores share L2, and the front end */
    { "interlagos", "2 AMD Opteron 6276", { 32, 0 }, { 2, 1 }, { 0.93, 1 }, { 2.3, 0 }, { 2, 0 }, NULL,
      { SIM_G("module", 2, 45), SIM_G("die", 8, 100), SIM_G("socket", 16, 150), SIM_NO_G },
      { 220, 0, 0 }, 0.2, 0.3, 0, SIM_NO_MESH, 64, 64, 0.5, 0.3, 2,
      { SIM_C(16, 1, 4, 1.7, 20, LRU, 0), SIM_C(2048, 2, 16, 9, 14, LRU, 0), SIM_C(8192, 8, 64, 22, 8, LRU, 1) },
      95, { 4.5, 0 }, { 4, 10, 10, 8 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 8, 13, 16, 12, 0.6, 8 },
    /* P-Ray: pairs 1-3, 2-4, 5-7, 6-8 share L2, chips are 1-3-5-7 and 2-4-6-8; 2.29, 2.22, 1.29, 0.65 GB/s for each of
     * 1, 2, 4, 8 CPUs, 8 or 9 loads under way; blocks of 64 */
    { "harpertown", "2 Intel Xeon of P-Ray", { 8, 0 }, { 1, 1 }, { 1, 1 }, { 2, 0 }, { 3, 0 }, "102",
      { SIM_G("pair", 2, 26), SIM_G("chip", 4, 58), SIM_NO_G, SIM_NO_G },
      { 88, 0, 0 }, 0.3, 0, 0, SIM_NO_MESH, 64, 128, 0.5, 0.5, 2,
      { SIM_C(32, 1, 8, 1.5, 25, LRU, 0), SIM_C(6144, 2, 24, 7.5, 10, LRU, 0), SIM_NO_C },
      110, { 2.3, 0 }, { 4, 9, 8, 8 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 8, 5.2, 8, 0, 1, 8 },
    /* P-Ray: pairs 1-2, 3-4; 4.47, 2.53, 1.18 GB/s for each of 1, 2, 4; blocks of 64 */
    { "kentsfield", "Intel Core 2 Quad of P-Ray", { 4, 0 }, { 1, 1 }, { 1, 1 }, { 2.4, 0 }, { 3, 0 }, NULL,
      { SIM_G("pair", 2, 20), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 70, 0, 0 }, 0.3, 0, 0, SIM_NO_MESH, 64, 128, 0.5, 0.5, 2,
      { SIM_C(32, 1, 8, 1.25, 30, LRU, 0), SIM_C(4096, 2, 16, 5.9, 12, LRU, 0), SIM_NO_C },
      88, { 4.5, 0 }, { 4, 8, 8, 8 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 4, 4.9, 4, 0, 1, 8 },
    /* P-Ray: all cores equidistant and on one L2; blocks of 16; 0.65 GB/s for each of 1 to 8 */
    { "niagara", "Sun UltraSPARC T1 of P-Ray", { 32, 0 }, { 4, 1 }, { 0.5, 1 }, { 1.2, 0 }, { 1, 0 }, NULL,
      { SIM_G("core", 4, 22), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 40, 0, 0 }, 0.2, 0, 0, SIM_NO_MESH, 16, 16, 0.5, 1, 1,
      { SIM_C(8, 4, 4, 2.5, 5, RANDOM, 0), SIM_C(3072, SIM_WHOLE, 12, 18, 1, LRU, 0), SIM_NO_C },
      90, { 0.65, 0 }, { 1, 1, 1, 1 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 32, 17, 32, 0, 1, 8 },
    /* MareNostrum 5 study: 2 x 56 cores without siblings; 1.68, 6.16, 36.0 ns; 220 GB/s for a socket, 126 from the
     * other (the 360 it gives for 56 CPUs on interleaved memory is more than those links carry: not modelled) */
    { "marenostrum5", "2 Intel Xeon Platinum 8480+ of the MareNostrum 5 study", { 112, 0 }, { 1, 1 }, { 1, 1 },
      { 3, 0 }, { 5, 0 }, NULL,
      { SIM_G("socket", 56, 44), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 115, 0, 0 }, 0.25, 0.3, 0, 56, 8, 0, 1.2, 64, 128, 0.5, 0.02, 2,
      { SIM_C(48, 1, 12, 1.68, 120, LRU, 0), SIM_C(2048, 1, 16, 6.16, 60, DRRIP, 0),
        SIM_C(107520, 56, 15, 36, 20, DRRIP, 1) },
      120, { 12, 0 }, { 12, 20, 30, 16 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 56, 225, 56, 126, 0.6, 6 },
    { "zen-256", "2 AMD EPYC 7763, siblings last", { 256, 0 }, { 2, 1 }, { 0.52, 1 }, { 3.2, 0 }, { 4, 0 }, "0321",
      { SIM_G("core", 2, 8), SIM_G("cache", 16, 24), SIM_G("socket", 128, 100), SIM_NO_G },
      { 200, 0, 0 }, 0.2, 0.8, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C(32, 2, 8, 1.25, 100, LRU, 0), SIM_C(512, 2, 8, 3.9, 60, LRU, 0), SIM_C(32768, 16, 16, 14, 30, DRRIP, 1) },
      105, { 22, 0 }, { 10, 20, 30, 20 }, { SIM_P("cache", 16, 42), SIM_NO_P, SIM_NO_P }, 128, 150, 128, 90, 0.55, 6 },
    { "naples", "2 AMD EPYC 7601, four dies each", { 128, 0 }, { 2, 1 }, { 0.55, 1 }, { 2.7, 0 }, { 4, 0 }, "04321",
      { SIM_G("core", 2, 12), SIM_G("cache", 8, 38), SIM_G("die", 16, 105), SIM_G("socket", 64, 160) },
      { 250, 0, 0 }, 0.2, 0.5, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C(32, 2, 8, 1.25, 80, LRU, 0), SIM_C(512, 2, 8, 3.9, 50, LRU, 0), SIM_C(8192, 8, 16, 12, 25, DRRIP, 1) },
      110, { 16, 0 }, { 10, 20, 30, 16 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 16, 34, 64, 40, 0.5, 6 },
    { "alder-lake", "Intel Core i9-12900K: slow clusters of small cores", { 16, 8 }, { 2, 1 }, { 0.52, 1 },
      { 4.9, 3.7 }, { 5, 4 }, NULL,
      { SIM_G2("core", 2, 0, 5, 0), SIM_G2("cluster", 0, 4, 0, 56), SIM_NO_G, SIM_NO_G },
      { 33, 44, 37 }, 0.2, 0, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C2(48, 32, 2, 1, 12, 1.0, 200, LRU, 0), SIM_C2(1280, 2048, 2, 4, 16, 3.5, 100, DRRIP, 0),
        SIM_C2(30720, 30720, SIM_WHOLE, SIM_WHOLE, 12, 15, 40, DRRIP, 0) },
      85, { 32, 18 }, { 12, 24, 30, 20 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 24, 62, 24, 0, 1, 6 },
    { "raptor-lake", "Intel Core i9-13900K: clusters nearer than cores", { 16, 16 }, { 2, 1 }, { 0.52, 1 },
      { 5.4, 4.3 }, { 5, 4 }, NULL,
      { SIM_G2("core", 2, 0, 5, 0), SIM_G2("cluster", 0, 4, 0, 25), SIM_NO_G, SIM_NO_G },
      { 33, 42, 42 }, 0.2, 0, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C2(48, 32, 2, 1, 12, 0.93, 200, LRU, 0), SIM_C2(2048, 4096, 2, 4, 16, 3.3, 100, DRRIP, 0),
        SIM_C2(36864, 36864, SIM_WHOLE, SIM_WHOLE, 12, 15, 40, DRRIP, 0) },
      80, { 36, 20 }, { 12, 24, 30, 20 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 32, 75, 32, 0, 1, 6 },
    { "cluster-on-die", "2 Intel Xeon E5-2680 v3, each cut in two", { 48, 0 }, { 2, 1 }, { 0.53, 1 }, { 2.9, 0 },
      { 4, 0 }, "0321",
      { SIM_G("core", 2, 8), SIM_G("cluster", 12, 40), SIM_G("socket", 24, 58), SIM_NO_G },
      { 110, 0, 0 }, 0.2, 0.3, 0, SIM_NO_MESH, 64, 128, 0.4, 0.1, 2,
      { SIM_C(32, 2, 8, 1.4, 80, LRU, 0), SIM_C(256, 2, 8, 4.1, 40, LRU, 0), SIM_C(15360, 12, 20, 18, 20, DRRIP, 0) },
      90, { 11, 0 }, { 10, 16, 20, 12 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 12, 28, 24, 26, 0.6, 6 },
    { "one-cpu", "guest with one CPU", { 1, 0 }, { 1, 1 }, { 1, 1 }, { 3, 0 }, { 4, 0 }, NULL,
      { SIM_NO_G, SIM_NO_G, SIM_NO_G, SIM_NO_G }, { 0, 0, 0 }, 0, 0, 0, SIM_NO_MESH, 64, 128, 0.4, 0.1, 2,
      { SIM_C(32, 1, 8, 1.3, 80, LRU, 0), SIM_C(1024, 1, 16, 4.6, 40, LRU, 0), SIM_C(32768, 1, 16, 20, 20, DRRIP, 0) },
      95, { 12, 0 }, { 10, 16, 20, 12 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 1, 40, 1, 0, 1, 6 },
    { "two-cores", "guest with two CPUs of a Zen 3 cache", { 2, 0 }, { 1, 1 }, { 1, 1 }, { 3.4, 0 }, { 4, 0 }, NULL,
      { SIM_NO_G, SIM_NO_G, SIM_NO_G, SIM_NO_G }, { 28, 0, 0 }, 0.2, 0, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C(32, 1, 8, 1.2, 100, LRU, 0), SIM_C(512, 1, 8, 3.7, 60, LRU, 0),
        SIM_C(32768, SIM_WHOLE, 16, 14, 30, DRRIP, 1) },
      110, { 22, 0 }, { 10, 20, 30, 20 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 2, 42, 2, 0, 1, 6 },
    { "two-siblings", "guest with two CPUs that are one core", { 2, 0 }, { 2, 1 }, { 0.54, 1 }, { 3, 0 }, { 4, 0 },
      NULL,
      { SIM_NO_G, SIM_NO_G, SIM_NO_G, SIM_NO_G }, { 8, 0, 0 }, 0.2, 0, 0, SIM_NO_MESH, 64, 128, 0.4, 0.05, 2,
      { SIM_C(48, SIM_WHOLE, 12, 1.6, 100, LRU, 0), SIM_C(1280, SIM_WHOLE, 20, 4.7, 60, DRRIP, 0),
        SIM_C(55296, SIM_WHOLE, 12, 25, 20, DRRIP, 1) },
      100, { 12, 0 }, { 10, 16, 30, 16 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 2, 40, 2, 0, 1, 6 },
    { "graviton2", "AWS Graviton2, 64 Neoverse N1 on a mesh", { 64, 0 }, { 1, 1 }, { 1, 1 }, { 2.5, 0 }, { 3, 0 }, NULL,
      { SIM_NO_G, SIM_NO_G, SIM_NO_G, SIM_NO_G }, { 38, 0, 0 }, 0.3, 0, 0, 64, 8, 0, 0.8, 64, 64, 0.4, 0.1, 2,
      { SIM_C(64, 1, 4, 1.6, 40, LRU, 0), SIM_C(1024, 1, 8, 4.4, 30, LRU, 0),
        SIM_C(32768, SIM_WHOLE, 16, 30, 15, DRRIP, 0) },
      95, { 12, 0 }, { 6, 14, 20, 14 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 64, 160, 64, 0, 1, 6 },
    { "kunpeng920", "2 Kunpeng 920-6426: clusters of 4 in dies of 32", { 128, 0 }, { 1, 1 }, { 1, 1 }, { 2.6, 0 },
      { 3, 0 }, NULL,
      { SIM_G("cluster", 4, 30), SIM_G("die", 32, 48), SIM_G("socket", 64, 100), SIM_NO_G },
      { 190, 0, 0 }, 0.3, 0.3, 0, SIM_NO_MESH, 64, 128, 0.5, 0.1, 2,
      { SIM_C(64, 1, 4, 1.5, 40, LRU, 0), SIM_C(512, 1, 8, 3.5, 30, LRU, 0), SIM_C(32768, 32, 16, 30, 12, DRRIP, 0) },
      110, { 9, 0 }, { 6, 14, 20, 12 }, { SIM_P("cluster", 4, 20), SIM_NO_P, SIM_NO_P }, 32, 33, 64, 30, 0.5, 6 },
    { "power9", "2 POWER9: four threads a core, two cores a cache", { 160, 0 }, { 4, 1 }, { 0.55, 1 }, { 3.4, 0 },
      { 4, 0 }, NULL,
      { SIM_G("core", 4, 12), SIM_G("pair", 8, 32), SIM_G("socket", 80, 85), SIM_NO_G },
      { 220, 0, 0 }, 0.4, 0.3, 0, SIM_NO_MESH, 128, 128, 0.4, 0.1, 2,
      { SIM_C(32, 4, 8, 1.2, 60, LRU, 0), SIM_C(512, 8, 8, 4.2, 40, LRU, 0), SIM_C(10240, 8, 20, 11, 25, LRU, 0) },
      95, { 14, 0 }, { 8, 16, 20, 16 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 80, 110, 80, 50, 0.6, 6 },
    { "a64fx", "Fujitsu A64FX: four groups of 12 and their memory", { 48, 0 }, { 1, 1 }, { 1, 1 }, { 2, 0 }, { 2, 0 },
      NULL,
      { SIM_G("group", 12, 70), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 140, 0, 0 }, 0.3, 0.2, 0, SIM_NO_MESH, 256, 256, 0.4, 0.2, 2,
      { SIM_C(64, 1, 4, 2.5, 100, LRU, 0), SIM_C(8192, 12, 16, 20, 40, LRU, 0), SIM_NO_C },
      130, { 40, 0 }, { 6, 12, 20, 12 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 12, 210, 48, 0, 0.7, 6 },
    { "cortex-a9", "four small cores with lines of 32", { 4, 0 }, { 1, 1 }, { 1, 1 }, { 1, 0 }, { 2, 0 }, NULL,
      { SIM_NO_G, SIM_NO_G, SIM_NO_G, SIM_NO_G }, { 60, 0, 0 }, 0.3, 0, 0, SIM_NO_MESH, 32, 32, 0.4, 0.6, 2,
      { SIM_C(32, 1, 4, 4, 4, RANDOM, 0), SIM_C(1024, SIM_WHOLE, 16, 30, 2, LRU, 0), SIM_NO_C },
      140, { 0.9, 0 }, { 1, 2, 2, 2 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 4, 1.8, 4, 0, 1, 6 },
    { "hidden-nodes", "guest on two sockets that it does not see", { 32, 0 }, { 2, 1 }, { 0.53, 1 }, { 3, 0 }, { 4, 0 },
      NULL,
      { SIM_G("core", 2, 9), SIM_G("socket", 16, 55), SIM_NO_G, SIM_NO_G },
      { 125, 0, 0 }, 0.2, 0.8, 1, SIM_NO_MESH, 64, 128, 0.4, 0.1, 2,
      { SIM_C(32, 2, 8, 1.3, 80, LRU, 0), SIM_C(1024, 2, 16, 4.6, 40, LRU, 0), SIM_C(24576, 16, 12, 22, 20, DRRIP, 1) },
      95, { 12, 0 }, { 10, 16, 20, 12 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 16, 80, 16, 40, 0.6, 6 },
    { "juno", "Arm Juno, on its large cores first: L2 of 2 MiB for two, 1 MiB for four", { 2, 4 }, { 1, 1 }, { 1, 1 },
      { 1.1, 0.85 }, { 3, 2 }, NULL,
      { SIM_G2("cluster", 2, 4, 50, 60), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 210, 210, 250 }, 0.3, 0, 0, SIM_NO_MESH, 64, 64, 0.4, 0.3, 2,
      { SIM_C2(32, 32, 1, 1, 4, 3.6, 8, LRU, 0), SIM_C2(2048, 1024, 2, 4, 16, 16, 4, RANDOM, 0), SIM_NO_C },
      160, { 3, 1.5 }, { 2, 6, 8, 6 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 6, 6, 6, 0, 1, 6 },
    { "apple-m1", "Apple M1, small cores first: L2 of 4 and 12 MiB", { 4, 4 }, { 1, 1 }, { 1, 1 }, { 2.1, 3.2 },
      { 3, 6 }, NULL,
      { SIM_G2("cluster", 4, 4, 28, 24), SIM_NO_G, SIM_NO_G, SIM_NO_G },
      { 90, 90, 110 }, 0.2, 0, 0, SIM_NO_MESH, 128, 128, 0.4, 0.1, 2,
      { SIM_C2(64, 128, 1, 1, 8, 1.5, 60, LRU, 0), SIM_C2(4096, 12288, 4, 4, 16, 6, 30, DRRIP, 0), SIM_NO_C },
      110, { 15, 55 }, { 8, 20, 24, 20 }, { SIM_NO_P, SIM_NO_P, SIM_NO_P }, 8, 60, 8, 0, 1, 6 }
};
enum { SIM_NODES = (int)(sizeof sim_nodes / sizeof *sim_nodes) };

/* sim_node_named - a machine of the table; NULL if there is none of that name */
SIM_API const sim_node_spec *sim_node_named(const char *name)
{
    int i;
    for (i = 0; i < SIM_NODES; i++) if (strcmp(sim_nodes[i].name, name) == 0) return &sim_nodes[i];
    return NULL;
}

/* The number of the CPU at a place, by the digits of the spec's order. */
SIM_API int sim__node_number(const sim_node_spec *s, int place)
{
    int digit[SIM_NODE_LAYERS + 1], base[SIM_NODE_LAYERS + 1], l, inner = 1, number = 0;
    const int layers = sim__node_layers(s);
    const char *at;
    if (!s->order) return place;
    for (l = 0; l <= layers; l++) {
        const int outer = l < layers ? s->layer[l].cpus[0] : s->cpus[0];
        base[l] = outer / inner;
        digit[l] = place / inner % base[l];
        inner = outer;
    }
    for (at = s->order; *at; at++) number = number * base[*at - '0'] + digit[*at - '0'];
    return number;
}

/* Groups inside groups, and all that is divided evenly. */
SIM_API int sim__node_sound(const sim_node_spec *s)
{
    const int cpus = s->cpus[0] + s->cpus[1];
    int k, l, inner;
    if (s->cpus[0] < 1 || s->cpus[1] < 0 || cpus > SIM_NODE_CPUS || s->node_cpus < 1 || cpus % s->node_cpus
        || s->link_cpus < s->node_cpus || s->block_bytes < 8 || s->destructive_bytes < s->block_bytes
        || !(s->burst > 0) || !(s->sharpness > 0) || (s->order && s->cpus[1] > 0)) return 0;
    for (k = 0; k < 2 && s->cpus[k] > 0; k++) {
        if (s->threads[k] < 1 || s->cpus[k] % s->threads[k] || !(s->ghz[k] > 0) || !(s->adds[k] > 0)) return 0;
        for (l = 0, inner = 1; l < sim__node_layers(s); l++) {
            const int size = s->layer[l].cpus[k];
            if (size < 2) continue;
            if (s->cpus[k] % size || size % inner) return 0;
            inner = size;
        }
        for (l = 0; l < sim__node_caches(s); l++) {
            const int size = s->cache[l].cpus[k];
            const int policy = s->cache[l].policy;
            if (size != SIM_WHOLE && (size < 1 || s->cpus[k] % size)) return 0;
            if (policy != SIM_LRU && policy != SIM_RANDOM && policy != SIM_DRRIP) return 0;
        }
    }
    for (l = 0; l < SIM_NODE_PATHS && s->path[l].name; l++) if (cpus % s->path[l].cpus) return 0;
    return !s->mesh_cpus || (cpus % s->mesh_cpus == 0 && s->mesh_wide > 0);
}

/* sim_node_open - a node of that description, which must stay; noise NULL = none.  EINVAL for what is not sound. */
SIM_API int sim_node_open(sim_node *n, const sim_node_spec *spec, const sim_node_noise *noise, uint64_t seed)
{
    int p;
    if (!n || !spec || !sim__node_sound(spec)) return SERVET_EINVAL;
    memset(n, 0, sizeof *n);
    n->spec = spec;
    n->noise = noise ? *noise : sim_node_noises[SIM_NODE_SILENT];
    n->cpus = spec->cpus[0] + spec->cpus[1];
    n->random = sim__mix(seed);
    n->key = sim__mix(seed + 7);
    n->handoff_ns = n->operate_ns = 3e5;
    n->stream_ns = 1e6;
    n->start_ns = 2e4;
    for (p = 0; p < n->cpus; p++) {
        const int c = sim__node_number(spec, p);
        n->number[p] = (int16_t)c;
        n->place[c] = (int16_t)p;
    }
    return SERVET_OK;
}

/* sim_node_scramble - numbers drawn anew: no order can be guessed */
SIM_API void sim_node_scramble(sim_node *n, uint64_t seed)
{
    int c;
    for (c = n->cpus - 1; c > 0; c--) {
        const int other = (int)servet_stats_random_below(&seed, (size_t)c + 1);
        const int16_t place = n->place[c];
        n->place[c] = n->place[other];
        n->place[other] = place;
    }
    for (c = 0; c < n->cpus; c++) n->number[n->place[c]] = (int16_t)c;
}

SIM_API double sim_node_seconds(void *ctx)
{
    return ((const sim_node *)ctx)->time_ns * 1e-9;
}

SIM_API servet_machine sim_node_machine(sim_node *n)
{
    servet_machine m;
    memset(&m, 0, sizeof m);
    m.ctx = n;
    m.seconds = sim_node_seconds;
    m.chase = sim_node_chase;
    m.together = sim_node_together;
    m.relay = sim_node_relay;
    m.bandwidth = sim_node_bandwidth;
    m.parallel = sim_node_parallel;
    m.handoff = sim_node_handoff;
    m.operate = sim_node_operate;
    m.bytes = 1099511627776.0;
    return m;
}

#endif

/* profile_models.c - whole profiles of modelled machines, as they would be measured there: nodes of 256 threads, of 8
 * CPUs and of one, and a network of 1024 ranks.  For report.sh, they are written into the directory that is given. */
#define SERVET_MPI_IMPLEMENTATION
#define SERVET_MPI_OFFLINE
#include "../servet_mpi.h"
#include "private.h"
#include "sim.h"
#include "nodes.h"
#include "network.h"
#include "scaling.h"
#include "misses.h"
#include "tap.h"
#include "../examples/fitted.h"

#include <stdio.h>

static const char *directory;

static int kept(const servet_profile *p, const char *name)
{
    char path[1024];
    if (!directory) return 1;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    return servet_profile_save(p, path) >= 0;
}

/* Times of a system whose workers share what comes from memory. */
static servet_automaton *automaton_of(int workers)
{
    const scaling_system *y = &scaling_cases[2].y;
    servet_automaton *a = (servet_automaton *)calloc(1, sizeof *a);
    uint64_t seed = 3;
    int v, k, i;
    if (!a) abort();
    a->workers = workers;
    a->rows = 512;
    a->columns = 1024;
    a->iterations = 10;
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++)
        for (k = 1; k <= workers; k *= 2) {
            servet_automaton_point *q = &a->point[a->points++];
            q->best.variation = v;
            q->best.workers = k;
            q->best.rows = v == SERVET_AUTOMATON_LONG ? 256 : v == SERVET_AUTOMATON_STRONG ? 512 / k : 512;
            q->best.columns = v == SERVET_AUTOMATON_LONG ? 2048 : 1024;
            q->best.iterations = 10;
            for (i = 0; i < 5; i++)
                q->trial_s[q->trials++] = 10 * scaling_s(y, v, k, q->best.rows, q->best.columns)
                                        * (1 - 0.01 * log(1 - servet_stats_random_unit(&seed)));
        }
    servet__automaton_infer(a);
    return a;
}

/* What nodes.h does not model is told: names, TLBs, how long lines stay, the automaton. */
static void add_rest(servet_profile *p, const char *model)
{
    servet_tlb *t = &p->tlb.small;
    servet_survival *s = &p->survival[0];
    int i;
    snprintf(p->host.cpu_model, sizeof p->host.cpu_model, "Model of %s", model);
    strcpy(p->host.arch, "x86_64");
    t->count = 1;
    t->seen_pages = 4096;
    t->level[0].entries = 64;
    t->level[0].lo_entries = 64;
    t->level[0].hi_entries = 66;
    t->level[0].penalty_ns = t->level[0].lo_ns = t->level[0].hi_ns = 2.2;
    p->survival_count = 1;
    s->bytes = 8388608;
    s->half_ns = s->lo_half_ns = s->hi_half_ns = 1e7;
    for (s->waits = 0, i = 0; i < SERVET_SURVIVAL_WAITS; i++, s->waits++) {
        s->age_ns[i] = 1e4 * pow(10, i);
        s->frac[i] = s->lo_frac[i] = s->hi_frac[i] = 1 / (1 + s->age_ns[i] / 1e7);
    }
    p->automaton = automaton_of(p->host.cpu_count);
}

/* What the page draws beside a curve: the miss rates of the header, and a line that goes through the points. */
static void test_fitted(const servet_profile *p, const char *model)
{
    static fitted_classes classes[SERVET_LEVELS_MAX];
    fitted t;
    const int fits = fitted_of(&t, classes, p, &p->evidence->curve);
    int i;
    for (i = 0; fits && i < t.levels && t.level[i].rise > 0; i++) { }
    TAP_OK(fits && t.levels == p->cache_count && i == t.levels && t.typical_frac < 0.04 && t.most_frac < 0.15,
           "%s: half of the points within %.3g of what the levels foretell, nine of ten within %.3g", model,
           fits ? t.typical_frac : 0, fits ? t.most_frac : 0);
}

static void test_misses(void)
{
    static const int ways[] = { 1, 4, 8, 16, 20 };
    fitted_classes c;
    fitted_level l;
    double worst = 0, n;
    int w;
    memset(&l, 0, sizeof l);
    for (w = 0; w < 5; w++)
        for (l.policy = SERVET_POLICY_LRU; l.policy < SERVET_POLICY_QLRU; l.policy++)    /* which is the settled one */
            for (l.placement = SERVET_PLACEMENT_EVEN; l.placement <= SERVET_PLACEMENT_RANDOM; l.placement++)
                for (n = 3; n < 3000; n *= 1.31) {
                    l.ways = ways[w];
                    l.bytes = 4096.0 * 256;
                    fitted_classes_of(&c, &l);
                    worst = fmax(worst, fabs(fitted_adds(&c, &l, 4096 * n, 4096)
                                             - misses_of(n, 256, l.ways, l.policy, l.placement)));
                }
    TAP_OK(worst < 1e-6, "miss rates that are drawn are those that are fitted, but for %.1g", worst);
}

/* Is it known of each level who shares it, in groups of one size? */
static int grouped(const servet_profile *p)
{
    int i, k, size[SERVET_CORES_MAX];
    for (i = 0; p->sharing && i < p->sharing->count; i++) {
        const servet_sharing_level *l = &p->sharing->level[i];
        if (l->unknown > 0) return 0;
        memset(size, 0, sizeof size);
        for (k = 0; k < p->sharing->cpus; k++) size[l->group[k]]++;
        for (k = 1; k < l->groups; k++) if (size[k] != size[0]) return 0;
    }
    return 1;
}

enum { FIRST_SEED = 7, SEEDS = 8 };

/* Parts of a whole profile: what is modelled of `servet run`, and what is not but has its share of the time. */
enum { MODELLED = SERVET_PART_CACHES | SERVET_PART_CORES | SERVET_PART_BANDWIDTH | SERVET_PART_COHERENCE,
       SUITE = MODELLED | SERVET_PART_TLB | SERVET_PART_SURVIVAL | SERVET_PART_PREFETCHED };
static int parts = MODELLED;

/* The first calls find the CPUs four times as far apart: their host moves them near to each other later. */
static int far_calls;
static int (*near_handoff)(void *ctx, const servet_handoff *what, servet_sample *out);

static int far_handoff(void *ctx, const servet_handoff *what, servet_sample *out)
{
    const int status = near_handoff(ctx, what, out);
    int i;
    for (i = 0; status >= 0 && far_calls > 0 && i < what->pairs * what->rounds; i++) out[i].ns *= 4;
    far_calls -= far_calls > 0;
    return status;
}

/* A whole profile of a modelled node, beside the usual noise. */
static int measured(servet_profile *p, sim_node *node, const sim_node_spec *spec, double budget_s, int seed)
{
    static servet_node memory[SIM_NODE_CPUS];
    servet_profile_opts o;
    servet_host host;
    servet_cpus cpus;
    servet_machine m;
    int i, n;
    if (sim_node_open(node, spec, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed) < 0) abort();
    m = sim_node_machine(node);
    memset(&o, 0, sizeof o);
    memset(&host, 0, sizeof host);
    memset(&cpus, 0, sizeof cpus);
    memset(memory, 0, sizeof memory);
    for (i = 0; i < node->cpus; i++) {
        n = sim__node_of(spec, node->place[i]);
        if (n >= o.nodes) o.nodes = n + 1;
        memory[n].id = n;
        servet_cpus_add(&memory[n].cpus, i);
        servet_cpus_add(&cpus, i);
    }
    host.page_bytes = 4096;
    host.memory_bytes = 549755813888.0;
    host.cpu_count = node->cpus;
    servet_cpus_write(&cpus, host.cpus, sizeof host.cpus);
    if (far_calls > 0) {
        near_handoff = m.handoff;
        m.handoff = far_handoff;
    }
    o.machine = &m;
    o.host = &host;
    o.cpus = &cpus;
    o.node = memory;
    o.cpu_plus_1 = 1;
    o.parts = parts;
    o.run.budget_s = budget_s;
    o.run.seed = (uint64_t)seed;
    return servet_profile_calibrate(p, &o);
}

/* Is it known what all CPUs together load from a level? */
static int by_all(const servet_profile *p, int level)
{
    int i;
    for (i = 0; i < p->bandwidth.count; i++)
        if (p->bandwidth.rate[i].level == level && p->bandwidth.rate[i].cpus == p->host.cpu_count) return 1;
    return 0;
}

/* Pages are drawn of a run in which all groups are found, the first of some. */
static void test_node(const char *model, const char *name)
{
    static sim_node node;
    static servet_profile p;
    const sim_node_spec *spec = sim_node_named(model);
    int i, seed = FIRST_SEED;
    if (!spec) abort();
    for (;;) {
        i = measured(&p, &node, spec, 60, seed);
        if (i < 0 || grouped(&p) || ++seed == FIRST_SEED + SEEDS) break;
        servet_profile_free(&p);
    }
    TAP_OK(i == SERVET_OK && p.cache_count == sim__node_caches(spec), "%s: %s, %d levels", spec->what,
           servet_status_text(i), p.cache_count);
    if (!strcmp(model, "zen-256"))
        TAP_OK(by_all(&p, 1) && by_all(&p, 2) && by_all(&p, 3), "%s: bandwidth of each level by all", spec->what);
    TAP_OK(node.cpus < 2 || (p.cores && p.cores->count == node.cpus && p.sharing && p.contention && p.coherence),
           "%s: all that is between CPUs", model);
    test_fitted(&p, model);
    add_rest(&p, model);
    TAP_OK(p.bandwidth.count > 0 && p.chains_count > 0 && kept(&p, name), "%s: and the rest", model);
    servet_profile_free(&p);
}

/* Who shares which level, by sizes and latencies as measured. */
typedef struct tally {
    int runs;                            /* with as many levels as there are                          */
    int nearer, last, wrong;             /* levels told rightly; wrongly in part                      */
} tally;

/* Of all runs: resolved levels; whose interval holds the truth, or which are within 15 %.  Latencies of these and of
 * memory; within a tenth; a quarter off and more. */
static struct { int sizes, held, times, near_, far_; } seen;

static void add_latency(const char *what, double ns, double truth)
{
    const double off = fabs(ns / truth - 1);
    if (!(ns > 0)) return;
    seen.times++;
    seen.near_ += off < 0.1;
    seen.far_ += off >= 0.25;
    if (off >= 0.25) TAP_DIAG("%s: a latency of %.1f ns, not %.1f", what, ns, truth);
}

/* Sizes and latencies of resolved levels.  Of an exclusive one the size may be that of all up to it. */
static void add_levels(const servet_profile *p, const sim_node_spec *spec)
{
    int i;
    if (p->cache_count != sim__node_caches(spec)) return;
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        const sim_node_cache *is = &spec->cache[i];
        const double more = is->exclusive && i > 0 ? spec->cache[i - 1].bytes[0] : 0;
        const double truth = is->bytes[0] + (fabs(c->bytes - is->bytes[0]) > more / 2 ? more : 0);
        if (c->unresolved) continue;
        seen.sizes++;
        seen.held += (c->lo_bytes <= truth && truth <= c->hi_bytes) || fabs(c->bytes / truth - 1) < 0.15;
        add_latency(spec->name, c->latency_ns, is->ns);
    }
    add_latency(spec->name, p->memory_ns, spec->memory_ns);
}

/* Whole profiles of a node, in so many runs. */
static tally shared_of(const sim_node_spec *spec, double budget_s, int seeds)
{
    static sim_node node;
    static servet_profile p;
    tally t;
    int seed, i, a, b;
    memset(&t, 0, sizeof t);
    for (seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
        int levels;
        if (measured(&p, &node, spec, budget_s, seed) < 0) abort();
        levels = p.sharing ? p.sharing->count : 0;
        if (levels != sim__node_caches(spec)) levels = 0;    /* the curve showed another number: no truth for those */
        t.runs += levels > 0;
        if (levels > 0) add_levels(&p, spec);
        for (i = 0; i < levels; i++) {
            const servet_sharing_level *l = &p.sharing->level[i];
            int16_t truth[SIM_NODE_CPUS];
            int differ = 0;
            sim_node_cache_groups(&node, i, truth);
            for (a = 0; a < node.cpus; a++)
                for (b = 0; b < a; b++)
                    differ += l->group[a] >= 0 && l->group[b] >= 0
                           && (truth[a] >= 0 && truth[a] == truth[b]) != (l->group[a] == l->group[b]);
            *(i + 1 == levels ? &t.last : &t.nearer) += l->unknown == 0 && differ == 0;
            t.wrong += differ > 0;
        }
        servet_profile_free(&p);
    }
    return t;
}

static void test_shared(const char *model, double budget_s)
{
    const sim_node_spec *spec = sim_node_named(model);
    const int seeds = tap_runs(SEEDS, spec->cpus[0] + spec->cpus[1] > 64 ? 3 : 4);
    const tally t = shared_of(spec, budget_s, seeds);
    const int nearer = (sim__node_caches(spec) - 1) * t.runs;
    TAP_OK(t.runs >= seeds - 1 && t.nearer == nearer, "%s, %d CPUs in %g s: who shares the nearer levels, in %d of %d",
           model, spec->cpus[0] + spec->cpus[1], budget_s, t.nearer, nearer);
    TAP_OK(t.last == t.runs && t.wrong == 0, "and the last one, in %d of %d; %d wrong", t.last, t.runs, t.wrong);
}

static void test_moved(void)
{
    static sim_node node;
    static servet_profile p;
    const int runs = tap_runs(10, 5);
    int seed, near_by = 0;
    for (seed = 1; seed <= runs; seed++) {
        parts = SERVET_PART_CACHES | SERVET_PART_CORES;
        far_calls = 8;      /* two tournaments of a pair: two kinds, two homes */
        if (measured(&p, &node, sim_node_named("two-cores"), 8, seed) < 0 || !p.cores) continue;
        near_by += far_calls == 0 && p.cores->state[0] == SERVET_CORES_SOUND
                   && fabs((double)p.cores->ns[SERVET_HANDOFF_FLAGS][0] / node.spec->apart_ns[0] - 1) < 0.2;
        servet_profile_free(&p);
    }
    parts = MODELLED;
    far_calls = 0;
    TAP_OK(near_by >= 0.9 * runs, "two CPUs that are moved near to each other when they have been measured: near in %d "
           "of %d runs", near_by, runs);
}

/* All nodes, in what `servet run` takes by itself: 18 s, of more than 8 CPUs a quarter of that more for each further 8
 * up to 64.  Takes five minutes. */
static void test_by_itself(void)
{
    tally all;
    int i;
    memset(&all, 0, sizeof all);
    parts = SUITE;
    for (i = 0; i < SIM_NODES; i++) {
        const int cpus = sim_nodes[i].cpus[0] + sim_nodes[i].cpus[1];
        const double more = cpus <= 8 ? 0 : (cpus < 64 ? cpus : 64) / 8.0 - 1;
        tally t;
        if (cpus < 2) continue;
        t = shared_of(&sim_nodes[i], 18 * (1 + 0.25 * more), SEEDS);
        TAP_DIAG("%s, %d CPUs: of %d runs who shares the last level told in %d, %d levels wrong", sim_nodes[i].name,
                 cpus, t.runs, t.last, t.wrong);
        all.runs += t.runs;
        all.last += t.last;
        all.wrong += t.wrong;
    }
    TAP_OK(all.wrong == 0 && all.last >= 0.98 * all.runs, "by itself: of %d runs who shares the last level in %d; %d "
           "levels wrong", all.runs, all.last, all.wrong);
}

static void test_network(void)
{
    static net_model model;
    static servet_profile p;
    servet_mpi_network net;
    servet_mpi_opts opts;
    net_layout at;
    int status;
    memset(&at, 0, sizeof at);
    memset(&opts, 0, sizeof opts);
    at.hosts = 64;
    opts.run.budget_s = 60;
    if (net_open(&model, net_named("large"), &at, &net_noises[NET_RATED], 3) < 0) abort();
    net = net_mpi(&model);
    p.network = (servet_network *)calloc(1, sizeof *p.network);
    if (!p.network) abort();
    p.cores_with_siblings = -1;
    status = servet_mpi__all(p.network, &net, &opts);
    TAP_OK(status >= 2 && p.network->ranks == 1024, "a network of 1024 ranks: %d layers", status);
    TAP_OK(p.network->size_count > 0 && p.network->load_count > 0 && p.network->dist_count > 0
           && p.network->access_count > 0 && kept(&p, "network"), "and all that is measured of it");
    net_close(&model);
    servet_profile_free(&p);
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : NULL;
    test_node("zen-256", "node");
    test_node("harpertown", "eight");
    test_node("one-cpu", "one");
    if (!directory) {
        test_shared("zen-256", 60);
        test_shared("naples", 31);
        test_shared("kunpeng920", 75);
        test_shared("raptor-lake", 60);
        test_shared("alder-lake", 26);
        test_shared("apple-m1", 8);
        test_shared("kentsfield", 8);
        test_shared("harpertown", 8);
        test_moved();
        if (getenv("AT_LENGTH")) test_by_itself();
        TAP_OK(seen.sizes > 0 && seen.held >= 0.95 * seen.sizes, "of %d sizes not called unresolved %d are held",
               seen.sizes, seen.held);
        TAP_OK(seen.near_ >= 0.85 * seen.times && seen.far_ <= 0.02 * seen.times, "of %d latencies %d are within a "
               "tenth, %d a quarter off", seen.times, seen.near_, seen.far_);
    }
    test_misses();
    test_network();
    return tap_done();
}

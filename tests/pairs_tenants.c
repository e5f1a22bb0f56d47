/* test_tenants - who shares a last level that strangers compete for, on modelled nodes
 * They take what is not asked for again soon enough: two CPUs that share lose nothing to each other, as both together
 * get more than one.  TENANTS_SEEDS=100 takes so many seeds instead of 20. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

static sim_node node;
static servet_sharing sharing;

/* Where one CPU's loads begin to take as long as half way (in logarithms) to memory: what a curve would say. */
static double knee(const servet_machine *m, int cpu, double ns, double memory_ns)
{
    const double limit = sqrt(ns * memory_ns);
    double lo = 262144, hi = 1073741824;
    while (hi / lo > 1.02) {
        const size_t n = (size_t)(sqrt(lo * hi) / 64);
        servet_sample s;
        memset(&s, 0, sizeof s);
        if (m->together(m->ctx, &cpu, 1, &n, NULL, &s) < 0) return 0;
        if (s.ns > limit) hi = (double)n * 64;
        else lo = (double)n * 64;
    }
    return lo;
}

typedef struct tally { int shared, apart, unknown; double calls; } tally;

/* Two CPUs of a node, in one group of the last level or in two, with strangers in each. */
static tally two(const char *name, int same, double tenant_mib, double tenant_bytes_per_ns, int runs)
{
    const sim_node_spec *s = sim_node_named(name);
    const int last = sim__node_caches(s) - 1;
    tally t = { 0, 0, 0, 0 };
    int seed;
    for (seed = 1; seed <= runs; seed++) {
        servet_levels levels;
        servet_machine m;
        servet_sharing_opts o;
        int16_t truth[SIM_NODE_CPUS], core[SIM_NODE_CPUS];
        int cpu[2], l;
        memset(&o, 0, sizeof o);
        memset(&levels, 0, sizeof levels);
        sim_node_open(&node, s, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed);
        node.tenant_bytes = tenant_mib * 1048576;
        node.tenant_bytes_per_ns = tenant_bytes_per_ns;
        m = sim_node_machine(&node);
        sim_node_cache_groups(&node, last, truth);
        sim_node_cache_groups(&node, 0, core);
        cpu[0] = 0;
        for (cpu[1] = 1; cpu[1] < node.cpus; cpu[1]++)
            if ((truth[0] >= 0 && truth[cpu[1]] == truth[0]) == same && (core[0] < 0 || core[cpu[1]] != core[0])) break;
        levels.count = 2;
        levels.memory_ns = s->memory_ns;
        for (l = 0; l < 2; l++) {
            servet_level *x = &levels.level[l];
            const sim_node_cache *c = &s->cache[last - 1 + l];
            x->level = l + 1;
            x->latency_ns = c->ns;
            x->ways = c->ways;
            x->policy = SERVET_POLICY_LRU;
            x->placement = SERVET_PLACEMENT_RANDOM;
            x->bytes = l ? knee(&m, cpu[0], c->ns, s->memory_ns) : c->bytes[0];
            x->effective = l;
        }
        o.run.seed = (uint64_t)seed;
        o.run.budget_s = 100;
        if (cpu[1] == node.cpus || servet_pairs_shared(&sharing, &m, &levels, cpu, 2, &o) < 2
            || sharing.level[1].status < 0 || sharing.level[1].unknown > 0) t.unknown++;
        else if (sharing.level[1].groups == 1) t.shared++;
        else t.apart++;
        t.calls += (double)sharing.level[1].rounds / runs;
    }
    return t;
}

static void strangers(const char *name, double tenant_mib, double tenant_bytes_per_ns)
{
    const char *seeds = getenv("TENANTS_SEEDS");
    const int runs = seeds && atoi(seeds) > 0 ? atoi(seeds) : 20;
    const tally same = two(name, 1, tenant_mib, tenant_bytes_per_ns, runs);
    const tally other = two(name, 0, tenant_mib, tenant_bytes_per_ns, runs);
    TAP_DIAG("%s, end at %.1f MiB, strangers with %g MiB at %g GB/s: two that share: %d shared, %d apart, %d unknown "
             "two that do not: %d, %d, %d; %.0f and %.0f rounds", name, sharing.level[1].bytes / 1048576, tenant_mib,
             tenant_bytes_per_ns, same.shared, same.apart, same.unknown, other.shared, other.apart, other.unknown,
             same.calls, other.calls);
    TAP_OK(same.apart + other.shared == 0, "%s, %g MiB of strangers: nothing wrong in %d runs", name, tenant_mib,
           2 * runs);
    TAP_OK(same.shared >= 0.95 * runs, "two that share are told so");
    TAP_OK(other.apart >= 0.95 * runs, "two that do not, as well");
}

/* How long another takes over its lines, and the reader, n times; or this one over its own, left alone and not. */
static double votes_of(const float ns[][2], int n, int evicts)
{
    servet_sharing_sample x[8];
    servet_sharing_test t;
    int i;
    memset(&t, 0, sizeof t);
    memset(x, 0, sizeof x);
    t.evicts = (int16_t)evicts;
    t.rounds = (int16_t)n;
    t.limit_ns = 40;
    t.next_ns = 120;
    for (i = 0; i < n; i++) {
        x[i].own_ns = ns[i][0];
        x[i].read_ns = ns[i][1];
    }
    return servet__sharing_llr(&t, x, 0);
}

static void votes(void)
{
    static const float apart[][2] = { { 12, 120 }, { 12, 130 }, { 14, 110 }, { 13, 125 } };
    static const float shared[][2] = { { 12, 14 }, { 12, 13 }, { 14, 12 }, { 13, 15 } };
    static const float slow[][2] = { { 32, 50 }, { 34, 60 }, { 36, 62 }, { 33, 48 } };
    static const float crowded[][2] = { { 120, 120 }, { 120, 130 }, { 110, 110 }, { 115, 125 }, { 120, 14 } };
    static const float mixed[][2] = { { 12, 13 }, { 12, 120 }, { 12, 13 }, { 12, 120 }, { 12, 13 } };
    TAP_OK(votes_of(shared, 4, 0) > 8.7 && votes_of(shared, 3, 0) < 8.7, "found four times: three are too few");
    TAP_OK(votes_of(apart, 4, 0) < -8.7, "not found four times");
    TAP_OK(votes_of(apart, 4, 1) > 8.7 && votes_of(shared, 4, 1) < -8.7, "evicted four times by others' lines, or not");
    TAP_OK(votes_of(slow, 4, 0) > 8.7, "found in a level that is slower now than it was");
    TAP_OK(fabs(votes_of(crowded, 5, 0)) < 0.1, "what the other no longer finds itself has no vote");
    TAP_OK(votes_of(mixed, 5, 0) < 4.6 && votes_of(mixed, 5, 0) > 0, "what contradicts itself decides nothing");
}

int main(void)
{
    votes();
    strangers("hector", 0, 0);
    strangers("hector", 24, 1);
    strangers("hector", 24, 4);
    strangers("zen-256", 0, 0);
    strangers("zen-256", 64, 2);
    strangers("zen-256", 64, 8);
    strangers("zen-256", 480, 30);
    strangers("dunnington", 0, 0);
    strangers("dunnington", 64, 0.3);
    strangers("harpertown", 64, 0.3);    /* before slow memory */
    strangers("juno", 64, 0.3);
    strangers("marenostrum5", 64, 2);
    return tap_done();
}

/* test_nodes.c - modelled nodes of many CPUs: the models against what they say, and what is found on them */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "sim.h"
#include "tap.h"

static sim_node node;
static servet_sample sample[SERVET_SAMPLES_MAX * SIM_NODE_CPUS];

static void open_silent(const char *name)
{
    if (sim_node_open(&node, sim_node_named(name), NULL, 1) < 0) abort();
}

/* Do these CPUs, and no others, have the group of the first? */
static int is_group(const int16_t *group, const int *cpu, int cpus)
{
    int i, j;
    for (i = 0; i < node.cpus; i++) {
        int in = 0;
        for (j = 0; j < cpus; j++) in |= cpu[j] == i;
        if ((group[i] == group[cpu[0]] && group[i] >= 0) != in) return 0;
    }
    return 1;
}

static double handoff(int a, int b, int kind, int home)
{
    servet_handoff w;
    int cpu[2];
    memset(&w, 0, sizeof w);
    cpu[0] = a;
    cpu[1] = b;
    w.cpu = cpu;
    w.pairs = 1;
    w.kind = kind;
    w.home = home;
    return sim_node_handoff(&node, &w, sample) < 0 ? -1 : sample[0].ns;
}

static double operation(const int *cpu, int cpus, const uint32_t *offset, int op)
{
    servet_operate w;
    memset(&w, 0, sizeof w);
    w.cpu = cpu;
    w.cpus = cpus;
    w.offset = offset;
    w.operation = op;
    return sim_node_operate(&node, &w, sample) < 0 ? -1 : sample[0].ns;
}

static void test_truth(void)
{
    static const int dunnington[] = { 0, 12, 1, 2, 13, 14 }, harpertown[] = { 0, 2, 4, 6 }, zen[] = { 0, 128 };
    int16_t group[SIM_NODE_CPUS];
    int i, sound = 0;
    for (i = 0; i < SIM_NODES; i++) {
        const int ok = sim_node_open(&node, &sim_nodes[i], NULL, 1) == SERVET_OK;
        int p, good = 1;
        for (p = 0; ok && p < node.cpus; p++) good &= node.place[node.number[p]] == p;
        if (!ok || !good) TAP_DIAG("%s is not sound", sim_nodes[i].name);
        sound += ok && good;
    }
    TAP_OK(sound == SIM_NODES, "all machines of the table are sound, and every CPU has a place");
    open_silent("dunnington");
    TAP_OK(sim_node_cache_groups(&node, 1, group) == 12 && is_group(group, dunnington, 2), "Dunnington: {0,12} share L2");
    TAP_OK(sim_node_cache_groups(&node, 2, group) == 4 && is_group(group, dunnington, 6),
           "Dunnington: {0,1,2,12,13,14} share L3");
    TAP_OK(sim_node_core_groups(&node, group) == 0 && sim_node_node_groups(&node, group) == 1, "Dunnington: one memory");
    open_silent("harpertown");
    TAP_OK(sim_node_cache_groups(&node, 1, group) == 4 && is_group(group, harpertown, 2)
           && sim_node_layer_groups(&node, 1, group) == 2 && is_group(group, harpertown, 4), "Harpertown as in P-Ray");
    open_silent("zen-256");
    TAP_OK(sim_node_core_groups(&node, group) == 128 && is_group(group, zen, 2)
           && sim_node_cache_groups(&node, 2, group) == 16 && sim_node_layer_groups(&node, 2, group) == 2,
           "256 threads of Zen: {0,128} are siblings, 16 caches, 2 sockets");
    sim_node_scramble(&node, 5);
    TAP_OK(sim_node_core_groups(&node, group) == 128 && !is_group(group, zen, 2), "scrambled: as many, other numbers");
}

static void test_handoff(void)
{
    static const uint32_t same[] = { 0, 8 }, pair[] = { 0, 64 }, apart[] = { 0, 128 };
    static const int four[] = { 0, 1, 2, 3 };
    double near_ns, far_ns, x[3];
    servet_handoff w;
    servet_sample o[4];
    int i;
    open_silent("dunnington");
    TAP_NEAR(handoff(0, 12, 0, 0), 25, 1e-9, "hand-off: in a pair");
    TAP_NEAR(handoff(0, 14, 0, 0), 50, 1e-9, "hand-off: in a socket");
    TAP_NEAR(handoff(0, 3, 0, 0), 100, 1e-9, "hand-off: between sockets");
    TAP_NEAR(handoff(0, 3, SERVET_HANDOFF_CAS, 0), 130, 1e-9, "hand-off: compare-and-swap is dearer");
    memset(&w, 0, sizeof w);
    w.cpu = four;
    w.pairs = 2;
    w.kind = SERVET_HANDOFF_CAS;
    for (i = 0; i < 3; i++) {
        w.offset = i == 0 ? same : i == 1 ? pair : apart;
        x[i] = sim_node_handoff(&node, &w, o) == SERVET_OK ? o[0].ns : -1;
    }
    TAP_NEAR(x[2], 65, 1e-9, "hand-off: two pairs at once do not disturb each other");
    TAP_OK(x[0] > 1.9 * x[2] && x[1] > 1.3 * x[2], "hand-off: but on one block or in one pair of blocks");
    open_silent("zen-256");
    near_ns = handoff(0, 64, 0, 0);
    far_ns = handoff(0, 64, 0, 1);
    TAP_OK(near_ns > 199 && far_ns > 1.3 * near_ns, "hand-off: the home of a line counts between sockets");
    TAP_NEAR(handoff(64, 72, 0, 0), 100, 1e-9, "hand-off: and not inside, where the first touch is near");
    open_silent("hidden-nodes");
    for (i = 0, near_ns = 1e9, far_ns = 0; i < 30; i++) {
        x[0] = handoff(0, 4, 0, 0);
        near_ns = fmin(near_ns, x[0]);
        far_ns = fmax(far_ns, x[0]);
    }
    TAP_OK(near_ns < 56 && far_ns > 98, "hand-off: where nodes are hidden, lines lie in either");
    open_silent("marenostrum5");
    for (i = 0, near_ns = 1e9, far_ns = 0; i < 30; i++) {
        x[0] = handoff(0, 9, 0, 0);
        near_ns = fmin(near_ns, x[0]);
        far_ns = fmax(far_ns, x[0]);
    }
    TAP_OK(far_ns > 1.2 * near_ns && far_ns < handoff(0, 56, 0, 0), "hand-off: on a mesh the line's tile counts");
    TAP_OK(handoff(0, 0, 0, 0) < 0 && handoff(0, 112, 0, 0) < 0 && handoff(0, -1, 0, 0) < 0, "hand-off: bad CPUs");
    node.offline[5] = 1;
    memset(&w, 0, sizeof w);
    w.cpu = four;
    w.pairs = 2;
    TAP_OK(sim_node_handoff(&node, &w, o) == SERVET_OK && handoff(4, 5, 0, 0) < 0, "hand-off: a CPU that went offline");
    open_silent("one-cpu");
    TAP_OK(handoff(0, 1, 0, 0) < 0, "hand-off: nobody to hand to");
}

static void test_operate(void)
{
    static const int two[] = { 0, 1 }, siblings[] = { 0, 128 }, many[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    uint32_t at[8] = { 0 };
    double one, both, x[8];
    int i;
    open_silent("zen-256");
    one = operation(two, 1, NULL, SERVET_OPERATE_ADD);
    both = operation(siblings, 2, NULL, SERVET_OPERATE_ADD);
    TAP_OK(both > 1.8 * one && operation(two, 2, NULL, SERVET_OPERATE_ADD) < 1.01 * one,
           "operations: siblings halve each other's adds, others do not");
    open_silent("interlagos");
    one = operation(two, 1, NULL, SERVET_OPERATE_ADD);
    TAP_OK(operation(two, 2, NULL, SERVET_OPERATE_ADD) < 1.15 * one, "operations: cores of a module hardly do");
    open_silent("niagara");
    for (i = 0; i < 3; i++) {
        static const int far_two[] = { 0, 4 };
        at[1] = 8u << i;
        x[i] = operation(far_two, 2, at, SERVET_OPERATE_ATOMIC);
    }
    TAP_OK(x[0] > 2 * x[1] && x[1] < 1.01 * x[2], "operations: Niagara's block is 16");
    open_silent("a64fx");
    at[1] = 248;
    x[0] = operation(two, 2, at, SERVET_OPERATE_ATOMIC);
    at[1] = 256;
    x[1] = operation(two, 2, at, SERVET_OPERATE_ATOMIC);
    at[0] = 248;
    x[2] = operation(two, 2, at, SERVET_OPERATE_ATOMIC);
    TAP_OK(x[0] > 2 * x[1] && x[1] < 1.01 * x[2], "operations: that of A64FX is 256, wherever in it");
    open_silent("marenostrum5");
    for (i = 1; i <= 8; i *= 2) x[i - 1] = operation(many, i, NULL, SERVET_OPERATE_ATOMIC);
    TAP_OK(x[7] > 3 * x[1] && x[1] > 3 * x[0], "operations: atomic updates of one place in proportion to CPUs");
    for (i = 1; i <= 8; i *= 2) x[i - 1] = operation(many, i, NULL, SERVET_OPERATE_ALTERNATE);
    TAP_OK(x[7] > 3 * x[1], "operations: and alternating stores");
    TAP_OK(operation(many, 8, NULL, SERVET_OPERATE_READ) < 0.34, "operations: loads stay as fast, 0.33 ns in the study");
    TAP_OK(operation(many, 8, NULL, SERVET_OPERATE_WRITE) < 20 * operation(many, 1, NULL, SERVET_OPERATE_WRITE)
           && operation(many, 8, NULL, SERVET_OPERATE_WRITE) < 0.05 * x[7],
           "operations: a store buffer hides stores to one place");
    at[0] = 4;
    TAP_OK(operation(two, 2, at, SERVET_OPERATE_READ) < 0 && operation(two, 2, NULL, 6) < 0, "operations: bad arguments");
}

static void test_noise(void)
{
    servet_handoff w;
    static const int cpu[] = { 0, 3 };
    int i, outliers = 0, flagged = 0, contaminated = 0, told = 0, calls = 4000;
    double sum = 0;
    if (sim_node_open(&node, sim_node_named("dunnington"), &sim_node_noises[SIM_NODE_RATED], 3) < 0) abort();
    memset(&w, 0, sizeof w);
    w.cpu = cpu;
    w.pairs = 1;
    for (i = 0; i < calls; i++) {
        sim_node_handoff(&node, &w, sample);
        sum += log(sample[0].ns / 100) / calls;
        outliers += sample[0].ns > 130;
        flagged += sample[0].flags != 0;
    }
    TAP_DIAG("noise: mean of logarithms %.3f, beyond 1.3: %.3f, flagged %.3f", sum, (double)outliers / calls,
             (double)flagged / calls);
    TAP_OK(fabs(sum) < 0.05 && outliers > 0.015 * calls && outliers < 0.04 * calls, "noise: 3 %% are outliers");
    TAP_OK(flagged > 0.01 * calls && flagged < 0.02 * calls, "noise: and half of them are told");
    if (sim_node_open(&node, sim_node_named("dunnington"), &sim_node_noises[SIM_NODE_VISITED], 3) < 0) abort();
    for (i = 0; i < calls; i++) {
        sim_node_handoff(&node, &w, sample);
        contaminated += sample[0].ns > 330;
        told += sample[0].ns > 330 && sample[0].flags;
    }
    TAP_DIAG("noise: %d of %d contaminated, %d told", contaminated, calls, told);
    TAP_OK(contaminated > 0 && contaminated < 0.03 * calls && told > 0 && told < contaminated, "noise: neighbours");
}

int main(void)
{
    test_truth();
    test_handoff();
    test_operate();
    test_noise();
    return tap_done();
}

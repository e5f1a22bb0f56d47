/* pairs_nodes.c - modelled nodes of many CPUs: the models against what they say, and what is found on them
 *
 * NODES_SEEDS=100 takes so many seeds of each node instead of 8, AT_LENGTH=1 takes 20; nodes of more than 64 CPUs have
 * a quarter, and half as many the second run, with neighbours who come and go.  NODES_ONLY names parts: latency,
 * sharing, coherence, contention, streams. */
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
    TAP_OK(sim_node_cache_groups(&node, 1, group) == 12 && is_group(group, dunnington, 2),
           "Dunnington: {0,12} share L2");
    TAP_OK(sim_node_cache_groups(&node, 2, group) == 4 && is_group(group, dunnington, 6),
           "Dunnington: {0,1,2,12,13,14} share L3");
    TAP_OK(sim_node_core_groups(&node, group) == 0 && sim_node_node_groups(&node, group) == 1,
           "Dunnington: one memory");
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
    TAP_OK(operation(many, 8, NULL, SERVET_OPERATE_READ) < 0.34,
           "operations: loads stay as fast, 0.33 ns in the study");
    TAP_OK(operation(many, 8, NULL, SERVET_OPERATE_WRITE) < 20 * operation(many, 1, NULL, SERVET_OPERATE_WRITE)
           && operation(many, 8, NULL, SERVET_OPERATE_WRITE) < 0.05 * x[7],
           "operations: a store buffer hides stores to one place");
    at[0] = 4;
    TAP_OK(operation(two, 2, at, SERVET_OPERATE_READ) < 0 && operation(two, 2, NULL, SERVET_OPERATIONS) < 0,
           "operations: bad arguments");
}

/* Latency of a beside b (or alone, b below 0), both over so many bytes. */
static double chase(int a, int b, double bytes)
{
    int cpu[2];
    size_t n[2];
    servet_sample o[2];
    cpu[0] = a;
    cpu[1] = b;
    n[0] = n[1] = (size_t)(bytes / 64);
    return sim_node_together(&node, cpu, b < 0 ? 1 : 2, n, NULL, o) < 0 ? -1 : o[0].ns;
}

/* The same machine in the laboratory of accesses: lines, levels, who shares; no TLBs, no prefetchers. */
static sim_node_spec same_as(const sim_spec *m)
{
    sim_node_spec s = *sim_node_named("kentsfield");
    int l;
    memset(s.cache, 0, sizeof s.cache);
    s.cpus[0] = s.node_cpus = s.link_cpus = m->cpus;
    s.layer[0].name = NULL;
    s.node_bytes_per_ns = 1e6;
    s.memory_ns = m->memory_ns;
    for (l = 0; l < sim_truth_levels(m); l++) {
        const int policy = m->level[l].policy;
        s.cache[l].bytes[0] = m->level[l].bytes;
        s.cache[l].cpus[0] = m->level[l].cores > 1 ? m->level[l].cores : 1;
        s.cache[l].ways = m->level[l].ways;
        s.cache[l].ns = m->level[l].ns;
        s.cache[l].policy = policy == SIM_RANDOM ? SIM_RANDOM : policy == SIM_DRRIP ? SIM_DRRIP : SIM_LRU;
        s.cache[l].exclusive = m->level[l].relation == SIM_EXCLUSIVE;
    }
    return s;
}

static void test_against_accesses(void)
{
    static const char *const name[] = { "core2", "paper-dunnington", "cortex-a72", "zen3" };
    static sim lab;
    int i, k, seed;
    double worst = 0;
    for (i = 0; i < 4; i++) {
        sim_spec m = *sim_named(name[i]);
        const int last = sim_truth_levels(&m) - 1;
        const sim_node_spec spec = same_as(&m);
        memset(m.tlb, 0, sizeof m.tlb);
        memset(m.tlb_huge, 0, sizeof m.tlb_huge);
        m.pairs = m.next_line = m.follow_pages = 0;
        for (k = 2; k <= 6; k += 2) {
            static const int cpu[] = { 0, 1 };
            size_t n[2];
            servet_sample o[2];
            servet_chase_opts c;
            double accesses[2] = { 0, 0 }, formulas[2], off;
            memset(&c, 0, sizeof c);
            c.line_bytes = 64;
            n[0] = n[1] = (size_t)(k / 6.0 * m.level[last].bytes / 64);
            for (seed = 1; seed <= 3; seed++) {
                if (sim_open(&lab, &m, NULL, (uint64_t)seed) < 0) abort();
                lab.exact = 2048;
                c.seed = (uint64_t)seed;
                if (sim_together(&lab, cpu, 1, n, &c, o) == SERVET_OK) accesses[0] += o[0].ns / 3;
                if (sim_together(&lab, cpu, 2, n, &c, o) == SERVET_OK) accesses[1] += o[0].ns / 3;
                sim_close(&lab);
            }
            if (sim_node_open(&node, &spec, NULL, 1) < 0) abort();
            formulas[0] = chase(0, -1, k / 6.0 * m.level[last].bytes);
            formulas[1] = chase(0, 1, k / 6.0 * m.level[last].bytes);
            off = fmax(fabs(log(formulas[0] / accesses[0])), fabs(log(formulas[1] / accesses[1])));
            worst = fmax(worst, off);
            TAP_DIAG("%-16s %d/6 of the last level: accesses %.1f alone, %.1f beside another; formulas %.1f, %.1f",
                     name[i], k, accesses[0], accesses[1], formulas[0], formulas[1]);
        }
    }
    TAP_OK(worst < 0.25, "chases: formulas are at most %.0f %% from the laboratory of accesses", 100 * worst);
}

static void test_together(void)
{
    int i, n[256], cpus = 0;
    size_t elements[256];
    static servet_sample o[256];
    double alone, own, most = 0;
    open_silent("dunnington");
    alone = chase(0, -1, 2097152);
    TAP_OK(chase(0, 12, 2097152) > 2 * alone && chase(0, 1, 2097152) < 1.1 * alone,
           "chases: two thirds of L2: 0 and 12 slow each other to more than twice, 0 and 1 do not");
    alone = chase(0, -1, 8388608);
    TAP_OK(chase(0, 1, 8388608) > 2 * alone && chase(0, 3, 8388608) < 1.1 * alone,
           "chases: of L3: 0 and 1 do, 0 and 3 do not");
    open_silent("finis-terrae");
    for (i = 1; i < 16; i++) most = fmax(most, chase(0, i, 6291456) / chase(0, -1, 6291456));
    TAP_OK(most < 2, "chases: Finis Terrae: all ratios are below 2, here %.2f", most);
    open_silent("zen-256");
    for (i = 0; i < 256; i++) {
        n[i] = i;
        elements[i] = 16384;
    }
    cpus = sim_node_together(&node, n, 256, elements, NULL, o) == SERVET_OK ? 256 : 0;
    own = chase(0, -1, 1048576);
    TAP_OK(cpus == 256 && o[0].ns < 2 * own, "chases: 256 CPUs at once, 1 MiB each, find place");
    for (i = 0; i < 256; i++) elements[i] = 65536;
    TAP_OK(sim_node_together(&node, n, 256, elements, NULL, o) == SERVET_OK && o[0].ns > 3 * chase(0, -1, 4194304),
           "chases: with 4 MiB each they do not, where one does");
    TAP_OK(chase(0, 0, 4096) < 0 && chase(256, -1, 4096) < 0, "chases: bad CPUs");
}

static double rate(const int *cpu, int cpus, double bytes, int kernel, int streaming, int memory, int at)
{
    servet_streams w;
    servet_stream t;
    servet_stream_sample o;
    memset(&w, 0, sizeof w);
    memset(&t, 0, sizeof t);
    t.kernel = kernel;
    t.streaming = streaming;
    w.stream = &t;
    w.streams = 1;
    w.cpu = cpu;
    w.cpus = cpus;
    w.bytes = bytes;
    w.memory = memory;
    w.node = at;
    return sim_node_bandwidth(&node, &w, &o) < 0 ? -1 : o.bytes_per_s * 1e-9;
}

static double all_load(int cpus)
{
    int cpu[SIM_NODE_CPUS], i;
    for (i = 0; i < cpus; i++) cpu[i] = i;
    return rate(cpu, cpus, 1e9, SERVET_STREAM_LOAD, 0, 0, 0);
}

static void test_bandwidth(void)
{
    static const double harpertown[] = { 2.29, 2.22, 1.29, 0.65 };
    int cpu[SIM_NODE_CPUS], i, ok = 1;
    double one, x, bus = 0, cell = 0, apart = 0;
    open_silent("finis-terrae");
    cpu[0] = 0;
    one = rate(cpu, 1, 1e9, SERVET_STREAM_COPY, 0, 0, 0);
    for (i = 1; i < 16; i++) {
        cpu[1] = i;
        x = rate(cpu, 2, 1e9, SERVET_STREAM_COPY, 0, 0, 0) / 2 / one;
        if (i < 4) bus += x / 3;
        else if (i < 8) cell += x / 4;
        else apart += x / 8;
    }
    TAP_DIAG("Finis Terrae: of what one CPU copies each of two gets %.2f on a bus, %.2f in a cell, %.2f apart", bus,
             cell, apart);
    TAP_OK(bus < 0.6 && fabs(cell - 0.75) < 0.05 && apart > 0.99, "streams: Finis Terrae's bus and cell, as published");
    open_silent("harpertown");
    for (i = 0; i < 8; i++) cpu[i] = i;
    for (i = 0; i < 4; i++) ok &= fabs(all_load(1 << i) / (1 << i) / harpertown[i] - 1) < 0.05;
    TAP_OK(ok, "streams: Harpertown's 2.29, 2.22, 1.29, 0.65 GB/s for each of 1, 2, 4, 8 within 5 %%");
    open_silent("marenostrum5");
    for (i = 0; i < 112; i++) cpu[i] = i;
    one = all_load(1);
    TAP_OK(one > 10 && one < 15 && fabs(all_load(56) / 225 - 1) < 0.03 && fabs(all_load(112) / 450 - 1) < 0.03,
           "streams: a CPU of MareNostrum 5 alone, a socket, both");
    TAP_OK(fabs(rate(cpu, 56, 1e9, SERVET_STREAM_LOAD, 0, SERVET_MEMORY_NODE, 1) / 126 - 1) < 0.03,
           "streams: remote memory is as fast as the links");
    TAP_OK(rate(cpu, 56, 1e9, SERVET_STREAM_LOAD, 0, SERVET_MEMORY_SPREAD, 0) > 1.1 * all_load(56),
           "streams: and memory in turn is faster than that of one socket");
    TAP_OK(rate(cpu, 1, 16384, SERVET_STREAM_LOAD, 0, 0, 0) > 1.5 * rate(cpu, 1, 1048576, SERVET_STREAM_LOAD, 0, 0, 0)
           && rate(cpu, 1, 1048576, SERVET_STREAM_LOAD, 0, 0, 0) > 1.5 * rate(cpu, 1, 3e7, SERVET_STREAM_LOAD, 0, 0, 0),
           "streams: levels are as fast as they are near");
    TAP_OK(rate(cpu, 56, 1e9, SERVET_STREAM_COPY, 1, 0, 0) > 1.2 * rate(cpu, 56, 1e9, SERVET_STREAM_COPY, 0, 0, 0)
           && rate(cpu, 56, 3e5, SERVET_STREAM_COPY, 1, 0, 0) < 0.5 * rate(cpu, 56, 3e5, SERVET_STREAM_COPY, 0, 0, 0),
           "streams: non-temporal copies win in memory and lose in caches");
    i = sim_node_enough(&node, cpu, 56, SERVET_STREAM_LOAD, 1e9, 0.95);
    TAP_OK(i > 18 && i < 35 && all_load(i) >= 0.95 * all_load(56) && all_load(i - 1) < 0.95 * all_load(56),
           "streams: %d CPUs are enough for a socket", i);
    {
        servet_streams w;
        servet_stream t[3];
        servet_stream_sample o[3];
        memset(&w, 0, sizeof w);
        memset(t, 0, sizeof t);
        t[0].gap_ns = -1;
        t[1].gap_ns = 10000;
        w.stream = t;
        w.streams = 3;
        w.cpu = cpu;
        w.cpus = 56;
        w.bytes = 1e9;
        w.chase_bytes = 1e9;
        memset(o, 0, sizeof o);
        ok = sim_node_bandwidth(&node, &w, o) == SERVET_OK;
        TAP_OK(ok && o[0].bytes_per_s <= 0 && o[0].chase_ns > 100
               && o[1].chase_ns > 1.03 * o[0].chase_ns && o[2].chase_ns > 1.5 * o[1].chase_ns
               && o[2].bytes_per_s > o[1].bytes_per_s, "streams: a chase waits behind them, %.0f, %.0f, %.0f ns",
               o[0].chase_ns, o[1].chase_ns, o[2].chase_ns);
    }
    open_silent("zen-256");
    for (i = 0; i < 8; i++) cpu[i] = i;
    for (i = 0; i < 8; i++) cpu[8 + i] = 8 * i;
    x = rate(cpu + 8, 8, 1e9, SERVET_STREAM_LOAD, 0, 0, 0);
    TAP_OK(rate(cpu, 8, 1e9, SERVET_STREAM_LOAD, 0, 0, 0) < 43 && x > 125,
           "streams: eight CPUs of one cache share its path, eight of eight do not");
    {
        static const int chains[] = { 1, 4, 32 };
        servet_parallel w;
        servet_sample o[3];
        memset(&w, 0, sizeof w);
        w.n = 1 << 24;
        w.chains = chains;
        w.counts = 3;
        w.cpu = cpu;
        w.cpus = 1;
        memset(o, 0, sizeof o);
        ok = sim_node_parallel(&node, &w, o) == SERVET_OK;
        TAP_OK(ok && o[0].ns > 3.5 * o[1].ns && o[1].ns > 4 * o[2].ns && o[0].ns < 24 * o[2].ns,
               "chains: %.1f, %.1f, %.2f ns for 1, 4, 32", o[0].ns, o[1].ns, o[2].ns);
    }
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

/* ---- rates: what is found on all machines, at 5 % noise and outliers, over many seeds ------------------- */

/* Groups as sets of CPUs: those there are, and those that may be named as well. */
enum { GROUPS = 1024 };
typedef struct sets { int count; uint64_t set[GROUPS][SIM_NODE_CPUS / 64]; } sets;

static void sets_add(sets *s, const int16_t *group, const int *cpu, int cpus, int whole)
{
    int i, g;
    for (g = 0; g < node.cpus; g++) {
        uint64_t set[SIM_NODE_CPUS / 64] = { 0 };
        int members = 0;
        for (i = 0; i < cpus; i++)
            if (group[i] == g) {
                const int c = cpu ? cpu[i] : i;
                set[c / 64] |= UINT64_C(1) << c % 64;
                members++;
            }
        if (members < 2 || (members == node.cpus && !whole)) continue;
        for (i = 0; i < s->count && memcmp(s->set[i], set, sizeof set) != 0; i++) { }
        if (i < s->count || s->count == GROUPS) continue;
        memcpy(s->set[s->count++], set, sizeof set);
    }
}

/* Groups of a that are not in b. */
static int sets_missing(const sets *a, const sets *b)
{
    int i, j, missing = 0;
    for (i = 0; i < a->count; i++) {
        for (j = 0; j < b->count && memcmp(a->set[i], b->set[j], sizeof a->set[i]) != 0; j++) { }
        missing += j == b->count;
    }
    return missing;
}

typedef struct tally { int runs, right, missed, false_groups; } tally;

/* A machine with its documented numbers, or of odd seeds with drawn ones. */
static servet_machine machine(int which, int noise, int seed, int *cpu)
{
    int i;
    if (sim_node_open(&node, &sim_nodes[which], &sim_node_noises[noise], (uint64_t)(1000 * which + seed)) < 0) abort();
    if (seed % 2) sim_node_scramble(&node, (uint64_t)seed);
    for (i = 0; i < node.cpus; i++) cpu[i] = i;
    return sim_node_machine(&node);
}

static servet_cores cores;
static servet_layers layers;
static sets truth, may, got;

/* All groups of layers, and nothing else: but all CPUs of a kind may be named where there are two. */
static int latency_right(const int *cpu)
{
    int16_t group[SIM_NODE_CPUS];
    int l, p;
    truth.count = may.count = got.count = 0;
    for (l = 0; sim_node_layer_groups(&node, l, group) >= 0; l++) sets_add(&truth, group, NULL, node.cpus, 0);
    may = truth;
    for (p = 0; p < node.cpus; p++) group[node.number[p]] = (int16_t)sim__node_kind(node.spec, p);
    sets_add(&may, group, NULL, node.cpus, 0);
    if (servet__cores_layers(&layers, &cores, SERVET_HANDOFF_FLAGS) < 0) layers.count = 0;
    for (l = 0; l < layers.count; l++) sets_add(&got, layers.group[l], cpu, node.cpus, 0);
    return sets_missing(&truth, &got) == 0 && sets_missing(&got, &may) == 0;
}

/* Levels as a profile would have them: found within some percent. */
static void found_levels(servet_levels *out, int kind, uint64_t seed)
{
    const sim_node_spec *s = node.spec;
    int l;
    memset(out, 0, sizeof *out);
    for (l = 0; l < sim__node_caches(s); l++) {
        servet_level *v = &out->level[out->count++];
        v->level = l + 1;
        v->bytes = v->lo_bytes = v->hi_bytes = s->cache[l].bytes[kind] * exp(0.02 * sim__node_normal(&seed));
        if (l && s->cache[l].exclusive) v->bytes += s->cache[l - 1].bytes[kind];    /* as a curve shows it */
        v->latency_ns = s->cache[l].ns;
        v->ways = s->cache[l].ways;
        v->policy = s->cache[l].policy == SIM_LRU ? SERVET_POLICY_LRU
                  : s->cache[l].policy == SIM_RANDOM ? SERVET_POLICY_RANDOM : SERVET_POLICY_ADAPTIVE;
        v->placement = l ? SERVET_PLACEMENT_RANDOM : SERVET_PLACEMENT_EVEN;
    }
    out->memory_ns = s->memory_ns;
}

typedef struct rates {
    int runs, layers, siblings, sharing, levels, level_runs, unknown, block, destructive, overheads, verdicts, enough;
    int missed, false_groups, gammas, told, partly, numa, points, mlp;
    double latency_s, sharing_s, contention_s;
    char first[256];            /* what went wrong first                                             */
} rates;

static servet_sharing sharing;
static sets siblings;

TAP_PRINTF(2, 3)
static void say(rates *r, const char *fmt, ...)
{
    va_list args;
    if (r->first[0]) return;
    va_start(args, fmt);
    vsnprintf(r->first, sizeof r->first, fmt, args);
    va_end(args);
}

/* Hand-offs, their layers, siblings. */
static void rate_latency(rates *r, const servet_machine *m, const int *cpu, int seed)
{
    int16_t group[SIM_NODE_CPUS];
    servet_cores_opts o;
    memset(&o, 0, sizeof o);
    o.run.seed = (uint64_t)seed;
    memset(&cores, 0, sizeof cores);
    memset(&layers, 0, sizeof layers);
    if (servet_pairs_latency(&cores, m, cpu, node.cpus, &o) < 0) return;
    r->latency_s += cores.seconds;
    if (latency_right(cpu)) r->layers++;
    else say(r, "seed %d: layers: %d groups missed, %d false", seed, sets_missing(&truth, &got),
             sets_missing(&got, &may));
    r->missed += sets_missing(&truth, &got);
    r->false_groups += sets_missing(&got, &may);
    truth.count = siblings.count = 0;
    sim_node_core_groups(&node, group);
    sets_add(&truth, group, NULL, node.cpus, 1);
    if (servet__cores_siblings(group, &cores) >= 0) sets_add(&siblings, group, cpu, node.cpus, 1);
    if (sets_missing(&truth, &siblings) == 0 && sets_missing(&siblings, &truth) == 0) r->siblings++;
    else say(r, "seed %d: %d siblings missed, %d false", seed, sets_missing(&truth, &siblings),
             sets_missing(&siblings, &truth));
}

/* Who shares each level, of each kind of core by itself, as levels differ. */
static void rate_sharing(rates *r, const servet_machine *m, const int *cpu, int seed)
{
    int16_t group[SIM_NODE_CPUS], *all = group;
    int kind, l, i, good = 1;
    for (kind = 0; kind < 2 && node.spec->cpus[kind] > 0; kind++) {
        int of[SIM_NODE_CPUS], cpus = 0;
        servet_levels levels;
        servet_sharing_opts o;
        memset(&o, 0, sizeof o);
        o.run.seed = (uint64_t)seed;
        o.line_bytes = 64;
        o.layers = node.spec->cpus[1] > 0 ? NULL : &layers;
        o.run.budget_s = 120;
        for (i = 0; i < node.cpus; i++)
            if (sim__node_kind(node.spec, node.place[cpu[i]]) == kind) of[cpus++] = cpu[i];
        found_levels(&levels, kind, (uint64_t)(seed + 100 * kind));
        if (servet_pairs_shared(&sharing, m, &levels, of, cpus, &o) < 0) {
            good = 0;
            continue;
        }
        r->sharing_s += sharing.seconds;
        for (l = 0; l < levels.count; l++) {
            const servet_sharing_level *v = &sharing.level[l];
            int16_t mine[SIM_NODE_CPUS];
            int right;
            sim_node_cache_groups(&node, l, all);
            for (i = 0; i < cpus; i++) mine[i] = all[of[i]];
            truth.count = got.count = 0;
            sets_add(&truth, mine, of, cpus, 1);
            if (l < sharing.count && v->status == SERVET_OK) sets_add(&got, v->group, of, cpus, 1);
            right = l < sharing.count && v->status == SERVET_OK && v->unknown == 0
                 && sets_missing(&truth, &got) == 0 && sets_missing(&got, &truth) == 0;
            r->level_runs++;
            r->levels += right;
            r->unknown += l < sharing.count ? v->unknown : cpus;
            if (!right)
                say(r, "seed %d: level %d: %s, %d unknown, %d of %d groups missed, %d false", seed, l + 1,
                    l < sharing.count ? servet_status_text(v->status) : "not reached", v->unknown,
                    sets_missing(&truth, &got), truth.count, sets_missing(&got, &truth));
            good &= right;
        }
    }
    r->sharing += good;
}

static servet_coherence coherence;

/* The block, between CPUs that are far apart; the destructive size, of two pairs or two CPUs. */
static void rate_coherence(rates *r, const servet_machine *m, int seed)
{
    const sim_node_spec *s = node.spec;
    int cpu[4], cpus = 0, c, i;
    servet_coherence_opts o;
    memset(&o, 0, sizeof o);
    memset(&coherence, 0, sizeof coherence);
    o.run.seed = (uint64_t)seed;
    for (c = 0; c < node.cpus && cpus < 4; c++) {
        int fits = 1;
        for (i = 0; i < cpus; i++) fits &= !sim__node_together(s, s->threads, node.place[c], node.place[cpu[i]]);
        if (fits) cpu[cpus++] = c;
    }
    if (cpus < 2) {    /* one core: nothing can be told, and must not be */
        cpu[0] = 0;
        cpu[1] = 1;
        servet_coherence_block(&coherence, m, cpu, 1, &o);
        r->block += !(coherence.block[0].bytes > 0);
        r->destructive++;
        return;
    }
    servet_coherence_block(&coherence, m, cpu, 1, &o);
    if (coherence.blocks == 1 && (int)coherence.block[0].bytes == s->block_bytes) r->block++;
    else say(r, "seed %d: block of %.0f (%.0f to %.0f) bytes", seed, coherence.block[0].bytes,
             coherence.block[0].lo_bytes, coherence.block[0].hi_bytes);
    servet_coherence_destructive(&coherence, m, cpu, cpus < 4 ? 2 : 4, s->block_bytes, &o);
    if ((int)coherence.destructive.bytes == s->destructive_bytes) r->destructive++;
    else say(r, "seed %d: destructive size of %.0f bytes", seed, coherence.destructive.bytes);
}

static servet_contention contention;

static double copied(const int *cpu, int cpus)
{
    return sim_node_kernel_rate(&node, cpu, cpus, SERVET_STREAM_COPY, contention.bytes);
}

/* Members of a domain, by their numbers. */
static int members(const servet_contention_domain *d, int *cpu)
{
    int i, n = 0;
    for (i = 0; i < contention.cpus; i++)
        if (contention.group[d->layer][i] == d->group) cpu[n++] = contention.cpu[i];
    return n;
}

/* Levels of overhead of pairs: none where nothing is lost, and where something is, within a tenth of what is left. */
static int overheads_right(void)
{
    double one[SIM_NODE_CPUS];
    int a, b, wrong = 0;
    for (a = 0; a < contention.cpus; a++) one[a] = copied(&contention.cpu[a], 1);
    for (b = 0; b < contention.cpus; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b), level = contention.overhead[at];
            int two[2];
            double left;
            two[0] = contention.cpu[a];
            two[1] = contention.cpu[b];
            left = copied(two, 2) / (one[a] + one[b]);
            if (left > 0.97) wrong += level != -1;
            else if (left < 0.9)
                wrong += level < 0 || fabs(contention.level[level].bytes_per_s / contention.reference_bytes_per_s / left
                                           - 1) > 0.1;
        }
    return wrong;
}

/* Verdicts on domains, each beside another or all parts of one, that are wrong: a sixth lost must be told, and what is
 * hardly lost must not.  told: how many say yes or no; partly: how many say that some is lost where it is not. */
static int verdicts_wrong(int *told, int *partly)
{
    int i, j, wrong = 0;
    for (*told = *partly = i = 0; i < contention.gammas; i++) {
        const servet_contention_gamma *g = &contention.gamma[i];
        int cpu[SIM_NODE_CPUS], n;
        double alone = 0, lost;
        if (g->b >= 0) {
            n = members(&contention.domain[g->a], cpu);
            alone = copied(cpu, n);
            j = members(&contention.domain[g->b], cpu + n);
            alone += copied(cpu + n, j);
            n += j;
        } else {
            for (j = 0; j < contention.domains; j++)
                if (contention.domain[j].parent == g->a) {
                    n = members(&contention.domain[j], cpu);
                    alone += copied(cpu, n);
                }
            n = members(&contention.domain[g->a], cpu);
        }
        lost = 1 - copied(cpu, n) / alone;
        *told += g->verdict == SERVET_COLLIDE_YES || g->verdict == SERVET_COLLIDE_NO;
        wrong += (lost > 0.16 && g->verdict != SERVET_COLLIDE_YES) || (lost > 0.06 && g->verdict == SERVET_COLLIDE_NO)
              || (lost < 0.05 && g->verdict == SERVET_COLLIDE_YES);
        *partly += lost < 0.01 && g->verdict == SERVET_COLLIDE_PARTLY;
    }
    return wrong;
}

/* How many CPUs are enough for a domain, of its groups in turn: the truth is in its interval, or
 * as many get nine tenths of the best and are no more than a quarter above the truth. */
static int enough_wrong(rates *r, int seed, const int16_t *core)
{
    int i, k, wrong = 0;
    for (i = 0; i < contention.scalings; i++) {
        const servet_contention_scaling *x = &contention.scaling[i];
        const servet_contention_domain *d = &contention.domain[x->domain];
        int cpu[SIM_NODE_CPUS], order[SIM_NODE_CPUS], sorted[SIM_NODE_CPUS], n = members(d, cpu), enough;
        servet__bandwidth_order(order, cpu, n, contention.group[0], SERVET_CORES_MAX, d->layer, core, 1);
        for (k = 0; k < n; k++) sorted[k] = cpu[order[k]];
        enough = sim_node_enough(&node, sorted, n, SERVET_STREAM_COPY, contention.bytes, 0.95);
        if (enough >= x->lo_enough && enough <= x->hi_enough) continue;
        if (x->enough <= enough + enough / 4 + 1 && copied(sorted, x->enough) > 0.95 * copied(sorted, enough)) continue;
        wrong++;
        say(r, "seed %d: %d of %d are enough, not %d (%d to %d; misfit %.3f)", seed, enough, n, x->enough, x->lo_enough,
            x->hi_enough, x->fit.misfit_frac);
    }
    return wrong;
}

/* Who slows whom at memory. */
static void rate_contention(rates *r, const servet_machine *m, const int *cpu, int seed)
{
    const sim_node_spec *s = node.spec;
    int16_t core[SIM_NODE_CPUS], at[SIM_NODE_CPUS];
    servet_contention_opts o;
    double bytes = 8 * s->cache[sim__node_caches(s) - 1].bytes[0];
    int i, pairs, wrong, told, partly, late;
    memset(&o, 0, sizeof o);
    o.run.seed = (uint64_t)seed;
    o.run.budget_s = 60;
    o.layers = &layers;
    o.core = core;
    sim_node_core_groups(&node, core);
    for (i = 0; i < node.cpus; i++) at[i] = (int16_t)sim__node_of(s, node.place[i]);
    if (!s->hidden && s->node_cpus < node.cpus) o.node = at;
    told = servet_bandwidth_contention(&contention, m, bytes > 1e8 ? bytes : 1e8, cpu, node.cpus, &o);
    if (told < 0) {
        say(r, "seed %d: contention: %s", seed, servet_status_text(told));
        return;
    }
    r->contention_s += contention.seconds;
    pairs = overheads_right();
    wrong = verdicts_wrong(&told, &partly);
    r->gammas += contention.gammas;
    r->told += told;
    r->partly += partly;
    late = enough_wrong(r, seed, core);
    r->overheads += pairs == 0;
    r->verdicts += wrong == 0;
    r->enough += late == 0;
    if (pairs || wrong)
        say(r, "seed %d: %d pairs of a wrong overhead, %d of %d verdicts wrong (%d told)", seed, pairs, wrong,
            contention.gammas, told);
}

static servet_bandwidth band;
static servet_parallelism chains;

/* Rates and latencies of nodes to each node's memory and to all in turn, within 15 %; and how many loads one CPU has
 * under way, within a tenth or in the interval.  More than four nodes are more points than servet_bandwidth has. */
static void rate_streams(rates *r, const servet_machine *m, const int *cpu, int seed)
{
    const sim_node_spec *s = node.spec;
    const int nodes = node.cpus / s->node_cpus;
    static servet_node at[SERVET_CPU_WORDS];
    servet_bandwidth_opts o;
    servet_mlp mlp;
    static const int few_and_many[2] = { 1, SERVET_CHAINS_MAX };
    static sim_node silent;
    servet_parallel all;
    servet_sample ends[2];
    double wide = 0;
    int i, far_off = 0;
    memset(&o, 0, sizeof o);
    o.run.seed = (uint64_t)seed;
    o.run.budget_s = 60;
    if (nodes > 1 && nodes <= 4 && !s->hidden) {
        memset(at, 0, sizeof at);
        for (i = 0; i < nodes; i++) at[i].id = i;
        for (i = 0; i < node.cpus; i++) servet_cpus_add(&at[sim__node_of(s, node.place[cpu[i]])].cpus, cpu[i]);
        memset(&band, 0, sizeof band);
        if (servet__bandwidth_numa(&band, m, at, nodes, 1e9, &o) < 0) far_off = 1;
        for (i = 0; i < band.count; i++) {
            const servet_bandwidth_point *p = &band.point[i];
            int members[SIM_NODE_CPUS], n = 0, c;
            servet_streams w;
            servet_stream what;
            double real;
            if (p->chase_bytes > 0) {    /* in silence */
                const double far_ns = s->memory_ns / s->far_frac, ns = p->node == p->cpu_node
                                    || p->node * s->node_cpus / s->link_cpus
                                       == p->cpu_node * s->node_cpus / s->link_cpus ? s->memory_ns : far_ns;
                if (p->memory != SERVET_MEMORY_NODE || fabs(p->chase_ns / ns - 1) < 0.15) continue;
                far_off++;
                say(r, "seed %d: node %d, memory of %d: %.0f ns, not %.0f", seed, p->cpu_node, p->node, p->chase_ns,
                    ns);
                continue;
            }
            if (!(p->bytes_per_s > 0)) continue;
            memset(&w, 0, sizeof w);
            memset(&what, 0, sizeof what);
            for (c = servet_cpus_next(&at[p->cpu_node].cpus, -1); c >= 0 && n < p->cpus;
                 c = servet_cpus_next(&at[p->cpu_node].cpus, c)) members[n++] = c;
            what.kernel = p->kernel;
            what.streaming = p->streaming;
            w.cpu = members;
            w.bytes = p->bytes;
            w.memory = p->memory;
            w.node = p->node;
            real = 1e9 * sim_node_stream_rate(&node, members, n, &w, &what, NULL);
            r->points++;
            if (fabs(p->bytes_per_s / real - 1) < 0.15) continue;
            far_off++;
            say(r, "seed %d: %s by %d of node %d, memory %d of %d: %.1f GB/s, not %.1f", seed,
                servet_text(SERVET_TEXT_KERNEL, p->kernel), n, p->cpu_node, p->memory, p->node, p->bytes_per_s / 1e9,
                real / 1e9);
        }
    }
    r->numa += far_off == 0;
    silent = node;
    silent.noise = sim_node_noises[SIM_NODE_SILENT];
    memset(&all, 0, sizeof all);
    all.n = 15625000;
    all.chains = few_and_many;
    all.counts = 2;
    all.cpu = cpu;
    all.cpus = 1;
    if (sim_node_parallel(&silent, &all, ends) == SERVET_OK) wide = ends[0].ns / ends[1].ns;
    if (servet_bandwidth_parallel(&chains, m, 1e9, cpu, 1, &o) < 0
        || servet__bandwidth_fit_parallel(&mlp, &chains) < 0) {
        say(r, "seed %d: no loads under way", seed);
        return;
    }
    if ((mlp.lo_mlp <= wide && (mlp.hi_mlp >= wide || mlp.open)) || fabs(mlp.mlp / wide - 1) < 0.1) r->mlp++;
    else say(r, "seed %d: %.1f loads under way (%.1f to %.1f), not %.1f", seed, mlp.mlp, mlp.lo_mlp, mlp.hi_mlp, wide);
}

static int node_cpus(int which)
{
    return sim_nodes[which].cpus[0] + sim_nodes[which].cpus[1];
}

static int asked(const char *part)
{
    const char *only = getenv("NODES_ONLY");
    return !only || strstr(only, part) != NULL;
}

static void test_rates(int noise, const char *what, int seeds)
{
    rates sum;
    int i, k, seed, cpu[SIM_NODE_CPUS];
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < SIM_NODES; i++) {
        rates r;
        if (sim_nodes[i].cpus[0] < 2) continue;
        memset(&r, 0, sizeof r);
        for (seed = 1; seed <= (node_cpus(i) > 64 ? (seeds + 3) / 4 : seeds); seed++) {
            servet_machine m = machine(i, noise, seed, cpu);
            r.runs++;
            if (asked("latency") || asked("sharing") || asked("contention")) rate_latency(&r, &m, cpu, seed);
            if (asked("sharing")) rate_sharing(&r, &m, cpu, seed);
            for (k = 0; k < 5 && asked("coherence"); k++) rate_coherence(&r, &m, 5 * seed + k);    /* it is quick */
            if (asked("contention")) rate_contention(&r, &m, cpu, seed);
            node.random = sim__mix((uint64_t)(1000 * i + seed) + 500);   /* whatever the parts before took of it */
            if (asked("streams")) rate_streams(&r, &m, cpu, seed);
        }
        TAP_DIAG("%-15s of %d: layers %d, siblings %d; levels %d of %d; block %d, destructive %d; overheads %d,"
                 " domains %d, enough %d; numa %d, loads %d; %.1f, %.1f, %.1f s%s%s", sim_nodes[i].name, r.runs,
                 r.layers, r.siblings, r.levels, r.level_runs, r.block, r.destructive, r.overheads, r.verdicts,
                 r.enough, r.numa, r.mlp, r.latency_s / r.runs, r.sharing_s / r.runs, r.contention_s / r.runs,
                 r.first[0] ? "; " : "", r.first);
        sum.runs += r.runs;
        sum.layers += r.layers;
        sum.siblings += r.siblings;
        sum.levels += r.levels;
        sum.level_runs += r.level_runs;
        sum.block += r.block;
        sum.destructive += r.destructive;
        sum.overheads += r.overheads;
        sum.verdicts += r.verdicts;
        sum.enough += r.enough;
        sum.numa += r.numa;
        sum.points += r.points;
        sum.mlp += r.mlp;
        sum.gammas += r.gammas;
        sum.told += r.told;
        sum.partly += r.partly;
    }
    if (asked("latency")) {
        TAP_OK(100 * sum.layers >= 99 * sum.runs, "%s: all layers of hand-offs and no other in %d of %d, 99 %% wanted",
               what, sum.layers, sum.runs);
        TAP_OK(100 * sum.siblings >= 99 * sum.runs, "%s: siblings in %d of %d", what, sum.siblings, sum.runs);
    }
    if (asked("sharing"))
        TAP_OK(100 * sum.levels >= 99 * sum.level_runs, "%s: who shares a level, in %d of %d", what, sum.levels,
               sum.level_runs);
    if (asked("coherence")) {
        TAP_OK(20 * sum.block >= 99 * sum.runs, "%s: the block of coherence in %d of %d", what, sum.block,
               5 * sum.runs);
        TAP_OK(20 * sum.destructive >= 99 * sum.runs, "%s: the destructive size in %d of %d", what, sum.destructive,
               5 * sum.runs);
    }
    if (asked("streams")) {
        TAP_OK(100 * sum.numa >= 99 * sum.runs, "%s: near, far and interleaved memory, %d rates: in %d of %d", what,
               sum.points, sum.numa, sum.runs);
        TAP_OK(100 * sum.mlp >= 99 * sum.runs, "%s: loads under way in %d of %d", what, sum.mlp, sum.runs);
    }
    if (asked("contention")) {
        TAP_DIAG("of %d pairs of domains %d are told, and %d to lose some where they lose less than 1 %%", sum.gammas,
                 sum.told, sum.partly);
        /* 99 %, less two standard deviations: of 520 runs at both noises three have a pair of a wrong level. */
        TAP_OK(sum.overheads >= 0.99 * sum.runs - 2 * sqrt(0.99 * 0.01 * sum.runs),
               "%s: levels of overhead of pairs in %d of %d", what, sum.overheads, sum.runs);
        TAP_OK(100 * sum.verdicts >= 99 * sum.runs, "%s: which groups collide in %d of %d", what, sum.verdicts,
               sum.runs);
        TAP_OK(100 * sum.enough >= 95 * sum.runs, "%s: the number that is enough is in its interval in %d of %d", what,
               sum.enough, sum.runs);
    }
}

int main(void)
{
    const char *text = getenv("NODES_SEEDS");
    const int seeds = text ? atoi(text) : tap_runs(20, 8);
    test_truth();
    test_handoff();
    test_operate();
    test_together();
    test_against_accesses();
    test_bandwidth();
    test_noise();
    test_rates(SIM_NODE_RATED, "5 % noise and outliers", seeds);
    test_rates(SIM_NODE_VISITED, "and neighbours who come", (seeds + 1) / 2);
    return tap_done();
}

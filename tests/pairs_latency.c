/* pairs_latency.c - how far CPUs are from each other: what is sound of pairs of modelled nodes, whatever disturbs them;
 * layers and siblings from that */
#include "../servet.h"
#include "sim.h"
#include "nodes.h"
#include "tap.h"

static servet_cores cores;
static servet_layers layers;
static sim_node node;

/* ---- pure ------------------------------------------------------------------------------------------- */

static void test_struct(void)
{
    int16_t group[SERVET_CORES_MAX];
    int a, b, n = 0, ok = 1;
    for (b = 1; b < SERVET_CORES_MAX; b++)
        for (a = 0; a < b; a++) ok &= SERVET_PAIRS_AT(a, b) == n++ && SERVET_PAIRS_AT(b, a) == n - 1;
    TAP_OK(ok && n == SERVET_CORES_PAIRS, "every pair has a place of its own");
    memset(&cores, 0, sizeof cores);
    cores.count = 8;
    for (b = 1; b < 8; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            cores.state[at] = SERVET_CORES_SOUND;
            cores.ns[SERVET_HANDOFF_FLAGS][at] = (float)(a / 4 == b / 4 ? 40 : 100) + 0.1f * (float)at;
            cores.ns[SERVET_HANDOFF_CAS][at] = 20;
        }
    cores.state[SERVET_PAIRS_AT(0, 1)] = SERVET_CORES_CONTAMINATED;
    cores.ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(0, 1)] = 1331;
    cores.state[SERVET_PAIRS_AT(5, 2)] = SERVET_CORES_UNMEASURED;
    TAP_OK(servet__cores_layers(&layers, &cores, SERVET_HANDOFF_FLAGS) == 1 && layers.layer[0].groups == 2
           && layers.group[0][0] == layers.group[0][1] && layers.group[0][3] != layers.group[0][4]
           && layers.layer[0].hi_ns < 43 && layers.outermost_ns > 100 && layers.outermost_ns < 103,
           "layers of sound pairs, others missing");
    TAP_OK(servet__cores_layers(&layers, &cores, SERVET_HANDOFF_CAS) == 0 && layers.outermost_ns > 19.9
           && layers.outermost_ns < 20.1, "of the other kind, all alike: none");

    TAP_OK(servet__cores_siblings(group, &cores) == SERVET_EUNRESOLVED, "no test, no siblings");
    cores.siblings = 3;
    for (a = 0; a < 3; a++) {
        cores.sibling[a].a = (int16_t)(a == 2 ? 3 : 5);
        cores.sibling[a].b = (int16_t)(a == 0 ? 6 : a == 1 ? 7 : 4);
        cores.sibling[a].speed_frac = a == 2 ? 0.97f : 0.55f;
    }
    TAP_OK(servet__cores_siblings(group, &cores) == 1 && group[5] == 0 && group[6] == 0 && group[7] == 0
           && group[3] == -1 && group[4] == -1 && group[0] == -1, "three of one core, two apart");
    cores.sibling[2].speed_frac = 0.8f;
    TAP_OK(servet__cores_siblings(group, &cores) == SERVET_EUNRESOLVED, "between: not known");
    cores.sibling[2].speed_frac = 0.2f;
    TAP_OK(servet__cores_siblings(group, &cores) == SERVET_EUNRESOLVED, "slower than sharing explains: not known");
    cores.sibling[2].b = 8;
    TAP_OK(servet__cores_siblings(group, &cores) == SERVET_EINVAL, "a CPU that there is not");
}

/* ---- modelled nodes --------------------------------------------------------------------------------- */

/* One way in silence as it is to be found: the quartile over lines, homed at the better end. */
static double truth(int a, int b, int kind)
{
    enum { LINES = 32 };
    double best = HUGE_VAL, x[LINES];
    int home, i;
    for (home = 0; home < 2; home++) {
        for (i = 0; i < LINES; i++)
            x[i] = sim_node_way(&node, a, b, kind, home ? b : a, (uint64_t)(i * 7919 + home * 31), 0);
        servet_stats_sort(x, LINES);
        best = servet__min(best, servet_stats_quantile(x, LINES, 0.25));
    }
    return best;
}

typedef struct rates {
    double pairs, sound, contaminated, unmeasured, off, alone, seconds;   /* off: sound, and a fifth from the truth */
    int    runs, layers, siblings;                                        /* exact                          */
    int    still, moved, noticed;                                         /* loads later, by ask_again      */
} rates;

static int same_groups(const int16_t *x, const int16_t *y, int n)
{
    int a, b;
    for (b = 1; b < n; b++)
        for (a = 0; a < b; a++)
            if ((x[a] >= 0 && x[a] == x[b]) != (y[a] >= 0 && y[a] == y[b])) return 0;
    return 1;
}

/* Are the groups of every layer of the node those of a layer found?  Where kinds of cores differ there may be more. */
static int layers_exact(void)
{
    const int found = servet__cores_layers(&layers, &cores, SERVET_HANDOFF_FLAGS);
    const int hybrid = node.spec->cpus[1] > 0, want = sim__node_layers(node.spec);
    int16_t group[SIM_NODE_CPUS];
    int l, a, b, k;
    if (found < 0) return want == 0;
    if (!hybrid && found != want) return 0;
    for (l = 0; l < want; l++) {
        sim_node_layer_groups(&node, l, group);
        if (!hybrid && !same_groups(group, layers.group[l], node.cpus)) return 0;
        for (a = 0; hybrid && a < node.cpus; a++) {    /* the group of each CPU, in some layer */
            int any = group[a] < 0;
            for (k = 0; k < found && !any; k++) {
                const int16_t *g = layers.group[k];
                for (any = 1, b = 0; b < node.cpus; b++) any &= (g[a] >= 0 && g[a] == g[b]) == (group[a] == group[b]);
            }
            if (!any) return 0;
        }
    }
    return 1;
}

static void run(rates *r, const sim_node_spec *spec, const sim_node_noise *noise, uint64_t seed)
{
    int16_t want[SIM_NODE_CPUS], got[SIM_NODE_CPUS];
    servet_cores_opts o;
    servet_machine m;
    int cpu[SIM_NODE_CPUS], a, b, k;
    sim_node_open(&node, spec, noise, seed);
    sim_node_scramble(&node, seed + 100);
    m = sim_node_machine(&node);
    memset(&o, 0, sizeof o);
    o.run.seed = seed;
    for (a = 0; a < node.cpus; a++) cpu[a] = a;
    r->runs++;
    if (servet_pairs_latency(&cores, &m, cpu, node.cpus, &o) < 0) return;
    for (b = 1; b < cores.count; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            int off = 0;
            r->pairs++;
            r->contaminated += cores.state[at] == SERVET_CORES_CONTAMINATED;
            r->unmeasured += cores.state[at] == SERVET_CORES_UNMEASURED;
            if (cores.state[at] != SERVET_CORES_SOUND) continue;
            r->sound++;
            for (k = 0; k < SERVET_HANDOFF_KINDS; k++)
                off |= fabs((double)cores.ns[k][at] / truth(cpu[a], cpu[b], k) - 1) > 0.2;
            r->off += off;
        }
    r->alone += cores.alone;
    r->seconds = servet__max(r->seconds, cores.seconds);
    r->layers += layers_exact();
    a = servet__cores_siblings(got, &cores);
    k = sim_node_core_groups(&node, want);
    r->siblings += a < 0 ? k == 0 && cores.siblings == 0 : same_groups(want, got, node.cpus);
}

/* What takes alone say is all there is to say: states and latencies again from a struct that lost them. */
static void test_infer(void)
{
    static servet_cores again;
    rates r;
    int at, seed, runs = 0, same = 0, without;
    memset(&r, 0, sizeof r);
    for (seed = 1; seed <= 20; seed++) {
        run(&r, sim_node_named("cluster-on-die"), &sim_node_noises[SIM_NODE_VISITED], (uint64_t)seed);
        again = cores;
        memset(again.ns, 0, sizeof again.ns);
        memset(again.state, 0, sizeof again.state);
        memset(again.doubt_permille, 0, sizeof again.doubt_permille);
        again.sound = again.contaminated = again.moved = 0;
        again.home_frac = 0;
        runs++;
        same += servet__cores_infer(&again) == cores.sound && !memcmp(&again, &cores, sizeof cores);
    }
    TAP_OK(same == runs, "inferred again from takes alone: as measured in %d of %d", same, runs);
    again.takes = 0;
    without = servet__cores_infer(&again) == again.sound && !memcmp(again.ns, cores.ns, sizeof cores.ns);
    TAP_OK(without, "without takes, as of an old file: what is there stays");
    again = cores;
    again.take[3].at = again.count * (again.count - 1) / 2;
    TAP_OK(servet__cores_infer(&again) == SERVET_EINVAL, "a take of no pair");
    memset(&again, 0, sizeof again);    /* three CPUs: 0 and 1 twice alike, 0 and 2 once, 1 and 2 three times apart */
    again.count = 3;
    for (at = 0; at < 6; at++) {
        servet_cores_take *t = &again.take[again.takes++];
        t->at = at < 2 ? 0 : at == 2 ? 1 : 2;
        t->ns[0] = t->ns[1] = (float)(at < 3 ? 50 + at : 40 * at);
        t->clean = 1;
    }
    TAP_OK(servet__cores_infer(&again) == 1 && again.state[0] == SERVET_CORES_SOUND
           && again.state[1] == SERVET_CORES_CONTAMINATED && again.state[2] == SERVET_CORES_CONTAMINATED
           && again.contaminated == 2, "two takes that agree are sound, one alone or three that differ are not");
}

/* A load asks the nearest pair and the farthest.  Noise moves none; that the host has put the CPUs elsewhere is noticed
 * where it makes one of these another. */
static void ask_again(rates *r, uint64_t seed)
{
    servet_machine m = sim_node_machine(&node);
    double near_ns = HUGE_VAL, far_ns = 0, now_ns[2] = { 0, 0 };
    int a, b;
    r->still += servet__cores_still(&cores, &m, seed);
    sim_node_scramble(&node, seed + 500);
    for (b = 1; b < cores.count; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            const double ns = (double)cores.ns[SERVET_HANDOFF_FLAGS][at];
            if (cores.state[at] != SERVET_CORES_SOUND) continue;
            if (ns < near_ns) near_ns = ns, now_ns[0] = truth(cores.cpu[a], cores.cpu[b], SERVET_HANDOFF_FLAGS);
            if (ns > far_ns) far_ns = ns, now_ns[1] = truth(cores.cpu[a], cores.cpu[b], SERVET_HANDOFF_FLAGS);
        }
    if (now_ns[0] < 1.75 * near_ns && far_ns < 1.75 * now_ns[1]) return;
    r->moved++;
    r->noticed += !servet__cores_still(&cores, &m, seed);
}

/* Nodes of all kinds, with numbers drawn anew; all layers exact, what is sound right. */
static void test_nodes(int noise, const char *name, int seeds)
{
    rates all;
    int i, seed;
    memset(&all, 0, sizeof all);
    for (i = 0; i < SIM_NODES; i++) {
        rates r;
        if (sim_nodes[i].cpus[0] + sim_nodes[i].cpus[1] < 2 || sim_nodes[i].cpus[0] > SERVET_CORES_MAX) continue;
        memset(&r, 0, sizeof r);
        for (seed = 1; seed <= (sim_nodes[i].cpus[0] > 64 ? (seeds + 3) / 4 : seeds); seed++) {
            run(&r, &sim_nodes[i], &sim_node_noises[noise], (uint64_t)seed);
            ask_again(&r, (uint64_t)seed);
        }
        TAP_DIAG("%-15s layers %d, siblings %d of %d; sound %.2f %%, a fifth off %.3f %%, alone %.0f, at most %.1f s",
                 sim_nodes[i].name, r.layers, r.siblings, r.runs, 100 * r.sound / r.pairs, 100 * r.off / r.pairs,
                 r.alone / r.runs, r.seconds);
        all.runs += r.runs;
        all.layers += r.layers;
        all.siblings += r.siblings;
        all.still += r.still;
        all.moved += r.moved;
        all.noticed += r.noticed;
        all.pairs += r.pairs;
        all.sound += r.sound;
        all.off += r.off;
        all.seconds = servet__max(all.seconds, r.seconds);
    }
    TAP_OK(all.layers >= 0.99 * all.runs, "%s: layers exact in %d of %d", name, all.layers, all.runs);
    TAP_OK(all.siblings >= 0.99 * all.runs, "%s: siblings exact in %d of %d", name, all.siblings, all.runs);
    TAP_OK(all.sound >= 0.999 * all.pairs, "%s: %.3f %% of pairs are sound", name, 100 * all.sound / all.pairs);
    TAP_OK(all.off <= 0.0005 * all.pairs, "%s: of them %.4f %% are a fifth from the truth", name,
           100 * all.off / all.sound);
    TAP_OK(all.still >= 0.99 * all.runs, "%s: distances are still so in %d of %d loads", name, all.still, all.runs);
    TAP_OK(all.moved > 20 && all.noticed >= 0.99 * all.moved, "%s: of %d hosts that put CPUs elsewhere %d are noticed",
           name, all.moved, all.noticed);
    TAP_OK(all.seconds <= 10.5, "%s: none took longer than %.1f s", name, all.seconds);
}

/* ---- what disturbs ---------------------------------------------------------------------------------- */

/* A node whose hand-offs are disturbed in ways of its own. */
typedef struct trouble {
    servet_machine m;
    int    wild;                /* 1 = any sample up to ten times as long, and nothing tells               */
    int    deaf_cpu;            /* whose pairs are given up; -1 = none                                 */
    int    fail, status, calls; /* which call fails, and how                                           */
    int    move;                /* 1 = in every third call of four the CPUs are three times as far apart */
    int    flags;               /* of all samples                                                      */
    double slow_from, slow_to;  /* seconds in which all is eight times as long                         */
    double anchor;              /* of samples that are                                                 */
    uint64_t random;
} trouble;

static int troubled(void *ctx, const servet_handoff *what, servet_sample *out)
{
    trouble *t = (trouble *)ctx;
    const double now = t->m.seconds(t->m.ctx);
    const int slow = now >= t->slow_from && now < t->slow_to;
    int i, status;
    t->calls++;
    if (t->fail && t->calls == t->fail) return t->status;
    for (i = 0; i < 2 * what->pairs; i++) if (what->cpu[i] == t->deaf_cpu) return SERVET_ENOISE;
    status = t->m.handoff(t->m.ctx, what, out);
    for (i = 0; status >= 0 && i < what->pairs * what->rounds; i++) {
        if (t->wild) out[i].ns *= pow(10, servet_stats_random_unit(&t->random));
        if (t->move && t->calls / 4 % 3 == 1) out[i].ns *= 3;
        if (slow) out[i].ns *= 8;
        out[i].anchor_cycles = slow ? t->anchor : 5;
        out[i].flags |= (unsigned)t->flags;
    }
    return status;
}

/* Samples that no float has room for. */
static int unending(void *ctx, const servet_handoff *what, servet_sample *out)
{
    const int status = troubled(ctx, what, out);
    int i;
    for (i = 0; status >= 0 && i < what->pairs * what->rounds; i++) out[i].ns = 1e300;
    return status;
}

static double trouble_seconds(void *ctx) { return ((trouble *)ctx)->m.seconds(((trouble *)ctx)->m.ctx); }

static int trouble_operate(void *ctx, const servet_operate *what, servet_sample *out)
{
    return ((trouble *)ctx)->m.operate(((trouble *)ctx)->m.ctx, what, out);
}

static servet_machine make_trouble(trouble *t, const char *name, uint64_t seed)
{
    servet_machine m;
    memset(t, 0, sizeof *t);
    sim_node_open(&node, sim_node_named(name), &sim_node_noises[SIM_NODE_QUIET], seed);
    t->m = sim_node_machine(&node);
    t->deaf_cpu = -1;
    t->random = seed;
    t->anchor = 5;
    memset(&m, 0, sizeof m);
    m.ctx = t;
    m.handoff = troubled;
    m.operate = trouble_operate;
    m.seconds = trouble_seconds;
    return m;
}

static int worst(const servet_cores *c, double factor)    /* sound pairs beyond factor of the truth */
{
    int a, b, n = 0;
    for (b = 1; b < c->count; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            n += c->state[at] == SERVET_CORES_SOUND
                && (double)c->ns[0][at] > factor * truth(c->cpu[a], c->cpu[b], SERVET_HANDOFF_FLAGS);
        }
    return n;
}

static int stop_later(void *ctx) { return ++*(int *)ctx > 3; }
static int stop_at_once(void *ctx) { (void)ctx; return 1; }
static void progress(void *ctx, double done_frac, double left_s)
{
    double *last = (double *)ctx;
    if (!(done_frac >= *last && done_frac <= 1 && left_s >= 0)) *last = 2;
    else *last = done_frac;
}

static void test_trouble(void)
{
    static const int cpu[24] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 };
    servet_cores_opts o;
    servet_machine m;
    trouble t;
    double last = 0;
    int status, i, k, at, count = 0, sound = 0, wrong = 0, marked = 0;
    memset(&o, 0, sizeof o);

    for (i = 0; i < 100; i++) {    /* any sample may be anything: hardly a pair can be believed */
        m = make_trouble(&t, "two-cores", (uint64_t)i + 1);
        t.wild = 1;
        o.run.seed = (uint64_t)i;
        sound += servet_pairs_latency(&cores, &m, cpu, 2, &o);
        if (cores.state[0] == SERVET_CORES_SOUND) wrong += worst(&cores, 2);
    }
    TAP_OK(sound <= 5 && wrong <= 3, "wild: %d of 100 pairs sound, %d of them twice the truth", sound, wrong);
    o.run.seed = 0;

    m = make_trouble(&t, "two-cores", 1);
    t.flags = SERVET_NOISE_STEAL;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, NULL) == 0 && cores.contaminated == 1
           && cores.state[0] == SERVET_CORES_CONTAMINATED && cores.ns[0][0] > 0 && cores.doubt_permille[0][0] == 65535,
           "every sample flagged: marked");
    TAP_OK(cores.taken == 8 * 20 && cores.alone == 6, "after eight takes, the last of them alone");

    /* a burst that nothing but the repeats tells, that begins before the end of the first take */
    for (i = 0; i < 40; i++) {
        m = make_trouble(&t, "two-cores", (uint64_t)i + 1);
        t.slow_from = 0.0005 * i;
        t.slow_to = t.slow_from + 0.006;
        servet_pairs_latency(&cores, &m, cpu, 2, NULL);
        wrong = i ? wrong : 0;
        wrong += worst(&cores, 1.2);
        sound = (i ? sound : 0) + cores.sound;
    }
    TAP_OK(wrong == 0 && sound == 40, "a burst of 6 ms: %d of 40 sound, %d wrong", sound, wrong);
    for (wrong = marked = i = 0; i < 20; i++) {    /* as long as it lasts the reference chains are slow as well */
        m = make_trouble(&t, "dunnington", (uint64_t)i + 1);
        t.slow_from = 0.02 * i;
        t.slow_to = t.slow_from + 0.05;
        t.anchor = 11;
        o.run.seed = (uint64_t)i;
        servet_pairs_latency(&cores, &m, cpu, 24, &o);
        wrong += worst(&cores, 1.2);
        marked += cores.contaminated;
    }
    TAP_OK(wrong == 0, "dunnington, 50 ms of slowness: none of 20 x 276 pairs wrong, %d marked", marked);
    o.run.seed = 0;

    m = make_trouble(&t, "two-cores", 3);
    t.move = 1;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, NULL) == 1 && worst(&cores, 1.1) == 0,
           "CPUs that are moved: the nearer place, if it is confirmed");
    m = make_trouble(&t, "dunnington", 1);
    t.deaf_cpu = 5;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 24, NULL) == 276 - 23 && cores.contaminated == 0
           && cores.state[SERVET_PAIRS_AT(5, 0)] == SERVET_CORES_UNMEASURED,
           "a CPU that does not answer: a hole");
    TAP_OK(servet__cores_layers(&layers, &cores, 0) == 2 && layers.group[0][5] == -1
           && layers.group[0][0] == layers.group[0][12] && layers.group[1][0] == layers.group[1][14],
           "and the layers of the others");
    m = make_trouble(&t, "dunnington", 2);
    t.fail = 9;
    t.status = SERVET_EPIN;
    cores.count = -1;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 24, NULL) == SERVET_EPIN && cores.count == -1,
           "a CPU that goes offline: a status, nothing written");
    m = make_trouble(&t, "two-cores", 2);
    t.deaf_cpu = 1;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, NULL) == SERVET_ENOISE && cores.count == -1,
           "nothing was measured");

    m = make_trouble(&t, "dunnington", 2);
    o.run.stop = stop_later;
    o.run.ctx = &count;
    status = servet_pairs_latency(&cores, &m, cpu, 24, &o);
    for (k = 0, at = 0; at < 276; at++) k += cores.state[at] == SERVET_CORES_UNMEASURED;
    TAP_OK(status >= 0 && cores.stopped && k == 276 - 4 * 12 && cores.siblings == 0, "stopped: what is known is kept");
    o.run.stop = stop_at_once;
    o.run.budget_s = 1e-9;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, &o) >= 0 && cores.stopped && cores.passes == 1, "stopped at once");
    o.run.stop = NULL;
    o.run.budget_s = 0.05;
    status = servet_pairs_latency(&cores, &m, cpu, 24, &o);
    TAP_OK(status >= 0 && cores.stopped && cores.seconds < 0.07, "ended by its budget: %.2f s", cores.seconds);
    o.run.budget_s = 0;
    o.run.progress = progress;
    o.run.ctx = &last;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 24, &o) > 0 && last > 0.7 && last <= 1, "progress");
    memset(&o, 0, sizeof o);
    o.run.budget_s = -1;
    k = servet_pairs_latency(&cores, &m, cpu, 24, &o) == SERVET_EINVAL;
    TAP_OK(k && servet_pairs_latency(NULL, &m, cpu, 24, NULL) == SERVET_EINVAL
           && servet_pairs_latency(&cores, NULL, cpu, 24, NULL) == SERVET_EINVAL
           && servet_pairs_latency(&cores, &m, NULL, 24, NULL) == SERVET_EINVAL
           && servet_pairs_latency(&cores, &m, cpu, 1, NULL) == SERVET_EINVAL, "bad arguments");
    m = make_trouble(&t, "two-siblings", 2);
    m.handoff = unending;
    o.run.budget_s = 1;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, &o) == SERVET_ENOISE, "times of 1e300 ns are none, and it ends");
    count = 0;
    m.handoff = NULL;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 24, NULL) == SERVET_EUNSUPPORTED, "a machine that cannot");
    m = make_trouble(&t, "two-siblings", 2);
    m.operate = NULL;
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 2, NULL) == 1 && cores.siblings == 0,
           "one that cannot add: no siblings");
}

/* A machine of more CPUs than are kept: sixteen runs of sixteen. */
static void test_many(void)
{
    sim_node_spec spec = *sim_node_named("zen-256");
    servet_machine m;
    int cpu[SIM_NODE_CPUS], i, j, ok = 1, shared = 0;
    int16_t group[SIM_NODE_CPUS];
    spec.cpus[0] = 512;
    spec.layer[2].cpus[0] = 256;
    spec.node_cpus = spec.link_cpus = 256;
    TAP_OK(sim_node_open(&node, &spec, &sim_node_noises[SIM_NODE_RATED], 5) == SERVET_OK, "512 CPUs, siblings last");
    m = sim_node_machine(&node);
    for (i = 0; i < 512; i++) cpu[i] = i;
    i = servet_pairs_latency(&cores, &m, cpu, 512, NULL);
    TAP_OK(i > 0 && cores.count == SERVET_CORES_MAX && cores.of == 512,
           "256 of 512, in %.1f s", cores.seconds);
    for (i = 0; i < cores.count; i++) for (j = 0; j < i; j++) ok &= cores.cpu[i] != cores.cpu[j];
    TAP_OK(ok && cores.cpu[0] == 0 && cores.cpu[255] < 512, "none twice");
    TAP_OK(servet__cores_layers(&layers, &cores, 0) == 3, "the layers are those of all");
    sim_node_layer_groups(&node, 0, group);
    for (ok = 1, i = 0; i < 256; i++)
        for (j = 0; j < i; j++) {
            const int mates = group[cores.cpu[i]] == group[cores.cpu[j]];
            shared += mates;
            ok &= mates == (layers.group[0][i] >= 0 && layers.group[0][i] == layers.group[0][j]);
        }
    TAP_OK(ok && shared == 128, "%d cores with both of their threads", shared);
    cpu[511] = cpu[3];
    TAP_OK(servet_pairs_latency(&cores, &m, cpu, 512, NULL) == SERVET_EINVAL, "a CPU named twice");
}

int main(void)
{
    test_struct();
    test_infer();
    test_nodes(SIM_NODE_RATED, "rated noise", 8);
    test_nodes(SIM_NODE_VISITED, "and neighbours", 8);
    test_trouble();
    test_many();
    return tap_done();
}

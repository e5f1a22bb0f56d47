/* pairs_contention.c - who shares which cache, who slows whom at memory: rates over modelled nodes, noise and seeds
 *
 * CONTENTION_SEEDS=20 takes so many seeds of each case instead of its own number; CONTENTION_ONLY=zen-256 that machine
 * alone. */
#include "servet.h"
#include "sim.h"
#include "nodes.h"
#include "tap.h"

static sim_node node;
static servet_sharing sharing;
static servet_contention contention;

static int seeds(int usual)
{
    const char *text = getenv("CONTENTION_SEEDS");
    return text ? atoi(text) : usual;
}

static int asked(const char *name)
{
    const char *only = getenv("CONTENTION_ONLY");
    return !only || strcmp(only, name) == 0;
}

static double found_times = 1;     /* how many times too large the levels behind the first are found */

/* What a fit would say of a node's caches: sizes a few per cent wrong, the policy as it is. */
static servet_levels found(const sim_node_spec *s, uint64_t *seed)
{
    servet_levels levels;
    int i;
    memset(&levels, 0, sizeof levels);
    for (i = 0; i < SIM_NODE_CACHES && s->cache[i].bytes[0] > 0; i++) {
        servet_level *l = &levels.level[levels.count++];
        l->level = i + 1;
        l->bytes = s->cache[i].bytes[0] * exp(0.03 * sim__node_normal(seed));
        if (s->cache[i].exclusive && i > 0) l->bytes += s->cache[i - 1].bytes[0];
        if (i > 0) l->bytes *= found_times;
        l->latency_ns = s->cache[i].ns * exp(0.02 * sim__node_normal(seed));
        l->ways = s->cache[i].ways;
        l->policy = s->cache[i].policy == SIM_LRU ? SERVET_POLICY_LRU
                  : s->cache[i].policy == SIM_RANDOM ? SERVET_POLICY_RANDOM : SERVET_POLICY_DUELING;
        l->placement = i == 0 ? SERVET_PLACEMENT_EVEN : SERVET_PLACEMENT_RANDOM;
    }
    levels.memory_ns = s->memory_ns;
    return levels;
}

/* Layers as servet_pairs_layers would give them: the truth of hand-offs. */
static servet_layers layers_of(const sim_node *n)
{
    servet_layers layers;
    int l;
    memset(&layers, 0, sizeof layers);
    layers.cores = n->cpus;
    for (l = 0; l < SIM_NODE_LAYERS; l++) {
        const int groups = sim_node_layer_groups(n, l, layers.group[l]);
        if (groups < 0) break;
        layers.layer[l].groups = groups;
        layers.count++;
    }
    return layers;
}

/* Groups alike, where -1 is alone in the truth. */
static int alike(const int16_t *truth, const int16_t *group, int cpus)
{
    int a, b;
    for (a = 0; a < cpus; a++)
        for (b = 0; b < a; b++)
            if ((truth[a] >= 0 && truth[a] == truth[b]) != (group[a] >= 0 && group[a] == group[b])) return 0;
    return 1;
}

/* Pairs of CPUs in known groups that are told apart and share, or the other way round. */
static int false_pairs(const int16_t *truth, const int16_t *group, int cpus)
{
    int a, b, n = 0;
    for (a = 0; a < cpus; a++)
        for (b = 0; b < a; b++)
            n += group[a] >= 0 && group[b] >= 0
              && (truth[a] >= 0 && truth[a] == truth[b]) != (group[a] == group[b]);
    return n;
}

enum { GIVEN, NONE, WRONG };    /* layers: as they are, none, and of CPUs that are numbered otherwise */
static const char *const given_text[] = { "", ", no layers", ", wrong layers" };

static void shared_of(const char *name, int given, int noise, int usual, double at_least)
{
    const int runs = seeds(usual);
    const sim_node_spec *spec = sim_node_named(name);
    int seed, l, all = 0, right = 0, wrong = 0, unknown = 0, most = 0, rounds = 0;
    double longest = 0;
    if (!asked(name)) return;
    for (seed = 1; seed <= runs; seed++) {
        uint64_t random = (uint64_t)seed;
        servet_sharing_opts o;
        servet_layers layers;
        servet_levels levels = found(spec, &random);
        servet_machine m;
        int cpu[SERVET_CORES_MAX], i, status;
        memset(&o, 0, sizeof o);
        sim_node_open(&node, spec, &sim_node_noises[noise], (uint64_t)seed);
        if (given == WRONG) {
            sim_node_scramble(&node, (uint64_t)seed + 99);
            layers = layers_of(&node);
        }
        sim_node_scramble(&node, (uint64_t)seed);
        m = sim_node_machine(&node);
        if (given != WRONG) layers = layers_of(&node);
        if (given != NONE) o.layers = &layers;
        o.run.seed = (uint64_t)seed;
        o.run.budget_s = 1000;
        for (i = 0; i < node.cpus; i++) cpu[i] = i;
        status = servet_pairs_shared(&sharing, &m, &levels, cpu, node.cpus, &o);
        if (status < 0) TAP_DIAG("%s: %s", name, servet_status_text(status));
        for (l = 0; l < levels.count && status > l; l++) {
            const servet_sharing_level *x = &sharing.level[l];
            int16_t truth[SIM_NODE_CPUS];
            int good;
            sim_node_cache_groups(&node, l, truth);
            good = x->status == SERVET_OK && x->unknown == 0 && alike(truth, x->group, node.cpus);
            right += good;
            unknown += x->status != SERVET_OK || x->unknown > 0;
            wrong += false_pairs(truth, x->group, node.cpus) > 0;
            if (x->tests > most) most = x->tests;
            if (x->rounds > rounds) rounds = x->rounds;
            if (good) continue;
            TAP_DIAG("%s, seed %d, level %d: %s, %d groups, %d unknown, %d tests, %d undecided", name, seed, l + 1,
                     servet_status_text(x->status), x->groups, x->unknown, x->tests, x->undecided);
        }
        all += levels.count;
        if (sharing.seconds > longest) longest = sharing.seconds;
    }
    TAP_DIAG("%s%s: %d CPUs, of %d levels %d right, %d unknown, %d wrong; for a level at most %d tests of %d rounds; "
             "at most %.1f s", name, given_text[given], node.cpus, all, right, unknown, wrong, most, rounds, longest);
    TAP_OK(all > 0 && right >= at_least * all && wrong == 0, "%s%s, sizes found %g times: who shares which cache, in "
           "%d of %d", name, given_text[given], found_times, right, all);
}

/* Two kinds of cores, whose second levels differ by any factor: of the second kind each is shared by two, of the first
 * by one or two. */
static void kinds_of_sizes(void)
{
    static const double times[] = { 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 1.5, 1.6, 1.8, 2, 2.5, 3, 4, 6 };
    enum { TIMES = sizeof times / sizeof *times };
    const int runs = seeds(2);
    int seed, i, k, all = 0, right = 0, wrong = 0;
    if (!asked("kinds")) return;
    for (k = 0; k < 4 * TIMES; k++)
        for (seed = 1; seed <= runs; seed++) {
            const int given = k / TIMES % 2 ? NONE : GIVEN, of_first = 1 + k / TIMES / 2;
            sim_node_spec spec = *sim_node_named("raptor-lake");
            uint64_t random = (uint64_t)seed;
            const servet_sharing_level *x = &sharing.level[1];
            servet_sharing_opts o;
            servet_layers layers;
            servet_levels levels;
            servet_machine m;
            int16_t truth[SIM_NODE_CPUS];
            int cpu[SERVET_CORES_MAX], differ;
            spec.cpus[0] = spec.cpus[1] = 8;
            spec.node_cpus = spec.link_cpus = 16;
            spec.threads[0] = spec.cache[0].cpus[0] = 1;
            spec.cache[1].cpus[0] = of_first;
            spec.cache[1].cpus[1] = 2;
            spec.cache[1].bytes[1] = 4096 * floor(times[k % TIMES] * spec.cache[1].bytes[0] / 4096);
            memset(&o, 0, sizeof o);
            if (sim_node_open(&node, &spec, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed) < 0) abort();
            m = sim_node_machine(&node);
            layers = layers_of(&node);
            levels = found(&spec, &random);
            if (given == GIVEN) o.layers = &layers;
            o.run.seed = (uint64_t)seed;
            o.run.budget_s = 1000;
            for (i = 0; i < node.cpus; i++) cpu[i] = i;
            if (servet_pairs_shared(&sharing, &m, &levels, cpu, node.cpus, &o) != levels.count) abort();
            sim_node_cache_groups(&node, 1, truth);
            differ = false_pairs(truth, x->group, node.cpus);
            all++;
            right += x->unknown == 0 && differ == 0;
            wrong += differ > 0;
            if (differ > 0) TAP_DIAG("second kind %g times as large, %d share one of the first%s, seed %d: %d wrong",
                                     times[k % TIMES], of_first, given_text[given], seed, differ);
        }
    TAP_OK(all > 0 && right >= 0.9 * all && wrong <= 0.01 * all, "kinds of cores whose second levels differ by any "
           "factor: of %d right %d, wrong %d", all, right, wrong);
}

static int stops, stop_after;
static int stop(void *ctx) { (void)ctx; return ++stops > stop_after; }

/* Two CPUs, stopped after any number of relays: of a level both are told or neither. */
static void two_stopped(void)
{
    static const char *const names[] = { "raptor-lake", "two-cores", "two-siblings" };
    static const double times[] = { 0.5, 1, 2, 4 };
    enum { NAMES = sizeof names / sizeof *names, TIMES = sizeof times / sizeof *times };
    int k, n, i, seed, after, runs = 0, all = 0, half = 0, wrong = 0, told = 0, complete = 0;
    if (!asked("two")) return;
    for (k = 0; k < NAMES * TIMES; k++)
        for (seed = 1; seed <= seeds(2); seed++) {
            sim_node_spec spec = *sim_node_named(names[k / TIMES]);
            servet_levels levels;
            servet_machine m;
            servet_sharing_opts o;
            uint64_t random = (uint64_t)seed;
            const int kinds = spec.cpus[1] > 0, cpu[2] = { 0, kinds ? spec.cpus[0] : 1 };
            if (!kinds && k % TIMES) continue;      /* of one kind: once */
            runs++;
            if (kinds) spec.cache[1].bytes[1] = times[k % TIMES] * spec.cache[1].bytes[0];
            memset(&o, 0, sizeof o);
            o.run.seed = (uint64_t)seed;
            o.run.budget_s = 1000;
            o.run.stop = stop;
            levels = found(&spec, &random);
            for (after = 1, n = 0; n >= 0 && after < 400; after += 3) {
                int16_t truth[SIM_NODE_CPUS];
                if (sim_node_open(&node, &spec, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed) < 0) abort();
                m = sim_node_machine(&node);
                stops = 0;
                stop_after = after;
                n = servet_pairs_shared(&sharing, &m, &levels, cpu, 2, &o);
                for (i = 0; i < n; i++) {
                    const servet_sharing_level *x = &sharing.level[i];
                    sim_node_cache_groups(&node, i, truth);
                    truth[1] = truth[cpu[1]];
                    all++;
                    half += x->unknown == 1 || (x->unknown == 0 && !(x->llr[0] >= 4.6 && x->llr[1] >= 4.6));
                    told += x->unknown == 0;
                    wrong += x->unknown == 0 && false_pairs(truth, x->group, 2) > 0;
                }
                if (n == levels.count && !sharing.stopped) break;
                if (n < 0) n = 0;
            }
            complete += n == levels.count && !sharing.stopped && sharing.level[n - 1].unknown == 0;
        }
    TAP_OK(all > 0 && half == 0 && wrong == 0 && complete == runs, "two CPUs, stopped at any time: of %d levels "
           "%d told, %d of one CPU only, %d wrong; of %d runs %d complete at last", all, told, half, wrong, runs,
           complete);
}

/* Sharing stopped at any time and asked for once more: what is known is kept, and completed. */
static void stopped_and_completed(void)
{
    const sim_node_spec *spec = sim_node_named("dunnington");
    uint64_t random = 1;
    const servet_levels levels = found(spec, &random);
    servet_sharing_opts o;
    servet_machine m;
    int cpu[24], i, k, n = -1, known = 0, kept = 1;
    memset(&o, 0, sizeof o);
    if (sim_node_open(&node, spec, &sim_node_noises[SIM_NODE_RATED], 1) < 0) abort();
    m = sim_node_machine(&node);
    o.run.stop = stop;
    o.run.budget_s = 1000;
    for (i = 0; i < 24; i++) cpu[i] = i;
    for (stop_after = 20; stop_after < 400; stop_after += 40) {
        int told = 0;
        stops = 0;
        n = servet_pairs_shared(&sharing, &m, &levels, cpu, 24, &o);
        if (n < 0) continue;
        for (i = 0; i < n; i++) told += 24 - sharing.level[i].unknown;
        kept &= told >= known;
        for (i = 0; i < n; i++) {
            int16_t truth[SIM_NODE_CPUS];
            sim_node_cache_groups(&node, i, truth);
            kept &= false_pairs(truth, sharing.level[i].group, 24) == 0;
        }
        if (!o.before) TAP_OK(n == 3 && sharing.stopped && sharing.level[0].status == SERVET_ESTOPPED
                              && sharing.level[0].unknown == 24 && told > 0, "stopped: %d of 72 told", told);
        known = told;
        o.before = &sharing;
    }
    o.run.stop = NULL;
    n = servet_pairs_shared(&sharing, &m, &levels, cpu, 24, &o);
    for (k = i = 0; i < n; i++) k += sharing.level[i].status == SERVET_OK && sharing.level[i].unknown == 0;
    TAP_OK(kept && n == 3 && k == 3 && !sharing.stopped, "what is known is kept, if more is asked for, and completed");
    o.run.stop = stop;
    stops = 0;
    stop_after = 3;
    n = servet_pairs_shared(&sharing, &m, &levels, cpu, 24, &o);
    for (k = i = 0; i < n; i++) k += sharing.level[i].status == SERVET_OK && sharing.level[i].unknown == 0;
    TAP_OK(n == 3 && k == 3 && sharing.stopped, "asked once more and stopped, all of it is kept");
    TAP_OK(servet_pairs_shared(&sharing, &m, &levels, cpu, 23, &o) == SERVET_EINVAL, "tests of other CPUs");
}

/* Two virtual CPUs that their host has on one core for a moment, from one round to another. */
static sim_node apart, joined;
static int relays, joins, parts;

static int moved(void *ctx, const servet_relay *q, servet_sample *out)
{
    servet_relay one = *q;
    int r, status = SERVET_OK;
    (void)ctx;
    one.rounds = 1;
    for (r = 0; status >= 0 && r < q->rounds; r++, out += q->cpus) {
        const servet_machine m = sim_node_machine(relays >= joins && relays < parts ? &joined : &apart);
        relays++;
        status = m.relay(m.ctx, &one, out);
    }
    return status;
}

static void two_moved(void)
{
    static const int spans[] = { 2, 4, 6, 8, 12 };
    enum { SPANS = sizeof spans / sizeof *spans };
    sim_node_spec one = *sim_node_named("two-cores");
    int k, i, seed, all = 0, shared = 0, unknown = 0;
    if (!asked("moved")) return;
    for (k = 0; k < 2; k++) one.cache[k].cpus[0] = SIM_WHOLE;
    for (k = 0; k < SPANS; k++)
        for (joins = 0; joins < 60; joins += 3)
            for (seed = 1; seed <= seeds(5); seed++) {
                static const int cpu[2] = { 0, 1 };
                uint64_t random = (uint64_t)seed;
                servet_levels levels = found(sim_node_named("two-cores"), &random);
                servet_sharing_opts o;
                servet_machine m;
                memset(&o, 0, sizeof o);
                o.run.seed = (uint64_t)seed;
                o.run.budget_s = 1000;
                if (sim_node_open(&apart, sim_node_named("two-cores"), &sim_node_noises[SIM_NODE_RATED],
                                  (uint64_t)seed) < 0
                    || sim_node_open(&joined, &one, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed) < 0) abort();
                m = sim_node_machine(&apart);
                m.relay = moved;
                relays = 0;
                parts = joins + spans[k];
                for (i = 0; i < 3 && (i < 2 || sharing.level[0].unknown + sharing.level[1].unknown > 0); i++) {
                    o.before = i > 0 ? &sharing : NULL;
                    if (servet_pairs_shared(&sharing, &m, &levels, cpu, 2, &o) != levels.count) abort();
                }
                for (i = 0; i < 2; i++) {
                    all++;
                    unknown += sharing.level[i].unknown > 0;
                    shared += sharing.level[i].unknown == 0 && sharing.level[i].groups == 1;
                }
            }
    TAP_OK(all > 0 && shared * 100 <= all && unknown * 20 <= all, "two CPUs on one core for a moment: of %d levels %d "
           "told as shared, %d unknown", all, shared, unknown);
}

/* The same on machines that are gone through access by access, with neighbours, 5 % of noise and outliers; CPUs are
 * asked for by number, and sit where seat[] says. */
static int seat[SIM_CPUS];
static sim lines;

static int elsewhere(void *ctx, const servet_relay *q, servet_sample *out)
{
    servet_relay there = *q;
    int cpu[SIM_CPUS], i;
    for (i = 0; i < q->cpus; i++) cpu[i] = seat[q->cpu[i]];
    there.cpu = cpu;
    return sim_relay(ctx, &there, out);
}

static void line_by_line(const char *name, int cpus, int layers_given, int usual, double at_least)
{
    const int runs = seeds(usual);
    int seed, i, j, l, all = 0, right = 0, wrong = 0;
    if (!asked(name)) return;
    for (seed = 1; seed <= runs; seed++) {
        static servet_layers layers;
        sim_spec spec = *sim_named(name);
        servet_levels levels;
        servet_machine m;
        servet_sharing_opts o;
        int cpu[SIM_CPUS], status;
        spec.cpus = cpus;
        memset(&levels, 0, sizeof levels);
        memset(&o, 0, sizeof o);
        if (sim_open(&lines, &spec, &sim_noises[SIM_CROWDED], (uint64_t)seed) < 0) abort();
        lines.exact = 512;
        m = sim_machine(&lines);
        m.relay = elsewhere;
        m.bytes = 1e9;
        for (i = 0; i < cpus; i++) {    /* of 24 as in the paper: {0, 12} are neighbours, {0, 1, 2, 12, 13, 14} too */
            cpu[i] = i;
            seat[i] = cpus == 24 ? i % 12 / 3 * 6 + i % 3 * 2 + i / 12 : cpus - 1 - i;
            layers.group[0][i] = (int16_t)(seat[i] / 2);
            layers.group[1][i] = (int16_t)(seat[i] / 6);
        }
        layers.cores = cpus;
        layers.count = 2;
        for (i = 0; i < sim_truth_levels(&spec); i++) {
            servet_level *x = &levels.level[levels.count++];
            x->level = i + 1;
            x->bytes = sim_truth_bytes(&spec, i);
            x->latency_ns = spec.level[i].ns;
            x->ways = spec.level[i].ways;
            x->policy = sim_truth_policy(&spec, i);
            x->placement = i ? SERVET_PLACEMENT_RANDOM : SERVET_PLACEMENT_EVEN;
        }
        levels.memory_ns = spec.memory_ns;
        o.run.seed = (uint64_t)seed;
        o.run.budget_s = 1000;
        if (layers_given) o.layers = &layers;
        status = servet_pairs_shared(&sharing, &m, &levels, cpu, cpus, &o);
        for (l = 0; l < levels.count; l++) {
            const int share = spec.level[l].cores > 1 ? spec.level[l].cores : 1;
            const int16_t *group = sharing.level[l].group;
            int good = status == levels.count && sharing.level[l].unknown == 0, false_pairs = 0;
            for (i = 0; i < cpus; i++)
                for (j = 0; j < i; j++)
                    false_pairs += group[i] >= 0 && group[j] >= 0
                                   && (seat[i] / share == seat[j] / share) != (group[i] == group[j]);
            good &= false_pairs == 0;
            all++;
            right += good;
            wrong += false_pairs > 0;
            if (!good) TAP_DIAG("%s, seed %d, level %d: %d groups, %d unknown", name, seed, l + 1,
                                sharing.level[l].groups, sharing.level[l].unknown);
        }
        sim_close(&lines);
    }
    TAP_OK(all > 0 && right >= at_least * all && wrong == 0, "%s, access by access: who shares which cache, in %d of "
           "%d, %d wrong", name, right, all, wrong);
}

/* Pairs and tests of many at once for CPUs in groups of eight, of as many as Servet would test by all pairs. */
static void tests_needed(void)
{
    static const int sizes[] = { 16, 32, 64, 128, 256 };
    enum { SIZES = (int)(sizeof sizes / sizeof *sizes) };
    int i, k, given;
    if (!asked("eights")) return;
    for (given = GIVEN; given <= NONE; given++)
        for (k = 0; k < (given == GIVEN ? SIZES : SIZES - 1); k++) {
            sim_node_spec spec = *sim_node_named("cluster-on-die");
            servet_sharing_opts o;
            servet_layers layers;
            servet_levels levels;
            servet_machine m;
            uint64_t random = 1;
            int16_t truth[SIM_NODE_CPUS];
            int cpu[SERVET_CORES_MAX], status, needed, right;
            spec.name = "eights";
            spec.cpus[0] = spec.node_cpus = spec.link_cpus = sizes[k];
            spec.threads[0] = 1;
            spec.order = NULL;
            spec.layer[0].cpus[0] = 8;
            spec.layer[1].name = NULL;
            spec.cache[0].cpus[0] = 1;
            spec.cache[1].cpus[0] = 8;
            spec.cache[1].bytes[0] = 1048576;
            spec.cache[2].bytes[0] = 0;
            if (sim_node_open(&node, &spec, &sim_node_noises[SIM_NODE_RATED], 1) < 0) abort();
            sim_node_scramble(&node, 5);
            memset(&o, 0, sizeof o);
            m = sim_node_machine(&node);
            layers = layers_of(&node);
            levels = found(&spec, &random);
            if (given == GIVEN) o.layers = &layers;
            o.run.budget_s = 1000;
            for (i = 0; i < node.cpus; i++) cpu[i] = i;
            status = servet_pairs_shared(&sharing, &m, &levels, cpu, node.cpus, &o);
            sim_node_cache_groups(&node, 1, truth);
            needed = sharing.level[1].tests;
            right = status == 2 && alike(truth, sharing.level[1].group, node.cpus)
                 && sharing.level[0].groups == sizes[k];
            TAP_DIAG("%d CPUs in eights%s: %d tests, %d rounds, %.1f s; all pairs are %d", sizes[k], given_text[given],
                     needed, sharing.level[1].rounds, sharing.level[1].seconds, sizes[k] * (sizes[k] - 1) / 2);
            TAP_OK(right && needed <= sizes[k] * (given == NONE ? 1.5 + log2(sizes[k] / 8.0) : 1),
                   "%d CPUs in eights%s: %d tests", sizes[k], given_text[given], needed);
        }
}

/* Bytes per ns of some CPUs that copy at once, in silence. */
static double truly(sim_node *n, const int *cpu, int cpus)
{
    servet_streams w;
    servet_stream copy;
    memset(&w, 0, sizeof w);
    memset(&copy, 0, sizeof copy);
    copy.kernel = SERVET_STREAM_COPY;
    w.cpu = cpu;
    w.bytes = 536870912;
    return sim_node_stream_rate(n, cpu, cpus, &w, &copy, NULL);
}

static int members(const servet_contention *c, int domain, int *cpu)
{
    const servet_contention_domain *d = &c->domain[domain];
    int i, n = 0;
    for (i = 0; i < c->cpus; i++) if (c->group[d->layer][i] == d->group) cpu[n++] = c->cpu[i];
    return n;
}

/* Of each pair, what its CPUs have together against alone: the true levels, each with its pairs, are those found.  What
 * loses 3 to 8 % may be said to lose something or not. */
static int levels_right(sim_node *n, const servet_contention *c)
{
    enum { MOST = 1500 };       /* pairs looked at */
    float lost[64];
    int level[64], kinds = 0, a, b, k, step = c->cpus * (c->cpus - 1) / 2 / MOST + 1, at = 0;
    for (b = 0; b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            const int found = c->overhead[SERVET_PAIRS_AT(a, b)];
            int pair[2];
            double x;
            if (at++ % step && !(b - a == 1)) continue;
            pair[0] = c->cpu[a];
            pair[1] = c->cpu[b];
            x = 1 - truly(n, pair, 2) / (truly(n, pair, 1) + truly(n, pair + 1, 1));
            if (x < 0.03 && found != -1) return 0;
            if (x < 0.08) continue;
            for (k = 0; k < kinds && fabs((double)lost[k] - x) > 0.003; k++) { }
            if (k == 64) return 0;
            if (k == kinds) {
                lost[kinds] = (float)x;
                level[kinds++] = found;
            }
            if (found < 0 || level[k] != found) return 0;
        }
    for (a = 0; a < kinds; a++) for (b = 0; b < a; b++) if (level[a] == level[b]) return 0;
    return 1;
}

/* With all answers blanked, do the samples alone give the same ones? */
static int inferred_again(const servet_contention *c)
{
    static servet_contention again;
    again = *c;
    again.reference_bytes_per_s = again.lo_reference_bytes_per_s = again.hi_reference_bytes_per_s = 0;
    again.pairs = again.levels = again.layers = again.domains = again.gammas = again.scalings = 0;
    again.noise_frac = 0;
    memset(again.own_bytes_per_s, 0, sizeof again.own_bytes_per_s);
    memset(again.pair_bytes_per_s, 0, sizeof again.pair_bytes_per_s);
    memset(again.overhead, -2, sizeof again.overhead);
    memset(again.level, 0, sizeof again.level);
    memset(again.group, 1, sizeof again.group);
    memset(again.domain, 1, sizeof again.domain);
    memset(again.gamma, 1, sizeof again.gamma);
    memset(again.scaling, 1, sizeof again.scaling);
    return servet__contention_infer(&again, NULL, NULL) == c->levels && memcmp(&again, c, sizeof again) == 0;
}

static void contended(const char *name, int layers_given, int levels, int usual)
{
    const double at_least = 0.99;
    const int runs = seeds(usual);
    const sim_node_spec *spec = sim_node_named(name);
    int seed, right = 0, verdicts = 0, told = 0, wrong = 0, inside = 0, counts = 0, near_enough = 0;
    int pairs = 0, taken = 0, same = 0;
    double longest = 0;
    if (!asked(name)) return;
    for (seed = 1; seed <= runs; seed++) {
        servet_contention_opts o;
        servet_layers layers;
        servet_machine m;
        int16_t nodes[SIM_NODE_CPUS], cores[SIM_NODE_CPUS];
        int cpu[SIM_NODE_CPUS], i, k, n, status;
        memset(&o, 0, sizeof o);
        sim_node_open(&node, spec, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed);
        sim_node_scramble(&node, (uint64_t)seed);
        m = sim_node_machine(&node);
        layers = layers_of(&node);
        sim_node_node_groups(&node, nodes);
        sim_node_core_groups(&node, cores);
        o.layers = layers_given ? &layers : NULL;
        o.node = layers_given ? nodes : NULL;
        o.core = layers_given ? cores : NULL;
        o.run.seed = (uint64_t)seed;
        o.run.budget_s = 1000;
        for (i = 0; i < node.cpus; i++) cpu[i] = i;
        status = servet_bandwidth_contention(&contention, &m, 536870912, cpu, node.cpus, &o);
        if (status < 0) {
            TAP_DIAG("%s: %s", name, servet_status_text(status));
            continue;
        }
        same += inferred_again(&contention);
        if (levels_right(&node, &contention) && contention.levels == levels) right++;
        else {
            TAP_DIAG("%s, seed %d: %d levels, %d pairs, noise %.4f", name, seed, contention.levels, contention.pairs,
                     contention.noise_frac);
            for (i = 0; i < contention.levels; i++)
                TAP_DIAG("  %.3f of the reference, %d pairs in %d groups", contention.level[i].bytes_per_s
                         / contention.reference_bytes_per_s, contention.level[i].pairs, contention.level[i].groups);
        }
        for (k = 0; k < contention.gammas; k++) {
            const servet_contention_gamma *g = &contention.gamma[k];
            double alone = 0, both, truth;
            int x[SIM_NODE_CPUS];
            for (n = i = 0; i < contention.domains; i++)
                if (g->b < 0 ? contention.domain[i].parent == g->a : i == g->a || i == g->b) {
                    const int more = members(&contention, i, x + n);
                    alone += truly(&node, x + n, more);
                    n += more;
                }
            both = truly(&node, x, n);
            truth = 1 - both / alone;
            verdicts++;
            told += g->verdict != SERVET_COLLIDE_UNKNOWN;
            inside += truth >= g->lo - 0.01 && truth <= g->hi + 0.01;
            wrong += (g->verdict == SERVET_COLLIDE_YES && truth < 0.1)
                  || (g->verdict == SERVET_COLLIDE_NO && truth > 0.03)
                  || (g->verdict == SERVET_COLLIDE_PARTLY && truth > 0.12);
        }
        for (k = 0; k < contention.scalings; k++) {
            const servet_contention_scaling *x = &contention.scaling[k];
            double rate[SIM_NODE_CPUS], best = 0;
            int list[SIM_NODE_CPUS], ordered[SIM_NODE_CPUS], order[SIM_NODE_CPUS], truth;
            n = members(&contention, x->domain, list);
            servet__bandwidth_order(order, list, n, contention.group[0], SERVET_CORES_MAX,
                                    contention.domain[x->domain].layer, o.core, 1);
            for (i = 0; i < n; i++) ordered[i] = list[order[i]];
            for (i = 1; i <= n; i++) {
                rate[i - 1] = truly(&node, ordered, i);
                if (rate[i - 1] > best) best = rate[i - 1];
            }
            for (truth = 1; truth < n && rate[truth - 1] < 0.95 * best; truth++) { }
            counts++;
            if (x->lo_enough <= 1.1 * truth + 1 && x->hi_enough >= 0.9 * truth - 1) near_enough++;
            else TAP_DIAG("%s, seed %d: of %d CPUs %d are enough, said %d [%d, %d]", name, seed, n, truth, x->enough,
                          x->lo_enough, x->hi_enough);
        }
        if (contention.pairs > pairs) pairs = contention.pairs;
        if (contention.taken > taken) taken = contention.taken;
        if (contention.seconds > longest) longest = contention.seconds;
    }
    TAP_DIAG("%s: %d CPUs, levels right in %d of %d; %d gammas, %d in their intervals, %d told, %d wrongly; enough in "
             "%d of %d; at most %d pairs, %d samples, %.1f s", name, node.cpus, right, runs, verdicts, inside, told,
             wrong, near_enough, counts, pairs, taken, longest);
    TAP_OK(runs > 0 && right >= at_least * runs, "%s: levels of overhead and their groups, in %d of %d", name, right,
           runs);
    TAP_OK(same == runs, "%s: all of it again from the samples alone, in %d of %d", name, same, runs);
    TAP_OK(verdicts > 0 && inside >= 0.95 * verdicts && wrong <= 0.01 * verdicts,
           "%s: what domains lose, in %d of %d intervals", name, inside, verdicts);
    TAP_OK(counts > 0 && near_enough >= 0.95 * counts, "%s: how many are enough, in %d of %d", name, near_enough,
           counts);
}

static double progressed;
static void progress(void *ctx, double done, double left)
{
    (void)ctx;
    if (!(done >= 0 && done <= 1 && left >= 0)) progressed = -1e9;
    progressed += 1;
}

static int no_streams(void *ctx, const servet_streams *what, servet_stream_sample *out)
{
    (void)ctx;
    (void)what;
    (void)out;
    return SERVET_EUNSUPPORTED;
}

static void statuses(void)
{
    const sim_node_spec *spec = sim_node_named("finis-terrae");
    servet_sharing_opts o;
    servet_contention_opts co;
    servet_levels levels;
    servet_machine m, less;
    uint64_t random = 1;
    int cpu[SERVET_CORES_MAX], i, kept = 0;
    sim_node_open(&node, spec, &sim_node_noises[SIM_NODE_QUIET], 1);
    m = sim_node_machine(&node);
    levels = found(spec, &random);
    memset(&o, 0, sizeof o);
    memset(&co, 0, sizeof co);
    for (i = 0; i < SERVET_CORES_MAX; i++) cpu[i] = i;
    sharing.cpus = -7;
    contention.cpus = -7;
    TAP_OK(servet_pairs_shared(NULL, &m, &levels, cpu, 2, NULL) == SERVET_EINVAL
           && servet_pairs_shared(&sharing, NULL, &levels, cpu, 2, NULL) == SERVET_EINVAL
           && servet_pairs_shared(&sharing, &m, NULL, cpu, 2, NULL) == SERVET_EINVAL
           && servet_pairs_shared(&sharing, &m, &levels, cpu, 0, NULL) == SERVET_EINVAL
           && servet_pairs_shared(&sharing, &m, &levels, cpu, SERVET_CORES_MAX + 1, NULL) == SERVET_EINVAL
           && servet_bandwidth_contention(&contention, &m, 1e6, cpu, 0, NULL) == SERVET_EINVAL
           && servet_bandwidth_contention(&contention, &m, 0, cpu, 2, NULL) == SERVET_EINVAL
           && servet_bandwidth_contention(NULL, &m, 1e6, cpu, 2, NULL) == SERVET_EINVAL, "bad arguments");
    o.line_bytes = 8;
    co.run.budget_s = -1;
    TAP_OK(servet_pairs_shared(&sharing, &m, &levels, cpu, 2, &o) == SERVET_EINVAL
           && servet_bandwidth_contention(&contention, &m, 1e6, cpu, 2, &co) == SERVET_EINVAL, "bad options");
    o.line_bytes = 0;
    co.run.budget_s = 0;
    cpu[1] = 0;
    TAP_OK(servet_pairs_shared(&sharing, &m, &levels, cpu, 2, NULL) == SERVET_EINVAL
           && servet_bandwidth_contention(&contention, &m, 1e6, cpu, 2, NULL) == SERVET_EINVAL, "a CPU named twice");
    cpu[1] = 1;
    node.offline[1] = 1;
    TAP_OK(servet_pairs_shared(&sharing, &m, &levels, cpu, 16, NULL) == SERVET_EPIN
           && servet_bandwidth_contention(&contention, &m, 4e8, cpu, 16, NULL) == SERVET_EPIN
           && servet_bandwidth_contention(&contention, &m, 4e8, cpu, 2, NULL) == SERVET_EPIN, "a CPU that is offline");
    node.offline[1] = 0;
    less = m;
    less.relay = NULL;
    less.bandwidth = NULL;
    TAP_OK(servet_pairs_shared(&sharing, &less, &levels, cpu, 2, NULL) == SERVET_EUNSUPPORTED
           && servet_bandwidth_contention(&contention, &less, 1e8, cpu, 2, NULL) == SERVET_EUNSUPPORTED,
           "a machine that cannot");
    less.bandwidth = no_streams;
    TAP_OK(servet_bandwidth_contention(&contention, &less, 1e8, cpu, 16, NULL) == SERVET_EUNSUPPORTED,
           "a machine that turns out not to");
    o.run.stop = stop;
    co.run.stop = stop;
    stops = stop_after = 0;
    TAP_OK(servet_pairs_shared(&sharing, &m, &levels, cpu, 16, &o) == SERVET_ESTOPPED
           && servet_bandwidth_contention(&contention, &m, 4e8, cpu, 16, &co) == SERVET_ESTOPPED
           && servet_bandwidth_contention(&contention, &m, 4e8, cpu, 2, &co) == SERVET_ESTOPPED, "stopped at once");
    TAP_OK(sharing.cpus == -7 && contention.cpus == -7, "nothing written so far");
    o.run.stop = NULL;
    stops = 0;
    stop_after = 600;
    i = servet_bandwidth_contention(&contention, &m, 4e8, cpu, 16, &co);
    TAP_OK(i == 2 && contention.stopped && contention.levels == 2 && contention.pairs == 120,
           "pairs known, not all else");
    co.run.stop = NULL;
    co.run.budget_s = 0.2;
    co.run.progress = progress;
    i = servet_bandwidth_contention(&contention, &m, 4e8, cpu, 16, &co);
    TAP_OK((i >= 0 || i == SERVET_ESTOPPED) && progressed > 0, "a budget that is too small, and progress");
    o.run.stop = NULL;
    o.run.progress = progress;
    less = m;
    less.bytes = 1e6;
    i = servet_pairs_shared(&sharing, &less, &levels, cpu, 16, &o);
    for (kept = 0; kept < 16; kept++) if (sharing.level[2].group[kept] != -1) break;
    TAP_OK(i == 3 && sharing.level[1].groups == 16 && sharing.level[2].status == SERVET_EUNSUPPORTED && kept == 16
           && progressed > 0, "too little memory for the last level: that alone is unknown");
    levels.memory_ns = levels.level[2].latency_ns * 1.01;
    i = servet_pairs_shared(&sharing, &m, &levels, cpu, 16, NULL);
    TAP_OK(i == 3 && sharing.level[2].status == SERVET_EUNRESOLVED && sharing.level[2].unknown == 16,
           "a level that makes no difference");
    levels = found(spec, &random);
    levels.level[0].bytes = levels.level[1].bytes = 0;
    i = servet_pairs_shared(&sharing, &m, &levels, cpu, 16, NULL);
    TAP_OK(i == 3 && sharing.level[0].status == SERVET_EUNRESOLVED && sharing.level[1].status == SERVET_EUNRESOLVED
           && sharing.level[2].status == SERVET_EUNRESOLVED, "levels of no size");
    levels = found(spec, &random);
    i = servet_pairs_shared(&sharing, &m, &levels, cpu, 1, NULL);
    TAP_OK(i == 3 && sharing.level[2].groups == 1 && sharing.level[2].tests == 0, "one CPU shares with nobody");
    i = servet_bandwidth_contention(&contention, &m, 4e8, cpu, 1, NULL);
    TAP_OK(i == 0 && contention.reference_bytes_per_s > 1e9 && contention.gammas == 0, "one CPU collides with nobody");
    cpu[1] = 9;
    i = servet_bandwidth_contention(&contention, &m, 4e8, cpu, 2, NULL);
    TAP_OK(i == 0 && contention.overhead[0] == -1 && contention.gamma[0].verdict == SERVET_COLLIDE_NO
           && contention.scaling[0].enough == 2, "two CPUs of two cells");
    cpu[1] = 1;
    i = servet_bandwidth_contention(&contention, &m, 4e8, cpu, 2, NULL);
    TAP_OK(i == 1 && contention.overhead[0] == 0 && contention.gamma[0].verdict == SERVET_COLLIDE_YES
           && contention.level[0].groups == 1 && contention.scaling[0].enough == 1, "two CPUs of one bus");
}

/* Rounds of two domains that lose a share, a sample each of which is disturbed where asked for. */
static int gamma_of(servet_contention_gamma *g, double lost, double noise, int rounds, int disturbed, uint64_t *random)
{
    double left[32];
    int i;
    memset(g, 0, sizeof *g);
    for (i = 0; i < rounds; i++) {
        const double a = 10 * exp(noise * sim__node_normal(random)), b = 10 * exp(noise * sim__node_normal(random));
        const double both = 20 * (1 - lost) * exp(noise * sim__node_normal(random));
        left[i] = log(both / (a + b));
        if (i == disturbed) left[i] -= log(3);
        if (i == disturbed - 1) left[i] += log(1.5);
    }
    return servet__contention_loss(g, left, rounds);
}

/* Two CPUs alone, and together: three rounds each, of rates within so many per cent. */
static const servet_contention_scaling *scaling_of(servet_contention *c, double alone, double both, double within)
{
    int s, k;
    memset(c, 0, sizeof *c);
    c->cpus = 2;
    c->cpu[1] = 1;
    c->sets = 3;
    for (s = 0; s < 3; s++) {
        c->set[s].cpus[0] = (uint64_t)s + 1;
        c->set[s].rounds = 3;
        for (k = 0; k < 3; k++) c->set[s].bytes_per_s[k] = (float)((s < 2 ? alone : both) * (1 + within * (k - 1)));
    }
    servet__contention_infer(c, NULL, NULL);
    return c->scalings == 1 && c->scaling[0].count == 2 ? &c->scaling[0] : NULL;
}

static void test_enough(void)
{
    static servet_contention c;    /* large */
    const servet_contention_scaling *x = scaling_of(&c, 15e9, 15.1e9, 0.002);
    TAP_OK(x && x->enough == 1 && x->lo_enough == 1 && x->hi_enough == 1, "as much by one as by two");
    x = scaling_of(&c, 10e9, 19e9, 0.002);
    TAP_OK(x && x->enough == 2 && x->lo_enough == 2 && x->hi_enough == 2, "two give nearly twice as much");
    x = scaling_of(&c, 15e9, 9e9, 0.002);
    TAP_OK(x && x->enough == 1 && x->lo_enough == 1 && x->hi_enough == 1, "or less");
    x = scaling_of(&c, 15e9, 9e9, 0.8);
    TAP_OK(x && x->enough == 1 && x->lo_enough == 1 && x->hi_enough == 2,
           "where others came in between, one or two: %d", x ? x->hi_enough : -1);
}

static void test_gamma(void)
{
    servet_contention_gamma g;
    uint64_t random = 1;
    int seed, inside = 0, sure = 0;
    for (seed = 0; seed < 400; seed++) {
        if (gamma_of(&g, 0.25, 0.05, 12, 1 + seed % 11, &random) < 0) abort();
        inside += g.lo <= 0.25 && g.hi >= 0.25;
        sure += g.verdict == SERVET_COLLIDE_YES;
    }
    TAP_OK(inside >= 380 && sure >= 380, "a quarter lost: in %d of 400 intervals, sure in %d", inside, sure);
    for (inside = sure = seed = 0; seed < 400; seed++) {
        if (gamma_of(&g, 0, 0.01, 8, -1, &random) < 0) abort();
        inside += g.lo <= 0 && g.hi >= 0;
        sure += g.verdict == SERVET_COLLIDE_NO;
        if (g.verdict == SERVET_COLLIDE_YES) sure -= 1000;
    }
    TAP_OK(inside >= 380 && sure >= 350, "nothing lost: in %d of 400 intervals, sure in %d", inside, sure);
    TAP_OK(gamma_of(&g, 0, 0.01, 2, -1, &random) == SERVET_EUNRESOLVED && g.rounds == 0, "not enough");
    TAP_OK(!strcmp(servet_text(SERVET_TEXT_COLLIDE, SERVET_COLLIDE_YES), "shared")
           && !strcmp(servet_text(SERVET_TEXT_COLLIDE, SERVET_COLLIDE_NO), "independent")
           && !strcmp(servet_text(SERVET_TEXT_COLLIDE, SERVET_COLLIDE_PARTLY), "partly")
           && !strcmp(servet_text(SERVET_TEXT_COLLIDE, 77), "unknown"), "in words");
}

/* The example of the paper: pairs (0,1), (0,2), (3,4), (3,5) of a level are the groups {0,1,2}, {3,4,5}. */
static void test_overheads(void)
{
    static const int pair[4][2] = { { 0, 1 }, { 0, 2 }, { 3, 4 }, { 3, 5 } };
    servet_contention *c = &contention;
    int i;
    memset(c, 0, sizeof *c);
    c->cpus = 6;
    c->reference_bytes_per_s = 10e9;
    c->noise_frac = 0.005;
    for (i = 0; i < 15; i++) c->pair_bytes_per_s[i] = (float)(9.9e9 + 0.01e9 * (i % 3));
    for (i = 0; i < 4; i++)
        c->pair_bytes_per_s[SERVET_PAIRS_AT(pair[i][0], pair[i][1])] = (float)(6e9 + 0.1e9 * i);
    c->pair_bytes_per_s[SERVET_PAIRS_AT(1, 5)] = 8.5e9f;
    TAP_OK(servet__contention_overheads(c) == 2 && c->level[0].pairs == 4 && c->level[0].groups == 2
           && c->level[0].group[0] == 0 && c->level[0].group[1] == 0 && c->level[0].group[2] == 0
           && c->level[0].group[3] == 1 && c->level[0].group[4] == 1 && c->level[0].group[5] == 1
           && c->level[1].pairs == 1 && c->level[1].group[0] == -1 && c->level[1].group[1] == c->level[1].group[5]
           && c->overhead[SERVET_PAIRS_AT(2, 4)] == -1, "the paper's example, and a lesser level");
    TAP_NEAR(c->level[0].bytes_per_s, 6.15e9, 0.01, "the middle of a level");
    TAP_OK(c->level[0].lo_bytes_per_s < 6.01e9 && c->level[0].hi_bytes_per_s > 6.29e9, "and its range");
    c->pair_bytes_per_s[SERVET_PAIRS_AT(2, 4)] = 0;
    TAP_OK(servet__contention_overheads(c) == 2 && c->overhead[SERVET_PAIRS_AT(2, 4)] == -2,
           "nothing is said of a pair without measurement where others differ");
    for (i = 0; i < 15; i++) c->pair_bytes_per_s[i] = (float)(9e9 * pow(0.85, i));
    TAP_OK(servet__contention_overheads(c) == SERVET_CONTENTION_LEVELS && c->level[0].pairs == 1
           && c->level[SERVET_CONTENTION_LEVELS - 1].pairs == 8 && c->overhead[0] == SERVET_CONTENTION_LEVELS - 1,
           "fifteen rates: the least of them are levels, the others are one");
    c->reference_bytes_per_s = 0;
    TAP_OK(servet__contention_overheads(c) == SERVET_EINVAL, "no reference");
}

/* Less time than all rounds of the pairs would take: groups get their share of it. */
static void short_of_time(int runs)
{
    const sim_node_spec *spec = sim_node_named("naples");
    int seed, grouped = 0, levels = 0;
    for (seed = 1; seed <= runs; seed++) {
        servet_contention_opts o;
        servet_layers layers;
        servet_machine m;
        int cpu[SERVET_CORES_MAX], i, known = 0;
        sim_node_open(&node, spec, &sim_node_noises[SIM_NODE_RATED], (uint64_t)seed);
        m = sim_node_machine(&node);
        layers = layers_of(&node);
        memset(&o, 0, sizeof o);
        o.layers = &layers;
        o.run.budget_s = 8;
        o.run.seed = (uint64_t)seed;
        for (i = 0; i < node.cpus; i++) cpu[i] = i;
        if (servet_bandwidth_contention(&contention, &m, 4e8, cpu, node.cpus, &o) < 0) continue;
        levels += levels_right(&node, &contention);
        for (i = 0; i < contention.gammas; i++) known += contention.gamma[i].verdict != SERVET_COLLIDE_UNKNOWN;
        grouped += known >= 8;
    }
    /* Levels are right in 19 of 20: less two standard deviations. */
    TAP_OK(grouped == runs && levels >= 0.8 * runs, "naples, short of time: of %d groups told of in %d, levels right"
           " in %d", runs, grouped, levels);
}

int main(void)
{
    static const char *const names[] = { "dunnington", "finis-terrae", "harpertown", "kentsfield", "niagara",
                                         "marenostrum5", "zen-256", "hector", "alder-lake", "cluster-on-die" };
    static const char *const kinds[] = { "raptor-lake", "juno", "apple-m1" };    /* of cores, with other sizes */
    const int many = tap_runs(20, 10);
    size_t i;
    if (!getenv("CONTENTION_ONLY")) {
        test_enough();
        test_gamma();
        test_overheads();
        statuses();
    }
    if (!getenv("CONTENTION_MEMORY")) {
        line_by_line("pray-kentsfield", 4, 0, 12, 0.95);
        line_by_line("pray-harpertown", 8, 0, 12, 0.95);
        line_by_line("paper-dunnington", 24, 1, 4, 0.95);
        tests_needed();
        for (i = 0; i < sizeof names / sizeof *names; i++) {
            const int large = !strcmp(names[i], "zen-256") || !strcmp(names[i], "marenostrum5");
            shared_of(names[i], GIVEN, SIM_NODE_RATED, large ? 3 : many, 0.99);
            shared_of(names[i], NONE, SIM_NODE_RATED, large ? 1 : many, 0.99);
            shared_of(names[i], WRONG, SIM_NODE_VISITED, large ? 1 : many, 0.95);
        }
        kinds_of_sizes();
        two_stopped();
        stopped_and_completed();
        two_moved();
        for (i = 0; i < sizeof kinds / sizeof *kinds; i++) shared_of(kinds[i], GIVEN, SIM_NODE_RATED, many, 0.95);
    }
    /* A level is larger or smaller than found. */
    found_times = 0.25;
    shared_of("harpertown", GIVEN, SIM_NODE_RATED, 4, 0.99);
    found_times = 2;
    shared_of("kentsfield", GIVEN, SIM_NODE_RATED, 4, 0.99);
    if (seeds(1) == 0) return tap_done();
    contended("dunnington", 1, 1, many);
    contended("finis-terrae", 0, 2, many);
    contended("kentsfield", 0, 1, many);
    contended("niagara", 1, 0, many);
    contended("marenostrum5", 1, 0, many);
    contended("cluster-on-die", 1, 1, many / 2);
    contended("hidden-nodes", 1, 1, many);
    contended("zen-256", 1, 2, 2);
    short_of_time(tap_runs(20, 8));
    return tap_done();
}

/* test_contention.c - who shares which cache, who slows whom at memory: rates over modelled nodes, noise and seeds
 *
 * CONTENTION_SEEDS=100 takes so many seeds of each machine instead of 20; CONTENTION_ONLY=zen-256 that machine alone. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "sim.h"
#include "nodes.h"
#include "tap.h"

static sim_node node;
static servet_sharing sharing;
static servet_contention contention;

static int seeds(void)
{
    const char *text = getenv("CONTENTION_SEEDS");
    return text ? atoi(text) : 20;
}

static int asked(const char *name)
{
    const char *only = getenv("CONTENTION_ONLY");
    return !only || strcmp(only, name) == 0;
}

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

enum { GIVEN, NONE, WRONG };    /* layers: as they are, none, and of CPUs that are numbered otherwise */
static const char *const given_text[] = { "", ", no layers", ", wrong layers" };

static void shared_of(const char *name, int given, int noise, double at_least)
{
    const int runs = seeds();
    const sim_node_spec *spec = sim_node_named(name);
    int seed, l, all = 0, right = 0, wrong = 0, unknown = 0, most = 0, at_once = 0, chases = 0;
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
        o.seed = (uint64_t)seed;
        o.budget_s = 1000;
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
            wrong += !good && x->unknown == 0 && x->status == SERVET_OK;
            if (x->tests > most) most = x->tests;
            if (x->at_once > at_once) at_once = x->at_once;
            if (x->chases > chases) chases = x->chases;
            if (!good) TAP_DIAG("%s seed %d L%d: %s, %d groups, %d unknown, %d tests, %d at once, predicted %.2f", name,
                                seed, l + 1, servet_status_text(x->status), x->groups, x->unknown, x->tests, x->at_once,
                                x->predicted);
        }
        all += levels.count;
        if (sharing.seconds > longest) longest = sharing.seconds;
    }
    TAP_DIAG("%s%s: %d CPUs, of %d levels %d right, %d unknown, %d wrong; for a level at most %d pairs tested, %d tests "
             "of many at once, %d chases; at most %.1f s", name, given_text[given], node.cpus, all, right, unknown, wrong,
             most, at_once, chases, longest);
    TAP_OK(right >= at_least * all && wrong == 0, "%s%s: who shares which cache, in %d of %d", name, given_text[given],
           right, all);
}

int main(void)
{
    static const char *const names[] = { "dunnington", "finis-terrae", "harpertown", "kentsfield", "niagara",
                                         "marenostrum5", "zen-256", "hector", "alder-lake", "cluster-on-die" };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) shared_of(names[i], GIVEN, SIM_NODE_RATED, 0.99);
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], "zen-256") && strcmp(names[i], "marenostrum5"))
            shared_of(names[i], NONE, SIM_NODE_RATED, 0.99);
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], "zen-256") && strcmp(names[i], "marenostrum5"))
            shared_of(names[i], WRONG, SIM_NODE_VISITED, 0.95);
    return tap_done();
}

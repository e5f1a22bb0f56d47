/* mpi_network.c - the modelled network against what it is said to be; sizes, scaling, distance and access on it
 *
 * NETWORK_SEEDS=n takes n seeds of each noisy case instead of 5, which is the least for rates of shapes.
 */
#define SERVET_MPI_IMPLEMENTATION
#define SERVET_MPI_OFFLINE
#include "../servet_mpi.h"
#include "../examples/places.h"
#include "network.h"
#include "tap.h"

static net_model model;
static servet_network network, kept;

static int seeds(void)
{
    const char *text = getenv("NETWORK_SEEDS");
    return text && atoi(text) > 0 ? atoi(text) : 5;
}

/* Opens a machine; 1 if it could be. */
static int machine(const char *name, int per_host, int placing, int noise, int seed)
{
    net_layout at;
    memset(&at, 0, sizeof at);
    at.per_host = per_host;
    at.placing = placing;
    return net_open(&model, net_named(name), &at, &net_noises[noise], (uint64_t)seed) >= 0;
}

/* Layers as they are built, in the place of measured ones. */
static void told_layers(servet_network *n)
{
    static int group[SERVET_NETWORK_LAYERS * SERVET_NETWORK_RANKS];
    int i, a, b, l;
    memset(n, 0, sizeof *n);
    net_describe(&model, n);
    n->layer[0].pairs = 1;
    n->trip_bytes = 32768;
    n->stream_bytes = 1048576;
    n->layer_count = net_truth_layers(&model, group);
    for (l = 0; l < n->layer_count; l++)
        for (i = 0; i < n->ranks; i++) n->group[l][i] = (int16_t)group[l * n->ranks + i];
    for (l = 0; l <= n->layer_count; l++) {
        n->layer[l].a = n->layer[l].b = -1;
        for (a = 0; a < n->ranks && n->layer[l].a < 0; a++)
            for (b = a + 1; b < n->ranks && n->layer[l].a < 0; b++)
                if (servet_network_layer_of(n, a, b) == l) {
                    n->layer[l].a = a;
                    n->layer[l].b = b;
                    n->layer[l].pairs = 1;
                }
        for (i = 0, n->layer[l].in_hosts = l < n->layer_count; l < n->layer_count && i < n->ranks; i++)
            if (n->group[l][i] == n->group[l][0] && model.place[i].host != model.place[0].host)
                n->layer[l].in_hosts = 0;
    }
}

/* One round of transfers that begin together: the mean time of a message. */
static double together_ns(int kind, int count, const servet_mpi_transfer *t, double bytes)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.bytes = (size_t)bytes;
    r.together = 1;
    r.count = count;
    r.transfer = t;
    return net_exchange(&model, &r) < 0 ? -1 : r.mean.median_ns;
}

/* One round of pairs at their own pace. */
static int pairs(servet_message *each, int kind, int count, const servet_mpi_transfer *t, double bytes)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.bytes = (size_t)bytes;
    r.count = count;
    r.transfer = t;
    r.each = each;
    return net_exchange(&model, &r);
}

/* --- the model --- */

static void the_model_is_what_it_says(void)
{
    servet_mpi_transfer t[64];
    servet_message alone, beside[16];
    double one, all;
    int i;

    machine("finis-terrae", 0, NET_BLOCK, NET_QUIET, 1);
    TAP_NEAR(net_truth_ns(&model, 0, 16, 16384) / net_truth_ns(&model, 0, 1, 16384), 2, 0.05,
             "Finis Terrae: between nodes takes twice as long as within");
    for (i = 0; i < 16; i++) {
        t[2 * i].from = t[2 * i + 1].to = i;
        t[2 * i].to = t[2 * i + 1].from = 16 + i;
    }
    one = together_ns(SERVET_MESSAGE_TRIP, 1, t, 16384);
    all = together_ns(SERVET_MESSAGE_TRIP, 32, t, 16384);
    TAP_NEAR(one, net_truth_ns(&model, 0, 16, 16384), 1e-9, "one alone takes what a message takes");
    TAP_NEAR(all / one, 7, 0.01, "Finis Terrae: 32 messages take 7 times as long");
    net_close(&model);

    machine("two-racks", 0, NET_BLOCK, NET_QUIET, 1);
    TAP_NEAR(net_truth_ns(&model, 0, 1, 1), 400, 0.01, "two racks: in a host 0.4 us");
    TAP_NEAR(net_truth_ns(&model, 0, 2, 1), 4000, 0.01, "... in a rack 4 us");
    TAP_NEAR(net_truth_ns(&model, 0, 8, 1), 24000, 0.01, "... between racks 24 us");
    TAP_NEAR(net_truth_ns(&model, 0, 1, 4097) - net_truth_ns(&model, 0, 1, 4096), 2000, 0.01, "the protocol changes");
    for (i = 0; i < 8; i++) { t[i].from = i; t[i].to = 8 + i; }
    pairs(&alone, SERVET_MESSAGE_TRIP, 1, t, 32768);
    pairs(beside, SERVET_MESSAGE_TRIP, 8, t, 32768);
    TAP_OK(beside[0].median_ns > 1.5 * alone.median_ns, "pairs at once crowd an uplink: %.2f times as slow",
           beside[0].median_ns / alone.median_ns);
    pairs(&alone, SERVET_MESSAGE_TRIP, 1, t, 8);
    pairs(beside, SERVET_MESSAGE_TRIP, 8, t, 8);
    TAP_NEAR(beside[0].median_ns, alone.median_ns, 0.01, "small messages do not");
    pairs(&alone, SERVET_MESSAGE_STREAM, 1, t, 1e6);
    TAP_NEAR(1e15 / alone.median_ns, 25e6, 0.01, "a stream has the rate of the link");
    t[1].to = 0;
    TAP_OK(pairs(beside, SERVET_MESSAGE_TRIP, 2, t, 8) == SERVET_EINVAL, "a rank twice in a round of pairs: EINVAL");
    net_close(&model);
}

static void noise_is_what_it_says(void)
{
    net_noise noise = net_noises[NET_QUIET];
    net_layout at;
    servet_mpi_transfer t[2];
    servet_message m[2], again[2];
    double began;
    int i;
    memset(&at, 0, sizeof at);
    t[0].from = 0;
    t[0].to = 4;
    t[1].from = 8;
    t[1].to = 12;

    noise.jitter_frac = 0.05;
    noise.slow_host = 3;
    noise.slow_factor = 2;
    for (i = 0; i < 2; i++) {
        net_open(&model, net_named("two-racks"), &at, &noise, 7);
        pairs(i ? again : m, SERVET_MESSAGE_TRIP, 2, t, 65536);
        net_close(&model);
    }
    TAP_OK(!memcmp(m, again, sizeof m), "equal seeds give equal results");
    TAP_OK(m[0].lo_ns < m[0].hi_ns && m[0].min_ns < m[0].p90_ns, "jitter");
    TAP_NEAR(m[0].median_ns / m[1].median_ns, 2, 0.1, "a host is slow");
    net_open(&model, net_named("two-racks"), &at, &noise, 8);
    pairs(again, SERVET_MESSAGE_TRIP, 2, t, 65536);
    TAP_OK(memcmp(m, again, sizeof m) != 0, "others do not");
    net_close(&model);

    noise = net_noises[NET_QUIET];
    noise.lost_rank = 5;
    noise.lost_s = 1e-9;
    noise.contact_ns = 1e6;
    net_open(&model, net_named("two-racks"), &at, &noise, 7);
    began = model.now_s;
    TAP_OK(pairs(m, SERVET_MESSAGE_TRIP, 1, t + 1, 8) == SERVET_OK && m[0].samples > 0, "before a rank is lost");
    TAP_OK(model.now_s - began > 0.9e-3, "a first contact takes time");
    TAP_OK(pairs(m, SERVET_MESSAGE_TRIP, 2, t, 8) == SERVET_ETIME && m[0].samples == 0 && m[1].samples > 0,
           "a lost rank: ETIME, and what the others gave");
    net_close(&model);

    for (i = 0; i < 4; i++) {
        at.names = i;
        net_open(&model, net_named("two-racks"), &at, NULL, 7);
        memset(&network, 0, sizeof network);
        net_describe(&model, &network);
        TAP_OK(network.ranks == 16 && strlen(servet_network_name(&network, network.hosts - 1)) > 4 &&
               (i == NET_OWN_NAMES ? network.hosts == 16 : i == NET_ONE_NAME ? network.hosts == 1 :
                i == NET_TRUE ? network.hosts == 8 : network.hosts > 4 && network.hosts <= 8),
               "names %d: %d hosts", i, network.hosts);
        net_close(&model);
    }
}

/* --- scaling --- */

/* As many pairs as can be: in each group half of the ranks, or all that are not of its largest inner group. */
static int most_pairs(const servet_network *n, int layer)
{
    int r, s, sum = 0;
    for (r = 0; r < n->ranks; r++) {
        int all = 0, most = 0;
        for (s = 0; s < n->ranks; s++) {
            int own = 0, q;
            if (servet_mpi__group(n, layer, s) != servet_mpi__group(n, layer, r)) continue;
            if (s < r) break;       /* r is not the first of its group */
            all++;
            for (q = 0; q < n->ranks; q++)
                own += servet_mpi__group(n, layer - 1, q) == servet_mpi__group(n, layer - 1, s);
            if (own > most) most = own;
        }
        if (s < n->ranks) continue;
        sum += all - most < all / 2 ? all - most : all / 2;
    }
    return sum;
}

static void pairs_of_layers(void)
{
    static const struct { const char *name; int per_host, placing, seed; } at[] = {
        {"finis-terrae", 0, NET_BLOCK, 1}, {"two-racks", 0, NET_SHUFFLED, 1}, {"fat-tree", 3, NET_UNEQUAL, 2},
        {"islands", 5, NET_UNEQUAL, 3}, {"hector", 2, NET_CYCLIC, 1}, {"host", 0, NET_SHUFFLED, 4},
        {"dragonfly", 3, NET_UNEQUAL, 5}, {"flat", 3, NET_UNEQUAL, 6}, {"ring", 0, NET_BLOCK, 1}
    };
    servet_mpi_transfer t[SERVET_NETWORK_RANKS];
    int i, l, k;
    for (i = 0; i < (int)(sizeof at / sizeof *at); i++) {
        machine(at[i].name, at[i].per_host, at[i].placing, NET_QUIET, at[i].seed);
        told_layers(&network);
        for (l = 0; l <= network.layer_count; l++) {
            int *work = (int *)calloc(5 * (size_t)network.ranks + 1, sizeof *work), wrong = 0, count;
            char seen[SERVET_NETWORK_RANKS] = {0};
            count = servet_mpi__apart(t, &network, l, work);
            for (k = 0; k < count; k++) {
                wrong += servet_network_layer_of(&network, t[k].from, t[k].to) != l;
                wrong += seen[t[k].from]++ + seen[t[k].to]++;
            }
            TAP_OK(wrong == 0 && count == most_pairs(&network, l), "%s, %d ranks, layer %d: %d pairs, all there are",
                   at[i].name, network.ranks, l, count);
            free(work);
        }
        net_close(&model);
    }
}

static const servet_network_load *load_of(const servet_network *n, int layer, int kind, double bytes, int at_once)
{
    int i;
    for (i = 0; i < n->load_count; i++) {
        const servet_network_load *v = &n->load[i];
        if (v->layer == layer && v->kind == kind && fabs(v->bytes - bytes) < 1 && v->at_once == at_once) return v;
    }
    return NULL;
}

static double slower(const servet_network *n, int layer, int kind, double bytes, int at_once)
{
    const servet_network_load *one = load_of(n, layer, kind, bytes, 1), *all = load_of(n, layer, kind, bytes, at_once);
    return one && all ? all->last.median_ns / one->last.median_ns : -1;
}

/* What small messages of each layer take, as measuring layers finds it. */
static void small_times(const servet_mpi_network *net, servet_network *n)
{
    int l;
    for (l = 0; l <= n->layer_count; l++) {
        servet_mpi_transfer t;
        servet_message m;
        servet_mpi_round r;
        memset(&r, 0, sizeof r);
        memset(&m, 0, sizeof m);
        t.from = n->layer[l].a;
        t.to = n->layer[l].b;
        r.kind = SERVET_MESSAGE_TRIP;
        r.bytes = 8;
        r.count = 1;
        r.transfer = &t;
        r.each = &m;
        if (n->layer[l].pairs > 0 && net->exchange(net->context, &r) >= 0) n->layer[l].small_ns = m.median_ns;
    }
}

static void messages_at_once(void)
{
    servet_mpi_network net;
    servet_mpi_opts opts;
    int i, in_order = 1, noise;
    for (noise = NET_QUIET; noise <= NET_RATED; noise++) {
        const double tol = noise == NET_QUIET ? 0.01 : 0.25;    /* of 32 messages, the last to come is the unluckiest */
        machine("finis-terrae", 0, NET_BLOCK, noise, 3);
        told_layers(&network);
        network.trip_bytes = 16384;
        net = net_mpi(&model);
        small_times(&net, &network);
        TAP_OK(servet_mpi__scaling(&network, &net, NULL) == network.load_count, "Finis Terrae: %d points",
               network.load_count);
        TAP_NEAR(slower(&network, 1, SERVET_LOAD_APART, 16384, 32), 7, tol, "32 messages between nodes: 7 times");
        TAP_NEAR(slower(&network, 0, SERVET_LOAD_APART, 16384, 8), 1, tol, "8 within a node: not slower");
        TAP_NEAR(slower(&network, 1, SERVET_LOAD_FROM_ONE, 1048576, 16), 16 * 800e6 / 2.9228e9, tol + 0.04,
                 "16 from one: what the adapter lets through");
        net_close(&model);
    }
    for (i = 1; i < network.load_count; i++) {
        const servet_network_load *a = &network.load[i - 1], *b = &network.load[i];
        in_order &= b->layer > a->layer || (b->layer == a->layer && (b->kind > a->kind || (b->kind == a->kind &&
                    (b->bytes > a->bytes || (b->bytes >= a->bytes && b->at_once > a->at_once)))));
    }
    TAP_OK(in_order, "layers in order, then kinds, bytes, numbers at once");

    machine("large", 0, NET_BLOCK, NET_QUIET, 1);
    told_layers(&network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__scaling(&network, &net, NULL) > 50, "4096 ranks, %d layers: %d points", network.layer_count + 1,
           network.load_count);
    TAP_OK(load_of(&network, network.layer_count, SERVET_LOAD_APART, 32768, 4096) != NULL, "all 4096 at once");
    memset(&opts, 0, sizeof opts);
    opts.run.budget_s = 0.02;
    i = servet_mpi__scaling(&network, &net, &opts);
    TAP_OK(i > 0 && network.stopped && network.load_count == i, "time for a few points: %d", i);
    net_close(&model);

    machine("ring", 0, NET_BLOCK, NET_QUIET, 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__scaling(&network, &net, NULL) == SERVET_EUNRESOLVED, "without layers: EUNRESOLVED");
    TAP_OK(servet_mpi__sizes(&network, &net, NULL) == SERVET_EUNRESOLVED, "sizes likewise");
    net_close(&model);
}

static void pairs_by_size(void)
{
    servet_mpi_network net;
    int i, jumps[2] = {0, 0}, ascending = 1;
    machine("flat", 0, NET_BLOCK, NET_QUIET, 1);
    told_layers(&network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__sizes(&network, &net, NULL) == network.size_count && network.size_count > 40,
           "%d sizes of two layers", network.size_count);
    for (i = 0; i < network.threshold_count; i++) {
        const servet_network_threshold *v = &network.threshold[i];
        const double at = v->layer == 0 ? 8192 : 16384;
        if (v->lo_bytes <= at + 1 && at + 1 <= v->hi_bytes && (v->layer == 0 || v->layer == 1)) jumps[v->layer]++;
    }
    TAP_OK(network.threshold_count == 2 && jumps[0] == 1 && jumps[1] == 1, "each protocol changes where it does");
    for (i = 1; i < network.size_count; i++) {
        const servet_network_size *a = &network.size[i - 1], *b = &network.size[i];
        ascending &= b->layer > a->layer || (b->layer == a->layer && b->bytes > a->bytes);
    }
    TAP_OK(ascending, "layers in order, sizes ascending");
    net_close(&model);
}

/* --- distance --- */

static void distances_without_noise(void)
{
    static const struct { const char *name; int per_host, shape, period, second; } at[] = {
        {"ring", 0, SERVET_SHAPE_RING, 0, 0}, {"torus", 0, SERVET_SHAPE_TORUS, 4, 16},
        {"torus-1024", 0, SERVET_SHAPE_TORUS, 16, 128}, {"hector", 2, SERVET_SHAPE_TORUS, 8, 32},
        {"flat", 0, SERVET_SHAPE_FLAT, 0, 0}, {"islands", 1, SERVET_SHAPE_TWO_LEVEL, 16, 0},
        {"fat-tree", 2, SERVET_SHAPE_TWO_LEVEL, 16, 0}, {"dragonfly", 1, SERVET_SHAPE_UNKNOWN, 0, 0},
        {"two-racks", 0, SERVET_SHAPE_RING, 0, 0}
    };
    servet_mpi_network net;
    int i, d;
    for (i = 0; i < (int)(sizeof at / sizeof *at); i++) {
        machine(at[i].name, at[i].per_host, NET_BLOCK, NET_QUIET, 1);
        memset(&network, 0, sizeof network);
        net = net_mpi(&model);
        d = servet_mpi__distance(&network, &net, NULL);
        TAP_OK(d == network.dist_count && d > 1 && !network.stopped, "%s: %d distances of %d nodes in %.1f s",
               at[i].name, d, network.dist_nodes, model.now_s);
        TAP_OK(network.shape == at[i].shape && network.shape_period == at[i].period &&
               network.shape_period_2 == at[i].second, "%s: shape %d, periods %d and %d", at[i].name, network.shape,
               network.shape_period, network.shape_period_2);
        TAP_OK(model.now_s <= 20.5, "%s: in its time", at[i].name);
        for (d = 0; i == 0 && d < network.dist_count; d++)
            TAP_NEAR(network.dist[d].ratio, d + 1, 1e-3, "ring of 16: ratDist[%d]", d + 1);
        if (i == 0) TAP_NEAR(network.dist[0].bytes_per_s, 1e9, 1e-3, "and the reference is the rate of a link");
        net_close(&model);
    }
}

/* Two racks by distance are a ring of two links, if one does not know that they are groups. */
static void distances_of_groups(void)
{
    servet_mpi_network net;
    int hosts;
    for (hosts = 4; hosts <= 8; hosts += 4) {
        net_spec racks = *net_named("two-racks");
        net_layout at;
        memset(&at, 0, sizeof at);
        racks.hosts = hosts;
        racks.level[0].hosts = hosts / 2;
        net_open(&model, &racks, &at, NULL, 1);
        told_layers(&network);
        net = net_mpi(&model);
        servet_mpi__distance(&network, &net, NULL);
        TAP_OK(network.shape == SERVET_SHAPE_TWO_LEVEL && network.shape_period == hosts / 2,
               "racks of %d hosts, known to layers: shape %d, %d", hosts / 2, network.shape, network.shape_period);
        net_close(&model);
    }
}

static void distances_of_few(void)
{
    servet_mpi_network net;
    servet_mpi_opts opts;
    net_layout at;
    int hosts, i;
    memset(&opts, 0, sizeof opts);
    for (hosts = 1; hosts <= 5; hosts++) {
        memset(&at, 0, sizeof at);
        at.hosts = hosts;
        net_open(&model, net_named("flat"), &at, &net_noises[NET_RATED], 1);
        memset(&network, 0, sizeof network);
        net = net_mpi(&model);
        i = servet_mpi__distance(&network, &net, NULL);
        TAP_OK(hosts == 1 ? i == SERVET_EUNRESOLVED && network.dist_count == 0 : i == hosts / 2,
               "%d hosts: %d distances", hosts, i);
        if (hosts == 1) {
            opts.each_rank = 1;
            i = servet_mpi__distance(&network, &net, &opts);
            TAP_OK(i == 2 && network.dist_nodes == 4, "4 ranks of one host, if asked for: %d distances", i);
        }
        net_close(&model);
    }
    memset(&at, 0, sizeof at);
    at.ranks = 1;
    net_open(&model, net_named("flat"), &at, NULL, 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__distance(&network, &net, NULL) == SERVET_EUNRESOLVED, "one rank has no distance");
    TAP_OK(servet_mpi__access(&network, &net, NULL) == SERVET_EUNRESOLVED, "nor neighbours");
    net_close(&model);

    machine("torus-1024", 0, NET_BLOCK, NET_QUIET, 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    opts.each_rank = 0;
    opts.all_distances = 1;
    opts.run.budget_s = 200;
    TAP_OK(servet_mpi__distance(&network, &net, &opts) == 512 && network.dist[511].which == 512,
           "all of 512 distances");
    TAP_OK(network.shape == SERVET_SHAPE_TORUS && network.shape_period == 16 && network.shape_period_2 == 128,
           "and the same shape");
    net_close(&model);
}

/* Ranks of one host: the time is for what is there to measure. */
static void all_on_one_host(void)
{
    servet_mpi_network net;
    servet_mpi_opts opts;
    net_layout at;
    memset(&at, 0, sizeof at);
    memset(&opts, 0, sizeof opts);
    at.ranks = 4;
    opts.run.budget_s = 0.5;
    net_open(&model, net_named("host"), &at, &net_noises[NET_RATED], 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    servet_mpi__all(&network, &net, &opts);
    TAP_OK(network.hosts == 1 && network.stopped && network.load_count > 0 && network.seconds > 0.9 * opts.run.budget_s,
           "on one host nothing is kept for what needs two: %.2f of %.2f s", network.seconds, opts.run.budget_s);
    net_close(&model);
}

/* Names of hosts that lie, where layers were measured: the groups that are nodes. */
static void nodes_by_layers(void)
{
    servet_mpi_network net;
    net_layout at;
    int i, right = 0, l;
    memset(&at, 0, sizeof at);
    at.per_host = 4;
    at.names = NET_WRONG_NAMES;
    at.placing = NET_SHUFFLED;
    net_open(&model, net_named("flat"), &at, NULL, 1);
    told_layers(&network);
    for (l = 0; l < network.layer_count; l++) network.layer[l].in_hosts = -1;
    net = net_mpi(&model);
    servet_mpi__distance(&network, &net, NULL);
    TAP_OK(network.dist_nodes == 32, "a quarter of the names wrong: %d nodes", network.dist_nodes);
    i = servet_mpi__access(&network, &net, NULL);
    TAP_OK(i == 4 || (i == 3 && network.access_constant), "and %d numbers of processes", i);
    for (i = 0; i < network.access_count; i++) {
        const double k = network.access[i].which;
        right += fabs(network.access[i].ratio - k) < 0.02 * k;
    }
    TAP_OK(right == network.access_count, "as many times as slow");
    net_close(&model);
}

/* --- access --- */

static int order[SERVET_NETWORK_RANKS];

/* The model's rank order[i] is rank i: on the same host, so that hosts stay. */
static int ordered_exchange(void *context, servet_mpi_round *r)
{
    static servet_mpi_transfer own[SERVET_NETWORK_RANKS];
    const servet_mpi_transfer *given = r->transfer;
    int i, status;
    for (i = 0; i < r->count; i++) {
        own[i].from = order[given[i].from];
        own[i].to = order[given[i].to];
    }
    r->transfer = own;
    status = net_exchange(context, r);
    r->transfer = given;
    return status;
}

/* As mpi_degradation.c spreads processes where no layers are known: by what the system says of their CPUs. */
static void access_by_places(void)
{
    static whereabouts at[SERVET_NETWORK_RANKS];
    static int host[SERVET_NETWORK_RANKS], seen[SERVET_NETWORK_RANKS];
    servet_mpi_network net;
    uint64_t seed = 1;
    int i, k, known, wrong = 0;
    machine("hector", 0, NET_BLOCK, NET_QUIET, 1);
    memset(at, -1, sizeof at);
    for (i = 0; i < model.ranks; i++) {    /* a host's ranks in any order */
        const net_place p = model.place[i];
        host[i] = p.host;
        k = i - (int)servet_stats_random_below(&seed, (size_t)(i % model.spec.cores) + 1);
        model.place[i] = model.place[k];
        model.place[k] = p;
    }
    net = net_mpi(&model);
    net.exchange = ordered_exchange;
    for (known = 0; known < 3; known++) {
        for (i = 0; i < model.ranks && known == 1; i++) at[i].key[PLACE_CPU] = model.place[i].core;
        for (i = 0; i < model.ranks && known == 2; i++) {    /* CPUs are numbered in turns, processors are told */
            at[i].key[PLACE_CPU] = model.place[i].core % 16 * 2 + model.place[i].socket;
            at[i].key[0] = model.place[i].socket;
        }
        place_order(order, at, host, model.ranks);
        memset(seen, 0, sizeof seen);
        for (i = 0; i < model.ranks; i++)
            wrong += seen[order[i]]++ + (host[order[i]] != host[i]) + (!known && order[i] != i);
        TAP_OK(wrong == 0, "each rank once, on its host%s", known ? "" : ", as they were");
        memset(&network, 0, sizeof network);
        net_describe(&model, &network);
        TAP_OK(servet_mpi__access(&network, &net, NULL) == 6, "HECToR, without layers: 1 to 32");
        if (known) TAP_NEAR(network.access[1].ratio, 1, 0.01, "2 are of two processors, by %s",
                            known == 1 ? "the numbers of CPUs" : "what the system says of them");
        else TAP_OK(network.access[1].ratio > 1.3, "in rank order 2 may be of one: %.2f", network.access[1].ratio);
    }
    net_close(&model);
}

static void access_without_noise(void)
{
    servet_mpi_network net;
    net_layout at;
    int i, k;

    memset(&at, 0, sizeof at);
    at.hosts = 2;
    net_open(&model, net_named("flat"), &at, NULL, 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__access(&network, &net, NULL) == 4, "2 hosts of 4 ranks");
    for (k = 0; k < 4; k++)
        TAP_NEAR(network.access[k].ratio, k + 1, 0.01, "ratNC[%d] where the adapter is shared", k + 1);
    TAP_OK(!network.access_constant, "with ever more senders");
    net_close(&model);

    for (i = 0; i < 3; i++) {
        memset(&at, 0, sizeof at);
        at.placing = i == 2 ? NET_SHUFFLED : NET_BLOCK;
        at.scatter = i == 1;
        net_open(&model, net_named("hector"), &at, NULL, 1);
        told_layers(&network);
        net = net_mpi(&model);
        TAP_OK(servet_mpi__access(&network, &net, NULL) == 6 && network.access_constant &&
               network.access[5].senders == 64, "HECToR, layout %d: 1 to 32 of 32, 64 senders each", i);
        if (i < 2) TAP_NEAR(network.access[1].ratio, 1, 0.01, "a process on each processor: not slower");
        TAP_OK(network.access[2].ratio > 1.5 && network.access[5].ratio > 8, "4: %.2f, 32: %.2f",
               network.access[2].ratio, network.access[5].ratio);
        net_close(&model);
    }

    for (i = 0; i < 6; i++) {    /* nodes of one rack: what crosses to the other has nothing to do with processes */
        net_spec racks = *net_named("two-racks");
        memset(&at, 0, sizeof at);
        racks.hosts = i < 3 ? 4 : 8;
        racks.level[0].hosts = racks.hosts / 2;
        at.placing = NET_SHUFFLED;
        net_open(&model, &racks, &at, NULL, (uint64_t)i + 1);
        told_layers(&network);
        net = net_mpi(&model);
        TAP_OK(servet_mpi__access(&network, &net, NULL) == 2, "racks of %d hosts", racks.hosts / 2);
        TAP_NEAR(network.access[1].ratio, 2, 0.01, "two processes of a host share its link");
        net_close(&model);
    }

    memset(&at, 0, sizeof at);
    at.placing = NET_UNEQUAL;
    at.hosts = 6;
    net_open(&model, net_named("flat"), &at, NULL, 5);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    i = servet_mpi__access(&network, &net, NULL);
    TAP_OK(i >= 1 && i == network.access_count, "unequal hosts: %d points", i);
    for (k = 1; k < i; k++) TAP_NEAR(network.access[k].ratio, network.access[k].which, 0.01, "ratio of %d", k + 1);
    net_close(&model);
}

/* --- rates under noise --- */

typedef struct rates { int cases, shapes, inside, nearly, ratios; double worst; } rates;

/* Ratios against those of the same machine without noise. */
static void compare(rates *r, const servet_network_ratio *got, int n, const servet_network_ratio *truth, int truths)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < truths; j++) {
            if (truth[j].which != got[i].which || got[i].which == 1) continue;
            r->ratios++;
            r->inside += got[i].lo_ratio <= truth[j].ratio * 1.0001 && truth[j].ratio <= got[i].hi_ratio * 1.0001;
            r->nearly += got[i].lo_ratio <= truth[j].ratio * 1.01 && truth[j].ratio <= got[i].hi_ratio * 1.01;
            if (fabs(got[i].ratio / truth[j].ratio - 1) > r->worst) r->worst = fabs(got[i].ratio / truth[j].ratio - 1);
        }
}

/* The same with messages of the same size. */
static void undisturbed(rates *r, const char *name, int per_host)
{
    servet_mpi_network net;
    servet_mpi_opts opts;
    memset(&opts, 0, sizeof opts);
    opts.run.budget_s = 1e6;
    net_close(&model);
    machine(name, per_host, NET_BLOCK, NET_QUIET, 1);
    told_layers(&kept);
    net = net_mpi(&model);
    opts.ratio_bytes = (size_t)network.dist_bytes;
    servet_mpi__distance(&kept, &net, &opts);
    opts.ratio_bytes = (size_t)network.access_bytes;
    servet_mpi__access(&kept, &net, &opts);
    compare(r, network.dist, network.dist_count, kept.dist, kept.dist_count);
    compare(r, network.access, network.access_count, kept.access, kept.access_count);
    net_close(&model);
}

static void rates_under_noise(void)
{
    static const struct { const char *name; int per_host; int shape, period; } at[] = {
        {"ring", 0, SERVET_SHAPE_RING, 0}, {"torus", 0, SERVET_SHAPE_TORUS, 4}, {"flat", 0, SERVET_SHAPE_FLAT, 0},
        {"fat-tree", 8, SERVET_SHAPE_TWO_LEVEL, 16}, {"islands", 2, SERVET_SHAPE_TWO_LEVEL, 16},
        {"hector", 4, SERVET_SHAPE_TORUS, 8}, {"torus-1024", 0, SERVET_SHAPE_TORUS, 16}, {"dragonfly", 2, 0, 0}
    };
    servet_mpi_network net;
    servet_mpi_opts opts;
    int run, i, seed, most = seeds();
    memset(&opts, 0, sizeof opts);
    for (run = 0; run < 6; run++) {
        const int noise = NET_RATED + run / 2;
        rates all;
        int wrong = 0;
        memset(&all, 0, sizeof all);
        opts.run.budget_s = run % 2 ? 20 : 4;
        for (i = 0; i < (int)(sizeof at / sizeof *at); i++) {
            rates here;
            memset(&here, 0, sizeof here);
            for (seed = 1; seed <= most; seed++) {
                machine(at[i].name, at[i].per_host, NET_BLOCK, noise, seed);
                told_layers(&network);
                net = net_mpi(&model);
                servet_mpi__distance(&network, &net, &opts);
                servet_mpi__access(&network, &net, &opts);
                undisturbed(&here, at[i].name, at[i].per_host);
                here.cases++;
                here.shapes += network.shape == at[i].shape &&
                               (at[i].shape != SERVET_SHAPE_TORUS || network.shape_period == at[i].period);
                wrong += network.shape != at[i].shape && network.shape != SERVET_SHAPE_UNKNOWN;
            }
            TAP_DIAG("noise %d, %2.0f s, %-10s: %d of %d shapes, inside %d of %d ratios, worst off by %.1f %%",
                     noise, opts.run.budget_s, at[i].name, here.shapes, here.cases, here.inside, here.ratios,
                     100 * here.worst);
            all.cases += here.cases;
            all.shapes += here.shapes;
            all.inside += here.inside;
            all.nearly += here.nearly;
            all.ratios += here.ratios;
        }
        /* Ranks that share their CPU wait in each of their messages: what that adds to all is more than scatter, and
         * intervals do not hold it to the last digit. */
        if (noise == NET_RATED)
            TAP_OK(all.inside >= 0.95 * all.ratios, "noise %d, %.0f s: %d of %d ratios within their intervals", noise,
                   opts.run.budget_s, all.inside, all.ratios);
        TAP_OK(all.nearly >= 0.97 * all.ratios, "noise %d, %.0f s: %d of %d are, to a hundredth", noise,
               opts.run.budget_s, all.nearly, all.ratios);
        if (most < 5) {
            TAP_SKIP(2, "too few seeds for rates of shapes");
            continue;
        }
        TAP_OK(all.shapes >= (noise == NET_RATED ? 0.99 : noise == NET_CLOUD ? 0.95 : 0.8) * all.cases,
               "noise %d, %.0f s: %d of %d shapes", noise, opts.run.budget_s, all.shapes, all.cases);
        TAP_OK(wrong <= (noise == NET_HARSH ? 0.05 : 0.01) * all.cases, "noise %d, %.0f s: %d of %d shapes are wrong",
               noise, opts.run.budget_s, wrong, all.cases);
    }
}

/* --- time, stops, losses --- */

typedef struct watch { int asked, stop_at, told, odd; double first; } watch;

static int watch_stop(void *ctx)
{
    watch *w = (watch *)ctx;
    return ++w->asked > w->stop_at;
}

static void watch_progress(void *ctx, double done_frac, double left_s)
{
    watch *w = (watch *)ctx;
    w->odd += !(done_frac >= 0 && done_frac <= 1 && left_s >= 0);
    if (w->told++ == 0) w->first = done_frac;
}

static void time_and_loss(void)
{
    static const double budgets[] = {0.05, 0.5, 2, 5};
    servet_mpi_network net;
    servet_mpi_opts opts;
    net_noise noise;
    net_layout at;
    watch w;
    int i, status;
    for (i = 0; i < 4; i++) {
        memset(&opts, 0, sizeof opts);
        opts.run.budget_s = budgets[i];
        machine("two-racks", 0, NET_BLOCK, NET_RATED, 1);
        memset(&network, 0, sizeof network);
        net = net_mpi(&model);
        status = servet_mpi__distance(&network, &net, &opts);
        TAP_OK(model.now_s < 1.2 * budgets[i] + 0.05, "%.2f s: %d distances with %.0f bytes after %.2f s%s",
               budgets[i], status, network.dist_bytes, model.now_s, network.stopped ? ", stopped" : "");
        TAP_OK(status == 4 || network.stopped, "all, or it says so");
        net_close(&model);
    }

    memset(&opts, 0, sizeof opts);
    opts.run.stop = watch_stop;
    opts.run.progress = watch_progress;
    opts.run.ctx = &w;
    memset(&w, 0, sizeof w);
    machine("ring", 0, NET_BLOCK, NET_RATED, 1);
    memset(&network, 0, sizeof network);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__distance(&network, &net, &opts) == SERVET_ESTOPPED && network.stopped && network.dist_count == 0,
           "stopped at once: ESTOPPED");
    memset(&w, 0, sizeof w);
    w.stop_at = 45;
    status = servet_mpi__distance(&network, &net, &opts);
    TAP_OK(status > 1 && status == network.dist_count && network.stopped, "stopped on the way: %d distances", status);
    TAP_OK(w.odd == 0 && w.told > 40 && w.first < 0.1, "progress from 0 to 1");
    net_close(&model);

    noise = net_noises[NET_RATED];
    noise.lost_rank = 4;
    for (i = 0; i < 3; i++) {
        noise.lost_s = i == 0 ? 0 : i == 1 ? 6 : 1000;
        memset(&at, 0, sizeof at);
        net_open(&model, net_named("ring"), &at, &noise, 1);
        memset(&network, 0, sizeof network);
        net = net_mpi(&model);
        status = servet_mpi__distance(&network, &net, NULL);
        TAP_OK(i == 2 ? status == 8 : status == SERVET_ETIME && network.stopped && (network.dist_count > 0) == (i == 1),
               "a rank lost after %.0f s: %s, %d distances", noise.lost_s, servet_status_text(status),
               network.dist_count);
        net_close(&model);
    }

    TAP_OK(servet_mpi__distance(NULL, &net, NULL) == SERVET_EINVAL, "no network: EINVAL");
    memset(&network, 0, sizeof network);
    TAP_OK(servet_mpi__access(&network, NULL, NULL) == SERVET_EINVAL, "no callbacks: EINVAL");
    network.ranks = 3;
    machine("ring", 0, NET_BLOCK, NET_QUIET, 1);
    net = net_mpi(&model);
    TAP_OK(servet_mpi__scaling(&network, &net, NULL) == SERVET_EINVAL, "another number of ranks: EINVAL");
    net_close(&model);
}

/* --- inference alone --- */

static void ratio(servet_network *n, int which, double value, double half)
{
    servet_network_ratio *r = &n->dist[n->dist_count++];
    memset(r, 0, sizeof *r);
    r->which = which;
    r->samples = 12;
    r->ratio = value;
    r->lo_ratio = which == 1 ? value : value - half;
    r->hi_ratio = which == 1 ? value : value + half;
}

static void shapes_of_ratios(void)
{
    int i;
    memset(&network, 0, sizeof network);
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_EUNRESOLVED, "no ratios");
    TAP_OK(servet_mpi__distance_infer(NULL) == SERVET_EINVAL, "nothing");
    network.dist_nodes = 32;
    for (i = 1; i <= 16; i++) ratio(&network, i, 1 + 0.05 * (i % 3), 0.1);
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_SHAPE_FLAT, "differences that intervals explain are none");
    network.dist_count = 0;
    for (i = 1; i <= 16; i++) ratio(&network, i, 1 + 0.05 * (i % 3), 1e-6);
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_SHAPE_UNKNOWN, "real ones are no shape by themselves");
    network.dist_count = 0;
    for (i = 1; i <= 16; i++) ratio(&network, i, i < 5 ? i : 5, 0.02);
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_SHAPE_TWO_LEVEL && network.shape_period == 5,
           "up to 5 and constant");
    network.dist_count = 0;
    for (i = 1; i <= 16; i++) ratio(&network, i, 1, 0.9);
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_SHAPE_UNKNOWN, "what could be anything is not flat");
    network.dist[3].lo_ratio = -1;
    network.shape = 77;
    TAP_OK(servet_mpi__distance_infer(&network) == SERVET_EINVAL && network.shape == 77, "a ratio that is none");
}

int main(void)
{
    the_model_is_what_it_says();
    noise_is_what_it_says();
    pairs_of_layers();
    messages_at_once();
    pairs_by_size();
    distances_without_noise();
    distances_of_groups();
    distances_of_few();
    all_on_one_host();
    nodes_by_layers();
    access_without_noise();
    access_by_places();
    shapes_of_ratios();
    time_and_loss();
    rates_under_noise();
    return tap_done();
}

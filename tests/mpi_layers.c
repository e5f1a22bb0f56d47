/* test_layers - which ranks are near each other: rates over machines, placings, names that lie, seeds and noise */
#define SERVET_MPI_IMPLEMENTATION
#define SERVET_MPI_OFFLINE
#include "../servet_mpi.h"
#include "network.h"
#include "tap.h"
#include <time.h>

/* One seed of so many; AT_LENGTH=1 (make test-all) takes them all. */
#if defined(__SANITIZE_ADDRESS__)
static int fewer = 8;
#else
static int fewer = 4;
#endif

/* How many of so many seeds must be right where this share of all is: with fewer, two standard deviations less. */
static double at_least(double share, int seeds)
{
    return share * seeds - (fewer > 1 ? 2 * sqrt(seeds * share * (1 - share)) : 0);
}

static servet_network n;
static net_model model;
static int truth[SERVET_NETWORK_LAYERS * SERVET_NETWORK_RANKS];

/* >>evidence: pairs as they would be measured, for the pure half -------------------------------- */

enum { RIGHT, ALL_SAME, ALL_OWN };
enum { IN_SOCKET, IN_HOST, IN_RACK, BETWEEN };
/* Ranks of a socket, sockets of a host, hosts of a rack, racks; costs by nearness. */
typedef struct kind {
    const char *name;
    int    ranks, sockets, hosts, racks, names, last_alone;    /* 1 = the last rank is on a host of its own */
    double small[4], trip[4], stream[4];
    int    shape[3];                /* hosts along each dimension; below 0 without a way around         */
    double hop;
    double least;                   /* of the seeds must be exact                                       */
} kind;

#define FLAT  {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}
#define TWO   {1, 1, 5, 5}, {1, 1, 4, 4}, {1, 1, 8, 8}
#define NET   {1, 1, 2, 2}, {1, 1, 2, 2}, {1, 1, 2, 2}
static const kind kinds[] = {
    { "one host, 2 ranks", 2, 1, 1, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "one host, 3 ranks", 3, 1, 1, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "one host, 4 ranks", 4, 1, 1, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "one host, 8 ranks", 8, 1, 1, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "one host, 64 ranks", 64, 1, 1, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "one switch, 16 hosts of 1", 1, 1, 16, 1, RIGHT, 0, FLAT, {0, 0, 0}, 0, 0.99 },
    { "hosts of 2 and 1", 2, 1, 1, 1, RIGHT, 1, TWO, {0, 0, 0}, 0, 0.99 },
    { "hosts of 4 and 1", 4, 1, 1, 1, RIGHT, 1, TWO, {0, 0, 0}, 0, 0.99 },
    { "hosts of 4 and 1, one name", 4, 1, 1, 1, ALL_SAME, 1, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 hosts of 2", 2, 1, 2, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 hosts of 2, one name", 2, 1, 2, 1, ALL_SAME, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "4 hosts of 2", 2, 1, 4, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 hosts of 4, one name", 4, 1, 2, 1, ALL_SAME, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 hosts of 4, own names", 4, 1, 2, 1, ALL_OWN, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 racks of 4, by bandwidth", 1, 1, 4, 2, RIGHT, 0,
      {1, 1, 12, 12.5}, {1, 1, 20, 21}, {1, 1, 76, 330}, {0, 0, 0}, 0, 0.99 },
    { "2 racks of 4 hosts of 2", 2, 1, 4, 2, RIGHT, 0,
      {1, 1, 12, 13}, {1, 1, 20, 21}, {1, 1, 12, 50}, {0, 0, 0}, 0, 0.99 },
    { "2 hosts of 2 sockets of 4", 4, 2, 2, 1, RIGHT, 0,
      {1, 1.6, 5, 5}, {1, 1.3, 4, 4}, {1, 1.2, 8, 8}, {0, 0, 0}, 0, 0.99 },
    { "8 hosts of 8", 8, 1, 8, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 },
    { "2 racks, 8 hosts, 16 sockets", 4, 2, 4, 2, RIGHT, 0,
      {1, 1.6, 5, 6.5}, {1, 1.3, 4, 4.4}, {1, 1.2, 8, 8}, {0, 0, 0}, 0, 0.99 },
    { "the same, one name", 4, 2, 4, 2, ALL_SAME, 0,
      {1, 1.6, 5, 6.5}, {1, 1.3, 4, 4.4}, {1, 1.2, 8, 8}, {0, 0, 0}, 0, 0.99 },
    { "4 racks of 16, by latency", 1, 1, 16, 4, RIGHT, 0,
      {1, 1, 5, 6}, {1, 1, 4, 4}, {1, 1, 8, 8}, {0, 0, 0}, 0, 0.99 },
    { "ring of 8", 1, 1, 8, 1, RIGHT, 0, NET, {8, 1, 1}, 1, 0.99 },
    { "ring of 16", 1, 1, 16, 1, RIGHT, 0, NET, {16, 1, 1}, 1, 0.99 },
    { "ring of 64", 1, 1, 64, 1, RIGHT, 0, NET, {64, 1, 1}, 0.3, 0.99 },
    { "line of 16", 1, 1, 16, 1, RIGHT, 0, NET, {-16, 1, 1}, 0.5, 0.99 },
    { "torus 4 x 4", 1, 1, 16, 1, RIGHT, 0, NET, {4, 4, 1}, 0.5, 0.99 },
    { "torus 8 x 8", 1, 1, 64, 1, RIGHT, 0, NET, {8, 8, 1}, 0.5, 0.99 },
    { "torus 4 x 4 x 4", 1, 1, 64, 1, RIGHT, 0, NET, {4, 4, 4}, 0.5, 0.99 },
    { "mesh 4 x 4", 1, 1, 16, 1, RIGHT, 0, NET, {-4, 4, 1}, 0.5, 0.99 },
    { "mesh 8 x 8", 1, 1, 64, 1, RIGHT, 0, NET, {-8, 8, 1}, 0.5, 0.99 },
    { "ring of 16 hosts of 4", 4, 1, 16, 1, RIGHT, 0, TWO, {16, 1, 1}, 0.3, 0.99 },
    { "torus 4 x 4 of hosts of 2, one name", 2, 1, 16, 1, ALL_SAME, 0, TWO, {4, 4, 1}, 0.3, 0.99 }
};

static uint64_t state;

static double draw(void)            /* a normal variable                                            */
{
    const double u = 1 - servet_stats_random_unit(&state), v = servet_stats_random_unit(&state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static servet_trip trip_of(double ns)
{
    servet_trip t;
    t.p10_ns = (float)ns;
    t.lo_ns = (float)(ns * 1.01);
    t.median_ns = (float)(ns * 1.03);
    t.hi_ns = (float)(ns * 1.05);
    t.p90_ns = (float)(ns * 1.1);
    return t;
}

/* Pairs of shuffled ranks, each with noise of its own, and outliers; labels of their groups.  Returns the layers. */
static int draw_pairs(const kind *k, uint64_t seed, double noise, double outliers, int label[3][SERVET_NETWORK_RANKS])
{
    const int each = k->ranks * k->sockets, count = each * k->hosts * k->racks + k->last_alone;
    int perm[64], host[64], i, j, l, layers = 0;
    int raw[3][64];
    state = seed;
    memset(&n, 0, sizeof n);
    n.ranks = count;
    n.stream_bytes = 1e6;
    for (i = 0; i < count; i++) perm[i] = i;
    for (i = count - 1; i > 0; i--) {
        const int at = (int)servet_stats_random_below(&state, (size_t)i + 1), keep = perm[i];
        perm[i] = perm[at];
        perm[at] = keep;
    }
    for (i = 0; i < count; i++) {
        raw[0][i] = perm[i] / k->ranks;
        host[i] = raw[1][i] = perm[i] / each;
        raw[2][i] = host[i] / k->hosts;
        n.host[i] = (int16_t)(k->names == RIGHT ? host[i] : k->names == ALL_OWN ? i : 0);
        if (n.host[i] >= n.hosts) n.hosts = n.host[i] + 1;
    }
    for (i = 0; i < count; i++)
        for (j = i + 1; j < count; j++) {
            const int near = raw[0][i] == raw[0][j] ? IN_SOCKET : raw[1][i] == raw[1][j] ? IN_HOST
                           : raw[2][i] == raw[2][j] ? IN_RACK : BETWEEN;
            servet_network_pair *p = &n.pair[n.pair_count++];
            double hops = 0, ns[3];
            int f, d, a = host[i], b = host[j];
            for (d = 0; d < 3 && k->shape[0] && near >= IN_RACK; d++) {
                const int size = abs(k->shape[d]);
                int x = abs(a % size - b % size);
                if (k->shape[0] > 0 && size - x < x) x = size - x;
                hops += x;
                a /= size;
                b /= size;
            }
            for (f = 0; f < 3; f++) {
                ns[f] = 1000 * (f == 0 ? k->small[near] : f == 1 ? k->trip[near] : k->stream[near]);
                if (hops > 1) ns[f] *= 1 + k->hop * (hops - 1) * (f == 0 ? 1 : 0.5);
                ns[f] *= exp(noise * draw());
                if (servet_stats_random_unit(&state) < outliers) ns[f] *= 1.2 + 2 * servet_stats_random_unit(&state);
            }
            p->a = (int16_t)i;
            p->b = (int16_t)j;
            p->at_once = 1;
            p->small = trip_of(ns[0]);
            p->trip = trip_of(ns[1]);
            p->stream = trip_of(ns[2]);
        }
    for (l = 0; l < 3; l++) {
        const int size = l == 0 ? k->ranks : l == 1 ? each : each * k->hosts;
        const int same = l == 0 ? k->sockets == 1 : l == 1 ? k->hosts == 1 && !k->last_alone : 0;
        if (size < 2 || size >= count || same || (l == 2 && k->racks == 1 && !k->last_alone)) continue;
        if (l == 2 && k->hosts == 1) continue;
        for (i = 0; i < count; i++) label[layers][i] = raw[l][i];
        layers++;
    }
    return layers;
}

/* Are the layers found those, and no others? */
static int exact(const int *label, int stride, int layers)
{
    int l, i, j;
    if (n.layer_count != layers) return 0;
    for (l = 0; l < layers; l++)
        for (i = 0; i < n.ranks; i++)
            for (j = i + 1; j < n.ranks; j++)
                if ((label[l * stride + i] == label[l * stride + j])
                    != (n.group[l][i] >= 0 && n.group[l][i] == n.group[l][j])) return 0;
    return 1;
}

static void test_pairs(void)
{
    static int label[3][SERVET_NETWORK_RANKS];
    size_t q;
    TAP_DIAG("pairs of shuffled ranks, 5 %% noise each, 1 %% outliers up to 3.2 times: seeds exact");
    TAP_DIAG("%-38s %5s %6s %6s %8s %8s", "", "ranks", "seeds", "exact", "Figure 7", "gradient");
    for (q = 0; q < sizeof kinds / sizeof *kinds; q++) {
        const kind *k = &kinds[q];
        int seeds, e, right = 0, like = 0, seven = 0, ranks = 0, wrong_like = 0;
        seeds = (k->ranks * k->sockets * k->hosts * k->racks >= 32 ? 18 : 60) / fewer;
        for (e = 0; e < seeds; e++) {
            const int layers = draw_pairs(k, (uint64_t)e * 7919 + q, 0.05, 0.01, label);
            servet_mpi_opts o;
            ranks = n.ranks;
            servet_mpi__layers_infer(&n, NULL);
            right += exact(label[0], SERVET_NETWORK_RANKS, layers);
            like += n.distance_like;
            memset(&o, 0, sizeof o);
            o.figure_7 = 1;
            servet_mpi__layers_infer(&n, &o);
            seven += exact(label[0], SERVET_NETWORK_RANKS, layers);
        }
        if (!k->shape[0]) wrong_like = like;
        TAP_DIAG("%-38s %5d %6d %6.3f %8.3f %8.3f", k->name, ranks, seeds, right / (double)seeds, seven / (double)seeds,
                 like / (double)seeds);
        TAP_OK(right >= at_least(k->least, seeds), "%s: exact in %d of %d", k->name, right, seeds);
        if (k->shape[0])
            TAP_OK(like >= at_least(0.95, seeds), "%s: near and far without groups, %d of %d", k->name, like, seeds);
        else TAP_OK(wrong_like <= 0.02 * seeds + 1, "%s: not taken for a gradient", k->name);
    }
}

/* Some ranks are slower than others, by a factor or by a constant: that is no layer, in hosts of any size. */
static void test_slow(void)
{
    static const struct { int kind, slow; double factor, more_ns; } cases[] = {
        { 0, 2, 1.5, 0 }, { 0, 2, 1, 800 }, { 1, 3, 1.5, 0 }, { 1, 3, 1, 800 }, { 2, 4, 1.5, 0 },
        { 2, 4, 1, 800 }
    };
    static const kind hosts[] = {
        { "8 hosts of 2", 2, 1, 8, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 },
        { "4 hosts of 4", 4, 1, 4, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 },
        { "8 hosts of 4", 4, 1, 8, 1, RIGHT, 0, TWO, {0, 0, 0}, 0, 0.99 }
    };
    static int label[3][SERVET_NETWORK_RANKS];
    size_t q;
    for (q = 0; q < sizeof cases / sizeof *cases; q++) {
        const kind *k = &hosts[cases[q].kind];
        const int seeds = 60 / fewer;
        int e, i, f, right = 0;
        for (e = 0; e < seeds; e++) {
            const int layers = draw_pairs(k, (uint64_t)e * 7919 + 1000 + q, 0.05, 0, label);
            for (i = 0; i < n.pair_count; i++) {
                servet_network_pair *p = &n.pair[i];
                const int slow = (p->a < cases[q].slow) + (p->b < cases[q].slow);   /* ranks are shuffled */
                for (f = 0; f < 3 && slow; f++) {
                    servet_trip *t = f == 0 ? &p->small : f == 1 ? &p->trip : &p->stream;
                    *t = trip_of((double)t->p10_ns * pow(cases[q].factor, slow) + slow * cases[q].more_ns);
                }
            }
            servet_mpi__layers_infer(&n, NULL);
            right += exact(label[0], SERVET_NETWORK_RANKS, layers);
        }
        TAP_OK(right >= at_least(0.99, seeds),
               "%s, %d ranks slow (x %.1f, + %.0f ns): hosts, and no more, in %d of %d", k->name, cases[q].slow,
               cases[q].factor, cases[q].more_ns, right, seeds);
    }
}

/* >>networks: measured through the callback ----------------------------------------------------- */

typedef struct plan { const char *spec; int ranks, hosts, per, placing, names, seeds; double least; } plan;
static const plan plans[] = {
    { "finis-terrae", 2, 1, 2, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "finis-terrae", 2, 2, 1, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "finis-terrae", 3, 2, 2, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "finis-terrae", 4, 2, 2, NET_BLOCK, NET_ONE_NAME, 10, 0.99 },
    { "finis-terrae", 5, 2, 4, NET_BLOCK, NET_ONE_NAME, 10, 0.99 },
    { "finis-terrae", 8, 2, 7, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "finis-terrae", 16, 2, 0, NET_UNEQUAL, NET_TRUE, 10, 0.99 },
    { "finis-terrae", 32, 2, 16, NET_CYCLIC, NET_TRUE, 10, 0.99 },
    { "two-racks", 8, 8, 1, NET_SHUFFLED, NET_TRUE, 10, 0.99 },
    { "two-racks", 16, 8, 2, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "two-racks", 16, 8, 2, NET_SHUFFLED, NET_ONE_NAME, 10, 0.99 },
    { "two-racks", 16, 8, 2, NET_SHUFFLED, NET_OWN_NAMES, 10, 0.99 },
    { "two-racks", 16, 8, 2, NET_SHUFFLED, NET_WRONG_NAMES, 20, 0.99 },
    { "host", 16, 1, 16, NET_SHUFFLED, NET_TRUE, 10, 0.99 },
    { "host", 8, 1, 8, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "flat", 16, 16, 1, NET_BLOCK, NET_TRUE, 10, 0.99 },
    { "flat", 32, 8, 4, NET_SHUFFLED, NET_WRONG_NAMES, 10, 0.99 },
    { "islands", 40, 20, 2, NET_SHUFFLED, NET_ONE_NAME, 10, 0.99 },
    { "flat", 64, 16, 4, NET_CYCLIC, NET_TRUE, 5, 0.99 },
    { "flat", 64, 32, 2, NET_SHUFFLED, NET_OWN_NAMES, 5, 0.99 },
    { "ring", 16, 16, 1, NET_SHUFFLED, NET_TRUE, 10, 0.99 },
    { "torus", 32, 32, 1, NET_SHUFFLED, NET_TRUE, 10, 0.99 },
    { "hector", 64, 16, 4, NET_SHUFFLED, NET_TRUE, 5, 0.99 },
    { "islands", 64, 32, 2, NET_CYCLIC, NET_TRUE, 5, 0.99 },
    { "fat-tree", 64, 8, 8, NET_SHUFFLED, NET_TRUE, 5, 0.99 },
    { "dragonfly", 64, 16, 4, NET_SHUFFLED, NET_TRUE, 5, 0.99 },
    { "flat", 65, 17, 4, NET_BLOCK, NET_TRUE, 4, 0.99 },
    { "fat-tree", 128, 16, 8, NET_SHUFFLED, NET_TRUE, 4, 0.99 },
    { "flat", 128, 32, 4, NET_SHUFFLED, NET_OWN_NAMES, 3, 0.99 },
    { "flat", 128, 32, 4, NET_SHUFFLED, NET_ONE_NAME, 3, 0.99 },
    { "flat", 128, 32, 4, NET_SHUFFLED, NET_WRONG_NAMES, 4, 0.99 },
    { "large", 256, 256, 1, NET_SHUFFLED, NET_TRUE, 3, 0.99 },
    { "dragonfly", 288, 72, 4, NET_SHUFFLED, NET_TRUE, 3, 0.99 },
    { "fat-tree", 512, 64, 8, NET_BLOCK, NET_TRUE, 3, 0.99 },
    { "fat-tree", 512, 64, 8, NET_SHUFFLED, NET_OWN_NAMES, 3, 0.99 },
    { "fat-tree", 512, 64, 8, NET_SHUFFLED, NET_WRONG_NAMES, 3, 0.99 },
    { "islands", 768, 48, 16, NET_CYCLIC, NET_TRUE, 3, 0.99 },
    { "islands", 768, 48, 16, NET_SHUFFLED, NET_OWN_NAMES, 3, 0.99 },
    { "large", 1024, 256, 4, NET_SHUFFLED, NET_TRUE, 3, 0.99 },
    { "torus-1024", 1024, 1024, 1, NET_BLOCK, NET_TRUE, 2, 0.99 },
    { "large", 4096, 256, 16, NET_SHUFFLED, NET_TRUE, 3, 0.99 },
    { "large", 4096, 256, 16, NET_SHUFFLED, NET_ONE_NAME, 3, 0.99 },
    { "hector", 4096, 128, 32, NET_CYCLIC, NET_TRUE, 2, 0.99 }
};

static int open_plan(const plan *p, int noise, uint64_t seed)
{
    net_layout at;
    memset(&at, 0, sizeof at);
    at.ranks = p->ranks;
    at.hosts = p->hosts;
    at.per_host = p->per;
    at.placing = p->placing;
    at.names = p->names;
    return net_open(&model, net_named(p->spec), &at, &net_noises[noise], seed);
}

static int run_plan(const plan *p, int noise, uint64_t seed, const servet_mpi_opts *opts)
{
    servet_mpi_network net;
    int found;
    if (open_plan(p, noise, seed) < 0) return SERVET_ENOMEM;
    net = net_mpi(&model);
    memset(&n, 0, sizeof n);
    found = servet_mpi__layers(&n, &net, opts);
    return found;
}

static void test_networks(void)
{
    static const char *const placing[] = {"block", "cyclic", "shuffled", "unequal"};
    static const char *const naming[] = {"true", "own", "one", "lies"};
    size_t q;
    TAP_DIAG("modelled networks, 5 %% noise and outliers a sample: seeds exact, rounds, virtual seconds");
    TAP_DIAG("%-12s %5s %-8s %-5s %5s %6s %7s %8s %6s %6s", "", "ranks", "placing", "names", "seeds", "exact", "layers",
             "rounds", "s", "pairs");
    for (q = 0; q < sizeof plans / sizeof *plans; q++) {
        const plan *p = &plans[q];
        const int seeds = p->seeds / fewer > 0 ? p->seeds / fewer : 1;
        int e, right = 0, layers = 0, pairs = 0, bound = 1;
        double rounds = 0, seconds = 0;
        for (e = 0; e < seeds; e++) {
            servet_mpi_opts o;
            memset(&o, 0, sizeof o);
            o.run.seed = (uint64_t)e + 5;
            run_plan(p, NET_RATED, (uint64_t)e * 77 + 1, &o);
            layers = net_truth_layers(&model, truth);
            right += exact(truth, n.ranks, layers);
            rounds += n.rounds;
            seconds += n.seconds;
            if (n.pair_count > pairs) pairs = n.pair_count;
            if (n.rounds > 10 * n.ranks * log((double)n.ranks) / log(2.0) + 100) bound = 0;
            net_close(&model);
        }
        TAP_DIAG("%-12s %5d %-8s %-5s %5d %6.3f %7d %8.0f %6.1f %6d", p->spec, n.ranks, placing[p->placing],
                 naming[p->names], seeds, right / (double)seeds, layers, rounds / seeds, seconds / seeds, pairs);
        TAP_OK(right >= at_least(p->least, seeds), "%s, %d ranks, %s, names %s: exact in %d of %d", p->spec, n.ranks,
               placing[p->placing], naming[p->names], right, seeds);
        TAP_OK(bound && pairs <= SERVET_NETWORK_PAIRS, "%s, %d ranks: at most 10 N log2 N + 100 rounds", p->spec,
               n.ranks);
    }
}

/* Four ranks of a socket, all alike, on a machine that others slow down for moments: a round has one partition of four,
 * and moments must not become groups. */
static void test_moments(void)
{
    static const double period_s[] = {0.003, 0.03, 0.1, 0.3};
    const int seeds = 100 / fewer;
    size_t k;
    for (k = 0; k < sizeof period_s / sizeof *period_s; k++) {
        net_noise noise = net_noises[NET_RATED];
        int e, none = 0;
        noise.phase_s = period_s[k];
        noise.phase_share = 0.4;
        noise.phase_factor = 3;
        for (e = 0; e < seeds; e++) {
            net_layout at;
            servet_mpi_network net;
            memset(&at, 0, sizeof at);
            at.ranks = 4;
            if (net_open(&model, net_named("host"), &at, &noise, (uint64_t)e * 77 + 1) < 0) continue;
            net = net_mpi(&model);
            memset(&n, 0, sizeof n);
            none += servet_mpi__layers(&n, &net, NULL) == 0;
            net_close(&model);
        }
        TAP_OK(none >= at_least(0.99, seeds), "%g s of each %g s slower by 3: no layers in %d of %d", 0.4 * period_s[k],
               period_s[k], none, seeds);
    }
}

/* >>answers ------------------------------------------------------------------------------------ */

/* Times of layers against the model's own, alone and without noise. */
static void test_times(void)
{
    static const plan racks = { "two-racks", 16, 8, 2, NET_BLOCK, NET_TRUE, 1, 1 };
    int l, i, found = run_plan(&racks, NET_RATED, 11, NULL), typical = 1, inside = 0, whole = 1;
    TAP_OK(found == 2 && n.layer_count == 2, "two racks of hosts of two: two layers");
    for (l = 0; l <= 2 && found == 2; l++) {
        const servet_network_layer *y = &n.layer[l];
        double ns;
        if (y->a < 0 || y->b < 0) typical = 0;
        else if (l < 2 && n.group[l][y->a] != n.group[l][y->b]) typical = 0;
        else if (l > 0 && n.group[l - 1][y->a] == n.group[l - 1][y->b]) typical = 0;
        if (!typical) break;
        ns = net_truth_ns(&model, y->a, y->b, n.small_bytes);
        TAP_NEAR(y->small_ns, ns, 0.08, "layer %d: small messages", l);
        TAP_NEAR(y->trip_ns, net_truth_ns(&model, y->a, y->b, n.trip_bytes), 0.08, "layer %d: messages of 32 KiB", l);
        inside += y->small_lo_ns <= y->small_ns && y->small_ns <= y->small_hi_ns && y->lo_bytes_per_s <= y->bytes_per_s
               && y->bytes_per_s <= y->hi_bytes_per_s && y->trip_lo_ns <= y->trip_ns && y->trip_ns <= y->trip_hi_ns;
        if (l > 0 && n.layer[l - 1].small_ns >= y->small_ns) whole = 0;
    }
    TAP_OK(typical, "each layer's typical pair is in it");
    TAP_OK(inside == 3 && whole, "intervals hold their medians, and layers are in order of distance");
    TAP_OK(n.layer[0].in_hosts == 1 && n.layer[1].in_hosts == 0, "the inner layer is within hosts, the outer across");
    TAP_NEAR(n.layer[1].bytes_per_s, 125e6, 0.1, "a rack's bandwidth: 1 Gbit/s");
    TAP_NEAR(n.layer[2].bytes_per_s, 25e6, 0.1, "between racks: 200 Mbit/s");
    TAP_OK(n.layer[0].crowded_frac > 0.8 && n.layer[0].crowded_frac < 1.3, "within a host, others do not matter: %.2f",
           n.layer[0].crowded_frac);
    TAP_OK(n.layer[2].crowded_frac > 2, "between racks they do: %.1f times", n.layer[2].crowded_frac);
    for (i = 0; i < n.pair_count; i++) if (n.pair[i].at_once <= 1) break;
    TAP_OK(i < n.pair_count, "some pairs were measured alone");
    net_close(&model);
}

static void test_figure_7(void)
{
    static const plan racks = { "two-racks", 16, 8, 2, NET_SHUFFLED, NET_TRUE, 1, 1 };
    servet_mpi_opts o;
    int i;
    memset(&o, 0, sizeof o);
    o.figure_7 = 1;
    i = run_plan(&racks, NET_QUIET, 3, &o);
    TAP_OK(i >= 2, "Figure 7 without noise finds %d layers: crowded pairs have costs of their own", i);
    net_close(&model);
}

static int stop_at(void *ctx) { return --*(int *)ctx < 0; }
static double told;
static void tell(void *ctx, double done_frac, double left_s)
{
    (void)ctx;
    if (done_frac >= 0 && done_frac <= 1.5 && left_s >= 0) told = done_frac;
}

static void test_bad(void)
{
    static const plan one = { "host", 1, 1, 1, NET_BLOCK, NET_TRUE, 1, 1 };
    static const plan racks = { "two-racks", 16, 8, 2, NET_BLOCK, NET_TRUE, 1, 1 };
    static const plan large = { "large", 1024, 256, 4, NET_SHUFFLED, NET_TRUE, 1, 1 };
    static const plan odd = { "fat-tree", 77, 20, 4, NET_BLOCK, NET_TRUE, 1, 1 };
    static servet_network was;
    servet_mpi_network net;
    servet_mpi_opts o;
    int found, left;
    net_noise lost = net_noises[NET_RATED];
    memset(&o, 0, sizeof o);
    memset(&n, 0, sizeof n);
    n.ranks = 4;
    was = n;
    TAP_OK(servet_mpi__layers_infer(NULL, NULL) == SERVET_EINVAL, "no network: EINVAL");
    TAP_OK(servet_mpi__layers_infer(&n, NULL) == SERVET_EUNRESOLVED, "no pairs: EUNRESOLVED");
    o.similar_frac = 2;
    TAP_OK(servet_mpi__layers_infer(&n, &o) == SERVET_EINVAL, "all is similar: EINVAL");
    TAP_OK(!memcmp(&n, &was, sizeof n), "and what was there is untouched");
    n.pair_count = 1;
    n.pair[0].a = 3;
    n.pair[0].b = 4;
    TAP_OK(servet_mpi__layers_infer(&n, NULL) == SERVET_EINVAL, "a pair with a rank that is none: EINVAL");
    memset(&o, 0, sizeof o);
    TAP_OK(servet_mpi__layers(NULL, &net, NULL) == SERVET_EINVAL && servet_mpi__layers(&n, NULL, NULL) == SERVET_EINVAL,
           "NULL: EINVAL");
    found = run_plan(&one, NET_RATED, 1, NULL);
    TAP_OK(found == 0 && n.ranks == 1 && n.pair_count == 0 && n.layer[0].a == -1, "one rank: no layers, no pairs");
    net_close(&model);
    found = run_plan(&odd, NET_RATED, 1, NULL);
    TAP_OK(found >= 1 && n.ranks == 77, "77 ranks: %d layers", found);
    net_close(&model);

    left = 3;
    o.run.stop = stop_at;
    o.run.ctx = &left;
    found = run_plan(&racks, NET_RATED, 1, &o);
    TAP_OK(found >= 0 && n.stopped == 1 && n.pair_count > 0, "stopped early: what is known, %d pairs", n.pair_count);
    net_close(&model);
    left = 0;
    memset(&n, 7, sizeof n);
    was = n;
    if (open_plan(&racks, NET_RATED, 1) == SERVET_OK) {
        net = net_mpi(&model);
        found = servet_mpi__layers(&n, &net, &o);
        TAP_OK(found == SERVET_ESTOPPED && !memcmp(&n, &was, sizeof n), "stopped at once: ESTOPPED, nothing changed");
        net_close(&model);
    }
    memset(&o, 0, sizeof o);
    o.run.budget_s = 3;
    o.run.progress = tell;
    found = run_plan(&large, NET_RATED, 1, &o);
    TAP_OK(found >= 0 && n.seconds < 4.5 && told > 0, "1024 ranks in 3 s: %.1f s, %d layers, told how far", n.seconds,
           found);
    net_close(&model);

    lost.lost_rank = 6;
    lost.lost_s = 0.5;
    if (open_plan(&racks, NET_RATED, 1) == SERVET_OK) {
        model.noise = lost;
        net = net_mpi(&model);
        memset(&n, 0, sizeof n);
        found = servet_mpi__layers(&n, &net, NULL);
        TAP_OK(found >= 0 && n.stopped == 1 && n.pair_count > 0, "a rank is lost: %d pairs kept", n.pair_count);
        net_close(&model);
    }
}

static void test_cost(void)
{
    static const plan large = { "large", 4096, 256, 16, NET_SHUFFLED, NET_TRUE, 1, 1 };
    clock_t at;
    int turn;
    run_plan(&large, NET_RATED, 1, NULL);
    at = clock();
    for (turn = 0; turn < 4; turn++) servet_mpi__layers_infer(&n, NULL);
    TAP_DIAG("4096 ranks, %d pairs: inferred in %.0f ms", n.pair_count,
             250.0 * (double)(clock() - at) / CLOCKS_PER_SEC);
    TAP_OK(n.layer_count > 0, "layers of 4096 ranks again from the evidence");
    net_close(&model);
}

int main(void)
{
    if (getenv("AT_LENGTH")) fewer = 1;
    test_pairs();
    test_slow();
    test_networks();
    test_moments();
    test_times();
    test_figure_7();
    test_bad();
    test_cost();
    return tap_done();
}

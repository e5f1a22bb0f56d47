/* network.h - modelled networks of MPI ranks with known truth, reached through servet_mpi_network; C99 or C++11
 *
 *   #define SERVET_MPI_IMPLEMENTATION             // and build/servet.o linked
 *   #define SERVET_MPI_OFFLINE
 *   #include "../servet_mpi.h"
 *   #include "network.h"
 *
 *   net_model m;
 *   net_layout at = {0};                                 // all cores of all hosts, in blocks
 *   if (net_open(&m, net_named("two-racks"), &at, &net_noises[NET_RATED], seed) < 0) ...
 *   servet_mpi_network net = net_mpi(&m);                // m stays where it is
 *   servet_mpi__layers(&n, &net, NULL) ...
 *   net_truth_layers(&m, group), net_truth_ns(&m, a, b, bytes) ...        // what should come out
 *   net_close(&m);
 *
 * A rank has a place: a core of a socket of a host, as the layout says.  A message takes
 *   latency of its way + bytes / its share of the bandwidth of all links on it,
 * the latency with an offset above a change of protocol.  Links are: the rank's own copying, out and in; the memory of
 * the socket; between sockets; from a socket to the network; the host's adapter, out and in; and those of the network:
 * uplinks of a tree, single or several by destination or by hash; rings and tori, routed dimension by dimension;
 * dragonflies with minimal routes.
 *
 * A round whose transfers begin together is played event by event: links are shared max-min fairly among those that
 * are not done.  In a round of pairs each at its own pace, a pair asks of its links what it would take alone, half of
 * it each way for trips, and gets a max-min fair share of it: so many large messages crowd an uplink, and many small
 * ones do not.
 *
 * Time is virtual: it passes with what is sent, with barriers and with orders, and nothing else.  Equal seeds and
 * equal calls give equal results everywhere.
 *
 * NOISE, by samples: jitter; outliers, as of preemption; waiting for messages of others on links that are not idle;
 * ends that share a CPU, whose times are of two sorts; phases in which all is slower, by the clock; drift; the first
 * contact of two ranks, which costs time, or gets into the first sample; a clock that steps.  A host may be slow, a
 * rank be lost, names of hosts be lies.
 * NOT MODELLED: packets, adaptive routes, congestion that spreads, memory that runs out, ranks that work.
 */
#ifndef SERVET_TESTS_NETWORK_H
#define SERVET_TESTS_NETWORK_H

#if !defined(SERVET_MPI_H)
#  error "network.h: include servet_mpi.h before, with SERVET_MPI_IMPLEMENTATION and SERVET_MPI_OFFLINE"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#  define NET_API static __attribute__((unused))
#else
#  define NET_API static
#endif

/* >>spec: machines ---------------------------------------------------------------------------- */

enum { NET_LEVELS = 3, NET_DIMS = 3 };
enum { NET_BY_TARGET, NET_BY_HASH };    /* which of several uplinks                                 */

/* Rates are bytes/s, 0 = without a limit. */
typedef struct net_way {                /* between two ranks, by how near they are                  */
    double ns, rate;                    /* of a message of none; of one alone                       */
    double eager_bytes, jump_ns;        /* larger ones take so much longer; 0 = all alike            */
} net_way;

typedef struct net_level {              /* of a tree: hosts in order, so many under one switch       */
    int    hosts;                       /* 0 = no more                                              */
    double rate, ns;                    /* of all its uplinks, each way; added by leaving it and entering another */
    int    ways, choice;                /* uplinks; 0 = 1                                           */
} net_level;

typedef struct net_spec {
    const char *name;
    int     hosts, cores, sockets;      /* cores of a host; of consecutive numbers in a socket      */
    net_way socket, host, net;          /* both ranks in one socket, one host, or not                */
    double  rank_rate;                  /* what a rank copies out, and in                           */
    double  memory_rate, cross_rate;    /* of a socket's memory; between sockets, each way           */
    double  inject_rate;                /* from and to each socket                                  */
    double  nic_rate;                   /* out of and into each host                                */
    int     half_duplex;                /* 1 = both together                                        */
    double  gap_ns;                     /* between messages of one rank                             */
    net_level level[NET_LEVELS];        /* the innermost first                                      */
    int     torus[NET_DIMS];            /* hosts along each dimension, the first is next to each other; 0 = none */
    double  hop_rate, hop_ns;           /* of a torus' links, and of a dragonfly's in a group       */
    int     fly_router, fly_group;      /* a dragonfly: hosts of a router, of a group; 0 = none      */
    double  fly_rate, fly_ns;           /* between two groups                                       */
} net_spec;

/* The numbers of named machines are published ones, rounded; what is not published is plausible. */
static const net_spec net_specs[] = {
    /* Two nodes of 16 cores, InfiniBand: within a node twice as fast; 32 messages at once, 16 each way since there are
     * no more cores, 7 times as slow as one (Servet 2010, IV-D), of 16 KiB, the first cache's size. */
    { "finis-terrae", 2, 16, 1, {0, 0, 0, 0}, {2000, 1.45e9, 0, 0}, {6000, 800e6, 0, 0}, 0, 12e9, 0, 0, 2.9228e9, 1,
      300, {{0, 0, 0, 0, 0}}, {0}, 0, 0, 0, 0, 0, 0 },
    /* A part of a Cray XE6, Gemini: two processors to a node, each with its own way in (Servet 3.0, 5):
     * ratNC 1 at 2, above 1.5 from 4. */
    { "hector", 128, 32, 2, {700, 3.2e9, 4096, 900}, {900, 3.2e9, 4096, 1100}, {1500, 3e9, 8192, 2500}, 0, 20e9, 10e9,
      3.1e9, 6.2e9, 0, 200, {{0, 0, 0, 0, 0}}, {8, 4, 4}, 6.3e9, 100, 0, 0, 0, 0 },
    /* Two racks of four nodes, 1 Gbit/s each, 200 Mbit/s between: latencies 0.4, 4 and 24 us. */
    { "two-racks", 8, 2, 1, {0, 0, 0, 0}, {400, 7e9, 4096, 2000}, {4000, 125e6, 65536, 8000}, 0, 14e9, 0, 0, 125e6,
      0, 200, {{4, 25e6, 20000, 0, 0}}, {0}, 0, 0, 0, 0, 0, 0 },
    /* Three switches deep, half the bandwidth at each step out. */
    { "fat-tree", 64, 8, 2, {300, 8e9, 8192, 500}, {550, 6e9, 8192, 900}, {1300, 12e9, 16384, 2600}, 0, 60e9, 30e9, 0,
      12e9, 0, 150, {{4, 24e9, 300, 2, NET_BY_TARGET}, {16, 48e9, 600, 4, NET_BY_TARGET}}, {0}, 0, 0, 0, 0, 0, 0 },
    /* Islands of a full fat tree, a third of the bandwidth between them. */
    { "islands", 48, 16, 2, {260, 9e9, 8192, 600}, {480, 7e9, 8192, 900}, {1150, 11e9, 16384, 2400}, 0, 90e9, 40e9, 0,
      25e9, 0, 120, {{16, 133e9, 700, 16, NET_BY_TARGET}}, {0}, 0, 0, 0, 0, 0, 0 },
    { "ring", 16, 1, 1, {0, 0, 0, 0}, {400, 6e9, 0, 0}, {2000, 1e9, 0, 0}, 0, 0, 0, 0, 0, 0, 100, {{0, 0, 0, 0, 0}},
      {16}, 1e9, 500, 0, 0, 0, 0 },
    /* One host of two sockets. */
    { "host", 1, 16, 2, {250, 9e9, 4096, 700}, {600, 5e9, 4096, 1200}, {0, 0, 0, 0}, 0, 40e9, 12e9, 0, 0, 0, 80,
      {{0, 0, 0, 0, 0}}, {0}, 0, 0, 0, 0, 0, 0 },
    /* One switch; the adapter carries what one rank sends. */
    { "flat", 32, 4, 1, {0, 0, 0, 0}, {400, 7e9, 8192, 700}, {1600, 3e9, 16384, 3000}, 0, 40e9, 0, 0, 3e9, 0, 150,
      {{0, 0, 0, 0, 0}}, {0}, 0, 0, 0, 0, 0, 0 },
    { "torus", 32, 1, 1, {0, 0, 0, 0}, {400, 6e9, 0, 0}, {2000, 1e9, 0, 0}, 0, 0, 0, 0, 0, 0, 100, {{0, 0, 0, 0, 0}},
      {4, 4, 2}, 1e9, 500, 0, 0, 0, 0 },
    { "torus-1024", 1024, 1, 1, {0, 0, 0, 0}, {400, 6e9, 0, 0}, {1800, 3e9, 0, 0}, 0, 0, 0, 0, 0, 0, 100,
      {{0, 0, 0, 0, 0}}, {16, 8, 8}, 3e9, 100, 0, 0, 0, 0 },
    { "dragonfly", 72, 4, 1, {0, 0, 0, 0}, {350, 8e9, 8192, 700}, {1100, 10e9, 16384, 2200}, 0, 60e9, 0, 0, 10e9, 0,
      120, {{0, 0, 0, 0, 0}}, {0}, 10e9, 150, 2, 8, 10e9, 700 },
    /* As many hosts as there may be ranks: four tiers, 16 ranks to a host. */
    { "large", 256, 16, 2, {260, 9e9, 8192, 600}, {480, 7e9, 8192, 900}, {1150, 11e9, 16384, 2400}, 0, 90e9, 40e9, 0,
      25e9, 0, 120, {{16, 200e9, 400, 8, NET_BY_HASH}, {64, 400e9, 900, 16, NET_BY_HASH}}, {0}, 0, 0, 0, 0, 0, 0 }
};

NET_API const net_spec *net_named(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof net_specs / sizeof *net_specs; i++)
        if (!strcmp(net_specs[i].name, name)) return &net_specs[i];
    return NULL;
}

enum { NET_BLOCK, NET_CYCLIC, NET_SHUFFLED, NET_UNEQUAL };       /* ranks over hosts                  */
enum {                          /* names of hosts                                                   */
    NET_TRUE,
    NET_OWN_NAMES,              /* each rank its own, as in containers                              */
    NET_ONE_NAME,               /* all the same                                                     */
    NET_WRONG_NAMES             /* a quarter of the ranks say they are elsewhere                    */
};

typedef struct net_layout {
    int ranks;                  /* 0 = per_host on each host                                        */
    int hosts;                  /* those used, from the first; 0 = all                              */
    int per_host;               /* 0 = all cores; more than there are share them                    */
    int placing;
    int scatter;                /* 1 = a host's ranks go from socket to socket in turns             */
    int names;
} net_layout;

/* >>noise ------------------------------------------------------------------------------------- */

typedef struct net_noise {
    double jitter_frac;         /* of each sample, log-normal                                       */
    double tail_frac;           /* exponential, only slower                                         */
    double outlier_share;       /* of the samples ...                                               */
    double outlier_lo_ns, outlier_hi_ns;    /* ... take so much longer                              */
    int    waits;               /* 1 = for messages of others, on links that are busy               */
    double shared_share;        /* of the ranks share their CPU with another ...                    */
    double shared_ns;           /* ... and 2 of 5 messages from or to them wait up to so long        */
    double phase_s, phase_share, phase_factor;  /* of each period, a share is slower by a factor     */
    double drift_frac, drift_s; /* all times swing by so much in that time                           */
    double contact_ns;          /* the first message of two ranks; on one host, a hundredth          */
    int    contact_leaks;       /* 1 = into the first sample                                        */
    double step_ns;             /* of the clock; 0 = 20                                             */
    int    slow_host;           /* 1 + its number; 0 = none                                         */
    double slow_factor;
    int    lost_rank;           /* 1 + its number; 0 = none ...                                     */
    double lost_s;              /* ... from that time                                               */
} net_noise;

enum { NET_QUIET, NET_RATED, NET_CLOUD, NET_HARSH };
static const net_noise net_noises[] = {
    { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
    /* 5 % and outliers: a cluster that others use as well. */
    { 0.05, 0.02, 0.01, 1e4, 1e6, 1, 0, 0, 0, 0, 0, 0, 0, 2e6, 0, 20, 0, 0, 0, 0 },
    /* Guests: slower in phases, some ranks without a CPU of their own. */
    { 0.08, 0.05, 0.02, 1e4, 1e6, 1, 0.1, 1e5, 0.7, 0.1, 1.5, 0.03, 40, 8e6, 0, 40, 0, 0, 0, 0 },
    { 0.15, 0.1, 0.05, 1e4, 1e6, 1, 0.25, 2e5, 0.9, 0.2, 2, 0.1, 30, 8e6, 1, 1000, 0, 0, 0, 0 }
};

/* >>model ------------------------------------------------------------------------------------- */

typedef struct net_place { int host, socket, core; } net_place;

typedef struct net_flow {               /* of a round: a transfer, or the way back of one           */
    int    first, count;                /* links, in pool                                           */
    double cap, left, rate, done_s, ns; /* ns: latency                                              */
    int    busy;
} net_flow;

typedef struct net_model {
    net_spec  spec;
    net_layout layout;
    net_noise noise;
    uint64_t  random;
    int       ranks, hosts;             /* that are in use                                          */
    int       steady;                   /* 1 = without noise for the moment: net_truth_ns           */
    net_place *place;
    uint8_t  *shared;                   /* ranks that share a CPU                                   */
    uint8_t  *contact;                  /* a bit for each pair                                      */
    double    now_s;
    long      rounds, samples, messages;
    int       links, base_level[NET_LEVELS], base_torus, base_fly, base_group;
    double   *capacity, *room;          /* of links                                                 */
    int      *users, *used, used_count;
    int      *pool, pool_count, pool_room;
    net_flow *flow;
    int       flow_count, flow_room;
    double   *times;                    /* of samples                                               */
    size_t    times_room;
} net_model;

/* Sum of four: near enough to a normal variable, and never beyond 3.5. */
NET_API double net_gauss(uint64_t *state)
{
    const uint64_t r = servet_stats_random(state);
    double sum = (double)(r & 0xffff) + (double)(r >> 16 & 0xffff);
    sum += (double)(r >> 32 & 0xffff) + (double)(r >> 48);
    return (sum / 65536.0 - 2 + 2.0 / 65536) * 1.7320508;
}

NET_API void net_close(net_model *m)
{
    free(m->place);
    free(m->shared);
    free(m->contact);
    free(m->capacity);
    free(m->room);
    free(m->users);
    free(m->used);
    free(m->pool);
    free(m->flow);
    free(m->times);
    memset(m, 0, sizeof *m);
}

/* The core of the slot-th rank of a host. */
NET_API net_place net_core(const net_spec *s, const net_layout *at, int host, int slot)
{
    net_place p;
    const int sockets = s->sockets > 0 ? s->sockets : 1, each = (s->cores + sockets - 1) / sockets;
    slot %= s->cores;
    p.host = host;
    p.core = slot;
    if (at->scatter && s->cores % sockets == 0) p.core = slot % sockets * each + slot / sockets;
    p.socket = p.core / each;
    return p;
}

NET_API int net_place_all(net_model *m)
{
    const net_spec *s = &m->spec;
    const int hosts = m->hosts, per = m->layout.per_host > 0 ? m->layout.per_host : s->cores;
    int *room = (int *)calloc(2 * (size_t)hosts, sizeof *room), *slot = room + hosts, i, h, total = 0;
    if (!room) return SERVET_ENOMEM;
    for (h = 0; h < hosts; h++) {
        room[h] = per;
        if (m->layout.placing == NET_UNEQUAL) room[h] = 1 + (int)servet_stats_random_below(&m->random, (size_t)per);
        total += room[h];
    }
    if (m->layout.ranks > 0 && m->layout.ranks < total) total = m->layout.ranks;
    if (total > SERVET_NETWORK_RANKS) total = SERVET_NETWORK_RANKS;
    m->ranks = total;
    m->place = (net_place *)calloc((size_t)total, sizeof *m->place);
    for (i = h = 0; m->place && i < total; i++) {
        while (slot[h] >= room[h]) h = (h + 1) % hosts;
        m->place[i] = net_core(s, &m->layout, h, slot[h]++);
        if (m->layout.placing == NET_CYCLIC) h = (h + 1) % hosts;
    }
    for (i = total - 1; m->place && m->layout.placing == NET_SHUFFLED && i > 0; i--) {
        const int j = (int)servet_stats_random_below(&m->random, (size_t)i + 1);
        const net_place p = m->place[i];
        m->place[i] = m->place[j];
        m->place[j] = p;
    }
    free(room);
    return m->place ? SERVET_OK : SERVET_ENOMEM;
}

/* Links, in this order: out of and into each rank; of each socket: memory, out, in, to its sibling; of each host: out,
 * in; then the network's. */
enum { NET_OF_RANK = 2, NET_OF_SOCKET = 4, NET_OF_HOST = 2 };

NET_API int net_socket_link(const net_model *m, net_place p)
{
    return NET_OF_RANK * m->ranks + NET_OF_SOCKET * (p.host * m->spec.sockets + p.socket);
}

NET_API int net_host_link(const net_model *m, int host)
{
    return NET_OF_RANK * m->ranks + NET_OF_SOCKET * m->hosts * m->spec.sockets + NET_OF_HOST * host;
}

NET_API int net_links(net_model *m)
{
    const net_spec *s = &m->spec;
    int at = net_host_link(m, m->hosts), i, l, pass;
    const int routers = s->fly_router > 0 ? s->hosts / s->fly_router : 0;
    const int groups = s->fly_group > 0 ? s->hosts / s->fly_group : 0;
    for (pass = 0; pass < 2; pass++) {      /* count, then fill */
        at = net_host_link(m, m->hosts);
        for (l = 0; l < NET_LEVELS && s->level[l].hosts > 0; l++) {
            const int ways = s->level[l].ways > 0 ? s->level[l].ways : 1;
            const int count = (s->hosts + s->level[l].hosts - 1) / s->level[l].hosts * ways * 2;
            m->base_level[l] = at;
            for (i = 0; pass && i < count; i++) m->capacity[at + i] = s->level[l].rate / ways;
            at += count;
        }
        m->base_torus = at;
        if (s->torus[0] > 0) {
            for (i = 0; pass && i < s->hosts * NET_DIMS * 2; i++) m->capacity[at + i] = s->hop_rate;
            at += s->hosts * NET_DIMS * 2;
        }
        m->base_fly = at;
        for (i = 0; pass && i < routers * routers; i++) m->capacity[at + i] = s->hop_rate;
        at += routers * routers;
        m->base_group = at;
        for (i = 0; pass && i < groups * groups; i++) m->capacity[at + i] = s->fly_rate;
        at += groups * groups;
        if (!pass) {
            m->links = at;
            m->capacity = (double *)calloc((size_t)at, sizeof *m->capacity);
            m->room = (double *)calloc((size_t)at, sizeof *m->room);
            m->users = (int *)calloc((size_t)at, sizeof *m->users);
            m->used = (int *)calloc((size_t)at, sizeof *m->used);
            if (!m->capacity || !m->room || !m->users || !m->used) return SERVET_ENOMEM;
        }
    }
    for (i = 0; i < NET_OF_RANK * m->ranks; i++) m->capacity[i] = s->rank_rate;
    for (i = 0; i < m->hosts * s->sockets; i++) {
        double *c = m->capacity + NET_OF_RANK * m->ranks + NET_OF_SOCKET * i;
        c[0] = s->memory_rate;
        c[1] = c[2] = s->inject_rate;
        c[3] = s->cross_rate;
    }
    for (i = 0; i < NET_OF_HOST * m->hosts; i++) m->capacity[net_host_link(m, 0) + i] = s->nic_rate;
    return SERVET_OK;
}

/* EINVAL for layouts that the machine has no room for. */
NET_API int net_open(net_model *m, const net_spec *spec, const net_layout *layout, const net_noise *noise,
                     uint64_t seed)
{
    int i, status;
    memset(m, 0, sizeof *m);
    if (!spec) return SERVET_EINVAL;
    m->spec = *spec;
    if (m->spec.sockets < 1) m->spec.sockets = 1;
    if (layout) m->layout = *layout;
    m->noise = noise ? *noise : net_noises[NET_QUIET];
    m->random = servet_stats_random(&seed);     /* a seed itself is where that of another comes by later */
    m->hosts = m->layout.hosts > 0 ? m->layout.hosts : spec->hosts;
    if (m->hosts > spec->hosts) return SERVET_EINVAL;
    status = net_place_all(m);
    if (status >= 0) status = net_links(m);
    if (status >= 0) {
        m->shared = (uint8_t *)calloc((size_t)m->ranks, 1);
        m->contact = (uint8_t *)calloc(((size_t)m->ranks * (size_t)m->ranks + 7) / 8, 1);
        if (!m->shared || !m->contact) status = SERVET_ENOMEM;
    }
    for (i = 0; status >= 0 && i < m->ranks; i++)
        m->shared[i] = servet_stats_random_unit(&m->random) < m->noise.shared_share;
    if (status < 0) net_close(m);
    return status;
}

/* >>ways -------------------------------------------------------------------------------------- */

NET_API int net_push(net_model *m, int link)
{
    if (m->capacity[link] <= 0) return 1;
    if (m->pool_count == m->pool_room) {
        const int room = m->pool_room ? 2 * m->pool_room : 4096;
        int *pool = (int *)realloc(m->pool, (size_t)room * sizeof *pool);
        if (!pool) return 0;
        m->pool = pool;
        m->pool_room = room;
    }
    m->pool[m->pool_count++] = link;
    return 1;
}

/* The links of a tree between two hosts; the latency they add. */
NET_API double net_tree(net_model *m, int a, int b)
{
    const net_spec *s = &m->spec;
    double ns = 0;
    int l;
    for (l = 0; l < NET_LEVELS && s->level[l].hosts > 0; l++) {
        const net_level *v = &s->level[l];
        const int ways = v->ways > 0 ? v->ways : 1, ga = a / v->hosts, gb = b / v->hosts;
        uint64_t hash = (uint64_t)a * 65536 + (uint64_t)b * 7 + (uint64_t)l;
        const int way = v->choice == NET_BY_HASH ? (int)(servet_stats_random(&hash) % (unsigned)ways) : b % ways;
        if (ga == gb) break;
        net_push(m, m->base_level[l] + 2 * (ga * ways + way));
        net_push(m, m->base_level[l] + 2 * (gb * ways + way) + 1);
        ns += v->ns;
    }
    return ns;
}

/* Dimension by dimension, the shorter way round; of two as long, upwards. */
NET_API double net_torus(net_model *m, int a, int b)
{
    const net_spec *s = &m->spec;
    double ns = 0;
    int d, stride = 1, at = a, pa = a, pb = b;
    for (d = 0; d < NET_DIMS && s->torus[d] > 0; d++) {
        const int n = s->torus[d];
        int x = pa % n, hops = (pb % n - pa % n + n) % n, back = 0;
        pa /= n;
        pb /= n;
        if (2 * hops > n) { hops = n - hops; back = 1; }
        ns += hops * s->hop_ns;
        for (; hops > 0; hops--) {
            const int y = back ? (x + n - 1) % n : (x + 1) % n;
            net_push(m, m->base_torus + (at * NET_DIMS + d) * 2 + back);
            at += (y - x) * stride;
            x = y;
        }
        stride *= n;
    }
    return ns;
}

/* Within the group to the router that has the link to the other group, over it, and within that one. */
NET_API double net_fly(net_model *m, int a, int b)
{
    const net_spec *s = &m->spec;
    const int routers = s->hosts / s->fly_router, groups = s->hosts / s->fly_group, of = s->fly_group / s->fly_router;
    const int ga = a / s->fly_group, gb = b / s->fly_group;
    int ra = a / s->fly_router, rb = b / s->fly_router;
    double ns = 0;
    if (ga != gb) {
        const int out = ga * of + gb % of, in = gb * of + ga % of;
        if (ra != out) { net_push(m, m->base_fly + ra * routers + out); ns += s->hop_ns; }
        net_push(m, m->base_group + ga * groups + gb);
        ns += s->fly_ns;
        ra = in;
    }
    if (ra != rb) { net_push(m, m->base_fly + ra * routers + rb); ns += s->hop_ns; }
    return ns;
}

/* How near two ranks are: 0 a socket, 1 a host, 2 neither. */
NET_API int net_nearness(const net_model *m, int a, int b)
{
    const net_place p = m->place[a], q = m->place[b];
    return p.host != q.host ? 2 : p.socket != q.socket || m->spec.socket.rate <= 0;
}

NET_API const net_way *net_way_of(const net_model *m, int a, int b)
{
    const int near = net_nearness(m, a, b);
    return near == 0 ? &m->spec.socket : near == 1 ? &m->spec.host : &m->spec.net;
}

/* Adds a flow: its links, its latency for messages of bytes. */
NET_API net_flow *net_add(net_model *m, int a, int b, double bytes)
{
    const net_spec *s = &m->spec;
    const net_place p = m->place[a], q = m->place[b];
    const net_way *way = net_way_of(m, a, b);
    net_flow *f;
    if (m->flow_count == m->flow_room) {
        const int room = m->flow_room ? 2 * m->flow_room : 256;
        net_flow *flow = (net_flow *)realloc(m->flow, (size_t)room * sizeof *flow);
        if (!flow) return NULL;
        m->flow = flow;
        m->flow_room = room;
    }
    f = &m->flow[m->flow_count++];
    memset(f, 0, sizeof *f);
    f->first = m->pool_count;
    f->cap = way->rate;
    f->ns = way->ns;
    if (way->eager_bytes > 0 && bytes > way->eager_bytes) f->ns += way->jump_ns;
    net_push(m, NET_OF_RANK * a);
    net_push(m, NET_OF_RANK * b + 1);
    if (p.host == q.host) {
        net_push(m, net_socket_link(m, p));
        if (p.socket != q.socket) {
            net_push(m, net_socket_link(m, q));
            net_push(m, net_socket_link(m, p) + 3);
        }
    } else {
        net_push(m, net_socket_link(m, p) + 1);
        net_push(m, net_socket_link(m, q) + 2);
        net_push(m, net_host_link(m, p.host));
        net_push(m, net_host_link(m, q.host) + !s->half_duplex);
        if (s->level[0].hosts > 0) f->ns += net_tree(m, p.host, q.host);
        if (s->torus[0] > 0) f->ns += net_torus(m, p.host, q.host);
        if (s->fly_router > 0) f->ns += net_fly(m, p.host, q.host);
    }
    f->count = m->pool_count - f->first;
    return f;
}

/* Max-min fair rates of the flows that are busy: all grow alike until a link is full, or one has what it asks for. */
NET_API void net_share(net_model *m)
{
    int i, j, left = 0;
    m->used_count = 0;
    for (i = 0; i < m->flow_count; i++) {
        net_flow *f = &m->flow[i];
        f->rate = -1;
        if (!f->busy) continue;
        left++;
        for (j = f->first; j < f->first + f->count; j++) {
            const int k = m->pool[j];
            if (m->users[k]++ == 0) {
                m->room[k] = m->capacity[k];
                m->used[m->used_count++] = k;
            }
        }
    }
    while (left > 0) {
        double least = HUGE_VAL;
        int fixed = 0, live = 0;
        for (i = 0; i < m->used_count; i++) {
            const int k = m->used[i];
            if (m->users[k] == 0) continue;
            m->used[live++] = k;
            if (m->room[k] / m->users[k] < least) least = m->room[k] / m->users[k];
        }
        m->used_count = live;
        for (i = 0; i < m->flow_count; i++)
            if (m->flow[i].busy && m->flow[i].rate < 0 && m->flow[i].cap < least) least = m->flow[i].cap;
        for (i = 0; i < m->flow_count; i++) {
            net_flow *f = &m->flow[i];
            int full = 0;
            if (!f->busy || f->rate >= 0) continue;
            if (f->cap <= least * (1 + 1e-9)) full = 1;
            for (j = f->first; !full && j < f->first + f->count; j++)
                full = m->room[m->pool[j]] / m->users[m->pool[j]] <= least * (1 + 1e-9);
            if (full) f->rate = -2;
        }
        for (i = 0; i < m->flow_count; i++) {
            net_flow *f = &m->flow[i];
            if (f->rate > -1.5) continue;
            f->rate = f->cap < least ? f->cap : least;
            for (j = f->first; j < f->first + f->count; j++) {
                m->room[m->pool[j]] -= f->rate;
                m->users[m->pool[j]]--;
            }
            left--;
            fixed++;
        }
        if (!fixed) break;
    }
    for (i = 0; i < m->used_count; i++) m->users[m->used[i]] = 0;
}

/* All flows begin at once, each with so many bytes: when each is done. */
NET_API void net_play(net_model *m, double bytes)
{
    double now = 0;
    int i, events = 0, left = m->flow_count;
    for (i = 0; i < m->flow_count; i++) {
        net_flow *f = &m->flow[i];
        f->left = bytes;
        f->done_s = 0;
        f->busy = bytes > 0;
        if (!f->busy) left--;
    }
    while (left > 0) {
        /* Where they end one by one, a few that are nearly done are done: thousands would take long otherwise. */
        const double slack = events++ < 64 ? 1e-9 : 0.01;
        double next = HUGE_VAL;
        net_share(m);
        for (i = 0; i < m->flow_count; i++)
            if (m->flow[i].busy && m->flow[i].left / m->flow[i].rate < next) next = m->flow[i].left / m->flow[i].rate;
        for (i = 0; i < m->flow_count; i++) {
            net_flow *f = &m->flow[i];
            if (!f->busy) continue;
            if (f->left / f->rate <= next * (1 + slack)) {
                f->done_s = now + f->left / f->rate;
                f->busy = 0;
                left--;
            } else f->left -= f->rate * next;
        }
        now += next;
    }
}

/* >>rounds ------------------------------------------------------------------------------------ */

/* The worst share of a link in use, on a flow's way, after net_share. */
NET_API double net_busy_frac(const net_model *m, const net_flow *f)
{
    double worst = 0;
    int j;
    for (j = f->first; j < f->first + f->count; j++) {
        const double busy = 1 - m->room[m->pool[j]] / m->capacity[m->pool[j]];
        if (busy > worst) worst = busy;
    }
    return worst > 1 ? 1 : worst;
}

/* One sample of what takes ns without noise, by message; wait_ns and wait_frac: for messages of others. */
NET_API double net_disturb(net_model *m, double ns, int a, int b, double at_s, double wait_ns, double wait_frac)
{
    const net_noise *v = &m->noise;
    uint64_t *r = &m->random;
    if (m->steady) return ns;
    if (v->slow_host > 0 && (m->place[a].host == v->slow_host - 1 || m->place[b].host == v->slow_host - 1))
        ns *= v->slow_factor;
    if (v->jitter_frac > 0) ns *= exp(v->jitter_frac * net_gauss(r));
    if (v->tail_frac > 0) ns *= 1 - v->tail_frac * log(1 - servet_stats_random_unit(r));
    if (v->drift_frac > 0) ns *= 1 + v->drift_frac * sin(6.283185307179586 * at_s / v->drift_s);
    if (v->phase_s > 0 && at_s / v->phase_s - floor(at_s / v->phase_s) < v->phase_share) ns *= v->phase_factor;
    if (v->waits && wait_frac > 0 && servet_stats_random_unit(r) < wait_frac)
        ns += wait_ns * servet_stats_random_unit(r);
    if ((m->shared[a] || m->shared[b]) && servet_stats_random_unit(r) < 0.4)
        ns += v->shared_ns * servet_stats_random_unit(r);
    if (v->outlier_share > 0 && servet_stats_random_unit(r) < v->outlier_share)
        ns += v->outlier_lo_ns * pow(v->outlier_hi_ns / v->outlier_lo_ns, servet_stats_random_unit(r));
    return ns;
}

NET_API double net_step_ns(const net_model *m) { return m->noise.step_ns > 0 ? m->noise.step_ns : 20; }

/* What the clock says of so many messages, by message. */
NET_API double net_clock(net_model *m, double ns, int batch)
{
    const double step = net_step_ns(m), whole = ns * batch;
    if (m->steady) return ns;
    return floor(whole / step + servet_stats_random_unit(&m->random)) * step / batch;
}

/* What the first message of two ranks costs; 0 if it is not the first. */
NET_API double net_contact_ns(net_model *m, int a, int b)
{
    const size_t bit = (size_t)(a < b ? a : b) * (size_t)m->ranks + (size_t)(a < b ? b : a);
    if (m->contact[bit / 8] >> (bit % 8) & 1) return 0;
    m->contact[bit / 8] = (uint8_t)(m->contact[bit / 8] | 1u << (bit % 8));
    return net_nearness(m, a, b) < 2 ? m->noise.contact_ns / 100 : m->noise.contact_ns;
}

NET_API int net_is_lost(const net_model *m, servet_mpi_transfer t)
{
    const int lost = m->noise.lost_rank - 1;
    return lost >= 0 && (t.from == lost || t.to == lost) && m->now_s >= m->noise.lost_s;
}

NET_API int net_enough(const servet_message *s, double within_frac)
{
    return s->hi_ns - s->lo_ns < 2 * within_frac * s->median_ns;
}

/* When to look whether there are enough samples. */
NET_API int net_next(int done, int least) { return done < least ? least : done + done / 2 + 1; }

NET_API int net_times(net_model *m, size_t count)
{
    double *times;
    if (count <= m->times_room) return 1;
    times = (double *)realloc(m->times, count * sizeof *times);
    if (!times) return 0;
    m->times = times;
    m->times_room = count;
    return 1;
}

/* A flow each way for trips and for both; the time of a message of each transfer, alone or beside the others. */
NET_API int net_pairs_flows(net_model *m, const servet_mpi_round *r)
{
    int i;
    m->flow_count = m->pool_count = 0;
    for (i = 0; i < r->count; i++) {
        if (!net_add(m, r->transfer[i].from, r->transfer[i].to, (double)r->bytes)) return SERVET_ENOMEM;
        if (r->kind != SERVET_MESSAGE_STREAM && !net_add(m, r->transfer[i].to, r->transfer[i].from, (double)r->bytes))
            return SERVET_ENOMEM;
    }
    return SERVET_OK;
}

/* The rate of one flow alone. */
NET_API double net_lone_rate(const net_model *m, const net_flow *f)
{
    double rate = f->cap;
    int j;
    for (j = f->first; j < f->first + f->count; j++)
        if (m->capacity[m->pool[j]] < rate) rate = m->capacity[m->pool[j]];
    return rate;
}

/* A message of several in a row, of which the last is acknowledged. */
NET_API double net_stream_ns(const net_model *m, double out_ns, double back_ns, double message_ns, int window)
{
    if (message_ns < m->spec.gap_ns) message_ns = m->spec.gap_ns;
    return (out_ns + window * message_ns + back_ns) / window;
}

enum { NET_WARM = 2 };      /* messages, or batches, before those that are timed */

/* Pairs at their own pace. */
NET_API int net_apart(net_model *m, servet_mpi_round *r, int window, int least, int most)
{
    const int each = r->kind == SERVET_MESSAGE_STREAM ? 1 : 2;
    const double bytes = (double)r->bytes, within = r->within_frac > 0 ? r->within_frac : 0.05;
    const double limit = r->limit_s > 0 ? r->limit_s : 10;
    double longest = 0;
    int i, lost = 0;
    if (net_pairs_flows(m, r) < 0 || !net_times(m, (size_t)most)) return SERVET_ENOMEM;
    for (i = 0; i < m->flow_count; i++) {   /* what each asks for */
        net_flow *f = &m->flow[i];
        const double alone_s = bytes / net_lone_rate(m, f);
        f->busy = bytes > 0;
        f->cap = f->left = net_lone_rate(m, f);     /* left: what it gets alone, whatever it asks for */
        if (r->kind == SERVET_MESSAGE_TRIP && bytes > 0) f->cap = bytes / (2 * (f->ns * 1e-9 + alone_s));
    }
    net_share(m);
    for (i = 0; i < r->count; i++) {
        const net_flow *f = &m->flow[each * i], *g = each > 1 ? f + 1 : f;
        const int a = r->transfer[i].from, b = r->transfer[i].to;
        const double out_ns = f->ns, back_ns = net_way_of(m, b, a)->ns;
        const double extra = net_contact_ns(m, a, b);
        double ns, busy = 0, spent = 0;
        int batch = 1, done = 0, look = 0, flags = 0;
        servet_message s;
        memset(&s, 0, sizeof s);
        if (net_is_lost(m, r->transfer[i])) {
            lost = 1;
            if (r->each) r->each[i] = s;
            continue;
        }
        if (r->kind == SERVET_MESSAGE_TRIP) {
            double there = f->ns + 1e9 * bytes / f->left, here = g->ns + 1e9 * bytes / g->left;
            if (bytes > 0 && f->rate < f->cap * (1 - 1e-9)) there = 1e9 * bytes / (2 * f->rate);
            if (bytes > 0 && g->rate < g->cap * (1 - 1e-9)) here = 1e9 * bytes / (2 * g->rate);
            ns = (there + here) / 2;
            busy = r->count > 1 ? net_busy_frac(m, f) : 0;
        } else {
            double message = bytes > 0 ? 1e9 * bytes / f->rate : 0;
            if (each > 1 && bytes > 0 && 1e9 * bytes / g->rate > message) message = 1e9 * bytes / g->rate;
            ns = net_stream_ns(m, out_ns, f->ns - net_way_of(m, a, b)->ns + back_ns, message, window);
        }
        while (r->kind == SERVET_MESSAGE_TRIP && ns * batch < 20 * net_step_ns(m) && batch < 1024) batch *= 2;
        if (ns * batch < 10 * net_step_ns(m) && !m->steady) flags |= SERVET_MESSAGE_COARSE;
        spent = (extra + 2 * NET_WARM * ns * batch * window) * 1e-9;
        while (done < most && spent < limit) {
            double sum = 0;
            int k;
            for (k = 0; k < batch; k += batch > 8 ? batch / 8 : 1)  /* disturbances of few of many */
                sum += net_disturb(m, ns, a, b, m->now_s + spent, ns - f->ns, busy);
            sum /= batch > 8 ? 8 : batch;
            spent += 2 * sum * batch * window * 1e-9;
            if (m->noise.contact_leaks && done == 0) sum += extra / batch;
            m->times[done++] = net_clock(m, sum, batch);
            m->messages += 2L * batch * window;
            if (done < (look > least ? look : least)) continue;
            look = net_next(done, least);
            servet_mpi_summary(&s, m->times, done);
            if (net_enough(&s, within)) break;
        }
        m->samples += done;
        if (done > 0) servet_mpi_summary(&s, m->times, done);
        if (done > 0 && !net_enough(&s, within)) flags |= SERVET_MESSAGE_SHORT;
        if (done >= 10 && s.p90_ns > 2 * s.median_ns && s.p10_ns > 0.5 * s.median_ns) flags |= SERVET_MESSAGE_BIMODAL;
        s.flags = flags;
        if (r->each) r->each[i] = s;
        if (spent > longest) longest = spent;
    }
    r->seconds = lost && longest < limit ? limit : longest;
    return lost ? SERVET_ETIME : SERVET_OK;
}

/* Transfers that begin together, each repetition behind a barrier. */
NET_API int net_together(net_model *m, servet_mpi_round *r, int window, int least, int most)
{
    const int each = r->kind == SERVET_MESSAGE_STREAM ? 1 : 2, count = r->count;
    const double bytes = (double)r->bytes, within = r->within_frac > 0 ? r->within_frac : 0.05;
    const double limit = r->limit_s > 0 ? r->limit_s : 10;
    double *base, *last, *mean, *all, *contact, spent = 0, longest = 0;
    int i, done = 0, look = 0, *turn, flags = 0;
    for (i = 0; i < count; i++)
        if (net_is_lost(m, r->transfer[i])) {
            for (i = 0; r->each && i < count; i++) memset(&r->each[i], 0, sizeof r->each[i]);
            r->seconds = limit;
            return SERVET_ETIME;
        }
    if (net_pairs_flows(m, r) < 0 || !net_times(m, (size_t)most * ((r->each ? (size_t)count : 0) + 2) + (size_t)count))
        return SERVET_ENOMEM;
    turn = (int *)calloc((size_t)m->ranks, sizeof *turn);
    contact = (double *)calloc((size_t)m->ranks, sizeof *contact);
    if (!turn || !contact) { free(turn); free(contact); return SERVET_ENOMEM; }
    base = m->times;
    last = base + count;
    mean = last + most;
    all = mean + most;
    if (r->kind == SERVET_MESSAGE_TRIP) {   /* there and back are two plays, taken for alike in both directions */
        for (i = 0; i < m->flow_count; i++) if (i % 2 == 0) m->flow[i / 2] = m->flow[i];
        m->flow_count /= 2;
    }
    net_play(m, r->kind == SERVET_MESSAGE_TRIP ? bytes : bytes * window);
    for (i = 0; i < count; i++) {
        const int a = r->transfer[i].from, b = r->transfer[i].to;
        if (r->kind == SERVET_MESSAGE_TRIP) base[i] = m->flow[i].ns + 1e9 * m->flow[i].done_s;
        else {
            const net_flow *f = &m->flow[each * i];
            double done_s = f->done_s;
            if (each > 1 && f[1].done_s > done_s) done_s = f[1].done_s;
            base[i] = net_stream_ns(m, f->ns, f->ns - net_way_of(m, a, b)->ns + net_way_of(m, b, a)->ns,
                                    1e9 * done_s / window, window);
        }
        base[i] += turn[a]++ * m->spec.gap_ns / window;     /* one after another leaves a rank */
        contact[a] += net_contact_ns(m, a, b) * 1e-9;
        if (contact[a] > spent) spent = contact[a];
        if (base[i] > longest) longest = base[i];
    }
    spent += (double)NET_WARM * (longest * window + 2000.0 * log((double)m->ranks + 1)) * 1e-9;
    free(turn);
    free(contact);
    while (done < most && spent < limit) {
        const double at_s = m->now_s + spent;
        double sum = 0, worst = 0;
        for (i = 0; i < count; i++) {
            const servet_mpi_transfer t = r->transfer[i];
            const double ns = net_clock(m, net_disturb(m, base[i] * window, t.from, t.to, at_s, 0, 0), 1) / window;
            if (r->each) all[(size_t)i * (size_t)most + (size_t)done] = ns;
            sum += ns;
            if (ns > worst) worst = ns;
        }
        last[done] = worst;
        mean[done++] = sum / count;
        spent += (worst * window + 2000.0 * log((double)m->ranks + 1)) * 1e-9;   /* and a barrier */
        m->messages += (long)count * (window + 1);
        if (done < (look > least ? look : least)) continue;
        look = net_next(done, least);
        servet_mpi_summary(&r->last, last, done);
        servet_mpi_summary(&r->mean, mean, done);
        if (net_enough(&r->last, within) && net_enough(&r->mean, within)) break;
    }
    m->samples += done;
    if (done > 0) {
        servet_mpi_summary(&r->last, last, done);
        servet_mpi_summary(&r->mean, mean, done);
        if (!net_enough(&r->last, within) || !net_enough(&r->mean, within)) flags |= SERVET_MESSAGE_SHORT;
        if (r->mean.median_ns * window < 10 * net_step_ns(m) && !m->steady) flags |= SERVET_MESSAGE_COARSE;
        r->last.flags = r->mean.flags = flags;
        for (i = 0; r->each && i < count; i++) {
            servet_mpi_summary(&r->each[i], all + (size_t)i * (size_t)most, done);
            r->each[i].flags = flags;
        }
    }
    r->seconds = spent;
    return SERVET_OK;
}

NET_API int net_exchange(void *context, servet_mpi_round *r)
{
    net_model *m = (net_model *)context;
    const int least = r->least > 0 ? r->least : 5, most = r->most > 0 ? r->most : 200;
    int i, status, window = r->window > 0 && r->kind != SERVET_MESSAGE_TRIP ? r->window : 1;
    memset(&r->last, 0, sizeof r->last);
    memset(&r->mean, 0, sizeof r->mean);
    r->seconds = 0;
    if (r->count < 1 || !r->transfer || r->kind < 0 || r->kind > 2) return SERVET_EINVAL;
    for (i = 0; i < r->count; i++) {
        const servet_mpi_transfer t = r->transfer[i];
        if (t.from < 0 || t.to < 0 || t.from >= m->ranks || t.to >= m->ranks || t.from == t.to) return SERVET_EINVAL;
    }
    if (!r->together) {             /* a rank in one transfer only */
        uint8_t *seen = (uint8_t *)calloc((size_t)m->ranks, 1);
        int twice = 0;
        if (!seen) return SERVET_ENOMEM;
        for (i = 0; i < r->count; i++) twice |= seen[r->transfer[i].from]++ | seen[r->transfer[i].to]++;
        free(seen);
        if (twice) return SERVET_EINVAL;
    }
    status = r->together ? net_together(m, r, window, least, most < least ? least : most)
                         : net_apart(m, r, window, least, most < least ? least : most);
    r->seconds += 20e-6 * log((double)m->ranks + 1);        /* orders, and a barrier                */
    m->now_s += r->seconds;
    m->rounds++;
    return status;
}

NET_API double net_seconds(void *context) { return ((net_model *)context)->now_s; }

NET_API void net_describe(void *context, servet_network *n)
{
    net_model *m = (net_model *)context;
    const int per = m->spec.cores;
    int i, h, named[SERVET_NETWORK_RANKS], *load;
    size_t at = 0;
    uint64_t draw = 5;
    for (i = 0; i < SERVET_NETWORK_RANKS; i++) named[i] = -1;
    n->ranks = m->ranks;
    n->hosts = 0;
    memset(n->names, 0, sizeof n->names);
    for (i = 0; i < m->ranks; i++) {
        int says = m->place[i].host;
        char name[32];
        if (m->layout.names == NET_OWN_NAMES) says = i;
        if (m->layout.names == NET_ONE_NAME) says = 0;
        if (m->layout.names == NET_WRONG_NAMES && servet_stats_random_below(&draw, 4) == 0)
            says = (int)servet_stats_random_below(&draw, (size_t)m->hosts);
        if (named[says] < 0) {          /* numbered as they come */
            named[says] = n->hosts++;
            sprintf(name, "node%d", says);
            if (at + strlen(name) + 1 < sizeof n->names) {
                memcpy(n->names + at, name, strlen(name) + 1);
                at += strlen(name) + 1;
            }
        }
        n->host[i] = (int16_t)named[says];
    }
    strcpy(n->library, "modelled");
    n->crowded = 0;
    load = (int *)calloc((size_t)m->hosts, sizeof *load);
    for (i = 0; load && i < m->ranks; i++) load[m->place[i].host]++;
    for (h = 0; load && h < m->hosts; h++) if (load[h] > per) n->crowded += load[h] - per;
    free(load);
    for (i = 0; i < m->ranks; i++) n->crowded += m->shared[i];
    n->step_ns = net_step_ns(m);
}

NET_API servet_mpi_network net_mpi(net_model *m)
{
    servet_mpi_network net;
    memset(&net, 0, sizeof net);
    net.context = m;
    net.ranks = m->ranks;
    net.seconds = net_seconds;
    net.describe = net_describe;
    net.exchange = net_exchange;
    return net;
}

/* >>truth ------------------------------------------------------------------------------------- */

/* One way, alone and without noise. */
NET_API double net_truth_ns(net_model *m, int a, int b, double bytes)
{
    double ns;
    m->flow_count = m->pool_count = 0;
    if (!net_add(m, a, b, bytes)) return -1;
    ns = m->flow[0].ns + 1e9 * bytes / net_lone_rate(m, &m->flow[0]);
    m->flow_count = m->pool_count = 0;
    return ns;
}

/* Groups as they are built: sockets, hosts, routers and groups of a dragonfly, switches of each level; those that hold
 * one rank each, or all, or the same as the one before, are none.  A torus has hosts only.
 *   group   room for SERVET_NETWORK_LAYERS * ranks, or NULL: of each rank in each layer, from 0 in order of ranks
 * Returns their number. */
NET_API int net_truth_layers(const net_model *m, int *group)
{
    const net_spec *s = &m->spec;
    int levels = 0, kind, i, *now, *kept;
    now = (int *)calloc(3 * (size_t)m->ranks + (size_t)s->hosts * (size_t)(s->sockets + 1), sizeof *now);
    if (!now) return SERVET_ENOMEM;
    kept = now + m->ranks;
    for (kind = 0; kind < 4 + NET_LEVELS; kind++) {
        int *number = now + 2 * m->ranks, count = 0, same = levels > 0;
        const int size = kind == 2 ? s->fly_router : kind == 3 ? s->fly_group : kind > 3 ? s->level[kind - 4].hosts : 1;
        if (size < 1 || (kind == 0 && s->socket.rate <= 0)) continue;
        for (i = 0; i < s->hosts * s->sockets; i++) number[i] = -1;
        for (i = 0; i < m->ranks; i++) {
            const net_place p = m->place[i];
            const int g = kind == 0 ? p.host * s->sockets + p.socket : p.host / size;
            if (number[g] < 0) number[g] = count++;
            now[i] = number[g];
        }
        for (i = 0; i < m->ranks; i++) if (levels > 0 && now[i] != kept[i]) same = 0;
        if (count == 1 || count == m->ranks || same) continue;
        for (i = 0; i < m->ranks; i++) kept[i] = now[i];
        for (i = 0; group && i < m->ranks; i++) group[levels * m->ranks + i] = now[i];
        levels++;
    }
    free(now);
    return levels;
}

#endif /* SERVET_TESTS_NETWORK_H */

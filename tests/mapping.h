/* mapping.h - modelled profiles to map on: nodes of cores in groups, and a network of them */
#ifndef SERVET_TESTS_MAPPING_H
#define SERVET_TESTS_MAPPING_H

#include "../servet.h"

#include <stdlib.h>
#include <string.h>

static inline void *mapping_zeros(size_t bytes)
{
    void *block = calloc(1, bytes);
    if (!block) abort();
    return block;
}

/* CPUs 0 to cpus - 1, a line between two: inner_ns in groups of so many, else outer_ns. */
static inline void mapping_cores(servet_profile *p, int cpus, int group, float inner_ns, float outer_ns)
{
    int a, b;
    p->cores = (servet_cores *)mapping_zeros(sizeof *p->cores);
    p->cores->count = p->cores->of = cpus;
    for (a = 0; a < cpus; a++) {
        p->cores->cpu[a] = a;
        for (b = 0; b < a; b++) {
            const int at = SERVET_PAIRS_AT(b, a);
            p->cores->ns[SERVET_HANDOFF_FLAGS][at] = a / group == b / group ? inner_ns : outer_ns;
            p->cores->state[at] = SERVET_CORES_SOUND;
        }
    }
}

/* A level of caches, each of so many CPUs. */
static inline void mapping_caches(servet_profile *p, int cpus, int each)
{
    servet_sharing_level *l;
    int a;
    if (!p->sharing) p->sharing = (servet_sharing *)mapping_zeros(sizeof *p->sharing);
    p->sharing->cpus = cpus;
    l = &p->sharing->level[p->sharing->count++];
    l->level = p->sharing->count;
    l->groups = cpus / each;
    for (a = 0; a < cpus; a++) {
        p->sharing->cpu[a] = a;
        l->group[a] = (int16_t)(each > 1 ? a / each : -1);
    }
}

/* Two slow each other at memory that are of one group of so many. */
static inline void mapping_memory(servet_profile *p, int cpus, int each)
{
    int a, b;
    p->contention = (servet_contention *)mapping_zeros(sizeof *p->contention);
    p->contention->cpus = cpus;
    p->contention->pairs = cpus * (cpus - 1) / 2;
    for (a = 0; a < cpus; a++) {
        p->contention->cpu[a] = a;
        for (b = 0; b < a; b++)
            p->contention->overhead[SERVET_PAIRS_AT(b, a)] = (int8_t)(a / each == b / each ? 0 : -1);
    }
}

/* Hosts of one rank each, all at one distance. */
static inline void mapping_network(servet_profile *p, int hosts, double us)
{
    servet_network *n = p->network = (servet_network *)mapping_zeros(sizeof *n);
    int i;
    char *name = n->names;
    n->ranks = n->hosts = hosts;
    for (i = 0; i < hosts; i++) {
        n->host[i] = (int16_t)i;
        *name++ = 'n';
        if (i > 999) *name++ = (char)('0' + i / 1000);
        if (i > 99) *name++ = (char)('0' + i / 100 % 10);
        if (i > 9) *name++ = (char)('0' + i / 10 % 10);
        *name++ = (char)('0' + i % 10);
        name++;
    }
    n->layer[0].pairs = 1;
    n->layer[0].small_ns = n->layer[0].trip_ns = 1e3 * us;
}

static inline void mapping_access(servet_profile *p, int which, double ratio)
{
    servet_network_ratio *r = &p->network->access[p->network->access_count++];
    r->which = which;
    r->ratio = r->lo_ratio = r->hi_ratio = ratio;
}

/* The second layer of network: racks of so many hosts. */
static inline void mapping_racks(servet_profile *p, int each, double us)
{
    servet_network *n = p->network;
    int i;
    n->layer[1] = n->layer[0];
    n->layer[0].small_ns = n->layer[0].trip_ns = 1e3 * us;
    n->layer_count = 1;
    for (i = 0; i < n->hosts; i++) n->group[0][i] = (int16_t)(i / each);
}

/* HECToR as Servet 3.0, section 5, has it: 128 nodes of two processors of 16 cores, L2 of four and L3 of eight; no
 * overhead at memory, one bandwidth within a node; no loss at the network with a process on each processor. */
static inline void mapping_hector(servet_profile *p)
{
    memset(p, 0, sizeof *p);
    mapping_cores(p, 32, 32, 200, 200);
    mapping_caches(p, 32, 1);
    mapping_caches(p, 32, 4);
    mapping_caches(p, 32, 8);
    mapping_memory(p, 32, 1);
    mapping_network(p, 128, 1.5);
    mapping_access(p, 1, 1);
    mapping_access(p, 2, 1.03);
    mapping_access(p, 4, 1.9);
    mapping_access(p, 8, 3.7);
    mapping_access(p, 16, 7.2);
    mapping_access(p, 32, 14.3);
}

/* A network of hosts in racks, nodes of 16 in two sockets with layers known. */
static inline void mapping_cluster(servet_profile *p, int hosts, int cpus, int each)
{
    memset(p, 0, sizeof *p);
    mapping_cores(p, cpus, each, 50, 120);
    mapping_network(p, hosts, 1.5);
    if (hosts > 4) mapping_racks(p, 4, 1.2);
}

#endif

/* suite.h - what the nodes of a cluster have in common, and which one differs: mpi_suite.c */
#ifndef SERVET_EXAMPLES_SUITE_H
#define SERVET_EXAMPLES_SUITE_H

#include "servet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUITE_LEVELS = 3, SUITE_WIRE = 2 * SUITE_LEVELS + 4, SUITE_QUANTITIES = SUITE_WIRE + 1, SUITE_NAME = 64 };
static const char *const suite_word[SUITE_QUANTITIES] = {
    "bytes of level 1", "bytes of level 2", "bytes of level 3", "ns of level 1", "ns of level 2", "ns of level 3",
    "ns of memory", "bytes/s loaded from memory by one CPU", "bytes/s by all", "ns between CPUs",
    "bytes/s to other nodes"
};

typedef struct suite_value { double is, lo, hi; } suite_value;      /* is 0 = not known */
typedef struct suite_node {
    char        name[SUITE_NAME];
    int         ranks, cpus;
    suite_value of[SUITE_QUANTITIES];
} suite_node;

static inline suite_value suite_of(double is, double lo, double hi)
{
    suite_value v;
    v.is = is;
    v.lo = lo > 0 && lo <= is ? lo : is;
    v.hi = hi >= is ? hi : is;
    return v;
}

/* What a profile says of its node. */
static inline void suite_take(suite_node *node, const servet_profile *p)
{
    int i;
    for (i = 0; i < p->cache_count && i < SUITE_LEVELS; i++) {
        const servet_cache *c = &p->cache[i];
        if (c->source != SERVET_SOURCE_MEASURED) continue;
        if (!c->unresolved) node->of[i] = suite_of(c->bytes, c->lo_bytes, c->hi_bytes);
        node->of[SUITE_LEVELS + i] = suite_of(c->latency_ns, c->lo_ns, c->hi_ns);
    }
    if (p->memory_ns > 0) node->of[2 * SUITE_LEVELS] = suite_of(p->memory_ns, p->memory_lo_ns, p->memory_hi_ns);
    for (i = 0; i < p->bandwidth.count; i++) {
        const servet_rate *r = &p->bandwidth.rate[i];
        suite_value *v = &node->of[2 * SUITE_LEVELS + (r->cpus > 1 ? 2 : 1)];
        if (r->level == 0 && r->kernel == SERVET_STREAM_LOAD && r->bytes_per_s > v->is)
            *v = suite_of(r->bytes_per_s, r->lo_bytes_per_s, r->hi_bytes_per_s);
    }
    if (p->layers.outermost_ns > 0)
        node->of[2 * SUITE_LEVELS + 3] = suite_of(p->layers.outermost_ns, 0, 0);
    if (p->cores && p->cores->count > node->cpus) node->cpus = p->cores->count;
}

/* The same measured again, by another rank of the node or later: the interval holds both; of wires the better is. */
static inline void suite_join(suite_node *node, const suite_node *other)
{
    int q;
    for (q = 0; q < SUITE_QUANTITIES; q++) {
        suite_value *v = &node->of[q];
        const suite_value *w = &other->of[q];
        if (!(w->is > 0)) continue;
        if (!(v->is > 0) || (q == SUITE_WIRE && w->is > v->is)) *v = *w;
        if (q == SUITE_WIRE) continue;
        if (w->lo < v->lo) v->lo = w->lo;
        if (w->hi > v->hi) v->hi = w->hi;
    }
    node->ranks += other->ranks;
}

static inline int suite_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From pairs of ranks on different hosts: of each host the best of its streams, as what its own wire takes from them it
 * takes from all, and a slow wire at the other end only from one.  Between its median and its quickest, as disturbance
 * only adds to a time. */
static inline void suite_wires(suite_node *node, int nodes, const servet_network *n)
{
    int i, k;
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *p = &n->pair[i];
        const int host[] = { n->host[p->a], n->host[p->b] };
        const double bytes = 1e9 * n->stream_bytes, ns = (double)p->stream.median_ns;
        if (host[0] == host[1] || !(ns > 0)) continue;
        for (k = 0; k < 2; k++)
            if (host[k] >= 0 && host[k] < nodes && bytes / ns > node[host[k]].of[SUITE_WIRE].is)
                node[host[k]].of[SUITE_WIRE] = suite_of(bytes / ns, bytes / ns, bytes / (double)p->stream.lo_ns);
    }
}

/* Does a node differ from the others?  Its interval must be apart from those of all others, and from the median of the
 * others by more than a tenth, while most of these are within a tenth of it: of two nodes, or of several that all
 * differ, none is named.  The factor out is of this one over that median. */
enum { SUITE_LEAST = 3 };
static inline int suite_differs(double *factor, const suite_node *node, int nodes, int which, int q)
{
    const suite_value *v = &node[which].of[q];
    double *others = (double *)malloc((size_t)nodes * sizeof *others), median;
    int i, count = 0, alike = 0, apart = 1;
    *factor = 1;
    if (!others) return 0;
    for (i = 0; i < nodes; i++) {
        const suite_value *w = &node[i].of[q];
        if (i == which || !(w->is > 0)) continue;
        others[count++] = w->is;
        if (v->lo <= w->hi && w->lo <= v->hi) apart = 0;
    }
    qsort(others, (size_t)count, sizeof *others, suite_ascending);
    median = count ? others[count / 2] : 0;
    for (i = 0; i < count; i++) alike += others[i] < 1.1 * median && others[i] > median / 1.1;
    free(others);
    if (count + 1 < SUITE_LEAST || !(v->is > 0) || !apart || 2 * alike <= count) return 0;
    *factor = v->is / median;
    return *factor > 1.1 || *factor < 1 / 1.1;
}

static inline int suite_all_differ(const suite_node *node, int nodes, int q)
{
    double factor;
    int i, all = 0;
    for (i = 0; i < nodes; i++) all += suite_differs(&factor, node, nodes, i, q);
    return all;
}

/* Says which nodes differ, in what; returns how many do. */
static inline int suite_print_different(FILE *f, const suite_node *node, int nodes)
{
    double factor;
    int i, q, all = 0;
    for (i = 0; i < nodes; i++) {
        int some = 0;
        for (q = 0; q < SUITE_QUANTITIES; q++) {
            if (!suite_differs(&factor, node, nodes, i, q)) continue;
            if (!some++) fprintf(f, "%s differs:", node[i].name);
            fprintf(f, " %s %.4g, %.2f times what others have;", suite_word[q], node[i].of[q].is, factor);
        }
        if (some) fprintf(f, "\n");
        all += some > 0;
    }
    if (!all) fprintf(f, nodes < SUITE_LEAST ? "of fewer than three nodes none can be said to differ\n"
                                             : "no node differs from the others\n");
    return all;
}

/* The text of a profile, an object, with the nodes in it; to be freed. */
static inline char *suite_text(const servet_profile *p, const suite_node *node, int nodes)
{
    const size_t length = servet_profile_write(p, NULL, 0);
    const size_t cap = length + 64 + (size_t)nodes * (2 * SUITE_NAME + 64 + SUITE_QUANTITIES * 160);
    char *text = (char *)malloc(cap), *at;
    int i, q;
    if (!text) return NULL;
    servet_profile_write(p, text, length + 1);
    at = strrchr(text, '}');
    if (!at) {
        free(text);
        return NULL;
    }
    at += sprintf(at, ",\n\"nodes\":[");
    for (i = 0; i < nodes; i++) {
        const char *c;
        int some = 0;
        at += sprintf(at, "%s\n{\"name\":\"", i ? "," : "");
        for (c = node[i].name; *c; c++) if (*c != '"' && *c != '\\' && (unsigned char)*c >= ' ') *at++ = *c;
        at += sprintf(at, "\",\"ranks\":%d,\"cpus\":%d,\"values\":[", node[i].ranks, node[i].cpus);
        for (q = 0; q < SUITE_QUANTITIES; q++) {
            const suite_value *v = &node[i].of[q];
            if (!(v->is > 0)) continue;
            at += sprintf(at, "%s{\"what\":\"%s\",\"is\":%.6g,\"lo\":%.6g,\"hi\":%.6g}", some++ ? "," : "",
                          suite_word[q], v->is, v->lo, v->hi);
        }
        at += sprintf(at, "]}");
    }
    sprintf(at, "]\n}\n");
    return text;
}

#endif

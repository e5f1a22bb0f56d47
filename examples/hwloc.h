/* hwloc.h - what was measured as XML of hwloc 2, for all that is on hwloc: servet export --hwloc
 *
 * Caches with sizes as servet_ask says to count on, latencies between CPUs in ns, attributes of memory.  Who shares a
 * cache, and which CPUs are threads of a core, as measured, else as the system says: infos whose names begin with
 * servet tell which.  What is not known is left out, and an info of the machine says so.  hwloc takes it from a file
 * (HWLOC_XMLFILE, lstopo -i) or by hwloc_topology_set_xmlbuffer.
 *
 * Quantity    hwloc's tree of CPU sets: packages, groups, caches, cores; latencies, attributes of memory.
 * Model       two CPU sets of a tree are disjoint or nested.
 * Estimator   sizes by servet_ask.  Sets as measured if known for all CPUs, else as the system says.  Layers of sets,
 *             measured ones first, sorted by their largest set; a layer is kept if it nests with those before.
 * Fooled by   layers with sets of mixed sizes that do not nest: left out, with an info.
 * References  Broquedis et al., hwloc: A Generic Framework for Managing Hardware Affinities, PDP 2010; hwloc2.dtd. */
#ifndef SERVET_EXAMPLES_HWLOC_H
#define SERVET_EXAMPLES_HWLOC_H

#include "places.h"

#include <math.h>

enum { HWLOC_CPUS = 2048, HWLOC_NODES = 256, HWLOC_LAYERS = SERVET_LEVELS_MAX + 3 + SERVET_PAIRS_LAYERS };
enum {      /* order of equal sets from the outside in, as in hwloc */
    HWLOC_PACKAGE, HWLOC_GROUP, HWLOC_NODE, HWLOC_CACHE, HWLOC_CORE
};

typedef struct hwloc_opts {
    int places;                          /* 0 = of the system p->host is known, no more             */
    const system_cpu *place;
    int nodes;                           /* of memory;    0 = all memory is one                     */
    const servet_node *node;
} hwloc_opts;

typedef struct hwloc_layer {
    const char *type;                    /* in hwloc's words                                        */
    int kind, level;                     /* level: of a cache from 1, of a group from 0             */
    int source, most;                    /* source of the sets; CPUs in the largest one             */
    int16_t group[HWLOC_CPUS];           /* index of the first CPU in each CPU's set; -1 = in none  */
} hwloc_layer;

typedef struct hwloc_tree {
    char *buf;
    size_t cap, length;
    const servet_profile *p;
    servet_profile found;                /* p without what a start said of claims and of the last level     */
    hwloc_opts o;
    int missed;                          /* levels before the last one found: the system alone tells of them */
    int cpus, layers, objects, nodes;
    const servet_node *node;
    servet_node all;
    int node_object[HWLOC_NODES];        /* gp_index of a node's object, 0 = not written yet        */
    int cpu[HWLOC_CPUS];
    int at_node[HWLOC_CPUS];             /* index of its memory node; -1 = none                     */
    const system_cpu *place[HWLOC_CPUS]; /* what the system says of each CPU; NULL = nothing        */
    char done[HWLOC_CPUS];               /* its PU is written                                       */
    hwloc_layer layer[HWLOC_LAYERS + 1]; /* one more: the candidate                                 */
} hwloc_tree;

/* ---- text ------------------------------------------------------------------------------------ */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void hwloc_put(hwloc_tree *x, const char *format, ...)
{
    const size_t left = x->length < x->cap ? x->cap - x->length : 0;
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(left ? x->buf + x->length : NULL, left, format, args);
    va_end(args);
    if (n > 0) x->length += (size_t)n;
}

/* An info; XML's special characters, and all that is not ASCII, become blanks. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void hwloc_info(hwloc_tree *x, const char *name, const char *format, ...)
{
    char text[2 * SERVET_TEXT_MAX], *c;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (c = text; *c; c++) if (*c < ' ' || *c > '~' || strchr("&<>\"", *c)) *c = ' ';
    hwloc_put(x, "<info name=\"%s\" value=\"%s\"/>\n", name, text);
}

/* hwloc's form of sets: words of 32 bits, the highest first. */
static void hwloc_bits(hwloc_tree *x, const char *name, const servet_cpus *set)
{
    int word = 2 * SERVET_CPU_WORDS - 1;
    while (word > 0 && !(set->mask[word / 2] >> 32 * (word % 2) & 0xffffffffu)) word--;
    hwloc_put(x, " %s=\"", name);
    for (; word >= 0; word--)
        hwloc_put(x, "0x%08x%s", (unsigned)(set->mask[word / 2] >> 32 * (word % 2) & 0xffffffffu), word ? "," : "\"");
}

static int hwloc_has(const servet_cpus *set, int cpu) { return servet_cpus_next(set, cpu - 1) == cpu; }

/* Index of a CPU in a list; -1 = not in it. */
static int hwloc_index(const int *cpu, int cpus, int number)
{
    while (--cpus >= 0 && cpu[cpus] != number) { }
    return cpus;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static int hwloc_ask(servet_answer *a, const servet_profile *p, int level)
{
    servet_question q;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_BYTES;
    q.level = level;
    return servet_ask(a, p, &q);
}

/* Reliable size of a level; 0 = only a default is known. */
static double hwloc_bytes(servet_answer *a, const servet_profile *p, int level)
{
    return hwloc_ask(a, p, level) < 0 || a->source == SERVET_SOURCE_DEFAULT ? 0 : floor(a->value);
}

/* Do answers about a level go by one that was found?  Then they have its interval, and its size is inside. */
static int hwloc_goes_by(const hwloc_tree *x, int level, const servet_cache *c)
{
    servet_answer a;
    return hwloc_ask(&a, &x->found, level) >= 0 && a.lo == c->lo_bytes && a.hi == c->hi_bytes
        && c->lo_bytes <= c->bytes && c->bytes <= c->hi_bytes;
}

/* How many levels were missed before the last one found, which answers go by further out. */
static int hwloc_missed(const hwloc_tree *x)
{
    const int last = x->found.cache_count;
    int level = last;
    while (last > 0 && level <= SERVET_LEVELS_MAX && !hwloc_goes_by(x, level, &x->found.cache[last - 1])) level++;
    return level <= SERVET_LEVELS_MAX ? level - last : 0;
}

/* Where a level is among those found, from 1; 0 = it is one of those missed. */
static int hwloc_place(const hwloc_tree *x, int level)
{
    const int last = x->found.cache_count;
    return x->missed == 0 || level < last ? level : level - x->missed < last ? 0 : level - x->missed;
}

/* A level as it was found; NULL = it was not, or what is known of it makes no sense. */
static const servet_cache *hwloc_found(const hwloc_tree *x, int level)
{
    const int place = hwloc_place(x, level);
    const servet_cache *c = place >= 1 && place <= x->p->cache_count ? &x->p->cache[place - 1] : NULL;
    return c && hwloc_goes_by(x, level, c) ? c : NULL;
}

/* Who shares a level; NULL = not known. */
static const servet_sharing_level *hwloc_shared(const hwloc_tree *x, int level)
{
    const servet_sharing *s = x->p->sharing;
    const int place = hwloc_place(x, level);
    int i;
    for (i = 0; s && place > 0 && i < s->count; i++)
        if (s->level[i].level == place) return s->level[i].status == SERVET_OK ? &s->level[i] : NULL;
    return NULL;
}

/* ---- layers of sets -------------------------------------------------------------------------- */

/* A number that CPUs of one set of a layer have in common; -1 = unknown, or in none.  Without o->place, what the system
 * reports is clear only for caches of one CPU each, or of all. */
static int hwloc_key(const hwloc_tree *x, const hwloc_layer *l, int measured, int i)
{
    const servet_profile *p = x->p;
    const system_cpu *s = x->place[i];
    const servet_sharing_level *shared = l->kind == HWLOC_CACHE ? hwloc_shared(x, l->level) : NULL;
    const int core = p->cores ? hwloc_index(p->cores->cpu, p->cores->count, x->cpu[i]) : -1;
    int k;
    if (l->kind == HWLOC_PACKAGE) return s && !measured ? s->package : -1;
    if (l->kind == HWLOC_NODE) return measured ? -1 : x->at_node[i];
    if (l->kind == HWLOC_GROUP)
        return measured && core >= 0 && core < p->layers.cores ? p->layers.group[l->level][core] : -1;
    if (l->kind == HWLOC_CORE && measured)
        return core < 0 || p->cores_with_siblings < 0 ? -1 : p->smt[core] >= 0 ? p->smt[core] : SERVET_CORES_MAX + core;
    if (l->kind == HWLOC_CORE)
        return s && s->core >= 0 ? (s->package > 0 ? s->package : 0) * 65536 + s->core : -1;
    if (measured) {
        k = shared ? hwloc_index(p->sharing->cpu, p->sharing->cpus, x->cpu[i]) : -1;
        return k >= 0 ? shared->group[k] : x->cpus == 1 ? 0 : -1;
    }
    if (s && s->cache[l->level - 1] >= 0) return s->cache[l->level - 1];
    for (k = 0; k < p->host.report_count; k++) {
        const servet_report *r = &p->host.report[k];
        if (r->level == l->level && r->shared_cpus == 1) return i;
        if (r->level == l->level && r->shared_cpus >= x->cpus) return 0;
    }
    return -1;
}

/* Inserts the candidate in order; 0 = it does not nest with another.  A group with the sets of another is dropped. */
static int hwloc_insert(hwloc_tree *x)
{
    const hwloc_layer l = x->layer[x->layers];
    int at, i, k;
    for (at = x->layers; at > 0; at--) {
        const hwloc_layer *b = &x->layer[at - 1];
        if (b->most > l.most || (b->most == l.most && (b->kind < l.kind || (b->kind == l.kind && b->level > l.level))))
            break;
    }
    for (k = 0; k < x->layers; k++) {
        const hwloc_layer *other = &x->layer[k], *out = k < at ? other : &l, *in = k < at ? &l : other;
        if (l.kind == HWLOC_GROUP && !memcmp(l.group, other->group, (size_t)x->cpus * sizeof *l.group)) return 1;
        for (i = 0; i < x->cpus; i++) if (in->group[i] >= 0 && out->group[i] != out->group[in->group[i]]) return 0;
    }
    memmove(&x->layer[at + 1], &x->layer[at], (size_t)(x->layers++ - at) * sizeof l);
    x->layer[at] = l;
    return 1;
}

/* Adds a layer, if it is missing and the source knows its sets: groups and nodes may have some CPUs, the others have
 * all.  An info for caches whose sharers no source knows. */
static void hwloc_add(hwloc_tree *x, const char *type, int kind, int level, int measured)
{
    const int all = kind != HWLOC_GROUP && kind != HWLOC_NODE;
    hwloc_layer *l = &x->layer[x->layers];
    int i, k, in_none = 0, key[HWLOC_CPUS], count[HWLOC_CPUS];
    for (k = 0; k < x->layers; k++) if (x->layer[k].kind == kind && x->layer[k].level == level) return;
    l->type = type;
    l->kind = kind;
    l->level = level;
    l->source = measured ? SERVET_SOURCE_MEASURED : SERVET_SOURCE_OS;
    for (i = l->most = 0; i < x->cpus; i++) {
        key[i] = hwloc_key(x, l, measured, i);
        in_none += key[i] < 0;
        for (count[i] = k = 0; key[i] >= 0 && key[k] != key[i]; k++) { }
        l->group[i] = (int16_t)(key[i] < 0 ? -1 : k);
        if (key[i] >= 0 && ++count[k] > l->most) l->most = count[k];
    }
    if (l->most > 0 && !(all && in_none)) {
        if (!hwloc_insert(x)) hwloc_info(x, "servetUnknown", "%s: crosses others", type);
    } else if (kind == HWLOC_CACHE && !measured) {
        hwloc_info(x, "servetUnknown", "%s: who shares it", type);
    }
}

/* Layers by measurement, then those that only the system tells. */
static void hwloc_layers(hwloc_tree *x)
{
    static const char *const cache[SERVET_LEVELS_MAX] = { "L1Cache", "L2Cache", "L3Cache", "L4Cache", "L5Cache",
                                                          "L6Cache", "L7Cache", "L8Cache" };
    servet_answer a;
    int measured, i;
    for (measured = 1; measured >= 0; measured--) {
        for (i = SERVET_LEVELS_MAX; i > 0; i--)
            if (hwloc_bytes(&a, x->p, i) > 0) hwloc_add(x, cache[i - 1], HWLOC_CACHE, i, measured);
        hwloc_add(x, "Core", HWLOC_CORE, 0, measured);
        hwloc_add(x, "Package", HWLOC_PACKAGE, 0, measured);
        hwloc_add(x, "Group", HWLOC_NODE, 0, measured);
        for (i = 0; i < x->p->layers.count; i++) hwloc_add(x, "Group", HWLOC_GROUP, i, measured);
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Attributes of all objects.  node: index in x->node, or -1 = all nodes of these CPUs. */
static void hwloc_begin(hwloc_tree *x, const char *type, int number, const servet_cpus *set, int node)
{
    static const char *const name[] = { "cpuset", "complete_cpuset", "nodeset", "complete_nodeset" };
    servet_cpus nodes;
    int k;
    memset(&nodes, 0, sizeof nodes);
    for (k = 0; k < x->cpus && node < 0; k++)
        if (hwloc_has(set, x->cpu[k]) && x->at_node[k] >= 0) servet_cpus_add(&nodes, x->node[x->at_node[k]].id);
    for (k = 0; k < x->nodes; k++)
        if (k == node || (node < 0 && set == &x->all.cpus)) servet_cpus_add(&nodes, x->node[k].id);
    hwloc_put(x, "<object type=\"%s\" gp_index=\"%d\"", type, ++x->objects);
    if (number >= 0) hwloc_put(x, " os_index=\"%d\"", number);
    for (k = 0; k < 4; k++) hwloc_bits(x, name[k], k < 2 ? set : &nodes);
}

/* Nodes with exactly these CPUs; at the machine those without CPUs, but none of a single package.  NULL: all others. */
static void hwloc_memory(hwloc_tree *x, const servet_cpus *set)
{
    const int whole = set == &x->all.cpus;
    const int packed = x->layers && x->layer[0].kind == HWLOC_PACKAGE && x->layer[0].most == x->cpus;
    int k;
    for (k = 0; k < x->nodes; k++) {
        const servet_node *n = &x->node[k];
        if (x->node_object[k] || (set && (memcmp(n->cpus.mask, set->mask, sizeof set->mask)
                                          ? !whole || n->cpus.count > 0 : whole && packed))) continue;
        hwloc_begin(x, "NUMANode", n->id, &n->cpus, k);
        x->node_object[k] = x->objects;
        if (n->bytes > 0) hwloc_put(x, " local_memory=\"%.0f\"", n->bytes);
        hwloc_put(x, "/>\n");
    }
}

/* Attributes of a cache, then infos on their sources.  Reported ways are used only if the reported size is right. */
static void hwloc_cache(hwloc_tree *x, const hwloc_layer *l)
{
    const servet_profile *p = x->p;
    const servet_cache *c = hwloc_found(x, l->level);
    const servet_report *claimed = NULL;
    servet_answer a;
    const double bytes = hwloc_bytes(&a, p, l->level);
    int i, line = p->line.line_bytes, ways = c ? c->ways : 0;
    for (i = 0; i < p->host.report_count && !claimed; i++)
        if (p->host.report[i].level == l->level && p->host.report[i].bytes > 0) claimed = &p->host.report[i];
    if (claimed && line == 0) line = claimed->line_bytes;
    if (claimed && ways == 0 && a.claim != SERVET_CLAIM_REFUTED) ways = claimed->ways;
    hwloc_put(x, " cache_size=\"%.0f\" depth=\"%d\" cache_type=\"%d\"", bytes, l->level, l->level == 1);
    if (line) hwloc_put(x, " cache_linesize=\"%d\"", line);
    if (ways) hwloc_put(x, " cache_associativity=\"%d\"", ways);
    hwloc_put(x, ">\n");
    hwloc_info(x, "servetSize", "%s", servet_text(SERVET_TEXT_SOURCE, a.source));
    if (c) hwloc_info(x, "servetMeasured", "%.0f [%.0f, %.0f], %s", c->bytes, c->lo_bytes, c->hi_bytes,
                      servet_text(SERVET_TEXT_METHOD, c->method));
    if (c && c->latency_ns > 0) hwloc_info(x, "servetLatencyPicoseconds", "%.0f", 1e3 * c->latency_ns);
    if (claimed) hwloc_info(x, "servetSystem", "%.0f by %s, %s", claimed->bytes,
                             servet_text(SERVET_TEXT_REPORT, claimed->source), a.claim == SERVET_CLAIM_CONFIRMED
                             ? "confirmed" : a.claim == SERVET_CLAIM_REFUTED ? "refuted" : "untested");
}

static void hwloc_open(hwloc_tree *x, const hwloc_layer *l, int i)
{
    const system_cpu *s = x->place[i];
    servet_cpus set;
    int k;
    memset(&set, 0, sizeof set);
    for (k = 0; k < x->cpus; k++) if (l->group[k] == l->group[i]) servet_cpus_add(&set, x->cpu[k]);
    hwloc_begin(x, l->type, !s ? -1 : l->kind == HWLOC_CORE ? s->core : l->kind == HWLOC_PACKAGE ? s->package : -1,
                &set, -1);
    if (l->kind == HWLOC_CACHE) hwloc_cache(x, l);
    else hwloc_put(x, ">\n");
    hwloc_info(x, "servetCPUs", "%s", servet_text(SERVET_TEXT_SOURCE, l->source));
    if (l->kind == HWLOC_GROUP)
        hwloc_info(x, "servetLatencyPicoseconds", "%.0f", 1e3 * x->p->layers.layer[l->level].latency_ns);
    hwloc_memory(x, &set);
}

/* Objects inside a set of a layer (-1 = the machine), by their first CPUs.  A node already written needs no group. */
static void hwloc_inside(hwloc_tree *x, int outer, int group)
{
    servet_cpus one;
    int i, l;
    for (i = 0; i < x->cpus; i++) {
        if (x->done[i] || (outer >= 0 && x->layer[outer].group[i] != group)) continue;
        for (l = outer + 1; l < x->layers && (x->layer[l].group[i] < 0 || (x->layer[l].kind == HWLOC_NODE
                                              && x->node_object[x->at_node[i]])); l++) { }
        if (l < x->layers) {
            hwloc_open(x, &x->layer[l], i);
            hwloc_inside(x, l, x->layer[l].group[i]);
            hwloc_put(x, "</object>\n");
            continue;
        }
        memset(&one, 0, sizeof one);
        servet_cpus_add(&one, x->cpu[i]);
        hwloc_begin(x, "PU", x->cpu[i], &one, -1);
        hwloc_put(x, "/>\n");
        x->done[i] = 1;
    }
}

/* ---- distances and attributes of memory ------------------------------------------------------ */

/* Latencies of the CPUs whose pairs are all sound.  Kind 6: latency, from a user.  The length of a row precedes it. */
static void hwloc_distances(hwloc_tree *x)
{
    const servet_cores *c = x->p->cores;
    char row[12 * SERVET_CORES_MAX];
    int at[SERVET_CORES_MAX], i, k, n = 0;
    for (i = 0; c && i < c->count; i++) {
        for (k = 0; k < n && c->state[SERVET_PAIRS_AT(at[k], i)] == SERVET_CORES_SOUND; k++) { }
        if (k == n) at[n++] = i;
    }
    if (n < 2) return;
    hwloc_put(x, "<distances2 type=\"PU\" nbobjs=\"%d\" kind=\"6\" name=\"ServetLatencyNanoseconds\" "
              "indexing=\"os\">\n", n);
    for (i = -1; i < n; i++) {
        const char *element = i < 0 ? "indexes" : "u64values";
        int length = 0;
        for (k = 0; k < n; k++)
            length += snprintf(row + length, sizeof row - (size_t)length, "%d ", i < 0 ? c->cpu[at[k]] : i == k ? 0
                               : (int)fmin((double)c->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(at[i], at[k])] + 0.5,
                                           1e9));
        hwloc_put(x, "<%s length=\"%d\">%s</%s>\n", element, length, row, element);
    }
    hwloc_put(x, "</distances2>\n");
}

/* From the CPUs of a node to memory of another: ns, or bytes per s of a kernel by all of them; 0 = unknown. */
static double hwloc_reach(const hwloc_tree *x, int kernel, int from, int to)
{
    const servet_profile *p = x->p;
    const servet_node_rate *r = NULL;
    double most = 0;
    int i;
    for (i = p->node_count - 1; i >= 0; i--) if (p->node[i].cpu_node == from && p->node[i].node == to) r = &p->node[i];
    if (kernel < 0) return r ? r->latency_ns : x->nodes == 1 ? p->memory_ns : 0;
    if (r || x->nodes > 1) return r && kernel == SERVET_STREAM_LOAD ? r->all_load_bytes_per_s : 0;
    for (i = 0; i < p->bandwidth.count; i++)
        if (p->bandwidth.rate[i].level == 0 && p->bandwidth.rate[i].kernel == kernel)
            most = fmax(most, p->bandwidth.rate[i].bytes_per_s);
    return most;
}

/* Units and flags of hwloc: MiB per s, higher is better; ns, lower is better; from a set of CPUs. */
static void hwloc_attributes(hwloc_tree *x)
{
    static const struct { const char *name; int flags, kernel; } it[] = {
        { "Bandwidth", 5, SERVET_STREAM_COPY }, { "Latency", 6, -1 }, { "ReadBandwidth", 5, SERVET_STREAM_LOAD },
        { "WriteBandwidth", 5, SERVET_STREAM_STORE }, { "ReadLatency", 6, -1 } };
    int a, i, some;
    for (a = 0; a < 5; a++) {
        for (i = some = 0; i < x->nodes * x->nodes; i++) {
            const servet_node *from = &x->node[i / x->nodes], *to = &x->node[i % x->nodes];
            const double reach = hwloc_reach(x, it[a].kernel, from->id, to->id);
            if (!(reach > 0) || !x->node_object[i % x->nodes] || from->cpus.count == 0) continue;
            if (!some++) hwloc_put(x, "<memattr name=\"%s\" flags=\"%d\">\n", it[a].name, it[a].flags);
            hwloc_put(x, "<memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"%d\" value=\"%.0f\"",
                      x->node_object[i % x->nodes], it[a].kernel < 0 ? reach : reach / 1048576);
            hwloc_bits(x, "initiator_cpuset", &from->cpus);
            hwloc_put(x, "/>\n");
        }
        if (some) hwloc_put(x, "</memattr>\n");
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* CPUs that the system or the profile knows, in ascending order; nodes. */
static int hwloc_cpus(hwloc_tree *x)
{
    const servet_profile *p = x->p;
    const hwloc_opts *o = &x->o;
    servet_cpus *set = &x->all.cpus;
    int i, k, cpu = -1;
    servet_cpus_parse(set, p->host.cpus);    /* none where it makes no sense */
    for (i = 0; i < o->places; i++) if (servet_cpus_add(set, o->place[i].cpu) < 0) return SERVET_EINVAL;
    for (i = 0; p->cores && i < p->cores->count; i++) servet_cpus_add(set, p->cores->cpu[i]);
    for (i = 0; p->sharing && i < p->sharing->cpus; i++) servet_cpus_add(set, p->sharing->cpu[i]);
    if (set->count == 0) return SERVET_EUNRESOLVED;
    if (set->count > HWLOC_CPUS || o->nodes > HWLOC_NODES) return SERVET_EUNSUPPORTED;
    x->all.bytes = p->host.memory_bytes;
    x->node = o->nodes ? o->node : &x->all;
    x->nodes = o->nodes ? o->nodes : 1;
    while ((cpu = servet_cpus_next(set, cpu)) >= 0) {
        i = x->cpus++;
        x->cpu[i] = cpu;
        for (k = 0; k < x->nodes && !hwloc_has(&x->node[k].cpus, cpu); k++) { }
        x->at_node[i] = k < x->nodes ? k : -1;
        for (k = 0; k < o->places; k++) if (o->place[k].cpu == cpu) x->place[i] = &o->place[k];
    }
    return SERVET_OK;
}

static void hwloc_whole(hwloc_tree *x)
{
    const servet_profile *p = x->p;
    hwloc_put(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
              "<topology version=\"2.0\">\n");
    hwloc_begin(x, "Machine", -1, &x->all.cpus, -1);
    hwloc_put(x, ">\n");
    hwloc_info(x, "Backend", "servet " SERVET_VERSION);
    hwloc_info(x, "servetMade", "%s", p->made.when);
    hwloc_info(x, "OSName", "%s", p->host.os);
    hwloc_info(x, "OSRelease", "%s", p->host.kernel);
    hwloc_info(x, "Architecture", "%s", p->host.arch);
    hwloc_info(x, "CPUModel", "%s", p->host.cpu_model);
    hwloc_layers(x);
    if (!p->cores && x->cpus > 1) hwloc_info(x, "servetUnknown", "latencies between CPUs");
    if (!(p->memory_ns > 0) && p->node_count == 0) hwloc_info(x, "servetUnknown", "latency of memory");
    hwloc_memory(x, &x->all.cpus);
    hwloc_inside(x, -1, 0);
    hwloc_memory(x, NULL);
    hwloc_put(x, "</object>\n");
    hwloc_distances(x);
    hwloc_attributes(x);
    hwloc_put(x, "</topology>\n");
}

/* Returns the length without the final zero, and writes as much as fits: call with cap 0 to ask.  SERVET_EINVAL,
 * _EUNRESOLVED where no CPU is known, _EUNSUPPORTED for more than HWLOC_CPUS or HWLOC_NODES, _ENOMEM: buf as it was. */
static int hwloc_xml(const servet_profile *p, char *buf, size_t cap, const hwloc_opts *opts)
{
    hwloc_tree *x;
    int status;
    if (!p || (opts && (opts->places < 0 || opts->nodes < 0 || (opts->places && !opts->place)
                        || (opts->nodes && !opts->node)))) return SERVET_EINVAL;
    x = (hwloc_tree *)calloc(1, sizeof *x);
    if (!x) return SERVET_ENOMEM;
    x->p = p;
    x->found = *p;
    x->found.claims = 0;
    x->found.now_bytes = 0;
    if (opts) x->o = *opts;
    x->buf = buf;
    x->cap = buf ? cap : 0;
    x->missed = hwloc_missed(x);
    status = hwloc_cpus(x);
    if (status >= 0) {
        hwloc_whole(x);
        status = (int)x->length;
    }
    free(x);
    return status;
}

#endif /* SERVET_EXAMPLES_HWLOC_H */

/* merge.h - several profiles of one machine or network, of other days or allocations, into one
 *
 * Part of servet.c.  Servet 3.0, section 5, measured on five days and gave the means.  Of each quantity that all
 * profiles have there is the mean and the standard deviation between them; of sizes and ways, which are one thing or
 * another, the median.  In the merged profile each interval holds those of all days.  Who shares what, latencies of
 * pairs of CPUs and the layers of ranks are those of the first.  Evidence of levels and ranks is left out: inferred
 * again it would give that day's answers. */
#ifndef SERVET_MERGE_H
#define SERVET_MERGE_H

/* Values: two of each distance and number of processes of a network, and some hundred more. */
enum { MERGE_MOST = 64, MERGE_VALUES = 2 * (SERVET_NETWORK_SHIFTS + SERVET_NETWORK_SHARES) + 512 };

typedef struct merge_value {
    char    name[64];
    int     median;
    double *is, *lo, *hi;       /* in the profile; lo and hi may be NULL */
} merge_value;

typedef struct merge_list { int count; merge_value v[MERGE_VALUES]; } merge_list;

#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
static void merge_add(merge_list *l, int median, double *is, double *lo, double *hi, const char *format, ...)
{
    merge_value *v = &l->v[l->count];
    va_list at;
    if (l->count == MERGE_VALUES || !(*is > 0) || *is >= HUGE_VAL) return;
    va_start(at, format);
    vsnprintf(v->name, sizeof v->name, format, at);
    va_end(at);
    v->median = median;
    v->is = is;
    v->lo = lo;
    v->hi = hi;
    l->count++;
}

static void merge_network(merge_list *l, servet_network *n)
{
    int i;
    for (i = 0; i <= n->layer_count; i++) {
        servet_network_layer *y = &n->layer[i];
        if (y->pairs < 1) continue;
        merge_add(l, 0, &y->small_ns, &y->small_lo_ns, &y->small_hi_ns, "network layer %d of %d, few bytes, ns", i + 1,
                  n->layer_count + 1);
        merge_add(l, 0, &y->trip_ns, &y->trip_lo_ns, &y->trip_hi_ns, "network layer %d of %d, many bytes, ns", i + 1,
                  n->layer_count + 1);
        merge_add(l, 0, &y->bytes_per_s, &y->lo_bytes_per_s, &y->hi_bytes_per_s, "network layer %d of %d, bytes/s",
                  i + 1, n->layer_count + 1);
    }
    for (i = 0; i < n->dist_count; i++) {
        servet_network_ratio *r = &n->dist[i];
        merge_add(l, 0, &r->ratio, &r->lo_ratio, &r->hi_ratio, "ratDist[%d]", r->which);
        merge_add(l, 0, &r->bytes_per_s, &r->lo_bytes_per_s, &r->hi_bytes_per_s, "bytes/s at distance %d", r->which);
    }
    for (i = 0; i < n->access_count; i++) {
        servet_network_ratio *r = &n->access[i];
        merge_add(l, 0, &r->ratio, &r->lo_ratio, &r->hi_ratio, "ratNC[%d]", r->which);
        merge_add(l, 0, &r->bytes_per_s, &r->lo_bytes_per_s, &r->hi_bytes_per_s, "bytes/s of each of %d processes",
                  r->which);
    }
}

/* The first is the first; where another number of levels was found the second need not be the same. */
static words merge_level(const servet_profile *p, int level)
{
    words w;
    if (level > 1) snprintf(w.text, sizeof w.text, "L%d of %d", level, p->cache_count);
    else snprintf(w.text, sizeof w.text, "%s", level ? "L1" : "memory");
    return w;
}

/* All that is averaged, by names that say what it is of: places in a list may differ from day to day. */
static void merge_list_of(merge_list *l, servet_profile *p)
{
    int i;
    l->count = 0;
    for (i = 0; i < p->cache_count; i++) {
        servet_cache *c = &p->cache[i];
        merge_add(l, 1, &c->bytes, &c->lo_bytes, &c->hi_bytes, "%.40s, bytes", merge_level(p, i + 1).text);
        merge_add(l, 0, &c->latency_ns, &c->lo_ns, &c->hi_ns, "%.40s, ns", merge_level(p, i + 1).text);
    }
    merge_add(l, 0, &p->memory_ns, &p->memory_lo_ns, &p->memory_hi_ns, "memory, ns");
    for (i = 0; i < p->layers.count; i++)
        merge_add(l, 0, &p->layers.layer[i].latency_ns, NULL, NULL, "between CPUs, layer %d of %d, ns", i + 1,
                  p->layers.count + 1);
    merge_add(l, 0, &p->layers.outermost_ns, NULL, NULL, "between CPUs, outermost, ns");
    for (i = 0; i < p->bandwidth.count; i++) {
        servet_rate *r = &p->bandwidth.rate[i];
        if (r->level < 0) continue;
        merge_add(l, 0, &r->bytes_per_s, &r->lo_bytes_per_s, &r->hi_bytes_per_s, "%s%s, %d CPUs, %.20s, bytes/s",
                  servet_text(SERVET_TEXT_KERNEL, r->kernel), r->streaming ? " past caches" : "", r->cpus,
                  merge_level(p, r->level).text);
    }
    if (p->network) merge_network(l, p->network);
}

static const merge_value *merge_find(const merge_list *l, const char *name)
{
    int i;
    for (i = 0; i < l->count; i++) if (!strcmp(l->v[i].name, name)) return &l->v[i];
    return NULL;
}

static int merge_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One quantity of all profiles into the first's, and a line of it; 0 where one of them lacks it. */
static int merge_one(const merge_value *into, const merge_list *of, int count)
{
    double x[MERGE_MOST], mean = 0, squares = 0, lo = 0, hi = 0;
    int i;
    for (i = 0; i < count; i++) {
        const merge_value *v = i ? merge_find(&of[i], into->name) : into;
        if (!v) return 0;
        x[i] = *v->is;
        mean += x[i] / count;
        if (v->lo && (i == 0 || *v->lo < lo)) lo = *v->lo;
        if (v->hi && (i == 0 || *v->hi > hi)) hi = *v->hi;
    }
    for (i = 0; i < count; i++) squares += (x[i] - mean) * (x[i] - mean);
    qsort(x, (size_t)count, sizeof *x, merge_ascending);
    *into->is = into->median ? x[(count - 1) / 2] : mean;
    if (into->lo) *into->lo = lo < x[0] ? lo : x[0];
    if (into->hi) *into->hi = hi > x[count - 1] ? hi : x[count - 1];
    fprintf(stderr, "%-44s %12.6g %12.4g %12.6g %12.6g\n", into->name, *into->is, sqrt(squares / (count - 1)), x[0],
            x[count - 1]);
    return 1;
}

/* May they be merged?  One machine, or networks of as many hosts; hosts of other names are another allocation. */
static int merge_alike(const servet_profile *a, const servet_profile *b, const char *name)
{
    int i;
    if (strcmp(a->key, b->key))
        return fail("merge: %s: of another machine, or of other CPUs of it: \"%s\", where the first is \"%s\"", name,
                    b->key, a->key);
    if (!a->network != !b->network) return fail("merge: %s: %s a network, unlike the first", name,
                                                b->network ? "with" : "without");
    if (!a->network) return 0;
    if (a->network->hosts != b->network->hosts || a->network->ranks != b->network->ranks)
        return fail("merge: %s: a network of %d ranks on %d hosts, where the first has %d on %d", name,
                    b->network->ranks, b->network->hosts, a->network->ranks, a->network->hosts);
    for (i = 0; i < a->network->hosts; i++)
        if (strcmp(servet_network_name(a->network, i), servet_network_name(b->network, i))) {
            fprintf(stderr, "servet: %s: another allocation of the cluster: host %d is %s, not %s\n", name, i,
                    servet_network_name(b->network, i), servet_network_name(a->network, i));
            break;
        }
    return 0;
}

static int merge_write(servet_profile *p, const char *file)
{
    servet_evidence *evidence = p->evidence;
    size_t length;
    char *text;
    int code;
    p->evidence = NULL;
    if (p->network) p->network->pair_count = 0;
    length = servet_profile_write(p, NULL, 0);
    text = (char *)malloc(length + 1);
    if (text) servet_profile_write(p, text, length + 1);
    p->evidence = evidence;
    code = text ? write_whole(file, text) : fail("out of memory");
    free(text);
    return code;
}

static int merge_all(servet_profile *p, merge_list *of, const char *const *name, int count, const char *file)
{
    int i, left = 0, code = 0;
    for (i = 0; i < count && !code; i++) {
        code = get_profile(&p[i], name[i]);
        if (!code && i > 0) code = merge_alike(&p[0], &p[i], name[i]);
        if (!code) merge_list_of(&of[i], &p[i]);
    }
    if (code) return code;
    if (of[0].count == 0) return fail("merge: %s: nothing in it that has a mean", name[0]);
    fprintf(stderr, "%-44s %12s %12s %12s %12s\n", "", "mean", "deviation", "least", "most");
    for (i = 0; i < of[0].count; i++) left += !merge_one(&of[0].v[i], of, count);
    if (left) fprintf(stderr, "servet: %d quantities are not in all: as they are in the first\n", left);
    return merge_write(&p[0], file);
}

/* servet merge A B ... [-o FILE] */
static int merge(int argc, char **argv)
{
    const char *name[MERGE_MOST], *file = "-";
    servet_profile *p;
    merge_list *of;
    int i, count = 0, inputs = 0, code;
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "-o")) {
            if (++i == argc || !*argv[i]) return fail("merge: -o needs a file");
            file = argv[i];
        } else if (argv[i][0] == '-' && argv[i][1]) {
            return unknown_argument("merge", argv[i]);
        } else if (!strcmp(argv[i], "-") && inputs++) {
            return fail("merge: only one profile can be standard input");
        } else if (count == MERGE_MOST) {
            return fail("merge: more than %d profiles", MERGE_MOST);
        } else {
            name[count++] = argv[i];
        }
    }
    if (count < 2) return fail("merge needs two profiles or more");
    if (strcmp(file, "-") && !can_be_written(file)) return 2;    /* its line is not to come behind the table */
    p = (servet_profile *)calloc((size_t)count, sizeof *p);
    of = (merge_list *)calloc((size_t)count, sizeof *of);
    code = p && of ? merge_all(p, of, name, count, file) : fail("out of memory");
    for (i = 0; p && i < count; i++) servet_profile_free(&p[i]);
    free(p);
    free(of);
    return code;
}

#endif

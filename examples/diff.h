/* diff.h - what changed between two profiles, in sentences
 *
 * Part of servet.c.  A change counts where two intervals have nothing in common: each holds its quantity in 95 of 100
 * runs, so that of what did not change one in some hundreds of comparisons counts by chance.  Where the intervals
 * overlap and one does not hold the other's value it does not count, nor where there is no interval: a time or rate
 * whose interval has no width, or that is of fewer than FEW samples, is that of a moment, or of a clock's step.  Fooled
 * by neighbours, who come and go between two runs: an interval is of the run it was taken in. */
#ifndef SERVET_DIFF_H
#define SERVET_DIFF_H

typedef struct diff_value { double is, lo, hi; } diff_value;    /* is 0 = not known */

enum { DIFF_BYTES, DIFF_NS, DIFF_RATE, DIFF_COUNT, DIFF_RATIO };

static struct { double least_frac; int all, compared, bare, one, both; } diff_now;

static words diff_text(int unit, double x)
{
    words w;
    if (unit == DIFF_BYTES) return size_text(x);
    if (unit == DIFF_COUNT) snprintf(w.text, sizeof w.text, "%.0f", x);
    else snprintf(w.text, sizeof w.text, "%.40s%s", digits(unit == DIFF_RATE ? x * 1e-9 : x).text,
                  unit == DIFF_RATE ? " GB/s" : unit == DIFF_NS ? " ns" : "");
    return w;
}

static diff_value diff_value_of(double is, double lo, double hi)
{
    diff_value v;
    v.is = is > 0 && is < 1e18 ? is : 0;
    v.lo = lo > 0 && lo < is ? lo : is;
    v.hi = hi > is ? hi : is;
    return v;
}

/* Of fewer than FEW samples there is no interval. */
static diff_value diff_sampled(double is, double lo, double hi, int samples)
{
    return samples < FEW ? diff_value_of(is, is, is) : diff_value_of(is, lo, hi);
}

static words diff_interval(int unit, const diff_value *v)
{
    words w, lo, hi;
    const double by = unit == DIFF_RATE ? 1e-9 : 1;
    if (unit == DIFF_BYTES) return interval_text(v->lo, v->hi);
    lo = unit == DIFF_COUNT ? diff_text(unit, v->lo) : digits(v->lo * by);
    hi = unit == DIFF_COUNT ? diff_text(unit, v->hi) : digits(v->hi * by);
    snprintf(w.text, sizeof w.text, "[%.40s, %.40s]", lo.text, hi.text);
    return w;
}

static void diff_say(const char *what, int unit, const diff_value *a, const diff_value *b, int both)
{
    say("%s %s", what, diff_text(unit, a->is).text);
    say(" -> %s: beyond %s", diff_text(unit, b->is).text, both ? "both intervals" : "one interval of two");
    SENTENCE(4, ", %s and %s", diff_interval(unit, a).text, diff_interval(unit, b).text);
}

/* What is counted may be exact; times and rates never are. */
static int diff_is_bare(int unit, const diff_value *v)
{
    return unit != DIFF_BYTES && unit != DIFF_COUNT && !(v->lo < v->hi);
}

/* Is all of one interval above the other, in the digits that are shown? */
static int diff_is_above(int unit, const diff_value *v, const diff_value *w)
{
    return v->lo > w->hi && strcmp(diff_text(unit, v->lo).text, diff_text(unit, w->hi).text);
}

/* One quantity of A and B.  What is the same in the digits that are shown did not change. */
static void diff_two(const char *what, int unit, diff_value a, diff_value b)
{
    if (!(a.is > 0) && !(b.is > 0)) return;
    if (!(a.is > 0) || !(b.is > 0)) {
        SENTENCE(4, "%s %s: in %s alone", what, diff_text(unit, a.is > 0 ? a.is : b.is).text, a.is > 0 ? "A" : "B");
        return;
    }
    diff_now.compared++;
    if (fabs(b.is - a.is) <= diff_now.least_frac * a.is) return;
    if (!strcmp(diff_text(unit, a.is).text, diff_text(unit, b.is).text)) return;
    if (diff_is_bare(unit, &a) || diff_is_bare(unit, &b)) {
        diff_now.bare++;
        if (diff_now.all)
            SENTENCE(4, "%s %s -> %s: without an interval", what, diff_text(unit, a.is).text,
                     diff_text(unit, b.is).text);
    } else if (diff_is_above(unit, &b, &a) || diff_is_above(unit, &a, &b)) {
        diff_now.both++;
        diff_say(what, unit, &a, &b, 1);
    } else if (b.is < a.lo || b.is > a.hi || a.is < b.lo || a.is > b.hi) {
        diff_now.one++;
        if (diff_now.all) diff_say(what, unit, &a, &b, 0);
    }
}

/* A section that one of them has not. */
static int diff_has(const char *what, int a, int b)
{
    if (!a == !b) return a && b;
    SENTENCE(4, "%s: in %s alone", what, a ? "A" : "B");
    return 0;
}

static void diff_words(const char *what, const char *a, const char *b)
{
    if (strcmp(a, b)) SENTENCE(4, "%s: %s -> %s", what, a[0] ? a : "none", b[0] ? b : "none");
}

#define DIFF_OF(p, x, lo_x, hi_x) diff_value_of((p)->x, (p)->lo_x, (p)->hi_x)

static void diff_machine(const servet_profile *a, const servet_profile *b)
{
    diff_words("CPU", a->host.cpu_model, b->host.cpu_model);
    diff_words("CPUs usable", a->host.cpus, b->host.cpus);
    diff_words("hypervisor", a->host.hypervisor, b->host.hypervisor);
    diff_words("kernel", a->host.kernel, b->host.kernel);
    diff_two("core clock in GHz:", DIFF_RATIO, DIFF_OF(&a->frequency, ghz, lo_ghz, hi_ghz),
             DIFF_OF(&b->frequency, ghz, lo_ghz, hi_ghz));
}

static void diff_caches(const servet_profile *a, const servet_profile *b)
{
    static servet_cache none;    /* never written to */
    char what[64];
    int i;
    if (!diff_has("caches", a->cache_count, b->cache_count)) return;
    for (i = 0; i < a->cache_count || i < b->cache_count; i++) {
        const servet_cache *x = i < a->cache_count ? &a->cache[i] : &none;
        const servet_cache *y = i < b->cache_count ? &b->cache[i] : &none;
        snprintf(what, sizeof what, "L%d", i + 1);
        diff_two(what, DIFF_BYTES, DIFF_OF(x, bytes, lo_bytes, hi_bytes), DIFF_OF(y, bytes, lo_bytes, hi_bytes));
        snprintf(what, sizeof what, "L%d latency", i + 1);
        if (x->bytes > 0 && y->bytes > 0)
            diff_two(what, DIFF_NS, DIFF_OF(x, latency_ns, lo_ns, hi_ns), DIFF_OF(y, latency_ns, lo_ns, hi_ns));
    }
    diff_two("memory latency", DIFF_NS, diff_value_of(a->memory_ns, a->memory_lo_ns, a->memory_hi_ns),
             diff_value_of(b->memory_ns, b->memory_lo_ns, b->memory_hi_ns));
    if (a->line.line_bytes && b->line.line_bytes)
        diff_two("line", DIFF_BYTES, diff_value_of(a->line.line_bytes, a->line.lo_bytes, a->line.hi_bytes),
                 diff_value_of(b->line.line_bytes, b->line.lo_bytes, b->line.hi_bytes));
}

static void diff_tlb(const char *pages, const servet_tlb *a, const servet_tlb *b)
{
    char what[96];
    int i;
    for (i = 0; i < a->count && i < b->count; i++) {
        const servet_tlb_level *x = &a->level[i], *y = &b->level[i];
        snprintf(what, sizeof what, "TLB %d of %.40s pages: entries", i + 1, pages);
        diff_two(what, DIFF_COUNT, DIFF_OF(x, entries, lo_entries, hi_entries),
                 DIFF_OF(y, entries, lo_entries, hi_entries));
        snprintf(what, sizeof what, "TLB %d of %.40s pages: a miss", i + 1, pages);
        diff_two(what, DIFF_NS, DIFF_OF(x, penalty_ns, lo_ns, hi_ns), DIFF_OF(y, penalty_ns, lo_ns, hi_ns));
    }
    if (i < a->count || i < b->count) {
        snprintf(what, sizeof what, "TLB %d of %.40s pages", i + 1, pages);
        diff_has(what, i < a->count, i < b->count);
    }
}

/* The same kernel over the same level by as many CPUs. */
static void diff_rates(const servet_profile *a, const servet_profile *b)
{
    char what[96];
    int i, k;
    if (!diff_has("bandwidth", a->bandwidth.count, b->bandwidth.count)) return;
    for (i = 0; i < a->bandwidth.count; i++) {
        const servet_rate *x = &a->bandwidth.rate[i], *y = NULL;
        for (k = 0; k < b->bandwidth.count && !y; k++) {
            y = &b->bandwidth.rate[k];
            if (y->level != x->level || y->kernel != x->kernel || y->streaming != x->streaming || y->cpus != x->cpus)
                y = NULL;
        }
        if (x->level < 0 || !y) continue;
        snprintf(what, sizeof what, "%.8s %s%s by %d CPU%s", level_text(x->level).text,
                 x->streaming ? "non-temporal " : "", servet_text(SERVET_TEXT_KERNEL, x->kernel), x->cpus,
                 x->cpus == 1 ? "" : "s");
        diff_two(what, DIFF_RATE, diff_sampled(x->bytes_per_s, x->lo_bytes_per_s, x->hi_bytes_per_s, x->samples),
                 diff_sampled(y->bytes_per_s, y->lo_bytes_per_s, y->hi_bytes_per_s, y->samples));
    }
    for (i = 0; i < a->chains_count; i++)
        for (k = 0; k < b->chains_count; k++) {
            const servet_chains *x = &a->chains[i], *y = &b->chains[k];
            if (x->level < 0 || x->level != y->level || x->cpus != y->cpus || x->mlp.open || y->mlp.open) continue;
            snprintf(what, sizeof what, "%.8s loads under way by %d CPU%s:", level_text(x->level).text, x->cpus,
                     x->cpus == 1 ? "" : "s");
            diff_two(what, DIFF_RATIO, DIFF_OF(x, mlp.mlp, mlp.lo_mlp, mlp.hi_mlp),
                     DIFF_OF(y, mlp.mlp, mlp.lo_mlp, mlp.hi_mlp));
        }
}

/* The most CPUs that one cache has, and with those of which nothing is known. */
static diff_value diff_sharers(const servet_sharing *x, int level)
{
    static int size[SERVET_CORES_MAX];
    int i, k, most = 0;
    for (i = 0; x && i < x->count; i++) {
        if (x->level[i].level != level || x->level[i].status != SERVET_OK) continue;
        memset(size, 0, sizeof size);
        for (k = 0; k < x->cpus; k++)
            if (x->level[i].group[k] >= 0 && ++size[x->level[i].group[k]] > most) most = size[x->level[i].group[k]];
        return diff_value_of(most, most, most + x->level[i].unknown);
    }
    return diff_value_of(0, 0, 0);
}

static diff_value diff_pair(const servet_cores *c, int kind)
{
    const double ns = c->state[0] == SERVET_CORES_SOUND ? (double)c->ns[kind][0] : 0;
    const double half = c->doubt_permille[kind][0] * 1e-3;
    return diff_value_of(ns, ns * (1 - half), ns * (1 + half));
}

static void diff_cores(const servet_profile *a, const servet_profile *b)
{
    const servet_layers *x = &a->layers, *y = &b->layers;
    char what[96];
    int i;
    if (diff_has("distances between CPUs", a->cores != NULL, b->cores != NULL)) {
        if (a->cores->count == 2 && b->cores->count == 2)
            diff_two("a line from CPU to CPU", DIFF_NS, diff_pair(a->cores, SERVET_HANDOFF_FLAGS),
                     diff_pair(b->cores, SERVET_HANDOFF_FLAGS));
        if (x->count != y->count)
            SENTENCE(4, "layers of CPUs %d -> %d", x->count, y->count);
        for (i = 0; i < x->count && x->count == y->count; i++) {
            snprintf(what, sizeof what, "layer %d of CPUs:", i + 1);
            diff_two(what, DIFF_NS, DIFF_OF(&x->layer[i], latency_ns, lo_ns, hi_ns),
                     DIFF_OF(&y->layer[i], latency_ns, lo_ns, hi_ns));
        }
        if (x->cores > 2 && y->cores > 2)
            diff_two("between the farthest CPUs", DIFF_NS, DIFF_OF(x, outermost_ns, lo_ns, hi_ns),
                     DIFF_OF(y, outermost_ns, lo_ns, hi_ns));
    }
    for (i = 1; a->sharing && b->sharing && i <= SERVET_LEVELS_MAX; i++) {
        const diff_value m = diff_sharers(a->sharing, i), n = diff_sharers(b->sharing, i);
        snprintf(what, sizeof what, "CPUs that share an L%d", i);
        if (m.is > 0 && n.is > 0) diff_two(what, DIFF_COUNT, m, n);
    }
    if (diff_has("who slows whom at memory", a->contention != NULL, b->contention != NULL))
        diff_two("memory: copies by one CPU", DIFF_RATE,
                 DIFF_OF(a->contention, reference_bytes_per_s, lo_reference_bytes_per_s, hi_reference_bytes_per_s),
                 DIFF_OF(b->contention, reference_bytes_per_s, lo_reference_bytes_per_s, hi_reference_bytes_per_s));
}

static void diff_coherence(const servet_coherence *a, const servet_coherence *b)
{
    char what[96];
    int k;
    if (!diff_has("coherence", a != NULL, b != NULL)) return;
    if (a->blocks && b->blocks && a->block[0].bytes > 0 && b->block[0].bytes > 0)
        diff_two("coherence block", DIFF_BYTES, DIFF_OF(&a->block[0], bytes, lo_bytes, hi_bytes),
                 DIFF_OF(&b->block[0], bytes, lo_bytes, hi_bytes));
    for (k = 0; k < SERVET_COST_OPERATIONS && a->costs.count && b->costs.count; k++) {
        const servet_cost_point *x = &a->costs.point[k][a->costs.count - 1];
        const servet_cost_point *y = &b->costs.point[k][b->costs.count - 1];
        snprintf(what, sizeof what, "%s by %d CPUs:", servet_text(SERVET_TEXT_OPERATION, k), x->cpus);
        if (x->cpus == y->cpus && x->ns > 0 && y->ns > 0)
            diff_two(what, DIFF_NS, diff_sampled(x->ns, x->lo_ns, x->hi_ns, x->samples),
                     diff_sampled(y->ns, y->lo_ns, y->hi_ns, y->samples));
    }
}

static diff_value diff_stays(const servet_profile *p)
{
    servet_question q;
    servet_answer answer;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_RESIDENT;
    q.seconds = 1e-3;
    if (!p->survival_count || servet_ask(&answer, p, &q) < 0) return diff_value_of(0, 0, 0);
    return diff_value_of(answer.value, answer.lo, answer.hi);
}

static void diff_ratios(const char *name, const servet_network_ratio *a, int count_a, const servet_network_ratio *b,
                        int count_b)
{
    char what[96];
    int i, k;
    for (i = k = 0; i < count_a; i++) {
        while (k < count_b && b[k].which < a[i].which) k++;
        if (k == count_b || b[k].which != a[i].which) continue;
        snprintf(what, sizeof what, "%s[%d]", name, a[i].which);
        diff_two(what, DIFF_RATIO, DIFF_OF(&a[i], ratio, lo_ratio, hi_ratio),
                 DIFF_OF(&b[k], ratio, lo_ratio, hi_ratio));
    }
}

static void diff_network(const servet_network *a, const servet_network *b)
{
    char what[96];
    int i;
    if (!diff_has("between ranks", a != NULL, b != NULL)) return;
    if (a->ranks != b->ranks) SENTENCE(4, "ranks %d -> %d", a->ranks, b->ranks);
    if (a->layer_count != b->layer_count) SENTENCE(4, "layers of ranks %d -> %d", a->layer_count, b->layer_count);
    for (i = 0; a->layer_count == b->layer_count && i <= a->layer_count; i++) {
        const servet_network_layer *x = &a->layer[i], *y = &b->layer[i];
        snprintf(what, sizeof what, "ranks, %.20s: small messages", reach_text(a, i).text);
        diff_two(what, DIFF_NS, DIFF_OF(x, small_ns, small_lo_ns, small_hi_ns),
                 DIFF_OF(y, small_ns, small_lo_ns, small_hi_ns));
        snprintf(what, sizeof what, "ranks, %.20s: large messages", reach_text(a, i).text);
        diff_two(what, DIFF_RATE, DIFF_OF(x, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s),
                 DIFF_OF(y, bytes_per_s, lo_bytes_per_s, hi_bytes_per_s));
    }
    diff_ratios("ratDist", a->dist, a->dist_count, b->dist, b->dist_count);
    diff_ratios("ratNC", a->access, a->access_count, b->access, b->access_count);
}

/* Exit code: 1 where a change is beyond both intervals. */
static int diff_profiles(const servet_profile *a, const servet_profile *b, double least_frac, int all)
{
    memset(&diff_now, 0, sizeof diff_now);
    diff_now.all = all;
    diff_now.least_frac = least_frac;
    diff_machine(a, b);
    diff_caches(a, b);
    diff_tlb(size_text(a->host.page_bytes).text, &a->tlb.small, &b->tlb.small);
    diff_tlb(size_text(a->host.huge_page_bytes).text, &a->tlb.large, &b->tlb.large);
    diff_rates(a, b);
    diff_cores(a, b);
    diff_coherence(a->coherence, b->coherence);
    if (diff_has("survival in the last level", a->survival_count, b->survival_count))
        diff_two("stays for 1 ms:", DIFF_BYTES, diff_stays(a), diff_stays(b));
    diff_network(a->network, b->network);
    if (!diff_now.compared) printf("nothing was measured in both\n");
    else SENTENCE(4, "%d quantities compared: %d beyond both intervals, %d beyond one, %d differ without an interval",
                  diff_now.compared, diff_now.both, diff_now.one, diff_now.bare);
    return diff_now.both > 0;
}

#endif /* SERVET_DIFF_H */

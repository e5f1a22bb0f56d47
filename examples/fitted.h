/* fitted.h - what the levels of a profile foretell of its latency curve: the model of servet_fit_levels, drawn
 *
 *     latency(n) = base + sum over levels of rise_i M_i(n),   rise_i >= 0,
 *
 * M_i the share of accesses that miss level i in a cyclic walk over n pages (>>levels of servet.h says how that comes
 * about).  Sizes are the profile's, and so are ways, policy and placement where it has them; of what was counted it has
 * no policy, and there the form counts that leaves least of the curve, as do base and rises.  Included by report.h. */
#ifndef SERVET_FITTED_H
#define SERVET_FITTED_H

enum { FITTED_CLASS = 224, FITTED_MOST = SERVET_LEVELS_MAX + 1 };

typedef struct fitted_level {
    double bytes;
    int    ways, policy, placement;
    double drift;               /* what hits of the level behind grow an octave, as a share of the rise */
    double rise;                /* ns                                                                */
} fitted_level;

typedef struct fitted {
    int    levels;
    double page_bytes, base;
    fitted_level level[SERVET_LEVELS_MAX];
    double typical_frac, most_frac, worst_frac; /* how far points are from it: half, nine of ten, all */
} fitted;

/* Share that a class of k ways misses of a cyclic walk over m lines of it. */
static double fitted_class(double m, double k, int policy)
{
    const double adaptive = 1 - (k - 1) / m;
    double x;
    int i;
    if (m <= k) return 0;
    switch (policy) {
    case SERVET_POLICY_NRU:
        x = floor((k - 1) / (ceil(m) - k + 1));
        return k <= 1 ? 1 : 1 - x / (k - 1);
    case SERVET_POLICY_RANDOM:
        if (k <= 1) return 1;
        for (i = 0, x = fmin(1, 2 * (m / k - 1) + 1e-3); i < 20; i++) {
            const double e = exp(-m / k * x);
            x -= (x - 1 + e) / (1 - m / k * e);
        }
        return fmin(fmax(x, 0), 1);
    case SERVET_POLICY_ADAPTIVE: return adaptive;
    case SERVET_POLICY_DUELING: return (1 + 31 * adaptive) / 32;
    case SERVET_POLICY_QLRU: return fmax(1 - exp(-4.2 * (m - k) / k), 1 - 5 / m);    /* not settled yet */
    default: return 1;
    }
}

/* Of m pages a class: some have the next whole number, the others that below. */
static double fitted_even(const double *f, double m)
{
    const double below = floor(m), part = m - below;
    if (m >= FITTED_CLASS - 1) return f[FITTED_CLASS - 1];
    return ((1 - part) * below * (below < 1 ? 0 : f[(int)below - 1]) + part * (below + 1) * f[(int)below])
           / fmax(m, 1e-300);
}

/* Each page in a class by chance p: the others of a page's class are binomial, summed outward from the mode. */
static double fitted_scattered(const double *f, double n, double p)
{
    const double others = n - 1, mode = fmin(floor(n * p), floor(others));
    const int last = FITTED_CLASS - 1;
    double mass = 0, miss = 0, part, j;
    int up;
    if (!(others > 0)) return f[0];
    if (p >= 1) return f[(int)fmin(n, last + 1) - 1];
    if (mode - 6 * sqrt(mode + 1) > last) return f[last];
    for (up = 1; up >= 0; up--)
        for (j = mode, part = 1; part > 1e-7; j += up ? 1 : -1) {
            if (up || j < mode) {
                miss += part * f[(int)fmin(j, last)];
                mass += part;
            }
            if (up ? j + 1 > others : j < 1) break;
            part *= up ? (others - j) / (j + 1) * p / (1 - p) : j / (others - j + 1) * (1 - p) / p;
        }
    return miss / mass;
}

/* Classes of one level, by ways and policy. */
typedef struct fitted_classes { double f[FITTED_CLASS]; } fitted_classes;

static void fitted_classes_of(fitted_classes *c, const fitted_level *l)
{
    int m;
    for (m = 0; m < FITTED_CLASS; m++) c->f[m] = fitted_class(m + 1, l->ways, l->policy);
}

/* What a level adds to a walk over so many bytes, for a rise of 1. */
static double fitted_adds(const fitted_classes *c, const fitted_level *l, double bytes, double page_bytes)
{
    const double n = bytes / page_bytes, each = l->ways * page_bytes / l->bytes;
    const double miss = l->placement == SERVET_PLACEMENT_EVEN ? fitted_even(c->f, n * each)
                      : fitted_scattered(c->f, n, each);
    return miss * (1 + l->drift * fmax(0, log2(bytes / l->bytes)));
}

static double fitted_ns(const fitted *t, const fitted_classes *c, double bytes)
{
    double ns = t->base;
    int i;
    for (i = 0; i < t->levels; i++) ns += t->level[i].rise * fitted_adds(&c[i], &t->level[i], bytes, t->page_bytes);
    return ns;
}

/* Points of a curve, each by its error, and what each level adds there: the first column is the base's. */
typedef struct fitted_points {
    int    n, columns;
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX], weight[SERVET_POINTS_MAX];
    double adds[FITTED_MOST][SERVET_POINTS_MAX];
} fitted_points;

/* Heights by least squares, none below 0: the lowest is left out until all are above.  Returns what is left. */
static double fitted_solve(double *height, const fitted_points *q)
{
    double a[FITTED_MOST][FITTED_MOST + 1], left = 0;
    int out[FITTED_MOST], i, j, k, lowest;
    memset(out, 0, sizeof out);
    do {
        for (j = 0; j < q->columns; j++)
            for (k = 0; k <= q->columns; k++)
                for (a[j][k] = 0, i = 0; i < q->n; i++)
                    a[j][k] += q->weight[i] * q->adds[j][i] * (k < q->columns ? q->adds[k][i] : q->ns[i]);
        for (j = 0; j < q->columns; j++) {
            out[j] |= !(a[j][j] > 1e-12);
            for (k = 0; k < q->columns && out[j]; k++) a[j][k] = a[k][j] = 0;
            if (out[j]) a[j][q->columns] = 0;
            a[j][j] = out[j] ? 1 : a[j][j] * (1 + 1e-9);
        }
        for (j = 0; j < q->columns; j++)    /* it is symmetric and positive: no pivot is needed */
            for (k = j + 1; k < q->columns; k++) {
                const double by = a[k][j] / a[j][j];
                for (i = j; i <= q->columns; i++) a[k][i] -= by * a[j][i];
            }
        for (j = q->columns - 1, lowest = -1; j >= 0; j--) {
            for (height[j] = a[j][q->columns], k = j + 1; k < q->columns; k++) height[j] -= a[j][k] * height[k];
            height[j] /= a[j][j];
        }
        for (j = 0; j < q->columns; j++)
            if (height[j] < 0 && (lowest < 0 || height[j] < height[lowest])) lowest = j;
        if (lowest >= 0) out[lowest] = 1;
    } while (lowest >= 0);
    for (i = 0; i < q->n; i++) {
        double off = q->ns[i];
        for (j = 0; j < q->columns; j++) off -= height[j] * q->adds[j][i];
        left += q->weight[i] * off * off;
    }
    return left;
}

/* One level tried in all forms that the profile leaves open, the commonest first; another must be better by 2 %.  Of a
 * level that is held a pass of a chase, which lasts long, keeps a part alone, down to a twelfth: others evict the rest
 * meanwhile. */
static void fitted_try(fitted *t, fitted_points *q, int which, const servet_cache *c)
{
    static const int ways[] = { 8, 16, 12, 4, 10, 20, 6, 32 };
    static const int policy[] = { SERVET_POLICY_LRU, SERVET_POLICY_RANDOM, SERVET_POLICY_NRU, SERVET_POLICY_ADAPTIVE,
                                  SERVET_POLICY_QLRU, SERVET_POLICY_DUELING };
    const int placed = c->placement ? c->placement : which ? 0 : (int)SERVET_PLACEMENT_EVEN;
    double height[FITTED_MOST], best = HUGE_VAL, left, add[SERVET_POINTS_MAX];
    fitted_level l = t->level[which], found = l;
    fitted_classes classes;
    const int held = c->method == SERVET_BY_HELD, parts = held ? 8 : 2;
    int w, k, place, part, d, i;
    for (part = 0; part < parts; part++)
        for (w = 0; w < (c->ways > 0 ? 1 : (int)(sizeof ways / sizeof *ways)); w++)
            for (k = 0; k < (c->policy ? 1 : (int)(sizeof policy / sizeof *policy)); k++) {
                l.bytes = held ? c->bytes * exp2(-part / 2.0) : part ? c->usual_bytes : c->bytes;
                l.ways = c->ways > 0 ? c->ways : ways[w];
                l.policy = c->policy ? c->policy : policy[k];
                if (part && !(l.bytes > 0 && l.bytes < c->bytes)) continue;
                if (which && l.bytes < 1.25 * t->level[which - 1].bytes) continue;
                fitted_classes_of(&classes, &l);
                for (place = SERVET_PLACEMENT_EVEN; place <= SERVET_PLACEMENT_RANDOM; place++) {
                    if (placed ? place != placed : place == SERVET_PLACEMENT_RANDOM
                        && l.ways * t->page_bytes > l.bytes) continue;
                    l.placement = place;
                    for (d = 0; d < 3; d++) {
                        l.drift = 0.04 * d;
                        for (i = 0; i < q->n; i++)
                            q->adds[which + 1][i] = fitted_adds(&classes, &l, q->bytes[i], t->page_bytes);
                        left = fitted_solve(height, q);
                        if (!(left < 0.98 * best)) continue;
                        best = left;
                        found = l;
                        memcpy(add, q->adds[which + 1], sizeof add);
                    }
                }
            }
    if (best < HUGE_VAL) memcpy(q->adds[which + 1], add, sizeof add);
    t->level[which] = found;
}

static int fitted_larger(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The model of a profile's levels on a curve; 0 where there is none. */
static int fitted_of(fitted *t, fitted_classes *c, const servet_profile *p, const servet_curve *curve)
{
    static fitted_points q;
    double height[FITTED_MOST], off[SERVET_POINTS_MAX];
    int i, round;
    memset(t, 0, sizeof *t);
    memset(&q, 0, sizeof q);
    t->page_bytes = p->host.page_bytes >= 256 && p->host.page_bytes <= 1048576 ? p->host.page_bytes : 4096;
    for (i = 0; i < p->cache_count && i < SERVET_LEVELS_MAX; i++) {
        const servet_cache *x = &p->cache[i];
        if (!(x->bytes >= t->page_bytes) || !(x->bytes < 1e15) || x->ways > FITTED_CLASS / 2) return 0;
        t->level[t->levels++].bytes = x->bytes;
    }
    for (i = 0; i < curve->count && i < SERVET_POINTS_MAX; i++) {
        const servet_point *x = &curve->point[i];
        const double half = x->samples == 1 ? 0.1 : (x->hi_ns - x->lo_ns) / 2 / x->ns;
        if (!(x->bytes >= 1) || !(x->bytes < 1e18) || !(x->ns > 0) || !(x->ns < 1e9)) continue;
        q.bytes[q.n] = x->bytes;
        q.ns[q.n] = x->ns;
        q.weight[q.n] = pow(x->ns * fmin(fmax(half, 0.03), 1), -2);
        q.adds[0][q.n++] = 1;
    }
    if (t->levels < 1 || q.n < t->levels + 3) return 0;
    for (i = 0; i < t->levels; i++)    /* steps, to begin with */
        for (round = 0; round < q.n; round++) q.adds[i + 1][round] = q.bytes[round] > t->level[i].bytes;
    q.columns = t->levels + 1;
    for (round = 0; round < 2; round++) for (i = 0; i < t->levels; i++) fitted_try(t, &q, i, &p->cache[i]);
    fitted_solve(height, &q);
    t->base = height[0];
    for (i = 0; i < t->levels; i++) {
        t->level[i].rise = height[i + 1];
        fitted_classes_of(&c[i], &t->level[i]);
    }
    for (i = 0; i < q.n; i++) {
        const double ns = fitted_ns(t, c, q.bytes[i]);
        if (!(ns > 0) || !(ns < 1e30)) return 0;
        off[i] = fabs(q.ns[i] / ns - 1);
    }
    qsort(off, (size_t)q.n, sizeof *off, fitted_larger);
    t->typical_frac = off[q.n / 2];
    t->most_frac = off[q.n * 9 / 10];
    t->worst_frac = off[q.n - 1];
    return 1;
}

#endif /* SERVET_FITTED_H */

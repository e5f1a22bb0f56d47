/* paper_servet.h - Servet of 2010, and of 3.0: their figures and tables as printed */
#if !defined(PAPER_SERVET_H)
#define PAPER_SERVET_H

/* ---- the traversal: Figures 1 and 2 ---------------------------------------------------------- */

typedef struct paper_traversal {
    double lo_bytes, hi_bytes, bytes[PAPER_SIZES], cycles[PAPER_SIZES], seconds;
    int    n, status;
} paper_traversal;

static int paper_traverse_work(servet_team *team, void *arg)
{
    paper_traversal *t = (paper_traversal *)arg;
    (void)team;
    t->n = servet_mcalibrator(t->bytes, t->cycles, PAPER_SIZES, t->lo_bytes, t->hi_bytes);
    return t->n < 0 ? t->n : SERVET_OK;
}

static double paper_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Figure 1 on the first CPU, once, to twice the last level; NULL where it cannot be done. */
static const paper_traversal *paper_traverse(paper_call *p)
{
    static paper_traversal t;
    const double mib = 1048576, began = paper_seconds();
    if (t.n > 0) return &t;
    t.lo_bytes = 4096;
    t.hi_bytes = fmax(16 * mib, ceil(2 * paper_last_bytes(p) / mib) * mib);
    if (p->quick) t.hi_bytes = fmin(t.hi_bytes, 16 * mib);
    t.hi_bytes = fmin(t.hi_bytes, 480 * mib);    /* PAPER_SIZES of them */
    t.status = paper_pinned(p, paper_traverse_work, &t);
    t.seconds = paper_seconds() - began;
    if (t.status >= 0) return &t;
    paper_failed(p, t.status);
    return NULL;
}

/* Ours beside it: latency of a chase that prefetchers do not follow, from the profile's curve, where it has that size
 * within a sixteenth. */
static double paper_curve_cycles(paper_call *p, double bytes)
{
    const servet_profile *had = paper_profile(p);
    const servet_curve *c = had && had->evidence ? &had->evidence->curve : NULL;
    int i, near = -1;
    for (i = 0; c && i < c->count; i++)
        if (near < 0 || fabs(log(c->point[i].bytes / bytes)) < fabs(log(c->point[near].bytes / bytes))) near = i;
    if (near < 0 || fabs(log(c->point[near].bytes / bytes)) > log(17.0 / 16)) return PAPER_UNKNOWN;
    return had->frequency.ghz > 0 ? c->point[near].ns * had->frequency.ghz : PAPER_UNKNOWN;
}

static int paper_fig2a(paper_call *p)
{
    const paper_traversal *x = paper_traverse(p);
    paper_table *t = &paper_sheet;
    int i;
    if (!x) return 1;
    paper_begin(t, "Cycles needed to traverse an array in strides of 1 KiB, per access", "bytes");
    paper_column(t, "as published");
    paper_column(t, "chase (ours)");
    t->sizes = t->figure = 1;
    t->scales = PAPER_LOG_X | PAPER_LOG_Y;
    snprintf(t->unit, sizeof t->unit, "cycles");
    for (i = 0; i < x->n; i++) {
        const int r = paper_row(t, x->bytes[i]);
        t->value[r][1] = x->cycles[i];
        t->value[r][2] = paper_curve_cycles(p, x->bytes[i]);
    }
    return paper_end(p, t);
}

static int paper_fig2b(paper_call *p)
{
    const paper_traversal *x = paper_traverse(p);
    paper_table *t = &paper_sheet;
    double gradient[PAPER_SIZES];
    int i;
    if (!x) return 1;
    paper_begin(t, "Gradient of the rise of cycles, C[k+1] / C[k]", "bytes");
    paper_column(t, "gradient");
    t->sizes = t->figure = 1;
    t->scales = PAPER_LOG_X;
    snprintf(t->unit, sizeof t->unit, "ratio");
    paper_gradients(gradient, x->cycles, x->n);
    for (i = 0; i + 1 < x->n; i++) t->value[paper_row(t, x->bytes[i])][1] = gradient[i];
    return paper_end(p, t);
}

/* ---- Figures 3 and 4 ------------------------------------------------------------------------- */

static int paper_fig4(paper_call *p)
{
    static const char *const how[] = { "position of its peak", "probabilities around its peak",
                                       "probabilities of the largest sizes" };
    const paper_traversal *x = paper_traverse(p);
    const servet_profile *had = paper_profile(p);
    paper_table *t = &paper_sheet;
    paper_level level[PAPER_LEVELS];
    int levels, i, code;
    if (!x) return 1;
    levels = paper_levels(level, PAPER_LEVELS, x->bytes, x->cycles, x->n, paper_page(), 0.05);
    paper_begin(t, "Cache levels and sizes, KiB", "level");
    paper_column(t, "as published");
    paper_column(t, "range from");
    paper_column(t, "range to");
    paper_column(t, "ours");
    paper_column(t, "from");
    paper_column(t, "to");
    for (i = 0; i < levels || (had && i < had->cache_count); i++) {
        const int r = paper_named(t, "L%d", i + 1);
        if (i < levels) {
            t->value[r][1] = level[i].bytes / 1024;
            t->value[r][2] = level[i].lo_bytes / 1024;
            t->value[r][3] = level[i].hi_bytes / 1024;
        }
        if (had && i < had->cache_count) {
            t->value[r][4] = had->cache[i].bytes / 1024;
            t->value[r][5] = had->cache[i].lo_bytes / 1024;
            t->value[r][6] = had->cache[i].hi_bytes / 1024;
        }
    }
    if (t->rows == 0) return paper_lack(p, "neither way found a level");
    code = paper_end(p, t);
    for (i = 0; i < levels; i++)
        paper_say(p, "as published, L%d: %s, by %s", i + 1, size_text(level[i].bytes).text, how[level[i].how]);
    if (levels == 0) paper_say(p, "as published: no gradient rises by a quarter in all: prefetchers follow the stride");
    return code;
}

/* ---- shared caches: Figures 5 and 8 ---------------------------------------------------------- */

enum { PAPER_CPUS = 64 };     /* of pairs: all of 64 are 2016 */

/* Figure 5 for one level: ratio of each pair, a < b, by the traversal of 2/3 of the size. */
typedef struct paper_pairs {
    double bytes, alone_ns, ratio[PAPER_CPUS * PAPER_CPUS];
    int    cpus, done;
} paper_pairs;

static int paper_shared(paper_call *p, paper_pairs *x, double bytes)
{
    servet_chase_opts chase;
    servet_sample s[2];
    size_t n[2];
    int a, b, pair[2], status;
    memset(x, 0, sizeof *x);
    memset(&chase, 0, sizeof chase);
    chase.pattern = SERVET_CHASE_STRIDE;
    chase.line_bytes = 1024;
    x->bytes = bytes;
    x->cpus = p->cpus < PAPER_CPUS ? p->cpus : (int)PAPER_CPUS;
    n[0] = n[1] = (size_t)(bytes * 2 / 3 / 1024);
    status = n[0] < 2 ? (int)SERVET_EINVAL : paper_rig(p, fmax(16777216, 3 * bytes));
    if (status < 0) return status;
    status = p->m.together(p->m.ctx, p->cpu, 1, n, &chase, s);
    x->alone_ns = s[0].ns;
    for (a = 0; a < x->cpus && status >= 0; a++)
        for (b = a + 1; b < x->cpus && status >= 0 && paper_going(a, x->cpus); b++) {
            pair[0] = p->cpu[a];
            pair[1] = p->cpu[b];
            status = p->m.together(p->m.ctx, pair, 2, n, &chase, s);
            if (status >= 0) x->ratio[a * x->cpus + b] = (s[0].ns + s[1].ns) / 2 / x->alone_ns;
        }
    x->done = status >= 0 && !interrupted;
    return status;
}

/* Of each level the pairs, measured once; NULL where the level is not to be tested. */
static const paper_pairs *paper_shared_of(paper_call *p, int level)
{
    static paper_pairs x[PAPER_LEVELS];
    if (level < 1 || level > PAPER_LEVELS || !(paper_level_bytes(p, level) > 0)) return NULL;
    if (!x[level - 1].done) {
        const int status = paper_shared(p, &x[level - 1], paper_level_bytes(p, level));
        if (status < 0) {
            paper_failed(p, status);
            return NULL;
        }
    }
    return &x[level - 1];
}

static int paper_fig5(paper_call *p)
{
    const servet_profile *ours = paper_part(p, SERVET_PART_CORES);
    paper_table *t = &paper_sheet;
    const int levels = ours ? ours->cache_count : 0;
    int i, a, b, r, code, column[PAPER_LEVELS][2], pairs = 0;
    paper_begin(t, "Pairs that share a cache: c / ref over 2/3 of each level above 2", "CPUs");
    for (i = 0; i < levels && i < PAPER_LEVELS; i++) {
        column[i][0] = paper_column(t, "L%d ratio", i + 1);
        column[i][1] = paper_column(t, "ours: share");
    }
    for (a = 0; a < p->cpus && a < PAPER_CPUS; a++)
        for (b = a + 1; b < p->cpus && b < PAPER_CPUS && t->rows < PAPER_ROWS - 1; b++) {
            r = paper_named(t, "%d-%d", p->cpu[a], p->cpu[b]);
            for (i = 0; i < levels && i < PAPER_LEVELS; i++) {
                const paper_pairs *x = paper_shared_of(p, i + 1);
                if (!x) continue;
                t->value[r][column[i][0]] = x->ratio[a * x->cpus + b];
                t->value[r][column[i][1]] = paper_ours_share(ours, i + 1, p->cpu[a], p->cpu[b]);
            }
        }
    if (levels == 0) return paper_lack(p, "no cache level is known");
    code = paper_end(p, t);
    for (i = 0; i < levels && i < PAPER_LEVELS; i++) {
        const paper_pairs *x = paper_shared_of(p, i + 1);
        for (pairs = a = 0; x && a < x->cpus; a++)
            for (b = a + 1; b < x->cpus; b++) pairs += x->ratio[a * x->cpus + b] > 2;
        if (x) paper_say(p, "as published: %d pair%s share%s L%d (%s, of which two thirds each)", pairs,
                         pairs == 1 ? "" : "s", pairs == 1 ? "s" : "", i + 1, size_text(x->bytes).text);
    }
    return code;
}

/* Figure 8: the ratios of the pairs that contain the first CPU. */
static int paper_fig8(paper_call *p)
{
    const servet_profile *had = paper_profile(p);
    const int levels = had ? had->cache_count : 0;
    paper_table *t = &paper_sheet;
    int i, b;
    paper_begin(t, "Ratio of cache access overhead, pairs with the first CPU", "CPU");
    for (i = 0; i < levels && i < PAPER_LEVELS; i++) paper_column(t, "L%d", i + 1);
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "ratio");
    for (b = 1; b < p->cpus && b < PAPER_CPUS; b++) {
        const int r = paper_named(t, "%d", p->cpu[b]);
        for (i = 0; i < levels && i < PAPER_LEVELS; i++) {
            const paper_pairs *x = paper_shared_of(p, i + 1);
            if (x) t->value[r][i + 1] = x->ratio[b];
        }
    }
    if (levels == 0) return paper_lack(p, "no cache level is known");
    return paper_end(p, t);
}

/* ---- memory: Figures 6 and 9 ----------------------------------------------------------------- */

/* Bandwidth of one of so many CPUs that copy at once, arrays not in cache, as STREAM has it: the best of ten, the first
 * left out.  0 with a status where it cannot be had. */
static double paper_copy_rate(paper_call *p, const int *cpu, int cpus, int *status)
{
    enum { TIMES = 10 };
    servet_stream copy;
    servet_streams what;
    servet_stream_sample s[TIMES];
    double best = 0;
    int i;
    memset(&copy, 0, sizeof copy);
    memset(&what, 0, sizeof what);
    copy.kernel = SERVET_STREAM_COPY;
    what.stream = &copy;
    what.streams = 1;
    what.rounds = TIMES;
    what.cpu = cpu;
    what.cpus = cpus;
    what.bytes = paper_memory_bytes(p, p->cpus);
    *status = paper_rig(p, what.bytes * p->cpus);
    if (*status >= 0) *status = p->m.bandwidth(p->m.ctx, &what, s);
    for (i = 1; *status >= 0 && i < TIMES; i++) best = fmax(best, s[i].bytes_per_s / cpus);
    return best;
}

/* Figure 6, literally: any less than the reference is an overhead. */
typedef struct paper_overheads {
    double reference, both[PAPER_CPUS * PAPER_CPUS], rate[PAPER_CLASSES];
    int    level[PAPER_CPUS * PAPER_CPUS], levels, cpus, done;
} paper_overheads;

static const paper_overheads *paper_collide(paper_call *p)
{
    static paper_overheads x;
    int a, b, pair[2], status = 0;
    if (x.done) return &x;
    x.cpus = p->cpus < PAPER_CPUS ? p->cpus : (int)PAPER_CPUS;
    x.reference = paper_copy_rate(p, p->cpu, 1, &status);
    for (a = 0; a < x.cpus && status >= 0; a++)
        for (b = a + 1; b < x.cpus && status >= 0 && paper_going(a, x.cpus); b++) {
            pair[0] = p->cpu[a];
            pair[1] = p->cpu[b];
            x.both[a * x.cpus + b] = paper_copy_rate(p, pair, 2, &status);
        }
    if (status < 0 || interrupted) {
        paper_failed(p, status);
        return NULL;
    }
    x.levels = servet_pairs_overheads(x.rate, PAPER_CLASSES, x.level, x.both, x.cpus, x.reference, 0, 0);
    if (x.levels < 0) {
        paper_failed(p, x.levels);
        return NULL;
    }
    x.done = 1;
    return &x;
}

/* What ours have for a pair, of one CPU while both copy; PAPER_UNKNOWN where nothing. */
static double paper_ours_both(const servet_profile *of, int a, int b)
{
    const servet_contention *c = of ? of->contention : NULL;
    int i, at[2] = { -1, -1 };
    for (i = 0; c && i < c->cpus; i++) {
        if (c->cpu[i] == a) at[0] = i;
        if (c->cpu[i] == b) at[1] = i;
    }
    if (at[0] < 0 || at[1] < 0) return PAPER_UNKNOWN;
    i = SERVET_PAIRS_AT(at[0], at[1]);
    return (double)c->pair_bytes_per_s[i] > 0 ? (double)c->pair_bytes_per_s[i] : PAPER_UNKNOWN;
}

static int paper_fig6(paper_call *p)
{
    const paper_overheads *x = paper_collide(p);
    const servet_profile *ours = x ? paper_part(p, SERVET_PART_CORES) : NULL;
    paper_table *t = &paper_sheet;
    int a, b, i, g, groups, group[PAPER_CPUS], code;
    if (!x) return 1;
    paper_begin(t, "Memory access overhead: GB/s of one CPU while both copy, and which BW[i] that is", "CPUs");
    paper_column(t, "as published");
    paper_column(t, "i");
    paper_column(t, "ours");
    for (a = 0; a < x->cpus; a++)
        for (b = a + 1; b < x->cpus && t->rows < PAPER_ROWS - 1; b++) {
            const int r = paper_named(t, "%d-%d", p->cpu[a], p->cpu[b]);
            const double pair = paper_ours_both(ours, p->cpu[a], p->cpu[b]);
            t->value[r][1] = x->both[a * x->cpus + b] * 1e-9;
            if (x->level[a * x->cpus + b] >= 0) t->value[r][2] = x->level[a * x->cpus + b];
            if (paper_known(pair)) t->value[r][3] = pair * 1e-9;
        }
    code = paper_end(p, t);
    paper_say(p, "reference: one CPU alone copies %s GB/s; %d level%s of overhead", rate_text(x->reference).text,
              x->levels, x->levels == 1 ? "" : "s");
    for (i = 0; i < x->levels && !p->mute; i++) {
        groups = servet_pairs_groups(group, x->level, x->cpus, i);
        printf("BW[%d] = %s GB/s, groups:", i, rate_text(x->rate[i]).text);
        for (g = 0; g < groups; g++) {
            printf(" {");
            for (a = b = 0; a < x->cpus; a++) if (group[a] == g) printf("%s%d", b++ ? "," : "", p->cpu[a]);
            printf("}");
        }
        printf("\n");
    }
    if (ours && ours->contention)
        paper_say(p, "ours: reference %s GB/s; %d level%s beyond noise",
                  rate_text(ours->contention->reference_bytes_per_s).text, ours->contention->levels,
                  ours->contention->levels == 1 ? "" : "s");
    return code;
}

static int paper_fig9a(paper_call *p)
{
    const paper_overheads *x = paper_collide(p);
    const servet_profile *ours = x ? paper_part(p, SERVET_PART_CORES) : NULL;
    paper_table *t = &paper_sheet;
    int b, r;
    if (!x) return 1;
    paper_begin(t, "Memory access performance with two simultaneous accesses, pairs with the first CPU, GB/s of one",
                "CPU");
    paper_column(t, "as published");
    paper_column(t, "ours");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    r = paper_named(t, "ref");
    t->value[r][1] = x->reference * 1e-9;
    if (ours && ours->contention) t->value[r][2] = ours->contention->reference_bytes_per_s * 1e-9;
    for (b = 1; b < x->cpus; b++) {
        const double pair = paper_ours_both(ours, p->cpu[0], p->cpu[b]);
        r = paper_named(t, "%d", p->cpu[b]);
        t->value[r][1] = x->both[b] * 1e-9;
        if (paper_known(pair)) t->value[r][2] = pair * 1e-9;
    }
    return paper_end(p, t);
}

/* Ours by CPUs at work in the largest domain: of one, bytes a second; PAPER_UNKNOWN where that number was not taken. */
static double paper_ours_scaling(const servet_profile *of, int n)
{
    const servet_contention *c = of ? of->contention : NULL;
    const servet_contention_scaling *most = NULL;
    int i;
    for (i = 0; c && i < c->scalings; i++) if (!most || c->scaling[i].cpus > most->cpus) most = &c->scaling[i];
    for (i = 0; most && i < most->count; i++) if (most->n[i] == n) return most->bytes_per_s[i] / n;
    return PAPER_UNKNOWN;
}

/* Figure 9(b): of each level of overhead the first group, by how many of it copy at once. */
static int paper_fig9b(paper_call *p)
{
    const paper_overheads *x = paper_collide(p);
    const servet_profile *ours = x ? paper_part(p, SERVET_PART_CORES) : NULL;
    paper_table *t = &paper_sheet;
    int i, a, n, size, most = 0, status = 0, group[PAPER_CPUS], cpu[PAPER_CPUS];
    if (!x) return 1;
    if (x->levels == 0) return paper_lack(p, "no pair of CPUs slows each other at memory: there is no group to follow");
    paper_begin(t, "Effective memory bandwidth of one CPU by how many of a group copy at once, a line per overhead",
                "CPUs at work");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    for (n = 1; n <= x->cpus; n++) paper_row(t, n);
    for (i = 0; i < x->levels && i < PAPER_COLUMNS - 2; i++) {
        if (servet_pairs_groups(group, x->level, x->cpus, i) < 1) continue;
        for (a = size = 0; a < x->cpus; a++) if (group[a] == 0) cpu[size++] = p->cpu[a];
        paper_column(t, "group of %d, BW[%d]", size, i);
        for (n = 1; n <= size && !interrupted; n++) {
            const double rate = paper_copy_rate(p, cpu, n, &status);
            if (status < 0) return paper_failed(p, status);
            t->value[n - 1][t->columns - 1] = rate * 1e-9;
        }
        if (size > most) most = size;
    }
    t->rows = most;
    i = paper_column(t, "ours, largest domain");
    for (n = 1; n <= most; n++) {
        const double rate = paper_ours_scaling(ours, n);
        if (paper_known(rate)) t->value[n - 1][i] = rate * 1e-9;
    }
    return paper_end(p, t);
}

/* ---- between ranks: Figures 7 and 10 --------------------------------------------------------- */

/* Figure 7 over pairs that were measured under MPI with messages of the first level's size. */
static int paper_fig7(paper_call *p)
{
    const servet_network *n = paper_profile(p)->network;
    paper_table *t = &paper_sheet;
    double l[PAPER_CLASSES], least[PAPER_CLASSES], most[PAPER_CLASSES];
    int classes = 0, pairs[PAPER_CLASSES], ours[PAPER_CLASSES], i, k, code, dropped = 0;
    memset(pairs, 0, sizeof pairs);
    for (i = 0; i < n->pair_count; i++) {
        const double ns = (double)n->pair[i].trip.median_ns;
        if (n->pair[i].at_once != 1 || !(ns > 0)) continue;
        k = paper_class_of(l, &classes, PAPER_CLASSES, ns);
        if (k < 0) {
            dropped++;
            continue;
        }
        pairs[k]++;
        least[k] = pairs[k] == 1 ? ns : fmin(least[k], ns);
        most[k] = pairs[k] == 1 ? ns : fmax(most[k], ns);
        ours[k] = servet_network_layer_of(n, n->pair[i].a, n->pair[i].b);
    }
    paper_begin(t, "Communication layers, by latency of a message between pairs of ranks, us", "i");
    paper_column(t, "L[i]");
    paper_column(t, "least");
    paper_column(t, "most");
    paper_column(t, "pairs");
    paper_column(t, "our layer");
    for (k = 0; k < classes; k++) {
        const int r = paper_row(t, k);
        t->value[r][1] = l[k] * 1e-3;
        t->value[r][2] = least[k] * 1e-3;
        t->value[r][3] = most[k] * 1e-3;
        t->value[r][4] = pairs[k];
        if (ours[k] >= 0) t->value[r][5] = ours[k] + 1;
    }
    if (t->rows == 0) return paper_lack(p, "no pair of the network was measured alone");
    code = paper_end(p, t);
    paper_say(p, "messages of %s; ours: %d layer%s and what is beyond", size_text(n->trip_bytes).text, n->layer_count,
              n->layer_count == 1 ? "" : "s");
    if (paper_level_bytes(p, 1) > 0 && fabs(n->trip_bytes / paper_level_bytes(p, 1) - 1) > 0.01)
        paper_say(p, "published are messages of the size of L1, which is %s here",
                  size_text(paper_level_bytes(p, 1)).text);
    if (dropped) paper_say(p, "%d pairs are in classes beyond the first %d", dropped, (int)PAPER_CLASSES);
    return code;
}

static int paper_fig10a(paper_call *p)
{
    const servet_network *n = paper_profile(p)->network;
    paper_table *t = &paper_sheet;
    int i, k, at;
    paper_begin(t, "Message-passing latency between the first rank and others, us", "rank");
    paper_column(t, "us");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "us");
    for (i = 0; i < n->pair_count; i++) {
        const servet_network_pair *x = &n->pair[i];
        const int other = x->a == 0 ? x->b : x->b == 0 ? x->a : -1;
        if (other < 0 || !((double)x->trip.median_ns > 0)) continue;
        for (at = 0; at < t->rows && t->value[at][0] < other; at++) { }
        if (at < t->rows && t->value[at][0] <= other) {    /* again: the lower one, disturbance only adds */
            t->value[at][1] = fmin(t->value[at][1], (double)x->trip.median_ns * 1e-3);
            continue;
        }
        paper_row(t, other);
        for (k = t->rows - 1; k > at; k--) memcpy(t->value[k], t->value[k - 1], sizeof t->value[k]);
        t->value[at][0] = other;
        t->value[at][1] = (double)x->trip.median_ns * 1e-3;
    }
    if (t->rows == 0) return paper_lack(p, "no pair of the first rank was measured");
    return paper_end(p, t);
}

/* Figure 10(b): messages of the first level's size at once, each layer's, of pairs that have ends of their own. */
static int paper_fig10b(paper_call *p)
{
    const servet_network *n = paper_profile(p)->network;
    paper_table *t = &paper_sheet;
    int i, l, r;
    paper_begin(t, "Latency by messages at once, us, a line per layer", "messages at once");
    for (l = 0; l <= n->layer_count; l++) paper_column(t, l < n->layer_count ? "layer %d" : "outermost", l + 1);
    t->figure = 1;
    t->scales = PAPER_LOG_X;
    snprintf(t->unit, sizeof t->unit, "us");
    for (i = 0; i < n->load_count; i++) {
        const servet_network_load *x = &n->load[i];
        if (x->kind != SERVET_LOAD_APART || x->last.samples == 0 || fabs(x->bytes - n->trip_bytes) > 0.5) continue;
        for (r = 0; r < t->rows && t->value[r][0] < x->at_once; r++) { }
        if (r == t->rows || t->value[r][0] > x->at_once) {
            int k;
            paper_row(t, x->at_once);
            for (k = t->rows - 1; k > r; k--) memcpy(t->value[k], t->value[k - 1], sizeof t->value[k]);
            for (k = 1; k < PAPER_COLUMNS; k++) t->value[r][k] = PAPER_UNKNOWN;
            t->value[r][0] = x->at_once;
        }
        if (x->layer + 1 < t->columns) t->value[r][x->layer + 1] = x->last.median_ns * 1e-3;
    }
    if (t->rows == 0) return paper_lack(p, "messages of %s at once were not measured", size_text(n->trip_bytes).text);
    return paper_end(p, t);
}

/* Figures 10(c) and (d): bandwidth of a message between the typical pair of each layer. */
static int paper_fig10c(paper_call *p)
{
    const servet_network *n = paper_profile(p)->network;
    paper_table *t = &paper_sheet;
    int i, l, r, k;
    paper_begin(t, "Point-to-point bandwidth by message size, MB/s, a line per layer", "bytes");
    for (l = 0; l <= n->layer_count; l++) paper_column(t, l < n->layer_count ? "layer %d" : "outermost", l + 1);
    t->figure = t->sizes = 1;
    t->scales = PAPER_LOG_X | PAPER_LOG_Y;
    snprintf(t->unit, sizeof t->unit, "MB/s");
    for (i = 0; i < n->size_count; i++) {
        const servet_network_size *x = &n->size[i];
        if (x->trip.samples == 0 || !(x->trip.median_ns > 0) || x->layer + 1 >= t->columns) continue;
        for (r = 0; r < t->rows && t->value[r][0] < x->bytes; r++) { }
        if (r == t->rows || t->value[r][0] > x->bytes) {
            paper_row(t, x->bytes);
            for (k = t->rows - 1; k > r; k--) memcpy(t->value[k], t->value[k - 1], sizeof t->value[k]);
            for (k = 1; k < PAPER_COLUMNS; k++) t->value[r][k] = PAPER_UNKNOWN;
            t->value[r][0] = x->bytes;
        }
        t->value[r][x->layer + 1] = 1e3 * x->bytes / x->trip.median_ns;
    }
    if (t->rows == 0) return paper_lack(p, "messages by size were not measured");
    return paper_end(p, t);
}

/* ---- Table I --------------------------------------------------------------------------------- */

static int paper_table1(paper_call *p)
{
    const paper_traversal *x = paper_traverse(p);
    const servet_profile *had = paper_profile(p), *ours = paper_part(p, SERVET_PART_CORES);
    paper_table *t = &paper_sheet;
    double began, total = 0;
    int i, r;
    if (!x) return 1;
    paper_begin(t, "Execution times, seconds (the paper's are in minutes)", "benchmark");
    paper_column(t, "as published");
    paper_column(t, "ours");
    r = paper_named(t, "Cache Size Estimate");
    t->value[r][1] = x->seconds;
    if (had && had->evidence) t->value[r][2] = had->evidence->thin.seconds + had->evidence->curve.seconds;
    r = paper_named(t, "Determination of Shared Caches");
    if (p->cpus > 1) {
        static paper_pairs timed;
        for (began = paper_seconds(), i = 1; had && i <= had->cache_count; i++)
            if (paper_shared(p, &timed, had->cache[i - 1].bytes) < 0) break;
        t->value[r][1] = paper_seconds() - began;
        if (ours && ours->sharing) t->value[r][2] = ours->sharing->seconds;
    }
    r = paper_named(t, "Memory Access Overhead");
    if (p->cpus > 1) {
        int status = 0, a, b, pair[2];
        began = paper_seconds();
        paper_copy_rate(p, p->cpu, 1, &status);
        for (a = 0; a < p->cpus && a < PAPER_CPUS && status >= 0; a++)
            for (b = a + 1; b < p->cpus && b < PAPER_CPUS && status >= 0 && !interrupted; b++) {
                pair[0] = p->cpu[a];
                pair[1] = p->cpu[b];
                paper_copy_rate(p, pair, 2, &status);
            }
        t->value[r][1] = paper_seconds() - began;
        if (ours && ours->contention) t->value[r][2] = ours->contention->seconds;
    }
    r = paper_named(t, "Communication Costs");
    if (had && had->network) t->value[r][2] = had->network->seconds;
    for (i = 0; i < t->rows; i++) if (paper_known(t->value[i][1])) total += t->value[i][1];
    r = paper_named(t, "Total");
    t->value[r][1] = total;
    for (total = 0, i = 0; i < r; i++) if (paper_known(t->value[i][2])) total += t->value[i][2];
    t->value[r][2] = total;
    return paper_end(p, t);
}

/* ---- Servet 3.0 ------------------------------------------------------------------------------ */

/* Figures 3 and 4: bandwidth of those that were measured, and the ratio at every place up to the last. */
static int paper_ratios(paper_call *p, int kind, const char *title, const char *first, const char *ratio)
{
    const servet_network *n = paper_profile(p)->network;
    const servet_network_ratio *of = kind == SERVET_DEGRADATION_DISTANCE ? n->dist : n->access;
    const int count = kind == SERVET_DEGRADATION_DISTANCE ? n->dist_count : n->access_count;
    paper_table *t = &paper_sheet;
    int at, i;
    if (count == 0)
        return paper_lack(p, "not in the network measured: mpirun -n RANKS build/mpi_degradation measures it");
    paper_begin(t, title, first);
    paper_column(t, "GB/s");
    paper_column(t, "%s", ratio);
    paper_column(t, "from");
    paper_column(t, "to");
    t->figure = t->drawn = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    for (at = 1; at <= of[count - 1].which && t->rows < PAPER_ROWS; at++) {
        double lo, hi;
        const double x = servet_network_degradation(n, kind, at, &lo, &hi);
        const int r = paper_row(t, at);
        for (i = 0; i < count; i++) if (of[i].which == at) t->value[r][1] = of[i].bytes_per_s * 1e-9;
        if (!(x > 0)) continue;
        t->value[r][2] = x;
        t->value[r][3] = lo;
        t->value[r][4] = hi;
    }
    return paper_end(p, t);
}

static int paper_servet3_fig3(paper_call *p)
{
    const int code = paper_ratios(p, SERVET_DEGRADATION_DISTANCE,
                                  "Bandwidth of each process while all send, by distance", "distance", "ratDist");
    const servet_network *n = paper_profile(p)->network;
    if (!code) paper_say(p, "ring of %d nodes, messages of %s; rows without a bandwidth lie between measured ones",
                         n->dist_nodes, size_text(n->dist_bytes).text);
    return code;
}

static int paper_servet3_fig4(paper_call *p)
{
    const int code = paper_ratios(p, SERVET_DEGRADATION_ACCESS,
                                  "Bandwidth of each process while all send, by processes of a node", "processes",
                                  "ratNC");
    const servet_network *n = paper_profile(p)->network;
    if (!code) paper_say(p, "messages of %s; %s", size_text(n->access_bytes).text, n->access_constant
                         ? "as many senders in all at each number of processes, as published"
                         : "senders in all grow with the processes of a node, as there were too few nodes for what is "
                           "published: the same number of them");
    return code;
}

/* Figure 5: a square grid of the ring's nodes in both orders, by ratDist, for broadcasts of the triangular solve: of X
 * along rows in every step, of the triangle U along columns, about half as much. */
static int paper_servet3_fig5(paper_call *p)
{
    const servet_network *n = paper_profile(p)->network;
    paper_table *t = &paper_sheet;
    int size[2], order[2], side, status, code;
    double weight[2], cost, others[2];
    for (side = 2; (side + 1) * (side + 1) <= n->dist_nodes; side++) { }
    if (side * side > n->dist_nodes || n->dist_count == 0)
        return paper_lack(p, "needs ratDist of 4 nodes or more: mpirun -n RANKS build/mpi_degradation measures it");
    size[0] = size[1] = side;
    weight[0] = (double)side * side;
    weight[1] = side * (side + 1) / 2.0;
    status = servet_network_grid(order, &cost, others, n, size, weight, 2);
    if (status < 0) return paper_failed(p, status);
    paper_begin(t, "Row- or column-ordered grid for the 2D triangular solve, by what broadcasts cost", "order");
    paper_column(t, "cost");
    paper_column(t, "of the other");
    t->value[paper_named(t, "row-ordered %d x %d", side, side)][1] = others[0];
    t->value[paper_named(t, "column-ordered %d x %d", side, side)][1] = others[1];
    t->value[0][2] = others[0] / others[1];
    t->value[1][2] = others[1] / others[0];
    code = paper_end(p, t);
    paper_say(p, "%s", status ? order[0] == 0 ? "row-ordered, as published" : "column-ordered, other than published"
              : "nothing to choose between them here, by the intervals");
    return code;
}

static int paper_servet3_fig6(paper_call *p)
{
    return paper_lack(p, "a run of the solver's broadcasts in both orders: mpirun build/mpi_grid_order prints it");
}

static int paper_servet3_fig7(paper_call *p)
{
    return paper_lack(p, "mappings: servet map -n PROCESSES --comm prints the one for this machine");
}

static const paper_item paper_servet3_items[] = {
    { "fig3", "bandwidth and ratDist at every distance", PAPER_RATIOS, "", paper_servet3_fig3 },
    { "fig4", "bandwidth and ratNC by processes of a node", PAPER_RATIOS, "", paper_servet3_fig4 },
    { "fig5", "row- or column-ordered grid, by ratDist", PAPER_RATIOS, "", paper_servet3_fig5 },
    { "fig6", "time of the solve in both orders: mpi_grid_order", PAPER_OTHER, "", paper_servet3_fig6 },
    { "fig7", "mapping of processes (7 and 8): servet map", PAPER_OTHER, "", paper_servet3_fig7 }
};

static const paper_item paper_servet_items[] = {
    { "fig2a", "cycles to traverse an array, to twice the last level", 0, "5 s", paper_fig2a },
    { "fig2b", "gradients of these cycles", 0, "5 s", paper_fig2b },
    { "fig4", "cache levels and sizes (Figures 3 and 4)", 0, "5 s", paper_fig4 },
    { "fig5", "pairs of CPUs that share each level", PAPER_PAIR, "1 s", paper_fig5 },
    { "fig8", "overhead of shared caches, pairs with the first CPU", PAPER_PAIR, "1 s", paper_fig8 },
    { "fig6", "pairs of CPUs that collide at memory, their groups", PAPER_PAIR, "2 s", paper_fig6 },
    { "fig9a", "memory bandwidth with two accesses at once", PAPER_PAIR, "2 s", paper_fig9a },
    { "fig9b", "memory bandwidth by CPUs, a line per overhead group", PAPER_PAIR, "2 s", paper_fig9b },
    { "fig7", "layers of ranks, by messages of the size of L1", PAPER_NETWORK, "", paper_fig7 },
    { "fig10a", "latency of messages of the first rank", PAPER_NETWORK, "", paper_fig10a },
    { "fig10b", "latency by messages at once, a line per layer", PAPER_NETWORK, "", paper_fig10b },
    { "fig10c", "bandwidth by message size, a line per layer", PAPER_NETWORK, "", paper_fig10c },
    { "table1", "execution times of the benchmarks", 0, "8 s", paper_table1 }
};

#endif

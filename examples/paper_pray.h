/* paper_pray.h - P-Ray (2008): Algorithms 1 to 5 as printed, and the figures and tables they make
 *
 * Times are the least of many samples; loops are unrolled to near 512 loads, and an empty one is timed and subtracted.
 * Chains lie as Algorithm 5 has them: one load a page, K chains a page apart, a stride of K pages. */
#if !defined(PAPER_PRAY_H)
#define PAPER_PRAY_H

/* ---- Algorithm 5 and the loops --------------------------------------------------------------- */

enum { PAPER_CHAINS = 12 };

/* One chain: from data + offset on, and back to there after the last element.  Writes up to data + size. */
static void paper_init_entry(unsigned char *data, size_t size, size_t stride, size_t offset)
{
    size_t i = offset;
    while (i + stride <= size) {
        *(void **)(void *)(data + i) = data + i + stride;
        i += stride;
    }
    *(void **)(void *)(data + i) = data + offset;
}

static void paper_init_data(unsigned char *data, size_t size, size_t stride, size_t offset, int entries)
{
    int i;
    for (i = 0; i < entries; i++) paper_init_entry(data, size, stride, (size_t)i * offset);
}

#define PAPER_X4(x) x x x x
#define PAPER_X16(x) PAPER_X4(PAPER_X4(x))
#define PAPER_X32(x) PAPER_X16(x) PAPER_X16(x)
#define PAPER_X64(x) PAPER_X16(PAPER_X4(x))
#define PAPER_X128(x) PAPER_X64(x) PAPER_X64(x)
#define PAPER_X256(x) PAPER_X64(PAPER_X4(x))
#define PAPER_X512(x) PAPER_X256(x) PAPER_X256(x)

#define PAPER_LOAD(i) p##i = *(void *volatile *)p##i;
#define PAPER_OPEN(i) void *p##i = entry[i];
#define PAPER_KEEP(i) entry[i] = p##i;
#define PAPER_1(f) f(0)
#define PAPER_2(f) PAPER_1(f) f(1)
#define PAPER_3(f) PAPER_2(f) f(2)
#define PAPER_4(f) PAPER_3(f) f(3)
#define PAPER_5(f) PAPER_4(f) f(4)
#define PAPER_6(f) PAPER_5(f) f(5)
#define PAPER_7(f) PAPER_6(f) f(6)
#define PAPER_8(f) PAPER_7(f) f(7)
#define PAPER_9(f) PAPER_8(f) f(8)
#define PAPER_10(f) PAPER_9(f) f(9)
#define PAPER_11(f) PAPER_10(f) f(10)
#define PAPER_12(f) PAPER_11(f) f(11)
#define PAPER_WALK(k, repeat)                                                    \
    static void paper_walk_##k(void **entry, size_t turns)                      \
    {                                                                           \
        PAPER_##k(PAPER_OPEN)                                                   \
        for (; turns > 0; turns--) { repeat(PAPER_##k(PAPER_LOAD)) }            \
        PAPER_##k(PAPER_KEEP)                                                   \
    }
PAPER_WALK(1, PAPER_X512)
PAPER_WALK(2, PAPER_X256)
PAPER_WALK(3, PAPER_X128)
PAPER_WALK(4, PAPER_X128)
PAPER_WALK(5, PAPER_X64)
PAPER_WALK(6, PAPER_X64)
PAPER_WALK(7, PAPER_X64)
PAPER_WALK(8, PAPER_X64)
PAPER_WALK(9, PAPER_X32)
PAPER_WALK(10, PAPER_X32)
PAPER_WALK(11, PAPER_X32)
PAPER_WALK(12, PAPER_X32)

typedef struct paper_loop { void (*walk)(void **entry, size_t turns); int loads; } paper_loop;
static const paper_loop paper_loops[PAPER_CHAINS] = {
    { paper_walk_1, 512 }, { paper_walk_2, 512 }, { paper_walk_3, 384 }, { paper_walk_4, 512 },
    { paper_walk_5, 320 }, { paper_walk_6, 384 }, { paper_walk_7, 448 }, { paper_walk_8, 512 },
    { paper_walk_9, 288 }, { paper_walk_10, 320 }, { paper_walk_11, 352 }, { paper_walk_12, 384 }
};

static void paper_empty(size_t turns)
{
    for (; turns > 0; turns--) __asm__ volatile("" : : : "memory");
}

/* ns of a load by k chains, without the loop around; the least of the samples. */
static double paper_load_ns(const servet_timer *timer, void **entry, int k, size_t turns, int samples)
{
    const paper_loop *loop = &paper_loops[k - 1];
    double best = 0, empty = 0;
    int i;
    for (i = 0; i < samples; i++) {
        uint64_t a = servet_timer_start(timer), b;
        double ns;
        loop->walk(entry, turns);
        b = servet_timer_stop(timer);
        ns = servet_timer_ns(timer, a, b);
        if (i == 0 || ns < best) best = ns;
        a = servet_timer_start(timer);
        paper_empty(turns);
        b = servet_timer_stop(timer);
        ns = servet_timer_ns(timer, a, b);
        if (i == 0 || ns < empty) empty = ns;
    }
    return fmax(0, best - empty) / ((double)turns * loop->loads);
}

/* ---- Algorithm 1: Figures 4 and 5 ------------------------------------------------------------ */

typedef struct paper_adder { volatile unsigned char *data; size_t index; long samples; } paper_adder;

static int paper_adder_work(servet_team *team, void *arg)
{
    const paper_adder *a = (const paper_adder *)arg;
    long i;
    (void)team;
    for (i = 0; i <= a->samples; i++) a->data[a->index] = (unsigned char)(a->data[a->index] + 1);
    return SERVET_OK;
}

/* Seconds of both threads, from before they are spawned until they are done; the least of some.  Below 0 a status. */
static double paper_false_sharing(const paper_call *p, const int *cpu, size_t distance, unsigned char *data,
                                  long samples)
{
    enum { TIMES = 5 };
    paper_adder a[2];
    double best = 0;
    int i;
    a[0].data = a[1].data = data;
    a[0].samples = a[1].samples = samples;
    a[0].index = 0;
    a[1].index = distance;
    for (i = 0; i < TIMES; i++) {
        const double began = paper_seconds();
        const int status = servet_team_run(cpu, 2, &p->usable, paper_adder_work, a, sizeof *a);
        const double took = paper_seconds() - began;
        if (status < 0) return status;
        if (i == 0 || took < best) best = took;
    }
    return best;
}

/* Pairs of CPUs, one of each distance: the first of each layer of ours, and the first that no group joins. */
static int paper_typical_pairs(paper_call *p, int *pair, int cap)
{
    const servet_profile *ours = paper_part(p, SERVET_PART_CORES);
    const servet_layers *l = ours ? &ours->layers : NULL;
    int n = 0, i, a, b;
    for (i = 0; l && ours->cores && i <= l->count && n < cap; i++)
        for (a = 0; a < l->cores && n < cap; a++)
            for (b = a + 1; b < l->cores; b++) {
                const int inner = i > 0 && l->group[i - 1][a] >= 0 && l->group[i - 1][a] == l->group[i - 1][b];
                const int here = i == l->count || (l->group[i][a] >= 0 && l->group[i][a] == l->group[i][b]);
                if (inner || !here) continue;
                pair[2 * n] = ours->cores->cpu[a];
                pair[2 * n++ + 1] = ours->cores->cpu[b];
                a = l->cores;
                break;
            }
    if (n > 0) return n;
    pair[0] = p->cpu[0];
    pair[1] = p->cpu[1];
    return 1;
}

/* Of which level the block is, by the innermost level that the two share [P-Ray, 3.1]. */
static words paper_block_of(const servet_profile *ours, int a, int b)
{
    words w;
    int i;
    for (i = 1; ours && i <= ours->cache_count; i++) {
        if (paper_ours_share(ours, i, a, b) < 0.5) continue;
        if (i == 1) snprintf(w.text, sizeof w.text, "none between them: they share L1");
        else snprintf(w.text, sizeof w.text, "of L%d, as they share L%d", i - 1, i);
        return w;
    }
    snprintf(w.text, sizeof w.text, "of the caches that are each one's own; which level they share is not known");
    return w;
}

static int paper_blocks(paper_call *p, int most, const char *title)
{
    enum { LONGEST = 1024 };    /* MAXLSIZE */
    const long samples = p->quick ? 200000 : 1000000;
    const servet_profile *ours = paper_part(p, SERVET_PART_COHERENCE), *shared = paper_part(p, SERVET_PART_CORES);
    paper_table *t = &paper_sheet;
    double distance[16], ns[16];
    int pair[2 * 8], pairs, i, k, r, code;
    servet_region region;
    size_t d;
    pairs = paper_typical_pairs(p, pair, most);
    code = servet_machine_map(&region, 2 * LONGEST, SERVET_PAGES_DEFAULT);
    if (code < 0) return paper_failed(p, code);
    paper_begin(t, title, "distance, bytes");
    for (i = 0; i < pairs; i++) paper_column(t, "ns, CPUs %d-%d", pair[2 * i], pair[2 * i + 1]);
    t->figure = 1;
    t->scales = PAPER_LOG_X;
    snprintf(t->unit, sizeof t->unit, "ns");
    for (d = 1; d <= LONGEST; d *= 2) paper_row(t, (double)d);
    for (i = 0; i < pairs; i++)
        for (r = 0; r < t->rows && paper_going(i * t->rows + r, pairs * t->rows); r++) {
            const double s = paper_false_sharing(p, pair + 2 * i, (size_t)t->value[r][0], region.base, samples);
            if (s < 0) {
                servet_machine_unmap(&region);
                return paper_failed(p, (int)s);
            }
            t->value[r][i + 1] = 1e9 * s / (double)samples;
        }
    servet_machine_unmap(&region);
    code = paper_end(p, t);
    for (i = 0; i < pairs; i++) {
        double block;
        for (r = 0; r < t->rows; r++) {
            distance[r] = t->value[r][0];
            ns[r] = t->value[r][i + 1];
        }
        block = paper_block(distance, ns, t->rows);
        if (block > 0)
            paper_say(p, "as published, CPUs %d-%d: a block of %.0f bytes, %s", pair[2 * i], pair[2 * i + 1], block,
                      paper_block_of(shared, pair[2 * i], pair[2 * i + 1]).text);
        else
            paper_say(p, "as published, CPUs %d-%d: no time decreases by a fifth: no coherence traffic, or stores wait "
                         "in a buffer", pair[2 * i], pair[2 * i + 1]);
    }
    for (k = 0; ours && ours->coherence && k < ours->coherence->blocks; k++) {
        const servet_block *b = &ours->coherence->block[k];
        if (b->bytes > 0) paper_say(p, "ours, CPUs %d-%d: %.0f bytes [%.0f, %.0f]", b->cpu[0], b->cpu[1], b->bytes,
                                    b->lo_bytes, b->hi_bytes);
    }
    return code;
}

static int paper_pray4(paper_call *p)
{
    return paper_blocks(p, 1, "Coherence block size: time of an update by how far two threads are apart");
}

static int paper_pray5(paper_call *p)
{
    return paper_blocks(p, 8, "Coherence block size and communication latency, a line per distance of CPUs");
}

/* ---- Algorithm 2: Figure 6 ------------------------------------------------------------------- */

typedef struct paper_reader {
    const servet_timer *timer;
    size_t page, size;
    int    samples;
    double ns;                  /* of a load: out */
} paper_reader;

static int paper_reader_work(servet_team *team, void *arg)
{
    paper_reader *x = (paper_reader *)arg;
    servet_region region;
    size_t times = 0, turns;
    void *entry[PAPER_CHAINS];
    int i, status = servet_machine_map(&region, x->size + 2 * x->page, SERVET_PAGES_SMALL);
    if (status < 0) return status;
    paper_init_data(region.base, x->size, x->page, x->page, 1);
    entry[0] = region.base;
    turns = x->size / x->page / 512 * 4 + 4;    /* some laps */
    x->ns = 0;
    for (i = 0; i < x->samples && status >= 0; i++) {
        double ns;
        status = servet_team_meet(team, &times);
        ns = paper_load_ns(x->timer, entry, 1, turns, 1);
        if (i == 0 || ns < x->ns) x->ns = ns;
    }
    servet_machine_unmap(&region);
    return status;
}

/* The least time of a load of the first of one or two threads, each over an array of so many bytes. */
static double paper_crowding(paper_call *p, const int *cpu, int cpus, double bytes, int *status)
{
    paper_reader x[2];
    int i;
    memset(x, 0, sizeof x);
    for (i = 0; i < 2; i++) {
        x[i].timer = &p->timer;
        x[i].page = (size_t)paper_page();
        x[i].size = (size_t)bytes / x[i].page * x[i].page;
        x[i].samples = p->quick ? 20 : 100;
    }
    *status = servet_team_run(cpu, cpus, &p->usable, paper_reader_work, x, sizeof *x);
    return x[0].ns;
}

/* How the figure is read: pairs that take longer than one alone share the level.  By a tenth, which the paper leaves
 * open. */
static void paper_read_crowding(paper_call *p, const paper_table *t, int levels)
{
    int i, r, longer;
    for (i = 2; i <= levels && 2 * i - 3 < t->columns; i++) {
        for (longer = 0, r = 1; r < t->rows; r++) longer += t->value[r][2 * i - 3] > 1.1 * t->value[0][2 * i - 3];
        paper_say(p, "as published: of %d pair%s %d take%s longer than one alone, and share%s L%d", t->rows - 1,
                  t->rows == 2 ? "" : "s", longer, longer == 1 ? "s" : "", longer == 1 ? "s" : "", i);
    }
}

static int paper_pray6(paper_call *p)
{
    const servet_profile *ours = paper_part(p, SERVET_PART_CORES);
    const int levels = ours ? ours->cache_count : 0;
    paper_table *t = &paper_sheet;
    int i, a, b, r, status = 0, pair[2];
    if (!(paper_ghz(p) > 0)) return paper_lack(p, "the timer cannot be calibrated");
    if (levels < 2) return paper_lack(p, "no second cache level is known");
    paper_begin(t, "Cache mapping: ns of a load over an array of the level's size, of two threads at once", "CPUs");
    for (i = 2; i <= levels && t->columns + 1 < PAPER_COLUMNS; i++) {
        paper_column(t, "L%d", i);
        paper_column(t, "ours: share");
    }
    r = paper_named(t, "alone");
    for (i = 2; i <= levels && 2 * i - 2 < t->columns; i++)
        t->value[r][2 * i - 3] = paper_crowding(p, p->cpu, 1, ours->cache[i - 1].bytes, &status);
    for (a = 0; a < p->cpus && a < PAPER_CPUS; a++)
        for (b = a + 1; b < p->cpus && b < PAPER_CPUS && t->rows < PAPER_ROWS - 1 && paper_going(a, p->cpus); b++) {
            pair[0] = p->cpu[a];
            pair[1] = p->cpu[b];
            r = paper_named(t, "%d-%d", pair[0], pair[1]);
            for (i = 2; i <= levels && 2 * i - 2 < t->columns && status >= 0; i++) {
                t->value[r][2 * i - 3] = paper_crowding(p, pair, 2, ours->cache[i - 1].bytes, &status);
                t->value[r][2 * i - 2] = paper_ours_share(ours, i, pair[0], pair[1]);
            }
        }
    if (status < 0) return paper_failed(p, status);
    a = paper_end(p, t);
    paper_read_crowding(p, t, levels);
    return a;
}

/* ---- Algorithm 3: Figure 7 ------------------------------------------------------------------- */

typedef struct paper_handed {
    const servet_timer *timer;
    unsigned char *data;
    size_t size, line;
    int    reads, samples;      /* 1 = reads what the other has modified */
    double ns;
} paper_handed;

static int paper_handed_work(servet_team *team, void *arg)
{
    paper_handed *x = (paper_handed *)arg;
    size_t times = 0, i, n = x->size / x->line;
    int s, status = SERVET_OK;
    for (s = 0; s < x->samples && status >= 0; s++) {
        if (!x->reads) paper_init_data(x->data, x->size - x->line, x->line, 0, 1);
        status = servet_team_meet(team, &times);
        if (x->reads) {
            void *p0 = x->data;
            const uint64_t a = servet_timer_start(x->timer);
            uint64_t b;
            double ns;
            for (i = 0; i < n; i++) { PAPER_LOAD(0) }
            b = servet_timer_stop(x->timer);
            ns = servet_timer_ns(x->timer, a, b) / (double)n;
            if (s == 0 || ns < x->ns) x->ns = ns;
            if (!p0) status = SERVET_EIO;
        }
        if (status >= 0) status = servet_team_meet(team, &times);
    }
    return status;
}

static double paper_ours_ns(const servet_profile *ours, int a, int b)
{
    const servet_cores *c = ours ? ours->cores : NULL;
    int i, at[2] = { -1, -1 };
    for (i = 0; c && i < c->count; i++) {
        if (c->cpu[i] == a) at[0] = i;
        if (c->cpu[i] == b) at[1] = i;
    }
    if (at[0] < 0 || at[1] < 0) return PAPER_UNKNOWN;
    if (c->state[SERVET_PAIRS_AT(at[0], at[1])] != SERVET_CORES_SOUND) return PAPER_UNKNOWN;
    return (double)c->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(at[0], at[1])];
}

static int paper_pray7(paper_call *p)
{
    const servet_profile *ours = paper_part(p, SERVET_PART_CORES);
    paper_table *t = &paper_sheet;
    servet_region region;
    paper_handed x[2];
    double distance[PAPER_CLASSES];
    int a, b, k, pair[2], status, code, distances = 0;
    const double first = paper_level_bytes(p, 1);
    if (!(paper_ghz(p) > 0)) return paper_lack(p, "the timer cannot be calibrated");
    memset(x, 0, sizeof x);
    for (k = 0; k < 2; k++) {
        x[k].timer = &p->timer;
        x[k].size = first > 0 ? (size_t)first / 4096 * 4096 : 32768;
        x[k].line = ours && ours->line.line_bytes > 0 ? (size_t)ours->line.line_bytes : 64;
        x[k].samples = p->quick ? 50 : 400;
        x[k].reads = k;
    }
    status = servet_machine_map(&region, x[0].size, SERVET_PAGES_DEFAULT);
    if (status < 0) return paper_failed(p, status);
    x[0].data = x[1].data = region.base;
    paper_begin(t, "Processor mapping: reading a set of the size of L1 that the other CPU has modified", "CPUs");
    paper_column(t, "ns a line");
    paper_column(t, "cycles");
    paper_column(t, "ours: ns one way");
    for (a = 0; a < p->cpus && a < PAPER_CPUS; a++)
        for (b = a + 1; b < p->cpus && b < PAPER_CPUS && status >= 0 && paper_going(a, p->cpus); b++) {
            const int r = paper_named(t, "%d-%d", p->cpu[a], p->cpu[b]);
            pair[0] = p->cpu[a];
            pair[1] = p->cpu[b];
            status = servet_team_run(pair, 2, &p->usable, paper_handed_work, x, sizeof *x);
            t->value[r][1] = x[1].ns;
            t->value[r][2] = x[1].ns * p->ghz;
            t->value[r][3] = paper_ours_ns(ours, pair[0], pair[1]);
        }
    servet_machine_unmap(&region);
    if (status < 0) return paper_failed(p, status);
    code = paper_end(p, t);
    for (a = 0; a < t->rows; a++) paper_class_of(distance, &distances, PAPER_CLASSES, t->value[a][1]);
    paper_say(p, "as published: %d distance%s, to a tenth", distances, distances == 1 ? "" : "s");
    paper_say(p, "%s in lines of %d bytes, ascending, which prefetchers may hide a part of; ours has lines one by one",
              size_text((double)x[0].size).text, (int)x[0].line);
    return code;
}

/* ---- Algorithm 4: Figures 8 and 9, Tables 2 and 3 -------------------------------------------- */

typedef struct paper_loads {
    const servet_timer *timer;
    size_t page, size, flush;   /* flush: bytes read after the chains were written; 0 = not */
    int    samples;
    unsigned sum;               /* what the flush read */
    double ns[PAPER_CHAINS];    /* of a load, by 1, 2 ... chains: out */
} paper_loads;

/* Reads as much, so that nothing that was written before is in a cache. */
static unsigned paper_flush(const unsigned char *at, size_t bytes)
{
    unsigned sum = 0;
    size_t i;
    for (i = 0; i < bytes; i += 64) sum += at[i];
    return sum;
}

static int paper_loads_work(servet_team *team, void *arg)
{
    paper_loads *x = (paper_loads *)arg;
    servet_region region, other;
    size_t times = 0;
    int k, i, s, status = servet_machine_map(&region, x->size + PAPER_CHAINS * x->page, SERVET_PAGES_SMALL);
    if (status < 0) return status;
    if (x->flush) status = servet_machine_map(&other, x->flush, SERVET_PAGES_DEFAULT);
    for (k = 1; k <= PAPER_CHAINS && status >= 0; k++) {
        void *entry[PAPER_CHAINS];
        const size_t lap = x->size / x->page / (size_t)paper_loops[k - 1].loads + 1;
        paper_init_data(region.base, x->size, (size_t)k * x->page, x->page, k);
        for (i = 0; i < k; i++) entry[i] = region.base + (size_t)i * x->page;
        if (x->flush) x->sum += paper_flush(other.base, x->flush);
        for (s = 0; s < x->samples && status >= 0; s++) {
            double ns;
            status = servet_team_meet(team, &times);
            ns = paper_load_ns(x->timer, entry, k, lap > 16 ? lap : 16, 1);
            if (s == 0 || ns < x->ns[k - 1]) x->ns[k - 1] = ns;
        }
    }
    if (x->flush && status >= 0) servet_machine_unmap(&other);
    servet_machine_unmap(&region);
    return status;
}

/* What one run of Algorithm 4 gave: cycles of a load of each thread, by chains. */
typedef struct paper_bundle { int level, threads; double bytes, cycles[PAPER_CHAINS]; } paper_bundle;
enum { PAPER_BUNDLES = 24, PAPER_THREADS = 64 };
typedef struct paper_bundles { int count, done; paper_bundle of[PAPER_BUNDLES]; } paper_bundles;

/* Chains of so many threads over `bytes` each; level 0 = memory. */
static int paper_bundle_of(paper_call *p, paper_bundles *x, int level, const int *cpu, int threads, double bytes)
{
    static paper_loads load[PAPER_THREADS];
    paper_bundle *b = &x->of[x->count];
    int i, k, status;
    if (x->count == PAPER_BUNDLES || threads > PAPER_THREADS || interrupted) return SERVET_OK;
    memset(load, 0, sizeof load);
    for (i = 0; i < threads; i++) {
        load[i].timer = &p->timer;
        load[i].page = (size_t)paper_page();
        load[i].size = (size_t)bytes / load[i].page * load[i].page;
        load[i].flush = level ? 0 : (size_t)fmin(2 * paper_last_bytes(p), 268435456);
        load[i].samples = level ? p->quick ? 20 : 100 : p->quick ? 3 : 10;
    }
    status = servet_team_run(cpu, threads, &p->usable, paper_loads_work, load, sizeof *load);
    if (status < 0) return status;
    b->level = level;
    b->threads = threads;
    b->bytes = bytes;
    for (k = 0; k < PAPER_CHAINS; k++) {
        for (b->cycles[k] = 0, i = 0; i < threads; i++) b->cycles[k] += load[i].ns[k] * p->ghz / threads;
    }
    x->count++;
    return SERVET_OK;
}

/* CPUs that share a level with the first, itself included. */
static int paper_sharers(paper_call *p, const servet_profile *ours, int level, int *cpu)
{
    int i, n = 1;
    cpu[0] = p->cpu[0];
    for (i = 1; i < p->cpus && n < PAPER_THREADS; i++)
        if (paper_ours_share(ours, level, p->cpu[0], p->cpu[i]) > 0.5) cpu[n++] = p->cpu[i];
    return n;
}

/* Of caches: half of a level among its threads, and at least twice the level before, so that it is left. */
static int paper_cache_bundles(paper_call *p, paper_bundles *x)
{
    const servet_profile *ours = p->cpus > 1 ? paper_part(p, SERVET_PART_CORES) : paper_profile(p);
    int level, n, sharers, cpu[PAPER_THREADS], status = SERVET_OK;
    if (x->done) return SERVET_OK;
    if (!ours || ours->cache_count < 2) return SERVET_EUNRESOLVED;
    for (level = 2; level <= ours->cache_count && status >= 0; level++) {
        sharers = paper_sharers(p, ours, level, cpu);
        for (n = 1; n <= sharers && n <= 8 && status >= 0; n *= 2)
            status = paper_bundle_of(p, x, level, cpu, n, fmax(ours->cache[level - 1].bytes / 2 / n,
                                                              2 * ours->cache[level - 2].bytes));
    }
    x->done = status >= 0 && !interrupted;
    return status;
}

static int paper_memory_bundles(paper_call *p, paper_bundles *x)
{
    int n, status = SERVET_OK;
    if (x->done) return SERVET_OK;
    for (n = 1; n <= p->cpus && n <= 8 && status >= 0; n *= 2)
        status = paper_bundle_of(p, x, 0, p->cpu, n, paper_memory_bytes(p, p->cpus));
    x->done = status >= 0 && !interrupted;
    return status;
}

static paper_bundles paper_of_caches, paper_of_memory;

static int paper_draw_bundles(paper_call *p, int memory, const char *title)
{
    paper_bundles *x = memory ? &paper_of_memory : &paper_of_caches;
    paper_table *t = &paper_sheet;
    int i, k, r, status, code;
    if (!(paper_ghz(p) > 0)) return paper_lack(p, "the timer cannot be calibrated");
    status = memory ? paper_memory_bundles(p, x) : paper_cache_bundles(p, x);
    if (status == SERVET_EUNRESOLVED) return paper_lack(p, "no second cache level is known");
    if (status < 0) return paper_failed(p, status);
    paper_begin(t, title, "accesses at once");
    for (i = 0; i < x->count && t->columns < PAPER_COLUMNS; i++)
        paper_column(t, "%s, %d thread%s", level_text(x->of[i].level).text, x->of[i].threads,
                     x->of[i].threads > 1 ? "s" : "");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "cycles");
    for (k = 0; k < PAPER_CHAINS; k++)
        for (r = paper_row(t, k + 1), i = 0; i < x->count && i + 1 < t->columns; i++)
            t->value[r][i + 1] = x->of[i].cycles[k];
    code = paper_end(p, t);
    if (memory && x->count)
        paper_say(p, "%s each, a line of every page: %.0f lines; a last level with hashed sets holds them, one without "
                     "does not", size_text(x->of[0].bytes).text, x->of[0].bytes / 4096);
    return code;
}

static int paper_pray8(paper_call *p)
{
    return paper_draw_bundles(p, 0, "Effective bandwidth to caches: cycles of a load by independent accesses");
}

static int paper_pray9(paper_call *p)
{
    return paper_draw_bundles(p, 1, "Effective bandwidth to memory: cycles of a load by independent accesses");
}

/* Ours, all lines of CPUs at once at the best number of chains: bytes a second of one; PAPER_UNKNOWN where not known.
 * Of memory (level 0) the largest set that was measured. */
static double paper_ours_chains(const servet_profile *ours, int level, int threads)
{
    double bytes = 0, rate = PAPER_UNKNOWN;
    int i;
    for (i = 0; ours && i < ours->chains_count; i++) {
        const servet_chains *c = &ours->chains[i];
        if (c->cpus != threads || (level ? c->level != level : c->level > 0) || c->bytes < bytes) continue;
        bytes = c->bytes;
        rate = c->mlp.bytes_per_s / threads;
    }
    return rate;
}

static int paper_effective_table(paper_call *p, int memory, const char *title)
{
    paper_bundles *x = memory ? &paper_of_memory : &paper_of_caches;
    const servet_profile *had = paper_profile(p), *ours;
    const int line = had && had->line.line_bytes > 0 ? had->line.line_bytes : 64;
    paper_table *t = &paper_sheet;
    int i, status, code;
    if (!(paper_ghz(p) > 0)) return paper_lack(p, "the timer cannot be calibrated");
    status = memory ? paper_memory_bundles(p, x) : paper_cache_bundles(p, x);
    if (status == SERVET_EUNRESOLVED) return paper_lack(p, "no second cache level is known");
    if (status < 0) return paper_failed(p, status);
    ours = paper_part(p, SERVET_PART_BANDWIDTH);
    paper_begin(t, title, "threads");
    paper_column(t, "cycles per access");
    paper_column(t, "accesses at once");
    paper_column(t, "GiB/s");
    paper_column(t, "ours: GiB/s");
    for (i = 0; i < x->count; i++) {
        const paper_bundle *b = &x->of[i];
        const int enough = paper_saturation(b->cycles, PAPER_CHAINS);
        const int r = paper_named(t, "%s, %d", level_text(b->level).text, b->threads);
        const double own = paper_ours_chains(ours, b->level, b->threads);
        t->value[r][1] = b->cycles[enough - 1];
        t->value[r][2] = enough;
        t->value[r][3] = paper_effective(p->ghz, line, b->cycles[enough - 1]) / 1073741824;
        if (paper_known(own)) t->value[r][4] = own / 1073741824;
    }
    code = paper_end(p, t);
    paper_say(p, "of one thread; clock %.3f GHz, lines of %d bytes; accesses at once: from there on the time is "
                 "constant, within 5 %%", p->ghz, line);
    paper_say(p, "as published a load a page: translations are part of its time; ours has all lines of large pages");
    return code;
}

static int paper_pray_table2(paper_call *p)
{
    return paper_effective_table(p, 0, "Effective bandwidth to caches, by threads on CPUs that share the level");
}

static int paper_pray_table3(paper_call *p)
{
    return paper_effective_table(p, 1, "Effective bandwidth to memory, by threads");
}

/* ---- Table 1 --------------------------------------------------------------------------------- */

static int paper_pray_table1(paper_call *p)
{
    const servet_profile *had = paper_profile(p);
    paper_table *t = &paper_sheet;
    int i;
    paper_begin(t, "The machine", "");
    paper_column(t, "measured");
    t->value[paper_named(t, "CPUs usable")][1] = p->cpus;
    if (paper_ghz(p) > 0) t->value[paper_named(t, "clock rate, GHz")][1] = p->ghz;
    for (i = 0; had && i < had->cache_count; i++)
        t->value[paper_named(t, "L%d cache size, MiB", i + 1)][1] = had->cache[i].bytes / 1048576;
    i = paper_end(p, t);
    if (had) paper_say(p, "%s; %s %s", had->host.cpu_model, had->host.os, had->host.kernel);
    return i;
}

static const paper_item paper_pray_items[] = {
    { "table1", "the machine", 0, "0 s", paper_pray_table1 },
    { "fig4", "coherence block size (Algorithm 1)", PAPER_PAIR, "3 s", paper_pray4 },
    { "fig5", "coherence block size by distance of CPUs (Algorithm 1)", PAPER_PAIR, "3 s", paper_pray5 },
    { "fig6", "which CPUs share each level (Algorithm 2)", PAPER_PAIR, "2 s", paper_pray6 },
    { "fig7", "how far CPUs are from each other (Algorithm 3)", PAPER_PAIR, "1 s", paper_pray7 },
    { "fig8", "effective bandwidth to caches by chains (Algorithm 4)", 0, "2 s", paper_pray8 },
    { "table2", "effective bandwidth to caches by threads", 0, "5 s", paper_pray_table2 },
    { "fig9", "effective bandwidth to memory by chains (Algorithm 4)", 0, "5 s", paper_pray9 },
    { "table3", "effective bandwidth to memory by threads", 0, "5 s", paper_pray_table3 }
};

#endif

/* paper_mn5.h - Reverse Engineering MareNostrum 5 System Characteristics (2025): its figures and tables
 *
 * What its text leaves out is as its programs do it (github.com/JJOL/Memory-Performance-Microbenchmarking): sizes and
 * the 4 bytes a load of MemoryLatency.c; best of four, one load a line, prefetch 4096 bytes ahead of mpbw.cpp; loops
 * around one or two operations of cache_coherence.cpp, until they take long enough. */
#if !defined(PAPER_MN5_H)
#define PAPER_MN5_H

/* CPUs as the study adds them: one socket full before the next; second threads of a core last. */
static int paper_fill_order(paper_call *p, int *order, int *node_of)
{
    static system_cpu place[SERVET_CORES_MAX];
    static servet_node node;
    double key[SERVET_CORES_MAX];
    servet_cpus usable;
    int i, k, id, cpu;
    memset(&usable, 0, sizeof usable);
    for (i = 0; i < p->cpus; i++) servet_cpus_add(&usable, p->cpu[i]);
    for (i = 0; i < p->cpus; i++) {
        int again = 0;
        memset(&place[i], 0, sizeof place[i]);
        system_place(&place[i], p->cpu[i]);
        for (k = 0; k < i; k++)
            again |= place[i].core >= 0 && place[k].core == place[i].core && place[k].package == place[i].package;
        node_of[i] = 0;
        order[i] = p->cpu[i];
        key[i] = 1e12 * again + 1e6 * (place[i].package > 0 ? place[i].package : 0) + i;
    }
    for (id = 0; id < 1024; id++) {
        if (!system_node(&node, id, &usable)) continue;
        for (cpu = -1; (cpu = servet_cpus_next(&node.cpus, cpu)) >= 0; )
            for (i = 0; i < p->cpus; i++) if (p->cpu[i] == cpu) node_of[i] = id;
    }
    for (i = 1; i < p->cpus; i++)
        for (k = i; k > 0 && key[k] < key[k - 1]; k--) {
            const double x = key[k];
            const int at = order[k], of = node_of[k];
            key[k] = key[k - 1];
            order[k] = order[k - 1];
            node_of[k] = node_of[k - 1];
            key[k - 1] = x;
            order[k - 1] = at;
            node_of[k - 1] = of;
        }
    return p->cpus;
}

/* Numbers of CPUs that are tried: all up to 16, of more 24 in even steps, and all. */
static int paper_counts(int *count, int cpus)
{
    enum { MOST = 24 };
    int i, n = 0;
    if (cpus <= 16) for (i = 1; i <= cpus; i++) count[n++] = i;
    else for (i = 1; i <= MOST; i++) count[n++] = 1 + (int)((double)(cpus - 1) * (i - 1) / (MOST - 1) + 0.5);
    return n;
}

static double paper_median(double *x, int n)
{
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

/* ---- bandwidth: Figures 2 to 4, and the peak ------------------------------------------------- */

enum { PAPER_ROUNDS = 5, PAPER_LINES = 8, PAPER_WIDE_LOAD = 4 };

/* Ours: loads of so many CPUs, as a profile has them by CPUs that are added one by one; PAPER_UNKNOWN. */
static double paper_ours_loads(const servet_profile *ours, int cpus)
{
    int i, k;
    for (k = 0; ours && k < ours->bandwidth.growths; k++) {
        const servet_growth *g = &ours->bandwidth.growth[k];
        if (g->spread || g->kernel != SERVET_STREAM_LOAD) continue;
        for (i = 0; i < g->count; i++) if (g->cpus[i] == cpus) return g->bytes_per_s[i];
    }
    return PAPER_UNKNOWN;
}

/* Figure 2: kernels of likwid-bench, scalar and with the widest vectors, these past the caches where they store. */
static int paper_mn5_fig2(paper_call *p)
{
    static const int kernel[] = { SERVET_STREAM_LOAD, SERVET_STREAM_COPY, SERVET_STREAM_STORE, SERVET_STREAM_TRIAD };
    static const char *const word[] = { "load", "copy", "store", "stream" };
    servet_stream stream[PAPER_LINES];
    servet_stream_sample s[PAPER_LINES * PAPER_ROUNDS];
    servet_streams what;
    paper_table *t = &paper_sheet;
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], count[32], counts, i, k, r, row, status, code;
    double x[PAPER_ROUNDS];
    const servet_profile *ours = paper_part(p, SERVET_PART_BANDWIDTH);
    memset(stream, 0, sizeof stream);
    memset(&what, 0, sizeof what);
    paper_begin(t, "Peak bandwidth of contiguous accesses, GB/s, by cores", "cores");
    for (i = 0; i < PAPER_LINES; i++) {
        stream[i].kernel = kernel[i % 4];
        stream[i].vector = i < 4 ? SERVET_VECTOR_PLAIN : SERVET_VECTOR_WIDEST;
        stream[i].streaming = i > PAPER_WIDE_LOAD;
        paper_column(t, "%s%s%s", word[i % 4], i > PAPER_WIDE_LOAD ? "_mem" : "", i < 4 ? "" : "_vector");
    }
    paper_column(t, "ours: load");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    counts = paper_counts(count, paper_fill_order(p, order, node_of));
    what.stream = stream;
    what.streams = PAPER_LINES;
    what.rounds = PAPER_ROUNDS;
    what.cpu = order;
    what.bytes = paper_memory_bytes(p, p->cpus);
    status = paper_rig(p, what.bytes * p->cpus);
    s[PAPER_WIDE_LOAD].vector = 0;
    for (k = 0; k < counts && status >= 0 && paper_going(k, counts); k++) {
        what.cpus = count[k];
        status = p->m.bandwidth(p->m.ctx, &what, s);
        if (status == SERVET_EUNSUPPORTED) {    /* no stores past the caches: those lines stay regular */
            for (i = PAPER_WIDE_LOAD + 1; i < PAPER_LINES; i++) stream[i].streaming = 0;
            status = p->m.bandwidth(p->m.ctx, &what, s);
        }
        if (status < 0) break;
        for (row = paper_row(t, count[k]), i = 0; i < PAPER_LINES; i++) {
            for (r = 0; r < PAPER_ROUNDS; r++) x[r] = s[r * PAPER_LINES + i].bytes_per_s * 1e-9;
            t->value[row][i + 1] = paper_median(x, PAPER_ROUNDS);
        }
        x[0] = paper_ours_loads(ours, count[k]);
        if (paper_known(x[0])) t->value[row][PAPER_LINES + 1] = x[0] * 1e-9;
    }
    if (status < 0) return paper_failed(p, status);
    code = paper_end(p, t);
    paper_say(p, "_vector: %s, else what the compiler makes of C; _mem: %s; %s each; loaded and stored by the program",
              servet_text(SERVET_TEXT_VECTOR, s[PAPER_WIDE_LOAD].vector),
              stream[PAPER_LINES - 1].streaming ? "non-temporal stores" : "this machine has no non-temporal stores",
              size_text(what.bytes).text);
    return code;
}

/* Best of four loads by so many CPUs, their memory local, in one node, or on all in turn; 0 with a status. */
static double paper_node_load(paper_call *p, const int *cpu, int cpus, int memory, int node, int *status)
{
    enum { TIMES = 4 };
    servet_stream load;
    servet_streams what;
    servet_stream_sample s[TIMES];
    double best = 0;
    int i;
    memset(&load, 0, sizeof load);
    memset(&what, 0, sizeof what);
    load.kernel = SERVET_STREAM_LOAD;
    what.stream = &load;
    what.streams = 1;
    what.rounds = TIMES;
    what.cpu = cpu;
    what.cpus = cpus;
    what.bytes = paper_memory_bytes(p, p->cpus);
    what.memory = memory;
    what.node = node;
    *status = paper_rig(p, what.bytes * p->cpus);
    if (*status >= 0) *status = p->m.bandwidth(p->m.ctx, &what, s);
    for (i = 0; *status >= 0 && i < TIMES; i++) best = fmax(best, s[i].bytes_per_s);
    return best * 1e-9;
}

/* Figures 3 and 4: CPUs of the first node with its memory, with that of the next, and with pages of all in turn while
 * CPUs of both work. */
static int paper_mn5_nodes(paper_call *p, int interleaved, const char *title)
{
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], own[SERVET_CORES_MAX], other[SERVET_CORES_MAX],
        both[SERVET_CORES_MAX], count[32], counts, n[2] = { 0, 0 }, i, k, row, status = 0, far_node = -1;
    paper_table *t = &paper_sheet;
    paper_fill_order(p, order, node_of);
    for (i = 0; i < p->cpus; i++) {
        if (node_of[i] != node_of[0] && far_node < 0) far_node = node_of[i];
        if (node_of[i] == node_of[0]) own[n[0]++] = order[i];
        else if (node_of[i] == far_node) other[n[1]++] = order[i];
    }
    if (far_node < 0) return paper_lack(p, "needs CPUs in two nodes of memory; those usable are in one");
    for (i = k = 0; i < n[0] && k < n[0]; i++) {
        both[k++] = own[i];
        if (i < n[1] && k < n[0]) both[k++] = other[i];
    }
    paper_begin(t, title, "cores");
    paper_column(t, "local");
    paper_column(t, interleaved ? "interleaved, cores of both" : "remote");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    counts = paper_counts(count, n[0]);
    for (i = 0; i < counts && status >= 0 && paper_going(i, counts); i++) {
        row = paper_row(t, count[i]);
        t->value[row][1] = paper_node_load(p, own, count[i], SERVET_MEMORY_NODE, node_of[0], &status);
        if (status >= 0)
            t->value[row][2] = interleaved ? paper_node_load(p, both, count[i], SERVET_MEMORY_SPREAD, 0, &status)
                               : paper_node_load(p, own, count[i], SERVET_MEMORY_NODE, far_node, &status);
    }
    if (status < 0) return paper_failed(p, status);
    return paper_end(p, t);
}

static int paper_mn5_fig3(paper_call *p)
{
    return paper_mn5_nodes(p, 0, "Loads from local and from remote memory, GB/s, by cores of one node");
}

static int paper_mn5_fig4(paper_call *p)
{
    return paper_mn5_nodes(p, 1, "Loads with pages of all nodes in turn, cores of two nodes, GB/s, by cores");
}

/* mpbw.cpp: threads read a line each of their part of one buffer, with a prefetch 4096 bytes ahead or without. */
typedef struct paper_sum {
    const unsigned char *data;
    size_t from, to;
    int    prefetch;
    unsigned long long sum;
} paper_sum;

static int paper_sum_work(servet_team *team, void *arg)
{
    paper_sum *x = (paper_sum *)arg;
    unsigned long long sum = 0;
    size_t i;
    (void)team;
    if (x->prefetch) {
        for (i = x->from; i < x->to; i += 64) {
            sum += x->data[i];
            __builtin_prefetch(x->data + i + 4096, 0, 3);
        }
    } else {
        for (i = x->from; i < x->to; i += 64) sum += x->data[i];
    }
    x->sum = sum;
    return SERVET_OK;
}

/* GB/s of so many threads that share a buffer: the best of four, thread creation included; 0 with a status. */
static double paper_sum_rate(paper_call *p, const unsigned char *data, size_t bytes, const int *cpu, int cpus,
                             int prefetch, int *status)
{
    enum { TIMES = 4 };
    static paper_sum x[SERVET_CORES_MAX];
    const size_t part = bytes / (size_t)cpus / 64 * 64;
    double best = 0;
    int i, time;
    for (time = 0; time < TIMES && *status >= 0; time++) {
        unsigned long long sum = 0;
        double began;
        for (i = 0; i < cpus; i++) {
            x[i].data = data;
            x[i].from = part * (size_t)i;
            x[i].to = i + 1 < cpus ? part * (size_t)(i + 1) : bytes;
            x[i].prefetch = prefetch;
        }
        began = paper_seconds();
        *status = servet_team_run(cpu, cpus, &p->usable, paper_sum_work, x, sizeof *x);
        best = fmax(best, (double)bytes / (paper_seconds() - began) * 1e-9);
        for (i = 0; i < cpus; i++) sum += x[i].sum;
        if (*status >= 0 && sum != bytes / 64) *status = SERVET_EIO;    /* every line holds a one */
    }
    return *status < 0 ? 0 : best;
}

static int paper_mn5_prefetch(paper_call *p)
{
    paper_table *t = &paper_sheet;
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], count[32], counts, k, way, row, status;
    const size_t bytes = (size_t)paper_memory_bytes(p, 1) / 4096 * 4096;
    servet_region region;
    paper_fill_order(p, order, node_of);
    counts = paper_counts(count, p->cpus);
    status = servet_machine_map(&region, bytes + 8192, SERVET_PAGES_DEFAULT);
    if (status < 0) return paper_failed(p, status);
    memset(region.base, 1, bytes);
    paper_begin(t, "Reading a buffer, a load a line, with software prefetch and without, GB/s, by cores", "cores");
    paper_column(t, "no prefetch");
    paper_column(t, "prefetch");
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "GB/s");
    for (k = 0; k < counts && status >= 0 && paper_going(k, counts); k++)
        for (row = paper_row(t, count[k]), way = 0; way < 2; way++)
            t->value[row][way + 1] = paper_sum_rate(p, region.base, bytes, order, count[k], way, &status);
    servet_machine_unmap(&region);
    if (status < 0) return paper_failed(p, status);
    return paper_end(p, t);
}

/* All modules that the system's tables tell of, a channel each; how many by *modules. */
static double paper_peak_bytes(int *modules)
{
    double sum = 0;
    int i;
    *modules = 0;
    for (i = 0; i < 256; i++) {
        unsigned char record[256];
        char path[80];
        size_t length;
        double rate;
        FILE *f;
        snprintf(path, sizeof path, "/sys/firmware/dmi/entries/17-%d/raw", i);
        f = fopen(path, "rb");
        if (!f) break;
        length = fread(record, 1, sizeof record, f);
        fclose(f);
        rate = paper_module_rate(record, length);
        sum += rate;
        *modules += rate > 0;
    }
    return sum;
}

static int paper_mn5_peak(paper_call *p)
{
    paper_table *t = &paper_sheet;
    int modules, row, order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], status;
    const double peak = paper_peak_bytes(&modules) * 1e-9;
    double load;
    if (!(peak > 0)) return paper_lack(p, "needs the memory modules of the system's tables (SMBIOS type 17 below "
                                          "/sys/firmware/dmi/entries), which root may read and guests often lack");
    paper_fill_order(p, order, node_of);
    load = paper_node_load(p, order, p->cpus, SERVET_MEMORY_LOCAL, 0, &status);
    if (status < 0) return paper_failed(p, status);
    paper_begin(t, "Theoretical peak of memory, and the share that loads of all CPUs reach", "");
    paper_column(t, "GB/s");
    paper_column(t, "%% of the peak");
    row = paper_named(t, "%d modules, a channel each", modules);
    t->value[row][1] = peak;
    t->value[row][2] = 100;
    row = paper_named(t, "loads of all CPUs");
    t->value[row][1] = load;
    t->value[row][2] = 100 * load / peak;
    return paper_end(p, t);
}

/* ---- latency: Figures 5 and 6, Table 1 ------------------------------------------------------- */

/* Sizes of MemoryLatency.c, KiB. */
static const double paper_latency_kib[] = {
    2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 600, 768, 1024, 1536, 2048, 2304, 2560, 3072, 4096,
    5120, 6144, 8192, 10240, 12288, 13312, 14336, 15360, 16384, 18432, 20480, 24567, 32768, 65536, 98304, 131072,
    262144, 393216, 524288, 1048576 };
enum { PAPER_LATENCIES = sizeof paper_latency_kib / sizeof *paper_latency_kib };

typedef struct paper_latency { int n; double bytes[PAPER_LATENCIES], ns[PAPER_LATENCIES]; } paper_latency;

/* A random cycle over one buffer, a load a line, the median of three; sizes up to 1 GiB, or a quarter of the memory. */
static const paper_latency *paper_latencies(paper_call *p)
{
    static paper_latency x;
    servet_chase_opts chase;
    servet_sample s;
    double three[3], most = paper_memory() / 4;
    int i, k, n, status;
    if (x.n > 0) return &x;
    if (p->quick) most = fmin(most, 16777216);
    memset(&chase, 0, sizeof chase);
    chase.pattern = SERVET_CHASE_RANDOM;
    chase.line_bytes = 64;
    chase.in_place = 1;
    chase.effort = p->quick ? 0.2 : 1;
    for (n = 0; n < PAPER_LATENCIES && 1024 * paper_latency_kib[n] <= most; n++)
        x.bytes[n] = 1024 * paper_latency_kib[n];
    status = paper_rig(p, x.bytes[n - 1] + 4194304);
    for (i = 0; i < n && status >= 0 && paper_going(i, n); i++) {
        for (k = 0; k < 3 && status >= 0; k++) {
            status = p->m.chase(p->m.ctx, (size_t)(x.bytes[i] / 64), &chase, &s);
            three[k] = s.ns;
        }
        if (status >= 0) x.ns[i] = paper_median(three, 3);
    }
    if (status >= 0 && i > 1) {    /* interrupted: what is known so far */
        x.n = i;
        return &x;
    }
    paper_failed(p, status);
    return NULL;
}

static int paper_mn5_fig5(paper_call *p)
{
    const paper_latency *x = paper_latencies(p);
    paper_table *t = &paper_sheet;
    const double ghz = x ? paper_ghz(p) : 0;
    int i;
    if (!x) return 1;
    paper_begin(t, "Latency of a load of a random cycle, ns, by array size", "bytes");
    paper_column(t, "as published");
    paper_column(t, "ours, without TLB misses");
    t->sizes = t->figure = 1;
    t->scales = PAPER_LOG_X | PAPER_LOG_Y;
    snprintf(t->unit, sizeof t->unit, "ns");
    for (i = 0; i < x->n; i++) {
        const int r = paper_row(t, x->bytes[i]);
        const double own = paper_curve_cycles(p, x->bytes[i]);
        t->value[r][1] = x->ns[i];
        if (paper_known(own) && ghz > 0) t->value[r][2] = own / paper_profile(p)->frequency.ghz;
    }
    return paper_end(p, t);
}

static int paper_mn5_table1(paper_call *p)
{
    const paper_latency *x = paper_latencies(p);
    const servet_profile *had = paper_profile(p);
    paper_table *t = &paper_sheet;
    double before = 0, slower = 0;
    int i;
    if (!x) return 1;
    if (!had || had->cache_count == 0) return paper_lack(p, "no cache level is known");
    paper_begin(t, "Average latency of each cache, and slowdown to the one before", "cache");
    paper_column(t, "avg. latency, ns");
    paper_column(t, "slowdown");
    paper_column(t, "ours: ns of a hit");
    for (i = 0; i < had->cache_count; i++) {
        const int r = paper_named(t, "L%d", i + 1);
        const double mean = paper_level_mean(x->bytes, x->ns, x->n, before, had->cache[i].bytes);
        if (mean > 0) t->value[r][1] = mean;
        if (mean > 0 && (i == 0 || slower > 0)) t->value[r][2] = i ? mean / slower : 1;
        t->value[r][3] = had->cache[i].latency_ns;
        slower = mean;
        before = had->cache[i].bytes;
    }
    return paper_end(p, t);
}

/* Figure 6, in parts of as many sizes as a call takes. */
static int paper_mn5_fig6(paper_call *p)
{
    static servet_strides x;
    const double most = p->quick ? 4194304 : fmin(67108864, paper_memory() / 8);
    servet_bandwidth_opts o;
    double bytes[SERVET_STRIDE_SIZES];
    paper_table *t = &paper_sheet;
    int i, k, n, at = 0, status;
    paper_begin(t, "Latency of a load of a random cycle, ns, by array size and distance of its elements", "bytes");
    for (k = 0; k < SERVET_STRIDES; k++) paper_column(t, "%d bytes", 8 << k);
    t->sizes = t->figure = 1;
    t->scales = PAPER_LOG_X | PAPER_LOG_Y;
    snprintf(t->unit, sizeof t->unit, "ns");
    status = paper_rig(p, most + 4194304);
    memset(&o, 0, sizeof o);
    o.rounds = 3;
    o.run.stop = stop;
    o.run.budget_s = p->quick ? 1.5 : 30;
    while (at < PAPER_LATENCIES && 1024 * paper_latency_kib[at] <= most && status >= 0 && !interrupted) {
        for (n = 0; n < SERVET_STRIDE_SIZES && at < PAPER_LATENCIES && 1024 * paper_latency_kib[at] <= most; at++)
            bytes[n++] = 1024 * paper_latency_kib[at];
        memset(&x, 0, sizeof x);
        status = servet_bandwidth_strides(&x, &p->m, bytes, n, &o);
        for (i = 0; i < x.sizes && status >= 0; i++) {
            const int r = paper_row(t, x.bytes[i]);
            for (k = 0; k < SERVET_STRIDES; k++) if (x.ns[i][k] > 0) t->value[r][k + 1] = x.ns[i][k];
        }
    }
    if (status < 0 && t->rows == 0) return paper_failed(p, status);
    return paper_end(p, t);
}

/* ---- parallel chains: Figure 7 --------------------------------------------------------------- */

/* MB/s of 1 to 32 chains over so much by each CPU, 4 bytes a load: the median of some rounds. */
static int paper_chain_rates(paper_call *p, double bytes, const int *cpu, int cpus, double *rate)
{
    enum { MOST = 32 };
    int chains[MOST], k, r, status;
    double ns[PAPER_ROUNDS];
    servet_sample s[MOST * (int)PAPER_ROUNDS];
    servet_parallel what;
    memset(&what, 0, sizeof what);
    for (k = 0; k < MOST; k++) chains[k] = k + 1;
    what.n = (size_t)(bytes / 64);
    what.chains = chains;
    what.counts = MOST;
    what.rounds = p->quick ? 3 : PAPER_ROUNDS;
    what.cpu = cpu;
    what.cpus = cpus;
    what.chase.pattern = SERVET_CHASE_RANDOM;
    what.chase.line_bytes = 64;
    status = paper_rig(p, bytes * cpus + 4194304);
    if (status >= 0) status = p->m.parallel(p->m.ctx, &what, s);
    for (k = 0; k < MOST && status >= 0; k++) {
        for (r = 0; r < what.rounds; r++) ns[r] = s[r * MOST + k].ns;
        rate[k] = 4e3 * cpus / paper_median(ns, what.rounds);
    }
    return status;
}

/* Lines: by size, or by CPUs over half of the second level. */
static int paper_chain_lines(paper_call *p, int by_cpus, const char *title)
{
    enum { MOST = 32, LINES = 12 };
    double rate[MOST], bytes[LINES];
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], count[LINES], lines = 0, i, k, n, status = 0;
    const servet_profile *had = paper_profile(p);
    paper_table *t = &paper_sheet;
    paper_fill_order(p, order, node_of);
    if (!had || had->cache_count == 0) return paper_lack(p, "no cache level is known");
    if (by_cpus) {
        for (n = 1; n < p->cpus && lines < LINES - 1; n *= 2) count[lines++] = n;
        count[lines++] = p->cpus;
    } else {    /* a quarter, half and three quarters of each level; then memory */
        for (i = 0; i < had->cache_count && i < 3; i++)
            for (k = 1; k <= 3 && lines < LINES - 1; k++) bytes[lines++] = floor(had->cache[i].bytes * k / 256) * 64;
        bytes[lines++] = paper_memory_bytes(p, 1);
    }
    paper_begin(t, title, "chains");
    for (k = 0; k < MOST; k++) paper_row(t, k + 1);
    for (i = 0; i < lines && status >= 0 && paper_going(i, lines); i++) {
        const double size = by_cpus ? floor(had->cache[had->cache_count > 1].bytes / 128) * 64 : bytes[i];
        if (by_cpus) paper_column(t, "%d CPU%s", count[i], count[i] > 1 ? "s" : "");
        else paper_column(t, "%s%.30s", i + 1 < lines ? "" : "memory: ", size_text(size).text);
        status = paper_chain_rates(p, size, order, by_cpus ? count[i] : 1, rate);
        for (k = 0; k < MOST && status >= 0; k++) t->value[k][t->columns - 1] = rate[k];
    }
    t->figure = 1;
    t->scales = PAPER_LOG_Y;
    snprintf(t->unit, sizeof t->unit, "MB/s");
    if (status < 0) return paper_failed(p, status);
    status = paper_end(p, t);
    paper_say(p, "beyond 12 chains their places are kept in memory, which costs a store more a load: seen in L1 alone");
    return status;
}

static int paper_mn5_fig7(paper_call *p)
{
    return paper_chain_lines(p, 0, "Bandwidth of independent chains, MB/s at 4 bytes a load, by array size");
}

static int paper_mn5_fig7b(paper_call *p)
{
    return paper_chain_lines(p, 1, "Bandwidth of independent chains in half of the second level, MB/s, by CPUs");
}

/* ---- sharing: Figures 8 to 10 ---------------------------------------------------------------- */

typedef struct paper_share { int operation; long times; void *at; } paper_share;

/* One operation a turn, of alternating writes two; as many as asked for. */
static int paper_share_work(servet_team *team, void *arg)
{
    const paper_share *x = (const paper_share *)arg;
    volatile double *one = (volatile double *)x->at, *two = one + 64 / sizeof *one;
    unsigned long *whole = (unsigned long *)x->at;
    const double v = 1;
    long i;
    (void)team;
    switch (x->operation) {
    case SERVET_OPERATE_READ:
        for (i = 0; i < x->times; i++) (void)*one;
        break;
    case SERVET_OPERATE_WRITE:
        for (i = 0; i < x->times; i++) *one = v;
        break;
    case SERVET_OPERATE_ALTERNATE:
        for (i = 0; i < x->times; i += 2) {
            *one = v;
            *two = v;
        }
        break;
    case SERVET_OPERATE_UPDATE:
        for (i = 0; i < x->times; i++) *one = *one;
        break;
    default:
        for (i = 0; i < x->times; i++) __atomic_fetch_add(whole, 1, __ATOMIC_SEQ_CST);
    }
    return SERVET_OK;
}

/* Wall time over the number of turns of each, thread creation included; turns grow until that is long enough.  In ns;
 * below 0 a status. */
static double paper_share_ns(paper_call *p, const int *cpu, int cpus, int operation, void *at)
{
    static paper_share x[SERVET_CORES_MAX];
    const double enough = p->quick ? 0.02 : 0.2;
    long times = 100000;
    int i, status;
    for (;;) {
        double began, took;
        for (i = 0; i < cpus; i++) {
            x[i].operation = operation;
            x[i].times = times;
            x[i].at = at;
        }
        began = paper_seconds();
        status = servet_team_run(cpu, cpus, &p->usable, paper_share_work, x, sizeof *x);
        took = paper_seconds() - began;
        if (status < 0) return status;
        if (took >= enough || times > 1000000000L) return 1e9 * took / (double)times;
        times *= took < enough / 10 ? 10 : 3;
    }
}

static double paper_ours_operation(const servet_profile *ours, int operation, int cpus)
{
    const servet_costs *c = ours && ours->coherence ? &ours->coherence->costs : NULL;
    int i;
    for (i = 0; c && i < c->count; i++)
        if (c->point[operation][i].cpus == cpus) return c->point[operation][i].ns;
    return PAPER_UNKNOWN;
}

static int paper_share_lines(paper_call *p, const int *operation, int operations, const char *title)
{
    const servet_profile *ours = paper_part(p, SERVET_PART_COHERENCE);
    paper_table *t = &paper_sheet;
    int order[SERVET_CORES_MAX], node_of[SERVET_CORES_MAX], count[32], counts, i, k, r;
    servet_region region;
    const int status = servet_machine_map(&region, 4096, SERVET_PAGES_DEFAULT);
    if (status < 0) return paper_failed(p, status);
    paper_begin(t, title, "cores");
    for (i = 0; i < operations; i++) paper_column(t, "%s", servet_text(SERVET_TEXT_OPERATION, operation[i]));
    t->drawn = operations;
    for (i = 0; i < operations; i++) paper_column(t, "ours: %s", servet_text(SERVET_TEXT_OPERATION, operation[i]));
    t->figure = 1;
    snprintf(t->unit, sizeof t->unit, "ns");
    paper_fill_order(p, order, node_of);
    counts = paper_counts(count, p->cpus);
    for (k = 0; k < counts && paper_going(k, counts); k++)
        for (r = paper_row(t, count[k]), i = 0; i < operations; i++) {
            const double ns = paper_share_ns(p, order, count[k], operation[i], region.base);
            if (ns < 0) {
                servet_machine_unmap(&region);
                return paper_failed(p, (int)ns);
            }
            t->value[r][i + 1] = ns;
            t->value[r][operations + i + 1] = paper_ours_operation(ours, operation[i], count[k]);
        }
    servet_machine_unmap(&region);
    return paper_end(p, t);
}

static int paper_mn5_fig8(paper_call *p)
{
    static const int read[] = { SERVET_OPERATE_READ };
    return paper_share_lines(p, read, 1, "Average ns of a read of one place, by reading cores");
}

static int paper_mn5_fig9(paper_call *p)
{
    static const int write[] = { SERVET_OPERATE_READ, SERVET_OPERATE_WRITE, SERVET_OPERATE_ALTERNATE };
    return paper_share_lines(p, write, 3, "Average ns of a write, by writing cores");
}

static int paper_mn5_fig10(paper_call *p)
{
    static const int update[] = { SERVET_OPERATE_UPDATE, SERVET_OPERATE_ATOMIC };
    return paper_share_lines(p, update, 2, "Average ns of an update, by updating cores");
}

static const paper_item paper_mn5_items[] = {
    { "fig2", "peak bandwidth of eight kernels by cores", 0, "3 s", paper_mn5_fig2 },
    { "peak", "theoretical peak, and the share reached", PAPER_ROOT, "1 s", paper_mn5_peak },
    { "fig3", "local and remote memory by cores", PAPER_NODES, "3 s", paper_mn5_fig3 },
    { "fig4", "interleaved memory by cores of two nodes", PAPER_NODES, "3 s", paper_mn5_fig4 },
    { "prefetch", "software prefetch on and off by cores (of Figure 3)", 0, "3 s", paper_mn5_prefetch },
    { "fig5", "latency by array size, 2 KiB to 1 GiB", 0, "20 s", paper_mn5_fig5 },
    { "table1", "average latency and slowdown of each cache", 0, "20 s", paper_mn5_table1 },
    { "fig6", "latency by array size and stride", 0, "20 s", paper_mn5_fig6 },
    { "fig7", "bandwidth of parallel chains by array size", 0, "2 s", paper_mn5_fig7 },
    { "fig7b", "bandwidth of parallel chains by CPUs", 0, "1 s", paper_mn5_fig7b },
    { "fig8", "shared reads by cores", PAPER_PAIR, "2 s", paper_mn5_fig8 },
    { "fig9", "shared writes by cores", PAPER_PAIR, "4 s", paper_mn5_fig9 },
    { "fig10", "shared updates by cores, plain and atomic", PAPER_PAIR, "3 s", paper_mn5_fig10 }
};

#endif

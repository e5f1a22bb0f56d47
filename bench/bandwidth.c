/* bandwidth.c - do servet's streams move as much as those that others wrote?
 *
 * Build:   cc -O2 -I. bench/bandwidth.c -o bandwidth -pthread -lm      (or: make bench)
 * Run:     bandwidth [likwid | stream | tbb | chains | caches ...]     parts; default all
 *          LIKWID_BENCH=path, STREAM=path, BWBENCH=path    the peers; a part without its peer says so
 *          PAIRS=n            pairs of a row at least; 6 give a median's interval of 95 %; default 6
 *          SECONDS=n          go on so long where a ratio is not yet known to 3 %, for each number of threads (likwid:
 *                             of each row); default 120; 0 = no longer
 *          MIB=n              memory of a thread; default 96; 0.015625 for the first level (likwid)
 *          THREADS=n          1 or 2 alone; KERNEL=a,b  these alone (likwid)
 * Prints CSV after a context in lines with #; asserts nothing.  How to get the peers: bench/README.md.
 *
 * Each row is one interleaved run: servet and the peer, the peer and servet, in turn, on the same CPUs with as much
 * memory (STREAM and TheBandwidthBenchmark: with what they were compiled for).  ratio is the median of servet / peer
 * over the pairs, lo and hi order statistics that bound it.  Pairs go on until these are within 3 % of it; told says
 * whether they came to be (yes), or the time ended first and the row cannot tell more than its interval (no).  As the
 * end is looked for after each pair, an interval fails a little more often than in 1 of 20.  Both are means over
 * several passes, as the peers give them, so whatever disturbs is in both: likwid's threads wait for each other after
 * all passes, those of the others after each one, and so do servet's.  best compares the best pass of each run where
 * the peer tells it (STREAM, TheBandwidthBenchmark), else the best run.
 *
 *   likwid   likwid-bench, same vectors: load, store, copy, stream (here triad), update, and their _mem_ forms
 *            (non-temporal).  Cycles of its time stamp counter are taken as time, since it finds no clock in a guest
 *   stream   jeffhammond/STREAM, best of copy, scale and triad by regular and by non-temporal stores against what
 *            the compiler made of it
 *   tbb      TheBandwidthBenchmark: init, sum, copy, update, triad
 *   chains   loads under way by level, and how long all of it took
 *   caches   all kernels in footprints of the first levels, in bytes a cycle
 */
#ifndef BENCH_FLAGS
#  define BENCH_FLAGS "flags unknown"
#endif
#define SERVET_IMPLEMENTATION
#include "servet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 400, PASSES = 6 };
#define TOLD 0.03

static servet_rig rig;
static servet_machine machine;
static servet_timer timer;
static int cpu[2], cpus, threads_min = 1, pairs = 6;
static double more_s = 120;
static double thread_bytes = 96.0 * 1048576;

/* ---- peers ---------------------------------------------------------------------------------------- */

/* What a command prints; 0 where it fails. */
static int run(const char *command, char *text, size_t cap)
{
    FILE *f = popen(command, "r");
    size_t n;
    if (!f) return 0;
    n = fread(text, 1, cap - 1, f);
    text[n] = 0;
    return pclose(f) == 0 && n > 0;
}

/* The number behind a name at the beginning of a line, the k-th; 0 where there is none. */
static double number(const char *text, const char *name, int k)
{
    const char *at = text;
    char *end;
    double x = 0;
    while (at && strncmp(at, name, strlen(name)) != 0) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (!at) return 0;
    for (at += strlen(name); k >= 0; k--, at = end) {
        while (*at == ' ' || *at == '\t' || *at == ':' || *at == '-' || *at == '(') at++;
        x = strtod(at, &end);
        if (end == at) return 0;
    }
    return x;
}

static double likwid_rate(const char *program, const char *test, int threads, double bytes, int passes)
{
    char command[512], text[8192];
    double ns, moved;
    snprintf(command, sizeof command, "taskset -c %d%s%.0d %s -t %s -W N:%.0fkB:%d -i %d 2>/dev/null", cpu[0],
             threads > 1 ? "," : "", threads > 1 ? cpu[1] : 0, program, test, bytes * threads / 1000, threads,
             passes * threads);
    if (!run(command, text, sizeof text)) return 0;
    ns = number(text, "Cycles:", 0) * timer.ns_per_tick;
    moved = number(text, "Data volume (Byte):", 0);
    return ns > 0 ? moved / ns : 0;
}

/* ---- servet ------------------------------------------------------------------------------------------ */

/* GB/s of a kernel: the mean of so many samples of an effort, and the best of them.  By default a sample is one pass
 * over memory, after which the threads wait for each other. */
static double stream_rate(int kernel, int streaming, int threads, double bytes, int passes, double effort, double *best)
{
    servet_stream_sample out[SERVET_SAMPLES_MAX];
    servet_stream s;
    servet_streams q;
    double time = 0;
    int i;
    memset(&s, 0, sizeof s);
    memset(&q, 0, sizeof q);
    s.kernel = kernel;
    s.streaming = streaming;
    q.stream = &s;
    q.streams = 1;
    q.rounds = passes;
    q.cpu = cpu;
    q.cpus = threads;
    q.bytes = bytes;
    q.effort = effort;
    if (machine.bandwidth(machine.ctx, &q, out) < 0) return 0;
    for (i = 0; i < passes; i++) {
        time += 1e9 / out[i].bytes_per_s;
        if (best && out[i].bytes_per_s * 1e-9 > *best) *best = out[i].bytes_per_s * 1e-9;
    }
    return passes / time;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef struct row {
    double servet[PAIRS_MAX], peer[PAIRS_MAX], best_servet, best_peer;
    int n;
} row;

static double median(double *x, int n)
{
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

/* The median of a row's ratios, between order statistics.  Returns whether it is known to 3 %. */
static int row_ratio(const row *r, double *mid, double *lo, double *hi)
{
    double ratio[PAIRS_MAX];
    int i, k = 0;
    for (i = 0; i < r->n; i++) ratio[i] = r->servet[i] / r->peer[i];
    *mid = median(ratio, r->n);
    while (2 * (k + 2) <= r->n && servet_stats_binomial_tail(r->n, r->n - k - 1, 0.5) <= 0.025) k++;
    *lo = ratio[k];
    *hi = ratio[r->n - 1 - k];
    return servet_stats_binomial_tail(r->n, r->n - k, 0.5) <= 0.025 && *lo >= *mid * (1 - TOLD)
        && *hi <= *mid * (1 + TOLD);
}

/* One pair more of these rows?  Those without any pair have no peer. */
static int goes_on(const row *r, int rows, int taken, double from_s)
{
    double mid, lo, hi;
    int i, open = 0;
    for (i = 0; i < rows; i++) open += r[i].n > 0 && !row_ratio(&r[i], &mid, &lo, &hi);
    return taken < pairs || (open > 0 && taken < PAIRS_MAX && machine.seconds(machine.ctx) - from_s < more_s);
}

static void print_row(const row *r, const char *kernel, int streaming, int threads, double bytes, const char *peer)
{
    double a[PAIRS_MAX], b[PAIRS_MAX], mid, lo, hi;
    int told;
    if (r->n < 1) {
        printf("# %s %s: no answer\n", peer, kernel);
        return;
    }
    memcpy(a, r->servet, sizeof a);
    memcpy(b, r->peer, sizeof b);
    told = row_ratio(r, &mid, &lo, &hi);
    printf("%s,%s,%s,%d,%.0f,%.2f,%.2f,%.3f,%.3f,%.3f,%s,%d,%.2f,%.2f,%.3f\n", peer, kernel,
           streaming ? "non-temporal" : "regular", threads, bytes, median(a, r->n), median(b, r->n), mid, lo, hi,
           told ? "yes" : "no", r->n, r->best_servet, r->best_peer, r->best_servet / r->best_peer);
    fflush(stdout);
}

static void add(row *r, double servet, double peer)
{
    if (!(servet > 0 && peer > 0) || r->n == PAIRS_MAX) return;
    r->servet[r->n] = servet;
    r->peer[r->n++] = peer;
    if (peer > r->best_peer) r->best_peer = peer;
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

static void part_likwid(void)
{
    static const struct { int kernel, streaming; const char *name; } tests[] = {
        { SERVET_STREAM_LOAD, 0, "load" }, { SERVET_STREAM_STORE, 0, "store" }, { SERVET_STREAM_COPY, 0, "copy" },
        { SERVET_STREAM_TRIAD, 0, "stream" }, { SERVET_STREAM_UPDATE, 0, "update" },
        { SERVET_STREAM_STORE, 1, "store_mem" }, { SERVET_STREAM_COPY, 1, "copy_mem" },
        { SERVET_STREAM_TRIAD, 1, "stream_mem" } };
    const char *program = getenv("LIKWID_BENCH");
    const char *suffix = rig.vector == SERVET_VECTOR_512 ? "_avx512"
                       : rig.vector == SERVET_VECTOR_256 ? "_avx" : "_sse";
    int i, t, p, order;
    if (!program) {
        printf("# likwid: LIKWID_BENCH is not set\n");
        return;
    }
    for (t = threads_min; t <= cpus; t++)
        for (i = 0; i < (int)(sizeof tests / sizeof *tests); i++) {
            static row r;
            const double from_s = machine.seconds(machine.ctx);
            char test[64];
            if (getenv("KERNEL") && !strstr(getenv("KERNEL"),
                                            servet_text(SERVET_TEXT_KERNEL, tests[i].kernel))) continue;
            memset(&r, 0, sizeof r);
            snprintf(test, sizeof test, "%s%s", tests[i].name, suffix);
            for (p = 0; goes_on(&r, 1, p, from_s); p++) {
                double ours = 0, theirs = 0;
                for (order = 0; order < 2; order++)
                    if ((order + p) % 2) theirs = likwid_rate(program, test, t, thread_bytes,
                                                             thread_bytes > 1e7 ? PASSES : (int)(5e9 / thread_bytes));
                    else ours = stream_rate(tests[i].kernel, tests[i].streaming, t, thread_bytes, 1, 100, NULL);
                if (ours > r.best_servet) r.best_servet = ours;
                add(&r, ours, theirs);
            }
            print_row(&r, servet_text(SERVET_TEXT_KERNEL, tests[i].kernel), tests[i].streaming, t, thread_bytes,
                      "likwid");
        }
}

/* A program that times several kernels: each against servet's runs before and after it, of both sorts of stores, since
 * a compiler may have chosen either. */
static void part_program(const char *peer, const char *variable, const char *arguments, const char *const *names,
                         const int *kernel, int kernels, double scale)
{
    const char *program = getenv(variable);
    int t, p, i;
    if (!program) {
        printf("# %s: %s is not set\n", peer, variable);
        return;
    }
    for (t = threads_min; t <= cpus; t++) {
        static row r[2][8];
        const double from_s = machine.seconds(machine.ctx);
        memset(r, 0, sizeof r);
        for (p = 0; goes_on(r[0], 16, p, from_s); p++) {
            char command[512], text[16384];
            double ours[2][8], again[2][8];
            int turn, nt;
            for (turn = 0; turn < 2; turn++) {
                for (i = 0; i < kernels; i++)
                    for (nt = 0; nt < 2; nt++) {
                        const int has = !nt || (kernel[i] != SERVET_STREAM_LOAD && kernel[i] != SERVET_STREAM_UPDATE);
                        double best = r[nt][i].best_servet;
                        const double x = has ? stream_rate(kernel[i], nt, t, thread_bytes, PASSES / 2, 0, &best) : 0;
                        r[nt][i].best_servet = best;
                        if (turn) again[nt][i] = x;
                        else ours[nt][i] = x;
                    }
                if (turn) break;
                snprintf(command, sizeof command, "OMP_NUM_THREADS=%d OMP_PROC_BIND=close OMP_PLACES='{%d},{%d}' "
                         "taskset -c %d,%d %s %s", t, cpu[0], cpu[cpus - 1], cpu[0], cpu[cpus - 1], program, arguments);
                if (!run(command, text, sizeof text)) text[0] = 0;
            }
            for (i = 0; i < kernels; i++)
                for (nt = 0; nt < 2; nt++) {   /* best rate, then average, least and most time */
                    const double best = number(text, names[i], 0) * scale;
                    const int column = strcmp(peer, "stream") == 0 || kernel[i] == SERVET_STREAM_STORE
                                     || kernel[i] == SERVET_STREAM_COPY ? 1 : 2;
                    const double average = number(text, names[i], column), least = number(text, names[i], column + 1);
                    if (!(ours[nt][i] > 0 && again[nt][i] > 0 && average > 0)) continue;
                    add(&r[nt][i], 2 / (1 / ours[nt][i] + 1 / again[nt][i]), best * least / average);
                    if (best > r[nt][i].best_peer) r[nt][i].best_peer = best;
                }
        }
        for (i = 0; i < kernels; i++) {
            print_row(&r[0][i], servet_text(SERVET_TEXT_KERNEL, kernel[i]), 0, t, thread_bytes, peer);
            if (r[1][i].n) print_row(&r[1][i], servet_text(SERVET_TEXT_KERNEL, kernel[i]), 1, t, thread_bytes, peer);
        }
    }
}

static void part_chains(void)
{
    static const double bytes[] = { 24576, 393216, 8388608, 0 };
    static servet_parallelism p;
    servet_bandwidth_opts o;
    int t, l;
    memset(&o, 0, sizeof o);
    o.rounds = 5;
    printf("chains,threads,bytes,latency_ns,lo,hi,mlp,lo,hi,k90,GB_per_s,lo,hi,seconds\n");
    for (t = threads_min; t <= cpus; t++) {
        double all = 0;
        for (l = 0; l < 4; l++) {
            servet_mlp m;
            if (servet_bandwidth_parallel(&p, &machine, bytes[l] > 0 ? bytes[l] : thread_bytes, cpu, t, &o) < 0
                || servet__bandwidth_fit_parallel(&m, &p) < 0) {
                printf("# chains of %.0f bytes: no answer\n", bytes[l]);
                continue;
            }
            all += p.seconds;
            printf("chains,%d,%.0f,%.2f,%.2f,%.2f,%.1f,%.1f,%.1f,%d,%.1f,%.1f,%.1f,%.3f\n", t, p.bytes, m.latency_ns,
                   m.lo_latency_ns, m.hi_latency_ns, m.mlp, m.lo_mlp, m.hi_mlp, m.k90, m.bytes_per_s * 1e-9,
                   m.lo_bytes_per_s * 1e-9, m.hi_bytes_per_s * 1e-9, p.seconds);
        }
        printf("# all levels, %d threads: %.2f s\n", t, all);
    }
}

static void part_caches(void)
{
    static const double bytes[] = { 16384, 32768, 524288, 8388608 };
    static servet_bandwidth b;
    servet_frequency f;
    int i;
    memset(&b, 0, sizeof b);
    memset(&f, 0, sizeof f);
    if (servet_bandwidth_kernels(&b, &machine, bytes, 4, cpu, cpus, NULL) < 0
        || servet_timer_frequency(&f, &timer, 0.05) < 0) return;
    printf("caches,kernel,stores,threads,bytes,GB_per_s,lo,hi,bytes_per_cycle_and_thread,noisy\n");
    for (i = 0; i < b.count; i++) {
        const servet_bandwidth_point *p = &b.point[i];
        printf("caches,%s,%s,%d,%.0f,%.1f,%.1f,%.1f,%.1f,%d of %d\n", servet_text(SERVET_TEXT_KERNEL, p->kernel),
               p->streaming ? "non-temporal" : "regular", p->cpus, p->bytes, p->bytes_per_s * 1e-9,
               p->lo_bytes_per_s * 1e-9, p->hi_bytes_per_s * 1e-9, p->bytes_per_s * 1e-9 / f.ghz / p->cpus, p->noisy,
               p->samples);
    }
    printf("# %.3f GHz, %.2f s\n", f.ghz, b.seconds);
}

int main(int argc, char **argv)
{
    static const char *const stream_names[] = { "Copy:", "Scale:", "Triad:" };
    static const int stream_kernels[] = { SERVET_STREAM_COPY, SERVET_STREAM_SCALE, SERVET_STREAM_TRIAD };
    static const char *const tbb_names[] = { "Init", "Sum", "Copy", "Update", "Triad" };
    static const int tbb_kernels[] = { SERVET_STREAM_STORE, SERVET_STREAM_LOAD, SERVET_STREAM_COPY,
                                       SERVET_STREAM_UPDATE, SERVET_STREAM_TRIAD };
    static servet_host host;
    servet_cpus all;
    servet_rig_opts o;
    int i;
    if (getenv("PAIRS")) pairs = atoi(getenv("PAIRS"));
    if (getenv("MIB")) thread_bytes = atof(getenv("MIB")) * 1048576;
    if (getenv("SECONDS")) more_s = atof(getenv("SECONDS"));
    if (pairs < 1 || pairs > PAIRS_MAX || !(thread_bytes >= 8192 && thread_bytes < 1e11) || !(more_s >= 0)) {
        fprintf(stderr, "bandwidth: PAIRS from 1 to %d, MIB from 0.0078125, SECONDS from 0\n", PAIRS_MAX);
        return 2;
    }
    servet_machine_cpus(&all);
    cpu[0] = servet_cpus_next(&all, -1);
    cpu[1] = servet_cpus_next(&all, cpu[0]);
    cpus = cpu[1] >= 0 ? 2 : 1;
    if (getenv("THREADS") && atoi(getenv("THREADS")) <= cpus) threads_min = cpus = atoi(getenv("THREADS"));
    memset(&o, 0, sizeof o);
    o.hi_bytes = thread_bytes > 1048576 ? 2 * thread_bytes : 2097152;
    o.cpu_plus_1 = cpu[0] + 1;
    if (servet_timer_init(&timer, NULL) < 0 || servet_rig_open(&rig, &o) < 0) {
        fprintf(stderr, "bandwidth: no timer, or no memory\n");
        return 1;
    }
    machine = servet_rig_machine(&rig);
    servet__machine_host(&host);
    printf("# %s, %s, %s %s; CPUs %s; vectors of %s; %.0f %% of memory on huge pages; " BENCH_FLAGS "\n",
           host.cpu_model, host.hypervisor[0] ? host.hypervisor : "no hypervisor seen", host.os, host.kernel,
           host.cpus, servet_text(SERVET_TEXT_VECTOR, rig.vector),
           100.0 * (double)rig.region.huge_bytes / (double)rig.region.bytes);
    printf("peer,kernel,stores,threads,bytes_a_thread,servet_GB_per_s,peer_GB_per_s,ratio,lo,hi,told,pairs,"
           "best_servet,best_peer,best_ratio\n");
    for (i = argc > 1 ? 1 : 0; i < argc; i++) {
        const char *what = argc > 1 ? argv[i] : NULL;
        if (!what || !strcmp(what, "likwid")) part_likwid();
        if (!what || !strcmp(what, "stream"))
            part_program("stream", "STREAM", "", stream_names, stream_kernels, 3, 1e-3);
        if (!what || !strcmp(what, "tbb")) part_program("tbb", "BWBENCH", "-n 6", tbb_names, tbb_kernels, 5, 1);
        if (!what || !strcmp(what, "chains")) part_chains();
        if (!what || !strcmp(what, "caches")) part_caches();
    }
    servet_rig_close(&rig);
    return 0;
}

/* latency.c - does servet's chase agree with chases that others wrote?
 *
 * Build:   cc -O2 -I. bench/latency.c -o latency -pthread -lm          (or: make bench)
 * Run:     latency [KiB ...]          footprints; default 16 192 512 262144
 *          MULTICHASE=path            google/multichase, else looked for in PATH
 *          LAT_MEM_RD=path            lmbench's lat_mem_rd, else looked for in PATH
 *          LAT_MEM_RD_MIB=n           sweep it that far (default 1: all its points below come first, 0.1 s each)
 *          TIMES=n                    n times as many pairs in n times a minute; 2 gives multichase its 95 %; default 1
 * Prints CSV after a context in lines with #; asserts nothing.  How to get the peers: bench/README.md.
 *
 * Each row is one interleaved run of servet, peer, servet, peer ..., both on the same CPU; with own the pairs are
 * (servet, peer) and (peer, servet) in turn, with a program its neighbours on both sides make the pair.
 * ratio is the median of the ratios servet / peer of the pairs; lo and hi are order statistics that bound this
 * median with the confidence in the next column (6 pairs are needed for 95 %).  flagged counts samples of servet and
 * runs of programs that were disturbed (several samples go into a pair with a program); none is left out.
 * All chases visit every 64-byte line of the footprint in random order over all of it (SERVET_CHASE_RANDOM).
 * compact_ns is what servet's default order, which keeps TLB misses out, takes: the difference is the TLB's part.
 *
 *   own          written here from nothing: own pages, shuffle, walk, clock.  Like servet it draws 4 KiB pages anew,
 *                from a window of four times the footprint and at least 8 MiB (on huge pages that window decides
 *                about TLB misses); links a Fisher-Yates permutation, walks it once around before it times
 *   multichase   -c simple -s 64 -T size -m size: the same order; contiguous pages
 *   lat_mem_rd   -t: every load on another page than the last, pages always in the same order, so beyond the reach
 *                of the first TLB level (64 pages or more) each load misses it, where a random order hits sometimes.
 *                Rows so marked (*) compare two experiments: expect a ratio below 1
 *
 * What is left between like experiments is the estimator.  The programs give means of 0.1 to 0.5 s, with timer ticks
 * and whatever else took the CPU in it: a line of the context says how far such a mean is above the median here.
 * servet gives the lower quartile of three parts, own the median of nine.
 */
#define SERVET_IMPLEMENTATION
#include "servet.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE 64u
#define PAGE 4096u
#define LINES_PER_PAGE (PAGE / LINE)
#define FOOTPRINTS_MAX 16
#define PAIRS_MAX 64
#define BLOCKS 9

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- statistics: median, and the order statistics that bound it ---------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *x, int n)   /* sorts x */
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* Rank k (from 1) such that [x(k), x(n+1-k)] holds the median in 95 cases of 100, or k = 1 and what that gives. */
static int median_rank(int n, double *confidence)
{
    double below = pow(0.5, n), term = below;   /* P[B(n, 1/2) <= k - 1] */
    int k = 1;
    while (2 * k < n) {
        term *= (double)(n - k + 1) / (double)k;
        if (2.0 * (below + term) > 0.05) break;
        below += term;
        k++;
    }
    *confidence = 1.0 - 2.0 * below;
    return k;
}

/* ---- the peer in this process -------------------------------------------------------------------- */

typedef struct peer {
    unsigned char *base;      /* pages x PAGE bytes                     */
    void    *map;
    size_t   map_bytes, pages;
    uint32_t *page;           /* pages to draw from, the drawn in front */
    uint32_t *order;          /* lines in the order they are visited    */
    uint64_t rng;
} peer;

static uint32_t peer_below(peer *p, uint32_t n)
{
    p->rng ^= p->rng << 13;                    /* xorshift64* (Marsaglia, Vigna) */
    p->rng ^= p->rng >> 7;
    p->rng ^= p->rng << 17;
    return (uint32_t)((((p->rng * UINT64_C(0x2545F4914F6CDD1D)) >> 32) * n) >> 32);
}

static int peer_open(peer *p, size_t bytes, int huge)
{
    const size_t align = (size_t)2 << 20;
    size_t i;
    memset(p, 0, sizeof *p);
    p->pages = bytes / PAGE;
    p->map_bytes = bytes + align;
    p->rng = UINT64_C(88172645463325252);
    p->map = mmap(NULL, p->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (p->map == MAP_FAILED) return -1;
    p->base = (unsigned char *)p->map + (align - (uintptr_t)p->map % align) % align;
#if defined(MADV_HUGEPAGE) && defined(MADV_NOHUGEPAGE)
    (void)madvise(p->map, p->map_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
    (void)huge;
#endif
    p->page = (uint32_t *)malloc(p->pages * sizeof *p->page);
    p->order = (uint32_t *)malloc(p->pages * LINES_PER_PAGE * sizeof *p->order);
    if (!p->page || !p->order) {
        free(p->page);
        free(p->order);
        munmap(p->map, p->map_bytes);
        return -1;
    }
    for (i = 0; i < p->pages; i++) p->base[i * PAGE] = 1;
    return 0;
}

static void peer_close(peer *p)
{
    munmap(p->map, p->map_bytes);
    free(p->page);
    free(p->order);
}

/* Sixteen dependent loads a turn. */
static void *peer_walk(void *p, size_t sixteens)
{
    while (sixteens--) {
#if defined(__GNUC__) && defined(__x86_64__)
#  define PEER_LOAD "movq (%0), %0\n\t"
#elif defined(__GNUC__) && defined(__aarch64__)
#  define PEER_LOAD "ldr %0, [%0]\n\t"
#endif
#ifdef PEER_LOAD
        __asm__ volatile(PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD
                         PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD PEER_LOAD
                         : "+r"(p) : : "memory");
#else
        int i;
        for (i = 0; i < 16; i++) p = *(void *volatile *)p;
#endif
    }
    return p;
}

static void *peer_line(const peer *p, uint32_t line)
{
    return p->base + (size_t)p->page[line / LINES_PER_PAGE] * PAGE + line % LINES_PER_PAGE * LINE;
}

/* Latency of one random cycle over n lines on pages drawn anew; < 0 if it is no cycle.
 * Warm: once around, so that what the building left dirty or cached is gone where the footprint is large.
 * Timed: median of BLOCKS equal parts; together at least 2 ms, and a cycle or 600 000 loads of it. */
static double peer_sample(peer *p, size_t n)
{
    size_t need = (n + LINES_PER_PAGE - 1) / LINES_PER_PAGE, window = 4 * need, from, i, block;
    double t0, each, ns[BLOCKS];
    void *at, *start;
    if (window < ((size_t)8 << 20) / PAGE) window = ((size_t)8 << 20) / PAGE;
    if (window > p->pages) window = p->pages;
    from = peer_below(p, (uint32_t)(p->pages - window + 1));
    for (i = 0; i < window; i++) p->page[i] = (uint32_t)(from + i);
    for (i = 0; i < need; i++) {
        size_t j = i + peer_below(p, (uint32_t)(window - i));
        uint32_t t = p->page[i];
        p->page[i] = p->page[j];
        p->page[j] = t;
    }
    for (i = 0; i < n; i++) p->order[i] = (uint32_t)i;
    for (i = n - 1; i > 0; i--) {
        size_t j = peer_below(p, (uint32_t)(i + 1));
        uint32_t t = p->order[i];
        p->order[i] = p->order[j];
        p->order[j] = t;
    }
    for (i = 0; i < n; i++)
        *(void **)peer_line(p, p->order[i]) = peer_line(p, p->order[i + 1 < n ? i + 1 : 0]);

    at = start = peer_line(p, p->order[0]);
    t0 = now_s();
    at = peer_walk(at, n / 16);
    for (i = 0; i < n % 16; i++) at = *(void *volatile *)at;
    each = (now_s() - t0) / (double)n;
    if (at != start) return -1.0;
    while (now_s() - t0 < 0.002) {              /* short cycles: until the caches and the clock have settled */
        double t1 = now_s();
        at = peer_walk(at, 1 + n / 16);
        each = (now_s() - t1) / (double)(16 * (1 + n / 16));
    }
    block = (size_t)(0.002 / (each > 1e-10 ? each : 1e-10));
    if (block < n) block = n < 600000 ? n : 600000;
    block = block / (16 * BLOCKS) + 1;
    for (i = 0; i < BLOCKS; i++) {
        t0 = now_s();
        at = peer_walk(at, block);
        ns[i] = 1e9 * (now_s() - t0) / (double)(16 * block);
    }
    if (at == NULL) return -1.0;
    return median_of(ns, BLOCKS);
}

/* How far the mean of half a second is above the median of its milliseconds, for a load of the first level. */
static void print_taken(peer *p)
{
    static double ms[500];
    size_t n = 16384 / LINE, i, turns;
    double each = peer_sample(p, n), sum = 0.0, mid;
    void *at = peer_line(p, p->order[0]);
    if (each <= 0.0) return;
    turns = (size_t)(1e6 / each) / 16 + 1;
    for (i = 0; i < 500; i++) {
        double t0 = now_s();
        at = peer_walk(at, turns);
        ms[i] = now_s() - t0;
        sum += ms[i];
    }
    mid = median_of(ms, 500);
    if (at) printf("# half a second of L1 loads: its mean is %.1f %% above the median of its milliseconds\n",
                   100.0 * (sum / 500.0 / mid - 1.0));
}

/* ---- peers that are programs --------------------------------------------------------------------- */

/* Path of a program: from the environment, else from PATH; 0 = none. */
static int find_program(char *path, size_t cap, const char *variable, const char *name)
{
    const char *env = getenv(variable), *dir = getenv("PATH");
    if (env && *env) {
        if (snprintf(path, cap, "%s", env) < (int)cap && access(path, X_OK) == 0) return 1;
        printf("# %s: %s=%s cannot be run: skipped\n", name, variable, env);
        return 0;
    }
    while (dir && *dir) {
        size_t length = strcspn(dir, ":");
        if (snprintf(path, cap, "%.*s/%s", (int)length, dir, name) < (int)cap && access(path, X_OK) == 0) return 1;
        dir += length + (dir[length] == ':');
    }
    printf("# %s: neither %s nor a program of this name in PATH: skipped\n", name, variable);
    return 0;
}

extern char **environ;

static double children_s(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_CHILDREN, &u) != 0) return 0.0;
    return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec
         + 1e-6 * ((double)u.ru_utime.tv_usec + (double)u.ru_stime.tv_usec);
}

/* Runs a program and gathers what it prints on both streams; < 0 if it failed or took longer than limit_s, 1 if
 * others had its CPU for more than 3 % of the time (it is one of those that never wait), else 0.
 * It inherits the CPU this thread is bound to.  Not by fork: that would make all pages of this process copies on write,
 * and the next sample would take faults. */
static int run_program(char *const argv[], char *out, size_t cap, double limit_s)
{
    const double begun = now_s(), used_s = children_s();
    int fd[2], status = 0;
    size_t used = 0;
    double end = begun + limit_s;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (pipe(fd) != 0) return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 2);
    posix_spawn_file_actions_addclose(&actions, fd[0]);
    posix_spawn_file_actions_addclose(&actions, fd[1]);
    status = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    if (status != 0) {
        close(fd[0]);
        return -1;
    }
    for (;;) {
        struct pollfd p;
        ssize_t got;
        double left = end - now_s();
        p.fd = fd[0];
        p.events = POLLIN;
        p.revents = 0;
        if (left <= 0.0 || used + 1 >= cap) {
            kill(pid, SIGKILL);
            break;
        }
        if (poll(&p, 1, (int)(left * 1e3) + 1) < 0 && errno != EINTR) break;
        if (!(p.revents & (POLLIN | POLLHUP))) continue;
        got = read(fd[0], out + used, cap - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    close(fd[0]);
    out[used] = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
    return children_s() - used_s < 0.97 * (now_s() - begun);
}

/* One run of half a second after another half that it drops itself; once more if it was disturbed. */
static double multichase_sample(char *program, double bytes, int huge, int *flagged)
{
    char size[32], out[4096], arg[8][12] = { "-c", "simple", "-s", "64", "-F", "0", "-n", "1" };
    char total[] = "-m", local[] = "-T", thp[] = "-H";
    char *argv[16];
    int i, n = 0, status;
    double ns;
    snprintf(size, sizeof size, "%.0f", bytes);
    argv[n++] = program;
    for (i = 0; i < 8; i++) argv[n++] = arg[i];
    argv[n++] = total;
    argv[n++] = size;
    argv[n++] = local;
    argv[n++] = size;
    if (huge) argv[n++] = thp;
    argv[n] = NULL;
    status = run_program(argv, out, sizeof out, 20.0);
    if (status > 0) status = run_program(argv, out, sizeof out, 20.0);
    if (status < 0 || sscanf(out, "%lf", &ns) != 1) return -1.0;
    *flagged += status > 0;
    return ns;
}

/* A whole sweep: ns[] for the footprints that are among its sizes, 0 for others. */
static int lat_mem_rd_sample(char *program, int mib, const double *bytes, int count, double *ns, int *flagged)
{
    static char out[65536];
    char arg[6][12] = { "-t", "-N", "1", "", "64", "" }, *argv[8], *line;
    int i, n = 0, status;
    snprintf(arg[3], sizeof arg[3], "%d", mib);
    argv[n++] = program;
    for (i = 0; i < 5; i++) argv[n++] = arg[i];
    argv[n] = NULL;
    for (i = 0; i < count; i++) ns[i] = 0.0;
    status = run_program(argv, out, sizeof out, mib > 1 ? 120.0 : 20.0);
    if (status < 0) return -1;
    *flagged = status;
    for (line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        double size, value;
        if (sscanf(line, "%lf %lf", &size, &value) != 2) continue;
        for (i = 0; i < count; i++)
            if (fabs(size * 1048576.0 / bytes[i] - 1.0) < 0.002 && value > 0.0) ns[i] = value;   /* five decimals */
    }
    return 0;
}

/* ---- servet -------------------------------------------------------------------------------------- */

static double servet_ns(const servet_machine *m, double bytes, int pattern, int *flagged)
{
    servet_chase_opts chase;
    servet_sample s;
    static uint64_t seed;
    memset(&chase, 0, sizeof chase);
    memset(&s, 0, sizeof s);
    chase.pattern = pattern;
    chase.line_bytes = (int)LINE;
    chase.page_bytes = (int)PAGE;
    chase.seed = ++seed;
    if (m->chase(m->ctx, (size_t)(bytes / LINE), &chase, &s) < 0) return -1.0;
    if (flagged && (s.flags & ~(unsigned)SERVET_NOISE_STEAL)) ++*flagged;   /* steal may have been before it */
    return s.ns;
}

static double servet_median(const servet_machine *m, double bytes, int times, int *flagged)
{
    double x[8];
    int i;
    for (i = 0; i < times; i++) {
        x[i] = servet_ns(m, bytes, SERVET_CHASE_RANDOM, flagged);
        if (x[i] <= 0.0) return -1.0;
    }
    return median_of(x, times);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

typedef struct row {
    int    n, flagged;
    double servet[PAIRS_MAX], peer[PAIRS_MAX], ratio[PAIRS_MAX];
} row;

static void row_add(row *r, double servet, double other)
{
    if (r->n >= PAIRS_MAX || servet <= 0.0 || other <= 0.0) return;
    r->servet[r->n] = servet;
    r->peer[r->n] = other;
    r->ratio[r->n++] = servet / other;
}

static void row_print(row *r, const char *pages, double bytes, const char *name, double compact)
{
    double confidence, mid;
    int k;
    if (r->n < 1) {
        printf("# %s, %.0f KiB, %s: no pair\n", pages, bytes / 1024.0, name);
        return;
    }
    k = median_rank(r->n, &confidence);
    mid = median_of(r->ratio, r->n);
    printf("%s,%10.0f, %-11s,%9.3f,%9.3f,%7.3f,%7.3f,%7.3f,%5.2f,%3d,%3d,", pages, bytes / 1024.0, name,
           median_of(r->servet, r->n), median_of(r->peer, r->n), mid, r->ratio[k - 1], r->ratio[r->n - k],
           confidence, r->n, r->flagged);
    if (compact > 0.0) printf("%9.3f", compact);
    printf("\n");
    fflush(stdout);
}

/* How much of this process lies on transparent huge pages, as the kernel tells; < 0 = it does not. */
static double huge_bytes(void)
{
    char line[256];
    double kib = -1.0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (!f) return -1.0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "AnonHugePages: %lf", &kib) == 1) break;
    fclose(f);
    return kib < 0.0 ? -1.0 : kib * 1024.0;
}

static void print_file_line(const char *label, const char *path)
{
    char line[256];
    FILE *f = fopen(path, "r");
    if (!f) return;
    if (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        printf("# %s: %s\n", label, line);
    }
    fclose(f);
}

static void print_context(void)
{
    static servet_host host;
    time_t t = time(NULL);
    char when[32] = "";
    const struct tm *utc = gmtime(&t);
    if (utc) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", utc);
    printf("# servet %s, bench/latency, %s\n", SERVET_VERSION, when);
    servet__machine_host(&host);
    printf("# cpu: %s, %s, %d usable, hypervisor: %s\n# system: %s %s\n", host.cpu_model, host.arch,
           host.cpu_count, host.hypervisor[0] ? host.hypervisor : "none seen", host.os, host.kernel);
#if defined(__clang__)
    printf("# compiler: %s", __VERSION__);
#elif defined(__GNUC__)
    printf("# compiler: gcc %s", __VERSION__);
#else
    printf("# compiler: unknown");
#endif
#if defined(BENCH_FLAGS)
    printf(", flags: %s\n", BENCH_FLAGS);
#elif defined(__OPTIMIZE__)
    printf(", optimised\n");
#else
    printf(", not optimised\n");
#endif
    print_file_line("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    print_file_line("huge pages", "/sys/kernel/mm/transparent_hugepage/enabled");
    print_file_line("load", "/proc/loadavg");
}

/* ---- one page kind ------------------------------------------------------------------------------- */

typedef struct bench {
    double bytes[FOOTPRINTS_MAX];
    int    count, times;
    double start_s, limit_s;
    char   multichase[1024], lat_mem_rd[1024];
    int    has_multichase, has_lat_mem_rd, lat_mem_rd_mib;
} bench;

static int late(const bench *b) { return now_s() - b->start_s > b->limit_s; }

static void compare_own(const bench *b, const servet_machine *m, peer *p, const char *pages, int i)
{
    static row r;
    double bytes = b->bytes[i], compact[PAIRS_MAX];
    int want = (bytes < 4e6 ? 31 : bytes < 64e6 ? 15 : 6) * b->times, j, c = 0;
    memset(&r, 0, sizeof r);
    for (j = 0; j < want && j < PAIRS_MAX && !late(b); j++) {
        double a = 0.0, o = 0.0, x;
        if (j % 2 == 0) a = servet_ns(m, bytes, SERVET_CHASE_RANDOM, &r.flagged);
        o = peer_sample(p, (size_t)(bytes / LINE));
        if (j % 2 != 0) a = servet_ns(m, bytes, SERVET_CHASE_RANDOM, &r.flagged);
        if (o < 0.0) printf("# own: the chain is not one cycle\n");
        row_add(&r, a, o);
        if (j % 2 != 0) continue;
        x = servet_ns(m, bytes, SERVET_CHASE_COMPACT, NULL);
        if (x > 0.0) compact[c++] = x;
    }
    row_print(&r, pages, bytes, "own", c ? median_of(compact, c) : 0.0);
}

/* Programs take long: servet is sampled before and after each run, and the middle of the two is the pair's. */
static void compare_multichase(bench *b, const servet_machine *m, const char *pages, int i, int huge)
{
    static row r;
    double bytes = b->bytes[i];
    int times = bytes < 64e6 ? 5 : 1, j;
    double before, after, o;
    memset(&r, 0, sizeof r);
    before = servet_median(m, bytes, times, &r.flagged);
    for (j = 0; j < 3 * b->times && j < PAIRS_MAX && !late(b); j++) {
        o = multichase_sample(b->multichase, bytes, huge, &r.flagged);
        if (o <= 0.0) {
            printf("# multichase: did not run or printed no number\n");
            break;
        }
        after = servet_median(m, bytes, times, &r.flagged);
        row_add(&r, before > 0.0 && after > 0.0 ? sqrt(before * after) : -1.0, o);
        before = after;
    }
    row_print(&r, pages, bytes, "multichase", 0.0);
}

static void compare_lat_mem_rd(bench *b, const servet_machine *m, const char *pages)
{
    static row r[FOOTPRINTS_MAX];
    int i, j, disturbed;
    memset(r, 0, sizeof r);
    for (j = 0; j < 2 * b->times && j < PAIRS_MAX && !late(b); j++) {
        double a[FOOTPRINTS_MAX], o[FOOTPRINTS_MAX];
        for (i = 0; i < b->count; i++) {
            a[i] = 0.0;
            if (b->bytes[i] <= b->lat_mem_rd_mib * 1048576.0) a[i] = servet_median(m, b->bytes[i], 5, &r[i].flagged);
        }
        if (lat_mem_rd_sample(b->lat_mem_rd, b->lat_mem_rd_mib, b->bytes, b->count, o, &disturbed) < 0) {
            printf("# lat_mem_rd: failed or took too long\n");
            break;
        }
        for (i = 0; i < b->count; i++)
            if (a[i] > 0.0 && o[i] > 0.0) {
                double z = servet_median(m, b->bytes[i], 5, &r[i].flagged);
                r[i].flagged += disturbed;
                row_add(&r[i], z > 0.0 ? sqrt(a[i] * z) : -1.0, o[i]);
            }
    }
    for (i = 0; i < b->count; i++) {
        const char *name = b->bytes[i] > 64.0 * PAGE ? "lat_mem_rd*" : "lat_mem_rd";
        if (r[i].n > 0) row_print(&r[i], pages, b->bytes[i], name, 0.0);
        else printf("# %s, %.0f KiB, lat_mem_rd: no pair, or not among its sizes up to %d MiB\n", pages,
                    b->bytes[i] / 1024.0, b->lat_mem_rd_mib);
    }
}

static void compare(bench *b, int huge)
{
    static servet_rig rig;
    servet_rig_opts opts;
    servet_machine m;
    peer p;
    const char *pages = huge ? "huge " : "small";
    double hi = 4096.0 * 1024.0, h0, h1, h2;
    int i, status;
    for (i = 0; i < b->count; i++)
        if (b->bytes[i] > hi) hi = b->bytes[i];
    memset(&opts, 0, sizeof opts);
    opts.hi_bytes = hi;
    opts.pages = huge ? SERVET_PAGES_HUGE : SERVET_PAGES_SMALL;
    opts.line_bytes = (int)LINE;
    h0 = huge_bytes();
    status = servet_rig_open(&rig, &opts);
    if (status < 0) {
        printf("# %s: servet_rig_open: %s\n", pages, servet_status_text(status));
        return;
    }
    h1 = huge_bytes();
    if (peer_open(&p, (size_t)hi, huge) < 0) {
        printf("# %s: no memory for the peer\n", pages);
        servet_rig_close(&rig);
        return;
    }
    h2 = huge_bytes();
    if (h0 >= 0.0)
        printf("# %s: on huge pages: servet %.0f MiB with its lists, own %.0f MiB, of %.0f MiB each\n", pages,
               (h1 - h0) / 1048576.0, (h2 - h1) / 1048576.0, hi / 1048576.0);
    else
        printf("# %s: the kernel does not tell what pages were obtained\n", pages);
    m = servet_rig_machine(&rig);
    print_taken(&p);
    for (i = 0; i < b->count; i++) {
        compare_own(b, &m, &p, pages, i);
        /* it maps just the footprint, so a small one never gets a huge page */
        if (b->has_multichase && (!huge || b->bytes[i] >= 64e6)) compare_multichase(b, &m, pages, i, huge);
    }
    if (b->has_lat_mem_rd && !huge) compare_lat_mem_rd(b, &m, pages);
    peer_close(&p);
    servet_rig_close(&rig);
}

int main(int argc, char **argv)
{
    static bench b;
    static const double footprints[] = { 16, 192, 512, 262144 };
    const char *env;
    long number;
    int i;
    b.start_s = now_s();
    for (i = 1; i < argc && b.count < FOOTPRINTS_MAX; i++) {
        double kib = strtod(argv[i], NULL);
        if (!(kib >= 1.0 && kib <= 16.0 * 1048576.0)) {
            fprintf(stderr, "latency: footprints are KiB from 1 to 16777216, not %s\n", argv[i]);
            return 2;
        }
        b.bytes[b.count++] = floor(kib) * 1024.0;
    }
    for (i = 0; argc < 2 && i < 4; i++) b.bytes[b.count++] = footprints[i] * 1024.0;
    env = getenv("TIMES");
    number = env ? strtol(env, NULL, 10) : 1;
    b.times = number >= 1 && number <= 1000 ? (int)number : 1;
    b.limit_s = 50.0 * b.times;
    env = getenv("LAT_MEM_RD_MIB");
    number = env ? strtol(env, NULL, 10) : 1;
    b.lat_mem_rd_mib = number >= 1 && number <= 4096 ? (int)number : 1;
    /* lat_mem_rd times 0.1 s a point in any case; this spares it a search for the shortest time that would do,
     * which takes long where timers are coarse or the machine is busy. */
    setenv("ENOUGH", "100000", 0);

    print_context();
    b.has_multichase = find_program(b.multichase, sizeof b.multichase, "MULTICHASE", "multichase");
    b.has_lat_mem_rd = find_program(b.lat_mem_rd, sizeof b.lat_mem_rd, "LAT_MEM_RD", "lat_mem_rd");
    printf("pages,footprint_kib, peer,     servet_ns, peer_ns,  ratio,     lo,     hi, conf, pairs, flagged, "
           "compact_ns\n");
    compare(&b, 1);
    compare(&b, 0);
    printf("# %.1f s\n", now_s() - b.start_s);
    return 0;
}

/* servet - measures this machine's memory hierarchy and says what a program gets from it
 *
 *     make run            or   cc -O2 examples/servet.c -I. -lm -pthread -o servet && ./servet
 *
 * Results go to standard output, messages to standard error.  Exit 0: done, if interrupted with what was known by
 * then; 1: check found a disagreement, or nothing could be determined; 2: bad usage or input. */
#define SERVET_IMPLEMENTATION
#define SERVET_MPI_OFFLINE    /* what was measured between ranks of MPI is shown and inferred again, not measured */
#include "servet_mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: servet [run] [-o FILE] [--quick | --full | --budget SECONDS] [--cpus LIST] [--only LIST]\n"
    "                    [--quiet] [--json]\n"
    "       servet show [PROFILE]          the report as text\n"
    "       servet check [PROFILE]         measured against sysfs, sysconf, CPUID; exit 1 if any disagrees\n"
    "       servet infer PROFILE           infer again from the evidence in a profile\n"
    "       servet fit CURVE.csv [--method model|servet] [--page BYTES]     levels of any `bytes,ns` curve, as JSON\n"
    "       servet layers MATRIX.csv       groups and layers of any square matrix of pair costs, as JSON\n"
    "       servet map [-n PROCESSES] [--memory | --comm | --matrix TRAFFIC.csv | --pattern NAME] [--format FORM]\n"
    "                  [PROFILE]           which cores for so many processes (as many as are useful), and which where\n"
    "       servet export --hwloc FILE.xml | --glibc | --gcc | --header | --env [PROFILE]     for programs that know\n"
    "                                      nothing of it: topology, GLIBC_TUNABLES, options, constants, variables\n"
    "       servet paper [WORK [ITEM]] [--csv | --svg FILE] [--quick] [--profile PROFILE]     tables and figures of\n"
    "                                      the works behind it, as published and by ours; alone: which there are\n"
    "A file may be - for standard input; without PROFILE the saved one of this machine is used.\n"
    "--only takes a list of: caches, tlb, prefetched, cores, bandwidth, coherence, automaton, survival\n"
    "--pattern takes ring, stencil2d, stencil3d (stencil2d:4x8 of such sizes), alltoall\n"
    "--format takes list, taskset, omp, openmpi, openmpi5, mpich, slurm, slurm-hosts, cray, json\n";

static volatile sig_atomic_t interrupted;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static int fail(const char *format, ...)
{
    va_list args;
    fputs("servet: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 2;
}

/* The second one ends it at once; one in the same second is the first again, sent to process and group. */
static void on_interrupt(int sig)
{
    static volatile time_t first;
    const time_t now = time(NULL);
    if (!interrupted) first = now;
    interrupted = 1;
    if (now <= first + 1) return;
    signal(sig, SIG_DFL);
    raise(sig);
}

static int stop(void *ctx)
{
    (void)ctx;
    return interrupted;
}

static void progress(void *ctx, double done_frac, double left_s)
{
    int *last = (int *)ctx, now = (int)(100 * done_frac);
    if (now == *last) return;
    *last = now;
    fprintf(stderr, "\rmeasuring: %3d %%, %.1f s left ", now, left_s);
}

/* Interrupts end what is measured from here on; where somebody looks on he sees how far it is. */
static void begin_measuring(servet_profile_opts *o, int quiet)
{
    static int last;
    last = -1;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    o->run.stop = stop;
    if (quiet || !isatty(2)) return;
    o->run.progress = progress;
    o->run.ctx = &last;
}

static void end_measuring(const servet_profile_opts *o)
{
    if (o->run.progress) fputs("\r                                        \r", stderr);
}

/* ---- numbers as people read them ------------------------------------------------------------- */

typedef struct words { char text[160]; } words;

/* Sizes in units of 2^10, with three digits. */
static words size_text(double bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    words w;
    int u = 0;
    while (bytes >= 1024 && u < 4) {
        bytes /= 1024;
        u++;
    }
    snprintf(w.text, sizeof w.text, "%.*f %s", bytes == floor(bytes) || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2, bytes,
             unit[u]);
    return w;
}

static words said_text(double bytes)
{
    words nothing = { "nothing" };
    return bytes > 0 ? size_text(bytes) : nothing;
}

static words times_text(double lo_ns, double hi_ns)
{
    words w;
    snprintf(w.text, sizeof w.text, "[%.*f, %.*f]", lo_ns >= 10 ? 1 : 2, lo_ns, hi_ns >= 10 ? 1 : 2, hi_ns);
    return w;
}

static words interval_text(double lo_bytes, double hi_bytes)
{
    words w, lo = size_text(lo_bytes), hi = size_text(hi_bytes);
    snprintf(w.text, sizeof w.text, "[%.40s, %.40s]", lo.text, hi.text);
    return w;
}

static words how_text(const servet_cache *c)
{
    words w;
    const words usual = size_text(c->usual_bytes);
    if (c->method == SERVET_BY_COUNT && c->usual_bytes < c->bytes)
        snprintf(w.text, sizeof w.text, "counted; mostly %.40s were to be had: others keep the rest", usual.text);
    else if (c->method == SERVET_BY_COUNT && c->ways)
        snprintf(w.text, sizeof w.text, "counted, %d ways of %.40s", c->ways, size_text(c->bytes / c->ways).text);
    else if (c->method == SERVET_BY_COUNT)
        snprintf(w.text, sizeof w.text, "counted");
    else if (c->method == SERVET_BY_HELD && c->usual_bytes < 0.9 * c->bytes)
        snprintf(w.text, sizeof w.text, "held at good moments, mostly %.40s: others use it too", usual.text);
    else if (c->method == SERVET_BY_HELD)
        snprintf(w.text, sizeof w.text, "held");
    else if (c->method == SERVET_BY_MODEL)
        snprintf(w.text, sizeof w.text, "miss-rate model, %s, %s placement, off by %.0f %% of the step",
                 servet_text(SERVET_TEXT_POLICY, c->policy),
                 servet_text(SERVET_TEXT_PLACEMENT, c->placement), 100 * c->misfit_frac);
    else
        snprintf(w.text, sizeof w.text, "between two points of the curve");
    return w;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void report_host(const servet_profile *p)
{
    const servet_host *h = &p->host;
    printf("%s, %d CPU%s usable (%s)%s%s\n", h->cpu_model[0] ? h->cpu_model : h->arch, h->cpu_count,
           h->cpu_count == 1 ? "" : "s", h->cpus, h->hypervisor[0] ? ", a guest of " : "", h->hypervisor);
    printf("%s %s, %s of memory", h->os, h->kernel, size_text(h->memory_bytes).text);
    if (p->frequency.ghz > 0)
        printf("; core at %.3f GHz [%.3f, %.3f]%s", p->frequency.ghz, p->frequency.lo_ghz, p->frequency.hi_ghz,
               p->frequency.consistent ? "" : ", not confirmed by the first level's latency");
    if (p->timer_valid)
        printf("; %s in steps of %.3g ns, known to %.0f ppm",
               p->timer.source == SERVET_TIMER_COUNTER ? "counter" : "clock", p->timer.step_ns,
               1e6 * p->timer.error_frac);
    printf("\n");
}

static void report_levels(const servet_profile *p)
{
    int i;
    printf("\n%-8s%-10s  %-22s%8s  %-15s%7s  %s\n", "level", "size", "95 % interval *", "ns", "interval", "cycles",
           "how");
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        printf("L%-7d%-10s  %-22s%8.*f  %-15s%7.1f  %s%s%s\n", i + 1, size_text(c->bytes).text,
               interval_text(c->lo_bytes, c->hi_bytes).text, c->latency_ns >= 10 ? 1 : 2, c->latency_ns,
               times_text(c->lo_ns, c->hi_ns).text, c->latency_cycles, how_text(c).text,
               !c->unresolved ? "" : c->method == SERVET_BY_HELD ? "; unresolved: more may be there"
                              : "; unresolved: the likeliest of sizes far apart",
               c->effective && c->method != SERVET_BY_HELD ? "; what could be had meanwhile" : "");
    }
    if (p->cache_count == 0) printf("no cache level could be determined\n");
    if (p->memory_ns > 0)
        printf("%-8s%-10s  %-22s%8.1f  %-15s%7.1f  TLB misses kept out\n", "memory", "", "", p->memory_ns,
               times_text(p->memory_lo_ns, p->memory_hi_ns).text, p->memory_ns * p->frequency.ghz);
    else printf("memory  not reached within the range measured\n");
    for (i = 0; i < p->cache_count; i++)
        if (p->cache[i].effective) printf("* the last level's: from the first misses to where they are the rule\n");
    for (i = 0; i < p->doubtful_count; i++)
        printf("doubtful step at %s (x%.2f): %s\n", size_text(p->doubtful[i].bytes).text, p->doubtful[i].ratio,
               servet_text(SERVET_TEXT_DOUBT, p->doubtful[i].why));
}

static void report_tlb(const char *pages, const servet_tlb *t, double ghz)
{
    int i;
    for (i = 0; i < t->count; i++) {
        const servet_tlb_level *l = &t->level[i];
        words w;
        snprintf(w.text, sizeof w.text, "[%d, %d]", l->lo_entries, l->hi_entries);
        printf("TLB %-4d%-10d  %-22s%8.2f  %-15s%7.1f  a miss costs that much more; %s pages\n", i + 1, l->entries,
               w.text, l->penalty_ns, times_text(l->lo_ns, l->hi_ns).text, l->penalty_ns * ghz, pages);
    }
    if (t->walk_ns > 0)
        printf("%-42s%8.2f  %-15s%7.1f  a page walk, page tables near\n", "walk", t->walk_ns, "", t->walk_ns * ghz);
    if (t->walk_far_ns > 0)
        printf("%-42s%8.2f  %-15s%7.1f  page tables far, at %d pages\n", "", t->walk_far_ns, "",
               t->walk_far_ns * ghz, t->seen_pages);
    if (t->count == 0 && t->seen_pages > 0) printf("TLB     %s pages: no step up to %d\n", pages, t->seen_pages);
}

static void report_pages(const servet_profile *p)
{
    if (p->line.line_bytes > 0) {
        printf("line    %d bytes [%d, %d]", p->line.line_bytes, p->line.lo_bytes, p->line.hi_bytes);
        if (p->line.fetch_bytes > p->line.line_bytes) printf(", fetched in %d", p->line.fetch_bytes);
        printf("\n");
    }
    report_tlb(size_text(p->host.page_bytes).text, &p->tlb.small, p->frequency.ghz);
    report_tlb(size_text(p->host.huge_page_bytes).text, &p->tlb.large, p->frequency.ghz);
    if (p->tlb.backing == SERVET_BACKING_SPLIT || p->tlb.backing == SERVET_BACKING_PART)
        printf("large pages are not large to the TLBs: the machine below splits them (%s)\n",
               servet_text(SERVET_TEXT_BACKING, p->tlb.backing));
}

/* What a finding is about: "L2 size", "TLB 1 entries, 4 KiB pages". */
static words finding_text(const servet_finding *f)
{
    words w;
    if (f->what == SERVET_FINDING_ENTRIES)
        snprintf(w.text, sizeof w.text, "TLB %d, %.40s pages", f->level, size_text(f->page_bytes).text);
    else if (f->what == SERVET_FINDING_SHARED) snprintf(w.text, sizeof w.text, "L%d sharers", f->level);
    else snprintf(w.text, sizeof w.text, "L%d %s", f->level, servet_text(SERVET_TEXT_FINDING, f->what));
    return w;
}

/* A number that is said or measured, in its unit. */
static words amount_text(const servet_finding *f, double amount)
{
    words w;
    if (f->what == SERVET_FINDING_BYTES || f->what == SERVET_FINDING_LINE) return said_text(amount);
    if (amount > 0) snprintf(w.text, sizeof w.text, "%.0f", amount);
    else return said_text(0);
    return w;
}

/* Where the system's own numbers disagree, a line each thing and verdict. */
static void report_verdicts(const servet_profile *p)
{
    servet_finding found[SERVET_FINDINGS_MAX];
    int i, k, count = servet_profile_check(found, SERVET_FINDINGS_MAX, p), agree = 0, disagree = 0;
    for (i = 0; i < count; i++) {
        const servet_finding *f = &found[i];
        agree += f->verdict == SERVET_VERDICT_AGREE;
        if (f->verdict <= SERVET_VERDICT_AGREE) continue;
        disagree++;
        for (k = 0; k < i; k++)    /* told with an earlier one? */
            if (found[k].what == f->what && found[k].level == f->level && found[k].page_bytes == f->page_bytes
                && found[k].verdict == f->verdict) break;
        if (k < i) continue;
        printf("%s:", finding_text(f).text);
        for (k = i; k < count; k++)
            if (found[k].what == f->what && found[k].level == f->level && found[k].page_bytes == f->page_bytes
                && found[k].verdict == f->verdict)
                printf("%s %s says %s", k > i ? "," : "", servet_text(SERVET_TEXT_REPORT, found[k].source),
                       amount_text(&found[k], found[k].said).text);
        printf("; %s (%s)\n", f->verdict == SERVET_VERDICT_SHARED_LESS ? "a program gets less of it"
                            : f->verdict == SERVET_VERDICT_OS_MISSING ? "it is there" : "that is not so",
               servet_text(SERVET_TEXT_VERDICT, f->verdict));
    }
    if (agree > 0 && disagree == 0) printf("what the system reports agrees\n");
}

/* Rates in units of 10^9 bytes a second, as makers of memory have them. */
static words rate_text(double bytes_per_s)
{
    words w;
    const double gb = bytes_per_s * 1e-9;
    snprintf(w.text, sizeof w.text, "%.*f", gb >= 100 ? 0 : gb >= 10 ? 1 : 2, gb);
    return w;
}

static words level_text(int level)
{
    words w;
    if (level > 0) snprintf(w.text, sizeof w.text, "L%d", level);
    else snprintf(w.text, sizeof w.text, "%s", level ? "-" : "memory");
    return w;
}

/* Is a kernel among the rates at all? */
static int has_rate(const servet_rates *b, int kernel, int streaming)
{
    int i;
    for (i = 0; i < b->count; i++) if (b->rate[i].kernel == kernel && b->rate[i].streaming == streaming) return 1;
    return 0;
}

static const servet_rate *find_rate(const servet_rates *b, const servet_rate *like, int kernel, int streaming)
{
    int i;
    for (i = 0; i < b->count; i++)
        if (b->rate[i].kernel == kernel && b->rate[i].streaming == streaming && b->rate[i].cpus == like->cpus
            && b->rate[i].bytes == like->bytes) return &b->rate[i];
    return NULL;
}

/* The next in order of working sets, then CPUs; NULL after the last. */
static const servet_rate *next_rate(const servet_rates *b, const servet_rate *after)
{
    const servet_rate *next = NULL;
    int i;
    for (i = 0; i < b->count; i++) {
        const servet_rate *r = &b->rate[i];
        if (r->kernel != SERVET_STREAM_LOAD || r->streaming) continue;
        if (after && (r->bytes < after->bytes || (r->bytes == after->bytes && r->cpus <= after->cpus))) continue;
        if (!next || r->bytes < next->bytes || (r->bytes == next->bytes && r->cpus < next->cpus)) next = r;
    }
    return next;
}

static void report_kernels(const servet_rates *b, const servet_rate *first)
{
    int k, some = 0;
    printf("\nGB/s     CPUs  working set ");
    for (k = 0; k < SERVET_STREAM_KERNELS; k++) printf(" %6s", servet_text(SERVET_TEXT_KERNEL, k));
    printf("  within");
    for (k = 0; k < SERVET_STREAM_KERNELS; k++)
        if (has_rate(b, k, 1)) printf("%s %6s", some++ ? "" : "  non-temporal", servet_text(SERVET_TEXT_KERNEL, k));
    printf("  (%s)\n", servet_text(SERVET_TEXT_VECTOR, first->vector));
}

/* Streams: a line for each working set and number of CPUs, and the widest interval among its kernels. */
static void report_rates(const servet_profile *p)
{
    const servet_rates *b = &p->bandwidth;
    const servet_rate *r, *x;
    int i, k;
    for (r = next_rate(b, NULL), i = 0; r; r = next_rate(b, r), i++) {
        double worst = 0;
        int some = 0;
        if (i == 0) report_kernels(b, r);
        printf("%-8s%5d  %-12s", level_text(r->level).text, r->cpus, size_text(r->bytes).text);
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
            x = find_rate(b, r, k, 0);
            printf(" %6s", x ? rate_text(x->bytes_per_s).text : "-");
            if (x && x->bytes_per_s > 0)
                worst = fmax(worst, fmax(x->hi_bytes_per_s / x->bytes_per_s - 1,
                                         1 - x->lo_bytes_per_s / x->bytes_per_s));
        }
        printf("%6.0f %%", 100 * worst);
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
            if (!has_rate(b, k, 1)) continue;
            x = find_rate(b, r, k, 1);
            if (!x) break;
            printf("%*s %6s", some++ ? 0 : 14, "", rate_text(x->bytes_per_s).text);
        }
        printf("\n");
    }
    for (i = 0; i < b->growths; i++) {
        const servet_growth *g = &b->growth[i];
        printf("%s by CPUs, %s:", servet_text(SERVET_TEXT_KERNEL, g->kernel),
               g->spread ? "groups taken in turn" : "added one by one");
        for (k = 0; k < g->count; k++)
            printf("%s %d: %s", k ? "," : "", g->cpus[k], rate_text(g->bytes_per_s[k]).text);
        printf(" GB/s");
        if (g->fitted) printf("; 95 %% of the best from %d [%d, %d] CPUs on", g->fit.enough, g->fit.lo_enough,
                              g->fit.hi_enough);
        printf("\n");
    }
    if (b->loads > 1) {
        const servet_loaded *busy = &b->loaded[b->loads - 1];
        printf("memory beside loads of %s GB/s: %.1f ns [%.1f, %.1f], idle %.1f ns [%.1f, %.1f]\n",
               rate_text(busy->bytes_per_s).text, busy->latency_ns, busy->lo_ns, busy->hi_ns, b->loaded[0].latency_ns,
               b->loaded[0].lo_ns, b->loaded[0].hi_ns);
    }
}

static void report_chains(const servet_profile *p)
{
    int i;
    if (p->chains_count) printf("\nlevel    CPUs  loads under way       90 %% by chains   GB/s in lines\n");
    for (i = 0; i < p->chains_count; i++) {
        const servet_chains *c = &p->chains[i];
        words many, chains;
        if (c->mlp.open) snprintf(many.text, sizeof many.text, "at least %.1f", c->mlp.lo_mlp);
        else snprintf(many.text, sizeof many.text, "%.1f [%.1f, %.1f]", c->mlp.mlp, c->mlp.lo_mlp, c->mlp.hi_mlp);
        snprintf(chains.text, sizeof chains.text, "%d [%d, %d]", c->mlp.k90, c->mlp.lo_k90, c->mlp.hi_k90);
        printf("%-8s%5d  %-20s  %-16s  %s [%s, %s]\n", level_text(c->level).text, c->cpus, many.text, chains.text,
               rate_text(c->mlp.bytes_per_s).text, rate_text(c->mlp.lo_bytes_per_s).text,
               rate_text(c->mlp.hi_bytes_per_s).text);
    }
}

static void report_stores(const servet_profile *p)
{
    int i;
    for (i = 0; i < p->streaming_count; i++) {
        const servet_streaming *s = &p->streaming[i];
        printf("non-temporal copies by %d CPU%s ", s->cpus, s->cpus == 1 ? "" : "s");
        if (s->always) printf("win at every size");
        else if (!(s->bytes > 0)) printf("were not seen to win; from %s each on they may", size_text(s->lo_bytes).text);
        else if (s->hi_bytes > 0)
            printf("win from %s each %s on", size_text(s->bytes).text, interval_text(s->lo_bytes, s->hi_bytes).text);
        else printf("may win from %s each on, not surely", size_text(s->bytes).text);
        printf("; %+.0f %% at the largest\n", 100 * s->gain_frac);
    }
}

/* What a walk of ascending addresses costs, which prefetchers follow. */
static void report_prefetched(const servet_profile *p)
{
    const servet_curve *c = p->evidence ? &p->evidence->prefetched : NULL;
    int i;
    if (!c || c->count == 0) return;
    printf("\nascending addresses, which prefetchers follow: ns of a load by working set\n");
    for (i = 0; i < c->count; i++)
        printf("%10s %8.2f  %-15s%s", size_text(c->point[i].bytes).text, c->point[i].ns,
               times_text(c->point[i].lo_ns, c->point[i].hi_ns).text, i % 2 && i + 1 < c->count ? "\n" : "    ");
    printf("\n");
}

/* Bytes to count on, by the time until they are used again. */
static void report_resident(const servet_profile *p)
{
    static const double seconds[] = { 1e-4, 1e-3, 1e-2, 5e-2 };
    servet_question q;
    servet_answer a;
    int i;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_RESIDENT;
    for (i = 0; p->survival_count && i < (int)(sizeof seconds / sizeof *seconds); i++) {
        q.seconds = seconds[i];
        if (servet_ask(&a, p, &q) >= 0)
            printf("%s%.3g ms: %s %s", i ? "; " : "to count on if used again within ", 1e3 * seconds[i],
                   size_text(a.value).text, interval_text(a.lo, a.hi).text);
    }
    if (p->survival_count) printf("\n");
}

static void print_half(double ns, const servet_survival *s)
{
    if (ns > 0) printf("  %.3g", ns * 1e-6);
    else printf("  over %.3g", s->waits > 0 ? s->age_ns[s->waits - 1] * 1e-6 : 0);
}

/* How long lines of a set stay in the last level when they are left alone. */
static void report_survival(const servet_profile *p)
{
    int i, k;
    if (p->survival_count) printf("\nleft alone, %% still in caches after:\n     set");
    for (k = 0; p->survival_count && k < p->survival[0].waits; k++)
        printf("%8.2g ms", p->survival[0].age_ns[k] * 1e-6);
    if (p->survival_count) printf("   half of them for ms    best and worst quarter\n");
    for (i = 0; i < p->survival_count; i++) {
        const servet_survival *s = &p->survival[i];
        words half;
        printf("%8s", size_text(s->bytes).text);
        for (k = 0; k < s->waits; k++) printf("%11.0f", 100 * s->frac[k]);
        if (!(s->half_ns > 0)) snprintf(half.text, sizeof half.text, "over %.3g", s->lo_half_ns * 1e-6);
        else if (!(s->hi_half_ns > 0)) snprintf(half.text, sizeof half.text, "%.3g [%.3g, open]", s->half_ns * 1e-6,
                                                s->lo_half_ns * 1e-6);
        else snprintf(half.text, sizeof half.text, "%.3g [%.3g, %.3g]", s->half_ns * 1e-6, s->lo_half_ns * 1e-6,
                      s->hi_half_ns * 1e-6);
        printf("   %-20s", half.text);
        print_half(s->quiet_half_ns, s);
        print_half(s->busy_half_ns, s);
        printf("\n");
    }
    report_resident(p);
}

static void report_nodes(const servet_profile *p)
{
    int i;
    if (p->node_count)
        printf("\nfrom node  to node    ns  interval          GB/s: one loads  triad  all load  triad\n");
    for (i = 0; i < p->node_count; i++) {
        const servet_node_rate *r = &p->node[i];
        words to;
        if (r->node < 0) snprintf(to.text, sizeof to.text, "in turn");
        else snprintf(to.text, sizeof to.text, "%d", r->node);
        printf("%-9d  %-7s %7.1f  %-16s %15s %6s %9s %6s\n", r->cpu_node, to.text, r->latency_ns,
               times_text(r->lo_ns, r->hi_ns).text, rate_text(r->load_bytes_per_s).text,
               rate_text(r->triad_bytes_per_s).text, rate_text(r->all_load_bytes_per_s).text,
               rate_text(r->all_triad_bytes_per_s).text);
    }
}

/* The CPUs of a group, as a list; of many groups the first few. */
static void print_members(const int16_t *group, const int *cpu, int n, int which)
{
    static servet_cpus cpus;
    char text[4096];
    int i;
    memset(&cpus, 0, sizeof cpus);
    for (i = 0; i < n; i++) if (group[i] == which) servet_cpus_add(&cpus, cpu[i]);
    if (servet_cpus_write(&cpus, text, sizeof text) >= 0) printf(" {%s}", text);
}

static void print_groups_of(const int16_t *group, const int *cpu, int n, int groups)
{
    enum { SHOWN = 16 };
    int g;
    for (g = 0; g < groups && g < SHOWN; g++) print_members(group, cpu, n, g);
    if (groups > SHOWN) printf(" and %d more", groups - SHOWN);
}

/* Up to 16 CPUs pair by pair, one way; ? where a pair was disturbed and is not to be believed. */
static void report_matrix(const servet_cores *c)
{
    int a, b;
    printf("%-7s", "ns");
    for (b = 0; b < c->count; b++) printf("%7d", c->cpu[b]);
    printf("\n");
    for (a = 0; a < c->count; a++) {
        printf("%-7d", c->cpu[a]);
        for (b = 0; b < c->count; b++) {
            const int at = a == b ? 0 : SERVET_PAIRS_AT(a, b);
            const double ns = a == b ? 0 : (double)c->ns[SERVET_HANDOFF_FLAGS][at];
            if (a == b || !(ns > 0)) printf("%7s", a == b ? "-" : ".");
            else printf("%6.*f%s", ns >= 100 ? 0 : 1, ns, c->state[at] == SERVET_CORES_CONTAMINATED ? "?"
                        : b + 1 < c->count ? " " : "");
        }
        printf("\n");
    }
}

static void report_cores(const servet_profile *p)
{
    const servet_cores *c = p->cores;
    const servet_layers *l = &p->layers;
    int i, k;
    if (!c || c->count == 0) {
        if (p->made.parts & (SERVET_PART_CORES | SERVET_PART_COHERENCE) && p->host.cpu_count < 2)
            printf("\none CPU usable: nothing is between CPUs\n");
        else if (p->made.parts & SERVET_PART_CORES)
            printf("\nbetween CPUs: not measured%s\n", p->made.stopped ? ", as it was interrupted"
                   : ", as it takes two CPUs that threads can be bound to");
        return;
    }
    printf("\nbetween CPUs, one way of a line%s\n", c->count > 16 ? "" : " by two flags");
    if (c->count <= 16) report_matrix(c);
    if (c->count < c->of) printf("%d of %d CPUs\n", c->count, c->of);
    if (c->contaminated)
        printf("%d of %d pairs disturbed: %s\n", c->contaminated, c->sound + c->contaminated,
               c->count <= 16 ? "those marked ? are not to be believed" : "left out");
    if (c->moved) printf("%d pairs seen at another distance at times: virtual CPUs that their host moves?\n", c->moved);
    if (c->count == 2 && c->sound)
        printf("by compare-and-swap %.1f ns; home of the line matters by %.0f %%\n",
               (double)c->ns[SERVET_HANDOFF_CAS][0], 100 * c->home_frac);
    for (i = 0; i < l->count; i++) {
        printf("layer %d  %.1f ns [%.1f, %.1f]:", i + 1, l->layer[i].latency_ns, l->layer[i].lo_ns, l->layer[i].hi_ns);
        print_groups_of(l->group[i], c->cpu, c->count, l->layer[i].groups);
        printf("\n");
    }
    if (l->cores > 2 && l->outermost_ns > 0)
        printf("%s %.1f ns [%.1f, %.1f]\n", l->count ? "between all" : "no CPU is nearer than another:",
               l->outermost_ns, l->lo_ns, l->hi_ns);
    for (k = 0; l->kinds > 1 && k < l->kinds; k++) {
        printf("role %d:", k + 1);
        print_members(l->kind, c->cpu, c->count, k);
        printf("\n");
    }
    if (p->cores_with_siblings > 0) {
        printf("threads of one core:");
        print_groups_of(p->smt, c->cpu, c->count, p->cores_with_siblings);
        printf("\n");
    } else {
        printf("%s\n", p->cores_with_siblings == 0 ? "no two of them are threads of one core"
               : "whether two are threads of one core is not known");
    }
}

static void report_sharing(const servet_profile *p)
{
    const servet_sharing *x = p->sharing;
    int i, k, sizes[SERVET_CORES_MAX];
    for (i = 0; x && i < x->count; i++) {
        const servet_sharing_level *l = &x->level[i];
        int most = 0;
        memset(sizes, 0, sizeof sizes);
        for (k = 0; k < x->cpus; k++)
            if (l->group[k] >= 0 && ++sizes[l->group[k]] > most) most = sizes[l->group[k]];
        printf("L%d ", l->level);
        if (l->status != SERVET_OK)
            printf("sharing: not known (%s)\n", l->status == SERVET_EUNSUPPORTED ? "too little memory"
                   : l->status == SERVET_ESTOPPED ? "no time left" : "sharing would make no difference here");
        else if (most <= 1 && !l->unknown && l->level <= p->cache_count && p->cache[l->level - 1].effective
                 && !l->flooded)
            printf("sharing: none crowds out another of what could be had, which proves nothing\n");
        else if (most <= 1 && !l->unknown) printf("is each CPU's own\n");
        else if (most == 0) printf("sharing: not known (neighbours come and go)\n");
        else {
            printf("shared by");
            print_groups_of(l->group, x->cpu, x->cpus, l->groups);
            if (l->unknown) printf(", of %d CPUs not known", l->unknown);
            printf("\n");
        }
    }
}

static void report_contention(const servet_profile *p)
{
    const servet_contention *c = p->contention;
    int i, k;
    if (!c || c->cpus == 0) return;
    printf("memory: one CPU alone copies %s GB/s [%s, %s]", rate_text(c->reference_bytes_per_s).text,
           rate_text(c->lo_reference_bytes_per_s).text, rate_text(c->hi_reference_bytes_per_s).text);
    if (c->levels == 0 && c->pairs > 0) printf("; no pair of CPUs slows each other");
    printf("\n");
    for (i = 0; i < c->levels; i++) {
        printf("  %s GB/s each beside another of", rate_text(c->level[i].bytes_per_s).text);
        print_groups_of(c->level[i].group, c->cpu, c->cpus, c->level[i].groups);
        printf("\n");
    }
    for (i = 0; i < c->gammas; i++) {
        const servet_contention_gamma *g = &c->gamma[i];
        const servet_contention_domain *a, *b;
        if (g->a < 0 || g->a >= c->domains || g->b >= c->domains || c->domains > SERVET_CONTENTION_DOMAINS) continue;
        a = &c->domain[g->a];
        if (a->layer < 0 || a->layer >= SERVET_CONTENTION_LAYERS) continue;
        printf("  ");
        if (g->b < 0) {
            printf("all parts of");
            print_members(c->group[a->layer], c->cpu, c->cpus, a->group);
        } else {
            b = &c->domain[g->b];
            if (b->layer < 0 || b->layer >= SERVET_CONTENTION_LAYERS) continue;
            print_members(c->group[a->layer], c->cpu, c->cpus, a->group);
            printf(" beside");
            print_members(c->group[b->layer], c->cpu, c->cpus, b->group);
        }
        printf(" lose %.0f %% [%.0f, %.0f]: %s\n", 100 * g->gamma, 100 * g->lo, 100 * g->hi,
               servet_text(SERVET_TEXT_COLLIDE, g->verdict));
    }
    for (i = 0; i < c->scalings; i++) {
        const servet_contention_scaling *x = &c->scaling[i];
        if (x->domain < 0 || x->domain >= c->domains || x->count < 1 || c->domains > SERVET_CONTENTION_DOMAINS
            || c->domain[x->domain].layer < 0 || c->domain[x->domain].layer >= SERVET_CONTENTION_LAYERS) continue;
        printf("  in");
        print_members(c->group[c->domain[x->domain].layer], c->cpu, c->cpus, c->domain[x->domain].group);
        for (k = 0; k < x->count; k++)
            printf("%s %d: %s", k ? "," : " by CPUs at work", x->n[k], rate_text(x->bytes_per_s[k]).text);
        printf(" GB/s; %d [%d, %d] are enough for 95 %%\n", x->enough, x->lo_enough, x->hi_enough);
    }
}

static void report_coherence(const servet_profile *p)
{
    static const char *const neighbour[] = { "not known", "none slows another", "lines of a pair slow each other",
                                             "lines side by side slow each other" };
    const servet_coherence *c = p->coherence;
    int i, k;
    if (!c) return;
    for (i = 0; i < c->blocks; i++) {
        const servet_block *b = &c->block[i];
        printf("%sCPUs %d and %d: ", i ? "" : "\ncoherence\n", b->cpu[0], b->cpu[1]);
        if (b->bytes > 0) printf("block %.0f bytes [%.0f, %.0f]", b->bytes, b->lo_bytes, b->hi_bytes);
        else printf("block not known (%s)", b->status == SERVET_EUNSUPPORTED ? "they share what they write to"
                    : "disturbed");
        printf("; an addition takes %.1f ns in one block, %.1f apart\n", b->near_ns, b->far_ns);
    }
    if (c->destructive.method) {
        printf("neighbouring lines: %s", neighbour[c->destructive.neighbour & 3]);
        if (c->destructive.bytes > 0) printf("; data of different CPUs best %.0f bytes apart", c->destructive.bytes);
        printf("\n");
    }
    if (c->costs.count) {
        printf("ns of an operation, by CPUs");
        for (i = 0; i < c->costs.count; i++) printf("%9d", c->costs.point[0][i].cpus);
        printf("   growth\n");
    }
    for (k = 0; k < SERVET_COST_OPERATIONS && c->costs.count; k++) {
        printf("  %-25s", servet_text(SERVET_TEXT_OPERATION, k));
        for (i = 0; i < c->costs.count; i++) printf("%9.2f", c->costs.point[k][i].ns);
        printf("   x%.2f [%.2f, %.2f]\n", c->costs.growth[k], c->costs.lo_growth[k], c->costs.hi_growth[k]);
    }
    if (c->costs.count && c->costs.buffered)
        printf("writes to one place become one in a store buffer: %s\n",
               c->costs.buffered == SERVET_BUFFERED_SHOWN ? "shown" : "refuted");
}

static void report_automaton(const servet_profile *p)
{
    const servet_automaton *a = p->automaton;
    int k;
    if (!a) return;
    printf("\nscaling of a cellular automaton, %d x %d cells a thread: speedup, efficiency, serial part by threads\n",
           a->rows, a->columns);
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *q = &a->point[k];
        if (a->workers > 1 && q->best.workers < 2) continue;
        printf("  %-10s%4d: %6.2f [%.2f, %.2f]  %5.1f %%  ", servet_text(SERVET_TEXT_VARIATION, q->best.variation),
               q->best.workers, q->speedup, q->lo_speedup, q->hi_speedup, 100 * q->efficiency);
        if (a->workers > 1) printf("%.4f [%.4f, %.4f]  ", q->serial_frac, q->lo_serial_frac, q->hi_serial_frac);
        printf("%.0f million cells/s\n", q->net_act_per_s * 1e-6);
    }
    printf("one thread is bound by: %s\n", servet_text(SERVET_TEXT_LIMIT, a->bound));
    if (a->workers > 1)
        printf("more are limited by: %s; they lose %.1f %% [%.1f, %.1f]\n", servet_text(SERVET_TEXT_LIMIT, a->limit),
               100 * a->lost_frac, 100 * a->lo_lost_frac, 100 * a->hi_lost_frac);
}

/* Times of messages and rates between ranks go over many powers of ten: three digits, or all before the point. */
static words digits(double x)
{
    words w;
    snprintf(w.text, sizeof w.text, "%.*f", x >= 100 ? 0 : x >= 10 ? 1 : 2, x);
    return w;
}

static words digits_within(double x, double lo, double hi)
{
    words w;
    if (!(x > 0)) snprintf(w.text, sizeof w.text, "-");
    else snprintf(w.text, sizeof w.text, "%.30s [%.30s, %.30s]", digits(x).text, digits(lo).text, digits(hi).text);
    return w;
}

/* In microseconds; in 10^6 bytes a second. */
static words us_text(double ns) { return digits(ns * 1e-3); }
static words us_within(double ns, double lo_ns, double hi_ns)
{
    return digits_within(ns * 1e-3, lo_ns * 1e-3, hi_ns * 1e-3);
}
static words mb_text(double bytes_per_s) { return digits(bytes_per_s * 1e-6); }
static words mb_within(double rate, double lo, double hi) { return digits_within(rate * 1e-6, lo * 1e-6, hi * 1e-6); }

/* Fewer than five samples are no interval: ? */
enum { FEW = 5 };

static words message_text(const servet_message *m)
{
    words w;
    if (m->samples < 1 || m->samples >= FEW) return us_within(m->samples > 0 ? m->median_ns : 0, m->lo_ns, m->hi_ns);
    snprintf(w.text, sizeof w.text, "%.30s ?", us_text(m->median_ns).text);
    return w;
}

/* Bytes over the time of a message. */
static words mb_of(const servet_network_size *s)
{
    const servet_message *m = &s->stream;
    words w;
    if (m->samples < 1 || !(m->lo_ns > 0) || !(m->median_ns > 0)) return mb_within(0, 0, 0);
    if (m->samples < FEW) {
        snprintf(w.text, sizeof w.text, "%.30s ?", mb_text(s->bytes * 1e9 / m->median_ns).text);
        return w;
    }
    return mb_within(s->bytes * 1e9 / m->median_ns, s->bytes * 1e9 / m->hi_ns, s->bytes * 1e9 / m->lo_ns);
}

static words reach_text(const servet_network *n, int layer)
{
    words w;
    if (n->layer_count == 0) snprintf(w.text, sizeof w.text, "all pairs");
    else if (layer == n->layer_count) snprintf(w.text, sizeof w.text, "outermost");
    else snprintf(w.text, sizeof w.text, "layer %d", layer + 1);
    return w;
}

/* Ranks of a group, as a list, and the hosts they are on. */
static void print_ranks(const servet_network *n, int layer, int which)
{
    enum { NAMES = 3 };
    static servet_cpus ranks;
    static char seen[SERVET_NETWORK_RANKS];
    char text[4096];
    int i, hosts = 0;
    memset(&ranks, 0, sizeof ranks);
    memset(seen, 0, sizeof seen);
    for (i = 0; i < n->ranks; i++) if (layer < 0 || n->group[layer][i] == which) servet_cpus_add(&ranks, i);
    if (servet_cpus_write(&ranks, text, sizeof text) < 0) return;
    if (strlen(text) > 40) strcpy(text + 37, "...");
    printf(" {%s", text);
    for (i = 0; i < n->ranks && n->hosts > 1; i++) {
        const int host = n->host[i];
        if ((layer >= 0 && n->group[layer][i] != which) || seen[host]) continue;
        seen[host] = 1;
        if (hosts++ < NAMES) printf("%s%.40s", hosts > 1 ? ", " : ": ", servet_network_name(n, host));
    }
    if (hosts > NAMES) printf(" and %d more hosts", hosts - NAMES);
    printf("}");
}

static void report_reaches(const servet_network *n)
{
    enum { SHOWN = 8 };
    int i, g;
    words small, trip;
    if (n->layer_count == 0 && n->layer[0].pairs < 1) return;
    snprintf(small.text, sizeof small.text, "us of %.30s", size_text(n->small_bytes).text);
    snprintf(trip.text, sizeof trip.text, "us of %.30s", size_text(n->trip_bytes).text);
    printf("%-10s  %-22s  %-22s  MB/s in messages of %s\n", "", small.text, trip.text, size_text(n->stream_bytes).text);
    for (i = 0; i <= n->layer_count; i++) {
        const servet_network_layer *l = &n->layer[i];
        if (l->pairs < 1) continue;
        printf("%-10s  %-22s  %-22s  %s", reach_text(n, i).text,
               us_within(l->small_ns, l->small_lo_ns, l->small_hi_ns).text,
               us_within(l->trip_ns, l->trip_lo_ns, l->trip_hi_ns).text,
               mb_within(l->bytes_per_s, l->lo_bytes_per_s, l->hi_bytes_per_s).text);
        if (l->crowded_frac > 0) printf("; x%.2f while all others are under way", l->crowded_frac);
        printf("\n");
    }
    for (i = 0; i < n->layer_count; i++) {
        const servet_network_layer *l = &n->layer[i];
        printf("%s:", reach_text(n, i).text);
        for (g = 0; g < l->groups && g < SHOWN; g++) print_ranks(n, i, g);
        if (l->groups > SHOWN) printf(" and %d more", l->groups - SHOWN);
        if (n->hosts > 1)
            printf("; %s", l->in_hosts > 0 ? "within hosts" : l->in_hosts == 0 ? "of whole hosts"
                   : "across hosts: their names and the distances disagree");
        printf("\n");
    }
    if (n->layer_count == 0 && n->distance_like) printf("ranks are nearer and farther without groups\n");
    else if (n->layer_count == 0 && n->layer[0].pairs > 0) printf("no ranks are nearer to each other than to others\n");
}

static const servet_network_size *size_of(const servet_network *n, int layer, double bytes)
{
    int i;
    for (i = 0; i < n->size_count; i++)
        if (n->size[i].layer == layer && n->size[i].bytes >= bytes && n->size[i].bytes <= bytes) return &n->size[i];
    return NULL;
}

/* Every second power of two, three layers beside each other. */
static void report_sizes(const servet_network *n)
{
    enum { ABREAST = 3 };
    double bytes;
    int first, i;
    for (first = 0; first <= n->layer_count && n->size_count; first += ABREAST) {
        printf("%-10s", "a message");
        for (i = first; i <= n->layer_count && i < first + ABREAST; i++) {
            words w;
            snprintf(w.text, sizeof w.text, "%.20s: us, MB/s", reach_text(n, i).text);
            printf(i < n->layer_count && i + 1 < first + ABREAST ? "  %-40s" : "  %s", w.text);
        }
        printf("\n");
        for (bytes = 1; bytes <= 1e12; bytes *= 4) {
            int some = 0;
            for (i = first; i <= n->layer_count && i < first + ABREAST; i++) some |= size_of(n, i, bytes) != NULL;
            if (!some) continue;
            printf("%-10s", size_text(bytes).text);
            for (i = first; i <= n->layer_count && i < first + ABREAST; i++) {
                const servet_network_size *s = size_of(n, i, bytes);
                printf("  %-18s ", s ? message_text(&s->trip).text : "-");
                printf(i < n->layer_count && i + 1 < first + ABREAST ? "%-21s" : "%s", s ? mb_of(s).text : "-");
            }
            printf("\n");
        }
    }
    for (i = 0; i < n->threshold_count; i++) {
        const servet_network_threshold *w = &n->threshold[i];
        printf("%s: another protocol from %.0f bytes on", reach_text(n, w->layer).text, w->bytes);
        if (w->hi_bytes > w->lo_bytes) printf(" [%.0f, %.0f]", w->lo_bytes, w->hi_bytes);
        printf(", %s us before and %s after\n", us_text(w->before_ns).text, us_text(w->after_ns).text);
    }
}

static int same_load(const servet_network_load *a, const servet_network_load *b)
{
    return a->layer == b->layer && a->kind == b->kind && a->bytes <= b->bytes && a->bytes >= b->bytes;
}

/* A line for each layer, sort and size: how many at once, and how long until the last is there. */
static void report_at_once(const servet_network *n)
{
    static const char *const kind[] = { "between pairs of their own", "from one rank", "to one rank" };
    int i;
    for (i = 0; i < n->load_count; i++) {
        const servet_network_load *l = &n->load[i];
        const int first = i == 0 || !same_load(l, l - 1), last = i + 1 == n->load_count || !same_load(l, l + 1);
        if (l->kind < 0 || l->kind > SERVET_LOAD_TO_ONE || (first && last)) continue;
        if (first)
            printf("%s, %s at once %s: us until the last is there\n ", reach_text(n, l->layer).text,
                   size_text(l->bytes).text, kind[l->kind]);
        printf(" %d: %s%s", l->at_once, message_text(&l->last).text, last ? "\n" : "");
    }
}

static void report_ratios(const char *what, const servet_network_ratio *r, int count)
{
    enum { SHOWN = 32, A_LINE = 6 };
    int i, shown = 0;
    printf("%s", what);
    for (i = 0; i < count; i++) {
        if (count > SHOWN && i > 16 && (i & (i + 1))) continue;    /* of many the first and powers of two */
        printf("%s%d: %.2f", shown++ % A_LINE ? "  " : "\n  ", r[i].which, r[i].ratio);
        if (r[i].lo_ratio < r[i].hi_ratio) printf(" [%.2f, %.2f]", r[i].lo_ratio, r[i].hi_ratio);
    }
    printf("\n");
}

static void report_network(const servet_network *n)
{
    static const char *const shape[] = { "shape not clear", "flat: distance does not matter",
                                         "a ring: ever less with distance", "a torus: less and more again",
                                         "two levels: less up to a distance" };
    const int known = n->shape >= 0 && n->shape <= SERVET_SHAPE_TWO_LEVEL ? n->shape : 0;
    char what[300];
    int i, few;
    if (n->ranks < 1) return;
    printf("\nbetween %d ranks of MPI on %d host%s%s%s%s\n", n->ranks, n->hosts, n->hosts == 1 ? "" : "s",
           n->library[0] ? " (" : "", n->library, n->library[0] ? ")" : "");
    if (n->crowded) printf("%d of them have no CPU of their own: times are those of waiting, too\n", n->crowded);
    report_reaches(n);
    report_sizes(n);
    report_at_once(n);
    if (n->dist_count) {
        snprintf(what, sizeof what, "ratDist, by distance between %d nodes that all send %.3g MB%s%s", n->dist_nodes,
                 n->dist_bytes * 1e-6, n->dist_count > 1 ? ": " : "", n->dist_count > 1 ? shape[known] : "");
        report_ratios(what, n->dist, n->dist_count);
        if (n->shape_period > 0)
            printf(n->shape == SERVET_SHAPE_TWO_LEVEL ? "  from %d on constant" : "  less and more again every %d",
                   n->shape_period);
        if (n->shape_period > 0 && n->shape_period_2 > 0) printf(" and every %d", n->shape_period_2);
        if (n->shape_period > 0) printf("\n");
    }
    if (n->access_count) {
        snprintf(what, sizeof what, "ratNC, by processes of a node that send %.3g MB to the next%s",
                 n->access_bytes * 1e-6, n->access_constant ? "" : ", the more the more senders in all");
        report_ratios(what, n->access, n->access_count);
    }
    for (i = 0, few = 0; i < n->size_count; i++)
        few |= (n->size[i].trip.samples > 0 && n->size[i].trip.samples < FEW)
               || (n->size[i].stream.samples > 0 && n->size[i].stream.samples < FEW);
    for (i = 0; i < n->load_count; i++) few |= n->load[i].last.samples > 0 && n->load[i].last.samples < FEW;
    if (few) printf("? of fewer than %d messages, too few for an interval\n", FEW);
    printf("%.1f s, %d rounds of messages%s%s\n", n->seconds, n->rounds,
           n->stopped ? "; the time was over, so that parts may be missing" : "",
           n->noisy ? "; NOISY: no interval here deserves its 95 %" : "");
}

static void report(const servet_profile *p)
{
    const servet_curve *curve = p->evidence ? &p->evidence->curve : NULL;
    const double huge_frac = curve ? curve->huge_frac : 0;
    if (p->network && p->made.seconds <= 0) {    /* a file that holds nothing else */
        report_host(p);
        if (p->network) report_network(p->network);
        return;
    }
    report_host(p);
    if (p->cache_count > 0 || (curve && curve->count > 0) || p->made.parts == 0
        || p->made.parts & SERVET_PART_CACHES) report_levels(p);
    report_pages(p);
    report_prefetched(p);
    report_rates(p);
    report_chains(p);
    report_stores(p);
    report_survival(p);
    report_nodes(p);
    report_cores(p);
    report_sharing(p);
    report_contention(p);
    report_coherence(p);
    report_automaton(p);
    if (p->network) report_network(p->network);
    printf("\n");
    report_verdicts(p);
    if (p->made.cpu_frac > 0 && p->made.cpu_frac < 0.9)
        printf("this CPU ran others for %.0f %% of the time\n", 100 * (1 - p->made.cpu_frac));
    printf("%.0f %% of the samples disturbed, %d taken again; %s pages; CPU %d; %.1f s%s\n", 100 * p->made.noisy_frac,
           curve ? curve->retaken : 0, huge_frac > 0.9 ? "huge" : huge_frac > 0 ? "partly huge" : "small",
           p->made.cpu, p->made.seconds, p->made.stopped ? ", interrupted" : "");
}

/* What was measured of it, how far that is sure, and how. */
static void print_evidence(const servet_profile *p, const servet_finding *f)
{
    const servet_cache *c = f->level <= p->cache_count ? &p->cache[f->level - 1] : NULL;
    if (f->measured > 0) printf("measured %s", amount_text(f, f->measured).text);
    else printf("not measured");
    switch (f->what) {
    case SERVET_FINDING_BYTES:
        if (c) printf(" %s, %s", interval_text(f->lo, f->hi).text, how_text(c).text);
        if (c && f->verdict == SERVET_VERDICT_UNMEASURED) printf("; not sure enough for a verdict");
        if (!c) printf(", no step of the curve shows it");
        break;
    case SERVET_FINDING_WAYS:
        if (f->measured > 0 && f->lo < f->hi) printf(" [%.3g, %.3g]", f->lo, f->hi);
        if (f->measured > 0) printf(", smallest sets that evict a block");
        else if (c) printf(", not counted");
        break;
    case SERVET_FINDING_SHARED:
        if (f->measured > 0) printf(" [%.0f, %.0f]", f->lo, f->hi);
        printf(", by pairs of CPUs");
        break;
    case SERVET_FINDING_LINE:
        if (f->measured > 0) printf(" [%.0f, %.0f], pairs of loads", f->lo, f->hi);
        break;
    default:
        if (f->measured > 0) {
            printf(" [%.0f, %.0f], counted", f->lo, f->hi);
            if (f->verdict > SERVET_VERDICT_AGREE && 32 * f->said >= 0.9 * f->lo && 32 * f->said <= 1.1 * f->hi)
                printf("; in units of 32, with the flag for it hidden?");
        }
        else if (f->page_bytes == p->host.huge_page_bytes && p->tlb.large.seen_pages > 0
                 && p->tlb.backing != SERVET_BACKING_WHOLE)
            printf(": %s", p->tlb.backing == SERVET_BACKING_UNKNOWN ? "whether large pages are large is not known"
                   : servet_text(SERVET_TEXT_BACKING, p->tlb.backing));
    }
    printf("\n");
}

static int check(const servet_profile *p)
{
    const char *const unmeasured = servet_text(SERVET_TEXT_VERDICT, SERVET_VERDICT_UNMEASURED);
    servet_finding found[SERVET_FINDINGS_MAX];
    int i, count = servet_profile_check(found, SERVET_FINDINGS_MAX, p), disagree = 0;
    for (i = 0; i < count; i++) {
        const servet_finding *f = &found[i];
        disagree += f->verdict > SERVET_VERDICT_AGREE;
        printf("%-11s  %-18s %-7s says %-8s ", servet_text(SERVET_TEXT_VERDICT, f->verdict), finding_text(f).text,
               servet_text(SERVET_TEXT_REPORT, f->source), amount_text(f, f->said).text);
        print_evidence(p, f);
    }
    if (p->cache_count == 0) printf("%-11s  no cache level could be determined\n", unmeasured);
    return disagree > 0;
}

/* No fault of the user's: exit code 1. */
static int nothing_known(int status)
{
    if (status == SERVET_ESTOPPED && interrupted) fail("interrupted before anything was known");
    else fail("cannot measure: %s", servet_status_text(status));
    return 1;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A file to read, and its name in messages; NULL with one where it cannot be had. */
static FILE *open_input(const char **path)
{
    FILE *f;
    if (!strcmp(*path, "-")) {
        *path = "standard input";
        return stdin;
    }
    f = fopen(*path, "rb");
    if (!f) fail("%s: %s", *path, strerror(errno));
    return f;
}

/* A whole stream of at most so many MiB, with a final zero; NULL with a message where it cannot be had.  It may have no
 * end. */
static char *slurp(const char **path, size_t *length, int most_mib)
{
    FILE *f = open_input(path);
    char *text = NULL, *more = NULL;
    size_t cap = 0, n;
    int failed = 0;
    *length = 0;
    if (!f) return NULL;
    do {
        if (*length + 1 >= cap) {
            cap = cap ? 2 * cap : 65536;
            more = (char *)realloc(text, cap);
            if (!more) break;
            text = more;
        }
        n = fread(text + *length, 1, cap - 1 - *length, f);
        *length += n;
    } while (n > 0 && *length <= (size_t)most_mib << 20);
    if (!more) failed = fail("%s: too large for the memory there is", *path);
    else if (ferror(f)) failed = fail("%s: %s", *path, strerror(errno));
    else if (*length > (size_t)most_mib << 20) failed = fail("%s: larger than %d MiB", *path, most_mib);
    else text[*length] = 0;
    if (failed) free(text);
    if (f != stdin) fclose(f);
    return failed ? NULL : text;
}

/* The profile named, or the saved one of this machine, or one measured now.  0, or an exit code. */
static int get_profile(servet_profile *p, const char *path)
{
    char error[SERVET_TEXT_MAX] = "", own[4096];
    size_t length;
    char *text;
    int status;
    if (!path) {
        servet_profile_opts o;
        status = servet_profile_path(own, sizeof own, NULL);
        if (status >= 0 && servet_profile_load(p, own, error) >= 0) return 0;
        memset(&o, 0, sizeof o);
        o.run.budget_s = 2;
        fprintf(stderr, "servet: no saved profile of this machine, measuring it\n");
        begin_measuring(&o, 0);
        status = servet_profile_open(p, NULL, &o);
        end_measuring(&o);
        return status < 0 ? nothing_known(status) : 0;
    }
    text = slurp(&path, &length, 16);    /* what a program would load */
    if (!text) return 2;
    status = servet_profile_parse(p, text, length, error);
    free(text);
    if (status < 0) return fail("%s: %s: %s", path, servet_status_text(status), error);
    return 0;
}

static int print_profile(const servet_profile *p)
{
    size_t length = servet_profile_write(p, NULL, 0);
    char *text = (char *)malloc(length + 1);
    if (!text) return fail("out of memory");
    servet_profile_write(p, text, length + 1);
    fputs(text, stdout);
    free(text);
    return 0;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* A number that must be there and above 0. */
static int positive(const char *text, double *v)
{
    char *end;
    *v = text ? strtod(text, &end) : 0;
    return text && end != text && *end == 0 && *v > 0 && *v < 1e12;
}

/* Can a file of this name be made or replaced?  0 with a message where not. */
static int can_be_written(const char *path)
{
    char beside[4096];
    struct stat about;
    int probe;
    if (!*path) return fail("-o needs a file name") == 0;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fail("%s: not a file that could be replaced", path) == 0;
    if ((size_t)snprintf(beside, sizeof beside, "%s.%ld.tmp", path, (long)getpid()) >= sizeof beside)
        return fail("-o: the name is too long") == 0;
    probe = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (probe < 0) return fail("%s: cannot be written: %s", path, strerror(errno)) == 0;
    close(probe);
    unlink(beside);
    return 1;
}

static int run(servet_profile *p, int argc, char **argv)
{
    servet_profile_opts o;
    servet_cpus cpus, usable;
    static const char *const part_name[] = { "caches", "tlb", "prefetched", "cores", "bandwidth", "coherence",
                                              "automaton", "survival" };
    static const char part_list[] = "caches, tlb, prefetched, cores, bandwidth, coherence, automaton, survival";
    static const int part[] = { SERVET_PART_CACHES, SERVET_PART_TLB, SERVET_PART_PREFETCHED,
                                SERVET_PART_CORES, SERVET_PART_BANDWIDTH, SERVET_PART_COHERENCE,
                                SERVET_PART_AUTOMATON, SERVET_PART_SURVIVAL };
    enum { parts = sizeof part / sizeof *part };
    const char *path = NULL;
    char own[4096], only[128], *word;
    int i, k, cpu, status, quiet = 0, json = 0, error = 0;
    double seconds;
    memset(&o, 0, sizeof o);
    for (i = 0; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "-o")) {
            if (!value) return fail("-o needs a file name");
            path = argv[++i];
        } else if (!strcmp(argv[i], "--quick")) {
            o.run.budget_s = 0.4;
        } else if (!strcmp(argv[i], "--full")) {
            o.run.budget_s = 30;
            for (o.parts = 0, k = 0; k < parts; k++) o.parts |= part[k];
        } else if (!strcmp(argv[i], "--budget")) {
            if (!positive(value, &seconds) || seconds > 3600)
                return fail("--budget needs seconds, above 0 and up to 3600");
            o.run.budget_s = seconds;
            i++;
        } else if (!strcmp(argv[i], "--cpus")) {
            if (!value || servet_cpus_parse(&cpus, value) < 0) return fail("--cpus needs a list such as 0-3,8");
            servet_machine_cpus(&usable);
            for (cpu = servet_cpus_next(&cpus, -1); cpu >= 0; cpu = servet_cpus_next(&cpus, cpu))
                if (servet_cpus_next(&usable, cpu - 1) != cpu)
                    return fail("--cpus %s: this process may not use CPU %d", value, cpu);
            o.cpu_plus_1 = servet_cpus_next(&cpus, -1) + 1;
            o.cpus = &cpus;
            i++;
        } else if (!strcmp(argv[i], "--only")) {
            if (!value || !*value || strlen(value) >= sizeof only) return fail("--only needs a list of: %s", part_list);
            strcpy(only, value);
            for (o.parts = 0, word = strtok(only, ","); word; word = strtok(NULL, ",")) {
                for (k = 0; k < parts && strcmp(word, part_name[k]); k++) { }
                if (k == parts) return fail("--only: no part is named \"%s\"; there are: %s", word, part_list);
                o.parts |= part[k];
            }
            if (!o.parts) return fail("--only needs a list of: %s", part_list);
            i++;
        } else if (!strcmp(argv[i], "--quiet")) {
            quiet = 1;
        } else if (!strcmp(argv[i], "--json")) {
            json = 1;
        } else {
            fail("run: unknown argument \"%s\"", argv[i]);
            fputs(usage_text, stderr);
            return 2;
        }
    }
    if (path && !strcmp(path, "-")) {
        json = 1;
        path = NULL;
    }
    if (o.run.budget_s == 0) {    /* what several CPUs do together takes more */
        o.run.budget_s = 2;
        if (o.parts & SERVET_PART_CORES) o.run.budget_s += 2;
        if (o.parts & SERVET_PART_BANDWIDTH) o.run.budget_s += 2;
        if (o.parts & SERVET_PART_COHERENCE) o.run.budget_s += 1;
        if (o.parts & SERVET_PART_AUTOMATON) o.run.budget_s += 3;
        if (o.parts & SERVET_PART_SURVIVAL) o.run.budget_s += 3;
    }
    if (path && !can_be_written(path)) return 2;    /* better known before measuring than after */
    o.run.seed = (uint64_t)time(NULL);
    begin_measuring(&o, quiet);
    if (path || json) {
        servet_profile old;
        status = servet_profile_calibrate(p, &o);
        /* what ranks of MPI have put there is not measured here */
        if (status >= 0 && path && servet_profile_load(&old, path, NULL) >= 0) {
            if (!strcmp(old.key, p->key)) {
                p->network = old.network;
                old.network = NULL;
            }
            servet_profile_free(&old);
        }
        errno = 0;
        if (status >= 0 && path) p->saved = servet_profile_save(p, path);
        error = errno;
    } else {
        o.fresh = 1;
        status = servet_profile_open(p, NULL, &o);
    }
    end_measuring(&o);
    if (status < 0) return nothing_known(status);
    if (json) print_profile(p);
    else if (!quiet) report(p);
    if (path && p->saved == SERVET_EIO && error) return fail("%s: not saved: %s", path, strerror(error));
    if (path && p->saved < 0) return fail("%s: not saved: %s", path, servet_status_text(p->saved));
    if (!path && !json && p->saved < 0)    /* the answer is there, only not for the next start */
        fail("profile not saved: %s", p->made.stopped ? "the run was interrupted"
             : p->saved == SERVET_EUNRESOLVED ? "without caches it is for -o FILE only"
             : servet_profile_path(own, sizeof own, NULL) < 0 ? "HOME is not set" : servet_status_text(p->saved));
    if (!path && !json && p->saved >= 0 && servet_profile_path(own, sizeof own, NULL) >= 0) path = own;
    if (path && !quiet) fprintf(json ? stderr : stdout, "profile: %s\n", path);
    return p->cache_count > 0 || p->tlb.small.count > 0 || p->bandwidth.count > 0 || p->cores || p->coherence
           || p->automaton || p->survival_count > 0 || (p->evidence && p->evidence->prefetched.count > 0) ? 0 : 1;
}

/* As strtod, many times faster for what curves are made of: decimal digits, exact in a double as is a power of ten.
 * Anything else is left to strtod. */
static double number_at(const char *text, char **end)
{
    static const double ten[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    uint64_t digits = 0;
    int count = 0, behind = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && count <= 15; at++, count++) digits = 10 * digits + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && count <= 15; at++, count++, behind++)
            digits = 10 * digits + (uint64_t)(*at - '0');
    if (count == 0 || count > 15 || (*at && !strchr(", ;\t\r", *at))) return strtod(text, end);
    *end = (char *)(uintptr_t)at;
    return (double)digits / ten[behind];
}

/* One line of a curve: NULL if it was read, "" if there is nothing on it, or what is wrong. */
static const char *curve_line(const char *line, double *bytes, double *ns)
{
    char *end, *rest;
    line += strspn(line, " \t");
    if (*line == 0 || *line == '\r' || *line == '#') return "";
    *bytes = number_at(line, &end);
    if (end == line) return "expected `bytes,ns`";
    rest = end + strspn(end, " \t");
    if (*rest == ',' || *rest == ';') rest++;
    else if (rest == end) return "no comma after the size";
    rest += strspn(rest, " \t");
    *ns = number_at(rest, &end);
    if (end == rest) return "no time after the size";
    end += strspn(end, " \t\r");
    if (*end && *end != ',' && *end != ';') return "more than a number after the comma";
    if (!(*bytes > 0) || !(*bytes < 1e18)) return "a size must be above 0 and below 1e18";
    if (!(*ns > 0) || !(*ns < 1e18)) return "a time must be above 0 and below 1e18";
    return NULL;
}

/* The first line with something on it may name the columns: no number where the size would be, and more than a word. */
static int is_heading(const char *line)
{
    char *end;
    line += strspn(line, " \t");
    strtod(line, &end);
    return end == line && strpbrk(line, ",; \t");
}

/* The points read so far.  Where they are dense, of those in a 64th of an octave some are kept, evenly: a curve of
 * any length takes bounded memory. */
enum { POINTS_NEAR = 128 };
typedef struct points {
    double *bytes, *ns;
    size_t  n, cap;
    size_t  total;        /* read                                                                   */
    size_t  near, skip;   /* of the last n so many are near each other; one of so many is kept      */
    size_t  turn;
    double  place;        /* of the near ones                                                       */
} points;

static int points_add(points *p, double bytes, double ns)
{
    const double place = floor(log2(bytes) * 64);
    p->total++;
    if (p->total == 1 || place != p->place) {
        p->place = place;
        p->near = p->turn = 0;
        p->skip = 1;
    }
    if (p->turn++ % p->skip) return 1;
    if (p->near == POINTS_NEAR) {    /* every second one goes */
        size_t i, first = p->n - p->near;
        for (i = 0; i < POINTS_NEAR / 2; i++) {
            p->bytes[first + i] = p->bytes[first + 2 * i];
            p->ns[first + i] = p->ns[first + 2 * i];
        }
        p->n = first + POINTS_NEAR / 2;
        p->near = POINTS_NEAR / 2;
        p->skip *= 2;
    }
    if (p->n == p->cap) {
        const size_t cap = p->cap ? p->cap + p->cap / 4 : 4096;
        double *x = (double *)realloc(p->bytes, cap * sizeof *x), *y;
        if (x) p->bytes = x;
        y = (double *)realloc(p->ns, cap * sizeof *y);
        if (y) p->ns = y;
        if (!x || !y) return 0;
        p->cap = cap;
    }
    p->bytes[p->n] = bytes;
    p->ns[p->n++] = ns;
    p->near++;
    return 1;
}

/* One line into the points.  0, or an exit code with a message. */
static int read_line(points *p, const char *path, const char *line, unsigned long number, double *last, int *first)
{
    double bytes, ns;
    const char *wrong;
    if (number == 1 && !strncmp(line, "\xef\xbb\xbf", 3)) line += 3;
    wrong = curve_line(line, &bytes, &ns);
    if (wrong && !*wrong) return 0;
    if (wrong && *first && is_heading(line)) {
        *first = 0;
        return 0;
    }
    *first = 0;
    if (wrong) {
        int shown = 0;
        while (shown < 40 && (unsigned char)line[shown] >= ' ' && line[shown] != 127) shown++;
        return fail("%s: line %lu: %s: \"%.*s%s\"", path, number, wrong, shown, line, shown < 40 ? "" : "...");
    }
    if (bytes < *last)
        return fail("%s: line %lu: sizes must ascend, %.0f follows %.0f", path, number, bytes, *last);
    *last = bytes;
    return points_add(p, bytes, ns) ? 0 : fail("%s: too large for the memory there is", path);
}

static int read_curve(servet_curve *curve, const char *path)
{
    static char block[65536], line[512];    /* of a longer line only the first part is looked at */
    FILE *f = open_input(&path);
    points p;
    double last = 0;
    unsigned long number = 0;
    size_t used = 0, got;
    int code = 0, first = 1, open_line = 0;
    memset(&p, 0, sizeof p);
    if (!f) return 2;
    while (!code && (got = fread(block, 1, sizeof block, f)) > 0) {
        char *at = block, *end = block + got;
        if (memchr(block, 0, got)) code = fail("%s: not a text", path);
        while (!code && at < end) {
            char *stop = (char *)memchr(at, '\n', (size_t)(end - at));
            size_t length = (size_t)((stop ? stop : end) - at), room = sizeof line - 1 - used;
            memcpy(line + used, at, length < room ? length : room);
            used += length < room ? length : room;
            open_line = !stop;
            at += length + (stop != NULL);
            if (!stop) break;
            line[used] = 0;
            used = 0;
            code = read_line(&p, path, line, ++number, &last, &first);
        }
    }
    if (!code && ferror(f)) code = fail("%s: %s", path, strerror(errno));
    line[used] = 0;
    if (!code && open_line) code = read_line(&p, path, line, ++number, &last, &first);
    if (f != stdin) fclose(f);
    if (!code && p.n == 0) code = fail("%s: 0 points; a curve needs at least 3", path);
    if (!code) {
        int status = servet_fit_curve(curve, p.bytes, p.ns, p.n);
        if (status < 0) code = fail("%s: %s", path, servet_status_text(status));
    }
    free(p.bytes);
    free(p.ns);
    return code;
}

static void print_levels(const servet_levels *levels, int status)
{
    int i;
    printf("{\"levels\":[");
    for (i = 0; i < levels->count; i++) {
        const servet_level *l = &levels->level[i];
        printf("%s\n {\"level\":%d,\"bytes\":%.0f,", i ? "," : "", l->level, l->bytes);
        printf("\"lo_bytes\":%.0f,\"hi_bytes\":%.0f,", l->lo_bytes, l->hi_bytes);
        printf("\"latency_ns\":%.6g", l->latency_ns);
        printf(",\"method\":\"%s\"", servet_text(SERVET_TEXT_METHOD, l->method));
        if (l->method == SERVET_BY_MODEL)
            printf(",\"policy\":\"%s\",\"placement\":\"%s\",\"misfit_frac\":%.3g",
                   servet_text(SERVET_TEXT_POLICY, l->policy),
                   servet_text(SERVET_TEXT_PLACEMENT, l->placement), l->misfit_frac);
        printf("%s%s}", l->effective ? ",\"effective\":true" : "", l->unresolved ? ",\"unresolved\":true" : "");
    }
    printf("],\n \"doubtful\":[");
    for (i = 0; i < levels->doubtful_count; i++)
        printf("%s\n  {\"bytes\":%.0f,\"ratio\":%.3g,\"why\":\"%s\"}", i ? "," : "", levels->doubtful[i].bytes,
               levels->doubtful[i].ratio, servet_text(SERVET_TEXT_DOUBT, levels->doubtful[i].why));
    printf("],\n \"memory\":{");
    if (levels->memory_ns > 0) printf("\"latency_ns\":%.6g", levels->memory_ns);
    printf("}%s}\n", status == SERVET_EUNRESOLVED ? ",\n \"unresolved\":true" : "");
}

static int fit(int argc, char **argv)
{
    static servet_curve curve;
    servet_levels levels;
    servet_fit_opts o;
    const char *path = NULL, *method = "model";
    int i, status, code;
    memset(&o, 0, sizeof o);
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--method")) {
            if (i + 1 >= argc || (strcmp(argv[i + 1], "model") && strcmp(argv[i + 1], "servet")))
                return fail("--method needs model or servet");
            method = argv[++i];
        } else if (!strcmp(argv[i], "--page")) {
            if (i + 1 >= argc || !positive(argv[++i], &o.page_bytes) || o.page_bytes < 64)
                return fail("--page needs bytes, at least 64");
        } else if (!path && (argv[i][0] != '-' || !argv[i][1])) {
            path = argv[i];
        } else {
            return fail("fit: unknown argument \"%s\"", argv[i]);
        }
    }
    if (!path) return fail("fit needs a file of `bytes,ns` lines, or - for standard input");
    code = read_curve(&curve, path);
    if (code) return code;
    memset(&levels, 0, sizeof levels);
    if (!strcmp(method, "servet")) {
        double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
        for (i = 0; i < curve.count; i++) {
            bytes[i] = curve.point[i].bytes;
            ns[i] = curve.point[i].ns;
        }
        status = servet_fit_servet(&levels, bytes, ns, (size_t)curve.count, o.page_bytes > 0 ? o.page_bytes : 4096, 0);
    } else {
        status = servet_fit_levels(&levels, &curve, &o);
    }
    if (status < 0 && status != SERVET_EUNRESOLVED) return fail("%s: %s", path, servet_status_text(status));
    print_levels(&levels, status);
    return 0;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Values of a matrix, row by row, as they are read. */
typedef struct matrix {
    double *value;
    size_t  n, cap;
    int     most;               /* lines */
    unsigned long line_of[SERVET_MAPPING_PROCESSES];
    int     width[SERVET_MAPPING_PROCESSES], rows;
} matrix;

/* One line of a matrix: values between commas, semicolons or blanks; between commas a value may be blank.  0, or an
 * exit code with a message. */
static int read_row(matrix *m, const char *path, char *line, unsigned long number)
{
    const int commas = strchr(line, ',') || strchr(line, ';');
    char *at = line, *end;
    int width = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (at += strspn(at, " \t"); number == 1 && !strncmp(at, "\xef\xbb\xbf", 3); ) at += 3;
    if (!*at || *at == '#') return 0;
    if (m->rows == m->most) return fail("%s: line %lu: more than %d lines of values", path, number, m->most);
    for (;;) {
        double v = 0;
        at += strspn(at, " \t");
        if (!*at && !commas) break;
        if (*at && *at != ',' && *at != ';') {
            v = strtod(at, &end);
            if (end == at || !strchr(" \t,;", *end))
                return fail("%s: line %lu: value %d, \"%.*s\", is not a number", path, number, width + 1,
                            (int)(strcspn(at, " \t,;") < 40 ? strcspn(at, " \t,;") : 40), at);
            if (v < 0) return fail("%s: line %lu: value %d is below 0", path, number, width + 1);
            if (v - v != 0) v = 0;
            at = end + strspn(end, " \t");
        }
        if (width == m->most) return fail("%s: line %lu: more than %d values", path, number, m->most);
        if (m->n == m->cap) {
            double *more = (double *)realloc(m->value, (m->cap ? 2 * m->cap : 4096) * sizeof *more);
            if (!more) return fail("%s: too large for the memory there is", path);
            m->cap = m->cap ? 2 * m->cap : 4096;
            m->value = more;
        }
        m->value[m->n++] = v;
        width++;
        if (commas && !*at) break;
        if (*at == ',' || *at == ';') at++;
        else if (commas) return fail("%s: line %lu: a blank after value %d, not a comma", path, number, width);
    }
    m->line_of[m->rows] = number;
    m->width[m->rows++] = width;
    return 0;
}

/* The whole, as a square: a lower triangle alone is mirrored, with its diagonal or without (then the first core has
 * no line, as where its diagonal is all there would be, and blank). */
static double *square_of(const matrix *m, const char *path, int *cores)
{
    int i, j, first, n = m->rows, full = 1, with = 1, without = 1, late = 1;
    double *x, *from = m->value;
    for (i = 0; i < n; i++) {
        full &= m->width[i] == n;
        with &= m->width[i] == i + 1;
        without &= m->width[i] == i + 1;
        late &= m->width[i] == i + 2 && n > 1;
    }
    /* A triangle without its diagonal has as many lines as one with, and one core more: zeros or blanks tell. */
    for (i = 0, j = 0; i < n && without; j += m->width[i], i++)
        if (!(from[j + m->width[i] - 1] > 0)) without = 0;
    if (n == 1 && full) without = 0;
    if (!full && !with && !late) {
        for (i = 0; i < n - 1 && m->width[i] == m->width[0]; i++) { }
        if (m->width[i] == m->width[0])
            fail("%s: line %lu: %d lines of %d values: not square", path, m->line_of[n - 1], n, m->width[0]);
        else
            fail("%s: line %lu: %d values, where the first line has %d", path, m->line_of[i], m->width[i],
                 m->width[0]);
        return NULL;
    }
    first = !full && (without || late);
    n += first;
    if (n > m->most) {
        fail("%s: more than %d cores", path, m->most);
        return NULL;
    }
    x = (double *)calloc((size_t)n * (size_t)n, sizeof *x);
    if (!x) {
        fail("out of memory");
        return NULL;
    }
    for (i = first; i < n; i++)
        for (j = 0; j < m->width[i - first]; j++) {
            if (i != j) x[(size_t)i * (size_t)n + (size_t)j] = *from;
            if (i != j && !full) x[(size_t)j * (size_t)n + (size_t)i] = *from;
            from++;
        }
    *cores = n;
    return x;
}

static void print_groups(const servet_layers *l, int layer)
{
    int g, i, groups = layer < 0 ? 1 : l->layer[layer].groups;
    for (g = 0; g < groups; g++) {
        int some = 0;
        printf("%s[", g ? "," : "");
        for (i = 0; i < l->cores; i++)
            if (layer < 0 || l->group[layer][i] == g) printf("%s%d", some++ ? "," : "", i);
        printf("]");
    }
}

/* A machine without groups is one group. */
static void print_layers(const servet_layers *l)
{
    int i;
    printf("{\"layers\":[");
    for (i = 0; i < l->count; i++) {
        const servet_pairs_layer *a = &l->layer[i];
        printf("%s\n {\"latency_ns\":%.6g,\"lo_ns\":%.6g,\"hi_ns\":%.6g,\"confidence_frac\":%.6g,\"groups\":[",
               i ? "," : "", a->latency_ns, a->lo_ns, a->hi_ns, a->confidence_frac);
        print_groups(l, i);
        printf("]}");
    }
    if (l->count == 0 && l->cores > 1 && l->outermost_ns > 0) {
        printf("\n {\"latency_ns\":%.6g,\"lo_ns\":%.6g,\"hi_ns\":%.6g,\"groups\":[", l->outermost_ns, l->lo_ns,
               l->hi_ns);
        print_groups(l, -1);
        printf("]}");
    }
    printf("]");
    if (l->kinds > 1) {
        printf(",\n \"kinds\":[");
        for (i = 0; i < l->cores; i++) printf("%s%d", i ? "," : "", l->kind[i]);
        printf("]");
    }
    if (l->outermost_ns > 0) printf(",\n \"outermost_ns\":%.6g", l->outermost_ns);
    else printf(",\n \"unresolved\":true");
    printf("}\n");
}

/* A square matrix of a file with at most so many lines; NULL with a message. */
static double *read_matrix(const char *path, int most, int most_mib, int *n)
{
    static matrix m;
    unsigned long number = 0;
    char *text, *at, *next;
    double *square = NULL;
    size_t length;
    int code = 0;
    m.most = most;
    text = slurp(&path, &length, most_mib);
    if (!text) return NULL;
    if (memchr(text, 0, length)) code = fail("%s: not a text", path);
    for (at = text; !code && *at; at = next) {
        next = at + strcspn(at, "\n");
        if (*next) *next++ = 0;
        code = read_row(&m, path, at, ++number);
    }
    free(text);
    if (!code && m.rows == 0) code = fail("%s: no values", path);
    if (!code) square = square_of(&m, path, n);
    free(m.value);
    return square;
}

static int layers(int argc, char **argv)
{
    static servet_layers found;
    const char *path = argc > 0 ? argv[0] : NULL;
    double *square;
    int cores = 0, status;
    if (argc > 1 || (path && path[0] == '-' && path[1]))
        return fail("layers: unknown argument \"%s\"", argc > 1 ? argv[1] : path);
    if (!path) return fail("layers needs a file of N lines of N values, or - for standard input");
    square = read_matrix(path, SERVET_PAIRS_CORES, 64, &cores);    /* numbers of all their digits, and blanks */
    if (!square) return 2;
    memset(&found, 0, sizeof found);
    status = servet_pairs_layers(&found, square, cores);
    free(square);
    if (status < 0 && status != SERVET_EUNRESOLVED) return fail("%s: %s", path, servet_status_text(status));
    found.cores = cores;
    print_layers(&found);
    return 0;
}

/* ---- map ------------------------------------------------------------------------------------- */

static const char *const form_names[SERVET_FORMS] = {
    "list", "taskset", "omp", "openmpi", "openmpi5", "mpich", "slurm", "slurm-hosts", "cray", "json"
};

/* What was asked for. */
typedef struct map_args {
    int processes, bound, form, kinds;     /* kinds: how many of --memory to --pattern there were */
    const char *matrix, *pattern, *profile;
    servet_traffic traffic;
} map_args;

/* A name, and for stencils sizes: 4x8.  0, or an exit code with a message. */
static int read_pattern(servet_traffic *t, const char *text)
{
    static const char *const name[SERVET_PATTERNS] = { "", "ring", "stencil2d", "stencil3d", "alltoall" };
    const size_t length = strcspn(text, ":");
    const char *at = text + length;
    int dims, i;
    char *end;
    for (i = 1; i < SERVET_PATTERNS && (strlen(name[i]) != length || strncmp(text, name[i], length)); i++) { }
    if (i == SERVET_PATTERNS)
        return fail("--pattern: \"%s\" is none of ring, stencil2d, stencil3d, alltoall", text);
    t->pattern = i;
    dims = i == SERVET_PATTERN_STENCIL_2D ? 2 : i == SERVET_PATTERN_STENCIL_3D ? 3 : 0;
    for (i = 0; i < dims && *at; i++, at = end) {
        const long size = strtol(at + 1, &end, 10);
        if (end == at + 1 || size < 1 || size > SERVET_MAPPING_PROCESSES || (*end != 'x' && *end)) break;
        t->size[i] = (int)size;
    }
    if (*at || (i && i < dims))
        return fail("--pattern: \"%s\" is not %d sizes as 4x8 behind a stencil's name", text, dims ? dims : 2);
    return 0;
}

static int map_option(map_args *a, const char *option, const char *value)
{
    char *end;
    int i;
    if (!value) return fail("map: %s needs a value", option);
    if (!strcmp(option, "-n")) {
        const long n = strtol(value, &end, 10);
        if (end == value || *end || n < 1 || n > SERVET_MAPPING_PROCESSES)
            return fail("-n: \"%s\" is not a number from 1 to %d", value, SERVET_MAPPING_PROCESSES);
        a->processes = (int)n;
    } else if (!strcmp(option, "--format")) {
        for (i = 0; i < SERVET_FORMS && strcmp(value, form_names[i]); i++) { }
        if (i == SERVET_FORMS)
            return fail("--format: no form is named \"%s\"; there are: list, taskset, omp, openmpi, openmpi5, mpich, "
                        "slurm, slurm-hosts, cray, json", value);
        a->form = i;
    } else if (!strcmp(option, "--matrix")) {
        a->matrix = value;
        a->kinds++;
    } else {
        a->pattern = value;
        a->kinds++;
        return read_pattern(&a->traffic, value);
    }
    return 0;
}

static int map_args_of(map_args *a, int argc, char **argv)
{
    int i, code;
    for (i = 0; i < argc; i++) {
        const char *x = argv[i];
        if (!strcmp(x, "--memory") || !strcmp(x, "--comm")) {
            a->bound = x[2] == 'm' ? SERVET_BOUND_MEMORY : SERVET_BOUND_COMMUNICATION;
            a->kinds++;
        } else if (!strcmp(x, "-n") || !strcmp(x, "--format") || !strcmp(x, "--matrix") || !strcmp(x, "--pattern")) {
            code = map_option(a, x, argv[++i]);
            if (code) return code;
        } else if ((x[0] == '-' && x[1]) || a->profile) {
            return fail("map: unknown argument \"%s\"", x);
        } else {
            a->profile = x;
        }
    }
    if (a->kinds > 1) return fail("map takes one of --memory, --comm, --matrix, --pattern");
    if (a->matrix && !strcmp(a->matrix, "-") && a->profile && !strcmp(a->profile, "-"))
        return fail("map: matrix and profile cannot both be standard input");
    return 0;
}

static int is_symmetric(const double *x, int n)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            if (x[(size_t)i * (size_t)n + (size_t)j] < x[(size_t)j * (size_t)n + (size_t)i]
                || x[(size_t)i * (size_t)n + (size_t)j] > x[(size_t)j * (size_t)n + (size_t)i]) return 0;
    return 1;
}

/* What traffic costs where it is mapped, against the usual: one node filled after the other.  0 = not known. */
static double cost_over_filled(const servet_mapping *m, const servet_profile *p, const servet_traffic *t)
{
    static servet_mapping all, filled;
    double is = 0, was = 0;
    int i, most = m->nodes * m->cpus < SERVET_MAPPING_PROCESSES ? m->nodes * m->cpus : SERVET_MAPPING_PROCESSES;
    if (servet_mapping_cores(&all, p, most, m->bound) < 0) return 0;
    filled = *m;
    for (i = 0; i < m->processes; i++) {
        filled.node[i] = all.node[i];
        filled.cpu[i] = all.cpu[i];
    }
    if (servet_mapping_cost(&is, m, p, t) < 0 || servet_mapping_cost(&was, &filled, p, t) < 0) return 0;
    return was > 0 ? is / was : 0;
}

/* What a mapping stands on, what it gains and what is better left idle, to standard error. */
static void map_remarks(const servet_mapping *m, const servet_profile *p, const map_args *a, int status)
{
    const double gain = a->matrix || a->pattern ? cost_over_filled(m, p, &a->traffic) : 0;
    static const char *const lacks[] = { "who shares which cache", "who slows whom at memory", "latencies between CPUs",
                                         "what messages cost between nodes", "network access" };
    const int of = m->nodes > 1 ? 5 : 3, with_traffic = a->matrix || a->pattern;
    int i, some = 0;
    for (i = 0; i < of; i++)
        if (!(m->knows >> i & 1))
            fprintf(stderr, "%s%s", some++ ? ", " : "servet: not known, and left out: ", lacks[i]);
    if (some) fputc('\n', stderr);
    if (with_traffic && status == SERVET_EUNRESOLVED)
        fprintf(stderr, "servet: no two places differ by what is known: rank order\n");
    else if (with_traffic && m->rank_cost > 0)
        fprintf(stderr, "servet: traffic costs %.3g of rank order%s; %.3g of nodes filled one after the other\n",
                m->cost / m->rank_cost, m->exact ? ", no other way less" : "", gain);
    if (m->useful && m->useful < m->processes)
        fprintf(stderr, "servet: %d of these %d processes have 95 %% of what %s gives: others could be left out\n",
                m->useful, m->processes, m->bound == SERVET_BOUND_MEMORY ? "memory" : "the network");
}

static int print_mapping(const servet_mapping *m, const servet_profile *p, int form)
{
    const int length = servet_mapping_write(m, p, form, NULL, 0);
    char *text;
    if (length == SERVET_EUNSUPPORTED)
        return fail("map: form %s cannot say it: %s", form_names[form],
                    form == SERVET_FORM_TASKSET || form == SERVET_FORM_OMP ? "it is on several nodes"
                    : "CPUs of the ranks differ from node to node, or ranks of a node are not in a row");
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (!text) return fail("map: %s", servet_status_text(length < 0 ? length : (int)SERVET_ENOMEM));
    servet_mapping_write(m, p, form, text, (size_t)length + 1);
    fputs(text, stdout);
    free(text);
    return 0;
}

static int map(servet_profile *p, int argc, char **argv)
{
    static servet_mapping m;
    map_args a;
    double *square = NULL;
    int code, n = 0, status;
    memset(&a, 0, sizeof a);
    code = map_args_of(&a, argc, argv);
    if (code) return code;
    if (a.matrix) {
        square = read_matrix(a.matrix, SERVET_MAPPING_PROCESSES, 512, &n);
        if (!square) return 2;
        if (a.processes && n != a.processes)
            code = fail("%s: a matrix of %d processes, where -n says %d", a.matrix, n, a.processes);
        a.processes = n;
        a.traffic.bytes = square;
    }
    if (!code) code = get_profile(p, a.profile);
    status = code ? 0 : servet_mapping_cores(&m, p, a.processes, a.bound);
    if (status == SERVET_EUNRESOLVED) code = fail("map: the profile names no CPU");
    else if (status == SERVET_EINVAL && servet_mapping_cores(&m, p, 1, a.bound) == 1)
        code = fail("map: %d processes are more than the %d CPUs of %d %s", a.processes,
                    m.nodes * m.cpus, m.nodes, m.nodes > 1 ? "nodes" : "node");
    else if (status < 0) code = fail("map: %s", servet_status_text(status));
    if (!code && (a.matrix || a.pattern)) {
        status = servet_mapping_processes(&m, p, &a.traffic);
        if (status == SERVET_EINVAL && a.pattern) code = fail("--pattern: \"%s\" is not of %d processes", a.pattern,
                                                              m.processes);
        else if (status < 0 && status != SERVET_EUNRESOLVED) code = fail("map: %s", servet_status_text(status));
    }
    if (!code) code = print_mapping(&m, p, a.form);
    if (!code && square && !is_symmetric(square, n))
        fprintf(stderr, "servet: %s: not symmetric: both ways are added\n", a.matrix);
    if (!code) map_remarks(&m, p, &a, status);
    free(square);
    return code;
}

/* ---- export ---------------------------------------------------------------------------------- */

/* For programs that know nothing of us.  The XML of hwloc is made by the header; the rest are lists of values. */
enum { EXPORT_HWLOC, EXPORT_GLIBC, EXPORT_GCC, EXPORT_HEADER, EXPORT_ENV, EXPORTS };
static const char *const export_names[EXPORTS] = { "--hwloc", "--glibc", "--gcc", "--header", "--env" };

typedef struct export_item {
    int    form;
    const char *name;
    int    what, level, busy;    /* as in servet_question; level -1 = the last that is known            */
    double unit, lo, hi;         /* in bytes; bounds of what may be said, 0 = none                      */
} export_item;

/* Bounds are glibc's, as ld.so lists them: 0x4040, and SIZE_MAX / 16, of doubles the next below.  OpenBLAS reads KiB,
 * in builds with DYNAMIC_ARCH (its docs/runtime_variables.md).  GCC takes sizes of caches in KiB. */
static const export_item export_list[] = {
    { EXPORT_GLIBC, "glibc.cpu.x86_data_cache_size", SERVET_ASK_BYTES, 1, 0, 1, 0, 0 },
    { EXPORT_GLIBC, "glibc.cpu.x86_shared_cache_size", SERVET_ASK_BYTES, -1, 1, 1, 0, 0 },
    { EXPORT_GLIBC, "glibc.cpu.x86_non_temporal_threshold", SERVET_ASK_STREAMING, 0, 0, 1, 0x4040,
      1152921504606846848.0 },
    { EXPORT_GCC, "l1-cache-size", SERVET_ASK_BYTES, 1, 0, 1024, 0, 0 },
    { EXPORT_GCC, "l1-cache-line-size", SERVET_ASK_LINE, 0, 0, 1, 0, 0 },
    { EXPORT_GCC, "l2-cache-size", SERVET_ASK_BYTES, 2, 0, 1024, 0, 0 },
    { EXPORT_GCC, "constructive-interference-size", SERVET_ASK_LINE, 0, 0, 1, 0, 0 },
    { EXPORT_GCC, "destructive-interference-size", SERVET_ASK_APART, 0, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_LINE_BYTES", SERVET_ASK_LINE, 0, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_APART_BYTES", SERVET_ASK_APART, 0, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_L1_BYTES", SERVET_ASK_BYTES, 1, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_L2_BYTES", SERVET_ASK_BYTES, 2, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_L3_BYTES", SERVET_ASK_BYTES, 3, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_LAST_BUSY_BYTES", SERVET_ASK_BYTES, -1, 1, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_FANOUT", SERVET_ASK_FANOUT, 0, 0, 1, 0, 0 },
    { EXPORT_HEADER, "MACHINE_STREAMING_BYTES", SERVET_ASK_STREAMING, 0, 0, 1, 1, 1e18 },
    { EXPORT_HEADER, "MACHINE_THREADS", SERVET_ASK_THREADS, 0, 0, 1, 0, 0 },
    { EXPORT_ENV, "OPENBLAS_L2_SIZE", SERVET_ASK_BYTES, 2, 0, 1024, 0, 0 }
};
enum { EXPORT_ITEMS = sizeof export_list / sizeof *export_list };

/* In the item's unit, where the answer is more than a default; 0 = not known. */
static double export_ask(servet_answer *a, const servet_profile *p, const export_item *item)
{
    servet_question q;
    double value;
    int status;
    memset(&q, 0, sizeof q);
    q.what = item->what;
    q.busy = item->busy;
    q.cpu = p->made.cpu;
    q.level = item->level < 0 ? SERVET_LEVELS_MAX : item->level;
    do status = servet_ask(a, p, &q);
    while ((status < 0 || a->source == SERVET_SOURCE_DEFAULT) && item->level < 0 && --q.level > 0);
    if (status < 0 || a->source == SERVET_SOURCE_DEFAULT) return 0;
    value = floor(a->value / item->unit);
    if (value < item->lo) value = item->lo;
    return item->hi > 0 && value > item->hi ? item->hi : value;
}

/* What goes past the caches is not there when it is read: memcpy, which cannot know who reads, is to do so only with
 * what no level may hold (bench/export.c). */
static double export_value(servet_answer *a, const servet_profile *p, const export_item *item)
{
    static const export_item last = { EXPORT_GLIBC, "", SERVET_ASK_BYTES, -1, 0, 1, 0, 0 };
    const double value = export_ask(a, p, item);
    servet_answer held;
    if (item->form != EXPORT_GLIBC || item->what != SERVET_ASK_STREAMING || !(value > 0)) return value;
    return export_ask(&held, p, &last) > 0 && ceil(held.hi) > value ? ceil(held.hi) : value;
}

/* Source and doubt: "measured, 49152 [49152, 49152]; the system's claim is confirmed". */
static void export_doubt(const servet_answer *a, const export_item *item, double value)
{
    static const char *const claim[] = { "", "; the system's claim is confirmed", "; the system's claim is refuted",
                                         "; the system's claim is untested" };
    printf("%s, ", a->source == SERVET_SOURCE_OS ? "as the system says" : "measured");
    if (a->value < 1e18) printf("%.0f [%.0f, ", a->value, a->lo);
    else printf("never, as far as was tried [%.0f, ", a->lo);
    if (a->hi < 1e18) printf("%.0f]%s", a->hi, claim[a->claim]);
    else printf("no end]%s", claim[a->claim]);
    if (item->what == SERVET_ASK_STREAMING && value > (a->hi > item->lo ? a->hi : item->lo))
        printf("; raised to what the last level may hold");
}

/* A text of the profile, in a comment that it must not end. */
static void export_text(const char *text)
{
    for (; *text; text++) putchar(*text >= ' ' && *text <= '~' && !strchr("*\\?", *text) ? *text : ' ');
}

/* Threads that saturate the memory of one node, for code that waits for it (OpenMP 5.2, section 21).  0 = not known. */
static int export_threads(const servet_profile *p)
{
    static servet_profile one;
    static servet_mapping m;
    char text[8192];
    one = *p;
    one.network = NULL;
    if (servet_mapping_cores(&m, &one, 0, SERVET_BOUND_MEMORY) < 1 || !m.useful
        || servet_mapping_write(&m, &one, SERVET_FORM_OMP, text, sizeof text) >= (int)sizeof text) {
        printf("# OMP_NUM_THREADS, OMP_PLACES: how many threads saturate memory is not known\n");
        return 0;
    }
    printf("# threads that saturate memory, for code that waits for it (OpenMP 5.2, section 21)\n%s", text);
    return 1;
}

/* A comment for each, then those that are known. */
static int export_values(const servet_profile *p, int form)
{
    static const struct { const char *open, *close, *begin, *between, *is; } word[EXPORTS] = {
        { "", "", "", "", "" }, { "# ", "", "GLIBC_TUNABLES=", ":", "=" }, { "# ", "", "--param=", " --param=", "=" },
        { "/* ", " */", "#define ", "\n#define ", " " }, { "# ", "", "", "\n", "=" } };
    servet_answer a;
    double value;
    int i, some = 0;
    printf("%s", word[form].open);
    export_text(p->host.cpu_model[0] ? p->host.cpu_model : p->host.arch[0] ? p->host.arch : "a machine");
    printf(", by servet %s ", SERVET_VERSION);
    export_text(p->made.when);
    printf("%s\n%s", word[form].close, form != EXPORT_HEADER ? "" :
           "/* Bytes of one CPU; BUSY: its part of the last level while all are at work.  APART: between data that\n"
           " * several CPUs write.  FANOUT: parts that one pass of a split writes to.  STREAMING: from there on\n"
           " * copies go past the caches.  THREADS: that saturate memory */\n"
           "#ifndef MACHINE_LIMITS_H\n#define MACHINE_LIMITS_H\n");
    if (form == EXPORT_ENV) export_threads(p);
    for (i = 0; i < EXPORT_ITEMS; i++) {
        if (export_list[i].form != form) continue;
        value = export_value(&a, p, &export_list[i]);
        printf("%s%s: ", word[form].open, export_list[i].name);
        if (value > 0) export_doubt(&a, &export_list[i], value);
        printf("%s%s\n", value > 0 ? "" : "not known", word[form].close);
    }
    for (i = 0; i < EXPORT_ITEMS; i++)
        if (export_list[i].form == form && (value = export_value(&a, p, &export_list[i])) > 0)
            printf("%s%s%s%.0f", some++ ? word[form].between : word[form].begin, export_list[i].name, word[form].is,
                   value);
    printf("%s%s", some ? "\n" : "", form == EXPORT_HEADER ? "#endif\n" : "");
    return 0;
}

/* Is anything known of what it takes? */
static int export_knows(const servet_profile *p, int form)
{
    servet_answer a;
    int i;
    for (i = 0; i < EXPORT_ITEMS; i++)
        if (export_list[i].form == form && export_value(&a, p, &export_list[i]) > 0) return 1;
    return form == EXPORT_ENV && p->contention;
}

/* A line of a file of the system, without its end; 0 = there is none. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int system_line(char *text, size_t cap, const char *format, ...)
{
    char path[128];
    va_list args;
    FILE *f;
    int some;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    f = fopen(path, "r");
    some = f && fgets(text, (int)cap, f);
    if (f) fclose(f);
    if (some) text[strcspn(text, "\n")] = 0;
    return some;
}

/* The number that a line begins with; -1 = none. */
static int system_number(const char *file, int cpu)
{
    char text[64];
    if (!system_line(text, sizeof text, "/sys/devices/system/cpu/cpu%d/%s", cpu, file)) return -1;
    return text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

static void system_place(servet_export_place *at, int cpu)
{
    char file[64], type[32];
    int i, level;
    at->cpu = cpu;
    at->core = system_number("topology/core_id", cpu);
    at->package = system_number("topology/physical_package_id", cpu);
    for (i = 0; i < SERVET_LEVELS_MAX; i++) at->cache[i] = -1;
    for (i = 0; system_line(type, sizeof type, "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, i); i++) {
        snprintf(file, sizeof file, "cache/index%d/level", i);
        level = system_number(file, cpu);
        if (level < 1 || level > SERVET_LEVELS_MAX || !strcmp(type, "Instruction")) continue;
        snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", i);
        at->cache[level - 1] = system_number(file, cpu);
    }
}

/* A node of memory with those of its CPUs that may be used; 0 = there is none of that number. */
static int system_node(servet_node *n, int id, const servet_cpus *usable)
{
    char text[4096];
    servet_cpus all;
    double kib = 0;
    int cpu;
    if (!system_line(text, sizeof text, "/sys/devices/system/node/node%d/cpulist", id)) return 0;
    memset(n, 0, sizeof *n);
    n->id = id;
    if (servet_cpus_parse(&all, text) < 0) memset(&all, 0, sizeof all);
    for (cpu = -1; (cpu = servet_cpus_next(&all, cpu)) >= 0; )
        if (usable->mask[cpu / 64] >> cpu % 64 & 1) servet_cpus_add(&n->cpus, cpu);
    if (system_line(text, sizeof text, "/sys/devices/system/node/node%d/meminfo", id)
        && sscanf(text, "Node %*d MemTotal: %lf", &kib) == 1) n->bytes = 1024 * kib;
    return 1;
}

/* Was it measured here?  The key of this machine is in the name of its file. */
static int is_of_this_machine(const servet_profile *p)
{
    char path[4096], key[SERVET_TEXT_MAX] = "";
    servet_profile_path(path, sizeof path, key);    /* no home, but a key */
    return key[0] && !strcmp(p->key, key);
}

static void system_says(servet_export_opts *o)
{
    enum { MOST_CPUS = 2048, MOST_NODES = 256 };
    static servet_export_place place[MOST_CPUS];
    static servet_node node[MOST_NODES];
    servet_cpus usable;
    int id, cpu = -1;
    if (servet_machine_cpus(&usable) < 0) return;
    while ((cpu = servet_cpus_next(&usable, cpu)) >= 0 && o->places < MOST_CPUS) system_place(&place[o->places++], cpu);
    for (id = 0; id < 64 * SERVET_CPU_WORDS && o->nodes < MOST_NODES; id++) {
        if (id > 1024 && o->nodes == 0) break;
        o->nodes += system_node(&node[o->nodes], id, &usable);
    }
    o->place = place;
    o->node = node;
}

/* Beside the file and renamed, so that what was there stays if it fails; what is no file is written to. */
static int write_whole(const char *path, const char *text)
{
    const size_t length = strlen(text);
    char beside[4096];
    struct stat is;
    int plain = stat(path, &is) != 0 || S_ISREG(is.st_mode), code = 0;
    FILE *f;
    if (!strcmp(path, "-")) return fputs(text, stdout) < 0;
    if (snprintf(beside, sizeof beside, plain ? "%s.%ld" : "%s", path, (long)getpid()) >= (int)sizeof beside)
        return fail("%s: the name is too long", path);
    f = fopen(beside, "wb");
    if (!f) return fail("%s: %s", path, strerror(errno));
    if (fwrite(text, 1, length, f) != length) code = fail("%s: %s", path, strerror(errno));
    if (fclose(f) != 0 && !code) code = fail("%s: %s", path, strerror(errno));
    if (!code && plain && rename(beside, path) != 0) code = fail("%s: %s", path, strerror(errno));
    if (code && plain) remove(beside);
    return code;
}

static int export_args(int argc, char **argv, int *form, const char **file, const char **profile)
{
    int i, k;
    *form = -1;
    *file = "-";
    *profile = NULL;
    for (i = 0; i < argc; i++) {
        for (k = 0; k < EXPORTS && strcmp(argv[i], export_names[k]); k++) { }
        if (k < EXPORTS && *form >= 0) return fail("export: %s after %s: one at a time", argv[i],
                                                          export_names[*form]);
        if (k < EXPORTS) *form = k;
        else if ((argv[i][0] == '-' && argv[i][1]) || *profile) return fail("export: unknown argument \"%s\"", argv[i]);
        else *profile = argv[i];
        if (k == EXPORT_HWLOC) {
            if (i + 1 == argc || !argv[i + 1][0] || (argv[i + 1][0] == '-' && argv[i + 1][1]))
                return fail("export: --hwloc needs a file to write, or - for standard output");
            *file = argv[++i];
        }
    }
    return *form < 0 ? fail("export needs one of --hwloc FILE, --glibc, --gcc, --header, --env") : 0;
}

static int export_tree(const servet_profile *p, const char *file)
{
    servet_export_opts o;
    char *text;
    int length, code;
    memset(&o, 0, sizeof o);
    if (is_of_this_machine(p)) system_says(&o);
    length = servet_export_hwloc(p, NULL, 0, &o);
    if (length == SERVET_EUNRESOLVED) return fail("export: the profile names no CPU");
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (!text) return fail("export: %s", servet_status_text(length < 0 ? length : (int)SERVET_ENOMEM));
    servet_export_hwloc(p, text, (size_t)length + 1, &o);
    code = write_whole(file, text);
    free(text);
    return code;
}

static int export_profile(servet_profile *p, int argc, char **argv)
{
    const char *file, *profile;
    int form, code = export_args(argc, argv, &form, &file, &profile);
    if (!code) code = get_profile(p, profile);
    if (code) return code;
    if (form == EXPORT_HWLOC) return export_tree(p, file);
    if (form == EXPORT_GLIBC && strcmp(p->host.arch, "x86_64"))
        return fail("export: glibc takes sizes on x86_64, and the profile is of \"%s\"", p->host.arch);
    if (!export_knows(p, form)) return fail("export: the profile knows nothing that %s takes", export_names[form]);
    return export_values(p, form);
}

/* ---- paper ----------------------------------------------------------------------------------- */

#include "paper.h"

/* Layers of ranks and the shape of ratDist, from the evidence. */
static int infer_network(servet_network *n)
{
    const int layers = n->layer_count, sizes = n->size_count;
    if (servet_mpi_infer(n, NULL) == SERVET_ENOMEM) return 0;
    if (sizes > 0 && n->size_count == 0)
        fprintf(stderr, "servet: %d layers of ranks where there were %d: what was measured of those is left out\n",
                n->layer_count, layers);
    return 1;
}

int main(int argc, char **argv)
{
    servet_profile p;
    const int named = argc > 1 && argv[1][0] != '-';    /* without a command: run */
    const char *command = named ? argv[1] : "run", *path = argc > 2 ? argv[2] : NULL;
    int code;
    memset(&p, 0, sizeof p);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
        fputs(usage_text, stdout);
        code = 0;
    } else if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("servet %s\n", SERVET_VERSION);
        code = 0;
    } else if (!strcmp(command, "run")) {
        code = run(&p, argc - 1 - named, argv + 1 + named);
    } else if (!strcmp(command, "fit")) {
        code = fit(argc - 2, argv + 2);
    } else if (!strcmp(command, "layers")) {
        code = layers(argc - 2, argv + 2);
    } else if (!strcmp(command, "map")) {
        code = map(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "export")) {
        code = export_profile(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "paper")) {
        code = paper(&p, argc - 2, argv + 2);
    } else if (strcmp(command, "show") && strcmp(command, "check") && strcmp(command, "infer")) {
        fail("no command is named \"%s\"", command);
        fputs(usage_text, stderr);
        return 2;
    } else if (argc > 3 || (path && path[0] == '-' && path[1])) {
        code = fail("%s: unknown argument \"%s\"", command, argc > 3 ? argv[3] : path);
    } else if (!strcmp(command, "infer") && !path) {
        code = fail("infer needs a profile, or - for standard input");
    } else {
        code = get_profile(&p, path);
        if (!code && !strcmp(command, "show")) report(&p);
        if (!code && !strcmp(command, "check")) code = check(&p);
        if (!code && !strcmp(command, "infer")) {
            const int status = servet_profile_infer(&p);
            if (status < 0 && status != SERVET_EUNRESOLVED) code = fail("%s: %s", path, servet_status_text(status));
            else if (p.network && !infer_network(p.network)) code = fail("out of memory");
            else code = print_profile(&p);
        }
    }
    servet_profile_free(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) return fail("standard output: %s", strerror(errno));
    return code;
}

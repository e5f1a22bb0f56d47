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
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
    if (signal(SIGHUP, on_interrupt) == SIG_IGN) signal(SIGHUP, SIG_IGN);    /* by nohup */
    o->run.stop = stop;
    if (quiet || !isatty(2)) return;
    o->run.progress = progress;
    o->run.ctx = &last;
}

static void end_measuring(const servet_profile_opts *o)
{
    if (o->run.progress) fputs("\r                                        \r", stderr);
}

#include "places.h"
#include "show.h"
#include "help.h"
#include "csv.h"
#include "diff.h"

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
    return disagree > 0 || p->cache_count == 0;
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

/* Was it measured here?  The key of this machine is in the name of its file. */
static int is_of_this_machine(const servet_profile *p)
{
    char path[4096], key[SERVET_TEXT_MAX] = "";
    servet_profile_path(path, sizeof path, key);    /* no home, but a key */
    return key[0] && !strcmp(p->key, key);
}

/* The profile named, or the saved one of this machine, or one measured now.  0, or an exit code. */
static int get_profile(servet_profile *p, const char *path)
{
    char error[SERVET_TEXT_MAX] = "", own[4096] = "";
    size_t length;
    char *text;
    int status;
    if (!path) {
        servet_profile_opts o;
        status = servet_profile_path(own, sizeof own, NULL);
        if (status >= 0) status = servet_profile_load(p, own, error);
        if (status >= 0) {
            if (!is_of_this_machine(p)) fail("%s was measured on another machine, kernel or set of CPUs", own);
            return 0;
        }
        memset(&o, 0, sizeof o);
        o.run.budget_s = 2;
        if (access(own, F_OK) != 0) fail("no saved profile of this machine, measuring it");
        else fail("%s: %s: %s; measuring this machine", own, servet_status_text(status), error);
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

/* Can something be saved there?  0 with a message where not. */
static int can_be_written(const char *path)
{
    int status;
    if (!*path) return fail("-o needs a file name") == 0;
    status = servet_profile_save_text(path, NULL, 0);
    if (status < 0) fail("%s: cannot be written: %s", path, errno ? strerror(errno) : servet_status_text(status));
    return status >= 0;
}

/* And something that is no profile?  One stays: export --hwloc FILE writes where the other forms read. */
static int can_be_replaced(const char *path)
{
    static servet_profile p;
    if (!can_be_written(path)) return 0;
    if (servet_profile_load(&p, path, NULL) < 0) return 1;
    servet_profile_free(&p);
    return fail("%s: a profile is there, which stays", path) == 0;
}

/* What a run measures, most asked for first: the usual seconds of each part, beside those of caches and TLBs. */
static const struct run_part { const char *name; int part, suite; double seconds; } run_parts[] = {
    { "caches", SERVET_PART_CACHES, 1, 0 },        { "tlb", SERVET_PART_TLB, 1, 0 },
    { "cores", SERVET_PART_CORES, 1, 2 },          { "bandwidth", SERVET_PART_BANDWIDTH, 1, 2 },
    { "coherence", SERVET_PART_COHERENCE, 1, 1 },  { "survival", SERVET_PART_SURVIVAL, 1, 3 },
    { "prefetched", SERVET_PART_PREFETCHED, 1, 1 }, { "automaton", SERVET_PART_AUTOMATON, 0, 3 } };
enum { RUN_PARTS = sizeof run_parts / sizeof *run_parts };

/* Usual seconds of caches and TLBs; of the suite, half as much again as its parts, so that a busy machine has some
 * left; and of all there is at length.  What is between CPUs has the share RUN_CORES of it, which grows in
 * proportion from 8 to 64 CPUs, as in servet_profile_calibrate. */
#define RUN_CACHES_S  2.0
#define RUN_SUITE_S  18.0
#define RUN_FULL_S   30.0
#define RUN_QUICK_S   0.4
#define RUN_CORES     0.25

typedef struct run_args {
    servet_profile_opts opts;
    servet_cpus cpus;
    const char *path;
    int quiet, json, plot, full, quick;
} run_args;

/* A list of CPUs that this process may use.  0, or an exit code with a message. */
static int run_cpus(run_args *a, const char *list)
{
    servet_cpus usable;
    int cpu;
    if (!list || servet_cpus_parse(&a->cpus, list) < 0) return fail("--cpus needs a list such as 0-3,8");
    servet_machine_cpus(&usable);
    for (cpu = servet_cpus_next(&a->cpus, -1); cpu >= 0; cpu = servet_cpus_next(&a->cpus, cpu))
        if (servet_cpus_next(&usable, cpu - 1) != cpu)
            return fail("--cpus %s: this process may not use CPU %d", list, cpu);
    a->opts.cpus = &a->cpus;
    return 0;
}

static int run_only(run_args *a, const char *list)
{
    static const char there_are[] = "caches, tlb, prefetched, cores, bandwidth, coherence, automaton, survival";
    char only[128], *word;
    int k;
    if (!list || !*list || strlen(list) >= sizeof only) return fail("--only needs a list of: %s", there_are);
    strcpy(only, list);
    for (a->opts.parts = 0, word = strtok(only, ","); word; word = strtok(NULL, ",")) {
        for (k = 0; k < RUN_PARTS && strcmp(word, run_parts[k].name); k++) { }
        if (k == RUN_PARTS)
            return fail("--only: no part is named \"%s\"; there are: %s%s", word, there_are,
                        meant_text(word, help_parts).text);
        a->opts.parts |= run_parts[k].part;
    }
    return a->opts.parts ? 0 : fail("--only needs a list of: %s", there_are);
}

/* What is to be measured, and how long.  Of the suite as many parts as have their usual time in a budget; each has a
 * share of all of it then. */
static void run_plan(run_args *a)
{
    double usual = RUN_CACHES_S, times = 1;
    servet_cpus usable = a->cpus;
    int k;
    if (!a->opts.cpus) servet_machine_cpus(&usable);
    if (usable.count > 8) times += RUN_CORES * ((usable.count < 64 ? usable.count : 64) / 8.0 - 1);
    if (a->quick && a->opts.run.budget_s <= 0) a->opts.run.budget_s = RUN_QUICK_S;
    if (a->full && a->opts.run.budget_s <= 0) a->opts.run.budget_s = times * RUN_FULL_S;
    for (k = 0; k < RUN_PARTS && a->full; k++) a->opts.parts |= run_parts[k].part;
    if (a->opts.parts) {
        for (k = 0; k < RUN_PARTS; k++) if (a->opts.parts & run_parts[k].part) usual += run_parts[k].seconds;
        if (a->opts.run.budget_s <= 0)
            a->opts.run.budget_s = usual + (a->opts.parts & SERVET_PART_CORES ? (times - 1) * RUN_SUITE_S : 0);
        return;
    }
    if (a->opts.run.budget_s <= 0) a->opts.run.budget_s = times * RUN_SUITE_S;
    if (a->opts.run.budget_s < RUN_CACHES_S) return;    /* caches, and TLBs if there is time */
    for (k = 0; k < RUN_PARTS && run_parts[k].suite && a->opts.run.budget_s >= usual + run_parts[k].seconds; k++) {
        usual += run_parts[k].seconds;
        a->opts.parts |= run_parts[k].part;
    }
}

static int run_option(run_args *a, const char *option, const char *value, int *used)
{
    *used = !strcmp(option, "-o") || !strcmp(option, "--budget") || !strcmp(option, "--cpus")
            || !strcmp(option, "--only");
    if (!strcmp(option, "-o")) {
        if (!value) return fail("-o needs a file name");
        a->path = value;
    } else if (!strcmp(option, "--budget")) {
        if (!positive(value, &a->opts.run.budget_s) || a->opts.run.budget_s > 3600)
            return fail("--budget needs seconds, above 0 and up to 3600");
    } else if (!strcmp(option, "--quick") || !strcmp(option, "--full")) {
        a->quick = option[2] == 'q';
        a->full = !a->quick;
    } else if (!strcmp(option, "--cpus")) {
        return run_cpus(a, value);
    } else if (!strcmp(option, "--only")) {
        return run_only(a, value);
    } else if (!strcmp(option, "--quiet")) {
        a->quiet = 1;
    } else if (!strcmp(option, "--json")) {
        a->json = 1;
    } else if (!strcmp(option, "--plot")) {
        a->plot = 1;
    } else {
        return unknown_argument("run", option);
    }
    return 0;
}

/* Measures, and keeps it in a file where one is named, or where programs look for it.  A status; what went wrong with
 * the file in *error. */
static int run_measure(servet_profile *p, run_args *a, int *error)
{
    servet_profile old;
    int status;
    if (!a->path && !a->json) {
        a->opts.fresh = 1;
        return servet_profile_open(p, NULL, &a->opts);
    }
    status = servet_profile_calibrate(p, &a->opts);
    /* what ranks of MPI have put there is not measured here */
    if (status >= 0 && a->path && servet_profile_load(&old, a->path, NULL) >= 0) {
        if (!strcmp(old.key, p->key)) {
            p->network = old.network;
            old.network = NULL;
        }
        servet_profile_free(&old);
    }
    errno = 0;
    if (status >= 0 && a->path) p->saved = servet_profile_save(p, a->path);
    *error = errno;
    return status;
}

/* Why it is not where programs look for it: the answer is there, only not for the next start. */
static void run_unsaved(const servet_profile *p)
{
    static servet_profile old;
    char own[4096], error[SERVET_TEXT_MAX] = "";
    if (p->made.stopped) fail("profile not saved: the run was interrupted (-o FILE saves a part, too)");
    else if (p->saved == SERVET_EUNRESOLVED) fail("profile not saved: without caches it is for -o FILE only");
    else if (servet_profile_path(own, sizeof own, NULL) < 0) fail("profile not saved: HOME is not set, or relative");
    else if (servet_profile_save_text(own, NULL, 0) < 0) fail("%s: not saved: %s", own, strerror(errno));
    else if (servet_profile_load(&old, own, error) < 0) fail("%s: not saved: it is no profile: %s", own, error);
    else fail("%s: not saved: %s", own, servet_status_text(p->saved));
    servet_profile_free(&old);
}

/* Is there anything at all? */
static int is_known(const servet_profile *p)
{
    return p->cache_count > 0 || p->tlb.small.count > 0 || p->bandwidth.count > 0 || p->cores
           || (p->evidence && p->evidence->prefetched.count > 0);
}

static int run(servet_profile *p, int argc, char **argv)
{
    static run_args a;
    char own[4096];
    int i, status, used, code, error = 0;
    memset(&a, 0, sizeof a);
    for (i = 0; i < argc; i += 1 + used)
        if ((code = run_option(&a, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used)) != 0) return code;
    run_plan(&a);
    if (a.path && (!strcmp(a.path, "-") || !strcmp(a.path, "/dev/stdout"))) {
        a.json = 1;
        a.path = NULL;
    }
    if (a.path && !can_be_written(a.path)) return 2;    /* better known before measuring than after */
    a.opts.run.seed = (uint64_t)time(NULL);
    begin_measuring(&a.opts, a.quiet);
    status = run_measure(p, &a, &error);
    end_measuring(&a.opts);
    if (status < 0) return nothing_known(status);
    if (a.json) print_profile(p);
    else if (!a.quiet) report(p, a.plot || isatty(1));
    if (a.path && p->saved == SERVET_EIO && error) return fail("%s: not saved: %s", a.path, strerror(error));
    if (a.path && p->saved < 0) return fail("%s: not saved: %s", a.path, servet_status_text(p->saved));
    if (!a.path && !a.json && p->saved < 0 && is_known(p)) run_unsaved(p);
    if (!a.path && !a.json && p->saved >= 0 && servet_profile_path(own, sizeof own, NULL) >= 0) a.path = own;
    if (a.path && !a.quiet) fprintf(a.json ? stderr : stdout, "profile: %s\n", a.path);
    return is_known(p) ? 0 : nothing_known(p->made.stopped ? SERVET_ESTOPPED : SERVET_EUNRESOLVED);
}

/* The report, or evidence of a section. */
static int show(servet_profile *p, int argc, char **argv)
{
    const char *path = NULL, *section = NULL;
    int i, code, csv = 0, plot_it = isatty(1);
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--csv")) csv = 1;
        else if (!strcmp(argv[i], "--plot")) plot_it = 1;
        else if (argv[i][0] == '-' && argv[i][1]) return unknown_argument("show", argv[i]);
        else if (csv && !section && !path && csv_is_section(argv[i])) section = argv[i];
        else if (csv && !section && !path && csv_is_meant(argv[i])) return csv_unknown(argv[i]);
        else if (!path) path = argv[i];
        else return unknown_argument("show", argv[i]);
    }
    code = get_profile(p, path);
    if (code) return code;
    if (csv) return csv_print(p, section);
    report(p, plot_it);
    return 0;
}

static int diff(int argc, char **argv)
{
    static servet_profile a, b;
    const char *path[2] = { NULL, NULL };
    double least = 0;
    int i, n = 0, all = 0, code;
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--least")) {
            if (i + 1 == argc || !positive(argv[++i], &least)) return fail("diff: --least needs a number above 0");
        } else if (!strcmp(argv[i], "--all")) {
            all = 1;
        } else if ((argv[i][0] == '-' && argv[i][1]) || n == 2) {
            return unknown_argument("diff", argv[i]);
        } else {
            path[n++] = argv[i];
        }
    }
    if (n < 2) return fail("diff needs two profiles; one may be - for standard input");
    if (!strcmp(path[0], "-") && !strcmp(path[1], "-")) return fail("diff: both profiles cannot be standard input");
    code = get_profile(&a, path[0]);
    if (!code) code = get_profile(&b, path[1]);
    if (!code) code = diff_profiles(&a, &b, least / 100, all);
    servet_profile_free(&a);
    servet_profile_free(&b);
    return code;
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
    char *end, *rest, between = 0;
    line += strspn(line, " \t");
    if (*line == 0 || *line == '\r' || *line == '#') return "";
    *bytes = number_at(line, &end);
    if (end == line) return "expected `bytes,ns`";
    rest = end + strspn(end, " \t");
    if (*rest == ',' || *rest == ';') between = *rest++;
    else if (rest == end) return "no comma after the size";
    rest += strspn(rest, " \t");
    *ns = number_at(rest, &end);
    if (end == rest) return "no time after the size";
    end += strspn(end, " \t\r");
    if (*end && *end != between) return *end == ',' ? "a comma in the time" : "more than a number after the size";
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
            return unknown_argument("fit", argv[i]);
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
    return status == SERVET_EUNRESOLVED;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Values of a matrix, row by row, as they are read. */
typedef struct matrix {
    double *value;
    size_t  n, cap;
    int     most;               /* lines */
    int     corner;             /* its first value is blank */
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
        end = NULL;
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
        if (m->n == 0) m->corner = end == NULL;
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
    int i, j, first, n = m->rows, full = 1, with = 1, without = 1, late = 1, headed = m->corner;
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
    /* Tables that count their lines and columns are square, too. */
    for (i = 1; i < n && headed; i++) headed = full && from[i] == i - 1 && from[i * n] == i - 1;
    if (headed && n > 2) {
        fail("%s: line %lu: numbers of columns, and before each line its own: the values alone", path, m->line_of[0]);
        return NULL;
    }
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
        return unknown_argument("layers", argc > 1 ? argv[1] : path);
    if (!path) return fail("layers needs a file of N lines of N values, or - for standard input");
    square = read_matrix(path, SERVET_PAIRS_CORES, 64, &cores);    /* numbers of all their digits, and blanks */
    if (!square) return 2;
    memset(&found, 0, sizeof found);
    status = servet_pairs_layers(&found, square, cores);
    free(square);
    if (status < 0 && status != SERVET_EUNRESOLVED) return fail("%s: %s", path, servet_status_text(status));
    found.cores = cores;
    print_layers(&found);
    return !(found.outermost_ns > 0);
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
        return fail("--pattern: \"%s\" is none of ring, stencil2d, stencil3d, alltoall%s", text,
                    meant_text(text, "ring stencil2d stencil3d alltoall").text);
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
                        "slurm, slurm-hosts, cray, json%s", value, meant_text(value, help_forms).text);
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
            return unknown_argument("map", x);
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

#include "hwloc.h"

/* For programs that know nothing of us.  The XML of hwloc is a tree; the rest are lists of values. */
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

static void system_says(hwloc_opts *o)
{
    static system_cpu place[HWLOC_CPUS];
    static servet_node node[HWLOC_NODES];
    servet_cpus usable;
    int id, cpu = -1;
    if (servet_machine_cpus(&usable) < 0) return;
    while (o->places < HWLOC_CPUS && (cpu = servet_cpus_next(&usable, cpu)) >= 0)
        system_place(&place[o->places++], cpu);
    for (id = 0; id < 64 * SERVET_CPU_WORDS && o->nodes < HWLOC_NODES; id++) {
        if (id > 1024 && o->nodes == 0) break;
        o->nodes += system_node(&node[o->nodes], id, &usable);
    }
    o->place = place;
    o->node = node;
}

/* Whole or not at all; what is no file is written to. */
static int write_whole(const char *path, const char *text)
{
    int status;
    if (!strcmp(path, "-")) return fputs(text, stdout) < 0;
    status = servet_profile_save_text(path, text, strlen(text));
    return status < 0 ? fail("%s: %s", path, errno ? strerror(errno) : servet_status_text(status)) : 0;
}

#include "report.h"

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
        else if ((argv[i][0] == '-' && argv[i][1]) || *profile) return unknown_argument("export", argv[i]);
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
    hwloc_opts o;
    char *text;
    int length, code;
    memset(&o, 0, sizeof o);
    if (is_of_this_machine(p)) system_says(&o);
    length = hwloc_xml(p, NULL, 0, &o);
    if (length == SERVET_EUNRESOLVED) return fail("export: the profile names no CPU");
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (!text) return fail("export: %s", servet_status_text(length < 0 ? length : (int)SERVET_ENOMEM));
    hwloc_xml(p, text, (size_t)length + 1, &o);
    code = write_whole(file, text);
    free(text);
    return code;
}

static int export_profile(servet_profile *p, int argc, char **argv)
{
    const char *file, *profile;
    int form, code = export_args(argc, argv, &form, &file, &profile);
    if (!code && strcmp(file, "-") && !can_be_replaced(file)) return 2;    /* before a machine is measured */
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
#include "merge.h"

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
    signal(SIGXFSZ, SIG_IGN);    /* an output beyond the limit of file sizes fails, and is told */
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
        code = argc > 3 ? unknown_argument("help", argv[3]) : help(path && path[0] == '-' ? command : path);
    } else if (named && path && (!strcmp(path, "--help") || !strcmp(path, "-h"))) {
        code = help(command);
    } else if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("servet %s\n", SERVET_VERSION);
        code = 0;
    } else if (!strcmp(command, "run")) {
        code = run(&p, argc - 1 - named, argv + 1 + named);
    } else if (!strcmp(command, "show")) {
        code = show(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "diff")) {
        code = diff(argc - 2, argv + 2);
    } else if (!strcmp(command, "merge")) {
        code = merge(argc - 2, argv + 2);
    } else if (!strcmp(command, "fit")) {
        code = fit(argc - 2, argv + 2);
    } else if (!strcmp(command, "layers")) {
        code = layers(argc - 2, argv + 2);
    } else if (!strcmp(command, "map")) {
        code = map(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "report")) {
        code = report_file(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "export")) {
        code = export_profile(&p, argc - 2, argv + 2);
    } else if (!strcmp(command, "paper")) {
        code = paper(&p, argc - 2, argv + 2);
    } else if (strcmp(command, "check") && strcmp(command, "infer")) {
        code = unknown_command(command);
    } else if (argc > 3 || (path && path[0] == '-' && path[1])) {
        code = unknown_argument(command, argc > 3 ? argv[3] : path);
    } else if (!strcmp(command, "infer") && !path) {
        code = fail("infer needs a profile, or - for standard input");
    } else {
        code = get_profile(&p, path);
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

/* payoff.h - does it pay to act on measured numbers?  What bench/payoff_*.c share
 *
 * Quantity    times of one piece of work by each of several choices (a tile, a number of partitions, of threads ...):
 *             T(system), by what sysconf or sysfs leads a program to; T(servet), by what servet.h answers;
 *             T(best), the lowest of all tried.  gain = T(system) / T(servet), loss = T(servet) / T(best)
 * Estimator   one run of rounds, in each every choice once, in an order drawn anew; ratios of the two times of a round,
 *             their median, and order statistics that bound it in 95 cases of 100.  Rounds go on until both intervals
 *             are within 3 % of their medians, or the time is over: then the line says that it cannot tell.  Choices
 *             that are surely more than 3 % above the best are left out of later rounds
 * Fooled by   the best is the lowest of noisy medians, so the loss comes out too large rather than too small; a
 *             neighbour whose activity changes what is best from one minute to the next
 *
 * Answers     the rules by which numbers become a choice are here and in the programs, with what of the system's a
 *             program would take.  One rule serves both sides where the system has the numbers for it
 *
 * Every payoff program takes [--seconds S] [--profile FILE] [--busy] [--rows] [--verbose]:
 *   --seconds   for each line at most, default 60
 *   --profile   answers from there (servet_profile_load), instead of measuring now
 *   --busy      beside a process that spins on the last CPU
 *   --rows      without the head of the table
 *   --verbose   what every choice took, on standard error
 */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "../tests/private.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAYOFF_WITHIN 0.03      /* of a ratio: when its interval is narrow, and what is no difference */
#define PAYOFF_NEAR   0.10      /* of the best: as far as servet's choice may lie                     */
enum { PAYOFF_CHOICES = 24, PAYOFF_ROUNDS = 400, PAYOFF_ROUNDS_MIN = 6 };
#define PAYOFF_MAYBE __attribute__((unused))
#define PAYOFF_KIB 1024.0
#define PAYOFF_MIB 1048576.0

typedef struct payoff_choice {
    double value;
    int rounds, out;                        /* 1 = no longer tried                         */
    double seconds[PAYOFF_ROUNDS];
} payoff_choice;

/* A line of the table: the caller sets what is above choices. */
typedef struct payoff {
    const char *name;
    double (*run)(void *ctx, double value); /* does the work by this choice; seconds, negative = cannot */
    void *ctx;
    void (*word)(char *buf, size_t cap, double value);
    double system, servet;                  /* the choices that each leads to              */
    int choices;
    payoff_choice choice[PAYOFF_CHOICES];
} payoff;

typedef struct payoff_ratio { double mid, lo, hi; } payoff_ratio;

static struct {
    const char *program, *profile;
    double seconds;
    int busy, rows, verbose;
    pid_t neighbour;
    servet_cpus cpus;                       /* that may be used                            */
} payoff_run = { "payoff", NULL, 60, 0, 0, 0, 0, { 0, { 0 } } };

static double payoff_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void payoff_fail(const char *what, const char *why, int status)
{
    fprintf(stderr, "%s: %s%s%s\n", payoff_run.program, what, why ? ": " : "", why ? why : "");
    exit(status);
}

/* ---- start ------------------------------------------------------------------------------------------ */

static void payoff_leave(void) { if (payoff_run.neighbour > 0) kill(payoff_run.neighbour, SIGKILL); }

/* A process that spins on the last CPU, until this one ends. */
static void payoff_neighbour(void)
{
    const pid_t parent = getpid();
    int cpu, last = -1;
    for (cpu = -1; (cpu = servet_cpus_next(&payoff_run.cpus, cpu)) >= 0;) last = cpu;
    payoff_run.neighbour = fork();
    if (payoff_run.neighbour < 0) payoff_fail("no neighbour", strerror(errno), 1);
    if (payoff_run.neighbour == 0) {
        if (servet__machine_pin(last, NULL) < 0) _exit(1);
        while (getppid() == parent) { volatile int turns; for (turns = 0; turns < 1000000; turns++) {} }
        _exit(0);
    }
    atexit(payoff_leave);
}

/* A number of an option, above 0 and at most so much. */
static double payoff_number(const char *option, const char *text, double most)
{
    char *end, why[128];
    const double x = text ? strtod(text, &end) : 0;
    if (text && end != text && !*end && x > 0 && x <= most) return x;
    snprintf(why, sizeof why, "it takes a number above 0 and at most %g, not %.40s", most, text ? text : "nothing");
    payoff_fail(option, why, 2);
    return 0;
}

static void payoff_arguments(int argc, char **argv, const char *program)
{
    int i;
    payoff_run.program = program;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seconds")) payoff_run.seconds = payoff_number(argv[i], argv[i + 1], 3600), i++;
        else if (!strcmp(argv[i], "--profile") && i + 1 < argc) payoff_run.profile = argv[++i];
        else if (!strcmp(argv[i], "--busy")) payoff_run.busy = 1;
        else if (!strcmp(argv[i], "--rows")) payoff_run.rows = 1;
        else if (!strcmp(argv[i], "--verbose")) payoff_run.verbose = 1;
        else payoff_fail(argv[i], strcmp(argv[i], "--profile") ? "no such option" : "it takes the name of a file", 2);
    }
    servet_machine_cpus(&payoff_run.cpus);
    if (payoff_run.busy) payoff_neighbour();
}

/* ---- what both sides say ------------------------------------------------------------------------------ */

/* Bytes of a level as programs ask for them: sysconf, else sysfs; 0 = neither says. */
static double payoff_system_bytes(int level)
{
    double bytes = 0;
    int i;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    const int name[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
    bytes = level >= 1 && level <= 3 ? (double)sysconf(name[level - 1]) : 0;
#endif
    for (i = 0; bytes <= 0 && i < 8; i++) {
        char path[96], type[32] = "";
        int said = 0;
        double size = 0;
        FILE *f;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!(f = fopen(path, "r"))) break;
        if (fscanf(f, "%d", &said) != 1) said = 0;
        fclose(f);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if ((f = fopen(path, "r")) != NULL) { if (fscanf(f, "%31s", type) != 1) *type = 0; fclose(f); }
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        if ((f = fopen(path, "r")) != NULL) { if (fscanf(f, "%lfK", &size) != 1) size = 0; fclose(f); }
        if (said == level && strcmp(type, "Instruction")) bytes = 1024 * size;
    }
    return bytes > 0 ? bytes : 0;
}

/* The last level that the system knows, and what programs take where it knows none. */
PAYOFF_MAYBE static double payoff_system_last(void)
{
    int level;
    for (level = 3; level > 1; level--) if (payoff_system_bytes(level) > 0) return payoff_system_bytes(level);
    return 8 * PAYOFF_MIB;
}

/* Opens the profile, and tells above the table what each side says of the caches. */
static void payoff_open(servet_profile *p, int parts, double seconds)
{
    servet_profile_opts o;
    double begun = payoff_now();
    char error[SERVET_TEXT_MAX] = "";
    int status, i;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | parts;
    o.run.budget_s = seconds;
    o.fresh = o.no_save = 1;
    if (payoff_run.profile) {
        status = servet_profile_load(p, payoff_run.profile, error);
        if (status < 0) payoff_fail(payoff_run.profile, error[0] ? error : servet_status_text(status), 2);
    } else {
        status = servet_profile_open(p, NULL, &o);
        if (status < 0) payoff_fail("no profile", servet_status_text(status), 1);
    }
    if (!payoff_run.verbose) return;
    fprintf(stderr, "# %s, %d CPUs; answers after %.2f s\n", p->host.cpu_model, p->host.cpu_count,
            payoff_now() - begun);
    for (i = 0; i < p->cache_count; i++)
        fprintf(stderr, "# L%d: system %.0f KiB; servet %.0f KiB [%.0f, %.0f], mostly %.0f KiB\n", i + 1,
                payoff_system_bytes(i + 1) / PAYOFF_KIB, p->cache[i].bytes / PAYOFF_KIB,
                p->cache[i].lo_bytes / PAYOFF_KIB, p->cache[i].hi_bytes / PAYOFF_KIB,
                p->cache[i].usual_bytes / PAYOFF_KIB);
}

/* How many CPUs share the last level by the system: all, where it does not say. */
PAYOFF_MAYBE static double payoff_system_sharers(void)
{
    servet_cpus cpus;
    char list[4096] = "";
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "r");
    if (f) {
        if (!fgets(list, sizeof list, f)) list[0] = 0;
        fclose(f);
        list[strcspn(list, "\n")] = 0;
    }
    return servet_cpus_parse(&cpus, list) < 0 ? payoff_run.cpus.count : cpus.count;
}

/* Parts of a table so that each has at most so many bytes. */
PAYOFF_MAYBE static double payoff_parts_of(double table_bytes, double bytes, double most)
{
    double parts = 1;
    while (table_bytes / parts > bytes && parts < most) parts *= 2;
    return parts;
}

/* Servet's answer. */
PAYOFF_MAYBE static double payoff_ask(const servet_profile *p, servet_question q, double otherwise)
{
    servet_answer a;
    return servet_ask(&a, p, &q) < 0 ? otherwise : a.value;
}

PAYOFF_MAYBE static double payoff_parts(const servet_profile *p, double table_bytes, double most)
{
    servet_question q;
    double parts;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_PARTS;
    q.bytes = table_bytes;
    parts = payoff_ask(p, q, 1);
    return parts < most ? parts : most;
}

/* Lines between partitions, which begin at whole lines: in a row of partitions of a power of two bytes all would be
 * written to the same few sets, and unaligned ones touch two lines each time (Zen 4, 128 of them: 150 ms, else 75). */
enum { PAYOFF_APART = 17 };

PAYOFF_MAYBE static double payoff_or(double bytes, double otherwise) { return bytes > 0 ? bytes : otherwise; }

PAYOFF_MAYBE static void payoff_word_parts(char *buf, size_t cap, double parts)
{
    snprintf(buf, cap, "%.0f part%s", parts, parts > 1 ? "s" : "");
}

PAYOFF_MAYBE static void payoff_word_tile(char *buf, size_t cap, double tile) { snprintf(buf, cap, "tile %.0f", tile); }

/* Edge of square tiles of so many arrays that take three quarters of so many bytes, in whole lines of 64 bytes. */
PAYOFF_MAYBE static double payoff_tile_of(double bytes, int arrays, size_t element, double most)
{
    const double step = 64.0 / (double)element, edge = sqrt(0.75 * bytes / (arrays * (double)element));
    return edge < step ? step : edge > most ? most : step * floor(edge / step);
}

PAYOFF_MAYBE static double payoff_tile(const servet_profile *p, int level, int arrays, size_t element, size_t row,
                                       double most)
{
    servet_question q;
    double tile;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_TILE;
    q.level = level;
    q.arrays = arrays;
    q.element_bytes = (double)element;
    q.bytes = (double)row;
    tile = payoff_ask(p, q, 8);
    return tile < most ? tile : most;
}

/* Memory to work in, on large pages where there are some, zeroed. */
static void *payoff_memory(size_t bytes)
{
    servet_region region;      /* mapped until the program ends */
    const int status = servet_machine_map(&region, bytes, SERVET_PAGES_HUGE);
    if (status < 0) payoff_fail("no memory", servet_status_text(status), 1);
    memset(region.base, 0, bytes);
    return region.base;
}

/* ---- one line --------------------------------------------------------------------------------------------- */

static void payoff_try(payoff *p, double value)
{
    int i;
    for (i = 0; i < p->choices; i++) if (!(p->choice[i].value < value) && !(p->choice[i].value > value)) return;
    if (p->choices == PAYOFF_CHOICES) return;
    memset(&p->choice[p->choices], 0, sizeof p->choice[0]);
    p->choice[p->choices++].value = value;
}

static payoff_choice *payoff_chosen(payoff *p, double value)
{
    int i = 0;
    while (p->choice[i].value < value || p->choice[i].value > value) i++;
    return &p->choice[i];
}

static double payoff_median(const payoff_choice *c)
{
    double x[PAYOFF_ROUNDS];
    memcpy(x, c->seconds, (size_t)c->rounds * sizeof *x);
    servet_stats_sort(x, (size_t)c->rounds);
    return servet_stats_quantile(x, (size_t)c->rounds, 0.5);
}

/* Median of the ratios of rounds that have both, between the k-th from below and from above: P[B(n, 1/2) < k] <= 2.5 %.
 * With less than 6 rounds there is no such k, and the interval is open. */
static payoff_ratio payoff_compare(const payoff_choice *a, const payoff_choice *b)
{
    payoff_ratio r = { 1, 1, 1 };
    const int n = a->rounds < b->rounds ? a->rounds : b->rounds;
    double x[PAYOFF_ROUNDS];
    int i, k = 0;
    if (a == b) return r;
    for (i = 0; i < n; i++) x[i] = a->seconds[i] / b->seconds[i];
    servet_stats_sort(x, (size_t)n);
    while (k < n / 2 && 1 - servet_stats_binomial_tail(n, k + 1, 0.5) <= 0.025) k++;
    r.mid = servet_stats_quantile(x, (size_t)n, 0.5);
    r.lo = k ? x[k - 1] : 0;
    r.hi = k ? x[n - k] : HUGE_VAL;
    return r;
}

static int payoff_narrow(payoff_ratio r) { return r.hi - r.lo <= 2 * PAYOFF_WITHIN * r.mid; }

/* By ratios to servet's choice of the same rounds, as rounds differ. */
static payoff_choice *payoff_best(payoff *p)
{
    const payoff_choice *servet = payoff_chosen(p, p->servet);
    payoff_choice *best = payoff_chosen(p, p->servet);
    int i;
    for (i = 0; i < p->choices; i++) {
        payoff_choice *c = &p->choice[i];
        if (!c->out && payoff_compare(c, servet).mid < payoff_compare(best, servet).mid) best = c;
    }
    return best;
}

/* Each choice that is still in once, in an order of its own. */
static void payoff_round(payoff *p, uint64_t *seed)
{
    int order[PAYOFF_CHOICES], n = 0, i;
    for (i = 0; i < p->choices; i++) if (!p->choice[i].out) order[n++] = i;
    for (; n > 0; n--) {
        const size_t at = servet_stats_random_below(seed, (size_t)n);
        payoff_choice *c = &p->choice[order[at]];
        const double seconds = p->run(p->ctx, c->value);
        order[at] = order[n - 1];
        if (seconds > 0) c->seconds[c->rounds++] = seconds;
        else c->out = 1;
    }
}

static void payoff_leave_out(payoff *p, const payoff_choice *best)
{
    int i;
    for (i = 0; i < p->choices; i++) {
        payoff_choice *c = &p->choice[i];
        if (c == best || c == payoff_chosen(p, p->system) || c == payoff_chosen(p, p->servet)) continue;
        if (!c->out && payoff_compare(c, best).lo > 1 + PAYOFF_WITHIN) c->out = 1;
    }
}

/* Of the gain first, then where servet's choice is not surely near the best. */
static void payoff_verdict(char *buf, size_t cap, payoff_ratio gain, payoff_ratio loss)
{
    const char *pays = gain.lo > 1 + PAYOFF_WITHIN ? "pays" : gain.hi < 1 - PAYOFF_WITHIN ? "costs"
                     : payoff_narrow(gain) ? "does not pay" : "cannot tell";
    const char *wide = payoff_narrow(gain) || !strcmp(pays, "cannot tell") ? "" : ", cannot tell how much";
    snprintf(buf, cap, "%s%s%s", pays, wide, loss.lo > 1 + PAYOFF_NEAR ? "; NOT NEAR the best"
             : loss.hi > 1 + PAYOFF_NEAR ? "; cannot tell if near the best" : "");
}

/* Rounds differ more than ratios do: the times of a line are servet's median, and what the ratios make of it. */
static void payoff_print_choice(const payoff *p, const payoff_choice *c, double seconds)
{
    char word[64];
    p->word(word, sizeof word, c->value);
    printf(" %14s %8.4g ms |", word, 1e3 * seconds);
}

static void payoff_print(payoff *p, const payoff_choice *best)
{
    static int head;
    char verdict[128];
    const payoff_choice *system = payoff_chosen(p, p->system), *servet = payoff_chosen(p, p->servet);
    const payoff_ratio gain = payoff_compare(system, servet), loss = payoff_compare(servet, best);
    if (!head++ && !payoff_run.rows)
        printf("| %-34s | %-26s | %-26s | %-26s | %-20s | %-20s | %s\n"
               "|------------------------------------|---------------------------:|---------------------------:|"
               "---------------------------:|----------------------|----------------------|--------------|\n",
               "work", "by the system's numbers", "by servet's", "best of all tried", "system / servet",
               "servet / best", "            |");
    printf("| %-34s |", p->name);
    payoff_print_choice(p, system, payoff_median(servet) * gain.mid);
    payoff_print_choice(p, servet, payoff_median(servet));
    payoff_print_choice(p, best, payoff_median(servet) / loss.mid);
    payoff_verdict(verdict, sizeof verdict, gain, loss);
    printf(" %5.3f [%5.3f, %5.3f] | %5.3f [%5.3f, %5.3f] | %-12s |\n", gain.mid, gain.lo, gain.hi, loss.mid, loss.lo,
           loss.hi, verdict);
    fflush(stdout);
}

/* Measures a line and prints it.  Returns 0, or 1 where a choice of either side could not be run. */
static int payoff_line(payoff *p)
{
    const double begun = payoff_now();
    uint64_t seed = 1;
    payoff_choice *best = NULL;
    char word[64];
    int round, i;
    payoff_try(p, p->system);
    payoff_try(p, p->servet);
    for (round = 0; round < PAYOFF_ROUNDS && payoff_now() - begun < payoff_run.seconds; round++) {
        const payoff_choice *system = payoff_chosen(p, p->system), *servet = payoff_chosen(p, p->servet);
        payoff_round(p, &seed);
        if (system->out || servet->out) {
            printf("| %-34s | cannot be run here\n", p->name);
            return 1;
        }
        if (round + 1 < PAYOFF_ROUNDS_MIN) continue;
        best = payoff_best(p);
        payoff_leave_out(p, best);
        if (payoff_narrow(payoff_compare(system, servet)) && payoff_narrow(payoff_compare(servet, best))) break;
    }
    if (!best) best = payoff_best(p);
    payoff_print(p, best);
    for (i = 0; payoff_run.verbose && i < p->choices; i++) {
        p->word(word, sizeof word, p->choice[i].value);
        fprintf(stderr, "# %14s %9.4g ms of %3d, %.3f times the best\n", word, 1e3 * payoff_median(&p->choice[i]),
                p->choice[i].rounds, payoff_compare(&p->choice[i], best).mid);
    }
    return 0;
}

/* Says why there is no line. */
PAYOFF_MAYBE static int payoff_no_line(const payoff *p, const char *why)
{
    printf("| %-34s | not here: %s |\n", p->name, why);
    return 0;
}

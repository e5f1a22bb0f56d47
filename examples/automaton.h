/* automaton.h - what automaton.c and mpi_automaton.c share: arguments, a file of them, and the result as text
 *
 * AUTOMATON_NAME is which of them, in messages. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AUTOMATON_WORD(NAME, word, text) #word,

enum { AUTOMATON_TABLE, AUTOMATON_CSV, AUTOMATON_XML, AUTOMATON_KERNEL };   /* form of the result; and a variation */

static volatile sig_atomic_t automaton_interrupted;
static void automaton_interrupt(int number) { (void)number; automaton_interrupted = 1; }
static void automaton_signals(void)
{
    signal(SIGINT, automaton_interrupt);
    signal(SIGTERM, automaton_interrupt);
    if (signal(SIGHUP, automaton_interrupt) == SIG_IGN) signal(SIGHUP, SIG_IGN);    /* by nohup */
}
static int automaton_stop(void *ctx) { (void)ctx; return automaton_interrupted; }

static const char *const automaton_variation[] = { SERVET_AUTOMATON_LIST(AUTOMATON_WORD) };
static const char *const automaton_limit[] = { SERVET_LIMIT_LIST(AUTOMATON_WORD) };

/* Bits of variations, from their words with commas between; 0 = one is unknown. */
static unsigned automaton_set_of(const char *words)
{
    char list[256], *word;
    unsigned set = 0;
    int v;
    if (strlen(words) >= sizeof list) return 0;
    strcpy(list, words);
    for (word = strtok(list, ","); word; word = strtok(NULL, ",")) {
        for (v = 0; v < SERVET_AUTOMATON_VARIATIONS && strcmp(word, automaton_variation[v]); v++) { }
        if (v == SERVET_AUTOMATON_VARIATIONS) return 0;
        set |= 1u << v;
    }
    return set;
}

/* Sets an option; NULL, or what is wrong with it. */
static const char *automaton_set(servet_automaton_opts *o, const char *key, const char *value)
{
    const struct { const char *key; int *whole; double *number; } known[] = {
        { "rows", &o->rows, NULL }, { "columns", &o->columns, NULL }, { "iterations", &o->iterations, NULL },
        { "trials", &o->trials, NULL }, { "cold", &o->cold, NULL },
        { "far", &o->far_rows, NULL }, { "stores", &o->stores, NULL }, { "budget", NULL, &o->run.budget_s },
        { "bytes", NULL, &o->grid_bytes }, { "first", NULL, &o->first_bytes }, { "second", NULL, &o->second_bytes } };
    const int keys = (int)(sizeof known / sizeof known[0]);
    char *end = NULL;
    const double number = strtod(value, &end);
    int k;
    if (!strcmp(key, "variations"))
        return (o->variations = automaton_set_of(value)) ? NULL : "not a list of variations with commas between";
    for (k = 0; k < keys && strcmp(known[k].key, key); k++) { }
    if (k == keys) return "unknown key";
    if (end == value || *end || !(number > 0 && number <= 1e9)) return "not a number above 0";
    if (known[k].whole && number != (int)number) return "not a whole number";
    if (known[k].whole) *known[k].whole = (int)number;
    else *known[k].number = number;
    return NULL;
}

/* Reads lines of `key = value`; # begins a comment.  2 and a line about it where one is wrong. */
static int automaton_config(servet_automaton_opts *o, const char *path)
{
    char line[256], key[32], value[200], rest[4], word[40], seen[512] = " ";
    const char *wrong;
    int number = 0, n, read;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "#\n")] = 0;
        n = sscanf(line, " %31[a-z] = %199s %3s", key, value, rest);
        if (n <= 0 && strspn(line, " \t\r") == strlen(line)) continue;
        wrong = n != 2 ? "not `key = value`" : NULL;
        snprintf(word, sizeof word, " %s ", n > 0 ? key : "");
        if (!wrong && strstr(seen, word)) wrong = "repeated key";
        if (!wrong) wrong = automaton_set(o, key, value);
        if (wrong) {
            fprintf(stderr, AUTOMATON_NAME ": %s, line %d: %s\n", path, number, wrong);
            fclose(f);
            return 2;
        }
        strcat(strcat(seen, key), " ");
    }
    read = f && !ferror(f);    /* a directory opens */
    if (f) fclose(f);
    if (!read) fprintf(stderr, AUTOMATON_NAME ": %s: cannot be read\n", path);
    return read ? 0 : 2;
}

/* 0, or the code to exit with. */
static int automaton_arguments(servet_automaton_opts *o, int *form, int argc, char **argv)
{
    const char *wrong = NULL;
    int i, v, code;
    memset(o, 0, sizeof *o);
    *form = AUTOMATON_TABLE;
    for (i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--config") && (code = automaton_config(o, argv[i + 1])) != 0) return code;
    for (i = 1; i < argc && !wrong; i++) {
        if (!strcmp(argv[i], "--csv")) *form = AUTOMATON_CSV;
        else if (!strcmp(argv[i], "--xml")) *form = AUTOMATON_XML;
        else if (!strcmp(argv[i], "--kernel") && i + 1 < argc) {
            for (v = 0; v < SERVET_AUTOMATON_VARIATIONS && strcmp(argv[i + 1], automaton_variation[v]); v++) { }
            if (v == SERVET_AUTOMATON_VARIATIONS) wrong = "unknown variation";
            else i++;
            *form = AUTOMATON_KERNEL + v;
        }
        else if (strncmp(argv[i], "--", 2)) wrong = "unknown argument";
        else if (i + 1 == argc) wrong = "needs a value";
        else if (strcmp(argv[i], "--config")) wrong = automaton_set(o, argv[i] + 2, argv[i + 1]), i += !wrong;
        else i++;
    }
    if (wrong) {
        fprintf(stderr, AUTOMATON_NAME ": %s: %s\n", argv[i - 1], wrong);
        return 2;
    }
    signal(SIGXFSZ, SIG_IGN);    /* an output beyond the limit of file sizes fails, and is told */
    return 0;
}

/* Rows as long as the caches ask for that were measured here, or in the file; nothing where they are not known. */
static void automaton_caches(servet_automaton_opts *o)
{
    servet_profile p;
    if (o->columns > 0 || servet_profile_open(&p, NULL, NULL) < 0) return;
    if (o->first_bytes == 0 && p.cache_count > 0) o->first_bytes = p.cache[0].bytes;
    if (o->second_bytes == 0 && p.cache_count > 1) o->second_bytes = p.cache[1].bytes;
    servet_profile_free(&p);
}

/* Means of all points of a variation (-1 = all) by so many workers (0 = by any). */
typedef struct automaton_mean { int points; double act_per_s, efficiency, serial_frac; } automaton_mean;

static automaton_mean automaton_average(const servet_automaton *a, int variation, int workers)
{
    automaton_mean m = { 0, 0, 0, 0 };
    int k, parallel = 0;
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *p = &a->point[k];
        if ((variation >= 0 && p->best.variation != variation) || (workers > 0 && p->best.workers != workers)) continue;
        m.points++;
        m.act_per_s += p->act_per_s;
        m.efficiency += p->efficiency;
        m.serial_frac += p->serial_frac;
        parallel += p->best.workers > 1;
    }
    m.act_per_s /= (m.points > 0 ? m.points : 1);
    m.efficiency /= (m.points > 0 ? m.points : 1);
    m.serial_frac /= (parallel > 0 ? parallel : 1);
    return m;
}

static void automaton_csv(const servet_automaton *a)
{
    int k;
    printf("variation,workers,rows,columns,iterations,trials,wall_s,median_s,act_per_s,net_act_per_s,speedup,"
           "efficiency,lo_efficiency,hi_efficiency,serial_frac,lo_serial_frac,hi_serial_frac,user_s,system_s,"
           "faults,switches,checksum\n");
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *p = &a->point[k];
        const servet_automaton_run *r = &p->best;
        printf("%s,%d,%d,%d,%d,%d,%.9g,%.9g,%.6g,%.6g,", automaton_variation[r->variation], r->workers, r->rows,
               r->columns, r->iterations, p->trials, p->best_s, p->hi_s, p->act_per_s, p->net_act_per_s);
        printf("%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%016llx\n", p->speedup, p->efficiency,
               p->lo_efficiency, p->hi_efficiency, p->serial_frac, p->lo_serial_frac, p->hi_serial_frac,
               r->user_s.mean, r->system_s.mean, r->faults.mean, r->switches.mean,
               (unsigned long long)r->checksum);
    }
}

static void automaton_spread(const char *name, const servet_spread *s)
{
    printf("      <%s mean=\"%.9g\" deviation=\"%.9g\" min=\"%.9g\" max=\"%.9g\"/>\n", name, s->mean, s->deviation,
               s->min, s->max);
}

static void automaton_mean_of(const char *of, const char *value, automaton_mean m)
{
    if (m.points == 0) return;
    printf("    <average %s=\"%s\" act_per_s=\"%.6g\" efficiency=\"%.6g\" serial_frac=\"%.6g\"/>\n", of, value,
           m.act_per_s, m.efficiency, m.serial_frac);
}

static void automaton_xml(const servet_automaton *a)
{
    int v, k;
    char number[32];
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<clue>\n  <parameters rows=\"%d\" columns=\"%d\" "
           "iterations=\"%d\" workers=\"%d\"/>\n  <results>\n", a->rows, a->columns, a->iterations,
           a->workers);
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *p = &a->point[k];
        const servet_automaton_run *r = &p->best;
        printf("    <execution variation=\"%s\" workers=\"%d\" rows=\"%d\" columns=\"%d\" trials=\"%d\" "
               "wall_s=\"%.9g\" median_s=\"%.9g\"\n      act_per_s=\"%.6g\" net_act_per_s=\"%.6g\" ",
               automaton_variation[r->variation], r->workers, r->rows, r->columns, p->trials, p->best_s, p->hi_s,
               p->act_per_s, p->net_act_per_s);
        printf("speedup=\"%.6g\" efficiency=\"%.6g\" serial_frac=\"%.6g\">\n", p->speedup, p->efficiency,
               p->serial_frac);
        automaton_spread("wall", &r->wall_s);
        automaton_spread("user", &r->user_s);
        automaton_spread("system", &r->system_s);
        automaton_spread("faults", &r->faults);
        automaton_spread("switches", &r->switches);
        printf("    </execution>\n");
    }
    printf("  </results>\n  <averages>\n");
    for (k = 0; k < a->points && a->point[k].best.variation == SERVET_AUTOMATON_BASE; k++) {
        snprintf(number, sizeof number, "%d", a->point[k].best.workers);
        automaton_mean_of("workers", number, automaton_average(a, -1, a->point[k].best.workers));
    }
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++)
        automaton_mean_of("variation", automaton_variation[v], automaton_average(a, v, 0));
    automaton_mean_of("of", "system", automaton_average(a, -1, 0));
    printf("  </averages>\n  <interpretation bound=\"%s\" limit=\"%s\" lost=\"%.6g\" lo=\"%.6g\" hi=\"%.6g\"/>\n"
           "</clue>\n", automaton_limit[a->bound], automaton_limit[a->limit], a->lost_frac, a->lo_lost_frac,
           a->hi_lost_frac);
}

/* The table, then in words what limits. */
static void automaton_table(const servet_automaton *a)
{
    int k;
    printf("%d x %d cells a worker, %d iterations of the base, next states %s the caches\n\n", a->rows, a->columns,
           a->iterations, a->past ? "past" : "through");
    printf("variation  workers  10^6 ACT/s      net  speedup  efficiency              serial fraction\n");
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *p = &a->point[k];
        printf("%-10s %7d %11.0f %8.0f %8.2f  %6.1f %% [%5.1f, %5.1f]", automaton_variation[p->best.variation],
               p->best.workers, p->act_per_s * 1e-6, p->net_act_per_s * 1e-6, p->speedup, 100 * p->efficiency,
               100 * p->lo_efficiency, 100 * p->hi_efficiency);
        if (p->best.workers > 1)
            printf("  %5.1f %% [%5.1f, %5.1f]", 100 * p->serial_frac, 100 * p->lo_serial_frac,
                   100 * p->hi_serial_frac);
        printf("\n");
    }
    for (k = 1; k < a->points && a->point[k].best.variation == SERVET_AUTOMATON_BASE; k++) {
        const automaton_mean m = automaton_average(a, -1, a->point[k].best.workers);
        printf("%-10s %7d %11.0f %8s %8s  %6.1f %% %-16s  %5.1f %%\n", "mean", a->point[k].best.workers,
               m.act_per_s * 1e-6, "", "", 100 * m.efficiency, "of variations", 100 * m.serial_frac);
    }
    printf("\none worker's speed hangs on: %s\n", servet_text(SERVET_TEXT_LIMIT, a->bound));
    if (a->workers > 1) {
        printf("more workers run into:       %s\n", servet_text(SERVET_TEXT_LIMIT, a->limit));
        printf("lost by all of them:         %.1f %% [%.1f, %.1f] of each one's time", 100 * a->lost_frac,
               100 * a->lo_lost_frac, 100 * a->hi_lost_frac);
        for (k = 0; k < SERVET_LIMITS; k++)
            if (a->part_frac[k] > 0.005)
                printf("; by %s %.1f [from %.1f]", automaton_limit[k], 100 * a->part_frac[k],
                       100 * a->lo_part_frac[k]);
        printf("\n");
    }
    if (a->stopped)
        printf("%s: trials or variations are missing\n", automaton_interrupted ? "interrupted" : "out of time");
}

/* Has all that was printed come out?  0, or 2 with a line. */
static int automaton_written(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    fprintf(stderr, AUTOMATON_NAME ": standard output: %s\n", strerror(errno));
    return 2;
}

static int automaton_print(const servet_automaton *a, int form)
{
    if (form == AUTOMATON_CSV) automaton_csv(a);
    else if (form == AUTOMATON_XML) automaton_xml(a);
    else automaton_table(a);
    return automaton_written();
}

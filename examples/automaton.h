/* automaton.h - what automaton.c and mpi_automaton.c share: arguments, a file of them, and the result as text */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AUTOMATON_WORD(NAME, word, text) #word,
#define AUTOMATON_TEXT(NAME, word, text) text,

static volatile sig_atomic_t automaton_interrupted;
static void automaton_interrupt(int number) { (void)number; automaton_interrupted = 1; }
static int automaton_stop(void *ctx) { (void)ctx; return automaton_interrupted; }

/* Sets an option; NULL, or what is wrong with it. */
static const char *automaton_set(servet_automaton_opts *o, const char *key, const char *value)
{
    static const char *const known[] = { "rows", "columns", "iterations", "trials", "budget", NULL };
    char *end = NULL;
    const double number = strtod(value, &end);
    int k;
    for (k = 0; known[k] && strcmp(known[k], key); k++) { }
    if (!known[k]) return "unknown key";
    if (end == value || *end || !(number > 0 && number <= 1e9)) return "not a number above 0";
    if (k < 4 && number != (int)number) return "not a whole number";
    if (k == 0) o->rows = (int)number;
    else if (k == 1) o->columns = (int)number;
    else if (k == 2) o->iterations = (int)number;
    else if (k == 3) o->trials = (int)number;
    else o->run.budget_s = number;
    return NULL;
}

/* Reads lines of `key = value`; # begins a comment.  2 and a line about it where one is wrong. */
static int automaton_config(servet_automaton_opts *o, const char *path)
{
    char line[256], key[32], value[64], rest[4], seen[256] = " ";
    const char *wrong;
    int number = 0, n;
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "automaton: %s: cannot be read\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "#\n")] = 0;
        n = sscanf(line, " %31[a-z] = %63s %3s", key, value, rest);
        if (n <= 0 && strspn(line, " \t\r") == strlen(line)) continue;
        wrong = n != 2 ? "not `key = value`" : NULL;
        if (!wrong && strstr(seen, key)) wrong = "repeated key";
        if (!wrong) wrong = automaton_set(o, key, value);
        if (wrong) {
            fprintf(stderr, "automaton: %s, line %d: %s\n", path, number, wrong);
            fclose(f);
            return 2;
        }
        strcat(strcat(seen, key), " ");
    }
    fclose(f);
    return 0;
}

/* form: -1 a table, else SERVET_AUTOMATON_*.  0, or the code to exit with. */
static int automaton_arguments(servet_automaton_opts *o, int *form, int argc, char **argv)
{
    const char *wrong = NULL;
    int i, code;
    memset(o, 0, sizeof *o);
    *form = -1;
    for (i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--config") && (code = automaton_config(o, argv[i + 1])) != 0) return code;
    for (i = 1; i < argc && !wrong; i++) {
        if (!strcmp(argv[i], "--csv")) *form = SERVET_AUTOMATON_CSV;
        else if (!strcmp(argv[i], "--xml")) *form = SERVET_AUTOMATON_XML;
        else if (strncmp(argv[i], "--", 2)) wrong = "unknown argument";
        else if (i + 1 == argc) wrong = "needs a value";
        else if (strcmp(argv[i], "--config")) wrong = automaton_set(o, argv[i] + 2, argv[i + 1]), i += !wrong;
        else i++;
    }
    if (wrong) {
        fprintf(stderr, "automaton: %s: %s\n", argv[i - 1], wrong);
        return 2;
    }
    signal(SIGINT, automaton_interrupt);
    return 0;
}

/* The table, then in words what limits. */
static int automaton_print(const servet_automaton *a, int form)
{
    static const char *const variation[] = { SERVET_AUTOMATON_LIST(AUTOMATON_WORD) };
    static const char *const limit[] = { SERVET_LIMIT_LIST(AUTOMATON_TEXT) };
    int v, k;
    if (form >= 0) {
        const size_t n = servet_automaton_write(a, form, NULL, 0);
        char *text = (char *)malloc(n + 1);
        if (!text) return 1;
        servet_automaton_write(a, form, text, n + 1);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    printf("%d x %d cells a worker, %d iterations of the base\n\n", a->rows, a->columns, a->iterations);
    printf("variation  workers  10^6 ACT/s      net  speedup  efficiency              serial fraction\n");
    for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++)
        for (k = 0; k < a->counts; k++) {
            const servet_automaton_point *p = &a->point[v][k];
            if (p->trials == 0) continue;
            printf("%-10s %7d %11.0f %8.0f %8.2f  %6.1f %% [%5.1f, %5.1f]", variation[v], a->workers[k], p->act_per_s * 1e-6,
                   p->net_act_per_s * 1e-6, p->speedup, 100 * p->efficiency, 100 * p->lo_efficiency, 100 * p->hi_efficiency);
            if (a->workers[k] > 1)
                printf("  %5.1f %% [%5.1f, %5.1f]", 100 * p->serial_frac, 100 * p->lo_serial_frac, 100 * p->hi_serial_frac);
            printf("\n");
        }
    printf("\none worker's speed hangs on: %s\n", limit[a->bound]);
    if (a->counts > 1)
        printf("more workers run into:       %s; %.1f %% [%.1f, %.1f] of each one's time are lost\n", limit[a->limit],
               100 * a->limit_frac, 100 * a->lo_limit_frac, 100 * a->hi_limit_frac);
    if (a->stopped) printf("ended early: trials are missing\n");
    return 0;
}

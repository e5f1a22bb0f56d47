/* help.h - what each command of servet takes, an example of each, and what a wrong word may have been meant to be
 *
 * Part of servet.c. */
#ifndef SERVET_HELP_H
#define SERVET_HELP_H

typedef struct help_command {
    const char *name, *takes, *about;
    const char *options;    /* all of them, between blanks */
    const char *more;       /* a line each */
    const char *example;
} help_command;

static const char help_parts[] = "caches tlb prefetched cores bandwidth coherence automaton survival";
static const char help_forms[] = "list taskset omp openmpi openmpi5 mpich slurm slurm-hosts cray json";

static const help_command help_commands[] = {
    { "run", "[-o FILE] [--quick | --full | --budget SECONDS] [--cpus LIST]\n"
             "                  [--only LIST] [--quiet] [--json] [--plot]",
      "measure this machine, print the report, keep the profile",
      "-o --quick --full --budget --cpus --only --quiet --json --plot",
      "  -o FILE           keep the profile there, not where programs look for it;\n"
      "                    - = to standard output, as JSON\n"
      "  --quick           caches and what to use, in half a second\n"
      "  --full            at length, and does adding threads pay; half a minute\n"
      "  --budget SECONDS  what is asked for most in so much time\n"
      "  --cpus LIST       only these, as 0-3,8; caches on the least disturbed\n"
      "  --only LIST       of caches, tlb, prefetched, cores, bandwidth, coherence,\n"
      "                    automaton, survival\n"
      "  --quiet           no report;  --json: the profile instead of it\n"
      "  --plot            draw the latency curve (as is done on a terminal)\n"
      "Without options all but the automaton, in 18 s; beyond 8 CPUs the time grows\n"
      "with them, to 50 s of 64 and more.  The first Ctrl-C ends it with what is known\n"
      "so far; such a part does not replace the kept profile.\n",
      "servet run --only cores,bandwidth -o here.json" },
    { "show", "[--plot] [PROFILE]  or  servet show --csv [SECTION] [PROFILE]",
      "the report of a profile, or what was measured as CSV",
      "--csv --plot",
      "  --csv             which sections have data, and how many lines\n"
      "  --csv SECTION     one of them: a line of names, then numbers with all digits;\n"
      "                    what is not known is empty\n",
      "servet show --csv curve here.json > curve.csv" },
    { "check", "[PROFILE]", "measured against sysfs, sysconf and CPUID; exit 1 if any disagrees", "",
      "A line for each thing that a source of the system says: agree, os_missing,\n"
      "os_wrong, shared_less (a program gets less of a last level), unmeasured.\n",
      "servet check && echo the system is right" },
    { "diff", "A B [--least PERCENT] [--all]", "what changed between two profiles; exit 1 if beyond both intervals",
      "--least --all",
      "Exit 1 where the intervals of A and of B have nothing in common.  Of what was\n"
      "measured in one of them alone a line says so.\n"
      "  --least PERCENT   smaller changes do not count\n"
      "  --all             what is beyond one interval alone, too\n",
      "servet diff monday.json friday.json" },
    { "merge", "A B ... [-o FILE]", "one profile of several of a machine or network: means, and deviations", "-o",
      "Of what all have the mean and the standard deviation between them, on standard\n"
      "error; of sizes the median.  The profile goes to FILE, or to standard output:\n"
      "each interval holds those of all; groups are the first's, and evidence of one\n"
      "day is left out.\n",
      "servet merge monday.json friday.json -o week.json" },
    { "infer", "PROFILE", "infer again from the evidence in a profile, as JSON", "",
      "What a version of servet said may be asked of the next one by the same samples.\n",
      "servet infer old.json > new.json" },
    { "report", "[PROFILE] [-o FILE.html]\n"
                "  or  servet report --picture [PROFILE] [-o FILE.svg]",
      "one page to look at: curves, maps, topology, verdicts", "-o --picture",
      "One file that fetches nothing and runs no script, for screens of any width and\n"
      "for paper.\n"
      "  -o FILE           to be written; without it standard output\n"
      "  --picture         instead of the page its first picture, the latency curve\n"
      "                    with its levels: an SVG file that stands in other texts,\n"
      "                    readable where these are light or dark\n",
      "servet report -o report.html" },
    { "fit", "CURVE.csv [--method model|servet] [--page BYTES]",
      "levels of any `bytes,ns` curve, as JSON", "--method --page",
      "  --method NAME     model: which hierarchy explains the curve; servet: as\n"
      "                    published in 2010, by peaks and a binomial fit\n"
      "  --page BYTES      in which memory falls among sets, of --method servet\n",
      "servet fit curve.csv --method servet --page 4096" },
    { "layers", "MATRIX.csv", "groups and layers of any square matrix of pair costs, as JSON", "",
      "N lines of N values between commas or blanks; a lower triangle alone is\n"
      "mirrored.\n",
      "servet layers latencies.csv" },
    { "map", "[-n PROCESSES] [--memory | --comm | --matrix TRAFFIC.csv |\n"
             "                  --pattern NAME] [--format FORM] [PROFILE]",
      "which cores for so many processes, and which process where",
      "-n --memory --comm --matrix --pattern --format",
      "  -n PROCESSES      as many as are useful where it is left out\n"
      "  --memory, --comm  what they wait for\n"
      "  --matrix FILE     bytes from each process to each\n"
      "  --pattern NAME    ring, stencil2d, stencil3d (stencil2d:4x8 of such sizes),\n"
      "                    alltoall\n"
      "  --format FORM     list, taskset, omp, openmpi, openmpi5, mpich, slurm,\n"
      "                    slurm-hosts, cray, json\n",
      "servet map -n 4 --pattern ring --format omp" },
    { "export", "--hwloc FILE.xml | --glibc | --gcc | --header | --env\n"
                "                     [PROFILE]",
      "for programs that know nothing of it",
      "--hwloc --glibc --gcc --header --env",
      "  --hwloc FILE      the topology, as lstopo and others read it\n"
      "  --glibc           GLIBC_TUNABLES of memcpy;  --gcc: its --param=\n"
      "  --header          constants for C;  --env: variables of OpenMP and OpenBLAS\n",
      "gcc $(servet export --gcc | grep -v '^#') program.c" },
    { "paper", "[WORK [ITEM]] [--csv | --svg FILE] [--quick]\n"
               "                    [--profile PROFILE]",
      "tables and figures of five works, as published and by ours",
      "--csv --svg --quick --profile",
      "  servet paper      which works and items there are, and what each needs\n"
      "  --csv             the numbers of an item;  --svg FILE: its figure\n"
      "  --quick           smaller arrays and fewer samples than published\n"
      "  --profile FILE    what is between ranks from there, and caches if it is of\n"
      "                    this machine\n",
      "servet paper mn5 fig5 --svg latency.svg" },
    { "help", "[COMMAND]", "this, or what a command takes", "", "", "servet help map" }
};
enum { HELP_COMMANDS = sizeof help_commands / sizeof *help_commands };

/* ---- the nearest word ------------------------------------------------------------------------ */

enum { HELP_WORD = 24 };    /* longer words were never meant to be one of ours */

/* Letters to put in, take out, change, or exchange with the next one. */
static int distance_of(const char *a, size_t n, const char *b, size_t m)
{
    int d[HELP_WORD + 1][HELP_WORD + 1];
    size_t i, k;
    if (n > HELP_WORD || m > HELP_WORD) return HELP_WORD;
    for (i = 0; i <= n; i++)
        for (k = 0; k <= m; k++) {
            int least = (int)(i + k);
            if (i && k) {
                least = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
                if (d[i - 1][k] + 1 < least) least = d[i - 1][k] + 1;
                if (d[i][k - 1] + 1 < least) least = d[i][k - 1] + 1;
                if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && d[i - 2][k - 2] + 1 < least)
                    least = d[i - 2][k - 2] + 1;
            }
            d[i][k] = least;
        }
    return d[n][m];
}

/* ", did you mean ...?" of the words between blanks; "" where none is near: half of its letters must stay. */
static words meant_text(const char *word, const char *list)
{
    words w = { "" };
    int best = HELP_WORD, d;
    size_t n;
    for (; list += strspn(list, " "), *list; list += n) {
        n = strcspn(list, " ");
        d = distance_of(word, strlen(word), list, n);
        if (d >= best || 2 * (size_t)d > n) continue;
        best = d;
        snprintf(w.text, sizeof w.text, "; did you mean %.*s?", (int)n, list);
    }
    return w;
}

/* Exit code 2, with the option that may have been meant. */
static int unknown_argument(const char *command, const char *word)
{
    const char *options = "";
    int i;
    for (i = 0; i < HELP_COMMANDS; i++) if (!strcmp(help_commands[i].name, command)) options = help_commands[i].options;
    return fail("%s: unknown argument \"%s\"%s", command, word, meant_text(word, options).text);
}

static int unknown_command(const char *word)
{
    char names[256] = "";
    int i;
    for (i = 0; i < HELP_COMMANDS; i++) {
        strcat(names, help_commands[i].name);
        strcat(names, " ");
    }
    return fail("no command is named \"%s\"%s  (servet help lists them)", word, meant_text(word, names).text);
}

/* ---- help ------------------------------------------------------------------------------------ */

static void help_all(void)
{
    int i;
    printf("usage: servet [COMMAND] [ARGUMENTS]\n");
    for (i = 0; i < HELP_COMMANDS; i++)
        printf("  %-7s %s\n", help_commands[i].name, help_commands[i].about);
    printf("Without a command: run.  A file may be - for standard input; without PROFILE the\n"
           "kept one of this machine is used, or made.  Exit 0: done; 1: a disagreement, a\n"
           "change, or nothing could be determined; 2: bad usage or input.\n"
           "servet help COMMAND says more, with an example; servet --version.\n");
}

/* One command, or all.  0, or an exit code. */
static int help(const char *command)
{
    int i;
    if (!command) {
        help_all();
        return 0;
    }
    for (i = 0; i < HELP_COMMANDS && strcmp(help_commands[i].name, command); i++) { }
    if (i == HELP_COMMANDS) return unknown_command(command);
    printf("usage: servet %s %s\n%s\n%s%sexample: %s\n", command, help_commands[i].takes, help_commands[i].about,
           help_commands[i].more, help_commands[i].more[0] ? "" : "\n", help_commands[i].example);
    return 0;
}

#endif /* SERVET_HELP_H */

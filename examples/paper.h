/* paper.h - `servet paper`: the tables and figures of five works, on this machine, as published and by ours
 *
 * Each item measures as its work prints it (parameters, statistic, what ends it), and gives ours beside it where both
 * tell the same thing.  Only public functions of servet.h are used.  The works:
 *   servet-2010  Gonzalez-Dominguez et al., Servet: A Benchmark Suite for Autotuning on Multicore Clusters, IPDPS 2010
 *   servet-3     Gonzalez-Dominguez et al., The Servet 3.0 Benchmark Suite, Computers & Electrical Engineering, 2013
 *   pray         Duchateau et al., P-Ray: A Suite of Micro-benchmarks for Multi-core Architectures, LCPC 2008
 *   mn5          Becklas, Olivera, Reverse Engineering MareNostrum 5 System Characteristics, 2025
 *   clue         CLUE, the Cluster Evaluator, a thesis of 2006 */
#if !defined(PAPER_H)
#define PAPER_H

#include "paper_fit.h"
#include "paper_table.h"

/* What an item needs beyond one CPU. */
enum { PAPER_PAIR = 1, PAPER_NODES = 2, PAPER_NETWORK = 4, PAPER_RATIOS = 8, PAPER_ROOT = 16, PAPER_OTHER = 32 };

/* Parts that a saved profile may lack. */
enum { PAPER_PARTS = 3 };
static const int paper_parts[PAPER_PARTS] = { SERVET_PART_CORES, SERVET_PART_COHERENCE, SERVET_PART_BANDWIDTH };

/* What is known while items run. */
typedef struct paper_call {
    int    csv, quick, mute, alone;     /* alone: one item was asked for */
    const char *svg, *file;             /* where to draw; profile that was named */
    int    foreign;                     /* 1 = and is of another machine */
    servet_profile *profile;            /* the saved one, or that of the file */
    servet_profile more[PAPER_PARTS];   /* what had to be measured beside it */
    int    tried[PAPER_PARTS];
    int    profile_code;                /* -1 = not asked for yet, else of get_profile */
    int    cpu[SERVET_CORES_MAX], cpus;
    servet_cpus usable;                 /* what this thread may use while no rig has bound it */
    servet_rig rig;
    servet_machine m;
    double rig_bytes;                   /* 0 = not open */
    servet_timer timer;
    double ghz;                         /* of a core; 0 = not asked for yet */
    char   why[200];                    /* what is lacking */
} paper_call;

typedef struct paper_item {
    const char *name, *title;
    int    needs;
    const char *cost;                   /* about, on two CPUs */
    int  (*run)(paper_call *p);         /* 0, 1 = why says what is lacking, 2 with a message */
} paper_item;

typedef struct paper_work {
    const char *name, *title;
    const paper_item *item;
    int    items;
} paper_work;

static paper_table paper_sheet;         /* of the item that runs */

/* A line of what follows from the numbers; not among the numbers alone. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void paper_say(const paper_call *p, const char *format, ...)
{
    va_list args;
    if (p->mute) return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int paper_lack(paper_call *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, sizeof p->why, format, args);
    va_end(args);
    return 1;
}

static int paper_failed(paper_call *p, int status)
{
    return paper_lack(p, "%s", interrupted ? "interrupted" : servet_status_text(status));
}

/* Where somebody looks on he sees how far an item is, and the first interrupt ends it.  0 = it is to end. */
static int paper_going(int done, int of)
{
    static int shown;
    if (isatty(2) && done < of) fprintf(stderr, "\r%d of %d ", done + 1, of);
    else if (shown) fputs("\r                    \r", stderr);
    shown = isatty(2) && done < of;
    return !interrupted;
}

/* Gives a table in the form asked for.  0, or an exit code. */
static int paper_end(paper_call *p, const paper_table *t)
{
    paper_going(1, 1);
    if (t->rows == 0) return paper_lack(p, "nothing was measured");
    if (p->csv) paper_csv(t);
    if (!p->mute) {
        printf("%s\n", t->title);
        paper_text(t);
        if (t->figure) paper_plot(t);
    }
    if (!p->svg) return 0;
    if (!t->figure) return fail("paper: this is a table, not a figure: --svg cannot draw it");
    return paper_svg(t, p->svg);
}

/* ---- what items stand on --------------------------------------------------------------------- */

/* The rig binds this thread, and holds memory: not beside other measurements. */
static void paper_close(paper_call *p)
{
    if (p->rig_bytes > 0) servet_rig_close(&p->rig);
    p->rig_bytes = 0;
}

/* The profile: the file named, the saved one, or one measured now; NULL where there is none. */
static servet_profile *paper_profile(paper_call *p)
{
    if (p->profile_code < 0) p->profile_code = get_profile(p->profile, p->file);
    return p->profile_code == 0 ? p->profile : NULL;
}

static int paper_has(const servet_profile *p, int part)
{
    return part == SERVET_PART_CORES ? p->sharing && p->contention && p->cores
           : part == SERVET_PART_COHERENCE ? p->coherence != NULL : p->bandwidth.count > 0;
}

/* The profile, or what it lacks of a part measured now, once; a file may be of another machine, and is all there is. */
static const servet_profile *paper_part(paper_call *p, int part)
{
    servet_profile_opts o;
    const servet_profile *had = paper_profile(p);
    int i;
    if (had && (paper_has(had, part) || p->file)) return had;
    for (i = 0; i + 1 < PAPER_PARTS && paper_parts[i] != part; i++) { }
    if (!p->tried[i] && !interrupted) {
        paper_close(p);
        memset(&o, 0, sizeof o);
        o.parts = SERVET_PART_CACHES | part;
        o.run.budget_s = p->quick ? 1.5 : 4;
        o.run.stop = stop;
        p->tried[i] = servet_profile_calibrate(&p->more[i], &o) < 0 ? -1 : 1;
    }
    return p->tried[i] > 0 ? &p->more[i] : had;
}

/* Of this machine, whatever a file says. */
static double paper_memory(void)
{
#if defined(_SC_PHYS_PAGES)
    const double pages = (double)sysconf(_SC_PHYS_PAGES);
    if (pages > 0) return pages * (double)sysconf(_SC_PAGESIZE);
#endif
    return 1073741824;
}

static double paper_page(void) { return (double)sysconf(_SC_PAGESIZE); }

/* Bytes of level i, from 1, as counted; 0 = there is none. */
static double paper_level_bytes(paper_call *p, int i)
{
    const servet_profile *had = paper_profile(p);
    return had && i >= 1 && i <= had->cache_count ? had->cache[i - 1].bytes : 0;
}

/* The last level: what was measured, or what a source of the system says of one, if that is more; at most a quarter
 * of the memory, and 256 MiB (some hypervisors say more than there is silicon for). */
static double paper_last_bytes(paper_call *p)
{
    const servet_profile *had = paper_profile(p);
    const double most = fmin(268435456, paper_memory() / 4);
    double last = 1048576;
    int i;
    if (had && had->cache_count) last = fmax(last, had->cache[had->cache_count - 1].bytes);
    for (i = 0; had && i < had->host.report_count; i++)
        if (had->host.report[i].bytes <= most) last = fmax(last, had->host.report[i].bytes);
    return fmin(last, most);
}

/* Arrays of each CPU that do not fit in cache: four times the last level, in all at most a quarter of the memory. */
static double paper_memory_bytes(paper_call *p, int cpus)
{
    double each = 4 * paper_last_bytes(p);
    if (p->quick) each = fmin(each, 67108864);
    return fmin(fmax(each, 67108864), paper_memory() / 4 / (cpus > 0 ? cpus : 1));
}

/* A rig with room for so many bytes over all CPUs; a status. */
static int paper_rig(paper_call *p, double bytes)
{
    servet_rig_opts o;
    int status;
    if (p->rig_bytes >= bytes) return SERVET_OK;
    paper_close(p);
    memset(&o, 0, sizeof o);
    o.hi_bytes = bytes;
    o.cpu_plus_1 = p->cpu[0] + 1;
    status = servet_rig_open(&p->rig, &o);
    if (status < 0) return status;
    p->m = servet_rig_machine(&p->rig);
    p->rig_bytes = bytes;
    return SERVET_OK;
}

/* Work of one thread, bound to the first CPU. */
static int paper_pinned(paper_call *p, servet_work *work, void *arg)
{
    return servet_team_run(p->cpu, 1, &p->usable, work, arg, 0);
}

typedef struct paper_clock { servet_timer timer; servet_frequency f; } paper_clock;
static int paper_clock_work(servet_team *team, void *arg)
{
    paper_clock *c = (paper_clock *)arg;
    const int status = servet_timer_init(&c->timer, NULL);
    (void)team;
    return status < 0 ? status : servet_timer_frequency(&c->f, &c->timer, 0);
}

/* Cycles of a core in a nanosecond, by additions on the first CPU; 0 = not known.  The timer comes with it. */
static double paper_ghz(paper_call *p)
{
    paper_clock c;
    memset(&c, 0, sizeof c);
    if (p->ghz <= 0 && paper_pinned(p, paper_clock_work, &c) >= 0) {
        p->ghz = c.f.ghz;
        p->timer = c.timer;
    }
    return p->ghz;
}

/* Do ours say that two CPUs share a level?  1, 0, or PAPER_UNKNOWN. */
static double paper_ours_share(const servet_profile *of, int level, int a, int b)
{
    const servet_sharing *s = of ? of->sharing : NULL;
    int i, k, at[2] = { -1, -1 };
    for (i = 0; s && i < s->cpus; i++) {
        if (s->cpu[i] == a) at[0] = i;
        if (s->cpu[i] == b) at[1] = i;
    }
    for (k = 0; s && at[0] >= 0 && at[1] >= 0 && k < s->count; k++) {
        const servet_sharing_level *l = &s->level[k];
        if (l->level != level || l->status < 0 || l->group[at[0]] < 0 || l->group[at[1]] < 0) continue;
        return l->group[at[0]] == l->group[at[1]];
    }
    return PAPER_UNKNOWN;
}

#include "paper_servet.h"
#include "paper_pray.h"
#include "paper_mn5.h"
#include "paper_clue.h"

/* ---- the command ----------------------------------------------------------------------------- */

#define PAPER_OF(name, title, list) { name, title, list, (int)(sizeof list / sizeof *list) }
static const paper_work paper_works[] = {
    PAPER_OF("servet-2010", "Servet: A Benchmark Suite for Autotuning on Multicore Clusters (IPDPS 2010)",
             paper_servet_items),
    PAPER_OF("servet-3", "The Servet 3.0 Benchmark Suite: Characterization of Network Performance Degradation (2013)",
             paper_servet3_items),
    PAPER_OF("pray", "P-Ray: A Suite of Micro-benchmarks for Multi-core Architectures (LCPC 2008)", paper_pray_items),
    PAPER_OF("mn5", "Reverse Engineering MareNostrum 5 System Characteristics (2025)", paper_mn5_items),
    PAPER_OF("clue", "CLUE, the Cluster Evaluator: scaling of a cellular automaton (2006)", paper_clue_items),
};
enum { PAPER_WORKS = sizeof paper_works / sizeof *paper_works };

static const char *paper_needs(const paper_item *item)
{
    return item->needs & PAPER_OTHER ? "elsewhere" : item->needs & (PAPER_RATIOS | PAPER_NETWORK) ? "MPI"
           : item->needs & PAPER_NODES ? "2 nodes" : item->needs & PAPER_ROOT ? "root"
           : item->needs & PAPER_PAIR ? "2 CPUs" : "1 CPU";
}

static void paper_list(const paper_work *only)
{
    int i, k;
    for (i = 0; i < PAPER_WORKS; i++) {
        if (only && only != &paper_works[i]) continue;
        printf("%s%s - %s\n", i && !only ? "\n" : "", paper_works[i].name, paper_works[i].title);
        for (k = 0; k < paper_works[i].items; k++) {
            const paper_item *x = &paper_works[i].item[k];
            printf("  %-8s  %-54s %s%s%s\n", x->name, x->title, paper_needs(x), x->cost[0] ? ", " : "", x->cost);
        }
    }
}

static const paper_work *paper_work_of(const char *name)
{
    char names[128] = "";
    int i;
    for (i = 0; i < PAPER_WORKS; i++) {
        if (!strcmp(name, paper_works[i].name)) return &paper_works[i];
        strcat(strcat(names, paper_works[i].name), " ");
    }
    fail("paper: no work is named \"%s\"%s  (servet paper lists them)", name, meant_text(name, names).text);
    return NULL;
}

static const paper_item *paper_item_of(const paper_work *w, const char *name)
{
    char names[512] = "";
    int i;
    for (i = 0; i < w->items; i++) {
        if (!strcmp(name, w->item[i].name)) return &w->item[i];
        strcat(strcat(names, w->item[i].name), " ");
    }
    fail("paper: %s has no item \"%s\"%s  (servet paper lists them)", w->name, name, meant_text(name, names).text);
    return NULL;
}

/* What an item lacks here is in p->why; 0 = nothing. */
static int paper_lacks(paper_call *p, const paper_item *item)
{
    const servet_profile *had = NULL;
    if (p->foreign && !(item->needs & (PAPER_NETWORK | PAPER_RATIOS | PAPER_OTHER)))
        return paper_lack(p, "%s is of another machine, and this is measured here", p->file);
    if (item->needs & (PAPER_NETWORK | PAPER_RATIOS)) had = paper_profile(p);
    if (item->needs & PAPER_PAIR && p->cpus < 2)
        return paper_lack(p, "needs two CPUs that threads can be bound to; there is %d", p->cpus);
    if (item->needs & PAPER_NETWORK && (!had || !had->network || had->network->pair_count == 0))
        return paper_lack(p, "needs a network in the profile: mpirun -n RANKS build/mpi_layers -o - puts one there");
    if (item->needs & PAPER_RATIOS && (!had || !had->network))
        return paper_lack(p, "needs a network in the profile: mpirun -n RANKS build/mpi_degradation puts one there");
    return 0;
}

/* One item.  0, 1 = it could not be had, for the reason said, or 2. */
static int paper_one(paper_call *p, const paper_work *w, const paper_item *item)
{
    int code;
    p->why[0] = 0;
    if (!p->mute && !p->alone) printf("%s %s: %s\n", w->name, item->name, item->title);
    code = paper_lacks(p, item);
    if (!code) code = item->run(p);
    if (code == 1 && (p->mute || p->alone)) fail("paper: %s %s: %s", w->name, item->name, p->why);
    else if (code == 1) printf("not to be had here: %s\n", p->why);
    if (!p->mute && !p->alone) printf("\n");
    fflush(stdout);
    return code;
}

static int paper_args(paper_call *p, const char **name, const char **item, int argc, char **argv)
{
    int i;
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--csv")) {
            p->csv = p->mute = 1;
        } else if (!strcmp(argv[i], "--quick")) {
            p->quick = 1;
        } else if (!strcmp(argv[i], "--svg") || !strcmp(argv[i], "--profile")) {
            const int svg = argv[i][2] == 's';
            if (i + 1 == argc || !argv[i + 1][0] || (argv[i + 1][0] == '-' && argv[i + 1][1]))
                return fail("paper: %s needs a file", argv[i]);
            if (svg) p->svg = argv[++i];
            else p->file = argv[++i];
        } else if (argv[i][0] == '-' || *item) {
            return unknown_argument("paper", argv[i]);
        } else if (*name) {
            *item = argv[i];
        } else {
            *name = argv[i];
        }
    }
    if ((p->csv || p->svg) && !*item) return fail("paper: %s is of one item: name it", p->csv ? "--csv" : "--svg");
    if (p->csv && p->svg && !strcmp(p->svg, "-")) return fail("paper: --csv and --svg - would both be standard output");
    if (p->svg && !strcmp(p->svg, "-")) p->mute = 1;
    return 0;
}

static int paper(servet_profile *profile, int argc, char **argv)
{
    static paper_call p;
    const char *name = NULL, *word = NULL;
    const paper_work *w = NULL;
    const paper_item *item = NULL;
    servet_profile_opts o;
    int i, code, had = 0;
    p.profile = profile;
    p.profile_code = -1;
    code = paper_args(&p, &name, &word, argc, argv);
    if (code) return code;
    if (!name) {
        printf("servet paper WORK [ITEM]: by item what it shows, what it needs, and how long it takes on two CPUs.\n"
               "2 nodes: of memory, with CPUs in both.  MPI: a network in the profile, which mpirun -n RANKS\n"
               "build/mpi_layers -o - and build/mpi_degradation put there.\n\n");
        paper_list(NULL);
        return 0;
    }
    w = paper_work_of(name);
    if (!w) return 2;
    if (word && !(item = paper_item_of(w, word))) return 2;
    if (p.svg && strcmp(p.svg, "-") && !can_be_replaced(p.svg)) return 2;    /* better known before measuring */
    if (servet_machine_cpus(&p.usable) < 0) return nothing_known(SERVET_EUNSUPPORTED);
    for (i = -1; (i = servet_cpus_next(&p.usable, i)) >= 0 && p.cpus < SERVET_CORES_MAX; ) p.cpu[p.cpus++] = i;
    memset(&o, 0, sizeof o);
    begin_measuring(&o, 1);
    p.alone = item != NULL;
    if (p.file && !paper_profile(&p)) return p.profile_code;    /* bad input, not something that lacks */
    p.foreign = p.file && !is_of_this_machine(p.profile);
    for (i = 0; i < w->items && code < 2 && !interrupted; i++) {
        if (item && item != &w->item[i]) continue;
        code = paper_one(&p, w, &w->item[i]);
        had += code == 0;
    }
    if (had && p.quick) paper_say(&p, "--quick: smaller arrays and fewer samples than published");
    if (had && p.cpus > PAPER_CPUS) paper_say(&p, "of pairs of CPUs those of the first %d", (int)PAPER_CPUS);
    if (had && interrupted) fail("paper: interrupted: that is what was known by then");
    paper_close(&p);
    for (i = 0; i < PAPER_PARTS; i++) servet_profile_free(&p.more[i]);
    return code == 2 ? 2 : had == 0;
}

#endif

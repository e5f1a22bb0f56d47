/* coherence.c - operations on shared places against the loops of the MareNostrum 5 study, blocks against P-Ray's
 *
 *     build/bench/coherence [runs]        0 = 9 runs, in turn
 *
 * costs:  ns of an operation by so many CPUs: servet's (median of the runs, and their range), and by the study's own
 *         experiment: all begin, each goes through a loop whose body is the operation, and the wall time until the last
 *         is done is divided by the turns.  That loop takes a cycle a turn, so what is faster shows as a cycle;
 *         alternating writes are two in a turn, and count so here.  The ratio is of medians.
 * block:  how often servet found which block, what it took, and P-Ray's Algorithm 1: time of data[i] = data[i] + 1 by
 *         two CPUs, i doubling from 1; the block it says is where the time falls most. */
#define SERVET_IMPLEMENTATION
#include "servet.h"

enum { MOST = 64, CPUS = 16, SIZES = 11 };

typedef struct worker {
    volatile unsigned char *place;
    int    cpu, operation;
    long   turns;
    int   *ready, *go;          /* atomic */
    double ended_ns;
} worker;

static servet_rig rig;
static servet_coherence c;
static unsigned char data[8192] __attribute__((aligned(4096)));

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The study's instructions are those of servet's callback, of which it takes one a turn instead of sixteen. */
static void *work(void *arg)
{
    worker *w = (worker *)arg;
    servet__cell *x = (servet__cell *)(void *)data, *y = (servet__cell *)(void *)(data + 4096);
    long i;
    servet__machine_pin(w->cpu, NULL);
    __atomic_add_fetch(w->ready, 1, __ATOMIC_ACQ_REL);
    while (!__atomic_load_n(w->go, __ATOMIC_ACQUIRE)) { }
    switch (w->operation) {
    case SERVET_OPERATE_READ: for (i = 0; i < w->turns; i++) SERVET__CELL_READ(x); break;
    case SERVET_OPERATE_WRITE: for (i = 0; i < w->turns; i++) SERVET__CELL_WRITE(x); break;
    case SERVET_OPERATE_ALTERNATE:
        for (i = 0; i < w->turns; i++) {
            SERVET__CELL_WRITE(x);
            SERVET__CELL_WRITE(y);
        }
        break;
    case SERVET_OPERATE_UPDATE: for (i = 0; i < w->turns; i++) SERVET__CELL_UPDATE(x); break;
    case SERVET_OPERATE_ATOMIC: for (i = 0; i < w->turns; i++) SERVET__CELL_ATOMIC(x); break;
    default: for (i = 0; i < w->turns; i++) *w->place = (unsigned char)(*w->place + 1);   /* P-Ray */
    }
    w->ended_ns = now_ns();
    return NULL;
}

/* Wall time of all of them for a turn of each. */
static double experiment(const int *cpu, int cpus, int operation, size_t apart, long turns)
{
    worker w[CPUS];
    pthread_t thread[CPUS];
    double begun, last = 0;
    int ready = 0, go = 0, k;
    for (k = 0; k < cpus; k++) {
        w[k].place = data + (size_t)k * apart;
        w[k].cpu = cpu[k];
        w[k].operation = operation;
        w[k].turns = turns;
        w[k].ready = &ready;
        w[k].go = &go;
        if (pthread_create(&thread[k], NULL, work, &w[k]) != 0) exit(1);
    }
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < cpus) sched_yield();
    begun = now_ns();
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    for (k = 0; k < cpus; k++) pthread_join(thread[k], NULL);
    for (k = 0; k < cpus; k++) if (w[k].ended_ns > last) last = w[k].ended_ns;
    return (last - begun) / (double)turns;
}

static double median(double *x, int n)
{
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

int main(int argc, char **argv)
{
    static double ours[5][SERVET_COST_POINTS][MOST], theirs[5][SERVET_COST_POINTS][MOST], pray[SIZES][MOST];
    const long turns = 200000;
    double block_s[MOST], near_ns[MOST], far_ns[MOST], begun, most = 0;
    int cpu[CPUS], cpus = 0, counts[SERVET_COST_POINTS], points = 0, runs = argc > 1 ? atoi(argv[1]) : 0, found = 0;
    int run, op, k, i, drop = 0, unresolved = 0, other = 0, shown = 0, refuted = 0, free_of = 0, pairs = 0;
    servet_cpus all;
    servet_machine m;
    servet_coherence_opts o;
    memset(&o, 0, sizeof o);
    if (runs < 1 || runs > MOST) runs = 9;
    servet_machine_cpus(&all);
    for (k = servet_cpus_next(&all, -1); k >= 0 && cpus < CPUS; k = servet_cpus_next(&all, k)) cpu[cpus++] = k;
    if (servet_rig_open(&rig, NULL) < 0) return 1;
    m = servet_rig_machine(&rig);
    for (run = 0; run < runs; run++) {
        memset(&c, 0, sizeof c);
        o.run.seed = (uint64_t)(unsigned)run * 1000;
        begun = now_ns();
        if (cpus > 1 && servet_coherence_block(&c, &m, cpu, 1, &o) < 0) return 1;
        block_s[run] = (now_ns() - begun) * 1e-9;
        if (cpus > 1) {
            near_ns[run] = c.block[0].near_ns;
            far_ns[run] = c.block[0].far_ns;
            if (!(c.block[0].bytes > 0)) unresolved++;
            else if (!found || (int)c.block[0].bytes == found) found = (int)c.block[0].bytes;
            else other++;
            if (servet_coherence_destructive(&c, &m, cpu, cpus, 64, &o) >= 0) {
                free_of += c.destructive.neighbour == SERVET_NEIGHBOUR_FREE;
                pairs += c.destructive.neighbour > SERVET_NEIGHBOUR_FREE;
            }
        }
        if (servet_coherence_costs(&c, &m, cpu, cpus, &o) < 0) return 1;
        shown += c.costs.buffered == SERVET_BUFFERED_SHOWN;
        refuted += c.costs.buffered == SERVET_BUFFERED_REFUTED;
        points = c.costs.count;
        for (i = 0; i < points; i++)
            for (op = 0; op < SERVET_COST_OPERATIONS; op++) {
                counts[i] = c.costs.point[op][i].cpus;
                ours[op][i][run] = c.costs.point[op][i].ns;
                theirs[op][i][run] = experiment(cpu, counts[i], op, 0, op < SERVET_OPERATE_UPDATE ? 20 * turns : turns)
                                   / (op == SERVET_OPERATE_ALTERNATE ? 2 : 1);
            }
        for (i = 0; i < SIZES && cpus > 1; i++) pray[i][run] = experiment(cpu, 2, -1, (size_t)1 << i, turns);
    }
    servet_rig_close(&rig);
    printf("costs,operation,cpus,servet_ns,from_ns,to_ns,study_ns,ratio\n");
    for (op = 0; op < SERVET_COST_OPERATIONS; op++)
        for (i = 0; i < points; i++) {
            const double a = median(ours[op][i], runs), b = median(theirs[op][i], runs);
            printf("costs,%s,%d,%.3f,%.3f,%.3f,%.3f,%.2f\n", servet_text(SERVET_TEXT_OPERATION, op), counts[i], a,
                   ours[op][i][0], ours[op][i][runs - 1], b, a / b);
        }
    printf("buffered,%d of %d shown,%d refuted\n", shown, runs, refuted);
    if (cpus < 2) return 0;
    for (i = 0; i < SIZES; i++) pray[i][0] = median(pray[i], runs);
    for (i = 1; i < SIZES; i++) {
        if (pray[i - 1][0] / pray[i][0] <= most) continue;
        most = pray[i - 1][0] / pray[i][0];
        drop = i;
    }
    printf("block,servet %d bytes in %d of %d runs,%d other,%d unresolved,%.3f s,%.1f ns in one,%.1f ns in two\n",
           found, runs - other - unresolved, runs, other, unresolved, median(block_s, runs), median(near_ns, runs),
           median(far_ns, runs));
    printf("block,P-Ray %d bytes", 1 << drop);
    for (i = 0; i < SIZES; i++) printf(",%d: %.1f ns", 1 << i, pray[i][0]);
    printf("\nneighbours,free in %d of %d runs,fetched with others in %d\n", free_of, runs, pairs);
    return 0;
}

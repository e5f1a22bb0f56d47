/* cores.c - is the way of a line from CPU to CPU as short by servet as by others?
 *
 * Build:   cc -O2 -I. bench/cores.c -o cores -pthread -lm      (or: make bench)
 * Run:     cores                  the first two CPUs that may be used
 *          C2CLAT=path, PINGPONG=path     the peers; without them (or in PATH) their rows are left out
 *          TRIALS=n               of a row; 6 give a median's interval of 95 %; default 8
 * Prints CSV after a context in lines with #; asserts nothing.  How to get the peers: bench/README.md.
 *
 * A trial is servet, the peer, servet: all one way, half of a round trip, ns.  It counts where servet says twice that
 * what it found is sound and both are within a fifth: a host may move virtual CPUs to other cores at any time, and then
 * two programs have not measured the same.  moved says how many trials were left out for that, marked how many since
 * servet would not vouch for its own.  ratio is the median of servet / peer, lo and hi order statistics that bound it.
 * off counts runs of the peer a quarter and more above what servet found before and after it: those it printed without
 * a word.  Seconds are medians.
 *
 *   own        the methods of c2clat and of core-to-core-latency (compare-and-swap), written here from nothing: the
 *              best of 1000 blocks of 100 round trips
 *   c2clat     best of 1000 such blocks, in whole ns, rounded down; -w for compare-and-swap
 *   pingpong   multichase's, compare-and-swap (-l), best mean of a quarter of a second; by default it pauses ten times
 *              between tries, here never (-r 0).  Its -u, one line polled and overwritten, has nothing to compare with
 *
 * All of servet's figures are lower quartiles over lines, of lower quartiles over blocks, homed at the better end; the
 * peers' are the best of one line each: a few percent below are to be expected.
 */
#ifndef BENCH_FLAGS
#  define BENCH_FLAGS "flags unknown"
#endif
#define SERVET_IMPLEMENTATION
#include "servet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 64, PEERS = 5 };

static servet_rig rig;
static servet_machine machine;
static servet_cores cores;
static int cpu[2], trials = 8;

/* ---- peers ---------------------------------------------------------------------------------------- */

/* The last number of the last line with any that a command prints: the cost of the last pair; 0 where it fails. */
static double last_number(const char *command)
{
    char line[512];
    double x, last = 0;
    FILE *f = popen(command, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        char *at = line, *end;
        for (x = 0; *at; at = end) {
            while (*at && !(*at >= '0' && *at <= '9')) at++;
            if (!*at) break;
            x = strtod(at, &end);
        }
        if (x > 0) last = x;
    }
    return pclose(f) == 0 ? last : 0;
}

/* c2clat prints a symmetric matrix: the last line ends with the diagonal, so the first row is wanted. */
static double c2clat_number(const char *command)
{
    char line[512];
    double best = 0;
    FILE *f = popen(command, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        double x;
        int row;
        if (sscanf(line, "%d %*f %lf", &row, &x) == 2 && row == cpu[0]) best = x;
    }
    return pclose(f) == 0 ? best : 0;
}

/* One pair, both protocols, as short as can be. */
typedef struct own {
    uint32_t *line[2];
    int cas, ready;
    double ns;
} own;

enum { OWN_BLOCKS = 1000, OWN_TRIPS = 100 };

static void *own_second(void *arg)
{
    own *o = (own *)arg;
    uint32_t n, want;
    servet__machine_pin(cpu[1], NULL);
    __atomic_store_n(&o->ready, 1, __ATOMIC_RELEASE);
    for (n = 1; n <= OWN_BLOCKS * OWN_TRIPS; n++)
        if (!o->cas) {
            while (__atomic_load_n(o->line[0], __ATOMIC_ACQUIRE) != n) { }
            __atomic_store_n(o->line[1], n, __ATOMIC_RELEASE);
        } else
            do want = 1;
            while (!__atomic_compare_exchange_n(o->line[0], &want, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return NULL;
}

static void *own_first(void *arg)
{
    own *o = (own *)arg;
    uint32_t n = 0, end, want;
    int i;
    servet__machine_pin(cpu[0], NULL);
    while (!__atomic_load_n(&o->ready, __ATOMIC_ACQUIRE)) { }
    for (o->ns = HUGE_VAL, i = 0; i < OWN_BLOCKS; i++) {
        const uint64_t from = servet_timer_start(&rig.timer);
        for (end = n + OWN_TRIPS; n != end; ) {
            n++;
            if (!o->cas) {
                __atomic_store_n(o->line[0], n, __ATOMIC_RELEASE);
                while (__atomic_load_n(o->line[1], __ATOMIC_ACQUIRE) != n) { }
            } else
                do want = 0;
                while (!__atomic_compare_exchange_n(o->line[0], &want, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
        }
        o->ns = servet__min(o->ns, servet_timer_ns(&rig.timer, from, servet_timer_stop(&rig.timer)) / OWN_TRIPS / 2);
    }
    return NULL;
}

static double own_ns(int cas)
{
    static unsigned char memory[16384];
    static uint64_t seed;
    pthread_t a, b;
    own o;
    memset(&o, 0, sizeof o);
    memset(memory, 0, sizeof memory);
    o.cas = cas;
    o.line[0] = (uint32_t *)(void *)(memory + 128 * servet_stats_random_below(&seed, 32));
    o.line[1] = (uint32_t *)(void *)(memory + 8192 + 128 * servet_stats_random_below(&seed, 32));
    if (pthread_create(&a, NULL, own_first, &o)) return 0;
    if (pthread_create(&b, NULL, own_second, &o)) exit(1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return o.ns;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *protocol, *peer;
    char   command[512];
    int    kind, n, moved, marked, off;
    double servet[TRIALS_MAX], theirs[TRIALS_MAX], servet_s[2 * TRIALS_MAX], peer_s[TRIALS_MAX];
    int    runs;
} row;

static double median(double *x, int n)
{
    servet_stats_sort(x, (size_t)n);
    return servet_stats_quantile(x, (size_t)n, 0.5);
}

/* 1 where it is sound. */
static int servet_ns(row *r, uint64_t seed, double *ns)
{
    servet_cores_opts o;
    memset(&o, 0, sizeof o);
    o.run.seed = seed;
    if (servet_pairs_latency(&cores, &machine, cpu, 2, &o) < 0) return 0;
    *ns = (double)cores.ns[r->kind][0];
    r->servet_s[r->runs++] = cores.seconds;
    return cores.state[0] == SERVET_CORES_SOUND;
}

static void trial(row *r, uint64_t seed)
{
    double before = 0, after = 0, peer, begun;
    int sound = servet_ns(r, seed, &before);
    begun = machine.seconds(machine.ctx);
    peer = !r->command[0] ? own_ns(r->kind == SERVET_HANDOFF_CAS)
         : !strcmp(r->peer, "c2clat") ? c2clat_number(r->command) : last_number(r->command);
    r->peer_s[r->runs / 2] = machine.seconds(machine.ctx) - begun;
    sound &= servet_ns(r, seed + 1000, &after);
    if (!sound) r->marked++;
    else if (fabs(before - after) > 0.2 * servet__min(before, after)) r->moved++;
    else if (peer > 0 && r->n < TRIALS_MAX) {
        r->servet[r->n] = (before + after) / 2;
        r->theirs[r->n] = peer;
        r->off += peer > 1.25 * r->servet[r->n];
        r->n++;
    }
}

static void print_row(row *r)
{
    double ratio[TRIALS_MAX];
    int i, k = 0;
    if (r->n < 1) {
        printf("# %s %s: no answer that can be compared (%d moved, %d marked)\n", r->peer, r->protocol, r->moved,
               r->marked);
        return;
    }
    for (i = 0; i < r->n; i++) ratio[i] = r->servet[i] / r->theirs[i];
    servet_stats_sort(ratio, (size_t)r->n);
    while (2 * (k + 2) <= r->n && servet_stats_binomial_tail(r->n, r->n - k - 1, 0.5) <= 0.025) k++;
    printf("%s,%s,%d,%d,%d,%d,%.1f,%.1f,%.3f,%.3f,%.3f,%.4f,%.4f\n", r->protocol, r->peer, r->n, r->moved, r->marked,
           r->off, median(r->servet, r->n), median(r->theirs, r->n), servet_stats_quantile(ratio, (size_t)r->n, 0.5),
           ratio[k], ratio[r->n - 1 - k], median(r->servet_s, r->runs), median(r->peer_s, r->runs / 2));
}

int main(void)
{
    static row r[PEERS];
    static servet_host host;
    const char *c2clat = getenv("C2CLAT") ? getenv("C2CLAT") : "c2clat";
    const char *pingpong = getenv("PINGPONG") ? getenv("PINGPONG") : "pingpong";
    servet_rig_opts o;
    servet_cpus all;
    int rows = 0, i, t;
    if (getenv("TRIALS")) trials = atoi(getenv("TRIALS"));
    servet_machine_cpus(&all);
    cpu[0] = servet_cpus_next(&all, -1);
    cpu[1] = servet_cpus_next(&all, cpu[0]);
    if (trials < 1 || trials > TRIALS_MAX || cpu[1] < 0) {
        fprintf(stderr, "cores: TRIALS from 1 to %d, and two CPUs\n", TRIALS_MAX);
        return 2;
    }
    memset(&host, 0, sizeof host);
    servet__machine_host(&host);
    memset(&o, 0, sizeof o);
    o.hi_bytes = 1048576;
    o.cpu_plus_1 = cpu[0] + 1;
    if (servet_rig_open(&rig, &o) < 0) {
        fprintf(stderr, "cores: no rig\n");
        return 1;
    }
    machine = servet_rig_machine(&rig);
    machine.operate = NULL;    /* whether they are siblings is not the question */
    printf("# %s, %s, %s %s; CPUs %d and %d of %s; " BENCH_FLAGS "\n", host.cpu_model,
           host.hypervisor[0] ? host.hypervisor : "no hypervisor seen", host.os, host.kernel, cpu[0], cpu[1],
           host.cpus);
    for (i = 0; i < PEERS; i++) {
        row *x = &r[rows];
        char probe[600];
        const int cas = i % 2 || i == 4;
        x->kind = cas ? SERVET_HANDOFF_CAS : SERVET_HANDOFF_FLAGS;
        x->protocol = cas ? "cas" : "flags";
        x->peer = i < 2 ? "own" : i < 4 ? "c2clat" : "pingpong";
        if (i >= 2)
            snprintf(x->command, sizeof x->command, "taskset -c %d,%d %s %s 2>/dev/null", cpu[0], cpu[1],
                     i < 4 ? c2clat : pingpong, i == 3 ? "-w" : i == 4 ? "-l -r 0" : "");
        snprintf(probe, sizeof probe, "command -v %s >/dev/null", i < 4 ? c2clat : pingpong);
        if (i < 2 || system(probe) == 0) rows++;
        else printf("# %s: not found\n", x->peer);
    }
    for (t = 0; t < trials; t++) for (i = 0; i < rows; i++) trial(&r[i], (uint64_t)(t * PEERS + i));
    printf("protocol,peer,trials,moved,marked,off,servet_ns,peer_ns,ratio,lo,hi,servet_s,peer_s\n");
    for (i = 0; i < rows; i++) print_row(&r[i]);
    servet_rig_close(&rig);
    return 0;
}

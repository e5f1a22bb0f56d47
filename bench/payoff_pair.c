/* payoff_pair.c - where two threads that talk all the time are to run
 *
 * Two threads hand a number to and fro through two lines; who has waited a while gives up the CPU.  Left where the
 * system puts them; on the two CPUs that servet found nearest; on other pairs, the farthest among them; on one CPU. */
#include "payoff.h"
#include <pthread.h>
#include <sched.h>

enum { TRIPS = 20000, PATIENCE = 2000, PAIRS = 8 };
enum { FREE = -1, BASE = 8192 };           /* a choice: first CPU x BASE + second, or FREE */

typedef struct shared { uint32_t to[2][1024]; double seconds; } shared;    /* a page for each */
typedef struct side { shared *s; int cpu, second; } side;

static void wait_for(const uint32_t *place, uint32_t value)
{
    int turns = 0;
    while (__atomic_load_n(place, __ATOMIC_ACQUIRE) != value) if (++turns > PATIENCE) { turns = 0; sched_yield(); }
}

static void *talk(void *arg)
{
    const side *x = (const side *)arg;
    uint32_t i;
    double begun = 0;
    if (x->cpu >= 0 && servet__machine_pin(x->cpu, NULL) < 0) payoff_fail("CPU", "it cannot be used any more", 1);
    for (i = 1; i <= TRIPS; i++) {
        if (i == TRIPS / 10) begun = payoff_now();     /* both are there, and where they stay */
        if (x->second) wait_for(x->s->to[1], i);
        __atomic_store_n(x->s->to[x->second ? 0 : 1], i, __ATOMIC_RELEASE);
        if (!x->second) wait_for(x->s->to[0], i);
    }
    if (!x->second) x->s->seconds = payoff_now() - begun;
    return NULL;
}

static double run(void *ctx, double choice)
{
    shared *s = (shared *)ctx;
    pthread_t thread[2];
    side x[2];
    int i, made = 0;
    memset(s, 0, sizeof *s);
    for (i = 0; i < 2; i++) {
        x[i].s = s;
        x[i].second = i;
        x[i].cpu = choice < 0 ? -1 : i ? (int)choice % BASE : (int)choice / BASE;
    }
    for (i = 0; i < 2; i++) made += !pthread_create(&thread[i], NULL, talk, &x[i]);
    if (made < 2) payoff_fail("threads", "they cannot be had", 1);
    for (i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    return s->seconds;
}

static void word(char *buf, size_t cap, double choice)
{
    if (choice < 0) snprintf(buf, cap, "as they come");
    else snprintf(buf, cap, "CPUs %d, %d", (int)choice / BASE, (int)choice % BASE);
}

static double pair(int a, int b) { return (double)a * BASE + b; }

typedef struct way { double ns, pair; } way;

static int nearer(const void *x, const void *y)
{
    const way *a = (const way *)x, *b = (const way *)y;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* The nearest pair is servet's; some others are tried from there to the farthest. */
static void choose(payoff *p, const servet_cores *c)
{
    static way known[SERVET_CORES_PAIRS];
    int n = 0, a, b, k;
    for (b = 1; b < c->count; b++) for (a = 0; a < b; a++) {
        known[n].ns = (double)c->ns[0][SERVET_PAIRS_AT(a, b)];
        known[n].pair = pair(c->cpu[a], c->cpu[b]);
        n += known[n].ns > 0;
    }
    if (!n) return;
    qsort(known, (size_t)n, sizeof *known, nearer);
    for (k = 0; k < PAIRS; k++) payoff_try(p, known[k * (n - 1) / (PAIRS - 1)].pair);
    p->servet = known[0].pair;
}

int main(int argc, char **argv)
{
    static payoff p;
    shared *s;
    servet_profile profile;
    int first;
    payoff_arguments(argc, argv, "payoff_pair");
    first = servet_cpus_next(&payoff_run.cpus, -1);
    p.name = "two threads that talk";
    if (payoff_run.cpus.count < 2) return payoff_no_line(&p, "one CPU");
    payoff_open(&profile, SERVET_PART_CORES, 4);
    s = (shared *)payoff_memory(sizeof *s);
    p.run = run;
    p.ctx = s;
    p.word = word;
    p.system = p.servet = FREE;
    payoff_try(&p, pair(first, first));
    if (profile.cores) choose(&p, profile.cores);
    servet_profile_free(&profile);
    return payoff_line(&p);
}

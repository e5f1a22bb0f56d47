/* payoff_counters.c - counters of several threads, padded by a line or by the measured destructive size
 *
 * A thread on each CPU, 16 at most, adds to a counter of its own, so many bytes from the next.  By the system that is
 * the line of sysconf, by servet SERVET_ASK_APART; 8 bytes is no padding at all. */
#include "payoff.h"

enum { ADDITIONS = 1 << 20, THREADS = 16 };
typedef struct part { uint64_t *counter; double begun, ended; } part;
typedef struct work { char *base; int cpu[THREADS], cpus; } work;

static int add(servet_team *team, void *arg)
{
    part *p = (part *)arg;
    size_t times = 0;
    int i, status = servet_team_meet(team, &times);
    p->begun = payoff_now();
    for (i = 0; i < ADDITIONS; i++) __atomic_fetch_add(p->counter, 1, __ATOMIC_RELAXED);
    p->ended = payoff_now();
    return status;
}

static double run(void *ctx, double distance)
{
    const work *w = (const work *)ctx;
    part p[THREADS];
    double begun, ended;
    int i;
    for (i = 0; i < w->cpus; i++) p[i].counter = (uint64_t *)(void *)(w->base + (size_t)distance * (size_t)i);
    if (servet_team_run(w->cpu, w->cpus, NULL, add, p, sizeof *p) < 0) return -1;
    begun = p[0].begun;
    ended = p[0].ended;
    for (i = 1; i < w->cpus; i++) {
        begun = p[i].begun < begun ? p[i].begun : begun;
        ended = p[i].ended > ended ? p[i].ended : ended;
    }
    return ended - begun;
}

static void word(char *buf, size_t cap, double distance) { snprintf(buf, cap, "%.0f bytes", distance); }

int main(int argc, char **argv)
{
    static work w;
    static payoff p;
    servet_profile profile;
    servet_question q;
    double bytes;
    int cpu;
    payoff_arguments(argc, argv, "payoff_counters");
    for (cpu = -1; w.cpus < THREADS && (cpu = servet_cpus_next(&payoff_run.cpus, cpu)) >= 0;) w.cpu[w.cpus++] = cpu;
    p.name = "counters of several threads";
    if (w.cpus < 2) return payoff_no_line(&p, "one CPU");
    payoff_open(&profile, SERVET_PART_COHERENCE, 4);
    w.base = (char *)payoff_memory(1 << 20);
    p.run = run;
    p.ctx = &w;
    p.word = word;
    for (bytes = 8; bytes <= 1024; bytes *= 2) payoff_try(&p, bytes);
    p.system = p.servet = 64;           /* what programs take where nothing is known */
#if defined(_SC_LEVEL1_DCACHE_LINESIZE)
    p.system = payoff_or((double)sysconf(_SC_LEVEL1_DCACHE_LINESIZE), 64);
#endif
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_APART;
    p.servet = payoff_ask(&profile, q, p.servet);
    servet_profile_free(&profile);
    return payoff_line(&p);
}

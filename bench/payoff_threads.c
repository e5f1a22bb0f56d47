/* payoff_threads.c - how many threads for a loop that waits for memory
 *
 * a = b + s c over 3 x 64 MiB, divided among n threads, one to a CPU.  By the system n is the number of CPUs; by servet
 * the smallest that surely reached 95 % of the best rate of a stream. */
#include "payoff.h"

enum { ELEMENTS = 1 << 23, THREADS = 256 };
typedef struct part { double *a; const double *b, *c; size_t n; double begun, ended; } part;
typedef struct work { double *a, *b, *c; int cpu[THREADS], cpus; } work;

static int triad(servet_team *team, void *arg)
{
    part *p = (part *)arg;
    size_t times = 0, i;
    const int status = servet_team_meet(team, &times);
    p->begun = payoff_now();
    for (i = 0; i < p->n; i++) p->a[i] = p->b[i] + 3 * p->c[i];
    p->ended = payoff_now();
    return status;
}

static double run(void *ctx, double threads)
{
    const work *w = (const work *)ctx;
    static part p[THREADS];
    const int n = (int)threads;
    double begun, ended;
    int i;
    for (i = 0; i < n; i++) {
        const size_t from = (size_t)i * ELEMENTS / (size_t)n, to = (size_t)(i + 1) * ELEMENTS / (size_t)n;
        p[i].a = w->a + from;
        p[i].b = w->b + from;
        p[i].c = w->c + from;
        p[i].n = to - from;
    }
    if (servet_team_run(w->cpu, n, NULL, triad, p, sizeof *p) < 0) return -1;
    begun = p[0].begun;
    ended = p[0].ended;
    for (i = 1; i < n; i++) {
        begun = p[i].begun < begun ? p[i].begun : begun;
        ended = p[i].ended > ended ? p[i].ended : ended;
    }
    return ended - begun;
}

static void word(char *buf, size_t cap, double n) { snprintf(buf, cap, "%.0f thread%s", n, n > 1 ? "s" : ""); }

/* The smallest number that surely has 95 % of the best rate from memory: of those tried one by one where groups of CPUs
 * are known, else of one and all.  In doubt all: a thread too many costs little, one too few may cost half. */
static int enough(const servet_profile *p, int otherwise)
{
    enum { SAMPLES = 3 };       /* with less a lower end says nothing */
    const servet_rates *r = &p->bandwidth;
    double lo[THREADS + 1] = { 0 }, best = 0;
    int g, i;
    for (g = 0; g < r->growths; g++)
        for (i = 0; i < r->growth[g].count; i++)
            if (r->growth[g].level == 0 && r->growth[g].cpus[i] <= THREADS) {
                lo[r->growth[g].cpus[i]] = r->growth[g].lo_bytes_per_s[i];
                if (r->growth[g].bytes_per_s[i] > best) best = r->growth[g].bytes_per_s[i];
            }
    for (i = 0; !r->growths && i < r->count; i++)
        if (r->rate[i].level == 0 && r->rate[i].kernel == SERVET_STREAM_TRIAD && !r->rate[i].streaming
            && r->rate[i].cpus <= THREADS) {
            if (r->rate[i].samples >= SAMPLES) lo[r->rate[i].cpus] = r->rate[i].lo_bytes_per_s;
            if (r->rate[i].bytes_per_s > best) best = r->rate[i].bytes_per_s;
        }
    for (i = 1; i <= THREADS; i++) if (lo[i] > 0 && lo[i] >= 0.95 * best) return i;
    return otherwise;
}

int main(int argc, char **argv)
{
    static work w;
    static payoff p;
    servet_profile profile;
    double n;
    int cpu;
    payoff_arguments(argc, argv, "payoff_threads");
    for (cpu = -1; w.cpus < THREADS && (cpu = servet_cpus_next(&payoff_run.cpus, cpu)) >= 0;) w.cpu[w.cpus++] = cpu;
    p.name = "triad of 192 MiB by threads";
    if (w.cpus < 2) return payoff_no_line(&p, "one CPU");
    payoff_open(&profile, SERVET_PART_BANDWIDTH, 6);
    w.a = (double *)payoff_memory(ELEMENTS * sizeof *w.a);
    w.b = (double *)payoff_memory(ELEMENTS * sizeof *w.b);
    w.c = (double *)payoff_memory(ELEMENTS * sizeof *w.c);
    p.run = run;
    p.ctx = &w;
    p.word = word;
    for (n = 1; n <= w.cpus; n = n < 4 ? n + 1 : ceil(1.5 * n)) payoff_try(&p, n);
    p.system = w.cpus;
    p.servet = enough(&profile, w.cpus);
    servet_profile_free(&profile);
    return payoff_line(&p);
}

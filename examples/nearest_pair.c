/* nearest_pair.c - where two threads that talk all the time are to run
 *
 *     cc -O2 examples/nearest_pair.c -I. -lm -pthread -o nearest_pair && ./nearest_pair
 *
 * The two CPUs between which a line goes fastest, and how far the farthest two are: 4 s the first time, less with few
 * CPUs.  bench/payoff_pair.c tells what it gains over leaving them to the system. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    servet_profile_opts o;
    servet_profile p;
    servet_question q;
    servet_answer apart;
    double near_ns = 0, far_ns = 0;
    int a, b, one = -1, other = -1, status;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_CORES;
    o.run.budget_s = 4;
    status = servet_profile_open(&p, NULL, &o);
    if (status < 0) {
        fprintf(stderr, "nearest_pair: %s\n", servet_status_text(status));
        return 1;
    }
    for (b = 1; p.cores && b < p.cores->count; b++) for (a = 0; a < b; a++) {
        const double ns = (double)p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(a, b)];
        if (!(ns > 0)) continue;
        if (one < 0 || ns < near_ns) one = p.cores->cpu[a], other = p.cores->cpu[b], near_ns = ns;
        if (ns > far_ns) far_ns = ns;
    }
    if (one < 0) printf("one CPU, or nothing could be told\n");
    else {
        memset(&q, 0, sizeof q);
        q.what = SERVET_ASK_DISTANCE;
        q.cpu = one;
        q.cpu_2 = other;
        if (servet_ask(&apart, &p, &q) < 0) printf("CPUs %d and %d, but disturbed: %.0f ns", one, other, near_ns);
        else printf("CPUs %d and %d: %.0f ns [%.0f, %.0f]", one, other, apart.value, apart.lo, apart.hi);
        printf(" one way; the farthest two %.0f ns\n", far_ns);
    }
    servet_profile_free(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("nearest_pair: standard output"), 2;
    return 0;
}

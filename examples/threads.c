/* threads.c - how many threads for a loop that waits for memory
 *
 *     cc -O2 examples/threads.c -I. -lm -pthread -o threads && ./threads
 *
 * A few CPUs fill a memory's controllers; more only wait, and slow others.  The answer is the smallest number that
 * reached 95 % of the best rate: some 8 s the first time.  bench/payoff_threads.c tells what it gains. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    servet_profile_opts o;
    servet_profile p;
    servet_question q;
    servet_answer threads;
    int status;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_CORES | SERVET_PART_BANDWIDTH;
    o.run.budget_s = 8;
    status = servet_profile_open(&p, NULL, &o);
    if (status < 0) {
        fprintf(stderr, "threads: %s\n", servet_status_text(status));
        return 1;
    }
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_THREADS;
    q.cpu = p.made.cpu;
    if (servet_ask(&threads, &p, &q) < 0) printf("one CPU, or nothing could be told\n");
    else printf("%.0f threads [%.0f, %.0f] give 95 %% of what memory has, where CPU %d is\n", threads.value, threads.lo,
                threads.hi, q.cpu);
    servet_profile_free(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("threads: standard output"), 2;
    return 0;
}

/* counters.c - counters of several threads, so far apart that none slows another
 *
 *     cc -O2 examples/counters.c -I. -lm -pthread -o counters && ./counters
 *
 * What two CPUs write to has to be as far apart as what goes between their caches as a whole, or twice that where lines
 * come in pairs.  That is measured with real lines: a second the first time.  bench/payoff_counters.c tells what
 * it gains over the line that the system reports. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, TIMES = 1000000 };

static int count(servet_team *team, void *arg)
{
    long *const counter = *(long **)arg;
    int i;
    (void)team;
    for (i = 0; i < TIMES; i++) __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    return SERVET_OK;
}

int main(void)
{
    int cpu[THREADS_MAX], cpus = 0, next = -1, i, status;
    long *counter[THREADS_MAX], sum = 0;
    size_t apart = 128;                  /* no machine known needs more than two lines of 64, but some lines are 128 */
    servet_profile_opts o;
    servet_profile p;
    servet_question q;
    servet_answer a;
    servet_cpus usable;
    void *place;
    char *memory;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_COHERENCE;
    o.run.budget_s = 1;
    status = servet_profile_open(&p, NULL, &o);
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_APART;
    servet_ask(&a, status >= 0 ? &p : NULL, &q);
    if (a.source == SERVET_SOURCE_MEASURED && a.value >= sizeof(long)) apart = (size_t)a.value;
    if (status >= 0) servet_profile_free(&p);
    if (servet_machine_cpus(&usable) < 0) return 1;
    while (cpus < THREADS_MAX && (next = servet_cpus_next(&usable, next)) >= 0) cpu[cpus++] = next;
    if (posix_memalign(&place, 4096, apart * (size_t)cpus)) return 1;
    memory = (char *)place;
    for (i = 0; i < cpus; i++) {
        counter[i] = (long *)(void *)(memory + apart * (size_t)i);
        *counter[i] = 0;
    }
    status = servet_team_run(cpu, cpus, NULL, count, counter, sizeof *counter);
    for (i = 0; i < cpus; i++) sum += *counter[i];
    printf("%d counters, %lu bytes apart: %ld\n", cpus, (unsigned long)apart, sum);
    free(memory);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("counters: standard output"), 2;
    return status < 0;
}

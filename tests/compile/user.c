/* A program that uses servet.h, compiled as C and as C++ by tests/compile.sh and tests/link.sh in every way users do.
 *
 *   -DLAST      other headers come first, as in most programs
 *   -DUSER      uses only: another unit implements
 *   -DLATE      a header included it already, without the define
 *   -DTWO       calls the unit compiled with -DSECOND
 *   SERVET_*    as documented, from the command line
 *
 * It calls what it claims to have, for a misspelt macro would pass otherwise; and exits with 0 if all is right.
 */
#if defined(LAST)
#  include <pthread.h>
#  include <stdio.h>
#  include <stdlib.h>
#  include <string.h>
#  include <unistd.h>
#  if defined(__cplusplus)
#    include <vector>
#  endif
#endif
#if defined(LATE)
#  include "servet.h"
#endif
#if !defined(USER) && !defined(SERVET_IMPLEMENTATION)
#  define SERVET_IMPLEMENTATION
#endif
#include "servet.h"
#include "servet.h"   /* twice, as by way of another header */
#include <stdio.h>

#define CHECK(cond) \
    do { if (!(cond)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); return 1; } } while (0)

#define ELEMENTS 100
static void *memory[2 * 4096 / sizeof(void *)];

static int check_pure(void)
{
    static servet_profile profile;   /* of nothing */
    static servet_chase_opts opts;   /* C++ warns of {0}, and C before C23 has no {} */
    uint64_t seed = 0, first = servet_stats_random(&seed);
    double tail = servet_stats_binomial_tail(2, 1, 0.5);
    uint32_t order[ELEMENTS];
    servet_chase chase;

    CHECK(tail > 0.75 - 1e-12 && tail < 0.75 + 1e-12);
    CHECK(first == UINT64_C(0xe220a8397b1dcdaf));   /* of splitmix64, as published */
    CHECK(servet_status_text(SERVET_EPARSE)[0] == 't');
    CHECK(servet_profile_write(&profile, NULL, 0) > 0);
    CHECK(sizeof profile <= 65536);
    servet_profile_free(&profile);

    opts.line_bytes = 64;
    CHECK(servet_chase_build(&chase, memory, NULL, ELEMENTS, order, &opts) == SERVET_OK);
    CHECK(servet_chase_verify(&chase, memory, sizeof memory) == SERVET_OK);
    { void *at = chase.entry[0];
        servet_chase_walk_many(&at, 1, ELEMENTS);
        CHECK(at == chase.entry[0]);
        servet_chase_walk_many(&at, 1, ELEMENTS - 1);
        CHECK(at != chase.entry[0]); }
    return 0;
}

#if !defined(SERVET_PURE_ONLY) && !defined(SECOND)
static int check_machine(void)
{
    static servet_cpus cpus;
    servet_timer timer;
    uint64_t start;
    CHECK(servet_timer_init(&timer, NULL) >= 0);
    CHECK(timer.ns_per_tick > 0);
    start = servet_timer_start(&timer);
    CHECK(servet_timer_ns(&timer, start, servet_timer_stop(&timer)) >= 0);
    CHECK(servet_machine_cpus(&cpus) >= 0);
    CHECK(servet_cpus_next(&cpus, -1) >= 0);
    return 0;
}
#endif

#if defined(__cplusplus)
extern "C"
#endif
int second_unit(void);

#if defined(SECOND)   /* half of a program */
int second_unit(void)
{
    return check_pure();
}
#else
int main(void)
{
#  if defined(TWO)    /* the other half */
    CHECK(second_unit() == 0);
#  endif
#  if !defined(SERVET_PURE_ONLY)
    CHECK(check_machine() == 0);
#  endif
    return check_pure();
}
#endif

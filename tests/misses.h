/* misses.h - the miss rate of a cyclic walk, by the model of >>levels
 *
 *   misses_of(pages, capacity, ways, SERVET_POLICY_LRU, SERVET_PLACEMENT_RANDOM) */
#ifndef SERVET_TESTS_MISSES_H
#define SERVET_TESTS_MISSES_H

#include "private.h"

/* Of n pages, which may be a fraction of one, in a cache of `capacity` pages. */
static SERVET__UNUSED double misses_of(double n, double capacity, int ways, int policy, int placement)
{
    enum { LINES = 224 };       /* of one class: beyond, all policies miss as there */
    double f[LINES];
    int m;
    if (!(n > 0) || !(capacity > 0) || ways < 1) return 0;
    if (ways >= LINES / 2)      /* so many that classes are filled evenly */
        return servet__class_misses(n * ways / capacity, ways, policy);
    for (m = 0; m < LINES; m++) f[m] = servet__class_misses(m + 1, ways, policy);
    return servet__miss_rate(&f, n, ways / capacity, placement);
}

#endif

/* A program whose result nobody uses, for tests/asm_chase.sh: do the loads survive?
 *
 *   -DSTEPS=...   steps of the walk: a constant, or an expression in argc
 *   -DNAIVE       a walk without protection instead
 *   -DUSED        the exit status depends on where the walk ended
 *   SERVET_*      as documented, from the command line
 */
#include "servet.h"

#define ELEMENTS 64
static void *ring[ELEMENTS];

#if defined(NAIVE)
static void *walk(void *p, size_t steps)
{
#  define LOAD p = *(void **)p;
    for (; steps >= 16; steps -= 16) {
        LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
    }
    return p;
}
#else
static void *walk(void *p, size_t steps)
{
    servet_chase_walk_many(&p, 1, steps);
    return p;
}
#endif

int main(int argc, char **argv)
{
    int i;
    (void)argc;
    (void)argv;
    for (i = 0; i < ELEMENTS; i++) ring[i] = &ring[(i + 1) % ELEMENTS];
#if defined(USED)
    return walk(ring, STEPS) != &ring[0];
#else
    walk(ring, STEPS);
    return 0;
#endif
}

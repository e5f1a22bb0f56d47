/* startup.c - a library's start-up: choose the block of a blocked matrix product by what the machine gives
 *
 *     cc -O2 examples/startup.c -I. -lm -pthread -o startup && ./startup [PROFILE]
 *
 * Three blocks of doubles (one of each matrix) are to stay in the second level together.  Where its size is not
 * known to a factor of two the lower end of the interval decides: a block that is too small costs a few per cent,
 * one that does not fit costs a factor. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    double room = 32 * 1024;    /* the smallest first level still met: what to do without an answer */
    const char *why = "nothing could be measured, so this is the default";
    int block = 8, levels;
    servet_profile p;

    levels = servet_profile_open(&p, argc > 1 ? argv[1] : NULL, NULL);    /* .1 s the first time */
    if (levels >= 2 && !p.cache[1].effective) {
        room = p.cache[1].hi_bytes < 2 * p.cache[1].lo_bytes ? p.cache[1].bytes : p.cache[1].lo_bytes;
        why = room == p.cache[1].bytes ? "the measured size of the second level"
                                       : "the lower end of the second level's interval, which is wide";
    } else if (levels >= 1) {
        room = p.cache[0].lo_bytes;
        why = levels >= 2 ? "the first level: the second is shared, or cannot be told from it" : "the only level found";
    }
    while (3.0 * (block + 8) * (block + 8) * sizeof(double) < 0.75 * room) block += 8;
    printf("block %d x %d, from %.0f KiB: %s (%s)\n", block, block, room / 1024, why,
           levels < 0 ? servet_status_text(levels) : p.loaded ? "from the file"
           : p.saved < 0 ? "measured, and not saved" : "measured");
    if (levels >= 0) servet_profile_free(&p);
    return 0;
}

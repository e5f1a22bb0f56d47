/* startup.c - a library's start-up: choose the block of a blocked matrix product by what the machine gives
 *
 *     cc -O2 examples/startup.c -I. -lm -pthread -o startup && ./startup [PROFILE]
 *
 * Three blocks of doubles (one of each matrix) are to stay in the second level together: what was counted of it, what
 * the system claims where that stands the test, or else the lower end of what was measured, as a block that is too
 * small costs a few per cent, one that does not fit a factor.  Without a profile the answer is a default. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *const source[] = { "a default", "what the system says", "measured" };
    static const char *const claim[] = { "", "; the system agrees", "; what the system says is false",
                                         "; the system's word could not be tested" };
    servet_profile p;
    servet_question q;
    servet_answer room, block;
    const servet_profile *known;
    int levels;
    if (argc > 2 || (argc > 1 && (argv[1][0] == '-' || !argv[1][0]))) {
        fprintf(stderr, "startup: PROFILE is the path of one file\n");
        return 2;
    }
    levels = servet_profile_open(&p, argc > 1 ? argv[1] : NULL, NULL);    /* .1 s the first time */
    known = levels >= 0 ? &p : NULL;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_BYTES;
    servet_ask(&room, known, &q);
    q.what = SERVET_ASK_TILE;
    q.arrays = 3;
    q.element_bytes = sizeof(double);
    servet_ask(&block, known, &q);
    printf("block %.0f x %.0f [%.0f, %.0f], in %.0f KiB: %s%s (%s)\n",
           block.value, block.value, block.lo, block.hi, room.value / 1024, source[room.source], claim[room.claim],
           levels < 0 ? servet_status_text(levels)
           : p.loaded == 2 ? "from the file, and still so" : p.loaded ? "from the file"
           : p.saved < 0 ? "measured, and not saved"
           : p.refuted ? "measured anew: not as in the file" : "measured now");
    if (known) servet_profile_free(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("startup: standard output"), 2;
    return 0;
}

/* transpose.c - the tile of a transpose by what stays in the caches
 *
 *     cc -O2 examples/transpose.c -I. -lm -pthread -o transpose && ./transpose [ROW_BYTES]
 *
 * A column of a tile is t lines, each used again with the next column.  They must fit the first level; they must not
 * fall into too few sets of the second, as rows of a power of two bytes do; and their pages must be known to the TLBs.
 * bench/payoff_transpose.c tells what it gains. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *rest = NULL;
    const double asked = argc > 1 ? strtod(argv[1], &rest) : 32768;
    servet_profile_opts o;
    servet_profile p;
    servet_question q;
    servet_answer tile;
    int status;
    if ((rest && *rest) || !(asked >= 64 && asked <= 1e9)) {
        fprintf(stderr, "transpose: ROW_BYTES is from one row to the next, from 64 to 1e9\n");
        return 2;
    }
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_TLB;
    o.run.budget_s = 0.3;
    status = servet_profile_open(&p, NULL, &o);
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_COLUMN;
    q.bytes = asked;
    servet_ask(&tile, status >= 0 ? &p : NULL, &q);
    if (status >= 0) servet_profile_free(&p);
    printf("tiles of %.0f rows and as many columns, at rows of %.0f bytes%s\n", tile.value, asked,
           tile.source == SERVET_SOURCE_DEFAULT ? ", as nothing could be measured" : "");
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("transpose: standard output"), 2;
    return 0;
}

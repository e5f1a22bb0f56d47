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

static size_t gcd(size_t a, size_t b) { return b ? gcd(b, a % b) : a; }

int main(int argc, char **argv)
{
    const double asked = argc > 1 ? atof(argv[1]) : 32768;
    double lines = 512, tile = 8;        /* 32 KiB, where nothing can be measured */
    servet_profile_opts o;
    servet_profile p;
    int status;
    if (!(asked >= 64 && asked <= 1e9)) {
        fprintf(stderr, "transpose: ROW_BYTES is from one row to the next, from 64 to 1e9\n");
        return 2;
    }
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_TLB;
    o.run.budget_s = 0.3;
    o.fresh = o.no_save = 1;
    status = servet_profile_open(&p, NULL, &o);
    if (status >= 1) lines = p.cache[0].lo_bytes / 64;
    if (status >= 2 && p.cache[1].ways > 0) {
        const size_t way = (size_t)(p.cache[1].bytes / p.cache[1].ways);
        const double sets = (double)(way / gcd((size_t)asked, way));
        if (p.cache[1].ways * sets < lines) lines = p.cache[1].ways * sets;
    }
    if (status >= 0 && p.tlb.small.count > 0) {
        const double entries = p.tlb.small.level[p.tlb.small.count - 1].lo_entries;
        if (entries < lines) lines = entries;
    }
    if (status >= 0) servet_profile_free(&p);
    while (2 * tile <= 0.75 * lines) tile *= 2;    /* room for what is written; few tiles on more than one page */
    printf("tiles of %.0f rows and as many columns, at rows of %.0f bytes\n", tile, asked);
    return 0;
}

/* payoff_transpose.c - a transpose in tiles
 *
 * B = A^T of doubles in tiles of t x t.  A column of a tile of A is t lines, each used again by the next column: they
 * must stay.  Once with rows of a power of two, whose columns fall into few sets, and once with rows of an odd number
 * of lines.  The rule is the same for both sides: the lines of the first level, but no more than three quarters of what
 * falls into the second level's sets, W way / gcd(row, way) of its W ways; servet's, no more than the last TLB has
 * entries, less four; a power of two, so that a row of a tile stays on one page as far as it can, or 1.5 times one that
 * is whole pairs of lines and that three quarters of the first level hold. */
#include "payoff.h"

typedef struct work { double *a, *b; size_t n, row; } work;

static double run(void *ctx, double tile)
{
    const work *w = (const work *)ctx;
    const double begun = payoff_now();
    const size_t t = (size_t)tile;
    size_t i0, j0, i, j;
    for (i0 = 0; i0 < w->n; i0 += t) for (j0 = 0; j0 < w->n; j0 += t) {
        const size_t i1 = i0 + t < w->n ? i0 + t : w->n, j1 = j0 + t < w->n ? j0 + t : w->n;
        for (i = i0; i < i1; i++) for (j = j0; j < j1; j++) w->b[i * w->row + j] = w->a[j * w->row + i];
    }
    return payoff_now() - begun;
}

static size_t gcd(size_t a, size_t b) { return b ? gcd(b, a % b) : a; }

static double tile_of(double first, double second, int ways, size_t row_bytes)
{
    double lines = first / 64, tile;
    if (ways < 1) ways = 8;     /* few, where they are not known */
    if (second > 0) {
        const size_t way = (size_t)(second / ways);
        const double sets = (double)(way / gcd(row_bytes, way));
        lines = lines < 0.75 * ways * sets ? lines : 0.75 * ways * sets;
    }
    for (tile = 8; 2 * tile <= lines;) tile *= 2;
    return tile >= 32 && 1.5 * tile <= lines && 1.5 * tile <= 0.75 * first / 64 ? 1.5 * tile : tile;
}

static double system_tile(size_t row_bytes)
{
    int ways = 0;
#if defined(_SC_LEVEL2_CACHE_ASSOC)
    ways = (int)sysconf(_SC_LEVEL2_CACHE_ASSOC);
#endif
    return tile_of(payoff_or(payoff_system_bytes(1), 32768), payoff_system_bytes(2), ways, row_bytes);
}

static double servet_tile(const servet_profile *p, size_t row_bytes)
{
    servet_question q;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_COLUMN;
    q.bytes = (double)row_bytes;
    return payoff_ask(p, q, 8);
}

int main(int argc, char **argv)
{
    static const double tile[] = { 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096 };
    static const size_t row[] = { 4096, 4104 };
    static const char *const name[] = { "transpose, 4096 x 4096", "the same in rows of 4104" };
    static work w;
    servet_profile profile;
    int k, status = 0;
    payoff_arguments(argc, argv, "payoff_transpose");
    payoff_open(&profile, SERVET_PART_TLB, 2);
    servet__machine_pin(servet_cpus_next(&payoff_run.cpus, -1), NULL);
    w.n = 4096;
    w.a = (double *)payoff_memory(4104 * w.n * sizeof(double));
    w.b = (double *)payoff_memory(4104 * w.n * sizeof(double));
    for (k = 0; k < 2; k++) {
        static payoff p[2];
        size_t i;
        w.row = row[k];
        p[k].name = name[k];
        p[k].run = run;
        p[k].ctx = &w;
        p[k].word = payoff_word_tile;
        for (i = 0; i < sizeof tile / sizeof *tile; i++) payoff_try(&p[k], tile[i]);
        p[k].system = system_tile(row[k] * sizeof(double));
        p[k].servet = servet_tile(&profile, row[k] * sizeof(double));
        if (payoff_line(&p[k])) status = 1;
    }
    servet_profile_free(&profile);
    return status;
}

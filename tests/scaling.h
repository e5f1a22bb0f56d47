/* scaling.h - systems on which a cellular automaton scales as their parts let it, and what limits it there
 *
 * Shared by automaton_scaling.c and referee.c. */
#ifndef SERVET_TESTS_SCALING_H
#define SERVET_TESTS_SCALING_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times of a system: arithmetic, bytes from memory that workers share, bytes and messages at edges, order. */
typedef struct scaling_system { double flop_ns, byte_ns, share, edge_ns, message_ns, order, doubles; } scaling_system;

static double scaling_s(const scaling_system *y, int v, int workers, int rows, int columns)
{
    const double bytes = v == SERVET_AUTOMATON_DOUBLE ? 8 : 4, cells = (double)rows * columns;
    const double flops = v == SERVET_AUTOMATON_FOUR ? 0.5 : v == SERVET_AUTOMATON_DOUBLE ? y->doubles : 1;
    const double crowd = 1 + y->share * (workers - 1);
    const double row = v == SERVET_AUTOMATON_LONG ? 2.0 * columns : columns;
    double ns = servet__max(cells * flops * y->flop_ns, v == SERVET_AUTOMATON_NEAR ? 0
                            : cells * bytes * y->byte_ns * crowd);
    if (workers > 1) ns += 2 * row * bytes * y->edge_ns * (v == SERVET_AUTOMATON_ORDER ? y->order : 1)
                         + y->message_ns * (v == SERVET_AUTOMATON_CELLS ? 2 * row : 2);
    return ns * 1e-9;
}

/* A system whose parts are up to a fifth slower or faster. */
static scaling_system scaling_like(const scaling_system *y, uint64_t *seed)
{
    scaling_system x = *y;
    double *const part[] = { &x.flop_ns, &x.byte_ns, &x.edge_ns, &x.message_ns };
    int k;
    for (k = 0; k < 4; k++) *part[k] *= pow(1.2, 2 * servet_stats_random_unit(seed) - 1);
    return x;
}

/* Which of 100 systems, drawn about one, are named as they should be. */
static SERVET__UNUSED int scaling_named(const scaling_system *y, int bound, int limit, double noise)
{
    uint64_t seed = 5;
    int run, v, k, i, good = 0;
    servet_automaton *a = (servet_automaton *)malloc(sizeof *a);
    for (run = 0; a && run < 100; run++) {
        const scaling_system x = scaling_like(y, &seed);
        memset(a, 0, sizeof *a);
        for (v = 0; v < SERVET_AUTOMATON_VARIATIONS; v++)
            for (k = 1; k <= 16; k *= 2) {
                servet_automaton_point *p = &a->point[a->points++];
                p->best.variation = v;
                p->best.workers = k;
                p->best.rows = v == SERVET_AUTOMATON_LONG ? 256
                             : v == SERVET_AUTOMATON_STRONG ? 512 / k : 512;
                p->best.columns = v == SERVET_AUTOMATON_LONG ? 2048 : 1024;
                p->best.iterations = 10;
                for (i = 0; i < 5; i++)     /* disturbance only adds */
                    p->trial_s[p->trials++] = 10 * scaling_s(&x, v, k, p->best.rows, p->best.columns)
                                            * (1 + noise * -log(1 - servet_stats_random_unit(&seed)));
            }
        servet__automaton_infer(a);
        good += a->bound == bound && a->limit == limit;
    }
    free(a);
    return good;
}

static const struct scaling_case { const char *what; scaling_system y; int bound, limit; } scaling_cases[] = {
    { "nothing, arithmetic", { 1, 0.05, 0, 0.1, 100, 1, 1.1 }, SERVET_LIMIT_COMPUTE, SERVET_LIMIT_NOTHING },
    { "nothing, memory", { 0.2, 0.25, 0, 0.1, 100, 1, 1.1 }, SERVET_LIMIT_MEMORY, SERVET_LIMIT_NOTHING },
    { "memory", { 0.2, 0.25, 0.1, 0.1, 100, 1, 1.1 }, SERVET_LIMIT_MEMORY, SERVET_LIMIT_MEMORY },
    { "network", { 1, 0.05, 0, 40, 1000, 1, 1.1 }, SERVET_LIMIT_COMPUTE, SERVET_LIMIT_NETWORK },
    { "messages", { 1, 0.05, 0, 0.1, 1e5, 1, 1.1 }, SERVET_LIMIT_COMPUTE, SERVET_LIMIT_MESSAGES },
    { "nothing, precision", { 1, 0.05, 0, 0.1, 100, 1, 8 }, SERVET_LIMIT_PRECISION, SERVET_LIMIT_NOTHING },
    { "layout", { 1, 0.05, 0, 4, 1000, 8, 1.1 }, SERVET_LIMIT_COMPUTE, SERVET_LIMIT_LAYOUT } };
enum { SCALING_CASES = (int)(sizeof scaling_cases / sizeof scaling_cases[0]) };
static const double scaling_noise[] = { 0.002, 0.01, 0.03 };

#endif

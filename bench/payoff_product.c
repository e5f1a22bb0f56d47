/* payoff_product.c - a matrix product in blocks, by a plain loop that a compiler vectorises
 *
 * C += A B of 768 x 768 doubles in blocks of t x t, of which the three of a step stay in the second level, and their
 * rows are translated by the last TLB, of which the system says nothing. */
#include "payoff.h"

enum { N = 768 };
typedef struct work { double *a, *b, *c; } work;

/* As a numeric library is compiled: in vectors, which gcc makes of such loops from -O3 on, of the CPU at hand. */
#if defined(__GNUC__) && !defined(__clang__)
#  define PRODUCT_VECTORS __attribute__((optimize("O3")))
#else
#  define PRODUCT_VECTORS
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && (!defined(__clang__) || __clang_major__ >= 14)
#  define PRODUCT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#  define PRODUCT_CLONES
#endif

PRODUCT_CLONES PRODUCT_VECTORS
static void block(const work *w, int i0, int k0, int j0, int t)
{
    const int end = j0 + t < N ? j0 + t : N;
    int i, j, k;
    for (i = i0; i < i0 + t && i < N; i++) for (k = k0; k < k0 + t && k < N; k++) {
        const double x = w->a[i * N + k], *const b = w->b + (size_t)k * N;
        double *const c = w->c + (size_t)i * N;
        for (j = j0; j < end; j++) c[j] += x * b[j];
    }
}

static double run(void *ctx, double tile)
{
    const work *w = (const work *)ctx;
    const double begun = payoff_now();
    const int t = (int)tile;
    int i0, j0, k0;
    for (i0 = 0; i0 < N; i0 += t) for (k0 = 0; k0 < N; k0 += t) for (j0 = 0; j0 < N; j0 += t)
        block(w, i0, k0, j0, t);
    return payoff_now() - begun;
}

int main(int argc, char **argv)
{
    static const double tile[] = { 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 768 };
    static work w;
    static payoff p;
    servet_profile profile;
    size_t i;
    payoff_arguments(argc, argv, "payoff_product");
    payoff_open(&profile, SERVET_PART_TLB, 2);
    servet__machine_pin(servet_cpus_next(&payoff_run.cpus, -1), NULL);
    w.a = (double *)payoff_memory(N * N * sizeof(double));
    w.b = (double *)payoff_memory(N * N * sizeof(double));
    w.c = (double *)payoff_memory(N * N * sizeof(double));
    for (i = 0; i < N * N; i++) w.a[i] = w.b[i] = 1 / (1 + (double)i);
    p.name = "matrix product, 768 x 768";
    p.run = run;
    p.ctx = &w;
    p.word = payoff_word_tile;
    for (i = 0; i < sizeof tile / sizeof *tile; i++) payoff_try(&p, tile[i]);
    p.system = payoff_tile_of(payoff_or(payoff_system_bytes(2), PAYOFF_MIB), 3, sizeof(double), N);
    p.servet = payoff_tile(&profile, 2, 3, sizeof(double), N * sizeof(double), N);
    servet_profile_free(&profile);
    return payoff_line(&p);
}

/* automaton.c - does the kernel of the cellular automaton reach the best that intrinsics do?
 *
 * Build:   cc -O2 -I. bench/automaton.c -o automaton -pthread -lm      (or: make bench)
 * Run:     automaton
 *          PAIRS=n            pairs of a row; default 15
 *          STENCIL=path       the peer: a serial Stencil of the Parallel Research Kernels
 * Prints CSV; asserts nothing.  x86-64 with AVX-512 alone.  How to get the peer: bench/README.md.
 *
 * Each row is one interleaved run on one thread: ours, and two by hand: `rows` sums columns once and shifts them in
 * registers, `stream` does the same and stores past the caches.  Ours is as the benchmark runs it: past the caches
 * where that is faster.  ratio is ours over the better hand, median over the pairs, lo and hi order statistics that
 * bound it.
 * cells/s are of the best pass; GB/s count a state read and one written; copy is servet's own copy of as many bytes,
 * past the caches as ours.  The peer has a star of radius 1 over doubles (11 flops a cell).
 */
#define SERVET_IMPLEMENTATION
#include "servet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS_MAX = 99, WAYS = 4 };      /* ours regular, ours past, hand rows, hand stream */

#if defined(__x86_64__) && defined(__GNUC__)
#  include <immintrin.h>
#  define HANDS 1
#  define AVX_512 __attribute__((target("avx512f")))
#  define HAND(name, T, V, N, LOAD, STORE, ADD, ALIGN, MEAN)                                          \
AVX_512 static void name(void *to, const void *up, const void *row, const void *down, int n)          \
{                                                                                                     \
    const T *u = (const T *)up, *m = (const T *)row, *d = (const T *)down;                            \
    T *o = (T *)to, edge[N] = { 0 };                                                                  \
    V outer, sum, before, after, more;                                                                \
    int j;                                                                                            \
    edge[N - 1] = (T)(u[-1] + d[-1] + m[-1]);                                                         \
    before = LOAD(edge);                                                                              \
    outer = ADD(LOAD(u), LOAD(d));                                                                    \
    sum = ADD(outer, LOAD(m));                                                                        \
    for (j = 0; j + 2 * N <= n; j += N) {                                                             \
        more = ADD(LOAD(u + j + N), LOAD(d + j + N));                                                 \
        after = ADD(more, LOAD(m + j + N));                                                           \
        STORE(o + j, MEAN(ADD(ADD(ALIGN(sum, before, N - 1), outer), ALIGN(after, sum, 1))));         \
        before = sum;                                                                                 \
        sum = after;                                                                                  \
        outer = more;                                                                                 \
    }                                                                                                 \
    edge[0] = (T)(u[j + N] + d[j + N] + m[j + N]);                                                    \
    after = LOAD(edge);                                                                               \
    STORE(o + j, MEAN(ADD(ADD(ALIGN(sum, before, N - 1), outer), ALIGN(after, sum, 1))));             \
}
#  define MEAN_F(x) _mm512_mul_ps(x, _mm512_set1_ps(0.125f))
#  define MEAN_D(x) _mm512_mul_pd(x, _mm512_set1_pd(0.125))
#  define MEAN_I(x) _mm512_srai_epi32(x, 3)
#  define ALIGN_F(a, b, k) _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b), k))
#  define ALIGN_D(a, b, k) _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(b), k))
#  define STREAM_I(p, x) _mm512_stream_si512((__m512i *)(void *)(p), x)
HAND(rows_f, float, __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, ALIGN_F, MEAN_F)
HAND(rows_i, int32_t, __m512i, 16, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi32, _mm512_alignr_epi32,
     MEAN_I)
HAND(rows_d, double, __m512d, 8, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, ALIGN_D, MEAN_D)
HAND(stream_f, float, __m512, 16, _mm512_loadu_ps, _mm512_stream_ps, _mm512_add_ps, ALIGN_F, MEAN_F)
HAND(stream_i, int32_t, __m512i, 16, _mm512_loadu_si512, STREAM_I, _mm512_add_epi32, _mm512_alignr_epi32, MEAN_I)
HAND(stream_d, double, __m512d, 8, _mm512_loadu_pd, _mm512_stream_pd, _mm512_add_pd, ALIGN_D, MEAN_D)
#else
#  define HANDS 0
#endif
#if HANDS
typedef void hand(void *to, const void *up, const void *row, const void *down, int n);

/* ns a cell of one pass over all rows, as often as it takes to be long enough for the clock. */
static double pass(servet__torus *b, int way, int repeats)
{
    static hand *const by_hand[][2] = { { rows_f, stream_f }, { rows_i, stream_i }, { rows_d, stream_d } };
    servet__row_kernel *own = servet__row_of(b);
    const double begin = servet__clock_ns();
    int i, r;
    for (i = 0; i < repeats; i++) {
        for (r = 0; r < b->rows; r++) {
            unsigned char *to = servet__torus_row(b, 1, r), *up = servet__torus_row(b, 0, r - 1);
            unsigned char *row = servet__torus_row(b, 0, r), *down = servet__torus_row(b, 0, r + 1);
            if (way < 2) own(to, up, row, down, b->columns, way);
            else by_hand[b->kind][way - 2](to, up, row, down, b->columns);
        }
        if (way % 2) _mm_sfence();
    }
    return (servet__clock_ns() - begin) / ((double)b->rows * b->columns * repeats);
}

/* Bytes a second of servet's copy over as much memory, best of three; 0 = not known. */
static double copy_rate(double bytes, int past)
{
    servet_stream_sample s[3];
    servet_stream stream;
    servet_streams what;
    servet_rig rig;
    servet_machine m;
    double best = 0;
    int cpu = servet__cpu_now(), k;
    if (servet_rig_open(&rig, NULL) < 0) return 0;
    m = servet_rig_machine(&rig);
    memset(&stream, 0, sizeof stream);
    memset(&what, 0, sizeof what);
    stream.kernel = SERVET_STREAM_COPY;
    stream.streaming = past;
    what.stream = &stream;
    what.streams = 1;
    what.cpu = &cpu;
    what.cpus = 1;
    what.bytes = bytes;
    what.rounds = 3;
    if (m.bandwidth(m.ctx, &what, s) >= 0)
        for (k = 0; k < 3; k++) best = servet__max(best, s[k].bytes_per_s);
    servet_rig_close(&rig);
    return best;
}

/* How many of n sorted values may be left out at each end, so that the rest holds the median in 95 of 100. */
static int outside(int n)
{
    double tail = 0, one = pow(0.5, n);
    int k;
    for (k = 0; 2 * (tail + one) <= 0.05; k++) {
        tail += one;
        one *= (n - k) / (k + 1.0);
    }
    return k > 0 ? k - 1 : 0;
}

static void row(int variation, int rows, int columns, int pairs)
{
    static const char *const type[] = { "float", "int", "double" };
    double ratio[PAIRS_MAX], best[WAYS] = { 0 }, one[WAYS], rate;
    const int repeats = (int)(2e7 / ((double)rows * columns)) + 1;
    const uint64_t seed = 1;
    uint64_t checksum = 0;
    servet_region region;
    servet_automaton_run shape;
    servet_automaton_opts o;
    servet__torus b;
    int past, cut, i, w;
    memset(&shape, 0, sizeof shape);
    memset(&o, 0, sizeof o);
    shape.variation = variation;
    shape.rows = rows;
    shape.columns = columns;
    b = servet__torus_shape(&shape, &o);
    if (servet_machine_map(&region, 2 * b.bytes, SERVET_PAGES_HUGE) < 0) return;
    b.grid[0] = region.base;
    b.grid[1] = region.base + b.bytes;
    servet__torus_sum(&b, 0, 0, &seed, &checksum);
    for (i = 0; i < 6; i++) {
        one[i % 2] = pass(&b, i % 2, repeats);
        if (i < 2 || one[i % 2] < best[i % 2]) best[i % 2] = one[i % 2];
    }
    past = best[1] < 0.9 * best[0];
    for (i = 0; i < pairs; i++) {
        for (w = 0; w < WAYS; w++) {    /* who is first changes */
            const int way = (w + i) % WAYS;
            one[way] = pass(&b, way, repeats);
            if (i == 0 || one[way] < best[way]) best[way] = one[way];
        }
        ratio[i] = servet__min(one[2], one[3]) / one[past];
    }
    servet_stats_sort(ratio, (size_t)pairs);
    cut = outside(pairs);
    rate = copy_rate(2.0 * (double)b.bytes, past);
    printf("%s,%d,%d,%s,%.2f,%.2f,%.2f,%.3f,%.3f,%.3f,%.1f,%.1f\n", type[b.kind], rows, columns,
           past ? "past" : "through", 1 / best[past], 1 / best[2], 1 / best[3],
           servet_stats_quantile(ratio, (size_t)pairs, 0.5), ratio[cut], ratio[pairs - 1 - cut],
           2.0 * (double)b.cell / best[past], rate * 1e-9);
    servet_machine_unmap(&region);
}

int main(void)
{
    static const int size[][2] = { { 4, 768 }, { 16, 2048 }, { 128, 2048 }, { 4096, 2048 } };
    const char *text = getenv("PAIRS"), *peer = getenv("STENCIL");
    const int pairs = text ? atoi(text) : 15;
    char command[4096];
    int v, k;
    if (pairs < 6 || pairs > PAIRS_MAX) {
        fprintf(stderr, "automaton: PAIRS=%s: not within 6 to %d\n", text, PAIRS_MAX);
        return 2;
    }
    if (servet__vector_widest() != SERVET_VECTOR_512) {
        printf("# skipped: no AVX-512, for which the hands are written\n");
        return 0;
    }
    printf("type,rows,columns,stores,ours_cells_per_ns,rows_cells_per_ns,stream_cells_per_ns,ratio,lo,hi,gb_per_s,"
           "copy_gb_per_s\n");
    for (k = 0; k < 4; k++) for (v = 0; v < 3; v++) row(v, size[k][0], size[k][1], pairs);
    if (!peer) {
        printf("# STENCIL not set: no peer beside\n");
        return 0;
    }
    snprintf(command, sizeof command, "%s 20 4096", peer);      /* iterations, rows and columns */
    fflush(stdout);
    return system(command) != 0;
}
#else
int main(void)
{
    printf("# skipped: the hands are written for x86-64\n");
    return 0;
}
#endif

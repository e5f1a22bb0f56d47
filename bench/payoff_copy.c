/* payoff_copy.c - copies by regular and by streaming (non-temporal) stores
 *
 * A copy of so many bytes from one array to another, by the one sort of stores or by the other.  The system's numbers
 * lead to streaming stores from three quarters of the last level on, as far as it is this CPU's: shared by all
 * that share it (glibc's x86_shared_non_temporal_threshold up to 2.36).  servet answers where it saw them win. */
#include "payoff.h"
#if defined(__x86_64__)
#  include <immintrin.h>
#endif

enum { SIZES = 5 };
typedef struct work { char *from, *to; size_t bytes, times; } work;

#if defined(__x86_64__)
/* Copies four vectors at a time, as often as said, by the one sort of stores or the other. */
#define COPY(name, features, vector, load, store, stream)                                                   \
    __attribute__((target(features))) static void name(const work *w, int streaming)                        \
    {                                                                                                       \
        const vector *from = (const vector *)(const void *)w->from;                                         \
        vector *to = (vector *)(void *)w->to;                                                               \
        const size_t n = w->bytes / sizeof *to;                                                             \
        size_t time, i;                                                                                     \
        for (time = 0; time < w->times; time++)                                                             \
            if (streaming)                                                                                  \
                for (i = 0; i < n; i += 4) {                                                                \
                    stream(to + i, load(from + i));                                                         \
                    stream(to + i + 1, load(from + i + 1));                                                 \
                    stream(to + i + 2, load(from + i + 2));                                                 \
                    stream(to + i + 3, load(from + i + 3));                                                 \
                }                                                                                           \
            else                                                                                            \
                for (i = 0; i < n; i += 4) {                                                                \
                    store(to + i, load(from + i));                                                          \
                    store(to + i + 1, load(from + i + 1));                                                  \
                    store(to + i + 2, load(from + i + 2));                                                  \
                    store(to + i + 3, load(from + i + 3));                                                  \
                }                                                                                           \
        _mm_sfence();                                                                                       \
    }
#define STREAM_512(to, x) _mm512_stream_si512((void *)(to), x)
COPY(copy_512, "avx512f", __m512i, _mm512_load_si512, _mm512_store_si512, STREAM_512)
COPY(copy_256, "avx", __m256i, _mm256_load_si256, _mm256_store_si256, _mm256_stream_si256)
COPY(copy_128, "sse2", __m128i, _mm_load_si128, _mm_store_si128, _mm_stream_si128)

/* By the widest vectors that this CPU has, as answers are of those. */
static double run(void *ctx, double streaming)
{
    const double begun = payoff_now();
    if (__builtin_cpu_supports("avx512f")) copy_512((const work *)ctx, streaming > 0);
    else if (__builtin_cpu_supports("avx")) copy_256((const work *)ctx, streaming > 0);
    else copy_128((const work *)ctx, streaming > 0);
    return payoff_now() - begun;
}
#else
static double run(void *ctx, double streaming)
{
    (void)ctx;
    return streaming < 0 ? 0 : -1;      /* no streaming stores in the language */
}
#endif

static void word(char *buf, size_t cap, double streaming)
{
    snprintf(buf, cap, "%s", streaming > 0 ? "streaming" : "regular");
}

/* Copies by one CPU over more than twice the last level, which may not be surely memory; 0 = not known. */
static double copy_rate(const servet_profile *p, int streaming)
{
    int i;
    for (i = 0; i < p->bandwidth.count && p->cache_count > 0; i++) {
        const servet_rate *r = &p->bandwidth.rate[i];
        if (r->bytes > 2 * p->cache[p->cache_count - 1].bytes && r->kernel == SERVET_STREAM_COPY && r->cpus == 1
            && r->streaming == streaming)
            return r->bytes_per_s;
    }
    return 0;
}

/* Bytes of a copy from which on servet saw streaming stores win.  Where the time was too short for sizes, but they win
 * in memory: what surely leaves the last level, both arrays together. */
static double threshold(const servet_profile *p)
{
    int i;
    for (i = 0; i < p->streaming_count; i++)
        if (p->streaming[i].cpus == 1)
            return p->streaming[i].always ? 0 : p->streaming[i].bytes > 0 ? p->streaming[i].bytes : HUGE_VAL;
    if (copy_rate(p, 0) > 0 && copy_rate(p, 1) > copy_rate(p, 0) && p->cache_count > 0)
        return p->cache[p->cache_count - 1].bytes / 2;
    return HUGE_VAL;
}

int main(int argc, char **argv)
{
    static const double mib[SIZES] = { 0.5, 4, 16, 64, 256 };
    static payoff line[SIZES];
    static char name[SIZES][40];
    static work w;
    servet_profile profile;
    double system, servet;
    uint64_t *content;
    size_t k;
    int i, status = 0;
    payoff_arguments(argc, argv, "payoff_copy");
    payoff_open(&profile, SERVET_PART_BANDWIDTH, 6);
    system = 0.75 * payoff_system_last() / payoff_system_sharers();
    servet = threshold(&profile);
    if (payoff_run.verbose) fprintf(stderr, "# streaming from %.2f MiB on by the system, from %.2f by servet\n",
                                    system / PAYOFF_MIB, servet / PAYOFF_MIB);
    servet_profile_free(&profile);
    servet__machine_pin(servet_cpus_next(&payoff_run.cpus, -1), NULL);
    w.from = (char *)payoff_memory((size_t)(mib[SIZES - 1] * PAYOFF_MIB));
    w.to = (char *)payoff_memory((size_t)(mib[SIZES - 1] * PAYOFF_MIB));
    content = (uint64_t *)(void *)w.from;    /* stores of zeros were up to 1.7 times as quick past the caches (Zen 5) */
    for (k = 0; k < (size_t)(mib[SIZES - 1] * PAYOFF_MIB) / sizeof *content; k++)
        content[k] = k * UINT64_C(0x9e3779b97f4a7c15);
    for (i = 0; i < SIZES; i++) {
        payoff *p = &line[i];
        w.bytes = (size_t)(mib[i] * PAYOFF_MIB);
        w.times = (size_t)(mib[i] < 64 ? 64 / mib[i] : 1);      /* 10 ms and more */
        snprintf(name[i], sizeof name[i], "copy of %g MiB", mib[i]);
        p->name = name[i];
        p->run = run;
        p->ctx = &w;
        p->word = word;
        payoff_try(p, 0);
        payoff_try(p, 1);
        p->system = mib[i] * PAYOFF_MIB >= system;
        p->servet = mib[i] * PAYOFF_MIB >= servet;
        if (payoff_line(p)) status = 1;
    }
    return status;
}

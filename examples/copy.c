/* copy.c - copies that pass the caches by from the size on where that pays
 *
 *     cc -O2 examples/copy.c -I. -lm -pthread -o copy && ./copy
 *
 * Streaming (non-temporal) stores do not read a line before they fill it, but leave nothing in the caches.  From which
 * size on they win is measured: some 5 s the first time.  bench/payoff_copy.c tells what it gains. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

/* Both at a multiple of 16, bytes as well. */
static void copy(char *to, const char *from, size_t bytes, double streaming_bytes)
{
#if defined(__SSE2__)
    size_t i;
    if ((double)bytes >= streaming_bytes) {
        for (i = 0; i < bytes; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
        _mm_sfence();
        return;
    }
#endif
    (void)streaming_bytes;
    memcpy(to, from, bytes);
}

int main(void)
{
    const size_t bytes = 1 << 20;
    double from_bytes = HUGE_VAL;        /* never, where it is not known */
    servet_profile_opts o;
    servet_profile p;
    servet_question q;
    servet_answer from = { 0, 0, 0, 0, 0 };
    void *place;
    char *memory;
    int status;
    memset(&o, 0, sizeof o);
    o.parts = SERVET_PART_CACHES | SERVET_PART_BANDWIDTH;
    o.run.budget_s = 5;
    status = servet_profile_open(&p, NULL, &o);
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_STREAMING;
    if (status >= 0 && servet_ask(&from, &p, &q) >= 0) from_bytes = from.value;
    if (status >= 0) servet_profile_free(&p);    /* bench/payoff_copy.c: what else to go by */
    if (from_bytes < HUGE_VAL) printf("streaming stores from %.0f KiB on\n", from_bytes / 1024);
    else printf("regular stores only: that others win was %s\n", from.value > 0 ? "not seen" : "not measured");
    if (posix_memalign(&place, 64, 2 * bytes)) return 1;
    memory = (char *)place;
    memset(memory, 1, 2 * bytes);
    copy(memory + bytes, memory, bytes, from_bytes);
    free(memory);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("copy: standard output"), 2;
    return 0;
}

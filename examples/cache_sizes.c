/* cache_sizes.c - the smallest useful program: the caches of this machine, measured
 *
 *     cc -O2 examples/cache_sizes.c -I. -lm -pthread -o cache_sizes && ./cache_sizes
 *
 * The first run measures for a quarter of a second and saves; later runs read the file. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>

int main(void)
{
    servet_profile p;
    int i, levels = servet_profile_open(&p, NULL, NULL);
    for (i = 0; i < levels; i++)
        printf("L%d  %8.0f KiB  [%.0f, %.0f]  %6.2f ns%s\n", i + 1, p.cache[i].bytes / 1024, p.cache[i].lo_bytes / 1024,
               p.cache[i].hi_bytes / 1024, p.cache[i].latency_ns, p.cache[i].effective ? "  what could be had" : "");
    if (levels <= 0) printf("no answer: %s\n", servet_status_text(levels < 0 ? levels : SERVET_EUNRESOLVED));
    if (levels >= 0) servet_profile_free(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("cache_sizes: standard output"), 2;
    return levels > 0 ? 0 : 1;
}

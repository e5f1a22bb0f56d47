/* export.c - what glibc's thresholds change: memcpy with the GLIBC_TUNABLES of servet export --glibc, and without
 *
 *     build/bench/export [PROFILE] [PAIRS]        by build/servet; default: the saved profile of this machine, 24 pairs
 *
 * Quantity    seconds of a memcpy of so many bytes, alone and with its destination read afterwards
 * Estimator   a process each, as tunables are read when one starts: pairs in random order, the ratio without / with of
 *             each pair, its median, and order statistics that bound the median in 95 cases of 100
 * Fooled by   pages that differ from process to process: several copies in each, and several pairs */
#define SERVET_IMPLEMENTATION
#include "servet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS_MAX = 400, SIZES = 5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a process of its own: seconds of one copy, the lower quartile of some. */
static double copies(size_t bytes, int reads)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    char *from = (char *)malloc(bytes), *to = (char *)malloc(bytes);
    double taken[64], begun = now();
    volatile char sum = 0;
    size_t i;
    int n;
    if (!from || !to) exit(2);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (n = 0; n < 64 && (n < 8 || now() - begun < 0.15); n++) {
        const double then = now();
        copy(to, from, bytes);
        for (i = 0; i < bytes && reads; i += 64) sum = (char)(sum + to[i]);
        taken[n] = now() - then;
    }
    servet_stats_sort(taken, (size_t)n);
    free(from);
    free(to);
    return servet_stats_quantile(taken, (size_t)n, 0.25);
}

/* The same in a child, with tunables or without (NULL); negative where it cannot. */
static double child(const char *self, const char *tunables, size_t bytes, int reads)
{
    char size[32], how[8];
    double seconds = -1;
    int ends[2];
    pid_t pid;
    FILE *f;
    snprintf(size, sizeof size, "%lu", (unsigned long)bytes);
    snprintf(how, sizeof how, "%d", reads);
    if (pipe(ends) != 0 || (pid = fork()) < 0) return -1;
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        if (tunables) setenv("GLIBC_TUNABLES", tunables, 1);
        else unsetenv("GLIBC_TUNABLES");
        execl(self, self, "--copy", size, how, (char *)NULL);
        _exit(2);
    }
    close(ends[1]);
    f = fdopen(ends[0], "r");
    if (!f || fscanf(f, "%lf", &seconds) != 1) seconds = -1;
    if (f) fclose(f);
    waitpid(pid, NULL, 0);
    return seconds;
}

static int line(const char *self, const char *tunables, size_t bytes, int reads, int pairs)
{
    static double ratio[PAIRS_MAX], with[PAIRS_MAX];
    const int half = (int)(0.98 * sqrt(pairs)) + 1;    /* of the interval, in ranks: normal, of a binomial */
    uint64_t seed = bytes + (uint64_t)reads;
    int i;
    for (i = 0; i < pairs; i++) {
        const int first = servet_stats_random_below(&seed, 2) > 0;
        const double a = child(self, first ? tunables : NULL, bytes, reads);
        const double b = child(self, first ? NULL : tunables, bytes, reads);
        if (!(a > 0 && b > 0)) return 1;
        with[i] = first ? a : b;
        ratio[i] = first ? b / a : a / b;
    }
    servet_stats_sort(ratio, (size_t)pairs);
    servet_stats_sort(with, (size_t)pairs);
    printf("%8.2f  %-18s %8.2f  %6.3f [%.3f, %.3f]\n", (double)bytes / 1048576, reads ? "copied, then read" : "copied",
           1e-9 * (double)bytes / with[pairs / 2], ratio[pairs / 2], ratio[pairs / 2 > half ? pairs / 2 - half : 0],
           ratio[pairs / 2 + half < pairs ? pairs / 2 + half : pairs - 1]);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static const double mib[SIZES] = { 0.5, 2, 8, 16, 64 };
    static char self[4096];
    char tunables[1024] = "", ask[4096 + 64];
    const int pairs = argc > 2 ? atoi(argv[2]) : 24;
    ssize_t length;
    int i, reads;
    FILE *f;
    if (argc == 4 && !strcmp(argv[1], "--copy"))
        return printf("%.9f\n", copies(strtoul(argv[2], NULL, 10), atoi(argv[3]))) < 0;
    if (pairs < 6 || pairs > PAIRS_MAX) return fprintf(stderr, "export: 6 to %d pairs\n", PAIRS_MAX), 2;
    if (snprintf(ask, sizeof ask, "build/servet export --glibc%s%s | sed -n s/^GLIBC_TUNABLES=//p", argc > 1 ? " " : "",
                 argc > 1 ? argv[1] : "") >= (int)sizeof ask) return fprintf(stderr, "export: a long name\n"), 2;
    f = popen(ask, "r");
    if (f && !fgets(tunables, sizeof tunables, f)) tunables[0] = 0;
    if (f) pclose(f);
    length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!tunables[0] || length < 1) return printf("skipped: no tunables from build/servet\n"), 0;
    tunables[strcspn(tunables, "\n")] = 0;
    printf("%s\n\n     MiB  %-18s %8s  without / with [95 %%], %d pairs\n", tunables, "", "GB/s", pairs);
    for (reads = 0; reads < 2; reads++)
        for (i = 0; i < SIZES; i++)
            if (line(self, tunables, (size_t)(mib[i] * 1048576), reads, pairs))
                return fprintf(stderr, "export: no child\n"), 1;
    return 0;
}

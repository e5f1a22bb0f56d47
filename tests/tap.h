/* tap.h - results of a test program in the Test Anything Protocol, as prove reads it; C99 or C++11
 *
 *   int main(void) {
 *       TAP_OK(n == 3, "three levels on %s", name);         condition, then a name as for printf
 *       TAP_NEAR(ns, 4.1, 1e-6, "latency");                 value, expected, relative tolerance, name
 *       TAP_SKIP(2, "no huge pages here");                  instead of two tests that cannot run
 *       TAP_DIAG("right in %d of 100", right);              a remark, seen with prove -v
 *       tap_then();                                         before what others can spoil who want the CPUs as well
 *       for (seed = 0; seed < tap_runs(20, 5); seed++)      20 where AT_LENGTH is set (make test-all), else 5
 *       if (unknown && TAP_CROWDED(3)) return;              three skipped where they took so much that they may have
 *       return tap_done();
 *   }
 *
 * TAP_OK and TAP_NEAR give 1 where the test passed.  One file a program, one thread.  Failures and skips are
 * told on standard error as well: prove swallows what it understands.
 */
#ifndef SERVET_TESTS_TAP_H
#define SERVET_TESTS_TAP_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#  include <sys/resource.h>
#  include <unistd.h>
#endif

#define TAP_OK(cond, ...) tap_ok((cond) ? 1 : 0, #cond, __FILE__, __LINE__, __VA_ARGS__)
#define TAP_NEAR(a, b, rel_tol, ...) \
    tap_near((double)(a), (double)(b), (double)(rel_tol), #a, __FILE__, __LINE__, __VA_ARGS__)
#define TAP_SKIP(count, ...) tap_skip((int)(count), __VA_ARGS__)
#define TAP_DIAG(...) tap_diag(__VA_ARGS__)
#define TAP_CROWDED(count) tap_crowded((int)(count))
#define TAP_MUCH 0.1     /* of all CPUs */

#if defined(__GNUC__)
#  define TAP_PRINTF(fmt, first) __attribute__((format(printf, fmt, first), unused))
#  define TAP_UNUSED __attribute__((unused))
#else
#  define TAP_PRINTF(fmt, first)
#  define TAP_UNUSED
#endif

static int tap_count, tap_failures;

/* A number of runs, or a step through a table of machines: where AT_LENGTH=1 is in the environment, and else. */
TAP_UNUSED
static int tap_runs(int at_length, int usual)
{
    return getenv("AT_LENGTH") ? at_length : usual;
}

/* A line is flushed at once: what was known before a crash is in the log. */
TAP_PRINTF(2, 0)
static int tap_line(int ok, const char *fmt, va_list args)
{
    printf("%s %d - ", ok ? "ok" : "not ok", ++tap_count);
    vprintf(fmt, args);
    printf("\n");
    fflush(stdout);
    tap_failures += !ok;
    return ok;
}

TAP_PRINTF(5, 6)
static int tap_ok(int ok, const char *cond, const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (!tap_line(ok, fmt, args)) fprintf(stderr, "#   %s:%d: not ok %d: %s\n", file, line, tap_count, cond);
    va_end(args);
    return ok;
}

/* Relative to what is expected; where that is 0, absolute.  Not-a-number fails; infinity equals only itself. */
TAP_PRINTF(7, 8)
static int tap_near(double got, double want, double tol, const char *expr, const char *file, int line,
                    const char *fmt, ...)
{
    double scale = fabs(want) > 0 ? fabs(want) : 1;
    int ok = (got <= want && got >= want) || (scale <= DBL_MAX && fabs(got - want) <= tol * scale);
    va_list args;
    va_start(args, fmt);
    if (!tap_line(ok, fmt, args))
        fprintf(stderr, "#   %s:%d: not ok %d: %s = %.17g, not within %g of %.17g\n",
                file, line, tap_count, expr, got, tol, want);
    va_end(args);
    return ok;
}

TAP_PRINTF(2, 3)
static void tap_skip(int count, const char *why, ...)
{
    char text[256];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    fprintf(stderr, "# skipped %d: %s\n", count, text);
    while (count-- > 0) printf("ok %d # SKIP %s\n", ++tap_count, text);
    fflush(stdout);
}

TAP_PRINTF(1, 2)
static void tap_diag(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("# ");
    vprintf(fmt, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
}

/* What all CPUs had since the start of the machine and what of it was used, by other virtual machines as well, and
 * what this process took, in ticks; 0 where nothing is known. */
typedef struct tap_cpus { double all, used, own; } tap_cpus;
static tap_cpus tap_since;

static inline tap_cpus tap_cpus_now(void)
{
    tap_cpus c;
    memset(&c, 0, sizeof c);
#if defined(__linux__)
    {
        struct rusage own;
        double t[8];    /* user nice system idle iowait irq softirq steal */
        FILE *f = fopen("/proc/stat", "r");
        int i, n = f ? fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6,
                              t + 7) : 0;
        if (f) fclose(f);
        for (i = 0; i < n; i++) {
            c.all += t[i];
            if (i != 3 && i != 4) c.used += t[i];
        }
        if (getrusage(RUSAGE_SELF, &own) == 0)
            c.own = ((double)own.ru_utime.tv_sec + (double)own.ru_stime.tv_sec + 1e-6 * (double)own.ru_utime.tv_usec
                     + 1e-6 * (double)own.ru_stime.tv_usec) * (double)sysconf(_SC_CLK_TCK);
    }
#endif
    return c;
}

static inline void tap_then(void) { tap_since = tap_cpus_now(); }

/* The share of all CPUs that others took since then; -1 where nothing is known. */
static inline double tap_others(void)
{
    const tap_cpus now = tap_cpus_now();
    const double all = now.all - tap_since.all;
    return all > 0 ? (now.used - tap_since.used - (now.own - tap_since.own)) / all : -1;
}

/* Of the hundred ticks or so of a short question some may be counted wrongly; a tenth of them is not. */
static inline int tap_crowded(int count)
{
    const double others = tap_others();
    if (others < TAP_MUCH) return 0;
    tap_skip(count, "crowded: others took %.0f %% of the CPUs", 100 * others);
    return 1;
}

/* The plan comes last, so that a program that ends early fails; and so does one without a test. */
static inline int tap_done(void)
{
    if (tap_count > 0) printf("1..%d\n", tap_count);
    return tap_failures > 0 || tap_count == 0;
}

#endif

/* fit_curve.c - a curve of one's own and the cache levels in it
 *
 *     cc -O2 examples/fit_curve.c -I. -lm -pthread -o fit_curve && ./fit_curve
 *
 * Latencies of a few footprints, here by the sweep of this header; those of any other tool or machine will do as well
 * (servet_fit_curve), as ns by bytes.  What only a curve can tell is less sure than what is counted: see the
 * intervals.  A larger footprint is never faster, so where a curve falls is noise: the nearest one that never falls
 * shows how much of it there is. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static servet_rig rig;
static servet_curve swept, curve;

/* How far a curve is from one that never falls, as a share: root mean square, and the most. */
static void print_noise(const double *ns, int n)
{
    double rising[SERVET_POINTS_MAX], scratch[2 * SERVET_POINTS_MAX], squares = 0, most = 0;
    int i;
    for (i = 0; i < n; i++) rising[i] = ns[i];
    servet_stats_isotonic(rising, NULL, (size_t)n, scratch);
    for (i = 0; i < n; i++) {
        const double off = fabs(ns[i] / rising[i] - 1);
        squares += off * off;
        if (off > most) most = off;
    }
    printf("# %d points, off a curve that never falls by %.1f %%, at most %.1f %%\n", n, 100 * sqrt(squares / n),
           100 * most);
}

int main(void)
{
    double bytes[SERVET_POINTS_MAX], ns[SERVET_POINTS_MAX];
    servet_mcalibrator_opts o;
    servet_rig_opts memory;
    servet_levels levels;
    servet_machine m;
    int i, status;

    memset(&o, 0, sizeof o);
    memset(&memory, 0, sizeof memory);
    memory.hi_bytes = o.hi_bytes = 64 * 1048576.0;
    o.lo_bytes = 4096;
    o.run.budget_s = 1;
    status = servet_rig_open(&rig, &memory);
    if (status >= 0) {
        m = servet_rig_machine(&rig);
        status = servet_mcalibrator_sweep(&swept, &m, &o);
        servet_rig_close(&rig);
    }
    for (i = 0; status >= 0 && i < swept.count; i++) {
        bytes[i] = swept.point[i].bytes;
        ns[i] = swept.point[i].ns;
        printf("%.0f,%.3f\n", bytes[i], ns[i]);
    }
    if (status >= 0) status = servet_fit_curve(&curve, bytes, ns, (size_t)i);
    if (status >= 0) status = servet_fit_levels(&levels, &curve, NULL);
    if (status < 0) {
        fprintf(stderr, "fit_curve: %s\n", servet_status_text(status));
        return 1;
    }
    print_noise(ns, swept.count);
    for (i = 0; i < levels.count; i++)
        printf("# L%d %.0f KiB [%.0f, %.0f], %.2f ns, by %s\n", i + 1, levels.level[i].bytes / 1024,
               levels.level[i].lo_bytes / 1024, levels.level[i].hi_bytes / 1024, levels.level[i].latency_ns,
               servet_text(SERVET_TEXT_METHOD, levels.level[i].method));
    for (i = 0; i < levels.doubtful_count; i++)
        printf("# a step at %.0f KiB may be none: %s\n", levels.doubtful[i].bytes / 1024,
               servet_text(SERVET_TEXT_DOUBT, levels.doubtful[i].why));
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("fit_curve: standard output"), 2;
    return 0;
}

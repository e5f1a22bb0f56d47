/* automaton.c - does adding threads pay here, and what stops it?
 *
 *     cc -O2 examples/automaton.c -I. -lm -pthread -o automaton && ./automaton
 *         [--KEY VALUE ...] [--config FILE] [--csv | --xml | --kernel VARIATION]
 *
 * Weak scaling of a cellular automaton by 1, 2, 4 ... threads, in variations that each change one thing.  FILE has
 * lines of `key = value`, the keys as above without dashes; what is on the command line counts more. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#define AUTOMATON_NAME "automaton"
#include "automaton.h"

static servet_automaton result;     /* large */

/* The kernel alone, by the calling thread: its own neighbour. */
static int meet(void *ctx) { (void)ctx; return 0; }
static int edges(void *ctx, const void *first, const void *last, void *above, void *below, size_t bytes, size_t message)
{
    (void)ctx, (void)message;
    memcpy(above, last, bytes);
    memcpy(below, first, bytes);
    return 0;
}

static int kernel(int variation, servet_automaton_opts *o)
{
    const servet_automaton_peers peers = { 0, 1, NULL, meet, edges, NULL };
    servet_automaton_worker worker;
    servet_automaton_run r;
    int status;
    if (o->rows == 0) o->rows = 1024;
    if (o->columns == 0) o->columns = 1024;
    if (o->iterations == 0) o->iterations = 100;
    status = servet_automaton_band(&worker, variation, &peers, o);
    if (status >= 0) status = servet_automaton_join(&r, variation, &worker, 1, o);
    if (status < 0) return status;
    printf("variation,rows,columns,iterations,wall_s,user_s,system_s,faults,switches,mean_before,mean_after,checksum\n"
           "%s,%d,%d,%d,%.9g,%.9g,%.9g,%.0f,%.0f,%.9g,%.9g,%016llx\n", automaton_variation[variation], r.rows,
           r.columns, r.iterations, r.wall_s.max, r.user_s.max, r.system_s.max, r.faults.max, r.switches.max,
           r.mean_before, r.mean_after, (unsigned long long)r.checksum);
    return 0;
}

static void progress(void *ctx, double done_frac, double left_s)
{
    (void)ctx;
    fprintf(stderr, "\rautomaton: %3.0f %%, %.0f s left ", 100 * done_frac, left_s);
}

int main(int argc, char **argv)
{
    static int cpu[64 * SERVET_CPU_WORDS];
    servet_automaton_opts o;
    servet_cpus usable;
    int n = 0, k, form, status = automaton_arguments(&o, &form, argc, argv);

    if (status) return status;
    if (form >= AUTOMATON_KERNEL) {    /* which a signal ends at once, as it knows nothing before the end */
        status = kernel(form - AUTOMATON_KERNEL, &o);
        if (status < 0) fprintf(stderr, "automaton: %s\n", servet_status_text(status));
        return status == SERVET_EINVAL ? 2 : status < 0 ? 1 : automaton_written();
    }
    automaton_signals();
    automaton_caches(&o);
    servet_machine_cpus(&usable);
    for (k = servet_cpus_next(&usable, -1); k >= 0; k = servet_cpus_next(&usable, k)) cpu[n++] = k;
    o.run.stop = automaton_stop;
    if (isatty(2)) o.run.progress = progress;
    status = servet_automaton_measure(&result, n, servet_automaton_threads, cpu, &o);
    if (isatty(2)) fprintf(stderr, "\r                                   \r");
    if (status < 0) {
        fprintf(stderr, "automaton: %s\n", status == SERVET_EINVAL ? "a grid smaller than its workers, or too large"
                                       : servet_status_text(status));
        return status == SERVET_EINVAL ? 2 : 1;
    }
    return automaton_print(&result, form);
}

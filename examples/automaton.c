/* automaton.c - does adding threads pay here, and what stops it?
 *
 *     cc -O2 examples/automaton.c -I. -lm -pthread -o automaton && ./automaton
 *         [--KEY VALUE ...] [--config FILE] [--csv | --xml]
 *
 * Weak scaling of a cellular automaton by 1, 2, 4 ... threads, in variations that each change one thing.  FILE has
 * lines of `key = value`, the keys as above without dashes; what is on the command line counts more. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include "automaton.h"

static servet_automaton result;     /* large */

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

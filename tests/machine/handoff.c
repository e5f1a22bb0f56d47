/* handoff.c - loose checks of the ways between CPUs on the machine at hand: repeats and directions, no time
 *
 * A neighbour may disturb any take, so each is asked for up to five times. */
#include "servet.h"
#include "../tap.h"

enum { TRIES = 5 };

static servet_rig rig;
static servet_cores first, second;

int main(void)
{
    servet_cpus allowed;
    servet_machine m;
    double repeat = 0, flags = 0, cas = 0;
    int cpu[2], i, there = 0, back = 0;
    servet_machine_cpus(&allowed);
    cpu[0] = servet_cpus_next(&allowed, -1);
    cpu[1] = servet_cpus_next(&allowed, cpu[0]);
    if (cpu[1] < 0 || servet_rig_open(&rig, NULL) < 0 || !rig.pinned) {
        TAP_SKIP(1, "one CPU, no rig, or threads cannot be bound here");
        return tap_done();
    }
    m = servet_rig_machine(&rig);
    for (i = 0; i < TRIES && !(repeat > 0.7 && repeat < 1.4); i++) {
        int turned[2];
        turned[0] = cpu[1];
        turned[1] = cpu[0];
        there = servet_pairs_latency(&first, &m, cpu, 2, NULL);
        back = servet_pairs_latency(&second, &m, turned, 2, NULL);
        if (there < 1 || back < 1) continue;
        flags = (double)first.ns[SERVET_HANDOFF_FLAGS][0];
        cas = (double)first.ns[SERVET_HANDOFF_CAS][0];
        repeat = (double)second.ns[SERVET_HANDOFF_FLAGS][0] / flags;
    }
    TAP_OK(there >= 0 && back >= 0, "measured (%s)", there == 1 && back == 1 ? "sound" : "not to be believed");
    if (!(repeat > 0)) TAP_SKIP(2, "all disturbed");
    else {
        TAP_OK(repeat > 0.7 && repeat < 1.4, "from the other end %.2f of %.1f ns", repeat, flags);
        TAP_OK(cas > 0.1 * flags && cas < 10 * flags, "compare-and-swap %.1f ns", cas);
    }
    servet_rig_close(&rig);
    return tap_done();
}

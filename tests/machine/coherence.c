/* coherence.c - loose checks of blocks and of shared operations on the machine at hand: no time, only what is slower
 *
 * A neighbour on one of the CPUs makes an answer "unknown", so each is asked for up to five times, and is skipped if
 * others took the CPUs to the last; never one that is wrong. */
#include "servet.h"
#include "../private.h"
#include "../tap.h"

enum { TRIES = 5 };

static servet_rig rig;
static servet_machine machine;
static servet_coherence c;
static servet_host host;
static int cpu[2];

static int unknown(int status, int known) { return status == SERVET_ENOISE || (status >= 0 && !known); }

/* What is reported is looked at after the answer is there. */
static void test_block(void)
{
    const servet_block *b = &c.block[0];
    int i, line = 0, status = SERVET_OK;
    tap_then();
    for (i = 0; i < TRIES && unknown(status, b->bytes > 0); i++) {
        memset(&c, 0, sizeof c);
        status = servet_coherence_block(&c, &machine, cpu, 1, NULL);
    }
    if (status >= 0 && b->status == SERVET_EUNSUPPORTED) {
        TAP_SKIP(3, "the two CPUs share what they write to");
        return;
    }
    if (unknown(status, b->bytes > 0) && TAP_CROWDED(3)) return;
    TAP_OK(status == SERVET_OK && b->bytes > 0, "%.0f bytes [%.0f, %.0f], wrong with %.4f", b->bytes, b->lo_bytes,
           b->hi_bytes, 1 - b->confidence_frac);
    TAP_OK(b->lo_near_ns > b->hi_far_ns, "an addition takes %.1f ns in a shared block, %.1f ns in one that is not",
           b->near_ns, b->far_ns);
    servet__machine_host(&host);
    for (i = 0; i < host.report_count; i++) if (host.report[i].line_bytes > line) line = host.report[i].line_bytes;
    if (line) TAP_OK(b->bytes == line, "as large as the line that is reported");
    else TAP_SKIP(1, "no line size is reported");
}

static void test_destructive(void)
{
    const servet_destructive *d = &c.destructive;
    int i, status = SERVET_OK;
    tap_then();
    for (i = 0; i < TRIES && unknown(status, d->control.told == 1); i++)
        status = servet_coherence_destructive(&c, &machine, cpu, 2, c.block[0].bytes > 0 ? 0 : 64, NULL);
    if (status == SERVET_EUNSUPPORTED) TAP_SKIP(1, "no line can be fetched from memory again and again");
    else if (!unknown(status, d->control.told != 0) || !TAP_CROWDED(1))
         TAP_OK(status == SERVET_OK && d->control.told == 1,
                "who fetches a line that another writes slows that by %.2f; to be apart: %.0f bytes [%.0f, %.0f]",
                d->control.slowdown, d->bytes, d->lo_bytes, d->hi_bytes);
}

static void test_costs(void)
{
    const servet_costs *k = &c.costs;
    int i, op, less, status = SERVET_OK;
    tap_then();
    for (i = 0; i < TRIES && unknown(status, k->lo_growth[SERVET_OPERATE_ATOMIC] > 1); i++)
        status = servet_coherence_costs(&c, &machine, cpu, 2, NULL);
    if (unknown(status, 1) && TAP_CROWDED(3)) return;
    TAP_OK(status == SERVET_OK, "costs of %d samples", c.taken);
    for (op = 0; op < SERVET_COST_OPERATIONS; op++)
        TAP_DIAG("%-18s %7.2f [%.2f, %.2f] ns by one, %7.2f [%.2f, %.2f] ns by two: %.2f [%.2f, %.2f]",
                 servet_text(SERVET_TEXT_OPERATION, op), k->point[op][0].ns,
                 k->point[op][0].lo_ns, k->point[op][0].hi_ns,
                 k->point[op][1].ns, k->point[op][1].lo_ns, k->point[op][1].hi_ns, k->growth[op], k->lo_growth[op],
                 k->hi_growth[op]);
    if (!(c.block[0].bytes > 0)) TAP_SKIP(1, "no block, no wait for it");
    else if (k->lo_growth[SERVET_OPERATE_ATOMIC] > 1 || k->hi_growth[SERVET_OPERATE_ATOMIC] < 1 || !TAP_CROWDED(1))
        TAP_OK(k->lo_growth[SERVET_OPERATE_ATOMIC] > 1, "two that add in a place take %.1f times as long [%.1f, %.1f]",
               k->growth[SERVET_OPERATE_ATOMIC], k->lo_growth[SERVET_OPERATE_ATOMIC],
               k->hi_growth[SERVET_OPERATE_ATOMIC]);
    less = k->growth[SERVET_OPERATE_READ] < k->growth[SERVET_OPERATE_ATOMIC] || !(c.block[0].bytes > 0);
    if (less || k->lo_growth[SERVET_OPERATE_READ] > k->hi_growth[SERVET_OPERATE_ATOMIC] || !TAP_CROWDED(1))
        TAP_OK(less, "and readers %.1f times", k->growth[SERVET_OPERATE_READ]);
}

int main(void)
{
    servet_rig_opts o;
    servet_cpus all;
    servet_machine_cpus(&all);
    cpu[0] = servet_cpus_next(&all, -1);
    cpu[1] = servet_cpus_next(&all, cpu[0]);
    if (cpu[1] < 0) {
        TAP_SKIP(1, "one CPU");
        return tap_done();
    }
    memset(&o, 0, sizeof o);
    o.hi_bytes = 4 << 20;
    if (!TAP_OK(servet_rig_open(&rig, &o) == SERVET_OK, "a rig")) return tap_done();
    machine = servet_rig_machine(&rig);
    if (!rig.pinned) TAP_SKIP(1, "no thread can be bound to a CPU here");
    else {
        test_block();
        test_destructive();
        test_costs();
    }
    servet_rig_close(&rig);
    return tap_done();
}

/* count_level.c - how many blocks a level of one's choice holds, and how sure that is
 *
 *     cc -O2 examples/count_level.c -I. -lm -pthread -o count_level && ./count_level [ABOUT_KIB BEFORE_KIB]
 *
 * Short questions that vote: touch a block, walk those kept so far, is it still there?  ABOUT_KIB is the level's size
 * to within a factor of three, BEFORE_KIB that of the level before it, 0 of a first level.  Without arguments the
 * first two levels are counted, the entries of the first TLB, and what is held behind them, where others compete. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static servet_rig rig;

/* Returns KiB, 0 where nothing was found. */
static double count(const servet_machine *m, double about_kib, double before_kib)
{
    servet_count_opts o;
    servet_count votes;
    servet_counted c;
    int status;
    memset(&o, 0, sizeof o);
    o.about_units = about_kib * 1024 / SERVET_COUNT_BLOCK;
    o.before_units = before_kib * 1024 / SERVET_COUNT_BLOCK;
    o.runs = before_kib > 0 ? 3 : 5;
    o.run.budget_s = 0.5;
    status = servet_count_cache(&votes, m, &o);
    if (status >= 0) status = servet_count_settle(&c, &votes, 0);
    if (status < 0) {
        printf("about %.0f KiB behind %.0f: %s\n", about_kib, before_kib, servet_status_text(status));
        return 0;
    }
    printf("%.0f KiB [%.0f, %.0f], mostly %.0f", c.units * SERVET_COUNT_BLOCK / 1024,
           c.lo_units * SERVET_COUNT_BLOCK / 1024, c.hi_units * SERVET_COUNT_BLOCK / 1024,
           c.usual_units * SERVET_COUNT_BLOCK / 1024);
    if (c.ways > 0) printf(", %d ways", c.ways);
    printf("%s; %d questions in %.1f ms; a block's loads take %.1f ns each, evicted %.1f\n",
           c.disturbed ? ", disturbed" : "", votes.questions, 1e3 * votes.seconds, c.resident_ns, c.evicted_ns);
    return c.units * SERVET_COUNT_BLOCK / 1024;
}

/* Entries of a first TLB: pages instead of blocks. */
static void translations(const servet_machine *m)
{
    servet_count_opts o;
    servet_count votes;
    servet_counted c;
    int status;
    memset(&o, 0, sizeof o);
    o.about_units = 64;
    o.group_pages = 8;
    status = servet_count_tlb(&votes, m, &o);
    if (status >= 0) status = servet_count_settle(&c, &votes, 0);
    if (status < 0) printf("first TLB: %s\n", servet_status_text(status));
    else printf("first TLB: %.0f entries [%.0f, %.0f]; a miss costs %.1f ns more\n", c.units, c.lo_units, c.hi_units,
                c.evicted_ns - c.resident_ns);
}

/* A level that others use, too: read a footprint, see what is still there. */
static void shared(const servet_machine *m, double before_kib)
{
    static servet_resident draws;
    servet_count_opts o;
    servet_held held;
    int status;
    memset(&o, 0, sizeof o);
    o.before_units = before_kib * 1024 / SERVET_COUNT_BLOCK;
    o.run.budget_s = 0.5;
    status = servet_count_resident(&draws, m, 128 * 1048576.0, &o);
    if (status >= 0) status = servet_count_held(&held, &draws, 0);
    if (status < 0) printf("behind it: %s\n", servet_status_text(status));
    else printf("behind it %.1f MiB [%.1f, %.1f] at good moments, mostly %.1f; %d draws\n", held.bytes / 1048576,
                held.lo_bytes / 1048576, held.hi_bytes / 1048576, held.usual_bytes / 1048576, draws.count);
}

int main(int argc, char **argv)
{
    char *rest[2] = { NULL, NULL };
    const double about = argc > 2 ? strtod(argv[1], &rest[0]) : 32, before = argc > 2 ? strtod(argv[2], &rest[1]) : 0;
    servet_machine m;
    double kib, next = 0;
    int status;
    if (argc == 2 || argc > 3 || (argc == 3 && (*rest[0] || *rest[1]))
        || !(about >= 4 && about <= 65536) || !(before >= 0 && before < about)) {
        fprintf(stderr, "count_level: ABOUT_KIB is 4 to 65536, BEFORE_KIB 0 or a smaller level\n");
        return 2;
    }
    status = servet_rig_open(&rig, NULL);
    if (status < 0) {
        fprintf(stderr, "count_level: %s\n", servet_status_text(status));
        return 1;
    }
    m = servet_rig_machine(&rig);
    kib = count(&m, about, before);
    if (argc < 3 && kib > 0) {
        next = count(&m, 16 * kib, kib);
        if (!(next > 0)) next = count(&m, 40 * kib, kib);
        translations(&m);
        shared(&m, next > 0 ? next : kib);
    }
    servet_rig_close(&rig);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("count_level: standard output"), 2;
    return kib > 0 ? 0 : 1;
}

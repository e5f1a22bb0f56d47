/* bandwidth.c - loose checks of streams and chains on the machine at hand: ratios of samples taken in turn, no time
 *
 * A neighbour may disturb any sample, so each ratio is one of best samples, and is asked for up to five times. */
#include "servet.h"
#include "../private.h"
#include "../tap.h"

enum { TRIES = 5 };

static servet_rig rig;
static servet_machine machine;
static servet_bandwidth band;
static int cpu[2], cpus;

static double best(int kernel, int streaming, int n, double bytes)
{
    const servet_bandwidth_point *p = servet__bandwidth_find(&band, SERVET_SERIES_KERNELS, kernel, streaming, n, bytes);
    double most = 0;
    int i;
    for (i = 0; p && i < p->samples; i++) most = servet__max(most, p->sample_bytes_per_s[i]);
    return most;
}

/* Are both CPUs threads of one core, by their throughput? */
static int siblings(void)
{
    static servet_cores cores;
    static int16_t group[SERVET_CORES_MAX];
    return servet_pairs_latency(&cores, &machine, cpu, 2, NULL) >= 0 && servet__cores_siblings(group, &cores) == 1;
}

static void test_streams(void)
{
    const double small = 8192, large = 32.0 * 1048576;
    const double bytes[2] = { 8192, 32.0 * 1048576 };
    servet_bandwidth_opts o;
    double near_by = 0, two = 0, pair = 0;
    int i, k, status = SERVET_OK, ok;
    memset(&o, 0, sizeof o);
    o.rounds = 4;
    for (i = 0; i < TRIES && !(near_by > 1.5 && two > 1.2); i++) {
        memset(&band, 0, sizeof band);
        status = servet_bandwidth_kernels(&band, &machine, bytes, 2, cpu, cpus, &o);
        if (status < 0) break;
        near_by = best(SERVET_STREAM_LOAD, 0, 1, small) / best(SERVET_STREAM_LOAD, 0, 1, large);
        two = cpus > 1 ? best(SERVET_STREAM_LOAD, 0, 2, small) / best(SERVET_STREAM_LOAD, 0, 1, small) : 2;
    }
    TAP_OK(status == SERVET_OK, "all kernels, results right: %d points, %s", band.count,
           servet_text(SERVET_TEXT_VECTOR, rig.vector));
    for (ok = status >= 0, i = 0; i < band.count; i++) {
        const servet_bandwidth_point *p = &band.point[i];
        ok &= (p->samples == 4 || band.stopped) && p->lo_bytes_per_s > 0 && p->lo_bytes_per_s <= p->bytes_per_s
            && p->bytes_per_s <= p->hi_bytes_per_s;
    }
    TAP_OK(ok, "each with its interval");
    TAP_OK(near_by > 1.5, "loads from the first level are %.1f times as fast as from memory", near_by);
    if (two <= 1.2 && siblings()) TAP_SKIP(1, "threads of one core have its ports in common");
    else TAP_OK(two > 1.2 && two < 3, "two CPUs load %.2f times as much", two);
    for (k = SERVET_STREAM_COPY; k <= SERVET_STREAM_TRIAD; k++)
        pair = servet__max(pair, best(k, 0, 1, small) / best(SERVET_STREAM_LOAD, 0, 1, small));
    TAP_OK(pair > 0.3 && pair < 4, "loads and stores together move %.2f times as much as loads alone", pair);
}

static void test_chains(void)
{
    static servet_parallelism p;
    servet_bandwidth_opts o;
    servet_mlp m;
    double gain = 0;
    int i, status = SERVET_OK;
    memset(&o, 0, sizeof o);
    memset(&m, 0, sizeof m);
    o.rounds = 5;
    for (i = 0; i < TRIES && !(gain > 1.5); i++) {
        status = servet_bandwidth_parallel(&p, &machine, 48.0 * 1048576, cpu, 1, &o);
        if (status < 0) break;
        gain = p.point[0].ns / p.point[7].ns;
    }
    if (status == SERVET_OK) status = servet__bandwidth_fit_parallel(&m, &p);
    TAP_OK(status == SERVET_OK && m.mlp > 1,
           "%.1f loads of memory under way [%.1f, %.1f]", m.mlp, m.lo_mlp, m.hi_mlp);
    TAP_OK(gain > 1.5 && gain < 12, "eight chains are %.1f times as fast as one", gain);
}

/* Elements in random order: what tells is how many bytes they lie in, not how far apart they are. */
static void test_strides(void)
{
    const double bytes[2] = { 16384, 8.0 * 1048576 };
    servet_strides s;
    servet_bandwidth_opts o;
    double apart = 0, gain = 0;
    int i, status = SERVET_OK;
    memset(&o, 0, sizeof o);
    memset(&s, 0, sizeof s);
    for (i = 0; i < TRIES && !(gain > 1.5 && apart > 0.67 && apart < 1.5); i++) {
        status = servet_bandwidth_strides(&s, &machine, bytes, 2, &o);
        if (status < 0) break;
        apart = s.ns[0][3] / s.ns[0][1];
        gain = servet__min(s.ns[1][1], s.ns[1][3]) / servet__max(s.ns[0][1], s.ns[0][3]);
    }
    TAP_OK(status == SERVET_OK && apart > 0.67 && apart < 1.5,
           "of 16 KiB, elements 64 bytes apart take %.2f times as long as those 16 apart", apart);
    TAP_OK(gain > 1.5, "those of 8 MiB take %.1f times as long", gain);
}

static void test_loaded(void)
{
    servet_bandwidth_opts o;
    double least = 1e300, most = 0, load = 0, slow = 0;
    int i, k, status = SERVET_OK;
    if (cpus < 2) {
        TAP_SKIP(2, "one CPU");
        return;
    }
    memset(&o, 0, sizeof o);
    o.rounds = 4;
    for (i = 0; i < TRIES && !(load > 2 && slow > 0.9); i++) {
        memset(&band, 0, sizeof band);
        status = servet__bandwidth_loaded(&band, &machine, 32.0 * 1048576, 32.0 * 1048576, cpu, 2, &o);
        if (status < 0) break;
        for (least = 1e300, most = 0, k = 0; k < 4; k++) {
            least = servet__min(least, band.point[0].sample_chase_ns[k]);
            most = servet__max(most, band.point[9].sample_chase_ns[k]);
        }
        load = band.point[9].bytes_per_s / band.point[1].bytes_per_s;
        slow = most / least;
    }
    TAP_OK(status == SERVET_OK && band.count == 10 && band.point[0].bytes_per_s <= 0 && load > 2,
           "without gaps %.1f times the load of 20 us of them", load);
    TAP_OK(slow > 0.9, "under load memory takes %.2f times as long", slow);
}

int main(void)
{
    servet_cpus allowed;
    servet_rig_opts o;
    memset(&o, 0, sizeof o);
    servet_machine_cpus(&allowed);
    cpu[0] = servet_cpus_next(&allowed, -1);
    cpu[1] = servet_cpus_next(&allowed, cpu[0]);
    cpus = cpu[1] < 0 ? 1 : 2;
    o.hi_bytes = 128.0 * 1048576;
    o.cpu_plus_1 = cpu[0] + 1;
    if (servet_rig_open(&rig, &o) < 0 || !rig.pinned) {
        TAP_SKIP(1, "no rig, or threads cannot be bound here");
        return tap_done();
    }
    machine = servet_rig_machine(&rig);
    test_streams();
    test_chains();
    test_strides();
    test_loaded();
    servet_rig_close(&rig);
    return tap_done();
}

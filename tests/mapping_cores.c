/* mapping_cores.c - which cores: the rules of Servet 3.0 one by one, and its published outcome on HECToR */
#include "mapping.h"
#include "tap.h"

static servet_profile p;
static servet_mapping m;

/* Most processes of one group of so many CPUs, over all nodes. */
static int most_in(int each)
{
    static int count[SERVET_MAPPING_PROCESSES][SERVET_CORES_MAX];
    int i, most = 0;
    memset(count, 0, sizeof count);
    for (i = 0; i < m.processes; i++) {
        const int n = ++count[m.node[i]][m.cpu[i] / each];
        if (n > most) most = n;
    }
    return most;
}

static int nodes_used(void)
{
    static int used[SERVET_MAPPING_PROCESSES];
    int i, n = 0;
    memset(used, 0, sizeof used);
    for (i = 0; i < m.processes; i++) n += !used[m.node[i]]++;
    return n;
}

static int talking(int n) { return servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION) == n; }
static int streaming(int n) { return servet_mapping_cores(&m, &p, n, SERVET_BOUND_MEMORY) == n; }
static int no_place_twice(void) { return most_in(1) == 1; }

static void test_hector(void)
{
    mapping_hector(&p);
    TAP_OK(talking(64) && most_in(16) == 1 && nodes_used() == 32,
           "HECToR, 64 processes: one on each processor, of as few nodes as that takes");
    TAP_OK(talking(256) && most_in(16) == 1
           && nodes_used() == 128, "256: one on each processor of all nodes");
    TAP_OK(talking(512) && most_in(16) == 2 && most_in(8) == 1,
           "512: two on each processor, sharing no L3");
    TAP_OK(talking(1024) && most_in(8) == 2 && most_in(4) == 1,
           "1024: four, sharing no L2");
    TAP_OK(talking(2048) && most_in(4) == 2 && most_in(16) == 8,
           "2048: eight, two on each L2");
    TAP_OK(talking(4096) && no_place_twice(),
           "4096: all cores, each once");
    TAP_OK(streaming(512) && most_in(8) == 1,
           "512 that are bound by memory share no L3 either");
    TAP_OK(m.knows == 31, "all that a mapping stands on was known");
    servet_mapping_cores(&m, &p, 0, SERVET_BOUND_COMMUNICATION);
    TAP_OK(m.useful > 256 && m.useful < 4096 && m.processes == m.useful,
           "asked for as many as are useful: %d, most cores idle", m.useful);
    /* The algorithm without the fourth rule coincides with the default of the scheduler: section 6.2. */
    p.network->access_count = 0;
    servet_mapping_cores(&m, &p, 256, SERVET_BOUND_COMMUNICATION);
    TAP_OK(nodes_used() == 8 && m.useful == 0, "without network access: all cores of as few nodes as hold 256");
    servet_profile_free(&p);
}

static void test_rules(void)
{
    memset(&p, 0, sizeof p);
    mapping_cores(&p, 16, 8, 50, 120);
    mapping_caches(&p, 16, 2);
    TAP_OK(streaming(8) && most_in(2) == 1,
           "rule 1, memory: eight on eight caches");
    TAP_OK(talking(8) && most_in(8) == 8,
           "rule 3, communication: eight on the near ones");
    servet_profile_free(&p);

    memset(&p, 0, sizeof p);
    mapping_cores(&p, 16, 16, 80, 80);
    mapping_memory(&p, 16, 4);
    TAP_OK(streaming(4) && most_in(4) == 1, "rule 2: four on four memories");
    TAP_OK(streaming(6) && most_in(4) == 2, "six: no more than two on one");
    TAP_OK(m.knows == (SERVET_MAPPING_MEMORY | SERVET_MAPPING_LATENCY), "caches and network were not known");
    p.contention->scalings = 1;
    p.contention->scaling[0].cpus = 16;
    p.contention->scaling[0].enough = 5;
    TAP_OK(servet_mapping_cores(&m, &p, 0, SERVET_BOUND_MEMORY) == 5 && m.useful == 5,
           "five reach the best bandwidth: as many as are useful is five");
    p.contention->scaling[0].cpus = p.contention->scaling[0].enough = 2000000000;    /* of a file by hand */
    TAP_OK(servet_mapping_cores(&m, &p, 0, SERVET_BOUND_MEMORY) == 16 && m.useful == 0,
           "more CPUs than there are say nothing");
    servet_profile_free(&p);

    memset(&p, 0, sizeof p);
    mapping_cores(&p, 8, 8, 80, 80);
    p.cores_with_siblings = 4;
    {
        int i;
        for (i = 0; i < 8; i++) p.smt[i] = (int16_t)(i / 2);
        servet_mapping_cores(&m, &p, 4, SERVET_BOUND_MEMORY);
        for (i = 0; i < 4 && m.cpu[i] == 2 * i; i++) { }
        TAP_OK(i == 4, "one thread of each core: CPUs 0, 2, 4, 6");
    }
    servet_profile_free(&p);

    mapping_cluster(&p, 16, 8, 4);
    mapping_access(&p, 1, 1);
    mapping_access(&p, 2, 1.4);
    mapping_access(&p, 4, 1.49);
    mapping_access(&p, 8, 1.49);
    servet_mapping_cores(&m, &p, 32, SERVET_BOUND_COMMUNICATION);
    TAP_OK(nodes_used() == 4 && m.node[31] == 3, "ratios below 1.5 are no rule: four nodes, of one rack");
    p.network->access[1].ratio = 1.6;
    servet_mapping_cores(&m, &p, 16, SERVET_BOUND_COMMUNICATION);
    TAP_OK(nodes_used() == 16, "two already collide: one on each node");
    servet_profile_free(&p);
}

static void test_bad(void)
{
    servet_mapping before;
    memset(&p, 0, sizeof p);
    memset(&m, 0x5a, sizeof m);
    before = m;
    TAP_OK(servet_mapping_cores(&m, &p, 1, 0) == SERVET_EUNRESOLVED, "a profile of nothing: unresolved");
    memcpy(p.host.cpus, "2-3,7", 6);
    TAP_OK(servet_mapping_cores(&m, &p, 4, 0) == SERVET_EINVAL, "four processes on three CPUs");
    TAP_OK(servet_mapping_cores(&m, &p, -1, 0) == SERVET_EINVAL && servet_mapping_cores(&m, &p, 1, 2) == SERVET_EINVAL
           && servet_mapping_cores(NULL, &p, 1, 0) == SERVET_EINVAL
           && servet_mapping_cores(&m, NULL, 1, 0) == SERVET_EINVAL, "numbers below 0, unknown bounds, NULL");
    TAP_OK(!memcmp(&m, &before, sizeof m), "and the mapping as it was");
    TAP_OK(servet_mapping_cores(&m, &p, 3, 0) == 3 && m.cpu[0] == 2 && m.cpu[2] == 7 && m.knows == 0,
           "CPUs without anything measured: in order, and it says that nothing was known");
    mapping_network(&p, 3, 1);
    p.network->host[1] = 0;
    TAP_OK(servet_mapping_cores(&m, &p, 3, 0) == SERVET_EINVAL, "a host without a rank");
    servet_profile_free(&p);
}

/* Every rule at once on machines at random: no place twice, no CPU that is none, the same again. */
static void test_random(void)
{
    uint64_t seed = 7;
    int i, sound = 0, runs = 300;
    for (i = 0; i < runs; i++) {
        static servet_mapping again;
        const int cpus = 1 << servet_stats_random_below(&seed, 6);
        const int hosts = 1 + (int)servet_stats_random_below(&seed, 40);
        int k, n, bound = (int)servet_stats_random_below(&seed, 2), ok;
        mapping_cluster(&p, hosts, cpus, 1 << servet_stats_random_below(&seed, 5));
        mapping_caches(&p, cpus, 1 << servet_stats_random_below(&seed, 4));
        mapping_memory(&p, cpus, 1 << servet_stats_random_below(&seed, 5));
        for (k = 1; k <= cpus; k *= 2) mapping_access(&p, k, 1 + (k - 1) * servet_stats_random_unit(&seed));
        n = 1 + (int)servet_stats_random_below(&seed, (size_t)(hosts * cpus));
        ok = servet_mapping_cores(&m, &p, n, bound) == n && no_place_twice();
        for (k = 0; k < n; k++) ok &= m.node[k] >= 0 && m.node[k] < hosts && m.cpu[k] >= 0 && m.cpu[k] < cpus;
        servet_mapping_cores(&again, &p, n, bound);
        sound += ok && !memcmp(&m, &again, sizeof m);
        servet_profile_free(&p);
    }
    TAP_OK(sound == runs, "%d of %d machines at random: each place once", sound, runs);
}

int main(void)
{
    test_hector();
    test_rules();
    test_bad();
    test_random();
    return tap_done();
}

/* mapping_processes.c - which process where: against all ways of eight and twelve, planted groups, shuffled stencils
 *
 * What is asserted are rates over seeds, and that nothing is ever dearer than rank order.  Times are only told. */
#include "mapping.h"
#include "tap.h"

#include <time.h>

static servet_profile p;
static servet_mapping m;
static double bytes[SERVET_MAPPING_PROCESSES * 512];     /* up to 1448 processes */

/* What a pair costs by the test's own reckoning, on machines of mapping_cluster. */
static double ns_between(int i, int j, int each)
{
    if (m.node[i] != m.node[j]) return m.node[i] / 4 == m.node[j] / 4 && p.network->layer_count ? 1200 : 1500;
    return m.cpu[i] / each == m.cpu[j] / each ? 50 : 120;
}

static double own_cost(int n, int each)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (i != j) sum += bytes[i * n + j] * ns_between(i, j, each);
    return sum;
}

/* Some pairs exchange something, some much; not the same both ways. */
static void draw(int n, double share, uint64_t *seed)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            const double u = servet_stats_random_unit(seed);
            bytes[i * n + j] = servet_stats_random_unit(seed) < share ? u * u * u : 0;
        }
}

static servet_traffic matrix(void)
{
    servet_traffic t;
    memset(&t, 0, sizeof t);
    t.bytes = bytes;
    return t;
}

/* The least cost of n processes on groups of so many CPUs with two distances, by all partitions. */
static double least_partition(int n, int each, int *group, int *room, int groups, int next, double sum)
{
    double best = HUGE_VAL;
    int g, i;
    if (next == n) return sum;
    for (g = 0; g < groups; g++) {
        double more = 0, found;
        if (!room[g]) continue;
        for (i = 0; i < next; i++)
            more += (bytes[i * n + next] + bytes[next * n + i]) * (group[i] == g ? 50 : 120);
        group[next] = g;
        room[g]--;
        found = least_partition(n, each, group, room, groups, next + 1, sum + more);
        room[g]++;
        if (found < best) best = found;
        if (room[g] == each) break;     /* groups without any are alike */
    }
    return best;
}

static void test_small(int n, int each, int seeds)
{
    const servet_traffic t = matrix();
    uint64_t seed = 3;
    int i, near = 0, same = 0, true_cost = 0, gains = 0;
    for (i = 0; i < seeds; i++) {
        int group[16], room[16], g, status;
        double least, cost = 0;
        memset(&p, 0, sizeof p);
        mapping_cores(&p, n, each, 50, 120);
        draw(n, .2 + .8 * servet_stats_random_unit(&seed), &seed);
        for (g = 0; g < n / each; g++) room[g] = each;
        least = least_partition(n, each, group, room, n / each, 0, 0);
        servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
        status = servet_mapping_processes(&m, &p, &t);
        near += m.cost <= 1.02 * least;
        same += m.cost <= least * (1 + 1e-9);
        true_cost += fabs(m.cost - own_cost(n, each)) <= 1e-9 * m.cost && !servet_mapping_cost(&cost, &m, &p, &t)
                     && fabs(cost - m.cost) <= 1e-9 * cost && m.cost <= m.rank_cost;
        gains += status == (m.cost < m.rank_cost) && m.exact == (n <= 10);
        servet_profile_free(&p);
    }
    TAP_OK(100 * near >= 99 * seeds, "%d processes in groups of %d: within 2 %% of the optimum %d times of %d", n, each,
           near, seeds);
    TAP_OK(n > 10 || same == seeds, "exactly %d times", same);
    TAP_OK(true_cost == seeds && gains == seeds, "costs are as told, never above rank order's");
}

/* All distances differ: by all permutations. */
static void test_permutations(int n, int seeds)
{
    const servet_traffic t = matrix();
    uint64_t seed = 5;
    int i, same = 0;
    for (i = 0; i < seeds; i++) {
        double least = HUGE_VAL, ns[64];
        int a, b, at[8], c[8], k = 0;
        memset(&p, 0, sizeof p);
        mapping_cores(&p, n, 1, 50, 120);
        for (a = 0; a < n; a++)
            for (b = 0; b < a; b++) {
                ns[a * n + b] = ns[b * n + a] = 50 + 100 * servet_stats_random_unit(&seed);
                p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(a, b)] = (float)ns[a * n + b];
            }
        draw(n, 1, &seed);
        for (a = 0; a < n; a++) at[a] = a, c[a] = 0;
        for (;;) {      /* Heap's permutations */
            double sum = 0;
            for (a = 0; a < n; a++)
                for (b = 0; b < a; b++) sum += (bytes[a * n + b] + bytes[b * n + a]) * ns[at[a] * n + at[b]];
            if (sum < least) least = sum;
            while (k < n && c[k] >= k) c[k++] = 0;
            if (k == n) break;
            a = at[k];
            b = k % 2 ? c[k] : 0;
            at[k] = at[b];
            at[b] = a;
            c[k]++;
            k = 0;
        }
        servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
        servet_mapping_processes(&m, &p, &t);
        same += m.cost <= least * (1 + 1e-6);
        servet_profile_free(&p);
    }
    TAP_OK(same == seeds, "%d processes, all distances different: the least of all permutations %d times of %d", n,
           same, seeds);
}

/* Groups of processes, shuffled, that fit groups of CPUs and nodes. */
static void test_planted(int hosts, int cpus, int each, int seeds)
{
    const int n = hosts * cpus;
    const servet_traffic t = matrix();
    uint64_t seed = 11;
    int k, found = 0;
    double took = 0;
    mapping_cluster(&p, hosts, cpus, each);
    for (k = 0; k < seeds; k++) {
        static int label[SERVET_MAPPING_PROCESSES];
        double least = 0;
        int i, j;
        clock_t begin;
        for (i = 0; i < n; i++) label[i] = i;
        for (i = n - 1; i > 0; i--) {
            j = (int)servet_stats_random_below(&seed, (size_t)i + 1);
            { const int held = label[i]; label[i] = label[j]; label[j] = held; }
        }
        memset(bytes, 0, (size_t)n * (size_t)n * sizeof *bytes);
        servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                const int near = i / each == j / each;
                const double b = i == j ? 0 : near ? 1 + servet_stats_random_unit(&seed)
                                 : .1 * servet_stats_random_unit(&seed) * (i / cpus == j / cpus);
                bytes[label[i] * n + label[j]] = b;
                least += b > 0 ? b * ns_between(i, j, each) : 0;
            }
        begin = clock();
        servet_mapping_processes(&m, &p, &t);
        took += (double)(clock() - begin) / CLOCKS_PER_SEC;
        found += m.cost <= 1.02 * least;
    }
    TAP_OK(100 * found >= 95 * seeds, "planted groups, %d nodes of %d CPUs in groups of %d: found %d times of %d",
           hosts, cpus, each, found, seeds);
    TAP_DIAG("%.1f ms each", 1e3 * took / seeds);
    servet_profile_free(&p);
}

/* A stencil whose labels are shuffled, against the stencil in rank order as it is optimised. */
static void test_stencil(int hosts, int cpus, int each, int dims)
{
    const int n = hosts * cpus;
    servet_traffic t = matrix(), plain;
    static int label[SERVET_MAPPING_PROCESSES];
    uint64_t seed = 13;
    double least, took;
    int i, j, k, size[3] = { 1, 1, 1 };
    clock_t begin = clock();
    memset(&plain, 0, sizeof plain);
    plain.pattern = dims == 3 ? SERVET_PATTERN_STENCIL_3D : SERVET_PATTERN_STENCIL_2D;
    mapping_cluster(&p, hosts, cpus, each);
    servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
    i = servet_mapping_processes(&m, &p, &plain);
    TAP_OK(i >= 0 && m.cost <= m.rank_cost, "%dD stencil of %d: %.3f of rank order", dims, n, m.cost / m.rank_cost);
    took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    TAP_DIAG("%.1f ms", 1e3 * took);
    least = m.cost;
    if ((size_t)n * (size_t)n > sizeof bytes / sizeof *bytes) {
        servet_profile_free(&p);
        return;
    }
    for (k = n, i = 0; i < dims; i++) {     /* as servet_traffic.size has it for powers of two */
        size[i] = 1;
        while (size[i] * 2 <= (int)(pow(k, 1.0 / (dims - i)) + 1e-9)) size[i] *= 2;
        if (i == dims - 1) size[i] = k;
        k /= size[i];
    }
    for (i = 0; i < n; i++) label[i] = i;
    for (i = n - 1; i > 0; i--) {
        j = (int)servet_stats_random_below(&seed, (size_t)i + 1);
        { const int held = label[i]; label[i] = label[j]; label[j] = held; }
    }
    memset(bytes, 0, (size_t)n * (size_t)n * sizeof *bytes);
    for (i = 0; i < n; i++) {
        int stride = n;
        for (k = 0; k < dims; k++) {
            stride /= size[k];
            if (i / stride % size[k] < size[k] - 1)
                bytes[label[i] * n + label[i + stride]] = bytes[label[i + stride] * n + label[i]] = 1;
        }
    }
    servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
    begin = clock();
    servet_mapping_processes(&m, &p, &t);
    took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    TAP_OK(m.cost <= 1.15 * least, "shuffled: %.3f of that, %.3f of rank order", m.cost / least, m.cost / m.rank_cost);
    TAP_DIAG("%.1f ms", 1e3 * took);
    servet_profile_free(&p);
}

/* The most there is to do for so many: all distances different, all with all in other amounts. */
static void test_noisy(int n)
{
    const servet_traffic t = matrix();
    uint64_t seed = 19;
    int a, b, status;
    double took;
    clock_t begin;
    memset(&p, 0, sizeof p);
    mapping_cores(&p, n, n, 50, 120);
    for (a = 0; a < n; a++)
        for (b = 0; b < a; b++)
            p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(a, b)] =
                (float)(50 + 100 * servet_stats_random_unit(&seed));
    draw(n, 1, &seed);
    servet_mapping_cores(&m, &p, n, SERVET_BOUND_COMMUNICATION);
    begin = clock();
    status = servet_mapping_processes(&m, &p, &t);
    took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    TAP_OK(status == 1 && m.cost < m.rank_cost, "%d processes, nothing equal: %.3f of rank order", n,
           m.cost / m.rank_cost);
    TAP_DIAG("%.1f ms", 1e3 * took);
    servet_profile_free(&p);
}

/* Any machine, any traffic: the same processes, each place once, never dearer. */
static void test_random(void)
{
    uint64_t seed = 17;
    int i, sound = 0, runs = 200;
    for (i = 0; i < runs; i++) {
        static servet_mapping before;
        servet_traffic t = matrix();
        const int cpus = 2 << servet_stats_random_below(&seed, 4), hosts = 1 + (int)servet_stats_random_below(&seed, 9);
        const int each = 1 << servet_stats_random_below(&seed, 3);
        int n = 2 + (int)servet_stats_random_below(&seed, (size_t)(hosts * cpus - 1)), k, l, ok, status;
        mapping_cluster(&p, hosts, cpus, each);
        t.pattern = (int)servet_stats_random_below(&seed, SERVET_PATTERNS);
        draw(n, servet_stats_random_unit(&seed), &seed);
        ok = servet_mapping_cores(&m, &p, n, (int)servet_stats_random_below(&seed, 2)) == n;
        before = m;
        status = servet_mapping_processes(&m, &p, &t);
        ok &= status == SERVET_EUNRESOLVED ? !memcmp(&m, &before, sizeof m) : status >= 0 && m.cost <= m.rank_cost;
        if (t.pattern == SERVET_PATTERN_MATRIX && status >= 0) ok &= fabs(own_cost(n, each) - m.cost) <= 1e-9 * m.cost;
        for (k = 0; k < n; k++) {
            int times = 0;
            for (l = 0; l < n; l++) times += m.node[l] == before.node[k] && m.cpu[l] == before.cpu[k];
            ok &= times == 1;
        }
        sound += ok;
        servet_profile_free(&p);
    }
    TAP_OK(sound == runs, "%d of %d machines at random: each place once, never dearer than rank order", sound, runs);
}

/* Two nodes of four, as many processes on each: messages between them take three times as long with four senders. */
static void test_access(void)
{
    servet_traffic t = matrix();
    double cost = 0;
    memset(&p, 0, sizeof p);
    mapping_cores(&p, 4, 4, 50, 50);
    mapping_network(&p, 2, 1.5);
    mapping_access(&p, 1, 1);
    mapping_access(&p, 4, 3);
    memset(bytes, 0, 64 * sizeof *bytes);
    bytes[7] = 1;
    servet_mapping_cores(&m, &p, 8, 0);
    TAP_OK(!servet_mapping_cost(&cost, &m, &p, &t) && fabs(cost - 4500) < 1e-6, "network access counts: %g ns", cost);
    TAP_OK(servet_mapping_processes(&m, &p, &t) == 1 && fabs(m.cost - 50) < 1e-6, "and is avoided");
    servet_profile_free(&p);
}

static void test_bad(void)
{
    servet_traffic t = matrix();
    servet_mapping before;
    double cost = 7;
    int i;
    memset(&p, 0, sizeof p);
    memcpy(p.host.cpus, "0-3", 4);
    draw(4, 1, (uint64_t[]){ 1 });
    servet_mapping_cores(&m, &p, 4, 0);
    before = m;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EUNRESOLVED && servet_mapping_cost(&cost, &m, &p, &t)
           == SERVET_EUNRESOLVED, "no distance is known: unresolved");
    mapping_cores(&p, 4, 2, 50, 120);
    bytes[6] = -1;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL && servet_mapping_cost(&cost, &m, &p, &t)
           == SERVET_EINVAL, "traffic below 0");
    bytes[6] = NAN;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "traffic that is no number");
    bytes[6] = INFINITY;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "infinite traffic");
    for (i = 0; i < m.processes * m.processes; i++) bytes[i] = 8e307;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL && servet_mapping_cost(&cost, &m, &p, &t)
           == SERVET_EINVAL, "traffic whose sum is no number");
    t.bytes = NULL;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "no matrix");
    t.pattern = SERVET_PATTERNS;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "no pattern");
    t.pattern = SERVET_PATTERN_STENCIL_2D;
    t.size[0] = 3;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "a stencil of another size");
    t.size[0] = -2;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == SERVET_EINVAL, "a size below 0");
    TAP_OK(!memcmp(&m, &before, sizeof m) && cost >= 7 && cost <= 7, "and all as it was");
    t.size[0] = 4;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == 0, "a line of four in rank order is best");
    t.pattern = SERVET_PATTERN_ALL;
    TAP_OK(servet_mapping_processes(&m, &p, &t) == 0 && m.exact && fabs(m.cost - 2 * (2 * 50 + 4 * 120)) < 1e-9,
           "all with all: nothing to gain, and what it costs");
    servet_profile_free(&p);
}

int main(void)
{
    test_permutations(8, 60);
    test_small(8, 2, 300);
    test_small(8, 4, 300);
    test_small(12, 4, 100);
    test_small(12, 6, 100);
    test_planted(1, 16, 4, 40);
    test_planted(4, 16, 4, 40);
    test_planted(16, 16, 8, 10);
    test_planted(32, 32, 8, 2);
    test_stencil(4, 16, 4, 2);
    test_stencil(16, 16, 4, 2);
    test_stencil(16, 16, 8, 3);
    test_stencil(64, 64, 16, 2);
    if (getenv("AT_LENGTH")) test_stencil(2048, 2, 1, 3);    /* seconds */
    test_noisy(256);
    test_random();
    test_access();
    test_bad();
    return tap_done();
}

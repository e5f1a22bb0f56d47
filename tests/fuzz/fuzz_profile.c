/* fuzz_profile.c - what comes from outside, a profile or a curve, never does harm
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZER -I. tests/fuzz/fuzz_profile.c -lm -o fuzz && ./fuzz
 *     cc    -g -O1 -fsanitize=address,undefined -I. tests/fuzz/fuzz_profile.c -lm -o fuzz && ./fuzz [inputs [seed]]
 *
 * The second form mutates texts of its own, 20000 if not told otherwise, and ends with a line.  What is found is
 * written to ./crash-input before it is tried, so that the last one is there: ./fuzz - <crash-input. */
#define SERVET_STATIC
#define SERVET_IMPLEMENTATION
#include "../../servet.h"
#include "../../examples/hwloc.h"

static servet_profile profile, again;

static void must(int x, const char *what)
{
    if (x) return;
    fprintf(stderr, "fuzz_profile: %s\n", what);
    abort();
}

/* Questions to a network that was read have an answer or a status, and what it says is in range. */
static void try_network(const servet_network *n)
{
    static const int size[] = { 2, 3, 2 };
    static const double weight[] = { 1, 3, 2 };
    servet_message m;
    double lo, hi, apart, one, cost;
    int order[3], i, k;
    must(n->ranks >= 0 && n->ranks <= SERVET_NETWORK_RANKS && n->hosts >= 0 && n->hosts <= n->ranks, "ranks or hosts");
    must(n->layer_count >= 0 && n->layer_count <= SERVET_NETWORK_LAYERS && n->dist_nodes >= 0, "layers or nodes");
    for (i = 0; i < n->ranks; i++) {
        must(n->host[i] >= 0 && (n->host[i] < n->hosts || n->hosts == 0), "a host that is none");
        must(memchr(servet_network_name(n, n->host[i]), 0, SERVET_NETWORK_NAMES) != NULL, "a name without an end");
    }
    for (k = 0; k < n->layer_count; k++)
        for (i = 0; i < n->ranks; i++)
            must(n->group[k][i] >= -1 && n->group[k][i] < n->layer[k].groups, "a group that is none");
    for (i = 0; i < n->pair_count; i++) must(servet_network_layer_of(n, n->pair[i].a, n->pair[i].b) != SERVET_EINVAL,
                                             "a pair of no ranks");
    for (k = 0; k <= n->layer_count; k++)
        for (i = 0; i < 24; i += 3) {
            (void)servet_network_time(&m, n, k, (double)(1 << i), 1 + i % 4);
            (void)servet_network_gather(&apart, &one, n, k, (double)(1 << i), 2 + i % 3);
        }
    for (i = 0; i < 10; i++) {
        must(!(servet_network_degradation(n, SERVET_DEGRADATION_DISTANCE, i, &lo, &hi) >= 0) || i > 0,
             "a distance of none");
        (void)servet_network_degradation(n, SERVET_DEGRADATION_ACCESS, i, &lo, &hi);
    }
    i = servet_network_grid(order, &cost, NULL, n, size, weight, 3);
    must(i < 0 || order[0] + order[1] + order[2] == 3, "no order");
}

/* What programs ask of a profile that was read: answers, places, a tree for hwloc.  A text is as long as was said. */
static void try_use(const servet_profile *p)
{
    static servet_mapping m;
    static char text[1 << 20];
    system_cpu place[8];
    hwloc_opts o;
    servet_traffic t;
    servet_question q;
    servet_answer a;
    double cost;
    int i, k, n;
    memset(&q, 0, sizeof q);
    q.cpu = 3;
    q.cpu_2 = 6;
    q.bytes = 1e5;
    for (q.what = 0; q.what < SERVET_ASKED; q.what++)
        for (q.level = 0; q.level < 4; q.level++)
            for (q.busy = 0; q.busy < 2; q.busy++)
                must(servet_ask(&a, p, &q) < 0 || (a.lo <= a.value && a.value <= a.hi), "an answer beyond its ends");
    for (i = 0; i < 2; i++) {
        n = servet_mapping_cores(&m, p, 0, i);
        if (n > 40) must((n = servet_mapping_cores(&m, p, 40, i)) == 40, "40 of more");
        for (k = 0; n > 0 && k < SERVET_FORMS; k++) {
            const int length = servet_mapping_write(&m, p, k, NULL, 0);
            must(length == servet_mapping_write(&m, p, k, text, 100), "two lengths of a form");
            must(length < 0 || memchr(text, 0, 100) != NULL, "a form without an end");
        }
        memset(&t, 0, sizeof t);
        for (t.pattern = SERVET_PATTERN_MATRIX + 1; n > 0 && t.pattern < SERVET_PATTERNS; t.pattern++) {
            (void)servet_mapping_cost(&cost, &m, p, &t);
            must(servet_mapping_processes(&m, p, &t) < 0 || m.cost <= m.rank_cost * (1 + 1e-9), "dearer than by rank");
        }
    }
    memset(&o, 0, sizeof o);
    memset(place, 0, sizeof place);
    for (i = 0; i < 8; i++) {
        place[i].cpu = 3 * i;
        place[i].core = i / 2;
        place[i].package = i / 4;
    }
    o.place = place;
    for (o.places = 0; o.places <= 8; o.places += 8) {
        n = hwloc_xml(p, NULL, 0, &o);
        must(n <= 0 || n == hwloc_xml(p, text, sizeof text, &o), "two lengths of a tree");
    }
}

/* A text that parses says the same when written, read and written once more; inferring from it ends. */
static void try_profile(const char *text, size_t length)
{
    char error[SERVET_TEXT_MAX], *one, *two;
    size_t n, m;
    int status;
    servet_profile_free(&profile);
    status = servet_profile_parse(&profile, text, length, error);
    must(memchr(error, 0, sizeof error) != NULL, "a reason without an end");
    must((status < 0) == (error[0] != 0), "a reason for a success, or none for a failure");
    if (status < 0) return;
    n = servet_profile_write(&profile, NULL, 0);
    one = (char *)malloc(n + 1);
    must(one != NULL && servet_profile_write(&profile, one, n + 1) == n, "two lengths");
    must(servet_profile_parse(&again, one, n, NULL) == SERVET_OK, "written and not read");
    m = servet_profile_write(&again, NULL, 0);
    must(n == m, "read and written to another length");
    two = (char *)malloc(m + 1);
    must(two != NULL && servet_profile_write(&again, two, m + 1) == m && !memcmp(one, two, n),
        "read and written otherwise");
    free(one);
    free(two);
    servet_profile_free(&again);
    if (profile.network) try_network(profile.network);
    try_use(&profile);
    status = servet_profile_infer(&profile);
    must(status == SERVET_OK || status == SERVET_EUNRESOLVED || status == SERVET_EINVAL,
        "inferred with a strange status");
    must(profile.cache_count >= 0 && profile.cache_count <= SERVET_LEVELS_MAX, "an impossible number of levels");
    n = servet_profile_write(&profile, NULL, 0);
    must(n > 10, "nothing written");
}

/* Bytes as pairs of sizes and times: as they are, or made to ascend, so that more than the checks are reached. */
static void try_curve(const unsigned char *data, size_t length)
{
    static servet_curve curve;
    static double bytes[4096], ns[4096];
    servet_levels levels;
    servet_fit_opts opts;
    double at = 64, size;
    size_t n = 0, i;
    const int raw = length > 0 && data[0] & 1;
    for (i = 1; i + 16 <= length && raw && n < 4096; i += 16, n++) {
        memcpy(&bytes[n], data + i, 8);
        memcpy(&ns[n], data + i + 8, 8);
    }
    for (i = 1; i + 3 <= length && !raw && n < 4096; i += 3, n++) {
        bytes[n] = at *= 1 + data[i] / 512.0;
        ns[n] = exp2(data[i + 1] / 16.0) * (1 + data[i + 2] / 2560.0);
    }
    memset(&opts, 0, sizeof opts);
    if (length > 2) opts.compact = data[1] & 1;
    if (length > 2 && data[1] & 2) opts.page_bytes = exp2(data[2] % 40);
    (void)servet_fit_servet(&levels, bytes, ns, n, 4096, 0);
    (void)servet_fit_binomial(&size, bytes, ns, n, 4096);
    if (servet_fit_curve(&curve, bytes, ns, n) < 0) return;
    must(curve.count >= 1 && curve.count <= SERVET_POINTS_MAX, "a curve too long");
    if (servet_fit_levels(&levels, &curve, &opts) < 0) return;
    must(levels.count >= 1 && levels.count <= SERVET_LEVELS_MAX && levels.doubtful_count >= 0
         && levels.doubtful_count <= SERVET_LEVELS_MAX, "an impossible number of levels");
    for (i = 0; i < (size_t)levels.count; i++) {
        const servet_level *l = &levels.level[i];
        must(l->lo_bytes <= l->bytes && l->bytes <= l->hi_bytes && l->lo_bytes > 0, "a size outside its interval");
        must(l->lo_ns <= l->latency_ns && l->latency_ns <= l->hi_ns && l->lo_ns > 0, "a latency outside its interval");
        must(i == 0 || l->bytes >= l[-1].bytes, "levels out of order");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *exact;
    if (length == 0) return 0;
    exact = (char *)malloc(length);    /* ends where the text ends */
    must(exact != NULL, "no memory");
    memcpy(exact, data, length);
    if (data[0] == 'c') try_curve(data + 1, length - 1);
    else try_profile(exact, length);
    free(exact);
    return 0;
}

#if !defined(FUZZER)

enum { MOST = 1 << 16 };
static unsigned char input[MOST];

/* What is between a few CPUs, and streams, in any state. */
static void seed_cpus(uint64_t *seed)
{
    servet_profile *p = &profile;
    const int n = 2 + (int)servet_stats_random_below(seed, 6);
    int i, k;
    p->cores = (servet_cores *)calloc(1, sizeof *p->cores);
    p->contention = (servet_contention *)calloc(1, sizeof *p->contention);
    p->sharing = (servet_sharing *)calloc(1, sizeof *p->sharing);
    p->coherence = (servet_coherence *)calloc(1, sizeof *p->coherence);
    must(p->cores && p->contention && p->sharing && p->coherence, "no memory");
    p->cores->count = p->contention->cpus = p->sharing->cpus = n;
    for (i = 0; i < n; i++) {
        p->cores->cpu[i] = p->contention->cpu[i] = p->sharing->cpu[i] = 3 * i;
        p->smt[i] = (int16_t)(i / 2);
        p->contention->own_bytes_per_s[i] = 1e10;
    }
    p->cores_with_siblings = n / 2;
    p->contention->reference_bytes_per_s = 1e10;
    for (i = 0; i < n * (n - 1) / 2; i++) {
        p->cores->state[i] = (unsigned char)(1 + servet_stats_random_below(seed, 2));
        p->cores->ns[0][i] = p->cores->ns[1][i] = (float)(20 + 50 * (int)servet_stats_random_below(seed, 2));
        p->contention->pair_bytes_per_s[i] = (float)(1e10 * servet_stats_random_unit(seed));
    }
    p->contention->sets = 2 * n;
    for (i = 0; i < 2 * n; i++) {       /* each alone, and neighbours */
        servet_contention_set *s = &p->contention->set[i];
        s->cpus[0] = (uint64_t)(i < n ? 1 : 3) << i % n;
        for (s->rounds = 4, k = 0; k < 4; k++) s->bytes_per_s[k] = (float)(1e10 * servet_stats_random_unit(seed));
    }
    p->cores->siblings = 1;
    p->cores->sibling[0].b = 1;
    p->cores->sibling[0].speed_frac = 0.5f;
    p->layers.cores = n;
    p->layers.count = p->contention->layers = p->contention->given = 1;
    p->contention->domains = p->contention->gammas = p->contention->scalings = p->sharing->count = 1;
    p->sharing->tests = 1;
    p->sharing->test[0].rounds = 4;
    p->sharing->test[0].others[0] = 2;
    p->sharing->test[0].limit_ns = 6;
    p->sharing->test[0].next_ns = 9;
    p->sharing->test[0].llr = 4.6;
    for (p->sharing->samples = 4, i = 0; i < 4; i++) {
        p->sharing->sample[i].own_ns = p->sharing->sample[i].again_ns = 4;
        p->sharing->sample[i].read_ns = 8;
    }
    p->coherence->blocks = 1;
    p->coherence->block[0].count = 3;
    p->coherence->costs.count = 2;
    p->coherence->destructive.count = 2;
    for (i = 0; i < 3; i++) {
        servet_block_point *q = &p->coherence->block[0].point[i];
        q->distance_bytes = 64 << i;
        for (q->samples = 4, k = 0; k < 4; k++) q->sample_ns[k] = q->near_ns[k] = 1 + (q->far_ns[k] = 1 + k);
    }
    for (i = 0; i < SERVET_COST_OPERATIONS; i++)
        for (k = 0; k < 2; k++) {
            servet_cost_point *q = &p->coherence->costs.point[i][k];
            q->cpus = k + 1;
            q->samples = 3;
            q->sample_ns[0] = q->sample_ns[1] = q->sample_ns[2] = q->sample_slowest_ns[1] = 2;
        }
    p->evidence->streams.count = 12;
    for (i = 0; i < 12; i++) {
        servet_bandwidth_point *q = &p->evidence->streams.point[i];
        q->series = i % SERVET_SERIES;
        q->kernel = (int)servet_stats_random_below(seed, SERVET_STREAM_KERNELS);
        q->cpus = 1 + i / 6;
        q->bytes = 65536 << i / 2;
        q->chase_bytes = i % 6 == SERVET_SERIES_LOADED ? 65536 : 0;
        for (q->samples = 3, k = 0; k < 3; k++) q->sample_bytes_per_s[k] = q->sample_chase_ns[k] = 1e10;
    }
    p->evidence->parallel_count = 1;
    p->evidence->parallel[0].bytes = p->evidence->parallel[0].line_bytes = 64;
    p->evidence->parallel[0].cpus = 1;
    p->evidence->parallel[0].count = 4;
    for (i = 0; i < 4; i++) {
        servet_parallel_point *q = &p->evidence->parallel[0].point[i];
        q->chains = i + 1;
        q->ns = q->lo_ns = q->hi_ns = 80.0 / (i + 1);
    }
}

/* A network, as a session of servet_mpi.h might leave it. */
static void seed_network(uint64_t *seed)
{
    servet_network *n = profile.network = (servet_network *)calloc(1, sizeof *n);
    const int ranks = 2 + (int)servet_stats_random_below(seed, 14);
    int i, k;
    must(n != NULL, "no memory");
    n->ranks = ranks;
    n->hosts = 2;
    memcpy(n->names, "near\0far", 9);
    n->layer_count = 1;
    n->layer[0].groups = 2;
    n->layer[0].b = 1;
    n->layer[1].b = ranks - 1;
    for (i = 0; i < ranks; i++) n->host[i] = n->group[0][i] = (int16_t)(2 * i / ranks);
    n->layer[0].pairs = n->layer[1].pairs = ranks;
    for (k = 0; k < 2; k++)
        for (i = 0; i < 5; i++) {
            servet_network_size *s = &n->size[n->size_count++];
            s->layer = k;
            s->bytes = 1 << 4 * i;
            s->trip.samples = 9;
            s->trip.median_ns = s->trip.lo_ns = s->trip.hi_ns = 1000 + s->bytes;
            s->stream = s->trip;
        }
    n->threshold_count = 2;
    n->threshold[1].layer = 1;
    for (k = 0; k < 2; k++) {
        n->threshold[k].bytes = n->threshold[k].lo_bytes = n->threshold[k].hi_bytes = 4097;
        n->threshold[k].before_ns = n->threshold[k].after_ns = 5000;
    }
    for (i = 0; i < 3; i++) {
        servet_network_load *l = &n->load[n->load_count++];
        l->layer = 1;
        l->at_once = 1 << i;
        l->bytes = 256;
        l->last = n->size[2].trip;
    }
    n->dist_nodes = ranks;
    for (i = 1; i <= ranks / 2; i++) {
        servet_network_ratio *r = &n->dist[n->dist_count++];
        r->which = i;
        r->ratio = r->lo_ratio = r->hi_ratio = i;
    }
    n->access_count = 2;
    n->access[0].which = 1;
    n->access[1].which = 2;
    n->access[0].ratio = n->access[1].ratio = 1.5;
    for (i = 1; i < ranks; i++) {
        servet_network_pair *q = &n->pair[n->pair_count++];
        q->b = (int16_t)i;
        q->at_once = 1;
        q->small.median_ns = q->trip.median_ns = q->stream.median_ns = 1000.5f;
    }
}

/* Counts of a cache and of a TLB. */
static void seed_counts(uint64_t *seed)
{
    int i, k;
    for (i = 0; i < 2; i++) {
        servet_count *c = &profile.evidence->count[profile.evidence->counts++];
        c->kind = i;
        c->unit_bytes = 4096;
        c->loads = 16;
        c->reach = 256;
        c->runs = 2;
        for (k = 0; k < c->runs; k++) {
            servet_count_run *r = &c->run[k];
            r->resident_ns = 1;
            r->limit_ns = 2;
            r->evicted_ns = 4;
            r->disturbed_frac = 0.3 * servet_stats_random_unit(seed);
            r->full = 1;
            r->passes = 2;
            r->pass[0].walks = 2;
            r->pass[1].walks = 8;
            r->pass[0].kept = r->pass[1].kept = i ? 4 : 8;
        }
        if (i == 0) for (c->sets = 4, k = 0; k < c->sets; k++) c->set_units[k] = 8;
    }
}

/* A profile of a made-up machine, or a curve. */
static size_t seed_input(uint64_t *seed)
{
    static double bytes[300], ns[300];
    size_t i, n = 3 + servet_stats_random_below(seed, 120), k;
    double at = 1024, l1 = exp2(12 + 5 * servet_stats_random_unit(seed)),
        l2 = l1 * exp2(2 + 5 * servet_stats_random_unit(seed));
    if (servet_stats_random_below(seed, 3) == 0) {
        input[0] = 'c';
        for (i = 1; i < 3 * n + 3; i++) input[i] = (unsigned char)servet_stats_random(seed);
        if (servet_stats_random_below(seed, 4)) input[1] &= 0xfe;
        for (k = 3; k + 3 < i && servet_stats_random_below(seed, 100); k += 3)    /* some that rise in steps */
            input[k + 1] = (unsigned char)(16 + 40 * (k > i / 3) + 50 * (k > 2 * i / 3));
        return i;
    }
    servet_profile_free(&profile);
    memset(&profile, 0, sizeof profile);
    must(servet__profile_evidence(&profile) != NULL, "no memory");
    for (i = 0; i < n; i++) {
        bytes[i] = at *= 1.02 + 0.3 * servet_stats_random_unit(seed);
        ns[i] = (at < l1 ? 1 : at < l2 ? 4 : 30) * (1 + 0.1 * servet_stats_random_unit(seed));
    }
    must(servet_fit_curve(&profile.evidence->curve, bytes, ns, n) == SERVET_OK, "seed");
    profile.host.page_bytes = 4096;
    profile.host.report_count = 1;
    profile.host.report[0].level = 1;
    profile.host.report[0].bytes = 32768;
    profile.timer_valid = 1;
    profile.frequency.units = 1;
    profile.frequency.ghz = 3;
    seed_counts(seed);
    if (servet_stats_random_below(seed, 2)) seed_cpus(seed);
    if (servet_stats_random_below(seed, 2)) seed_network(seed);
    (void)servet_profile_infer(&profile);
    n = servet_profile_write(&profile, (char *)input, MOST);
    return n < MOST ? n : MOST - 1;
}

static size_t mutate(size_t n, uint64_t *seed)
{
    static const char *const words[] = {
        "1e999", "-1e999", "-1", "0", "1e-300", "1e300", "null", "true", "[]", "{}", "\"\"", "4294967296", "1e18",
            "[[", "}", "]",
        "\"bytes\": ", "\"page_bytes\": ", "\"points\": ", "-", "1e308, 1e308", "\\u0000", "5e-324", "\"servet\": 1, ",
            "0.5", "1e15"
    };
    size_t times = servet_stats_random_below(seed, 6), at, m, from;
    for (; times > 0 && n > 8; times--) {
        at = servet_stats_random_below(seed, n);
        switch (servet_stats_random_below(seed, 7)) {
        case 0: input[at] = (unsigned char)servet_stats_random(seed); break;
        case 1: input[at] = (unsigned char)(input[at] ^ (1u << servet_stats_random_below(seed, 8))); break;
        case 2:    /* a part left out */
            m = servet_stats_random_below(seed, servet_stats_random_below(seed, 2) ? 8 : n - at);
            memmove(input + at, input + at + (m < n - at ? m : n - at), n - at - (m < n - at ? m : n - at));
            n -= m < n - at ? m : n - at;
            break;
        case 3:    /* a part twice */
            m = servet_stats_random_below(seed, 200);
            from = servet_stats_random_below(seed, n);
            if (m > n - from) m = n - from;
            if (n + m >= MOST) break;
            memmove(input + at + m, input + at, n - at);
            memmove(input + at, input + (from < at ? from : from + m < n ? from : from - 0), m);
            n += m;
            break;
        case 4: if (servet_stats_random_below(seed, 8) == 0) n = at + 1; break;
        default: {    /* a number, or what follows a colon, becomes another value */
            const char *word = words[servet_stats_random_below(seed, sizeof words / sizeof *words)];
            const size_t length = strlen(word);
            size_t end;
            while (at < n && (input[at] < '0' || input[at] > '9')) at++;
            while (at > 0 && at < n && ((input[at - 1] >= '0' && input[at - 1] <= '9') || input[at - 1] == '.')) at--;
            for (end = at; end < n && ((input[end] >= '0' && input[end] <= '9') || input[end] == '.'); end++) { }
            if (n + length >= MOST) break;
            memmove(input + at + length, input + end, n - end);
            memcpy(input + at, word, length);
            n += length - (end - at);
        }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    const char *count = argc > 1 ? argv[1] : "20000";
    uint64_t seed = argc > 2 ? (uint64_t)strtoul(argv[2], NULL, 10) : 1;
    long i, last;
    size_t n;
    if (!strcmp(count, "-")) {
        n = fread(input, 1, MOST, stdin);
        LLVMFuzzerTestOneInput(input, n);
        return 0;
    }
    last = strtol(count, NULL, 10);
    for (i = 0; i < last; i++) {
        FILE *f;
        n = mutate(seed_input(&seed), &seed);
        f = fopen("crash-input", "wb");
        if (f) {
            fwrite(input, 1, n, f);
            fclose(f);
        }
        LLVMFuzzerTestOneInput(input, n);
    }
    remove("crash-input");
    printf("fuzz_profile: %ld inputs, no harm done\n", last);
    return 0;
}
#endif

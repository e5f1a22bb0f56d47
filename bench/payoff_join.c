/* payoff_join.c - a hash join in partitions whose tables stay in a cache
 *
 * 2^24 tuples (a key and a value of 4 bytes each) with 2^24 heads of chains and links, 256 MiB, are looked up by as
 * many others.  Both sides are first split into n partitions by bits of the hash.  By the system's numbers n is what
 * makes 256 MiB / n fit into the last level, or into the second; by servet's, SERVET_ASK_PARTS.  Radix join of one pass
 * (Balkesen et al., ICDE 2013): histogram, then scatter through a line of each partition. */
#include "payoff.h"

enum { BUILD = 1 << 24, PROBE = 1 << 24, HEAD_BITS = 24, PARTS_MAX = 1 << 12, LINE = 8 };
enum { APART = PAYOFF_APART * LINE };

typedef struct tuple { uint32_t key, value; } tuple;
typedef struct side { const tuple *in; tuple *out; size_t n; uint32_t from[PARTS_MAX], to[PARTS_MAX]; } side;
typedef struct join { side build, probe; uint32_t *head, *next; uint64_t expected; } join;

/* Multiplicative (Fibonacci) hashing: the upper bits are the good ones. */
static uint32_t hash(uint32_t key) { return key * 0x9e3779b1u; }

static void split(side *s, int bits)
{
    static tuple line[PARTS_MAX][LINE];     /* filled here, then copied as a whole */
    static uint32_t n[PARTS_MAX], held[PARTS_MAX];
    const int shift = 32 - bits, parts = 1 << bits;
    uint32_t at = 0;
    size_t i;
    int k;
    memset(n, 0, sizeof n);
    memset(held, 0, sizeof held);
    for (i = 0; i < s->n; i++) n[hash(s->in[i].key) >> shift]++;
    for (k = 0; k < parts; k++) {
        s->from[k] = s->to[k] = at;
        at += (n[k] + LINE - 1) / LINE * LINE + APART;
    }
    for (i = 0; i < s->n; i++) {
        const uint32_t part = hash(s->in[i].key) >> shift;
        line[part][held[part]++] = s->in[i];
        if (held[part] < LINE) continue;
        memcpy(s->out + s->to[part], line[part], sizeof line[part]);
        s->to[part] += LINE;
        held[part] = 0;
    }
    for (k = 0; k < parts; k++) {
        memcpy(s->out + s->to[k], line[k], held[k] * sizeof(tuple));
        s->to[k] += held[k];
    }
}

/* One partition: chains of tuples, which stay where they are.  Places count from 1, 0 ends a chain. */
static uint64_t join_part(const join *j, int bits, const tuple *build, size_t builds, const tuple *probe, size_t probes)
{
    const int shift = 32 - (HEAD_BITS - bits);
    uint64_t sum = 0;
    uint32_t *const head = j->head, *const next = j->next, at;
    size_t i;
    memset(head, 0, ((size_t)1 << (HEAD_BITS - bits)) * sizeof *head);
    for (i = 0; i < builds; i++) {
        uint32_t *const h = head + (hash(build[i].key) << bits >> shift);
        next[i] = *h;
        *h = (uint32_t)i + 1;
    }
    for (i = 0; i < probes; i++)
        for (at = head[hash(probe[i].key) << bits >> shift]; at; at = next[at - 1])
            if (build[at - 1].key == probe[i].key) {
                sum += build[at - 1].value ^ probe[i].value;
                break;
            }
    return sum;
}

static double run(void *ctx, double parts)
{
    join *j = (join *)ctx;
    const double begun = payoff_now();
    uint64_t sum = 0;
    int bits = 0, k;
    while (1 << bits < parts) bits++;
    if (bits) {
        split(&j->build, bits);
        split(&j->probe, bits);
        for (k = 0; k < 1 << bits; k++) {
            const side *b = &j->build, *p = &j->probe;
            sum += join_part(j, bits, b->out + b->from[k], b->to[k] - b->from[k], p->out + p->from[k],
                             p->to[k] - p->from[k]);
        }
    } else sum = join_part(j, 0, j->build.in, BUILD, j->probe.in, PROBE);
    if (j->expected && j->expected != sum) payoff_fail("partitions", "they change what is joined", 1);
    j->expected = sum;
    return payoff_now() - begun;
}

int main(int argc, char **argv)
{
    static join j;
    static payoff line[2];
    static const double choice[] = { 1, 8, 32, 64, 128, 256, 512, 2048 };
    servet_profile profile;
    tuple *build, *probe;
    uint64_t seed = 7;
    uint32_t i, k;
    int status = 0;
    payoff_arguments(argc, argv, "payoff_join");
    payoff_open(&profile, SERVET_PART_TLB, 2);
    servet__machine_pin(servet_cpus_next(&payoff_run.cpus, -1), NULL);
    build = (tuple *)payoff_memory(BUILD * sizeof *build);
    probe = (tuple *)payoff_memory(PROBE * sizeof *probe);
    j.head = (uint32_t *)payoff_memory(((size_t)1 << HEAD_BITS) * sizeof *j.head);
    j.next = (uint32_t *)payoff_memory(BUILD * sizeof *j.next);
    j.build.out = (tuple *)payoff_memory((BUILD + PARTS_MAX * (LINE + APART)) * sizeof *build);
    j.probe.out = (tuple *)payoff_memory((PROBE + PARTS_MAX * (LINE + APART)) * sizeof *probe);
    /* odd multiples of i + 1 are a permutation: every key once */
    for (i = 0; i < BUILD; i++) build[i].key = (i + 1) * 0x85ebca6bu, build[i].value = i;
    for (i = 0; i < PROBE; i++) probe[i].key = build[servet_stats_random_below(&seed, BUILD)].key, probe[i].value = 1;
    j.build.in = build, j.build.n = BUILD;
    j.probe.in = probe, j.probe.n = PROBE;
    for (k = 0; k < 2; k++) {
        payoff *p = &line[k];
        p->name = k ? "the same, by the second level" : "hash join, table of 256 MiB";
        p->run = run;
        p->ctx = &j;
        p->word = payoff_word_parts;
        for (i = 0; i < sizeof choice / sizeof *choice; i++) payoff_try(p, choice[i]);
        p->system = payoff_parts_of(256 * PAYOFF_MIB, k ? payoff_or(payoff_system_bytes(2), PAYOFF_MIB)
                                                        : payoff_system_last(), PARTS_MAX);
        p->servet = payoff_parts(&profile, 256 * PAYOFF_MIB, PARTS_MAX);
        if (payoff_line(p)) status = 1;
    }
    servet_profile_free(&profile);
    return status;
}

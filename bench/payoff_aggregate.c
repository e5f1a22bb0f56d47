/* payoff_aggregate.c - count keys of a column in partitions whose counters stay in a cache
 *
 * 2^25 keys of 4 bytes into 2^25 counters of 8 bytes, 256 MiB.  In n partitions of keys, which a pass collects first, a
 * partition's counters have 256 MiB / n.  n as in payoff_join.c. */
#include "payoff.h"

enum { KEYS = 1 << 25, KEY_BITS = 25, PARTS_MAX = 1 << 12, LINE = 16, APART = PAYOFF_APART * LINE };

typedef struct work {
    const uint32_t *key;
    uint32_t *part, from[PARTS_MAX], to[PARTS_MAX];     /* partitions, and where each lies */
    uint64_t *counter, expected;
} work;

static void split(work *w, int shift, int parts)
{
    static uint32_t line[PARTS_MAX][LINE], held[PARTS_MAX], n[PARTS_MAX];
    uint32_t at = 0;
    size_t i;
    int k;
    memset(n, 0, sizeof n);
    memset(held, 0, sizeof held);
    for (i = 0; i < KEYS; i++) n[w->key[i] >> shift]++;
    for (k = 0; k < parts; k++) {
        w->from[k] = w->to[k] = at;
        at += (n[k] + LINE - 1) / LINE * LINE + APART;
    }
    for (i = 0; i < KEYS; i++) {
        const uint32_t part = w->key[i] >> shift;
        line[part][held[part]++] = w->key[i];
        if (held[part] < LINE) continue;
        memcpy(w->part + w->to[part], line[part], sizeof line[part]);
        w->to[part] += LINE;
        held[part] = 0;
    }
    for (k = 0; k < parts; k++) {
        memcpy(w->part + w->to[k], line[k], held[k] * sizeof *w->part);
        w->to[k] += held[k];
    }
}

static double run(void *ctx, double parts)
{
    work *w = (work *)ctx;
    const double begun = payoff_now();
    uint64_t sum = 0;
    size_t i;
    int bits = 0, k;
    while (1 << bits < parts) bits++;
    if (bits) {
        split(w, KEY_BITS - bits, 1 << bits);
        for (k = 0; k < 1 << bits; k++)
            for (i = w->from[k]; i < w->to[k]; i++) w->counter[w->part[i]]++;
    } else for (i = 0; i < KEYS; i++) w->counter[w->key[i]]++;
    {
        const double seconds = payoff_now() - begun;
        for (i = 0; i < KEYS; i += 1021) sum += w->counter[i] * i;      /* as much more each time */
        if (w->expected && sum % w->expected) payoff_fail("partitions", "they change the counts", 1);
        if (!w->expected) w->expected = sum;
        return seconds;
    }
}

int main(int argc, char **argv)
{
    static work w;
    static payoff p;
    servet_profile profile;
    uint32_t *key;
    uint64_t seed = 7;
    static const double choice[] = { 1, 8, 32, 64, 128, 256, 512, 2048 };
    int i;
    payoff_arguments(argc, argv, "payoff_aggregate");
    payoff_open(&profile, SERVET_PART_TLB, 2);
    servet__machine_pin(servet_cpus_next(&payoff_run.cpus, -1), NULL);
    key = (uint32_t *)payoff_memory(KEYS * sizeof *key);
    w.part = (uint32_t *)payoff_memory((KEYS + PARTS_MAX * (LINE + APART)) * sizeof *w.part);
    w.counter = (uint64_t *)payoff_memory(KEYS * sizeof *w.counter);
    for (i = 0; i < KEYS; i++) key[i] = (uint32_t)servet_stats_random_below(&seed, KEYS);
    w.key = key;
    p.name = "aggregation, counters of 256 MiB";
    p.run = run;
    p.ctx = &w;
    p.word = payoff_word_parts;
    for (i = 0; i < (int)(sizeof choice / sizeof *choice); i++) payoff_try(&p, choice[i]);
    p.system = payoff_parts_of(256 * PAYOFF_MIB, payoff_system_last(), PARTS_MAX);
    p.servet = payoff_parts(&profile, 256 * PAYOFF_MIB, PARTS_MAX);
    servet_profile_free(&profile);
    return payoff_line(&p);
}

/* pair_sweep.c - a function of one's own, timed on every pair of CPUs at once, and who is near whom by it
 *
 *     cc -O2 examples/pair_sweep.c -I. -lm -pthread -o pair_sweep && ./pair_sweep
 *
 * Here two threads take turns at adding to one counter.  Any other function will do: what it costs each pair makes a
 * matrix, and groups come from any matrix of costs, with the chance of groups as good where all costs are alike.  Costs
 * of another function would be a second matrix: groups are then those that both tell. */
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 20000, TRIES = 5 };

static servet_timer timer;

typedef struct turn { int *counter; int odd; double ns; } turn;

static int take_turns(servet_team *team, void *arg)
{
    turn *mine = (turn *)arg;
    size_t met = 0;
    uint64_t start;
    int i;
    if (servet_team_meet(team, &met) < 0) return SERVET_EPIN;    /* both begin together */
    start = servet_timer_start(&timer);
    for (i = mine->odd; i < TURNS; i += 2) {
        while (__atomic_load_n(mine->counter, __ATOMIC_ACQUIRE) != i) { }
        __atomic_store_n(mine->counter, i + 1, __ATOMIC_RELEASE);
    }
    mine->ns = servet_timer_ns(&timer, start, servet_timer_stop(&timer)) / (double)TURNS;
    return SERVET_OK;
}

static void print_groups(const double *ns, const int *cpu, int n)
{
    servet_groups g;
    int group[SERVET_GROUPS_LAYERS * 64], i, k, status;
    memset(&g, 0, sizeof g);
    g.n = n;
    g.sorts = 1;
    g.cost[0] = ns;
    status = servet_groups_find(&g, group);
    if (status < 0) printf("no groups: %s\n", servet_status_text(status));
    else if (status == 0) printf("no CPU is nearer to one than to others%s\n", g.gradient ? ", but by steps" : "");
    for (k = 0; k < status; k++) {
        printf("layer %d, chance %.1g:", k + 1, exp(-g.evidence[k]));
        for (i = 0; i < n; i++) printf(" %d in %d", cpu[i], g.group[k][i]);
        printf("\n");
    }
}

int main(void)
{
    servet_cpus allowed;
    int cpu[64], counter[16], n = 0, round, i, k, count;
    servet_pair pair[32];
    double *ns;

    servet_machine_cpus(&allowed);
    for (i = servet_cpus_next(&allowed, -1); i >= 0 && n < 64; i = servet_cpus_next(&allowed, i)) cpu[n++] = i;
    ns = (double *)calloc((size_t)n * (size_t)n, sizeof *ns);
    if (!ns || servet_timer_init(&timer, NULL) < 0) return 1;
    for (round = 0; round < SERVET_PAIRS_ROUNDS(n); round++)    /* each CPU meets each other once */
        for (count = servet_pairs_round(pair, n, round), i = 0; i < count; i++) {
            double *cell = &ns[pair[i].a * n + pair[i].b];
            for (k = 0; k < TRIES; k++) {    /* the least: what disturbs only adds */
                turn both[2] = { { counter, 0, 0 }, { counter, 1, 0 } };
                int two[2];
                two[0] = cpu[pair[i].a];
                two[1] = cpu[pair[i].b];
                counter[0] = 0;
                if (servet_team_run(two, 2, NULL, take_turns, both, sizeof *both) < 0) continue;
                if (*cell == 0 || both[0].ns < *cell) *cell = both[0].ns;
            }
            ns[pair[i].b * n + pair[i].a] = *cell;
            printf("CPUs %d and %d: %.1f ns a turn\n", cpu[pair[i].a], cpu[pair[i].b], *cell);
        }
    if (n < 2) printf("one CPU: there is no pair\n");
    else print_groups(ns, cpu, n);
    free(ns);
    if (fflush(stdout) != 0 || ferror(stdout)) return perror("pair_sweep: standard output"), 2;
    return 0;
}

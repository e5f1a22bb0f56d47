/* test_network.c - the modelled network against what it is said to be; scaling, distance and access on it
 *
 * NETWORK_SEEDS=n takes n seeds of each case instead of few.
 */
#define SERVET_IMPLEMENTATION
#define SERVET_MPI_OFFLINE
#include "../servet_mpi.h"
#include "network.h"
#include "tap.h"

static net_model model;

/* One round of transfers that begin together: the mean time of a message. */
static double together_ns(int kind, int count, const servet_mpi_transfer *t, double bytes, int window)
{
    servet_mpi_round r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.bytes = (size_t)bytes;
    r.window = window;
    r.together = 1;
    r.count = count;
    r.transfer = t;
    if (net_exchange(&model, &r) < 0) return -1;
    return r.mean.median_ns;
}

/* All ranks of stride send to the one d steps on: the ratio to d = 1. */
static double shift_ratio(int ranks, int stride, int d, double bytes)
{
    servet_mpi_transfer t[SERVET_NETWORK_RANKS];
    double ns[2];
    int i, k;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < ranks; i++) {
            t[i].from = i * stride;
            t[i].to = (i + (k ? d : 1)) % ranks * stride;
        }
        ns[k] = together_ns(SERVET_MESSAGE_STREAM, ranks, t, bytes, 1);
    }
    return ns[1] / ns[0];
}

static void the_model_is_what_it_says(void)
{
    servet_mpi_transfer t[64];
    double one, all;
    int d, i;

    net_open(&model, net_named("ring"), NULL, NULL, 1);
    for (d = 1; d <= 8; d++) TAP_NEAR(shift_ratio(16, 1, d, 32e6), d, 1e-3, "ring of 16: ratio at %d", d);
    net_close(&model);

    net_open(&model, net_named("finis-terrae"), NULL, NULL, 1);
    TAP_NEAR(net_truth_ns(&model, 0, 16, 16384) / net_truth_ns(&model, 0, 1, 16384), 2, 0.05, "Finis Terrae: twice");
    for (i = 0; i < 16; i++) {
        t[2 * i].from = t[2 * i + 1].to = i;
        t[2 * i].to = t[2 * i + 1].from = 16 + i;
    }
    one = together_ns(SERVET_MESSAGE_TRIP, 1, t, 16384, 1);
    all = together_ns(SERVET_MESSAGE_TRIP, 32, t, 16384, 1);
    TAP_NEAR(all / one, 7, 0.01, "Finis Terrae: 32 messages take 7 times as long");
    net_close(&model);
}

static void layers_of_machines(void)
{
    size_t i;
    for (i = 0; i < sizeof net_specs / sizeof *net_specs; i++) {
        int layers;
        if (!TAP_OK(net_open(&model, &net_specs[i], NULL, NULL, 1) >= 0, "%s opens", net_specs[i].name)) continue;
        layers = net_truth_layers(&model, NULL);
        TAP_DIAG("%s: %d ranks, %d layers", net_specs[i].name, model.ranks, layers);
        net_close(&model);
    }
}

int main(void)
{
    the_model_is_what_it_says();
    layers_of_machines();
    return tap_done();
}

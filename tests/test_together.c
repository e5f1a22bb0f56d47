/* test_together.c - the last level of several CPUs as a profile has it, on modelled machines
 *
 * Everything from the first chase to the file, with what the caches themselves were found to be: who shares the last
 * level and is it exclusive, in the time of a run.  TOGETHER_SEEDS=10 takes so many seeds instead of two,
 * or four AT_LENGTH=1: chance alone loses two runs of six. */
#include "servet.h"
#include "sim.h"
#include "tap.h"

static servet_profile p, again;
static sim s;

/* Servet's answer on a machine with all its CPUs; a status.  parts as in servet_profile_opts. */
static int measure(const sim_spec *spec, int seed, int parts)
{
    servet_profile_opts o;
    servet_machine m;
    servet_cpus cpus;
    int i, status;
    memset(&o, 0, sizeof o);
    memset(&cpus, 0, sizeof cpus);
    memset(&p, 0, sizeof p);
    if (sim_open(&s, spec, &sim_noises[SIM_GUEST], (uint64_t)seed) < 0) return SERVET_ENOMEM;
    s.exact = 512;
    for (i = 0; i < spec->cpus && i < SIM_CPUS; i++) servet_cpus_add(&cpus, i);
    m = sim_machine(&s);
    m.bytes = o.hi_bytes = 268435456;
    o.budget_s = parts ? 7 : 12;
    o.cpus = &cpus;
    o.parts = parts;
    o.seed = (uint64_t)seed;
    p.host.page_bytes = spec->page_bytes;
    p.host.memory_bytes = 16e9;
    p.host.cpu_count = cpus.count;
    status = servet_profile_measure(&p, &m, &o);
    sim_close(&s);
    return status;
}

static void rates(void)
{
    static const char *const name[] = { "hsx-guest-8", "skylake-sp", "paper-dempsey", "exynos-m3",
                                        "loongson-3a5000", "paper-dunnington" };
    enum { machines = (int)(sizeof name / sizeof *name) };
    const char *asked = getenv("TOGETHER_SEEDS");
    const int seeds = asked ? atoi(asked) : getenv("AT_LENGTH") ? 4 : 2;
    int i, seed, runs = 0, told = 0, right = 0, exclusive = 0, wrong = 0, late = 0;
    for (i = 0; i < machines; i++) {
        const sim_spec *spec = sim_named(name[i]);
        const int last = sim_truth_levels(spec) - 1, truth = spec->level[last].relation;
        for (seed = 1; seed <= seeds; seed++) {
            const int status = measure(spec, seed, SERVET_PART_SHARED);
            const int apart = spec->level[last].cores <= 1;
            runs++;
            late += p.made.seconds > 1.2 * 7;
            TAP_DIAG("%s, seed %d: %s in %.1f s; %d CPUs, %d rounds: %s, %s; one %.2f of what there is, all %.2f",
                     name[i], seed, servet_status_text(status), p.made.seconds, p.shared.cpus, p.shared.rounds,
                     servet_fit_sharing_text(p.shared.sharing), servet_fit_exclusive_text(p.shared.exclusive),
                     p.shared.one_bytes / sim_truth_bytes(spec, last),
                     p.shared.all_bytes / sim_truth_bytes(spec, last));
            if (p.shared.sharing == SERVET_SHARING_UNKNOWN) continue;
            told++;
            right += p.shared.sharing == (apart ? SERVET_SHARING_NONE : SERVET_SHARING_ALL);
            exclusive += p.shared.exclusive != SERVET_EXCLUSIVE_UNKNOWN;
            wrong += (p.shared.exclusive == SERVET_EXCLUSIVE_YES && truth != SIM_EXCLUSIVE)
                  || (p.shared.exclusive == SERVET_EXCLUSIVE_NO && truth == SIM_EXCLUSIVE);
        }
    }
    TAP_DIAG("of %d runs %d say who shares the last level, %d rightly; %d say if it is exclusive, %d wrongly", runs,
             told, right, exclusive, wrong);
    TAP_OK(told >= 0.62 * runs, "most runs tell who shares the last level");    /* 20 of 24, two deviations less */
    TAP_OK(told - right <= 0.03 * runs, "hardly ever wrongly");
    TAP_OK(exclusive >= 0.3 * runs && wrong <= 0.03 * runs, "some if it is exclusive, hardly ever wrongly");
    TAP_OK(late == 0, "none takes more than 1.2 times its 7 s");
}

/* With the TLBs, as a run of 12 s has it, and from the file alone. */
static void whole(void)
{
    const sim_spec *spec = sim_named("hsx-guest-8");
    int status = measure(spec, 1, 0);
    char *text;
    size_t n = servet_profile_write(&p, NULL, 0);
    text = (char *)malloc(n + 1);
    if (!text) abort();
    servet_profile_write(&p, text, n + 1);
    TAP_OK(status == SERVET_OK && p.tlb.small.count > 0 && p.evidence->together.count > 0 && p.made.seconds < 13,
           "caches, TLBs and several CPUs in %.1f s", p.made.seconds);
    status = servet_profile_parse(&again, text, n, NULL);
    memset(&again.shared, 0, sizeof again.shared);
    servet_profile_infer(&again);
    TAP_OK(status == SERVET_OK && !memcmp(&again.shared, &p.shared, sizeof p.shared), "inferred again from the file");
    free(text);
}

int main(void)
{
    rates();
    whole();
    return tap_done();
}

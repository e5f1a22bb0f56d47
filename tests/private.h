/* private.h - private functions of servet.h that tests call where they link a compiled copy of it (build/servet.o)
 *
 * The copy is compiled with this file behind the header, so that a declaration which is not as the definition stops
 * the compiler.  What needs private types is tested by units that compile the header themselves. */
#ifndef SERVET_TESTS_PRIVATE_H
#define SERVET_TESTS_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wredundant-decls"    /* after the definitions, where there are any */
#endif
double servet__min(double a, double b);
double servet__max(double a, double b);
double servet__timer_gap(double *delta, size_t n);
void   servet__shuffle(uint32_t *x, size_t n, uint64_t *seed);
int    servet__chase_resolve(servet_chase_opts *o, const servet_chase_opts *opts);
int    servet__track_resolve(servet_track *t, const servet_track *track);
double servet__class_misses(double m, double k, int policy);
double servet__miss_rate(double (*f)[224], double n, double p, int placement);
double servet__sharing_llr(const servet_sharing_test *t, const servet_sharing_sample *x, double again_ns);
int servet__sharing_levels(servet_sharing *s);
double servet__clock_ns(void);
double servet__add_ns(const servet_timer *t, size_t turns);
double servet__adds_ns(const servet_timer *t, size_t turns);
void   servet__automaton_infer(servet_automaton *a);
double servet__scaling_amdahl(double f, double workers);
double servet__scaling_gustafson(double f, double workers);
double servet__scaling_serial(double speedup, double workers);
int    servet__cpu_now(void);
double servet__cgroup_left(const char *system);
void servet__host_limits(servet_host *h, const char *system);
void   servet__report_tlb_amd(servet_host *h, const unsigned l5[2], const unsigned l6[2], const unsigned l19[2],
                              unsigned l21);
void   servet__report_tlb_leaf18(servet_host *h, unsigned b, unsigned c, unsigned d);
void   servet__report_tlb_leaf2(servet_host *h, const unsigned word[4]);
void   servet__profile_clear(servet_profile *p);
int    servet__profile_parse(servet_profile *p, const char *text, size_t length, char *error, int evidence,
                             const char *key);
int    servet__profile_verdict(const servet_profile *p, int level, int source);
int    servet__profile_parse(servet_profile *p, const char *text, size_t length, char *error, int evidence,
                             const char *key);
void   servet__profile_add(servet_profile *p, servet_profile *more, int parts);
int    servet__profile_against(const servet_profile *p, int level, double said);
int    servet__bandwidth_count(int kernel, int streaming, int allocate);
const servet_bandwidth_point *servet__bandwidth_find(const servet_bandwidth *b, int series, int kernel,
                                                     int streaming, int cpus, double bytes);
int    servet__bandwidth_fit(servet_saturation *out, const int *n, const double *rate, const double *lo,
                             const double *hi, size_t count, double share_frac);
int    servet__bandwidth_fit_parallel(servet_mlp *out, const servet_parallelism *p);
int    servet__bandwidth_fit_stores(servet_streaming *out, const servet_bandwidth *b, int cpus);
int    servet__contention_loss(servet_contention_gamma *g, double *left, int rounds);
void   servet__bandwidth_order(int *order, const int *place, int n, const int16_t *layer, int width, int layers,
                               const int16_t *core, int spread);
int    servet__contention_overheads(servet_contention *c);
void   servet__bandwidth_estimate(servet_bandwidth *out);
int    servet__bandwidth_loaded(servet_bandwidth *out, const servet_machine *m, double chase_bytes, double bytes,
                                const int *cpu, int cpus, const servet_bandwidth_opts *opts);
int    servet__bandwidth_numa(servet_bandwidth *out, const servet_machine *m, const servet_node *node, int nodes,
                              double bytes, const servet_bandwidth_opts *opts);
int    servet__bandwidth_kernels(servet_bandwidth *out, const servet_machine *m, const double *bytes, int sizes,
                                 const int *cpu, int cpus, int one, int streaming, const servet_bandwidth_opts *opts);
int    servet__bandwidth_scaling(servet_bandwidth *out, const servet_machine *m, double bytes, int spread,
                                 const int *cpu, int cpus, const servet_bandwidth_opts *opts);
int    servet__contention_infer(servet_contention *c, int *children, int *growth);
void   servet__coherence_infer(servet_coherence *out);
size_t servet__chase_pages(size_t n, const servet_chase_opts *opts);
int    servet__still_told(int *still, const double *ns, int rounds);
int    servet__profile_again(const servet_profile *p, const servet_machine *m, double step_ns, double seconds,
                             uint64_t seed);
const servet_timer *servet__profile_timer(const servet_profile *p);
double servet__profile_last(const servet_profile *p, const servet_cache **before, double *memory_ns);
double servet__profile_lessened(const servet_profile *p, const servet_machine *m, double step_ns, double seconds,
                                uint64_t seed);
double servet__claims_seen(const servet_profile *p, const servet_machine *m, double until_s, uint64_t seed);
int servet__profile_moved(const servet_profile *p, const servet_machine *m, int cpu, uint64_t seed);
double servet__memory_fetch(const servet_machine *m, int cpu, uint64_t seed);
int    servet__still(const servet_machine *m, double bytes, int lines, double seconds, double wall_s, uint64_t seed);
int    servet__count_hindered(const servet_count *c);
int    servet__count_decide(int resident, int evicted, double disturbed_frac, double error_frac);
int    servet__resident_resolves(const servet_resident *e, double before, double bytes, double held,
                                 double anchor_cycles, double step_ns);
double servet__resident_seen(const servet_resident *e, double before_ns, double memory_ns);
int    servet__line_fit(servet_line *out, const servet_line_evidence *e);
int    servet__hierarchy_counts(servet_count *count, int known, int cap, const servet_curve *thin,
                                const servet_machine *m, const servet_run *run);
int    servet__hierarchy_thin(servet_curve *out, const servet_machine *m, double hi_bytes,
                              const servet_run *run);
int    servet__hierarchy_line(servet_line_evidence *out, const servet_machine *m, const servet_run *run);
int    servet__hierarchy_tlbs(servet_count *count, int cap, const servet_machine *m, double page_bytes, int large,
                              const servet_run *run);
int    servet__hierarchy_survival(servet_survivals *e, const servet_machine *m, double level_bytes,
                                  double before_bytes, const servet_run *run);
int    servet__survival_infer(servet_survival *out, const servet_survivals *e);
void   servet__machine_host(servet_host *h);
int    servet__machine_pin(int cpu, servet_cpus *saved);
int    servet__machine_restore(const servet_cpus *saved);
int    servet__machine_nodes(servet_node *out, int cap);
int    servet__mcalibrator_grid(double *bytes, size_t cap, double lo_bytes, double hi_bytes,
                                double points_per_octave, int line_bytes);
void   servet__mcalibrator_settle(servet_curve *curve);
servet_evidence *servet__profile_evidence(servet_profile *p);
int servet__cores_infer(servet_cores *c);
int servet__cores_siblings(int16_t *group, const servet_cores *c);
int servet__cores_layers(servet_layers *out, const servet_cores *c, int kind);
int    servet__cores_still(const servet_cores *c, const servet_machine *m, uint64_t seed);
int servet__profile_infer_layers(servet_profile *p);
int servet__cpus_has(const servet_cpus *cpus, int cpu);
void *servet__walk(void *p, size_t steps);
#if defined(__GNUC__)
#  pragma GCC diagnostic pop
#endif

#endif /* SERVET_TESTS_PRIVATE_H */

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
int    servet__share_told(double *llr, int *votes, const double *ns, int n, double limit_ns);
double servet__clock_ns(void);
int    servet__cpu_now(void);
double servet__cgroup_left(const char *system);
void   servet__report_tlb_amd(servet_host *h, const unsigned l5[2], const unsigned l6[2], const unsigned l19[2],
                              unsigned l21);
void   servet__report_tlb_leaf18(servet_host *h, unsigned b, unsigned c, unsigned d);
void   servet__report_tlb_leaf2(servet_host *h, const unsigned word[4]);
void   servet__profile_clear(servet_profile *p);
int    servet__profile_parse(servet_profile *p, const char *text, size_t length, char *error, int evidence,
                             const char *key);
int    servet__profile_verdict(const servet_profile *p, int level, int source);
#if defined(__GNUC__)
#  pragma GCC diagnostic pop
#endif

#endif /* SERVET_TESTS_PRIVATE_H */

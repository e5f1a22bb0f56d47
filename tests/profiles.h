/* profiles.h - profiles that tests fill again and again: what is behind their pointers is released in time */
#ifndef SERVET_TESTS_PROFILES_H
#define SERVET_TESTS_PROFILES_H

#include "../servet.h"
#include "private.h"

#include <stdlib.h>
#include <string.h>

/* Is it of bytes that no function wrote?  Then there is nothing to release. */
static inline int messed(const servet_profile *p)
{
    unsigned char mess[sizeof p->evidence];
    memset(mess, 0x5a, sizeof mess);
    return !memcmp(&p->evidence, mess, sizeof mess);
}

/* About to be filled. */
static inline servet_profile *anew(servet_profile *p)
{
    if (!messed(p)) servet_profile_free(p);
    return p;
}

static inline void mess(servet_profile *p) { memset(anew(p), 0x5a, sizeof *p); }
static inline void zero(servet_profile *p) { memset(anew(p), 0, sizeof *p); }
static inline void clear(servet_profile *p) { servet__profile_clear(anew(p)); }

static inline void *zeros(size_t bytes)
{
    void *block = calloc(1, bytes);
    if (!block) abort();
    return block;
}

/* One of nothing, with empty evidence. */
static inline servet_evidence *with_evidence(servet_profile *p)
{
    clear(p);
    if (!servet__profile_evidence(p)) abort();
    return p->evidence;
}

static inline int same_block(const void *a, const void *b, size_t bytes)
{
    return a && b ? !memcmp(a, b, bytes) : a == b;
}

/* The same to the last bit, behind pointers, too. */
static inline int same(const servet_profile *a, const servet_profile *b)
{
    servet_profile x = *a, y = *b;
    x.cores = y.cores = NULL;
    x.sharing = y.sharing = NULL;
    x.contention = y.contention = NULL;
    x.coherence = y.coherence = NULL;
    x.network = y.network = NULL;
    x.evidence = y.evidence = NULL;
    return !memcmp(&x, &y, sizeof x) && same_block(a->cores, b->cores, sizeof *a->cores)
        && same_block(a->sharing, b->sharing, sizeof *a->sharing)
        && same_block(a->contention, b->contention, sizeof *a->contention)
        && same_block(a->coherence, b->coherence, sizeof *a->coherence)
        && same_block(a->network, b->network, sizeof *a->network)
        && same_block(a->evidence, b->evidence, sizeof *a->evidence);
}

#endif /* SERVET_TESTS_PROFILES_H */

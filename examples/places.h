/* places.h - what the system says of a CPU, and processes of a node in an order by which near ones follow each other */
#ifndef SERVET_EXAMPLES_PLACES_H
#define SERVET_EXAMPLES_PLACES_H

#include "servet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of a file of the system, without its end; 0 = there is none. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline int system_line(char *text, size_t cap, const char *format, ...)
{
    char path[128];
    va_list args;
    FILE *f;
    int some;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    f = fopen(path, "r");
    some = f && fgets(text, (int)cap, f);
    if (f) fclose(f);
    if (some) text[strcspn(text, "\n")] = 0;
    return some;
}

/* The number that a line begins with; -1 = none. */
static inline int system_number(const char *file, int cpu)
{
    char text[64];
    if (!system_line(text, sizeof text, "/sys/devices/system/cpu/cpu%d/%s", cpu, file)) return -1;
    return text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

/* What the system says of a CPU; -1 = nothing. */
typedef struct system_cpu {
    int cpu, core, package;              /* numbers; that of a core counts within its package       */
    int cache[SERVET_LEVELS_MAX];        /* the first CPU of those that share its cache of a level, from level 1 on */
} system_cpu;

static inline void system_place(system_cpu *at, int cpu)
{
    char file[64], type[32];
    int i, level;
    at->cpu = cpu;
    at->core = system_number("topology/core_id", cpu);
    at->package = system_number("topology/physical_package_id", cpu);
    for (i = 0; i < SERVET_LEVELS_MAX; i++) at->cache[i] = -1;
    for (i = 0; system_line(type, sizeof type, "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, i); i++) {
        snprintf(file, sizeof file, "cache/index%d/level", i);
        level = system_number(file, cpu);
        if (level < 1 || level > SERVET_LEVELS_MAX || !strcmp(type, "Instruction")) continue;
        snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", i);
        at->cache[level - 1] = system_number(file, cpu);
    }
}

/* Where a process is, the outermost first: processor, caches from the last level on, core, CPU; -1 = not known. */
enum { PLACE_CPU = SERVET_LEVELS_MAX + 2, PLACE_KEYS };
typedef struct whereabouts { int key[PLACE_KEYS]; } whereabouts;

/* A CPU as the system has it, but for caches of which p knows who shares them. */
static inline whereabouts place_of(int cpu, const servet_profile *p)
{
    const servet_sharing *const x = p ? p->sharing : NULL;
    system_cpu at;
    whereabouts out;
    int i, k, own;
    system_place(&at, cpu);
    for (own = 0; x && own < x->cpus && x->cpu[own] != cpu; own++) { }
    for (i = 0; x && own < x->cpus && i < x->count; i++) {
        const servet_sharing_level *l = &x->level[i];
        if (l->level < 1 || l->level > SERVET_LEVELS_MAX || l->group[own] < 0) continue;
        for (k = 0; l->group[k] != l->group[own]; k++) { }
        at.cache[l->level - 1] = x->cpu[k];
    }
    out.key[0] = at.package;
    for (i = 0; i < SERVET_LEVELS_MAX; i++) out.key[1 + i] = at.cache[SERVET_LEVELS_MAX - 1 - i];
    out.key[PLACE_CPU - 1] = at.core;
    out.key[PLACE_CPU] = cpu;
    return out;
}

/* Of a process that may use several CPUs, what they have in common. */
static inline whereabouts place_in(const servet_cpus *cpus, const servet_profile *p)
{
    whereabouts out, other;
    int cpu = servet_cpus_next(cpus, -1), k, some = cpu >= 0;
    memset(&out, -1, sizeof out);
    if (some) out = place_of(cpu, p);
    while (some && (cpu = servet_cpus_next(cpus, cpu)) >= 0) {
        other = place_of(cpu, p);
        for (k = some = 0; k < PLACE_KEYS; k++) {
            if (out.key[k] != other.key[k]) out.key[k] = -1;
            some |= out.key[k] >= 0;
        }
    }
    return out;
}

static inline int place_known(const whereabouts *at)
{
    int k;
    for (k = 0; k < PLACE_KEYS && at->key[k] < 0; k++) { }
    return k < PLACE_KEYS;
}

/* order[i]: the rank that takes the place of rank i, which is on the same host, so that of each host those near each
 * other follow each other; as they were, where nothing is known. */
static inline void place_order(int *order, const whereabouts *at, const int *host, int ranks)
{
    int i, k, q;
    for (i = 0; i < ranks; i++) order[i] = i;
    for (i = 0; i < ranks; i++) {
        int least = i;
        for (k = i + 1; k < ranks; k++) {
            const whereabouts *const a = &at[order[k]], *const b = &at[order[least]];
            if (host[k] != host[i]) continue;
            for (q = 0; q < PLACE_KEYS - 1 && a->key[q] == b->key[q]; q++) { }
            if (a->key[q] < b->key[q] || (a->key[q] == b->key[q] && order[k] < order[least])) least = k;
        }
        k = order[i];
        order[i] = order[least];
        order[least] = k;
    }
}

#endif

/* paper_fit.h - what the five works conclude from their measurements, as they print it: no clock, no threads
 *
 * Servet (2010): the gradients of Figure 2(b), the algorithms of Figures 3 and 4, and the lists of Figures 6 and 7.
 * P-Ray: the equation of its section 3.4, and where Figures 4 and 8 are read.  MareNostrum 5: Table 1, and the
 * theoretical peak of section 4.1. */
#if !defined(PAPER_FIT_H)
#define PAPER_FIT_H

#include <math.h>
#include <stddef.h>

enum { PAPER_SIZES = 512, PAPER_LEVELS = 8, PAPER_CLASSES = 32 };

/* Figure 2(b): gradient k is C[k+1] / C[k]; there is one less than sizes. */
static void paper_gradients(double *gradient, const double *cycles, int n)
{
    int k;
    for (k = 0; k + 1 < n; k++) gradient[k] = cycles[k] > 0 ? cycles[k + 1] / cycles[k] : 1;
}

/* Tentative sizes, which the paper leaves open: 2^k times 1, 3, 5, 7, 9, 11, and from 32 MiB on times 33 (three times
 * 11 slices: in steps of 1 MiB a smaller one could not be told from the power of two beside it). */
static int paper_tentative(double *bytes, int cap, double lo_bytes, double hi_bytes)
{
    static const int odd[] = { 1, 3, 5, 7, 9, 11, 33 };
    int n = 0, power, i, k;
    for (i = 0; i < (int)(sizeof odd / sizeof *odd); i++)
        for (power = odd[i] == 33 ? 20 : 10; power < 36; power++) {
            const double size = ldexp((double)odd[i], power);
            if (size < lo_bytes || size > hi_bytes || n == cap) continue;
            for (k = n++; k > 0 && bytes[k - 1] > size; k--) bytes[k] = bytes[k - 1];
            bytes[k] = size;
        }
    return n;
}

/* Figure 3: div[CS][K] = sum of |MR[i] - P(X > K)|, X of B(NP[i], K PS / CS), of each tentative size and associativity;
 * the statistical mode of CS in the five elements with the lowest values, of equal ones the lowest.  0 = not known. */
static double paper_binomial(const double *bytes, const double *cycles, int n, double page_bytes)
{
    static const int ways[] = { 1, 2, 3, 4, 6, 8, 9, 11, 12, 16, 18, 20, 24, 32 };
    enum { BEST = 5 };
    double size[PAPER_SIZES], div[BEST], best[BEST], hit = 0, top = 0;
    int sizes, found = 0, most = 0, mode = 0, i, k, c;
    for (i = 0; i < n; i++) {
        if (i == 0 || cycles[i] < hit) hit = cycles[i];
        if (i == 0 || cycles[i] > top) top = cycles[i];
    }
    if (n < 3 || !(top > hit) || !(page_bytes > 0)) return 0;
    sizes = paper_tentative(size, PAPER_SIZES, bytes[0], bytes[n - 1]);
    for (c = 0; c < sizes; c++)
        for (k = 0; k < (int)(sizeof ways / sizeof *ways); k++) {
            const double p = ways[k] * page_bytes / size[c];
            double sum = 0;
            int at, j;
            if (p > 1) continue;    /* a way is smaller than a page: no such page sets */
            for (i = 0; i < n; i++)
                sum += fabs((cycles[i] - hit) / (top - hit)
                            - servet_stats_binomial_tail(floor(bytes[i] / page_bytes), ways[k] + 1, p));
            for (at = found; at > 0 && div[at - 1] > sum; at--) { }
            if (at == BEST) continue;
            if (found < BEST) found++;
            for (j = found - 1; j > at; j--) {
                div[j] = div[j - 1];
                best[j] = best[j - 1];
            }
            div[at] = sum;
            best[at] = size[c];
        }
    for (i = 0; i < found; i++) {
        int times = 0;
        for (k = 0; k < found; k++) times += best[k] >= best[i] && best[k] <= best[i];
        if (times > most) {
            most = times;
            mode = i;
        }
    }
    return found ? best[mode] : 0;
}

/* A cache that Figure 4 found: its size, and by which of its branches. */
enum { PAPER_BY_POSITION, PAPER_BY_PROBABILITY, PAPER_BY_LARGEST };
typedef struct paper_level { double bytes; int how; double lo_bytes, hi_bytes; } paper_level;

/* Where the range of the peak at k ends, as a place among sizes: where gradients are no longer larger than 1, or in the
 * valley before another peak, if the rise there is less than half of what it is at either. */
static int paper_range_end(const double *gradient, int k, int n, double noise)
{
    double top = gradient[k] - 1, valley = top;
    int i, at = k;
    for (i = k + 1; i + 1 < n && gradient[i] > 1 + noise; i++) {
        const double rise = gradient[i] - 1;
        if (rise > 2 * valley && top > 2 * valley) return at + 1;
        if (rise < valley || rise > top) {
            valley = rise;
            at = i;
        }
        top = fmax(top, rise);
    }
    return i;
}

/* Figure 4, peak by peak.  A gradient is larger than 1 where it is so by more than `noise`; a peak is the largest of
 * its neighbours, and its range is where gradients around it are larger than 1.  A range over which time grows by less
 * than a quarter is none (that is no cache to servet_fit_levels either).  Returns the number of levels. */
static int paper_levels(paper_level *level, int cap, const double *bytes, const double *cycles, int n,
                        double page_bytes, double noise)
{
    double gradient[PAPER_SIZES];
    int k, from, to, begin = 0, count = 0;
    if (n < 2 || n > PAPER_SIZES) return 0;
    paper_gradients(gradient, cycles, n);
    for (k = 0; k + 1 < n && count < cap; k++) {
        paper_level *l = &level[count];
        if (!(gradient[k] > 1 + noise)) continue;
        if ((k > 0 && k > begin && gradient[k - 1] > gradient[k]) || (k + 2 < n && gradient[k + 1] > gradient[k]))
            continue;
        for (from = k; from > begin && gradient[from - 1] > 1 + noise; from--) { }
        to = paper_range_end(gradient, k, n, noise);
        if (cycles[to] < 1.25 * cycles[from]) continue;
        l->lo_bytes = bytes[from];
        l->hi_bytes = bytes[to];
        l->how = PAPER_BY_POSITION;
        l->bytes = bytes[k];
        if (count == 0) to = k + 1;    /* the first peak alone: what follows is of the next cache */
        else if (to - from > 1 || to + 1 == n) {
            l->how = to + 1 == n ? PAPER_BY_LARGEST : PAPER_BY_PROBABILITY;
            l->bytes = paper_binomial(bytes + from, cycles + from, to - from + 1, page_bytes);
        }
        count += l->bytes > 0;
        begin = to;
        k = to - 1;
    }
    return count;
}

/* Figures 6 and 7: the class whose value is similar (within a tenth, which the paper leaves open), or a new one.
 * Returns its number, -1 where there is no room. */
static int paper_class_of(double *value, int *classes, int cap, double x)
{
    int i;
    for (i = 0; i < *classes; i++) if (fabs(x - value[i]) <= 0.1 * value[i]) return i;
    if (*classes == cap) return -1;
    value[*classes] = x;
    return (*classes)++;
}

/* P-Ray, section 3.4: clock x bytes of a line / cycles of a read.  In bytes a second; its GB are of 2^30. */
static double paper_effective(double ghz, double line_bytes, double cycles)
{
    return cycles > 0 ? ghz * 1e9 * line_bytes / cycles : 0;
}

/* P-Ray, Figure 8: the smallest number of chains from which on the time is constant: within 5 % of the least. */
static int paper_saturation(const double *cycles, int n)
{
    double least = cycles[0];
    int k;
    for (k = 1; k < n; k++) if (cycles[k] < least) least = cycles[k];
    for (k = 0; k < n && cycles[k] > 1.05 * least; k++) { }
    return k + 1;
}

/* P-Ray, Figure 4: the distance at which time decreases most against the one before, by a fifth at least; else 0. */
static double paper_block(const double *distance, const double *ns, int n)
{
    double most = 1.25;
    int k, at = -1;
    for (k = 1; k < n; k++)
        if (ns[k] > 0 && ns[k - 1] / ns[k] > most) {
            most = ns[k - 1] / ns[k];
            at = k;
        }
    return at < 0 ? 0 : distance[at];
}

/* MareNostrum 5, Table 1: mean of the points whose size is above that of the level before and not above this one's.
 * 0 = there are none. */
static double paper_level_mean(const double *bytes, const double *ns, int n, double before_bytes, double level_bytes)
{
    double sum = 0;
    int i, some = 0;
    for (i = 0; i < n; i++)
        if (bytes[i] > before_bytes && bytes[i] <= level_bytes) {
            sum += ns[i];
            some++;
        }
    return some ? sum / some : 0;
}

/* Bytes a second that a memory module can move at most, by its record in the system's tables (SMBIOS 3.x, structure of
 * type 17: size at 0x0c, data width in bits at 0x0a, speed at 0x15 and as configured at 0x20, in 10^6 transfers a
 * second).  0 = no module, or not said. */
static double paper_module_rate(const unsigned char *record, size_t length)
{
    unsigned width, size, speed;
    if (length < 0x17 || record[0] != 17) return 0;
    width = record[0x0a] + 256u * record[0x0b];
    size = record[0x0c] + 256u * record[0x0d];
    speed = record[0x15] + 256u * record[0x16];
    if (length >= 0x22 && record[1] >= 0x22 && record[0x20] + record[0x21] > 0)
        speed = record[0x20] + 256u * record[0x21];
    if (size == 0 || size == 0xffff || width == 0xffff || speed == 0xffff) return 0;
    return 1e6 * speed * width / 8;
}

#endif

/* show.h - a profile as text: five lines for a person in a hurry, then sections, 80 columns wide
 *
 * Part of servet.c.  Tables are made to fit; sentences are said word by word and broken where the line is full. */
#ifndef SERVET_SHOW_H
#define SERVET_SHOW_H

/* ---- numbers as people read them ------------------------------------------------------------- */

typedef struct words { char text[160]; } words;

/* Sizes in units of 2^10, with three digits. */
static words size_text(double bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    words w;
    int u = 0;
    if (!(fabs(bytes) < 1e18)) {    /* no size: as it came */
        snprintf(w.text, sizeof w.text, "%.3g B", bytes);
        return w;
    }
    while (bytes >= 1024 && u < 4) {
        bytes /= 1024;
        u++;
    }
    snprintf(w.text, sizeof w.text, "%.*f %s", bytes == floor(bytes) || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2, bytes,
             unit[u]);
    return w;
}

static words said_text(double bytes)
{
    words nothing = { "nothing" };
    return bytes > 0 ? size_text(bytes) : nothing;
}

#define SHOW_WIDE 1e6    /* from there on numbers are told as powers of ten, so that columns hold them */

/* Three digits, or all before the point. */
static words digits(double x)
{
    words w;
    if (fabs(x) < SHOW_WIDE) snprintf(w.text, sizeof w.text, "%.*f", x >= 100 ? 0 : x >= 10 ? 1 : 2, x);
    else snprintf(w.text, sizeof w.text, "%.3g", x);
    return w;
}

/* Times of loads, in ns or cycles: with tenths, and hundredths below ten; 0 is not known. */
static words time_text(double x)
{
    words w;
    if (x == 0) snprintf(w.text, sizeof w.text, "-");
    else if (fabs(x) < SHOW_WIDE) snprintf(w.text, sizeof w.text, "%.*f", x >= 10 ? 1 : 2, x);
    else snprintf(w.text, sizeof w.text, "%.3g", x);
    return w;
}

/* Ends that are the value itself are those of one sample, which is no interval. */
static int is_one_sample(double lo, double hi) { return hi > 0 && lo >= hi; }

static words digits_within(double x, double lo, double hi)
{
    words w;
    if (!(x > 0)) snprintf(w.text, sizeof w.text, "-");
    else if (is_one_sample(lo, hi)) snprintf(w.text, sizeof w.text, "%.30s (one sample)", digits(x).text);
    else snprintf(w.text, sizeof w.text, "%.30s [%.30s, %.30s]", digits(x).text, digits(lo).text, digits(hi).text);
    return w;
}

static words times_text(double lo_ns, double hi_ns)
{
    words w;
    if (is_one_sample(lo_ns, hi_ns)) snprintf(w.text, sizeof w.text, "one sample");
    else if (!(hi_ns > 0)) snprintf(w.text, sizeof w.text, "-");
    else snprintf(w.text, sizeof w.text, "[%.40s, %.40s]", time_text(lo_ns).text, time_text(hi_ns).text);
    return w;
}

/* What follows a value: its interval, with so many decimals. */
static words bracket_text(int decimals, double lo, double hi)
{
    words w;
    if (is_one_sample(lo, hi)) snprintf(w.text, sizeof w.text, "(one sample)");
    else snprintf(w.text, sizeof w.text, "[%.*f, %.*f]", decimals, lo, decimals, hi);
    return w;
}

static words interval_text(double lo_bytes, double hi_bytes)
{
    words w, lo = size_text(lo_bytes), hi = size_text(hi_bytes);
    snprintf(w.text, sizeof w.text, "[%.40s, %.40s]", lo.text, hi.text);
    return w;
}

/* Rates in units of 10^9 bytes a second, as makers of memory have them. */
static words rate_text(double bytes_per_s) { return digits(bytes_per_s * 1e-9); }

/* Of messages: in microseconds; in 10^6 bytes a second. */
static words us_text(double ns) { return digits(ns * 1e-3); }
static words us_within(double ns, double lo_ns, double hi_ns)
{
    return digits_within(ns * 1e-3, lo_ns * 1e-3, hi_ns * 1e-3);
}
static words mb_text(double bytes_per_s) { return digits(bytes_per_s * 1e-6); }
static words mb_within(double rate, double lo, double hi) { return digits_within(rate * 1e-6, lo * 1e-6, hi * 1e-6); }

static words level_text(int level)
{
    words w;
    if (level > 0) snprintf(w.text, sizeof w.text, "L%d", level);
    else snprintf(w.text, sizeof w.text, "%s", level ? "-" : "memory");
    return w;
}

/* Was a level counted beside others only, who may keep a part of it? */
static int beside_others(const servet_cache *c)
{
    return c->method == SERVET_BY_COUNT && c->disturbed && c->hi_bytes > 1.1 * c->bytes;
}

static words how_text(const servet_cache *c)
{
    words w;
    const words usual = size_text(c->usual_bytes);
    if (c->method == SERVET_BY_COUNT && c->usual_bytes < c->bytes)
        snprintf(w.text, sizeof w.text, "counted; mostly %.40s were to be had: others keep the rest", usual.text);
    else if (c->method == SERVET_BY_COUNT && c->ways)
        snprintf(w.text, sizeof w.text, "counted, %d ways of %.40s", c->ways, size_text(c->bytes / c->ways).text);
    else if (c->method == SERVET_BY_COUNT)
        snprintf(w.text, sizeof w.text, "counted");
    else if (c->method == SERVET_BY_HELD && c->usual_bytes < 0.9 * c->bytes)
        snprintf(w.text, sizeof w.text, "held at good moments, mostly %.40s: others use it too", usual.text);
    else if (c->method == SERVET_BY_HELD)
        snprintf(w.text, sizeof w.text, "held");
    else if (c->method == SERVET_BY_MODEL)
        snprintf(w.text, sizeof w.text, "miss-rate model, %s, %s placement, off by %.0f %% of the step",
                 servet_text(SERVET_TEXT_POLICY, c->policy),
                 servet_text(SERVET_TEXT_PLACEMENT, c->placement), 100 * c->misfit_frac);
    else
        snprintf(w.text, sizeof w.text, "between two points of the curve");
    return w;
}

/* What a finding is about: "L2 size", "TLB 1 entries, 4 KiB pages". */
static words finding_text(const servet_finding *f)
{
    words w;
    if (f->what == SERVET_FINDING_ENTRIES)
        snprintf(w.text, sizeof w.text, "TLB %d, %.40s pages", f->level, size_text(f->page_bytes).text);
    else if (f->what == SERVET_FINDING_SHARED) snprintf(w.text, sizeof w.text, "L%d sharers", f->level);
    else snprintf(w.text, sizeof w.text, "L%d %s", f->level, servet_text(SERVET_TEXT_FINDING, f->what));
    return w;
}

/* A number that is said or measured, in its unit. */
static words amount_text(const servet_finding *f, double amount)
{
    words w;
    if (f->what == SERVET_FINDING_BYTES || f->what == SERVET_FINDING_LINE) return said_text(amount);
    if (amount > 0) snprintf(w.text, sizeof w.text, "%.0f", amount);
    else return said_text(0);
    return w;
}

/* ---- sentences ------------------------------------------------------------------------------- */

enum { SHOW_COLUMNS = 80 };
static struct { char text[65536]; size_t length; } said;    /* what is not printed yet; what does not fit is cut */

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void say(const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(said.text + said.length, sizeof said.text - said.length, format, args);
    va_end(args);
    if (n < 0) return;
    said.length += (size_t)n;
    if (said.length >= sizeof said.text) said.length = sizeof said.text - 1;
}

/* How much of a text goes on a line: up to a blank, but of an interval; of a word that is longer than a line, up to a
 * comma. */
static size_t broken(const char *at, size_t room)
{
    size_t cut = 0, i;
    int inside = 0;
    if (strlen(at) <= room) return strlen(at);
    for (i = 0; i <= room; i++) {
        inside += (at[i] == '[') - (at[i] == ']');
        if (at[i] == ' ' && inside <= 0) cut = i;
    }
    if (cut > 0) return cut;
    for (cut = room; cut > 0 && at[cut - 1] != ','; ) cut--;
    return cut > 0 ? cut : room;
}

static void said_none(void)
{
    said.text[0] = 0;
    said.length = 0;
}

/* Ends a sentence; further lines begin that many columns in. */
static void said_all(int indent)
{
    const char *at = said.text;
    size_t column = 0, n;
    for (; *at || at == said.text; at += n, at += strspn(at, " ")) {
        n = broken(at, SHOW_COLUMNS - column);
        printf("%*s%.*s\n", (int)column, "", (int)n, at);
        column = (size_t)indent;
        if (!*at) break;
    }
    said_none();
}

/* A whole sentence at once. */
#define SENTENCE(indent, ...) do { say(__VA_ARGS__); said_all(indent); } while (0)

/* The CPUs of a group, as a list. */
static void say_members(const int16_t *group, const int *cpu, int n, int which)
{
    static servet_cpus cpus;
    char text[4096];
    int i;
    memset(&cpus, 0, sizeof cpus);
    for (i = 0; i < n; i++) if (group[i] == which) servet_cpus_add(&cpus, cpu[i]);
    if (servet_cpus_write(&cpus, text, sizeof text) >= 0) say(" {%s}", text);
}

/* Of many groups the first few. */
static void say_groups(const int16_t *group, const int *cpu, int n, int groups)
{
    enum { SHOWN = 16 };
    int g;
    for (g = 0; g < groups && g < SHOWN; g++) say_members(group, cpu, n, g);
    if (groups > SHOWN) say(" and %d more", groups - SHOWN);
}

/* ---- the first five lines -------------------------------------------------------------------- */

/* The same on a terminal and on a page (report.h): what is said of each goes to `said`. */
enum { SHOW_HEAD = 9 };    /* columns before them */
enum { FEW = 5 };          /* fewer samples are no interval, and not to be told without one: ? */

static const servet_rate *best_rate(const servet_profile *p, int level, int kernel)
{
    const servet_rate *best = NULL;
    int i;
    for (i = 0; i < p->bandwidth.count; i++) {
        const servet_rate *r = &p->bandwidth.rate[i];
        if (r->level == level && r->kernel == kernel && !r->streaming && r->samples >= FEW
            && (!best || r->bytes_per_s > best->bytes_per_s)) best = r;
    }
    return best;
}

static void say_machine(const servet_profile *p)
{
    const servet_host *h = &p->host;
    if (p->network && !h->cpu_model[0] && !h->arch[0] && h->cpu_count < 1) return;
    say("%s", h->cpu_model[0] ? h->cpu_model : h->arch[0] ? h->arch : "not known");
    if (h->cpu_count > 0) say(", %d CPU%s (%s)", h->cpu_count, h->cpu_count == 1 ? "" : "s", h->cpus);
    if (h->hypervisor[0]) say(", a guest of %s", h->hypervisor);
    if (h->memory_bytes > 0) say(", %s of memory", size_text(h->memory_bytes).text);
}

/* Of ranks: how many, the nearest and the farthest. */
static void say_ranks_have(const servet_network *n)
{
    const int last = n->layer_count >= 0 && n->layer_count <= SERVET_NETWORK_LAYERS ? n->layer_count : 0;
    int i;
    say("%d ranks of MPI on %d host%s", n->ranks, n->hosts, n->hosts == 1 ? "" : "s");
    for (i = 0; i <= last; i += last ? last : 1) {
        const servet_network_layer *l = &n->layer[i];
        if (!(l->pairs > 0) || !(l->small_ns > 0)) continue;
        say("; %s %s in %s us", i ? "farthest" : "nearest", size_text(n->small_bytes).text, us_text(l->small_ns).text);
        if (l->bytes_per_s > 0) say(", %s MB/s", mb_text(l->bytes_per_s).text);
    }
}

static void say_has(const servet_profile *p)
{
    const servet_rate *r = best_rate(p, 0, SERVET_STREAM_LOAD);
    int i;
    for (i = 0; i < p->cache_count; i++)
        say("%s%s%s", i ? ", " : "", level_text(i + 1).text, p->cache[i].unresolved ? " about " : " "),
        say("%s", size_text(p->cache[i].bytes).text);
    if (p->cache_count == 0 && !p->network) say("caches that were not determined");
    if (p->memory_ns > 0) say("; memory %s ns away", digits(p->memory_ns).text);
    if (r) say("%s %s GB/s", p->memory_ns > 0 ? "," : "; memory", rate_text(r->bytes_per_s).text);
    if (p->network && p->network->ranks > 0) {
        if (said.length > 0 && p->cache_count > 0) say("; ");
        say_ranks_have(p->network);
    }
}

/* "L3", and of all but sizes of caches what: "L2 ways". */
static words thing_text(const servet_finding *f)
{
    words w;
    if (f->what == SERVET_FINDING_BYTES) snprintf(w.text, sizeof w.text, "L%d", f->level);
    else if (f->what == SERVET_FINDING_ENTRIES) snprintf(w.text, sizeof w.text, "TLB %d", f->level);
    else w = finding_text(f);
    return w;
}

/* Where the system's own numbers disagree, the first source that says so. */
static void say_claims(const servet_profile *p)
{
    servet_finding found[SERVET_FINDINGS_MAX];
    const int count = servet_profile_check(found, SERVET_FINDINGS_MAX, p);
    int i, k, agree = 0, some = 0;
    for (i = 0; i < count; i++) {
        const servet_finding *f = &found[i];
        agree += f->verdict == SERVET_VERDICT_AGREE;
        if (f->verdict <= SERVET_VERDICT_AGREE) continue;
        for (k = 0; k < i; k++)
            if (found[k].verdict > SERVET_VERDICT_AGREE && found[k].what == f->what && found[k].level == f->level
                && found[k].page_bytes == f->page_bytes) break;
        if (k < i) continue;
        if (f->said > 0) say("%s%s %s", some++ ? "; " : "says ", thing_text(f).text, amount_text(f, f->said).text);
        else say("%s of %s", some++ ? "; nothing" : "says nothing", thing_text(f).text);
        say(", %s%s", f->said <= 0 ? "there are " : f->verdict == SERVET_VERDICT_SHARED_LESS ? "to be had " : "not ",
            amount_text(f, f->measured).text);
    }
    if (!some && agree) say("says the same wherever it was measured");
    else if (!some) say("says nothing that could be tested");
}

static int ask(servet_answer *a, const servet_profile *p, int what, int level, int busy)
{
    servet_question q;
    memset(&q, 0, sizeof q);
    q.what = what;
    q.level = level;
    q.busy = busy;
    q.cpu = p->made.cpu;
    return servet_ask(a, p, &q) >= 0 && a->source != SERVET_SOURCE_DEFAULT;
}

/* What a program should act on. */
static void say_use(const servet_profile *p)
{
    servet_answer a, busy;
    int i, some = 0;
    for (i = 1; i <= SERVET_LEVELS_MAX; i++) {
        if (!ask(&a, p, SERVET_ASK_BYTES, i, 0)) continue;
        say("%sL%d %s", some++ ? ", " : "", i, size_text(a.value).text);
        if (a.source == SERVET_SOURCE_OS) say(" as the system says");
        else if (i > p->cache_count && a.source == SERVET_SOURCE_MEASURED) say(" or more");
        if (i <= p->cache_count && p->cache[i - 1].usual_bytes > 0 && p->cache[i - 1].usual_bytes < a.value / 2)
            say(", of which others mostly leave %s", size_text(p->cache[i - 1].usual_bytes).text);
        if (ask(&busy, p, SERVET_ASK_BYTES, i, 1) && busy.value < 0.9 * a.value)
            say(" (%s while all CPUs work)", size_text(busy.value).text);
    }
    if (ask(&a, p, SERVET_ASK_LINE, 0, 0)) say("%slines of %.0f B", some++ ? "; " : "", a.value);
    if (ask(&a, p, SERVET_ASK_APART, 0, 0)) say("%s%.0f B between writers", some++ ? ", " : "", a.value);
    if (ask(&a, p, SERVET_ASK_THREADS, 0, 0)) {
        say("%s", some++ ? "; " : "");
        if (a.lo < a.hi) say("%.0f to ", a.lo);
        say("%.0f thread%s memory", a.hi, a.hi > 1 ? "s saturate" : " saturates");
    }
    if (!some) say("nothing here: it was not measured");
}

/* How far all this is to be believed. */
static void say_sure(const servet_profile *p)
{
    const int measured = p->made.seconds > 0 || !p->network;
    int i, some = 0;
    for (i = 0; i < p->cache_count; i++)
        if (p->cache[i].method == SERVET_BY_COUNT && !p->cache[i].unresolved && !beside_others(&p->cache[i]))
            say("%sL%d", some++ ? ", " : "", i + 1);
    if (some) say(" counted; ");
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        if (c->method == SERVET_BY_COUNT && !c->unresolved && !beside_others(c)) continue;
        say("L%d %s", i + 1, size_text(c->lo_bytes).text);
        say(" to %s%s; ", size_text(c->hi_bytes).text, c->unresolved ? ", unresolved" : beside_others(c)
            ? ", counted beside others" : "");
    }
    if (measured) say("%.0f %% of samples disturbed", 100 * p->made.noisy_frac);
    if (p->network && p->network->noisy)
        say("%sthe network was NOISY: no interval of it deserves its 95 %%", measured ? "; " : "");
}

static const struct first_line { const char *name; void (*say)(const servet_profile *p); int of_caches; }
first_lines[] = { { "machine", say_machine, 0 }, { "has", say_has, 0 }, { "system", say_claims, 1 },
                  { "use", say_use, 1 }, { "sure", say_sure, 0 } };
enum { FIRST_LINES = sizeof first_lines / sizeof *first_lines };

/* One of them, after what is in `said`; 0 where there is nothing to say of it. */
static int say_first(const servet_profile *p, int which)
{
    const size_t before = said.length;
    const int caches = p->cache_count > 0 || ((p->made.parts == 0 || p->made.parts & SERVET_PART_CACHES)
                                              && (!p->network || p->made.seconds > 0));
    if (which > 0 && !caches && (first_lines[which].of_caches || !p->network)) return 0;
    first_lines[which].say(p);
    return said.length > before;
}

static void report_host(const servet_profile *p)
{
    const servet_host *h = &p->host;
    if (h->os[0] || h->kernel[0]) say("%s %s; ", h->os, h->kernel);
    if (p->frequency.ghz > 0)
        say("core at %.3f GHz %s%s; ", p->frequency.ghz,
            bracket_text(3, p->frequency.lo_ghz, p->frequency.hi_ghz).text,
            p->frequency.consistent ? "" : ", not confirmed by the first level's latency");
    if (p->timer_valid)
        say("timed by its %s in steps of %.3g ns, known to %.0f ppm",
            p->timer.source == SERVET_TIMER_COUNTER ? "counter" : "clock", p->timer.step_ns,
            1e6 * p->timer.error_frac);
    if (!said.length) return;
    if (said.length > 1 && said.text[said.length - 2] == ';') said.text[said.length -= 2] = 0;
    said_all(0);
}

/* ---- caches, pages --------------------------------------------------------------------------- */

static void report_levels(const servet_profile *p)
{
    int i, effective = 0, counted = 0, held = 0;
    printf("\ncaches: what was used last, kept near the CPU; L1 is the nearest.  ns: from one\n"
           "load to the next where that needs what the first one found\n"
           "%-6s%-10s%-21s%8s  %-15s%7s\n", "level", "size", "95 % interval", "ns", "interval", "cycles");
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        printf("L%-5d%-10s%-21s%8s  %-15s%7s\n", i + 1, size_text(c->bytes).text,
               interval_text(c->lo_bytes, c->hi_bytes).text, time_text(c->latency_ns).text,
               times_text(c->lo_ns, c->hi_ns).text, time_text(c->latency_cycles).text);
        effective |= c->effective && c->method != SERVET_BY_HELD;
        counted |= c->method == SERVET_BY_COUNT;
        held |= c->method == SERVET_BY_HELD;
    }
    if (p->cache_count == 0) printf("no cache level could be determined\n");
    if (p->memory_ns > 0)
        printf("%-6s%-10s%-21s%8s  %-15s%7s\n", "memory", "", "", time_text(p->memory_ns).text,
               times_text(p->memory_lo_ns, p->memory_hi_ns).text, time_text(p->memory_ns * p->frequency.ghz).text);
    else printf("memory not reached within the range measured\n");
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        SENTENCE(4, "L%d: %s%s%s", i + 1, how_text(c).text,
                 beside_others(c) ? "; others were at work while it was counted, and may keep a part"
                 : !c->unresolved ? "" : c->method == SERVET_BY_HELD ? "; unresolved: more may be there"
                                               : "; unresolved: the likeliest of sizes far apart",
                 c->effective && c->method != SERVET_BY_HELD ? "; what could be had meanwhile" : "");
    }
    if (counted) say("counted: how much stays in it at once; ways: places that a line may have%s", held ? "; " : "");
    if (held) say("held: the most that was found in it, its interval from about what mostly was");
    if (counted || held) said_all(4);
    if (effective) printf("the last level's interval: from the first misses to where they are the rule\n");
    for (i = 0; i < p->doubtful_count; i++)
        SENTENCE(4, "doubtful step at %s (x%.2f): %s", size_text(p->doubtful[i].bytes).text, p->doubtful[i].ratio,
                 servet_text(SERVET_TEXT_DOUBT, p->doubtful[i].why));
    if (p->line.line_bytes > 0) {
        say("line (what comes and goes as a whole): %d bytes [%d, %d]", p->line.line_bytes, p->line.lo_bytes,
            p->line.hi_bytes);
        said_all(4);
    }
}

static void report_tlb(const servet_tlb *t, double page_bytes, double ghz)
{
    int i;
    if (t->count == 0 && t->seen_pages == 0) return;
    SENTENCE(0, "\nTLBs: where a core has the addresses of the last pages used, here of %s; ns: what a miss costs more",
             size_text(page_bytes).text);
    if (t->count > 0) printf("%-6s%-10s%-21s%8s  %-15s%7s\n", "TLB", "entries", "interval", "ns", "interval", "cycles");
    for (i = 0; i < t->count; i++) {
        const servet_tlb_level *l = &t->level[i];
        words w;
        snprintf(w.text, sizeof w.text, "[%d, %d]", l->lo_entries, l->hi_entries);
        printf("TLB %-2d%-10d%-21s%8s  %-15s%7s\n", i + 1, l->entries, w.text, time_text(l->penalty_ns).text,
               times_text(l->lo_ns, l->hi_ns).text, time_text(l->penalty_ns * ghz).text);
    }
    if (t->walk_ns > 0)
        printf("%-37s%8s%24s\n", "page walk, the tables near", time_text(t->walk_ns).text,
               time_text(t->walk_ns * ghz).text);
    if (t->walk_far_ns > 0)
        printf("tables far, at pages %-16d%8s%24s\n", t->seen_pages, time_text(t->walk_far_ns).text,
               time_text(t->walk_far_ns * ghz).text);
    if (t->count == 0) printf("no step up to %d pages\n", t->seen_pages);
}

static void report_pages(const servet_profile *p)
{
    report_tlb(&p->tlb.small, p->host.page_bytes, p->frequency.ghz);
    report_tlb(&p->tlb.large, p->host.huge_page_bytes, p->frequency.ghz);
    if (p->tlb.backing == SERVET_BACKING_SPLIT || p->tlb.backing == SERVET_BACKING_PART)
        SENTENCE(4, "large pages are not large to the TLBs: the machine below splits them (%s)",
                 servet_text(SERVET_TEXT_BACKING, p->tlb.backing));
}

/* Loads of ascending addresses: at half of each level, and the largest footprint. */
static void report_prefetched(const servet_profile *p)
{
    const servet_curve *c = p->evidence ? &p->evidence->prefetched : NULL;
    int i, level, k;
    if (!c || c->count == 0) return;
    say("\nprefetched: a load where addresses ascend, so that the CPU fetches ahead:");
    for (i = 0; p->cache_count == 0 && i < c->count - 1; i += 6)
        say(" %.2f ns in %s,", c->point[i].ns, size_text(c->point[i].bytes).text);
    for (level = 0; level < p->cache_count; level++) {
        for (i = 0, k = -1; i < c->count && c->point[i].bytes <= 0.75 * p->cache[level].bytes; i++) k = i;
        if (k >= 0) say(" %.2f ns in L%d,", c->point[k].ns, level + 1);
    }
    say(" %.2f ns in %s", c->point[c->count - 1].ns, size_text(c->point[c->count - 1].bytes).text);
    said_all(4);
}

/* ---- bandwidth ------------------------------------------------------------------------------- */

/* Is a kernel among the rates at all? */
static int has_rate(const servet_rates *b, int kernel, int streaming)
{
    int i;
    for (i = 0; i < b->count; i++) if (b->rate[i].kernel == kernel && b->rate[i].streaming == streaming) return 1;
    return 0;
}

static const servet_rate *find_rate(const servet_rates *b, const servet_rate *like, int kernel, int streaming)
{
    int i;
    for (i = 0; i < b->count; i++)
        if (b->rate[i].kernel == kernel && b->rate[i].streaming == streaming && b->rate[i].cpus == like->cpus
            && b->rate[i].bytes == like->bytes) return &b->rate[i];
    return NULL;
}

/* The next in order of working sets, then CPUs; NULL after the last. */
static const servet_rate *next_rate(const servet_rates *b, const servet_rate *after)
{
    const servet_rate *next = NULL;
    int i;
    for (i = 0; i < b->count; i++) {
        const servet_rate *r = &b->rate[i];
        if (r->kernel != SERVET_STREAM_LOAD || r->streaming) continue;
        if (after && (r->bytes < after->bytes || (r->bytes == after->bytes && r->cpus <= after->cpus))) continue;
        if (!next || r->bytes < next->bytes || (r->bytes == next->bytes && r->cpus < next->cpus)) next = r;
    }
    return next;
}

/* The farthest end of an interval among the kernels of a working set and number of CPUs; ? where one of them had time
 * for one sample alone, nothing where there is none. */
static words rates_within(const servet_rates *b, const servet_rate *like, int streaming)
{
    double worst = 0;
    int k, fewest = 0;
    words w;
    for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
        const servet_rate *x = find_rate(b, like, k, streaming);
        if (x && (!fewest || x->samples < fewest)) fewest = x->samples;
        if (x && x->bytes_per_s > 0)
            worst = fmax(worst, fmax(x->hi_bytes_per_s / x->bytes_per_s - 1, 1 - x->lo_bytes_per_s / x->bytes_per_s));
    }
    if (worst < 10) snprintf(w.text, sizeof w.text, "%.0f %%", 100 * worst);
    else strcpy(w.text, "open");
    if (fewest < 2) strcpy(w.text, fewest ? "?" : "");
    return w;
}

/* > where each sample was disturbed: at least that. */
static words rate_at_least(const servet_rate *r)
{
    words w;
    snprintf(w.text, sizeof w.text, "%s%.40s", r->samples > 0 && r->noisy >= r->samples ? ">" : "",
             rate_text(r->bytes_per_s).text);
    return w;
}

/* A line for each working set and number of CPUs. */
static void report_stores_of(const servet_rates *b, int streaming)
{
    const servet_rate *r, *x;
    int k;
    for (r = next_rate(b, NULL); r; r = next_rate(b, r)) {
        const words within = rates_within(b, r, streaming);
        if (!within.text[0]) continue;
        printf("%-8s%5d  %-12s", level_text(r->level).text, r->cpus, size_text(r->bytes).text);
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) {
            x = find_rate(b, r, k, streaming);
            printf(" %6s", x ? rate_at_least(x).text : streaming && !has_rate(b, k, 1) ? "" : "-");
        }
        printf("%8s\n", within.text);
    }
}

static void report_growth(const servet_growth *g)
{
    int k;
    say("%s by CPUs, %s:", servet_text(SERVET_TEXT_KERNEL, g->kernel),
        g->spread ? "groups taken in turn" : "added one by one");
    for (k = 0; k < g->count; k++) say("%s %d: %s", k ? "," : "", g->cpus[k], rate_text(g->bytes_per_s[k]).text);
    say(" GB/s");
    if (g->fitted)
        say("; 95 %% of the best from %d [%d, %d] CPUs on", g->fit.enough, g->fit.lo_enough, g->fit.hi_enough);
    said_all(4);
}

static void report_rates(const servet_profile *p)
{
    const servet_rates *b = &p->bandwidth;
    const servet_rate *first = next_rate(b, NULL);
    int i, k, streaming = 0;
    if (first) {
        printf("\nbandwidth: 10^9 bytes a second that all CPUs load and store, in vectors of\n"
               "%s; a working set is each CPU's; load adds up, store fills, scale and\n"
               "triad multiply (and add), update is in place; within: the widest interval,\n"
               "? where there was time for one sample alone; > where each sample was disturbed,\n"
               "so that it may be several times as much\n"
               "GB/s     CPUs  working set ", servet_text(SERVET_TEXT_VECTOR, first->vector));
        for (k = 0; k < SERVET_STREAM_KERNELS; k++) printf(" %6s", servet_text(SERVET_TEXT_KERNEL, k));
        printf("  within\n");
        report_stores_of(b, 0);
    }
    for (k = 0; k < SERVET_STREAM_KERNELS; k++) streaming |= has_rate(b, k, 1);
    if (first && streaming) {
        printf("non-temporal: stores go past the caches\n");
        report_stores_of(b, 1);
    }
    for (i = 0; i < b->growths; i++) report_growth(&b->growth[i]);
    if (b->loads > 1) {
        const servet_loaded *busy = &b->loaded[b->loads - 1];
        say("memory beside loads of %s GB/s: %.1f ns ", rate_text(busy->bytes_per_s).text, busy->latency_ns);
        say("%s, idle %.1f ns ", bracket_text(1, busy->lo_ns, busy->hi_ns).text, b->loaded[0].latency_ns);
        SENTENCE(4, "%s", bracket_text(1, b->loaded[0].lo_ns, b->loaded[0].hi_ns).text);
    }
}

static void report_chains(const servet_profile *p)
{
    int i;
    if (p->chains_count)
        printf("\nat once: how many loads a CPU has under way where none needs another: each is\n"
               "of a chain of its own; so many chains give 90 %% of the best rate, in which each\n"
               "load counts as a whole line\n"
               "level    CPUs  loads under way       90 %% by chains   GB/s in lines\n");
    for (i = 0; i < p->chains_count; i++) {
        const servet_chains *c = &p->chains[i];
        words many, chains;
        if (c->mlp.open) snprintf(many.text, sizeof many.text, "at least %.40s", digits(c->mlp.lo_mlp).text);
        else many = digits_within(c->mlp.mlp, c->mlp.lo_mlp, c->mlp.hi_mlp);
        snprintf(chains.text, sizeof chains.text, "%d [%d, %d]", c->mlp.k90, c->mlp.lo_k90, c->mlp.hi_k90);
        printf("%-8s%5d  %-20s  %-16s  %s\n", level_text(c->level).text, c->cpus, many.text, chains.text,
               digits_within(c->mlp.bytes_per_s * 1e-9, c->mlp.lo_bytes_per_s * 1e-9,
                             c->mlp.hi_bytes_per_s * 1e-9).text);
    }
}

static void report_stores(const servet_profile *p)
{
    int i;
    for (i = 0; i < p->streaming_count; i++) {
        const servet_streaming *s = &p->streaming[i];
        say("non-temporal copies by %d CPU%s ", s->cpus, s->cpus == 1 ? "" : "s");
        if (s->always) say("win at every size");
        else if (!(s->bytes > 0)) say("were not seen to win; from %s each on they may", size_text(s->lo_bytes).text);
        else if (s->hi_bytes > 0)
            say("win from %s each %s on", size_text(s->bytes).text, interval_text(s->lo_bytes, s->hi_bytes).text);
        else say("may win from %s each on, not surely", size_text(s->bytes).text);
        SENTENCE(4, "; %+.0f %% at the largest", 100 * s->gain_frac);
    }
}

/* Bytes to count on, by the time until they are used again. */
static void report_resident(const servet_profile *p)
{
    static const double seconds[] = { 1e-4, 1e-3, 1e-2, 5e-2 };
    servet_question q;
    servet_answer a;
    int i, some = 0;
    memset(&q, 0, sizeof q);
    q.what = SERVET_ASK_RESIDENT;
    for (i = 0; p->survival_count && i < (int)(sizeof seconds / sizeof *seconds); i++) {
        q.seconds = seconds[i];
        if (servet_ask(&a, p, &q) < 0) continue;
        say("%s%.3g ms: %s ", some++ ? "; " : "to count on if used again within ", 1e3 * seconds[i],
            size_text(a.value).text);
        say("%s", interval_text(a.lo, a.hi).text);
    }
    if (some) said_all(4);
}

static words half_text(double ns, const servet_survival *s)
{
    words w;
    if (ns > 0) snprintf(w.text, sizeof w.text, "%.3g", ns * 1e-6);
    else snprintf(w.text, sizeof w.text, "> %.3g", s->waits > 0 ? s->age_ns[s->waits - 1] * 1e-6 : 0);
    return w;
}

/* How long lines of a set stay in the last level when they are left alone.  Columns are the waits of the set that had
 * most; another has a value where it waited about as long. */
static void report_survival(const servet_profile *p)
{
    const servet_survival *most = p->survival;
    int i, k, j;
    if (!p->survival_count) return;
    for (i = 0; i < p->survival_count; i++) if (p->survival[i].waits > most->waits) most = &p->survival[i];
    printf("\nsurvival: a set of lines read, left alone while others use the cache, read again\n"
           "left alone, %% still in caches after about so many ms; ms until half are gone,\n"
           "mostly and at the best and worst quarter of moments; >: later\n     set");
    for (k = 0; k < most->waits; k++) {
        const double ms = most->age_ns[k] * 1e-6;
        if (ms < 10) printf("%6.*g", ms < 0.1 ? 1 : 2, ms);
        else printf("%6.0f", ms);
    }
    printf("  half of them gone after  best and worst\n");
    for (i = 0; i < p->survival_count; i++) {
        const servet_survival *s = &p->survival[i];
        words half;
        printf("%8s", size_text(s->bytes).text);
        for (k = j = 0; k < most->waits; k++) {
            if (j < s->waits && (s->waits - j == most->waits - k || s->age_ns[j] < 2 * most->age_ns[k]))
                printf("%6.0f", 100 * s->frac[j++]);
            else printf("%6s", "");
        }
        if (!(s->half_ns > 0)) snprintf(half.text, sizeof half.text, "> %.3g", s->lo_half_ns * 1e-6);
        else if (!(s->hi_half_ns > 0)) snprintf(half.text, sizeof half.text, "%.3g [%.3g, open]", s->half_ns * 1e-6,
                                                s->lo_half_ns * 1e-6);
        else if (is_one_sample(s->lo_half_ns, s->hi_half_ns))
            snprintf(half.text, sizeof half.text, "%.3g (one sample)", s->half_ns * 1e-6);
        else snprintf(half.text, sizeof half.text, "%.3g [%.3g, %.3g]", s->half_ns * 1e-6, s->lo_half_ns * 1e-6,
                      s->hi_half_ns * 1e-6);
        printf("  %-23s %s, %s\n", half.text, half_text(s->quiet_half_ns, s).text,
               half_text(s->busy_half_ns, s).text);
    }
    report_resident(p);
}

static void report_nodes(const servet_profile *p)
{
    int i;
    if (p->node_count)
        printf("\nnodes: memory has CPUs it is near to; ns of a load, GB/s of one CPU and of all\n"
               "from  to          ns  interval         one loads  triad  all load  triad\n");
    for (i = 0; i < p->node_count; i++) {
        const servet_node_rate *r = &p->node[i];
        words to;
        if (r->node < 0) snprintf(to.text, sizeof to.text, "in turn");
        else snprintf(to.text, sizeof to.text, "%d", r->node);
        printf("%-5d %-7s %7.1f  %-16s %9s %6s %9s %6s\n", r->cpu_node, to.text, r->latency_ns,
               times_text(r->lo_ns, r->hi_ns).text, rate_text(r->load_bytes_per_s).text,
               rate_text(r->triad_bytes_per_s).text, rate_text(r->all_load_bytes_per_s).text,
               rate_text(r->all_triad_bytes_per_s).text);
    }
}

/* ---- several CPUs ---------------------------------------------------------------------------- */

/* Up to 16 CPUs pair by pair, one way, ten columns at a time; ? where a pair was disturbed, not to be believed. */
static void report_matrix(const servet_cores *c)
{
    enum { ACROSS = 10 };
    int a, b, from;
    for (from = 0; from < c->count; from += ACROSS) {
        const int to = from + ACROSS < c->count ? from + ACROSS : c->count;
        printf("%-7s", "ns");
        for (b = from; b < to; b++) printf("%7d", c->cpu[b]);
        printf("\n");
        for (a = 0; a < c->count; a++) {
            printf("%-7d", c->cpu[a]);
            for (b = from; b < to; b++) {
                const int at = a == b ? 0 : SERVET_PAIRS_AT(a, b);
                const double ns = a == b ? 0 : (double)c->ns[SERVET_HANDOFF_FLAGS][at];
                if (a == b || !(ns > 0)) printf("%7s", a == b ? "-" : ".");
                else printf("%6.*f%s", ns >= 100 ? 0 : 1, ns, c->state[at] == SERVET_CORES_CONTAMINATED ? "?"
                            : b + 1 < to ? " " : "");
            }
            printf("\n");
        }
    }
}

static void report_core_layers(const servet_profile *p)
{
    const servet_cores *c = p->cores;
    const servet_layers *l = &p->layers;
    int i, k;
    if (l->count) printf("layers: groups of CPUs that are nearer to each other than to others\n");
    for (i = 0; i < l->count; i++) {
        say("layer %d  %.1f ns %s:", i + 1, l->layer[i].latency_ns,
            bracket_text(1, l->layer[i].lo_ns, l->layer[i].hi_ns).text);
        say_groups(l->group[i], c->cpu, c->count, l->layer[i].groups);
        said_all(4);
    }
    if (l->cores > 2 && l->outermost_ns > 0)
        printf("%s %.1f ns %s\n", l->count ? "between all" : "no CPU is nearer than another:",
               l->outermost_ns, bracket_text(1, l->lo_ns, l->hi_ns).text);
    for (k = 0; l->kinds > 1 && k < l->kinds; k++) {
        say("role %d (cores of a kind):", k + 1);
        say_members(l->kind, c->cpu, c->count, k);
        said_all(4);
    }
    if (p->cores_with_siblings > 0) {
        say("threads of one core:");
        say_groups(p->smt, c->cpu, c->count, p->cores_with_siblings);
        said_all(4);
    } else {
        printf("%s\n", p->cores_with_siblings == 0 ? "no two of them are threads of one core"
               : "whether two are threads of one core is not known");
    }
}

static void report_cores(const servet_profile *p)
{
    const servet_cores *c = p->cores;
    if (!c || c->count == 0) {
        if (p->made.parts & (SERVET_PART_CORES | SERVET_PART_COHERENCE) && p->host.cpu_count < 2)
            printf("\none CPU usable: nothing is between CPUs\n");
        else if (p->made.parts & SERVET_PART_CORES)
            printf("\nbetween CPUs: not measured%s\n", p->made.stopped ? ", as it was interrupted"
                   : ", as it takes two CPUs that threads can be bound to");
        return;
    }
    printf("\nbetween CPUs, one way of a line%s\n", c->count > 16 ? "" : " by two flags, one for each way");
    if (c->count <= 16) report_matrix(c);
    if (c->count < c->of) printf("%d of %d CPUs\n", c->count, c->of);
    if (c->contaminated)
        printf("%d of %d pairs disturbed: %s\n", c->contaminated, c->sound + c->contaminated,
               c->count <= 16 ? "those marked ? are not to be believed" : "left out");
    if (c->moved)
        SENTENCE(4, "%d %s seen at another distance at times: virtual CPUs that their host moves?", c->moved,
                 c->moved == 1 ? "pair" : "pairs");
    if (c->count == 2 && c->sound)
        SENTENCE(4, "by compare-and-swap of one word %.1f ns; near whom the line's memory is matters by %.0f %%",
                 (double)c->ns[SERVET_HANDOFF_CAS][0], 100 * c->home_frac);
    report_core_layers(p);
}

static void report_sharing(const servet_profile *p)
{
    const servet_sharing *x = p->sharing;
    int i, k, sizes[SERVET_CORES_MAX];
    for (i = 0; x && i < x->count; i++) {
        const servet_sharing_level *l = &x->level[i];
        int most = 0;
        memset(sizes, 0, sizeof sizes);
        for (k = 0; k < x->cpus; k++)
            if (l->group[k] >= 0 && ++sizes[l->group[k]] > most) most = sizes[l->group[k]];
        say("L%d ", l->level);
        if (l->status != SERVET_OK)
            say("sharing: not known (%s)", l->status == SERVET_EUNSUPPORTED ? "too little memory"
                : l->status == SERVET_ESTOPPED ? "no time left"
                : "what is behind it is about as near, or not known");
        else if (most <= 1 && !l->unknown) say("is each CPU's own");
        else if (most == 0) say("sharing: not known (neighbours come and go)");
        else {
            say("shared by");
            say_groups(l->group, x->cpu, x->cpus, l->groups);
            if (l->unknown) say(", of %d CPUs not known", l->unknown);
        }
        said_all(4);
    }
}

static void report_gamma(const servet_contention *c, const servet_contention_gamma *g)
{
    const servet_contention_domain *a, *b;
    if (g->a < 0 || g->a >= c->domains || g->b >= c->domains || c->domains > SERVET_CONTENTION_DOMAINS) return;
    a = &c->domain[g->a];
    b = g->b < 0 ? a : &c->domain[g->b];
    if (a->layer < 0 || a->layer >= SERVET_CONTENTION_LAYERS || b->layer < 0 || b->layer >= SERVET_CONTENTION_LAYERS)
        return;
    say("  %s", g->b < 0 ? "all parts of" : "");
    say_members(c->group[a->layer], c->cpu, c->cpus, a->group);
    if (g->b >= 0) {
        say(" beside");
        say_members(c->group[b->layer], c->cpu, c->cpus, b->group);
    }
    SENTENCE(6, " lose %.0f %% %s: %s", 100 * g->gamma, bracket_text(0, 100 * g->lo, 100 * g->hi).text,
             servet_text(SERVET_TEXT_COLLIDE, g->verdict));
}

static void report_contention(const servet_profile *p)
{
    const servet_contention *c = p->contention;
    int i, k;
    if (!c || c->cpus == 0) return;
    say("memory: one CPU alone copies %s GB/s ", rate_text(c->reference_bytes_per_s).text);
    if (is_one_sample(c->lo_reference_bytes_per_s, c->hi_reference_bytes_per_s)) say("(one sample)");
    else say("[%s, %s]", rate_text(c->lo_reference_bytes_per_s).text, rate_text(c->hi_reference_bytes_per_s).text);
    if (c->levels == 0 && c->pairs > 0) say("; no pair of CPUs slows each other");
    said_all(4);
    for (i = 0; i < c->levels; i++) {
        say("  %s GB/s each beside another of", rate_text(c->level[i].bytes_per_s).text);
        say_groups(c->level[i].group, c->cpu, c->cpus, c->level[i].groups);
        said_all(6);
    }
    for (i = 0; i < c->gammas; i++) report_gamma(c, &c->gamma[i]);
    for (i = 0; i < c->scalings; i++) {
        const servet_contention_scaling *x = &c->scaling[i];
        if (x->domain < 0 || x->domain >= c->domains || x->count < 1 || c->domains > SERVET_CONTENTION_DOMAINS
            || c->domain[x->domain].layer < 0 || c->domain[x->domain].layer >= SERVET_CONTENTION_LAYERS) continue;
        say("  in");
        say_members(c->group[c->domain[x->domain].layer], c->cpu, c->cpus, c->domain[x->domain].group);
        for (k = 0; k < x->count; k++)
            say("%s %d: %s", k ? "," : " by CPUs at work", x->n[k], rate_text(x->bytes_per_s[k]).text);
        SENTENCE(6, " GB/s; %d [%d, %d] are enough for 95 %%", x->enough, x->lo_enough, x->hi_enough);
    }
}

enum { ACROSS_COSTS = 4 };    /* numbers of CPUs of which there is room on a line, the first and the largest */

static int shown_cost(int i, int count) { return i == 0 || i > count - ACROSS_COSTS; }

static void report_costs_of(const servet_costs *c)
{
    int i, k;
    printf("growth: time by the most CPUs over that by one\nns of an operation, by CPUs");
    for (i = 0; i < c->count; i++) if (shown_cost(i, c->count)) printf("%8d", c->point[0][i].cpus);
    printf("   growth\n");
    for (k = 0; k < SERVET_COST_OPERATIONS; k++) {
        printf("  %-25s", servet_text(SERVET_TEXT_OPERATION, k));
        for (i = 0; i < c->count; i++) {
            if (!shown_cost(i, c->count)) continue;
            if (c->point[k][i].ns > 0) printf("%8.2f", c->point[k][i].ns);
            else printf("%8s", "-");
        }
        if (c->growth[k] > 0 && c->hi_growth[k] < 1e4)
            printf("   x%s\n", digits_within(c->growth[k], c->lo_growth[k], c->hi_growth[k]).text);
        else printf("   -\n");
    }
    if (c->buffered)
        printf("writes to one place become one in a store buffer: %s\n",
               c->buffered == SERVET_BUFFERED_SHOWN ? "shown" : "refuted");
}

static void report_coherence(const servet_profile *p)
{
    static const char *const neighbour[] = { "not known", "none slows another", "lines of a pair slow each other",
                                             "lines side by side slow each other" };
    const servet_coherence *c = p->coherence;
    int i;
    if (!c) return;
    if (c->blocks || c->destructive.method || c->costs.count)
        printf("\ncoherence: what one CPU writes goes from cache to cache in blocks\n");
    for (i = 0; i < c->blocks; i++) {
        const servet_block *b = &c->block[i];
        say("CPUs %d and %d: ", b->cpu[0], b->cpu[1]);
        if (b->bytes > 0) say("block %.0f bytes [%.0f, %.0f]", b->bytes, b->lo_bytes, b->hi_bytes);
        else say("block not known (%s)", b->status == SERVET_EUNSUPPORTED ? "they share what they write to"
                 : "disturbed");
        if (b->near_ns > 0 && b->far_ns > 0)
            say("; an addition takes %.1f ns in one block, %.1f apart", b->near_ns, b->far_ns);
        said_all(4);
    }
    if (c->destructive.method) {
        say("neighbouring lines: %s", neighbour[c->destructive.neighbour & 3]);
        if (c->destructive.bytes > 0) say("; data of different CPUs best %.0f bytes apart", c->destructive.bytes);
        said_all(4);
    }
    if (c->costs.count) report_costs_of(&c->costs);
}

static void report_automaton(const servet_profile *p)
{
    const servet_automaton *a = p->automaton;
    int k, v, some;
    if (!a) return;
    printf("\nscaling of a cellular automaton, %d x %d cells a thread; serial part: what no\n"
           "thread more makes shorter\n"
           "variation threads speedup          efficient  serial part       10^6 cells/s\n", a->rows,
           a->columns);
    for (k = 0; k < a->points; k++) {
        const servet_automaton_point *q = &a->point[k];
        words speedup, serial = { "" };
        if (a->workers > 1 && q->best.workers < 2) continue;
        if (a->workers < 2) snprintf(speedup.text, sizeof speedup.text, "%.2f", q->speedup);
        else snprintf(speedup.text, sizeof speedup.text, "%.2f %.40s", q->speedup,
                      bracket_text(2, q->lo_speedup, q->hi_speedup).text);
        if (a->workers > 1) snprintf(serial.text, sizeof serial.text, "%.3g [%.2g, %.2g]", q->serial_frac,
                                     q->lo_serial_frac, q->hi_serial_frac);
        printf("%-10s%6d  %-19s%6.1f %%  %-19s%11.0f\n", servet_text(SERVET_TEXT_VARIATION, q->best.variation),
               q->best.workers, speedup.text, 100 * q->efficiency, serial.text, q->net_act_per_s * 1e-6);
    }
    for (v = some = 0; v < SERVET_AUTOMATON_VARIATIONS; v++) {
        for (k = 0; k < a->points && a->point[k].best.variation != v; k++) { }
        if (k == a->points) say("%s%s", some++ ? ", " : "not run: ", servet_text(SERVET_TEXT_VARIATION, v));
    }
    if (some) said_all(4);
    printf("one thread is bound by: %s\n", servet_text(SERVET_TEXT_LIMIT, a->bound));
    if (a->workers > 1)
        SENTENCE(4, "more are limited by: %s; they lose %.1f %% %s", servet_text(SERVET_TEXT_LIMIT, a->limit),
                 100 * a->lost_frac, bracket_text(1, 100 * a->lo_lost_frac, 100 * a->hi_lost_frac).text);
}

/* ---- ranks of MPI ---------------------------------------------------------------------------- */

static words message_text(const servet_message *m)
{
    words w;
    if (m->samples < 1 || m->samples >= FEW) return us_within(m->samples > 0 ? m->median_ns : 0, m->lo_ns, m->hi_ns);
    snprintf(w.text, sizeof w.text, "%.30s ?", us_text(m->median_ns).text);
    return w;
}

/* Bytes over the time of a message. */
static words mb_of(const servet_network_size *s)
{
    const servet_message *m = &s->stream;
    words w;
    if (m->samples < 1 || !(m->lo_ns > 0) || !(m->median_ns > 0)) return mb_within(0, 0, 0);
    if (m->samples < FEW) {
        snprintf(w.text, sizeof w.text, "%.30s ?", mb_text(s->bytes * 1e9 / m->median_ns).text);
        return w;
    }
    return mb_within(s->bytes * 1e9 / m->median_ns, s->bytes * 1e9 / m->hi_ns, s->bytes * 1e9 / m->lo_ns);
}

static words reach_text(const servet_network *n, int layer)
{
    words w;
    if (n->layer_count == 0) snprintf(w.text, sizeof w.text, "all pairs");
    else if (layer == n->layer_count) snprintf(w.text, sizeof w.text, "outermost");
    else snprintf(w.text, sizeof w.text, "layer %d", layer + 1);
    return w;
}

/* Ranks of a group, as a list, the hosts they are on, and the CPUs there that they were bound to. */
static void say_ranks(const servet_network *n, int layer, int which)
{
    enum { NAMES = 3 };
    static servet_cpus ranks, cpus;
    static char seen[SERVET_NETWORK_RANKS];
    char text[4096];
    int i, k, hosts = 0;
    memset(&ranks, 0, sizeof ranks);
    memset(seen, 0, sizeof seen);
    for (i = 0; i < n->ranks; i++) if (layer < 0 || n->group[layer][i] == which) servet_cpus_add(&ranks, i);
    if (servet_cpus_write(&ranks, text, sizeof text) < 0) return;
    if (strlen(text) > 40) strcpy(text + 37, "...");
    say(" {%s", text);
    for (i = -1; (i = servet_cpus_next(&ranks, i)) >= 0; ) {
        const int host = n->host[i];
        if (seen[host]) continue;
        seen[host] = 1;
        memset(&cpus, 0, sizeof cpus);
        for (k = i; k >= 0 && hosts < NAMES; k = servet_cpus_next(&ranks, k))
            if (n->host[k] == host && n->cpu_plus_1[k] > 0) servet_cpus_add(&cpus, n->cpu_plus_1[k] - 1);
        if ((n->hosts < 2 && !cpus.count) || hosts++ >= NAMES) continue;
        say("%s%.40s", hosts > 1 ? ", " : ": ", servet_network_name(n, host));
        if (cpus.count && servet_cpus_write(&cpus, text, 40) >= 0) say(":%s", text);
    }
    if (hosts > NAMES) say(" and %d more hosts", hosts - NAMES);
    say("}");
}

static void report_reach_groups(const servet_network *n)
{
    enum { SHOWN = 8 };
    int i, g;
    for (i = 0; i < n->layer_count; i++) {
        const servet_network_layer *l = &n->layer[i];
        say("%s:", reach_text(n, i).text);
        for (g = 0; g < l->groups && g < SHOWN; g++) say_ranks(n, i, g);
        if (l->groups > SHOWN) say(" and %d more", l->groups - SHOWN);
        if (n->hosts > 1)
            say("; %s", l->in_hosts > 0 ? "within hosts" : l->in_hosts == 0 ? "of whole hosts"
                : "across hosts: their names and the distances disagree");
        said_all(4);
    }
    if (n->layer_count == 0 && n->distance_like) printf("ranks are nearer and farther without groups\n");
    else if (n->layer_count == 0 && n->layer[0].pairs > 0) {
        say("no ranks are nearer to each other than to others:");
        say_ranks(n, -1, 0);
        said_all(4);
    }
}

static void report_reaches(const servet_network *n)
{
    int i;
    words small, trip;
    if (n->layer_count == 0 && n->layer[0].pairs < 1) return;
    snprintf(small.text, sizeof small.text, "us of %.30s", size_text(n->small_bytes).text);
    snprintf(trip.text, sizeof trip.text, "us of %.30s", size_text(n->trip_bytes).text);
    printf("%-9s  %-20s  %-20s  MB/s in messages of %s\n", "", small.text, trip.text, size_text(n->stream_bytes).text);
    for (i = 0; i <= n->layer_count; i++) {
        const servet_network_layer *l = &n->layer[i];
        if (l->pairs < 1) continue;
        printf("%-9s  %-20s  %-20s  %s\n", reach_text(n, i).text,
               us_within(l->small_ns, l->small_lo_ns, l->small_hi_ns).text,
               us_within(l->trip_ns, l->trip_lo_ns, l->trip_hi_ns).text,
               mb_within(l->bytes_per_s, l->lo_bytes_per_s, l->hi_bytes_per_s).text);
    }
    for (i = 0; i <= n->layer_count; i++)
        if (n->layer[i].pairs > 0 && n->layer[i].crowded_frac > 0)
            say("%s%s x%.2f", said.length ? ", " : "while all others are under way, too: ", reach_text(n, i).text,
                n->layer[i].crowded_frac);
    if (said.length) said_all(4);
    report_reach_groups(n);
}

static const servet_network_size *size_of(const servet_network *n, int layer, double bytes)
{
    int i;
    for (i = 0; i < n->size_count; i++)
        if (n->size[i].layer == layer && n->size[i].bytes >= bytes && n->size[i].bytes <= bytes) return &n->size[i];
    return NULL;
}

/* Every second power of two. */
static void report_sizes(const servet_network *n)
{
    const servet_network_size *s;
    double bytes;
    int layer, i;
    for (layer = 0; layer <= n->layer_count && n->size_count; layer++) {
        printf("a message, %-12s%-26s  MB/s\n", reach_text(n, layer).text, "us until it is there");
        for (bytes = 1; bytes <= 1e12; bytes *= 4)
            if ((s = size_of(n, layer, bytes)) != NULL)
                printf("%-23s%-26s  %s\n", size_text(bytes).text, message_text(&s->trip).text, mb_of(s).text);
    }
    for (i = 0; i < n->threshold_count; i++) {
        const servet_network_threshold *w = &n->threshold[i];
        say("%s: another protocol from %.0f bytes on", reach_text(n, w->layer).text, w->bytes);
        if (w->hi_bytes > w->lo_bytes) say(" [%.0f, %.0f]", w->lo_bytes, w->hi_bytes);
        SENTENCE(4, ", %s us before and %s after", us_text(w->before_ns).text, us_text(w->after_ns).text);
    }
}

static int same_load(const servet_network_load *a, const servet_network_load *b)
{
    return a->layer == b->layer && a->kind == b->kind && a->bytes <= b->bytes && a->bytes >= b->bytes;
}

/* A line for each layer, sort and size: how many at once, and how long until the last is there. */
static void report_at_once(const servet_network *n)
{
    static const char *const kind[] = { "between pairs of their own", "from one rank", "to one rank" };
    int i;
    for (i = 0; i < n->load_count; i++) {
        const servet_network_load *l = &n->load[i];
        const int first = i == 0 || !same_load(l, l - 1), last = i + 1 == n->load_count || !same_load(l, l + 1);
        if (l->kind < 0 || l->kind > SERVET_LOAD_TO_ONE || (first && last)) continue;
        if (first)
            SENTENCE(4, "%s, %s at once %s: us until the last is there", reach_text(n, l->layer).text,
                     size_text(l->bytes).text, kind[l->kind]);
        say("%s %d: %s", first ? " " : "", l->at_once, message_text(&l->last).text);
        if (last) said_all(2);
    }
}

static void report_ratios(const servet_network_ratio *r, int count)
{
    enum { SHOWN = 32 };
    int i;
    say(" ");
    for (i = 0; i < count; i++) {
        if (count > SHOWN && i > 16 && (i & (i + 1))) continue;    /* of many the first and powers of two */
        say(" %d: %.2f", r[i].which, r[i].ratio);
        if (r[i].lo_ratio < r[i].hi_ratio) say(" [%.2f, %.2f]", r[i].lo_ratio, r[i].hi_ratio);
    }
    said_all(2);
}

static void report_distances(const servet_network *n)
{
    static const char *const shape[] = { "shape not clear", "flat: distance does not matter",
                                         "a ring: ever less with distance", "a torus: less and more again",
                                         "two levels: less up to a distance" };
    const int known = n->shape >= 0 && n->shape <= SERVET_SHAPE_TWO_LEVEL ? n->shape : 0;
    if (n->dist_count) {
        SENTENCE(4, "ratDist, by distance between %d nodes that all send %.3g MB: bandwidth to the next over that so "
                 "far away%s%s", n->dist_nodes, n->dist_bytes * 1e-6, n->dist_count > 1 ? "; " : "",
                 n->dist_count > 1 ? shape[known] : "");
        report_ratios(n->dist, n->dist_count);
        if (n->shape_period > 0)
            say(n->shape == SERVET_SHAPE_TWO_LEVEL ? "  from %d on constant" : "  less and more again every %d",
                n->shape_period);
        if (n->shape_period > 0 && n->shape_period_2 > 0) say(" and every %d", n->shape_period_2);
        if (n->shape_period > 0) said_all(4);
    }
    if (n->access_count) {
        SENTENCE(4, "ratNC, by processes of a node that send %.3g MB to the next%s: bandwidth of one alone over "
                 "that of each", n->access_bytes * 1e-6,
                 n->access_constant ? "" : ", the more the more senders in all");
        report_ratios(n->access, n->access_count);
    }
}

static void report_network(const servet_network *n)
{
    int i, few = 0, unbound = 0;
    if (n->ranks < 1) return;
    for (i = 0; i < n->ranks; i++) unbound += n->cpu_plus_1[i] < 1;
    say("\nbetween %d ranks of MPI on %d host%s", n->ranks, n->hosts, n->hosts == 1 ? "" : "s");
    if (n->library[0]) say(" (%s)", n->library);
    said_all(4);
    if (n->crowded) printf("%d of them have no CPU of their own: times are those of waiting, too\n", n->crowded);
    if (unbound) printf("ranks whose core is not known, as they were bound to none or to several: %d\n", unbound);
    report_reaches(n);
    report_sizes(n);
    report_at_once(n);
    report_distances(n);
    for (i = 0; i < n->size_count; i++)
        few |= (n->size[i].trip.samples > 0 && n->size[i].trip.samples < FEW)
               || (n->size[i].stream.samples > 0 && n->size[i].stream.samples < FEW);
    for (i = 0; i < n->load_count; i++) few |= n->load[i].last.samples > 0 && n->load[i].last.samples < FEW;
    if (few) printf("? of fewer than %d messages, too few for an interval\n", FEW);
    SENTENCE(4, "%.1f s, %d rounds of messages%s%s", n->seconds, n->rounds,
             n->stopped ? "; the time was over, so that parts may be missing" : "",
             n->noisy ? "; NOISY: no interval here deserves its 95 %" : "");
}

/* ---- verdicts, what it cost, the curve ------------------------------------------------------- */

static int same_thing(const servet_finding *a, const servet_finding *b)
{
    return a->what == b->what && a->level == b->level && a->page_bytes <= b->page_bytes
           && a->page_bytes >= b->page_bytes && a->verdict == b->verdict;
}

/* Where the system's own numbers disagree, a line each thing and verdict. */
static void report_verdicts(const servet_profile *p)
{
    servet_finding found[SERVET_FINDINGS_MAX];
    int i, k, count = servet_profile_check(found, SERVET_FINDINGS_MAX, p), agree = 0, disagree = 0;
    for (i = 0; i < count; i++) {
        const servet_finding *f = &found[i];
        agree += f->verdict == SERVET_VERDICT_AGREE;
        if (f->verdict <= SERVET_VERDICT_AGREE) continue;
        disagree++;
        for (k = 0; k < i && !same_thing(&found[k], f); k++) { }    /* told with an earlier one? */
        if (k < i) continue;
        say("%s:", finding_text(f).text);
        for (k = i; k < count; k++)
            if (same_thing(&found[k], f))
                say("%s %s says %s", k > i ? "," : "", servet_text(SERVET_TEXT_REPORT, found[k].source),
                    amount_text(&found[k], found[k].said).text);
        SENTENCE(4, "; %s (%s)", f->verdict == SERVET_VERDICT_SHARED_LESS ? "a program gets less of it"
                 : f->verdict == SERVET_VERDICT_OS_MISSING ? "it is there" : "that is not so",
                 servet_text(SERVET_TEXT_VERDICT, f->verdict));
    }
    if (agree > 0 && disagree == 0) printf("what the system reports agrees\n");
}

enum { SHOW_COSTS = 10 };
typedef struct show_cost { const char *part; double seconds; } show_cost;

/* What the parts of a run cost, by their evidence; the last is all else.  How many. */
static int costs_of(show_cost *c, const servet_profile *p)
{
    static const char *const part[SHOW_COSTS] = { "cache sizes and latencies", "TLBs", "distances between CPUs",
        "who shares a cache", "who slows whom at memory", "bandwidth", "loads at once", "coherence",
        "scaling of the automaton", "survival in the last level" };
    const servet_evidence *e = p->evidence;
    double took[SHOW_COSTS] = { 0 }, rest = p->made.seconds;
    int i, n = 0;
    if (!e || !(p->made.seconds > 0)) return 0;
    took[0] = e->thin.seconds + e->curve.seconds + e->resident.seconds + e->line_pairs.seconds;
    for (i = 0; i < e->counts; i++) took[e->count[i].kind == SERVET_COUNT_TLB] += e->count[i].seconds;
    took[2] = p->cores ? p->cores->seconds : 0;
    took[3] = p->sharing ? p->sharing->seconds : 0;
    took[4] = p->contention ? p->contention->seconds : 0;
    took[5] = e->streams.seconds;
    for (i = 0; i < e->parallel_count; i++) took[6] += e->parallel[i].seconds;
    took[7] = p->coherence ? p->coherence->seconds : 0;
    took[8] = p->automaton ? p->automaton->seconds : 0;
    took[9] = e->survival.seconds;
    for (i = 0; i < SHOW_COSTS; i++) {
        if (!(took[i] > 0)) continue;
        c[n].part = part[i];
        c[n++].seconds = took[i];
        rest -= took[i];
    }
    if (e->prefetched.seconds > 0) {
        c[n].part = "prefetched loads";
        c[n++].seconds = e->prefetched.seconds;
        rest -= e->prefetched.seconds;
    }
    c[n].part = "memory, clock and inference";
    c[n++].seconds = rest > 0 ? rest : 0;
    return n;
}

static words seconds_text(double s)
{
    words w;
    snprintf(w.text, sizeof w.text, s < SHOW_WIDE ? "%.2f" : "%.3g", s);
    return w;
}

/* Table I of Servet (2010). */
static void report_costs(const servet_profile *p)
{
    show_cost c[SHOW_COSTS + 2];
    int i, n = costs_of(c, p);
    if (n < 2) return;
    printf("\n%-34s%8s\n", "what it cost", "seconds");
    for (i = 0; i < n; i++) printf("%-34s%8s\n", c[i].part, seconds_text(c[i].seconds).text);
    printf("%-34s%8s\n", "in all", seconds_text(p->made.seconds).text);
}

enum { PLOT_ROWS = 14, PLOT_COLUMNS = 70 };
typedef struct plot {
    char   cell[PLOT_ROWS][PLOT_COLUMNS + 1];
    double lo_bytes, hi_bytes, lo_ns, hi_ns;
} plot;

static int plot_column(const plot *g, double bytes)
{
    return (int)floor((PLOT_COLUMNS - 1) * log(bytes / g->lo_bytes) / log(g->hi_bytes / g->lo_bytes) + 0.5);
}

static void plot_curve(plot *g, const servet_curve *c, char mark)
{
    int i;
    for (i = 0; i < c->count; i++) {
        const servet_point *q = &c->point[i];
        double row;
        if (!(q->bytes >= g->lo_bytes) || !(q->bytes <= g->hi_bytes) || !(q->ns > 0)) continue;
        row = (PLOT_ROWS - 1) * log(q->ns / g->lo_ns) / log(g->hi_ns / g->lo_ns);
        if (!(row >= 0) || !(row <= PLOT_ROWS - 1)) continue;
        g->cell[PLOT_ROWS - 1 - (int)floor(row + 0.5)][plot_column(g, q->bytes)] = mark;
    }
}

static void plot_range(plot *g, const servet_curve *c)
{
    int i;
    for (i = 0; i < c->count; i++) {
        const servet_point *q = &c->point[i];
        if (!(q->bytes > 0) || !(q->ns > 0) || !(q->bytes < 1e18) || !(q->ns < 1e9)) continue;
        if (!(g->lo_bytes > 0) || q->bytes < g->lo_bytes) g->lo_bytes = q->bytes;
        if (q->bytes > g->hi_bytes) g->hi_bytes = q->bytes;
        if (!(g->lo_ns > 0) || q->ns < g->lo_ns) g->lo_ns = q->ns;
        if (q->ns > g->hi_ns) g->hi_ns = q->ns;
    }
}

/* Sizes below, every fourth power of two. */
static void plot_sizes(const plot *g)
{
    char line[PLOT_COLUMNS + 1];
    double bytes;
    int at, length;
    memset(line, ' ', sizeof line);
    for (bytes = 1; bytes <= g->hi_bytes; bytes *= 16) {
        const words w = size_text(bytes);
        if (bytes < g->lo_bytes) continue;
        length = (int)strlen(w.text);
        at = plot_column(g, bytes);
        memcpy(line + (at + length > PLOT_COLUMNS ? PLOT_COLUMNS - length : at), w.text, (size_t)length);
    }
    for (at = PLOT_COLUMNS; at > 0 && line[at - 1] == ' '; at--) { }
    printf("%8s %.*s\n", "", at, line);
}

/* The latency curve: both axes logarithmic, a bar where a level ends. */
static void report_plot(const servet_profile *p)
{
    static plot g;
    const servet_evidence *e = p->evidence;
    int i, r, at;
    memset(&g, 0, sizeof g);
    if (!e) return;
    plot_range(&g, &e->thin);
    plot_range(&g, &e->curve);
    if (!(g.hi_bytes > 2 * g.lo_bytes) || !(g.hi_ns > 1.01 * g.lo_ns)) return;
    plot_range(&g, &e->prefetched);
    for (r = 0; r < PLOT_ROWS; r++) memset(g.cell[r], ' ', PLOT_COLUMNS);
    for (i = 0; i < p->cache_count; i++) {
        if (!(p->cache[i].bytes > g.lo_bytes) || !(p->cache[i].bytes < g.hi_bytes)) continue;
        for (at = plot_column(&g, p->cache[i].bytes), r = 0; r < PLOT_ROWS; r++) g.cell[r][at] = '|';
        if (at > 2) {
            g.cell[0][at - 2] = 'L';
            g.cell[0][at - 1] = (char)('1' + i);
        }
    }
    plot_curve(&g, &e->prefetched, '.');
    plot_curve(&g, &e->thin, '+');
    plot_curve(&g, &e->curve, 'o');
    printf("\nns of a load by how much memory is read again and again: + a first look,\n"
           "o the curve%s, | where a level ends\n", e->prefetched.count ? ", . prefetched" : "");
    for (r = 0; r < PLOT_ROWS; r++) {
        const double ns = g.lo_ns * pow(g.hi_ns / g.lo_ns, (double)(PLOT_ROWS - 1 - r) / (PLOT_ROWS - 1));
        for (i = PLOT_COLUMNS; i > 0 && g.cell[r][i - 1] == ' '; i--) { }
        if (r % 3 == 1) printf("%8s %.*s\n", digits(ns).text, i, g.cell[r]);
        else printf("%8s %.*s\n", "", i, g.cell[r]);
    }
    plot_sizes(&g);
}

/* The last line, on a page as well. */
static void say_samples(const servet_profile *p)
{
    const servet_curve *curve = p->evidence ? &p->evidence->curve : NULL;
    const double huge_frac = curve ? curve->huge_frac : 0;
    say("%.0f %% of the samples disturbed, %d taken again; %s pages; CPU %d; %.1f s%s",
        100 * p->made.noisy_frac, curve ? curve->retaken : 0,
        huge_frac > 0.9 ? "huge" : huge_frac > 0 ? "partly huge" : "small",
        p->made.cpu, p->made.seconds, p->made.stopped ? ", interrupted" : "");
}

static void report_samples(const servet_profile *p)
{
    if (p->made.cpu_frac > 0 && p->made.cpu_frac < 0.9)
        printf("this CPU ran others for %.0f %% of the time\n", 100 * (1 - p->made.cpu_frac));
    say_samples(p);
    said_all(4);
}

static void report(const servet_profile *p, int with_plot)
{
    const servet_curve *curve = p->evidence ? &p->evidence->curve : NULL;
    const int asked = p->made.parts == 0 || p->made.parts & SERVET_PART_CACHES;
    int i;
    for (i = 0; i < FIRST_LINES; i++) {
        say("%-*s", SHOW_HEAD, first_lines[i].name);
        if (say_first(p, i)) said_all(SHOW_HEAD);
        else said_none();
    }
    if (p->network && p->made.seconds <= 0) {    /* a file that holds nothing else */
        report_host(p);
        report_network(p->network);
        return;
    }
    report_host(p);
    if (with_plot) report_plot(p);
    if (p->cache_count > 0 || (curve && curve->count > 0) || (asked && p->tlb.small.count == 0)) report_levels(p);
    report_pages(p);
    report_prefetched(p);
    report_rates(p);
    report_chains(p);
    report_stores(p);
    report_survival(p);
    report_nodes(p);
    report_cores(p);
    report_sharing(p);
    report_contention(p);
    report_coherence(p);
    report_automaton(p);
    if (p->network) report_network(p->network);
    printf("\n");
    report_verdicts(p);
    report_costs(p);
    report_samples(p);
}

#endif /* SERVET_SHOW_H */

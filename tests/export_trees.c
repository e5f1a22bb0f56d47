/* export_trees.c - XML of hwloc of modelled machines.  That hwloc takes it: export.sh, for which this writes the
 * trees into the directory that it is given. */
#include "mapping.h"
#include "tap.h"
#include "../examples/hwloc.h"

#include <stdio.h>

static servet_profile p;
static hwloc_opts o;
static system_cpu place[32];
static servet_node node[8];
static char text[1 << 18];
static const char *directory;

static void begin(int cpus)
{
    servet_profile_free(&p);
    memset(&p, 0, sizeof p);
    memset(&o, 0, sizeof o);
    memset(node, 0, sizeof node);
    memset(place, -1, sizeof place);
    p.cores_with_siblings = -1;
    snprintf(p.host.cpus, sizeof p.host.cpus, "0-%d", cpus - 1);
    p.host.cpu_count = cpus;
    strcpy(p.host.arch, "x86_64");
}

/* A level that was counted; where claimed > 0 sysfs says so much, and that is so or not. */
static void cache(double bytes, int ways, double claimed)
{
    servet_cache *c = &p.cache[p.cache_count++];
    servet_report *r = &p.host.report[p.host.report_count];
    int i;
    c->bytes = c->usual_bytes = c->lo_bytes = c->hi_bytes = bytes;
    c->ways = ways;
    c->latency_ns = 1.25 * p.cache_count;
    c->method = SERVET_BY_COUNT;
    c->source = SERVET_SOURCE_MEASURED;
    for (i = 0; i < SERVET_REPORT_SOURCES; i++) c->system_bytes[i] = -1;
    if (!(claimed > 0)) return;
    c->system_bytes[SERVET_REPORT_SYSFS] = claimed;
    c->system_verdict[SERVET_REPORT_SYSFS] = claimed < bytes || claimed > bytes ? SERVET_VERDICT_OS_WRONG
                                                                                : SERVET_VERDICT_AGREE;
    r->level = p.cache_count;
    r->bytes = claimed;
    r->ways = 20;
    r->line_bytes = 64;
    p.host.report_count++;
}

/* How often the tree has a piece of text. */
static int times(const char *piece)
{
    const char *at = text;
    int n = 0;
    while ((at = strstr(at, piece)) != NULL) n++, at++;
    return n;
}

static int has(const char *piece, int n)
{
    const int is = times(piece);
    if (is != n) TAP_DIAG("%d times: %s", is, piece);
    return is == n;
}

/* The tree, kept for export.sh. */
static int tree(const char *name)
{
    char path[1024];
    FILE *f;
    const int status = hwloc_xml(&p, text, sizeof text, &o);
    if (status < 0) TAP_DIAG("%s: %s", name, servet_status_text(status));
    if (status < 0 || !directory) return status;
    snprintf(path, sizeof path, "%s/%s.xml", directory, name);
    f = fopen(path, "w");
    if (f) fputs(text, f);
    return f && !fclose(f) ? status : -1;
}

static void test_edges(void)
{
    char cut[8] = "as was";
    int whole;
    begin(2);
    whole = tree("bare");
    TAP_OK(whole > 0 && hwloc_xml(&p, NULL, 0, NULL) == whole
           && hwloc_xml(&p, cut, sizeof cut, NULL) == whole && !strcmp(cut, "<?xml v"),
           "a short buffer, and none");
    strcpy(cut, "as was");
    o.places = 1;
    TAP_OK(hwloc_xml(NULL, cut, sizeof cut, NULL) == SERVET_EINVAL
           && hwloc_xml(&p, cut, sizeof cut, &o) == SERVET_EINVAL && !strcmp(cut, "as was"),
           "NULL, places that are not there: untouched");
    strcpy(p.host.cpu_model, "A \"<&>\n\x80 B");
    o.places = 0;
    TAP_OK(tree("words") > 0 && has("value=\"A        B\"", 1), "no text of the profile ends what it stands in");
    begin(1);
    p.host.cpus[0] = 0;
    TAP_OK(tree("none") == SERVET_EUNRESOLVED, "no CPU is known");
}

/* Two packages of two nodes, each with its own last level, all as the system says; memory without CPUs as well. */
static void test_nodes(void)
{
    int i, k;
    begin(16);
    cache(32768, 8, 32768);
    cache(524288, 8, 524288);
    cache(16777216, 16, 134217728);
    o.places = 16;
    o.place = place;
    o.nodes = 5;
    o.node = node;
    for (i = 0; i < 16; i++) {
        place[i].cpu = i;
        place[i].core = i % 8;
        place[i].package = i / 8;
        place[i].cache[0] = place[i].cache[1] = i;
        place[i].cache[2] = i / 4;
        servet_cpus_add(&node[i / 4].cpus, i);
    }
    for (i = 0; i < 5; i++) {
        node[i].id = i;
        node[i].bytes = 1 << 30;
        for (k = 0; k < 4 && i < 4; k++) {
            servet_node_rate *r = &p.node[p.node_count++];
            r->cpu_node = i;
            r->node = k;
            r->latency_ns = i == k ? 90 : 140;
            r->all_load_bytes_per_s = 1048576e3;
        }
    }
    TAP_OK(tree("nodes") > 0, "four nodes and one without CPUs");
    TAP_OK(has("type=\"Package\"", 2) && has("type=\"NUMANode\" gp_index=", 5) && has("type=\"L3Cache\"", 4)
           && has("type=\"Core\"", 16) && has("type=\"PU\"", 16), "all there");
    TAP_OK(has("cache_size=\"16777216\"", 4) && has("value=\"134217728 by sysfs, refuted\"", 4)
           && has("cache_associativity=\"16\"", 4) && has("servetCPUs\" value=\"os\"", 2 + 4 + 4 + 16 + 16 + 16),
           "the size measured where the system's is wrong, and who shares it as it says");
    TAP_OK(has("value=\"90\" initiator_cpuset=", 8) && has("value=\"140\" initiator_cpuset=", 24)
           && has("value=\"1000\" initiator_cpuset=\"0x0000f000\"", 4), "latency and bandwidth from each to each");
}

/* Two cores of two threads, four small ones that share a second level; no word of the system. */
static void test_kinds(void)
{
    int i;
    begin(8);
    cache(49152, 12, 0);
    cache(2097152, 16, 0);
    mapping_cores(&p, 8, 8, 50, 50);
    mapping_caches(&p, 8, 2);
    mapping_caches(&p, 8, 4);
    p.cores_with_siblings = 2;
    for (i = 0; i < 8; i++) {
        p.smt[i] = (int16_t)(i < 4 ? i / 2 : -1);
        p.sharing->level[0].group[i] = (int16_t)(i < 4 ? i / 2 : i);
        p.sharing->level[1].group[i] = (int16_t)(i < 4 ? i / 2 : 4);
    }
    p.cores->state[SERVET_PAIRS_AT(2, 6)] = SERVET_CORES_CONTAMINATED;
    TAP_OK(tree("kinds") > 0 && has("type=\"L2Cache\"", 3) && has("type=\"L1Cache\"", 6) && has("type=\"Core\"", 6)
           && has("type=\"Package\"", 0), "kinds of cores, from measurement alone");
    TAP_OK(has("nbobjs=\"7\"", 1) && has("<indexes length=\"14\">0 1 2 3 4 5 7 </indexes>", 1)
           && has("<u64values length=\"20\">0 50 50 50 50 50 50 </u64values>", 1),
           "latencies of those whose pairs are all sound");
    p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(0, 1)] = 1e30f;    /* of a file by hand */
    TAP_OK(tree("kinds") > 0 && has("<u64values length=\"28\">0 1000000000 50 50 50 50 50 </u64values>", 1),
           "a second at most");
    p.cores->ns[SERVET_HANDOFF_FLAGS][SERVET_PAIRS_AT(0, 1)] = 50;
    tree("kinds");
    TAP_OK(has("name=\"servetUnknown\" value=\"latency of memory\"", 1) && has("memattr", 0) && has("=\"0\"/>", 0),
           "what is not known is left out");
}

/* Of the system only what it says of caches: what is of each CPU alone, or of all, is clear; then one package. */
static void test_reports(void)
{
    const char *memory;
    int i;
    begin(40);
    cache(32768, 8, 32768);
    cache(4194304, 0, 16777216);
    p.host.report[0].shared_cpus = 1;
    p.host.report[1].shared_cpus = 40;
    TAP_OK(tree("reports") > 0 && has("type=\"L1Cache\"", 40) && has("type=\"L2Cache\"", 1)
           && has("servetCPUs\" value=\"os\"", 41), "who shares what, by the reports of the system");
    TAP_OK(has("cache_associativity=\"8\"", 40) && has("cache_associativity", 40),
           "ways of another size are not those of this one");
    TAP_OK(has("type=\"L2Cache\" gp_index=\"3\" cpuset=\"0x000000ff,0xffffffff\"", 1)
           && has("os_index=\"39\" cpuset=\"0x00000080,0x00000000\"", 1), "more than 32 CPUs");
    o.places = 1;
    o.place = place;
    place[0].cpu = place[0].package = 0;
    TAP_OK(tree("partly") > 0 && has("type=\"L1Cache\"", 40) && has("type=\"Package\"", 0),
           "a place that says nothing of caches leaves them to the reports; one CPU's package is not known");
    begin(4);
    o.places = 4;
    o.place = place;
    for (i = 0; i < 4; i++) place[i].cpu = i, place[i].package = 0;
    TAP_OK(tree("package") > 0 && has("type=\"Package\"", 1), "one package");
    memory = strstr(text, "NUMANode");
    TAP_OK(memory && memory > strstr(text, "Package") && has("NUMANode", 1), "and the memory in it, as hwloc has it");
}

/* Groups of near cores that no cache shows; a package of the system's across a cache that was measured. */
static void test_layers(void)
{
    int i;
    begin(8);
    cache(32768, 8, 0);
    mapping_cores(&p, 8, 4, 50, 120);
    mapping_caches(&p, 8, 1);
    p.layers.cores = 8;
    p.layers.count = 1;
    p.layers.layer[0].latency_ns = 50.4;
    for (i = 0; i < 8; i++) p.layers.group[0][i] = (int16_t)(i / 4);
    p.sharing->level[0].groups = 4;
    for (i = 0; i < 8; i++) p.sharing->level[0].group[i] = (int16_t)(i / 2);
    TAP_OK(tree("layers") > 0 && has("type=\"Group\"", 2) && has("value=\"50400\"", 2) && has("type=\"L1Cache\"", 4),
           "near cores are groups");
    o.places = 8;
    o.place = place;
    for (i = 0; i < 8; i++) {
        place[i].cpu = i;
        place[i].package = i > 2;
    }
    TAP_OK(tree("crossed") > 0 && has("type=\"L1Cache\"", 4) && has("value=\"Package: crosses others\"", 1)
           && has("type=\"Group\"", 2) && has("type=\"Package\"", 0),
           "what crosses is left out, and told: measured first");
    o.places = 0;
    o.nodes = 2;
    o.node = node;
    for (i = 0; i < 8; i++) servet_cpus_add(&node[i > 2].cpus, i);
    node[1].id = 1;
    TAP_OK(tree("astray") > 0 && has("type=\"NUMANode\"", 2) && has("type=\"L1Cache\"", 4)
           && has("value=\"Group: crosses others\"", 1), "memory is there also where its CPUs cross a cache");
    o.nodes = 0;
    for (i = 0; i < 8; i++) p.sharing->level[0].group[i] = -1;
    TAP_OK(tree("unknown") > 0 && has("value=\"L1Cache: who shares it\"", 1) && has("L1Cache\" gp", 0),
           "a cache that nobody knows who shares");
}

/* A second level that was missed: what was held behind the first is the third. */
static void test_missed(void)
{
    int i;
    begin(4);
    cache(49152, 12, 49152);
    cache(12582912, 0, 0);
    p.cache[1].method = SERVET_BY_HELD;
    p.host.report[0].shared_cpus = 1;
    for (i = 1; i < 3; i++) {
        p.host.report[i].level = i + 1;
        p.host.report[i].bytes = i == 1 ? 1048576 : 532676608;
        p.host.report[i].shared_cpus = i == 1 ? 1 : 4;
    }
    p.host.report_count = 3;
    mapping_caches(&p, 4, 1);
    mapping_caches(&p, 4, 2);
    TAP_OK(tree("missed") > 0 && has("type=\"L2Cache\"", 4) && has("type=\"L3Cache\"", 2)
           && has("cache_size=\"1048576\"", 4) && has("cache_size=\"12582912\"", 2), "a level that was missed");
    TAP_OK(has("value=\"12582912 [12582912, 12582912], held\"", 2) && has("servetMeasured", 4 + 2)
           && has("servetCPUs\" value=\"measured\"", 2), "who shares what was held, and infos, are of it");
    p.now_bytes = 2097152;
    TAP_OK(tree("missed") > 0 && has("cache_size=\"2097152\"", 2) && has("value=\"12582912 [", 2),
           "also while less of it can be had");
    p.now_bytes = 0;
    p.claims = 3;
    p.claim[2] = SERVET_CLAIM_CONFIRMED;
    TAP_OK(tree("missed") > 0 && has("cache_size=\"532676608\"", 2) && has("value=\"12582912 [", 2),
           "and where a question has confirmed the system's size");
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : NULL;
    test_edges();
    test_nodes();
    test_kinds();
    test_reports();
    test_layers();
    test_missed();
    servet_profile_free(&p);
    return tap_done();
}

/* network_suite.c - which node of a cluster differs (examples/suite.h), by nodes and networks that are known */
#include "../examples/suite.h"
#include "tap.h"

enum { NODES = 4 };
static suite_node node[NODES];

static void alike(int q, double is, double within)
{
    int i;
    for (i = 0; i < NODES; i++) node[i].of[q] = suite_of(is, is / (1 + within), is * (1 + within));
}

static int who(int q)
{
    double factor;
    int i, found = -1;
    for (i = 0; i < NODES; i++) if (suite_differs(&factor, node, NODES, i, q)) found = found < 0 ? i : 99;
    return found;
}

static void differing(void)
{
    const int q = 2 * SUITE_LEVELS;
    double factor;
    memset(node, 0, sizeof node);
    TAP_OK(who(q) == -1, "nothing known, nobody named");
    alike(q, 80, 0.03);
    TAP_OK(who(q) == -1, "four alike");
    node[2].of[q] = suite_of(100, 95, 106);
    TAP_OK(who(q) == 2, "one whose memory takes a quarter longer");
    TAP_OK(suite_differs(&factor, node, NODES, 2, q) && fabs(factor - 1.25) < 1e-9, "by how much");
    node[2].of[q].lo = 82;
    TAP_OK(who(q) == -1, "not where intervals meet");
    node[2].of[q] = suite_of(86, 85.9, 86.1);
    TAP_OK(who(q) == -1, "nor by less than a tenth");
    node[2].of[q] = suite_of(40, 39, 41);
    TAP_OK(who(q) == 2, "half as long differs as well");
    node[3].of[q] = suite_of(160, 155, 166);
    TAP_OK(who(q) == 99, "two that differ are both named, while two are alike");
    node[1].of[q] = suite_of(20, 19, 21);
    TAP_OK(who(q) == -1, "of four that all differ none");
    TAP_OK(!suite_differs(&factor, node, 2, 1, q), "of two none");
    node[2].of[q].is = 0;
    TAP_OK(!suite_differs(&factor, node, NODES, 2, q), "what is not known does not differ");
}

/* Four hosts of a rank, all pairs; the cable of the last has a fifth of the others'. */
static void wires(servet_network *n, int slow)
{
    int a, b;
    memset(n, 0, sizeof *n);
    n->ranks = n->hosts = NODES;
    n->stream_bytes = 1e6;
    for (a = 0; a < NODES; a++) {
        n->host[a] = (int16_t)a;
        for (b = 0; b < a; b++) {
            servet_network_pair *p = &n->pair[n->pair_count++];
            const float ns = a == slow || b == slow ? 5e6f : 1e6f;
            p->a = (int16_t)b;
            p->b = (int16_t)a;
            p->stream.median_ns = ns;
            p->stream.lo_ns = 0.95f * ns;
            p->stream.hi_ns = 3 * ns;
        }
    }
}

static void network_of(servet_network *n)
{
    suite_node again[NODES];
    int i;
    memset(node, 0, sizeof node);
    wires(n, 3);
    suite_wires(node, NODES, n);
    TAP_OK(who(SUITE_WIRE) == 3, "the one with the slow wire, and not those that talk to it");
    TAP_NEAR(node[0].of[SUITE_WIRE].is, 1e9, 1e-6, "the others' are their best");
    memset(again, 0, sizeof again);
    wires(n, -1);
    suite_wires(again, NODES, n);
    for (i = 0; i < NODES; i++) suite_join(&node[i], &again[i]);
    TAP_OK(who(SUITE_WIRE) == -1, "what was slow once only was disturbed");
    wires(n, 1);
    n->host[1] = 0;
    n->hosts = 3;
    memset(node, 0, sizeof node);
    suite_wires(node, 3, n);
    TAP_OK(node[0].of[SUITE_WIRE].is > 0 && who(SUITE_WIRE) == -1, "two ranks of a node: the better counts");
}

static void file(servet_network *n)
{
    servet_profile p, back;
    char error[SERVET_TEXT_MAX], *text;
    memset(&p, 0, sizeof p);
    memset(node, 0, sizeof node);
    strcpy(node[0].name, "a \"quoted\\ name");
    node[0].ranks = 2;
    alike(0, 32768, 0);
    wires(n, 3);
    p.network = n;
    text = suite_text(&p, node, NODES);
    TAP_OK(text && servet_profile_parse(&back, text, strlen(text), error) == SERVET_OK, "the file is a profile");
    TAP_OK(text && back.network && back.network->hosts == NODES, "with the network");
    TAP_OK(text && strstr(text, "\"name\":\"a quoted name\",\"ranks\":2,") && strstr(text, "\"is\":32768,"),
           "and all nodes");
    servet_profile_free(&back);
    free(text);
}

int main(void)
{
    servet_network *n = (servet_network *)calloc(1, sizeof *n);
    if (!n) return 1;
    differing();
    network_of(n);
    file(n);
    free(n);
    return tap_done();
}

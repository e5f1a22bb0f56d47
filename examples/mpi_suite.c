/* mpi_suite.c - one job that measures a cluster: every node, and the wires between them, into one file
 *
 *     mpicc -O2 examples/mpi_suite.c -I. -lm -pthread -o mpi_suite && mpirun --map-by node ./mpi_suite [-o FILE]
 *         [--budget SECONDS] [--nodes-only | --wires-only]
 *
 * All nodes at the same time, the ranks of a node in turn: the first measures caches, who shares them, distances and
 * memory, by the CPUs it may use (budget 4 s), the others the caches of theirs.  Then the network is measured, and the
 * node named that differs from the others: by more than a tenth, and beyond all intervals.  FILE is the profile of the
 * first node with the network and a list of all nodes; - : the file of this machine; without -o nothing is kept.
 * Interrupted, it prints what it knows by then.  Exit 1: nothing could be measured; 2: bad usage; 3: a node differs. */
#define SERVET_IMPLEMENTATION
#include "servet_mpi.h"
#include "message.h"
#include "suite.h"

enum { TAKES = 4 };

/* Ranks whose hosts have one name, in the order of their first ranks. */
static MPI_Comm comm_of_node(int rank, int ranks, suite_node *mine)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", *all = (char *)malloc((size_t)ranks * sizeof name);
    int length = 0, first = 0;
    MPI_Comm node;
    if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, (int)sizeof name, MPI_CHAR, all, (int)sizeof name, MPI_CHAR, MPI_COMM_WORLD);
    while (strcmp(all + (size_t)first * sizeof name, name)) first++;
    free(all);
    name[SUITE_NAME - 1] = 0;
    memcpy(mine->name, name, strlen(name) + 1);
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &node);
    return node;
}

/* Each rank of a node in turn; the first has what all found.  p: of the first. */
static int measure_node(suite_node *mine, servet_profile *p, MPI_Comm node, double budget_s)
{
    servet_profile_opts o;
    servet_cpus cpus;
    suite_node other;
    int i, place, ranks, status = SERVET_OK;
    MPI_Comm_rank(node, &place);
    MPI_Comm_size(node, &ranks);
    for (i = 0; i < ranks; i++) {
        if (i == place) {
            memset(&o, 0, sizeof o);
            o.run.stop = message_stop;
            o.run.budget_s = i == 0 ? budget_s : budget_s / 4;
            o.parts = i == 0 ? SERVET_PART_CACHES | SERVET_PART_BANDWIDTH | SERVET_PART_CORES : SERVET_PART_CACHES;
            status = servet_profile_calibrate(p, &o);
            if (status >= 0) suite_take(mine, p);
            mine->ranks = 1;
            if (servet_machine_cpus(&cpus) >= 0 && cpus.count > mine->cpus) mine->cpus = cpus.count;
            if (i > 0 && status >= 0) servet_profile_free(p);
        }
        message_rest(node);
    }
    for (i = 1; i < ranks; i++) {
        if (place == i) MPI_Send(mine, (int)sizeof *mine, MPI_BYTE, 0, 0, node);
        if (place != 0) continue;
        MPI_Recv(&other, (int)sizeof other, MPI_BYTE, i, 0, node, MPI_STATUS_IGNORE);
        suite_join(mine, &other);
    }
    return status;
}

/* Of all nodes, at rank 0; to be freed there. */
static suite_node *gather(const suite_node *mine, MPI_Comm node, int *nodes)
{
    suite_node *all = NULL;
    MPI_Comm first;
    int rank, place;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_rank(node, &place);
    MPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, rank, &first);
    *nodes = 0;
    if (first == MPI_COMM_NULL) return NULL;
    MPI_Comm_size(first, nodes);
    if (rank == 0) all = (suite_node *)malloc((size_t)*nodes * sizeof *all);
    if (rank == 0 && !all) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *mine, MPI_BYTE, 0, first);
    MPI_Comm_free(&first);
    return all;
}

static void print_nodes(const suite_node *node, int nodes)
{
    int i, q;
    for (q = 0; q < SUITE_QUANTITIES; q++) {
        int some = 0;
        for (i = 0; i < nodes; i++) {
            const suite_value *v = &node[i].of[q];
            if (!(v->is > 0)) continue;
            if (!some++) printf("%s\n", suite_word[q]);
            printf("    %-16s %12.5g [%.5g, %.5g]\n", node[i].name, v->is, v->lo, v->hi);
        }
    }
}

/* The network, again while a node's wire seems to differ: what disturbs one take is elsewhere in the next.  p: of rank
 * 0's node, if that was measured. */
static int measure_wires(suite_node *node, int nodes, servet_network *n, const servet_profile *p, double budget_s)
{
    servet_mpi_opts o;
    int i, take, again = 1, status = SERVET_OK;
    memset(&o, 0, sizeof o);
    o.ratio_bytes = 1000000;
    o.run.stop = message_stop;
    o.trip_bytes = message_bytes(MPI_COMM_WORLD, 0, p);
    for (take = 0; take < TAKES && again && status >= 0; take++) {
        o.run.budget_s = take ? budget_s / 4 : budget_s;
        o.parts = take ? SERVET_MPI_LAYERS : SERVET_MPI_LAYERS | SERVET_MPI_DISTANCE | SERVET_MPI_ACCESS;
        status = servet_mpi_measure(n && take == 0 ? n : n ? n + 1 : NULL, MPI_COMM_WORLD, &o);
        again = 0;
        if (n && n[take > 0].hosts == nodes) {
            suite_node *seen = (suite_node *)calloc((size_t)nodes, sizeof *seen);
            if (seen) suite_wires(seen, nodes, &n[take > 0]);
            for (i = 0; seen && i < nodes; i++) suite_join(&node[i], &seen[i]);
            again = seen && !message_interrupted && suite_all_differ(node, nodes, SUITE_WIRE) > 0;
            free(seen);
        }
        MPI_Bcast(&again, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return status;
}

/* Prints and keeps it, at rank 0: what the program ends with. */
static int report(suite_node *node, int nodes, servet_profile *p, servet_network *n, const char *file)
{
    char *text, error[SERVET_TEXT_MAX] = "";
    const int part = message_interrupted && (p->cache_count == 0 || (file && !strcmp(file, "-")));
    int i, different, status = SERVET_OK;
    print_nodes(node, nodes);
    different = suite_print_different(stdout, node, nodes);
    if (n && n->layer_count >= 0 && n->ranks > 1)
        for (i = 0; i <= n->layer_count; i++)
            if (n->layer[i].pairs > 0)
                printf("layer %d: %.2f us, %.0f MB/s\n", i + 1, n->layer[i].small_ns / 1e3,
                       n->layer[i].bytes_per_s / 1e6);
    if (message_interrupted) fprintf(stderr, "mpi_suite: interrupted%s\n", file && part ? ", not saved" : "");
    if (part) file = NULL;
    if (file && !strcmp(file, "-") && p->cache_count == 0) {    /* the file has them: that stays */
        if (n) status = servet_profile_save_network(n, NULL, error);
    } else if (file) {
        p->network = n;
        text = suite_text(p, node, nodes);
        p->network = NULL;
        status = !text ? (int)SERVET_ENOMEM
               : servet_profile_save_text(strcmp(file, "-") ? file : NULL, text, strlen(text));
        if (status == SERVET_EIO) snprintf(error, sizeof error, "%s", strerror(errno));
        free(text);
    }
    if (status < 0)
        fprintf(stderr, "mpi_suite: %s: cannot be written: %s\n", file, *error ? error : servet_status_text(status));
    return status < 0 ? 2 : different ? 3 : 0;
}

int main(int argc, char **argv)
{
    servet_profile p;
    servet_network *n = NULL;
    suite_node mine, *all;
    const char *file = NULL, *wrong = NULL;
    double budget_s = 4;
    int parts = 3, i, rank, ranks, nodes, status = 0, code = 0;
    MPI_Comm node;
    memset(&p, 0, sizeof p);
    memset(&mine, 0, sizeof mine);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = 1; i < argc && !wrong; i++) {
        char *value = argv[i + 1], *end = NULL;    /* argv ends with NULL */
        const double number = value ? strtod(value, &end) : 0;
        if (!strcmp(argv[i], "--nodes-only")) parts = 1;
        else if (!strcmp(argv[i], "--wires-only")) parts = 2;
        else if (!strcmp(argv[i], "-o") && value && *value) file = argv[++i];
        else if (!strcmp(argv[i], "--budget") && value && end != value && !*end && number > 0 && number < 1e6) {
            budget_s = number;
            i++;
        } else {
            wrong = argv[i];
        }
    }
    if (wrong) {
        if (rank == 0)
            fprintf(stderr, "mpi_suite: %s: not understood, or its value is missing or wrong: mpi_suite [-o FILE]"
                    " [--budget SECONDS] [--nodes-only | --wires-only]\n", wrong);
        MPI_Finalize();
        return 2;
    }
    message_signals();
    if (file && message_file(MPI_COMM_WORLD, "mpi_suite", file, !strcmp(file, "-"))) {
        MPI_Finalize();
        return 2;
    }
    node = comm_of_node(rank, ranks, &mine);
    if (parts & 1) status = measure_node(&mine, &p, node, budget_s);
    all = gather(&mine, node, &nodes);
    MPI_Comm_free(&node);
    if (rank == 0 && parts & 2) n = (servet_network *)calloc(2, sizeof *n);
    if (rank == 0 && parts & 2 && !n) MPI_Abort(MPI_COMM_WORLD, 1);
    if (parts & 2 && ranks > 1) status = measure_wires(all, nodes, n, &p, 5 * budget_s);
    if (rank == 0) {
        if (status < 0) fprintf(stderr, "mpi_suite: %s\n", servet_status_text(status));
        code = report(all, nodes, &p, n && n->ranks > 0 ? n : NULL, file);
        if (status < 0 && code == 0) code = 1;
    }
    free(n);
    free(all);
    servet_profile_free(&p);
    if (rank == 0 && (code == 0 || code == 3) && message_written("mpi_suite")) code = 2;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}

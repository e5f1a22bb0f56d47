/* mapping_forms.c - a mapping in the words of launchers, to the letter; that launchers take them: mpi/map.sh */
#include "mapping.h"
#include "tap.h"

static servet_profile p;
static servet_mapping m;

static int says(int form, const char *text)
{
    char buf[2048];
    const int length = servet_mapping_write(&m, &p, form, buf, sizeof buf);
    if (length == (int)strlen(text) && !strcmp(buf, text)) return 1;
    TAP_DIAG("%d: %s", length, length < 0 ? servet_status_text(length) : buf);
    return 0;
}

static int cannot(int form)
{
    char buf[64] = "as it was";
    return servet_mapping_write(&m, &p, form, buf, sizeof buf) == SERVET_EUNSUPPORTED && !strcmp(buf, "as it was");
}

static void place(int rank, int node, int cpu)
{
    m.node[rank] = (int16_t)node;
    m.cpu[rank] = (int16_t)cpu;
}

static void test_node(void)
{
    memset(&p, 0, sizeof p);
    memset(&m, 0, sizeof m);
    mapping_cores(&p, 8, 8, 50, 50);
    m.processes = 3;
    m.nodes = 1;
    place(0, 0, 6);
    place(1, 0, 0);
    place(2, 0, 3);
    TAP_OK(says(SERVET_FORM_LIST, "6,0,3\n"), "list");
    TAP_OK(says(SERVET_FORM_TASKSET, "taskset -c 0,3,6\n"), "taskset: a set");
    TAP_OK(says(SERVET_FORM_OMP, "OMP_NUM_THREADS=3\nOMP_PROC_BIND=true\nOMP_PLACES={6},{0},{3}\n"
                "GOMP_CPU_AFFINITY=\"6 0 3\"\n"), "OpenMP: in the order of threads");
    TAP_OK(says(SERVET_FORM_OPENMPI, "# mpirun --mca rmaps_rank_file_physical 1 -np 3 -rf FILE\n"
                "rank 0=localhost slot=6\nrank 1=localhost slot=0\nrank 2=localhost slot=3\n"), "Open MPI 4");
    TAP_OK(says(SERVET_FORM_MPICH, "-n 3 -bind-to user:6,0,3\n"), "hydra");
    TAP_OK(says(SERVET_FORM_SLURM, "--nodes=1 --ntasks=3 --cpu-bind=map_cpu:6,0,3\n"), "Slurm");
    TAP_OK(says(SERVET_FORM_JSON, "{\"processes\":3,\"nodes\":1,\"bound\":\"communication\",\n \"ranks\":[\n"
                "  {\"node\":\"localhost\",\"cpu\":6},\n  {\"node\":\"localhost\",\"cpu\":0},\n"
                "  {\"node\":\"localhost\",\"cpu\":3}]}\n"), "JSON");
    servet_profile_free(&p);
}

/* CPUs a and a + 4 are threads of a core, even cores are one socket: hwloc counts 0 4 2 6 1 5 3 7. */
static void test_logical(void)
{
    int i;
    memset(&p, 0, sizeof p);
    memset(&m, 0, sizeof m);
    mapping_cores(&p, 8, 8, 50, 50);
    p.cores_with_siblings = 4;
    p.layers.cores = 8;
    p.layers.count = 1;
    for (i = 0; i < 8; i++) {
        p.smt[i] = (int16_t)(i % 4);
        p.layers.group[0][i] = (int16_t)(i % 2);
    }
    m.processes = 8;
    m.nodes = 1;
    for (i = 0; i < 8; i++) place(i, 0, i);
    TAP_OK(says(SERVET_FORM_OPENMPI_5, "# mpirun -np 8 --map-by rankfile:file=FILE:hwtcpus --bind-to hwthread\n"
                "rank 0=localhost slot=0\nrank 1=localhost slot=4\nrank 2=localhost slot=2\nrank 3=localhost slot=6\n"
                "rank 4=localhost slot=1\nrank 5=localhost slot=5\nrank 6=localhost slot=3\n"
                "rank 7=localhost slot=7\n"), "Open MPI 5: numbers as hwloc counts");
    servet_profile_free(&p);
}

static void test_nodes(void)
{
    char cut[8];
    memset(&m, 0, sizeof m);
    mapping_cluster(&p, 3, 4, 2);
    m.processes = 5;
    m.nodes = 3;
    place(0, 0, 2);
    place(1, 0, 0);
    place(2, 2, 2);
    place(3, 2, 0);
    place(4, 1, 2);
    TAP_OK(says(SERVET_FORM_LIST, "n0 2\nn0 0\nn2 2\nn2 0\nn1 2\n"), "list of several nodes: a line for each rank");
    TAP_OK(says(SERVET_FORM_MPICH, "-hosts n0:2,n2:2,n1:1 -n 5 -bind-to user:2,0\n"),
           "hydra: hosts in the order of ranks");
    TAP_OK(says(SERVET_FORM_SLURM, "--nodes=3 --ntasks=5 --distribution=arbitrary --cpu-bind=map_cpu:2,0\n"),
           "Slurm: arbitrary");
    TAP_OK(says(SERVET_FORM_SLURM_HOSTS, "n0\nn0\nn2\nn2\nn1\n"), "and its file of hosts");
    TAP_OK(says(SERVET_FORM_OPENMPI, "# mpirun --mca rmaps_rank_file_physical 1 -np 5 -rf FILE\nrank 0=n0 slot=2\n"
                "rank 1=n0 slot=0\nrank 2=n2 slot=2\nrank 3=n2 slot=0\nrank 4=n1 slot=2\n"), "Open MPI");
    TAP_OK(cannot(SERVET_FORM_TASKSET) && cannot(SERVET_FORM_OMP), "threads are of one node");
    TAP_OK(cannot(SERVET_FORM_CRAY), "Cray: a node in the middle that is not full");
    place(4, 2, 2);
    place(2, 1, 2);
    place(3, 1, 0);
    TAP_OK(says(SERVET_FORM_CRAY, "# MPICH_RANK_ORDER, with MPICH_RANK_REORDER_METHOD=3: aprun -n 5 -N 2 -cc 2,0\n"
                "0,1,2,3,4\n"), "Cray: ranks in the order of nodes");
    place(1, 2, 2);
    place(4, 0, 0);
    TAP_OK(cannot(SERVET_FORM_MPICH) && !cannot(SERVET_FORM_SLURM) && says(SERVET_FORM_CRAY,
           "# MPICH_RANK_ORDER, with MPICH_RANK_REORDER_METHOD=3: aprun -n 5 -N 2 -cc 2,0\n0,4,2,3,1\n"),
           "ranks of a node that are not in a row: hydra cannot, others can");
    place(3, 1, 1);
    TAP_OK(cannot(SERVET_FORM_SLURM) && cannot(SERVET_FORM_MPICH) && cannot(SERVET_FORM_CRAY)
           && !cannot(SERVET_FORM_OPENMPI), "CPUs that differ from node to node: only files of ranks can");
    TAP_OK(servet_mapping_write(&m, &p, SERVET_FORM_SLURM_HOSTS, cut, sizeof cut) == 15 && !strcmp(cut, "n0\nn2\nn")
           && servet_mapping_write(&m, &p, SERVET_FORM_SLURM_HOSTS, NULL, 0) == 15, "a short buffer, and none");
    TAP_OK(servet_mapping_write(&m, &p, SERVET_FORMS, cut, sizeof cut) == SERVET_EINVAL
           && servet_mapping_write(&m, &p, -1, cut, sizeof cut) == SERVET_EINVAL
           && servet_mapping_write(NULL, &p, 0, cut, sizeof cut) == SERVET_EINVAL
           && servet_mapping_write(&m, NULL, 0, cut, sizeof cut) == SERVET_EINVAL, "unknown forms, NULL");
    place(0, 3, 0);
    TAP_OK(servet_mapping_write(&m, &p, 0, cut, sizeof cut) == SERVET_EINVAL, "a node that is none");
    servet_profile_free(&p);
}

int main(void)
{
    test_node();
    test_logical();
    test_nodes();
    return tap_done();
}

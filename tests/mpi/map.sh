#!/usr/bin/env bash
# servet map in the words of Open MPI and MPICH: launched, and the binding of each rank read back (TAP).
#
# The profile names the CPUs the other way round, so that no default of a launcher can be what is read.
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}")
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mapfile -t cpus < <(tr , '\n' < <(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status) |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
first=${cpus[0]} second=${cpus[1]}
printf '{"servet":1,"cores":{"cpus":[%s,%s],"latency_ns":[[50]]}}' "$second" "$first" >reversed.json

told() { cat out err; return 1; }
bound() {    # LAUNCHER ARGUMENT...: rank 0 on the second CPU, rank 1 on the first
    timeout -k 2 "${MAP_SECONDS:-300}" "$@" sh -c \
        'echo ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status)' \
        >out 2>err </dev/null || told || return
    [ "$(sort out)" = "$(printf '0 %s\n1 %s' "$second" "$first")" ] || told
}
form() { "$servet" map -n 2 --format "$1" reversed.json 2>err; }

if [ "${#cpus[@]}" -lt 2 ]; then
    tap_skip "one CPU: there is nothing to choose"
else
    if tap_have mpirun.openmpi && form openmpi >ranks; then
        tap_ok "Open MPI: a rankfile by the numbers of the system" \
            bound mpirun.openmpi --mca plm isolated --mca rmaps_rank_file_physical 1 -np 2 -rf ranks
        tap_ok "the line of the file says so" grep -q -- '^# mpirun --mca rmaps_rank_file_physical 1 -np 2 -rf' ranks
    else tap_skip "no Open MPI"; fi
    if tap_have mpiexec.mpich && form mpich >words; then
        tap_ok "MPICH: arguments of hydra" bound mpiexec.mpich $(cat words)
    else tap_skip "no MPICH"; fi
    if tap_have taskset; then
        pinned() {
            $(form taskset) awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status >out
            [ "$(cat out)" = "$first-$second" ] || [ "$(cat out)" = "$first,$second" ] || told
        }
        tap_ok "taskset: both CPUs" pinned
    else tap_skip "no taskset"; fi
    if echo '#include <omp.h>' | ${CC:-gcc} -fopenmp -x c -c -o omp.o - 2>err; then
        printf '%s\n' '#define _GNU_SOURCE' '#include <sched.h>' '#include <stdio.h>' '#include <omp.h>' \
            'static int cpu[2]; int main(void) {' '#pragma omp parallel' \
            'cpu[omp_get_thread_num()] = sched_getcpu(); printf("%d %d\n", cpu[0], cpu[1]); return 0; }' |
            ${CC:-gcc} -fopenmp -x c -o threads -
        threads() {    # by one of both variables alone, as each is read by other runtimes too
            env $(form omp | grep -v "$1" | tr -d '"') ./threads >out 2>err || told || return
            [ "$(cat out)" = "$second $first" ] || told
        }
        affinity() {
            OMP_NUM_THREADS=2 GOMP_CPU_AFFINITY=$(form omp | sed -n 's/GOMP_CPU_AFFINITY="\(.*\)"/\1/p') \
                ./threads >out 2>err
            [ "$(cat out)" = "$second $first" ] || told
        }
        tap_ok "OpenMP: places" threads GOMP
        tap_ok "OpenMP: GNU's affinity" affinity
    else tap_skip "no OpenMP"; fi
fi
tap_done

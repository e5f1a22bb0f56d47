# launch.bash - programs of MPI on this host, by Open MPI and MPICH; sourced by scripts of tests/mpi after tap.bash
#
#   runs LIBRARY RANKS PROGRAM ARGUMENT...        what it says is in $dir/out, and in $dir/err
#   sanitized LIBRARY RANKS PROGRAM ARGUMENT...   PROGRAM by its name alone, sanitized at rank 0
#   says PATTERN                                  a line of $dir/out
#   told                                          fails, and shows both

dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT
export SERVET_PROFILE=$dir/profile.json

# Ranks may be more than CPUs: Open MPI must be told so, and to let others run.  Where a rank fails it gives the others
# a second between SIGTERM and SIGKILL: not in the thirty runs that fail by themselves.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_odls_base_sigkill_timeout=0
openmpi=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca plm isolated)
mpich=(mpirun.mpich)
# Who does not end in that time hangs: beside eight processes that want the CPUs as well, each did in two and a half
# minutes.
hang=${LOCAL_SECONDS:-1500}
runs() {    # LIBRARY RANKS PROGRAM ARGUMENT...
    local -n launcher=$1; local ranks=$2; shift 2
    timeout -k 2 "$hang" "${launcher[@]}" -n "$ranks" "$@" >"$dir/out" 2>"$dir/err" </dev/null || told
}
sanitized() {    # LIBRARY RANKS PROGRAM ARGUMENT...: at rank 0; the leaks of MPI are its own
    local -n launcher=$1; local ranks=$2 program=$3 library=$1; shift 3
    ASAN_OPTIONS=detect_leaks=0 timeout -k 2 "$hang" "${launcher[@]}" \
        -n 1 "build/mpi/$library-sanitize/$program" "$@" : -n $((ranks - 1)) "build/mpi/$library/$program" "$@" \
        >"$dir/out" 2>"$dir/err" </dev/null || told
}
told() { head -n 12 "$dir/err" "$dir/out"; return 1; }
says() { grep -Eq -- "$1" "$dir/out" || told; }

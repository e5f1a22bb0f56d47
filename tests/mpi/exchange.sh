#!/usr/bin/env bash
# Messages between ranks of this host, timed: Open MPI and MPICH, 1 and 4 ranks; and sanitized at rank 0 (TAP).  Others
# on the CPUs spoil it, and so it runs alone.
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash
. tests/mpi/launch.bash

tap_of() {    # of a program with tests: 1 = some failed, as others on the CPUs may have it; 2 = more than that
    local status=0
    "$@" || status=2
    grep -q '^1\.\.' "$dir/out" || { told; return 2; }
    ! grep '^not ok' "$dir/out" || return 1
    return $status
}

some=0 whole=1    # what is the same of any library is asked of the first, with AT_LENGTH=1 of all
for library in openmpi mpich; do
    at=build/mpi/$library
    if ! tap_have mpirun.$library || [ ! -x $at/exchange ]; then
        tap_skip "no mpirun.$library, or no $at/exchange: make all builds it"
        continue
    fi
    [ "$some" = 0 ] || whole=${AT_LENGTH:-}
    some=1
    for n in 1 ${AT_LENGTH:+2} 4; do
        tap_ask tap_timed "$library, $n: exchange" tap_of runs $library $n $at/exchange
    done
    [ -z "$whole" ] || [ ! -x $at-sanitize/exchange ] ||
        tap_ask tap_timed "$library, sanitized: exchange" tap_of sanitized $library 4 exchange
done
[ $some = 1 ] || tap_skip 'no MPI'

tap_done

#!/usr/bin/env bash
# servet_mpi.h in the dialects, include orders and programs of its users: without MPI, and with each there is (TAP).
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash
. tests/compile/compile.bash
source=tests/compile/user_mpi.c
offline=-DSERVET_MPI_OFFLINE pure=-DSERVET_PURE_ONLY

checks() { compile "$@" -fsyntax-only; }

object() { local name=$1; shift; compile "$@" -c -o $dir/$name.o; }
units() {      # "COMPILER AND FLAGS OF MAIN UNIT" "OF THE OTHER" LINKER
    object first $1 && object second $2 && $3 $dir/first.o $dir/second.o -o $dir/runs -pthread -lm && $dir/runs
}

# ---- without MPI: conductors, models, inference --------------------------------------------------------------------

# Unless at length the oldest dialect has all that a define leaves of the header, others it as a whole.
all() { [[ -n $at_length || $1 = c99 || $1 = c++11 ]]; }
for std in $(standards "c99 c11 c17 c2x gnu99 gnu17" "c99 c2x"); do
    for cc in "${C[@]}"; do
        tap_ok "$cc $std, offline"              checks $cc -std=$std $offline
        all $std || continue
        tap_ok "$cc $std, offline, half, last"  checks $cc -std=$std $offline -DHALF -DLAST
        tap_ok "$cc $std, pure, static"         checks $cc -std=$std $pure -DSERVET_STATIC
        tap_ok "$cc $std, pure, last"           checks $cc -std=$std $pure -DLAST
        tap_ok "$cc $std, pure, declarations"   checks $cc -std=$std $pure -DUSER -DLAST
    done
done
for std in $(standards "c++11 c++14 c++17 c++20" "c++11 c++20"); do
    for cxx in "${CXX[@]}"; do
        tap_ok "$cxx $std, offline, last"       checks $cxx -std=$std $offline -DLAST
        all $std || continue
        tap_ok "$cxx $std, pure, static"        checks $cxx -std=$std $pure -DSERVET_STATIC
    done
done
quick=${C[*]: -1}    # the last, and so is clang++ of those of C++
for cc in "${C[@]}"; do
    static="-O0 $pure -DSERVET_STATIC"
    [[ $at_length$cc != gcc ]] || static+=" -O1"
    tap_ok "$cc, offline, two static copies" units "$cc $static -DTWO" "$cc $static -DSECOND" $cc
    [[ -n $at_length || $cc = "$quick" ]] || continue
    tap_ok "$cc, offline, declared before" \
        units "$cc -O0 $offline -DLATE -DTWO" "$cc -O0 $offline -DUSER -DSECOND" $cc
done

# ---- with MPI: the macros of its header are not ours to warn of ----------------------------------------------------

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi() {        # COMPILER LIBRARY FLAG...: MPI's compiler, with that one underneath
    local below=$1 library=$2 wrapper=mpicc warn="$WARN $WARN_C" system; shift 2
    case $below in *++) wrapper=mpicxx warn=$WARN; set -- -x c++ $source -x none "$@" ;; *) set -- $source "$@" ;; esac
    case $below in clang*) set -- -Qunused-arguments "$@" ;; esac    # libraries, where nothing is linked
    wrapper=$wrapper.$library
    system=$($wrapper -show | tr ' ' '\n' | sed -n 's/^-I\(.*'$library'.*\)/-isystem \1/p')
    OMPI_CC=$below OMPI_CXX=$below MPICH_CC=$below MPICH_CXX=$below $wrapper $system $warn -Werror -I. "$@"
}
mpi_checks() { mpi "$@" -fsyntax-only; }
examples() {   # COMPILER LIBRARY FLAG...
    local source
    for source in examples/mpi_*.c; do
        mpi_checks "$@" -DSERVET_IMPLEMENTATION_DONE -DSERVET_MPI_IMPLEMENTATION_DONE || return
    done
}
mpi_refuses() {    # POSIX is hidden by headers before it: stops with the header's own words
    local out
    ! out=$(mpi_checks "$@" 2>&1) && grep -Eq 'error: .*"servet(_mpi)?\.h: ' <<<"$out" || { echo "$out"; return 1; }
}
alone()    { timeout -k 1 300 $dir/runs; }    # as a program of one rank
whole()    { mpi "$@" -o $dir/runs -pthread -lm && alone; }
half()     { whole "$@" -DHALF $dir/other-$1.o; }    # that the first library was tested with
both()     {   # LIBRARY "COMPILER OF THE MAIN UNIT AND FLAGS" "OF THE OTHER" OBJECT...: that of the main unit links
    local library=$1 one two; read -ra one <<<"$2"; read -ra two <<<"$3"
    mpi ${two[0]} $library "${two[@]:1}" -c -o $dir/second.o &&
        whole ${one[0]} $library "${one[@]:1}" $dir/second.o "${@:4}"
}
echo '#include "servet_mpi.h"' >$dir/header.c
names() {      # OF WHICH FILE, NM'S OPTIONS, COMPILER LIBRARY FLAG...
    local source=$1 options=$2; shift 2
    mpi "$@" -c -o $dir/names.o && nm $options --format=posix $dir/names.o | cut -d ' ' -f 1
}
own=-DSERVET_MPI_IMPLEMENTATION
public() {
    names $dir/header.c '-g --defined-only' "$@" $own -fno-pic |
        only 'servet_mpi_[a-z0-9]+[a-z0-9_]*' servet_mpi_measure
}
needs() {      # of the object that public looked at, and so the next
    nm -u --format=posix $dir/names.o | cut -d ' ' -f 1 | grep ^servet |
        only 'servet_[a-z0-9]+[a-z0-9_]*' servet_stats_sort
}
private()  { names $source '-g --defined-only' "$@" -DSERVET_STATIC | only 'main|count_ranks' main; }
stateless() { nm $dir/names.o | grep -q ' T ' && ! nm $dir/names.o | grep ' [BbCDdGgSs] '; }
macros() {     # those defined in servet_mpi.h that are left at the end
    mpi "$@" -E -dD | awk '
        /^# [0-9]+ "/        { inside = $3 ~ /servet_mpi\.h"$/ }
        /^#undef/            { delete left[$2] }
        /^#define/ && inside { sub(/\(.*/, "", $2); left[$2] }
        END                  { for (name in left) print name }' | only 'SERVET_.*|_DEFAULT_SOURCE' SERVET_MPI_H
}

# Dialects and linkage do not depend on the library: in short all of the first, of others what they compile.  Whole
# programs and static copies are in short those of the compiler that is quick, and of others the half with MPI beside
# an object of servet.h.
oldest=c99 oldest_cxx=c++11
runs() { [ -n "$at_length" ] || [ "$1" = "$2" ]; }    # COMPILER LAST
for library in openmpi mpich; do
    if ! tap_have mpicc.$library; then tap_skip "no mpicc.$library"; continue; fi
    for cc in "${C[@]}"; do
        for std in $(standards "c99 c17 c2x gnu17" "$oldest c2x"); do
            tap_ok "$library, $cc $std"               mpi_checks $cc $library -std=$std
            all $std || continue
            tap_ok "$library, $cc $std, half, last" \
                mpi_checks $cc $library -std=$std -DHALF -DLAST -D_DEFAULT_SOURCE
            tap_ok "$library, $cc $std, declarations" mpi_checks $cc $library -std=$std -DUSER -DLAST
        done
        tap_ok "$library, $cc, last"            mpi_checks $cc $library -std=gnu17 -DLAST
        tap_ok "$library, $cc c99, half, last, is refused" mpi_refuses $cc $library -std=c99 -DHALF -DLAST
        if runs $cc "$quick"; then tap_ok "$library, $cc, whole" whole $cc $library -O0; fi
        [[ -e $dir/other-$cc.o && -z $at_length ]] ||
            tap_ok "$cc, servet.h apart"        object other-$cc $cc -O0 -DOTHER
        tap_ok "$library, $cc c99 $(at -O2), half" half $cc $library -std=c99 $(at -O2)
        [ -z "$oldest$at_length" ] ||
            tap_ok "$library, $cc, half, declared before" half $cc $library $(at -O3) -DLATE
        tap_ok "$library, $cc, global symbols are servet_mpi_*"     public $cc $library -O0
        tap_ok "$library, $cc, of servet.h it calls what is public" needs
        tap_ok "$library, $cc, no variable outlives a call"         stateless
        tap_ok "$library, $cc, macros left are SERVET_*"            macros $cc $library
    done
    for cxx in "${CXX[@]}"; do
        for std in $(standards "c++11 c++14 c++17 c++20" "$oldest_cxx c++20"); do
            tap_ok "$library, $cxx $std"             mpi_checks $cxx $library -std=$std
            all $std || continue
            tap_ok "$library, $cxx $std, half, last" mpi_checks $cxx $library -std=$std -DHALF -DLAST
        done
        if [ -n "$at_length" ] || [[ -n "$oldest" && $cxx = "${CXX[0]}" ]]; then
            tap_ok "$library, $cxx c++20, the examples" examples $cxx $library -std=c++20
        fi
        if runs $cxx "${CXX[-1]}"; then tap_ok "$library, $cxx c++11, whole" whole $cxx $library -std=c++11 -O0; fi
    done
    if [ -n "$oldest$at_length" ] && [ ${#C[@]} -gt 0 ] && [ ${#CXX[@]} -gt 0 ]; then
        if [ -n "$at_length" ]; then
            tap_ok "$library, ${CXX[0]} uses ${C[0]}'s" \
                both $library "${CXX[0]} -O0 -DUSER -DTWO -DLAST" "${C[0]} -O0 -DSECOND"
        else
            tap_ok "$library, ${CXX[0]} uses ${C[0]}'s" \
                both $library "${CXX[0]} -O0 -DUSER -DTWO -DLAST" "${C[0]} -O0 -DHALF -DSECOND" $dir/other-${C[0]}.o
        fi
        tap_ok "$library, two static copies" \
            both $library "$quick -O0 -DSERVET_STATIC -DTWO" "$quick -O0 -DSERVET_STATIC -DSECOND"
        tap_ok "$library, a static copy has no global symbol" private $quick $library -O0
    fi
    oldest='' oldest_cxx=''
done

# SimGrid's compiler puts its own headers first, and brings one compiler below.
smpi_checks() { $1 $WARN -Werror -I. "${@:2}" -fsyntax-only; }
if tap_have smpicc; then
    for std in $(standards "c99 c17 c2x gnu17" "c99 gnu17"); do
        tap_ok "smpicc $std"             smpi_checks "smpicc $WARN_C" -std=$std $source
        tap_ok "smpicc $std, half, last" smpi_checks "smpicc $WARN_C" -std=$std -DHALF -DLAST $source
    done
    for std in $(standards "c++11 c++14 c++17 c++20" "c++11 c++20"); do
        tap_ok "smpicxx $std, last"      smpi_checks smpicxx -std=$std -DLAST -x c++ $source
    done
else
    tap_skip 'no smpicc'
fi

tap_done

#!/usr/bin/env bash
# The header in the dialects and include orders of its users, without a warning (TAP).
cd "$(dirname "$0")/.." || exit
. tests/tap.bash
. tests/compile/compile.bash

checks() { compile "$@" -fsyntax-only; }
refuses() {    # stops with the header's own words, the first of all errors
    local out
    ! out=$(checks "$@" -Wfatal-errors 2>&1) && grep -q 'error: .*"servet\.h: ' <<<"$out" || { echo "$out"; return 1; }
}
macros() {     # those defined in servet.h that are left at the end
    compile "$@" -E -dD | awk '
        /^# [0-9]+ "/        { inside = $3 ~ /servet\.h"$/ }
        /^#undef/            { delete left[$2] }
        /^#define/ && inside { sub(/\(.*/, "", $2); left[$2] }
        END                  { for (name in left) print name }' | only 'SERVET_.*|_DEFAULT_SOURCE' SERVET_VERSION
}

cold_ends() {  # code after a cold part is optimised again
    compile "$@" -O2 -E | awk '/GCC push_options/ { open++; seen++ } /GCC pop_options/ { open-- }
        END { exit !(open == 0 && seen > 0) }'
}

examples() {   # COMPILER FLAG...: each but those of MPI
    local source
    for source in examples/*.c; do
        case $source in */mpi_*) ;; *) checks "$@" -DSERVET_IMPLEMENTATION_DONE || return ;; esac
    done
}
benches() {    # the same; they call private functions, too, which those of what pays see declared
    local source apart
    for source in bench/*.c; do
        case $source in */payoff_*) apart=-DSERVET_IMPLEMENTATION_DONE ;; *) apart='' ;; esac
        grep -q '<mpi.h>' "$source" || checks "$@" $apart || return
    done
}

# Unless at length the oldest dialect has all that a define leaves of the header, others what their words may change.
all() { [[ -n $at_length || $1 = c99 || $1 = c++11 ]]; }
for std in $(standards "c99 c11 c17 c2x gnu99 gnu11 gnu17" "c99 c2x gnu17"); do
    for cc in "${C[@]}"; do
        tap_ok "$cc $std, first"          checks $cc -std=$std
        tap_ok "$cc $std, declarations"   checks $cc -std=$std -DUSER -DLAST
        if [[ $std == gnu* ]]; then
            tap_ok "$cc $std, last"       checks $cc -std=$std -DLAST
        elif all $std; then    # the headers before it have hidden POSIX for good
            tap_ok "$cc $std, last, is refused" refuses $cc -std=$std -DLAST
            tap_ok "$cc $std, last, with _DEFAULT_SOURCE" checks $cc -std=$std -DLAST -D_DEFAULT_SOURCE
        fi
        all $std || continue
        tap_ok "$cc $std, static"         checks $cc -std=$std -DSERVET_STATIC
        tap_ok "$cc $std, pure"           checks $cc -std=$std -DSERVET_PURE_ONLY
        tap_ok "$cc $std, pure, static"   checks $cc -std=$std -DSERVET_PURE_ONLY -DSERVET_STATIC
        tap_ok "$cc $std, pure, last"     checks $cc -std=$std -DSERVET_PURE_ONLY -DLAST
        tap_ok "$cc $std, caches"         checks $cc -std=$std -DSERVET_CACHES_ONLY
        tap_ok "$cc $std, pure, caches"   checks $cc -std=$std -DSERVET_CACHES_ONLY -DSERVET_PURE_ONLY
        tap_ok "$cc $std, load"           checks $cc -std=$std -DSERVET_LOAD_ONLY
        tap_ok "$cc $std, pure, load"     checks $cc -std=$std -DSERVET_LOAD_ONLY -DSERVET_PURE_ONLY
    done
done
for std in $(standards "c++11 c++14 c++17 c++20" "c++11 c++20"); do
    for cxx in "${CXX[@]}"; do
        tap_ok "$cxx $std, last"          checks $cxx -std=$std -DLAST
        all $std || continue
        tap_ok "$cxx $std, first"         checks $cxx -std=$std
        tap_ok "$cxx $std, static"        checks $cxx -std=$std -DSERVET_STATIC
        tap_ok "$cxx $std, load"          checks $cxx -std=$std -DSERVET_LOAD_ONLY
        tap_ok "$cxx $std, pure, last"    checks $cxx -std=$std -DSERVET_PURE_ONLY -DLAST
    done
done
for cc in "${C[@]}"; do tap_ok "$cc c99, the examples" examples $cc -std=c99; done
tap_ok "${C[-1]} gnu99, the benches" benches "${C[-1]}" -std=gnu99
source=tests/fuzz/fuzz_profile.c tap_ok "${C[-1]} gnu99, the fuzzer" checks "${C[-1]}" -std=gnu99
for cxx in "${CXX[@]}"; do
    [[ -n $at_length || $cxx = "${CXX[0]}" ]] || continue
    tap_ok "$cxx c++20, the examples" examples $cxx -std=c++20
done
for cc in "${C[@]}" "${CXX[@]}"; do
    tap_ok "$cc, -ffast-math, is refused" refuses $cc -ffast-math
    tap_ok "$cc, macros left are SERVET_*" macros $cc
    tap_ok "$cc, macros left are SERVET_*, static" macros $cc -DSERVET_STATIC
    tap_ok "$cc, macros left are SERVET_*, declarations" macros $cc -DUSER
done
for flag in -DSERVET_PURE_ONLY -DSERVET_CACHES_ONLY -DSERVET_LOAD_ONLY; do
    if tap_have gcc; then tap_ok "gcc, cold parts end, $flag" cold_ends gcc $flag; else tap_skip 'no gcc'; fi
done
for cc in "${C[@]}"; do
    tap_ok "$cc, static with other linkage, is refused" refuses $cc -DSERVET_STATIC -DSERVET_API=extern
done

tap_done

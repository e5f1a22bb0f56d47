#!/usr/bin/env bash
# The header in programs: optimised or not, in several units, C with C++, on other machines (TAP).
cd "$(dirname "$0")/.." || exit
. tests/tap.bash
. tests/compile/compile.bash

object() { local name=$1; shift; compile "$@" -c -o $dir/$name.o; }
runs()   { compile "$@" -o $dir/runs -pthread -lm && $dir/runs; }
units() {      # "COMPILER AND FLAGS OF MAIN UNIT" "OF THE OTHER" LINKER AND OBJECTS...
    object first $1 -DTWO && object second $2 -DSECOND && shift 2 &&
    "$@" $dir/first.o $dir/second.o -o $dir/runs -pthread -lm && $dir/runs
}

# One unit.  Optimisers see more to warn of; what is about linkage alone is not optimised, to be quick (at): all other
# tests are optimised by $CC, and with the same warnings.  What several lines would show, one does unless at length.
own='extern __attribute__((visibility("hidden")))'
part() { [[ -n "$at_length" || $1 = "${C[-1]}" ]] || echo -DSERVET_CACHES_ONLY; }    # the whole by the quick one
for cc in "${C[@]}"; do
    tap_ok "$cc, c99 $(at -O2)"         runs $cc -std=c99 $(at -O2)
    tap_ok "$cc, declared before"       runs $cc -O0 -DLATE $(part $cc)
    tap_ok "$cc, configured"            runs $cc -O0 -DSERVET_IMPLEMENTATION -DSERVET_API="$own" $(part $cc)
    [ -n "$at_length" ] || continue
    tap_ok "$cc, pure, c99 -Os"         runs $cc -std=c99 -Os -DSERVET_PURE_ONLY
    tap_ok "$cc, last, gnu17 -O3"       runs $cc -std=gnu17 -O3 -DLAST
    tap_ok "$cc, static, c11 -O0"       runs $cc -std=c11 -O0 -DSERVET_STATIC
done
for cxx in "${CXX[@]}"; do
    tap_ok "$cxx, c++11 $(at -O2)"      runs $cxx -std=c++11 $(at -O2)
    [ -n "$at_length" ] || continue
    tap_ok "$cxx, last, c++20 -O3"      runs $cxx -std=c++20 -O3 -DLAST
    tap_ok "$cxx, static, c++17 -O0"    runs $cxx -std=c++17 -O0 -DSERVET_STATIC
    tap_ok "$cxx, declared before"      runs $cxx -O0 -DLATE
done

# Two units; optimised together where the linker can: in short all of the header by gcc, which drops early what nobody
# calls where all of it is optimised, as for calls checked by libc; and caches alone by clang.
parted() {
    case $at_length$1 in
        gcc)   echo -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=1 ;;
        clang) echo -DSERVET_CACHES_ONLY ;;
    esac
}
pure=$([ -n "$at_length" ] || echo -DSERVET_PURE_ONLY)
for cc in "${C[@]}"; do
    if lto $cc; then
        o=$(at -O3 -O1)
        tap_ok "$cc $o $lto, two units" \
            units "$cc $o $lto -DUSER -DLAST" "$cc $o $lto -std=c99 $(parted $cc)" $cc $o $lto $lld
        [[ $(parted $cc) != *CACHES* ]] || mv $dir/second.o $dir/caches-$cc.o
    else
        tap_skip "$cc cannot link with -flto"
    fi
    if [ -n "$at_length" ] || ! lto $cc; then
        tap_ok "$cc, two units"         units "$cc -O0 -DUSER -DLAST" "$cc -O0 -std=c99" $cc
    fi
    static="-O0 -DSERVET_STATIC $pure"
    [[ $at_length$cc != gcc ]] || static+=" -O1"
    tap_ok "$cc, two static copies${pure:+, pure}" units "$cc $static" "$cc $static" $cc
done
# A program that asks for caches alone.  Each start answers; one that others leave too little of a CPU counts nothing,
# says so and saves nothing, so the next one may have to.
caches() {
    local start said
    if [ -e $dir/caches-$1.o ]; then    # what was optimised with another unit
        lto $1 && "$@" -O1 $lto $lld -I. -DSERVET_IMPLEMENTATION_DONE -o $dir/caches examples/startup.c \
            $dir/caches-$1.o -pthread -lm || return
    else
        "$@" -O1 -I. -DSERVET_CACHES_ONLY -o $dir/caches examples/startup.c -pthread -lm || return
    fi
    for ((start = 1; start <= 40; start++)); do
        said=$($dir/caches $dir/caches.json) && [[ $said == block* ]] || { echo "$said"; return 1; }
        [[ $said == *'not saved)' ]] || break
        [ ! -e $dir/caches.json ] || return
        sleep 0.1
    done
    echo "$said" && grep '"caches"' $dir/caches.json
}
for cc in "${C[@]}"; do tap_ok "$cc, caches alone" caches $cc; done
# It asks for TLBs, where the file has what it cannot measure instead.
lacking() {
    local start said
    sed 's/"parts": \["caches"/&, "cores"/' $dir/caches.json >$dir/more.json && grep -q '"cores"' $dir/more.json &&
        "$@" -O1 -I. -DSERVET_CACHES_ONLY -o $dir/lacking examples/transpose.c -pthread -lm || return
    for ((start = 1; start <= 40; start++)); do
        said=$(SERVET_PROFILE=$dir/more.json $dir/lacking) || return
        ! grep '"parts".*"tlb"' $dir/more.json || break
        sleep 0.1
    done
    echo "$said" && [[ $said != *nothing* ]] && grep '"parts".*"tlb"' $dir/more.json
}
tap_ok "${C[0]}, caches alone: a file of other parts" lacking ${C[0]}

# One that only loads, with nothing of what measures in it.
cat >$dir/load.c <<'C'
#include "servet.h"
int main(int argc, char **argv)
{
    static servet_profile p, q;
    static servet_finding found[SERVET_FINDINGS_MAX];
    int right = argc == 3 && servet_profile_load(&p, argv[1], NULL) == SERVET_OK && p.cache_count > 1 && p.evidence;
    right = right && servet_profile_check(found, SERVET_FINDINGS_MAX, &p) > 1;
    right = right && servet_profile_save(&p, argv[2]) == SERVET_OK;
    right = right && servet_profile_load(&q, argv[2], NULL) == SERVET_OK;
    right = right && servet_profile_write(&p, NULL, 0) == servet_profile_write(&q, NULL, 0);
    servet_profile_free(&p);
    servet_profile_free(&q);
    return !right;
}
C
measures='servet_(profile_(open|measure|calibrate|infer)|fit|rig|count|bandwidth|pairs_latency)|pthread'
loads() {
    "$@" -I. -DSERVET_IMPLEMENTATION -DSERVET_LOAD_ONLY $dir/load.c -o $dir/load -lm &&
        $dir/load tests/data/profiles/clx-01.json $dir/loaded.json &&
        nm $dir/load | grep -q servet_profile_load &&
        ! nm $dir/load | grep -E "$measures"
}
for cc in "${C[@]}"; do tap_ok "$cc, loading alone" loads $cc $(at -O1); done

# A static copy costs a program what it calls.
drops() {
    source=$dir/header.c object drops "$@" -DSERVET_IMPLEMENTATION -DSERVET_STATIC && ! nm $dir/drops.o | grep ' [tT] '
}

# What is in the object of a unit that has nothing else.
echo '#include "servet.h"' >$dir/header.c
names() {      # "NM OPTIONS" COMPILER FLAG...
    local options=$1; shift
    object names "$@" && nm $options --format=posix $dir/names.o | cut -d ' ' -f 1
}
libc='mem(cpy|set|move|cmp|chr)|abs|(m|c)alloc|free|str(len|cmp|ncmp|chr|str|spn|cspn|tod|tol)|v?snprintf'
libc+='|localeconv'
libm='sqrt|log|log2|exp|exp2|pow|fabs|floor|ceil|lgamma'
public() {     # in C++ beside templates: pow of an int is one.  Position-dependent, or tables of strings would count as
               # data, which the loader relocates
    source=$dir/header.c names '-g --defined-only' "$@" -fno-pic |
        only 'servet_[a-z0-9][a-z0-9_]*|_ZSt.*' servet_chase_walk_many && cp $dir/names.o $dir/header-$1.o
}
pure() {
    source=$dir/header.c names -u "$@" -DSERVET_PURE_ONLY | only "$libc|$libm" strtod
}
pure_runs() {  # the object that pure looked at
    runs "$@" -DSERVET_PURE_ONLY -DUSER $dir/names.o
}
private() {
    names '-g --defined-only' "$@" -DSERVET_STATIC | only 'main|_ZSt.*' main
}
stateless() {  # in the object that public looked at
    nm $dir/names.o | grep -q ' T ' && ! nm $dir/names.o | grep ' [BbCDdGgSs] '
}
# What a static copy is depends on no compiler: in short the last, which is quick, and of those of C++ the last.
for cc in "${C[@]}"; do tap_ok "$cc -O2, a static copy that is not called is not there" drops $cc -O2; done
for cc in "${C[@]}" "${CXX[@]}"; do
    [[ -n "$at_length" || $cc != *++ || $cc = "${CXX[-1]}" ]] || continue
    tap_ok "$cc, global symbols are servet_*"          public $cc -O0 -DSERVET_IMPLEMENTATION
    tap_ok "$cc, no variable outlives a call"          stateless
    [[ -n "$at_length" || $cc != *++ ]] || continue
    case $cc in *++) std=c++11 ;; *) std=c99 ;; esac
    tap_ok "$cc, $std, the pure half needs no more than C's" pure $cc -std=$std -O0 -DSERVET_IMPLEMENTATION
    tap_ok "$cc, $std, and runs"                       pure_runs $cc -std=$std -O0
    [[ -n "$at_length" || $cc = "${C[-1]}" ]] || continue
    tap_ok "$cc, a static copy has no global symbol"   private $cc -O0
done

for pair in 'gcc g++' 'clang clang++'; do
    read -r cc cxx <<<"$pair"
    if ! tap_have $cc || ! tap_have $cxx; then tap_skip "no $cc or no $cxx"; continue; fi
    if [ -z "$at_length" ]; then    # public's
        tap_ok "$cxx uses $cc's"        units "$cxx -O0 -DUSER -DLAST" "$cc -O0 -DUSER" $cxx -no-pie $dir/header-$cc.o
        continue
    fi
    tap_ok "$cxx uses $cc's"            units "$cxx -O0 -DUSER -DLAST" "$cc -O0 -std=c99" $cxx
    tap_ok "$cc uses $cxx's"            units "$cc -O0 -DUSER -DLAST" "$cxx -O0" $cxx
    tap_ok "$cc and $cxx, static copies" units "$cc -O0 -DSERVET_STATIC" "$cxx -O0 -DSERVET_STATIC" $cxx
done

# Where libc checks arguments by what an optimiser sees of them, code that is not optimised does not compile.
fortified() { source=$dir/header.c object fortified "$@" -DSERVET_IMPLEMENTATION; }
if tap_have gcc; then
    tap_ok "gcc -O2, calls checked by libc" \
        fortified gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -DSERVET_CACHES_ONLY
else
    tap_skip "no gcc"
fi

# Other machines, and another C library.
for target in "${TARGETS[@]}"; do
    cc=$target-gcc qemu=qemu-${target%%-*} qemu=${qemu/powerpc64le/ppc64le} qemu=${qemu/i686/i386}
    if ! tap_have $cc; then tap_skip "no $cc"; continue; fi
    tap_ok "$cc, c99 $(at -O2)"         compile $cc -std=c99 $(at -O2) -static -o $dir/$target -pthread -lm
    if tap_have $qemu; then tap_ok "$target runs" $qemu $dir/$target; else tap_skip "no $qemu"; fi
done
o=$(at -O2)
if tap_have musl-gcc; then tap_ok "musl-gcc, c99 $o" runs musl-gcc -std=c99 $o; else tap_skip "no musl-gcc"; fi

tap_done

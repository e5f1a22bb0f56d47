#!/usr/bin/env bash
# servet export: read back by those it is for - hwloc's tools, ld.so, gcc, g++, OpenMP, OpenBLAS (TAP).
#
# Trees are those that export_trees writes of modelled machines, and this machine's; values are of a modelled profile
# that no machine has, so that no default can be what is read.
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}") forms=$(realpath -- build/tests/export_trees)
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C HWLOC_HIDE_ERRORS=0 HWLOC_XML_VERBOSE=1
unset SERVET_PROFILE GLIBC_TUNABLES

told() { head -n 5 out err; return 1; }
is() { [ "$1" = "$2" ] || { echo "$1"; echo "instead of $2"; return 1; }; }

# Two cores of two threads each, 0 with 2 and 1 with 3, beside a last level of which the system claims 1 TiB.
cat >model.json <<'EOF'
{"servet":1,"made":{"when":"2026-01-02T03:04:05Z"},
 "host":{"cpu_model":"Model <\"&\"> */","arch":"x86_64","os":"Linux","cpus":"0-3","cpu_count":4,
  "memory_bytes":8589934592,"reports":[{"source":"sysfs","level":3,"bytes":1099511627776,"shared_cpus":4}]},
 "caches":[
  {"level":1,"bytes":40960,"lo_bytes":40960,"hi_bytes":40960,"latency_ns":1.25,"ways":10,"method":"count",
   "source":"measured"},
  {"level":2,"bytes":786432,"lo_bytes":720896,"hi_bytes":851968,"latency_ns":4,"ways":12,"method":"count",
   "source":"measured"},
  {"level":3,"bytes":12582912,"lo_bytes":11534336,"hi_bytes":16777216,"latency_ns":20,"method":"held",
   "effective":true,"source":"measured","system":{"sysfs":{"bytes":1099511627776,"verdict":"os_wrong"}}}],
 "memory":{"latency_ns":90,"lo_ns":88,"hi_ns":92},
 "line":{"bytes":32,"lo_bytes":32,"hi_bytes":32},
 "coherence":{"blocks":[{"cpus":[0,1],"status":"ok","bytes":32,"lo_bytes":32,"hi_bytes":32}],"destructive":
  {"block_bytes":32,"bytes":256,"lo_bytes":256,"hi_bytes":256}},
 "bandwidth":{"rates":[{"level":0,"kernel":"load","cpus":4,"bytes":67108864,"bytes_per_s":104857600000},
  {"level":0,"kernel":"copy","cpus":4,"bytes":67108864,"bytes_per_s":52428800000}]},
 "streaming_store_bytes":[{"cpus":1,"bytes":9437184,"lo_bytes":8388608,"hi_bytes":10485760}],
 "cores":{"cpus":[0,1,2,3],"of":4,"latency_ns":[[50],[20,50],[50,20,50]],"smt":[[0,2],[1,3]]},
 "sharing":{"cpus":[0,1,2,3],"levels":[{"level":1,"status":"ok","groups":[[0,2],[1,3]]},
  {"level":2,"status":"ok","groups":[[0,2],[1,3]]},{"level":3,"status":"ok","groups":[[0,1,2,3]]}]}}
EOF

# ---- hwloc -------------------------------------------------------------------------------------------

export_() { "$servet" export "$@" >out 2>err </dev/null && [ ! -s err ] || told; }
# Every tool reads it in silence, by both of hwloc's parsers, and to both it is the same.
accepted() {
    local tool
    for tool in 'lstopo-no-graphics -i FILE' 'lstopo-no-graphics -i FILE --distances' 'hwloc-info -i FILE' \
            'hwloc-calc -i FILE -N pu all'; do
        tool=${tool/FILE/$1}
        HWLOC_LIBXML=1 $tool >one 2>err && HWLOC_LIBXML=0 $tool >other 2>>err && [ ! -s err ] && cmp one other ||
            { echo "$tool"; cat err; return 1; }
    done
}
calc() { hwloc-calc -i model.xml "$@" 2>&1; }
whole_tree() {
    accepted model.xml &&
        is "$(calc -N core all) $(calc -N l3 all) $(calc -N l2 all) $(calc -N pu all)" '2 1 2 4' &&
        is "$(calc --po -I pu core:1)" 1,3
}
sizes() {
    is "$(hwloc-info -i model.xml --if xml L1:0 L2:0 L3:0 2>&1 | awk '/attr cache size/ { print $NF }' | xargs)" \
        '40960 786432 11534336'
}
told_apart() {
    is "$(hwloc-info -i model.xml L3:0 | sed -n 's/^ info servetS/S/p' | xargs)" \
        'Size = measured System = 1099511627776 by sysfs, refuted'
}
latencies() {
    lstopo-no-graphics -i model.xml --distances >one 2>&1
    grep -q 'ServetLatencyNanoseconds' one && is "$(tail -n 4 one | awk '{ $1 = $1 } 1' | sort | xargs)" \
        '0 0 50 20 50 1 20 50 0 50 2 50 0 50 20 3 50 20 50 0'
}
memory() {
    lstopo-no-graphics -i model.xml --memattrs >one 2>&1 &&
        is "$(sed -n "s/.*name \`\(.*\)'.*/\1/p; s/.*= \([0-9]* from\).*/\1/p" one | tr '\n' ' ' |
            grep -oE '\w+ [0-9]+ from' | sort | xargs)" \
            'Bandwidth 50000 from Latency 90 from ReadBandwidth 100000 from ReadLatency 90 from'
}
# This machine's tree without what only one of both has, told by SED last: the numbers of caches, infos, instruction
# caches; objects are counted anew.
bare() {
    local change=$1; shift
    lstopo-no-graphics "$@" --no-io --no-icaches --of xml |
        grep -Ev '<(info|/?page_type|/?distances2|indexes|u64values|/?memattr|/?cpukind|support)' |
        sed -E "/Cache/s/ os_index=\"[0-9]*\"//; s/ gp_index=\"[0-9]*\"//; $change" |
        perl -0 -pe 's#(<object type="NUMANode"[^>]*[^/])>\s*</object>#$1/>#g;
                     s/(<object type="\w+")/$1 . " gp_index=\"" . ++$number . "\""/ge'
}
only_caches() {
    bare '' >system.xml && bare '' -i here.xml >ours.xml
    diff system.xml ours.xml >differ
    ! grep '^[<>]' differ | grep -v 'Cache"' || { cat differ; return 1; }
}
# hwloc-diff has no word for the size of a cache: all of one size.
else_alike() {
    local even='s/cache_(size|associativity|linesize)="[0-9]*"/cache_\1="1"/g'
    bare "$even" >system.xml && bare "$even" -i here.xml >ours.xml
    hwloc-diff system.xml ours.xml >out 2>&1; grep -q 'Found no difference' out || { cat out; return 1; }
}
without_caches() {    # a guest whose sysfs has no cache directory
    mkdir -p root/sys/devices/system root/proc
    cp -r /sys/devices/system/{cpu,node} root/sys/devices/system 2>cannot
    cp /proc/{cpuinfo,meminfo} root/proc
    rm -rf root/sys/devices/system/cpu/cpu*/cache
    lstopo-no-graphics -i root >without 2>err || told || return
    lstopo-no-graphics -i here.xml >with 2>err || told || return
    ! grep -q 'L1d' without && grep -q 'L1d' with && ! grep -q 'L2.*(0' with || { cat without with; return 1; }
}

if tap_have lstopo-no-graphics && tap_have hwloc-calc; then
    tap_ok "a tree is written" export_ --hwloc model.xml model.json
    tap_ok "hwloc reads it: cores and caches as measured" whole_tree
    tap_ok "hwloc: sizes to count on" sizes
    tap_ok "hwloc: what was measured and what the system says are told apart" told_apart
    tap_ok "hwloc: latencies between CPUs" latencies
    tap_ok "hwloc: attributes of memory" memory
    same() { "$servet" export --hwloc - model.json | cmp - model.xml; }
    tap_ok "and to standard output" same
    if [ -x "$forms" ]; then
        mkdir trees; "$forms" trees >/dev/null 2>&1
        for tree in trees/*.xml; do tap_ok "hwloc reads $tree" accepted "$tree"; done
    else tap_skip "no build/tests/export_trees"; fi
    if tap_have xmllint; then tap_ok "well-formed" xmllint --noout --nonet model.xml; else tap_skip "no xmllint"; fi
    "$servet" run --quiet --only caches,cores -o here.json >out 2>err
    tap_ok "this machine" export_ --hwloc here.xml here.json
    tap_ok "hwloc reads it" accepted here.xml
    if [ "$(uname -s)" = Linux ] && [ "$(cat /sys/devices/system/cpu/present)" = "$(jq -r .host.cpus here.json)" ]; then
        caches=$(grep -c 'Cache" ' here.xml)    # a busy neighbour may look like a level more
        said=$(lstopo-no-graphics --no-icaches --of xml | grep -c 'Cache" ')
        if [ "$caches" -gt 0 ] && [ "$caches" = "$said" ]; then
            tap_ok "from the system's tree only caches differ" only_caches
            tap_ok "hwloc-diff sees no other difference" else_alike
            tap_ok "where the system has no caches, ours has" without_caches
        else tap_skip "crowded: the caches found are not as many as the system says"; fi
    else tap_skip "not all CPUs may be used: the system's tree is of others"; fi
else tap_skip "no lstopo-no-graphics, hwloc-calc"; fi

# ---- values ------------------------------------------------------------------------------------------

value() { "$servet" export "$@" model.json | grep -v '^#'; }
loader=$(ls /lib64/ld-linux-x86-64.so.2 2>/dev/null)
tunables() {
    env "$(value --glibc)" "$loader" --list-tunables >out 2>err || told || return
    is "$(awk '/x86_(data_cache|shared_cache|non_temp)/ { sub("glibc.cpu.x86_", ""); print $1, $2 }' out | tr -d : |
        sort | xargs)" "data_cache_size 0xa000 non_temporal_threshold 0x1000000 shared_cache_size 0x2c0000"
}
if [ -n "$loader" ] && "$loader" --list-tunables 2>/dev/null | grep -q x86_non_temporal; then
    tap_ok "glibc: ld.so lists them as set" tunables
else tap_skip "no glibc of x86_64 that lists tunables"; fi

cc=${CC:-gcc}
params() {
    # shellcheck disable=SC2046
    $cc $(value --gcc) -Q --help=params >out 2>err && [ ! -s err ] || told || return
    is "$(awk -F '--param=|=[ \t]*' '/cache|interference/ { print $2, $3 }' out | sort | xargs)" \
        "constructive-interference-size 32 destructive-interference-size 256 \
l1-cache-line-size 32 l1-cache-size 40 l2-cache-size 768"
}
apart() {
    printf '#include <new>\nstatic_assert(std::hardware_destructive_interference_size == 256, "");\n' >apart.cc
    # shellcheck disable=SC2046
    g++ -std=c++17 -w -c $(value --gcc) -o apart.o apart.cc
}
if $cc -Q --help=params 2>/dev/null | grep -q destructive-interference-size; then
    tap_ok "gcc: params as set" params
    if tap_have g++; then tap_ok "g++: std::hardware_destructive_interference_size" apart; else tap_skip "no g++"; fi
else tap_skip "no gcc that has destructive-interference-size"; fi

compiled() {    # COMPILER STANDARD SUFFIX
    "$servet" export --header model.json >machine.h || return
    printf '%s\n' '#include "machine.h"' '#include "machine.h"' '#if MACHINE_L2_BYTES / 2 != 393216' '#error' '#endif' \
        'static char line[MACHINE_LINE_BYTES == 32 && MACHINE_APART_BYTES == 256 ? MACHINE_LINE_BYTES : -1];' \
        'int main(void) { return line[0] + (MACHINE_LAST_BUSY_BYTES != 2883584)' \
        '+ (MACHINE_STREAMING_BYTES != 9437184 || MACHINE_L1_BYTES != 40960); }' \
        >"uses.$3"
    "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -o uses "uses.$3" && ./uses
}
for how in "$cc c99 c" "$cc c2x c" "g++ c++11 cc" "g++ c++20 cc" "clang c99 c" "clang++ c++11 cc"; do
    set -- $how
    if tap_have "$1"; then tap_ok "header: $1 -std=$2" compiled "$@"; else tap_skip "no $1"; fi
done

# ---- values: to the letter ------------------------------------------------------------------------

says() {    # FILTER OF MODEL.JSON, FORM, LINE...
    local filter=$1 form=$2 line; shift 2
    jq -c "$filter" model.json >changed.json && "$servet" export "--$form" changed.json >out 2>err || { told; return; }
    ! grep -Eq "[= ]0$" out || { told; return; }
    for line; do grep -qxF -e "$line" out || { echo "no line: $line"; cat out; return 1; }; done
}
shared='GLIBC_TUNABLES=glibc.cpu.x86_data_cache_size=40960:glibc.cpu.x86_shared_cache_size=2883584'
if tap_have jq; then
    tap_ok "source and doubt" says . gcc '# l2-cache-size: measured, 786432 [720896, 851968]'
    tap_ok "what the system claims, refuted" says . header \
        "/* MACHINE_L3_BYTES: measured, 11534336 [11534336, 16777216]; the system's claim is refuted */"
    tap_ok "what is not known is left out, and said" says \
        'del(.line, .coherence, .host.reports) | .caches |= .[0:1]' gcc \
        '# l2-cache-size: not known' '--param=l1-cache-size=40'
    tap_ok "what only the system says" says '.caches |= .[0:2]' header '#define MACHINE_L3_BYTES 1099511627776' \
        "/* MACHINE_L3_BYTES: as the system says, 1099511627776 [1099511627776, 1099511627776]; \
the system's claim is untested */"
    tap_ok "glibc: not what the last level may hold" says . glibc \
        "$shared:glibc.cpu.x86_non_temporal_threshold=16777216" "# glibc.cpu.x86_non_temporal_threshold: \
measured, 9437184 [8388608, 10485760]; raised to what the last level may hold"
    tap_ok "glibc: above it as measured" says '.streaming_store_bytes[0] |= (.bytes = 2e7 | .hi_bytes = 3e7)' glibc \
        "$shared:glibc.cpu.x86_non_temporal_threshold=20000000"
    tap_ok "glibc: never is the highest it takes" says '.streaming_store_bytes[0] |= (.bytes = 0 | .hi_bytes = 0)' \
        glibc "$shared:glibc.cpu.x86_non_temporal_threshold=1152921504606846848"
    tap_ok "glibc: not measured is left out" says 'del(.streaming_store_bytes)' glibc "$shared" \
        '# glibc.cpu.x86_non_temporal_threshold: not known'
    tap_ok "OpenMP: not known" says . env 'OPENBLAS_L2_SIZE=768' \
        '# OMP_NUM_THREADS, OMP_PLACES: how many threads saturate memory is not known'
    tap_ok "OpenMP: threads that saturate memory" says '.contention = {"cpus":[0,1,2,3],"reference_bytes_per_s":5e9,
        "pairs":6,"levels":[],"layers":[{"groups":[[0,1,2,3]]}],
        "domains":[{"layer":0,"group":0,"cpus":4,"parent":-1,"bytes_per_s":1e10}],
        "scaling":[{"domain":0,"cpus":4,"enough":3,"lo_enough":2,"hi_enough":3,"best_bytes_per_s":1e10}]}' env \
        OMP_NUM_THREADS=3 OPENBLAS_L2_SIZE=768
    openmp() {    # without places, which are not of this machine
        printf '%s\n' '#include <omp.h>' '#include <stdio.h>' \
            'int main(void) { printf("%d\n", omp_get_max_threads()); }' |
            $cc -fopenmp -x c -o threads - && (set -a; . <("$servet" export --env changed.json)
                unset OMP_PLACES GOMP_CPU_AFFINITY; [ "$OPENBLAS_L2_SIZE" = 768 ] && is "$(./threads)" 3)
    }
    if echo '#include <omp.h>' | $cc -fopenmp -x c -c -o omp.o - 2>err; then tap_ok "OpenMP reads them" openmp
    else tap_skip "no OpenMP"; fi
else tap_skip "no jq"; fi

asks() {    # its getenv is ours
    printf '%s\n' '#include <string.h>' '#include <unistd.h>' 'char *getenv(const char *name) {' \
        'if (!strcmp(name, "OPENBLAS_L2_SIZE")) { if (write(3, "asked", 5)) { } } return 0; }' >getenv.c
    $cc -shared -fPIC -w -o getenv.so getenv.c && echo 'int main(void) { return 0; }' >loads.c &&
        $cc -o loads loads.c -Wl,--no-as-needed "$1" &&
        LD_PRELOAD=./getenv.so ./loads 3>asked && is "$(cat asked)" asked
}
library=$(ls /usr/lib/*/openblas-*/libopenblas.so.0 /usr/lib/*/libopenblas.so.0 2>/dev/null | head -n 1)
if [ -n "$library" ] && grep -aq OPENBLAS_L2_SIZE "$library"; then
    tap_ok "OpenBLAS asks for the variable" asks "$library"
else tap_skip "no OpenBLAS that knows OPENBLAS_L2_SIZE"; fi

# ---- bad input ---------------------------------------------------------------------------------------

refused() {    # WORDS ARGUMENT...: exit 2, one line with them, nothing else
    local words=$1 code; shift
    "$servet" export "$@" >out 2>err </dev/null
    code=$?
    [ $code = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "^servet: .*($words)" err ||
        { echo $code; told; }
}
kept() { echo before >kept.xml; refused "$@" && [ "$(cat kept.xml)" = before ] && [ "$(ls kept.xml* | wc -l)" = 1 ]; }
echo '{"servet":1}' >empty.json
sed 's/x86_64/riscv64/' model.json >riscv.json
tap_ok "no form" refused 'needs one of --hwloc' model.json
tap_ok "an unknown form" refused 'unknown argument "--xml"' --xml model.json
tap_ok "two forms" refused 'one at a time' --gcc --env model.json
tap_ok "no file" refused 'needs a file' --hwloc
tap_ok "a form for a file" refused 'needs a file' --hwloc --gcc
tap_ok "two profiles" refused 'unknown argument' --gcc model.json model.json
tap_ok "no such profile" kept 'nowhere.json' --hwloc kept.xml nowhere.json
tap_ok "no profile: what was in the file stays" kept 'model.xml' --hwloc kept.xml model.xml
tap_ok "a profile of nothing" kept 'names no CPU' --hwloc kept.xml empty.json
for form in glibc gcc header env; do
    tap_ok "--$form of nothing" refused "knows nothing|is of \"\"" --$form empty.json
done
tap_ok "glibc of another machine" refused 'riscv64' --glibc riscv.json
tap_ok "a place that cannot be written to" refused 'nowhere/file.xml' --hwloc nowhere/file.xml model.json
mkdir sub.xml
tap_ok "a directory" refused 'sub.xml' --hwloc sub.xml model.json
forgotten() {
    cp model.json mine.json
    refused 'mine.json: a profile is there' --hwloc mine.json && cmp -s model.json mine.json
}
tap_ok "a profile where the file to write should be: it stays" forgotten
if [ -w /dev/full ]; then tap_ok "a full disk" refused 'o space' --hwloc /dev/full model.json; fi
tap_done

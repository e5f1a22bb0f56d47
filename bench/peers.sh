#!/usr/bin/env bash
# The same questions to other tools and to ours, one after the other: what each says, and in how many seconds.
#
#     bench/peers.sh [DIRECTORY...]      LIMIT=60 SERVET=build/servet MPIRUN="mpirun -n 2"
#
# DIRECTORY: where programs are that PATH does not have: cache line tlb mhz lat_mem_rd (lmbench), multichase multiload
# pingpong (multichase), osu_latency, linktest.  What is not found has no line.  LIMIT: seconds after which a program is
# ended, and has said nothing.  Nothing is asserted: what is right, the maker of the CPU documents.  Lines of a table in
# Markdown: question, program, what it says, seconds.
cd "$(dirname "$0")/.." || exit
export ENOUGH=${ENOUGH:-100000}    # lmbench: us to time at least; what it finds out by itself may not end beside others
for d; do PATH=$PATH:$(cd "$d" && pwd); done
limit=${LIMIT:-60} servet=${SERVET:-build/servet} mpirun=${MPIRUN:-mpirun -n 2}
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT

ask() {    # QUESTION NAME FILTER COMMAND...: FILTER makes of its output a line
    local question=$1 name=$2 filter=$3 begun said status
    shift 3
    command -v "$1" >/dev/null || return 0
    begun=$(date +%s%N)
    timeout -k 5 "$limit" "$@" >"$dir/out" 2>&1 </dev/null
    status=$?
    said=$(eval "$filter" <"$dir/out" | paste -sd ';' | sed 's/;/; /g')
    [ $status = 124 ] && said="nothing in $limit s"
    printf '| %s | %s | %s | %s |\n' "$question" "$name" "${said:-nothing (exit $status)}" \
        "$(awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN { printf "%.3g", ns / 1e9 }')"
}
echo '| question | program | says | seconds |'
echo '|---|---|---|---|'

caches='grep -E "^ *L[0-9] +[0-9.]+ [KM]iB +\["'
$servet run --only caches,tlb -o "$dir/p.json" --quiet >/dev/null 2>&1
ask 'cache sizes' 'servet --only caches' "$caches | sed 's/  */ /g; s/\] .*/]/'" \
    $servet run --only caches -o "$dir/caches.json"
ask 'cache sizes' 'Servet 2010, as published' \
    "grep -E '^ *L?[1-9] ' | sed 's/  */ /g'" $servet paper servet-2010 fig4
ask 'cache sizes' 'lmbench cache' 'grep -E "^L[0-9]"' cache -M 64M
ask 'cache sizes' 'hwloc lstopo, the system'"'"'s claim' \
    'grep -oE "L[123]d? L#0 \([0-9]+[KMG]B\)|L[123]d? \([0-9]+[KMG]B\)" | sort -u' lstopo-no-graphics --of console
ask 'cache sizes' 'likwid-topology, the system'"'"'s claim' \
    'awk "/^Level:/ { l = \$2 } /^Size:/ { print \"L\" l \" \" \$2 \" \" \$3 }"' likwid-topology

ask 'line' 'lmbench line' 'tail -1' line -M 64M
ask 'line and TLBs' 'servet --only tlb,caches' \
    "grep -E '^ *(TLB [12] |line)' | sed 's/  */ /g; s/\] .*/]/'" $servet run --only caches,tlb -o "$dir/tlb.json"
ask 'TLB' 'lmbench tlb' 'tail -1' tlb -M 64M
ask 'clock' 'lmbench mhz' 'tail -1' mhz
ask 'clock' 'servet' 'grep -o "core at.*GHz.*]"' $servet show "$dir/p.json"

for size in 24k 512k 256m; do
    ask "ns of a load, $size" 'multichase, random over all lines' 'tail -1' \
        multichase -c simple -s 64 -F 0 -n 1 -T $size -m $size
done
ask 'ns of a load, to 64 MiB' 'lmbench lat_mem_rd -t' \
    'awk "\$1 == 0.02344 || \$1 == 0.5 || \$1 == 64 { print \$1 \" MB: \" \$2 }"' lat_mem_rd -t -N 1 64 64
ask 'ns of a load beside others' 'multiload chaseload' 'tail -1' \
    multiload -c chaseload -l memcpy-libc -t 2 -n 3 -s 64 -m 256m
ask 'ns from CPU to CPU' 'multichase pingpong, one line' 'grep -oE "[0-9.]+ *$" | tail -1' pingpong -u -r 0
ask 'ns from CPU to CPU, who shares' 'servet --only cores' \
    'grep -E "^ *(0|1) |compare-and-swap|^L[0-9] (is|shared)" | sed "s/  */ /g"' \
    $servet run --only caches,cores -o "$dir/cores.json"
ask 'GB/s of loads, 1 CPU, 64 MiB' 'likwid-bench load_avx512' 'awk "/MByte\/s/ { print \$2 / 1e3 }"' \
    likwid-bench -t load_avx512 -w S0:64MB:1
ask 'GB/s, memory' 'servet --only bandwidth' 'grep -E "^memory +[0-9]" | sed "s/  */ /g"' \
    $servet run --only caches,bandwidth -o "$dir/bandwidth.json"

for size in 8 1048576; do
    ! osu=$(command -v osu_latency) || ask "us of $size B between two ranks" osu_latency \
        "awk '\$1 == $size { print \$2 }'" $mpirun "$osu"
done
# Eight ranks on four hosts in two racks, which are namespaces of this one: who is near whom?
hosts=(tests/mpi/hosts --hosts 4 --slots 2 --racks 2 --link 1gbit --uplink 200mbit --delay 100)
if tests/mpi/hosts --able >/dev/null; then
    ! linktest=$(command -v linktest) || ask 'layers of 8 ranks' 'LinkTest, all pairs' \
        'grep -E "RESULT: (Min|Max) Time:|PINGPONG" | sed "s/  */ /g" | head -3' "${hosts[@]}" "$linktest" -W 0
    ask 'layers of 8 ranks' 'servet: mpi_layers' 'grep -E "^ *(layer|outermost)" | sed "s/  */ /g"' \
        "${hosts[@]}" build/mpi/openmpi/mpi_layers
fi

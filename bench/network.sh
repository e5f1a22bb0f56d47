#!/usr/bin/env bash
# Rounds, virtual seconds and seconds against ranks, over SimGrid's tori of 16 to 1024 nodes, and nodes of four ranks.
#
#     bench/network.sh [RANKS...]
#
# Columns: nodes, ranks, what is measured; rounds, the same over N log2 N; seconds in the simulated network; seconds
# the simulator took, which says more about it than about servet.
cd "$(dirname "$0")/.." || exit
program=$PWD/build/mpi/smpi/network still=$PWD/build/mpi/still.so
if ! command -v smpirun >/dev/null || [ ! -x "$program" ]; then
    echo "network: skipped: no smpirun, or no $program"
    exit 0
fi
[ -e "$still" ] || still=
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT
declare -A dims=([16]=4,4 [32]=4,4,2 [64]=4,4,4 [128]=8,4,4 [256]=8,8,4 [512]=8,8,8 [1024]=16,8,8)

echo nodes,ranks,part,rounds,rounds_per_n_log_n,virtual_s,s
[ $# -gt 0 ] || set -- 16 32 64 128 256 512 1024
for n in "$@"; do for slots in 1 4; do for part in layers distance; do
    nodes=$((n / slots))
    [ -n "${dims[$nodes]:-}" ] || continue
    sed "s/0-1023/0-$((nodes - 1))/; s/16,8,8/${dims[$nodes]}/" tests/mpi/torus.xml >"$dir/torus.xml"
    for ((k = 0; k < slots; k++)); do for ((i = 0; i < nodes; i++)); do echo t$i; done; done >"$dir/hosts"
    begin=$(date +%s.%N)
    SMPI_PRIVATIZATION=no TMPDIR=$dir LD_PRELOAD=$still smpirun -np $n -platform "$dir/torus.xml" \
        -hostfile "$dir/hosts" --log=root.thresh:critical --cfg=smpi/tmpdir:"$dir" --cfg=smpi/host-speed:5Gf \
        --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 "$program" parts=$part ratio_bytes=65536 \
        >"$dir/out" 2>/dev/null
    awk -v nodes=$nodes -v n=$n -v part=$part -v begin="$begin" -v end="$(date +%s.%N)" '$1 == "rounds" {
        printf "%d,%d,%s,%d,%.3f,%.3f,%.1f\n", nodes, n, part, $2, $2 / (n * log(n) / log(2)), $3, end - begin
        }' "$dir/out"
done; done; done

#!/usr/bin/env bash
# Does it pay to place processes as `servet map` says?  Kernels with the communication of NPB's CG, IS and MG
# (examples/mpi_kernels.c) on modelled machines in SimGrid's virtual time, placed by blocks, in turns and by servet.
#
#     bench/kernels.sh [torus|hector [PROCESSES...]]
#
#   torus    4 x 4 nodes of 4 cores, 3 GB/s to each neighbour and as much in and out of a node, which those that pass
#            through take from as well
#   hector   16 nodes (4 x 2 x 2 torus) of two processors of 16 cores, L2 of four and L3 of eight cores, as Servet 3.0
#            found HECToR's in its section 5: two processes, one of each processor, take nothing from each other at the
#            network, more do.  Rates are assumptions: 1.5 GB/s a message, 3 GB/s in or out of a node, 3 GB/s a link,
#            8 GB/s within a node
# The profile is measured there by mpi_layers; who shares caches and lines within a node are said to it.
# Columns: processes, kernel; ms by blocks, in turns and by servet; block / servet as predicted from the profile and as
# it was; the same of turns.
cd "$(dirname "$0")/.." || exit
servet=$PWD/build/servet programs=$PWD/build/mpi/smpi still=$PWD/build/mpi/still.so
if ! command -v smpirun >/dev/null || [ ! -x "$programs/mpi_kernels" ] || [ ! -x "$programs/mpi_layers" ]; then
    echo "kernels: skipped: no smpirun, or no $programs/mpi_kernels"
    exit 0
fi
[ -e "$still" ] || still=
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT

torus_platform() {
    nodes=16 cores=4 measured=4
    cat <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="torus" prefix="t" suffix="" radical="0-15" speed="5Gf" core="4" topology="TORUS"
    topo_parameters="4,4" limiter_link="3GBps" bw="3GBps" lat="500ns"
    loopback_bw="8GBps" loopback_lat="300ns"/></platform>
END
}
hector_platform() {    # each message through a link of its own rate (FATPIPE), and then those that are shared
    nodes=16 cores=32 measured=8
    awk 'function link(name, rate, ns, policy) {
        printf "<link id=\"%s\" bandwidth=\"%s\" latency=\"%dns\" sharing_policy=\"%s\"/>\n", name, rate, ns, policy }
    BEGIN {
        split("4 2 2", size)
        print "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
        print "<platform version=\"4.1\"><zone id=\"hector\" routing=\"Full\">"
        for (i = 0; i < 16; i++) printf "<host id=\"t%d\" speed=\"5Gf\" core=\"32\"/>\n", i
        link("alone", "1.5GBps", 300, "FATPIPE")
        for (i = 0; i < 16; i++) {
            link("out" i, "3GBps", 300, "SHARED"); link("in" i, "3GBps", 300, "SHARED")
            link("node" i, "8GBps", 300, "SHARED")
            for (d = 1; d <= 3; d++) for (s = 0; s < 2; s++) link("l" i "." d s, "3GBps", 100, "SHARED")
        }
        for (i = 0; i < 16; i++) for (j = 0; j < 16; j++) {
            printf "<route src=\"t%d\" dst=\"t%d\" symmetrical=\"NO\">", i, j
            if (i == j) printf "<link_ctn id=\"node%d\"/>", i
            else printf "<link_ctn id=\"alone\"/><link_ctn id=\"out%d\"/>", i
            at = i; stride = 1
            for (d = 1; d <= 3; d++) {
                n = size[d]; a = int(i / stride) % n; b = int(j / stride) % n; up = (b - a + n) % n; s = 2 * up > n
                for (k = s ? n - up : up; k > 0; k--) {
                    printf "<link_ctn id=\"l%d.%d%d\"/>", at, d, s
                    to = s ? (a - 1 + n) % n : (a + 1) % n; at += (to - a) * stride; a = to
                }
                stride *= n
            }
            if (i != j) printf "<link_ctn id=\"in%d\"/>", j
            print "</route>"
        }
        print "</zone></platform>"
    }'
}
# Lines within a node that all take as long; caches of four and eight cores where there are 32.
node_profile() {
    jq -n --argjson n "$1" '{servet: 1, cores: {cpus: [range($n)], latency_ns: [range(1; $n) | [range(.) | 200]]}}
        | if $n == 32 then .sharing = {cpus: [range($n)], levels: [[2, 4], [3, 8] | . as [$l, $each]
            | {level: $l, groups: [range($n / $each) | [range(. * $each; (. + 1) * $each)]]}]} else . end'
}
# placed HOW PROCESSES: a host a line
placed() {
    local i
    case $1 in
        block) for ((i = 0; i < $2; i++)); do echo t$((i / cores)); done ;;
        turns) for ((i = 0; i < $2; i++)); do echo t$((i % nodes)); done ;;
        servet) "$servet" map -n "$2" --comm --format list "$dir/profile.json" 2>/dev/null | sed 's/ .*//' ;;
    esac
}
run() {    # PROGRAM ARGUMENT... on $dir/hosts
    local program=$1; shift
    TMPDIR=$dir LD_PRELOAD=$still timeout 900 smpirun -np "$(wc -l <"$dir/hosts")" -platform "$dir/platform.xml" \
        -hostfile "$dir/hosts" --log=root.thresh:critical --cfg=smpi/tmpdir:"$dir" --cfg=smpi/host-speed:5Gf \
        --cfg=smpi/simulate-computation:no --cfg=network/crosstraffic:0 --cfg=smpi/wtime:1e-8 \
        "$programs/$program" "$@" 2>"$dir/err"
}

machine=${1:-torus}
shift
case $machine in
    torus) [ $# -gt 0 ] || set -- 8 16 32 64 ;;
    hector) [ $# -gt 0 ] || set -- 32 64 128 256 ;;
    *) echo "kernels: $machine: torus or hector" >&2; exit 2 ;;
esac
${machine}_platform >"$dir/platform.xml"
node_profile "$cores" >"$dir/profile.json"
for ((i = 0; i < nodes * measured; i++)); do echo t$((i / measured)); done >"$dir/hosts"
if ! run mpi_layers -o "$dir/profile.json" --parts layers,sizes,distance,access --budget 60 >"$dir/out"; then
    echo "kernels: no profile: $(tail -n 1 "$dir/err")" >&2
    exit 1
fi
sed -n 's/^ratNC */# ratNC /p; s/^ratDist */# ratDist /p' "$dir/out"
echo "processes,kernel,block_ms,turns_ms,servet_ms,block_over_servet_predicted,had,turns_over_servet_predicted,had"
for n in "$@"; do
    for how in block turns servet; do
        placed $how "$n" >"$dir/hosts"
        run mpi_kernels --load "$dir/profile.json" --times 1 >"$dir/$how" || { cat "$dir/err" >&2; exit 1; }
    done
    paste "$dir/block" "$dir/turns" "$dir/servet" | awk -v n="$n" '$1 != "kernel" {
        printf "%d,%s,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f\n", n, $1, $2, $5, $8, $3 / $9, $2 / $8, $6 / $9, $5 / $8 }'
done

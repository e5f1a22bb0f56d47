#!/usr/bin/env bash
# servet_mpi.h on modelled networks in SimGrid's virtual time, where the answers are known (TAP).
#
# No test of a network is worth more than the network: each platform is first looked at by a program that knows
# nothing of servet.  SMPI_SECONDS ends what hangs.
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash

for tool in smpicc smpirun; do
    if ! tap_have $tool; then echo "1..0 # SKIP no $tool"; echo "# $0: skipped: no $tool" >&2; exit 0; fi
done
programs=$PWD/build/mpi/smpi
if [ ! -x "$programs/network" ]; then
    echo "1..0 # SKIP no $programs/network: make all builds it"
    echo "# $0: skipped: no $programs/network" >&2
    exit 0
fi
still=$PWD/build/mpi/still.so
[ -e "$still" ] || still=
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT

# All at full length with AT_LENGTH=1 (make test-all): a thousand ranks, as HECToR's torus has.
ranks=256 wide=8,8,4 nodes=64 narrow=8,4,2 orders=4
[ -z "${AT_LENGTH:-}" ] || ranks=1024 wide=16,8,8 nodes=256 narrow=8,8,4 orders=12

# ---- platforms, and runs on them -------------------------------------------------------------------------------------

cp tests/mpi/*.xml "$dir"
torus() { sed "s/0-1023/0-$(($1 - 1))/; s/16,8,8/$2/" tests/mpi/torus.xml >"$dir/$3.xml"; }
torus 32 4,4,2 torus32
torus 1 1 alone

# A ring where each way to the other side, as long in both directions, leads east: SimGrid's own sends one of 16 west.
awk -v n=16 'BEGIN {
    print "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
    print "<platform version=\"4.1\"><zone id=\"ring\" routing=\"Full\">"
    for (i = 0; i < n; i++) printf "<host id=\"t%d\" speed=\"5Gf\"/>\n", i
    for (i = 0; i < n; i++) for (k = 0; k < 2; k++)
        printf "<link id=\"%s%d\" bandwidth=\"3GBps\" latency=\"500ns\"/>\n", k ? "west" : "east", i
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        d = (j - i + n) % n
        if (d == 0) continue
        printf "<route src=\"t%d\" dst=\"t%d\" symmetrical=\"NO\">", i, j
        for (k = 0; k < (2 * d <= n ? d : n - d); k++)
            printf "<link_ctn id=\"%s%d\"/>", 2 * d <= n ? "east" : "west", (i + (2 * d <= n ? k : n - k)) % n
        print "</route>"
    }
    print "</zone></platform>"
}' >"$dir/ring.xml"

# hosts "HOST*RANKS ..." : a line for each rank
hosts() {
    local part
    for part in $1; do
        for ((k = 0; k < ${part#*\*}; k++)); do echo "${part%\**}"; done
    done
}
each() { local i; for ((i = 0; i < $2; i++)); do printf '%s%d*%d ' "$1" $i "${3:-1}"; done; }    # PREFIX N [RANKS]

# Without the models' share of acknowledgements in the opposite links, which makes 8.4 of 8 where both ways are as long.
# SMPI_PRIVATIZATION=no: one copy of global variables for all ranks, of a program that writes none.  SMPI_CLOCK=0: each
# reading of the clock takes no time, and is no event of the simulator; else 10 ns.  SMPI_COMPUTE=yes: what ranks
# compute takes as long as it does here.
clock=1e-8
smpi() {    # PLATFORM "HOST*RANKS ..." PROGRAM ARGUMENT...
    local platform=$1 hosts=$2 program=$3 clocks=$still; shift 3
    [ -z "${SMPI_COMPUTE:-}" ] || clocks=    # which run
    hosts "$hosts" >"$dir/hosts"
    timeout -k 1 "${SMPI_SECONDS:-1800}" env TMPDIR="$dir" LD_PRELOAD="$clocks" smpirun -np "$(wc -l <"$dir/hosts")" \
        -platform "$dir/$platform.xml" -hostfile "$dir/hosts" --log=root.thresh:critical --cfg=smpi/tmpdir:"$dir" \
        --cfg=smpi/host-speed:5Gf --cfg=smpi/simulate-computation:"${SMPI_COMPUTE:-no}" --cfg=network/crosstraffic:0 \
        --cfg=smpi/wtime:"${SMPI_CLOCK:-$clock}" \
        "$programs/$program" "$@" >"$dir/out" 2>"$dir/err" || told
}
run() {     # as smpi; the servet program's status must be that of all ranks, and no error
    smpi "$@" && holds 'status' '$2 >= 0 && $3 == 1'
}
told() { head -n 12 "$dir/err" "$dir/out"; return 1; }

# ---- what is in the lines that were printed ------------------------------------------------------------------------

# holds WORD CONDITION [COUNT]: of all lines that begin with the word, and there is one, or are COUNT of them
holds() {
    awk -v word="$1" -v want="${3:-0}" '
        function near(x, y, frac) { return x >= y * (1 - frac) && x <= y * (1 + frac) }
        $1 == word { seen++; if (!('"$2"')) { print "not so: " $0; bad = 1 } }
        END { if (!seen || (want && seen != want)) { print seen + 0 " lines of " word; bad = 1 }; exit bad }
        ' "$dir/out" || told
}
column() { awk -v word="$1" '$1 == word { print $'"$2"' }' "$dir/out" | paste -s -d' '; }
is() {      # WHAT WANTED
    [ "$1" = "$2" ] || { echo "is: $1"; echo "wanted: $2"; told; }
}
say() {     # prints "N VALUE N VALUE ...": how often each value of a column is there, as printf has it
    awk -v word="$1" '$1 == word { printf "'"$3"'\n", $'"$2"' }' "$dir/out" | sort -n | uniq -c | xargs
}

# ---- the platforms themselves ----------------------------------------------------------------------------------------

tap_ok 'plain MPI on a ring of 16' smpi ring "$(each t 16)" plain shift 4000000
tap_ok '... a distance of D takes D times as long' holds shift 'near($3, $2, .001) && near($4, $2, .001)' 8
tap_ok 'plain MPI from a node with one link' smpi racks 'a0*4 a1*4' plain share 4000000
tap_ok '... K processes take K times as long' holds share 'near($3, $2, .01)' 4
tap_ok 'plain MPI on two racks' smpi racks 'a0*2 a1*2 b0*2 b1*2' plain pairs 8
tap_ok '... three times and no other' is "$(say pair 5 %.2f)" '4 0.41 8 4.06 16 24.30'
tap_ok 'plain MPI on two nodes of Finis Terrae' smpi finis 'f0*2 f1*2' plain pairs 32768
tap_ok '... between nodes twice as long as within' holds pair 'near($5, ($2 < 2) == ($3 < 2) ? 27.0 : 52.8, .005)' 6
tap_ok 'plain MPI on four nodes of Finis Terrae' smpi finis "$(each f 4 16)" plain load 0 32 1 32768
tap_ok '... 7 times as long with 31 others' holds load 'near($3, 52.8 * (1 + ($2 - 1) * 6 / 31), .005)' 32
tap_ok 'plain MPI on a torus of 4 x 4 x 2' smpi torus32 "$(each t 32)" plain shift 4000000
torus_plain=$(column shift 4)

# ---- bandwidth by distance -------------------------------------------------------------------------------------------

as_plain() {    # the ratios of the last run are those in the list, within a part in a hundred
    paste <(column dist 3 | tr ' ' '\n') <(tr ' ' '\n' <<<"$1") | awk '
        NF != 2 || $1 < .99 * $2 || $1 > 1.01 * $2 { print "distance " NR ": " $0; bad = 1 }
        END { exit bad || NR < 2 }' || told
}
tap_ok 'ring of 16' run ring "$(each t 16)" network parts=layers,distance ratio_bytes=4e6
tap_ok '... ratDist is 1 2 3 4 5 6 7 8' holds dist 'near($3, $2, .001)' 8
tap_ok '... ratios are within their intervals' holds dist '$4 <= $3 && $3 <= $5' 8
tap_ok '... the shape is a ring (2)' holds shape '$2 == 2'
tap_ok '... there are no layers, but distances' holds layers '$2 == 0 && $3 == 1'
tap_ok 'torus of 4 x 4 x 2' run torus32 "$(each t 32)" network parts=distance all_distances=1 ratio_bytes=4e6
tap_ok '... ratDist is that of plain MPI' as_plain "$torus_plain"
tap_ok '... the shape is a torus (3) with the periods of its rows and planes' \
    holds shape '$2 == 3 && $3 == 4 && $4 == 16'
tap_ok 'eight nodes of a rack or two' run racks "$(each a 4) $(each b 4)" network parts=distance ratio_bytes=4e6
tap_ok '... ratDist grows where the uplink is crossed' holds dist '$2 == 1 || $3 > 2' 4

# ---- layers ----------------------------------------------------------------------------------------------------------

three_layers() {    # "HOST*RANKS ...", from blocks or shuffled: times, groups by hosts and racks
    run racks "$1" network parts=layers && is "$(column layer 8 | xargs printf '%.2f ')" '0.41 4.06 24.30 ' &&
        is "$(awk '$1 == "group" && $2 == 0 { $1 = $2 = ""; print }' "$dir/out" | canon)" \
           "$(hosts "$1" | xargs | canon)" &&
        is "$(awk '$1 == "group" && $2 == 1 { $1 = $2 = ""; print }' "$dir/out" | canon)" \
           "$(hosts "$1" | sed 's/.$//' | xargs | canon)" &&
        holds layer '$2 == 0 || near($10, $2 == 1 ? 920.5 : 227.7, .02)' 3 && holds layers '$2 == 2 && $3 == 0'
}
canon() { xargs -n 1 | awk '!($1 in of) { of[$1] = n++ } { printf "%d ", of[$1] }'; }    # numbered as they come
shuffled() { hosts "$1" | shuf --random-source=<(yes "$2") | sed 's/$/*1/' | xargs; }    # "HOST*RANKS ...", SEED

tap_ok 'two racks: three layers, exactly' three_layers 'a0*2 a1*2 b0*2 b1*2'
tap_ok '... by turns' three_layers "$(for k in 1 2; do echo 'a0*1 b0*1 a1*1 b1*1'; done | xargs)"
right=0
for ((seed = 0; seed < orders; seed++)); do
    three_layers "$(shuffled 'a0*2 a1*2 a2*2 b0*2 b1*2 b2*2' $seed)" >"$dir/why" && right=$((right + 1))
done
tap_ok "... in $right of $orders orders of ranks" is $right $orders
tap_ok 'nodes with different numbers of ranks' three_layers 'a0*3 a1*2 b0*4 b1*2'
tap_ok 'an odd number of ranks' three_layers 'a0*2 a1*2 b0*2 b1*3'
tap_ok 'as Figure 7 of Servet' run racks 'a0*2 b0*2 a1*2 b1*2' network parts=layers figure_7=1
tap_ok '... says the same' is "$(column layer 8 | xargs printf '%.2f ')" '0.41 4.06 24.30 '
tap_ok 'two ranks of one node' run racks 'a0*2' network parts=layers
tap_ok '... have one distance' holds layers '$2 <= 1'
tap_ok 'two ranks of two nodes' run racks 'a0*1 a1*1' network ratio_bytes=4e6
tap_ok '... have one distance' holds layers '$2 == 0 && $3 == 0'

# ---- sizes, messages at once, processes of a node --------------------------------------------------------------------

# A clock that is read in no time takes half as long to simulate, and answers from here on are no closer than that: in
# short it is all of them but one with all parts, and what is computed.
[ -n "${AT_LENGTH:-}" ] || clock=0

# SimGrid's messages have 16 bytes of header, and change at 1426, 3484, 5776, 9376, 15424 and 65472 bytes with it.
tap_ok 'Finis Terrae, four nodes of 16' run finis "$(each f 4 16)" network parts=layers,sizes,scaling most_bytes=1e6
tap_ok '... two layers: nodes, and all' holds layers '$2 == 1 && $3 == 0'
tap_ok '... groups are nodes' is "$(awk '$1 == "group" { $1 = $2 = ""; print }' "$dir/out" | canon)" \
    "$(hosts "$(each f 4 16)" | canon)"
tap_ok '... between nodes twice as long as within' holds layer 'near($9, $2 == 0 ? 27.0 : 52.8, .005)' 2
tap_ok '... changes of protocol, to the byte' \
    is "$(column switch 3)" '1411 3469 5761 9361 15409 65457 1411 3469 5761 9361 15409 65457'
tap_ok '... 7 times slower with 31 others, and as plain MPI says with fewer and more' \
    holds load '$2 != 1 || $3 != 0 || $5 != 32768 || near($6, 52.8 * (1 + ($4 - 1) * 6 / 31), .005)'
tap_ok '... up to 64, as many as there are pairs both ways' \
    is "$(awk '$1 == "load" && $2 == 1 && $3 == 0 && $5 == 32768 { print $4 }' "$dir/out" | xargs)" '1 2 4 8 16 32 64'
tap_ok 'a node with one link' run racks 'a0*4 a1*4' network parts=access ratio_bytes=4e6
tap_ok '... ratNC is 1 2 3 4' holds share 'near($3, $2, .01)' 4

# ---- few, many, and none ---------------------------------------------------------------------------------------------

tap_ok 'one rank' smpi alone 't0*1' network
tap_ok '... has no network, and says so' holds status '$2 < 0 && $3 == 1'
SMPI_CLOCK=1e-8 tap_ok 'three ranks, all parts' run racks 'a0*1 a1*1 b0*1' network ratio_bytes=1e6
tap_ok 'seven ranks on three nodes, all parts and a profile' \
    run racks 'a0*3 a1*1 b0*3' network ratio_bytes=1e6 profile="$dir/profile.json"
tap_ok '... that is one' grep -q '"network"' "$dir/profile.json"

many() { SMPI_CLOCK=0 SMPI_PRIVATIZATION=no run "$@"; }
torus $ranks $wide wide
torus $nodes $narrow narrow
periods() {    # of rows and planes of X,Y,Z
    local n; IFS=, read -ra n <<<"$1"
    holds shape "\$2 == 3 && \$3 == ${n[0]} && \$4 == $((n[0] * n[1]))"
}
few_rounds() { holds rounds "\$2 < $ranks * log($ranks) / log(2)"; }
tap_ok "torus of $ranks nodes, layers and distances" many wide "$(each t $ranks)" network parts=layers,distance \
    ratio_bytes=65536
tap_ok '... has distances, not layers' holds layers '$2 == 0 && $3 == 1'
tap_ok '... the shape is a torus (3) with the periods of its rows and planes' periods $wide
tap_ok '... rounds below N log N' few_rounds
by_turns=$(for k in 1 2 3 4; do each t $nodes; done)
tap_ok "torus of $nodes nodes, $ranks ranks by turns, layers" many narrow "$by_turns" network parts=layers
tap_ok '... nodes, and beyond them distances' holds layers '$2 == 1 && $3 == 1'
tap_ok '... groups are nodes' is "$(awk '$1 == "group" { $1 = $2 = ""; print }' "$dir/out" | canon)" \
    "$(hosts "$by_turns" | canon)"
tap_ok '... rounds below N log N' few_rounds
tap_ok "torus of $nodes nodes, $ranks ranks, distances" many narrow "$by_turns" network parts=distance \
    ratio_bytes=65536 profile="$dir/many.json"
tap_ok '... the shape is a torus (3) with the periods of its rows and planes' periods $narrow
tap_ok '... a profile of less than a megabyte' [ "$(wc -c <"$dir/many.json")" -lt 1000000 ]

# ---- the order of a grid ---------------------------------------------------------------------------------------------

# A gain is predicted for binomial trees.  That two racks share a link is nowhere in what was measured, so that there
# the direction is what is asked for.
grid() {    # PLATFORM HOSTS ROWS FACTOR: X is right, and the size of the gain within that
    smpi "$1" "$2" mpi_grid_order --rows "$3" --bytes 1e5 --times 1 && grep -q '^X \* U - B: right' "$dir/out" &&
        awk -v factor="$4" '
            /predicted/ { split($0, x, "predicted x|, measured x| \\["); p = x[2]; m = x[3] }
            END { exit !(p > 0 && m > 0 && (p > 1) == (m > 1) && p / m < factor && m / p < factor) }
        ' "$dir/out" || told
}
if [ -x "$programs/mpi_grid_order" ]; then
    tap_ok 'order of a grid on a ring: as predicted' grid ring "$(each t 16)" 4 1.1
    tap_ok 'order of a grid on a torus: as predicted' grid torus32 "$(each t 32)" 4 1.1
    tap_ok '... of two nodes with rows that fill them: as predicted' grid racks 'a0*16 a1*16' 4 1.1
    tap_ok '... and columns within them, although most broadcasts are along columns' grid racks 'a0*16 a1*16' 2 1.1
    tap_ok '... of two that rows cross by half: as predicted' grid racks 'a0*8 a1*8' 4 1.1
    tap_ok 'order of a grid in racks: rows that stay in them' grid racks "$(each a 4)$(each b 4)" 2 1.5
else
    tap_skip "no $programs/mpi_grid_order"
fi

# ---- where servet map places processes -------------------------------------------------------------------------------

# Nodes of four cores with one way in and out, which those that pass through share: by blocks four processes have it
# together, and servet map takes one of each node.  What they send is timed both ways, and predicted from the profile.
placement() {
    local how
    torus 16 4,4 shared
    sed -i 's/topology="TORUS"/& limiter_link="3GBps"/' "$dir/shared.xml"
    echo '{"servet":1,"cores":{"cpus":[0,1,2,3],"latency_ns":[[50],[50,50],[50,50,50]]}}' >"$dir/placed.json"
    smpi shared "$(each t 16 4)" mpi_layers -o "$dir/placed.json" --parts layers,distance,access || return
    build/servet map -n 16 --comm --format list "$dir/placed.json" 2>"$dir/err" | sed 's/ .*/*1/' | xargs >"$dir/servet"
    each t 4 4 >"$dir/block"
    for how in block servet; do
        smpi shared "$(cat "$dir/$how")" mpi_kernels --load "$dir/placed.json" --times 1 || return
        cp "$dir/out" "$dir/kernels.$how"
    done
    paste "$dir/kernels.block" "$dir/kernels.servet" | grep -v kernel >"$dir/out"
}
gain() {    # LEAST: of cg and mg, above that, and as predicted within 15 %
    local kernel
    for kernel in cg mg; do
        holds $kernel "\$2 / \$5 > $1 && near(\$3 / \$6, \$2 / \$5, .15)" 1 || return
    done
}
if [ -x "$programs/mpi_kernels" ] && [ -x build/servet ]; then
    tap_ok 'kernels on a torus with one way out of a node, by blocks and by servet map' placement
    tap_ok '... are faster by servet map, as much as predicted within 15 %' gain 1.2
else
    tap_skip "no $programs/mpi_kernels or no build/servet"
fi

# ---- what nobody knows there -----------------------------------------------------------------------------------------

unknown() {    # WHAT PROGRAM ARGUMENT...: modelled nodes have no caches nor CPUs, whatever this one has
    local what=$1; shift
    smpi racks 'a0*2 a1*2' "$@" -o "$dir/unknown.json" && grep -q "$what" "$dir/out" || told
}
joined() {
    jq -e '(.network.layers | length) > 0 and (.evidence.network.pairs.a | length) > 0
        and (.network.access_ratio.ratio | length) > 0' "$dir/unknown.json" || told
}
apart() {
    cp "$dir/unknown.json" "$dir/apart.json"
    smpi racks 'a0*2 b0*2' mpi_degradation --bytes 100000 -o "$dir/apart.json" && return 1
    grep -q 'not saved: the file has layers of other ranks' "$dir/err" &&
        cmp "$dir/unknown.json" "$dir/apart.json" || told
}
if [ -x "$programs/mpi_layers" ] && [ -x "$programs/mpi_degradation" ]; then
    tap_ok 'the first cache of a modelled node: by default, and said' \
        unknown '^messages of 32768 bytes: by default' mpi_layers --parts layers
    tap_ok '... the cores of its ranks' unknown '^ranks whose core is not known.*: 4$' mpi_layers --parts layers
    tap_ok '... their processors' unknown 'nothing is known.*in rank order: 4 of 4$' mpi_degradation --bytes 100000
    if tap_have jq; then
        tap_ok 'mpi_degradation keeps the layers of these ranks' joined
        tap_ok '... and those of others, which its ratios are not joined with' apart
    else tap_skip 'no jq'; fi
else
    tap_skip "no $programs/mpi_layers or no $programs/mpi_degradation"
fi

# ---- the automaton ---------------------------------------------------------------------------------------------------

# What ranks compute is timed on this machine, whoever else wants it; the wire is so slow that it is seen all the same.
# Parts of 16 MiB: the hosts are turns of one CPU, and small ones would stay in its caches only where there is one.
star() {    # NAME BANDWIDTH LATENCY: hosts around a switch
    cat >"$dir/$1.xml" <<END
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="star" prefix="s" suffix="" radical="0-7" speed="5Gf" bw="$2" lat="$3"/></platform>
END
}
star slow 500kBps 20us
star fast 12.5GBps 1us
scaling() {    # PLATFORM
    SMPI_COMPUTE=yes SMPI_CLOCK=1e-8 smpi "$1" "$(each s 8)" mpi_automaton --rows 2048 --columns 2048 \
        --iterations 2 --trials 3 --budget 600 --variations base,double,elongated
}
efficiency() { awk '$1 == "base" && $2 == 8 { print $6 }' "$dir/out"; }
limit() { grep -q "^more workers run into: *$1" "$dir/out" || told; }
unlimited() { limit . && ! limit "$1" >/dev/null || told; }
# Rates of one worker by base and by rows twice as long differ where a neighbour came between: then it is asked again.
steady() {
    awk '$2 == 1 && ($1 == "base" || $1 == "elongated") { rate[n++] = $3 }
        END { exit !(rate[0] < 1.05 * rate[1] && rate[1] < 1.05 * rate[0]) }' "$dir/out"
}
on_fast() {
    tap_ok 'automaton on 8 hosts of a fast one' scaling fast
    tap_timed '... whose edges do not limit it' unlimited 'bytes traded at the edges'
    tap_timed '... scales better' \
        awk -v fast="$(efficiency)" -v slow="$slowly" 'BEGIN { exit !(fast > slow && slow > 0) }'
    steady || tap_unsure=1
}
if [ -x "$programs/mpi_automaton" ]; then
    tap_ok 'automaton on 8 hosts of a slow network' scaling slow
    tap_ok '... the bytes at its edges limit it' limit 'bytes traded at the edges'
    slowly=$(efficiency)
    tap_ask on_fast
else
    tap_skip "no $programs/mpi_automaton"
fi

tap_done

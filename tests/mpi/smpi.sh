#!/usr/bin/env bash
# servet_mpi.h on modelled networks in SimGrid's virtual time, where the answers are known (TAP).
#
# No test of a network is worth more than the network: each platform is first looked at by a program that knows
# nothing of servet.  SMPI_RANKS=n leaves out what has more ranks.
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
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT

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
# SMPI_PRIVATIZATION=no: one copy of global variables for all ranks, of a program that writes none.
smpi() {    # PLATFORM "HOST*RANKS ..." PROGRAM ARGUMENT...
    local platform=$1 hosts=$2 program=$3; shift 3
    hosts "$hosts" >"$dir/hosts"
    timeout -k 1 "${SMPI_SECONDS:-60}" env TMPDIR="$dir" smpirun -np "$(wc -l <"$dir/hosts")" \
        -platform "$dir/$platform.xml" -hostfile "$dir/hosts" --log=root.thresh:critical --cfg=smpi/tmpdir:"$dir" \
        --cfg=smpi/host-speed:5Gf --cfg=smpi/simulate-computation:no --cfg=network/crosstraffic:0 \
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

tap_ok 'plain MPI on a ring of 16' smpi ring "$(each t 16)" plain shift 32000000
tap_ok '... a distance of D takes D times as long' holds shift 'near($3, $2, .001)' 8
tap_ok 'plain MPI from a node with one link' smpi racks 'a0*4 a1*4' plain share 32000000
tap_ok '... K processes take K times as long' holds share 'near($3, $2, .001)' 4
tap_ok 'plain MPI on two racks' smpi racks 'a0*2 a1*2 b0*2 b1*2' plain pairs 8
tap_ok '... three times and no other' is "$(say pair 5 %.2f)" '4 0.41 8 4.06 16 24.30'
tap_ok 'plain MPI on two nodes of Finis Terrae' smpi finis 'f0*2 f1*2' plain pairs 32768
tap_ok '... between nodes twice as long as within' holds pair 'near($5, ($2 < 2) == ($3 < 2) ? 27.0 : 52.8, .005)' 6
tap_ok 'plain MPI on four nodes of Finis Terrae' smpi finis "$(each f 4 16)" plain load 0 32 1 32768
tap_ok '... 7 times as long with 31 others' holds load 'near($3, 52.8 * (1 + ($2 - 1) * 6 / 31), .005)' 32

tap_done

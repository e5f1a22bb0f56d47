#!/usr/bin/env bash
# servet_mpi.h on real sockets: Open MPI on several hosts of this machine (tests/mpi/hosts), with links of known rates
# (TAP).  SOCKETS_RUNS=n asks each question n times, and all answers must be right, whoever else wants the CPUs.
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash

programs=$PWD/build/mpi/openmpi
if ! why=$(tests/mpi/hosts --able 2>&1) || [ ! -x "$programs/network" ]; then
    echo "1..0 # SKIP ${why:-no $programs/network: make all builds it}"
    echo "# $0: skipped: ${why:-no $programs/network: make all builds it}" >&2
    exit 0
fi
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT

run() {    # hosts' options and the program: the output in $dir/out; the status is that of all ranks, and no error but
           # that ranks were late (-13) or disagreed (-5)
    timeout -k 2 "${SOCKETS_SECONDS:-1200}" tests/mpi/hosts "$@" >"$dir/out" 2>"$dir/err" || told &&
        holds status '($2 >= 0 || $2 == -13 || $2 == -5) && $3 == 1'
}
answered() { holds status '$2 >= 0' && holds "$@"; }
told() { head -n 16 "$dir/out" "$dir/err"; return 1; }
holds() {  # WORD CONDITION [COUNT]: of all lines that begin with the word, and there is one, or are COUNT of them
    awk -v word="$1" -v want="${3:-0}" '
        function abs(x) { return x < 0 ? -x : x }
        $1 == word { seen++; if (!('"$2"')) { print "not so: " $0; bad = 1 } }
        END { if (!seen || (want && seen != want)) { print seen + 0 " lines of " word; bad = 1 }; exit bad }
        ' "$dir/out" || told
}
groups() { awk -v layer="$1" '$1 == "group" && $2 == layer { $1 = $2 = ""; print }' "$dir/out" | xargs; }
is() { [ "$1" = "$2" ] || { echo "is: $1"; echo "wanted: $2"; told; }; }

left() {
    ip -o link | cut -d: -f2
    ip netns 2>/dev/null
    find /dev/shm -name 'hosts*' -o -name '*.n[0-9]*'
    cut -d' ' -f2 /proc/mounts
    cat /etc/hosts
}
before=$(left)
racks=(--hosts 4 --slots 2 --racks 2 --link 1gbit --uplink 200mbit --delay 100)
layers=("${racks[@]}" "$programs/network" parts=layers budget_s=12)
shares=(--hosts 2 --slots 4 --link 100mbit "$programs/network" parts=access ratio_bytes=1e6 budget_s=8)
ring=(--hosts 8 --ring --link 100mbit "$programs/network" parts=distance ratio_bytes=2e6 budget_s=15)

# Links are slow because this machine's CPUs make them so, and each rank is to have its turn: with others on the CPUs it
# is them that is measured.
layers() {
    tap_ok '4 hosts with 2 ranks each in 2 racks' run "${layers[@]}"
    tap_timed '... three layers: hosts, racks, all' answered layers '$2 == 2 && $3 == 0'
    tap_timed '... hosts' is "$(groups 0)" '0 0 1 1 2 2 3 3'
    tap_timed '... racks' is "$(groups 1)" '0 0 0 0 1 1 1 1'
    tap_timed '... at no more than the rate of the links, 125 and 25 MB/s, and more than half of it' \
        holds layer '$2 == 0 || ($10 > ($2 == 1 ? 62 : 12) && $10 < ($2 == 1 ? 125 : 25))' 3
}
shares() {
    tap_ok '2 hosts with 4 ranks each and one link' run "${shares[@]}"
    tap_timed '... bandwidth of each is 1 .50 .33 .25 of one alone, within .06' \
        answered share 'abs(1 / $3 - 1 / $2) < .06' 4
    # Who comes first has more than its part of a link for a while: asked again where an interval reaches the bound.
    holds share '$5 <= 1.25 * $4 && (abs(1 / $3 - 1 / $2) < .06 || 1 / $5 - 1 / $2 > .06 || 1 / $2 - 1 / $4 > .06)' \
        >/dev/null || tap_unsure=1
}
ring() {
    tap_ok 'a ring of 8 hosts' run "${ring[@]}"
    # Who shares a link has more than its part for a while and ends early: means are above 1/2, the more the shorter the
    # message, and the least of three messages, of which ratios are, further: 1.6 to 1.9 for a distance of 2.
    tap_timed '... bandwidth by distance is 1 .50 .33 .25, within a fifth' \
        answered dist '($2 == 1 ? (one = $6) : 1) && abs($6 / one * $2 - 1) < .2' 4
    tap_timed '... ratios are 1 2 3 4, within a quarter' holds dist 'abs($3 / $2 - 1) < .25' 4
    holds dist '$5 <= 1.25 * $4' >/dev/null || tap_unsure=1
    tap_timed '... the shape is a ring (2)' holds shape '$2 == 2'
}
scaling() {    # 8 KiB an iteration to either side at 12.5 MB/s, beside cells for a third of a millisecond
    tap_ok 'the automaton on 2 hosts' scaled
    tap_timed '... the bytes at its edges limit it' limited
}
scaled() {
    timeout -k 2 "${SOCKETS_SECONDS:-1200}" tests/mpi/hosts --hosts 2 --slots 1 --link 100mbit \
        "$programs/mpi_automaton" --rows 512 --columns 2048 --trials 5 --budget 8 \
        --variations base,double,elongated,near,cells >"$dir/out" 2>"$dir/err" || told
}
suite() {    # one of four cables is five times slower: that host is named
    tap_ok 'the suite on 4 hosts, the cable of one slow' suited
    tap_timed '... that host is named' grep -q '^n2 differs:.* bytes/s to other nodes' "$dir/out"
    tap_ok '... and kept, with all of them' [ "$(grep -c '^{"name":"n[0-3]"' "$dir/suite.json")" = 4 ]
}
suited() {
    timeout -k 2 "${SOCKETS_SECONDS:-1200}" tests/mpi/hosts --hosts 4 --link 100mbit --slow 2,20mbit \
        "$programs/mpi_suite" --wires-only --budget 2 -o "$dir/suite.json" >"$dir/out" 2>"$dir/err"
    [ $? = 0 ] || grep -q '^n[0-9] differs:' "$dir/out" || told
}
# Ranks of a node on its last CPU first: they are spread in the order of CPUs, and recorded in that of ranks.
degraded() {
    timeout -k 2 "${SOCKETS_SECONDS:-1200}" tests/mpi/hosts --hosts 2 --slots 2 sh -c \
        'test $((OMPI_COMM_WORLD_RANK % 2)) = 1 || shift; cpu=$1; while [ "$1" != -- ]; do shift; done; shift
         exec taskset -c $cpu "$@"' sh "${cpus[@]:0:2}" -- \
        "$programs/mpi_degradation" --bytes 10000 --budget 30 -o "$dir/spread.json" >"$dir/out" 2>"$dir/err" &&
        grep -q "^n0, near ranks beside each other: 1:${cpus[0]} 0:${cpus[1]}\$" "$dir/out" || { told; return 1; }
    is "$(jq -c '.network | [.host, .cpu_plus_1, .access_ratio.processes]' "$dir/spread.json")" \
        "[[0,0,1,1],[$((cpus[1] + 1)),$((cpus[0] + 1)),$((cpus[1] + 1)),$((cpus[0] + 1))],[1,2]]"
}
cpus=($(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status | tr , '\n' | awk -F- '{
    for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }'))
limited() { grep -q '^more workers run into: *bytes traded' "$dir/out" || told; }
[ -z "${SOCKETS_RUNS:-}" ] || tap_crowded=101
for ((i = 0; i < ${SOCKETS_RUNS:-1}; i++)); do
    for question in layers shares ring scaling suite; do tap_ask $question; done
done
if tap_have jq && tap_have taskset && [ "${#cpus[@]}" -gt 1 ]; then
    tap_ok 'degradation: processes of a node by the CPUs they are bound to' degraded
else tap_skip 'no jq, no taskset or one CPU: no rank is bound'; fi

# What could be left behind; and what a run leaves that is killed.
{ timeout -s KILL 2 tests/mpi/hosts --hosts 2 sleep 30; } >/dev/null 2>&1
processes() { pgrep -f 'mpi/hosts --hosts|hosts --agent|build/mpi/wire ' || true; }
for ((tries = 0; tries < 600; tries++)); do
    if [ "$(left)" = "$before" ] && [ -z "$(processes)" ]; then break; fi
    sleep 0.1
done
tap_ok 'nothing is left' is "$(left)" "$before"
tap_ok '... no process either' is "$(processes)" ''

tap_done

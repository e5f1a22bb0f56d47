#!/usr/bin/env bash
# What a user reads and asks: the report, help, nearest words, differences, CSV, the suite in one run (TAP).
# $SERVET: the command to test.
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}" 2>/dev/null)
if [ ! -x "$servet" ]; then
    echo "1..0 # SKIP no ${SERVET:-build/servet}: make examples builds it"
    echo "# $0: skipped: no ${SERVET:-build/servet}" >&2
    exit 0
fi
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
unset SERVET_PROFILE
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C

hang=${CLI_SECONDS:-300}
run() {
    timeout -k 1 "$hang" "$servet" "$@" >out 2>err </dev/null
    code=$?
}
told() { echo "exit $code"; head -n 5 err out; return 1; }
done_() { run "$@"; [ $code = 0 ] && [ ! -s err ] || told; }
refused() {    # words of the one line, then arguments
    local words=$1; shift
    run "$@"
    [ $code = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "^servet: .*$words" err || told
}
json() { if tap_have jq; then jq -e "$@" >/dev/null || { echo "jq: $*"; return 1; }; fi; }
narrow() { ! awk 'length > 80' out | grep .; }

# ---- two machines ------------------------------------------------------------------------------------

# $1: bytes of the third level and its interval; $2: CPUs; $3: how the latency of memory differs
machine() {
    awk -v third="$1" -v n="$2" -v memory="${3:-100}" '
        function cache(bytes, lo, hi, ns, method) {
            return sprintf("{\"bytes\":%d,\"lo_bytes\":%d,\"hi_bytes\":%d,\"latency_ns\":%g,", bytes, lo, hi, ns) \
                   sprintf("\"lo_ns\":%g,\"hi_ns\":%g,\"method\":\"%s\"}", ns * 0.99, ns * 1.01, method)
        }
        BEGIN {
            split(third, l3, " ")
            printf "{\"servet\":1,\"made\":{\"seconds\":3,\"noisy_frac\":0.02},"
            printf "\"host\":{\"cpu_model\":\"A CPU\",\"cpu_count\":%d,\"cpus\":\"0-%d\",\"page_bytes\":4096,", n, n - 1
            printf "\"memory_bytes\":8589934592,\"reports\":[{\"source\":\"sysfs\",\"level\":1,\"bytes\":32768},"
            printf "{\"source\":\"sysfs\",\"level\":2,\"bytes\":524288}]},\"caches\":["
            printf "%s,", cache(32768, 32768, 32768, 1.25, "count")
            printf "%s,", cache(1048576, 1048576, 1048576, 4.5, "count")
            printf "%s],", cache(l3[1], l3[2], l3[3], 15, "held")
            printf "\"memory\":{\"latency_ns\":%g,\"lo_ns\":%g,\"hi_ns\":%g},", memory, memory * 0.95, memory * 1.05
            printf "\"line\":{\"bytes\":64,\"lo_bytes\":64,\"hi_bytes\":64},"
            printf "\"tlb\":{\"small\":{\"levels\":[{\"entries\":64,\"lo_entries\":64,\"hi_entries\":64,"
            printf "\"penalty_ns\":3,\"lo_ns\":3,\"hi_ns\":3}],\"seen_pages\":4096}},"
            printf "\"cores\":{\"cpus\":["
            for (i = 0; i < n; i++) printf "%s%d", i ? "," : "", i
            printf "],\"latency_ns\":["
            for (i = 1; i < n; i++) {
                printf "%s[", (i > 1) ? "," : ""
                for (k = 0; k < i; k++) printf "%s%.4f", k ? "," : "", int(i / 4) == int(k / 4) ? 50.25 : 120.125
                printf "]"
            }
            printf "]},\"evidence\":{\"curve\":{\"points\":["
            for (i = 0; i <= 64; i++) {
                b = int(4096 * 2 ^ (i / 4))
                ns = b <= 32768 ? 1.25 : b <= 1048576 ? 4.5 : b <= l3[1] ? 15 : memory
                printf "%s{\"bytes\":%d,\"ns\":%.17g,\"lo_ns\":%.17g,\"hi_ns\":%.17g}", i ? "," : "", b, ns + i / 997,
                       ns, ns + 0.1
            }
            print "]}}}"
        }'
}
machine '12582912 10485760 14680064' 2 >a.json
machine '5242880 4194304 6291456' 2 >b.json
machine '11534336 9437184 13631488' 2 112 >near.json
machine '12582912 10485760 14680064' 16 >many.json

# ---- the report --------------------------------------------------------------------------------------

first_lines() {
    done_ show a.json || return
    [ "$(grep -v '^ ' out | head -n 5 | cut -d ' ' -f 1 | xargs)" = 'machine has system use sure' ] \
        && grep -q '^has .*L1 32 KiB, L2 1 MiB, L3 12 MiB; memory 100 ns' out \
        && grep -q '^use .*L1 32 KiB, L2 1 MiB, L3 10 MiB' out \
        && grep -q '^sure .*L1, L2 counted; L3 10 MiB to 14 MiB; 2 % of' out || told
}
tap_ok "report: what there is, what the system says, what to use, how sure: first"   first_lines
claims() {    # sysfs says half of the second level
    jq '.caches[1].system = {"sysfs": {"bytes": 524288, "verdict": "os_wrong"}}' a.json >said.json
    done_ show said.json \
        && grep -q '^system .* nothing of L1 line, there are 64 B; L2 512 KiB, not 1 MiB' out || told
}
if tap_have jq; then tap_ok "report: where the system is wrong"  claims; else tap_skip "report: no jq"; fi
beside() {    # a rate and threads of which others left too little to be sure
    jq '.bandwidth = {"rates": [{"level": 0, "kernel": "load", "vector": "512", "streaming": false, "cpus": 1,
            "bytes": 7e7, "bytes_per_s": 18.7e9, "lo_bytes_per_s": 18.7e9, "hi_bytes_per_s": 18.7e9,
            "allocate_bytes_per_s": 18.7e9, "samples": 2, "noisy": 2}]}
        | .contention = {"cpus": [0, 1], "reference_bytes_per_s": 5e9, "pairs": 1, "levels": [],
            "layers": [{"groups": [[0, 1]]}], "domains": [{"layer": 0, "group": 0, "cpus": 2, "parent": -1,
            "bytes_per_s": 1e10}], "scaling": [{"domain": 0, "cpus": 2, "enough": 1, "lo_enough": 1, "hi_enough": 2,
            "best_bytes_per_s": 1e10}]}' a.json >beside.json
    done_ show beside.json && grep -q '^memory .* >18\.7 ' out \
        && tr -s ' \n' ' ' <out | grep -q '; 1 to 2 threads saturate memory' || told || return
    jq '.bandwidth.rates[0].noisy = 1 | .contention.scaling[0].hi_enough = 1' beside.json >surer.json
    done_ show surer.json && grep -q '^memory .*  18\.7 ' out \
        && tr -s ' \n' ' ' <out | grep -q '; 1 thread saturates memory' || told
}
if tap_have jq; then tap_ok "report: what others leave unsure" beside; else tap_skip "report: no jq"; fi
lessened() {    # a claim that is right, of a level of which others mostly leave a quarter
    jq --argjson usual "$1" '.host.reports = [{"level": 3, "source": "sysfs", "bytes": 33554432, "shared_cpus": 2}]
        | .caches = [{"level": 1, "bytes": 32768, "lo_bytes": 32768, "hi_bytes": 32768, "method": "counted"},
            {"level": 2, "bytes": 524288, "lo_bytes": 524288, "hi_bytes": 524288, "method": "counted"},
            {"level": 3, "bytes": 22e6, "lo_bytes": 7.5e6, "hi_bytes": 44e6, "method": "held", "effective": true,
             "usual_bytes": $usual, "system": {"sysfs": {"bytes": 33554432, "verdict": "agree"}}}]' a.json >held.json
    done_ show held.json
}
lessened_use() {
    lessened 8388608 \
        && tr -s ' \n' ' ' <out | grep -q 'L3 32 MiB as the system says, of which others mostly leave 8 MiB (' \
        && lessened 20e6 && tr -s ' \n' ' ' <out | grep -q 'L3 32 MiB as the system says\( (\|;\)' || told
}
if tap_have jq; then tap_ok "report: what others mostly leave" lessened_use; else tap_skip "report: no jq"; fi
is_narrow() { done_ show "$@" && narrow && [ "$(wc -l <out)" -gt 10 ] || told; }
for p in a b near many; do tap_ok "report: $p: 80 columns"   is_narrow --plot $p.json; done
profiles() {
    local p
    for p in "$OLDPWD"/tests/data/profiles/*.json; do
        run show --plot "$p"
        [ $code = 0 ] && [ ! -s err ] && narrow || { echo "$p"; told; return 1; }
    done
}
tap_ok "report: guests that were kept: 80 columns"  profiles
draws() {
    done_ show --plot a.json && grep -q '^ns of a load by how much' out && [ "$(grep -c 'o' out)" -gt 10 ] \
        && grep -q '^ *4 KiB  *64 KiB  *1 MiB  *16 MiB  *256 MiB$' out || told || return
    done_ show a.json && ! grep -q '^ns of a load by how much' out || told
}
tap_ok "report: the curve where it is asked for, or looked at"    draws
on_terminal() {
    TERM=dumb timeout "$hang" script -qec "$servet show a.json" /dev/null >out 2>err </dev/null
    code=$?
    grep -q '^ns of a load by how much' out || told || return
    XDG_CACHE_HOME=$dir/seen timeout "$hang" script -qec "$servet run --budget 0.3" /dev/null >out 2>err </dev/null
    code=$?
    grep -q 'measuring: *[0-9]* %, *[0-9.]* s left' out && tr '\r' '\n' <out | grep -q '^machine' || told
}
if tap_have script; then tap_ok "report: on a terminal it is drawn, and a run says how far it is"  on_terminal
else tap_skip "report: no script, which makes a terminal"; fi

# ---- help --------------------------------------------------------------------------------------------

commands=$("$servet" help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
explained() {
    done_ help "$1" && narrow && head -n 1 out | grep -q "^usage: servet $1 " \
        && grep -q "^example: .*servet $1" out || told || return
    cp out help.txt
    done_ "$1" --help && cmp -s out help.txt || told
}
all_known() {    # of each command: options that its usage names are not unknown to it
    local o
    done_ help && narrow && [ "$(wc -w <<<"$commands")" -gt 9 ] || told || return
    for o in $(done_ help "$1" && sed -n '/^usage/,/^[a-z]/p' out | grep -o -- '--[a-z]*'); do
        run "$1" "$o" --nonsense
        [ $code -le 2 ] && ! grep -q "unknown argument \"$o\"" err || { echo "$1 $o"; told; return 1; }
    done
}
for c in $commands; do
    tap_ok "help: $c, with an example"            explained "$c"
    tap_ok "help: $c: it takes the options named" all_known "$c"
done
tap_ok "help: a command that is not there" refused '"mapp"; did you mean map?'  help mapp
tap_ok "help: of two"                      refused 'unknown argument "fit"'     help map fit
for words in "shwo:show" "runn:run" "chek:check" "laers:layers" "dif:diff" "xport:export"; do
    tap_ok "nearest: ${words%:*}"          refused "did you mean ${words#*:}?"  "${words%:*}"
done
tap_ok "nearest: of an option"             refused 'did you mean --budget?'     run --bugdet 3
tap_ok "nearest: of an option with dashes" refused 'did you mean --pattern?'    map --patern ring
tap_ok "nearest: of a part"                refused 'did you mean coherence?'    run --only coherense
tap_ok "nearest: of a form"                refused 'did you mean openmpi?'      map --format openpmi
tap_ok "nearest: of a pattern"             refused 'did you mean ring?'         map --pattern rnig
tap_ok "nearest: of a section"             refused 'did you mean prefetched?'   show --csv prefeched a.json
far_off() { refused '"zzzzzz"' zzzzzz && ! grep -q 'did you mean' err || told; }
tap_ok "nearest: of what is near to nothing there is none"   far_off

# ---- diff --------------------------------------------------------------------------------------------

alike() { done_ diff "$@" && [ "$(wc -l <out)" -le 2 ] && grep -q ' 0 beyond both intervals' out || told; }
tap_ok "diff: a profile and itself"        alike a.json a.json
changed() {
    run diff a.json b.json
    [ $code = 1 ] && [ ! -s err ] \
        && grep -q '^L3 12 MiB -> 5 MiB: beyond both intervals, .10 MiB, 14 MiB. and .4 MiB' out \
        && [ "$(grep -c '>' out)" = 1 ] && narrow || told
}
tap_ok "diff: what is beyond both intervals is told: exit 1"   changed
overlap() {    # memory: 95 to 105 and 106.4 to 117.6; L3: 10 to 14 and 9 to 13
    run diff a.json near.json
    [ $code = 1 ] && grep -q '^memory latency 100 ns -> 112 ns: beyond both' out && ! grep -q '^L3' out \
        || told || return
    machine '11534336 9437184 13631488' 2 106 >one.json
    done_ diff a.json one.json && [ "$(wc -l <out)" -le 2 ] \
        && grep -q ' 0 beyond both intervals, 1 beyond one' out || told || return
    done_ diff --all a.json one.json && grep -q '^memory latency 100 ns -> 106 ns: beyond one' out || told
}
tap_ok "diff: what is beyond one of them is not: exit 0"       overlap
tap_ok "diff: nor what is less than was asked for"             alike --least 15 a.json near.json
bare() {    # a time of one sample
    jq '.memory.lo_ns = 112 | .memory.hi_ns = 112' near.json >bare.json
    done_ diff a.json bare.json && grep -q ' 0 beyond both intervals' out \
        && xargs <out | grep -q '1 differ without' || told || return
    done_ diff --all a.json bare.json && grep -q '^memory latency 100 ns -> 112 ns: without an interval' out || told
}
if tap_have jq; then tap_ok "diff: nor what has no interval"   bare; else tap_skip "diff: no jq"; fi
in_one() {
    jq 'del(.caches[2], .tlb)' a.json >fewer.json
    done_ diff a.json fewer.json && grep -q '^L3 12 MiB: in A alone' out \
        && grep -q '^TLB 1 of .*: in A alone' out || told || return
    done_ diff fewer.json a.json && grep -q '^L3 12 MiB: in B alone' out || told || return
    echo '{"servet": 1}' >nothing.json
    done_ diff a.json nothing.json && grep -q 'nothing was measured in both' out || told
}
if tap_have jq; then tap_ok "diff: what is in one of them alone is told: exit 0"  in_one
else tap_skip "diff: no jq"; fi
machines() { run diff a.json many.json; grep -q '^CPUs usable: 0-1 -> 0-15' out || told; }
tap_ok "diff: of two machines"             machines
network() {    # ns of a small message, and its interval; ratNC of two processes
    printf '{"servet":1,"network":{"ranks":2,"hosts":["a","b"],"host":[0,1],"outermost":{"pairs":1,"small_ns":%s,' "$1"
    printf '"small_lo_ns":%s,"small_hi_ns":%s},"access_ratio":{"processes":[1,2],"ratio":[1,%s],' "$2" "$3" "$4"
    printf '"lo_ratio":[1,%s],"hi_ratio":[1,%s]}}}\n' "$5" "$6"
}
networks() {
    network 1500 1450 1560 1.5 1.4 1.6 >first.json
    network 3000 2900 3100 1.55 1.45 1.65 >second.json
    run diff first.json second.json
    [ $code = 1 ] && grep -q '^ranks, all pairs: small messages 1500 ns -> 3000 ns: beyond both' out \
        && [ "$(grep -c '>' out)" = 1 ] || told || return
    alike first.json first.json && done_ show --csv access first.json && even \
        && sed -n 3p out | grep -q '^2,[0-9]*,,,,1.5,1.4,1.6,' || told
}
from_stdin() {
    timeout "$hang" "$servet" diff - a.json <a.json >out 2>err
    code=$?
    [ $code = 0 ] && [ ! -s err ] || told
}
tap_ok "diff: from standard input"         from_stdin
tap_ok "diff: one file"                    refused 'needs two profiles'         diff a.json
tap_ok "diff: three"                       refused 'unknown argument "b.json"'  diff a.json a.json b.json
tap_ok "diff: twice standard input"        refused 'cannot be standard input'   diff - -
tap_ok "diff: no such file"                refused 'none.json: No such'         diff a.json none.json
head -c 300 a.json >half.json
tap_ok "diff: half a file"                 refused 'half.json: .*line'          diff half.json a.json
tap_ok "diff: --least of nothing"          refused '--least needs'              diff a.json b.json --least

# ---- CSV ---------------------------------------------------------------------------------------------

even() {    # as many values in each line; what stands between quotes is one
    awk -F, '{ gsub(/"[^"]*"/, "-") } NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 2 }' out
}
sections() {    # as many lines as the list says, with a value for each name
    local name lines
    done_ show --csv "$1" && cp out list.csv && [ "$(head -n 1 list.csv)" = section,lines,about ] || told || return
    while IFS=, read -r name lines _; do
        done_ show --csv "$name" "$1" && even && [ "$(wc -l <out)" = $((lines + 1)) ] \
            || { echo "$name"; told; return 1; }
    done < <(tail -n +2 list.csv)
}
tap_ok "csv: what is listed is there, a value for each name"   sections many.json
guests() { local p; for p in "$OLDPWD"/tests/data/profiles/*-0[1-5].json; do sections "$p" || return 1; done; }
tap_ok "csv: of guests, too"                                   guests
same_numbers() {    # to the last digit
    done_ show --csv curve a.json && [ "$(head -n 1 out)" = bytes,ns,lo_ns,hi_ns,samples,disturbed ] || told || return
    tail -n +2 out | jq -sR '[split("\n")[:-1][] | split(",") | map(tonumber? // null) | .[0:4]]' >told.json
    json --slurpfile a a.json '. == [$a[0].evidence.curve.points[] | [.bytes, .ns, .lo_ns, .hi_ns]]' told.json || told
}
if tap_have jq; then tap_ok "csv: numbers survive to the last digit"   same_numbers; else tap_skip "csv: no jq"; fi
pairs() { done_ show --csv pairs many.json && [ "$(wc -l <out)" = 121 ] && grep -q '^0,1,50.25,' out || told; }
tap_ok "csv: every pair of CPUs"           pairs
fits() { done_ show --csv curve a.json && cp out curve.csv && done_ fit curve.csv && json '.levels | length >= 2' out; }
tap_ok "csv: a curve goes back into fit"   fits
missing() {    # what is not known is an empty field
    done_ show --csv caches a.json && sed -n 2p out | grep -q '^1,32768,32768,32768,[0-9]*,,1.25,' || told
}
tap_ok "csv: what is not known is empty"   missing
nothing() {
    run show --csv automaton a.json
    [ $code = 1 ] && [ "$(wc -l <out)" = 1 ] && grep -q 'of automaton nothing was measured' err || told
}
tap_ok "diff, csv: networks"               networks
tap_ok "csv: a section without data: its names, exit 1"        nothing
tap_ok "csv: no such section"              refused 'no section is named "curves"; did you mean curve?' show --csv curves
tap_ok "csv: no such file"                 refused 'none.json: No such'         show --csv curve none.json
tap_ok "csv: two files"                    refused 'unknown argument "b.json"'  show --csv curve a.json b.json

# ---- the suite in one run ----------------------------------------------------------------------------

# Ended as soon as there is anything.
planned() {
    local t
    for t in 1 2 4 8 16 32 64; do
        timeout --preserve-status -s INT -k "$hang" $t "$servet" run -o plan.json >out 2>err </dev/null
        code=$?
        [ $code = 0 ] || continue
        json '(.made.budget_s | . > 10 and . <= 20) and .made.parts
              == ["caches","tlb","prefetched","bandwidth","cores","coherence","survival"]' plan.json || told
        return
    done
    told
}
tap_ok "run: without options all but the automaton, in 20 s at most"    planned
costs() {    # the parts make the whole
    done_ run --budget 7 -o seven.json && narrow || told || return
    json '.made.parts == ["caches","tlb","bandwidth","cores","coherence"]' seven.json || return
    awk '/^what it cost/ { on = 1; next } /^in all/ { all = $3; on = 0 } on { sum += $NF; parts++ }
         END { exit !(parts >= 4 && sum > 0.98 * all && sum < 1.02 * all) }' out || told
}
if [ "$(nproc)" -gt 1 ]; then tap_ok "run: in 7 s what is asked for most, and what each part of it took"   costs
else tap_skip "run: what it cost: one CPU"; fi
one() {
    done_ run --budget 3 --cpus "$cpu" -o one.json && narrow && grep -q '^what it cost' out \
        && json '.made.parts == ["caches","tlb"]' one.json || told
}
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
if [ -n "$cpu" ]; then tap_ok "run: in 3 s caches and TLBs, of the CPU that is named"  one
else tap_skip "run: on one CPU: no taskset"; fi
tiny() {    # what there is, or that there is nothing
    run run --budget 0.01 -o tiny.json
    if [ $code = 1 ]; then grep -q '^servet: cannot measure' err || told
    else [ $code = 0 ] && grep -q '^machine' out || told; fi
}
tap_ok "run: in 10 ms"                     tiny
ahead() {
    done_ run --only prefetched --budget 1 -o ahead.json && grep -q '^prefetched: ' out && grep -q ' ns in ' out \
        && ! grep -q 'no cache level' out && done_ show --csv prefetched ahead.json && even || told
}
tap_ok "run: --only prefetched says what it measured"   ahead
words_kept() { done_ run --only survival --budget 1 -o kept.json && json '.made.parts | index("survival")' kept.json; }
tap_ok "run: survival is among the parts in the file"   words_kept

tap_done

#!/usr/bin/env bash
# servet paper on this machine: every item of every work ends with a table or says what it lacks (TAP).  What the
# algorithms conclude is tested on published numbers in levels_paper.c.
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}" 2>/dev/null)
if [ ! -x "$servet" ]; then
    echo "1..0 # SKIP no ${SERVET:-build/servet}: make examples builds it"
    echo "# $0: skipped: no ${SERVET:-build/servet}" >&2
    exit 0
fi
profiles=$PWD/tests/data/profiles
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
mkdir cache
unset SERVET_PROFILE
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C

run() {
    timeout -k 1 300 "$@" >out 2>err </dev/null
    code=$?
}
# Nothing on standard error but that the profile had to be measured first.
silent() { ! grep -v '^servet: no saved profile' err | grep .; }
told() { echo "exit $code"; head -n 5 err out; return 1; }

# ---- what there is --------------------------------------------------------------------------------

works="servet-2010 servet-3 pray mn5 clue"
run "$servet" paper
cp out list
listed() { [ "$code" = 0 ] && [ ! -s err ] && [ "$(grep -c '^[a-z0-9-]* - ' list)" = 5 ] || told; }
tap_ok "the list has five works"                    listed
within() { ! awk '/^  / && length > 80' list | grep .; }
tap_ok "items are told in 80 columns"               within
items() { awk -v work="$1" '/^[a-z0-9-]* - /{ on = $1 == work } on && /^  [a-z]/{ print $1 }' list; }

refused() {    # words of the reason, arguments
    local words=$1; shift
    run "$servet" paper "$@"
    [ "$code" = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "^servet: paper: .*($words)" err || told
}
tap_ok "a work that is none: the nearest is named"  refused 'did you mean servet-2010.' servet2010
tap_ok "an item that is none: so is that"           refused 'did you mean fig10a.' servet-2010 fig10
tap_ok "an unknown option"                          refused 'unknown argument "--bar"' mn5 --bar
tap_ok "one argument too many"                      refused 'unknown argument "more"' mn5 fig2 more
tap_ok "--csv is of an item"                        refused 'name it' mn5 --csv
tap_ok "--svg needs a file"                         refused 'needs a file' mn5 fig2 --svg
unwritten() {    # told before 20 s of measuring
    run "$servet" paper mn5 fig5 --svg none/x
    [ "$code" = 2 ] && [ ! -s out ] &&
        [ "$(cat err)" = 'servet: none/x: cannot be written: No such file or directory' ] || told
}
tap_ok "--svg where nothing can be made"            unwritten
tap_ok "both on standard output"                    refused 'both' mn5 fig2 --csv --svg -
unread() {
    run "$servet" paper servet-3 fig3 --profile nowhere
    [ "$code" = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q '^servet: nowhere: No such file' err || told
}
tap_ok "--profile of no file"                       unread

# ---- between ranks: a profile with a network --------------------------------------------------------

# Eight ranks on two hosts: 5 us within them, 10 between; ratDist and ratNC as the distance and the processes.
awk 'function message(ns) {
         return sprintf("{\"median_ns\":%g,\"lo_ns\":%g,\"hi_ns\":%g,\"min_ns\":%g,\"p10_ns\":%g,\"p90_ns\":%g,"\
                        "\"p99_ns\":%g,\"samples\":10}", ns, ns, ns, ns, ns, ns, ns)
     }
     function row(name, factor,    i) {
         printf ",\n \"%s\": [", name
         for (i = 0; i < n; i++)
             printf "%s%g", i ? "," : "", (int(a[i] / 4) == int(b[i] / 4) ? 5000 : 10000) * factor
         printf "]"
     }
     function list(name, of,    i) {
         printf "%s\"%s\": [", name == "a" ? "" : ",\n ", name
         for (i = 0; i < n; i++) printf "%s%d", i ? "," : "", of[i]
         printf "]"
     }
     BEGIN {
         for (n = i = 0; i < 8; i++) for (k = i + 1; k < 8; k++) { a[n] = i; b[n] = k; one[n++] = 1 }
         print "{\"servet\":1,\"network\":{\"ranks\":8,\"hosts\":[\"near\",\"far\"],\"host\":[0,0,0,0,1,1,1,1],"
         print "\"small_bytes\":8,\"trip_bytes\":32768,\"stream_bytes\":1048576,"
         print "\"layers\":[{\"group\":[0,0,0,0,1,1,1,1],\"groups\":2,\"pairs\":12,\"typical\":[0,1]}],"
         print "\"outermost\":{\"pairs\":16,\"typical\":[0,4]},\"sizes\":["
         for (k = 0; k < 2; k++) for (i = 0; i < 3; i++)
             printf "%s{\"layer\":%d,\"bytes\":%d,\"trip\":%s}", (k || i) ? "," : "", k, 1024 * 16 ^ i,
                    message(1000 * (k + 1) + 102.4 * 16 ^ i)
         print "],\"scaling\":["
         for (k = 0; k < 2; k++) for (i = 1; i <= 4; i *= 2)
             printf "%s{\"layer\":%d,\"ends\":\"apart\",\"at_once\":%d,\"bytes\":32768,\"last\":%s}",
                    (k || i > 1) ? "," : "", k, i, message(5000 * (k + 1) * i)
         print "],\"dist_ratio\":{\"nodes\":8,\"bytes\":33554432,\"distance\":[1,2,4],\"ratio\":[1,2,4],"
         print "\"lo_ratio\":[1,1.9,3.8],\"hi_ratio\":[1,2.1,4.2],\"bytes_per_s\":[4e9,2e9,1e9]},"
         print "\"access_ratio\":{\"constant\":true,\"bytes\":33554432,\"processes\":[1,2,4],\"ratio\":[1,1,3],"
         print "\"lo_ratio\":[1,0.9,2.8],\"hi_ratio\":[1,1.1,3.2],\"bytes_per_s\":[4e9,4e9,1.33e9]}},"
         print "\"evidence\":{\"network\":{\"pairs\":{"
         list("a", a); list("b", b); list("at_once", one)
         split("small trip stream", sort, " ")
         for (k = 1; k <= 3; k++) {
             row(sort[k] "_p10_ns", 0.98)
             row(sort[k] "_median_ns", 1)
             row(sort[k] "_lo_ns", 0.99)
             row(sort[k] "_hi_ns", 1.01)
             row(sort[k] "_p90_ns", 1.04)
         }
         print "}}}}"
     }' >net.json
gives() {    # lines of CSV, what some of them are, arguments
    local lines=$1 has=$2 line; shift 2
    run "$servet" paper "$@" --csv --profile net.json
    [ "$code" = 0 ] && [ ! -s err ] && [ "$(wc -l <out)" = "$lines" ] || { told; return; }
    for line in $has; do grep -qx "$line" out || { echo "no line $line"; told; return; }; done
}
tap_ok "Servet, Figure 7: two layers"               gives 3 '0,5,5,5,12,1 1,10,10,10,16,2' servet-2010 fig7
tap_ok "Figure 10(a): of the first rank"            gives 8 '3,5 4,10' servet-2010 fig10a
tap_ok "Figure 10(b): messages at once"             gives 4 '2,10,20 4,20,40' servet-2010 fig10b
tap_ok "Figure 10(c): bandwidth by size"            gives 4 '1024,928[.][0-9]*,487[.][0-9]*' servet-2010 fig10c
tap_ok "Servet 3.0, Figure 3: every distance"       gives 5 '1,4,1,1,1 3,,3,2.85,3.15 4,1,4,3.8,4.2' servet-3 fig3
tap_ok "Figure 4: every number of processes"        gives 5 '2,4,1,0.9,1.1 3,,2,.*' servet-3 fig4
solved() {
    run "$servet" paper servet-3 fig5 --profile net.json
    [ "$code" = 0 ] && grep -q '^row-ordered, as published' out || told
}
tap_ok "Figure 5: row-ordered where distance costs" solved
undrawn() {
    run "$servet" paper servet-3 fig5 --profile net.json --svg none.svg
    [ "$code" = 2 ] && grep -q 'not a figure' err && [ ! -e none.svg ] || told
}
tap_ok "a table cannot be drawn, and no file is made"  undrawn
lacking() {    # what is said to lack, arguments
    local words=$1; shift
    run "$servet" paper "$@"
    [ "$code" = 1 ] && [ ! -s out ] && grep -Eq "^servet: paper: .*($words)" err || told
}
tap_ok "without a network: what measures one"       lacking 'mpirun -n RANKS build/mpi_layers' servet-2010 fig7 \
    --profile "$profiles/turin-quick-1.json"
tap_ok "a profile of another machine is not ours"    lacking 'of another machine' mn5 fig5 \
    --profile "$profiles/turin-quick-1.json"
tap_ok "what another command gives"                 lacking 'servet map -n' servet-3 fig7 --profile net.json
if command -v taskset >/dev/null; then
    one() { run taskset -c "$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)" \
                "$servet" paper pray fig4 --quick
            [ "$code" = 1 ] && [ ! -s out ] && grep -q 'needs two CPUs' err || told; }
    tap_ok "one CPU: an item of two says so"        one
else
    tap_skip "no taskset"
fi

# ---- on this machine ------------------------------------------------------------------------------

"$servet" run --quiet --only caches,tlb,cores,bandwidth,coherence --budget 4 >/dev/null 2>&1
ends() {    # each item of the work has a table behind its heading, or says what it lacks
    local item
    run "$servet" paper "$1" --quick
    [ "$code" -le 1 ] && silent || { told; return; }
    for item in $(items "$1"); do
        awk -v head="$1 $item: " 'index($0, head) == 1 { seen = NR } seen && NR == seen + 1 { first = $0 }
            seen && NR == seen + 2 { second = $0; exit }
            END { exit !(seen && (first ~ /^not to be had here: ./ || (first != "" && second != ""))) }' out \
            || { echo "no $item"; return 1; }
    done
    ! grep -Ewi 'nan|inf' out
}
for work in $works; do tap_ok "$work: every item ends"  ends "$work"; done

# Columns of all lines as many as of the first, and lines at least so many; 1 = it cannot be had, which is said.
shape() {
    local least=$1; shift
    run "$servet" paper "$@" --quick --csv
    [ "$code" = 1 ] && [ ! -s out ] && grep -q '^servet: paper: ' err && return
    [ "$code" = 0 ] && silent && awk -F, -v least="$least" '
        { gsub(/"[^"]*"/, "-") } NR == 1 { n = NF } NF != n { bad = 1 }
        NR > 1 && NF < 2 { bad = 1 } END { exit bad || NR < least }' out || told
}
tap_ok "CSV: the traversal"                         shape 20 servet-2010 fig2a
tap_ok "CSV: levels"                                shape 2 servet-2010 fig4
tap_ok "CSV: bandwidth to caches"                   shape 2 pray table2
tap_ok "CSV: eight kernels by cores"                shape 2 mn5 fig2
tap_ok "CSV: chains"                                shape 33 mn5 fig7
tap_ok "CSV: an automaton by workers"               shape 2 clue table4.2
drawn() {
    echo keep >x.svg
    run "$servet" paper servet-2010 fig2a --quick --svg x.svg
    [ "$code" = 0 ] && silent && grep -q '^<svg' x.svg && tail -n 1 x.svg | grep -q '</svg>' \
        && [ "$(ls x.svg*)" = x.svg ] || told || return
    if command -v xmllint >/dev/null; then xmllint --noout x.svg || return; fi
    run "$servet" paper servet-2010 fig2b --quick --svg -
    [ "$code" = 0 ] && head -n 1 out | grep -q '^<svg' && tail -n 1 out | grep -q '</svg>' || told
}
tap_ok "SVG: whole, to a file and as output"        drawn
prefetched() {
    run "$servet" run --only prefetched -o pre.json
    [ "$code" = 0 ] && grep -q '^prefetched: ' out && ! grep -q 'no cache level' out || told
}
tap_ok "run --only prefetched prints what it measured" prefetched
tap_done

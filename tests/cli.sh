#!/usr/bin/env bash
# The servet command on input, arguments and surroundings of every kind (TAP).  $SERVET: the one to test.
#
# Bad input or usage: exit 2, one line on standard error that names what is wrong, nothing on standard output, and
# no file made or changed.  Where a run must not begin it is given an hour; timeout tells if it did.
# CLI_SECONDS ends what hangs: none of this takes 20 s on a slow core that is busy with two other things.
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}" 2>/dev/null)
records=$(realpath -- tests/data/profiles)
if [ ! -x "$servet" ]; then
    echo "1..0 # SKIP no ${SERVET:-build/servet}: make examples builds it"
    echo "# $0: skipped: no ${SERVET:-build/servet}" >&2
    exit 0
fi
dir=$(mktemp -d) && chmod 755 "$dir" && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
mkdir work cache
unset SERVET_PROFILE
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C

# ---- how a command ended: code, out, err ----------------------------------------------------------

hang=${CLI_SECONDS:-300}
run() {
    timeout -k 1 "$hang" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    code=$?
}
told() { echo "exit $code"; head -n 3 "$dir/err" "$dir/out"; ls work; return 1; }

one_line() { [ "$(wc -l <"$dir/err")" = 1 ] && grep -Eq "^servet: .*($1)" "$dir/err"; }

# Refused as input: a line of its own with the words given (a regular expression), and nothing else at all.
refused() {
    local words=$1 before; shift
    before=$(ls -lR work)
    run "$@"
    [ $code = 2 ] && [ ! -s "$dir/out" ] && one_line "$words" && [ "$before" = "$(ls -lR work)" ] || told
}
# Refused as usage: such a line first; the usage may follow.
misused() {
    local words=$1; shift
    run "$@"
    [ $code = 2 ] && [ ! -s "$dir/out" ] && head -n 1 "$dir/err" | grep -Eq "^servet: .*($words)" \
        && [ "$(grep -c ^servet: "$dir/err")" = 1 ] && [ -z "$(ls work)" ] || told
}
# Done: exit code 0, or 1 where a level may be too much to ask, and silent.
done_() {
    run "$@"
    [ $code -le 1 ] && [ ! -s "$dir/err" ] || told
}
json() {   # the output of the last run: a filter that must hold
    if tap_have jq; then jq -e "$1" "$dir/out" >/dev/null || { cat "$dir/out" "$dir/err"; return 1; }; fi
}
is_profile() { run "$servet" infer "$1"; [ $code -le 1 ] && [ ! -s "$dir/err" ] && json '.servet == 1' || told; }

tap_have jq || tap_skip "no jq: JSON is not looked into"

# ---- fit: curves -----------------------------------------------------------------------------------

# Plateaus of 1, 4 and 20 ns up to 32 KiB and 1 MiB, eight points an octave.
plateaus='function point(b) { print b "," (b <= 32768 ? 1 : b <= 1048576 ? 4 : 20) }'
curve() { awk "$plateaus"' BEGIN { for (i = 0; i <= 104; i++) point(int(1024 * 2 ^ (i / 8))) }'; }
two_levels='(.levels | length == 2 and .[0].lo_bytes <= 32768 and .[0].hi_bytes >= 32768 and .[0].hi_bytes < 40000
            and .[1].lo_bytes <= 1048576 and .[1].hi_bytes >= 1048576
            and .[0].latency_ns == 1 and .[1].latency_ns == 4)'
fits() {   # a curve that must give what the plain one gives
    run "$servet" fit "$@"
    [ $code = 0 ] && [ ! -s "$dir/err" ] && cmp -s "$dir/out" "$dir/plain.json" || told
}
bad() {    # text of a curve as for printf, words of the reason
    printf "$1" >"$dir/bad.csv"
    refused "bad.csv: $2" "$servet" fit "$dir/bad.csv"
}

curve >plain.csv
{ done_ "$servet" fit plain.csv && cp out plain.json; } >/dev/null
tap_ok "fit: two levels of a curve made of three plateaus"     json "$two_levels and (.doubtful == [])"
tap_ok "fit: and the memory behind them"                       json '.memory.latency_ns == 20'
tap_ok "fit: nothing on standard error"                        test ! -s "$dir/err"
(echo bytes,ns; cat plain.csv) >heading.csv
tap_ok "fit: with a heading"                                   fits heading.csv
(echo "# a machine"; echo; echo "bytes,ns"; sed 's/$/,extra/' plain.csv; echo "# end") >comments.csv
tap_ok "fit: with comments, blank lines and more columns"      fits comments.csv
sed 's/$/\r/' heading.csv >crlf.csv
tap_ok "fit: with CR LF"                                       fits crlf.csv
(printf '\357\273\277'; head -n 3 plain.csv) >bom.csv
tap_ok "fit: with a byte order mark, which hides no point"     done_ "$servet" fit bom.csv
tr , ' ' <plain.csv >blank.csv
tap_ok "fit: with blanks for commas"                           fits blank.csv
sed 's/,/ ; /' plain.csv >semicolon.csv
tap_ok "fit: with semicolons"                                  fits semicolon.csv
(echo 'size time'; cat blank.csv) >heading_blank.csv
tap_ok "fit: with a heading between blanks"                    fits heading_blank.csv
(printf 'size (bytes)\ttime (ns)\n'; tr , '\t' <plain.csv) >tabs.csv
tap_ok "fit: with tabs, in the heading too"                    fits tabs.csv
(echo 'size;time'; cat semicolon.csv) >heading_semicolon.csv
tap_ok "fit: with a heading between semicolons"                fits heading_semicolon.csv
printf %s "$(cat plain.csv)" >open.csv
tap_ok "fit: without a last newline"                           fits open.csv
(cat plain.csv; echo; tail -n 1 plain.csv) >twice.csv
tap_ok "fit: with a size twice"                                done_ "$servet" fit twice.csv
piped() {
    timeout "$hang" "$servet" fit - <plain.csv >out 2>err
    code=$?
    [ $code = 0 ] && cmp -s out plain.json || told
}
tap_ok "fit: from standard input"                              piped
for m in model servet; do
    tap_ok "fit: --method $m gives JSON"                       done_ "$servet" fit plain.csv --method $m --page 4096
    tap_ok "fit: with levels, doubts and memory" \
        json '(.levels | type == "array") and has("doubtful") and has("memory")'
    awk 'BEGIN { for (i = 0; i < 40; i++) print 1024 * 2 ^ (i / 4) ",2" }' >flat.csv
    tap_ok "fit: a flat curve has no level ($m)"               done_ "$servet" fit flat.csv --method $m
    tap_ok "fit: and says so"                                  json '.levels == [] and .unresolved == true'
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "%.17g,%d\n", exp(-690 + i * 2.4), 1 + (i > 150) }' >wide.csv
    tap_ok "fit: sizes from 1e-300 to 1e12 do no harm ($m)"    done_ "$servet" fit wide.csv --method $m
    tap_ok "fit: and give JSON"                                json .
done
large() {
    awk "$plateaus"' BEGIN { for (i = 0; i < 1e6; i++) point(1024 + 16 * i) }' >large.csv
    (ulimit -v 200000; timeout "$hang" "$servet" fit large.csv) >out 2>err
    code=$?
    [ $code = 0 ] && [ ! -s err ] && json '.levels | length == 2' || told
}
tap_ok "fit: a million points in 200 MB"                       large
rm -f large.csv

few() {
    printf "$1" >few.csv
    done_ "$servet" fit few.csv && [ $code = 1 ] && json '.levels == [] and .unresolved == true' || told
}
tap_ok "fit: one point is unresolved"                          few '1024,1\n'
tap_ok "fit: two points, too"                                  few '1024,1\n2048,5\n'
tap_ok "fit: and many of one size"                             few "$(yes '4096,2' | head -n 500)"
tap_ok "fit: falling is unresolved"                            few "$(seq 1 40 | awk '{ print $1 * 1024 "," 90 - $1 }')"
spike=$(seq 1 40 | awk '{ print $1 * 1024 "," ($1 == 20 ? 50 : 2) }')
tap_ok "fit: a single spike is no level"                       few "$spike"
odd() {     # sizes that are multiples of nothing, and twice each
    awk "$plateaus"' BEGIN { for (b = 1000.7; b < 9e6; b *= 1.0931) { point(b); point(b) } }' >odd.csv
    done_ "$servet" fit odd.csv && json '.levels | length == 2 and .[0].lo_bytes <= 32768 and .[0].hi_bytes >= 30000
        and .[1].lo_bytes <= 1048576 and .[1].hi_bytes >= 1e6' || told
}
tap_ok "fit: sizes that are multiples of nothing"              odd
extreme() {
    printf '1e-9,1e-9\n1,1e-9\n1024,1\n1e6,1e17\n9e17,9e17\n' >extreme.csv
    done_ "$servet" fit extreme.csv --method model && json .
}
tap_ok "fit: numbers from 1e-9 to 1e18 do no harm"             extreme
long_lines() {
    awk '{ printf "%s,", $0; for (i = 0; i < 3000; i++) printf "%d;", i; print "" }' plain.csv >long.csv
    fits long.csv
}
tap_ok "fit: lines of many columns"                            long_lines
huge() {    # in less memory than two bytes a point
    awk "$plateaus"' BEGIN { for (i = 0; i < 1e7; i++) point(1024 + 2 * i) }' >huge.csv
    (ulimit -v 20000; timeout "$hang" "$servet" fit huge.csv) >out 2>err
    code=$?
    [ $code = 0 ] && [ ! -s err ] && json '.levels | length == 2 and .[0].lo_bytes <= 32768 and .[0].hi_bytes >= 32768
        and .[1].lo_bytes <= 1048576 and .[1].hi_bytes >= 1048576' || told
}
tap_ok "fit: ten million points in 20 MB"                      huge
rm -f huge.csv long.csv

tap_ok "fit: no such file"          refused 'none.csv: No such file'  "$servet" fit none.csv
tap_ok "fit: a directory"           refused 'work: .*directory'       "$servet" fit work
tap_ok "fit: empty"                 bad ''                            'empty|0 points'
tap_ok "fit: only newlines"         bad '\n\n\n'                      'empty|0 points'
tap_ok "fit: only a heading"        bad 'bytes,ns\n'                  'empty|0 points'
tap_ok "fit: only comments"         bad '# a\n# b\n'                  'empty|0 points'
tap_ok "fit: cut off in a line"     bad '1024,1\n2048,1\n4096,\n'     'line 3'
tap_ok "fit: cut off in a size"     bad '1024,1\n2048,1\n40'          'line 3'
tap_ok "fit: words"                 bad '1024,1\n2048,fast\n4096,1\n' 'line 2'
tap_ok "fit: a second heading"      bad 'bytes,ns\nsize,time\n1,1\n2,1\n4,1\n' 'line 2'
tap_ok "fit: a word behind"         bad '1024,1\n2048,1x\n4096,1\n'   'line 2'
tap_ok "fit: negative size"         bad '1024,1\n-2048,1\n4096,1\n'   'line 2'
tap_ok "fit: negative size first"   bad ' -512,1\n2048,1\n4096,1\n8192,1\n' 'line 1'
tap_ok "fit: negative time"         bad '1024,1\n2048,-1\n4096,1\n'   'line 2'
tap_ok "fit: size 0"                bad '0,1\n2048,1\n4096,1\n'       'line 1'
tap_ok "fit: time 0"                bad '1024,0\n2048,1\n4096,1\n'    'line 1'
tap_ok "fit: NaN"                   bad '1024,1\n2048,nan\n4096,1\n'  'line 2'
tap_ok "fit: NaN first"             bad 'nan,1\n1024,1\n2048,1\n4096,1\n' 'line 1'
tap_ok "fit: infinity"              bad '1024,1\n2048,inf\n4096,1\n'  'line 2: a time .* below 1e18: "2048,inf"'
tap_ok "fit: a size of infinity"    bad '1024,1\ninf,1\n4096,1\n'     'line 2: a size .* below 1e18: "inf,1"'
tap_ok "fit: of a bad line 40 characters, none that a terminal obeys" \
    bad '1024,1\n2048,1\n4096,\033[31m\n8192,1\n'                   'line 3: no time after the size: "4096,"'
tap_ok "fit: a decimal comma"        bad '1024;1,5\n2048;1,5\n4096;4,5\n' 'line 1: a comma in the time: "1024;1,5"'
tap_ok "fit: beyond all numbers"    bad '1024,1\n2048,1e999\n4096,1\n' 'line 2'
tap_ok "fit: descending"            bad '1024,1\n4096,1\n2048,1\n'    'line 3'
tap_ok "fit: no comma"              bad '1024\n2048\n4096\n'          'line 1'
tap_ok "fit: a zero byte inside"    bad '1024,1\n2048,1\n4096,1\n\0008192,1\n' 'not a text'
head -c 5000 "$servet" >binary.csv
tap_ok "fit: a program"             refused 'binary.csv: '            "$servet" fit binary.csv
closed() {
    timeout "$hang" "$servet" "$@" - >out 2>err <&-
    code=$?
    [ $code = 2 ] && [ ! -s out ] && one_line 'standard input: ' || told
}
for command in fit layers show check infer; do tap_ok "$command: standard input closed" closed $command; done
endless() {    # what, of which there is no end; in 300 MB
    (ulimit -v 300000; yes "$1" | timeout "$hang" "$servet" "$2" - >out 2>err; exit "${PIPESTATUS[1]}")
    code=$?
    [ $code = 2 ] && [ ! -s out ] && one_line "standard input: larger than $3 MiB" || told
}
tap_ok "layers: a matrix without an end"    endless '1 2 3' layers 64
tap_ok "show: a profile without an end"     endless '{' show 16

# ---- layers: matrices --------------------------------------------------------------------------------

# Four pairs of two cores in two sockets, numbered as they come: 8 ns, 40 ns, 100 ns.
pairs='function cost(i, j) { return i == j ? 0 : i % 4 == j % 4 ? 8 : i % 2 == j % 2 ? 40 : 100 }
       function wobble(i, j) { return cost(i, j) * (1 + 0.02 * sin(1 + 3 * i + 5 * j)) }'
matrix() {   # between values, and whether the lower triangle alone
    awk -v between="$1" -v lower="$2" "$pairs"'
        BEGIN {
            for (i = 0; i < 8; i++)
                for (j = 0; j < (n = lower ? i + 1 : 8); j++)
                    printf "%s%s", wobble(i > j ? i : j, i > j ? j : i), (j + 1 < n ? between : "\n")
        }'
}
two_layers='[.layers[].groups] == [[[0,4],[1,5],[2,6],[3,7]], [[0,2,4,6],[1,3,5,7]]]
    and (.layers[0].latency_ns | . > 7 and . < 9) and (.layers[1].latency_ns | . > 36 and . < 44)
    and (.outermost_ns | . > 95 and . < 105)'
groups() {   # a matrix that must give what the plain one gives
    done_ "$servet" layers "$@" && json "$two_layers" || told
}
wrong() {    # a matrix as printf has it, and the words
    printf "$1" >wrong.csv
    refused "wrong.csv: .*$2" "$servet" layers wrong.csv
}
flat() {     # one group, the machine
    printf "$1" >flat.csv
    done_ "$servet" layers flat.csv && json "[.layers[].groups] == [$2] and .outermost_ns > 0" || told
}
matrix , 0 >matrix.csv
tap_ok "layers: pairs in sockets"                  groups matrix.csv
matrix ' ' 0 >spaces.csv
tap_ok "layers: with blanks for commas"            groups spaces.csv
matrix , 1 >lower.csv
tap_ok "layers: a lower triangle alone"            groups lower.csv
sed 's/,0$/,/; 1s/.*//' lower.csv >blank_lower.csv
tap_ok "layers: with blanks on its diagonal"       groups blank_lower.csv
sed 's/,0$//; 1d' lower.csv >bare.csv
tap_ok "layers: without its diagonal"              groups bare.csv
sed 's/\(^\|,\)0\(,\|$\)/\1\2/' matrix.csv >diagonal.csv
tap_ok "layers: a blank diagonal"                  groups diagonal.csv
sed 's/$/\r/' matrix.csv >crlf.csv
tap_ok "layers: with CR LF"                        groups crlf.csv
{ echo '# a remark'; echo; cat matrix.csv; } >remarks.csv
tap_ok "layers: with remarks and blank lines"      groups remarks.csv
{ printf '\357\273\277'; cat matrix.csv; } >bom.csv
tap_ok "layers: with a byte order mark"            groups bom.csv
head -c -1 matrix.csv >open.csv
tap_ok "layers: without a last newline"            groups open.csv
awk -F, -v OFS=, 'NR == 2 { $8 = "nan" } NR == 8 { $2 = "" } NR == 3 { $6 = "inf" } 1' matrix.csv >holes.csv
tap_ok "layers: with holes, as nan, inf or nothing" groups holes.csv
piped() {
    timeout "$hang" "$servet" layers - <matrix.csv >out 2>err
    code=$?
    [ $code = 0 ] && json "$two_layers" || told
}
tap_ok "layers: from standard input"               piped
scaled() {
    awk -F, -v by="$1" '{ for (i = 1; i <= NF; i++) printf "%.9g%s", $i * by, (i < NF ? "," : "\n") }' \
        matrix.csv >scaled.csv
    done_ "$servet" layers scaled.csv && json '[.layers[].groups | length] == [4, 2]' || told
}
tap_ok "layers: numbers around 1e300"              scaled 1e298
tap_ok "layers: numbers around 1e-300"             scaled 1e-302

nothing() {
    printf '0\n' >one.csv
    done_ "$servet" layers one.csv && [ $code = 1 ] && json '.layers == [] and .unresolved' || told
}
tap_ok "layers: one core"                          nothing
tap_ok "layers: two cores are one group"           flat '0,20\n21,0\n' '[[0,1]]'
tap_ok "layers: alike they are one group"          flat '0 9 9 9\n9 0 9 9\n9 9 0 9\n9 9 9 0\n' '[[0,1,2,3]]'
large() {    # 1024 cores: groups of 16 in two halves; seconds
    awk 'function same(i, j, of) { return int(i / of) == int(j / of) }
        function cost(i, j) { return i == j ? 0 : same(i, j, 16) ? 30 : same(i, j, 512) ? 60 : 110 }
        BEGIN { for (i = 0; i < 1024; i++) for (j = 0; j < 1024; j++)
            printf "%.4g%s", cost(i, j) * (1 + 0.05 * sin(12.9 * i + 78.2 * j)), (j < 1023 ? "," : "\n") }' >large.csv
    timeout "$hang" "$servet" layers large.csv >out 2>err
    code=$?
    [ $code = 0 ] && json '[.layers[].groups | length] == [64, 2]' || told
}
tap_ok "layers: 1024 cores"                        large
rm -f large.csv
tap_ok "layers: no such file"        refused 'none.csv: No such file' "$servet" layers none.csv
tap_ok "layers: a directory"         refused 'work: .*directory'      "$servet" layers work
tap_ok "layers: no file named"       misused 'layers needs a file'    "$servet" layers
tap_ok "layers: two files"           misused 'unknown argument'       "$servet" layers matrix.csv matrix.csv
tap_ok "layers: an option"           misused 'unknown argument'       "$servet" layers --matrix
tap_ok "layers: empty"               wrong '' 'no values'
tap_ok "layers: only newlines"       wrong '\n\n' 'no values'
tap_ok "layers: ragged"              wrong '0,1,2\n1,0\n2,1,0\n' 'line 2'
tap_ok "layers: more columns than lines" wrong '0,1,2\n1,0,2\n' 'not square'
tap_ok "layers: letters"             wrong '0,1\n1,x\n' 'line 2'
tap_ok "layers: a heading"           wrong 'a,b\n0,1\n1,0\n' 'line 1'
tap_ok "layers: numbers of lines and columns" wrong ',0,1,2\n0,0,5,9\n1,5,0,9\n2,9,9,0\n' 'line 1: numbers of columns'
tap_ok "layers: a number and letters" wrong '0,1\n1ns,0\n' 'line 2'
tap_ok "layers: below zero"          wrong '0,-1\n1,0\n' 'line 1'
tap_ok "layers: a blank for a comma" wrong '0,1 2\n1,0,2\n1,1,0\n' 'line 1'
tap_ok "layers: not a text"          wrong '0,1\n1,\000\n' 'not a text'
tap_ok "layers: more cores than it takes" wrong "$(seq -s, 1 1025)\n" 'line 1'

# ---- arguments -------------------------------------------------------------------------------------

for args in "nonsense" "--nonsense" "run --nonsense" "run nonsense" "fit" "fit plain.csv plain.csv" \
            "fit --nonsense plain.csv" "fit plain.csv --method" "fit plain.csv --method guess" \
            "fit plain.csv --page" "fit plain.csv --page 0" \
            "fit plain.csv --page -4096" "fit plain.csv --page abc" "fit plain.csv --page nan" "show --nonsense" \
            "show a b" "check a b" "infer" "infer a b" "run -o" "run --budget" "run --budget abc" "run --budget 0" \
            "run --budget -1" "run --budget nan" "run --budget inf" "run --budget 1e9" "run --budget 5x" "run --cpus" \
            "run --cpus abc" "run --cpus 9999" "run --cpus 8191" "run --cpus -1" "run --cpus 0-" "run --only" \
            "run --only nonsense" "run --only caches,nonsense"; do
    tap_ok "servet $args"           misused . "$servet" $args
done
tap_ok "servet run --only ''"       misused only "$servet" run --only ''
tap_ok "servet run --cpus ''"       misused cpus "$servet" run --cpus ''
tap_ok "servet run -o ''"           misused . "$servet" run -o '' --budget 3600
helps() { run "$servet" --help; [ $code = 0 ] && [ ! -s err ] && grep -q ^usage: out || told; }
tap_ok "servet --help"              helps
versions() { run "$servet" --version; [ $code = 0 ] && [ ! -s err ] && grep -Eq '^servet [0-9.]+$' out || told; }
tap_ok "servet --version"           versions

# ---- where the profile goes ------------------------------------------------------------------------

hour="--budget 3600"    # a run that began would be ended by timeout
tap_ok "run: -o in a directory that is not there"   refused 'p.json: '   "$servet" run $hour -o none/p.json
tap_ok "run: -o below a file"                       refused 'p.json: '   "$servet" run $hour -o plain.csv/p.json
tap_ok "run: -o to a directory"                     refused 'work: '     "$servet" run $hour -o work
mkdir -m 555 locked
nobody="setpriv --reuid 65534 --clear-groups"
if [ "$(id -u)" != 0 ]; then
    tap_ok "run: -o in a directory without permission" refused 'p.json: ' "$servet" run $hour -o locked/p.json
elif cp "$servet" "$dir/servet" && $nobody "$dir/servet" --version >/dev/null 2>&1; then
    tap_ok "run: -o in a directory without permission" \
        refused 'p.json: ' $nobody "$dir/servet" run $hour -o locked/p.json
else
    tap_skip "run: -o in a directory without permission: root may write anywhere"
fi
mkdir -m 777 free && cp plain.csv free/kept.json && chmod 444 free/kept.json
protected() {    # COMMAND...: a file that may not be written, in a folder where it could be replaced
    refused 'kept.json: cannot be written: Permission' "$@" -o free/kept.json && cmp -s plain.csv free/kept.json
}
if [ "$(id -u)" != 0 ]; then tap_ok "run: -o to a file without permission" protected "$servet" run $hour
elif [ -x "$dir/servet" ]; then tap_ok "run: -o to a file without permission" protected $nobody "$dir/servet" run $hour
else tap_skip "run: -o to a file without permission: root may write anywhere"; fi
quick="--budget 0.3"
into_pipe() {
    mkfifo pipe || return
    run "$servet" run $quick -o pipe
    [ -p pipe ] && [ $code = 2 ] && one_line 'pipe: ' || { ls -l pipe; told; }
}
tap_ok "run: -o to a pipe, or /dev/null: it is not replaced by a file" into_pipe
rm -f pipe
into_what_is_open() {
    echo before >open.json
    done_ "$servet" run $quick --quiet -o /dev/null && [ -c /dev/null ] || told || return
    "$servet" run $quick --quiet -o /dev/fd/3 3>>open.json && [ "$(head -n 1 open.json)" = before ] &&
        sed 1d open.json >opened.json && is_profile opened.json
}
tap_ok "run: -o to a device, or what is open already: it is written to"  into_what_is_open

saves() { done_ "$servet" run $quick -o p.json && [ -s out ] && [ "$(ls p.json*)" = p.json ] && is_profile p.json; }
tap_ok "run: -o writes a profile, and nothing beside it"   saves
full_disk() {    # of a file no more than 1 KiB can be written, less than any profile; the one that is there stays
    cp plain.csv work/p.json
    (ulimit -f 1; timeout "$hang" "$servet" run $quick -o work/p.json) 2>err | cat >out
    code=${PIPESTATUS[0]}
    [ $code = 2 ] && one_line 'work/p.json: not saved: File too large' && [ "$(ls work)" = p.json ] \
        && cmp -s work/p.json plain.csv || { told; rm -f work/*; return 1; }
    rm work/p.json
}
tap_ok "run: -o where there is no room: it says so, and what was there stays"   full_disk
gone_directory() {
    mkdir lost
    (cd lost && rmdir ../lost && timeout "$hang" "$servet" run $hour -o p.json) >out 2>err
    code=$?
    [ $code = 2 ] && [ ! -s out ] && one_line 'p.json: cannot be written: No such file' || told
}
tap_ok "run: -o in a directory that is gone"               gone_directory
quiet() { done_ "$servet" run $quick --quiet -o q.json && [ ! -s out ] && is_profile q.json; }
tap_ok "run: --quiet prints nothing"                       quiet
prints() {
    done_ env XDG_CACHE_HOME="$dir/other" "$servet" run $quick --json \
        && json '.servet == 1 and (.evidence.thin.points | length > 0)' && [ ! -e other ] || told
}
tap_ok "run: --json prints the profile with its evidence"  prints
streams() {
    done_ sh -c '"$1" run --budget .3 -o /dev/stdout | cat >"$2"' sh "$servet" "$dir/stream.json" \
        && is_profile stream.json || told
}
tap_ok "run: -o /dev/stdout prints the profile alone"      streams
one_cpu() {
    done_ taskset -c "$1" "$servet" run $quick --json && json ".host.cpu_count == 1 and .made.cpu == $1" || told
}
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
if [ -n "$cpu" ]; then tap_ok "run: with one CPU" one_cpu "$cpu"; else tap_skip "run: with one CPU: no taskset"; fi
limited() {
    (ulimit -v 65536; timeout "$hang" "$servet" run $quick -o small.json) >out 2>err
    code=$?
    [ $code -le 1 ] && [ ! -s err ] && is_profile small.json || told
}
tap_ok "run: with 64 MB of address space"                  limited
cached() { run "$servet" run $quick; [ $code -le 1 ] && [ ! -s err ] && is_profile cache/servet/*.json || told; }
tap_ok "run: saves under XDG_CACHE_HOME"                   cached
placeless() {   # measured and shown all the same; one line about the profile
    run "$@"
    [ $code -le 1 ] && grep -q samples out && [ "$(wc -l <err)" = 1 ] && grep -q '^servet: .*not saved' err || told
}
tap_ok "run: without HOME"                                 placeless env -u HOME -u XDG_CACHE_HOME "$servet" run $quick
tap_ok "run: with XDG_CACHE_HOME where nothing can be" \
    placeless env XDG_CACHE_HOME="$dir/plain.csv/x" "$servet" run $quick
no_time() {    # too short for anything: that is all there is to say
    run "$servet" run --budget 1e-9
    [ $code = 1 ] && one_line 'cannot measure' || told
}
tap_ok "run: without time it says that nothing is known, and no more"    no_time
precious() {
    placeless env SERVET_PROFILE="$dir/plain.csv" "$servet" run $quick && cmp -s plain.csv heading2.csv &&
        one_line 'plain.csv: not saved: it is no profile: line 1' || told
}
cp plain.csv heading2.csv
tap_ok "run: SERVET_PROFILE names a file that is no profile: it stays"    precious
cp heading2.csv plain.csv

# ---- interrupts ------------------------------------------------------------------------------------

# A signal at the moment that is meant, whenever that comes here: 0 = the program has not begun, 1 = nothing is known
# yet, 2 = a part is, 3 = all is done.  Later where it came before, earlier where after.
interrupt() {    # SIGNAL MOMENT COMMAND...
    local signal=$1 moment=$2 at t=1 lo=0 hi='' tries; shift 2
    for ((tries = 0; tries < 14; tries++)); do
        rm -f i.json n.json
        timeout --preserve-status -s "$signal" -k "$hang" "$t" "$@" >out 2>err </dev/null
        code=$?
        if [ $code -ge 128 ]; then at=0; [ $code != 137 ] || return     # it did not obey
        elif grep -q 'before anything' err; then at=1
        elif grep -q interrupted out; then at=2
        else at=3; fi
        [ $at != "$moment" ] || return
        if [ $at -lt "$moment" ]; then lo=$t; else hi=$t; fi
        t=$(awk -v lo="$lo" -v hi="$hi" 'BEGIN { print hi == "" ? 2 * lo : (lo + hi) / 2 }')
    done
}
interrupted() {
    interrupt "$1" 2 "$servet" run --budget 60 -o i.json
    [ $code -le 1 ] && [ ! -s err ] && grep -q interrupted out && [ "$(ls i.json*)" = i.json ] \
        && is_profile i.json && json .made.stopped || told
}
tap_ok "run: SIGINT ends it with what is known so far"     interrupted INT
tap_ok "run: SIGTERM, too"                                 interrupted TERM
tap_ok "run: SIGHUP, of a connection that is lost"         interrupted HUP
goes_on() {    # as by nohup
    (trap '' HUP; "$servet" run $quick -o h.json >out 2>err & sleep 0.2; kill -HUP $!; wait $!)
    code=$?
    [ $code -le 1 ] && [ ! -s err ] && ! grep -q interrupted out && is_profile h.json || told
}
tap_ok "run: SIGHUP that is ignored is"                    goes_on
keeps() {
    local before
    before=$(cat cache/servet/*.json)
    interrupt INT 2 "$servet" run --budget 60
    [ $code -le 1 ] && grep -q interrupted out && [ "$(cat cache/servet/*.json)" = "$before" ] || told
}
tap_ok "run: interrupted, it does not replace the saved profile by a part"  keeps

shown_in_part() {    # show measures where nothing is saved, also by a try that came too late
    interrupt INT 2 env XDG_CACHE_HOME="$dir/fresh" sh -c 'rm -rf "$XDG_CACHE_HOME"; exec "$1" show' sh "$servet"
    [ $code -le 1 ] && one_line 'no saved profile' && grep -q interrupted out && [ -z "$(find fresh -type f)" ] || told
}
tap_ok "show: interrupted while it measures, it shows what is known so far"  shown_in_part

tlb_alone() {
    local before
    before=$(cat cache/servet/*.json)
    run "$servet" run --budget 0.5 --only tlb
    [ $code -le 1 ] && [ "$(cat cache/servet/*.json)" = "$before" ] && one_line 'not saved.* -o' || told
}
tap_ok "run: nor one without caches, which no program would load"           tlb_alone
nothing() {
    interrupt INT 1 "$servet" run --budget 60 -o n.json
    [ $code = 1 ] && [ ! -s out ] && one_line 'interrupted before' && [ ! -e n.json ] || told
}
tap_ok "run: interrupted before anything is known, it says so: exit 1"      nothing

# ---- several CPUs --------------------------------------------------------------------------------

only="cores,bandwidth,coherence"
tap_ok "run: --only with a part that is not there" \
    misused 'no part is named "core"; there are: .*cores, bandwidth, coherence' "$servet" run $hour --only core
tap_ok "run: --only with one of several"    misused 'no part is named "x"'  "$servet" run $hour --only cores,x
tap_ok "run: --only with nothing"           misused 'needs a list of: caches' "$servet" run $hour --only ''
tap_ok "run: --cpus of none that is allowed" \
    refused '8190-8191: this process may not use CPU 8190' "$servet" run $hour --only cores --cpus 8190-8191
tap_ok "run: --cpus of one that is allowed and one that is not" \
    refused 'this process may not use CPU 8191' "$servet" run $hour --only cores --cpus "${cpu:-0},8191"
tap_ok "run: --cpus of nonsense"            misused '--cpus needs a list' "$servet" run $hour --only cores --cpus 0-
tap_ok "run: --only $only -o in a directory that is not there" \
    refused 'p.json: ' "$servet" run $hour --only $only -o none/p.json
shared() {    # what several CPUs do together
    done_ "$servet" run --budget 4 --only $only -o several.json && is_profile several.json || told
}
if [ "$(nproc)" -gt 1 ]; then
    tap_ok "run: --only $only"              shared
    tap_ok "run: and what was found is under its keys" \
        json '(.cores.latency_ns | length) >= 1 and (.coherence.blocks | length) >= 1
              and (.bandwidth.rates | length) > 0 and .made.parts == ["caches","bandwidth","cores","coherence"]
              and (.evidence | has("streams") and has("cores") and has("coherence"))'
    told_again() { run "$servet" infer several.json; [ $code -le 1 ] && cmp -s out several.json || told; }
    tap_ok "infer: the same again, from the evidence"    told_again
    shows() {
        done_ "$servet" show several.json && grep -q '^between CPUs' out && grep -q '^coherence' out \
            && grep -q '^GB/s  *CPUs' out || told
    }
    tap_ok "show: matrix, streams and coherence"         shows
    partly() {
        interrupt INT 2 "$servet" run --budget 60 --only $only -o i.json
        [ $code -le 1 ] && [ ! -s err ] && grep -q interrupted out && is_profile i.json && json .made.stopped || told
    }
    tap_ok "run: interrupted, it keeps what is known of it"    partly
else
    tap_skip "run: --only $only: one CPU"
fi
alone() {
    done_ taskset -c "$cpu" "$servet" run --budget 1 --only cores,coherence -o alone.json \
        && grep -q 'one CPU usable: nothing is between' out && is_profile alone.json \
        && json 'has("cores") or has("coherence") | not' || told
}
if [ -n "$cpu" ]; then tap_ok "run: with one CPU nothing is between CPUs, and it says so" alone
else tap_skip "run: with one CPU: no taskset"; fi

# ---- programs that start at once -----------------------------------------------------------------

startup=$(dirname -- "$servet")/startup
no_path() { run "$startup" --help; [ $code = 2 ] && grep -q '^startup: PROFILE' err && [ ! -e ./--help ] || told; }
tap_ok "startup: an option is no profile's path" no_path
at_once() {
    local i
    rm -rf once && mkdir once
    for i in 1 2 3 4; do "$startup" once/p.json >"once/$i" 2>&1 & done
    wait
    cat once/[1-4] >out
    : >err
    [ "$(grep -c 'measured now)' out)" = 1 ] && [ "$(grep -c 'from the file' out)" = 3 ] \
        && is_profile once/p.json || told
}
tap_timed "startup: of four at once one measures" at_once
killed() {
    local holder
    rm -rf once && mkdir once
    flock once sleep 600 &
    holder=$!
    until ! flock -n once true; do sleep 0.01; done
    pkill -KILL -P $holder
    kill -KILL $holder
    run "$startup" once/p.json
    [ $code = 0 ] && grep -qE 'measured( now|, and not)' out || told
}
measuring() {    # killed while it does: nothing of it is in the way
    local holder
    rm -rf once && mkdir once
    "$startup" once/p.json >/dev/null 2>&1 &
    holder=$!
    until ! flock -n once true || ! kill -0 $holder 2>/dev/null; do sleep 0.002; done
    kill -KILL $holder 2>/dev/null
    wait $holder 2>/dev/null
    rm -f once/p.json    # if it was quicker
    run "$startup" once/p.json
    # One that was saving has left its *.tmp; beside busy programs a start may find nothing that it would keep.
    rm -f once/p.json.$holder.*.tmp
    [ $code = 0 ] || told || return
    if grep -q 'measured, and not saved)' out; then [ -z "$(ls once)" ] || told
    else grep -q 'measured now)' out && [ "$(ls once)" = p.json ] && is_profile once/p.json || told; fi
}
held() {    # not for ever
    rm -rf once && mkdir once
    run flock once "$startup" once/p.json
    [ $code = 0 ] && grep -qE 'measured( now|, and not)' out || told
}
if tap_have flock; then
    tap_ok "startup: a lock does not outlive who had it" killed
    tap_ok "startup: nor what is left of one that was killed while it measured" measuring
    tap_ok "startup: it measures, however long others have the lock" held
else
    tap_skip "startup: locks: no flock"
fi

# ---- the automaton -------------------------------------------------------------------------------

automaton=$(dirname -- "$servet")/automaton
small="--rows 32 --columns 64 --iterations 2 --trials 1"
astray() {    # WHAT IS SAID, THEN ARGUMENTS
    local said=$1; shift
    run "$automaton" "$@"
    [ $code = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$said" err || told
}
tap_ok "automaton: no rows"                  astray '--rows: not a number above 0' --rows 0
tap_ok "automaton: half an iteration"        astray '--iterations: not a whole number' --iterations 0.5
tap_ok "automaton: an option without value"  astray '--trials: needs a value' --trials
tap_ok "automaton: an unknown variation"     astray 'not a list of variations' --variations base,round
tap_ok "automaton: an unknown option"        astray '--cells: unknown key' --cells 3
tap_ok "automaton: a grid too large"         astray 'or too large' --rows 1000000 --columns 1000000
tap_ok "automaton: half a row"               astray 'a grid smaller than its workers' --rows 1
printf 'rows = 8 # few\n\nrows = 9\n' >twice.cfg
printf 'rows = 8\nlines = 9\n' >astray.cfg
tap_ok "automaton: a key twice in a file"    astray 'twice.cfg, line 3: repeated key' --config twice.cfg
tap_ok "automaton: a key that is none"       astray 'astray.cfg, line 2: unknown key' --config astray.cfg
tap_ok "automaton: a file that is not there" astray 'none.cfg: cannot be read' --config none.cfg
tap_ok "automaton: a directory"                  astray '\.: cannot be read' --config .
configured() {    # what is on the command line counts more
    printf 'rows = 16\ncolumns = 64\niterations = 2\ntrials = 1\n' >small.cfg
    done_ "$automaton" --rows 32 --config small.cfg --csv && head -n 2 out | grep -q '^base,1,32,64,2,1,' || told
}
tap_ok "automaton: options of a file"        configured
as_xml() { done_ "$automaton" $small --xml && xmllint --noout out && grep -q '<average of="system"' out || told; }
if tap_have xmllint; then tap_ok "automaton: XML is well-formed" as_xml
else tap_skip "automaton: XML: no xmllint"; fi
early() {
    interrupt INT 2 "$automaton" --budget 60 --rows 512
    [ $code = 0 ] && [ ! -s err ] && grep -q '^base ' out || told
}
tap_ok "automaton: interrupted, it reports what it knows" early
kernel_ends() {    # it knows nothing before its end, hours later
    timeout -k "$hang" 1 "$automaton" --kernel base --iterations 1000000 >out 2>err </dev/null
    code=$?
    [ $code = 124 ] && [ ! -s out ] || told
}
tap_ok "automaton --kernel: SIGTERM ends it"  kernel_ends
spilt() {    # FORM: nowhere to print it
    run sh -c 'exec "$@" >/dev/full' sh "$automaton" $small $1
    [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^automaton: standard output: No space' err || told
}
# What was written before the end counts, too: without a buffer there is nothing left to fail then.
emptied() {    # EXAMPLE: so do those that measure for a second
    run sh -c 'exec "$@" >/dev/full' sh ${cpu:+taskset -c $cpu} $unbuffered "$(dirname -- "$servet")/$1"
    [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$1: standard output: No space" err || told
}
unbuffered=
! tap_have stdbuf || unbuffered='stdbuf -o0'
for name in fit_curve timers cache_sizes chase coherence compare count_level counters pair_sweep paper_2010 partitions \
            startup transpose; do
    if [ -c /dev/full ]; then tap_ok "$name: standard output full" emptied $name
    else tap_skip "no /dev/full"; fi
done
sized() {    # EXAMPLE ARGUMENT...: a number with a unit is not the number
    run "$(dirname -- "$servet")/$1" "${@:2}"
    [ $code = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$1: " err || told
}
for args in 'chase 64K' 'count_level 32 8K' 'transpose 128K' 'partitions 1G'; do
    tap_ok "$args"  sized $args
done
alone() {
    run taskset -c $cpu "$(dirname -- "$servet")/core_to_core"
    [ $code = 1 ] && [ ! -s out ] && [ "$(cat err)" = 'core_to_core: one CPU: there is no pair' ] || told
}
if [ -n "$cpu" ]; then tap_ok "core_to_core: with one CPU" alone
else tap_skip "core_to_core: with one CPU: no taskset"; fi
for form in '' --csv --xml '--kernel base'; do
    if [ -c /dev/full ]; then tap_ok "automaton $form: standard output full" spilt "$form"
    else tap_skip "no /dev/full"; fi
done
scaling() {
    done_ "$servet" run --budget 3 --only automaton -o scaling.json && grep -q '^scaling of' out \
        && is_profile scaling.json && json '.automaton.points[0].act_per_s > 0
                 and (.evidence.automaton.points[0].trial_s | length) > 0' || { told; return 2; }
    json '(.automaton.points | length) >= 10' || told
}
survival() {
    done_ "$servet" run --budget 4 --only survival -o stays.json && is_profile stays.json && cmp -s out stays.json \
        && json '.evidence.survival.points | all(.[]; .age_ns >= .wait_ns)' || { told; return 2; }
    json '.evidence.survival.points | length > 20' || told
}
# How many points the time is enough for others decide, too.
tap_timed "run: --only automaton"            scaling
tap_timed "run: --only survival"             survival
scaling_again() { run "$servet" infer scaling.json; [ $code -le 1 ] && cmp -s out scaling.json || told; }
tap_ok "infer: scaling the same again, from its trials" scaling_again
left_out() {
    jq 'del(.automaton.points[], .evidence.automaton.points[] | select(.variation == "strong"))' scaling.json >less.json
    done_ "$servet" show less.json && grep -q '^not run: .*strong' out || told
}
if tap_have jq; then tap_ok "show: the variation that was not run" left_out; else tap_skip "show: no jq"; fi

# ---- profiles --------------------------------------------------------------------------------------

printf '{"servet": 2}' >schema.json
head -c 2000 p.json >half.json
: >empty.json
cat >strange.json <<'END'
{"servet": 1, "caches": [{"bytes": 1e300, "lo_bytes": -1e300, "hi_bytes": 1e308, "latency_ns": 1e300, "lo_ns": -1e300,
 "hi_ns": 1e308, "latency_cycles": -1e308, "method": "compact_set", "ways": -2147483647, "misfit_frac": 1e300,
 "verdict": "os_wrong", "system": {"sysfs": {"bytes": 1e300, "verdict": "os_wrong"}}}],
 "memory": {"latency_ns": 1e308, "lo_ns": 1e300, "hi_ns": 1e300},
 "host": {"memory_bytes": 1e300, "page_bytes": 1e-300, "cpu_count": -1},
 "timer": {"core": {"ghz": 1e300}, "error_frac": 1e300}, "doubtful": [{"bytes": 1e300, "ratio": 1e300}],
 "made": {"seconds": 1e300, "noisy_frac": 1e300},
 "evidence": {"curve": {"points": [{"bytes": 1e-300, "ns": 1e300}, {"bytes": 1, "ns": 1e-300},
                                   {"bytes": 1e300, "ns": 1e308}]}}}
END
for command in show check infer; do
    tap_ok "$command: no such file"         refused 'none.json: No such' "$servet" $command none.json
    tap_ok "$command: a directory"          refused 'work: .*directory'  "$servet" $command work
    tap_ok "$command: empty"                refused 'empty.json: '       "$servet" $command empty.json
    tap_ok "$command: cut off"              refused 'half.json: .*line [0-9]+: ends too' "$servet" $command half.json
    tap_ok "$command: another schema"       refused 'schema.json: .*schema 2'   "$servet" $command schema.json
    tap_ok "$command: a curve"              refused 'plain.csv: '        "$servet" $command plain.csv
    tap_ok "$command: a profile"            done_ "$servet" $command p.json
    strange() { run "$servet" $command strange.json; [ $code -le 2 ] || told; }
    tap_ok "$command: numbers from nowhere do no harm"  strange
    from_stdin() {
        timeout "$hang" "$servet" $command - <p.json >out 2>err
        code=$?
        [ $code -le 1 ] && [ -s out ] && [ ! -s err ] || told
    }
    tap_ok "$command: from standard input"  from_stdin
done
sharing_none() {    # a level of a number that no cache has
    echo '{"servet": 1, "caches": [{"bytes": 32768, "lo_bytes": 32768, "hi_bytes": 32768}], "sharing": {"cpus": [0, 1],
           "levels": [{"level": -200000000, "status": "ok", "groups": [[0], [1]]}]}}' >level.json
    done_ "$servet" show level.json
}
tap_ok "show: who shares a level of a number below 1"      sharing_none
# A machine of which each source says another thing.
cat >said.json <<'END'
{"servet": 1, "caches": [{"bytes": 32768, "lo_bytes": 32768, "hi_bytes": 32768, "method": "conflicts", "ways": 8,
  "system": {"sysfs": {"bytes": 32768, "verdict": "agree"}, "sysconf": {"bytes": 0, "verdict": "os_missing"}}},
 {"bytes": 8388608, "lo_bytes": 8e6, "hi_bytes": 9e6, "effective": true,
  "system": {"sysfs": {"bytes": 33554432, "verdict": "shared_less"},
             "sysconf": {"bytes": 0, "verdict": "os_missing"}}}],
 "line": {"bytes": 64, "lo_bytes": 64, "hi_bytes": 64},
 "tlb": {"small": {"levels": [{"entries": 72, "lo_entries": 72, "hi_entries": 72},
                              {"entries": 4100, "lo_entries": 4000, "hi_entries": 4200}], "seen_pages": 32768}},
 "host": {"page_bytes": 4096, "reports": [
  {"source": "sysfs", "level": 1, "bytes": 32768, "line_bytes": 128, "ways": 12},
  {"source": "sysfs", "level": 2, "bytes": 33554432, "line_bytes": 128, "ways": 16},
  {"source": "sysconf", "level": 1, "bytes": 0, "line_bytes": 64, "ways": 8}],
  "tlb_reports": [{"source": "cpuid", "level": 1, "page_bytes": 4096, "entries": 72},
                  {"source": "cpuid", "level": 2, "page_bytes": 4096, "entries": 128}]}}
END
cat >said.txt <<'END'
agree        L1 size            sysfs
os_missing   L1 size            sysconf
os_wrong     L1 ways            sysfs
agree        L1 ways            sysconf
os_wrong     L1 line            sysfs
agree        L1 line            sysconf
shared_less  L2 size            sysfs
os_missing   L2 size            sysconf
unmeasured   L2 ways            sysfs
agree        TLB 1, 4 KiB pages cpuid
os_wrong     TLB 2, 4 KiB pages cpuid
END
verdicts() {
    run "$servet" check said.json
    [ $code = 1 ] && [ ! -s err ] && cut -c 1-39 out | sed 's/ *$//' | cmp -s - said.txt \
        && grep -q 'sysfs   says 12  .* measured 8,' out && grep -q 'says 128 .* measured 4100 .4000, 4200.' out || told
}
tap_ok "check: a line each thing and source, exit 1 where one disagrees"    verdicts
# A stranger on the core's other thread kept two of twelve ways all the time; beside the other record nobody did.
beside() {
    run "$servet" check "$records/turin-thread-1.json"
    grep -q '^agree  *L1 size .* says 48 KiB  *measured 40 KiB .40 KiB, 60 KiB.' out &&
        grep -q '^agree  *L1 ways .* says 12  *measured 10 .10, 15.' out || { told; return 1; }
    run "$servet" show "$records/turin-thread-1.json"
    grep -q '^sure  *L1 40 KiB to 60 KiB, counted beside others' out || { told; return 1; }
    run "$servet" show "$records/turin-quiet-1.json"
    grep -q '^sure  *L1, L2 counted; ' out || told
}
tap_ok "a level that was counted beside others: the system agrees, and how sure it is"    beside
cat >agree.json <<'END'
{"servet": 1, "caches": [{"bytes": 32768, "lo_bytes": 32768, "hi_bytes": 32768, "method": "conflicts", "ways": 8,
  "system": {"sysfs": {"bytes": 32768, "verdict": "agree"}}}], "line": {"bytes": 64, "lo_bytes": 64, "hi_bytes": 64},
 "host": {"page_bytes": 4096, "reports": [{"source": "sysfs", "level": 1, "bytes": 32768, "line_bytes": 64, "ways": 8},
          {"source": "sysfs", "level": 2, "bytes": 1048576, "line_bytes": 64, "ways": 16}]}}
END
agrees() {
    run "$servet" check agree.json
    [ $code = 0 ] && [ ! -s err ] && [ "$(cut -d ' ' -f 1 out | uniq -c | xargs)" = "3 agree 2 unmeasured" ] || told
}
tap_ok "check: exit 0 where all that was measured agrees"  agrees
unmeasured() {
    echo '{"servet": 1}' >bare.json
    run "$servet" check bare.json
    [ $code = 1 ] && [ ! -s err ] && grep -q '^unmeasured ' out || told
}
tap_ok "check: exit 1 where nothing was measured"          unmeasured
again() {
    run "$servet" infer p.json; cp out first.json
    run "$servet" infer first.json
    [ $code -le 1 ] && cmp -s out first.json \
        && json ".caches == $(jq -c .caches p.json 2>/dev/null || echo .caches)" || told
}
tap_ok "infer: the evidence gives the same answers again"   again

elsewhere() {    # a profile that SERVET_PROFILE names, and that of another machine
    local words='was measured on another machine'
    run env SERVET_PROFILE=said.json "$servet" "$@"
    [ $code -le 1 ] && [ -s out ] && one_line "said.json $words" && cp out told.txt || told || return
    run "$servet" "$@" said.json
    cmp -s out told.txt && ! grep -q "$words" err || told
}
for args in show check 'export --gcc' report; do
    tap_ok "$args: SERVET_PROFILE of another machine: it says so"   elsewhere $args
done
damaged() {    # FILE WORDS: it measures, says why, and leaves the file
    cp half.json was.json
    run env SERVET_PROFILE=$1 "$servet" check
    [ $code -le 1 ] && [ -s out ] && one_line "$1: .*$2.*; measuring" && cmp -s half.json was.json || told
}
tap_ok "check: SERVET_PROFILE is damaged: it says where and how"    damaged half.json 'line [0-9]+: ends too'
tap_ok "check: SERVET_PROFILE is a folder: it says so"              damaged work 'not a file'
own_one() { run "$servet" show; [ $code = 0 ] && [ ! -s err ] || told; }
tap_ok "show: of this machine it says nothing"    own_one

# ---- a network, which servet_mpi.h measures ----------------------------------------------------------

# Eight ranks on two hosts, all pairs: within them 500 ns, between them 9000; the layers are left out.
awk 'function row(name, near, far,    i, ns) {
         printf ",\n \"%s\": [", name
         for (i = 0; i < n; i++) {
             ns = int(a[i] / 4) == int(b[i] / 4) ? near : far
             printf "%s%.6g", i ? ", " : "", ns * (1 + i / 1000)
         }
         printf "]"
     }
     function list(name, of,    i) {
         printf "%s\"%s\": [", name == "a" ? "" : ",\n ", name
         for (i = 0; i < n; i++) printf "%s%d", i ? ", " : "", of[i]
         printf "]"
     }
     BEGIN {
         for (n = i = 0; i < 8; i++) for (k = i + 1; k < 8; k++) { a[n] = i; b[n] = k; one[n++] = 1 }
         print "{\"servet\": 1, \"network\": {\"ranks\": 8, \"hosts\": [\"near\", \"far\"],"
         print "\"host\": [0, 0, 0, 0, 1, 1, 1, 1],"
         print "\"small_bytes\": 8, \"trip_bytes\": 32768, \"stream_bytes\": 1048576, \"dist_ratio\": {\"nodes\": 8,"
         print "\"distance\": [1, 2, 4], \"ratio\": [1, 2, 4], \"lo_ratio\": [1, 1.9, 3.8],"
         print "\"hi_ratio\": [1, 2.1, 4.2]}},"
         print "\"evidence\": {\"network\": {\"pairs\": {"
         list("a", a); list("b", b); list("at_once", one)
         split("small trip stream", sort, " ")
         for (k = 1; k <= 3; k++) {
             row(sort[k] "_p10_ns", 490 * 30 ^ (k - 1), 8900 * 30 ^ (k - 1))
             row(sort[k] "_median_ns", 500 * 30 ^ (k - 1), 9000 * 30 ^ (k - 1))
             row(sort[k] "_lo_ns", 495 * 30 ^ (k - 1), 8950 * 30 ^ (k - 1))
             row(sort[k] "_hi_ns", 505 * 30 ^ (k - 1), 9050 * 30 ^ (k - 1))
             row(sort[k] "_p90_ns", 520 * 30 ^ (k - 1), 9300 * 30 ^ (k - 1))
         }
         print "}}}}"
     }' >net.json
network_shown() {
    done_ "$servet" show net.json && grep -q '8 ranks of MPI on 2 hosts' out && grep -q '2: 2.00 .1.90, 2.10.' out \
        && ! grep -q 'cache level' out || told
}
network_inferred() {
    run "$servet" infer net.json; cp out net2.json
    [ $code -le 1 ] && [ ! -s err ] && json '.network.layers[0].group == [0,0,0,0,1,1,1,1]
        and (.network.layers | length == 1) and .network.layers[0].small_ns > 450 and .network.layers[0].small_ns < 550
        and .network.dist_ratio.ratio == [1, 2, 4]' || told || return
    run "$servet" infer net2.json
    cmp -s out net2.json || { diff out net2.json | head -n 4; return 1; }
    done_ "$servet" show net2.json && grep -q '{0-3: near} {4-7: far}; within hosts' out || told
}
network_of_cores() {    # CPUs that ranks were bound to, the last to none
    sed 's/"cpu_plus_1": *\[[^]]*/"cpu_plus_1": [1,2,3,4,1,2,4,0/' net2.json >cores.json
    done_ "$servet" show cores.json && grep -q '{0-3: near:0-3} {4-7: far:0-1,3}; within hosts' out \
        && grep -q 'core is not known.*: 1$' out || told
}
network_kept() {
    jq '.network = $net[0].network | .evidence.network = $net[0].evidence.network' --slurpfile net net2.json \
        p.json >kept.json
    done_ "$servet" run $quick -o kept.json && cp kept.json out && json '.network.ranks == 8 and .caches != null
        and (.evidence.network.pairs.a | length == 28)' || told
}
tap_ok "show: a network without layers, sizes and caches"   network_shown
tap_ok "infer: layers of ranks from the times of pairs"     network_inferred
tap_ok "show: layers of the cores that ranks were bound to" network_of_cores
if tap_have jq; then tap_ok "run -o: a network in the file stays there"  network_kept
else tap_skip "no jq"; fi

# ---- map -------------------------------------------------------------------------------------------

# Eight CPUs in two groups; and four nodes of them, whose network bears one process of each half.
awk 'BEGIN {
         printf "{\"servet\":1,\"cores\":{\"cpus\":[0,1,2,3,4,5,6,7],\"latency_ns\":["
         for (i = 1; i < 8; i++) {
             printf "%s[", (i > 1) ? "," : ""
             for (k = 0; k < i; k++) printf "%s%d", k ? "," : "", int(i / 4) == int(k / 4) ? 50 : 120
             printf "]"
         }
         printf "]}}\n"
     }' >node.json
sed 's/}}$/},"network":{"ranks":8,"hosts":["n0","n1","n2","n3"],"host":[0,1,2,3,0,1,2,3],"outermost":{"pairs":6,'\
'"small_ns":1500,"trip_ns":9000},"access_ratio":{"processes":[1,2,4,8],"ratio":[1,1.1,2.2,4.4],'\
'"lo_ratio":[1,1,2,4],"hi_ratio":[1,1.2,2.4,5]}}}/' node.json >cluster.json
printf '{"servet":1,"host":{"cpus":"0-3"}}\n' >cpus.json
printf '0,9,0,0\n9,0,0,0\n0,0,0,5\n0,0,5,0\n' >four.csv
mapped() {    # what standard output is, what standard error has in it, arguments
    local text=$1 words=$2; shift 2
    run "$servet" map "$@"
    [ $code = 0 ] && [ "$(cat out)" = "$(printf -- "$text")" ] && grep -Eq "$words" err || told
}
tap_ok "map: near cores for communication"      mapped '0,1,2,3\n' 'not known, and left out: who shares' -n 4 node.json
tap_ok "map: all there are"                     mapped '0,1,2,3,4,5,6,7\n' '' node.json
map_read() { timeout "$hang" "$servet" map -n 2 - <node.json >out 2>err; code=$?; [ "$(cat out)" = 0,1 ] || told; }
tap_ok "map: from standard input"               map_read
tap_ok "map: one process on each half of nodes" mapped 'n0 0\nn0 4\nn1 0\nn1 4\n' '' -n 4 --comm cluster.json
tap_ok "map: hydra on several nodes"            mapped '-hosts n0:2,n1:2 -n 4 -bind-to user:0,4\n' '' -n 4 \
    --format mpich cluster.json
tap_ok "map: what is not known is told"           mapped '0\n' 'left out' -n 1 cpus.json
left_out() {
    run "$servet" map -n 32 cluster.json
    [ $code = 0 ] && [ "$(wc -l <out)" = 32 ] && grep -q '8 of these 32 processes have 95 %' err || told
}
tap_ok "map: more than the network bears is told" left_out
ring_first() { run "$servet" map -n 8 --pattern "$1" --format json node.json; [ $code = 0 ] && json "$2" || told; }
tap_ok "map: a ring is best in rank order"      ring_first ring '.exact and .cost_over_rank_order == 1'
tap_ok "map: a stencil of given sizes"          ring_first stencil2d:2x4 '.ranks | length == 8'
tap_ok "map: all with all"                      ring_first alltoall '.cost_over_rank_order == 1'
matrix_map() {    # pairs 0 4, 1 5, 2 6, 3 7 talk: each pair must be within a group
    awk 'BEGIN { for (i = 0; i < 8; i++) for (j = 0; j < 8; j++)
                     printf "%d%s", i % 4 == j % 4 && i != j ? 10 : 0, j < 7 ? "," : "\n" }' >pairs.csv
    run "$servet" map --matrix pairs.csv --format json node.json
    [ $code = 0 ] && json '[.ranks[].cpu / 4 | floor] as $g | .exact and .cost_over_rank_order < 0.5
        and ([range(4) | $g[.] == $g[. + 4]] | all)' || told
}
tap_ok "map: a matrix of traffic"               matrix_map
printf '0 9 0 0\n0 0 0 0\n0 0 0 5\n0 0 0 0\n' >one_way.csv
tap_ok "map: one way only"                      mapped '0,1,2,3\n' 'one_way.csv: not symmetric' --matrix one_way.csv \
    node.json
tap_ok "map: nothing known but CPUs"            mapped '0,1,2,3\n' 'no two places differ' --matrix four.csv cpus.json
tap_ok "map: more processes than CPUs"          refused '9 .* the 8 CPUs of 1 node'    "$servet" map -n 9 node.json
tap_ok "map: a profile without CPUs"            refused 'names no CPU'             "$servet" map -n 2 net.json
tap_ok "map: no number"                         refused '-n: "x"'                  "$servet" map -n x node.json
tap_ok "map: 0"                                 refused '-n: "0"'                  "$servet" map -n 0 node.json
tap_ok "map: nothing behind -n"                 refused '-n needs a value'         "$servet" map -n
unlike() { refused "$2" "$servet" map --pattern "$1" node.json; }
tap_ok "map: an unknown pattern"                unlike star '"star" is none'
tap_ok "map: sizes of a ring"                   unlike ring:4 'ring:4'
tap_ok "map: half the sizes"                    unlike stencil2d:4 'stencil2d:4'
tap_ok "map: sizes of other processes"          unlike stencil2d:3x3 '"stencil2d:3x3" is not of 8'
tap_ok "map: an unknown form"                   refused 'no form is named "lsf"; there are: list,' \
    "$servet" map --format lsf node.json
tap_ok "map: threads on several nodes"  refused 'on several nodes'  "$servet" map -n 4 --format omp cluster.json
tap_ok "map: two kinds at once"                 refused 'one of --memory' \
    "$servet" map --memory --pattern ring node.json
tap_ok "map: two profiles"                      refused 'unknown argument'         "$servet" map node.json cpus.json
tap_ok "map: no such profile"                   refused 'none.json: '              "$servet" map none.json
tap_ok "map: no such matrix"                    refused 'none.csv: ' \
    "$servet" map --matrix none.csv node.json
tap_ok "map: a matrix of other processes"       refused 'of 4 processes, where -n says 5' \
    "$servet" map -n 5 --matrix four.csv node.json
not_a_matrix() { printf "$1" >wrong.csv; refused "wrong.csv: .*$2" "$servet" map --matrix wrong.csv node.json; }
tap_ok "map: a matrix below 0"                  not_a_matrix '0,-1\n1,0\n' 'line 1: value 2 is below 0'
tap_ok "map: a matrix that is not square"       not_a_matrix '0,1,2\n1,0,2\n' 'not square'
tap_ok "map: a matrix of words"                 not_a_matrix '0,one\n1,0\n' 'not a number'
tap_ok "map: an empty matrix"                   not_a_matrix '' 'no values'

# ---- standard output -------------------------------------------------------------------------------

full() { timeout "$hang" "$@" >/dev/full 2>err; code=$?; : >out; [ $code = 2 ] && one_line output || told; }
gone() { timeout "$hang" "$@" >&- 2>err; code=$?; : >out; [ $code = 2 ] && one_line output || told; }
for args in "fit plain.csv" "show p.json" "check p.json" "infer p.json" "--help" "--version" "run $quick --json"; do
    if [ -c /dev/full ]; then tap_ok "servet $args: standard output full" full "$servet" $args
    else tap_skip "no /dev/full"; fi
    tap_ok "servet $args: standard output closed"           gone "$servet" $args
done

beyond() (    # more than 1 KiB into a file
    ulimit -f 1
    timeout "$hang" "$servet" show p.json >limit.txt 2>"$dir/err"
    code=$?
    : >out
    [ $code = 2 ] && one_line 'output: File too large' || told
)
tap_ok "servet show p.json: standard output beyond the limit of file sizes"    beyond

tap_done

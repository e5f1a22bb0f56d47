#!/usr/bin/env bash
# servet merge: profiles of several days of one machine or network into one, by files whose means are known (TAP).
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}")
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C
unset SERVET_PROFILE
if ! tap_have jq; then echo '1..0 # SKIP no jq'; echo "# $0: skipped: no jq" >&2; exit 0; fi

told() { cat out err; return 1; }
merged() { "$servet" merge "$@" >out 2>err || told; }
refused() {    # WORDS ARGUMENT...
    local words=$1; shift
    "$servet" merge "$@" >out 2>err
    [ $? = 2 ] && [ ! -s out ] && [ "$(grep -c . err)" = 1 ] && grep -q -- "$words" err || told
}
has() { jq -e "$1" out >/dev/null || told; }
is() { [ "$1" = "$2" ] || { echo "is: $1, wanted: $2"; return 1; }; }
line() { grep -q -E "$1" err || told; }

day() {    # KEY L1 NS MEMORY RATIO HOST: with a network of two hosts
    cat <<END
{"servet":1,"key":"$1",
 "caches":[{"level":1,"bytes":$2,"lo_bytes":$2,"hi_bytes":$2,"latency_ns":$3,"source":"measured"}],
 "memory":{"latency_ns":$4,"lo_ns":$(($4 - 1)),"hi_ns":$(($4 + 1))},
 "network":{"ranks":2,"hosts":["$6","b"],"host":[0,1],
  "dist_ratio":{"nodes":2,"bytes":1000000,"distance":[1],"ratio":[$5],"lo_ratio":[$5],"hi_ratio":[$5],
   "bytes_per_s":[1e9],"lo_bytes_per_s":[1e9],"hi_bytes_per_s":[1e9]}},
 "evidence":{"curve":{"bytes":[4096],"ns":[1]}}}
END
}
day one 32768 1.0 80 1 a >mon.json
day one 49152 1.2 90 2 a >tue.json
day one 32768 1.4 100 6 c >wed.json
day two 32768 1.4 100 6 a >other.json
printf '{"servet":1,"key":"one"}' >bare.json
sed 's/"ranks":2,"hosts":\["a","b"\],"host":\[0,1\]/"ranks":3,"hosts":["a","b"],"host":[0,1,1]/' mon.json >three.json
sed 's/"memory":.*,$/"x":0,/' tue.json >less.json

tap_ok 'three days' merged mon.json tue.json wed.json
tap_ok '... the median of sizes' has '.caches[0].bytes == 32768 and .caches[0].hi_bytes == 49152'
tap_ok '... the mean of times' \
    has '(.memory.latency_ns - 90 | fabs) < 1e-9 and (.caches[0].latency_ns - 1.2 | fabs) < 1e-9'
tap_ok '... intervals hold those of all days' has '.memory.lo_ns == 79 and .memory.hi_ns == 101'
tap_ok '... of the network' has '.network.dist_ratio.ratio == [3] and .network.dist_ratio.hi_ratio == [6]'
tap_ok '... their deviation' line '^memory, ns +90 +10 +80 +100$'
tap_ok '... another allocation of the cluster is recognised' \
    line '^servet: wed.json: another allocation .* host 0 is c, not a'
tap_ok '... evidence of one day is left out' has '(.evidence // {}) == {}'
tap_ok '... to a file, which is read again' merged mon.json tue.json -o both.json
tap_ok '... with the mean of two' is "$("$servet" show both.json >out 2>&1; jq .memory.latency_ns both.json)" 85
tap_ok 'one of them is standard input' merged - tue.json <mon.json
tap_ok '... which counts as any other' has '.memory.latency_ns == 85'
tap_ok '... not two' refused 'only one profile' - - </dev/null
distances() {    # RATIO: as many as there may be, and ratNC
    jq -c --argjson ratio "$1" '[range(1; 2049)] as $all | [$all[] | $ratio] as $r | [$all[] | 1e9] as $b
        | .network.ranks = 4096 | .network.hosts = [range(4096) | "h\(.)"] | .network.host = [range(4096)]
        | .network.dist_ratio = {nodes: 4096, bytes: 1000000, distance: $all, ratio: $r, lo_ratio: $r, hi_ratio: $r,
                                 bytes_per_s: $b, lo_bytes_per_s: $b, hi_bytes_per_s: $b}
        | .network.access_ratio = {bytes: 1000000, processes: [1, 2], ratio: [1, $ratio], lo_ratio: [1, $ratio],
                                   hi_ratio: [1, $ratio], bytes_per_s: [1e9, 1e9], lo_bytes_per_s: [1e9, 1e9],
                                   hi_bytes_per_s: [1e9, 1e9]}' mon.json
}
distances 2 >many.json
distances 4 >more.json
tap_ok 'as many distances as there may be' merged many.json more.json
tap_ok '... and what comes behind them' has '.network.access_ratio.ratio[1] == 3'
tap_ok 'what one of them lacks stays as it is in the first' merged mon.json less.json
tap_ok '... and is told' line '^servet: 1 quantities are not in all'
tap_ok '... which it is' has '.memory.latency_ns == 80'
tap_ok 'another machine' refused 'of another machine' mon.json other.json
tap_ok 'a network of other ranks' refused 'a network of 3 ranks' mon.json three.json
tap_ok 'without a network' refused 'without a network' mon.json bare.json
tap_ok 'nothing in it' refused 'nothing in it' bare.json bare.json
tap_ok 'one alone' refused 'two profiles' mon.json
tap_ok 'a file that is not there' refused 'none.json' mon.json none.json
tap_ok 'a file that is no profile' refused 'tests' mon.json "$OLDPWD/tests/merge.sh"
tap_ok 'no file to write' refused '-o needs' mon.json tue.json -o
tap_ok 'a file that cannot be made' refused 'none/x: cannot be written: No such' mon.json tue.json -o none/x
tap_ok 'a word it does not know' refused 'unknown argument "--mean"' mon.json tue.json --mean
cp mon.json kept.json
tap_ok 'what was there is kept where it fails' refused 'another machine' mon.json other.json -o kept.json
tap_ok '... as it was' cmp mon.json kept.json
tap_done

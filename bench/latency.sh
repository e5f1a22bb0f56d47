#!/usr/bin/env bash
# Half of a round trip: ours against osu_latency's, by turns in runs of two ranks, each on a CPU of its own.
#
#     bench/latency.sh OSU_LATENCY [BYTES...]         MPICC=mpicc MPIRUN="mpirun -n" TURNS=9 CPUS=0,1
#
# OSU_LATENCY: the program of the OSU benchmarks 7, compiled by MPICC.  Each turn runs both, which of them first by
# turns.  Ours is a median; theirs is their P50, which reads the clock with each trip, and their mean (_avg), which does
# not.  Columns: bytes, the median over turns of ours and theirs; and of the differences, turn by turn, the median and
# its interval (95 %, order statistics): ns and per cent of theirs; 1 where that median is within 5 % or 20 ns.
# Programs print 10 ns as their last digit.
cd "$(dirname "$0")/.." || exit
osu=${1:-}; shift
mpicc=${MPICC:-mpicc} mpirun=${MPIRUN:-mpirun} turns=${TURNS:-9} cpus=${CPUS:-0,1}
if ! command -v "$mpicc" >/dev/null || [ -z "$osu" ] || [ ! -x "$osu" ]; then
    echo "latency: skipped: no $mpicc, or no osu_latency (the first argument)"
    exit 0
fi
[ $# -gt 0 ] || set -- 8 1024 65536
dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT
ours=${OURS:-$dir/exchange}
[ -x "$ours" ] || "$mpicc" -O2 -I. bench/exchange.c -o "$ours" -pthread -lm || exit

pair() {    # PROGRAM ARGUMENT...
    $mpirun -n 1 taskset -c "${cpus%,*}" "$@" : -n 1 taskset -c "${cpus#*,}" "$@" </dev/null 2>"$dir/err" || {
        cat "$dir/err" >&2; exit 1; }
}
ours() { pair "$ours" --ours "$@" | sed "s/^/$turn,ours,/"; }
osu() {
    local bytes
    for bytes; do
        pair "$osu" -z50 -m "$bytes:$bytes" | awk -v turn="$turn" '
            $1 ~ /^[0-9]+$/ { printf "%d,p50,%d,%.0f\n%d,avg,%d,%.0f\n", turn, $1, 1e3 * $3, turn, $1, 1e3 * $2 }'
    done
}
for ((turn = 1; turn <= turns; turn++)); do
    if [ $((turn % 2)) = 1 ]; then ours "$@"; osu "$@"; else osu "$@"; ours "$@"; fi
done >"$dir/all" || exit

awk -F, '
    { v[$2, $3, $1] = $4; if (!($3 in seen)) { seen[$3] = 1; size[sizes++] = $3 } if ($1 > turns) turns = $1 }
    function sort(x, n,   i, k, t) {
        for (i = 2; i <= n; i++) for (k = i; k > 1 && x[k - 1] > x[k]; k--) { t = x[k]; x[k] = x[k - 1]; x[k - 1] = t }
    }
    function middle(x, n) { sort(x, n); return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2 }
    function cut(n,   k, tail, c) {    # x[cut] to x[n + 1 - cut] holds the median in 95 of 100
        c = 1 / 2 ^ n
        for (k = 0; 2 * (tail + c) <= .05; k++) { tail += c; c *= (n - k) / (k + 1) }
        return k > 0 ? k : 1
    }
    END {
        print "bytes,theirs,ours_ns,theirs_ns,more_ns,lo_ns,hi_ns,more_percent,lo_percent,hi_percent,within"
        for (i = 0; i < sizes; i++) for (w = 0; w < 2; w++) {
            what = w ? "avg" : "p50"; b = size[i]; n = 0
            for (t = 1; t <= turns; t++) if ((what, b, t) in v && ("ours", b, t) in v) {
                o[++n] = v["ours", b, t]; p[n] = v[what, b, t]; d[n] = o[n] - p[n]; r[n] = 100 * d[n] / p[n]
            }
            if (!n) continue
            m = middle(d, n); mr = middle(r, n); c = cut(n)
            printf "%d,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.2f,%.2f,%.2f,%d\n", b, what, middle(o, n), middle(p, n), m, d[c],
                d[n + 1 - c], mr, r[c], r[n + 1 - c], (m <= 20 && m >= -20) || (mr <= 5 && mr >= -5)
        }
    }' "$dir/all"

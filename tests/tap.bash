# tap.bash - results of a test script in the Test Anything Protocol; sourced by tests/*.sh
#
#   tap_ok NAME COMMAND...    passes if the command succeeds; its output is told only where it fails
#   tap_skip WHY              instead of a test that cannot run
#   tap_done                  the plan, and the exit status of the script
#
# Failures and skips are told on standard error as well: prove swallows what it understands.

tap_count=0 tap_failures=0

tap_line() {   # ok|not ok, name, output
    tap_count=$((tap_count + 1))
    echo "$1 $tap_count - $2"
    [ "$1" = ok ] && return
    tap_failures=$((tap_failures + 1))
    echo "# $0: not ok $tap_count - $2" >&2
    [ -z "$3" ] || head -n 20 <<<"$3" | sed 's/^/#   /' >&2
}

tap_ok() {
    local name=$1 out; shift
    if out=$("$@" 2>&1); then tap_line ok "$name"; else tap_line 'not ok' "$name" "$out"; fi
}

tap_skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count # SKIP $1"
    echo "# $0: skipped: $1" >&2
}

tap_done() {
    [ "$tap_count" -eq 0 ] || echo "1..$tap_count"
    exit $((tap_failures > 0 || tap_count == 0))
}

tap_have() { command -v "$1" >/dev/null; }

# tap.bash - results of a test script in the Test Anything Protocol; sourced by tests/*.sh
#
#   tap_ok NAME COMMAND...    passes if the command succeeds; its output is told only where it fails
#   tap_skip WHY              instead of a test that cannot run
#   tap_done                  the plan, and the exit status of the script
#
#   tap_ask COMMAND...        makes tests; where others took the CPUs and a tap_timed fails, it is called again; also
#                             where it set tap_unsure, for an answer that says itself how little it is sure
#   tap_timed NAME COMMAND... as tap_ok, of what others can spoil: where it ends with 1, and they did to the last, it is
#                             skipped; outside tap_ask it is asked by itself
#   tap_others THEN           the per cent of all CPUs that others took since then=$(tap_cpus)
#
# Failures and skips are told on standard error as well: prove swallows what it understands.

tap_count=0 tap_failures=0 tap_asking='' tap_crowded=5 tap_unsure=''

tap_line() {   # ok|not ok|spoilt, name, output
    if [ -n "$tap_asking" ]; then tap_lines+=("$@"); return; fi
    tap_count=$((tap_count + 1))
    echo "$1 $tap_count - $2"
    [ "$1" = ok ] && return
    tap_failures=$((tap_failures + 1))
    echo "# $0: not ok $tap_count - $2" >&2
    [ -z "$3" ] || head -n 20 <<<"$3" | sed 's/^/#   /' >&2
}

tap_ok() {
    local name=$1 out; shift
    if out=$("$@" 2>&1); then tap_line ok "$name" ''; else tap_line 'not ok' "$name" "$out"; fi
}

tap_timed() {
    [ -n "$tap_asking" ] || { tap_ask tap_timed "$@"; return; }
    local name=$1 out; shift
    out=$("$@" 2>&1)
    case $? in
        0) tap_line ok "$name" '' ;;
        1) tap_line spoilt "$name" "$out" ;;
        *) tap_line 'not ok' "$name" "$out" ;;
    esac
}

tap_skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count # SKIP $1"
    echo "# $0: skipped: $1" >&2
}

# A wrong answer fails, if it is sure of itself or wrong three times, unless others took so much of the CPUs that it may
# be their doing.  Answers were right beside others who took 24 % evenly; but who takes all CPUs for one second of
# twenty takes 5 %, and that second may count.  Only the last of three calls does.
tap_ask() {
    local tries share then i spoilt wrong
    for ((tries = 1; ; tries++)); do
        tap_lines=() tap_asking=1 tap_unsure=''
        then=$(tap_cpus)
        "$@"
        share=$(tap_others "$then")
        tap_asking=''
        for ((i = 0, spoilt = 0, wrong = 0; i < ${#tap_lines[@]}; i += 3)); do
            [ "${tap_lines[i]}" != spoilt ] || spoilt=1
            [ "${tap_lines[i]}" != 'not ok' ] || wrong=1    # which no other call makes right
        done
        [[ $spoilt -eq 1 && $wrong -eq 0 && $tries -lt 3 ]] || break
        [[ $share -ge $tap_crowded || -n $tap_unsure && $tap_crowded -le 100 ]] || break
        sleep 5
    done
    for ((i = 0; i < ${#tap_lines[@]}; i += 3)); do
        if [ "${tap_lines[i]}" != spoilt ]; then
            tap_line "${tap_lines[@]:i:3}"
        elif [ "$share" -ge "$tap_crowded" ]; then
            tap_skip "crowded: others took $share % of the CPUs: ${tap_lines[i + 1]}"
        else
            tap_line 'not ok' "${tap_lines[@]:i + 1:2}"
        fi
    done
}

# In ticks: what all CPUs had, and of it what went to other virtual machines; then of each process its number, start and
# parent, what it took, and what those of its children took that it waited for.  Threads of the kernel are left out, for
# they work for all; and the children of the first process, which may be orphans of ours.
tap_cpus() {
    perl -we '
        open my $stat, "<", "/proc/stat" or exit;
        my ($all, @took) = (0, split " ", <$stat>);
        $all += $_ for grep defined, @took[1 .. 8];
        printf "%d %d\n", $all, $took[8] // 0;
        for my $file (glob "/proc/[0-9]*/stat") {
            open my $f, "<", $file or next;
            my ($pid, $rest) = (<$f> // "") =~ /^(\d+) \(.*\) (.*)/s or next;
            my @is = split " ", $rest;
            next if $is[6] & 0x200000;
            printf "%d %d %d %d %d\n", $pid, @is[19, 1], $is[11] + $is[12], $pid > 1 ? $is[13] + $is[14] : 0;
        }'
}

# Others are the processes that were there then, but for this script and its descendants, and what descends from those
# since.  One that ended meanwhile is in what its parent waited for, with all it ever took.
tap_others() {    # -1 where nothing is known
    { echo "$1"; echo; tap_cpus; } | perl -we '
        my $shell = shift;
        my (@all, @process);
        for my $k (0, 1) {
            (<STDIN> // "") =~ /^(\d+) (\d+)$/ or do { print "-1\n"; exit };
            $all[$k] = [$1, $2];
            while ((<STDIN> // "") =~ /^(\d+) (\d+) (\d+) (\d+) (\d+)$/) {
                $process[$k]{$1} = { start => $2, parent => $3, own => $4, children => $5 };
            }
        }
        my ($then, $now) = @process;
        my $others = $all[1][1] - $all[0][1];
        sub stays { my ($w, $n) = ($then->{$_[0]}, $now->{$_[0]}); $w && $n && $w->{start} == $n->{start} }
        sub kin   { my ($of, $p) = @_; do { $p = $of->{$p}{parent} // 0 } until $p <= 1 || stays($p); $p }
        sub ours  { my $p = shift; $p = $then->{$p}{parent} // 0 until $p <= 1 || $p == $shell; $p > 1 }
        my %ended;
        for my $p (keys %$then) {
            $ended{kin($then, $p)} += $then->{$p}{own} + $then->{$p}{children} unless stays($p) || ours($p);
        }
        for my $p (keys %$now) {
            my $old = stays($p) ? $then->{$p} : { own => 0, children => 0 };
            my $from = stays($p) ? $p : kin($now, $p);
            next if ours($from) || $from <= 1 && $p > 1;
            my $waited = $now->{$p}{children} - $old->{children} - ($ended{$p} // 0);
            $others += $now->{$p}{own} - $old->{own} + ($waited > 0 ? $waited : 0);
        }
        printf "%.0f\n", 100 * $others / (($all[1][0] - $all[0][0]) || 1);' $$
}

tap_done() {
    [ "$tap_count" -eq 0 ] || echo "1..$tap_count"
    exit $((tap_failures > 0 || tap_count == 0))
}

tap_have() { command -v "$1" >/dev/null; }

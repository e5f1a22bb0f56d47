#!/usr/bin/env bash
# tap.sh - what becomes of a wrong answer: it is asked for again, skipped or failed (tests/tap.bash)
cd "$(dirname "$0")/.." || exit 2
. tests/tap.bash

outcome() {   # the share that others take, then a question: its results, and how often it was asked
    (
        taken=$1 calls=0 tap_count=0
        sleep() { :; }
        tap_cpus() { :; }
        tap_others() { echo "$taken"; }
        shift
        tap_ask "$@" 2>/dev/null
        echo "of $calls"
    ) | paste -sd' '
}
wrong()     { calls=$((calls + 1)) tap_unsure=$1; tap_timed it false; }
at_last()   { calls=$((calls + 1)) tap_unsure=$1; tap_timed it test "$calls" -ge "$2"; }
status()    { calls=$((calls + 1)); tap_timed it bash -c 'exit 2'; }
beside()    { calls=$((calls + 1)); tap_timed it test "$calls" -ge 2; tap_ok also test "$calls" -ge 2; }
is()        { tap_ok "$1: $2" test "$3" = "$2"; }

is 'sure and wrong on a free machine' 'not ok 1 - it of 1' "$(outcome 0 wrong '')"
is 'where nothing is known of others' 'not ok 1 - it of 1' "$(outcome -1 wrong '')"
is 'unsure and wrong' 'not ok 1 - it of 3' "$(outcome 0 wrong 1)"
is 'unsure, then right' 'ok 1 - it of 2' "$(outcome 0 at_last 1 2)"
is 'unsure, right in the end' 'ok 1 - it of 3' "$(outcome 0 at_last 1 3)"
is 'wrong beside others' 'ok 1 # SKIP crowded: others took 20 % of the CPUs: it of 3' "$(outcome 20 wrong '')"
is 'wrong beside others, then right' 'ok 1 - it of 2' "$(outcome 20 at_last '' 2)"
is 'a status beside others' 'not ok 1 - it of 1' "$(outcome 20 status)"
is 'what others cannot spoil, beside what they can' \
    'ok 1 # SKIP crowded: others took 20 % of the CPUs: it not ok 2 - also of 1' "$(outcome 20 beside)"
is 'by itself, beside others' 'ok 1 # SKIP crowded: others took 20 % of the CPUs: it' "$(
    tap_count=0; sleep() { :; }; tap_cpus() { :; }; tap_others() { echo 20; }; tap_timed it false 2>/dev/null)"
tap_done

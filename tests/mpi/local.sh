#!/usr/bin/env bash
# Programs that use servet_mpi.h on this host: Open MPI and MPICH, 2 and 4 ranks; and sanitized at rank 0 (TAP).
cd "$(dirname "$0")/../.." || exit
. tests/tap.bash
. tests/mpi/launch.bash

# A rank is killed at work: what the launcher makes of it is its own, but it ends, and says so; what was kept is whole.
killed() {    # LIBRARY PROGRAM
    local -n launcher=$1; local program=$2 tries=0 launched one
    OMPI_MCA_odls_base_sigkill_timeout=1 timeout -k 2 "$hang" "${launcher[@]}" -n 4 "$program" \
        --budget 30 -o "$dir/l.json" \
        >"$dir/out" 2>"$dir/err" </dev/null &
    launched=$!
    until one=($(ranks_of mpi_layers l.json)) && [ ${#one[@]} = 4 ]; do
        [ $((++tries)) -lt 3000 ] || { kill $launched; echo 'not four ranks in five minutes'; return 1; }
        sleep 0.1
    done
    sleep 1     # beyond MPI_Init
    kill -KILL "${one[3]}"
    wait $launched
    case $? in 0) echo 'no error'; return 1 ;; 124) echo "not in $hang s"; return 1 ;; esac
}
ranks_of() {    # PROGRAM FILE
    ps -eo pid,stat,comm,args |
        awk -v name=$1 -v own="$dir/$2" '$3 == substr(name, 1, 15) && $2 !~ /Z/ && index($0, own) { print $1 }'
}
left() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do [ -n "$(ranks_of mpi_layers l.json)" ] || return 0; sleep 0.1; done
    ps -eo pid,args | grep mpi_layers
    return 1
}
same_grids() {    # RANKS: the grids of so many ranks are those of one thread on all their rows; strong: of one rank
    build/automaton --rows $((24 * $1)) --far 24 --columns 100 --iterations 3 --trials 1 --csv >"$dir/joined" || return
    awk -F, -v n="$1" 'FNR == 1 { next }
        NR == FNR { if ($2 == 1) want[$1] = $NF; next }
        ($1 == "strong" || $1 == "near") && $2 == 1 { want[$1] = $NF }
        $1 == "near" && $2 == n { seen++; next }    # a grid of each
        $2 == n { seen++; if ($NF != want[$1]) { print $1 ": " $NF ", not " want[$1]; bad = 1 } }
        END { exit bad || seen != 10 }' "$dir/joined" "$dir/out" || told
}
spilt() {    # LIBRARY RANKS PROGRAM ARGUMENT...: into what takes no more
    local -n launcher=$1; local ranks=$2; shift 2
    timeout -k 2 "$hang" "${launcher[@]}" -n $ranks sh -c 'exec "$@" >/dev/full' sh "$@" 2>"$dir/err" </dev/null
    [ $? = 2 ] && [ "$(grep -c "^${1##*/}: " "$dir/err")" = 1 ] &&
        grep -q "^${1##*/}: standard output: No space" "$dir/err" || told
}
misused() {    # WORDS LIBRARY PROGRAM ARGUMENT...: its line has its name
    local words=$1 library=$2; shift 2
    ! runs $library 2 "$@" >/dev/null && grep -q "^${1##*/}: $words" "$dir/err" || told
}
prints() { local line=$1; shift; runs "$@" && says "$line"; }
by_cache() {    # messages are as large as the first cache, and the profile has them so
    local bytes=$(sed -n 's/^messages of \([0-9]*\) bytes: the first cache, .*/\1/p' "$dir/out")
    [ -n "$bytes" ] && [ "$(jq .network.trip_bytes "$dir/l.json")" = "$bytes" ] || told
}
# A level that was not counted is not asked for, so that the file is believed whatever there is.
by_profile() {    # LIBRARY PROGRAM
    jq '.caches = [{bytes: 20480, lo_bytes: 20480, hi_bytes: 20480, source: "measured"}]' "$dir/l.json" \
        >"$SERVET_PROFILE" && runs $1 2 "$2" && says '^messages of 20480 bytes: .*, of the profile' &&
        says '^20480 bytes from one rank' || return
    rm "$SERVET_PROFILE"
}
# Of the file of this machine all stays that a job does not measure; one that is not there is made, with its folders.
wires_alone() {    # LIBRARY PROGRAM
    jq '.caches = [{bytes: 20480, lo_bytes: 20480, hi_bytes: 20480, source: "measured"}] | del(.network)' \
        "$dir/l.json" >"$SERVET_PROFILE" && runs $1 2 "$2" --wires-only --budget 1 -o - || return
    [ "$(jq -c '[.caches[0].bytes, .network.ranks]' "$SERVET_PROFILE")" = '[20480,2]' ] || { told; return; }
    rm "$SERVET_PROFILE"
}
first_file() (    # LIBRARY PROGRAM
    unset SERVET_PROFILE
    export XDG_CACHE_HOME=$dir/cache
    runs $1 2 "$2" --nodes-only --budget 1 -o - && grep -q '"caches"' "$dir"/cache/servet/*.json || told
)
# Each rank on a CPU, the last that may be used first, and a rank on any of two; and back from the profile.
cpus=($(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status | tr , '\n' | awk -F- '{
    for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }'))
bound() {    # LIBRARY PROGRAM ARGUMENT...
    local -n launcher=$1; local to words=(); shift
    for to in "${cpus[1]}" "${cpus[0]}" "${cpus[0]},${cpus[1]}"; do words+=(: -n 1 taskset -c "$to" "$@"); done
    timeout -k 2 "$hang" "${launcher[@]}" "${words[@]:1}" >"$dir/out" 2>"$dir/err" </dev/null || told
}
of_cores() {    # LIBRARY PROGRAM
    rm -f "$dir/b.json"
    bound $1 "$2" --budget 8 --parts layers -o "$dir/b.json" || return
    [ "$(jq -c .network.cpu_plus_1 "$dir/b.json")" = "[$((cpus[1] + 1)),$((cpus[0] + 1)),0]" ] || told
}
shows_cores() {
    says "^from 0 [^ ]+:${cpus[1]}, " && says " 1 [^ ]+:${cpus[0]}( |\$)" && says ' 2 [^ :]+( |$)' &&
        says 'core is not known.*: 1$' && build/servet show "$dir/b.json" >"$dir/out" && says 'core is not known.*: 1$'
}
spread() { bound $1 "$2" --bytes 1000 --budget 1 && says "^[^ ]+, near ranks .*: 2 1:${cpus[0]} 0:${cpus[1]}\$"; }

# What could not be saved is told before anything is measured, and stays.
unsaved() {    # LIBRARY PROGRAM FILE WORDS
    runs $1 2 "$2" --budget 4 -o "$3" >/dev/null && { echo 'no error'; told; return 1; }
    [ ! -s "$dir/out" ] && grep -q "^${2##*/}: $3: .*$4" "$dir/err" || told
}
precious() {    # LIBRARY PROGRAM
    echo diary >"$dir/diary"
    unsaved $1 "$2" "$dir/diary" 'line 1' && [ "$(cat "$dir/diary")" = diary ]
}
unloaded() {    # LIBRARY PROGRAM: a file that is no profile
    runs $1 2 "$2" --load "$dir/diary" >/dev/null && { echo 'no error'; told; return 1; }
    [ ! -s "$dir/out" ] && grep -q "^${2##*/}: $dir/diary: .*line 1" "$dir/err" || told
}
full_device() {    # LIBRARY PROGRAM
    runs $1 2 "$2" --nodes-only --budget 1 -o /dev/full >/dev/null && { echo 'no error'; told; return 1; }
    grep -q "^mpi_suite: /dev/full: cannot be written: No space" "$dir/err" || told
}
to_device() { runs $1 2 "$2" --nodes-only --budget 1 -o /dev/null && [ -c /dev/null ] || told; }
# Each run takes parts of a second, all of them minutes: later where nothing is known yet.
interrupted() {    # LIBRARY SIGNAL PROGRAM
    local -n launcher=$1; local t launched
    printf '%s\n' 'rows = 512' 'columns = 512' 'iterations = 200' 'trials = 16' 'budget = 1500' >"$dir/long.cfg"
    for t in 1 2 4 8 16 32 64; do
        timeout -k 2 "$hang" "${launcher[@]}" -n 2 "$3" --config "$dir/long.cfg" >"$dir/out" 2>"$dir/err" </dev/null &
        launched=$!
        until [ "$(ranks_of mpi_automaton long.cfg | wc -l)" = 2 ] || ! kill -0 $launched; do sleep 0.1; done
        sleep $t
        while kill -0 $launched; do    # again, as SIGINT may be ignored until it is caught
            kill -$2 $(ranks_of mpi_automaton long.cfg)
            sleep 1
        done
        wait $launched
        if grep -q '^interrupted: trials or variations are missing' "$dir/out"; then says '^base  '; return; fi
        ! grep -q 'cells a worker' "$dir/out" || break    # MPICH tells there of ranks that a signal ended
    done
    told
}

# Where ranks are more than CPUs all wait busily for the whole budget.
all_s=4 layers_s=2
[ -z "${AT_LENGTH:-}" ] || all_s=8 layers_s=4

some=0 pairs=(2) whole=1    # what is the same of any library is asked of the first, with AT_LENGTH=1 of all
for library in openmpi mpich; do
    at=build/mpi/$library
    if ! tap_have mpirun.$library || [ ! -x $at/network ]; then
        tap_skip "no mpirun.$library, or no $at/network: make all builds it"
        continue
    fi
    [ "$some" = 0 ] || pairs=() whole=${AT_LENGTH:-}
    some=1
    for n in "${pairs[@]}" 4; do
        rm -f "$SERVET_PROFILE" "$dir/l.json"
        tap_ok "$library, $n: all parts"    runs $library $n $at/network budget_s=$all_s ratio_bytes=1e6
        tap_ok "$library, $n: ... no error, the same status everywhere" says '^status [0-9]+ 1'
        tap_ok "$library, $n: mpi_layers" \
            runs $library $n $at/mpi_layers --budget $layers_s --bytes 65536 -o "$dir/l.json"
        tap_ok "$library, $n: ... shows all ranks" says "^$n ranks on 1 host"
        tap_ok "$library, $n: ... and keeps a profile" grep -q '"network"' "$dir/l.json"
        if tap_have jq; then tap_ok "$library, $n: ... messages are as large as the first cache" by_cache
        else tap_skip 'no jq'; fi
        # On one host there is no distance to measure, which they say.
        tap_ok "$library, $n: mpi_degradation says what it lacks" \
            prints 'not measured' $library $n $at/mpi_degradation --bytes 100000 --budget 3 -o "$dir/d.json"
        tap_ok "$library, $n: mpi_grid_order runs both orders" \
            prints '^column order +[0-9]' $library $n $at/mpi_grid_order --bytes 100000
        tap_ok "$library, $n: mpi_rounds: one message, and all at once" \
            prints "the last of $n at once [0-9]" $library $n $at/mpi_rounds 10000
        tap_ok "$library, $n: ... as large as told" says '^messages of 10000 bytes: as told'
        tap_ok "$library, $n: mpi_automaton" runs $library $n $at/mpi_automaton --rows 24 --far 24 --columns 100 \
            --iterations 3 --trials 2 --csv
        tap_ok "$library, $n: ... the grids that threads compute" same_grids $n
    done
    if tap_have jq; then tap_ok "$library: the first cache of the node's profile" by_profile $library $at/mpi_rounds
    else tap_skip 'no jq'; fi
    if tap_have jq; then tap_ok "$library: mpi_suite: wires alone leave this machine's caches" \
        wires_alone $library $at/mpi_suite
    else tap_skip 'no jq'; fi
    tap_ok "$library: ... and nodes alone make its file" first_file $library $at/mpi_suite
    if tap_have jq && tap_have taskset && [ "${#cpus[@]}" -gt 1 ]; then
        tap_ok "$library: ranks bound to a core: the profile has which" of_cores $library $at/mpi_layers
        tap_ok "$library: ... and it is shown, and of how many there is none" shows_cores
        tap_ok "$library: mpi_degradation spreads processes in the order of CPUs" spread $library $at/mpi_degradation
    else tap_skip 'no jq, no taskset or one CPU: no rank is bound'; fi
    for program in mpi_layers mpi_degradation mpi_suite; do
        tap_ok "$library: $program: -o where nothing can be made" \
            unsaved $library $at/$program "$dir/none/x" 'No such file'
    done
    if [ -c /dev/full ]; then
        tap_ok "$library: mpi_degradation: standard output full" \
            spilt $library 1 $at/mpi_degradation --load "$dir/l.json"
        for program in 'mpi_grid_order --bytes 100000' 'mpi_kernels --bytes 1000' 'mpi_rounds 1000'; do
            tap_ok "$library: ${program%% *}: standard output full" spilt $library 2 $at/$program
        done
        tap_ok "$library: mpi_suite: -o where there is no room" full_device $library $at/mpi_suite
    else tap_skip 'no /dev/full'; fi
    tap_ok "$library: mpi_automaton: an unknown key" misused '--none: unknown key' $library $at/mpi_automaton --none 1
    tap_ok "$library: mpi_rounds: a number with a unit" misused 'BYTES is' $library $at/mpi_rounds 64K
    for program in mpi_layers mpi_degradation; do
        tap_ok "$library: $program: -o of a file that is no profile" precious $library $at/$program
    done
    for program in mpi_degradation mpi_grid_order mpi_kernels; do
        tap_ok "$library: $program: --load of a file that is no profile" unloaded $library $at/$program
    done
    tap_ok "$library: mpi_suite: a device is written to" to_device $library $at/mpi_suite
    for signal in INT TERM; do
        tap_ok "$library: mpi_automaton: SIG$signal ends it with what is known" \
            interrupted $library $signal $at/mpi_automaton
    done
    tap_ok "$library: a rank is killed: it ends, with an error" killed $library $at/mpi_layers
    tap_ok "$library: ... no rank is left" left
    tap_ok "$library: ... and the profile is whole" grep -q '"network"' "$dir/l.json"
    tap_ok "$library: ... to the end" build/servet show "$dir/l.json"
    if [ -x $at-sanitize/network ]; then
        tap_ok "$library, sanitized: all parts" \
            sanitized $library 4 network budget_s=$all_s ratio_bytes=1e6 profile="$dir/s.json"
        tap_ok "$library, sanitized: ... no error" says '^status [0-9]+ 1'
    else
        tap_skip "no $at-sanitize/network"
    fi
done
[ $some = 1 ] || tap_skip 'no MPI'

tap_done

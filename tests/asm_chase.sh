#!/usr/bin/env bash
# The loads of servet_chase_walk_many are in the program, whatever the compiler knows about their result (TAP).
cd "$(dirname "$0")/.." || exit
. tests/tap.bash
. tests/compile/compile.bash
source=tests/compile/walk.c

# Loads of a pointer from where the load before pointed, then a branch, and no other access to memory.
chain() {      # OBJDUMP PROGRAM: the longest such run
    "$1" -d --no-show-raw-insn "$2" | perl -ne '
        s/\s*(?:<.*|\s(?:[#;@]|\/\/)\s.*)?$//;
        my ($op, $args) = /^\s*[0-9a-f]+:\s+(\S+)\s*(.*)/ or next;
        my ($from, $to) = ("$op $args" =~ /^mov[lq]? (?:0x0)?\(%(\w+)\),%(\w+)$/);
        ($to, $from)    = ("$op $args" =~ /^(?:ldr(?:\.[nw])?|ld|lw) (\w+),\s*(?:0\(|\[)(\w+)(?:, #0)?[\])]$/) if !$to;
        if ($to)                        { $run = $run && $from eq $last ? $run + 1 : 1; $last = $to }
        elsif ($op =~ /^(?:j|b|cb|tb)/) { $best = $run if $run > $best; $run = 0 }
        elsif ($op =~ /^(?:call|ret|push|pop)/ || $args =~ /[\[(]/ && $op !~ /^(?:lea|nop)/) { $run = 0 }
        BEGIN { $run = $best = 0 }
        END   { print $best }'
}
run()     { "$@" -o $dir/walk && run=$(chain objdump $dir/walk) && echo "$run loads" && $dir/walk; }
keeps()   { run compile "$@" && [ $run -ge 16 ]; }
drops()   { run compile "$@" && [ $run -lt 16 ]; }
two()     {    # STEPS COMPILER FLAG...
    local steps=$1; shift
    compile "$@" $half -DSTEPS="$steps" -c -o $dir/use.o &&
        { [ -e $dir/$1.o ] ||
            "$@" $half -DSERVET_IMPLEMENTATION -DSERVET_CACHES_ONLY -c -x c servet.h -o $dir/$1.o; } &&
        run "$@" $lld $dir/use.o $dir/$1.o -pthread -lm && [ $run -ge 16 ]
}
there()   {    # TARGET FLAG...: on another machine
    local target=$1; shift
    compile $target-gcc "$@" -o $dir/walk && run=$(chain $target-objdump $dir/walk) && echo "$run loads"
}
there_keeps() { there "$@" && [ $run -ge 16 ]; }
there_drops() { there "$@" && [ $run -lt 16 ]; }

if ! tap_have objdump; then tap_skip "no objdump"; tap_done; fi
# The walk is optimised alike whatever else there is of the header, of which there is little unless at length.
private='-DSERVET_IMPLEMENTATION -DSERVET_STATIC -pthread -lm' half=''
[ -n "$at_length" ] || half=-DSERVET_PURE_ONLY
private+=" $half"
unknown='(size_t)argc * 4096'
for cc in "${C[@]}"; do
    levels=(-O1 -O2 -O3)
    if lto $cc; then levels+=("-O2 $lto $lld"); else tap_skip "$cc cannot link with -flto"; fi
    for steps in 4096 "$unknown"; do
        for level in "${levels[@]}"; do
            tap_ok "$cc $level, same unit, $steps steps" keeps $cc $level $private -DSTEPS="$steps"
        done
        if lto $cc; then tap_ok "$cc -O2 $lto, two units, $steps steps" two "$steps" $cc -O2 $lto; fi
    done
    # The check can see that loads are gone, and it knows them in a plain loop whose result is used.
    tap_ok "$cc drops a naive walk"                   drops $cc -O2 -DNAIVE -DSTEPS=4096
    tap_ok "$cc drops a naive walk of unknown length" drops $cc -O2 -DNAIVE -DSTEPS="$unknown"
    tap_ok "$cc keeps a naive walk that is used"      keeps $cc -O2 -DNAIVE -DUSED -DSTEPS="$unknown"
done
for target in "${TARGETS[@]}"; do
    if ! tap_have $target-gcc; then tap_skip "no $target-gcc"; continue; fi
    tap_ok "$target keeps the walk"                   there_keeps $target -O2 $private -DSTEPS=4096
    tap_ok "$target drops a naive walk"               there_drops $target -O2 -DNAIVE -DSTEPS=4096
    tap_ok "$target keeps a naive walk that is used"  there_keeps $target -O2 -DNAIVE -DUSED -DSTEPS="$unknown"
done

tap_done

#!/usr/bin/env bash
# Every command and every block of C in README.md, as they stand there (TAP).  What they say is asked elsewhere.
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

root=$PWD cc=${CC:-gcc}
servet=$(realpath -- "${SERVET:-build/servet}") models=$(realpath -- build/tests/profile_models)
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C PATH=$dir:$PATH SERVET_PROFILE=$dir/known.json
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# ---- C -------------------------------------------------------------------------------------------------------------

perl -ne 'if (/^```c$/) { open F, ">", ++$n . ".c"; $in = 1 } elsif (/^```/) { $in = 0 } elsif ($in) { print F $_ }' \
    "$root/README.md"
whole() {      # FILE: a program, which measures and loads
    "$cc" -O0 -I"$root" "$1" -o "${1%.c}" -lm -pthread && "./${1%.c}" && "./${1%.c}" | grep -q '^L1 '
}
in_mpi() {     # FILE: statements of one
    { grep -E '^(#|static)' "$1"; echo 'int main(int argc, char **argv) { int rank, status; MPI_Init(&argc, &argv);'
      echo 'MPI_Comm_rank(MPI_COMM_WORLD, &rank);'; grep -vE '^(#|static)' "$1"
      echo 'MPI_Finalize(); return status < 0; }'; } >mpi.c && mpicc -fsyntax-only -I"$root" mpi.c
}
unset SERVET_PROFILE
for file in [0-9]*.c; do
    if ! grep -q servet_mpi.h "$file"; then tap_timed "C: block ${file%.c} compiles and runs" whole "$file"
    elif tap_have mpicc; then tap_ok "C: block ${file%.c} compiles" in_mpi "$file"
    else tap_skip 'no mpicc'; fi
done

# ---- commands ------------------------------------------------------------------------------------------------------

# Lines of blocks and what stands between backquotes, without what follows two blanks; a form has brackets or a |, or
# words in capitals.
perl -ne 'my @said = /^    (?:\$ )?((?:servet|make|mpicc|mpirun|gcc|env|set) .*)/ ? $1 : ();
    push @said, /`((?:build\/)?servet [^`]+|make [^`]+)`/g unless /^    /;
    for (@said) { s/\s+#.*//; s/\s{2,}.*//; print "$_\n" unless $seen{$_}++ }' "$root/README.md" >commands
export SERVET_PROFILE=$dir/known.json
"$models" "$dir" >/dev/null 2>&1 || tap_ok 'profiles of models' false
printf '#!/bin/sh\nexit 0\n' >program && chmod +x program
echo 'int main(void) { return 0; }' >program.c
mkdir build && ln -s "$servet" build/servet && ln -s "$root/examples" "$root"/*.h .

# What takes long is given little time, and compiled without optimising.
servet() {
    case $1 in
    run)   "$servet" "$@" --budget 1 ;;
    paper) "$servet" "$@" ${2:+--quick} ;;
    check) "$servet" "$@"; [ $? -le 1 ] ;;    # 1 where something is not as the system says
    *)     "$servet" "$@" ;;
    esac
}
make()   { command make -C "$root" -n "$@"; }
mpicc()  { command mpicc "${@/-O2/-O0}"; }
mpirun() { command mpirun "$@" --budget 2; }
works() {    # COMMAND
    cp eight.json known.json && cp eight.json machine.json && cp eight.json day.json
    (eval "${1#build/}") >out 2>err </dev/null || { cat out err; return 1; }
}
form() {    # WORD: its help has all options of the command
    local option
    "$servet" help "$1" >out 2>err && grep -q '^usage: servet' out || { cat out err; return 1; }
    for option in $(grep -oE -- '--[a-z]+' <<<"$command"); do
        grep -q -- "$option" out || { echo "help has no $option"; return 1; }
    done
}

mpi=1
tap_have mpicc && tap_have mpirun || mpi=
while read -r command; do
    words=($command)
    case $command in
    mpi*)                       if [ $mpi ]; then tap_timed "$command" works "$command"; else tap_skip 'no MPI'; fi ;;
    'servet [run]'*)            tap_ok "$command" form run ;;
    'servet infer'|servet*' ['*|servet*' | --'*|servet\ [a-z]*\ [A-Z]*) tap_ok "$command" form "${words[1]}" ;;
    *)                          tap_timed "$command" works "$command" ;;
    esac
done <commands
tap_ok 'there are commands' test "$(grep -c . commands)" -ge 30

# ---- files ---------------------------------------------------------------------------------------------------------

there() {    # what it points to
    local file bad=0
    for file in $(grep -oE '\]\([^)#:]+\)' "$root/README.md" | tr -d '])('); do
        [ -s "$root/$file" ] || { echo "no $file"; bad=1; }
    done
    for file in $(grep -oE '`(examples|bench|tests)/[a-z0-9_./]+`' "$root/README.md" | tr -d '`'); do
        [ -e "$root/$file" ] || [ -e "$root/$file.c" ] || { echo "no $file"; bad=1; }
    done
    return $bad
}
tap_ok 'files that are named are there' there
if tap_have xmllint; then tap_ok 'the picture is well-formed' xmllint --noout "$root/examples/curve.svg"
else tap_skip 'no xmllint'; fi
tap_done

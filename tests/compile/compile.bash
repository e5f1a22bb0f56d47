# compile.bash - ways to compile the programs in tests/compile; sourced by tests/*.sh after tap.bash

: "${WARN:?and WARN_C come from the Makefile: make test-fast FAST=$0}"
dir=build/$(basename "$0" .sh)
rm -rf "$dir"
mkdir -p "$dir"

# compile COMPILER FLAG...: with the warnings of the house as errors
source=tests/compile/user.c
compile() {
    local cc=$1; shift
    case $cc in
        *++) $cc $WARN -Werror -I. -x c++ $source -x none "$@" ;;
        *)   $cc $WARN $WARN_C -Werror -I. $source "$@" ;;
    esac
}

# Optimised code takes ten times as long to compile: -O1 and more are what they say with AT_LENGTH=1 (make test-all),
# else -O0, but for one compilation by a compiler of C that others are not.
at_length=${AT_LENGTH:-}
at() { [ -n "$at_length" ] && echo "$1" || echo "${2:--O0}"; }
standards() { [ -n "$at_length" ] && echo "$1" || echo "$2"; }    # all, or the oldest, the newest and what is usual

# lto COMPILER: sets $lto to compile and $lld to link with; fails where it does not link
lto() {
    case $1 in gcc) lto=-flto=auto lld= ;; *) lto=-flto lld=-fuse-ld=lld ;; esac
    echo 'int main(void) { return 0; }' | $1 $lto $lld -x c - -o $dir/lto 2>/dev/null
}

# only PATTERN KNOWN: standard input holds KNOWN, or nothing was looked at; and all of it matches
only() {
    local in; in=$(cat)
    grep -qx -- "$2" <<<"$in" || { echo "does not see $2"; return 1; }
    ! grep -vxE -- "$1" <<<"$in"
}

TARGETS=(aarch64-linux-gnu riscv64-linux-gnu powerpc64le-linux-gnu arm-linux-gnueabihf i686-linux-gnu)
C=() CXX=()
for cc in gcc clang;    do if tap_have $cc;  then C+=($cc);    else tap_skip "no $cc";  fi; done
for cxx in g++ clang++; do if tap_have $cxx; then CXX+=($cxx); else tap_skip "no $cxx"; fi; done

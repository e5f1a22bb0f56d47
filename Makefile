# servet: build, run, test.  `make help` says what there is to do.
# Yours to set: CC CXX CFLAGS CXXFLAGS LDFLAGS LDLIBS WERROR SANITIZE MPICC

CC        = gcc
CXX       = g++
CFLAGS   ?= -O2 -g1
CXXFLAGS ?= $(CFLAGS)
LDFLAGS  ?=
LDLIBS    = -pthread -lm
WERROR    = -Werror
SANITIZE  = -fsanitize=address,undefined -fno-sanitize-recover=all
RACES     = -fsanitize=thread
MPICC     = mpicc

WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-qual -Wcast-align \
           -Wwrite-strings -Wdouble-promotion -Wformat=2 -Wvla -Wredundant-decls -Wstrict-aliasing=2
WARN_C   = -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
export WARN WARN_C CC

# Units are named by the section of servet.h that they test, mpi_* of servet_mpi.h, export_* by `servet export`: the
# table is in tests/README.md.
UNIT_C   := $(filter-out tests/referee.c,$(wildcard tests/*.c))

# Two compilers beside each other, each with half a gigabyte; make -j8 overrides.
MAKEFLAGS += -j2

programs  = $(addprefix build/$(1),$(basename $(notdir $(wildcard $(2)))))
EXAMPLES := $(call programs,,examples/*.c examples/*.cpp)
BENCHES  := $(call programs,bench/,$(filter-out bench/payoff_%,$(wildcard bench/*.c)))
PAYOFF   := $(call programs,bench/,bench/payoff_*.c)
UNITS    := $(call programs,tests/,$(UNIT_C))
# not sanitized: they take long
SLOW     := $(addprefix %/,profile_infer levels_bias levels_curves hierarchy_lines hierarchy_survival groups_matrices \
            pairs_latency pairs_nodes pairs_contention mpi_network mpi_layers count_levels profile_files \
            profile_again profile_models levels_paper)
MACHINE  := $(call programs,machine/,tests/machine/*.c)
CHECKED  := $(patsubst build/tests/%,build/sanitize/%,$(filter-out $(SLOW) %/sim_machines,$(UNITS))) \
            $(addprefix build/valgrind/,stats_samples chase_cycles) \
            $(addprefix build/races/,bandwidth_streams backend_handoff coherence_lines)
SCRIPTS  := $(sort $(wildcard tests/*.sh tests/*.pl tests/mpi/*.sh))

# Programs of MPI by the libraries they are tested with; scripts skip what could not be built.
LIBRARIES = openmpi mpich smpi
COMPILER_openmpi = mpicc.openmpi
COMPILER_mpich   = mpicc.mpich
COMPILER_smpi    = smpicc
MPI_NAMES := $(filter-out wire still,$(basename $(notdir $(wildcard tests/mpi/*.c examples/mpi_*.c))))
MPI_REAL := openmpi mpich
MPI      := build/mpi/wire build/mpi/still.so \
            $(foreach l,$(MPI_REAL),$(addprefix build/mpi/$l/,$(filter-out plain,$(MPI_NAMES)))) \
            $(foreach l,$(MPI_REAL),$(addprefix build/mpi/$l-sanitize/,$(filter-out plain mpi_%,$(MPI_NAMES)))) \
            $(addprefix build/mpi/smpi/,$(filter-out exchange,$(MPI_NAMES)))

# The longest first.  make test-fast FAST=tests/cli.sh runs that one alone, with what it needs.
LONG     = build/tests/profile_infer tests/link.sh tests/mpi/header.sh build/sanitize/profile_whole
QUIET    = tests/mpi/sockets.sh
FAST     = $(filter-out $(SLOW) %/levels_fit,$(UNITS)) tests/lint.pl tests/tap.sh
FAST_ON  = $(if $(filter tests/cli.sh,$(FAST)),$(EXAMPLES)) $(if $(filter tests/mpi/%,$(FAST)),$(EXAMPLES) $(MPI)) \
           $(if $(filter tests/report.sh tests/readme.sh,$(FAST)),build/servet build/tests/profile_models)
TESTS    = $(LONG) $(filter-out $(LONG) $(QUIET),$(filter $(SLOW),$(UNITS)) $(filter-out $(SLOW),$(UNITS)) $(SCRIPTS) \
           $(CHECKED)) $(MACHINE) $(QUIET)
# Programs may run beside each other; what no rule names, on this machine, runs alone and last.
PROVE    = prove --timer -e '' -j 2 --rules 'par=tests/*' --rules 'par=tests/mpi/{header,smpi,local,map}.sh' \
           --rules 'par=build/{tests,sanitize,valgrind,races}/**'

HEADERS  := servet.h $(wildcard servet_mpi.h tests/*.h) Makefile
# Tests that see types and variables inside servet.h compile it themselves; all others link one compiled copy.
OWN      := $(basename $(notdir $(shell grep -l '^\#define SERVET_IMPLEMENTATION' $(UNIT_C) tests/machine/*.c)))
copy      = $(if $(filter $(notdir $@),$(OWN)),,$(1))
C_LINE    = $(CC) $(WARN) $(WARN_C) $(WERROR) $(CPPFLAGS) -I. $(CFLAGS)
CXX_LINE  = $(CXX) $(WARN) $(WERROR) $(CPPFLAGS) -I. $(CXXFLAGS)
LINK      = -o $@ $< $(LDFLAGS) $(LDLIBS)
DONE      = -DSERVET_IMPLEMENTATION_DONE

# Packages (Debian, Ubuntu).  Not gcc-multilib: it excludes the compilers for other machines.
DEPS = gcc g++ binutils perl clang lld valgrind jq libxml2-utils hwloc-nox stress-ng musl-tools qemu-user iproute2 \
       tidy openmpi-bin libopenmpi-dev mpich libmpich-dev libsimgrid-dev \
       gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross \
       gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross \
       gcc-i686-linux-gnu libc6-dev-i386-cross

.PHONY: all run test test-fast test-all referee deps examples bench payoff lint help clean

all: examples $(BENCHES) $(PAYOFF) $(UNITS) $(MACHINE) $(MPI)   ## build everything (default)

# From a clone to the report in 20 s, of which the compiler takes half: the suite but survival and prefetched loads.
run: build/servet               ## measure this machine, print the report, write the profile
	build/servet run --budget 7

# What takes longest to compile comes first.  Examples of MPI are built for each library below build/mpi.
NEEDED   = build/sanitize/servet.o build/referee $(filter-out build/mpi_%,$(EXAMPLES)) $(MPI)
test: $(NEEDED) $(TESTS)           ## all tests, with sanitizers, valgrind and on this machine
	@$(PROVE) $(TESTS)

test-fast: $(FAST) $(FAST_ON)   ## the quick tests of what needs no machine: a minute
	@$(PROVE) $(FAST)

referee: build/referee          ## the table of rates that says whether a change to inference is good: SEEDS=1
	@$(if $(SEEDS),REFEREE_SEEDS=$(SEEDS)) build/referee

# In `make test` sanitizers alone look for memory errors of these.
AT_LENGTH = build/sanitize/sim_machines build/valgrind/profile_whole
test-all: $(NEEDED) $(TESTS) $(AT_LENGTH)   ## all tests at full length, hours
	@AT_LENGTH=1 INFER_ALL=1 $(PROVE) $(TESTS) $(AT_LENGTH)

lint:                           ## what a compiler does not see in the headers
	@prove -e '' tests/lint.pl

examples: $(EXAMPLES)           ## build the examples into build/

bench: $(BENCHES) build/mpi/smpi/network   ## build the benchmarks and run them
	@set -e; for b in $(BENCHES) bench/network.sh; do echo "== $$b"; $$b; done

payoff: $(PAYOFF)               ## does it pay to act on what was measured?  A line a use: BUSY=1 beside a busy process
	@rows=; for b in $(PAYOFF); do $$b $$rows $(if $(BUSY),--busy) || exit; rows=--rows; done

deps:                           ## install what the tests use (apt-get, as root or with sudo)
	@missing=; for p in $(DEPS); do \
	    dpkg -s $$p 2>/dev/null | grep -q '^Status:.* ok installed' || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || { echo "deps: all are installed"; exit 0; }; \
	command -v apt-get >/dev/null || { echo "deps: no apt-get here; what needs these is skipped:$$missing"; exit 0; }; \
	[ "$$(id -u)" = 0 ] && sudo= || sudo="sudo -n"; \
	install="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"; \
	$$sudo apt-get update -q; \
	$$install $$missing || for p in $$missing; do \
	    $$install $$p || echo "deps: NOT INSTALLED: $$p; what needs it is skipped"; done

clean:                          ## remove build/
	rm -rf build

help:                           ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

# `make -j deps test` installs first.
OBJECTS = build/servet.o build/command.o build/sanitize/servet.o \
          $(foreach l,$(LIBRARIES),build/mpi/$l/servet_mpi.o build/mpi/$l-sanitize/servet_mpi.o)
$(OBJECTS) $(EXAMPLES) $(BENCHES) $(PAYOFF) $(MPI) $(TESTS) build/sanitize/sim_machines: \
          | $(filter deps,$(MAKECMDGOALS))

# The compiled copy.  Tests call some of its private functions as well, declared in tests/private.h; the compiler sees
# here that they are declared as they are.
COPY      = printf '\#include "%s"\n' servet.h tests/private.h | \
            $(C_LINE) -fPIC -fno-semantic-interposition -DSERVET_IMPLEMENTATION -DSERVET__PRIVATE= \
            -Wno-missing-prototypes -x c -c -o $@
build/servet.o: servet.h tests/private.h Makefile
	@mkdir -p $(@D)
	$(COPY) -

# The command is as long as some headers, and compiled beside them.
build/command.o: examples/servet.c $(wildcard examples/*.h) $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) $(DONE) -c -o $@ $<

build/servet: build/command.o build/servet.o
	$(C_LINE) -o $@ $^ $(LDFLAGS) $(LDLIBS)

build/%: examples/%.c build/servet.o $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) $(DONE) build/servet.o $(LINK)

build/%: examples/%.cpp build/servet.o $(HEADERS)
	@mkdir -p $(@D)
	$(CXX_LINE) $(DONE) build/servet.o $(LINK)

# A program of MPI needs its compiler: where there is none a line says so, and nothing is made.  The macros of Open
# MPI's header would be warned of in our lines, but for -isystem.
mpi = @mkdir -p $(@D); if command -v $(1) >/dev/null; \
      then system=$$($(1) --showme:compile 2>/dev/null | sed 's/-I */-isystem /g'); set -x; $(2); \
      else echo "$@ is not built: no $(1)" >&2; fi
MPI_LINE  = $$system $(WARN) $(WARN_C) $(WERROR) $(CPPFLAGS) -I. $(CFLAGS)

build/mpi_%: examples/mpi_%.c build/servet.o $(HEADERS)
	$(call mpi,$(MPICC),$(MPICC) $(MPI_LINE) $(DONE) build/servet.o $(LINK))

# Those for tests share a copy of servet_mpi.h as well, one for each library.
define mpi_rules
build/mpi/$(1)/servet_mpi.o: servet.h servet_mpi.h Makefile
	$$(call mpi,$$(COMPILER_$(1)),$$(MPI_TEXT) | $$(COMPILER_$(1)) $$(MPI_LINE) $$(MPI_COPY))
build/mpi/$(1)-sanitize/servet_mpi.o: servet.h servet_mpi.h Makefile
	$$(call mpi,$$(COMPILER_$(1)),$$(MPI_TEXT) | $$(COMPILER_$(1)) $$(MPI_LINE) $$(MPI_SANITIZED) $$(MPI_COPY))
build/mpi/$(1)/%: tests/mpi/%.c build/servet.o build/mpi/$(1)/servet_mpi.o $$(HEADERS)
	$$(call mpi,$$(COMPILER_$(1)),$$(COMPILER_$(1)) $$(MPI_LINE) $$(MPI_LINK))
build/mpi/$(1)/%: examples/%.c build/servet.o build/mpi/$(1)/servet_mpi.o $$(HEADERS)
	$$(call mpi,$$(COMPILER_$(1)),$$(COMPILER_$(1)) $$(MPI_LINE) $$(MPI_LINK))
build/mpi/$(1)-sanitize/%: tests/mpi/%.c build/servet.o build/mpi/$(1)-sanitize/servet_mpi.o $$(HEADERS)
	$$(call mpi,$$(COMPILER_$(1)),$$(COMPILER_$(1)) $$(MPI_LINE) $$(MPI_SANITIZED) $$(MPI_LINK))
endef
MPI_TEXT  = echo '\#include "servet_mpi.h"'
MPI_SANITIZED = -O0 $(SANITIZE)    # these wait more than they work
# exchange sees what the library calls of MPI, and so compiles it.
MPI_COPY  = -fPIC -DSERVET_MPI_IMPLEMENTATION -x c -c -o $@ -
MPI_DONE  = $(if $(filter exchange,$(@F)),,-DSERVET_MPI_IMPLEMENTATION_DONE $(@D)/servet_mpi.o)
MPI_LINK  = $(DONE) $(MPI_DONE) build/servet.o $(LINK)
$(foreach l,$(LIBRARIES),$(eval $(call mpi_rules,$l)))

build/referee: tests/referee.c build/servet.o $(HEADERS)
	$(C_LINE) $(DONE) build/servet.o $(LINK)

build/mpi/wire: tests/mpi/wire.c Makefile
	@mkdir -p $(@D)
	$(C_LINE) $(LINK)

build/mpi/still.so: tests/mpi/still.c Makefile
	@mkdir -p $(@D)
	$(C_LINE) -shared -fPIC $(LINK)

build/bench/%: bench/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) -DBENCH_FLAGS='"$(CFLAGS)"' $(LINK)

build/bench/mapping: LDLIBS += -ldl
build/bench/mapping: tests/mapping.h

build/bench/payoff_%: bench/payoff_%.c bench/payoff.h build/servet.o $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) $(DONE) build/servet.o $(LINK)

build/tests/%: tests/%.c build/servet.o $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) $(call copy,build/servet.o) $(LINK)

$(addsuffix /levels_paper,build/tests build/sanitize): examples/paper_fit.h
$(addsuffix /mpi_network,build/tests build/sanitize): examples/places.h
$(addsuffix /profile_models,build/tests build/sanitize): examples/fitted.h
$(foreach t,export_trees ask_answers,$(addsuffix /$t,build/tests build/sanitize)): examples/hwloc.h examples/places.h

build/machine/%: tests/machine/%.c build/servet.o $(HEADERS)
	@mkdir -p $(@D)
	$(C_LINE) $(call copy,build/servet.o) $(LINK)

# Where a tool is missing, a script in its place tells prove that and why the test is skipped.
skip = printf '\#!/bin/sh\necho "1..0 \# SKIP %s"\n' '$(1)' >$@ && chmod +x $@

# Optimised little: at -O2 the sanitized copy takes twice as long to compile, and its tests hardly less to run.
SANITIZED = -O1 $(SANITIZE)
RACING    = -O1 $(RACES)
build/sanitize/servet.o: servet.h tests/private.h Makefile
	@mkdir -p $(@D)
	@if echo 'int main(void) { return 0; }' | $(CC) $(SANITIZE) -x c - -o $(@:.o=.able) 2>/dev/null; \
	then set -x; $(COPY) $(SANITIZED) -; else : >$@; fi

build/sanitize/%: tests/%.c build/sanitize/servet.o $(HEADERS)
	@if [ -s build/sanitize/servet.o ]; \
	then set -x; $(C_LINE) $(SANITIZED) $(call copy,build/sanitize/servet.o) $(LINK); \
	else $(call skip,$(CC) has no $(SANITIZE)); fi

# It runs nowhere where the system draws addresses from a range it does not know.
build/races/%: tests/%.c $(HEADERS)
	@mkdir -p $(@D)
	@if echo 'int main(void) { return 0; }' | $(CC) $(RACES) -x c - -o $@ 2>/dev/null && $@ 2>/dev/null; \
	then set -x; $(C_LINE) $(RACING) $(LINK); \
	else $(call skip,$(CC) has no $(RACES) that runs here); fi

build/valgrind/%: build/tests/%
	@mkdir -p $(@D)
	@if command -v valgrind >/dev/null; \
	then printf '#!/bin/sh\nPROFILE_FEW=1 exec valgrind -q --leak-check=full --error-exitcode=9 $<\n' >$@ && chmod +x $@; \
	else $(call skip,no valgrind); fi

# One word for each thing one does here; CMake presets do the work. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo build test bench chaos hosts asan tsan fuzz format tidy report-bundle deps clean

JOBS ?= $(shell nproc)
# Parties of networked tests wait for each other most of the time.
TEST_JOBS ?= $(shell expr $$(nproc) + 1)
# What was compiled in one clone need not be compiled again in the next.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
SOURCES = git ls-files --cached --others --exclude-standard -- '*.h' '*.cc'

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## install what is needed, build, train FedVS on Fashion-MNIST
	build/release/fedvs train --data fashion-mnist --out "runs/demo-$$(date +%Y%m%d-%H%M%S)"

build: ## the program, build/release/fedvs
	scripts/install-deps --demo
	cmake --preset release -DFEDVS_TESTS=OFF
	cmake --build --preset release -j $(JOBS)

test: deps ## build and run all tests
	cmake --preset release -DFEDVS_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(TEST_JOBS)

asan: deps ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	ASAN_OPTIONS=halt_on_error=1:detect_leaks=1:strict_string_checks=1 \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	ctest --preset asan -j $(TEST_JOBS)

# Only the tests labelled tsan are built: a test named a/b_test is the target a_b_test.
tsan: deps ## tests of the protocol, the simulator and threads under ThreadSanitizer
	cmake --preset tsan
	tests=$$(ctest --preset tsan -N | sed -n 's/^ *Test *#[0-9]*: //p' | tr / _); \
	cmake --build --preset tsan -j $(JOBS) --target $$tests
	TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 ctest --preset tsan -j $(TEST_JOBS)

# A short form for every change: make fuzz FUZZ_SECONDS=30
FUZZ_SECONDS ?= 600
fuzz: ## throw mutated messages at what reads them; FUZZ_SECONDS, 600 by default
	scripts/install-deps --fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

bench: ## measure against the peers and the goals; writes build/bench.json
	scripts/install-deps --bench
	cmake --preset release -B build/bench -DFEDVS_TESTS=OFF -DFEDVS_BENCH=ON
	cmake --build build/bench -j $(JOBS)
	scripts/bench

chaos: build ## ten minutes of parties killed and stopped; power cuts; half an hour watched for what grows
	scripts/chaos
	scripts/chaos --power-cuts 10
	scripts/chaos --soak 1800

hosts: build ## as root: a run across network namespaces, one client far away, one cut off
	scripts/hosts

format: ## lay out all code by .clang-format
	scripts/install-deps --tools
	$(SOURCES) | xargs clang-format -i

# clang cannot read libtorch's headers as C++20, so the files that include them are left out.
tidy: ## look for mistakes with clang-tidy
	scripts/install-deps --tools
	cmake --preset release -DFEDVS_TESTS=ON
	$(SOURCES) | grep '\.cc$$' | { xargs grep -L '<torch/' || true; } | \
	  xargs -P $(JOBS) -n 4 clang-tidy -p build/release --quiet --warnings-as-errors='*'

report-bundle: ## rebuild the report page's script (needs node and npm)
	cd src/fedvs/report/web && npm ci --ignore-scripts && npm run build

deps: ## install the Debian packages to build and test
	scripts/install-deps

clean: ## remove build/; runs/ stays
	rm -rf build

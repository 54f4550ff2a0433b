# The short way in. Each target installs the Debian packages it lacks (tools/install-deps), then hands over to the CMake
# presets, which work just as well by themselves: cmake --preset debug && cmake --build --preset debug.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

.PHONY: help build test demo e2e conformance bench sanitize fuzz format tidy install clean deps clang-deps
.NOTPARALLEL:

help: ## this text
	@echo "make <target>, where the target is:"
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

build: deps ## the library and its tools in build/release, programs in build/release/bin
	@$(call build,release,all)

test: deps ## release build, all unit tests, the fuzz corpus
	@$(call build,release,all)
	@$(call run_tests,release)

demo: deps ## build the operators of examples/ and run all of them on a control plane of their own, in a live table
	@export NINJA_STATUS='[%f of %t, %e s] '; $(call build,release,demo)
	@build/release/bin/keelson-demo

e2e: deps ## the tests against a real Kubernetes, which is built first; needs Go
	@$(call build,release,all)
	@tests/e2e/run

conformance: deps ## Kubernetes' own conformance tests of the API against keelson up; needs Go, and minutes the first time
	@$(call build,release,keelson)
	@tests/e2e/conformance

bench: deps ## measure beside client-go, controller-runtime and kube-rs where Go and cargo are; writes docs/performance.md
	@$(call build,release,bench_programs keelson)
	@bench/run --write

# llvm-symbolizer is there: without it a report has addresses where it should have lines.
sanitize fuzz: export PATH := /usr/lib/llvm-19/bin:$(PATH)

sanitize: clang-deps ## all tests under ASan and UBSan, then under TSan
	@$(call build,asan,all)
	@$(call run_tests,asan)
	@$(call build,tsan,all)
	@$(call run_tests,tsan)

# What it finds goes to build/fuzz/; a new input worth keeping is copied to fuzz/corpus/<name>/ by hand.
fuzz: clang-deps ## look for new inputs with libFuzzer, FUZZ_SECONDS=60 for each program
	@$(call build,fuzz,fuzz_programs)
	@set -e; for source in $(wildcard fuzz/*_fuzz.cc); do \
	  name=$$(basename $$source _fuzz.cc); echo "== fuzz-$$name, $(FUZZ_SECONDS) s"; \
	  mkdir -p build/fuzz/found/$$name build/fuzz/crashes/$$name; \
	  build/fuzz/bin/fuzz-$$name -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/crashes/$$name/ \
	    build/fuzz/found/$$name $(wildcard fuzz/corpus)/$$name; \
	done

format: clang-deps ## rewrite all C++ files in the project's format, recorded ones excepted
	@git ls-files -z --cached --others --exclude-standard '*.h' '*.cc' ':!tests/data' | xargs -0 -r clang-format-19 -i

tidy: clang-deps ## build with Clang, then clang-tidy over all C++ files
	@$(call build,clang,all)
	@run-clang-tidy-19 -quiet -j $(JOBS) -p build/clang '^$(CURDIR)/(keelson|tests|fuzz|bench)/'

install: deps ## libraries, headers and CMake package under PREFIX=/usr/local
	@$(call build,release,keelson_layers)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build

deps:
	@tools/install-deps

clang-deps:
	@tools/install-deps clang

# $(call build,<preset>,<target>): configures when that was never done or the presets changed since; from then on Ninja
# itself notices what changed.
define build
set -e; started=$$(date +%s); \
if [ ! build/$(1)/build.ninja -nt CMakePresets.json ]; then \
  echo "configuring build/$(1)"; cmake --preset $(1) --log-level=WARNING >/dev/null; \
fi; \
cmake --build --preset $(1) --target $(2); \
echo "built build/$(1) in $$(($$(date +%s) - started)) s"
endef

# Ends with ctest's own summary, which says how long the run took.
define run_tests
ctest --test-dir build/$(1) --output-on-failure --timeout 300 -j $(JOBS)
endef

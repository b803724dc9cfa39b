# make demo       from a fresh machine to privatized text
# make test       the tests that every change passes, in less than twenty minutes
# make test-long  besides these full grids, every sanitizer and the fuzzers; takes hours
# make build      the program, build/release/sotto
# make fuzz       every fuzzer for SECONDS=60, or TARGET=name alone
# PRESET=dev|asan-ubsan|tsan|coverage chooses another build.
.PHONY: demo test test-long test-slices build configure setup format fuzz
PRESET ?= release
LONG_PRESETS = dev asan-ubsan tsan

demo: build
	@examples/demo.sh build/$(PRESET)/sotto

build: configure
	@cmake --build --preset $(PRESET) --target sotto_cli

test: configure
	@cmake --build --preset $(PRESET)
	@ctest --preset $(PRESET)

# What continuous integration adds: the fuzzers' corpora, and a slice of the grid of policies and mechanisms.
test-slices: test
	@ctest --preset slices

test-long: test-slices
	@ctest --preset long
	@set -e; for preset in $(LONG_PRESETS); do $(MAKE) test PRESET=$$preset; done
	@$(MAKE) fuzz SECONDS=600

configure: setup
	@cmake --preset $(PRESET) --log-level=NOTICE

setup:
	@tools/setup.sh

fuzz: setup
	@tools/setup.sh packages-fuzz.txt
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz
	@tools/fuzz.sh $(or $(SECONDS),60) $(TARGET)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

# make demo    from a fresh machine to privatized text
# make test    every test
# make build   the program, build/release/sotto
# make fuzz    every fuzzer for SECONDS=60, or TARGET=name alone
# PRESET=dev|asan-ubsan|tsan|coverage chooses another build.
.PHONY: demo test build configure setup format fuzz
PRESET ?= release

demo: build
	@examples/demo.sh build/$(PRESET)/sotto

build: configure
	@cmake --build --preset $(PRESET) --target sotto_cli

test: configure
	@cmake --build --preset $(PRESET)
	@ctest --preset $(PRESET)

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

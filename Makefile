# make demo    from a fresh machine to privatized text
# make test    every test
# make build   the program, build/release/sotto
# PRESET=dev|asan-ubsan|tsan|coverage chooses another build.
.PHONY: demo test build configure setup format
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

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

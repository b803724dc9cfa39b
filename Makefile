# make demo   from a fresh machine to privatized text
# make test   every test
# make build  the program, in build/release/sotto
.PHONY: demo test build setup format
PRESET ?= release

demo: build
	@examples/demo.sh build/$(PRESET)/sotto

test: build
	ctest --preset $(PRESET)

build: setup
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET)

setup:
	@tools/setup.sh

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

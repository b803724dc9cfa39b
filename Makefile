# make demo       from a fresh machine to privatized text
# make test       the tests that every change must pass, in less than twenty minutes
# make test-long  adds full grids, sanitizers and fuzzers; takes hours
# make test-python  the Python package's adapters, with the packages that they are for; in build/venv-adapters
# make build      the program and its manual pages, build/release/sotto; the plugin where libtorch is installed
# make deb        Debian packages, build/deb/packages
# make test-deb   installs, uses and removes these packages; as root, on a machine that may be changed
# make test-web  the pages of `sotto serve` in Chromium: types, behaviour, accessibility; its tools in build/web
# make test-gateway  sotto serve behind a LiteLLM proxy, asked as Presidio is, and by schemathesis; in build/venv-gateway
# make test-clusters  the Python package on clusters of Ray and Spark, on this machine; in build/venv-clusters
# make sbom       a bill of materials of what is linked and shipped, build/release/sotto.spdx.json
# make wheel      Python wheels, build/wheels, tested as they install
# make fuzz       every fuzzer for SECONDS=60, or only TARGET=name
# PRESET=dev|asan-ubsan|tsan|coverage selects another build.
.PHONY: demo test test-long test-slices test-python test-web test-gateway test-clusters build configure setup format fuzz deb test-deb sbom wheel
PRESET ?= release
SETUP = packages.txt
LONG_PRESETS = dev asan-ubsan tsan
# Sanitizers and coverage would need an interpreter of their own.
PYTHON_OPTIONS = $(if $(filter release,$(PRESET)),-DSOTTO_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/venv/bin/python)

demo: build
	@examples/demo.sh build/$(PRESET)/sotto

build: configure
	@cmake --build --preset $(PRESET) --target sotto_program

test: SETUP = packages.txt packages-test.txt
test: OPTIONS = -DSOTTO_BUILD_TESTS=ON $(PYTHON_OPTIONS)
test: configure
	@cmake --build --preset $(PRESET)
	@ctest --preset $(PRESET)

# Continuous integration adds the fuzzers' corpora and a slice of the grid of policies and mechanisms.
test-slices: test
	@ctest --preset slices

test-long: test-slices
	@ctest --preset long
	@set -e; for preset in $(LONG_PRESETS); do $(MAKE) test PRESET=$$preset; done
	@$(MAKE) fuzz SECONDS=600

test-python: SETUP = packages.txt packages-test.txt
test-python: PYTHON = $(CURDIR)/build/venv-adapters/bin/python
test-python: PACKAGE = $(CURDIR)/build/$(PRESET)/python
test-python: setup
	@tools/venv.sh build/venv-adapters python/requirements-adapters.txt
	@cmake --preset $(PRESET) -DSOTTO_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target sotto_python sotto_program
	@PYTHONPATH=$(PACKAGE) PYTHONDONTWRITEBYTECODE=1 SOTTO_PROGRAM=$(CURDIR)/build/$(PRESET)/sotto \
	  $(PYTHON) -m pytest -q -p no:cacheprovider python/tests/adapters
	@MYPYPATH=$(PACKAGE) $(PYTHON) -m mypy --strict --cache-dir=/dev/null

# Modules are found from where tests lie, so these are copied to where the tools are.
test-web: SETUP = packages.txt packages-web.txt
test-web: build
	@command -v npm >/dev/null || { echo "make test-web needs npm, with Node.js 20 or later" >&2; exit 1; }
	@mkdir -p build/web && rm -rf build/web/web build/web/*.mjs && cp -R web tests/web/. web/package.json web/package-lock.json build/web
	@cd build/web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@build/web/node_modules/.bin/tsc -p build/web/web
	@SOTTO=$(CURDIR)/build/$(PRESET)/sotto node --test --test-concurrency=1 build/web/*.spec.mjs

test-gateway: SETUP = packages.txt packages-test.txt
test-gateway: build
	@tools/venv.sh build/venv-gateway tests/server/gateway/requirements.txt
	@PYTHONDONTWRITEBYTECODE=1 SOTTO_PROGRAM=$(CURDIR)/build/$(PRESET)/sotto \
	  build/venv-gateway/bin/python -m pytest -q -p no:cacheprovider tests/server/gateway

configure: setup
	@$(if $(findstring PYTHON=ON,$(OPTIONS)),tools/venv.sh build/venv python/requirements-test.txt)
	@cmake --preset $(PRESET) $(OPTIONS) --log-level=NOTICE

setup:
	@tools/setup.sh $(SETUP)

fuzz: setup
	@tools/setup.sh packages-fuzz.txt
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz
	@tools/fuzz.sh $(or $(SECONDS),60) $(TARGET)

wheel: SETUP = packages.txt packages-test.txt
wheel: build
	@tools/venv.sh build/venv-adapters python/requirements-adapters.txt
	@tools/wheel.sh build/venv-adapters/bin/python build/$(PRESET)/sotto

# The packages are dated by the last commit, so that the same tree gives the same packages.
deb: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
deb: setup
	@tools/setup.sh packages-deb.txt
	@cmake --preset deb --log-level=NOTICE
	@cmake --build --preset deb
	@cd build/deb && rm -rf packages && cpack
	@lintian --fail-on error build/deb/packages/*.deb

test-deb: deb
	@tests/packages/test_packages.sh build/deb/packages

test-clusters: SETUP = packages.txt packages-clusters.txt
test-clusters: PYTHON = $(CURDIR)/build/venv-clusters/bin/python
test-clusters: setup
	@tools/venv.sh build/venv-clusters python/requirements-clusters.txt
	@cmake --preset $(PRESET) -DSOTTO_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target sotto_python sotto_program
	@PYTHONPATH=$(CURDIR)/build/$(PRESET)/python PYTHONDONTWRITEBYTECODE=1 SOTTO_PROGRAM=$(CURDIR)/build/$(PRESET)/sotto \
	  $(PYTHON) -m pytest -q -p no:cacheprovider python/tests/clusters

sbom: build
	@tools/make_sbom.py build/$(PRESET) -o build/$(PRESET)/sotto.spdx.json

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

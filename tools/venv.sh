#!/bin/sh
# Makes or updates the virtual environment FOLDER with what REQUIREMENTS lists. Does nothing if it is up to date.
#   tools/venv.sh FOLDER REQUIREMENTS
set -eu
folder=$1
requirements=$2
[ -n "$(find "$folder/made" -newer "$requirements" 2>/dev/null)" ] && exit 0
python=/usr/bin/python3
[ -x "$python" ] || python=python3
mkdir -p "$(dirname "$folder")"
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
touch "$folder/made"

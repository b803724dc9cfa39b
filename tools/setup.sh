#!/bin/sh
# Installs the missing packages of tools/packages.txt, or of the given lists. Does nothing if none is missing.
set -eu
cd "$(dirname "$0")"
packages=$(grep -hv '^#' "${@:-packages.txt}")

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This system has no apt-get. Sotto needs the equivalents of these Debian 12 packages:" >&2
  echo $packages >&2
  # If they are already installed, CMake finds them; otherwise it says what is missing.
  command -v cmake >/dev/null 2>&1 && exit 0
  exit 1
fi

missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "Installing:$missing"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing

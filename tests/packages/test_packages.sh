#!/bin/sh
# Installs the packages of a folder, uses them as their users would, removes them, and checks that nothing is left.
# For root on a Debian 12 that may be changed: tests/packages/test_packages.sh FOLDER
set -eu
packages=$(cd "${1:?give the folder of the packages}" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
names="sotto libsotto0 libsotto-dev sotto-lm sotto-models"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive HOME="$work" LC_ALL=C.UTF-8

fail() {
  echo "test_packages: $*" >&2
  exit 1
}

step() {
  echo "== $*"
}

for name in $names; do
  ! dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || fail "$name is already installed"
  ls "$packages/${name}"_*.deb >/dev/null 2>&1 || fail "no package $name in $packages"
done

step "a program without plugins, from its package alone"
apt-get update -q >/dev/null
apt-get install -y -q --no-install-recommends "$packages"/sotto_*.deb "$packages"/libsotto0_*.deb "$packages"/sotto-models_*.deb
cd "$work"
printf 'The soup was cold and the waiter never came back.\n' > reviews.txt
sotto privatize reviews.txt --epsilon 1 -o words.txt --report receipt.json
[ "$(wc -w < words.txt)" -eq 10 ] || fail "diffractor-geometric wrote $(cat words.txt)"
grep -q '"mechanism"' receipt.json || fail "no receipt"
sotto model list | grep -q '^sotto-en-lists .*/usr/share/sotto/models/' || fail "the shipped models are not listed"
[ -f /usr/share/sotto/models/sotto-en-word-map/word-map.safetensors ] || fail "the map of unknown words is not installed"
sotto privatize reviews.txt --mechanism dp-mlm --epsilon 25 -o draws.txt
[ "$(wc -w < draws.txt)" -eq 10 ] || fail "dp-mlm wrote $(cat draws.txt)"
if sotto privatize reviews.txt --mechanism dp-mlm --epsilon 25 --precision f32 2> refusal.txt; then fail "32 bits ran without the plugin"; fi
grep -q libsotto_lm_torch.so refusal.txt || fail "the refusal does not name the plugin: $(cat refusal.txt)"

step "language models"
apt-get install -y -q --no-install-recommends "$packages"/sotto-lm_*.deb
sotto privatize reviews.txt --mechanism dp-mlm --epsilon 25 --precision f32 -o draws.txt
[ "$(wc -w < draws.txt)" -eq 10 ] || fail "dp-mlm wrote $(cat draws.txt)"
sotto lm info sotto-en-mlm | grep -q masked || fail "the masked model is not found"

step "a program of another project"
apt-get install -y -q --no-install-recommends g++ cmake make "$packages"/libsotto-dev_*.deb
cp -r "$source/tests/e2e/consumer" consumer
cmake -S consumer -B consumer/build > /dev/null
cmake --build consumer/build > /dev/null
consumer/build/consumer 'The soup was cold.' sotto-en-lists > consumed.txt
[ "$(head -n 1 consumed.txt | wc -w)" -eq 4 ] || fail "the consumer wrote $(cat consumed.txt)"

step "manual pages and completion"
apt-get install -y -q --no-install-recommends man-db > /dev/null
for page in $(dpkg -L sotto | grep '/man1/.*\.1\.gz$'); do
  warnings=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "$page: $warnings"
done
man sotto-privatize | grep -q -e '--epsilon' || fail "sotto-privatize(1) does not explain --epsilon"
bash -c '. /usr/share/bash-completion/completions/sotto; COMP_WORDS=(sotto priv); COMP_CWORD=1; _sotto sotto; echo "${COMPREPLY[@]}"' |
  grep -qx privatize || fail "bash does not complete 'sotto priv'"

step "documents of each package"
for name in $names; do
  for file in copyright changelog.gz changelog.Debian.gz sotto.spdx.json.gz; do
    [ -s "/usr/share/doc/$name/$file" ] || fail "$name has no $file"
  done
done

step "removal"
for name in $names; do dpkg -L "$name"; done | sort -u > files.txt
apt-get purge -y -q $names > /dev/null
left=
while read -r path; do
  # Folders that other packages have too stay.
  if [ -e "$path" ] && { [ ! -d "$path" ] || ! dpkg -S "$path" > /dev/null 2>&1; }; then left="$left $path"; fi
done < files.txt
[ -z "$left" ] || fail "left behind:$left"
! ldconfig -p | grep -q libsotto || fail "the loader still knows libsotto"
echo "The packages install, work and go without a trace."

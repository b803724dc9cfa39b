#!/bin/sh
# Privatizes the example reviews and shows input and output side by side, then the receipt.
set -eu
sotto=${1:-build/release/sotto}
here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$sotto" privatize "$here/reviews.txt" --mechanism tem --epsilon 12 -o "$out/private.txt" --report "$out/receipt.json" --quiet
echo "sotto privatize examples/reviews.txt --mechanism tem --epsilon 12"
echo
paste -d '\n' "$here/reviews.txt" "$out/private.txt" | sed -e '1~2s/^/  before  /' -e '2~2s/^/  after   /' -e '2~2s/$/\n/'
echo "The receipt (--report FILE):"
sed 's/^/  /' "$out/receipt.json"

#!/usr/bin/env python3
"""Checks that the digest of the shipped map of words which the program is built for is that of the file.

The digest is part of every document's stream key before the map is opened, so it stands in the source. After a new
map was made, `tools/pin_word_map.py --fix` writes its digest there.
"""

import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "models" / "sotto-en-word-map" / "word-map.safetensors"
SOURCE = ROOT / "src" / "pipeline" / "rewrite" / "word_map_digest.hpp"
LEAF_BYTES = 1 << 20


def tree_hash(data):
    """As src/base/tree_hash.hpp."""
    leaves = [hashlib.blake2b(data[begin:begin + LEAF_BYTES], digest_size=32, person=b"sotto-tree-leaf").digest()
              for begin in range(0, len(data), LEAF_BYTES)]
    root = len(data).to_bytes(8, "little") + b"".join(leaves)
    return hashlib.blake2b(root, digest_size=32, person=b"sotto-tree-root").hexdigest()


def main(arguments):
    digest = tree_hash(FILE.read_bytes())
    source = SOURCE.read_text()
    pinned = re.search(r'"([0-9a-f]*)"', source).group(1)
    if pinned == digest:
        return 0
    if arguments == ["--fix"]:
        SOURCE.write_text(source.replace(f'"{pinned}"', f'"{digest}"'))
        return 0
    print(f"{FILE.relative_to(ROOT)} has digest {digest}, but {SOURCE.relative_to(ROOT)} says {pinned}; "
          "run tools/pin_word_map.py --fix")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""The share of running words that the vocabulary holds.

    coverage.py VOCABULARY.tsv TEXT...

Numbers and punctuation are not running words; contractions, possessives and compounds are one word each.
"""
import sys
from pathlib import Path

from tokens import words


def main(vocabulary_path, *texts):
    with open(vocabulary_path, encoding="utf-8") as file:
        vocabulary = {line.split("\t")[0] for line in file}
    for text in texts:
        total = known = 0
        with open(text, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = words(line)
                total += len(found)
                known += sum(word in vocabulary for word in found)
        print(f"{Path(text).name}\t{total}\t{100 * known / max(total, 1):.2f}%")


if __name__ == "__main__":
    main(*sys.argv[1:])

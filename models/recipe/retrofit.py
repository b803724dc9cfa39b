#!/usr/bin/env python3
"""Step 5: pull the vectors of WordNet relatives together.

    retrofit.py WORDNET_FOLDER VECTORS.vec OUTPUT.vec

WORDNET_FOLDER holds WordNet 3.0's index.* and data.* files (Debian: package wordnet-base). The method is that of
Faruqui et al. 2015, "Retrofitting Word Vectors to Semantic Lexicons", with synonyms, hypernyms and hyponyms.
"""
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from vectors import load_text, save_text, unit

# WordNet lists a word's senses from common to rare. Text is full of the first ones, and a link through the tenth
# sense of "run" would only blur the vector.
SENSES = 3
ITERATIONS = 10
# Kinds only: by way of instances ("@i") the nearest words to "president" would be names of presidents.
HYPERNYM = "@"
# A relative by way of the parent counts less than a synonym.
SYNONYM_WEIGHT, HYPERNYM_WEIGHT = 1.0, 0.5


def read_synsets(path):
    """Offset to (lower-case lemmas, offsets of the hypernyms) of one data file; the format is in wndb(5WN)."""
    synsets = {}
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("  "):
                continue  # the licence at the head of the file
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            lemmas = [field.split("(")[0].lower() for field in fields[4:4 + 2 * count:2]]
            rest = fields[5 + 2 * count:]
            pointers = [rest[i:i + 4] for i in range(0, 4 * int(fields[4 + 2 * count]), 4)]
            synsets[fields[0]] = lemmas, [pointer[1] for pointer in pointers if pointer[0] == HYPERNYM]
    return synsets


def read_senses(path):
    """(Lemma, offsets of its most common synsets) of one index file."""
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            if not line.startswith("  "):
                fields = line.split()
                yield fields[0], fields[-int(fields[2]):][:SENSES]


def relatives(folder, index):
    """Per word of the vocabulary, its related words and their weights; always in both directions."""
    edges = defaultdict(dict)

    def link(a, b, weight):
        if a != b and b in index:
            for left, right in ((index[a], index[b]), (index[b], index[a])):
                edges[left][right] = max(weight, edges[left].get(right, 0.0))

    for part in ("noun", "verb", "adj", "adv"):
        synsets = read_synsets(Path(folder) / f"data.{part}")
        for word, senses in read_senses(Path(folder) / f"index.{part}"):
            if word not in index:
                continue
            for offset in senses:
                lemmas, hypernyms = synsets[offset]
                for other in lemmas:
                    link(word, other, SYNONYM_WEIGHT)
                for parent in hypernyms:
                    for other in synsets[parent][0]:
                        link(word, other, HYPERNYM_WEIGHT)
    return edges


def retrofit(matrix, edges):
    """Each vector moves to the mean of where it was and the weighted mean of its relatives."""
    result = matrix.copy()
    for _ in range(ITERATIONS):
        for word, others in edges.items():
            weights = np.fromiter(others.values(), dtype=np.float32)
            mean = weights @ result[list(others)] / weights.sum()
            result[word] = (matrix[word] + mean) / 2
    return unit(result)


def main(folder, source, output):
    words, matrix = load_text(source)
    edges = relatives(folder, {word: i for i, word in enumerate(words)})
    print(f"{len(edges)} of {len(words)} words have relatives", file=sys.stderr)
    save_text(output, words, retrofit(matrix, edges))


if __name__ == "__main__":
    main(*sys.argv[1:4])

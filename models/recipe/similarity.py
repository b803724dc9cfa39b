#!/usr/bin/env python3
"""Measure word vectors against human similarity judgements.

    similarity.py SIMILARITY_FOLDER VECTORS.vec...

For every EN-*.txt in the folder (word, word, score): Spearman's correlation of the cosine with the scores over the
pairs whose two words are both in the vocabulary, and the number of those pairs. The vectors are first rounded to
8 bits with one scale for the whole model, because that is what ships.
"""
import sys
from pathlib import Path

import numpy as np

from vectors import load_text, to_int8


def ranks(values):
    """Ranks from 1, equal values sharing their mean rank."""
    _, inverse, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + 1 + ends) / 2)[inverse]


def spearman(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def read_pairs(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip()]
    return [(a.lower(), b.lower(), float(score)) for a, b, score in rows]


def measure(matrix, index, pairs):
    """(Spearman, covered pairs, all pairs) of one test set."""
    covered = [(index[a], index[b], score) for a, b, score in pairs if a in index and b in index]
    if len(covered) < 3:
        return float("nan"), len(covered), len(pairs)
    left, right, scores = (np.array(column) for column in zip(*covered))
    a, b = matrix[left].astype(np.float64), matrix[right].astype(np.float64)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return spearman((a * b).sum(axis=1) / np.maximum(norms, 1e-12), scores), len(covered), len(pairs)


def main(folder, *models):
    tests = {path.stem.removeprefix("EN-"): read_pairs(path) for path in sorted(Path(folder).glob("EN-*.txt"))}
    print("\t".join(["model", *tests]))
    for model in models:
        words, matrix = load_text(model)
        index = {word: i for i, word in enumerate(words)}
        matrix, _ = to_int8(matrix)
        results = (measure(matrix, index, pairs) for pairs in tests.values())
        print("\t".join([Path(model).stem, *(f"{rho:.3f} ({n}/{total})" for rho, n, total in results)]))


if __name__ == "__main__":
    main(*sys.argv[1:])

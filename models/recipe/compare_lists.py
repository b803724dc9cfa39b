#!/usr/bin/env python3
"""Compares list sets by what they do to frequent words: compare_lists.py LISTS.safetensors...

The neighbours of "the" in a list come out whenever "the" is moved, so a rare word beside it would be among the most frequent
outputs of any text. For each set, with one list per model and ε = 1, this prints the rank of the most frequent output that
is not among the 200 most frequent inputs, and that output. The inputs are the set's public counts. The larger the rank,
the better.
"""
import pathlib
import sys

import numpy as np

from vectors import read_tensors

EPSILON, FREQUENT, FARTHEST = 1.0, 200, 40


def expected_outputs(counts, order):
    """How often each word comes out of one list; steps beyond the ends are negligible here."""
    steps = np.exp(-EPSILON * abs(np.arange(-FARTHEST, FARTHEST + 1)))
    outputs = np.empty(len(counts))
    outputs[order] = np.convolve(counts[order], steps / steps.sum(), "same")
    return outputs


def main(paths):
    for path in paths:
        tensor = read_tensors(pathlib.Path(path))
        counts, lists = tensor("counts").astype(float), tensor("lists").astype(int)
        per_model = 2 if len(lists) % 2 == 0 else 1
        outputs = sum(expected_outputs(counts, order) for order in lists[::per_model])
        frequent = set(np.argsort(-counts)[:FREQUENT])
        offsets, text = tensor("offsets").astype(int), tensor("words").tobytes()
        rank, word = next((rank, word) for rank, word in enumerate(np.argsort(-outputs), 1) if word not in frequent)
        print(path, rank, text[offsets[word]:offsets[word + 1]].decode())


if __name__ == "__main__":
    main(sys.argv[1:])

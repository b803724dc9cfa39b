#!/usr/bin/env python3
"""Prints sentences before and after `dp-mlm`, unedited, for docs/rewritten-samples.md.

    tools/make_samples.py [PROGRAM]

Texts, settings and seed are fixed, so that nothing is chosen by its result.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# File, how many of its lines.
TEXTS = [("examples/reviews.txt", 5), ("tests/lm/data/everyday.txt", 30)]
# Name in the list, epsilon, wander (none: the model's default).
SETTINGS = [("5", 5, None), ("10", 10, None), ("25", 25, None), ("100", 100, None), ("25, wander 0", 25, 0)]


def rewritten(program, file, epsilon, wander):
    command = [program, "privatize", ROOT / file, "--mechanism", "dp-mlm", "--epsilon", str(epsilon), "--seed", "1"]
    if wander is not None:
        command += ["--set", f"wander={wander}"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    return done.stdout.splitlines()


def main(program="sotto"):
    number = 0
    for file, lines in TEXTS:
        outputs = [(name, rewritten(program, file, epsilon, wander)) for name, epsilon, wander in SETTINGS]
        originals = (ROOT / file).read_text(encoding="utf-8").splitlines()
        for line in range(lines):
            number += 1
            print(f"{number}. {originals[line]}")
            for name, output in outputs:
                print(f"   - {name}: {output[line]}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

#!/usr/bin/env python3
"""Certificates of the shipped models, how long they take, and what --target certified gains; prints two tables.

    bench/certificates.py [--sotto build/release/sotto] [--models models] [--part certificates|utility]

Works on a copy of the models, so that nothing is stored with them. Utility is N_w (the probability that a word stays)
and S_w (expected number of distinct outputs in 100 draws), averaged over 100 evenly spaced words of the vocabulary.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

PERMUTE = ["--set", "selection=permute-and-flip"]
CERTIFIED = [
    ("santext", []), ("tem", []), ("diffractor-tem", []), ("diffractor-tem", ["--set", "lists=L2"]),
    ("diffractor-geometric", []), ("custext", []), ("syntf", ["--set", "candidates=vocabulary"]),
    ("santext", PERMUTE),
]
EPSILONS = (0.5, 1, 5, 10)
COMPARED = [("santext", []), ("santext", PERMUTE), ("diffractor-tem", [])]
TARGETS = (10,)
WORDS = 100


def run(program, *arguments):
    return json.loads(subprocess.run([*program, *map(str, arguments), "--json"], capture_output=True, check=True).stdout)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def certificates(program):
    print("| mechanism | ε | certified ε | attained | pairs evaluated exactly | processor time |\n|---|---|---|---|---|---|",
          flush=True)
    for mechanism, options in CERTIFIED:
        for epsilon in EPSILONS:
            before = processor_seconds()
            found = run(program, "audit", "-m", mechanism, "-e", epsilon, *options)
            seconds = processor_seconds() - before
            name = " ".join([f"`{mechanism}`", *(f"`{option}`" for option in options[1:])])
            print(f"| {name} | {epsilon} | {found['certified_epsilon']:.6f} | {found['attained_epsilon']:.6f} "
                  f"| {found['counts']['exact_pairs']:,} | {seconds:.1f} s |", flush=True)


def utility(program, sample, mechanism, epsilon, options):
    shown = [run(program, "explain", word, "-m", mechanism, "-e", epsilon, *options) for word in sample]
    return [sum(row[figure] for row in shown) / len(shown) for figure in ("n_w", "s_w")]


def gains(program, models):
    subprocess.run([*program, "model", "export", "sotto-en-wordnet", "-o", models / "words.txt"], check=True)
    words = [line.split(" ", 1)[0] for line in (models / "words.txt").read_text().splitlines()[1:]]
    sample = words[len(words) // (2 * WORDS)::len(words) // WORDS][:WORDS]
    print("| ε | mechanism | nominal ε | certified ε | N_w | S_w |\n|---|---|---|---|---|---|", flush=True)
    for target in TARGETS:
        for mechanism, options in COMPARED:
            found = run(program, "audit", "-m", mechanism, "-e", target, "--target", "certified", *options)
            for nominal, certified in ((target, ""), (found["subject"]["epsilon"], f"{found['certified_epsilon']:.4f}")):
                stays, distinct = utility(program, sample, mechanism, nominal, options)
                name = " ".join([f"`{mechanism}`", *(f"`{option}`" for option in options[1:])])
                print(f"| {target} | {name} | {nominal:g} | {certified} | {stays:.4g} "
                      f"| {distinct:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sotto", type=pathlib.Path, default=pathlib.Path("build/release/sotto"))
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("models"))
    parser.add_argument("--part", choices=("certificates", "utility"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder)
        for model in arguments.models.glob("*.safetensors"):
            shutil.copy(model, models)
        os.environ["SOTTO_MODELS"] = folder
        if arguments.part != "utility":
            certificates([arguments.sotto])
        if arguments.part != "certificates":
            gains([arguments.sotto], models)


if __name__ == "__main__":
    main()

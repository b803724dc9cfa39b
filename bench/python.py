#!/usr/bin/env python3
"""Compares the Python package with the command line on the same texts.

    PYTHONPATH=build/release/python bench/python.py --text TEXTS.txt [--sotto build/release/sotto] [--runs 7]
        [--epsilon 1] [--threads 1 2] [MECHANISM...]

TEXTS.txt has one document per line. The ways alternate, so that a noisy machine disturbs all of them; a ratio is the
speed of Python divided by that of the program, from the best times and as the median over the turns. The program's
time includes reading and writing files and starting; Python's is that of one call of an open Privatizer.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable

import pyarrow

import sotto


def seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    result = call()
    taken = time.perf_counter() - begin
    del result  # freeing is not part of the work
    return taken


def program(options: argparse.Namespace, mechanism: str, threads: int, folder: pathlib.Path) -> Callable[[], object]:
    command = [options.sotto, "privatize", options.text, "-m", mechanism, "-e", str(options.epsilon), "--quiet",
               "--threads", str(threads), "-o", folder / "out.txt"]  # fmt: skip

    def run() -> None:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    return run


def compare(options: argparse.Namespace, mechanism: str, threads: int, texts: list[str]) -> None:
    """Prints a row for each kind of column."""
    column = pyarrow.array(texts)
    p = sotto.Privatizer(mechanism, options.epsilon, threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[], object]] = {
            "program": program(options, mechanism, threads, pathlib.Path(folder)),
            "Arrow": lambda: p.privatize(column),
            "list": lambda: p.privatize(texts),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.runs):
            for name, call in ways.items():
                (pathlib.Path(folder) / "out.txt").unlink(missing_ok=True)
                taken[name].append(seconds(call))
    own = taken["program"]
    for name in ("Arrow", "list"):
        median = statistics.median(a / b for a, b in zip(own, taken[name]))
        print(f"| {mechanism} | {threads} | {name} | {min(taken[name]):.3f} s | {min(own):.3f} s "
              f"| {min(own) / min(taken[name]):.2f} | {median:.2f} |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mechanisms", nargs="*", default=["diffractor-geometric"])
    parser.add_argument("--text", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", default="build/release/sotto")
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    options = parser.parse_args()
    texts = options.text.read_text(encoding="utf-8").split("\n")[:-1]
    print("| mechanism | threads | column | Python | program | ratio of the best | median ratio |")
    print("|---|---|---|---|---|---|---|")
    for mechanism in options.mechanisms:
        for threads in options.threads:
            compare(options, mechanism, threads, texts)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills an evaluation at many random moments, resumes it each time, and compares results.jsonl with that of an
undisturbed run.

    bench/kill_experiment.py build/release/sotto [--kills 50]
"""

import argparse
import os
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["SOTTO"] = str(Path(arguments.program).resolve())
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    from conftest import Program
    from experiment_world import command, kill_and_resume, make_world

    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder), Path(folder) / "none")
        make_world(program)
        program.ok(*command("whole"))
        reference = (program.folder / "whole" / "results.jsonl").read_bytes()
        killed, finished = kill_and_resume(program, arguments.kills, random.Random(arguments.seed), reference)
    print(f"{killed} runs killed; the end was reached {finished} times, each time with the same results.jsonl")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Words per second and memory of every mechanism on one model; prints a table.

    bench/mechanisms.py --text ENGLISH.txt --model M.safetensors --lists LISTS.safetensors [--sotto build/release/sotto]
                        [--epsilon 1 10] [--memory 512M] [--runs 3] [--faiss build/release/bench/bench_nearest] [MECHANISM...]

Each mechanism privatizes a piece of the text, from file to /dev/null on two threads. Cold is the rate for the piece
from program start to finish, including preparation; warm is the rate for four repetitions of the piece in the same run,
when its words have been seen. With --faiss, the exact search of the noise mechanisms is then measured against faiss.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

LIST_MECHANISMS = ("diffractor-geometric", "diffractor-tem")
# Words in the piece: the noise mechanisms search the whole vocabulary for each word.
WORDS = {"search": 20_000, "table": 1_000_000}
REPEATS = 4
SEARCHING = ("cmp", "mahalanobis", "vickrey", "vickrey-k")


def privatize(arguments, mechanism, epsilon, model, text):
    command = [arguments.sotto, "privatize", text, "-m", mechanism, "-e", str(epsilon), "--model", model, "--threads", "2",
               "--memory", arguments.memory, "--quiet", "-o", "/dev/null"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    message = process.stderr.read().decode().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, message if process.returncode else ""


def best(runs, arguments, *what):
    """The fastest of several runs."""
    return min(privatize(arguments, *what) for _ in range(runs))


def cut(source, words, once, repeated):
    """Writes the first lines of `source`, at least `words` words, to `once`, and 1 + REPEATS times to `repeated`."""
    count = 0
    with open(source, encoding="utf-8", errors="replace") as text, open(once, "w", encoding="utf-8") as file:
        while count < words and (line := text.readline()):
            count += len(line.split())
            file.write(line)
    with open(repeated, "wb") as file:
        for _ in range(1 + REPEATS):
            with open(once, "rb") as piece:
                shutil.copyfileobj(piece, file)
    return count


def main():
    parser = argparse.ArgumentParser()
    for name in ("text", "model", "lists"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", type=pathlib.Path, default=pathlib.Path("build/release/sotto"))
    parser.add_argument("--epsilon", nargs="+", default=["1", "10"])
    parser.add_argument("--memory", default="512M")
    parser.add_argument("--words", type=int, help="words in the piece for all but the noise mechanisms")
    parser.add_argument("--runs", type=int, default=3, help="number of runs, of which the fastest counts")
    parser.add_argument("--faiss", type=pathlib.Path)
    parser.add_argument("mechanisms", nargs="*")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.sotto, "mechanisms", "--json"], capture_output=True, check=True).stdout
    names = arguments.mechanisms or [mechanism["name"] for mechanism in json.loads(listed)]
    print("| mechanism | epsilon | cold, words/s | warm, words/s | peak memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        pieces = {}
        for kind, words in WORDS.items():
            once, repeated = (pathlib.Path(folder) / f"{kind}{times}.txt" for times in (1, 1 + REPEATS))
            pieces[kind] = once, repeated, cut(arguments.text, kind == "table" and arguments.words or words, once, repeated)
        for mechanism in names:
            model = arguments.lists if mechanism in LIST_MECHANISMS else arguments.model
            once, repeated, words = pieces["search" if mechanism in SEARCHING else "table"]
            for epsilon in arguments.epsilon:
                cold, _, message = best(arguments.runs, arguments, mechanism, epsilon, model, once)
                if message:
                    print(f"| {mechanism} | {epsilon} | {message} | | |", flush=True)
                    continue
                whole, memory, _ = best(arguments.runs, arguments, mechanism, epsilon, model, repeated)
                warm = REPEATS * words / max(whole - cold, 1e-9)
                print(f"| {mechanism} | {epsilon} | {words / cold:,.0f} | {warm:,.0f} | {memory:,.0f} MB |", flush=True)
    if arguments.faiss:
        subprocess.run([arguments.faiss, "2", "3", arguments.model], check=True)


if __name__ == "__main__":
    main()

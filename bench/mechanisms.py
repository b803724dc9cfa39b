#!/usr/bin/env python3
"""Words a second and memory of every mechanism on one model, at epsilon 1 and 10; prints a table.

    bench/mechanisms.py --text ENGLISH.txt --model M.safetensors --lists LISTS.safetensors [--sotto build/release/sotto]

Each mechanism privatizes a small and a large piece of the text, file to /dev/null on two threads. Cold is the rate of the
small piece from program start to finish, preparation included; warm is the rate of what the large piece has more.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

LIST_MECHANISMS = ("diffractor-geometric", "diffractor-tem")
# Words in the small and in the large piece: the noise mechanisms search the whole vocabulary for each word.
SIZES = {"search": (20_000, 120_000), "table": (200_000, 4_000_000)}
SEARCHING = ("cmp", "mahalanobis", "vickrey", "vickrey-k")


def privatize(sotto, mechanism, epsilon, model, text):
    command = [sotto, "privatize", text, "-m", mechanism, "-e", str(epsilon), "--model", model, "--threads", "2",
               "--quiet", "-o", "/dev/null"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    message = process.stderr.read().decode().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, message if process.returncode else ""


def cut(source, words, path):
    """Whole lines of `source`, from the beginning, until there are so many words."""
    count = 0
    with open(source, encoding="utf-8", errors="replace") as text, open(path, "w", encoding="utf-8") as file:
        while count < words:
            line = text.readline()
            if not line:
                text.seek(0)
            count += len(line.split())
            file.write(line)
    return count


def main():
    parser = argparse.ArgumentParser()
    for name in ("text", "model", "lists"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", type=pathlib.Path, default=pathlib.Path("build/release/sotto"))
    parser.add_argument("mechanisms", nargs="*")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.sotto, "mechanisms"], capture_output=True, check=True, text=True).stdout
    names = arguments.mechanisms or [line for line in listed.splitlines() if line and not line.startswith(" ")]
    print("| mechanism | epsilon | cold, words/s | warm, words/s | peak memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        pieces = {}
        for kind, sizes in SIZES.items():
            paths = [pathlib.Path(folder) / f"{kind}{size}.txt" for size in sizes]
            pieces[kind] = [(path, cut(arguments.text, size, path)) for path, size in zip(paths, sizes)]
        for mechanism in names:
            model = arguments.lists if mechanism in LIST_MECHANISMS else arguments.model
            small, large = pieces["search" if mechanism in SEARCHING else "table"]
            for epsilon in (1, 10):
                cold, _, message = privatize(arguments.sotto, mechanism, epsilon, model, small[0])
                if message:
                    print(f"| {mechanism} | {epsilon} | {message} | | |", flush=True)
                    continue
                whole, memory, _ = privatize(arguments.sotto, mechanism, epsilon, model, large[0])
                warm = (large[1] - small[1]) / max(whole - cold, 1e-9)
                print(f"| {mechanism} | {epsilon} | {small[1] / cold:,.0f} | {warm:,.0f} | {memory:,.0f} MB |", flush=True)


if __name__ == "__main__":
    main()

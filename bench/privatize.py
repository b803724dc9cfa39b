#!/usr/bin/env python3
"""Measures sotto privatize against wc -w in the same run, start-up, memory and list building; prints a table.

    bench/privatize.py --text ENGLISH.txt [--sotto build/release/sotto] [--runs 7]

ENGLISH.txt is any English text with one document per line; it is cut or repeated to 100 MB and to 1 GB.
Runs alternate between the rivals, and the best of each counts: on a shared machine the minimum is what is reproducible.
"""
import argparse
import os
import pathlib
import random
import subprocess
import tempfile
import time

MEGABYTE = 1_000_000


def timed(command, **options):
    """Seconds of wall time and peak memory in bytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return seconds, usage.ru_maxrss * 1024


def text_of_size(source, size, path):
    """Writes in small blocks: a child's reported peak memory includes its parent's at the time of the fork."""
    with open(source, "rb") as text, open(path, "wb") as file:
        while file.tell() < size:
            block = text.read(min(MEGABYTE, size - file.tell()))
            if not block:
                text.seek(0)
            file.write(block)


def row(name, figure, note=""):
    print(f"| {name} | {figure} | {note} |", flush=True)


def privatize_against_wc(sotto, text, folder, runs):
    count_words = ["wc", "-w", text]
    in_utf8 = {**os.environ, "LC_ALL": "C.UTF-8"}
    privatize = [sotto, "privatize", text, "--epsilon", "1", "--threads", "2", "--quiet", "-o", folder / "out.txt"]
    best = {"wc": 1e9, "sotto": 1e9}
    ratios = []
    for _ in range(runs):
        (folder / "out.txt").unlink(missing_ok=True)  # freeing the previous output is not part of the work
        wc = timed(count_words, env=in_utf8)[0]
        own = timed(privatize)[0]
        best = {"wc": min(best["wc"], wc), "sotto": min(best["sotto"], own)}
        ratios.append(own / wc)
    words = int(subprocess.run(count_words, env=in_utf8, capture_output=True, check=True).stdout.split()[0])
    row("wc -w, 100 MB, C.UTF-8", f"{best['wc']:.3f} s")
    row("sotto privatize, 100 MB, two threads", f"{best['sotto']:.3f} s", f"{words / best['sotto'] / 1e6:.1f} M words/s")
    row("ratio of the best / median ratio of pairs", f"{best['sotto'] / best['wc']:.2f} / {sorted(ratios)[runs // 2]:.2f}")


def start_up(sotto, folder, runs):
    word = folder / "word.txt"
    word.write_text("pizza\n")
    seconds = min(timed([sotto, "privatize", word, "--epsilon", "1", "--quiet"])[0] for _ in range(10 * runs))
    row("one word, start to finish", f"{1000 * seconds:.1f} ms")


def memory(sotto, source, folder):
    text = folder / "gigabyte.txt"
    text_of_size(source, 1000 * MEGABYTE, text)
    seconds, peak = timed([sotto, "privatize", text, "--epsilon", "1", "--threads", "2", "--quiet", "-o", folder / "out.txt"])
    row("peak memory, 1 GB input, two threads", f"{peak / MEGABYTE:.1f} MB", f"{seconds:.1f} s, mapped model included")
    text.unlink()


def list_building(sotto, folder, words=30_000, dimension=300, clusters=600):
    """Uses vectors around cluster centres, so that neighbourhoods are exhausted as in real embeddings."""
    random.seed(1)
    centres = [[random.gauss(0, 1) for _ in range(dimension)] for _ in range(clusters)]
    vectors = folder / "vectors.txt"
    with open(vectors, "w", encoding="ascii") as file:
        print(words, dimension, file=file)
        for word in range(words):
            centre = centres[word % clusters]
            print(f"w{word}", *(f"{c + random.gauss(0, 0.7):.3f}" for c in centre), file=file)
    model = folder / "vectors.safetensors"
    timed([sotto, "model", "import", vectors, "-o", model, "--quiet"])
    build = [sotto, "lists", "build", "--model", model, "--lists-per-model", "1", "--seed", "1", "--quiet"]
    seconds = min(timed([*build, "-o", folder / "lists.safetensors"])[0] for _ in range(3))
    row(f"one exact list, {words} words of {dimension} dimensions", f"{seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", type=pathlib.Path, default=pathlib.Path("build/release/sotto"))
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = folder / "text.txt"
        text_of_size(arguments.text, 100 * MEGABYTE, text)
        print("| what | figure | note |\n|---|---|---|")
        privatize_against_wc(arguments.sotto, text, folder, arguments.runs)
        start_up(arguments.sotto, folder, arguments.runs)
        memory(arguments.sotto, arguments.text, folder)
        list_building(arguments.sotto, folder)


if __name__ == "__main__":
    main()

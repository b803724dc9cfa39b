#!/usr/bin/env python3
"""Step 1: the corpora as one stream of tokens.

    prepare.py CORPUS_FOLDER OUTPUT_FOLDER

Written to OUTPUT_FOLDER: stream.npz (numbers of types, where lines end and where corpora end) and types.tsv (form, class; most
frequent first). A quarter of the novels is taken, in runs of paragraphs: they are long, and old.
"""
import random
import sys
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from corpora import CORPORA, read_train
from text import corpus_lines, forms

LINES = 3000
NOVELS = (400, 110)  # of so many paragraphs so many are taken


def chosen_lines(folder, name):
    lines = read_train(folder, name)
    if name != "gutenberg":
        return lines
    every, taken = NOVELS
    return [line for i in range(0, len(lines), every) for line in lines[i:i + taken]]


def read_chunk(job):
    name, lines, seed = job
    numbers, stream, ends = {}, [], []
    for line in corpus_lines(name, lines, seed):
        for key in forms(line):
            stream.append(numbers.setdefault(key, len(numbers)))
        ends.append(len(stream))
    return name, list(numbers), np.array(stream, dtype=np.uint32), np.array(ends, dtype=np.int64)


def main(folder, output):
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    jobs = []
    for name in CORPORA:
        lines = chosen_lines(folder, name)
        jobs += [(name, lines[i:i + LINES], i) for i in range(0, len(lines), LINES)]
    numbers, streams, ends, total, borders = {}, [], [], 0, dict.fromkeys(CORPORA, 0)
    with Pool() as pool:
        for name, keys, stream, chunk_ends in pool.imap(read_chunk, jobs):
            table = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.uint32)
            streams.append(table[stream])
            ends.append(chunk_ends + total)
            total += len(stream)
            borders[name] = total
    stream = np.concatenate(streams)
    counts = np.bincount(stream, minlength=len(numbers))
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    keys = list(numbers)
    with open(output / "types.tsv", "w", encoding="utf-8") as file:
        for i in order:
            file.write(f"{keys[i][0]}\t{keys[i][1]}\n")
    np.savez(output / "stream.npz", stream=rank[stream], ends=np.concatenate(ends),
             borders=np.array([borders[name] for name in CORPORA]))
    print(f"{total:,} tokens, {len(keys):,} types")


if __name__ == "__main__":
    main(*sys.argv[1:3])

"""The corpora: one paragraph or document a line, the last 2 % of each held out."""
from pathlib import Path

CORPORA = ["wikipedia", "gutenberg", "imdb_unsup", "reuters", "news2014"]
HELD_OUT = 0.02


def read_lines(folder, name):
    with open(Path(folder) / f"{name}.txt", encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def read_train(folder, name):
    lines = read_lines(folder, name)
    return lines[:int(len(lines) * (1 - HELD_OUT))]


def read_held_out(folder, name):
    lines = read_lines(folder, name)
    return lines[int(len(lines) * (1 - HELD_OUT)):]

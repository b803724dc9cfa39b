#!/usr/bin/env python3
"""Step 1: turn the raw corpora into training text, held-out text and word counts.

    prepare_corpus.py CORPUS_FOLDER WORK_FOLDER

CORPUS_FOLDER holds the five files named in CORPORA below, one paragraph or document a line. Written to WORK_FOLDER:
train.NAME.txt and heldout.NAME.txt (one paragraph a line, words separated by spaces) and counts.tsv (a word and its
occurrences in the training part of each corpus, in the order of CORPORA).
"""
import sys
from collections import Counter
from pathlib import Path

from tokens import read_parts, words

CORPORA = ["wikipedia", "gutenberg", "imdb_unsup", "reuters", "news2014"]
# A compound or possessive seen less often than this would get a vector of noise, while its parts have good ones.
MIN_COMPOUND = 15
# Titles and headings have no context to learn from.
MIN_LINE = 4


def split_rare(line, totals):
    """The line's words with rare compounds cut into parts; a rare possessive leaves its noun."""
    out = []
    for word in line:
        if totals[word] >= MIN_COMPOUND or ("-" not in word and "'" not in word):
            out.append(word)
            continue
        for part in word.split("-"):
            if totals[part] < MIN_COMPOUND and part.endswith("'s"):
                part = part[:-2]
            out.append(part)
    return out


def main(corpus_folder, work_folder):
    work = Path(work_folder)
    work.mkdir(parents=True, exist_ok=True)
    train, counts = {}, {}
    for name in CORPORA:
        seen, unseen = read_parts(Path(corpus_folder) / f"{name}.txt")
        # One string a line keeps memory low; the words are split again below.
        train[name] = [" ".join(words(line)) for line in seen]
        counts[name] = Counter()
        for line in train[name]:
            counts[name].update(line.split())
        held_out = (" ".join(words(line)) for line in unseen)
        (work / f"heldout.{name}.txt").write_text("\n".join(held_out) + "\n", encoding="utf-8")
        print(f"{name}: {sum(counts[name].values()):,} running words", file=sys.stderr)

    totals = sum(counts.values(), Counter())
    with open(work / "counts.tsv", "w", encoding="utf-8") as file:
        for word, _ in totals.most_common():
            file.write("\t".join([word, *(str(counts[name][word]) for name in CORPORA)]) + "\n")
    for name in CORPORA:
        with open(work / f"train.{name}.txt", "w", encoding="utf-8") as file:
            for line in train[name]:
                line = split_rare(line.split(), totals)
                if len(line) >= MIN_LINE:
                    file.write(" ".join(line) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])

#!/usr/bin/env python3
"""Step 2: choose the vocabulary that all models share.

    make_vocabulary.py WORK_FOLDER WORDFREQ.tsv SIZE OUTPUT.tsv

WORK_FOLDER is the output of prepare_corpus.py; WORDFREQ.tsv holds a word and its relative frequency in everyday
English a line. Written: word and count (occurrences in the training corpora), most frequent first.
"""
import codecs
import re
import sys
from pathlib import Path

from prepare_corpus import CORPORA
from tokens import ASCII_WORD

# A word's score is a weighted mean of its relative frequencies, so that no corpus decides alone: by raw counts the
# Gutenberg books, two fifths of the text, would fill the vocabulary with the names of their characters.
WEIGHTS = {"wikipedia": 0.25, "gutenberg": 0.15, "imdb_unsup": 0.15, "reuters": 0.05, "news2014": 0.10}
WORDFREQ_WEIGHT = 0.30
# Fewer occurrences make a vector of noise.
MIN_COUNT = 15
# Names of one book or one article occur often in it and nowhere else; wordfreq does not know them.
MIN_WORDFREQ = 5e-8
# Abbreviations, initials and scanning errors crowd the shortest words, so those must be common in everyday English.
MIN_WORDFREQ_SHORT = {2: 4e-6, 3: 1e-6}

# "s" and "u" are no words, but "U.S." and the detached "'s" of news feeds make them one running word in a hundred there.
SINGLE_LETTERS = {"a", "i", "o", "s", "u"}
MARKUP = set("http https www href nbsp quot br htm php asp jpg gif lt gt img src div colspan rowspan valign".split())
# What is left of "don't" and its like after some other tokenizer.
FRAGMENTS = set("ll ve th nd didn doesn isn wasn couldn wouldn hasn aren weren shouldn hadn mustn needn ain n't".split())
REPEATED = re.compile(r"(.)\1\1")
ROMAN = re.compile(r"[xvi]+\Z")
VOWEL = re.compile(r"[aeiouy]")


def excluded_words():
    """Slurs, explicit sexual words and crude obscenities; rot13, so that nobody has to read them by accident."""
    text = (Path(__file__).parent / "excluded.rot13").read_text(encoding="ascii")
    return set(codecs.decode(text, "rot13").split())


def acceptable(word, wordfreq, excluded):
    if not ASCII_WORD.match(word) or word in MARKUP or word in FRAGMENTS:
        return False
    parts = [part for part in re.split("['-]", word) if part]
    if word in excluded or not excluded.isdisjoint(parts):
        return False
    if len(word) == 1:
        return word in SINGLE_LETTERS
    if REPEATED.search(word) and not ROMAN.match(word):
        return False
    if len(parts) > 1:
        # Stammered words ("i-i", "no-no-no") are transcription, not vocabulary.
        return len(set(parts)) > 1 and all(len(part) < 3 or part in wordfreq for part in parts)
    short = len(word) == 2 or not VOWEL.search(word)
    return wordfreq.get(word, 0) >= (MIN_WORDFREQ_SHORT[min(len(word), 3)] if short else MIN_WORDFREQ)


def read_counts(path):
    """Per word its counts, a corpus each."""
    with open(path, encoding="utf-8") as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return {word: [int(count) for count in counts] for word, *counts in rows}


def main(work_folder, wordfreq_path, size, output):
    counts = read_counts(Path(work_folder) / "counts.tsv")
    with open(wordfreq_path, encoding="utf-8") as file:
        wordfreq = {word: float(f) for word, f in (line.split("\t") for line in file)}
    totals = [sum(column) for column in zip(*counts.values())]
    # Reuters' own abbreviations ("mln", "dlrs", "pct") are rare elsewhere but make up some three in a hundred of its
    # words; what a corpus uses this often is accepted whatever wordfreq says.
    common = {w: 1.0 for w, row in counts.items() if any(n / t > 1e-4 for n, t in zip(row, totals))}
    weights = [WEIGHTS[name] for name in CORPORA]
    known = {**wordfreq, **common}
    excluded = excluded_words()

    scored = []
    for word, row in counts.items():
        if sum(row) < MIN_COUNT:
            continue
        if not acceptable(word, known, excluded):
            continue
        score = sum(weight * n / t for weight, n, t in zip(weights, row, totals))
        scored.append((score + WORDFREQ_WEIGHT * wordfreq.get(word, 0), word))
    scored.sort(key=lambda item: (-item[0], item[1]))
    chosen = sorted((word for _, word in scored[:int(size)]), key=lambda word: (-sum(counts[word]), word))
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(f"{word}\t{sum(counts[word])}\n" for word in chosen)
    rarest = sum(counts[chosen[-1]])
    print(f"{len(scored)} acceptable words, {len(chosen)} chosen; rarest count {rarest}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:5])

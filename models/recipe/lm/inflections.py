#!/usr/bin/env python3
"""Step 3: lemmas and inflections of the words of a word model and a list of words, by lemminflect.

    inflections.py WORD_MODEL words.txt OUTPUT.tsv

A line: word, its lemmas, its tags (NN, NNS, VB, VBD, VBG, VBN, VBP, VBZ, JJ, JJR, JJS, RB, ...), both separated by blanks.
"""
import sys
from pathlib import Path

import lemminflect

from word_model import read_word_model


def lemmas_and_tags(word):
    lemmas, tags = set(), set()
    for pos, found in lemminflect.getAllLemmas(word).items():
        for lemma in found if pos != "PROPN" else ():
            for tag, forms in lemminflect.getAllInflections(lemma, upos=pos).items():
                if word in forms:
                    lemmas.add(lemma)
                    tags.add(tag)
    return lemmas, tags


def main(word_model, words, output):
    known, _ = read_word_model(word_model)
    with open(output, "w", encoding="utf-8") as file:
        for word in dict.fromkeys(known + Path(words).read_text(encoding="utf-8").split()):
            lemmas, tags = lemmas_and_tags(word)
            file.write(f"{word}\t{' '.join(sorted(lemmas))}\t{' '.join(sorted(tags))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:4])

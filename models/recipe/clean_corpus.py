#!/usr/bin/env python3
"""Step 1 for the model with phrases: text with its punctuation, because phrases do not cross it.

    clean_corpus.py CORPUS_FOLDER WORK_FOLDER

Reads what prepare_corpus.py reads and holds out the same lines. Written to WORK_FOLDER: text.NAME.txt and
heldout_text.NAME.txt, one paragraph or document a line, in lower case, without markup and addresses.
"""
import sys
from pathlib import Path

from prepare_corpus import CORPORA
from tokens import clean, read_parts


def main(corpus_folder, work_folder):
    work = Path(work_folder)
    work.mkdir(parents=True, exist_ok=True)
    for name in CORPORA:
        seen, unseen = read_parts(Path(corpus_folder) / f"{name}.txt")
        for part, lines in (("text", seen), ("heldout_text", unseen)):
            with open(work / f"{part}.{name}.txt", "w", encoding="utf-8") as file:
                file.writelines(" ".join(clean(line).split()) + "\n" for line in lines)


if __name__ == "__main__":
    main(*sys.argv[1:3])

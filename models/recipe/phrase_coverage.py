#!/usr/bin/env python3
"""How a text looks to a model with phrases.

    sotto collocations tokenize TEXT --phrases MODEL --method gst | phrase_coverage.py MODEL_WORDS.txt NAME

MODEL_WORDS.txt holds the words of the model, one a line. Printed: running words, tokens (words and phrases; numbers
and punctuation are neither), the share of tokens that are phrases, and the share of running words that are in a token
of the model.
"""
import sys

from tokens import WORD


def main(words_path, name):
    with open(words_path, encoding="utf-8") as file:
        known = {line.rstrip("\n") for line in file}
    running = tokens = phrases = covered = 0
    for line in sys.stdin:
        for token in line.split():
            words = token.split("_")
            if len(words) == 1 and not WORD.fullmatch(token):
                continue
            tokens += 1
            running += len(words)
            phrases += len(words) > 1
            covered += len(words) if token in known else 0
    print(f"{name}\t{running}\t{tokens}\t{100 * phrases / max(tokens, 1):.1f}%\t{100 * covered / max(running, 1):.1f}%")


if __name__ == "__main__":
    main(*sys.argv[1:3])

#!/usr/bin/env python3
"""Makes the table of word forms: how words are usually written where no sentence begins ("Munich", "NASA", "iPhone").

    make_word_forms.py CORPORA OUT.safetensors WORDS...

WORDS are models (.safetensors) and lists of words (.txt, one a line); CORPORA is the folder of the corpora. A word gets a
form if at most a third of its occurrences are in lower case. Only occurrences after another word and a blank or a comma
count, in sentences that are not headlines: everywhere else capitals tell nothing. Those of a dotted abbreviation count after a
number, too ("5 p.m."). A phrase ("New_York") gets one only if
it differs from the forms of its words.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import struct

from tokens import WORD_OR_ABBREVIATION
from vectors import read_tensors, read_words

CORPORA = ["wikipedia", "gutenberg", "imdb_unsup", "reuters", "news2014"]
FEWEST = 5            # occurrences of a word that gets a form
MOST_LOWER = 1 / 3    # of them in lower case
FEWEST_WORDS = 5      # of a sentence
MOST_CAPITALS = 0.5   # of its words

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+")
ORDINARY_GAPS = {" ", ", "}
AFTER_NUMBER = re.compile(r"[0-9] \Z")


def vocabulary(paths):
    """Words, phrases and the words of phrases."""
    words = set()
    for path in paths:
        for word in path.read_text().split() if path.suffix == ".txt" else read_words(read_tensors(path)):
            words.update([word, *word.split("_")])
    return words


def is_prose(words):
    """Not a headline, a title or a line in capitals."""
    return len(words) >= FEWEST_WORDS and sum(word[0].isupper() for word in words) <= MOST_CAPITALS * len(words)


def occurrences(line):
    """The words and runs of up to three words of a line that stand where capitals mean something."""
    for sentence in SENTENCE_END.split(line.replace("\u2019", "'")):
        found = list(WORD_OR_ABBREVIATION.finditer(sentence))
        if is_prose([match[0] for match in found]):
            yield from (match[0] for match in found if match[0].endswith(".") and AFTER_NUMBER.search(sentence[:match.start()]))
            run = []  # words up to this one with single blanks between them
            for before, match in zip(found, found[1:]):
                gap = sentence[before.end():match.start()]
                run = run[-2:] if gap == " " else []
                if gap in ORDINARY_GAPS:
                    run.append(match[0])
                    for begin in range(len(run)):
                        yield "_".join(run[begin:])


def count_forms(path, words):
    forms = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            for form, count in collections.Counter(occurrences(line)).items():
                if form.lower() in words:
                    forms[form.lower()][form] += count
    return forms


def usual_form(word, counts, otherwise):
    """`counts`: one counter of forms per corpus; those with enough occurrences have equal weights. `otherwise`: the form of a
    word that is too rare."""
    # Initials, "Vitamin C": alone, a letter is rather what other tokenizers leave of "it's".
    if len(word) == 1 and word != "i":
        return word
    large = [count for count in counts if count.total() >= FEWEST] or [sum(counts, collections.Counter())]
    shares = collections.Counter()
    for count in large:
        if count.total() >= FEWEST:
            for form, number in count.items():
                shares[form] += number / count.total() / len(large)
    if not shares:
        return otherwise
    if shares[word] > MOST_LOWER:
        return word
    return max(shares, key=lambda form: (form != word, shares[form], form))


def write(path, forms):
    text = "".join(form + "\n" for form in forms).encode()
    metadata = {"format": "sotto-word-forms", "version": "1", "language": "English",
                "licence": "see models/README.md for sources and their licences", "sha256": "0" * 64}
    header = {"__metadata__": metadata, "forms": {"dtype": "U8", "shape": [len(text)], "data_offsets": [0, len(text)]}}
    head = json.dumps(header, separators=(",", ":"))
    head += " " * (-len(head) % 8)
    content = struct.pack("<Q", len(head)) + head.encode() + text
    path.write_bytes(content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("words", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    words = vocabulary(arguments.words)
    counts = [count_forms(arguments.corpora / f"{name}.txt", words) for name in CORPORA]
    expected, usual = {}, {}  # by word: what the program writes without a form, and what it should write
    for word in sorted(words, key=lambda word: ("_" in word, word)):
        expected[word] = "_".join(usual[part] for part in word.split("_")) if "_" in word else word
        usual[word] = usual_form(word, [count[word] for count in counts], expected[word])
    forms = sorted((form for word, form in usual.items() if form != expected[word]), key=str.lower)
    write(arguments.output, forms)
    print(f"forms of {sum('_' not in form for form in forms)} of {sum('_' not in word for word in words)} words and "
          f"{sum('_' in form for form in forms)} of {sum('_' in word for word in words)} phrases")


if __name__ == "__main__":
    main()

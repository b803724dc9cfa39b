#!/usr/bin/env python3
"""Extends text files to a larger text in which distinct words, pairs and triples keep growing as in the files.

Usage: collocation_corpus.py OUTPUT BYTES FILE…

The output begins with the files unchanged. Lines from a Markov chain over their words follow (separated by blanks,
punctuation attached, a line end as a word of its own), from many parallel chains with a fixed seed. At each step a
chain is at an occurrence of a word in the files and continues after
  - another occurrence of the same two words (PAIR): all resulting triples are known;
  - another occurrence of the same word (WORD): pairs are known, triples may be new;
  - any occurrence of any word (ANY): pairs may be new.
A share NEW of the words is replaced by made-up ones, the head of one word and the tail of another. A second-order
chain alone would make hardly any new n-grams and be too easy to count. bench/README.md says what the shares were
fitted to.
"""
import sys

import numpy

ANY, WORD, NEW = 0.29, 0.12, 0.0063  # the rest is PAIR
CHAINS = 50000
SEED = 20261115


def read_words(files):
    ids, words, stream = {}, [], []
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                for word in line.split() + ["\n"]:
                    if word not in ids:
                        ids[word] = len(words)
                        words.append(word)
                    stream.append(ids[word])
    return words, numpy.array(stream, dtype=numpy.int64)


def groups(keys):
    """Positions grouped by key: an order, and for each position the start and size of its group in that order."""
    order = numpy.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = numpy.flatnonzero(numpy.r_[True, ordered[1:] != ordered[:-1]])
    sizes = numpy.diff(numpy.r_[starts, len(ordered)])
    begin = numpy.empty(len(keys), dtype=numpy.int32)
    size = numpy.empty(len(keys), dtype=numpy.int32)
    begin[order] = numpy.repeat(starts, sizes)
    size[order] = numpy.repeat(sizes, sizes)
    return order.astype(numpy.int32), begin, size


def made_up(words, random, count):
    heads, tails = random.integers(0, len(words), size=(2, count))
    made = []
    for head, tail in zip(heads, tails):
        a, b = words[head], words[tail]
        made.append((a[: (len(a) + 1) // 2] + b[len(b) // 2:]).strip() or a)
    return made


def main():
    output, size, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    random = numpy.random.default_rng(SEED)
    words, stream = read_words(files)
    by_word = groups(stream)
    previous = numpy.r_[0, stream[:-1]]
    by_pair = groups(previous * len(words) + stream)
    with open(output, "wb") as out:
        for file in files:
            with open(file, "rb") as text:
                while block := text.read(1 << 20):
                    out.write(block)
        place = random.integers(0, len(stream) - 1, CHAINS)
        while out.tell() < size:
            steps = []
            for _ in range(200):
                chance = random.random(CHAINS)
                draw = random.random(CHAINS)
                jump = numpy.empty(CHAINS, dtype=numpy.int64)
                for (order, begin, count), chosen in ((by_pair, chance >= ANY + WORD), (by_word, chance < ANY + WORD)):
                    at = place[chosen]
                    jump[chosen] = order[begin[at] + (draw[chosen] * count[at]).astype(numpy.int64)]
                anywhere = chance < ANY
                jump[anywhere] = (draw[anywhere] * len(stream)).astype(numpy.int64)
                place = (jump + 1) % len(stream)
                steps.append(stream[place])
            for chain in numpy.stack(steps, axis=1):
                line = [words[i] for i in chain]
                for i in numpy.flatnonzero(random.random(len(line)) < NEW):
                    if line[i] != "\n":
                        line[i] = made_up(words, random, 1)[0]
                out.write((" ".join(line) + "\n").encode())
                if out.tell() >= size:
                    break


if __name__ == "__main__":
    main()

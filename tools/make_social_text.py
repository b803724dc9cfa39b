#!/usr/bin/env python3
"""Writes lines as people post them: handles, links, hashtags, emoji, drawn-out, accented and misspelled words.

    tools/make_social_text.py [--lines 8000] [--seed 1] [--model models/sotto-en-wordnet.safetensors] [-o FILE]

All words come from a shipped model, drawn by its public counts, so that the lines contain nobody's text. The same seed
gives the same lines. For tests and measurements of words outside the vocabulary.
"""
import argparse
import array
import bisect
import itertools
import json
import pathlib
import random
import struct
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EMOJI = ["😀", "😂", "😍", "😭", "🙏", "🔥", "🎉", "👍🏽", "❤️", "👩‍👩‍👧", "🇮🇹", "✨", ":)", ":-D", "<3", "xD"]
ACCENTS = str.maketrans("aeioucn", "áéíöüçñ")
KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
# What a token becomes, in percent; the rest stay as they are.
SHARES = {"handle": 4, "link": 2, "hashtag": 4, "emoji": 4, "drawn out": 3, "accented": 2, "misspelled": 6, "glued": 1}


def read_words(path):
    """Words and counts of a model file."""
    content = path.read_bytes()
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])

    def part(name):
        begin, end = header[name]["data_offsets"]
        return content[8 + length + begin:8 + length + end]

    offsets, counts, text = array.array("Q", part("offsets")), array.array("Q", part("counts")), part("words")
    if sys.byteorder == "big":
        offsets.byteswap(), counts.byteswap()
    return [text[a:b].decode() for a, b in itertools.pairwise(offsets)], list(counts)


class Writer:
    def __init__(self, words, counts, seed):
        self.words, self.limits = words, list(itertools.accumulate(counts))
        self.random = random.Random(seed)
        self.kinds = list(SHARES)
        self.shares = list(itertools.accumulate(SHARES.values()))

    def word(self, shortest=1):
        """A word by its public count."""
        while True:
            drawn = self.words[bisect.bisect_right(self.limits, self.random.randrange(self.limits[-1]))]
            if len(drawn) >= shortest:
                return drawn

    def rare_word(self):
        return self.random.choice(self.words[500:8000])

    def token(self):
        place = self.random.randrange(100)
        kind = bisect.bisect_right(self.shares, place)
        return self.make(self.kinds[kind]) if kind < len(self.kinds) else self.word()

    def make(self, kind):
        choice = self.random.choice
        if kind == "handle":
            return "@" + self.rare_word().strip("'-") + choice(["", "_", str(self.random.randrange(1000))]) + choice(["", "x", "official"])
        if kind == "link":
            code = "".join(choice("abcdefghijkmnpqrstuvwxyzABCDEFGH23456789") for _ in range(10))
            return choice([f"https://t.co/{code}", f"http://www.{self.rare_word()}.com/{code}", f"{self.rare_word()}@example.org"])
        if kind == "hashtag":
            parts = [self.rare_word().replace("'", "").replace("-", "") for _ in range(choice([1, 1, 2, 3]))]
            return "#" + choice([parts[0], "".join(part.capitalize() for part in parts), "".join(parts[:2])])
        if kind == "emoji":
            return choice(EMOJI) * choice([1, 1, 1, 3])
        if kind == "glued":
            return choice([self.word(3) + str(self.random.randrange(100)), self.word(3) + self.word(3)])
        word = self.word(4)
        return {"drawn out": self.drawn_out, "accented": self.accented, "misspelled": self.misspelled}[kind](word)

    def drawn_out(self, word):
        place = self.random.choice([i for i, letter in enumerate(word) if letter in "aeiouy"] or [len(word) - 1])
        return word[:place] + word[place] * self.random.randrange(3, 8) + word[place + 1:]

    def accented(self, word):
        return self.random.choice([word.translate(ACCENTS), word.translate(ACCENTS).capitalize(), word.upper()])

    def misspelled(self, word):
        place = self.random.randrange(1, len(word) - 1)
        before, letter, after = word[:place], word[place], word[place + 1:]
        near = next((row for row in KEYS if letter in row), "e")
        typed = near[max(0, near.find(letter) - 1)]
        return self.random.choice([before + after, before + letter + letter + after, before + typed + after,
                                   before + after[0] + letter + after[1:]])

    def line(self):
        tokens = [self.token() for _ in range(self.random.randrange(5, 22))]
        if self.random.randrange(2):
            tokens[0] = tokens[0].capitalize() if tokens[0].islower() else tokens[0]
        return " ".join(tokens) + self.random.choice(["", ".", "!", "!!!", "...", "?"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=pathlib.Path, default=SOURCE / "models" / "sotto-en-wordnet.safetensors")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    writer = Writer(*read_words(arguments.model), arguments.seed)
    text = "".join(writer.line() + "\n" for _ in range(arguments.lines))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()

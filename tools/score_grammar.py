#!/usr/bin/env python3
"""Scores negation and agreement in rewritten sentences, without a parser.

    score_grammar.py ORIGINAL.tsv --text > sentences.txt
    sotto privatize --mechanism dp-mlm --epsilon 25 --seed 1 sentences.txt -o output.txt
    score_grammar.py ORIGINAL.tsv output.txt

ORIGINAL.tsv marks the words that matter; tests/lm/data/grammar/README.md describes the marks. The output must have a line
per sentence and as many words as the sentence has, separated by blanks."""
import argparse
import json
import pathlib
import re
import sys

MARK = re.compile(r"\[(\w+)(?:@(-?\d+))?\]")
EDGES = ".,!?;:\"()*"


def word_classes(path):
    classes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, words = line.split(":")
            classes.setdefault(name, set()).update(words.split())
    return classes


class Shapes:
    """Which shapes a word in lower case may have. Where the spelling leaves it open, a word has all of them."""

    def __init__(self, classes):
        self.of = classes
        self.past_forms = classes["irregular_past"] | classes["irregular_participle"]

    def is_word(self, word):
        return re.fullmatch(r"[^\W\d_]+(?:['-][^\W\d_]+)*", word) is not None

    def is_function_word(self, word):
        return any(word in self.of[name] for name in (
            "be", "have", "do", "modal", "preposition", "subject_only", "not_verb", "plural_determiner",
            "singular_determiner"))

    def negation(self, word):
        return word in self.of["negation"] or word.endswith("n't")

    def in_s(self, word):
        return (word.endswith("s") and not word.endswith(("ss", "us", "'s")) and len(word) > 2
                and self.is_word(word) and word not in self.of["not_plural"])

    def plural(self, word):
        return word in self.of["irregular_plural"] or self.in_s(word)

    def singular(self, word):
        return (self.is_word(word) and "'" not in word and (not self.plural(word) or word in ("fish", "sheep", "deer", "series"))
                and not self.is_function_word(word) and not self.negation(word)
                and (word not in self.past_forms or word in self.of["also_noun"]))

    def ing(self, word):
        return word.endswith("ing") and len(word) > 4 and word not in self.of["not_ing"]

    def in_ed(self, word):
        return word.endswith("ed") and len(word) > 3 and word not in self.of["not_ed"]

    def participle(self, word):
        return self.in_ed(word) or word in self.of["irregular_participle"]

    def past(self, word):
        return self.in_ed(word) or word in self.of["irregular_past"]

    def ing_or_participle(self, word):
        return self.ing(word) or self.participle(word)

    def base(self, word):
        if word in ("be", "have", "do"):
            return True
        return (self.is_word(word) and not self.is_function_word(word) and not self.negation(word)
                and (not self.in_s(word) or word in self.of["base_in_s"]) and not self.ing(word)
                and not self.in_ed(word) and word not in self.of["irregular_plural"]
                and (word not in self.past_forms or word in self.of["also_base"]))

    def third(self, word):
        return (self.in_s(word) or self.past(word) or word in self.of["modal"]
                or word in ("is", "has", "does", "isn't", "hasn't", "doesn't"))

    def plain(self, word):
        return self.base(word) or self.past(word) or word in self.of["modal"] or word in (
            "are", "aren't", "haven't", "don't")

    def comparative(self, word):
        if word in self.of["comparative"]:
            return True
        return word.endswith("er") and len(word) > 4 and word not in self.of["not_comparative"]

    def object(self, word):
        return word not in self.of["subject_only"] and self.is_word(word) and (
            word in self.of["object"] or not self.is_function_word(word))


REFLEXIVES = {"i": ["myself"], "you": ["yourself", "yourselves"], "he": ["himself"], "she": ["herself"],
              "it": ["itself"], "we": ["ourselves"], "they": ["themselves"]}


class Rules:
    """For each mark: the shape that must stand there, the word that asks for it, and where that word stands."""

    def __init__(self, classes):
        self.shapes = shapes = Shapes(classes)
        of = shapes.of
        is_in = lambda *names: lambda word: any(word in of[name] for name in names)
        plural_subject = lambda word: word in of["plural_subject"] or shapes.plural(word)
        singular_subject = lambda word: word in of["singular_subject"] or shapes.singular(word)
        self.asks = {
            "plural": (lambda w: w in of["plural_determiner"] or (w.isdigit() and w != "1"), -1),
            "singular": (is_in("singular_determiner"), -1),
            "be_plural": (plural_subject, -1),
            "be_singular": (singular_subject, -1),
            "third": (singular_subject, -1),
            "plain": (lambda w: w == "i" or plural_subject(w), -1),
            "participle": (lambda w: w in of["have"] or w.endswith("'ve"), -1),
            "ing_or_participle": (lambda w: w in of["be"] or w.endswith(("'m", "'re")), -1),
            "base": (is_in("modal", "do", "before_base"), -1),
            "comparative": (lambda w: w == "than", 1),
            "past": (is_in("past_time"), -1),
            "object": (is_in("preposition"), -1),
            "reflexive": (lambda w: w in REFLEXIVES, -2),
            "article": (shapes.is_word, 1),
        }

    def offset(self, name):
        return self.asks[name][1] if name in self.asks else 0

    def fits(self, name, word, other):
        """Whether `word` fits the mark `name`; `other` is the word that asks for it."""
        if name == "reflexive":
            return word in REFLEXIVES.get(other, [])
        if name == "article":
            return word == ("an" if self.takes_an(other) else "a") or word in self.shapes.of["other_determiner"]
        if name in ("be_plural", "be_singular"):
            return word in self.shapes.of[name]
        return getattr(self.shapes, name)(word)

    def asked(self, name, other):
        return self.asks[name][0](other)

    def takes_an(self, word):
        if word in self.shapes.of["an_in_spite_of_letter"]:
            return True
        return word[:1] in set("aeiou") and word not in self.shapes.of["a_in_spite_of_letter"]


def read_original(path):
    """The sentences without marks, and the marks: (sentence, kind, rule, position of the word, of the other)."""
    sentences, marks = [], []
    rules = Rules(word_classes(path.parent / "words.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        kind, marked = line.split("\t")
        for position, field in enumerate(marked.split(" ")):
            for name, offset in MARK.findall(field):
                other = position + (int(offset) if offset else rules.offset(name))
                marks.append((len(sentences), kind, name, position, other))
        sentences.append(MARK.sub("", marked))
    return rules, sentences, marks


def words_of(line):
    return [field.strip(EDGES).lower().replace("\u2019", "'") for field in line.split()]


def share(counts):
    right, total = counts
    return {"right": right, "marks": total, "score": round(right / total, 4) if total else None}


def score(rules, sentences, marks, output):
    if len(output) != len(sentences):
        raise SystemExit(f"{len(output)} lines of output for {len(sentences)} sentences")
    tables = {"kinds": {}, "rules": {}, "in_context": {"agreement": [0, 0]}}

    def count(table, key, fits):
        entry = tables[table].setdefault(key, [0, 0])
        entry[0] += fits
        entry[1] += 1

    for sentence, kind, name, position, other in marks:
        words = words_of(output[sentence])
        if len(words) != len(sentences[sentence].split()):
            raise SystemExit(f"line {sentence + 1}: {len(words)} words, expected {len(sentences[sentence].split())}")
        fits = rules.fits(name, words[position], words[other])
        count("kinds", kind, fits)
        count("rules", name, fits)
        if kind == "agreement" and rules.asked(name, words[other]):
            count("in_context", "agreement", fits)
    result = {kind: share(counts) for kind, counts in tables["kinds"].items()}
    result["agreement_in_context"] = share(tables["in_context"]["agreement"])
    result["rules"] = {name: share(counts) for name, counts in tables["rules"].items() if name != "negation"}
    return result


def print_table(result):
    rows = [(name, result[name]) for name in ("negation", "agreement", "agreement_in_context")]
    for name, row in rows + [("  " + name, row) for name, row in result["rules"].items()]:
        print(f"{name:22} {row['right']:4} of {row['marks']:4}  {row['score'] or 0:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path, nargs="?")
    parser.add_argument("--text", action="store_true", help="print the sentences without marks")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rules, sentences, marks = read_original(options.original)
    if options.text:
        print("\n".join(sentences))
        return
    if not options.output:
        parser.error("OUTPUT is missing")
    output = options.output.read_text(encoding="utf-8").splitlines()
    result = score(rules, sentences, marks, output)
    if options.json:
        json.dump(result, sys.stdout, indent=2)
        print()
    else:
        print_table(result)


if __name__ == "__main__":
    main()

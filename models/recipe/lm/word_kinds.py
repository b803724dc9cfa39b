"""What kind of word a word is: of grammar, a name, of which inflection and lemma."""
from pathlib import Path

import numpy as np

from word_model import read_safetensors

# Inflections that may stand for each other without harm to the grammar around them have one bit.
TAGS = [("NN", "NNP"), ("NNS", "NNPS"), ("VB", "VBP"), ("VBD",), ("VBN",), ("VBG",), ("VBZ",), ("JJ",), ("JJR",),
        ("JJS",), ("RB",), ("RBR", "RBS")]
NAME_BIT = len(TAGS)
POSSESSIVE_BIT = NAME_BIT + 1
COUNT_BIT = POSSESSIVE_BIT + 1
COUNTS = set("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
             "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion".split())
RARE = 1e-5  # relative frequency in everyday English
# Both of a pair are frequent, and each is also an inflection of the other's lemma by accident.
NO_NAMES = set("i i'm i'd i've i'll internet god bible christmas english american monday tuesday wednesday thursday friday "
               "saturday sunday".split())


def read_function_words():
    """(all of them, those of negation)"""
    lines = [line.split() for line in (Path(__file__).parent / "function_words.txt").read_text(encoding="utf-8").splitlines()
             if not line.startswith("#")]
    first = next(i for i, line in enumerate(lines) if line[:2] == ["not", "no"])
    return {word for line in lines for word in line}, {word for line in lines[first:] for word in line}


def read_names(word_forms):
    """Words that public text usually writes with a capital."""
    tensors, _ = read_safetensors(word_forms)
    forms = tensors["forms"].tobytes().decode("utf-8").split()
    return {form.lower() for form in forms if form[0].isupper()} - NO_NAMES


class WordKinds:
    """Of a list of words: masks of tags [n], lemma groups [n], and whether each is a function word or a name."""

    def __init__(self, words, inflections, word_forms):
        function, self.negation_words = read_function_words()
        names = read_names(word_forms)
        bits = {tag: i for i, tags in enumerate(TAGS) for tag in tags}
        table = {}
        with open(inflections, encoding="utf-8") as file:
            for line in file:
                word, lemmas, tags = line.rstrip("\n").split("\t")
                table[word] = (lemmas.split(), tags.split())
        self.function = np.array([word in function for word in words])
        self.negation = np.array([word in self.negation_words for word in words])
        self.name = np.array([word in names or (word.endswith("'s") and word[:-2] in names) for word in words]) & ~self.function
        self.tags = np.zeros(len(words), dtype=np.int64)
        self.groups = np.arange(len(words))
        first = {}
        for i, word in enumerate(words):
            lemmas, tags = table.get(word, ([], []))
            mask = sum(1 << b for b in {bits[t] for t in tags if t in bits})
            if word.endswith("'s"):
                mask = 1 << POSSESSIVE_BIT
            elif self.name[i]:
                mask = 1 << NAME_BIT
            elif word in COUNTS:
                mask = 1 << COUNT_BIT
            self.tags[i] = mask
            if not self.function[i]:
                # The longest common lemma joins "left" with "leaves"; a word without one is its own.
                base = word[:-2] if word.endswith("'s") else word
                lemma = min(lemmas, key=lambda x: (x != base, len(x)), default=base)
                self.groups[i] = first.setdefault(lemma, i)


class Kinds:
    """Which of some forms are function words, content words, names or rare."""

    def __init__(self, data, forms):
        self.kinds = WordKinds(forms, data / "inflections.tsv", data / "word-forms.safetensors")
        self.row = {form: i for i, form in enumerate(forms)}
        with open(data / "wordfreq_en.tsv", encoding="utf-8") as file:
            self.frequency = {w: float(f) for w, f in (line.split("\t") for line in file)}

    def function(self, form):
        return bool(self.kinds.function[self.row[form]])

    def content(self, form):
        return not self.function(form)

    def telling(self, form):
        """Names, and words rarer than RARE."""
        return self.content(form) and (bool(self.kinds.name[self.row[form]]) or self.frequency.get(form, 0) < RARE)

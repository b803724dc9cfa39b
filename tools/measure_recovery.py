#!/usr/bin/env python3
"""Measures how many words of text rewritten by `dp-mlm` an attacker recovers who knows epsilon and wander.

    tools/measure_recovery.py build/release/sotto --train train.tsv reviews.txt --test sst2_dev.txt --data FOLDER \\
        --vectors models/sotto-en-cbow.safetensors --cache FOLDER --out recovery.json

The attackers (tools/recovery_attackers.py) privatize public text with the program and learn from the pairs. Then they guess the
words of lines that they have never seen, privatized under other seeds. The figures are lower bounds: a better attacker may
exist. --data holds what models/recipe/lm/word_kinds.py reads. Needs numpy."""
import argparse
import dataclasses
import json
import pathlib

import numpy as np

from recovery_attackers import Lexicon, attack
from recovery_texts import BORDER, WORD, forms, privatize, read_lines, training_lines
from word_kinds import Kinds  # from the recipe, as recovery_texts finds it
from word_model import read_word_model

TRAINING_SEED, TEST_SEEDS = 1, (11, 12, 13)
TUNING_SHARE = 0.2
WORDS, LANGUAGE_WORDS = 300_000, 2_000_000


@dataclasses.dataclass
class Text:
    """Numbers of tokens, with borders around lines, and the places of the words."""
    originals: np.ndarray
    outputs: np.ndarray
    drawn: np.ndarray


def pairs(originals, outputs):
    """Per line that has the same tokens before and after: [(original, output, whether drawn)]."""
    if len(originals) != len(outputs):
        raise SystemExit(f"{len(outputs)} lines of output for {len(originals)} lines")
    for original, output in zip(originals, outputs):
        before, after = forms(original), forms(output)
        if [kind for _, kind in before] == [kind for _, kind in after]:
            yield [(a, b, kind == WORD) for (a, kind), (b, _) in zip(before, after)]


class Numbering(dict):
    """Numbers of forms, new ones as they come."""

    def __missing__(self, form):
        self[form] = len(self)
        return self[form]


def as_text(lines, numbering):
    border = [(BORDER, BORDER, False)] * 2
    tokens = border + [token for line in lines for token in [*line, *border]]
    rows = np.array([(numbering[a], numbering[b]) for a, b, _ in tokens])
    return Text(rows[:, 0], rows[:, 1], np.flatnonzero([drawn for *_, drawn in tokens]))


def language_of(lines):
    """The forms of public text."""
    return [form for line in lines for form in [*(form for form, _ in forms(line)), BORDER]]


class Words:
    """What is public about the words of a numbering."""

    def __init__(self, numbering, data, vectors, language):
        known, matrix = read_word_model(vectors)
        # The attacker may guess every public word, so that none is left out because no text here has it.
        rows, numbers = [numbering[word] for word in known], np.array([numbering[form] for form in language])
        forms = list(numbering)
        kinds = Kinds(data, forms)
        table = np.zeros((len(forms), matrix.shape[1]), dtype=np.float32)
        table[rows] = matrix
        self.lexicon = Lexicon(table, kinds.kinds.tags, kinds.kinds.function, numbers)
        telling = np.array([kinds.telling(form) for form in forms])
        function = self.lexicon.function
        self.groups = {"all": np.full(len(forms), True), "function": function, "content": ~function, "telling": telling}


def measured(words, training, test, guesses):
    """Shares of words kept and recovered, of all words and by kind of the original, and of the words that changed."""
    truth, shown = test.originals[test.drawn], test.outputs[test.drawn]
    seen = training.originals[training.drawn]
    report = {}
    for name, group in [*words.groups.items(), ("changed", None)]:
        which = truth != shown if group is None else group[truth]
        often = np.bincount(seen if group is None else seen[group[seen]])
        report[name] = {"words": int(which.sum()), "kept": share(truth[which] == shown[which]),
                        "blind": share(truth[which] == often.argmax()) if len(often) else 0.0}
        for attacker, guess in guesses.items():
            report[name][attacker] = share(truth[which] == guess[test.drawn][which])
        report[name]["recovered"] = max(report[name][attacker] for attacker in guesses)
    return report


def share(hits):
    return round(float(hits.mean()), 4) if len(hits) else 0.0


class Measurement:
    def __init__(self, arguments):
        self.arguments = arguments
        self.test = read_lines(arguments.test)
        self.train = training_lines(arguments.train, self.test, arguments.words)
        # Weights are fitted on training lines: what the language model knows must not include them.
        self.language = language_of(training_lines(arguments.train, self.test + self.train, LANGUAGE_WORDS))

    def privatized(self, lines, epsilon, wander, seed):
        return privatize(self.arguments.program, lines, epsilon, wander, seed, self.arguments.cache)

    def cell(self, epsilon, wander):
        train = list(pairs(self.train, self.privatized(self.train, epsilon, wander, TRAINING_SEED)))
        test = [line for seed in TEST_SEEDS for line in pairs(self.test, self.privatized(self.test, epsilon, wander, seed))]
        left_out = len(self.train) + len(TEST_SEEDS) * len(self.test) - len(train) - len(test)
        tuned = int(len(train) * (1 - TUNING_SHARE))
        numbering = Numbering()
        learning, tuning, training, test = (as_text(part, numbering) for part in (train[:tuned], train[tuned:], train, test))
        words = Words(numbering, self.arguments.data, self.arguments.vectors, self.language)
        guesses = attack(words.lexicon, learning, tuning, training, test)
        return {"epsilon": epsilon, "wander": wander, "trained_words": len(training.drawn), "tested_words": len(test.drawn),
                "lines_left_out": left_out, **measured(words, training, test, guesses)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--train", type=pathlib.Path, nargs="+", required=True)
    for name in ("test", "data", "vectors", "cache", "out"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[5, 10, 15, 25, 100])
    parser.add_argument("--wanders", type=float, nargs="+", default=[0, 0.5, 1])
    parser.add_argument("--words", type=int, default=WORDS, help="of training text, counted between blanks")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    measurement, cells = Measurement(arguments), []
    for wander in arguments.wanders:
        for epsilon in arguments.epsilons:
            cells.append(measurement.cell(epsilon, wander))
            print(json.dumps(cells[-1]), flush=True)
            arguments.out.write_text(json.dumps(cells, indent=1))


if __name__ == "__main__":
    main()

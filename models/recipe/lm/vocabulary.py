#!/usr/bin/env python3
"""Step 2: the output words and the input pieces of the masked model.

    vocabulary.py PACK WORD_MODEL WORDFREQ.tsv OUTPUT_FOLDER [WORDS]

PACK is what prepare.py wrote. WORD_MODEL is one of Sotto's word models: its 33,500 words are already free of what must not
come out of a rewriting, so the output words are taken from them. Written to OUTPUT_FOLDER: words.txt (output words, one a
line, most frequent first), vocab.json and merges.txt (byte-level BPE of lower-case tokens).
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from corpora import CORPORA  # noqa: E402
from lm_data import read_pack  # noqa: E402
from make_vocabulary import excluded_words  # noqa: E402
from text import OTHER, WORD  # noqa: E402
from word_model import read_word_model  # noqa: E402

WORDS = 12000
PIECES = 20000
SPECIAL = ["<pad>", "<mask>"]
# How much each corpus and wordfreq's everyday English count; by raw counts novels and film reviews would decide alone.
WEIGHTS = {"wikipedia": 0.15, "gutenberg": 0.10, "imdb_unsup": 0.30, "reuters": 0.03, "news2014": 0.12}
WORDFREQ_WEIGHT = 0.30
# Rarer in everyday English are the abbreviations of one corpus ("dlrs", "mln").
MIN_WORDFREQ = 1e-6
# Not in the word models: spellings of the treebank, and abbreviations with full stops.
EXTRA = ["n't", "p.m.", "a.m.", "e.g.", "i.e.", "u.s.", "u.k.", "u.n."]
FRAGMENTS = ["re", "ve", "ll", "m", "d", "ca"]
# Most other tokens of two letters are abbreviations and pieces of names, and read badly out of place.
SHORT = set("a i s of to in is it on as he at by be an or so my if we up me no do us go am mr tv oh dr ok uk un eu ah "
            "ms ha hi pm vs st ii id mp cd dj ex".split())


def count_corpora(pack):
    """Per corpus the count of each type."""
    borders = [0, *pack.borders]
    return {name: np.bincount(pack.stream[b:e], minlength=len(pack.types))
            for name, b, e in zip(CORPORA, borders, borders[1:])}


def choose_words(types, counts, word_model, wordfreq_path, size):
    with open(wordfreq_path, encoding="utf-8") as file:
        wordfreq = {word: float(f) for word, f in (line.split("\t") for line in file)}
    excluded = excluded_words()
    known, _ = read_word_model(word_model)
    number = {key: i for i, key in enumerate(types)}
    shares = sum(WEIGHTS[name] * c / c.sum() for name, c in counts.items())
    scored = []
    for word in [*known, *EXTRA]:
        everyday = wordfreq.get(word, 0)
        if word in FRAGMENTS or word in excluded or (len(word) < 3 and word not in SHORT):
            continue
        if everyday < MIN_WORDFREQ and "'" not in word and "-" not in word and "." not in word:
            continue
        at = number.get((word, WORD))
        score = 0 if at is None else shares[at]
        scored.append((score + WORDFREQ_WEIGHT * everyday, word))
    scored.sort(key=lambda item: (-item[0], item[1]))
    always = [word for word in EXTRA if word not in known]
    return [word for _, word in scored if word not in always][:size - len(always) - len(FRAGMENTS)] + always + FRAGMENTS


def train_pieces(types, totals, output):
    """Byte-level BPE over single tokens; written in the form of GPT-2's files."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=PIECES, special_tokens=SPECIAL, initial_alphabet=alphabet,
                                  min_frequency=2, show_progress=False)
    # Ranks matter, not exact counts: dividing by 16 keeps the pass short.
    texts = (form for (form, _), n in zip(types, totals) for _ in range((n + 8) // 16))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.model.save(str(output))
    return tokenizer


def main(pack_folder, word_model, wordfreq, output, size=WORDS):
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    pack = read_pack(pack_folder)
    counts = count_corpora(pack)
    totals = sum(counts.values())
    words = choose_words(pack.types, counts, word_model, wordfreq, int(size))
    (output / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    tokenizer = train_pieces(pack.types, totals, output)
    chosen = set(words)
    text = np.array([c in (WORD, OTHER) for _, c in pack.types])
    covered = np.array([form in chosen for form, _ in pack.types]) & text
    single = sum(len(tokenizer.encode(word).ids) == 1 for word in words)
    print(json.dumps({"running": int(totals[text].sum()), "covered": totals[covered].sum() / totals[text].sum(),
                      "single_piece_words": single, "pieces": tokenizer.get_vocab_size()}))


if __name__ == "__main__":
    main(*sys.argv[1:6])

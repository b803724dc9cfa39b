#!/usr/bin/env python3
"""Step 1: the output words and the input pieces of the masked model.

    vocabulary.py CORPUS_FOLDER WORD_MODEL WORDFREQ.tsv OUTPUT_FOLDER

CORPUS_FOLDER holds the corpora named in corpora.py. WORD_MODEL is one of Sotto's word models: its 33,500 words are
already free of what must not come out of a rewriting, so the output words are taken from them. Written to
OUTPUT_FOLDER: words.txt (output words, one a line, most frequent first), vocab.json and merges.txt (byte-level
BPE of lower-case tokens), counts.tsv (form, class, count).
"""
import json
import sys
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from corpora import CORPORA, read_train  # noqa: E402
from make_vocabulary import excluded_words  # noqa: E402
from text import OTHER, WORD, corpus_lines, forms  # noqa: E402
from word_model import read_word_model  # noqa: E402

WORDS = 8000
PIECES = 16000
SPECIAL = ["<pad>", "<mask>"]
# How much each corpus and wordfreq's everyday English count; by raw counts novels and film reviews would decide alone.
WEIGHTS = {"wikipedia": 0.15, "gutenberg": 0.10, "imdb_unsup": 0.30, "reuters": 0.03, "news2014": 0.12}
WORDFREQ_WEIGHT = 0.30
# Rarer in everyday English are the abbreviations of one corpus ("dlrs", "mln").
MIN_WORDFREQ = 1.5e-6
# Not in the word models, but frequent in texts with treebank spelling; "s" stays for "it 's" and "U.S.".
EXTRA = ["n't"]
FRAGMENTS = ["re", "ve", "ll", "m", "d", "ca"]
# Most other tokens of two letters are abbreviations and pieces of names, and read badly out of place.
SHORT = set("a i s of to in is it on as he at by be an or so my if we up me no do us go am mr tv oh dr ok uk un eu ah "
            "ms ha hi pm vs st ii id mp cd dj ex".split())


def count_corpus(job):
    folder, name = job
    counts = Counter()
    for line in corpus_lines(name, read_train(folder, name)):
        counts.update(forms(line))
    return name, counts


def choose_words(counts, word_model, wordfreq_path):
    with open(wordfreq_path, encoding="utf-8") as file:
        wordfreq = {word: float(f) for word, f in (line.split("\t") for line in file)}
    excluded = excluded_words()
    known, _ = read_word_model(word_model)
    totals = {name: sum(c.values()) for name, c in counts.items()}
    scored = []
    for word in [*known, *EXTRA]:
        everyday = wordfreq.get(word, 0)
        if word in FRAGMENTS or word in excluded or (len(word) < 3 and word not in SHORT):
            continue
        if everyday < MIN_WORDFREQ and "'" not in word and "-" not in word:
            continue
        score = sum(WEIGHTS[name] * c[word, WORD] / totals[name] for name, c in counts.items())
        scored.append((score + WORDFREQ_WEIGHT * everyday, word))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [word for _, word in scored[:WORDS - len(FRAGMENTS)]] + FRAGMENTS


def train_pieces(totals, output):
    """Byte-level BPE over single tokens; written in the form of GPT-2's files."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=PIECES, special_tokens=SPECIAL, initial_alphabet=alphabet,
                                  min_frequency=2, show_progress=False)
    # Ranks matter, not exact counts: dividing by 16 keeps the pass short.
    texts = (form for (form, _), n in totals.items() for _ in range((n + 8) // 16))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.model.save(str(output))
    return tokenizer


def main(folder, word_model, wordfreq, output):
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    with Pool(2) as pool:
        counts = dict(pool.map(count_corpus, [(folder, name) for name in CORPORA]))
    totals = sum(counts.values(), Counter())
    words = choose_words(counts, word_model, wordfreq)
    (output / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    tokenizer = train_pieces(totals, output)
    with open(output / "counts.tsv", "w", encoding="utf-8") as file:
        for (form, token_class), n in totals.most_common():
            if n > 1:
                file.write(f"{form}\t{token_class}\t{n}\n")
    chosen = set(words)
    running = sum(n for (_, c), n in totals.items() if c in (WORD, OTHER))
    covered = sum(n for (form, c), n in totals.items() if c in (WORD, OTHER) and form in chosen)
    single = sum(len(tokenizer.encode(word).ids) == 1 for word in words)
    print(json.dumps({"running": running, "covered": covered / running, "single_piece_words": single,
                      "pieces": tokenizer.get_vocab_size()}))


if __name__ == "__main__":
    main(*sys.argv[1:5])

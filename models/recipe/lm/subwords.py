#!/usr/bin/env python3
"""Trains the WordPiece vocabulary of the sentence encoder and the byte-level BPE of the causal model.

    subwords.py CORPUS_FOLDER ENCODER_FOLDER CAUSAL_FOLDER
"""
import random
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from corpora import CORPORA, read_train
from text import clean

# Novels are long; the vocabulary should be that of today's texts.
CHARACTERS = {"wikipedia": 14e6, "gutenberg": 5e6, "imdb_unsup": 14e6, "reuters": 4e6, "news2014": 8e6}


def sample(folder):
    rng = random.Random(1)
    for name in CORPORA:
        lines = read_train(folder, name)
        rng.shuffle(lines)
        total = 0
        for line in lines:
            line = clean(line)
            total += len(line)
            yield line
            if total > CHARACTERS[name]:
                break


def word_piece(folder, output):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=11000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                                        limit_alphabet=300, show_progress=False)
    tokenizer.train_from_iterator(sample(folder), trainer)
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    Path(output).mkdir(parents=True, exist_ok=True)
    Path(output, "vocab.txt").write_text("\n".join(token for token, _ in vocabulary) + "\n", encoding="utf-8")


def byte_level(folder, output):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=10000, special_tokens=["<|endoftext|>", "<|paraphrase|>"],
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    tokenizer.train_from_iterator(sample(folder), trainer)
    Path(output).mkdir(parents=True, exist_ok=True)
    tokenizer.model.save(str(output))


if __name__ == "__main__":
    word_piece(sys.argv[1], sys.argv[2])
    byte_level(sys.argv[1], sys.argv[3])

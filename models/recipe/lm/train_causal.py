#!/usr/bin/env python3
"""The causal model (GPT-2's shape) and its copy tuned to paraphrase.

    train_causal.py --data FOLDER --vocabulary FOLDER --out FOLDER [--seconds S --tune S]

Paraphrase format: <|endoftext|> text <|paraphrase|> paraphrase <|endoftext|>. Pairs: MRPC's paraphrases, STS-B's pairs
of score 3.5 and above (training parts), and sentences of the corpora beside themselves with words exchanged for
synonyms, because the real pairs are a few thousand.
"""
import argparse
import json
import math
import os
import random
import re
import time
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from corpora import CORPORA, read_held_out, read_train
from export import dequantize, save_int8
from hf_shapes import Gpt2
from lm_data import read_groups
from text import clean, tokenize, WORD, OTHER
from train_encoder import SENTENCE, Schedule, read_mrpc, read_sts
from word_model import read_safetensors

END, PARAPHRASE = 0, 1
CONTEXT = 256


def load_tokenizer(folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = Path(folder)
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _cleaned(lines):
    return [re.sub(r"\s+", " ", clean(line)).strip() for line in lines]


def clean_all(lines):
    with Pool(min(16, os.cpu_count())) as pool:
        chunks = pool.map(_cleaned, [lines[i:i + 4000] for i in range(0, len(lines), 4000)])
    return [line for chunk in chunks for line in chunk if line]


def token_stream(tokenizer, lines):
    parts = []
    for begin in range(0, len(lines), 100000):
        for encoding in tokenizer.encode_batch(lines[begin:begin + 100000]):
            parts.append(np.array([END, *encoding.ids], dtype=np.int16))
    return np.concatenate(parts)


def train(model, stream, seconds, device):
    size = 384 if device.type == "cuda" else 2
    step_model = torch.compile(model, dynamic=False) if device.type == "cuda" else model
    offsets = torch.arange(CONTEXT + 1, device=device)
    schedule = None
    while schedule is None or schedule.more():
        begin = torch.randint(len(stream) - CONTEXT - 1, (size, 1), device=device)
        ids = stream[begin + offsets].long()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            logits = step_model(ids[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten())
        if schedule is None:
            loss.backward()   # compiles; the clock starts afterwards
            schedule = Schedule(model.parameters(), 1.2e-3, seconds, 200)
            schedule.optimizer.zero_grad(set_to_none=True)
            continue
        schedule.step(loss)
        if schedule.steps % 200 == 0:
            print("causal", schedule.steps, round(loss.item(), 3), flush=True)
    print("causal", schedule.steps, "steps", flush=True)


def count_words(text):
    return sum(c in (WORD, OTHER) for _, _, c in tokenize(text))


@torch.no_grad()
def perplexity(model, tokenizer, lines, device):
    """(per token, per word): every text starts after the end sign and is cut to the context."""
    model.eval()
    loss, tokens, words = 0.0, 0, 0
    rows = [([END, *e.ids][:CONTEXT + 1], line) for e, line in zip(tokenizer.encode_batch(lines), lines)]
    rows = sorted((r for r in rows if len(r[0]) > 2), key=lambda r: len(r[0]))
    for begin in range(0, len(rows), 64):
        batch = rows[begin:begin + 64]
        longest = max(len(r[0]) for r in batch)
        ids = torch.tensor([r[0] + [-1] * (longest - len(r[0])) for r in batch], device=device)
        logits = model(ids[:, :-1].clamp(min=0)).float()
        target = ids[:, 1:]
        loss += F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1, reduction="sum").item()
        tokens += (target >= 0).sum().item()
        words += sum(count_words(tokenizer.decode(r[0][1:], skip_special_tokens=False)) for r in batch)
    model.train()
    return math.exp(loss / tokens), math.exp(loss / max(words, 1))


def real_pairs(data):
    pairs = [(a, b) for a, b, label in read_mrpc(data / "mrpc_train.tsv") if label == 1]
    pairs += [(a, b) for a, b, score in read_sts(data / "stsb_train.tsv") if score >= 3.5]
    return [p for a, b in pairs if a != b for p in ((a, b), (b, a))]


def exchange(text, synonyms, rng, share=0.35):
    out, last = [], 0
    for b, e, c in tokenize(text):
        word = text[b:e]
        if c == WORD and word in synonyms and rng.random() < share:
            out += [text[last:b], rng.choice(synonyms[word])]
            last = e
    return "".join(out) + text[last:]


def made_pairs(lines, data, n):
    rng = random.Random(3)
    synonyms = {}
    for a, b in read_groups(data / "ppdb_synonyms.txt"):
        synonyms.setdefault(a, []).append(b)
        synonyms.setdefault(b, []).append(a)
    pairs = []
    while len(pairs) < n:
        for s in SENTENCE.split(rng.choice(lines))[:4]:
            if 25 < len(s) < 220:
                other = exchange(s, synonyms, rng)
                if other != s:
                    pairs.append((other, s) if rng.random() < 0.7 else (s, other))
    return pairs


def pair_rows(tokenizer, pairs):
    """Number rows and where the paraphrase starts."""
    left = tokenizer.encode_batch([a for a, _ in pairs])
    right = tokenizer.encode_batch([b for _, b in pairs])
    rows = [([END, *a.ids, PARAPHRASE, *b.ids, END], len(a.ids) + 2) for a, b in zip(left, right)]
    return [r for r in rows if len(r[0]) <= CONTEXT]


def pair_batch(rows, device):
    longest = max(len(r[0]) for r in rows)
    ids = torch.tensor([r[0] + [-1] * (longest - len(r[0])) for r in rows], device=device)
    starts = torch.tensor([r[1] for r in rows], device=device)
    target = torch.where(torch.arange(longest, device=device) < starts[:, None], -1, ids)
    return ids.clamp(min=0)[:, :-1], target[:, 1:]


def tune(model, real, made, seconds, device):
    rng = random.Random(4)
    schedule = Schedule(model.parameters(), 4e-4, seconds, 50)
    while schedule.more():
        ids, target = pair_batch(rng.sample(real, 32) + rng.sample(made, 160 if device.type == "cuda" else 2), device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            logits = model(ids)
        loss = F.cross_entropy(logits.float().flatten(0, 1), target.flatten(), ignore_index=-1)
        schedule.step(loss)
        if schedule.steps % 200 == 0:
            print("paraphrase", schedule.steps, round(loss.item(), 3), flush=True)
    print("paraphrase", schedule.steps, "steps", flush=True)


@torch.no_grad()
def pair_perplexity(model, rows, device):
    model.eval()
    loss, n = 0.0, 0
    for begin in range(0, len(rows), 64):
        ids, target = pair_batch(rows[begin:begin + 64], device)
        logits = model(ids).float()
        loss += F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1, reduction="sum").item()
        n += (target >= 0).sum().item()
    model.train()
    return math.exp(loss / n)


@torch.no_grad()
def paraphrase(model, tokenizer, text, device, temperature=0.0):
    """At most as many tokens as the input has."""
    model.eval()
    ids = [END, *tokenizer.encode(text).ids, PARAPHRASE]
    out = []
    for _ in range(len(ids) - 2):
        logits = model(torch.tensor([ids + out], device=device))[0, -1].float()
        word = int(logits.argmax() if temperature == 0 else torch.multinomial((logits / temperature).softmax(0), 1))
        if word == END:
            break
        out.append(word)
    model.train()
    return tokenizer.decode(out)


def reload_int8(model, path, device):
    tensors, _ = read_safetensors(path)
    model.load_state_dict({k: torch.from_numpy(v.copy()).to(device) for k, v in dequantize(tensors).items()})


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--tune", type=float, default=30)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    data, out = Path(args.data), Path(args.out)
    tokenizer = load_tokenizer(args.vocabulary)
    begin = time.time()
    lines = clean_all([line for name in CORPORA for line in read_train(data, name)[:args.limit]])
    random.Random(5).shuffle(lines)
    stream = torch.from_numpy(token_stream(tokenizer, lines)).to(device)
    print(f"{len(stream):,} tokens, {time.time() - begin:.0f} s", flush=True)
    model = Gpt2(tokenizer.get_vocab_size(), positions=CONTEXT).to(device)
    train(model, stream, args.seconds, device)
    held_out = {name: clean_all(read_held_out(data, name))[:400] for name in CORPORA}
    held_out["sst2"] = (data / "sst2_dev.txt").read_text(encoding="utf-8").split("\n")[:-1]
    held_out["reviews"] = (data / "reviews_heldout.txt").read_text(encoding="utf-8").split("\n")[:-1]
    report = {"float": {k: perplexity(model, tokenizer, v, device) for k, v in held_out.items()}}
    save_int8(out / "causal.safetensors", model.state_dict(), {})
    state = {k: v.clone() for k, v in model.state_dict().items()}
    reload_int8(model, out / "causal.safetensors", device)
    report["int8"] = {k: perplexity(model, tokenizer, v, device) for k, v in held_out.items()}
    model.load_state_dict(state)
    print(json.dumps(report), flush=True)

    real = pair_rows(tokenizer, real_pairs(data))
    made = pair_rows(tokenizer, made_pairs(lines, data, 60000 if args.limit is None else 500))
    dev_pairs = [(a, b) for a, b, label in read_mrpc(data / "mrpc_dev.tsv") if label == 1]
    dev = pair_rows(tokenizer, dev_pairs)
    report["pairs"] = {"real": len(real), "made": len(made), "dev_before": pair_perplexity(model, dev, device)}
    tune(model, real, made, args.tune, device)
    report["pairs"]["dev_after"] = pair_perplexity(model, dev, device)
    save_int8(out / "paraphrase.safetensors", model.state_dict(), {})
    reload_int8(model, out / "paraphrase.safetensors", device)
    report["pairs"]["dev_int8"] = pair_perplexity(model, dev, device)
    texts = [a for a, _ in dev_pairs[:12]] + held_out["sst2"][:12] + held_out["reviews"][:6]
    report["samples"] = [(t, paraphrase(model, tokenizer, t, device), paraphrase(model, tokenizer, t, device, 1.0))
                         for t in texts]
    (out / "causal.json").write_text(json.dumps(report))
    for sample in report["samples"][:8]:
        print(sample, flush=True)
    print(json.dumps(report["pairs"]), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The sentence encoder: a small BERT, mean pooling.

    train_encoder.py --data FOLDER --vocabulary FOLDER --out FOLDER [--pretrain S --contrast S --tune S]

Pre-trained on masked words, then on pairs (neighbouring sentences; a sentence and itself with words left out or
exchanged), then on STS-B's and MRPC's training pairs. STS-B's dev set is only measured.
"""
import argparse
import json
import os
import random
import re
import time
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from corpora import CORPORA, read_train
from export import dequantize, save_int8
from hf_shapes import Bert
from lm_data import flatten, read_groups, read_vectors_text
from text import clean
from word_model import read_safetensors

PAD, UNK, CLS, SEP, MASK = range(5)
LENGTH = 64
SENTENCE = re.compile(r"(?<=[.!?])\s+")


def load_tokenizer(folder):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.WordPiece.from_file(str(Path(folder) / "vocab.txt"), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _sentences(job):
    out = []
    for line in job:
        parts = [p for p in SENTENCE.split(clean(line)) if len(p) > 15]
        out.append(parts[:60])
    return out


def read_sentences(folder, limit=None):
    """Lists of sentences, a document each."""
    lines = [line for name in CORPORA for line in read_train(folder, name)[:limit]]
    with Pool(min(16, os.cpu_count())) as pool:
        chunks = pool.map(_sentences, [lines[i:i + 4000] for i in range(0, len(lines), 4000)])
    return [document for chunk in chunks for document in chunk if document]


class Corpus:
    """All sentences as rows of LENGTH numbers, [CLS] … [SEP]; `next`: the row of the sentence that follows, or -1."""

    def __init__(self, documents, tokenizer, device):
        flat = [s for document in documents for s in document]
        ids = np.zeros((len(flat), LENGTH), dtype=np.int16)
        for begin in range(0, len(flat), 200000):
            for i, encoding in enumerate(tokenizer.encode_batch(flat[begin:begin + 200000], add_special_tokens=False)):
                row = [CLS, *encoding.ids[:LENGTH - 2], SEP]
                ids[begin + i, :len(row)] = row
        following = np.arange(1, len(flat) + 1)
        following[np.cumsum([len(document) for document in documents]) - 1] = -1
        self.ids = torch.from_numpy(ids).to(device)
        self.next = torch.from_numpy(following).to(device)
        lengths = (self.ids > 0).sum(1)
        self.good = torch.nonzero((lengths >= 8) & (self.next >= 0))[:, 0]
        # The same text without borders, for pre-training in rows of equal length.
        self.stream = self.ids[self.ids > MASK]

    def trimmed(self, rows):
        ids = self.ids[rows].long()
        return ids[:, :int((ids > 0).sum(1).max())]


def pool(model, ids):
    mask = (ids != PAD)
    states = model(ids)
    weight = mask[:, :, None].to(states.dtype)
    return ((states * weight).sum(1) / weight.sum(1)).float()


def initial_vectors(tokenizer, data, size):
    """Whole words start from word vectors, turned into the model's size by a fixed random rotation."""
    vectors = {}
    for name in ("googlenews.npz", "glove.100d.10000.txt.xz"):
        if name.endswith("npz"):
            if not (data / name).exists():
                continue
            stored = np.load(data / name)
            words, matrix = stored["words"].tolist(), stored["vectors"].astype(np.float32)
        else:
            words, matrix = read_vectors_text(data / name)
        matrix = flatten(matrix, 1)
        rng = np.random.default_rng(2)
        basis = np.linalg.qr(rng.standard_normal((size, matrix.shape[1])))[0].T.astype(np.float32)
        for word, row in zip(words, matrix @ basis):
            vectors.setdefault(word.lower(), []).append(row)
    out = {}
    for token, number in tokenizer.get_vocab().items():
        if token in vectors:
            row = np.sum(vectors[token][:2], 0)
            out[number] = row / np.linalg.norm(row)
    return out


def synonyms(tokenizer, data, device, most=6):
    """Per vocabulary number, numbers of its synonyms (0: none)."""
    vocabulary = tokenizer.get_vocab()
    table = np.zeros((len(vocabulary), most), dtype=np.int64)
    count = np.zeros(len(vocabulary), dtype=np.int64)
    for a, b in read_groups(data / "ppdb_synonyms.txt"):
        for x, y in ((a, b), (b, a)):
            if x in vocabulary and y in vocabulary and count[vocabulary[x]] < most:
                i = vocabulary[x]
                table[i, count[i]] = vocabulary[y]
                count[i] += 1
    return torch.from_numpy(table).to(device), torch.from_numpy(count).to(device)


def disturb(ids, table, count):
    """Words exchanged for synonyms, words left out, neighbours exchanged."""
    noise = torch.rand(ids.shape, device=ids.device)
    n = count[ids]
    pick = table[ids, (torch.rand(ids.shape, device=ids.device) * n.clamp(min=1)).long()]
    ids = torch.where((noise < 0.3) & (n > 0), pick, ids)
    gone = (torch.rand(ids.shape, device=ids.device) < 0.12) & (ids > MASK)
    order = torch.arange(ids.shape[1], device=ids.device) + 1.8 * torch.rand(ids.shape, device=ids.device)
    order[:, 0] = -1
    order = torch.where(gone | (ids == PAD), 1e6, torch.where(ids == SEP, 1e5, order))
    ids = torch.where(gone, PAD, ids)
    return ids.gather(1, order.argsort(1))


def masked(ids, vocabulary, rate=0.15):
    pick = (torch.rand(ids.shape, device=ids.device) < rate) & (ids > MASK)
    what = torch.rand(ids.shape, device=ids.device)
    other = torch.randint(5, vocabulary, ids.shape, device=ids.device)
    shown = torch.where(pick & (what < 0.8), MASK, torch.where(pick & (what > 0.9), other, ids))
    return shown, pick


class Schedule:
    """Linear warm-up and decay by the clock."""

    def __init__(self, parameters, rate, seconds, warmup=100):
        fused = {"fused": True} if torch.cuda.is_available() else {}
        self.optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, **fused)
        self.rate, self.seconds, self.warmup, self.steps, self.begin = rate, seconds, warmup, 0, time.time()
        self.parameters = [p for group in self.optimizer.param_groups for p in group["params"]]

    def more(self):
        return time.time() - self.begin < self.seconds

    def step(self, loss):
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        left = max(0.0, 1 - (time.time() - self.begin) / self.seconds)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * min(1.0, (self.steps + 1) / self.warmup) * left
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1


def pretrain(model, head_bias, corpus, seconds, vocabulary, device):
    rows = 1536 if device.type == "cuda" else 4
    step_model = torch.compile(model, dynamic=False) if device.type == "cuda" else model
    offsets = torch.arange(LENGTH - 2, device=device)
    schedule = None
    while schedule is None or schedule.more():
        begin = torch.randint(len(corpus.stream) - LENGTH, (rows, 1), device=device)
        ids = F.pad(corpus.stream[begin + offsets].long(), (1, 1), value=SEP)
        ids[:, 0] = CLS
        shown, pick = masked(ids, vocabulary)
        # A fixed number of places: shapes that change would be compiled again and again.
        at = (torch.rand(pick.shape, device=device) + pick.float()).flatten().topk(int(0.14 * pick.numel()))[1]
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            states = step_model(shown).flatten(0, 1)[at]
            logits = states @ model.embeddings["word_embeddings"].weight.T + head_bias
        loss = F.cross_entropy(logits.float(), ids.flatten()[at])
        if schedule is None:
            loss.backward()   # compiles; the clock starts afterwards
            schedule = Schedule([*model.parameters(), head_bias], 1e-3, seconds)
            schedule.optimizer.zero_grad(set_to_none=True)
            continue
        schedule.step(loss)
        if schedule.steps % 200 == 0:
            print("pretrain", schedule.steps, round(loss.item(), 3), flush=True)
    print("pretrain", schedule.steps, "steps", flush=True)


def contrast_loss(a, b, temperature=0.05):
    scores = F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T / temperature
    target = torch.arange(len(a), device=a.device)
    return (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2


def contrast(model, corpus, words, seconds, device):
    schedule = Schedule(model.parameters(), 4e-4, seconds, 50)
    while schedule.more():
        loss = contrast_step(model, corpus, words, 768 if device.type == "cuda" else 4, device)
        schedule.step(loss)
        if schedule.steps % 200 == 0:
            print("contrast", schedule.steps, round(loss.item(), 3), flush=True)
    print("contrast", schedule.steps, "steps", flush=True)


def contrast_step(model, corpus, words, size, device):
    rows = corpus.good[torch.randint(len(corpus.good), (size,), device=device)]
    ids = corpus.trimmed(rows)
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        here = pool(model, disturb(ids, *words))
        same = pool(model, disturb(ids, *words))
        after = pool(model, corpus.trimmed(corpus.next[rows]))
    return contrast_loss(here, same) + 0.3 * contrast_loss(here, after)


def read_sts(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [(r[7], r[8], float(r[9])) for r in rows if len(r) >= 10]


def read_mrpc(path):
    with open(path, encoding="utf-8-sig") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [(r[3], r[4], float(r[0])) for r in rows if len(r) == 5]


def encode_texts(tokenizer, texts, device):
    rows = [[CLS, *e.ids[:LENGTH - 2], SEP] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], device=device)


def ranks(values):
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + 1 + ends) / 2)[inverse]


@torch.no_grad()
def spearman(model, tokenizer, pairs, device):
    model.eval()
    sides = []
    for side in (0, 1):
        parts = [pool(model, encode_texts(tokenizer, [p[side] for p in pairs[i:i + 256]], device))
                 for i in range(0, len(pairs), 256)]
        sides.append(F.normalize(torch.cat(parts), dim=-1))
    cosine = (sides[0] * sides[1]).sum(-1).cpu().numpy()
    model.train()
    return float(np.corrcoef(ranks(cosine), ranks(np.array([p[2] for p in pairs])))[0, 1])


def order_loss(cosine, gold, scale=20.0):
    """Every pair of pairs whose order by cosine contradicts the order by score costs (CoSENT)."""
    difference = scale * (cosine[None] - cosine[:, None])
    wrong = gold[:, None] > gold[None]
    return torch.logsumexp(torch.cat([difference[wrong], difference.new_zeros(1)]), 0)


def tune(model, tokenizer, corpus, words, sts, mrpc, seconds, device):
    """Supervised pairs; the contrastive task goes on beside them, otherwise the few pairs are learned by heart."""
    random.seed(1)
    schedule = Schedule(model.parameters(), 1.5e-4, seconds, 30)
    while schedule.more():
        batch = random.sample(sts, 64)
        a, b = (encode_texts(tokenizer, [p[k] for p in batch], device) for k in (0, 1))
        gold = torch.tensor([p[2] for p in batch], device=device)
        pairs = random.sample(mrpc, 64)
        c, d = (encode_texts(tokenizer, [p[k] for p in pairs], device) for k in (0, 1))
        label = torch.tensor([p[2] for p in pairs], device=device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            cosine = torch.cosine_similarity(pool(model, a), pool(model, b))
            cosine_mrpc = torch.cosine_similarity(pool(model, c), pool(model, d))
        loss = order_loss(cosine, gold) + 0.3 * order_loss(cosine_mrpc, label)
        loss = loss + 4 * ((cosine - gold / 5) ** 2).mean()
        loss = loss + 0.3 * contrast_step(model, corpus, words, 256 if device.type == "cuda" else 4, device)
        schedule.step(loss)
    print("tune", schedule.steps, "steps,", round(schedule.steps * 64 / len(sts), 1), "epochs of STS-B", flush=True)


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--pretrain", type=float, default=90)
    parser.add_argument("--contrast", type=float, default=45)
    parser.add_argument("--tune", type=float, default=20)
    parser.add_argument("--start", help="an 8-bit file to go on from")
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    random.seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    data, out = Path(args.data), Path(args.out)
    tokenizer = load_tokenizer(args.vocabulary)
    begin = time.time()
    corpus = Corpus(read_sentences(data, args.limit), tokenizer, device)
    print(f"{len(corpus.ids):,} sentences, {time.time() - begin:.0f} s", flush=True)
    n = tokenizer.get_vocab_size()
    model = Bert(n).to(device)
    with torch.no_grad():
        for number, row in initial_vectors(tokenizer, data, 384).items():
            # Twice the length of a random row, so that what the vectors know outlives the first steps.
            model.embeddings["word_embeddings"].weight[number] = torch.from_numpy(row * 0.04 * 384 ** 0.5)
    words = synonyms(tokenizer, data, device)
    dev, sts = read_sts(data / "stsb_dev.tsv"), read_sts(data / "stsb_train.tsv")
    if args.start:
        tensors, _ = read_safetensors(args.start)
        model.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in dequantize(tensors).items()})
    report = {"start": spearman(model, tokenizer, dev, device)}
    head_bias = torch.zeros(n, device=device, requires_grad=True)
    if args.pretrain:
        pretrain(model, head_bias, corpus, args.pretrain, n, device)
    report["pretrained"] = spearman(model, tokenizer, dev, device)
    contrast(model, corpus, words, args.contrast, device)
    report["contrastive"] = spearman(model, tokenizer, dev, device)
    print(json.dumps(report), flush=True)
    tune(model, tokenizer, corpus, words, sts, read_mrpc(data / "mrpc_train.tsv"), args.tune, device)
    report["tuned"] = spearman(model, tokenizer, dev, device)
    report["tuned_on_train"] = spearman(model, tokenizer, sts, device)
    save_int8(out / "encoder.safetensors", model.state_dict(), {})
    tensors, _ = read_safetensors(out / "encoder.safetensors")
    stored = {k: torch.from_numpy(v.copy()) for k, v in dequantize(tensors).items()}
    model.load_state_dict(stored)
    report["int8"] = spearman(model, tokenizer, dev, device)
    report["mrpc_dev"] = spearman(model, tokenizer, read_mrpc(data / "mrpc_dev.tsv"), device)
    (out / "encoder.json").write_text(json.dumps(report))
    print(json.dumps(report), flush=True)
    return model, tokenizer


if __name__ == "__main__":
    main()

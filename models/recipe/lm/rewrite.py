"""Rewriting with the one-pass model, and measuring what came out."""
import math

import numpy as np
import torch

from export import dequantize
from lm_data import piece_table
from mlm import (KNOTS, WANDER_KNOTS, BoundedMlm, balance, condition_of, knot_weights, log_base, log_weights,
                 wander_weights)
from text import NUMBER, PUNCTUATION, lookup_form, tokenize
from word_model import read_safetensors

MAX_SLOTS = 128


class Texts:
    """Tokenized texts, cut to the model's slots."""

    def __init__(self, texts, tokenizer, words):
        self.texts = texts
        self.tokens = [tokenize(text)[:MAX_SLOTS] for text in texts]
        self.forms = [[lookup_form(text[b:e]) for b, e, _ in tokens] for text, tokens in zip(texts, self.tokens)]
        self.drawn = [[c not in (NUMBER, PUNCTUATION) for _, _, c in tokens] for tokens in self.tokens]
        distinct = sorted({f for forms in self.forms for f in forms} | set(words))
        self.index = {form: i for i, form in enumerate(distinct)}
        self.table = piece_table(tokenizer, distinct)
        self.pieces = [[int(p) for p in row if p] for row in self.table]

    def pieces_of(self, form):
        return self.pieces[self.index[form]]

    def render(self, number, forms):
        """The text with its tokens replaced; spaces stay."""
        text, out, last = self.texts[number], [], 0
        for (b, e, _), form, old, drawn in zip(self.tokens[number], forms, self.forms[number], self.drawn[number]):
            out.append(text[last:b])
            out.append(form if drawn else text[b:e])
            last = e
        return "".join(out)


def read_text(path, n=None):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()][:n]


def read_state(path):
    tensors, _ = read_safetensors(path)
    return {name: torch.from_numpy(array.copy()) for name, array in dequantize(tensors).items()}


def open_mlm(path, device):
    """The model of a file, of either format, with the sizes of its tensors."""
    state = read_state(path)
    sizes = {"hidden_size": state["norm.weight"].shape[0], "layers": 1 + max(int(n.split(".")[1]) for n in state if n[:7] == "layers."),
             "intermediate_size": state["layers.0.ffn.up.weight"].shape[0], "pieces": state["embed.pieces.weight"].shape[0],
             "head_size": state["head.dense.weight"].shape[0], "words": state["head.words.weight"].shape[0]}
    sizes["heads"] = sizes["hidden_size"] // 64
    sizes["wander_knots"] = WANDER_KNOTS if "embed.wander.weight" in state else []
    model = BoundedMlm(sizes).to(device).eval()
    model.load_state_dict(state)
    return model


def sequence(texts, original, other, mask):
    """(int array [4, n]: pieces, slots, indices, segments; place of the mask). The original may be None."""
    piece, slot, index, size = [], [], [], 0
    at = -1
    for side, forms in ((0, original), (1, other)):
        for i, form in enumerate(forms or ()):
            if side == 1 and i == mask:
                at = len(piece)
                ids = [1]
            else:
                ids = texts.pieces_of(form)
            if len(ids) == 1:
                piece.append(ids[0])
                slot.append(i)
                index.append(0)
            else:
                piece += ids
                slot += [i] * len(ids)
                index += range(len(ids))
        size = size or len(piece) * (original is not None)
    segment = [0] * size + [1] * (len(piece) - size)
    return np.array([piece, slot, index, segment], dtype=np.int32), at


@torch.no_grad()
def scores(model, sequences, reach, plain, device, places=1 << 18, wander=0.0):
    """Scores z of the place of every sequence, a batch of like lengths at a time: (numbers, z)."""
    order = sorted(range(len(sequences)), key=lambda i: sequences[i][0].shape[1])
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and (end - begin + 1) * sequences[order[end]][0].shape[1] <= places:
            end += 1
        numbers = order[begin:max(end, begin + 1)]
        begin += len(numbers)
        batch = np.zeros((4, len(numbers), sequences[numbers[-1]][0].shape[1]), dtype=np.int32)
        for row, i in enumerate(numbers):
            batch[:, row, :sequences[i][0].shape[1]] = sequences[i][0]
        tensors = torch.from_numpy(batch).to(device).long()
        at = torch.tensor([[sequences[i][1]] for i in numbers], device=device)
        r = torch.full((len(numbers),), float(reach), device=device)
        told = torch.full_like(r, wander) if model.config["wander_knots"] else None
        condition = condition_of(r, torch.full((len(numbers),), plain, dtype=torch.bool, device=device), told)
        yield numbers, model(*tensors, condition, at)[:, 0]


@torch.no_grad()
def one_pass_scores(model, texts, reach, wander, device, places=1 << 16):
    """Scores of all words of the texts, some texts at a time: (text and slot of each row, z)."""
    lengths = [sum(len(texts.pieces_of(form)) for form in forms) for forms in texts.forms]
    order = [i for i in sorted(range(len(lengths)), key=lengths.__getitem__) if any(texts.drawn[i])]
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and (end - begin + 1) * lengths[order[end]] <= places:
            end += 1
        numbers = order[begin:max(end, begin + 1)]
        begin += len(numbers)
        batch = np.zeros((3, len(numbers), lengths[numbers[-1]]), dtype=np.int64)
        at, rows = [], []
        for row, t in enumerate(numbers):
            n = 0
            for i, form in enumerate(texts.forms[t]):
                ids = texts.pieces_of(form)
                if texts.drawn[t][i]:
                    at.append((row, n))
                    rows.append((t, i))
                batch[:, row, n:n + len(ids)] = ids, [i] * len(ids), range(len(ids))
                n += len(ids)
        piece, slot, index = torch.from_numpy(batch).to(device)
        full = lambda x: torch.full((len(numbers),), float(x), device=device)
        x = model.hidden(piece, slot, index, torch.zeros_like(piece), condition_of(full(reach), wander=full(wander)))
        for first in range(0, len(rows), 4096):
            row, place = torch.tensor(at[first:first + 4096], device=device).T
            yield rows[first:first + 4096], model.head(x[row, place])


class OnePassLaw:
    """How words are drawn: the balanced law at an epsilon and a wander."""

    def __init__(self, model, epsilon, wander, words, device):
        self.model, self.epsilon, self.wander, self.device = model, epsilon, wander, device
        self.number = {word: i for i, word in enumerate(words)}
        self.reach = min(epsilon, KNOTS[-1])
        r, w = (torch.tensor([float(x)], device=device) for x in (self.reach, wander))
        self.base = log_base(model, r)
        # Below the first knot the constant shrinks with the reach: it must stay between 0 and the reach.
        self.log_total = ((wander_weights(w) @ model.log_total) * knot_weights(r)).sum(-1) * min(1.0, self.reach / KNOTS[0])
        self.penalty = (wander_weights(w) @ model.own_penalty)[0]
        self.sharpness = (knot_weights(r) @ model.sharpness.T)[0]

    def numbers(self, forms):
        """Of the originals among the output words; -1: none."""
        return torch.tensor([self.number.get(form, -1) for form in forms], device=self.device)

    def lowered(self, z, forms):
        own = self.numbers(forms)
        group = self.model.word_group[own.clamp(min=0)]
        penalty = self.penalty[own.clamp(min=0)] * (own >= 0)
        return z - penalty[:, None] * (self.model.word_group == group[:, None])

    def sharpened(self, z, forms):
        return z * torch.where(self.numbers(forms) >= 0, self.sharpness[0], self.sharpness[1])[:, None]

    def scores(self, texts):
        """(text and slot of each row, z as the law takes it)"""
        for rows, z in one_pass_scores(self.model, texts, self.reach, self.wander, self.device):
            forms = [texts.forms[t][i] for t, i in rows]
            yield rows, self.sharpened(self.lowered(z, forms), forms)

    def log_weights(self, z):
        r = torch.full((len(z),), float(self.reach), device=z.device)
        base = self.base.expand(len(z), -1)
        return log_weights(balance(z, r, base, self.log_total.expand(len(z))), r, base)

    def log_sums(self, texts):
        """ln of the sum of weights before it is made constant."""
        sums = []
        for _, z in self.scores(texts):
            r = torch.full((len(z),), float(self.reach), device=z.device)
            sums.append(torch.logsumexp(log_weights(z, r, self.base.expand(len(z), -1)), -1))
        return torch.cat(sums)


@torch.no_grad()
def set_totals(model, texts, words, device):
    """The balanced law's constants: medians over public texts."""
    for i, wander in enumerate(WANDER_KNOTS):
        for k, knot in enumerate(KNOTS):
            total = OnePassLaw(model, knot, wander, words, device).log_sums(texts).median().item()
            model.log_total[i, k] = min(max(total, 0.02 * knot), 0.98 * knot)


@torch.no_grad()
def rewrite(law, texts, words, seed=1):
    """New forms of all texts."""
    torch.manual_seed(seed)
    new = [list(forms) for forms in texts.forms]
    for rows, z in law.scores(texts):
        drawn = torch.multinomial(torch.softmax(law.log_weights(z).float(), -1), 1)[:, 0].tolist()
        for (t, i), word in zip(rows, drawn):
            new[t][i] = words[word]
    return new


def kept_share(texts, new, which=lambda form: True):
    """Of the words that `which` chooses, those that are the same."""
    pairs = [(a, b) for f, n, d in zip(texts.forms, new, texts.drawn) for a, b, x in zip(f, n, d) if x and which(a)]
    return sum(a == b for a, b in pairs) / max(1, len(pairs))


def word_cosine(texts, new, index, vectors):
    """Mean cosine of old and new word over the places where both have a vector."""
    pairs = [(index[a], index[b]) for f, n, d in zip(texts.forms, new, texts.drawn) for a, b, x in zip(f, n, d)
             if x and a in index and b in index]
    a, b = (torch.tensor(column) for column in zip(*pairs))
    return (vectors[a] * vectors[b]).sum(-1).mean().item()


def mean_vector_cosine(texts, new, index, vectors, weight):
    """Mean cosine of the weighted mean vectors of old and new text."""
    total = []
    for f, n, d in zip(texts.forms, new, texts.drawn):
        means = []
        for forms in (f, n):
            rows = [index[x] for x, y in zip(forms, d) if y and x in index]
            means.append((vectors[rows] * weight[rows, None]).sum(0) if rows else torch.zeros(vectors.shape[1]))
        total.append(torch.cosine_similarity(means[0], means[1], dim=0).item())
    return sum(total) / len(total)


@torch.no_grad()
def pseudo_perplexity(model, texts, new, words, device):
    """exp of the mean negative log-likelihood of each word given the rest of its text, by a masked model in plain use without
    an original; words outside its output words do not count. `texts` must be split into the pieces of that model."""
    out = {word: i for i, word in enumerate(words)}
    jobs = [(t, i) for t, d in enumerate(texts.drawn) for i in range(len(d)) if d[i] and new[t][i] in out]
    sequences = [sequence(texts, None, new[t], i) for t, i in jobs]
    total = 0.0
    for numbers, z in scores(model, sequences, KNOTS[-1], True, device):
        targets = torch.tensor([out[new[jobs[k][0]][jobs[k][1]]] for k in numbers], device=device)
        total -= torch.log_softmax(z, -1).gather(1, targets[:, None]).sum().item()
    return math.exp(total / len(jobs))

"""Rewriting with the bounded masked model and with its clipped variants; measuring what came out."""
import math

import numpy as np
import torch

from export import dequantize
from lm_data import piece_table
from mlm import KNOTS, balance, condition_of, knot_weights, log_base, log_weights
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


def load_mlm(model, path):
    """Takes the weights of an 8-bit file."""
    tensors, _ = read_safetensors(path)
    state = {name: torch.from_numpy(array.copy()) for name, array in dequantize(tensors).items()}
    state.setdefault("sharpness", torch.ones(2, len(KNOTS)))
    model.load_state_dict(state)


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
def scores(model, sequences, reach, plain, device, places=1 << 18):
    """Scores z of the masked place of every sequence, a batch of like lengths at a time: (numbers, z)."""
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
        condition = condition_of(r, torch.full((len(numbers),), plain, dtype=torch.bool, device=device))
        yield numbers, model(*tensors, condition, at)[:, 0]


def sharpness_at(model, reach, inside):
    """[n, 1]: the factor of each slot, `inside` telling whether its original is an output word."""
    device = model.sharpness.device
    row = knot_weights(torch.tensor([float(reach)], device=device)) @ model.sharpness.T
    return row[0][torch.tensor([0 if x else 1 for x in inside], device=device)][:, None]


def all_masked(texts, original=True):
    """Every text with each of its words masked in turn."""
    return [sequence(texts, f if original else None, f, i)
            for f, d in zip(texts.forms, texts.drawn) for i in range(len(f)) if d[i]]


class Law:
    """How a word is drawn from scores. kind: bounded, balanced (mlm.py), clipped (the same network under the same
    conditions, but its scores clipped to [mu, mu + 4 sigma]), or plain-clipped (the same network in its ordinary,
    unbounded use, clipped likewise: the published mechanism)."""

    def __init__(self, model, kind, epsilon, device, bounds=None, base=True):
        self.model, self.kind, self.epsilon, self.device = model, kind, epsilon, device
        self.plain = kind == "plain-clipped"
        self.bounds = bounds
        self.reach = min(epsilon if kind == "balanced" else epsilon / 2, KNOTS[-1])
        r = torch.tensor([float(self.reach)], device=device)
        self.base = log_base(model, r) if base and not self.plain else None
        # Below the first knot the constant shrinks with the reach: it must stay between 0 and the reach.
        self.log_total = knot_weights(r) @ model.log_total * min(1.0, self.reach / KNOTS[0])

    def log_weights(self, z):
        base = torch.zeros(1, z.shape[1], device=z.device) if self.base is None else self.base
        if "clipped" in self.kind:
            low, high = self.bounds
            return base + self.epsilon * (z.clamp(low, high) - low) / (2 * (high - low))
        r = torch.full((len(z),), float(self.reach), device=z.device)
        base = base.expand(len(z), -1)
        if self.kind == "balanced":
            z = balance(z, r, base, self.log_total.expand(len(z)))
        return log_weights(z, r, base)

    def draw(self, z):
        return torch.multinomial(torch.softmax(self.log_weights(z).float(), -1), 1)[:, 0]


@torch.no_grad()
def calibrate(model, texts, reach, plain, device):
    """mu and mu + 4 sigma over all scores of public texts, each word masked in turn, as in the paper."""
    n, total, square = 0, 0.0, 0.0
    for _, z in scores(model, all_masked(texts), reach, plain, device):
        z = z.double()
        n += z.numel()
        total += z.sum().item()
        square += (z * z).sum().item()
    mean = total / n
    return mean, mean + 4 * math.sqrt(square / n - mean * mean)


@torch.no_grad()
def usual_total(model, texts, words, reach, device):
    """The median of ln of the sum of weights over public texts."""
    found, said = [], set(words)
    forms = [form for f, d in zip(texts.forms, texts.drawn) for form, drawn in zip(f, d) if drawn]
    for numbers, z in scores(model, all_masked(texts), reach, False, device):
        r = torch.full((len(z),), float(reach), device=device)
        z = z * sharpness_at(model, reach, [forms[k] in said for k in numbers])
        found.append(torch.logsumexp(log_weights(z, r, log_base(model, r)), -1))
    return torch.cat(found).median().item()


@torch.no_grad()
def accuracy(model, texts, words, device):
    """Share of masked words that plain use ranks first, without and with the original, over words it can say."""
    out = {word: i for i, word in enumerate(words)}
    targets = torch.tensor([out.get(f[i], -1) for f, d in zip(texts.forms, texts.drawn) for i in range(len(f)) if d[i]],
                           device=device)
    result = {}
    for name, original in (("alone", False), ("beside_original", True)):
        right = 0
        for numbers, z in scores(model, all_masked(texts, original), KNOTS[-1], True, device):
            right += (z.argmax(-1) == targets[numbers]).sum().item()
        result[name] = right / (targets >= 0).sum().item()
    return result


@torch.no_grad()
def rewrite(law, texts, words, device, sequential=False):
    """New forms of all texts."""
    new = [list(forms) for forms in texts.forms]
    if not sequential:
        jobs = [(t, i) for t, d in enumerate(texts.drawn) for i in range(len(d)) if d[i]]
        _draw(law, texts, words, device, jobs, texts.forms, new)
        return new
    for i in range(max(len(f) for f in texts.forms)):
        jobs = [(t, i) for t, d in enumerate(texts.drawn) if i < len(d) and d[i]]
        _draw(law, texts, words, device, jobs, new, new)
    return new


def _draw(law, texts, words, device, jobs, other, new):
    sequences = [sequence(texts, texts.forms[t], other[t], i) for t, i in jobs]
    said = set(words)
    for numbers, z in scores(law.model, sequences, law.reach, law.plain, device):
        forms = [texts.forms[jobs[k][0]][jobs[k][1]] for k in numbers]
        if law.kind == "balanced":
            z = z * sharpness_at(law.model, law.reach, [form in said for form in forms])
        for number, word in zip(numbers, law.draw(z).tolist()):
            t, i = jobs[number]
            new[t][i] = words[word]


def kept_share(texts, new):
    pairs = [(a, b) for f, n, d in zip(texts.forms, new, texts.drawn) for a, b, x in zip(f, n, d) if x]
    return sum(a == b for a, b in pairs) / len(pairs)


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
    """exp of the mean negative log-likelihood of each word given the rest of its text, by the plain model without
    an original; words outside the output words do not count."""
    out = {word: i for i, word in enumerate(words)}
    jobs = [(t, i) for t, d in enumerate(texts.drawn) for i in range(len(d)) if d[i] and new[t][i] in out]
    sequences = [sequence(texts, None, new[t], i) for t, i in jobs]
    total = 0.0
    for numbers, z in scores(model, sequences, KNOTS[-1], True, device):
        targets = torch.tensor([out[new[jobs[k][0]][jobs[k][1]]] for k in numbers], device=device)
        total -= torch.log_softmax(z, -1).gather(1, targets[:, None]).sum().item()
    return math.exp(total / len(jobs))

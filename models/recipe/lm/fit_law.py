#!/usr/bin/env python3
"""Step 5: the constants of the law from public text.

    fit_law.py --data FOLDER --vocabulary FOLDER --model mlm.safetensors --out model.safetensors

The network is trained on a law whose sum of weights varies; the balanced law has one sum. Where the reach is small, what that
sum is and which words the base measure favours decide how much of the reach is of use. So base measure, sharpness and sum at
the lower knots are fitted here, by gradient, to what a draw is to be: near the original word, and as far as words wander, not
that word itself. At the higher knots the sum is the median over the text.
"""
import argparse
import json
import math
import random
import time
from pathlib import Path

import torch

from export import save_int8
from lm_data import load_pieces
from mlm import KNOTS, SLOPE, WANDER_KNOTS, balance, interpolate, knot_weights
from rewrite import OnePassLaw, Texts, open_mlm, read_text, set_totals
from word_kinds import Kinds
from word_model import read_word_model

FITTED = 5            # knots, the lowest
REACHES = (1.25, 16.0)
# Sharpness of the scores where the original is no output word, at the knots: they are flat there.
OUTSIDE = [1.0, 1.0, 1.2, 1.4, 1.7, 2.0, 2.0, 2.0]
PENALTIES = (0.0, 0.5, 2.0)  # of words more frequent than COMMON, of other content words, of names and rare words
COMMON = 1e-3
# How much a draw of the original word counts beside its nearness: texts of kept words read better.
KEPT = 0.1


def set_penalties(model, words, kinds, penalties):
    """What an original's score is lowered by at full wander; half as much at the middle."""
    common, other, telling = penalties
    full = torch.zeros(len(words))
    for i, word in enumerate(words):
        if kinds.content(word):
            often = kinds.frequency.get(word, 0) > COMMON
            full[i] = telling if kinds.telling(word) else common if often else other
    model.own_penalty.copy_(torch.stack([full * w for w in WANDER_KNOTS]))


class Constants(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.base = torch.nn.Parameter(model.base_measure.weight.detach().clone())
        self.ln_sharpness = torch.nn.Parameter(torch.full_like(model.sharpness[0], 0.3))
        self.total = torch.nn.Parameter(model.log_total.clone())

    def at(self, reach, wander):
        knots = knot_weights(reach)[0]
        base = torch.log_softmax(knots @ self.base, -1)
        return base, (knots * self.ln_sharpness.exp()).sum(), ((interpolate(wander, WANDER_KNOTS) @ self.total)[0] * knots).sum()


def balanced_shares(z, reach, base, total):
    """Probabilities under the balanced law, differentiable in everything: a Newton step follows the search for the shift."""
    n = len(z)
    with torch.no_grad():
        r = torch.full((n,), reach, device=z.device)
        shift = (z - balance(z, r, base.expand(n, -1), total.expand(n), 26))[:, :1]
        u = torch.sigmoid(SLOPE / reach * (z - shift))
        slope = (torch.softmax(base + reach * u, -1) * SLOPE * u * (1 - u)).sum(-1, keepdim=True).clamp(min=1e-4)
    ln_sum = torch.logsumexp(base + reach * torch.sigmoid(SLOPE / reach * (z - shift)), -1, keepdim=True)
    shift = shift + (ln_sum - total) / slope
    return torch.softmax(base + reach * torch.sigmoid(SLOPE / reach * (z - shift)), -1)


def fit(args, model, parts, words, kinds, vectors, device):
    index, matrix = vectors
    out_vectors = torch.stack([matrix[index[w]] if w in index else torch.zeros(matrix.shape[1]) for w in words]).to(device)
    matrix = matrix.to(device)
    groups = model.word_group
    constants = Constants(model).to(device)
    optimizer = torch.optim.Adam([{"params": [constants.base], "lr": 0.03}, {"params": [constants.ln_sharpness], "lr": 0.02},
                                  {"params": [constants.total], "lr": 0.03}])
    rates = [group["lr"] for group in optimizer.param_groups]
    lower = torch.arange(len(KNOTS), device=device) < FITTED
    rng, begin, step, shown = random.Random(1), time.time(), 0, {}
    model.sharpness[0] = 1.0
    while (done := (time.time() - begin) / args.seconds) < 1:
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * (1 - done)
        reach = math.exp(rng.uniform(*map(math.log, REACHES)))
        wander = rng.choice([0.0, 0.0, 0.5, 1.0])
        texts = parts[step % len(parts)]
        law = OnePassLaw(model, reach, wander, words, device)
        base, sharpness, total = constants.at(*(torch.tensor([x], device=device) for x in (reach, wander)))
        gained = []
        for rows, z in law.scores(texts):
            keep = [k for k, (t, i) in enumerate(rows) if texts.forms[t][i] in index]
            forms = [texts.forms[rows[k][0]][rows[k][1]] for k in keep]
            near = matrix[[index[f] for f in forms]] @ out_vectors.T
            own = torch.tensor([law.number.get(f, -1) for f in forms], device=device)
            same = (torch.arange(len(words), device=device) == own[:, None])
            apart = torch.tensor([wander if kinds.content(f) else 0.0 for f in forms], device=device)
            near = near + KEPT * same * (apart == 0)[:, None]
            near = near - apart[:, None] * ((groups == groups[own.clamp(min=0)][:, None]) & (own >= 0)[:, None])
            shares = balanced_shares(z[keep] * sharpness, reach, base, total)
            gained.append((shares * near).sum(-1))
        loss = -torch.cat(gained).mean()
        optimizer.zero_grad()
        loss.backward()
        for parameter in constants.parameters():
            # The upper knots stay.
            parameter.grad *= lower if parameter.dim() == 1 or parameter.shape[-1] == len(KNOTS) else lower[:, None]
        optimizer.step()
        with torch.no_grad():
            knots = torch.tensor(KNOTS, device=device)
            constants.total.copy_(constants.total.clamp(min=0.02 * knots, max=0.95 * knots))
            constants.ln_sharpness.clamp_(0.0, 1.1)
        shown.setdefault(wander, []).append(-loss.item())
        step += 1
        if step % 50 == 0 or device.type == "cpu":
            print(json.dumps({"step": step, **{str(w): round(sum(x[-20:]) / len(x[-20:]), 4) for w, x in shown.items()}}), flush=True)
    with torch.no_grad():
        model.base_measure.weight[:FITTED] = constants.base[:FITTED]
        model.sharpness[0] = torch.where(lower, constants.ln_sharpness.exp(), 1.0)
        model.log_total[:, :FITTED] = constants.total[:, :FITTED]


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "model", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--places", type=int, default=1500, help="words of a step, about")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    data = Path(args.data)
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    tokenizer = load_pieces(args.vocabulary)
    model = open_mlm(args.model, device).requires_grad_(False)
    lines = read_text(data / "public.txt")
    random.Random(1).shuffle(lines)
    each = args.places // 20
    parts = [Texts(lines[i:i + each], tokenizer, words) for i in range(0, len(lines), each)]
    kinds = Kinds(data, sorted({f for texts in parts for text in texts.forms for f in text} | set(words)))
    known, matrix = read_word_model(data / "sotto-en-cbow.safetensors")
    set_penalties(model, words, kinds, PENALTIES)
    model.sharpness.copy_(torch.tensor([[1.0] * len(KNOTS), OUTSIDE]))
    few = Texts(lines[:300], tokenizer, words)
    set_totals(model, few, words, device)
    fit(args, model, parts, words, kinds, ({w: i for i, w in enumerate(known)}, torch.from_numpy(matrix)), device)
    print(json.dumps({"log_total": [[round(x, 3) for x in row] for row in model.log_total.tolist()],
                      "sharpness": [round(x, 3) for x in model.sharpness[0].tolist()]}), flush=True)
    keep = ("base_measure.weight", "sharpness", "log_total", "own_penalty")
    save_int8(args.out, model.state_dict(), {}, keep=keep)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Step 4: train the one-pass model.

    train_mlm.py --data FOLDER --vocabulary FOLDER --seconds S --out FOLDER

The network is trained as the mechanism it will be: every example has its own reach and wander, and the loss is taken on the law
that a word would be drawn from. See mlm.py for the law and batches.py for the examples.
"""
import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch

from batches import Batches
from export import save_int8
from lm_data import Kernel, frequent_possessives, load_pieces, read_pack, type_tables, window_starts
from mlm import KNOTS, BoundedMlm, condition_of, knot_weights, log_base, log_weights, wander_weights

NEAR = 24            # words a target is spread over
# A word of this relative frequency counts half of what a rare one counts above the least; "the" says little about a text.
COMMON = 1e-3
LEAST = 0.7
STEADY = 0.03        # weight of the spread of ln of the sum of weights, which the balanced law makes constant
SHAPE = (640, 64, 76, 22)  # examples, slots, places, targets
SMALL = (6, 20, 28, 9)


def loss_of(z, base, total, b, nearness, floors, groups, group_of_row):
    """Mean cross entropy under the law at each example's reach, less the reward for near words."""
    raw = log_weights(z, b["reach"], base)
    sums = torch.logsumexp(raw, -1, keepdim=True)
    logp = torch.where(b["plain"][:, None, None], torch.log_softmax(z, -1), raw - sums)
    rows = b["row"].clamp(min=0)
    near = nearness[rows].float()
    known = b["row"] >= 0
    # Only the nearest words: the others are thousands, and together they would outweigh the near ones.
    close = near >= floors[rows][..., None]
    spread = torch.softmax(torch.where(close, near / b["spread"][:, None, None], -1e4), -1)
    soft_ce = -(spread * logp).sum(-1)
    hard_ce = -logp.gather(-1, b["out"].clamp(min=0)[..., None])[..., 0]
    share = torch.where(b["out"] < 0, 1.0, torch.where(known, b["soft"][:, None], 0.0))
    ce = (1 - share) * hard_ce + share * soft_ce
    # Near to what the model reads; as far as words wander, not that word itself in any inflection.
    own = b["near"].clamp(min=0)
    alike = nearness[own].float() - b["apart"][..., None] * (groups == group_of_row[own][..., None])
    reward = b["reward"] * (logp.exp() * alike).sum(-1) * (b["near"] >= 0)
    uneven = ((sums[..., 0] - total[:, None]) ** 2).clamp(max=100) * ~b["plain"][:, None]
    weight = b["chosen"].float()
    count = weight.sum().clamp(min=1)
    return (((b["likelihood"][:, None] * ce - reward + STEADY * uneven) * weight).sum() / count, (ce * weight).sum() / count)


def misspell(word, rng):
    i = rng.randrange(1, len(word))
    kind = rng.randrange(4)
    if kind == 0:
        return word[:i] + word[i + 1:]
    if kind == 1:
        return word[:i] + word[i] + word[i:]
    if kind == 2 and i + 1 < len(word):
        return word[:i] + word[i + 1] + word[i] + word[i + 2:]
    return word[:i] + rng.choice("abcdefghijklmnopqrstuvwxyz") + word[i + 1:]


def add_misspellings(types, words, each=2):
    """Adds types; returns [types, each] numbers of them, -1 where a word has none."""
    rng = random.Random(1)
    number = {form: i for i, (form, c) in enumerate(types) if c == 0}
    taken, pairs = set(number), []
    for word in words:
        if len(word) < 4 or not word.isalpha() or word not in number:
            continue
        for k in range(each):
            wrong = misspell(word, rng)
            if wrong not in taken:
                pairs.append((number[word], k, len(types)))
                types.append((wrong, 0))
    table = np.full((len(types), each), -1, dtype=np.int64)
    for at, k, wrong in pairs:
        table[at, k] = wrong
    return table


def prepare(args, device):
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    data = Path(args.data)
    pack = read_pack(data)
    if args.limit:
        pack.stream = pack.stream[:pack.ends[np.searchsorted(pack.ends, args.limit)]]
        pack.ends = pack.ends[:np.searchsorted(pack.ends, len(pack.stream)) + 1]
    kernel = Kernel(data, words, frequent_possessives(pack), device)
    types = pack.types
    known = {form for form, c in types if c == 0}
    types += [(w, 0) for w in kernel.words if w not in known]
    misspelled = add_misspellings(types, words)
    tables = type_tables(types, load_pieces(args.vocabulary), kernel, words, device)
    tables["misspelled"] = torch.from_numpy(misspelled).to(device)
    stream = torch.from_numpy(pack.stream.astype(np.int32)).to(device)
    type_counts = torch.bincount(stream, minlength=len(types)).float()
    row_counts = torch.zeros(len(kernel.words), device=device)
    row_counts.index_add_(0, tables["row"].clamp(min=0), type_counts * (tables["row"] >= 0))
    nearness, near_rows, shares = kernel.tables((row_counts >= 3) & (tables["type_of_row"] >= 0))
    starts, line_ends = window_starts(types, pack.stream, pack.ends)
    counts = torch.zeros(len(words), device=device)
    counts.index_add_(0, tables["out"].clamp(min=0), type_counts * (tables["out"] >= 0))
    importance = LEAST + (1 - LEAST) * COMMON / (COMMON + type_counts / len(stream))
    strange = (tables["row"] < 0) & tables["drawn"] & (tables["out"] < 0)
    where = torch.nonzero(strange[stream.long()])[:, 0]
    unknown = stream[where[:: max(1, len(where) >> 18)]].long()
    batches = Batches(tables, stream, torch.from_numpy(starts).to(device), torch.from_numpy(line_ends).to(device), near_rows,
                      shares, importance, unknown, device)
    print(f"{len(stream):,} tokens, {len(types):,} types, {len(starts):,} windows, "
          f"{(shares[:, -1] > 0.5).sum().item():,} words with near words", flush=True)
    return words, batches, kernel, nearness, counts


def groups_of(model):
    decay, keep, law = [], [], []
    for name, p in model.named_parameters():
        (law if name.startswith("base_measure") or name == "usual" else decay if p.dim() > 1 else keep).append(p)
    return [{"params": decay, "weight_decay": 0.02, "scale": 1.0}, {"params": keep, "weight_decay": 0.0, "scale": 1.0},
            {"params": law, "weight_decay": 0.0, "scale": 5.0}]


class Trainee(torch.nn.Module):
    """The model, and the sum of weights that it keeps to while it learns."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.usual = torch.nn.Parameter(torch.tensor([0.4 * min(k, 25) for k in KNOTS], device=model.head.words.weight.device)
                                        .repeat(len(model.config["wander_knots"]), 1))

    def total_at(self, reach, wander):
        return ((wander_weights(wander) @ self.usual) * knot_weights(reach)).sum(-1)


def train(args, trainee, batches, kernel, nearness, device, log):
    cuda = device.type == "cuda"
    model = trainee.model
    optimizer = torch.optim.AdamW(groups_of(trainee), lr=args.rate, betas=(0.9, 0.98), **({"fused": True} if cuda else {}))
    step_model, step_loss = model, loss_of
    floors = torch.cat([part.float().topk(NEAR, -1)[0][:, -1] for part in nearness.split(2048)]).clamp(min=0.2)
    groups = kernel.groups[kernel.out_rows]
    if cuda:
        torch.backends.cuda.matmul.allow_tf32 = True
        step_model, step_loss = torch.compile(model, dynamic=False), torch.compile(loss_of, dynamic=False)
    shape = SHAPE if cuda else SMALL
    first, last = args.part
    if args.state and Path(args.state).exists():
        state = torch.load(args.state, weights_only=False)
        trainee.load_state_dict(state["trainee"])
        optimizer.load_state_dict(state["optimizer"])
    begin, step = None, 0
    while True:
        # The clock starts when everything is compiled.
        if step == (8 if cuda else 1):
            begin = time.time()
        done = first if begin is None else first + (time.time() - begin) / args.seconds
        if done >= last:
            break
        warm = min(1.0, (step + 1) / (args.warmup if first == 0 else 20))
        for group in optimizer.param_groups:
            group["lr"] = args.rate * group["scale"] * warm * (1 - done)
        b = batches.draw(shape)
        condition = condition_of(b["reach"], b["plain"], b["wander"])
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=cuda):
            z = step_model(b["piece"], b["slot"], b["index"], b["segment"], condition, b["at"])
        loss, ce = step_loss(z, log_base(model, b["reach"]), trainee.total_at(b["reach"], b["wander"]), b, nearness, floors, groups,
                             kernel.groups)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainee.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 200 == 0 or not cuda:
            line = {"step": step, "seconds": round(time.time() - (begin or time.time()), 1), "loss": loss.item(),
                    "cross_entropy": ce.item()}
            print(json.dumps(line), flush=True)
            log.append(line)
    print(f"{step} steps, about {step * shape[0] * shape[2] / args.seconds / (last - first):,.0f} places a second", flush=True)
    if args.state:
        torch.save({"trainee": trainee.state_dict(), "optimizer": optimizer.state_dict()}, args.state)


def build_model(counts, device, config):
    model = BoundedMlm(config).to(device)
    # The base measure starts at a tempered unigram law; how far it matters is learned.
    power = torch.tensor([0.7, 0.6, 0.5, 0.4, 0.3, 0.15, 0.05, 0.0], device=device)
    with torch.no_grad():
        model.base_measure.weight.copy_(power[:, None] * torch.log((counts + 5) / (counts + 5).sum())[None])
    return model


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=1000)
    parser.add_argument("--rate", type=float, default=1.0e-3)
    parser.add_argument("--warmup", type=int, default=400)
    parser.add_argument("--part", type=float, nargs=2, default=(0.0, 1.0), help="the part of the schedule to run")
    parser.add_argument("--state", help="where a part leaves its state for the next")
    parser.add_argument("--limit", type=int, help="tokens of the corpora to use")
    parser.add_argument("--config", default="{}", help="sizes that differ from mlm.py's, in JSON")
    return parser


def main():
    args = arguments().parse_args()
    begin = time.time()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1 + int(1000 * args.part[0]))
    words, batches, kernel, nearness, counts = prepare(args, device)
    print(f"prepared in {time.time() - begin:.0f} s", flush=True)
    model = build_model(counts, device, {"words": len(words), **json.loads(args.config)})
    model.word_group.copy_(kernel.word_groups())
    trainee, log = Trainee(model), []
    train(args, trainee, batches, kernel, nearness, device, log)
    model.log_total.copy_(trainee.usual.detach())
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    save_int8(out / "mlm.safetensors", model.state_dict(), {}, keep=("base_measure.weight", "sharpness", "log_total", "own_penalty"))
    (out / "mlm.json").write_text(json.dumps({"config": model.config, "training": log, "total": model.log_total.tolist()}))


if __name__ == "__main__":
    main()

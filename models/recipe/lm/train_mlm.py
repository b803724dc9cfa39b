#!/usr/bin/env python3
"""Step 2: train the bounded masked language model.

    train_mlm.py --data FOLDER --vocabulary FOLDER --seconds S --out FOLDER

The network is trained as the mechanism it will be: every example has its own reach, and the loss is taken on the law
that a word would be drawn from at that reach. See mlm.py for the law and SCHEDULE below for what depends on the reach.
"""
import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import torch

from corpora import CORPORA, read_held_out
from export import save_int8
from lm_data import Kernel, load_pieces, read_streams, type_tables, window_starts
from mlm import CONFIG, KNOTS, BoundedMlm, condition_of, knot_weights, log_base, log_law
from rewrite import Texts, accuracy, load_mlm, read_text, usual_total

# What depends on the reach, at the knots of mlm.py.
#   swap       share of the original's words replaced by near ones: how far the model wanders when the reach allows it
#   soft       share of the target that is spread over near words: the more good words, the more they weigh together
#   spread     temperature of that spread
#   likelihood weight of the cross entropy
#   reward     weight of the expected nearness of the drawn word; where the reach is small, likelihood alone would
#              spend it on frequent words
#   noise      share of already rewritten words that are off, as they are in sequential rewriting
SCHEDULE = {
    "swap":       [0.08, 0.08, 0.10, 0.15, 0.25, 0.30, 0.25, 0.12],
    "soft":       [0.60, 0.60, 0.50, 0.30, 0.06, 0.03, 0.02, 0.00],
    "spread":     [0.15, 0.13, 0.10, 0.09, 0.08, 0.08, 0.08, 0.08],
    "likelihood": [0.25, 0.25, 0.30, 0.50, 1.00, 1.00, 1.00, 1.00],
    "reward":     [2.50, 2.50, 2.50, 2.00, 0.30, 0.00, 0.00, 0.00],
    "noise":      [0.80, 0.70, 0.50, 0.25, 0.08, 0.04, 0.03, 0.02],
}
PLAIN_SWAP = 0.20                # swap in the ordinary, unbounded use
REACHES = (1.5, 150.0)
MAX_SLOTS = CONFIG["max_slots"]
SHAPE = (640, 72, 84, 18)        # examples, slots, places a side, masks
UNKNOWN = 0.04                   # share of the original's words replaced by tokens nobody knows (names, misspellings)
NEAR = 24                        # words a target is spread over
# A word of this relative frequency counts half for the reward; "the" says little about a text.
COMMON = 1e-3


class Batches:
    def __init__(self, tables, stream, starts, line_ends, near_rows, shares, frequent, importance, unknown,
                 shares_of, device):
        self.unknown = unknown
        self.plain, self.alone = shares_of
        self.importance = importance
        self.t, self.device = tables, device
        self.stream = torch.from_numpy(stream).to(device)
        self.starts = torch.from_numpy(starts).to(device)
        self.ends = torch.from_numpy(line_ends).to(device)
        self.near_rows, self.shares, self.frequent = near_rows, shares, frequent

    def swap(self, types, where):
        """Near words instead of `types` where asked and known."""
        row = self.t["row"][types].clamp(min=0)
        draw = torch.rand(types.shape, device=self.device)
        pick = (self.shares[row] < draw[..., None]).sum(-1).clamp(max=self.shares.shape[1] - 1)
        near = self.t["type_of_row"][self.near_rows[row].gather(-1, pick[..., None])[..., 0]]
        known = (self.t["row"][types] >= 0) & (near >= 0) & (self.shares[row][..., -1] > 0.5)
        return torch.where(where & known, near, types)

    def side(self, types, valid, masked, length):
        """Pieces of one side: (piece, slot, index, place of each slot)."""
        b, w = types.shape
        count = torch.where(masked, 1, self.t["count"][types]) * valid
        place = count.cumsum(1) - count
        slots = torch.arange(w, device=self.device).expand(b, w)
        piece, slot, index = (torch.zeros(b, length + 1, dtype=torch.long, device=self.device) for _ in range(3))
        table = self.t["pieces"][types]
        for i in range(table.shape[-1]):
            at = torch.where((count > i) & (place + count <= length), place + i, length)
            ids = table[..., i]
            if i == 0:
                ids = torch.where(masked, 1, ids)
            piece.scatter_(1, at, ids)
            slot.scatter_(1, at, slots)
            index.scatter_(1, at, torch.full_like(slots, i))
        piece[:, length] = 0
        fits = valid & (place + count <= length)
        return piece[:, :length], slot[:, :length], index[:, :length], place, fits

    def draw(self, shape):
        b, w, length, masks = shape
        device = self.device
        rand = lambda *s: torch.rand(*s, device=device)
        pick = torch.randint(len(self.starts), (b,), device=device)
        size = (6 + rand(b) * (w - 5)).long().clamp(max=w)
        size = torch.where(rand(b) < 0.4, w, size)
        begin = self.starts[pick]
        size = torch.minimum(size, self.ends[pick] - begin)
        offsets = torch.arange(w, device=device)
        valid = offsets < size[:, None]
        clean = self.stream[(begin[:, None] + offsets).clamp(max=len(self.stream) - 1)].long()

        low, high = (math.log(r) for r in REACHES)
        reach = torch.exp(low + rand(b) * (high - low))
        plain = rand(b) < self.plain
        alone = rand(b) < self.alone
        weights = knot_weights(reach)
        at_knots = {name: weights @ torch.tensor(row, device=device) for name, row in SCHEDULE.items()}
        swap = torch.where(plain, PLAIN_SWAP, at_knots["swap"])
        original = self.swap(clean, rand(b, w) < swap[:, None])
        # In place of a token without a vector the context must say what fits.
        stranger = self.unknown[(rand(b, w) * len(self.unknown)).long()]
        original = torch.where((rand(b, w) < UNKNOWN) & self.t["drawn"][clean], stranger, original)

        # The text under construction: the original itself, or up to a cut what was drawn before it.
        noise = at_knots["noise"][:, None]
        drawn = self.swap(clean, rand(b, w) < noise / 2)
        common = self.frequent[(rand(b, w) * len(self.frequent)).long()]
        drawn = torch.where((rand(b, w) < noise / 2) & self.t["drawn"][clean], common, drawn)
        cut = rand(b) * size * (rand(b) < 0.6)
        other = torch.where(offsets < cut[:, None], drawn, original)
        other = torch.where(alone[:, None], clean, other)

        target_row = self.t["row"][clean]
        usable = valid & self.t["drawn"][clean] & ((target_row >= 0) | (self.t["out"][clean] >= 0))
        score = rand(b, w) + 2.0 * (~usable)
        order = score.argsort(1)[:, :masks]
        wanted = (0.05 + 0.2 * rand(b)) * size
        chosen = (torch.arange(masks, device=device) < wanted.ceil()[:, None]) & usable.gather(1, order)
        masked = torch.zeros(b, w, dtype=torch.bool, device=device).scatter_(1, order, chosen)

        left = self.side(original, valid & ~alone[:, None], torch.zeros_like(masked), length)
        right = self.side(other, valid, masked, length)
        chosen &= right[4].gather(1, order)
        piece, slot, index = (torch.cat([left[i], right[i]], 1) for i in range(3))
        # Windows are shorter than the longest text; a shift lets the later slots be learned too.
        shift = (rand(b) * (MAX_SLOTS - w + 1) * (rand(b) < 0.5)).long()
        slot = slot + shift[:, None]
        segment = torch.zeros_like(piece)
        segment[:, length:] = 1
        at = (length + right[3].gather(1, order)).clamp(max=2 * length - 1)
        types = clean.gather(1, order)
        return {"piece": piece, "slot": slot, "index": index, "segment": segment, "at": at, "chosen": chosen,
                "out": self.t["out"][types], "row": self.t["row"][types], "reach": reach, "plain": plain,
                "soft": torch.where(plain, 0.0, at_knots["soft"]), "spread": at_knots["spread"],
                "likelihood": torch.where(plain, 1.0, at_knots["likelihood"]),
                "reward": torch.where(plain, 0.0, at_knots["reward"])[:, None] * self.importance[types]}


def loss_of(z, base, b, nearness, floors):
    """Mean cross entropy under the law at each example's reach, less the reward for near words."""
    bounded = log_law(z, b["reach"], base)
    logp = torch.where(b["plain"][:, None, None], torch.log_softmax(z, -1), bounded)
    near = nearness[b["row"].clamp(min=0)].float()
    known = (b["row"] >= 0)
    # Only the nearest words: the others are thousands, and together they would outweigh the near ones.
    close = near >= floors[b["row"].clamp(min=0)][..., None]
    spread = torch.softmax(torch.where(close, near / b["spread"][:, None, None], -1e4), -1)
    soft_ce = -(spread * logp).sum(-1)
    hard_ce = -logp.gather(-1, b["out"].clamp(min=0)[..., None])[..., 0]
    share = torch.where(b["out"] < 0, 1.0, torch.where(known, b["soft"][:, None], 0.0))
    reward = b["reward"] * (logp.exp() * near).sum(-1) * known
    weight = b["chosen"].float()
    ce = (1 - share) * hard_ce + share * soft_ce
    total = weight.sum().clamp(min=1)
    return ((b["likelihood"][:, None] * ce - reward) * weight).sum() / total, (ce * weight).sum() / total


def prepare(args, device):
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    data = Path(args.data)
    types, stream, ends = read_streams(data, limit=args.limit)
    kernel = Kernel(data / "sotto-en-wordnet.safetensors", data / "glove.100d.10000.txt.xz", data, words, device)
    known = set(types)
    types += [(w, 0) for w in kernel.words if (w, 0) not in known]
    tables = type_tables(types, load_pieces(args.vocabulary), kernel, words, device)
    nearness, near_rows, shares = kernel.tables()
    starts, line_ends = window_starts(types, stream, ends)
    outs = tables["out"][torch.from_numpy(stream).to(device).long()]
    counts = torch.bincount(outs[outs >= 0], minlength=len(words)).float()
    type_of_out = torch.full((len(words),), 0, dtype=torch.long, device=device)
    has = tables["out"] >= 0
    type_of_out[tables["out"][has]] = torch.arange(len(types), device=device)[has]
    frequent = type_of_out[torch.multinomial((counts + 1).sqrt(), 1 << 16, replacement=True)]
    type_counts = torch.bincount(torch.from_numpy(stream).to(device).long(), minlength=len(types)).float()
    importance = 0.15 + 0.85 * COMMON / (COMMON + type_counts / len(stream))
    strange = np.flatnonzero(((tables["row"] < 0) & tables["drawn"] & (tables["out"] < 0)).cpu().numpy()[stream])
    unknown = torch.from_numpy(stream[strange[:: max(1, len(strange) >> 18)]]).to(device).long()
    batches = Batches(tables, stream, starts, line_ends, near_rows, shares, frequent, importance, unknown,
                      (args.plain, args.alone), device)
    print(f"{len(stream):,} tokens, {len(types):,} types, {len(starts):,} windows", flush=True)
    return words, batches, nearness, counts


def groups(model):
    decay, keep, base = [], [], []
    for name, p in model.named_parameters():
        (base if name.startswith("base_measure") else decay if p.dim() > 1 else keep).append(p)
    return [{"params": decay, "weight_decay": 0.02, "scale": 1.0}, {"params": keep, "weight_decay": 0.0, "scale": 1.0},
            {"params": base, "weight_decay": 0.0, "scale": 5.0}]


_compiled = {}


def train(args, model, batches, nearness, device, log):
    cuda = device.type == "cuda"
    optimizer = torch.optim.AdamW(groups(model), lr=args.rate, betas=(0.9, 0.98), **({"fused": True} if cuda else {}))
    step_model, step_loss, draw = model, loss_of, batches.draw
    floors = torch.cat([part.float().topk(NEAR, -1)[0][:, -1] for part in nearness.split(2048)]).clamp(min=0.2)
    if cuda:
        torch.backends.cuda.matmul.allow_tf32 = True
        if "model" not in _compiled:
            _compiled["model"] = torch.compile(model, dynamic=False)
            _compiled["loss"] = torch.compile(loss_of, dynamic=False)
        step_model, step_loss = _compiled["model"], _compiled["loss"]
    shape = SHAPE if cuda else (8, 20, 24, 5)
    begin, step, average = None, 0, 0.0
    while True:
        # The clock starts when everything is compiled.
        if step == (8 if cuda else 1):
            begin = time.time()
        done = 0.0 if begin is None else (time.time() - begin) / args.seconds
        if done >= 1:
            break
        warm = min(1.0, (step + 1) / args.warmup)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * group["scale"] * warm * (1 - done)
        b = draw(shape)
        condition = condition_of(b["reach"], b["plain"])
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=cuda):
            z = step_model(b["piece"], b["slot"], b["index"], b["segment"], condition, b["at"])
        loss, ce = step_loss(z, log_base(model, b["reach"]), b, nearness, floors)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 200 == 0 or not cuda:
            line = {"step": step, "seconds": round(time.time() - (begin or time.time()), 1), "loss": loss.item(),
                    "cross_entropy": ce.item()}
            print(json.dumps(line), flush=True)
            log.append(line)
    tokens = shape[0] * 2 * shape[2]
    print(f"{step} steps, about {step * tokens / args.seconds:,.0f} places a second", flush=True)


def build_model(counts, device, config=None):
    model = BoundedMlm(config).to(device)
    # The base measure starts at a tempered unigram law; how far it matters is learned.
    power = torch.tensor([0.8, 0.7, 0.5, 0.35, 0.2, 0.1, 0.05, 0.0], device=device)
    with torch.no_grad():
        model.base_measure.weight.copy_(power[:, None] * torch.log((counts + 5) / (counts + 5).sum())[None])
    return model


def finish(args, model, words, device, log):
    """The balanced law's constant, the 8-bit file, and what 8 bits cost."""
    tokenizer, data = load_pieces(args.vocabulary), Path(args.data)
    public = Texts(read_text(data / "sst2_public.txt", args.public), tokenizer, words)
    for i, knot in enumerate(KNOTS):
        model.log_total[i] = usual_total(model, public, words, knot, device)
    lines = [line for name in CORPORA for line in read_held_out(data, name)[:args.public // 5]]
    held_out = Texts(lines, tokenizer, words)
    report = {"log_total": model.log_total.tolist(), "training": log}
    report["float"] = accuracy(model, held_out, words, device)
    path = Path(args.out) / "mlm.safetensors"
    save_int8(path, model.state_dict(), {}, keep=("base_measure.weight", "sharpness"))
    load_mlm(model, path)
    report["int8"] = accuracy(model, held_out, words, device)
    print(json.dumps({k: report[k] for k in ("log_total", "float", "int8")}), flush=True)
    (Path(args.out) / "mlm.json").write_text(json.dumps(report))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--warmup", type=int, default=300)
    parser.add_argument("--plain", type=float, default=0.12, help="share of examples for the ordinary, unbounded use")
    parser.add_argument("--alone", type=float, default=0.08, help="share of examples without the original")
    parser.add_argument("--start", help="an 8-bit file to go on from")
    parser.add_argument("--public", type=int, default=500, help="texts for the balanced law and the accuracy")
    parser.add_argument("--limit", type=int)
    return parser


def main():
    args = arguments().parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    words, batches, nearness, counts = prepare(args, device)
    model = build_model(counts, device)
    if args.start:
        load_mlm(model, args.start)
    log = []
    train(args, model, batches, nearness, device, log)
    model.eval()
    finish(args, model, words, device, log)


if __name__ == "__main__":
    main()

"""Training examples of the one-pass model, drawn on the device.

An example is a window of public text. Its original is that window with words exchanged for near ones (SCHEDULE and the wander
say how many), for words that nobody knows and for misspellings; the target is the text as it was. Some windows lack a few
words, which are to be added in their places; some are for ordinary use as a masked model without an original.
"""
import math

import torch

from mlm import CONFIG, knot_weights

# What depends on the reach, at the knots of mlm.py.
#   swap       share of the original's content words replaced by near ones at wander 0; at wander 1 all are
#   soft       share of the target that is spread over near words
#   spread     temperature of that spread
#   likelihood weight of the cross entropy
#   reward     weight of the expected nearness of the drawn word to the original's; where the reach is small, likelihood
#              alone would spend it on frequent words
SCHEDULE = {
    "swap":       [0.06, 0.06, 0.06, 0.06, 0.08, 0.10, 0.08, 0.06],
    "soft":       [0.50, 0.50, 0.30, 0.15, 0.04, 0.02, 0.01, 0.00],
    "spread":     [0.15, 0.13, 0.10, 0.09, 0.08, 0.08, 0.08, 0.08],
    "likelihood": [0.15, 0.15, 0.20, 0.30, 0.60, 1.00, 1.00, 1.00],
    "reward":     [4.00, 4.00, 4.00, 4.00, 3.50, 2.00, 1.20, 0.80],
}
FULL_SWAP = 0.98                 # at wander 1
FULL_REWARD = 0.7                # at wander 1, of the reward at wander 0: what replaces a word must also fit its context
REACHES = (1.5, 150.0)
STILL, FAR = 0.40, 0.35          # shares of examples of wander 0 and 1; the others lie between
PLAIN = 0.08                     # share of examples for ordinary, unbounded use without an original
MASKED = 0.15                    # of their words
SHORTENED = 0.15                 # share of examples that lack words
ADDED = 4                        # words that they lack at most
UNKNOWN, UNKNOWN_NAME = 0.02, 0.30  # share of words replaced by tokens nobody knows; of names
MISSPELLED = 0.012
MAX_SLOTS = CONFIG["max_slots"]


class Batches:
    def __init__(self, tables, stream, starts, line_ends, near_rows, shares, importance, unknown, device):
        self.t, self.device = tables, device
        self.stream, self.starts, self.ends = stream, starts, line_ends
        self.near_rows, self.shares = near_rows, shares
        self.importance, self.unknown = importance, unknown

    def rand(self, *shape):
        return torch.rand(*shape, device=self.device)

    def swap(self, types, where):
        """Near words instead of `types` where asked and known."""
        row = self.t["row"][types].clamp(min=0)
        pick = (self.shares[row] < self.rand(*types.shape)[..., None]).sum(-1).clamp(max=self.shares.shape[1] - 1)
        near = self.t["type_of_row"][self.near_rows[row].gather(-1, pick[..., None])[..., 0]]
        known = (self.t["row"][types] >= 0) & (near >= 0) & (self.shares[row][..., -1] > 0.5)
        return torch.where(where & known, near, types)

    def window(self, b, w):
        pick = torch.randint(len(self.starts), (b,), device=self.device)
        size = (4 + self.rand(b) * (w - 3)).long().clamp(max=w)
        size = torch.where(self.rand(b) < 0.35, w, size)
        begin = self.starts[pick]
        size = torch.minimum(size, self.ends[pick] - begin)
        offsets = torch.arange(w, device=self.device)
        clean = self.stream[(begin[:, None] + offsets).clamp(max=len(self.stream) - 1)].long()
        return clean, size, offsets < size[:, None]

    def original(self, clean, swap):
        """What the model reads instead of the clean words."""
        b, w = clean.shape
        drawn = self.t["drawn"][clean]
        out = self.swap(clean, self.rand(b, w) < swap)
        stranger = self.unknown[(self.rand(b, w) * len(self.unknown)).long()]
        share = torch.where(self.t["name"][clean], UNKNOWN_NAME, UNKNOWN)
        out = torch.where((self.rand(b, w) < share) & drawn, stranger, out)
        wrong = self.t["misspelled"][clean, (self.rand(b, w) * self.t["misspelled"].shape[1]).long()]
        return torch.where((self.rand(b, w) < MISSPELLED) & (wrong >= 0), wrong, out)

    def shorten(self, clean, size, shortened):
        """(order of the slots without the words that are to be added, how many remain, the added words' types, the slots they
        follow, whether there is one)"""
        b, w = clean.shape
        offsets = torch.arange(w, device=self.device).expand(b, w)
        may = (offsets > 0) & (offsets < size[:, None]) & self.t["drawn"][clean] & (self.t["out"][clean] >= 0)
        may &= shortened[:, None] & (self.rand(b, w) < 0.1)
        # No two in a row: each follows a word that stays.
        may[:, 1:] &= ~may[:, :-1]
        may &= may.cumsum(1) <= ADDED
        order = (offsets + w * may).argsort(1)
        which = (offsets + w * ~may).argsort(1)[:, :ADDED]
        is_there = may.gather(1, which)
        after = which - 1 - (may.cumsum(1) - may.long()).gather(1, which)
        return order, size - may.sum(1), clean.gather(1, which), after.clamp(min=0), is_there

    def pieces(self, types, valid, masked, length):
        """(piece, slot, index, place of each slot, whether it fits)"""
        b, w = types.shape
        count = torch.where(masked, 1, self.t["count"][types]) * valid
        place = count.cumsum(1) - count
        slots = torch.arange(w, device=self.device).expand(b, w)
        piece, slot, index = (torch.zeros(b, length + 1, dtype=torch.long, device=self.device) for _ in range(3))
        table = self.t["pieces"][types]
        for i in range(table.shape[-1]):
            at = torch.where((count > i) & (place + count <= length), place + i, length)
            ids = torch.where(masked, 1, table[..., i]) if i == 0 else table[..., i]
            piece.scatter_(1, at, ids)
            slot.scatter_(1, at, slots)
            index.scatter_(1, at, torch.full_like(slots, i))
        piece[:, length] = 0
        return piece[:, :length], slot[:, :length], index[:, :length], place, valid & (place + count <= length)

    def draw(self, shape):
        b, w, length, targets = shape
        clean, size, valid = self.window(b, w)
        low, high = (math.log(r) for r in REACHES)
        reach = torch.exp(low + self.rand(b) * (high - low))
        kind = self.rand(b)
        wander = torch.where(kind < STILL, 0.0, torch.where(kind < STILL + FAR, 1.0, self.rand(b)))
        plain = self.rand(b) < PLAIN
        wander = torch.where(plain, 0.0, wander)
        weights = knot_weights(reach)
        at = {name: weights @ torch.tensor(row, device=self.device) for name, row in SCHEDULE.items()}
        swap = torch.where(plain, 0.0, at["swap"] * (1 - wander) + FULL_SWAP * wander)
        order, size, added, after, is_added = self.shorten(clean, size, ~plain & (self.rand(b) < SHORTENED))
        clean, valid = clean.gather(1, order), torch.arange(w, device=self.device) < size[:, None]
        original = torch.where(plain[:, None], clean, self.original(clean, swap[:, None]))

        usable = valid & self.t["drawn"][clean] & ((self.t["row"][clean] >= 0) | (self.t["out"][clean] >= 0))
        # Function words are half of a text and soon learned.
        weight = torch.where(self.t["content"][clean], 1.0, 0.45)
        score = self.rand(b, w) ** (1 / weight) - 2.0 * ~usable
        slots = score.topk(targets - ADDED, 1)[1]
        chosen = usable.gather(1, slots)
        in_plain = torch.arange(targets - ADDED, device=self.device) < (MASKED * size).ceil()[:, None]
        chosen &= ~plain[:, None] | in_plain
        masked = torch.zeros(b, w, dtype=torch.bool, device=self.device).scatter_(1, slots, chosen & plain[:, None])
        piece, slot, index, place, fits = self.pieces(original, valid, masked, length)
        chosen &= fits.gather(1, slots)
        segment = (plain[:, None] & (piece > 0)).long()

        # The added words' masks come last.
        piece = torch.cat([piece, is_added.long()], 1)
        slot = torch.cat([slot, after], 1)
        index = torch.cat([index, torch.zeros_like(after)], 1)
        segment = torch.cat([segment, is_added.long()], 1)
        # Windows are shorter than the longest text; a shift lets the later slots be learned too.
        shift = (self.rand(b) * (MAX_SLOTS - w + 1) * (self.rand(b) < 0.5)).long()
        types = torch.cat([clean.gather(1, slots), added], 1)
        own = torch.cat([original.gather(1, slots), torch.full_like(added, -1)], 1)
        own_row = torch.where(own >= 0, self.t["row"][own.clamp(min=0)], -1)
        row = self.t["row"][types]
        places = torch.cat([place.gather(1, slots).clamp(max=length - 1),
                            (length + torch.arange(ADDED, device=self.device)).expand(b, ADDED)], 1)
        moves = (own >= 0) & self.t["content"][own.clamp(min=0)]
        return {"piece": piece, "slot": slot + shift[:, None], "index": index, "segment": segment, "at": places,
                "chosen": torch.cat([chosen, is_added], 1), "out": self.t["out"][types], "row": row,
                "near": torch.where(own_row >= 0, own_row, row), "reach": reach, "plain": plain, "wander": wander,
                "apart": wander[:, None] * moves, "soft": torch.where(plain, 0.0, at["soft"]), "spread": at["spread"],
                "likelihood": torch.where(plain, 1.0, at["likelihood"]),
                "reward": torch.where(plain, 0.0, at["reward"] * (1 - (1 - FULL_REWARD) * wander))[:, None] * self.importance[types] *
                          (own >= 0)}

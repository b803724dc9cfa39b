"""The bounded masked language model: architecture and the law it is sampled from.

One text of n tokens is a sequence of slots 0..n-1 in segment 0. Every token is read as byte-level BPE pieces of its
lower-case form, so nothing is unknown; what comes out is one word of a fixed public list. One pass scores all slots, each at
its first piece, in sight of all words, itself included: the law bounds what a draw tells, whatever the scores are. A word that
is to be added after a slot has one <mask> with the slot's number in segment 1.

Reach: the largest difference of ln weights that a draw may show, in nats; it is public and set by epsilon. The head
squashes its scores z into [0, R]: logit = R * sigmoid(SLOPE * z / reach), and a word is drawn with probability
proportional to base(word) * exp(reach * logit / R), base being a public measure that depends on the reach alone.
Nothing is clipped. Two laws use it:

  bounded    reach = epsilon / 2: the exponential mechanism, T = 2 R / epsilon.
  balanced   reach = epsilon: z is shifted by one number so that the weights sum to a public constant; then the
             normaliser cancels and the same guarantee holds with twice the reach.

The reach is public, so the network is told it too, and one network serves every epsilon. A second public number is the
wander, from 0 to 1: how far content words are to move within what the law allows. The network is told it as well; besides, the
scores of the original's own word and its inflections are lowered. Scores are free, so neither is part of the promise.

With no wander knots the class is a masked model of the first format: the text to be rewritten in segment 1.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

KNOTS = [1.25, 2.5, 5.0, 7.5, 12.5, 25.0, 50.0, 125.0]
SLOPE = 4.0
RANGE = 10.0
WANDER_KNOTS = [0.0, 0.5, 1.0]
CONFIG = {"hidden_size": 512, "layers": 8, "heads": 8, "intermediate_size": 1792, "piece_size": 128, "head_size": 256,
          "pieces": 20000, "words": 12000, "max_slots": 128, "max_pieces": 8, "norm_eps": 1e-5, "wander_knots": WANDER_KNOTS}
FIRST_FORMAT = {"hidden_size": 384, "layers": 6, "heads": 6, "intermediate_size": 1536, "pieces": 16000, "words": 8000, "wander_knots": []}


def interpolate(x, knots):
    """[n, knots]: weights of the knots for each x: linear between them, constant outside."""
    knots = torch.tensor(knots, device=x.device)
    x = x.clamp(knots[0], knots[-1])
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    share = (x - knots[right - 1]) / (knots[right] - knots[right - 1])
    weights = torch.zeros(len(x), len(knots), device=x.device)
    weights.scatter_(1, (right - 1)[:, None], (1 - share)[:, None])
    return weights.scatter_add_(1, right[:, None], share[:, None])


def knot_weights(reach):
    return interpolate(reach.log(), [math.log(k) for k in KNOTS])


def wander_weights(wander):
    return interpolate(wander, WANDER_KNOTS)


def attend(q, k, v, mask):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return scores.masked_fill(~mask, -1e9).softmax(-1) @ v


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(size, 3 * size)
        self.out = nn.Linear(size, size)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        return self.out(attend(q, k, v, mask).transpose(1, 2).reshape(b, n, d))


class FeedForward(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.up = nn.Linear(size, inner)
        self.down = nn.Linear(inner, size)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm1 = nn.LayerNorm(c["hidden_size"], c["norm_eps"])
        self.attention = Attention(c["hidden_size"], c["heads"])
        self.norm2 = nn.LayerNorm(c["hidden_size"], c["norm_eps"])
        self.ffn = FeedForward(c["hidden_size"], c["intermediate_size"])

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.ffn(self.norm2(x))


class Embedding(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.pieces = nn.Embedding(c["pieces"], c["piece_size"])
        self.project = nn.Linear(c["piece_size"], c["hidden_size"], bias=False)
        self.slot = nn.Embedding(c["max_slots"], c["hidden_size"])
        self.piece_index = nn.Embedding(c["max_pieces"], c["hidden_size"])
        self.segment = nn.Embedding(2, c["hidden_size"])
        # One row a knot, and a last one for plain use as an ordinary, unbounded masked model.
        self.reach = nn.Embedding(len(KNOTS) + 1, c["hidden_size"])
        if c["wander_knots"]:
            self.wander = nn.Embedding(len(c["wander_knots"]), c["hidden_size"])
        self.norm = nn.LayerNorm(c["hidden_size"], c["norm_eps"])

    def forward(self, piece, slot, index, segment, condition):
        x = self.project(self.pieces(piece)) + self.slot(slot) + self.piece_index(index) + self.segment(segment)
        told = condition @ (torch.cat([self.reach.weight, self.wander.weight]) if hasattr(self, "wander") else self.reach.weight)
        return self.norm(x + told[:, None])


class Head(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dense = nn.Linear(c["hidden_size"], c["head_size"])
        self.norm = nn.LayerNorm(c["head_size"], c["norm_eps"])
        self.words = nn.Linear(c["head_size"], c["words"])

    def forward(self, x):
        x = self.norm(F.gelu(self.dense(x)))
        # In full precision, because bf16 would round large scores to a quarter of a nat.
        if x.is_cuda:
            with torch.autocast("cuda", enabled=False):
                return self.words(x.float())
        return self.words(x.float())


class BoundedMlm(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        c = self.config = {**CONFIG, **(config or {})}
        self.embed = Embedding(c)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c["layers"]))
        self.norm = nn.LayerNorm(c["hidden_size"], c["norm_eps"])
        self.head = Head(c)
        self.base_measure = nn.Embedding(len(KNOTS), c["words"])
        # ln of the sum of weights that the balanced law keeps to, at the knots; set from public text after training.
        wanders = len(c["wander_knots"])
        self.register_buffer("log_total", torch.zeros(wanders, len(KNOTS)) if wanders else torch.zeros(len(KNOTS)))
        # What scores are multiplied by before they are squashed, at the knots: row 0 where the original is one of the
        # output words, row 1 where it is not. There the scores are flat, and unsharpened they would give odd words.
        self.register_buffer("sharpness", torch.ones(2, len(KNOTS)))
        if wanders:
            # What the scores of the original's word and of the words in its group are lowered by.
            self.register_buffer("own_penalty", torch.zeros(wanders, c["words"]))
            self.register_buffer("word_group", torch.arange(c["words"]))
        self.apply(self._init)
        for layer in self.layers:
            for linear in (layer.attention.out, layer.ffn.down):
                nn.init.normal_(linear.weight, std=0.02 / math.sqrt(2 * c["layers"]))
        nn.init.constant_(self.head.words.bias, -3.0)
        nn.init.zeros_(self.base_measure.weight)

    @staticmethod
    def _init(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.embedding_dim == CONFIG["piece_size"]:
            nn.init.normal_(module.weight, std=0.06)

    def hidden(self, piece, slot, index, segment, condition):
        """Final states; padding is piece 0."""
        mask = (piece != 0)[:, None, None, :]
        x = self.embed(piece, slot, index, segment, condition)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

    def forward(self, piece, slot, index, segment, condition, at):
        """Scores z [B, K, words] at the sequence places `at` [B, K]."""
        x = self.hidden(piece, slot, index, segment, condition)
        return self.head(x.gather(1, at[:, :, None].expand(-1, -1, x.shape[2])))


def condition_of(reach, plain=None, wander=None):
    """Rows for `condition`: knot weights, or the last row where `plain` is set; then the weights of the wander knots, if the
    model has them."""
    weights = F.pad(knot_weights(reach), (0, 1))
    if plain is not None:
        only = F.one_hot(torch.full_like(plain, len(KNOTS), dtype=torch.long), len(KNOTS) + 1).to(weights)
        weights = torch.where(plain[:, None], only, weights)
    return weights if wander is None else torch.cat([weights, wander_weights(wander)], 1)


def bounded_logits(z, reach):
    """z [B, ..., words], reach [B]: values in [0, RANGE], whatever z is."""
    r = reach.clamp(KNOTS[0], KNOTS[-1]).view(-1, *[1] * (z.dim() - 1))
    return RANGE * torch.sigmoid(SLOPE * z / r)


def log_base(model, reach):
    """ln of the base measure [B, words]; depends on the reach alone."""
    return torch.log_softmax(knot_weights(reach) @ model.base_measure.weight, -1)


def log_weights(z, reach, base):
    """base + reach * logit / RANGE."""
    r = reach.view(-1, *[1] * (z.dim() - 1))
    base = base.view(base.shape[0], *[1] * (z.dim() - 2), base.shape[-1])
    return base + r * bounded_logits(z, reach) / RANGE


def log_law(z, reach, base):
    """ln of the probabilities a word is drawn with."""
    return torch.log_softmax(log_weights(z, reach, base), -1)


def balance(z, reach, base, log_total, steps=40):
    """z - c with c such that the weights sum to exp(log_total); the sum falls from e^reach to 1 as c grows."""
    low = z.amin(-1, keepdim=True) - 4 * reach.view(-1, 1)
    high = z.amax(-1, keepdim=True) + 4 * reach.view(-1, 1)
    for _ in range(steps):
        middle = (low + high) / 2
        above = torch.logsumexp(log_weights(z - middle, reach, base), -1, keepdim=True) > log_total.view(-1, 1)
        low, high = torch.where(above, middle, low), torch.where(above, high, middle)
    return z - (low + high) / 2

"""BERT and GPT-2 in the fewest lines that train fast; parameters carry the names of Hugging Face's checkpoints."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from mlm import attend


class BertLayer(nn.Module):
    def __init__(self, size, heads, inner, eps):
        super().__init__()
        self.heads = heads
        linear = lambda a, b: nn.Linear(a, b)
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({k: linear(size, size) for k in ("query", "key", "value")}),
            "output": nn.ModuleDict({"dense": linear(size, size), "LayerNorm": nn.LayerNorm(size, eps)})})
        self.intermediate = nn.ModuleDict({"dense": linear(size, inner)})
        self.output = nn.ModuleDict({"dense": linear(inner, size), "LayerNorm": nn.LayerNorm(size, eps)})

    def forward(self, x, mask, drop):
        b, n, d = x.shape
        split = lambda t: t.view(b, n, self.heads, d // self.heads).transpose(1, 2)
        own, out = self.attention["self"], self.attention["output"]
        y = attend(split(own["query"](x)), split(own["key"](x)), split(own["value"](x)), mask)
        y = out["dense"](y.transpose(1, 2).reshape(b, n, d))
        x = out["LayerNorm"](x + F.dropout(y, drop, self.training))
        y = self.output["dense"](F.gelu(self.intermediate["dense"](x)))
        return self.output["LayerNorm"](x + F.dropout(y, drop, self.training))


class Bert(nn.Module):
    """Last states [B, N, size]; padding is number 0."""

    def __init__(self, vocabulary, size=384, layers=6, heads=6, inner=1536, positions=256, eps=1e-12, drop=0.1):
        super().__init__()
        self.drop = drop
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(vocabulary, size), "position_embeddings": nn.Embedding(positions, size),
            "token_type_embeddings": nn.Embedding(2, size), "LayerNorm": nn.LayerNorm(size, eps)})
        stack = nn.ModuleList(BertLayer(size, heads, inner, eps) for _ in range(layers))
        self.encoder = nn.ModuleDict({"layer": stack})
        self.apply(init)

    def forward(self, ids):
        e = self.embeddings
        x = e["word_embeddings"](ids) + e["position_embeddings"].weight[:ids.shape[1]]
        x = x + e["token_type_embeddings"].weight[0]
        x = F.dropout(e["LayerNorm"](x), self.drop, self.training)
        mask = (ids != 0)[:, None, None, :]
        for layer in self.encoder["layer"]:
            x = layer(x, mask, self.drop)
        return x


def init(module):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)


class Conv1D(nn.Module):
    """A linear layer whose weight is stored [in, out], as GPT-2's is."""

    def __init__(self, a, b, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(a, b) * std)
        self.bias = nn.Parameter(torch.zeros(b))

    def forward(self, x):
        return x @ self.weight.to(x.dtype) + self.bias.to(x.dtype)


class Gpt2Layer(nn.Module):
    def __init__(self, size, heads, layers):
        super().__init__()
        self.heads = heads
        small = 0.02 / math.sqrt(2 * layers)
        self.ln_1 = nn.LayerNorm(size, 1e-5)
        self.attn = nn.ModuleDict({"c_attn": Conv1D(size, 3 * size), "c_proj": Conv1D(size, size, small)})
        self.ln_2 = nn.LayerNorm(size, 1e-5)
        self.mlp = nn.ModuleDict({"c_fc": Conv1D(size, 4 * size), "c_proj": Conv1D(4 * size, size, small)})

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.attn["c_attn"](self.ln_1(x)).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            y = attend(q, k, v, torch.ones(n, n, dtype=torch.bool, device=x.device).tril())
        x = x + self.attn["c_proj"](y.transpose(1, 2).reshape(b, n, d))
        return x + self.mlp["c_proj"](F.gelu(self.mlp["c_fc"](self.ln_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    """Logits [B, N, vocabulary]; the output matrix is the input matrix."""

    def __init__(self, vocabulary, size=384, layers=6, heads=6, positions=256):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, size), "wpe": nn.Embedding(positions, size),
            "h": nn.ModuleList(Gpt2Layer(size, heads, layers) for _ in range(layers)),
            "ln_f": nn.LayerNorm(size, 1e-5)})
        for name in ("wte", "wpe"):
            init(self.transformer[name])

    def forward(self, ids):
        t = self.transformer
        x = t["wte"](ids) + t["wpe"].weight[:ids.shape[1]]
        for layer in t["h"]:
            x = layer(x)
        return F.linear(t["ln_f"](x), t["wte"].weight)

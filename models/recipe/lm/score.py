#!/usr/bin/env python3
"""Step 7: cosine similarity by the sentence encoder and perplexity by the causal model of what evaluate_mlm.py wrote.

    score.py --data FOLDER --rewritten rewritten.json --encoder-vocabulary FOLDER --encoder encoder.safetensors
             --causal-vocabulary FOLDER --causal causal.safetensors --out scores.json
"""
import argparse
import json
from pathlib import Path

import torch
import torch.nn.functional as F

import train_causal
import train_encoder
from export import dequantize
from hf_shapes import Bert, Gpt2
from rewrite import read_text
from word_model import read_safetensors


def load(model, path, device):
    tensors, _ = read_safetensors(path)
    model.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in dequantize(tensors).items()})
    return model.to(device).eval()


@torch.no_grad()
def embed(model, tokenizer, texts, device):
    parts = [train_encoder.pool(model, train_encoder.encode_texts(tokenizer, texts[i:i + 256], device))
             for i in range(0, len(texts), 256)]
    return F.normalize(torch.cat(parts), dim=-1)


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "rewritten", "encoder-vocabulary", "encoder", "causal-vocabulary", "causal", "out"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder_tokenizer = train_encoder.load_tokenizer(args.encoder_vocabulary)
    encoder = load(Bert(encoder_tokenizer.get_vocab_size()), args.encoder, device)
    causal_tokenizer = train_causal.load_tokenizer(args.causal_vocabulary)
    causal = load(Gpt2(causal_tokenizer.get_vocab_size()), args.causal, device)
    rows, originals = [], {}
    for item in json.loads(Path(args.rewritten).read_text(encoding="utf-8")):
        name, texts = item["set"], item["texts"]
        if name not in originals:
            source = read_text(Path(args.data) / f"{name}.txt", len(texts))
            # Lower case, as what was rewritten is.
            source = [text.lower() for text in source]
            originals[name] = embed(encoder, encoder_tokenizer, source, device)
            other = originals[name].roll(1, 0)
            rows.append({"set": name, "kind": "original",
                         "random_pair_cosine": (originals[name] * other).sum(-1).mean().item(),
                         "perplexity": train_causal.perplexity(causal, causal_tokenizer, source, device)[1]})
        texts = [text.lower() for text in texts]
        new = embed(encoder, encoder_tokenizer, texts, device)
        rows.append({**{k: v for k, v in item.items() if k != "texts"},
                     "cosine": (originals[name] * new).sum(-1).mean().item(),
                     "perplexity": train_causal.perplexity(causal, causal_tokenizer, texts, device)[1]})
        print(json.dumps(rows[-1]), flush=True)
    Path(args.out).write_text(json.dumps(rows))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Step 3: curves against epsilon, bounded beside clipped.

    evaluate_mlm.py --data FOLDER --vocabulary FOLDER --model mlm.safetensors --out FOLDER [--sentences N]
"""
import argparse
import json
import time
from pathlib import Path

import torch

from lm_data import load_pieces
from mlm import KNOTS, BoundedMlm
from rewrite import (Law, Texts, calibrate, kept_share, load_mlm, mean_vector_cosine, pseudo_perplexity, read_text,
                     rewrite, word_cosine)
from word_model import read_word_model

EPSILONS = [5, 10, 15, 25, 50, 100, 250]


def measure(name, law, texts, words, device, measures, sequential=False, seed=1):
    torch.manual_seed(seed)
    new = rewrite(law, texts, words, device, sequential)
    result = {"set": name, "kind": law.kind, "epsilon": law.epsilon, "mode": "sequential" if sequential else "parallel",
              "base": law.base is not None, "kept": round(kept_share(texts, new), 4)}
    for key, function in measures.items():
        result[key] = round(function(new), 4)
    return result, [texts.render(i, forms) for i, forms in enumerate(new)]


def curves(model, sets, words, device, public, data, quick=False, epsilons=EPSILONS, say=print):
    known, vectors = read_word_model(data / "sotto-en-cbow.safetensors")
    vectors = torch.from_numpy(vectors)
    index = {w: i for i, w in enumerate(known)}
    # Frequent words say little about a text.
    weight = 1e-3 / (1e-3 + 1 / (torch.arange(len(known)) + 10.0) * 0.1)
    plain_bounds = calibrate(model, public, KNOTS[-1], True, device)
    rows, outputs = [], []
    for name, texts in sets.items():
        rows.append({"set": name, "kind": "original",
                     "pseudo_perplexity": round(pseudo_perplexity(model, texts, texts.forms, words, device), 2)})
        say(json.dumps(rows[-1]), flush=True)
        measures = {"word_cosine": lambda new: word_cosine(texts, new, index, vectors),
                    "mean_vector_cosine": lambda new: mean_vector_cosine(texts, new, index, vectors, weight),
                    "pseudo_perplexity": lambda new: pseudo_perplexity(model, texts, new, words, device)}
        for epsilon in epsilons:
            bounds = calibrate(model, public, epsilon / 2, False, device)
            laws = [(Law(model, "bounded", epsilon, device), False),
                    (Law(model, "balanced", epsilon, device), False),
                    (Law(model, "clipped", epsilon, device, bounds), False),
                    (Law(model, "plain-clipped", epsilon, device, plain_bounds), False)]
            if not quick:
                laws += [(Law(model, "bounded", epsilon, device, base=False), False),
                         (Law(model, "bounded", epsilon, device), True),
                         (Law(model, "balanced", epsilon, device), True)]
            for law, sequential in laws:
                row, lines = measure(name, law, texts, words, device, measures, sequential)
                row["bounds"] = law.bounds
                say(json.dumps(row), flush=True)
                rows.append(row)
                outputs.append({**{k: row[k] for k in ("set", "kind", "epsilon", "mode", "base")}, "texts": lines})
    return rows, outputs


def evaluation_texts(data, tokenizer, words, sentences, reviews, public):
    sets = {"sst2": Texts(read_text(data / "sst2_dev.txt", sentences), tokenizer, words)}
    if reviews:
        sets["reviews"] = Texts(read_text(data / "reviews_heldout.txt", reviews), tokenizer, words)
    return sets, Texts(read_text(data / "sst2_public.txt", public), tokenizer, words)


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "model", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--sentences", type=int, default=872)
    parser.add_argument("--reviews", type=int, default=200)
    parser.add_argument("--public", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    data = Path(args.data)
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    tokenizer = load_pieces(args.vocabulary)
    model = BoundedMlm().to(device).eval()
    load_mlm(model, args.model)
    sets, public = evaluation_texts(data, tokenizer, words, args.sentences, args.reviews, args.public)
    begin = time.time()
    rows, outputs = curves(model, sets, words, device, public, data, args.quick)
    print(f"{time.time() - begin:.0f} s")
    Path(args.out, "curves.json").write_text(json.dumps(rows, indent=0))
    Path(args.out, "rewritten.json").write_text(json.dumps(outputs, ensure_ascii=False))


if __name__ == "__main__":
    main()

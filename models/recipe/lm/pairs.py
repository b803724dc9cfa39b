#!/usr/bin/env python3
"""Step 3b: texts before and after, and curves of the balanced law for several sharpnesses.

    pairs.py --data FOLDER --vocabulary FOLDER --model mlm.safetensors --texts FILE --out FOLDER
"""
import argparse
import json
from pathlib import Path

import torch

from evaluate_mlm import EPSILONS, evaluation_texts
from lm_data import load_pieces
from mlm import KNOTS, BoundedMlm
from rewrite import (Law, Texts, kept_share, load_mlm, pseudo_perplexity, read_text, rewrite, usual_total,
                     word_cosine)
from word_model import read_word_model

SHARPNESS = {1.0: [1.0] * 8, 1.4: [1.0, 1.0, 1.0, 1.1, 1.25, 1.4, 1.4, 1.4],
             2.0: [1.0, 1.0, 1.2, 1.4, 1.7, 2.0, 2.0, 2.0], 3.0: [1.0, 1.0, 1.3, 1.7, 2.3, 3.0, 3.0, 3.0]}
# Sharpness where the original is an output word, and where it is not.
SETTINGS = [(1.0, 1.0), (1.0, 3.0), (1.0, 2.0), (1.4, 3.0)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "model", "texts", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--sentences", type=int, default=250)
    parser.add_argument("--reviews", type=int, default=30)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    data = Path(args.data)
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    tokenizer = load_pieces(args.vocabulary)
    model = BoundedMlm().to(device).eval()
    load_mlm(model, args.model)
    known, vectors = read_word_model(data / "sotto-en-cbow.safetensors")
    index, vectors = {w: i for i, w in enumerate(known)}, torch.from_numpy(vectors)
    sets, public = evaluation_texts(data, tokenizer, words, args.sentences, args.reviews, 300)
    own = Texts(read_text(args.texts), tokenizer, words)
    rows, outputs, pairs, totals = [], [], [], {}
    for inside, outside in SETTINGS:
        sharpness = f"{inside} {outside}"
        model.sharpness.copy_(torch.tensor([SHARPNESS[inside], SHARPNESS[outside]]))
        for i, knot in enumerate(KNOTS):
            model.log_total[i] = usual_total(model, public, words, knot, device)
        totals[sharpness] = model.log_total.tolist()
        for epsilon in (10, 25, 50, 100):
            for sequential in (False, True):
                torch.manual_seed(1)
                new = rewrite(Law(model, "balanced", epsilon, device), own, words, device, sequential)
                pairs.append({"sharpness": sharpness, "epsilon": epsilon, "sequential": sequential,
                              "texts": [own.render(i, forms) for i, forms in enumerate(new)]})
        for name, texts in sets.items():
            for epsilon in EPSILONS:
                torch.manual_seed(1)
                new = rewrite(Law(model, "balanced", epsilon, device), texts, words, device)
                rows.append({"set": name, "sharpness": sharpness, "epsilon": epsilon,
                             "kept": kept_share(texts, new), "word_cosine": word_cosine(texts, new, index, vectors),
                             "pseudo_perplexity": pseudo_perplexity(model, texts, new, words, device)})
                print(json.dumps(rows[-1]), flush=True)
                outputs.append({"set": name, "kind": "balanced", "epsilon": epsilon, "mode": "parallel", "base": True,
                                "sharpness": sharpness,
                                "texts": [texts.render(i, forms) for i, forms in enumerate(new)]})
        # After every setting, so that a run cut short still leaves something.
        save(args.out, pairs, rows, totals, outputs)


def save(out, pairs, rows, totals, outputs):
    Path(out, "pairs.json").write_text(json.dumps({"pairs": pairs, "rows": rows, "log_total": totals}))
    Path(out, "near.json").write_text(json.dumps(outputs))


if __name__ == "__main__":
    main()

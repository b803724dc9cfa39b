#!/usr/bin/env python3
"""Step 6: curves against epsilon and wander.

    evaluate_mlm.py --data FOLDER --vocabulary FOLDER --model mlm.safetensors --judge FOLDER --out FOLDER

--judge: the folder of the masked model of the first format, whose plain use gives pseudo-perplexities that stay comparable.
Writes curves.json and rewritten.json.
"""
import argparse
import json
from pathlib import Path

import torch

from lm_data import load_pieces
from rewrite import (OnePassLaw, Texts, kept_share, mean_vector_cosine, open_mlm, pseudo_perplexity, read_text, rewrite,
                     word_cosine)
from word_kinds import Kinds
from word_model import read_word_model

EPSILONS = [5, 10, 15, 25, 50, 100, 250]
WANDERS = [0.0, 0.5, 1.0]


def measure(law, sets, judge_sets, judge, judge_words, words, vectors, kinds):
    index, matrix, weight = vectors
    rows, outputs = [], []
    for name, texts in sets.items():
        new = rewrite(law, texts, words)
        rows.append({"set": name, "epsilon": law.epsilon, "wander": law.wander, "kept": kept_share(texts, new),
                     "function": kept_share(texts, new, kinds.function), "content": kept_share(texts, new, kinds.content),
                     "telling": kept_share(texts, new, kinds.telling),
                     "word_cosine": word_cosine(texts, new, index, matrix),
                     "mean_vector_cosine": mean_vector_cosine(texts, new, index, matrix, weight)})
        if judge is not None:
            rendered = Texts([texts.render(i, forms) for i, forms in enumerate(new)], judge_sets, judge_words)
            rows[-1]["pseudo_perplexity"] = pseudo_perplexity(judge, rendered, rendered.forms, judge_words, law.device)
        outputs.append({"set": name, "epsilon": law.epsilon, "wander": law.wander,
                        "texts": [texts.render(i, forms) for i, forms in enumerate(new)]})
        print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in rows[-1].items()}), flush=True)
    return rows, outputs


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "vocabulary", "model", "judge", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--sets", default="sst2_dev", help="names of files NAME.txt, separated by commas")
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--epsilons", default=",".join(map(str, EPSILONS)))
    parser.add_argument("--wanders", default=",".join(map(str, WANDERS)))
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Path(args.data)
    words = (Path(args.vocabulary) / "words.txt").read_text(encoding="utf-8").split()
    tokenizer = load_pieces(args.vocabulary)
    model = open_mlm(args.model, device)
    sets = {name: Texts(read_text(data / f"{name}.txt", args.sentences), tokenizer, words) for name in args.sets.split(",")}
    forms = sorted({f for texts in sets.values() for text in texts.forms for f in text} | set(words))
    kinds = Kinds(data, forms)
    known, matrix = read_word_model(data / "sotto-en-cbow.safetensors")
    # Frequent words say little about a text.
    vectors = ({w: i for i, w in enumerate(known)}, torch.from_numpy(matrix),
               1e-3 / (1e-3 + 1 / (torch.arange(len(known)) + 10.0) * 0.1))
    judge, judge_pieces, judge_words = None, None, None
    if args.judge != "none":
        judge = open_mlm(Path(args.judge) / "model.safetensors", device)
        judge_pieces, judge_words = load_pieces(args.judge), (Path(args.judge) / "words.txt").read_text(encoding="utf-8").split()
    rows, outputs = [], []
    for wander in map(float, args.wanders.split(",")):
        for epsilon in map(float, args.epsilons.split(",")):
            law = OnePassLaw(model, epsilon, wander, words, device)
            more = measure(law, sets, judge_pieces, judge, judge_words, words, vectors, kinds)
            rows += more[0]
            outputs += more[1]
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "curves.json").write_text(json.dumps(rows, indent=0))
    (out / "rewritten.json").write_text(json.dumps(outputs, ensure_ascii=False))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Reference values of the shipped models, computed in float32 from their 8-bit files by the recipe's own code.

    make_shipped.py MODELS_FOLDER OUTPUT_FOLDER

The recipe's BERT and GPT-2 agree with transformers on tiny checkpoints to 2e-6. Written: mlm.json and
mlm.safetensors (per case: the sequence, scores z and the probabilities of the balanced and the bounded law for
the first 1,500 output words), encoder.json (texts, numbers, embeddings), causal.json and paraphrase.json (texts,
numbers, losses).
"""
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "models" / "recipe" / "lm"))
import score  # noqa: E402
import train_causal  # noqa: E402
import train_encoder  # noqa: E402
from export import save_safetensors  # noqa: E402
from hf_shapes import Bert, Gpt2  # noqa: E402
from lm_data import load_pieces  # noqa: E402
from mlm import log_weights  # noqa: E402
from rewrite import OnePassLaw, Texts, open_mlm, scores, sequence  # noqa: E402

TEXTS = ["The movie was a complete waste of time, and the acting was terrible.",
         "Dr. Veljohnson's naïve café re-opened on 12 May; it’s laced with 3.5 grams of irony!",
         "I called your support line twice last week."]
FIRST = 1500
# Text, slot, epsilon, wander, whether in plain use, where the slot is masked and nothing else is read.
CASES = [(0, 5, 10.0, 0.0, False), (0, 10, 25.0, 1.0, False), (1, 4, 5.0, 0.5, False), (1, 11, 50.0, 0.25, False),
         (2, 3, 10.0, 1.0, False), (2, 3, 100.0, 0.0, True), (1, 2, 250.0, 1.0, False)]


def read_once(texts, t, slot):
    """(int array [4, n]: pieces, slots, indices, segments; place of the slot) of a text as one pass reads it."""
    array, _ = sequence(texts, texts.forms[t], None, 0)
    return array, array[1].tolist().index(slot)


def probabilities(model, z, form, words, reach, wander, balanced):
    """Of the words, under the balanced or the bounded law."""
    law = OnePassLaw(model, reach, wander, words, torch.device("cpu"))
    z = law.lowered(z, [form])
    if balanced:
        return torch.softmax(law.log_weights(law.sharpened(z, [form])).double(), -1)[0]
    return torch.softmax(log_weights(z, torch.tensor([float(law.reach)]), law.base).double(), -1)[0]


@torch.no_grad()
def mlm(folder, output):
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
    texts = Texts(TEXTS, load_pieces(folder), words)
    model = open_mlm(folder / "model.safetensors", torch.device("cpu"))
    cases, tensors = [], {}
    for number, (t, slot, epsilon, wander, plain) in enumerate(CASES):
        form = texts.forms[t][slot]
        array, at = sequence(texts, None, texts.forms[t], slot) if plain else read_once(texts, t, slot)
        case = {"text": TEXTS[t], "slot": slot, "form": form, "epsilon": epsilon, "wander": wander, "plain": plain, "at": at}
        case.update({k: row.tolist() for k, row in zip(("pieces", "slots", "indices", "segments"), array)})
        ask = lambda reach: next(scores(model, [(array, at)], reach, plain, torch.device("cpu"), wander=wander))[1]
        if plain:
            tensors[f"{number}.plain.z"] = ask(125.0)[0, :FIRST].numpy()
        for kind, reach in () if plain else (("balanced", min(epsilon, 125.0)), ("bounded", min(epsilon / 2, 125.0))):
            z = ask(reach)
            tensors[f"{number}.{kind}.z"] = z[0, :FIRST].numpy()
            p = probabilities(model, z, form, words, reach, wander, kind == "balanced")
            tensors[f"{number}.{kind}.p"] = p[:FIRST].float().numpy()
            case["top_" + kind] = [words[i] for i in p.topk(5)[1].tolist()]
        cases.append(case)
    (output / "mlm.json").write_text(json.dumps(cases, ensure_ascii=False) + "\n", encoding="utf-8")
    save_safetensors(output / "mlm.safetensors", tensors, {})
    for case in cases:
        print(case["form"], case["epsilon"], case["wander"], case.get("top_balanced"))


@torch.no_grad()
def encoder(folder, output):
    tokenizer = train_encoder.load_tokenizer(folder)
    model = score.load(Bert(tokenizer.get_vocab_size()), folder / "model.safetensors", torch.device("cpu"))
    rows = []
    for text in TEXTS:
        ids = train_encoder.encode_texts(tokenizer, [text], torch.device("cpu"))
        vector = train_encoder.pool(model, ids)[0]
        rows.append({"text": text, "ids": ids[0].tolist(), "mean": [round(x, 6) for x in vector.tolist()]})
    (output / "encoder.json").write_text(json.dumps(rows, ensure_ascii=False) + "\n", encoding="utf-8")


@torch.no_grad()
def causal(folder, file, frame):
    tokenizer = train_causal.load_tokenizer(folder)
    model = score.load(Gpt2(tokenizer.get_vocab_size()), folder / "model.safetensors", torch.device("cpu"))
    rows = []
    for text in TEXTS:
        ids = torch.tensor([frame(tokenizer.encode(text).ids)])
        loss = torch.nn.functional.cross_entropy(model(ids[:, :-1])[0], ids[0, 1:], reduction="none")
        rows.append({"text": text, "ids": ids[0].tolist(), "loss": [round(x, 5) for x in loss.tolist()]})
    file.write_text(json.dumps(rows, ensure_ascii=False) + "\n", encoding="utf-8")


def main(models, output):
    models, output = Path(models), Path(output)
    output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    mlm(models / "sotto-en-mlm", output)
    encoder(models / "sotto-en-encoder", output)
    causal(models / "sotto-en-causal", output / "causal.json", lambda ids: [0, *ids])
    causal(models / "sotto-en-paraphrase", output / "paraphrase.json", lambda ids: [0, *ids, 1, *ids[::2], 0])


if __name__ == "__main__":
    main(*sys.argv[1:3])

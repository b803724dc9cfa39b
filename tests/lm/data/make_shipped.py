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
from mlm import BoundedMlm  # noqa: E402
from rewrite import Law, Texts, load_mlm, scores, sequence, sharpness_at  # noqa: E402

TEXTS = ["The movie was a complete waste of time, and the acting was terrible.",
         "Dr. Veljohnson's naïve café re-opened on 12 May; it’s laced with 3.5 grams of irony!",
         "I called your support line twice last week."]
FIRST = 1500
# Text, slot, epsilon, whether the input includes the original, whether in plain use.
CASES = [(0, 5, 10.0, True, False), (0, 10, 25.0, True, False), (1, 4, 5.0, True, False), (1, 11, 50.0, True, False),
         (2, 3, 10.0, False, False), (2, 3, 100.0, True, True), (1, 2, 250.0, True, False)]


@torch.no_grad()
def mlm(folder, output):
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
    texts = Texts(TEXTS, load_pieces(folder), words)
    model = BoundedMlm().eval()
    load_mlm(model, folder / "model.safetensors")
    cases, tensors, said = [], {}, set(words)
    for number, (t, slot, epsilon, beside, plain) in enumerate(CASES):
        forms = texts.forms[t]
        array, at = sequence(texts, forms if beside else None, forms, slot)
        case = {"text": TEXTS[t], "slot": slot, "form": forms[slot], "epsilon": epsilon, "beside_original": beside,
                "plain": plain, "at": at}
        case.update({k: row.tolist() for k, row in zip(("pieces", "slots", "indices", "segments"), array)})
        if plain:
            for _, z in scores(model, [(array, at)], 125.0, True, torch.device("cpu")):
                tensors[f"{number}.plain.z"] = z[0, :FIRST].numpy()
            cases.append(case)
            continue
        for kind in ("balanced", "bounded"):
            law = Law(model, kind, epsilon, torch.device("cpu"))
            case["reach_" + kind] = law.reach
            for _, z in scores(model, [(array, at)], law.reach, False, torch.device("cpu")):
                tensors[f"{number}.{kind}.z"] = z[0, :FIRST].numpy()
                if kind == "balanced":
                    z = z * sharpness_at(model, law.reach, [forms[slot] in said])
                p = torch.softmax(law.log_weights(z).double(), -1)[0]
            tensors[f"{number}.{kind}.p"] = p[:FIRST].float().numpy()
            case["top_" + kind] = [words[i] for i in p.topk(5)[1].tolist()]
        cases.append(case)
    (output / "mlm.json").write_text(json.dumps(cases, ensure_ascii=False) + "\n", encoding="utf-8")
    save_safetensors(output / "mlm.safetensors", tensors, {})
    for case in cases:
        print(case["form"], case["epsilon"], case.get("top_balanced"))


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

#!/usr/bin/env python3
"""Tiny classifiers of the transformers library, their answers, and their answers after some AdamW steps.

    make_classifiers.py OUTPUT_FOLDER

Needs torch, transformers and safetensors. Dropout is off. Matrices decay, vectors do not; gradients are
clipped to length 1. Each folder holds config.json, the weights, and expected.json.
"""
import json
import sys
from pathlib import Path

import torch
import transformers as t

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from reference_networks import numbers, widen  # noqa: E402

SEQUENCES = [[5, 17, 33, 8, 60, 41, 12], [9, 44, 3], [22, 7, 7, 19, 50, 36, 28, 14, 11, 58, 6], [40], [31, 16, 25],
             [2, 18, 29, 51], [13, 42, 42, 7, 30], [55, 21]]
BATCHES = [[0, 1, 2, 3, 4, 5, 6, 7], [6, 0, 3], [1, 2, 5, 4, 7], [7]]
RATES = [1e-2, 5e-3, 2e-2, 1e-2]
DECAY = 0.1
SIZES = dict(vocab_size=61, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
             hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


def forward(model, ids):
    """Alone, without padding."""
    return model(input_ids=torch.tensor([ids])).logits[0]


def answers(model):
    with torch.no_grad():
        rows = [forward(model, ids) for ids in SEQUENCES]
        return [numbers(row if len(row) == 1 else row.softmax(-1)) for row in rows]


def make(folder, model, targets):
    widen(model, seed=11).train()
    folder.mkdir(parents=True, exist_ok=True)
    expected = {"sequences": SEQUENCES, "targets": targets, "batches": BATCHES, "rates": RATES, "decay": DECAY,
                "before": answers(model), "losses": []}
    model.save_pretrained(folder)
    groups = [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": DECAY},
              {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups)
    for batch, rate in zip(BATCHES, RATES):
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        outputs = torch.stack([forward(model, SEQUENCES[i]) for i in batch])
        wanted = torch.tensor([targets[i] for i in batch])
        loss = (torch.nn.functional.mse_loss(outputs.squeeze(-1), wanted) if outputs.shape[1] == 1
                else torch.nn.functional.cross_entropy(outputs, wanted.long()))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        expected["losses"].append(float(loss))
    expected["after"] = answers(model)
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")


def main():
    out = Path(sys.argv[1])
    classes = [0.0, 1.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0]
    values = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5, 0.0, -2.0]
    make(out / "bert-classes", t.BertForSequenceClassification(
        t.BertConfig(**SIZES, max_position_embeddings=12, num_labels=3)), classes)
    make(out / "roberta-value", t.RobertaForSequenceClassification(
        t.RobertaConfig(**SIZES, max_position_embeddings=14, type_vocab_size=1, num_labels=1, pad_token_id=1)), values)


if __name__ == "__main__":
    main()

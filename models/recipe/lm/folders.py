#!/usr/bin/env python3
"""Last step: the shipped folders.

    folders.py RESULTS VOCABULARIES MODELS

RESULTS holds what the scripts wrote: model.safetensors of fit_law.py and encoder, causal, paraphrase .safetensors (without them
only the masked model is made); VOCABULARIES the folders mlm, encoder, causal.
"""
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from export import save_safetensors
from mlm import CONFIG, KNOTS, RANGE, SLOPE, WANDER_KNOTS
from train_mlm import SHAPE
from word_model import read_safetensors

def mlm_config(tensors):
    rows = lambda name: tensors[name].shape[0]
    return {"architectures": ["SottoBoundedMlm"], "model_type": "sotto-bounded-mlm", "format_version": 2,
            "hidden_size": CONFIG["hidden_size"], "num_hidden_layers": CONFIG["layers"],
            "num_attention_heads": CONFIG["heads"], "intermediate_size": CONFIG["intermediate_size"],
            "piece_size": CONFIG["piece_size"], "head_size": CONFIG["head_size"], "vocab_size": rows("embed.pieces.weight"),
            "output_words": rows("head.words.weight"), "max_slots": CONFIG["max_slots"], "window_slots": SHAPE[1],
            "max_pieces_per_slot": CONFIG["max_pieces"], "hidden_act": "gelu", "layer_norm_eps": CONFIG["norm_eps"],
            "pad_token_id": 0, "mask_token_id": 1, "logit_range": RANGE, "slope": SLOPE, "reach_knots": KNOTS, "law": "balanced",
            "modes": ["one-pass"], "wander_knots": WANDER_KNOTS, "wander": 1.0, "quantization": "int8-per-row"}


def bert_config(vocabulary):
    return {"architectures": ["BertModel"], "model_type": "bert", "vocab_size": vocabulary, "hidden_size": 384,
            "num_hidden_layers": 6, "num_attention_heads": 6, "intermediate_size": 1536, "hidden_act": "gelu",
            "max_position_embeddings": 256, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0,
            "pooling": "mean", "max_length": 64, "quantization": "int8-per-row"}


def gpt2_config(vocabulary, kind):
    config = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": vocabulary, "n_embd": 384,
              "n_layer": 6, "n_head": 6, "n_positions": 256, "activation_function": "gelu_new",
              "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True, "bos_token_id": 0, "eos_token_id": 0, "quantization": "int8-per-row"}
    return {**config, "separator_token_id": 1} if kind == "paraphrase" else config


def put(folder, tensors, config, files):
    folder.mkdir(parents=True, exist_ok=True)
    save_safetensors(folder / "model.safetensors", tensors, {"format": "pt", "quantization": "int8-per-row"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for file in files:
        shutil.copy(file, folder / file.name)
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    print(folder.name, (folder / "model.safetensors").stat().st_size, digest)


def main(results, vocabularies, models):
    results, vocabularies, models = Path(results), Path(vocabularies), Path(models)
    tensors, _ = read_safetensors(results / "model.safetensors")
    put(models / "sotto-en-mlm", tensors, mlm_config(tensors),
        [vocabularies / "mlm" / name for name in ("vocab.json", "merges.txt", "words.txt")])
    if not (results / "encoder.safetensors").exists():
        return
    vocabulary = vocabularies / "encoder" / "vocab.txt"
    folder = models / "sotto-en-encoder"
    put(folder, read_safetensors(results / "encoder.safetensors")[0],
        bert_config(len(vocabulary.read_text(encoding="utf-8").splitlines())), [vocabulary])
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "do_lower_case": true}\n')
    for kind in ("causal", "paraphrase"):
        files = [vocabularies / "causal" / name for name in ("vocab.json", "merges.txt")]
        size = len(json.loads(files[0].read_text(encoding="utf-8")))
        tensors, _ = read_safetensors(results / f"{kind}.safetensors")
        put(models / f"sotto-en-{kind}", tensors, gpt2_config(size, kind), files)


if __name__ == "__main__":
    main(*sys.argv[1:4])

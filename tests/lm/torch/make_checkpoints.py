#!/usr/bin/env python3
"""Tiny randomly initialised checkpoints of every architecture, with answers of the transformers library.

    make_checkpoints.py OUTPUT_FOLDER

Needs torch, transformers (made with 4.38) and safetensors. Each folder holds config.json, the weights, and
expected.json: `sequences` with the answers to them.
"""
import json
import sys
from pathlib import Path

import torch
import transformers as t
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from reference_networks import numbers, widen  # noqa: E402

VOCABULARY = 61
SEQUENCES = [[5, 17, 33, 8, 60, 41, 12], [9, 44, 3], [22, 7, 7, 19, 50, 36, 28, 14, 11, 58, 6], [40], [31, 16, 25]]


def widened(model):
    return widen(model, seed=7).eval()


def rounded(model, kind):
    """The model with its weights rounded to `kind`, so that storing them loses nothing."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(kind).float())
    return model


def finish(folder, expected):
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")
    print(folder.name, sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()), "bytes")


def masked(folder, model, segments=1):
    """One answer per sequence, each computed alone, so that padding in our batches must not matter."""
    expected = {"sequences": SEQUENCES, "segments": [], "masked": [], "logits": []}
    for i, ids in enumerate(SEQUENCES):
        segment = [int(k * segments >= len(ids)) for k in range(len(ids))]
        at = (3 * i + 1) % len(ids)
        inputs = {"input_ids": torch.tensor([ids])}
        if segments > 1:
            inputs["token_type_ids"] = torch.tensor([segment])
        with torch.no_grad():
            logits = model(**inputs).logits[0, at]
        expected["segments"].append(segment)
        expected["masked"].append(at)
        expected["logits"].append(numbers(logits))
    finish(folder, expected)


def sentences(folder, model):
    expected = {"sequences": SEQUENCES, "vectors": []}
    for ids in SEQUENCES:
        with torch.no_grad():
            mean = model(input_ids=torch.tensor([ids])).last_hidden_state[0].mean(0)
        expected["vectors"].append(numbers(mean / mean.norm()))
    modules = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
    (folder / "modules.json").write_text(json.dumps(
        [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
         for i, (name, path) in enumerate(modules)]) + "\n")
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({
        "word_embedding_dimension": model.config.hidden_size, "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False}) + "\n")
    finish(folder, expected)


def causal(folder, model):
    """ln P of each token given those before, and the logits after each prefix."""
    expected = {"sequences": SEQUENCES, "scores": [], "next": []}
    for ids in SEQUENCES:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0]
        scores = logits.log_softmax(-1)
        expected["scores"].append([float(scores[i, ids[i + 1]]) for i in range(len(ids) - 1)])
        expected["next"].append([numbers(row) for row in logits])
    finish(folder, expected)


def answering(folder, model):
    """The decoder's logits after its start token and after each token of an answer."""
    expected = {"sequences": SEQUENCES, "answers": [], "next": []}
    for ids in SEQUENCES:
        answer = [4 + (7 * x) % 50 for x in range(len(ids), len(ids) + 12)]
        decoder = torch.tensor([[0] + answer])
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=decoder).logits[0]
        expected["answers"].append(answer)
        expected["next"].append([numbers(row) for row in logits])
    finish(folder, expected)


def rename(folder, change):
    file = folder / "model.safetensors"
    save_file({change(name): tensor for name, tensor in load_file(file).items()}, file, {"format": "pt"})


def save(model, folder, **options):
    model.config.architectures = [type(model).__name__]
    model.save_pretrained(folder, **options)
    return folder


def encoders(output):
    torch.manual_seed(1)
    bert = dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
                max_position_embeddings=12)
    model = widened(t.BertForMaskedLM(t.BertConfig(**bert)))
    masked(save(model, output / "bert"), model, segments=2)
    old = save(model, output / "bert-gamma")
    rename(old, lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"))
    masked(old, model)
    model = widened(t.BertModel(t.BertConfig(**{**bert, "hidden_act": "gelu_new"})))
    sentences(save(model, output / "bert-sentence"), model)

    roberta = dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                   max_position_embeddings=14, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
    model = rounded(widened(t.RobertaForMaskedLM(t.RobertaConfig(**roberta))), torch.bfloat16)
    model.bfloat16().config.architectures = ["RobertaForMaskedLM"]
    folder = save(model, output / "roberta-sharded", max_shard_size="3KB")
    masked(folder, model.float())
    model = widened(t.RobertaForMaskedLM(t.RobertaConfig(**{**roberta, "num_hidden_layers": 1})))
    masked(save(model, output / "distilroberta"), model)
    sentences(save(model, output / "roberta-sentence"), model.roberta)

    distil = dict(vocab_size=VOCABULARY, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=12)
    model = rounded(widened(t.DistilBertForMaskedLM(t.DistilBertConfig(**distil))), torch.float16)
    folder = save(model.half(), output / "distilbert")
    masked(folder, model.float())
    model = widened(t.DistilBertModel(t.DistilBertConfig(**distil)))
    sentences(save(model, output / "distilbert-sentence"), model)


def decoders(output):
    gpt2 = t.GPT2Config(vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=24, bos_token_id=0,
                        eos_token_id=0)
    model = widened(t.GPT2LMHeadModel(gpt2))
    causal(save(model, output / "gpt2"), model)
    bare = save(model, output / "gpt2-bare")
    rename(bare, lambda name: name.removeprefix("transformer."))
    causal(bare, model)

    t5 = dict(vocab_size=VOCABULARY, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=1, num_heads=3,
              relative_attention_num_buckets=8, relative_attention_max_distance=10, decoder_start_token_id=0)
    model = widened(t.T5ForConditionalGeneration(t.T5Config(**t5, feed_forward_proj="relu", tie_word_embeddings=True)))
    answering(save(model, output / "t5"), model)
    model = widened(t.T5ForConditionalGeneration(
        t.T5Config(**t5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)))
    answering(save(model, output / "flan-t5"), model)


BOUNDED = {"model_type": "sotto-bounded-mlm", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
           "intermediate_size": 24, "piece_size": 12, "head_size": 20, "vocab_size": VOCABULARY, "output_words": 37,
           "max_slots": 9, "max_pieces_per_slot": 3, "layer_norm_eps": 1e-5, "logit_range": 10.0, "slope": 4.0,
           "reach_knots": [1.5, 4.0, 9.0]}


def bounded_state(c):
    """Random weights of the bounded model, by name; matrices as 8-bit numbers with one scale per row."""
    h, i, k = c["hidden_size"], c["intermediate_size"], len(c["reach_knots"])
    shapes = {"embed.pieces.weight": (c["vocab_size"], c["piece_size"]), "embed.project.weight": (h, c["piece_size"]),
              "embed.slot.weight": (c["max_slots"], h), "embed.piece_index.weight": (c["max_pieces_per_slot"], h),
              "embed.segment.weight": (2, h), "embed.reach.weight": (k + 1, h), "base_measure.weight": (k, c["output_words"]),
              "log_total": (k,), "sharpness": (2, k)}
    linears = {"head.dense": (c["head_size"], h), "head.words": (c["output_words"], c["head_size"])}
    norms = {"embed.norm": h, "norm": h, "head.norm": c["head_size"]}
    for n in range(c["num_hidden_layers"]):
        linears |= {f"layers.{n}.attention.qkv": (3 * h, h), f"layers.{n}.attention.out": (h, h),
                    f"layers.{n}.ffn.up": (i, h), f"layers.{n}.ffn.down": (h, i)}
        norms |= {f"layers.{n}.norm1": h, f"layers.{n}.norm2": h}
    for name, shape in linears.items():
        shapes |= {name + ".weight": shape, name + ".bias": shape[:1]}
    for name, size in norms.items():
        shapes |= {name + ".weight": (size,), name + ".bias": (size,)}
    generator = torch.Generator().manual_seed(11)
    state, stored = {}, {}
    for name, shape in shapes.items():
        value = 0.3 * torch.randn(shape, generator=generator)
        if "norm" in name and name.endswith("weight"):
            value += 1
        state[name] = stored[name] = value
        if value.dim() == 2 and name not in ("base_measure.weight", "sharpness"):
            scale = value.abs().amax(1) / 127
            stored[name], stored[name + ".scale"] = (value / scale[:, None]).round().to(torch.int8), scale
            state[name] = stored[name].float() * scale[:, None]
    return state, stored


def bounded_scores(c, state, condition, ids, positions, segments, pieces, at):
    """Scores of one sequence at one position, following the description of the architecture."""
    from torch.nn import functional as F

    def linear(name, x):
        return F.linear(x, state[name + ".weight"], state.get(name + ".bias"))

    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], state[name + ".weight"], state[name + ".bias"], c["layer_norm_eps"])

    def rows(name, numbers):
        return state[f"embed.{name}.weight"][torch.tensor(numbers)]

    x = linear("embed.project", rows("pieces", ids)) + rows("slot", positions) + rows("piece_index", pieces)
    x = norm("embed.norm", x + rows("segment", segments) + condition)
    size = c["hidden_size"] // c["num_attention_heads"]
    for n in range(c["num_hidden_layers"]):
        q, k, v = linear(f"layers.{n}.attention.qkv", norm(f"layers.{n}.norm1", x)).split(c["hidden_size"], -1)
        heads = [(q[:, s] @ k[:, s].T / size ** 0.5).softmax(-1) @ v[:, s]
                 for s in (slice(j * size, (j + 1) * size) for j in range(c["num_attention_heads"]))]
        x = x + linear(f"layers.{n}.attention.out", torch.cat(heads, -1))
        x = x + linear(f"layers.{n}.ffn.down", F.gelu(linear(f"layers.{n}.ffn.up", norm(f"layers.{n}.norm2", x))))
    return linear("head.words", norm("head.norm", F.gelu(linear("head.dense", norm("norm", x)[at]))))


def bounded(folder):
    """Answers without a reach, at two reaches inside the knots, and at one outside on either side."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BOUNDED, indent=1) + "\n")
    state, stored = bounded_state(BOUNDED)
    save_file(stored, folder / "model.safetensors", {"format": "pt"})
    knots = torch.tensor(BOUNDED["reach_knots"]).log()
    expected = {"sequences": SEQUENCES, "positions": [], "segments": [], "pieces": [], "masked": [], "reaches": []}
    for i, ids in enumerate(SEQUENCES):
        half = (len(ids) + 1) // 2
        expected["positions"].append([k % half for k in range(len(ids))])
        expected["segments"].append([int(k >= half) for k in range(len(ids))])
        expected["pieces"].append([(k * k) % 3 for k in range(len(ids))])
        expected["masked"].append((3 * i + 1) % len(ids))
    for reach in (0.0, 0.5, 2.0, 8.0, 100.0):
        weights = torch.zeros(len(knots))
        if reach:
            x = torch.tensor(reach).log().clamp(knots[0], knots[-1])
            right = max(1, int((knots < x).sum()))
            share = (x - knots[right - 1]) / (knots[right] - knots[right - 1])
            weights[right - 1], weights[right] = 1 - share, share
        condition = weights @ state["embed.reach.weight"][:-1] if reach else state["embed.reach.weight"][-1]
        answer = {"reach": reach, "scores": [
            numbers(bounded_scores(BOUNDED, state, condition, ids, *(expected[k][i] for k in
                                                                   ("positions", "segments", "pieces", "masked"))))
            for i, ids in enumerate(SEQUENCES)]}
        if reach:
            answer |= {"slope": BOUNDED["slope"] / float(x.exp()), "log_total": float(weights @ state["log_total"]) * min(1, reach / BOUNDED["reach_knots"][0]),
                       "sharpness": numbers(state["sharpness"] @ weights),
                       "log_base": numbers((weights @ state["base_measure.weight"]).log_softmax(-1))}
        expected["reaches"].append(answer)
    finish(folder, expected)


def main(output):
    encoders(Path(output))
    decoders(Path(output))
    bounded(Path(output) / "bounded")


if __name__ == "__main__":
    main(sys.argv[1])

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

VOCABULARY = 61
SEQUENCES = [[5, 17, 33, 8, 60, 41, 12], [9, 44, 3], [22, 7, 7, 19, 50, 36, 28, 14, 11, 58, 6], [40], [31, 16, 25]]


def widen(model):
    """Standard initialisation is so small that a wrong bias or norm would hide below the tolerance."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 1:
                parameter.add_(0.2 * noise)
            else:
                parameter.copy_(0.3 * noise)
    return model.eval()


def rounded(model, kind):
    """The model with weights that `kind` can hold, so that storing them loses nothing."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(kind).float())
    return model


def numbers(tensor):
    return [float(f"{x:.8g}") for x in tensor.flatten().tolist()]


def finish(folder, expected):
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")
    print(folder.name, sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()), "bytes")


def masked(folder, model, segments=1):
    """One answer a sequence, each computed alone, so that padding in our batches must not matter."""
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
    model = widen(t.BertForMaskedLM(t.BertConfig(**bert)))
    masked(save(model, output / "bert"), model, segments=2)
    old = save(model, output / "bert-gamma")
    rename(old, lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"))
    masked(old, model)
    model = widen(t.BertModel(t.BertConfig(**{**bert, "hidden_act": "gelu_new"})))
    sentences(save(model, output / "bert-sentence"), model)

    roberta = dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                   max_position_embeddings=14, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
    model = rounded(widen(t.RobertaForMaskedLM(t.RobertaConfig(**roberta))), torch.bfloat16)
    model.bfloat16().config.architectures = ["RobertaForMaskedLM"]
    folder = save(model, output / "roberta-sharded", max_shard_size="3KB")
    masked(folder, model.float())
    model = widen(t.RobertaForMaskedLM(t.RobertaConfig(**{**roberta, "num_hidden_layers": 1})))
    masked(save(model, output / "distilroberta"), model)
    sentences(save(model, output / "roberta-sentence"), model.roberta)

    distil = dict(vocab_size=VOCABULARY, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=12)
    model = rounded(widen(t.DistilBertForMaskedLM(t.DistilBertConfig(**distil))), torch.float16)
    folder = save(model.half(), output / "distilbert")
    masked(folder, model.float())
    model = widen(t.DistilBertModel(t.DistilBertConfig(**distil)))
    sentences(save(model, output / "distilbert-sentence"), model)


def decoders(output):
    gpt2 = t.GPT2Config(vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=24, bos_token_id=0,
                        eos_token_id=0)
    model = widen(t.GPT2LMHeadModel(gpt2))
    causal(save(model, output / "gpt2"), model)
    bare = save(model, output / "gpt2-bare")
    rename(bare, lambda name: name.removeprefix("transformer."))
    causal(bare, model)

    t5 = dict(vocab_size=VOCABULARY, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=1, num_heads=3,
              relative_attention_num_buckets=8, relative_attention_max_distance=10, decoder_start_token_id=0)
    model = widen(t.T5ForConditionalGeneration(t.T5Config(**t5, feed_forward_proj="relu", tie_word_embeddings=True)))
    answering(save(model, output / "t5"), model)
    model = widen(t.T5ForConditionalGeneration(
        t.T5Config(**t5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)))
    answering(save(model, output / "flan-t5"), model)


def main(output):
    encoders(Path(output))
    decoders(Path(output))


if __name__ == "__main__":
    main(sys.argv[1])

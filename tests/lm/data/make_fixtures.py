#!/usr/bin/env python3
"""Reference values for the language-model tests, computed with Hugging Face's libraries.

    make_fixtures.py TEXT OUTPUT_FOLDER

TEXT is any public-domain English text, one paragraph a line (ours: Project Gutenberg). Needs transformers, tokenizers,
sentencepiece and torch. Written:

  tokenizers/lines.txt.gz       10,000 lines, of which every fifth is made to hurt (scripts, marks, blanks, controls)
  tokenizers/bpe                vocab.json, merges.txt: byte-level BPE with GPT-2's pre-tokenizer
  tokenizers/wordpiece          vocab.txt: BERT, uncased
  tokenizers/unigram            spiece.model: sentencepiece
  tokenizers/*.ids.gz           per line a little-endian u16 count and as many u16 numbers, no special tokens
  roberta bert distilbert gpt2 t5 flan-t5
                                a randomly initialised checkpoint (config.json, model.safetensors, tokenizer files)
                                and expected.safetensors: input_ids, attention_mask (1: counts), hidden (last state),
                                logits; for t5 also decoder_input_ids
"""
import gzip
import json
import random
import shutil
import struct
import sys
from pathlib import Path

SIZE = 500
LINES = 10000

BLOCKS = [(0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x17F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x45F), (0x5D0, 0x5EA),
          (0x620, 0x64A), (0x900, 0x97F), (0xE01, 0xE5B), (0x1100, 0x1112), (0x1E00, 0x1EFF), (0x2000, 0x206F),
          (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2460, 0x24FF), (0x3000, 0x303F), (0x3041, 0x30FF),
          (0x4E00, 0x4FFF), (0xAC00, 0xACFF), (0xE000, 0xE010), (0xF900, 0xF920), (0xFB00, 0xFB06), (0xFE00, 0xFE0F),
          (0xFF01, 0xFF5E), (0x10400, 0x1044F), (0x1D400, 0x1D4FF), (0x1F1E6, 0x1F1FF), (0x1F600, 0x1F64F),
          (0x20000, 0x20010), (0xE0100, 0xE0110)]
HARD = [
    "\u0130stanbul \u0131\u015f\u0131k", "stra\u00dfe STRASSE \u1e9e", "\u03c3\u03c2\u03a3 \u039f\u0394\u039f\u03a3",
    "e\u0301 \u00e9 E\u0301 \u00c9", "a\u0300\u0323 a\u0323\u0300", "\ufb01ne \ufb02ow \ufb03",
    "\u1100\u1161\u11a8 \uac01", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "\U0001f44d\U0001f3fd", "\u2764\ufe0f \u2764",
    "\u200b\u200c\u200d\u2060\ufeff", "\u00a0nbsp\u00a0\u2003em\u3000wide", "tab\there\x0bvt\x0cff",
    "soft\u00adhyphen", "\x00nul \x7fdel \x85nel", "\ufffd\ufffd", "\u202eright\u202c left\u200f", "  two  spaces  ",
    "I'm you're he's we'll they'd I've don't DON'T 'S 'll'", "it\u2019s \u2018quoted\u2019 \u201ctext\u201d \u2026",
    "3.14 1,000,000 12/31/1999 $5.00 50% #1 @home a_b __init__", "http://www.example.org/a?b=c&d=%20 me@example.org",
    "\u4f60\u597d\u4e16\u754c hello \u3053\u3093\u306b\u3061\u306f",
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd", "\u0928\u092e\u0938\u094d\u0924\u0947",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u2460\u2461 \u00bd \u00b2 \u2075 \u2167",
    "\uff28\uff45\uff4c\uff4c\uff4f \uff11\uff12", "\U0001d4d7\U0001d4ee\U0001d4f5\U0001d4f8", "-", "", " ",
    "\u3000", "[CLS] [MASK] <mask> <s> </s> <|endoftext|> <pad>", "\u2581under \u2581\u2581", "##piece ## #",
    "w" * 150, "a" + "\u0301" * 40, "...!!!???---===", "\u0149 \u01c5 \u1fb3 \u0390", "\u212a \u212b \u2126",
]


def make_lines(text):
    rng = random.Random(1)
    source = [line.strip() for line in open(text, encoding="utf-8") if 20 < len(line) < 4000]
    out = list(HARD)
    while len(out) < LINES:
        if len(out) % 5 == 0:
            block = [rng.choice(BLOCKS) for _ in range(rng.randint(1, 4))]
            chars = [chr(rng.randint(*rng.choice(block))) for _ in range(rng.randint(1, 14))]
            if rng.random() < 0.4:
                chars.insert(rng.randrange(len(chars)), rng.choice([" ", "  ", rng.choice(HARD)]))
            line = "".join(chars)
        else:
            words = rng.choice(source).split()
            begin = rng.randrange(len(words))
            line = " ".join(words[begin:begin + rng.randint(2, 9)])
            if rng.random() < 0.1:
                line = rng.choice([line.upper(), "  " + line, line + " ", line.replace(" ", "  ")])
        out.append(line.replace("\n", " "))
    return out


def write_ids(path, rows):
    data = b"".join(struct.pack(f"<{len(row) + 1}H", len(row), *row) for row in rows)
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def byte_level(folder, texts, special):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=special, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False))
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.model.save(str(folder))
    plain = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return plain


def word_piece(folder, texts):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(
        vocab_size=SIZE, special_tokens=special, limit_alphabet=200, show_progress=False))
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("\n".join(name for name, _ in names) + "\n", encoding="utf-8")
    plain = Tokenizer(models.WordPiece.from_file(str(folder / "vocab.txt"), unk_token="[UNK]"))
    plain.normalizer, plain.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    return plain


def unigram(folder, texts):
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_prefix=str(folder / "spiece"), vocab_size=SIZE, pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, character_coverage=0.995, hard_vocab_limit=False, num_threads=2, minloglevel=2)
    (folder / "spiece.vocab").unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model"))


def make_tokenizers(lines, output):
    english = [line for line in lines if line.isascii()]
    mixed = english + lines[:len(HARD)] * 3 + [line for line in lines if not line.isascii()][:300]
    bpe = byte_level(output / "bpe", mixed, ["<s>", "<pad>", "</s>", "<unk>", "<|endoftext|>", "<mask>"])
    pieces = word_piece(output / "wordpiece", mixed)
    spiece = unigram(output / "unigram", [line for line in mixed if line.strip()])
    (output / "lines.txt.gz").write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    write_ids(output / "bpe.ids.gz", [bpe.encode(line, add_special_tokens=False).ids for line in lines])
    write_ids(output / "wordpiece.ids.gz", [pieces.encode(line, add_special_tokens=False).ids for line in lines])
    write_ids(output / "unigram.ids.gz", [spiece.encode(line) for line in lines])
    return bpe, pieces, spiece


def models():
    import transformers as t

    v = SIZE
    yield "roberta", t.RobertaForMaskedLM, t.RobertaConfig(
        vocab_size=v, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=34, type_vocab_size=1, bos_token_id=0, pad_token_id=1, eos_token_id=2,
        layer_norm_eps=1e-5)
    yield "bert", t.BertForMaskedLM, t.BertConfig(
        vocab_size=v, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32,
        max_position_embeddings=32)
    yield "distilbert", t.DistilBertForMaskedLM, t.DistilBertConfig(
        vocab_size=v, dim=16, n_layers=2, n_heads=2, hidden_dim=32, max_position_embeddings=32)
    yield "gpt2", t.GPT2LMHeadModel, t.GPT2Config(
        vocab_size=v, n_embd=16, n_layer=2, n_head=2, n_positions=32, bos_token_id=4, eos_token_id=4)
    t5 = dict(vocab_size=v, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_decoder_layers=2, num_heads=2,
              relative_attention_num_buckets=8, relative_attention_max_distance=16, decoder_start_token_id=0)
    yield "t5", t.T5ForConditionalGeneration, t.T5Config(**t5, feed_forward_proj="relu", tie_word_embeddings=True)
    yield "flan-t5", t.T5ForConditionalGeneration, t.T5Config(
        **t5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)


TOKENIZER_FILES = {"roberta": "bpe", "gpt2": "bpe", "bert": "wordpiece", "distilbert": "wordpiece", "t5": "unigram",
                   "flan-t5": "unigram"}


def widen(model):
    """Standard initialisation is so small that a wrong bias or norm would hide below the tolerance."""
    import torch

    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 1:
                parameter.add_(0.2 * noise)
            else:
                parameter.copy_(0.25 * noise)


def untie(folder, hidden):
    """transformers 5 ties the output matrix whatever the configuration says; published Flan-T5 checkpoints have their own
    (lm_head.weight, unscaled). Gives the checkpoint one and computes its logits."""
    import numpy as np
    import torch
    from safetensors.torch import load_file, save_file

    tensors, expected = load_file(folder / "model.safetensors"), load_file(folder / "expected.safetensors")
    noise = np.random.default_rng(3).standard_normal(tuple(tensors["shared.weight"].shape))
    tensors["lm_head.weight"] = torch.from_numpy((0.25 * noise).astype(np.float32))
    expected["logits"] = hidden @ tensors["lm_head.weight"].T
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    save_file(expected, folder / "expected.safetensors")
    config = json.loads((folder / "config.json").read_text())
    config["tie_word_embeddings"] = False
    config.pop("scale_decoder_outputs", None)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def make_models(output):
    import torch
    from safetensors.torch import save_file

    for name, kind, config in models():
        torch.manual_seed(1)
        config.architectures = [kind.__name__]
        model = kind(config).eval()
        widen(model)
        folder = output / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        for file in (output / "tokenizers" / TOKENIZER_FILES[name]).iterdir():
            if file.name != "spiece.model":   # large; the test takes the one of tokenizers/unigram
                shutil.copy(file, folder)
        generator = torch.Generator().manual_seed(2)
        ids = torch.randint(6, SIZE - 20, (2, 9), generator=generator)
        mask = torch.ones_like(ids)
        inputs = {"input_ids": ids, "attention_mask": mask}
        if name != "gpt2":
            pad = config.pad_token_id or 0
            ids[1, 6:], mask[1, 6:] = pad, 0
        if "t5" in name:
            inputs["decoder_input_ids"] = torch.cat(
                [torch.zeros(2, 1, dtype=torch.long), torch.randint(6, SIZE - 20, (2, 5), generator=generator)], 1)
        with torch.no_grad():
            result = model(**inputs, output_hidden_states=True)
        hidden = result.decoder_hidden_states[-1] if "t5" in name else result.hidden_states[-1]
        save_file({**inputs, "hidden": hidden.contiguous(), "logits": result.logits.contiguous()},
                  folder / "expected.safetensors")
        if name == "flan-t5":
            untie(folder, hidden)
        print(name, sum(p.numel() for p in model.parameters()), "parameters, logits", tuple(result.logits.shape))


def main(text, output):
    output = Path(output)
    make_tokenizers(make_lines(text), output / "tokenizers")
    make_models(output)


if __name__ == "__main__":
    main(*sys.argv[1:3])

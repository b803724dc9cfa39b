#!/usr/bin/env python3
"""Makes the fixtures of the tokenizer tests with the reference libraries.

    pip install tokenizers==0.23.3 sentencepiece==0.2.0 protobuf zstandard
    make.py lines TEXT      lines.zst from a public-domain text (one paragraph per line) and generated lines
    make.py reference       everything else from lines.zst

lines.zst    the lines: for each a 16-bit length, little-endian, and its bytes, which need not be valid UTF-8
ids.zst      for each line and each tokenizer of TOKENIZERS a 16-bit count and the 16-bit ids
xlm-ids.zst  the same for the first 500 lines and the tokenizer xlm-roberta
blocks.txt   for each 4,096 code points, digests of what the reference makes of them; see write_blocks
NAME/        the tokenizers, about 1,000 tokens each, files compressed
"""
import hashlib
import io
import json
import pathlib
import random
import struct
import sys

import sentencepiece
import tokenizers
import zstandard
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
LINES = 10000
WRITTEN = 6500  # lines of prose; the others are torture lines
TOKENIZERS = ["gpt2", "roberta", "bert-uncased", "bert-cased", "t5-json", "t5-spiece"]
SPECIAL_BPE = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
SPECIAL_BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

# Each entry was chosen because some step of some tokenizer treats it specially.
WORDS = """don't I'll they've we're she'd it's I'm 'tis o'clock don’t I’ll they’ve ʼn rock‘n’roll ＇s ´s `s 'S 'T 'LL ''s
 ''''ve 's 't 're 've 'm 'll 'd 'x naïve café résumé Ångström ÀÉÎÕÜ Çà fiancée cooperate coöperate Zoë façade
 İstanbul ısı IĞDIR ığdır Iİıi ÇIĞ ﬁnd eﬀect oﬃce ﬂow ﬅop ﬆ ĳs ǆ ǅ Ǆ ŉ ß ẞ STRASSE straße ſo Σίσυφος ΟΔΟΣ ὈΔΥΣΣΕΎΣ
 ᾼ ΐ Привет МИР ёж Ёж й Й עברית שָׁלוֹם العربية كِتَاب ٱلْعَرَبِيَّة लिखना क्षेत्र हिन्दी தமிழ் ภาษาไทย ພາສາລາວ မြန်မာ ខ្មែរ བོད་ཡིག
 ქართული Հայերեն አማርኛ ᏣᎳᎩ ᏸᏹ Ꭰ 日本語 ひらがな カタカナ ｶﾀｶﾅ 中文字符 漢字かな混じり文 豈更車 한국어 조선말 ㄅㄆㄇ ᄀ각 𠀀𠀁 𪜀 𫝀 𬺰 〇 々
 Ａｂｃ ０１２ ½ ⅓ ² ₃ Ⅳ ⅸ ① ㊗ ㍿ ㎏ ١٢٣ ۴۵۶ १२३ ๑๒๓ 𝟘𝟙𝟚 𝔘𝔫𝔦 𝒞 ℌ ℕ Ω Å K µ μ ª º № ™ © ® ° § ¶ † ‡ • … ‥ — – ‒ ‐ ‑ − ― ⁃
 “quoted” ‘single’ «fr» „de“ ‹x› 「日」 『本』 ¿qué? ¡hola! ‽ ⸮ ؟ ، ؛ 。 、 ！ ？ ~ ^ ` | < > = + $ € £ ¥ ₿ ¢ ¤ % & * @ # _ \\ / { }
 user@example.com https://example.org/a?b=c&d=%20 file.tar.gz v1.2.3-rc4 3.14159 1,000,000 10:30 2026-11-15 C++ C# a_b_c __init__
 😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 🇯🇵🇫🇷 ❤️ ☎︎ ✌🏿 🧑‍🚀 1️⃣ #️⃣ ⌚ ♠ ☃ 🫠 🪿 é é ẹ́ ẹ́ ā́ q̇ a̐éö̲ Z͑ͫ̓ͪ̂ͫ a⃝ x⃗ ‍ ‌
 supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis AaBbCc ALLCAPS mIxEd iPhone eBay McDonald
 <s> </s> <mask> <pad> <unk> [CLS] [SEP] [MASK] [UNK] [PAD] <|endoftext|> <extra_id_0> </S> [mask] < s > <<mask>> ▁ ▁▁a Ġ Ġthe ##ing ##
 𞤀𞤁 𞤢 𐐀𐐨 Ɐ ɐ Ⅎ ǈ ᵃ ᴬ ⓐ ꙮ ꟿ Ꟈ ⱟ ᲀ Გ ა ⸺ ⹃ ᜴ ꠬ ࢘ ࣢ 𑤸 𖿰 ☙ \u061c""".split()
BLANKS = [" ", " ", " ", " ", " ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n", "\n ", "\u00a0", " \u00a0", "\u2003",
          "\u2009", "\u200a", "\u202f", "\u205f", "\u3000", "\u1680", "\u2028", "\u2029", "\u0085", "\v", "\f", "\u200b",
          "\ufeff", "\u2060", "\u180e", "\u00ad", "\u034f", "", "", "-", "'", ",", ". ", "! "]
ODD = [chr(c) for c in range(0x20)] + ["\x7f", "\x80", "\x9f", "\ufffd", "\ufffe", "\uffff", "\ue000", "\U000f0000",
       "\U0010ffff", "\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\ufe0f", "\ufe0e", "\u0301", "\u0308",
       "\u0327", "\u0345", "\u3099", "\u20e3", "\u1ab0", "\U000e0001", "\U000e0067", "\U0001f3fb", "\U0001d165", "\u302e"]
BROKEN = [b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xff", b"\xfe", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\xaf",
          b"\xf4\x90\x80\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xe2\x28\xa1", b"\xf8\x88\x80\x80\x80"]


def torture_line(rng, kind):
    """One torture line; `kind` counts up."""
    if kind % 10 == 0:  # letters from everywhere
        return "".join(chr(rng.choice([rng.randrange(0x20, 0x3000), rng.randrange(0x3000, 0xd800),
                                       rng.randrange(0xe000, 0x20000)])) for _ in range(rng.randrange(1, 12))).encode()
    if kind % 10 == 1:  # invalid UTF-8
        parts = [rng.choice(WORDS).encode() if rng.random() < 0.6 else rng.choice(BROKEN) for _ in range(rng.randrange(1, 7))]
        return rng.choice([b" ", b""]).join(parts)
    if kind % 10 == 2:  # marks and controls inside words
        word = list(rng.choice(WORDS) + rng.choice(BLANKS) + rng.choice(WORDS))
        for _ in range(rng.randrange(1, 5)):
            word.insert(rng.randrange(len(word) + 1), rng.choice(ODD))
        return "".join(word).encode()
    if kind % 500 == 3:  # endless words
        unit = rng.choice(["a", "ab", "é", "日", "x1", "'", "-", " ", "😀", "e\u0301", "\n ", "Ab"])
        return (unit * rng.choice([50, 99, 100, 101, 200, 500])).encode()
    line = rng.choice(["", "", "", " ", "  ", "\n", "\t", "\u00a0"])
    for _ in range(rng.randrange(1, 7)):
        line += rng.choice(WORDS) + rng.choice(BLANKS)
    return line.encode()


def write_lines(source):
    rng = random.Random(20240229)
    prose = []
    with open(source, encoding="utf-8") as text:
        for paragraph in text:
            paragraph = paragraph.strip()
            if len(paragraph) >= 60:
                prose.append(paragraph)
    lines = []
    for paragraph in rng.sample(prose, WRITTEN):
        start = rng.choice([0, 0, paragraph.find(" ", rng.randrange(len(paragraph) - 40)) + 1])
        lines.append(paragraph[start:start + rng.randrange(10, 46)].encode())
    lines += [b"", b" ", b"\n", b"\x00"]
    kind = 0
    while len(lines) < LINES:
        lines.append(torture_line(rng, kind))
        kind += 1
    rng.shuffle(lines)
    packed = b"".join(struct.pack("<H", len(line)) + line for line in lines)
    write_compressed(HERE / "lines.zst", packed)


def read_lines():
    packed = zstandard.ZstdDecompressor().stream_reader((HERE / "lines.zst").read_bytes()).read()
    lines, at = [], 0
    while at < len(packed):
        (size,) = struct.unpack_from("<H", packed, at)
        lines.append(packed[at + 2:at + 2 + size])
        at += 2 + size
    return lines


def write_compressed(file, data):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(zstandard.ZstdCompressor(level=22).compress(data))


def train_bpe(texts):
    """One byte-level model, read as GPT-2 does (vocab.json, merges.txt) and as RoBERTa does (tokenizer.json)."""
    base = tokenizers.Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=1000, special_tokens=SPECIAL_BPE,
                             initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(base.to_str())["model"]
    write_compressed(HERE / "gpt2/vocab.json.zst", json.dumps(model["vocab"]).encode())
    merges = "#version: 0.2\n" + "".join(" ".join(merge) + "\n" for merge in model["merges"])
    write_compressed(HERE / "gpt2/merges.txt.zst", merges.encode())

    def variant(prefix):
        variant = tokenizers.Tokenizer(models.BPE(model["vocab"], [tuple(merge) for merge in model["merges"]]))
        variant.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        variant.decoder = decoders.ByteLevel()
        ids = model["vocab"]
        variant.post_processor = processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]), True, prefix)
        variant.add_special_tokens([tokenizers.AddedToken(s, lstrip=s == "<mask>", normalized=False) for s in SPECIAL_BPE])
        return variant
    roberta = variant(True)
    write_compressed(HERE / "roberta/tokenizer.json.zst", roberta.to_str().encode())
    return variant(False), roberta


def train_word_piece(texts):
    """One vocabulary, read lower-cased (tokenizer.json) and cased (vocab.txt with tokenizer_config.json)."""
    def make(model, **settings):
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.normalizer = normalizers.BertNormalizer(**settings)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        return tokenizer
    base = make(models.WordPiece(unk_token="[UNK]"), lowercase=False, strip_accents=False)
    base.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=1200, special_tokens=SPECIAL_BERT,
                             limit_alphabet=400, show_progress=False))
    vocabulary = base.get_vocab()

    def finished(**settings):
        tokenizer = make(models.WordPiece(vocabulary, unk_token="[UNK]"), **settings)
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(s, vocabulary[s]) for s in ("[CLS]", "[SEP]")])
        tokenizer.add_special_tokens(SPECIAL_BERT)
        return tokenizer
    uncased = finished(lowercase=True)
    cased = finished(lowercase=False)
    write_compressed(HERE / "bert-uncased/tokenizer.json.zst", uncased.to_str().encode())
    words = sorted(vocabulary, key=vocabulary.get)
    write_compressed(HERE / "bert-cased/vocab.txt.zst", "".join(word + "\n" for word in words).encode())
    write_compressed(HERE / "bert-cased/tokenizer_config.json.zst", b'{"do_lower_case": false}')
    return uncased, cased


def train_unigram(texts):
    """One sentencepiece model, in its own format and as a tokenizer.json of the older form that T5's have."""
    from sentencepiece import sentencepiece_model_pb2
    packed = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=packed, vocab_size=1200, character_coverage=0.98, pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, minloglevel=2)
    write_compressed(HERE / "t5-spiece/spiece.model.zst", packed.getvalue())
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(packed.getvalue())
    fast = tokenizers.Tokenizer(models.Unigram([(p.piece, p.score) for p in proto.pieces], unk_id=2))
    fast.normalizer = normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap)
    fast.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    fast.decoder = decoders.Metaspace()
    fast.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    fast.add_special_tokens(["<pad>", "</s>", "<unk>"])
    write_compressed(HERE / "t5-json/tokenizer.json.zst", fast.to_str().encode())
    return fast, sentencepiece.SentencePieceProcessor(model_proto=packed.getvalue())


def train_xlm_roberta(texts):
    """A sentencepiece model with the ids that XLM-RoBERTa gives to its pieces."""
    packed = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=packed, vocab_size=800, model_type="bpe", character_coverage=0.98,
        normalization_rule_name="identity", minloglevel=2)
    write_compressed(HERE / "xlm-roberta/sentencepiece.bpe.model.zst", packed.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=packed.getvalue())


def around_special(text, special, encode):
    """Ids of a text whose special tokens are found before the model sees it; <mask> absorbs preceding
    blanks."""
    finder = tokenizers.Tokenizer(models.WordLevel({"?": 9999}, unk_token="?"))
    finder.add_special_tokens([tokenizers.AddedToken(s, lstrip=s == "<mask>", normalized=False) for s in special])
    names = {finder.token_to_id(s): s for s in special}
    ids, at = [], 0
    encoding = finder.encode(text)
    for token, (begin, end) in zip(encoding.ids, encoding.offsets):
        if token in names:
            ids += encode(text[at:begin]) + [special[names[token]]]
            at = end
    return ids + encode(text[at:])


def t5_ids(processor, text):
    return around_special(text, {"<pad>": 0, "</s>": 1, "<unk>": 2}, processor.encode) + [1]


def xlm_ids(processor, text):
    special = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": len(processor) + 1}

    def encode(part):
        return [3 if piece == 0 else piece + 1 for piece in processor.encode(part)]
    return [0] + around_special(text, special, encode) + [2]


def write_blocks():
    """One line per block: its first code point and one digest per column, over the code points of the block.
    Digested, joined by line feeds: the class in GPT-2's pattern; the normalized form as in BERT uncased; with
    case and accents; in lower case with accents; the number of BERT words in "aXa"."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bert_words = pre_tokenizers.BertPreTokenizer()
    uncased = normalizers.BertNormalizer()
    cased = normalizers.BertNormalizer(lowercase=False)
    lower = normalizers.BertNormalizer(strip_accents=False)

    def pattern_class(c):
        for name, start in (("letter", "a"), ("number", "1"), ("other", "!")):
            if len(byte_level.pre_tokenize_str(start + c)) == 1:
                return name
        return "space"
    columns = [pattern_class, uncased.normalize_str, cased.normalize_str, lower.normalize_str,
               lambda c: str(len(bert_words.pre_tokenize_str("a" + c + "a")))]
    with open(HERE / "blocks.txt", "w", encoding="ascii") as out:
        for block in range(0, 0x110000, 4096):
            points = [chr(c) for c in range(block, block + 4096) if not 0xd800 <= c < 0xe000]
            digests = [hashlib.sha256("\n".join(map(column, points)).encode()).hexdigest()[:8] for column in columns]
            out.write(" ".join(["%06x" % block] + digests) + "\n")


def write_ids(name, lists_of_lines):
    packed = bytearray()
    for lists in lists_of_lines:
        for ids in lists:
            packed += struct.pack("<H%dH" % len(ids), len(ids), *ids)
    write_compressed(HERE / name, bytes(packed))


def write_reference():
    lines = [line.decode("utf-8", "replace") for line in read_lines()]
    gpt2, roberta = train_bpe(lines)
    uncased, cased = train_word_piece(lines)
    t5, spiece = train_unigram([line.replace("\0", "") for line in lines])
    write_ids("ids.zst", [[t.encode(line).ids for t in (gpt2, roberta, uncased, cased, t5)] + [t5_ids(spiece, line)]
                          for line in lines])
    xlm = train_xlm_roberta([line.replace("\0", "") for line in lines])
    write_ids("xlm-ids.zst", [[xlm_ids(xlm, line)] for line in lines[:500]])
    write_blocks()


if __name__ == "__main__":
    if sys.argv[1] == "lines":
        write_lines(sys.argv[2])
    else:
        write_reference()

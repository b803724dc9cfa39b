"""Files as people have them: compressed by four programs, in any encoding, in every format, in and out."""

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import time

import pytest
from conftest import refused, sentences, stopped_midway
from packing import PACK, UNPACK, unzstd
from test_memory import peak_so_far

USAGE, FAILED = 2, 1
COMPRESSED = [extension for extension in PACK if extension]

LINES = sentences(40).splitlines()


def as_csv(delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([["id", "text", "città"], *([str(i), line.replace("\t", " "), "Zürich"] for i, line in enumerate(LINES))])
    return out.getvalue()


CONTENT = {
    "txt": "\n".join(LINES) + "\n",
    "csv": as_csv(","),
    "tsv": as_csv("\t").replace('"', ""),
    "jsonl": "".join(json.dumps({"id": i, "text": line, "city": "Zürich"}, ensure_ascii=False) + "\n" for i, line in enumerate(LINES)),
}


def field(kind):
    return [] if kind == "txt" else ["--field", "text"]


def command(program, key, *arguments):
    return ["privatize", *arguments, "--model", program.model, "--epsilon", "1", "--key-file", key, "--quiet"]


def output_of(program, name):
    return (program.folder / name).read_bytes()


def plain_output(program, key, kind):
    """What a run over the plain UTF-8 file writes."""
    name = program.write(f"in.{kind}", CONTENT[kind])
    return program.ok(*command(program, key, name, *field(kind))).out


# --- compression ---

@pytest.mark.parametrize("extension", COMPRESSED)
@pytest.mark.parametrize("kind", CONTENT)
def test_compressed_in_and_out(program, key, kind, extension):
    expected = plain_output(program, key, kind)
    program.write(f"in.{kind}{extension}", PACK[extension](CONTENT[kind].encode()))
    program.ok(*command(program, key, f"in.{kind}{extension}", *field(kind), "-o", f"out.{kind}{extension}"))
    packed = output_of(program, f"out.{kind}{extension}")
    assert UNPACK[extension](packed) == expected and packed != expected
    assert extension != ".gz" or packed[3:8] == bytes(5)  # neither a name nor a time
    program.ok(*command(program, key, f"in.{kind}{extension}", *field(kind), "-o", f"out.{kind}{extension}", "--threads", "3"))
    assert output_of(program, f"out.{kind}{extension}") == packed


@pytest.mark.parametrize("into", PACK)
@pytest.mark.parametrize("extension", PACK)
def test_from_one_compression_to_another(program, key, extension, into):
    expected = plain_output(program, key, "txt")
    program.write(f"in.txt{extension}", PACK[extension](CONTENT["txt"].encode()))
    program.ok(*command(program, key, f"in.txt{extension}", "-o", f"out{into}"))
    assert UNPACK[into](output_of(program, f"out{into}")) == expected


@pytest.mark.parametrize("extension", COMPRESSED)
def test_by_content(program, key, extension):
    """Whatever the name, and on standard input; several files in one; the output is plain where no name says otherwise."""
    lines = CONTENT["txt"].encode().splitlines(keepends=True)
    packed = PACK[extension](b"".join(lines[:7])) + PACK[extension](b"".join(lines[7:]))
    expected = plain_output(program, key, "txt")
    program.write("in.txt", packed)
    assert program.ok(*command(program, key, "in.txt")).out == expected
    assert program.ok(*command(program, key, "--dataset", "in.txt"), stdin=packed).out == expected


@pytest.mark.parametrize("extension", COMPRESSED)
def test_standard_input_byte_by_byte(program, key, extension):
    packed = PACK[extension](b"The soup was cold.\n")
    process = program.start(*command(program, key), stdin=subprocess.PIPE)
    for byte in packed:
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    assert process.communicate(timeout=60)[0].count(b"\n") == 1 and process.returncode == 0


@pytest.mark.parametrize("extension", COMPRESSED)
def test_nothing_compressed_is_a_file_too(program, key, extension):
    program.write(f"in.txt{extension}", PACK[extension](b""))
    program.ok(*command(program, key, f"in.txt{extension}", "-o", f"out{extension}"))
    assert UNPACK[extension](output_of(program, f"out{extension}")) == b"" != output_of(program, f"out{extension}")


@pytest.mark.parametrize("extension", COMPRESSED)
def test_shards_of_a_compressed_file(program, key, extension):
    program.write("in.csv", CONTENT["csv"])
    program.write(f"in.csv{extension}", PACK[extension](CONTENT["csv"].encode()))
    expected = program.ok(*command(program, key, "in.csv", *field("csv"))).out
    together = b""
    for i in range(1, 4):
        program.ok(*command(program, key, f"in.csv{extension}", *field("csv"), "--shard", f"{i}/3", "-o", f"out{i}{extension}"))
        together += output_of(program, f"out{i}{extension}")  # members one after another are one file
        plain = program.ok(*command(program, key, "in.csv", *field("csv"), "--shard", f"{i}/3")).out
        assert UNPACK[extension](output_of(program, f"out{i}{extension}")) == plain != b""
    assert UNPACK[extension](together) == expected


@pytest.mark.parametrize("extension", COMPRESSED)
def test_resume_with_compressed_files(program, key, extension):
    content = sentences(3000).encode() * 8
    program.write(f"in.txt{extension}", PACK[extension](content))
    line = command(program, key, f"in.txt{extension}", "--threads", "1")
    program.ok(*line, "-o", f"whole{extension}")
    line += ["-o", f"out{extension}", "--resume"]
    process = stopped_midway(program, line, signal.SIGINT, f"out{extension}",
                             lambda: (program.folder / f"out{extension}.partial").exists())
    assert process.returncode == FAILED
    program.ok(*line)
    assert output_of(program, f"out{extension}") == output_of(program, f"whole{extension}")
    assert [name for name in program.files() if name.startswith("out")] == [f"out{extension}"]


def test_a_bomb_takes_no_memory(program):
    """70 megabytes of short lines, and a single line of a gigabyte, from files of a megabyte at most."""
    program.write("lines.gz", gzip.compress(b"the soup\n" * (1 << 17), mtime=0) * 60)
    program.write("line.gz", gzip.compress(b"a" * (1 << 20), mtime=0) * 1000)
    refused(program, ["privatize", "line.gz", "--model", program.model, "--epsilon", "1", "-o", "out"], FAILED,
            ["line.gz: record 1", "--max-document-bytes"])
    process = program.start("privatize", "lines.gz", "--model", program.model, "--epsilon", "1", "-o", "/dev/null",
                            "--threads", "1")
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_so_far(process))
        time.sleep(0.01)
    process.communicate()
    assert process.returncode == 0 and 0 < peak < 200 << 20


@pytest.mark.parametrize("extension", COMPRESSED)
@pytest.mark.parametrize("name, damage, said", [
    ("in.txt", lambda data: data[:-9], ["ends too early, after", "bytes"]),
    ("in.txt", lambda data: data + b"garbage after it", ["damaged", "near byte"]),
    ("in.txt", lambda data: b"plain text\n", None),
    ("in.txt", lambda data: b"", None),
], ids=["cut", "garbage", "plain", "empty"])
def test_damaged(program, key, extension, name, damage, said):
    data = damage(PACK[extension](CONTENT["txt"].encode()))
    program.write(name + extension, data)
    refused(program, command(program, key, name + extension, "-o", "out"), FAILED,
            [name + extension, *(said or ["though its name says"])])


# --- encodings ---

# name for the program, codec, bytes at the beginning
ENCODINGS = [
    ("utf-8", "utf-8", b""), ("UTF-8", "utf-8", codecs.BOM_UTF8), ("utf-16", "utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16", "utf-16-be", codecs.BOM_UTF16_BE), ("utf-16le", "utf-16-le", b""), ("utf-16be", "utf-16-be", b""),
    ("latin-1", "latin-1", b""), ("windows-1252", "cp1252", b""), ("ISO-8859-15", "iso-8859-15", b""), ("utf-32", "utf-32-le", codecs.BOM_UTF32_LE),
]


@pytest.mark.parametrize("name, codec, mark", ENCODINGS, ids=lambda value: value if isinstance(value, str) else value.hex())
@pytest.mark.parametrize("kind", CONTENT)
def test_encodings(program, key, kind, name, codec, mark):
    expected = plain_output(program, key, kind).decode()
    program.write(f"in.{kind}", mark + CONTENT[kind].encode(codec))
    line = command(program, key, f"in.{kind}", *field(kind), "--encoding", name)
    assert program.ok(*line).out == mark + expected.encode(codec)
    utf8 = (codecs.BOM_UTF8 if mark else b"") + expected.encode()
    assert program.ok(*line, "--output-encoding", "utf-8").out == utf8
    # Piped and compressed both ways.
    line[1] = "--dataset"
    line.insert(2, f"in.{kind}")
    line += ["--format", {"txt": "text"}.get(kind, kind)]
    program.ok(*line, "-o", "out.gz", stdin=bz2.compress(mark + CONTENT[kind].encode(codec)))
    assert gzip.decompress(output_of(program, "out.gz")) == mark + expected.encode(codec)


def test_shards_in_another_encoding(program, key):
    program.write("in.txt", codecs.BOM_UTF16_BE + CONTENT["txt"].encode("utf-16-be"))
    line = command(program, key, "in.txt", "--encoding", "utf-16")
    parts = [program.ok(*line, "--shard", f"{i}/3").out for i in (1, 2, 3)]
    assert b"".join(parts) == program.ok(*line).out and all(parts)


def test_an_output_encoding_of_its_own(program, key):
    expected = plain_output(program, key, "csv").decode()
    line = command(program, key, "in.csv", *field("csv"))
    assert program.ok(*line, "--output-encoding", "latin-1").out == expected.encode("latin-1")
    assert program.ok(*line, "--output-encoding", "utf-16").out == codecs.BOM_UTF16_LE + expected.encode("utf-16-le")


def test_encoding_in_a_configuration_file(program, key):
    expected = plain_output(program, key, "txt")
    program.write("in.txt", CONTENT["txt"].encode("cp1252"))
    program.write("c.yaml", "encoding: windows-1252\noutput-encoding: utf-8\n")
    assert program.ok(*command(program, key, "in.txt", "--config", "c.yaml")).out == expected


FRENCH = "Le café à côté est fermé le samedi, déjà.\n" * 20
REFUSED = [
    ("latin-1", FRENCH.encode("latin-1"), [], FAILED, ["in.txt: not UTF-8: ", "looks like latin-1, give --encoding latin-1"]),
    ("windows-1252", "“It’s cold,” he said.\n".encode("cp1252") * 9, [], FAILED, "give --encoding windows-1252"),
    ("UTF-16", FRENCH.encode("utf-16"), [], FAILED, "give --encoding utf-16\n"),
    ("UTF-16 without a mark", FRENCH.encode("utf-16-le"), [], FAILED, "give --encoding utf-16le"),
    ("UTF-16, big-endian", FRENCH.encode("utf-16-be"), [], FAILED, "give --encoding utf-16be"),
    ("compressed latin-1", gzip.compress(FRENCH.encode("latin-1")), [], FAILED, "give --encoding latin-1"),
    ("Cyrillic", "Привет, мир.\n".encode("cp1251") * 9, [], FAILED, "say with --encoding what it is"),
    ("a program", open("/bin/true", "rb").read()[:5000], [], FAILED, ["in.txt: record 1", "NUL byte"]),
    ("a zip archive", b"PK\x03\x04" + bytes(30), [], FAILED, ["in.txt: is a zip archive", "CSV"]),
    ("Parquet", b"PAR1\x15\x04\x15\x10", [], FAILED, ["in.txt: is a Parquet file", "JSON lines"]),
    ("no mark", FRENCH.encode("utf-16-le"), ["--encoding", "utf-16"], FAILED, ["no byte order mark", "utf-16le or utf-16be"]),
    ("not in the encoding", b"soup \x81\n", ["--encoding", "windows-1252"], FAILED, "in.txt: the content is not windows-1252 at byte 5"),
    ("cut inside a character", FRENCH.encode("utf-16-le")[:-1], ["--encoding", "utf-16le"], FAILED, "ends inside a character of utf-16le"),
    ("wrong encoding", FRENCH.encode("utf-16-le"), ["--encoding", "latin-1"], FAILED, ["in.txt: record 1", "NUL byte"]),
    ("unknown", b"soup\n", ["--encoding", "klingon"], USAGE, ["--encoding: 'klingon'", "windows-1252"]),
    ("instructions", b"soup\n", ["--encoding", "latin1//IGNORE"], USAGE, "--encoding: 'latin1//IGNORE'"),
    ("unknown output", b"soup\n", ["--output-encoding", "x"], USAGE, "--output-encoding: 'x'"),
    ("cannot be written", "soup 日本\n".encode(), ["--output-encoding", "latin-1", "--oov", "keep"], FAILED,
     ["in.txt: records 1 to 1: the output holds a character that latin-1 lacks", "--output-encoding utf-8"]),
]


@pytest.mark.parametrize("content, options, code, said", [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(program, key, content, options, code, said):
    program.write("in.txt", content)
    refused(program, command(program, key, "in.txt", "-o", "out", *options), code, said)


@pytest.mark.parametrize("content", [case[1] for case in REFUSED if case[0] in ("latin-1", "UTF-16")], ids=["latin-1", "UTF-16"])
def test_standard_input_is_checked_too(program, key, content):
    refused(program, command(program, key, "-o", "out"), FAILED, ["standard input: not UTF-8", "--encoding"], stdin=content)


def test_the_second_file_is_checked_before_anything_is_written(program, key):
    program.write("a.txt", "the soup\n")
    program.write("b.txt", FRENCH.encode("latin-1"))
    refused(program, command(program, key, "a.txt", "b.txt"), FAILED, ["b.txt: not UTF-8"])


@pytest.mark.parametrize("content", [b"soup \xff\xfe cold\n", b"the soup was cold\n" * 600 + b"caf\xe9 " * 8 + b"\n"], ids=["two", "few"])
def test_a_small_share_is_still_replaced(program, key, content):
    program.write("in.txt", content)
    out = program.ok(*command(program, key, "in.txt")).out
    assert out.decode().count("\n") == content.count(b"\n")


# --- other commands ---

CORPUS = "She lives in New York City. New York is large. Café society.\n" * 30


@pytest.mark.parametrize("name, content, options", [
    *[(f"c.txt{extension}", PACK[extension](CORPUS.encode()), []) for extension in COMPRESSED],
    ("c.txt", codecs.BOM_UTF8 + CORPUS.encode(), []),
    ("c.txt", CORPUS.encode("utf-16"), ["--encoding", "utf-16"]),
    ("c.txt.bz2", bz2.compress(CORPUS.encode("latin-1")), ["--encoding", "latin-1"]),
], ids=[*COMPRESSED, "mark", "utf-16", "latin-1.bz2"])
def test_corpora(program, name, content, options):
    program.write("plain.txt", CORPUS)
    program.write(name, content)
    program.ok("collocations", "count", "plain.txt", "-o", "plain", "--counts", "plain.counts")
    program.ok("collocations", "count", name, "-o", "table", "--counts", "counts.gz", *options)
    assert gzip.decompress(output_of(program, "counts.gz")) == output_of(program, "plain.counts") != b""
    assert output_of(program, "table") == output_of(program, "plain")
    tokenize = ["collocations", "tokenize", "--phrases", "plain", "--method", "gst"]
    program.ok(*tokenize, name, "-o", "tokens.xz", *options)
    expected = program.ok(*tokenize, "plain.txt").out
    assert lzma.decompress(output_of(program, "tokens.xz")) == expected != b""
    assert program.ok(*tokenize, *options, stdin=content).out == expected


def test_training_reads_the_same_words(program):
    program.write("plain.txt", CORPUS)
    program.write("c.bz2", bz2.compress(CORPUS.encode("latin-1")))
    train = ["train", "vectors", "--dim", "4", "--epochs", "1", "--threads", "1", "--subsampling", "1", "--min-count", "1", "--json"]
    tokens = [json.loads(program.ok(*train, *more).text)["corpus"]["tokens"]
              for more in (["plain.txt", "-o", "a"], ["c.bz2", "--encoding", "latin-1", "-o", "b"])]
    assert tokens[0] == tokens[1] > 0


def test_vectors_compressed_both_ways(program, models):
    program.ok("model", "export", models / "first.safetensors", "-o", "vectors.txt", "--to", "word2vec-text")
    for extension in COMPRESSED:
        program.ok("model", "export", models / "first.safetensors", "-o", f"vectors{extension}", "--to", "word2vec-text")
        assert UNPACK[extension](output_of(program, f"vectors{extension}")) == output_of(program, "vectors.txt")
        program.ok("model", "import", f"vectors{extension}", "-o", "model")


@pytest.mark.parametrize("line, said", [
    ("collocations count c.txt -o table.gz", "a phrase table is used as it is on disk"),
    ("train vectors c.txt -o model.xz", "a model is used as it is on disk"),
    ("model import vectors.txt -o model.bz2", "cannot be compressed"),
    ("collocations count c.txt -o table --encoding x", "--encoding: 'x'"),
    ("train vectors c.txt -o model --encoding x", "--encoding: 'x'"),
])
def test_refused_elsewhere(program, line, said):
    program.write("c.txt", CORPUS)
    program.write("vectors.txt", "soup 1 2\ncold 3 4\nwaiter 5 4\n")
    refused(program, line.split(), USAGE, said)


@pytest.mark.parametrize("line", ["collocations count c.txt -o table", "train vectors c.txt -o model --min-count 1"])
def test_a_corpus_in_another_encoding_is_refused(program, line):
    program.write("c.txt", FRENCH.encode("latin-1"))
    refused(program, line.split(), FAILED, ["c.txt: not UTF-8", "give --encoding latin-1"])


def test_a_compressed_receipt(program, key):
    program.write("in.txt", "the soup\n")
    program.ok(*command(program, key, "in.txt", "-o", "out", "--report", "receipt.json.gz", "--statistics", "counts.json.zst"))
    assert json.loads(gzip.decompress(output_of(program, "receipt.json.gz")))["mechanism"]
    assert json.loads(unzstd(output_of(program, "counts.json.zst")))
    assert os.stat(program.folder / "counts.json.zst").st_mode & 0o077 == 0

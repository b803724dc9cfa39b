"""sotto collocations: counting, tokenizing, inspecting tables, and errors."""

import gzip
import json
import random
import signal
import subprocess
import time

import pytest
from conftest import SANITIZERS, refused, stopped_midway, wait_until_signals_are_caught

USAGE, FAILED = 2, 1
CORPUS = "She lives in New York City.\nNew York is large, Los Angeles too.\n" * 20 + "The cat sat. A dog ran.\n" * 100


@pytest.fixture
def table(program):
    program.write("corpus.txt", CORPUS)
    program.ok("collocations", "count", "corpus.txt", "-o", "p.safetensors", "--quiet")
    return program.folder / "p.safetensors"


def tokens(program, text, *options):
    return program.ok("collocations", "tokenize", "--phrases", "p.safetensors", *options, stdin=text.encode()).text


def test_count_reports_what_it_did(program):
    program.write("corpus.txt", CORPUS)
    report = json.loads(program.ok("collocations", "count", "corpus.txt", "-o", "p.safetensors", "--json").text)
    assert report["documents"] == 140 and report["sentences"] == 240 and report["words"] == 860
    info = json.loads(program.ok("collocations", "info", "p.safetensors", "--verify", "--json", "--top", "3").text)
    assert info["sha256"] == report["sha256"] and info["verified"]
    assert info["phrases"] == report["bigrams"] + report["trigrams"]
    assert info["metadata"]["words"] == "860" and len(info["top"]) == 3
    assert program.files() == ["corpus.txt", "p.safetensors"]


def test_counts_are_sorted_lines(program):
    program.write("corpus.txt", "b a'c b. b a. a-d!\n")
    program.ok("collocations", "count", "corpus.txt", "-o", "p", "--counts", "c.tsv", "--quiet")
    lines = (program.folder / "c.tsv").read_bytes()
    assert lines == b"a\t1\na'c\t1\na'c b\t1\na-d\t1\nb\t3\nb a\t1\nb a'c\t1\nb a'c b\t1\n"
    sort = subprocess.run(["sort"], input=lines, stdout=subprocess.PIPE, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    assert sort.stdout == lines


def test_every_way_in_gives_the_same_table(program):
    program.write("a.txt", CORPUS)
    program.write("a.gz", gzip.compress(CORPUS.encode()))
    program.write("a.jsonl", "".join(json.dumps({"id": 1, "body": line}) + "\n" for line in CORPUS.splitlines()))
    program.write("b.txt", CORPUS[: CORPUS.index("The cat")])
    program.write("c.txt", CORPUS[CORPUS.index("The cat"):])
    ways = [(["a.txt"], {}), (["a.gz"], {}), (["a.jsonl", "--field", "body"], {}), (["b.txt", "c.txt"], {}),
            ([], {"stdin": CORPUS.encode()}), (["a.txt", "--threads", "1", "--memory", "1M"], {}),
            (["--format", "jsonl", "--field", "body"], {"stdin": (program.folder / "a.jsonl").read_bytes()})]
    found = set()
    for arguments, options in ways:
        program.ok("collocations", "count", *arguments, "-o", "t", "--quiet", **options)
        found.add((program.folder / "t").read_bytes())
    assert len(found) == 1


def test_tokenize(program, table):
    text = "She lives in NEW York City, not in Los Angeles.\n\nnew york?\n"
    assert tokens(program, text, "--method", "gst") == \
        "she_lives in new_york_city , not in los_angeles .\n\nnew_york ?\n"
    for method in ("mst", "optimal"):
        assert "new_york_city" in tokens(program, text, "--method", method)
    lines = tokens(program, 'say "new york" \\ \u201chi\u201d\n', "--method", "gst", "--json").splitlines()
    assert [json.loads(line) for line in lines] == \
        [{"tokens": ["say", '"', "new_york", '"', "\\", "\u201c", "hi", "\u201d"]}]


def test_tokenize_keeps_the_order_on_many_threads(program, table):
    draw = random.Random(1)
    lines = [f"{'x' * draw.randrange(30)} new york {number}" for number in range(60000)]
    program.write("in.txt", "\n".join(lines))
    one = program.ok("collocations", "tokenize", "in.txt", "--phrases", table, "--method", "mst", "--threads", "1").out
    four = program.ok("collocations", "tokenize", "in.txt", "--phrases", table, "--method", "mst", "--threads", "4", "-o",
                      "out.txt", "--stats")
    assert (program.folder / "out.txt").read_bytes() == one
    assert one.count(b"\n") == 60000 and one.splitlines()[12345].endswith(b"new_york 12345")
    stats = json.loads(four.err)
    assert stats["documents"] == 60000 and stats["bigrams"] == 60000 and stats["trigrams"] == 0


def test_show(program, table):
    shown = json.loads(program.ok("collocations", "show", "p.safetensors", "new", "york", "--json").text)
    assert {phrase["phrase"] for phrase in shown["phrases"]} >= {"new york", "new york city", "new york is"}
    assert "los angeles" in program.ok("collocations", "show", "p.safetensors", "los").text
    refused(program, ["collocations", "show", "p.safetensors", "New"], FAILED, ["no phrase", "'New'", "lower case"])


COMMAND_LINES = [
    ("count c.txt", ["--output", "missing"]),
    ("count c.txt -o t --min-count 0", ["--min-count", "'0'"]),
    ("count c.txt -o t --min-count x", ["--min-count", "'x'"]),
    ("count c.txt -o t --min-pmi nan", ["--min-pmi", "'nan'"]),
    ("count c.txt -o t --memory 12Q", ["--memory", "'12Q'"]),
    ("count c.txt -o t --memory 64K", ["--memory", "1M"]),
    ("count c.txt -o t --threads 0", ["--threads", "'0'"]),
    ("count c.txt -o t --connectors some", ["--connectors", "'some'", "inside"]),
    ("count c.txt -o t --format csv", ["--format", "'csv'", "jsonl"]),
    ("count c.txt -o t --metadata x", ["--metadata", "'x'", "KEY=VALUE"]),
    ("count c.txt -o c.txt", ["-o", "c.txt", "also an input"]),
    ("count c.txt -o t --counts c.txt", ["--counts", "c.txt", "also an input"]),
    ("count c.txt -o t --counts t", ["--counts", "'t'"]),
    ("count c.txt -o t --min-cuont 3", ["--min-cuont", "--min-count"]),
    ("cuont c.txt -o t", ["'cuont'", "count"]),
    ("tokenize c.txt --phrases p.safetensors", ["--method", "missing"]),
    ("tokenize c.txt --phrases p.safetensors --method best", ["--method", "'best'", "gst", "mst", "optimal"]),
    ("tokenize c.txt --phrases p.safetensors --method gst -o c.txt", ["c.txt", "also an input"]),
    ("info p.safetensors --top x", ["--top", "'x'"]),
    ("info p.safetensors --by size", ["--by", "'size'", "pmi"]),
]


@pytest.mark.parametrize("line, parts", COMMAND_LINES, ids=[line for line, _ in COMMAND_LINES])
def test_wrong_command_lines(program, table, line, parts):
    program.write("c.txt", CORPUS)
    refused(program, ["collocations", *line.split()], USAGE, parts)


RUNS = [
    ("count missing.txt -o t", ["missing.txt"]),
    ("count folder -o t", ["folder", "directory"]),
    ("count binary -o t", ["binary", "line 1", "NUL byte"]),
    ("count c.txt binary -o t", ["binary", "NUL byte"]),
    ("count broken.gz -o t", ["broken.gz"]),
    ("count bad.jsonl -o t", ["bad.jsonl", "line 2", "JSON"]),
    ("count bad.jsonl -o t --field body", ["line 1", "no field 'body'"]),
    ("count c.txt -o no/such/folder/t", ["no/such/folder"]),
    ("count c.txt -o folder", ["folder"]),
    ("count c.txt -o t --counts no/such/folder/t", ["no/such/folder"]),
    ("tokenize c.txt --phrases missing.safetensors --method gst", ["missing.safetensors"]),
    ("tokenize c.txt --phrases missing --method gst", ["missing"]),
    ("tokenize c.txt --phrases c.txt --method gst", ["c.txt"]),
    ("tokenize missing.txt --phrases p.safetensors --method gst", ["missing.txt"]),
    ("tokenize c.txt --phrases p.safetensors --method gst -o no/such/t", ["no/such"]),
    ("info model.safetensors", ["model.safetensors", "no phrases"]),
    ("info cut.safetensors", ["cut.safetensors"]),
    ("info empty", ["empty", "not a safetensors file"]),
    ("info flipped.safetensors --verify", ["flipped.safetensors", "SHA-256"]),
]


@pytest.mark.parametrize("line, parts", RUNS, ids=[line for line, _ in RUNS])
def test_wrong_files(program, table, models, line, parts):
    program.write("c.txt", CORPUS)
    (program.folder / "folder").mkdir()
    program.write("binary", b"\x7fELF\x02\x01\x01" + bytes(300))
    program.write("broken.gz", gzip.compress(CORPUS.encode())[:60])
    program.write("bad.jsonl", '{"text": "a"}\n{"text": "a", }\n')
    program.write("empty", b"")
    content = table.read_bytes()
    program.write("cut.safetensors", content[: len(content) // 2])
    program.write("flipped.safetensors", content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    (program.folder / "model.safetensors").write_bytes((models / "first.safetensors").read_bytes())
    refused(program, ["collocations", *line.split()], FAILED, parts)


def test_invalid_utf8_is_read(program):
    program.write("c.txt", b"new york. \xff\xfe new york.\n" * 10 + b"filler text.\n" * 2000)
    report = json.loads(program.ok("collocations", "count", "c.txt", "-o", "t", "--json").text)
    assert report["words"] == 4040


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_leaves_nothing(program, number):
    draw = random.Random(2)
    program.write("c.txt", "".join(" ".join(f"w{'abcdefgh'[draw.randrange(8)] * draw.randrange(9)}"
                                            for _ in range(40)) + "\n" for _ in range(40000)))
    stopped_midway(program, ["collocations", "count", "c.txt", "-o", "out", "--memory", "1M"], number)
    assert program.files() == ["c.txt"]


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.skipif(
    "thread" in SANITIZERS, reason="its handlers run when a thread leaves a wait, and the first waits for the one that reads"))])
def test_waiting_for_standard_input_can_be_interrupted(program, threads):
    process = program.start("collocations", "count", "-o", "t", "--threads", str(threads), stdin=subprocess.PIPE)
    wait_until_signals_are_caught(process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == FAILED
    assert program.files() == []


def test_a_closed_pipe_ends_quietly(program, table):
    program.write("in.txt", "new york\n" * 200000)
    process = program.start("collocations", "tokenize", "in.txt", "--phrases", "p.safetensors", "--method", "gst")
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == -signal.SIGPIPE

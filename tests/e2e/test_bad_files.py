"""Bad inputs and outputs that cannot be written: one line, exit code 1 (2 if the command line is to blame),
and neither a file under the output's name nor any other."""

import json
import os
import resource
import shlex
import signal
import subprocess

import pytest
from conftest import refused, sentences, size_of, stopped_midway

USAGE, FAILED = 2, 1
GOOD = '{"id": 1, "text": "The soup was cold."}\n'

# (name of the case, file name, content, options, parts of the message)
CONTENTS = [
    ("NUL byte", "in.txt", b"The soup\nwas c\0ld\n", "", ["in.txt: record 2", "NUL byte"]),
    ("program", "in.txt", b"\x7fELF\x02\x01\x01" + bytes(300), "", ["in.txt: record 1", "NUL byte"]),
    ("UTF-16", "in.txt", "The soup\nwas cold\n".encode("utf-16"), "", ["in.txt: not UTF-8", "--encoding utf-16"]),
    ("UTF-16 JSON", "in.jsonl", GOOD.encode("utf-16"), "--field text", ["in.jsonl: not UTF-8", "--encoding utf-16"]),
    ("UTF-16 CSV", "in.csv", "id,text\n1,a\n".encode("utf-16"), "--field text", ["in.csv: not UTF-8", "--encoding utf-16"]),
    ("long line", "in.txt", "soup " * 3000 + "\n", "--max-document-bytes 1K",
     ["record 1", "15000 bytes", "--max-document-bytes"]),
    ("long second line", "in.txt", "soup\n" + "soup " * 300 + "\n", "--max-document-bytes 1K", "record 2"),
    ("line without end", "in.txt", b"x" * 3_000_000, "--max-document-bytes 1M", ["record 1", "--max-document-bytes"]),
    ("long JSON document", "in.jsonl", json.dumps({"text": "soup " * 300}), "--field text --max-document-bytes 1K",
     ["record 1", "1500 bytes"]),
    ("endless JSON record", "in.jsonl", json.dumps({"text": "", "other": "x" * 3_000_000}),
     "--field text --max-document-bytes 1K", ["record 1", "--max-document-bytes"]),
    ("long CSV document", "in.csv", "text\n" + "soup " * 300 + "\n", "--field text --max-document-bytes 1K", "record 1"),
    ("bad JSON", "in.jsonl", GOOD + '{"text": "a", }\n', "--field text", ["record 2", "not a JSON object"]),
    ("cut JSON", "in.jsonl", GOOD + '{"text": "a', "--field text", ["record 2", "not a JSON object"]),
    ("malformed value of another field", "in.jsonl", '{"text": "a", "n": 01x}\n', "--field text", "record 1"),
    ("JSON array", "in.jsonl", '["text"]\n', "--field text", ["record 1", "not a JSON object"]),
    ("JSON string", "in.jsonl", '"text"\n', "--field text", ["record 1", "not a JSON object"]),
    ("JSON over several lines", "in.jsonl", '{\n"text": "a"\n}\n', "--field text", ["record 1", "not a JSON object"]),
    ("something after the JSON", "in.jsonl", '{"text": "a"} {"text": "b"}\n', "--field text",
     ["record 1", "follows the JSON object"]),
    ("text is a number", "in.jsonl", '{"text": 5}\n', "--field text", ["record 1", "'text' is not a string"]),
    ("text is an object", "in.jsonl", '{"text": {"a": "b"}}\n', "--field text", "'text' is not a string"),
    ("text twice", "in.jsonl", '{"text": "a", "text": "b"}\n', "--field text", "'text' occurs twice"),
    ("no such field", "in.jsonl", GOOD + '{"body": "a"}\n', "--field text", ["record 2", "no field 'text'"]),
    ("no such id field", "in.jsonl", GOOD + '{"text": "a"}\n', "--field text --id-field id", ["record 2", "no id field 'id'"]),
    ("id is a list", "in.jsonl", '{"text": "a", "id": [1]}\n', "--field text --id-field id",
     ["record 1", "'id' is not a string or a number"]),
    ("id is null", "in.jsonl", '{"text": "a", "id": null}\n', "--field text --id-field id", "cannot be the id"),
    ("too many columns", "in.csv", "id,text\n1,a\n2,b,c\n", "--field text", ["record 2", "3 columns", "has 2"]),
    ("too few columns", "in.csv", "id,text\n1\n", "--field text", ["record 1", "1 column where"]),
    ("too many tabs", "in.tsv", "id\ttext\n1\ta\tb\n", "--field text", ["record 1", "3 columns"]),
    ("no such column", "in.csv", "id,body\n1,a\n", "--field text", ["no column 'text'", "id, body"]),
    ("no such id column", "in.csv", "id,text\n1,a\n", "--field text --id-field key", ["--id-field", "no column 'key'"]),
    ("two columns of one name", "in.csv", "text,text\na,b\n", "--field text", "two columns 'text'"),
    ("empty CSV", "in.csv", "", "--field text", ["in.csv", "header"]),
    ("empty TSV", "in.tsv", "", "--field text", ["in.tsv", "header"]),
    ("header only, wrong", "in.csv", "id\n", "--field text", "no column 'text'"),
]


@pytest.mark.parametrize("name, content, options, parts", [row[1:] for row in CONTENTS], ids=[row[0] for row in CONTENTS])
def test_content(program, name, content, options, parts):
    program.write(name, content)
    line = ["privatize", name, "--model", program.model, "--epsilon", "1", "--threads", "3", *shlex.split(options)]
    refused(program, [*line, "-o", "out", "--report", "receipt.json"], FAILED, parts)


# (command line after 'privatize --model M --epsilon 1', exit code, parts of the message)
PATHS = [
    ("none.txt -o out", FAILED, ["none.txt", "No such file"]),
    ("in.txt none.txt -o out", FAILED, ["none.txt", "No such file"]),
    ("folder -o out", FAILED, ["folder", "Is a directory"]),
    ("/proc/self/mem -o out", FAILED, ["/proc/self/mem", "Input/output error"]),
    ("in.txt/x -o out", FAILED, ["in.txt/x", "Not a directory"]),
    (f"{'n' * 300} -o out", FAILED, "File name too long"),
    ("one.csv two.csv --field text -o out", FAILED, ["two.csv", "header differs from that of one.csv"]),
    ("in.txt -o none/out", FAILED, ["none/out", "No such file"]),
    ("in.txt -o folder", FAILED, ["folder", "Is a directory"]),
    ("in.txt -o in.txt/out", FAILED, ["in.txt/out", "Not a directory"]),
    ("in.txt -o in.txt", USAGE, "-o: 'in.txt' is also an input"),
    ("in.txt one.csv --format text -o folder/../in.txt", USAGE, "is also an input"),
    ("in.txt -o link.txt", USAGE, "-o: 'link.txt' is also an input"),
    ("in.txt -o out --key-file secret.key --report secret.key", USAGE, "--report: 'secret.key' is also the key file"),
    ("in.txt -o secret.key --key-file secret.key", USAGE, "-o: 'secret.key' is also the key file"),
    ("in.txt -o out --report in.txt", USAGE, "--report: 'in.txt' is also an input"),
    ("in.txt -o out --report ./out", USAGE, "--report: './out' is also the output"),
    ("in.txt -o out --report none/receipt", FAILED, ["none/receipt", "No such file"]),
    ("in.txt -o out --report folder", FAILED, ["folder", "Is a directory"]),
    ("in.txt -o out --report /dev/full", FAILED, ["/dev/full", "No space left"]),
    ("in.txt -o /dev/full", FAILED, ["/dev/full", "No space left"]),
    ("in.txt -o /dev/full --report receipt.json", FAILED, ["/dev/full", "No space left"]),
    ("in.txt -o folder --resume --key-file secret.key", USAGE, ["--resume", "folder", "not a file"]),
    ("in.txt -o none/out --resume --key-file secret.key", FAILED, ["none/out", "No such file"]),
]


@pytest.mark.parametrize("line, code, parts", PATHS, ids=[row[0][:60] for row in PATHS])
def test_path(program, line, code, parts):
    program.write("in.txt", "The soup was cold.\n")
    program.write("one.csv", "id,text\n1,a\n")
    program.write("two.csv", "text,id\na,1\n")
    program.write("secret.key", bytes(32))
    (program.folder / "folder").mkdir()
    (program.folder / "link.txt").symlink_to("in.txt")
    refused(program, ["privatize", "--model", program.model, "--epsilon", "1", *shlex.split(line)], code, parts)


@pytest.mark.parametrize("arguments", [
    ["privatize", "in.txt", "--model", "M", "--epsilon", "1"],
    ["explain", "soup", "--model", "M", "--epsilon", "1"],
    ["mechanisms"],
    ["model", "info", "M"],
], ids=lambda arguments: arguments[0])
def test_standard_output_is_full(program, arguments):
    program.write("in.txt", "The soup was cold.\n")
    arguments = [program.model if argument == "M" else argument for argument in arguments]
    with open("/dev/full", "wb") as full:
        refused(program, arguments, FAILED, ["standard output", "No space left"], stdout=full)


@pytest.mark.parametrize("arguments, limit", [
    (["privatize", "in.txt", "--model", "M", "--epsilon", "1", "-o", "out", "--report", "receipt.json"], 100_000),
    (["privatize", "in.txt", "--model", "M", "--epsilon", "1", "-o", "/dev/null", "--report", "receipt.json"], 1000),
    (["model", "export", "first", "-o", "out"], 1000),
    (["model", "import", "vectors.txt", "-o", "out"], 1000),
    (["lists", "build", "--model", "first", "-o", "out"], 1000),
], ids=["output", "receipt", "export", "import", "lists"])
def test_disk_is_full(program, models, arguments, limit):
    """A limit on the size of files stands in for a full disk."""
    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    program.write("in.txt", sentences(5000))
    program.write("vectors.txt", (models / "first.txt").read_bytes())
    program.environment["SOTTO_MODELS"] = str(models)
    arguments = [program.model if argument == "M" else argument for argument in arguments]
    refused(program, arguments, FAILED, "File too large", preexec_fn=limited)


def test_reader_goes_away(program):
    """As in: sotto privatize in.txt | head -c 10"""
    program.write("in.txt", sentences(20000))
    process = program.start("privatize", "in.txt", "--model", program.model, "--epsilon", "1")
    assert len(os.read(process.stdout.fileno(), 10)) == 10
    process.stdout.close()
    error = process.stderr.read().decode()
    assert process.wait(60) == -signal.SIGPIPE  # as cat or grep would end
    assert error == ""


def test_reader_goes_away_while_input_is_silent(program):
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", "--threads", "4",
                            stdin=subprocess.PIPE)
    process.stdout.close()
    process.stdin.write(b"The soup\n")
    process.stdin.flush()
    assert process.wait(60) == -signal.SIGPIPE  # while its standard input is still open
    assert process.stderr.read() == b""
    process.stdin.close()


@pytest.mark.parametrize("closed, arguments", [(0, []), (1, ["in.txt"])], ids=["input", "output"])
def test_standard_stream_is_closed(program, closed, arguments):
    program.write("in.txt", "The soup was cold.\n")
    refused(program, ["privatize", *arguments, "--model", program.model, "--epsilon", "1"], FAILED,
            "Bad file descriptor", preexec_fn=lambda: os.close(closed))


def resumable(program, key, *more):
    return ["privatize", "in.txt", "--model", program.model, "--epsilon", "1", "-o", "out", "--resume", "--key-file", key,
            *more]


@pytest.fixture
def interrupted(program, key):
    """A run that stopped halfway, with its checkpoint."""
    program.write("in.txt", sentences(20_000) * 4)
    partial = program.folder / "out.partial"
    stopped_midway(program, resumable(program, key, "--threads", "1"), signal.SIGINT,
                   when=lambda: size_of(partial) > 0)
    assert program.files() == ["in.txt", "out.checkpoint", "out.partial"]
    return program


@pytest.mark.parametrize("note, code, parts", [
    (b"", FAILED, ["out.checkpoint", "is damaged"]),
    (b"\0\xff", FAILED, ["out.checkpoint", "is damaged"]),
    (b"[]", FAILED, ["out.checkpoint", "is damaged"]),
    (b'{"fingerprint": 5}', USAGE, ["out.checkpoint", "other settings"]),
    ({"offset": "x"}, FAILED, ["out.checkpoint", "is damaged"]),
    ({"counts": [1, 2]}, FAILED, ["out.checkpoint", "is damaged"]),
    ({"output_bytes": 10**12}, FAILED, ["out.partial", "shorter"]),
    ({"output_bytes": -1}, FAILED, ["out.checkpoint", "is damaged"]),
    ({"input": 7}, FAILED, "checkpoint points beyond the inputs"),
    ({"offset": 10**12}, FAILED, "checkpoint points beyond the inputs"),
], ids=str)
def test_damaged_checkpoint(interrupted, key, note, code, parts):
    path = interrupted.folder / "out.checkpoint"
    path.write_bytes(note if isinstance(note, bytes) else json.dumps({**json.loads(path.read_bytes()), **note}).encode())
    refused(interrupted, resumable(interrupted, key), code, parts)


def test_other_settings_do_not_resume(interrupted, key, tmp_path):
    other_key = tmp_path / "other.key"
    other_key.write_bytes(bytes(32))
    parts = ["out.checkpoint", "other settings, inputs or key"]
    for more in (["--policy", "paper"], ["--set", "lists=L2"], ["--dataset", "d"], ["--shard", "1/2"]):
        refused(interrupted, resumable(interrupted, key, *more), USAGE, parts)
    refused(interrupted, resumable(interrupted, other_key), USAGE, parts)
    interrupted.write("in.txt", sentences(10))
    refused(interrupted, resumable(interrupted, key), USAGE, parts)

"""Noise is a function of key, document and configuration: of nothing else, and of each of them."""

import csv
import io
import json
import random

import pytest
from conftest import Program, sentences, vectors

SEEDED = ["--epsilon", "1", "--seed", "7"]
TEXT = "soup cold waiter dessert hotel station night phone battery screen dog cat doctor result order parcel answer"


def as_jsonl(lines, ids=None):
    """Records with a text, a second text and an id."""
    ids = ids or range(1, len(lines) + 1)
    rows = ({"id": i, "text": line, "note": line[::-1].lower(), "n": 1.50} for i, line in zip(ids, lines))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(lines):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text"])
    for i, line in enumerate(lines):  # some records span several lines
        writer.writerow([i, line if i % 3 else line.replace(" ", "\n", 2) + ' "so, so"'])
    return out.getvalue()


def as_tsv(lines):
    return "id\ttext\n" + "".join(f"{i}\t{line}\n" for i, line in enumerate(lines))


FORMATS = {  # name of the file: (how to make it, options)
    "in.txt": (lambda lines: "\n".join(lines) + "\n", []),
    "in.jsonl": (as_jsonl, ["--field", "text", "--field", "note"]),
    "in.csv": (as_csv, ["--field", "text"]),
    "in.tsv": (as_tsv, ["--field", "text"]),
}


@pytest.fixture(params=FORMATS)
def data(request, program):
    """An input of about a megabyte, several chunks, and its options."""
    make, options = FORMATS[request.param]
    program.write(request.param, make(sentences(12_000, seed=1).splitlines()))
    return [request.param, *options, *SEEDED]


def test_threads_do_not_matter(program, data):
    outputs = {program.privatize(*data, "--threads", threads) for threads in ("1", "2", "8")}
    assert len(outputs) == 1
    assert len(outputs.pop()) > 100_000


@pytest.mark.parametrize("count", [3, 7])
def test_shards_put_together_are_the_whole(program, data, count):
    whole = program.privatize(*data)
    parts = [program.privatize(*data, "--shard", f"{i}/{count}") for i in range(1, count + 1)]
    assert all(parts)
    assert b"".join(parts) == whole


def test_more_shards_than_records(program):
    program.write("in.txt", "soup\ncold\nwaiter")
    whole = program.privatize("in.txt", *SEEDED)
    assert b"".join(program.privatize("in.txt", *SEEDED, "--shard", f"{i}/9") for i in range(1, 10)) == whole


def test_shards_of_several_files(program):
    names = ["a.txt", "b.txt", "c.txt"]
    for seed, name in enumerate(names):
        program.write(name, sentences(100 * seed + 1, seed))
    whole = program.privatize(*names, *SEEDED)
    assert whole == b"".join(program.privatize(name, *SEEDED) for name in names)
    assert whole == b"".join(program.privatize(*names, *SEEDED, "--shard", f"{i}/4") for i in range(1, 5))


def test_order_of_records_does_not_matter_with_ids(program):
    lines = as_jsonl(sentences(5000, seed=2).splitlines()).splitlines(keepends=True)
    options = ["--field", "text", "--field", "note", "--id-field", "id", *SEEDED, "--dataset", "d"]
    program.write("in.jsonl", "".join(lines))
    ordered = program.privatize("in.jsonl", *options)
    random.Random(3).shuffle(lines)
    program.write("shuffled.jsonl", "".join(lines))
    shuffled = program.privatize("shuffled.jsonl", *options)
    assert shuffled != ordered
    assert sorted(shuffled.splitlines()) == sorted(ordered.splitlines())


def test_only_the_named_fields_change(program):
    """Everything else is copied byte for byte, spacing and numbers included."""
    record = '{ "n": 1.50,"text" : "soup cold" ,"deep": {"text": "soup \\u00e9"},"big":12345678901234567890 }'
    program.write("in.jsonl", record + "\r\n\n" + record)
    rows = program.privatize("in.jsonl", "--field", "text", *SEEDED).decode().split("\n")
    assert len(rows) == 3 and rows[0].endswith("\r") and rows[1] == ""
    for row in (rows[0].rstrip("\r"), rows[2]):
        text = json.dumps(json.loads(row)["text"])
        assert row.replace(text, '"soup cold"', 1) == record


def test_without_seed_or_key_runs_differ(program):
    program.write("in.txt", sentences(50))
    assert program.privatize("in.txt", "--epsilon", "1") != program.privatize("in.txt", "--epsilon", "1")


def test_same_key_same_output(program, key, tmp_path):
    program.write("in.txt", sentences(50))
    hexadecimal = tmp_path / "hex.key"
    hexadecimal.write_text(key.read_bytes().hex() + "\n")
    other = tmp_path / "other.key"
    other.write_bytes(bytes(reversed(range(32))))
    options = ["in.txt", "--epsilon", "1", "--key-file"]
    output = program.privatize(*options, key)
    assert program.privatize(*options, key) == output
    assert program.privatize(*options, hexadecimal) == output
    assert program.privatize(*options, other) != output
    assert program.privatize("in.txt", *SEEDED) != output


def test_standard_input_equals_file(program):
    text = sentences(3000).encode()
    program.write("in.txt", text)
    options = [*SEEDED, "--dataset", "reviews"]
    output = program.privatize("in.txt", *options)
    assert program.privatize(*options, stdin=text) == output
    assert program.privatize("-", *options, stdin=text) == output
    program.ok("privatize", "in.txt", "--model", program.model, *options, "-o", "out.txt")
    assert (program.folder / "out.txt").read_bytes() == output


@pytest.fixture
def draw(program):
    """Privatizes one document under a fixed seed and returns the words of the output."""
    def run(text=TEXT, *more, field="text", record_id="1", dataset="d", epsilon="1", model=None, seed="7"):
        program.write("one.jsonl", json.dumps({"id": record_id, field: text}) + "\n")
        output = program.ok("privatize", "one.jsonl", "--field", field, "--id-field", "id", "--dataset", dataset, "--epsilon",
                            epsilon, "--model", model or program.model, "--seed", seed, "--quiet", *more).out
        return json.loads(output)[field].lower().split()
    return run


@pytest.fixture(scope="module")
def twin_model(models, tmp_path_factory):
    """The same lists as in the small model, but with another digest."""
    folder = tmp_path_factory.mktemp("twin")
    program = Program(folder, folder / "lists.safetensors")
    for seed, name in enumerate(("first", "second")):
        program.write(f"{name}.txt", vectors(seed))
        program.ok("model", "import", f"{name}.txt", "-o", f"{name}.safetensors", "--metadata", "note=twin")
    program.ok("lists", "build", "--model", "./first.safetensors", "--model", "./second.safetensors", "-o",
               "lists.safetensors", "--seed", "1")
    rows, digests = ([program.ok(*command, model / "lists.safetensors", "--json").out for model in (models, folder)]
                      for command in (["explain", "soup", "--epsilon", "1", "--model"], ["model", "info"]))
    assert rows[0] == rows[1] and digests[0] != digests[1]
    return folder / "lists.safetensors"


@pytest.mark.parametrize("what, text, more, changes", [
    ("text", TEXT + " train", [], {}),
    ("punctuation of the text", TEXT + ".", [], {}),
    ("id", TEXT, [], {"record_id": "2"}),
    ("field", TEXT, [], {"field": "body"}),
    ("data set", TEXT, [], {"dataset": "e"}),
    ("epsilon", TEXT, [], {"epsilon": "1.0000000000000002"}),
    ("seed", TEXT, [], {"seed": "8"}),
    ("model", TEXT, [], {"model": "twin"}),
    ("policy for stopwords", TEXT, ["--stopwords", "keep"], {}),
    ("policy for words outside the vocabulary", TEXT, ["--oov", "keep"], {}),
    ("policy for numbers", TEXT, ["--numbers", "drop"], {}),
    ("policy for punctuation", TEXT, ["--punctuation", "drop"], {}),
    ("policy for capitals", TEXT, ["--case", "lower"], {}),
    ("policy for articles", TEXT, ["--articles", "keep"], {}),
], ids=lambda value: value if isinstance(value, str) and " " not in value else None)
def test_fresh_noise(draw, twin_model, what, text, more, changes):
    """Two documents that differ in one part, however slightly, have independent noise: their 17 words, each
    of which stays with probability below 1/2, are not all replaced alike."""
    if "model" in changes:
        changes = {"model": twin_model}
    before = draw()
    assert draw() == before
    after = [word.strip(".") for word in draw(text, *more, **changes)]
    assert after[:len(before)] != before


def test_record_number_is_the_id_without_id_field(program):
    program.write("in.txt", f"{TEXT}\n" * 20)
    assert len(set(program.privatize("in.txt", *SEEDED).splitlines())) == 20


def test_repeated_id_with_the_same_text_repeats_its_output(program):
    program.write("in.jsonl", (json.dumps({"id": 5, "text": TEXT}) + "\n") * 3)
    rows = program.privatize("in.jsonl", "--field", "text", "--id-field", "id", *SEEDED).splitlines()
    assert len(set(rows)) == 1


def test_configuration_file_equals_command_line(program, key):
    program.write("in.jsonl", as_jsonl(sentences(100).splitlines()))
    line = ["in.jsonl", "--epsilon", "0.5", "--field", "text", "--field", "note", "--id-field", "id", "--dataset", "d",
            "--policy", "paper", "--numbers", "drop", "--set", "lists=L1", "--key-file", key, "--threads", "2"]
    program.write("run.yaml", f"""
input: in.jsonl
epsilon: 0.5
field: [text, note]
id-field: id
dataset: d
policy: paper
numbers: drop
set: {{lists: L1}}
key-file: {key}
threads: 2
quiet: true
""")
    output = program.privatize(*line)
    assert program.privatize("--config", "run.yaml") == output
    # The command line wins.
    changed = program.privatize(*line, "--oov", "drop")
    assert program.privatize("--config", "run.yaml", "--oov", "drop") == changed
    line[2] = "2"
    changed = program.privatize(*line)
    assert program.privatize("--config", "run.yaml", "--epsilon", "2") == changed != output

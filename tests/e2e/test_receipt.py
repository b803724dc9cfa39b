"""The receipt: it matches its schema, its counts add up, and it reveals nothing about the texts."""

import copy
import hashlib
import json

import pytest
from conftest import sentences
from schemas import schema

LINES = sentences(400, seed=5).splitlines()
STRICT = {"stopwords": "privatize", "oov": "nearest", "numbers": "random", "punctuation": "keep", "case": "natural",
          "articles": "agree"}
PAPER = {**STRICT, "stopwords": "keep", "oov": "keep", "numbers": "keep", "case": "position", "articles": "keep"}

# (name of the file, options, the policy that the receipt must state)
RUNS = [
    ("in.txt", [], STRICT),
    ("in.txt", ["--seed", "5"], STRICT),
    ("in.txt", ["--policy", "paper"], PAPER),
    ("in.txt", ["--policy", "paper", "--numbers", "drop", "--oov", "drop", "--case", "lower"],
     {**PAPER, "numbers": "drop", "oov": "drop", "case": "lower"}),
    ("in.txt", ["--punctuation", "drop", "--case", "keep"], {**STRICT, "punctuation": "drop", "case": "keep"}),
    ("in.txt", ["--set", "lists=L1", "--dataset", "reviews"], STRICT),
    ("in.jsonl", ["--field", "text", "--field", "title", "--id-field", "id"], STRICT),
    ("in.csv", ["--field", "text"], STRICT),
    ("in.tsv", ["--field", "text", "--stopwords", "keep"], {**STRICT, "stopwords": "keep"}),
    ("empty.txt", [], STRICT),
]


@pytest.fixture(scope="module")
def receipt_schema():
    return schema("receipt")


@pytest.fixture
def receipt_of(program):
    program.write("in.txt", "\n".join(LINES) + "\n")
    program.write("empty.txt", "")
    rows = [{"id": i, "title": line[:20], "text": line, "kind": "review"} for i, line in enumerate(LINES)]
    program.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    program.write("in.csv", "id,text\n" + "".join(f'{row["id"]},"{row["text"]}"\n' for row in rows))
    program.write("in.tsv", "id\ttext\n" + "".join(f'{row["id"]}\t{row["text"]}\n' for row in rows))

    def run(name, *options):
        program.privatize(name, "--epsilon", "0.5", "--report", "receipt.json", *options)
        return (program.folder / "receipt.json").read_text()
    return run


@pytest.mark.parametrize("name, options, policy", RUNS, ids=[" ".join([row[0], *row[1]]) for row in RUNS])
def test_receipt(program, receipt_of, receipt_schema, name, options, policy):
    text = receipt_of(name, *options)
    receipt = json.loads(text)
    receipt_schema.validate(receipt)
    seeded = "--seed" in options
    assert receipt["seeded"] == seeded and receipt["guarantee"]["holds"] == (not seeded)
    assert receipt.get("warning") == ("seeded: not private" if seeded else None)
    assert (receipt["guarantee"]["kind"] == "none") == seeded
    assert receipt["mechanism"]["name"] == "diffractor-geometric" and receipt["mechanism"]["epsilon"] == 0.5
    assert receipt["mechanism"]["parameters"] == {"lists": "L1" if "lists=L1" in options else "L0"}
    assert receipt["model"]["name"] == "lists"
    assert seeded or receipt["guarantee"]["unit"]["model_digest"] == receipt["model"]["digest"]
    assert receipt["policy"] == policy
    assert receipt["input"]["dataset"] == ("reviews" if "--dataset" in options else name)
    assert receipt["input"]["format"] == {"empty.txt": "text", "in.txt": "text"}.get(name, name[3:])
    assert receipt["input"]["fields"] == [options[i + 1] for i, option in enumerate(options) if option == "--field"]
    check_counts(receipt, 0 if name == "empty.txt" else len(LINES) * max(1, options.count("--field")))
    check_nothing_of_the_text(text)
    program.ok("receipt", "show", "receipt.json")  # refuses receipts that contradict themselves


def check_counts(receipt, documents):
    counts, policy = receipt["counts"], receipt["policy"]
    tokens, clear = counts["tokens"], counts["passed_in_clear"]
    assert counts["documents"] == documents
    handled = counts["privatized"] + counts["randomized_numbers"] + sum(clear.values()) + counts["dropped"]
    assert handled == sum(tokens.values())
    if documents:
        assert tokens["word"] > 1000 and tokens["number"] > 10 and tokens["punctuation"] > 100
    if policy == STRICT:
        assert counts["privatized"] == tokens["word"]
        assert clear == {"stopwords": 0, "out_of_vocabulary": 0, "numbers": 0, "punctuation": tokens["punctuation"]}
    if not receipt["guarantee"]["holds"]:
        assert set(receipt["guarantee"]) == {"holds", "kind", "statement"}
        return
    document = receipt["guarantee"]["document"]
    assert document["epsilon_sum_max"] >= document["epsilon_sum_mean"] >= 0
    if documents:
        assert document["epsilon_sum_mean"] == pytest.approx(0.5 * counts["privatized"] / documents)


def check_nothing_of_the_text(receipt):
    for line in LINES:
        assert line not in receipt and line[:12] not in receipt
        for data in (line.encode(), line.encode() + b"\n"):
            for digest in (hashlib.sha256(data), hashlib.blake2b(data), hashlib.blake2b(data, digest_size=32),
                           hashlib.md5(data), hashlib.sha1(data)):
                assert digest.hexdigest() not in receipt


def test_nothing_in_the_receipt_depends_on_the_words(program):
    """Two texts of equal adjacency have the same receipt."""
    receipts = []
    for text in ("soup cold waiter\n", "dog cat garden\n"):
        program.write("in.txt", text)
        program.privatize("in.txt", "--epsilon", "1000", "--report", "receipt.json")
        receipts.append((program.folder / "receipt.json").read_text())
    assert receipts[0] == receipts[1]


@pytest.mark.parametrize("options, leak", [
    ([], "token classes"),
    ([], "punctuation as it is"),
    ([], "how many digits"),
    ([], "computational"),
    (["--seed", "1"], "the noise is public"),
    (["--policy", "paper"], "stopwords, as they are"),
    (["--policy", "paper"], "numbers, as they are"),
    (["--oov", "keep"], "words outside the vocabulary, as they are"),
    (["--oov", "drop"], "how many words"),
    (["--case", "keep"], "letter case"),
])
def test_leaks_are_listed(receipt_of, options, leak):
    assert leak in " | ".join(json.loads(receipt_of("in.txt", *options))["leaks"])


def test_statistics_are_apart(receipt_of, program):
    """What the receipt leaves out is in a file of its own, as its schema says."""
    receipt = json.loads(receipt_of("in.txt", "--statistics", "statistics.json"))
    statistics = json.loads((program.folder / "statistics.json").read_text())
    schema("statistics").validate(statistics)
    assert list(statistics)[0] == "confidential"
    assert (program.folder / "statistics.json").stat().st_mode & 0o777 == 0o600
    privatized = statistics["privatized"]
    assert privatized["tokens"] == receipt["counts"]["privatized"]
    assert 0.2 < privatized["changed"] / privatized["tokens"] < 1
    assert 10 < statistics["tokens"]["other"] <= privatized["outside_vocabulary"] < privatized["tokens"]
    assert statistics["bytes_in"] == sum(len(line.encode()) for line in LINES)


def test_the_summary_says_that_it_is_for_the_operator(program):
    program.write("in.txt", "soup\n")
    outcome = program.run("privatize", "in.txt", "--epsilon", "1", "--model", program.model)
    assert outcome.code == 0 and "for the operator" in outcome.err


def test_copied_fields_are_leaks(receipt_of):
    leaks = json.loads(receipt_of("in.jsonl", "--field", "text"))["leaks"]
    for field in ("id", "title", "kind"):
        assert f"the field '{field}' of each record, copied as it is" in leaks
    assert not any("'text'" in leak for leak in leaks)


def test_names_that_are_not_utf8(program, receipt_schema):
    """File and column names may be any bytes; the receipt is still JSON."""
    name = b"r\xe9views.csv"
    program.write(program.folder / name.decode(errors="surrogateescape"), b"caf\xe9,text\n1,soup\n")
    program.privatize(name, "--field", "text", "--epsilon", "1", "--report", "receipt.json")
    receipt = json.loads((program.folder / "receipt.json").read_bytes().decode())
    receipt_schema.validate(receipt)
    assert receipt["input"]["dataset"] == "r\ufffdviews.csv"


def parts_of(value, path=()):
    """The paths of all members of the objects in a JSON value."""
    for key in value if isinstance(value, dict) else ():
        yield (*path, key)
        yield from parts_of(value[key], (*path, key))


def test_the_schema_is_strict(receipt_of, receipt_schema):
    receipt = json.loads(receipt_of("in.txt"))
    optional = {("mechanism", "parameters", "lists"), ("word_map",), ("word_forms",)} | {
        path for path in parts_of(receipt) if path[:2] in {("counts", name) for name in (
            "tokens", "randomized_numbers", "passed_in_clear", "dropped")} and len(path) == 2}
    paths = set(parts_of(receipt)) - optional
    assert len(paths) > 40
    for path in paths:
        damaged = copy.deepcopy(receipt)
        holder = damaged
        for key in path[:-1]:
            holder = holder[key]
        value = holder.pop(path[-1])
        assert not receipt_schema.is_valid(damaged), f"valid without {path}"
        holder[path[-1]] = [value] if not isinstance(value, list) else {}
        assert not receipt_schema.is_valid(damaged), f"valid with a wrong {path}"
        holder[path[-1]] = value
        holder["surprise"] = 1
        assert not receipt_schema.is_valid(damaged), f"valid with something strange beside {path}"

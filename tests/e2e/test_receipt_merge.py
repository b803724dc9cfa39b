"""sotto receipt merge: the receipts of shards add up to that of the whole."""

import json
import shutil

import pytest
from conftest import SOURCE, WORDS, refused, sentences
from schemas import schema
from test_budgets import choose, phrase_models, phrased  # noqa: F401

LINES = sentences(60, seed=3).splitlines()
USAGE, FAILED = 2, 1

# (name of the input, options besides epsilon)
RUNS = [
    ("in.txt", []),
    ("in.txt", ["--seed", "5"]),
    ("in.txt", ["--policy", "paper"]),
    ("in.txt", ["--numbers", "drop", "--oov", "drop", "--case", "lower"]),
    ("in.txt", ["--punctuation", "drop", "--case", "keep"]),
    ("in.txt", ["--set", "lists=L1", "--dataset", "reviews"]),
    ("in.txt", ["--epsilon-chosen-on", "private-text"]),
    ("in.csv", ["--field", "text"]),
    ("in.csv", ["--field", "text", "--field", "title", "--no-header"]),
    ("in.jsonl", ["--field", "text", "--field", "title", "--id-field", "id"]),
    ("in.jsonl", ["--field", "/parts/*", "--id-field", "id"]),
    ("in.jsonl", ["--field", "now", "--missing", "skip", "--allow-empty"]),
]


def write_inputs(program):
    rows = [{"id": i, "title": line[:20], "text": line, "who": f"u{i % 5}", "parts": line.split(" ", i % 4)}
            for i, line in enumerate(LINES)]
    for row in rows[::3]:
        row["now"] = row["text"]
    rows[40]["seldom"] = "x"  # a field that most shards do not have
    program.write("in.txt", "\n".join(LINES) + "\n")
    program.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    quoted = "".join(f'{row["id"]},{row["who"]},"{row["title"]}","{row["text"]}"\n' for row in rows)
    program.write("in.csv", "id,who,title,text\n" + quoted)


def receipts_of_shards(program, command, count):
    """The receipts of a run in `count` shards, the last of which may be empty."""
    names = [f"shard{i}of{count}.json" for i in range(1, count + 1)]
    for i, name in enumerate(names, 1):
        program.ok("privatize", *command, "--shard", f"{i}/{count}", "--report", name, "--quiet")
    return names


def whole_receipt(program, command):
    program.ok("privatize", *command, "--report", "whole.json", "--quiet")
    return (program.folder / "whole.json").read_bytes()


def check_merged(program, command, counts=(1, 2, 8)):
    whole = whole_receipt(program, command)
    for count in counts:
        names = receipts_of_shards(program, command, count)
        assert program.ok("receipt", "merge", *names).out == whole
        assert program.ok("receipt", "merge", *reversed(names)).out == whole
        halves = [program.ok("receipt", "merge", *half).out for half in (names[::2], names[1::2]) if half]
        parts = [program.write(f"half{i}.json", half).name for i, half in enumerate(halves)]
        assert program.ok("receipt", "merge", *parts).out == whole
    schema("receipt").validate(json.loads(whole))
    program.ok("receipt", "show", "whole.json")
    return json.loads(whole)


@pytest.mark.parametrize("name, options", RUNS, ids=[" ".join([row[0], *row[1]]) for row in RUNS])
def test_shards_add_up(program, key, name, options):
    write_inputs(program)
    keyed = [] if "--seed" in options else ["--key-file", key]
    if "--no-header" in options:
        options = [{"text": "4", "title": "3"}.get(option, option) for option in options]
    check_merged(program, [name, "-e", "0.7", "--model", program.model, *keyed, *options])


def test_without_a_key_file(program):
    write_inputs(program)
    check_merged(program, ["in.txt", "-e", "0.3", "--model", program.model])


def test_more_shards_than_records(program):
    program.write("in.txt", "the soup\nmy dog\n")
    program.write("empty.txt", "")
    program.write("in.csv", "id,text\n1,the soup\n2,my dog\n")
    for name, options in (("in.txt", []), ("empty.txt", []), ("in.csv", ["--field", "text", "--allow-empty"])):
        check_merged(program, [name, "-e", "1", "--model", program.model, *options], (1, 5))


@pytest.mark.parametrize("mechanism, strategy, budget", [
    ("santext", "S1", "10"), ("tem", "S2", "8"), ("diffractor-geometric", "S3", "12"), ("custext", "S1", "10")])
def test_budgets_add_up(program, choose, mechanism, strategy, budget):  # noqa: F811
    """Sums of shares are rounded up one by one, so only their last digits may depend on the order."""
    program.write("in.txt", phrased(60))
    model = choose(mechanism)[:-2] if strategy == "S1" else choose(mechanism)  # S1 takes no phrases
    command = ["in.txt", *model, "--budget", strategy, "--document-epsilon", budget]
    whole = json.loads(whole_receipt(program, command))
    for count in (1, 2, 8):
        merged = json.loads(program.ok("receipt", "merge", *receipts_of_shards(program, command, count)).out)
        for place in ("budget.epsilon_sum", "budget.epsilon_per_token.mean", "guarantee.document.epsilon_sum_mean"):
            left, right = merged, whole
            *path, last = place.split(".")
            for step in path:
                left, right = left[step], right[step]
            assert left[last] == pytest.approx(right[last], rel=1e-13)
            if count == 1:
                assert left[last] == right[last]
            left[last] = right[last]
        assert merged == whole
        schema("receipt").validate(merged)


def test_certificates_and_groups_add_up(models, program):
    """The scope of a group shows only among the leaks if the noise was public."""
    write_inputs(program)
    shutil.copy(models / "first.safetensors", program.folder)
    first = ["--model", "./first.safetensors"]
    program.ok("audit", "-m", "santext", *first, "-e", "2")
    whole = check_merged(program, ["in.txt", "-m", "santext", *first, "-e", "2"], (1, 3))
    assert whole["guarantee"]["kind"] == "certified"
    for mechanism, options in (("custext", []), ("custext", ["--seed", "1"]), ("gumbel", []), ("santext-plus", [])):
        if mechanism == "santext-plus":
            counts = "".join(f"{word}\t{1000 - i}\n" for i, word in enumerate(WORDS))
            program.write("counts.tsv", counts)
            shutil.copy(models / "first.txt", program.folder)
            program.ok("model", "import", "first.txt", "-o", "counted.safetensors", "--vocabulary", "counts.tsv")
            first = ["--model", "./counted.safetensors"]
        check_merged(program, ["in.txt", "-m", mechanism, *first, "-e", "2", *options], (2,))


@pytest.mark.parametrize("mechanism", ["dp-mlm", "dp-paraphrase"])
def test_language_models_add_up(program, key, mechanism):
    program.environment["SOTTO_MODELS"] = str(SOURCE / "models")
    program.write("in.txt", "".join(line + "\n" for line in LINES[:6]))
    whole = check_merged(program, ["in.txt", "-m", mechanism, "-e", "5", "--key-file", key], (1, 3))
    assert "zcdp" in whole["guarantee"]["document"]


def test_a_ledger_adds_up(program, key):
    write_inputs(program)
    command = ["in.jsonl", "-e", "1", "--model", program.model, "--field", "text", "--id-field", "id", "--key-file", key,
               "--subject", "who", "--limit", "90"]
    whole = json.loads(whole_receipt(program, [*command, "--ledger", "whole.ledger"]))
    assert whole["counts"]["withheld"] > 0
    names = receipts_of_shards(program, [*command, "--ledger", "parts.ledger"], 8)
    text = program.ok("receipt", "merge", *names).out
    merged = json.loads(text)
    schema("receipt").validate(merged)
    heads = [json.loads((program.folder / name).read_text())["ledger"]["head"] for name in names]
    ledger = merged["ledger"]
    assert ledger["head"] == heads[-1]
    assert ledger.get("other_heads", []) == [head for head in dict.fromkeys(heads) if head != heads[-1]]
    for head in [ledger["head"], *ledger.get("other_heads", [])]:
        program.ok("ledger", "verify", "parts.ledger", "--head", head)
    program.write("half.json", program.ok("receipt", "merge", *names[:4]).out)
    assert program.ok("receipt", "merge", "half.json", *names[4:]).out == text
    del merged["ledger"], whole["ledger"]
    assert merged == whole
    program.write("merged.json", text)
    program.ok("receipt", "show", "merged.json")
    other = receipts_of_shards(program, [*command, "--ledger", "other.ledger"], 2)
    program.write("other.json", (program.folder / other[0]).read_bytes())
    refused(program, ["receipt", "merge", names[0], "other.json"], FAILED, ["'ledger.id'", names[0], "other.json"])


def test_a_thousand_receipts(program):
    program.write("in.txt", "the soup was 12\nmy dog\n")
    whole_receipt(program, ["in.txt", "-e", "1", "--model", program.model])
    for i in range(1000):
        shutil.copy(program.folder / "whole.json", program.folder / f"{i}.json")
    merged = json.loads(program.ok("receipt", "merge", *(f"{i}.json" for i in range(1000))).out)
    one = json.loads((program.folder / "whole.json").read_text())
    assert merged["counts"]["documents"] == 2000
    assert merged["counts"]["largest_document"] == one["counts"]["largest_document"]
    assert merged["guarantee"] == one["guarantee"]


def test_many_copied_fields(program):
    """Long names, names in other scripts, and more of them than a receipt names."""
    names = [f"field {i:03} " + "é" * (i % 60) for i in range(70)]
    rows = [{"text": line, **dict.fromkeys(names, 1)} for line in LINES[:9]]
    program.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    whole = check_merged(program, ["in.jsonl", "-e", "1", "--model", program.model, "--field", "text"], (1, 3))
    assert any(leak.startswith("20 more fields") for leak in whole["leaks"])


def test_what_does_not_belong_together(program, key):
    write_inputs(program)
    base = ["in.txt", "--model", program.model]
    program.ok("privatize", *base, "-e", "1", "--report", "a.json", "--quiet")
    others = [
        (["-e", "1", "-m", "diffractor-tem"], "'mechanism.name' is \"diffractor-geometric\" and \"diffractor-tem\""),
        (["-e", "2"], "'mechanism.epsilon' is 1.0 and 2.0"),
        (["-e", "1", "--policy", "paper"], "'policy."),
        (["-e", "1", "--set", "lists=L1"], "'mechanism.parameters.lists' is \"L0\" and \"L1\""),
        (["-e", "1", "--max-document-bytes", "1M"], None),
        (["-e", "1", "--dataset", "other"], "'input.dataset' is \"in.txt\" and \"other\""),
        (["-e", "1", "--epsilon-chosen-on", "private-text"], "'epsilon_chosen_on' is nothing and \"private-text\""),
        (["-e", "1", "--seed", "1"], "'seeded' is false and true"),
        (["-e", "1", "--key-file", key], "'leaks"),
    ]
    for options, part in others:
        program.ok("privatize", *base, *options, "--report", "b.json", "--quiet")
        merge = ["receipt", "merge", "a.json", "b.json", "-o", "out.json"]
        if part is None:  # it does not change what is done to a text
            program.ok(*merge)
            (program.folder / "out.json").unlink()
        else:
            refused(program, merge, FAILED, ["a.json and b.json", part])


def test_what_is_refused(program):
    write_inputs(program)
    program.ok("privatize", "in.txt", "-e", "1", "--model", program.model, "--report", "a.json", "--statistics", "s.json",
               "--quiet")
    text = (program.folder / "a.json").read_text()
    receipt = json.loads(text)
    shutil.copy(program.folder / "a.json", program.folder / "b.json")
    (program.folder / "link.json").symlink_to("a.json")
    refused(program, ["receipt", "merge", "a.json", "b.json", "a.json"], USAGE, ["a.json", "twice"])
    refused(program, ["receipt", "merge", "a.json", "./link.json"], USAGE, ["link.json", "twice"])
    refused(program, ["receipt", "merge", "a.json", "s.json"], FAILED, ["s.json", "confidential statistics"])
    refused(program, ["receipt", "merge", "a.json", "none.json"], FAILED, "none.json")
    refused(program, ["receipt", "merge"], USAGE, "FILE")
    refused(program, ["receipt", "merge", "a.json", "b.json", "-o", "b.json"], USAGE, "also an input")
    for place, value, parts in [
            ("sotto", "9.9.9", ["written by Sotto 9.9.9", "with the program that wrote them"]),
            ("versions.tokenizer", 1, ["'versions.tokenizer' is 1"]),
            ("counts.documents", 10**9, ["not a sound receipt"]),
            ("counts.documents", 2**53 + 1, ["more than a run can count"]),
            ("counts.more", 1, ["'counts.more' is 1 and nothing"]),
            ("counts.skipped", 0, ["'counts.skipped' is 0 and nothing"]),
            ("guarantee.statement", receipt["guarantee"]["statement"].replace("exp(1 d)", "exp(0.5 d)"), ["sound"]),
            ("guarantee.document.epsilon_sum_max", 0.5, ["not a sound receipt"]),
            ("policy.articles", "none", ["'policy.articles'"]),
            ("leaks", receipt["leaks"][1:], ["'leaks"]),
            ("leaks", [], ["'leaks"]),
            ("leaks", [*receipt["leaks"], "nothing else"], ["'leaks"]),
            ("mechanism.name", "magic", ["no mechanism 'magic'"]),
            ("mechanism.parameters", {"\u001b[31m": "x" * 9999}, ["'mechanism.parameters"]),
            ("input.fields", "text", ["'input.fields' is not a list"]),
    ]:
        changed = json.loads(text)
        *path, last = place.split(".")
        inner = changed
        for step in path:
            inner = inner[step]
        inner[last] = value
        program.write("b.json", json.dumps(changed))
        outcome = refused(program, ["receipt", "merge", "a.json", "b.json"], FAILED, ["b.json", *parts])
        assert "\u001b" not in outcome.err and len(outcome.err) < 1500
    for end in range(0, len(text) - 1, 97):
        program.write("b.json", text[:end])
        refused(program, ["receipt", "merge", "b.json"], FAILED, "b.json")

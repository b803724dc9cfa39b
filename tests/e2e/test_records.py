"""What a record is, what is copied or refused, and what a hostile file can do to the program."""

import json

import pytest
from conftest import refused, sentences

USAGE, FAILED = 2, 1
SECRET = "my secret diagnosis"


def privatize(program, *arguments):
    return ["privatize", "--model", program.model, "--epsilon", "1", *arguments]


def test_carriage_returns_alone_end_records(program):
    program.write("mac.csv", f'id,text,city\r1,"{SECRET}",Rome\r2,{SECRET},"Bonn\rand more"\r')
    outcome = program.ok(*privatize(program, "mac.csv", "--field", "text", "-o", "out.csv", "--report", "receipt.json"))
    out = (program.folder / "out.csv").read_bytes().decode()
    assert "secret" not in out and out.count("\r") == 4 and "\n" not in out
    assert out.startswith('id,text,city\r1,"') and out.endswith(',"Bonn\rand more"\r')
    report = (program.folder / "receipt.json").read_text()
    assert "secret" not in report and "2 documents" in outcome.err


@pytest.mark.parametrize("name, content", [
    ("in.txt", f"{SECRET}\r{SECRET}\r"),
    ("in.tsv", f"text\tn\r{SECRET}\t1\r{SECRET}\t2"),
    ("in.jsonl", f'{{"text": "{SECRET}"}}\r{{"text": "{SECRET}"}}\r'),
])
def test_carriage_returns_in_every_format(program, name, content):
    program.write(name, content)
    field = [] if name == "in.txt" else ["--field", "text"]
    outcome = program.ok(*privatize(program, name, *field))
    out = outcome.out.decode()
    assert out.count("\r") == content.count("\r") and "secret" not in out and "2 documents" in outcome.err


def test_a_quote_that_is_never_closed_copies_nothing(program):
    program.write("in.csv", f'text,city\nsoup,"Rome\n{SECRET},Bonn\n')
    refused(program, privatize(program, "in.csv", "--field", "text", "-o", "out"), FAILED, ["record 1", "not closed"])
    program.write("in.csv", f'text,"city\n{SECRET},Bonn\n')
    refused(program, privatize(program, "in.csv", "--field", "text", "-o", "out"), FAILED, ["in.csv", "not closed"])


def test_records_without_documents(program):
    program.write("in.jsonl", '{"text": null, "name": "Zoe"}\n')
    line = privatize(program, "in.jsonl", "--field", "text", "-o", "out")
    refused(program, line, FAILED, ["in.jsonl: 1 records and no document", "--allow-empty"])
    program.ok(*line, "--allow-empty")


def test_no_records_at_all_are_fine(program):
    program.write("in.csv", "id,text\r")
    assert program.privatize("in.csv", "--field", "text", "--epsilon", "1") == b"id,text\r"
    program.write("in.txt", "soup\n")
    assert program.privatize("in.txt", "--epsilon", "1", "--shard", "2/2") == b""


@pytest.mark.parametrize("header", ["text" + ",x" * 10_000, "text," + "x" * 65_536], ids=["columns", "bytes"])
def test_what_cannot_be_a_header(program, header):
    program.write("in.csv", header + "\n")
    refused(program, privatize(program, "in.csv", "--field", "text", "-o", "out"), FAILED, "header line")


@pytest.mark.parametrize("value", ["[" * 50_000 + "]" * 50_000, "[" * 50_000, '{"a":' * 50_000 + "1" + "}" * 50_000],
                         ids=["arrays", "open", "objects"])
def test_deeply_nested_json(program, value):
    program.write("in.jsonl", '{"text": "soup", "other": %s}\n' % value)
    refused(program, privatize(program, "in.jsonl", "--field", "text", "-o", "out"), FAILED, "in.jsonl: record 1")


CYCLES = ["quick: &q {datasets: *q}\ndatasets: &d {a: {b: *d}}\n", "datasets: &d {a: *d}\nquick: {datasets: {a: {a: {a: *d}}}}\n",
          "quick: &q {quick: *q}\n", "quick: {quick: {a: 1}}\n", "datasets: " + "[" * 50_000 + "\nquick: {}\n"]


@pytest.mark.parametrize("text", CYCLES, ids=range(len(CYCLES)))
def test_yaml_that_contains_itself(program, text):
    program.write("run.yaml", "title: A run\n" + text)
    outcome = program.run("evaluate", "run.yaml", "--quick", "-o", "results")
    assert outcome.code == USAGE and outcome.err.count("\n") == 1 and "run.yaml" in outcome.err
    program.write("in.txt", "soup\n")
    refused(program, privatize(program, "in.txt", "-o", "out", "--config", "run.yaml"), USAGE, "--config: run.yaml")


def test_seed_in_a_configuration_file_is_stamped(program):
    program.write("in.txt", sentences(3))
    program.write("run.yaml", "seed: 7\nquiet: true\n")
    outcome = program.ok(*privatize(program, "in.txt", "-o", "out", "--config", "run.yaml", "--quiet"))
    assert outcome.err == "sotto: run.yaml sets a seed: the output is not private\n"
    assert program.ok(*privatize(program, "in.txt", "-o", "out", "--seed", "7", "--quiet")).err == ""


def test_an_id_is_no_text(program):
    program.write("in.csv", f"id,text\n1,{SECRET}\n")
    refused(program, privatize(program, "in.csv", "--field", "text", "--id-field", "text", "-o", "out"), USAGE,
            "--id-field: 'text' is also a --field")


def test_without_a_key_repeated_ids_share_no_noise(program, key):
    text = "soup cold waiter dessert hotel station night phone battery screen dog cat doctor result order parcel"
    program.write("in.jsonl", (json.dumps({"id": 5, "text": text}) + "\n") * 20)
    line = ["in.jsonl", "--field", "text", "--id-field", "id", "--epsilon", "1"]
    assert len(set(program.privatize(*line).splitlines())) == 20
    assert len(set(program.privatize(*line, "--key-file", key).splitlines())) == 1
    refused(program, privatize(program, *line[:-2], "--key-file", key, "-o", "out", "--unique-ids"), FAILED,
            "in.jsonl: record 2: its id occurred before")


@pytest.mark.parametrize("name, content, options", [
    ("in.jsonl", '{"text": "a", "id": ["Zoe"]}\n', "--field text --id-field id"),
    ("in.jsonl", '{"text": "Zoe", "text": "Zoe"}\n', "--field text"),
    ("in.jsonl", '{"body": "Zoe"}\n', "--field text"),
    ("in.csv", "id,text\n1,Zoe,2\n", "--field text"),
    ("in.csv", 'id,text\n1,"Zoe\n', "--field text"),
    ("in.csv", "id,text\nZoe,a\nZoe,b\n", "--field text --id-field id --unique-ids"),
])
def test_messages_quote_no_cell(program, name, content, options):
    program.write(name, content)
    outcome = refused(program, privatize(program, name, *options.split(), "-o", "out"), FAILED, f"{name}: record")
    assert "Zoe" not in outcome.err


def test_messages_list_few_names(program):
    program.write("in.csv", '"a\x1b[2J",' + ",".join(f"name{i}" + "x" * 100 for i in range(500)) + "\n")
    outcome = refused(program, privatize(program, "in.csv", "--field", "text", "-o", "out"), FAILED, "and 481 more")
    assert "a\\x1B[2J" in outcome.err and len(outcome.err) < 1500

"""Whatever a command prints as JSON matches its schema in docs/schemas/, no more and no less."""

import copy
import json
import os
import shutil

import pytest
from conftest import SOURCE, WORDS, Program, sentences
from experiment_world import make_world
from ledger_world import as_jsonl, make_records
from schemas import FOLDER, schema
from test_language_models import make_model

FIRST, LISTS, PHRASES = "--model first.safetensors", "--model lists.safetensors", "phrases.safetensors"
TRAIN = "--min-count 2 --subsampling 1 --dim 4 --epochs 1 --threads 1 --quiet"

# (schema, command)
COMMANDS = [
    ("mechanisms", "mechanisms"),
    ("mechanism", "mechanisms tem"),
    ("explanation", f"explain soup {LISTS} -e 1"),
    ("explanation", f"explain soup -m cmp {FIRST} -e 5 --draws 100"),
    ("choice", f"choose in.txt -m santext,cmp {FIRST} --public corpus.txt"),
    ("choice", f"choose in.txt -m gumbel {FIRST} --public corpus.txt --use-private"),
    ("explanation", f"explain souup! {LISTS} -e 1"),
    ("explanation", f"explain https://x.org {LISTS} -e 1"),
    ("explanation", f"explain Zanzibar {LISTS} -e 1 --oov bottom"),
    ("word_comparison", f"explain soup --against bread {LISTS} -e 0.5,1,3"),
    ("word_comparison", f"explain https://x.org --against souup {LISTS} -e 0.5,1"),
    ("word_comparison", f"explain soup --against Zanzibar -m cmp {FIRST} -e 5 --draws 200 --top 3"),
    ("word_comparison", f"explain soup --against bread -m custext {FIRST} -e 1"),
    ("word_comparison", f"explain soup --against bread {LISTS} -e 9000"),
    ("receipt_description", "receipt show receipt.json"),
    ("attack", f"attack -m santext {FIRST} -e 2 --words 20 --seed 1"),
    ("input_guesses", f"attack -m santext {FIRST} -e 2 --output soup --seed 1"),
    ("input_guesses", f"attack -m cmp {FIRST} -e 2 --output soup --draws 20 --seed 1"),
    ("attack", f"attack -m cmp {FIRST} -e 2 --words 10 --draws 20 --trials 100 --seed 1"),
    ("black_box", f"audit --method black-box -m santext {FIRST} -e 2 --draws 400 --pairs 2 --runs 20 --seed 1"),
    ("black_box", f"audit --method black-box -m santext {FIRST} -e 2 --draws 100 --pairs 2 --runs 20 --seed 1 --through "
                  "document --policy paper"),
    ("black_box", "audit --method black-box --command cat -e 1 --metric pure --draws 400 --pairs 2 --runs 20 --seed 1 "
                  f"{FIRST}"),
    ("exact_audit", f"audit -m santext {FIRST} -e 2"),
    ("exact_audit", f"audit -m santext {FIRST} -e 2 --target certified"),
    ("exact_audit", f"audit -m santext {FIRST} -e 2 --sample 10"),
    ("budget", f"budget -m santext {FIRST} -e 2 --tokens 5 --words 7 --budget S2"),
    ("budget", f"budget -m custext {FIRST} -e 2 --tokens 5"),
    ("budget", "budget -m santext-plus --model trained.safetensors -e 2 --tokens 5"),
    ("bench", f"bench --mechanism diffractor-geometric {LISTS} --words 20 --seed 1 --data in.txt --quiet"),
    ("bench", f"bench --mechanism santext,diffractor-geometric {FIRST} --words 20 --seed 1 --quiet"),
    ("tune", f"tune --words words.tsv --mechanism santext,cmp -e 1,5 {FIRST} --max-loss 0.9 --draws 5 --seed 1 --quiet"),
    ("tune", f"tune --words words.tsv --mechanism santext,gumbel -e 0.1 {FIRST} --max-loss 0 --draws 5 --seed 1 --quiet"),
    ("experiment", "evaluate run.yaml --data data -o out --quick --quiet"),
    ("model", "model info ./first.safetensors --verify"),
    ("model", "model info ./trained.safetensors"),
    ("model", "model info ./lists.safetensors"),
    ("models", "model list"),
    ("neighbours", "model neighbours ./first.safetensors soup dog --top 3"),
    ("import", "model import first.txt -o imported.safetensors --limit 50 --quiet"),
    ("lists", f"lists build {FIRST} -o built.safetensors --seed 1 --quiet"),
    ("train", f"train vectors corpus.txt --phrases {PHRASES} -o again.safetensors {TRAIN}"),
    ("collocation_count", "collocations count corpus.txt -o counted.safetensors --quiet"),
    ("phrase_table", f"collocations info {PHRASES}"),
    ("phrase_table", f"collocations info {PHRASES} --verify --top 2"),
    ("phrases", f"collocations show {PHRASES} new york"),
    ("ledger_summary", "ledger show spent.ledger"),
    ("ledger_accounts", "ledger show spent.ledger user1"),
    ("ledger_accounts", "ledger show spent.ledger nobody"),
    ("ledger_accounts", "ledger top spent.ledger 3"),
    ("ledger_withheld", "ledger show spent.ledger --withheld"),
    ("ledger_check", "ledger verify spent.ledger"),
    ("ledger_check", f"ledger verify spent.ledger --head {'0' * 64}"),
]
EXPORTS = [("ledger_entry", "entries"), ("ledger_account", "accounts"), ("ledger_withheld_record", "withheld")]
LANGUAGE_MODELS = [
    ("language_model", "lm info ./bounded"),
    ("language_model", "lm info ./free"),
    ("language_model", "lm calibrate --model ./free in.txt"),
    ("explanation", "explain -m dp-mlm --model ./bounded -e 5 --text the-soup --word 1"),
    ("word_comparison", "explain -m dp-mlm --model ./bounded -e 1,5 --text soup --word 1 --against cold"),
    ("budget", "budget -m dp-mlm --model ./bounded -e 5 --tokens 7"),
    ("budget", "budget -m dp-mlm-plus --model ./bounded -e 5 --tokens 7"),
    ("similarity", "lm similarity in.txt in.txt --model ./bounded"),
    ("perplexity", "lm perplexity letters.txt --model ./causal"),
    ("mask_inference", "attack --attack mask --original in.txt --privatized in.txt --model ./bounded"),
]
# Covered by other tests, or part of other schemas.
ELSEWHERE = {"listed_language_model", "attacker", "receipt", "statistics", "certificate", "estimate", "tokenize", "ledger_claims"}
# What readers take; their unit tests go through every member.
OPTIONS = {path.name.split(".")[0] for path in FOLDER.glob("*_options.schema.json")} | {"text_place"}


@pytest.fixture(scope="module")
def world(models, tmp_path_factory):
    """A folder with everything that the commands need."""
    folder = tmp_path_factory.mktemp("world")
    for file in models.glob("*.*"):
        shutil.copy(file, folder)
    program = Program(folder, folder / "lists.safetensors")
    program.environment["SOTTO_MODELS"] = str(folder)
    program.write("in.txt", sentences(5))
    program.write("words.tsv", "".join(f"{word}\t{'ab'[i % 2]}\n" for i, word in enumerate(WORDS[10:30])))
    program.write("corpus.txt", "We saw New York City, soup and bread.\nNew York, soup, waiter, bread.\n" * 20)
    program.ok("collocations", "count", "corpus.txt", "-o", PHRASES, "--min-pmi", "0", "--quiet")
    program.ok("train", "vectors", "corpus.txt", "--phrases", PHRASES, "-o", "trained.safetensors", *TRAIN.split())
    program.write("in.jsonl", as_jsonl(make_records(60, 4)))
    program.write("k.key", bytes(range(32)))
    program.privatize("in.jsonl", "-o", "out.jsonl", "--field", "text", "--id-field", "id", "-e", "1", "--key-file", "k.key",
                      "--ledger", "spent.ledger", "--subject", "who", "--limit", "50", "--report", "receipt.json")
    make_world(program)
    return program


@pytest.fixture(scope="module")
def language_models(world):
    plugin = os.environ.get("SOTTO_FAKE_PLUGIN")
    if not plugin:
        pytest.skip("there is no plugin for tests")
    world.environment["SOTTO_PLUGINS"] = plugin
    make_model(world.folder / "bounded", range=10)
    make_model(world.folder / "free")
    make_causal_model(world.folder / "causal")
    world.write("letters.txt", "ab ab\na\n")
    return world


def make_causal_model(folder):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "vocab_size": 6}))
    (folder / "vocab.json").write_text(json.dumps({"<|endoftext|>": 0, "a": 1, "b": 2, "\u0120": 3}))
    (folder / "merges.txt").write_text("#version: 0.2\n")


def places_of_objects(value, path=()):
    """The paths of all objects in `value` except those whose keys are names: notes of a file, parameters."""
    if isinstance(value, dict) and (not path or path[-1] not in ("metadata", "parameters")):
        yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places_of_objects(part, (*path, key))


def check(name, value):
    """`value` is valid, and would not be with one more member anywhere."""
    validator = schema(name)
    validator.validate(value)
    for path in places_of_objects(value):
        damaged = copy.deepcopy(value)
        part = damaged
        for key in path:
            part = part[key]
        part["surprise"] = 1
        assert not validator.is_valid(damaged), f"valid with something strange in {path}"


@pytest.mark.parametrize("name, command", COMMANDS, ids=[command for _, command in COMMANDS])
def test_command(world, name, command):
    outcome = world.run(*command.split(), "--json")
    report = json.loads(outcome.text)
    refuted = name == "black_box" and report["verdict"] == "refuted"
    assert outcome.code == 0 or name == "ledger_check" and "--head" in command or refuted, outcome.err
    check(name, report)


@pytest.mark.parametrize("name, table", EXPORTS, ids=[table for _, table in EXPORTS])
def test_export(world, name, table):
    lines = world.ok("ledger", "export", "spent.ledger", "--what", table, "--format", "jsonl").text.splitlines()
    assert lines
    for line in lines[:20]:
        check(name, json.loads(line))


@pytest.mark.parametrize("name, command", LANGUAGE_MODELS, ids=[command for _, command in LANGUAGE_MODELS])
def test_language_model_command(language_models, name, command):
    check(name, json.loads(language_models.ok(*command.split(), "--json").text))


def test_tokenization_counts(world):
    outcome = world.ok("collocations", "tokenize", "corpus.txt", "--phrases", PHRASES, "--method", "gst", "--stats", "--quiet")
    check("tokenize", json.loads(outcome.err))


def test_claims():
    """tests/pipeline/ledger_claims_json_test.cpp compares the same file with what the library writes."""
    claims = json.loads((SOURCE / "fuzz/corpus/ledger_claims/two.json").read_text())
    check("ledger_claims", claims)
    for place, value in (("amount_nano", 0), ("amount_nano", 1.5), ("tag", "0A" * 16), ("mac", "1b")):
        wrong = copy.deepcopy(claims)
        wrong["claims"][0]["documents"][0][place] = value
        assert not schema("ledger_claims").is_valid(wrong)


def test_refusals_and_choices_are_among_the_reports(world):
    """Otherwise the parts of the schemas that describe them would go untested."""
    reports = [json.loads(world.ok(*command.split(), "--json").text) for name, command in COMMANDS if name in ("bench", "tune")]
    rows = [row for report in reports for row in report.get("results", report.get("points"))]
    assert any("refusal" in row for row in rows) and any("refusal" not in row for row in rows)
    assert any(report.get("choice") for report in reports)
    assert any("choice" in report and report["choice"] is None for report in reports)


def test_every_schema_is_tested_and_listed():
    names = {path.name.split(".")[0] for path in FOLDER.glob("*.schema.json")}
    assert names == {name for name, _ in COMMANDS + EXPORTS + LANGUAGE_MODELS} | ELSEWHERE | OPTIONS
    table = (FOLDER / "README.md").read_text()
    for name in names:
        assert f"`{name}`" in table
        content = json.loads((FOLDER / f"{name}.schema.json").read_text())
        assert content["title"].startswith("Sotto ") and content["description"].endswith(".")

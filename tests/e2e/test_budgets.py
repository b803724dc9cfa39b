"""Budgets per document, and words privatized in phrases, through the whole program."""

import json
import math

import pytest

from conftest import WORDS, Program, refused, sentences, vectors
from schemas import schema
from test_mechanisms import EVERY, LIST_MECHANISMS, NEEDING_WORDNET, tiny_wordnet

PHRASES = ["cold_soup", "night_train", "new_phone_battery", "i_think", "garden_music"]
USAGE, FAILED = 2, 1


@pytest.fixture(scope="session")
def phrase_models(tmp_path_factory):
    """Vectors and lists whose words include phrases, and a phrase table counted for them."""
    folder = tmp_path_factory.mktemp("phrases")
    program = Program(folder, folder / "lists.safetensors")
    words = WORDS + ["i", "think", "new"] + PHRASES
    program.write("vectors.txt", vectors(7, words))
    program.write("counts.tsv", "".join(f"{word}\t{2000 - i}\n" for i, word in enumerate(words)))
    program.ok("model", "import", "vectors.txt", "-o", "model.safetensors", "--vocabulary", "counts.tsv")
    program.ok("lists", "build", "--model", "model.safetensors", "-o", "lists.safetensors", "--seed", "1")
    corpus = "\n".join(phrase.replace("_", " ") for phrase in PHRASES) + "\n" + "\n".join(words[:20])
    program.write("corpus.txt", corpus)
    program.ok("collocations", "count", "corpus.txt", "-o", "phrases.safetensors", "--min-count", "1", "--quiet")
    return folder


@pytest.fixture
def choose(program, phrase_models):
    """The options that select a mechanism, its model and the phrases."""

    def options(mechanism):
        model = "lists" if mechanism in LIST_MECHANISMS else "model"
        chosen = ["-m", mechanism, "--model", phrase_models / f"{model}.safetensors"]
        if mechanism in NEEDING_WORDNET:
            chosen += ["--set", f"wordnet={tiny_wordnet(program.folder.parent / 'wordnet')}"]
        return chosen + ["--phrases", phrase_models / "phrases.safetensors"]

    return options


def phrased(count):
    """`count` lines of words, some of them phrases."""
    lines = sentences(count).splitlines()
    for i, phrase in enumerate(PHRASES * (count // 10)):
        lines[i * 7 % count] += f" So {phrase.replace('_', ' ')}, {phrase.replace('_', ' ').title()}!"
    return "\n".join(lines) + "\n"


# With shares between 0.5 and 10 every mechanism, even gumbel, is defined on these vectors.
@pytest.mark.parametrize("mechanism", EVERY)
def test_every_mechanism(program, choose, key, mechanism):
    program.write("in.txt", phrased(300))
    run = ["privatize", "in.txt", *choose(mechanism), "--budget", "S3", "--document-epsilon", "10", "--key-file", key,
           "--quiet"]
    expected = program.ok(*run, "--threads", "1", "--report", "receipt.json", "--statistics", "statistics.json").out
    assert expected.count(b"\n") == 300 and b"_" not in expected
    assert program.ok(*run, "--threads", "3", "--memory", "1M").out == expected
    assert b"".join(program.ok(*run, "--shard", f"{i}/3").out for i in (1, 2, 3)) == expected
    receipt = json.loads((program.folder / "receipt.json").read_text())
    assert json.loads((program.folder / "statistics.json").read_text())["phrases"]["in"] >= 200
    if receipt["guarantee"]["holds"]:
        assert receipt["guarantee"]["document"]["epsilon_sum_max"] <= 10
        assert "segmentation into tokens" in receipt["guarantee"]["adjacency"]
    assert receipt["budget"]["epsilon_per_token"]["largest"] <= 10 / 3


@pytest.mark.parametrize("mechanism", ("cmp", "santext", "diffractor-geometric"))
def test_every_format(program, choose, key, mechanism):
    base = [*choose(mechanism), "--collocations", "optimal", "--document-epsilon", "1e6", "--key-file", key,
            "--field", "text", "--quiet"]
    program.write("in.jsonl", '{"id": 1, "text": "We had cold\\nsoup."}\n{"id": 2, "text": "\\"Night train\\""}\n')
    program.write("in.csv", 'id,text\n1,"We had cold soup, I think"\n2,Night train\n')
    program.write("in.tsv", "id\ttext\n1\tnew phone battery\n")
    records = [json.loads(line) for line in program.ok("privatize", "in.jsonl", *base).text.splitlines()]
    assert [record["id"] for record in records] == [1, 2]
    assert records[0]["text"].startswith("We ") and records[0]["text"].endswith(" cold soup.")
    assert records[1]["text"] == '"Night train"'
    table = program.ok("privatize", "in.csv", *base).text.splitlines()
    assert table[1].endswith(' cold soup, I think"') and table[2] == "2,Night train"
    assert program.ok("privatize", "in.tsv", *base).text == "id\ttext\n1\tNew phone battery\n"


def test_an_additive_term_comes_on_top(program, choose):
    """For 100 tokens of santext-plus: 100 epsilon and 100 ln 5, for sensitive outputs only, and no rho."""
    ask = ["budget", *choose("santext-plus")[:4], "--epsilon", "1", "--tokens", "100"]
    plan = json.loads(program.ok(*ask, "--json").text)
    assert plan["epsilon"] == pytest.approx(100) and plan["additive"] == pytest.approx(100 * math.log(5))
    assert plan["scope"] == "sensitive outputs" and not {"rho", "epsilon_at_delta"} & set(plan)
    text = program.ok(*ask).text
    assert "on top, whatever the distances: 160.9" in text and "no rho" in text


def test_strategies(program, choose):
    """Tokens, shares and spending, for the four strategies of the paper and one document."""
    program.write("in.txt", "I think the soup was cold, so cold soup!\n")  # 9 words; i_think and cold_soup
    found = {}
    for name in ("S1", "S2", "S3", "S4"):
        options = choose("cmp") if name != "S1" else choose("cmp")[:4]
        program.ok("privatize", "in.txt", *options, "--budget", name, "--base-epsilon", "4", "--average-words", "4.5",
                   "--report", f"{name}.json", "--quiet")
        receipt = json.loads((program.folder / f"{name}.json").read_text())
        assert receipt["budget"]["document_epsilon"] == 18
        found[name] = (receipt["counts"]["privatized"], receipt["budget"]["epsilon_per_token"]["largest"],
                       receipt["guarantee"]["document"]["epsilon_sum_max"])
    assert found["S1"] == (pytest.approx(5), pytest.approx(18 / 5), pytest.approx(18))  # think soup cold cold soup
    assert found["S2"] == (7, pytest.approx(2), pytest.approx(14))
    assert found["S3"] == found["S4"] == (7, pytest.approx(18 / 7), pytest.approx(18))


def test_receipt_follows_its_schema(program, choose):
    program.write("in.txt", phrased(20))
    for options in (["--collocations", "mst", "-e", "2"], ["--budget", "S2", "--document-epsilon", "9"],
                    ["--collocations", "gst", "--budget", "positions", "--profile", "1,2", "--document-epsilon", "9"]):
        program.ok("privatize", "in.txt", *choose("tem"), *options, "--report", "receipt.json", "--quiet")
        receipt = json.loads((program.folder / "receipt.json").read_text())
        schema("receipt").validate(receipt)
        assert ("budget" in receipt) == ("--document-epsilon" in options)
        assert "segmentation into tokens" in receipt["guarantee"]["adjacency"]
        assert any("cut into tokens" in leak for leak in receipt["leaks"])


def test_a_configuration_file_holds_the_same_options(program, choose, key):
    program.write("in.txt", phrased(30))
    with_options = program.ok("privatize", "in.txt", *choose("cmp"), "--budget", "S3", "--base-epsilon", "2",
                              "--average-words", "10", "--key-file", key, "--quiet").out
    program.write("run.yaml", "budget: S3\nbase-epsilon: 2\naverage-words: 10\n")
    assert program.ok("privatize", "in.txt", *choose("cmp"), "--config", "run.yaml", "--key-file", key,
                      "--quiet").out == with_options


# (options, exit code, parts of the message); the model has no phrases of its own.
BAD = [
    ("-e 1 --document-epsilon 2", USAGE, ["--epsilon: cannot be given together"]),
    ("--budget S3", USAGE, ["--budget: 'S3' needs --document-epsilon"]),
    ("-e 1 --budget even", USAGE, ["--budget: 'even' needs --document-epsilon"]),
    ("--document-epsilon 2 --budget token", USAGE, ["--budget: 'token' is for --epsilon"]),
    ("--document-epsilon 2 --budget rarity", USAGE, ["--budget: 'rarity'", "private words"]),
    ("--document-epsilon 2 --budget S9", USAGE, ["--budget: 'S9'", "S1"]),
    ("--document-epsilon 2 --base-epsilon 1 --average-words 3", USAGE, ["--base-epsilon: cannot be given together"]),
    ("--base-epsilon 1", USAGE, ["--average-words: missing"]),
    ("--average-words 8", USAGE, ["--base-epsilon: missing"]),
    ("--base-epsilon x --average-words 8", USAGE, ["--base-epsilon: 'x' is not allowed"]),
    ("--base-epsilon 1 --average-words 0", USAGE, ["--average-words: '0' is not allowed"]),
    ("--base-epsilon 1e5 --average-words 20", USAGE, ["--base-epsilon times --average-words", "1e6"]),
    ("--document-epsilon 0", USAGE, ["--document-epsilon: '0' is not allowed"]),
    ("--document-epsilon nan", USAGE, ["--document-epsilon: 'nan' is not allowed"]),
    ("--document-epsilon 2 --budget positions", USAGE, ["--profile: missing"]),
    ("--document-epsilon 2 --profile 1,2", USAGE, ["--profile: only --budget positions"]),
    ("-e 1 --profile 1,2", USAGE, ["--profile: only --budget positions"]),
    ("--document-epsilon 2 --budget positions --profile 1,0", USAGE, ["--profile: '0' is not allowed"]),
    ("--document-epsilon 2 --target certified", USAGE, ["--target: 'certified' needs --epsilon"]),
    ("--document-epsilon 2 --budget S1 --collocations gst", USAGE, ["--collocations: 'gst' contradicts --budget S1"]),
    ("--document-epsilon 2 --budget S3 --collocations mst", USAGE, ["contradicts --budget S3, which means gst"]),
    ("--document-epsilon 2 --budget S4 --collocations gst", USAGE, ["contradicts --budget S4, which means mst"]),
    ("--document-epsilon 2 --budget S1 --stopwords privatize", USAGE, ["--stopwords: 'privatize' contradicts"]),
    ("--document-epsilon 2 --budget S2 --stopwords keep", USAGE, ["--stopwords: 'keep' contradicts"]),
    ("-e 1 --collocations best", USAGE, ["--collocations: 'best' is not allowed", "gst"]),
    ("-e 1 --collocations gst", USAGE, ["--collocations: model 'model' carries no phrases", "--phrases"]),
    ("-e 1 --collocations gst --phrases in.txt", FAILED, ["in.txt"]),
    ("-e 1 --collocations gst --phrases none", FAILED, ["none", "No such file"]),
    ("-e 1 --phrases none", USAGE, ["--phrases: 'none' needs --collocations"]),
    ("--document-epsilon 1e-9", FAILED, ["in.txt: record 1: a share of", "for each of 3 tokens is refused"]),
]


@pytest.mark.parametrize("options, code, parts", BAD, ids=[row[0] for row in BAD])
def test_what_does_not_go_together(program, phrase_models, options, code, parts):
    program.write("in.txt", "We had soup.\n")
    refused(program, ["privatize", "in.txt", "-o", "out", "-m", "cmp", "--model", phrase_models / "model.safetensors",
                      *options.split()], code, parts)


def test_other_commands_take_models_with_phrases(program, phrase_models):
    options = ["-m", "santext", "-e", "20", "--model", phrase_models / "model.safetensors", "--json"]
    read, joined = (json.loads(program.ok("explain", word, *options).text) for word in ("Cold Soup", "cold_soup"))
    assert read["in_vocabulary"] and read["n_w"] == joined["n_w"]
    assert json.loads(program.ok("audit", *options).text)["certified_epsilon"] <= 20
    json.loads(program.ok("attack", *options).text)

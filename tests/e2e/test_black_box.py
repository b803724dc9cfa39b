"""sotto audit --method black-box: mechanisms, the document path, foreign programs and their failures."""

import json
import sys

import pytest

from conftest import WORDS, refused

QUICK = ["--pairs", "12", "--runs", "40", "--seed", "1"]
DOCUMENT_DRAWS = 4000  # each goes through a whole document, which takes much longer than a word


def audit(program, *arguments, draws=20000):
    """The report. A refuted claim makes the exit code 1 and is said in one line; any other run succeeds."""
    outcome = program.run("audit", "--method", "black-box", *QUICK, "--draws", draws, *arguments, "--json")
    report = json.loads(outcome.text)
    refuted = report["verdict"] == "refuted"
    assert outcome.code == (1 if refuted else 0), outcome.err
    assert (outcome.err.startswith("sotto: the claim is refuted: ") and outcome.err.count("\n") == 1) == refuted
    return report


@pytest.fixture
def script(program):
    """Writes a foreign program that answers each word with `expression`."""

    def write(expression, setup=""):
        path = program.write("foreign.py", f"import random, sys\n{setup}\nfor line in sys.stdin:\n"
                                           f"    word = line.rstrip('\\n')\n    print({expression})\n")
        return f"{sys.executable} {path}"

    return write


def test_a_right_mechanism_is_not_refuted_and_the_report_says_what_was_tested(program):
    report = audit(program, "--model", program.model, "-e", "1")
    assert report["verdict"] == "failed to falsify"
    assert 0.3 < report["epsilon_lower_bound"] <= 1
    assert report["claim"] == {"epsilon": 1.0, "metric": "list index distance, the largest over the lists", "own": True}
    assert report["tests"] == len(report["pairs"]) == 24
    assert {pair["chosen_as"] for pair in report["pairs"]} == {"nearest", "farthest", "random", "ranked", "outside"}
    assert any("⊥" in (pair["first"], pair["second"]) for pair in report["pairs"])
    for pair in report["pairs"]:
        assert pair["draws"] == 10000
        assert pair["loss_lower_bound"] <= pair["claimed_loss"] or not pair["refutes"]
    assert report["tests_out_of_reach"] == sum(
        pair["claimed_loss"] >= report["largest_refutable_loss"] for pair in report["pairs"])


def test_the_seed_makes_it_repeatable(program):
    runs = [audit(program, "--model", program.model, "-e", "1") for _ in range(2)]
    assert runs[0].pop("seconds") > 0 and runs[1].pop("seconds") > 0
    assert runs[0] == runs[1]


def test_the_table_for_people(program):
    text = program.ok("audit", "--method", "black-box", *QUICK, "--draws", "20000", "--model", program.model, "-e", "1").text
    assert "failed to falsify" in text and "lower bound on ε" in text and "proved" not in text


def test_a_check_that_cannot_be_made_is_not_one_that_found_nothing(program, models, script):
    text = program.ok("audit", "--method", "black-box", *QUICK, "--draws", "2000", "--command", script("'the'"), "--metric",
                      "pure", "--model", models / "first.safetensors", "-e", "1").text
    assert "repeated outputs: not tested: outputs vary so little" in text and "not made" not in text


def test_a_mechanism_that_promises_nothing(program, models):
    options = ["-m", "vickrey", "--set", "exclude_input=true", "--model", models / "first.safetensors", "-e", "1"]
    refused(program, ["audit", "--method", "black-box", *options], 2, ["--metric", "promises nothing", "euclidean"])
    report = audit(program, *options, "--metric", "euclidean")
    assert report["verdict"] == "refuted" and report["refuted_by_loss"] and not report["claim"]["own"]


def test_the_document_path(program):
    strict = audit(program, "--model", program.model, "-e", "1", "--through", "document", draws=DOCUMENT_DRAWS)
    assert strict["verdict"] == "failed to falsify"
    assert any("jane.roe@example.org" in (pair["first"], pair["second"]) for pair in strict["pairs"])
    paper = ["--model", program.model, "-e", "1", "--through", "document", "--policy", "paper"]
    own = audit(program, *paper, draws=DOCUMENT_DRAWS)
    assert own["verdict"] == "failed to falsify"
    assert any("kept words" in pair["differ_in"] and not pair["claimed"] for pair in own["pairs"])
    given = audit(program, *paper, "--metric", "index", draws=DOCUMENT_DRAWS)
    assert given["verdict"] == "refuted" and given["epsilon_lower_bound"] == "infinite"


def test_two_texts(program):
    ask = ["--model", program.model, "-e", "1", "--through", "document"]
    outside = audit(program, *ask, "--pair", "5 soup", "50 soup", "--pair", "5 soup", "7 soup",
                    draws=DOCUMENT_DRAWS)
    assert outside["verdict"] == "failed to falsify" and len(outside["pairs"]) == 4
    assert outside["pairs"][-1]["differ_in"] == ["digit counts and separators of numbers"]
    assert outside["pairs"][-1]["loss_lower_bound"] > 3
    claimed = audit(program, *ask, "--metric", "index", "--pair", "5 soup", "50 soup", draws=DOCUMENT_DRAWS)
    assert claimed["verdict"] == "refuted"


def test_foreign_programs(program, models, script):
    words = ["--model", models / "first.safetensors", "--metric", "pure"]
    setup = f"words = {WORDS!r}"
    # One bit of the word, flipped with probability 1/6: the loss is ln 5 = 1.61.
    response = "words[(ord(word[0]) + (random.random() < 1 / 6)) % 2]"
    command = script(response, setup)
    right = audit(program, "--command", command, *words, "-e", "1.62")
    assert right["verdict"] == "failed to falsify" and right["epsilon_lower_bound"] > 1.3
    assert audit(program, "--command", command, *words, "-e", "1.2")["verdict"] == "refuted"
    # A fixed seed: every run draws the same noise.
    seeded = audit(program, "--command", script(response, setup + "\nrandom.seed(42)"), *words, "-e", "1.62")
    assert seeded["refuted_by_dependence"]
    # It passes unknown words through.
    passing = script("random.choice(words) if word in words else word", setup)
    assert audit(program, "--command", passing, *words, "-e", "1")["verdict"] == "refuted"
    kept = audit(program, "--command", passing, *words, "-e", "1", "--vocabulary-only")
    assert kept["verdict"] == "failed to falsify"


@pytest.mark.parametrize("command, parts", [
    ("no-such-program-here", ["cannot be run"]),
    ("exit 7", ["ended with status 7"]),
    ("kill -KILL $$", ["signal 9"]),
    ("head -n 5", ["wrote 5 lines for"]),
    ("sed p", ["lines for"]),
    ("yes", ["wrote more than"]),
    ("head -c 100000 /dev/urandom", ["not a word in line"]),
    ("sleep 100", ["did not end within 0.5 seconds"]),
])
def test_a_program_that_fails_is_answered_with_one_line(program, models, command, parts):
    refused(program, ["audit", "--method", "black-box", "--command", command, "--timeout", "0.5", "--model", models / "first.safetensors",
                      "--metric", "pure", "-e", "1", *QUICK, "--draws", "20000"], 1, ["--command", *parts])


@pytest.mark.parametrize("arguments, parts", [
    (["--draws", "5"], ["--draws", "'5'", "20"]),
    (["--draws", "many"], ["--draws", "'many'"]),
    (["--pairs", "0"], ["--pairs", "'0'"]),
    (["--confidence", "1"], ["--confidence", "'1'"]),
    (["--confidence", "nan"], ["--confidence", "'nan'"]),
    (["--runs", "3"], ["--runs", "'3'"]),
    (["--metric", "cosine"], ["--metric", "'cosine'", "euclidean"]),
    (["--metric", "euclidean"], ["--metric", "'euclidean'", "no vectors"]),
    (["--through", "walls"], ["--through", "'walls'", "document"]),
    (["--sample", "100"], ["--sample", "exact"]),
    (["--policy", "lax"], ["--policy", "'lax'"]),
    (["--timeout", "0"], ["--timeout", "'0'"]),
    (["--command", "cat"], ["--metric", "missing"]),
    (["--command", "cat", "--set", "a=b"], ["--command", "--set"]),
])
def test_bad_values(program, arguments, parts):
    refused(program, ["audit", "--method", "black-box", "--model", program.model, "-e", "1", *arguments], 2, parts)


def test_epsilon_is_needed(program):
    refused(program, ["audit", "--method", "black-box", "--model", program.model], 2, ["--epsilon", "missing"])

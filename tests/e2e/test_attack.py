"""sotto attack: consistent figures, exact and sampled, and bad values."""

import json

import pytest

from conftest import refused


def attack(program, *arguments):
    return json.loads(program.ok("attack", "--seed", "1", *arguments, "--json").text)


def by_name(report):
    return {entry["name"]: entry for entry in report["attacks"]}


def test_exact_figures_fit_together(program):
    report = attack(program, "--model", program.model, "-e", "1", "--words", "all")
    attacks = by_name(report)
    assert report["exact"] and report["whole_vocabulary"]
    assert set(attacks) == {"bayes", "nearest", "inversion"}
    for entry in attacks.values():
        assert entry["candidates"] == report["words"]
        for figure in (entry["success"], entry["expected_inference_error"]):
            assert figure["low"] == figure["value"] == figure["high"]
        assert entry["success"]["value"] <= attacks["bayes"]["success"]["value"] + 1e-12
        assert entry["best_guess_error"]["value"] == pytest.approx(1 - entry["success"]["value"])
        assert entry["best_guess_error"]["value"] <= entry["expected_inference_error"]["value"] + 1e-12
    # Over the whole vocabulary the nearest secret is the output itself.
    assert attacks["nearest"]["success"]["value"] == pytest.approx(1 - report["changed"]["value"])


def test_more_epsilon_more_success(program, models):
    model = models / "first.safetensors"
    success = [by_name(attack(program, "-m", "santext", "--model", model, "-e", e, "--attack", "bayes"))["bayes"]
               ["success"]["value"] for e in ("0.001", "2", "20")]
    assert success[0] < success[1] < success[2]
    words = attack(program, "-m", "santext", "--model", model, "-e", "0.001")["words"]
    assert success[0] == pytest.approx(1 / words, rel=0.01)


def test_sampled_figures_have_intervals(program, models):
    arguments = ["-m", "cmp", "--model", models / "first.safetensors", "-e", "4", "--words", "50", "--trials", "20000"]
    report = attack(program, *arguments)
    assert not report["exact"] and report["words"] == 50 and report["trials"] == 20000
    for entry in report["attacks"]:
        for figure in (entry["success"], entry["expected_inference_error"]):
            assert figure["low"] < figure["value"] < figure["high"]
    report.pop("seconds")
    again = attack(program, *arguments, "--threads", "1")
    again.pop("seconds")
    assert again == report


def test_the_table_for_people(program):
    text = program.ok("attack", "--model", program.model, "-e", "1", "--words", "17").text
    for part in ("bayes", "nearest", "inversion", "E_M", "L_M", "Bayes-optimal"):
        assert part in text
    # The number of candidates stands beside every success.
    head = next(line for line in text.splitlines() if "success" in line and "adversary" in line).split()
    assert head[:3] == ["attack", "success", "candidates"]
    rows = [line.split() for line in text.splitlines() if line.split()[:1] and line.split()[0] in ("bayes", "nearest", "inversion")]
    assert len(rows) == 3 and all(row[2] == "17" for row in rows)


@pytest.mark.parametrize("arguments, parts", [
    (["--attack", "magic"], ["--attack", "'magic'", "bayes"]),
    (["--words", "0"], ["--words", "'0'", "all"]),
    (["--words", "some"], ["--words", "'some'", "all"]),
    (["--prior", "zipf"], ["--prior", "'zipf'"]),
    (["--prior", "counts"], ["--prior", "'counts'", "no counts"]),
    (["--neighbours", "0"], ["--neighbours", "'0'"]),
    (["--draws", "-1"], ["--draws", "'-1'"]),
    (["--trials", "1e3"], ["--trials", "'1e3'"]),
    (["--confidence", "1"], ["--confidence", "'1'"]),
    (["--seed", "x"], ["--seed", "'x'"]),
    (["--mechanism", "none"], ["--mechanism", "'none'"]),
])
def test_bad_values(program, arguments, parts):
    refused(program, ["attack", "--model", program.model, "-e", "1", *arguments], 2, parts)

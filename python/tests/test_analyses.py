"""Explaining, auditing, attacking and planning give what the program gives."""

from __future__ import annotations

import json

import pytest
from conftest import TEXTS

import sotto

SAME = {
    "explain": (lambda: sotto.explain("pizza", "tem", 12), ["explain", "pizza", "-m", "tem", "-e", "12"]),
    "compare": (
        lambda: sotto.explain("pizza", "tem", [10, 12], against="sushi"),
        ["explain", "pizza", "--against", "sushi", "-m", "tem", "-e", "10,12"],
    ),
    "attack": (
        lambda: sotto.attack("tem", 12, attack="bayes", words=50, seed=1),
        ["attack", "-m", "tem", "-e", "12", "--attack", "bayes", "--words", "50", "--seed", "1"],
    ),
    "budget": (
        lambda: sotto.budget("custext", 2, tokens=200),
        ["budget", "-m", "custext", "-e", "2", "--tokens", "200"],
    ),
}


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(entry) for name, entry in value.items() if "seconds" not in name}
    return [without_times(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", SAME)
def test_results_are_those_of_the_program(name, run_program):
    call, arguments = SAME[name]
    assert without_times(call().to_dict()) == without_times(json.loads(run_program(*arguments, "--json")))


def test_explaining_a_place_in_a_text():
    explained = sotto.explain(text="The soup was cold.", place=2, mechanism="dp-mlm", epsilon=20)
    assert explained["word"] == "soup"
    compared = sotto.explain(text="The soup was cold.", place=2, mechanism="dp-mlm", epsilon=20, against="tea")
    assert compared["second"]["word"] == "tea"


def test_black_box_audits():
    audit = sotto.audit("tem", 12, method="black-box", draws=2000, pairs=2, runs=50, seed=1)
    assert not audit.refuted and isinstance(audit, sotto.BlackBoxAudit)


def test_exact_audits(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    certificate = sotto.audit("santext", 2, sample=20)
    assert isinstance(certificate, sotto.Certificate) and "epsilon" in certificate.to_json()


def test_attacks_on_texts():
    private = sotto.Privatizer("dp-mlm", 1000, seed=1).privatize(TEXTS[:1])
    assert isinstance(sotto.attack_texts(TEXTS[:1], private), sotto.Attack)


def test_measures_of_texts():
    near, far = ["The soup was cold."], ["Parliament debated the tax on Tuesday."]
    close = sotto.similarity(["A cold soup."], near)["mean"]
    assert close > sotto.similarity(["A cold soup."], far)["mean"]
    assert sotto.perplexity(near).to_dict()


def test_lists():
    names = [mechanism["name"] for mechanism in sotto.mechanisms()]
    assert len(names) == len(set(names)) and {"tem", "dp-mlm", "diffractor-geometric"} <= set(names)
    assert {"sotto-en-mlm", "sotto-en-cbow"} <= {model["name"] for model in sotto.models()}


def test_results_print():
    explained = sotto.explain("pizza", "tem", 12)
    assert "pizza" in repr(explained) and "<table>" in explained._repr_html_()
    assert "tem" in repr(sotto.attack("tem", 12, attack="bayes", words=50))


def test_previews_pair_words():
    preview = sotto.Privatizer("tem", 1).preview("The soup was cold.")
    assert preview.before == "The soup was cold."
    assert all(old.lower() != new.lower() for old, new in preview.replacements())

"""Receipts and statistics of what a Privatizer did."""

from __future__ import annotations

import json

import pytest
from conftest import KEY, TEXTS

import sotto


@pytest.fixture
def used():
    p = sotto.Privatizer("tem", 12, key=KEY, dataset="lines.txt", field="body")
    p.privatize(TEXTS)
    return p


def test_the_receipt_is_that_of_the_program_but_for_files(used, tmp_path, key_file, run_program):
    lines = tmp_path / "records.jsonl"
    lines.write_text("".join(json.dumps({"body": text}) + "\n" for text in TEXTS))
    receipt = tmp_path / "receipt.json"
    run_program("privatize", lines, "-m", "tem", "-e", 12, "--key-file", key_file, "--field", "body", "--dataset",
                "lines.txt", "--report", receipt)  # fmt: skip
    expected, receipt = json.loads(receipt.read_text()), used.receipt
    different = {name for name in expected if expected[name] != receipt.get(name)}
    assert receipt["input"]["format"] == "memory" and expected["input"]["format"] == "jsonl"
    assert different == {"input"}


def test_receipts_count_all_calls():
    p = sotto.Privatizer("tem", 12, key=KEY)
    assert p.statistics["words"]["in"] == 0
    p.privatize("one two three", id="1")
    assert p.statistics["words"]["in"] == 3
    p.privatize(["four five", None], ids=["2", "3"])
    assert p.statistics["words"]["in"] == 5
    with pytest.raises(ValueError):
        p.privatize(["six", "seven\0"], ids=["4", "5"])
    assert p.statistics["words"]["in"] == 5


def test_receipts_hold_no_text(used):
    page = used.receipt.to_json() + repr(used.receipt) + used.receipt._repr_html_()
    for word in ("soup", "Zürich", "someone@example.org", "kidney", "O'Neill"):
        assert word not in page


def test_receipts_are_mappings_and_files(used, tmp_path):
    receipt = used.receipt
    assert dict(receipt) == receipt.to_dict() == json.loads(receipt.to_json())
    assert len(receipt) == len(list(receipt)) and "guarantee" in receipt and receipt.get("nothing") is None
    receipt.to_dict()["guarantee"].clear()
    assert receipt["guarantee"]
    receipt.save(tmp_path / "receipt.json")
    assert sotto.read_receipt(tmp_path / "receipt.json").to_json() == receipt.to_json()


def test_receipts_describe_themselves(used, tmp_path, run_program):
    used.receipt.save(tmp_path / "receipt.json")
    shown = json.loads(run_program("receipt", "show", tmp_path / "receipt.json", "--json"))
    assert used.receipt.describe() == shown
    assert shown["promise"] in repr(used.receipt)


def test_markup_in_names_is_escaped():
    p = sotto.Privatizer("tem", 12, key=KEY, dataset="<script>alert(1)</script>", field="<b>")
    p.privatize(TEXTS)
    preview = p.preview("The <script>alert(1)</script> soup.")
    for page in (p.receipt._repr_html_(), p.statistics._repr_html_(), preview._repr_html_()):
        assert "<script>" not in page


def test_a_seed_shows_in_the_receipt():
    p = sotto.Privatizer("tem", 12, seed=1)
    p.privatize(TEXTS)
    assert p.receipt.to_json() != sotto.Privatizer("tem", 12, key=KEY).receipt.to_json()
    assert "not private" in repr(p.receipt) or "public" in repr(p.receipt)

"""Mechanisms with a language model, through the program; the model is the fake plugin's (tests/support/fake_plugin.cpp)."""

import json
import os

import pytest

WORDS = ["soup", "cold", "warm", "the", "was", "waiter", "i", "good", "bad"]
FRAME = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "!", "##a", "##b", "##c", "##d", "##x"]


def make_model(folder, **settings):
    folder.mkdir()
    config = {"model_type": "bert", "vocab_size": len(FRAME + WORDS), **settings}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("\n".join(FRAME + WORDS) + "\n")
    return folder


@pytest.fixture
def plugin(program):
    folder = os.environ.get("SOTTO_FAKE_PLUGIN")
    if not folder:
        pytest.skip("there is no plugin for tests")
    program.environment["SOTTO_PLUGINS"] = folder
    return folder


def test_without_the_plugin_one_line_says_what_is_missing(program):
    folder = make_model(program.folder / "model", range=10)
    program.environment["SOTTO_PLUGINS"] = str(program.folder)
    outcome = program.run("privatize", "-m", "dp-mlm", "--model", folder, "--epsilon", "10", stdin=b"the soup\n")
    assert outcome.code == 1 and outcome.out == b""
    assert outcome.err.count("\n") == 1 and "libtorch" in outcome.err


def test_a_wrong_folder_is_named(program, plugin):
    outcome = program.run("privatize", "-m", "dp-mlm", "--model", "./nowhere", "--epsilon", "10", stdin=b"a\n")
    assert outcome.code == 1 and "nowhere: no such folder" in outcome.err
    (program.folder / "empty").mkdir()
    outcome = program.run("privatize", "-m", "dp-mlm", "--model", "./empty", "--epsilon", "10", stdin=b"a\n")
    assert outcome.code == 1 and "config.json" in outcome.err
    outcome = program.run("privatize", "-m", "dp-prompt", "--epsilon", "10", stdin=b"a\n")
    assert outcome.code == 2 and "--model: missing" in outcome.err


def test_texts_are_rewritten_and_the_receipt_adds_up(program, plugin, key):
    folder = make_model(program.folder / "model", range=10)
    program.write("in.txt", "The soup was cold.\nZaphod!\n")
    outcome = program.ok("privatize", "in.txt", "-m", "dp-mlm", "--model", folder, "--epsilon", "25", "--key-file", key,
                         "--report", "receipt.json", "--delta", "1e-5")
    lines = outcome.text.splitlines()
    assert len(lines) == 2 and "Zaphod" not in outcome.text
    for line in lines:
        assert all(word.lower() in WORDS for word in line.strip(".!").split())
    assert "epsilon 25 a draw, at most 100 a text" in outcome.err
    receipt = json.loads((program.folder / "receipt.json").read_text())
    assert receipt["guarantee"]["document"]["zcdp"]["delta"] == 1e-5
    assert receipt["language_model"]["logits"]["bounded_by"] == "architecture"
    again = program.ok("privatize", "in.txt", "-m", "dp-mlm", "--model", folder, "--epsilon", "25", "--key-file", key,
                       "--threads", "3", "--set", "mode=parallel")
    assert again.out == outcome.out


def test_calibration(program, plugin):
    folder = make_model(program.folder / "free")
    program.write("public.txt", "the waiter was good\nthe soup was bad\n")
    ask = ["privatize", "-m", "dp-mlm", "--model", folder, "--epsilon", "25"]
    outcome = program.run(*ask, stdin=b"the soup\n")
    assert outcome.code == 1 and "sotto lm calibrate --model" in outcome.err
    assert "bounds    none" in program.ok("lm", "info", folder).text
    told = json.loads(program.ok("lm", "calibrate", "--model", folder, "public.txt", "--json").text)
    low, high = told["calibration"]["bounds"]
    assert high - low == pytest.approx(4 * told["calibration"]["standard_deviation"], rel=1e-5)
    assert "clipped to" in program.ok("lm", "info", folder).text
    program.ok(*ask, stdin=b"the soup\n")
    outcome = program.run(*ask, "public.txt")
    assert outcome.code == 2 and "this very file" in outcome.err and outcome.out == b""


def test_options_that_do_not_go_together(program, plugin):
    folder = make_model(program.folder / "model", range=10)
    for arguments, part in [
        (["-m", "dp-mlm", "--model", folder, "--document-epsilon", "10"], "--document-epsilon"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--device", "tpu"], "--device: 'tpu'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "mode=both"], "mode: 'both'"),
        (["--model", program.model, "--epsilon", "1", "--device", "cpu"], "--device: 'cpu' is for mechanisms"),
    ]:
        outcome = program.run("privatize", *arguments, stdin=b"the soup\n")
        assert outcome.code == 2 and part in outcome.err and outcome.err.count("\n") == 1, outcome.err
    outcome = program.run("explain", "soup", "-m", "dp-mlm", "--epsilon", "1")
    assert outcome.code == 2 and "whole texts" in outcome.err

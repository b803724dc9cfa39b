"""Mechanisms with a language model, through the program; the model is that of the fake plugin
(tests/support/fake_plugin.cpp)."""

import json
import os

import pytest
from conftest import SOURCE, skip_leak_search

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


@pytest.fixture
def libtorch(program):
    """The plugin that was built; skips if there is none."""
    program.environment["SOTTO_MODELS"] = str(SOURCE / "models")
    skip_leak_search(program.environment)
    if "libtorch" in program.run("lm", "info", "sotto-en-mlm", "--precision", "f32").err:
        pytest.skip("built without libtorch")


def test_another_processor_is_another_stream(program, libtorch, key):
    """There the model rounds to other words; with the same noise, both outputs would reveal more than one."""
    ask = ["privatize", "-m", "dp-mlm", "--epsilon", "10", "--precision", "f32", "--key-file", key, "--report", "r.json"]
    configurations = []
    for capability in (None, None, "default"):
        if capability:
            program.environment["ATEN_CPU_CAPABILITY"] = capability
        program.ok(*ask, stdin=b"the soup was cold and the waiter was gone\n")
        configurations.append(json.loads((program.folder / "r.json").read_text())["configuration_sha256"])
    assert configurations[0] == configurations[1] != configurations[2]


def test_the_shipped_models_need_no_plugin_and_are_the_same_everywhere(program, key):
    """What tells libraries to compute in another way changes nothing, and 'auto' is 8 bits."""
    program.environment.update(SOTTO_MODELS=str(SOURCE / "models"), SOTTO_PLUGINS="/nowhere")
    text = b"the soup was cold and the waiter was gone\n"
    outputs, receipts = set(), []
    for changes, precision in [({}, "auto"), ({}, "int8"), ({"ATEN_CPU_CAPABILITY": "default"}, "auto")]:
        program.environment.update(changes)
        ask = ["-m", "dp-mlm", "--epsilon", "25", "--precision", precision, "--key-file", key, "--report", "r.json"]
        outputs.add(program.ok("privatize", *ask, stdin=text).out)
        receipts.append(json.loads((program.folder / "r.json").read_text()))
    assert len(outputs) == 1 and len({receipt["configuration_sha256"] for receipt in receipts}) == 1
    assert receipts[0]["language_model"]["precision"] == "int8"
    assert receipts[0]["language_model"]["reproducible"].startswith("on every processor")
    program.write("a.txt", "the soup was cold\n")
    assert "1.000" in program.ok("lm", "similarity", "a.txt", "a.txt").text
    assert program.ok("lm", "perplexity", "a.txt").text
    program.ok("privatize", "-m", "dp-paraphrase", "--epsilon", "100", stdin=text)
    outcome = program.run("privatize", "-m", "dp-mlm", "--epsilon", "25", "--precision", "f32", stdin=text)
    assert outcome.code == 1 and "libtorch" in outcome.err and outcome.err.count("\n") == 1
    config = json.loads((SOURCE / "models" / "sotto-en-mlm" / "config.json").read_text())
    modes = config.get("modes", ["parallel", "sequential"])
    other = next(mode for mode in ["one-pass", "parallel"] if mode not in modes)
    outcome = program.run("privatize", "-m", "dp-mlm", "--epsilon", "25", "--set", f"mode={other}", stdin=text)
    assert outcome.code == 2 and outcome.err.count("\n") == 1
    assert f"'{other}' is not allowed; give {modes[0]}" in outcome.err


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
    assert "epsilon 25 per draw, at most 100 per text" in outcome.err
    receipt = json.loads((program.folder / "receipt.json").read_text())
    assert receipt["guarantee"]["document"]["zcdp"]["delta"] == 1e-5
    assert receipt["language_model"]["logits"]["bounded_by"] == "architecture"
    again = program.ok("privatize", "in.txt", "-m", "dp-mlm", "--model", folder, "--epsilon", "25", "--key-file", key,
                       "--threads", "3", "--set", "mode=auto")
    assert again.out == outcome.out


def test_calibration(program, plugin):
    folder = make_model(program.folder / "free")
    program.write("public.txt", "the waiter was good\nthe soup was bad\n")
    ask = ["privatize", "-m", "dp-mlm", "--model", folder, "--epsilon", "25"]
    outcome = program.run(*ask, stdin=b"the soup\n")
    assert outcome.code == 1 and "sotto lm calibrate --model" in outcome.err
    assert "draws     parallel or sequential; bounded law" in program.ok("lm", "info", folder).text
    assert "bounds    none" in program.ok("lm", "info", folder).text
    told = json.loads(program.ok("lm", "calibrate", "--model", folder, "public.txt", "--json").text)
    low, high = told["calibration"]["bounds"]
    assert high - low == pytest.approx(4 * told["calibration"]["standard_deviation"], rel=1e-5)
    assert "clipped to" in program.ok("lm", "info", folder).text
    program.ok(*ask, stdin=b"the soup\n")
    outcome = program.run(*ask, "public.txt")
    assert outcome.code == 2 and "this very text" in outcome.err and outcome.out == b""


def test_options_that_do_not_go_together(program, plugin):
    folder = make_model(program.folder / "model", range=10)
    for arguments, part in [
        (["-m", "dp-mlm", "--model", folder, "--document-epsilon", "10"], "--document-epsilon"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--device", "tpu"], "--device: 'tpu'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "mode=both"], "mode: 'both'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "law=fair"], "law: 'fair'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "law=balanced"], "law: 'balanced'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "alpha=-1"], "alpha: '-1'"),
        (["-m", "dp-mlm", "--model", folder, "--epsilon", "1", "--set", "antonyms=maybe"], "antonyms: 'maybe'"),
        (["--model", program.model, "--epsilon", "1", "--device", "cpu"], "--device: 'cpu' is for mechanisms"),
    ]:
        outcome = program.run("privatize", *arguments, stdin=b"the soup\n")
        assert outcome.code == 2 and part in outcome.err and outcome.err.count("\n") == 1, outcome.err
    outcome = program.run("explain", "soup", "-m", "dp-mlm", "--epsilon", "1")
    assert outcome.code == 2 and "whole texts" in outcome.err


def test_the_balanced_law_is_the_default_of_a_model_that_says_so(program, plugin, key):
    folder = make_model(program.folder / "model", range=10, balanced=True, law="balanced")
    ask = ["privatize", "-m", "dp-mlm", "--model", folder, "--epsilon", "8", "--key-file", key, "--report", "r.json"]
    program.ok(*ask, stdin=b"the soup was cold\n")
    receipt = json.loads((program.folder / "r.json").read_text())
    assert receipt["language_model"]["law"] == "balanced"
    assert receipt["guarantee"]["document"]["zcdp"]["rho_max"] == pytest.approx(4 * 8)
    program.ok(*ask, "--set", "law=bounded", "--set", "alpha=0.003", "--set", f"encoder={folder}", stdin=b"the soup\n")
    assert json.loads((program.folder / "r.json").read_text())["language_model"]["law"] == "bounded"
    make_model(program.folder / "odd", range=10, law="odd")
    outcome = program.run("privatize", "-m", "dp-mlm", "--model", "./odd", "--epsilon", "1", stdin=b"a\n")
    assert outcome.code == 1 and "config.json" in outcome.err and "'odd'" in outcome.err


def test_the_falsifier_knows_dp_mlm(program, plugin):
    folder = make_model(program.folder / "model", range=10)
    ask = ["audit", "--method", "black-box", "-m", "dp-mlm", "--model", folder, "--epsilon", "2", "--seed", "1"]
    found = json.loads(program.ok(*ask, "--draws", "5000", "--pairs", "8", "--runs", "50", "--json").text)
    assert found["verdict"] == "failed to falsify" and found["claim"]["own"] and found["audited"] == "dp-mlm"
    assert "failed to falsify" in program.ok(*ask, "--through", "document", "--draws", "100", "--pairs", "4", "--runs",
                                             "20").text
    outcome = program.run("audit", "--method", "black-box", "-m", "dp-prompt", "--epsilon", "2")
    assert outcome.code == 2 and "dp-mlm" in outcome.err


def test_similarity_and_perplexity(program, plugin):
    folder = make_model(program.folder / "model", range=10)
    program.write("a.txt", "the soup\ngood\n")
    program.write("b.txt", "the soup\nbad\n")
    found = json.loads(program.ok("lm", "similarity", "a.txt", "b.txt", "--model", folder, "--json").text)
    assert found["cosines"] == pytest.approx([1, 2 / 3]) and found["pairs"] == 2
    assert "2 pairs of lines" in program.ok("lm", "similarity", "a.txt", "b.txt", "--model", folder).text
    program.write("short.txt", "the soup\n")
    outcome = program.run("lm", "similarity", "a.txt", "short.txt", "--model", folder)
    assert outcome.code == 2 and "2 lines" in outcome.err
    (program.folder / "binary").write_bytes(bytes(range(256)))
    outcome = program.run("lm", "perplexity", "binary", "--model", folder)
    assert outcome.code == 1 and "not valid UTF-8" in outcome.err and outcome.err.count("\n") == 1
    causal = program.folder / "causal"
    causal.mkdir()
    (causal / "config.json").write_text(json.dumps({"model_type": "gpt2", "vocab_size": 6}))
    (causal / "vocab.json").write_text(json.dumps({"<|endoftext|>": 0, "a": 1, "b": 2, "\u0120": 3}))
    (causal / "merges.txt").write_text("#version: 0.2\n")
    program.write("ab.txt", "ab ab\na\n")
    found = json.loads(program.ok("lm", "perplexity", "ab.txt", "--model", causal, "--json").text)
    assert found["tokens"] == 6 and found["words"] == 3
    assert found["perplexity"] == pytest.approx(7.389056) and found["log_probability"] == pytest.approx(-12)
    assert program.ok("lm", "perplexity", "ab.txt", "--model", causal, "--lines").text.count("\n") == 2


def test_mask_token_inference(program, plugin):
    folder = make_model(program.folder / "model", range=10, favourite=13)
    program.write("a.txt", "the soup was cold\n")
    program.write("b.txt", "the waiter was soup\n")
    ask = ["attack", "--attack", "mask", "--original", "a.txt", "--privatized", "b.txt", "--model", folder]
    found = json.loads(program.ok(*ask, "--json").text)
    assert found["words"] == 4 and found["success"]["value"] == pytest.approx(0.25) and found["kept"] == 0.5
    text = program.ok(*ask).text
    assert "best guess is the original word" in text and f"among {found['vocabulary']} candidates" in text
    outcome = program.run("attack", "--attack", "mask", "--original", "a.txt")
    assert outcome.code == 2 and "--privatized: missing" in outcome.err
    outcome = program.run("attack", "--attack", "mask", "--epsilon", "1")
    assert outcome.code == 2 and "give it alone" in outcome.err

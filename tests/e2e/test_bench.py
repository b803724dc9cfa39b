"""sotto bench: figures for every mechanism that can run, reasons for the others, the plot, and bad values."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import WORDS, refused, sentences


def bench(program, *arguments):
    return json.loads(program.ok("bench", "--seed", "1", *arguments, "--json").text)


def test_words_and_data(program, models):
    program.write("reviews.txt", sentences(300))
    report = bench(program, "--model", models / "first.safetensors", "-m", "cmp,santext", "-e", "2", "--data", "reviews.txt")
    assert [r["mechanism"] for r in report["results"]] == ["cmp", "santext"]
    assert report["processors"] >= 1 and report["data"] == "reviews.txt"
    for result in report["results"]:
        assert result["model"] == "first"
        assert result["words"] == len(WORDS), "all words of a model that has fewer than 1,000"
        assert result["words_a_day"] == pytest.approx(result["words"] / result["words_first_seconds"] * 86400)
        assert result["words_again_a_day"] > 0 and result["setup_seconds"] > 0
        assert result["data_tokens"] > 1000 and result["data_tokens_a_day"] > 0
        assert result["bytes_a_word"] == pytest.approx(result["words_bytes"] / result["words"])
    assert report["results"][0]["data_tokens"] == report["results"][1]["data_tokens"]


def test_one_that_cannot_run_is_reported(program, models):
    report = bench(program, "--model", models / "first.safetensors", "-m", "diffractor-geometric,cmp")
    first, second = report["results"]
    assert "list" in first["refusal"]
    assert second["words_a_day"] > 0 and "refusal" not in second
    text = program.ok("bench", "--model", models / "first.safetensors", "-m", "diffractor-geometric,cmp").text
    assert "'first' has no word lists" in first["refusal"] and "'first' has no word lists" in text


def test_one_that_rewrites_whole_texts_says_so(program):
    report = bench(program, "-m", "dp-mlm", "--words", "10")
    assert "'dp-mlm' rewrites whole texts" in report["results"][0]["refusal"]


def test_parameters_and_their_values(program, models):
    report = bench(program, "--model", models / "first.safetensors", "-m", "vickrey,cmp", "--grid", "t=0,1", "--words", "50")
    assert [(r["mechanism"], r["parameters"]) for r in report["results"]] == [
        ("vickrey", {"t": "0"}), ("vickrey", {"t": "1"}), ("cmp", {})]
    assert all(r["words"] == 50 for r in report["results"])


def test_the_table_and_the_picture(program):
    text = program.ok("bench", "--model", program.model, "-m", "diffractor-geometric,diffractor-tem", "-o", "speed.svg").text
    for part in ("diffractor-geometric", "diffractor-tem", "memory", "per day", "set-up"):
        assert part in text
    picture = (program.folder / "speed.svg").read_text()
    assert ElementTree.fromstring(picture).tag.endswith("svg") and "diffractor-tem" in picture


@pytest.mark.parametrize("arguments, code, parts", [
    (["-m", "nothing"], 2, ["--mechanism", "'nothing'"]),
    (["-e", "0"], 2, ["--epsilon", "'0'"]),
    (["--words", "0"], 2, ["--words", "'0'"]),
    (["--field", "text"], 2, ["--field", "--data"]),
    (["--format", "csv"], 2, ["--format", "--data"]),
    (["--data", "absent.txt"], 1, ["absent.txt"]),
    (["-o", "absent/speed.svg"], 1, ["absent"]),
    (["--grid", "speed=1"], 2, ["--grid", "'speed'"]),
    (["--threads", "0"], 2, ["--threads", "'0'"]),
])
def test_bad_values(program, arguments, code, parts):
    refused(program, ["bench", "--model", program.model, *(["-m", "diffractor-tem"] if "-m" not in arguments else []),
                      *arguments], code, parts)


def test_an_absent_model(program):
    refused(program, ["bench", "--model", "absent.safetensors"], 1, ["absent.safetensors"])

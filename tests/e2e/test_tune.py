"""sotto tune: the choice and its figures, exact and sampled, the plot, and bad values."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import WORDS, refused


@pytest.fixture
def words(program):
    """The words of the small model in two classes, as one file and as two."""
    half = len(WORDS) // 2
    program.write("words.tsv", "".join(f"{word}\t{'low' if i < half else 'high'}\n" for i, word in enumerate(WORDS)))
    program.write("low.txt", "; a comment\n\n" + "\n".join(WORDS[:half]) + "\n")
    program.write("high.txt", "\n".join(WORDS[half:]) + "\nzanzibar\n")
    return program


def tune(program, models, *arguments):
    return json.loads(program.ok("tune", "--model", models / "first.safetensors", "--seed", "1", *arguments, "--json").text)


def test_the_choice_is_the_best_allowed(words, models):
    report = tune(words, models, "--words", "words.tsv", "-m", "santext,tem", "-e", "1:12:1", "--grid", "tem.gamma=2,4",
                  "--max-loss", "0.3")
    assert report["covered"] == report["listed"] == len(WORDS)
    assert len(report["points"]) == 12 * 3
    assert all(point["exact"] for point in report["points"])
    allowed = [p for p in report["points"] if p["utility_loss"]["value"] <= 0.3]
    best = max(allowed, key=lambda p: p["inference_error"]["value"])
    assert report["choice"] == best and report["choice_is_certain"]
    frontier = [report["points"][i] for i in report["frontier"]]
    assert [p["utility_loss"]["value"] for p in frontier] == sorted(p["utility_loss"]["value"] for p in frontier)
    assert best in frontier


def test_figures_agree_with_attack(words, models):
    """With all words of the model as secrets, E_M and the share of changed words equal those of sotto
    attack."""
    model = models / "first.safetensors"
    point = tune(words, models, "--words", "words.tsv", "-m", "santext", "-e", "3", "--max-loss", "1")["points"][0]
    attack = json.loads(words.ok("attack", "--model", model, "-m", "santext", "-e", "3", "--words", "all", "--attack",
                                 "bayes", "--json").text)
    assert point["inference_error"]["value"] == pytest.approx(
        attack["attacks"][0]["expected_inference_error"]["value"], rel=1e-9)
    assert point["best_guess_error"]["value"] == pytest.approx(attack["attacks"][0]["best_guess_error"]["value"], rel=1e-9)
    assert point["changed"]["value"] == pytest.approx(attack["changed"]["value"], rel=1e-9)


def test_sampled_figures_do_not_depend_on_threads(words, models):
    arguments = ["--class", "low=low.txt", "--class", "high=high.txt", "-m", "cmp,vickrey,mahalanobis", "-e", "2,20",
                 "--grid", "t=0,0.5,1", "--draws", "50", "--max-loss", "0.4"]
    report = tune(words, models, *arguments, "--threads", "1")
    again = tune(words, models, *arguments, "--threads", "3")
    report.pop("seconds"), again.pop("seconds")
    assert report == again
    assert report["listed"] == len(WORDS) + 1 and report["covered"] == len(WORDS)
    points = {(p["mechanism"], p["parameters"].get("t"), p["epsilon"]): p for p in report["points"]}
    assert len(points) == 2 * 5
    for point in points.values():
        assert not point["exact"]
        assert point["utility_loss"]["low"] <= point["utility_loss"]["value"] <= point["utility_loss"]["high"]
    # t = 0 is cmp, and shares its noise.
    assert points["vickrey", "0", 2]["inference_error"] == points["cmp", None, 2]["inference_error"]


def test_the_report_for_people(words, models):
    text = words.ok("tune", "--words", "words.tsv", "--model", models / "first.safetensors", "-m", "santext", "-e", "1:9:2",
                    "--max-loss", "0.3", "-o", "frontier.svg").text
    for part in ("E_M", "L_M", "Chosen: santext", "sotto privatize --mechanism santext --epsilon", "*", "exact"):
        assert part in text
    picture = ElementTree.parse(words.folder / "frontier.svg").getroot()
    assert picture.tag.endswith("svg")
    assert "santext" in (words.folder / "frontier.svg").read_text()


def test_nothing_meets_the_limit(words, models):
    report = tune(words, models, "--words", "words.tsv", "-m", "santext", "-e", "0.01", "--max-loss", "0.001")
    assert report["choice"] is None
    text = words.ok("tune", "--words", "words.tsv", "--model", models / "first.safetensors", "-m", "santext", "-e", "0.01",
                    "--max-loss", "0.001").text
    assert "Nothing meets L_M <= 0.001" in text


def test_losses_of_ones_own(words, models):
    words.write("losses.tsv", "low\thigh\t5\n")
    arguments = ["--words", "words.tsv", "-m", "santext", "-e", "3", "--max-loss", "9"]
    one = tune(words, models, *arguments)["points"][0]["utility_loss"]["value"]
    five = tune(words, models, *arguments, "--losses", "losses.tsv")["points"][0]["utility_loss"]["value"]
    assert five == pytest.approx(5 * one)


GOOD = ["--words", "words.tsv", "-m", "vickrey", "-e", "1", "--max-loss", "0.1"]


@pytest.mark.parametrize("arguments, code, parts", [
    (["-e", "1", "--max-loss", "1"], 2, ["--words", "--class"]),
    (["--words", "words.tsv", "--max-loss", "1"], 2, ["--epsilon", "1:20:1"]),
    (["--words", "words.tsv", "-e", "1"], 2, ["--max-loss", "missing"]),
    (GOOD + ["-e", "0"], 2, ["--epsilon", "once"]),
    (["--words", "words.tsv", "-e", "1,x", "--max-loss", "1"], 2, ["--epsilon", "'x'"]),
    (["--words", "words.tsv", "-e", "9:1:1", "--max-loss", "1"], 2, ["--epsilon", "'9:1:1'", "FIRST:LAST:STEP"]),
    (["--words", "words.tsv", "-e", "1:9:0", "--max-loss", "1"], 2, ["--epsilon", "'1:9:0'"]),
    (["--words", "words.tsv", "-e", "1", "--max-loss", "-1"], 2, ["--max-loss", "'-1'"]),
    (GOOD + ["--grid", "t"], 2, ["--grid", "'t'", "KEY=VALUE"]),
    (GOOD + ["--grid", "t=0,2"], 2, ["t", "'2'"]),
    (GOOD + ["--grid", "speed=1"], 2, ["--grid", "'speed'", "vickrey.t"]),
    (GOOD + ["--grid", "t=1", "--set", "t=0"], 2, ["--set", "'t'", "twice"]),
    (GOOD + ["--class", "low.txt"], 2, ["--class", "'low.txt'", "LABEL=FILE"]),
    (GOOD + ["--objective", "fame"], 2, ["--objective", "'fame'", "best-guess"]),
    (GOOD + ["--prior", "counts"], 2, ["--prior", "no counts"]),
    (GOOD + ["--outputs", "none"], 2, ["--outputs", "'none'"]),
    (GOOD + ["--draws", "1"], 2, ["--draws", "'1'"]),
    (GOOD + ["--confidence", "1"], 2, ["--confidence", "'1'"]),
    (GOOD + ["--seed", "x"], 2, ["--seed", "'x'"]),
    (GOOD + ["--losses", "absent.tsv"], 1, ["absent.tsv"]),
    (GOOD + ["-o", "absent/frontier.svg"], 1, ["absent"]),
    (["--words", "absent.tsv", "-e", "1", "--max-loss", "1"], 1, ["absent.tsv"]),
    (["--words", "../models", "-e", "1", "--max-loss", "1"], 1, ["models"]),
])
def test_bad_values(words, models, arguments, code, parts):
    refused(words, ["tune", "--model", models / "first.safetensors", *arguments], code, parts)


def test_a_binary_file(words, models):
    words.write("binary.tsv", bytes(range(256)))
    refused(words, ["tune", "--model", models / "first.safetensors", "--words", "binary.tsv", "-e", "1", "--max-loss", "1"],
            1, ["binary.tsv", "line 1", "UTF-8"])

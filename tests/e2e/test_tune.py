"""sotto tune: the choice and its figures, exact and sampled, the plot, and bad values."""

import json
import math
import shlex
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


def recommended(text):
    """The command that the report ends with, as arguments of the program."""
    line = text.rstrip().splitlines()[-1].strip()
    assert line.startswith("sotto privatize "), text
    return shlex.split(line)[1:]


@pytest.mark.parametrize("mechanism, extra", [
    ("santext", []),
    ("vickrey-k", ["--set", "t=0.5,0.2", "--set", "k=2"]),
    ("cmp", []),
    ("diffractor-geometric", []),
])
def test_the_command_has_the_figures_that_are_printed(words, models, mechanism, extra):
    """Runs the recommended command on the listed words and measures the loss of its output. The list has half of
    the model's words, so that a model reduced to the list would show. n = 24,000 tokens; by Hoeffding the mean is
    within 0.0174 of its expectation with probability 1 - 1e-6; sampled figures add their own interval."""
    listed = {word: "low" if i % 4 == 0 else "high" for i, word in enumerate(WORDS) if i % 2 == 0}
    words.write("half.tsv", "".join(f"{word}\t{label}\n" for word, label in listed.items()))
    arguments = ["tune", "--words", "half.tsv", "-m", mechanism, "-e", "3.123456789", "--max-loss", "1", "--draws", "400",
                 "--seed", "1", "--model", models / "first.safetensors", "--model", models / "lists.safetensors", *extra]
    point = json.loads(words.ok(*arguments, "--json").text)["choice"]
    command = recommended(words.ok(*arguments).text)
    assert command[command.index("--epsilon") + 1] == "3.123456789"
    repeats = 24_000 // len(listed)
    words.write("text.txt", "\n".join(" ".join([word] * repeats) for word in listed) + "\n")
    output = words.ok(*command, "text.txt", "--quiet").text.lower().splitlines()
    lost = changed = 0
    for word, line in zip(listed, output):
        replacements = line.split()
        assert len(replacements) == repeats
        lost += sum(listed.get(other) != listed[word] for other in replacements)
        changed += sum(other != word for other in replacements)
    tokens = repeats * len(listed)
    tolerance = (math.log(2 / 1e-6) / (2 * tokens)) ** 0.5
    for count, figure in ((lost, point["utility_loss"]), (changed, point["changed"])):
        print(count / tokens, figure, tolerance)
        assert figure["low"] - tolerance <= count / tokens <= figure["high"] + tolerance


def test_a_reduced_model_is_not_recommended(words, models):
    arguments = ["tune", "--words", "words.tsv", "--model", models / "first.safetensors", "-m", "santext", "-e", "3", "--max-loss", "1"]
    assert "sotto privatize" in words.ok(*arguments).text
    reduced = words.ok(*arguments, "--outputs", "list").text
    assert "sotto privatize" not in reduced and "--outputs model" in reduced and "Chosen: santext" in reduced


def test_lists_and_vectors_in_one_run(words, models):
    given = ["--words", "words.tsv", "-m", "santext,diffractor-geometric,cmp", "-e", "1,9", "--max-loss", "1", "--draws", "20",
             "--seed", "1", "--model", models / "first.safetensors", "--model", models / "lists.safetensors"]
    report = json.loads(words.ok("tune", *given, "--json").text)
    used = {(p["mechanism"], p["model"].split("/")[-1], p["unit"]) for p in report["points"]}
    assert used == {("santext", "first.safetensors", "epsilon times Euclidean distance of the vectors"),
                    ("cmp", "first.safetensors", "epsilon times Euclidean distance of the vectors"),
                    ("diffractor-geometric", "lists.safetensors",
                     "epsilon times list index distance")}
    text = words.ok("tune", *given, "-o", "frontier.svg").text
    assert "different units" in text and "diffractor-geometric: epsilon times list index distance" in text
    # Every point of the plot carries its epsilon.
    picture = (words.folder / "frontier.svg").read_text()
    assert picture.count(">ε 1</text>") == picture.count(">ε 9</text>") == 3


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

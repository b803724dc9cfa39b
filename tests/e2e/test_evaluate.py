"""Experiments: what a run leaves behind, resuming, missing parts, and error messages."""

import csv
import json
import random
import re
import signal

import pytest
from conftest import refused, wait_until_signals_are_caught
from experiment_world import command, kill_and_resume, make_world

FAILED = 1
WRONG = 2


@pytest.fixture
def world(program):
    make_world(program)
    return program


def results(program, folder):
    return [json.loads(line) for line in (program.folder / folder / "results.jsonl").read_text().splitlines()]


def test_the_whole_of_it(world):
    summary = json.loads(world.ok(*command("out", "--json")).text)
    lines = results(world, "out")
    assert summary["cells"] == summary["computed"] == len(lines) and summary["absent"] == []
    assert all(line["status"] == "done" for line in lines)

    kinds = {}
    for line in lines:
        kinds.setdefault(line["kind"], []).append(line)
    assert len(kinds["words"]) == 6  # three mechanisms, two epsilons
    assert len(kinds["overlap"]) == len(kinds["similarity"]) + 1 == 13  # two repetitions, and the originals
    assert len(kinds["classify"]) == 2 + 24
    assert len(kinds["attribute"]) == 1 + 24
    assert [line["measure"] for line in kinds["inference"]] == ["Moods", "Moods", "Frequent", "Frequent"]
    for line in kinds["words"]:
        assert 0 <= line["values"]["n_w"] <= 1 and 1 <= line["values"]["s_w"] <= 20
        assert line["values"]["exact"] == (line["mechanism"] == "TEM")
    changed = {(line["mechanism"], line["epsilon"]): line["values"]["pp"] for line in kinds["overlap"] if "epsilon" in line}
    for mechanism in ("CMP", "TEM", "Vickrey"):
        assert changed[mechanism, 0.5] > changed[mechanism, 4]
    baseline = [line["values"]["accuracy"] for line in kinds["classify"] if "mechanism" not in line]
    assert min(baseline) > 0.8  # the words reveal the label
    for line in kinds["inference"]:
        points = line["values"]["mechanisms"]
        assert set(points) == {"CMP", "TEM", "Vickrey"} and all(0 <= point["e_m"] <= 1 for point in points.values())
        # Words without classes have no loss.
        assert all(("l_m" in point) == (line["measure"] == "Moods") for point in points.values())
    assert max(line["values"]["covered"] for line in kinds["inference"]) <= 50

    page = (world.folder / "out" / "report.html").read_text()
    assert "seeded: not private" in page and "A small experiment" in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)|@import|url\(|<script|<link|<iframe""", page)
    assert page.count("<svg") > 10
    tables = world.folder / "out" / "tables"
    rows = list(csv.reader((tables / "privacy-notes.csv").open()))
    assert rows[0][0] == "mechanism" and len(rows) == 4 and {len(row) for row in rows} == {len(rows[0])}
    latex = (tables / "utility-fast.tex").read_text()
    assert latex.count("\\begin") == latex.count("\\end") == 2 and "\\toprule" in latex


def test_plots_of_groups(world):
    run = (world.folder / "run.yaml").read_text()
    run = run.replace("Vickrey: {", "Noise / CMP: {").replace("Fast: {", "Fast: {mechanisms: [CMP, TEM], ")
    world.write("run.yaml", run.replace("regression: true", "regression: true, utility: micro_f1"))
    world.ok(*command("out", "--quick"))
    plots = re.findall(r"<figure.*?</figure>", (world.folder / "out" / "report.html").read_text(), re.DOTALL)
    named = {re.search("<figcaption>(.*?)</figcaption>", plot)[1]: plot for plot in plots}
    assert len(named) == len(plots)
    # A mechanism without a group is compared with the group, and the lines have different names.
    assert "N_w on Notes: Noise" in named and "N_w on Notes" not in named
    lines = re.findall("<title>(.*?)</title>", named["N_w on Notes: Noise"])
    assert {"CMP", "TEM", "Noise / CMP"} <= set(lines)
    # A plot without a line of the group does not carry its name.
    assert "Noise" not in named["Utility: Notes, Fast"] and "micro F1 in percent" in named["Utility: Notes, Fast"]
    assert {"CMP", "TEM"} <= set(re.findall("<title>(.*?)</title>", named["Utility: Notes, Fast"]))


def test_mechanisms_with_a_model_each_share_a_plot(world):
    run = (world.folder / "run.yaml").read_text().replace("  Small: {vectors: small}", "  Small: {vectors: small}\n  Few: {vectors: small, limit: 60}")
    apart = run.replace("{mechanism: cmp}", "{mechanism: cmp, models: Few}")
    single = apart.replace("{mechanism: tem}", "{mechanism: tem, models: Small}").replace("{mechanism: vickrey}", "{mechanism: vickrey, models: Small}")
    for text, titles in ((apart, {"Utility: Notes, Few, Fast", "Utility: Notes, Small, Fast"}), (single, {"Utility: Notes, Fast"})):
        world.write("run.yaml", text)
        world.ok(*command("out", "--quick"))
        page = (world.folder / "out" / "report.html").read_text()
        assert {title for title in re.findall("<figcaption>(.*?)</figcaption>", page) if title.startswith("Utility")} == titles


@pytest.mark.parametrize("size, epsilons, more", [
    (["--quick"], "  epsilons: 4\n", "  epsilons: [4, 8]\n"),
    pytest.param([], "[0.5, 4]", "[0.5, 4, 8]", marks=pytest.mark.long),
])
def test_nothing_is_computed_twice_and_nothing_depends_on_threads(world, size, epsilons, more):
    world.ok(*command("out", *size))
    first = (world.folder / "out" / "results.jsonl").read_bytes()
    again = json.loads(world.ok(*command("out", "--json", *size)).text)
    assert (again["computed"], again["kept"]) == (0, again["cells"])
    world.ok("evaluate", "run.yaml", "--data", "data", "-o", "single", "--threads", "1", "--quiet", *size)
    assert (world.folder / "single" / "results.jsonl").read_bytes() == first
    # A larger run computes only what is new; another seed recomputes everything.
    run = (world.folder / "run.yaml").read_text()
    assert epsilons in run
    world.write("run.yaml", run.replace(epsilons, more))
    wider = json.loads(world.ok(*command("out", "--json", *size)).text)
    assert wider["kept"] == again["cells"] and wider["computed"] == (wider["cells"] - again["cells"]) > 0
    world.write("run.yaml", "seed: 9\n" + (world.folder / "run.yaml").read_text())
    assert json.loads(world.ok(*command("out", "--json", *size)).text)["kept"] == 0


def test_a_changed_text_is_computed_anew(world):
    world.ok(*command("out", "--quick"))
    notes = world.folder / "data" / "notes.csv"
    notes.write_text(notes.read_text().replace("soup", "coffee"))
    summary = json.loads(world.ok(*command("out", "--quick", "--json")).text)
    assert summary["kept"] == 0


@pytest.mark.parametrize("size, kills", [(["--quick"], 3), pytest.param([], 10, marks=pytest.mark.long)])
def test_killed_at_random_moments(world, size, kills):
    world.ok(*command("whole", *size))
    reference = (world.folder / "whole" / "results.jsonl").read_bytes()
    killed, finished = kill_and_resume(world, kills, random.Random(), reference, *size)
    assert killed == kills and finished >= 1


def test_stopped_by_the_user(world):
    process = world.start(*command("out"))
    wait_until_signals_are_caught(process)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    if process.returncode != 0:  # not faster than the signal
        assert process.returncode == FAILED
        assert error.count(b"\n") == 1 and b"interrupted" in error and b"out" in error and b"continues" in error
    world.ok(*command("out"))


def test_a_second_run_on_the_folder_is_refused(world):
    process = world.start(*command("out"))
    while not (world.folder / "out" / "cells").exists() and process.poll() is None:
        pass
    other = world.run(*command("out"))
    if process.poll() is None:
        assert other.code == FAILED and "another run" in other.err
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_what_is_absent_is_said(world):
    run = (world.folder / "run.yaml").read_text()
    run = run.replace("  Notes: {from: notes}\n", "  Notes: {from: notes}\n  Lost: {from: lost}\n")
    run = run.replace("  Small: {vectors: small}\n", "  Small: {vectors: small}\n  Gone: {vectors: lost}\n")
    run = run.replace("  CMP: {mechanism: cmp}\n", "  CMP: {mechanism: cmp}\n  Dream: {mechanism: no-such-mechanism}\n")
    run = run.replace("  classifiers:\n", "  classifiers:\n    Oracle: {kind: no-such-classifier}\n")
    world.write("run.yaml", run)
    outcome = world.ok(*command("out"))
    for reason in ("lost.csv is not in the data folder", "lost.txt is not in the data folder",
                   "no mechanism 'no-such-mechanism'", "no classifier 'no-such-classifier'"):
        assert reason in outcome.text
        assert reason in (world.folder / "out" / "report.html").read_text()
    states = {line["status"] for line in results(world, "out")}
    assert states == {"done", "absent"}
    for line in results(world, "out"):
        assert (line["status"] == "absent") == ("reason" in line) == ("values" not in line)
    # What becomes available later is measured then.
    world.write("data/lost.txt", (world.folder / "data" / "small.txt").read_text())
    assert "lost.txt" not in world.ok(*command("out")).text


def test_without_a_data_folder_everything_is_absent(world):
    summary = json.loads(world.ok("evaluate", "run.yaml", "-o", "out", "--quiet", "--json").text)
    assert summary["computed"] == 0 and sum(entry["cells"] for entry in summary["absent"]) == summary["cells"]


@pytest.mark.parametrize("arguments, change, code, parts", [
    (["--data", "nowhere"], None, WRONG, ["--data", "nowhere"]),
    (["--threads", "x"], None, WRONG, ["--threads", "'x'"]),
    ([], ("title:", "tytle:"), WRONG, ["run.yaml", "line 2", "'tytle'", "title"]),
    ([], ("{from: notes}", "{from: nots}"), WRONG, ["'nots'", "notes"]),
    ([], ("{vectors: small}", "{vectors: smal}"), WRONG, ["'smal'", "small", "lost"]),
    ([], ("{words: moods", "{words: mood"), WRONG, ["'mood'", "moods"]),
    ([], ("title:", "data: none.yaml\ntitle:"), FAILED, ["none.yaml"]),
    ([], ("quick:", "report: {}\nquick:"), WRONG, ["line", "'report'", "twice"]),
])
def test_mistakes(world, arguments, change, code, parts):
    if change:
        world.write("run.yaml", (world.folder / "run.yaml").read_text().replace(*change))
    before = set(world.files())
    outcome = world.run("evaluate", "run.yaml", "-o", "out", "--quiet", *arguments)
    assert outcome.code == code and outcome.err.count("\n") == 1, outcome
    for part in parts:
        assert part in outcome.err
    assert outcome.out == b""
    assert set(world.files()) == before


def test_a_run_file_that_is_not_there(world):
    refused(world, ["evaluate", "none.yaml"], FAILED, "none.yaml")
    world.write("binary.yaml", bytes(range(256)))
    assert world.run("evaluate", "binary.yaml").code != 0

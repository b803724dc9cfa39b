"""Experiments: what a run leaves behind, resuming, missing parts, and error messages."""

import csv
import html
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
    # A plot without a line of the group does not carry its name. A score is called by its name.
    assert "Noise" not in named["micro F1: Notes, Fast"] and "micro F1 in percent" in named["micro F1: Notes, Fast"]
    assert {"CMP", "TEM"} <= set(re.findall("<title>(.*?)</title>", named["micro F1: Notes, Fast"]))


def test_mechanisms_with_a_model_each_share_a_plot_unless_an_axis_is_epsilon(world):
    run = (world.folder / "run.yaml").read_text().replace("  Small: {vectors: small}", "  Small: {vectors: small}\n  Few: {vectors: small, limit: 60}")
    apart = run.replace("{mechanism: cmp}", "{mechanism: cmp, models: Few}")
    single = apart.replace("{mechanism: tem}", "{mechanism: tem, models: Small}").replace("{mechanism: vickrey}", "{mechanism: vickrey, models: Small}")
    for text, titles in ((apart, {"Notes, Few, Fast", "Notes, Small, Fast"}), (single, {"Notes, Fast"})):
        world.write("run.yaml", text)
        world.ok(*command("out", "--quick"))
        captions = re.findall("<figcaption>(.*?)</figcaption>", (world.folder / "out" / "report.html").read_text())
        assert {title for title in captions if title.startswith("N_w and")} == {f"N_w and accuracy: {of}" for of in titles}
        # A distance belongs to its model, so the same epsilon on another model is another one.
        assert {title for title in captions if title.startswith("Accuracy")} == {
            f"Accuracy: Notes, Fast (ε times Euclidean distance in {model})" for model in ("Few", "Small")}


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
        assert error.count(b"\n") == 1 and b"interrupted" in error and b"out" in error and b"; to resume, run: " in error
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
    world.write("run.yaml", run)
    # Without being asked to, it does nothing but say so.
    refused(world, command("out"), WRONG, ["run.yaml", "lost-test.csv", "data folder", "2 more", "--data", "--skip-missing"])
    outcome = world.ok(*command("out", "--skip-missing"))
    for reason in ("lost.csv is not in the data folder", "lost.txt is not in the data folder"):
        assert reason in outcome.text
        assert reason in (world.folder / "out" / "report.html").read_text()
    states = {line["status"] for line in results(world, "out")}
    assert states == {"done", "absent"}
    for line in results(world, "out"):
        assert (line["status"] == "absent") == ("reason" in line) == ("values" not in line)
    # What becomes available later is measured then.
    world.write("data/lost.txt", (world.folder / "data" / "small.txt").read_text())
    assert "lost.txt" not in world.ok(*command("out", "--skip-missing")).text


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "lock"}


def test_a_run_without_its_data_leaves_a_finished_report_alone(world):
    world.ok(*command("out", "--quick"))
    finished = snapshot(world.folder / "out")
    assert "report.html" in finished
    (world.folder / "data").rename(world.folder / "elsewhere")
    (world.folder / "data").mkdir()
    for arguments, parts in (
            (["--data", "data"], ["notes.csv", "data folder", "--skip-missing"]),
            (["--data", "data", "--skip-missing"], ["out", "figures for", "cannot measure", "-o"]),
            ([], ["notes.csv", "--data"]),
    ):
        outcome = world.run("evaluate", "run.yaml", "-o", "out", "--quick", "--quiet", *arguments)
        assert outcome.code == WRONG and outcome.err.count("\n") == 1 and outcome.out == b"", outcome
        for part in parts:
            assert part in outcome.err
        assert snapshot(world.folder / "out") == finished
    # Half of the data is no better: the report would lose the other half.
    run = (world.folder / "run.yaml").read_text()
    world.write("data/small.txt", (world.folder / "elsewhere" / "small.txt").read_bytes())
    assert world.run(*command("out", "--quick", "--skip-missing")).code == WRONG
    assert snapshot(world.folder / "out") == finished and (world.folder / "run.yaml").read_text() == run
    # In a new folder nothing can be measured, so no report appears.
    nothing = world.run(*command("new", "--quick", "--skip-missing"))
    assert nothing.code == WRONG and "nothing could be measured" in nothing.err and nothing.out == b""
    assert not (world.folder / "new").exists()


def test_a_run_that_measures_nothing_leaves_nothing_of_its_own(world):
    (world.folder / "data").rename(world.folder / "elsewhere")
    (world.folder / "data").mkdir()
    (world.folder / "mine").mkdir()
    world.write("mine/keep.txt", "mine")
    before = world.files()
    for folder in ("new", "a/b/new", "mine"):
        outcome = world.run(*command(folder, "--quick", "--skip-missing"))
        assert outcome.code == WRONG and "no report is written" in outcome.err
        assert world.files() == before


def test_what_a_run_leaves_is_closed_to_others(world):
    """It has copies of the original texts."""
    older = world.folder / "out"
    older.mkdir()
    older.chmod(0o755)
    world.write("out/report.html", "older").chmod(0o644)
    for folder in ("out", "new"):
        world.ok(*command(folder, "--quick"))
        modes = {path.relative_to(world.folder): path.stat().st_mode & 0o777 for path in (world.folder / folder).rglob("*")}
        folders = {path for path in modes if (world.folder / path).is_dir()}
        assert {modes[path] for path in folders} == {0o700}
        own = {path for path in modes.keys() - folders if path.name != "lock" and path.parent.name != "models"}
        assert {modes[path] for path in own} == {0o600}
        assert any(path.name.startswith("original-") for path in own)
        assert "Confidential" in (world.folder / folder / "report.html").read_text()
    assert older.stat().st_mode & 0o777 == 0o755 and (world.folder / "new").stat().st_mode & 0o777 == 0o700


ONE_FILE = """
title: One file
epsilons: [0.5, 4]
repetitions: %d
datasets:
  My notes: {path: notes.csv, label: label, test: 0.4}
models:
  Small: {file: %s}
  Lists: {file: %s}
mechanisms:
  cmp: {models: Small}
  TEM: {mechanism: tem, models: Small}
  Steps: {mechanism: diffractor-geometric, models: Lists, epsilons: [0.1, 1]}
measures:
  words: {words: 5, draws: 20, split: train}
  texts: {metrics: [pp, cs]}
  classifiers:
    Fast: {kind: fasttext, runs: 1, set: {buckets: 1000, dimension: 10}}
  attackers:
    Author: {kind: fasttext, attribute: who, runs: 1, set: {buckets: 1000, dimension: 10}}
report: {puc_alphas: [0.5], regression: true}
"""


@pytest.fixture
def one_file(world, models):
    """A run file in the folder of its data, without a catalog."""
    (world.folder / "data.yaml").unlink()

    def write(repetitions=1):
        world.write("data/run.yaml", ONE_FILE % (repetitions, models / "first.safetensors", models / "lists.safetensors"))

    write()
    world.one_file = write
    return world


def test_one_file_beside_its_data_is_enough(one_file):
    summary = json.loads(one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet", "--json").text)
    assert summary["absent"] == [] and summary["computed"] == summary["cells"]


def test_epsilons_of_different_units_stay_apart(one_file):
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    tables = one_file.folder / "out" / "tables"
    names = {path.stem for path in tables.glob("*.csv")}
    units = ("euclidean-distance-in-small", "index-distance-in-lists")
    for kind in ("privacy-my-notes", "utility-fast", "attack-author-my-notes"):
        assert {name for name in names if name.startswith(kind)} == {f"{kind}-{unit}" for unit in units}
    for unit, mechanisms, epsilons in ((units[0], {"cmp", "TEM"}, {"0.5", "4"}), (units[1], {"Steps"}, {"0.1", "1"})):
        header, *rows = csv.reader((tables / f"privacy-my-notes-{unit}.csv").open())
        assert {row[1] for row in rows} == mechanisms
        assert {title.split()[2] for title in header[2:]} == epsilons
    # No plot has lines of two units over an axis of epsilon; plots of figures do.
    page = (one_file.folder / "out" / "report.html").read_text()
    for plot in re.findall('<figure class="plot">.*?</figure>', page, re.DOTALL):
        lines = set(re.findall("<title>(.*?)</title>", plot))
        if re.search(r">ε times ", plot):
            assert not ({"Steps"} <= lines and lines & {"cmp", "TEM"}), lines
    # Bold marks the best of one unit.
    for table in re.findall('<figure class="table" id="privacy-[^"]*">.*?</figure>', page, re.DOTALL):
        assert ("Steps" in table) != ("TEM" in table)


def test_mechanisms_at_equal_attack_success(one_file):
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    header, *rows = csv.reader((one_file.folder / "out" / "tables" / "equal-attack-author-my-notes.csv").open())
    assert header[:3] == ["model", "mechanism", "unit of ε"] and "success" in header[3]
    assert {row[2] for row in rows} <= {"Euclidean distance in Small", "index distance in Lists"}
    assert any(cell for row in rows for cell in row[3:])
    assert all("–" not in cell for row in rows for cell in row)


def test_sample_texts_before_and_after(one_file):
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    page = html.unescape((one_file.folder / "out" / "report.html").read_text())
    samples = re.findall('<figure class="table" id="sample-my-notes-(\\d)">(.*?)</figure>', page, re.DOTALL)
    assert [number for number, _ in samples] == ["1", "2", "3"]
    originals = (one_file.folder / "data" / "notes.csv").read_text()
    for _, table in samples:
        cells = re.findall("<tr><th[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td></tr>", table)
        assert cells[0][0] == "original" and cells[0][1] in originals
        labels = [label for label, _ in cells[1:]]
        assert labels == [f"{name}, ε = {epsilon} ({unit})" for name, unit, epsilons in (
            ("cmp", "Euclidean distance in Small", ("0.5", "4")), ("TEM", "Euclidean distance in Small", ("0.5", "4")),
            ("Steps", "index distance in Lists", ("0.1", "1"))) for epsilon in epsilons]
        assert any(text != cells[0][1] for _, text in cells[1:])


@pytest.mark.parametrize("repetitions, said, not_said", [
    (1, [], ["range of two runs", "standard deviation"]),
    (2, ["the range of two runs, which is no confidence interval"], ["± standard deviation over"]),
    (3, ["± standard deviation over repetitions and runs"], ["range of two runs"]),
])
def test_spreads_are_called_what_they_are(one_file, repetitions, said, not_said):
    one_file.one_file(repetitions)
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    page = (one_file.folder / "out" / "report.html").read_text()
    tables = "".join(re.findall('<figure class="table" id="utility.*?</figure>', page, re.DOTALL))
    for part in said:
        assert part in tables
    for part in not_said:
        assert part not in tables
    header = (one_file.folder / "out" / "tables" / "utility-fast-index-distance-in-lists.csv").read_text().splitlines()[0]
    assert ("lower of two" in header) == (repetitions == 2) and (" sd" in header) == (repetitions == 3)


def test_metrics_have_one_name_each_and_are_explained(one_file):
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    page = html.unescape((one_file.folder / "out" / "report.html").read_text())
    assert "PP+" not in page and ">utility" not in page
    for part in ("Utility: accuracy of Fast", "task F1 ↑", "Task F1: macro F1 of Fast", "over majority",
                 "RG, relative gain: the share of the task's original F1 that is kept"):
        assert part in page, part


def test_a_score_above_the_original_is_remarked(one_file):
    """Random labels: what is learnt from 24 texts is chance, so some privatized score exceeds the original one."""
    notes = (one_file.folder / "data" / "notes.csv").read_text().splitlines()
    draw = random.Random(1)
    rows = [",".join([line.rsplit(",", 2)[0], draw.choice(["good", "bad"]), line.rsplit(",", 1)[1]]) for line in notes[1:]]
    one_file.write("data/notes.csv", "\n".join(notes[:1] + rows) + "\n")
    one_file.ok("evaluate", "data/run.yaml", "-o", "out", "--quiet")
    page = (one_file.folder / "out" / "report.html").read_text()
    for unit in ("euclidean-distance-in-small", "index-distance-in-lists"):
        header, *rows = csv.reader((one_file.folder / "out" / "tables" / f"utility-fast-{unit}.csv").open())
        original = next(row for row in rows if "unprotected" in row)
        above = any(float(row[i]) > float(original[i]) for row in rows[2:] for i in range(2, len(header)) if row[i])
        table = re.search(f'<figure class="table" id="utility-fast-{unit}">.*?</figure>', page, re.DOTALL)[0]
        assert ("Higher than on original texts: " in table) == above
    assert "Higher than on original texts: " in page


@pytest.mark.parametrize("arguments, change, code, parts", [
    (["--data", "nowhere"], None, WRONG, ["--data", "nowhere"]),
    (["--threads", "x"], None, WRONG, ["--threads", "'x'"]),
    ([], ("title:", "tytle:"), WRONG, ["run.yaml", "line 2", "'tytle'", "title"]),
    ([], ("{from: notes}", "{from: nots}"), WRONG, ["'nots'", "notes"]),
    ([], ("{vectors: small}", "{vectors: smal}"), WRONG, ["'smal'", "small", "lost"]),
    ([], ("{words: moods", "{words: mood"), WRONG, ["'mood'", "moods"]),
    ([], None, WRONG, ["notes.csv", "data folder", "--data", "--skip-missing"]),
    ([], ("title:", "tytle:"), WRONG, ["did you mean 'title'"]),
    ([], ("title: A small experiment\n", ""), WRONG, ["title is missing"]),
    ([], ("{from: notes}", "{from: nots}"), WRONG, ["did you mean 'notes'", "there are: lost, notes"]),
    ([], ("{vectors: small}", "{vectors: smal}"), WRONG, ["did you mean 'small'"]),
    ([], ("{mechanism: vickrey}", "{mechanism: vikrey}"), WRONG, ["line 13", "'vikrey'", "did you mean 'vickrey'"]),
    ([], ("{mechanism: tem}", "{mechanism: tem, set: {gama: 2}}"), WRONG, ["line 12", "'gama'", "did you mean 'gamma'"]),
    ([], ("[pp, cs, low,", "[pp, cs, lo,"), WRONG, ["metrics", "'lo'", "did you mean 'low'", "there are: pp, "]),
    ([], ("kind: fasttext, runs: 2", "kind: fasttex, runs: 2"), WRONG, ["kind", "'fasttex'", "did you mean 'fasttext'"]),
    ([], ("{buckets: 1000, dimension: 10}}\n  att", "{bucket: 1000}}\n  att"), WRONG, ["'bucket'", "did you mean 'buckets'"]),
    ([], ("puc_alphas", "puc_alpha"), WRONG, ["did you mean 'puc_alphas'"]),
    (["--data", "data"], ("attribute: who", "attribute: whom"), WRONG, ["notes.csv", "'whom'", "did you mean 'who'"]),
    (["--data", "data"], ("least_occurring: 20", "split: tset"), WRONG, ["no split 'tset'", "did you mean 'test'"]),
    (["--data", "data"], ("{vectors: small}", "{file: sotto-en-skipgran}"), WRONG, ["model 'Small'", "sotto-en-skipgran", "; give --skip-missing to measure the rest\n"]),
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

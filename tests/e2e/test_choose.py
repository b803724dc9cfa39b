"""sotto choose: the table, the page, the recommended command; and the attacker beside every epsilon."""

import json
import random
import re
import resource
import shlex
import stat
import subprocess

import pytest
from conftest import OPTIMIZED, SOTTO, WORDS, sentences

PUBLIC = "The soup was cold and the waiter was in the garden\nMy dog and a cat, the doctor and the train\n"
SANTEXT = ["--mechanism", "santext", "--model", "./first.safetensors", "--public", "public.txt", "--threads", "1"]


@pytest.fixture
def chooser(program, models):
    (program.folder / "first.safetensors").write_bytes((models / "first.safetensors").read_bytes())
    program.write("public.txt", PUBLIC)
    program.write("private.txt", sentences(40))
    return program


def chosen(program, *arguments):
    return json.loads(program.ok("choose", *arguments, "--json").text)


def run_in_shell(program, command):
    """Runs a command as a person would paste it."""
    assert command.startswith("sotto ")
    line = shlex.quote(str(SOTTO)) + command[len("sotto"):]
    return subprocess.run(line, shell=True, cwd=program.folder, env=program.environment, capture_output=True, text=True,
                          timeout=120)


def command_in(text):
    """The recommended command, on the last line."""
    return text.rstrip().splitlines()[-1].strip()


CASES = [
    # (arguments, exit code, parts of the line)
    (["nowhere.txt"], 1, ["nowhere.txt"]),
    ([], 2, ["FILE"]),
    (["private.txt", "--mechanism", "santxt"], 2, ["--mechanism", "santxt"]),
    (["private.txt", "--mechanism", "dp-mlm"], 2,
     ["--mechanism: 'dp-mlm' rewrites whole texts", "'sotto mechanisms dp-mlm'", "sotto explain --mechanism dp-mlm --text TEXT --word 1 --epsilon"]),
    (["private.txt", "--mechanism", "tem,santext,cmp,vickrey,gumbel"], 2, ["--mechanism", "at most 4"]),
    (["private.txt", "--mechanism", "tem,tem"], 2, ["--mechanism", "given twice"]),
    (["private.txt", "--most-recovered", "0"], 2, ["--most-recovered", "'0'"]),
    (["private.txt", "--most-recovered", "1.5"], 2, ["--most-recovered", "'1.5'"]),
    (["private.txt", "--most-recovered", "nan"], 2, ["--most-recovered", "'nan'"]),
    (["private.txt", "--seed", "-1"], 2, ["--seed"]),
    (["private.txt", "--model", "./first.safetensors"], 2, ["--model", "--mechanism"]),
    (["private.txt", "--field", "text"], 2, ["--field", "text"]),
    (["private.csv", "--mechanism", "tem"], 2, ["--field"]),
    (["private.csv", "--field", "body", "--mechanism", "tem"], 1, ["body", "text"]),
    (["private.txt", "--public", "private.txt", "--mechanism", "santext", "--model", "./first.safetensors"], 2,
     ["--public", "is the private text"]),
    (["private.txt", "--public", "missing.txt", "--mechanism", "santext", "--model", "./first.safetensors"], 1,
     ["missing.txt"]),
    (["numbers.txt", "--mechanism", "santext", "--model", "./first.safetensors"], 1, ["numbers.txt", "no words"]),
    (["strange.txt", "--use-private", *SANTEXT], 2, ["--use-private", "no word of first's vocabulary"]),
    (["private.csv", "--field", "text", "--delimiter", "ab"], 2, ["--delimiter", "'ab'"]),
    (["private.csv", "--field", "text", "--missing", "ignore"], 2, ["--missing", "'ignore'"]),
    (["private.csv", "--field", "text", "--encoding", "klingon"], 2, ["--encoding", "klingon"]),
    (["private.txt", *SANTEXT, "-o", "private.txt"], 2, ["-o", "is also an input"]),
    (["private.txt", *SANTEXT, "-o", "no/such/folder.html"], 1, ["no/such"]),
]


@pytest.mark.parametrize("arguments, code, parts", CASES, ids=[" ".join(case[0]) for case in CASES])
def test_bad_input(chooser, arguments, code, parts):
    chooser.write("private.csv", "id,text\n1,the soup\n")
    chooser.write("numbers.txt", "12 13\n14.\n")
    chooser.write("strange.txt", "xyzzy quux\n")
    before = {name: (chooser.folder / name).read_bytes() for name in chooser.files()}
    outcome = chooser.run("choose", *arguments)
    assert outcome.code == code, outcome.err
    assert outcome.out == b""
    assert len(outcome.err.strip().splitlines()) == 1, outcome.err
    for part in parts:
        assert part in outcome.err
    assert {name: (chooser.folder / name).read_bytes() for name in chooser.files()} == before


def test_text_has_what_a_person_needs(chooser):
    text = chooser.ok("choose", "private.txt", *SANTEXT).text
    for part in ("Confidential", "public text (decides)", "your text, confidential", "candidates", "recovered", "Recommended",
                 "private.txt: ", "public.txt: ", "throwaway key", "sotto privatize private.txt"):
        assert part in text
    assert max(map(len, text.splitlines()[:-1])) <= 80
    assert sum(line.startswith("    - ") for line in text.splitlines()) >= 3
    for columns, at_most, titles in ((40, 80, 2), (111, 111, 2), (112, 112, 1), (300, 112, 1)):
        chooser.environment["COLUMNS"] = str(columns)
        lines = chooser.ok("choose", "private.txt", *SANTEXT).text.splitlines()[:-1]
        assert max(map(len, lines)) <= at_most
        assert sum("changed  recovered" in line for line in lines) == titles


def test_lines_are_shown_once(chooser):
    chooser.write("private.txt", "the soup\n")
    text = chooser.ok("choose", "private.txt", *SANTEXT, "--mechanism", "tem").text
    assert text.count("    - the soup\n") == 1
    assert sum(line.startswith("    + ") for line in text.splitlines()) == 2


def test_no_figure_has_sixteen_digits(program):
    """For people; JSON keeps every digit."""
    program.write("text.txt", "the soup\n")
    program.ok("privatize", "text.txt", "-m", "tem", "-e", "7", "-o", "out.txt", "--report", "r.json")
    shown = [program.ok("explain", "soup", "-m", name, "-e", "7").text for name in ("tem", "diffractor-tem", "santext-plus")]
    shown.append(program.ok("receipt", "show", "r.json").text)
    shown.append(program.run("privatize", "text.txt", "-m", "diffractor-tem", "-e", "7", "-o", "other.txt").err)
    for text in shown:
        assert not re.search(r"[0-9]\.[0-9]{9}", text), text
    assert re.search(r"at most 4\.[0-9]{10}", (program.folder / "r.json").read_text())


@pytest.mark.parametrize("name, use_private", [("private.txt", False), ("odd name's.txt", False), ("-dash.txt", False),
                                               ("a.b.csv", False), ("ünï.jsonl", False), ("private.txt", True)])
def test_recommended_command_runs_as_printed(chooser, name, use_private):
    lines = sentences(30).splitlines()
    field = []
    if name.endswith(".csv"):
        chooser.write(name, "id,my text\n" + "".join(f'{i},"{line}"\n' for i, line in enumerate(lines)))
        field = ["--field", "my text"]
    elif name.endswith(".jsonl"):
        chooser.write(name, "".join(json.dumps({"text": line}) + "\n" for line in lines))
        field = ["--field", "text"]
    else:
        chooser.write(name, "\n".join(lines) + "\n")
    private = ["--use-private"] if use_private else []
    text = chooser.ok("choose", *field, *SANTEXT, *private, "--", name).text
    known = set(chooser.files())
    done = run_in_shell(chooser, command_in(text))
    assert done.returncode == 0, done.stderr
    new = set(chooser.files()) - known
    receipts = [file for file in new if file.endswith(".receipt.json")]
    assert len(receipts) == 1 and len(new) == 2, new
    assert any(".private." in file for file in new), new
    receipt = json.loads((chooser.folder / receipts[0]).read_text())
    assert receipt["epsilon_chosen_on"] == ("private-text" if use_private else "public-text")
    assert any("chosen by looking at them" in leak for leak in receipt["leaks"]) == use_private
    assert receipt["mechanism"]["name"] == "santext"
    assert f"epsilon {receipt['mechanism']['epsilon']:g}" in text


def test_another_encoding_is_named_and_recommended(chooser):
    (chooser.folder / "export.txt").write_bytes(sentences(30).encode("ascii", "ignore") + "caf\xe9 was cold\n".encode("latin-1"))
    outcome = chooser.ok("choose", "export.txt", *SANTEXT, "--quiet")
    assert "1 ill-formed sequence in it" in outcome.err and "give --encoding latin-1" in outcome.err
    command = command_in(outcome.text)
    assert " --encoding latin-1 " in command
    done = run_in_shell(chooser, command)
    assert done.returncode == 0 and "UTF-8" not in done.stderr


@pytest.mark.parametrize("delimiter, written", [(";", ";"), ("tab", "\t"), ("|", "|")])
def test_records_are_found_as_privatize_finds_them(chooser, delimiter, written):
    """Encoding, delimiter, missing header and missing fields take effect and are part of the recommended command."""
    lines = [f"{i}{written}caf\xe9 {line}\n" for i, line in enumerate(sentences(30).splitlines())] + ["31\n"]
    (chooser.folder / "export.csv").write_bytes("".join(lines).encode("latin-1"))
    found = ["--no-header", "--field", "2", "--delimiter", delimiter, "--missing", "skip"]
    assert chooser.run("choose", "export.csv", *found, *SANTEXT).code == 1, "not UTF-8"
    text = chooser.ok("choose", "export.csv", *found, "--encoding", "latin-1", *SANTEXT).text
    assert "caf\xe9" in text
    done = run_in_shell(chooser, command_in(text))
    assert done.returncode == 0, done.stderr
    rows = (chooser.folder / "export.private.csv").read_bytes().decode("latin-1").splitlines()
    assert [row.split(written)[0] for row in rows] == [str(i) for i in range(30)]
    assert all("caf\xe9" not in row for row in rows)


def test_private_text_does_not_move_the_recommendation(chooser):
    answers = []
    for seed in range(3):
        chooser.write("private.txt", sentences(30, seed) if seed else "the the the\n")
        choice = chosen(chooser, "private.txt", *SANTEXT, "--mechanism", "tem")
        answers.append((choice["recommendation"], choice["reason"], [m["useful_epsilon"] for m in choice["mechanisms"]],
                        [[p["public_text"] for p in m["points"]] for m in choice["mechanisms"]]))
    assert answers[0] == answers[1] == answers[2]


def test_lines_are_drawn_under_a_throwaway_key(chooser):
    choices = [chosen(chooser, "private.txt", *SANTEXT, "--seed", "5") for _ in range(2)]
    before, after = ([[line[part] for line in c["mechanisms"][0]["samples"]] for c in choices] for part in ("before", "after"))
    assert before[0] == before[1]
    assert after[0] != after[1]


def test_page(chooser):
    chooser.write("private.txt", "the <script>alert(1)</script> soup\n" + sentences(10))
    known = set(chooser.files())
    chooser.ok("choose", "private.txt", *SANTEXT, "-o", "choice.html")
    assert set(chooser.files()) - known == {"choice.html"}
    page = chooser.folder / "choice.html"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    html = page.read_text()
    assert "Confidential" in html and "sotto privatize private.txt" in html and "<svg" in html
    for outside in ("<script", "http://", "https://", "@import"):
        assert outside not in html


def test_a_text_cannot_steer_the_terminal(chooser):
    chooser.write("private.txt", "the soup \x1b[31mred\x07 \u202ereversed\n" * 3)
    text = chooser.ok("choose", "private.txt", *SANTEXT).text
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
    assert "\\x1b" in text


def test_limit_decides_epsilon(chooser):
    epsilons = []
    for limit in (0.3, 0.5, 0.8):
        choice = chosen(chooser, "private.txt", *SANTEXT, "--most-recovered", str(limit))
        found = choice["mechanisms"][0]
        point = found["points"][found["at_limit"]]
        assert point["public_text"]["recovered"] <= limit
        assert choice["recommendation"]["epsilon"] == point["epsilon"]
        epsilons.append(point["epsilon"])
    assert epsilons == sorted(set(epsilons))


def test_epsilon_basis_of_privatize(chooser):
    for basis in ("public-text", "private-text"):
        chooser.ok("privatize", "private.txt", "-m", "santext", "--model", "./first.safetensors", "-e", "3", "--epsilon-chosen-on",
                          basis, "--seed", "1", "-o", f"{basis}.out", "--report", "r.json")
        assert json.loads((chooser.folder / "r.json").read_text())["epsilon_chosen_on"] == basis
    assert (chooser.folder / "public-text.out").read_bytes() == (chooser.folder / "private-text.out").read_bytes()
    outcome = chooser.run("privatize", "private.txt", "-e", "1", "--epsilon-chosen-on", "tuesday")
    assert outcome.code == 2 and "--epsilon-chosen-on" in outcome.err and "public-text" in outcome.err


# The shipped models.


def test_mechanisms_states_useful_epsilons(program):
    listed = {m["name"]: m for m in json.loads(program.ok("mechanisms", "--json").text)}
    for name in ("diffractor-geometric", "santext", "tem", "cmp"):
        useful = listed[name]["useful_epsilon"]
        assert 0 < useful["low"] < useful["high"]
        assert useful["attacker_at_low"]["success"] < useful["attacker_at_high"]["success"]
        assert useful["attacker_at_low"]["candidates"] == 1000
    assert 8 <= listed["santext"]["useful_epsilon"]["low"] and listed["santext"]["useful_epsilon"]["high"] <= 25
    assert 15 <= listed["cmp"]["useful_epsilon"]["low"] and listed["cmp"]["useful_epsilon"]["high"] <= 100
    assert listed["dp-mlm"]["useful_epsilon"] is None
    assert "useful epsilon" in program.ok("mechanisms").text
    assert "1,000 candidates" in program.ok("mechanisms", "tem").text


def test_attacker_stands_beside_epsilon(program, models):
    sentence = "an attacker with public frequencies recovers about 72% of the words (of 1,000 candidates"
    assert sentence in program.ok("explain", "soup", "-e", "1").text
    assert sentence in program.run("privatize", "-e", "1", stdin=b"the soup\n").err
    for silent in (["--model", str(models / "lists.safetensors")], ["--set", "lists=L2"]):
        assert "attacker" not in program.ok("explain", "soup", "-e", "1", *silent).text
        assert "attacker" not in program.run("privatize", "-e", "1", *silent, stdin=b"the soup\n").err
    assert "attacker" not in program.run("privatize", "-e", "1", "--seed", "1", stdin=b"the soup\n").err


def test_table_says_what_attack_measures(program):
    """A figure of the table is the one that the command it names gives."""
    told = json.loads(program.ok("explain", "soup", "-m", "diffractor-tem", "-e", "2", "--json").text)["attacker"]
    report = json.loads(program.ok("attack", "-m", "diffractor-tem", "-e", "2", "--prior", "counts", "--words", "1000",
                                   "--attack", "bayes", "--seed", "1", "--json").text)
    assert abs(told["success"] - report["attacks"][0]["success"]["value"]) < 1e-4
    assert told["candidates"] == report["words"]


@pytest.mark.long
@pytest.mark.skipif(not OPTIMIZED, reason="speed of another build")
def test_four_mechanisms_on_ten_megabytes(program):
    draw = random.Random(1)
    lines = []
    while sum(map(len, lines)) < 10_000_000:
        lines.extend(" ".join(draw.choices(WORDS[:38], k=30)) for _ in range(1000))
    program.write("big.txt", "\n".join(lines) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program.ok("choose", "big.txt")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{spent:.1f} s of processor time")
    assert spent < 60, "30 s on two idle cores"

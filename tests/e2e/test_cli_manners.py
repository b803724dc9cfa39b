"""How the program behaves at a terminal and in a pipeline."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest
from conftest import SOTTO, SOURCE, refused, sentences, vectors, wait_until_signals_are_caught

COMMANDS = ["", "privatize", "mechanisms", "explain", "budget", "audit", "attack", "model", "model list", "model info",
            "model import", "model export", "lists", "lists build", "ledger", "ledger show", "ledger top", "ledger export",
            "ledger verify", "completion"]
BAR = re.compile(r"\[=* *\] +\d+%")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(program, command):
    outcome = program.ok(*command.split(), "--help")
    assert outcome.err == ""
    examples = re.findall(r"^  (.*sotto (?:privatize|mechanisms|explain|budget|audit|attack|model|lists|ledger|completion)\b.*)$", outcome.text,
                          re.MULTILINE)
    assert any(f"sotto {command}" in example for example in examples)


def test_options_in_examples_exist(program):
    """An example with an option that does not exist would be a trap."""
    for command in COMMANDS[1:]:
        help_text = program.ok(*command.split(), "--help").text
        options, _, examples = help_text.partition("\nExample")
        for line in examples.splitlines():
            if f"sotto {command} -" in line or command not in ("model", "lists", "ledger"):
                for option in re.findall(r"\s(--[a-z-]+)", line):
                    assert option in options, f"{command}: {option}"


def test_version(program):
    version = ".".join(re.findall(r"define SOTTO_VERSION_[MP]\w+ (\d+)", (SOURCE / "include/sotto/version.h").read_text()))
    outcome = program.ok("--version")
    assert (outcome.text, outcome.err) == (f"sotto {version}\n", "")


@pytest.mark.parametrize("command, members", [
    ("mechanisms", {"name", "summary", "metric", "guarantee", "default_model", "parameters"}),
    ("explain soup --model {lists} --epsilon 1", {"word", "in_vocabulary", "top", "n_w", "s_w", "guarantee"}),
    ("budget --model {lists} --epsilon 1 --tokens 9", {"strategy", "shares", "unit", "scope", "epsilon", "rho", "delta"}),
    ("model list", {"name", "path", "sha256", "words", "dimension", "lists"}),
    ("model info {first} --verify", {"name", "sha256", "words", "dimension", "bits", "verified"}),
    ("model import {vectors} -o out.safetensors", {"format", "words", "dimension", "sha256"}),
    ("lists build --model {first} -o out.safetensors --seed 1", {"path", "words", "lists", "sha256"}),
], ids=lambda value: value.split(" {")[0] if isinstance(value, str) else "")
def test_json(program, models, command, members):
    program.environment["SOTTO_MODELS"] = str(models)
    paths = {"lists": models / "lists.safetensors", "first": models / "first.safetensors", "vectors": models / "first.txt"}
    outcome = program.ok(*command.format(**paths).split(), "--json")
    assert outcome.err == ""
    value = json.loads(outcome.text)
    assert members <= set(value[0] if isinstance(value, list) else value)
    plain = program.ok(*command.format(**paths).split())  # the human-readable form
    assert plain.err == "" and plain.out and plain.out != outcome.out


def test_json_of_a_word_that_is_not_utf8(program):
    outcome = program.ok("explain", b"\xe9", "--model", program.model, "--epsilon", "1", "--json")
    assert json.loads(outcome.text)["word"] == "\ufffd"


def test_explained_probabilities_add_up(program):
    explained = json.loads(program.ok("explain", "soup", "--model", program.model, "--epsilon", "1", "--top", "1000",
                                      "--json").text)
    assert sum(row["probability"] for row in explained["top"]) == pytest.approx(1, abs=1e-9)
    probabilities = [row["probability"] for row in explained["top"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert explained["top"][0] == {"word": "soup", "probability": explained["n_w"], "standard_error": 0.0}


def test_export_and_import_again(program, models):
    for form in ("word2vec-text", "word2vec-bin"):
        program.ok("model", "export", models / "first.safetensors", "-o", form, "--to", form)
        report = json.loads(program.ok("model", "import", form, "-o", f"{form}.safetensors", "--json").text)
        assert report["format"] == {"word2vec-text": "word2vec text", "word2vec-bin": "word2vec binary"}[form]
        assert report["words"] == len((models / "first.txt").read_text().splitlines())


def test_messages_go_to_standard_error(program):
    text = sentences(300)
    outcome = program.ok("privatize", "--model", program.model, "--epsilon", "1", stdin=text.encode())
    assert outcome.text.count("\n") == text.count("\n") == 300
    assert re.fullmatch(r"sotto: 300 documents, \d+ words privatized \(\d+\.\d% changed\), 0 passed in clear\n(sotto: .+\n){2}", outcome.err)
    outcome = program.ok("privatize", "--model", program.model, "--epsilon", "1", "--seed", "1", stdin=text.encode())
    assert outcome.err.endswith("seeded: not private\n")
    outcome = program.ok("privatize", "--model", program.model, "--epsilon", "1", "--quiet", stdin=text.encode())
    assert outcome.err == ""


def test_the_summary_has_short_lines(program):
    """With a shipped model, for which an attacker's success is known, and a limit of distances."""
    for mechanism in ("tem", "diffractor-tem"):
        lines = program.ok("privatize", "-m", mechanism, "-e", "3", stdin=b"the soup\n").err.splitlines()
        assert len(lines) == 4 and max(map(len, lines)) < 150 and all(line.startswith("sotto: ") for line in lines)
        assert re.search(r"guarantee, epsilon 3 per token times .*istance.* \(a distance counts as at most [\d.]{1,8}\)$", lines[1])
        assert "recovers" in lines[2]


def test_nothing_is_said_about_no_words(program):
    for text in (b"", b"12, 3\n"):
        outcome = program.ok("privatize", "-e", "1", "--allow-empty", stdin=text)
        assert ", 0 words privatized, 0 passed in clear\n" in outcome.err
        assert "%" not in outcome.err and "attacker" not in outcome.err


@pytest.mark.parametrize("text", ["", "\n", "soup", "soup\n", "\n\nsoup\n\n", "soup\r\ncold\r\n", "\ufeffsoup\ncold\n",
                                  "…\n日本語\n", " soup  cold\t\n"], ids=repr)
def test_pipe_keeps_the_lines(program, text):
    output = program.privatize("--epsilon", "1", stdin=text.encode()).decode()
    assert output.count("\n") == text.count("\n") and output.count("\r") == text.count("\r")
    assert output.endswith("\n") == text.endswith("\n")


def test_options_that_may_be_repeated_leave_the_file_alone(program):
    program.write("in.txt", "the soup\n")
    program.write("in.csv", "text,more\nthe soup,cold\n")
    program.ok("privatize", "--model", program.model, "--epsilon", "1", "--set", "lists=L0", "in.txt")
    program.ok("privatize", "--model", program.model, "--epsilon", "1", "--field", "text", "--field", "more", "in.csv")


def test_invalid_utf8_is_replaced_and_counted(program):
    program.write("in.txt", b"soup \xff\xfe cold\n")
    program.privatize("in.txt", "--epsilon", "1", "-o", "out", "--statistics", "statistics.json")
    (program.folder / "out").read_bytes().decode()
    assert json.loads((program.folder / "statistics.json").read_text())["invalid_utf8_replaced"] == 2


LATIN = b"id,text\n1,Le caf\xe9 was cold and na\xefve\n"


@pytest.mark.parametrize("content, count, likely", [
    (LATIN, "2 ill-formed sequences", "it looks like latin-1, give --encoding latin-1"),
    (LATIN.replace(b"\xef", b"\x93"), "2 ill-formed sequences", "give --encoding windows-1252"),
    (LATIN.replace(b"\xef", "\xef".encode()), "1 ill-formed sequence ", "name it with --encoding"),  # damaged UTF-8
    (b"id,text\n1,the soup\xe9", "1 ill-formed sequence ", "give --encoding latin-1"),
])
def test_a_text_in_another_encoding_is_not_damaged_without_a_word(program, content, count, likely):
    program.write("in.csv", content)
    run = ["privatize", "in.csv", "--field", "text", "--model", program.model, "--epsilon", "1", "-o", "out.csv"]
    for more in ([], ["--quiet"]):
        lines = [line for line in program.ok(*run, *more).err.splitlines() if "UTF-8" in line]
        assert len(lines) == 1 and lines[0].startswith("sotto: warning: "), lines
        assert count in lines[0] and likely in lines[0] and "caf" not in lines[0]
    if "give" in likely:
        assert "UTF-8" not in program.ok(*run, "--encoding", likely.split()[-1]).err


def test_well_formed_text_draws_no_such_warning(program):
    program.write("in.txt", "Le caf\xe9 was cold\n")
    assert "UTF-8" not in program.ok("privatize", "in.txt", "--model", program.model, "--epsilon", "1").err


@pytest.mark.parametrize("line, parts", [
    ("budget --epsilon 1", "--tokens: missing; give tokens that go through the mechanism"),
    ("evaluate", "RUN: missing; give what to run: a YAML file"),
    ("choose", "FILE: missing; give the private text"),
])
def test_what_is_missing_is_asked_for(program, line, parts):
    refused(program, line.split(), 2, parts)


def test_a_missing_field_lists_the_columns(program):
    program.write("in.csv", 'id;"the; text";more\n1;soup;cold\n')
    run = ["privatize", "in.csv", "--model", program.model, "--epsilon", "1"]
    refused(program, [*run, "--delimiter", ";"], 2, ["--field: missing", "in.csv has id, the; text, more"])
    refused(program, [*run, "--no-header"], 2, "holds the text\n")


def test_one_line_in_one_line_out(program):
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", "--quiet", stdin=subprocess.PIPE)
    for lines in (b"The soup was cold.\n", b"\n", b"My dog.\n" * 3):
        process.stdin.write(lines)
        process.stdin.flush()
        answer = b""
        while answer.count(b"\n") < lines.count(b"\n"):
            assert select.select([process.stdout], [], [], 60)[0], "no answer while the input is open"
            answer += os.read(process.stdout.fileno(), 4096)
        assert answer.endswith(b"\n")
    process.stdin.close()
    assert process.stdout.read() == b"" and process.wait(60) == 0


def test_named_pipes_as_input_and_output(program):
    text = sentences(20_000)
    program.write("in.txt", text)
    os.mkfifo(program.folder / "from")
    os.mkfifo(program.folder / "to")
    script = 'cat in.txt > from & "$0" privatize from --model "$1" --epsilon 1 -o to & cat to > out; wait'
    subprocess.run(["sh", "-c", script, SOTTO, program.model], cwd=program.folder, timeout=120,
                   env=program.environment, check=True, stderr=subprocess.DEVNULL)
    assert (program.folder / "out").read_text().count("\n") == text.count("\n")


def test_output_through_a_link(program):
    program.write("in.txt", "The soup was cold.\n")
    program.write("real.txt", "old")
    (program.folder / "link.txt").symlink_to("real.txt")
    program.privatize("in.txt", "--epsilon", "1", "-o", "link.txt")
    assert (program.folder / "link.txt").is_symlink()
    assert (program.folder / "real.txt").read_text().count("\n") == 1


def test_closed_standard_error(program):
    program.write("in.txt", "The soup was cold.\n")
    outcome = program.run("privatize", "in.txt", "--model", program.model, "--epsilon", "1", "-o", "out",
                          preexec_fn=lambda: os.close(2))
    assert outcome.code == 0
    assert b"sotto:" not in (program.folder / "out").read_bytes()


def on_a_terminal(program, *arguments):
    """What the program shows on standard error if that is a terminal; it is paused repeatedly, to leave time
    for a progress bar."""
    terminal, stderr = pty.openpty()
    process = program.start(*arguments, stdout=subprocess.DEVNULL, stderr=stderr)
    os.close(stderr)
    wait_until_signals_are_caught(process)
    for _ in range(5):
        time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.12)
        process.send_signal(signal.SIGCONT)
    shown = b""
    try:
        while block := os.read(terminal, 65536):
            shown += block
    except OSError:  # how a terminal reports that the other side has closed
        pass
    os.close(terminal)
    assert process.wait(60) == 0
    return shown.decode()


def test_progress_bar(program):
    program.write("in.txt", sentences(20_000) * 16)
    command = ["privatize", "in.txt", "--model", program.model, "--epsilon", "1", "-o", "out"]
    shown = on_a_terminal(program, *command)
    assert BAR.search(shown) and "B/s" in shown and "left" in shown
    assert "\x1b[K" in shown.split("sotto: ", 1)[0][-10:]  # the bar makes room for the summary
    assert on_a_terminal(program, *command, "--quiet") == ""
    outcome = program.ok(*command)  # not a terminal
    assert not BAR.search(outcome.err) and "\r" not in outcome.err and "\x1b" not in outcome.err


def test_progress_bar_of_lists(program):
    program.write("vectors.txt", vectors(1, [f"w{i}" for i in range(6000)], 20))
    command = ["model", "import", "vectors.txt", "-o", "m.safetensors"]
    assert "\x1b" not in program.ok(*command).err
    command = ["lists", "build", "--model", "m.safetensors", "-o", "lists.safetensors"]
    assert BAR.search(on_a_terminal(program, *command))
    assert on_a_terminal(program, *command, "--quiet") == ""
    assert program.ok(*command).err == ""

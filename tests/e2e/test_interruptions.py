"""Runs that are stopped or killed at any moment: a file under the output's name is complete, nothing else is
left behind, and --resume produces exactly the output of an undisturbed run."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from conftest import Program, sentences, size_of, stopped_midway, wait_until_signals_are_caught

FAILED = 1
STOPPED = {signal.SIGINT: FAILED, signal.SIGTERM: FAILED, signal.SIGKILL: -signal.SIGKILL}
BLOCK = sentences(20_000)
REPEATS = 8  # about 8 MB


def supports_unnamed_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError as error:
        assert error.errno in (errno.EOPNOTSUPP, errno.EISDIR)
        return False


@pytest.fixture
def program(models, tmp_path):
    """In a folder that supports unnamed files; only there can a killed run leave nothing behind."""
    folder = tmp_path / "work"
    folder.mkdir()
    if not supports_unnamed_files(folder):
        folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    program = Program(folder, models / "lists.safetensors")
    program.write("in.txt", BLOCK * REPEATS)
    yield program
    shutil.rmtree(folder)


def undisturbed(program, *arguments):
    """The output, and how long the run took from its start."""
    process = program.start(*arguments, "-o", "whole")
    wait_until_signals_are_caught(process)
    begin = time.monotonic()
    assert process.wait(120) == 0
    seconds = time.monotonic() - begin
    whole = program.folder / "whole"
    content = whole.read_bytes()
    whole.unlink()
    return content, seconds


def common(program, key):
    return ["privatize", "in.txt", "--model", program.model, "--epsilon", "1", "--key-file", key, "--quiet"]


@pytest.mark.parametrize("number", STOPPED, ids=lambda number: number.name)
def test_stopped_at_random_moments(program, key, number):
    command = common(program, key)
    whole, seconds = undisturbed(program, *command)
    moments = random.Random()
    stopped = 0
    for attempt in range(10):
        process = program.start(*command, "-o", "out", "--report", "receipt.json")
        wait_until_signals_are_caught(process)
        time.sleep(moments.uniform(0, 0.8 * seconds) if attempt else 0)
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
        if process.returncode == 0:  # the signal came too late
            assert (program.folder / "out").read_bytes() == whole
            (program.folder / "out").unlink()
            (program.folder / "receipt.json").unlink()
            continue
        stopped += 1
        assert process.returncode == STOPPED[number], error
        assert error == (b"" if number == signal.SIGKILL else b"sotto: interrupted\n")
        # If killed after the output appeared, it is complete, and so is the receipt if it appeared as well.
        if number == signal.SIGKILL and "out" in program.files():
            assert (program.folder / "out").read_bytes() == whole
            (program.folder / "out").unlink()
            if "receipt.json" in program.files():
                assert "guarantee" in json.loads((program.folder / "receipt.json").read_bytes())
                (program.folder / "receipt.json").unlink()
        assert program.files() == ["in.txt"]
    assert stopped > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_stopped_while_the_input_is_silent(program, number):
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", "-o", "out", stdin=subprocess.PIPE)
    process.stdin.write(b"The soup was cold.\n")
    process.stdin.flush()
    wait_until_signals_are_caught(process)
    process.send_signal(number)
    assert process.wait(60) == FAILED  # while its standard input is still open
    process.stdin.close()
    assert process.stderr.read() == b"sotto: interrupted\n"
    assert program.files() == ["in.txt"]


def test_an_older_output_stays_until_the_new_one_is_complete(program, key):
    program.write("out", "older")
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", "-o", "out", stdin=subprocess.PIPE)
    process.stdin.write(b"The soup was cold.\n" * 10_000)
    process.stdin.flush()
    assert (program.folder / "out").read_bytes() == b"older"
    process.kill()
    process.communicate()
    assert (program.folder / "out").read_bytes() == b"older"
    assert program.files() == ["in.txt", "out"]
    program.ok(*common(program, key), "-o", "out")
    assert (program.folder / "out").read_bytes() != b"older"


@pytest.mark.parametrize("command", [
    ["model", "import", "vectors.txt", "-o", "out"],
    ["lists", "build", "--model", "large.safetensors", "-o", "out"],
], ids=lambda command: command[1])
def test_import_and_lists_can_be_stopped(program, command):
    numbers = random.Random(1)
    rows = (f"w{i} " + " ".join(f"{numbers.random():.3f}" for _ in range(30)) for i in range(12_000))
    program.write("vectors.txt", "\n".join(rows) + "\n")
    program.ok("model", "import", "vectors.txt", "-o", "large.safetensors")
    before = program.files()
    process = stopped_midway(program, command, signal.SIGINT)
    assert process.returncode == FAILED and process.error.count("\n") == 1, process.error
    assert program.files() == before


def nap(process):
    """Lets a second pass for the process, wherever it is, so that a checkpoint is due."""
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.1)
    process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("attempt", range(3))
def test_resume_after_kills(program, key, attempt):
    """Killed or interrupted repeatedly, and restarted until it is done."""
    command = common(program, key)
    whole, seconds = undisturbed(program, *command)
    program.ok(*command, "-o", "other", "--report", "undisturbed.json")
    (program.folder / "other").unlink()
    known = program.files()
    resuming = [*command, "-o", "out", "--resume", "--report", "receipt.json"]
    moments = random.Random()
    for round_ in range(6):
        process = program.start(*resuming)
        wait_until_signals_are_caught(process)
        time.sleep(moments.uniform(0, 0.4 * seconds))
        if round_ == 0:
            nap(process)
        time.sleep(moments.uniform(0, 0.2 * seconds))
        process.send_signal(signal.SIGINT if round_ % 3 == 2 else signal.SIGKILL)
        process.communicate(timeout=60)
        if process.returncode == 0:
            break
        left = set(program.files()) - set(known)
        if left & {"out", "receipt.json"}:  # killed at the very end
            break
        assert left <= {"out.partial", "out.checkpoint"}
    program.ok(*resuming)
    assert (program.folder / "out").read_bytes() == whole
    assert set(program.files()) - set(known) == {"out", "receipt.json"}
    receipts = [json.loads((program.folder / name).read_text()) for name in ("receipt.json", "undisturbed.json")]
    assert receipts[0]["counts"] == receipts[1]["counts"]
    assert receipts[0]["leaks"] == receipts[1]["leaks"]


def test_resume_really_resumes(program, key):
    """The partial output before the checkpoint is kept unchanged."""
    command = [*common(program, key), "-o", "out", "--resume"]
    partial = program.folder / "out.partial"
    stopped_midway(program, [*command, "--threads", "1"], signal.SIGTERM,
                   when=lambda: size_of(partial) > 1 << 20)
    assert program.files() == ["in.txt", "out.checkpoint", "out.partial"]
    with open(partial, "r+b") as file:
        file.write(b"#marked#")
    program.ok(*command)
    assert (program.folder / "out").read_bytes().startswith(b"#marked#")
    assert program.files() == ["in.txt", "out"]


def test_resume_with_fields_and_shards(program, key):
    rows = (json.dumps({"id": i, "text": line, "kind": "x"}) for i, line in enumerate(BLOCK.splitlines() * 3))
    program.write("in.jsonl", "\n".join(rows) + "\n")
    command = ["privatize", "in.jsonl", "--field", "text", "--model", program.model, "--epsilon", "1", "--key-file", key,
               "--quiet", "--shard", "2/3"]
    whole, seconds = undisturbed(program, *command)
    for _ in range(4):
        process = program.start(*command, "-o", "out", "--resume")
        wait_until_signals_are_caught(process)
        time.sleep(seconds * 0.4)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    program.ok(*command, "-o", "out", "--resume", "--report", "receipt.json")
    assert (program.folder / "out").read_bytes() == whole
    assert "the field 'kind' of each record, copied as it is" in json.loads(
        (program.folder / "receipt.json").read_text())["leaks"]

"""What others could tamper with: key files, keys in memory, partial files, a model that shrinks."""

import errno
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import SANITIZERS, refused, sentences, size_of, stopped_midway, wait_until_signals_are_caught
from fault_world import SHIM

FAILED = 1
POLL = {"7", "271"}  # poll and ppoll on x86-64
WORDS_IN = b"The soup was cold.\n"


def mode_of(path):
    return path.stat().st_mode & 0o7777


def waiting(program, *arguments):
    """A run that has read its key and its model and waits for standard input."""
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", "--quiet", "--threads", "1", *arguments,
                            stdin=subprocess.PIPE)
    wait_until_signals_are_caught(process)
    deadline = time.monotonic() + 60
    while not is_polling(process) and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


def is_polling(process):
    """Inside poll(), so past everything that precedes reading its input."""
    call = Path(f"/proc/{process.pid}/syscall").read_text().split()[0]
    return call in POLL


# Key files

@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o604])
def test_a_key_file_that_is_open_to_others_draws_one_line(program, key, mode):
    key.chmod(mode)
    for quiet in ([], ["--quiet"]):
        outcome = program.ok("privatize", "--model", program.model, "--epsilon", "1", "--key-file", key, *quiet, stdin=WORDS_IN)
        lines = [line for line in outcome.err.splitlines() if "warning" in line]
        assert len(lines) == 1 and str(key) in lines[0] and f"mode {mode:04o}" in lines[0] and "chmod 600" in lines[0]
        assert outcome.out != b""


def test_a_key_file_of_ones_own_draws_none(program, key):
    key.chmod(0o400)
    outcome = program.ok("privatize", "--model", program.model, "--epsilon", "1", "--key-file", key, "--quiet", stdin=WORDS_IN)
    assert outcome.err == ""


# Keys in memory

def mappings(process):
    """(begin, end, flags) of the memory that the process may read."""
    found, flags = [], None
    for line in Path(f"/proc/{process.pid}/smaps").read_text().splitlines():
        if match := re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line):
            flags = set()
            found.append((int(match[1], 16), int(match[2], 16), flags))
        elif re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            flags = set()
        elif line.startswith("VmFlags:"):
            flags.update(line.split()[1:])
    return found


def places_of(process, needle):
    """The flags of the mappings that contain `needle`."""
    places = []
    with open(f"/proc/{process.pid}/mem", "rb", buffering=0) as memory:
        for begin, end, flags in mappings(process):
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except (OSError, OverflowError, ValueError):  # the kernel's own pages
                continue
            if needle in content:
                places.append(flags)
    return places


@pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer keeps copies of freed memory")
@pytest.mark.parametrize("written_as", ["raw", "hex"])
def test_the_key_stays_out_of_core_dumps_and_swap(program, tmp_path, written_as):
    secret = os.urandom(32)
    key = program.write("secret.key", secret if written_as == "raw" else secret.hex() + "\n")
    process = waiting(program, "--key-file", key)
    try:
        process.stdin.write(WORDS_IN * 10)  # a chunk is read whole, so this waits for more
        process.stdin.flush()
        places = places_of(process, secret)
        assert places, "the key was not found at all; is it still in memory?"
        assert all("dd" in flags for flags in places), "a copy of the key would stand in a core dump"
        assert all("lo" in flags for flags in places), "a copy of the key could be swapped out"
        assert places_of(process, secret.hex().encode()) == []
    finally:
        process.kill()
        process.communicate()


# Output

@pytest.mark.parametrize("more", [[], ["--resume"]], ids=["at once", "resumable"])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_output_keeps_the_mode_of_the_file_it_replaces(program, key, mode, more):
    program.write("in.txt", sentences(5))
    older = program.write("out", "older")
    older.chmod(mode)
    report = program.write("receipt.json", "older")
    report.chmod(mode)
    program.privatize("in.txt", "--epsilon", "1", "--key-file", key, "-o", "out", "--report", "receipt.json", *more)
    assert older.read_text() != "older" and report.read_text() != "older"
    assert mode_of(older) == mode and mode_of(report) == mode


@pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer has wrappers of its own")
@pytest.mark.parametrize("more", [[], ["--resume"]], ids=["at once", "resumable"])
def test_output_is_on_the_disk_before_it_has_its_name(program, key, more):
    """If it cannot be synced to disk, it does not appear."""
    program.write("in.txt", sentences(5))
    program.environment.update(LD_PRELOAD=str(SHIM), SOTTO_FAULT_CALL="fsync", SOTTO_FAULT_AT="1",
                               SOTTO_FAULT_ERRNO=f"always{errno.EIO}")
    outcome = program.run("privatize", "in.txt", "--model", program.model, "--epsilon", "1", "--key-file", key, "-o", "out",
                          "--quiet", *more)
    assert outcome.code == FAILED and "out" in outcome.err and outcome.err.count("\n") == 1
    assert "out" not in program.files()


# Partial files

def resumable(program, key):
    return ["privatize", "in.txt", "--model", program.model, "--epsilon", "1", "--key-file", key, "-o", "out", "--resume",
            "--quiet"]


@pytest.fixture
def victim(program):
    program.write("in.txt", sentences(5))
    return program.write("victim", "precious")


@pytest.mark.parametrize("plant", [os.symlink, os.link], ids=["link", "hard link"])
def test_a_planted_partial_file_is_not_written_to(program, key, victim, plant):
    plant(victim, program.folder / "out.partial")
    refused(program, resumable(program, key), FAILED, "out.partial")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["out.partial", "out.checkpoint"])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of another user")
def test_a_file_of_another_user_is_refused(program, key, victim, name):
    for each in {"out.partial", name}:
        program.write(each, "")
    os.chown(program.folder / name, 65534, 65534)
    refused(program, resumable(program, key), FAILED, name)


def test_a_planted_checkpoint_is_neither_read_nor_written_to(program, key, victim):
    program.write("out.partial", "")
    os.symlink(victim, program.folder / "out.checkpoint")
    refused(program, resumable(program, key), FAILED, "out.checkpoint")
    assert victim.read_text() == "precious"


def test_a_checkpoint_is_closed_to_others(program, key):
    """It contains exact counts of the input."""
    program.write("in.txt", sentences(20_000))
    stopped_midway(program, [*resumable(program, key), "--threads", "1"], signal.SIGTERM,
                   when=lambda: size_of(program.folder / "out.partial") > 0)
    assert mode_of(program.folder / "out.checkpoint") == 0o600


def test_two_resumable_runs_do_not_share_a_partial_file(program, key):
    program.write("in.txt", sentences(5))
    partial = program.write("out.partial", "")
    holder = subprocess.Popen(["flock", "-x", str(partial), "cat"], stdin=subprocess.PIPE)
    try:
        while subprocess.run(["flock", "-n", "-x", str(partial), "true"]).returncode == 0:
            time.sleep(0.01)
        refused(program, resumable(program, key), FAILED, "another run is writing")
    finally:
        holder.stdin.close()
        holder.wait()
    program.ok(*resumable(program, key))
    assert program.files() == ["in.txt", "out"]


# Models

def test_a_model_that_is_cut_short_while_it_is_used_ends_the_run_with_one_line(program):
    model = program.write("model.safetensors", program.model.read_bytes())
    program.model = model
    process = waiting(program, "-o", "out")
    os.truncate(model, 0)
    out, err = process.communicate(WORDS_IN * 1000, timeout=60)
    assert process.returncode == FAILED, (process.returncode, err)
    assert err.startswith(b"sotto: ") and b"truncated" in err and err.count(b"\n") == 1
    assert out == b"" and program.files() == ["model.safetensors"]


def test_another_bus_error_ends_the_program_as_usual(program):
    process = waiting(program)
    process.send_signal(signal.SIGBUS)
    assert process.wait(60) == -signal.SIGBUS

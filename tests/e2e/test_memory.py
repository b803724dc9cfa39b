"""Memory does not grow with the input."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from conftest import SANITIZERS, sentences
from test_language_models import make_model

ALLOWED = 64 << 20  # above a tiny run
SHARE = 10 if SANITIZERS else 1  # divides the megabytes below


def peak_so_far(process):
    """The kernel's high-water mark; 0 once the process has ended."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def peak_of_tiny_run(program, line, *options):
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", *options, stdin=subprocess.PIPE)
    process.stdin.write(line)
    process.stdin.flush()
    assert process.stdout.readline()  # it has read the model, done its work, and waits for more
    peak = peak_so_far(process)
    process.communicate(timeout=60)
    assert process.returncode == 0
    return peak


def peak_of_run(program, name, *options):
    process = program.start("privatize", name, "--model", program.model, "--epsilon", "1", "-o", "/dev/null", "--quiet",
                            *options)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_so_far(process))
        time.sleep(0.01)
    assert process.returncode == 0
    process.communicate()
    return peak


@pytest.mark.parametrize("name, options, megabytes", [
    ("in.txt", ["--format", "text"], 200),
    ("in.csv", ["--format", "csv", "--field", "text", "--threads", "4"], 50),
], ids=["text", "csv"])
def test_memory(program, name, options, megabytes):
    program.environment["ASAN_OPTIONS"] = "quarantine_size_mb=1"
    lines = sentences(20_000).splitlines()
    header, row = (b"text,id\n", '"{}",7\n') if name == "in.csv" else (b"", "{}\n")
    block = "".join(map(row.format, lines)).encode()
    size = megabytes * 1_000_000 // SHARE
    with open(program.folder / name, "wb") as file:
        file.write(header)
        for _ in range(size // len(block) + 1):
            file.write(block)
    tiny = peak_of_tiny_run(program, header + block[:block.index(b"\n") + 1], *options)
    large = peak_of_run(program, name, *options)
    (program.folder / name).unlink()
    print(f"{name}: {tiny >> 10} KiB for one line, {large >> 10} KiB for {size // 1_000_000} MB")
    assert 0 < tiny and large - tiny < ALLOWED


def test_memory_of_an_array(program):
    program.environment["ASAN_OPTIONS"] = "quarantine_size_mb=1"
    block = ",\n".join('{"text": "%s", "id": [7]}' % line for line in sentences(20_000).splitlines()).encode()
    with open(program.folder / "in.json", "wb") as file:
        file.write(b"[" + b",\n".join([block] * (50_000_000 // SHARE // len(block) + 1)) + b"]\n")
    tiny = peak_of_tiny_run(program, b"soup\n")
    large = peak_of_run(program, "in.json", "--field", "text")
    (program.folder / "in.json").unlink()
    print(f"{tiny >> 10} KiB for one line, {large >> 10} KiB for an array")
    assert 0 < tiny and large - tiny < ALLOWED


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
def test_memory_of_one_long_text(program, mode):
    """The model is queried about a text in batches of a fixed size, however many words the text has."""
    if not os.environ.get("SOTTO_FAKE_PLUGIN"):
        pytest.skip("there is no plugin for tests")
    program.environment.update(SOTTO_PLUGINS=os.environ["SOTTO_FAKE_PLUGIN"], ASAN_OPTIONS="quarantine_size_mb=1")
    program.model = make_model(program.folder / "model", range=10)
    options = ["-m", "dp-mlm", "--set", f"mode={mode}", "--set", "window=4"]
    program.write("in.txt", "soup cold warm waiter " * (25_000 // SHARE) + "\n")
    tiny = peak_of_tiny_run(program, b"the soup was cold\n", *options)
    large = peak_of_run(program, "in.txt", *options)
    print(f"{mode}: {tiny >> 10} KiB for a few words, {large >> 10} KiB for a text of {100_000 // SHARE}")
    assert 0 < tiny and large - tiny < ALLOWED // 2

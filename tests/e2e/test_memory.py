"""Memory does not grow with the input."""

import subprocess
import time
from pathlib import Path

import pytest
from conftest import SANITIZERS, sentences

ALLOWED = 64 << 20  # more than a tiny run
SHARE = 10 if SANITIZERS else 1  # of the megabytes below


def peak_so_far(process):
    """The kernel's high-water mark; 0 once the process is over."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def peak_of_tiny_run(program, line, *options):
    process = program.start("privatize", "--model", program.model, "--epsilon", "1", *options, stdin=subprocess.PIPE)
    process.stdin.write(line)
    process.stdin.flush()
    assert process.stdout.readline()  # it has read the model and done its work, and waits for more
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

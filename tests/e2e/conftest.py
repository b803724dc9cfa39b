"""Fixtures: the program, a clean environment, a small model made from scratch, and a key."""

import os
import random
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import List

import pytest

SOTTO = os.environ.get("SOTTO", "sotto")
SOURCE = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2]))
BUILD = Path(os.environ.get("SOTTO_BUILD", SOURCE / "build" / "release"))
SANITIZERS = os.environ.get("SOTTO_SANITIZE", "")
OPTIMIZED = os.environ.get("SOTTO_BUILD_TYPE", "Release") == "Release" and not SANITIZERS
TIMEOUT = 120

# The words of the small model: some from English texts, including stopwords, and some made up.
WORDS = (
    "the a and of was to my we it in soup cold waiter dessert hotel station night phone battery screen dog cat "
    "doctor result order parcel answer train city river music garden winter summer bread coffee letter window"
).split() + [a + b + c for a in "bdfgklmnprst" for b in ("a", "e", "o", "ar") for c in ("t", "n", "l", "st")]


def pytest_configure(config):
    config.addinivalue_line("markers", "long: of the long suite; a smaller version of it runs always")


@dataclass
class Outcome:
    code: int
    out: bytes
    err: str

    @property
    def text(self):
        return self.out.decode()


def clean_environment(home):
    """Without the caller's settings, so that no model of the user or the machine is found by accident."""
    sanitizers = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    kept = {name: os.environ[name] for name in sanitizers if name in os.environ}
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(home), "LC_ALL": "C.UTF-8", **kept}


def skip_leak_search(environment):
    """For programs that load libtorch: the leak sanitizer itself may crash afterwards. Other errors are still found."""
    if "address" in SANITIZERS:
        environment["ASAN_OPTIONS"] = ":".join([environment.get("ASAN_OPTIONS", ""), "detect_leaks=0"])


class Program:
    """Runs the program in a folder of its own."""

    def __init__(self, folder: Path, model: Path):
        self.folder, self.model = folder, model
        self.environment = clean_environment(folder / "no-home")

    def start(self, *arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        command = [SOTTO, *map(os.fsencode, map(str_or_bytes, arguments))]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, **options)

    def run(self, *arguments, stdin=b"", **options) -> Outcome:
        if not isinstance(stdin, bytes):
            options["stdin"] = stdin
        else:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return Outcome(process.returncode, out or b"", (err or b"").decode(errors="replace"))

    def ok(self, *arguments, **options) -> Outcome:
        outcome = self.run(*arguments, **options)
        assert outcome.code == 0, outcome.err
        return outcome

    def privatize(self, *arguments, **options) -> bytes:
        """The output of a run with the small model."""
        return self.ok("privatize", "--model", self.model, "--quiet", *arguments, **options).out

    def write(self, name, content) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if path.suffix == ".key":
            path.chmod(0o600)  # otherwise every run would warn about it
        return path

    def files(self) -> List[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))


def str_or_bytes(argument):
    return argument if isinstance(argument, (str, bytes)) else str(argument)


def vectors(seed, words=WORDS, dimension=8) -> str:
    """Word vectors as GloVe text."""
    numbers = random.Random(seed)
    rows = (" ".join([word] + [f"{numbers.gauss(0, 1):.4f}" for _ in range(dimension)]) for word in words)
    return "\n".join(rows) + "\n"


def sentences(count, seed=0) -> str:
    """`count` lines of words of the small model, with some words outside it, numbers and punctuation."""
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        words = draw.choices(WORDS, k=draw.randint(3, 14))
        words.insert(draw.randrange(len(words)), draw.choice(["Zanzibar", "42", "3.14", "x@y.org", "naïve,", "(so)"]))
        lines.append(" ".join(words).capitalize() + draw.choice(".!?"))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with two vector models of one vocabulary, first and second, and a list set, lists."""
    folder = tmp_path_factory.mktemp("models")
    program = Program(folder, folder / "lists.safetensors")
    for seed, name in enumerate(("first", "second")):
        program.write(f"{name}.txt", vectors(seed))
        program.ok("model", "import", f"{name}.txt", "-o", f"{name}.safetensors")
    program.ok("lists", "build", "--model", "first.safetensors", "--model", "second.safetensors", "-o",
               "lists.safetensors", "--seed", "1")
    return folder


@pytest.fixture
def program(models, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    yield Program(folder, models / "lists.safetensors")
    shutil.rmtree(folder)  # the inputs are large


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "secret.key"
    path.write_bytes(bytes(range(32)))
    path.chmod(0o600)
    return path


def stopped_midway(program, arguments, number, output="out", when=lambda: True):
    """Starts a run, sends it a signal once `when` holds, and returns the finished process. Repeats if the run
    was faster than the signal."""
    for _ in range(100):
        process = program.start(*arguments)
        wait_until_signals_are_caught(process)
        while process.poll() is None and not when():
            pass
        process.send_signal(number)
        process.error = process.communicate(timeout=TIMEOUT)[1].decode()
        if process.returncode != 0:
            return process
        (program.folder / output).unlink()
    return pytest.fail("the run was always over before it could be stopped")


def wait_until_signals_are_caught(process):
    """Before that point a signal simply kills the process; nothing has happened yet then."""
    while process.poll() is None:
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:") and int(line.split()[1], 16) & (1 << (signal.SIGTERM - 1)):
                return


def refused(program, arguments, code, parts, **options):
    """Runs the program and checks that it fails properly: the exit code, one line that contains all `parts`,
    nothing on standard output, all files unchanged and no new ones."""
    before = {name: content_of(program.folder / name) for name in program.files()}
    outcome = program.run(*arguments, **options)
    assert outcome.code == code, outcome
    assert outcome.err.startswith("sotto: ") and outcome.err.endswith("\n"), outcome.err
    assert outcome.err.count("\n") == 1, outcome.err
    for part in [parts] if isinstance(parts, str) else parts:
        assert part in outcome.err
    assert outcome.out == b""
    assert {name: content_of(program.folder / name) for name in program.files()} == before
    return outcome


def size_of(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def content_of(path):
    return path.read_bytes() if path.is_file() else None

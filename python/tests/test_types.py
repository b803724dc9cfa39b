"""mypy accepts the package and sample uses of it, and the stub is what nanobind makes of the extension."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sotto

PYTHON = Path(__file__).resolve().parents[1]

SAMPLE = '''
import sotto
p = sotto.Privatizer("dp-mlm", epsilon=10, key=b"k" * 32, set={"bound": 5}, threads=2)
p = sotto.Privatizer(mechanism="tem", epsilon=12.5, seed=1, memory="512M", unique_ids=True)
text: str = p.privatize("The soup was cold.", id=5)
texts: list[str] = p.privatize(["a", "b"], ids=range(2), progress=lambda done, total: None)
receipt: sotto.Receipt = p.receipt
epsilon: object = receipt["epsilon"]
sentence: str = repr(p.preview("a"))
refuted = sotto.audit("tem", 12, method="black-box")
if isinstance(refuted, sotto.BlackBoxAudit):
    found: bool = refuted.refuted
names: list[str] = [str(mechanism["name"]) for mechanism in sotto.mechanisms()]
try:
    p("a")
except sotto.LimitExceeded as error:
    problem: ValueError = error
'''

WRONG = '''
import sotto
sotto.Privatizer("tem", epsilon=12, no_such_keyword=1)
sotto.Privatizer("tem", epsilon=12, threads="two")
sotto.budget("tem", 12)
sotto.no_such_name
'''


def mypy(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", PYTHON.parent / "pyproject.toml", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8", cwd=PYTHON)


def test_the_package(tmp_path):
    done = mypy("--cache-dir", tmp_path, "-p", "sotto")
    assert done.returncode == 0, done.stdout


def test_uses_of_it(tmp_path):
    (tmp_path / "sample.py").write_text(SAMPLE)
    done = mypy("--cache-dir", tmp_path / "cache", tmp_path / "sample.py")
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.py").write_text(WRONG)
    done = mypy("--cache-dir", tmp_path / "cache", tmp_path / "wrong.py")
    assert done.returncode == 1 and done.stdout.count("error:") == 4, done.stdout


def test_the_package_is_typed():
    assert (Path(sotto.__file__).parent / "py.typed").is_file()
    assert (PYTHON / "sotto" / "py.typed").is_file()


def test_the_stub_is_that_of_the_extension(tmp_path):
    made = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "sotto._core", "-p", PYTHON / "src/_core.pat"]
    subprocess.run([*map(str, command), "-o", str(made)], check=True)
    assert made.read_text() == (PYTHON / "sotto/_core.pyi").read_text(), f"make the stub again: {' '.join(map(str, command))}"

"""What the tests share: the program to compare with, texts, and processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

KEY = bytes(range(32))

TEXTS = [
    "The soup was cold, and nobody came to help us.",
    "",
    "  Two  spaces — and a dash; “quotes” too!  ",
    "Zürich, naïve café, 東京 and an emoji 🙂.",
    "I paid $12.50 on 2024-03-01 (twice).",
    "word " * 40,
    "O'Neill's e-mail: someone@example.org",
    "UPPER lower Title mIxEd",
    "The doctor said that my mother needs a new kidney.",
]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: of the long suite; a smaller version of it runs always")


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "secret.key"
    path.write_bytes(KEY)
    path.chmod(0o600)
    return path


@pytest.fixture
def run_program():
    """Runs the command line and returns what it writes."""
    program = os.environ.get("SOTTO_PROGRAM")
    assert program, "SOTTO_PROGRAM names the program to compare with"

    def run(*arguments: object) -> str:
        command = [program, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    return run


@pytest.fixture
def run_python():
    """Runs Python code in a process of its own."""

    def run(code: str, *arguments: object, check: bool = True, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=timeout)
        assert not check or done.returncode == 0, done.stderr
        return done

    return run

"""Every example runs: those of docstrings as doctests, those of docs/python-adapters.md as they are."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import sotto

ADAPTERS = ["datasets", "duckdb", "gensim", "pandas", "polars", "presidio", "sklearn", "spacy"]
MODULES = ["sotto", *(module.name for module in pkgutil.walk_packages(sotto.__path__, "sotto."))]
PAGE = (Path(__file__).parents[3] / "docs" / "python-adapters.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## (.+?)$.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "sotto._core"])
def test_docstrings(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if name.removeprefix("sotto.") in ADAPTERS:
            raise
        pytest.skip(str(error))
    result = doctest.testmod(module)
    assert result.failed == 0
    if name.removeprefix("sotto.") in ADAPTERS:
        assert result.attempted >= 5


def test_every_adapter_has_a_section():
    assert len(SECTIONS) == len(ADAPTERS)
    for name in ADAPTERS:
        assert any(f"sotto.{name}" in example for _, example in SECTIONS), name


@pytest.mark.parametrize("example", [example for _, example in SECTIONS], ids=[title for title, _ in SECTIONS])
def test_page(example, key_file, tmp_path, monkeypatch):
    key_file.rename(tmp_path / "secret.key")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    exec(compile(example, "docs/python-adapters.md", "exec"), scope)
    assert "private" in scope or "model" in scope

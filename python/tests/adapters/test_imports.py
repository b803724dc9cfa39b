"""An adapter without its package says what to install."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PACKAGES = {
    "datasets": "datasets",
    "duckdb": "duckdb",
    "gensim": "gensim",
    "pandas": "pandas",
    "polars": "polars",
    "presidio": "presidio_anonymizer",
    "sklearn": "sklearn",
    "spacy": "spacy",
}


@pytest.mark.parametrize(("adapter", "package"), PACKAGES.items())
def test_missing_package(adapter, package, monkeypatch):
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"sotto.{adapter}", raising=False)
    with pytest.raises(ImportError, match=f"sotto.{adapter} needs .*: pip install "):
        importlib.import_module(f"sotto.{adapter}")


def test_the_package_itself_needs_none_of_them():
    program = (
        f"import sys; blocked = {list(PACKAGES.values())}; sys.modules.update(dict.fromkeys(blocked));"
        "import sotto; print(sotto.Privatizer(epsilon=1).privatize('A cold soup.'))"
    )
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert len(out.stdout.split()) == 3

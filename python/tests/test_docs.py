"""The examples in the documentation of every module give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sotto

MODULES = ["sotto", *(f"sotto.{module.name}" for module in pkgutil.iter_modules(sotto.__path__))]


@pytest.mark.parametrize("name", [name for name in MODULES if name != "sotto._core"])
def test_examples(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        assert "pip install" in str(error)
        pytest.skip(str(error))
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert results.failed == 0

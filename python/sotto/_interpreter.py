"""Refuses sub-interpreters: loading the extension in one would break it in the main interpreter."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _interpreters() -> Any:
    """The module about interpreters, which Python renamed in 3.13; None if it was built without it."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


def _number(interpreter: Any) -> int:
    return int(interpreter[0] if isinstance(interpreter, tuple) else interpreter)


def check() -> None:
    """Raises ImportError in any but the main interpreter."""
    interpreters = _interpreters()
    if interpreters is not None and _number(interpreters.get_current()) != _number(interpreters.get_main()):
        raise ImportError("sotto works in the main interpreter only, not in sub-interpreters")


check()

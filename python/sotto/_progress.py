"""Bars for long calls."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, Callable[[int, int], Any], None]

_PATIENCE = 1.0  # seconds that a call may take without a bar


class Bar:
    """A tqdm bar that appears if a call takes longer than a second."""

    def __init__(self, tqdm: Any, what: str, in_bytes: bool) -> None:
        self._tqdm = tqdm
        self._what = what
        self._in_bytes = in_bytes
        self._begin = time.monotonic()
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._begin < _PATIENCE:
                return
            unit = {"unit": "B", "unit_scale": True} if self._in_bytes else {}
            self._bar = self._tqdm(total=total, desc=self._what, leave=False, **unit)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()


class _NoBar:
    def close(self) -> None:
        """Nothing to remove."""


def bar(progress: Progress, what: str, in_bytes: bool = False) -> tuple[Any, Any]:
    """What to call with the work done and the total, or None, and what to close afterwards.

    None shows a bar in a notebook and on a terminal if tqdm is installed, True wherever tqdm is installed.
    """
    if callable(progress):
        return progress, _NoBar()
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is {type(progress).__name__}; give a function, True or False")
    if progress is False or (progress is None and not _is_watched()):
        return None, _NoBar()
    # Without widgets tqdm.auto warns and then draws with letters, too.
    name = "tqdm.auto" if importlib.util.find_spec("ipywidgets") else "tqdm"
    try:
        tqdm = importlib.import_module(name).tqdm
    except ImportError:
        return None, _NoBar()
    made = Bar(tqdm, what, in_bytes)
    return made, made


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())

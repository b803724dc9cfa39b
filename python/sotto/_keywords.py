"""Turns keywords into the options that the library reads as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(name: str, value: int | str | None) -> int | None:
    """A number of bytes: 1048576 or "512M"."""
    if value is None or isinstance(value, int):
        return value
    match = re.fullmatch(r"(\d+)([KMG]?)B?", str(value).strip(), re.IGNORECASE)
    if not match:
        raise ValueError(f"{name}: '{value}' is not allowed; give a size such as 512M")
    return int(match[1]) * _UNITS[match[2].upper()]


def path(value: str | os.PathLike[str] | None) -> str | None:
    """A path as text."""
    return None if value is None else os.fspath(value)


def parameters(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The parameters of a mechanism; a list stands for its values, separated by commas."""
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise TypeError(f"set is {type(values).__name__}; give a dict, such as {{'lists': 'L1'}}")
    return {
        str(name): ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in values.items()
    }


def to_json(options: Mapping[str, Any]) -> str:
    """The options that were given, as JSON. NaN and infinity are no JSON, so they are refused here."""
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            raise ValueError(f"{name}: '{value}' is not allowed; give a finite number")
    try:
        return json.dumps(given, default=_scalar)
    except UnicodeEncodeError as error:
        raise ValueError(f"an option is not text: {error}") from None


def _scalar(value: Any) -> Any:
    """NumPy's numbers, paths, and whatever else says what it is."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is {type(value).__name__}, which is no value of an option")

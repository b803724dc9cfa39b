"""Turns keywords into the options that the library reads as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SPELLING = {"parameters": "set", "key_file": "key", "run_file": "run", "path": "through", "epsilons": "epsilon"}


def size(name: str, value: int | str | None) -> int | None:
    """A number of bytes: 1048576 or "512M"."""
    if value is None or isinstance(value, int):
        return value
    match = re.fullmatch(r"(\d{1,15})([KMG]?)B?", str(value).strip(), re.ASCII | re.IGNORECASE)
    if not match:
        raise ValueError(f"{name}: {_shown(value)} is not allowed; give a size such as 512M")
    return int(match[1]) * _UNITS[match[2].upper()]


def path(name: str, value: str | os.PathLike[str] | None) -> str | None:
    """A path as text."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} is {type(value).__name__}; give a path")
    return text(name, os.fsdecode(value))


def text(name: str, value: Any) -> str:
    """A str that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}; give str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: holds a lone surrogate, which is not text and has no UTF-8") from None
    return value


def texts(name: str, values: Any) -> list[str]:
    """Several of them, in a list."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} is {type(values).__name__}; give a list of str")
    return [text(f"{name}[{place}]", value) for place, value in enumerate(values)]


def parameters(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The parameters of a mechanism; a list stands for its values, separated by commas."""
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise TypeError(f"set is {type(values).__name__}; give a dict, such as {{'lists': 'L1'}}")
    plain = {str(name): _plain(f"set['{name}']", value) for name, value in values.items()}
    return {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in plain.items()}


def to_json(options: Mapping[str, Any]) -> str:
    """The options that were given, as JSON."""
    return json.dumps(
        {name: _plain(_SPELLING.get(name, name), value) for name, value in options.items() if value is not None}
    )


def number(name: str, value: Any) -> float:
    """A finite number."""
    plain = _plain(name, value)
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        raise ValueError(f"{name}: must be a number")
    return plain


def _plain(name: str, value: Any) -> Any:
    """What JSON can hold: also NumPy's numbers and arrays, and paths. Errors say which keyword it is."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text(name, value)
    if isinstance(value, int):
        if value.bit_length() > 1000:
            raise ValueError(f"{name}: a number of {value.bit_length()} bits is not allowed")
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{name}: '{float(value)}' is not allowed; give a finite number")
        return float(value)
    if isinstance(value, os.PathLike):
        return path(name, value)
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{name}['{key}']", entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(f"{name}[{place}]", entry) for place, entry in enumerate(value)]
    plain = value.tolist() if hasattr(value, "tolist") else value
    if type(plain) is not type(value):
        return _plain(name, plain)
    raise TypeError(f"{name} is {type(value).__name__}, which is no value of an option")


def _shown(value: Any) -> str:
    """A value in an error, shortened to what helps."""
    shown = str(value)
    return f"'{shown}'" if len(shown) <= 200 else f"'{shown[:200]}…'"

"""What the adapters to other packages share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from sotto._privatizer import Privatizer

_SIGNATURE = inspect.signature(Privatizer)


def keywords() -> list[inspect.Parameter]:
    """The keywords of Privatizer, for adapters whose host reads signatures."""
    return [parameter.replace(annotation=inspect.Parameter.empty) for parameter in _SIGNATURE.parameters.values()]


def check_names(options: Mapping[str, Any]) -> None:
    """Refuses what is no keyword of Privatizer."""
    for name in options:
        if name not in _SIGNATURE.parameters:
            raise TypeError(f"'{name}' is no keyword of sotto.Privatizer")


def check_key_is_path(key: Any, why: str) -> None:
    """For hosts that print, pickle or store settings: the key itself must not be among them."""
    if isinstance(key, (bytes, bytearray, memoryview)):
        raise TypeError(f"key is {type(key).__name__}; give the path of a key file: {why}")


def open_privatizer(privatizer: Optional[Privatizer], options: Mapping[str, Any], **defaults: Any) -> Privatizer:
    """The given Privatizer, or one of these keywords."""
    if privatizer is None:
        check_names(options)
        return Privatizer(**{**defaults, **options})
    if not isinstance(privatizer, Privatizer):
        raise TypeError(
            f"privatizer is {type(privatizer).__name__}; give a sotto.Privatizer, or the keywords of one"
        )
    if options:
        raise TypeError(f"{next(iter(options))}: not allowed beside privatizer, which has its own settings")
    return privatizer


def open_for_columns(columns: Sequence[Any], options: Mapping[str, Any]) -> list[Privatizer]:
    """One Privatizer per column of a table, so that equal texts in two columns do not share noise."""
    check_names(options)
    if len(columns) > 1 and options.get("field"):
        raise ValueError(f"field: '{options['field']}' is not allowed with several columns; each goes by its own name")
    return [Privatizer(**{**options, "field": options.get("field") or str(name)}) for name in columns]


def is_repeatable(settings: Mapping[str, Any]) -> bool:
    """Whether a second run gives the same texts: with a key or a seed."""
    return settings.get("key") is not None or settings.get("seed") is not None


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that were given, in one order, with paths as text: equal settings have equal pickles."""
    return {name: _plain_value(value) for name, value in sorted(settings.items()) if value is not None}


def _plain_value(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return dict(sorted(value.items())) if isinstance(value, Mapping) else value

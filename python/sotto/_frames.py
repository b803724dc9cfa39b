"""What the accessors of pandas and polars share: which columns are rewritten by which Privatizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from sotto import _adapters
from sotto._privatizer import Privatizer

Columns = Union[str, Sequence[str], Mapping[str, Privatizer]]


def check_columns(existing: Sequence[Any], **given: Any) -> None:
    """Refuses a name that is no column, naming the keyword."""
    for keyword, names in given.items():
        for name in [names] if isinstance(names, str) or not isinstance(names, (list, tuple, Mapping)) else names:
            if name is not None and name not in existing:
                raise ValueError(f"{keyword}: '{name}' is no column; there are {', '.join(map(str, existing))}")


def privatizers(
    columns: Columns, privatizer: Optional[Privatizer], options: Mapping[str, Any]
) -> dict[str, Privatizer]:
    """By column. Equal texts in two columns must not share noise, so a keyed Privatizer serves one column."""
    if isinstance(columns, Mapping):
        if privatizer is not None:
            raise TypeError("privatizer: not allowed beside columns that have their own")
        return {name: _adapters.open_privatizer(own, options) for name, own in columns.items()}
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ValueError("columns: empty; name the columns of texts")
    if privatizer is None:
        return dict(zip(names, _adapters.open_for_columns(names, options)))
    opened = _adapters.open_privatizer(privatizer, options)
    if len(names) > 1 and _adapters.is_repeatable(opened._settings):
        raise ValueError(
            "columns: a Privatizer with a key or a seed serves one column; give a dict of columns and Privatizers "
            "that differ in field, or the keywords of one"
        )
    return dict.fromkeys(names, opened)


def with_columns(frame: Any, columns: Mapping[Any, Any]) -> Any:
    """A copy of a frame of pandas, whose columns may have any names, with some of them replaced."""
    changed = frame.copy(deep=False)
    for name, values in columns.items():
        changed[name] = values
    return changed

"""What functions return: the library's JSON as a mapping that prints and displays well."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any


_MOST = 8  # values of a list that are shown


class Result(Mapping[str, Any]):
    """A mapping with the members of the library's JSON, which the schemas in docs/schemas describe."""

    title = "result"

    def __init__(self, text: str) -> None:
        self._text = text
        self._members: dict[str, Any] = json.loads(text)

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def to_json(self) -> str:
        """The JSON as the library wrote it."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """A copy as plain dicts and lists."""
        members: dict[str, Any] = json.loads(self._text)
        return members

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text,)

    def _lines(self) -> list[tuple[str, str]]:
        """What to show: names and values."""
        return [(name, _short(value)) for name, value in self._members.items() if value not in ("", [], {})]

    def __repr__(self) -> str:
        lines = self._lines()
        width = max((len(name) for name, _ in lines), default=0)
        return "\n".join([f"Sotto {self.title}", *(f"  {name:<{width}}  {value}" for name, value in lines)])

    def _repr_html_(self) -> str:
        return html_table(f"Sotto {self.title}", self._lines())


def html_table(title: str, lines: list[tuple[str, str]]) -> str:
    """A table of names and values."""
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{html.escape(name)}</th>'
        f'<td style="text-align:left;min-width:12em;max-width:40em;overflow-wrap:anywhere">{html.escape(value)}</td></tr>'
        for name, value in lines
    )
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value)} entries"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_short(entry)}" for name, entry in value.items())
    if isinstance(value, list) and len(value) > _MOST and all(entry == value[0] for entry in value):
        return f"{_short(value[0])}, {len(value)} times"
    if isinstance(value, list):
        shown = [_short(entry) for entry in value[:_MOST]]
        return ", ".join(shown) + (f", … ({len(value)} values)" if len(value) > _MOST else "")
    return str(value)

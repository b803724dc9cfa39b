"""Receipts: public accounts of what was done and what is promised."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from typing import Any, Union

from sotto import _core
from sotto._results import Result


class Receipt(Result):
    """What was done, what it promises, and what still shows. It is meant for publication.

    A mapping with the members of the JSON receipt. Printed, it says in words what they mean.
    """

    title = "receipt"

    def describe(self) -> dict[str, Any]:
        """The receipt in sentences: title, promise, examples and sections."""
        described: dict[str, Any] = json.loads(_core.describe_receipt(self.to_json()))
        return described

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the JSON to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __repr__(self) -> str:
        page = self.describe()
        lines = [page["title"], "", page["promise"], *page.get("examples", [])]
        for section in page["sections"]:
            lines += ["", section["title"], *section["paragraphs"], *(f"- {item}" for item in section["items"])]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        page = self.describe()
        parts = [f"<h3>{html.escape(page['title'])}</h3>", f"<p><b>{html.escape(page['promise'])}</b></p>"]
        parts += [f"<p>{html.escape(example)}</p>" for example in page.get("examples", [])]
        for section in page["sections"]:
            items = "".join(f"<li>{html.escape(item)}</li>" for item in section["items"])
            parts += [
                f"<details open><summary><b>{html.escape(section['title'])}</b></summary>",
                *(f"<p>{html.escape(paragraph)}</p>" for paragraph in section["paragraphs"]),
                f"<ul>{items}</ul></details>" if items else "</details>",
            ]
        return f'<div style="max-width:45em;overflow-wrap:anywhere">{"".join(parts)}</div>'


class Statistics(Result):
    """Exact counts of the private texts: confidential, and covered by no guarantee."""

    title = "statistics (confidential)"


def read_receipt(path: Union[str, os.PathLike[str]]) -> Receipt:
    """The receipt in a file, such as ``sotto privatize --report`` writes."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        _core.describe_receipt(text)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    return Receipt(text)


def merge_receipts(receipts: Iterable[Union[Receipt, str]]) -> Receipt:
    """The receipt of the whole from those of its partitions.

    All of them must come from the same settings; ValueError names the member in which two differ.
    """
    texts = [receipt if isinstance(receipt, str) else receipt.to_json() for receipt in receipts]
    return Receipt(_core.merge_receipts(texts))

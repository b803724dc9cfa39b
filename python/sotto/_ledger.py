"""Ledgers that are elsewhere than the texts: rewriting on workers, settling in one process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from sotto import _columns, _core, _keywords

Path = Union[str, "os.PathLike[str]"]


class Ledger:
    """An open ledger that settles the claims of workers. It needs neither key nor model.

    The file is created if there is none. ``limit`` is the epsilon that a subject may spend in total;
    ``subject`` names, for the receipt, what says whose account is charged. Several processes may use one
    ledger at once. Safe to use from several threads.
    """

    def __init__(self, file: Path, *, limit: float, subject: str = "subject", wait: Optional[float] = None) -> None:
        options = {
            "file": _keywords.path("file", file),
            "limit": limit,
            "subject_field": subject,
            "wait_seconds": wait,
        }
        self._file = os.fspath(file)
        self._core = _core.Ledger(_keywords.to_json(options), "")

    def settle(self, claims: Iterable[Optional[str]]) -> list[bool]:
        """Charges claims in one transaction and says for each whether its text may be released.

        When it returns, the spending is on disk. A repeat of an output costs nothing. None, the claim of a row
        without a text, is never released.
        """
        listed = list(claims)
        settled = iter(self._core.settle([claim for claim in listed if claim is not None]))
        return [claim is not None and next(settled) for claim in listed]

    def receipt(self) -> dict[str, Any]:
        """What this object has charged."""
        return self._core.receipt()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an open ledger cannot be pickled: send claims to the process that has it")

    def __repr__(self) -> str:
        return f"Ledger({self._file!r})"


class Unsettled:
    """Rewritten texts that no ledger has allowed yet. They must not leave the process before it has.

    Hand ``claims`` to the process with the ledger, and what it answers to ``release``.
    """

    def __init__(self, privatizer: Any, texts: Any, core: _core.UnsettledColumn) -> None:
        self._privatizer = privatizer
        self._texts = texts
        self._core = core
        self.claims: list[Optional[str]] = core.claims()

    def release(self, released: Sequence[bool]) -> Any:
        """The texts that were released, in the kind in which the originals came; None and null elsewhere.

        They count in the receipt of the Privatizer that rewrote them.
        """
        released = [bool(row) for row in released]
        counts = [count for count, row in zip(self._core.counts(), released) if count is not None and row]
        withheld = sum(claim is not None and not row for claim, row in zip(self.claims, released))
        if isinstance(self._texts, (list, tuple)):
            texts: Any = type(self._texts)(self._core.release_list(released))
        else:
            texts = _columns.as_kind_of(self._texts, self._core.release_arrow(released))
        self._privatizer.add_released(_core.add_counts(counts), withheld)
        return texts

    def counts(self) -> list[Optional[bytes]]:
        """What each row adds to a receipt if it is released, for ``Privatizer.count_released``. Confidential."""
        return self._core.counts()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("unsettled texts cannot be pickled: only claims leave the process before they are settled")

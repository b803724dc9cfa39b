"""Privatizer: texts in, rewritten texts out."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from sotto import _columns, _core, _keywords, _progress
from sotto._ledger import Unsettled
from sotto._preview import Preview
from sotto._receipt import Receipt, Statistics

Path = Union[str, "os.PathLike[str]"]


class Privatizer:
    """Rewrites texts under differential privacy. Everything is opened once.

    The keywords are the options of ``sotto privatize``. ``epsilon`` is per token, in the unit of the
    mechanism's guarantee; ``document_epsilon`` is per document instead. ``set`` holds the parameters of the
    mechanism.

    ``key`` is the path of a key file or 32 secret bytes. With a key, noise is a function of key, ``dataset``,
    id, ``field``, text and settings: a second run, in any order and on any machine, gives the same texts.
    Without one, every call draws fresh noise.

    With ``ledger``, ``subject`` and ``limit``, each text is charged to a subject before it is returned; a text
    that would exceed the subject's limit is withheld (None, or ``LimitExceeded`` for a single text).

    Safe to use from several threads.

    >>> import sotto
    >>> p = sotto.Privatizer(mechanism="tem", epsilon=12, seed=1)
    >>> len(p.privatize("The soup was cold.").split())
    4
    >>> p.privatize(["One.", None])[1] is None
    True
    """

    def __init__(
        self,
        mechanism: str = "diffractor-geometric",
        epsilon: Optional[float] = None,
        *,
        set: Optional[Mapping[str, Any]] = None,
        model: Optional[Path] = None,
        key: Union[Path, bytes, None] = None,
        seed: Optional[int] = None,
        dataset: str = "",
        field: str = "",
        policy: Optional[str] = None,
        stopwords: Optional[str] = None,
        oov: Optional[str] = None,
        numbers: Optional[str] = None,
        punctuation: Optional[str] = None,
        case: Optional[str] = None,
        articles: Optional[str] = None,
        collocations: Optional[str] = None,
        phrases: Optional[Path] = None,
        budget: Optional[str] = None,
        document_epsilon: Optional[float] = None,
        base_epsilon: Optional[float] = None,
        average_words: Optional[float] = None,
        profile: Optional[list[float]] = None,
        target: Optional[str] = None,
        delta: Optional[float] = None,
        epsilon_chosen_on: Optional[str] = None,
        unique_ids: bool = False,
        max_document_bytes: Union[int, str, None] = None,
        ledger: Optional[Path] = None,
        subject: Optional[str] = None,
        limit: Optional[float] = None,
        device: Optional[str] = None,
        precision: Optional[str] = None,
        threads: int = 0,
        memory: Union[int, str, None] = None,
    ) -> None:
        given = dict(locals())
        secret = bytes(key) if isinstance(key, (bytes, bytearray, memoryview)) else None
        self._settings = {name: value for name, value in given.items() if name not in ("self", "__class__")}
        if secret is not None:
            self._settings["key"] = _Secret(secret)
        if set is not None:
            self._settings["set"] = copy.deepcopy(set)
        options = {
            name: given[name]
            for name in (
                "mechanism epsilon seed policy stopwords oov numbers punctuation case articles collocations "
                "budget profile target delta epsilon_chosen_on device precision"
            ).split()
        }
        options["parameters"] = _keywords.parameters(set)
        options["model"] = _keywords.path("model", model)
        options["phrases"] = _keywords.path("phrases", phrases)
        options["memory"] = _keywords.size("memory", memory)
        options["max_document_bytes"] = _keywords.size("max_document_bytes", max_document_bytes)
        options["unique_ids"] = unique_ids or None
        options["document_epsilon"] = _document_epsilon(document_epsilon, base_epsilon, average_words)
        if not isinstance(key, (bytes, bytearray, memoryview)):
            options["key_file"] = _keywords.path("key", key)
        if epsilon is None and options["document_epsilon"] is None:
            raise ValueError("epsilon: missing; give a number from 1e-9 to 1e6, or document_epsilon")
        self._options = options
        self._ledger = _ledger_options(ledger, subject, limit)
        self._core = _core.Privatizer(
            _keywords.to_json(options),
            secret,
            _keywords.text("dataset", dataset),
            _keywords.text("field", field),
            _thread_count(threads),
            self._ledger,
        )

    def privatize(
        self,
        texts: Any,
        ids: Any = None,
        subjects: Any = None,
        *,
        id: Union[str, int, None] = None,
        subject: Union[str, int, None] = None,
        progress: _progress.Progress = None,
    ) -> Any:
        """The rewritten texts, in the kind in which they came.

        ``texts`` is a str; a list or tuple of str; a Series of pandas or polars; a NumPy array; an array of
        pyarrow; or anything else that exports Arrow arrays, which then gives an Arrow exporter. None and null
        stay what they are.

        ``ids`` (``id`` for a single text) name the texts and are part of what determines their noise. Without
        them texts are numbered, as long as the Privatizer lives, like the lines of a file. ``subjects``
        (``subject``) say whose account in the ledger is charged.

        ``progress`` is called with the bytes done and the total, at least every 50 ms; None shows a bar on
        terminals and in notebooks if tqdm is installed.
        """
        if isinstance(texts, str):
            if ids is not None or subjects is not None:
                raise TypeError("texts is one str; give id and subject instead of ids and subjects")
            return self._core.privatize_text(texts, _name("id", id), _name("subject", subject))
        if id is not None or subject is not None:
            raise TypeError("id and subject are for one str; give ids and subjects, one for each text")
        show, done = _progress.bar(progress, "privatize", in_bytes=True)
        try:
            return _columns.privatize(self._core, texts, ids, subjects, show)
        finally:
            done.close()

    __call__ = privatize

    def preview(self, text: str) -> Preview:
        """A text before and after, under a key that is then forgotten: no release of what a later call gives.

        Nothing is charged or counted. The preview is confidential, because it holds the text.
        """
        _keywords.text("text", text)
        options = {**self._options, "key_file": None, "seed": None}
        core = _core.Privatizer(_keywords.to_json(options), None, "", "", 0, "")
        return Preview(text, core.privatize_text(text, None, None))

    def rewrite(self, texts: Any, ids: Any, subjects: Any, *, progress: _progress.Progress = None) -> Unsettled:
        """Rewrites a list or an Arrow column for a ledger that another process has.

        Needs a key, without which a retry would be another release. The texts come out of the result only when
        the ledger has settled its claims.
        """
        if not isinstance(texts, (list, tuple)) and not _columns.exports_arrow(texts):
            raise TypeError(f"texts is {type(texts).__name__}; give a list of str or an Arrow array")
        show, done = _progress.bar(progress, "rewrite", in_bytes=True)
        try:
            column = self._core.rewrite(texts, _columns.names(ids, "ids"), _columns.names(subjects, "subjects"), show)
        finally:
            done.close()
        return Unsettled(self._core, texts, column)

    def count_released(self, counts: list[bytes], withheld: int = 0) -> None:
        """Adds texts that were rewritten and released elsewhere to the receipt (see ``Unsettled.counts``)."""
        self._core.add_released(_core.add_counts(counts), withheld)

    @property
    def receipt(self) -> Receipt:
        """The receipt for everything rewritten so far. It is meant for publication."""
        return Receipt(self._core.receipt_json())

    @property
    def statistics(self) -> Statistics:
        """Exact counts of the texts rewritten so far: confidential."""
        return Statistics(self._core.statistics_json())

    def __reduce__(self) -> tuple[Any, ...]:
        if self._ledger:
            raise TypeError(
                "a Privatizer with an open ledger cannot be pickled: charges are made where the ledger is; "
                "give workers one without a ledger, and settle what they did in one process"
            )
        return _make, (self._settings,)

    def __repr__(self) -> str:
        shown = {
            name: value
            for name, value in self._settings.items()
            if value is not None and value is not False and value != "" and value != 0
        }
        return f"Privatizer({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class _Secret:
    """Bytes that nothing prints."""

    def __init__(self, value: bytes) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<32 bytes>"


def _make(settings: dict[str, Any]) -> Privatizer:
    key = settings["key"]
    return Privatizer(**{**settings, "key": key.value if isinstance(key, _Secret) else key})


def _name(keyword: str, value: Union[str, int, None]) -> Optional[str]:
    if value is None:
        return value
    if isinstance(value, str):
        return _keywords.text(keyword, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"{keyword} is {type(value).__name__}; give str or int")


def _thread_count(threads: int) -> int:
    if not isinstance(threads, int) or isinstance(threads, bool) or not 0 <= threads <= 4096:
        raise ValueError(f"threads: '{threads}' is not allowed; give a number from 0 (one per processor) to 4096")
    return threads


def _document_epsilon(
    document_epsilon: Optional[float], base_epsilon: Optional[float], average_words: Optional[float]
) -> Optional[float]:
    if base_epsilon is None and average_words is None:
        return document_epsilon
    if document_epsilon is not None:
        raise ValueError("document_epsilon: cannot be given together with base_epsilon; give one of them")
    if base_epsilon is None or average_words is None:
        missing = "average_words" if average_words is None else "base_epsilon"
        raise ValueError(f"{missing}: missing; a document's epsilon is base_epsilon times average_words")
    return _keywords.number("base_epsilon", base_epsilon) * _keywords.number("average_words", average_words)


def _ledger_options(ledger: Optional[Path], subject: Optional[str], limit: Optional[float]) -> str:
    """As JSON; empty: there is no ledger."""
    if ledger is None:
        for name, value in (("subject", subject), ("limit", limit)):
            if value is not None:
                raise ValueError(f"{name}: '{value}' needs ledger, the file in which spending is recorded")
        return ""
    if limit is None:
        raise ValueError("limit: missing; give the epsilon that a subject may spend in total")
    options = {"file": _keywords.path("ledger", ledger), "subject_field": subject or "subject", "limit": limit}
    return _keywords.to_json(options)

"""Hugging Face datasets: a function for ``map`` whose results are cached when, and only when, they are repeatable.

>>> from datasets import Dataset
>>> import sotto.datasets
>>> reviews = Dataset.from_dict({"id": ["a", "b"], "text": ["A cold soup.", "A warm room."]})
>>> rewrite = sotto.datasets.privatize(column="text", id_column="id", mechanism="tem", epsilon=12)
>>> reviews.map(rewrite, batched=True).column_names
['id', 'text']
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

try:
    import pyarrow
    from datasets.formatting.formatting import LazyBatch, LazyRow
except ImportError as error:
    raise ImportError("sotto.datasets needs datasets: pip install datasets") from error

from sotto import _adapters, _core, _frames
from sotto._privatizer import Privatizer
from sotto._receipt import Receipt


class BatchPrivatizer:
    """What ``privatize`` returns: rewrites columns of a batch. Its pickle holds the path of a key, not the key."""

    def __init__(
        self,
        columns: Sequence[str],
        id_column: Optional[str],
        subject_column: Optional[str],
        settings: Mapping[str, Any],
    ) -> None:
        self._columns = list(columns)
        self._id_column = id_column
        self._subject_column = subject_column
        self._settings = _adapters.plain(settings)
        self._opened = _adapters.open_for_columns(self._columns, self._settings)
        self._identity = self._what_determines_output() if _adapters.is_repeatable(self._settings) else None

    def __call__(self, batch: Any, indices: Optional[Sequence[int]] = None) -> Any:
        """The batch's rewritten columns, or a table of the kind that came; called by ``map``."""
        if isinstance(batch, LazyBatch):
            batch = batch.pa_table  # its texts as Arrow has them, not as lists
            return {name: texts.to_pylist() for name, texts in self._rewrite(batch, indices).items()}
        if isinstance(batch, LazyRow) or _is_row(batch):
            raise TypeError("the batch is a single row; give map batched=True")
        rewritten = self._rewrite(batch, indices)
        if isinstance(batch, pyarrow.Table):
            for name, texts in rewritten.items():
                batch = batch.set_column(batch.column_names.index(name), name, texts)
            return batch
        if hasattr(batch, "assign"):  # of pandas
            return batch.assign(**rewritten)
        return batch.with_columns(**rewritten) if hasattr(batch, "with_columns") else rewritten

    def _rewrite(self, batch: Any, indices: Optional[Sequence[int]]) -> dict[str, Any]:
        names = {"column": self._columns, "id_column": self._id_column, "subject_column": self._subject_column}
        _frames.check_columns(_column_names(batch), **names)
        ids = indices if self._id_column is None else batch[self._id_column]
        if ids is None and _adapters.is_repeatable(self._settings):
            raise ValueError(
                "id_column: missing; with a key or a seed, name the column that holds ids, or give map "
                "with_indices=True: a cached result must not depend on what was rewritten before it"
            )
        subjects = None if self._subject_column is None else batch[self._subject_column]
        return {
            name: privatizer.privatize(batch[name], ids, subjects, progress=False)
            for name, privatizer in zip(self._columns, self._opened)
        }

    @property
    def receipts(self) -> dict[str, Receipt]:
        """The receipt of each column, for what this process has rewritten: nothing with ``num_proc``."""
        return {name: privatizer.receipt for name, privatizer in zip(self._columns, self._opened)}

    def __reduce__(self) -> tuple[Any, ...]:
        """What datasets hashes to name a cached result, and what goes to other processes."""
        identity = self._identity or os.urandom(16).hex()  # fresh noise is never the same twice
        return _make, (self._columns, self._id_column, self._subject_column, self._settings, identity)

    def _what_determines_output(self) -> str:
        parts = [str(privatizer.receipt["configuration_sha256"]) for privatizer in self._opened]
        key = self._settings.get("key")
        return "\n".join([_core.__version__, *parts, "" if key is None else _key_digest(key)])


def privatize(
    column: Union[str, Sequence[str]],
    *,
    id_column: Optional[str] = None,
    subject_column: Optional[str] = None,
    **options: Any,
) -> BatchPrivatizer:
    """A function for ``dataset.map(..., batched=True)`` that rewrites the texts of ``column``, or of several.

    ``options`` are the keywords of ``sotto.Privatizer``; ``key`` is the path of a key file. Each column has its
    name as ``field``: the texts are those of ``sotto privatize --field``. Other columns stay as they are.

    With a key or a seed, the result is cached like that of any other function: the same data set, settings
    (models included) and key find it again. It needs ``id_column``, or ``with_indices=True``, which takes the
    places of rows as ids. Then ``num_proc`` changes nothing either.

    Without a key and a seed, each ``map`` draws fresh noise, so a result is never found in the cache, although
    datasets may write it there. Each run is a release of its own and spends epsilon again; to come back to one
    release, give a key, or store the result with ``save_to_disk``. Nothing is promised about the original,
    which datasets keeps in its cache in clear.

    >>> from datasets import Dataset
    >>> import sotto.datasets
    >>> titles = Dataset.from_dict({"title": ["A cold soup.", "A warm room."]})
    >>> rewrite = sotto.datasets.privatize("title", epsilon=1, seed=1)
    >>> len(titles.map(rewrite, batched=True, with_indices=True))
    2
    """
    columns = [column] if isinstance(column, str) else list(column)
    if not columns:
        raise ValueError("column: empty; name the columns of texts")
    _adapters.check_names(options)
    _adapters.check_key_is_path(options.get("key"), "datasets hashes settings and sends them to other processes")
    return BatchPrivatizer(columns, id_column, subject_column, options)


def _make(
    columns: Sequence[str],
    id_column: Optional[str],
    subject_column: Optional[str],
    settings: Mapping[str, Any],
    identity: str,
) -> BatchPrivatizer:
    """A copy, mostly in another process, where it must do the same."""
    made = BatchPrivatizer(columns, id_column, subject_column, settings)
    if made._identity is not None and made._identity != identity:
        raise ValueError("key: its file, or the model, has changed since this function was made; make it again")
    return made


def _key_digest(path: str) -> str:
    """So that another key in the same file is another result. One cannot go back from it to 32 random bytes."""
    with open(path, "rb") as file:
        return hashlib.blake2b(file.read(), digest_size=16, person=b"sotto-datasets").hexdigest()


def _is_row(batch: Any) -> bool:
    return isinstance(batch, Mapping) and any(isinstance(value, str) for value in batch.values())


def _column_names(batch: Any) -> list[str]:
    """Of tables of pyarrow, pandas and polars, and of dicts."""
    for attribute in ("column_names", "columns", "keys"):
        if hasattr(batch, attribute):
            names = getattr(batch, attribute)
            return list(names() if callable(names) else names)
    raise TypeError(f"the batch is {type(batch).__name__}; give map no input_columns")

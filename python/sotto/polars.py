"""polars: the namespace ``sotto`` of Series, Expr, DataFrame and LazyFrame, registered when this module is imported.

>>> import polars as pl
>>> import sotto, sotto.polars
>>> p = sotto.Privatizer("tem", epsilon=12, seed=1)
>>> reviews = pl.LazyFrame({"id": ["a", "b"], "body": ["A cold soup.", "A warm room."]})
>>> reviews.with_columns(pl.col("body").sotto.privatize(p, ids=pl.col("id"))).collect().columns
['id', 'body']
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

try:
    import polars
except ImportError as error:
    raise ImportError("sotto.polars needs polars: pip install polars") from error

from sotto import _adapters, _frames, _progress
from sotto._privatizer import Privatizer


@polars.api.register_series_namespace("sotto")
class SeriesNamespace:
    """``series.sotto``."""

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def privatize(
        self,
        privatizer: Optional[Privatizer] = None,
        *,
        ids: Any = None,
        subjects: Any = None,
        progress: _progress.Progress = None,
        **options: Any,
    ) -> polars.Series:
        """The rewritten texts. Null stays null.

        Give an opened ``Privatizer``, whose receipt then counts these texts, or the keywords of one. Without
        ``ids``, texts are numbered in their order: by an opened Privatizer as long as it lives, otherwise from
        0. With a key, give ids: a text that moves would get other noise.
        """
        opened = _adapters.open_privatizer(privatizer, options)
        rewritten: polars.Series = opened.privatize(self._series, ids, subjects, progress=progress)
        return rewritten


@polars.api.register_expr_namespace("sotto")
class ExprNamespace:
    """``pl.col("body").sotto``."""

    def __init__(self, expr: polars.Expr) -> None:
        self._expr = expr

    def privatize(
        self,
        privatizer: Optional[Privatizer] = None,
        *,
        ids: Union[polars.Expr, str, None] = None,
        subjects: Union[polars.Expr, str, None] = None,
        **options: Any,
    ) -> polars.Expr:
        """An expression for the rewritten texts; ``ids`` and ``subjects`` are expressions or names of columns.

        Everything is opened when the expression is made. It is evaluated each time the query is collected:
        without a key and a seed each time draws fresh noise, and what is published twice spends epsilon twice.
        A query can be serialized if ``key`` is a path.

        With ids, rows may be processed in any order and in batches. Without them, texts are numbered in their
        order as long as the Privatizer lives; a key or a seed needs ids, because polars decides in which order
        and how often it evaluates.
        """
        opened = _adapters.open_privatizer(privatizer, options)
        if ids is None and _adapters.is_repeatable(opened._settings):
            raise ValueError("ids: missing; with a key or a seed, give an expression or the name of a column")
        if self._expr.meta.has_multiple_outputs() and _adapters.is_repeatable(opened._settings):
            raise ValueError(
                "columns: with a key or a seed, one expression is for one column; equal texts in two would share "
                "noise. Use privatize of the frame, or a Privatizer with a field of its own for each"
            )
        names = {"ids": _as_expr(ids, "ids"), "subjects": _as_expr(subjects, "subjects")}
        given = {keyword: expr for keyword, expr in names.items() if expr is not None}
        return polars.map_batches(
            [self._expr, *given.values()],
            _Rewrite(opened, tuple(given)),
            return_dtype=polars.String,
            is_elementwise=ids is not None,
        )


class _Rewrite:
    """What an expression calls with the texts and the columns that ``keywords`` names."""

    def __init__(self, privatizer: Privatizer, keywords: tuple[str, ...]) -> None:
        self._privatizer = privatizer
        self._keywords = keywords

    def __call__(self, columns: Sequence[polars.Series]) -> polars.Series:
        texts = columns[0]
        if texts.dtype == polars.Null:  # nothing but null
            return texts.cast(polars.String)
        names: dict[str, Any] = dict(zip(self._keywords, columns[1:]))
        rewritten: polars.Series = self._privatizer.privatize(texts, **names, progress=False)
        return rewritten

    def __reduce__(self) -> tuple[Any, ...]:
        key = self._privatizer._settings["key"]
        if key is not None and not isinstance(key, (str, os.PathLike)):
            raise TypeError("key: a serialized query would hold it; give the Privatizer the path of a key file")
        return _Rewrite, (self._privatizer, self._keywords)


def _as_expr(value: Union[polars.Expr, str, None], keyword: str) -> Optional[polars.Expr]:
    if value is None or isinstance(value, polars.Expr):
        return value
    if isinstance(value, str):
        return polars.col(value)
    raise TypeError(f"{keyword} is {type(value).__name__}; give an expression or the name of a column")


class _FrameNamespace:
    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def privatize(
        self,
        columns: _frames.Columns,
        privatizer: Optional[Privatizer] = None,
        *,
        id_column: Optional[str] = None,
        subject_column: Optional[str] = None,
        **options: Any,
    ) -> Any:
        """The frame with the texts of ``columns`` rewritten; nothing else changes.

        ``columns`` is a name, a list of names, or a dict from names to Privatizers. With keywords, each column
        gets a Privatizer of its own, with the column's name as ``field``: the texts are those of
        ``sotto privatize --field``.

        ``id_column`` and ``subject_column`` name the columns that hold ids and, with a ledger, subjects. Other
        columns stay as they are, ids too: what identifies people there still does. A key or a seed needs ids.
        A lazy frame is rewritten each time it is collected (see the expression).
        """
        opened = _frames.privatizers(columns, privatizer, options)
        if id_column is None and any(_adapters.is_repeatable(own._settings) for own in opened.values()):
            raise ValueError("id_column: missing; with a key or a seed, name the column that holds ids")
        existing = self._frame.collect_schema().names()
        _frames.check_columns(existing, columns=list(opened), id_column=id_column, subject_column=subject_column)
        return self._frame.with_columns(
            ExprNamespace(polars.col(name)).privatize(own, ids=id_column, subjects=subject_column)
            for name, own in opened.items()
        )


@polars.api.register_dataframe_namespace("sotto")
class DataFrameNamespace(_FrameNamespace):
    """``frame.sotto``."""


@polars.api.register_lazyframe_namespace("sotto")
class LazyFrameNamespace(_FrameNamespace):
    """``lazy_frame.sotto``."""

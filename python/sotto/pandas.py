"""pandas: the accessor ``sotto`` of Series and DataFrame, registered when this module is imported.

>>> import pandas as pd
>>> import sotto.pandas
>>> reviews = pd.DataFrame({"id": ["a", "b"], "body": ["A cold soup.", "A warm room."]})
>>> private = reviews.sotto.privatize("body", id_column="id", mechanism="tem", epsilon=12)
>>> private.columns.tolist()
['id', 'body']
"""

from __future__ import annotations

from typing import Any, Optional

try:
    import pandas
except ImportError as error:
    raise ImportError("sotto.pandas needs pandas: pip install pandas") from error

from sotto import _adapters, _frames, _progress
from sotto._privatizer import Privatizer


@pandas.api.extensions.register_series_accessor("sotto")
class SeriesAccessor:
    """``series.sotto``."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def privatize(
        self,
        privatizer: Optional[Privatizer] = None,
        *,
        ids: Any = None,
        subjects: Any = None,
        progress: _progress.Progress = None,
        **options: Any,
    ) -> Any:
        """The rewritten texts, with the index and the name of the Series. Missing texts stay missing.

        Give an opened ``Privatizer``, whose receipt then counts these texts, or the keywords of one. Without
        ``ids``, texts are numbered in their order: by an opened Privatizer as long as it lives, otherwise from
        0. With a key, give ids: a text that moves would get other noise. A Series of ids must have the index of
        the texts.

        >>> import pandas as pd
        >>> import sotto, sotto.pandas
        >>> p = sotto.Privatizer("tem", epsilon=12)
        >>> pd.Series(["A cold soup.", None]).sotto.privatize(p).isna().tolist()
        [False, True]
        >>> p.receipt["counts"]["documents"]
        1
        """
        opened = _adapters.open_privatizer(privatizer, options)
        for keyword, names in (("ids", ids), ("subjects", subjects)):
            if isinstance(names, pandas.Series) and not names.index.equals(self._series.index):
                raise ValueError(f"{keyword}: its index is not that of the texts; reindex it, or give its values")
        return opened.privatize(self._series, ids, subjects, progress=progress)


@pandas.api.extensions.register_dataframe_accessor("sotto")
class DataFrameAccessor:
    """``frame.sotto``."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def privatize(
        self,
        columns: _frames.Columns,
        privatizer: Optional[Privatizer] = None,
        *,
        id_column: Any = None,
        subject_column: Any = None,
        progress: _progress.Progress = None,
        **options: Any,
    ) -> Any:
        """A copy of the table in which the texts of ``columns`` are rewritten; nothing else changes.

        ``columns`` is a name, a list of names, or a dict from names to Privatizers. With keywords, each column
        gets a Privatizer of its own, with the column's name as ``field``: the texts are those of
        ``sotto privatize --field``.

        ``id_column`` and ``subject_column`` name the columns that hold ids and, with a ledger, subjects. Other
        columns stay as they are, ids too: what identifies people there still does. Without ids, rows are
        numbered in their order; with a key, give ids, so that rows may move.
        """
        frame = self._frame
        opened = _frames.privatizers(columns, privatizer, options)
        _frames.check_columns(
            list(frame.columns), columns=list(opened), id_column=id_column, subject_column=subject_column
        )
        if not frame.columns.is_unique:
            raise ValueError("columns: two columns have the same name")
        ids = None if id_column is None else frame[id_column]
        subjects = None if subject_column is None else frame[subject_column]
        rewritten = {
            name: own.privatize(frame[name], ids, subjects, progress=progress) for name, own in opened.items()
        }
        return _frames.with_columns(frame, rewritten)

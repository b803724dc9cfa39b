"""scikit-learn: a transformer that rewrites texts, for pipelines.

>>> from sklearn.feature_extraction.text import TfidfVectorizer
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> from sotto.sklearn import TextPrivatizer
>>> model = make_pipeline(TextPrivatizer(mechanism="tem", epsilon=12, seed=1), TfidfVectorizer(), LogisticRegression())
>>> len(model.fit(["A good soup.", "A cold room."], [1, 0]).predict(["Soup again."]))
1
"""

from __future__ import annotations

import inspect
from typing import Any, Optional

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("sotto.sklearn needs scikit-learn: pip install scikit-learn") from error
import numpy

from sotto import _adapters, _frames
from sotto._privatizer import Privatizer
from sotto._receipt import Receipt

_WHY_PATH = "estimators print, copy and pickle their parameters"


class TextPrivatizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rewrites texts under differential privacy.

    The parameters are the keywords of ``sotto.Privatizer``, so a search can vary ``epsilon``; ``key`` must be
    the path of a key file. ``id_column`` and ``subject_column`` name (or number) the columns of a table that
    hold ids and, with a ledger, subjects; they are removed from the output.

    One dimension in (a list, a Series) gives one dimension, which vectorizers read. A table of one or several
    columns of texts gives a table; each column has noise of its own, under its name as ``field``.

    Without ``id_column``, with a key or a seed, rows are numbered from 0 in each call. Equal texts at equal
    places then have equal outputs, and a row that moves gets other noise. Give ids where rows are shuffled,
    split or charged. Without a key and a seed each call draws fresh noise, so the texts that a model was
    trained on cannot be made again.

    Rewriting a text again under fresh noise spends epsilon again: with grid searches and cross-validation,
    give a key and ids, or rewrite once before them.

    >>> import pandas as pd
    >>> texts = pd.DataFrame({"id": ["a", "b"], "body": ["A cold soup.", "A warm room."]})
    >>> step = TextPrivatizer(mechanism="tem", epsilon=12, seed=1, id_column="id")
    >>> step.fit_transform(texts).columns.tolist()
    ['body']
    >>> step.receipt["counts"]["documents"]
    2
    """

    def __init__(
        self,
        mechanism: str = "diffractor-geometric",
        epsilon: Optional[float] = None,
        *,
        id_column: Any = None,
        subject_column: Any = None,
        **options: Any,
    ) -> None:
        given = {**options, "mechanism": mechanism, "epsilon": epsilon}
        _adapters.check_names(options)
        _adapters.check_key_is_path(options.get("key"), _WHY_PATH)
        for parameter in _adapters.keywords():
            setattr(self, parameter.name, given.get(parameter.name, parameter.default))
        self.id_column = id_column
        self.subject_column = subject_column

    def set_params(self, **params: Any) -> TextPrivatizer:
        """Sets parameters of the estimator."""
        _adapters.check_key_is_path(params.get("key"), _WHY_PATH)
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any = None) -> TextPrivatizer:
        """Opens what the parameters name. Nothing is learned from X but its column names."""
        X = _as_texts(X)
        columns = self._columns(X)
        self.text_columns_ = self._text_columns(columns)
        settings = {parameter.name: getattr(self, parameter.name) for parameter in _adapters.keywords()}
        if settings["unique_ids"] and self.id_column is None:
            raise ValueError("id_column: missing; unique_ids needs it")
        if _is_table(X):
            self.privatizers_ = _adapters.open_for_columns(self.text_columns_, settings)
        else:
            self.privatizers_ = [Privatizer(**settings)]
        self.fitted_on_table_ = _is_table(X)
        self.n_features_in_ = len(columns)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if all(isinstance(name, str) for name in columns):
            self.feature_names_in_ = numpy.asarray(columns, dtype=object)
        return self

    def transform(self, X: Any) -> Any:
        """The rewritten texts."""
        check_is_fitted(self)
        X = _as_texts(X)
        self._check_as_fitted(X)
        ids = None if self.id_column is None else _column(X, self.id_column)
        subjects = None if self.subject_column is None else _column(X, self.subject_column)
        if ids is None and _adapters.is_repeatable(self.get_params(deep=False)):
            ids = range(X.shape[0])
        if not _is_table(X):
            return self.privatizers_[0].privatize(X, ids, subjects)
        outputs = {
            name: privatizer.privatize(_column(X, name), ids, subjects)
            for privatizer, name in zip(self.privatizers_, self.text_columns_)
        }
        return _table_like(X, outputs)

    def _columns(self, X: Any) -> list[Any]:
        """The names of all columns, or their numbers; of a Series its own."""
        if _is_table(X):
            return list(X.columns) if hasattr(X, "columns") else list(range(X.shape[1]))
        for keyword in ("id_column", "subject_column"):
            if getattr(self, keyword) is not None:
                raise ValueError(f"{keyword}: '{getattr(self, keyword)}' needs a table; X has one dimension")
        return [getattr(X, "name", None)]

    def _text_columns(self, columns: list[Any]) -> list[Any]:
        others = {"id_column": self.id_column, "subject_column": self.subject_column}
        _frames.check_columns(columns, **others)
        texts = [name for name in columns if name not in others.values() or name is None]
        if not texts:
            raise ValueError("X has no column of texts")
        return texts

    def _check_as_fitted(self, X: Any) -> None:
        if _is_table(X) != self.fitted_on_table_:
            kinds = ("one dimension", "two")
            raise ValueError(
                f"X has {kinds[_is_table(X)]}, and the fit saw {kinds[self.fitted_on_table_]}. Reshape your data"
            )
        columns = self._columns(X)
        if len(columns) != self.n_features_in_:
            raise ValueError(
                f"X has {len(columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        fitted = list(getattr(self, "feature_names_in_", columns))
        if _is_table(X) and hasattr(X, "columns") and columns != fitted:
            raise ValueError(f"X has the columns {columns}; the fit saw {fitted}")

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns of texts; x0, x1 and so on where they have none."""
        check_is_fitted(self)
        names = [
            name if isinstance(name, str) else f"x{place}" for place, name in enumerate(self.text_columns_)
        ]
        return numpy.asarray(names, dtype=object)

    @property
    def receipt(self) -> Receipt:
        """The receipt of what this estimator has rewritten since its fit; of a table with one column of texts."""
        check_is_fitted(self)
        if len(self.privatizers_) > 1:
            raise ValueError("the table has several columns of texts; see privatizers_ for their receipts")
        return self.privatizers_[0].receipt

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        # One dimension is welcome too, but with its tag the checks would feed nothing else.
        tags.input_tags.two_d_array = True
        tags.non_deterministic = not _adapters.is_repeatable(self.get_params(deep=False))
        tags.transformer_tags.preserves_dtype = []
        return tags


# scikit-learn reads the parameters of an estimator from its signature.
TextPrivatizer.__init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *_adapters.keywords(),
        inspect.Parameter("id_column", inspect.Parameter.KEYWORD_ONLY, default=None),
        inspect.Parameter("subject_column", inspect.Parameter.KEYWORD_ONLY, default=None),
    ]
)


def _as_texts(X: Any) -> Any:
    """An array, Series or frame, which may have texts."""
    if isinstance(X, str):
        raise ValueError("X is one str; give an iterable of texts")
    if hasattr(X, "toarray"):
        raise TypeError("X is a sparse matrix; give texts")
    if not hasattr(X, "shape"):
        X = numpy.asarray(X) if hasattr(X, "__array__") else _object_array(list(X))
    if len(X.shape) not in (1, 2):
        raise ValueError(f"X has {len(X.shape)} dimensions; give one or two")
    return X


def _object_array(texts: list[Any]) -> Any:
    array = numpy.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _is_table(X: Any) -> bool:
    return len(X.shape) == 2


def _column(X: Any, name: Any) -> Any:
    return X[name] if hasattr(X, "columns") else X[:, name]


def _table_like(X: Any, outputs: dict[Any, Any]) -> Any:
    """A frame of pandas or polars, or an array, of the outputs."""
    if not hasattr(X, "columns"):
        return numpy.column_stack(list(outputs.values()))
    table = X[list(outputs)]
    if hasattr(table, "with_columns"):
        return table.with_columns(**outputs)
    return _frames.with_columns(table, outputs)

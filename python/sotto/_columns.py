"""Columns of texts in the kinds that people have them, and back."""

from __future__ import annotations

import sys
from typing import Any

from sotto import _core


def _is_instance(value: Any, module: str, name: str) -> bool:
    """Whether `value` is of a class of a package that need not be installed: then nobody has one."""
    package = sys.modules.get(module)
    kind = getattr(package, name, None)
    return kind is not None and isinstance(value, kind)


def exports_arrow(value: Any) -> bool:
    """Whether a value follows Arrow's PyCapsule protocol."""
    return hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__")


def names(values: Any, what: str) -> Any:
    """Ids or subjects in a form that the core reads: an Arrow exporter or a list."""
    if values is None:
        return None
    if _is_instance(values, "pandas", "Series") or _is_instance(values, "pandas", "Index"):
        return values.tolist()
    if _is_instance(values, "numpy", "ndarray"):
        _check_dimension(values, what)
        return values.tolist()
    if exports_arrow(values) or isinstance(values, (list, tuple, range)):
        return values
    raise TypeError(f"{what} is {type(values).__name__}; give a list, a Series or an Arrow array")


def privatize(core: _core.Privatizer, texts: Any, ids: Any, subjects: Any, progress: Any) -> Any:
    """The rewritten texts, in the kind in which `texts` came."""
    ids = names(ids, "ids")
    subjects = names(subjects, "subjects")
    if isinstance(texts, list):
        return core.privatize_list(texts, ids, subjects, progress)
    if isinstance(texts, tuple):
        return tuple(core.privatize_list(list(texts), ids, subjects, progress))
    if _is_instance(texts, "pandas", "Series"):
        return _pandas_series(core, texts, ids, subjects, progress)
    if _is_instance(texts, "pandas", "Index"):
        return type(texts)(_pandas_series(core, texts.to_series(), ids, subjects, progress))
    if _is_instance(texts, "numpy", "ndarray"):
        return _numpy_array(core, texts, ids, subjects, progress)
    if exports_arrow(texts):
        return as_kind_of(texts, core.privatize_arrow(texts, ids, subjects, progress))
    raise TypeError(
        f"texts is {type(texts).__name__}; give a str, a list of str, a Series, a NumPy array or an Arrow array"
    )


def as_kind_of(texts: Any, output: _core.ArrowTexts) -> Any:
    """Arrow arrays as the library has them that made the input; for an unknown one as they are."""
    if _is_instance(texts, "pyarrow", "ChunkedArray"):
        return sys.modules["pyarrow"].chunked_array(output)
    if _is_instance(texts, "pyarrow", "Array"):
        chunks = sys.modules["pyarrow"].chunked_array(output)  # several if 32-bit offsets do not reach
        return chunks.chunk(0) if chunks.num_chunks == 1 else chunks
    if _is_instance(texts, "polars", "Series"):
        return sys.modules["polars"].Series(texts.name, _Stream(output))
    return output


class _Stream:
    """Texts as a stream only: polars would ask for a single array first, and they may be in several."""

    def __init__(self, texts: _core.ArrowTexts) -> None:
        self._texts = texts

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._texts.__arrow_c_stream__(requested_schema)


def _check_dimension(array: Any, what: str) -> None:
    if array.ndim != 1:
        raise TypeError(f"{what} has {array.ndim} dimensions; give one")


def _numpy_array(core: _core.Privatizer, texts: Any, ids: Any, subjects: Any, progress: Any) -> Any:
    import numpy

    _check_dimension(texts, "texts")
    if texts.dtype.kind not in "OUT":
        raise TypeError(f"texts is an array of {texts.dtype}; give one of str")
    missing = getattr(texts.dtype, "na_object", None)
    values = [None if value is missing or _is_nan(value) else value for value in texts.tolist()]
    outputs = core.privatize_list(values, ids, subjects, progress)
    if texts.dtype.kind == "U" and None not in outputs:
        return numpy.array(outputs, dtype="U" if outputs else texts.dtype)
    # Withheld texts are None, which only some types can hold.
    holds_none = texts.dtype.kind == "O" or hasattr(texts.dtype, "na_object")
    array = numpy.empty(len(outputs), dtype=texts.dtype if holds_none or None not in outputs else object)
    array[:] = [missing if output is None else output for output in outputs]
    return array


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _pandas_series(core: _core.Privatizer, texts: Any, ids: Any, subjects: Any, progress: Any) -> Any:
    import pandas

    if isinstance(texts.dtype, pandas.CategoricalDtype):
        texts = texts.astype(texts.cat.categories.dtype)  # rewritten, equal texts differ
    if _is_arrow_backed(texts):
        import pyarrow

        output = core.privatize_arrow(texts.array.__arrow_array__(), ids, subjects, progress)
        array = texts.dtype.__from_arrow__(pyarrow.chunked_array(output))
        return pandas.Series(array, index=texts.index, name=texts.name)
    missing = texts.isna()
    values = texts.astype(object).where(~missing, None).tolist() if missing.any() else texts.tolist()
    outputs = core.privatize_list(values, ids, subjects, progress)
    return pandas.Series(outputs, index=texts.index, name=texts.name, dtype=texts.dtype)


def _is_arrow_backed(texts: Any) -> bool:
    """Whether a Series holds its texts in an array of pyarrow's."""
    return hasattr(texts.dtype, "__from_arrow__") and hasattr(texts.array, "__arrow_array__") and (
        "pyarrow" in str(getattr(texts.dtype, "storage", texts.dtype))
    )

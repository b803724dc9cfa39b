"""Columns of every kind give what a list gives, in the kind that they are."""

from __future__ import annotations

import random

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import KEY, TEXTS

import sotto

P = sotto.Privatizer("diffractor-geometric", 2, key=KEY)
IDS = list(range(len(TEXTS) + 1))
COLUMN = [*TEXTS, None]
EXPECTED = P.privatize(COLUMN, ids=IDS)


def test_lists_and_tuples():
    assert EXPECTED[-1] is None and None not in EXPECTED[:-1]
    assert P.privatize(tuple(COLUMN), ids=tuple(IDS)) == tuple(EXPECTED)
    assert P.privatize([]) == [] and P.privatize(()) == ()


@pytest.mark.parametrize("dtype", [object, "str", "string[python]", "string[pyarrow]", "category",
                                   pandas.ArrowDtype(pyarrow.string()), pandas.ArrowDtype(pyarrow.large_string()),
                                   pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))],
                         ids=str)  # fmt: skip
def test_pandas(dtype):
    series = pandas.Series(COLUMN, dtype=dtype, name="body", index=pandas.Index(range(10, 10 + len(COLUMN))))
    out = P.privatize(series, ids=pandas.Series(IDS))
    assert isinstance(out, pandas.Series) and out.name == "body" and out.index.equals(series.index)
    if dtype != "category":
        assert out.dtype == series.dtype
    assert out.astype(object).where(out.notna(), None).tolist() == EXPECTED
    empty = P.privatize(series[:0])
    assert len(empty) == 0 and (dtype == "category" or empty.dtype == series.dtype)


def test_pandas_index():
    index = pandas.Index(TEXTS, name="body")
    out = P.privatize(index, ids=IDS[:-1])
    assert isinstance(out, pandas.Index) and out.name == "body" and out.tolist() == EXPECTED[:-1]


def test_pandas_ids_of_many_kinds():
    series = pandas.Series(TEXTS)
    ids = list(map(str, IDS[:-1]))
    for given in (pandas.Series(ids), pandas.Series(ids, dtype="category"), pandas.Series(ids, dtype="string[pyarrow]"),
                  pandas.Index(ids), numpy.array(ids), numpy.array(IDS[:-1]), pyarrow.array(ids),
                  pyarrow.array(IDS[:-1], pyarrow.uint8()), pyarrow.array(ids).dictionary_encode(), range(len(TEXTS)),
                  polars.Series(ids), polars.Series(IDS[:-1])):  # fmt: skip
        assert P.privatize(series, ids=given).tolist() == EXPECTED[:-1]


def test_numpy():
    unicode = P.privatize(numpy.array(TEXTS), ids=IDS[:-1])
    assert unicode.dtype.kind == "U" and unicode.tolist() == EXPECTED[:-1]
    objects = P.privatize(numpy.array([*TEXTS, float("nan")], dtype=object), ids=numpy.array(IDS))
    assert objects.dtype == object and objects.tolist() == EXPECTED
    strings = P.privatize(numpy.array(TEXTS, dtype=numpy.dtypes.StringDType()), ids=IDS[:-1])
    assert strings.dtype == numpy.dtypes.StringDType() and strings.tolist() == EXPECTED[:-1]
    assert P.privatize(numpy.array([], dtype="U5")).shape == (0,)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_numpy_strings_that_may_be_missing(missing):
    dtype = numpy.dtypes.StringDType(na_object=missing)
    out = P.privatize(numpy.array([*TEXTS, missing], dtype=dtype), ids=IDS)
    assert out.dtype == dtype and out.tolist()[:-1] == EXPECTED[:-1] and out.tolist()[-1] is missing


@pytest.mark.parametrize("dtype", [polars.String, polars.Categorical])
def test_polars(dtype):
    out = P.privatize(polars.Series("body", COLUMN, dtype=dtype), ids=polars.Series(IDS))
    assert isinstance(out, polars.Series) and out.name == "body" and out.to_list() == EXPECTED
    assert P.privatize(polars.Series("body", [], dtype=polars.String)).to_list() == []


ARROW_TYPES = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]


@pytest.mark.parametrize("type_", ARROW_TYPES, ids=str)
def test_arrow(type_):
    array = pyarrow.array(COLUMN, type_)
    out = P.privatize(array, ids=pyarrow.array(IDS))
    out.validate(full=True)
    assert isinstance(out, pyarrow.Array) and out.type == type_ and out.to_pylist() == EXPECTED
    chunked = pyarrow.chunked_array([array[:3], array[3:3], array[3:]])
    out = P.privatize(chunked, ids=IDS)
    out.validate(full=True)
    assert isinstance(out, pyarrow.ChunkedArray) and out.type == type_ and out.to_pylist() == EXPECTED
    assert [len(chunk) for chunk in out.chunks] == [3, 0, len(COLUMN) - 3]
    assert P.privatize(array[:0]).type == type_
    nothing = P.privatize(pyarrow.chunked_array([], type=type_))
    assert nothing.type == type_ and len(nothing) == 0
    all_null = P.privatize(pyarrow.array([None] * 3, type_))
    assert all_null.null_count == 3 and all_null.type == type_


@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("type_", ARROW_TYPES[:2], ids=str)
def test_dictionaries(index, type_):
    values = pyarrow.array(["unused", *TEXTS[::-1], None], type_)
    rows = [len(TEXTS) - place for place in range(len(TEXTS))]
    array = pyarrow.DictionaryArray.from_arrays(pyarrow.array([*rows, None], getattr(pyarrow, index)()), values)
    assert P.privatize(array, ids=IDS).to_pylist() == EXPECTED
    null_in_dictionary = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([*rows, len(values) - 1], getattr(pyarrow, index)()), values
    )
    assert P.privatize(null_in_dictionary, ids=IDS).to_pylist() == EXPECTED
    sliced = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1], getattr(pyarrow, index)()), values[2:5])
    assert P.privatize(sliced, ids=[0, 1]).to_pylist() == P.privatize(values[2:4].to_pylist(), ids=[0, 1])


def test_tables_of_one_column():
    table = pyarrow.table({"body": pyarrow.chunked_array([COLUMN[:2], COLUMN[2:]])})
    frame = polars.DataFrame({"body": COLUMN})
    for whole in (table, table.slice(0), frame, table.to_batches()[0].slice(0)):
        rows = len(whole) if not isinstance(whole, polars.DataFrame) else whole.height
        out = pyarrow.chunked_array(P.privatize(whole, ids=IDS[:rows]))
        assert out.to_pylist() == EXPECTED[:rows]
    sliced = pyarrow.record_batch({"body": COLUMN}).slice(3, 4)
    assert pyarrow.chunked_array(P.privatize(sliced, ids=IDS[3:7])).to_pylist() == EXPECTED[3:7]
    struct = pyarrow.StructArray.from_arrays([pyarrow.array(COLUMN)], ["body"]).slice(3, 4)
    assert pyarrow.array(P.privatize(struct, ids=IDS[3:7])).to_pylist() == EXPECTED[3:7]


def random_array(dice: random.Random, column: list[str | None]) -> pyarrow.Array:
    """These texts in some layout, as a slice of a longer array."""
    before = [dice.choice(TEXTS) for _ in range(dice.randrange(12))]
    after = [dice.choice([None, *TEXTS]) for _ in range(dice.randrange(12))]
    array = pyarrow.array(before + column + after, dice.choice(ARROW_TYPES[:2]))
    if dice.random() < 0.3:
        array = array.dictionary_encode()
    elif dice.random() < 0.3:
        array = array.cast(pyarrow.string_view())
    return array.slice(len(before), len(column))


def random_column(dice: random.Random) -> list[str | None]:
    words = ["soup", "naïve", "🙂", "", "The", "12", "—", "kidney,"]
    return [
        None if dice.random() < 0.2 else " ".join(dice.choices(words, k=dice.randrange(9)))
        for _ in range(dice.randrange(40))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_random_layouts(seed):
    dice = random.Random(seed)
    column = random_column(dice)
    first = dice.randrange(1000)
    ids = [f"id {first + row}" for row in range(len(column))]
    expected = P.privatize(column, ids=ids)
    array = random_array(dice, column)
    out = P.privatize(array, ids=random_array(dice, ids))
    out.validate(full=True)
    assert out.to_pylist() == expected
    cuts = sorted(dice.randrange(len(column) + 1) for _ in range(dice.randrange(5)))
    chunks = [array[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(column)])]
    chunked = P.privatize(pyarrow.chunked_array(chunks), ids=ids)
    chunked.validate(full=True)
    assert chunked.to_pylist() == expected
    assert [len(chunk) for chunk in chunked.chunks] == [len(chunk) for chunk in chunks]
    numbered = [
        sotto.Privatizer("diffractor-geometric", 2, seed=seed).privatize(texts)
        for texts in (column, pyarrow.chunked_array(chunks))
    ]
    assert numbered[0] == numbered[1].to_pylist()


def test_columns_longer_than_a_slice():
    rows = 150_000  # the binding rewrites 131072 rows at a time
    texts = [TEXTS[row % 3] if row % 7 else None for row in range(rows)]
    p = sotto.Privatizer("diffractor-geometric", 2, key=KEY)
    out = p.privatize(pyarrow.array(texts), ids=range(rows))
    assert out.to_pylist() == p.privatize(texts, ids=range(rows))
    assert out[-2].as_py() == p.privatize(texts[-2], id=rows - 2)

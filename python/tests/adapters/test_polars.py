"""polars: the namespaces of Series, Expr, DataFrame and LazyFrame."""

from __future__ import annotations

import io

import polars as pl
import pytest
from adapter_texts import IDS, TEXTS
from polars.testing import assert_frame_equal

import sotto
import sotto.polars


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame({"id": IDS, "title": TEXTS[::-1], "body": TEXTS, "stars": [1, 2, 3, 4]})


@pytest.fixture
def keyed(key_file) -> sotto.Privatizer:
    return sotto.Privatizer(epsilon=1, key=key_file)


def test_series(frame, keyed):
    out = frame["body"].sotto.privatize(keyed, ids=frame["id"])
    assert out.to_list() == keyed.privatize(TEXTS, IDS)
    assert out.name == "body" and out.dtype == pl.String
    assert pl.Series(["One.", None]).sotto.privatize(epsilon=1).is_null().to_list() == [False, True]


def test_series_in_several_chunks(keyed):
    halves = [pl.Series("body", TEXTS[:2]), pl.Series("body", TEXTS[2:])]
    series = pl.concat(halves, rechunk=False)
    assert series.n_chunks() == 2
    assert series.sotto.privatize(keyed, ids=IDS).to_list() == keyed.privatize(TEXTS, IDS)
    empty = pl.Series("body", [], dtype=pl.String)
    assert empty.sotto.privatize(keyed, ids=[]).equals(empty)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_expression_in_every_context(frame, keyed, engine):
    expected = dict(zip(IDS, keyed.privatize(TEXTS, IDS)))
    expression = pl.col("body").sotto.privatize(keyed, ids=pl.col("id"))

    def collected(query: pl.LazyFrame) -> dict[str, str]:
        out = query.collect(engine=engine)
        return dict(zip(out["id"], out["body"]))

    lazy = frame.lazy()
    assert collected(lazy.with_columns(expression)) == expected
    assert collected(lazy.with_columns(expression).filter(pl.col("stars") > 2)) == {i: expected[i] for i in IDS[2:]}
    assert collected(lazy.sort("stars", descending=True).with_columns(expression).head(2)) == {
        i: expected[i] for i in IDS[2:]
    }
    grouped = lazy.group_by(pl.col("stars") % 2).agg(pl.col("id"), expression).explode("id", "body")
    assert collected(grouped) == expected
    assert frame.with_columns(private=pl.col("body").sotto.privatize(keyed, ids="id"))["private"].to_list() == list(
        expected.values()
    )


def test_many_rows_in_batches(keyed):
    rows = 20_000
    frame = pl.DataFrame({"id": range(rows), "body": TEXTS * (rows // 4)})
    query = frame.lazy().select(pl.col("body").sotto.privatize(keyed, ids="id"))
    expected = keyed.privatize(frame["body"], frame["id"])
    assert query.collect(engine="streaming")["body"].equals(expected)


def test_fresh_noise_is_drawn_for_each_expression_and_each_collect(frame):
    p = sotto.Privatizer(epsilon=0.1)
    query = frame.lazy().select(
        one=pl.col("body").sotto.privatize(p), two=pl.col("body").sotto.privatize(p)
    )
    first, second = query.collect(), query.collect()
    texts = [*first["one"], *first["two"], *second["one"], *second["two"]]
    assert len({text for text in texts if len(text.split()) > 2}) == 12
    assert p.receipt["counts"]["documents"] == 16


def test_frames(frame, key_file):
    options = {"id_column": "id", "epsilon": 1, "key": key_file}
    eager = frame.sotto.privatize(["title", "body"], **options)
    assert_frame_equal(frame.lazy().sotto.privatize(["title", "body"], **options).collect(), eager)
    assert eager.drop("title", "body").equals(frame.drop("title", "body"))
    body = sotto.Privatizer(epsilon=1, key=key_file, field="body")
    assert eager["body"].to_list() == body.privatize(TEXTS, IDS)
    assert_frame_equal(frame.sotto.privatize({"body": body}, id_column="id"), eager.with_columns(frame["title"]))


def test_numbers_as_ids_and_categories_as_texts(keyed):
    frame = pl.DataFrame({"id": [1, 2], "body": pl.Series(["A soup.", "A room."], dtype=pl.Categorical)})
    out = frame.select(pl.col("body").sotto.privatize(keyed, ids="id"))
    assert out["body"].to_list() == keyed.privatize(["A soup.", "A room."], ["1", "2"])


def test_serialized_queries_do_not_hold_the_key(frame, key_file):
    secret = key_file.read_bytes()

    def query(key):
        p = sotto.Privatizer(epsilon=1, key=key)
        return frame.lazy().with_columns(pl.col("body").sotto.privatize(p, ids="id"))

    stored = query(key_file).serialize()
    assert secret not in stored
    assert_frame_equal(pl.LazyFrame.deserialize(io.BytesIO(stored)).collect(), query(secret).collect())
    with pytest.raises(Exception, match="key: a serialized query would hold it"):
        query(secret).serialize()


def test_nothing_but_null(keyed):
    frame = pl.DataFrame({"id": [1, 2], "body": [None, None]})
    out = frame.select(pl.col("body").sotto.privatize(keyed, ids="id"))
    assert out["body"].dtype == pl.String and out["body"].to_list() == [None, None]


def test_several_columns_of_fresh_noise(frame):
    out = frame.select(pl.col("title", "body").sotto.privatize(epsilon=1))
    assert out.columns == ["title", "body"]


def test_ledger(frame, key_file, tmp_path):
    frame = frame.with_columns(who=pl.lit("x"))
    options = {"mechanism": "custext", "epsilon": 1, "key": key_file, "ledger": tmp_path / "l", "limit": 8}
    out = frame.sotto.privatize("body", id_column="id", subject_column="who", **options)
    assert 0 < out["body"].null_count() < 4
    same = pl.DataFrame({"id": ["a", "a"], "who": ["x", "x"], "body": ["Same.", "Same."]})
    with pytest.raises(Exception, match=r"texts\[1\]: a document with this name"):
        same.sotto.privatize("body", id_column="id", subject_column="who", **{**options, "unique_ids": True})
    with pytest.raises(Exception, match="subjects: missing"):
        frame.sotto.privatize("body", id_column="id", **options)


@pytest.mark.parametrize(
    ("columns", "options", "error", "match"),
    [
        ("bodi", {}, ValueError, "columns: 'bodi' is no column; there are id, title"),
        ([], {}, ValueError, "columns: empty"),
        ("body", {"id_column": "nr"}, ValueError, "id_column: 'nr' is no column"),
        ("body", {"subject_column": "nr"}, ValueError, "subject_column: 'nr' is no column"),
        ("body", {"seed": 1}, ValueError, "id_column: missing"),
        ("stars", {}, Exception, "texts has the Arrow type 'l'"),
        ("body", {"epsilon": None}, ValueError, "epsilon: missing"),
    ],
)
def test_bad_input(frame, columns, options, error, match):
    with pytest.raises(error, match=match):
        frame.sotto.privatize(columns, **{"epsilon": 1, **options})


def test_bad_use(frame, keyed):
    with pytest.raises(ValueError, match="ids: missing; with a key or a seed"):
        pl.col("body").sotto.privatize(keyed)
    with pytest.raises(ValueError, match="columns: with a key or a seed, one expression is for one column"):
        pl.col("title", "body").sotto.privatize(keyed, ids="id")
    with pytest.raises(TypeError, match="ids is int; give an expression"):
        pl.col("body").sotto.privatize(keyed, ids=3)
    with pytest.raises(Exception, match=r"ids\[1\] is missing"):
        pl.DataFrame({"id": ["a", None], "body": ["A.", "B."]}).select(
            pl.col("body").sotto.privatize(keyed, ids="id")
        )
    with pytest.raises(Exception, match="ids has 1 values, texts has 4"):
        frame.select(pl.col("body").sotto.privatize(keyed, ids=pl.lit("x")))

"""DuckDB: the SQL function."""

from __future__ import annotations

import duckdb
import pytest
from adapter_texts import IDS, TEXTS

import sotto
import sotto.duckdb


@pytest.fixture
def con():
    connection = duckdb.connect()
    connection.execute("create table reviews(id varchar, body varchar, stars integer)")
    connection.executemany("insert into reviews values (?, ?, ?)", [*zip(IDS, TEXTS, range(4))])
    yield connection
    connection.close()


def expected(key_file, ids=IDS):
    return sotto.Privatizer(epsilon=1, key=key_file).privatize(TEXTS, ids)


def test_same_texts_as_privatizer(con, key_file):
    p = sotto.duckdb.register(con, epsilon=1, key=key_file)
    rows = con.sql("select privatize(body, id) from reviews order by id").fetchall()
    assert [text for (text,) in rows] == expected(key_file)
    assert p.receipt["counts"]["documents"] == 4
    rows = con.sql("select privatize(body, stars) from reviews order by id").fetchall()
    assert [text for (text,) in rows] == expected(key_file, range(4))


def test_threads_give_the_same_texts(con, key_file):
    rows = 100_000
    con.execute("create table long as select i, [$1, $2][1 + i % 2] as body from range($3) t(i)", [*TEXTS[:2], rows])
    sotto.duckdb.register(con, epsilon=1, key=key_file)
    con.execute("set threads = 4")
    found = con.sql("select privatize(body, i) as body from long order by i").to_arrow_table()["body"]
    texts = [TEXTS[row % 2] for row in range(rows)]
    assert found.to_pylist() == sotto.Privatizer(epsilon=1, key=key_file).privatize(texts, range(rows))


def test_nulls(con, key_file):
    sotto.duckdb.register(con, epsilon=1, key=key_file)
    query = "select privatize(body, id) is null from (values ('a', 'A soup.'), ('b', null)) t(id, body) order by id"
    assert con.sql(query).fetchall() == [(False,), (True,)]
    assert con.sql("select privatize(null, 1)").fetchall() == [(None,)]
    with pytest.raises(duckdb.Error, match=r"ids\[0\] is missing"):
        con.sql("select privatize('A soup.', null::varchar)").fetchall()


def test_keyed_is_deterministic_and_fresh_is_not(con, key_file):
    keyed = sotto.duckdb.register(con, "keyed", epsilon=0.1, key=key_file)
    sotto.duckdb.register(con, "fresh", epsilon=0.1)
    text = "'a long text about a cold soup and a warm room'"
    (row,) = con.sql(f"select keyed({text}, 1), keyed({text}, 1), fresh({text}, 1), fresh({text}, 1)").fetchall()
    assert row[0] == row[1] and row[2] != row[3]
    con.sql("select keyed(body, id), keyed(body, id) from reviews").fetchall()
    assert keyed.receipt["counts"]["documents"] == 2 + 4  # the same expression is evaluated once
    rows = con.sql(f"select fresh({text}, 1) from range(50)").fetchall()
    assert len(set(rows)) == 50
    rows = con.sql(f"select fresh({text}) from range(50)").fetchall()
    assert len(set(rows)) == 50


def test_no_rows_and_enums(con, key_file):
    sotto.duckdb.register(con, epsilon=1, key=key_file)
    assert con.sql("select privatize(body, id) from reviews where stars > 9").fetchall() == []
    ((text,),) = con.sql(f"select privatize(body::enum('{TEXTS[0]}', 'x'), id) from reviews where id = 'a'").fetchall()
    assert text == expected(key_file)[0]


def test_ledger(con, key_file, tmp_path):
    options = {"mechanism": "custext", "epsilon": 1, "key": key_file, "ledger": tmp_path / "l", "limit": 8}
    sotto.duckdb.register(con, **options)
    found = con.sql("select privatize(body, id, 'x') from reviews").fetchall()
    assert 0 < sum(text is None for (text,) in found) < 4
    with pytest.raises(duckdb.Error, match="subjects: missing"):
        con.sql("select privatize(body, id) from reviews").fetchall()
    sotto.duckdb.register(con, "once", **options, unique_ids=True)
    with pytest.raises(duckdb.Error, match="a document with this name occurred before"):
        con.sql("select once('Same.', 'a', 'x') from range(2)").fetchall()


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("select privatize(body) from reviews", "ids: missing; with a key or a seed"),
        ("select privatize(stars, id) from reviews", "texts has the Arrow type 'i', not that of texts"),
        ("select privatize(body, stars / 2) from reviews", "ids has the Arrow type 'g'"),
        ("select privatize(body, id, 'x') from reviews", "subjects: not allowed without a ledger"),
        ("select privatize(body, id, 'x', 'y') from reviews", "privatize takes a text, an id"),
        ("select privatize(bodi, id) from reviews", "bodi"),
    ],
)
def test_bad_queries(con, key_file, query, match):
    sotto.duckdb.register(con, epsilon=1, key=key_file)
    with pytest.raises(duckdb.Error, match=match):
        con.sql(query).fetchall()


def test_bad_use(con):
    with pytest.raises(ValueError, match="epsilon: missing"):
        sotto.duckdb.register(con)
    with pytest.raises(TypeError, match="'epsilom' is no keyword"):
        sotto.duckdb.register(con, epsilom=1)
    with pytest.raises(TypeError, match="privatizer is str"):
        sotto.duckdb.register(con, "privatize", "tem")


def test_a_failed_query_shows_no_text(con, key_file):
    """An exception may be logged, so it must not quote what was to be protected."""
    sotto.duckdb.register(con, epsilon=1, key=key_file)
    with pytest.raises(duckdb.Error) as caught:
        con.sql("select privatize('an unmistakable secret' || body, null::varchar) from reviews").fetchall()
    assert "unmistakable" not in str(caught.value)

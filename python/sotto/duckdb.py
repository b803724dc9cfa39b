"""DuckDB: a SQL function that rewrites texts.

>>> import duckdb
>>> import sotto.duckdb
>>> con = duckdb.connect()
>>> _ = sotto.duckdb.register(con, mechanism="tem", epsilon=12)
>>> rows = con.sql("select privatize(body, id) from (values ('a', 'A cold soup.'), ('b', null)) t(id, body)").fetchall()
>>> len(rows), rows[1]
(2, (None,))
"""

from __future__ import annotations

from typing import Any, Optional

try:
    import duckdb
    import pyarrow
except ImportError as error:
    raise ImportError("sotto.duckdb needs DuckDB and pyarrow: pip install duckdb pyarrow") from error

from sotto import _adapters
from sotto._privatizer import Privatizer

_MOST_ARGUMENTS = 3


def register(
    con: duckdb.DuckDBPyConnection,
    name: str = "privatize",
    privatizer: Optional[Privatizer] = None,
    **options: Any,
) -> Privatizer:
    """Registers ``name(text, id)`` on a connection, and returns the Privatizer, whose receipt counts its texts.

    Give an opened ``Privatizer`` or the keywords of one. Texts are VARCHAR; ids VARCHAR or an integer. A null
    text stays null, and a null id is an error. With a ledger, the function is ``name(text, id, subject)``.

    With a key or a seed and no ledger the function is deterministic for DuckDB, so the planner may evaluate it
    once for equal arguments. It then needs the id: DuckDB decides in which order rows come. Otherwise it has
    side effects: each evaluation draws fresh noise or charges an account. Without an id, ``name(text)``, texts
    are numbered as they come. DuckDB may evaluate rows that a later step drops; make a table of the result
    rather than a view, which draws again whenever it is read.

    DuckDB runs the function on its own threads, so the keywords' ``threads`` is 1 unless given.

    >>> import duckdb
    >>> import sotto, sotto.duckdb
    >>> con = duckdb.connect()
    >>> p = sotto.duckdb.register(con, "mask", sotto.Privatizer("custext", epsilon=2))
    >>> _ = con.execute("create table safe as select mask('A cold soup.', 7) as body")
    >>> p.receipt["counts"]["documents"]
    1
    """
    opened = _adapters.open_privatizer(privatizer, options, threads=1)
    repeatable = _adapters.is_repeatable(opened._settings)
    has_ledger = opened._settings["ledger"] is not None

    def function(*columns: Any) -> Any:
        if len(columns) > _MOST_ARGUMENTS:
            raise TypeError(f"{name} takes a text, an id and, with a ledger, a subject")
        if repeatable and len(columns) == 1:
            raise ValueError(f"ids: missing; with a key or a seed, give {name} an id as its second argument")
        texts, *others = columns
        if pyarrow.types.is_null(texts.type):
            texts = texts.cast(pyarrow.string())
        return opened.privatize(texts, *others, progress=False)

    con.create_function(
        name,
        function,
        None,
        "VARCHAR",
        type="arrow",
        null_handling="special",
        side_effects=has_ledger or not repeatable,
    )
    return opened

"""What a subject spends is recorded before the texts are returned."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy
import pandas
import pyarrow
import pytest
from conftest import KEY

import sotto

EPSILON = 10.0


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "spent.ledger"


@pytest.fixture
def spent(ledger, run_program):
    """What a subject has spent and for how many texts, as the program reads it from the file."""

    def read(subject):
        accounts = json.loads(run_program("ledger", "show", ledger, subject, "--json"))
        return [(account["spent"], account["documents"]) for account in accounts]

    return read


def open_ledger(ledger, limit=100.0, **keywords):
    return sotto.Privatizer("tem", EPSILON, key=KEY, ledger=ledger, subject="author", limit=limit, **keywords)


def test_each_text_is_charged_once(ledger, spent):
    p = open_ledger(ledger)
    first = p.privatize(["one two", "three"], ids=["1", "2"], subjects=["ann", "bob"])
    assert None not in first
    assert open_ledger(ledger).privatize(["one two", "three"], ids=["1", "2"], subjects=["ann", "bob"]) == first
    for _ in range(20):  # the limit would be reached if a repeat were charged
        assert p.privatize("one two", id="1", subject="ann") == first[0]
    assert spent("ann") == [(20, 1)] and spent("bob") == [(10, 1)]


def test_the_texts_are_those_without_a_ledger(ledger):
    plain = sotto.Privatizer("tem", EPSILON, key=KEY)
    texts, ids = ["one two", "three"], [1, 2]
    assert open_ledger(ledger).privatize(texts, ids=ids, subjects=[7, 7]) == plain.privatize(texts, ids=ids)


def test_what_the_limit_does_not_allow_is_withheld(ledger):
    p = open_ledger(ledger, limit=25)
    out = p.privatize(["one two", "three four", "five six"], ids=[1, 2, 3], subjects=["ann", "ann", "bob"])
    assert out[0] is not None and out[1] is None and out[2] is not None
    with pytest.raises(sotto.LimitExceeded, match="limit.*nothing was charged"):
        p.privatize("three four", id=2, subject="ann")
    assert isinstance(p.privatize("one two", id=1, subject="ann"), str)
    assert issubclass(sotto.LimitExceeded, ValueError)


@pytest.mark.parametrize("make", [
    list, tuple, numpy.array, lambda texts: numpy.array(texts, dtype=object), pandas.Series, pyarrow.array,
    lambda texts: numpy.array(texts, dtype=numpy.dtypes.StringDType()),
    lambda texts: pyarrow.chunked_array([texts[:1], texts[1:]]),
])  # fmt: skip
def test_columns_show_withheld_texts_as_missing(make, ledger):
    p = open_ledger(ledger, limit=25)
    out = p.privatize(make(["one two", "three four", "five"]), ids=[1, 2, 3], subjects=["ann", "ann", "bob"])
    values = out.to_pylist() if hasattr(out, "to_pylist") else list(out)
    assert isinstance(values[0], str) and isinstance(values[2], str)
    assert values[1] is None or values[1] != values[1]


def test_charged_before_returned(ledger, spent, run_program):
    p = open_ledger(ledger)
    p.privatize(["one two three"], ids=["1"], subjects=["ann"])
    assert spent("ann") == [(30, 1)]  # while p is open
    run_program("ledger", "verify", ledger)


def test_two_privatizers_share_a_ledger(ledger):
    both = [open_ledger(ledger, limit=105), open_ledger(ledger, limit=105)]

    def work(number):
        return both[number % 2].privatize([f"word{number}"], ids=[number], subjects=["ann"])[0]

    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(work, range(40)))
    assert sum(output is not None for output in outputs) == 10


def test_a_ledger_that_another_process_holds_is_waited_for(ledger, run_python):
    open_ledger(ledger).privatize(["one"], ids=[1], subjects=["ann"])
    done = run_python(
        """
        import sotto, sys
        p = sotto.Privatizer("tem", 10, key=bytes(range(32)), ledger=sys.argv[1], subject="author", limit=100)
        print(p.privatize(["two"], ids=[2], subjects=["ann"])[0] is not None)
        """,
        ledger,
    )
    assert done.stdout == "True\n"


def test_a_failed_batch_is_charged_for_no_more_than_it_released(ledger, spent):
    p = open_ledger(ledger)
    with pytest.raises(ValueError, match="NUL"):
        p.privatize(["one two", "a\0b"], ids=[1, 2], subjects=["ann", "bob"])
    assert spent("bob") == [] and spent("ann") in ([], [(20, 1)])


def test_the_receipt_says_what_was_charged(ledger):
    p = open_ledger(ledger)
    p.privatize(["one two"], ids=[1], subjects=["ann"])
    receipt = p.receipt
    assert receipt["ledger"]["limit"] == 100 and receipt["ledger"]["subject_field"] == "author"
    assert "ann" not in receipt.to_json()

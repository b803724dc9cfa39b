"""A Privatizer in another process gives the same texts, and nothing prints its key."""

from __future__ import annotations

import copy
import logging
import pickle
import pprint
import traceback

import pytest
from conftest import KEY, TEXTS

import sotto

IDS = list(range(len(TEXTS)))
SETTINGS = {"dataset": "d", "field": "f", "policy": "paper", "set": {"lists": "L1"}, "threads": 2}


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "bytearray", "memoryview"])
def test_a_copy_gives_the_same_texts(kind, key_file):
    key = {"path": key_file, "text": str(key_file), "bytes": KEY, "bytearray": bytearray(KEY),
           "memoryview": memoryview(KEY)}[kind]  # fmt: skip
    p = sotto.Privatizer("diffractor-geometric", 2, key=key, **SETTINGS)
    expected = p.privatize(TEXTS, ids=IDS)
    if kind == "bytearray":
        key[:] = bytes(32)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(p, protocol)), protocol))
        assert twin.privatize(TEXTS, ids=IDS) == expected
        assert repr(twin) == repr(p)
    for twin in (copy.copy(p), copy.deepcopy(p)):
        assert twin.privatize(TEXTS, ids=IDS) == expected
        assert twin.receipt["guarantee"] == p.receipt["guarantee"]


def test_settings_that_change_later_change_nothing():
    parameters = {"lists": "L1"}
    p = sotto.Privatizer("diffractor-geometric", 2, key=KEY, set=parameters)
    parameters["lists"] = "L2"
    twin = pickle.loads(pickle.dumps(p))
    assert twin.privatize(TEXTS, ids=IDS) == p.privatize(TEXTS, ids=IDS)


def test_results_are_pickled():
    p = sotto.Privatizer("tem", 12, key=KEY)
    p.privatize(TEXTS)
    for result in (p.receipt, p.statistics, sotto.explain("pizza", "tem", 12), sotto.budget("tem", 12, tokens=5)):
        twin = pickle.loads(pickle.dumps(result))
        assert type(twin) is type(result) and twin.to_json() == result.to_json()
    with pytest.raises(sotto.LimitExceeded):
        raise pickle.loads(pickle.dumps(sotto.LimitExceeded("limit")))


SECRET = b"thirty-two bytes: secret secret!"
HIDDEN = [SECRET.decode(), SECRET.hex(), repr(SECRET)[2:-1], repr(list(SECRET))[1:-1]]


def assert_hidden(shown: str) -> None:
    assert not [form for form in HIDDEN if form in shown]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_nothing_prints_the_key(kind, caplog, capfd):
    assert len(SECRET) == 32
    caplog.set_level(logging.DEBUG)
    p = sotto.Privatizer("tem", 12, key=kind(SECRET))
    p.privatize(TEXTS)
    for shown in (repr(p), str(p), f"{p}", pprint.pformat(vars(p)), repr(p.__reduce__()), repr(p._core),
                  repr(p.receipt), str(p.receipt.to_dict()), p.receipt.to_json(), repr(p.statistics),
                  p.statistics.to_json(), p.receipt._repr_html_(), p.statistics._repr_html_(),
                  repr(p.preview("It was cold.")), p.preview("It was cold.")._repr_html_()):  # fmt: skip
        assert_hidden(shown)
    written = capfd.readouterr()
    assert_hidden(caplog.text + written.out + written.err)


@pytest.mark.parametrize("keywords", [
    {"key": SECRET + b"x"}, {"key": SECRET, "seed": 1}, {"key": SECRET, "epsilon": "x"}, {"key": SECRET, "dataset": 5},
    {"key": list(SECRET)}, {"key": SECRET, "ledger": "/nonexistent/ledger", "limit": 1}, {"key": SECRET, "threads": "x"},
    {"key": SECRET, "set": {"k": object()}}, {"key": (SECRET,)}, {"key": SECRET, "mechanism": "nope"},
])  # fmt: skip
def test_no_error_shows_the_key(keywords):
    with pytest.raises((ValueError, TypeError, OSError)) as raised:
        sotto.Privatizer(**{"mechanism": "tem", "epsilon": 12, **keywords})
    assert_hidden(str(raised.value) + repr(raised.value))
    assert_hidden("".join(traceback.format_exception(raised.value)))


def test_no_error_of_a_call_shows_the_key(tmp_path):
    p = sotto.Privatizer("tem", 12, key=SECRET, ledger=tmp_path / "ledger", limit=20)
    for call in (lambda: pickle.dumps(p), lambda: p.privatize(5), lambda: p.privatize(["a\0"], ids=["1"], subjects=["s"]),
                 lambda: p.privatize("one two three four", id="1", subject="s")):  # fmt: skip
        with pytest.raises((ValueError, TypeError)) as raised:
            call()
        assert_hidden("".join(traceback.format_exception(raised.value)))
    assert SECRET not in b"".join(path.read_bytes() for path in tmp_path.iterdir())

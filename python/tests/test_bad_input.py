"""Whatever is wrong, an exception of the right type says which keyword it is about."""

from __future__ import annotations

import os
import pickle
import re
import sqlite3

import numpy
import pandas
import pyarrow
import pytest
from conftest import KEY

import sotto

SURROGATE = "\udc80"
HUGE = "x" * 10**6


class Opaque:
    """Nothing that an option can be."""


# Keywords of Privatizer, the exception, and a part of the sentence.
KEYWORDS = [
    ({"epsilon": "1"}, ValueError, "epsilon: must be a number"),
    ({"epsilon": float("nan")}, ValueError, "epsilon: 'nan'"),
    ({"epsilon": float("inf")}, ValueError, "epsilon: 'inf'"),
    ({"epsilon": numpy.float32("nan")}, ValueError, "epsilon: 'nan'"),
    ({"epsilon": -1}, ValueError, "epsilon: '-1'"),
    ({"epsilon": 0}, ValueError, "epsilon: '0'"),
    ({"epsilon": 1e308}, ValueError, r"epsilon: '1e\+308'"),
    ({"epsilon": 10**400}, ValueError, "epsilon: .* bits"),
    ({"epsilon": True}, ValueError, "epsilon: must be a number"),
    ({"epsilon": None}, ValueError, "epsilon: missing"),
    ({"epsilon": 1j}, TypeError, "epsilon is complex"),
    ({"epsilon": [1]}, ValueError, "epsilon: must be a number"),
    ({"mechanism": "diffractor-geometrik"}, ValueError, "mechanism: .*did you mean 'diffractor-geometric'"),
    ({"mechanism": 5}, ValueError, "mechanism: must be a string"),
    ({"mechanism": SURROGATE}, ValueError, "mechanism: holds a lone surrogate"),
    ({"mechanism": HUGE}, ValueError, "mechanism: 'xxx"),
    ({"mechanism": "dp-prompt"}, ValueError, "model: missing"),
    ({"set": {"list": 1}}, ValueError, "set: .*did you mean 'lists'"),
    ({"set": 5}, TypeError, "set is int"),
    ({"set": {"lists": Opaque()}}, TypeError, r"set\['lists'\] is Opaque"),
    ({"set": {"lists": [Opaque()]}}, TypeError, r"set\['lists'\]\[0\] is Opaque"),
    ({"set": {"lists": float("nan")}}, ValueError, r"set\['lists'\]: 'nan'"),
    ({"set": {"lists": SURROGATE}}, ValueError, r"set\['lists'\]: holds a lone surrogate"),
    ({"set": {"lists": {"a": 1}}}, ValueError, r"set\['lists'\]: must be"),
    ({"set": {"lists": HUGE}}, ValueError, r"set\['lists'\]: 'xxx"),
    ({"set": {"lists": "L1\0"}}, ValueError, r"set\['lists'\]"),
    ({"set": {HUGE: 1}}, ValueError, "set: "),
    ({"model": "nope"}, FileNotFoundError, "model 'nope'"),
    ({"model": "sotto-en-wordnat"}, FileNotFoundError, "did you mean '?sotto-en-wordnet"),
    ({"model": "/nonexistent/model"}, FileNotFoundError, "model file /nonexistent/model"),
    ({"model": 5}, TypeError, "model is int"),
    ({"model": b"x"}, TypeError, "model is bytes"),
    ({"model": "a\0b"}, ValueError, "model: must be a string without zero bytes"),
    ({"key": 5}, TypeError, "key is int"),
    ({"key": "/nonexistent/key"}, FileNotFoundError, "/nonexistent/key"),
    ({"key": b""}, ValueError, "key: 0 bytes"),
    ({"key": KEY + b"x"}, ValueError, "key: 33 bytes"),
    ({"key": KEY, "seed": 1}, ValueError, "seed: cannot be given together with key"),
    ({"key": "/tmp"}, OSError, "/tmp: Is a directory"),
    ({"key": "a\0b"}, ValueError, "key: must be a string without zero bytes"),
    ({"dataset": 5}, TypeError, "dataset is int"),
    ({"dataset": None}, TypeError, "dataset is NoneType"),
    ({"dataset": SURROGATE}, ValueError, "dataset: holds a lone surrogate"),
    ({"field": b"x"}, TypeError, "field is bytes"),
    ({"field": SURROGATE}, ValueError, "field: holds a lone surrogate"),
    ({"threads": -1}, ValueError, "threads: '-1'"),
    ({"threads": 2**70}, ValueError, "threads: '1180591620717411303424'"),
    ({"threads": "2"}, ValueError, "threads: '2'"),
    ({"threads": True}, ValueError, "threads: 'True'"),
    ({"memory": "lots"}, ValueError, "memory: 'lots'"),
    ({"memory": "9" * 10**6}, ValueError, "memory: '999"),
    ({"memory": -1}, ValueError, "memory: '-1'"),
    ({"memory": 2**70}, ValueError, "memory: '1.18"),
    ({"seed": "x"}, ValueError, "seed: must be a whole number"),
    ({"seed": -1}, ValueError, "seed: '-1'"),
    ({"seed": 1.5}, ValueError, "seed: '1.5'"),
    ({"seed": 2**64}, ValueError, "seed: '1.8"),
    ({"unique_ids": "no"}, ValueError, "unique_ids: must be true or false"),
    ({"policy": "stict"}, ValueError, "policy: 'stict'.*did you mean 'strict'"),
    ({"policy": HUGE}, ValueError, "policy: 'xxx"),
    ({"oov": "dropp"}, ValueError, "oov: .*did you mean 'drop'"),
    ({"case": 5}, ValueError, "case: must be a string"),
    ({"budget": "even"}, ValueError, "budget: 'even' needs document_epsilon"),
    ({"document_epsilon": "x"}, ValueError, "document_epsilon: must be a number"),
    ({"base_epsilon": "2", "average_words": 10**9}, ValueError, "base_epsilon: must be a number"),
    ({"base_epsilon": 2}, ValueError, "average_words: missing"),
    ({"base_epsilon": 2, "average_words": 3, "document_epsilon": 6}, ValueError, "document_epsilon: .*base_epsilon"),
    ({"profile": 5}, ValueError, "profile: must be an array"),
    ({"profile": [1, float("nan")]}, ValueError, r"profile\[1\]: 'nan'"),
    ({"profile": numpy.array(["a"])}, ValueError, r"profile\[0\]: must be a number"),
    ({"limit": 5}, ValueError, "limit: '5' needs ledger"),
    ({"subject": "author"}, ValueError, "subject: 'author' needs ledger"),
    ({"ledger": "x.ledger"}, ValueError, "limit: missing"),
    ({"ledger": "x.ledger", "limit": 5}, ValueError, "ledger: needs key"),
    ({"ledger": 5, "limit": 5}, TypeError, "ledger is int"),
    ({"ledger": "x.ledger", "limit": "x", "key": KEY}, ValueError, "limit: must be a number"),
    ({"ledger": "x.ledger", "limit": -1, "key": KEY}, ValueError, "limit: '-1'"),
    ({"ledger": "x.ledger", "limit": float("nan")}, ValueError, "limit: 'nan'"),
    ({"max_document_bytes": "x"}, ValueError, "max_document_bytes: 'x'"),
    ({"max_document_bytes": 0}, ValueError, "max_document_bytes: '0'"),
    ({"device": "gpu"}, ValueError, "device: 'gpu'"),
    ({"precision": "f64"}, ValueError, "precision: 'f64'"),
    ({"phrases": "/nonexistent"}, ValueError, "phrases: .*needs collocations"),
    ({"nonsense": 1}, TypeError, "nonsense"),
]


def short(value):
    return repr(value)[:40]


@pytest.mark.parametrize(("keywords", "exception", "sentence"), KEYWORDS, ids=short)
def test_keywords(keywords, exception, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(exception, match=sentence) as raised:
        sotto.Privatizer(**{"mechanism": "diffractor-geometric", "epsilon": 1, **keywords})
    assert len(str(raised.value)) < 3000
    assert list(tmp_path.iterdir()) == []


# Arguments of privatize, keywords, the exception, and a part of the sentence.
CALLS = [
    ((5,), {}, TypeError, "texts is int"),
    ((b"x",), {}, TypeError, "texts is bytes"),
    ((None,), {}, TypeError, "texts is NoneType"),
    (({"a"},), {}, TypeError, "texts is set"),
    (({"a": "b"},), {}, TypeError, "texts is dict"),
    ((iter(["a"]),), {}, TypeError, "texts is list_iterator"),
    ((["a", 5],), {}, TypeError, r"texts\[1\] is int"),
    ((["a", b"x"],), {}, TypeError, r"texts\[1\] is bytes"),
    ((["a", float("nan")],), {}, TypeError, r"texts\[1\] is float"),
    ((["a", SURROGATE],), {}, ValueError, r"texts\[1\]: holds a lone surrogate"),
    ((SURROGATE,), {}, ValueError, "texts: holds a lone surrogate"),
    ((["a", "a\0b"],), {}, ValueError, r"texts\[1\]: .*NUL"),
    ((["a", None, "a\0b"],), {}, ValueError, r"texts\[2\]: .*NUL"),
    (("a\0b",), {}, ValueError, "NUL"),
    ((["a"], ["x", "y"]), {}, ValueError, "ids has 2 values, texts has 1"),
    ((["a", "b"], ["x"]), {}, ValueError, "ids has 1 values, texts has 2"),
    ((["a"], [None]), {}, ValueError, r"ids\[0\] is missing"),
    ((["a"], [1.5]), {}, TypeError, r"ids\[0\] is float"),
    ((["a"], [True]), {}, TypeError, r"ids\[0\] is bool"),
    ((["a"], [SURROGATE]), {}, ValueError, r"ids\[0\]: holds a lone surrogate"),
    ((["a"], "x"), {}, TypeError, "ids is str"),
    ((["a"], 5), {}, TypeError, "ids is int"),
    ((["a"], {"x"}), {}, TypeError, "ids is set"),
    ((["a"], numpy.array([1.5])), {}, TypeError, r"ids\[0\] is float"),
    ((["a"], numpy.array([["x"]])), {}, TypeError, "ids has 2 dimensions"),
    ((["a"], pandas.Series([1.0])), {}, TypeError, r"ids\[0\] is float"),
    ((["a"], pandas.Series([None], dtype="string")), {}, TypeError, r"ids\[0\] is NAType"),
    ((["a"], pyarrow.array([None], pyarrow.int64())), {}, ValueError, r"ids\[0\] is missing"),
    ((["a"], pyarrow.array([1.5])), {}, TypeError, "ids has the Arrow type 'g'"),
    ((["a"], pyarrow.array([True])), {}, TypeError, "ids has the Arrow type 'b'"),
    ((["a"], None, ["s"]), {}, ValueError, "subjects: not allowed without a ledger"),
    (("a",), {"subject": "s"}, ValueError, "subjects?: not allowed without a ledger"),
    (("a", ["x"]), {}, TypeError, "id and subject instead of ids"),
    ((["a"],), {"id": "x"}, TypeError, "ids and subjects, one for each"),
    (("a",), {"id": True}, TypeError, "id is bool"),
    (("a",), {"id": 1.5}, TypeError, "id is float"),
    (("a",), {"id": SURROGATE}, ValueError, "id: holds a lone surrogate"),
    ((pandas.Series(["a", 5]),), {}, TypeError, r"texts\[1\] is int"),
    ((pandas.Series([1.5]),), {}, TypeError, r"texts\[0\] is float"),
    ((pandas.MultiIndex.from_tuples([("a", "b")]),), {}, TypeError, r"texts\[0\] is tuple"),
    ((numpy.array([1]),), {}, TypeError, "texts is an array of int64"),
    ((numpy.array([b"x"]),), {}, TypeError, r"texts is an array of \|S1"),
    ((numpy.array([["a"]]),), {}, TypeError, "texts has 2 dimensions"),
    ((pyarrow.array([1]),), {}, TypeError, "texts has the Arrow type 'l'"),
    ((pyarrow.array([b"x"]),), {}, TypeError, "texts has the Arrow type 'z'"),
    ((pyarrow.array([["a"]]),), {}, TypeError, r"texts has the Arrow type '\+l'"),
    ((pyarrow.table({"a": ["x"], "b": ["y"]}),), {}, TypeError, "texts is a table with 2 columns"),
    ((["a"],), {"progress": 5}, TypeError, "progress is int"),
    ((["a"],), {"progress": lambda done: None}, TypeError, "positional argument"),
]


@pytest.mark.parametrize(("arguments", "keywords", "exception", "sentence"), CALLS, ids=short)
def test_calls(arguments, keywords, exception, sentence):
    p = sotto.Privatizer("diffractor-geometric", 1, key=KEY)
    with pytest.raises(exception, match=sentence):
        p.privatize(*arguments, **keywords)
    assert isinstance(p.privatize("It still works."), str)


def test_repeated_ids():
    p = sotto.Privatizer("tem", 12, key=KEY, unique_ids=True)
    with pytest.raises(ValueError, match=r"texts\[1\]: .*occurred before"):
        p.privatize(["a", "b"], ids=["x", "x"])
    p.privatize("a", id="y")
    with pytest.raises(ValueError, match="occurred before"):
        p.privatize("a", id="y")
    with pytest.raises(ValueError, match=r"texts\[0\]: .*occurred before"):
        p.privatize(["a"], ids=["y"])


def test_key_files(tmp_path):
    for content in (b"", b"x", KEY + b"x", b"g" * 64):
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(ValueError, match="key file .*key: .*32 raw bytes or 64 hexadecimal"):
            sotto.Privatizer("tem", 12, key=tmp_path / "key")
    with pytest.raises(OSError, match="Is a directory"):
        sotto.Privatizer("tem", 12, key=tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_key_files_that_may_not_be_read(tmp_path):
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "key").chmod(0)
    with pytest.raises(OSError, match="Permission denied"):
        sotto.Privatizer("tem", 12, key=tmp_path / "key")


def test_ledgers_that_are_none(tmp_path):
    (tmp_path / "text").write_text("no ledger at all, but a text that is long enough to have a header" * 9)
    sqlite3.connect(tmp_path / "foreign").execute("CREATE TABLE mine (x)").connection.close()
    (tmp_path / "folder").mkdir()
    for name in ("text", "foreign", "folder", "missing/ledger"):
        before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
        with pytest.raises((ValueError, OSError), match=re.escape(str(tmp_path / name))):
            sotto.Privatizer("tem", 12, key=KEY, ledger=tmp_path / name, limit=50)
        assert before == {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}


def test_ledgers_need_ids_and_subjects(tmp_path):
    p = sotto.Privatizer("tem", 12, key=KEY, ledger=tmp_path / "ledger", limit=500)
    for texts, keywords, sentence in [
        (["a"], {}, "ids: missing"),
        (["a"], {"ids": ["1"]}, "subjects: missing"),
        (["a"], {"ids": ["1"], "subjects": ["s", "t"]}, "subjects has 2 values"),
        (["a"], {"ids": ["1"], "subjects": [None]}, r"subjects\[0\] is missing"),
        ("a", {"id": "1"}, "subjects: missing"),
        ("a", {"subject": "s"}, "ids: missing"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            p.privatize(texts, **keywords)
    with pytest.raises(TypeError, match="open ledger cannot be pickled"):
        pickle.dumps(p)


def test_documents_that_are_too_long():
    p = sotto.Privatizer("tem", 12, key=KEY, max_document_bytes="1K")
    with pytest.raises(ValueError, match="max_document_bytes") as raised:
        p.privatize(["short", "long " * 1000])
    assert "texts[1]" in str(raised.value)
    with pytest.raises(ValueError, match="max_document_bytes"):
        p.privatize("long " * 1000)


ANALYSES = [
    (lambda: sotto.explain(), TypeError, "word"),
    (lambda: sotto.explain("a", text="a b", place=1), TypeError, "word, or text"),
    (lambda: sotto.explain(text="a b"), TypeError, "place"),
    (lambda: sotto.explain(5, "tem", 12), TypeError, "word is int"),
    (lambda: sotto.explain(SURROGATE, "tem", 12), ValueError, "word: holds a lone surrogate"),
    (lambda: sotto.explain("pizza", "tem", "12"), ValueError, "epsilon: must be a number"),
    (lambda: sotto.explain("pizza", "tem", [1, 2]), TypeError, "epsilon need against"),
    (lambda: sotto.explain("pizza", "tem", [1, "x"], against="sushi"), ValueError, r"epsilon\w*\[1\]: must be a number"),
    (lambda: sotto.explain("pizza", "tem", 1, against=5), TypeError, "against is int"),
    (lambda: sotto.explain("pizza", "tem", 1, top=-1), ValueError, "top: '-1'"),
    (lambda: sotto.audit("tem", 12, method="guess"), ValueError, "method: 'guess'"),
    (lambda: sotto.audit("tem", 12, draws=5), ValueError, "draws: only for method='black-box'"),
    (lambda: sotto.audit("tem", 12, method="black-box", sample=5), ValueError, "sample: only for method='exact'"),
    (lambda: sotto.audit("tem", 12, method="black-box", texts=[("a",)]), ValueError, "texts"),
    (lambda: sotto.audit("tem", 12, method="black-box", texts=5), ValueError, "texts: must be"),
    (lambda: sotto.attack("tem", 12, attack="bayess"), ValueError, "attack.*did you mean 'bayes'"),
    (lambda: sotto.attack("tem", 12, attack=["bayes", 5]), ValueError, r"attacks?\[1\]"),
    (lambda: sotto.attack("tem", 12, memory="lots"), ValueError, "memory: 'lots'"),
    (lambda: sotto.attack("tem", 12, words=-1), ValueError, "words: '-1'"),
    (lambda: sotto.attack_texts(["a"], []), ValueError, "privatized has 0 texts, original has 1"),
    (lambda: sotto.attack_texts("ab", "cd"), TypeError, "original is str"),
    (lambda: sotto.attack_texts(["a"], [5]), TypeError, r"privatized\[0\] is int"),
    (lambda: sotto.budget("tem", 12, tokens=0), ValueError, "tokens: '0'"),
    (lambda: sotto.budget("tem", 12, tokens=5, profile=5), ValueError, "profile: must be an array"),
    (lambda: sotto.evaluate("/nonexistent.yaml"), FileNotFoundError, "/nonexistent.yaml"),
    (lambda: sotto.evaluate(5), TypeError, "run is int"),
    (lambda: sotto.similarity("ab", "cd"), TypeError, "first is str"),
    (lambda: sotto.similarity(["a"], []), ValueError, "first and second"),
    (lambda: sotto.similarity(["a"], [None]), TypeError, r"second\[0\] is NoneType"),
    (lambda: sotto.perplexity([SURROGATE]), ValueError, r"texts\[0\]: holds a lone surrogate"),
    (lambda: sotto.perplexity(["a"], model=5), TypeError, "model is int"),
    (lambda: sotto.perplexity(["a"], model="nope"), FileNotFoundError, "nope"),
    (lambda: sotto.read_receipt("/nonexistent"), FileNotFoundError, "/nonexistent"),
    (lambda: sotto.Privatizer("tem", 12).preview(5), TypeError, "text is int"),
    (lambda: sotto.Privatizer("tem", 12).preview("a\0"), ValueError, "NUL"),
]


@pytest.mark.parametrize(("call", "exception", "sentence"), ANALYSES, ids=range(len(ANALYSES)))
def test_analyses(call, exception, sentence):
    with pytest.raises(exception, match=sentence):
        call()


def test_files_that_are_no_receipts(tmp_path):
    for content in ("", "[]", "{}", "{" * 100_000, '{"sotto": 5}', "\0", "null"):
        (tmp_path / "receipt").write_text(content)
        with pytest.raises(ValueError):
            sotto.read_receipt(tmp_path / "receipt")
    (tmp_path / "receipt").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ValueError):
        sotto.read_receipt(tmp_path / "receipt")

"""Presidio: the operator."""

from __future__ import annotations

import multiprocessing
import threading

import pytest
from presidio_anonymizer import AnonymizerEngine, BatchAnonymizerEngine
from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

import sotto
import sotto.presidio

TEXT = "Maria flew from Berlin to Paris, and Maria liked Paris."


def found(word, entity):
    start, results = 0, []
    while (start := TEXT.find(word, start)) >= 0:
        results.append(RecognizerResult(entity, start, start + len(word), 1.0))
        start += 1
    return results


SPANS = [*found("Maria", "PERSON"), *found("Berlin", "LOCATION"), *found("Paris", "LOCATION")]


@pytest.fixture
def engine():
    engine = AnonymizerEngine()
    engine.add_anonymizer(sotto.presidio.SottoOperator)
    return engine


def config(**params):
    return OperatorConfig("sotto", params)


def test_each_type_has_its_own_mechanism(engine, key_file):
    person = sotto.Privatizer("tem", 12, key=key_file)
    operators = {
        "PERSON": config(privatizer=person, id=1),
        "LOCATION": config(mechanism="custext", epsilon=2, key=str(key_file), id=1),
    }
    result = engine.anonymize(TEXT, SPANS, operators)
    place = sotto.Privatizer("custext", 2, key=key_file)
    berlin, paris = (place.privatize(word, id=1) for word in ("Berlin", "Paris"))
    maria = person.privatize("Maria", id=1)
    assert result.text == f"{maria} flew from {berlin} to {paris}, and {maria} liked {paris}."
    assert {item.operator for item in result.items} == {"sotto"}
    assert person.receipt["counts"]["documents"] == 3


def test_settings_are_opened_once(engine):
    before = len(sotto.presidio.receipts())
    for epsilon in (3, 3, 3.5):
        engine.anonymize(TEXT, SPANS, {"DEFAULT": config(mechanism="custext", epsilon=epsilon, set={"k": 10})})
    new = sotto.presidio.receipts()[before:]
    assert [receipt["counts"]["documents"] for receipt in new] == [10, 5]


def test_fresh_noise_for_each_span(engine):
    outputs = {engine.anonymize(TEXT, SPANS, {"DEFAULT": config(epsilon=0.1)}).text for _ in range(5)}
    assert len(outputs) == 5


def test_threads(engine, key_file):
    operators = {"DEFAULT": config(epsilon=1.25, key=str(key_file), id="a")}
    texts = []
    threads = [
        threading.Thread(target=lambda: texts.append(engine.anonymize(TEXT, SPANS, operators).text)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 8 and len(set(texts)) == 1


def rewritten_in_child(queue):
    queue.put(sotto.presidio.SottoOperator().operate("a warm room and a cold soup", {"epsilon": 0.1}))


def test_forked_processes_do_not_share_fresh_noise():
    sotto.presidio.SottoOperator().validate({"epsilon": 0.1})
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    processes = [context.Process(target=rewritten_in_child, args=(queue,)) for _ in range(4)]
    for process in processes:
        process.start()
    outputs = {queue.get(timeout=60) for _ in processes}
    for process in processes:
        process.join()
    assert len(outputs) == 4


def test_batches(engine):
    batches = BatchAnonymizerEngine(anonymizer_engine=engine)
    texts = batches.anonymize_list([TEXT, TEXT], [SPANS, SPANS], operators={"DEFAULT": config(epsilon=1)})
    assert len(texts) == 2 and all("flew from" in text for text in texts)


def test_ledger_fails_closed(engine, key_file, tmp_path):
    p = sotto.Privatizer("custext", 1, key=key_file, ledger=tmp_path / "l", limit=2)
    operators = {"DEFAULT": config(privatizer=p, id="a", account="Maria")}
    engine.anonymize(TEXT, SPANS[:1], operators)
    with pytest.raises(sotto.LimitExceeded):
        engine.anonymize(TEXT, SPANS, operators)
    with pytest.raises(ValueError, match="subjects: missing"):
        engine.anonymize(TEXT, SPANS, {"DEFAULT": config(privatizer=p, id="a")})
    with pytest.raises(ValueError, match="ids: missing"):
        engine.anonymize(TEXT, SPANS, {"DEFAULT": config(privatizer=p, account="Maria")})


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({}, ValueError, "epsilon: missing"),
        ({"epsilon": -1}, ValueError, "epsilon"),
        ({"epsilom": 1}, TypeError, "'epsilom' is no keyword"),
        ({"epsilon": 1, "key": bytes(32)}, TypeError, "key is bytes; give the path of a key file"),
        ({"epsilon": 1, "ledger": "l", "limit": 1}, ValueError, "ledger: not allowed among the parameters"),
        ({"privatizer": "tem"}, TypeError, "privatizer is str"),
        ({"epsilon": 1, "id": 1.5}, TypeError, "id is float"),
        ({"epsilon": 1, "account": "x"}, ValueError, "subjects: not allowed without a ledger"),
    ],
)
def test_bad_params(engine, params, error, match):
    with pytest.raises(error, match=match):
        engine.anonymize(TEXT, SPANS, {"DEFAULT": config(**params)})

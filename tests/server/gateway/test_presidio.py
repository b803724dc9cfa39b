"""What clients of Presidio's anonymizer send, made by the package itself, and what they read."""

import pytest
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

from gateway_world import Sotto, free_port, post

CONFIG = """
profiles:
  all: {mechanism: diffractor-geometric, epsilon: 0.01, key_file: secret.key}
  entities: {mechanism: diffractor-geometric, epsilon: 0.01, key_file: secret.key, outside: keep}
"""
TEXT = "Zoë 🙂 Anderson lives in Kraków, call 555-1234"


def found(entity, words, score=0.8):
    start = TEXT.index(words)
    return RecognizerResult(entity_type=entity, start=start, end=start + len(words), score=score)


RESULTS = [found("PERSON", "Anderson"), found("LOCATION", "Kraków"), found("PERSON", "Ander", 0.3)]


@pytest.fixture(scope="module")
def sotto(tmp_path_factory):
    made = Sotto(tmp_path_factory.mktemp("presidio"), free_port(), CONFIG)
    yield made
    made.stop()


def request_of(results, operators=None, **more):
    """As a client builds it from the package's objects."""
    body = {"text": TEXT, "analyzer_results": [dict(vars(result)) for result in results], **more}
    if operators is not None:
        body["anonymizers"] = {
            entity: {"type": operator.operator_name, **operator.params} for entity, operator in operators.items()}
    return body


def check_items(answer):
    for item in answer["items"]:
        assert answer["text"][item["start"]:item["end"]] == item["text"]
        assert set(item) == {"start", "end", "entity_type", "text", "operator", "score"}
    starts = [item["start"] for item in answer["items"]]
    assert starts == sorted(starts, reverse=True)


def test_the_whole_text_is_rewritten(sotto):
    status, answer = post(sotto.url + "/anonymize", request_of(RESULTS))
    assert status == 200, answer
    assert "Anderson" not in answer["text"] and "lives" not in answer["text"]
    check_items(answer)


def test_entities_only_where_the_profile_keeps_the_rest(sotto):
    status, answer = post(sotto.url + "/anonymize", request_of(RESULTS, profile="entities"))
    assert status == 200, answer
    assert answer["text"].startswith("Zoë 🙂 ") and " lives in " in answer["text"]
    assert "Anderson" not in answer["text"]
    assert [item["entity_type"] for item in answer["items"]] == ["LOCATION", "PERSON"]
    assert "as it was" in answer["guarantee"]
    check_items(answer)


def test_constants_are_those_of_presidio(sotto):
    """Where an operator is allowed, the answer is that of the package."""
    apart = RESULTS[:2]
    for operators in ({"DEFAULT": OperatorConfig("replace", {"new_value": "X"})},
                      {"DEFAULT": OperatorConfig("replace")},
                      {"PERSON": OperatorConfig("redact"), "DEFAULT": OperatorConfig("replace", {"new_value": "é🙂"})}):
        expected = AnonymizerEngine().anonymize(TEXT, apart, operators)
        status, answer = post(sotto.url + "/anonymize", request_of(apart, operators, profile="entities"))
        assert status == 200, answer
        assert answer["text"] == expected.text
        theirs = [dict(vars(item)) for item in expected.items]
        assert sorted(answer["items"], key=lambda item: item["start"]) == sorted(theirs, key=lambda item: item["start"])


def test_no_operator_loosens_a_profile(sotto):
    for operator in (OperatorConfig("keep"), OperatorConfig("hash", {"hash_type": "sha256"}),
                     OperatorConfig("mask", {"masking_char": "*", "chars_to_mask": 2, "from_end": False}),
                     OperatorConfig("encrypt", {"key": "a" * 16})):
        for profile in ("all", "entities"):
            status, answer = post(sotto.url + "/anonymize", request_of(RESULTS, {"PERSON": operator}, profile=profile))
            assert status == 422, answer
            assert "Anderson" not in repr(answer)

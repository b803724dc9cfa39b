"""What is checked before any engine runs, and where keys must not show."""

from __future__ import annotations

import dataclasses
import pickle
import traceback

import conftest
import pyarrow
import pytest
import sotto
from conftest import DATASET, KEY
from sotto import _partitions


def make(**given):
    settings = {"id_column": "id", "key": KEY, "seed": None, "field": None, "subject_column": None, **given}
    return _partitions.make_job("text", options={"epsilon": 1, "dataset": DATASET}, **settings)


def test_key_and_ids_are_required_and_the_error_says_why():
    with pytest.raises(ValueError, match="^key: missing; on a cluster a task that fails runs again. Without a key"):
        make(key=None)
    with pytest.raises(ValueError, match="^id_column: missing; noise is a function of key and id"):
        make(id_column=None)
    with pytest.raises(ValueError, match="^id_column: missing"):
        make(id_column=None, key=None, seed=1)
    make(key=None, seed=1)


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        ({"unique_ids": True}, ValueError,
         "unique_ids: not allowed on a cluster; a task that runs again repeats its ids"),
        ({"subject": "who"}, TypeError, "subject: give subject_column, the column that says whose account is charged"),
        ({"epsylon": 1}, TypeError, "'epsylon' is no keyword of sotto.Privatizer"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_on_a_cluster(options, kind, sentence):
    with pytest.raises(kind) as caught:
        _partitions.make_job("text", "id", KEY, None, None, None, options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("ledger", "limit", "subject_column", "seed", "sentence"),
    [
        (None, 5, None, None, "limit: '5' needs ledger, where spending is recorded"),
        (None, None, "who", None, "subject_column: 'who' needs ledger, where spending is recorded"),
        ("l", 5, None, None,
         "subject_column: missing; with a ledger, name the column that says whose account is charged"),
        ("l", None, "who", None, "limit: missing; give the epsilon that a subject may spend in total"),
        ("l", 5, "who", 1, "seed: not allowed with a ledger; give a key"),
        (object(), 5, "who", None, "limit: '5' is not allowed here; the open ledger has one already"),
    ],
)  # fmt: skip
def test_a_ledger_needs_subjects_a_limit_and_a_key(ledger, limit, subject_column, seed, sentence):
    job = make(subject_column=subject_column, seed=seed)
    with pytest.raises(ValueError) as caught:
        _partitions.check_ledger(ledger, limit, job, seed)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ({"id": pyarrow.string()}, "column: 'text' is not among the columns id"),
        ({"id": pyarrow.float64(), "text": pyarrow.string()},
         "id_column: 'id' holds double; give a column of texts or integers"),
        ({"id": pyarrow.int8(), "text": pyarrow.binary()}, "column: 'text' holds binary; give a column of texts"),
        ({"id": pyarrow.int8(), "text": pyarrow.string(), "_sotto_claim": pyarrow.int8()},
         "'_sotto_claim' is a column that Sotto adds on the way; rename yours"),
    ],
)  # fmt: skip
def test_columns_are_checked(kinds, sentence):
    with pytest.raises((TypeError, ValueError)) as caught:
        _partitions.check_schema(make(), pyarrow.schema(kinds.items()))
    assert str(caught.value) == sentence


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.null()])
def test_texts_of_every_layout(kind):
    texts = pyarrow.array([None, None] if pyarrow.types.is_null(kind) else ["A cold soup.", None], kind)
    table = pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int32()), "text": texts})
    output = make().privatize(table)
    assert output.column("text").to_pylist()[1] is None
    assert (output.column("text").to_pylist()[0] is None) == pyarrow.types.is_null(kind)


def test_an_empty_batch_stays_empty():
    table = pyarrow.table({"id": pyarrow.array([], pyarrow.string()), "text": pyarrow.array([], pyarrow.string())})
    assert make().privatize(table, counted=True).num_rows == 0


def test_a_privatizer_is_opened_once_per_process_and_setting():
    assert make().open() is pickle.loads(pickle.dumps(make())).open()
    others = [make(field=f"field {number}").open() for number in range(_partitions._MOST_OPENED)]
    assert len({id(privatizer) for privatizer in [make().open(), *others]}) == len(others) + 1
    assert len(_partitions._opened) == _partitions._MOST_OPENED


def test_a_key_file_is_found_from_other_folders(tmp_path, monkeypatch):
    (tmp_path / "secret.key").write_bytes(KEY)
    (tmp_path / "secret.key").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    job = make(key="secret.key")
    monkeypatch.chdir("/")
    table = pyarrow.table({"id": ["a"], "text": ["The soup was cold."]})
    assert job.privatize(table).equals(make().privatize(table))


def test_a_key_travels_and_shows_nowhere(tmp_path):
    job = make()
    assert pickle.loads(pickle.dumps(job)).open_another().receipt["seeded"] is False

    @dataclasses.dataclass
    class Operator:  # as engines describe what they run
        args: tuple

    printed = [repr(job), str(vars(job)), str(dataclasses.asdict(Operator((job, vars(job)["_settings"]))))]
    try:
        job.privatize(pyarrow.table({"id": ["a"], "text": [None]}).drop_columns(["id"]))
    except ValueError as error:
        printed.append("".join(traceback.TracebackException.from_exception(error, capture_locals=True).format()))
    (tmp_path / "printed").write_text("\n".join(printed))
    assert "is not among" in printed[-1] and "<32 bytes>" in printed[1]
    assert conftest.traces_of_key([tmp_path]) == []


@pytest.mark.parametrize("spell", [bytes, bytes.hex, repr, list, lambda key: " ".join(map(str, key))])
def test_a_key_that_shows_would_be_found(tmp_path, spell):
    spelled = spell(KEY)
    (tmp_path / "log").write_bytes(b"key: " + (spelled if isinstance(spelled, bytes) else str(spelled).encode()))
    assert conftest.traces_of_key([tmp_path]) == [tmp_path / "log"]


def test_a_receipt_names_the_unit_of_a_ledger_that_was_opened_again(tmp_path):
    job = make(subject_column="who")
    table = pyarrow.table({"id": ["a"], "text": ["The soup was cold."], "who": ["ann"]})
    unsettled = job.rewrite(table)
    ledger = sotto.Ledger(tmp_path / "spent.ledger", limit=100, subject="who")
    assert ledger.settle(unsettled.claims) == [True]
    opened_again = sotto.Ledger(tmp_path / "spent.ledger", limit=100, subject="who")
    _partitions.write_report(tmp_path / "one.json", job, unsettled.counts(), ledger.receipt())
    _partitions.write_report(tmp_path / "two.json", job, unsettled.counts(), opened_again.receipt())
    assert sotto.read_receipt(tmp_path / "one.json")["ledger"]["unit"].startswith("epsilon times list index distance")
    assert (tmp_path / "two.json").read_text() == (tmp_path / "one.json").read_text()


def test_a_report_that_cannot_be_written_is_refused_first(tmp_path):
    with pytest.raises(FileNotFoundError, match="^report: the folder .*/missing does not exist"):
        _partitions.check_report(tmp_path / "missing" / "receipt.json")

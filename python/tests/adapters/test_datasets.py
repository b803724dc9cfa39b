"""Hugging Face datasets: the function for map, and what its cache holds."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from adapter_texts import IDS, TEXTS
from datasets import Dataset, DatasetDict, load_from_disk
from datasets.fingerprint import Hasher

import sotto
import sotto.datasets


@pytest.fixture
def folder(tmp_path) -> Path:
    """A data set on disk, whose cache is beside it."""
    rows = {"id": [f"{i}{n}" for n in range(5) for i in IDS], "text": TEXTS * 5, "stars": list(range(20))}
    Dataset.from_dict(rows).save_to_disk(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def data(folder) -> Dataset:
    return load_from_disk(folder)


def cache_file(data: Dataset) -> str:
    (file,) = data.cache_files
    return file["filename"]


def test_same_texts_as_privatizer(data, key_file):
    rewrite = sotto.datasets.privatize("text", id_column="id", epsilon=1, key=key_file)
    out = data.map(rewrite, batched=True, batch_size=3)
    expected = sotto.Privatizer(epsilon=1, key=key_file, field="text").privatize(data["text"][:], data["id"][:])
    assert out["text"][:] == expected
    assert out.remove_columns("text")[:] == data.remove_columns("text")[:]
    assert rewrite.receipts["text"]["counts"]["documents"] == 20


def test_several_processes_give_the_same_texts(data, key_file):
    options = {"epsilon": 1, "key": key_file}
    by_id = sotto.datasets.privatize("text", id_column="id", **options)
    by_place = sotto.datasets.privatize("text", **options)
    for rewrite, with_indices in ((by_id, False), (by_place, True)):
        one = data.map(rewrite, batched=True, batch_size=3, with_indices=with_indices)
        two = data.map(rewrite, batched=True, batch_size=4, with_indices=with_indices, num_proc=2)
        assert one["text"][:] == two["text"][:] != data["text"][:]


def test_equal_settings_find_the_cached_result(data, key_file):
    def run(**options):
        settings = {"set": {"gamma": 1}, "mechanism": "tem", "epsilon": 9, "key": key_file, **options}
        return data.map(sotto.datasets.privatize("text", id_column="id", **settings), batched=True)

    first = run()
    written = os.stat(cache_file(first)).st_mtime_ns
    for again in (run(), run(key=str(key_file))):
        assert again._fingerprint == first._fingerprint
        assert cache_file(again) == cache_file(first) and os.stat(cache_file(again)).st_mtime_ns == written
    others = [
        run(epsilon=9.5), run(set={"gamma": 2}), run(dataset="x"), run(oov="bottom"), run(key=None, seed=1),
        run(key=None, seed=2),
    ]  # fmt: skip
    assert len({result._fingerprint for result in [first, *others]}) == 7


def test_another_key_in_the_same_file_is_another_result(data, key_file):
    def run():
        rewrite = sotto.datasets.privatize("text", id_column="id", epsilon=1, key=key_file)
        return data.map(rewrite, batched=True)

    first = run()
    key_file.write_bytes(os.urandom(32))
    assert run()._fingerprint != first._fingerprint and run()["text"][:] != first["text"][:]


def test_a_key_that_changes_meanwhile_is_noticed(data, key_file):
    rewrite = sotto.datasets.privatize("text", id_column="id", epsilon=1, key=key_file)
    before = data.map(rewrite, batched=True)
    key_file.write_bytes(os.urandom(32))
    assert data.map(rewrite, batched=True)._fingerprint == before._fingerprint
    with pytest.raises(ValueError, match="key: its file, or the model, has changed"):
        pickle.loads(pickle.dumps(rewrite))


def test_fingerprint_is_the_same_in_another_process(key_file):
    program = (
        "import sys, sotto.datasets; from datasets.fingerprint import Hasher;"
        "print(Hasher.hash(sotto.datasets.privatize('text', id_column='id', epsilon=1, key=sys.argv[1])))"
    )
    out = subprocess.run([sys.executable, "-c", program, key_file], check=True, capture_output=True, text=True)
    here = Hasher.hash(sotto.datasets.privatize("text", id_column="id", epsilon=1, key=key_file))
    assert out.stdout.strip() == here


def test_fresh_noise_is_never_found_in_the_cache(data):
    rewrite = sotto.datasets.privatize("text", epsilon=0.1)
    results = [data.map(rewrite, batched=True) for _ in range(2)]
    results.append(data.map(sotto.datasets.privatize("text", epsilon=0.1), batched=True))
    assert len({result._fingerprint for result in results}) == 3
    assert len({tuple(result["text"][:]) for result in results}) == 3


def test_fresh_noise_differs_between_processes(tmp_path):
    text = "A long text about a cold soup, a warm room and a host who forgot our order."
    data = Dataset.from_dict({"text": [text] * 8})
    out = data.map(sotto.datasets.privatize("text", epsilon=0.1), batched=True, num_proc=2)
    assert len(set(out["text"][:])) == 8


def test_no_file_of_the_cache_holds_the_key(data, folder, key_file):
    rewrite = sotto.datasets.privatize("text", id_column="id", epsilon=1, key=key_file)
    data.map(rewrite, batched=True)
    data.map(rewrite, batched=True, num_proc=2).save_to_disk(folder / "out")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name.startswith("cache-") for path in files)
    secret = key_file.read_bytes()
    forms = (secret, secret.hex().encode(), repr(secret)[2:-1].encode(), str(list(secret)).encode())
    for path in files:
        stored = path.read_bytes()
        assert not any(form in stored for form in forms), path


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "numpy"])
def test_formats(data, kind):
    expected = data.map(sotto.datasets.privatize("text", id_column="id", epsilon=1, seed=1), batched=True)
    rewrite = sotto.datasets.privatize("text", id_column="id", epsilon=1, seed=1)
    out = data.with_format(kind).map(rewrite, batched=True).with_format(None)
    assert out[:] == expected[:]


def test_several_columns_and_splits(data):
    data = data.add_column("title", data["text"][:])
    splits = DatasetDict(train=data, test=data.select(range(3)))
    rewrite = sotto.datasets.privatize(["title", "text"], id_column="id", epsilon=0.1, seed=1)
    out = splits.map(rewrite, batched=True)
    assert out["test"][:] == out["train"].select(range(3))[:]
    assert out["train"]["text"][:] != out["train"]["title"][:]


def test_streams_and_missing_texts():
    data = Dataset.from_dict({"text": ["One.", None]}).to_iterable_dataset()
    rows = list(data.map(sotto.datasets.privatize("text", epsilon=1), batched=True))
    assert [row["text"] is None for row in rows] == [False, True]


def test_ledger(data, key_file, tmp_path):
    data = data.add_column("who", ["x"] * 20)
    options = {"mechanism": "custext", "epsilon": 1, "key": key_file, "limit": 20}
    rewrite = sotto.datasets.privatize(
        "text", id_column="id", subject_column="who", ledger=tmp_path / "l", **options
    )
    out = data.map(rewrite, batched=True)
    assert 0 < sum(text is None for text in out["text"]) < 20
    rewrite = sotto.datasets.privatize("text", id_column="id", ledger=tmp_path / "l", **options)
    with pytest.raises(ValueError, match="subjects: missing"):
        data.map(rewrite, batched=True)
    rewrite = sotto.datasets.privatize(
        "text", id_column="who", subject_column="who", ledger=tmp_path / "m", unique_ids=True, **options
    )
    with pytest.raises(ValueError, match="a document with this name occurred before"):
        data.map(rewrite, batched=True)


@pytest.mark.parametrize(
    ("column", "options", "error", "match"),
    [
        ("txt", {}, ValueError, "column: 'txt' is no column; there are id, text, stars"),
        ("text", {"id_column": "nr"}, ValueError, "id_column: 'nr' is no column"),
        ("text", {"subject_column": "nr"}, ValueError, "subject_column: 'nr' is no column"),
        ("text", {"seed": 1}, ValueError, "id_column: missing; with a key or a seed"),
        ("stars", {}, TypeError, "texts has the Arrow type 'l'"),
    ],
)
def test_bad_input(data, column, options, error, match):
    rewrite = sotto.datasets.privatize(column, **{"epsilon": 1, **options})
    with pytest.raises(error, match=match):
        data.map(rewrite, batched=True)


def test_bad_use(data):
    for one_by_one in (data, data.to_iterable_dataset(), data.with_format("numpy")):
        with pytest.raises(TypeError, match="give map batched=True"):
            list(one_by_one.map(sotto.datasets.privatize("text", epsilon=1)))
    with pytest.raises(TypeError, match="give map no input_columns") as caught:
        data.map(sotto.datasets.privatize("text", epsilon=1), batched=True, input_columns="text")
    assert not any(text in str(caught.value) for text in TEXTS)
    with pytest.raises(TypeError, match="key is bytes; give the path of a key file"):
        sotto.datasets.privatize("text", epsilon=1, key=bytes(32))
    with pytest.raises(TypeError, match="'epsilom' is no keyword"):
        sotto.datasets.privatize("text", epsilom=1)
    with pytest.raises(ValueError, match="epsilon: missing"):
        sotto.datasets.privatize("text")
    with pytest.raises(ValueError, match="column: empty"):
        sotto.datasets.privatize([], epsilon=1)

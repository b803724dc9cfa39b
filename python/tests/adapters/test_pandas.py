"""pandas: the accessors of Series and DataFrame."""

from __future__ import annotations

import os
import subprocess

import pandas as pd
import pyarrow as pa
import pytest
from adapter_texts import IDS, TEXTS

import sotto
import sotto.pandas


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"id": IDS, "title": TEXTS[::-1], "body": TEXTS, "stars": [1, 2, 3, 4]}, index=[7, 5, 3, 1])


def test_series(frame, key_file):
    p = sotto.Privatizer(epsilon=1, key=key_file)
    out = frame["body"].sotto.privatize(p, ids=frame["id"])
    assert out.tolist() == p.privatize(TEXTS, IDS)
    assert out.index.equals(frame.index) and out.name == "body" and out.dtype == frame["body"].dtype
    assert p.receipt["counts"]["documents"] == 8
    assert frame["body"].tolist() == TEXTS


@pytest.mark.parametrize("dtype", ["object", "str", pd.ArrowDtype(pa.large_string()), "category"])
def test_series_of_every_kind(dtype):
    out = pd.Series([*TEXTS, None], dtype=dtype).sotto.privatize(epsilon=1, seed=1)
    assert out.isna().tolist() == [False] * 4 + [True]
    assert out[:4].tolist() == pd.Series(TEXTS).sotto.privatize(epsilon=1, seed=1).tolist()


def test_frame_gives_the_texts_of_the_command_line(frame, key_file, tmp_path):
    program = os.environ.get("SOTTO_PROGRAM")
    if program is None:
        pytest.skip("SOTTO_PROGRAM is not set")
    frame.to_csv(tmp_path / "in.csv", index=False)
    command = [
        program, "privatize", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--epsilon", "1", "--key-file", key_file,
        "--field", "title", "--field", "body", "--id-field", "id", "--dataset", "reviews", "--quiet",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    expected = pd.read_csv(tmp_path / "out.csv")
    options = {"epsilon": 1, "key": key_file, "dataset": "reviews"}
    out = frame.sotto.privatize(["title", "body"], id_column="id", **options)
    assert out["title"].tolist() == expected["title"].tolist()
    assert out["body"].tolist() == expected["body"].tolist()


def test_frame_changes_nothing_else(frame):
    before = frame.copy()
    out = frame.sotto.privatize("body", id_column="id", epsilon=0.1, seed=1)
    assert frame.equals(before)
    assert out.drop(columns="body").equals(before.drop(columns="body"))
    assert (out["body"] != before["body"]).any()


def test_any_names_and_index():
    frame = pd.DataFrame([["a", "One soup."], ["b", "Two rooms."]], index=[0, 0])
    out = frame.sotto.privatize([1], id_column=0, epsilon=1, seed=1)
    expected = sotto.Privatizer(epsilon=1, seed=1, field="1").privatize(["One soup.", "Two rooms."], ["a", "b"])
    assert out[1].tolist() == expected
    assert out[0].tolist() == ["a", "b"] and out.columns.tolist() == [0, 1]


def test_rows_may_move(frame, key_file):
    options = {"id_column": "id", "epsilon": 1, "key": key_file}
    shuffled = frame.sample(frac=1, random_state=5).sotto.privatize(["title", "body"], **options)
    assert shuffled.loc[frame.index].equals(frame.sotto.privatize(["title", "body"], **options))


def test_one_mechanism_per_column(frame, key_file):
    title = sotto.Privatizer("tem", 12, key=key_file, field="title")
    body = sotto.Privatizer("custext", 2, key=key_file, field="body")
    out = frame.sotto.privatize({"title": title, "body": body}, id_column="id")
    assert out["title"].tolist() == title.privatize(TEXTS[::-1], IDS)
    assert out["body"].tolist() == body.privatize(TEXTS, IDS)
    assert title.receipt["counts"]["documents"] == 8


def test_a_privatizer_without_a_key_serves_several_columns(frame):
    p = sotto.Privatizer(epsilon=1)
    frame.sotto.privatize(["title", "body"], p)
    assert p.receipt["counts"]["documents"] == 8


def test_ledger(frame, key_file, tmp_path):
    frame["who"] = ["x", "y", "x", "y"]
    options = {"mechanism": "custext", "epsilon": 1, "key": key_file, "ledger": tmp_path / "l", "limit": 5}
    out = frame.sotto.privatize("body", id_column="id", subject_column="who", **options)
    assert 0 < out["body"].isna().sum() < 4
    with pytest.raises(ValueError, match="ids: missing"):
        frame.sotto.privatize("body", subject_column="who", **options)
    with pytest.raises(ValueError, match="subjects: missing"):
        frame.sotto.privatize("body", id_column="id", **options)
    same = pd.DataFrame({"id": ["a", "a"], "who": ["x", "x"], "body": ["Same.", "Same."]})
    with pytest.raises(ValueError, match=r"texts\[1\]: a document with this name"):
        same.sotto.privatize("body", id_column="id", subject_column="who", **{**options, "unique_ids": True})


@pytest.mark.parametrize(
    ("columns", "options", "error", "match"),
    [
        ("bodi", {}, ValueError, "columns: 'bodi' is no column; there are id, title"),
        ([], {}, ValueError, "columns: empty"),
        ("body", {"id_column": "nr"}, ValueError, "id_column: 'nr' is no column"),
        ("body", {"subject_column": "nr"}, ValueError, "subject_column: 'nr' is no column"),
        ("stars", {}, TypeError, r"texts\[0\] is int"),
        ("body", {"epsilon": None}, ValueError, "epsilon: missing"),
        ("body", {"epsilom": 1}, TypeError, "'epsilom' is no keyword"),
        (["title", "body"], {"field": "x"}, ValueError, "field: 'x'"),
    ],
)
def test_bad_input(frame, columns, options, error, match):
    with pytest.raises(error, match=match):
        frame.sotto.privatize(columns, **{"epsilon": 1, **options})


def test_bad_use(frame, key_file):
    p = sotto.Privatizer(epsilon=1, key=key_file)
    with pytest.raises(ValueError, match="columns: a Privatizer with a key or a seed serves one column"):
        frame.sotto.privatize(["title", "body"], p, id_column="id")
    with pytest.raises(TypeError, match="epsilon: not allowed beside privatizer"):
        frame["body"].sotto.privatize(p, epsilon=1)
    with pytest.raises(TypeError, match="privatizer is str; give a sotto.Privatizer"):
        frame["body"].sotto.privatize("tem")
    with pytest.raises(ValueError, match=r"ids\[1\] is missing"):
        pd.Series(["One.", "Two."]).sotto.privatize(p, ids=["a", None])
    with pytest.raises(ValueError, match="ids: its index is not that of the texts"):
        frame["body"].sotto.privatize(p, ids=frame["id"].reset_index(drop=True))
    frame.columns = ["id", "body", "body", "stars"]
    with pytest.raises(ValueError, match="columns: two columns have the same name"):
        frame.sotto.privatize("body", epsilon=1)

"""Spark with executors in processes of their own against one process."""

from __future__ import annotations

import pathlib
import shutil

import conftest
import pyarrow
import pytest
import sotto
from conftest import DATASET, KEY, by_id, entries

pyspark = pytest.importorskip("pyspark")
import sotto.spark  # noqa: E402
from pyspark.errors import PythonException  # noqa: E402
from pyspark.sql import functions  # noqa: E402


@pytest.fixture
def df(spark, world):
    return spark.createDataFrame(world.table).repartition(4)


def privatize(df, **options):
    return sotto.spark.privatize(df, "text", "id", **{"epsilon": 1, "key": KEY, "dataset": DATASET, **options})


def with_ledger(df, path, **options):
    return privatize(df, ledger=path, subject_column="who", **{"limit": 1e9, **options})


def texts(df):
    return by_id(row.asDict() for row in df.collect())


@pytest.mark.parametrize("partitions", [1, 2, 8])
def test_the_bytes_are_those_of_the_command_line_however_the_data_is_split(df, world, partitions):
    assert texts(privatize(df.repartition(partitions))) == world.texts


def test_other_columns_and_the_order_of_rows_stay(spark, world, tmp_path):
    df = spark.createDataFrame(world.table).coalesce(1)
    for output in (privatize(df), with_ledger(df, tmp_path / "spent.ledger")):
        assert output.schema == df.schema
        table = output.toArrow()
        assert table.drop_columns(["text"]).equals(world.table.drop_columns(["text"]))
        assert table.column("text").is_null().equals(world.table.column("text").is_null())


def test_columns_with_names_that_sql_would_read(spark, world, tmp_path):
    renamed = spark.createDataFrame(world.table.rename_columns(["my id", "text (en)", "who's", "rank"]))
    output = sotto.spark.privatize(
        renamed, "text (en)", "my id", epsilon=1, key=KEY, dataset=DATASET, field="text",
        ledger=tmp_path / "spent.ledger", limit=1e9, subject_column="who's",
    )  # fmt: skip
    assert {row["my id"]: row["text (en)"] for row in output.collect()} == world.texts
    for name in ("a.b", "a`b"):
        with pytest.raises(ValueError) as caught:
            privatize(renamed.toDF("id", "text", name, "rank"))
        assert str(caught.value) == f"df: mapInArrow cannot take the column '{name}', because of its name; rename it"


def test_a_key_file_and_a_map_of_ones_own(df, world):
    rewrite = sotto.spark.privatize_batches("text", "id", epsilon=1, dataset=DATASET, key=world.key_file)
    assert texts(df.mapInArrow(rewrite, df.schema)) == world.texts


def test_the_receipt_is_that_of_one_process(df, world, tmp_path):
    report = tmp_path / "receipt.json"
    output = privatize(df, report=report)
    assert report.read_text() == conftest.single_receipt(world)
    assert output.schema == df.schema
    assert texts(output) == world.texts
    sotto.spark.unpersist(output)
    assert texts(output) == world.texts
    with pytest.raises(ValueError, match="^df: not a frame that sotto.spark.privatize made with ledger or report"):
        sotto.spark.unpersist(df)


def test_the_ledger_is_that_of_one_process_and_a_second_run_is_free(df, world, tmp_path):
    path, report = tmp_path / "spent.ledger", tmp_path / "receipt.json"
    assert texts(with_ledger(df, path)) == world.texts
    assert entries(path) == entries(world.ledger)
    ledger = sotto.Ledger(path, limit=1e9, subject="who")
    assert texts(privatize(df.repartition(3), ledger=ledger, subject_column="who", report=report)) == world.texts
    assert entries(path) == entries(world.ledger)
    alone = conftest.single_receipt(world, ledger=tmp_path / "alone", limit=1e9, subject="who")
    assert conftest.without_ledger_state(report.read_text()) == conftest.without_ledger_state(alone)


def test_what_exceeds_the_limit_is_withheld_and_nothing_else(df, world, tmp_path):
    path, report = tmp_path / "spent.ledger", tmp_path / "receipt.json"
    output = texts(with_ledger(df, path, limit=400, report=report))
    conftest.check_withheld(path, 400, output, world)
    counts = sotto.read_receipt(report)["counts"]
    assert counts["withheld"] == sum(output[id] is None for id in conftest.claims_by_id(world)) + (output["v0"] is None)
    assert counts["documents"] == len(world.table) - world.table.column("text").null_count - counts["withheld"]


def test_rows_made_again_come_out_only_as_they_were_charged(df, world, tmp_path):
    changed = str(tmp_path / "changed")

    def fickle(batches):
        import os

        for batch in batches:
            if os.path.exists(changed):
                texts = [None if text is None else text + " Again." for text in batch["text"].to_pylist()]
                batch = batch.set_column(1, "text", pyarrow.array(texts, pyarrow.string()))
            yield batch

    output = with_ledger(df.mapInArrow(fickle, df.schema), tmp_path / "spent.ledger")
    sotto.spark.unpersist(output)  # as if all executors had been lost
    assert texts(output) == world.texts
    pathlib.Path(changed).touch()
    assert set(texts(output).values()) == {None}


def test_a_driver_that_dies_after_settling_charges_nothing_when_it_runs_again(df, world, tmp_path, monkeypatch):
    path = tmp_path / "spent.ledger"

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sotto._partitions, "write_report", die)
        with pytest.raises(KeyboardInterrupt):
            with_ledger(df, path, report=tmp_path / "receipt.json")
    assert entries(path) == entries(world.ledger)
    assert texts(with_ledger(df, path)) == world.texts
    assert entries(path) == entries(world.ledger)


def test_a_model_that_is_sent(df, world, tmp_path):
    model = tmp_path / "mine.safetensors"
    shutil.copy(conftest.MODELS / "sotto-en-wordnet.safetensors", model)
    output = privatize(df, mechanism="tem", epsilon=12, model_file=model)
    privatizer = sotto.Privatizer("tem", 12, key=KEY, dataset=DATASET, field="text", model=model)
    expected = privatizer.privatize(world.table.column("text"), world.table.column("id"))
    assert texts(output) == by_id(world.table.set_column(1, "text", expected).to_pylist())


def test_what_a_worker_finds_wrong_reaches_the_driver(df):
    broken = df.withColumn("id", functions.nullif("id", "id"))
    with pytest.raises(PythonException, match="id_column: 'id' is null in [0-9]+ rows of a batch"):
        privatize(broken).collect()


def test_what_the_schema_shows_is_refused_before_any_task(df):
    refused = {
        "column: 'body' is not among the columns id, text, who, rank": ("body", "id"),
        "column: 'rank' holds double; give a column of texts": ("rank", "id"),
        "id_column: 'rank' holds double; give a column of texts or integers": ("text", "rank"),
        "column: 'text' holds the texts; ids and subjects need columns of their own": ("text", "text"),
    }
    for sentence, (column, id_column) in refused.items():
        with pytest.raises((ValueError, TypeError)) as caught:
            sotto.spark.privatize(df, column, id_column, epsilon=1, key=KEY)
        assert str(caught.value) == sentence


def test_the_key_is_in_no_plan_and_no_file_of_the_cluster(spark, df, tmp_path, capsys):
    output = privatize(df)
    texts(output)
    with_ledger(df, tmp_path / "spent.ledger", report=tmp_path / "receipt.json").collect()
    for mode in ("extended", "codegen", "cost", "formatted"):
        output.explain(mode)
    (tmp_path / "plans").write_text(capsys.readouterr().out + output._jdf.queryExecution().toString())
    folders = [spark.home / name for name in ("events", "work")] + [tmp_path]
    assert any((spark.home / "work").rglob("stderr")) and any((spark.home / "events").rglob("*"))
    assert conftest.traces_of_key(folders) == []

"""Processes of a Spark cluster killed at random moments: the same bytes, and nothing charged twice."""

from __future__ import annotations

import random
import time

import conftest
import psutil
import pytest
import sotto
from conftest import DATASET, KEY, Killer, entries
from test_spark import texts

pytest.importorskip("pyspark")
import sotto.spark  # noqa: E402

KILLS = 10


def victims():
    """Executors, and the Python processes that rewrite for them."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            command = " ".join(child.cmdline())
        except psutil.Error:
            continue
        if "CoarseGrainedExecutorBackend" in command or "pyspark.daemon" in command:
            found.append(child)
    return found


def job(df, path, report):
    return sotto.spark.privatize(
        df, "text", "id", epsilon=1, key=KEY, dataset=DATASET,
        ledger=path, limit=1e9, subject_column="who", report=report,
    )  # fmt: skip


@pytest.fixture
def slow(spark, world):
    """The rows in eight partitions, each of which takes a while."""

    def wait(batches):
        for batch in batches:
            time.sleep(0.3)
            yield batch

    df = spark.createDataFrame(world.table).repartition(8)
    return df.mapInArrow(wait, df.schema)


def test_killed_at_random_moments(slow, world, tmp_path):
    report = tmp_path / "receipt.json"
    rows, seconds = conftest.timed(lambda: texts(job(slow, tmp_path / "undisturbed", report)))
    assert rows == world.texts
    expected = conftest.without_ledger_state(report.read_text())
    source = random.Random(time.time_ns())
    kills = 0
    for trial in range(4 * KILLS):
        path = tmp_path / f"{trial}.ledger"
        with Killer(victims, seconds, source) as killer:
            output, taken = conftest.timed(lambda: job(slow, path, report))
            rows = output.collect()
        assert len(rows) == len(world.table)
        assert conftest.by_id(row.asDict() for row in rows) == world.texts
        assert entries(path) == entries(world.ledger)
        assert conftest.without_ledger_state(report.read_text()) == expected
        sotto.spark.unpersist(output)
        if not killer.killed:
            seconds = min(seconds, taken)  # processes that are warm are faster
        kills += len(killer.killed)
        if kills == KILLS:
            return
    raise AssertionError(f"only {kills} kills hit a job")


def test_a_task_that_fails_after_it_has_rewritten(spark, world, tmp_path):
    """What it made is made again by the next attempt."""
    marks = str(tmp_path)

    def fail_once(batches):
        import os

        for place, batch in enumerate(batches):
            if place == 1 and not os.path.exists(marks + "/failed"):
                open(marks + "/failed", "w").close()
                raise RuntimeError("lost")
            yield batch

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "40")
    try:
        df = spark.createDataFrame(world.table).coalesce(1)
        report = tmp_path / "receipt.json"
        output = sotto.spark.privatize(
            df.mapInArrow(fail_once, df.schema), "text", "id", epsilon=1, key=KEY, dataset=DATASET, report=report
        )
        assert texts(output) == world.texts
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert (tmp_path / "failed").exists()
    assert report.read_text() == conftest.single_receipt(world)

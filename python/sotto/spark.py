"""Spark: a column of texts rewritten on a cluster.

>>> import sotto.spark
>>> private = sotto.spark.privatize(df, "text", "id", epsilon=10, key="secret.key")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional, Union

try:
    import pyarrow
    from pyspark import SparkFiles, StorageLevel
    from pyspark.sql import DataFrame, functions
    from pyspark.sql.types import (
        BinaryType,
        ByteType,
        IntegerType,
        LongType,
        ShortType,
        StringType,
        StructField,
        StructType,
    )
except ImportError as error:
    raise ImportError("sotto.spark needs Spark: pip install 'pyspark>=4.0' pyarrow") from error

from sotto import _partitions
from sotto._ledger import Ledger
from sotto._partitions import CLAIM, COUNTS, FINGERPRINT, RELEASED, Job, Path

_CLAIMS = 10_000  # per transaction of the ledger


def privatize(
    df: DataFrame,
    column: str,
    id_column: Optional[str] = None,
    mechanism: str = "diffractor-geometric",
    epsilon: Optional[float] = None,
    *,
    key: Union[Path, bytes, None] = None,
    seed: Optional[int] = None,
    dataset: str = "",
    field: Optional[str] = None,
    subject_column: Optional[str] = None,
    ledger: Union[Path, Ledger, None] = None,
    limit: Optional[float] = None,
    report: Optional[Path] = None,
    model_file: Optional[Path] = None,
    storage: StorageLevel = StorageLevel.DISK_ONLY,
    **options: Any,
) -> DataFrame:
    """The frame with the texts of `column` rewritten; the other columns as they are, null where it was null.

    ``key`` and ``id_column`` are required: a task that fails runs again, and only with both does it give the
    same texts again rather than another release. ``key`` is a path that exists on the driver and on every
    executor, or 32 bytes, which travel with the job. A ``seed`` is repeatable too, for tests: not private.

    ``dataset`` and ``field`` (default: the name of the column) are part of what determines the noise, so that
    the output is that of ``sotto privatize --field COLUMN --id-field ID_COLUMN --dataset DATASET``. Give
    every set of data a name of its own if one key serves several with the same ids.

    ``ledger`` is a path on the driver's machine, with ``limit``, or an open ``sotto.Ledger``. Texts are
    rewritten and kept by the executors under the level ``storage``, the driver charges each to the subject in
    ``subject_column``, and only then do they come out; a withheld one is null.

    With ``report`` the receipt of the whole is written to that path on the driver. With ``report`` or
    ``ledger`` the job runs at once; free what it keeps with ``unpersist``. Without them nothing runs before
    the frame is used, and there is no receipt.

    ``model_file`` is a model's file on the driver that is sent to the executors; ``model`` is a name or path
    that they have. Either way a worker refuses to rewrite unless it would do just what the driver would.

    ``options`` are the other keywords of ``sotto.Privatizer``. ``threads`` is 1: Spark has the parallelism.
    """
    options = {**options, "mechanism": mechanism, "epsilon": epsilon, "dataset": dataset}
    job = _partitions.make_job(column, id_column, key, seed, field, subject_column, options)
    _partitions.check_ledger(ledger, limit, job, seed)
    _partitions.check_report(report)
    _check_frame(job, df, report)
    if model_file is not None:
        _ship_model(df, job, model_file, options)
    job.expect(job.open_another().receipt)
    if ledger is not None:
        return _with_ledger(df, job, _open_ledger(ledger, limit, job), report, storage)
    if report is not None:
        return _with_report(df, job, report, storage)
    return df.mapInArrow(_Batches(job, False), df.schema)


def privatize_batches(
    column: str,
    id_column: Optional[str] = None,
    *,
    key: Union[Path, bytes, None] = None,
    seed: Optional[int] = None,
    field: Optional[str] = None,
    **options: Any,
) -> Any:
    """The function of ``privatize`` for those who call ``DataFrame.mapInArrow`` themselves.

    The keywords are those of ``sotto.Privatizer``, which is opened once per Python process of an executor.

    >>> rewrite = sotto.spark.privatize_batches("text", "id", epsilon=10, key="secret.key")  # doctest: +SKIP
    >>> private = df.mapInArrow(rewrite, df.schema)  # doctest: +SKIP
    """
    return _Batches(_partitions.make_job(column, id_column, key, seed, field, None, options), False)


def unpersist(df: DataFrame) -> None:
    """Frees what the executors keep for a frame that ``privatize`` made with a ledger or a report.

    The frame can still be used: its texts are then rewritten again, to the same ones.
    """
    kept = getattr(df, _KEPT, None)
    if kept is None:
        raise ValueError("df: not a frame that sotto.spark.privatize made with ledger or report")
    kept.unpersist()


_KEPT = "_sotto_kept"


class _Batches:
    """What a task does to its batches. Spark shows the name of the class in its plans."""

    def __init__(self, job: Job, counted: bool) -> None:
        self._job = job
        self._counted = counted

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield self._job.privatize(batch, self._counted)

    def __repr__(self) -> str:
        return repr(self._job)


class _Unsettled:
    """Rewritten rows with their claims: what executors keep until the ledger has answered."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            unsettled = self._job.rewrite(batch)
            claims = unsettled.claims
            prints = [None if claim is None else _partitions.fingerprint(claim) for claim in claims]
            output = self._job.replace_texts(batch, unsettled.release([True] * len(claims)))
            output = output.append_column(CLAIM, pyarrow.array(claims, pyarrow.string()))
            output = output.append_column(FINGERPRINT, pyarrow.array(prints, pyarrow.binary()))
            yield output.append_column(COUNTS, pyarrow.array(unsettled.counts(), pyarrow.binary()))

    def __repr__(self) -> str:
        return repr(self._job)


def _with_report(df: DataFrame, job: Job, report: Path, storage: StorageLevel) -> DataFrame:
    """Counts what the rows that are kept say, not what tasks say: those that ran twice are one row here."""
    kept = df.mapInArrow(_Batches(job, True), _with_columns(df, (COUNTS, BinaryType()))).persist(storage)
    try:
        counts = kept.select(COUNTS).mapInArrow(_sum_of_counts, _with_columns(None, (COUNTS, BinaryType()))).collect()
    except BaseException:
        kept.unpersist()
        raise
    _partitions.write_report(report, job, [bytes(row[0]) for row in counts], None)
    return _keeping(kept.drop(COUNTS), kept)


def _with_ledger(df: DataFrame, job: Job, ledger: Ledger, report: Optional[Path], storage: StorageLevel) -> DataFrame:
    """Rewrites, settles, and joins rows with what was settled.

    The join is on the claim, tag of the document and MAC of its output included. If an executor is lost and its
    rows are made again, they come out only if they are what was charged.
    """
    added = ((CLAIM, StringType()), (FINGERPRINT, BinaryType()), (COUNTS, BinaryType()))
    kept = df.mapInArrow(_Unsettled(job), _with_columns(df, *added)).persist(storage)
    try:
        kept.count()  # all partitions at once; the loop below asks for one after the other
        settled = _settle(kept, ledger).withColumn(RELEASED, functions.lit(True))
        joined = kept.join(functions.broadcast(settled), FINGERPRINT, "left")
        if report is not None:
            columns = joined.select(COUNTS, RELEASED)
            counts = columns.mapInArrow(_sum_of_released, _with_columns(None, (COUNTS, BinaryType()))).collect()
            _partitions.write_report(report, job, [bytes(row[0]) for row in counts], ledger.receipt())
    except BaseException:
        kept.unpersist()
        raise
    released = functions.when(joined[RELEASED], joined[job.column]).alias(job.column)
    output = joined.select(*[released if name == job.column else joined[name] for name in df.columns])
    return _keeping(output, kept)


def _settle(kept: DataFrame, ledger: Ledger) -> DataFrame:
    """Fingerprints of the claims that the ledger has allowed. No text comes to the driver."""
    chunks: list[pyarrow.Array] = []
    claims: list[str] = []

    def settle() -> None:
        allowed = [_partitions.fingerprint(claim) for claim, free in zip(claims, ledger.settle(claims)) if free]
        chunks.append(pyarrow.array(allowed, pyarrow.binary(16)))
        claims.clear()

    for row in kept.where(functions.col(CLAIM).isNotNull()).select(CLAIM).toLocalIterator():
        claims.append(row[0])
        if len(claims) == _CLAIMS:
            settle()
    settle()
    unique = pyarrow.chunked_array(chunks).unique().cast(pyarrow.binary())
    return kept.sparkSession.createDataFrame(pyarrow.table({FINGERPRINT: unique}))


def _sum_of_counts(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """One row for a partition."""
    counts = [_partitions.sum_counts(batch.column(COUNTS).to_pylist()) for batch in batches]
    yield pyarrow.record_batch({COUNTS: pyarrow.array([_partitions.sum_counts(counts)], pyarrow.binary())})


def _sum_of_released(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """One row for a partition; a row without a text has no counts and is neither released nor withheld."""
    sums = []
    for batch in batches:
        rows = [
            (counts, released)
            for counts, released in zip(batch.column(COUNTS).to_pylist(), batch.column(RELEASED).to_pylist())
            if counts is not None
        ]
        withheld = sum(not released for _, released in rows)
        sums.append(_partitions.sum_counts([counts for counts, released in rows if released], withheld))
    yield pyarrow.record_batch({COUNTS: pyarrow.array([_partitions.sum_counts(sums)], pyarrow.binary())})


def _keeping(df: DataFrame, kept: DataFrame) -> DataFrame:
    setattr(df, _KEPT, kept)
    return df


def _with_columns(df: Optional[DataFrame], *added: tuple[str, Any]) -> StructType:
    fields = [] if df is None else list(df.schema.fields)
    return StructType(fields + [StructField(name, kind, True) for name, kind in added])


class _SentModel:
    """A model's file that Spark sends to every executor."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self) -> str:
        return str(SparkFiles.get(self._name))


def _ship_model(df: DataFrame, job: Job, model_file: Path, options: dict[str, Any]) -> None:
    _partitions.check_model_file(model_file, options)
    df.sparkSession.sparkContext.addFile(os.path.abspath(model_file))
    job.ship_model(_SentModel(os.path.basename(model_file)))


def _open_ledger(ledger: Union[Path, Ledger], limit: Optional[float], job: Job) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    assert limit is not None and job.subject_column is not None  # check_ledger
    return Ledger(ledger, limit=limit, subject=job.subject_column)


def _check_frame(job: Job, df: DataFrame, report: Optional[Path]) -> None:
    """What the schema shows, before any task runs."""
    if df.isStreaming and (job.subject_column is not None or report is not None):
        raise ValueError("df: a stream has no end for a ledger or a report; give a batch, as in foreachBatch")
    _partitions.check_names(job, df.columns)
    for name in df.columns:
        if "." in name or "`" in name:
            raise ValueError(f"df: mapInArrow cannot take the column '{name}', because of its name; rename it")
    integers = (ByteType, ShortType, IntegerType, LongType)
    for keyword, name in job.columns().items():
        kind = df.schema[name].dataType
        if isinstance(kind, StringType):
            continue
        if keyword == "column":
            raise TypeError(f"column: '{name}' holds {kind.simpleString()}; give a column of texts")
        if not isinstance(kind, integers):
            raise TypeError(f"{keyword}: '{name}' holds {kind.simpleString()}; give a column of texts or integers")

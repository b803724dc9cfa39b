"""Ray Data: a column of texts rewritten on a cluster.

>>> import ray, sotto.ray
>>> ds = ray.data.from_items([{"id": 1, "text": "The soup was cold."}])  # doctest: +SKIP
>>> private = sotto.ray.privatize(ds, "text", "id", epsilon=10, key="secret.key")  # doctest: +SKIP
"""

from __future__ import annotations

import functools
import os
import tempfile
from typing import Any, Optional, Union

try:
    import pyarrow
    import ray
    import ray.data
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:
    raise ImportError("sotto.ray needs Ray Data: pip install 'ray[data]' pyarrow") from error

from sotto import _partitions
from sotto._ledger import Ledger
from sotto._partitions import COUNTS, Job, Path

_BATCH = 4096  # rows


def privatize(
    ds: ray.data.Dataset,
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
    ledger: Any = None,
    limit: Optional[float] = None,
    report: Optional[Path] = None,
    model_file: Optional[Path] = None,
    batch_size: Optional[int] = _BATCH,
    concurrency: Union[int, tuple[int, int], None] = None,
    num_cpus: Optional[float] = None,
    num_gpus: Optional[float] = None,
    **options: Any,
) -> ray.data.Dataset:
    """The dataset with the texts of `column` rewritten; the other columns as they are, null where it was null.

    ``key`` and ``id_column`` are required: a task that fails runs again, and only with both does it give the
    same texts again rather than another release. ``key`` is a path that exists on the driver and on every
    node, or 32 bytes, which travel with the job. A ``seed`` is repeatable too, for tests: not private.

    ``dataset`` and ``field`` (default: the name of the column) are part of what determines the noise, so that
    the output is that of ``sotto privatize --field COLUMN --id-field ID_COLUMN --dataset DATASET``. Give
    every set of data a name of its own if one key serves several with the same ids.

    ``ledger`` is a path on the driver's machine, with ``limit``, or what ``open_ledger`` returned. A text is
    charged to the subject in ``subject_column`` before it leaves its worker; a withheld one becomes null.

    With ``report`` the job runs at once and the receipt of the whole is written to that path on the driver;
    otherwise nothing runs before the dataset is used, and there is no receipt.

    ``model_file`` is a model's file on the driver that is sent to the workers; ``model`` is a name or path
    that they have. Either way a worker refuses to start unless it would do just what the driver would.

    ``concurrency`` is the number of actors, or the least and the most; ``batch_size``, ``num_cpus`` and
    ``num_gpus`` (of an actor) go to ``Dataset.map_batches``. ``options`` are the other keywords of
    ``sotto.Privatizer``. ``threads`` is 1: Ray has the parallelism.
    """
    options = {**options, "mechanism": mechanism, "epsilon": epsilon, "dataset": dataset}
    job = _partitions.make_job(column, id_column, key, seed, field, subject_column, options)
    _partitions.check_ledger(ledger, limit, job, seed)
    _partitions.check_report(report)
    _check_dataset(job, ds)
    if model_file is not None:
        _ship_model(job, model_file, options)
    job.expect(job.open_another().receipt)
    if _partitions.is_path(ledger):
        assert limit is not None and subject_column is not None  # check_ledger
        ledger = open_ledger(ledger, limit=limit, subject=subject_column)
    output = ds.map_batches(
        _Worker,
        fn_constructor_args=(job, ledger, report is not None),
        batch_format="pyarrow",
        batch_size=batch_size,
        zero_copy_batch=True,
        udf_modifying_row_count=False,
        compute=_actor_pool(concurrency),
        num_cpus=num_cpus,
        num_gpus=num_gpus,
    )
    return output if report is None else _with_report(output, report, job, ledger)


class Privatize:
    """The actor of ``privatize``, for those who call ``Dataset.map_batches`` themselves.

    The model is opened once per actor. The keywords are those of ``privatize``; ``ledger`` must be what
    ``open_ledger`` returned. ``key`` must be a path here: Ray exports the arguments of constructors.

    >>> import ray, sotto.ray
    >>> ds = ds.map_batches(
    ...     sotto.ray.Privatize,
    ...     fn_constructor_kwargs={"column": "text", "id_column": "id", "epsilon": 10, "key": "/etc/secret.key"},
    ...     batch_format="pyarrow",
    ...     batch_size=4096,
    ... )  # doctest: +SKIP
    """

    def __init__(
        self,
        column: str,
        id_column: Optional[str] = None,
        *,
        key: Optional[Path] = None,
        seed: Optional[int] = None,
        field: Optional[str] = None,
        subject_column: Optional[str] = None,
        ledger: Any = None,
        **options: Any,
    ) -> None:
        if isinstance(key, (bytes, bytearray, memoryview)):
            raise TypeError("key: give the path of a key file; Ray exports the arguments of constructors")
        job = _partitions.make_job(column, id_column, key, seed, field, subject_column, options)
        _partitions.check_ledger(ledger, None, job, seed)
        self._worker = _Worker(job, ledger, False)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        return self._worker(batch)


def open_ledger(path: Path, *, limit: float, subject: str = "subject", name: Optional[str] = None) -> Any:
    """An actor that has the ledger at `path` on this machine; several jobs may use it at once.

    It lives as long as somebody holds what this returns; with a `name`, until ``ray.kill``, and other drivers
    find it with ``ray.get_actor(name)``. If its process is lost, Ray starts it again: whatever it had answered
    is in the file.
    """
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor: Any = ray.remote(_LedgerActor)
    opened = actor.options(
        name=name,
        lifetime=None if name is None else "detached",
        num_cpus=0,
        max_restarts=-1,
        max_task_retries=-1,  # a claim that is settled again costs nothing
        scheduling_strategy=here,
    ).remote(os.path.abspath(path), limit, subject)
    _get(opened.receipt.remote())
    return opened


class _LedgerActor:
    """Opens the ledger when it is first asked: of a constructor that fails Ray tells less than of a call."""

    def __init__(self, path: str, limit: float, subject: str) -> None:
        self._open = functools.partial(Ledger, path, limit=limit, subject=subject)
        self._opened: Optional[Ledger] = None

    def _ledger(self) -> Ledger:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def settle(self, claims: list[Optional[str]]) -> list[bool]:
        return self._ledger().settle(claims)

    def receipt(self) -> dict[str, Any]:
        return self._ledger().receipt()


class _Worker:
    """What an actor of Ray Data does to each batch. The first one opens the model: see _LedgerActor."""

    def __init__(self, job: Job, ledger: Any, counted: bool) -> None:
        self._job = job
        self._ledger = ledger
        self._counted = counted

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        if self._ledger is None:
            return self._job.privatize(batch, self._counted)
        unsettled = self._job.rewrite(batch)
        released: list[bool] = ray.get(self._ledger.settle.remote(unsettled.claims))
        output = self._job.replace_texts(batch, unsettled.release(released))
        if not self._counted:
            return output
        withheld = sum(claim is not None and not row for claim, row in zip(unsettled.claims, released))
        counts = [count for count, row in zip(unsettled.counts(), released) if row]
        return _partitions.add_counts(output, _partitions.sum_counts(counts, withheld))


class _SentModel:
    """A model's file in Ray's object store, written to the disk of each process that opens it."""

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._content = ray.put(file.read())
        self._name = os.path.basename(path)

    def __call__(self) -> str:
        folder = tempfile.TemporaryDirectory(prefix="sotto-model-")
        _folders.append(folder)
        path = os.path.join(folder.name, self._name)
        with open(path, "wb") as file:
            file.write(ray.get(self._content))
        return path


_folders: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _ship_model(job: Job, model_file: Path, options: dict[str, Any]) -> None:
    _partitions.check_model_file(model_file, options)
    job.ship_model(_SentModel(model_file))


def _actor_pool(concurrency: Union[int, tuple[int, int], None]) -> Any:
    if concurrency is None:
        return ray.data.ActorPoolStrategy(min_size=1)
    if isinstance(concurrency, int):
        return ray.data.ActorPoolStrategy(size=concurrency)
    least, most = concurrency
    return ray.data.ActorPoolStrategy(min_size=least, max_size=most)


def _check_dataset(job: Job, ds: ray.data.Dataset) -> None:
    """As far as is known before anything runs."""
    schema = ds.schema(fetch_if_missing=False)
    if schema is None:
        return
    _partitions.check_names(job, schema.names)
    if isinstance(schema.base_schema, pyarrow.Schema):
        _partitions.check_schema(job, schema.base_schema)


def _with_report(output: ray.data.Dataset, report: Path, job: Job, ledger: Any) -> ray.data.Dataset:
    """Runs the job, and makes the receipt from the rows that it gave, whatever ran again on the way."""
    done = output.materialize()
    counts = []
    for batch in done.select_columns([COUNTS]).iter_batches(batch_format="pyarrow", batch_size=None):
        counts += batch.column(COUNTS).drop_null().to_pylist()
    spent = None if ledger is None else _get(ledger.receipt.remote())
    _partitions.write_report(report, job, counts, spent)
    without: ray.data.Dataset = done.drop_columns([COUNTS])
    return without


def _get(answer: Any) -> Any:
    """What the ledger's actor answers, or what it said was wrong, without what Ray wraps around it."""
    try:
        return ray.get(answer)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error

"""What Ray and Spark share: what the driver checks, and what a worker does to a batch."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Optional, Union

import pyarrow
from pyarrow import types

from sotto import _adapters, _core
from sotto._ledger import Unsettled
from sotto._privatizer import Privatizer
from sotto._receipt import Receipt

Path = Union[str, "os.PathLike[str]"]

# Columns that exist only between a worker and the driver.
CLAIM = "_sotto_claim"
FINGERPRINT = "_sotto_fingerprint"
COUNTS = "_sotto_counts"
RELEASED = "_sotto_released"
RESERVED = (CLAIM, FINGERPRINT, COUNTS, RELEASED)


class Secret:
    """The bytes of a key: they travel with the pickle and are printed nowhere.

    Engines print what they run: plans, arguments of operators (dataclasses member by member), tracebacks.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def reveal(self) -> bytes:
        """The bytes, for a Privatizer."""
        return self._key

    def __reduce__(self) -> tuple[Any, ...]:
        return Secret, (self._key,)

    def __repr__(self) -> str:
        return "<32 bytes>"


class Job:
    """Columns and settings. Pickled to workers; a Privatizer of these settings is opened there once per process."""

    def __init__(self, column: str, id_column: str, subject_column: Optional[str], settings: dict[str, Any]) -> None:
        self.column = column
        self.id_column = id_column
        self.subject_column = subject_column
        self._settings = settings
        self._receipt: Optional[str] = None
        self._model_file: Optional[Callable[[], str]] = None

    def __repr__(self) -> str:
        return f"<sotto: {self.column} by {self.id_column}>"

    def expect(self, receipt: Receipt) -> None:
        """Workers refuse to rewrite anything unless their own receipt of nothing is this one."""
        self._receipt = receipt.to_json()

    def ship_model(self, local_path: Callable[[], str]) -> None:
        """Workers find the model where `local_path`, called there, says."""
        self._model_file = local_path

    def columns(self) -> dict[str, str]:
        """What each keyword names."""
        named = {"column": self.column, "id_column": self.id_column, "subject_column": self.subject_column}
        return {keyword: name for keyword, name in named.items() if name is not None}

    def open(self) -> Privatizer:
        """The Privatizer of this process for these settings."""
        name = hashlib.sha256(pickle.dumps((self._settings, self._receipt))).digest()
        if name not in _opened:
            privatizer = self.open_another()
            if self._receipt is not None:
                _compare(json.loads(self._receipt), privatizer.receipt.to_dict())
            if len(_opened) == _MOST_OPENED:
                del _opened[next(iter(_opened))]
            _opened[name] = privatizer
        return _opened[name]

    def open_another(self) -> Privatizer:
        """A Privatizer with counts of its own."""
        settings = dict(self._settings)
        if isinstance(settings.get("key"), Secret):
            settings["key"] = settings["key"].reveal()
        if self._model_file is not None:
            settings["model"] = self._model_file()
        return Privatizer(**settings)

    def privatize(self, batch: Any, counted: bool = False) -> Any:
        """A table or record batch with its texts rewritten; `counted` adds a column for the receipt."""
        check_schema(self, batch.schema)
        privatizer = self.open()
        ids = _names(batch, "id_column", self.id_column)
        texts, counts = privatizer._core.privatize_counted(self._texts(batch), ids)
        output = self.replace_texts(batch, texts)
        return add_counts(output, counts) if counted else output

    def rewrite(self, batch: Any) -> Unsettled:
        """The texts of a batch, before any ledger has allowed them."""
        check_schema(self, batch.schema)
        assert self.subject_column is not None
        ids = _names(batch, "id_column", self.id_column)
        return self.open().rewrite(self._texts(batch), ids, _names(batch, "subject_column", self.subject_column))

    def _texts(self, batch: Any) -> Any:
        texts = batch.column(self.column)
        return texts.cast(pyarrow.string()) if types.is_null(texts.type) else texts

    def replace_texts(self, batch: Any, texts: Any) -> Any:
        """The batch with other texts in its column."""
        array = pyarrow.chunked_array(texts) if isinstance(batch, pyarrow.Table) else pyarrow.array(texts)
        field = batch.schema.field(self.column)
        place = batch.schema.get_field_index(self.column)
        return batch.set_column(place, pyarrow.field(self.column, array.type, metadata=field.metadata), array)


def _names(batch: Any, keyword: str, name: str) -> Any:
    column = batch.column(name)
    if column.null_count > 0:
        raise ValueError(f"{keyword}: '{name}' is null in {column.null_count} rows of a batch; every text needs one")
    return column


_opened: dict[bytes, Privatizer] = {}  # the oldest first
_MOST_OPENED = 4  # engines use a process for many jobs


def make_job(
    column: str,
    id_column: Optional[str],
    key: Union[Path, bytes, None],
    seed: Optional[int],
    field: Optional[str],
    subject_column: Optional[str],
    options: Mapping[str, Any],
) -> Job:
    """Checks what a cluster needs beyond what a Privatizer does."""
    if id_column is None:
        raise ValueError(
            "id_column: missing; noise is a function of key and id. Numbers of rows change when a task runs again "
            "or the data is split differently, and other noise for the same text is another release"
        )
    if key is None and seed is None:
        raise ValueError(
            "key: missing; on a cluster a task that fails runs again. Without a key it would draw fresh noise, a "
            "second release that nobody counts. Give the path of a key file that every machine has, or 32 bytes"
        )
    if "subject" in options:
        raise TypeError("subject: give subject_column, the column that says whose account is charged")
    _adapters.check_names(options)
    if options.get("unique_ids"):
        raise ValueError("unique_ids: not allowed on a cluster; a task that runs again repeats its ids")
    settings = {**options, "key": _key(key), "seed": seed, "field": column if field is None else field}
    return Job(column, id_column, subject_column, {"threads": 1, **settings})


def _key(key: Union[Path, bytes, None]) -> Union[Secret, str, None]:
    """Workers run in folders of their own, so a path is made absolute on the driver."""
    if isinstance(key, (bytes, bytearray, memoryview)):
        return Secret(bytes(key))
    return None if key is None else os.path.abspath(key)


def check_ledger(ledger: Any, limit: Optional[float], job: Job, seed: Optional[int]) -> None:
    """Whether what a ledger needs is there, and only where there is one."""
    if ledger is None:
        for keyword, value in (("subject_column", job.subject_column), ("limit", limit)):
            if value is not None:
                raise ValueError(f"{keyword}: '{value}' needs ledger, where spending is recorded")
        return
    if job.subject_column is None:
        raise ValueError("subject_column: missing; with a ledger, name the column that says whose account is charged")
    if seed is not None:
        raise ValueError("seed: not allowed with a ledger; give a key")
    if not is_path(ledger) and limit is not None:
        raise ValueError(f"limit: '{limit}' is not allowed here; the open ledger has one already")
    if is_path(ledger) and limit is None:
        raise ValueError("limit: missing; give the epsilon that a subject may spend in total")


def is_path(value: Any) -> bool:
    """Whether a ledger is given as a path and not as something that has it open."""
    return isinstance(value, (str, os.PathLike))


def check_names(job: Job, names: Iterable[str]) -> None:
    """Whether a table has the columns that the keywords name, and none that workers add."""
    present = list(names)
    for keyword, name in job.columns().items():
        if name not in present:
            raise ValueError(f"{keyword}: '{name}' is not among the columns {', '.join(present)}")
        if present.count(name) > 1:
            raise ValueError(f"{keyword}: '{name}' names {present.count(name)} columns")
    for name in RESERVED:
        if name in present:
            raise ValueError(f"'{name}' is a column that Sotto adds on the way; rename yours")
    if job.column in (job.id_column, job.subject_column):
        raise ValueError(f"column: '{job.column}' holds the texts; ids and subjects need columns of their own")


def check_schema(job: Job, schema: pyarrow.Schema) -> None:
    """Whether the columns of a batch are what they must be."""
    check_names(job, schema.names)
    for keyword, name in job.columns().items():
        kind = schema.field(name).type
        if types.is_dictionary(kind):
            kind = kind.value_type
        if _is_text(kind) or (types.is_null(kind) and keyword == "column"):
            continue
        if keyword == "column":
            raise TypeError(f"column: '{name}' holds {kind}; give a column of texts")
        if not types.is_integer(kind):
            raise TypeError(f"{keyword}: '{name}' holds {kind}; give a column of texts or integers")


def _is_text(kind: pyarrow.DataType) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def add_counts(batch: Any, counts: bytes) -> Any:
    """The batch with its counts in its first row, so that they are lost or repeated as the batch is."""
    column = pyarrow.array([counts if row == 0 else None for row in range(batch.num_rows)], pyarrow.binary())
    return batch.append_column(COUNTS, column)


def sum_counts(counts: Iterable[Optional[bytes]], withheld: int = 0) -> bytes:
    """The sum of the counts of batches or released rows, and of rows that were withheld."""
    return bytes(_core.add_counts([count for count in counts if count is not None], withheld))


def fingerprint(claim: str) -> bytes:
    """Stands for a claim, with the tag of its document and the MAC of its output."""
    return hashlib.blake2b(claim.encode(), digest_size=16).digest()


def check_model_file(path: Path, options: Mapping[str, Any]) -> None:
    """Whether that is one file, and the only model."""
    if options.get("model") is not None:
        raise ValueError("model_file: not allowed beside model; give one of them")
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"model_file: {os.fspath(path)} is not a file; a model that is a folder must be on every machine (model)"
        )


def check_report(report: Optional[Path]) -> None:
    """Whether a receipt can be written there, before hours of work end in no receipt."""
    if report is None:
        return
    folder = os.path.dirname(os.path.abspath(report))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"report: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"report: the folder {folder} cannot be written to")


def write_report(report: Path, job: Job, counts: Iterable[bytes], ledger: Optional[dict[str, Any]]) -> None:
    """Writes the receipt of the whole; the file appears when it is complete."""
    privatizer = job.open_another()
    privatizer.count_released(list(counts))
    if ledger is not None and not ledger["unit"]:  # whoever has it open has seen no claim, or was started again
        claims = json.loads(str(privatizer.rewrite(["a"], ["a"], ["a"]).claims[0]))
        ledger = {**ledger, "unit": claims["claims"][0]["unit"]}
    text = privatizer._core.receipt_json(ledger)
    file, partial = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(report)), prefix=".receipt-")
    try:
        with os.fdopen(file, "w", encoding="utf-8") as output:
            output.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(partial, 0o666 & ~umask)
        os.replace(partial, report)
    except BaseException:
        os.unlink(partial)
        raise


def _compare(driver: Any, worker: Any, member: str = "") -> None:
    """Refuses a worker that would do something else than the driver said."""
    if isinstance(driver, dict) and isinstance(worker, dict):
        for name in {**driver, **worker}:
            _compare(driver.get(name), worker.get(name), f"{member}.{name}".lstrip("."))
    elif driver != worker:
        raise ValueError(
            f"{member}: '{worker}' on a worker, '{driver}' on the driver; install the same version of Sotto and the "
            "same models everywhere"
        )

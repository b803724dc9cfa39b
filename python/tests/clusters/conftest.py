"""Real engines on one machine, and what the command line makes of the same texts.

Needs SOTTO_PROGRAM, the program to compare with. Everything listens on loopback only.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pyarrow
import pytest
import sotto

PROGRAM = os.environ["SOTTO_PROGRAM"]
PACKAGE = str(pathlib.Path(sotto.__file__).parent.parent)
MODELS = pathlib.Path(__file__).parents[3] / "models"
KEY = random.Random(2026).randbytes(32)
DATASET = "visits"
ROWS = 320

os.environ.update(SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost", PYSPARK_PYTHON=sys.executable)
os.environ["PYTHONPATH"] = PACKAGE


class World:
    """Texts, and what one process makes of them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.table = make_table()
        self.key_file = folder / "secret.key"
        self.key_file.write_bytes(KEY)
        self.key_file.chmod(0o600)
        self.lines = folder / "visits.jsonl"
        rows = self.table.to_pylist()
        self.lines.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        self.ledger = folder / "alone.ledger"
        self.texts = self.command_line("--ledger", self.ledger, "--subject", "who", "--limit", "1e9")

    def command_line(self, *options: Any) -> dict[str, str | None]:
        """The texts that the program gives, by id."""
        command = [PROGRAM, "privatize", self.lines, "--field", "text", "--id-field", "id", "--dataset", DATASET]
        command += ["--key-file", self.key_file, "--epsilon", "1", "--quiet", *options]
        output = subprocess.run([str(part) for part in command], check=True, capture_output=True).stdout
        return by_id(json.loads(line) for line in output.splitlines())


def make_table() -> pyarrow.Table:
    """Texts of a few sentences; some are null, one row occurs twice."""
    words = "the nurse saw a tall patient with cold hands and 38.5 degrees in room 12 café naïve".split()
    source = random.Random(1)
    texts = [" ".join(source.choices(words, k=source.randint(3, 30))) + "." for _ in range(ROWS)]
    rows = [
        {"id": f"v{row}", "text": None if row % 11 == 3 else texts[row], "who": f"p{row % 7}", "rank": row / 3}
        for row in range(ROWS)
    ]
    return pyarrow.Table.from_pylist([*rows, rows[0]])


def by_id(rows: Any) -> dict[str, str | None]:
    """The texts of rows; rows of one id have one text."""
    texts: dict[str, str | None] = {}
    for row in rows:
        assert texts.setdefault(row["id"], row["text"]) == row["text"]
    return texts


def entries(ledger: pathlib.Path) -> list[tuple[Any, ...]]:
    """What a ledger holds, order aside."""
    rows = export(ledger, "entries")
    return sorted((row["subject"], row["tag"], row["mac"], row["amount_nano"]) for row in rows)


def export(ledger: pathlib.Path, what: str) -> list[dict[str, Any]]:
    """Rows of `sotto ledger export`."""
    command = [PROGRAM, "ledger", "export", str(ledger), "--what", what, "--format", "jsonl"]
    return [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True).stdout.splitlines()]


def check_withheld(ledger: pathlib.Path, limit: int, got: dict[str, str | None], world: World) -> None:
    """What was withheld had to be: it did not fit when its turn came, so it does not fit at the end."""
    left = {row["subject"]: limit * 10**9 - row["spent_nano"] for row in export(ledger, "accounts")}
    assert all(amount >= 0 for amount in left.values())
    released = {entry[1] for entry in entries(ledger)}
    claims = claims_by_id(world)
    withheld = 0
    for id, claim in claims.items():
        document = claim["documents"][0]
        if got[id] is None:
            withheld += 1
            assert document["tag"] not in released
            assert document["amount_nano"] > left[claim["subject"]]
        else:
            assert document["tag"] in released
            assert got[id] == world.texts[id]
    assert 0 < withheld < len(claims)


def claims_by_id(world: World) -> dict[str, dict[str, Any]]:
    """The claims of all texts, as a single process makes them."""
    privatizer = sotto.Privatizer(epsilon=1, key=KEY, dataset=DATASET, field="text")
    columns = (world.table.column(name) for name in ("text", "id", "who"))
    claims = [claim for claim in privatizer.rewrite(*columns).claims if claim is not None]
    found = [json.loads(claim)["claims"][0] for claim in claims]
    return {claim["id"]: claim for claim in found}


def single_receipt(world: World, **ledger: Any) -> str:
    """The receipt of one process for the same texts."""
    privatizer = sotto.Privatizer(epsilon=1, key=KEY, dataset=DATASET, field="text", **ledger)
    subjects = world.table.column("who") if ledger else None
    privatizer.privatize(world.table.column("text"), world.table.column("id"), subjects)
    return privatizer.receipt.to_json()


def without_ledger_state(receipt: str) -> dict[str, Any]:
    """A receipt without what two ledgers do not share: their names and the order of their entries."""
    members: dict[str, Any] = json.loads(receipt)
    for name in ("id", "head"):
        assert members["ledger"].pop(name)
    return members


def traces_of_key(folders: list[pathlib.Path]) -> list[pathlib.Path]:
    """Files that hold the key, in one of the spellings that programs print bytes in."""
    numbers = [str(byte) for byte in KEY[:8]]
    spellings = [KEY, KEY.hex().encode(), base64.b64encode(KEY)[:40], repr(KEY[:12])[2:-1].encode()]
    spellings += [separator.join(numbers).encode() for separator in (", ", ",", " ")]
    spellings += [",".join(str(byte - 256 if byte > 127 else byte) for byte in KEY[:8]).encode()]
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                if any(spelling in content for spelling in spellings):
                    found.append(path)
    return found


class Killer:
    """Kills one process at a random moment of a job, or as soon after it as there is one."""

    def __init__(self, victims: Callable[[], list[psutil.Process]], seconds: float, source: random.Random) -> None:
        self._victims = victims
        self._moment = source.uniform(0, seconds)
        self._source = source
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._error: Exception | None = None
        self.killed: list[str] = []

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._over.wait(self._moment)
            while not self.killed and not self._over.is_set():
                self._kill_one()
                self._over.wait(0.05)
        except Exception as error:  # would otherwise be lost with the thread
            self._error = error

    def _kill_one(self) -> None:
        victims = self._victims()
        if not victims:
            return
        victim = self._source.choice(victims)
        try:
            name = " ".join(victim.cmdline())[:60]
            victim.kill()
            self.killed.append(name)
        except psutil.NoSuchProcess:  # it ended by itself in this moment
            pass


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """What an action gives, and how many seconds that takes."""
    begin = time.monotonic()
    result = action()
    return result, time.monotonic() - begin


@pytest.fixture(scope="session")
def ray_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Three nodes of two processors."""
    os.environ["RAY_enable_export_api_write"] = "1"  # what Ray tells others about jobs, in files
    os.environ["RAY_worker_niceness"] = "0"  # at Ray's 15, workers starve beside a build
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=False)
    for _ in range(3):
        cluster.add_node(num_cpus=2, object_store_memory=80 << 20, include_dashboard=False)
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two executors with processes of their own, and speculative execution."""
    pyspark = pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    home = tmp_path_factory.mktemp("spark")  # where executors log
    for entry in pathlib.Path(pyspark.__file__).parent.iterdir():
        if entry.name != "work":
            (home / entry.name).symlink_to(entry)
    for name in ("events", "local"):
        (home / name).mkdir()
    os.environ.update(SPARK_HOME=str(home), SPARK_LOCAL_DIRS=str(home / "local"))
    settings = {
        "spark.executorEnv.PYTHONPATH": PACKAGE,
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.task.maxFailures": "20",
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.multiplier": "1.01",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{home}/events",
        "spark.sql.maxPlanStringLength": "10000000",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.home = home
    yield session
    session.stop()

"""Processes of a Ray cluster killed at random moments: the same bytes, and nothing charged twice."""

from __future__ import annotations

import random
import time

import conftest
import psutil
import pytest
import sotto
from conftest import DATASET, KEY, Killer, by_id, entries

ray = pytest.importorskip("ray")
import sotto.ray  # noqa: E402

KILLS = 10


def victims(cluster):
    """The processes that rewrite, and those with ledgers."""
    raylets = [info.process.pid for node in cluster.list_all_nodes() for info in node.all_processes["raylet"]]
    children = [child for raylet in raylets for child in psutil.Process(raylet).children(recursive=True)]
    return [child for child in children if name(child).startswith(("ray::MapWorker", "ray::_LedgerActor"))]


def name(process):
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def job(ds, path):
    return sotto.ray.privatize(
        ds, "text", "id", epsilon=1, key=KEY, dataset=DATASET, concurrency=2, batch_size=8,
        ledger=path, limit=1e9, subject_column="who",
    )  # fmt: skip


@pytest.fixture
def slow(world):
    """The rows, one block every tenth of a second."""

    def wait(batch):
        time.sleep(0.1)
        return batch

    return ray.data.from_arrow(world.table).repartition(24).map_batches(wait, batch_format="pyarrow", num_cpus=0.5)


@pytest.mark.usefixtures("ray_cluster")
def test_killed_at_random_moments(ray_cluster, slow, world, tmp_path):
    rows, seconds = conftest.timed(lambda: job(slow, tmp_path / "undisturbed").take_all())
    assert by_id(rows) == world.texts
    source = random.Random(time.time_ns())
    kills = 0
    for trial in range(4 * KILLS):
        path = tmp_path / f"{trial}.ledger"
        before = victims(ray_cluster)  # of the last job, which may still be ending

        def of_this_job(before=before):
            return [victim for victim in victims(ray_cluster) if victim not in before]

        with Killer(of_this_job, seconds, source) as killer:
            rows, taken = conftest.timed(lambda path=path: job(slow, path).take_all())
        assert len(rows) == len(world.table)
        assert by_id(rows) == world.texts
        assert entries(path) == entries(world.ledger)
        if not killer.killed:
            seconds = min(seconds, taken)  # processes that are warm are faster
        kills += len(killer.killed)
        if kills == KILLS:
            return
    raise AssertionError(f"only {kills} kills hit a job")


def test_a_node_is_lost(ray_cluster, slow, world, tmp_path):
    node = ray_cluster.add_node(num_cpus=2, object_store_memory=80 << 20)
    path = tmp_path / "spent.ledger"
    output = job(slow, path)
    rows = []
    for batch in output.iter_batches(batch_format="pyarrow", batch_size=None):
        rows += batch.to_pylist()
        if node is not None:
            ray_cluster.remove_node(node, allow_graceful=False)
            node = None
    assert by_id(rows) == world.texts
    assert entries(path) == entries(world.ledger)

"""Ray Data on a cluster of several nodes against one process."""

from __future__ import annotations

import pathlib
import shutil

import conftest
import pyarrow
import pytest
import sotto
from conftest import DATASET, KEY, by_id, entries

ray = pytest.importorskip("ray")
import sotto.ray  # noqa: E402

pytestmark = pytest.mark.usefixtures("ray_cluster")


@pytest.fixture
def ds(world):
    return ray.data.from_arrow(world.table).repartition(8)


def privatize(ds, **options):
    settings = {"epsilon": 1, "key": KEY, "dataset": DATASET, "concurrency": 2, "batch_size": 16, **options}
    return sotto.ray.privatize(ds, "text", "id", **settings)


def with_ledger(ds, path, **options):
    return privatize(ds, ledger=path, subject_column="who", **{"limit": 1e9, **options})


@pytest.mark.parametrize("blocks", [1, 2, 8])
def test_the_bytes_are_those_of_the_command_line_however_the_data_is_split(world, blocks):
    ds = ray.data.from_arrow(world.table).repartition(blocks)
    assert by_id(privatize(ds, concurrency=4).take_all()) == world.texts


def test_python_gives_the_same(world):
    privatizer = sotto.Privatizer(epsilon=1, key=KEY, dataset=DATASET, field="text")
    texts = privatizer.privatize(world.table.column("text"), world.table.column("id"))
    assert by_id(world.table.set_column(1, "text", texts).to_pylist()) == world.texts


def test_other_columns_and_the_order_of_rows_stay(world):
    output = pyarrow.concat_tables(ray.get(privatize(ray.data.from_arrow(world.table)).to_arrow_refs()))
    assert output.schema.equals(world.table.schema)
    assert output.drop_columns(["text"]).equals(world.table.drop_columns(["text"]))
    assert output.column("text").is_null().equals(world.table.column("text").is_null())


def test_a_key_file_and_a_map_of_ones_own(ds, world):
    own = ds.map_batches(
        sotto.ray.Privatize,
        fn_constructor_kwargs={
            "column": "text", "id_column": "id", "epsilon": 1, "dataset": DATASET, "key": str(world.key_file),
        },
        batch_format="pyarrow",
        batch_size=50,
        compute=ray.data.ActorPoolStrategy(size=1),
    )  # fmt: skip
    assert by_id(own.take_all()) == world.texts
    with pytest.raises(TypeError, match="^key: give the path of a key file; Ray exports"):
        sotto.ray.Privatize("text", "id", epsilon=1, key=KEY)


def test_the_receipt_is_that_of_one_process(ds, world, tmp_path):
    report = tmp_path / "receipt.json"
    output = privatize(ds, report=report)
    assert report.read_text() == conftest.single_receipt(world)
    assert output.schema().names == ["id", "text", "who", "rank"]
    assert by_id(output.take_all()) == world.texts


def test_the_receipt_of_a_seeded_run_says_so(ds, tmp_path):
    report = tmp_path / "receipt.json"
    privatize(ds, key=None, seed=7, report=report)
    assert sotto.read_receipt(report)["warning"] == "seeded: not private"


def test_the_ledger_is_that_of_one_process_and_a_second_run_is_free(ds, world, tmp_path):
    path, report = tmp_path / "spent.ledger", tmp_path / "receipt.json"
    assert by_id(with_ledger(ds, path).take_all()) == world.texts
    assert entries(path) == entries(world.ledger)
    assert by_id(with_ledger(ds.repartition(3), path, report=report).take_all()) == world.texts
    assert entries(path) == entries(world.ledger)
    alone = conftest.single_receipt(world, ledger=tmp_path / "alone", limit=1e9, subject="who")
    assert conftest.without_ledger_state(report.read_text()) == conftest.without_ledger_state(alone)


def test_what_exceeds_the_limit_is_withheld_and_nothing_else(ds, world, tmp_path):
    path, report = tmp_path / "spent.ledger", tmp_path / "receipt.json"
    output = by_id(with_ledger(ds, path, limit=400, report=report).take_all())
    conftest.check_withheld(path, 400, output, world)
    counts = sotto.read_receipt(report)["counts"]
    assert counts["withheld"] == sum(output[id] is None for id in conftest.claims_by_id(world)) + (output["v0"] is None)
    assert counts["documents"] == len(world.table) - world.table.column("text").null_count - counts["withheld"]


def test_several_jobs_share_an_open_ledger(ds, world, tmp_path):
    ledger = sotto.ray.open_ledger(tmp_path / "spent.ledger", limit=1e9, subject="who", name="accounts")
    half = ds.limit(150)
    list(privatize(half, ledger=ray.get_actor("accounts"), subject_column="who").iter_batches())
    assert by_id(privatize(ds, ledger=ledger, subject_column="who").take_all()) == world.texts
    assert entries(tmp_path / "spent.ledger") == entries(world.ledger)
    ray.kill(ledger)
    with pytest.raises(ValueError, match="^limit: '5' is not allowed here; the open ledger has one already"):
        privatize(ds, ledger=ledger, subject_column="who", limit=5)


def test_a_ledger_that_cannot_be_opened_says_why(ds, tmp_path):
    (tmp_path / "spent.ledger").write_text("something else")
    with pytest.raises(ValueError, match="spent.ledger"):
        with_ledger(ds, tmp_path / "spent.ledger")


def test_a_model_that_is_sent(ds, world, tmp_path):
    model = tmp_path / "mine.safetensors"
    shutil.copy(conftest.MODELS / "sotto-en-wordnet.safetensors", model)
    output = privatize(ds, mechanism="tem", epsilon=12, model_file=model)
    privatizer = sotto.Privatizer("tem", 12, key=KEY, dataset=DATASET, field="text", model=model)
    expected = privatizer.privatize(world.table.column("text"), world.table.column("id"))
    assert by_id(output.take_all()) == by_id(world.table.set_column(1, "text", expected).to_pylist())


def test_a_worker_that_would_do_something_else_refuses():
    job = sotto._partitions.make_job("text", "id", KEY, None, None, None, {"epsilon": 1, "dataset": "a"})
    other = sotto._partitions.make_job("text", "id", KEY, None, None, None, {"epsilon": 1, "dataset": "b"})
    job.expect(other.open_another().receipt)
    with pytest.raises(ValueError, match="^input.dataset: 'a' on a worker, 'b' on the driver; install the same"):
        job.open()


def test_what_a_worker_finds_wrong_reaches_the_driver(world):
    broken = world.table.set_column(0, "id", pyarrow.nulls(len(world.table), pyarrow.string()))
    with pytest.raises(ray.exceptions.RayTaskError, match="id_column: 'id' is null in 16 rows of a batch"):
        privatize(ray.data.from_arrow(broken)).take_all()


def test_a_key_that_a_worker_does_not_have(ds, world, tmp_path):
    key = shutil.copy(world.key_file, tmp_path / "secret.key")
    output = privatize(ds, key=key)
    pathlib.Path(key).unlink()
    with pytest.raises(ray.exceptions.RayTaskError, match="FileNotFoundError: .*secret.key"):
        output.take_all()


def test_the_key_is_in_no_file_of_the_cluster(ray_cluster, ds, world):
    privatize(ds).take_all()
    session = pathlib.Path(ray_cluster.head_node.get_session_dir_path())
    assert any(session.rglob("*.log"))
    assert conftest.traces_of_key([session]) == []
    assert "32 bytes" in repr(sotto._partitions.Secret(KEY)) and KEY.hex() not in repr(ds._logical_plan)

"""Every file call of privatize, ledger and collocations count fails once in each way, as do the first 2,000
allocations and 500 of the others; evaluate is sampled. For the long suite: about an hour on two cores."""

import json
import random

import pytest
from conftest import SANITIZERS, Program
from experiment_world import command as evaluate_command
from experiment_world import make_world
from fault_world import Broken, Case, FaultWorld, cases, file_faults, malloc_faults

pytestmark = pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer has an allocator and wrappers of its own")
EVALUATE_SAMPLE = 150


def finish(world, capsys):
    with capsys.disabled():
        print("\n" + world.report())
    assert not world.failures, "\n".join(world.failures)


def test_every_fault(models, tmp_path, capsys):
    world = FaultWorld(tmp_path)
    for case in cases(models).values():
        world.learn(case)
        world.run_all(case, file_faults(case) + malloc_faults(case, seed=1))
    finish(world, capsys)


def check_results(folder):
    """Any results are complete: every JSON file can be read, and no partial file is left."""
    for path in folder.rglob("*"):
        if path.suffix == ".json" and path.is_file():
            try:
                json.loads(path.read_bytes())
            except ValueError:
                raise Broken(f"{path.name} is not whole")
        if ".sotto-" in path.name:
            raise Broken(f"{path.name} was left")


def test_a_sample_of_evaluate(models, tmp_path, capsys):
    """Failed cells are noted in the report, so figures are not compared with those of an undisturbed run."""
    world = FaultWorld(tmp_path)

    def prepare(folder):
        make_world(Program(folder, models / "lists.safetensors"))

    case = Case("evaluate", prepare, [*evaluate_command("results"), "--quick"], check=check_results)
    world.learn(case)
    faults = file_faults(case) + malloc_faults(case, seed=1, drawn=2000)
    world.run_all(case, random.Random(1).sample(faults, EVALUATE_SAMPLE))
    finish(world, capsys)

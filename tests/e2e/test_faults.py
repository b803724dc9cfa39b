"""A sample of test_faults_full.py: one system call or allocation fails, and every promise still holds."""

import errno
import random

import pytest
from conftest import SANITIZERS, Program
from experiment_world import command as evaluate_command
from experiment_world import make_world
from fault_world import FaultWorld, cases, file_faults, malloc_faults, start

pytestmark = pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer has an allocator and wrappers of its own")
FAULTS_A_CASE = 6


def test_a_sample_of_faults(models, tmp_path):
    world = FaultWorld(tmp_path)
    draw = random.Random(1)
    for case in cases(models).values():
        world.learn(case)
        faults = draw.sample(file_faults(case), FAULTS_A_CASE) + malloc_faults(case, seed=1, every=0, drawn=FAULTS_A_CASE)
        world.run_all(case, faults)
    print(world.report())
    assert not world.failures, "\n".join(world.failures)


def test_a_classifier_whose_data_cannot_be_read_does_not_wait_for_more(models, tmp_path):
    """fastText's library reads its data in a circle. After an error at the end it would read empty lines forever."""
    counts = tmp_path / "counts"
    start_in = lambda name, **faults: start([*evaluate_command("results"), "--quick"], world(models, tmp_path / name), **faults)
    assert start_in("whole", counts=counts).code == 0
    reads = dict(line.split() for line in counts.read_text().splitlines())["read"]
    # Most of the last reads are of training, before those of sample texts. It takes three per round: the data, its
    # end, and the end once more.
    results = [start_in(f"read{number}", call="read", at=number, errno=errno.EIO) for number in range(int(reads) - 48, int(reads) - 36)]
    failed = [result.err for result in results if result.code == 1]
    assert failed == ["sotto: 1 cells failed; the same command tries them again\n"] * len(failed)
    assert len(failed) >= 3  # one of three in a row is the one that matters


def world(models, folder):
    folder.mkdir()
    make_world(Program(folder, models / "lists.safetensors"))
    return folder

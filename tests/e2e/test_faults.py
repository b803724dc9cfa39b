"""A sample of test_faults_full.py: one system call or allocation fails, and every promise still holds."""

import random

import pytest
from conftest import SANITIZERS
from fault_world import FaultWorld, cases, file_faults, malloc_faults

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

"""What a batch takes is known before it runs: it fits, goes to a store by slabs, or is refused."""

import gc
import weakref

import numpy as np
import pytest

import ulna
from promptness import prompt
from ulna.errors import InputError
from ulna.simulation.batch.buckets import LANES, SLAB, bytes_of, planned


@pytest.fixture
def memory(monkeypatch):
    def of(size):
        monkeypatch.setattr("ulna.simulation.capacity.machine_memory", lambda: float(size))

    return of


def test_what_half_of_the_memory_holds_is_taken_and_one_sample_more_is_refused(memory):
    memory(2 * bytes_of(1000, 50, 2, keep_tau=True))
    assert planned(1000, 50, 2, True, store=False) == 1000
    with pytest.raises(InputError) as caught:
        planned(1000, 51, 2, True, store=False)
    assert caught.value.exit_code == 2
    (problem,) = caught.value.problems
    assert problem.what == "samples"
    assert "2.45 MB" in problem.got
    assert "2.4 MB" in problem.need
    for way_out in ("samples=50", "store="):
        assert way_out in problem.hint


@pytest.mark.parametrize("keep_tau", [False, True])
@pytest.mark.parametrize(("samples", "n"), [(1, 1), (11, 2), (1000, 2), (1001, 7), (10**5, 3)])
def test_a_slab_is_whole_lanes_of_about_the_size_that_files_like(memory, samples, n, keep_tau):
    memory(24e9)
    slab = planned(10**9, samples, n, keep_tau, store=True)
    assert slab % LANES == 0
    assert SLAB / 2 < bytes_of(slab, samples, n, keep_tau) <= SLAB


def test_a_slab_has_the_lanes_at_least_and_never_more_than_the_memory(memory):
    row = bytes_of(1, 1000, 2, keep_tau=False)
    memory(2 * LANES * row)
    assert planned(10**6, 1000, 2, False, store=True) == LANES
    memory(2 * LANES * row - 2)
    with pytest.raises(InputError, match=r"16 arms of 2 joints at a time × 1,000 .*samples=999"):
        planned(10**6, 1000, 2, False, store=True)


def test_it_is_known_before_anything_is_laid_out():
    many = np.broadcast_to([0.0, 1.0], (10**9, 2))
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    with prompt(), pytest.raises(InputError, match="samples"):
        ulna.simulate_batch(arm, q0=many, duration=0.01, samples=10**6)


def test_a_batch_leaves_nothing_for_the_garbage_collector():
    run = ulna.simulate_batch(ulna.preset("unit"), q0=np.zeros((20, 2)), duration=0.01)
    kept = weakref.ref(run)
    gc.disable()
    try:
        gc.collect()
        del run
        assert kept() is None
        ulna.simulate_batch(ulna.preset("unit"), q0=np.zeros((20, 2)), duration=0.01)
        assert gc.collect() == 0
    finally:
        gc.enable()

"""Memory to work in belongs to one call at a time, whoever calls."""

import numpy as np
import pytest

import ulna.kernels
from ulna.arrays import Evaluator, KernelCall


@pytest.fixture(autouse=True)
def _plain_functions(monkeypatch):
    monkeypatch.setattr(ulna.kernels, "variant", lambda kernel, *arguments: kernel)


def test_a_call_within_a_call_works_in_memory_of_its_own():
    inside, made = [], []

    def new_memory():
        made.append(np.zeros(3))
        return made[-1]

    def kernel(size, memory, depth):
        assert not any(memory is other for other in inside)
        inside.append(memory)
        if depth > 0:
            evaluator.run["kernel"](depth - 1)
        inside.pop()
        return 0

    evaluator = Evaluator(2, new_memory, {"kernel": KernelCall(kernel, (0,))})
    evaluator.run["kernel"](0)
    evaluator.run["kernel"](3)
    count = len(made)
    for depth in (3, 0, 2):
        evaluator.run["kernel"](depth)
    assert len(made) == count  # what is free again is used again


def test_memory_that_a_call_left_half_done_is_not_used_again():
    seen = []

    def kernel(size, memory, fails):
        seen.append(memory)
        if fails:
            raise KeyboardInterrupt
        return 0

    evaluator = Evaluator(2, lambda: np.zeros(3), {"kernel": KernelCall(kernel, (0,))})
    with pytest.raises(KeyboardInterrupt):
        evaluator.run["kernel"](True)
    evaluator.run["kernel"](False)
    assert seen[0] is not seen[1]

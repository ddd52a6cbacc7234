"""Memory to work in belongs to one call at a time, whoever calls."""

from types import SimpleNamespace

import numpy as np
import pytest

import ulna.kernels
from ulna.arrays import Evaluator, KernelCall, one_state
from ulna.errors import InputError


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


def test_nothing_is_found_where_a_code_says_so():
    call = KernelCall(lambda *arguments: 1, ((2,), (2,)))
    arm = SimpleNamespace(_kernels={})
    found = one_state(
        arm, lambda arm: Evaluator(2, lambda: np.zeros(3), {"bad": call}), "bad", np.zeros(2)
    )
    assert "bad" in arm._kernels
    assert found is None


def strict(size, memory, given, found):
    """Double what is given, an array as compiled code takes them."""
    for array in (given, found):
        if type(array) is not np.ndarray or array.dtype != float or not array.flags.c_contiguous:
            raise TypeError
        if array.ndim != 1:
            raise TypeError
    found[:] = 2.0 * given
    return 0


@pytest.mark.parametrize(
    "given",
    [[1, 2], (1.0, 2.0), np.array([1, 2]), np.array([1.0, 0.0, 2.0])[::2], np.float32([1, 2])],
    ids=["list", "tuple", "integers", "gaps", "single precision"],
)
def test_what_compiled_code_does_not_take_is_converted(given):
    evaluator = Evaluator(2, lambda: np.zeros(3), {"double": KernelCall(strict, ((2,), (2,)))})
    found = np.empty(2)
    assert evaluator.run["double"](given, found) == 0
    assert found.tolist() == [2.0, 4.0]


def test_what_cannot_be_converted_is_refused():
    evaluator = Evaluator(2, lambda: np.zeros(3), {"double": KernelCall(strict, ((2,), (2,)))})
    for given in (np.zeros((2, 2)), "ab", [[1.0], [2.0, 3.0]]):
        with pytest.raises(InputError):
            evaluator.run["double"](given, np.empty(2))

"""The door to array libraries: NumPy unless an array of another library comes."""

import array_api_strict as strict
import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna.arrays import float_array, namespace, running_sum, to_float

ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])


def test_arrays_of_two_foreign_libraries_do_not_mix():
    class Other:
        def __array_namespace__(self, api_version=None):
            return np

    with pytest.raises(TypeError):
        namespace(strict.zeros(2), Other())


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floating_point_arrays_are_not_copied(kind):
    array = np.ones(3, dtype=kind)
    assert to_float(namespace(array), array) is array


def test_foreign_arrays_stay_as_they_are_and_integers_become_double():
    xp = namespace(strict.zeros(1))
    single = strict.asarray([1.0], dtype=strict.float32)
    assert to_float(xp, single) is single
    made = to_float(xp, strict.asarray([1, 2]))
    assert made.dtype == strict.float64
    np.testing.assert_array_equal(np.asarray(made), [1.0, 2.0])


@pytest.mark.parametrize("library", [np, strict])
@pytest.mark.parametrize("n", [1, 2, 8, 9, 40])
def test_running_sums_are_exact_sums_of_all_before(library, n):
    # Multiples of 1/1024: every sum of these is exact.
    whole = np.random.default_rng(n).integers(-9999, 9999, (3, 4, n)) / 1024
    values = library.asarray(whole)
    xp = namespace(values)
    sums = np.asarray(running_sum(xp, values))
    from_zero = np.asarray(running_sum(xp, values, from_zero=True))
    assert sums.shape == (3, 4, n)
    assert from_zero.shape == (3, 4, n + 1)
    for end in range(n + 1):
        np.testing.assert_array_equal(from_zero[..., end], whole[..., :end].sum(axis=-1))
    np.testing.assert_array_equal(sums, from_zero[..., 1:])


@pytest.mark.parametrize("library", [np, strict])
def test_booleans_are_no_numbers(library):
    with pytest.raises(ulna.InputError, match="numbers"):
        ulna.kinematics.tip(ARM, library.asarray([True, False]))


MASKED = np.ma.array([0.1, 0.2], mask=[False, True])


@tabular(
    "ask",
    [
        lambda: float_array([[1.0, 2.0], MASKED]),
        lambda: float_array([0.1, np.ma.masked]),
        lambda: ulna.kinematics.inverse(ARM, MASKED),
        lambda: ulna.kinematics.workspace(ARM).contains(MASKED),
        lambda: ulna.angles.wrap(MASKED),
        lambda: ulna.paths.spline([[0, 0], [1, 1]], times=MASKED),
        lambda: ulna.motion.times(MASKED),
        lambda: ulna.plan(ARM, ulna.paths.circle((0.5, 0.1)), tip_force=MASKED),
        lambda: ulna.simulate(ARM, q0=MASKED, duration=0.01),
        lambda: ulna.simulate(ARM, q0=[0.0, 0.0], duration=0.01, torque=lambda _: MASKED),
        lambda: ulna.simulate(ARM, q0=[0.0, 0.0], duration=0.01, samples=MASKED),
        lambda: ulna.Arm.rods(np.ma.array([0.5, 0.5], mask=[False, True]), [1.0, 1.0]),
    ],
)
def test_masked_entries_are_refused(ask):
    with pytest.raises(ulna.InputError, match="masked"):
        ask()


def test_a_mask_that_hides_nothing_is_fine():
    whole = np.ma.array([0.1, 0.2], mask=False)
    assert np.array_equal(ulna.kinematics.tip(ARM, whole), ulna.kinematics.tip(ARM, [0.1, 0.2]))

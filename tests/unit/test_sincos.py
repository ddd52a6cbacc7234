"""Sine and cosine of the compiled code: right to the last place, wherever the angle lies."""

import mpmath
import numba
import numpy as np
import pytest

from ulna.kernels.numba_internals import OPTIONS
from ulna.lanes import WIDTHS, lanes
from ulna.sincos import FAR, SHORT_FAR, sincos, sincos_near, turn_links

SHORT = np.dtype(np.float32)


@numba.njit(**OPTIONS)
def of_each(angles, found):
    for k in range(len(angles)):
        found[0, k], found[1, k] = sincos(angles[k])


@numba.njit(**OPTIONS)
def of_each_near(angles, found):
    for k in range(len(angles)):
        found[0, k], found[1, k] = sincos_near(angles[k])


def both(angles, function=of_each):
    angles = np.asarray(angles, dtype=float)
    found = np.empty((2, len(angles)))
    function(angles, found)
    return found


def errors(angles, function=of_each, beside=0.0):
    """Give the errors in units of the last place of the right value, all but a small rest."""
    found = both(angles, function).T.tolist()
    off = []
    with mpmath.workdps(50):
        for x, got in zip(np.asarray(angles).tolist(), found, strict=True):
            for ours, exact in zip(got, (mpmath.sin(x), mpmath.cos(x)), strict=True):
                wrong = max(abs(ours - exact) - beside, 0)
                off.append(float(wrong / np.spacing(abs(float(exact)))))
    return np.array(off)


@pytest.mark.parametrize("largest", [1e-8, 0.7, 4.0, 100.0, 1e4, FAR])
@pytest.mark.parametrize("function", [of_each, of_each_near])
def test_at_most_one_unit_in_the_last_place(largest, function):
    angles = np.random.default_rng(1).uniform(-largest, largest, 1500)
    assert errors(angles, function).max() <= 1.0


def test_where_sine_or_cosine_nearly_vanish():
    # π/2 is known to 99 bits: after k quarters of a turn what it lacks is k times 8.5e-32.
    eighths = np.concatenate([np.arange(-200, 201), [1001, 99_999, 636_000, -636_001]])
    angles = np.array([float(k * mpmath.mp.pi / 4) for k in eighths])
    beside = np.concatenate([angles, np.nextafter(angles, np.inf), np.nextafter(angles, -np.inf)])
    assert errors(beside, beside=1e-25).max() <= 1.0


def test_at_the_very_end_of_its_range_and_beyond_it():
    edge = np.array([FAR, -FAR, np.nextafter(FAR, np.inf), -np.nextafter(FAR, np.inf)])
    far = np.random.default_rng(2).uniform(FAR, 1e15, 300)
    assert errors(np.concatenate([edge, far, [1e22, -1e300]])).max() <= 1.0


def test_zero_and_what_is_hardly_more():
    angles = np.array([0.0, 5e-324, 1e-300, 1e-17])
    sine, cosine = both(angles)
    assert sine.tolist() == angles.tolist()
    assert (cosine == 1.0).all()


def test_sine_is_odd_and_cosine_even_to_the_bit():
    angles = np.random.default_rng(3).uniform(0.0, 1e6, 2000)
    ahead, back = both(angles), both(-angles)
    assert (ahead[0] == -back[0]).all()
    assert (ahead[1] == back[1]).all()


@pytest.mark.parametrize("angle", [np.nan, np.inf, -np.inf])
def test_what_has_no_sine_has_none(angle):
    assert np.isnan(both([angle])).all()


@numba.njit(**OPTIONS)
def of_lanes(angles, found):
    wide, results = lanes(angles), lanes(found)
    for k in range(len(wide)):
        results[0, k], results[1, k] = sincos_near(wide[k])


@pytest.mark.parametrize("largest", [1e-3, 0.7, 4.0, 100.0, SHORT_FAR])
def test_in_single_precision_to_a_unit_of_the_last_place_of_one(largest):
    angles = np.random.default_rng(4).uniform(-largest, largest, (200, WIDTHS[SHORT])).astype(SHORT)
    found = np.zeros((2, *angles.shape), dtype=SHORT)
    of_lanes(angles, found)
    exact = np.stack([np.sin(angles.astype(float)), np.cos(angles.astype(float))])
    assert np.abs(found - exact).max() <= np.finfo(SHORT).eps


@numba.njit(**OPTIONS)
def of_chains(turns, joints):
    turn_links(2, lanes(turns), lanes(joints), 0)


@pytest.mark.parametrize("number", [np.float64, np.float32])
def test_a_link_that_is_far_leaves_those_beside_it_as_they_are(number):
    width = WIDTHS[np.dtype(number)]
    joints = np.random.default_rng(5).uniform(-3.0, 3.0, (1, 3, width)).astype(number)
    alone, beside = np.zeros((2, 2, 3, width), dtype=number)
    of_chains(alone, joints)
    joints[0, 1, 3] = 2e6
    of_chains(beside, joints)
    others = np.arange(width) != 3
    assert np.array_equal(alone[:, :2, others], beside[:, :2, others])
    assert np.array_equal(alone[:, 0], beside[:, 0])
    turned = float(joints[0, 0, 3] + joints[0, 1, 3])
    assert beside[:, 1, 3] == pytest.approx([np.cos(turned), np.sin(turned)], abs=1e-6)

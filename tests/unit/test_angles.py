"""Angles at chosen values, against trigonometry and the conventions of other libraries."""

import math

import array_api_strict as strict
import numpy as np
import pytest

from tabular import tabular
from ulna import angles

PI = math.pi


def tip(q, lengths):
    """Add up unit vectors: where the tip is, by school trigonometry."""
    x = y = phi = 0.0
    for angle, length in zip(q, lengths, strict=True):
        phi += float(angle)
        x, y = x + length * math.cos(phi), y + length * math.sin(phi)
    return x, y


@pytest.mark.parametrize(
    ("angle", "wrapped"),
    [
        *((0.0, 0.0), (PI, PI), (-PI, PI), (2 * PI, 0.0), (-2 * PI, 0.0), (1.5 * PI, -0.5 * PI)),
        *((3 * PI, PI), (-1.5 * PI, 0.5 * PI), (7, 7 - 2 * PI), (np.float64(-4), 2 * PI - 4)),
    ],
)
def test_wrap_at_known_angles(angle, wrapped):
    assert float(angles.wrap(angle)) == wrapped


@tabular("toward", [-math.inf, math.inf])
@tabular("turns", range(-5, 6))
def test_wrap_stays_in_the_turn_next_to_its_ends(turns, toward):
    angle = (2 * turns + 1) * PI
    for _ in range(5):
        wrapped = float(angles.wrap(angle))
        assert -PI < wrapped <= PI
        assert math.cos(wrapped) == pytest.approx(-1.0)
        angle = math.nextafter(angle, toward)


def test_wrap_around_another_middle():
    assert float(angles.wrap(0.5, middle=2 * PI)) == 0.5 + 2 * PI
    assert float(angles.wrap(4.0, middle=2.0)) == 4.0
    np.testing.assert_array_equal(
        angles.wrap([0.0, 1.0], middle=[[0.0], [2 * PI]]), [[0, 1], [2 * PI, 1 + 2 * PI]]
    )


def test_what_is_not_a_number_stays_not_a_number():
    with np.errstate(invalid="ignore"):
        assert np.isnan(angles.wrap([math.nan, math.inf, -math.inf])).all()


def test_the_distance_of_postures_goes_the_short_way():
    far, near = [3.0, 0.0], [-3.0, 0.0]
    assert float(angles.distance(far, near)) == pytest.approx(2 * PI - 6, abs=1e-15)
    assert float(angles.distance([3.0, 4.0], [0.0, 0.0])) == pytest.approx(
        math.hypot(3.0, 4.0 - 2 * PI), rel=1e-15
    )
    assert angles.distance(np.zeros((5, 1, 3)), np.ones((4, 3))).shape == (5, 4)


def test_unwrap_follows_a_wheel_over_several_turns():
    time = np.linspace(0.0, 10.0, 41)
    wheel = np.stack([2.5 * time, -3.0 * time], axis=-1)
    printed = np.arctan2(np.sin(wheel), np.cos(wheel))
    np.testing.assert_allclose(angles.unwrap(printed), wheel, rtol=0, atol=2e-14)
    np.testing.assert_allclose(angles.unwrap(printed.T, axis=-1), wheel.T, rtol=0, atol=2e-14)
    np.testing.assert_allclose(angles.unwrap(printed[:, 0], axis=0), wheel[:, 0], atol=2e-14)


def test_unwrap_keeps_a_smooth_path_to_the_last_bit():
    path = np.cumsum(np.linspace(-3.0, 3.0, 50))[:, None]
    np.testing.assert_array_equal(angles.unwrap(path), path)


def test_absolute_and_relative_at_known_angles():
    np.testing.assert_array_equal(angles.relative_to_absolute([1.0, 2.0, -4.0]), [1, 3, -1])
    np.testing.assert_array_equal(angles.absolute_to_relative([1.0, 3.0, -1.0]), [1, 2, -4])
    np.testing.assert_array_equal(angles.relative_to_absolute([7]), [7.0])
    np.testing.assert_array_equal(angles.absolute_to_relative([7]), [7.0])


@pytest.mark.parametrize("theta", [(0.0, 0.0), (0.3, 0.0), (PI / 2, -0.4), (-2.0, 1.0)])
def test_acrobot_angles_put_its_links_where_acrobot_draws_them(theta):
    """Gymnasium's Acrobot-v1: x = sin θ1 + sin(θ1 + θ2), y = −cos θ1 − cos(θ1 + θ2)."""
    x, y = tip(angles.from_zero_down(theta), (1.0, 1.0))
    assert x == pytest.approx(math.sin(theta[0]) + math.sin(sum(theta)), abs=1e-15)
    assert y == pytest.approx(-math.cos(theta[0]) - math.cos(sum(theta)), abs=1e-15)


@pytest.mark.parametrize("theta", [0.0, 0.3, -1.0, PI])
def test_pendulum_angles_put_the_rod_where_pendulum_draws_it(theta):
    """Gymnasium's Pendulum-v1: upright at zero, counter-clockwise: (−sin θ, cos θ)."""
    x, y = tip(angles.from_zero_up([theta]), (1.0,))
    assert (x, y) == pytest.approx((-math.sin(theta), math.cos(theta)), abs=1e-15)


CONVERSIONS = [
    angles.wrap,
    angles.relative_to_absolute,
    angles.absolute_to_relative,
    angles.from_zero_down,
    angles.to_zero_down,
    angles.from_zero_up,
    angles.to_zero_up,
    angles.unwrap,
    lambda q: angles.difference(q, 0.25),
    lambda q: angles.distance(q, [0.5, 1.0, 2.0]),
    lambda q: angles.wrap(q, middle=2.0),
]
ANGLES = np.random.default_rng(1).uniform(-20, 20, (4, 5, 3))


@pytest.mark.parametrize("convert", CONVERSIONS)
def test_any_array_library_gives_what_numpy_gives(convert):
    made = convert(strict.asarray(ANGLES))
    assert made.__array_namespace__() is strict
    np.testing.assert_array_equal(np.asarray(made), convert(ANGLES))


def test_jax_gives_what_numpy_gives():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        made = jax.jit(lambda q: [convert(q) for convert in CONVERSIONS])(ANGLES)
    for ours, convert in zip(made, CONVERSIONS, strict=True):
        np.testing.assert_allclose(np.asarray(ours), convert(ANGLES), rtol=0, atol=1e-14)


@pytest.mark.parametrize("convert", CONVERSIONS)
def test_what_was_handed_in_is_not_changed(convert):
    q = ANGLES.copy()
    q.flags.writeable = False
    convert(q)
    np.testing.assert_array_equal(q, ANGLES)

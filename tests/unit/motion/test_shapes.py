"""Every shape against the equation that textbooks give it."""

import numpy as np
import pytest

from ulna import paths

S = np.linspace(0.0, 1.0, 2001)
INNER = S[5:-5]
CENTRE = (0.3, -0.2)
W = 2.0 * np.pi / 60.0  # [rad/s] paper 000's

SHAPES = {
    "line": paths.line((0.1, 0.2), (-0.4, 0.7)),
    "arc": paths.arc(CENTRE, 0.2, 1.0, -2.5),
    "circle": paths.circle(CENTRE, 0.2, start=0.7),
    "clockwise": paths.circle(CENTRE, 0.2, clockwise=True),
    "ellipse": paths.ellipse(CENTRE, (0.3, 0.1), tilt=0.4, start=0.2),
    "lemniscate": paths.lemniscate(CENTRE, 0.25, tilt=-0.3),
    "rose, 3 petals": paths.rose(CENTRE, 0.2, 3, tilt=0.1),
    "rose, 8 petals": paths.rose(CENTRE, 0.2, 8),
    "loops": paths.loops(),
    "spline": paths.spline([(0.0, 0.0), (0.3, 0.1), (0.2, 0.5), (-0.1, 0.2), (0.0, 0.4)]),
}


def seen_from(centre, points, tilt=0.0):
    """Give x, y of points (k, 2) from a centre, turned back by a tilt."""
    z = (points - centre) @ [1.0, 1j] * np.exp(-1j * tilt)
    return z.real, z.imag


@pytest.mark.parametrize("name", SHAPES)
def test_derivatives_are_those_of_the_points(name, slope):
    shape, step = SHAPES[name], 1e-4
    _, first, second = shape.derivatives(INNER)
    away = np.abs(INNER[:, None] - shape.breaks).min(axis=-1) > 4 * step
    for order, given in ((0, first), (1, second)):
        found = slope(lambda s, order=order: shape.derivatives(s)[order], INNER, step)
        size = np.abs(given).max() + 1.0
        assert np.abs(found - given)[away].max() <= 1e-10 * size


def test_a_line_is_straight_and_even():
    points = SHAPES["line"](S)
    assert (points[[0, -1]] == [(0.1, 0.2), (-0.4, 0.7)]).all()
    assert np.abs(np.diff(points, 2, axis=0)).max() <= 1e-15


def test_an_arc_is_at_one_distance_and_ends_at_its_angles():
    x, y = seen_from(CENTRE, SHAPES["arc"](S))
    assert np.abs(np.hypot(x, y) - 0.2).max() <= 1e-15
    angle = np.unwrap(np.arctan2(y, x))
    assert angle[[0, -1]] == pytest.approx([1.0, -2.5], abs=1e-14)
    assert (np.diff(angle) < 0.0).all()


@pytest.mark.parametrize(("name", "way"), [("circle", 1.0), ("clockwise", -1.0)])
def test_a_circle_goes_round_once_the_way_it_is_told(name, way):
    shape = SHAPES[name]
    x, y = seen_from(CENTRE, shape(S))
    assert np.abs(np.hypot(x, y) - 0.2).max() <= 1e-15
    turned = np.diff(np.unwrap(np.arctan2(y, x)))
    assert turned.sum() == pytest.approx(way * 2.0 * np.pi, abs=1e-13)
    assert np.ptp(turned) <= 1e-12
    assert shape.closed


def test_an_ellipse_fulfils_its_implicit_equation():
    x, y = seen_from(CENTRE, SHAPES["ellipse"](S), 0.4)
    assert np.abs((x / 0.3) ** 2 + (y / 0.1) ** 2 - 1.0).max() <= 1e-14
    assert np.ptp(np.unwrap(np.arctan2(y, x))) == pytest.approx(2.0 * np.pi, abs=1e-12)


def test_bernoullis_lemniscate_fulfils_its_implicit_equation():
    x, y = seen_from(CENTRE, SHAPES["lemniscate"](S), -0.3)
    a = 0.25
    assert np.abs((x**2 + y**2) ** 2 - a**2 * (x**2 - y**2)).max() <= 1e-16
    assert np.abs(x).max() == pytest.approx(a, abs=1e-15)
    # Both lobes, through the middle twice.
    assert np.count_nonzero(np.diff(np.sign(x[x != 0.0]))) == 2
    assert SHAPES["lemniscate"].closed


@pytest.mark.parametrize(("petals", "waves"), [(3, 3), (5, 5), (7, 7), (4, 2), (8, 4), (12, 6)])
def test_a_rose_has_its_petals(petals, waves):
    shape = paths.rose(CENTRE, 0.2, petals, tilt=0.1)
    x, y = seen_from(CENTRE, shape(S), 0.1)
    angle, radius = np.arctan2(y, x), np.hypot(x, y)
    # r = a cos kθ, where a negative r is on the other side.
    miss = radius - 0.2 * np.abs(np.cos(waves * angle))
    assert np.abs(miss[radius > 0.02]).max() <= 1e-14 * waves  # the middle has no angle
    ends = radius > 0.2 * (1.0 - 1e-4)
    outward = np.round(angle[ends] / (np.pi / petals)) % (2 * petals)
    assert len(np.unique(outward)) == petals
    assert shape.closed


def test_loops_are_paper_000s_formula():
    t = 60.0 * S
    z = 0.79 * np.exp(1j * (W * t + np.pi / 2)) + 0.2 * np.exp(1j * (14.0 * W * t - np.pi / 2))
    points = SHAPES["loops"](S) @ [1.0, 1j]
    assert np.abs(points - z).max() <= 1e-14
    assert SHAPES["loops"].duration == 60.0
    assert SHAPES["loops"].closed


def test_loops_have_paper_000s_radius_and_speed():
    dense = np.linspace(0.0, 1.0, 60001)
    points, velocity, _ = SHAPES["loops"].derivatives(dense)
    radius, speed = np.hypot(*points.T), np.hypot(*velocity.T) / 60.0
    assert [f"{value:.4f}" for value in (radius.min(), radius.max())] == ["0.5900", "0.9900"]
    assert [f"{value:.4f}" for value in (speed.min(), speed.max())] == ["0.2105", "0.3759"]


def test_loops_count_as_they_are_told():
    radius = np.hypot(*paths.loops(0.5, 0.1, 7)(S).T)
    far = (radius[1:-1] > radius[:-2]) & (radius[1:-1] > radius[2:])
    assert np.count_nonzero(far) == 7


def test_places_may_have_any_shape():
    shape = SHAPES["ellipse"]
    grid = S[:24].reshape(2, 3, 4)
    assert shape(0.5).shape == (2,)
    assert shape(grid).shape == (2, 3, 4, 2)
    assert shape.derivatives(grid).shape == (3, 2, 3, 4, 2)
    assert (shape(grid)[1, 2, 3] == shape(float(grid[1, 2, 3]))).all()

"""Bends at corners: smooth, close to the corner, and nothing else touched."""

import numpy as np
import pytest

from ulna import paths

S = np.linspace(0.0, 1.0, 20001)
RANDOM = np.random.default_rng(2)
CORNERS = {
    "square": ([(0, 0), (1, 0), (1, 1), (0, 1)], 0.1),
    "sharp": ([(0, 0), (1, 0), (0.1, 0.2)], 0.05),
    "almost back": ([(0, 0), (1, 0), (0, 0.06)], 0.05),
    "flat": ([(0, 0), (1, 0), (2, 0.01)], 0.2),
    "unequal legs": ([(0, 0), (1, 0), (1, 0.01), (2, 0.01)], 0.2),
    "stairs": ([(i // 2 + i % 2, i // 2) for i in range(1, 12)], 0.3),
    "walk": (RANDOM.uniform(0.0, 1.0, (25, 2)), 0.02),
    "bends that meet": ([(0, 0), (1, 0), (1, 1), (0, 1), (0, 2)], 10.0),
}


@pytest.fixture(params=CORNERS)
def case(request):
    corners, blend = CORNERS[request.param]
    corners = np.array(corners, dtype=float)
    legs = np.linalg.norm(np.diff(corners, axis=0), axis=-1)
    # A bend takes half of a leg between two corners at most, all of one at an end.
    room = np.minimum(
        np.concatenate([legs[:1], 0.5 * legs[1:-1]]), np.concatenate([0.5 * legs[1:-1], legs[-1:]])
    )
    return corners, np.minimum(blend, room), paths.polyline(corners, blend)


def distance_to(corners, points):
    """Give how far points (k, 2) are from the straight legs between corners."""
    first, way = corners[:-1], np.diff(corners, axis=0)
    from_first = points[:, None] - first
    part = np.clip(np.sum(from_first * way, axis=-1) / np.sum(way**2, axis=-1), 0.0, 1.0)
    return np.linalg.norm(from_first - part[..., None] * way, axis=-1).min(axis=-1)


def test_place_direction_and_bend_do_not_jump(case):
    _, _, path = case
    edges = np.array(path.breaks[1:-1])
    beside = 1e-10 * np.diff(path.breaks).min()
    before, after = (path.curve(edges + way) for way in (-beside, beside))
    size = np.abs(path.curve(S)).max(axis=(1, 2), keepdims=True)
    assert (np.abs(after - before) <= np.array([1e-10, 1e-8, 1e-6])[:, None, None] * size).all()
    assert len(path.corners) == 0


def test_derivatives_are_those_of_the_points(case, slope):
    _, _, path = case
    places = np.concatenate(
        [
            first + (last - first) * np.linspace(0.1, 0.9, 9)
            for first, last in zip(path.breaks[:-1], path.breaks[1:], strict=True)
        ]
    )
    step = 0.01 * np.diff(path.breaks).min()
    _, first, second = path.curve(places)
    assert np.abs(slope(lambda s: path.curve(s)[0], places, step) - first).max() <= 1e-8 * (
        np.abs(first).max() + 1e-6 / step
    )
    assert np.abs(slope(lambda s: path.curve(s)[1], places, step) - second).max() <= 1e-6 * (
        np.abs(second).max()
    )


def test_within_a_blend_of_a_corner_or_on_the_legs(case):
    corners, blends, path = case
    points = path(S)
    off = distance_to(corners, points) > 1e-11
    near = np.linalg.norm(points[off, None] - corners[1:-1], axis=-1) <= blends + 1e-11
    assert near.any(axis=-1).all()
    # Every corner is cut, and less than to the chord between the ends of its bend.
    gap = np.linalg.norm(points[:, None] - corners[1:-1], axis=-1).min(axis=0)
    assert (gap < blends).all()


def test_it_moves_on_all_the_time(case):
    _, _, path = case
    assert np.linalg.norm(path.curve(S)[1], axis=-1).min() > 0.0
    assert np.diff(path.breaks).min() > 0.0


def test_without_a_blend_a_tenth_of_the_shorter_leg():
    path = paths.polyline([(0, 0), (1, 0), (1, 0.5)])
    straight = np.array(path.breaks[1:-1]) * 1.5
    assert straight == pytest.approx([0.95, 1.05], abs=1e-9)


def test_rounded_is_what_a_blend_is():
    corners = [(0, 0), (1, 0), (1, 1), (2, 2)]
    one, other = paths.polyline(corners, 0.0).rounded(0.1), paths.polyline(corners, 0.1)
    assert np.abs(one(S) - other(S)).max() <= 1e-12


def test_curves_that_meet_at_a_corner_are_rounded_too():
    path = paths.arc(radius=1.0, start=0.0, end=1.0).then(paths.line((0.5, 1.5), (0.5, 2.0)))
    made = path.rounded(0.05)
    assert len(path.corners) == 2
    assert len(made.corners) == 0
    # Beyond the bend it is the arc still.
    early = made(np.linspace(0.0, 0.5 / path.length, 100))
    assert np.abs(np.hypot(*early.T) - 1.0).max() <= 1e-9


def test_what_has_no_corners_stays_itself():
    circle = paths.circle()
    assert circle.rounded(0.01) is circle


def test_rounding_twice_is_rounding_once():
    path = paths.polyline([(0, 0), (1, 0), (1, 1)], 0.0).rounded(0.1)
    assert path.rounded(0.05) is path


@pytest.mark.parametrize(
    "corners",
    [
        [(0.2, 0.2), (0.6, 0.2), (0.3, 0.2)],
        [(0.2, 0.2), (0.6, 0.2), (0.3, 0.2), (0.3, 0.4), (0.4, 0.5)],
        [(0.2, 0.2), (0.6, 0.2), (0.2, 0.2)],
    ],
    ids=["one corner", "three corners", "there and back"],
)
def test_turning_back_is_a_corner_that_no_bend_rounds(corners):
    path = paths.polyline(corners)
    assert path(path.corners) == pytest.approx(np.array([(0.6, 0.2)]), abs=1e-12)
    part = np.linspace(0.0, 1.0, 2001)
    speed = np.linalg.norm(path.by_length(part)[1], axis=-1)
    assert speed == pytest.approx(path.length, rel=1e-9)

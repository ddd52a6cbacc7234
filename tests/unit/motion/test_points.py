"""Paths through points: they pass them, smoothly, and then if told when."""

import numpy as np
import pytest

import ulna
from ulna import paths

POINTS = np.array([(0.0, 0.0), (0.3, 0.1), (0.2, 0.5), (-0.1, 0.2), (0.0, 0.4)])
TIMES = np.array([0.0, 1.0, 1.5, 4.0, 6.0])
S = np.linspace(0.0, 1.0, 4001)


def second_differences_are_continuous(path):
    """Whether p, p' and p'' are the same on both sides of every inner break."""
    edges = np.array(path.breaks[1:-1])
    before, after = (path.curve(edges + way) for way in (-1e-12, 1e-12))
    size = np.abs(path.curve(S)).max(axis=(1, 2), keepdims=True)
    return (np.abs(after - before) <= 1e-9 * size).all()


@pytest.mark.parametrize(
    ("count", "closed"), [(2, False), (3, False), (4, False), (5, False), (3, True), (5, True)]
)
def test_a_spline_passes_its_points_smoothly(count, closed):
    path = paths.spline(POINTS[:count], closed=closed)
    knots = np.array(path.breaks)
    assert np.abs(path(knots[:count]) - POINTS[:count]).max() <= 1e-15
    assert second_differences_are_continuous(path)
    assert path.closed == closed
    assert len(path.corners) == 0


def test_between_two_points_it_is_the_line():
    path, line = paths.spline(POINTS[1:3]), paths.line(*POINTS[1:3])
    assert np.abs(path(S) - line(S)).max() <= 1e-15


def test_knots_lie_as_far_apart_as_the_points():
    path = paths.spline(POINTS)
    chords = np.linalg.norm(np.diff(POINTS, axis=0), axis=-1)
    assert np.diff(path.breaks) == pytest.approx(chords / chords.sum(), rel=1e-12)


def test_through_points_of_a_cubic_it_is_the_cubic():
    t = np.linspace(-1.0, 1.0, 6)
    cubic = np.stack([t, t**3 - t], axis=-1)
    path = paths.spline(cubic, times=t)
    x = 2.0 * S - 1.0
    assert np.abs(path(S) - np.stack([x, x**3 - x], axis=-1)).max() <= 1e-14
    assert path.duration == pytest.approx(2.0)


def test_closed_it_runs_on_into_itself():
    path = paths.spline(POINTS, closed=True)
    start, end = path.curve(np.array([0.0, 1.0])).swapaxes(0, 1)
    assert np.abs(start - end).max() <= 1e-12 * np.abs(path.curve(S)).max()
    # The same whether or not the first point is given again.
    again = paths.spline([*POINTS, POINTS[0]], closed=True)
    assert np.abs(path(S) - again(S)).max() <= 1e-14


def test_points_of_a_circle_give_the_circle():
    """A periodic cubic through 64 points is off by 5/384 h⁴ at most."""
    angle = np.linspace(0.0, 2.0 * np.pi, 65)[:-1]
    path = paths.spline(np.stack([np.cos(angle), np.sin(angle)], axis=-1), closed=True)
    h = 2.0 * np.pi / 64
    assert np.abs(np.hypot(*path(S).T) - 1.0).max() <= 5.0 * h**4 / 384.0


@pytest.mark.parametrize("make", [paths.spline, paths.joints])
def test_at_its_times_it_is_at_its_points(make):
    path = make(POINTS, times=TIMES + 3.0)
    assert path.duration == 6.0
    assert np.abs(path(TIMES / 6.0) - POINTS).max() <= 1e-15
    assert second_differences_are_continuous(path)


def test_a_plan_is_at_its_points_at_its_times():
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    rows = POINTS + np.array([0.4, 0.1])
    made = ulna.plan(arm, paths.spline(rows, times=TIMES))
    assert made.duration == 6.0
    reached = ulna.kinematics.tip(arm, made.trajectory(TIMES).q)[:, :2]
    assert np.abs(reached - rows).max() <= 1e-14


def test_who_waits_stays_at_the_point():
    rows = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    path = paths.spline(rows, times=[0.0, 1.0, 2.0, 3.0])
    assert np.abs(path(np.array([1.0, 2.0]) / 3.0) - [1.0, 0.0]).max() <= 1e-15


def test_joints_go_straight_through_two_postures():
    path = paths.joints([[0.0, 1.0, -2.0], [3.0, 0.0, 1.0]])
    assert path.in_joints
    assert path.dimensions == 3
    assert np.abs(path(S) - [0.0, 1.0, -2.0] - S[:, None] * [3.0, -1.0, 3.0]).max() <= 1e-14


def test_a_closed_polyline_comes_back():
    path = paths.polyline([(0, 0), (1, 0), (1, 1)], closed=True, blend=0.0)
    assert path.length == pytest.approx(2.0 + np.sqrt(2.0), rel=1e-12)
    assert path.closed
    assert np.abs(path.ends).max() <= 1e-15


def test_paper_000s_path_as_printed():
    """Code 1, written here once more: a circle, its direction by differences, loops along it."""
    count = 2000
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    circle = 0.79 * np.stack([-np.sin(angle), np.cos(angle)])
    direction = np.gradient(circle, axis=1)
    direction /= np.linalg.norm(direction, axis=0)
    left = np.stack([-direction[1], direction[0]])
    turn = 13.0 * angle
    printed = circle + 0.2 * (np.cos(turn) * left - np.sin(turn) * direction)
    path = paths.loops_as_printed()
    places = np.linspace(0.0, 1.0, count)
    assert np.abs(path(places) - printed.T).max() <= 1e-14
    assert path.duration == 60.0
    # Its two ends are 0.314 mm off the curve that it means, and no other point is.
    away = np.linalg.norm(path(places) - paths.loops()(places), axis=-1)
    assert away[[0, -1]] == pytest.approx(0.314e-3, abs=5e-7)
    assert away[1:-1].max() <= 1e-12

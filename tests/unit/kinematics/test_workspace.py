"""What `workspace` returns: its shapes, its text, and its special cases."""

import math
import pickle

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna.kinematics import workspace
from ulna.kinematics.limited_linkage import Hinge
from ulna.kinematics.outline import outline
from ulna.kinematics.reachable_workspace import Arc, enclosed_area

FREE = (-math.inf, math.inf)


def arm_of(lengths, limits, base=(0.0, 0.0)):
    joints = [ulna.Joint(lower=lower, upper=upper) for lower, upper in limits]
    return ulna.Arm.rods(lengths, [1.0] * len(lengths), base=base).replace(joints=joints)


def turned(lower, upper):
    return math.radians(lower), math.radians(upper)


FOUR_LINKS = arm_of([0.4, 0.3, 0.2, 0.1], [turned(-90, 90)] * 4, base=(1.0, 2.0))


@pytest.fixture(scope="module")
def gridded():
    return workspace(FOUR_LINKS)


@pytest.mark.parametrize("limits", [FREE, (-math.inf, 1.0), (0.0, math.inf), (0.0, 2 * math.pi)])
@pytest.mark.parametrize("n", [2, 5])
def test_a_joint_with_a_turn_of_range_is_free(n, limits):
    assert not workspace(arm_of([0.2] * n, [limits] * n)).limited


def test_one_link_reaches_an_arc_that_is_drawn_there_and_back():
    found = workspace(arm_of([0.5], [turned(-30, 60)], base=(1.0, 0.0)))
    ((there, back),) = found.loops
    assert there == Arc((1.0, 0.0), 0.5, math.radians(-30), math.radians(90))
    assert back == there.reversed()
    assert found.area == pytest.approx(0.0, abs=1e-15)
    on, off_end, inside = (
        [1.0 + 0.5 * math.cos(angle), 0.5 * math.sin(angle)] for angle in (1.0, 1.1, 0.0)
    )
    inside[0] -= 1e-6
    assert found.contains([on, off_end, inside]).tolist() == [True, False, False]


def test_contains_broadcasts_over_leading_axes(gridded):
    exact = workspace(arm_of([0.3, 0.2], [turned(-90, 90), turned(0, 150)]))
    for found in (exact, gridded):
        assert found.contains(np.zeros((4, 3, 2))).shape == (4, 3)
        assert found.contains(np.zeros((0, 2))).shape == (0,)
        assert found.contains(found.polylines()[0].mean(axis=0)) in (True, False)


def test_one_arm_and_points_of_two_coordinates_are_taken():
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    assert workspace(arm.parameters).outer == 1.0
    with pytest.raises(ulna.InputError, match="2 arms stacked"):
        workspace(ulna.stack([arm, arm]))
    for points in (1.0, [1.0], [[1.0, 2.0, 3.0]]):
        assert names_of(lambda points=points: workspace(arm).contains(points)) == ["points"]


def test_polylines_are_closed_and_as_fine_as_asked(gridded):
    ring = workspace(ulna.Arm.rods([0.3, 0.1], [1.0, 1.0]))
    assert [len(line) for line in ring.polylines(points_per_turn=12)] == [13, 13]
    limited = workspace(arm_of([0.3, 0.2], [turned(-90, 90), turned(-150, 150)]))
    assert len(limited.polylines(100)[0]) > 2 * len(limited.polylines(40)[0])
    for found in (ring, limited, gridded):
        for line in found.polylines():
            assert line[-1] == pytest.approx(line[0], abs=1e-12)


def test_it_compares_and_travels(gridded):
    arm = arm_of([0.3, 0.2], [turned(-90, 90), turned(0, 150)])
    assert workspace(arm) == workspace(arm)
    points = np.random.default_rng(1).uniform(-1.0, 3.0, (500, 2))
    for found in (workspace(arm), gridded):
        sent = pickle.loads(pickle.dumps(found))
        assert np.array_equal(sent.contains(points), found.contains(points))


# Arms whose reach nearly touches itself: joints a hair past straight or folded, links that differ
# by a nanometre. Each needs a coarser grain than the last, or none that is coarse enough to fail.
NEARLY_TOUCHING = [
    [(0.1999999999998, -1.0, 4.2), (0.9999, -math.pi, math.pi), (0.1, math.pi + 1e-10, 3.1426)],
    [
        (0.20000000002, -6.021375919380437, -2.8797831657906436),
        (0.999999999999, 0.5235977755982988, 6.7195266201781685),
        (0.10000000001, -6.283185308179586, -6.282185308179586),
    ],
    [(0.5005, -3.4033820413889426, 1.8326057135940461), (0.5, -1e-6, math.pi - 1e-6)],
    [(0.3, 1.0471975511965976, 1.0481975511955974), (0.1, -1e-6, math.pi)],
]


@pytest.mark.parametrize("hinges", NEARLY_TOUCHING)
def test_a_reach_that_nearly_touches_itself_is_closed(hinges):
    linkage = tuple(Hinge(*hinge) for hinge in hinges)
    loops = outline(linkage)
    assert loops
    for loop in loops:
        for arc, after in zip(loop, loop[1:] + loop[:1], strict=True):
            assert abs(arc.ends[1] - after.ends[0]) < 1e-7
    assert sum(map(enclosed_area, loops)) > 0.0


NEAREST_ARMS = {
    "ring": ulna.Arm.rods([1.0, 0.4], [1.0, 1.0], base=(2.0, -1.0)),
    "limits": ulna.preset("so-101"),
    "one link": ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(0.0, 1.0)]),
    "grid": ulna.Arm.rods([0.3] * 4, [1.0] * 4, joints=[ulna.Joint(-1.0, 1.0)] * 4),
}


@pytest.mark.parametrize("name", NEAREST_ARMS)
def test_no_reachable_tip_is_nearer_than_the_nearest_point(name):
    arm = NEAREST_ARMS[name]
    region, random = ulna.kinematics.workspace(arm), np.random.default_rng(1)
    low = np.maximum(arm.parameters.lower, -np.pi)
    high = np.minimum(arm.parameters.upper, np.pi)
    tips = ulna.kinematics.tip(arm, random.uniform(low, high, (20_000, arm.n)))[:, :2]
    slack = region.tolerance + 1e-9
    for point in np.array(arm.base) + random.uniform(-1.5, 1.5, (20, 2)) * arm.reach:
        nearest = region.nearest(point)
        gap = np.hypot(*(tips - point).T).min()
        assert np.hypot(*(nearest - point)) <= gap + slack
        inwards = (nearest - point) / max(np.hypot(*(nearest - point)), 1e-300)
        assert region.contains(nearest + region.tolerance * inwards)
        if region.contains(point):
            assert (nearest == point).all()


def test_whole_turns_in_the_limits_change_nothing():
    plain = workspace(arm_of([1.0, 0.7], [(-1.0, 1.0)] * 2))
    for turns in (1, 500, -(10**5)):
        shift = 2.0 * math.pi * turns
        moved = workspace(arm_of([1.0, 0.7], [(-1.0 + shift, 1.0 + shift)] * 2))
        assert moved.area == pytest.approx(plain.area, rel=1e-6)


def test_a_region_thinner_than_rounding_says_so():
    thin = workspace(arm_of([1.0, 1.0], [(0.0, 1e-6)] * 2))
    assert thin.area >= 0.0
    assert thin.loops or "thinner than rounding" in repr(thin)


def test_an_outline_that_would_be_too_coarse_is_refused_with_the_figure():
    with pytest.raises(ulna.InputError, match=r"100 links .* \d+% of the reach"):
        workspace(arm_of([0.1] * 100, [(-1.0, 1.0)] * 100))

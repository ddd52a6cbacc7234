"""Drawings of unknown size, fitted into what an arm reaches."""

from dataclasses import replace

import numpy as np
import pytest

import ulna
from ulna import paths

S = np.linspace(0.0, 1.0, 4001)


def drawing(path):
    return replace(path, fit=True, notes=("drawn by hand",))


STAR = [(0, 0), (40, 30), (80, 0), (60, 50), (100, 80), (50, 75), (40, 120), (30, 75), (-20, 80)]
DRAWINGS = {
    "rose": drawing(paths.rose((500.0, -300.0), 80.0)),
    "star": drawing(paths.polyline(STAR, closed=True)),
    "wide": drawing(paths.ellipse((0.0, 0.0), (300.0, 5.0))),
    "tall": drawing(paths.ellipse((7.0, 7.0), (0.001, 0.05))),
    "level": drawing(paths.line((0.0, 3.0), (9.0, 3.0))),
    "upright": drawing(paths.line((3.0, 0.0), (3.0, 9.0))),
}
ARMS = {
    "equal links": ulna.Arm.rods([0.5, 0.5], [1.0, 1.0]),
    "a hole": ulna.Arm.rods([1.0, 0.3], [1.0, 1.0], base=(2.0, -1.0)),
    "a small first link": ulna.Arm.rods([0.2, 0.5], [1.0, 1.0]),
    "three links": ulna.Arm.rods([0.3, 0.2, 0.2], [1.0, 1.0, 1.0], base=(-0.3, 0.1)),
    "half a turn each": ulna.Arm.rods(
        [0.25, 0.2],
        [1.0, 1.0],
        joints=[ulna.Joint(lower=-np.pi / 2, upper=np.pi / 2), ulna.Joint(lower=-2.6, upper=2.6)],
    ),
}


CASES = [
    *((arm, path) for arm in ARMS if arm != "three links" for path in DRAWINGS),
    *(("three links", path) for path in ("rose", "star")),
]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def made(request):
    arm, path = request.param
    return DRAWINGS[path], ulna.plan(ARMS[arm], DRAWINGS[path], rate=50.0)


def test_all_of_it_is_in_reach_and_within_limits(made):
    _, plan = made
    assert plan.ok
    radius = np.linalg.norm(plan.path(S) - plan.arm.base, axis=-1)
    lengths = [link.length for link in plan.arm.links]
    assert radius.max() < plan.arm.reach
    assert radius.min() > 2.0 * max(lengths) - sum(lengths)


def test_it_stays_upright_and_in_shape(made):
    path, plan = made
    before, after = path(S), plan.path(S)
    first, last = S.searchsorted([0.0, 0.37])
    factor = np.linalg.norm(after[last] - after[first]) / np.linalg.norm(
        before[last] - before[first]
    )
    shift = after[0] - factor * before[0]
    assert np.abs(factor * before + shift - after).max() <= 1e-9 * np.ptp(after, axis=0).max()


def test_a_drawing_that_was_fitted_says_how_long_its_unit_became(made):
    path, plan = made
    points = path(S), plan.path(S)
    before, after = (np.ptp(values, axis=0).max() for values in points)
    told = [note for note in plan.path.notes if "fitted into reach" in note]
    (note,) = told
    assert f"1 unit is {1e3 * after / before:.4g} mm" in note
    assert plan.path.notes[0] == "drawn by hand"
    assert note in repr(plan)


@pytest.mark.parametrize("name", ["rose", "star"])
def test_it_is_as_large_as_can_be_seen(name):
    """A drawing as wide as high, beside the base: at least a quarter of the reach in size."""
    plan = ulna.plan(ARMS["equal links"], DRAWINGS[name])
    assert np.ptp(plan.path(S), axis=0).max() >= 0.25 * ARMS["equal links"].reach


def test_a_drawing_with_a_scale_is_left_where_it_is():
    path = DRAWINGS["rose"].scaled(0.001).placed((0.0, 0.6))
    assert not path.fit
    plan = ulna.plan(ARMS["equal links"], path)
    assert np.abs(plan.path(S) - path(S)).max() == 0.0


def test_where_nothing_fits_it_says_so():
    stiff = [ulna.Joint(), ulna.Joint(lower=-1e-6, upper=1e-6)]
    with pytest.raises(ulna.InfeasibleError, match="no place within the arm's reach and limits"):
        ulna.plan(ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=stiff), DRAWINGS["rose"])


def test_one_link_has_no_room_for_a_drawing():
    with pytest.raises(ulna.InfeasibleError, match="a single link reaches but a circle"):
        ulna.plan(ulna.Arm.rods([1.0], [1.0]), DRAWINGS["rose"])


def random_limits(seed):
    random = np.random.default_rng(seed)
    joints = [ulna.Joint(lower=-low, upper=up) for low, up in random.uniform(0.5, 2.6, (2, 2))]
    return ulna.Arm.rods(random.uniform(0.2, 1.0, 2), [1.0, 1.0], joints=joints)


def has_room(arm):
    """Whether a small circle somewhere in the ring can be followed on one of the branches."""
    reach, sizes = arm.reach, [link.length for link in arm.links]
    hole = abs(sizes[0] - sizes[1])
    for part in (0.4, 0.6, 0.8):
        for turn in np.arange(0.0, 6.2, 0.6):
            middle = (hole + part * (reach - hole)) * np.array([np.cos(turn), np.sin(turn)])
            path = paths.circle(tuple(middle), 0.05 * (reach - hole))
            if any(ulna.plan(arm, path, elbow=e, rate=20.0).ok for e in ("positive", "negative")):
                return True
    return False


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_arms_of_two_limited_joints_find_a_place_wherever_there_is_room(seed):
    arm = random_limits(seed)
    if has_room(arm):
        assert ulna.plan(arm, DRAWINGS["star"], rate=50.0).ok


def test_real_arms_of_three_joints():
    for name in ("open-manipulator-x", "so-101"):
        assert ulna.plan(ulna.preset(name), DRAWINGS["rose"]).ok

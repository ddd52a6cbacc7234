"""Laws of reach: what is contained can be reached, what is not cannot, and areas add up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ulna
from ulna.kinematics import tip, workspace
from ulna.kinematics.limited_linkage import linkage_of, raster

TURN = 2 * math.pi
FREE = (-math.inf, math.inf)

# Right angles, straight and folded joints are where outlines touch themselves: draw them often.
# Decimals keep the rest clear of slivers that no test could tell from rounding.
DEGREE = math.radians(1)


def decimals(least, most):
    return st.integers(round(100 * least), round(100 * most)).map(lambda k: k / 100)


angles = st.one_of(st.integers(-12, 12).map(lambda k: k * math.pi / 12), decimals(-3.2, 3.2))
ranges = st.one_of(
    st.integers(1, 23).map(lambda k: k * math.pi / 12),
    decimals(0.02, 6.26),
    st.sampled_from([DEGREE, TURN - DEGREE]),
)
limited = st.builds(lambda lower, width: (lower, lower + width), angles, ranges)
limits = st.one_of(limited, limited, limited, st.just(FREE))
lengths = st.one_of(st.sampled_from([0.3, 0.5, 0.6, 1.0]), decimals(0.1, 1.0))


@st.composite
def limited_arms(draw, least=1, most=3):
    n = draw(st.integers(least, most))
    length = draw(st.lists(lengths, min_size=n, max_size=n))
    joints = draw(st.lists(limits, min_size=n, max_size=n).filter(lambda one: set(one) != {FREE}))
    return arm_of(length, joints, (draw(st.floats(-2, 2)), draw(st.floats(-2, 2))))


def arm_of(length, joints, base=(0.0, 0.0)):
    joints = [ulna.Joint(lower=lower, upper=upper) for lower, upper in joints]
    return ulna.Arm.rods(length, [1.0] * len(length), base=base).replace(joints=joints)


def tips(arm, count, seed=0):
    """Tips of random postures, many of them with joints at their limits or straight."""
    random = np.random.default_rng(seed)
    lower, upper = ranges_of(arm)
    part = np.clip(random.uniform(-0.2, 1.2, (count, arm.n)), 0.0, 1.0)
    return tip(arm, lower + (upper - lower) * part)[:, :2]


def ranges_of(arm):
    lower, upper = arm.parameters.lower, arm.parameters.upper
    free = ~(upper - lower < TURN)
    return np.where(free, -math.pi, lower), np.where(free, math.pi, upper)


def around(arm, count, seed=1):
    random = np.random.default_rng(seed)
    return np.array(arm.base) + arm.reach * random.uniform(-1.02, 1.02, (count, 2))


def two_links_reach(length, lower, upper, place):
    """Whether the closed-form postures of two links lie within limits; an independent statement."""
    first, second = length
    cosine = (np.abs(place) ** 2 - first**2 - second**2) / (2 * first * second)
    possible = np.abs(cosine) <= 1.0
    elbow = np.arccos(np.clip(cosine, -1.0, 1.0))
    found = np.zeros(possible.shape, bool)
    for q2 in (elbow, -elbow):
        q1 = np.angle(place) - np.angle(first + second * np.exp(1j * q2))
        inside = [
            (q - low) % TURN <= high - low
            for q, low, high in zip((q1, q2), lower, upper, strict=True)
        ]
        found |= possible & inside[0] & inside[1]
    return found


def brute_force(arm, points, scan=500):
    """Membership by closed form: two links at once, three by trying many angles of each joint."""
    place = (points - np.array(arm.base)) @ np.array([1.0, 1j])
    (lower, upper), (first, second, *third) = ranges_of(arm), arm.parameters.length
    if not third:
        return two_links_reach((first, second), lower, upper, place)
    q1, q2, q3 = np.linspace(lower, upper, scan).T[:, :, None]
    on_link = place * np.exp(-1j * q1) - first
    found = two_links_reach((second, third[0]), lower[1:], upper[1:], on_link).any(axis=0)
    # With another joint held, its two links are one, which points aside by a fixed angle.
    held = second + third[0] * np.exp(1j * q3)
    low, high = ((end[0], end[1] + np.angle(held)) for end in (lower, upper))
    found |= two_links_reach((first, np.abs(held) + 1e-15), low, high, place).any(axis=0)
    held = first + second * np.exp(1j * q2)
    low, high = ((end[0] + np.angle(held), end[2] + q2 - np.angle(held)) for end in (lower, upper))
    found |= two_links_reach((np.abs(held) + 1e-15, third[0]), low, high, place).any(axis=0)
    return found


def distance_to_lines(points, lines):
    """Distance to polylines, by their corners: an upper bound, good to half their spacing."""
    corners = np.concatenate(lines) @ np.array([1.0, 1j])
    places = points @ np.array([1.0, 1j])
    return np.concatenate(
        [np.abs(part[:, None] - corners).min(axis=1) for part in np.array_split(places, 20)]
    )


def windings(points, lines):
    """How often closed polylines run around each point, counter-clockwise."""
    places = (points @ np.array([1.0, 1j]))[:, None]
    total = np.zeros(len(points))
    for line in lines:
        rays = (line @ np.array([1.0, 1j])) - places
        total += np.sum(np.angle(rays[:, 1:] / rays[:, :-1]), axis=1)
    return np.rint(total / TURN).astype(int)


@given(limited_arms())
@settings(deadline=None, max_examples=40)
def test_every_tip_is_contained(arm):
    assert workspace(arm).contains(tips(arm, 400)).all()


@given(limited_arms())
@settings(deadline=None, max_examples=40)
def test_loops_close_and_lie_within_reach(arm):
    found = workspace(arm)
    assert found.loops
    for loop in found.loops:
        for arc, after in zip(loop, loop[1:] + loop[:1], strict=True):
            assert abs(arc.ends[1] - after.ends[0]) < 1e-9 * arm.reach
        for arc in loop:
            assert found.contains(arc.points(5)).all()


@given(limited_arms(least=2))
@settings(deadline=None, max_examples=20)
def test_the_outline_runs_once_around_what_is_contained(arm):
    found = workspace(arm)
    lines = found.polylines(720)
    points = around(arm, 150)
    points = points[distance_to_lines(points, lines) > 0.006 * arm.reach]
    assert np.array_equal(windings(points, lines), found.contains(points).astype(int))


@given(limited_arms(least=2))
@settings(deadline=None, max_examples=20)
def test_beyond_the_outline_nothing_can_be_reached(arm):
    found = workspace(arm)
    step = 1e-8 * arm.reach
    for arc in (arc for loop in found.loops for arc in loop if arc.length > 1e-3 * arm.reach):
        middle = arc.points(3)[1]
        outward = math.copysign(step, arc.sweep) * (middle - arc.center) / arc.radius
        assert found.contains(middle - outward)
        assert not found.contains(middle + outward)
        assert not brute_force(arm, middle[None] + outward).any()


@given(limited_arms(least=2, most=2))
@settings(deadline=None, max_examples=40)
def test_two_links_agree_with_their_closed_form(arm):
    found, points = workspace(arm), around(arm, 1000)
    differ = found.contains(points) != brute_force(arm, points)
    assert not differ.any()


@given(limited_arms(least=3))
@settings(deadline=None, max_examples=15)
def test_three_links_agree_with_a_scan(arm):
    points = around(arm, 60)
    found, scanned = workspace(arm).contains(points), brute_force(arm, points)
    assert not (scanned & ~found).any()
    # A scan steps over angles that suit a point only just, but over few.
    assert np.mean(found & ~scanned) < 0.1


@given(limited_arms(least=2))
@settings(deadline=None, max_examples=10)
def test_area_is_what_a_grid_of_points_covers(arm):
    found = workspace(arm)
    edge = (np.arange(80) + 0.5) / 40 - 1.0
    points = np.array(arm.base) + arm.reach * np.stack(np.meshgrid(edge, edge), -1)
    cell = (arm.reach / 40) ** 2
    outline = sum(arc.length for loop in found.loops for arc in loop)
    # Each cell that the outline passes may be counted wrongly, most of them cancel.
    assert found.contains(points).sum() * cell == pytest.approx(
        found.area, abs=0.25 * outline * arm.reach / 40 + 4 * cell
    )


@given(limited_arms(least=2), st.floats(-4.0, 4.0))
@settings(deadline=None, max_examples=10)
def test_turning_the_first_joints_limits_turns_the_workspace(arm, turn):
    first = arm.joints[0]
    moved = ulna.Joint(lower=first.lower + turn, upper=first.upper + turn)
    other = arm.replace(joints=[moved, *arm.joints[1:]])
    points = around(arm, 300)
    cos, sin = math.cos(turn), math.sin(turn)
    away = (points - arm.base) @ np.array([[cos, sin], [-sin, cos]]) + arm.base
    assert np.array_equal(workspace(arm).contains(points), workspace(other).contains(away))
    assert workspace(other).area == pytest.approx(workspace(arm).area, abs=1e-9)


@given(limited_arms(), st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
@settings(deadline=None, max_examples=10)
def test_scale_and_place_do_not_matter(arm, scale, shift):
    base = (arm.base[0] + shift, arm.base[1] - shift)
    length = scale * arm.parameters.length
    other = ulna.Arm.rods(length, [1.0] * arm.n, base=base).replace(joints=arm.joints)
    points = around(arm, 300)
    away = np.array(base) + scale * (points - arm.base)
    assert np.array_equal(workspace(arm).contains(points), workspace(other).contains(away))
    assert workspace(other).area == pytest.approx(
        scale**2 * workspace(arm).area, abs=1e-9 * scale**2
    )


@given(limited_arms())
@settings(deadline=None, max_examples=10)
def test_mirrored_limits_mirror_the_workspace(arm):
    joints = [ulna.Joint(lower=-joint.upper, upper=-joint.lower) for joint in arm.joints]
    other = arm.replace(joints=joints)
    points = around(arm, 300)
    mirrored = np.array([1.0, -1.0]) * (points - arm.base) + arm.base
    assert np.array_equal(workspace(arm).contains(points), workspace(other).contains(mirrored))
    assert workspace(other).area == pytest.approx(workspace(arm).area, abs=1e-9)


@given(limited_arms(), st.floats(0.0, 1.0))
@settings(deadline=None, max_examples=10)
def test_wider_limits_lose_nothing(arm, by):
    joints = [ulna.Joint(lower=joint.lower - by, upper=joint.upper + by) for joint in arm.joints]
    narrow, wide = workspace(arm), workspace(arm.replace(joints=joints))
    points = around(arm, 300)
    assert not (narrow.contains(points) & ~wide.contains(points)).any()
    assert narrow.area <= wide.area + 1e-9


@given(st.lists(st.floats(0.1, 1.0), min_size=1, max_size=5))
@settings(deadline=None, max_examples=10)
def test_the_ring_without_limits(length):
    arm = ulna.Arm.rods(length, [1.0] * len(length))
    found = workspace(arm)
    assert found.outer == pytest.approx(sum(length))
    assert found.area == pytest.approx(math.pi * (found.outer**2 - found.inner**2))
    assert found.contains(tips(arm, 500)).all()


@given(lengths, lengths, angles, ranges, st.floats(0.0, 3.1), st.floats(0.02, 3.1))
@settings(deadline=None, max_examples=40)
def test_area_of_an_elbow_that_bends_one_way(first, second, lower, width, low, bend):
    # The radius tells the elbow's angle, and at each radius the first joint sweeps its range.
    high = min(low + bend, math.pi)
    found = workspace(arm_of([first, second], [(lower, lower + width), (low, high)]))
    swept = width * first * second * (math.cos(low) - math.cos(high))
    assert found.area == pytest.approx(swept, rel=1e-9, abs=1e-12)


@given(st.floats(0.1, 1.0), st.floats(0.3, 3.1), st.floats(0.05, 1.0))
@settings(deadline=None, max_examples=20)
def test_area_of_equal_links_with_an_elbow_that_bends_both_ways(length, width, part):
    # Both elbows' sweeps overlap as long as the bend is within the first joint's range, and
    # together they span the range and the bend: the integral of (width + q) l² sin q.
    bend = part * width
    found = workspace(arm_of([length, length], [(0.0, width), (-bend, bend)]))
    both = width * (1 - math.cos(bend)) + math.sin(bend) - bend * math.cos(bend)
    assert found.area == pytest.approx(length**2 * both, rel=1e-9)


def test_area_of_three_links_that_turn_a_ring():
    # Folded as far as the limits let it, three equal links make three sides of a square.
    right = (-math.pi / 2, math.pi / 2)
    found = workspace(arm_of([1.0, 1.0, 1.0], [FREE, right, right]))
    assert found.area == pytest.approx(math.pi * (3.0**2 - 1.0**2))
    assert len(found.loops) == 2


GRIDDED = [
    ([0.3, 0.2, 0.2, 0.1], [(-1.57, 1.57), (-2.6, 2.6), (0.0, 2.6), (-1.0, 1.0)]),
    ([0.3, 0.3, 0.3, 0.3], [(0.0, math.radians(359)), (3.0, 3.2), (0.5, 0.6), FREE]),
    ([0.3, 0.2, 0.2, 0.1, 0.1, 0.1], [(-1.0, 1.0), (0.0, 1.0), FREE, *[(0.2, 0.5)] * 3]),
]


@pytest.mark.parametrize(("length", "joints"), GRIDDED)
def test_a_grid_leaves_out_no_tip_and_encloses_what_it_contains(length, joints):
    arm = arm_of(length, joints, base=(0.3, -0.7))
    found = workspace(arm)
    assert found.tolerance <= 0.01 * arm.reach
    assert found.contains(tips(arm, 100_000)).all()
    edge = (np.arange(200) + 0.5) / 100 - 1.0
    points = np.array(arm.base) + arm.reach * np.stack(np.meshgrid(edge, edge), -1)
    covered = found.contains(points).mean() * 4 * arm.reach**2
    assert covered == pytest.approx(found.area, rel=0.02)


def test_a_grids_outline_is_within_its_tolerance_of_what_four_links_reach():
    # The fourth link is exact: some first angle brings a point nearby into the other three's reach.
    length, joints = GRIDDED[0]
    found, rest = workspace(arm_of(length, joints)), workspace(arm_of(length[1:], joints[1:]))
    outline = np.concatenate(found.polylines())[::150] @ np.array([1.0, 1j])
    nearby = outline[:, None] + found.tolerance * np.exp(1j * np.linspace(0.0, TURN, 9))[:-1]
    q1 = np.linspace(*joints[0], 200)
    seen = nearby[..., None] * np.exp(-1j * q1) - length[0]
    assert rest.contains(np.stack([seen.real, seen.imag], -1)).any(axis=(1, 2)).all()


@pytest.mark.parametrize(
    ("length", "joints"),
    [
        ([0.5, 0.3], [(-1.57, 1.57), (0.3, 2.6)]),
        ([0.5, 0.5, 0.2], [(0.0, 5.0), (1.6, math.pi), (-0.3, 0.3)]),
        ([0.3, 0.5, 0.5], [FREE, (0.0, math.radians(1)), (1.0, 2.0)]),
    ],
)
def test_a_grid_keeps_to_its_tolerance_of_the_exact_workspace(length, joints):
    arm = arm_of(length, joints)
    exact, grid = workspace(arm), raster(linkage_of(arm.parameters))
    points = around(arm, 20_000)
    inside, exactly = grid.contains(points @ np.array([1.0, 1j])), exact.contains(points)
    assert not (exactly & ~inside).any()
    extra = points[inside & ~exactly]
    assert (distance_to_lines(extra, exact.polylines(3000)) <= grid.tolerance).all()
    corners = np.concatenate(grid.polygons())
    corners = np.stack([corners.real, corners.imag], axis=-1)[::7]
    near = distance_to_lines(corners, exact.polylines(3000)) <= grid.tolerance
    assert near.all()

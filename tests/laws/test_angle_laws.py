"""Laws of angles, over thousands of random ones and those next to the ends of a turn."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ulna import angles

thorough = settings(max_examples=1000, deadline=None)
batched = settings(max_examples=150, deadline=None)  # of eight or more cases each
PI = math.pi
EXACT_TURN = 2 * Fraction(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640"
)


def nudge(angle, steps):
    for _ in range(abs(steps)):
        angle = math.nextafter(angle, math.copysign(math.inf, steps))
    return angle


near_ends = st.builds(
    lambda halves, steps: nudge(halves * PI, steps), st.integers(-1000, 1000), st.integers(-4, 4)
)
any_angle = st.floats(-1e6, 1e6) | st.floats(-10.0, 10.0) | near_ends
inside = st.floats(-PI, PI, exclude_min=True)


@thorough
@given(any_angle)
def test_wrapping_adds_whole_turns_until_the_angle_lies_in_the_half_open_turn(angle):
    wrapped = float(angles.wrap(angle))
    assert -PI < wrapped <= PI
    assert float(angles.wrap(wrapped)) == wrapped
    added = Fraction(wrapped) - Fraction(angle)
    turns = round(added / EXACT_TURN)
    assert abs(added - turns * EXACT_TURN) <= 2 * math.ulp(max(abs(angle), PI))


@thorough
@given(inside)
def test_an_angle_in_the_turn_is_untouched(angle):
    assert float(angles.wrap(angle)) == angle


@thorough
@given(any_angle, st.floats(-100.0, 100.0))
def test_wrapping_around_a_middle(angle, middle):
    wrapped = float(angles.wrap(angle, middle))
    slack = 2 * math.ulp(max(abs(middle), PI) + PI)
    assert middle - PI - slack <= wrapped <= middle + PI + slack
    turns = round((Fraction(wrapped) - Fraction(angle)) / EXACT_TURN)
    error = Fraction(wrapped) - Fraction(angle) - turns * EXACT_TURN
    assert abs(error) <= 3 * math.ulp(max(abs(angle), abs(wrapped), PI))


@thorough
@given(any_angle, any_angle)
def test_there_and_back_is_no_turn_or_a_whole_one(a, b):
    there, back = float(angles.difference(a, b)), float(angles.difference(b, a))
    assert -PI < there <= PI
    if there != -back:
        # Half a turn is the same both ways round: it is counted as +π.
        slack = 4 * math.ulp(abs(a) + abs(b) + PI)
        assert abs(there - PI) <= slack
        assert abs(back - PI) <= slack


@thorough
@given(st.floats(-1e3, 1e3), inside)
def test_a_turn_leads_where_it_says(start, turn):
    found = float(angles.difference(start + turn, start))
    assert abs(math.remainder(found - turn, 2 * PI)) <= 4 * math.ulp(abs(start) + PI)


# Paths and postures come from a seed: drawing their numbers one by one would take longer than
# all the laws together.
random = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@batched
@given(random)
def test_distance_is_a_metric_of_the_torus(rng):
    p, q = rng.uniform(-20.0, 20.0, (2, 8, 3))
    turns = 2 * PI * rng.integers(-3, 4, (8, 3))
    assert (angles.distance(p, p) == 0.0).all()
    distance = angles.distance(p, q)
    assert (distance <= PI * math.sqrt(3)).all()
    assert np.abs(angles.distance(q, p) - distance).max() <= 1e-14
    assert np.abs(angles.distance(p + turns, q) - distance).max() <= 1e-13
    middle = rng.uniform(-20.0, 20.0, (8, 3))
    detour = angles.distance(p, middle) + angles.distance(middle, q)
    assert (distance <= detour + 1e-14).all()


@batched
@given(random)
def test_unwrapping_undoes_wrapping_for_steps_below_half_a_turn(rng):
    steps = rng.uniform(-3.1415, 3.1415, (rng.integers(1, 30), 3))
    path = np.cumsum(steps, axis=0)
    slack = 4 * math.ulp(float(np.abs(path).max()) + PI)
    assert np.abs(angles.unwrap(angles.wrap(path)) - path).max() <= slack


@batched
@given(random)
def test_an_unwrapped_path_has_the_same_angles_and_no_jump(rng):
    path = rng.uniform(-50.0, 50.0, (rng.integers(1, 30), 3))
    smooth = angles.unwrap(path)
    turns = (smooth - path) / (2 * PI)
    assert np.abs(turns - np.round(turns)).max() <= 1e-13
    assert (np.abs(np.diff(smooth, axis=0)) <= PI * (1 + 1e-13)).all()
    assert (smooth[0] == path[0]).all()


def dyadic(rng):
    """Draw multiples of 1/1024, whose sums and differences are exact."""
    shape = rng.integers(1, 6, rng.integers(1, 4))
    return rng.integers(-(2**20), 2**20, shape) / 1024


@batched
@given(random.map(dyadic))
def test_absolute_and_relative_undo_each_other(q):
    phi = angles.relative_to_absolute(q)
    for i in range(q.shape[-1]):
        assert (phi[..., i] == q[..., : i + 1].sum(axis=-1)).all()
    assert (angles.absolute_to_relative(phi) == q).all()
    assert (angles.relative_to_absolute(angles.absolute_to_relative(q)) == q).all()


@batched
@given(random.map(dyadic))
def test_other_zeros_undo_each_other_and_move_the_first_joint_only(q):
    for there, back, quarter in (
        (angles.to_zero_down, angles.from_zero_down, PI / 2),
        (angles.to_zero_up, angles.from_zero_up, -PI / 2),
    ):
        for one, other in ((there, back), (back, there)):
            assert np.abs(one(other(q)) - q).max() <= 2 * math.ulp(2048.0)
            assert (one(q)[..., 1:] == q[..., 1:]).all()
        assert (there(q)[..., 0] == q[..., 0] + quarter).all()

"""Friction of a motion, the band that holds joints at rest, and the load that friction holds."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics
from ulna.dynamics import FrictionBand, chain, friction_band, friction_payload, friction_torque

STICKY = ulna.Friction(coulomb=0.2, static=0.5, stribeck_velocity=0.1, drag=0.03)
ARM = ulna.Arm.rods(
    [1.0, 0.8],
    [2.0, 1.0],
    joints=[ulna.Joint(friction=STICKY, damping=7.0), ulna.Joint(friction=ulna.Friction(0.3))],
    gravity=(0.0, -10.0),
)


def rod(static=0.0, **options):
    """Give a rod of 2 kg and 1 m, that is 10 N·m where it lies level."""
    joint = ulna.Joint(friction=ulna.Friction(0.0, static))
    return ulna.Arm.rods([1.0], [2.0], joints=[joint], gravity=(0.0, -10.0), **options)


# Friction of a motion


def test_a_joint_at_rest_has_the_friction_of_its_start():
    moving = 0.2 + 0.3 * math.exp(-((0.25 / 0.1) ** 2)) + 0.03 * 0.25**2
    assert friction_torque(ARM, [-0.25, 1.0]) == pytest.approx([-moving, 0.3], rel=1e-14)
    still = [0.0, 0.0]
    assert friction_torque(ARM, still).tolist() == [0.0, 0.0]
    assert friction_torque(ARM, still, still).tolist() == [0.0, 0.0]
    assert friction_torque(ARM, still, [1e-9, -2.0]).tolist() == pytest.approx([0.5, -0.3])
    assert friction_torque(ARM, [0.0, 1.0], [-1.0, -1.0]).tolist() == pytest.approx([-0.5, 0.3])


# The band


def test_the_band_of_joints_at_rest_is_static_friction_to_either_side():
    found = friction_band(ARM)
    assert isinstance(found, FrictionBand)
    assert (found.lower.tolist(), found.upper.tolist()) == ([-0.5, -0.3], [0.5, 0.3])
    lower, upper = friction_band(ARM, [[0.0, 1e-300], [-2.0, 0.0]])
    assert (lower.tolist(), upper.tolist()) == ([[-0.5, 0], [0, -0.3]], [[0.5, 0], [0, 0.3]])
    found.upper[0] = 1.0  # what is handed out is not the arm's own
    assert ARM.parameters.static[0] == 0.5


# What friction alone holds


@pytest.mark.parametrize("angle", [0.0, 0.4, -2.0, 3.0])
def test_the_load_that_friction_holds_takes_all_of_it(angle):
    arm = rod(25.0)
    more = float(friction_payload(arm, [angle]))
    held = dynamics.holding_torque(arm.with_payload(more), [angle])
    assert np.abs(held) == pytest.approx([25.0])


# Rest


def test_a_rod_starts_where_more_than_its_static_friction_pulls():
    # 10 cos q N·m of weight against 8 N·m, and an inertia of 2/3 kg·m².
    arm, still = rod(8.0), [0.0]
    assert dynamics.forward_dynamics(arm, [1.0], still, still).tolist() == [0.0]
    breaks_away = math.acos(0.8)
    for angle, moves in ((breaks_away + 1e-6, False), (breaks_away - 1e-6, True)):
        assert bool(dynamics.forward_dynamics(arm, [angle], still, still)[0]) is moves
    found = dynamics.forward_dynamics(arm, [0.0], still, still)
    assert found == pytest.approx([-(10.0 - 8.0) * 1.5])


@pytest.mark.parametrize("where", [chain, dynamics, "compiled"], ids=["closed", "rows", "compiled"])
def test_the_joint_furthest_beyond_its_friction_may_be_held_after_all(where):
    # Two rods in line, 1 N·m of friction each. The first is driven by 3 N·m and the second by 2;
    # let go, the second starts with (2 − 1) / (1/3) rad/s² and takes 5/6 · 3 of the first's.
    joint = ulna.Joint(friction=ulna.Friction(1.0))
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[joint, joint], gravity=(0.0, 0.0))
    still, tau = np.zeros(2), np.array([3.0, 2.0])
    if where == "compiled":
        found = ulna.compiled(arm).forward_dynamics(still, still, tau)
    else:
        found = where.forward_dynamics(arm, still[None], still, tau)[0]
    assert found[0] == 0.0
    assert found[1] == pytest.approx(3.0)
    assert (dynamics.mass_matrix(arm, still) @ found - tau)[0] == pytest.approx(-0.5)


@pytest.mark.parametrize("form", ["one state", "rows", "closed form"])
def test_friction_of_zero_changes_no_bit(random_arm, arm_of, form):
    random = np.random.default_rng(0)
    arm = arm_of(random_arm(random, 3, whole=True))
    joints = [dataclasses.replace(one, friction=ulna.Friction()) for one in arm.joints]
    other, states = arm.replace(joints=joints), random.normal(size=(3, 4, 3))
    states[1, 0] = 0.0
    if form == "one state":
        states = states[:, 0]
    where = chain if form == "closed form" else dynamics
    for function in (where.forward_dynamics, where.inverse_dynamics):
        assert function(arm, *states).tobytes() == function(other, *states).tobytes()
    with_none = chain.forward_dynamics(arm.parameters.without_friction(), *states)
    assert chain.forward_dynamics(arm, *states).tobytes() == with_none.tobytes()


def test_rows_give_the_same_bits_wherever_they_stand(random_arm):
    random = np.random.default_rng(3)
    arms = random_arm(random, 3, (40,), whole=True, friction=True)
    q, qd, tau = random.normal(size=(3, 40, 3))
    qd[::2] = 0.0
    found = dynamics.forward_dynamics(arms, q, qd, tau)
    order = random.permutation(40)
    again = dynamics.forward_dynamics(arms.rows(order), q[order], qd[order], tau[order])
    assert again.tobytes() == found[order].tobytes()


# Linearising


@pytest.mark.parametrize(
    ("torque", "words"),
    [
        (4.0, "joint 1 at rest, held by 6 of at most 8 N·m of friction"),
        (0.0, "joint 1 at rest, about to break away from 8 N·m of static friction"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True], ids=["closed form", "compiled"])
def test_a_joint_at_rest_cannot_be_linearised(torque, words, compiled):
    arm, still = rod(8.0), np.zeros(1)
    linearise = ulna.compiled(arm).linearise if compiled else partial(dynamics.linearise, arm)
    with pytest.raises(ulna.InputError) as caught:
        linearise(still, still, np.array([torque]))
    [problem] = caught.value.problems
    assert problem.got == words
    assert "arm.without_friction()" in problem.hint
    dynamics.linearise(arm.without_friction(), still, still, [torque])


def test_the_state_of_a_batch_that_cannot_be_linearised_is_named():
    rates = [[1.0, 1.0], [1.0, 0.0]]
    with pytest.raises(ulna.InputError, match="state 2: joint 2 at rest"):
        dynamics.linearise(ARM, np.zeros((2, 2)), rates, np.zeros((2, 2)))


def test_drag_alone_has_a_slope_everywhere():
    joint = ulna.Joint(friction=ulna.Friction(drag=0.5))
    arm = ulna.Arm.rods([1.0], [3.0], joints=[joint])
    for rate in (0.0, 2.0, -3.0):
        state, _ = dynamics.linearise(arm, [0.3], [rate], [0.0])
        assert state[1, 1] == pytest.approx(-abs(rate))


@pytest.mark.parametrize("compiled", [False, True], ids=["closed form", "compiled"])
def test_the_slope_of_friction_that_slides_is_that_of_forward_dynamics(
    random_arm, arm_of, compiled
):
    random = np.random.default_rng(4)
    arm = arm_of(random_arm(random, 2, whole=True, friction=True))
    q, qd, tau = random.normal(size=(3, 2))
    linearise = ulna.compiled(arm).linearise if compiled else partial(dynamics.linearise, arm)
    state, control = linearise(q, qd, tau)
    step, steps = 1e-4, np.array([-2, -1, 1, 2])
    weights = np.array([1, -8, 8, -1]) / (12 * step)
    aside = step * steps[:, None, None] * np.eye(2)
    for column, (dq, dqd, dtau) in enumerate(np.eye(3)):
        moved = chain.forward_dynamics(arm, q + dq * aside, qd + dqd * aside, tau + dtau * aside)
        slope = np.einsum("k,kij->ji", weights, moved)
        whole = np.concatenate([state, control], axis=-1)[2:, 2 * column : 2 * column + 2]
        assert whole == pytest.approx(slope, rel=1e-7, abs=1e-7)


# Equilibria


def test_equilibria_say_which_joints_can_be_held_anywhere():
    found = dynamics.equilibria(ARM, [0.0, 0.0])
    without = dynamics.equilibria(ARM.without_friction(), [0.0, 0.0])
    assert (found.sticking, without.sticking) == ((1, 2), ())
    assert [one.kind for one in found] == [one.kind for one in without]
    assert all(np.array_equal(a.q, b.q) for a, b in zip(found, without, strict=True))
    assert all(
        np.array_equal(a.eigenvalues, b.eigenvalues) for a, b in zip(found, without, strict=True)
    )
    none = dynamics.equilibria(rod(30.0), [15.0])
    assert (len(none), none.sticking) == (0, (1,))
    assert none.reason.endswith("more than the weight can balance without friction")
    # Held all the same: 15 N·m less than what the weight takes is within its friction.
    assert not dynamics.forward_dynamics(rod(30.0), [0.3], [0.0], [15.0]).any()

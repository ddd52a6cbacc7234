"""Every controller, just as it comes, settles every preset at poses all over its range."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import root

import ulna
from ulna.control import (
    PD,
    PID,
    Adaptive,
    ComputedTorque,
    ControlTiming,
    FeedforwardPID,
    GravityPD,
    loop_stability,
)

KINDS = [PD, PID, GravityPD, FeedforwardPID, ComputedTorque, Adaptive]
RATES = [100.0, 250.0, 1000.0]
STEPS = {100.0: 5e-3, 250.0: 4e-3, 1000.0: 1e-3}  # [s] of the integrator: ticks are multiples
STILL, NEAR = 1e-3, 1e-3  # [rad/s], [rad]
QUICKLY_LEARNT = ("kehl", "bechard-skater")  # others take minutes of ticks: at all rates in slow
UNSEEN = 1e-2  # [1/s] below which what Adaptive learns has not begun within a minute


def arm_of(name):
    """Give a preset as its controllers are told that it is: without dry friction."""
    arm = ulna.preset(name)
    joints = [
        ulna.Joint(
            lower=one.lower, upper=one.upper, max_velocity=one.max_velocity,
            max_torque=one.max_torque, damping=one.damping, rotor_inertia=one.rotor_inertia,
            gear_ratio=one.gear_ratio,
        )
        for one in arm.joints
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ulna.UlnaWarning)  # of a preset that no body can be
        return arm.replace(joints=joints)


def draw(arm, count, seed):
    """Give starts and set-points (count, n): half of them 0.05 rad apart, half up to 0.5 rad."""
    random, p = np.random.default_rng(seed), arm.parameters
    lower, upper = np.maximum(p.lower, -math.pi), np.minimum(p.upper, math.pi)
    starts = random.uniform(lower, upper, (count, arm.n))
    way = random.uniform(-0.5, 0.5, starts.shape)
    way[::2] = 0.05 * np.sign(way[::2])
    goals = np.clip(starts + way, lower + 0.2, upper - 0.2)
    held = np.abs(ulna.dynamics.gravity_torque(arm, goals)) < 0.9 * p.max_torque
    assert held.all(axis=-1).mean() > 0.5  # a pose that the motors cannot hold is nobody's fault
    return starts[held.all(axis=-1)], goals[held.all(axis=-1)]


def sagged(arm, goals, stiffness):
    """Give where springs come to rest under the weight, by a solver of equations."""

    def rest(goal):
        found = root(
            lambda q: goal - q - ulna.dynamics.gravity_torque(arm, q) / stiffness, goal, tol=1e-12
        )
        assert np.abs(found.fun).max() < 1e-9  # [rad]
        return found.x

    return np.array([rest(goal) for goal in goals])


def slowest(arm, controller, goals, timing):
    """Give the longest time constant [s] near any of the set-points."""
    feedback = controller.feedback(arm, goals, timing)
    sizes = np.abs(np.linalg.eigvals(loop_stability.tick_map(arm, goals, feedback, timing)))
    decays = -timing.rate * np.log(np.maximum(sizes, 1e-300))
    if isinstance(controller, Adaptive):
        # Combinations of masses that gravity does not show are learnt by nobody, and reach nothing.
        decays = np.where(np.abs(decays) < UNSEEN, np.inf, decays)
    assert decays.min() > 0.0
    return 1.0 / decays.min()


def settle(name, kind, rate, count, seed):
    """Let a batch go from its starts to its set-points; all of them have to get there."""
    arm, timing, controller = arm_of(name), ControlTiming(rate), kind()
    starts, goals = draw(arm, count, seed)
    ends = goals
    if kind is PD:
        ends = sagged(arm, goals, controller.start(arm, timing)[0])
        p = arm.parameters
        inside = np.all((ends > p.lower + 0.02) & (ends < p.upper - 0.02), axis=-1)
        starts, goals, ends = starts[inside], goals[inside], ends[inside]
        assert len(ends) >= 1
    duration = max(5.0, 10.0 * slowest(arm, controller, ends, timing))
    left = at_the_end(arm, controller, rate, starts, goals, ends, duration)
    if kind is Adaptive and left.any():
        # Some of what it learns is slower than was waited for.
        longer = (starts[left], goals[left], ends[left], 10.0 * duration)
        left = at_the_end(arm, controller, rate, *longer)
    assert not left.any()


def at_the_end(arm, controller, rate, starts, goals, ends, duration):
    """Say which have not settled by then."""
    run = ulna.simulate_batch(
        arm, q0=starts, duration=duration, controller=controller, reference=goals, rate=rate,
        dt=STEPS[rate], progress=False,
    )  # fmt: skip
    assert np.all(run.status.ok)
    assert np.abs(run.qd[:, -1]).max() < STILL
    return np.abs(run.q[:, -1] - ends).max(axis=-1) > NEAR


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", ulna.presets())
def test_every_default_settles_all_over_the_range(name, rate):
    for kind in KINDS:
        if kind is not Adaptive or rate == RATES[0] or name in QUICKLY_LEARNT:
            settle(name, kind, rate, 16, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", ulna.presets())
@pytest.mark.parametrize("kind", KINDS)
def test_every_default_settles_at_very_many_poses(name, kind, rate):
    settle(name, kind, rate, 200, seed=8)


@pytest.mark.parametrize("kind", [PD, PID, GravityPD, FeedforwardPID])
@pytest.mark.parametrize(("rate", "delay"), [(100.0, 0.02), (250.0, 0.02)])
def test_where_no_gain_can_it_is_said_beforehand_and_why(kind, rate, delay):
    arm, q = arm_of("so-101"), np.array([0.1, 0.1, 0.1])
    with pytest.warns(ulna.UlnaWarning, match=r"gravity asks for more than .* N·m/rad") as said:
        ulna.simulate(
            arm, q0=q, duration=0.1, controller=kind(), reference=q + 0.05, rate=rate,
            sensors=ulna.Sensors(delay=delay),
        )  # fmt: skip
    assert len(said) == 1
    text = str(said[0].message)
    assert f"{kind.__name__} on so-101 at {rate:g} Hz with a delay of 20 ms" in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rate", "delay"), [(100.0, 0.02), (250.0, 0.02), (1000.0, 0.01)])
def test_a_delay_is_either_borne_or_said(kind, rate, delay):
    # A loop is unstable where its run does not come near, whatever was thought beforehand.
    arm, q = arm_of("kehl"), np.array([1.2, 0.4])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = ulna.simulate(
            arm, q0=q, duration=40.0, controller=kind(), reference=q + 0.05, rate=rate, dt=2e-3,
            sensors=ulna.Sensors(delay=delay), samples=2,
        )  # fmt: skip
    settled = run.status.ok and np.abs(run.qd[-1]).max() < 0.05
    assert settled or len(said) == 1

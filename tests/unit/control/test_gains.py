"""Gains by default, from the arm, its weight, rate and delay; and what is said beforehand."""

import numpy as np
import pytest

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
from ulna.control.gains import bounds_of, gravity_stiffness
from ulna.dynamics import gravity_torque, mass_matrix

KEHL, SO = ulna.preset("kehl"), ulna.preset("so-101").with_motors(None)  # a light arm


def poses(arm, count=200):
    p, random = arm.parameters, np.random.default_rng(3)
    return random.uniform(np.maximum(p.lower, -np.pi), np.minimum(p.upper, np.pi), (count, arm.n))


def differences(arm, q, h=1e-5):
    """Give ∂G/∂q by differences of the torques for the weight."""
    steps = [
        (gravity_torque(arm, q + h * e) - gravity_torque(arm, q - h * e)) / (2 * h)
        for e in np.eye(arm.n)
    ]
    return np.stack(steps, axis=-1)


@pytest.mark.parametrize("name", ["so-101", "bechard-4", "garai", "dfki-double-pendulum"])
def test_bounds_hold_at_every_pose(name):
    arm = ulna.preset(name)
    q, bounds = poses(arm), bounds_of(arm)
    spring = np.diag(gravity_stiffness(arm)) + differences(arm, q)
    assert np.linalg.eigvalsh(spring).min() > -1e-6 * gravity_stiffness(arm).max()
    light = mass_matrix(arm, q) - 0.97 * np.diag(bounds.lightest)
    assert np.linalg.eigvalsh(light).min() > 0.0


def test_springs_hold_an_arm_upright_just_where_they_are_stiffer_than_its_bound():
    q = np.array([np.pi / 2, 0.0])
    both = np.diag(gravity_stiffness(KEHL)) + differences(KEHL, q)
    assert np.linalg.eigvalsh(both)[0] == pytest.approx(0.0, abs=1e-6)


def test_defaults_know_the_rate_the_delay_and_the_weight():
    slow, fast, late = (
        PD().start(KEHL, timing)
        for timing in (ControlTiming(100.0), ControlTiming(), ControlTiming(1000.0, 0.02))
    )
    assert np.all(slow < fast)
    assert np.all(late < fast)
    flat = PD().start(SO.replace(gravity=(0.0, 0.0)), ControlTiming(250.0))
    assert np.all(PD().start(SO, ControlTiming(250.0))[0] > flat[0])


@pytest.mark.parametrize("timing", [ControlTiming(50.0), ControlTiming(1000.0, 0.02)])
def test_what_is_given_is_kept_as_given(timing):
    assert PD(3.0, 0.5).start(SO, timing).tolist() == [[3.0] * 3, [0.5] * 3]
    assert np.array_equal(
        PD(natural_frequency=6.0).start(SO, timing),
        PD(natural_frequency=6.0).start(SO, ControlTiming()),
    )
    assert ComputedTorque(20.0).start(SO, timing).gains[0].tolist() == [400.0] * 3
    assert PID(ki=2.0).start(SO, timing).gains.ki.tolist() == [2.0] * 3
    learning = Adaptive(adaptation=0.3).start(SO, timing).gains.speed
    assert np.array_equal(learning, Adaptive(adaptation=0.3).start(SO).gains.speed)


def test_a_batch_chooses_for_every_arm_as_for_one():
    arms = [KEHL, ulna.preset("unit"), KEHL.with_payload(2.0)]
    for kind in (PD, PID, GravityPD, FeedforwardPID, ComputedTorque, Adaptive):
        together = kind().compiled(ulna.stack(arms), ControlTiming(200.0, 0.005)).params
        for column, arm in zip(together.T, arms, strict=True):
            alone = kind().compiled(arm, ControlTiming(200.0, 0.005)).params[:, 0]
            assert column == pytest.approx(alone, rel=1e-12)


def test_arms_of_a_batch_have_the_gains_of_their_own_delays():
    still = {"q0": [0.1, 0.1], "duration": 0.3, "reference": [0.3, 0.0], "rate": 250.0}
    sensors = [ulna.Sensors(), ulna.Sensors(delay=0.004)]
    batch = ulna.simulate_batch(KEHL, controller=PD(), sensors=sensors, **still)
    for arm, one in enumerate(sensors):
        alone = ulna.simulate(KEHL, controller=PD(), sensors=one, **still)
        assert batch.q[arm, -1] == pytest.approx(alone.q[-1], abs=1e-9)


class Told:
    """A controller of a user that asks for the timing; its sibling does not."""

    def start(self, arm, timing):
        return timing

    def torque(self, t, q, qd, reference, state):
        return np.zeros(len(q)), state


class Untold(Told):
    def start(self, arm):
        return "nothing"


def test_a_controller_is_told_the_timing_if_it_asks():
    options = {"q0": [0.0, 0.0], "rate": 200.0, "sensors": ulna.Sensors(delay=0.01)}
    told = ulna.Simulation(ulna.Scenario(arm=KEHL, controller=Told(), **options))
    assert told.controller_state == ControlTiming(200.0, 0.01)
    assert (
        ulna.Simulation(ulna.Scenario(arm=KEHL, controller=Untold(), **options)).controller_state
        == "nothing"
    )


LOOPS = [
    (GravityPD(40.0, 3.0), ControlTiming(50.0)),
    (GravityPD(40.0, 3.0, measured=True), ControlTiming(100.0)),
    (FeedforwardPID(40.0, 3.0, 60.0, filter=30.0), ControlTiming(100.0)),
    (ComputedTorque(20.0, 0.5), ControlTiming(50.0)),
]


@pytest.mark.parametrize(("controller", "timing"), LOOPS, ids=repr)
def test_errors_grow_and_fall_as_the_map_over_a_tick_says(controller, timing):
    # Runs from poses beside the set-point: over so many ticks the gap is multiplied by the map.
    q, ticks, small = np.array([0.4, 0.7]), 12, 1e-6 * np.array([1.0, -0.5])
    run = ulna.simulate_batch(
        KEHL, q0=[q + small, q - small], duration=ticks * timing.period, controller=controller,
        reference=q, rate=timing.rate,
    )  # fmt: skip
    found = 0.5 * np.ravel([np.diff(run.q[::-1, -1], axis=0), np.diff(run.qd[::-1, -1], axis=0)])
    feedback = controller.feedback(KEHL, q, timing)
    maps = loop_stability.tick_map(KEHL, q, feedback, timing)
    start = np.zeros(len(maps))
    start[:2] = small
    if feedback.ki is not None:
        start[4:6] = -timing.period * small  # the first tick gathers nothing up
    told = (np.linalg.matrix_power(maps, ticks) @ start)[:4]
    assert found == pytest.approx(told, abs=2e-4 * np.abs(told).max())


def test_given_gains_that_the_rate_makes_unstable_are_doubted_beforehand():
    # Dampers take away more than there is once D exceeds 2 M / T, whatever the pose.
    q = [0.1, 0.1, 0.1]
    with pytest.warns(ulna.UlnaWarning, match=r"PD on so-101 at 50 Hz.*unstable; try a rate of"):
        ulna.simulate(SO, q0=q, duration=0.1, controller=PD(8.0, 0.3), reference=q, rate=50.0)
    ulna.simulate(SO, q0=q, duration=0.1, controller=PD(8.0, 0.3), reference=q, rate=20000.0)

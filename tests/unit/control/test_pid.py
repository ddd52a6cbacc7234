"""PID: takes away what a load leaves, does not wind up, and keeps noise out of the torques."""

import dataclasses
from contextlib import nullcontext

import numpy as np
import pytest

import ulna
from ulna.control import PD, PID, Reference
from ulna.dynamics import gravity_torque

ARM = ulna.preset("kehl")
AIM = np.array([0.7, -1.2])
FLAT = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
WEAK = FLAT.replace(joints=[ulna.Joint(max_torque=5.0)])


def shown(rate):
    """Show it a gap in the rates alone."""
    return np.zeros(1), np.zeros(1), Reference(np.zeros(1), np.array([rate]), None, None)


def answers(controller, times, rates):
    state, found = controller.start(FLAT), []
    for t, rate in zip(times, rates, strict=True):
        q, qd, reference = shown(rate)
        tau, state = controller.torque(t, q, qd, reference, state)
        found.append(tau[0])
    return np.array(found)


def test_it_removes_what_a_steady_load_leaves():
    options = {"q0": [0.0, 0.0], "duration": 8.0, "reference": AIM, "samples": 2}
    swing = ulna.Simulation(ARM, q0=[0.0, 0.0], controller=PID(), reference=AIM)
    swing.advance(8.0)
    assert swing.q == pytest.approx(AIM, abs=1e-8)
    # The integral has become the load.
    integral = PID().start(ARM).gains.ki * swing.controller_state[:2]
    assert integral == pytest.approx(gravity_torque(ARM, AIM), rel=1e-6)
    assert np.abs(ulna.simulate(ARM, controller=PD(), **options).q[-1] - AIM).max() > 0.01


def test_without_an_integral_it_is_pd():
    options = {"q0": [0.0, 0.0], "duration": 0.3, "reference": AIM}
    pd = ulna.simulate(ARM, controller=PD(), **options)
    pid = ulna.simulate(ARM, controller=PID(ki=0.0), **options)
    assert (pid.q == pd.q).all()


def test_too_much_integral_is_unstable_where_the_criterion_says():
    # M s³ + D s² + K s + I is stable for I < K D / M.
    ends = []
    unstable = pytest.warns(ulna.UlnaWarning, match="unstable")
    for share, said in ((0.9, nullcontext()), (1.1, unstable)):
        with said:
            run = ulna.simulate(
                FLAT, q0=[0.1], duration=20.0, reference=[0.0], rate=2000.0, dt=5e-4, samples=401,
                controller=PID(16.0, 4.0, share * 16.0 * 4.0),
            )  # fmt: skip
        half = len(run.t) // 2
        ends.append(np.abs(run.q[half:]).max() / np.abs(run.q[:half]).max())
    assert ends[0] < 0.5
    assert ends[1] > 2.0


def wound_up(controller):
    """Give the same that never learns of limits."""

    class Unaware:
        torque = controller.torque

        def start(self, arm):
            joints = [dataclasses.replace(joint, max_torque=np.inf) for joint in arm.joints]
            return controller.start(arm.replace(joints=joints))

    return Unaware()


def test_at_its_limit_it_does_not_wind_up():
    controller = PID(50.0, 15.0, 40.0)
    options = {"q0": [0.0], "duration": 6.0, "reference": [2.0]}
    aware = ulna.simulate(WEAK, controller=controller, **options)
    unaware = ulna.simulate(WEAK, controller=wound_up(controller), **options)
    assert "was at its torque limit" in aware.status.text
    over, over_unaware = aware.q.max() - 2.0, unaware.q.max() - 2.0
    assert over < 0.5 * over_unaware
    assert abs(aware.q[-1, 0] - 2.0) < abs(unaware.q[-1, 0] - 2.0)


def test_the_integral_stands_still_while_the_gap_pushes_into_the_limit():
    with pytest.warns(ulna.UlnaWarning, match="unstable"):
        swing = ulna.Simulation(WEAK, q0=[0.0], controller=PID(50.0, 0.0, 40.0), reference=[2.0])
    swing.advance(0.1)
    assert swing.tau[0] == 5.0
    assert swing.controller_state[0] == 0.0
    # A gap that pulls back from the limit counts: here a wound-up integral is taken down.
    state = PID(0.0, 0.0, 10.0).start(WEAK)
    state = state._replace(memory=np.array([[3.0], [0.0]]), t=0.0)
    back = Reference(np.array([-1.0]), np.zeros(1), None, None)
    _, after = PID(0.0, 0.0, 10.0).torque(0.1, np.zeros(1), np.zeros(1), back, state)
    assert after.memory[0, 0] == pytest.approx(3.0 - 0.1)


@pytest.mark.parametrize("ratio", [0.2, 1.0, 5.0])
def test_its_filter_damps_a_sine_by_the_first_order_formula(ratio):
    corner, dt = 50.0, 4e-5
    times = np.arange(0.0, 0.16 + 2.0 * np.pi / (ratio * corner), dt)
    found = answers(PID(0.0, 1.0, 0.0, filter=corner), times, np.sin(ratio * corner * times))
    settled = times >= 0.16  # eight time constants
    expected = np.sin(ratio * corner * times - np.arctan(ratio)) / np.sqrt(1.0 + ratio**2)
    assert found[settled] == pytest.approx(expected[settled], abs=2e-3)


def test_its_filter_is_exact_at_any_rate_of_ticks():
    corner = 30.0
    for times in (np.arange(20) * 0.05, np.cumsum(np.random.default_rng(1).uniform(0.0, 0.1, 20))):
        found = answers(PID(0.0, 1.0, 0.0, filter=corner), times, np.sign(np.arange(20)))
        assert found == pytest.approx(1.0 - np.exp(-corner * (times - times[0])), abs=1e-14)


def test_the_first_tick_takes_the_rate_as_it_is():
    assert answers(PID(0.0, 2.0, 0.0, filter=1.0), [0.3], [5.0])[0] == 10.0


def test_without_a_filter_rates_pass():
    rates = np.random.default_rng(2).normal(size=10)
    found = answers(PID(0.0, 1.0, 0.0), 0.1 * np.arange(10), rates)
    assert found == pytest.approx(rates, abs=1e-15)


def test_its_integral_is_the_sum_of_gaps_over_time():
    state, q = PID(0.0, 0.0, 1.0).start(FLAT), np.zeros(1)
    for t in (0.0, 0.1, 0.4):
        aim = Reference(np.array([2.0]), np.zeros(1), None, None)
        tau, state = PID(0.0, 0.0, 1.0).torque(t, q, q, aim, state)
    assert tau[0] == pytest.approx(2.0 * 0.4)

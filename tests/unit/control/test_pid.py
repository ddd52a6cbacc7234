"""PID: takes away what a load leaves, does not wind up, and keeps noise out of the torques."""

import dataclasses
from contextlib import nullcontext

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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
    swing = ulna.Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=PID(), reference=AIM))
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


def test_its_integral_is_the_sum_of_gaps_over_time_beyond_the_dead_band():
    controller = PID(0.0, 0.0, 1.0, dead_band=(0.5, 0.1))
    state, still = controller.start(ARM), np.zeros(2)
    for t in (0.0, 0.3, 1.0):
        gap = Reference(np.array([0.5, -0.2]), still, None, None)
        tau, state = controller.torque(t, still, still, gap, state)
    assert tau == pytest.approx([0.0, -0.2])


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
        swing = ulna.Simulation(
            ulna.Scenario(arm=WEAK, q0=[0.0], controller=PID(50.0, 0.0, 40.0), reference=[2.0])
        )
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
    # The first tick takes the rate as it is.
    assert answers(PID(0.0, 2.0, 0.0, filter=1.0), [0.3], [5.0])[0] == 10.0


STICKY = ulna.Friction(0.1, static=0.3, stribeck_velocity=0.01)
SERVO = ulna.Arm.rods(
    [0.3], [0.5], joints=[ulna.Joint(damping=0.02, friction=STICKY)], gravity=(0.0, 0.0)
)  # 0.015 kg·m² about its joint


def hunting(kp, kd, ki, slips=14):
    """Give where a continuous PID hunts to and for how long, from one stick to the next.

    It sticks until its integral makes up for static friction, which is a formula, and slides until
    it stops, which SciPy integrates.
    """
    inertia, damping = 0.015, 0.02 + kd
    q, integral, stops = 0.02, 0.0, []
    for _ in range(slips):
        way = -np.sign(q)
        wait = (0.3 - way * (ki * integral - kp * q)) / (ki * abs(q))
        integral -= q * wait

        def slide(t, y, way=way):
            friction = 0.1 + 0.2 * np.exp(-((y[1] / 0.01) ** 2))
            torque = ki * y[2] - kp * y[0] - damping * y[1] - way * friction
            return [y[1], torque / inertia, -y[0]]

        def stop(t, y, way=way):
            return way * y[1] - 1e-13

        stop.terminal, stop.direction = True, -1
        start = [q, way * 1e-9, integral]
        slid = solve_ivp(slide, (0.0, 2.0), start, "LSODA", events=stop, rtol=1e-9, atol=1e-12)
        q, _, integral = slid.y[:, -1]
        stops.append((abs(q), wait + slid.t[-1]))
    assert stops[-1] == pytest.approx(stops[-2], rel=3e-4)  # it is a cycle
    return stops[-1]


def hunted(controller, rate=1000.0, duration=6.0):
    return ulna.simulate(
        SERVO, q0=[0.02], duration=duration, controller=controller, reference=[0.0], rate=rate,
        dt=1.0 / rate, events={"passing": "q1"},
    )  # fmt: skip


def test_stiction_makes_it_hunt_at_the_size_and_the_period_of_theory():
    size, period = hunting(20.0, 0.5, 200.0)
    missed = []
    for rate in (1000.0, 2000.0):
        run = hunted(PID(20.0, 0.5, 200.0), rate)
        _, middle, end = map(np.abs, np.array_split(run.q[:, 0], 3))
        assert end.max() == pytest.approx(middle.max(), rel=5e-3)  # nothing decays
        passes = np.diff([event.t for event in run.events])[-6:]
        missed.append((end.max() / size - 1.0, np.mean(passes) / period - 1.0))
    # What is left is the torque being held over a tick, and goes with its length.
    assert np.abs(missed[1]).max() <= 5e-3
    assert np.divide(*missed) == pytest.approx([2.0, 2.0], rel=0.2)


def test_within_its_dead_band_it_rests():
    run = hunted(PID(20.0, 0.5, 200.0, dead_band=0.01))
    late = run.t > 3.0
    assert not run.qd[late].any()
    assert 0.0 < np.abs(run.q[-1, 0]) <= 0.01
    assert (run.tau[late] == run.tau[-1]).all()
    # One that is narrower than the slips are long does not help.
    assert len(hunted(PID(20.0, 0.5, 200.0, dead_band=0.001)).events) > 10

"""A sampled loop as it is, against the same loop written out by hand around SciPy.

Sensors with a delay and a resolution, rates from differences, a controller at its rate, and motors
with a lag: solve_ivp goes from edge to edge, at every one of which something jumps.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ulna import Actuators, Arm, Sensors, simulate, simulate_batch
from ulna.control import PD
from ulna.scenario import disturbances

ARM = Arm.rods([0.5, 0.4], [1.2, 0.8])
KP, KD = np.array([12.0, 3.0]), np.array([1.2, 0.2])
GOAL, START = np.array([0.6, -0.4]), np.array([0.1, 0.37])
STEP, RATE, LAG, END = 2.0 * math.pi / 4096.0, 250.0, 0.005, 0.2
PERIOD = 1.0 / RATE


def accelerations(q, qd, tau):
    """Return those of two uniform rods, as textbooks have them."""
    (l1, l2), (m1, m2), g = (0.5, 0.4), (1.2, 0.8), 9.81
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    near, cross, far = m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2, m2 * l2**2 / 3
    mass = np.array([[near + far + 2 * cross * c2, far + cross * c2], [far + cross * c2, far]])
    whirl = cross * s2 * np.array([-(2 * qd[0] + qd[1]) * qd[1], qd[0] ** 2])
    outer = m2 * g * l2 / 2 * math.cos(q[0] + q[1])
    weight = np.array([(m1 / 2 + m2) * g * l1 * math.cos(q[0]) + outer, outer])
    return np.linalg.solve(mass, tau - whirl - weight)


def by_hand(delay, sample_rate=None, command_delay=0.0, load=None, far=1e-8):
    """Return angles, rates and torques at the ends of the ticks, by SciPy."""
    if sample_rate is None:
        h = PERIOD
        first = math.ceil(delay / h - 1e-9) * h - delay  # the first regular sample
        instants = [0.0, *np.arange(first if first > 1e-9 else h, END, h)]
    else:
        h = 1.0 / sample_rate
        instants = list(np.arange(0.0, END, h))
    ticks = PERIOD * np.arange(round(END / PERIOD))
    edges = sorted({*np.round(instants, 12), *np.round(ticks, 12), END})
    edges = sorted({*edges, *np.round(ticks + command_delay, 12)})
    state, samples, measured = np.concatenate([START, [0.0, 0.0]]), [], []
    command, torque, since = np.zeros(2), np.zeros(2), 0.0
    queue, found = [], []
    for now, then in itertools.pairwise(edges):
        if now >= END - 1e-12:
            break
        if np.isclose(instants, now, rtol=0.0, atol=1e-11).any():
            share = state[:2] / STEP + 0.5
            assert np.abs(share - np.round(share)).min() * STEP > far, "a rounding edge"
            samples.append(STEP * np.floor(share))
            rate = np.zeros(2) if len(samples) == 1 else (samples[-1] - samples[-2]) / h
            measured.append((now, samples[-1], rate))
        if np.isclose(ticks, now, rtol=0.0, atol=1e-11).any():
            arrived = [one for one in measured if one[0] + delay <= now + 1e-9] or measured[:1]
            _, q, qd = arrived[-1]
            queue.append((now + command_delay, KP * (GOAL - q) - KD * qd))
        while queue and queue[0][0] <= now + 1e-9:
            torque = command + (torque - command) * math.exp(-(now - since) / LAG)
            command, since = queue.pop(0)[1], now

        def slope(t, y, command=command, torque=torque, since=since):
            tau = command + (torque - command) * math.exp(-(t - since) / LAG)
            if load is not None:
                tau = tau + load(t)
            return [*y[2:], *accelerations(y[:2], y[2:], tau)]

        state = solve_ivp(slope, (now, then), state, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        if np.isclose(then / PERIOD, round(then / PERIOD), rtol=0.0, atol=1e-9):
            tau = command + (torque - command) * math.exp(-(then - since) / LAG)
            found.append([*state, *tau])
    return np.array(found)


def simulated(sensors, actuators, **more):
    return {
        "q0": START, "controller": PD(KP, KD), "reference": GOAL, "rate": RATE, "duration": END,
        "samples": round(END / PERIOD) + 1, "sensors": sensors, "actuators": actuators, **more,
    }  # fmt: skip


CASES = {
    "2 ms": ({"delay": 0.002}, {}),
    "3.3 ms": ({"delay": 0.0033}, {}),
    "4 ms, a whole period": ({"delay": 0.004}, {}),
    "samples at 1 kHz": ({"delay": 0.0033, "rate": 1000.0}, {}),
    "commands late by 1.3 ms": ({"delay": 0.002}, {"delay": 0.0013}),
    "commands late by 5 ms": ({"delay": 0.002}, {"delay": 0.005}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_loop_is_that_written_out_by_hand(case):
    sensed, commanded = CASES[case]
    sensors = Sensors(angle_resolution=STEP, rate_from="difference", **sensed)
    actuators = Actuators(time_constant=LAG, **commanded)
    expected = by_hand(sensed["delay"], sensed.get("rate"), commanded.get("delay", 0.0))
    options = simulated(sensors, actuators)
    run = simulate(ARM, **options, method="dop853", rtol=1e-12, atol=1e-14)
    got = np.hstack([run.q, run.qd, run.tau])[1:]
    assert np.abs(got - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())
    fixed = simulate(ARM, **options, dt=2e-4)
    assert np.abs(fixed.q[1:] - expected[:, :2]).max() < 1e-8
    batch = simulate_batch([ARM, ARM], **options, dt=2e-4, keep_torques=True)
    for row in range(2):
        assert np.abs(batch.q[row] - fixed.q).max() < 1e-9
        assert np.abs(batch.tau[row] - fixed.tau).max() < 1e-9


def test_a_sine_beside_it_is_that_of_scipy():
    sensors, actuators = Sensors(angle_resolution=STEP, delay=0.002, rate_from="difference"), LAG
    load = disturbances.sine([0.8, -0.5], frequency=7.0, phase=0.3)
    options = simulated(sensors, Actuators(time_constant=actuators), disturbances=[load])
    run = simulate(ARM, **options, method="dop853", rtol=1e-12, atol=1e-14)

    def wave(t):
        return np.array([0.8, -0.5]) * math.sin(14.0 * math.pi * t + 0.3)

    expected = by_hand(0.002, load=wave)
    assert np.abs(run.q[1:] - expected[:, :2]).max() < 1e-9
    assert np.abs(run.tau_disturbance - [wave(t) for t in run.t]).max() < 1e-12

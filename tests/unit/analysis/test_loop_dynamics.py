"""Loops near rest as linear systems: against python-control, by hand, and against runs."""

import math
from dataclasses import replace

import control
import numpy as np
import pytest
from scipy.linalg import expm

import ulna
from ulna.analysis import loop, stability
from ulna.control import PD, PID, Adaptive, ComputedTorque, OpenLoop
from ulna.errors import InputError

KEHL = ulna.preset("kehl")
ROD = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
POSE = [1.0, 0.5]
FIRM = PID((400.0, 150.0), (40.0, 12.0), (100.0, 40.0))
LATE = ulna.Sensors(delay=0.0013)
LAGGING = ulna.Actuators(delay=0.0007, time_constant=(0.004, 0.0))
REAL = {"rate": 250.0, "sensors": LATE, "actuators": LAGGING}
SENSORS = [
    ulna.Sensors(),
    LATE,
    ulna.Sensors(delay=0.009, rate_from="difference"),
    ulna.Sensors(delay=0.0013, rate=1000.0, rate_from="filtered", rate_bandwidth=60.0),
]


def of_control(found):
    """Give the loop gain as python-control knows it."""
    return control.ss(found.A, found.B, found.C, found.D, 1.0 / found.rate)


def sizes(matrix):
    return np.sort(np.abs(np.linalg.eigvals(matrix)))[::-1]


@pytest.mark.parametrize(
    ("controller", "sensors"),
    [
        *((FIRM, sensors) for sensors in SENSORS),
        (ComputedTorque(20.0), SENSORS[2]),
        (Adaptive(model=KEHL), LATE),
    ],
)
def test_gain_eigenvalues_and_sensitivity_are_those_of_python_control(controller, sensors):
    found = loop(KEHL, POSE, controller, rate=250.0, sensors=sensors, actuators=LAGGING)
    theirs, frequencies = of_control(found), np.geomspace(0.01, 125.0, 50)
    response = theirs(np.exp(2j * np.pi * frequencies / 250.0))
    gain = found.gain(frequencies)
    assert gain == pytest.approx(np.moveaxis(response, -1, 0), rel=1e-9)
    closed = control.feedback(theirs, np.eye(2))
    assert np.abs(found.eigenvalues) == pytest.approx(
        np.sort(np.abs(closed.poles()))[::-1], abs=1e-6
    )
    assert found.stable == bool(np.abs(closed.poles()).max() < 1.0 - 1e-12)
    peak = np.linalg.svd(np.linalg.inv(np.eye(2) + gain), compute_uv=False)[:, 0].max()
    assert peak <= found.sensitivity_peak * (1.0 + 1e-9)
    assert len(found.states) == len(found.A)
    assert len(set(found.states)) == len(found.A)


@pytest.mark.parametrize(("arm", "q"), [(ROD, 0.0), (ulna.Arm.rods([1.0], [3.0]), 1.2)])
def test_margins_are_those_of_python_control(arm, q):
    found = loop(arm, [q], PID(200.0, 30.0, 100.0), **REAL | {"actuators": ulna.Actuators(0.0007)})
    gm, pm, sm, wcg, wcp, _ = control.stability_margins(
        of_control(found), returnall=True, method="frd"
    )
    (ours,) = found.margins
    assert ours.gain_margin == pytest.approx(min(gm[gm > 1.0]), rel=1e-6)
    assert ours.gain_reduction == pytest.approx(max(gm[gm < 1.0], default=0.0), rel=1e-6)
    assert ours.phase_margin == pytest.approx(np.deg2rad(np.abs(pm).min()), rel=1e-6)
    assert ours.gain_crossovers == pytest.approx(np.sort(wcp) / (2.0 * np.pi), rel=1e-6)
    assert ours.sensitivity_peak == pytest.approx(1.0 / np.min(sm), rel=1e-6)
    assert found.sensitivity_peak == pytest.approx(ours.sensitivity_peak, rel=1e-6)
    assert ours.phase_crossovers == pytest.approx(np.sort(wcg) / (2.0 * np.pi), rel=1e-5)


def test_the_loop_is_the_one_that_is_written_out_in_python_control():
    late = {"sensors": ulna.Sensors(delay=0.004), "actuators": ulna.Actuators(0.008, 10.0)}
    found = loop(ROD, [0.3], PD(100.0, 20.0), rate=250.0, **late)
    lag = 1.0 / (2.0 * np.pi * 10.0)
    plant = control.ss(
        [[0, 1, 0], [0, 0, 1], [0, 0, -1 / lag]], [[0], [0], [1 / lag]], np.eye(2, 3), 0
    )
    held = control.c2d(plant, 0.004, "zoh")
    by_hand = control.ss([], [], [], [[100.0, 20.0]], 0.004) * held
    frequencies = np.geomspace(0.01, 125.0, 50)
    z = np.exp(2j * np.pi * frequencies / 250.0)
    assert found.gain(frequencies)[:, 0, 0] == pytest.approx(by_hand(z) * z**-3, rel=1e-8)
    _, magnitude, phase = found.bode(frequencies)
    assert (magnitude * np.exp(1j * phase))[:, 0] == pytest.approx(by_hand(z) * z**-3, rel=1e-8)
    assert phase[0, 0] == pytest.approx(-np.pi, abs=0.02)  # of two integrators
    assert np.abs(np.diff(phase, axis=0)).max() < np.pi


def test_delays_divide_what_is_held():
    """At 1 kHz what is measured is 0.6 ms old, what is commanded 1.3 ms late: by exponentials."""
    late = {"sensors": ulna.Sensors(delay=0.0006), "actuators": ulna.Actuators(delay=0.0013)}
    found = loop(ROD, [0.0], PD(100.0, 20.0), **late)
    x, sample, commands = np.eye(6)[:2], np.eye(6)[2:4], np.eye(6)[4:]

    def held(x, command, time):
        flow = expm(time * np.eye(3, k=1))
        return flow[:2, :2] @ x + np.outer(flow[:2, 2], command)

    newest = -100.0 * sample[0] - 20.0 * sample[1]
    x = held(x, commands[1], 0.0003)  # the tick before the last has not arrived until then
    x = held(x, commands[0], 0.0001)
    sample = x
    x = held(x, commands[0], 0.0006)
    by_hand = np.vstack([x, sample, newest, commands[0]])
    assert np.abs(found.eigenvalues) == pytest.approx(sizes(by_hand), abs=1e-6)
    assert found.states[2:] == (
        "sample 1 of q1", "sample 1 of qd1", "command 1 of tau1", "command 2 of tau1",
    )  # fmt: skip


def test_it_does_not_matter_which_way_a_delay_is_on():
    ways = [(0.0, 0.0031), (0.0031, 0.0), (0.002, 0.0011), (0.0007, 0.0024)]
    found = [
        loop(KEHL, POSE, FIRM, rate=250.0, sensors=ulna.Sensors(delay=there),
             actuators=ulna.Actuators(delay=back, time_constant=0.003)).eigenvalues
        for there, back in ways
    ]  # fmt: skip
    for one in found[1:]:
        assert np.abs(one)[:6] == pytest.approx(np.abs(found[0])[:6], abs=1e-9)


@pytest.mark.parametrize("sensors", SENSORS)
def test_with_a_delay_as_long_as_the_margin_errors_neither_grow_nor_decay(sensors):
    found = loop(KEHL, POSE, FIRM, rate=250.0, sensors=sensors)
    later = loop(
        KEHL, POSE, FIRM, rate=250.0, sensors=sensors,
        actuators=ulna.Actuators(delay=found.delay_margin),
    )  # fmt: skip
    assert found.stable
    assert abs(later.eigenvalues[0]) == pytest.approx(1.0, abs=1e-9)
    for joint, margins in enumerate(found.margins):
        added = margins.delay_margin * np.eye(2)[joint]
        A, B, C, *_ = found._linear.opened(added)
        assert sizes(A - B @ C)[0] == pytest.approx(1.0, abs=1e-9)
        assert margins.delay_margin >= found.delay_margin


@pytest.mark.parametrize("q", [POSE, [1.5, 0.1]])  # upright, gravity drives it away
def test_with_the_gain_at_a_margin_errors_neither_grow_nor_decay(q):
    found = loop(KEHL, q, FIRM, **REAL)
    for joint, margins in enumerate(found.margins):
        for factor in (margins.gain_margin, margins.gain_reduction):
            scaled = np.where(np.arange(2) == joint, factor, 1.0)[:, None] * found.C
            assert 0.0 < factor < math.inf
            assert sizes(found.A - found.B @ scaled)[0] == pytest.approx(1.0, abs=1e-9)
        assert margins.gain_reduction < 1.0 < margins.gain_margin
        assert 0.0 < margins.phase_margin < math.pi
        assert margins.sensitivity_peak <= found.sensitivity_peak
        assert margins.sensitivity_peak >= 1.0 / (2.0 * math.sin(0.5 * margins.phase_margin))


RUNS = [
    {"sensors": LATE, "actuators": ulna.Actuators(delay=0.0007, time_constant=0.005)},
    {"sensors": SENSORS[2], "actuators": ulna.Actuators(bandwidth=40.0)},
    {"sensors": SENSORS[3], "actuators": ulna.Actuators(delay=0.0051)},
]


@pytest.mark.parametrize("given", RUNS)
def test_runs_obey_the_characteristic_polynomial_of_the_closed_loop(given):
    found = loop(ROD, [0.3], PID(400.0, 20.0, 100.0), rate=250.0, **given)
    run = ulna.simulate(
        ROD, q0=[0.301], duration=0.8, samples=201, controller=found.controller, reference=[0.3],
        rate=250.0, rtol=1e-12, atol=1e-15, **given,
    )  # fmt: skip
    state, factors = np.hstack([run.q - 0.3, run.qd]), np.poly(found.eigenvalues).real
    order = len(factors) - 1
    left = sum(factors[k] * state[order - k : len(state) - k] for k in range(order + 1))
    assert np.abs(left[10:]).max() < 1e-9 * np.abs(state).max()
    # In the end only the largest are left, and errors shrink by them from tick to tick.
    assert found.stable
    slow = np.abs(found.eigenvalues[0])
    assert np.abs(state[-1]).max() < np.abs(state).max() * slow**200 * 10.0


def test_along_a_plan_errors_grow_as_in_the_loop_at_rest():
    plan = ulna.plan(ROD, ulna.paths.joints([[0.0], [1.0]]), duration=2.0)
    controller = PID(200.0, 30.0, 100.0)
    for sensors in SENSORS:
        given = {"rate": 250.0, "sensors": sensors, "actuators": ulna.Actuators(0.0007, 30.0)}
        found, told = loop(ROD, [0.0], controller, **given), stability(plan, controller, **given)
        closed = found.A - found.B @ found.C
        start = np.zeros((len(closed), 2))
        start[:2] = np.eye(2)
        for row, name in enumerate(found.states):  # what was sampled before is the start as well
            if name.startswith("sample"):
                is_rate = name.endswith("qd1")
                start[row, int(is_rate)] = float(not is_rate or sensors.rate_from == "measured")
        whole = np.linalg.matrix_power(closed, 500) @ start
        assert told.phi[-1] == pytest.approx(whole[:2], abs=1e-9 * np.abs(told.phi[0]).max())
        assert told.growth_rate(1.0) == pytest.approx(found.growth_rate, rel=0.2)


def test_sensors_slower_than_the_controller_repeat_after_several_ticks():
    """Samples at 100 Hz for a controller at 250 Hz: after five ticks and two samples."""
    plan = ulna.plan(ROD, ulna.paths.joints([[0.0], [1.0]]), duration=2.0)
    told = stability(plan, PD(100.0, 20.0), rate=250.0, sensors=ulna.Sensors(rate=100.0))
    x, sample, command = np.eye(2), np.eye(2), np.zeros(2)
    flow = expm(0.002 * np.eye(3, k=1))
    for half in range(10):  # of a tick; samples come every five, ticks every two
        sample = x if half % 5 == 0 else sample
        command = -100.0 * sample[0] - 20.0 * sample[1] if half % 2 == 0 else command
        x = flow[:2, :2] @ x + np.outer(flow[:2, 2], command)
    assert told.phi[-1] == pytest.approx(np.linalg.matrix_power(x, 100), abs=1e-9)
    with pytest.raises(InputError, match=r"100 Hz at a control rate of 250 Hz.*rate=100"):
        loop(ROD, [0.0], PD(100.0, 20.0), rate=250.0, sensors=ulna.Sensors(rate=100.0))
    with pytest.raises(InputError, match=r"sensors.rate: got 97.3 Hz at a control rate of 250 Hz"):
        stability(plan, PD(100.0, 20.0), rate=250.0, sensors=ulna.Sensors(rate=97.3))


def test_bias_noise_and_limits_do_not_change_how_errors_grow():
    plain = loop(KEHL, POSE, FIRM, **REAL)
    noisy = replace(LATE, angle_bias=0.1, angle_noise=0.01, rate_noise_density=0.1)
    limited = replace(LAGGING, max_torque=200.0, max_torque_rate=1000.0)
    other = loop(KEHL, POSE, FIRM, rate=250.0, sensors=noisy, actuators=limited)
    assert np.array_equal(plain.A, other.A)
    assert np.array_equal(plain.C, other.C)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"sensors": ulna.Sensors(angle_resolution=1e-3)}, "sensors.angle_resolution"),
        ({"sensors": ulna.Sensors(rate_resolution=1e-3)}, "sensors.rate_resolution"),
        ({"actuators": ulna.Actuators(torque_resolution=0.1)}, "actuators.torque_resolution"),
    ],
)
def test_what_rounds_is_refused_with_the_reason(given, name):
    plan = ulna.plan(ROD, ulna.paths.joints([[0.0], [1.0]]), duration=2.0)
    reason = f"{name}: got .*rounds has no derivative; simulate it, or give .* without"
    with pytest.raises(InputError, match=reason):
        loop(ROD, [0.0], PD(100.0, 20.0), **given)
    with pytest.raises(InputError, match=reason):
        stability(plan, PD(100.0, 20.0), **given)


def test_what_makes_no_sense_is_refused():
    sticky = ulna.Joint(friction=ulna.Friction(coulomb=0.1))
    stuck = ulna.Arm.rods([1.0], [3.0], joints=[sticky])
    with pytest.raises(InputError, match=r"joint 1 at rest.*analysis.loop\(arm.without_friction"):
        loop(stuck, [0.0], PD(100.0, 20.0))
    assert loop(stuck.without_friction(), [0.0], PD(100.0, 20.0)).stable
    with pytest.raises(InputError, match=r"states, need at most 400; give a lower rate"):
        loop(ROD, [0.0], PD(100.0, 20.0), sensors=ulna.Sensors(delay=1.0))
    with pytest.raises(InputError, match="from 0 to 500 Hz, half the control rate"):
        loop(ROD, [0.0], PD(100.0, 20.0)).gain([600.0])


def test_limits_of_motors_are_said_to_be_left_out():
    motor = ulna.TorqueSpeedMotor(stall_torque=5.0, no_load_speed=6.0, rotor_inertia=0.5)
    with pytest.warns(ulna.UlnaWarning, match=r"limits of motors \(joint 1\) are left out"):
        driven = loop(ROD.with_motors(motor), [0.0], PD(100.0, 20.0), rate=250.0)
    light = loop(ROD, [0.0], PD(100.0, 20.0), rate=250.0)
    assert driven.B[1] == pytest.approx(light.B[1] / 1.5)  # the rotor counts


def test_an_unstable_loop_has_no_margins_and_says_so():
    found = loop(ROD, [0.0], PD(100.0, 20.0), rate=100.0, sensors=ulna.Sensors(delay=0.1))
    assert not found.stable
    assert found.growth_rate > 0.0
    assert "unstable: errors grow at" in repr(found)
    assert math.isnan(found.margins[0].gain_margin)
    assert math.isnan(found.delay_margin)
    assert found.facts()["delay_margin"] is None


def test_loops_without_feedback_have_no_gain():
    found = loop(ROD, [0.0], OpenLoop())
    assert not found.gain([1.0, 10.0]).any()
    assert found.states == ("q1", "qd1")
    assert found.sensitivity_peak == 1.0


def test_a_law_of_ones_own_is_linearised():
    class Own:
        def start(self, arm):
            return np.zeros(1)

        def torque(self, t, q, qd, reference, state):
            gathered = state + 0.004 * (reference.q - q)
            return 200.0 * np.sin(reference.q - q) - 30.0 * qd + 100.0 * gathered, gathered

    ours = loop(ROD, [0.3], PID(200.0, 30.0, 100.0), **REAL | {"actuators": None})
    own = loop(ROD, [0.3], Own(), **REAL | {"actuators": None})
    assert pytest.approx(ours.A, abs=1e-6) == own.A
    assert own.states == ours.states

"""What sensors, actuators and continuous disturbances do, as formulas have it."""

import copy
import math
import pickle

import numpy as np
import pytest

from ulna import (
    Actuators,
    Arm,
    ControlLoop,
    InputError,
    Sensors,
    Simulation,
    TorqueSpeedMotor,
    simulate,
    simulate_batch,
)
from ulna.control import PD
from ulna.scenario import Scenario, disturbances
from ulna.scenario.reading import read_disturbance

ROD = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # of an inertia of 1 kg·m² about its joint
TWO = Arm.rods([0.5, 0.4], [1.2, 0.8])
SOFT = PD([12.0, 3.0], [1.2, 0.2])
LOOP = {"q0": [0.1, 0.4], "controller": SOFT, "reference": [0.6, -0.4], "rate": 250.0}
TIMES = np.linspace(0.0, 0.1, 41)


class Constant:
    """A controller that commands the same torque always."""

    def __init__(self, torque):
        self.answer = np.atleast_1d(torque)

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return self.answer, state


def driven(actuators, torque=2.0, **more):
    options = {"q0": [0.0], "duration": 0.1, "samples": TIMES, "rate": 100.0, **more}
    return simulate(ROD, controller=Constant(torque), actuators=actuators, **options)


def test_a_lag_answers_to_a_step_as_an_exponential():
    run = driven(Actuators(time_constant=0.02))
    assert run.tau[:, 0] == pytest.approx(2.0 * -np.expm1(-TIMES / 0.02), abs=1e-13)
    assert np.all(run.tau_commanded == 2.0)


def test_a_bandwidth_is_where_the_gain_is_a_half_of_the_power():
    run = driven(Actuators(bandwidth=10.0))
    assert run.tau[:, 0] == pytest.approx(2.0 * -np.expm1(-20.0 * math.pi * TIMES), abs=1e-13)


def test_a_torque_rises_no_faster_than_its_rate():
    run = driven(Actuators(max_torque_rate=40.0))
    assert run.tau[:, 0] == pytest.approx(np.minimum(40.0 * TIMES, 2.0), abs=1e-12)
    # τ = 40 t until 0.05 s, and 2 from then on, on an inertia of 1.
    end = 40.0 * 0.05**3 / 6.0 + 40.0 * 0.05**2 / 2.0 * 0.05 + 2.0 * 0.05**2 / 2.0
    assert run.q[-1, 0] == pytest.approx(end, abs=1e-12)


def test_a_rate_gives_way_to_the_lag_where_that_is_slower():
    run = driven(Actuators(max_torque_rate=40.0, time_constant=0.02))
    bend = (2.0 - 40.0 * 0.02) / 40.0
    late = 2.0 - 0.8 * np.exp(-(TIMES - bend) / 0.02)
    assert run.tau[:, 0] == pytest.approx(np.where(bend > TIMES, 40.0 * TIMES, late), abs=1e-12)


def test_late_commands_shift_the_motion_by_their_delay():
    late, prompt = driven(Actuators(delay=0.0125)), driven(Actuators())
    assert np.all(late.q[TIMES <= 0.0125] == 0.0)
    assert late.q[5:, 0] == pytest.approx(prompt.q[:-5, 0], abs=1e-14)


def test_a_command_is_saturated_and_then_rounded():
    run = driven(Actuators(max_torque=1.62, torque_resolution=0.5))
    assert np.all(run.tau == 1.5)
    assert "torque limit" in run.status.text


@pytest.mark.parametrize("actuators", [
    Actuators(time_constant=0.005),
    Actuators(delay=0.0013, bandwidth=(20.0, 60.0), max_torque_rate=300.0),
])  # fmt: skip
def test_what_reaches_a_motor_far_from_its_limits_is_the_lagged_torque(actuators):
    options = {**LOOP, "duration": 0.5, "samples": 51, "actuators": actuators}
    driven = TWO.with_motors(TorqueSpeedMotor(stall_torque=1e6, no_load_speed=1e6))
    run = simulate(driven, **options)
    assert np.abs(run.tau - run.tau_commanded).max() > 0.1
    batches = [simulate_batch(arm, **options, keep_torques=True) for arm in (driven, TWO)]
    pairs = [(run, simulate(TWO, **options)), batches]
    for found, ideal in pairs:
        for name in ("tau", "q", "qd"):
            assert getattr(found, name) == pytest.approx(getattr(ideal, name), abs=1e-12)


def test_a_motor_limits_the_lagged_torque():
    arm = ROD.with_motors(TorqueSpeedMotor(1e6, 1e6, max_torque=1.5))
    run = simulate(
        arm, q0=[0.0], duration=0.1, samples=TIMES, rate=100.0, controller=Constant(2.0),
        actuators=Actuators(time_constant=0.02),
    )  # fmt: skip
    lagged = -2.0 * np.expm1(-TIMES / 0.02)
    assert run.tau[:, 0] == pytest.approx(np.minimum(lagged, 1.5), abs=1e-12)


def test_a_bias_shifts_the_settled_angle_by_itself():
    run = simulate(
        ROD, q0=[0.0], duration=10.0, samples=2, controller=PD(100.0, 20.0), reference=[0.5],
        sensors=Sensors(angle_bias=0.03),
    )  # fmt: skip
    assert run.q[-1, 0] == pytest.approx(0.47, abs=1e-9)


@pytest.mark.parametrize("own", [None, 2000.0])
def test_noise_by_density_has_a_variance_of_half_the_rate_times_its_square(own):
    sensors = Sensors(angle_noise_density=1e-3, rate=own, seed=3)
    run = simulate(
        ROD, q0=[0.0], duration=4.0, samples=4001, controller=PD(1e-9, 1e-9), sensors=sensors
    )
    rate = 1000.0 if own is None else own
    variance = np.var((run.q_measured - run.q)[:-1, 0])
    assert variance == pytest.approx(1e-6 * rate / 2.0, rel=0.1)


@pytest.mark.parametrize("delay", [0.0, 0.0033, 0.008])
def test_what_is_measured_is_what_was_a_delay_before(delay):
    sensors = Sensors(delay=delay)
    run = simulate(ROD, q0=[0.2], qd0=[0.7], duration=0.1, samples=np.arange(25) * 0.004,
                   rate=250.0, controller=Constant(0.0), sensors=sensors)  # fmt: skip
    expected = 0.2 + 0.7 * np.maximum(run.t - delay, 0.0)
    assert run.q_measured[:, 0] == pytest.approx(expected, abs=1e-14)


def test_sensors_of_their_own_rate_give_the_latest_sample_that_arrived():
    sensors = Sensors(rate=300.0, delay=0.001)
    run = simulate(ROD, q0=[0.2], qd0=[0.7], duration=0.1, samples=np.arange(25) * 0.004,
                   rate=250.0, controller=Constant(0.0), sensors=sensors)  # fmt: skip
    taken = np.floor((run.t - 0.001) * 300.0 + 1e-9) / 300.0
    assert run.q_measured[:, 0] == pytest.approx(0.2 + 0.7 * np.maximum(taken, 0.0), abs=1e-14)


def test_rates_come_from_angles_through_a_low_pass():
    sensors = Sensors(rate_from="filtered", rate_bandwidth=20.0, angle_resolution=1e-3)
    run = simulate(ROD, q0=[0.2], qd0=[0.7], duration=0.1, samples=np.arange(25) * 0.004,
                   rate=250.0, controller=Constant(0.0), sensors=sensors)  # fmt: skip
    share, rate, expected = -math.expm1(-2.0 * math.pi * 20.0 * 0.004), 0.0, [0.0]
    for change in np.diff(run.q_measured[:, 0]) / 0.004:
        rate += share * (change - rate)
        expected.append(rate)
    assert run.qd_measured[:, 0] == pytest.approx(expected, abs=1e-12)


WAVES = [
    disturbances.sine([0.3, -0.2], frequency=5.0, phase=-0.4, at=0.02, until=0.08),
    disturbances.chirp([0.0, 0.5], start_frequency=1.0, stop_frequency=30.0, lasting=0.09),
    disturbances.formula("q1*qd2, -2*t", until=0.07),
    disturbances.step([0.1, 0.2], at=0.03),
]


def test_continuous_disturbances_are_their_formulas():
    run = simulate(TWO, q0=[0.1, 0.4], duration=0.1, samples=201, disturbances=WAVES)
    t, inside = run.t, (run.t >= 0.02) & (run.t < 0.08)
    sine = inside * np.sin(10.0 * math.pi * (t - 0.02) - 0.4)
    chirp = (t < 0.09) * np.sin(2.0 * math.pi * (t + 29.0 / 0.18 * t**2))
    early = t < 0.07
    expected = np.column_stack([
        0.3 * sine + early * run.q[:, 0] * run.qd[:, 1] + 0.1 * (t >= 0.03),
        -0.2 * sine + 0.5 * chirp - early * 2.0 * t + 0.2 * (t >= 0.03),
    ])  # fmt: skip
    apart = np.min(np.abs(t[:, None] - [0.02, 0.03, 0.07, 0.08, 0.09]), axis=1) > 1e-9
    assert run.tau_disturbance[apart] == pytest.approx(expected[apart], abs=1e-11)
    assert np.all(run.tau == 0.0)


def test_a_force_of_a_formula_is_the_same_as_that_force():
    text = ["2*sin(3*t)", "x*y", "0.1*t"]
    options = {"q0": [0.1, 0.4], "duration": 0.3, "samples": 4}
    one = simulate(TWO, tip_force=text, **options)
    other = simulate(TWO, disturbances=[disturbances.formula(force=text)], **options)
    assert other.q == pytest.approx(one.q, abs=1e-12)
    assert other.tip_force_disturbance == pytest.approx(one.tip_force, abs=1e-12)


def test_arms_of_a_batch_have_loops_of_their_own():
    sensors = [
        Sensors(delay=0.0013 * k, angle_noise=1e-4 * (k % 2), rate=None if k % 3 else 700.0)
        for k in range(7)
    ]
    actuators = [
        Actuators(delay=0.002 * (k % 2), time_constant=[0.002 * k, 0.004]) for k in range(7)
    ]
    waves = [
        [disturbances.sine([0.1 * k, -0.2], frequency=3.0 + k, phase=0.3 - k)] for k in range(7)
    ]
    options = {**LOOP, "duration": 0.1, "samples": 5}
    batch = simulate_batch(
        [TWO] * 7, **options, sensors=sensors, actuators=actuators, disturbances=waves,
        keep_torques=True, seeds=[0] * 7,
    )  # fmt: skip
    for k in range(7):
        own = {"sensors": sensors[k], "actuators": actuators[k], "disturbances": waves[k]}
        run = simulate(TWO, **options, **own, method="rk4")
        assert np.abs(batch.q[k] - run.q).max() < 1e-9
        assert np.abs(batch.tau[k] - run.tau).max() < 1e-9
        lone = simulate_batch([TWO] * 2, **options, **own, seeds=[0, 0])
        assert np.array_equal(lone.q[0], batch.q[k])


def test_a_torque_that_bends_within_a_step_gives_an_arm_of_a_batch_all_its_momentum():
    rate, dt, gain = 40.0, 1e-3, 1e-6
    commands = 2.0 + np.linspace(0.0, rate * dt, 97)  # which are reached anywhere in a step
    run = simulate_batch(
        ROD, q0=np.zeros((97, 1)), duration=0.1, dt=dt, rate=100.0, controller=PD(gain, 0.0),
        reference=commands[:, None] / gain, actuators=Actuators(max_torque_rate=rate),
    )  # fmt: skip
    bends = commands / rate
    momentum = rate * bends**2 / 2.0 + commands * (0.1 - bends)  # of an inertia of 1
    # A step across the corner loses up to rate dt²/24 = 1.7e-6; the gain explains 1.2e-10.
    assert np.abs(run.qd[:, -1, 0] - momentum).max() <= 1e-9


def test_the_loop_of_an_arm_is_used_where_no_other_is_given():
    parts = {"sensors": Sensors(delay=0.003), "actuators": Actuators(time_constant=0.004)}
    arm = TWO.replace(loop=ControlLoop(rate=250.0, **parts))
    options = {**LOOP, "duration": 0.1, "samples": 5}
    own = {name: options[name] for name in options if name != "rate"}
    expected = simulate(TWO, **options, **parts)
    assert np.array_equal(simulate(arm, **own).q, expected.q)
    assert np.array_equal(
        simulate_batch([arm, arm], **own).q, simulate_batch([TWO, TWO], **options, **parts).q
    )
    perfect = simulate(arm, **options, sensors=Sensors(), actuators=Actuators())
    assert np.array_equal(perfect.q, simulate(TWO, **options).q)
    free = {"q0": [0.1, 0.4], "duration": 0.1, "samples": 5}
    assert np.array_equal(simulate(arm, **free).q, simulate(TWO, **free).q)


def test_a_copy_goes_on_with_samples_and_commands_on_their_way():
    parts = {
        "sensors": Sensors(delay=0.0053, angle_noise=1e-4, rate_from="difference"),
        "actuators": Actuators(delay=0.0062, time_constant=0.004, max_torque_rate=900.0),
    }
    first = Simulation(Scenario(arm=TWO, **LOOP, **parts))
    first.advance(0.0471)
    others = [copy.copy(first), pickle.loads(pickle.dumps(first))]
    first.apply(torque=[0.0, 0.0])  # which rebuilds nothing that is on its way
    for one in (first, *others):
        one.advance(0.05)
    for other in others:
        assert np.array_equal(other.q, first.q)


def test_a_controller_that_comes_later_has_sensors_and_actuators_too():
    parts = {"sensors": Sensors(delay=0.0053), "actuators": Actuators(time_constant=0.004)}
    arm = TWO.replace(loop=ControlLoop(rate=250.0, **parts))
    late = Simulation(Scenario(arm=arm, q0=[0.1, 0.4], stops=False))
    late.advance(0.0101)
    late.set_controller(SOFT, reference=[0.6, -0.4])
    assert np.all(late.tau == 0.0)
    late.advance(0.004)
    assert np.all(late.tau != 0.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: disturbances.sine([1.0], frequency=-1.0), "sine.frequency: got -1.0"),
        (lambda: disturbances.sine([1.0], frequency=math.nan), "sine.frequency: got nan"),
        (lambda: disturbances.sine(frequency=1.0), "need torque= or force="),
        (
            lambda: disturbances.chirp([1.0], start_frequency=0, stop_frequency=1, lasting=0),
            "chirp.lasting: got 0",
        ),
        (lambda: disturbances.formula(3.0), "need a formula for each value"),
        (
            lambda: simulate(
                ROD, q0=[0.0], duration=0.1, disturbances=[disturbances.formula("sin(w*t)")]
            ),
            "unknown name",
        ),
        (
            lambda: simulate(ROD, q0=[0.0], duration=0.1, actuators=Actuators(delay=0.1)),
            "actuators: got .* need nothing without a controller",
        ),
        (
            lambda: simulate(ROD, q0=[0.0], duration=0.1, controller=PD(1, 1), actuators=3),
            "actuators: got 3",
        ),
        (
            lambda: driven(Actuators(time_constant=[0.1, 0.2])),
            "actuators.time_constant: .* or 1, one a joint",
        ),
    ],
)
def test_what_no_loop_has_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_disturbances_of_text_are_those_of_python():
    assert read_disturbance("sine(torque=(0.5, 0), frequency='2 Hz', phase='90 deg')") == (
        disturbances.sine([0.5, 0.0], frequency=2.0, phase=math.radians(90.0))
    )
    text = "chirp(force=('1 N', 0), start_frequency=1, stop_frequency=9, lasting='2 s')"
    assert read_disturbance(text) == disturbances.chirp(
        force=[1.0, 0.0], start_frequency=1.0, stop_frequency=9.0, lasting=2.0
    )
    assert read_disturbance("formula(torque=('2*sin(3*t)', 1), until=1)") == (
        disturbances.formula(["2*sin(3*t)", 1.0], until=1.0)
    )

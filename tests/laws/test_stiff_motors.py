"""A motor that answers faster than a step of dt does not force the step of the arm."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import ulna
from ulna import InputError, Joint, Motor, ServoMotor
from ulna.simulation import BatchSimulation

ARM = ulna.preset("open-manipulator-x")  # with servos that stop its last link within 0.1 ms
SOFT = ARM.replace(
    joints=[replace(joint, motor=replace(joint.motor, rotor_inertia=1e-6)) for joint in ARM.joints]
)
POSE, GOAL = [1.0, -1.0, 0.3], [1.1, -1.1, 0.4]
DC = {"voltage": 12.0, "resistance": 1.0, "torque_constant": 0.05, "gear_ratio": 30.0}


def two_rods(motor, damping=0.0):
    return ulna.Arm.rods([0.3, 0.3], [0.5, 0.5], joints=[Joint(motor=motor, damping=damping)] * 2)


def settle(**options):
    return ulna.simulate(ARM, q0=POSE, position=GOAL, duration=0.5, samples=51, **options)


@pytest.mark.parametrize(
    ("method", "near"), [("rk4", 1e-6), ("gauss4", 1e-6), ("semi-implicit", 1e-3)]
)
def test_methods_of_equal_steps_agree_with_an_adaptive_one(method, near):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = settle(method=method)
    exact = settle(rtol=1e-11)
    assert run.status.ok
    assert np.abs(run.q - exact.q).max() < near  # [rad]


def test_a_step_that_is_divided_is_as_good_as_shorter_ones():
    # Both take the same parts, but for rounding of the times at which they begin.
    coarse = settle(method="rk4", dt=1e-3)
    fine = settle(method="rk4", dt=2.5e-4)
    assert np.abs(coarse.q - fine.q).max() < 1e-7


def test_an_arm_of_a_batch_is_divided_as_it_is_alone():
    arms = [ARM, SOFT, ARM]
    given = {"q0": POSE, "position": GOAL, "duration": 0.2, "samples": 21}
    batch = ulna.simulate_batch(arms, **given)
    for k, arm in enumerate(arms):
        alone = ulna.simulate_batch([arm], **given)
        assert np.array_equal(batch.q[k], alone.q[0])
        one = ulna.simulate(arm, method="rk4", **given)
        assert np.abs(batch.q[k] - one.q).max() < 1e-12


def test_arms_that_go_on_step_by_step_are_divided_alike():
    given = {"controller": ulna.control.ComputedTorque(), "reference": GOAL, "q0": POSE}
    batch = ulna.simulate_batch([ARM, SOFT], duration=0.1, samples=11, **given)
    going = BatchSimulation([ARM, SOFT], **given)
    going.advance(0.1)
    assert np.array_equal(going.q, batch.q[:, -1])
    single = ulna.Simulation(ulna.Scenario(arm=ARM, **given))
    single.advance(0.1)
    assert np.abs(single.q - going.q[0]).max() < 1e-12


def test_a_servo_gives_the_torque_of_a_command_on_average():
    # A wheel that is so heavy that it turns evenly while the servo holds a target.
    servo = ServoMotor(stall_torque=50.0, no_load_speed=50.0, stiffness=20.0, update_rate=50.0)
    joint = Joint(motor=servo, rotor_inertia=1e6)
    arm = ulna.Arm.rods([0.1], [0.1], joints=[joint], gravity=(0.0, 0.0))
    run = ulna.simulate(
        arm, q0=[0.0], qd0=[2.0], torque=[3.0], duration=0.2, samples=2001, method="rk4", dt=1e-4
    )
    assert np.mean(run.tau[:-1, 0]) == pytest.approx(3.0, abs=2e-3)  # of 1 % of ramps at samples


def test_stiff_teeth_in_contact_take_parts_of_a_step():
    motor = Motor(
        voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=10.0,
        rotor_inertia=1e-4, backlash=ulna.Backlash(0.01, 1e4, 100.0),
    )  # fmt: skip
    given = {"q0": [0.0, 0.0], "torque": [1.0, 0.2], "duration": 0.1, "samples": 11}
    coarse = ulna.simulate(two_rods(motor), method="rk4", dt=5e-3, **given)
    exact = ulna.simulate(two_rods(motor), **given)
    # A gap of 10 mrad, which each blow crosses anew; undivided steps diverge.
    assert np.abs(coarse.q - exact.q).max() < 5e-3


@pytest.mark.parametrize("inductance", [1e-12, 1e-9, 1e-7])
def test_a_winding_without_delay_is_as_one_without_inductance(inductance):
    given = {"q0": [0.0, 0.0], "voltage": [6.0, 3.0], "duration": 1.0, "samples": 11}
    none = ulna.simulate(two_rods(Motor(**DC, command="voltage")), **given)
    start = time.perf_counter()
    run = ulna.simulate(two_rods(Motor(**DC, command="voltage", inductance=inductance)), **given)
    assert time.perf_counter() - start < 5.0  # [s]: minutes at steps of L/R
    # The torque comes L/R later, and angles with it.
    assert np.abs(run.q - none.q).max() < 3.0 * inductance / DC["resistance"] + 1e-9


TOO_FAST = {
    "stiffness": (ServoMotor(stall_torque=3.0, no_load_speed=5.0, stiffness=1e15), 0.0),
    "servo damping": (ServoMotor(3.0, 5.0, stiffness=10.0, damping=1e9), 0.0),
    "both": (ServoMotor(3.0, 5.0, stiffness=1e300, damping=1e300), 0.0),
    "back-EMF": (Motor(**{**DC, "resistance": 1e-9}, command="voltage"), 0.0),
    "joint damping": (Motor(**DC), 1e9),
}


@pytest.mark.parametrize("method", ["rk4", "dop853"])
@pytest.mark.parametrize("name", TOO_FAST)
def test_what_is_too_fast_for_any_part_is_refused_in_a_sentence(name, method):
    motor, damping = TOO_FAST[name]
    arm = two_rods(motor, damping)
    need = r"joint \d, (motor|damping): got .* within .* s, .* need at most 500 parts; (give|try) "
    with pytest.raises(InputError, match=need):
        ulna.simulate(arm, q0=[0.0, 0.0], duration=1.0, method=method)
    if method == "rk4":
        with pytest.raises(InputError, match=need):
            ulna.simulate_batch([arm], q0=[0.0, 0.0], duration=1.0)


def test_any_damping_suits_the_semi_implicit_method():
    arm = two_rods(Motor(**DC), 1e9)
    run = ulna.simulate(arm, q0=[0.0, 0.0], duration=1.0, method="semi-implicit")
    assert run.status.ok
    assert np.abs(run.qd[-1]).max() < 1e-6


def test_damping_of_a_plain_arm_that_takes_too_many_steps_is_refused_at_once():
    with pytest.raises(InputError, match=r"damping: got .* dop853 needs .* method='semi-implicit'"):
        ulna.simulate(two_rods(None, 1e9), q0=[0.0, 0.0], duration=5.0)
    status = ulna.Simulation(ulna.Scenario(arm=two_rods(None, 1e9), q0=[0.0, 0.0])).advance(5.0)
    assert status.reason == "stalled"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_random_motors_on_a_voltage_take_seconds_or_say_so(seed, method):
    random = np.random.default_rng(seed)
    names = ("voltage", "resistance", "torque_constant", "inductance", "gear_ratio")
    ranges = ((-2, 5), (-6, 6), (-6, 3), (-15, 2), (-2, 4))
    numbers = {
        name: 10.0 ** random.uniform(*limits) for name, limits in zip(names, ranges, strict=True)
    }
    motor = Motor(**numbers, rotor_inertia=10.0 ** random.uniform(-9, 1), command="voltage")
    given = {"q0": [0.0, 0.0], "voltage": [motor.voltage, 0.0], "duration": 1.0, "samples": 2}
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            text = ulna.simulate(two_rods(motor), method=method, **given).status.text
        except InputError as error:
            text = str(error)
    # A motor that whirls at 1e5 rad/s takes as many steps, and says so.
    assert said or time.perf_counter() - start < 60.0  # [s]
    assert text


@pytest.mark.parametrize("kind", [ulna.control.PD, ulna.control.PID, ulna.control.ComputedTorque])
@pytest.mark.parametrize("rate", [1e-300, 1e-20, 1e-3])
def test_a_rate_between_whose_ticks_the_arm_falls_is_warned_of(kind, rate):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = judged(kind, rate)
    assert run.status.ok
    assert [one.category for one in said] == [ulna.UlnaWarning]
    assert f"{kind.__name__} on kehl at {rate:g} Hz" in str(said[0].message)


@pytest.mark.parametrize("kind", [ulna.control.PD, ulna.control.PID, ulna.control.ComputedTorque])
def test_a_rate_that_no_run_can_take_is_refused(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ulna.UlnaWarning)
        with pytest.raises(InputError, match=r"rate: got 1e\+300 Hz, .*; try a lower rate"):
            judged(kind, 1e300)


def judged(kind, rate):
    return ulna.simulate(
        ulna.preset("kehl"), q0=[1.0, 1.0], controller=kind(), reference=[1.1, 1.1],
        duration=1.0, rate=rate, samples=3,
    )  # fmt: skip

"""What plans say about motors: too weak at a speed, too hot, and what they draw."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ulna
from ulna import actuation, paths

SWING = paths.joints([[0.0], [1.0]])
LENGTH, MASS = 0.4, 0.5
INERTIA = MASS * LENGTH**2 / 3.0
HEAT = ulna.WindingHeat(thermal_resistance=8.0, thermal_capacity=0.5)


def rod(motor, gravity=(0.0, 0.0), **joint):
    return ulna.Arm.rods(
        [LENGTH], [MASS], joints=[ulna.Joint(motor=motor, **joint)], gravity=gravity
    )


def swing(motor, duration=1.0, **options):
    """Plan half a radian to and fro as a cubic: τ = J q̈, q̈ = 6/T² (1 − 2 t/T), q̇ ≤ 1.5/T."""
    return ulna.plan(rod(motor, **options), SWING, timing="cubic", duration=duration)


def kinds(made):
    return [problem.kind for problem in made.problems]


def excess(stall, free, duration):
    """Return what J q̈ asks beyond stall (1 − q̇/free) at most, from the cubic by hand."""
    s = np.linspace(0.0, 1.0, 20_001)
    rate, push = 6.0 * s * (1.0 - s) / duration, 6.0 * (1.0 - 2.0 * s) / duration**2
    return np.max(INERTIA * push - stall * (1.0 - rate / free))


def least_duration(stall, free):
    """Return the duration at which the motor just suffices, by bisection of the hand formula."""
    short, long = 1e-2, 100.0
    for _ in range(60):
        middle = np.sqrt(short * long)
        short, long = (middle, long) if excess(stall, free, middle) > 0.0 else (short, middle)
    return long


@pytest.mark.parametrize(("stall", "free"), [(0.3, 3.0), (2.0, 1.2), (0.05, 50.0)])
def test_a_motion_just_fits_the_torque_left_at_its_speed_or_just_does_not(stall, free):
    motor = ulna.TorqueSpeedMotor(stall, free, name="little")
    least = least_duration(stall, free)
    assert swing(motor, least * (1.0 + 1e-4)).ok
    made = swing(motor, least * (1.0 - 1e-4))
    assert set(kinds(made)) == {"motor limit"}
    assert "motor limit of joint 1 (little)" in made.problems[0].text
    assert not made.ok
    assert made.feasible


def test_a_dc_motor_is_as_strong_as_its_line_from_stall_to_no_load():
    dc = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=20.0)
    line = ulna.TorqueSpeedMotor(dc.stall_torque, dc.no_load_speed)
    one, other = (swing(motor, 0.3).motor_peaks for motor in (dc, line))
    assert_allclose(one.use, other.use, rtol=1e-9)
    assert one.use < 1.0
    assert one.use >= INERTIA * 6.0 / 0.3**2 / dc.stall_torque


def test_a_finding_tells_which_motor_when_what_is_asked_and_what_is_left():
    made = swing(ulna.Motor(12.0, 2.0, 0.02, gear_ratio=2.0, name="m"), 0.3)
    finding = made.problems[0]
    asked = INERTIA * 6.0 / 0.3**2
    assert finding.joint == 1
    assert finding.exceeds
    assert f"{asked:.4g} N·m asked at t = 0 s, 0.24 N·m left at 0 rad/s" in finding.text
    assert_allclose(finding.when.worst, asked / 0.24, rtol=1e-9)


def test_a_speed_beyond_the_no_load_speed_is_told_as_such():
    made = swing(ulna.Motor(3.0, 2.0, 0.05, gear_ratio=40.0, name="slow"), 0.8)
    assert 1.5 / 0.8 > 3.0 / (0.05 * 40.0)
    assert "1.875 rad/s at t = 0.4 s, 1.5 rad/s without any load" in made.problems[0].text


def test_currents_voltages_and_supply_follow_from_torque_and_speed():
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=20.0)
    made = swing(motor, 1.0)
    i, v = made.tau / 0.4, 2.0 * made.tau / 0.4 + 0.4 * made.qd
    assert_allclose(made.current, i)
    assert_allclose(made.voltage, v)
    assert_allclose(made.supply_power, (i * v)[:, 0])
    assert_allclose(made.supply_current, (i * v)[:, 0] / 12.0)
    peaks = made.motor_peaks
    assert_allclose(peaks.current, INERTIA * 6.0 / 0.4)
    assert_allclose(peaks.current_rms, INERTIA * np.sqrt(12.0) / 0.4, rtol=1e-6)
    assert_allclose(peaks.supply_current, made.supply_current.max(), rtol=1e-3)
    # The mean is what the winding turns into heat: the rod rests before and after.
    assert_allclose(peaks.supply_power_mean, 2.0 * peaks.current_rms[0] ** 2, rtol=1e-6)


def test_a_winding_that_gets_too_hot_is_found_with_its_time():
    motor = ulna.Motor(24.0, 2.0, 0.02, gear_ratio=20.0, heat=HEAT, name="hot")
    made = swing(motor, 60.0, gravity=(0.0, -9.81))
    holding = np.abs(made.current[:, 0]) > 2.0
    assert holding.any()
    assert "overheating" in kinds(made)
    told = next(one for one in made.problems if one.kind == "overheating")
    assert "overheating of joint 1 (hot)" in told.text
    assert "125 °C allowed" in told.text
    hot = made.temperature[:, 0] > 125.0
    assert_allclose(told.when.first, made.t[hot][0], atol=0.05)
    own = actuation.temperature(motor, made.t, made.current[:, 0])
    assert_allclose(made.temperature[:, 0], own, rtol=5e-3)


def test_what_lasts_once_may_not_last_for_ever():
    motor = ulna.Motor(24.0, 2.0, 0.02, gear_ratio=20.0, heat=HEAT)
    made = swing(motor, 0.5, gravity=(0.0, -9.81))
    assert made.motor_peaks.torque_rms > actuation.continuous_torque(motor)
    assert kinds(made) == ["lasting heat"]
    assert made.ok
    assert "repeated for ever, the motor of joint 1 overheats" in made.problems[0].text


def test_finite_differences_are_judged_at_their_samples():
    motor = ulna.TorqueSpeedMotor(0.3, 3.0)
    short = least_duration(0.3, 3.0) * 0.98
    made = ulna.plan(rod(motor), SWING, timing="cubic", duration=short, derivatives="finite")
    assert kinds(made) == ["motor limit"]
    assert made.motor_peaks.use > 1.0


def test_a_loose_rotor_is_accelerated_by_its_motor():
    backlash = ulna.Backlash(gap=0.01, stiffness=500.0)
    given = {"gear_ratio": 20.0, "rotor_inertia": 1e-5}
    fixed, loose = (
        swing(ulna.Motor(12.0, 2.0, 0.02, **given, backlash=gap)) for gap in (None, backlash)
    )
    assert_allclose(loose.motor_torque, fixed.motor_torque, rtol=1e-12)
    assert_allclose(loose.current, fixed.current, rtol=1e-12)


def test_a_winding_is_heated_by_no_more_than_supply_and_driver_give():
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=2.0, heat=HEAT, max_current=1.0)
    made = swing(motor, 5.0, gravity=(0.0, -9.81))
    assert np.abs(made.current).max() > 20.0
    # At the limit from the first to the last: 1 A, as if for ever.
    own = actuation.temperature(motor, made.t, np.ones_like(made.t))
    assert_allclose(made.temperature[:, 0], own, rtol=1e-3)
    assert "would have to give" in repr(made)


def test_a_servo_follows_no_faster_than_its_target_moves():
    given = {"stall_torque": 5.0, "no_load_speed": 9.0, "stiffness": 50.0}
    fast, slow = (swing(ulna.ServoMotor(**given, max_speed=most)) for most in (1.51, 1.49))
    assert fast.ok
    assert kinds(slow) == ["velocity limit"]
    assert "1.5 rad/s at t = 0.5 s, 1.49 rad/s allowed" in slow.problems[0].text

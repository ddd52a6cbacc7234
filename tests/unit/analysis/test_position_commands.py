"""Motors that follow commanded positions: errors by the laws of a spring, a damper and a hold."""

import math

import numpy as np
import pytest

import ulna
from ulna.analysis import default_tolerance, servo_tracking, tracking, verdict
from ulna.analysis.position_commands import rounding_error, settled_posture
from ulna.errors import InputError
from ulna.motion import servo_table

LENGTH, MASS, STIFFNESS, DAMPING = 0.4, 0.5, 40.0, 2.0
TICKS = "ticks(65536)"


def servo(**changes):
    numbers = {"stiffness": STIFFNESS, "damping": DAMPING, "update_rate": 1000.0}
    return ulna.ServoMotor(stall_torque=5.0, no_load_speed=20.0, **(numbers | changes))


def turning(duration, gravity=(0.0, 0.0), mass=MASS, **changes):
    """Plan half a radian of one joint at an even speed."""
    joint = ulna.Joint(motor=servo(**changes))
    arm = ulna.Arm.rods([LENGTH], [mass], joints=[joint], gravity=gravity)
    return ulna.plan(arm, ulna.paths.joints([[-0.25], [0.25]]), duration=duration)


def test_a_servo_rests_below_its_command_by_the_load_over_its_stiffness():
    plan = turning(1.0, gravity=(0.0, -9.81))
    sag = -0.25 - settled_posture(plan)[0]
    weight = MASS * 9.81 * 0.5 * LENGTH
    assert sag == pytest.approx(weight * math.cos(-0.25 - sag) / STIFFNESS, rel=1e-3)


def test_a_table_lags_by_damping_and_by_its_rows():
    plan = turning(2.5, mass=0.02)  # at 0.2 rad/s
    # The steady answer of a first-order lag to a staircase, whose rows are held for a period T.
    # It is off the most at each step, by ωT/(1 − exp(−T/τ)).
    hold, lag = 1.0 / 20.0, DAMPING / STIFFNESS
    late = hold / (1.0 - math.exp(-hold / lag))
    found = servo_tracking(plan, servo_table(plan, TICKS, rate=20.0))
    assert found.max == pytest.approx(LENGTH * 0.2 * late, rel=0.02)


def test_a_dead_band_is_part_of_the_error():
    band = 0.03
    plan = turning(5.0, dead_band=band)  # at 0.1 rad/s
    found = servo_tracking(plan, servo_table(plan, TICKS, rate=500.0))
    late = DAMPING / STIFFNESS + 1.0 / 500.0
    assert found.max == pytest.approx(LENGTH * (band + 0.1 * late), rel=0.02)


def test_rounding_leads_the_tip_off_by_half_a_tick():
    plan, tick = turning(5.0), 2.0 * math.pi / 256
    table = servo_table(plan, "ticks(256)", rate=200.0)
    assert rounding_error(plan, table) == pytest.approx(LENGTH * tick / 2.0, rel=0.05)
    fine = servo_tracking(plan, servo_table(plan, TICKS, rate=200.0)).max
    assert servo_tracking(plan, table).max > fine + 0.3 * LENGTH * tick


def test_a_table_needs_motors_that_take_positions():
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    with pytest.raises(InputError, match="a servo or a stepper at every joint"):
        servo_tracking(plan, servo_table(plan, "ticks()"))
    with pytest.raises(InputError, match=r"table: got 1\.0, need a ServoTable"):
        servo_tracking(turning(1.0), 1.0)


def test_a_run_by_position_commands_has_a_tolerance_of_its_own():
    plan = turning(1.0)
    wide = default_tolerance(plan, positions=True)
    assert wide == pytest.approx(0.1 * 2.0 * LENGTH * math.sin(0.25))  # of the chord
    run = ulna.simulate(plan.arm, reference=plan)
    assert verdict(run, plan).tolerance == wide
    law = ulna.control.ComputedTorque()
    closed = ulna.simulate(plan.arm, controller=law, reference=plan)
    assert verdict(closed, plan).tolerance == default_tolerance(plan) < wide
    pushed = ulna.simulate(plan.arm, q0=[-0.25], torque=[0.1], duration=1.0)
    assert verdict(pushed, plan).tolerance == default_tolerance(plan)


def test_a_verdict_names_the_joint_that_is_off_its_command():
    plan = turning(0.25)  # 2 rad/s, 0.1 rad late
    run = ulna.simulate(plan.arm, reference=plan)
    told = verdict(run, plan, tolerance=0.005)
    behind = math.degrees(float(np.abs(tracking(run, plan).joint_error).max()))
    assert told.reason == "off"
    assert told.text.endswith(f"; joint 1 was up to {behind:.2g}° off its command")


def test_robust_arms_are_commanded_the_nominal_plan():
    plan = turning(1.0, gravity=(0.0, -9.81))
    found = ulna.robustness(plan, runs=8, at_rest=True)
    assert not any(name.startswith("sensors.") for name in found.values)
    assert found.tube == default_tolerance(plan, positions=True)
    alone = ulna.simulate(plan.arm, reference=plan, q0=settled_posture(plan), samples=401)
    assert found.nominal_max == pytest.approx(tracking(alone, plan).max, rel=1e-3)
    stiff = {"joint.1.motor.stiffness": {"from": 20.0, "to": 80.0}}
    by_stiffness = ulna.robustness(plan, runs=16, vary=stiff).rank_correlations
    assert by_stiffness["joint.1.motor.stiffness"].value < -0.9
    with pytest.raises(InputError, match=r"sensors\.delay: got an unknown parameter"):
        ulna.robustness(plan, runs=2, vary={"sensors.delay": [0.0]})
    bare = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    with pytest.raises(InputError, match="a servo or a stepper at every joint"):
        ulna.robustness(bare, runs=2)

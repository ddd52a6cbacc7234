"""What is said of motors: the right joint, supply and side of a jump, and what is not known."""

import numpy as np
import pytest

import ulna
from ulna.motion.planning.motor_demands import planned_motor_lines

SWING = ulna.paths.joints([[0.0, 0.0], [1.0, 1.0]])


def driven(*motors, **options):
    return ulna.Arm.rods([0.4, 0.3], [1.0, 0.5], **options).with_motors(motors)


def said(plan):
    return " ".join(planned_motor_lines(plan))


def test_the_torque_told_at_a_jump_of_friction_is_that_of_the_worse_side():
    # A rod goes down to level and up again: friction helps until the turn, and is in the way after.
    motor = ulna.TorqueSpeedMotor(stall_torque=1.1, no_load_speed=100.0)
    joint = ulna.Joint(motor=motor, friction=ulna.Friction(0.2))
    arm = ulna.Arm.rods([1.0], [0.2], joints=[joint])
    plan = ulna.plan(arm, ulna.paths.joints([[1.0], [0.0], [1.0]]), duration=8.0)
    (limit,) = [one for one in plan.problems if one.kind == "motor limit"]
    assert limit.when.worst_at == pytest.approx(4.0, abs=1e-6)
    numbers = limit.text.partition(": ")[2]
    asked = float(numbers.split()[0])
    left = float(numbers.partition(" N·m left")[0].split()[-1])
    before, after = plan.torque_at([4.0 - 1e-6, 4.0 + 1e-6])[:, 0]
    assert after - before == pytest.approx(0.4, rel=1e-3)
    assert asked == pytest.approx(after, rel=1e-3)
    assert asked / left == pytest.approx(limit.when.worst, rel=1e-3)


def test_currents_are_added_up_for_each_supply_voltage():
    strong = ulna.Motor(24.0, 1.0, 0.05, gear_ratio=20.0)
    weak = ulna.Motor(12.0, 1.0, 0.05, gear_ratio=20.0)
    plan = ulna.plan(driven(strong, weak), SWING, duration=1.0)
    power = plan.current * plan.voltage
    by_voltage = {one.voltage: one for one in plan.motor_peaks.supplies}
    assert set(by_voltage) == {12.0, 24.0}
    for joint, voltage in enumerate((24.0, 12.0)):
        drawn = power[:, joint] / voltage
        assert by_voltage[voltage].current == pytest.approx(drawn.max(), rel=1e-3)
    assert np.isnan(plan.motor_peaks.supply_current)
    assert np.isnan(plan.supply_current).all()
    assert plan.supply_power == pytest.approx(power.sum(axis=1))
    assert "the 12 V supply gives" in said(plan)
    assert "the 24 V supply gives" in said(plan)
    alike = ulna.plan(driven(strong, strong), SWING, duration=1.0)
    assert alike.motor_peaks.supply_current == alike.motor_peaks.supplies[0].current
    assert "the supply gives" in said(alike)


def test_what_is_not_known_of_a_motor_is_no_number():
    dc = ulna.Motor(24.0, 1.0, 0.05, gear_ratio=20.0)
    other = ulna.TorqueSpeedMotor(stall_torque=5.0, no_load_speed=20.0)
    arm = driven(dc, other)
    plan = ulna.plan(arm, SWING, duration=1.0)
    run = ulna.simulate(arm, controller=ulna.control.ComputedTorque(), reference=plan)
    for found in (plan, run):
        assert np.isfinite(found.current[:, 0]).all()
        assert np.isnan(found.current[:, 1]).all()
        assert np.isnan(found.voltage[:, 1]).all()
        assert np.isnan(found.temperature).all()
        assert found.supply_power == pytest.approx(found.current[:, 0] * found.voltage[:, 0])
    assert np.isnan(plan.motor_peaks.temperature).all()
    assert "°C" not in said(plan)
    alone = driven(other, other)
    run = ulna.simulate(
        alone,
        controller=ulna.control.ComputedTorque(),
        reference=ulna.plan(alone, SWING, duration=1.0),
    )
    assert np.isnan(run.supply_power).all()
    assert run.energy_flow.supplied[-1] > 0.0


@pytest.mark.parametrize(("mass", "cautious"), [(0.3, False), (0.7, True)])
def test_a_servo_near_its_stall_torque_is_told_to_have_no_known_continuous_torque(mass, cautious):
    servo = ulna.motor("feetech-sts3215-12v")
    arm = ulna.Arm.rods([0.8], [mass]).with_motors(servo)
    still = ulna.plan(arm, ulna.paths.joints([[-0.02], [0.02]]), duration=5.0)
    assert ("no continuous torque" in said(still)) == cautious

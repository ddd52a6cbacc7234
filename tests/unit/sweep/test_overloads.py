"""Points of sweeps whose motors or joints pass a limit are labelled, with their numbers kept."""

import numpy as np
import pytest

import ulna
from ulna.sweep import STATUSES
from ulna.sweep.compute import compute
from ulna.sweep.sweep_spec import read_spec

SERVO = ulna.TorqueSpeedMotor(stall_torque=3.0, no_load_speed=8.0)
LEVEL = ulna.Arm.rods([0.4], [1.0]).with_motors(SERVO)
# A swing of 0.6 rad about level, which takes about m g l / 2 = 1.96 N·m.
SWING = {"arm": LEVEL, "path": "joints([[-0.3], [0.3]])", "duration": 4.0, "simulate": False}


def computed(given):
    spec = read_spec({"keep": ["torque.peak", "torque.use"], **given})
    return compute(spec, range(len(spec)))


def test_planned_points_that_ask_too_much_of_a_motor_are_infeasible_and_keep_their_numbers():
    found = computed({**SWING, "vary": {"payload": [0.0, 0.5]}})
    assert [STATUSES[code] for code in found["status"]] == ["done", "infeasible"]
    for payload, use in zip((0.0, 0.5), found["torque.use"], strict=True):
        plan = ulna.plan(
            LEVEL.with_payload(payload), ulna.paths.joints([[-0.3], [0.3]]), duration=4.0
        )
        assert use == pytest.approx(plan.motor_peaks.use, rel=1e-3)
        assert plan.ok == (use <= 1.0).all()
    assert found["torque.use"][1] > 1.2
    percent = f"{found['torque.use'][1, 0]:.0%}"
    assert found["message"].tolist() == ["", f"joint 1 takes {percent} of the torque that it has"]


def test_a_joint_s_own_limits_count_in_plans_as_well():
    arm = ulna.Arm.rods([0.4], [1.0], joints=[ulna.Joint(max_torque=2.5, max_velocity=0.1)])
    found = computed({**SWING, "arm": arm, "vary": {"payload": [0.0, 0.5]}})
    assert [STATUSES[code] for code in found["status"]] == ["infeasible", "infeasible"]
    assert found["message"][0].startswith("joint 1 turns at 0.")
    assert "of the torque" in found["message"][1]


def test_a_planned_winding_that_gets_too_hot_is_told_of():
    heat = ulna.WindingHeat(1.0, 1.0, max_temperature=40.0)
    motor = ulna.Motor(24.0, 1.0, 0.03, gear_ratio=30.0, heat=heat)
    found = computed({**SWING, "arm": LEVEL.with_motors(motor), "vary": {"payload": [0.0, 0.5]}})
    assert [STATUSES[code] for code in found["status"]] == ["done", "infeasible"]
    assert "joint 1: winding" in found["message"][1]


def test_the_gear_losses_of_each_motor_are_in_planned_torques():
    motor = ulna.Motor(24.0, 0.2, 0.05, gear_ratio=30.0)
    given = {**SWING, "arm": LEVEL.with_motors(motor), "keep": ["torque"], "samples": 50}
    found = computed({**given, "vary": {"joint.1.motor.efficiency": [0.5, 1.0]}})
    lossy, ideal = found["torque"][:, 5:-5, 0]
    np.testing.assert_allclose(lossy, 2.0 * ideal, rtol=1e-9)


def test_the_use_of_a_motor_in_a_simulated_sweep_is_a_number():
    found = computed(
        {
            **SWING,
            "simulate": True,
            "controller": "ComputedTorque()",
            "vary": {"payload": [0.0, 0.8]},
        }
    )
    assert found["torque.use"][0] < 0.8
    assert found["torque.use"][1] == pytest.approx(1.0, abs=1e-6)

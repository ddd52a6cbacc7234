"""The fastest timing with its kernel as plain Python: closed forms that it has to meet."""

import math

import numpy as np
import pytest

import ulna


def planned(joint, **options):
    arm = ulna.Arm.rods([1.0], [3.0], joints=[joint], gravity=options.pop("gravity", (0.0, 0.0)))
    path = ulna.paths.joints([[0.0], [0.5], [1.0]])
    return ulna.plan(arm, path, timing="fastest", **options)


def test_one_joint_pushes_and_brakes_with_all_it_has():
    # I = m l²/3 = 1: T = 2 √(θ I / τ).
    plan = planned(ulna.Joint(max_torque=2.0))
    assert plan.duration == pytest.approx(2.0 * math.sqrt(1.0 / 2.0), rel=1e-4)
    assert np.abs(plan.tau).max() == pytest.approx(2.0, rel=1e-3)


def test_a_speed_that_must_not_be_exceeded_makes_a_trapezoid():
    # T = θ/v + v I/τ.
    plan = planned(ulna.Joint(max_torque=2.0, max_velocity=0.5))
    assert plan.duration == pytest.approx(1.0 / 0.5 + 0.5 / 2.0, rel=1e-3)


def test_gravity_friction_and_damping_cost_time():
    free = planned(ulna.Joint(max_torque=40.0), gravity=(0.0, -9.81))
    friction = ulna.Friction(coulomb=2.0)
    rubbed = ulna.Joint(max_torque=40.0, damping=1.5, friction=friction)
    held = planned(rubbed, gravity=(0.0, -9.81))
    assert held.duration > free.duration
    assert held.ok


def test_a_tip_that_must_go_gently_does():
    plan = planned(ulna.Joint(max_torque=40.0), max_speed=0.8, max_acceleration=1.0)
    tip = np.linalg.norm(plan.trajectory.tip(plan.t).velocity, axis=-1)
    assert tip.max() <= 0.8 * 1.001

"""Controllers and plans give motors the torque that their gears take besides."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ulna
from ulna.control import Adaptive, ComputedTorque, FeedforwardPID, OpenLoop

LOSSY = ulna.Motor(
    24.0, 0.5, 0.05, gear_ratio=80.0, efficiency=0.8, backdriving_efficiency=0.6, rotor_inertia=1e-5
)
RUBBING = ulna.Friction(0.3, static=0.4, stribeck_velocity=0.1, drag=0.02)
ARM = ulna.Arm.rods(
    [0.4, 0.3],
    [1.5, 1.0],
    joints=[
        ulna.Joint(motor=LOSSY, friction=RUBBING, damping=0.2),
        ulna.Joint(motor=dataclasses.replace(LOSSY, efficiency=0.7), gear_ratio=-1.5),
    ],
)
COMPENSATING = [FeedforwardPID, ComputedTorque, Adaptive, OpenLoop]


@pytest.fixture(scope="module")
def hanging():
    circle = ulna.paths.circle(center=(0.15, -0.45), radius=0.1)
    return ulna.plan(ARM, circle, duration=2.0, timing="quintic")


def off_path(run, plan):
    place = plan.trajectory.tip(run.t).position
    return np.linalg.norm(run.tip[:, :2] - place, axis=-1).max()


def reaching(motor, qd, efficiencies):
    """Return what gears pass to joints that turn at these rates."""
    out, back = np.array(efficiencies).T
    driven = motor * np.sign(qd)
    return np.where(driven > 0.0, out * motor, np.where(driven < 0.0, motor / back, motor))


def test_a_plan_s_torques_are_those_before_the_gears(hanging):
    given = reaching(hanging.tau, hanging.qd, [(0.8, 0.6), (0.7, 0.6)])
    moving = (hanging.qd != 0.0).all(axis=-1)
    needed = ulna.dynamics.inverse_dynamics(ARM, hanging.q, hanging.qd, hanging.qdd)
    assert_allclose(given[moving], needed[moving], rtol=1e-12, atol=1e-12)
    assert_allclose(hanging.motor_torque, hanging.tau)
    assert_allclose(hanging.torque_at(hanging.t), hanging.tau, atol=1e-12)
    assert_allclose(sum(hanging.terms), hanging.tau, atol=1e-12)
    assert np.abs(hanging.terms.gear).max() > 0.5


def test_open_loop_an_arm_follows_with_the_plan_s_torques(hanging):
    run = ulna.simulate(ARM, controller=OpenLoop(), reference=hanging, rate=2000.0, dt=5e-4)
    assert off_path(run, hanging) < 1e-3
    assert_allclose(run.tau[:-1], hanging.torque_at(run.t[:-1]), atol=1e-6)
    # What reaches the joints is what the motion needs: gears take the rest.
    moving = (np.abs(run.qd) > 1e-3).all(axis=-1) & (run.t < run.t[-1])
    given = reaching(run.tau, run.qd, [(0.8, 0.6), (0.7, 0.6)])[moving]
    needed = ulna.dynamics.inverse_dynamics(ARM, run.q, run.qd, run.qdd)[moving]
    assert_allclose(given, needed, atol=1e-6)


@pytest.mark.parametrize("kind", [FeedforwardPID, ComputedTorque, Adaptive])
def test_with_the_losses_of_its_gears_a_controller_follows_closely(kind, hanging):
    options = {"reference": hanging, "rate": 1000.0}
    run = ulna.simulate(ARM, controller=kind(), **options)
    assert off_path(run, hanging) < 1e-4
    without = ulna.simulate(ARM, controller=kind(friction_compensation=False), **options)
    assert off_path(without, hanging) > 1e-3


@pytest.mark.parametrize("kind", COMPENSATING)
def test_in_a_batch_every_arm_is_driven_as_alone(kind, hanging):
    free = ARM.with_motors(dataclasses.replace(LOSSY, efficiency=1.0, backdriving_efficiency=1.0))
    options = {"reference": hanging, "rate": 500.0, "duration": 0.5, "controller": kind()}
    arms = [ARM, free, ARM.with_payload(0.1), ARM.with_motors(None), ARM]
    batch = ulna.simulate_batch(arms, **options)
    for arm, q in zip(arms, batch.q, strict=True):
        alone = ulna.simulate(arm, **options, samples=batch.t)
        assert_allclose(q, alone.q, atol=1e-10)
    for arms in (ARM, [ARM]):
        starts = np.stack([hanging.q[0]] * 2)
        assert_allclose(
            ulna.simulate_batch(arms, **options, q0=starts).q[1], batch.q[0], atol=1e-10
        )


def test_at_rest_a_gear_takes_nothing():
    still = ulna.control.Reference(np.array([0.3, -0.2]), np.zeros(2), np.zeros(2))
    controller = OpenLoop()
    tau, _ = controller.torque(0.0, still.q, still.qd, still, controller.start(ARM))
    assert_allclose(tau, ulna.dynamics.holding_torque(ARM, still.q))


def test_the_fastest_timing_uses_the_torque_limits_before_the_gears():
    joints = [
        dataclasses.replace(joint, max_torque=most)
        for joint, most in zip(ARM.joints, (14.0, 5.0), strict=True)
    ]
    arm = ARM.replace(joints=joints)
    path = ulna.paths.line((0.5, -0.2), (0.3, -0.5))
    plan = ulna.plan(arm, path, timing="fastest")
    use = plan.peaks.torque / np.array([14.0, 5.0])
    assert plan.ok
    assert 0.99 < use.max() <= 1.0 + 1e-6

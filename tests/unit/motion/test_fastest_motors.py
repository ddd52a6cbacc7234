"""The fastest timing with motors whose torque falls with speed."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import ulna
from ulna.actuation import torque_range
from ulna.motion.planning.motor_limits import motor_lines

STALL, NO_LOAD = 2.0, 5.0  # [N·m, rad/s]


@pytest.mark.parametrize("turns", [0.5, 20.0])
def test_a_motor_on_its_line_takes_the_closed_forms_time(turns):
    # I dω/dt = T (1 - ω/ω₀) speeds up, -T (1 + ω/ω₀) brakes: both are exponentials of t/τ.
    motor = ulna.TorqueSpeedMotor(stall_torque=STALL, no_load_speed=NO_LOAD, max_torque=1e3)
    joint = ulna.Joint(motor=motor)
    arm = ulna.Arm.of([ulna.Link(length=1.0, mass=3.0)], [joint], gravity=(0.0, 0.0))
    way, tau = 2.0 * math.pi * turns, 1.0 * NO_LOAD / STALL  # I = m l²/3 = 1 kg·m²

    def gone(top):
        up = -math.log1p(-top / NO_LOAD)
        down = math.log1p(top / NO_LOAD)
        return tau * (NO_LOAD * up - top) + tau * (top - NO_LOAD * down)

    top = brentq(lambda speed: gone(speed) - way, 0.0, NO_LOAD * (1.0 - 1e-15))
    lasting = tau * (math.log1p(top / NO_LOAD) - math.log1p(-top / NO_LOAD))
    plan = ulna.plan(arm, ulna.paths.joints([[0.0], [way]]), timing="fastest")
    assert plan.ok, plan.problems
    assert plan.duration == pytest.approx(lasting, rel=5e-5)
    assert plan.peaks.speed[0] == pytest.approx(top, rel=1e-4)


@pytest.mark.parametrize(
    "name", ["so-101", pytest.param("dfki-double-pendulum", marks=pytest.mark.slow)]
)
def test_what_can_be_followed_slowly_can_be_followed_fast(name):
    # Followed in the time 1, to begin with, motors would turn far beyond their no-load speeds.
    arm = ulna.preset(name)
    path = ulna.paths.loops(0.395, 0.1, 5)
    if arm.n == 3:
        path = ulna.paths.lemniscate(radius=0.1).placed((0.2, -0.1))
    assert ulna.plan(arm, path, duration=60.0).ok
    plan = ulna.plan(arm, path, timing="fastest", reserve=0.1)
    assert plan.ok, plan.problems
    for k, joint in enumerate(arm.joints):
        lower, upper = torque_range(joint, plan.qd[:, k])
        left = np.where(plan.motor_torque[:, k] > 0.0, upper, -lower)
        assert (np.abs(plan.motor_torque[:, k]) <= 0.9001 * left).all()


def motor_use(joint, torque, rate):
    """Return (k, 2) the torque by what is left at a rate, and the rate by that without load."""
    lower, upper = torque_range(joint, rate)
    motor, left = joint.motor, np.where(torque < 0.0, -lower, upper)
    free = motor.no_load_speed if hasattr(motor, "no_load_speed") else motor.max_speed
    return np.stack([np.abs(torque) / left, np.abs(rate * joint.gear_ratio) / free], axis=-1)


def test_a_bend_that_is_all_but_a_corner_is_not_passed_over():
    # Nearly a cusp: the circle of the loops turns four times as fast, with a quarter of the radius.
    arm = ulna.preset("dfki-double-pendulum")
    plan = ulna.plan(arm, ulna.paths.loops(0.395, 0.1, 3), timing="fastest")
    assert plan.ok, plan.problems
    at = plan.torque_at(np.linspace(0.0, plan.duration, 20_000))
    assert (np.abs(at) <= 1.001 * arm.parameters.max_torque).all()


def test_of_many_paths_one_that_no_torque_holds_disturbs_no_other():
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=[ulna.Joint(max_torque=5.0), ulna.Joint()])
    near, far = (ulna.paths.line((x, 0.1), (x, 0.2)) for x in (0.1, 0.8))
    alone = ulna.plan(arm, near, timing="fastest")
    plans = ulna.plan(arm, [near, far], timing="fastest")
    assert plans.ok.tolist() == [True, False]
    assert plans[0].duration == alone.duration
    told = plans[1].problems[0]
    assert (told.kind, told.blocks) == ("no fastest timing", True)
    assert "the arm cannot hold itself" in told.text
    with pytest.raises(ulna.InfeasibleError, match=r"^the arm cannot hold.* joint 1"):
        ulna.plan(arm, far, timing="fastest")


def most_used(plan):
    """Return how much the fullest joint uses of torque, motor or speed, every 0.1 ms in motion."""
    t = np.linspace(0.0, plan.duration, int(plan.duration / 1e-4) + 1)[1:-1]
    qd, tau, p = plan.trajectory(t).qd, plan.torque_at(t), plan.arm.parameters
    used = [np.abs(qd) / p.max_velocity, np.abs(tau) / p.max_torque]
    for k, joint in enumerate(plan.arm.joints):
        if joint.motor is not None:
            used.append(motor_use(joint, tau[:, k], qd[:, k]))
    return np.hstack(used).max(axis=1)


WEAK = ulna.Motor(
    voltage=12.0, resistance=5.8, torque_constant=0.0088, gear_ratio=107.0, max_current=1.38,
    efficiency=0.8,
)  # fmt: skip


def test_a_geared_dc_motor_uses_its_curve_up_and_sticks_no_longer_than_it_must():
    friction = ulna.Friction(coulomb=0.02, static=0.05)
    joints = [ulna.Joint(motor=WEAK, friction=friction), ulna.Joint(max_torque=0.4, damping=0.004)]
    arm = ulna.Arm.rods([0.12, 0.1], [0.08, 0.05], joints=joints)
    path = ulna.paths.joints([[0.3, 0.2], [1.4, -1.0], [0.2, 0.9], [1.0, 1.5]])
    plan = ulna.plan(arm, path, timing="fastest")
    assert plan.ok, plan.problems
    used = most_used(plan)
    assert used.max() <= 1.001
    assert np.mean(used < 0.995) <= 0.01


ENGINE_MOTORS = {
    "DC, by its supply": ulna.Motor(
        voltage=12.0, resistance=5.8, torque_constant=0.0088, gear_ratio=107.0
    ),
    "DC, by its current": replace(WEAK, efficiency=1.0),
    "line": ulna.TorqueSpeedMotor(stall_torque=1.4, no_load_speed=6.0),
    "line, by its driver": ulna.TorqueSpeedMotor(1.4, 6.0, max_torque=1.1),
    "line, braking by its driver": ulna.TorqueSpeedMotor(1.4, 6.0, max_torque=1.9),
    "servo": ulna.ServoMotor(stall_torque=2.9, no_load_speed=4.7, stiffness=40.0, damping=0.6),
    "stepper": ulna.StepperMotor(holding_torque=0.5, corner_speed=10.0, max_speed=60.0),
}


def engine_torque(joint, rate, way):
    """Return the torque that the engine's motor gives when far more is commanded, one way."""
    still = ulna.Arm((ulna.Link(1.0, 1e6),), (joint,), gravity=(0.0, 0.0))
    given = {"torque": [1e6 * way]}
    if isinstance(joint.motor, ulna.ServoMotor):
        given = {"position": [1e3 * way]}
    run = ulna.simulate(still, q0=[0.0], qd0=[rate], duration=1e-9, dt=1e-9, **given)
    return run.tau[0, 0]


@pytest.mark.filterwarnings("ignore:motor data")
@pytest.mark.parametrize("name", ENGINE_MOTORS)
def test_a_plan_has_the_torque_that_the_engines_motor_gives(name):
    joint = ulna.Joint(motor=ENGINE_MOTORS[name], gear_ratio=2.0)
    lines, random = motor_lines(joint), np.random.default_rng(3)
    for rate in lines.max_rate * (1.0 - 1e-4) * random.random(20):
        driving, braking = (
            min(rest + slope * rate for rest, slope in side)
            for side in (lines.driving, lines.braking)
        )
        for way in (1.0, -1.0):
            small = 1e-8 * float(lines.stall)
            assert way * engine_torque(joint, way * rate, way) == pytest.approx(driving, abs=small)
            assert way * engine_torque(joint, -way * rate, way) == pytest.approx(braking, abs=small)


def test_a_servo_never_brakes_with_more_than_its_stall_torque():
    motor = ulna.ServoMotor(stall_torque=2.9, no_load_speed=4.7, stiffness=40.0)
    arm = ulna.Arm.rods([0.3, 0.25], [0.6, 0.4], joints=[ulna.Joint(motor=motor)] * 2)
    plan = ulna.plan(arm, ulna.paths.joints([[0.0, 0.5], [2.0, -1.5]]), timing="fastest")
    assert plan.ok, plan.problems
    braked = plan.tau * plan.qd < 0.0
    assert np.abs(plan.tau).max() <= 2.9 * (1.0 + 1e-6)
    assert np.abs(plan.tau[braked]).max() > 0.99 * 2.9  # it does brake with all there is
    driven = 2.9 * (1.0 - np.abs(plan.qd) / 4.7) * (1.0 + 1e-6)
    assert (np.abs(plan.tau) <= np.where(braked, 2.9 * (1.0 + 1e-6), driven)).all()
    # The use is a part of what is left: of the stall torque, where it brakes.
    limits = np.where(plan.tau < 0.0, -plan.torque_limits.lower, plan.torque_limits.upper)
    assert limits[braked] == pytest.approx(2.9)
    assert plan.motor_peaks.use.max() <= 1.0 + 1e-6


def test_no_motor_is_turned_faster_than_without_load():
    # Downwards its own weight would turn it faster, and the motor could do no more than brake.
    motor = ulna.TorqueSpeedMotor(stall_torque=40.0, no_load_speed=3.0)
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(motor=motor)])
    plan = ulna.plan(arm, ulna.paths.joints([[1.5], [-1.5]]), timing="fastest")
    assert plan.ok, plan.problems
    assert np.abs(plan.qd).max() == pytest.approx(3.0, rel=1e-3)
    assert np.abs(plan.qd).max() <= 3.0


STRONG = ulna.Motor(
    voltage=24.0, resistance=0.5, torque_constant=0.03, gear_ratio=50.0, max_current=30.0,
    efficiency=0.8,
)  # fmt: skip
LINKS = ([0.5, 0.4], [1.0, 0.8])
CIRCLE = ulna.paths.circle((0.45, 0.2), 0.15)


def driven_by(motor):
    return ulna.Arm.rods(*LINKS, joints=[ulna.Joint(motor=motor)] * 2)


HOT = ulna.WindingHeat(
    thermal_resistance=5.0, thermal_capacity=3.0, ambient=60.0, magnet_coefficient=-0.002
)
DERATED = ulna.WindingHeat(
    thermal_resistance=5.0, thermal_capacity=2.0, max_temperature=120.0, derating_from=40.0
)


@pytest.mark.parametrize("heat", [HOT, pytest.param(DERATED, marks=pytest.mark.slow)])
def test_windings_are_as_warm_as_the_motion_makes_them(heat):
    # `motor_peaks.use` is by the torque that is left at the speed and the temperature of each time.
    warm, cold = driven_by(replace(STRONG, heat=heat)), driven_by(STRONG)
    plan = ulna.plan(warm, CIRCLE, timing="fastest")
    assert plan.ok, plan.problems
    assert plan.motor_peaks.temperature.max() > heat.ambient + 5.0
    assert 0.999 <= plan.motor_peaks.use.max() <= 1.0
    assert plan.duration > 1.01 * ulna.plan(cold, CIRCLE, timing="fastest").duration
    used = plan.demands.motors.samples  # at any time, of the whole motion
    t = used.u * plan.duration
    most = np.abs(used.values[:, :2]).max(axis=1)
    spans = 0.5 * (np.diff(t, prepend=0.0) + np.diff(t, append=plan.duration))
    assert spans[most < 0.995].sum() <= 0.01 * plan.duration


def test_a_loose_rotor_takes_its_torque():
    # J N (φ̈ + N q̈) of the motor, which is no part of the arm's own inertia.
    inertia, ratio = 2e-4, STRONG.gear_ratio
    loose = replace(STRONG, rotor_inertia=inertia, backlash=ulna.Backlash(0.01, 1e4))
    plan = ulna.plan(driven_by(loose), CIRCLE, timing="fastest")
    assert plan.ok, plan.problems
    t = np.linspace(0.0, plan.duration, 5001)[1:-1]
    moving, tau = plan.trajectory(t), plan.torque_at(t)
    carrier = np.stack([np.zeros_like(t), moving.qdd[:, 0]], axis=-1)
    rotor = inertia * ratio * (carrier + ratio * moving.qdd)
    asked = tau + rotor
    torque, emf = ratio * 0.03, ratio * 0.03 * moving.qd
    most = torque * np.minimum(30.0, (24.0 - emf) / 0.5)
    least = torque * np.maximum(-30.0, (-24.0 - emf) / 0.5)
    use = np.maximum(asked / most, asked / least)
    assert use.max() <= 1.0001
    assert np.mean(use.max(axis=1) < 0.995) <= 0.01


def test_a_servo_is_asked_for_no_more_speed_than_it_follows():
    motor = ulna.ServoMotor(stall_torque=30.0, no_load_speed=10.0, stiffness=100.0, max_speed=1.5)
    plan = ulna.plan(driven_by(motor), CIRCLE, timing="fastest")
    assert plan.ok, plan.problems
    assert plan.peaks.speed.max() == pytest.approx(1.5, rel=1e-5)
    assert "joint speed" in {one.limit for one in plan.limiting}

"""What motors leave at the speeds of their joints, as lines: limits that are linear in the speed.

The torque of a motor falls with the rate ω of its joint. With the motion and against it the curve
is concave and has one kink, so that it is the least of two lines, at rest and at the no-load speed:

    T(ω) = min (T_1 + k_1 |ω|, T_2 + k_2 |ω|)

Of it η T reaches a joint that is driven, and T / η_b one that is held back, if the gear has the
efficiencies η and η_b. A rotor with backlash is no part of the arm's inertia; the motor gives the
torque J N (φ̈ + N q̈) that it needs besides, φ̈ being that of the link which carries it. A warm
winding has less torque, by its resistance and its driver, and another no-load speed, by its
magnets; how warm it is is known to within a little, and the least of what that leaves counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ulna.actuation import TorqueRange, torque_range
from ulna.actuation.friction import gear_efficiencies
from ulna.actuation.motor_formulas import REFERENCE
from ulna.arm import Arm, Joint, Motor, ServoMotor
from ulna.arrays import Array
from ulna.motion.trajectory import HALVINGS

STEP = 1e-5  # of a motor's no-load speed, for slopes
SAME_LINE = 1e-9  # of a motor's torque at rest, by which two lines may differ
NO_LOAD = 1e-3  # of a motor's torque at rest: with less it counts as none
FASTEST_RATE = 1e6  # [rad/s] of a joint: a motor that still drives there has no largest speed
SPREAD = 0.01  # [°C] by which a winding may be warmer or colder than it is said to be


class MotorLine(NamedTuple):
    """A torque that changes evenly with the rate of a joint, for every temperature (k,) or one."""

    rest: Array  # [N·m] at rest
    slope: Array  # [N·m·s/rad]


class MotorLines(NamedTuple):
    """The torques that a motor leaves behind its gear: the least of lines of the joint's rate."""

    driving: tuple[MotorLine, ...]  # with the motion,
    braking: tuple[MotorLine, ...]  # and against it
    stall: Array  # [N·m] at rest, either way
    max_rate: Array  # [rad/s] at which nothing is left to drive with


def max_rates(arm: Arm) -> Array:
    """Return the limits (n,) [rad/s] of the joints' rates, and of what their servos follow."""
    servos = [
        joint.motor.max_speed / abs(joint.gear_ratio)
        if isinstance(joint.motor, ServoMotor)
        else np.inf
        for joint in arm.joints
    ]
    return np.minimum(arm.parameters.max_velocity, servos)


def driven_joints(arm: Arm) -> list[int]:
    """Return the joints, from 0, whose motors limit their torque."""
    rest = [torque_range(joint, np.zeros(1)).upper[0] for joint in arm.joints]
    return [k for k, most in enumerate(rest) if np.isfinite(most)]


def ambient_temperatures(arm: Arm) -> Array:
    """Return how warm (n,) [°C] the windings are to begin with."""
    heats = [getattr(joint.motor, "heat", None) for joint in arm.joints]
    return np.array([REFERENCE if heat is None else heat.ambient for heat in heats])


def gets_warm(joint: Joint) -> bool:
    """Return whether the temperature of a motor's winding is modelled."""
    return getattr(joint.motor, "heat", None) is not None


def is_loose(joint: Joint) -> bool:
    """Return whether the rotor of a joint moves in a gap, and is no part of the arm's inertia."""
    return isinstance(joint.motor, Motor) and joint.motor.backlash is not None


def rotor_torque(joint: Joint, number: int, acceleration: Array) -> Array:
    """Return the torque (k,) [N·m] at joint `number`, from 0, that accelerates its loose rotor.

    Zero of all others. The accelerations (k, n) [rad/s²] are those of all joints.
    """
    if not is_loose(joint):
        return np.zeros(len(acceleration))
    inertia = joint.rotor_inertia + getattr(joint.motor, "rotor_inertia", 0.0)
    ratio = joint.gear_ratio * getattr(joint.motor, "gear_ratio", 1.0)
    carrier = acceleration[:, :number].sum(axis=-1)
    return np.asarray(inertia * ratio * (carrier + ratio * acceleration[:, number]))


def motor_lines(joint: Joint, temperature: Array | None = None) -> MotorLines:
    """Return the lines of the motor of a joint whose winding is about so warm (k,) [°C]."""
    if temperature is None or not gets_warm(joint):
        return _cold_lines(joint)
    colder, warmer = (_lines(joint, temperature + way * SPREAD) for way in (-1.0, 1.0))
    return MotorLines(
        colder.driving + warmer.driving,
        colder.braking + warmer.braking,
        np.minimum(colder.stall, warmer.stall),
        np.minimum(colder.max_rate, warmer.max_rate),
    )


def left_torques(joint: Joint, rate: Array, temperature: Array) -> TorqueRange:
    """Return least and most torques (k,) of a motor at rates (k,), about so warm (k,) [°C]."""
    if not gets_warm(joint):
        return torque_range(joint, rate)
    colder, warmer = (torque_range(joint, rate, temperature + way * SPREAD) for way in (-1.0, 1.0))
    return TorqueRange(
        np.maximum(colder.lower, warmer.lower), np.minimum(colder.upper, warmer.upper)
    )


@lru_cache(maxsize=256)
def _cold_lines(joint: Joint) -> MotorLines:
    return _lines(joint, np.array(REFERENCE))


def _lines(joint: Joint, temperature: Array) -> MotorLines:
    fast = _no_load_speed(joint)
    driving = _two_tangents(lambda rate: torque_range(joint, rate, temperature).upper, fast)
    braking = _two_tangents(lambda rate: -torque_range(joint, rate, temperature).lower, fast)
    out, back = gear_efficiencies(joint)
    with np.errstate(divide="ignore"):
        ends = [np.where(k < 0.0, -rest / np.minimum(k, 0.0), np.inf) for rest, k in driving]
    return MotorLines(
        tuple(MotorLine(out * rest, out * slope) for rest, slope in driving),
        tuple(MotorLine(rest / back, slope / back) for rest, slope in braking),
        driving[0].rest,
        np.min(ends, axis=0),
    )


def _two_tangents(curve: Callable[[Array], Array], fast: float) -> tuple[MotorLine, ...]:
    """Return the tangents of a curve at rest and at a rate [rad/s]; one, if they are the same."""
    step = STEP * fast
    at = [curve(np.array(rate)) for rate in (0.0, step, fast - step, fast)]
    first = MotorLine(at[0], (at[1] - at[0]) / step)
    slope = (at[3] - at[2]) / step
    last = MotorLine(at[3] - slope * fast, slope)
    same = np.abs(last.slope - first.slope) * fast <= SAME_LINE * np.abs(first.rest)
    return (first,) if np.all(same) else (first, last)


@lru_cache(maxsize=256)
def _no_load_speed(joint: Joint) -> float:
    """Return the rate [rad/s] at which next to nothing is left of a motor's torque."""
    least = NO_LOAD * float(torque_range(joint, np.zeros(1)).upper[0])
    slow, fast = 0.0, FASTEST_RATE
    for _ in range(HALVINGS):
        middle = 0.5 * (slow + fast)
        driven = torque_range(joint, np.array([middle])).upper[0] > least
        slow, fast = (middle, fast) if driven else (slow, middle)
    return slow

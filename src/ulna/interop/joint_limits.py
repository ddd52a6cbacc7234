"""Limits, damping and friction of a joint in a compiled robot, and the torques of its actuators.

A motor's torque is its control signal times its gear; both the signal and the force may have
limits. Other actuators are control laws, of which only the limits are used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ulna.arm.components import Friction, Joint
from ulna.errors import Problems, warn
from ulna.interop.compiled_robot import NO_LIMIT, CompiledRobot


def read_joint(robot: CompiledRobot, joint: int, problems: Problems) -> Joint:
    """Return a hinge as a joint of an arm, its limits as angles of the file."""
    import mujoco

    model, bits = robot.model, mujoco.mjtDisableBit
    name, dof = robot.joints[joint], model.jnt_dofadr[joint]

    def enabled(*flags: mujoco.mjtDisableBit) -> bool:
        return not any(model.opt.disableflags & int(flag) for flag in flags)

    owner = f"joint.{name}"
    springs = [model.jnt_stiffness[joint], *np.ravel(model.jnt_stiffnesspoly[joint])]
    if any(springs) and enabled(bits.mjDSBL_SPRING):
        problems.add(f"{owner}.stiffness", "a spring", "a joint without one")
    damped = enabled(bits.mjDSBL_DAMPER)
    if np.any(model.dof_dampingpoly[dof]) and damped:
        problems.add(f"{owner}.damping", "a polynomial", "one number [N·m·s/rad]")
    lower, upper = -math.inf, math.inf
    if model.jnt_limited[joint] and enabled(bits.mjDSBL_LIMIT, bits.mjDSBL_CONSTRAINT):
        lower, upper = (_unbounded(float(end)) for end in model.jnt_range[joint])
    rubs = enabled(bits.mjDSBL_FRICTIONLOSS, bits.mjDSBL_CONSTRAINT)
    loss = float(model.dof_frictionloss[dof]) if rubs else 0.0
    with problems.gather(owner):
        return Joint(
            lower,
            upper,
            robot.velocity_limits.get(name, math.inf),
            _max_torque(robot, joint, problems),
            damping=float(model.dof_damping[dof]) if damped else 0.0,
            friction=Friction(coulomb=loss) if loss > 0.0 else None,
        )
    return Joint()


def _unbounded(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def _max_torque(robot: CompiledRobot, joint: int, problems: Problems) -> float:
    """Return the limit [N·m] of the joint and of all its actuators, infinite if there is none."""
    model, own = robot.model, math.inf
    if model.jnt_actfrclimited[joint]:
        owner = f"joint.{robot.joints[joint]}"
        own = _smaller_side(model.jnt_actfrcrange[joint], owner, problems)
    drives = _drives(model, joint)
    if not drives:
        return own
    ranges = np.array([_torque_range(model, k, problems) for k in drives])
    owner = f"actuator {', '.join(_name(model, k) for k in drives)}"
    return min(own, _smaller_side(ranges.sum(axis=0), owner, problems))


def _smaller_side(ends: np.ndarray, owner: str, problems: Problems) -> float:
    """Return the largest torque that both sides allow, infinite where the file names none."""
    lower, upper = (_unbounded(float(end)) for end in ends)
    if min(-lower, upper) <= 0.0:
        got = f"torques from {lower:g} to {upper:g} N·m: one side only"
        problems.add(owner, got, "torques to both sides")
        return math.inf
    if not math.isclose(-lower, upper):
        warn(f"{owner}: of torques from {lower:g} to {upper:g} N·m the smaller side counts")
    return min(-lower, upper)


def _name(model: Any, actuator: int) -> str:
    return model.actuator(actuator).name or f"number {actuator + 1}"


def _drives(model: Any, joint: int) -> list[int]:
    """Return the actuators that turn a joint."""
    import mujoco

    kinds = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    turns = np.isin(model.actuator_trntype, [int(kind) for kind in kinds])
    turns &= (model.actuator_trnid[:, 0] == joint) & (model.actuator_gear[:, 0] != 0.0)
    return np.flatnonzero(turns).tolist()


def _is_plain(model: Any, actuator: int) -> bool:
    """Return whether the force of an actuator is its signal times a constant."""
    parts = (model.actuator_dyntype, model.actuator_gaintype, model.actuator_biastype)
    return not any(part[actuator] for part in parts)  # 0: no dynamics, a fixed gain, no bias


def _torque_range(model: Any, actuator: int, problems: Problems) -> list[float]:
    """Return the least and the largest torque [N·m] of an actuator."""
    import mujoco

    lower, upper = -math.inf, math.inf
    if model.actuator_forcelimited[actuator]:
        lower, upper = model.actuator_forcerange[actuator]
    clamped = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    if _is_plain(model, actuator) and model.actuator_ctrllimited[actuator] and clamped:
        ends = sorted(model.actuator_gainprm[actuator][0] * model.actuator_ctrlrange[actuator])
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    for key in ("armature", "damping"):
        if np.any(getattr(model, f"actuator_{key}")[actuator]):
            owner = f"actuator.{_name(model, actuator)}.{key}"
            problems.add(owner, f"{key} of an actuator", f"the {key} of a joint")
    return sorted(float(model.actuator_gear[actuator][0] * end) for end in (lower, upper))


def describe_laws(model: Any, hinges: Iterable[int]) -> None:
    """Warn of actuators of which only the limits are used."""
    drives = [k for joint in hinges for k in _drives(model, joint)]
    laws = [_name(model, k) for k in drives if not _is_plain(model, k)]
    if laws:
        warn(f"actuators of which only limits of torque are used: {', '.join(laws)}")

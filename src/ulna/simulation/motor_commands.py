"""What motors are commanded: what they refuse, and what servos follow without a controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arm.motors import ServoMotor
from ulna.arrays import Array
from ulna.errors import InputError, Problem, warn
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.loads import TORQUE
from ulna.simulation.methods import BUILT_IN, METHODS
from ulna.simulation.motor_rows import check_given, has_motors, motor_rows, quickest_contact
from ulna.simulation.options import SimulationOptions
from ulna.simulation.ticks import Blocks, function_row, trajectory_of

UNSTABLE, ROUGH = 2.0, 0.5  # radians of a contact's vibration in a step


def check_motors(arm: Arm, options: SimulationOptions, given: str) -> None:
    """Raise InputError for what an arm's motors cannot do, and warn of what they do badly."""
    check_given(arm, given)
    if not has_motors(arm):
        return
    if options.dynamics == "sequential":
        _check_sequential(given)
        return
    method = METHODS[options.method]
    if method.code >= at.BY_KERNEL and method.name not in BUILT_IN:
        got = f"'{method.name}', which has a step of its own"
        need = "a method that integrates currents, temperatures and rotors of motors too"
        hint = f"give the method a tableau, or use one of {', '.join(BUILT_IN)}"
        raise InputError(Problem("method", got, need, hint))
    if not options.adaptive:
        _check_contacts(arm, options.dt)


def _check_sequential(given: str) -> None:
    if given != TORQUE:
        need = "torque= with dynamics='sequential', where motors are ideal"
        raise InputError(Problem(given, f"{given}s of motors", need, "use dynamics='full'"))
    warn("dynamics='sequential' knows no motors: they are ideal; use dynamics='full'")


def _check_contacts(arm: Arm, dt: float) -> None:
    """Refuse steps that are too long for teeth in contact, and warn of those nearly so."""
    time = quickest_contact(motor_rows(arm, TORQUE, dt=dt, adaptive=False))
    if dt <= ROUGH * time:
        return
    got = f"{dt:g} s, where teeth with backlash vibrate by a radian in {time:.2g} s"
    hint = f"try dt={ROUGH * time:.1g}, or method='dop853', which chooses its steps"
    problem = Problem("dt", got, f"at most {ROUGH * time:.2g} s", hint)
    if dt > UNSTABLE * time:
        raise InputError(problem)
    warn(str(problem))


class PositionFunction:
    """The angles of a function of time that is followed."""

    def __init__(self, n: int, blocks: Blocks) -> None:
        self.n, self.blocks = n, blocks
        self.__name__ = getattr(blocks.function, "__name__", type(blocks.function).__name__)

    def __call__(self, t: float) -> Array:
        """Return the angles (n,) [rad] at a time."""
        assert self.blocks.function is not None
        found = self.blocks.function(max(t - self.blocks.start, 0.0))
        return np.asarray(function_row(self.n, found, "reference", t)[0])


def position_command(arm: Arm, reference: Any, blocks: Blocks, rate: float) -> Any:
    """Return the positions that make servos and steppers follow a reference.

    A motion is sampled where servos read their commands, and for steppers `rate` times a second.
    """
    if blocks.still:
        return blocks.at_times(np.zeros(1))[0, 0]
    motion = trajectory_of(reference)
    if motion is None:
        return PositionFunction(arm.n, blocks)
    motors = [joint.motor for joint in arm.joints]
    rates = {one.update_rate if isinstance(one, ServoMotor) else rate for one in motors}
    end = blocks.start + motion.duration
    times = np.unique(np.concatenate([np.arange(np.ceil(end * one) + 1.0) / one for one in rates]))
    # Servos of nearly the same rate read at nearly the same times.
    times = times[np.append(True, np.diff(times) > 1e-12 * (1.0 + end))]
    return times, blocks.at_times(times)[:, 0]

"""The law of a controller that holds one joint at an angle: torque by angle and speed alone."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.control import Controller, Reference
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import tip
from ulna.simulation.ticks import read_answer

PROBES = np.array([[0.3, -0.7], [-1.1, 0.4], [2.0, 1.9]])  # angle [rad], speed [rad/s]
LATER = 1.234  # [s] at which a law is asked again
TICKS = 4  # that it is asked in a row, with what it remembers of the one before


class StateFeedback:
    """A controller of one joint that holds a set-point; it must be without memory."""

    def __init__(self, arm: Arm, controller: Controller, set_point: float) -> None:
        self.arm, self.controller, self.set_point = arm, controller, set_point
        still, q = np.zeros(1), np.array([set_point])
        self._reference = Reference(q, still, still, np.asarray(tip(arm, q)))
        self._state = controller.start(arm)
        self._check()

    def torque(self, angle: Array, speed: Array) -> Array:
        """Return the torque [N·m] at angles and speeds (…)."""
        flat = np.stack([angle.ravel(), speed.ravel()], axis=-1).astype(float)
        together = len(flat) > 1 and self._takes_many
        found = self._together(flat) if together else self._one_by_one(flat)
        return found.reshape(angle.shape)

    def at(self, q: Array, qd: Array) -> float:
        """Return the torque [N·m] in one state, (1,) each."""
        answer: Any = self.controller.torque(0.0, q, qd, self._reference, self._state)
        found = float(answer[0][0])
        if not math.isfinite(found):
            raise InputError(_without_value(found, float(q[0]), float(qd[0])))
        return found

    @cached_property
    def steady(self) -> float | None:
        """The torque [N·m] of a law that gives the same in every state; None of any other."""
        near = self._one_by_one(PROBES)
        if (near != near[0]).any():
            return None
        far = np.linspace(-7.0, 7.0, 40)
        found = self.torque(self.set_point + far, far[::-1] ** 3)
        return float(near[0]) if (found == near[0]).all() else None

    def _check(self) -> None:
        for probe in PROBES:
            first, state = self._answer(0.0, probe, self._state)
            later, _ = self._answer(LATER, probe, self._state)
            if later != first:
                got = f"{shown(self.controller)}, whose torque changes with time"
                raise InputError(Problem("controller", got, "a law of angle and speed alone"))
            for tick in range(1, TICKS):
                again, state = self._answer(1e-3 * tick, probe, state)
                if again != first:
                    raise InputError(self._remembers())

    def _remembers(self) -> Problem:
        need = "one that remembers nothing: PD, GravityPD, ComputedTorque, or PID with ki=0"
        hint = "what it remembers would be a third axis of the portrait"
        return Problem("controller", shown(self.controller), need, hint)

    def _answer(self, t: float, place: Array, state: Any) -> tuple[float, Any]:
        given = self.controller.torque(t, place[:1], place[1:], self._reference, state)
        tau, after = read_answer(given, 1, t)
        return float(tau[0]), after

    @cached_property
    def _takes_many(self) -> bool:
        """Whether the law answers for many states at once, as it does for one."""
        try:
            found = self._together(PROBES)
        except Exception:  # whatever a law that is made for one state makes of many
            return False
        return found.shape == (len(PROBES),) and np.allclose(found, self._one_by_one(PROBES))

    def _together(self, states: Array) -> Array:
        q, qd = states[:, :1], states[:, 1:]
        answer: Any = self.controller.torque(0.0, q, qd, self._reference, self._state)
        found = np.asarray(answer[0], dtype=float)[:, 0]
        lost = np.flatnonzero(~np.isfinite(found))
        if len(lost):
            raise InputError(_without_value(found[lost[0]], *states[lost[0]].tolist()))
        return found

    def _one_by_one(self, states: Array) -> Array:
        return np.array([self._answer(0.0, place, self._state)[0] for place in states])


def _without_value(found: float, angle: float, speed: float) -> Problem:
    got = f"{shown(found)} at {angle:.4g} rad and {speed:.4g} rad/s"
    return Problem("controller", got, "a finite torque [N·m] in every state")

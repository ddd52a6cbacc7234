"""What turns a joint: torque as it depends on angle and speed, and the motion that follows.

    M θ̈ = τ(θ, θ̇) − b θ̇ − G(θ)

The torque is a constant, or what a controller answers that holds an angle, within what the motor
can give. Stops are left out: a portrait is of the whole circle.

Backwards in time the same orbit is one forwards, of a joint whose friction pushes: with s = −t the
speed changes its sign, and M θ″ = τ(θ, −θ′) + b θ′ − G(θ).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.portrait.law import Law
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics import (
    forward_dynamics,
    gravity_torque,
    kinetic_energy,
    linearise,
    mass_matrix,
    potential_energy,
)
from ulna.simulation.simulate import simulate

TURN = 2.0 * math.pi
RTOL, ATOL = 1e-12, 1e-13
RTOL_LAW = 1e-7  # where Python is asked for every torque
NUDGE = 1e-5  # [rad, rad/s] for the slopes of a law
LONGEST = 1e6  # [s] that a run is given until something has to have happened


class Course(NamedTuple):
    """A piece of an orbit: times [s], angles [rad], not wrapped, and speeds [rad/s], (k,) each."""

    t: Array
    angle: Array
    speed: Array


@dataclass(frozen=True, eq=False)
class Flow:
    """One joint and what drives it: a constant torque, or the law of a controller."""

    arm: Arm
    torque: float = 0.0  # [N·m] if there is no law
    law: Law | None = None

    @cached_property
    def free(self) -> Arm:
        """The arm without its stops."""
        (joint,) = self.arm.joints
        return self.arm.replace(joints=[replace(joint, lower=-math.inf, upper=math.inf)])

    @cached_property
    def limit(self) -> float:
        """The largest torque [N·m] of the motor."""
        return float(self.arm.joints[0].max_torque)

    @cached_property
    def constant(self) -> float | None:
        """The torque [N·m] that the motor gives, None if that depends on where the joint is."""
        return None if self.law else min(max(self.torque, -self.limit), self.limit)

    @cached_property
    def inertia(self) -> float:
        """M [kg·m²], the same at every angle."""
        return float(mass_matrix(self.arm, np.zeros(1))[0, 0])

    @cached_property
    def damping(self) -> float:
        """The friction b [N·m·s/rad] of the joint."""
        return float(self.arm.joints[0].damping)

    @cached_property
    def heaviest(self) -> float:
        """The largest torque [N·m] that the weight has, at the angle where it pulls most."""
        level, upright = gravity_torque(self.arm, np.array([[0.0], [0.5 * math.pi]]))[:, 0]
        return math.hypot(level, upright)

    @cached_property
    def frequency(self) -> float:
        """The frequency [rad/s] of small swings as a pendulum; that of 1 s without gravity."""
        return math.sqrt(self.heaviest / self.inertia) or 1.0

    def drive(self, angle: Any, speed: Any) -> Array:
        """Give the torque [N·m] at angles and speeds (…), as the motor gives it."""
        shape = np.broadcast_shapes(np.shape(angle), np.shape(speed))
        if self.law is None:
            return np.full(shape, self.constant)
        asked = self.law.torque(np.broadcast_to(angle, shape), np.broadcast_to(speed, shape))
        return np.asarray(np.clip(asked, -self.limit, self.limit))

    def acceleration(self, angle: Any, speed: Any) -> Array:
        """Give θ̈ [rad/s²] at angles and speeds (…)."""
        states = np.broadcast_arrays(angle, speed, self.drive(angle, speed))
        q, qd, tau = (np.asarray(values, dtype=float)[..., None] for values in states)
        return np.asarray(forward_dynamics(self.arm, q, qd, tau)[..., 0])

    def energy(self, angle: Any, speed: Any) -> Array:
        """Give kinetic and potential energy together [J] at angles and speeds (…)."""
        q, qd = (np.asarray(values, dtype=float)[..., None] for values in (angle, speed))
        return np.asarray(kinetic_energy(self.arm, q, qd) + potential_energy(self.arm, q))

    def slopes(self, angle: float, speed: float = 0.0) -> Array:
        """Give the matrix (2, 2) of the flow near a state: how (θ̇, θ̈) answers to (θ, θ̇)."""
        q, qd = np.array([angle]), np.array([speed])
        A, B = linearise(self.arm, q, qd, np.atleast_1d(self.drive(angle, speed)))
        if self.law is not None:
            A = A + B @ self._law_slopes(angle, speed)
        return A

    def _law_slopes(self, angle: float, speed: float) -> Array:
        aside = np.array([NUDGE, -NUDGE, 0.0, 0.0])
        torques = self.drive(angle + aside, speed + aside[::-1])
        return np.array([[torques[0] - torques[1], torques[3] - torques[2]]]) / (2.0 * NUDGE)

    @cached_property
    def round(self) -> bool:
        """Whether a turn more makes no difference, so that orbits live on a cylinder."""
        if self.law is None:
            return True
        angles, speeds = np.linspace(0.0, TURN, 7), np.linspace(-3.0, 3.0, 7)
        here, there = (self.drive(angles + shift, speeds) for shift in (0.0, TURN))
        return bool(np.allclose(here, there, rtol=1e-9, atol=1e-9 * (1.0 + self.heaviest)))

    def course(
        self,
        angle: float,
        speed: float,
        duration: float,
        samples: int,
        *,
        until: str | None = None,
        backwards: bool = False,
    ) -> Course:
        """Give the orbit through a state, forwards or backwards; a law answers at every instant.

        `until` is a condition over q1 and qd1, which is the speed against time if backwards.
        """
        sign = -1.0 if backwards else 1.0
        arm, torque = self._backwards if backwards else self._forwards
        run = simulate(
            arm,
            q0=[angle],
            qd0=[sign * speed],
            torque=torque,
            duration=duration,
            until=until,
            samples=samples,
            stops=False,
            rtol=RTOL if self.law is None else RTOL_LAW,
            atol=ATOL if self.law is None else RTOL_LAW,
            progress=False,
        )
        return Course(sign * run.t, run.q[:, 0], sign * run.qd[:, 0])

    def end(self, angle: float, speed: float, until: str) -> tuple[float, float, float]:
        """Give time, angle and speed when a condition over q1 and qd1 becomes true."""
        course = self.course(angle, speed, LONGEST / self.frequency, 2, until=until)
        return float(course.t[-1]), float(course.angle[-1]), float(course.speed[-1])

    @cached_property
    def _forwards(self) -> tuple[Arm, Any]:
        return self.free, [self.constant] if self.law is None else self._function(1.0, 0.0)

    @cached_property
    def _backwards(self) -> tuple[Arm, Any]:
        (joint,) = self.free.joints
        pushed = self.free.replace(joints=[replace(joint, damping=0.0)])
        if self.law is None:
            return pushed, f"{self.constant!r} + {self.damping!r} * qd1"
        return pushed, self._function(-1.0, self.damping)

    def _function(self, sign: float, push: float) -> Callable[[float, Array, Array], list[float]]:
        """Give what the engine asks for the torque of the law, state by state."""
        law, limit = self.law, self.limit
        assert law is not None

        def torque(t: float, q: Array, qd: Array) -> list[float]:
            return [min(max(law.at(q, sign * qd), -limit), limit) + push * float(qd[0])]

        return torque

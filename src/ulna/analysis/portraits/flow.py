"""What turns a joint: torque as it depends on angle and speed, and the motion that follows.

    M θ̈ = τ(θ, θ̇) − b θ̇ − f(θ̇) − G(θ)

The torque is a constant, or what a controller answers that holds an angle, within what the motor
can give. Stops are left out: a portrait is of the whole circle.

Backwards in time the same orbit is one forwards, of a joint with negative damping: with s = −t the
speed changes its sign, and M θ″ = τ(θ, −θ′) + b θ′ + f(θ′) − G(θ).

Dry friction f jumps where the speed changes its sign, and is smooth on each side. An orbit is
followed with the sign of its side until the speed is zero. There it sticks if |τ − G| ≤ f_s, the
static friction, and goes on on the other side if not. Backwards it always does the latter: nothing
leaves the sticking set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import sliding_friction
from ulna.analysis.portraits.state_feedback import StateFeedback
from ulna.arm import Arm, Friction, parameters_of
from ulna.arm.parameters import with_ideal_motors
from ulna.arrays import Array
from ulna.dynamics import (
    forward_dynamics,
    gravity_torque,
    kinetic_energy,
    linearise,
    mass_matrix,
    potential_energy,
)
from ulna.errors import InputError, Problem
from ulna.simulation import Run, simulate

TURN = 2.0 * math.pi
RTOL, ATOL = 1e-12, 1e-13
RTOL_LAW = 1e-7  # where Python is asked for every torque
NUDGE = 1e-5  # [rad, rad/s] for the slopes of a law
MOST_AWAY = 100.0  # turns, from what is shown to a start or to what the controller holds
STIFFEST = 300.0  # b/(M ω) beyond which a joint only creeps
AT_REST = 1e-9  # of the frequency of small swings: a speed that is zero as well as it can be found
DECAYS = 20.0  # M/b that an orbit is followed back for
PATIENCE, CREEP = 2000.0, 1000.0  # [rad] of small swings that a turn may take, and more if stiff


class OrbitSegment(NamedTuple):
    """A piece of an orbit.

    Attributes
    ----------
    t : ndarray, shape (k,)
        Times [s].
    angle : ndarray, shape (k,)
        Angles [rad], not wrapped.
    speed : ndarray, shape (k,)
        Speeds [rad/s].
    """

    t: Array
    angle: Array
    speed: Array


@dataclass(frozen=True, eq=False)
class Flow:
    """One joint and what drives it: a constant torque, or the law of a controller."""

    arm: Arm
    torque: float = 0.0  # [N·m] if there is no law
    law: StateFeedback | None = None

    @cached_property
    def free(self) -> Arm:
        """The arm without its stops, and with an ideal motor."""
        ideal = with_ideal_motors(self.arm)
        (joint,) = ideal.joints
        return ideal.replace(joints=[replace(joint, lower=-math.inf, upper=math.inf)])

    @cached_property
    def smooth(self) -> Arm:
        """The free arm without dry friction and drag; viscous damping it has."""
        return self.free.without_friction()

    @cached_property
    def friction(self) -> Friction:
        """Dry friction and drag of the joint; none of all zeros."""
        return self.free.joints[0].friction or Friction()

    @cached_property
    def static_friction(self) -> float:
        """The largest torque f_s [N·m] with which friction holds the joint at rest."""
        return float(self.friction.static or 0.0)

    @property
    def sticks(self) -> bool:
        """Whether the joint has dry friction."""
        return self.static_friction > 0.0

    @property
    def stribeck(self) -> bool:
        """Whether friction falls as the joint starts to move."""
        return self.static_friction > self.friction.coulomb

    @property
    def bounded(self) -> bool:
        """Whether what resists the joint grows with its speed, so that it cannot grow for ever."""
        return bool(self.damping or self.friction.drag)

    @cached_property
    def max_torque(self) -> float:
        """The largest torque [N·m] of the motor."""
        return float(self.arm.joints[0].max_torque)

    @cached_property
    def constant(self) -> float | None:
        """The torque [N·m] that the motor gives, None if that depends on where the joint is."""
        asked = self.torque if self.law is None else self.law.steady
        return None if asked is None else min(max(asked, -self.max_torque), self.max_torque)

    @cached_property
    def inertia(self) -> float:
        """M [kg·m²], the same at every angle."""
        return float(mass_matrix(self.arm, np.zeros(1))[0, 0])

    @cached_property
    def damping(self) -> float:
        """The viscous damping b [N·m·s/rad] of the joint."""
        return float(self.arm.joints[0].damping)

    @cached_property
    def peak_gravity_torque(self) -> float:
        """The largest torque [N·m] that the weight has, at the angle where it pulls most."""
        level, upright = gravity_torque(self.arm, np.array([[0.0], [0.5 * math.pi]]))[:, 0]
        return math.hypot(level, upright)

    @cached_property
    def natural_frequency(self) -> float:
        """The frequency [rad/s] of small swings as a pendulum; that of 1 s without gravity."""
        return math.sqrt(self.peak_gravity_torque / self.inertia) or 1.0

    def drive(self, angle: Any, speed: Any) -> Array:
        """Return the torque [N·m] at angles and speeds (…), as the motor gives it."""
        shape = np.broadcast_shapes(np.shape(angle), np.shape(speed))
        if self.law is None or self.constant is not None:
            return np.full(shape, self.constant)
        asked = self.law.torque(np.broadcast_to(angle, shape), np.broadcast_to(speed, shape))
        return np.asarray(np.clip(asked, -self.max_torque, self.max_torque))

    def acceleration(self, angle: Any, speed: Any) -> Array:
        """Return θ̈ [rad/s²] at angles and speeds (…)."""
        states = np.broadcast_arrays(angle, speed, self.drive(angle, speed))
        q, qd, tau = (np.asarray(values, dtype=float)[..., None] for values in states)
        return np.asarray(forward_dynamics(self.free, q, qd, tau)[..., 0])

    def smooth_acceleration(self, angle: Any) -> Array:
        """Return θ̈ [rad/s²] from rest at angles (…), as it would be without dry friction."""
        states = np.broadcast_arrays(angle, 0.0, self.drive(angle, 0.0))
        q, qd, tau = (np.asarray(values, dtype=float)[..., None] for values in states)
        return np.asarray(forward_dynamics(self.smooth, q, qd, tau)[..., 0])

    def net_torque(self, angle: Any) -> Array:
        """Return τ − G [N·m] on a joint at rest at angles (…), which friction may balance."""
        q = np.asarray(angle, dtype=float)[..., None]
        return np.asarray(self.drive(angle, 0.0) - gravity_torque(self.smooth, q)[..., 0])

    def release(self, angle: float) -> int:
        """Return the direction ±1 in which a joint at rest starts; 0 where it sticks."""
        net = float(self.net_torque(angle))
        return 0 if abs(net) <= self.static_friction else int(math.copysign(1.0, net))

    def energy(self, angle: Any, speed: Any) -> Array:
        """Return kinetic and potential energy together [J] at angles and speeds (…)."""
        q, qd = (np.asarray(values, dtype=float)[..., None] for values in (angle, speed))
        return np.asarray(kinetic_energy(self.arm, q, qd) + potential_energy(self.arm, q))

    @cached_property
    def potential(self) -> str:
        """V(θ) − τ θ [J] under a constant torque, as a formula over q1."""
        level, upright, back = potential_energy(
            self.arm, np.array([[0.0], [0.5 * math.pi], [math.pi]])
        ).tolist()
        middle = 0.5 * (level + back)
        waves = f"{level - middle!r} * cos(q1) + {upright - middle!r} * sin(q1)"
        return f"{middle!r} + {waves} - {self.constant!r} * q1"

    def jacobian(self, angle: float, speed: float = 0.0) -> Array:
        """Return the matrix (2, 2) of the flow near a state: how (θ̇, θ̈) answers to (θ, θ̇).

        At rest it is that of the joint without dry friction, and of both sides of its friction,
        whose slope is zero there.
        """
        q, qd = np.array([angle]), np.array([speed])
        arm = self.free if speed else self.smooth
        A, B = linearise(arm, q, qd, np.atleast_1d(self.drive(angle, speed)))
        if self.constant is None:
            A = A + B @ self._law_gradient(angle, speed)
        return A

    def _law_gradient(self, angle: float, speed: float) -> Array:
        aside = np.array([NUDGE, -NUDGE, 0.0, 0.0])
        torques = self.drive(angle + aside, speed + aside[::-1])
        return np.array([[torques[0] - torques[1], torques[3] - torques[2]]]) / (2.0 * NUDGE)

    @cached_property
    def cylinder(self) -> bool:
        """Whether a turn more makes no difference, so that orbits live on a cylinder."""
        if self.law is None or self.constant is not None:
            return True
        # Around the set-point, since far from it a motor at its limit tells nothing.
        angles = self.law.set_point + np.linspace(-TURN, TURN, 83)
        speeds = self.natural_frequency * np.array([[-1.0], [0.0], [1.0]])
        here, *others = (self.drive(angles + k * TURN, speeds) for k in (0, -1, 1, 3))
        scale = 1e-9 * (self.peak_gravity_torque + float(np.max(np.abs(here))))
        return all(np.allclose(here, other, rtol=0.0, atol=scale) for other in others)

    def segment(
        self,
        angle: float,
        speed: float,
        duration: float,
        samples: int,
        *,
        until: str | None = None,
        backwards: bool = False,
        reverses: bool = True,
    ) -> OrbitSegment:
        """Return the orbit through a state, forwards or backwards; a law answers at every instant.

        `until` is a condition over q1 and qd1, which is the speed against time if backwards. With
        dry friction the orbit ends where it sticks, or as soon as it is at rest unless `reverses`.
        """
        sign = -1.0 if backwards else 1.0
        how: dict[str, Any] = {"duration": duration, "until": until, "samples": samples}
        if self.sticks:
            runs = list(self._slides(angle, speed, backwards=backwards, reverses=reverses, **how))
            return _joined(runs, sign, angle, speed)
        run = self._followed(angle, speed, self._way(backwards), backwards=backwards, **how)
        return OrbitSegment(sign * run.t, run.q[:, 0], sign * run.qd[:, 0])

    def _slides(
        self,
        angle: float,
        speed: float,
        *,
        duration: float,
        samples: int,
        until: str | None,
        backwards: bool,
        reverses: bool = True,
        **how: Any,
    ) -> Iterator[Run]:
        """Simulate an orbit with dry friction, from one zero of the speed to the next."""
        step, left = duration / (samples - 1), duration
        side = int(np.sign(speed)) or (-1 if backwards else 1) * self.release(angle)
        while side and left > NUDGE * step:
            sign = -side if backwards else side
            stops = _or_at_rest(until, sign)
            how |= {"duration": left, "until": stops, "samples": math.ceil(left / step) + 1}
            way = self._half_plane(sign, backwards=backwards)
            run = self._followed(angle, speed, way, backwards=backwards, **how)
            yield run
            left -= float(run.t[-1])
            angle, rate = float(run.q[-1, 0]), float(run.qd[-1, 0])
            if not reverses or abs(rate) > AT_REST * self.natural_frequency:
                return
            speed, side = 0.0, -side if backwards else self.release(angle)

    def _followed(
        self, angle: float, speed: float, way: tuple[Arm, Any], *, backwards: bool, **how: Any
    ) -> Run:
        """Simulate from a state on, without stops; backwards with the other sign of the speed."""
        arm, torque = way
        exact = self.constant is not None
        how |= {"rtol": RTOL if exact else RTOL_LAW, "atol": ATOL if exact else RTOL_LAW}
        how |= {"stops": False, "progress": False, "on_error": "raise"}
        qd0 = -speed if backwards else speed
        return simulate(arm, q0=[angle], qd0=[qd0], torque=torque, **how)

    def crossings(self, start: tuple[float, float], angle: float, fastest: float) -> list[float]:
        """Return the speeds [rad/s] with which the orbit into a state once passed an angle.

        It is followed backwards until it is faster than `fastest`; whole turns do not matter.
        """
        how: Any = {
            "duration": self.patience + DECAYS * self.inertia / (self.damping or math.inf),
            "events": {"crossing": f"sin((q1 - {angle!r}) / 2)"},
            "until": f"abs(qd1) > {fastest!r}",
            "samples": 2,
        }
        if self.sticks:
            runs = list(self._slides(*start, backwards=True, **how))
        else:
            runs = [self._followed(*start, self._way(backwards=True), backwards=True, **how)]
        events = [event for run in runs for event in run.events]
        return [-float(event.qd[0]) for event in events if event.name == "crossing"]

    def end(self, angle: float, speed: float, until: str) -> tuple[float, float, float]:
        """Return time, angle and speed when a condition over q1 and qd1 becomes true.

        If it never does, those after as long as a motion can reasonably take.
        """
        segment = self.segment(angle, speed, self.patience, 2, until=until, reverses=False)
        return float(segment.t[-1]), float(segment.angle[-1]), float(segment.speed[-1])

    @cached_property
    def patience(self) -> float:
        """How long [s] a turn may take: to linger at a saddle, to creep where friction rules."""
        decay = self.damping / self.inertia
        return PATIENCE / self.natural_frequency + CREEP * decay / self.natural_frequency**2

    def _way(self, backwards: bool) -> tuple[Arm, Any]:
        """Return arm and torque with which the engine follows an orbit without dry friction."""
        if self.friction.drag:
            return self._half_plane(0, backwards=backwards)
        if not backwards:
            return self.free, [self.constant] if self.constant is not None else self._function(1.0)
        undamped = self._undamped
        if self.constant is not None:
            return undamped, f"{self.constant!r} + {self.damping!r} * qd1"
        return undamped, self._function(-1.0, damping=-self.damping)

    def _half_plane(self, sign: int, *, backwards: bool) -> tuple[Arm, Any]:
        """Return arm and torque where the speed of a run has a sign; 0 without dry friction."""
        arm = self._undamped if backwards else self.smooth
        damping = -self.damping if backwards else 0.0
        if self.constant is None:
            return arm, self._function(-1.0 if backwards else 1.0, damping, sign)
        resisted = f"{damping!r} * qd1 + {'-' if backwards else ''}({self._friction_formula(sign)})"
        return arm, f"{self.constant!r} - ({resisted})"

    def _friction_formula(self, sign: int) -> str:
        """Return the friction of a joint as a formula over qd1, which has a sign."""
        friction = self.friction
        drag = f"{friction.drag!r} * qd1"
        if not sign:
            return f"{drag} * abs(qd1)"
        dry = f"{friction.coulomb!r}"
        if self.stribeck:
            excess = self.static_friction - friction.coulomb
            dry += f" + {excess!r} * exp(-(qd1 / {friction.stribeck_velocity!r})**2)"
        return f"{sign} * ({dry} + {drag} * qd1)"

    @cached_property
    def _undamped(self) -> Arm:
        (joint,) = self.smooth.joints
        return self.smooth.replace(joints=[replace(joint, damping=0.0)])

    def _function(
        self, time: float, damping: float = 0.0, sign: int | None = None
    ) -> Callable[[float, Array, Array], list[float]]:
        """Return what the engine asks for the torque of the law, state by state.

        It is less what damping and friction take, backwards in `time` (−1) more what they give.
        """
        law, limit = self.law, self.max_torque
        assert law is not None
        p = parameters_of(self.free)

        def torque(t: float, q: Array, qd: Array) -> list[float]:
            asked = min(max(law.at(q, time * qd), -limit), limit) - damping * float(qd[0])
            if sign is None:
                return [asked]
            way = np.sign(qd) if sign == 0 else np.array([float(sign)])
            return [asked - time * float(sliding_friction(np, p, qd, way)[0])]

        return torque


def _or_at_rest(until: str | None, sign: int) -> str:
    """Return the condition that another is true, or that a speed of this sign has become zero."""
    if until is None:
        return f"{-sign} * qd1 > 0"
    left, right = until.split(" > ")
    return f"max({left} - ({right}), {-sign} * qd1) > 0"


def _joined(runs: list[Run], sign: float, angle: float, speed: float) -> OrbitSegment:
    """Join the pieces of an orbit; one that never moves has its start alone."""
    if not runs:
        return OrbitSegment(np.zeros(1), np.array([angle]), np.array([speed]))
    begins = np.concatenate([[0.0], np.cumsum([run.t[-1] for run in runs])])
    t = [begin + run.t for begin, run in zip(begins, runs, strict=False)]
    last = len(runs) - 1
    keep = [slice(None) if k == last else slice(-1) for k in range(len(runs))]
    pieces = zip(t, runs, keep, strict=True)
    parts = [(t[kept], run.q[kept, 0], run.qd[kept, 0]) for t, run, kept in pieces]
    times, angles, speeds = (np.concatenate(column) for column in zip(*parts, strict=True))
    return OrbitSegment(sign * times, angles, sign * speeds)


def check_damping(flow: Flow) -> None:
    """Raise InputError for a joint so damped that it only creeps."""
    most = STIFFEST * flow.inertia * flow.natural_frequency
    if flow.damping > most:
        need = f"at most {most:.3g} N·m·s/rad, {STIFFEST:g} times M √(weight/M)"
        raise InputError(Problem("joint damping", f"{flow.damping:g} N·m·s/rad", need))


def check_distances(
    flow: Flow, angles: tuple[float, float], starts: tuple[tuple[float, float], ...]
) -> None:
    """Raise InputError for angles so far away that the equilibria in between fill the memory."""
    if flow.law is None:
        return
    low, high = angles
    places = [("set_point", flow.law.set_point), *(("start", angle) for angle, _ in starts)]
    need = f"at most {MOST_AWAY:g} turns beside the angles that are shown"
    hint = "take off whole turns, or show other angles"
    far = [
        Problem(what, f"{angle:g} rad", need, hint)
        for what, angle in places
        if max(low - angle, angle - high) > MOST_AWAY * TURN
    ]
    # What repeats every turn has its equilibria in one; asked last, as it asks the law far away.
    if far and not flow.cylinder:
        raise InputError(far)

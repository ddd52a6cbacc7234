"""What a controller answers to small errors, and what it remembers of them: K, L over P, S.

    δτ = K δx + L δs        δs⁺ = P δx + S δs        x = (q, q̇) as it is measured, s its memory

They are central differences of what the controller's `torque` answers, of built-in controllers and
of a user's own alike. Numbers of the memory take part that errors reach and that reach the torque.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.control import CompiledLaw, Controller, ControlTiming, Reference
from ulna.control.controller import compile_controller, start_controller
from ulna.motion import Plan
from ulna.simulation.ticks import read_answer

BLOCK = 16  # arms that a law serves at a time
NUDGE = 1e-6  # of a value, or in its unit if it is small
LEAST_POINTS, SPACING = 101, 0.25  # [s]: where the controller is asked; a cubic runs in between
TICKS = 3  # at a set-point until the controller remembers when it was asked last


def controller_gains(
    plan: Plan, arm: Arm, controller: Controller, times: Array, timing: ControlTiming
) -> Array:
    """Return K, L over P, S (k, n + s, 2n + s) along a plan at times (k,)."""
    points = max(LEAST_POINTS, math.ceil((times[-1] - times[0]) / SPACING))
    asked = times[np.unique(np.linspace(0, len(times) - 1, points).round().astype(int))]
    controller = _as_asked(controller, arm, timing)
    probe = asked[np.unique([0, len(asked) // 2, len(asked) - 1])]
    memory = _taking_part(list(_ticks(plan, arm, controller, probe, timing)))
    ticks = _ticks(plan, arm, controller, asked, timing)
    found = np.array([tick.derivatives(memory) for tick in ticks])
    return found if len(asked) == len(times) else _between(asked, found, times)


def set_point_gains(arm: Arm, q: Array, controller: Controller, timing: ControlTiming) -> Array:
    """Return K, L over P, S (n + s, 2n + s) near rest at a set-point (n,)."""
    controller = _as_asked(controller, arm, timing)
    reference = Reference(q, np.zeros_like(q), np.zeros_like(q), arm=arm)
    state = start_controller(controller, arm, timing)
    ticks = []
    for k in range(TICKS):
        ticks.append(Tick(controller, k * timing.period, reference, state))
        answer = controller.torque(k * timing.period, q, reference.qd, reference, state)
        _, state = read_answer(answer, arm.n, k * timing.period)
    return ticks[-1].derivatives(_taking_part(ticks[1:]))


def _as_asked(controller: Controller, arm: Arm, timing: ControlTiming) -> Controller:
    """Return a controller that answers for many states at once, if it is compiled."""
    if not hasattr(controller, "compiled"):
        return controller
    return CompiledController(compile_controller(controller, arm, timing), arm.n)


def _between(known: Array, values: Array, times: Array) -> Array:
    """Return values (k, …) between known times by cubics, with slopes from the neighbours."""
    slopes = np.gradient(values, known, axis=0)
    k = np.clip(np.searchsorted(known, times, "right") - 1, 0, len(known) - 2)
    wide = (known[k + 1] - known[k])[:, None, None]
    x = (times[:, None, None] - known[k, None, None]) / wide
    back = 1.0 - x
    rise = x * x * (3.0 - 2.0 * x)
    bend = x * back * wide * (back * slopes[k] - x * slopes[k + 1])
    return np.asarray((1.0 - rise) * values[k] + rise * values[k + 1] + bend)


class CompiledController:
    """A compiled law as a controller: it is asked thousands of times, for a block of arms at once.

    An array is laid out for each of its arguments: a law may be handed parts of longer ones, of
    which it knows nothing.
    """

    def __init__(self, law: CompiledLaw, n: int) -> None:
        self.law, self._n, self._size = law, n, len(law.state)
        self._one, self._many = self._arguments(1), self._arguments(BLOCK)

    def _arguments(self, width: int) -> tuple[Array, ...]:
        """Return arrays for q, q̇, reference, parameters, state and torques of so many arms."""
        n, params = self._n, np.repeat(self.law.params, width, axis=1)
        shapes = ((n, width), (n, width), (3, n, width))
        rows = np.zeros((self._size + self.law.scratch_rows, width))
        return *map(np.zeros, shapes), params, rows, np.zeros((n, width))

    def start(self, arm: Arm) -> Array:
        """Return the law's own memory (s,)."""
        return self.law.state[:, 0].copy()

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Array
    ) -> tuple[Array, Array]:
        """Return torques and memory as the law leaves them."""
        point = np.concatenate([q, qd, state])
        answer = self._answers(self._one, t, point[None], reference)[0]
        return answer[: self._n], answer[self._n :]

    def answers(self, t: float, points: Array, reference: Reference) -> Array:
        """Return torques and memory (k, n + s) for angles, rates and memory (k, 2n + s)."""
        whole = -(-len(points) // BLOCK) * BLOCK
        points = np.pad(points, ((0, whole - len(points)), (0, 0)), mode="edge")
        blocks = points.reshape(-1, BLOCK, points.shape[-1])
        found = [self._answers(self._many, t, block, reference) for block in blocks]
        return np.concatenate(found)

    def _answers(
        self, arguments: tuple[Array, ...], t: float, points: Array, reference: Reference
    ) -> Array:
        n, (q, qd, asked, params, rows, tau) = self._n, arguments
        q[...], qd[...], rows[: self._size] = np.split(points.T, [n, 2 * n])
        asked[...] = np.array((reference.q, reference.qd, reference.qdd))[..., None]
        self.law.law(t, q, qd, asked, params, rows, tau)
        return np.concatenate([tau, rows[: self._size]]).T


@dataclass(frozen=True)
class Tick:
    """One tick of a controller: what it is asked, and what it remembers then."""

    controller: Controller
    t: float
    reference: Reference
    state: Any

    def derivatives(self, memory: Array) -> Array:
        """Return K, L over P, S (n + s, 2n + s), for those (s,) numbers of the memory."""
        n, everything = len(self.reference.q), floats(self.state)
        point = np.concatenate([self.reference.q, self.reference.qd, everything])
        columns = np.append(np.arange(2 * n), 2 * n + memory)
        nudges = NUDGE * np.maximum(1.0, np.abs(point[columns]))
        places = np.arange(len(columns))
        above, below = (np.tile(point, (len(columns), 1)) for _ in range(2))
        above[places, columns] += nudges
        below[places, columns] -= nudges
        with np.errstate(invalid="ignore"):  # limits that are infinite are remembered as well
            change = self._answers(above) - self._answers(below)
        change /= (above[places, columns] - below[places, columns])[:, None]
        return change.T[np.append(np.arange(n), n + memory)]

    def sizes(self) -> tuple[int, int]:
        """Return how many numbers are remembered before the tick, and after it."""
        given = self.controller.torque(
            self.t, self.reference.q, self.reference.qd, self.reference, self.state
        )
        _, after = read_answer(given, len(self.reference.q), self.t)
        return floats(self.state).size, floats(after).size

    def _answers(self, points: Array) -> Array:
        """Return torques and memory (k, n + s) for angles, rates and memory (k, 2n + s)."""
        if isinstance(self.controller, CompiledController):
            n = len(self.reference.q)
            found = self.controller.answers(self.t, points, self.reference)[: len(points)]
            for row in np.flatnonzero(~np.isfinite(found[:, :n]).all(axis=1)):
                read_answer((found[row, :n], None), n, self.t)  # which says what is wrong with it
            return found
        return np.array([self._answer(point) for point in points])

    def _answer(self, point: Array) -> Array:
        n = len(self.reference.q)
        q, qd, memory = np.split(point, [n, 2 * n])
        state = refilled(self.state, memory)
        answer = self.controller.torque(self.t, q, qd, self.reference, state)
        tau, after = read_answer(answer, n, self.t)
        return np.concatenate([tau, floats(after)])


def _ticks(
    plan: Plan, arm: Arm, controller: Controller, times: Array, timing: ControlTiming
) -> Iterator[Tick]:
    """Return the ticks at some times, the memory handed on from one to the next."""
    state, period = start_controller(controller, arm, timing), timing.period
    before = plan.trajectory.rows(np.maximum(times - period, 0.0))
    here = plan.trajectory.rows(times)
    for k, t in enumerate(times.tolist()):
        # The tick before: what remembers it, such as a time for differences, then is right.
        last = Reference(*before[:, k], arm=arm)
        answer = controller.torque(t - period, last.q, last.qd, last, state)
        _, state = read_answer(answer, arm.n, t - period)
        yield Tick(controller, t, Reference(*here[:, k], arm=arm), state)


def _taking_part(ticks: list[Tick]) -> Array:
    """Return the places (s,) of numbers in the memory that errors reach, and that reach the torque.

    Gains and clocks, which are kept there as well, do neither or one. A memory that changes its
    size has no places, and is left out.
    """
    n = len(ticks[0].reference.q)
    if len({size for tick in ticks for size in tick.sizes()}) > 1:
        return np.zeros(0, dtype=int)
    finite = np.flatnonzero(np.all([np.isfinite(floats(tick.state)) for tick in ticks], axis=0))
    if not len(finite):
        return finite
    links = np.any([tick.derivatives(finite) != 0.0 for tick in ticks], axis=0)
    within = links[n:, 2 * n :]
    from_state, to_torque = links[n:, : 2 * n].any(axis=1), links[:n, 2 * n :].any(axis=0)
    return finite[_spread(from_state, within) & _spread(to_torque, within.T)]


def _spread(reached: Array, links: Array) -> Array:
    """Return what is reached (s,) once everything was handed on along links (to, from)."""
    for _ in reached:
        reached = reached | links[:, reached].any(axis=1)
    return reached


def floats(state: Any) -> Array:
    """Return the floating-point numbers of a controller's state in a row, wherever it holds them.

    Floats, arrays of them, and tuples of these count; anything else is left as it is.
    """
    if isinstance(state, tuple):
        return np.concatenate([np.zeros(0), *map(floats, state)])
    return np.ravel(np.asarray(state, dtype=float)) if _holds_floats(state) else np.zeros(0)


def refilled(state: Any, values: Array) -> Any:
    """Return a state with other floating-point numbers (s,) in the same places."""
    if isinstance(state, tuple):
        ends = np.cumsum([floats(part).size for part in state])[:-1]
        parts = [refilled(*pair) for pair in zip(state, np.split(values, ends), strict=True)]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    if not _holds_floats(state):
        return state
    return values.reshape(state.shape).copy() if np.ndim(state) else float(values[0])


def _holds_floats(state: Any) -> bool:
    if isinstance(state, float):
        return True
    return isinstance(state, np.ndarray | np.floating) and state.dtype.kind == "f"

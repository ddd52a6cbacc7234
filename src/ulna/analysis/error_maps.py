"""The maps by which small errors travel from one time of a motion to the next, and their products.

    δẋ = A(t) δx        x = (q, q̇)        Φ̇ = A Φ,  Φ(0) = 1        δx(t) = Φ(t) δx(0)

A step of length h from t takes A at the two Gauss points t + (1/2 ∓ √3/6) h, and is of order four:

    Ω = h/2 (A₁ + A₂) + √3/12 h² (A₂ A₁ − A₁ A₂)        Φ(t + h) = exp(Ω) Φ(t)

Units of angles and rates that make Ω small and balanced, powers of two, change no digit of it, and
leave far less to be squared up and far closer singular values of the maps. Products are kept as a
matrix of moderate size and the logarithm of what was divided out.

Under a controller errors travel from tick to tick, its own memory included. At a tick it sees q
and q̇ and sets τ, which is held until the next, T later. Near the motion that is asked for

    δτ = K δx + L δs        δs⁺ = P δx + S δs        s what the controller remembers

    | δx |⁺    | A_d + B_d K   B_d L | | δx |          | A_d  B_d |         | A  B |
    | δs |   = |      P          S   | | δs |          |  0    1  | = exp ( | 0  0 | T )

K, L, P and S are central differences of what the controller's `torque` answers. A and B are those
of the smooth part of the arm: dry friction has no derivative where a joint turns back.

Over a panel of 64 or 32 steps a motion that has no corner there is a polynomial as far as sixteen
digits can tell, and so are the maps over its steps. They are made at a few steps, which lie close
to where Chebyshev would have them. Where the polynomial through these misses the motion at any
step, or the maps at two more steps, shorter panels are tried, and then all maps are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.concurrency import parallel_for
from ulna.control import CompiledLaw, Controller, ControlTiming, Reference
from ulna.control.controller import compile_controller, start_controller
from ulna.control.loop_stability import balance, exponential
from ulna.dynamics.equations_of_motion import acceleration_rows
from ulna.errors import InputError, Problem
from ulna.motion import Plan
from ulna.simulation.ticks import as_reference, read_answer

GAUSS = np.array([0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0])
STEP = 0.01  # [s] of a step at most
LEAST_STEPS, LEAST_INTERVALS = 2000, 400
MOST_KEPT = 20_000_000  # numbers in the matrices of a result
MOST_AT_ONCE = 500_000  # numbers in matrices that a core works on together
RANGE = 100.0  # ln of how far products may grow or fall until they are scaled again
LARGEST_POWER = 1000  # of two, to be divided out at once
MOTION_ERROR = 1e-12  # of an angle, a rate, an acceleration, or of one where they are small
MAP_ERROR = 1e-13  # of the largest entry, in units that make rows and columns of like sizes
BLOCK = 16  # arms that a law serves at a time
NUDGE = 1e-6  # of a value, or in its unit if it is small
LEAST_POINTS, SPACING = 101, 0.25  # [s]: where the controller is asked; a cubic runs in between


def open_maps(plan: Plan, arm: Arm) -> tuple[Array, Array]:
    """Return times (k+1,) and the maps (k, 2n, 2n) between them."""
    states = 2 * arm.n
    steps = max(LEAST_STEPS, math.ceil(plan.duration / STEP))
    together = math.ceil(steps * states**2 / MOST_KEPT)
    intervals = math.ceil(steps / together)
    step, found = plan.duration / (intervals * together), np.empty((intervals, states, states))
    starts = step * np.arange(intervals * together)
    motion = _motion(plan, starts[:, None] + GAUSS * step)

    def make(steps: Array) -> Array:
        return _step_maps(arm, motion[steps], step)

    def some(rows: slice) -> None:
        maps = maps_along(make, motion, slice(rows.start * together, rows.stop * together))
        maps = maps.reshape(-1, together, states, states)
        product = maps[:, 0]
        for k in range(1, together):
            product = maps[:, k] @ product
        found[rows] = product

    in_pieces(some, intervals, together * states**2)
    return np.linspace(0.0, plan.duration, intervals + 1), found


def closed_maps(plan: Plan, arm: Arm, controller: Controller, rate: float) -> tuple[Array, Array]:
    """Return times (k+1,) and the maps (k, d, d) between them: those over a tick, many times."""
    period, ticks = 1.0 / rate, math.floor(plan.duration * rate * (1.0 + 1e-12))
    if ticks < 1:
        need = f"at least {1.0 / plan.duration:g} Hz, one tick in {plan.duration:g} s"
        raise InputError(Problem("rate", f"{rate:g} Hz", need))
    spacing = min(STEP, plan.duration / LEAST_INTERVALS)
    each = max(1, round(spacing * rate), math.ceil(ticks * (2 * arm.n) ** 2 / MOST_KEPT))
    edges = np.append(np.arange(0, ticks, each), ticks)
    centres = 0.5 * (edges[1:] + edges[:-1]) * period
    gains = controller_gains(plan, arm, controller, centres, period)
    many, width = np.diff(edges).tolist(), gains.shape[-1]
    maps = np.empty((len(centres), width, width))
    motion = _motion(plan, centres[:, None] + (GAUSS - 0.5) * period)

    def make(ticks: Array) -> Array:
        return _step_maps(arm, motion[ticks], period, held=True)

    def some(rows: slice) -> None:
        maps[rows] = _tick_maps(maps_along(make, motion, rows), gains[rows], arm.n)
        last = rows.stop - (rows.stop == len(maps) and many[-1] != each)
        maps[rows.start : last] = np.linalg.matrix_power(maps[rows.start : last], each)
        maps[last : rows.stop] = np.linalg.matrix_power(maps[last : rows.stop], many[-1])

    in_pieces(some, len(centres), (3 * arm.n) ** 2)
    if not np.isfinite(maps).all():
        got = "answers to small errors that are no numbers"
        raise InputError(Problem("controller", got, "finite ones", "try smaller gains"))
    return edges * period, maps


def _motion(plan: Plan, times: Array) -> Array:
    """Return q, q̇, q̈ and the force on the tip, if there is one, at times (k, 2) as (k, c)."""
    flat = times.ravel()
    given = [
        *plan.trajectory.rows(flat),
        *([] if plan.tip_force is None else [plan.tip_force(flat)]),
    ]
    return np.concatenate(given, axis=-1).reshape(len(times), -1)


def _tick_maps(held: Array, gains: Array, n: int) -> Array:
    """Return the maps (k, d, d) over a tick, of A_d and B_d and what the controller does."""
    states = 2 * n
    maps = np.concatenate([held[:, :states, states:] @ gains[:, :n], gains[:, n:]], axis=-2)
    maps[:, :states, :states] += held[:, :states, :states]
    return maps


def _step_maps(arm: Arm, motion: Array, step: float, *, held: bool = False) -> Array:
    """Return the maps (k, 2n, 2n) over steps of a motion (k, c).

    With torques that are `held` they are (k, 3n, 3n): A_d and B_d, torques below.
    """
    arm, n, size = arm.without_friction(keep_drag=True), arm.n, (3 if held else 2) * arm.n
    both = motion.reshape(len(motion), 2, -1)
    q, qd, qdd, force = np.split(both, [n, 2 * n, 3 * n], axis=-1)
    found = np.zeros((len(motion), 2, size, size))
    found[..., :n, n : 2 * n] = np.eye(n)
    found[..., n : 2 * n, :] = acceleration_rows(
        arm, q, qd, qdd, tip_force=force if force.size else None, by_torque=held
    )
    return magnus_maps(found[:, 0], found[:, 1], step, slice(n, 2 * n))


def magnus_maps(first: Array, second: Array, step: float, rows: slice = slice(None)) -> Array:
    """Return the maps (k, d, d) over steps whose generators at the Gauss points are given.

    Only in `rows` do the generators of a step differ.
    """
    middle = (0.5 * step) * (first + second)
    change = (0.5 * step) * (second[:, rows] - first[:, rows])
    turn = middle[..., rows] @ change
    turn[:, rows] -= change @ middle
    turn *= -math.sqrt(3.0) / 6.0
    turn += middle
    return exponential(turn)


class Scaled(NamedTuple):
    """Matrices (k, d, d) too large or too small for numbers: exp(log) times the mantissa."""

    mantissa: Array
    log: Array  # (k,)


def running_products(maps: Array) -> Scaled:
    """Return 1, M₁, M₂M₁, … (k+1, d, d) of maps (k, d, d)."""
    mantissa, log = np.empty((len(maps) + 1, *maps.shape[1:])), np.zeros(len(maps) + 1)
    mantissa[0] = now = np.eye(maps.shape[-1])
    range_of_one = math.log(maps.shape[-1]) + float(np.abs(np.log(_sizes(maps))).max())
    unchecked = max(1, int(RANGE / range_of_one))
    for k, matrix in enumerate(maps):
        now = np.matmul(matrix, now, out=mantissa[k + 1])
        if k % unchecked == 0:
            ((now,), (past,)) = rescaled(now[None], log[k : k + 1])
            mantissa[k + 1], log[k + 1 :] = now, past
    return Scaled(mantissa, log)


def rescaled(maps: Array, log: Array) -> Scaled:
    """Divide maps by powers of two near their sizes, so that products of a few are numbers."""
    power = np.clip(np.frexp(_sizes(maps))[1], -LARGEST_POWER, LARGEST_POWER)
    return Scaled(maps * np.exp2(-power)[:, None, None], log + math.log(2.0) * power)


def _sizes(maps: Array) -> Array:
    """Return the largest entries of maps (k,); one of those that are zero."""
    size = np.abs(maps).max(axis=(-2, -1))
    return np.where(size > 0.0, size, 1.0)


def bounded_spreads(maps: Array) -> Array:
    """Return bounds (k,) of how far apart ln σ of maps that are close to 1 are; inf of others."""
    beside = np.abs(maps - np.eye(maps.shape[-1]))
    off = np.sqrt(beside.sum(axis=-1).max(axis=-1) * beside.sum(axis=-2).max(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(off < 1.0, np.log((1.0 + off) / (1.0 - off)), math.inf)


def in_pieces(work: Callable[[slice], None], count: int, numbers: int) -> None:
    """Do work(rows) for all of range(count), each of so many numbers, in pieces on all cores.

    A piece has as many as fit into a core's cache, whole panels if it can. However many cores
    there are, the pieces are the same, and so is what comes out.
    """
    size = max(1, MOST_AT_ONCE // numbers)
    if size > LONGEST:
        size -= size % LONGEST

    def some(first: int, last: int) -> None:
        with np.errstate(all="ignore"):  # which holds for a thread
            for piece in range(first, last):
                work(slice(piece * size, min((piece + 1) * size, count)))

    parallel_for(some, math.ceil(count / size), 1)


def values_in_pieces(make: Callable[[slice], Array], count: int, numbers: int) -> Array:
    """Return make(rows) for all of range(count), each of so many numbers, made on all cores."""
    found = np.empty(count)
    in_pieces(lambda rows: found.__setitem__(rows, make(rows)), count, numbers)
    return found


class InterpolationPanel(NamedTuple):
    """So many steps in a row, and how a polynomial runs through them."""

    size: int
    nodes: Array  # (m,) steps that it runs through
    tested: Array  # (2,) steps at which it is seen whether it is right
    between: Array  # (size, m) leads from values at nodes to those at all steps

    @classmethod
    def of(cls, size: int, count: int) -> InterpolationPanel:
        """Return the panel whose nodes are nearest to the points of Chebyshev and Lobatto."""
        steps, turn = np.arange(size), np.pi * np.arange(count) / (count - 1)
        nodes = np.round(0.5 * (size - 1) * (1.0 - np.cos(turn))).astype(int)
        between = np.empty((size, count))
        for k, node in enumerate(nodes):
            others = np.delete(nodes, k)
            between[:, k] = np.prod((steps[:, None] - others) / (node - others), axis=1)
        # Where it is least to be trusted, in the first half and at the beginning of the last.
        far, half = np.abs(np.prod((steps[:, None] - nodes) / size, axis=1)), size // 2
        tested = [int(np.argmax(far[: half - 2])), half]
        return cls(size, nodes, np.array(tested), between)

    def is_smooth(self, motion: Array) -> Array:
        """Return in which panels (k, size, c) of a motion the polynomial gives all of it."""
        missed = np.abs(self.between @ motion[:, self.nodes] - motion).max(axis=1, initial=0.0)
        size = np.abs(motion).max(axis=1, initial=1.0)
        return np.asarray((missed <= MOTION_ERROR * size).all(axis=-1))

    def maps(self, make: Callable[[Array], Array], steps: Array) -> tuple[Array, Array]:
        """Return maps (k, size, d, d) over the steps (k, size) of panels, and which are right."""
        made = make(steps[:, np.append(self.nodes, self.tested)].ravel())
        made = made.reshape(len(steps), -1, *made.shape[1:])
        at_nodes, exact = made[:, : len(self.nodes)], made[:, len(self.nodes) :]
        # A row of the maps at a time: products are small, for which no library wakes threads.
        found = (self.between @ at_nodes.swapaxes(1, 2)).swapaxes(1, 2)
        units = balance(np.abs(exact).max(axis=(0, 1)))
        ratio = units / units[:, None]
        missed = (np.abs(found[:, self.tested] - exact) * ratio).max(axis=(1, 2, 3))
        return found, missed <= MAP_ERROR * (np.abs(exact) * ratio).max(axis=(1, 2, 3))


PANELS = (InterpolationPanel.of(64, 14), InterpolationPanel.of(32, 12))
LONGEST = PANELS[0].size


def maps_along(make: Callable[[Array], Array], motion: Array, rows: slice) -> Array:
    """Return the maps (k, d, d) over the steps of some rows of a motion.

    Parameters
    ----------
    make : callable
        Returns the maps (m, d, d) over steps with these numbers (m,).
    motion : (steps, c) array
        All that the maps depend on.
    rows : slice
        Which steps; panels are laid from its start on.
    """
    left, known = np.arange(rows.start, rows.stop), []
    for panel in PANELS:
        # What longer panels leave over are whole ones of these, and less than one at the end.
        laid = left[: len(left) // panel.size * panel.size].reshape(-1, panel.size)
        steps = laid[panel.is_smooth(motion[laid])]
        if len(steps):
            maps, right = panel.maps(make, steps)
            known.append((steps[right].ravel(), maps[right].reshape(-1, *maps.shape[2:])))
            left = np.setdiff1d(left, known[-1][0], assume_unique=True)
    if len(left):
        known.append((left, make(left)))
    found = np.empty((rows.stop - rows.start, *known[0][1].shape[1:]))
    for which, maps in known:
        found[which - rows.start] = maps
    return found


def controller_gains(
    plan: Plan, arm: Arm, controller: Controller, times: Array, period: float
) -> Array:
    """Return K, L over P, S (k, n + s, 2n + s) along a plan at times (k,)."""
    points = max(LEAST_POINTS, math.ceil((times[-1] - times[0]) / SPACING))
    asked = times[np.unique(np.linspace(0, len(times) - 1, points).round().astype(int))]
    if hasattr(controller, "compiled"):
        law = compile_controller(controller, arm, ControlTiming(1.0 / period))
        controller = CompiledController(law, arm.n)
    probe = asked[np.unique([0, len(asked) // 2, len(asked) - 1])]
    memory = _taking_part(list(_ticks(plan, arm, controller, probe, period)))
    ticks = _ticks(plan, arm, controller, asked, period)
    found = np.array([tick.derivatives(memory) for tick in ticks])
    return found if len(asked) == len(times) else _between(asked, found, times)


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
    plan: Plan, arm: Arm, controller: Controller, times: Array, period: float
) -> Iterator[Tick]:
    """Return the ticks at some times, the memory handed on from one to the next."""
    state = start_controller(controller, arm, ControlTiming(1.0 / period))
    before = plan.trajectory.rows(np.maximum(times - period, 0.0))
    here = plan.trajectory.rows(times)
    for k, t in enumerate(times.tolist()):
        # The tick before: what remembers it, such as a time for differences, then is right.
        last = as_reference(arm, before[:, k])
        answer = controller.torque(t - period, last.q, last.qd, last, state)
        _, state = read_answer(answer, arm.n, t - period)
        yield Tick(controller, t, as_reference(arm, here[:, k]), state)


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

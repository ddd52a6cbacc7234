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

K, L, P and S are those of `linearised_controllers`; delays, lags and samples as they are come in by
`sampled_loops`. A and B are those of the smooth part of the arm: dry friction has no derivative
where a joint turns back.

Over a panel of 64 or 32 steps a motion that has no corner there is a polynomial as far as sixteen
digits can tell, and so are the maps over its steps. They are made at a few steps, which lie close
to where Chebyshev would have them. Where the polynomial through these misses the motion at any
step, or the maps at two more steps, shorter panels are tried, and then all maps are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ulna.analysis.linearised_controllers import controller_gains
from ulna.analysis.sampled_loops import Hold, Schedule, schedule
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.concurrency import parallel_for
from ulna.control import Controller
from ulna.control.loop_stability import balance, exponential
from ulna.dynamics.equations_of_motion import acceleration_rows
from ulna.errors import InputError, Problem
from ulna.motion import Plan
from ulna.scenario.loops import GivenLoop

GAUSS = np.array([0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0])
STEP = 0.01  # [s] of a step at most
LEAST_STEPS, LEAST_INTERVALS = 2000, 400
MOST_KEPT = 20_000_000  # numbers in the matrices of a result
MOST_AT_ONCE = 500_000  # numbers in matrices that a core works on together
RANGE = 100.0  # ln of how far products may grow or fall until they are scaled again
LARGEST_POWER = 1000  # of two, to be divided out at once
MOTION_ERROR = 1e-12  # of an angle, a rate, an acceleration, or of one where they are small
SQUARINGS = (3, 3)  # of a Gram matrix, until its largest eigenvalue is looked for, and again
CERTAIN = 1e-13  # in ln of an eigenvalue
MAP_ERROR = 1e-13  # of the largest entry, in units that make rows and columns of like sizes


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


def closed_maps(
    plan: Plan, arm: Arm, controller: Controller, given: GivenLoop
) -> tuple[Array, Array]:
    """Return times (k+1,) and the maps (k, d, d) between them: those over a tick, many times.

    The first states are the arm's, and those of what else there is begin without an error. Where
    sensors have a rate of their own, the maps are those over ticks until all repeats.
    """
    once = schedule(arm.n, 0, *given)
    period, edges = once.period, _edges(plan, arm, once.period, once.ticks)
    centres = 0.5 * (edges[1:] + edges[:-1]) * period
    gains = controller_gains(plan, arm, controller, centres, given.timing(arm.n))
    loop = schedule(arm.n, gains.shape[-2] - arm.n, *given)
    many, kept = np.diff(edges).tolist(), loop.read(gains)
    maps = np.empty((len(centres), len(kept), len(kept)))
    begins = (centres - 0.5 * period)[:, None]
    motions = [
        _motion(plan, begins + flow.start + GAUSS * (flow.end - flow.start)) for flow in loop.flows
    ]

    def flows(rows: slice) -> Iterator[Array]:
        for flow, motion in zip(loop.flows, motions, strict=True):

            def make(ticks: Array, flow: Hold = flow, motion: Array = motion) -> Array:
                return _step_maps(arm, motion[ticks], flow.end - flow.start, loop)

            yield maps_along(make, motion, rows)

    def some(rows: slice) -> None:
        found = loop.compose(list(flows(rows)), gains[rows])
        maps[rows] = loop.beside_start(found[:, kept[:, None], kept], kept)
        last = rows.stop - (rows.stop == len(maps) and many[-1] != many[0])
        maps[rows.start : last] = np.linalg.matrix_power(maps[rows.start : last], many[0])
        maps[last : rows.stop] = np.linalg.matrix_power(maps[last : rows.stop], many[-1])

    in_pieces(some, len(centres), max((3 * arm.n) ** 2, loop.size**2))
    if not np.isfinite(maps).all():
        got = "answers to small errors that are no numbers"
        raise InputError(Problem("controller", got, "finite ones", "try smaller gains"))
    return edges * period, maps


def _edges(plan: Plan, arm: Arm, period: float, ticks: int) -> Array:
    """Return numbers of periods (k+1,), of so many ticks each, between which maps are made."""
    count = math.floor(plan.duration / period * (1.0 + 1e-12))
    if count < 1:
        least = "one tick" if ticks == 1 else f"{ticks} ticks"
        need = f"at least {ticks / plan.duration:g} Hz, {least} in {plan.duration:g} s"
        raise InputError(Problem("rate", f"{ticks / period:g} Hz", need))
    spacing = min(STEP, plan.duration / LEAST_INTERVALS)
    each = max(1, round(spacing / period), math.ceil(count * (2 * arm.n) ** 2 / MOST_KEPT))
    return np.append(np.arange(0, count, each), count)


def _motion(plan: Plan, times: Array) -> Array:
    """Return q, q̇, q̈ and the force on the tip, if there is one, at times (k, 2) as (k, c)."""
    flat = times.ravel()
    given = [
        *plan.trajectory.rows(flat),
        *([] if plan.tip_force is None else [plan.tip_force(flat)]),
    ]
    return np.concatenate(given, axis=-1).reshape(len(times), -1)


def _step_maps(arm: Arm, motion: Array, step: float, loop: Schedule | None = None) -> Array:
    """Return the maps (k, 2n, 2n) over steps of a motion (k, c).

    In a loop they are (k, d, d): torques that lag and commands, which are held, take part.
    """
    arm, n = arm.without_friction(keep_drag=True), arm.n
    both = motion.reshape(len(motion), 2, -1)
    q, qd, qdd, force = np.split(both, [n, 2 * n, 3 * n], axis=-1)
    rows = acceleration_rows(
        arm, q, qd, qdd, tip_force=force if force.size else None, by_torque=loop is not None
    )
    size = 2 * n if loop is None else loop.moving + n
    found = np.zeros((len(motion), 2, size, size))
    found[..., :n, n : 2 * n] = np.eye(n)
    found[..., n : 2 * n, :] = rows if loop is None else loop.generators(rows)
    if loop is not None:
        found[..., 2 * n : loop.moving, :] = loop.lag_rows
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


def log_norms(scaled: Scaled) -> Array:
    """Return ln of the 2-norms (k,)."""
    mantissa, log = scaled
    return values_in_pieces(
        lambda rows: log[rows] + np.log(_norms(mantissa[rows])), len(log), 4 * mantissa[0].size
    )


def _norms(matrices: Array) -> Array:
    """Return the largest singular values (k,) of matrices (k, p, d) that are neither huge nor tiny.

    The trace of a power G^p of the Gram matrix is Σ λ^p, no less than that of the largest alone. A
    column of it turns towards the vector of that one, and its Rayleigh quotient is no more than it.
    Where the two do not meet after some squarings, the two largest are close.
    """
    wide = matrices if matrices.shape[-2] < matrices.shape[-1] else matrices.swapaxes(-1, -2)
    gram = wide @ wide.swapaxes(-1, -2)
    found, unsure = np.empty(len(gram)), np.arange(len(gram))
    power, exponent = Scaled(gram, np.zeros(len(gram))), 1
    for squarings in SQUARINGS:
        mantissa, log = rescaled(*power)
        for _ in range(squarings):
            mantissa, log = mantissa @ mantissa, 2.0 * log
        power, exponent = Scaled(mantissa, log), exponent * 2**squarings
        sure, value = _largest_eigenvalues(gram, power, exponent)
        found[unsure[sure]] = np.sqrt(value[sure])
        unsure, gram, power = unsure[~sure], gram[~sure], Scaled(*(part[~sure] for part in power))
        if not len(unsure):
            return found
    found[unsure] = np.linalg.svd(matrices[unsure], compute_uv=False)[:, 0]
    return found


def _largest_eigenvalues(gram: Array, power: Scaled, exponent: int) -> tuple[Array, Array]:
    """Return where a power of a Gram matrix tells its largest eigenvalue (k,), and that."""
    diagonal = np.einsum("kii->ki", power.mantissa)
    column = power.mantissa[np.arange(len(gram)), :, np.argmax(diagonal, axis=-1)]
    turned = (gram @ column[..., None])[..., 0]
    value = np.einsum("ki,ki->k", column, turned) / np.einsum("ki,ki->k", column, column)
    most = (power.log + np.log(diagonal.sum(axis=-1))) / exponent
    return np.abs(most - np.log(value)) <= CERTAIN, value


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

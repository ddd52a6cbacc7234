"""Why open loop falls apart: how fast a small error grows along a motion, and what feedback does.

Torques that are right for a motion keep an arm on it only if it is on it. An error of the state
travels as δx(t) = Φ(t) δx(0), whatever made it: a start that is not right, a last digit rounded.

Exponents are the logarithms of the singular values of Φ(T), by T. Neighbours are multiplied first
as long as that costs no digits; where one matrix remains its singular values are taken. Where the
values are too far apart for that, QR factorisations on the way, from both ends in turn, leave
triangles whose product is a diagonal times a matrix N with ones on its diagonal:

    M_k Q_k−1 = Q_k R_k        R_K … R_1 = D N        D = ∏ diag R_k

Values far apart have N go to 1, and are the entries of D. Close ones do not, however often one
goes there and back: they stay in one block, of which Jacobi rotations find the singular values
to full relative accuracy, as D is a diagonal and N is well conditioned. Leaving out what couples
two blocks moves no singular value by more than a fraction ‖N₁₁⁻¹ N₁₂‖. Where errors grow by more
than 10^16 only to be taken back, as in a loop of wild gains, no arithmetic of sixteen digits knows
the values to more than their order of magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ulna.analysis import error_maps
from ulna.analysis.error_maps import Scaled, in_pieces, log_norms, rescaled
from ulna.analysis.sampled_loops import given_loop
from ulna.arm import Arm
from ulna.arm.control_loop import Actuators, Sensors
from ulna.arrays import Array, freeze, plain, positive
from ulna.control import Controller
from ulna.control.loop_stability import balance
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import jacobian
from ulna.motion import Plan
from ulna.progress import Described
from ulna.scenario.checks import check_controlled, check_kinds

FIRST = 10.0  # [s] that a sentence speaks of apart from the whole
ROUNDING = 1e-16  # of a number near one, half its last digit
SAMPLE = 64  # maps that units are chosen by
ROUNDS = 50  # of factorisations there and back at most; one or two suffice
SPREAD = 10.0  # how far apart ln σ of a map may be for its neighbours to be multiplied first
COUPLING = 1e-12  # in ln σ: what couples blocks may change
BLOCK_SPREAD = 300.0  # how far apart ln of the diagonal of a block may be: squares are numbers
LARGEST = 1e3  # entry of N for a block to be well conditioned


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Described):
    """How errors of an arm grow along a plan: open loop, or under a controller.

    Attributes
    ----------
    plan : Plan
        The motion.
    controller : Controller or None
        What closes the loop; None for open loop.
    rate : float or None
        The control rate [Hz].
    t : ndarray, shape (k,)
        Times [s].
    transition : Scaled
        Transition matrices Φ(t), (k, 2n, 2n), kept so that nothing overflows.
    growth : ndarray, shape (k,)
        ln ‖Φ(t)‖.
    tip_growth : ndarray, shape (k,)
        Logarithm of how far [m] the tip is off, at most, for an error of size one.
    exponents : ndarray, shape (2n,)
        ln σ_i(Φ(T)) / T, the largest first [1/s]; the first is `growth_rate()`.

    Notes
    -----
    Norms are those of the raw state, in rad and rad/s. Under a controller the errors are those
    of the arm's state, at ticks: its memory, which begins without an error, hands them on.
    """

    plan: Plan
    controller: Controller | None
    rate: float | None
    t: Array
    transition: Scaled
    growth: Array
    tip_growth: Array
    exponents: Array

    @property
    def phi(self) -> Array:
        """The matrices Φ(t) (k, 2n, 2n) as numbers; inf where they are too large for that."""
        with np.errstate(over="ignore", invalid="ignore"):
            half = np.exp(0.5 * self.transition.log)[:, None, None]
            return self.transition.mantissa * half * half

    def growth_at(self, t: float) -> float:
        """Return ln ‖Φ(t)‖ at a time.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        float
            Logarithm of how much the error that grows most has grown.
        """
        return float(np.interp(t, self.t, self.growth))

    def growth_rate(self, start: float = 0.0, end: float | None = None) -> float:
        """Return the mean rate at which the largest error grows between two times.

        Parameters
        ----------
        start : float, optional
            From when on [s].
        end : float, optional
            Until when [s]; the end of the plan unless given.

        Returns
        -------
        float
            The rate [1/s]; negative where errors fall.

        Raises
        ------
        InputError
            If they are not times of the plan, one after the other.
        """
        last = float(self.t[-1]) if end is None else end
        if not 0.0 <= start < last <= float(self.t[-1]) * (1.0 + 1e-9):
            need = f"times from 0 to {self.t[-1]:g} s, one after the other"
            raise InputError(Problem("start, end", f"{shown(start)}, {shown(end)}", need))
        return (self.growth_at(last) - self.growth_at(start)) / (last - start)

    def predicted_exit(self, radius: float, error: float = ROUNDING) -> float | None:
        """Return when an error at the start takes the tip out of a tube around the path.

        Parameters
        ----------
        radius : float
            Of the tube [m].
        error : float, optional
            Size of the error at the start [rad, rad/s], in the direction that grows most; that of
            rounding unless given.

        Returns
        -------
        float or None
            The time [s]; None if it never does.

        Raises
        ------
        InputError
            If a value is not a finite number above 0.
        """
        need = math.log(positive("radius", radius)) - math.log(positive("error", error, ""))
        beyond = np.flatnonzero(self.tip_growth >= need)
        if not len(beyond) or beyond[0] == 0:
            return float(self.t[0]) if len(beyond) else None
        k = int(beyond[0])
        low, high = self.tip_growth[k - 1 : k + 1]
        part = (need - low) / (high - low) if np.isfinite(low) else 1.0
        return float(self.t[k - 1] + part * (self.t[k] - self.t[k - 1]))

    @property
    def sentence(self) -> str:
        """What it comes to, in words."""
        return self._closed_sentence() if self.controller is not None else self._open_sentence()

    def _open_sentence(self) -> str:
        last = float(self.t[-1])
        spans = [f"{self._fold(end)} in {end:g} s, at {self.growth_rate(0.0, end):.2g} per second"
                 for end in ([FIRST] if last > 1.5 * FIRST else []) + [last]]  # fmt: skip
        leaves = self.predicted_exit(0.01)
        off = (
            f"One as small as rounding, {ROUNDING:g} at the start, alone would leave the tip less "
            "than 1 cm off to the end; larger ones need not"
            if leaves is None
            else f"Even one as small as rounding, {ROUNDING:g} at the start, takes the tip 1 cm "
            f"off after {leaves:.2f} s, whatever the integrator's tolerance; larger ones do sooner"
        )
        rate = self.growth_rate()
        if rate < 0.0:
            return f"Open loop errors fall at {-rate:.2g} per second. {off}."
        return f"Open loop an error grows {'; '.join(spans)}. {off}."

    def _closed_sentence(self) -> str:
        last, rate = float(self.t[-1]), self.growth_rate()
        head = f"Closed loop at {self.rate:g} Hz"
        if not rate < 0.0:
            return f"{head} errors grow {self._fold(last)} in {last:g} s, at {rate:.2g} per second."
        worst = float(np.exp(np.max(self.growth)))
        return (
            f"{head} errors fall by half every {math.log(2.0) / -rate:.2g} s, at {-rate:.3g} per "
            f"second; on the way they are {worst:.3g} times their first size at most."
        )

    def _fold(self, t: float) -> str:
        return f"10^{self.growth_at(t) / math.log(10.0):.1f}-fold"

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        found = {
            "loop": "open" if self.controller is None else "closed",
            "rate_hz": self.rate,
            "duration": self.t[-1],
            "exponents": self.exponents,
            "growth": self.growth[-1],
            "growth_rate": self.growth_rate(),
            "largest_growth": np.max(self.growth),
            "exit_1cm": self.predicted_exit(0.01),
            "exit_10cm": self.predicted_exit(0.1),
            "sentence": self.sentence,
        }
        return plain(found)

    def _lines(self) -> list[str]:
        rates = ", ".join(f"{value:.3g}" for value in self.exponents)
        return [self.sentence, f"exponents over {self.t[-1]:g} s: {rates} per second"]

    def _title(self) -> str:
        return f"Stability along {self.plan.path}"


def stability(
    plan: Plan,
    controller: Controller | None = None,
    *,
    rate: float | None = None,
    arm: Arm | None = None,
    sensors: Sensors | None = None,
    actuators: Actuators | None = None,
) -> Stability:
    """Compute how small errors grow along a plan: open loop, or under a controller.

    Parameters
    ----------
    plan : Plan
        The motion.
    controller : Controller, optional
        What closes the loop, any object with `start` and `torque`; open loop without one.
    rate : float, optional
        The control rate [Hz]; 1,000 unless given here or by the arm's loop.
    arm : Arm, optional
        The arm that moves, if it is another than the plan's, with a payload say. Open loop it
        gets the torques that it needs.
    sensors : Sensors, optional
        Delay of what is measured, where rates come from, a sample rate of their own; those of the
        arm's loop unless given. Bias and noise make errors, and do not change how they grow.
    actuators : Actuators, optional
        Delay and lag of what is commanded; those of the arm's loop unless given.

    Returns
    -------
    Stability
        How errors grow, and what that comes to in words.

    Raises
    ------
    InputError
        If an argument is not one of its kind, or the arm has another number of joints; for
        resolutions, which round and so have no derivative.
    InfeasibleError
        For a plan without a motion.

    Notes
    -----
    The controller is looked at on the motion that is asked for: one that strays from it is judged
    as though it did not. What it remembers takes part if it consists of floats, arrays of them and
    tuples of these; anything else stays as it is. Stops and limits of joints and actuators are left
    out, which small errors do not reach, and dry friction too, which has no derivative where a
    joint turns back.

    Examples
    --------
    >>> import ulna
    >>> told = stability(ulna.plan(ulna.preset("kehl"), ulna.paths.loops()))
    >>> told.exponents.round(1).tolist(), round(told.predicted_exit(0.01), 1)
    ([3.4, 1.0, -1.0, -3.3], 5.7)
    """
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    plan.raise_if_infeasible()
    moved = plan.arm if arm is None else arm
    check_kinds(moved, controller, sensors, ())
    check_controlled(controller, sensors=sensors, actuators=actuators)
    if moved.n != plan.arm.n:
        raise InputError(Problem("arm", f"{moved.n} joints", f"{plan.arm.n}, as the plan has"))
    frequency = None
    if controller is None:
        times, maps = error_maps.open_maps(plan, moved)
    else:
        given = given_loop(moved, rate, sensors, actuators)
        frequency = given.rate
        times, maps = error_maps.closed_maps(plan, moved, controller, given)
    whole, states = error_maps.running_products(maps), 2 * moved.n
    phi = Scaled(whole.mantissa[:, :states, :states], whole.log)
    places = jacobian(moved, plan.trajectory.rows(times)[0])[:, :2]
    tips = log_norms(Scaled(places @ phi.mantissa[:, : moved.n], phi.log))
    growth = log_norms(phi)
    logs = log_singular_values(maps, states)
    logs[0] = growth[-1]  # the same number, which a product keeps best where digits are lost
    exponents = np.sort(logs)[::-1] / (times[-1] - times[0])
    freeze(times, growth, tips, exponents, *phi)
    return Stability(plan, controller, frequency, times, phi, growth, tips, exponents)


def log_singular_values(maps: Array, states: int | None = None) -> Array:
    """Return ln σ (states,) of the product of maps (k, d, d), of which the first acts first.

    Of the product the first `states` rows and columns count, all of them unless given. The largest
    comes first; they are −inf where the product has no inverse.
    """
    size = maps.shape[-1] if states is None else states
    units = balance(np.abs(maps[:: -(-len(maps) // SAMPLE)]).max(axis=0))
    maps, log = _grouped(maps, units)
    total = float(log.sum())
    if len(maps) == 1:
        whole = (maps[0] * (units[:, None] / units))[:size, :size]
        if _spreads(whole[None])[0] <= SPREAD:
            return total + _logs(np.linalg.svd(whole, compute_uv=False))
    chain = [np.diag(1.0 / units)[:, :size], *maps, np.diag(units)[:size]]
    return total + _chain_values(chain, size)


def _chain_values(chain: Sequence[Array], size: int) -> Array:
    """Return ln σ (size,) of a product that is no single matrix, the largest first."""
    back, frame = [matrix.T for matrix in reversed(chain)], np.eye(size)
    for _ in range(ROUNDS):
        frame, _ = _swept(back, frame)
        frame, triangles = _swept(chain, frame)
        diagonal, unit = _diagonal_and_unit(triangles)
        # What nothing couples is a block of its own.
        apart = [k for k in range(1, size) if _coupling(diagonal, unit, k) <= COUPLING]
        blocks = [slice(*pair) for pair in pairwise([0, *apart, size])]
        if all(_is_tame(diagonal[block], unit[block, block]) for block in blocks):
            found = [_block_values(diagonal[block], unit[block, block]) for block in blocks]
            return np.sort(np.concatenate(found))[::-1]
    return np.sort(diagonal)[::-1]


def _swept(maps: Sequence[Array], frame: Array) -> tuple[Array, Array]:
    """Carry a frame through maps; return it at the end, and the triangles on the way."""
    from scipy.linalg.lapack import dgeqrf, dorgqr  # NumPy takes as long again to ask for it

    size = frame.shape[-1]
    triangles, upper = np.empty((len(maps), size, size)), np.triu(np.ones((size, size)))
    for k, matrix in enumerate(maps):
        packed, reflections, *_ = dgeqrf(matrix @ frame)
        sign = np.where(np.diagonal(packed) < 0.0, -1.0, 1.0)
        np.multiply(packed[:size], upper * sign[:, None], out=triangles[k])
        frame = dorgqr(packed, reflections, overwrite_a=True)[0] * sign
    return frame, triangles


def _diagonal_and_unit(triangles: Array) -> tuple[Array, Array]:
    """Return ln D (d,) and N (d, d) of the product of triangles, the first of which acts first."""
    size = triangles.shape[-1]
    unit, before = np.eye(size), np.zeros(size)
    above = np.triu(np.ones((size, size), dtype=bool), 1)
    with np.errstate(all="ignore"):  # what is too large for a number is no block either
        logs = np.cumsum(np.log(np.einsum("kii->ki", triangles)), axis=0)
        for triangle, after in zip(triangles, logs, strict=True):
            factor = triangle * np.exp(before - after[:, None])
            factor = np.where(above & (triangle != 0.0), factor, 0.0)
            unit, before = unit + factor @ unit, after
    return before, unit


def _coupling(diagonal: Array, unit: Array, edge: int) -> float:
    """Return by how much at most ln σ changes if the rows from an edge on are taken apart."""
    if np.isneginf(diagonal[edge:]).all() and np.isfinite(diagonal[:edge]).all():
        return 0.0  # without an inverse there is nothing to be moved
    first, across = unit[:edge, :edge], unit[:edge, edge:]
    if not (np.isfinite(first).all() and np.isfinite(across).all()):
        return math.inf
    return float(np.linalg.norm(np.linalg.solve(first, across)))


def _is_tame(diagonal: Array, unit: Array) -> bool:
    """Return whether the singular values of a block are numbers, and well conditioned."""
    if len(diagonal) == 1:
        return True
    return bool(np.ptp(diagonal) <= BLOCK_SPREAD and np.abs(unit).max() <= LARGEST)


def _block_values(diagonal: Array, unit: Array) -> Array:
    """Return ln σ of a block D N, each to full relative accuracy however small it is."""
    if len(diagonal) == 1:
        return diagonal
    from scipy.linalg.lapack import dgejsv

    largest = float(diagonal.max())
    block = np.exp(diagonal - largest)[:, None] * unit
    # Its columns may be scaled at will without loss (joba=0), hence the transpose.
    values, *_, scales, _, _ = dgejsv(block.T, joba=0, jobu=3, jobv=3, jobp=0)
    return largest + _logs(values * (scales[0] / scales[1]))


def _logs(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _grouped(maps: Array, units: Array) -> Scaled:
    """Multiply neighbours while that costs no digits: factorisations take their time.

    The maps are counted in units (d,). First those of a piece are multiplied with one another.
    """
    pieces: dict[int, tuple[Scaled, Array]] = {}

    def some(rows: slice) -> None:
        counted = maps[rows] * (units / units[:, None])
        scaled = rescaled(counted, np.zeros(len(counted)))
        pieces[rows.start] = _multiplied(scaled, error_maps.bounded_spreads(counted))

    in_pieces(some, len(maps), units.size**2)
    parts = [pieces[first] for first in sorted(pieces)]
    mantissa, log = (np.concatenate([scaled[k] for scaled, _ in parts]) for k in range(2))
    return _multiplied(Scaled(mantissa, log), np.concatenate([spreads for _, spreads in parts]))[0]


def _multiplied(found: Scaled, spreads: Array) -> tuple[Scaled, Array]:
    """Multiply neighbours of bounded spreads while that costs no digits; return bounds as well."""
    while len(found.log) > 1:
        even = len(found.log) // 2 * 2
        mantissa = np.concatenate([found.mantissa[1:even:2] @ found.mantissa[:even:2],
                                   found.mantissa[even:]])  # fmt: skip
        log = np.append(found.log[1:even:2] + found.log[:even:2], found.log[even:])
        after = rescaled(mantissa, log)
        # Those of a product are no farther apart than those of its factors together.
        bounds = np.append(spreads[1:even:2] + spreads[:even:2], spreads[even:])
        unsure = np.flatnonzero(~(bounds <= SPREAD))
        bounds[unsure] = _spreads(after.mantissa[unsure])
        if not (bounds <= SPREAD).all():
            return found, spreads
        found, spreads = after, bounds
    return found, spreads


def _spreads(maps: Array) -> Array:
    """Return how far apart ln σ of maps are (k,)."""

    def spreads(rows: slice) -> Array:
        values = np.linalg.svd(maps[rows], compute_uv=False)
        return np.log(values[:, 0]) - np.log(values[:, -1])

    return error_maps.values_in_pieces(spreads, len(maps), maps.shape[-1] ** 2)

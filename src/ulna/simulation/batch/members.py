"""The arms of a batch and their initial states; an invalid one fails alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.arm import Arm, Parameters, parameters_of, stack, warn_unmodelled
from ulna.arrays import Array, float_array
from ulna.dynamics.packed import link_moments, rotor_moments
from ulna.errors import InputError, Problem, shown
from ulna.simulation.batch.status import CODES
from ulna.simulation.batch.tables import PLANE
from ulna.simulation.options import MOST_START, check_no_text

TO_RUN = -1  # the code of an arm before it has run
ENDLESS = ("lower", "upper", "max_velocity", "max_torque")  # what may be infinite
# What is positive, or zero.
POSITIVE = (
    "mass", "tip_mass", "inertia", "damping", "rotor_inertia", "max_velocity", "max_torque",
)  # fmt: skip


@dataclass(frozen=True)
class Members:
    """Arms and where they start; a single arm serves all."""

    parameters: Parameters  # (n,) each, or (B, n)
    start: Array  # (2, B, n) angles and rates
    codes: Array  # (B,) TO_RUN, or why an arm will not
    arm: Arm | None  # whose parameters they are, if all are one Arm

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.codes)

    @property
    def n(self) -> int:
        """How many links they have."""
        return self.parameters.n


def read_arms(given: Any) -> Parameters:
    """Read an arm, stacked parameters, or a list of arms with the same number of links."""
    several = isinstance(given, Sequence) and not isinstance(given, Parameters)
    if several and len(given) and all(isinstance(one, Arm | Parameters) for one in given):
        given = stack(given)
    elif isinstance(given, Arm):
        warn_unmodelled(given)
        return given.parameters  # which were checked when it was made
    if not isinstance(given, Arm | Parameters):
        got = shown(given) if not several or len(given) else "an empty list"
        raise InputError(Problem("arms", got, "an Arm, stacked Parameters, or a list of arms"))
    p = _arrays(parameters_of(given))
    try:
        lead = np.broadcast_shapes(*(value.shape[:-1] for value in p))
    except ValueError:
        counts = sorted({len(value) for value in p if value.ndim > 1})
        need = "as many rows in each, one an arm"
        raise InputError(Problem("arms", f"parameters with {counts} rows", need)) from None
    if len(lead) > 1:
        hint = "flatten the leading axes into one"
        raise InputError(Problem("arms", f"a batch of shape {lead}", "one axis of arms", hint))
    # One arm in a list is one arm.
    if lead == (1,):
        return Parameters(*(value.reshape(value.shape[-1:]) for value in p))
    return Parameters(*(np.broadcast_to(value, (*lead, value.shape[-1])) for value in p))


def _arrays(given: Parameters) -> Parameters:
    """Read the arrays of arms, each with a number for every joint, or an x and a y."""
    p = Parameters(*(float_array(value, f"arms.{name}") for name, value in given._asdict().items()))
    n = p.length.shape[-1] if p.length.ndim else 0
    if n < 1:
        raise InputError(Problem("arms.length", f"shape {p.length.shape}", "(n,) or (B, n), n ≥ 1"))
    for name, value in p._asdict().items():
        size = 2 if name in PLANE else n
        if value.shape[-1:] != (size,):
            need = f"({size},) for all arms or (B, {size})"
            raise InputError(Problem(f"arms.{name}", f"shape {value.shape}", need))
    return Parameters(*(value.astype(float) for value in p))


def arms_in(parameters: Parameters) -> int:
    """Return how many arms parameters are of."""
    return len(parameters.length) if parameters.length.ndim > 1 else 1


def common_count(**counts: int) -> int:
    """Return how many members there are, of what was given for one (or all) or for each."""
    many = {name: count for name, count in counts.items() if count != 1}
    nothing = [name for name, count in many.items() if count == 0]
    if nothing:
        raise InputError(Problem(nothing[0], "none", "at least one"))
    if len(set(many.values())) > 1:
        (first, count), *others = many.items()
        name, other = next((name, other) for name, other in others if other != count)
        need = f"{count:,}, as many as {first} has, or one for all"
        raise InputError(Problem(name, f"{other:,} of them", need))
    return next(iter(many.values()), 1)


def joint_rows(what: str, given: Any, n: int, unit: str) -> Array:
    """Read numbers (n,) for all arms, or (B, n)."""
    try:
        values = np.asarray(float_array(given, what), dtype=float)
    except InputError:
        check_no_text(what, given, unit)
        raise
    rows = values[None] if values.ndim == 0 else values
    if rows.ndim > 2 or rows.shape[-1] != n:
        need = f"({n},) for all arms or (B, {n}), {n} value{'s' * (n > 1)} [{unit}] each"
        raise InputError(Problem(what, f"shape {values.shape}", need))
    return rows


def rows_in(values: Array) -> int:
    """Return for how many arms values are."""
    return len(values) if values.ndim > 1 else 1


def gathered(
    parameters: Parameters, q: Array, qd: Array, count: int, *, stops: bool, arm: Arm | None
) -> Members:
    """Put arms and initial states together, and note which cannot run."""
    n = parameters.n
    start = np.empty((2, count, n))
    start[0], start[1] = q, qd
    bad = bad_starts(start, parameters.lower, parameters.upper, stops=stops)
    codes = np.where(bad, CODES["bad start"], TO_RUN).astype(np.int8)
    if arm is None:
        codes[~is_an_arm(parameters)] = CODES["bad arm"]
    return Members(parameters, start, codes, arm)


def bad_starts(start: Array, lower: Array, upper: Array, *, stops: bool) -> Array:
    """Return which angles and rates (2, B, n) are not finite, too large, or beyond the limits."""
    # Written so that NaN is out of bounds as well.
    fine = np.abs(start) <= MOST_START
    if stops:
        fine[0] &= (start[0] >= lower) & (start[0] <= upper)
    return ~fine.all(axis=(0, 2))


def is_an_arm(p: Parameters) -> Array:
    """Return which parameters are those of a valid arm."""
    fine = np.ones(p.length.shape[:-1], dtype=bool)
    with np.errstate(all="ignore"):
        for name, value in p._asdict().items():
            known = ~np.isnan(value) if name in ENDLESS else np.isfinite(value)
            fine &= known.all(axis=-1)
        for name in POSITIVE:
            fine &= (getattr(p, name) >= 0.0).all(axis=-1)
        fine &= (p.length > 0.0).all(axis=-1) & (p.lower <= p.upper).all(axis=-1)
        # The last link is the lightest thing that a joint turns.
        moments = link_moments(p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass)
        rotor = rotor_moments(p.rotor_inertia, p.gear_ratio)
        fine &= (moments[-1] + rotor[-1])[..., -1] > 0.0
    return fine

"""Tracking errors as arrays, with a batch of runs in front or without.

At every sample, with p the tip and p* its reference, moving with v*:

    e = p − p*        along-track = e · v*/|v*|        cross-track = (v*/|v*|) × e

Joint errors are q − q*, less whole turns by which the first of them differ. What is found of one
run does not depend on the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.analysis.time_averages import finite_rows
from ulna.angles import TURN
from ulna.arrays import Array
from ulna.motion import Plan, TipMotion

STILL = 1e-12  # of the largest speed, below which the tip has no direction of its own


class PlannedMotion(NamedTuple):
    """What is to be followed, at S times.

    Attributes
    ----------
    position : ndarray, shape (..., S, 2)
        Where the tip should be [m].
    direction : ndarray, shape (..., S, 2)
        Unit vectors along its velocity.
    q : ndarray, shape (..., S, n)
        Joint angles [rad].
    """

    position: Array
    direction: Array
    q: Array


class Errors(NamedTuple):
    """Errors at S samples, as in `Tracking`.

    Attributes
    ----------
    error : ndarray, shape (..., S, 2)
        From where the tip should be to where it is [m].
    size, along_track, cross_track : ndarray, shape (..., S)
        Length of that error, and its parts along and across the reference velocity [m].
    joint_error : ndarray, shape (..., S, n)
        Joint errors [rad].
    """

    error: Array
    size: Array
    along_track: Array
    cross_track: Array
    joint_error: Array


def reference_at(plan: Plan, times: Array) -> PlannedMotion:
    """Return what a plan asks for at times (S,) [s]."""
    tip = plan.trajectory.tip(times)
    with np.errstate(all="ignore"):
        return PlannedMotion(tip.position, _directions(tip), plan.trajectory(times).q)


def _directions(reference: TipMotion) -> Array:
    """Return unit vectors (S, 2) along the reference velocity, where there is none as before."""
    speed = np.hypot(reference.velocity[:, 0], reference.velocity[:, 1])
    moving = np.flatnonzero(speed > STILL * np.nanmax(speed, initial=0.0))
    if not len(moving):
        return np.broadcast_to([1.0, 0.0], reference.velocity.shape)
    last = np.searchsorted(moving, np.arange(len(speed)), "right") - 1
    rows = moving[np.maximum(last, 0)]  # before it first moves: as it will
    return np.asarray(reference.velocity[rows] / speed[rows, None])


def errors(tip: Array, q: Array, reference: PlannedMotion) -> Errors:
    """Return the errors of tips (..., S, 3) and joint angles (..., S, n)."""
    with np.errstate(all="ignore"):
        error = tip[..., :2] - reference.position
        x, y = error[..., 0], error[..., 1]
        size = np.hypot(x, y)
        lost = ~(np.isfinite(x) & np.isfinite(y))
        if lost.any():
            error[lost] = size[lost] = np.nan
        ahead_x, ahead_y = reference.direction[..., 0], reference.direction[..., 1]
        along, cross = x * ahead_x + y * ahead_y, ahead_x * y - ahead_y * x
        return Errors(error, size, along, cross, _joint_errors(q, reference.q))


def _joint_errors(q: Array, reference: Array) -> Array:
    difference = np.asarray(q - reference)
    good = finite_rows(difference)
    first = np.argmax(good, axis=-1)[..., None, None]
    turns = np.round(np.take_along_axis(difference, first, axis=-2) / TURN)
    if turns.any():
        difference -= TURN * turns
    if not good.all():
        difference[~good] = np.nan
    return difference


def worst_samples(size: Array) -> Array:
    """Return the places (...) of the largest errors of sizes (..., S); NaN counts as none."""
    return np.asarray(np.argmax(np.where(np.isfinite(size), size, -1.0), axis=-1))


def settling_times(t: Array, size: Array, tolerance: float, number: Array) -> Array:
    """Return when (...) sizes (..., S) have come within a tolerance to stay; NaN if never.

    Only the first samples count, so many (...) as a run has. The last of them alone is not enough.
    """
    outside = ~((size <= tolerance) & np.isfinite(t)) & (np.arange(len(t)) < number[..., None])
    last = len(t) - 1 - np.argmax(outside[..., ::-1], axis=-1)
    first = np.where(outside.any(axis=-1), last + 1, 0)
    stays = (first < np.maximum(number - 1, 1)) & (number > 0)
    return np.where(stays, t[np.minimum(first, len(t) - 1)], np.nan)


def exit_times(t: Array, size: Array, radius: float) -> Array:
    """Return when (...) sizes (..., S) are first beyond a radius; NaN if never."""
    outside = size > radius
    return np.where(outside.any(axis=-1), t[np.argmax(outside, axis=-1)], np.nan)

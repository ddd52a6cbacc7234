"""A bucket of arms that go in lanes together, and the arrays that take their results."""

from __future__ import annotations

from typing import NamedTuple

from ulna.arrays import Array


class Bucket(NamedTuple):
    """Arms that share their times and the form of their inputs, so that they can go in lanes.

    A row belongs to an arm; a single row is shared by all.
    """

    members: Array  # (b,) their rows of `arms` to `keys`, and of the outcome
    arms: Array  # (1 or B, n+1, constants)
    limits: Array  # (1 or B, n) the most torque that a controller may ask for
    start: Array  # (2, B, n) angles and rates
    keys: Array  # (B,) their streams of random numbers
    per_arm: Array  # (k,) the memory of that name at the start, as it is for all
    columns: Array  # (j,) the entries of it in which arms differ
    own: Array  # (1 or b, j) what each of them has there
    params: Array  # (1 or b, p) of their controllers
    state: Array  # (1 or b, s)
    postures: Array  # (1 or b, n) set-points, or nothing
    floats: Array  # the rest of the memory at the start
    ints: Array


class Outcome(NamedTuple):
    """The results of every arm; `codes` are negative until it has ended."""

    times: Array  # (S,) of the samples
    q: Array  # (B, S, n)
    qd: Array
    tau: Array  # (B, S, n), or nothing
    t_end: Array  # (B,)
    codes: Array  # (B,)

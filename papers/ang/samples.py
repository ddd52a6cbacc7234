"""What paper 004's formulas are tried on: its arm, one target to look at, and many at random."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import ulna
from papers.ang import printed
from papers.ang.printed import Floats
from ulna.arm import Parameters

TARGETS = 20_000
SHORTEST, LONGEST = 0.3, 2.0  # [m] of their links
HIT = 1e-9  # [m] from which a target counts as missed


class Targets(NamedTuple):
    """Links and the points that they are to reach, one of each for every target."""

    l1: Floats
    l2: Floats
    x: Floats
    y: Floats


class Example(NamedTuple):
    """One arm and one target, in reach, as plain numbers."""

    l1: float
    l2: float
    x: float
    y: float


@cache
def arm() -> ulna.Arm:
    """Return the arm with our numbers, as the paper has none."""
    return ulna.preset("ang")


@cache
def example() -> Example:
    """Return the arm and the target that errata are shown on."""
    first, second = arm().links
    return Example(first.length, second.length, 1.2, 0.6)


@cache
def targets() -> Targets:
    """Return targets in reach, each for links of its own, from postures over the whole circle.

    What a formula misses them by, in the median, grows and shrinks with the links: read it against
    their length of 0.3 to 2 m.
    """
    random = np.random.default_rng(4)
    l1, l2 = random.uniform(SHORTEST, LONGEST, (2, TARGETS))
    th1, th2 = random.uniform(-np.pi, np.pi, (2, TARGETS))
    return Targets(l1, l2, *printed.forward(l1, l2, th1, th2))


def tip_error(th1: Floats, th2: Floats) -> Floats:
    """Return how far [m] from each target such angles put the tip, by its forward kinematics."""
    l1, l2, x, y = targets()
    reached = printed.forward(l1, l2, th1, th2)
    return np.asarray(np.hypot(reached[0] - x, reached[1] - y))


def arms() -> Parameters:
    """Return all the arms of the targets as one batch."""
    lengths = np.stack(targets()[:2], axis=-1)
    return arm().parameters._replace(length=lengths)


@cache
def right_bend() -> Floats:
    """Return θ₂ of every target by the formula with errata 1 to 3 put right."""
    return printed.bend(printed.repaired_radicand(*targets()), *targets())

"""What paper 003's formulas are tried on: its arm, one state to look at, and many at random."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import ulna
from papers.ductri import printed
from papers.ductri.printed import DuctriConstants, Floats, LinkMasses
from ulna.arm import Parameters

STATES = 500
ARMS = 300
Q = np.radians([30.0, 40.0])  # the example
RATE = np.array([1.0, 2.0])  # [rad/s]
TURNING = np.array([3.0, -1.0])  # [rad/s²]
RODS = LinkMasses(0.6, 0.4, 0.25, 0.2)  # ordinary masses for the links of the example


class Heavy(NamedTuple):
    """Arms with masses everywhere, in the paper's letters and in ours, and a state of each."""

    constants: DuctriConstants
    links: LinkMasses
    arms: Parameters
    state: tuple[Floats, Floats, Floats]


@cache
def arm() -> ulna.Arm:
    """Return the arm with our numbers, as the paper has none."""
    return ulna.preset("ductri")


@cache
def constants() -> DuctriConstants:
    """Return the same arm in the paper's letters."""
    return printed.constants(arm())


@cache
def with_rods() -> ulna.Arm:
    """Return the arm of the example with the masses of its links."""
    masses = (RODS.m1_link, RODS.c1), (RODS.m2_link, RODS.c2)
    return ulna.Arm.of(
        [
            ulna.Link(link.length, float(mass), float(com), link.inertia, link.tip_mass)
            for link, (mass, com) in zip(arm().links, masses, strict=True)
        ]
    )


@cache
def states() -> tuple[Floats, Floats, Floats]:
    """Return angles, rates and accelerations, (500, 2) each."""
    q, qd, qdd = np.random.default_rng(0).uniform(-3.0, 3.0, (3, STATES, 2))
    return q, qd, qdd


@cache
def heavy() -> Heavy:
    """Return 300 arms with link masses, each in a state of its own."""
    random = np.random.default_rng(1)
    length = random.uniform(0.2, 1.0, (2, ARMS))
    inertia, point, mass = random.uniform(0.05, 1.0, (3, 2, ARMS))
    centre = length * random.uniform(0.0, 1.2, (2, ARMS))
    # Some of these no body can have; the equations hold for them as well.
    arms = [
        ulna.Arm(tuple(ulna.Link(*row) for row in zip(*rows, strict=True)), (ulna.Joint(),) * 2)
        for rows in zip(*(part.T for part in (length, mass, centre, inertia, point)), strict=True)
    ]
    q, qd, qdd = np.random.default_rng(2).uniform(-3.0, 3.0, (3, ARMS, 2))
    constants = DuctriConstants(*length, *inertia, *point)
    return Heavy(constants, LinkMasses(*mass, *centre), ulna.stack(arms), (q, qd, qdd))


def apart(one: Floats, other: Floats) -> float:
    """Return the largest difference between two arrays."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())

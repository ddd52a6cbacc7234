"""The arm as compiled code reads it: a table with one row a link, scratch memory beside.

One table in place of many arrays, since compiled functions hand arrays on at a price.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ulna.arm import Parameters
from ulna.arrays import Array

# A link's length [m]; mass [kg], first moments along and to the left [kg·m] and second moment
# about the near joint [kg·m²] of the link with its point mass; damping [N·m·s/rad] and limits
# [rad] of its joint.
LENGTH, MASS, ALONG, ASIDE, SECOND, DAMPING, LOWER, UPPER = range(8)
# What neighbours exchange at joint i: ½ (carrier β² + 2 cross β α + own α²) for the accelerations
# β of link i−1 and α of link i. STUCK is not 0 where the joint is held, at a stop or by friction,
# and the two turn as one.
CARRIER, CROSS, OWN, STUCK = range(8, 12)
# Friction of joint i: Coulomb and static [N·m], the Stribeck velocity [rad/s], and quadratic drag
# [N·m·s²/rad²].
COULOMB, STATIC, STRIBECK, DRAG = range(12, 16)
CONSTANTS = 16
# Scratch columns. TORQUE is the input and QDD the result (in inverse dynamics the other way round);
# HOLDING is the torque that holds a stuck joint. FRICTION is what resists a joint that slides, in
# its DIRECTION (±1), APPLIED the torque without it, and LEAST to MOST what holds a joint at rest.
# GEAR_FORTH and GEAR_BACK are what a gear under load takes from a joint that turns either way.
R_X, R_Y, RHO, INVERSE, TORQUE, QDD, HOLDING = range(16, 23)
FRICTION, APPLIED, DIRECTION, LEAST, MOST = range(23, 28)
GEAR_FORTH, GEAR_BACK = range(28, 30)
COLUMNS = 30

# How the links stand, (3, n+1): apart from the table, so that a compiler can work on several at
# once. OMEGA_SQUARED is the square of a link's rate [rad²/s²].
COS, SIN, OMEGA_SQUARED = range(3)
TURNS = 3

# The row after the last link holds what is the arm's, and the force and moment on its tip.
GRAVITY_X, GRAVITY_Y, BASE_X, BASE_Y = range(4)
FORCE_X, FORCE_Y, MOMENT = range(CONSTANTS, CONSTANTS + 3)


def pack(p: Parameters) -> Array:
    """Return the constants (…, n+1, 16) of arms, as NumPy arrays of double precision.

    Limits, of which the dynamics knows nothing, are left at zero.
    """
    batch = np.broadcast_shapes(*(np.shape(value)[:-1] for value in p))
    rows = np.zeros((*batch, p.n + 1, CONSTANTS))
    own = rows[..., :-1, :]
    own[..., LENGTH], own[..., DAMPING] = p.length, p.damping
    moments = link_moments(p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass)
    for column, value in zip((MASS, ALONG, ASIDE, SECOND), moments, strict=True):
        own[..., column] = value
    for column, value in zip(
        (COULOMB, STATIC, STRIBECK, DRAG),
        (p.coulomb, p.static, p.stribeck_velocity, p.drag),
        strict=True,
    ):
        own[..., column] = value
    exchanged = rotor_moments(p.rotor_inertia, p.gear_ratio)
    for column, value in zip((CARRIER, CROSS, OWN), exchanged, strict=True):
        own[..., column] = value
    rows[..., -1, GRAVITY_X : GRAVITY_Y + 1] = p.gravity
    rows[..., -1, BASE_X : BASE_Y + 1] = p.base
    return rows


def link_moments(
    length: Any, mass: Any, com: Any, com_offset: Any, inertia: Any, tip_mass: Any
) -> tuple[Any, Any, Any, Any]:
    """Return a link's mass, first moments and second moment, with its point mass.

    Numbers, arrays and, compiled, lanes will do.
    """
    along, aside = mass * com + tip_mass * length, mass * com_offset
    second = inertia + mass * (com * com + com_offset * com_offset) + tip_mass * length * length
    return mass + tip_mass, along, aside, second


def rotor_moments(rotor: Any, ratio: Any) -> tuple[Any, Any, Any]:
    """Return what a rotor makes the links at its joint exchange: carrier, cross, own.

    It has the energy ½ J ((1 − N) β + N α)² in rates, and so acts on accelerations.
    """
    rest = 1.0 - ratio
    return rotor * rest * rest, rotor * rest * ratio, rotor * ratio * ratio

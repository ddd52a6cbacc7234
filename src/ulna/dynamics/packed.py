"""The arm as compiled code reads it: a table with one row a link, its memory to work in beside.

One table in place of many arrays, since compiled functions hand arrays on at a price.
"""

from __future__ import annotations

import numpy as np

from ulna.arm import Parameters
from ulna.arrays import Array, sum_beyond

# A link's length [m]; mass [kg], first moments along and to the left [kg·m] and second moment
# about the near joint [kg·m²] of the link with its point mass; damping [N·m·s/rad] and limits
# [rad] of its joint.
LENGTH, MASS, ALONG, ASIDE, SECOND, DAMPING, LOWER, UPPER = range(8)
# What neighbours exchange at joint i: ½ (carrier β² + 2 cross β α + own α²) for the accelerations
# β of link i−1 and α of link i. STUCK is +1 or −1 where the joint rests at its upper or lower
# stop, else 0.
CARRIER, CROSS, OWN, STUCK = range(8, 12)
CONSTANTS = 12
# In the sequential model the same columns hold what a joint adds to the frozen arm beyond it: the
# inertia [kg·m²] of the rotors that it turns, and paper 001's friction B [1/s].
ROTORS, PER_SECOND = CARRIER, CROSS
# To work in. TORQUE comes in and TURNING goes out (in inverse dynamics the other way round);
# HOLDING is the torque that holds a stuck joint.
R_X, R_Y, RHO, INVERSE, TORQUE, TURNING, HOLDING = range(12, 19)
COLUMNS = 19

# How the links stand, (3, n+1): apart from the table, so that a compiler can work on several at
# once. WHIRL is the square of a link's rate.
COS, SIN, WHIRL = range(3)
TURNS = 3

# The row after the last link holds what is the arm's, and the force and moment on its tip.
GRAVITY_X, GRAVITY_Y, BASE_X, BASE_Y = range(4)
FORCE_X, FORCE_Y, MOMENT = range(12, 15)


def pack(p: Parameters) -> Array:
    """Give the constants (…, n+1, 12) of arms, as NumPy arrays of double precision.

    Limits, of which the dynamics knows nothing, are left at zero.
    """
    batch = np.broadcast_shapes(*(np.shape(value)[:-1] for value in p))
    rows = np.zeros((*batch, p.n + 1, CONSTANTS))
    own, ratio, rotor = rows[..., :-1, :], p.gear_ratio, p.rotor_inertia
    own[..., LENGTH] = p.length
    own[..., MASS] = p.mass + p.tip_mass
    own[..., ALONG] = p.mass * p.com + p.tip_mass * p.length
    own[..., ASIDE] = p.mass * p.com_offset
    own[..., SECOND] = p.inertia + p.mass * (p.com**2 + p.com_offset**2) + p.tip_mass * p.length**2
    own[..., DAMPING] = p.damping
    # A rotor has the energy ½ J ((1 − N) β + N α)² in rates, and so acts on accelerations.
    own[..., CARRIER] = rotor * (1.0 - ratio) ** 2
    own[..., CROSS] = rotor * (1.0 - ratio) * ratio
    own[..., OWN] = rotor * ratio**2
    rows[..., -1, GRAVITY_X : GRAVITY_Y + 1] = p.gravity
    rows[..., -1, BASE_X : BASE_Y + 1] = p.base
    return rows


def pack_frozen(p: Parameters, friction: Array | None) -> Array:
    """Give the constants (n+1, 12) for the sequential model; friction takes damping's place."""
    rows = pack(p)
    own = rows[:-1]
    own[:, CARRIER : STUCK + 1] = 0.0
    own[:, ROTORS] = p.rotor_inertia * p.gear_ratio**2 + sum_beyond(np, p.rotor_inertia)
    if friction is not None:
        own[:, PER_SECOND], own[:, DAMPING] = friction, 0.0
    return rows

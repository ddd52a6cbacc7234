"""The torques of a motion, taken apart by where they come from; their sum is the torque."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.angles import relative_to_absolute
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics import chain
from ulna.dynamics.algebra import times, to_joints

MOST_AT_ONCE = 4_000_000  # numbers of a stack of matrices


class Terms(NamedTuple):
    """The joint torques of a motion, taken apart by where they come from.

    Attributes
    ----------
    inertia : ndarray, shape (k, n)
        Torques [N·m] that accelerate links, point masses and payload.
    coriolis : ndarray, shape (k, n)
        Torques [N·m] against centrifugal and Coriolis forces.
    gravity : ndarray, shape (k, n)
        Torques [N·m] that carry the weight.
    damping : ndarray, shape (k, n)
        Torques [N·m] against the viscous damping of the joints.
    rotor : ndarray, shape (k, n)
        Torques [N·m] that accelerate the motors' rotors.
    tip_force : ndarray, shape (k, n)
        Torques [N·m] against the force on the tip.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    damping: Array
    rotor: Array
    tip_force: Array

    @property
    def total(self) -> Array:
        """The joint torques (k, n) [N·m], the sum of all terms."""
        return np.sum(np.stack(self), axis=0)


def torque_terms(arm: Arm, q: Array, qd: Array, qdd: Array, tip_force: Array | None) -> Terms:
    """Return the terms (k, n) of a motion (k, n), with a force on the tip (k, 2 or 3) or none."""
    size = max(1, MOST_AT_ONCE // arm.n**2)
    pieces = []
    for first in range(0, len(q), size):
        rows = slice(first, first + size)
        force = None if tip_force is None else tip_force[rows]
        pieces.append(_terms(arm, q[rows], qd[rows], qdd[rows], force))
    found = Terms(*(np.concatenate(parts) for parts in zip(*pieces, strict=True)))
    for part in found:
        part.flags.writeable = False
    return found


def _terms(arm: Arm, q: Array, qd: Array, qdd: Array, force: Any) -> Terms:
    at, rate = chain.moving(arm, q, qd)
    turning = relative_to_absolute(qdd)
    rotors = np.broadcast_to(chain.rotors(at), (len(q), arm.n, arm.n))
    spun = times(np, rotors, turning)
    parts = {
        "inertia": times(np, chain.inertia(at), turning) - spun,
        "coriolis": times(np, chain.coriolis_coupling(at), rate**2),
        "gravity": chain.weight(at),
        "rotor": spun,
        "tip_force": np.zeros_like(q) if force is None else -chain.tip_pull(at, force),
    }
    links = {name: to_joints(np, part) for name, part in parts.items()}
    return Terms(**links, damping=arm.parameters.damping * qd)

"""The derivation against the closed form in numbers: two statements of the same physics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.numbers import random_arm, values
from ulna.derivation.symbols import symbol
from ulna.dynamics import absolute, chain
from ulna.errors import UlnaError

STATES = 20
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Check:
    """The largest difference of each quantity over all states, relative to what it is made of.

    That is the whole mass at the end of the whole length, moving as the state does: an arm in
    balance has entries of rounding size, which say nothing.
    """

    states: int
    mass_matrix: float
    coriolis: float
    gravity: float
    torque: float  # straight from the Euler–Lagrange terms, not from M, C and G

    @property
    def worst(self) -> float:
        """The largest of the differences."""
        return float(np.max([self.mass_matrix, self.coriolis, self.gravity, self.torque]))


def check(mechanics: Mechanics, arm: Arm | None = None, *, seed: int = 1) -> Check:
    """Compare at random arms and states, and at the given arm's own numbers.

    Raises UlnaError where they differ by more than 1e-12: a wrong derivation is not handed out.
    """
    random = np.random.default_rng(seed)
    symbolic = _evaluator(mechanics)
    worst = np.zeros(4)
    for state in range(STATES):
        # A given arm takes turns with arms at random, whose numbers nobody chose.
        given = arm if state % 2 == 0 else None
        drawn = given or random_arm(mechanics.model.options, random)
        motion = random.uniform(-3.0, 3.0, (3, mechanics.model.n))
        force = random.uniform(-5.0, 5.0, 2)
        ours = symbolic(drawn, motion, force)
        theirs = _closed_form(mechanics, _modelled(drawn, mechanics), motion, force)
        rows = zip(ours, theirs, _scales(drawn, motion, force), strict=True)
        errors = [_largest(one.reshape(other.shape) - other) / scale for one, other, scale in rows]
        worst = np.maximum(worst, errors)
    found = Check(STATES, *(float(error) for error in worst))
    if not found.worst <= TOLERANCE:
        raise UlnaError(f"the derivation and the closed form differ by {found.worst:.1e}")
    return found


def _evaluator(mechanics: Mechanics) -> Callable[[Arm, Array, Array], list[Array]]:
    """Return the function from an arm and its motion to the symbolic M, C q̇, G and τ."""
    m = mechanics.model
    names = tuple(mechanics.constants)
    force = (symbol("F", "x"), symbol("F", "y"))
    terms = [
        mechanics.momentum_rate(k)
        - mechanics.angle_derivative(k)
        + mechanics.drag(k)
        - mechanics.pull(k)
        for k in range(m.n)
    ]
    coriolis = mechanics.coriolis_matrix * sp.Matrix(m.rates)
    wanted = [mechanics.mass_matrix, coriolis, mechanics.gravity, sp.Matrix(terms)]
    motion = (*m.coordinates, *m.rates, *m.accelerations)
    letters = tuple(values(random_arm(m.options, np.random.default_rng(0)), m.options))
    constants = sp.lambdify(letters, list(mechanics.constants.values()), "numpy")
    matrices = sp.lambdify((*letters, *names, *motion, *force), wanted, "numpy", cse=True)

    def evaluate(arm: Arm, state: Array, pull: Array) -> list[Array]:
        known = tuple(values(arm, m.options).values())
        found = matrices(*known, *constants(*known), *state.ravel(), *pull)
        return [np.asarray(part, dtype=float) for part in found]

    return evaluate


def _modelled(arm: Arm, mechanics: Mechanics) -> Arm:
    """Return the arm as far as the letters describe it."""
    options = mechanics.model.options
    joints = arm.joints if options.drives else [type(j)() for j in arm.joints]
    gravity = arm.gravity if options.gravity != "none" else (0.0, 0.0)
    payload = arm.payload if options.payload else type(arm.payload)(inertia=arm.payload.inertia)
    return arm.replace(joints=joints, gravity=gravity, payload=payload)


def _closed_form(mechanics: Mechanics, arm: Arm, motion: Array, force: Array) -> list[Array]:
    form = chain if mechanics.model.options.relative else absolute
    q, qd, qdd = motion
    pull = force if mechanics.model.options.tip_force else None
    coriolis = form.coriolis_matrix(arm, q, qd) @ qd
    torque = form.inverse_dynamics(arm, q, qd, qdd, tip_force=pull)
    found = [form.mass_matrix(arm, q), coriolis, form.gravity_torque(arm, q), torque]
    return [np.asarray(part) for part in found]


def _scales(arm: Arm, motion: Array, force: Array) -> list[float]:
    """Return the sizes of M, C q̇, G and τ that no cancelling has made smaller."""
    p = arm.parameters
    extent = float(np.sum(np.maximum(p.length, np.hypot(p.com, p.com_offset))))
    rotors = float(np.sum(p.rotor_inertia * (1.0 + np.abs(p.gear_ratio)) ** 2))
    inertia = arm.mass * extent**2 + float(np.sum(p.inertia)) + rotors
    _, rate, turning = (_largest(part) for part in motion)
    coriolis = inertia * rate**2
    gravity = arm.mass * extent * float(np.hypot(*arm.gravity))
    drag = rate * float(np.sum(p.damping)) + extent * _largest(force)
    return [inertia, coriolis, gravity or 1.0, inertia * turning + coriolis + gravity + drag]


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values)))

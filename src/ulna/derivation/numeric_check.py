"""The derivation against the closed form in numbers: two statements of the same physics.

Letters are replaced by the values of an arm, and of arms drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ulna.arm import Arm, Joint, Link, Payload
from ulna.arrays import Array
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import symbol
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


def values(arm: Arm, options: DerivationOptions) -> dict[sp.Symbol, float]:
    """Return the value of every letter that stands for a property of the arm."""
    found: dict[sp.Symbol, float] = {}
    for number, (link, joint) in enumerate(zip(arm.links, arm.joints, strict=True), 1):
        found[symbol("l", number)] = link.length
        found[symbol("m", number)] = link.mass
        if options.bodies == "general":
            found[symbol("c", number)] = link.com
            found[symbol("d", number)] = link.com_offset
            # The load's own inertia turns with the last link.
            found[symbol("I", number)] = float(arm.parameters.inertia[number - 1])
            found[symbol("p", number)] = link.tip_mass
        if options.drives:
            found[symbol("J", number)] = joint.rotor_inertia
            found[symbol("N", number)] = joint.gear_ratio
            found[symbol("b", number)] = joint.damping
    if options.payload:
        found[symbol("m", "P")] = arm.payload.mass
    if options.gravity == "down":
        found[symbol("g")] = -arm.gravity[1]
    elif options.gravity == "vector":
        found[symbol("gamma", "x")], found[symbol("gamma", "y")] = arm.gravity
    return found


def random_arm(options: DerivationOptions, random: np.random.Generator) -> Arm:
    """Draw an arm of the kind that the letters describe."""
    n = options.links

    def draw(low: float, high: float) -> list[float]:
        return [float(value) for value in random.uniform(low, high, n)]

    lengths, masses = draw(0.3, 1.0), draw(0.3, 1.0)
    sample = (Arm.point_masses if options.bodies == "points" else Arm.rods)(lengths, masses)
    links: tuple[Link, ...] = sample.links
    if options.bodies == "general":
        rows = zip(lengths, masses, draw(0.1, 0.5), draw(0.1, 0.3), strict=True)
        ends = zip(draw(0.1, 0.5), draw(-0.2, 0.2), strict=True)
        links = tuple(Link(*row, *end) for row, end in zip(rows, ends, strict=True))
    joints = tuple(Joint() for _ in links)
    if options.drives:
        drives = zip(draw(0.1, 1.0), draw(0.001, 0.01), draw(-9.0, 9.0), strict=True)
        joints = tuple(Joint(damping=b, rotor_inertia=j, gear_ratio=n) for b, j, n in drives)
    payload = Payload(float(random.uniform(0.1, 1.0)) if options.payload else 0.0)
    return Arm(links, joints, _gravity(options, random), payload=payload)


def _gravity(options: DerivationOptions, random: np.random.Generator) -> tuple[float, float]:
    if options.gravity == "none":
        return 0.0, 0.0
    x, y = (float(value) for value in random.uniform(1.0, 10.0, 2))
    return (x, -y) if options.gravity == "vector" else (0.0, -y)

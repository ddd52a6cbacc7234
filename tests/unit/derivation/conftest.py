"""What the tests of derivations share: derivations made once, arms at random, formulas to numbers.

None of it comes from the package's own derivation, which is what is being tested.
"""

import dataclasses
import functools
import math
from itertools import product

import numpy as np
import pytest
import sympy as sp

import ulna

ALL = {"payload": True, "tip_force": True, "drives": True, "gravity": "vector"}
LOADED = {"payload": True, "gravity": "vector"}
# The long ones first, so that two processes are busy to the end.
KINDS = list(product(("relative", "absolute"), ("rods", "points", "general")))
# Of four links one kind, and the others in slow: they are what three links are, with more terms.
CASES = [
    pytest.param((4, *kind), marks=() if kind == ("relative", "points") else pytest.mark.slow)
    for kind in KINDS
] + [(links, *kind) for links in (3, 2, 1) for kind in KINDS]


@functools.cache
def _derive_once(options):
    return ulna.derive(**dict(options))


def _derive(links=2, **options):
    return _derive_once(tuple(sorted({"links": links, **options}.items())))


@pytest.fixture(scope="session")
def derived():
    """Give `ulna.derive`, every derivation of letters alone made only once."""
    return _derive


@pytest.fixture(scope="session", params=CASES, ids=lambda case: "-".join(map(str, case)))
def case(request):
    """Give the derivation of each kind of arm, with all that can be added to it.

    Long arms of rods or points carry a payload only: they are general arms of fewer letters.
    """
    links, convention, bodies = request.param
    added = ALL if links <= 2 or bodies == "general" else LOADED
    return _derive(links, convention=convention, bodies=bodies, **added)


def _draw(random, n, bodies="rods", *, payload=True, drives=True, gravity="vector", friction=False):
    """Draw an arm whose every number differs from 0 and from every other."""
    lengths, masses = random.uniform(0.2, 1.5, n), random.uniform(0.2, 3.0, n)
    kind = ulna.Arm.point_masses if bodies == "points" else ulna.Arm.rods
    links = kind(lengths.tolist(), masses.tolist()).links
    if bodies == "general":
        links = [
            ulna.Link(length, mass, *rest)
            for length, mass, *rest in zip(
                lengths.tolist(),
                masses.tolist(),
                random.uniform(0.05, 0.9, n).tolist(),
                random.uniform(0.02, 0.2, n).tolist(),
                random.uniform(0.1, 1.0, n).tolist(),
                random.uniform(-0.3, 0.3, n).tolist(),
                strict=True,
            )
        ]
    joints = [
        ulna.Joint(damping=b, rotor_inertia=j, gear_ratio=ratio) if drives else ulna.Joint()
        for b, j, ratio in zip(
            random.uniform(0.1, 2.0, n).tolist(),
            random.uniform(0.001, 0.02, n).tolist(),
            random.uniform(-12.0, 12.0, n).tolist(),
            strict=True,
        )
    ]
    if friction:
        rows = np.random.default_rng(n).uniform([0.1, 1.0, 0.5, 0.1], [1.0, 2.0, 3.0, 1.0], (n, 4))
        joints = [
            dataclasses.replace(joint, friction=ulna.Friction(*row))
            for joint, row in zip(joints, rows.tolist(), strict=True)
        ]
    x, y = random.uniform(-9.0, -1.0, 2).tolist()
    falls = {"vector": (x, y), "down": (0.0, y), "none": (0.0, 0.0)}[gravity]
    load = float(random.uniform(0.1, 1.0)) if payload else 0.0
    # Straight from the class: random bodies need not be bodies that anybody could build.
    return ulna.Arm(tuple(links), tuple(joints), falls, payload=ulna.Payload(load))


@pytest.fixture(scope="session")
def state(worth):
    """Draw what a derivation is of: an arm, a motion, a force, and every letter's number."""

    def at(derivation, seed=1):
        random = np.random.default_rng(seed)
        o = derivation.options
        chosen = {"drives": o.drives, "gravity": o.gravity, "friction": o.friction}
        arm = _draw(random, o.links, o.bodies, payload=o.payload, **chosen)
        motion, force = random.uniform(-3.0, 3.0, (3, o.links)), random.uniform(-5.0, 5.0, 2)
        known = _letters(arm, motion, force)
        known |= {s.name: worth(formula, known) for s, formula in derivation.constants.items()}
        return arm, motion, force, known

    return at


def _letters(arm, motion=(), force=()):
    """Give the number of every letter: "l1" is l_1, "qd2" and "phid2" the rate of angle 2.

    `motion` holds angles, rates and accelerations (3, n), `force` the force on the tip.
    """
    known = {"mP": arm.payload.mass, "g": -arm.gravity[1]}
    known |= {"gammax": arm.gravity[0], "gammay": arm.gravity[1]}
    for k, (link, joint) in enumerate(zip(arm.links, arm.joints, strict=True), 1):
        known |= {f"l{k}": link.length, f"m{k}": link.mass, f"c{k}": link.com}
        known |= {f"d{k}": link.com_offset, f"I{k}": link.inertia, f"p{k}": link.tip_mass}
        known |= {f"J{k}": joint.rotor_inertia, f"N{k}": joint.gear_ratio}
        known |= {f"b{k}": joint.damping}
        if joint.friction is not None:
            rubs = joint.friction
            known |= {f"fc{k}": rubs.coulomb, f"fs{k}": rubs.static, f"k{k}": rubs.drag}
            known |= {f"omegas{k}": rubs.stribeck_velocity}
    for dots, row in enumerate(motion):
        for k, value in enumerate(row, 1):
            known |= {f"q{'d' * dots}{k}": float(value), f"phi{'d' * dots}{k}": float(value)}
    for axis, value in zip("xy", force, strict=False):
        known[f"F{axis}"] = float(value)
    return known


@pytest.fixture(scope="session")
def letters():
    """Give the reader of an arm: (arm, motion, force) -> the number of every letter by name."""
    return _letters


FUNCTIONS = {sp.sin: math.sin, sp.cos: math.cos, sp.exp: math.exp, sp.sign: np.sign}


def _worth(expression, known):
    if expression.is_Symbol:
        return known[expression.name]
    if expression.is_Number:
        return float(expression)
    parts = [_worth(part, known) for part in expression.args]
    if expression.is_Add:
        return math.fsum(parts)
    if expression.is_Mul:
        return math.prod(parts)
    if expression.is_Pow:
        return parts[0] ** parts[1]
    return FUNCTIONS[expression.func](*parts)


@pytest.fixture(scope="session")
def worth():
    """Give the evaluator: (formula or matrix, numbers by name) -> float or array."""

    def evaluate(formula, known):
        if isinstance(formula, sp.MatrixBase):
            return np.array([[_worth(entry, known) for entry in row] for row in formula.tolist()])
        return _worth(formula, known)

    return evaluate


@pytest.fixture(scope="session")
def agree():
    """Give the comparison that every number has to pass: 1e-12 of the largest."""

    def compare(ours, theirs, tolerance=1e-12):
        ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        assert ours.shape == theirs.shape
        assert np.max(np.abs(ours - theirs)) <= tolerance * np.max(np.abs(theirs), initial=0.0)

    return compare

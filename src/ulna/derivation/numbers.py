"""The numbers behind the letters: an arm's values, and arms at random to check with."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ulna.arm import Arm, Joint, Link, Payload
from ulna.derivation.options import DerivationOptions
from ulna.derivation.symbols import symbol


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

"""What the letters of a derivation stand for, in words."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ulna.derivation.model import Model
from ulna.derivation.symbols import symbol


def angles_in_words(model: Model) -> tuple[str | sp.Expr, ...]:
    """Describe in words how the angles count."""
    first = model.coordinates[0]
    start = "x points right, y up, and angles count counter-clockwise. "
    if model.n == 1:
        return start, first, " is the angle of the link from the x axis."
    if model.options.relative:
        return start, first, " is counted from the x axis, every other angle from the link before."
    return (start + "Every link's angle is counted from the x axis.",)


def letters(model: Model) -> Iterator[tuple[sp.Symbol, str, str]]:
    """Return every letter of a model, with its meaning and unit."""
    options = model.options
    for k, angle in enumerate(model.coordinates, 1):
        yield angle, f"angle of {'joint' if options.relative else 'link'} {k}", "rad"
    for k in range(1, model.n + 1):
        yield from _link_letters(model, k)
    if options.payload:
        yield symbol("m", "P"), "mass of the payload", "kg"
    if options.gravity == "down":
        yield symbol("g"), "gravity, downwards", "m/s²"
    elif options.gravity == "vector":
        yield symbol("gamma", "x"), "gravity to the right", "m/s²"
        yield symbol("gamma", "y"), "gravity upwards", "m/s²"
    for k in range(1, model.n + 1):
        yield symbol("tau", k), f"torque of the motor at joint {k}", "N·m"
    if options.tip_force:
        yield symbol("F", "x"), "force on the tip to the right", "N"
        yield symbol("F", "y"), "force on the tip upwards", "N"


def _link_letters(model: Model, k: int) -> Iterator[tuple[sp.Symbol, str, str]]:
    options = model.options
    what = {"rods": f"rod {k}", "points": f"the point at the end of link {k}"}
    yield symbol("l", k), f"length of link {k}", "m"
    yield symbol("m", k), f"mass of {what.get(options.bodies, f'link {k}')}", "kg"
    if options.bodies == "general":
        yield symbol("c", k), f"centre of mass along link {k}", "m"
        yield symbol("d", k), f"centre of mass to the left of link {k}", "m"
        loaded = ", payload's too" if options.payload and k == model.n else ""
        yield symbol("I", k), f"inertia of link {k} about its centre of mass{loaded}", "kg·m²"
        yield symbol("p", k), f"point mass at the end of link {k}", "kg"
    if options.drives:
        yield symbol("J", k), f"inertia of the rotor of joint {k}", "kg·m²"
        yield symbol("N", k), f"turns of that rotor per turn of joint {k}", ""
        yield symbol("b", k), f"damping of joint {k}", "N·m·s/rad"

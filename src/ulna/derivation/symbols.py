"""The letters of a derivation: what each is called, means and is measured in.

A letter is a SymPy symbol with a name that every programming language accepts: "l1", "mP",
"gammax", and "qd2" for q̇₂. The formats take it apart and know how to set it. The order of BASES is
the order in which a product is written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import sympy as sp

BASES = ("a", "h", "I", "J", "m", "p", "g", "gamma", "s", "e", "N", "b", "F", "l", "c", "d")
COORDINATES = ("q", "phi")
NAME = re.compile(r"(?P<base>phi|gamma|tau|[A-Za-z])(?P<dots>d{0,2})(?P<subscript>[A-Za-z0-9]*)")


class Letter(NamedTuple):
    """A letter taken apart: its base, the dots of its time derivative, its subscript."""

    base: str
    dots: int
    subscript: str


def symbol(base: str, subscript: object = "", dots: int = 0) -> sp.Symbol:
    """Return the symbol of a letter."""
    return sp.Symbol(f"{base}{'d' * dots}{subscript}")


def letter(of: sp.Symbol) -> Letter:
    """Split the name of a symbol."""
    found = NAME.fullmatch(of.name)
    if found is None:
        raise ValueError(f"{of.name} is no letter of a derivation")
    return Letter(found["base"], len(found["dots"]), found["subscript"])


class Partial(sp.Function):  # type: ignore[misc]
    """The partial derivative of a letter by another, unevaluated: ∂L/∂q."""

    nargs = 2


class Rate(sp.Function):  # type: ignore[misc]
    """The time derivative of what stands inside, unevaluated: d/dt."""

    nargs = 1

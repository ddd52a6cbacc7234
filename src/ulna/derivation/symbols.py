"""The letters of a derivation: what each is called, means and is measured in.

A letter is a SymPy symbol whose name is "base:dots:subscript", such as "q:1:2" for q̇₂; the formats
know how to set it. The order of BASES is the order in which a product is written.
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

BASES = ("a", "h", "I", "J", "m", "p", "g", "gamma", "s", "e", "N", "b", "F", "l", "c", "d")
COORDINATES = ("q", "phi")


class Letter(NamedTuple):
    """A letter taken apart: its base, the dots of its time derivative, its subscript."""

    base: str
    dots: int
    subscript: str


def symbol(base: str, subscript: object = "", dots: int = 0) -> sp.Symbol:
    """Give the symbol of a letter."""
    return sp.Symbol(f"{base}:{dots}:{subscript}", real=True)


def letter(of: sp.Symbol) -> Letter:
    """Take the name of a symbol apart."""
    base, dots, subscript = of.name.split(":")
    return Letter(base, int(dots), subscript)


def plain_name(of: sp.Symbol) -> str:
    """Give a name that every programming language accepts: "l1", "mP", "gammax"."""
    base, dots, subscript = letter(of)
    return f"{base}{'d' * dots}{subscript}"


class Partial(sp.Function):  # type: ignore[misc]
    """The partial derivative of a letter by another, unevaluated: ∂L/∂q."""

    nargs = 2


class Rate(sp.Function):  # type: ignore[misc]
    """The time derivative of what stands inside, unevaluated: d/dt."""

    nargs = 1

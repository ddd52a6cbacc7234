"""What a derivation consists of when it is read: steps of paragraphs, equations and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp


@dataclass(frozen=True, slots=True)
class Equation:
    """Equal left sides, the right side, and today's number beside it if there is one."""

    left: tuple[sp.Expr, ...]
    right: sp.Expr
    number: str = ""


# What stands in a line of text: words, or a formula.
Part: TypeAlias = str | sp.Expr | Equation


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words, with formulas between them."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Rows of cells under a head; a cell is words or a formula."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | sp.Expr, ...], ...]


Block = Paragraph | Equation | DocumentTable


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the derivation, under its title."""

    title: str
    blocks: tuple[Block, ...]


def paragraph(*parts: Part) -> Paragraph:
    """Return a paragraph of words and formulas."""
    return Paragraph(parts)


def equals(*sides: sp.Expr, number: str = "") -> Equation:
    """Return the equation of all sides."""
    return Equation(sides[:-1], sides[-1], number)

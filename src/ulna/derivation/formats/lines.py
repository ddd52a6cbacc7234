"""Breaking long sums into lines of a width that a page has."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from ulna.derivation.document import Equation
from ulna.derivation.formats.printers import FormulaPrinter
from ulna.derivation.formats.writing import (
    TEXT,
    Term,
    joined,
    terms,
    visible_width,
    write,
    write_inner,
)

LONG = 40  # letters


def left_side(equation: Equation, printer: FormulaPrinter) -> str:
    """Write the left sides with equal signs between them."""
    return f" {printer.equals} ".join(write(side, printer) for side in equation.left)


def is_long(equation: Equation) -> bool:
    """Return whether the left side takes a line for itself."""
    return visible_width(left_side(equation, TEXT)) > LONG


def left_lines(
    equation: Equation,
    printer: FormulaPrinter,
    width: int,
    spell: Callable[[str], str] | None = None,
) -> list[str]:
    """Write the left side as lines, the equal sign left out; only a long one has several."""
    if not is_long(equation) or len(equation.left) > 1:
        return [left_side(equation, printer)]
    return sum_lines(equation.left[0], printer, width, spell)


def one_line(part: sp.Expr | Equation, printer: FormulaPrinter) -> str:
    """Write a formula inside a paragraph."""
    if isinstance(part, Equation):
        sides = (*part.left, part.right)
        return f" {printer.equals} ".join(write_inner(side, printer) for side in sides)
    return write_inner(part, printer)


def sum_lines(
    expression: sp.Expr,
    printer: FormulaPrinter,
    width: int,
    spell: Callable[[str], str] | None = None,
) -> list[str]:
    """Write a sum as lines, each of whole terms; `spell` may change their letters."""
    lines: list[list[Term]] = []
    used = width
    row = terms(expression, printer)
    if spell is not None:
        spelled = [(term, spell(term.text)) for term in row]
        row = [term._replace(text=text, width=visible_width(text)) for term, text in spelled]
    for term in row:
        if not lines or used + term.width + 3 > width:
            lines.append([])
            used = 0
        lines[-1].append(term)
        used += term.width + 3
    first, *more = lines
    return [joined(first, printer), *(_going_on(line, printer) for line in more)]


def _going_on(line: list[Term], printer: FormulaPrinter) -> str:
    """Write a line that goes on: it begins with its sign, a plus included."""
    sign = printer.minus if line[0].negative else printer.plus
    return f"{sign} {joined([line[0]._replace(negative=False), *line[1:]], printer)}"

"""Writing SymPy expressions in an order that a person would choose, with any printer."""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from ulna.derivation.formats.printers import DOTS, FormulaPrinter, TextPrinter
from ulna.derivation.symbols import BASES, COORDINATES, Letter, Partial, Rate, letter

TEXT = TextPrinter()
DIGITS = 6


class Term(NamedTuple):
    """One term of a sum: its sign, what follows it, and how wide that is in letters."""

    negative: bool
    text: str
    width: int


def write(expression: sp.Expr, printer: FormulaPrinter) -> str:
    """Write an expression on one line."""
    return joined(terms(expression, printer), printer)


def joined(row: list[Term], printer: FormulaPrinter) -> str:
    """Write terms one after the other, each with its sign."""
    first, *more = row
    text = printer.minus + first.text if first.negative else first.text
    for term in more:
        text += f" {printer.minus if term.negative else printer.plus} {term.text}"
    return text


def terms(expression: sp.Expr, printer: FormulaPrinter) -> list[Term]:
    """Return the terms of a sum in order; anything else is a sum of one term."""
    parts = sorted(sp.Add.make_args(expression), key=_place_in_sum)
    return [_term(part, printer) for part in parts]


def _term(part: sp.Expr, printer: FormulaPrinter) -> Term:
    coefficient, rest = part.as_coeff_Mul()
    text = _product(abs(coefficient), rest, printer)
    spelled = text if isinstance(printer, TextPrinter) else _product(abs(coefficient), rest, TEXT)
    width = visible_width(spelled)
    return Term(bool(coefficient < 0), text, width)


def _product(coefficient: sp.Number, rest: sp.Expr, printer: FormulaPrinter) -> str:
    factors = sorted(sp.Mul.make_args(rest), key=_place_in_product)
    written = [_factor(factor, printer) for factor in factors if factor != 1]
    if float(coefficient) != 1.0 or not written:
        written.insert(0, _number(coefficient, printer))
    return printer.product(written) if len(written) > 1 else written[0]


def _number(value: sp.Number, printer: FormulaPrinter) -> str:
    if value.is_Rational:
        return printer.number(int(value.p), int(value.q))
    return printer.decimal(f"{float(value):.{DIGITS}g}")


def _factor(factor: sp.Expr, printer: FormulaPrinter) -> str:
    if isinstance(factor, sp.Pow):
        base, exponent = factor.base, int(factor.exp)
        if isinstance(base, (sp.sin, sp.cos)):
            return _call(base, printer, exponent)
        if isinstance(base, sp.Symbol):
            return printer.letter(letter(base), exponent)
        return printer.power(_factor(base, printer), exponent)
    if isinstance(factor, sp.Symbol):
        return printer.letter(letter(factor))
    if isinstance(factor, Partial):
        return printer.partial(*(_factor(part, printer) for part in factor.args))
    if isinstance(factor, Rate):
        return printer.rate(write(factor.args[0], printer))
    if isinstance(factor, (sp.sin, sp.cos)):
        return _call(factor, printer, 1)
    return printer.bracket(write_inner(factor, printer))


def write_inner(expression: sp.Expr, printer: FormulaPrinter) -> str:
    """Write a sum inside something else: one that has a positive term begins with it."""
    row = terms(expression, printer)
    start = next((k for k, term in enumerate(row) if not term.negative), 0)
    return joined([row[start], *row[:start], *row[start + 1 :]], printer)


def _call(function: sp.Expr, printer: FormulaPrinter, exponent: int) -> str:
    return printer.call(function.func.__name__, write_inner(function.args[0], printer), exponent)


def _place_in_product(factor: sp.Expr) -> tuple[int, int, str]:
    """Place constants first, then functions, what has no dots, rates, accelerations, sums."""
    base = factor.base if isinstance(factor, sp.Pow) else factor
    if isinstance(base, sp.Symbol):
        kind = letter(base)
        if kind.base in COORDINATES:
            return 3 + kind.dots, 0, kind.subscript
        rank = BASES.index(kind.base) if kind.base in BASES else len(BASES)
        return 0, rank, kind.subscript
    if isinstance(base, (sp.sin, sp.cos)):
        return 1, 0, str(base)
    return (9 if _dots(base) else 2), 0, str(base)


def _place_in_sum(term: sp.Expr) -> tuple[int, int, int, int, str]:
    """Place motors first, accelerations before rates before the rest, inner links before outer."""
    letters = [letter(part) for part in term.free_symbols]
    dots = 3 if any(part.base == "tau" for part in letters) else _dots(term)
    moving = [part for part in letters if part.dots == dots] or letters
    functions = len(term.atoms(sp.sin, sp.cos))
    return -dots, _outermost(moving), _outermost(letters), functions, _spelling(term)


def _dots(expression: sp.Expr) -> int:
    """Return the highest time derivative in an expression; a speed counts as one."""
    letters = (letter(part) for part in expression.free_symbols)
    return max((part.dots or part.base == "v" for part in letters), default=0)


def _outermost(letters: list[Letter]) -> int:
    return max((_number_of(part.subscript) for part in letters), default=0)


def _number_of(subscript: str) -> int:
    # A payload hangs on the last link.
    return 9 if subscript == "P" else max((int(d) for d in subscript if d.isdigit()), default=0)


def visible_width(text: str) -> int:
    """Count the letters that take room: dots over a letter do not."""
    return sum(1 for letter in text if letter not in DOTS)


def _spelling(term: sp.Expr) -> str:
    coefficient, rest = term.as_coeff_Mul()
    return _product(abs(coefficient), rest, TEXT)

"""Formulas on paper: steps of paragraphs, equations and tables, in the order that a person chooses.

A printer has the few marks that a derivation needs, in text, LaTeX or MathML. SymPy's expressions
are sorted as one would write them, and long sums are broken into lines of a page's width.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple, TypeAlias

import sympy as sp

from ulna.derivation.model import BASES, COORDINATES, Letter, Partial, Rate, letter

GREEK = {"phi": "φ", "gamma": "γ", "tau": "τ", "omega": "ω"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUPERSCRIPTS = {2: "²", 3: "³", 4: "⁴"}
FRACTIONS = {(1, 2): "½", (1, 3): "⅓", (1, 4): "¼"}
DOTS = ("", "\N{COMBINING DOT ABOVE}", "\N{COMBINING DIAERESIS}")
FUNCTIONS = (sp.sin, sp.cos, sp.exp, sp.sign)
DIGITS = 6
LONG = 40  # letters


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


class TextPrinter:
    """Marks with gaps for what they hold, and methods: letters that a terminal can show."""

    minus, plus, equals = "−", "+", "="
    bracket, product, times, over = "({})", "{}", " ", "/"
    partial, rate = "∂{}/∂{}", "d/dt ({})"

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        """Write a letter as q̇₂; a subscript that is no number follows as in m_P."""
        base, dots, subscript = letter
        digits = subscript.isdigit()
        tail = subscript.translate(SUBSCRIPTS) if digits else "_" * bool(subscript) + subscript
        return GREEK.get(base, base) + DOTS[dots] + tail + SUPERSCRIPTS.get(exponent, "")

    def number(self, numerator: int, denominator: int) -> str:
        """Write ½ or 1/12."""
        plain = str(numerator) if denominator == 1 else f"{numerator}/{denominator}"
        return FRACTIONS.get((numerator, denominator), plain)

    def decimal(self, text: str) -> str:
        """Write a number as it came."""
        return text

    def power(self, base: str, exponent: int) -> str:
        """Write x²."""
        return base + SUPERSCRIPTS[exponent]

    def call(self, name: str, argument: str, exponent: int) -> str:
        """Write cos²(x)."""
        return f"{name}{SUPERSCRIPTS.get(exponent, '')}({argument})"


class LatexPrinter:
    """Math mode of LaTeX, as Markdown pages read it too."""

    minus, plus, equals = "-", "+", "="
    bracket, product, times, over = "({})", "{}", " \\, ", " / "
    partial = "\\frac{{\\partial {}}}{{\\partial {}}}"
    rate = "\\frac{{d}}{{dt}} \\left( {} \\right)"

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        r"""Write a letter as \dot{q}_{2}."""
        base, dots, subscript = letter
        name = f"\\{base}" if base in GREEK else base
        dotted = (name, f"\\dot{{{name}}}", f"\\ddot{{{name}}}")[dots]
        slanted = subscript.isdigit() or subscript.islower() or len(subscript) == 1
        below = subscript if slanted else f"\\mathrm{{{subscript}}}"
        raised = f"^{{{exponent}}}" if exponent > 1 else ""
        return dotted + f"_{{{below}}}" * bool(subscript) + raised

    def number(self, numerator: int, denominator: int) -> str:
        r"""Write \frac{1}{12}."""
        return str(numerator) if denominator == 1 else f"\\frac{{{numerator}}}{{{denominator}}}"

    def decimal(self, text: str) -> str:
        """Write 1.5 and, where it came as 1.5e-05, a power of ten."""
        digits, _, exponent = text.partition("e")
        return f"{digits} \\times 10^{{{int(exponent)}}}" if exponent else digits

    def power(self, base: str, exponent: int) -> str:
        """Write x^{2}."""
        return f"{base}^{{{exponent}}}"

    def call(self, name: str, argument: str, exponent: int) -> str:
        r"""Write \cos^{2}(x)."""
        raised = f"^{{{exponent}}}" if exponent > 1 else ""
        known = f"\\operatorname{{{name}}}" if name == "sign" else f"\\{name}"
        return f"{known}{raised}({argument})"


class MathMLPrinter:
    """Presentation MathML, which browsers set without any help."""

    minus, plus, equals = "<mo>−</mo>", "<mo>+</mo>", "<mo>=</mo>"
    bracket = '<mrow><mo stretchy="false">(</mo>{}<mo stretchy="false">)</mo></mrow>'
    product, times, over = "<mrow>{}</mrow>", '<mspace width="0.17em"/>', "<mo>/</mo>"
    partial = "<mfrac><mrow><mo>∂</mo>{}</mrow><mrow><mo>∂</mo>{}</mrow></mfrac>"
    rate = (
        "<mrow><mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"
        "<mo>(</mo>{}<mo>)</mo></mrow>"
    )

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        """Write a letter with its dots over it and its subscript under it."""
        base, dots, subscript = letter
        name = f"<mi>{GREEK.get(base, escape(base))}</mi>"
        if dots:
            # As an accent proper the dots run into the letter in some fonts.
            mark = f'<mo mathsize="110%">{"˙" if dots == 1 else "¨"}</mo>'
            name = f"<mover>{name}{mark}</mover>"
        if not subscript:
            return name if exponent == 1 else self.power(name, exponent)
        kind = "mn" if subscript.isdigit() else "mi"
        # Indices are letters of their own, which one element would set upright.
        marks = list(subscript) if subscript.islower() else [subscript]
        below = "".join(f"<{kind}>{escape(mark)}</{kind}>" for mark in marks)
        below = f"<mrow>{below}</mrow>" if len(marks) > 1 else below
        if exponent == 1:
            return f"<msub>{name}{below}</msub>"
        return f"<msubsup>{name}{below}<mn>{exponent}</mn></msubsup>"

    def number(self, numerator: int, denominator: int) -> str:
        """Write a whole number, or a fraction."""
        if denominator == 1:
            return f"<mn>{numerator}</mn>"
        return f"<mfrac><mn>{numerator}</mn><mn>{denominator}</mn></mfrac>"

    def decimal(self, text: str) -> str:
        """Write 1.5 and, where it came as 1.5e-05, a power of ten."""
        digits, _, exponent = text.partition("e")
        if not exponent:
            return f"<mn>{digits}</mn>"
        power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "−")
        return f"<mrow><mn>{digits}</mn><mo>×</mo>{power}</mrow>"

    def power(self, base: str, exponent: int) -> str:
        """Write x²."""
        return f"<msup><mrow>{base}</mrow><mn>{exponent}</mn></msup>"

    def call(self, name: str, argument: str, exponent: int) -> str:
        """Write cos²(x)."""
        head = f"<mi>{name}</mi>"
        head = self.power(head, exponent) if exponent > 1 else head
        return f"<mrow>{head}<mo>&#x2061;</mo>{self.bracket.format(argument)}</mrow>"


FormulaPrinter: TypeAlias = TextPrinter | LatexPrinter | MathMLPrinter
TEXT, LATEX, MATHML = TextPrinter(), LatexPrinter(), MathMLPrinter()


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
    return " ".join([text, *(_with_sign(term, printer) for term in more)])


def _with_sign(term: Term, printer: FormulaPrinter) -> str:
    """Write a term after others: a plus before it as well."""
    return f"{printer.minus if term.negative else printer.plus} {term.text}"


def terms(expression: sp.Expr, printer: FormulaPrinter) -> list[Term]:
    """Return the terms of a sum in order; anything else is a sum of one term."""
    parts = sorted(sp.Add.make_args(expression), key=_place_in_sum)
    return [_term(part, printer) for part in parts]


def _term(part: sp.Expr, printer: FormulaPrinter) -> Term:
    coefficient, rest = part.as_coeff_Mul()
    text = _product(abs(coefficient), rest, printer)
    spelled = text if isinstance(printer, TextPrinter) else _spelling(part)
    return Term(bool(coefficient < 0), text, visible_width(spelled))


def _product(coefficient: sp.Number, rest: sp.Expr, printer: FormulaPrinter) -> str:
    factors = sorted(sp.Mul.make_args(rest), key=_place_in_product)
    below = sp.Mul(*(1 / factor for factor in factors if _divides(factor)))
    if below != 1 and coefficient.is_Rational:
        below, coefficient = sp.Mul(coefficient.q, below), sp.Integer(coefficient.p)
    written = [_factor(one, printer) for one in factors if one != 1 and not _divides(one)]
    if float(coefficient) != 1.0 or not written:
        written.insert(0, _number(coefficient, printer))
    text = printer.times.join(written)
    if below != 1:
        text += printer.over + _factor(below, printer)
    return printer.product.format(text) if len(written) > 1 or below != 1 else text


def _divides(factor: sp.Expr) -> bool:
    return isinstance(factor, sp.Pow) and bool(factor.exp.is_negative)


def _number(value: sp.Number, printer: FormulaPrinter) -> str:
    if value.is_Rational:
        return printer.number(int(value.p), int(value.q))
    return printer.decimal(f"{float(value):.{DIGITS}g}")


def _factor(factor: sp.Expr, printer: FormulaPrinter) -> str:
    if isinstance(factor, sp.Pow):
        return _power(factor, printer)
    if isinstance(factor, sp.Symbol):
        return printer.letter(letter(factor))
    if isinstance(factor, Partial):
        return printer.partial.format(*(_factor(part, printer) for part in factor.args))
    if isinstance(factor, Rate):
        return printer.rate.format(write(factor.args[0], printer))
    if isinstance(factor, FUNCTIONS):
        return _call(factor, printer, 1)
    if isinstance(factor, sp.Number):
        return _number(factor, printer)
    return printer.bracket.format(write_inner(factor, printer))


def _power(power: sp.Pow, printer: FormulaPrinter) -> str:
    base, exponent = power.base, int(power.exp)
    if isinstance(base, FUNCTIONS):
        return _call(base, printer, exponent)
    if isinstance(base, sp.Symbol):
        return printer.letter(letter(base), exponent)
    return printer.power(_factor(base, printer), exponent)


def write_inner(expression: sp.Expr, printer: FormulaPrinter) -> str:
    """Write a sum inside something else: one that has a positive term begins with it."""
    row = terms(expression, printer)
    start = next((k for k, term in enumerate(row) if not term.negative), 0)
    return joined([row[start], *row[:start], *row[start + 1 :]], printer)


def _call(function: sp.Expr, printer: FormulaPrinter, exponent: int) -> str:
    (inside,) = function.args
    return printer.call(function.func.__name__, write_inner(inside, printer), exponent)


def left_side(equation: Equation, printer: FormulaPrinter) -> str:
    """Write the left sides with equal signs between them."""
    return f" {printer.equals} ".join(write(side, printer) for side in equation.left)


def is_long(equation: Equation) -> bool:
    """Return whether the left side takes a line for itself."""
    return visible_width(left_side(equation, TEXT)) > LONG


def left_lines(equation: Equation, printer: FormulaPrinter, width: int) -> list[str]:
    """Write the left side as lines, the equal sign left out; only a long one has several."""
    if not is_long(equation) or len(equation.left) > 1:
        return [left_side(equation, printer)]
    return sum_lines(equation.left[0], printer, width)


def one_line(part: sp.Expr | Equation, printer: FormulaPrinter) -> str:
    """Write a formula inside a paragraph."""
    if isinstance(part, Equation):
        sides = (*part.left, part.right)
        return f" {printer.equals} ".join(write_inner(side, printer) for side in sides)
    return write_inner(part, printer)


def sum_lines(expression: sp.Expr, printer: FormulaPrinter, width: int) -> list[str]:
    """Write a sum as lines, each of whole terms."""
    lines: list[list[Term]] = []
    used = width
    for term in terms(expression, printer):
        if not lines or used + term.width + 3 > width:
            lines.append([])
            used = 0
        lines[-1].append(term)
        used += term.width + 3
    first, *more = lines
    # A line that goes on begins with its sign, a plus included.
    rest = (" ".join(_with_sign(term, printer) for term in line) for line in more)
    return [joined(first, printer), *rest]


def _place_in_product(factor: sp.Expr) -> tuple[int, int, str]:
    """Place constants first, then functions, what has no dots, rates, accelerations, sums."""
    base = factor.base if isinstance(factor, sp.Pow) else factor
    if isinstance(base, sp.Symbol):
        kind = letter(base)
        if kind.base in COORDINATES:
            return 3 + kind.dots, 0, kind.subscript
        rank = BASES.index(kind.base) if kind.base in BASES else len(BASES)
        return 0, rank, kind.subscript
    if isinstance(base, FUNCTIONS):
        return (8 if isinstance(base, sp.exp) else 1), 0, str(base)
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
    # A payload hangs on the last link.
    marks = (mark for part in letters for mark in part.subscript.replace("P", "9"))
    return max((int(mark) for mark in marks if mark.isdigit()), default=0)


def visible_width(text: str) -> int:
    """Count the letters that take room: dots over a letter do not."""
    return sum(1 for letter in text if letter not in DOTS)


def _spelling(term: sp.Expr) -> str:
    coefficient, rest = term.as_coeff_Mul()
    return _product(abs(coefficient), rest, TEXT)

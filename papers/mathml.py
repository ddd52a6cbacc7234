"""Formulas of the papers in MathML, which browsers set without a script."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import sympy as sp

GREEK = {
    "phi": "φ", "varphi": "ϕ", "gamma": "γ", "tau": "τ", "omega": "ω",
    "theta": "θ", "chi": "χ", "pi": "π", "pm": "±",
}  # fmt: skip
# A letter, dots for its time derivatives, and its index: "thetadd1" is θ̈₁.
LETTER = re.compile(
    r"(?P<base>theta|varphi|phi|chi|gamma|tau|omega|pi|pm|[A-Za-z])"
    r"(?P<dots>d{0,2})(?P<index>[A-Za-z0-9]*)"
)
FUNCTIONS = (sp.sin, sp.cos, sp.tan, sp.acos, sp.atan, sp.atan2)
NAMES = {"acos": "arccos", "atan": "arctan"}
WIDTH = 34  # letters of a line, for two formulas side by side
TIMES = '<mspace width="0.17em"/>'  # between factors
INDENT = '<mspace width="1.5em"/>'  # of continued lines


class Partial(sp.Function):  # type: ignore[misc]
    """The partial derivative of a letter by another, unevaluated: ∂L/∂q."""

    nargs = 2


class Rate(sp.Function):  # type: ignore[misc]
    """The time derivative of an expression, unevaluated."""

    nargs = 1


class Of(sp.Function):  # type: ignore[misc]
    """A letter with its arguments, such as M(q)."""


class Marked(sp.Function):  # type: ignore[misc]
    """An expression that is marked as different."""

    nargs = 1


def unmarked(expression: sp.Expr) -> sp.Expr:
    """Return an expression without its marks."""
    return expression.replace(Marked, lambda inside: inside)


def statement_mathml(
    sides: tuple[sp.Expr, ...], relation: str = "=", when: str = "", *, mark_when: bool = False
) -> str:
    """Write sides with a relation between them as a MathML element, long sums in several lines."""
    sign = f"<mo>{escape(relation)}</mo>"
    lines: list[str] = []
    broken = False
    for side in sides:
        first, *more = sum_lines(side)
        if lines and not broken:
            lines[-1] += sign + first
        else:
            lines.append(sign + first if lines else first)
        lines += (INDENT + line for line in more)
        broken = bool(more)
    if when:
        words = f"<mtext>{escape(when)}</mtext>"
        lines.append(INDENT + (_marked(words) if mark_when else words))
    rows = "".join(f"<mtr><mtd><mrow>{line}</mrow></mtd></mtr>" for line in lines)
    alt = f" {relation} ".join(str(unmarked(side)) for side in sides)
    return (
        f'<math display="block" alttext="{escape(f"{alt} {when}".strip())}">'
        f'<mtable displaystyle="true">{rows}</mtable></math>'
    )


def sum_lines(expression: sp.Expr) -> list[str]:
    """Write a sum as lines, each of whole terms."""
    lines, used = [""], 0
    for term in _ordered_terms(expression):
        text = _signed(term, first=not lines[0])
        width = len(re.sub("<[^>]*>", "", text))
        if used and used + width > WIDTH:
            lines.append("")
            used = 0
        lines[-1] += text
        used += width
    return [f"<mrow>{line}</mrow>" for line in lines]


def write(expression: sp.Expr) -> str:
    """Write an expression on one line."""
    if isinstance(expression, Marked):
        return _marked(write(expression.args[0]))
    if isinstance(expression, sp.Symbol):
        return _letter(expression.name)
    if isinstance(expression, sp.Add):
        terms = _ordered_terms(expression)
        written = (_signed(term, first=not place) for place, term in enumerate(terms))
        return f"<mrow>{''.join(written)}</mrow>"
    if isinstance(expression, sp.Rational):
        return _fraction(*(f"<mn>{n}</mn>" for n in (expression.p, expression.q)))
    if isinstance(expression, sp.Number):
        return f"<mn>{expression}</mn>"
    if isinstance(expression, sp.Mul | sp.Pow):
        return _product(expression)
    if isinstance(expression, Partial):
        above, below = (f"<mrow><mo>∂</mo>{write(one)}</mrow>" for one in expression.args)
        return _fraction(above, below)
    if isinstance(expression, Rate):
        over = _fraction("<mi>d</mi>", "<mrow><mi>d</mi><mi>t</mi></mrow>")
        return f"<mrow>{over}{_bracketed(write(expression.args[0]))}</mrow>"
    head, arguments = _call(expression)
    return f"<mrow>{head}{arguments}</mrow>"


def _ordered_terms(expression: sp.Expr) -> list[sp.Expr]:
    """Return the terms of a sum, beginning with a positive one if there is one."""
    terms = list(expression.as_ordered_terms())
    start = next((k for k, term in enumerate(terms) if not _negative(term)), 0)
    return [terms[start], *terms[:start], *terms[start + 1 :]]


def _negative(term: sp.Expr) -> bool:
    inside = term.args[0] if isinstance(term, Marked) else term
    return bool(inside.as_coeff_Mul()[0] < 0)


def _signed(term: sp.Expr, *, first: bool) -> str:
    """Write a term of a sum with its sign."""
    marked = isinstance(term, Marked)
    inside = term.args[0] if marked else term
    text = write(-inside if _negative(term) else inside)
    if _negative(term) or not first:
        form = "prefix" if first else "infix"
        text = f'<mo form="{form}">{"−" if _negative(term) else "+"}</mo>{text}'
    return _marked(text) if marked else text


def _product(expression: sp.Expr) -> str:
    above, below = sp.fraction(expression)
    if below != 1:
        return _fraction(write(above), write(below))
    if isinstance(expression, sp.Pow):
        return _power(expression)
    number, rest = expression.as_coeff_Mul()
    factors = sorted(sp.Mul.make_args(rest), key=_place_in_product)
    written = [_factor(one, sp.Add) for one in factors]
    sign = "<mo>−</mo>" if number < 0 else ""
    if abs(number) != 1:
        written.insert(0, write(abs(number)))
    return f"<mrow>{sign}{TIMES.join(written)}</mrow>"


def _power(power: sp.Pow) -> str:
    base, exponent = power.args
    if exponent == sp.Rational(1, 2):
        return f"<msqrt>{write(base)}</msqrt>"
    if isinstance(base, FUNCTIONS):
        head, arguments = _call(base)
        return f"<mrow><msup>{head}{write(exponent)}</msup>{arguments}</mrow>"
    return f"<msup>{_factor(base, sp.Add | sp.Mul)}{write(exponent)}</msup>"


def _factor(expression: sp.Expr, bracketed: Any) -> str:
    """Write a factor, in brackets if it is of a kind."""
    text = write(expression)
    return _bracketed(text) if isinstance(unmarked(expression), bracketed) else text


def _place_in_product(factor: sp.Expr) -> tuple[int, str]:
    """Place ± first, then letters, their rates, and functions."""
    name = str(unmarked(factor))
    if name == "pm":
        return 0, name
    if factor.atoms(*FUNCTIONS):
        return 3, name
    dots = LETTER.match(name)
    return (2 if dots and dots["dots"] else 1), name


def _call(function: sp.Expr) -> tuple[str, str]:
    """Write the name of a function, and its arguments in brackets."""
    name, arguments = function.func.__name__, function.args
    head = f"<mi>{NAMES.get(name, name)}</mi>"
    if isinstance(function, Of):
        head, arguments = write(arguments[0]), arguments[1:]
    return head, _bracketed("<mo>,</mo>".join(map(write, arguments)))


def _letter(name: str) -> str:
    """Write a letter with its dots above and its index below."""
    found = LETTER.fullmatch(name)
    assert found is not None
    base = GREEK.get(found["base"], found["base"])
    letter = f"<mi>{base}</mi>"
    if found["dots"]:
        dots = "˙" if len(found["dots"]) == 1 else "¨"
        letter = f'<mover>{letter}<mo mathsize="110%">{dots}</mo></mover>'
    if not found["index"]:
        return letter
    kind = "mn" if found["index"].isdigit() else "mi"
    index = "".join(f"<{kind}>{one}</{kind}>" for one in found["index"])
    return f"<msub>{letter}<mrow>{index}</mrow></msub>"


def _fraction(above: str, below: str) -> str:
    return above if below == "<mn>1</mn>" else f"<mfrac>{above}{below}</mfrac>"


def _bracketed(text: str) -> str:
    return f'<mrow><mo stretchy="false">(</mo>{text}<mo stretchy="false">)</mo></mrow>'


def _marked(text: str) -> str:
    return f'<mrow class="differs">{text}</mrow>'

"""Equations of the papers in letters: what is printed beside what is right, differences marked.

Both are SymPy's, and what differs is found by comparison: terms that are on both sides, or whose
sums are, stay as they are; the others are marked, and within them what they do not have in common
with their counterpart. So the marked terms of the printed side less those of the right one are
all that the two differ by.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import Any

import sympy as sp

from ulna.derivation import derive
from ulna.derivation.formats import anchor, to_html
from ulna.derivation.formulas import (
    FUNCTIONS,
    LATEX,
    TEXT,
    FormulaPrinter,
    MathMLPrinter,
    sum_lines,
    write_inner,
)
from ulna.derivation.inverse_steps import inverse_steps
from ulna.derivation.model import Marked, Of, Partial, Rate, unmarked
from ulna.papers.row import TypesetEquation

WIDTH = 34  # letters of a line, for two formulas side by side
WORDS = {kind.__name__: kind for kind in (*FUNCTIONS, sp.sqrt, Of, Partial, Rate)}
INDENT = '<mspace width="1.5em"/>'  # of lines that go on
RELATIONS = {"≤": " \\le ", "<": " < ", "=": " = "}  # in LaTeX


@dataclass(frozen=True, slots=True)
class Statement:
    """Sides with a relation between each two, and when that holds.

    Parameters
    ----------
    sides : tuple of Expr
        What stands on either side of the relations.
    relation : str, optional
        "=", "≤" or "<".
    when : str, optional
        A condition in words, such as "x ≥ 0".
    """

    sides: tuple[sp.Expr, ...]
    relation: str = "="
    when: str = ""


@dataclass(frozen=True, slots=True)
class PrintedAndRight:
    """An equation as a paper prints it, and as it is right.

    Parameters
    ----------
    printed, right : Statement
        Both, with as many sides.
    step : str
        Title of the step of our derivation that has it.
    about : str, optional
        Which equation it is, such as "(33)".
    """

    printed: Statement
    right: Statement
    step: str
    about: str = ""

    def marked(self) -> tuple[Statement, Statement]:
        """Return both with what differs marked."""
        pairs = zip(self.printed.sides, self.right.sides, strict=True)
        printed, right = zip(*(compare(*pair) for pair in pairs), strict=True)
        return replace(self.printed, sides=printed), replace(self.right, sides=right)

    def typeset(self) -> TypesetEquation:
        """Write both."""
        printed, right = self.marked()
        words = self.printed.when != self.right.when
        return TypesetEquation(
            printed=mathml(printed, when_differs=words),
            right=mathml(right, when_differs=words),
            printed_latex=latex(self.printed),
            right_latex=latex(self.right),
            same=(printed, right) == (self.printed, self.right) and not words,
            step=self.step,
            anchor=anchor(self.step),
            about=self.about,
        )


def read_equation(text: Mapping[str, str]) -> PrintedAndRight:
    """Read an equation of a rows.toml; without a `right` it is right as `printed`."""
    printed, right = (
        read_statement(text.get(name, text["printed"]), text.get(f"{name}_when", ""))
        for name in ("printed", "right")
    )
    return PrintedAndRight(printed, right, text["step"], text.get("about", ""))


def read_statement(text: str, when: str = "") -> Statement:
    """Read a statement such as "Partial(K, theta1) = 0", by the names that letters have."""
    relation = next(one for one in (*RELATIONS, "") if f" {one} " in f"{text}  ")
    sides = text.split(f" {relation} ") if relation else [text]
    return Statement(tuple(map(read_formula, sides)), relation or "=", when)


def read_formula(text: str) -> sp.Expr:
    """Read a formula in the names of letters, such as "m1*l1*cos(theta1)/2"."""
    names = set(re.findall("[A-Za-z][A-Za-z0-9]*", text))
    return sp.sympify(text, locals={name: WORDS.get(name) or sp.Symbol(name) for name in names})


class PagePrinter(MathMLPrinter):
    """MathML with fractions that have what divides below what is divided."""

    def quotient(self, above: str, below: sp.Expr) -> str:
        """Write a fraction."""
        return f"<mfrac><mrow>{above}</mrow><mrow>{write_inner(below, self)}</mrow></mfrac>"


PAGE = PagePrinter()


def mathml(statement: Statement, *, when_differs: bool = False) -> str:
    """Write a statement as an element of MathML, long sides in lines of whole terms."""
    relation = f"<mo>{escape(statement.relation)}</mo>"
    lines: list[str] = []
    broken = False
    for side in statement.sides:
        first, *more = sum_lines(side, PAGE, WIDTH)
        if not lines:
            lines.append(f"<mrow>{first}</mrow>")
        elif broken:
            lines.append(f"{relation}<mrow>{first}</mrow>")
        else:
            lines[-1] += f"{relation}<mrow>{first}</mrow>"
        lines += (f"{INDENT}{line}" for line in more)
        broken = bool(more)
    if statement.when:
        words = f"<mtext>{escape(statement.when)}</mtext>"
        lines.append(INDENT + (PAGE.mark(words) if when_differs else words))
    rows = "".join(f"<mtr><mtd><mrow>{line}</mrow></mtd></mtr>" for line in lines)
    told = escape(_line(statement, TEXT, f" {statement.relation} "))
    return (
        f'<math display="block" alttext="{told}"><mtable displaystyle="true">{rows}</mtable></math>'
    )


def latex(statement: Statement) -> str:
    """Write a statement in LaTeX."""
    return _line(statement, LATEX, RELATIONS[statement.relation])


def _line(statement: Statement, printer: FormulaPrinter, relation: str) -> str:
    sides = relation.join(write_inner(unmarked(side), printer) for side in statement.sides)
    if not statement.when:
        return sides
    when = f"\\text{{{statement.when}}}" if printer is LATEX else statement.when
    return f"{sides}, {when}"


def derivation_html(text: Mapping[str, Any]) -> str:
    """Write the derivation that a rows.toml asks for, as a part of a page.

    With several arms the titles of the steps begin with what they are `of`.
    """
    steps = list(inverse_steps()) if text.get("inverse") else []
    for asked in text["derive"]:
        options = {name: value for name, value in asked.items() if name != "of"}
        before = f"{asked['of']}: " if "of" in asked else ""
        found = derive(**options).steps
        steps += [replace(step, title=before + step.title) for step in found]
    return to_html(text["title"], steps, page=False, anchors=True)


def compare(printed: sp.Expr, right: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Mark what differs between two expressions, in both."""
    if _same(printed, right):
        return printed, right
    one, two = differing_terms(printed, right)
    if len(one) == len(two) == 1 and one[0] == printed and two[0] == right:
        # No sums: what differs within the one term is enough.
        return _compare_factors(printed, right)
    partners = _partners(one, two)
    marked = {term: _compare_factors(term, partner) for term, partner in partners.items()}
    mine = {term: marked[term][0] if term in marked else term for term in one}
    back = {partner: marked[term][1] for term, partner in partners.items()}
    return _rebuilt(printed, mine), _rebuilt(right, {term: back.get(term, term) for term in two})


def _rebuilt(expression: sp.Expr, marked: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    def mark(inside: sp.Expr) -> sp.Expr:
        return inside if isinstance(inside, Marked) else Marked(inside)

    terms = sp.Add.make_args(expression)
    return sp.Add(*(mark(marked[term]) if term in marked else term for term in terms))


def differing_terms(printed: sp.Expr, right: sp.Expr) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Return the terms of both sums that are not, alone or with others, in the other one too."""
    one, two = (list(sp.Add.make_args(side)) for side in (printed, right))
    for term in tuple(one):
        partner = next((other for other in two if _same(term, other)), None)
        if partner is not None:
            one.remove(term)
            two.remove(partner)
    difference = _monomials(sp.Add(*one) - sp.Add(*two))
    spread = {term: _monomials(term) for term in chain(one, two)}
    found = set(difference)
    while True:
        # What has something in common with a term that differs belongs to the difference.
        wider = found.union(*(parts for parts in spread.values() if parts & found))
        if wider == found:
            break
        found = wider
    return tuple([term for term in side if spread[term] & found] for side in (one, two))  # type: ignore[return-value]


def _monomials(expression: sp.Expr) -> set[sp.Expr]:
    expanded = sp.expand(expression)
    return {term.as_coeff_Mul()[1] for term in sp.Add.make_args(expanded) if term != 0}


def _same(one: sp.Expr, two: sp.Expr) -> bool:
    return bool(one == two or sp.expand(one - two) == 0)


def _partners(one: Sequence[sp.Expr], two: Sequence[sp.Expr]) -> dict[sp.Expr, sp.Expr]:
    """Pair terms that have most factors in common, at least half of them."""
    if len(one) == len(two) == 1:
        return {one[0]: two[0]}
    left, found = list(two), {}
    for term in one:
        likeness = {other: len(_common(term, other)) for other in left}
        best = max(likeness, key=likeness.__getitem__, default=None)
        if best is not None and 2 * likeness[best] >= max(map(_factors, (term, best))):
            found[term] = best
            left.remove(best)
    return found


def _factors(term: sp.Expr) -> int:
    return len(sp.Mul.make_args(term.as_coeff_Mul()[1]))


def _common(one: sp.Expr, two: sp.Expr) -> list[sp.Expr]:
    mine, others = (list(sp.Mul.make_args(side.as_coeff_Mul()[1])) for side in (one, two))
    return [factor for factor in mine if factor in others]


def _compare_factors(printed: sp.Expr, right: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Mark the factors that two products do not share; whole products that share none."""
    one, two = (list(sp.Mul.make_args(side)) for side in (printed, right))
    for factor in _common(printed, right):
        one.remove(factor)
        two.remove(factor)
    shared = [factor for factor in sp.Mul.make_args(printed) if factor not in one]
    numbers = [[x for x in side if x.is_Number] for side in (one, two)]
    one, two = ([x for x in side if not x.is_Number] for side in (one, two))
    if not shared and not any(_alike(mine, other) for mine in one for other in two):
        return Marked(printed), Marked(right)
    pairs = []
    for factor in tuple(one):
        other = next((x for x in two if _alike(factor, x)), None)
        if other is not None:
            pairs.append(_compare_inside(factor, other))
            one.remove(factor)
            two.remove(other)
    mine = [*numbers[0], *shared, *(pair[0] for pair in pairs), *map(_mark_factor, one)]
    others = [*numbers[1], *shared, *(pair[1] for pair in pairs), *map(_mark_factor, two)]
    made = sp.Mul(*mine), sp.Mul(*others)
    if numbers[0] != numbers[1] and not shared:
        return Marked(made[0]), Marked(made[1])
    return made


def _alike(one: sp.Expr, two: sp.Expr) -> bool:
    if isinstance(one, sp.Pow) or isinstance(two, sp.Pow):
        powers = isinstance(one, sp.Pow) and isinstance(two, sp.Pow) and one.exp == two.exp
        return bool(powers and not (one.base.is_Symbol or two.base.is_Symbol))
    if isinstance(one, sp.Add) or isinstance(two, sp.Add):
        return isinstance(one, sp.Add) and isinstance(two, sp.Add)
    return isinstance(one, sp.Function) and one.func == two.func and len(one.args) == len(two.args)


def _compare_inside(one: sp.Expr, two: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    if isinstance(one, sp.Add):
        return compare(one, two)
    if isinstance(one, sp.Pow):
        base = compare(one.base, two.base)
        return sp.Pow(base[0], one.exp), sp.Pow(base[1], two.exp)
    pairs = [
        (mine, other) if mine == other else compare(mine, other)
        for mine, other in zip(one.args, two.args, strict=True)
    ]
    return one.func(*(mine for mine, _ in pairs)), two.func(*(other for _, other in pairs))


def _mark_factor(factor: sp.Expr) -> sp.Expr:
    if isinstance(factor, sp.Pow) and factor.exp.is_negative:
        return sp.Pow(Marked(factor.base), factor.exp)
    return Marked(factor)

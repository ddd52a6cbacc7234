"""Equations of the papers: what is printed beside what is right, with differences marked.

Both sides are SymPy expressions. Terms that are on both sides, or whose sums are, stay as they
are; the others are marked, and where a single term or factor differs, only its differing part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import sympy as sp

from papers.mathml import FUNCTIONS, Marked, Of, Partial, Rate, statement_mathml
from papers.row import TypesetEquation

WORDS = {kind.__name__: kind for kind in (*FUNCTIONS, sp.sqrt, Of, Partial, Rate)}
RELATIONS = ("≤", "<", "=")


@dataclass(frozen=True, slots=True)
class Statement:
    """Sides with a relation between each two, and a condition.

    Parameters
    ----------
    sides : tuple of Expr
        The sides.
    relation : str, optional
        "=", "≤" or "<".
    when : str, optional
        A condition in words, such as "for x ≥ 0".
    """

    sides: tuple[sp.Expr, ...]
    relation: str = "="
    when: str = ""


@dataclass(frozen=True, slots=True)
class PrintedAndRight:
    """An equation as a paper prints it, and the right one, with as many sides.

    Parameters
    ----------
    printed, right : Statement
        Both.
    about : str, optional
        Which equation it is, such as "(33)".
    """

    printed: Statement
    right: Statement
    about: str = ""

    def marked(self) -> tuple[Statement, Statement]:
        """Return both with their differences marked."""
        pairs = zip(self.printed.sides, self.right.sides, strict=True)
        printed, right = zip(*(compare(*pair) for pair in pairs), strict=True)
        return replace(self.printed, sides=printed), replace(self.right, sides=right)

    def typeset(self, step: str, href: str) -> TypesetEquation:
        """Typeset both, with a link to the step of our derivation that contains the right one."""
        whens_differ = self.printed.when != self.right.when
        marked = self.marked()
        printed, right = (
            statement_mathml(one.sides, one.relation, one.when, mark_when=whens_differ)
            for one in marked
        )
        same = marked == (self.printed, self.right) and not whens_differ
        return TypesetEquation(printed, right, same, step, href, self.about)


def read_equation(text: Mapping[str, str]) -> PrintedAndRight:
    """Read an equation of a rows.toml; without a `right` it is right as `printed`."""
    printed, right = (
        read_statement(text.get(name, text["printed"]), text.get(f"{name}_when", ""))
        for name in ("printed", "right")
    )
    return PrintedAndRight(printed, right, text.get("about", ""))


def read_statement(text: str, when: str = "") -> Statement:
    """Read a statement such as "Partial(K, theta1) = 0", in the names of letters."""
    relation = next((one for one in RELATIONS if f" {one} " in text), "=")
    return Statement(tuple(map(read_formula, text.split(f" {relation} "))), relation, when)


def read_formula(text: str) -> sp.Expr:
    """Read a formula in the names of letters, such as "m1*l1*cos(theta1)/2"."""
    names = set(re.findall("[A-Za-z][A-Za-z0-9]*", text))
    return sp.sympify(text, locals={name: WORDS.get(name) or sp.Symbol(name) for name in names})


def compare(one: sp.Expr, two: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Return both expressions with what differs between them marked."""
    if _equal(one, two):
        return one, two
    if isinstance(one, sp.Add) or isinstance(two, sp.Add):
        return _compare_parts(sp.Add, one, two, differing_terms(one, two))
    if one.as_coeff_Mul()[0] != two.as_coeff_Mul()[0]:
        return Marked(one), Marked(two)
    if isinstance(one, sp.Mul) or isinstance(two, sp.Mul):
        return _compare_parts(sp.Mul, one, two, _differing_factors(one, two))
    if one.args and one.func == two.func and len(one.args) == len(two.args):
        pairs = [compare(*pair) for pair in zip(one.args, two.args, strict=True)]
        if not (isinstance(one, sp.Pow) and one.exp != two.exp):
            made = zip(*pairs, strict=True)
            return one.func(*next(made)), two.func(*next(made))
    return Marked(one), Marked(two)


def _compare_parts(
    kind: type[sp.Add | sp.Mul],
    one: sp.Expr,
    two: sp.Expr,
    differing: tuple[list[sp.Expr], list[sp.Expr]],
) -> tuple[sp.Expr, sp.Expr]:
    """Mark the differing terms or factors: a single pair within, others as a whole."""
    mine, others = differing
    if len(mine) == len(others) == 1:
        marked = [[part] for part in compare(mine[0], others[0])]
    else:
        marked = [list(map(Marked, parts)) for parts in differing]

    def rebuilt(whole: sp.Expr, parts: list[sp.Expr], instead: list[sp.Expr]) -> sp.Expr:
        return kind(*(part for part in kind.make_args(whole) if part not in parts), *instead)

    return rebuilt(one, mine, marked[0]), rebuilt(two, others, marked[1])


def differing_terms(one: sp.Expr, two: sp.Expr) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Return the terms of both sums that are not, alone or with others, in the other one too."""
    mine, others = (list(sp.Add.make_args(side)) for side in (one, two))
    for term in tuple(mine):
        partner = next((other for other in others if _equal(term, other)), None)
        if partner is not None:
            mine.remove(term)
            others.remove(partner)
    spread = {term: _monomials(term) for term in chain(mine, others)}
    found = _monomials(sp.Add(*mine) - sp.Add(*others))
    while True:
        # Terms that share a monomial with a differing term belong to the difference.
        wider = found.union(*(parts for parts in spread.values() if parts & found))
        if wider == found:
            break
        found = wider
    return (
        [term for term in mine if spread[term] & found],
        [term for term in others if spread[term] & found],
    )


def _differing_factors(one: sp.Expr, two: sp.Expr) -> tuple[list[sp.Expr], list[sp.Expr]]:
    mine, others = sp.Mul.make_args(one), sp.Mul.make_args(two)
    return [x for x in mine if x not in others], [x for x in others if x not in mine]


def _monomials(expression: sp.Expr) -> set[sp.Expr]:
    terms = sp.Add.make_args(sp.expand(expression))
    return {term.as_coeff_Mul()[1] for term in terms if term != 0}


def _equal(one: sp.Expr, two: sp.Expr) -> bool:
    return bool(one == two or sp.expand(one - two) == 0)

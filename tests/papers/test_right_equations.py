"""Every right equation of the papers holds for random arms, and no corrected one as printed."""

from functools import cache

import numpy as np
import sympy as sp

import papers
from paper_letters import drawn, holds
from papers.equations import Statement, read_equation, read_formula
from tabular import tabular

POPULATION, SAMPLES = 40, 6
# Rows about other arms or states of a paper than its other rows.
OPTIONS = {
    "001-erratum-2-0": {"friction": False},
    "002-massless": {"torque": "massless"},
    "002-statics": {"torque": "static"},
    "002-erratum-2": {"torque": "of motors"},
    "002-erratum-4": {"around": True},
    "004-erratum-6": {"around": True},
    "003-erratum-1": {"heavy": True},
}
# One of the two postures is spoken of: that of a positive bend.
POSITIVE = ("004-arccos-or-atan2", "004-erratum-1", "004-erratum-2", "004-erratum-8")
CONDITIONS = {
    "": lambda at: True,
    "for x ≥ 0": lambda at: at["x"] >= 0.0,
    "for x < 0": lambda at: at["x"] < 0.0,
    "for x < 0 and y ≥ 0": lambda at: at["x"] < 0.0 <= at["y"],
    "where θ was positive before": lambda at: at["theta"] > 0.0,
    "where θ was negative before": lambda at: at["theta"] < 0.0,
}
SUBSTITUTES = "003-erratum-2"  # not equations, but what to put for letters of other ones
# One of three errata of a formula: where it is put right the other two still stand.
IN_PART = "004-erratum-3-0"
# A rule for the sign that is another, and not a false one.
OTHER_RULES = "002-erratum-3"


def equations():
    for number in papers.NUMBERS:
        for key, row in papers.paper(number).judge.__self__.text["rows"].items():
            for place, text in enumerate(row.get("equations", ())):
                yield number, f"{number}-{key}-{place}", read_equation(text)


def differs(pair):
    sides = zip(pair.printed.sides, pair.right.sides, strict=True)
    same = all(sp.expand(printed - right) == 0 for printed, right in sides)
    return not same or pair.printed.when != pair.right.when


ALL = {name: (number, pair) for number, name, pair in equations()}
CHECKED = [name for name in ALL if not name.startswith((SUBSTITUTES, IN_PART))]


@cache
def population(number, options):
    random = np.random.default_rng(0)
    return [drawn(number, random, **dict(options)) for _ in range(POPULATION)]


def samples(name, when):
    """Choose arms and states that a statement speaks of."""
    options = next((given for row, given in OPTIONS.items() if name.startswith(row)), {})
    found = []
    for letters in population(ALL[name][0], tuple(options.items())):
        at = {str(letter): one for letter, one in letters.items()}
        bent = not name.startswith(POSITIVE) or at["theta2"] > 0.0
        if bent and CONDITIONS[when](at):
            found.append(letters)
    assert len(found) >= SAMPLES
    return found[:SAMPLES]


@tabular("name", CHECKED)
def test_the_right_one_holds(name):
    right = ALL[name][1].right
    assert all(holds(right, letters) for letters in samples(name, right.when))


@tabular(
    "name",
    [
        name
        for name, (_, pair) in ALL.items()
        if name in CHECKED and not name.startswith(OTHER_RULES) and differs(pair)
    ],
)
def test_the_printed_one_does_not(name):
    printed = ALL[name][1].printed
    assert not all(holds(printed, letters) for letters in samples(name, printed.when))


def test_what_to_put_for_letters_of_003_makes_its_equations_those_of_heavy_links():
    put = {
        pair.printed.sides[0]: pair.right.sides[0]
        for name, (_, pair) in ALL.items()
        if name.startswith(SUBSTITUTES)
    }
    assert len(put) == 4
    random = np.random.default_rng(0)
    for k in (0, 1):
        equation = ALL[f"003-joint-equations-{k}"][1].printed
        filled = [side.subs(put, simultaneous=True) for side in equation.sides]
        for _ in range(SAMPLES):
            heavy = drawn("003", random, heavy=True)
            assert holds(Statement(tuple(filled)), heavy)
            assert not holds(equation, heavy)


def test_what_one_erratum_of_004_leaves_of_its_formula_is_what_the_others_put_right():
    whole, part = (ALL[name][1].right.sides[-1].args for name in ("004-printed-inverse-0", IN_PART))
    assert whole[1] == part[1]
    sign, square = sp.Symbol("pm"), read_formula("(x^2 + y^2)^2")
    assert sp.expand((whole[0] / sign) ** 2 - (part[0] ** 2 - 2 * square)) == 0
    random = np.random.default_rng(0)
    bends = [drawn("004", random) for _ in range(SAMPLES)]
    assert not all(holds(ALL[IN_PART][1].right, letters) for letters in bends)


def test_a_wrong_term_is_found():
    """What tells right from printed must itself be able to tell."""
    letters = drawn("000", np.random.default_rng(0))
    right = ALL["000-lagrangian-2"][1].right
    wrong = Statement((right.sides[0], right.sides[1] + read_formula("1e-6*m2*l1^2")))
    assert holds(right, letters)
    assert not holds(wrong, letters)
    assert not holds(Statement((right.sides[0], sp.Symbol("unheard"))), letters)

"""Equations of the papers: printed beside right, what differs marked, and derived by us."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import papers
from papers.ang import printed as ang
from papers.ductri import printed as ductri
from papers.equations import compare, differing_terms, read_equation, read_formula, read_statement
from papers.mathml import Marked, statement_mathml, unmarked
from ulna import derive


@pytest.mark.parametrize(
    ("printed", "right", "marked"),
    [
        ("a*x + b*y", "b*y + a*x", ("a*x + b*y", "a*x + b*y")),
        ("a*(x + y)", "a*x + a*y", ("a*(x + y)", "a*x + a*y")),
        ("a + b", "a - b", ("a + Marked(b)", "a + Marked(-b)")),
        ("a + b", "a", ("a + Marked(b)", "a")),
        ("a*sin(x)", "a*sin(y)", ("a*sin(Marked(x))", "a*sin(Marked(y))")),
        ("a*sin(x)", "a*cos(x)", ("a*Marked(sin(x))", "a*Marked(cos(x))")),
        ("c + a*x*(y + z)", "c + a*x*z", ("a*x*(z + Marked(y)) + c", "a*x*z + c")),
        ("sqrt(a + b)", "sqrt(a - b)", ("sqrt(a + Marked(b))", "sqrt(a + Marked(-b))")),
        ("a/x", "a/y", ("a/Marked(x)", "a/Marked(y)")),
        ("a*x^2", "a*x", ("a*Marked(x**2)", "a*Marked(x)")),
        ("x", "y", ("Marked(x)", "Marked(y)")),
    ],
)
def test_what_differs_is_marked(printed, right, marked):
    found = compare(read_formula(printed), read_formula(right))
    assert tuple(map(str, found)) == marked
    assert str(unmarked(found[0])) == str(read_formula(printed))


def test_a_sign_belongs_to_the_term_that_is_marked():
    marked, _ = compare(read_formula("a - b"), read_formula("a + b"))
    assert '<mrow class="differs"><mo form="infix">−</mo>' in statement_mathml((marked,))


def test_words_are_words():
    text = statement_mathml((sp.Symbol("x"),), when='<b title="x">x</b> & y', mark_when=True)
    words = [part.text for part in ElementTree.fromstring(text).iter("mtext")]
    assert words == ['<b title="x">x</b> & y']


def texts(number):
    """Give the equations of a paper by their rows; none of its numbers is computed."""
    rows = papers.paper(number).judge.__self__.text["rows"]
    return {key: row["equations"] for key, row in rows.items() if "equations" in row}


ALL = [
    pytest.param(read_equation(text), id=f"{number}-{key}-{k}")
    for number in papers.NUMBERS
    for key, found in texts(number).items()
    for k, text in enumerate(found)
]


@pytest.mark.parametrize("number", papers.NUMBERS)
def test_rows_about_equations_have_both_sides(number):
    found = texts(number)
    assert found
    for equations in found.values():
        for text in equations:
            made = read_equation(text).typeset("", "")
            assert made.printed.startswith("<math")
            assert made.right.startswith("<math")


@pytest.mark.parametrize("number", papers.NUMBERS)
def test_errata_differ_and_items_that_are_the_same_do_not(number):
    rows = papers.paper(number).judge.__self__.text["rows"]
    for key, equations in texts(number).items():
        same = all(read_equation(text).typeset("", "").same for text in equations)
        if rows[key]["verdict"] == "same":
            assert same
        if key.startswith("erratum") and rows[key]["verdict"] == "corrected":
            assert not same


@pytest.mark.parametrize("pair", ALL)
def test_marked_terms_are_all_that_differs(pair):
    for printed, right in zip(pair.printed.sides, pair.right.sides, strict=True):
        one, two = differing_terms(printed, right)
        assert sp.expand(sp.Add(*one) - sp.Add(*two) - (printed - right)) == 0
        assert bool(one or two) == (sp.expand(printed - right) != 0)
        # None of them could be left out.
        for term in (*one, *two):
            assert sp.expand(term) != 0
            assert not (term in one and term in two)


@pytest.mark.parametrize("pair", ALL)
def test_marks_change_nothing_else_and_are_in_the_page(pair):
    for plain, marked in zip((pair.printed, pair.right), pair.marked(), strict=True):
        for side, shown in zip(plain.sides, marked.sides, strict=True):
            assert sp.expand(unmarked(shown) - side) == 0
    made = pair.typeset("", "")
    marks = 0
    for element in map(ElementTree.fromstring, (made.printed, made.right)):
        assert element.tag == "math"
        assert element.get("alttext")
        marks += len(element.findall(".//*[@class='differs']"))
    sides = [side for statement in pair.marked() for side in statement.sides]
    words = 2 * (pair.printed.when != pair.right.when)
    assert marks == words + sum(_count(side) for side in sides)
    assert (marks == 0) == made.same


def _count(expression):
    return isinstance(expression, Marked) + sum(map(_count, expression.args))


def test_steps_of_inverse_kinematics_follow_from_the_place_of_the_tip():
    known = {"q1": 0.7, "q2": -1.1, "l1": 0.9, "l2": 0.6, "pm": -1.0}
    known["x"] = 0.9 * np.cos(0.7) + 0.6 * np.cos(-0.4)
    known["y"] = 0.9 * np.sin(0.7) + 0.6 * np.sin(-0.4)
    known["r"] = np.hypot(known["x"], known["y"])
    known |= {"a": 0.9 + 0.6 * np.cos(-1.1), "b": 0.6 * np.sin(-1.1)}
    page = Path(papers.__file__).with_name("templates") / "inverse-kinematics.html"
    found = re.findall("^[a-z0-9^*()]+(?: = .*)+$", page.read_text("utf-8"), re.MULTILINE)
    assert len(found) == 13
    for text in found:
        left, right = (float(side.subs(known)) for side in read_statement(text).sides)
        assert left == pytest.approx(right, abs=1e-12), text


def right_side(number, key, place):
    return read_equation(texts(number)[key][place]).right.sides[-1]


def derived(matrix, known, letters):
    """Write out what we derived in the letters of a paper."""
    return sp.Matrix(matrix).subs(known).subs(letters, simultaneous=True)


def test_right_matrices_of_000_are_those_that_we_derive():
    found = derive(2)
    letters = {sp.Symbol(f"q{d}{k}"): sp.Symbol(f"theta{d}{k}") for d in ("", "d") for k in (1, 2)}
    rods = {sp.Symbol(f"I{k}"): read_formula(f"m{k}*l{k}^2/12") for k in (1, 2)}
    mass, gravity, moving = (
        derived(part, found.constants, letters)
        for part in (found.mass_matrix, found.gravity, found.mechanics.velocity_terms)
    )
    ours = [right_side("000", "lagrangian", k) for k in (2, 3, 4, 5, 6)]
    ours += [right_side("000", "erratum-8", k) for k in (0, 1)]
    ours += [right_side("000", "erratum-20", 0), right_side("000", "erratum-21", 0)]
    theirs = [mass[0, 0], mass[0, 1], mass[1, 1], *gravity, *moving, mass[0, 1], gravity[0]]
    for one, two in zip(ours, theirs, strict=True):
        assert sp.expand(one.subs(rods) - two) == 0


def test_right_equations_of_002_are_those_that_we_derive():
    found = derive(2, convention="absolute", tip_force=True)
    letters = {
        sp.Symbol(f"phi{d}{k}"): sp.Symbol(f"q{d}{k}") for d in ("", "d", "dd") for k in (1, 2)
    }
    # Its τ are torques to the ground.
    letters[sp.Symbol("tau1")] = sp.Symbol("tau1") + sp.Symbol("tau2")
    for k, equation in enumerate(found.equations):
        ours = read_equation(texts("002")["dynamics"][k]).right.sides
        theirs = derived([equation.lhs - equation.rhs], found.constants, letters)[0]
        assert sp.simplify(ours[0] - ours[1] - theirs) == 0


def test_right_matrices_of_003_are_those_that_we_derive():
    found = derive(2, bodies="general")
    letters = {sp.Symbol(f"q{d}{k}"): sp.Symbol(f"chi{d}{k}") for d in ("", "d") for k in (1, 2)}
    names = {"m1": "m1L", "m2": "m2L", "p1": "m2", "p2": "mE", "d1": "0", "d2": "0"}
    letters |= {sp.Symbol(ours): read_formula(theirs) for ours, theirs in names.items()}
    mass, gravity, moving = (
        derived(part, found.constants, letters)
        for part in (found.mass_matrix, found.gravity, found.mechanics.velocity_terms)
    )
    theirs = [mass[0, 0], mass[0, 1], mass[1, 1], *moving, *gravity]
    for k, one in enumerate(theirs):
        assert sp.expand(right_side("003", "erratum-1", k) - one) == 0


def test_letters_say_what_the_arrays_say():
    """What is printed is entered twice, in letters and in arrays, and is the same."""
    known = {"L1": 0.9, "L2": 0.7, "x": 0.8, "y": 0.5}
    values = list(known.values())
    solution = read_equation(texts("004")["printed-inverse"][0]).printed.sides[-1]
    radicand = ang.solution_radicand(*values)
    assert float(solution.subs(known)) == pytest.approx(float(ang.bend(radicand, *values)))
    at = {"chi1": 0.3, "chi2": 0.8, "chid1": 1.1, "chid2": -0.6, "chidd1": 2.0, "chidd2": 0.5}
    p = ductri.DuctriConstants(0.5, 0.4, 0.04, 0.02, 1.0, 0.7)
    letters = dict(zip(("l1", "l2", "I1", "I2", "m2", "mE"), p, strict=True)) | {"g": ductri.G}
    q, qd, qdd = np.array(list(at.values())).reshape(3, 2)
    for k, torque in enumerate(ductri.torques(p, q, qd, qdd)):
        side = read_equation(texts("003")["joint-equations"][k]).printed.sides[-1]
        assert float(side.subs(at | letters)) == pytest.approx(torque)

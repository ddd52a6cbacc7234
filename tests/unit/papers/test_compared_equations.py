"""What differs between two formulas is marked in both, as finely as they can be told apart."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from ulna.derivation.formulas import MATHML, TEXT, write_inner
from ulna.derivation.model import unmarked
from ulna.papers import Paper
from ulna.papers.compared_equations import Statement, compare, mathml, read_equation, read_formula
from ulna.papers.papers_folder import fill_folder, foreign_files


@pytest.mark.parametrize(
    ("printed", "right", "marked"),
    [
        ("a*x + b*y", "b*y + a*x", ("a*x + b*y", "a*x + b*y")),
        ("a*(x + y)", "a*x + a*y", ("a*(x + y)", "a*x + a*y")),
        ("a + b", "a - b", ("a + Marked(b)", "a + Marked(-b)")),
        ("a + b", "a", ("a + Marked(b)", "a")),
        ("a*sin(x)", "a*sin(y)", ("a*sin(Marked(x))", "a*sin(Marked(y))")),
        ("a*sin(x)", "a*cos(x)", ("a*Marked(sin(x))", "a*Marked(cos(x))")),
        (
            "c + a*x*(y + z)",
            "c + a*x*z",
            ("c + Marked(a*x*Marked(y + z))", "c + Marked(a*x*Marked(z))"),
        ),
        ("sqrt(a + b)", "sqrt(a - b)", ("sqrt(a + Marked(b))", "sqrt(a + Marked(-b))")),
        ("a/x", "a/y", ("a/Marked(x)", "a/Marked(y)")),
        ("x", "y", ("Marked(x)", "Marked(y)")),
    ],
)
def test_what_differs_is_marked(printed, right, marked):
    found = compare(read_formula(printed), read_formula(right))
    assert tuple(map(str, found)) == marked
    assert str(unmarked(found[0])) == str(read_formula(printed))


def test_a_sign_belongs_to_the_term_that_is_marked():
    marked, _ = compare(read_formula("a - b"), read_formula("a + b"))
    assert '<mrow class="differs"><mo form="infix">−</mo>' in write_inner(marked, MATHML)
    assert write_inner(marked, TEXT) == "a − b"


def test_words_are_words():
    statement = Statement((read_formula("x"),), when='<b title="x">x</b> & y')
    element = ElementTree.fromstring(mathml(statement, when_differs=True))
    assert [part.text for part in element.iter("mtext")] == ['<b title="x">x</b> & y']


@pytest.fixture
def folder(shelf, monkeypatch, tmp_path):
    """Fill a folder with a paper whose first row has an equation."""
    text = {"printed": "x = sin(q1)", "right": "x = cos(q1)", "step": "One & two", "about": "<i>"}
    first, *others = shelf["000"].judge()
    rows = (replace(first, equations=(read_equation(text).typeset(),)), *others)
    derivation = '<h1>Steps</h1><h2 id="one-two">One &amp; two</h2>'
    paper = Paper("000", "A", "B", "C", lambda: rows, derivation=lambda: derivation)
    monkeypatch.setitem(shelf, "000", paper)
    fill_folder(tmp_path, ("000",), films=False)
    return tmp_path


def test_a_page_shows_both_and_leads_to_the_derivation(folder):
    page = (folder / "000.html").read_text("utf-8")
    assert page.count("<math") == 2
    assert page.count('<mrow class="differs">') == 2
    assert "the paper, &lt;i&gt;" in page
    assert '<a href="000-derivation.html#one-two">Our derivation: One &amp; two</a>' in page
    assert 'id="one-two"' in (folder / "000-derivation.html").read_text("utf-8")
    assert '"right": "x = \\\\cos(q_{1})"' in (folder / "rows.json").read_text("utf-8")
    assert foreign_files(folder) == []

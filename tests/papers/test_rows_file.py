"""Texts of rows.toml and values of functions become rows, and nothing of either is left over."""

import sys
from textwrap import dedent
from typing import NamedTuple

import numpy as np
import pytest

from papers import Number, PlaceKind, Verdict

PAPER = '''
number = "009"
authors = "Ada One"
title = "Arms"
about = """
It asks
where the tip is.

And why."""
unnumbered = ["table"]

[[derivation]]
of = "One joint"
links = 1

[columns]
axes = { -x = "x", -y = "y" }

[rows.forward]
title = "The tip"
where = "§1"
verdict = "same"
printed = "x = {{1}}"
ours = """
x = {tip_x:.1f},
y = {tip_y:−+.1f}"""
why = "{tries:,} tries; {turn_2:g} rad; {apart:.0e} m."
call = "import ulna"
see_also = { "Play with it" = "play.html" }

[places]
figure-2 = { about = "an arm", rows = ["forward"] }
table-1 = { about = "lengths" }
'''
VALUES = """
@rows.values("forward")
def forward():
    return {"tip": {"x": 1.25, "y": -0.5}, "tries": 2000, "turn": [1.0, 2.0], "apart": 2e-9}
"""


class Turns(NamedTuple):
    near: float
    far: float


@pytest.fixture
def rows_of(tmp_path, monkeypatch):
    """Return the rows of a package with such a file and such a module."""
    made = []

    def rows_of(text, module=""):
        name = f"paper_{len(made)}_of_tests"
        folder = tmp_path / name
        folder.mkdir()
        head = "from papers.rows_file import PaperRows\nrows = PaperRows(__name__)\n"
        (folder / "__init__.py").write_text(head, "utf-8")
        (folder / "rows.toml").write_text(text, "utf-8")
        (folder / "values.py").write_text(f"from {name} import rows\n{dedent(module)}", "utf-8")
        made.append(name)
        return __import__(name).rows

    monkeypatch.syspath_prepend(str(tmp_path))
    yield rows_of
    for name in list(sys.modules):
        if name.partition(".")[0] in made:
            del sys.modules[name]


def test_a_paper_is_known_before_anything_is_computed(rows_of):
    paper = rows_of(PAPER, "1 / 0").paper
    assert (paper.number, paper.authors, paper.title) == ("009", "Ada One", "Arms")
    assert paper.about == "It asks where the tip is.\n\nAnd why."
    assert paper.derivations == {"009-derivation-one-joint.html": {"links": 1}}
    figure, table = paper.places
    assert (figure.kind, figure.number, figure.rows) == (PlaceKind.FIGURE, 2, ("forward",))
    assert (figure.numbered, table.numbered, table.rows) == (True, False, ())


def test_texts_are_filled_with_values(rows_of):
    (row,) = rows_of(PAPER, VALUES).paper.rows
    assert row.key == "forward"
    assert row.verdict is Verdict.SAME
    assert row.printed == "x = {1}"
    assert row.ours == "x = 1.2, y = −0.5"
    assert row.why == "2,000 tries; 2 rad; 2 × 10⁻⁹ m."
    assert row.call == "import ulna"
    assert row.see_also == (("Play with it", "play.html"),)
    assert row.numbers == row.pictures == row.players == ()


def test_numbers_are_single_or_lines_of_a_table(rows_of):
    numbers = """
    every_number = { unit = "s" }

    [rows.forward.numbers]
    tries = { label = "tries, {turn_1:g} at a time", digits = 3, printed = 1999 }
    tip = { of = "the tip", unit = "m", columns = "axes" }
    turn_1 = { printed = "turn_2" }

    [rows.forward.numbers.more]
    lines.turn = "one"
    lines.turn_1 = "the {tries} of two"
    columns = { _2 = "second" }
    """
    values = VALUES.replace("[1.0, 2.0]", "[[1.0, 3.0], 2.0]")
    values = values.replace('"tries": 2000', '"tries": 2000, "turn_1": 7.0')
    (row,) = rows_of(PAPER.replace("[places]", dedent(numbers) + "[places]"), values).rows()
    assert row.numbers == (
        Number("tries", 2000.0, "s", printed=1999, label="tries, 7 at a time", digits=3),
        Number("tip-x", 1.25, "m", label="x", of="the tip"),
        Number("tip-y", -0.5, "m", label="y", of="the tip"),
        Number("turn_1", 7.0, "s", printed=2.0),
        Number("turn_2", 2.0, "s", label="second", of="one"),
        Number("turn_1_2", 3.0, "s", label="second", of="the 2000 of two"),
    )


def test_parts_of_values_have_names(rows_of):
    numbers = "[rows.forward.numbers]\n" + "".join(
        f"{name} = {{}}\n" for name in ("exit_near", "exit_far", "at_1_2", "by_1e-6")
    )
    rows = rows_of(PAPER.replace("[places]", numbers + "[places]"), "")
    rows.values("forward")(
        lambda: {
            "tip": {"x": 0.0, "y": 0.0}, "tries": 1, "turn": np.zeros(2), "apart": 0.0,
            "exit": Turns(1.0, 2.0), "at": np.array([[1.0, 2.0], [3.0, 4.0]]), "by": {"1e-6": 5.0},
        }
    )  # fmt: skip
    (row,) = rows.rows()
    assert row.values == {"exit_near": 1.0, "exit_far": 2.0, "at_1_2": 2.0, "by_1e-6": 5.0}


def test_pictures_and_players_have_what_makes_them(rows_of):
    shown = """
    [rows.forward.pictures]
    "009-a.svg" = "All {tries} tries"

    [rows.forward.players]
    "009-a.html" = "The same"
    """
    makers = """
    rows.picture("009-a.svg")(lambda: "figure")
    rows.player("009-a.html")(lambda: "page")
    """
    text = PAPER.replace("[places]", dedent(shown) + "[places]")
    (row,) = rows_of(text, VALUES + dedent(makers)).rows()
    (picture,), (player,) = row.pictures, row.players
    assert (picture.file, picture.caption) == ("009-a.svg", "All 2000 tries")
    assert (picture.draw(), player.file, player.page()) == ("figure", "009-a.html", "page")


@pytest.mark.parametrize(
    ("text", "module"),
    [
        (PAPER, ""),
        (PAPER, VALUES.replace("tries", "trials")),
        (PAPER, VALUES.replace("forward", "inverse")),
        (PAPER, VALUES + 'rows.picture("b.svg")(forward)'),
        (PAPER.replace("why =", "wy ="), VALUES),
        (PAPER.replace("call =", "cal ="), VALUES),
        (PAPER.replace("[places]", "numbers.tries = { units = 's' }\n[places]"), VALUES),
    ],
    ids=["no values", "no value", "no row", "no file", "no why", "no call", "no unit"],
)
def test_what_has_no_counterpart_is_refused(rows_of, text, module):
    rows = rows_of(text, module)
    with pytest.raises((LookupError, TypeError)) as refused:
        rows.rows()
    told = str(refused.value) + "".join(getattr(refused.value, "__notes__", ()))
    assert rows.package in told

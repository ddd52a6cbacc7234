"""Texts of rows.toml and values of functions become rows, and nothing of either is left over."""

import sys
from textwrap import dedent
from typing import NamedTuple

import numpy as np
import pytest

from ulna.papers import Number, PlaceKind, Verdict
from ulna.papers.rows_file import PaperRows, RowsFileError

PAPER = """
number = "009"
authors = "Ada One"
title = "Arms"
about = '''
It asks
where the tip is.

And why.'''
unnumbered = ["table"]

[columns]
axes = { -x = "x", -y = "y" }

[rows.forward]
title = "The tip"
where = "§1"
verdict = "same"
printed = "x = {{1}}"
ours = "x = {tip_x:.1f},
y = {tip_y:−+.1f}"
why = "{tries:,} tries; {turn_2:g} rad; {apart:.0e} m."
call = '''
import ulna
'''
see_also = { "Play with it" = "play.html" }

[places]
figure-2 = { about = "an arm", rows = ["forward"] }
table-1 = { about = "lengths" }
""".replace('"x = {tip_x:.1f},\ny = {tip_y:−+.1f}"', '"""\nx = {tip_x:.1f},\ny = {tip_y:−+.1f}"""')


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
        head = "from ulna.papers.rows_file import PaperRows\nrows = PaperRows(__name__)\n"
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


VALUES = """
@rows.values("forward")
def forward():
    return {"tip": {"x": 1.25, "y": -0.5}, "tries": 2000, "turn": [1.0, 2.0], "apart": 2e-9}
"""


def test_a_paper_is_known_before_anything_is_computed(rows_of):
    paper = rows_of(PAPER, "1 / 0").paper
    assert (paper.number, paper.authors, paper.title) == ("009", "Ada One", "Arms")
    assert paper.about == "It asks where the tip is.\n\nAnd why."
    figure, table = paper.places
    assert (figure.kind, figure.number, figure.rows) == (PlaceKind.FIGURE, 2, ("forward",))
    assert (figure.numbered, table.numbered, table.rows) == (True, False, ())


def test_texts_are_filled_with_values(rows_of):
    (row,) = rows_of(PAPER, VALUES)()
    assert row.key == "forward"
    assert row.verdict is Verdict.SAME
    assert row.printed == "x = {1}"
    assert row.ours == "x = 1.2, y = −0.5"
    assert row.why == "2,000 tries; 2 rad; 2 × 10⁻⁹ m."
    assert row.call == "import ulna\n"
    assert row.see_also == (("Play with it", "play.html"),)
    assert row.numbers == row.pictures == row.films == ()


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
    (row,) = rows_of(PAPER.replace("[places]", dedent(numbers) + "[places]"), values)()
    assert row.numbers == (
        Number("tries", 2000.0, "s", printed=1999, label="tries, 7 at a time", digits=3),
        Number("tip-x", 1.25, "m", label="x", of="the tip"),
        Number("tip-y", -0.5, "m", label="y", of="the tip"),
        Number("turn_1", 7.0, "s", printed=2.0),
        Number("turn_2", 2.0, "s", label="second", of="one"),
        Number("turn_1_2", 3.0, "s", label="second", of="the 2000 of two"),
    )


def test_pictures_and_films_have_what_makes_them(rows_of):
    shown = """
    [rows.forward.pictures]
    "009-a.svg" = "All {tries} tries"

    [rows.forward.films]
    "009-a.mp4" = "The same"
    """
    makers = """
    @rows.picture("009-a.svg")
    def draw():
        return "figure"

    @rows.film("009-a.mp4")
    def make(file):
        return file
    """
    text = PAPER.replace("[places]", dedent(shown) + "[places]")
    (row,) = rows_of(text, VALUES + dedent(makers))()
    (picture,), (film,) = row.pictures, row.films
    assert (picture.file, picture.caption, picture.draw()) == (
        "009-a.svg", "All 2000 tries", "figure",
    )  # fmt: skip
    assert (film.file, film.make("there")) == ("009-a.mp4", "there")
    with pytest.raises(RowsFileError, match=r"nothing computes '009-a.svg' of \w+, forward"):
        rows_of(text, VALUES)()


def test_a_row_without_numbers_and_gaps_needs_no_function(rows_of):
    text = PAPER[: PAPER.index("[rows.forward]")] + dedent("""
        [rows.said]
        title = "A remark"
        where = "§2"
        verdict = "remark"
        printed = "a"
        ours = "b"
        why = "So it is."
        """)
    (row,) = rows_of(text)()
    assert row.remark is row.erratum is False
    assert row.why == "So it is."


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("", "nothing computes 'tip_x' of .*, forward"),
        (VALUES.replace("tries", "trials"), "nothing computes 'tries' of .*, forward"),
        (VALUES.replace("forward", "inverse"), "no row of rows.toml is called inverse"),
        (VALUES + 'rows.picture("b.svg")(forward)', "no file of rows.toml is called b.svg"),
        (VALUES + VALUES, "two functions are for forward"),
    ],
)
def test_what_has_no_counterpart_is_refused(rows_of, module, told):
    with pytest.raises(RowsFileError, match=told):
        rows_of(PAPER, module)()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("why =", "wy ="), "forward of rows.toml has no why"),
        (("call =", "cal ="), "forward of rows.toml has an unknown cal"),
        (("[places]", "every_number = { digts = 3 }\n[places]"), "an unknown digts"),
        (("[places]", "numbers.tries = { units = 's' }\n[places]"), "an unknown units"),
    ],
)
def test_a_word_that_is_misspelled_is_refused(rows_of, change, told):
    with pytest.raises(RowsFileError, match=told):
        rows_of(PAPER.replace(*change), VALUES)()


def test_an_error_of_a_function_is_its_own(rows_of):
    with pytest.raises(KeyError, match="mine"):
        rows_of(PAPER, 'rows.values("forward")(lambda: {}["mine"])')()


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
    (row,) = rows()
    assert row.values == {"exit_near": 1.0, "exit_far": 2.0, "at_1_2": 2.0, "by_1e-6": 5.0}


def test_it_is_what_the_papers_are_read_by():
    assert isinstance(PaperRows("ulna.papers.ang").paper.judge, PaperRows)

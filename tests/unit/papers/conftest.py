"""Two small papers of our own, of which we know all that a page has to show."""

from functools import cache
from pathlib import Path

import pytest

import ulna
from ulna.papers import (
    Film,
    Number,
    Paper,
    Picture,
    Place,
    PlaceKind,
    Played,
    Row,
    Verdict,
    library,
    papers_folder,
    players,
)
from ulna.papers.row import SeeAlso
from ulna.viewer import PRINT, styled


def line(theme=PRINT):
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=(4, 2))
        figure.subplots().plot([0, 1], [0, 1], color=theme.data[1])
    return figure


def shot(file):
    Path(file).write_bytes(b"a film")


def still(file):
    from PIL import Image

    Image.new("RGB", (64, 48)).save(file)


@cache
def spun():
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], name="<b>arm</b>")
    run = ulna.simulate(arm, q0=[0.3, 0.1], duration=0.5, samples=51, progress=False)
    return Played("</script> a spin", {"free": run, "again": run})


ITEMS = (
    Row(
        key="forward",
        title="Where the tip is",
        where="§2.3",
        printed="x = 1.71 m",
        ours="the same, to all its digits",
        verdict=Verdict.SAME,
        why="Rounded to as many digits it is the same.",
        call="import ulna\nprint(1 < 2)",
        numbers=(
            Number("x", 1.7057370639, "m", 1.71, "tip, x", digits=8),
            Number("angle", -20.0, "°", label="angle of the last link"),
        ),
        pictures=(Picture("000-forward.svg", "The arm, with `q` = (40°, −60°)", line),),
    ),
    Row(
        key="figure-5",
        title="Torques along the path",
        where="Figure 5",
        printed="peaks at 87 N·m",
        ours="with the inertia of rods it is less",
        verdict=Verdict.WRONG,
        why="The inertias are 4 and 40 times too large.",
        numbers=(
            Number("peak", 87.4591, "N·m", 87.46, "peak τ₁", "I = m²/12", 5),
            Number("rms", 45.584, "N·m", None, "RMS τ₁", "I = m²/12", 5),
            Number("peak_rods", 78.811, "N·m", None, "peak τ₁", "I = m l²/12", 5),
            Number("rms_rods", 45.23, "N·m", None, "RMS τ₁", "I = m l²/12", 5),
        ),
        pictures=(Picture("000-figure-5.png", "Torques", line),),
        films=(Film("000-figure-5.mp4", "The arm as it moves", shot, spun),),
        see_also=(SeeAlso("<Errata> of it", "errata.html#paper-000"),),
    ),
)
ERRATUM = Row(
    key="erratum-1",
    title="<script>alert('x')</script> & \"more\"",
    where="Code 7",
    printed="sin θ₁ | x",
    ours="`sin(theta2) | y`, *always*",
    verdict=Verdict.CORRECTED,
    why="A derivative was taken of the wrong angle.",
    how="differentiated by SymPy",
    size="up to 1.52 N·m",
    transcription="the bar",
    numbers=(Number("lost", float("nan"), "N·m"), Number("tiny", 2.5e-16)),
)
REMARK = Row(
    key="erratum-2",
    title="Another way",
    where="Code 8",
    printed="a sum",
    ours="a product",
    verdict=Verdict.REMARK,
    why="Both are right.",
    how="computed both ways",
    size="none",
    numbers=(Number("apart", 0.0),),
)
PLACES = (
    Place(PlaceKind.FIGURE, 1, "an arm & a `leg`"),
    Place(PlaceKind.FIGURE, 5, "torques", ("figure-5", "erratum-1")),
    Place(PlaceKind.CODE, 7, "sines", ("erratum-1",)),
    Place(PlaceKind.TABLE, 1, "lengths", ("forward",), numbered=False),
)
NOTED = (*ITEMS, ERRATUM, REMARK)
PAPERS = {
    "000": Paper("000", "Ada One, Ben Two", "Arms & Legs", "It asks.", lambda: NOTED, PLACES),
    "004": Paper("004", "Cy Three", "A Tip", "It says <where>.", lambda: ITEMS[:1]),
}


@pytest.fixture
def shelf(monkeypatch):
    """Put these papers in the place of the five, with a film that is one by name only."""
    monkeypatch.setattr(library, "NUMBERS", tuple(PAPERS))
    monkeypatch.setattr(library, "paper", PAPERS.__getitem__)
    monkeypatch.setattr(players, "built_files", lambda name: None)
    monkeypatch.setattr(papers_folder, "_still", lambda _, file, folder: still(folder / file))
    # Not those that are kept: other tests may have computed the rows of the true papers.
    monkeypatch.setattr(library, "rows", lambda number: PAPERS[number].judge())
    monkeypatch.setattr(papers_folder, "_things", papers_folder._things.__wrapped__)
    return PAPERS


@pytest.fixture
def folder(shelf, tmp_path):
    """A folder of them."""
    papers_folder.fill_folder(tmp_path, tuple(shelf))
    return tmp_path

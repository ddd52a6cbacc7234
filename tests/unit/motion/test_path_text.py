"""Paths from text: every shape reads back, and every fault has its caret or its file."""

import math

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna.errors import FileError, InputError
from ulna.expressions import ExpressionError
from ulna.motion import SHAPES, read_path

PLACES = np.linspace(0.0, 1.0, 97)
paths = ulna.paths


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.csv").write_text("x,y\n1,2\n3,4\n5,3\n")
    (tmp_path / "Drawing.SVG").write_text('<svg><path d="M0 0 h10 v5 l3 3"/></svg>')
    (tmp_path / "bad.csv").write_text("1,2\n3,x\n")


def fault(text):
    with pytest.raises(InputError) as caught:
        read_path(text)
    return caught.value


def marked(error):
    return error.text[error.column : error.column + error.width]


def same(one, other):
    assert (one.in_joints, one.duration, one.fit) == (other.in_joints, other.duration, other.fit)
    assert one.breaks == pytest.approx(other.breaks, abs=1e-12)
    assert one.derivatives(PLACES) == pytest.approx(other.derivatives(PLACES), rel=1e-9, abs=1e-9)


# --------------------------------------------------------------------------- what is read

ANGLE = 0.1 + 0.2  # 0.30000000000000004: a text that rounds is found out


def every_path():
    line = paths.line((0.1, 0.2), (1.0 / 3.0, -0.4))
    corners = [(0.1, 0.0), (0.3, 0.0), (0.3, 1.0 / 7.0), (0.0, 0.2)]
    postures = [(0.1, 0.2, 0.3), (1.0, -1.0 / 3.0, 0.5), (0.7, 0.1, 1e-7)]
    sharp = paths.polyline(corners, blend=0.0)
    return [
        line,
        paths.arc((0.1, -0.2), 0.3, ANGLE, -1.0),
        paths.circle((0.1, 0.2), 1.0 / 3.0, start=ANGLE, clockwise=True),
        paths.ellipse((0.1, 0.2), (0.3, 0.1), tilt=ANGLE, start=1.0),
        paths.lemniscate((0.1, 0.2), 0.25, tilt=ANGLE),
        paths.rose((0.0, 0.1), 0.2, petals=8, tilt=ANGLE),
        paths.loops(0.7, 0.1, 5),
        paths.loops_as_printed(0.7, 0.1, 5, samples=200),
        sharp,
        paths.polyline(corners),
        paths.polyline(corners, blend=0.01, closed=True),
        paths.spline(corners),
        paths.spline(corners, closed=True),
        paths.spline(corners, times=[0.0, 0.1, 1.0 / 3.0, 2.0]),
        paths.joints(postures),
        paths.joints(postures, closed=True, times=[0.0, 1.0, 2.5, 4.0]),
        paths.csv("points.csv", unit="cm", closed=True),
        paths.svg("Drawing.SVG"),
        paths.svg("Drawing.SVG", scale=0.01, blend=0.002),
        line.then(paths.circle((0.5, 0.5), 0.1)),
        line.then(line.reversed()).then(paths.rose()),
        line.reversed(),
        line.repeated(3),
        paths.loops().repeated(2),
        line.placed((0.2, 0.1), ANGLE),
        line.scaled(0.3, (0.1, 0.7)),
        sharp.rounded(0.01),
        sharp.rounded(0.01).placed((1.0, 0.0)).repeated(2).reversed().scaled(2.0),
    ]


def test_every_path_is_read_back_from_its_text():
    for path in every_path():
        same(read_path(path.text), path)


def test_every_shape_is_among_them():
    texts = " ".join(path.text for path in every_path())
    assert all(f"{name}(" in texts for name in SHAPES)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("circle", paths.circle()),
        ("circle((0.2, '10 cm'), radius='5 cm')", paths.circle((0.2, 0.1), 0.05)),
        ("arc(end='180 deg')", paths.arc(end=math.pi)),
        ("placed(circle, at=(0.2, 0.1), angle='30 deg')",
         paths.circle().placed((0.2, 0.1), math.pi / 6.0)),
        ("rounded(polyline([(0, 0), (1, 0), (1, 1)], blend=0), '5 mm')",
         paths.polyline([(0, 0), (1, 0), (1, 1)], blend=0).rounded(0.005)),
        ("polyline([(0, 0), (1, 0), (1, 1)], blend=None)",
         paths.polyline([(0, 0), (1, 0), (1, 1)])),
        ("then(line((0, 0), (1, 0)), line((1, 0), (1, 1)), line((2, 1), (2, 2)))",
         paths.line((0, 0), (1, 0)).then(paths.line((1, 0), (1, 1)))
         .then(paths.line((2, 1), (2, 2)))),
        ("joints([('30 deg', 0), (0, '1 turn')], times=(0, '1500 ms'))",
         paths.joints([(math.pi / 6.0, 0.0), (0.0, 2.0 * math.pi)], times=[0.0, 1.5])),
        ("scaled(loops(loops=4), 1/2, about=(0.1, 0))", paths.loops(loops=4).scaled(0.5, (0.1, 0))),
    ],
    ids=range(9),
)  # fmt: skip
def test_text_with_units_and_compositions(text, path):
    same(read_path(text), path)


def test_files_by_name_and_by_call():
    same(read_path("points.csv"), paths.csv("points.csv"))
    same(read_path(" Drawing.SVG "), paths.svg("Drawing.SVG"))
    same(read_path("svg('Drawing.SVG', 2, '1 cm')"), paths.svg("Drawing.SVG", 2.0, 0.01))
    same(read_path("svg('Drawing.SVG', blend=0.5)"), paths.svg("Drawing.SVG", blend=0.5))
    small = paths.csv("points.csv", unit="mm")
    same(read_path("then(csv('points.csv', 'mm'), circle)"), small.then(paths.circle()))


def test_a_path_of_many_points_says_that_its_text_is_short():
    many = paths.spline(np.column_stack([np.arange(40.0), np.arange(40.0) ** 2]))
    assert many.text.startswith("spline of 40 points")
    assert many.text.endswith("(39, 1521)")
    assert isinstance(fault(many.text), ExpressionError)


# --------------------------------------------------------------------------- what is refused


@tabular(
    ("text", "under", "says"),
    [
        ("circel(radius=1)", "circel", "unknown path 'circel', need one of line, arc, circle"),
        ("circle(radius=-1)", "radius=-1", "path.radius: got -1.0, need a number above 0 [m]"),
        ("circle(radius='5 kg')", "radius='5 kg'", "'kg' is a unit of mass"),
        ("then(circle, circle(radius=-1))", "radius=-1", "need a number above 0"),
        ("then(circle)", "then", "'then' without path2"),
        ("repeated('circle', 2)", "'circle'", "need a name with arguments"),
        ("polyline([(0, 0), (0, 0)])", "[(0, 0), (0, 0)]", "path.corners, row 2: got"),
        ("placed(joints([(0, 0), (1, 1)]), (1, 1))", "placed", "not of joints"),
        ("then(circle, svg('Drawing.SVG'))", "then", "give the drawing a scale"),
        ("svg('Drawing.SVG', blend='5 mm')", "blend='5 mm'", "give a scale to have lengths"),
    ],
    ids=range(10),
)  # fmt: skip
def test_faults_have_their_caret(text, under, says):
    error = fault(text)
    assert isinstance(error, ExpressionError)
    assert marked(error) == under
    assert says in str(error)
    assert error.exit_code == 2


def test_faults_of_files_name_the_file():
    assert str(fault("bad.csv")).startswith("bad.csv:2: column 2 (y): got 'x'")
    assert str(fault("then(circle, csv('bad.csv'))")).startswith("bad.csv:2: column 2 (y)")
    assert "ends in .csv or .svg" in str(fault("drawing.png"))
    for text in ("nowhere.csv", "some/where/nowhere.svg", "repeated(csv('nowhere.csv'), 2)"):
        with pytest.raises(FileError, match="nowhere") as caught:
            read_path(text)
        assert caught.value.exit_code == 74


def test_the_text_has_a_name():
    with pytest.raises(InputError, match=r"^PATH\.radius: got 0"):
        read_path("circle(radius=0)", "PATH")
    with pytest.raises(InputError, match="PATH"):
        read_path(3, "PATH")

"""Drawings as paths: exact curves, y up, even speed; and files that are refused at once."""

import math
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import ulna
from promptness import prompt
from ulna.errors import FileError, InputError, MissingExtraError

S = np.linspace(0.0, 1.0, 1001)
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


@pytest.fixture
def drawn(tmp_path):
    """Give what makes the path of a drawing, in drawing units and with sharp corners."""

    def draw(body, scale=None, blend=0.0, whole=False, keep_order=False):
        file = tmp_path / "drawing.svg"
        file.write_text(body if whole else f"{HEAD}{body}</svg>", encoding="utf-8")
        return ulna.paths.svg(file, scale, blend, keep_order)

    return draw


def casteljau(controls, t):
    points = [np.array(point, dtype=float) for point in controls]
    while len(points) > 1:
        points = [a + t * (b - a) for a, b in pairwise(points)]
    return points[0]


def distance_to(points, cloud):
    return np.linalg.norm(points[:, None] - cloud[None], axis=-1).min(axis=1).max()


# --------------------------------------------------------------------------- shapes


def test_a_circle_is_a_circle(drawn):
    path = drawn('<circle cx="3" cy="4" r="10"/>')
    assert path.length == pytest.approx(2.0 * math.pi * 10.0, rel=1e-12)
    assert np.linalg.norm(path(S) - 10.0, axis=-1) == pytest.approx(np.full(len(S), 10.0))
    assert path.closed
    # Down the page is clockwise in SVG, and stays so once y points up.
    assert path(0.0) == pytest.approx([20.0, 10.0])
    assert path(0.25) == pytest.approx([10.0, 0.0])


def test_a_cubic_is_where_de_casteljau_puts_it(drawn):
    controls = [(0.0, 0.0), (10.0, -30.0), (40.0, 20.0), (30.0, -10.0)]
    path = drawn('<path d="M0,0 C10,-30 40,20 30,-10"/>')
    known = np.array([casteljau(controls, t) for t in np.linspace(0.0, 1.0, 4001)]) * [1.0, -1.0]
    known -= known.min(axis=0)
    # The lower left corner of the box around it is the origin.
    assert path(S).min(axis=0) == pytest.approx([0.0, 0.0], abs=1e-3)
    assert distance_to(path(S[::50]), known) < 1e-2
    assert path.ends == pytest.approx(known[[0, -1]], abs=1e-6)
    velocity = [3.0 * casteljau(np.diff(controls, axis=0), t) for t in (0.0, 1.0)]
    for place, along in zip((0.0, 1.0), velocity, strict=True):
        heading = path.derivatives(place)[1] / path.length
        assert heading == pytest.approx(along / np.linalg.norm(along) * [1.0, -1.0], abs=1e-9)


def test_a_quadratic_has_its_known_length(drawn):
    # y = x² from 0 to 1, as a Bézier curve with the control point (1/2, 0).
    path = drawn('<path d="M0 0 Q 0.5 0 1 1"/>')
    known = 0.5 * math.sqrt(5.0) + 0.25 * math.asinh(2.0)
    assert path.length == pytest.approx(known, rel=1e-12)
    x, y = path(S).T
    assert 1.0 - y == pytest.approx(x**2, abs=1e-12)


@pytest.mark.parametrize("large", [0, 1])
@pytest.mark.parametrize("sweep", [0, 1])
def test_an_arc_lies_on_its_ellipse(drawn, large, sweep):
    # An ellipse of radii 5 and 3, leaning by 30°, through two of its own points.
    lean, middle = math.radians(30.0), np.array([7.0, 8.0])
    axes = np.array([[math.cos(lean), math.sin(lean)], [-math.sin(lean), math.cos(lean)]])
    angles = np.radians([20.0, 100.0]) if large != sweep else np.radians([100.0, 20.0])
    a, b = (middle + np.array([5.0 * math.cos(k), 3.0 * math.sin(k)]) @ axes for k in angles)
    data = f"M{a[0]} {a[1]} A 5 3 30 {large} {sweep} {b[0]} {b[1]} M0 0 h20 v20"
    path = drawn(f'<path d="{data}"/>', keep_order=True)
    corner = path.ends[1] - [20.0, -20.0]  # where the drawing's own origin is
    on = (path(np.linspace(0.0, path.breaks[1], 301)) - corner) * [1.0, -1.0]
    local = (on - middle) @ axes.T / [5.0, 3.0]
    assert np.linalg.norm(local, axis=-1) == pytest.approx(np.ones(301), abs=1e-9)
    turned = np.abs(np.diff(np.unwrap(np.arctan2(local[:, 1], local[:, 0])))).sum()
    assert turned == pytest.approx(math.radians(280.0 if large else 80.0), abs=1e-6)


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ('<rect x="1" y="2" width="30" height="20"/>', "M1 2 h30 v20 h-30 z"),
        (
            '<rect width="30" height="20" rx="4" ry="2"/>',
            "M4 0 h22 a4 2 0 0 1 4 2 v16 a4 2 0 0 1-4 2 h-22 a4 2 0 0 1-4-2 v-16 a4 2 0 0 1 4-2z",
        ),
        ('<ellipse cx="9" cy="9" rx="5" ry="3"/>', "M14 9 a5 3 0 0 1 -10 0 a5 3 0 0 1 10 0"),
        ('<line x1="1" y1="2" x2="5" y2="9"/>', "M1 2 L5 9"),
        ('<polyline points="0,0 5,5 9,-2"/>', "M0 0 5 5 9-2"),
        ('<polygon points="0 0 5 5 9 -2"/>', "M0 0 L5,5 9-2Z"),
        ('<path d="M0 0q5 5 9 0t9 0"/>', "M0 0 Q5 5 9 0 Q13-5 18 0"),
        ('<path d="M0 0c1 5 5 5 9 0s8-5 9 0"/>', "M0 0 C1 5 5 5 9 0 C13-5 17-5 18 0"),
        ('<path d="M0 0 A 0 3 0 0 1 5 5 V9 H3"/>', "M0 0 L5 5 5 9 3 9"),
        ('<rect width="10mm" height="1in"/>', f"M0 0 h{96 / 2.54} v96 h{-96 / 2.54} z"),
        ('<g transform="translate(3 4) rotate(30)"><g transform="scale(2,-1)"><path '
         'd="M0 0 L10 0 10 5" transform="skewX(10)"/></g></g>',
         "M0 0 L17.3205081 10 {:.9f} {:.9f}"),
        ('<defs><path id="a" d="M0 0 h5 v5"/></defs><use xlink:href="#a" x="9" y="1"/>',
         "M9 1 h5 v5"),
        ('<symbol id="a"><path d="M0 0 h5 v5"/></symbol><use href="#a"/>', "M9 1 h5 v5"),
        ('<svg x="5" width="20" height="20" viewBox="0 0 10 10"><path d="M0 0h5v7"/></svg>',
         "M0 0 h10 v14"),
        ('<g display="none"><circle r="99"/></g><circle r="9" style="fill:red;display:none"/>'
         '<clipPath><circle r="99"/></clipPath><text>no</text><path d="M0 0h5v7"/>', "M0 0h5v7"),
        ('<path d="M0 0 L0 0 5 5 5 5 C5 5 5 5 5 5 a1 1 0 0 1 0 0 L9-2z"/>', "M0 0 L5 5 9-2z"),
    ],
    ids=range(16),
)  # fmt: skip
def test_shapes_transforms_and_groups_draw_the_same_as_a_plain_path(drawn, body, same):
    if "{" in same:
        # skew, then mirror, then turn, each by hand; the move does not show in a drawing.
        x, y = 2.0 * (10.0 + 5.0 * math.tan(math.radians(10.0))), -5.0
        c, s = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
        same = same.format(c * x - s * y, s * x + c * y)
    one, other = drawn(body), drawn(f'<path d="{same}"/>')
    assert one.length == pytest.approx(other.length, rel=1e-8)
    assert one(S) == pytest.approx(other(S), abs=1e-6)


def test_a_document_type_without_entities_is_read(drawn):
    public = '"-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"'
    text = f'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC {public}>\n{HEAD}<path d="M0 0h5"/></svg>'
    assert drawn(text, whole=True).length == pytest.approx(5.0)


def test_lengths_in_percent_are_parts_of_the_page(drawn):
    page = '<svg width="40" height="30">{}</svg>'
    circle = drawn(page.format('<circle cx="50%" cy="50%" r="10%"/>'), whole=True)
    # Of the diagonal by the square root of 2: of 35.3553.
    assert circle.length == pytest.approx(2.0 * math.pi * 3.53553391)
    line = drawn(page.format('<line x1="50%" y1="10%" x2="100%" y2="60%"/>'), whole=True)
    assert line.length == pytest.approx(25.0)
    rect = drawn(page.format('<rect width="100%" height="100%"/>'), whole=True)
    assert rect.length == pytest.approx(140.0)


def test_a_skewed_circle_is_an_exact_ellipse(drawn):
    path = drawn('<circle r="5" transform="skewX(40)"/>')
    points = path(S)
    centred = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
    y = -centred[:, 1]
    x = centred[:, 0] - math.tan(math.radians(40.0)) * y
    assert np.hypot(x, y) == pytest.approx(np.full(len(S), 5.0), abs=1e-4)


# --------------------------------------------------------------------------- how it is followed

ALL = """<path d="M0,0 C0,0 10,0 10,10 S 20 20 20 20 Q 20 20 30 0 C 80 40 0 40 60 0
a9 4 20 1 1 9 9 z"/>
<circle cx="50" cy="50" r="7"/><rect x="70" width="9" height="5" rx="2"/>"""


@pytest.mark.parametrize("blend", [0.0, None, 0.5, 50.0])
def test_uniform_timing_has_an_even_speed(drawn, blend):
    path = drawn(ALL, blend=blend)
    _, velocity, _ = path.derivatives(S)
    speed = np.linalg.norm(velocity, axis=-1)
    assert speed == pytest.approx(np.full(len(S), path.length), rel=1e-9)
    one = replace(path, strokes=((0.0, 1.0),), fit=False)  # drawn in one go, without a stop
    arm = ulna.Arm.rods([100.0, 100.0], [1.0, 1.0])
    plan = ulna.plan(arm, one, duration=10.0, timing="uniform", rate=200.0)
    steps = np.linalg.norm(np.diff(plan.tip[:, :2], axis=0), axis=-1)
    # A chord across a corner is shorter; the tip's speed is the same all the same.
    assert np.median(steps) == pytest.approx(path.length / (len(steps)), rel=1e-4)


@pytest.mark.parametrize("blend", [0.0, None])
def test_derivatives_agree_with_differences(drawn, blend):
    path = drawn(ALL, blend=blend)
    pieces = [(a, b) for a, b in pairwise(path.breaks) if b - a > 1e-4]
    inner = np.concatenate([np.linspace(a, b, 9)[2:-2] for a, b in pieces])
    h = 1e-7
    before, here, after = (path.derivatives(inner + way) for way in (-h, 0.0, h))
    for order in (0, 1):
        found = (after[order] - before[order]) / (2.0 * h)
        size = np.linalg.norm(here[order + 1], axis=-1).max()
        assert found == pytest.approx(here[order + 1], abs=2e-4 * size)


def test_corners_are_rounded_unless_told(drawn):
    sharp, round_ = drawn(ALL), drawn(ALL, blend=None)
    assert len(sharp.corners) > 5
    # Where a pen stops, at the end of a stroke, nothing is to be rounded.
    assert set(round_.corners) <= set(np.ravel(round_.strokes))
    # By 1 % of the larger side, 79 of the drawing's units wide.
    assert distance_to(round_(S[::20]), sharp(np.linspace(0.0, 1.0, 20_001))) < 0.6


@pytest.mark.parametrize(
    "data",
    ["M0 0 C0 0 10 0 10 10", "M0 0 C10 0 10 10 10 10", "M0 0 C 20 20 0 20 20 0", "M0 0Q9 9 0 0"],
)
def test_where_a_curve_stands_still_the_tip_does_not(drawn, data):
    numbers = [float(n) for n in data.replace("M", "").replace("C", " ").replace("Q", " ").split()]
    controls = list(zip(numbers[::2], numbers[1::2], strict=True))
    path = drawn(f'<path d="{data}"/>')
    steps = np.diff(controls, axis=0) * (len(controls) - 1.0)
    stops = [0.0, 0.5, 1.0]
    known = quad(lambda t: np.linalg.norm(casteljau(steps, t)), 0.0, 1.0, points=stops)[0]
    assert path.length == pytest.approx(known, rel=1e-6)
    known = np.array([casteljau(controls, t) for t in np.linspace(0.0, 1.0, 5001)]) * [1.0, -1.0]
    known -= known.min(axis=0)
    assert distance_to(path(S[::20]), known) < 1e-2
    assert np.isfinite(path.derivatives(S)).all()


def test_strokes_are_joined_by_travel_and_that_is_said(drawn):
    path = drawn('<path d="M0 0 h10 M10 10 h-10"/>')
    assert path.length == pytest.approx(10.0 + 10.0 + 10.0)
    (note,) = path.notes
    assert note.startswith("2 strokes")
    assert "10 units of travel" in note
    assert drawn('<path d="M0 0 h10"/><path d="M10 0 v10"/>').length == pytest.approx(20.0)
    assert drawn('<path d="M0 0 h10 v10"/>').notes == ()


def test_without_a_scale_it_is_fitted_into_reach(drawn):
    path = drawn(ALL, scale=None, blend=None)
    assert path.fit
    arm = ulna.preset("kehl")
    plan = ulna.plan(arm, path)
    assert plan.ok
    assert any("fitted into reach" in note for note in plan.path.notes)
    small = path.scaled(1e-3)
    assert not small.fit
    assert small.length == pytest.approx(1e-3 * path.length)
    assert small(S) == pytest.approx(1e-3 * path(S))


# --------------------------------------------------------------------------- what is refused

LAUGHS = """<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><svg>&c;</svg>"""
OUTSIDE = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'
COPIES = "".join(f'<g id="g{k}">' + f'<use href="#g{k - 1}"/>' * 10 + "</g>" for k in range(1, 12))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LAUGHS, "got entities, need elements only"),
        (OUTSIDE, "got entities, need elements only"),
        ("<svg><!--" + "x" * 11_000_000 + "--></svg>", "bytes, need at most 10,000,000"),
        (
            '<svg><g id="g0"><path d="M0 0h1"/></g>' + COPIES + "</svg>",
            "too many with their copies",
        ),
        ('<svg><g id="g0"/>' + COPIES + "</svg>", "nested too deep, or too many with their copies"),
        (
            '<svg><g id="a"><use href="#a"/></g></svg>',
            "nested too deep, or too many with their copies",
        ),
        ("", "well-formed"),
        ("<svg><path", "drawing.svg:1: svg: got unclosed token"),
        ("<html/>", "got <html>, need <svg>"),
        ("<svg/>", "got no shape, need a path, rect, circle"),
        ("<svg>\n<text>hello</text></svg>", "text> in line 2 ('hello') is not drawn"),
        ('<svg xmlns:o="urn:o"><o:path d="M0 0h9"/></svg>', "got no shape"),
        (
            '<svg>\n\n<path d="M0 0 L5"/></svg>',
            "drawing.svg:3: path: got d='M0 0 L5', need path data",
        ),
        ("<svg><path d='M0 0" + " 1 1" * 20_000 + "'/></svg>", "more than 5,000 lines and curves"),
        ("<svg><path d='M0 0h9" + "z" * 40_000 + "'/></svg>", "more than 5,000 lines and curves"),
        ('<svg><path d="M3 3 L3 3"/></svg>', "points only"),
        ('<svg><path d="M0 0 L9 0 5 5" transform="scale(0)"/></svg>', "points only"),
        ('<svg><circle r="50%"/></svg>', "r='50%', need a number, alone or in"),
        ('<svg><svg viewBox="0 0 1 1"/></svg>', "need width and height as well"),
        ('<svg><use href="other.svg#a"/></svg>', "the id of an element of this file"),
    ],
    ids=range(20),
)
def test_bad_and_hostile_files_are_refused_at_once(drawn, text, says):
    with prompt(), pytest.raises(InputError) as caught:
        drawn(text, whole=True)
    assert says in str(caught.value)
    assert "drawing.svg" in str(caught.value)
    assert len(str(caught.value)) < 500
    assert caught.value.exit_code == 2


def test_a_missing_extra_says_what_to_install(monkeypatch, drawn):
    monkeypatch.setitem(sys.modules, "svgelements", None)
    with pytest.raises(MissingExtraError, match=r"needs svgelements.*'ulna\[draw\]'") as caught:
        drawn('<path d="M0 0 h5"/>')
    assert caught.value.exit_code == 2


def test_a_file_that_is_not_there_is_no_bad_input():
    with pytest.raises(FileError, match=r"nowhere\.svg"):
        ulna.paths.svg("nowhere.svg")


@pytest.mark.parametrize(
    ("scale", "blend"), [(0.0, None), (-1.0, None), (1.0, -1.0), (1.0, math.nan)]
)
def test_sizes_are_checked(drawn, scale, blend):
    with pytest.raises(InputError, match=r"svg\.(scale|blend)"):
        drawn('<circle r="5"/>', scale, blend)


@pytest.mark.parametrize(
    "inside",
    [
        *(f'<path d="{data}"/>' for data in (
            "L5 5", "M0 0 L5", "M0 0 X 5", "M0 0 L nan 3", "M0 0 L1e999 0", "M0 0 L1e-40 3",
            "M0 0 h", "M0 0 z 5", "M0 0 a 5 5 0 2 0 9 9", "M0 0 L 5. 3", "M0 0 L5\u00a05",
        )),
        *(f'<path transform="{transform}" d="M0 0h5v7"/>' for transform in (
            "turn(3)", "matrix(1 2 3)", "matrix(nan 0 0 1 0 0)", "translate()", "rotate(30deg)",
            "scale(1e999)", "scale(1e200)", "scale(2", "rotate(1 2)",
        )),
        '<g transform="turn(3)"></g>',
        *(f'<circle r="{length}"/>' for length in ("-1", "nan", "1e999", "5em", "calc(5px)")),
        *(f'<rect width="5" height="5" {name}="3 m"/>' for name in ("x", "y", "rx", "ry")),
        '<polygon points="0 0 5"/>', '<polyline points="0 0 5 a"/>', '<line x2="1,5"/>',
        *(f'<svg viewBox="{box}" width="5" height="5"></svg>' for box in (
            "0 0 nan 10", "0 0 148", "0 0 10 -5", "0 0 10 0", "0 0 1 1 1",
        )),
        '<svg viewBox="0 0 1 1" width="5" height="5" preserveAspectRatio="wide"></svg>',
    ],
)  # fmt: skip
def test_no_attribute_of_a_shape_is_ignored(drawn, inside):
    tag = inside[1:].split()[0]
    with pytest.raises(InputError, match=rf"drawing\.svg:2: {tag}: got \w+=.*, need "):
        drawn(f"\n{inside}<path d='M0 0h5'/>")

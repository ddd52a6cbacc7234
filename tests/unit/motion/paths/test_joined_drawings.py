"""Drawings that are repeated, joined, placed: the same strokes again, and travel between them."""

import math

import numpy as np
import pytest

import ulna

DRAWINGS = {
    # A house: two closed strokes, and two open ones.
    "house": '<path d="M10 75 V40 H90 V75 Z M2 40 L50 5 L98 40"/>'
    '<rect x="60" y="48" width="18" height="14"/><path d="M25 75 V52 H42 V75"/>',
    "closed": '<circle cx="10" cy="10" r="5"/><circle cx="30" cy="10" r="5"/>'
    '<rect x="40" y="40" width="9" height="9"/>',
    # Every stroke begins where the last one ended.
    "joined": '<path d="M0 0 L10 0"/><path d="M10 0 L10 10"/><path d="M10 10 L0 10"/>',
    "ring": '<path d="M0 0 L10 0"/><path d="M10 0 L10 10"/><path d="M10 10 L0 0"/>',
}
DRAWN = {
    "house": (2 * (80 + 35) + 2 * math.hypot(48, 35) + 2 * (18 + 14) + 23 + 17 + 23, 4),
    "closed": (20.0 * math.pi + 36.0, 3),
    "joined": (30.0, 3),
    "ring": (20.0 + math.hypot(10.0, 10.0), 3),
}
TWO = '<path d="M0 0 H50 M0 20 H50"/>'


@pytest.mark.parametrize("count", range(2, 8))
@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_repeated_has_its_strokes_so_many_times(drawing, pen_down_length, name, count):
    made = drawing(DRAWINGS[name], unit=1e-3, blend=0.0).repeated(count)
    length, strokes = DRAWN[name]
    assert len(made.strokes) == count * strokes
    first, last = np.array(made.strokes).T
    assert (last > first).all()
    assert (first[1:] >= last[:-1]).all()
    assert (first[0], last[-1]) == (0.0, 1.0)
    assert pen_down_length(made) == pytest.approx(1e-3 * count * length, rel=1e-12)


def test_a_repeated_drawing_is_planned_as_its_parts(drawing):
    path = drawing(TWO, unit=1e-3).placed((0.13, -0.02))
    arm = ulna.Arm.rods([0.16, 0.14], [0.06, 0.04])
    limits = {"max_speed": 0.1, "max_acceleration": 1.0}
    once, thrice = (ulna.plan(arm, one, **limits) for one in (path, path.repeated(3)))
    assert thrice.ok, thrice.problems
    back = np.linalg.norm(np.diff(path.ends, axis=0))
    # Two ways back from rest to rest, each with a pen that is lifted and lowered.
    ways = 2.0 * (back / 0.1 + 0.1 / 1.0 + 0.4)
    assert thrice.duration == pytest.approx(3.0 * once.duration + ways, rel=1e-3)


def test_the_way_to_another_path_is_travel(drawing, pen_down_length):
    house = drawing(DRAWINGS["house"], unit=1e-3, blend=0.0)
    circle = ulna.paths.circle((0.3, 0.2), 0.05)
    drawn = 1e-3 * DRAWN["house"][0] + 0.1 * math.pi
    for made, bridge in ((house.then(circle), 4), (circle.then(house), 1)):
        assert len(made.strokes) == 5
        assert pen_down_length(made) == pytest.approx(drawn, rel=1e-12)
        # The way between both is between two strokes.
        assert made.strokes[bridge][0] > made.strokes[bridge - 1][1]
    two = drawing(TWO, unit=1e-3).repeated(2)
    assert len(two.strokes) == 4
    assert pen_down_length(two) == pytest.approx(0.2, rel=1e-12)
    assert two.length == pytest.approx(0.2 + 3 * 0.02, rel=1e-12)


def test_the_way_between_paths_in_one_go_is_a_part_of_them():
    made = ulna.paths.line((0, 0), (1, 0)).then(ulna.paths.line((1, 1), (0, 1)))
    assert made.strokes == ((0.0, 1.0),)
    assert ulna.paths.line((0, 0), (1, 0)).repeated(3).strokes == ((0.0, 1.0),)


def test_notes_are_of_the_path_that_has_them(drawing):
    # Two lines of 50, the upper one first, a travel of 20 between them, and of 20 back.
    head = 'width="100mm" height="100mm" viewBox="0 0 100 100"'
    path = drawing(TWO + "<text>no</text>", head, scale=1.0)
    assert path.notes[0].startswith("2 strokes, with 0.02 m of travel between them, 0.05385 m")
    for made, told in (
        (path.repeated(3), "6 strokes, with 0.1 m"),
        (path.then(path.placed((0.0, 0.04))), "4 strokes, with 0.1 m"),
        (path.scaled(2.0), "2 strokes, with 0.04 m"),
        (path.reversed(), "2 strokes, with 0.02 m"),
        (path.placed((1.0, 1.0)), "2 strokes, with 0.02 m"),
    ):
        note, text = made.notes
        assert note.startswith(f"{told} of travel between them")
        assert text == path.notes[1]
    assert "file" not in drawing(TWO, head, scale=1.0, keep_order=True).reversed().notes[0]
    units = drawing(TWO)
    assert "20 units" in units.repeated(1).notes[0]
    assert units.scaled(1e-3).notes[0].startswith("2 strokes, with 0.02 m")
    plan = ulna.plan(ulna.preset("kehl"), units)
    assert "20 units" in plan.path.notes[0]
    assert "fitted into reach" in plan.path.notes[1]
    assert not any("fitted" in note for note in plan.path.scaled(2.0).notes)


@pytest.mark.parametrize(
    ("body", "least"),
    [
        # Circles of radius 10, 22 apart: a point of the second is 44 from both other centres
        # together at least, and so 24 from both other circles.
        ("".join(f'<circle cx="{10 + 22 * k}" cy="10" r="10"/>' for k in range(3)), 24.0),
        # Squares of side 10, 12 apart: 2 to the second one, and 12 from there to the third.
        ("".join(f'<rect x="{12 * k}" width="10" height="10"/>' for k in range(3)), 14.0),
        # From the corner of a square straight to a circle on its left.
        ('<rect width="10" height="10"/><circle cx="14" cy="10" r="3"/>', 1.0),
        # Two ellipses whose nearest points are on the line between their centres.
        ('<ellipse cx="0" cy="0" rx="9" ry="4"/><ellipse cx="30" cy="0" rx="8" ry="4"/>', 13.0),
    ],
)
@pytest.mark.parametrize("blend", [0.0, 0.1])
def test_closed_strokes_begin_where_the_way_to_them_is_short(
    drawing, pen_down_length, body, least, blend
):
    path, kept = (drawing(body, unit=1.0, blend=blend, keep_order=keep) for keep in (False, True))
    assert path.length - pen_down_length(path) == pytest.approx(least, rel=1e-6)
    assert len(path.strokes) == len(kept.strokes)
    if not blend:
        assert pen_down_length(path) == pytest.approx(pen_down_length(kept), rel=1e-9)
    # Every stroke still ends where it begins.
    for first, last in path.strokes:
        assert path(first) == pytest.approx(path(last), abs=1e-9)


def test_nothing_begins_in_the_middle_of_a_straight_line(drawing):
    # The nearest point of the square is the middle of its right side.
    path = drawing('<path d="M0 0 H10 V10 H0 Z M12 5 h5"/>', unit=1.0, blend=0.0)
    assert path.length == pytest.approx(40.0 + 5.0 + math.hypot(2.0, 5.0))


@pytest.mark.parametrize("blend", [0.0, 0.5])
def test_a_corner_that_stays_sharp_stays_where_the_pen_stops(drawing, blend):
    # A drop whose only corner is where it begins, at the far side of another stroke. With a blend
    # corners are rounded; one that turns straight back is not.
    drops = ["M0 0 C10 -10 10 10 0 0", "M0 0 C9 0 9 5 9 5 C9 8 3 0 0 0"]
    for drop in drops:
        path = drawing(f'<path d="{drop} M20 0 h5"/>', unit=1.0, blend=blend)
        assert set(path.corners) <= set(np.ravel(path.strokes))


@pytest.mark.parametrize(("gap", "joined"), [(0.0, True), (1e-4, True), (1e-2, False)])
def test_strokes_that_all_but_touch_are_drawn_without_lifting_the_pen(drawing, gap, joined):
    # Of a size of 14: 1e-5 of that is 1.4e-4.
    body = f'<path d="M0 0 h10 M10 {gap} V10"/>'
    path = drawing(body, unit=1e-3, blend=0.0, keep_order=True)
    (_, end), (begin, _) = path.strokes
    assert (begin == end) == joined
    assert path.length == pytest.approx(0.02, rel=1e-5)
    assert np.isfinite(path.derivatives(np.linspace(0.0, 1.0, 101))).all()

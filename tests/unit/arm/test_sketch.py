"""How an arm shows itself: ASCII in a terminal, well-formed markup in a notebook."""

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from ulna import Arm, Friction, Joint, Link, Motor, Payload

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "a & b", "\"quoted\" 'twice'", "]]>", "&lt;", "</p>"]


def markup(arm):
    return ElementTree.fromstring(arm._repr_html_())


def shown_text(element):
    return "".join(element.itertext())


def test_the_text_says_what_differs_from_a_plain_rod():
    arm = Arm.of(
        [
            Link(0.5, 1.5),
            Link(0.25, 2.5, com=0.125, inertia=0.03125, tip_mass=0.75, com_offset=-0.5),
        ],
        [
            Joint(),
            Joint(
                math.radians(-150),
                math.radians(120),
                max_velocity=6.5,
                max_torque=2.25,
                damping=0.375,
                rotor_inertia=0.0625,
                gear_ratio=-50,
                friction=Friction(0.15625, 0.21875, drag=0.0078125),
                motor=Motor(12, 1, 0.02),
            ),
        ],
        gravity=(0.0, -1.625),
        base=(3.5, 4.5),
        payload=7.25,
    )
    head, first, second = repr(arm).splitlines()
    for words in ("reach 0.75 m", "payload 7.25 kg", "-1.625", "3.5", "4.5", "12 kg"):
        assert words in head
    for words in ("rod", "0.5 m", "1.5 kg"):
        assert words in first
    for words in ("0.125 m", "0.03125", "0.75 kg", "-0.5 m", "-150", "120 deg", "0.375", "motor"):
        assert words in second
    assert "friction 0.15625 (static 0.21875) N*m, drag 0.0078125 N*m*s^2/rad^2" in second
    assert "rod" not in second.replace("rotor", "")


def test_what_is_as_usual_is_not_said():
    text = repr(Arm.rods([1.0], [1.0]))
    for word in ("payload", "base", "tip mass", "damping", "offset", "["):
        assert word not in text


@pytest.mark.parametrize(("n", "left_out"), [(12, 0), (13, 2), (200, 189)])
def test_long_arms_show_their_first_and_last_links(n, left_out):
    lengths = [1.0 + k / 1024 for k in range(n)]
    rows = repr(Arm.rods(lengths, [1.0] * n)).splitlines()[1:]
    assert rows[-1].split()[0] == str(n)
    assert rows[0].split()[0] == "1"
    if left_out:
        assert f"({left_out} more)" in rows[-2]
        assert len(rows) - 1 + left_out == n
    else:
        assert len(rows) == n


@pytest.mark.parametrize("name", ["", "bras à 2 axes", *HOSTILE])
def test_the_markup_is_well_formed_and_shows_the_name_as_text(name):
    arm = Arm.rods([1, 0.5], [1, 1], name=name)
    assert repr(arm).isascii()
    tree = markup(arm)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= {
        "div", "p", "table", "tbody", "tr", "td", "th", "svg", "line", "circle", "polyline", "path",
        "g", "title", "rect",
    }  # fmt: skip
    if name.isascii() and "'" not in name:
        assert name in shown_text(tree)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_drawing_has_a_stroke_a_link_within_its_frame(n):
    arm = Arm.rods([1.0 + k % 3 for k in range(n)], [1.0] * n, payload=Payload(1.0))
    [svg] = markup(arm).iter(f"{SVG}svg")
    width, height = float(svg.get("width")), float(svg.get("height"))
    lines = list(svg.iter(f"{SVG}line"))
    assert len(lines) == n
    for line in lines:
        for end in "12":
            assert 0 <= float(line.get(f"x{end}")) <= width
            assert 0 <= float(line.get(f"y{end}")) <= height
    for before, after in pairwise(lines):
        assert before.get("x2") == after.get("x1")
        assert before.get("y2") == after.get("y1")


def test_the_drawing_is_to_scale():
    [svg] = markup(Arm.rods([1.0, 0.5], [1.0, 1.0])).iter(f"{SVG}svg")
    sizes = [
        math.hypot(*(float(line.get(f"{a}2")) - float(line.get(f"{a}1")) for a in "xy"))
        for line in svg.iter(f"{SVG}line")
    ]
    assert sizes[0] / sizes[1] == pytest.approx(2.0, rel=5e-3)

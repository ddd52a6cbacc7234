"""Units against their definitions (SI brochure, international yard and pound agreement of 1959)."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import problems_of as problems
from tabular import tabular
from ulna import units
from ulna.errors import InputError
from ulna.units import UNITS, format_si, from_si, parse_list, split_unit, suspicious_angle, to_si

INCH, FOOT, POUND = Fraction("0.0254"), Fraction("0.3048"), Fraction("0.45359237")
GRAVITY = Fraction("9.80665")
OUNCE = POUND / 16
ALL_UNITS = [(kind, unit) for kind, table in UNITS.items() for unit in table]


@tabular(
    ("text", "kind", "exact"),
    [
        ("1 in", "length", INCH),
        ("1 ft", "length", 12 * INCH),
        ("1 lb", "mass", POUND),
        ("16 oz", "mass", POUND),
        ("1 kg*cm", "torque", GRAVITY / 100),
        ("1 g*cm", "torque", GRAVITY / 100_000),
        ("1 oz*in", "torque", OUNCE * GRAVITY * INCH),
        ("1 lb*ft", "torque", POUND * GRAVITY * FOOT),
        ("1 lbf*in", "torque", POUND * GRAVITY * INCH),
        ("1 lbf", "force", POUND * GRAVITY),
        ("1 g*cm^2", "inertia", Fraction(1, 10**7)),
        ("1 lb*ft^2", "inertia", POUND * FOOT**2),
        ("1 oz*in^2", "inertia", OUNCE * INCH**2),
        ("1 ft/s^2", "acceleration", FOOT),
        ("1 kohm", "resistance", Fraction(1000)),
    ],
)
def test_units_follow_their_definitions(text, kind, exact):
    assert to_si(text, kind) == pytest.approx(float(exact), rel=5e-16)


@tabular(
    ("text", "kind", "radians"),
    [
        ("180 deg", "angle", math.pi),
        ("1 turn", "angle", 2 * math.pi),
        ("60 rpm", "speed", 2 * math.pi),
        ("0.5 rev/s", "speed", math.pi),
        ("1 N*m/deg", "stiffness", 180 / math.pi),
    ],
)
def test_turns_are_two_pi(text, kind, radians):
    assert to_si(text, kind) == pytest.approx(radians, rel=5e-16)


@tabular(("kind", "unit"), ALL_UNITS)
def test_every_unit_belongs_to_one_kind_and_reads_back_what_is_written(kind, unit):
    assert units.known_unit(unit) == (kind, unit)
    assert from_si(to_si(f"7 {unit}", kind), unit, kind) == pytest.approx(7.0, rel=5e-16)
    for ascii_only in (True, False):
        shown = format_si(to_si(f"-2.5 {unit}", kind), unit, kind, ascii=ascii_only)
        assert shown.startswith("-2.5 ")
        assert shown.isascii() or not ascii_only
        assert to_si(shown, kind) == pytest.approx(to_si(f"-2.5 {unit}", kind), rel=5e-16)


@given(st.decimals(min_value=0, max_value=10_000, places=2))
def test_decimal_prefixes_are_correctly_rounded(decimal):
    assert to_si(f"{decimal} m", "length") == float(decimal)
    whole = int(decimal)
    assert to_si(f"{whole} cm", "length") == float(Fraction(whole, 100))
    assert to_si(f"{whole} g", "mass") == float(Fraction(whole, 1000))


SERVOS = [
    "kg*cm",
    "kg⋅cm",
    "kg cm",
    "kg-cm",
    "kg.cm",
    "kg * cm",
    "kgf*cm",
    "kgcm",
    "KG*CM",
    "cm*kg",
]


@tabular(
    ("texts", "kind", "si"),
    [
        ([f"20{space}{unit}" for unit in SERVOS for space in ("", " ")], "torque", 1.96133),
        (["1 N*m", "1 Nm", "1 N m", "1 N-m", "1 N·m", "1 NM", "1000 mNm", "1 N*M"], "torque", 1.0),
        (["1 kg*m^2", "1 kg*m**2", "1 kg·m²", "1 kg m ^ 2", "1 kg-m^2"], "inertia", 1.0),
        (["1 N*m*s/rad", "1 Nm*s/rad", "1 N·m·s", "1 Nms", "1 N*m/(rad/s)"], "damping", 1.0),
        (["1 m/s^2", "1 m / s**2", "1 m/s²"], "acceleration", 1.0),
        (["1 µs", "1 μs", "1 us"], "time", 1e-6),
        (["2 h", "2 hr", "2 Hours", "120 min", "120 Minutes"], "time", 7200.0),
        (["1 kΩ", "1 k\u2126", "1 kOhm"], "resistance", 1000.0),
        (["1 rpm", "1 RPM"], "speed", math.pi / 30),
        (["90 deg", "90°", "90 °", "90 Deg", "90 degrees", "90º"], "angle", math.pi / 2),
        (["−40 deg", "-40 deg", "-40deg"], "angle", math.radians(-40)),
        (["1 m", "1 meter", "1 Metre", "1 M"], "length", 1.0),
        ([".5", "0.5", "+5e-1", "5E-1", "0.5 ", "  0.5", 0.5, np.float32(0.5)], "number", 0.5),
        (["1_000 mm", "1000 mm", 1, np.int64(1), Fraction(1)], "length", 1.0),
        (["3 lb-ft", "3 ft-lb", "3 ft lbf", "36 in*lb"], "torque", 3 * 1.3558179483314004),
    ],
)
def test_tolerated_spellings_mean_the_same(texts, kind, si):
    for text in texts:
        assert to_si(text, kind) == pytest.approx(si, rel=1e-15)


def test_milli_and_mega_are_never_confused():
    assert to_si("1 MN*m", "torque") == 1e9 * to_si("1 mN*m", "torque")
    assert to_si("1 MNm", "torque") == to_si("1 Mn*m", "torque") == 1e6
    for text, kind in [("1 MS", "time"), ("1 MM", "length"), ("1 MA", "current")]:
        assert problems(lambda text=text, kind=kind: to_si(text, kind))


def test_letters_that_mean_two_units_keep_their_case():
    assert to_si("1 h", "time") == 3600.0
    assert to_si("1 H", "inductance") == 1.0
    assert "inductance" in problems(lambda: to_si("1 H", "time"))[0].hint


def test_a_unit_of_another_kind_or_of_none_is_named():
    (problem,) = problems(lambda: to_si("5 kg", "length", what="link.1.length"))
    assert (problem.what, problem.got) == ("link.1.length", "'5 kg'")
    assert problem.hint == "'kg' is a unit of mass"
    (problem,) = problems(lambda: to_si("5 metrs", "length"))
    assert all(unit in problem.need for unit in UNITS["length"])
    assert problem.hint in ("did you mean 'meters'?", "did you mean 'metres'?")
    assert problems(lambda: to_si("5 MIN", "time"))[0].hint == "did you mean 'min'?"
    assert problems(lambda: to_si("5 qqqq", "time"))[0].hint == ""
    assert "without a unit" in problems(lambda: to_si("5 qqqq", "number"))[0].need
    assert "length" in problems(lambda: to_si("5 m", "number"))[0].hint
    assert problems(lambda: to_si("5 " + "m" * 1000, "length"))


@tabular(
    "value",
    [
        *("nan", "inf m", "-inf", "1e999", "1e308 km", math.nan, -math.inf, 10**400),
        *("", " ", "m", "abc", "1__0", "_5", "1,5 m", "5 - m", "--5", "9" * 2000, "\ud800", "٣ m"),
        *(True, None, [1.0], {}, b"5", 1j, np.bool_(True)),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_finite_quantity_is_refused_by_name(value):
    (problem,) = problems(lambda: to_si(value, "length", what="x"))
    assert problem.what == "x"
    assert len(problem.got) < 130
    assert problem.need in ("a length such as '25 cm'", "a finite number")


@tabular(
    ("text", "number", "unit"),
    [
        ("pi/4 rad", "pi/4", "rad"),
        ("pi/4", "pi/4", ""),
        ("2*pi°", "2*pi", "°"),
        ("2*pi N m", "2*pi", "N m"),
        ("atan2(1, 2) rad", "atan2(1, 2)", "rad"),
        ("(1+2)m/s", "(1+2)", "m/s"),
        ("1e-3 m", "1e-3", "m"),
        ("−1 m", "-1", "m"),
        ("deg", "", "deg"),
        ("30 - 20 deg", "30 - 20", "deg"),
        ("2*m", "2*m", ""),
    ],
)
def test_the_unit_is_split_from_the_number(text, number, unit):
    assert split_unit(text) == (number, unit)


def test_a_hook_evaluates_what_is_no_literal():
    values = {"pi/4": math.pi / 4, "-pi/3": -math.pi / 3}
    hook = values.__getitem__
    assert to_si("pi/4", "angle", number=hook) == math.pi / 4
    assert to_si("pi/4 turn", "angle", number=hook) == math.pi**2 / 2
    assert parse_list("pi/4, -pi/3", "angle", number=hook) == list(values.values())
    assert to_si("3 deg", "angle", number=hook) == math.radians(3)


def test_a_hooks_own_error_comes_through_and_a_plain_one_is_explained():
    def refuse(text):
        raise InputError(f"cannot read {text}")

    with pytest.raises(InputError, match="cannot read pie"):
        to_si("pie", "angle", number=refuse)
    assert (
        "cannot read pie" in problems(lambda: parse_list("1, pie", "angle", number=refuse))[0].need
    )
    assert problems(lambda: to_si("pie", "angle", number=float))[0].got == "'pie'"
    assert problems(lambda: to_si("x", "angle", number=lambda _: math.inf))


def test_a_list_shares_the_unit_of_its_last_item():
    forty, sixty = math.radians(40), math.radians(-60)
    assert parse_list("40 deg, -60 deg", "angle") == pytest.approx([forty, sixty], rel=1e-15)
    assert parse_list("40, −60 deg", "angle") == parse_list("40 deg; -60deg", "angle")
    assert parse_list("10, 0 N", "force") == [10.0, 0.0]
    assert parse_list("1, 2", "length") == [1.0, 2.0]
    assert parse_list("1 cm, 2", "length") == [0.01, 2.0]
    assert parse_list("10 cm, 2, 3 cm", "length") == [0.1, 2.0, 0.03]
    assert parse_list("5 cm", "length") == [0.05]


def test_a_comma_within_parentheses_does_not_separate():
    values = parse_list("atan2(1, 2), 3", "angle", number=lambda text: float(len(text)))
    assert values == [len("atan2(1, 2)"), 3.0]


def test_all_problems_of_a_list_are_reported_at_once():
    found = problems(lambda: parse_list("1,, x, 3 kg, 1e999", "force", what="load"))
    assert [problem.what for problem in found] == ["load.2", "load.3", "load.4", "load.5"]
    found = problems(lambda: parse_list("1, 2, 3 kg", "force"))
    assert [problem.what for problem in found] == ["item 3"]
    assert [p.what for p in problems(lambda: parse_list("", "force", what="load"))] == ["load.1"]
    assert problems(lambda: parse_list("1e308, 1 km", "length"))[0].what == "item 1"
    assert "lists" in problems(lambda: parse_list(5, "force"))[0].need


def test_numbers_are_written_in_the_unit_that_is_asked_for():
    assert format_si(math.radians(30), "deg", "angle") == "30 deg"
    assert format_si(math.radians(30), "°", "angle") == "30 deg"
    assert format_si(to_si("12 kg*cm", "torque"), "kg*cm", "torque") == "12 kg·cm"
    assert format_si(to_si("12 kg*cm", "torque"), "kg cm", "torque", ascii=True) == "12 kg*cm"
    assert format_si(1e-7, "g*cm^2", "inertia") == "1 g·cm²"
    assert format_si(math.pi, "rad", "angle", digits=3) == "3.14 rad"
    assert format_si(-0.0, "m", "length") == "0 m"
    assert format_si(1234567.0, "m", "length", digits=8) == "1234567 m"
    assert problems(lambda: format_si(1.0, "kg", "length"))


@given(st.floats(-1e6, 1e6))
def test_a_bare_angle_is_suspicious_beyond_a_turn(value):
    beyond = abs(value) > 2 * math.pi
    assert bool(suspicious_angle(value)) is beyond
    assert not beyond or f"{value:g} deg" in suspicious_angle(value)
    assert suspicious_angle(math.inf) == suspicious_angle(math.nan) == ""

"""Laws of robot files: whatever the text, the outcome is an arm or an `InputError`, soon.

An arm that is accepted can be shown, and written and read back unchanged; a refusal names a line
of the file in words that fit a terminal.
"""

import math
import time

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ulna import Arm, Friction, InputError, Joint, Link, Motor, Payload
from ulna.arm.robot_files import KEYS, TOP, dumps, parse, template

thorough = settings(max_examples=400, deadline=None)
SOON = 1.0  # [s] of processor time for one text, hundreds of times what the slowest takes

PLAIN = "format = 1\n[[link]]\nlength = 1\nmass = 1\n"
DESK_ARM = """\
format = 1
name = "desk arm"
gravity = [0.0, -9.81]
base = ["1 cm", 0]
payload = { mass = "100 g", inertia = 0.001 }

[[link]]
length = "25 cm"
mass = "400 g"
tip_mass = "80 g"          # the elbow motor
[link.joint]
friction.coulomb = "1 N*cm"
rotor_inertia = "50 g*cm^2"
gear_ratio = -50

[[link]]
length = "20 cm"
mass = "250 g"
com = 0.1
joint = { lower = "-150 deg", upper = 2, max_torque = "30 kg*cm", damping = 0.02 }
[link.joint.motor]
voltage = 12
resistance = "1.5 ohm"
torque_constant = 0.02
name = 'RE "25"'
"""
# An inline table is closed: the joint is written inline, or as the table that holds the motor.
VALID = [
    DESK_ARM[: DESK_ARM.index("[link.joint.motor]")],
    DESK_ARM.replace("joint = {", "# joint = {"),
    template(2),
    PLAIN,
]

NASTY = [
    "nan", "-inf", "1e999", "-1e308", "1e308", "1e200", "5e-324", "1e-200", "0", "-0.0", "-1",
    "1" + "0" * 400, "-1" + "0" * 400, "9" * 5000, "0x" + "f" * 5000, "0b1", "true", "[]", "{}",
    "[[]]", "[nan, nan]", "[0, 0, 0]", "{ mass = {} }", "''", '""', "'25 cm'", "'25 furlongs'",
    "'nan m'", "'1e999 kg'", "'-1 deg'", '"\\u0000"', '"\\u001b[31m"', '"\\ud800"', '"\\n"',
    "'''\n[[link]]\n'''", "1979-05-27", "25:61:61", "1979-13-45", "[" * 300 + "]" * 300,
    "[" * 5000, "{a=" * 60 + "1" + "}" * 60, "'" + "x" * 3000 + "'", "x.y.z", "#", "=", "\n",
    "[[link]]\n", "[link]\n", "[link.joint]\n", "link = 3\n", "\x00", "\ufeff", "\u2028", "\r",
    " " * 60, "\t", '"', "'", '"""', "\\", "é", "𝟙", "a" + ".a" * 300,
]  # fmt: skip


def outcome(text):
    start = time.thread_time()
    try:
        arm, doubts = parse(text, "arm.toml")
    except InputError as error:
        check_refusal(error, text)
    else:
        check_places(doubts, text)
        check_arm(arm)
    assert time.thread_time() - start < SOON


def check_refusal(error, text):
    assert error.problems
    check_places(error.problems, text)


def check_places(problems, text):
    for problem in problems:
        assert str(problem).isprintable()
        name, _, line = problem.place.partition(":")
        assert name == "arm.toml"
        assert not line or 1 <= int(line) <= text.count("\n") + 1


def check_arm(arm):
    assert isinstance(arm, Arm)
    assert repr(arm).isascii()
    assert arm._repr_html_().startswith("<")
    assert math.isfinite(arm.reach)
    assert math.isfinite(arm.mass)
    unbounded = {"lower", "upper", "max_velocity", "max_torque"}
    for name, array in arm.parameters._asdict().items():
        assert name in unbounded or np.isfinite(array).all()
    again, _ = parse(dumps(arm))
    assert again == arm


tokens = st.sampled_from(
    [
        *TOP, *KEYS[Link], *KEYS[Joint], *KEYS[Friction], "joint", "friction", "motor",
        " = ", " = 1\n", "\n", "[[link]]\n", "[", "]", "{", "}", ",", ".", "#", '"', "'", "1",
        "'1 m'", *NASTY,
    ]
)  # fmt: skip


def test_the_files_to_be_mutated_are_valid():
    for text in VALID:
        assert isinstance(parse(text)[0], Arm)


@thorough
@given(st.text())
def test_any_text_is_read_or_refused_in_words(text):
    outcome(text)


@thorough
@given(st.lists(tokens, max_size=30).map("".join))
def test_any_words_of_the_format(text):
    outcome(text)


@st.composite
def mutated(draw):
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        change = draw(st.sampled_from(["delete", "repeat", "replace", "swap"]))
        if change == "delete":
            text = text[:start] + text[end:]
        elif change == "repeat":
            text = text[:end] + text[start:end] + text[end:]
        elif change == "replace":
            text = text[:start] + draw(st.sampled_from(NASTY) | st.text(max_size=5)) + text[end:]
        else:
            lines = text.split("\n")
            index = draw(st.integers(0, len(lines) - 1))
            key = lines[index].partition("=")[0]
            lines[index] = f"{key}= {draw(st.sampled_from(NASTY))}"
            text = "\n".join(lines)
    return text


@thorough
@given(mutated())
@example(PLAIN.replace("length = 1", "length = 1e200"))
@example(PLAIN + "joint.lower = -1" + "0" * 400)
@example("name" + ".a" * 400 + " = 1\n" + PLAIN)
@example(PLAIN + '"\\u001b[31m" = 1\n')
def test_valid_files_with_a_few_mutations(text):
    outcome(text)


def written(value):
    """Write a value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(v) for v in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > 10**1000:
        return hex(value)
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text):
    return '"' + "".join(
        c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in text
    ) + '"'  # fmt: skip


quantities = st.builds(
    "{!r}{}".format,
    st.floats() | st.integers(),
    st.sampled_from(["", " m", " cm", " kg", " deg", " N*m", " rpm", " V", " ohm", " x"]),
)
numbers = st.floats() | st.integers() | st.sampled_from([10**400, -(10**400), 2**20000])
scalars = numbers | quantities | st.booleans() | st.text(max_size=6)
PATHS = [
    *TOP,
    *(f"link.{key}" for key in (*KEYS[Link], "joint")),
    *(f"link.joint.{key}" for key in (*KEYS[Joint], "friction", "motor")),
    *(f"link.joint.friction.{key}" for key in KEYS[Friction]),
    *(f"link.joint.motor.{key}" for key in KEYS[Motor]),
    *(f"payload.{key}" for key in KEYS[Payload]),
]
keys = st.sampled_from(sorted({path.rpartition(".")[2] for path in PATHS})) | st.text(max_size=6)
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(keys, scalars, max_size=2)
raw_values = st.sampled_from([value for value in NASTY if "\n" not in value]) | st.builds(
    written, values
)


@thorough
@given(st.lists(st.tuples(st.sampled_from(PATHS), raw_values), min_size=1, max_size=3))
def test_known_keys_with_any_values(changes):
    """Set keys of a plain arm, each in its own line, as dotted keys of its table."""
    tables = {"": {"format": "1"}, "link": {"length": "1", "mass": "1"}}
    for path, value in changes:
        table, _, key = path.partition(".") if path.startswith("link.") else ("", "", path)
        tables[table][key] = value
    link = "" if "link" in tables[""] else "[[link]]\n" + lines_of(tables["link"])
    outcome(lines_of(tables[""]) + link + "[[link]]\nlength = 1\nmass = 1\n" * bool(link))


def lines_of(table):
    return "".join(f"{key} = {value}\n" for key, value in table.items())


@thorough
@given(st.dictionaries(keys, raw_values, max_size=2))
def test_any_keys_with_any_values(document):
    outcome(lines_of({quoted(key): value for key, value in document.items()}))

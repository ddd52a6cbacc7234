"""Robot files, format 1: what is read, what is written, and every refusal."""

import math
import re
from contextlib import suppress

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import ulna
from refusals import REQUIRED, problems_of
from tabular import tabular
from ulna import Arm, Friction, InputError, Joint, Link, Motor, Payload, UlnaWarning
from ulna.arm.motors import MOTOR_KINDS
from ulna.arm.robot_files import NUMBERS, dumps, parse

PLAIN = "format = 1\n[[link]]\nlength = 1\nmass = 1\n"


def arm_of(text):
    arm, doubts = parse(text)
    assert doubts == []
    return arm


def problems(text):
    return problems_of(lambda: parse(text, "arm.toml"))


def places(text):
    return [(problem.place, problem.what) for problem in problems(text)]


# Reading


def test_a_short_file_has_the_defaults():
    assert arm_of(PLAIN) == Arm.rods([1.0], [1.0])


def test_values_of_the_head_are_read_with_their_units():
    arm = arm_of("""
format = 1
name = "all of it"
gravity = ["0 m/s^2", "-981 cm/s^2"]
base = ["10 cm", "2 m"]
payload = "500 g"
[[link]]
length = 1
mass = 1
joint.motor = { voltage = 12, resistance = 2, torque_constant = 1, name = "RE 25" }
""")
    assert (arm.name, arm.gravity, arm.base) == ("all of it", (0.0, -9.81), (0.1, 2.0))
    assert arm.payload == Payload(0.5)
    assert arm.joints[0].motor == Motor(12.0, 2.0, 1.0, name="RE 25")


# Each numeric key of any part, with a unit and in SI units, or the number that has none.
QUANTITIES = {
    "length": ("1 ft", 0.3048),
    "mass": ("2 lb", 0.90718474),
    "com": ("3 in", 0.0762),
    "inertia": ("4 g*m^2", 0.004),
    "tip_mass": ("16 oz", 0.45359237),
    "com_offset": ("-5 mm", -0.005),
    "lower": ("-0.25 turn", -math.pi / 2),
    "upper": ("90 deg", math.pi / 2),
    "max_velocity": ("30 rpm", math.pi),
    "max_torque": ("100 N*cm", 1.0),
    "damping": ("20 mN*m*s/rad", 0.02),
    "rotor_inertia": ("50 g*cm^2", 5e-6),
    "gear_ratio": ("-50", -50.0),
    "coulomb": ("10 N*cm", 0.1),
    "static": ("150 mN*m", 0.15),
    "stribeck_velocity": ("6 deg/s", math.pi / 30),
    "drag": ("4 mN*m*s^2/rad^2", 0.004),
    "voltage": ("1200 mV", 1.2),
    "resistance": ("1500 mohm", 1.5),
    "torque_constant": ("20 mN*m/A", 0.02),
    "back_emf_constant": ("0.03 V*s/rad", 0.03),
    "rated_torque_constant": ("18 mN*m/A", 0.018),
    "inductance": ("400 uH", 4e-4),
    "no_load_current": ("80 mA", 0.08),
    "max_current": ("2500 mA", 2.5),
    "efficiency": ("0.8", 0.8),
    "backdriving_efficiency": ("0.7", 0.7),
    "stall_torque": ("20 kg*cm", 1.96133),
    "no_load_speed": ("60 rpm", 2 * math.pi),
    "stiffness": ("1 N*m/deg", 180 / math.pi),
    "max_speed": ("600 rpm", 20 * math.pi),
    "dead_band": ("0.3 deg", math.pi / 600),
    "update_rate": ("1 kHz", 1000.0),
    "holding_torque": ("30 N*cm", 0.3),
    "corner_speed": ("1 turn/s", 2 * math.pi),
    "step_angle": ("1.8 deg", math.pi / 100),
    "microsteps": ("16", 16.0),
    "thermal_resistance": ("10 K/W", 10.0),
    "thermal_capacity": ("4 kJ/K", 4000.0),
    "max_temperature": ("130 degC", 130.0),
    "derating_from": ("100 degC", 100.0),
    "ambient": ("30 degC", 30.0),
    "copper_coefficient": ("0.004", 0.004),
    "magnet_coefficient": ("-0.002", -0.002),
    "gap": ("0.5 deg", math.pi / 360),
}


@tabular("kind", NUMBERS)
def test_every_number_is_read_in_its_unit(kind):
    for key in NUMBERS[kind]:
        text, value = QUANTITIES[key]
        arm, _ = parse(with_value(kind, key, f"'{text}'")[0])
        joint = arm.joints[0]
        parts = [*arm.links, arm.payload, joint, joint.friction, joint.motor]
        parts += [getattr(joint.motor, name, None) for name in ("heat", "backlash")]
        (part,) = [part for part in parts if type(part) is kind]
        assert getattr(part, key) == pytest.approx(value, rel=1e-15), key


@pytest.mark.parametrize(
    "payload", ["0.5", '"500 g"', "{ mass = 0.5 }", '{ mass = "0.5 kg", inertia = 0 }']
)
def test_a_payload_is_a_mass_or_a_table(payload):
    assert arm_of(f"payload = {payload}\n{PLAIN}").payload == Payload(0.5)


@pytest.mark.parametrize(
    "spelling",
    [
        "joint = { lower = -1, friction = { coulomb = 2 } }",
        "joint.lower = -1\njoint.friction.coulomb = 2",
        "[link.joint]\nlower = -1\nfriction.coulomb = 2",
        "[link.joint]\nlower = -1\n[link.joint.friction]\ncoulomb = 2",
        '"joint" . lower = -1.0\njoint.friction = { "coulomb" = 2.0 }',
    ],
)
def test_tables_are_written_in_any_way_that_toml_has(spelling):
    assert arm_of(PLAIN + spelling).joints == (Joint(lower=-1, friction=Friction(2)),)


def test_links_may_be_an_array_of_inline_tables():
    text = "format = 1\nlink = [\n  { length = 1, mass = 2 },\n  { length = 3, mass = 4 },\n]\n"
    assert arm_of(text) == Arm.rods([1, 3], [2, 4])


def test_marks_and_line_endings_do_not_matter(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_bytes(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())
    assert ulna.load(file) == ulna.load(str(file)) == arm_of(PLAIN)


# Refusing: one fault


@pytest.mark.parametrize(
    ("text", "line", "what", "said"),
    [
        (PLAIN.replace("length", "lenght"), 2, "link.1.length", "nothing"),
        (PLAIN.replace("length", "lenght"), 3, "link.1.lenght", "did you mean 'length'?"),
        ("nmae = 'x'\n" + PLAIN, 1, "nmae", "did you mean 'name'?"),
        (PLAIN + "joint.friction.colomb = 1", 5, "link.1.joint.friction.colomb", "'coulomb'"),
        (PLAIN + "joint.motor.voltge = 12", 5, "link.1.joint.motor.voltage", "nothing"),
        (PLAIN + "zzz = 1", 5, "link.1.zzz", "known: length, mass"),
    ],
)
def test_an_unknown_key_suggests_the_nearest(text, line, what, said):
    [problem] = [p for p in problems(text) if p.what == what]
    assert problem.place == f"arm.toml:{line}"
    assert said in str(problem)


# Where the numbers of a part stand, behind `PLAIN`.
MOTOR_TABLE = "[link.joint.motor]\n"
DC_MOTOR = MOTOR_TABLE + "voltage = 12\nresistance = 2\ntorque_constant = 0.02\n"
HEADERS = {
    Joint: "[link.joint]\n",
    Friction: "[link.joint.friction]\n",
    Payload: "[payload]\n",
    ulna.WindingHeat: f"{DC_MOTOR}[link.joint.motor.heat]\n",
    ulna.Backlash: f"{DC_MOTOR}rotor_inertia = 1e-6\n[link.joint.motor.backlash]\n",
    **{kind: f"{MOTOR_TABLE}kind = '{name}'\n" for name, kind in MOTOR_KINDS.items()},
}
NOT_QUANTITIES = [
    *("nan", "-nan", "inf", "-inf", "1e999", "true", "''", "'x'", "[1]", "{}", "1979-05-27"),
    *("'1 furlong'", "'nan'", "'1e999 m'", "1" + "0" * 400, "0x" + "f" * 5000),
    "'" + "9" * 5000 + "'",
]


def with_value(kind, key, value):
    """Return a file whose last line is a key of a part, and what problems call the key."""
    given = REQUIRED[kind] | {key: None}
    lines = "".join(f"{one} = {number}\n" for one, number in given.items() if one != key)
    head = "format = 1\n[[link]]\n" if kind is Link else PLAIN + HEADERS[kind]
    tables = re.findall(r"\[([a-z.]+)\]", head)
    return f"{head}{lines}{key} = {value}\n", f"{tables[-1].replace('link', 'link.1')}.{key}"


@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.__name__)
def test_what_is_no_finite_quantity_is_refused_where_it_stands(kind):
    for key, number in NUMBERS[kind].items():
        below = [] if number.least is None else [f"{number.least - 1}"]
        above = [] if number.above is None else [f"{number.above}", "-0.5"]
        for value in [*NOT_QUANTITIES, *below, *above]:
            text, what = with_value(kind, key, value)
            assert places(text) == [(f"arm.toml:{text.count(chr(10))}", what)], value


def test_no_mass_is_refused_where_the_matrix_would_be_singular():
    hollow = "[[link]]\nlength = 1\nmass = 0\n"
    assert places(PLAIN + hollow) == [("arm.toml:7", "link.2.mass")]
    assert arm_of("format = 1\n" + hollow + "[[link]]\nlength = 1\nmass = 1\n").n == 2
    assert arm_of("payload = 1\nformat = 1\n" + hollow).n == 1


@tabular(
    ("text", "what"),
    [
        ("format = 2", "format"),
        ("format = 0x" + "f" * 5000, "format"),
        ("", "format"),
        ("format = 1\nname = 3", "name"),
        ('format = 1\nname = "a\\nb"', "name"),
        ("format = 1\ngravity = 9.81", "gravity"),
        ("format = 1\ngravity = [0, -9.81, 0]", "gravity"),
        ("format = 1\ngravity = [0, inf]", "gravity.y"),
        ("format = 1\nbase = ['1 kg', 0]", "base.x"),
        ("format = 1\npayload = []", "payload"),
        ("format = 1\npayload = {}", "payload.mass"),
    ],
)
def test_the_head_of_a_file_is_checked(text, what):
    text += "\n[[link]]\nlength = 1\nmass = 1\n"
    [(place, found)] = places(text)
    assert found in (what, f"{what}.mass")
    assert place == f"arm.toml:{2 if text.startswith('format = 1') and what != 'format' else 1}"


@tabular("link", ["", "link = 1", "link = []", "[link]\nlength = 1\nmass = 1"])
def test_there_is_a_table_for_every_link(link):
    assert [what for _, what in places(f"format = 1\n{link}")] == ["link"]
    links = "format = 1\nlink = [{length=1, mass=1}, 3, []]"
    assert [what for _, what in places(links)] == ["link.2", "link.3"]


@tabular("part", ["joint", "joint.friction", "joint.motor"])
@tabular("value", ["1", "'x'", "[{}]"])
def test_parts_are_tables(part, value):
    assert places(PLAIN + f"{part} = {value}") == [("arm.toml:5", f"link.1.{part}")]


def test_what_a_part_needs_is_named():
    assert [what for _, what in places(PLAIN + "joint.motor = {}")] == [
        f"link.1.joint.motor.{key}" for key in ("voltage", "resistance", "torque_constant")
    ]
    assert [what for _, what in places("format = 1\n[[link]]\n")] == [
        "link.1.length",
        "link.1.mass",
    ]


# Refusing: all faults, in the order of the lines


def test_all_problems_come_at_once_in_the_order_of_the_file():
    text = """\
format = 3
gravty = [0, 0]

[[link]]
length = -1
mass = "2 furlongs"

[[link]]
lenght = 1
joint = { lower = 1, upper = -1, damping = nan }
mass = 1
"""
    found = places(text)
    assert sorted(found) == sorted(
        [
            ("arm.toml:1", "format"),
            ("arm.toml:2", "gravty"),
            ("arm.toml:5", "link.1.length"),
            ("arm.toml:6", "link.1.mass"),
            ("arm.toml:8", "link.2.length"),
            ("arm.toml:9", "link.2.lenght"),
            ("arm.toml:10", "link.2.joint.lower"),
            ("arm.toml:10", "link.2.joint.damping"),
        ]
    )
    lines = [int(place.partition(":")[2]) for place, _ in found]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("format = 1\nname = \n", "arm.toml:2"),
        ("format = 1\n[[link]]\nlength = 1\nlength = 2\n", "arm.toml:4"),
        ("format = 1\n[[link]\n", "arm.toml:2"),
        ("format = 1\nname = 'a", "arm.toml"),
        ("format = 1\nx = 1979-13-45\n", "arm.toml:2"),
        ("format = " + "1" * 5000, "arm.toml"),
        ("x = " + "[" * 10_000 + "]" * 10_000, "arm.toml"),
        ("x = " + "{a=" * 10_000 + "1" + "}" * 10_000, "arm.toml"),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_no_toml_is_refused_with_its_line(text, place):
    [problem] = problems(text)
    assert problem.place.startswith(place)


def test_a_key_cannot_write_to_the_terminal():
    for key in ("\\u001b[31m", "a\\nb", "\\u0007"):
        [problem] = problems(PLAIN + f'"{key}" = 1\n')
        assert str(problem).isprintable()


# Files


@pytest.mark.parametrize("name", ["arm.sdf", "arm.CSV", "arm.parquet", "arm.zarr"])
def test_a_robot_file_is_not_written_under_the_name_of_another_kind(tmp_path, name):
    with pytest.raises(InputError, match=r"need a name that ends in \.toml, \.urdf"):
        ulna.save(ulna.preset("unit"), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["ARM.XACRO", "arm.sdf"])
def test_descriptions_of_other_programs_are_told_what_to_write(tmp_path, name):
    [problem] = problems_of(lambda: ulna.load(tmp_path / name))
    assert (problem.what, problem.place) == ("format", str(tmp_path / name))
    assert "`ulna new arm.toml --links 2`" in problem.hint


def test_results_are_no_robot_files(tmp_path):
    [problem] = problems_of(lambda: ulna.load(tmp_path / "batch.zarr"))
    assert problem.what == "format"
    assert "ulna.open_batch(" in problem.hint


# Doubts


@pytest.mark.parametrize("value", ["-150", "-150.0", '"-150"'])
def test_an_angle_that_was_meant_in_degrees_is_doubted(tmp_path, value):
    file = tmp_path / "arm.toml"
    file.write_text(PLAIN + f"joint = {{ lower = {value}, upper = 2.5 }}\n")
    with pytest.warns(UlnaWarning) as caught:
        arm = ulna.load(file)
    [warning] = caught
    assert "did you mean -150 deg?" in str(warning.message)
    assert str(warning.message).startswith(f"{file}:5: link.1.joint.lower: ")
    assert warning.filename == __file__
    assert arm.joints[0].lower == -150.0


@pytest.mark.parametrize("value", ["-2.5", '"-150 deg"', '"-150 rad"', "-6.28"])
def test_an_angle_with_its_unit_or_within_a_turn_is_not_doubted(value):
    arm_of(PLAIN + f"joint = {{ lower = {value} }}\n")


def test_doubts_come_with_every_line_that_earns_one():
    text = PLAIN + "inertia = 5\njoint = { lower = -90, upper = 90 }\n"
    _, doubts = parse(text, "arm.toml")
    assert sorted((d.place, d.what) for d in doubts) == [
        ("arm.toml:5", "link.1.inertia"),
        ("arm.toml:6", "link.1.joint.lower"),
        ("arm.toml:6", "link.1.joint.upper"),
    ]


# Writing


# Not −0.0, which equals the 0.0 that a file leaves out.
place = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)
names = st.text(max_size=8).filter(str.isprintable) | st.sampled_from(
    ['"quoted"', "it's", "back\\slash", "\\n", "τ·µ", "机械臂", "'''", '"""', "# no", "[[link]]"]
)


def value_of(number):
    """Return what draws a number within the bounds of its table."""
    if number.above is None and number.least is None:
        return place
    low = number.least if number.above is None else number.above
    drawn = st.floats(low, low + 1e3, exclude_min=number.above is not None)
    return drawn.map(lambda x: x + 0.0)


@st.composite
def parts(draw, kind, **others):
    """Draw a part with some of the numbers of its table; a plain one if they do not agree."""
    given = {
        name: draw(value_of(number))
        for name, number in NUMBERS[kind].items()
        if number.needed or draw(st.booleans())
    }
    given |= {name: draw(other) for name, other in others.items()}
    try:
        return kind(**given)
    except InputError:
        return kind(**REQUIRED[kind])


dc_motors = parts(
    Motor,
    name=names,
    command=st.sampled_from(["torque", "current", "voltage"]),
    heat=st.none() | parts(ulna.WindingHeat),
    backlash=st.none() | parts(ulna.Backlash),
)
others = [parts(kind, name=names) for kind in MOTOR_KINDS.values() if kind is not Motor]
motors = st.none() | st.one_of(dc_motors, *others)
joints = parts(Joint, friction=st.none() | parts(Friction), motor=motors)


@st.composite
def arms(draw):
    links = draw(st.lists(st.tuples(parts(Link), joints), min_size=1, max_size=3))
    try:
        return Arm(
            *zip(*links, strict=True),
            gravity=draw(st.just((0.0, -9.81)) | st.tuples(place, place)),
            base=draw(st.tuples(place, place)),
            payload=draw(parts(Payload)),
            name=draw(names),
        )
    except InputError:  # a link without mass, beyond which there is none
        reject()


@tabular("kind", NUMBERS)
def test_every_number_of_a_part_is_read_and_written(kind):
    for key in NUMBERS[kind]:
        written = []
        for value in ("0.7", "70.0"):
            with suppress(InputError):  # which some other number rules out
                arm, _ = parse(with_value(kind, key, value)[0])
                assert parse(dumps(arm))[0] == arm
                written.append(f"{key} = {value}" in dumps(arm))
        assert written, key
        assert all(written), key


@settings(max_examples=150, deadline=None)
@given(arms())
def test_what_is_written_is_read_back_to_the_last_bit(arm):
    again, _ = parse(dumps(arm))
    assert again == arm
    for ours, theirs in zip(again.parameters, arm.parameters, strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("name", ulna.presets())
def test_presets_survive_a_file(tmp_path, name):
    arm, file = ulna.preset(name), tmp_path / "arm.toml"
    ulna.save(arm, file)
    if name in ("kehl-as-printed", "ductri"):
        with pytest.warns(UlnaWarning, match="inertia"):
            again = ulna.load(file)
    else:
        again = ulna.load(file)
    assert again == arm
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.toml"]


def test_a_file_says_only_what_differs_from_the_defaults():
    text = dumps(Arm.rods([0.5], [2.0]))
    keys = [line.split(" = ")[0] for line in text.splitlines() if "=" in line and line[0] != "#"]
    assert keys == ["format", "length", "mass"]


# Motors


def keys(values):
    return ", ".join(f"{key} = {value!r}" for key, value in values.items())


DC = keys(REQUIRED[Motor])


@pytest.mark.parametrize(
    ("motor", "what", "hint"),
    [
        ("'feetech-sts3215'", "", "did you mean 'feetech-sts3215-7v4'?"),
        ("3", "", ""),
        ("{ kind = 'servos' }", ".kind", "did you mean 'servo'?"),
        ("{ kind = 'brushless' }", ".kind", "known: dc, torque-speed, servo"),
        ("{ kind = 'ideal', voltage = 3 }", ".voltage", "known: name"),
        ("{ " + DC + ", effciency = 1 }", ".effciency", "did you mean 'efficiency'?"),
        ("{ " + DC + ", command = 'speed' }", ".command", ""),
        ("{ " + DC + ", heat = 3 }", ".heat", ""),
        ("{ " + DC + ", heat = { ambient = 20 } }", ".heat.thermal_resistance", ""),
    ],
)
def test_what_is_wrong_with_a_motor_in_a_file_is_named(motor, what, hint):
    found = problems(PLAIN + f"joint.motor = {motor}\n")[0]
    assert found.what == f"link.1.joint.motor{what}"
    assert found.hint.startswith(hint)

"""Robot files: valid ones with mistakes, in their words and in their bytes."""

from ulna import Friction, Joint, Link
from ulna.arm.robot_files import KEYS, TOP, template

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
lower = "-150 deg"
upper = 2
max_torque = "30 kg*cm"
damping = 0.02
max_velocity = "60 rpm"

[[link]]
length = 0.2
mass = "250 g"
com = 0.1
inertia = "900 kg*mm^2"
"""
VALID = [DESK_ARM, template(2), "format = 1\n[[link]]\nlength = 1\nmass = 1\n"]
PIECES = [
    *TOP, *KEYS[Link], *KEYS[Joint], *KEYS[Friction], " = ", " = 1\n", "\n[[link]]\n",
    "\n[link]\n", "\n[link.joint]\n", "[", "]", "{", "}", ",", ".", "#", '"', "'", '"""', "'1 m'",
    "nan", "1e999", "[nan, inf]", "1979-05-27", "0x" + "f" * 5000, '"\\u0000"', '"\\u001b[31m"',
    "[" * 3000, "{a=" * 60, "a" + ".a" * 300,
]  # fmt: skip
COMMANDS = [
    ["check"], ["check", "--json"], ["pose", "--q", "0.1, 0.2"], ["hold", "--q", "0.1, 0.2"],
    ["reach", "--to", "0.2, 0.1"], ["hold", "--q", "0.1, 0.2", "--payload", "10 g", "--json"],
]  # fmt: skip


def test_no_robot_file_brings_ulna_down(fuzz, tools):
    def case(command, raw):
        return tools.case(command[0], "arm.toml", *command[1:], files={"arm.toml": raw})

    def draw(dice):
        text = tools.mutated(dice, dice.choice(VALID), PIECES)
        raw = tools.encoded(text)
        return case(dice.choice(COMMANDS), tools.damaged(dice, raw) if dice.random() < 0.2 else raw)

    fuzz([case(command, DESK_ARM.encode()) for command in COMMANDS], draw, 75)

"""Tables for servos: read back they are the plan, and programs play them as they are."""

import ast
import csv
import math
import shutil
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

import ulna
from ulna.errors import InfeasibleError, InputError
from ulna.motion import PenServo, Servo, read_servo, servo_table

ARM = ulna.Arm.rods([0.3, 0.25], [0.2, 0.1])
DRAWING = '<svg><circle cx="5" cy="5" r="5"/><path d="M20 0 h10 v10"/></svg>'
# What a servo is sent for a joint at 0 and at 30 degrees, from data sheets' own proportions.
KNOWN = {
    "pulse(500, 2500, range='180 deg', zero='90 deg')": (1500, 1833),
    "pulse(500, 2500, range='180 deg', zero='90 deg', direction=-1)": (1500, 1167),
    "pulse(1000, 2000, range='90 deg', zero='30 deg')": (1333, 1667),
    "degrees(zero='90 deg', direction=-1)": (90.0, 60.0),
    "dynamixel()": (2048, 2389),  # 4096 ticks a turn: 30 degrees are 341.3
    "feetech(direction=-1)": (2048, 1707),
    "ticks(1024, range='300 deg', zero='150 deg')": (512, 614),
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    file = tmp_path_factory.mktemp("drawing") / "drawing.svg"
    file.write_text(DRAWING, encoding="utf-8")
    return ulna.plan(ARM, ulna.paths.svg(file, scale=5e-3).placed((0.25, 0.1)), elbow="up")


@pytest.fixture(scope="module")
def table(plan):
    return servo_table(plan, "pulse(range='270 deg')", pen="pen(up=1400, down=1700)")


@pytest.mark.parametrize("text", KNOWN)
def test_a_servo_is_sent_what_its_data_sheet_says(text):
    servo = read_servo(text)
    assert servo.values([0.0, math.radians(30.0)]).tolist() == list(KNOWN[text])


@pytest.mark.parametrize(
    "text", ["pulse(range='270 deg', direction=-1)", "ticks()", "degrees(range='360 deg')"]
)
def test_a_table_read_back_is_the_plan_to_half_a_tick(plan, text, tmp_path):
    made = servo_table(plan, text, rate=40.0)
    made.save(tmp_path / "servo.csv")
    with (tmp_path / "servo.csv").open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    read = np.array(rows, dtype=float)
    assert [name.partition(" ")[0] for name in names] == ["t", "servo1", "servo2"]
    assert np.diff(read[:, 0]) == pytest.approx(np.full(len(read) - 1, 1.0 / 40.0))
    assert read[-2, 0] < plan.duration <= read[-1, 0] + 1e-9
    q = plan.trajectory(read[:, 0]).q
    for joint, servo in enumerate(made.servos):
        tick = servo.range * servo.step / (servo.high - servo.low)
        own = servo.direction * q[:, joint] + servo.zero
        sent = (read[:, joint + 1] - servo.low) / (servo.high - servo.low) * servo.range
        assert np.abs(sent - own).max() <= 0.5 * tick * (1.0 + 1e-9)
        assert np.abs(servo.angles(read[:, joint + 1]) - q[:, joint]).max() <= 0.500001 * tick


def test_each_joint_may_have_a_servo_of_its_own(plan):
    made = servo_table(plan, ["ticks()", Servo("us", 500.0, 2500.0, math.tau, math.pi)])
    assert list(made.columns) == ["t [s]", "servo1 [ticks]", "servo2 [us]"]
    assert not made.has_pulses


def test_the_pen_is_down_on_strokes_alone(plan, table):
    tip = np.array([ulna.kinematics.tip(ARM, q)[:2] for q in plan.trajectory(table.t).q])
    down = table.pen == 1700
    assert set(table.pen.tolist()) == {1400, 1700}
    # With the pen down every row is on a stroke, measured at the path itself.
    strokes = [plan.path(np.linspace(*ends, 2001)) for ends in plan.path.strokes]
    gaps = np.linalg.norm(tip[down, None] - np.vstack(strokes)[None], axis=-1).min(axis=1)
    assert gaps.max() < 1e-3
    moved = np.linalg.norm(np.diff(tip, axis=0), axis=-1)
    switched = np.flatnonzero(np.diff(table.pen))
    assert moved[switched].max() < 1e-4


@pytest.mark.parametrize(
    ("servo", "says"),
    [
        ("pulse(range='90 deg')", r"joint \d: its servo would be sent -?\d+ us at t = .* s"),
        ("ticks(zero='355 deg')", r"leaves 0 to 4095 ticks from t = "),
        ("degrees(zero='0 deg', direction=-1)", r"joint \d: .* deg at t = "),
        ("ticks(max_speed='5 deg/s')", r"joint \d: .* deg/s at t = .*5 deg/s allowed"),
    ],
)
def test_what_a_servo_cannot_do_is_never_clipped(plan, servo, says):
    with pytest.raises(InfeasibleError, match=says):
        servo_table(plan, servo)


@pytest.mark.parametrize(
    ("servos", "options", "says"),
    [
        ("puls()", {}, "unknown servo 'puls'.*did you mean 'pulse'"),
        ("pulse(2500, 500)", {}, "a second value above the first"),
        ("pulse(direction=0)", {}, "direction: got 0, need 1 or -1"),
        ("pulse(direction=0.5)", {}, "direction: got 0.5"),
        ("pulse(zero='3 cm')", {}, "zero"),
        ("ticks(1)", {}, "count: got 1.0, need a whole number from 2"),
        ("ticks(range=0)", {}, "range: got 0.0, need a number above 0"),
        (["ticks()"] * 3, {}, "3 servos for 2 joints"),
        ("pen(1, 2)", {}, "one servo for all joints, or one each"),
        ("ticks()", {"pen": "ticks()"}, "pen"),
        ("ticks()", {"pen": "pen(up=1)"}, "without up and down"),
        ("ticks()", {"pen": PenServo(1.5, 2.0)}, "pen"),
        ("ticks()", {"rate": 0.0}, "rate: got 0.0, need a number above 0"),
        ("ticks()", {"rate": 1e9}, "at most 1,000,000 rows"),
    ],
)
def test_servos_that_are_none_are_refused(plan, servos, options, says):
    with pytest.raises(InputError, match=says):
        servo_table(plan, servos, **options)


@pytest.mark.parametrize("pins", [[1, 2], [1, 1, 2], [-1, 2, 3], [1, 2, "A0"]])
def test_pins_are_one_a_servo(table, pins):
    with pytest.raises(InputError, match="3 different pins"):
        table.arduino(pins)


def test_a_servo_bus_is_not_played_by_pulses(plan):
    with pytest.raises(InputError, match="pulse"):
        servo_table(plan, "dynamixel()").arduino()


ARDUINO_H = """
#include <cstdint>
#define PROGMEM
inline uint16_t pgm_read_word(const uint16_t *place) { return *place; }
uint32_t micros();
void delay(uint32_t milliseconds);
"""
SERVO_H = """
#include <cstdio>
struct Servo {
  int pin = -1;
  void attach(int to) { pin = to; }
  void writeMicroseconds(int width) { std::printf("%u %d %d\\n", micros(), pin, width); }
};
"""
MAIN = """
#include "sketch.ino"
static uint32_t now = 4294000000u;  // wraps round soon
uint32_t micros() { return now; }
void delay(uint32_t milliseconds) { now += 1000u * milliseconds; }
int main() { setup(); while (row < ROWS) { loop(); now += 500u; } loop(); }
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="without a C++ compiler")
def test_the_sketch_compiles_and_plays_the_table(table, tmp_path):
    sources = {"Arduino.h": ARDUINO_H, "Servo.h": SERVO_H, "main.cpp": MAIN}
    for name, text in {**sources, "sketch.ino": table.arduino([3, 5, 6])}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-I", ".", "main.cpp"]
    subprocess.run([*command, "-o", "play"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "play"], capture_output=True, text=True, check=True)
    told = np.array([line.split() for line in done.stdout.splitlines()], dtype=np.int64)
    _check_played(table, told.reshape(-1, 3, 3), [3, 5, 6])


def _check_played(table, told, pins):
    """Check what was sent (rows, servos, [µs, pin, width]), the first row twice."""
    assert (told[:, :, 1] == pins).all()
    assert (told[1:, :2, 2] == table.values).all()
    assert (told[1:, 2, 2] == table.pen).all()
    assert (told[0, :, 2] == told[1, :, 2]).all()
    steps = np.diff(told[1:, 0, 0]) % 2**32
    assert steps.tolist() == [20_000] * (len(table.t) - 1)


class _Board:
    """The modules of a MicroPython board, with a clock that waits in no time."""

    def __init__(self):
        self.now, self.sent = 0, []
        board = self

        class PWM:
            def __init__(self, pin):
                self.pin, self.frequency = pin, 0

            def freq(self, frequency):
                self.frequency = frequency

            def duty_ns(self, width):
                assert self.frequency == 50
                board.sent.append((board.now, self.pin, width / 1000))

        self.machine, self.time = ModuleType("machine"), ModuleType("time")
        self.machine.PWM, self.machine.Pin = PWM, lambda pin: pin
        self.time.ticks_us = lambda: self.now
        self.time.ticks_add, self.time.ticks_diff = (lambda a, b: a + b), (lambda a, b: a - b)
        self.time.sleep_us = self.wait
        self.time.sleep_ms = lambda milliseconds: self.wait(1000 * milliseconds)

    def wait(self, microseconds):
        self.now += microseconds


def test_the_micropython_program_parses_and_plays_the_table(table, monkeypatch):
    text, board = table.micropython([3, 5, 6]), _Board()
    compiled = compile(ast.parse(text), "main.py", "exec")
    monkeypatch.setitem(sys.modules, "machine", board.machine)
    monkeypatch.setitem(sys.modules, "time", board.time)
    exec(compiled, {})
    _check_played(table, np.array(board.sent).reshape(-1, 3, 3), [3, 5, 6])

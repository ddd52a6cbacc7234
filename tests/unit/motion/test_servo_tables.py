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
from refusals import names_of, problems_of
from tabular import tabular
from ulna.errors import InfeasibleError, InputError
from ulna.motion import PenServo, Servo, ServoTable, read_servo, servo_table

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
    return ulna.plan(ARM, ulna.paths.svg(file).scaled(5e-3).placed((0.25, 0.1)), elbow="up")


@pytest.fixture(scope="module")
def circle():
    return ulna.plan(ARM, ulna.paths.circle((0.3, 0.1), 0.05), duration=2.0, elbow="up")


@pytest.fixture(scope="module")
def table(plan):
    return servo_table(plan, "pulse(range='270 deg')", pen="pen(up=1400, down=1700)")


@pytest.mark.parametrize("text", KNOWN)
def test_a_servo_is_sent_what_its_data_sheet_says(text):
    servo = read_servo(text)
    assert servo.values([0.0, math.radians(30.0)]).tolist() == list(KNOWN[text])


@pytest.mark.parametrize("step", [0.01, 0.25, 0.3, 1.0, 1.5, 2.0, 7.0])
def test_a_servo_is_sent_the_nearest_multiple_of_its_step(step):
    servo = Servo("deg", 0.0, 180.0, range=math.pi, zero=0.0, step=step)
    degrees = np.linspace(0.0, 180.0, 1001)
    sent = servo.values(np.radians(degrees))
    assert np.abs(sent / step - np.round(sent / step)).max() < 1e-9
    assert np.abs(sent - degrees).max() <= 0.5 * step * (1.0 + 1e-9)


@tabular(
    ("fields", "name"),
    [
        *(({"step": wrong}, "servo.step") for wrong in (0.0, math.nan, 2001.0, 1e-320)),
        *(({"last": wrong}, "servo.last") for wrong in (500.0, 2501.0)),
        ({"high": 100_000.0}, "servo"),
        ({"unit": "rad"}, "servo.unit"),
        # Degrees that were meant are asked about.
        ({"range": 180.0}, "servo.range"),
        ({"zero": -90.0}, "servo.zero"),
    ],
)
def test_a_servo_that_could_not_be_is_refused(fields, name):
    own = {"unit": "us", "low": 500.0, "high": 2500.0, "range": math.pi, "zero": 1.5}
    (problem,) = problems_of(lambda: Servo(**(own | fields)))
    assert problem.what == name
    for value in set(fields) & {"range", "zero"}:
        assert f"{fields[value]:g} deg" in problem.hint


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
    (told,) = made.notes
    assert "no program plays the table: got a servo of joint 1 that is sent ticks" in told


def test_whole_numbers_are_written_as_such(plan):
    even = Servo("us", 500.0, 2500.0, math.tau, math.pi, step=2.0)
    coarse = Servo("deg", 0.0, 360.0, math.tau, math.pi, step=1.5)
    columns = servo_table(plan, [even, coarse], pen=PenServo(1400, 1700)).columns
    assert columns["servo1 [us]"].dtype.kind == "i"
    assert (columns["servo1 [us]"] % 2 == 0).all()
    assert (columns["servo2 [deg]"] / 1.5 % 1.0 == 0.0).all()
    # The values of a pen are in the unit of the first servo.
    assert columns["pen [us]"].dtype.kind == "i"


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


@tabular(
    ("servos", "options", "says"),
    [
        ("puls()", {}, "did you mean 'pulse'"),
        ("pulse(2500, 500)", {}, "a second value above the first"),
        ("ticks(1)", {}, "count: got 1.0"),
        ("pulse(range=180)", {}, "did you mean '180 deg'"),
        *((wrong, {}, "servos") for wrong in (["ticks()"] * 3, "pen(1, 2)", None, 5, [5, 6])),
        *(
            ("ticks()", {"pen": wrong}, "pen")
            for wrong in ("ticks()", "pen(up=1)", PenServo(1.5, 2.0), PenServo("a", 2))
        ),
        ("ticks()", {"pen": "pen(0, 4096)"}, "from 0 to 4095 ticks"),
        ("pulse()", {"pen": "pen(1400, 1400)"}, "two different"),
    ],
)
def test_servos_that_are_none_are_refused(plan, servos, options, says):
    with pytest.raises(InputError, match=says):
        servo_table(plan, servos, **options)


def test_a_plan_beyond_its_limits_is_not_sent(circle):
    joints = [ulna.Joint(max_torque=1e-3)] * 2
    weak = ulna.Arm.of(ARM.links, joints)
    made = ulna.plan(weak, circle.path, duration=2.0)
    assert made.feasible
    assert not made.ok
    with pytest.raises(InfeasibleError, match=r"cannot do: .*torque"):
        servo_table(made, "ticks()")


def test_a_pen_that_is_never_lifted_is_told(circle, table):
    (told,) = servo_table(circle, "pulse(range='270 deg')", pen="pen(1400, 1700)").notes
    assert "the path lifts no pen" in told
    assert table.notes == ()


def test_a_table_for_a_larger_board_is_told(circle):
    long = ulna.plan(ARM, circle.path, duration=100.0)
    (told,) = servo_table(long, "pulse(range='270 deg')", rate=100.0).notes
    assert "40,004 bytes" in told  # 10,001 rows of 2 servos, 2 bytes each
    rate = float(told.partition("try ")[2].partition(" Hz")[0])
    fitting = servo_table(long, "pulse(range='270 deg')", rate=rate)
    assert 0.9 * 28_000 < fitting.board_bytes <= 28_000
    assert fitting.notes == ()


def test_pins_are_one_a_servo(table):
    for pins in ([1, 2], [1, 1, 2], [-1, 2, 3], [1, 2, "A0"], [1, 2, 256], [1, 2, True], 5):
        assert names_of(lambda pins=pins: table.arduino(pins)) == ["pins"]


@tabular(
    ("servos", "options", "names"),
    [
        (["pulse(range='270 deg')", "ticks()"], {}, ["servo"]),
        ("pulse(range='270 deg')", {"rate": 2000.0}, ["rate"]),
    ],
)
def test_what_no_board_can_play_is_no_program(plan, servos, options, names):
    made = servo_table(plan, servos, **options)
    for program in (made.arduino, made.micropython):
        assert names_of(program) == names
    assert "no program plays the table" in made.notes[-1]


ARDUINO_H = """
#include <cstdint>
#define PROGMEM
inline uint16_t pgm_read_word(const uint16_t *place) { return *place; }
uint32_t micros();
void delay(uint32_t milliseconds);
"""
SERVO_H = """
#include <cstdio>
// As the library does: limits are kept in steps of 4 µs, and clipped to; a servo that is attached
// is sent what it was told before, 1500 at first.
struct Servo {
  int pin = -1, width = 1500;
  int8_t min = 0, max = 0;
  void attach(int to, int shortest = 544, int longest = 2400) {
    pin = to;
    min = (544 - shortest) / 4;
    max = (2400 - longest) / 4;
    send();
  }
  void writeMicroseconds(int value) {
    int least = 544 - min * 4, most = 2400 - max * 4;
    width = value < least ? least : value > most ? most : value;
    if (pin >= 0) send();
  }
  void send() { std::printf("%u %d %d\\n", micros(), pin, width); }
};
"""
MAIN = """
#include "sketch.ino"
static uint32_t now = 4294000000u;  // wraps round soon
uint32_t micros() { return now; }
void delay(uint32_t milliseconds) { now += 1000u * milliseconds; }
int main() { setup(); while (row <= ROWS) { loop(); now += 500u; } loop(); }
"""
PINS = [3, 5, 6]  # the last that of the pen


def _run_sketch(sketch, place):
    sources = {"Arduino.h": ARDUINO_H, "Servo.h": SERVO_H, "main.cpp": MAIN, "sketch.ino": sketch}
    for name, text in sources.items():
        (place / name).write_text(text, encoding="utf-8")
    command = ["c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-I", ".", "main.cpp"]
    subprocess.run([*command, "-o", "play"], cwd=place, check=True)
    done = subprocess.run([place / "play"], capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=np.int64)


@pytest.mark.skipif(shutil.which("c++") is None, reason="without a C++ compiler")
def test_the_sketch_compiles_and_plays_the_table(table, tmp_path):
    _check_played(table, _run_sketch(table.arduino(PINS), tmp_path))


@pytest.mark.skipif(shutil.which("c++") is None, reason="without a C++ compiler")
def test_the_library_does_not_clip_what_a_sketch_sends(tmp_path):
    servo, pulses = read_servo("pulse(36, 2912)"), [[500, 2500], [36, 2912], [501, 2499]]
    made = ServoTable(np.arange(3) / 50, np.array(pulses, float), None, (servo,) * 2, 50.0, None)
    sent = _run_sketch(made.arduino([9, 10]), tmp_path)
    assert sent[-6:, 2].reshape(3, 2).tolist() == pulses
    # All before is the first row, but for the pulse that is clipped as the library was made.
    assert set(sent[:-6, 2].tolist()) <= {500, 2500, 544, 2400}


def _check_played(table, sent):
    """Check what was sent when, (k, [µs, pin, width]): with the pen up but for the table."""
    *joints, pen = PINS
    count = 3 * len(table.t)
    head, rows, last = sent[: -count - 1], sent[-count - 1 : -1].reshape(-1, 3, 3), sent[-1]
    assert (rows[:, :, 1] == PINS).all()
    assert (rows[:, :2, 2] == table.values).all()
    assert (rows[:, 2, 2] == table.pen).all()
    assert (np.diff(rows[:, 0, 0]) % 2**32 == 20_000).all()
    assert last.tolist()[1:] == [pen, 1400]

    moved = head[head[:, 1] != pen]
    assert set(moved[:, 1].tolist()) == set(joints)
    firsts = dict(zip(joints, table.values[0], strict=True))
    assert all(width == firsts[pin] for _, pin, width in moved)
    up, down = (head[(head[:, 1] == pen) & (head[:, 2] == width)] for width in (1400, 1700))
    assert len(up) + len(down) == len(head) - len(moved)
    # Lifted, 0.2 s; to the first row, 2 s; lowered, 0.2 s.
    times = [up[0, 0], moved[0, 0], down[0, 0], rows[0, 0, 0]]
    assert (np.diff(times) % 2**32).tolist() == [200_000, 2_000_000, 200_000]
    assert (up[:, 0] == up[0, 0]).all()


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
    text, board = table.micropython(PINS), _Board()
    compiled = compile(ast.parse(text), "main.py", "exec")
    monkeypatch.setitem(sys.modules, "machine", board.machine)
    monkeypatch.setitem(sys.modules, "time", board.time)
    exec(compiled, {})
    _check_played(table, np.array(board.sent))

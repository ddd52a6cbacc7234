"""Tables for servos: what each is sent along a plan at an even rate, and programs that play it.

Nothing is clipped: what a servo cannot do is refused, with the joint, the time and the value. The
times are those of the plan, which begins with the pen where the path has it; programs go there
with the pen up, lower it, play, and lift it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np

from ulna.arrays import Array, positive
from ulna.columns import save_columns
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.motion.planning.plan_result import Plan
from ulna.motion.planning.stroke_timing import PEN_TIME, pen_down, pen_moves
from ulna.motion.servos import LONGEST_PULSE, SHORTEST_PULSE, PenServo, Servo, read_servo
from ulna.typing import PathLike

RATE = 50.0  # [Hz] at which hobby servos take pulses
MOST_ROWS = 1_000_000
MOST_PIN = 255  # in a byte
# [Hz] at which programs play: rows are counted in microseconds, and in 31 bits of them.
SLOWEST, FASTEST = 1e-3, 1e3
UNO_BYTES = 28_000  # of the 32 kB of an Uno, that its boot loader, the sketch and Servo.h leave
ARDUINO = """\
// Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
#include <Arduino.h>
#include <Servo.h>

const uint8_t SERVOS = {servos};
const uint8_t PINS[SERVOS] = {{{pins}}};
const int SHORTEST = {shortest}, LONGEST = {longest};  // microseconds that the library may send
const bool PEN = {has_pen};  // whether the last servo is that of a pen,
const uint16_t PEN_UP = {pen_up};  // microseconds that lift it
const uint32_t PEN_TIME = {pen_time};  // milliseconds to lower or lift it
const uint32_t PAUSE = 2000;  // milliseconds to get to the first row
const uint32_t ROWS = {count};
const uint32_t STEP = {step};  // microseconds from a row to the next
const uint16_t TABLE[ROWS][SERVOS] PROGMEM = {{
{table}
}};

Servo servo[SERVOS];
uint32_t row = 0;
uint32_t due;

void start(uint8_t which, uint16_t width) {{
  servo[which].writeMicroseconds(width);  // attached without it, a servo is sent 1500 at first
  servo[which].attach(PINS[which], SHORTEST, LONGEST);  // else it clips to 544 and 2400
  servo[which].writeMicroseconds(width);
}}

void play(uint32_t which) {{
  for (uint8_t k = 0; k < SERVOS; k++) {{
    servo[k].writeMicroseconds(pgm_read_word(&TABLE[which][k]));
  }}
}}

void setup() {{
  if (PEN) {{
    start(SERVOS - 1, PEN_UP);
    delay(PEN_TIME);
  }}
  for (uint8_t k = 0; k < SERVOS - PEN; k++) start(k, pgm_read_word(&TABLE[0][k]));
  delay(PAUSE);
  play(0);
  if (PEN) delay(PEN_TIME);
  due = micros();
}}

void loop() {{
  if (row > ROWS || (int32_t)(micros() - due) < 0) return;
  if (row < ROWS) play(row);
  else if (PEN) servo[SERVOS - 1].writeMicroseconds(PEN_UP);
  row++;
  due += STEP;
}}
"""

MICROPYTHON = """\
# Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
from array import array
from time import sleep_ms, sleep_us, ticks_add, ticks_diff, ticks_us

from machine import PWM, Pin

PINS = ({pins},)
PEN = {has_pen}  # whether the last servo is that of a pen,
PEN_UP = {pen_up}  # microseconds that lift it
PEN_TIME = {pen_time}  # milliseconds to lower or lift it
PAUSE = 2000  # milliseconds to get to the first row
STEP = {step}  # microseconds from a row to the next
TABLE = array("H", [
{table}
])

servos = [PWM(Pin(pin)) for pin in PINS]
for servo in servos:
    servo.freq(50)


def send(which, width):
    servos[which].duty_ns(1000 * width)


def play(row):
    for k in range(len(PINS)):
        send(k, TABLE[row * len(PINS) + k])


def wait_until(due):
    wait = ticks_diff(due, ticks_us())
    if wait > 0:
        sleep_us(wait)


if PEN:
    send(-1, PEN_UP)
    sleep_ms(PEN_TIME)
for k in range(len(PINS) - PEN):
    send(k, TABLE[k])
sleep_ms(PAUSE)
play(0)
if PEN:
    sleep_ms(PEN_TIME)
due = ticks_us()
for row in range(len(TABLE) // len(PINS)):
    wait_until(due)
    play(row)
    due = ticks_add(due, STEP)
if PEN:
    wait_until(due)
    send(-1, PEN_UP)
"""


@dataclass(frozen=True, eq=False)
class ServoTable:
    """What servos are sent along a plan, a row for every time.

    `servo_table` makes it.

    Attributes
    ----------
    t : ndarray, shape (k,)
        Times [s].
    values : ndarray, shape (k, n)
        What the servo of each joint is sent, in its unit.
    pen : ndarray, shape (k,), or None
        What the servo of the pen is sent, in the unit of the first servo.
    servos : tuple of Servo
        The servos, one a joint.
    rate : float
        Rows a second [Hz].
    pen_servo : PenServo or None
        The servo of the pen.
    """

    t: Array
    values: Array
    pen: Array | None
    servos: tuple[Servo, ...]
    rate: float
    pen_servo: PenServo | None

    @cached_property
    def columns(self) -> dict[str, Array]:
        """The columns of the table, by their headings with units."""
        table: dict[str, Array] = {"t [s]": self.t}
        for joint, servo in enumerate(self.servos):
            table[f"servo{joint + 1} [{servo.unit}]"] = _as_sent(servo, self.values[:, joint])
        if self.pen is not None:
            first = self.servos[0]
            table[f"pen [{first.unit}]"] = _as_sent(first, self.pen)
        return table

    @property
    def board_bytes(self) -> int:
        """The bytes that its rows take on a board: two a servo, that of the pen included."""
        return 2 * len(self.t) * self._count

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What there is to know about it, as sentences."""
        told = []
        if self.pen_servo is not None and np.all(self.pen == self.pen_servo.down):
            told.append("the path lifts no pen: in the table it is down in every row")
        problem = program_problem(self.servos, self.rate)
        if problem is not None:
            told.append(f"no program plays the table: got {problem.got}, need {problem.need}")
        elif self.board_bytes > UNO_BYTES:
            # Two rows less: one is at t = 0, one beyond the end.
            rows = max(1.0, UNO_BYTES / (2 * self._count) - 2.0)
            told.append(
                f"the table takes {self.board_bytes:,} bytes, and an Uno has {UNO_BYTES:,} for it: "
                f"try {_two_digits(rows / self.t[-1], math.floor)} Hz, or a larger board"
            )
        return tuple(told)

    def save(self, file: PathLike, *, overwrite: bool = True) -> None:
        """Write the table to a .csv file, which appears whole or not at all.

        Parameters
        ----------
        file : str or os.PathLike
            The file.
        overwrite : bool, optional
            Whether an existing file is replaced.

        Raises
        ------
        InputError
            If its name has another ending.
        FileError
            If it cannot be written, or exists and is not to be replaced.
        """
        save_columns(file, lambda: self.columns, overwrite=overwrite)

    def arduino(self, pins: Sequence[int] | None = None) -> str:
        """Return an Arduino sketch that plays the table, with the Servo library.

        Parameters
        ----------
        pins : sequence of int, optional
            The pins of the servos, that of the pen last; 9, 10, 11 and on by default.

        Returns
        -------
        str
            The sketch, to be saved as an .ino file.

        Raises
        ------
        InputError
            If servos are not sent pulses, or the pins do not fit them.
        """
        facts, rows = self._facts(pins, 9), self._pulses()
        return ARDUINO.format(
            **facts,
            servos=self._count,
            has_pen="false" if self.pen_servo is None else "true",
            shortest=SHORTEST_PULSE,
            longest=LONGEST_PULSE,
            table=",\n".join(f"  {{{', '.join(map(str, row))}}}" for row in rows),
        )

    def micropython(self, pins: Sequence[int] | None = None) -> str:
        """Return a MicroPython program that plays the table, with pulse-width modulation.

        Parameters
        ----------
        pins : sequence of int, optional
            The pins of the servos, that of the pen last; 0, 1, 2 and on by default.

        Returns
        -------
        str
            The program, to be saved as main.py on the board.

        Raises
        ------
        InputError
            If servos are not sent pulses, or the pins do not fit them.
        """
        facts, rows = self._facts(pins, 0), self._pulses()
        return MICROPYTHON.format(
            **facts,
            has_pen=self.pen_servo is not None,
            table="\n".join(f"    {', '.join(map(str, row))}," for row in rows),
        )

    @property
    def has_pulses(self) -> bool:
        """Whether all servos are sent pulses, so that a program can play the table."""
        return all(servo.unit == "us" for servo in self.servos)

    @property
    def _count(self) -> int:
        return len(self.servos) + (self.pen is not None)

    def _pulses(self) -> list[list[int]]:
        parts = [self.values] if self.pen is None else [self.values, self.pen[:, None]]
        rows: list[list[int]] = np.rint(np.hstack(parts)).astype(int).tolist()
        return rows

    def _facts(self, pins: Sequence[int] | None, first: int) -> dict[str, object]:
        problem = program_problem(self.servos, self.rate)
        if problem is not None:
            raise InputError(problem)
        return {
            "count": len(self.t),
            "rate": self.rate,
            "step": round(1e6 / self.rate),
            "pins": ", ".join(map(str, self._pins(pins, first))),
            "pen_up": 0 if self.pen_servo is None else round(self.pen_servo.up),
            "pen_time": round(1e3 * PEN_TIME),
        }

    def _pins(self, given: Sequence[int] | None, first: int) -> list[int]:
        asked = range(first, first + self._count) if given is None else given
        pins = list(asked) if isinstance(asked, Iterable) else []
        fit = all(type(pin) is int and 0 <= pin <= MOST_PIN for pin in pins)
        if not fit or not len(pins) == self._count == len(set(pins)):
            need = f"{self._count} different pins, whole numbers from 0 to {MOST_PIN}"
            raise InputError(Problem("pins", shown(asked), need))
        return pins


def program_problem(servos: Sequence[Servo], rate: float) -> Problem | None:
    """Return why no program of a board can play what servos are sent, or None if one can."""
    for joint, servo in enumerate(servos, 1):
        if servo.unit != "us":
            got = f"a servo of joint {joint} that is sent {servo.unit}"
            hint = "play the table of a servo bus with the software of its maker"
            return Problem("servo", got, "pulse(...) for all joints, to be played by a board", hint)
    if not SLOWEST <= rate <= FASTEST:
        need = f"{SLOWEST:g} to {FASTEST:g} Hz, to be played by a board"
        return Problem("rate", f"{rate:g} Hz", need)
    return None


def servo_table(
    plan: Plan,
    servos: str | Servo | Sequence[str | Servo],
    *,
    pen: str | PenServo | None = None,
    rate: float = RATE,
) -> ServoTable:
    """Return what servos are sent so that the arm follows a plan.

    Parameters
    ----------
    plan : Plan
        A plan that the arm can do: `plan.ok`.
    servos : str, Servo, or sequence of them
        One for all joints, or one each; as text, what `read_servo` reads.
    pen : str or PenServo, optional
        The servo of the pen, such as "pen(up=1400, down=1700)": two values in the unit of the
        first servo.
    rate : float, optional
        Rows a second [Hz], two or more while the pen is lowered or lifted.

    Returns
    -------
    ServoTable
        The table; its `notes` are what there is to know about it.

    Raises
    ------
    InputError
        If an argument cannot be used.
    InfeasibleError
        If the plan is not feasible or passes a limit, or a servo would leave its range or be too
        fast: the message names the joint, the time and the value. Nothing is clipped.

    Examples
    --------
    >>> import ulna
    >>> circle = ulna.paths.circle((0.5, 0.2), 0.1)
    >>> made = ulna.plan(ulna.preset("kehl"), circle, duration=2.0)
    >>> table = servo_table(made, "pulse(500, 2500, range='270 deg')")
    >>> table.values[0].tolist()
    [1260.0, 2252.0]
    """
    plan.raise_if_infeasible()
    if not plan.ok:
        told = "; ".join([found.text for found in plan.problems if found.exceeds][:3])
        raise InfeasibleError(f"servos are sent no motion that the arm cannot do: {told}")
    chosen = _read_servos(servos, plan.arm.n)
    holder = _read_pen(pen, chosen[0])
    frequency = positive("rate", rate, "Hz")
    t = np.arange(_row_count(plan, frequency)) / frequency
    q = plan.trajectory(np.minimum(t, plan.duration)).q
    values = np.stack([one.values(q[:, joint]) for joint, one in enumerate(chosen)], axis=-1)
    for joint, servo in enumerate(chosen):
        _check_range(joint + 1, servo, t, values[:, joint])
        _check_speed(joint + 1, servo, t, q[:, joint])
    down = pen_down(plan.trajectory, np.minimum(t, plan.duration))
    moved = None if holder is None else np.where(down, holder.down, holder.up)
    return ServoTable(t, values, moved, chosen, frequency, holder)


def _read_servos(given: str | Servo | Sequence[str | Servo], n: int) -> tuple[Servo, ...]:
    several = [given]
    if isinstance(given, Iterable) and not isinstance(given, str):
        several = list(given)
    made = [read_servo(one) if isinstance(one, str) else one for one in several]
    servos = tuple(one for one in made if isinstance(one, Servo))
    if len(servos) < len(made) or len(servos) not in (1, n):
        got = f"{len(servos)} servo{'s' * (len(servos) != 1)} for {n} joints"
        if len(servos) < len(made):
            got = shown(given)
        raise InputError(Problem("servos", got, "one servo for all joints, or one each"))
    return servos * n if len(servos) == 1 else servos


def _read_pen(given: str | PenServo | None, first: Servo) -> PenServo | None:
    made = read_servo(given, "pen") if isinstance(given, str) else given
    if made is None:
        return None
    low, high = first.low, first.most
    if first.unit == "us":
        # The servo of a pen may well take other pulses than those of the joints.
        low, high = SHORTEST_PULSE, LONGEST_PULSE
    if (
        not isinstance(made, PenServo)
        or not all(_is_sent(value, low, high, first) for value in made)
        or made.up == made.down
    ):
        kind = "whole numbers" if first.is_whole else "numbers"
        values = f"two different {kind} from {low:g} to {high:g} {first.unit}"
        need = f"pen(up=..., down=...), {values}, the unit of the first servo"
        raise InputError(Problem("pen", shown(given), need))
    return made


def _is_sent(value: object, low: float, high: float, servo: Servo) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    number = float(value)
    return low <= number <= high and (not servo.is_whole or number.is_integer())


def _as_sent(servo: Servo, values: Array) -> Array:
    """Return values as integers, where the servo is sent whole numbers."""
    return values.astype(int) if servo.is_whole else values


def _row_count(plan: Plan, rate: float) -> int:
    rows = math.ceil(plan.duration * rate * (1.0 - 1e-12)) + 1
    if rows > MOST_ROWS:
        hint = f"try {_two_digits((MOST_ROWS - 2) / plan.duration, math.floor)} Hz"
        need = f"at most {MOST_ROWS:,} rows"
        raise InputError(Problem("rate", f"{rate:g} Hz, {rows:,} rows", need, hint))
    most, of = 0.5 * plan.duration, "the plan"
    if pen_moves(plan.path):
        # A duration that was asked for stretches or shortens the time for the pen as well.
        own = plan.trajectory.timing.duration or plan.duration
        most, of = 0.5 * PEN_TIME * plan.duration / own, "every wait for the pen"
    if 1.0 / rate > most * (1.0 + 1e-9):
        need = f"rows at most {most:.4g} s apart, two for {of}"
        hint = f"try {_two_digits(1.0 / most, math.ceil)} Hz"
        raise InputError(Problem("rate", f"{rate:g} Hz, rows {1.0 / rate:.4g} s apart", need, hint))
    return rows


def _two_digits(value: float, rounded: Callable[[float], int]) -> str:
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{rounded(value / unit) * unit:.6g}"


def _check_range(joint: int, servo: Servo, t: Array, values: Array) -> None:
    beyond = np.maximum(servo.low - values, values - servo.most)
    worst = int(np.argmax(beyond))
    if beyond[worst] > 0.0:
        first = int(np.argmax(beyond > 0.0))
        told = f"{servo.low:g} to {servo.most:g} {servo.unit}"
        raise InfeasibleError(
            f"joint {joint}: its servo would be sent {values[worst]:g} {servo.unit} at "
            f"t = {t[worst]:.4g} s, and leaves {told} from t = {t[first]:.4g} s on; "
            "try another zero, direction or range, or another elbow"
        )


def _check_speed(joint: int, servo: Servo, t: Array, q: Array) -> None:
    speeds = np.abs(np.diff(q)) / np.diff(t)
    worst = int(np.argmax(speeds)) if len(speeds) else 0
    if len(speeds) and speeds[worst] > servo.max_speed:
        most = math.degrees(servo.max_speed)
        raise InfeasibleError(
            f"joint {joint}: its servo would turn at {math.degrees(speeds[worst]):.4g} deg/s at "
            f"t = {t[worst]:.4g} s, {most:.4g} deg/s allowed; try a longer duration"
        )

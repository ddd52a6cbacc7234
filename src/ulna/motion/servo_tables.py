"""Tables for servos: what each is sent along a plan at an even rate, and programs that play it.

Nothing is clipped: what a servo cannot do is refused, with the joint, the time and the value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ulna.arrays import Array, positive
from ulna.columns import save_columns
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.motion.planning.plan_result import Plan
from ulna.motion.planning.stroke_timing import pen_down
from ulna.motion.servos import PenServo, Servo, read_servo
from ulna.typing import PathLike

RATE = 50.0  # [Hz] at which hobby servos take pulses
MOST_ROWS = 1_000_000
ARDUINO = """\
// Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
#include <Arduino.h>
#include <Servo.h>

const uint8_t SERVOS = {servos};
const uint8_t PINS[SERVOS] = {{{pins}}};
const uint32_t ROWS = {count};
const uint32_t STEP = {step};  // microseconds from a row to the next
const uint32_t PAUSE = 2000;  // milliseconds at the first row, to get there
const uint16_t TABLE[ROWS][SERVOS] PROGMEM = {{
{table}
}};

Servo servo[SERVOS];
uint32_t row = 0;
uint32_t due;

void play(uint32_t which) {{
  for (uint8_t k = 0; k < SERVOS; k++) {{
    servo[k].writeMicroseconds(pgm_read_word(&TABLE[which][k]));
  }}
}}

void setup() {{
  for (uint8_t k = 0; k < SERVOS; k++) servo[k].attach(PINS[k]);
  play(0);
  delay(PAUSE);
  due = micros();
}}

void loop() {{
  if (row == ROWS || (int32_t)(micros() - due) < 0) return;
  play(row++);
  due += STEP;
}}
"""

MICROPYTHON = """\
# Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
from array import array
from time import sleep_ms, sleep_us, ticks_add, ticks_diff, ticks_us

from machine import PWM, Pin

PINS = ({pins},)
STEP = {step}  # microseconds from a row to the next
PAUSE = 2000  # milliseconds at the first row, to get there
TABLE = array("H", [
{table}
])

servos = [PWM(Pin(pin)) for pin in PINS]
for servo in servos:
    servo.freq(50)


def play(row):
    for k, servo in enumerate(servos):
        servo.duty_ns(1000 * TABLE[row * len(PINS) + k])


play(0)
sleep_ms(PAUSE)
due = ticks_us()
for row in range(len(TABLE) // len(PINS)):
    wait = ticks_diff(due, ticks_us())
    if wait > 0:
        sleep_us(wait)
    play(row)
    due = ticks_add(due, STEP)
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
        What the servo of the pen is sent.
    servos : tuple of Servo
        The servos, one a joint.
    rate : float
        Rows a second [Hz].
    """

    t: Array
    values: Array
    pen: Array | None
    servos: tuple[Servo, ...]
    rate: float

    @cached_property
    def columns(self) -> dict[str, Array]:
        """The columns of the table, by their headings with units."""
        table: dict[str, Array] = {"t [s]": self.t}
        for joint, servo in enumerate(self.servos):
            column = self.values[:, joint]
            whole = column if servo.step < 1.0 else column.astype(int)
            table[f"servo{joint + 1} [{servo.unit}]"] = whole
        if self.pen is not None:
            first = self.servos[0]
            table[f"pen [{first.unit}]"] = self.pen if first.step < 1.0 else self.pen.astype(int)
        return table

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
        return _arduino_sketch(self._pulses(), self.rate, self._pins(pins, 9))

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
        return _micropython_program(self._pulses(), self.rate, self._pins(pins, 0))

    @property
    def has_pulses(self) -> bool:
        """Whether all servos are sent pulses, so that a program can play the table."""
        return all(servo.unit == "us" for servo in self.servos)

    def _pulses(self) -> list[list[int]]:
        if not self.has_pulses:
            hint = "play the table of a servo bus with the software of its maker"
            got = f"servos that are sent {self.servos[0].unit}"
            raise InputError(Problem("servo", got, "pulse(...), to be played by a board", hint))
        parts = [self.values] if self.pen is None else [self.values, self.pen[:, None]]
        rows: list[list[int]] = np.hstack(parts).astype(int).tolist()
        return rows

    def _pins(self, given: Sequence[int] | None, first: int) -> list[int]:
        count = len(self.servos) + (self.pen is not None)
        pins = list(range(first, first + count)) if given is None else list(given)
        fits = len(pins) == count == len(set(pins))
        if not fits or not all(isinstance(pin, int) and pin >= 0 for pin in pins):
            raise InputError(Problem("pins", shown(given), f"{count} different pins, from 0 on"))
        return pins


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
        A feasible plan.
    servos : str, Servo, or sequence of them
        One for all joints, or one each; as text, what `read_servo` reads.
    pen : str or PenServo, optional
        The servo of the pen, such as "pen(up=1400, down=1700)".
    rate : float, optional
        Rows a second [Hz].

    Returns
    -------
    ServoTable
        The table.

    Raises
    ------
    InputError
        If an argument cannot be used.
    InfeasibleError
        If the plan is not feasible, or a servo would leave its range or be too fast: the message
        names the joint, the time and the value. Nothing is clipped.

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
    chosen = _read_servos(servos, plan.arm.n)
    holder = _read_pen(pen, chosen[0].step)
    frequency = positive("rate", rate, "Hz")
    rows = math.ceil(plan.duration * frequency * (1.0 - 1e-12)) + 1
    if rows > MOST_ROWS:
        need = f"at most {MOST_ROWS:,} rows"
        raise InputError(Problem("rate", f"{frequency:g} Hz, {rows:,} rows", need))
    t = np.arange(rows) / frequency
    q = plan.trajectory(np.minimum(t, plan.duration)).q
    values = np.stack([one.values(q[:, joint]) for joint, one in enumerate(chosen)], axis=-1)
    for joint, servo in enumerate(chosen):
        _check_range(joint + 1, servo, t, values[:, joint])
        _check_speed(joint + 1, servo, t, q[:, joint])
    down = pen_down(plan.trajectory, np.minimum(t, plan.duration))
    moved = None if holder is None else np.where(down, holder.down, holder.up)
    return ServoTable(t, values, moved, chosen, frequency)


def _read_servos(given: str | Servo | Sequence[str | Servo], n: int) -> tuple[Servo, ...]:
    several = [given] if isinstance(given, str | Servo) else list(given)
    made = [read_servo(one) if isinstance(one, str) else one for one in several]
    servos = tuple(one for one in made if isinstance(one, Servo))
    if len(servos) < len(made) or len(servos) not in (1, n):
        got = f"{len(servos)} servo{'s' * (len(servos) != 1)} for {n} joints"
        if len(servos) < len(made):
            got = shown(given)
        raise InputError(Problem("servos", got, "one servo for all joints, or one each"))
    return servos * n if len(servos) == 1 else servos


def _read_pen(given: str | PenServo | None, step: float) -> PenServo | None:
    made = read_servo(given) if isinstance(given, str) else given
    if made is None:
        return None
    need = '"pen(up=1400, down=1700)", in what the other servos are sent'
    if not isinstance(made, PenServo) or not all(map(math.isfinite, made)):
        raise InputError(Problem("pen", shown(given), need))
    if step == 1.0 and any(value != int(value) or value < 0 for value in made):
        raise InputError(Problem("pen", shown(given), f"{need}: whole numbers from 0 on"))
    return made


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


def _arduino_sketch(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> str:
    """Return an Arduino sketch that plays rows of pulses [µs] at a rate [Hz]."""
    table = ",\n".join(f"  {{{', '.join(map(str, row))}}}" for row in rows)
    return ARDUINO.format(servos=len(pins), **_facts(rows, rate, pins), table=table)


def _micropython_program(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> str:
    """Return a MicroPython program that plays rows of pulses [µs] at a rate [Hz]."""
    table = "\n".join(f"    {', '.join(map(str, row))}," for row in rows)
    return MICROPYTHON.format(**_facts(rows, rate, pins), table=table)


def _facts(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> dict[str, object]:
    named = ", ".join(map(str, pins))
    return {"count": len(rows), "rate": rate, "step": round(1e6 / rate), "pins": named}

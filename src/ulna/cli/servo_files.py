"""Tables for servos at the command line: what `--servo` says, and the files that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ulna.cli.arguments import as_option, read_positive
from ulna.cli.outputs import Writer
from ulna.cli.terminal import note
from ulna.errors import InputError, Problem, rewording, shown
from ulna.motion import Plan
from ulna.motion.servo_tables import ServoTable, servo_table
from ulna.motion.servos import PenServo, Servo, read_servo
from ulna.storage import whole_file

FILES = ("servo.csv", "servo.ino", "servo.py")


class ServoRequest(NamedTuple):
    """The servos that are asked for, that of a pen, and rows a second [Hz]."""

    servos: list[Servo]
    pen: PenServo | None
    rate: float

    def table(self, plan: Plan) -> ServoTable:
        """Return the table along a feasible plan."""
        with rewording(lambda one: as_option(one, {"servos": "servo", "rate": "servo-rate"})):
            made = servo_table(plan, self.servos, pen=self.pen, rate=self.rate)
        told = ""
        if made.has_pulses:
            told = (
                f"; a board keeps {2 * len(made.t) * len(made.columns) - 2 * len(made.t):,} bytes"
            )
        note(f"table for servos: {len(made.t):,} rows at {self.rate:g} Hz{told}")
        return made

    @property
    def writers(self) -> dict[str, Writer]:
        """What writes the files; a program only of servos that are sent pulses."""
        made: dict[str, Writer] = {"servo.csv": lambda done, file: done.table.save(file)}
        if all(servo.unit == "us" for servo in self.servos):
            made["servo.ino"] = lambda done, file: _write(done.table.arduino(), file)
            made["servo.py"] = lambda done, file: _write(done.table.micropython(), file)
        return made


def read_servos(texts: Sequence[str] | None, rate: str) -> ServoRequest | None:
    """Return what `--servo`, given once or more, asks for."""
    if not texts:
        return None
    made = [read_servo(text, "--servo") for text in texts]
    pens = [one for one in made if isinstance(one, PenServo)]
    servos = [one for one in made if isinstance(one, Servo)]
    if len(pens) > 1 or not servos:
        need = "the servos of the joints, and pen(...) once if there is a pen"
        raise InputError(Problem("--servo", shown(", ".join(texts)), need))
    frequency = read_positive(rate, "frequency", "--servo-rate", "50 Hz")
    return ServoRequest(servos, pens[0] if pens else None, frequency)


def servo_facts(table: ServoTable | None) -> dict[str, Any]:
    """Return a table in numbers, for a summary."""
    if table is None:
        return {}
    units = [servo.unit for servo in table.servos]
    return {"servo": {"rate": table.rate, "rows": len(table.t), "units": units}}


def _write(text: str, file: str) -> None:
    with whole_file(file) as part:
        part.write_text(text, encoding="utf-8")

"""Tables for servos at the command line: what `--servo` says, and the files that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ulna.analysis import Tracking, servo_tracking
from ulna.analysis.position_commands import rounding_error
from ulna.cli.arguments import as_option, read_positive
from ulna.cli.outputs import Writer
from ulna.cli.terminal import note
from ulna.errors import InfeasibleError, InputError, Problem, rewording, shown
from ulna.motion import Plan
from ulna.motion.servo_tables import ServoTable, program_problem, servo_table
from ulna.motion.servos import PenServo, Servo, read_servo
from ulna.scenario.inputs import takes_positions
from ulna.storage import whole_file
from ulna.units import length_text

FILES = ("servo.csv", "servo.ino", "servo.py")
DEFAULT_RATE = "50 Hz"  # what --servo-rate is unless it is given
# What Python's words are called at the command line.
NAMES = {"servos": "servo", "pen": "servo", "rate": "servo-rate"}


class PlannedTable(NamedTuple):
    """A table for servos, and how far off the plan it leads the tip."""

    table: ServoTable
    rounding: float  # [m] at most, of the rows alone
    tracking: Tracking | None  # simulated, where the motors of the arm take positions

    @property
    def error_text(self) -> str:
        """Return the tip error to expect, in a sentence."""
        rounding = f"{length_text(self.rounding)} at most by the rounding of the rows"
        if self.tracking is None:
            motors = "give the joints servos, as with --motor, for their sag, lag and dead band"
            return f"expected tip error: {rounding}; {motors}"
        found = self.tracking
        if not found.run.status:
            return f"expected tip error: unknown, {found.run.status.text}"
        told = f"{length_text(found.max)} at most, {length_text(found.rms)} RMS"
        return f"expected tip error: {told}, simulated with the table; {rounding} alone"

    @property
    def facts(self) -> dict[str, Any]:
        """What a summary holds of it, in SI units."""
        table, found = self.table, self.tracking
        return {
            "rate": table.rate,
            "rows": len(table.t),
            "units": [servo.unit for servo in table.servos],
            "rounding_error": self.rounding,
            "tip_error": None if found is None else {"rms": found.rms, "max": found.max},
        }


class ServoRequest(NamedTuple):
    """The servos that are asked for, that of a pen as its text, and rows a second [Hz]."""

    servos: list[Servo]
    pen: str | None
    rate: float

    def table(self, plan: Plan) -> PlannedTable:
        """Return the table along a feasible plan, and print what there is to know about it."""
        with rewording(lambda one: as_option(one, NAMES)):
            try:
                made = servo_table(plan, self.servos, pen=self.pen, rate=self.rate)
            except InfeasibleError as error:
                way = "no file is written; leave out --servo for the plan alone"
                raise InfeasibleError(f"{error}; {way}") from None
        kept = f"; a board keeps {made.board_bytes:,} bytes" if made.has_pulses else ""
        note(f"table for servos: {len(made.t):,} rows at {self.rate:g} Hz{kept}")
        for remark in made.notes:
            note(remark)
        found = servo_tracking(plan, made) if takes_positions(plan.arm) else None
        done = PlannedTable(made, rounding_error(plan, made), found)
        note(done.error_text)
        return done

    @property
    def writers(self) -> dict[str, Writer]:
        """What writes the files; programs only of what a board can play."""
        made: dict[str, Writer] = {"servo.csv": lambda done, file: done.sent.table.save(file)}
        if program_problem(self.servos, self.rate) is None:
            made["servo.ino"] = lambda done, file: _write(done.sent.table.arduino(), file)
            made["servo.py"] = lambda done, file: _write(done.sent.table.micropython(), file)
        return made


def read_servos(texts: Sequence[str] | None, rate: str | None) -> ServoRequest | None:
    """Return what `--servo`, given once or more, asks for."""
    if not texts:
        if rate is not None:
            raise InputError(Problem("--servo-rate", shown(rate), "--servo with it"))
        return None
    made = [read_servo(text, "--servo") for text in texts]
    pens = [text for text, one in zip(texts, made, strict=True) if isinstance(one, PenServo)]
    servos = [one for one in made if isinstance(one, Servo)]
    if len(pens) > 1 or not servos:
        need = "the servos of the joints, and pen(...) once if there is a pen"
        raise InputError(Problem("--servo", shown(", ".join(texts)), need))
    frequency = read_positive(rate or DEFAULT_RATE, "frequency", "--servo-rate", DEFAULT_RATE)
    return ServoRequest(servos, pens[0] if pens else None, frequency)


def _write(text: str, file: str) -> None:
    with whole_file(file) as part:
        part.write_text(text, encoding="utf-8")

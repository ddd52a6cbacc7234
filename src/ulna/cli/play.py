"""`ulna play`: an arm to play with in a browser, and exercises, each as one HTML file."""

from __future__ import annotations

from typing import Annotated

from ulna.arm import Arm
from ulna.cli import flags
from ulna.cli.arguments import as_option, find_arm, read_angles
from ulna.cli.flags import argument, option, switch
from ulna.cli.terminal import say
from ulna.errors import InputError, Problem, rewording
from ulna.storage import check_new
from ulna.viewer.exercises import exercise as make_exercise
from ulna.viewer.playground import USUAL_ARM
from ulna.viewer.playground import play as write_playground

ArmArgument = Annotated[
    str | None,
    argument(
        "[ARM]",
        "A preset or a robot file of 1 to 4 links; kehl unless given.",
        autocompletion=flags.complete_arm,
    ),
]
OutOption = Annotated[str | None, option("FILE", "The page to write, .html by its name.")]
AnglesOption = Annotated[
    str | None, option("ANGLES", 'Joint angles to open with, such as "40 deg, -60 deg".')
]
ExerciseOption = Annotated[
    str | None,
    option("KIND", "Ask for something: reach, torque, lagrangian, pendulum or pid."),
]
SeedOption = Annotated[int | None, option(None, "Another seed gives an exercise other numbers.")]
KeySwitch = Annotated[
    bool, switch("--key", "Print the answers of an exercise, and write no page without --out.")
]
USUAL_FILE = "playground.html"
# What Python's words are called at the command line.
NAMES = {"arm": "ARM", "file": "out", "kind": "exercise"}


def play(
    arm: ArmArgument = None,
    out: OutOption = None,
    q0: AnglesOption = None,
    values: flags.Values = None,
    exercise: ExerciseOption = None,
    seed: SeedOption = None,
    key: KeySwitch = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Write a page to play with an arm in a browser, or an exercise with its answers."""
    for name, given in (("--key", key), ("--seed", seed is not None)):
        if given and exercise is None:
            raise InputError(Problem(name, "no exercise", "one", "add --exercise reach"))
    with rewording(lambda problem: as_option(problem, NAMES)):
        if key and exercise is not None:
            say(make_exercise(exercise, seed or 0).key())
        if out is not None or not key:
            found = _arm(arm, values, needed=exercise is None)
            _write(found, out or USUAL_FILE, q0, exercise, seed or 0, overwrite=overwrite)


def _arm(name: str | None, values: list[str] | None, *, needed: bool) -> Arm | None:
    """Return the arm to play with; None for that of an exercise."""
    return find_arm(name or USUAL_ARM, values=values) if name or values or needed else None


def _write(
    found: Arm | None, out: str, q0: str | None, exercise: str | None, seed: int, *, overwrite: bool
) -> None:
    check_new(out, "--out", overwrite=overwrite)
    angles = None if q0 is None else read_angles(q0, found or find_arm(USUAL_ARM), "--q0")
    made = write_playground(
        found, out, q0=angles, exercise=exercise, seed=seed, overwrite=overwrite
    )
    say(f"written: {made}, {made.stat().st_size / 1e3:.0f} kB; open it in a browser")

"""Options and arguments that several commands take, each declared once with its help.

The name of an option is that of the parameter it is given to, with dashes.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Annotated, Any

import typer


def option(metavar: str | None, text: str) -> Any:
    """Declare an option that takes a value, and whose text says what holds without one."""
    return typer.Option(metavar=metavar, help=text, show_default=False)


def with_default(metavar: str | None, text: str) -> Any:
    """Declare an option that takes a value, and whose default is shown."""
    return typer.Option(metavar=metavar, help=text)


def switch(name: str, text: str) -> Any:
    """Declare an option that is there or not."""
    return typer.Option(name, help=text)


def argument(metavar: str | None, text: str, **settings: Any) -> Any:
    """Declare what stands at its place, and whose text says what holds without it."""
    return typer.Argument(metavar=metavar, help=text, show_default=False, **settings)


def complete_arm(incomplete: str) -> Iterator[str]:
    """Return the arms that a word may become: presets, and robot files that are here."""
    from ulna.arm import presets

    files = sorted(str(path) for path in pathlib.Path().glob("*.toml"))
    yield from (name for name in [*presets(), *files] if name.startswith(incomplete))


def complete_motor(incomplete: str) -> Iterator[str]:
    """Return the motors that a word may become."""
    from ulna.arm.motor_catalogue import motor_names

    yield from (name for name in motor_names() if name.startswith(incomplete))


Arm = Annotated[
    str,
    argument(
        "ARM", "A preset (see `ulna list arms`) or a robot file.", autocompletion=complete_arm
    ),
]
UsualArm = Annotated[str | None, argument("[ARM]", "A preset or a robot file; kehl unless given.")]
Path = Annotated[
    str | None,
    argument(
        "[PATH]",
        "A shape such as \"circle(center=(0.2, 0.1), radius='5 cm')\", or a .csv or .svg "
        "file; see `ulna list paths`. Loops on a circle unless given.",
    ),
]
Posture = Annotated[str, option("ANGLES", 'One angle a joint: "40 deg, -60 deg".')]
Angles = Annotated[
    str,
    with_default(
        "NAME",
        "relative: each from the link before; absolute: each link's from the x axis. "
        "For what is typed and printed, speeds included; files and the q1, q2 "
        "... of formulas stay relative.",
    ),
]
Payload = Annotated[
    str | None, option("MASS", 'A load at the tip in place of the arm\'s own: "200 g".')
]
Motor = Annotated[
    list[str] | None,
    typer.Option(
        "--motor",
        metavar="NAME",
        help="A motor for all joints in place of the arm's own, or one each: repeated, or with "
        "commas; ideal for one without limits; see `ulna list motors`.",
        show_default=False,
        autocompletion=complete_motor,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Replace a value by name, such as 'link.2.mass=500 g'; can be repeated.",
        show_default=False,
    ),
]
NoGravity = Annotated[bool, switch("--no-gravity", "The arm lies flat: no gravity.")]
Explain = Annotated[bool, switch("--explain", "Show the worked steps, with the numbers put in.")]
Json = Annotated[bool, switch("--json", "Print JSON, in SI units and radians.")]
Overwrite = Annotated[bool, switch("--overwrite", "Replace a file that exists.")]
Plot = Annotated[str | None, option("FILE", "Draw it: .png, .svg or .pdf.")]
Html = Annotated[str | None, option("FILE", "A page that plays it in a browser: .html.")]
Film = Annotated[str | None, option("FILE", "Film it: .mp4 or .gif.")]
FilmSpeed = Annotated[float, with_default("NUMBER", "How many times as fast it plays.")]
Folder = Annotated[str, with_default("DIR", "The folder that the files go into.")]

Servo = Annotated[
    list[str] | None,
    typer.Option(
        "--servo",
        metavar="SERVO",
        help="Write a table for servos, and programs that play it: \"pulse(500, 2500, range='180 "
        "deg', zero='90 deg', direction=-1)\", degrees(...), ticks(4096, ...), dynamixel(...) or "
        'feetech(...) for all joints, or repeated for each; "pen(up=1400, down=1700)" for a pen.',
        show_default=False,
    ),
]
ServoRate = Annotated[
    str | None, option("FREQUENCY", "Rows a second of the table for servos; 50 Hz unless given.")
]
KeepOrder = Annotated[
    bool, switch("--keep-order", "Draw the strokes of a file in its order and directions.")
]
PlanRate = Annotated[
    str | None,
    option("FREQUENCY", "Rows per second of plan.csv; unless given as many as the motion needs."),
]
Duration = Annotated[str | None, option("TIME", 'How long it takes: "4 s".')]
Timing = Annotated[
    str | None,
    option(
        "NAME",
        "How it is timed, see `ulna list timings`: uniform unless given, or trapezoid where speed "
        "and acceleration of the tip have limits.",
    ),
]
MaxSpeed = Annotated[str | None, option("SPEED", 'Of the tip: "50 cm/s".')]
MaxAcceleration = Annotated[str | None, option("ACCELERATION", 'Of the tip: "2 m/s^2".')]
Fastest = Annotated[
    bool,
    switch(
        "--fastest",
        "In the least time that torques, motors and speeds of the joints and the limits of the tip "
        "allow, the same as --timing fastest.",
    ),
]
Reserve = Annotated[
    str | None, option("PART", 'Of all torques that --fastest leaves to feedback: "20 %".')
]
EndSpeeds = Annotated[
    str | None,
    option(
        "SPEEDS", 'Along the path at start and end, with --fastest: "0, 10 cm/s"; 0 unless given.'
    ),
]
MaxJointAcceleration = Annotated[
    str | None,
    option("ACCELERATIONS", 'Of all joints or one each, with --fastest: "20 rad/s^2".'),
]
Smoothing = Annotated[
    str | None,
    option("TIME", 'The window over which --fastest is averaged, for less jerk: "50 ms".'),
]
Elbow = Annotated[
    str | None, option("SIDE", "up or down at the start, or positive or negative: sin q2.")
]

CONTROLLER: Any = with_default(
    "CONTROLLER",
    'Such as "PID(kp=400, kd=40)", gains in N*m/rad and N*m*s/rad; see `ulna list controllers`.',
)
RATE: Any = with_default("FREQUENCY", 'The control rate: "1000 Hz".')

"""`--angles`: how angles are measured in what people type and read.

Inside, and in every file, joint angles are relative: each from the link before. Many texts are
written in absolute angles, each link's from the x axis. They are converted here, at the edge,
by the functions of `ulna.angles`; `q` is never the name of anything but relative angles.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm
from ulna.cli.arguments import read_angles, read_joints
from ulna.cli.terminal import degrees
from ulna.errors import InputError, Problem, did_you_mean, shown

MOST_SHOWN = 8  # angles of a posture in a sentence

AngleOption = Annotated[
    str,
    typer.Option(
        "--angles",
        metavar="NAME",
        help="relative: each from the link before; absolute: each link's from the x axis. "
        "For what is typed and printed, speeds included; files and the q1, q2 "
        "... of formulas stay relative.",
    ),
]


class Angles(NamedTuple):
    """How angles are measured at the command line."""

    absolute: bool

    @property
    def symbol(self) -> str:
        """The letter for one: q for a joint's, φ for a link's from the x axis."""
        return "φ" if self.absolute else "q"

    @property
    def measured(self) -> str:
        """Where they are measured from, in words."""
        return "from the x axis" if self.absolute else "from the link before"

    @property
    def remark(self) -> str:
        """What a heading adds where angles are not what they are everywhere else."""
        return ", angles from the x axis" if self.absolute else ""

    def read(self, text: str, arm: Arm, what: str) -> list[float]:
        """Read one angle a joint, as joint angles [rad]."""
        return self._relative(read_angles(text, arm, what))

    def read_speeds(self, text: str, arm: Arm, what: str) -> list[float]:
        """Read one speed a joint, as those of the joints [rad/s]."""
        return self._relative(read_joints(text, "speed", arm, what, "1 rad/s"))

    def _relative(self, values: list[float]) -> list[float]:
        if not self.absolute:
            return values
        return np.asarray(absolute_to_relative(np.array(values))).tolist()  # type: ignore[no-any-return]

    def of(self, q: Any) -> np.ndarray:
        """Return joint angles or speeds (…, n) as they are to be shown."""
        values = np.asarray(q, dtype=float)
        return np.asarray(relative_to_absolute(values)) if self.absolute else values

    def posture(self, q: Any) -> str:
        """Write a posture in degrees: "q = (40, -60)°"."""
        shown_angles = [degrees(angle, 2) for angle in self.of(q)[:MOST_SHOWN]]
        more = ", ..." * (len(q) > MOST_SHOWN)
        return f"{self.symbol} = ({', '.join(shown_angles)}{more})°"

    def facts(self, **relative: Any) -> dict[str, Any]:
        """Return joint angles and speeds by other names, from the x axis, if that was asked for."""
        if not self.absolute:
            return {}
        return {"angles": "absolute", **{name: self.of(value) for name, value in relative.items()}}


RELATIVE = Angles(absolute=False)
KNOWN = {"relative": RELATIVE, "absolute": Angles(absolute=True)}


def read_convention(text: str) -> Angles:
    """Read how angles are measured: relative or absolute."""
    if text not in KNOWN:
        need = "relative, each from the link before, or absolute, each from the x axis"
        raise InputError(Problem("--angles", shown(text), need, did_you_mean(text, KNOWN)))
    return KNOWN[text]


def explain_angles(q: np.ndarray, angles: Angles) -> str:
    """Return how joint angles follow from those of the links, where these were given."""
    if not angles.absolute:
        return ""
    phi = [degrees(angle) for angle in angles.of(q)]
    lines = ["Joint angles from link angles, which are measured from the x axis: "
             "q_i = phi_i - phi_(i-1)", f"  q_1 = phi_1 = {phi[0]}°"]  # fmt: skip
    lines += [
        f"  q_{i + 1} = phi_{i + 1} - phi_{i} = {phi[i]}° - {phi[i - 1]}° = {degrees(q[i])}°"
        for i in range(1, len(q))
    ]
    return "\n".join([*lines, "", ""]).replace("- -", "+ ")

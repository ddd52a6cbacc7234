"""Paper 000, by Kehl, Cabusi, Kim and Banuelos: a two-joint arm on a looping path."""

from __future__ import annotations

from ulna.papers.kehl.places import PLACES
from ulna.papers.row import Paper, Row

__all__ = ["PAPER", "judge"]


def judge() -> tuple[Row, ...]:
    """Return its rows; what they are computed with is loaded first."""
    from ulna.papers.kehl.rows import rows

    return rows()


PAPER = Paper(
    number="000",
    authors="Adam Kehl, Angelica Cabusi, Jacob Kim, Jose Banuelos, with Johnny Jingze Li",
    title="Simulating a 2-Joint Robot Arm Using Equations of Motion",
    about="It asks which torques lead the tip of a two-link arm along a path of loops, and whether "
    "the arm, driven by them, really goes there. Its kinematics and its equations come out "
    "again, and with the inertias of rods its torques do too. The replayed arm leaves its "
    "path because the motion is unstable: errors of the arithmetic begin it, the motion makes them "
    "grow, and feedback holds it.",
    judge=judge,
    places=PLACES,
)

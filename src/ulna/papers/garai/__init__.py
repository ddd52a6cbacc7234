"""Paper 002 again: a 2R arm in absolute angles, its elbow-up rule, its dynamics and statics."""

from __future__ import annotations

from ulna.papers.garai.places import PLACES
from ulna.papers.row import Paper, Row

__all__ = ["PAPER", "rows"]


def rows() -> tuple[Row, ...]:
    """Judge every item of the paper, then its errata."""
    from ulna.papers.garai import dynamics, elbow, errata, kinematics

    return (*kinematics.rows(), *elbow.rows(), *dynamics.rows(), *errata.rows())


PAPER = Paper(
    number="002",
    authors="Souritra Garai",
    title="2R – Elbow Manipulator",
    about=(
        "Two rods, both angles measured from the x axis: positions, velocities and accelerations, "
        "the posture with the elbow up, Lagrange's equations with a force at the tip, and their "
        "limits without mass and without motion. It prints no numbers; those here are for the "
        "preset `garai`. Its equations hold but for an index, if its torques are read as what "
        "they are: torques to the ground and not those of motors at the joints."
    ),
    judge=rows,
    places=PLACES,
)

"""Paper 004 again: four problems of a two-link arm, and a printed inverse put right."""

from __future__ import annotations

from ulna.papers.ang.places import PLACES
from ulna.papers.row import Paper, Row

__all__ = ["PAPER", "rows"]


def rows() -> tuple[Row, ...]:
    """Judge every item of the paper, then its errata."""
    from ulna.papers.ang import digits, errata, inverse, problems, reading

    return (*problems.rows(), digits.row(), inverse.row(), *errata.rows(), *reading.rows())


PAPER = Paper(
    number="004",
    authors="Andersen Ang",
    title="Kinematic Analysis on a 2D 2-linked arm",
    about=(
        "Four problems of an arm with two links are stated: forward and inverse kinematics, "
        "statics and dynamics; the first two are worked out. Its forward kinematics are right. Its "
        "inverse, as printed, misses by the length of a link, and is exact once five errata are "
        "put right. It prints no numbers; those here are for the preset `ang`."
    ),
    judge=rows,
    places=PLACES,
)

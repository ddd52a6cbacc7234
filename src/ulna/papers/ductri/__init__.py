"""Paper 003 again: two links with inertias and point masses, their equations and their uses."""

from __future__ import annotations

from ulna.papers.ductri.places import PLACES
from ulna.papers.row import Paper, Row

__all__ = ["PAPER", "rows"]


def rows() -> tuple[Row, ...]:
    """Judge every item of the paper, then its errata."""
    from ulna.papers.ductri import control, equations, errata

    return (*equations.rows(), *control.rows(), *errata.rows())


PAPER = Paper(
    number="003",
    authors="ductri",
    title="Dynamic Model of Planar Robots with Two Revolute Joints",
    about=(
        "Kinetic and potential energy of two links with inertias and with point masses at the "
        "joints and the tip, Lagrange's equations for both joints, and the uses of their matrix "
        "form: computed torque, adaptive control, feed-forward and simulation. It prints no "
        "numbers; those here are for the preset `ductri`. Its equations are right for the masses "
        "that are in them; those of the links are announced and left out."
    ),
    judge=rows,
    places=PLACES,
)

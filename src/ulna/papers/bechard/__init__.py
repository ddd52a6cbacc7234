"""Paper 001 (Bechard & Ivanov): one joint in its regimes, and n joints one after the other."""

from __future__ import annotations

from ulna.papers.bechard.places import PLACES
from ulna.papers.row import Paper, Row

__all__ = ["PAPER", "rows"]


def rows() -> tuple[Row, ...]:
    """Return the rows of the paper: what it does in its order, then its errata."""
    from ulna.papers.bechard import (
        chain_errata,
        energy,
        joint_errata,
        joints,
        one_joint,
        outlook,
        portraits,
        skater,
        writing_errata,
    )

    items = (
        *one_joint.rows(),
        *portraits.rows(),
        *joints.rows(),
        energy.row(),
        skater.row(),
        joints.torque_as_a_function(),
        outlook.row(),
    )
    errata = (*joint_errata.rows(), *writing_errata.rows(), *chain_errata.rows())
    return (*items, *sorted(errata, key=lambda row: int(row.key.removeprefix("erratum-"))))


PAPER = Paper(
    number="001",
    authors="Nathaniel Bechard and Ivan T. Ivanov",
    title="Robotic Arm Dynamics Simulation – A First Principles Analysis",
    about=(
        "How does an arm move that motors of a given torque turn? The paper answers for one "
        "joint, whose equation it derives and whose phase portraits it draws in five regimes, "
        "and then for any number of joints, each treated as a one-joint problem of its own. "
        "Its equation of one joint and its portraits hold. The arm of many joints is an "
        "approximation that leaves out what the joints do to one another; it is kept here under "
        "its own name, beside the true motion."
    ),
    judge=rows,
    places=PLACES,
)

"""All rows of paper 000: its items in its order, then its errata."""

from __future__ import annotations

from ulna.papers.kehl import (
    errata_angles,
    errata_formulas,
    errata_listings,
    items_motion,
    items_outlook,
    items_replay,
    items_torques,
)
from ulna.papers.kehl.items_kinematics import kinematic_items
from ulna.papers.row import Row

ERRATA = range(1, 26)
ROOMS = errata_angles, errata_formulas, errata_listings


def rows() -> tuple[Row, ...]:
    """Return the rows of paper 000; nothing is drawn."""
    return (
        *kinematic_items(),
        items_motion.lagrangian(),
        items_motion.path(),
        items_motion.rates(),
        items_torques.torques_row(),
        items_replay.replay(),
        items_replay.replay_113_bit(),
        items_replay.stability(),
        items_replay.feedback(),
        items_outlook.animation(),
        items_torques.mass_sweep(),
        items_outlook.outlook(),
        *(_erratum(number) for number in ERRATA),
    )


def _erratum(number: int) -> Row:
    name = f"erratum_{number}"
    (room,) = (module for module in ROOMS if hasattr(module, name))
    made: Row = getattr(room, name)()
    return made

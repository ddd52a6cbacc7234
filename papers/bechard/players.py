"""Players of paper 001: its one joint, and arms in its model beside the same arms as they move."""

from __future__ import annotations

from collections.abc import Callable

from papers.bechard import rows, runs
from papers.bechard.runs import MODELS, Model
from ulna.simulation import Run
from ulna.viewer import player


@rows.player("001-one-joint.html")
def one_joint() -> str:
    """Play the one joint under its torque of 10 N·m."""
    return player(runs.one_joint(), title="One joint, 10 N·m").html


@rows.player("001-four-joints.html")
def four_joints() -> str:
    """Play the four joints in both models."""
    return _both(runs.four, "Four joints")


@rows.player("001-skater.html")
def skater() -> str:
    """Play the skater under both torques, in both models."""
    return _both(runs.skater, "The skater, driven")


@rows.player("001-skater-tuck.html")
def tuck() -> str:
    """Play the skater who spins freely and tucks, in both models."""
    return _both(runs.tucking, "The skater, free, tucks")


def _both(run: Callable[[Model], Run], title: str) -> str:
    models: tuple[Model, Model] = ("full", "sequential")
    return player({MODELS[model]: run(model) for model in models}, title=title).html

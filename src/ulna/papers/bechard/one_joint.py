"""One joint: its equation, and the run of the paper's listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ulna.dynamics import forward_dynamics, holding_torque
from ulna.papers.bechard import films, printed, runs
from ulna.papers.bechard.parameters import (
    DRIVEN,
    DRIVEN_B,
    DRIVEN_TORQUE,
    ONE,
    ONE_B,
    UNDER_POWERED,
    said,
)
from ulna.papers.row import Film, Number, Picture, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REGIMES = (  # an arm, its B and its torque
    (ONE, ONE_B, 0.0),
    (ONE, ONE_B, UNDER_POWERED),
    (DRIVEN, DRIVEN_B, DRIVEN_TORQUE),
)
STATES = 200  # of every regime, on which the equation is compared


def rows() -> tuple[Row, ...]:
    """Return what is said about one joint before the phase portraits."""
    return _equation(), _run()


def _equation() -> Row:
    off = largest_difference()
    small, large = (float(arm.joints[0].damping) for arm in (ONE, DRIVEN))
    return Row(
        key="equation",
        title="The equation of motion of one joint",
        where="§3.1",
        printed="y₁′ = y₂, y₂′ = (τ − m g L cos y₁)/(m L²) − B y₂",
        ours="the same, with a damping at the joint of b = B m L²",
        verdict=Verdict.SAME,
        why="For one joint there is nothing to couple, and its equation is ours.",
        how=(
            f"accelerations at {STATES * len(REGIMES)} random states of its three regimes agree "
            f"to {said(off, '.1g')} rad/s²"
        ),
        call=(
            "import ulna\n"
            'arm = ulna.preset("bechard-1")  # 1 m, 1 kg, B = 0.2 per second\n'
            "turning = ulna.dynamics.forward_dynamics(arm, [0.3], [1.0], [10.0])\n"
        ),
        numbers=(
            Number("difference", off, "rad/s²", label="largest difference", digits=2),
            Number("damping-1", small, "N·m·s/rad", label="b for L = 1 m, B = 0.2 /s"),
            Number("damping-5", large, "N·m·s/rad", label="b for L = 5 m, B = 0.5 /s"),
        ),
        pictures=(Picture("001-one-joint.svg", "A mass on a rod that a motor turns", _schematic),),
    )


def largest_difference() -> float:
    """Return how far the printed accelerations are from ours [rad/s²], at random states."""
    angle, rate = np.random.default_rng(0).uniform(-9.0, 9.0, (2, STATES, 1))
    off = []
    for arm, B, tau in REGIMES:
        link = arm.links[0]
        slope = printed.one_joint(link.length, link.mass, tau, B)
        as_printed = [slope(0.0, state)[1] for state in np.hstack([angle, rate])]
        ours = forward_dynamics(arm, angle, rate, np.array([tau]))[:, 0]
        off.append(np.abs(ours - as_printed).max())
    return float(max(off))


def _run() -> Row:
    run = runs.one_joint()
    angle, speed = float(run.q[-1, 0]), float(run.qd[-1, 0])
    turns = angle / (2.0 * np.pi)
    weight = float(holding_torque(ONE, [0.0])[0])
    return Row(
        key="one-joint",
        title="Its default run: 10 N·m on 1 kg at 1 m, for 20 s",
        where="§3.2",
        printed="parameters of the run, and an animation with a clock and the speed in it",
        ours=f"{turns:.1f} turns in 20 s, and still speeding up at {speed:.2f} rad/s",
        verdict=Verdict.SAME,
        why=(
            f"10 N·m are just more than the {weight:.2f} N·m that hold the arm level, so that it "
            "turns at once, and faster from turn to turn."
        ),
        how="DOP853, as there, to nine digits a step",
        call=(
            "import ulna\n"
            'arm = ulna.preset("bechard-1")\n'
            "run = ulna.simulate(arm, q0=[0.0], torque=[10.0], duration=20.0)\n"
        ),
        numbers=(
            Number("angle", angle, "rad", label="θ after 20 s", digits=7),
            Number("speed", speed, "rad/s", label="θ̇ after 20 s"),
            Number("turns", turns, "", label="turns", digits=5),
            Number("weight", weight, "N·m", label="torque that holds it level", digits=4),
        ),
        films=(
            Film(
                "001-one-joint.mp4",
                "One joint under 10 N·m for 20 s. The link is 1 m long: its tip has as many m/s as "
                "the joint has rad/s.",
                films.one_joint,
            ),
        ),
    )


def _schematic() -> Figure:
    from ulna.papers import schematics

    return schematics.one_joint()

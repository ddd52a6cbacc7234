"""Joints in a row: the sequential model, and the paper's four joints in it and in truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.dynamics import gravity_torque, mass_matrix, sequential
from ulna.papers.bechard import drawings, films, printed, runs
from ulna.papers.bechard.given import (
    FOUR,
    FOUR_B,
    link_angles,
    link_rates,
    numbered,
)
from ulna.papers.row import Film, Number, Picture, Row, Verdict
from ulna.simulation import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STATES = 200
NUDGE = 1e-9  # [rad], [rad/s]

FOUR_CALL = """\
import numpy as np
import ulna
from ulna.angles import absolute_to_relative, relative_to_absolute
arm = ulna.preset("bechard-4")
start = dict(
    q0=absolute_to_relative(np.array([0.1, 0.1, 0.1, 0.0])),
    qd0=absolute_to_relative(np.array([0.3, 0.3, 0.3, 0.0])),
)
"""


def rows() -> tuple[Row, ...]:
    """Give the model and its example."""
    return _model(), _four_joints()


def _model() -> Row:
    off = largest_differences()
    return Row(
        key="sequential",
        title="The n-joint model: every joint a one-joint problem of its own",
        where="§4.1",
        printed="θ̈ₐ = (τₐ − Σ m g x)/Iₐ − Bₐ θ̇ₐ, Iₐ = Σ m r² over the masses beyond joint a",
        ours=(
            "the same, for any number of joints: diag(M)⁻¹ (τ − G), with the M and G of joint "
            "angles, put on link angles"
        ),
        verdict=Verdict.SAME,
        why=(
            "Inertia and weight beyond a joint are the diagonal of the true mass matrix in joint "
            "angles and the true weight; what the joints do to one another is left out (erratum 8)."
        ),
        how=(
            "`ulna.dynamics.sequential` against its sums, and against M and G, at "
            f"{STATES} random states of its four joints"
        ),
        call=(
            "import ulna\n"
            'arm = ulna.preset("bechard-4")\n'
            "turning = ulna.dynamics.sequential.forward_dynamics(\n"
            "    arm, [0.1, 0.1, 0.1, 0.0], [0.3, 0.3, 0.3, 0.0], [300, 3, 50, 5],\n"
            "    friction=[0.5, 0.5, 0.5, 0.25],\n"
            ")\n"
        ),
        numbers=tuple(
            Number(name, value, "", label=f"{label}, largest relative difference", digits=2)
            for name, label, value in zip(
                ("accelerations", "inertias", "weights"),
                ("from its sums", "Iₐ from Mₐₐ", "weight from Gₐ"),
                off,
                strict=True,
            )
        ),
        pictures=(Picture("001-sequential.svg", "Joints in a row", _schematic),),
    )


def largest_differences() -> tuple[float, float, float]:
    """Give how far the model is from the printed sums, and its parts from M and G."""
    random = np.random.default_rng(2)
    angle = random.uniform(-np.pi, np.pi, (STATES, 4))
    rate, tau = random.uniform(-3.0, 3.0, (STATES, 4)), random.uniform(-99.0, 99.0, (STATES, 4))
    ours = sequential.forward_dynamics(FOUR, angle, rate, tau, friction=np.array(FOUR_B))
    sums = [
        printed.sequential(FOUR, torque, FOUR_B)(0.0, state)[4:]
        for torque, state in zip(tau.tolist(), np.hstack([angle, rate]), strict=True)
    ]
    q = absolute_to_relative(angle)
    seen = sequential.frozen(FOUR, angle)
    diagonal = np.diagonal(mass_matrix(FOUR, q), axis1=-2, axis2=-1)
    pairs = ((ours, sums), (seen.inertia, diagonal), (seen.weight, gravity_torque(FOUR, q)))
    first, second, third = (float(_apart(*pair)) for pair in pairs)
    return first, second, third


def _apart(ours: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(ours - np.asarray(other)).max() / np.abs(other).max())


def _four_joints() -> Row:
    model, true, losing = runs.four("sequential"), runs.four("true"), runs.four_losing_speed()
    nudged = runs.four_losing_speed(NUDGE)
    behind = float(link_angles(true)[-1, 0] - link_angles(model)[-1, 0])
    grown = float(np.abs(link_angles(nudged)[-1] - link_angles(losing)[-1]).max())
    return Row(
        key="four-joints",
        title="Its four joints for 20 s, in its model and as they move",
        where="§4.2",
        printed="parameters of the run and an animation of it, in the sequential model",
        ours=(
            "in its model links 2 and 4 stay hanging, held by 3 and 5 N·m; in truth the first "
            "motor takes all four along, and they end up whirling stretched out"
        ),
        verdict=Verdict.CORRECTED,
        why=(
            "The model's run comes out as its listing computes it; the same arm with the coupling "
            f"put in is {behind:.0f} rad further in its first link."
        ),
        how=(
            "DOP853 to twelve digits a step; true: motors at the joints and dampers of b = B N·m·s "
            "between the links. With its −B θ̇ on the accelerations instead, the true arm is "
            f"chaotic, and a nudge of a billionth has become {grown:.2g} rad after 3 s"
        ),
        call=FOUR_CALL
        + (
            "given = dict(**start, torque=[300, 3, 50, 5], duration=20.0, rtol=1e-12)\n"
            "friction = [0.5, 0.5, 0.5, 0.25]  # B, per second\n"
            'model = ulna.simulate(arm, **given, model="sequential", friction=friction)\n'
            "true = ulna.simulate(arm, **given)\n"
            "print(relative_to_absolute(model.q[-1]), relative_to_absolute(true.q[-1]))\n"
        ),
        numbers=(
            *_final("sequential", model, "sequential, 20 s"),
            *_final("true", true, "true, 20 s"),
            *numbered(
                "losing-angle", link_angles(losing)[-1], "rad",
                of="θ, true with −B θ̇ on accelerations, 3 s", digits=8,
            ),
            Number("nudged", grown, "rad", label="what a nudge of a billionth becomes", digits=2),
        ),
        pictures=(
            Picture(
                "001-four-joints.png",
                "The end of the run, the angles of the links from the horizontal and the energy "
                "of the arm, in the paper's model and in true dynamics",
                drawings.four_joints,
            ),
        ),
        films=(
            Film(
                "001-four-joints.mp4",
                "The same arm under the same torques: the paper's model, and true dynamics",
                films.four_joints,
            ),
        ),
    )  # fmt: skip


def _final(name: str, run: Run, of: str) -> tuple[Number, ...]:
    angles, rates = link_angles(run)[-1], link_rates(run)[-1]
    return (
        *numbered(f"{name}-angle", angles, "rad", of=f"θ, {of}", digits=9),
        *numbered(f"{name}-speed", rates, "rad/s", of=f"θ̇, {of}", digits=7),
    )


def torque_as_a_function() -> Row:
    """Give the row of the torque that grows with time."""
    run = runs.four_pushed("100*t")
    angle, speed = float(link_angles(run)[-1, 0]), float(link_rates(run)[-1, 0])
    return Row(
        key="torque-function",
        title="A torque that is a function of time: 100 t on the first of four joints",
        where="§4.4",
        printed="a function of t in place of the array of torques",
        ours=f"after 5 s the first link has come to {angle:.5f} rad",
        verdict=Verdict.SAME,
        why="Any torque that can be written down in t can be given, as text or as a function.",
        how="in its model, with the start and the frictions of its four joints",
        call=FOUR_CALL
        + (
            "run = ulna.simulate(\n"
            '    arm, **start, torque=["100*t", 0, 0, 0], duration=5.0,\n'
            '    model="sequential", friction=[0.5, 0.5, 0.5, 0.25],\n'
            ")\n"
            "print(relative_to_absolute(run.q[-1]))\n"
        ),
        numbers=(
            Number("angle", angle, "rad", label="θ₁ after 5 s"),
            Number("speed", speed, "rad/s", label="θ̇₁ after 5 s"),
        ),
        pictures=(
            Picture(
                "001-torque-function.svg",
                "The torque on the first joint, and the angles of the four links",
                drawings.growing_torque,
            ),
        ),
    )


def _schematic() -> Figure:
    from ulna.papers import schematics

    return schematics.sequential_arm()

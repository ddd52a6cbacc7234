"""Joints in a row: the sequential model, and the paper's four joints in it and in truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.dynamics import gravity_torque, mass_matrix, sequential
from ulna.papers.bechard import drawings, films, printed, runs
from ulna.papers.bechard.parameters import (
    FOUR,
    FOUR_B,
    link_angles,
    link_rates,
    numbered,
    said,
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
    """Return the model and its example."""
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
            "accelerations = ulna.dynamics.sequential.forward_dynamics(\n"
            "    arm, [0.1, 0.1, 0.1, 0.0], [0.3, 0.3, 0.3, 0.0], [300, 3, 50, 5],\n"
            "    sequential_damping=[0.5, 0.5, 0.5, 0.25],\n"
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
    """Return how far the model is from the printed sums, and its parts from M and G."""
    random = np.random.default_rng(2)
    angle = random.uniform(-np.pi, np.pi, (STATES, 4))
    rate, tau = random.uniform(-3.0, 3.0, (STATES, 4)), random.uniform(-99.0, 99.0, (STATES, 4))
    ours = sequential.forward_dynamics(FOUR, angle, rate, tau, sequential_damping=np.array(FOUR_B))
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
    model, true, losing = runs.four("sequential"), runs.four("full"), runs.four_losing_speed()
    rubbed, both = (runs.four(one, "by its number") for one in ("sequential", "full"))
    nudged = runs.four_losing_speed(NUDGE)
    coupling, friction, together = (
        float(link_angles(run)[-1, 0] - link_angles(model)[-1, 0]) for run in (true, rubbed, both)
    )
    by_links = float(link_angles(runs.four_by_link_rates())[-1, 0])
    grown = float(np.abs(link_angles(nudged)[-1] - link_angles(losing)[-1]).max())
    return Row(
        key="four-joints",
        title="Its four joints for 20 s, in its model and as they move",
        where="§4.2",
        printed="parameters of the run and an animation of it, in the sequential model",
        ours=(
            "in its model links 2 and 4 stay hanging, held by 3 and 5 N·m; in truth, with the same "
            "friction, the first motor takes all four along, and they turn together at about "
            f"{float(link_rates(true)[-1].mean()):.0f} rad/s"
        ),
        verdict=Verdict.CORRECTED,
        why=(
            "The model's run comes out as its listing computes it. What it leaves out of the arm "
            f"(erratum 8) takes {-coupling:.0f} of the {link_angles(model)[-1, 0]:.0f} rad of the "
            "first link, friction being the same."
        ),
        how=(
            "DOP853 to twelve digits a step; motors and friction at the joints. One thing is "
            "changed at a time: the coupling with friction b = B I(θ) in both models, then the "
            "friction with B taken for N·m·s/rad in both (erratum 3), then both. In the true arm "
            "friction goes with the rates of the joints; with those of the links, as the formula "
            f"has it, its first link comes to {by_links:.1f} rad. With its −B θ̇ on the "
            "accelerations of the true arm instead, that is chaotic, and a nudge of a "
            f"billionth has become {grown:.2g} rad after 3 s"
        ),
        size=(
            f"first link after 20 s, against the paper's model: {said(coupling, '+.1f')} rad by "
            f"the coupling alone, {said(friction, '+.1f')} by B read as N·m·s/rad alone, "
            f"{said(together, '+.1f')} by both"
        ),
        call=FOUR_CALL
        + (
            "given = dict(**start, duration=20.0, rtol=1e-12)\n"
            "free = arm.replace(joints=[ulna.Joint()] * 4)\n"
            "model = ulna.simulate(\n"
            '    free, **given, torque=[300, 3, 50, 5], dynamics="sequential",\n'
            "    sequential_damping=[0.5, 0.5, 0.5, 0.25],  # B, per second\n"
            ")\n"
            "# The same friction at the joints of the true arm: b = B I, with I as it bends.\n"
            'near = "6*cos(q3) + 12*cos(q3 + q4) + 9*cos(q4)"\n'
            'far = "36*cos(q2) + 12*cos(q2 + q3) + 24*cos(q2 + q3 + q4)"\n'
            "torque = [\n"
            '    f"300 - 0.5*(71.25 + {far} + {near})*qd1",\n'
            '    f"3 - 0.5*(23.25 + {near})*qd2",\n'
            '    "50 - 0.5*(14.25 + 9*cos(q4))*qd3",\n'
            '    "5 - 0.25*12*qd4",\n'
            "]\n"
            "true = ulna.simulate(free, **given, torque=torque)\n"
            "print(relative_to_absolute(model.q[-1]), relative_to_absolute(true.q[-1]))\n"
        ),
        numbers=(
            *_final("sequential", model, "sequential, B per second (the paper)"),
            *_final("true", true, "true, B per second"),
            *_final("rubbed", rubbed, "sequential, b = B N·m·s/rad"),
            *_final("both", both, "true, b = B N·m·s/rad"),
            *numbered(
                "preset-angle", link_angles(runs.four("full", "of the preset"))[-1], "rad",
                of="θ, true, constant dampers of the preset", digits=8,
            ),
            *numbered(
                "losing-angle", link_angles(losing)[-1], "rad",
                of="θ, true with −B θ̇ on accelerations, 3 s", digits=8,
            ),
            Number("coupling", coupling, "rad", label="θ₁, by the coupling alone"),
            Number("friction", friction, "rad", label="θ₁, by the friction alone"),
            Number("together", together, "rad", label="θ₁, by both"),
            Number("by-links", by_links, "rad", label="θ₁, true, friction by rates of links"),
            Number("nudged", grown, "rad", label="what a nudge of a billionth becomes", digits=2),
        ),
        pictures=(
            Picture(
                "001-four-joints.png",
                "The end of the run, the angles of the links from the horizontal and the energy "
                "of the arm, in the paper's model and in true dynamics, both with the paper's "
                "friction",
                drawings.four_joints,
            ),
            Picture(
                "001-four-joints-apart.svg",
                "The first link's angle, the coupling and the friction changed one at a time and "
                "together",
                drawings.one_at_a_time,
            ),
        ),
        films=(
            Film(
                "001-four-joints.mp4",
                "The same arm under the same torques and with the same friction, b = B I: the "
                "paper's model, and true dynamics",
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
    """Return the row of the torque that grows with time."""
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
            '    dynamics="sequential", sequential_damping=[0.5, 0.5, 0.5, 0.25],\n'
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

"""Where paper 002's arm is: its drawing, its forward and its inverse kinematics."""

from __future__ import annotations

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.kinematics import elbow_side, inverse, tip, tip_acceleration, tip_velocity
from ulna.papers import schematics
from ulna.papers.garai import printed, samples
from ulna.papers.row import Number, Picture, Row, Verdict

POINT = np.array([1.2, 0.8])  # [m] the example for the inverse

FORWARD = """\
import numpy as np
import ulna
from ulna.angles import absolute_to_relative

arm = ulna.preset("garai")
q = absolute_to_relative(np.radians([60.0, 20.0]))  # the paper's q1, q2
qd = absolute_to_relative(np.array([1.0, -0.5]))
qdd = absolute_to_relative(np.array([2.0, 1.0]))
print(ulna.kinematics.tip(arm, q))
print(ulna.kinematics.tip_velocity(arm, q, qd))
print(ulna.kinematics.tip_acceleration(arm, q, qd, qdd))
"""
INVERSE = """\
import ulna
from ulna.angles import relative_to_absolute

arm = ulna.preset("garai")
found = ulna.kinematics.inverse(arm, [1.2, 0.8])
for q in found.q:
    if ulna.kinematics.elbow_side(arm, q) > 0:
        print(relative_to_absolute(q))  # the paper's q1, q2
"""


def rows() -> tuple[Row, ...]:
    """Judge the drawing, forward and inverse kinematics."""
    return _schematic(), _forward(), _inverse()


def _schematic() -> Row:
    return Row(
        key="schematic",
        title="The arm",
        where="Figure 1",
        printed="Two rods in the xy plane, joined by revolute joints, with two degrees of freedom.",
        ours="An `Arm` of two rods; its absolute angles are the sums of our joint angles.",
        verdict=Verdict.SAME,
        why="The arm can be said in our terms as it is drawn.",
        call='import ulna\n\nprint(ulna.preset("garai"))\n',
        numbers=(Number("freedom", samples.arm().n, printed=2, label="degrees of freedom"),),
        pictures=(
            Picture(
                "002-figure-1.svg",
                "Figure 1 redrawn: two rods, both angles from the x axis, torques and a force.",
                schematics.garai,
            ),
        ),
    )


def _forward() -> Row:
    p, (phi, rate, turning) = samples.rods(), samples.states()
    arm, states = samples.arm(), samples.joint_states()
    places = samples.apart(tip(arm, states[0])[:, :2], printed.position(p, phi))
    speeds = samples.apart(tip_velocity(arm, *states[:2])[:, :2], printed.velocity(p, phi, rate))
    gains = samples.apart(
        tip_acceleration(arm, *states)[:, :2], printed.acceleration(p, phi, rate, turning)
    )
    return Row(
        key="forward",
        title="Forward kinematics",
        where="(1)–(8)",
        printed="Position, velocity and acceleration of the tip from both absolute angles.",
        ours="`kinematics.tip`, `tip_velocity`, `tip_acceleration` after `absolute_to_relative`.",
        verdict=Verdict.SAME,
        why=(
            f"On {samples.STATES} random states its equations and ours differ by rounding, "
            f"{max(places, speeds, gains):.0e} at most."
        ),
        call=FORWARD,
        numbers=(
            *_example(),
            Number("position_apart", places, "m", label="position apart", digits=2),
            Number("velocity_apart", speeds, "m/s", label="velocity apart", digits=2),
            Number("acceleration_apart", gains, "m/s²", label="acceleration apart", digits=2),
        ),
    )


def _example() -> tuple[Number, ...]:
    """Return where the tip is in the example, how fast it is and how it speeds up."""
    arm = samples.arm()
    q, qd, qdd = (
        absolute_to_relative(part) for part in (samples.PHI, samples.RATE, samples.TURNING)
    )
    kinds = (
        ("position", "m", tip(arm, q)),
        ("velocity", "m/s", tip_velocity(arm, q, qd)),
        ("acceleration", "m/s²", tip_acceleration(arm, q, qd, qdd)),
    )
    return tuple(
        Number(f"{kind}_{axis}", float(values[k]), unit, label=axis, of=f"{kind}")
        for kind, unit, values in kinds
        for k, axis in enumerate("xy")
    )


def _inverse() -> Row:
    p, targets, arm = samples.rods(), samples.targets(), samples.arm()
    phi, _ = printed.elbow_up(p, targets)
    q = np.asarray(absolute_to_relative(phi))
    miss = samples.apart(tip(arm, q)[:, :2], targets)
    above = float((elbow_side(arm, q) > 0).mean())
    ours = inverse(arm, POINT).q
    upper = ours[int(np.argmax(elbow_side(arm, ours)))]
    return Row(
        key="inverse",
        title="Inverse kinematics with the elbow up",
        where="(9)–(15), Figure 2",
        printed="Of the two bends ±θ the one with the elbow up, by the sign of x; then q₁ and q₂.",
        ours="`kinematics.inverse` gives both postures; `elbow_side` says which has the elbow up.",
        verdict=Verdict.SAME,
        why=(
            f"With atan2 as the text says, all of {samples.TARGETS:,} targets in four quadrants "
            f"are reached to {miss:.0e} m, and the elbow is above the line from base to tip."
        ),
        call=INVERSE,
        numbers=(
            *_angles(),
            Number("our_q1", float(np.degrees(upper[0])), "°", label="ours, q₁"),
            Number("our_q2", float(np.degrees(upper.sum())), "°", label="ours, q₂"),
            Number("tip_error", miss, "m", label="largest tip error", digits=2),
            Number("elbow_above", above, label="part with the elbow above"),
        ),
        pictures=(
            Picture(
                "002-figure-2.svg",
                "Figure 2 redrawn: the right triangles that define θ, φ and ϕ.",
                schematics.garai_angles,
            ),
        ),
    )


def _angles() -> tuple[Number, ...]:
    """Return all angles of the example by the paper's equations."""
    p = samples.rods()
    phi, theta = printed.elbow_up(p, POINT)
    angles = {
        "theta": (theta, "θ (11)"),
        "bearing": (np.arctan2(POINT[1], POINT[0]), "ϕ (12)"),
        "lean": (printed.lean(p, theta), "φ (13)"),
        "q1": (phi[0], "q₁ (14)"),
        "q2": (phi[1], "q₂ (15)"),
    }
    of = f"E({POINT[0]:g}, {POINT[1]:g})"
    return tuple(
        Number(name, float(np.degrees(value)), "°", label=label, of=of)
        for name, (value, label) in angles.items()
    )

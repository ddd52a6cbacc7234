"""Paper 004's four problems, each answered by a call."""

from __future__ import annotations

import numpy as np

from ulna import dynamics, kinematics
from ulna.papers.ang import printed, samples
from ulna.papers.row import Number, Picture, Row, Verdict

Q = np.radians([30.0, 45.0])  # the posture of the examples
TOO_FAR = (2.0, 0.0)  # [m]
POSTURES = 500

FORWARD = """\
import numpy as np
import ulna

arm = ulna.preset("ang")
print(ulna.kinematics.tip(arm, np.radians([30.0, 45.0])))  # x, y, orientation
"""
INVERSE = """\
import ulna

arm = ulna.preset("ang")
for target in ([1.2, 0.6], [2.0, 0.0]):
    found = ulna.kinematics.inverse(arm, target)
    print(target, "possible" if found.reachable else f"out of reach by {found.shortfall:.3g} m")
    print(found.q)  # all postures
"""
STATICS = """\
import numpy as np
import ulna

arm = ulna.preset("ang")
q = np.radians([30.0, 45.0])
print(ulna.dynamics.tip_force(arm, q, [0.0, 0.0]), "N at the tip hold it without motors")
print(ulna.dynamics.holding_torque(arm, q), "N·m at the joints hold it without a hand")
"""
DYNAMICS = """\
import numpy as np
import ulna

arm = ulna.preset("ang")
q, qd, tau = np.radians([30.0, 45.0]), [0.5, -1.0], [5.0, 2.0]
print(ulna.dynamics.forward_dynamics(arm, q, qd, tau), "rad/s²")
print(ulna.dynamics.kinetic_energy(arm, q, qd) + ulna.dynamics.potential_energy(arm, q), "J")
print(ulna.dynamics.tip_force(arm, q, tau), "N that would balance the torques at rest")
"""
RATE, TORQUE = np.array([0.5, -1.0]), np.array([5.0, 2.0])


def rows() -> tuple[Row, ...]:
    """Judge the four problems."""
    return _forward(), _inverse(), _statics(), _dynamics()


def _forward() -> Row:
    l1, l2, *_ = samples.example()
    th = np.random.default_rng(5).uniform(-4.0, 4.0, (POSTURES, 2))
    both = printed.forward(l1, l2, *th.T)
    apart = float(np.abs(kinematics.tip(samples.arm(), th)[:, :2] - np.stack(both, -1)).max())
    x, y, heading = kinematics.tip(samples.arm(), Q)
    return Row(
        key="forward",
        title="The forward problem",
        where="The Forward Kinematics Problem",
        printed="x and y of the tip from both lengths and both angles, also as a matrix.",
        ours="`kinematics.tip`, with the orientation that the statement asks for.",
        verdict=Verdict.SAME,
        why=f"On {POSTURES} random postures its formula and ours agree up to rounding.",
        call=FORWARD,
        numbers=(
            Number("x", float(x), "m", of="θ = 30°, 45°"),
            Number("y", float(y), "m", of="θ = 30°, 45°"),
            Number("heading", float(np.degrees(heading)), "°", of="θ = 30°, 45°"),
            Number("apart", apart, "m", label="largest difference", digits=2),
        ),
    )


def _inverse() -> Row:
    from ulna.papers.ang import figures

    arm, example = samples.arm(), samples.example()
    found = kinematics.inverse(arm, (example.x, example.y))
    far = kinematics.inverse(arm, TOO_FAR)
    postures = tuple(
        Number(
            f"theta{i + 1}_{k + 1}",
            float(np.degrees(found.q[k, i])),
            "°",
            label=f"θ{'₁₂'[i]}",
            of=f"posture {k + 1} for ({example.x:g}, {example.y:g})",
        )
        for k in range(2)
        for i in range(2)
    )
    return Row(
        key="inverse",
        title="The inverse problem: is it possible, and in which postures?",
        where="The Inverse Kinematics Problem",
        printed="Asked: is a place in reach, and in which postures? Given: one formula for one.",
        ours="`kinematics.inverse`: `reachable`, `shortfall`, and every posture in `q`.",
        verdict=Verdict.INCOMPLETE,
        why=(
            "The printed formula gives neither answer (errata 4 and 10); ours has "
            f"{int(found.valid.sum())} postures for P({example.x:g}, {example.y:g}) and says that "
            f"({TOO_FAR[0]:g}, {TOO_FAR[1]:g}) is {float(far.shortfall):.1f} m out of reach."
        ),
        call=INVERSE,
        numbers=(
            *postures,
            Number("postures", int(found.valid.sum()), label="postures"),
            Number("residual", float(found.residual.max()), "m", label="tip error", digits=2),
            Number("shortfall", float(far.shortfall), "m", label="(2, 0) is out of reach by"),
        ),
        pictures=(
            Picture("004-inverse.svg", "Both postures for one point.", figures.both_postures),
        ),
    )


def _statics() -> Row:
    arm = samples.arm()
    force = dynamics.tip_force(arm, Q, np.zeros(2))
    hold = dynamics.holding_torque(arm, Q)
    left = float(np.abs(dynamics.holding_torque(arm, Q, tip_force=force)).max())
    return Row(
        key="statics",
        title="The statics problem",
        where="Robotics problems",
        printed="Stated: the force that keeps the tip still. Not worked out.",
        ours="`dynamics.tip_force` for a force at the tip, `holding_torque` for motors.",
        verdict=Verdict.INCOMPLETE,
        why="The question is well put and left open; one call answers it: JᵀF balances the weight.",
        call=STATICS,
        numbers=(
            Number("force_x", float(force[0]), "N", label="F_x"),
            Number("force_y", float(force[1]), "N", label="F_y"),
            Number("torque_1", float(hold[0]), "N·m", label="or τ₁"),
            Number("torque_2", float(hold[1]), "N·m", label="or τ₂"),
            Number("left_over", left, "N·m", label="torque left with that force", digits=2),
        ),
    )


def _dynamics() -> Row:
    arm = samples.arm()
    turning = dynamics.forward_dynamics(arm, Q, RATE, TORQUE)
    back = dynamics.inverse_dynamics(arm, Q, RATE, turning)
    force = dynamics.tip_force(arm, Q, TORQUE)
    return Row(
        key="dynamics",
        title="The dynamics problem",
        where="Robotics problems",
        printed="Stated: the force or energy at the tip. Not worked out.",
        ours="`dynamics.forward_dynamics` from torques to motion; energies; `tip_force`.",
        verdict=Verdict.CORRECTED,
        why=(
            "Forward dynamics lead from torques to accelerations (erratum 9); force and energy are "
            "calls too."
        ),
        call=DYNAMICS,
        numbers=(
            Number("turning_1", float(turning[0]), "rad/s²", label="acceleration 1"),
            Number("turning_2", float(turning[1]), "rad/s²", label="acceleration 2"),
            Number("kinetic", float(dynamics.kinetic_energy(arm, Q, RATE)), "J"),
            Number("potential", float(dynamics.potential_energy(arm, Q)), "J"),
            Number("force_x", float(force[0]), "N", label="F_x"),
            Number("force_y", float(force[1]), "N", label="F_y"),
            Number(
                "round_trip",
                float(np.abs(back - TORQUE).max()),
                "N·m",
                label="torques found back within",
                digits=2,
            ),
        ),
    )

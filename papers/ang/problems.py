"""The four problems that paper 004 states, answered for one posture of the preset."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from papers.ang import printed, rows, samples
from papers.rows_file import Values
from ulna import dynamics, kinematics
from ulna.viewer import PRINT, Theme, reach_figure

Q = np.radians([30.0, 45.0])  # the posture of the examples
RATE, TORQUE = np.array([0.5, -1.0]), np.array([5.0, 2.0])  # [rad/s], [N·m]
TOO_FAR = (2.0, 0.0)  # [m]
POSTURES = 500


@rows.values("forward")
def forward_problem() -> Values:
    l1, l2, *_ = samples.example()
    th = np.random.default_rng(5).uniform(-4.0, 4.0, (POSTURES, 2))
    both = printed.forward(l1, l2, *th.T)
    x, y, heading = kinematics.tip(samples.arm(), Q)
    return {
        "postures": POSTURES,
        "x": x,
        "y": y,
        "heading": np.degrees(heading),
        "apart": np.abs(kinematics.tip(samples.arm(), th)[:, :2] - np.stack(both, -1)).max(),
    }


@rows.values("inverse")
def inverse_problem() -> Values:
    arm, example = samples.arm(), samples.example()
    found = kinematics.inverse(arm, (example.x, example.y))
    theta1, theta2 = np.degrees(found.q).T
    return {
        "target": (example.x, example.y),
        "theta1": theta1,
        "theta2": theta2,
        "postures": int(found.valid.sum()),
        "residual": found.residual.max(),
        "too_far": TOO_FAR,
        "shortfall": float(kinematics.inverse(arm, TOO_FAR).shortfall),
    }


@rows.picture("004-inverse.svg")
def both_postures(*, theme: Theme = PRINT) -> Figure:
    """Draw the two postures that put the tip at one place."""
    example, arm = samples.example(), samples.arm()
    target = np.array([example.x, example.y])
    return reach_figure(arm, target, kinematics.inverse(arm, target), theme=theme)


@rows.values("statics")
def statics_problem() -> Values:
    arm = samples.arm()
    force = dynamics.tip_force(arm, Q, np.zeros(2))
    return {
        "force": {"x": force[0], "y": force[1]},
        "torque": dynamics.holding_torque(arm, Q),
        "left_over": np.abs(dynamics.holding_torque(arm, Q, tip_force=force)).max(),
    }


@rows.values("dynamics")
def dynamics_problem() -> Values:
    arm = samples.arm()
    turning = dynamics.forward_dynamics(arm, Q, RATE, TORQUE)
    back = dynamics.inverse_dynamics(arm, Q, RATE, turning)
    force = dynamics.tip_force(arm, Q, TORQUE)
    return {
        "turning": turning,
        "kinetic": dynamics.kinetic_energy(arm, Q, RATE),
        "potential": dynamics.potential_energy(arm, Q),
        "force": {"x": force[0], "y": force[1]},
        "round_trip": np.abs(back - TORQUE).max(),
    }

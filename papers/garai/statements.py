"""What paper 002 states, tried on its arm: kinematics, dynamics and statics, and its errata."""

from __future__ import annotations

import numpy as np

import ulna
from papers import schematics
from papers.garai import printed, rows, states
from papers.garai.printed import Floats
from papers.garai.states import apart
from papers.rows_file import Values
from ulna.angles import absolute_to_relative
from ulna.dynamics import (
    absolute,
    forward_dynamics,
    holding_torque,
    kinetic_energy,
    potential_energy,
)
from ulna.kinematics import elbow_side, inverse, tip, tip_acceleration, tip_velocity

POINT = np.array([1.2, 0.8])  # [m] the example for the inverse
LIGHT = 1e-12  # [kg] of a link that may be called massless
STILL = np.zeros(2)
DOWN_AND_UP = np.array([-np.pi / 2, np.pi / 2])  # link 1 straight down, link 2 straight up
SIDEWAYS = np.array([10.0, 0.0])  # [N]
ELBOW = np.array([0.0, 5.0])  # [N·m] a motor at the elbow alone
BELOW = np.array([-0.9, -0.7])  # [m] a target to the left of the base and below it

rows.picture("002-figure-1.svg")(schematics.garai)
rows.picture("002-figure-2.svg")(schematics.garai_angles)


@rows.values("schematic")
def degrees_of_freedom() -> Values:
    return {"freedom": states.arm().n}


@rows.values("forward")
def forward_kinematics() -> Values:
    arm, p, (phi, rate, turning) = states.arm(), states.rods(), states.random()
    q, qd, qdd = states.random_joints()
    here = [absolute_to_relative(part) for part in (states.PHI, states.RATE, states.TURNING)]
    found = {
        "position": (tip(arm, here[0]), tip(arm, q), printed.position(p, phi)),
        "velocity": (
            tip_velocity(arm, *here[:2]),
            tip_velocity(arm, q, qd),
            printed.velocity(p, phi, rate),
        ),
        "acceleration": (
            tip_acceleration(arm, *here),
            tip_acceleration(arm, q, qd, qdd),
            printed.acceleration(p, phi, rate, turning),
        ),
    }
    off = {name: apart(ours[:, :2], theirs) for name, (_, ours, theirs) in found.items()}
    return {
        "states": states.COUNT,
        "worst": max(off.values()),
        **{
            name: {"x": example[0], "y": example[1], "apart": off[name]}
            for name, (example, *_) in found.items()
        },
    }


@rows.values("inverse")
def inverse_kinematics() -> Values:
    p, targets, arm = states.rods(), states.targets(), states.arm()
    phi, theta = printed.elbow_up(p, POINT)
    angles = {
        "theta": theta,
        "bearing": np.arctan2(POINT[1], POINT[0]),
        "lean": printed.lean(p, theta),
        "q1": phi[0],
        "q2": phi[1],
    }
    q = np.asarray(absolute_to_relative(printed.elbow_up(p, targets)[0]))
    ours = inverse(arm, POINT).q
    upper = ours[int(np.argmax(elbow_side(arm, ours)))]
    return {
        "point": POINT,
        **{name: np.degrees(angle) for name, angle in angles.items()},
        "our_q1": np.degrees(upper[0]),
        "our_q2": np.degrees(upper.sum()),
        "targets": states.TARGETS,
        "tip_error": apart(tip(arm, q)[:, :2], targets),
        "elbow_above": (elbow_side(arm, q) > 0).mean(),
    }


@rows.values("dynamics")
def equations_of_motion() -> Values:
    arm, p, force = states.arm(), states.rods(), states.forces()
    (phi, rate, turning), (q, qd, _) = states.random(), states.random_joints()
    as_printed = printed.left_sides(p, phi, rate, turning) - printed.pull(p, phi, force)
    ours = absolute.inverse_dynamics(arm, phi, rate, turning, tip_force=force)
    example = states.PHI, states.RATE, states.TURNING
    ground = absolute.inverse_dynamics(arm, *example, tip_force=states.FORCE)
    here, moving = (absolute_to_relative(part) for part in example[:2])
    return {
        "states": states.COUNT,
        "potential": potential_energy(arm, here),
        "kinetic": kinetic_energy(arm, here, moving),
        "ground": ground,
        "motor": absolute.joint_torques(ground),
        "energies_apart": max(
            apart(potential_energy(arm, q), printed.potential(p, phi)),
            apart(kinetic_energy(arm, q, qd), printed.kinetic(p, phi, rate)),
        ),
        "torques_apart": apart(ours, as_printed),
    }


@rows.values("massless")
def without_masses() -> Values:
    p, force = states.rods(), states.forces()
    light = ulna.Arm.rods([p.l1, p.l2], [LIGHT, LIGHT])
    limit = absolute.inverse_dynamics(light, *states.random(), tip_force=force)
    as_printed = printed.massless(p, states.random()[0], force)
    return {
        "light": LIGHT,
        "force": states.FORCE,
        "ground": _held_without_weight(absolute_to_relative(states.PHI), states.FORCE),
        "torques_apart": apart(_held_without_weight(states.random_joints()[0], force), as_printed),
        "limit_apart": apart(limit, as_printed),
    }


def _held_without_weight(q: Floats, force: Floats) -> Floats:
    motors = holding_torque(states.arm(), q, tip_force=force, link_weights=False)
    return np.asarray(absolute.ground_torques(motors))


@rows.values("statics")
def statics() -> Values:
    arm, p, phi, force = states.arm(), states.rods(), states.random()[0], states.forces()
    ours = absolute.inverse_dynamics(arm, phi, STILL, STILL, tip_force=force)
    return {
        "ground": printed.statics(p, STILL, STILL),
        "motor": holding_torque(arm, STILL),
        "torques_apart": apart(ours, printed.statics(p, phi, force)),
    }


@rows.values("erratum-1")
def index() -> Values:
    as_1, as_2 = (printed.pull(states.rods(), DOWN_AND_UP, SIDEWAYS, q_i=i)[0] for i in (1, 2))
    return {"force": SIDEWAYS[0], "index": (as_1, as_2), "apart": abs(as_2 - as_1)}


@rows.values("erratum-2")
def whose_torques() -> Values:
    arm = states.arm()
    level = printed.statics(states.rods(), STILL, STILL)
    falling = np.cumsum(forward_dynamics(arm, STILL, STILL, level))
    flat = arm.replace(gravity=(0.0, 0.0))
    return {
        "equation": {"38": level[0], "39": level[1]},
        "shoulder": holding_torque(arm, STILL)[0],
        "falls": -falling[0],
        "falling": falling,
        "motor": ELBOW[1],
        "as_read": absolute.forward_dynamics(flat, STILL, STILL, ELBOW),
        "true": np.cumsum(forward_dynamics(flat, STILL, STILL, ELBOW)),
    }


@rows.values("erratum-4")
def quadrant() -> Values:
    p, targets = states.rods(), states.targets()
    # A bearing between π/2 and π can at best be the mirror image.
    forced = np.asarray(np.pi - np.arctan(BELOW[1] / BELOW[0]))
    reached = printed.position(p, printed.elbow_up_from(p, BELOW, forced))
    left = targets[targets[:, 0] < 0.0]
    return {
        "below": BELOW,
        "bearing": np.degrees(np.arctan2(BELOW[1], BELOW[0])),
        "miss": np.hypot(*(reached - BELOW)),
        "outside": (np.arctan2(left[:, 1], left[:, 0]) < np.pi / 2).mean(),
    }


@rows.values("erratum-5")
def sign_of_theta() -> Values:
    targets = states.targets()
    phi, theta = printed.elbow_up(states.rods(), targets)
    misread = tip(states.arm(), np.stack([phi[:, 0], theta], axis=-1))[:, :2]
    return {
        "targets": states.TARGETS,
        "total": apart(theta, -np.asarray(absolute_to_relative(phi))[:, 1]),
        "median_error": np.median(np.hypot(*(misread - targets).T)),
    }

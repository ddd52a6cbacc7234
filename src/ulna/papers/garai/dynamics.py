"""Why paper 002's arm moves: Lagrange's equations with a force at the tip, and their limits."""

from __future__ import annotations

import numpy as np

import ulna
from ulna.angles import absolute_to_relative
from ulna.dynamics import absolute, holding_torque, kinetic_energy, potential_energy
from ulna.papers.garai import printed, samples
from ulna.papers.row import Number, Row, Verdict

LIGHT = 1e-12  # [kg] of a link that may be called massless

DYNAMICS = """\
import numpy as np
import ulna
from ulna.dynamics import absolute

arm = ulna.preset("garai")
phi, phid, phidd = np.radians([60.0, 20.0]), [1.0, -0.5], [2.0, 1.0]
force = [10.0, -5.0]  # on the tip
torques = absolute.inverse_dynamics(arm, phi, phid, phidd, tip_force=force)
print("as the paper has them", torques)
print("of motors at the joints", absolute.joint_torques(torques))
print("back again", absolute.forward_dynamics(arm, phi, phid, torques, tip_force=force))
"""
MASSLESS = """\
import numpy as np
import ulna
from ulna.angles import absolute_to_relative
from ulna.dynamics import absolute, holding_torque

arm = ulna.preset("garai")
q = absolute_to_relative(np.radians([60.0, 20.0]))
motors = holding_torque(arm, q, tip_force=[10.0, -5.0], link_weights=False)
print("as the paper has them", absolute.ground_torques(motors))
"""
STATICS = """\
import ulna

arm = ulna.preset("garai")
print(ulna.dynamics.holding_torque(arm, [0.0, 0.0]))  # of motors at the joints, level
"""


def rows() -> tuple[Row, ...]:
    """Judge the equations of motion, the arm without mass, and statics."""
    return _dynamics(), _massless(), _statics()


def _dynamics() -> Row:
    p, (phi, rate, turning), force = samples.rods(), samples.states(), samples.forces()
    arm, (q, qd, _) = samples.arm(), samples.joint_states()
    as_printed = printed.left_sides(p, phi, rate, turning) - printed.pull(p, phi, force)
    ours = absolute.inverse_dynamics(arm, phi, rate, turning, tip_force=force)
    apart = samples.apart(ours, as_printed)
    energies = max(
        samples.apart(potential_energy(arm, q), printed.potential(p, phi)),
        samples.apart(kinetic_energy(arm, q, qd), printed.kinetic(p, phi, rate)),
    )
    return Row(
        key="dynamics",
        title="Equations of motion with a force at the tip",
        where="(16)–(34)",
        printed="Work, both energies, their derivatives, and two equations for q₁ and q₂.",
        ours="`dynamics.absolute.inverse_dynamics`, which is ours in the angles of the paper.",
        verdict=Verdict.CORRECTED,
        why=(
            f"With q₁ for qᵢ (erratum 1) both equations are ours to {apart:.0e} N·m on "
            f"{samples.STATES} random states, as torques to the ground (erratum 2)."
        ),
        call=DYNAMICS,
        numbers=(
            *_example(),
            Number("energies_apart", energies, "J", label="energies apart", digits=2),
            Number("torques_apart", apart, "N·m", label="torques apart", digits=2),
        ),
    )


def _example() -> tuple[Number, ...]:
    """Return energies and torques of the example, to ground and of motors at the joints."""
    arm, state = samples.arm(), (samples.PHI, samples.RATE, samples.TURNING)
    ground = absolute.inverse_dynamics(arm, *state, tip_force=samples.FORCE)
    motors = absolute.joint_torques(ground)
    q, qd = (absolute_to_relative(part) for part in state[:2])
    return (
        Number("potential", float(potential_energy(arm, q)), "J", label="V (18)"),
        Number("kinetic", float(kinetic_energy(arm, q, qd)), "J", label="T (19)"),
        *_pair("ground", ground, "to the ground, as in (33), (34)"),
        *_pair("motor", motors, "of motors at the joints"),
    )


def _massless() -> Row:
    p, (phi, rate, turning), force = samples.rods(), samples.states(), samples.forces()
    light = ulna.Arm.rods([p.l1, p.l2], [LIGHT, LIGHT])
    limit = absolute.inverse_dynamics(light, phi, rate, turning, tip_force=force)
    ours = _held_without_weight(samples.joint_states()[0], force)
    as_printed = printed.massless(p, phi, force)
    example = _held_without_weight(absolute_to_relative(samples.PHI), samples.FORCE)
    return Row(
        key="massless",
        title="Without the masses of the links",
        where="(35)–(37)",
        printed="Both torques from the force at the tip alone, also as a matrix.",
        ours="`holding_torque(arm, q, tip_force=F, link_weights=False)`, that is −JᵀF.",
        verdict=Verdict.CORRECTED,
        why=(
            "They are minus the transposed Jacobian of (5) times the force, as torques to ground; "
            "those of motors at the joints are others (erratum 2)."
        ),
        call=MASSLESS,
        numbers=(
            *_pair("ground", example, "F = (10, −5) N, to the ground"),
            Number(
                "torques_apart", samples.apart(ours, as_printed), "N·m", label="apart", digits=2
            ),
            Number(
                "limit_apart",
                samples.apart(limit, as_printed),
                "N·m",
                label=f"apart from the motion of links of {LIGHT:.0e} kg",
                digits=2,
            ),
        ),
    )


def _held_without_weight(q: printed.Floats, force: printed.Floats) -> printed.Floats:
    motors = holding_torque(samples.arm(), q, tip_force=force, link_weights=False)
    return np.asarray(absolute.ground_torques(motors))


def _statics() -> Row:
    p, phi, force = samples.rods(), samples.states()[0], samples.forces()
    still = np.zeros(2)
    ours = absolute.inverse_dynamics(samples.arm(), phi, still, still, tip_force=force)
    apart = samples.apart(ours, printed.statics(p, phi, force))
    level = printed.statics(p, still, still)
    return Row(
        key="statics",
        title="Statics",
        where="(38), (39)",
        printed="The torques that hold the arm against its weight and a force at the tip.",
        ours="`dynamics.holding_torque`; its motors have (38) + (39) at the shoulder.",
        verdict=Verdict.CORRECTED,
        why=(
            f"As torques to the ground both equations are ours to {apart:.0e} N·m; those of motors "
            "at the joints are others (erratum 2)."
        ),
        call=STATICS,
        numbers=(
            *_pair("ground", level, "level, to the ground: (38), (39)"),
            *_pair("motor", holding_torque(samples.arm(), still), "level, of motors at the joints"),
            Number("torques_apart", apart, "N·m", label="torques apart", digits=2),
        ),
    )


def _pair(name: str, torques: printed.Floats, of: str) -> tuple[Number, ...]:
    return tuple(
        Number(f"{name}_{i}", float(torque), "N·m", label=f"τ{'₁₂'[i - 1]}", of=of)
        for i, torque in enumerate(torques, start=1)
    )

"""How the path is followed: the equations of paper 000, Figure 4, and rates by differences."""

from __future__ import annotations

import numpy as np

from ulna import dynamics
from ulna.arrays import Array
from ulna.papers.kehl import figures_torques as figures
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import DENSE, arm, differences, exact, largest, peak, plan, states
from ulna.papers.row import Number, Picture, Row, Verdict

LAGRANGIAN = """\
import ulna

arm = ulna.preset("kehl")
print(ulna.dynamics.mass_matrix(arm, [0.5, 1.0]))
print(ulna.dynamics.coriolis_matrix(arm, [0.5, 1.0], [0.2, -0.3]))
print(ulna.dynamics.gravity_torque(arm, [0.5, 1.0]))
"""
PATH = """\
import ulna

made = ulna.plan(ulna.preset("kehl"), ulna.paths.loops(), elbow="positive")
print(made)
"""
RATES = """\
import ulna

arm, path = ulna.preset("kehl"), ulna.paths.loops()
rough = ulna.plan(arm, path, derivatives="finite", elbow="positive")
exact = rough.trajectory(rough.t)
print(abs(rough.qd - exact.qd).max(axis=0), abs(rough.qdd - exact.qdd).max(axis=0))
"""
INNER = slice(1, -1)  # the ends are beside the path


def lagrangian() -> Row:
    """The energies and the equation of motion."""
    rods, (q, qd, qdd) = arm(), states()
    pairs: dict[str, tuple[Array, Array, str, str]] = {
        "K": (printed.kinetic_energy(rods, q, qd), dynamics.kinetic_energy(rods, q, qd), "K", "J"),
        "P": (printed.potential_energy(rods, q), dynamics.potential_energy(rods, q), "P", "J"),
        "M": (printed.mass_matrix(rods, q), dynamics.mass_matrix(rods, q), "M", "kg·m²"),
        "C": (
            printed.coriolis_matrix(rods, q, qd),
            dynamics.coriolis_matrix(rods, q, qd),
            "C of Code 6",
            "N·m·s",
        ),
        "G": (printed.gravity(rods, q), dynamics.gravity_torque(rods, q), "G", "N·m"),
        "tau": (
            printed.torques(rods, q, qd, qdd),
            dynamics.inverse_dynamics(rods, q, qd, qdd),
            "M θ̈ + C θ̇ + G",
            "N·m",
        ),
    }
    return Row(
        key="lagrangian",
        title="The Lagrangian, and the equation of motion",
        where="§2.5 to §2.7, Codes 5 to 7",
        printed="K, P, M(θ), C(θ, θ̇), G(θ) and M θ̈ + C θ̇ + G = τ",
        ours="the same K, P, M, G, and the C of Code 6",
        verdict=Verdict.CORRECTED,
        why="Energies, M, G, Code 6 and the final equation are right; lines of the derivation "
        "between them, and Codes 5 and 7, have to be put right (errata 4 to 10, 20 and 21).",
        how="The printed formulas against `ulna.dynamics` at 500 random states; `ulna.derive` "
        "derives the same anew from the Lagrangian, step by step.",
        call=LAGRANGIAN,
        numbers=tuple(
            Number(f"{name}_off", largest(a - b), unit, label=f"{label}: printed − ours", digits=2)
            for name, (a, b, label, unit) in pairs.items()
        ),
    )


def path() -> Row:
    """The path, its speed, and what the elbow does on it."""
    made = plan()
    motion = made.trajectory.tip(DENSE)
    radius, speed = (np.linalg.norm(part, axis=-1) for part in motion[:2])
    bend = np.degrees(made.trajectory(DENSE).q[:, 1])
    switches = int(np.count_nonzero(np.diff(np.sign(bend))))
    return Row(
        key="path",
        title="The path: thirteen loops on a circle",
        where="§3, Figure 4, Code 1",
        printed="a circle of 0.79 m with 13 loops of 0.2 m, in 60 s",
        ours=f"{radius.min():.4f} to {radius.max():.4f} m from the base at {speed.min():.4f} to "
        f"{speed.max():.4f} m/s, all within reach",
        verdict=Verdict.SAME,
        why="The path is z = 0.79 e^{i(wt + π/2)} + 0.2 e^{i(14wt − π/2)} with w = 2π/60 s, which "
        "the arm follows without changing branch; the listing's two end points are beside it "
        "(erratum 12).",
        how="The closed form at every millisecond.",
        call=PATH,
        numbers=(
            Number("radius_least", float(radius.min()), "m", None, "least", "radius", 4),
            Number("radius_most", float(radius.max()), "m", None, "most", "radius", 4),
            Number("speed_least", float(speed.min()), "m/s", None, "least", "speed", 4),
            Number("speed_most", float(speed.max()), "m/s", None, "most", "speed", 4),
            Number("bend_least", float(bend.min()), "°", None, "least", "θ₂", 5),
            Number("bend_most", float(bend.max()), "°", None, "most", "θ₂", 5),
            Number("switches", switches, label="branch switches"),
        ),
        pictures=(
            Picture(
                "000-figure-4.svg",
                "Figure 4: the path, what the arm reaches, and the arm at the start.",
                figures.path_figure,
            ),
        ),
    )


def rates() -> Row:
    """Velocities and accelerations by differences."""
    rough, right = differences(), exact()
    late, bend = rough.qd - right.qd, rough.qdd - right.qdd
    middle = late + 0.5 * printed.DT * rough.qdd
    lines = {
        "peak_rate": ("exact rates, peak", right.qd, "rad/s"),
        "peak_acceleration": ("exact accelerations, peak", right.qdd, "rad/s²"),
        "rate": ("rates as printed, off by", late[INNER], "rad/s"),
        "rate_centred": ("rates brought to the same time, off by", middle[INNER], "rad/s"),
        "acceleration": ("accelerations, off by", bend[INNER], "rad/s²"),
    }
    return Row(
        key="rates",
        title="Velocities and accelerations by differences",
        where="§3, Codes 2 and 3",
        printed="wrapped differences over 30 ms, once and twice",
        ours='exact derivatives of the path; differences with `derivatives="finite"`',
        verdict=Verdict.CORRECTED,
        why="The differences are good to what 30 ms allow; only the rates belong to a time half "
        "a step earlier than the angles beside them (erratum 16).",
        how="Against exact derivatives through the Jacobian and its rate, without the two ends, "
        "which erratum 12 moves.",
        size=f"rates off by up to {peak(late[INNER])[1]:.3f} rad/s, brought to the same time by "
        f"{peak(middle[INNER])[1]:.3f}; accelerations by {peak(bend[INNER])[1]:.3f} rad/s²",
        call=RATES,
        numbers=tuple(
            Number(f"{name}_{joint + 1}", float(value), unit, None, f"joint {joint + 1}", of, 3)
            for name, (of, values, unit) in lines.items()
            for joint, value in enumerate(peak(values))
        ),
    )

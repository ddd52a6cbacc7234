"""Errata in paper 000's listings, and in what it says of its simulation."""

from __future__ import annotations

import math

import numpy as np

import ulna
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.papers.kehl import printed
from ulna.papers.kehl import replay as replays
from ulna.papers.kehl.motions import (
    AS_PRINTED,
    INERTIAS,
    RODS,
    arm,
    differences,
    exact,
    largest,
    peak,
    plan,
    torques,
)
from ulna.papers.row import Number, Row, Verdict

INNER = slice(1, -1)


def erratum_12() -> Row:
    points = plan().trajectory.tip(printed.TIMES).position
    off = np.hypot(*(printed.path() - points).T)
    ends: dict[str, Array] = {}
    for name in INERTIAS:
        wrong = np.abs(torques(name, "differences") - torques(name, "exact"))
        ends[name] = wrong[[0, -1]].max(axis=0)
    return Row(
        "erratum-12", "Tangents at both ends", "Code 1",
        "`np.gradient` along the path", "differences across the ends, since the path is closed",
        Verdict.WRONG,
        "The tangents of the two end points are taken from one side, which puts these beside the "
        "path and spoils the torques next to them; all other points are exact.",
        how="Against z(t), and the torques against those of the exact motion.",
        size=f"ends {1e3 * off[0]:.3f} mm off; torques by up to {ends[AS_PRINTED][0]:.2f} and "
        f"{ends[AS_PRINTED][1]:.2f} N·m (m²/12), {ends[RODS][0]:.2f} and {ends[RODS][1]:.2f} "
        "(m l²/12)",
        numbers=(
            Number("start", 1e3 * float(off[0]), "mm", None, "off by", "first point", 3),
            Number("end", 1e3 * float(off[-1]), "mm", None, "off by", "last point", 3),
            Number("between", 1e3 * float(off[INNER].max()), "mm", None, "off by", "all others", 1),
            *(
                Number(f"torque_{k}{'' if name == RODS else '_as_printed'}", float(value), "N·m",
                       None, f"τ{'₁₂'[k - 1]} off by", f"at the ends, {INERTIAS[name]}", 3)
                for name, values in ends.items()
                for k, value in enumerate(values, start=1)
            ),
        ),
    )  # fmt: skip


def erratum_16() -> Row:
    q, lagging, qdd = differences()
    centred = lagging + 0.5 * printed.DT * qdd
    late, timely = (inverse_dynamics(arm(), q, qd, qdd) for qd in (lagging, centred))
    wrong, rate = peak((late - timely)[INNER]), peak((lagging - exact().qd)[INNER])
    return Row(
        "erratum-16", "Velocities half a step behind", "Code 3",
        "`zip(thetas[1:-1], vel, accel, t_a)`", "the mean of the velocities before and after",
        Verdict.WRONG,
        "A difference is the velocity in the middle of its step; beside the angle at the end of "
        "it, it is 15 ms old.",
        how="The same torques with velocities brought to the time of the angles.",
        size=f"velocities by up to {rate[0]:.3f} and {rate[1]:.3f} rad/s, torques by "
        f"{wrong[0]:.3f} and {wrong[1]:.3f} N·m",
        numbers=(
            Number("lag", 500.0 * printed.DT, "ms", label="behind by", digits=4),
            *(Number(f"rate_{k}", float(v), "rad/s", None, f"joint {k}", "velocity", 2)
              for k, v in enumerate(rate, start=1)),
            *(Number(f"torque_{k}", float(v), "N·m", None, f"joint {k}", "torque", 2)
              for k, v in enumerate(wrong, start=1)),
        ),
    )  # fmt: skip


def erratum_17() -> Row:
    large, right = (np.array([link.inertia for link in arm(name).links])
                    for name in (AS_PRINTED, RODS))  # fmt: skip
    wrong = peak(torques(AS_PRINTED, "exact") - torques(RODS, "exact"))
    return Row(
        "erratum-17", "The inertias", "Code 3",
        "I = m²/12", "I = m l²/12, as §2.5.4 has it",
        Verdict.CORRECTED,
        "The listing squares the mass where the length is to be squared.",
        how="Both inertias in the same torques.",
        size=f"{large[0] / right[0]:.3g} and {large[1] / right[1]:.3g} times too large; torques "
        f"off by up to {wrong[0]:.2f} and {wrong[1]:.2f} N·m",
        numbers=(
            *(Number(f"inertia_{k}", float(v), "kg·m²", float(p), f"link {k}", "inertia", 4)
              for k, (v, p) in enumerate(zip(right, large, strict=True), start=1)),
            *(Number(f"ratio_{k}", float(v), "", None, f"link {k}", "printed by right", 3)
              for k, v in enumerate(large / right, start=1)),
            *(Number(f"torque_{k}", float(v), "N·m", None, f"joint {k}", "torque, off by", 4)
              for k, v in enumerate(wrong, start=1)),
        ),
    )  # fmt: skip


def erratum_18() -> Row:
    early = [name for name, code in printed.NEEDED.items() if code < printed.DEFINED[name]]
    one, two = (link.mass for link in arm().links)
    return Row(
        "erratum-18", "The order of the listings, and the top link", "Codes 3 and 5 to 7",
        f"{', '.join(f'`{name}`' for name in early)} are called before they are defined; "
        "“top link”", "Codes 5 to 7 before Code 3; the outer link",
        Verdict.CORRECTED,
        "Run in the order of print, Code 3 stops at the first of them; and the heavier link is "
        "the one that carries the tip, on top or not.",
        how="Where each function is defined, and which listing first calls it.",
        size=f"{len(early)} functions; {two:g} kg outside, {one:g} kg inside",
        numbers=(
            Number("functions", len(early), label="called before they are defined"),
            Number("outer", two, "kg", label="mass of the outer link"),
        ),
    )  # fmt: skip


def erratum_19() -> Row:
    other = ulna.Arm.rods([0.7, 0.4], [1.0, 1.0])
    return Row(
        "erratum-19", "The plot of the reach", "Code 4",
        "the second plot is called the top one; the reach is the unit circle",
        "it is the bottom one; the reach is a circle of l₁ + l₂",
        Verdict.CORRECTED,
        "The circle is right for this arm only, whose lengths add up to 1 m.",
        how="`arm.reach` of this arm and of another.",
        size=f"none here; {other.reach - 1.0:.2g} m for links of 0.7 m and 0.4 m",
        numbers=(
            Number("reach", arm().reach, "m", 1.0, "reach of the paper's arm"),
            Number("other", other.reach, "m", 1.0, "reach of links of 0.7 m and 0.4 m"),
        ),
    )  # fmt: skip


def erratum_20() -> Row:
    q, _, qdd = differences()
    wrong = printed.mass_matrix_of_code_5(arm(), q) - printed.mass_matrix(arm(), q)
    off = peak(printed.times(wrong, qdd))
    return Row(
        "erratum-20", "A parenthesis in M₁₂", "Code 5",
        "`I2 + (m2*(l2*l2))/4 + ((l1*l2)/2)*np.cos(th2))`",
        "`I2 + m2*((l2*l2)/4 + ((l1*l2)/2)*np.cos(th2))`",
        Verdict.CORRECTED,
        "The line does not compile; deleting the surplus parenthesis leaves the cosine without "
        "m₂, which goes unseen where m₂ = 1 kg.",
        how="M of §2.7, and M with the parenthesis deleted, in the same torques.",
        size=f"up to {off[0]:.2f} and {off[1]:.2f} N·m",
        transcription="the parentheses",
        numbers=tuple(
            Number(f"torque_{k}", float(v), "N·m", None, f"joint {k}", "off by", 3)
            for k, v in enumerate(off, start=1)
        ),
    )  # fmt: skip


def erratum_21() -> Row:
    q = differences().q
    off = largest(printed.gravity_of_code_7(arm(), q) - printed.gravity(arm(), q))
    return Row(
        "erratum-21", "A line outside its sum", "Code 7",
        "`g1 = …` and `+ m2*(l2/2)*g*np.cos(th1+th2))` below it",
        "one sum, in one pair of parentheses",
        Verdict.CORRECTED,
        "The listing does not compile; indented back, its second line is a statement of its own, "
        "and the weight of link 2 about the elbow is missing from g1.",
        how="G of §2.7 against what the repaired listing gives, along the path.",
        size=f"up to {off:.1f} N·m",
        transcription="the indentation and the parentheses",
        numbers=(Number("off", off, "N·m", label="g1 off by", digits=3),),
    )  # fmt: skip


def erratum_22() -> Row:
    lost = replays.growth(RODS).growth_at(10.0) / math.log(10.0)
    predicted = replays.predicted(RODS).near
    near, far = np.median(replays.tightest(RODS), axis=0)
    quoted = replays.QUOTED[RODS][0]
    return Row(
        "erratum-22", "Why the replay diverges", "Figure 6, §3.0.1",
        "because of numerical approximation; §3.0.1 adds the time steps and the start",
        "these make the first errors, and the motion, which is unstable, makes them grow",
        Verdict.INCOMPLETE,
        "What it names does seed the divergence; but errors grow by themselves along this path, "
        "whoever makes them: a better integrator starts with smaller ones, and only feedback takes "
        "them away.",
        how="Replays at finer and finer tolerances, and the growth of errors along the path.",
        size=f"10^{lost:.1f}-fold in ten seconds: 1e-16 takes the tip 1 cm off after "
        f"{predicted:.2f} s; in 113-bit arithmetic it took {quoted:.2f} s (quoted)",
        numbers=(
            Number("digits", lost, label="log₁₀ ‖Φ(10 s)‖", digits=3),
            Number("predicted", predicted, "s", label="1 cm off, predicted for 1e-16", digits=3),
            Number("near", float(near), "s", label="1 cm off, measured", digits=3),
            Number("far", float(far), "s", label="10 cm off, measured", digits=3),
        ),
    )  # fmt: skip


def erratum_25() -> Row:
    between = (printed.TIMES[:-1] + printed.TIMES[1:]) / 2
    theirs = (between[:-1] + between[1:]) / 2
    off = largest(theirs - printed.TIMES[1:-1])
    return Row(
        "erratum-25", "When the torques are", "§3, Code 3",
        "a torque between each two points", "a torque at each inner point, at t[1:-1]",
        Verdict.CORRECTED,
        "Differences of differences are back at the points: the times of the listing are those "
        "of the points but for the first and the last.",
        how="The times that Code 3 makes.",
        size=f"half a step, {500.0 * printed.DT:.1f} ms",
        numbers=(
            Number("off", off, "s", label="from the points' times", digits=1),
            Number("half", 500.0 * printed.DT, "ms", label="half a step", digits=4),
            Number("count", len(theirs), label="torques for 2,000 points"),
        ),
    )  # fmt: skip

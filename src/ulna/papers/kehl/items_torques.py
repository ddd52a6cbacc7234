"""Which torques the path takes: Figures 5 and 8 of paper 000."""

from __future__ import annotations

from functools import partial

import numpy as np

from ulna.papers.kehl import figures_torques as figures
from ulna.papers.kehl.films import film_mass_sweep
from ulna.papers.kehl.motions import AS_PRINTED, INERTIAS, MASSES, RODS, peak, rms, swept, torques
from ulna.papers.row import Film, Number, Picture, Row, Verdict

TORQUES = """\
import ulna

path = ulna.paths.loops_as_printed()
for name in ("kehl-as-printed", "kehl"):
    made = ulna.plan(ulna.preset(name), path, derivatives="finite", elbow="positive")
    print(name, abs(made.tau).max(axis=0))
"""
SWEEP = """\
import ulna

arms = [ulna.Arm.rods([0.5, 0.5], [1.0, mass]) for mass in (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)]
path = ulna.paths.loops_as_printed()
made = ulna.plan(arms, path, derivatives="finite", elbow="positive")
print(abs(made.tau).max(axis=1))
"""
WAYS = {  # of Figure 5: name, preset and motion
    "as_printed": ("I = m²/12, differences (as printed)", AS_PRINTED, "differences"),
    "as_printed_exact": ("I = m²/12, exact derivatives", AS_PRINTED, "exact"),
    "rods": ("I = m l²/12, differences", RODS, "differences"),
    "rods_exact": ("I = m l²/12, exact derivatives", RODS, "exact"),
}


def torque_numbers() -> tuple[Number, ...]:
    """Return peak and RMS of both torques in every way, and the peaks between the samples."""
    found = []
    for name, (of, preset, how) in WAYS.items():
        tau = torques(preset, how)
        for joint in (0, 1):
            for what, value in (("peak", peak(tau)[joint]), ("RMS", rms(tau)[joint])):
                key = f"{name}_{what.lower()}_{joint + 1}"
                label = f"{what} τ{'₁₂'[joint]}"
                found.append(Number(key, float(value), "N·m", None, label, of, 5))
    for preset, name in ((AS_PRINTED, "as_printed_dense"), (RODS, "rods_dense")):
        of = f"{INERTIAS[preset]}, exact, every millisecond"
        for joint, value in enumerate(peak(torques(preset, "dense"))):
            label = f"peak τ{'₁₂'[joint]}"
            key = f"{name}_peak_{joint + 1}"
            found.append(Number(key, float(value), "N·m", None, label, of, 5))
    return tuple(found)


def torques_row() -> Row:
    """The torques of Figure 5."""
    numbers = torque_numbers()
    value = {number.name: number.ours for number in numbers}
    return Row(
        key="torques",
        title="The torques along the path",
        where="§3, Figure 5, Code 3",
        printed="two curves, computed with I = m²/12 and differences",
        ours=f"peaks of {value['rods_dense_peak_1']:.3f} and {value['rods_dense_peak_2']:.3f} N·m",
        verdict=Verdict.CORRECTED,
        why="The method is right, and differences cost next to nothing; the inertias of the "
        "listing, m²/12 in place of m l²/12, raise both peaks (erratum 17).",
        how="`inverse_dynamics` on the listing's own differences and on exact derivatives, at its "
        "1,998 times.",
        size=f"peaks of {value['as_printed_peak_1']:.2f} and {value['as_printed_peak_2']:.2f} in "
        f"place of {value['rods_peak_1']:.2f} and {value['rods_peak_2']:.2f} N·m",
        call=TORQUES,
        numbers=numbers,
        pictures=(
            Picture(
                "000-figure-5.svg",
                "Figure 5: the torques as printed, with the inertias of rods, and with exact "
                "derivatives as well; the last two cannot be told apart here.",
                figures.torque_figure,
            ),
        ),
    )


def mass_sweep() -> Row:
    """The torques for other masses."""
    numbers = [
        Number(
            f"m{link}_{mass:g}_{joint}",
            float(value),
            "N·m",
            None,
            f"peak τ{'₁₂'[joint - 1]}",
            f"m{'₁₂'[link - 1]} = {mass:g} kg",
            5,
        )
        for link in (1, 2)
        for mass, row in zip(MASSES, np.abs(swept(link)).max(axis=1), strict=True)
        for joint, value in enumerate(row, start=1)
    ]
    value = {number.name: number.ours for number in numbers}
    return Row(
        key="mass-sweep",
        title="Torques for other masses of the links",
        where="Figure 8",
        printed="torque curves as the mass of either link is varied",
        ours=f"a heavier link 1 only loads joint 1 (up to {value['m1_20_1']:.2f} N·m at 20 kg); "
        f"link 2 loads both ({value['m2_20_1']:.2f} and {value['m2_20_2']:.2f} N·m)",
        verdict=Verdict.CORRECTED,
        why="The curves come out with the inertias of rods (erratum 17); τ₂ does not depend on m₁ "
        "at all, and both torques are linear in the masses.",
        how="`inverse_dynamics` for a stack of arms, I = m l²/12, by the listing's differences.",
        call=SWEEP,
        numbers=tuple(numbers),
        pictures=(
            Picture(
                "000-figure-8.svg",
                "Figure 8: both torques for six masses of either link, the other at 10 kg (link 2) "
                "or 1 kg (link 1).",
                partial(figures.sweep_figure, swept(1), swept(2)),
            ),
        ),
        films=(
            Film(
                "000-figure-8.mp4",
                "Figure 8, moving: the torques while the mass of either link grows from 1 to 20 "
                "kg.",
                film_mass_sweep,
            ),
        ),
    )

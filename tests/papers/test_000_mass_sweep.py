"""Figure 8 of paper 000 from the sweep file beside the examples."""

from pathlib import Path

import numpy as np
import pytest

import ulna
from papers.kehl import motions, printed

FILE = Path(__file__).resolve().parents[2] / "examples" / "27_mass_sweep.toml"
MASSES = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0]


def test_peaks_are_those_of_the_row_and_grow_with_the_masses_beyond(rows):
    peaks = ulna.sweep(FILE).dataset["torque.peak"]
    for link, others in ((1, {"link.2.mass": 10.0}), (2, {"link.1.mass": 1.0})):
        line = peaks.sel(others)
        assert line[f"link.{link}.mass"].values.tolist() == MASSES
        for joint in (1, 2):
            known = [rows["mass-sweep"].values[f"m{link}_{mass:g}_{joint}"] for mass in MASSES]
            assert line.sel(joint=joint).values == pytest.approx(known, abs=5.1e-3)
    second = peaks.sel(joint=2).values
    assert np.ptp(second, axis=0).max() <= 1e-12 * second.max()


@pytest.mark.parametrize("link", [1, 2])
def test_swept_torques_are_those_by_the_differences_of_the_listing(link):
    found = motions.swept(link).dataset["torque"]
    assert np.array_equal(found["time"], printed.TIMES[1:-1])
    masses = [(mass, 10.0) if link == 1 else (1.0, mass) for mass in MASSES]
    arms = ulna.stack([ulna.Arm.rods([0.5, 0.5], pair) for pair in masses])
    wanted = ulna.dynamics.inverse_dynamics(arms.per_sample(), *motions.differences())
    assert np.abs(found.values - wanted).max() < 1e-8

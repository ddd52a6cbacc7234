"""Figure 8 of paper 000 from the sweep file beside the examples."""

from pathlib import Path

import numpy as np
import pytest

import ulna
from papers.kehl import motions, printed

FILE = Path(__file__).resolve().parents[2] / "examples" / "27_mass_sweep.toml"
MASSES = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0]


def test_peaks_are_those_of_the_torques_of_arms_with_these_masses():
    peaks = ulna.sweep(FILE).dataset["torque.peak"]
    assert peaks["link.1.mass"].values.tolist() == peaks["link.2.mass"].values.tolist() == MASSES
    motion = printed.motion(printed.path())
    for one in MASSES:
        for two in MASSES:
            arm = ulna.Arm.rods([0.5, 0.5], [one, two])
            expected = np.abs(ulna.dynamics.inverse_dynamics(arm, *motion)).max(axis=0)
            found = peaks.sel({"link.1.mass": one, "link.2.mass": two}).values
            assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("link", [1, 2])
def test_swept_torques_are_those_by_the_differences_of_the_listing(link):
    found = motions.swept(link).dataset["torque"]
    assert np.array_equal(found["time"], printed.TIMES[1:-1])
    masses = [(mass, 10.0) if link == 1 else (1.0, mass) for mass in MASSES]
    arms = ulna.stack([ulna.Arm.rods([0.5, 0.5], pair) for pair in masses])
    wanted = ulna.dynamics.inverse_dynamics(arms.per_sample(), *motions.differences())
    assert np.abs(found.values - wanted).max() < 1e-8

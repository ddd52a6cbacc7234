"""Figure 8 of paper 000 from the sweep file beside the examples."""

from pathlib import Path

import numpy as np
import pytest

import ulna
from papers.kehl import motions, printed

FILE = Path(__file__).resolve().parents[2] / "examples" / "27_mass_sweep.toml"
MASSES = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0]


@pytest.fixture(scope="module")
def peaks():
    return ulna.sweep(FILE).dataset["torque.peak"]


def test_peaks_for_masses_of_link_1(peaks):
    line = peaks.sel({"link.2.mass": 10.0})
    assert line["link.1.mass"].values.tolist() == MASSES
    first = [78.81, 81.44, 89.31, 102.44, 115.57, 128.70]
    assert line.sel(joint=1).values == pytest.approx(first, abs=5.1e-3)
    assert line.sel(joint=2).values == pytest.approx([25.46] * 6, abs=5.1e-3)


def test_peaks_for_masses_of_link_2(peaks):
    line = peaks.sel({"link.1.mass": 1.0})
    first, second = (
        [10.24, 17.86, 40.72, 78.81, 116.90, 155.00],
        [2.55, 5.09, 12.73, 25.46, 38.19, 50.92],
    )
    assert line.sel(joint=1).values == pytest.approx(first, abs=5.1e-3)
    assert line.sel(joint=2).values == pytest.approx(second, abs=5.1e-3)


def test_the_second_torque_does_not_depend_on_the_first_mass(peaks):
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

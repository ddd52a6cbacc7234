"""Paper 000 (Kehl et al.): its torques along its path, all of it through `ulna.plan`.

The path is z(t) = 0.79 e^{i(wt+π/2)} + 0.2 e^{i(14wt−π/2)}, w = 2π/60, with 2,000 samples; the arm
has links of 0.5 m, 1 kg and 10 kg. "As printed" means inertias of m²/12, "kehl" the right m l²/12.
"""

import numpy as np
import pytest

import ulna
from ulna import paths

MASSES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


def peak(values):
    return np.abs(values).max(axis=0)


def rms(values):
    return np.sqrt(np.mean(values**2, axis=0))


def as_the_paper_does(arm):
    return ulna.plan(arm, paths.loops_as_printed(), derivatives="finite", elbow="positive")


def exactly(arm, **options):
    return ulna.plan(arm, paths.loops(), elbow="positive", **options)


@pytest.fixture(scope="module")
def kehl():
    return exactly(ulna.preset("kehl"))


# preset, peak τ1, RMS τ1, peak τ2, RMS τ2 [N·m]
@pytest.mark.parametrize(
    ("name", "way", "figures"),
    [
        ("kehl-as-printed", as_the_paper_does, (87.459, 45.584, 40.760, 18.361)),
        ("kehl-as-printed", exactly, (87.487, 45.584, 40.806, 18.361)),
        ("kehl", as_the_paper_does, (78.811, 45.230, 25.462, 17.350)),
        ("kehl", exactly, (78.840, 45.230, 25.469, 17.350)),
    ],
)
def test_peaks_and_means_of_the_torques_are_the_tables(name, way, figures):
    made = way(ulna.preset(name))
    # At t[1:-1], as the paper has them; its ends are beside its path.
    tau = made.tau if made.derivatives == "finite" else made.tau[1:-1]
    assert len(tau) == 1998
    found = np.stack([peak(tau), rms(tau)], axis=-1).ravel()
    assert found == pytest.approx(figures, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "figures"), [("kehl-as-printed", (87.495, 40.844)), ("kehl", (78.847, 25.469))]
)
def test_the_peaks_on_a_dense_grid(name, figures):
    made = exactly(ulna.preset(name))
    tau = made.torque_at(np.linspace(0.0, 60.0, 60001))
    assert [f"{value:.3f}" for value in peak(tau)] == [f"{value:.3f}" for value in figures]
    # The samples come within a thousandth of that.
    assert peak(made.tau) == pytest.approx(figures, rel=1e-3)


class TestMassSweep:
    """Finite differences, m l²/12: peak τ1 and τ2 to the printed digits."""

    def test_of_the_first_link(self):
        printed = (78.81, 81.44, 89.31, 102.44, 115.57, 128.70)
        for mass, figure in zip(MASSES, printed, strict=True):
            found = peak(as_the_paper_does(ulna.Arm.rods([0.5, 0.5], [mass, 10.0])).tau)
            assert [f"{value:.2f}" for value in found] == [f"{figure:.2f}", "25.46"]

    def test_of_the_second_link(self):
        printed = (
            (10.24, 2.55), (17.86, 5.09), (40.72, 12.73),
            (78.81, 25.46), (116.90, 38.19), (155.00, 50.92),
        )  # fmt: skip
        for mass, figures in zip(MASSES, printed, strict=True):
            found = peak(as_the_paper_does(ulna.Arm.rods([0.5, 0.5], [1.0, mass])).tau)
            assert [f"{value:.2f}" for value in found] == [f"{value:.2f}" for value in figures]


def test_the_elbow_stays_between_16_and_108_degrees_and_on_its_side(kehl):
    q = np.degrees(kehl.trajectory(np.linspace(0.0, 60.0, 60001)).q[:, 1])
    assert [f"{value:.2f}" for value in (q.min(), q.max())] == ["16.22", "107.69"]
    assert (kehl.branch == 1).all()
    assert not any(problem.kind == "branch switch" for problem in kehl.problems)
    assert kehl.ok


def test_the_tip_keeps_to_the_radii_and_speeds_of_the_loops(kehl):
    motion = kehl.trajectory.tip(np.linspace(0.0, 60.0, 60001))
    radius, speed = (np.linalg.norm(part, axis=-1) for part in motion[:2])
    assert [f"{value:.4f}" for value in (radius.min(), radius.max())] == ["0.5900", "0.9900"]
    assert [f"{value:.4f}" for value in (speed.min(), speed.max())] == ["0.2105", "0.3759"]


def test_erratum_15_the_first_angle_runs_on_where_the_paper_lets_it_jump(kehl):
    # It subtracts a lead from the bearing of the tip, which jumps left of the base.
    bearing = np.arctan2(kehl.tip[:, 1], kehl.tip[:, 0])
    jumps = np.flatnonzero(np.abs(np.diff(bearing)) > np.pi)
    assert [f"{value:.2f}" for value in kehl.t[jumps]] == ["12.64", "13.45", "15.82"]
    assert np.abs(np.diff(kehl.q, axis=0)).max() <= 0.1


def test_erratum_12_one_sided_differences_put_the_ends_beside_the_path():
    ends = paths.loops_as_printed().ends - paths.loops().ends
    assert np.linalg.norm(ends, axis=-1) == pytest.approx(0.314e-3, abs=5e-7)


def test_erratum_16_its_rates_lag_half_a_step(kehl):
    """A difference is the rate half-way: against that time it is good to dt², not to dt."""
    made = ulna.plan(ulna.preset("kehl"), paths.loops(), derivatives="finite", elbow="positive")
    dt = made.t[1] - made.t[0]
    late, right = (made.trajectory(made.t - lag).qd for lag in (0.0, 0.5 * dt))
    assert peak(made.qd - right).max() <= 1e-3
    assert peak(made.qd - late).max() >= 10.0 * peak(made.qd - right).max()

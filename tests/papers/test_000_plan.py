"""Paper 000 (Kehl et al.): its arm on its path by `ulna.plan`; numbers are in test_000_rows."""

import numpy as np
import pytest

import ulna
from ulna import paths


def peak(values):
    return np.abs(values).max(axis=0)


@pytest.fixture(scope="module")
def kehl():
    return ulna.plan(ulna.preset("kehl"), paths.loops(), elbow="positive")


def test_the_elbow_stays_on_its_side(kehl):
    assert (kehl.branch == 1).all()
    assert not any(problem.kind == "branch switch" for problem in kehl.problems)
    assert kehl.ok


def test_erratum_15_the_first_angle_runs_on_where_the_paper_lets_it_jump(kehl):
    # It subtracts a lead from the bearing of the tip, which jumps left of the base.
    bearing = np.arctan2(kehl.tip[:, 1], kehl.tip[:, 0])
    jumps = np.flatnonzero(np.abs(np.diff(bearing)) > np.pi)
    assert [f"{value:.2f}" for value in kehl.t[jumps]] == ["12.64", "13.45", "15.82"]
    assert np.abs(np.diff(kehl.q, axis=0)).max() <= 0.1


def test_erratum_16_its_rates_lag_half_a_step(kehl):
    """A difference is the rate half-way: against that time it is good to dt², not to dt."""
    made = ulna.plan(ulna.preset("kehl"), paths.loops(), derivatives="finite", elbow="positive")
    dt = made.t[1] - made.t[0]
    late, right = (made.trajectory(made.t - lag).qd for lag in (0.0, 0.5 * dt))
    assert peak(made.qd - right).max() <= 1e-3
    assert peak(made.qd - late).max() >= 10.0 * peak(made.qd - right).max()

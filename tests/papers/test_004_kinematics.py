"""Paper 004 (Ang): its inverse of two links, repaired; its numbers are in test_004_rows."""

import numpy as np
import pytest

import ulna
from papers.ang import printed, samples
from ulna.angles import difference
from ulna.kinematics import inverse


@pytest.fixture(scope="module")
def targets():
    """Give 20,000 reachable targets, each for links of its own."""
    return samples.targets()


def arms(lengths):
    """Give arms of such lengths as one batch."""
    return ulna.preset("ang").parameters._replace(length=np.stack(lengths, axis=-1))


class TestCosineRule:
    def test_it_holds_for_both_our_postures(self, targets):
        l1, l2, x, y = targets
        q = inverse(samples.arms(), np.stack([x, y], axis=-1)).q
        cosine = (x**2 + y**2 - (l1**2 + l2**2)) / (2 * l1 * l2)
        assert np.abs(np.cos(q[:, :, 1]) - cosine[:, None]).max() <= 1e-12


class TestPrintedInverse:
    def test_erratum_4_repaired_it_has_one_of_the_two_postures_and_ours_has_both(self, targets):
        th2 = printed.bend(printed.repaired_radicand(*targets), *targets)
        assert (th2 >= 0.0).all()
        repaired = np.stack([printed.repaired_first_angle(*targets, th2), th2], axis=-1)
        found = inverse(samples.arms(), np.stack(targets[2:], axis=-1))
        assert found.valid.all()
        # Rounding of the radicand bends a nearly straight or folded arm by its square root.
        clear = np.abs(np.sin(th2)) > 1e-3
        assert np.abs(difference(found.q[:, 0], repaired))[clear].max() <= 1e-9
        assert (found.q[:, 1, 1] == -found.q[:, 0, 1])[clear].all()
        for k in range(2):
            error = samples.tip_error(*found.q[:, k].T)
            assert error.max() <= 3e-15
            assert np.median(error) <= 3e-16


class TestRadicand:
    def test_erratum_1_it_factors_into_the_reach_condition(self, targets):
        l1, l2, x, y = targets
        r2 = x**2 + y**2
        factored = ((l1 + l2) ** 2 - r2) * (r2 - (l1 - l2) ** 2)
        scale = (l1 + l2) ** 4
        assert (np.abs(printed.repaired_radicand(*targets) - factored) <= 1e-14 * scale).all()
        # The line before the printed one is right: 4 L1² L2² (1 − cos²θ2).
        cosine = (r2 - (l1**2 + l2**2)) / (2 * l1 * l2)
        long_form = 4 * l1**2 * l2**2 * (1 - cosine**2)
        assert (np.abs(long_form - factored) <= 1e-14 * scale).all()

    def test_erratum_10_reach_is_where_the_radicand_is_not_negative(self):
        random = np.random.default_rng(6)
        lengths = random.uniform(0.3, 2.0, (5000, 2))
        points = random.uniform(-3.0, 3.0, (5000, 2))
        l1, l2 = lengths.T
        r = np.hypot(*points.T)
        reachable = (np.abs(l1 - l2) <= r) & (r <= l1 + l2)
        found = inverse(arms(lengths.T), points)
        assert (found.reachable == reachable).all()
        assert ((printed.repaired_radicand(l1, l2, *points.T) >= 0.0) == reachable).all()
        expected = np.maximum(np.maximum(r - (l1 + l2), np.abs(l1 - l2) - r), 0.0)
        assert np.abs(found.shortfall - expected).max() <= 1e-14
        # The printed root sees no outer edge at all: far away it only grows.
        far = printed.solution_radicand(1.0, 1.0, np.array([3.0, 10.0]), np.zeros(2))
        assert (far > 0.0).all()

"""Paper 004 (Ang): two-link kinematics, its printed inverse, and what each repair is worth.

What `printed` has is computed as the paper prints it, unless it is called repaired. The reference
is the paper's own forward kinematics, which is right.
"""

import numpy as np
import pytest

import ulna
from papers.ang import printed, samples
from ulna.angles import difference
from ulna.kinematics import inverse, tip


@pytest.fixture(scope="module")
def targets():
    """Give 20,000 reachable targets: lengths of 0.3 to 2, postures over the whole circle.

    Known medians are 1.18 and 0.78, for targets of which it is not known how they were drawn. This
    range of lengths was searched for as one that gives both, so the two medians confirm the
    formulas and not the draw. Other ranges scale them: what no range changes is that both are
    of the order of a link, sixteen orders of magnitude above the repaired formula.
    """
    return samples.targets()


def arms(lengths):
    """Give arms of such lengths as one batch."""
    return ulna.preset("ang").parameters._replace(length=np.stack(lengths, axis=-1))


class TestForward:
    def test_both_forms_are_ours(self):
        random = np.random.default_rng(5)
        th = random.uniform(-4.0, 4.0, (500, 2))
        arm = ulna.Arm.rods([1.3, 0.6], [1.0, 1.0])
        expected = np.stack(printed.forward(1.3, 0.6, *th.T), axis=-1)
        assert np.abs(tip(arm, th)[:, :2] - expected).max() <= 1e-14
        angles = np.stack([th[:, 0], th.sum(axis=-1)])
        matrix = np.moveaxis(np.array([np.cos(angles), np.sin(angles)]), -1, 0)
        assert np.abs(matrix @ [1.3, 0.6] - expected).max() <= 1e-14


class TestCosineRule:
    def test_it_holds_for_both_our_postures(self, targets):
        l1, l2, x, y = targets
        q = inverse(samples.arms(), np.stack([x, y], axis=-1)).q
        cosine = (x**2 + y**2 - (l1**2 + l2**2)) / (2 * l1 * l2)
        assert np.abs(np.cos(q[:, :, 1]) - cosine[:, None]).max() <= 1e-12

    def test_arccos_is_worse_than_atan2_near_the_straight_arm_as_it_says(self):
        # At θ2 = 1e-6 the cosine has lost half of its figures.
        arm, th2 = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]), 1e-6
        x, y = printed.forward(1.0, 1.0, 0.0, th2)
        by_arccos = np.arccos((x**2 + y**2 - 2.0) / 2.0)
        ours = inverse(arm, [x, y]).q[0, 1]
        # The target's own rounding, ε/θ2, is all that ours is off by.
        assert abs(ours - th2) <= 1e-9
        assert np.hypot(*(tip(arm, inverse(arm, [x, y]).q[0])[:2] - [x, y])) <= 1e-15
        assert abs(by_arccos - th2) <= 1e-3


class TestPrintedInverse:
    def test_as_printed_it_misses_by_the_length_of_a_link(self, targets):
        th2 = printed.bend(printed.solution_radicand(*targets), *targets)
        error = samples.tip_error(printed.first_angle(*targets[2:], th2), th2)
        assert np.median(error) == pytest.approx(1.18, rel=0.05)

    def test_errata_1_to_3_repaired_it_still_misses(self, targets):
        th2 = printed.bend(printed.repaired_radicand(*targets), *targets)
        error = samples.tip_error(printed.first_angle(*targets[2:], th2), th2)
        assert np.median(error) == pytest.approx(0.78, rel=0.05)

    def test_with_erratum_5_as_well_it_is_right(self, targets):
        th2 = printed.bend(printed.repaired_radicand(*targets), *targets)
        error = samples.tip_error(printed.repaired_first_angle(*targets, th2), th2)
        assert np.median(error) <= 3e-16
        assert error.max() <= 1e-13

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

    def test_erratum_6_the_arc_tangent_of_a_quotient_forgets_the_quadrant(self, targets):
        # Everything else repaired, "atan2 y/x" read as tan⁻¹(y/x) fails for half of all targets.
        x, y = targets[2:]
        th2 = printed.bend(printed.repaired_radicand(*targets), *targets)
        l1, l2 = targets[:2]
        lean = np.arctan2(l2 * np.sin(th2), l1 + l2 * np.cos(th2))
        error = samples.tip_error(np.arctan(y / x) - lean, th2)
        assert ((error > 1e-9) == (x < 0.0)).all()


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

    def test_errata_1_and_2_with_the_printed_sign_the_sine_exceeds_one(self, targets):
        l1, l2, *_ = targets
        printed_sign = printed.sine_radicand(*targets)
        sine = np.sqrt(np.maximum(printed_sign, 0.0)) / (2 * l1 * l2)
        assert (sine > 1.0).mean() > 0.5
        true_sine = np.sqrt(np.maximum(printed.repaired_radicand(*targets), 0.0)) / (2 * l1 * l2)
        assert true_sine.max() <= 1.0 + 1e-12

    def test_erratum_3_squares_that_do_not_add_in_metres(self):
        # Lengths in other units must give the same angle; the printed root depends on the unit.
        metres = (1.0, 0.7, 1.5, 0.55)
        centimetres = tuple(100.0 * value for value in metres)
        assert printed.bend(printed.repaired_radicand(*metres), *metres) == pytest.approx(
            printed.bend(printed.repaired_radicand(*centimetres), *centimetres), abs=1e-14
        )
        as_printed = [
            printed.bend(printed.solution_radicand(*unit), *unit) for unit in (metres, centimetres)
        ]
        assert abs(as_printed[0] - as_printed[1]) > 0.1

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

"""The ring that links reach, and the point of it that is nearest to a target."""

from functools import partial

import numpy as np
import pytest

from ulna.kinematics.inverse_kinematics import nearest_in_ring, ring

approx = partial(pytest.approx, rel=1e-13)


@pytest.mark.parametrize(
    ("lengths", "inner", "outer"),
    [
        ([1.0], 1.0, 1.0),
        ([1.0, 1.0], 0.0, 2.0),
        ([1.0, 0.25], 0.75, 1.25),
        ([0.25, 1.0], 0.75, 1.25),
        ([1.0, 0.5, 0.25], 0.25, 1.75),
        ([0.25, 0.5, 1.0], 0.25, 1.75),
        ([1.0, 0.5, 0.5], 0.0, 2.0),
        ([1.0, 1.0, 1.0], 0.0, 3.0),
    ],
)
def test_there_is_a_hole_only_where_one_link_is_longer_than_all_others_together(
    lengths, inner, outer
):
    assert ring(np.array(lengths)) == (inner, outer)


LENGTHS = np.array([1.0, 0.25])


def test_a_target_inside_is_untouched_to_the_last_bit():
    targets = np.array([[0.8, 0.1], [-1 / 3, 1.0], [0.0, 1.25], [0.75, 0.0]])
    found = nearest_in_ring(LENGTHS, targets)
    assert (found.point == targets).all()
    assert (found.shortfall == 0.0).all()


def test_no_other_point_of_the_ring_is_nearer():
    random = np.random.default_rng(4)
    targets = random.uniform(-2.0, 2.0, (200, 1, 2))
    radius, angle = random.uniform(0.75, 1.25, 4000), random.uniform(-np.pi, np.pi, 4000)
    ring_points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    found = nearest_in_ring(LENGTHS, targets[:, 0])
    distances = np.linalg.norm(targets - ring_points, axis=-1)
    assert (found.shortfall <= distances.min(axis=-1)).all()
    way = np.linalg.norm(found.point - targets[:, 0], axis=-1)
    assert way == approx(found.shortfall, abs=1e-15)

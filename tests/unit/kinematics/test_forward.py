"""Forward kinematics: shapes, where things are in postures that a person can draw, and messages."""

from functools import partial

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import kinematics
from ulna.errors import InputError

approx = partial(pytest.approx, rel=1e-13)

FUNCTIONS = {
    "tip": (kinematics.tip, (3,)),
    "joints": (kinematics.joints, (3, 2)),
    "centres": (kinematics.centres, (2, 2)),
    "steps": (lambda arm, q: kinematics.transforms(arm, q).steps, (2, 3, 3)),
    "product": (lambda arm, q: kinematics.transforms(arm, q).product, (3, 3)),
}


@pytest.fixture
def arm():
    links = [ulna.Link(2.0, 1.0, com=0.5, com_offset=0.25), ulna.Link(1.0, 1.0, com_offset=-0.5)]
    return ulna.Arm.of(links, base=(10.0, 20.0))


def test_a_right_angle_puts_everything_where_a_drawing_has_it(arm):
    q = np.radians([90.0, -90.0])
    assert kinematics.joints(arm, q) == approx(np.array([[10, 20], [10, 22], [11, 22]]))
    assert kinematics.tip(arm, q) == approx([11.0, 22.0, 0.0])
    # Left of a link that points up is −x; left of one that points right is +y.
    assert kinematics.centres(arm, q) == approx(np.array([[9.75, 20.5], [10.5, 21.5]]))


def test_joints_run_from_the_base_to_the_tip(arm):
    q = [0.3, -1.1]
    points = kinematics.joints(arm, q)
    assert points[0].tolist() == [10.0, 20.0]
    assert points[-1] == approx(kinematics.tip(arm, q)[:2])
    assert np.linalg.norm(np.diff(points, axis=0), axis=-1) == approx([2.0, 1.0])


def test_the_orientation_of_the_tip_is_not_wrapped(arm):
    assert kinematics.tip(arm, [5.0, 6.0])[2] == 11.0
    assert kinematics.tip(arm, [-5.0, -6.0])[2] == -11.0


def test_one_link_is_an_arm():
    arm = ulna.Arm.rods([0.5], [1.0], base=(1.0, 0.0))
    q = [np.pi / 6]
    assert kinematics.tip(arm, q) == approx([1 + 0.25 * np.sqrt(3), 0.25, np.pi / 6])
    assert kinematics.joints(arm, q).shape == (2, 2)
    assert kinematics.centres(arm, q)[0] == approx([1 + 0.125 * np.sqrt(3), 0.125])
    made = kinematics.transforms(arm, q)
    assert made.steps.shape == (1, 3, 3)
    assert made.product == approx(made.steps[0])


def test_the_product_of_the_transforms_is_the_matrix_product_of_the_steps(arm):
    random = np.random.default_rng(1)
    steps, product = kinematics.transforms(arm, random.uniform(-4.0, 4.0, (50, 2)))
    assert product == approx(steps[:, 0] @ steps[:, 1])


def test_a_step_turns_by_its_joint_and_then_moves_along_its_link(arm):
    first, second = kinematics.transforms(arm, np.radians([30.0, 40.0])).steps
    c, s = np.cos(np.radians(40.0)), np.sin(np.radians(40.0))
    assert second == approx(np.array([[c, -s, c], [s, c, s], [0, 0, 1]]))
    c, s = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
    assert first == approx(np.array([[c, -s, 10 + 2 * c], [s, c, 20 + 2 * s], [0, 0, 1]]))


@tabular("name", FUNCTIONS)
@tabular("batch", [(), (1,), (5,), (4, 3), (0,)])
def test_leading_axes_of_the_angles_lead_the_result(arm, name, batch):
    function, shape = FUNCTIONS[name]
    assert function(arm, np.zeros((*batch, 2))).shape == batch + shape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_of_arms_broadcasts_against_a_batch_of_angles(arm, name):
    function, shape = FUNCTIONS[name]
    other = ulna.Arm.rods([0.3, 0.7], [1.0, 1.0], base=(-1.0, 2.0))
    q = np.random.default_rng(2).uniform(-3.0, 3.0, (5, 1, 2))
    together = function(ulna.stack([arm, other]), q)
    assert together.shape == (5, 2, *shape)
    for place, member in enumerate([arm, other]):
        alone = function(member, q[:, 0])
        assert together[:, place] == approx(alone)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_posture_serves_a_batch_of_arms(arm, name):
    function, shape = FUNCTIONS[name]
    assert function(ulna.stack([arm, arm, arm]), [0.1, 0.2]).shape == (3, *shape)


def test_whole_numbers_and_lists_are_angles_too(arm):
    assert kinematics.tip(arm, [0, 0]).tolist() == [13.0, 20.0, 0.0]


@tabular("name", FUNCTIONS)
@tabular(
    ("q", "got"),
    [
        (0.5, "one number"),
        ([0.1], "shape (1,)"),
        ([0.1, 0.2, 0.3], "shape (3,)"),
        (np.zeros((4, 3)), "shape (4, 3)"),
    ],
)
def test_angles_of_the_wrong_shape_are_refused_with_what_is_needed(arm, name, q, got):
    with pytest.raises(InputError) as refused:
        FUNCTIONS[name][0](arm, q)
    (problem,) = refused.value.problems
    assert (problem.what, problem.got) == ("q", got)
    assert "(..., 2)" in problem.need


def test_an_angle_that_is_nan_gives_nan_and_no_warning(arm):
    # Formulas do not check values: a batch does not die of one bad member.
    points = kinematics.tip(arm, [[np.nan, 0.0], [0.0, 0.0]])
    assert np.isnan(points[0]).all()
    assert points[1].tolist() == [13.0, 20.0, 0.0]

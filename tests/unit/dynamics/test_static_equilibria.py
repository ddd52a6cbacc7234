"""Postures of rest: how many, where, of what kind, and why there are none."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-12, abs=1e-12)
G = 9.81


def rod(*, length=1.0, mass=1.0, damping=0.0, lower=-np.inf, upper=np.inf, **options):
    joint = ulna.Joint(lower, upper, damping=damping)
    return ulna.Arm.rods([length], [mass], joints=[joint], **options)


def kinds(found):
    return [rest.kind for rest in found]


# Degenerate


@pytest.mark.parametrize(("sign", "angle"), [(1.0, 0.0), (-1.0, np.pi)])
def test_the_largest_torque_holds_the_level_link_and_the_two_postures_meet(sign, angle):
    found = dynamics.equilibria(rod(), [sign * 0.5 * G])
    assert kinds(found) == ["degenerate"]
    assert found[0].q == approx([angle])
    assert not found[0].stable


def test_a_balanced_link_rests_anywhere_beside_one_that_hangs_or_stands():
    links = [ulna.Link(1.0, 1.0), ulna.Link(0.5, 1.0, com=-0.25, tip_mass=0.5)]
    found = dynamics.equilibria(ulna.Arm.of(links), [0.0, 0.0])
    assert kinds(found) == ["degenerate", "saddle"]


@pytest.mark.parametrize("mass", np.linspace(0.1, 2.0, 40))
def test_a_link_whose_weight_a_force_carries_rests_anywhere(mass):
    arm = ulna.Arm.point_masses([0.7], [mass])
    assert kinds(dynamics.equilibria(arm, [0.0], tip_force=[0.0, mass * G])) == ["degenerate"]


def test_a_moment_alone_does_not_let_a_flat_link_rest():
    flat = rod(gravity=(0.0, 0.0))
    assert len(dynamics.equilibria(flat, [0.0], tip_force=[0.0, 0.0, 1.0])) == 0
    assert kinds(dynamics.equilibria(flat, [-1.0], tip_force=[0.0, 0.0, 1.0])) == ["degenerate"]


# Kinds


@pytest.mark.parametrize(
    ("damping", "kind"), [(0.0, "centre"), (0.1, "focus"), (2.4, "focus"), (2.7, "node")]
)
def test_damping_turns_swinging_into_creeping(damping, kind):
    # A rod of 1 kg and 1 m creeps from b = 2 sqrt(g / 6) = 2.557 on.
    found = dynamics.equilibria(rod(damping=damping), [0.0])
    hanging, standing = found
    assert (found[0], len(found), found.reason) == (hanging, 2, "")
    assert hanging.kind == kind
    assert hanging.stable
    assert standing.kind == "saddle"
    assert not standing.stable


# Limits


def test_angles_are_written_in_the_turn_around_the_middle_of_the_joints_range():
    hanging, standing = dynamics.equilibria(rod(lower=np.pi, upper=2 * np.pi), [0.0])
    assert hanging.q == approx([1.5 * np.pi])
    assert hanging.within_limits
    assert standing.q[0] % (2 * np.pi) == approx(np.pi / 2)
    assert not standing.within_limits


# What is refused


def test_more_than_ten_links_have_too_many_postures_to_list():
    arm = ulna.Arm.rods([1.0] * 11, [1.0] * 11)
    [problem] = problems_of(lambda: dynamics.equilibria(arm, np.zeros(11)))
    assert "2^11 postures" in problem.got
    assert "10 links" in problem.need
    # All torques too large: ten links are let through without listing 1,024 postures.
    ten = arm.replace(links=arm.links[:10], joints=arm.joints[:10])
    found = dynamics.equilibria(ten, 1e9 * 2.0 ** np.arange(10))
    assert len(found) == 0
    assert "links 1, 2, 3, 4, 5, 6, 7, 8, 9, 10" in found.reason


def test_one_arm_one_row_of_torques_and_one_force_are_given():
    arm, still = ulna.preset("unit"), [0.0, 0.0]
    assert names_of(lambda: dynamics.equilibria(ulna.stack([arm] * 3), still)) == ["arm"]
    for bad in (np.zeros((5, 2)), [0.0], "ab", [np.nan, 0.0]):
        assert names_of(lambda bad=bad: dynamics.equilibria(arm, bad))
        assert names_of(lambda bad=bad: dynamics.equilibria(arm, still, tip_force=bad))
    assert len(dynamics.equilibria(arm.parameters, [0, 0], tip_force=[0, -1])) == 4


@pytest.mark.parametrize("damping", [1e5, 1e7, 1e9])
def test_however_thick_the_honey_it_creeps_and_does_not_swing(damping):
    arm = ulna.Arm.of([ulna.Link(1.0, 1.0)], [ulna.Joint(damping=damping)])
    assert dynamics.equilibria(arm, [0.0])[0].kind == "node"

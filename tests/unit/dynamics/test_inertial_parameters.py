"""Torques as a matrix of the motion times a vector of the arm."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-12, abs=1e-12)
G = 9.81


@pytest.fixture
def arm():
    links = [
        ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05, inertia=0.03, tip_mass=0.3),
        ulna.Link(0.4, 1.0, com=0.1, com_offset=-0.1, inertia=0.02),
    ]
    joints = [
        ulna.Joint(damping=0.3, rotor_inertia=2e-4, gear_ratio=50.0),
        ulna.Joint(damping=0.1, rotor_inertia=1e-4, gear_ratio=-30.0),
    ]
    return ulna.Arm.of(links, joints, payload=0.2)


def test_names_run_through_the_links_of_one_quantity_after_the_other(arm):
    assert dynamics.parameter_names(arm) == (
        "mass.1",
        "mass.2",
        "first_moment.1",
        "first_moment.2",
        "offset_moment.1",
        "offset_moment.2",
        "second_moment.1",
        "second_moment.2",
        "damping.1",
        "damping.2",
        "rotor_inertia.1",
        "rotor_inertia.2",
    )
    assert dynamics.parameter_names(arm.parameters) == dynamics.parameter_names(arm)


def test_the_vector_holds_each_links_moments_with_its_point_mass(arm):
    assert dynamics.parameter_vector(arm) == approx(
        [
            2.3,
            1.2,
            2.0 * 0.2 + 0.3 * 0.5,
            1.0 * 0.1 + 0.2 * 0.4,
            2.0 * 0.05,
            1.0 * -0.1,
            0.03 + 2.0 * (0.2**2 + 0.05**2) + 0.3 * 0.5**2,
            0.02 + 1.0 * (0.1**2 + 0.1**2) + 0.2 * 0.4**2,
            0.3,
            0.1,
            2e-4,
            1e-4,
        ]
    )


def test_the_columns_of_one_link_are_what_each_quantity_asks_for():
    # τ = g cos q (m c) − g sin q (m d) + (I + m c² + m d²) q̈ + b q̇ + N² J q̈; the mass of the
    # first link never shows.
    joints = [ulna.Joint(gear_ratio=-7.0)]
    arm = ulna.Arm.rods([0.5], [1.0], joints=joints)
    columns = dynamics.regressor(arm, [0.4], [3.0], [5.0])
    expected = [0.0, G * np.cos(0.4), -G * np.sin(0.4), 5.0, 3.0, 49.0 * 5.0]
    assert columns == approx(np.array([expected]))


def test_the_columns_of_two_links_in_postures_that_are_easy(arm):
    """At rest and level, each moment weighs on its own joint and on those before it."""
    columns = dynamics.regressor(arm, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    named = dict(zip(dynamics.parameter_names(arm), columns.T, strict=True))
    assert named["mass.1"] == approx([0.0, 0.0])
    assert named["mass.2"] == approx([G * 0.5, 0.0])
    assert named["first_moment.1"] == approx([G, 0.0])
    assert named["first_moment.2"] == approx([G, G])
    for name in ("offset_moment", "second_moment", "damping", "rotor_inertia"):
        assert named[f"{name}.1"] == approx([0.0, 0.0])
        assert named[f"{name}.2"] == approx([0.0, 0.0])


def test_a_rotor_asks_its_own_joint_for_its_gear_and_the_links_that_carry_it_for_once(arm):
    columns = dynamics.regressor(arm, [0.3, 0.4], [0.0, 0.0], [2.0, 5.0])
    # Rotor 2 turns at q̇_1 − 30 q̇_2.
    speeding = 2.0 - 30.0 * 5.0
    assert columns[:, -1] == approx([speeding, -30.0 * speeding])
    assert columns[:, -2] == approx([50.0 * 50.0 * 2.0, 0.0])


def test_damping_shows_the_rate_of_its_own_joint(arm):
    columns = dynamics.regressor(arm, [0.3, 0.4], [2.0, -3.0], [0.0, 0.0])
    assert columns[:, 8:10] == approx(np.array([[2.0, 0.0], [0.0, -3.0]]))


def test_masses_do_not_enter_the_matrix(arm):
    p = arm.parameters
    heavier = p._replace(
        mass=3.0 * p.mass,
        com=0.5 * p.com,
        com_offset=-p.com_offset,
        inertia=2.0 * p.inertia,
        tip_mass=p.tip_mass + 1.0,
        damping=4.0 * p.damping,
        rotor_inertia=5.0 * p.rotor_inertia,
    )
    state = np.random.default_rng(1).normal(size=(3, 2))
    assert (dynamics.regressor(heavier, *state) == dynamics.regressor(arm, *state)).all()


def test_a_reference_rate_replaces_one_of_the_two_rates():
    # The textbook arm, h = −m l c sin q_2: C = h [[q̇_2, q̇_1 + q̇_2], [−q̇_1, 0]].
    joints = [ulna.Joint(damping=0.3), ulna.Joint(damping=0.1)]
    arm = ulna.Arm.of([ulna.Link(1.0, 1.0, com=0.5, inertia=0.0)] * 2, joints)
    q, qd = np.array([0.3, 1.1]), np.array([0.7, -1.3])
    qd_ref, qdd_ref = np.array([0.2, 0.9]), np.array([-0.4, 1.6])
    c, h = np.cos(q[1]), -0.5 * np.sin(q[1])
    mass = np.array([[1.5 + c, 0.25 + 0.5 * c], [0.25 + 0.5 * c, 0.25]])
    whirl = h * np.array([[qd[1], qd[0] + qd[1]], [-qd[0], 0.0]])
    tip = 0.5 * np.cos(q[0] + q[1])
    weight = G * np.array([1.5 * np.cos(q[0]) + tip, tip])
    expected = mass @ qdd_ref + whirl @ qd_ref + weight + np.array([0.3, 0.1]) * qd_ref
    matrix = dynamics.regressor(arm, q, qd, qdd_ref, qd_ref=qd_ref)
    assert matrix @ dynamics.parameter_vector(arm) == approx(expected)


def test_arms_have_a_vector_each(arm):
    other = ulna.Arm.rods([0.3, 0.7], [1.0, 4.0])
    vectors = dynamics.parameter_vector(ulna.stack([arm, other]))
    for vector, member in zip(vectors, (arm, other), strict=True):
        assert vector == approx(dynamics.parameter_vector(member))

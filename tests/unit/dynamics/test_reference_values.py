"""Numbers that others have published or computed: textbook arms, and independent libraries."""

import numpy as np
import pytest

import ulna
from ulna import dynamics

RIGHT = np.pi / 2


@pytest.fixture(scope="module")
def textbook():
    """Give the two-link arm of the robotics textbooks: centres half-way, inertias left out."""
    return ulna.Arm.of([ulna.Link(1.0, 1.0, com=0.5, inertia=0.0)] * 2)


@pytest.mark.parametrize(
    ("q", "levers"),
    [
        ((0.0, 0.0), (2.0, 0.5)),
        ((0.0, RIGHT), (1.5, 0.0)),
        ((RIGHT, -RIGHT), (0.5, 0.5)),
        ((RIGHT, 0.0), (0.0, 0.0)),
    ],
)
def test_the_weight_of_the_textbook_arm(textbook, q, levers):
    assert dynamics.gravity_torque(textbook, q) / 9.81 == pytest.approx(levers, abs=1e-12)


def test_the_mass_matrix_of_the_textbook_arm_at_a_right_angle(textbook):
    expected = np.array([[1.5, 0.25], [0.25, 0.25]])
    for first in (0.0, 0.7, -2.0):
        found = dynamics.mass_matrix(textbook, [first, RIGHT])
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("qd", "torque"),
    [((1.0, 0.0), (0.0, 0.5)), ((0.0, 1.0), (-0.5, 0.0)), ((1.0, 1.0), (-1.5, 0.5))],
)
def test_centrifugal_and_coriolis_torques_of_the_textbook_arm(textbook, qd, torque):
    for first in (0.0, 0.7, -2.0):
        matrix = dynamics.coriolis_matrix(textbook, [first, RIGHT], qd)
        assert matrix @ qd == pytest.approx(torque, abs=1e-12)


@pytest.mark.parametrize(
    ("degrees", "mass", "at_the_tip"),
    [
        (90.0, [[3.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]),
        (
            150.0,
            [[1.267949192431, 0.133974596216], [0.133974596216, 1.0]],
            [[4.0, -np.sqrt(3.0)], [-np.sqrt(3.0), 2.0]],
        ),
    ],
)
def test_two_point_masses_and_the_mass_that_their_tip_seems_to_have(degrees, mass, at_the_tip):
    # A worked example of operational-space control.
    arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    q = np.radians([0.0, degrees])
    assert dynamics.mass_matrix(arm, q) == pytest.approx(np.array(mass), abs=1e-12)
    found = dynamics.operational_mass(arm, q)
    assert found == pytest.approx(np.array(at_the_tip), abs=1e-12)


@pytest.fixture(scope="module")
def three():
    """Give a three-link arm whose numbers two independent rigid-body libraries agree on."""
    rows = [(0.5, 3.0, 0.2, 0.06), (0.4, 2.0, 0.15, 0.03), (0.3, 1.0, 0.1, 0.01)]
    return ulna.Arm.of([ulna.Link(l, m, com=c, inertia=i) for l, m, c, i in rows])


Q, QD = (0.3, -0.8, 1.1), (0.5, -1.2, 2.0)


def test_two_libraries_agree_on_the_torques_of_three_links(three):
    found = dynamics.inverse_dynamics(three, Q, QD, [1.0, 2.0, -3.0])
    assert found == pytest.approx([29.225690958791, 7.785206789373, 0.933014264094], abs=1e-11)


def test_two_libraries_agree_on_the_accelerations_of_three_links(three):
    found = dynamics.forward_dynamics(three, Q, QD, [4.0, -1.0, 0.5])
    expected = [-11.823108787023, -9.832129714852, 52.997525732388]
    assert found == pytest.approx(expected, abs=1e-11)


@pytest.fixture(scope="module")
def geared():
    """Give a textbook's two-link manipulator: motors on the links, rotors geared 100 : 1."""
    link = ulna.Link(1.0, 50.0, com=0.5, inertia=10.0)
    elbow = ulna.Link(1.0, 50.0, com=0.5, inertia=10.0, tip_mass=5.0)
    return ulna.Arm.of([elbow, link], [ulna.Joint(rotor_inertia=0.01, gear_ratio=100.0)] * 2)


@pytest.mark.parametrize(
    ("degrees", "own", "coupled"), [(0, 250.01, 48.5), (90, 200.01, 23.5), (180, 150.01, -1.5)]
)
def test_rotors_that_ride_on_the_links_couple_the_joints(geared, degrees, own, coupled):
    found = dynamics.mass_matrix(geared, np.radians([33.0, degrees]))
    expected = np.array([[own, coupled], [coupled, 122.5]])
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("links", "frequencies"),
    [(1, [3.836013555763]), (2, [2.680114012253, 7.188670870288])],
)
def test_hanging_rods_swing_at_their_known_frequencies(links, frequencies):
    # One rod: sqrt(3 g / 2 L); two: the roots of its biquadratic, a standard exercise.
    arm = ulna.Arm.rods([1.0] * links, [1.0] * links)
    hanging = [-RIGHT] + [0.0] * (links - 1)
    state, _ = dynamics.linearise(arm, hanging, [0.0] * links, [0.0] * links)
    eigenvalues = np.linalg.eigvals(state)
    assert np.abs(eigenvalues.real).max() <= 1e-9
    upper = np.sort(eigenvalues.imag[eigenvalues.imag > 0.0])
    assert upper == pytest.approx(frequencies, abs=1e-9)

"""The closed form: postures and motions that a person can work out on paper."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


# One link


def test_a_rod_has_a_third_of_its_mass_times_its_length_squared():
    arm = ulna.Arm.rods([2.0], [3.0])
    assert dynamics.mass_matrix(arm, [0.7]) == approx(np.array([[4.0]]))
    assert dynamics.kinetic_energy(arm, [0.7], [5.0]) == approx(50.0)
    assert dynamics.coriolis_matrix(arm, [0.7], [5.0]).tolist() == [[0.0]]


def test_a_rod_let_go_at_the_horizontal_falls_with_three_halves_of_gravity_at_its_end():
    arm = ulna.Arm.rods([2.0], [3.0])
    assert dynamics.forward_dynamics(arm, [0.0], [0.0], [0.0]) == approx([-1.5 * G / 2.0])


# Gravity and energy


def test_gravity_may_pull_sideways():
    arm = ulna.Arm.rods([1.0], [2.0], gravity=(-4.0, 0.0))
    # The link points up; a pull to the left turns it on, a torque against it holds it.
    assert dynamics.gravity_torque(arm, [np.pi / 2]) == approx([-2.0 * 4.0 * 0.5])
    assert dynamics.potential_energy(arm, [0.0]) == approx(2.0 * 4.0 * 0.5)
    moved = arm.replace(base=(3.0, 5.0))
    assert dynamics.potential_energy(moved, [0.0]) == approx(2.0 * 4.0 * 3.5)


def test_potential_energy_is_weight_times_height_above_the_origin():
    links = [ulna.Link(1.0, 2.0, tip_mass=3.0), ulna.Link(2.0, 4.0, com=0.5)]
    arm = ulna.Arm.of(links, payload=5.0, base=(7.0, 10.0))
    # Up along the first link, then level to the right.
    heights = 2.0 * 10.5 + 3.0 * 11.0 + 4.0 * 11.0 + 5.0 * 11.0
    assert dynamics.potential_energy(arm, [np.pi / 2, -np.pi / 2]) == approx(G * heights)
    level = 14.0 * 10.0
    assert dynamics.potential_energy(arm, [0.0, 0.0]) == approx(G * level)


# Motion


# A force at the tip acts on the arm


def test_what_pushes_the_tip_up_takes_load_off_the_joints():
    arm = ulna.Arm.rods([1.0, 0.5], [1.0, 1.0])
    still = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    alone = dynamics.inverse_dynamics(arm, *still)
    helped = dynamics.inverse_dynamics(arm, *still, tip_force=[0.0, 4.0])
    assert alone - helped == approx([4.0 * 1.5, 4.0 * 0.5])


# The mass that the tip seems to have


@pytest.mark.parametrize("folded", [False, True])
def test_a_straight_arm_is_light_across_and_immovable_along(folded):
    arm = ulna.Arm.point_masses([1.0, 0.5], [1.0, 1.0])
    mass = dynamics.operational_mass(arm, [0.0, np.pi if folded else 0.0])
    # The end mass hangs on a link that pulls along x only: pushed along y it moves alone.
    assert mass[1, 1] == pytest.approx(1.0, rel=1e-12)
    assert mass[0, 0] > 1e7
    assert np.isfinite(mass).all()


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_the_mass_at_the_tip_is_a_number_in_every_straight_pose(n):
    lengths = np.linspace(0.3, 0.8, n)
    arm = ulna.Arm.rods(lengths, np.ones(n))
    q = np.zeros((200, n))
    q[:, 0] = np.linspace(-np.pi, np.pi, 200)
    mass = dynamics.operational_mass(arm, q)
    assert np.isfinite(mass).all()
    assert (mass == mass.swapaxes(-1, -2)).all()
    along = np.stack([np.cos(q[:, 0]), np.sin(q[:, 0])], axis=-1)
    assert (np.einsum("ki,kij,kj->k", along, mass, along) > 1e7).all()

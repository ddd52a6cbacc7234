"""Dynamics against Pinocchio: 1,000 random arms and states of 1 to 50 links.

Pinocchio's armature adds to the diagonal of the mass matrix and knows nothing of the link that
carries a rotor, so that it is right for the first joint alone, whose rotor stands on the ground.
The others are bodies of their own here: each hangs on the link before its joint, in the place of
the point mass there, turns on a joint of its own, and is geared by projection. With P the matrix
of the gears, which gives the rates of all joints, rotors' too, from those of the arm,
M = Pᵀ M' P and τ = Pᵀ τ'. Accelerations of such an arm go back through Pinocchio's inverse
dynamics; its forward dynamics is compared for arms whose other rotors are geared 1 : 1, which
only adds to the inertia of their links. Pinocchio has no joint damping: it is added here.
"""

from typing import NamedTuple

import numpy as np
import pytest

from ulna import dynamics

pinocchio = pytest.importorskip(
    "pinocchio", reason="Pinocchio has no wheel for this platform: dynamics not cross-checked"
)

ARMS_EACH = 20
TOLERANCE = 1e-10  # relative to the largest entry, and to the largest term of a sum


class Chain(NamedTuple):
    """A model that serves all arms of n links in turn, with the joints of links and of rotors."""

    model: pinocchio.Model
    data: pinocchio.Data
    links: list[int]
    rotors: list[int]  # of joints 2 to n


def chain(n, *, rotors):
    model = pinocchio.Model()
    parent, of_links, of_rotors = 0, [], []

    def joint(name):
        return model.addJoint(parent, pinocchio.JointModelRZ(), pinocchio.SE3.Identity(), name)

    for number in range(n):
        if rotors and number:
            of_rotors.append(joint(f"rotor {number}"))
        parent = joint(f"joint {number}")
        of_links.append(parent)
    return Chain(model, model.createData(), of_links, of_rotors)


def body(mass, x, y, inertia):
    """Give a flat body: its inertia about x and y plays no part in the plane."""
    return pinocchio.Inertia(mass, np.array([x, y, 0.0]), np.diag([inertia, inertia, inertia]))


def point(mass, x):
    return body(mass, x, 0.0, 0.0)


def dress(chain, arm, k):
    """Give the model the lengths and masses of arm k of a batch, and its gears P (…, n)."""
    model, links, rotors = chain.model, chain.links, chain.rotors
    n = len(links)
    model.gravity.linear = np.array([*arm.gravity[k], 0.0])
    gears = np.zeros((model.nv, n))
    armature = np.zeros(model.nv)
    armature[0] = arm.rotor_inertia[k, 0] * arm.gear_ratio[k, 0] ** 2
    model.armature = armature
    place = np.array([*arm.base[k], 0.0])
    for i, joint in enumerate(links):
        gears[joint - 1, i] = 1.0
        model.jointPlacements[joint] = pinocchio.SE3(np.eye(3), place)
        link = body(arm.mass[k, i], arm.com[k, i], arm.com_offset[k, i], arm.inertia[k, i])
        if i and rotors:
            rotor = rotors[i - 1]
            gears[rotor - 1, i] = arm.gear_ratio[k, i]
            model.jointPlacements[rotor] = pinocchio.SE3(np.eye(3), place)
            model.inertias[rotor] = body(arm.tip_mass[k, i - 1], 0.0, 0.0, arm.rotor_inertia[k, i])
        if i == n - 1 or not rotors:
            link = link + point(arm.tip_mass[k, i], arm.length[k, i])
        if i and not rotors:
            link = link + body(0.0, 0.0, 0.0, arm.rotor_inertia[k, i])
        model.inertias[joint] = link
        place = np.array([arm.length[k, i], 0.0, 0.0])
    return gears


def tip_wrench(chain, arm, k, q, force):
    """Give the forces on all joints: the one at the tip, in the frame of the last link."""
    angle, length = np.sum(q), arm.length[k, -1]
    cos, sin = np.cos(angle), np.sin(angle)
    along, across = cos * force[0] + sin * force[1], cos * force[1] - sin * force[0]
    wrench = pinocchio.Force(
        np.array([along, across, 0.0]), np.array([0.0, 0.0, force[2] + length * across])
    )
    wrenches = pinocchio.StdVec_Force()
    wrenches.extend([pinocchio.Force.Zero()] * chain.model.njoints)
    wrenches[chain.links[-1]] = wrench
    return wrenches


def whole(upper):
    """Complete a symmetric matrix of which only the upper triangle may be filled."""
    return np.triu(upper) + np.triu(upper, 1).T


def close(ours, theirs, *terms):
    size = max(np.max(np.abs(part)) for part in (theirs, *terms))
    return np.max(np.abs(ours - theirs)) <= TOLERANCE * size


@pytest.mark.parametrize("n", range(1, 51))
def test_matrices_energies_and_torques_agree(random_arm, n):
    random = np.random.default_rng(n)
    arms = random_arm(random, n, (ARMS_EACH,), whole=True)
    q, qd, qdd, tau = random.uniform(-np.pi, np.pi, (4, ARMS_EACH, n))
    force, tau = random.uniform(-20.0, 20.0, (ARMS_EACH, 3)), 10.0 * tau
    mass, coriolis = dynamics.mass_matrix(arms, q), dynamics.coriolis_matrix(arms, q, qd)
    weight = dynamics.gravity_torque(arms, q)
    kinetic, potential = dynamics.kinetic_energy(arms, q, qd), dynamics.potential_energy(arms, q)
    torque = dynamics.inverse_dynamics(arms, q, qd, qdd, tip_force=force)
    gained = dynamics.forward_dynamics(arms, q, qd, tau, tip_force=force)
    theirs = chain(n, rotors=True)
    model, data = theirs.model, theirs.data

    for k in range(ARMS_EACH):
        gears = dress(theirs, arms, k)
        angles, rates, turning, found = (gears @ part[k] for part in (q, qd, qdd, gained))
        # A rotor may stand at any angle: it is round.
        pull = tip_wrench(theirs, arms, k, q[k], force[k])
        still, damping = np.zeros(model.nv), arms.damping[k] * qd[k]

        expected = gears.T @ whole(pinocchio.crba(model, data, angles)) @ gears
        assert close(mass[k], expected)
        expected = gears.T @ pinocchio.computeCoriolisMatrix(model, data, angles, rates) @ gears
        assert close(coriolis[k], expected, mass[k])
        expected = gears.T @ pinocchio.computeGeneralizedGravity(model, data, angles)
        assert close(weight[k], expected)
        whirl = gears.T @ pinocchio.nonLinearEffects(model, data, angles, rates) - expected
        assert close(coriolis[k] @ qd[k], whirl, weight[k])
        expected = pinocchio.computeKineticEnergy(model, data, angles, rates)
        assert close(kinetic[k], expected)
        expected = pinocchio.computePotentialEnergy(model, data, angles)
        assert close(potential[k], expected, weight[k])

        expected = gears.T @ pinocchio.rnea(model, data, angles, rates, turning, pull) + damping
        assert close(torque[k], expected)
        expected = gears.T @ pinocchio.rnea(model, data, angles, rates, found, pull) + damping
        driven = gears.T @ pinocchio.rnea(model, data, angles, rates, still)
        assert close(tau[k], expected, driven)


@pytest.mark.parametrize("n", range(1, 51))
def test_accelerations_agree(random_arm, n):
    random = np.random.default_rng(n)
    arms = random_arm(random, n, (ARMS_EACH,), whole=True)
    q, qd, tau = random.uniform(-np.pi, np.pi, (3, ARMS_EACH, n))
    force, tau = random.uniform(-20.0, 20.0, (ARMS_EACH, 3)), 10.0 * tau
    arms.gear_ratio[:, 1:] = 1.0
    gained = dynamics.forward_dynamics(arms, q, qd, tau, tip_force=force)
    theirs = chain(n, rotors=False)
    model, data = theirs.model, theirs.data

    for k in range(ARMS_EACH):
        dress(theirs, arms, k)
        pull, damping = tip_wrench(theirs, arms, k, q[k], force[k]), arms.damping[k] * qd[k]
        expected = pinocchio.aba(model, data, q[k], qd[k], tau[k] - damping, pull)
        assert close(gained[k], expected)

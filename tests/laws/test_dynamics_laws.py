"""Laws of dynamics, for arms of 1 to 50 links with offsets, point masses, damping and rotors.

A law is tried on 1,000 arms: 100 draws of ten arms side by side. The physics is written here a
second time, mass by mass and by Newton: where every mass is, how it moves, and which torques its
weight and its acceleration ask for. All of it is an analytic function of angles and rates, so that
derivatives come from complex steps, which are exact to rounding. Tolerances are rounding errors
of sums of n terms, relative to the size of the terms before any of them cancel; where a mass
matrix is solved they are larger by what its conditioning costs.
"""

from math import comb
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ulna
from ulna import dynamics, kinematics
from ulna.dynamics import absolute, sequential

ARMS = 10
thorough = settings(max_examples=100, deadline=None)
links = st.integers(1, 50)
seeds = st.integers(0, 2**32 - 1)
ROUNDING = 2e-14
SOLVED = 2e-12  # accelerations: fifty links leave a mass matrix with a condition of some 5e3
STEP = 1e-30


class Motion(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    force: np.ndarray  # (ARMS, 3): a force on the tip and a moment


def drawn(random_arm, n, seed, batch=(ARMS,), **how):
    random = np.random.default_rng(seed)
    arm = random_arm(random, n, batch, whole=True, **how)
    q, qd, qdd = random.uniform(-4.0, 4.0, (3, *batch, n))
    return arm, Motion(q, qd, qdd, random.uniform(-20.0, 20.0, (*batch, 3)))


# The second statement of the physics.


def ahead(values):
    return np.cumsum(values, axis=-1)


def tail(values):
    return np.flip(np.cumsum(np.flip(values, axis=-1), axis=-1), axis=-1)


def near(values):
    """Give what was reached before each link: running sums that start at zero."""
    return ahead(values) - values


class Places(NamedTuple):
    """The masses (…, 2n), first those of the links and then those at their ends."""

    mass: np.ndarray
    x: np.ndarray
    y: np.ndarray
    vx: np.ndarray
    vy: np.ndarray


def places(arm, q, qd):
    """Put every mass in its place, for complex angles and rates too."""
    phi, rate = ahead(q), ahead(qd)
    cos, sin = np.cos(phi), np.sin(phi)
    to_end = arm.length * cos, arm.length * sin
    to_centre = arm.com * cos - arm.com_offset * sin, arm.com * sin + arm.com_offset * cos

    def both(centre, end):
        return np.concatenate([near(end) + centre, ahead(end)], axis=-1)

    x, y = (both(*parts) for parts in zip(to_centre, to_end, strict=True))
    vx = both(-to_centre[1] * rate, -to_end[1] * rate)
    vy = both(to_centre[0] * rate, to_end[0] * rate)
    mass = np.concatenate([arm.mass, arm.tip_mass], axis=-1)
    return Places(mass, x + arm.base[..., 0:1], y + arm.base[..., 1:2], vx, vy)


def rotor_rates(arm, qd):
    """Give the rates of the rotors: each turns N times its joint on top of the link before."""
    return near(qd) + arm.gear_ratio * qd


def kinetic(arm, q, qd):
    at = places(arm, q, qd)
    masses = np.sum(at.mass * (at.vx**2 + at.vy**2), axis=-1)
    turning = np.sum(arm.inertia * ahead(qd) ** 2, axis=-1)
    return 0.5 * (masses + turning + np.sum(arm.rotor_inertia * rotor_rates(arm, qd) ** 2, axis=-1))


def potential(arm, q):
    at = places(arm, q, 0.0 * q)
    pull = arm.gravity[..., 0:1] * at.x + arm.gravity[..., 1:2] * at.y
    return -np.sum(at.mass * pull, axis=-1)


def angular_momentum(arm, q, qd):
    """Give what masses, links and rotors have about the base, the first rotor left out."""
    at = places(arm, q, qd)
    x, y = at.x - arm.base[..., 0:1], at.y - arm.base[..., 1:2]
    spins = arm.inertia * ahead(qd)
    carried = (arm.rotor_inertia * rotor_rates(arm, qd))[..., 1:]
    orbits = np.sum(at.mass * (x * at.vy - y * at.vx), axis=-1)
    return orbits + np.sum(spins, axis=-1) + np.sum(carried, axis=-1)


def newton(arm, q, qd, qdd, force=None, cos=np.cos, sin=np.sin):
    """Give the torques of a motion by Newton: the forces on all masses, link by link.

    For complex angles, and for numbers of any precision whose cosine and sine are handed in.
    """
    phi, rate, turning = ahead(q), ahead(qd), ahead(qdd)
    c, s = cos(phi), sin(phi)
    # A point at (a, b) of a link moves like (a + ib) e^{iφ}: along x a c − b s, along y a s + b c.
    end = arm.length * c, arm.length * s
    centre = arm.com * c - arm.com_offset * s, arm.com * s + arm.com_offset * c

    def accelerated(x, y):
        return -y * turning - x * rate**2, x * turning - y * rate**2

    steps, own = accelerated(*end), accelerated(*centre)
    gravity = arm.gravity[..., 0:1], arm.gravity[..., 1:2]
    of_links, of_ends = (
        [
            mass * (near(step) + more - pull)
            for step, more, pull in zip(steps, extra, gravity, strict=True)
        ]
        for mass, extra in ((arm.mass, own), (arm.tip_mass, steps))
    )
    # What the far end of a link has to bear: its point mass and all the links after it.
    borne = [tail(link + point) - link for link, point in zip(of_links, of_ends, strict=True)]
    if force is not None:
        borne = [part - force[..., k : k + 1] for k, part in enumerate(borne)]
    on_links = (
        arm.inertia * turning
        + centre[0] * of_links[1]
        - centre[1] * of_links[0]
        + end[0] * borne[1]
        - end[1] * borne[0]
    )
    # A rotor asks N times its own torque of its joint, and all of it of the joints before.
    rotor = arm.rotor_inertia * rotor_rates(arm, qdd)
    tau = tail(on_links) + arm.gear_ratio * rotor + tail(rotor) - rotor + arm.damping * qd
    return tau if force is None or force.shape[-1] == 2 else tau - force[..., 2:3]


def each(arm):
    return arm.per_sample()


def weightless(arm):
    return arm._replace(gravity=0.0 * arm.gravity)


def undamped(arm):
    return arm._replace(damping=0.0 * arm.damping)


def inertia(arm, q):
    """Give M: its columns are the torques of unit accelerations from rest."""
    free, q = weightless(each(arm)), q[..., None, :]
    units = np.eye(arm.n)
    return np.swapaxes(newton(free, q + 0.0 * units, 0.0 * units, units), -1, -2)


def derivative(function, values, directions):
    """Give the derivatives of an analytic function along directions."""
    return function(values + 1j * STEP * directions).imag / STEP


# Measures.


def largest(values):
    """Give for each arm (ARMS, …) the largest absolute value of anything that is its own."""
    return np.max(np.abs(values).reshape(len(values), -1), axis=-1)


def effort(arm, qd, qdd, force=None):
    """Give for each arm the size of all that adds up to its torques, with nothing cancelling."""
    rate, turning = ahead(qd) ** 2, np.abs(ahead(qdd))
    aside = np.abs(arm.com) + np.abs(arm.com_offset)
    arms, swing = (ahead(arm.length * part) for part in (1.0 + 0.0 * rate, rate + turning))
    mass, far = arm.mass + arm.tip_mass, aside + arms
    pull = np.sum(np.abs(arm.gravity), axis=-1, keepdims=True)
    size = dot(mass * far, pull + swing + aside * (rate + turning)) + dot(arm.inertia, turning)
    gears = 1.0 + np.abs(arm.gear_ratio)
    size = size + dot(arm.rotor_inertia * gears**2, near(np.abs(qdd)) + np.abs(qdd))
    size = size + dot(arm.damping, np.abs(qd))
    return size if force is None else size + np.sum(np.abs(force), axis=-1) * (1.0 + arms[..., -1])


def heft(arm):
    """Give for each arm the size of its potential energy, with nothing cancelling."""
    masses = np.sum(arm.mass + arm.tip_mass, axis=-1)
    span = 1.0 + np.sum(arm.length, axis=-1) + np.sum(np.abs(arm.base), axis=-1)
    return masses * span * np.sum(np.abs(arm.gravity), axis=-1)


def apart(ours, expected, *terms):
    """Give by how much the worst arm is off, relative to its largest term."""
    size = np.max([largest(part) for part in (expected, *terms)], axis=0)
    return np.max(largest(ours - expected) / size)


def times(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


def dot(one, other):
    return np.sum(one * other, axis=-1)


# Inertia and energy.


@thorough
@given(n=links, seed=seeds)
def test_the_mass_matrix_is_what_unit_accelerations_cost(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    ours, expected = dynamics.mass_matrix(arm, motion.q), inertia(arm, motion.q)
    # Entry by entry, however much lighter the last links are than the whole arm.
    size = np.sqrt(np.diagonal(expected, axis1=-2, axis2=-1))
    assert (np.abs(ours - expected) <= ROUNDING * size[:, :, None] * size[:, None, :]).all()


@thorough
@given(n=links, seed=seeds)
def test_the_mass_matrix_is_symmetric_and_positive_definite(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    phi, unit = ahead(motion.q), np.eye(n)
    for matrix in (dynamics.mass_matrix(arm, motion.q), absolute.mass_matrix(arm, phi)):
        assert apart(matrix, np.swapaxes(matrix, -1, -2)) <= ROUNDING
        np.linalg.cholesky(matrix)
    # Masses and rotors only ever add to what the links have about their own centres.
    more = absolute.mass_matrix(arm, phi) - arm.inertia[..., None] * unit
    least = np.linalg.eigvalsh(more)[:, 0]
    assert (least >= -ROUNDING * largest(more)).all()


@thorough
@given(n=links, seed=seeds)
def test_kinetic_energy_is_that_of_all_masses_and_rotors(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    ours, expected = dynamics.kinetic_energy(arm, motion.q, motion.qd), kinetic(arm, *motion[:2])
    assert apart(ours, expected) <= ROUNDING
    matrix = dynamics.mass_matrix(arm, motion.q)
    by_matrix = 0.5 * dot(motion.qd, times(matrix, motion.qd))
    # M in joint angles adds what the rates of the links cancel.
    by_parts = 0.5 * dot(np.abs(motion.qd), times(np.abs(matrix), np.abs(motion.qd)))
    assert apart(by_matrix, expected, by_parts) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_weight_is_the_slope_of_potential_energy(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    energy = dynamics.potential_energy(arm, motion.q)
    assert (np.abs(energy - potential(arm, motion.q)) <= ROUNDING * heft(arm)).all()
    torque = dynamics.gravity_torque(arm, motion.q)
    slope = derivative(lambda q: potential(each(arm), q), motion.q[:, None], np.eye(n))
    assert apart(torque, slope, effort(arm, 0.0 * slope, 0.0 * slope)) <= ROUNDING
    assert (largest(dynamics.gravity_torque(weightless(arm), motion.q)) == 0.0).all()


# Rates.


@thorough
@given(n=links, seed=seeds)
def test_the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    rate = derivative(lambda q: inertia(arm, q), motion.q, motion.qd)
    coriolis = dynamics.coriolis_matrix(arm, motion.q, motion.qd)
    skew = rate - 2.0 * coriolis
    size = largest(inertia(arm, motion.q)) * largest(ahead(motion.qd))
    assert (largest(skew + np.swapaxes(skew, -1, -2)) <= ROUNDING * size).all()


@thorough
@given(n=links, seed=seeds)
def test_coriolis_torques_are_those_of_lagrange(random_arm, n, seed):
    """C q̇ = Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q."""
    arm, motion = drawn(random_arm, n, seed)
    rate = derivative(lambda q: inertia(arm, q), motion.q, motion.qd)
    still = motion.qd[:, None]
    slope = derivative(lambda q: kinetic(each(arm), q, still), motion.q[:, None], np.eye(n))
    ours = times(dynamics.coriolis_matrix(arm, motion.q, motion.qd), motion.qd)
    # Products with matrices of joints add what the running sums of rates cancel.
    size = effort(arm, np.abs(motion.qd), 0.0 * motion.qd)
    assert apart(ours, times(rate, motion.qd) - slope, size) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_the_coriolis_matrix_is_that_of_christoffel(random_arm, n, seed):
    """Christoffel's C(q, a) b is symmetric in a and b, so c(v) = C(q, v) v says all of it."""
    arm, motion = drawn(random_arm, n, seed)
    free = undamped(weightless(each(arm)))
    q, qd, unit = motion.q[:, None], motion.qd[:, None], np.eye(n)

    def squared(rates):
        return newton(free, q + 0.0 * rates, rates, 0.0 * rates)

    columns = 0.5 * (squared(qd + unit) - squared(qd) - squared(unit))
    coriolis = dynamics.coriolis_matrix(arm, motion.q, motion.qd)
    size = effort(arm, np.abs(motion.qd) + np.eye(n)[0], 0.0 * motion.qd)
    assert apart(coriolis, np.swapaxes(columns, -1, -2), size) <= ROUNDING


# Torques and accelerations.


@thorough
@given(n=links, seed=seeds)
def test_torques_are_those_of_newton(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    for acts in (None, force[:, :2], force):
        ours = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=acts)
        size = effort(arm, qd, qdd, acts)
        assert apart(ours, newton(arm, q, qd, qdd, acts), size) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_torques_are_the_sum_of_their_terms(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    terms = (
        times(dynamics.mass_matrix(arm, q), qdd),
        times(dynamics.coriolis_matrix(arm, q, qd), qd),
        dynamics.gravity_torque(arm, q),
        arm.damping * qd,
    )
    size = effort(arm, np.abs(qd), np.abs(qdd))
    assert apart(dynamics.inverse_dynamics(arm, q, qd, qdd), sum(terms), size) <= ROUNDING
    pull = times(np.swapaxes(kinematics.jacobian(arm, q), -1, -2), force)
    ours = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force)
    assert apart(ours, sum(terms) - pull, size, pull) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_forward_and_inverse_dynamics_undo_each_other(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    tau = 10.0 * qdd
    for acts in (None, force[:, :2], force):
        asked = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=acts)
        loose = dynamics.forward_dynamics(arm, q, qd, 0.0 * tau, tip_force=acts)
        given_back = dynamics.forward_dynamics(arm, q, qd, asked, tip_force=acts)
        assert apart(given_back, qdd, loose) <= SOLVED

        gained = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=acts)
        asked = dynamics.inverse_dynamics(arm, q, qd, gained, tip_force=acts)
        size = effort(arm, qd, gained, acts)
        assert apart(asked, tau, size) <= ROUNDING
        # Newton's torques of the accelerations found are those that were given.
        assert apart(newton(arm, q, qd, gained, acts), tau, size) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_power_is_the_rate_of_energy(random_arm, n, seed):
    """dE/dt = τᵀ q̇ − Σ b q̇² + F · v, and the moment at the tip times the last link's rate."""
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    tau = 10.0 * qdd
    gained = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)
    # E(q + q̇ t, q̇ + q̈ t) a moment later.
    moment_later = q + 1j * STEP * qd, qd + 1j * STEP * gained
    rate = (kinetic(arm, *moment_later) + potential(arm, moment_later[0])).imag / STEP
    velocity = kinematics.tip_velocity(arm, q, qd)
    terms = (tau * qd, -arm.damping * qd**2, force * velocity)
    power = sum(np.sum(term, axis=-1) for term in terms)
    size = effort(arm, qd, gained, force) * np.sum(np.abs(qd), axis=-1)
    assert apart(rate, power, size) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_angular_momentum_is_conserved_without_gravity_and_base_torque(random_arm, n, seed):
    """Whatever the other joints do, and whatever their rotors and their damping take and give."""
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, _ = motion
    others = np.arange(n) > 0
    arm = weightless(arm)._replace(
        damping=arm.damping * others, rotor_inertia=arm.rotor_inertia * others
    )
    tau = 10.0 * qdd * others
    gained = dynamics.forward_dynamics(arm, q, qd, tau)
    rate = angular_momentum(arm, q + 1j * STEP * qd, qd + 1j * STEP * gained).imag / STEP
    assert (np.abs(rate) <= ROUNDING * effort(arm, qd, gained)).all()


@thorough
@given(n=links, seed=seeds)
def test_angular_momentum_changes_by_what_acts_from_outside(random_arm, n, seed):
    """By weight, tip force and base torque; the first rotor keeps N² J q̈ of that torque."""
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    tau = 10.0 * qdd
    gained = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)
    rate = angular_momentum(arm, q + 1j * STEP * qd, qd + 1j * STEP * gained).imag / STEP
    at = places(arm._replace(base=0.0 * arm.base), q, qd)
    weights = at.mass * (at.x * arm.gravity[:, 1:2] - at.y * arm.gravity[:, 0:1])
    pull = at.x[:, -1] * force[:, 1] - at.y[:, -1] * force[:, 0] + force[:, 2]
    kept = (arm.damping * qd + arm.rotor_inertia * arm.gear_ratio**2 * gained)[:, 0]
    outside = tau[:, 0] - kept + np.sum(weights, axis=-1) + pull
    assert apart(rate, outside, effort(arm, qd, gained, force)) <= ROUNDING


# The same arm said otherwise.


@thorough
@given(n=links, seed=seeds)
def test_link_angles_say_the_same_as_joint_angles(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    phi, phid, phidd = ahead(q), ahead(qd), ahead(qdd)
    to_joints = np.tri(n)

    def joint_matrix(matrix):
        return to_joints.T @ matrix @ to_joints

    matrix = joint_matrix(absolute.mass_matrix(arm, phi))
    assert apart(dynamics.mass_matrix(arm, q), matrix) <= ROUNDING
    matrix = joint_matrix(absolute.coriolis_matrix(arm, phi, phid))
    size = effort(arm, np.abs(qd), 0.0 * qd)
    assert apart(dynamics.coriolis_matrix(arm, q, qd), matrix, size) <= ROUNDING
    weight = times(to_joints.T, absolute.gravity_torque(arm, phi))
    assert apart(dynamics.gravity_torque(arm, q), weight, size) <= ROUNDING

    tau = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force)
    grounded = absolute.inverse_dynamics(arm, phi, phid, phidd, tip_force=force)
    size = effort(arm, qd, qdd, force)
    assert apart(tau, times(to_joints.T, grounded), size) <= ROUNDING
    assert apart(tau, absolute.joint_torques(grounded), size) <= ROUNDING
    assert apart(absolute.ground_torques(tau), grounded, size) <= ROUNDING
    tau = 10.0 * qdd
    turning = ahead(dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force))
    forces = absolute.ground_torques(tau)
    found = absolute.forward_dynamics(arm, phi, phid, forces, tip_force=force)
    assert apart(found, turning) <= SOLVED


@thorough
@given(n=links, seed=seeds)
def test_in_link_angles_all_is_sines_and_cosines_of_differences(random_arm, n, seed):
    """M_ij = a_ij cos(φ_i − φ_j − δ_j), C_ij = a_ij sin(φ_i − φ_j − δ_j) φ̇_j above the diagonal."""
    arm, motion = drawn(random_arm, n, seed)
    arm = arm._replace(rotor_inertia=0.0 * arm.rotor_inertia)
    phi, phid = ahead(motion.q), ahead(motion.qd)
    hung = tail(arm.mass + arm.tip_mass) - arm.mass
    along, aside = arm.mass * arm.com + arm.length * hung, arm.mass * arm.com_offset
    moment, lean = np.hypot(along, aside), np.arctan2(aside, along)
    coupling = np.triu(arm.length[..., :, None] * moment[..., None, :], 1)
    angle = phi[..., :, None] - (phi + lean)[..., None, :]
    upper = coupling * np.cos(angle)
    about_joint = arm.inertia + arm.mass * (arm.com**2 + arm.com_offset**2) + arm.length**2 * hung
    expected = upper + np.swapaxes(upper, -1, -2) + about_joint[..., None] * np.eye(n)
    assert apart(absolute.mass_matrix(arm, phi), expected) <= ROUNDING
    upper = coupling * np.sin(angle)
    expected = (upper - np.swapaxes(upper, -1, -2)) * phid[..., None, :]
    missed = largest(absolute.coriolis_matrix(arm, phi, phid) - expected)
    assert (missed <= ROUNDING * largest(coupling) * largest(phid)).all()
    pull = arm.gravity[:, 0:1] * np.sin(phi + lean) - arm.gravity[:, 1:2] * np.cos(phi + lean)
    size = effort(arm, 0.0 * phi, 0.0 * phi)
    assert apart(absolute.gravity_torque(arm, phi), moment * pull, size) <= ROUNDING


@thorough
@given(n=links, seed=seeds, turn=st.floats(-10.0, 10.0))
def test_turning_arm_gravity_and_force_together_changes_nothing(random_arm, n, seed, turn):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    turned = arm._replace(gravity=arm.gravity @ spin, base=arm.base @ spin)
    there = q + turn * np.eye(n)[0]
    pull = np.concatenate([force[:, :2] @ spin, force[:, 2:]], axis=-1)
    # The angles are sums as large as the turn and the links' angles: so is their rounding.
    allowed = ROUNDING * (1.0 + abs(turn))
    here = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force)
    torque = dynamics.inverse_dynamics(turned, there, qd, qdd, tip_force=pull)
    assert apart(torque, here, effort(arm, qd, qdd, force)) <= allowed
    energy = dynamics.kinetic_energy(turned, there, qd)
    assert apart(energy, dynamics.kinetic_energy(arm, q, qd)) <= allowed
    fall = dynamics.potential_energy(turned, there) - dynamics.potential_energy(arm, q)
    assert (np.abs(fall) <= allowed * heft(arm)).all()


@thorough
@given(n=links, seed=seeds)
def test_a_mirrored_arm_needs_mirrored_torques(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    flip = np.array([1.0, -1.0, -1.0])
    mirrored = arm._replace(com_offset=-arm.com_offset, gravity=arm.gravity * flip[:2])
    torque = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force)
    mirror = dynamics.inverse_dynamics(mirrored, -q, -qd, -qdd, tip_force=force * flip)
    assert apart(-mirror, torque, effort(arm, qd, qdd, force)) <= ROUNDING
    gained = dynamics.forward_dynamics(arm, q, qd, torque)
    mirror = dynamics.forward_dynamics(mirrored, -q, -qd, -torque)
    assert apart(-mirror, gained, qdd) <= SOLVED


@thorough
@given(n=links, seed=seeds)
def test_the_place_of_the_base_changes_no_torque(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    shift = np.array([3.0, -7.0])
    moved = arm._replace(base=arm.base + shift)
    for law in (dynamics.inverse_dynamics, dynamics.forward_dynamics):
        here, there = (law(one, q, qd, qdd, tip_force=force) for one in (arm, moved))
        assert (here == there).all()
    rise = dynamics.potential_energy(moved, q) - dynamics.potential_energy(arm, q)
    expected = -np.sum(arm.mass + arm.tip_mass, axis=-1) * (arm.gravity @ shift)
    assert (np.abs(rise - expected) <= ROUNDING * heft(moved)).all()


@thorough
@given(n=links, seed=seeds)
def test_without_damping_time_runs_backwards_as_well(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    free = undamped(arm)
    forwards, backwards = (
        dynamics.inverse_dynamics(free, q, way * qd, qdd, tip_force=force) for way in (1.0, -1.0)
    )
    assert (forwards == backwards).all()
    lost = dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force) - forwards
    assert apart(lost, arm.damping * qd, forwards) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_other_units_change_only_the_numbers(random_arm, n, seed):
    """Powers of two round nothing: every torque in other units is the same to the last bit."""
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    metre, kilogram, second = 2.0, 8.0, 0.5
    torque = kilogram * metre**2 / second**2
    other = arm._replace(
        length=metre * arm.length,
        com=metre * arm.com,
        com_offset=metre * arm.com_offset,
        mass=kilogram * arm.mass,
        tip_mass=kilogram * arm.tip_mass,
        inertia=kilogram * metre**2 * arm.inertia,
        rotor_inertia=kilogram * metre**2 * arm.rotor_inertia,
        damping=torque * second * arm.damping,
        gravity=metre / second**2 * arm.gravity,
    )
    pull = force * [torque / metre, torque / metre, torque]
    expected = torque * dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force)
    there = qd / second, qdd / second**2
    assert (dynamics.inverse_dynamics(other, q, *there, tip_force=pull) == expected).all()
    expected = dynamics.forward_dynamics(arm, q, qd, qdd, tip_force=force) / second**2
    found = dynamics.forward_dynamics(other, q, there[0], torque * qdd, tip_force=pull)
    assert (found == expected).all()


def inserted(values, at, this, next_):
    """Put two columns in the place of one."""
    return np.concatenate(
        [values[..., :at], this[..., None], next_[..., None], values[..., at + 1 :]], axis=-1
    )


@thorough
@given(n=links, seed=seeds, where=st.integers(0, 49), share=st.floats(0.1, 0.9))
def test_a_link_cut_in_two_that_stays_straight_is_one_link(random_arm, n, seed, where, share):
    arm, motion = drawn(random_arm, n, seed)
    cut = where % n
    link = type(arm)(*(value[..., min(cut, value.shape[-1] - 1)] for value in arm))
    nothing = 0.0 * link.length
    pieces = {
        "length": (share * link.length, (1.0 - share) * link.length),
        "mass": (0.3 * link.mass, 0.7 * link.mass),
        "com": (link.com, link.com - share * link.length),
        "com_offset": (link.com_offset, link.com_offset),
        "inertia": (0.3 * link.inertia, 0.7 * link.inertia),
        "tip_mass": (nothing, link.tip_mass),
        "damping": (link.damping, nothing),
        "rotor_inertia": (link.rotor_inertia, nothing),
        "gear_ratio": (link.gear_ratio, nothing),
    }
    spliced = arm._replace(
        **{name: inserted(getattr(arm, name), cut, *both) for name, both in pieces.items()}
    )
    q, qd, qdd = (inserted(part, cut, part[..., cut], nothing) for part in motion[:3])
    whole = dynamics.inverse_dynamics(arm, *motion[:3], tip_force=motion.force)
    torque = dynamics.inverse_dynamics(spliced, q, qd, qdd, tip_force=motion.force)
    size = effort(arm, *motion[1:])
    assert apart(np.delete(torque, cut + 1, axis=-1), whole, size) <= ROUNDING


# Linear in the arm.


GEOMETRY = ("length", "gear_ratio", "gravity")  # what the torques are not linear in


def barycentric(arm):
    """Give the masses of the links and their moments about the near joints."""
    second = arm.inertia + arm.mass * (arm.com**2 + arm.com_offset**2)
    return np.stack([arm.mass, arm.mass * arm.com, arm.mass * arm.com_offset, second])


def with_moments(arm, moments):
    mass, along, aside, second = moments
    com, offset = along / mass, aside / mass
    own = second - mass * (com**2 + offset**2)
    return arm._replace(mass=mass, com=com, com_offset=offset, inertia=own)


@thorough
@given(n=links, seed=seeds, share=st.floats(-2.0, 2.0))
def test_torques_are_linear_in_masses_and_their_moments(random_arm, n, seed, share):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, _ = motion
    other = drawn(random_arm, n, seed + 1)[0]
    also_linear = ("tip_mass", "damping", "rotor_inertia")
    other = other._replace(**{name: getattr(arm, name) for name in GEOMETRY})

    def mixed(one, two):
        return (1.0 - share) * one + share * two

    moments = mixed(barycentric(arm), barycentric(other))
    # A link without mass has no centre; a share that leaves next to none says nothing.
    assume(np.abs(moments[0]).min() > 1e-3)
    mixture = with_moments(arm, moments)._replace(
        **{name: mixed(getattr(arm, name), getattr(other, name)) for name in also_linear}
    )
    one, two = (dynamics.inverse_dynamics(which, q, qd, qdd) for which in (arm, other))
    torque = dynamics.inverse_dynamics(mixture, q, qd, qdd)
    # A mixture of little mass has its centre far away: its moments are small differences.
    size = effort(mixture._replace(mass=np.abs(mixture.mass)), qd, qdd)
    sizes = (effort(which, qd, qdd) * (1.0 + abs(share)) for which in (arm, other))
    assert apart(torque, mixed(one, two), size, *sizes) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_the_regressor_times_the_parameters_are_the_torques(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, _ = motion
    other = drawn(random_arm, n, seed + 1)[0]
    matrix, vector = dynamics.regressor(arm, q, qd, qdd), dynamics.parameter_vector(arm)
    size = effort(arm, qd, qdd)
    assert apart(times(matrix, vector), newton(arm, q, qd, qdd), size) <= ROUNDING
    # The matrix knows nothing of the masses: it serves another arm of the same geometry.
    other = other._replace(**{name: getattr(arm, name) for name in GEOMETRY})
    assert (dynamics.regressor(other, q, qd, qdd) == matrix).all()
    torque = times(matrix, dynamics.parameter_vector(other))
    assert apart(torque, newton(other, q, qd, qdd), effort(other, qd, qdd)) <= ROUNDING
    assert (largest(matrix[..., 0]) == 0.0).all()
    assert len(set(dynamics.parameter_names(arm))) == vector.shape[-1] == 6 * n


@thorough
@given(n=links, seed=seeds)
def test_a_reference_rate_enters_the_regressor_through_christoffel(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, _ = motion
    wanted = np.random.default_rng(seed).uniform(-4.0, 4.0, qd.shape)
    matrix = dynamics.regressor(arm, q, qd, qdd, qd_ref=wanted)
    # C(q, a) b by polarisation, from Newton's torques alone.
    free = undamped(weightless(arm))
    whirls = [newton(free, q, rate, 0.0 * qd) for rate in (qd + wanted, qd, wanted)]
    expected = newton(arm, q, 0.0 * qd, qdd) + arm.damping * wanted
    expected = expected + 0.5 * (whirls[0] - whirls[1] - whirls[2])
    torque = times(matrix, dynamics.parameter_vector(arm))
    assert apart(torque, expected, effort(arm, np.abs(qd) + np.abs(wanted), qdd)) <= ROUNDING
    plain = dynamics.regressor(arm, q, qd, qdd)
    assert (dynamics.regressor(arm, q, qd, qdd, qd_ref=qd) == plain).all()


# Near a state.


@thorough
@given(n=links, seed=seeds, with_force=st.sampled_from([0, 2, 3]))
def test_linearise_is_the_derivative_of_the_motion(random_arm, n, seed, with_force):
    """M ∂q̈/∂x = −∂τ/∂x with accelerations held, and Newton's τ is an analytic function of x."""
    arm, motion = drawn(random_arm, n, seed)
    q, qd, qdd, force = motion
    force = force[:, :with_force] if with_force else None
    tau, unit = 10.0 * qdd, np.eye(n)
    by_state, by_torque = dynamics.linearise(arm, q, qd, tau, tip_force=force)
    assert (by_state[:, :n, :n] == 0.0).all()
    assert (by_state[:, :n, n:] == unit).all()
    assert (by_torque[:, :n] == 0.0).all()

    gained = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)[:, None]
    here, rate, matrix = q[:, None], qd[:, None], inertia(arm, q)
    pull = None if force is None else force[:, None]
    by_angle = derivative(lambda x: newton(each(arm), x, rate, gained, pull), here, unit)
    by_rate = derivative(lambda v: newton(each(arm), here, v, gained, pull), rate, unit)
    # Rows are directions: their transposes are the columns that M is solved for.
    parts = [-np.swapaxes(part, -1, -2) for part in (by_angle, by_rate)]
    solved = np.linalg.solve(matrix, np.concatenate([*parts, unit + 0.0 * matrix], axis=-1))
    # Solving in joint angles, as here, costs a long arm digits that solving in link angles keeps.
    allowed = 50.0 * SOLVED
    assert apart(by_state[:, n:, :n], solved[..., :n]) <= allowed
    assert apart(by_state[:, n:, n:], solved[..., n : 2 * n]) <= allowed
    assert apart(by_torque[:, n:], solved[..., 2 * n :]) <= allowed


def resting(arm, q, force=None):
    """Give the torques that hold the arm still, by Newton, for complex angles too."""
    return newton(arm, q, 0.0 * q.real, 0.0 * q.real, force)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 6), seed=seeds, with_force=st.sampled_from([0, 2, 3]))
def test_equilibria_are_all_the_places_of_rest(random_arm, n, seed, with_force):
    """Of 2ⁿ postures, as many fall in k ways as there are choices of k links that stand up.

    The torques are those that hold a posture drawn at random, so that it has to be among them.
    60 draws have some 1,200 postures.
    """
    arm, motion = drawn(random_arm, n, seed, batch=(), limited=True)
    force = motion.force[:with_force] if with_force else None
    tau = resting(arm, motion.q, force)

    def on_links(phi):
        torque = resting(arm, np.diff(phi, prepend=0.0), force)
        return torque - np.append(torque[1:], 0.0)

    # But for a constant, the torque on a link is a sine of its angle, with the slope it has a
    # quarter of a turn on. Where a link's is next to nothing, its two places of rest are one.
    phi = ahead(motion.q)
    height, slope = (
        0.5 * (on_links(angle) - on_links(angle + np.pi)) for angle in (phi, phi + 0.5 * np.pi)
    )
    assume((np.abs(slope) > 1e-3 * np.hypot(slope, height)).all())

    found = dynamics.equilibria(arm, tau, tip_force=force)
    poses = np.array([rest.q for rest in found])
    size = effort(arm, 0.0 * tau, 0.0 * tau, force)
    assert np.abs(resting(arm, poses, force) - tau).max() <= ROUNDING * size
    stiffness = derivative(lambda q: resting(arm, q, force), poses[:, None], np.eye(n))
    standing = np.sum(np.linalg.eigvalsh(stiffness) < 0.0, axis=-1)
    for rest, ways in zip(found, standing, strict=True):
        assert np.sum(rest.eigenvalues.real > 0.0) == ways
        assert rest.kind in (("saddle",) if ways else ("focus", "node"))
        assert rest.stable == (ways == 0)
        assert rest.within_limits == ((arm.lower <= rest.q) & (rest.q <= arm.upper)).all()
    assert np.bincount(standing).tolist() == [comb(n, k) for k in range(n + 1)]
    assert found[0].stable
    middle = 0.5 * (arm.lower + arm.upper)
    assert np.abs(poses - middle).max() <= np.pi * (1.0 + ROUNDING)
    missed = np.abs(np.exp(1j * poses) - np.exp(1j * motion.q)).max(axis=-1)
    assert np.sum(missed <= 1e-10) == 1
    if n <= 3:
        # The one stable posture swings for ever without damping, and with enough not even once.
        assert dynamics.equilibria(undamped(arm), tau, tip_force=force)[0].kind == "centre"
        stiff, heavy = (
            np.linalg.eigvalsh(part)[-1] for part in (stiffness[0], inertia(arm, poses[0]))
        )
        sticky = arm._replace(damping=np.full(n, 10.0 * np.sqrt(stiff * heavy)))
        assert dynamics.equilibria(sticky, tau, tip_force=force)[0].kind == "node"
    # A torque that is too much for one link leaves no posture of rest.
    weak = np.random.default_rng(seed).integers(n)
    tau = tau + np.append(np.ones(weak + 1), np.zeros(n - 1 - weak)) * 3.0 * size
    assert len(dynamics.equilibria(arm, tau, tip_force=force)) == 0


# Holding still.


@thorough
@given(n=links, seed=seeds)
def test_holding_torques_hold(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    q, qd, _, force = motion
    still = 0.0 * qd
    for acts in (None, force[:, :2], force):
        torque = dynamics.holding_torque(arm, q, tip_force=acts)
        size = effort(arm, still, still, acts)
        assert apart(torque, resting(arm, q, acts), size) <= ROUNDING
        kept = dynamics.forward_dynamics(arm, q, still, torque, tip_force=acts)
        # What torques of that size would do; the arm itself may hang where it needs none.
        pushed = np.linalg.solve(dynamics.mass_matrix(arm, q), (size[:, None] + still)[..., None])
        assert apart(kept, still, pushed) <= SOLVED
    ends = arm._replace(mass=0.0 * arm.mass)
    torque = dynamics.holding_torque(arm, q, tip_force=force, link_weights=False)
    assert apart(torque, resting(ends, q, force), size) <= ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_the_force_that_torques_balance_is_found_again(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    force = motion.force[:, :2]
    jacobian = kinematics.jacobian(arm, motion.q)[:, :2]
    values = np.linalg.svd(jacobian, compute_uv=False)
    if n == 1:  # which feels nothing of what acts along it
        across = jacobian[..., 0] / values
        force = across * dot(across, force)[:, None]
    torque = dynamics.holding_torque(arm, motion.q, tip_force=force)
    found = dynamics.tip_force(arm, motion.q, torque)
    # Torques known to rounding tell a force to rounding over the smaller singular value.
    size = effort(arm, 0.0 * motion.q, 0.0 * motion.q, force) / values[:, -1]
    allowed = ROUNDING * size * values[:, 0] / values[:, -1]
    assert (largest(found - force) <= allowed).all()
    # Torques that fit no force leave over what no force at the tip could take away.
    torque = torque + motion.qdd
    found = dynamics.tip_force(arm, motion.q, torque)
    over = dynamics.holding_torque(arm, motion.q, tip_force=found) - torque
    assert (largest(times(jacobian, over)) <= allowed * values[:, 0] ** 2).all()


@thorough
@given(n=links, seed=seeds, spare=st.floats(-0.5, 1.0))
def test_the_largest_payload_is_just_held(random_arm, n, seed, spare):
    """Also where the arm holds only with something taken away, or with no load at all."""
    arm, motion = drawn(random_arm, n, seed)
    q, force, still, last = motion.q, motion.force, 0.0 * motion.q, np.eye(n)[-1]
    now, nothing = resting(arm, q, force), 0.0 * arm.length
    only_load = arm._replace(mass=nothing, tip_mass=nothing + last)
    by_mass, random = resting(only_load, q), np.random.default_rng(seed)
    limit = np.abs(now) * (1.0 + spare + random.uniform(0.0, 1.0, q.shape))
    arm = arm._replace(max_torque=limit)

    def loaded(mass):
        return arm._replace(tip_mass=arm.tip_mass + mass[..., None] * last)

    def over(mass):
        """Give by how much the worst joint is too weak for masses (…, ARMS) more."""
        torque = resting(loaded(mass), q + 0.0 * mass[..., None], force)
        return np.max(np.abs(torque) - limit, axis=-1)

    # The loads that one joint bears are an interval: the most that all bear is an end of one.
    ends = np.concatenate([(way * limit - now) / by_mass for way in (1.0, -1.0)], axis=-1).T
    allowed = ROUNDING * effort(loaded(np.abs(ends)), still, still, force)
    borne = over(ends) <= allowed
    expected = np.max(np.where(borne, ends, -np.inf), axis=0)
    most = dynamics.largest_payload(arm, q, tip_force=force)
    held = dynamics.friction_payload(arm._replace(static=limit), q, tip_force=force)
    assert np.array_equal(held, most, equal_nan=True)  # static friction is a limit like any other
    assert (np.isnan(most) == ~borne.any(axis=0)).all()
    holds = borne.any(axis=0)
    assert most[holds] == pytest.approx(expected[holds], rel=1e-10, abs=1e-10)
    most = np.where(holds, most, 0.0)
    allowed = ROUNDING * effort(loaded(np.abs(most)), still, still, force)
    assert (np.abs(over(most)) <= allowed)[holds].all()
    assert (over(most + 1e-6 * (1.0 + np.abs(most))) > 0.0).all()
    assert holds.all() or spare < 0.0
    tireless = arm._replace(max_torque=np.inf + limit)
    assert (dynamics.largest_payload(tireless, q, tip_force=force) == np.inf).all()
    # Where nothing weighs anything, any load can be held or none.
    most = dynamics.largest_payload(weightless(arm), q, tip_force=force)
    pulled = np.abs(resting(weightless(arm), q, force))
    expected = np.where((pulled <= limit).all(axis=-1), np.inf, np.nan)
    assert np.array_equal(most, expected, equal_nan=True)


@thorough
@given(n=links, seed=seeds)
def test_the_tip_has_the_mass_that_a_push_feels(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    arm, force, still = weightless(arm), motion.force[:, :2], 0.0 * motion.q
    gained = dynamics.forward_dynamics(arm, motion.q, still, still, tip_force=force)
    moved = kinematics.tip_acceleration(arm, motion.q, still, gained)[:, :2]
    mass = dynamics.operational_mass(arm, motion.q)
    assert np.isfinite(mass).all()
    assert apart(mass, np.swapaxes(mass, -1, -2)) == 0.0
    if n > 1:
        # Next to a stretched arm the mass stands for an infinite one.
        condition = np.linalg.cond(mass)
        met = largest(times(mass, moved) - force) <= SOLVED * condition * largest(force)
        assert (met | (condition > 1e6)).all()
        return
    # A single link: as good as infinite along it, and M / l² across it.
    turn = motion.q[:, 0]
    along, across = np.stack([np.cos(turn), np.sin(turn)]), np.stack([-np.sin(turn), np.cos(turn)])
    felt = [np.einsum("ik,kij,jk->k", way, mass, way) for way in (along, across)]
    expected = inertia(arm, motion.q)[:, 0, 0] / arm.length[:, 0] ** 2
    assert apart(felt[1], expected) <= 1e-6
    assert (felt[0] > 1e7 * expected).all()


# The approximation of one joint at a time.


@thorough
@given(n=links, seed=seeds)
def test_one_joint_at_a_time_is_the_diagonal_of_the_mass_matrix(random_arm, n, seed):
    arm, motion = drawn(random_arm, n, seed)
    theta, rate, tau = ahead(motion.q), motion.qd, 10.0 * motion.qdd
    diagonal = np.diagonal(inertia(arm, motion.q), axis1=-2, axis2=-1)
    weight = resting(arm, motion.q)
    seen, size = sequential.frozen(arm, theta), effort(arm, 0.0 * rate, 0.0 * rate)
    assert (np.abs(seen.inertia / diagonal - 1.0) <= ROUNDING).all()
    assert apart(seen.weight, weight, size) <= ROUNDING
    expected = (tau - weight - arm.damping * rate) / diagonal
    found = sequential.forward_dynamics(arm, theta, rate, tau)
    # Far from the base little inertia divides what is left of the weight.
    allowed = ROUNDING * (size[:, None] + np.abs(tau) + arm.damping * np.abs(rate)) / diagonal
    assert (np.abs(found - expected) <= allowed).all()
    friction = motion.q**2
    expected = (tau - weight) / diagonal - friction * rate
    found = sequential.forward_dynamics(arm, theta, rate, tau, sequential_damping=friction)
    assert (np.abs(found - expected) <= allowed + ROUNDING * np.abs(friction * rate)).all()


@thorough
@given(seed=seeds)
def test_one_joint_at_a_time_is_exact_for_one_joint(random_arm, seed):
    arm, motion = drawn(random_arm, 1, seed)
    q, qd, qdd, _ = motion
    expected = dynamics.forward_dynamics(arm, q, qd, qdd)
    size = effort(arm, qd, expected) / inertia(arm, q)[:, 0, 0]
    assert apart(sequential.forward_dynamics(arm, q, qd, qdd), expected, size) <= ROUNDING


# Long arms, and many at once.


@pytest.mark.parametrize("speed", [0.0, 0.1, 1.0])
def test_accelerations_of_two_hundred_links_keep_their_digits(random_arm, speed):
    """Against accelerations to thirty digits, which Newton's torques in forty digits confirm.

    What those torques miss, solved for roughly, improves the accelerations by ten digits a step.
    """
    arm, motion = drawn(random_arm, 200, 200, batch=())
    q, qd, qdd, force = motion._replace(qd=speed * motion.qd)
    tau = 10.0 * qdd
    found = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)
    inverse = np.linalg.inv(inertia(arm, q))
    exact, cos, sin = (
        np.frompyfunc(function, 1, 1) for function in (mpmath.mpf, mpmath.cos, mpmath.sin)
    )
    with mpmath.workdps(40):
        arm = ulna.Parameters(*(exact(value) for value in arm))
        q, qd, tau, force, known = (exact(value) for value in (q, qd, tau, force, found))
        for _ in range(4):
            missed = tau - newton(arm, q, qd, known, force, cos, sin)
            step = inverse @ missed.astype(float)
            known = known + exact(step)
        error = (found - known).astype(float)
    assert np.abs(step).max() <= 1e-30 * np.abs(found).max()
    assert np.abs(error).max() <= 3e-12 * np.abs(found).max()


FUNCTIONS = (
    lambda arm, q, qd, qdd, force: dynamics.mass_matrix(arm, q),
    lambda arm, q, qd, qdd, force: dynamics.coriolis_matrix(arm, q, qd),
    lambda arm, q, qd, qdd, force: dynamics.gravity_torque(arm, q),
    lambda arm, q, qd, qdd, force: dynamics.kinetic_energy(arm, q, qd),
    lambda arm, q, qd, qdd, force: dynamics.potential_energy(arm, q),
    lambda arm, q, qd, qdd, force: dynamics.inverse_dynamics(arm, q, qd, qdd, tip_force=force),
    lambda arm, q, qd, qdd, force: dynamics.forward_dynamics(arm, q, qd, qdd, tip_force=force),
    lambda arm, q, qd, qdd, force: dynamics.linearise(arm, q, qd, qdd, tip_force=force)[0],
    lambda arm, q, qd, qdd, force: dynamics.regressor(arm, q, qd, qdd),
    lambda arm, q, qd, qdd, force: dynamics.holding_torque(arm, q, tip_force=force),
    lambda arm, q, qd, qdd, force: dynamics.tip_force(arm, q, qdd),
    lambda arm, q, qd, qdd, force: dynamics.largest_payload(arm, q, tip_force=force),
    lambda arm, q, qd, qdd, force: dynamics.operational_mass(arm, q),
    lambda arm, q, qd, qdd, force: absolute.mass_matrix(arm, q),
    lambda arm, q, qd, qdd, force: absolute.coriolis_matrix(arm, q, qd),
    lambda arm, q, qd, qdd, force: absolute.gravity_torque(arm, q),
    lambda arm, q, qd, qdd, force: absolute.inverse_dynamics(arm, q, qd, qdd, tip_force=force),
    lambda arm, q, qd, qdd, force: absolute.forward_dynamics(arm, q, qd, qdd, tip_force=force),
    lambda arm, q, qd, qdd, force: absolute.joint_torques(q),
    lambda arm, q, qd, qdd, force: absolute.ground_torques(q),
    lambda arm, q, qd, qdd, force: sequential.forward_dynamics(arm, q, qd, qdd),
    lambda arm, q, qd, qdd, force: sequential.frozen(arm, q).weight,
)


def alike(ours, expected):
    allowed = 1e-10 * np.nanmax(np.abs(expected), initial=0.0)
    return np.allclose(ours, expected, rtol=0.0, atol=allowed, equal_nan=True)


@thorough
@given(n=st.integers(1, 12), seed=seeds, shared=st.tuples(*5 * [st.booleans()]))
def test_what_all_have_in_common_need_be_given_only_once(random_arm, n, seed, shared):
    """One arm for many postures, one posture for many forces, and every other mixture."""
    arm, motion = drawn(random_arm, n, seed)
    arm = arm._replace(max_torque=100.0 + 0.0 * arm.length)
    full, given_motion, full_motion = arm, list(motion), list(motion)
    if shared[0]:
        arm = ulna.Parameters(*(value[0] for value in arm))
        full = ulna.Parameters(*(np.stack(ARMS * [value]) for value in arm))
    for k in range(4):
        if shared[k + 1]:
            given_motion[k] = motion[k][0]
            full_motion[k] = np.stack(ARMS * [given_motion[k]])
    for function in FUNCTIONS:
        expected = function(full, *full_motion)
        found = function(arm, *given_motion)
        assert alike(np.broadcast_to(found, expected.shape), expected)

"""Zero mass only where the mass matrix stays positive definite.

The matrix is computed here from the closed form of a planar chain, not by ulna. A point of mass
moves by Σ l_j z_j + (c + i d) z_k, where z_j = φ̇_j exp(i φ_j), and an inertia by its own z. So
some pose lets rates pass unseen exactly where these complex rows have a kernel, and the kernel's
arguments are that pose.
"""

import itertools
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ulna import Arm, InputError, Joint, Link

RNG = np.random.default_rng(7)


def mass_matrix(links, joints, phi):
    """Give M of absolute angles, link by link in closed form, rotors included."""
    n = len(links)
    hung = [
        link.tip_mass + sum(other.mass + other.tip_mass for other in links[i + 1 :])
        for i, link in enumerate(links)
    ]
    M = np.zeros((n, n))
    for j, link in enumerate(links):
        s = link.mass * link.com + link.length * hung[j]
        S, delta = (
            np.hypot(s, link.mass * link.com_offset),
            np.arctan2(link.mass * link.com_offset, s),
        )
        M[j, j] = (
            link.inertia + link.mass * (link.com**2 + link.com_offset**2) + link.length**2 * hung[j]
        )
        for i in range(j):
            M[i, j] = M[j, i] = links[i].length * S * np.cos(phi[i] - phi[j] - delta)
    for i, joint in enumerate(joints):
        # ½ J (φ̇_{i−1} + N q̇_i)² with q̇_i = φ̇_i − φ̇_{i−1}
        row = np.zeros(n)
        row[i] = joint.gear_ratio
        if i:
            row[i - 1] = 1.0 - joint.gear_ratio
        M += joint.rotor_inertia * np.outer(row, row)
    return M


def unseen(links, joints):
    """Give z that no mass, inertia or direct rotor sees, or None."""
    n, rows = len(links), []
    for i, (link, joint) in enumerate(zip(links, joints, strict=True)):
        own, before = np.eye(n, dtype=complex)[i], np.zeros(n, dtype=complex)
        before[:i] = [other.length for other in links[:i]]
        if link.mass:
            rows.append(before + (link.com + 1j * link.com_offset) * own)
        if link.tip_mass:
            rows.append(before + link.length * own)
        if link.inertia or (joint.rotor_inertia and joint.gear_ratio == 1.0):
            rows.append(own)
    rows = np.array([*rows, np.zeros(n)] + [np.zeros(n)] * n)
    _, values, vectors = np.linalg.svd(rows)
    return vectors[-1].conj() if values[-1] < 1e-9 else None


def poses(links, joints):
    n = len(links)
    yield from (np.array(folds) for folds in itertools.product([0.0, np.pi], repeat=n))
    yield from RNG.uniform(-np.pi, np.pi, (8, n))
    z = unseen(links, joints)
    if z is not None:
        yield np.angle(z)


def smallest(links, joints, phi):
    """Give the smallest eigenvalue of M relative to the largest."""
    values = np.linalg.eigvalsh(mass_matrix(links, joints, phi))
    return values[0] / max(values[-1], 1e-300)


def accepted(links, joints):
    try:
        Arm(tuple(links), tuple(joints))
    except InputError as error:
        blamed = [problem.what for problem in error.problems]
        assert set(blamed) <= {f"link.{i + 1}.mass" for i in range(len(links))}
        return False
    return True


lengths = st.sampled_from([0.5, 1.0, 2.0])
some = st.sampled_from([0.0, 0.0, 1.0])
links_any = st.builds(
    Link,
    lengths,
    some,
    st.sampled_from([0.0, 0.5, 1.0, 2.0, -0.5]),
    st.sampled_from([0.0, 0.0, 0.1]),
    some,
    st.sampled_from([0.0, 0.0, 0.5]),
)


def joints_with(ratios):
    return st.builds(
        lambda rotor, ratio: Joint(rotor_inertia=rotor, gear_ratio=ratio),
        st.sampled_from([0.0, 0.0, 0.1]),
        st.sampled_from(ratios),
    )


def arms(ratios):
    pairs = st.tuples(links_any, joints_with(ratios))
    return st.lists(pairs, min_size=1, max_size=3).map(lambda found: list(zip(*found, strict=True)))


HOLLOW, FREE = Link(1.0, 0.0), Joint()
OFFSET = [HOLLOW, Link(1.0, 1.0, com=0.5, inertia=0.0, com_offset=0.2)]
GEARED = [Link(0.5, 0.0), Link(1.0, 1.0, com=1.0, inertia=0.0)]


@settings(max_examples=300, deadline=None)
@given(arms([1.0, 2.0, 3.0, 0.5, -1.0]))
@example([OFFSET, [FREE, FREE]])
@example([GEARED, [FREE, Joint(rotor_inertia=1.0, gear_ratio=2.0)]])
@example([[HOLLOW, Link(1, 1, com=1.0, inertia=0.0)], [FREE] * 2])
@example([[HOLLOW, HOLLOW, Link(1, 1)], [FREE] * 3])
@example([[Link(1, 1, com=0.0, inertia=0.0)], [FREE]])
def test_an_arm_that_is_accepted_has_a_positive_definite_matrix_at_every_pose(arm):
    links, joints = arm
    if accepted(links, joints):
        for phi in poses(links, joints):
            assert smallest(links, joints, phi) > 1e-7, phi


@settings(max_examples=300, deadline=None)
@given(arms([1.0]))
@example([[HOLLOW, Link(1, 1)], [FREE] * 2])
@example([[HOLLOW], [Joint(rotor_inertia=1e-4, gear_ratio=-50.0)]])
@example([[HOLLOW, Link(1, 1, com=0.5, inertia=0.0, tip_mass=1.0)], [FREE] * 2])
@example([[Link(1, 1), HOLLOW], [FREE, Joint(rotor_inertia=1e-4)]])
def test_an_arm_that_is_refused_has_a_singular_pose(arm):
    links, joints = arm
    if not accepted(links, joints):
        z = unseen(links, joints)
        assert z is not None
        assert smallest(links, joints, np.angle(z)) < 1e-12


def test_a_payload_may_hold_the_last_link():
    with pytest.raises(InputError, match=r"link\.2\.mass"):
        Arm.rods([1, 1], [1, 0])
    assert Arm.rods([1, 1], [1, 0], payload=0.1).n == 2
    with pytest.raises(InputError):
        Arm.rods([1, 1], [1, 0], payload=0.1).with_payload(0.0)


def test_the_hollow_links_are_named():
    with pytest.raises(InputError) as caught:
        Arm.rods([1, 1, 1], [0, 1, 0])
    assert "link.3.mass" in [problem.what for problem in caught.value.problems]
    assert all(problem.got == "0 kg" for problem in caught.value.problems)


def test_sizes_whose_matrix_vanishes_in_floating_point_are_refused():
    with pytest.raises(InputError):
        Arm.rods([1e-200], [1.0])
    with pytest.raises(InputError):
        Arm.rods([1.0], [5e-324])


@pytest.mark.parametrize(("hollow", "fine"), [(0, True), (-1, False)])
def test_a_long_arm_with_a_hollow_link_is_judged_at_once(hollow, fine):
    links = [Link(1.0, 1.0)] * 700
    links[hollow] = HOLLOW
    start = time.thread_time()
    assert accepted(links, [FREE] * 700) is fine
    assert time.thread_time() - start < 0.5

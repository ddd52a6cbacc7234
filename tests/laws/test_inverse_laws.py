"""Laws of inverse kinematics, each on 1,000 arms of links of 0.1 to 1 m (100 draws of ten).

What a posture is worth is decided by a sum of complex numbers, not by the code under test.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ulna
from ulna.kinematics import inverse

ARMS = 10
thorough = settings(max_examples=100, deadline=None)
seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1e-14  # of the reach, for closed forms
ITERATED = 1e-9  # of the reach, where the answer is iterated


def wrapped(angle):
    return np.angle(np.exp(1j * angle))


def tip(arm, q):
    """Give the tip (x, y, angle) of arms (…, n) in postures (…, n), by complex numbers."""
    phi = np.cumsum(q, axis=-1)
    z = np.sum(arm.length * np.exp(1j * phi), axis=-1)
    return np.stack([z.real + arm.base[..., 0], z.imag + arm.base[..., 1], phi[..., -1]], axis=-1)


def each(arm):
    return ulna.Parameters(*(value[..., None, :] for value in arm))


def reach(arm):
    return np.sum(arm.length, axis=-1)


def miss(arm, found, target):
    """Give how far (…, k) the postures are from their targets, an orientation by its arc."""
    reached, target = tip(each(arm), found.q), target[..., None, :]
    way = np.hypot(reached[..., 0] - target[..., 0], reached[..., 1] - target[..., 1])
    if target.shape[-1] == 2:
        return way
    return np.hypot(way, wrapped(reached[..., 2] - target[..., 2]) * arm.length[..., -1:])


def singular_value(arm, q):
    """Give l1 l2 |sin q2| over the reach: at most the smaller singular value of two links."""
    return np.prod(arm.length[..., :2], axis=-1) * np.abs(np.sin(q[..., 1])) / reach(arm)


def drawn(random_arm, n, seed, **options):
    random = np.random.default_rng(seed)
    arm = random_arm(random, n, (ARMS,), **options)
    return random, arm, random.uniform(-np.pi, np.pi, (ARMS, n))


def holds_posture(arm, found, q, coordinates):
    """Whether one of the postures is q, to the accuracy that its singular value leaves."""
    away = np.max(np.abs(wrapped(found.q - q[:, None])), axis=-1).min(axis=-1)
    size = np.maximum(np.max(np.abs(coordinates), axis=-1), reach(arm))
    return away <= 1e-15 + 1e-14 * size / singular_value(arm, q)


@thorough
@given(seed=seeds)
def test_two_links_have_both_postures_and_no_other(random_arm, seed):
    _, arm, q = drawn(random_arm, 2, seed)
    target = tip(arm, q)[:, :2]
    found = inverse(arm, target)
    assert found.reachable.all()
    assert found.valid.all()
    assert (found.shortfall == 0.0).all()
    assert (miss(arm, found, target) <= ROUNDING * (1.0 + reach(arm))[:, None]).all()
    assert (found.nearest == target).all()
    assert holds_posture(arm, found, q, target).all()
    assert (np.sin(found.q[:, 0, 1]) >= 0.0).all()
    assert (np.sin(found.q[:, 1, 1]) <= 0.0).all()
    assert (np.abs(found.q) <= np.pi).all()


@thorough
@given(seed=seeds)
def test_three_links_with_orientation_have_both_postures(random_arm, seed):
    _, arm, q = drawn(random_arm, 3, seed)
    target = tip(arm, q)
    found = inverse(arm, target)
    assert found.valid.all()
    assert (miss(arm, found, target) <= ROUNDING * (1.0 + reach(arm))[:, None]).all()
    assert holds_posture(arm, found, q, target).all()
    assert (np.abs(found.q) <= np.pi).all()


@thorough
@given(n=st.integers(1, 2), seed=seeds)
def test_an_orientation_leaves_two_links_one_posture(random_arm, n, seed):
    _, arm, q = drawn(random_arm, n, seed)
    found = inverse(arm, tip(arm, q))
    assert (found.valid.sum(axis=-1) == 1).all()
    assert (np.isnan(found.q).any(axis=-1) == ~found.valid).all()
    assert np.abs(wrapped(found.q[found.valid] - q)).max() <= 1e-13


@thorough
@given(n=st.integers(3, 50), oriented=st.booleans(), seed=seeds)
def test_redundant_arms_reach_whatever_the_links_reach(random_arm, n, oriented, seed):
    n = max(n, 4) if oriented else n
    _, arm, q = drawn(random_arm, n, seed)
    target = tip(arm, q)[:, : 3 if oriented else 2]
    found = inverse(arm, target)
    assert found.q.shape == (ARMS, 4, n)
    assert found.reachable.all()
    assert found.valid.all()
    assert (miss(arm, found, target) <= n * ROUNDING * (1.0 + reach(arm))[:, None]).all()
    assert (found.residual <= n * ROUNDING * (1.0 + reach(arm))[:, None]).all()


@thorough
@given(n=st.integers(1, 50), seed=seeds)
def test_the_edges_of_the_ring_are_reached_and_nothing_beyond(random_arm, n, seed):
    random, arm, q = drawn(random_arm, n, seed)
    # Give every second draw a link as long as all others and more, and with it a hole.
    if seed % 2:
        length = arm.length.copy()
        length[:, random.integers(n)] += reach(arm)
        arm = arm._replace(length=length)
    outer = reach(arm)
    inner = np.maximum(0.0, 2.0 * np.max(arm.length, axis=-1) - outer)
    ray = np.exp(1j * q[:, 0])
    direction = np.stack([ray.real, ray.imag], axis=-1)
    part = random.uniform(0.1, 0.9, ARMS)
    for radius, gap in ((outer, part), (inner, -part * inner)):
        edge = arm.base + radius[:, None] * direction
        found = inverse(arm, edge)
        assert found.valid.all()
        assert (miss(arm, found, edge) <= 1e-12 * outer[:, None]).all()

        found = inverse(arm, edge + gap[:, None] * direction)
        out = np.abs(gap) > 1e-6  # without a hole there is nothing inside the inner edge
        allowed = 1e-13 * (1.0 + outer)
        assert (found.reachable == ~out).all()
        assert np.isnan(found.q[out]).all()
        assert not found.valid[out].any()
        assert not found.continuum[out].any()
        assert (np.abs(found.shortfall - np.abs(gap)) <= allowed)[out].all()
        assert (found.residual == found.shortfall[:, None])[out].all()
        assert (np.abs(found.nearest - edge) <= allowed[:, None])[out].all()
        reached = tip(arm, found.nearest_q)[:, :2]
        assert (np.abs(reached - edge) <= 10.0 * allowed[:, None])[out].all()


@thorough
@given(oriented=st.booleans(), seed=seeds)
def test_limits_mark_postures_and_change_none(random_arm, oriented, seed):
    n = 3 if oriented else 2
    _, arm, q = drawn(random_arm, n, seed, limited=True)
    free = arm._replace(lower=-np.inf + 0.0 * arm.lower, upper=np.inf + 0.0 * arm.upper)
    target = tip(arm, q)[:, : 3 if oriented else 2]
    marked, plain = inverse(arm, target), inverse(free, target)
    assert marked.valid.all()
    assert np.abs(wrapped(marked.q - plain.q)).max() <= 1e-13
    # Ranges are narrower than a turn, so an angle or none of its turns is inside.
    middle = 0.5 * (arm.lower + arm.upper)[:, None]
    inside = np.abs(wrapped(plain.q - middle)) <= 0.5 * (arm.upper - arm.lower)[:, None]
    assert (marked.within_limits == inside.all(axis=-1)).all()


def test_a_target_that_can_be_reached_within_the_limits_is_reached_within_them(random_arm):
    """1,000 arms with limits, each with a target made from a posture inside them.

    Searching for such a posture is not a closed form; 999 of 1,000 is what it must find, and
    whatever it says of the rest must be true.
    """
    random = np.random.default_rng(2024)
    found_any = []
    for n in (3, 4, 5, 7, 12, 20, 30, 50):
        arm = random_arm(random, n, (125,), limited=True)
        oriented = n in (4, 7, 20, 50)
        q = random.uniform(arm.lower, arm.upper)
        target = tip(arm, q)[:, : 3 if oriented else 2]
        found = inverse(arm, target)
        far = miss(arm, found, target) > ITERATED * reach(arm)[:, None]
        assert (found.valid == ~far).all()
        assert found.valid.all()
        outside = (found.q < arm.lower[:, None] - 1e-12) | (found.q > arm.upper[:, None] + 1e-12)
        assert (found.within_limits == ~outside.any(axis=-1)).all()
        assert (found.residual <= ITERATED * reach(arm)[:, None]).all()
        found_any.append(found.within_limits.any(axis=-1))
    assert np.concatenate(found_any).mean() >= 0.999


def test_a_preferred_posture_is_approached_until_only_moving_the_tip_would_bring_it_closer(
    random_arm,
):
    """At the closest posture the motion to the preferred one has no part in the null space."""
    random = np.random.default_rng(7)
    for n in (3, 4, 5, 8, 15):
        arm = ulna.Parameters(*(value[0] for value in random_arm(random, n, (1,))))
        wanted = random.uniform(-1.0, 1.0, n)
        arms = random_arm(random, n, (40,))._replace(length=np.tile(arm.length, (40, 1)))
        q = wanted + random.normal(0.0, 0.2, (40, n))
        target = tip(arms, q)[:, :2]
        found = inverse(arms, target, posture=wanted)
        assert found.valid.all()
        assert (miss(arms, found, target) <= ITERATED * reach(arms)[:, None]).all()
        phi = np.cumsum(found.q, axis=-1)
        links = arms.length[:, None] * np.exp(1j * phi)
        lever = 1j * np.cumsum(links[..., ::-1], axis=-1)[..., ::-1]
        jacobian = np.stack([lever.real, lever.imag], axis=-2)
        towards = (wanted - found.q)[..., None]
        seen_by_tip = np.linalg.pinv(jacobian) @ (jacobian @ towards)
        null_motion = np.linalg.norm((towards - seen_by_tip)[..., 0], axis=-1)
        # The best of the four has converged, whatever its starting point.
        assert null_motion.min(axis=-1).max() <= 1e-6


def test_two_links_are_exact_over_twelve_decades_of_their_ratio_and_far_from_the_origin():
    random = np.random.default_rng(5)
    for _ in range(1000):
        lengths = 10.0 ** random.uniform(-6.0, 6.0, 2)
        base = random.uniform(-1.0, 1.0, 2) * 10.0 ** random.uniform(-3.0, 6.0)
        arm = ulna.Arm.rods(lengths, [1.0, 1.0], base=base)
        inner, outer = abs(lengths[0] - lengths[1]), lengths.sum()
        # Half of them close to the inner edge, where the arm is folded.
        radius = inner + (outer - inner) * random.random() ** random.choice([1, 8])
        bearing = random.uniform(-np.pi, np.pi)
        target = base + radius * np.array([np.cos(bearing), np.sin(bearing)])
        found = inverse(arm, target)
        assert found.valid.all()
        # Exact to a few roundings of the largest number at hand, coordinates of the base included.
        assert found.residual.max() <= 8e-16 * (outer + np.abs(target).sum())

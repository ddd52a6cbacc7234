"""Laws of forward kinematics, for arms of 1 to 50 links of 0.1 to 1 m.

A law is tried on 1,000 arms: 100 draws of ten arms side by side. The plane is written here a
second time, as complex numbers: a link is l·e^{iφ}. Derivatives come from complex steps of x(q)
and y(q), which are exact to rounding. Tolerances are rounding errors of sums of n terms, in units
of the arm's reach and of the rates that enter.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ulna
from ulna import kinematics

ARMS = 10
thorough = settings(max_examples=100, deadline=None)
links = st.integers(1, 50)
seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1e-13
STEP = 1e-30


def drawn(random_arm, n, seed, batch=(ARMS,)):
    random = np.random.default_rng(seed)
    arm = random_arm(random, n, batch)
    q, qd, qdd = random.uniform(-4.0, 4.0, (3, *batch, n))
    return arm, q, qd, qdd


def largest(values):
    """Give for each arm (ARMS, …) the largest absolute value of anything that is its own."""
    return np.max(np.abs(values).reshape(len(values), -1), axis=-1)


def rounding(arm, *rates):
    """Give for each arm what rounding may leave of a length, or of a length times the rates."""
    return ROUNDING * (1.0 + np.sum(arm.length, axis=-1)) * (1.0 + sum(rates))


def each(arm):
    return ulna.Parameters(*(value[..., None, :] for value in arm))


def as_complex(points):
    return points[..., 0] + 1j * points[..., 1]


def coordinates(arm, q):
    """Give (x, y, angle) of the tip for complex angles too: every sum is an analytic function."""
    phi = np.cumsum(q, axis=-1)
    x = np.sum(arm.length * np.cos(phi), axis=-1) + arm.base[..., 0]
    y = np.sum(arm.length * np.sin(phi), axis=-1) + arm.base[..., 1]
    return np.stack([x, y, phi[..., -1]], axis=-1)


def textbook_jacobian(arm, q):
    """Give ∂x/∂q_j = −Σ_{i≥j} l_i sin φ_i and so on, for complex angles too."""
    phi = np.cumsum(q, axis=-1)
    sin, cos = arm.length * np.sin(phi), arm.length * np.cos(phi)
    from_here_on = [np.cumsum(part[..., ::-1], axis=-1)[..., ::-1] for part in (-sin, cos)]
    return np.stack([*from_here_on, np.ones_like(phi)], axis=-2)


def times(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


@thorough
@given(n=links, seed=seeds)
def test_an_arm_is_a_sum_of_complex_numbers(random_arm, n, seed):
    arm, q, _, _ = drawn(random_arm, n, seed)
    direction = np.exp(1j * np.cumsum(q, axis=-1))
    along = np.cumsum(arm.length * direction, axis=-1)
    base = as_complex(arm.base)[:, None]
    joints = base + np.concatenate([np.zeros((ARMS, 1)), along], axis=-1)
    allowed = rounding(arm)
    assert (largest(as_complex(kinematics.joints(arm, q)) - joints) <= allowed).all()
    centres = joints[:, :-1] + (arm.com + 1j * arm.com_offset) * direction
    assert (largest(as_complex(kinematics.centres(arm, q)) - centres) <= allowed).all()
    tip = kinematics.tip(arm, q)
    assert (np.abs(as_complex(tip) - joints[:, -1]) <= allowed).all()
    turned = np.abs(tip[:, 2] - np.sum(q, axis=-1))
    assert (turned <= ROUNDING * np.sum(np.abs(q), axis=-1)).all()


@thorough
@given(n=links, seed=seeds)
def test_the_transforms_multiply_to_the_frame_of_the_tip(random_arm, n, seed):
    arm, q, _, _ = drawn(random_arm, n, seed)
    steps, product = kinematics.transforms(arm, q)
    multiplied = np.eye(3)
    for k in range(n):
        multiplied = multiplied @ steps[:, k]
    assert (largest(product - multiplied) <= n * rounding(arm)).all()
    turn, place = product[:, :2, :2], coordinates(arm, q)
    assert largest(turn @ np.swapaxes(turn, -1, -2) - np.eye(2)).max() <= 1e-15
    assert (largest(product[:, :2, 2] - place[:, :2]) <= rounding(arm)).all()
    assert np.abs(np.exp(1j * place[:, 2]) - as_complex(turn[:, :, 0])).max() <= n * ROUNDING


@thorough
@given(n=links, seed=seeds)
def test_the_jacobian_is_the_derivative_of_the_tip(random_arm, n, seed):
    arm, q, _, _ = drawn(random_arm, n, seed)
    jacobian, q = kinematics.jacobian(arm, q), q[:, None]
    by_steps = coordinates(each(arm), q + 1j * STEP * np.eye(n)).imag / STEP
    assert (largest(jacobian - np.swapaxes(by_steps, -1, -2)) <= rounding(arm)).all()

    h = 1e-5
    ahead, behind = (kinematics.tip(each(arm), q + sign * h * np.eye(n)) for sign in (1.0, -1.0))
    differences = np.swapaxes(ahead - behind, -1, -2) / (2.0 * h)
    # h²/6 of the third derivative, at most the reach, and the rounding of the tip over h.
    allowed = h**2 / 6.0 * np.sum(arm.length, axis=-1) + rounding(arm) / h
    assert (largest(jacobian - differences) <= allowed).all()


@thorough
@given(n=links, seed=seeds)
def test_rates_are_derivatives_along_the_motion(random_arm, n, seed):
    arm, q, qd, qdd = drawn(random_arm, n, seed)
    speed, turning = (largest(np.cumsum(rates, axis=-1)) for rates in (qd, qdd))
    # Products with J add what the running sums cancel: their rounding grows with Σ|q̇|.
    rates_sum, turning_sum = (np.sum(np.abs(rates), axis=-1) for rates in (qd, qdd))
    ahead, jacobian = q + 1j * STEP * qd, kinematics.jacobian(arm, q)

    rate = kinematics.jacobian_rate(arm, q, qd)
    along = textbook_jacobian(arm, ahead).imag / STEP
    assert (largest(rate - along) <= rounding(arm, speed)).all()

    velocity = kinematics.tip_velocity(arm, q, qd)
    along = coordinates(arm, ahead).imag / STEP
    assert (largest(velocity - along) <= rounding(arm, speed)).all()
    assert (largest(velocity - times(jacobian, qd)) <= rounding(arm, rates_sum)).all()

    acceleration = kinematics.tip_acceleration(arm, q, qd, qdd)
    allowed = rounding(arm, turning, turning_sum, (1.0 + speed) * rates_sum)
    expected = times(jacobian, qdd) + times(rate, qd)
    assert (largest(acceleration - expected) <= allowed).all()
    # The velocity a moment later is J(q + q̇ t)(q̇ + q̈ t).
    along = times(textbook_jacobian(arm, ahead), qd + 1j * STEP * qdd).imag / STEP
    assert (largest(acceleration - along) <= allowed).all()


@thorough
@given(n=links, seed=seeds, turn=st.floats(-10.0, 10.0))
def test_turning_joint_1_turns_the_arm_about_its_base(random_arm, n, seed, turn):
    arm, q, qd, _ = drawn(random_arm, n, seed)
    spin, base = np.exp(1j * turn), as_complex(arm.base)[:, None]
    turned = q + turn * np.eye(n)[0]
    allowed = rounding(arm, abs(turn))
    for place in (kinematics.joints, kinematics.centres):
        here, there = as_complex(place(arm, q)), as_complex(place(arm, turned))
        assert (largest(there - (base + spin * (here - base))) <= allowed).all()
    angles = kinematics.tip(arm, turned)[:, 2] - kinematics.tip(arm, q)[:, 2]
    assert np.abs(angles - turn).max() <= ROUNDING * (n + abs(turn))
    here, there = kinematics.tip_velocity(arm, q, qd), kinematics.tip_velocity(arm, turned, qd)
    allowed = allowed * (1.0 + largest(np.cumsum(qd, axis=-1)))
    assert (np.abs(as_complex(there) - spin * as_complex(here)) <= allowed).all()


@thorough
@given(n=links, seed=seeds)
def test_moving_the_base_moves_places_and_changes_no_rate(random_arm, n, seed):
    arm, q, qd, qdd = drawn(random_arm, n, seed)
    shift = np.array([3.0, -7.0])
    moved = arm._replace(base=arm.base + shift)
    for place in (kinematics.joints, kinematics.centres):
        assert (largest(place(moved, q) - place(arm, q) - shift) <= rounding(arm)).all()
    assert (kinematics.jacobian(moved, q) == kinematics.jacobian(arm, q)).all()
    acceleration = kinematics.tip_acceleration(moved, q, qd, qdd)
    assert (acceleration == kinematics.tip_acceleration(arm, q, qd, qdd)).all()


@thorough
@given(n=links, seed=seeds)
def test_the_same_arm_read_from_its_tip(random_arm, n, seed):
    """Walking back from the tip meets the links in the other order and bends the other way."""
    arm, q, _, _ = drawn(random_arm, n, seed)
    points = kinematics.joints(arm, q)
    about_face = np.sum(q, axis=-1, keepdims=True) + np.pi
    back = np.concatenate([about_face, -q[:, :0:-1]], axis=-1)
    walked = kinematics.joints(arm._replace(length=arm.length[:, ::-1], base=points[:, -1]), back)
    assert (largest(walked - points[:, ::-1]) <= rounding(arm, n)).all()


@thorough
@given(n=links, seed=seeds)
def test_dexterity_is_what_two_by_two_matrices_have(random_arm, n, seed):
    """Squared singular values are eigenvalues of J Jᵀ, which two by two has in closed form."""
    arm, q, _, _ = drawn(random_arm, n, seed)
    x, y = np.moveaxis(textbook_jacobian(arm, q)[:, :2], 1, 0)
    a, b, d = np.sum(x * x, axis=-1), np.sum(x * y, axis=-1), np.sum(y * y, axis=-1)
    # Lagrange's identity: det J Jᵀ is the sum of the squared 2×2 minors, without cancellation.
    minors = x[:, :, None] * y[:, None, :] - y[:, :, None] * x[:, None, :]
    determinant = 0.5 * np.sum(minors**2, axis=(-1, -2))
    large = 0.5 * (a + d) + np.hypot(0.5 * (a - d), b)
    values = np.sqrt(np.stack([large, determinant / large], axis=-1))

    ellipse = kinematics.manipulability_ellipse(arm, q)
    assert (largest(ellipse.semi_axes - values) <= ROUNDING * np.sqrt(large)).all()
    shown = kinematics.singular_values(arm, q)
    assert (largest(shown - values[:, : min(n, 2)]) <= ROUNDING * np.sqrt(large)).all()
    expected = np.sqrt(determinant) if n > 1 else arm.length[:, 0]
    missed = np.abs(kinematics.manipulability(arm, q) - expected)
    assert (missed <= ROUNDING * (large if n > 1 else 1.0)).all()
    assert (largest(ellipse.center - coordinates(arm, q)[:, :2]) <= rounding(arm)).all()
    # The long axis is an eigenvector of J Jᵀ for its large eigenvalue.
    cos, sin = np.cos(ellipse.angle), np.sin(ellipse.angle)
    missed = np.hypot(a * cos + b * sin - large * cos, b * cos + d * sin - large * sin)
    assert (missed <= ROUNDING * large).all()
    if n > 1:
        # σ_2 is known to rounding of σ_1, so its reciprocal to that times the ratio.
        ratio = values[:, 0] / values[:, 1]
        missed = np.abs(kinematics.condition_number(arm, q) / ratio - 1.0)
        assert (missed <= ROUNDING * ratio).all()


@thorough
@given(seed=seeds)
def test_manipulability_of_two_links_is_l1_l2_sin_q2(random_arm, seed):
    arm, q, _, _ = drawn(random_arm, 2, seed)
    expected = np.prod(arm.length, axis=-1) * np.abs(np.sin(q[:, 1]))
    assert np.abs(kinematics.manipulability(arm, q) - expected).max() <= 1e-14


FUNCTIONS = (
    lambda arm, q, qd, qdd: kinematics.tip(arm, q),
    lambda arm, q, qd, qdd: kinematics.joints(arm, q),
    lambda arm, q, qd, qdd: kinematics.centres(arm, q),
    lambda arm, q, qd, qdd: kinematics.transforms(arm, q).steps,
    lambda arm, q, qd, qdd: kinematics.transforms(arm, q).product,
    lambda arm, q, qd, qdd: kinematics.jacobian(arm, q),
    lambda arm, q, qd, qdd: kinematics.jacobian_rate(arm, q, qd),
    lambda arm, q, qd, qdd: kinematics.tip_velocity(arm, q, qd),
    lambda arm, q, qd, qdd: kinematics.tip_acceleration(arm, q, qd, qdd),
)


@settings(max_examples=10, deadline=None)
@given(n=links, seed=seeds)
def test_a_strict_array_library_gives_the_numbers_of_numpy(random_arm, n, seed):
    """10 batches of 100 arms: the formulas use nothing but the array-API standard."""
    strict = pytest.importorskip("array_api_strict")
    arm, q, qd, qdd = drawn(random_arm, n, seed, batch=(100,))
    foreign = [strict.asarray(value) for value in (q, qd, qdd)]
    foreign_arm = ulna.Parameters(*(strict.asarray(value) for value in arm))
    for function in FUNCTIONS:
        expected = function(arm, q, qd, qdd)
        for which in (arm, foreign_arm):
            given_back = function(which, *foreign)
            assert isinstance(given_back, type(foreign[0]))
            assert (np.asarray(given_back) == expected).all()


@pytest.fixture(scope="module")
def jax():
    library = pytest.importorskip("jax", reason="JAX is not installed: its numbers are unchecked")
    before = library.config.jax_enable_x64
    library.config.update("jax_enable_x64", True)
    yield library
    library.config.update("jax_enable_x64", before)


def test_jax_gives_the_numbers_of_numpy(jax, random_arm):
    n = 9
    arm, q, qd, qdd = drawn(random_arm, n, n, batch=(1000,))

    def everything(*state):
        return [function(*state) for function in FUNCTIONS]

    # Accelerations are sums of squared rates: n links of speeds up to 4n rad/s.
    allowed = ROUNDING * n * (4.0 * n) ** 2
    for traced, expected in zip(
        jax.jit(everything)(arm, q, qd, qdd), everything(arm, q, qd, qdd), strict=True
    ):
        assert np.abs(np.asarray(traced) - expected).max() <= allowed


def test_jax_differentiates_the_tip_to_the_jacobian(jax, random_arm):
    n = 6
    arm, q, qd, _ = drawn(random_arm, n, n, batch=())

    @jax.jit
    def derivatives(length, q, qd):
        def tip(length, q):
            return kinematics.tip(arm._replace(length=length), q)

        by_length, by_angle = jax.jacfwd(tip, argnums=(0, 1))(length, q)
        along = jax.jvp(lambda angles: kinematics.jacobian(arm, angles), (q,), (qd,))[1]
        return by_length, by_angle, along

    by_length, by_angle, along = (np.asarray(part) for part in derivatives(arm.length, q, qd))
    assert by_angle == pytest.approx(kinematics.jacobian(arm, q), abs=ROUNDING)
    assert along == pytest.approx(kinematics.jacobian_rate(arm, q, qd), abs=10 * ROUNDING)
    phi = np.cumsum(q)
    expected = np.stack([np.cos(phi), np.sin(phi), 0.0 * phi])
    assert by_length == pytest.approx(expected, abs=ROUNDING)

"""One text for all array libraries: NumPy, JAX with its transformations, and the bare standard."""

import array_api_strict as strict
import numpy as np
import pytest

import ulna
from arm_functions import DYNAMICS, KINEMATICS, close, leaves
from tabular import tabular
from ulna import dynamics
from ulna.dynamics import absolute

# Every function, as one of (arm, q, qd, x, force): x stands for q̈, τ and their like.
FUNCTIONS = {
    **{
        name: lambda arm, *state, own=own: own(arm, state, tip_force=state[3])
        for name, own in (KINEMATICS | DYNAMICS).items()
    },
    "absolute.joint_torques": lambda arm, q, qd, x, force: absolute.joint_torques(x),
    "absolute.ground_torques": lambda arm, q, qd, x, force: absolute.ground_torques(x),
}
OF_TORQUES = ("absolute.joint_torques", "absolute.ground_torques")
OF_ARMS = {
    **FUNCTIONS,
    "parameter_vector": lambda arm, q, qd, x, force: dynamics.parameter_vector(arm),
}

# Arms with everything but friction, with neither offset nor rotor, with a link that weighs nothing,
# and with friction; their joints have limits of torque, or none.
WHOLE = ulna.Arm.of(
    [
        ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05, tip_mass=0.3),
        ulna.Link(0.4, 1.0, com_offset=-0.1),
    ],
    [
        ulna.Joint(damping=0.3, max_torque=50.0, rotor_inertia=0.03, gear_ratio=2.0),
        ulna.Joint(damping=0.1, max_torque=20.0, rotor_inertia=0.02, gear_ratio=-1.5),
    ],
    gravity=(1.0, -9.0),
    base=(0.3, -0.2),
)
POINTS = ulna.Arm.point_masses([0.7, 0.6], [1.0, 2.0])
HOLLOW = ulna.Arm.of([ulna.Link(0.5, 0.0, tip_mass=1.0), ulna.Link(0.4, 0.0)], payload=0.5)
RUBBING = ulna.Arm.rods(
    [0.6, 0.5],
    [1.5, 1.0],
    joints=[
        ulna.Joint(damping=0.1, friction=ulna.Friction(1.5, 2.5, 0.8, 0.04)),
        ulna.Joint(friction=ulna.Friction(0.7)),
    ],
)
ARMS = ulna.stack([WHOLE, POINTS, HOLLOW, RUBBING])
STATE = (
    np.array([[0.4, -1.1], [0.2, 0.9], [-0.8, 1.4], [0.3, 0.5]]),
    np.array([[1.5, -2.0], [-0.3, 0.8], [0.6, 0.1], [-0.7, 1.1]]),
    np.array([[3.0, 0.5], [-1.0, 2.0], [0.7, -0.4], [0.2, -0.9]]),
    np.array([[2.0, -3.0, 0.4], [0.5, 1.5, -0.2], [0.0, 1.0, 0.0], [0.3, -0.2, 0.1]]),
)
ONE = tuple(value[0] for value in STATE)


def same(found, expected, rel=1e-13):
    assert close(found, expected, rel)


# The array-API standard


FOREIGN = type(strict.ones(1))


def single(values):
    return values.astype(np.float32)


def unchanged(values):
    return values


# How arms and states are given, and how closely their numbers are those of double precision:
# single precision loses digits by forming M from sums and by solving for it.
GIVEN = {
    "NumPy": (unchanged, unchanged, np.ndarray | np.generic, np.dtype(float), 1e-13),
    "single precision": (single, single, np.ndarray | np.generic, np.dtype(np.float32), 2e-5),
    "the bare standard": (strict.asarray, strict.asarray, FOREIGN, strict.float64, 1e-13),
    "an arm of NumPy": (unchanged, strict.asarray, FOREIGN, strict.float64, 1e-13),
    "a state of NumPy": (strict.asarray, unchanged, FOREIGN, strict.float64, 1e-13),
}


@tabular("name", OF_ARMS)
@tabular("given", GIVEN)
def test_results_are_arrays_of_the_library_that_leads(name, given):
    to_arm, to_state, kind, dtype, rel = GIVEN[given]
    arms, state = ulna.Parameters(*map(to_arm, ARMS)), [to_state(values) for values in STATE]
    if given == "an arm of NumPy" and name == "parameter_vector":
        return
    if given == "a state of NumPy" and name in OF_TORQUES:
        return
    found = OF_ARMS[name](arms, *state)
    assert {part.dtype for part in leaves(found)} == {dtype}
    assert all(isinstance(part, kind) for part in leaves(found))
    if given != "NumPy":
        same(found, OF_ARMS[name](ARMS, *STATE), rel)


def test_a_long_arm_needs_no_more_than_the_standard(random_arm):
    # Nine links and more are summed in another way than fewer.
    random = np.random.default_rng(2)
    arm = random_arm(random, 9, (3,), whole=True)
    state = [*random.uniform(-2.0, 2.0, (3, 3, 9)), random.normal(size=(3, 3))]
    foreign = [strict.asarray(value) for value in state]
    for function in OF_ARMS.values():
        same(function(arm, *foreign), function(arm, *state), rel=1e-12)


def test_resting_postures_are_found_for_arrays_of_any_library():
    arm = ulna.Parameters(*map(strict.asarray, WHOLE.parameters))
    tau, force = strict.asarray([1.0, 0.5]), strict.asarray([0.5, -0.2, 0.1])
    found = dynamics.equilibria(arm, tau, tip_force=force)
    expected = dynamics.equilibria(WHOLE, [1.0, 0.5], tip_force=[0.5, -0.2, 0.1])
    assert len(found) == len(expected) == 4
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one.q, np.ndarray)
        assert one.q == pytest.approx(other.q, abs=1e-12)


# JAX


@pytest.fixture(scope="module")
def jax():
    library = pytest.importorskip("jax", reason="JAX is not installed: its numbers are unchecked")
    before = library.config.jax_enable_x64
    library.config.update("jax_enable_x64", True)
    yield library
    library.config.update("jax_enable_x64", before)


def compiled(jax, function):
    """Compile without optimising: what is made here runs once."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(function, compiler_options=options)


@pytest.fixture(scope="module")
def traced(jax):
    """Give all results of JAX at once: compiled, and mapped over arms and states."""

    def everything(*arguments):
        results = {name: function(*arguments) for name, function in OF_ARMS.items()}
        assert all(isinstance(part, jax.Array) for part in sum(map(leaves, results.values()), ()))
        return results

    return compiled(jax, jax.vmap(everything))(ARMS, *STATE)


@pytest.mark.parametrize("name", OF_ARMS)
def test_jax_compiles_and_maps_to_the_numbers_of_numpy(traced, name):
    same(traced[name], OF_ARMS[name](ARMS, *STATE), rel=1e-12)


@tabular("name", OF_ARMS)
@tabular("dtype", [np.float32, np.float64])
def test_jax_traces_arms_and_states_in_their_precision(jax, name, dtype):
    arm, *state = jax.tree_util.tree_map(
        lambda value: jax.ShapeDtypeStruct(value.shape, dtype), (WHOLE.parameters, *ONE)
    )
    found = leaves(jax.eval_shape(OF_ARMS[name], arm, *state))
    expected = leaves(OF_ARMS[name](WHOLE, *ONE))
    assert [part.shape for part in found] == [np.shape(part) for part in expected]
    assert {part.dtype for part in found} == {np.dtype(dtype)}
    if name != "parameter_vector":
        own = leaves(jax.eval_shape(lambda *state: OF_ARMS[name](WHOLE, *state), *ONE))
        assert [part.shape for part in own] == [part.shape for part in found]


QUANTITIES = ("length", "mass", "com", "com_offset", "inertia", "tip_mass", "damping", "gravity",
              "rotor_inertia", "gear_ratio")  # fmt: skip


@tabular("field", QUANTITIES)
def test_jax_can_trace_one_quantity_of_an_arm_of_numpy(jax, field):
    def motion(value):
        arm = WHOLE.parameters._replace(**{field: value})
        return FUNCTIONS["forward_dynamics"](arm, *ONE)

    assert jax.eval_shape(motion, getattr(WHOLE.parameters, field)).shape == (2,)


def test_jax_differentiates_the_motion_to_what_linearise_says(jax):
    def motion(arm, q, qd, tau, force):
        return dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)

    derivative = jax.vmap(jax.jacfwd(motion, argnums=(1, 2, 3)))
    by_angle, by_rate, by_torque = compiled(jax, derivative)(ARMS, *STATE)
    state, control = dynamics.linearise(ARMS, *STATE[:3], tip_force=STATE[3])
    assert np.asarray(by_angle) == pytest.approx(state[:, 2:, :2], abs=1e-10)
    assert np.asarray(by_rate) == pytest.approx(state[:, 2:, 2:], abs=1e-10)
    assert np.asarray(by_torque) == pytest.approx(control[:, 2:], abs=1e-10)


DIFFERENTIATED = (
    "forward_dynamics",
    "inverse_dynamics",
    "potential_energy",
    "operational_mass",
)
# Central differences of sixth order.
STEP = 3e-4
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60


def weighed(xp, result, batch=0):
    """Give one number for all numbers of a result, no two of them with the same weight."""
    flat = xp.reshape(result, (*result.shape[:batch], -1))
    return xp.sum(flat * xp.cos(1.0 + xp.arange(flat.shape[-1])), axis=-1)


def joined(arm, q):
    """Put all numbers of arms of two links, and their angles, in rows of two."""
    return np.stack([*arm, q], axis=-2)


def total(xp, arm, q, *rest, batch=0):
    """Give one number for all that the functions give, each with a weight of its own."""
    results = (FUNCTIONS[name](arm, q, *rest) for name in DIFFERENTIATED)
    return sum(0.7**k * weighed(xp, result, batch) for k, result in enumerate(results))


@pytest.fixture(scope="module")
def slopes():
    """Differentiate by every number of the arms, and by q, one at a time, in differences."""
    centre = joined(ARMS, STATE[0])
    rows, columns = centre.shape[-2:]
    each = np.eye(rows * columns).reshape(rows, columns, 1, rows, columns)
    *arm, q = np.moveaxis(centre + STEP * STEPS[:, None, None, None, None, None] * each, -2, 0)
    values = total(np, ulna.Parameters(*arm), q, *STATE[1:], batch=4)
    return np.moveaxis(np.tensordot(WEIGHTS / STEP, values, axes=1), -1, 0)


@pytest.fixture(scope="module")
def gradients(jax):
    """Give the derivatives by the arms' parameters and by their angles."""

    def number(*arguments):
        return total(jax.numpy, *arguments)

    return compiled(jax, jax.vmap(jax.grad(number, argnums=(0, 1))))(ARMS, *STATE)


@pytest.mark.parametrize("place", range(3), ids=["whole", "point masses", "hollow"])
def test_jax_differentiates_by_the_arm_and_by_its_posture(gradients, slopes, place):
    found, expected = joined(*gradients)[place], slopes[place]
    assert np.isfinite(found).all()
    assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("second", [1e3, np.inf])
def test_the_slope_of_the_largest_payload_is_a_number(jax, second):
    # The first joint decides: T = g (m_1 cos q_1 + (m_2 + load) x), x that of the tip.
    joints = [ulna.Joint(max_torque=30.0), ulna.Joint(max_torque=second)]
    arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 0.5], joints=joints)
    slope = compiled(jax, jax.grad(lambda q: dynamics.largest_payload(arm, q)))
    found = slope(np.array([0.4, 0.5]))
    x, by_second = np.cos(0.4) + np.cos(0.9), -np.sin(0.9)
    by_first = by_second - np.sin(0.4)
    left = 30.0 / 9.81 - np.cos(0.4)
    expected = [np.sin(0.4) / x - left / x**2 * by_first, -left / x**2 * by_second]
    assert np.asarray(found) == pytest.approx(expected, rel=1e-12)


# Joints at rest under dry friction: held and held, held and let go, let go and sliding

REST = (
    np.tile([0.3, 0.5], (4, 1)),
    np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, -1.0]]),
    np.array([[12.0, 2.0], [16.0, 2.6], [-9.0, 30.0], [0.0, 0.0]]),
)


def test_joints_at_rest_are_found_by_any_library():
    expected = dynamics.forward_dynamics(RUBBING, *REST)
    assert (expected == 0.0).sum(axis=-1).tolist() == [2, 1, 0, 0]
    for to, rel in ((strict.asarray, 1e-13), (single, 2e-5)):
        arm, state = ulna.Parameters(*map(to, RUBBING.parameters)), [to(row) for row in REST]
        found = dynamics.forward_dynamics(arm, *state)
        assert found.dtype == state[0].dtype
        same(found, expected, rel)


def test_jax_finds_joints_at_rest_and_differentiates_what_they_do(jax):
    def motion(q, qd, tau):
        found = dynamics.forward_dynamics(RUBBING, q, qd, tau)
        return found, (found, dynamics.linearise(RUBBING, q, qd + 1.0, tau)[0])

    everything = jax.jacrev(motion, argnums=2, has_aux=True)
    by_torque, (found, slopes) = compiled(jax, jax.vmap(everything))(*REST)
    expected = dynamics.forward_dynamics(RUBBING, *REST)
    same(found, expected, rel=1e-12)
    for k, row in enumerate(np.asarray(by_torque)):
        # What is held does not answer; the others do so as if it were one with its neighbour.
        free, inverse = expected[k] != 0.0, np.zeros((2, 2))
        mass = dynamics.mass_matrix(RUBBING, REST[0][k])
        inverse[np.ix_(free, free)] = np.linalg.inv(mass[np.ix_(free, free)])
        assert row == pytest.approx(inverse, abs=1e-12)
    # The last state is linearised where its second joint is at rest.
    assert np.isfinite(slopes).all(axis=(1, 2)).tolist() == [True, True, True, False]
    assert np.isnan(slopes[3, 2:]).all()


def test_jax_differentiates_by_friction_that_is_zero(jax):
    arm = ulna.preset("kehl").parameters
    q, qd, tau = np.array([0.3, 0.5]), np.array([0.8, -1.2]), np.array([3.0, -1.0])
    parts = ("coulomb", "static", "drag")

    def motion(numbers):
        changed = arm._replace(
            stribeck_velocity=np.ones(2), **dict(zip(parts, numbers, strict=True))
        )
        return dynamics.forward_dynamics(changed, q, qd, tau)

    found = compiled(jax, jax.jacfwd(motion))(tuple(np.zeros(2) for _ in parts))
    # f = sign(ω) [f_c (1 − b) + f_s b + c ω²] with b = exp(−ω²) of each joint.
    bell, sign = np.exp(-(qd**2)), np.sign(qd)
    inverse = np.linalg.inv(dynamics.mass_matrix(arm, q))
    for one, slope in zip(found, (1.0 - bell, bell, qd**2), strict=True):
        np.testing.assert_allclose(one, -inverse * (sign * slope), rtol=1e-12)


def test_coulomb_friction_counts_the_same_with_and_without_static_friction(jax):
    arm = ulna.preset("kehl").parameters._replace(
        coulomb=np.array([0.7, 0.4]), stribeck_velocity=np.array([1.0, 0.5])
    )
    q, qd, tau = np.array([0.3, 0.5]), np.array([0.8, -1.2]), np.array([3.0, -1.0])
    bell = np.exp(-((qd / arm.stribeck_velocity) ** 2))
    friction = np.sign(qd) * arm.coulomb * (1.0 - bell)
    free = ulna.preset("kehl")
    expected = dynamics.forward_dynamics(free, q, qd, tau - friction)
    for found in (
        dynamics.forward_dynamics(arm, q, qd, tau),
        dynamics.forward_dynamics(arm, q[None], qd[None], tau[None])[0],
        compiled(jax, dynamics.forward_dynamics)(arm, q, qd, tau),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-11)

"""Laws of motions along paths, for random arms on random shapes inside of their reach.

Shapes keep a fifth of the ring's width away from its edges, so that no posture is near singular.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import simpson

import ulna
from ulna import paths
from ulna.dynamics import inverse_dynamics, kinetic_energy, potential_energy
from ulna.kinematics import tip

quick = settings(max_examples=20, deadline=None)
few = settings(max_examples=3, deadline=None)
seeds = st.integers(0, 2**32 - 1)
SMOOTH = ("circle", "ellipse", "lemniscate", "loops")
SHAPES = (*SMOOTH, "rose", "spline", "closed spline", "polyline", "chain")
REST_TO_REST = ("cubic", "quintic", "s-curve")


@pytest.fixture(scope="module")
def drawn(random_arm):
    """Give the builder of whole random arms: (generator, n) -> Arm."""

    def build(random, n):
        row = random_arm(random, n, whole=True)
        columns = (row.length, row.mass, row.com, row.inertia, row.tip_mass, row.com_offset)
        links = [ulna.Link(*map(float, values)) for values in zip(*columns, strict=True)]
        joints = [
            ulna.Joint(damping=float(b), rotor_inertia=float(j), gear_ratio=float(ratio))
            for b, j, ratio in zip(row.damping, row.rotor_inertia, row.gear_ratio, strict=True)
        ]
        with warnings.catch_warnings():
            # Laws hold for inertias too that no real body has.
            warnings.simplefilter("ignore", ulna.UlnaWarning)
            return ulna.Arm.of(links, joints, gravity=tuple(row.gravity), base=tuple(row.base))

    return build


def shape(random, arm, kinds=SHAPES):
    """Draw a shape of any kind somewhere in the arm's ring."""
    lengths = np.array([link.length for link in arm.links])
    hole = max(2.0 * lengths.max() - lengths.sum(), 0.0)
    width = arm.reach - hole
    bearing = random.uniform(-np.pi, np.pi)
    middle = (hole + 0.5 * width) * np.array([np.cos(bearing), np.sin(bearing)]) + arm.base
    size = random.uniform(0.05, 0.3) * width
    around = middle + size * random.uniform(-0.6, 0.6, (6, 2))
    tilt, centre = float(random.uniform(-3.0, 3.0)), tuple(middle.tolist())
    makers = {
        "circle": lambda: paths.circle(centre, size, tilt, bool(random.integers(2))),
        "ellipse": lambda: paths.ellipse(centre, (size, 0.4 * size), tilt),
        "lemniscate": lambda: paths.lemniscate(centre, size, tilt),
        "loops": lambda: paths.loops(0.8 * size, 0.2 * size, 5).placed(centre, tilt),
        "rose": lambda: paths.rose(centre, size, int(random.choice([3, 4, 5])), tilt),
        "spline": lambda: paths.spline(around),
        "closed spline": lambda: paths.spline(around, closed=True),
        "polyline": lambda: paths.polyline(around),
        "chain": lambda: paths.circle(centre, size).then(paths.line(around[0], around[1])),
    }
    return makers[str(random.choice(kinds))]()


def elbow(random):
    return str(random.choice(["positive", "negative"]))


def follows(arm, path, random, **options):
    made = ulna.plan(arm, path, duration=2.0, rate=20.0, **options)
    t = random.uniform(0.0, 2.0, 200)
    reached = tip(arm, made.trajectory(t).q)[:, :2]
    if made.trajectory.timing.name == "uniform":
        assert np.abs(reached - path(t / 2.0)).max() <= 1e-12 * arm.reach
    assert np.abs(reached - made.trajectory.tip(t).position).max() <= 1e-12 * arm.reach
    return made


@quick
@given(seed=seeds)
def test_the_tip_follows_the_path(drawn, seed):
    random = np.random.default_rng(seed)
    arm = drawn(random, 2)
    timing = str(random.choice(["uniform", "constant-speed", *REST_TO_REST]))
    made = follows(arm, shape(random, arm), random, elbow=elbow(random), timing=timing)
    assert made.feasible
    assert len(set(made.branch)) == 1


@few
@given(seed=seeds, n=st.integers(3, 5))
def test_the_tip_follows_the_path_of_redundant_arms(drawn, seed, n):
    random = np.random.default_rng(seed)
    arm = drawn(random, n)
    follows(arm, shape(random, arm, SMOOTH), random)


@quick
@given(seed=seeds)
def test_one_link_follows_its_circle(drawn, seed):
    random = np.random.default_rng(seed)
    arm = drawn(random, 1)
    first, last = random.uniform(-9.0, 9.0, 2)
    made = follows(arm, paths.arc(arm.base, arm.reach, first, last), random)
    turned = made.trajectory([0.0, 2.0]).q[:, 0]
    assert turned[1] - turned[0] == pytest.approx(last - first, abs=1e-12)


@quick
@given(seed=seeds)
def test_torques_are_the_inverse_dynamics(drawn, seed):
    random = np.random.default_rng(seed)
    arm, force = drawn(random, 2), random.normal(size=3)
    made = ulna.plan(arm, shape(random, arm), duration=1.0, rate=100.0, tip_force=force)
    expected = inverse_dynamics(arm, made.q, made.qd, made.qdd, tip_force=force)
    size = max(1.0, np.abs(np.stack(made.terms)).max())
    assert np.abs(made.tau - expected).max() <= 1e-11 * size


@quick
@given(seed=seeds, timing=st.sampled_from(["uniform", *REST_TO_REST]))
def test_work_less_what_damping_takes_is_the_change_of_energy(drawn, seed, timing):
    random = np.random.default_rng(seed)
    arm = drawn(random, 2)
    path = shape(random, arm, ("circle", "ellipse", "lemniscate"))
    # Half of the way, so that it does not end with the energy that it began with.
    half = ulna.Path(
        lambda s: path.curve(0.5 * s) * np.array([1.0, 0.5, 0.25])[:, None, None], "half"
    )
    made = ulna.plan(arm, half, duration=1.0, rate=4000.0, timing=timing)
    damping = np.array([joint.damping for joint in arm.joints])
    work = simpson(made.power.sum(axis=-1), x=made.t)
    lost = simpson(np.sum(damping * made.qd**2, axis=-1), x=made.t)
    energy = kinetic_energy(arm, made.q, made.qd) + potential_energy(arm, made.q)
    size = simpson(np.abs(made.power).sum(axis=-1), x=made.t)
    assert abs(work - lost - (energy[-1] - energy[0])) <= 1e-9 * size
    # At every instant too: dE/dt is the power less the loss.
    t = np.linspace(0.1, 0.9, 20)
    step = 1e-4

    def energy_at(at):
        q, qd, _ = made.trajectory(at)
        return kinetic_energy(arm, q, qd) + potential_energy(arm, q)

    weights = zip((-2, -1, 1, 2), (1.0, -8.0, 8.0, -1.0), strict=True)
    growth = sum(weight * energy_at(t + way * step) for way, weight in weights) / (12.0 * step)
    qd = made.trajectory(t).qd
    power = np.sum(made.torque_at(t) * qd - damping * qd**2, axis=-1)
    if timing != "s-curve":  # whose jerk jumps
        assert np.abs(growth - power).max() <= 1e-6 * np.abs(made.power).max()


@few
@given(seed=seeds, timing=st.sampled_from(["uniform", *REST_TO_REST]))
def test_work_less_what_friction_takes_too_is_the_change_of_energy(drawn, seed, timing):
    """Friction jumps where a joint turns back; its power, which is zero there, does not."""
    random = np.random.default_rng(seed)
    ideal = drawn(random, 2)
    sizes = random.uniform(0.1, 3.0, (2, 4)) * [1.0, 1.0, 0.1, 1.0]
    joints = [
        replace(joint, friction=ulna.Friction(low, low + more, speed, drag))
        for joint, (low, more, speed, drag) in zip(ideal.joints, sizes, strict=True)
    ]
    arm = ideal.replace(joints=joints)
    path = shape(random, arm, ("circle", "ellipse", "lemniscate"))
    made = ulna.plan(arm, path, duration=1.0, rate=4000.0, timing=timing)
    lost = np.sum((made.terms.damping + made.terms.friction) * made.qd, axis=-1)
    assert (made.terms.friction * made.qd >= 0.0).all()
    energy = kinetic_energy(arm, made.q, made.qd) + potential_energy(arm, made.q)
    size = simpson(np.abs(made.power).sum(axis=-1), x=made.t)
    work = simpson(made.power.sum(axis=-1), x=made.t)
    assert abs(work - simpson(lost, x=made.t) - (energy[-1] - energy[0])) <= 1e-6 * size


@quick
@given(seed=seeds)
def test_backwards_in_time_is_the_path_backwards(drawn, seed):
    random = np.random.default_rng(seed)
    arm, timing = drawn(random, 2), str(random.choice(["uniform", *REST_TO_REST]))
    path = shape(random, arm, SMOOTH)
    there = ulna.plan(arm, path, duration=2.0, rate=100.0, timing=timing)
    back = ulna.plan(arm, path.reversed(), duration=2.0, timing=timing, start=there.q[-1])
    t = random.uniform(0.01, 1.99, 50)
    forward, backward = there.trajectory(t), back.trajectory(2.0 - t)
    assert np.abs(forward.q - backward.q).max() <= 1e-9
    assert np.abs(forward.qd + backward.qd).max() <= 1e-8 * np.abs(there.qd).max()
    assert np.abs(forward.qdd - backward.qdd).max() <= 1e-7 * np.abs(there.qdd).max()
    # Torques are the same both ways, but for damping, which always brakes.
    damping = np.array([joint.damping for joint in arm.joints])
    difference = there.torque_at(t) - back.torque_at(2.0 - t) - 2.0 * damping * forward.qd
    assert np.abs(difference).max() <= 1e-7 * max(1.0, np.abs(there.tau).max())


@quick
@given(seed=seeds, k=st.floats(0.1, 10.0))
def test_k_times_as_slow_has_rates_of_1_by_k_and_accelerations_of_1_by_k_squared(drawn, seed, k):
    random = np.random.default_rng(seed)
    arm, timing = drawn(random, 2), str(random.choice(["uniform", "trapezoid", *REST_TO_REST]))
    path, u = shape(random, arm, SMOOTH), random.uniform(0.01, 0.99, 50)
    fast = ulna.plan(arm, path, duration=1.5, rate=100.0, timing=timing)
    slow = ulna.plan(arm, path, duration=1.5 * k, timing=timing, start=fast.q[0])
    one, other = fast.trajectory(1.5 * u), slow.trajectory(1.5 * k * u)
    assert np.abs(one.q - other.q).max() <= 1e-12
    assert np.abs(one.qd - k * other.qd).max() <= 1e-11 * np.abs(fast.qd).max()
    assert np.abs(one.qdd - k * k * other.qdd).max() <= 1e-10 * np.abs(fast.qdd).max()


@quick
@given(seed=seeds, angle=st.floats(-3.0, 3.0))
def test_the_world_may_be_moved_and_turned(drawn, seed, angle):
    """Arm, path and gravity turned alike: the first angle turns along, torques are the same."""
    random = np.random.default_rng(seed)
    arm = drawn(random, 2)
    path, to = shape(random, arm, SMOOTH), random.normal(size=2)
    turn = np.exp(1j * angle)

    def turned(vector):
        z = complex(*vector) * turn
        return np.array([z.real, z.imag])

    base, gravity = turned(arm.base) + to, turned(arm.gravity)
    moved = arm.replace(base=tuple(base.tolist()), gravity=tuple(gravity.tolist()))
    one = ulna.plan(arm, path, duration=1.0, rate=100.0)
    other = ulna.plan(
        moved,
        path.placed(tuple(to.tolist()), angle),
        duration=1.0,
        rate=100.0,
        start=one.q[0] + np.array([angle, 0.0]),
    )
    assert np.abs(other.q - one.q - [angle, 0.0]).max() <= 1e-9
    assert np.abs(other.tau - one.tau).max() <= 1e-8 * max(1.0, np.abs(one.tau).max())


@quick
@given(seed=seeds, factor=st.floats(0.1, 10.0))
def test_a_longer_arm_on_a_longer_path_moves_alike(drawn, seed, factor):
    random = np.random.default_rng(seed)
    arm = drawn(random, 2).replace(base=(0.0, 0.0))
    path = shape(random, arm, SMOOTH)
    longer = ulna.Arm.rods([factor * link.length for link in arm.links], [1.0, 1.0])
    one = ulna.plan(arm, path, duration=1.0, rate=100.0)
    other = ulna.plan(longer, path.scaled(factor), duration=1.0, rate=100.0, start=one.q[0])
    assert np.abs(one.q - other.q).max() <= 1e-9
    assert np.abs(one.qd - other.qd).max() <= 1e-8 * np.abs(one.qd).max()

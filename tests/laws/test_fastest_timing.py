"""The fastest timing along a path: closed forms, a dynamic programme, TOPP-RA, and laws."""

import numpy as np
import pytest

import ulna
from ulna.errors import InfeasibleError, InputError
from ulna.motion.planning.law_pieces import PiecewiseLaw, joined, parabolas, pause

TICK = 1e-4  # [s] between two points at which demands are looked at
LINKS = ([0.5, 0.4], [1.0, 0.8])
CIRCLE = ulna.paths.circle(center=(0.45, 0.2), radius=0.15)
CORNERED = ulna.paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.6, 0.4)], blend=0.0)
MOTORS = (
    ulna.TorqueSpeedMotor(stall_torque=14.0, no_load_speed=6.0, max_torque=11.0),
    ulna.TorqueSpeedMotor(stall_torque=5.0, no_load_speed=7.0),
)


def arm_with(torque=(12.0, 4.0), damping=(0.0, 0.0), coulomb=(0.0, 0.0), speed=np.inf, motors=None):
    joints = [
        ulna.Joint(
            max_torque=torque[k],
            damping=damping[k],
            max_velocity=speed,
            friction=ulna.Friction(coulomb=coulomb[k]) if coulomb[k] else None,
            motor=motors[k] if motors else None,
        )
        for k in range(2)
    ]
    return ulna.Arm.rods(*LINKS, joints=joints)


def fastest(arm, path, **options):
    return ulna.plan(arm, path, timing="fastest", **options)


def demands(plan):
    """Give how much of every limit is used (k, m) every 0.1 ms, by the plan's own motion."""
    t = np.append(np.arange(0.0, plan.duration, TICK), plan.duration)
    moving, tip, p = plan.trajectory(t), plan.trajectory.tip(t), plan.arm.parameters
    used = [np.abs(plan.torque_at(t)) / p.max_torque, np.abs(moving.qd) / p.max_velocity]
    for name, rows in (("max_speed", tip.velocity), ("max_acceleration", tip.acceleration)):
        if getattr(plan.request, name) is not None:
            used.append(np.linalg.norm(rows, axis=-1)[:, None] / getattr(plan.request, name))
    return np.concatenate(used, axis=1)


# Every arm here can hold itself at a tenth less than it has.
CASES = {
    "torques": (arm_with(), CIRCLE, {}),
    "viscous damping": (arm_with(damping=(0.5, 0.3)), CIRCLE, {}),
    "dry friction": (arm_with(damping=(0.5, 0.3), coulomb=(0.5, 0.3)), CIRCLE, {}),
    "joint speeds": (arm_with(speed=2.0, coulomb=(0.5, 0.3)), CIRCLE, {}),
    "tip": (arm_with(), CIRCLE, {"max_speed": 0.9, "max_acceleration": 6.0}),
    "bends": (
        arm_with(damping=(0.5, 0.3)),
        ulna.paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.6, 0.4), (0.3, 0.3)]),
        {"max_speed": 0.4, "max_acceleration": 3.0},
    ),
    "corners": (arm_with(coulomb=(0.5, 0.3)), CORNERED, {}),
}


@pytest.fixture(scope="module")
def plans():
    return {name: fastest(arm, path, **options) for name, (arm, path, options) in CASES.items()}


@pytest.mark.parametrize(
    ("joint", "options", "expected"),
    [
        ({"max_torque": 2.0}, {}, 2.0 * np.sqrt(1.0 * 1.5 / 2.0)),
        ({"max_torque": 2.0, "max_velocity": 0.5}, {}, 1.5 / 0.5 + 0.5 * 1.0 / 2.0),
        ({}, {"max_joint_acceleration": 3.0}, 2.0 * np.sqrt(1.5 / 3.0)),
    ],
)
def test_one_joint_takes_the_time_of_bang_bang_control(joint, options, expected):
    """I θ̈ = ±τ: T = 2 √(I θ / τ), with I = m l² / 3 of a rod; below v it is θ/v + v I/τ."""
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(**joint)], gravity=(0.0, 0.0))
    made = fastest(arm, ulna.paths.joints([[0.0], [1.5]]), **options)
    assert made.ok
    assert made.duration == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("through", [[0.0, 1.5, 0.0], [0.0, 1.0, 0.3, 0.8]])
def test_one_joint_stops_where_it_turns_back(through):
    """Every way between two turns of the spline is one of bang-bang control by itself."""
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(max_torque=2.0)], gravity=(0.0, 0.0))
    path = ulna.paths.joints([[angle] for angle in through])
    places = np.linspace(0.0, 1.0, 200_001)
    angle = path(places)[:, 0]
    turns = np.flatnonzero(np.diff(angle)[1:] * np.diff(angle)[:-1] <= 0.0) + 1
    ways = np.abs(np.diff(angle[np.concatenate([[0], turns, [-1]])]))
    ways = ways[ways > 1e-6]
    assert len(ways) == len(through) - 1
    made = fastest(arm, path)
    assert made.ok, made.problems
    assert made.duration == pytest.approx((2.0 * np.sqrt(ways / 2.0)).sum(), rel=1e-5)
    assert path.length == pytest.approx(ways.sum(), rel=1e-8)
    _, first, second = path.by_length(np.linspace(0.0, 1.0, 1001))
    assert np.abs(first) == pytest.approx(path.length, rel=1e-9)
    assert np.abs(second).max() <= 1e-6


def test_one_joint_with_viscous_damping():
    """I ω̇ = ±τ − b ω: the time of both phases follows from the logarithms of the solution."""
    inertia, torque, damping, way = 1.0, 2.0, 0.8, 1.5
    joint = ulna.Joint(max_torque=torque, damping=damping)
    arm = ulna.Arm.rods([1.0], [3.0], joints=[joint], gravity=(0.0, 0.0))
    made = fastest(arm, ulna.paths.joints([[0.0], [way]]))
    most, lag = torque / damping, inertia / damping

    def phases(peak):
        up, down = -lag * np.log(1.0 - peak / most), lag * np.log(1.0 + peak / most)
        # ∫ ω dt, by I ω̇ = ±τ − b ω integrated over each phase.
        return up + down, most * (up - down)

    low, high = 0.0, most * (1.0 - 1e-12)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if phases(middle)[1] < way else (low, middle)
    assert made.duration == pytest.approx(phases(low)[0], rel=1e-5)


@pytest.mark.parametrize(("speed", "most"), [(0.4, 1.0), (5.0, 1.0)])
def test_a_straight_line_is_a_trapezoid_of_speed(speed, most):
    length = 0.5
    made = fastest(
        ulna.Arm.rods(*LINKS),
        ulna.paths.line((0.2, 0.3), (0.2 + length, 0.3)),
        max_speed=speed,
        max_acceleration=most,
    )
    triangle = speed**2 / most > length
    expected = 2.0 * np.sqrt(length / most) if triangle else length / speed + speed / most
    assert made.duration == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_some_limit_is_reached_and_none_passed(plans, name):
    made, used = plans[name], demands(plans[name]).max(axis=1)
    assert made.ok, made.problems
    assert used.max() <= 1.001
    assert np.mean(used < 0.995) <= 0.01


def test_motors_are_used_up_and_no_more():
    made = fastest(arm_with((np.inf, np.inf), (0.1, 0.0), motors=MOTORS), CIRCLE)
    assert made.ok, made.problems
    t = np.append(np.arange(0.0, made.duration, TICK), made.duration)
    qd, tau = made.trajectory(t).qd, made.torque_at(t)
    limits = [ulna.actuation.torque_range(MOTORS[k], qd[:, k]) for k in range(2)]
    lower, upper = (np.stack(part, axis=-1) for part in zip(*limits, strict=True))
    assert (tau <= upper * 1.001).all()
    assert (tau >= lower * 1.001).all()
    used = np.maximum(tau / upper, tau / lower).max(axis=1)
    assert np.mean(used < 0.995) <= 0.01


def programme(arm, path, *, nodes=120, speeds=2000, accelerations=5, options=None):
    """Return the least duration by dynamic programming over a lattice of squared speeds.

    Bellman's equation V_i(x) = min_u [2 h / (√x + √y) + V_{i+1}(y)], y = x + 2 h u, backwards from
    rest, with a choice of accelerations between the least and the largest that all limits allow
    half way between two nodes.
    """
    options = options or {}
    base = ulna.plan(arm, path, timing="constant-speed", duration=1.0).trajectory
    s = (np.arange(nodes) + 0.5) / nodes
    h, (q, first, second) = 1.0 / nodes, base(s)
    still = np.zeros_like(q)
    free = arm.replace(joints=[ulna.Joint() for _ in arm.joints])
    gravity = ulna.dynamics.inverse_dynamics(free, q, still, still)
    a = ulna.dynamics.inverse_dynamics(free, q, still, first) - gravity
    b = ulna.dynamics.inverse_dynamics(free, q, first, second) - gravity
    p = arm.parameters
    dry = gravity + p.coulomb * np.sign(first)
    viscous, tip = p.damping * first, base.tip(s)
    most = options.get("most_x", 60.0)
    if np.isfinite(p.max_velocity).all():
        most = min(most, float(((p.max_velocity / np.abs(first)).min(axis=1) ** 2).max()))
    x = np.linspace(0.0, most, speeds)
    value = np.where(x == 0.0, 0.0, np.inf)
    for i in reversed(range(nodes)):
        low, high = np.full(speeds, -np.inf), np.full(speeds, np.inf)
        middle = x
        for _ in range(3):
            # The speed half way is not known before the acceleration: either bound by itself.
            bounds = []
            for way, now in ((-1.0, low), (1.0, high)):
                middle = np.maximum(x + h * np.where(np.isfinite(now), now, 0.0), 0.0)
                rest = dry[i] + b[i] * middle[:, None] + viscous[i] * np.sqrt(middle)[:, None]
                ends = np.stack([(side * p.max_torque - rest) / a[i] for side in (-1.0, 1.0)])
                bound = ends.max(axis=0).min(axis=1) if way > 0 else ends.min(axis=0).max(axis=1)
                if "max_acceleration" in options:
                    along = np.linalg.norm(tip.velocity[i])
                    across = np.linalg.norm(tip.acceleration[i]) * middle
                    left = options["max_acceleration"] ** 2 - across**2
                    own = np.where(left >= 0.0, np.sqrt(np.maximum(left, 0.0)) / along, -1e9)
                    bound = np.minimum(bound, own) if way > 0 else np.maximum(bound, -own)
                bounds.append(bound)
            low, high = bounds
        fast = p.max_velocity / np.abs(first[i])
        cap = float(fast.min() ** 2)
        if "max_speed" in options:
            cap = min(cap, (options["max_speed"] / np.linalg.norm(tip.velocity[i])) ** 2)
        share = np.linspace(0.0, 1.0, accelerations)[:, None]
        u = low + share * (high - low)
        reachable = np.clip((cap - x) / h, low, high)  # as fast as the speed limit has it
        edge = x[np.isfinite(value)].max()  # the fastest that still ends at rest
        last = np.clip((edge - x) / (2.0 * h), low, high)
        u = np.concatenate([u, reachable[None], last[None]])
        y = x + 2.0 * h * u
        allowed = (low <= high) & (y >= 0.0) & (y <= x[-1]) & (0.5 * (x + y) <= cap * (1 + 1e-12))
        place = np.clip(y, 0.0, x[-1]) / x[1]
        before = np.minimum((place + 1e-6).astype(int), speeds - 2)
        part = np.where(place - before < 1e-6, 0.0, place - before)
        above, below = value[before + 1], value[before]
        known = np.isfinite(above)
        later = (1.0 - part) * np.where(np.isfinite(below), below, 0.0)
        later += part * np.where(known, above, 0.0)
        later = np.where(np.isfinite(below) & (known | (part == 0.0)), later, np.inf)
        with np.errstate(divide="ignore"):
            spent = 2.0 * h / (np.sqrt(x) + np.sqrt(np.maximum(y, 0.0)))
        value = np.where(allowed, spent + later, np.inf).min(axis=0)
    return float(value[0])


@pytest.mark.parametrize(
    "name", ["torques", "viscous damping", "dry friction", "joint speeds", "tip"]
)
def test_a_dynamic_programme_takes_as_long(plans, name):
    arm, path, options = CASES[name]
    fastest_square = plans[name].trajectory.timing.law.solved.profile.x.max()
    least = programme(arm, path, options={**options, "most_x": 1.2 * float(fastest_square)})
    assert plans[name].duration == pytest.approx(least, rel=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["torques", "viscous damping", "dry friction", "tip"])
def test_a_finer_programme_is_closer(plans, name):
    arm, path, options = CASES[name]
    square = float(plans[name].trajectory.timing.law.solved.profile.x.max())
    fine = {"nodes": 240, "speeds": 24_000, "accelerations": 9}
    # What a lattice misses at the edge of the speeds that end at rest makes it slower: two of them.
    tops = (1.15 * square, 1.2 * square)
    found = [programme(arm, path, options={**options, "most_x": top}, **fine) for top in tops]
    assert plans[name].duration == pytest.approx(min(found), rel=5e-4)


@pytest.mark.parametrize("limit", ["acceleration", "torque"])
def test_toppra_takes_as_long(limit):
    toppra = pytest.importorskip("toppra")
    from toppra import algorithm, constraint

    way, most = np.array([[0.2, 0.4], [0.9, 1.2], [0.4, 1.9], [1.1, 0.6]]), np.array([9.0, 12.0])
    path = ulna.paths.joints(way)
    coulomb = np.array([0.5, 0.3])
    arm, options = arm_with(torque=(16.0, 6.0), coulomb=coulomb, speed=3.0), {}
    if limit == "acceleration":
        arm, options = arm_with((np.inf, np.inf), speed=3.0), {"max_joint_acceleration": most}
    base = ulna.plan(arm, path, timing="constant-speed", duration=1.0).trajectory

    class Joints(toppra.interpolator.AbstractGeometricPath):
        dof, path_interval = 2, (0.0, 1.0)

        def __call__(self, s, order=0):
            return base(np.clip(s, 0.0, 1.0))[order]

    free = arm.replace(joints=[ulna.Joint(), ulna.Joint()])

    def torque(q, qd, qdd):
        return ulna.dynamics.inverse_dynamics(free, q, qd, qdd)

    speed = constraint.JointVelocityConstraint(3.0 * np.array([[-1.0, 1.0]] * 2))
    hard = constraint.JointAccelerationConstraint(most[:, None] * [-1.0, 1.0])
    if limit == "torque":
        sizes = np.array([[-16.0, 16.0], [-6.0, 6.0]])
        hard = constraint.JointTorqueConstraint(torque, sizes, coulomb)
    points = np.linspace(0.0, 1.0, 1001)
    solver = algorithm.TOPPRA([speed, hard], Joints(), gridpoints=points)
    _, sd, _ = solver.compute_parameterization(0.0, 0.0)
    least = float(np.sum(2.0 * np.diff(points) / (sd[:-1] + sd[1:])))
    made = fastest(arm, path, **options)
    assert made.ok, made.problems
    assert made.duration == pytest.approx(least, rel=0.01)


@pytest.mark.parametrize("raised", ["torque", "max_speed", "max_acceleration", "speed"])
def test_raising_a_limit_never_takes_longer(raised):
    tip = {"max_speed": 1.2, "max_acceleration": 8.0}
    before = np.inf
    for factor in (1.0, 1.6):
        torque = np.array([12.0, 4.0]) * (factor if raised == "torque" else 1.0)
        arm = arm_with(torque, (0.3, 0.1), (0.4, 0.2), 3.0 * (factor if raised == "speed" else 1))
        options = {key: most * (factor if key == raised else 1.0) for key, most in tip.items()}
        duration = fastest(arm, CIRCLE, **options).duration
        assert duration <= before * (1.0 + 1e-4)
        before = duration


def test_backwards_takes_as_long_without_friction(plans):
    there, back = plans["torques"], fastest(arm_with(), CIRCLE.reversed())
    assert there.duration == pytest.approx(back.duration, rel=1e-4)


def test_friction_takes_its_time(plans):
    names = ("torques", "viscous damping", "dry friction")
    none, some, more = (plans[name].duration for name in names)
    assert none < some < more


@pytest.mark.parametrize("coulomb", [1.0, 3.0])
def test_a_joint_that_rests_along_the_path_has_no_friction_of_motion(coulomb):
    """On an arc about the base the elbow keeps its angle, but for rounding errors."""
    arm = arm_with((4.0, 4.0), coulomb=(coulomb, coulomb)).replace(gravity=(0.0, 0.0))
    made = fastest(arm, ulna.paths.arc((0.0, 0.0), 0.6, 0.0, 1.5))
    assert made.ok, made.problems
    used = demands(made)[1:-1].max(axis=1)
    assert used.max() <= 1.001
    assert np.mean(used < 0.995) <= 0.01
    # One body turns about the base: I θ̈ = ±4 − coulomb, by which it speeds up and slows down.
    q = made.q[0]
    I = ulna.dynamics.mass_matrix(arm, q)[0, 0]
    up, down = (4.0 - coulomb) / I, (4.0 + coulomb) / I
    expected = np.sqrt(2.0 * 1.5 * (1.0 / up + 1.0 / down))
    assert made.duration == pytest.approx(expected, rel=1e-4)


def test_reserve_leaves_torque_to_feedback():
    arm = arm_with(coulomb=(0.5, 0.3))
    made = fastest(arm, CIRCLE, reserve=0.2)
    used = demands(made).max(axis=1)
    assert used.max() <= 0.8 * 1.001
    assert np.mean(used < 0.8 * 0.995) <= 0.01
    assert made.duration > fastest(arm, CIRCLE).duration


def test_end_speeds_are_kept():
    line = ulna.paths.line((0.2, 0.3), (0.7, 0.3))
    arm = ulna.Arm.rods(*LINKS)
    ends = np.array([0.3, 0.1])
    made = fastest(arm, line, max_speed=0.4, max_acceleration=1.0, end_speeds=ends)
    speeds = np.linalg.norm(made.trajectory.tip([0.0, made.duration]).velocity, axis=-1)
    assert speeds == pytest.approx([0.3, 0.1], abs=1e-6)
    ramps = 0.1 + 0.3  # [s] of speeding up and braking, over so much of the way:
    way = 0.5 * (0.4**2 - 0.3**2) + 0.5 * (0.4**2 - 0.1**2)
    assert made.duration == pytest.approx(ramps + (0.5 - way) / 0.4, rel=1e-5)


def test_an_end_speed_that_cannot_be_braked_from_is_infeasible():
    line = ulna.paths.line((0.2, 0.3), (0.3, 0.3))
    with pytest.raises(InfeasibleError, match="end speeds"):
        fastest(ulna.Arm.rods(*LINKS), line, max_acceleration=1.0, end_speeds=(2.0, 0.0))


def test_an_arm_that_cannot_hold_itself_is_told_where_and_by_how_much():
    arm = arm_with(torque=(3.0, 4.0))
    with pytest.raises(InfeasibleError, match=r"joint 1 needs [\d.]+ N·m, 3 N·m allowed") as error:
        fastest(arm, CIRCLE)
    needed = float(str(error.value).split("needs ")[1].split(" ")[0])
    q = ulna.plan(arm, CIRCLE).q
    assert needed == pytest.approx(np.abs(ulna.dynamics.gravity_torque(arm, q)).max(), rel=1e-3)


def test_it_stops_at_sharp_corners(plans):
    made = plans["corners"]
    at = made.trajectory.timing.edges(CORNERED)
    corner = made.duration * made.trajectory.timing.reached(np.array([0.5]))
    assert len(at) > 3
    assert np.linalg.norm(made.trajectory.tip(corner).velocity) <= 1e-6
    assert not any(problem.kind == "corner" for problem in made.problems)


def test_a_straight_arm_passes_its_singular_pose():
    """Through the straight arm by its joints, close to it along a line, and round and round."""
    arm = arm_with(speed=4.0)
    made = fastest(arm, ulna.paths.joints([[0.2, 0.8], [0.4, 0.0], [0.8, -0.7]]))
    assert made.ok
    assert np.isfinite(made.tau).all()
    reaching = fastest(arm, ulna.paths.line((0.5, 0.0), (0.895, 0.0)))
    assert reaching.ok
    around = fastest(arm, ulna.paths.arc((0.0, 0.0), 0.9, 0.0, 1.0))
    assert np.abs(around.q[:, 1]).max() <= 1e-6
    assert np.isfinite(around.tau).all()


EDGE = sum(LINKS[0])
SHORT = EDGE * (1.0 - 1e-4)


@pytest.mark.parametrize(
    "ends",
    [
        ((0.5, 0.0), (1.0, 0.0)),
        pytest.param(((1.0, 0.0), (0.5, 0.0)), marks=pytest.mark.slow),
    ],
)
def test_a_stop_at_the_edge_of_the_reach_is_told_and_so_is_the_way_out(ends):
    arm = arm_with()
    start, end = ((EDGE * x, y) for x, y in ends)
    made = fastest(arm, ulna.paths.line(start, end))
    told = next(one for one in made.problems if one.kind == "singular stop")
    assert "stay 90 µm short of it" in told.text
    start, end = ((SHORT * x, y) for x, y in ends)
    assert fastest(arm, ulna.paths.line(start, end)).ok


@pytest.mark.parametrize(
    ("way", "torque"),
    [
        ([[0.0, 0.4], [-0.2, 1.4], [-0.4, 2.4]], (1.0, 8.0)),
        ([[0.0, 0.4], [-0.15, 1.4], [-0.3, 2.4]], (0.5, 20.0)),
    ],
)
def test_a_zero_inertia_point_is_passed_on_the_limit_curve(way, torque):
    """Where (M q')_1 = 0 no acceleration changes the torque of joint 1: b_1 v² = τ_1 bounds v."""
    arm = arm_with(torque).replace(gravity=(0.0, 0.0))
    path = ulna.paths.joints(way)
    made = fastest(arm, path)
    assert made.ok, made.problems
    base = ulna.plan(arm, path, timing="constant-speed", duration=1.0).trajectory
    free = arm.replace(joints=[ulna.Joint(), ulna.Joint()])

    def inertia(s):
        q, first, _ = base(s)
        return ulna.dynamics.inverse_dynamics(free, q, np.zeros(2), first)[0]

    low, high = 0.05, 0.95
    assert inertia(low) * inertia(high) < 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if inertia(middle) * inertia(low) > 0.0 else (low, middle)
    bound = torque[0] / abs(ulna.dynamics.inverse_dynamics(free, *base(low))[0])
    s, x, _ = made.trajectory.timing.law.solved.profile
    assert np.interp(low, s, x) == pytest.approx(bound, rel=2e-3)
    least = programme(arm, path, options={"most_x": 1.2 * float(x.max())})
    assert made.duration == pytest.approx(least, rel=0.005)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "without any limit"),
        ({"duration": 2.0}, "duration"),
        ({"max_speed": 1.0, "reserve": 1.0}, "reserve"),
        ({"max_speed": 1.0}, "limits of speed only"),
        ({"max_speed": 1.0, "end_speeds": (1.0,)}, "end_speeds"),
        ({"max_speed": 1.0, "end_speeds": "x"}, "end_speeds"),
        ({"max_speed": 1.0, "end_speeds": [[1.0], [2.0, 3.0]]}, "end_speeds"),
        ({"max_joint_acceleration": [1.0, 2.0, 3.0]}, "one number, or 2"),
        ({"max_joint_acceleration": "x"}, "max_joint_acceleration"),
        ({"max_speed": 1.0, "max_joint_acceleration": 0.0}, "max_joint_acceleration"),
        ({"max_acceleration": 1.0, "tip_force": lambda t: [t, 0.0]}, "tip_force"),
        ({"max_speed": 1.0, "timing": "cubic", "reserve": 0.1}, "fastest"),
    ],
)
def test_what_cannot_be_used_is_told(options, match):
    with pytest.raises(InputError, match=match):
        ulna.plan(ulna.Arm.rods(*LINKS), CIRCLE, **{"timing": "fastest", **options})


def test_limits_that_do_not_bear_on_the_path_are_told():
    """Joint 1, which stands still, has all the limits."""
    path = ulna.paths.joints([[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(InputError, match=r"nothing limits it at .* of the way"):
        fastest(ulna.Arm.rods(*LINKS), path, max_joint_acceleration=[1.0, np.inf])


def test_a_path_out_of_reach_is_no_motion():
    made = fastest(arm_with(), ulna.paths.line((0.3, 0.3), (2.0, 0.3)))
    assert not made.feasible
    assert any(problem.kind == "out of reach" for problem in made.problems)


def test_lists_are_planned_as_each_alone():
    paths = [CIRCLE, ulna.paths.line((0.3, 0.2), (0.6, 0.3))]
    together = fastest(arm_with(), paths)
    for member, path in zip(together, paths, strict=True):
        alone = fastest(arm_with(), path)
        assert member.duration == alone.duration
        for one, other in zip(member.trajectory(member.t), alone.trajectory(alone.t), strict=True):
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("path", [CIRCLE, ulna.paths.loops(0.5, 0.1, 5)])
def test_redundant_arms_keep_their_limits(path):
    """Also at the kinks that the spline of postures which they are led through has."""
    joints = [ulna.Joint(max_torque=torque) for torque in (14.0, 6.0, 3.0)]
    arm = ulna.Arm.rods([0.4, 0.3, 0.3], [1.0, 0.8, 0.5], joints=joints)
    made = fastest(arm, path)
    used = demands(made).max(axis=1)
    assert made.ok, made.problems
    assert used.max() <= 1.0 + 1e-6
    assert np.mean(used < 0.995) <= 0.01


def test_rates_are_the_derivatives_of_the_angles():
    trajectory = fastest(arm_with(damping=(0.5, 0.3)), CIRCLE).trajectory
    knots = np.array(trajectory.timing.knots) * trajectory.duration
    t, step = 0.5 * (knots[1:] + knots[:-1])[::7], 1e-6
    before, now, after = (trajectory(t + way * step) for way in (-1.0, 0.0, 1.0))
    assert (after.q - before.q) / (2.0 * step) == pytest.approx(now.qd, abs=1e-6)
    assert (after.qd - before.qd) / (2.0 * step) == pytest.approx(now.qdd, rel=1e-4, abs=1e-3)


def test_its_law_knows_when_it_is_where():
    half = parabolas(np.array([0.0, 0.5]), np.array([0.0, 1.0]))
    law = PiecewiseLaw(parabolas(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0])))
    assert half.duration == pytest.approx(1.0)  # half way at speed 1
    assert law.duration == pytest.approx(2.0)
    assert law.reached(np.array([0.0, 0.125, 0.5, 0.875, 1.0])) == pytest.approx(
        [0.0, 0.25, 0.5, 0.75, 1.0]
    )
    sections = [
        parabolas(np.array([k, k + 0.25, k + 0.5]), np.array([0.0, 1.0, 0.0])) for k in (0, 0.5)
    ]
    waiting = PiecewiseLaw(joined([sections[0], pause(0.5, 2.0), sections[1]]))
    assert waiting.duration == pytest.approx(4.0)  # a second before the pause, and one after it
    assert waiting.reached(np.array([0.25, 0.5, 0.75])) == pytest.approx([0.125, 0.25, 0.875])

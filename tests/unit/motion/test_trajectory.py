"""Trajectories: the tip on the path at any time, and rates that are the derivatives of angles."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import paths
from ulna.kinematics import tip

ALIKE = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
UNLIKE = ulna.Arm.rods([0.7, 0.4], [1.0, 1.0], base=(0.3, -0.2))
ELLIPSE = paths.ellipse((0.55, 0.2), (0.2, 0.1), tilt=0.3)


def chain(n):
    lengths = 0.2 + 0.1 * np.cos(np.arange(n))
    return ulna.Arm.rods(list(lengths / lengths.sum()), [1.0] * n, base=(0.1, 0.1))


CASES = {
    "equal links": (ALIKE, ELLIPSE, {}),
    "elbow down": (ALIKE, ELLIPSE, {"elbow": "down"}),
    "elbow up": (ALIKE, ELLIPSE, {"elbow": "up"}),
    "unequal links": (UNLIKE, ELLIPSE, {"elbow": "positive"}),
    "the other branch": (UNLIKE, ELLIPSE, {"elbow": "negative"}),
    "round the base": (UNLIKE, paths.ellipse((0.4, -0.2), (0.7, 0.5)), {}),
    "the paper's": (ulna.preset("kehl"), paths.loops(), {}),
    "from rest to rest": (UNLIKE, ELLIPSE, {"timing": "quintic"}),
    "a spline": (ALIKE, paths.spline([(0.5, 0.2), (0.6, 0.4), (0.2, 0.6)]), {}),
    "three links": (chain(3), ELLIPSE, {}),
    "four links": (chain(4), ELLIPSE, {"timing": "quintic"}),
    "six links round the base": (chain(6), paths.circle((0.1, 0.1), 0.6), {}),
    "one link": (chain(1), paths.arc((0.1, 0.1), 1.0, 1.0, 9.0), {"timing": "quintic"}),
    "joint space": (ALIKE, paths.joints([[0.0, 1.0], [2.0, -1.0], [4.0, 0.5]]), {}),
}


@pytest.fixture(scope="module", params=CASES)
def made(request):
    arm, path, options = CASES[request.param]
    return ulna.plan(arm, path, **{"duration": 2.0} | options)


def random_times(made, step):
    """Draw times away from the ends, and from breaks of the path where the jerk jumps."""
    t = np.random.default_rng(3).uniform(0.02, 0.98, 300) * made.duration
    breaks = np.array(made.path.breaks) * made.duration
    return t[np.abs(t[:, None] - breaks).min(axis=-1) > 4 * step]


def test_the_tip_is_on_the_path_at_any_time(made):
    t = np.random.default_rng(3).uniform(0.0, made.duration, 1000)
    miss = tip(made.arm, made.trajectory(t).q)[:, :2] - made.trajectory.tip(t).position
    assert np.abs(miss).max() <= 1e-12 * made.arm.reach
    if not made.path.in_joints and made.trajectory.timing.name == "uniform":
        assert np.abs(made.trajectory.tip(t).position - made.path(t / made.duration)).max() <= 1e-14


def test_rates_and_accelerations_are_derivatives(made, slope):
    # The jerk of a redundant arm jumps at its waypoints.
    step = (1e-6 if made.arm.n > 2 else 1e-4) * made.duration
    t = random_times(made, step)
    _, qd, qdd = made.trajectory(t)
    found = slope(lambda at: made.trajectory(at).q, t, step)
    assert np.abs(found - qd).max() <= 1e-8 * np.abs(qd).max()
    found = slope(lambda at: made.trajectory(at).qd, t, step)
    assert np.abs(found - qdd).max() <= 1e-7 * (np.abs(qdd).max() + np.abs(qd).max())


def test_joints_never_jump(made):
    t = np.linspace(0.0, made.duration, 5001)
    q, qd, _ = made.trajectory(t)
    step = np.abs(np.diff(q, axis=0)).max()
    assert step <= 1.5 * np.abs(qd).max() * (t[1] - t[0])


def test_before_its_start_and_after_its_end_it_stands_still(made):
    T = made.duration
    early, late = (
        made.trajectory([-1.0, -1e-6, -np.inf]),
        made.trajectory([T + 1e-6, 9.0 * T, np.inf]),
    )
    ends = made.trajectory([0.0, T]).q
    assert np.abs(early.q - ends[0]).max() <= 1e-14
    assert np.abs(late.q - ends[1]).max() <= 1e-14
    for part in (*early[1:], *late[1:], *made.trajectory.tip([-1.0, T + 1.0])[1:]):
        assert not part.any()


def assert_sampled(made):
    for name, values in made.trajectory(made.t)._asdict().items():
        assert (values == getattr(made, name)).all(), name


def test_samples_are_the_trajectory(made):
    assert_sampled(made)


@tabular("timing", ["cubic", "trapezoid", "s-curve", "fastest"])
def test_so_they_are_whatever_the_timing(timing):
    limits = ulna.Joint(max_torque=40.0, max_velocity=3.0)
    arm = UNLIKE.replace(joints=[limits] * 2)
    duration = None if timing == "fastest" else 2.0
    for path in (ELLIPSE, CASES["joint space"][1]):
        assert_sampled(ulna.plan(arm, path, duration=duration, timing=timing))


def test_times_may_have_any_shape(made):
    n = made.arm.n
    assert made.trajectory(0.5).q.shape == (n,)
    grid = np.linspace(0.0, 1.0, 6).reshape(2, 3)
    assert made.trajectory(grid).qdd.shape == (2, 3, n)
    assert made.trajectory.tip(grid).position.shape == (2, 3, 2)
    assert np.abs(made.trajectory(grid).q[1, 2] - made.trajectory(grid[1, 2]).q).max() <= 1e-14


@pytest.mark.parametrize(("n", "turns"), [(1, 1), (1, 3), (2, 1), (2, 3), (3, 3)])
def test_joint_angles_run_on_through_turns_whatever_the_rate_of_the_samples(n, turns):
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
    path = paths.circle(radius=1.0 if n == 1 else 0.7).repeated(turns)
    made = ulna.plan(arm, path, duration=10.0, rate=0.3)
    q = made.trajectory(np.linspace(0.0, 10.0, 2001)).q
    assert q[-1].sum() - q[0].sum() == pytest.approx(2.0 * np.pi * turns, abs=1.0)
    assert np.abs(np.diff(q, axis=0)).max() <= 0.1


def test_more_turns_than_can_be_followed_are_refused_in_words():
    arm = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0] * 3)
    with pytest.raises(ulna.InputError, match="too long to be followed at once"):
        ulna.plan(arm, paths.circle(radius=0.7).repeated(300), duration=1000.0)


SINGULAR = {
    "out to the straight arm": (ALIKE, paths.line((0.4, 0.1), (1.0, 0.0))),
    "from the straight arm": (ALIKE, paths.line((1.0, 0.0), (0.4, 0.1))),
    "touching the straight arm": (ALIKE, paths.circle((0.7, 0.0), 0.3, start=1.0)),
    "folded": (UNLIKE, paths.line((0.9, -0.2), (0.6, -0.2))),
    "touching the hole": (UNLIKE, paths.line((0.6, -0.7), (0.6, 0.3))),
    "through the base": (ALIKE, paths.line((-0.5, 0.0), (0.5, 0.0))),
    "aslant through the base": (ALIKE, paths.line((-0.3, -0.4), (0.3, 0.4))),
    "through the base in a curve": (ALIKE, paths.circle((0.3, 0.0), 0.3, start=1.0)),
    "straight all along": (ALIKE, paths.circle(radius=1.0)),
    "folded all along": (UNLIKE, paths.circle((0.3, -0.2), 0.3)),
}


class TestSingular:
    """Straight, folded, and through the base: finite, no NaN, no jump."""

    @pytest.mark.parametrize("timing", ["uniform", "quintic"])
    @pytest.mark.parametrize("name", SINGULAR)
    def test_finite_and_without_a_jump(self, name, timing):
        arm, path = SINGULAR[name]
        made = ulna.plan(arm, path, duration=1.0, timing=timing)
        t = np.linspace(0.0, 1.0, 20001)
        motion = made.trajectory(t)
        for part in motion:
            assert np.isfinite(part).all()
        # A path that touches an edge at an even speed moves the elbow as √t does.
        assert np.abs(np.diff(motion.q, axis=0)).max() <= 6.0 * np.sqrt(t[1])
        miss = tip(arm, motion.q)[:, :2] - made.trajectory.tip(t).position
        assert np.abs(miss).max() <= 1e-9 * arm.reach
        assert any(problem.kind == "singular" for problem in made.problems)

    @pytest.mark.parametrize("name", ["straight all along", "folded all along"])
    def test_along_the_edge_the_tip_moves_as_asked(self, name):
        arm, path = SINGULAR[name]
        made = ulna.plan(arm, path, duration=1.0)
        velocity = ulna.kinematics.tip_velocity(arm, made.q, made.qd)[:, :2]
        assert np.abs(velocity - made.trajectory.tip(made.t).velocity).max() <= 1e-6
        assert np.abs(made.qdd).max() <= 1e3


class TestOutOfReach:
    def test_it_is_nan_there_and_nowhere_else(self):
        made = ulna.plan(ALIKE, paths.line((0.5, 0.0), (2.0, 0.0)), duration=3.0)
        t = np.linspace(0.0, 3.0, 3001)
        beyond = made.trajectory.tip(t).position[:, 0] > 1.0 + 1e-8
        assert (np.isnan(made.trajectory(t).q).all(axis=-1) == beyond).all()
        assert np.isfinite(made.trajectory.tip(t).position).all()

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_nothing_in_reach_is_a_plan_too(self, n):
        made = ulna.plan(chain(n), paths.line((3.0, 0.0), (4.0, 0.0)), duration=1.0)
        assert np.isnan(made.q).all()
        assert not made.feasible

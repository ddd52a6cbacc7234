"""Following a path: shapes, starts, and the reasons that are given where it fails."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of
from tabular import tabular
from ulna import Arm, Joint
from ulna.kinematics import TrackFlag, condition_number, joints, tip, track

approx = partial(pytest.approx, rel=1e-12, abs=1e-12)


def rods(*lengths, **options):
    return Arm.rods(lengths, [1.0] * len(lengths), **options)


def line(start, end, count=21):
    return np.linspace(start, end, count)


def reported(tracked, flag):
    return [interval for interval in tracked.intervals if interval.flag == flag]


@pytest.fixture
def inside():
    return line([1.5, 0.0], [0.5, 0.5])


def test_arms_and_paths_broadcast(unit, inside):
    arms = [unit, rods(0.9, 0.8)]
    paths = np.stack([inside, inside[::-1], inside + 0.1])[:, None]
    together = track(ulna.stack(arms), paths)
    assert together.q.shape == (3, 2, 21, 2)
    for name in ("flags", "branch", "shortfall", "residual", "excess", "condition", "depth", "ok"):
        assert getattr(together, name).shape == (3, 2, 21)
    assert (together.q[2, 1] == track(arms[1], paths[2, 0]).q).all()
    posed = condition_number(ulna.stack(arms).per_sample(), together.q)
    assert together.condition == approx(posed)
    one, alone = together.path(0).path(0), track(unit, inside)
    assert (one.q == alone.q).all()
    assert [str(part) for part in one.intervals] == [str(part) for part in alone.intervals]


THREE = rods(1.0, 1.0, 1.0)


@tabular(
    ("arm", "points", "options", "name"),
    [
        *((rods(1.0, 1.0), points, {}, "points") for points in ([1.0, 1.0], np.empty((0, 2)))),
        *((rods(1.0, 1.0), points, {}, "points") for points in (1.0, np.zeros((5, 4)))),
        (rods(1.0, 1.0), [[1.0, 1.0], [1.0, np.nan]], {}, "points"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"floor": np.nan}, "floor"),
        *((rods(1.0, 1.0), [[1.0, 1.0]], {"start": q}, "start") for q in ("up", 1.0, [1.0])),
        *((THREE, [[1.0, 1.0]], {"start": q}, "start") for q in ("positive", [0.0, np.inf, 0.0])),
        (THREE, [[1.0, 1.0]], {"posture": [0.0, 0.0]}, "posture"),
    ],
)
def test_a_wrong_path_or_option_is_refused_by_name(arm, points, options, name):
    assert names_of(lambda: track(arm, points, **options)) == [name]


class TestStart:
    def test_angles_to_begin_close_to_say_which_turn(self, unit, inside):
        plain = track(unit, inside, start="positive").q
        turns = np.array([4.0 * np.pi, -2.0 * np.pi])
        assert track(unit, inside, start=plain[0] + turns).q == approx(plain + turns)

    def test_starts_broadcast_against_a_batch_of_several_axes(self, unit, inside):
        starts = np.array([[0.0, 1.0], [0.0, -1.0], [2.0 * np.pi, 1.0]])
        tracked = track(unit, np.broadcast_to(inside, (2, 3, 21, 2)), start=starts)
        for place in range(3):
            assert tracked.q[1, place] == approx(track(unit, inside, start=starts[place]).q)

    def test_without_a_start_an_allowed_branch_is_taken(self, inside):
        arm = rods(1.0, 1.0, joints=[Joint(), Joint(-np.pi, 0.0)])
        tracked = track(arm, inside)
        assert (tracked.branch == -1).all()
        assert tracked.ok.all()


class TestReach:
    def test_clamping_gives_the_nearest_posture_and_still_reports(self, unit):
        points = line([1.0, 1.0], [3.0, 4.0])
        plain, clamped = track(unit, points), track(unit, points, clamp=True)
        assert (clamped.flags == plain.flags).all()
        assert (clamped.ok == plain.ok).all()
        assert not np.isnan(clamped.q).any()
        radius = np.hypot(*points.T)
        nearest = points * np.minimum(1.0, 2.0 / radius)[:, None]
        assert tip(unit, clamped.q)[:, :2] == approx(nearest)
        assert clamped.residual == approx(clamped.shortfall)
        assert clamped.q[plain.ok] == approx(plain.q[plain.ok])

    def test_the_branch_and_the_turn_survive_a_gap(self, unit):
        angle = np.linspace(0.0, 4.0 * np.pi, 201)
        radius = np.where((angle > 5.0) & (angle < 7.0), 2.5, 1.2)
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        tracked = track(unit, points, start="negative")
        seen = ~np.isnan(tracked.q[:, 0])
        assert (seen == (radius < 2.0)).all()
        assert (tracked.branch[seen] == -1).all()
        assert tracked.q[-1, 0] - tracked.q[0, 0] == approx(4.0 * np.pi)

    @pytest.mark.parametrize("oriented", [False, True])
    def test_redundant_arms_out_of_reach_and_back(self, oriented):
        arm = rods(0.5, 0.5, 0.5, 0.5)
        x = np.concatenate([np.linspace(1.0, 2.5, 16), np.linspace(2.5, 1.0, 16)[1:]])
        columns = [x, 0.3 + 0.0 * x] + [0.0 * x] * oriented
        tracked = track(arm, np.stack(columns, axis=-1), start=[0.3, 0.3, -0.3, 0.2])
        expected = np.hypot(x - 0.5 * oriented, 0.3) - (1.5 if oriented else 2.0)
        assert tracked.shortfall == approx(np.maximum(expected, 0.0))
        assert (tracked.ok == (expected <= 0.0)).all()
        assert np.isnan(tracked.q[~tracked.ok]).all()
        assert tracked.residual[tracked.ok].max() < 1e-8


class TestOtherReasons:
    def test_a_singular_sample_is_told_but_not_failed(self, unit):
        tracked = track(unit, line([1.0, 0.0], [2.0, 0.0], 11))
        (singular,) = reported(tracked, TrackFlag.SINGULAR)
        assert (singular.first, singular.last) == (10, 10)
        assert tracked.ok.all()
        assert np.isinf(singular.worst)

    def test_a_base_below_the_floor_is_no_fault_of_the_path(self, unit):
        tracked = track(unit, [[0.2, 1.2]], start="negative", floor=0.5)
        assert joints(unit, tracked.q)[0, 1:, 1].min() > 0.5
        assert tracked.ok.all()

    def test_redundant_arms_stop_at_their_limits_and_say_so(self):
        arm = rods(0.5, 0.5, 0.5, joints=[Joint(-0.5, 0.5)] * 3)
        tracked = track(arm, line([1.4, 0.1], [0.0, 1.0], 5))
        assert (tracked.excess == 0.0).all()
        blocked = tracked.has(TrackFlag.JOINT_LIMIT)
        assert blocked.any()
        assert not blocked[0]
        assert (tracked.residual[~blocked] < 1e-8).all()
        assert (tracked.residual[blocked] > 1e-8).all()
        assert not tracked.ok[blocked].any()
        assert "joint limit keeps the joints from following" in repr(tracked)


class TestPosture:
    def test_what_the_tip_leaves_free_goes_to_the_wanted_posture(self):
        arm = rods(0.5, 0.5, 0.5, 0.5)
        points = line([1.4, 0.2], [0.8, 0.6])
        start, wanted = [0.3, 0.3, -0.3, 0.2], np.array([0.9, -0.6, -0.6, -0.6])
        free = track(arm, points, start=start)
        drawn = track(arm, points, start=start, posture=wanted)
        assert free.ok.all()
        assert drawn.ok.all()
        away = np.linalg.norm([free.q[-1] - wanted, drawn.q[-1] - wanted], axis=-1)
        assert away[1] < 0.5 * away[0]


class TestRedundantArms:
    def test_a_straight_arm_bends_again(self):
        # Drawn in along its own line, a straight arm has no first-order way to go.
        arm = rods(0.5, 0.5, 0.5)
        tracked = track(arm, line([1.5, 0.0], [0.8, 0.0], 15), start=[0.0, 0.0, 0.0])
        assert tracked.ok.all()
        assert tracked.residual.max() < 1e-8

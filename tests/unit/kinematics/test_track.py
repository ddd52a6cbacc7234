"""Following a path: shapes, starts, and the reasons that are given where it fails."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna import Arm, Joint
from ulna.kinematics import Interval, TrackFlag, inverse, joints, tip, track

approx = partial(pytest.approx, rel=1e-12, abs=1e-12)
FIELDS = {
    "points": (2,),
    "q": (2,),
    "flags": (),
    "branch": (),
    "shortfall": (),
    "residual": (),
    "excess": (),
    "condition": (),
    "depth": (),
    "ok": (),
}


def rods(*lengths, **options):
    return Arm.rods(lengths, [1.0] * len(lengths), **options)


def line(start, end, count=21):
    return np.linspace(start, end, count)


def reported(tracked, flag):
    return [interval for interval in tracked.intervals if interval.flag == flag]


@pytest.fixture
def inside():
    return line([1.5, 0.0], [0.5, 0.5])


class TestShapes:
    @pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3)])
    def test_leading_axes_are_a_batch_of_paths(self, unit, inside, batch):
        tracked = track(unit, np.broadcast_to(inside, (*batch, 21, 2)))
        for name, rest in FIELDS.items():
            assert getattr(tracked, name).shape == (*batch, 21, *rest)
        assert tracked.has(TrackFlag.SINGULAR).shape == (*batch, 21)

    def test_arms_and_paths_broadcast(self, unit, inside):
        arms = [unit, rods(0.9, 0.8)]
        paths = np.stack([inside, inside[::-1], inside + 0.1])[:, None]
        together = track(ulna.stack(arms), paths)
        assert together.q.shape == (3, 2, 21, 2)
        assert (together.q[2, 1] == track(arms[1], paths[2, 0]).q).all()

    def test_one_point_is_a_path(self, unit):
        tracked = track(unit, [[1.0, 1.0]])
        assert tracked.q.shape == (1, 2)
        assert tip(unit, tracked.q)[0, :2] == approx([1.0, 1.0])

    def test_what_is_tracked_is_kept_apart_from_what_was_given(self, unit, inside):
        tracked = track(unit, inside)
        kept = inside[0].tolist()
        inside[:] = 0.0
        assert tracked.points[0].tolist() == kept


THREE = rods(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("arm", "points", "options", "name"),
    [
        *((rods(1.0, 1.0), points, {}, "points") for points in ([1.0, 1.0], np.empty((0, 2)))),
        *((rods(1.0, 1.0), points, {}, "points") for points in (1.0, [[1.0]], np.zeros((5, 4)))),
        (rods(1.0, 1.0), [[1.0, 1.0], [1.0, np.nan]], {}, "points"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"floor": np.nan}, "floor"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"start": "up"}, "start"),
        (THREE, [[1.0, 1.0]], {"start": "positive"}, "start"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"start": [1.0]}, "start"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"start": 1.0}, "start"),
        (rods(1.0, 1.0), [[1.0, 1.0]], {"start": [np.nan, 0.0]}, "start"),
        (THREE, [[1.0, 1.0]], {"start": [0.0, np.inf, 0.0]}, "start"),
        (THREE, [[1.0, 1.0]], {"posture": [0.0, 0.0]}, "posture"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(arm, points, options, name):
    assert names_of(lambda: track(arm, points, **options)) == [name]


class TestStart:
    @pytest.mark.parametrize(("start", "sign"), [("positive", 1), ("negative", -1)])
    def test_a_branch_by_name(self, unit, inside, start, sign):
        tracked = track(unit, inside, start=start)
        assert (tracked.branch == sign).all()
        assert (np.sign(np.sin(tracked.q[:, 1])) == sign).all()
        assert tracked.ok.all()

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_angles_to_begin_close_to(self, unit, inside, sign):
        near = [0.0, sign * 1.2]
        tracked = track(unit, inside, start=near)
        assert (tracked.branch == sign).all()
        assert np.abs(tracked.q[0] - near).max() < 0.8

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

    def test_three_links_with_orientation_have_branches_too(self, inside):
        arm = rods(1.0, 1.0, 0.3)
        points = np.concatenate([inside, np.full((21, 1), 0.4)], axis=-1)
        for start, sign in (("positive", 1), ("negative", -1)):
            tracked = track(arm, points, start=start)
            assert (tracked.branch == sign).all()
            assert tip(arm, tracked.q) == approx(points)

    def test_at_the_centre_the_free_base_angle_is_the_one_begun_with(self, unit):
        tracked = track(unit, np.zeros((3, 2)), start=[0.5, 3.0])
        assert tracked.q == approx(np.tile([0.5, np.pi], (3, 1)))


def test_a_path_of_a_batch_is_as_it_is_alone(unit, inside):
    paths = np.stack([inside, inside[::-1]])
    together = track(unit, paths, start="positive")
    for place, path in enumerate(paths):
        one, alone = together.path(place), track(unit, path, start="positive")
        assert one.q == approx(alone.q)
        assert repr(one) == repr(alone)


class TestReach:
    def test_a_path_that_leaves_the_reach_is_reported_by_intervals(self, unit):
        x = np.concatenate([np.linspace(1.0, 3.0, 21), np.linspace(3.0, 1.0, 21)[1:]])
        tracked = track(unit, np.stack([x, 0.0 * x], axis=-1))
        (gone,) = reported(tracked, TrackFlag.OUT_OF_REACH)
        assert (gone.path, gone.first, gone.last, gone.worst_at) == ((), 11, 29, 20)
        assert gone.worst == approx(1.0)
        assert tracked.shortfall == approx(np.maximum(x - 2.0, 0.0))
        assert np.isnan(tracked.q[11:30]).all()
        assert not np.isnan(tracked.q[:11]).any()
        assert not np.isnan(tracked.q[30:]).any()
        assert (tracked.ok == (x <= 2.0)).all()
        assert (tracked.branch[11:30] == 0).all()

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

    def test_the_condition_number_is_that_of_the_posture(self, unit, inside):
        tracked = track(unit, inside)
        # σ1 σ2 = |sin q2| and σ1² + σ2² = ‖J‖² fix the ratio of unit links.
        product = np.abs(np.sin(tracked.q[:, 1]))
        total = 2.0 + 2.0 * np.cos(tracked.q[:, 1]) + 1.0
        half = total / (2.0 * product)
        assert tracked.condition == approx(half + np.sqrt(half**2 - 1.0))

    def test_a_base_below_the_floor_is_no_fault_of_the_path(self, unit):
        tracked = track(unit, [[0.2, 1.2]], start="negative", floor=0.5)
        assert joints(unit, tracked.q)[0, 1:, 1].min() > 0.5
        assert tracked.ok.all()

    @pytest.mark.parametrize(("count", "place"), [(40, 20), (41, 21)])
    def test_a_switch_of_branch_is_told_but_not_failed(self, unit, count, place):
        # An odd count has a sample at the very centre, where the sign is 0; the next one differs.
        tracked = track(unit, line([1.0, 0.0], [-1.0, 0.0], count))
        (switch,) = reported(tracked, TrackFlag.BRANCH_SWITCH)
        assert (switch.first, switch.last) == (place, place)
        assert not np.isnan(tracked.q).any()
        assert tracked.ok.all()

    @pytest.mark.parametrize("lengths", [(0.1, 0.6), (0.6, 0.1), (0.5, 0.5)])
    def test_no_branch_is_switched_at_the_straight_arm(self, lengths):
        # Either branch is continuous there, so there is no reason to leave the one begun on.
        arm = rods(*lengths)
        q = np.stack([np.linspace(0.3, 0.31, 5), np.linspace(-0.04, 0.04, 5)], axis=-1)
        tracked = track(arm, tip(arm, q)[:, :2], start=q[0])
        assert not reported(tracked, TrackFlag.BRANCH_SWITCH)
        assert tracked.q[:, 1] == pytest.approx(-np.abs(q[:, 1]), abs=1e-7)

    def test_the_only_posture_of_an_orientation_switches_as_it_must(self, unit):
        q = np.stack([np.full(20, 0.3), np.linspace(-1.0, 1.0, 20)], axis=-1)
        tracked = track(unit, tip(unit, q), start=q[0])
        assert tracked.q == approx(q)
        (switch,) = reported(tracked, TrackFlag.BRANCH_SWITCH)
        assert (switch.first, switch.last) == (10, 10)

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

    def test_a_batch_of_paths_may_have_a_posture(self):
        arm, wanted = rods(0.5, 0.5, 0.5, 0.5), [0.9, -0.6, -0.6, -0.6]
        points = line([1.4, 0.2], [0.8, 0.6])
        together = track(arm, np.stack([points, points[::-1], points]), posture=wanted)
        assert together.ok.all()
        assert together.q[1] == pytest.approx(track(arm, points[::-1], posture=wanted).q, abs=1e-8)


class TestRedundantArms:
    def test_a_straight_arm_bends_again(self):
        # Drawn in along its own line, a straight arm has no first-order way to go.
        arm = rods(0.5, 0.5, 0.5)
        tracked = track(arm, line([1.5, 0.0], [0.8, 0.0], 15), start=[0.0, 0.0, 0.0])
        assert tracked.ok.all()
        assert tracked.residual.max() < 1e-8

    def test_a_start_that_cannot_be_moved_to_the_path_still_picks_the_turn(self):
        arm = rods(0.5, 0.5, 0.5)
        turned = [2.0 * np.pi, 0.0, 0.0]
        tracked = track(arm, line([0.8, 0.0], [0.8, 0.3], 5), start=turned)
        assert tracked.ok.all()
        assert np.abs(tracked.q[0] - turned).max() <= np.pi

    def test_a_path_is_followed_in_a_batch_as_it_is_alone(self):
        # The second start lies straight along its path and cannot be moved there by small steps.
        arm, starts = rods(0.5, 0.5, 0.5), np.array([[0.4, 0.5, -0.9], [0.0, 0.0, 0.0]])
        paths = np.stack([line([0.9, 0.3], [0.7, 0.5], 6), line([0.8, 0.0], [0.8, 0.3], 6)])
        together = track(arm, paths, start=starts)
        for place in range(2):
            alone = track(arm, paths[place], start=starts[place])
            assert together.q[place] == pytest.approx(alone.q, abs=1e-8)

    def test_a_start_on_the_path_is_kept(self):
        arm, start = rods(0.5, 0.4, 0.3), np.array([0.4, 0.5, -0.2])
        here = tip(arm, start)[:2]
        tracked = track(arm, line(here, here + np.array([0.0, 0.1])), start=start)
        assert tracked.q[0] == approx(start)

    def test_there_is_no_start_to_give(self):
        tracked = track(rods(0.5, 0.4, 0.3), line([0.9, 0.0], [0.5, 0.4]))
        assert tracked.ok.all()
        first = inverse(rods(0.5, 0.4, 0.3), [0.9, 0.0]).q
        assert np.abs(first - tracked.q[0]).max(axis=-1).min() < 1e-8


class TestWords:
    def test_intervals_tell_path_samples_and_what_is_wrong(self, unit):
        arm = unit.replace(joints=[Joint(-0.5, 0.5), Joint()])
        points = np.stack([line([1.0, 0.5], [3.0, 0.5], 9), line([1.0, -0.2], [1.0, -0.4], 9)])
        tracked = track(arm, points, start="positive", floor=-0.5)
        text = [str(interval) for interval in tracked.intervals]
        assert any(
            t.startswith("path (0,), samples ") and "out of reach by up to 1.041 m at sample 8" in t
            for t in text
        )
        assert any(
            t.startswith("path (1,), samples 0 to 8: joint limit exceeded by up to ") for t in text
        )
        assert any("path (1,), samples 0 to 8: below floor by up to " in t for t in text)

    def test_a_single_sample_is_said_once(self, unit):
        tracked = track(unit, [[1.0, 0.0], [2.5, 0.0], [1.0, 0.0]])
        (gone,) = reported(tracked, TrackFlag.OUT_OF_REACH)
        assert str(gone).startswith("sample 1: ")
        assert str(gone).count("sample") == 1
        assert "0.5 m" in str(gone)

    @pytest.mark.parametrize(
        ("flag", "worst", "words", "measure"),
        [
            (TrackFlag.SINGULAR, 1234.0, "singular", "1234"),
            (TrackFlag.BRANCH_SWITCH, 0.0, "branch switch", ""),
            (TrackFlag.NOT_CONVERGED, 0.25, "not converged", "0.25 m"),
            (TrackFlag.JOINT_LIMIT, 0.0, "joint limit keeps", ""),
            (TrackFlag.JOINT_LIMIT, np.pi, "joint limit exceeded", "180 deg"),
        ],
    )
    def test_each_reason_has_its_measure(self, flag, worst, words, measure):
        text = str(Interval(flag, (), 3, 5, worst, 4))
        assert text.startswith(f"samples 3 to 5: {words}")
        assert measure in text

    def test_a_long_list_is_cut(self, unit):
        x = np.where(np.arange(60) % 2, 3.0, 1.0)
        text = repr(track(unit, np.stack([x, 0.0 * x], axis=-1))).splitlines()
        assert len(text) == 14
        assert text[-1].startswith("  and ")
        assert text[-1].endswith(" more intervals")


@pytest.mark.parametrize("oriented", [False, True])
def test_one_link_follows_its_circle_for_several_turns(oriented):
    arm = rods(0.5, base=(1.0, -1.0))
    q = np.linspace(0.0, 5.0 * np.pi, 200)[:, None]
    points = tip(arm, q)
    points[:, 2] = np.angle(np.exp(1j * points[:, 2]))
    tracked = track(arm, points if oriented else points[:, :2], start=[0.0])
    assert tracked.ok.all()
    assert tracked.q == approx(q)
    assert (tracked.branch == 0).all()

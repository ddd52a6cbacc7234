"""Several plans at once: each as it is alone, stacked, and bad members told by their place."""

import numpy as np
import pytest

import ulna
from ulna import InputError, Plan, Plans, paths
from ulna.motion.planning import plans as planned_together
from ulna.motion.planning import postures

CIRCLE = paths.circle((0.5, 0.1), 0.1)
LINE = paths.line((0.5, 0.1), (0.6, 0.2))
FAR = paths.circle((0.8, 0.1), 0.4)
ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0])
HEAVY = ulna.Arm.rods([0.5, 0.4], [2.0, 2.0])
JOINTS = paths.joints([[0.1, 0.2], [0.5, 0.6], [0.9, 0.1]])
LIMITED = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], joints=[ulna.Joint(-1.0, 2.0), ulna.Joint(-2.5, 0)])
CHAIN = ulna.Arm.rods([0.4, 0.4, 0.3], [1.0, 1.0, 1.0])
OTHER_CHAIN = ulna.Arm.rods([0.4, 0.3, 0.4], [1.0, 2.0, 1.0])
LIMITED_CHAIN = ulna.Arm.rods([0.4, 0.4, 0.4], [1.0] * 3, joints=[ulna.Joint(-2.0, 2.0)] * 3)


def plan(arms, these, **options):
    return ulna.plan(arms, these, **{"duration": 2.0, "rate": 50.0} | options)


def assert_alike(member, alone):
    assert member.arm is alone.arm
    assert member.duration == alone.duration
    assert np.array_equal(member.t, alone.t)
    for name in ("q", "qd", "qdd", "tau"):
        mine, its = getattr(member, name), getattr(alone, name)
        scale = max(1.0, np.nanmax(np.abs(its), initial=0.0))
        assert mine == pytest.approx(its, abs=1e-9 * scale, nan_ok=True)
    assert [one.kind for one in member.problems] == [one.kind for one in alone.problems]
    assert (member.ok, member.feasible, member.duration_reason) == (
        alone.ok,
        alone.feasible,
        alone.duration_reason,
    )
    assert sum(member.terms) == pytest.approx(alone.tau, abs=1e-9, nan_ok=True)


class TestAlike:
    @pytest.mark.parametrize(
        ("arms", "these"),
        [
            ([ARM, HEAVY, LIMITED], CIRCLE),
            ((ARM, ARM), (CIRCLE, LINE)),
            (ARM, [CIRCLE, LINE, FAR, JOINTS]),
            ([CHAIN, OTHER_CHAIN, LIMITED_CHAIN, CHAIN], CIRCLE),
        ],
    )
    def test_a_member_is_the_plan_that_it_is_alone(self, arms, these):
        made = plan(arms, these)
        count = len(arms) if isinstance(arms, list | tuple) else len(these)
        each_arm = arms if isinstance(arms, list | tuple) else [arms] * count
        each_path = these if isinstance(these, list | tuple) else [these] * count
        assert len(made) == count
        for member, arm, path in zip(made, each_arm, each_path, strict=True):
            assert_alike(member, plan(arm, path))

    @pytest.mark.parametrize(
        "options",
        [
            {"derivatives": "finite"},
            {"tip_force": lambda t: (t, 1.0)},
            {"elbow": "up"},
            {"start": [0.5, -1.0]},
            {"floor": 0.05},
            {"timing": "s-curve", "max_speed": 0.3, "max_acceleration": 1.0, "duration": None},
        ],
        ids=lambda options: ", ".join(options),
    )
    def test_options_are_those_of_one_plan(self, options):
        # The second starts on the other side of its base, where "up" is the other sign.
        moved = ARM.replace(base=(1.2, 0.0))
        arms = [ARM, moved, HEAVY]
        for member, arm in zip(plan(arms, CIRCLE, **options), arms, strict=True):
            assert_alike(member, plan(arm, CIRCLE, **options))

    def test_many_are_taken_a_part_at_a_time(self, monkeypatch):
        arms = [ARM, HEAVY, ARM, HEAVY, ARM]
        whole = plan(arms, CIRCLE)
        monkeypatch.setattr(postures, "MOST_AT_ONCE", 4000)
        monkeypatch.setattr(planned_together, "MOST_AT_ONCE", 250)
        parts = plan(arms, CIRCLE)
        assert whole.tau.tobytes() == parts.tau.tobytes()


class TestStacked:
    def test_arrays_are_those_of_the_members(self):
        made = plan([ARM, HEAVY], CIRCLE)
        assert made.t.shape == (101,)
        for name in ("q", "qd", "qdd", "tau"):
            values = getattr(made, name)
            assert values.shape == (2, 101, 2)
            assert not values.flags.writeable
            for place, member in enumerate(made):
                assert np.array_equal(getattr(member, name), values[place])
                assert not getattr(member, name).flags.writeable

    def test_times_that_differ_are_given_for_each(self):
        made = plan(ARM, [CIRCLE, LINE], duration=None, rate=None)
        assert made.t.shape == (2, 2000)
        assert made.t[:, -1] == pytest.approx(made.duration)
        # What ends early is filled up.
        made = plan(ARM, [CIRCLE, LINE], duration=None)
        long, short = (len(member.t) for member in made)
        assert made.tau.shape == (2, long, 2)
        assert np.isnan(made.tau[1, short:]).all()
        assert np.isfinite(made.tau[1, :short]).all()

    def test_it_is_a_sequence(self):
        made = plan(ARM, [CIRCLE, LINE, CIRCLE])
        assert isinstance(made, Plans)
        assert isinstance(made[-1], Plan)
        assert made[1] in made
        part = made[1:]
        assert isinstance(part, Plans)
        assert [one.path for one in part] == [LINE, CIRCLE]
        assert np.array_equal(part.tau, made.tau[1:])
        with pytest.raises(IndexError):
            made[3]


class TestBadMembers:
    def test_one_out_of_reach_is_told_and_no_other(self):
        made = plan(ARM, [CIRCLE, FAR, LINE])
        assert made.ok.tolist() == made.feasible.tolist() == [True, False, True]
        assert made[1].problems[0].kind == "out of reach"
        assert np.isnan(made.tau[1]).any()
        assert np.isfinite(made.tau[[0, 2]]).all()
        text = repr(made)
        assert text.startswith("Plans: 2 of 3 can be done, 101 samples each\n  [1] circle")
        assert "out of reach" in text
        assert repr(plan(ARM, [FAR] * 10)).splitlines()[9:] == ["  and 2 more that cannot"]

    @pytest.mark.parametrize(
        ("arms", "these", "text"),
        [
            ([ARM, "kehl"], CIRCLE, r"^arms\[1\]: arm: got 'kehl'"),
            (ARM, [CIRCLE, 3], r"^paths\[1\]: path: got 3"),
            ([ARM, CHAIN], CIRCLE, r"^arms\[1\]: arm: got 3 links, need 2"),
            ([ARM, ARM], [CIRCLE], r"^paths: got 1 paths for 2 arms"),
            ([], CIRCLE, r"^arms: got none"),
            (ARM, (), r"^paths: got none"),
        ],
    )
    def test_bad_input_is_told_with_its_place(self, arms, these, text):
        with pytest.raises(InputError, match=text):
            plan(arms, these)

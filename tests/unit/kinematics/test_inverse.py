"""Inverse kinematics of a point: every posture, and honest words where there is none."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from tabular import tabular
from ulna import Arm, Joint
from ulna.angles import difference
from ulna.kinematics import Solutions, inverse, tip

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
DEGREES = np.radians
FIELDS = {
    "q": (4, 2, 2, 2),
    "valid": (4, 2, 2),
    "within_limits": (4, 2, 2),
    "residual": (4, 2, 2),
    "reachable": (4, 2),
    "shortfall": (4, 2),
    "nearest": (4, 2, 2),
    "nearest_q": (4, 2, 2),
    "continuum": (4, 2),
}


def limited(lengths, *limits_deg, **options):
    joints = [Joint(*DEGREES(pair)) if pair else Joint() for pair in limits_deg]
    return Arm.rods(lengths, [1.0] * len(lengths), joints=joints, **options)


def rods(*lengths, **options):
    return Arm.rods(lengths, [1.0] * len(lengths), **options)


class TestShapes:
    def test_fields_have_the_shapes_of_the_contract(self, unit):
        arms = ulna.stack([unit, rods(0.5, 0.7)])
        found = inverse(arms, np.full((4, 1, 2), 0.3))
        assert {name: getattr(found, name).shape for name in FIELDS} == FIELDS
        assert found.branch == ("positive", "negative")
        assert found.reason.shape == (4, 2, 2)
        assert found.best().shape == (4, 2, 2)

    @tabular(
        ("n", "size", "branch"),
        [
            (1, 2, ("only",)),
            (1, 3, ("only",)),
            (2, 2, ("positive", "negative")),
            (2, 3, ("positive", "negative")),
            (3, 3, ("positive", "negative")),
            (3, 2, ("++", "+-", "-+", "--")),
            (4, 3, ("++", "+-", "-+", "--")),
            (6, 2, ("++", "+-", "-+", "--")),
        ],
    )
    @tabular("batch", [(), (5,), (2, 3), (0,)])
    def test_the_number_of_postures_is_fixed_by_the_question(self, n, size, branch, batch):
        found = inverse(rods(*[0.5] * n), np.full((*batch, size), 0.2))
        assert found.branch == branch
        assert found.q.shape == (*batch, len(branch), n)
        assert found.valid.shape == (*batch, len(branch))
        assert found.reachable.shape == found.continuum.shape == batch

    @pytest.mark.parametrize("n", [1, 2, 3, 5])
    @pytest.mark.parametrize("size", [2, 3])
    def test_a_batch_answers_as_its_members_do(self, n, size, random_arm):
        random = np.random.default_rng(5)
        arms = random_arm(random, n, (6,))
        targets = random.uniform(-1.0, 1.0, (6, size))
        together = inverse(arms, targets)
        for place in range(6):
            member = ulna.Parameters(*(value[place] for value in arms))
            alone = inverse(member, targets[place])
            for name in FIELDS:
                field = getattr(together, name)[place]
                assert np.array_equal(field, getattr(alone, name), equal_nan=field.dtype == float)

    def test_one_target_for_a_batch_of_arms(self, unit):
        found = inverse(ulna.stack([unit, rods(0.2, 0.2), rods(2.0, 0.5)]), [0.3, 0.4])
        assert found.reachable.tolist() == [True, False, False]
        assert found.shortfall == approx([0.0, 0.1, 1.0])


class TestRefusals:
    @pytest.mark.parametrize(
        ("target", "options", "names"),
        [
            (1.0, {}, ["target"]),
            ([1.0, 2.0, 3.0, 4.0], {}, ["target"]),
            ("ab", {}, ["array"]),
            ([[0.0, 0.0], [0.0, np.nan]], {}, ["target"]),
            ([np.inf, 0.0], {}, ["target"]),
            ([1.0, 1.0], {"tolerance": -1.0}, ["tolerance"]),
            ([1.0, 1.0], {"tolerance": np.nan}, ["tolerance"]),
            ([1.0, 1.0], {"tolerance": [1, 2]}, ["tolerance"]),
            ([1.0, 1.0], {"restarts": -1}, ["restarts"]),
            ([1.0, 1.0], {"restarts": 2.5}, ["restarts"]),
            ([1.0, 1.0], {"posture": [0.0, 0.0]}, ["posture"]),
            ([1.0, 1.0], {"posture": [np.nan, 0.0, 0.0]}, ["posture"]),
        ],
    )
    def test_what_is_no_target_and_no_option_is_refused_by_name(self, target, options, names):
        arm = rods(1.0, 1.0, 1.0)
        assert names_of(lambda: inverse(arm, target, **options)) == names

    def test_a_value_that_is_no_number_is_told_with_its_place(self, unit):
        [problem] = problems_of(lambda: inverse(unit, [[0.0, 0.0], [0.0, np.nan]]))
        assert problem.got == "nan at index (1, 1)"
        assert names_of(lambda: inverse("kehl", [1.0, 1.0])) == ["arm"]


class TestTwoLinks:
    def test_both_postures_mirror_each_other_in_the_line_to_the_target(self):
        arm, target = rods(0.7, 0.4, base=(1.0, -2.0)), np.array([1.6, -1.5])
        found = inverse(arm, target)
        assert tip(arm, found.q)[:, :2] == approx(np.tile(target, (2, 1)))
        positive, negative = found.q
        assert positive[1] == approx(-negative[1])
        assert 0.0 < positive[1] < np.pi
        assert positive[0] + negative[0] == approx(2.0 * np.arctan2(0.5, 0.6))
        assert found.valid.all()
        assert found.within_limits.all()
        assert found.reachable
        assert found.shortfall == 0.0
        assert found.nearest == approx(target)
        assert not found.continuum
        assert (found.residual < 1e-15).all()
        assert (found.reason == "ok").all()

    @tabular(
        ("edge", "lengths"),
        [("straight", (1.0, 1.0))]  # equal links fold onto the base, which has a test of its own
        + [
            (edge, lengths)
            for edge in ("straight", "folded")
            for lengths in ((0.7, 0.3), (0.3, 0.7), (1.0, 0.1), (0.1, 0.3))
        ],
    )
    @tabular("bearing_deg", [0.0, 37.0, 90.0, 123.4, 180.0, -90.0, -170.0])
    def test_the_edge_of_the_reach_is_exact(self, lengths, edge, bearing_deg):
        arm = rods(*lengths, base=(0.3, -0.2))
        radius = sum(lengths) if edge == "straight" else abs(lengths[0] - lengths[1])
        angle = DEGREES(bearing_deg)
        target = np.array([0.3, -0.2]) + radius * np.array([np.cos(angle), np.sin(angle)])
        found = inverse(arm, target)
        assert found.valid.all()
        assert found.within_limits.all()
        assert (found.residual < 1e-15).all()
        # The target itself is rounded; √(2·ε) is the bend that a distance ε from the edge takes.
        bend = 0.0 if edge == "straight" else np.pi
        assert np.abs(difference(found.q[:, 1], bend)).max() < 3e-7
        assert not found.continuum

    @pytest.mark.parametrize("lengths", [(1.0, 1.0), (0.75, 0.25), (0.25, 0.75), (1.0, 0.125)])
    def test_on_the_x_axis_the_straight_and_the_folded_arm_come_out_to_the_last_bit(self, lengths):
        arm = rods(*lengths)
        straight = inverse(arm, [sum(lengths), 0.0])
        assert (straight.q == 0.0).all()
        if lengths[0] != lengths[1]:
            folded = inverse(arm, [lengths[0] - lengths[1], 0.0])
            assert (np.abs(folded.q[:, 1]) == np.pi).all()
            assert tip(arm, folded.q)[:, :2] == approx(
                np.tile([lengths[0] - lengths[1], 0.0], (2, 1))
            )

    def test_the_centre_of_equal_links_leaves_the_base_free(self):
        arm = rods(0.5, 0.5, base=(0.2, 0.4))
        found = inverse(arm, [0.2, 0.4])
        assert found.continuum
        assert found.reachable
        assert found.valid.all()
        assert np.abs(found.q[:, 1]) == approx([np.pi, np.pi])
        assert not np.isnan(found.q).any()
        for turn in np.linspace(-3.0, 3.0, 7):
            # What the flag says: any base angle will do.
            assert tip(arm, found.q + np.array([turn, 0.0]))[:, :2] == approx(
                np.full((2, 2), [0.2, 0.4])
            )

    @pytest.mark.parametrize("distance", [1e9, 1e17, 1e300])
    def test_the_nearest_point_of_a_far_target_is_on_the_ring(self, unit, distance):
        found = inverse(unit, [distance, 0.0])
        assert found.nearest.tolist() == [2.0, 0.0]
        assert tip(unit, found.nearest_q)[:2].tolist() == [2.0, 0.0]

    def test_beside_the_centre_nothing_is_free(self, unit):
        assert not inverse(unit, [1e-6, 0.0]).continuum
        assert not inverse(rods(0.5, 0.5 + 1e-6), [1e-6, 0.0]).continuum

    def test_a_target_too_far_away(self):
        arm = rods(0.5, 0.3, base=(1.0, 1.0))
        found = inverse(arm, [1.0 + 3.0, 1.0 + 4.0])
        assert not found.reachable
        assert np.isnan(found.q).all()
        assert not found.valid.any()
        assert not found.within_limits.any()
        assert found.shortfall == approx(4.2)
        assert found.residual == approx([4.2, 4.2])
        assert found.nearest == approx([1.48, 1.64])
        assert tip(arm, found.nearest_q)[:2] == approx(found.nearest)
        assert (found.reason == "out of reach").all()
        assert np.isnan(found.best()).all()
        assert not found.continuum

    def test_the_base_itself_in_the_hole(self):
        arm = rods(1.0, 0.4, base=(0.5, 0.5))
        found = inverse(arm, [0.5, 0.5])
        assert not found.reachable
        assert found.shortfall == approx(0.6)
        assert np.hypot(*(found.nearest - 0.5)) == approx(0.6)
        assert tip(arm, found.nearest_q)[:2] == approx(found.nearest)
        assert not found.continuum

    def test_tolerance_says_what_counts_as_on_the_edge(self, unit):
        target = [2.0005, 0.0]
        assert not inverse(unit, target).reachable
        assert not inverse(unit, target, tolerance=4e-4).reachable
        found = inverse(unit, target, tolerance=6e-4)
        assert found.reachable
        assert found.valid.all()
        assert found.shortfall == 0.0
        assert found.residual == approx([5e-4, 5e-4])
        assert (found.q == 0.0).all()

    def test_rounding_does_not_throw_a_target_out_of_reach(self, unit):
        beyond = 2.0 * (1.0 + 5e-13)
        assert inverse(unit, [beyond, 0.0]).valid.all()
        assert not inverse(unit, [2.0 + 1e-11, 0.0]).reachable


class TestLimits:
    def test_limits_mark_postures_and_drop_none(self):
        arm = limited([1.0, 1.0], None, (-30.0, 150.0))
        found = inverse(arm, [1.0, 1.0])
        assert found.valid.tolist() == [True, True]
        assert found.within_limits.tolist() == [True, False]
        assert found.reason.tolist() == ["ok", "outside joint limits"]
        assert np.degrees(found.q) == approx(np.array([[0.0, 90.0], [90.0, -90.0]]), abs=1e-12)

    def test_an_angle_at_its_limit_is_allowed(self):
        arm = limited([1.0, 1.0], None, (90.0, 120.0))
        assert inverse(arm, [1.0, 1.0]).within_limits.tolist() == [True, False]
        assert inverse(arm, [1.0, 1.0 + 1e-9]).within_limits.tolist() == [False, False]

    @pytest.mark.parametrize(
        ("limits_deg", "written_deg"),
        [
            (None, -170.0),
            ((-180.0, 180.0), -170.0),
            ((170.0, 300.0), 190.0),
            ((0.0, np.inf), 190.0),
            ((-np.inf, -200.0), -530.0),
            ((700.0, 1000.0), 910.0),
            ((-np.inf, np.inf), -170.0),
        ],
    )
    def test_angles_are_written_in_the_turn_of_their_joint(self, limits_deg, written_deg):
        arm = limited([0.5, 0.5], limits_deg, None)
        angle = DEGREES(-170.0)
        found = inverse(arm, [np.cos(angle), np.sin(angle)])
        # The straight arm is √ε sensitive in its bend, and so is its first angle.
        assert np.degrees(found.q[:, 0]) == pytest.approx([written_deg] * 2, abs=2e-6)
        assert found.within_limits.all()

    def test_the_nearest_posture_keeps_to_the_limits_where_one_does(self):
        arm = limited([1.0, 0.5], None, (-190.0, -10.0))
        found = inverse(arm, [0.25, 0.0])
        assert np.degrees(found.nearest_q[1]) == approx(-180.0)
        assert tip(arm, found.nearest_q)[:2] == approx([0.5, 0.0])


class TestBest:
    def test_the_first_allowed_posture_unless_there_is_a_wish(self, unit):
        found = inverse(unit, [1.0, 1.0])
        assert np.degrees(found.best()) == approx([0.0, 90.0], abs=1e-12)
        assert np.degrees(found.best(near=DEGREES([80.0, -80.0]))) == approx([90.0, -90.0])

    def test_nearness_is_measured_the_short_way_round(self, unit):
        found = inverse(unit, [1.0, 1.0])
        near = DEGREES([90.0 - 360.0, -90.0 + 720.0])
        assert np.degrees(found.best(near=near)) == approx([90.0, -90.0])

    def test_an_allowed_posture_comes_before_a_near_one(self):
        found = inverse(limited([1.0, 1.0], None, (0.0, 150.0)), [1.0, 1.0])
        near = DEGREES([90.0, -90.0])
        assert np.degrees(found.best(near=near)) == approx([0.0, 90.0], abs=1e-12)

    def test_without_an_allowed_posture_the_near_one_is_given(self):
        found = inverse(limited([1.0, 1.0], None, (-10.0, 10.0)), [1.0, 1.0])
        near = DEGREES([90.0, -90.0])
        assert np.degrees(found.best(near=near)) == approx([90.0, -90.0])


class TestRepr:
    def test_it_tells_reach_branches_and_degrees(self, unit):
        first, positive, negative = repr(inverse(unit, [1.0, 1.0])).splitlines()
        assert "in reach" in first
        assert ("positive" in positive, "elbow down" in positive) == (True, True)
        assert "negative, elbow up: 90, -90 deg (ok)" in negative
        assert "infinitely many" in repr(inverse(unit, [0.0, 0.0]))
        far = repr(inverse(unit, [3.0, 4.0]))
        assert ("3 m" in far, "(1.2, 1.6)" in far) == (True, True)
        limited_elbow = limited([1.0, 1.0], None, (-100.0, 100.0))
        many = repr(inverse(limited_elbow, [[1.0, 1.0], [0.1, 0.0], [5.0, 5.0]]))
        for fact in ("3 targets", "2 in reach", "1 within the joint limits"):
            assert fact in many

    def test_elbows_are_above_or_below_the_line_from_base_to_tip(self, unit):
        # A branch keeps its name where the tip passes over the base; up and down change theirs.
        found = inverse(unit, [[1.0, 1.0], [-1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
        assert found.elbow.tolist() == [
            ["down", "up"],
            ["up", "down"],
            ["", ""],
            ["", ""],
            ["", ""],
        ]
        for target, names in zip([[1.0, 1.0], [-1.0, 1.0]], found.elbow, strict=False):
            for q, name in zip(inverse(unit, target).q, names, strict=True):
                elbow = np.array([np.cos(q[0]), np.sin(q[0])])
                height = elbow[1] - target[1] / target[0] * elbow[0]
                assert (height > 0.0) == (name == "up")
        assert inverse(rods(1.0, 1.0, 1.0), [1.0, 1.0]).elbow.tolist() == [""] * 4

    def test_a_posture_that_was_not_found_says_so(self):
        nothing = np.zeros(())
        found = Solutions(
            q=np.zeros((1, 3)),
            valid=np.array([False]),
            within_limits=np.array([False]),
            residual=np.array([0.1]),
            branch=("only",),
            reachable=np.array(True),
            shortfall=nothing,
            nearest=np.zeros(2),
            nearest_q=np.zeros(3),
            continuum=np.array(False),
        )
        assert found.reason.tolist() == ["not converged"]
        assert repr(found).endswith("  only: 0, 0, 0 deg (not converged)")


class TestOneLink:
    arm = rods(0.5, base=(1.0, 1.0))

    def test_a_point_on_its_circle(self):
        found = inverse(self.arm, [1.0, 1.5])
        assert found.q == approx(np.array([[np.pi / 2]]))
        assert found.valid.all()
        assert not found.continuum

    @pytest.mark.parametrize(
        ("target", "nearest", "shortfall"),
        [
            ([1.0, 3.0], [1.0, 1.5], 1.5),
            ([1.0, 0.9], [1.0, 0.5], 0.4),
            ([1.0, 1.0], [1.5, 1.0], 0.5),
        ],
    )
    def test_a_point_off_its_circle(self, target, nearest, shortfall):
        found = inverse(self.arm, target)
        assert not found.reachable
        assert np.isnan(found.q).all()
        assert found.shortfall == approx(shortfall)
        assert found.nearest == approx(nearest)
        assert tip(self.arm, found.nearest_q)[:2] == approx(nearest)

    def test_an_orientation_has_to_agree_with_the_point(self):
        found = inverse(self.arm, [1.0, 1.5, np.pi / 2])
        assert found.q == approx(np.array([[np.pi / 2]]))
        found = inverse(self.arm, [1.0, 1.5, 0.0])
        assert not found.reachable
        # Facing along +x the tip can be at (1.5, 1) and nowhere else.
        assert found.nearest == approx([1.5, 1.0])
        assert found.shortfall == approx(np.sqrt(0.5))
        assert found.nearest_q == approx([0.0])


class TestTwoLinksWithOrientation:
    @pytest.mark.parametrize("q", [[0.3, 0.4], [0.3, -0.4], [-2.0, 3.0], [2.0, -3.0]])
    def test_the_one_posture_is_under_its_branch(self, unit, q):
        found = inverse(unit, tip(unit, q))
        place = 0 if q[1] > 0 else 1
        assert found.q[place] == approx(q)
        assert found.valid[place]
        assert np.isnan(found.q[1 - place]).all()
        assert not found.valid[1 - place]
        assert found.reason[1 - place] == "not on this branch"
        assert found.branch[place] in repr(found)
        assert found.branch[1 - place] not in repr(found)

    def test_an_orientation_that_the_elbow_cannot_serve(self, unit):
        # With the last link along +x the elbow would be at (0, 1.5), half a metre out of reach.
        found = inverse(unit, [1.0, 1.5, 0.0])
        assert not found.reachable
        assert found.shortfall == approx(0.5)
        assert found.nearest == approx([1.0, 1.0])
        assert tip(unit, found.nearest_q) == approx([1.0, 1.0, 0.0])
        assert not found.continuum


class TestThreeLinksWithOrientation:
    arm = rods(1.0, 0.5, 0.25, base=(0.5, -0.5))

    def test_both_postures_and_the_orientation(self):
        target = np.array([1.5, 0.2, 2.0])
        found = inverse(self.arm, target)
        assert found.branch == ("positive", "negative")
        assert found.valid.all()
        reached = tip(self.arm, found.q)
        assert reached[:, :2] == approx(np.tile(target[:2], (2, 1)))
        assert difference(reached[:, 2], 2.0) == approx([0.0, 0.0])
        assert np.sign(found.q[:, 1]).tolist() == [1.0, -1.0]

    def test_the_wrist_may_be_out_of_reach_though_the_point_is_not(self):
        target = [0.5 + 1.6, -0.5, np.pi]
        assert inverse(self.arm, target[:2]).reachable
        found = inverse(self.arm, target)
        assert not found.reachable
        # Facing backwards the wrist would be at 1.85 m, and the two links reach 1.5 m.
        assert found.shortfall == approx(0.35)
        assert found.nearest == approx([0.5 + 1.25, -0.5])
        reached = tip(self.arm, found.nearest_q)
        assert reached[:2] == approx(found.nearest)
        assert difference(reached[2], np.pi) == approx(0.0)

    def test_the_wrist_over_the_base_of_equal_links_is_a_continuum(self):
        arm = rods(0.5, 0.5, 0.25)
        found = inverse(arm, [0.0, 0.25, np.pi / 2])
        assert found.continuum
        assert found.valid.all()


class TestRedundantArms:
    def test_four_postures_wanted_for_four_targets_are_theirs_and_not_the_branches(self):
        arm = rods(0.5, 0.4, 0.3)
        wanted = np.random.default_rng(9).uniform(-1.0, 1.0, (4, 3))
        targets = tip(arm, wanted)[:, :2]
        found = inverse(arm, targets, posture=wanted)
        alone = [inverse(arm, targets[k], posture=wanted[k]).q for k in range(4)]
        assert found.q == pytest.approx(np.array(alone), abs=1e-8)

    def test_limits_that_no_closed_form_meets_are_met_by_iteration(self):
        # Curling gently is allowed; the two sharp bends of the closed form are not.
        arm = limited([0.3] * 6, *[(-50.0, 50.0)] * 6)
        curled = np.full(6, DEGREES(40.0))
        free = inverse(rods(*[0.3] * 6), tip(arm, curled)[:2])
        assert (np.abs(free.q[:, 1:]).max(axis=-1) > DEGREES(50.0)).all()
        found = inverse(arm, tip(arm, curled)[:2])
        assert found.within_limits.any()
        assert (np.abs(found.q[found.within_limits]) <= DEGREES(50.0) + 1e-12).all()

    def test_limits_that_forbid_a_target_in_the_ring_are_admitted(self):
        arm = limited([0.5] * 4, *[(-5.0, 5.0)] * 4)
        target = np.array([-1.0, 0.3])
        found = inverse(arm, target, restarts=2)
        assert found.reachable
        assert found.shortfall == 0.0
        assert found.valid.all()
        assert not found.within_limits.any()
        assert (found.reason == "outside joint limits").all()
        assert tip(arm, found.q)[:, :2] == approx(np.tile(target, (4, 1)))

    def test_random_starts_only_add_postures_and_are_the_same_every_time(self, random_arm):
        # Narrow limits on all four joints, and targets made from postures inside them.
        # Of this draw, two targets need a random start.
        random = np.random.default_rng(13)
        arms = random_arm(random, 4, (400,))
        lower = random.uniform(-3.0, 2.5, (400, 4))
        arms = arms._replace(lower=lower, upper=lower + random.uniform(0.3, 2.0, (400, 4)))
        targets = tip(arms, random.uniform(arms.lower, arms.upper))[:, :2]
        without = inverse(arms, targets, restarts=0)
        found, again = inverse(arms, targets), inverse(arms, targets)
        usable = found.within_limits.any(axis=-1)
        assert (usable | ~without.within_limits.any(axis=-1)).all()
        assert usable.mean() >= 0.99
        assert (found.q == again.q).all()
        # Nor does the answer to one question depend on the others that are asked with it.
        for place in [0, 1, *np.flatnonzero(~without.within_limits.any(axis=-1))]:
            member = ulna.Parameters(*(value[place] for value in arms))
            assert (inverse(member, targets[place]).q == found.q[place]).all()

    def test_the_straight_arm_at_its_full_reach(self):
        arm = rods(0.5, 0.25, 0.25)
        found = inverse(arm, [1.0, 0.0])
        assert found.valid.all()
        assert not found.continuum
        assert np.abs(found.q).max() < 1e-7

    def test_out_of_reach_it_tells_the_shortfall_and_the_nearest_posture(self):
        arm = rods(0.5, 0.25, 0.125, base=(1.0, 0.0))
        found = inverse(arm, [[1.0, 2.0], [1.0, 0.0]], posture=[0.1, 0.1, 0.1])
        assert found.reachable.tolist() == [False, False]
        assert found.shortfall == approx([1.125, 0.125])
        assert np.isnan(found.q).all()
        assert not found.continuum.any()
        reached = tip(arm, found.nearest_q)[:, :2]
        assert reached == pytest.approx(found.nearest, abs=1e-9)

    def test_a_hole_touched_from_inside_is_no_continuum(self):
        arm = rods(1.0, 0.25, 0.25)
        assert inverse(arm, [0.0, 0.6]).continuum
        edge = inverse(arm, [0.0, 0.5])
        assert edge.valid.all()
        assert not edge.continuum


class TestIndexing:
    one = inverse(rods(1.0, 1.0), [1.2, 0.3])
    many = inverse(rods(1.0, 1.0), [[1.2, 0.3], [9.0, 0.0], [0.5, -0.4]])

    def test_one_target_is_a_sequence_of_its_postures(self):
        assert len(self.one) == 2
        assert (self.one[1] == self.one.q[1]).all()
        assert (self.one[-1] == self.one.q[1]).all()
        assert (self.one[:] == self.one.q).all()
        assert np.array_equal(list(self.one), self.one.q)

    def test_many_targets_are_a_sequence_of_targets(self):
        assert len(self.many) == 3
        alone = inverse(rods(1.0, 1.0), [0.5, -0.4])
        last = self.many[2]
        assert np.array_equal(last.q, alone.q)
        assert last.elbow.tolist() == alone.elbow.tolist()
        assert repr(last) == repr(alone)
        assert [found.reachable.item() for found in self.many] == [True, False, True]
        assert np.array_equal(last[0], self.many.q[2, 0])

    def test_one_target_for_many_arms(self):
        arms = ulna.stack([rods(1.0, 1.0), rods(1.0, 0.5)])
        found = inverse(arms, [1.2, 0.3])
        assert np.array_equal(found[1].q, inverse(rods(1.0, 0.5), [1.2, 0.3]).q)
        assert found[1].target.tolist() == [1.2, 0.3]

    def test_what_is_not_there_is_an_index_error(self):
        with pytest.raises(IndexError, match="posture 2 of solutions with 2 postures"):
            self.one[2]
        with pytest.raises(IndexError, match="target -4 of solutions with 3 targets"):
            self.many[-4]

    @pytest.mark.parametrize("index", ["up", 1.0, None, (0, 1), True])
    def test_what_is_no_index_is_refused(self, index):
        with pytest.raises(ulna.InputError, match="a whole number or a slice: a posture"):
            self.one[index]


class TestElbows:
    def test_many_targets_have_a_posture_each(self):
        targets = np.array([[1.2, 0.3], [9.0, 0.0], [-0.5, 0.4]])
        up = inverse(rods(1.0, 1.0), targets).elbow_up
        assert up.shape == (3, 2)
        assert np.isnan(up[1]).all()
        assert np.allclose(tip(rods(1.0, 1.0), up[::2])[:, :2], targets[::2])

    @pytest.mark.parametrize("target", [[2.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    def test_where_neither_side_is_up_it_is_nan(self, target):
        found = inverse(rods(1.0, 1.0), target)
        assert np.isnan(found.elbow_up).all()
        assert np.isnan(found.elbow_down).all()

    def test_other_arms_have_no_single_elbow(self):
        with pytest.raises(ulna.InputError, match="elbow_up: got an arm of 3 links, need one of"):
            inverse(rods(1.0, 1.0, 1.0), [1.2, 0.3]).elbow_up  # noqa: B018
        with pytest.raises(ulna.InputError, match="elbow_down: got an arm of 1 link, need"):
            inverse(rods(1.0), [1.0, 0.0]).elbow_down  # noqa: B018

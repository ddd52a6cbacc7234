"""Inverse kinematics of a point: every posture, and honest words where there is none."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of
from tabular import tabular
from ulna import Arm, Joint
from ulna.angles import difference
from ulna.kinematics import inverse, tip

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
DEGREES = np.radians


def limited(lengths, *limits_deg, **options):
    joints = [Joint(*DEGREES(pair)) if pair else Joint() for pair in limits_deg]
    return Arm.rods(lengths, [1.0] * len(lengths), joints=joints, **options)


def rods(*lengths, **options):
    return Arm.rods(lengths, [1.0] * len(lengths), **options)


@tabular(
    ("n", "size", "branch"),
    [
        (1, 3, ("only",)),
        (2, 2, ("positive", "negative")),
        (3, 3, ("positive", "negative")),
        (3, 2, ("++", "+-", "-+", "--")),
    ],
)
@tabular("batch", [(), (2, 3), (0,)])
def test_the_number_of_postures_is_fixed_by_the_question(n, size, branch, batch):
    found = inverse(rods(*[0.5] * n), np.full((*batch, size), 0.2))
    assert found.branch == branch
    assert found.q.shape == (*batch, len(branch), n)
    assert found.valid.shape == found.residual.shape == found.reason.shape
    assert found.reason.shape == (*batch, len(branch))
    assert found.reachable.shape == found.continuum.shape == found.shortfall.shape == batch
    assert found.nearest.shape == (*batch, 2)
    assert found.nearest_q.shape == found.best().shape == (*batch, n)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [2, 3])
def test_a_batch_answers_as_its_members_do(n, size, random_arm):
    random = np.random.default_rng(5)
    arms = random_arm(random, n, (6,))
    targets = random.uniform(-1.0, 1.0, (6, size))
    together = inverse(arms, targets)
    for place in range(6):
        member = ulna.Parameters(*(value[place] for value in arms))
        alone = inverse(member, targets[place])
        for name in ("q", "residual", "shortfall", "nearest", "nearest_q", "continuum"):
            field = getattr(together, name)[place]
            assert np.array_equal(field, getattr(alone, name), equal_nan=field.dtype == float)


@tabular(
    ("target", "options", "name"),
    [
        *((target, {}, "target") for target in (1.0, np.zeros(4), [np.inf, 0.0])),
        *(([1.0, 1.0], {"tolerance": wrong}, "tolerance") for wrong in (-1.0, np.nan, [1, 2])),
        *(([1.0, 1.0], {"restarts": wrong}, "restarts") for wrong in (-1, 2.5)),
        *(([1.0, 1.0], {"posture": q}, "posture") for q in ([0.0, 0.0], [np.nan, 0.0, 0.0])),
    ],
)
def test_a_wrong_target_or_option_is_refused_by_name(target, options, name):
    assert names_of(lambda: inverse(rods(1.0, 1.0, 1.0), target, **options)) == [name]


class TestTwoLinks:
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


class TestLimits:
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


class TestThreeLinksWithOrientation:
    arm = rods(1.0, 0.5, 0.25, base=(0.5, -0.5))

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
        # Narrow limits, and targets made from postures within them, some of which need such starts.
        random = np.random.default_rng(13)
        arms = random_arm(random, 4, (400,))
        lower = random.uniform(-3.0, 2.5, (400, 4))
        arms = arms._replace(lower=lower, upper=lower + random.uniform(0.3, 2.0, (400, 4)))
        targets = tip(arms, random.uniform(arms.lower, arms.upper))[:, :2]
        without, found = inverse(arms, targets, restarts=0), inverse(arms, targets)
        bare, usable = (one.within_limits.any(axis=-1) for one in (without, found))
        assert (usable >= bare).all()
        assert usable.sum() > bare.sum()
        # Nor does the answer to one question depend on the others that are asked with it.
        for place in [0, *np.flatnonzero(~bare)]:
            assert (inverse(arms.rows(place), targets[place]).q == found.q[place]).all()

    def test_a_hole_touched_from_inside_is_no_continuum(self):
        arm = rods(1.0, 0.25, 0.25)
        assert inverse(arm, [0.0, 0.6]).continuum
        edge = inverse(arm, [0.0, 0.5])
        assert edge.valid.all()
        assert not edge.continuum


class TestOrientation:
    def test_it_has_to_agree_with_the_point_on_the_circle_of_one_link(self):
        arm = rods(0.5, base=(1.0, 1.0))
        assert inverse(arm, [1.0, 1.5, np.pi / 2]).q == approx(np.array([[np.pi / 2]]))
        found = inverse(arm, [1.0, 1.5, 0.0])
        assert not found.reachable
        # Facing along +x the tip can be at (1.5, 1) and nowhere else.
        assert found.nearest == approx([1.5, 1.0])
        assert found.shortfall == approx(np.sqrt(0.5))
        assert found.nearest_q == approx([0.0])

    def test_one_that_the_elbow_cannot_serve(self, unit):
        # With the last link along +x the elbow would be at (0, 1.5), half a metre out of reach.
        found = inverse(unit, [1.0, 1.5, 0.0])
        assert found.shortfall == approx(0.5)
        assert found.nearest == approx([1.0, 1.0])
        assert tip(unit, found.nearest_q) == approx([1.0, 1.0, 0.0])


@tabular(
    ("limits_deg", "near_deg", "chosen_deg"),
    [
        ((-180.0, 180.0), None, [0.0, 90.0]),  # the first that is allowed
        ((-180.0, 180.0), [80.0, -80.0], [90.0, -90.0]),
        ((-180.0, 180.0), [90.0 - 360.0, -90.0 + 720.0], [90.0, -90.0]),  # the short way round
        ((0.0, 150.0), [90.0, -90.0], [0.0, 90.0]),  # what is allowed comes before what is near
        ((-10.0, 10.0), [90.0, -90.0], [90.0, -90.0]),  # neither is allowed
    ],
)
def test_the_best_posture_is_allowed_and_then_near(limits_deg, near_deg, chosen_deg):
    found = inverse(limited([1.0, 1.0], None, limits_deg), [1.0, 1.0])
    near = None if near_deg is None else DEGREES(near_deg)
    assert np.degrees(found.best(near=near)) == approx(chosen_deg, abs=1e-12)


class TestSequence:
    one = inverse(rods(1.0, 1.0), [1.2, 0.3])
    many = inverse(rods(1.0, 1.0), [[1.2, 0.3], [9.0, 0.0], [0.5, -0.4]])

    def test_one_target_is_a_sequence_of_its_postures(self):
        assert np.array_equal(list(self.one), self.one.q)
        assert (self.one[-1] == self.one[:][1]).all()

    def test_many_targets_are_a_sequence_of_targets(self):
        alone, last = inverse(rods(1.0, 1.0), [0.5, -0.4]), self.many[2]
        assert np.array_equal(last.q, alone.q)
        assert last.elbow.tolist() == alone.elbow.tolist()
        assert repr(last) == repr(alone)
        assert [found.reachable.item() for found in self.many] == [True, False, True]

    def test_one_target_for_many_arms(self):
        found = inverse(ulna.stack([rods(1.0, 1.0), rods(1.0, 0.5)]), [1.2, 0.3])
        assert np.array_equal(found[1].q, inverse(rods(1.0, 0.5), [1.2, 0.3]).q)
        assert found[1].target.tolist() == [1.2, 0.3]


class TestElbows:
    def test_they_are_above_or_below_the_line_from_base_to_tip(self, unit):
        # A branch keeps its name where the tip passes over the base; up and down change theirs.
        targets = np.array([[1.0, 1.0], [-1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
        found = inverse(unit, targets)
        neither = ["", ""]
        sides = [["down", "up"], ["up", "down"], neither, neither, neither]
        assert found.elbow.tolist() == sides
        for q, side in ((found.elbow_up, 1.0), (found.elbow_down, -1.0)):
            assert tip(unit, q)[:2, :2] == approx(targets[:2])
            height = np.sin(q[:2, 0]) - np.cos(q[:2, 0]) * [1.0, -1.0]
            assert (np.sign(height) == side).all()
            assert np.isnan(q[2:]).all()

    def test_other_arms_have_no_single_elbow(self):
        found = inverse(rods(1.0, 1.0, 1.0), [1.2, 0.3])
        assert found.elbow.tolist() == [""] * 4
        assert names_of(lambda: found.elbow_up) == ["elbow_up"]

"""What holds up a fastest motion: which limit, joint, corner or bend, and what more would gain."""

import pytest

import ulna

LINKS = ([0.5, 0.4], [1.0, 0.8])
FREE = ulna.Arm.rods(*LINKS)
TIP = {"max_speed": 0.4, "max_acceleration": 2.0}
LEG, SPEED, ACCELERATION = 0.3, TIP["max_speed"], TIP["max_acceleration"]
SHARP = ulna.paths.polyline([(0.3, 0.1), (0.3 + LEG, 0.1), (0.3 + LEG, 0.1 + LEG)], blend=0.0)
BENT = ulna.paths.polyline([(0.3, 0.1), (0.3 + LEG, 0.1), (0.3 + LEG, 0.1 + LEG)], blend=0.005)


def fastest(arm, path, **options):
    return ulna.plan(arm, path, timing="fastest", **options)


@pytest.fixture(scope="module")
def cornered():
    return fastest(FREE, SHARP, **TIP)


def test_a_corner_holds_it_up_from_braking_to_full_speed(cornered):
    corner = next(one for one in cornered.limiting if one.limit == "corner")
    assert corner.joint is None
    assert corner.place == pytest.approx(LEG)
    # It brakes for v/a and speeds up for v/a, half way through.
    lasting = 2.0 * SPEED / ACCELERATION
    assert corner.share == pytest.approx(lasting / cornered.duration, rel=5e-3)
    middle = 0.5 * cornered.duration
    assert (corner.first, corner.last) == pytest.approx(
        (middle - 0.5 * lasting, middle + 0.5 * lasting), rel=5e-3
    )
    # Straight on it would take v/a less.
    assert corner.gain == pytest.approx(SPEED / ACCELERATION, rel=1e-3)


@pytest.mark.parametrize("options", [{}, TIP])
def test_where_a_path_turns_straight_back_no_stop_can_be_spared(options):
    arm = ulna.Arm.rods(*LINKS, joints=[ulna.Joint(max_torque=30.0)] * 2) if not options else FREE
    made = fastest(
        arm, ulna.paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.4, 0.1)], blend=0), **options
    )
    told = [one for one in made.limiting if one.place is not None]
    assert [one.limit for one in told] == ["reversal"]
    assert told[0].gain == 0.0
    assert told[0].place == pytest.approx(0.3)
    assert str(told[0]).endswith("of the time: it turns straight back, and must stop there")


def test_limits_are_told_first_and_sum_up_to_the_whole(cornered):
    kinds = [one.limit for one in cornered.limiting]
    assert kinds == ["tip speed", "tip acceleration", "corner"]
    speed, acceleration = cornered.limiting[:2]
    assert speed.share + acceleration.share == pytest.approx(1.0, abs=0.01)
    # T = l/v + v/a on either leg: what a tenth more of v or of a changes.
    legs = [LEG / (SPEED * f) + SPEED * f / ACCELERATION for f in (1.0, 1.1)]
    assert speed.gain == pytest.approx(2.0 * (legs[0] - legs[1]), rel=1e-3)
    ramp = SPEED / ACCELERATION
    assert acceleration.gain == pytest.approx(2.0 * ramp * (1.0 - 1.0 / 1.1), rel=1e-3)


def test_a_bend_is_told_where_it_is_and_straight_parts_are_not():
    made = fastest(FREE, BENT, **TIP)
    bends = [one for one in made.limiting if one.limit == "bend"]
    assert len(bends) == 1
    assert bends[0].place == pytest.approx(0.5 * BENT.length, abs=0.005)
    assert 0.0 < bends[0].gain < 0.1 * made.duration
    circle = fastest(FREE, ulna.paths.circle((0.5, 0.1), 0.1), **TIP)
    assert not any(one.limit in ("bend", "corner") for one in circle.limiting)


def test_a_joint_is_named_with_what_more_torque_saves():
    joints = [ulna.Joint(max_torque=12.0), ulna.Joint(max_torque=4.0)]
    arm = FREE.replace(joints=joints)
    path = ulna.paths.circle((0.45, 0.2), 0.15)
    made = fastest(arm, path)
    first = made.limiting[0]
    assert (first.limit, first.joint, first.place) == ("torque", 1, None)
    stronger = arm.replace(joints=[ulna.Joint(max_torque=13.2), joints[1]])
    saved = made.duration - fastest(stronger, path).duration
    assert first.gain == pytest.approx(saved, rel=0.02)
    assert f"10 % more would save {first.gain:.3g} s" in repr(made)


def test_along_joints_places_are_angles():
    """Of the way 0 → 1 → 0 rad a joint stops at the turn, 1 rad along."""
    turn = ulna.paths.joints([[0.0], [1.0]]).then(ulna.paths.joints([[1.0], [0.0]]))
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(max_torque=2.0)], gravity=(0.0, 0.0))
    made = fastest(arm, turn)
    back = next(one for one in made.limiting if one.limit == "reversal")
    assert (back.place, back.unit) == (pytest.approx(1.0), "rad")
    assert "the reversal 1 rad along the path" in str(back)


def test_the_pen_waits_and_a_tenth_less_of_that_is_saved(tmp_path):
    file = tmp_path / "lines.csv"
    file.write_text("x [m], y [m], pen\n0.4,0.1,0\n0.5,0.1,1\n0.5,0.2,0\n0.4,0.2,1\n")
    made = fastest(FREE, ulna.paths.csv(file), **TIP)
    pen = next(one for one in made.limiting if one.limit == "pen")
    assert pen.share * made.duration == pytest.approx(2 * 0.2)
    assert pen.gain == pytest.approx(0.1 * 2 * 0.2)
    assert f"the pen takes {pen.share:.1%} of the time; 10 % less would save 0.04 s" == str(pen)


def test_only_bends_and_corners_worth_half_a_percent_are_told():
    """Ten milliseconds of 6.5 s are no reason to change a path; a stop at a corner is."""
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
    corners = [(0.3, 0.1), (0.42, 0.1), (0.42, 0.25), (0.36, 0.18), (0.3, 0.25)]
    counts = {}
    for blend in (0.0, 2e-4):
        path = ulna.paths.polyline(corners, blend=blend, closed=True)
        plan = ulna.plan(arm, path, max_speed=0.1, max_acceleration=1.0)
        slow = [one for one in plan.limiting if one.limit in ("bend", "corner")]
        assert all(one.gain >= 0.005 * plan.duration for one in slow)
        counts[blend] = len(slow)
    assert counts == {0.0: 4, 2e-4: 0}

"""One joint with dry friction: where it sticks, what ends there, and the algebra of a pendulum."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

import ulna
from ulna.analysis.portraits.flow import Flow
from ulna.control import PD

G = 9.81
HANGING = -math.pi / 2
TURN = 2.0 * math.pi


def pendulum(coulomb=1.0, damping=0.0, gravity=(0.0, -G), **friction):
    """Give a point mass of 1 kg on 1 m: M = 1 kg·m², G = 9.81 cos θ, V = 9.81 sin θ."""
    joint = ulna.Joint(damping=damping, friction=ulna.Friction(coulomb=coulomb, **friction))
    return ulna.Arm.point_masses([1.0], [1.0], joints=[joint], gravity=gravity)


FLAT = (0.0, 0.0)


# --------------------------------------------------------------------------------- the sticking set


def test_a_pendulum_sticks_where_its_weight_is_less_than_friction():
    well, top = ulna.portrait(pendulum()).sticking
    aside = math.asin(1.0 / G)
    assert (well.lower, well.upper) == pytest.approx((HANGING - aside, HANGING + aside), abs=1e-14)
    assert (top.lower, top.upper) == pytest.approx((-HANGING - aside, -HANGING + aside), abs=1e-14)
    assert (well.kind, top.kind) == ("stable", "unstable")
    assert [one.kind for one in well.holds + top.holds] == ["centre", "saddle"]
    assert well.stable
    assert not top.stable


@pytest.mark.parametrize(
    ("torque", "static", "kinds"),
    [(4.0, 2.0, ["stable", "unstable"]), (-4.0, 2.0, ["stable", "unstable"]),
     (9.0, 2.0, ["half-stable"]), (-10.5, 2.0, ["half-stable"]), (12.0, 2.0, []),
     (2.0, 12.0, ["everywhere"]), (9.81, 0.5, ["half-stable"])],
)  # fmt: skip
def test_there_are_as_many_intervals_as_the_torque_leaves(torque, static, kinds):
    drawn = ulna.portrait(pendulum(0.5, static=static), torque=torque)
    assert [one.kind for one in drawn.sticking] == kinds
    angles = np.linspace(-math.pi, math.pi, 1001)
    held = np.abs(torque - G * np.cos(angles)) <= static
    inside = np.zeros(angles.shape, dtype=bool)
    for one in drawn.sticking:
        inside |= one.contains(angles)
        if one.kind != "everywhere":
            ends = np.array([one.lower, one.upper])
            assert np.abs(torque - G * np.cos(ends)) == pytest.approx(static, abs=1e-12)
    assert inside.tolist() == held.tolist()
    # What is in equilibrium without dry friction is held by it.
    assert sum(len(one.holds) for one in drawn.sticking) == len(drawn.equilibria)


def test_without_weight_it_sticks_everywhere_or_nowhere():
    flat = pendulum(gravity=FLAT)
    assert [one.kind for one in ulna.portrait(flat, torque=0.9).sticking] == ["everywhere"]
    assert ulna.portrait(flat, torque=1.1).sticking == ()
    assert ulna.portrait(pendulum(0.0, drag=0.3)).sticking == ()


def test_a_spring_sticks_within_its_friction_over_its_stiffness():
    law = PD(20.0, 2.0)
    drawn = ulna.portrait(pendulum(gravity=FLAT), controller=law, set_point=0.5, angles=(-2.0, 2.0))
    (found,) = drawn.sticking
    assert (found.lower, found.upper) == pytest.approx((0.45, 0.55), abs=1e-12)
    assert found.kind == "stable"
    assert [one.angle for one in found.holds] == pytest.approx([0.5], abs=1e-12)


def test_it_says_what_friction_holds():
    drawn = ulna.portrait(pendulum())
    assert "unstable: sticks from 84.15 to 95.85 deg, holds the saddle at 90 deg" in repr(drawn)
    told = json.loads(json.dumps(drawn.facts()))["sticking"]
    assert [one["kind"] for one in told] == ["stable", "unstable"]
    assert told[1]["holds"] == [{"angle": pytest.approx(math.pi / 2), "kind": "saddle"}]
    assert "sticks at every angle" in repr(ulna.portrait(pendulum(20.0)))
    assert "no equilibrium" in repr(ulna.portrait(pendulum(), torque=20.0))
    assert ulna.portrait(ulna.preset("bechard-1")).sticking == ()


# ----------------------------------------------------------------------------------------- orbits


def test_a_swing_loses_what_coulomb_friction_takes_on_its_way():
    flow = Flow(pendulum(0.3), 0.7)
    segment = flow.segment(0.4, 1.0, 60.0, 4001)
    (rests,) = np.nonzero(np.abs(segment.speed) < 1e-9)
    energy = flow.energy(segment.angle, segment.speed) - 0.7 * segment.angle
    stops = [0, *rests.tolist()]
    assert len(stops) > 10
    for first, last in pairwise(stops):
        way = abs(segment.angle[last] - segment.angle[first])
        assert energy[first] - energy[last] == pytest.approx(0.3 * way, abs=1e-9)
    (well,) = [one for one in ulna.portrait(flow.arm, torque=0.7).sticking if one.stable]
    assert well.lower < segment.angle[-1] < well.upper


def test_on_the_level_it_stops_after_the_way_that_its_energy_lasts():
    for speed in (3.0, -3.0):
        segment = Flow(pendulum(0.4, gravity=FLAT)).segment(0.2, speed, 20.0, 11)
        assert segment.angle[-1] == pytest.approx(0.2 + math.copysign(9.0 / 0.8, speed), abs=1e-10)
        assert segment.t[-1] == pytest.approx(3.0 / 0.4, abs=1e-10)
    drag = Flow(pendulum(0.4, gravity=FLAT, drag=0.3)).segment(0.2, 3.0, 20.0, 11)
    assert drag.angle[-1] == pytest.approx(0.2 + math.log1p(0.3 * 9.0 / 0.4) / 0.6, abs=1e-10)


@pytest.mark.parametrize("torque", [0.0, 2.0])
def test_orbits_of_both_sides_are_those_of_the_engine(torque):
    arm = pendulum(0.5, damping=0.1, static=0.9, stribeck_velocity=0.2, drag=0.05)
    segment = Flow(arm, torque).segment(0.3, 2.0, 30.0, 5)
    run = ulna.simulate(arm, q0=[0.3], qd0=[2.0], torque=[torque], duration=30.0, rtol=1e-11,
                        atol=1e-12)  # fmt: skip
    assert run.qd[-1, 0] == 0.0
    assert segment.speed[-1] == pytest.approx(0.0, abs=1e-12)
    assert segment.angle[-1] == pytest.approx(run.q[-1, 0], abs=1e-8)


def test_there_and_back_again_through_a_turn():
    flow = Flow(pendulum(0.5, damping=0.1, static=0.9, stribeck_velocity=0.2, drag=0.05), 1.0)
    there = flow.segment(0.3, 2.0, 1.2, 3)
    assert there.speed[-1] < 0.0
    back = flow.segment(there.angle[-1], there.speed[-1], 1.2, 3, backwards=True)
    assert (back.angle[-1], back.speed[-1]) == pytest.approx((0.3, 2.0), abs=1e-8)


def test_what_sticks_has_no_orbit():
    segment = Flow(pendulum()).segment(HANGING + 0.05, 0.0, 5.0, 11)
    assert [part.tolist() for part in segment] == [[0.0], [HANGING + 0.05], [0.0]]


def test_separatrices_are_of_the_ends_at_which_a_joint_leaves():
    drawn = ulna.portrait(pendulum())
    _, top = drawn.sticking
    ends = [(one.saddle.angle, one.incoming, one.side) for one in drawn.separatrices]
    assert ends == [
        (top.upper, True, -1), (top.upper, True, 1), (top.upper, False, 1),
        (top.lower, True, 1), (top.lower, True, -1), (top.lower, False, -1),
    ]  # fmt: skip
    for one in drawn.separatrices:
        angle, speed = one.segment.angle, one.segment.speed
        assert (angle[0], speed[0]) == pytest.approx((one.saddle.angle, 0.0), abs=1e-5)
        # ½ θ̇² + V + f_c θ sign(θ̇) keeps its value while the speed keeps its sign.
        same = np.cumprod(np.sign(speed[1:]) == np.sign(speed[1])).astype(bool)
        kept = 0.5 * speed**2 + G * np.sin(angle) + np.sign(speed[1]) * angle
        assert kept[1:][same] == pytest.approx(np.full(same.sum(), kept[0]), abs=1e-8)


def test_nullclines_are_of_each_side_of_zero_speed():
    drawn = ulna.portrait(pendulum(1.0, damping=0.5))
    lines = np.concatenate(drawn.nullclines)
    angle, speed = lines.T
    rest = -G * np.cos(angle) - 0.5 * speed - np.sign(speed)
    assert np.abs(rest).max() < 5e-3
    assert np.abs(speed).min() > 0.0


def test_arrows_vanish_on_the_sticking_set():
    drawn = ulna.portrait(pendulum(), angles=(HANGING - 0.05, HANGING + 0.05))
    _, speed, acceleration = drawn.field(5, 3)
    assert speed[1] == 0.0
    assert (acceleration[1] == 0.0).all()
    assert acceleration[2] == pytest.approx(-G * np.cos(drawn.field(5, 3)[0]) - 1.0)


# ------------------------------------------------------------------------------- what comes to rest

DRY = pendulum()


def test_fates_are_the_intervals_in_which_runs_of_the_engine_stick():
    random = np.random.default_rng(3)
    angle, speed = random.uniform(-4.0, 4.0, 10), random.uniform(-7.0, 7.0, 10)
    arm = pendulum(0.8, damping=0.1, static=1.5, stribeck_velocity=0.1)
    drawn = ulna.portrait(arm, torque=1.0)
    label, turns = drawn.fates.of(angle, speed)
    assert (label >= 0).all()
    for k in range(10):
        run = ulna.simulate(arm, q0=[angle[k]], qd0=[speed[k]], torque=[1.0], duration=30.0)
        one = drawn.sticking[label[k]]
        assert run.qd[-1, 0] == 0.0
        assert one.lower <= run.q[-1, 0] - TURN * turns[k] <= one.upper


def test_critical_speeds_are_those_of_the_energy_that_coulomb_friction_leaves():
    drawn = ulna.portrait(DRY)
    _, top = drawn.sticking
    borders = drawn.critical_speeds(HANGING, within=(0.0, 8.0))
    # It gets to an end of the upper interval: in there it sticks, beyond it goes round.
    expected = [math.sqrt(2.0 * (G * (math.sin(end) + 1.0) + end - HANGING))
                for end in (top.lower, top.upper)]  # fmt: skip
    assert [one.value for one in borders[:2]] == pytest.approx(expected, abs=1e-9)
    well, upright = drawn.fates.names
    names = [borders[0].below.name, borders[0].above.name, borders[1].above.name]
    assert names == [well, upright, well]
    assert [borders[1].below.turns, borders[1].above.turns] == [0, 1]


def test_critical_angles_from_rest_are_the_ends_of_the_upper_interval():
    drawn = ulna.portrait(DRY)
    _, top = drawn.sticking
    borders = drawn.critical_angles(0.0, within=(0.5, 2.5))
    assert [one.value for one in borders] == pytest.approx([top.lower, top.upper], abs=1e-8)


def test_with_much_damping_it_comes_ever_slower_to_the_end_of_its_interval():
    drawn = ulna.portrait(pendulum(0.5, damping=20.0), torque=9.5)
    (interval,) = drawn.sticking
    label, turns = drawn.fates.of(np.array([interval.lower - 0.1]), np.array([0.0]))
    assert (label.tolist(), turns.tolist()) == ([0], [0])


def test_a_joint_that_sticks_everywhere_has_one_fate():
    drawn = ulna.portrait(pendulum(20.0), starts=[(0.0, 30.0)], duration=5.0)
    assert drawn.fates.names == ("sticks where it stops",)
    assert drawn.orbits[0].run.qd[-1, 0] == 0.0


def test_basins_end_on_the_intervals():
    drawn = ulna.portrait(pendulum(3.0), speeds=(-6.0, 6.0))
    basins = drawn.basins((12, 12), progress=False)
    assert basins.undecided == 0.0
    assert set(np.unique(basins.label)) == {0, 1}
    # In the mirror left is right, and what sticks does so there.
    grid = [values.ravel() for values in np.meshgrid(basins.angle, basins.speed)]
    mirrored = drawn.fates.of(math.pi - grid[0], -grid[1])
    assert mirrored.label.tolist() == basins.label.ravel().tolist()


# ---------------------------------------------------------------------------------- what runs on


def test_coulomb_friction_takes_its_torque_off_what_drives_a_running_joint():
    plain = ulna.portrait(ulna.preset("bechard-1"), torque=4.0).running
    found = ulna.portrait(pendulum(1.5, damping=0.2), torque=5.5).running
    assert found.mean == pytest.approx(plain.mean, rel=1e-9)
    assert found.slowest == pytest.approx(plain.slowest, rel=1e-9)
    assert found.multiplier == pytest.approx(plain.multiplier, rel=1e-6)


def test_with_drag_it_runs_as_a_linear_equation_of_the_squared_speed_has_it():
    # d(ω²)/dθ = 2 (τ − f_c − c ω² − G cos θ)/M.
    found = ulna.portrait(pendulum(1.0, drag=0.2), torque=6.0).running
    middle, wave = 5.0 / 0.2, 2.0 * G / math.sqrt(1.0 + 4.0 * 0.2**2)
    assert found.slowest**2 == pytest.approx(middle - wave, abs=1e-5)
    assert found.fastest**2 == pytest.approx(middle + wave, abs=1e-5)


@pytest.mark.slow
def test_the_least_torque_that_keeps_it_running_is_more_by_coulomb_friction():
    plain = ulna.portrait(ulna.preset("bechard-1")).critical_torques.running
    arm = pendulum(1.5, damping=0.2)
    around = [ulna.portrait(arm, torque=plain + 1.5 + off).running for off in (-1e-7, 1e-7)]
    assert [one is None for one in around] == [True, False]
    assert ulna.portrait(arm).critical_torques.running == pytest.approx(plain + 1.5, abs=1e-9)


def test_the_least_torque_against_drag_is_where_the_slowest_speed_is_none():
    found = ulna.portrait(pendulum(1.0, drag=0.2)).critical_torques
    expected = 1.0 + 0.2 * 2.0 * G / math.sqrt(1.0 + 4.0 * 0.2**2)
    assert found.running == pytest.approx(expected, abs=1e-8)
    assert found.lifting == pytest.approx(G + 1.0, abs=1e-12)


def test_without_anything_that_grows_with_the_speed_coulomb_friction_is_the_least_torque():
    assert ulna.portrait(pendulum(1.5)).critical_torques == (pytest.approx(G + 1.5), 1.5)


def test_friction_that_falls_lets_a_joint_run_that_would_not_start():
    # On the level it runs where τ = f(ω) + b ω, and what is slower than the lower root stops.
    arm = pendulum(1.0, damping=0.1, gravity=FLAT, static=3.0, stribeck_velocity=1.0)
    drawn = ulna.portrait(arm, torque=2.0, starts=[(0.0, 0.5), (0.0, 3.0)], duration=1.0)

    def excess(speed):
        return 2.0 - 1.0 - 2.0 * math.exp(-(speed**2)) - 0.1 * speed

    from scipy.optimize import brentq

    slow, fast = brentq(excess, 0.1, 3.0), brentq(excess, 3.0, 20.0)
    assert drawn.running.mean == pytest.approx(fast, abs=1e-9)
    (border,) = drawn.critical_speeds(0.3, within=(0.0, 4.0))
    assert border.value == pytest.approx(slow, abs=1e-8)
    assert [orbit.fate.name for orbit in drawn.orbits] == ["sticks where it stops", "runs on"]
    speeds = np.linspace(0.0, 10.0, 100_001)
    least = np.min(1.0 + 2.0 * np.exp(-(speeds**2)) + 0.1 * speeds)
    assert drawn.critical_torques == (pytest.approx(3.0), pytest.approx(least, abs=1e-7))


def test_without_anything_that_grows_with_the_speed_it_speeds_up_for_ever():
    drawn = ulna.portrait(pendulum(1.0), torque=4.0, starts=[(0.0, 6.0)], duration=5.0)
    assert drawn.running is None
    assert drawn.orbits[0].fate.name == "runs on"
    assert drawn.orbits[0].run.qd[-1, 0] > 6.0


def test_drag_alone_is_a_resistance_and_holds_nothing():
    arm = pendulum(0.0, drag=0.2)
    drawn = ulna.portrait(arm, torque=4.0, starts=[(0.0, 2.0), (0.0, 6.0)])
    assert [one.kind for one in drawn.equilibria] == ["centre", "saddle"]
    segment = drawn.flow.segment(0.3, 2.0, 2.0, 3)
    back = drawn.flow.segment(segment.angle[-1], segment.speed[-1], 2.0, 3, backwards=True)
    assert (back.angle[-1], back.speed[-1]) == pytest.approx((0.3, 2.0), abs=1e-9)
    expected = [math.sqrt(4.0 / 0.2 + side * 2.0 * G / math.sqrt(1.16)) for side in (-1, 1)]
    assert [drawn.running.slowest, drawn.running.fastest] == pytest.approx(expected, abs=1e-6)
    flat = ulna.portrait(pendulum(0.0, gravity=FLAT, drag=0.2), starts=[(0.0, 2.0)], duration=1.0)
    assert flat.orbits[0].fate.name == "slows down for ever"


class Pushing:
    """A law that drives a joint on, the more the faster it is."""

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return 4.0 * np.tanh(qd), state


@pytest.mark.slow
def test_a_law_may_drive_on_what_friction_would_hold_at_rest():
    # On the level it runs where 4 tanh ω = f_c + b ω; the lower root repels.
    arm = pendulum(2.0, damping=0.2, gravity=FLAT)
    drawn = ulna.portrait(arm, controller=Pushing(), speeds=(-12.0, 12.0))
    assert [one.kind for one in drawn.sticking] == ["everywhere"]
    there, back = drawn.running_solutions
    assert 4.0 * math.tanh(there.mean) - 2.0 - 0.2 * there.mean == pytest.approx(0.0, abs=1e-5)
    assert back.mean == pytest.approx(-there.mean, rel=1e-6)
    label, _ = drawn.fates.of(np.zeros(4), np.array([0.5, 0.7, -0.5, -0.7]))
    assert [drawn.fates.names[k] for k in label] == [
        "sticks where it stops", "runs on", "sticks where it stops", "runs on clockwise"
    ]  # fmt: skip

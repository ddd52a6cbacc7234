"""What becomes of starts: long runs of the engine, the cylinder, mirrors, and traps that keep."""

import math

import numpy as np
import pytest

import ulna
from ulna.control import PD, ComputedTorque, GravityPD

ARM = ulna.preset("bechard-1")
TURN = 2.0 * math.pi


def starts(count=60):
    random = np.random.default_rng(7)
    return random.uniform(-6.0, 6.0, count), random.uniform(-10.0, 10.0, count)


def final(arm, torque, angle, speed):
    run = ulna.simulate_batch(
        arm, q0=angle[:, None], qd0=speed[:, None], torque=[torque], duration=80.0, dt=2e-3
    )
    return run.q[:, -1, 0], run.qd[:, -1, 0]


@pytest.mark.parametrize("torque", [0.0, 4.0, -3.0])
def test_fates_are_where_long_runs_end(torque):
    fates = ulna.portrait(ARM, torque=torque).fates
    angle, speed = starts()
    label, turns = fates.of(angle, speed)
    end, rate = final(ARM, torque, angle, speed)
    rests = np.abs(rate) < 1.0
    well = -math.pi / 2 + math.asin(torque / 9.81)
    assert (label >= 0).all()
    assert (np.array(fates.names)[label] == f"settles at {well:.4g} rad").tolist() == rests.tolist()
    assert turns[rests] == pytest.approx((end[rests] - well) / TURN, abs=0.05)


def test_a_turn_more_is_the_same_well_a_turn_on():
    fates = ulna.portrait(ARM, torque=4.0).fates
    angle, speed = starts()
    here, there = fates.of(angle, speed), fates.of(angle + 3 * TURN, speed)
    assert here.label.tolist() == there.label.tolist()
    captured = here.label == 0
    assert (there.turns - here.turns)[captured].tolist() == [3] * int(captured.sum())


def test_the_mirror_of_a_start_has_the_mirrored_fate():
    angle, speed = starts()
    there = ulna.portrait(ARM, torque=4.0).fates.of(angle, speed)
    back = ulna.portrait(ARM, torque=-4.0).fates.of(-math.pi - angle, -speed)
    assert (there.label == 0).tolist() == (back.label == 0).tolist()


def test_what_is_said_to_be_captured_never_leaves():
    fates = ulna.portrait(ARM, torque=4.0).fates
    angle, speed = starts(400)
    label, turns = fates.decide(angle, speed)
    trapped = label == 0
    run = ulna.simulate_batch(
        ARM, q0=angle[trapped, None], qd0=speed[trapped, None], torque=[4.0], duration=20.0,
        dt=5e-3, samples=200,
    )  # fmt: skip
    saddle = 1.150811 + TURN * turns[trapped]
    q = run.q[..., 0]
    assert trapped.sum() > 20
    assert (q < saddle[:, None]).all()
    assert (q > saddle[:, None] - TURN).all()


def test_what_is_said_to_run_on_never_slows_to_a_stop():
    fates = ulna.portrait(ARM, torque=4.0).fates
    angle, speed = starts(400)
    runs = fates.decide(angle, speed).label == 1
    run = ulna.simulate_batch(
        ARM, q0=angle[runs, None], qd0=speed[runs, None], torque=[4.0], duration=20.0, dt=5e-3,
        samples=200,
    )  # fmt: skip
    assert runs.sum() > 20
    assert (run.qd > 0.0).all()


def test_what_is_faster_than_the_orbit_over_the_top_runs_on_and_what_is_slower_is_open():
    drawn = ulna.portrait(ARM, torque=4.0)
    segment = next(
        one.segment for one in drawn.separatrices if not one.incoming and one.side > 0
    )  # fmt: skip
    there = (segment.angle > 1.5) & (segment.angle < 1.150811 + TURN - 0.1)
    angle, speed = segment.angle[there], segment.speed[there]
    assert (drawn.fates.decide(angle, 1.001 * speed).label == 1).all()
    assert (drawn.fates.decide(angle, 0.999 * speed).label != 1).all()


@pytest.mark.parametrize(
    ("law", "limit"),
    [(PD(20.0, 2.0), None), (GravityPD(5.0, 2.0), 4.0), (ComputedTorque(4.0), 12.0)],
    ids=["PD", "weak GravityPD", "ComputedTorque"],
)
def test_under_a_law_fates_are_where_long_runs_end(law, limit):
    drawn = ulna.portrait(ARM, controller=law, set_point=0.5, max_torque=limit, angles=(-7, 7))
    angle, speed = starts(30)
    label, _ = drawn.fates.of(angle, speed)
    run = ulna.simulate_batch(
        drawn.flow.free, q0=angle[:, None], qd0=speed[:, None], controller=law, reference=[0.5],
        duration=60.0,
    )  # fmt: skip
    ends = [float(drawn.fates.names[k].split()[2]) for k in label]
    assert run.q[:, -1, 0] == pytest.approx(ends, abs=0.02)


class Pushing:
    """A spring whose damper pushes while it turns slowly: no energy only ever falls."""

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return 30.0 * (reference.q - q) - 3.0 * qd + 4.0 * np.sin(qd) * (np.abs(q) > 1.5), state


def test_a_law_that_pushes_somewhere_still_has_its_rest():
    drawn = ulna.portrait(ARM, controller=Pushing(), set_point=0.0)
    (rest,) = drawn.equilibria
    label, turns = drawn.fates.decide(np.array([rest.angle + 0.01, 40.0]), np.array([0.0, 0.0]))
    assert label.tolist() == [0, -1]
    assert turns.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arm", "torque", "name"),
    [(ARM, 12.0, "runs on"),
     (ARM.replace(gravity=(0.0, 0.0)), 0.0, "comes to rest"),
     (ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0)), 0.0, "keeps its speed"),
     (ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0)), 1.0, "runs on")],
)  # fmt: skip
def test_where_nothing_can_be_captured_there_is_one_fate(arm, torque, name):
    (orbit,) = ulna.portrait(arm, torque=torque, starts=[(0.3, 1.0)], duration=1.0).orbits
    assert orbit.fate == (name, 0)


def test_without_friction_it_swings_or_runs_by_its_energy():
    free = ulna.Arm.point_masses([1.0], [1.0])
    drawn = ulna.portrait(free, starts=[(0.0, 4.0), (0.0, 5.0)], duration=1.0)
    assert [orbit.fate.name for orbit in drawn.orbits] == ["swings about -1.571 rad", "runs on"]


def test_where_well_and_saddle_meet_a_fast_start_runs_on():
    drawn = ulna.portrait(ARM, torque=9.81, starts=[(0.0, 12.0)], duration=1.0)
    assert drawn.running.mean_over_angle == pytest.approx(9.81 / 0.2, abs=1e-8)
    assert drawn.orbits[0].fate.name == "runs on"


def test_with_hardly_any_friction_the_fate_may_stay_open():
    slippery = ARM.replace(joints=[ulna.Joint(damping=1e-9)])
    fates = ulna.portrait(slippery).fates
    label, _ = fates.of(np.full(3, 0.3), np.full(3, 8.0), most=1e6)
    assert (label == -1).all()
    assert fates.fate(-1, 0).name == "undecided"


def test_without_any_damper_a_spring_swings():
    free = ulna.Arm.point_masses([1.0], [1.0])
    drawn = ulna.portrait(free, controller=PD(20.0, 0.0), starts=[(0.3, 1.0)], duration=1.0)
    assert drawn.equilibria[0].kind == "centre"
    assert drawn.orbits[0].fate.name.startswith("swings about")


def test_far_from_its_aim_a_weak_law_still_counts_turns():
    drawn = ulna.portrait(ARM.replace(gravity=(0.0, 0.0)), controller=PD(20.0, 2.0), set_point=13.0,
                          max_torque=1.0, starts=[(0.0, 0.0)], duration=1.0)  # fmt: skip
    assert not drawn.cylinder
    assert drawn.running is None
    assert drawn.orbits[0].fate.name == "settles at 13 rad"


class Sine:
    """A law of the angle's sine, in Python, that turns with the angle or against it."""

    def __init__(self, stiffness, push=0.0):
        self.stiffness, self.push = stiffness, push

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return -self.stiffness * np.sin(q) + self.push * np.tanh(qd), state


FLAT = ARM.replace(gravity=(0.0, 0.0))


def test_a_law_in_python_is_followed_start_by_start():
    drawn = ulna.portrait(FLAT, controller=Sine(5.0), starts=[(0.3, 1.0), (3.0, 6.0)], duration=1.0)
    places = {rest.kind: abs(rest.angle) for rest in drawn.equilibria}
    assert places == {
        "saddle": pytest.approx(math.pi),
        "stable focus": pytest.approx(0.0, abs=1e-9),
    }
    assert [orbit.fate.name for orbit in drawn.orbits] == ["settles at 0 rad", "settles at 0 rad"]
    end = ulna.simulate(
        FLAT, q0=[3.0], qd0=[6.0], torque="-5*sin(q1)", duration=80.0, samples=2
    ).q[-1, 0]  # fmt: skip
    assert drawn.orbits[1].fate.turns == round(end / TURN) == pytest.approx(end / TURN, abs=1e-2)


def test_a_law_may_run_both_ways():
    drawn = ulna.portrait(FLAT, controller=Sine(0.5, 4.0))
    assert [one.direction for one in drawn.running_solutions] == [1, -1]
    there, back = drawn.running_solutions
    assert there.mean == pytest.approx(-back.mean, rel=1e-6)
    assert {"runs on", "runs on clockwise"} <= set(drawn.fates.names)


def test_a_law_that_holds_the_joint_anywhere_has_one_rest_for_it():
    (rest,) = ulna.portrait(FLAT, controller=Sine(0.0)).equilibria
    assert rest.kind == "degenerate"

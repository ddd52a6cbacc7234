"""Whether a run followed its plan: what makes it so, what does not, and why."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import ulna
from ulna.analysis import default_tolerance, stability, verdict
from ulna.control import PD, ComputedTorque, FeedforwardPID, OpenLoop
from ulna.errors import UlnaWarning
from ulna.simulation import Saturation, Sensors
from ulna.simulation.motor_use import MotorUse
from ulna.simulation.outcome import Status

ARM = ulna.preset("kehl")
CIRCLE = ulna.paths.circle((0.5, 0.2), 0.1)
PLAN = ulna.plan(ARM, CIRCLE, duration=1.0)
LAW = ComputedTorque(natural_frequency=20.0)
GROWTH = stability(PLAN, LAW)


def simulated(law=LAW, plan=PLAN, **options):
    return ulna.simulate(plan.arm, controller=law, reference=plan, **options)


RUN = simulated()


def weak(limit):
    """Give the arm with motors of so much torque [N·m] in its first joint."""
    joints = [ulna.Joint(max_torque=limit), ulna.Joint()]
    return ulna.Arm.rods([0.5, 0.5], [1.0, 10.0], joints=joints)


def test_a_good_loop_follows_and_says_how_closely():
    told = verdict(RUN, PLAN, stability=GROWTH)
    assert told
    assert (told.follows, told.reason, told.saturation) == (True, "follows", ())
    # The largest distance of the tip from its circle, on which it is exactly where it should be.
    angle = 2.0 * np.pi * RUN.t
    asked = np.stack([0.5 + 0.1 * np.cos(angle), 0.2 + 0.1 * np.sin(angle)], axis=-1)
    far = np.hypot(*(RUN.tip[:, :2] - asked).T)
    assert told.peak_error == pytest.approx(far.max(), rel=1e-6)
    assert told.peak_error_t == pytest.approx(RUN.t[far.argmax()])
    assert told.text == f"follows within {far.max() * 1e6:.3g} µm, tolerance 4 mm"


def test_the_tolerance_decides():
    far = verdict(RUN, PLAN).peak_error
    assert verdict(RUN, PLAN, tolerance=1.001 * far)
    told = verdict(RUN, PLAN, tolerance=0.999 * far)
    assert told.reason == "off"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (ulna.paths.circle((0.5, 0.2), 0.05), 2e-3),  # 2 % of 10 cm
        (ulna.paths.circle((0.0, 0.0), 0.8), 10e-3),  # 1 % of 1 m
        (ulna.paths.line((0.3, 0.2), (0.4, 0.25)), 2e-3),  # by its longer side
        (ulna.paths.joints([[0.0, np.pi], [1.0, np.pi]]), 10e-3),  # folded up, it turns on the spot
    ],
)
def test_the_default_tolerance_is_a_part_of_path_and_reach(path, expected):
    plan = ulna.plan(ARM, path, duration=1.0)
    assert default_tolerance(plan) == pytest.approx(expected, rel=1e-4)


def test_a_spring_that_sags_is_off_though_it_is_stable():
    law = PD()
    told = verdict(simulated(law), PLAN, stability=stability(PLAN, law))
    assert told.reason == "off"
    assert "more than 4 mm" in told.text


STICKY = ulna.preset("dfki-double-pendulum")
STICKY_PLAN = ulna.plan(STICKY, ulna.paths.circle((0.25, 0.1), 0.05), duration=2.0)


def test_a_tip_that_is_off_by_what_friction_explains_is_said_to_be():
    law = FeedforwardPID(30.0, 1.0, 0.0, friction_compensation=False)
    run = simulated(law, STICKY_PLAN)
    told = verdict(run, STICKY_PLAN, stability=stability(STICKY_PLAN, law))
    assert not told
    assert told.reason == "friction"
    # Joint 1 has 0.2513 N·m: by 30 N·m/rad that is 0.48°, and gravity is a spring as well.
    found = re.search(r"more than 2 mm, within the friction band of joint 1, (.*)°$", told.text)
    torque, angle = found[1].split(": ±")
    assert torque == "±0.251 N·m"
    assert float(angle) == pytest.approx(np.degrees(0.2513 / 30.0), rel=0.1)
    assert json.dumps(told.facts())
    # A run knows its controller by its text, whatever model that has.
    other = replace(law, model=STICKY)
    assert verdict(simulated(other, STICKY_PLAN), STICKY_PLAN).text == told.text


def test_a_controller_that_compensates_friction_follows():
    for law in (ComputedTorque(), FeedforwardPID(ki=0.0)):
        run, grows = simulated(law, STICKY_PLAN), stability(STICKY_PLAN, law)
        told = verdict(run, STICKY_PLAN, stability=grows)
        assert told
        assert told.peak_error < 2e-5


def test_an_arm_that_friction_holds_all_the_time_does_not_follow():
    joints = [
        replace(joint, friction=ulna.Friction(50.0), max_torque=np.inf, motor=None)
        for joint in STICKY.joints
    ]
    plan = ulna.plan(STICKY.replace(joints=joints), STICKY_PLAN.path, duration=2.0)
    run = simulated(PD(60.0, 2.0), plan, qd0=[0.0, 0.0], q0=plan.q[0])
    assert not run.qd.any()
    told = verdict(run, plan)
    assert told.reason == "friction"
    assert "within the friction band of joint 2, ±50 N·m: ±50°" in told.text


def test_what_friction_does_not_explain_is_off():
    # Without gravity compensation the arm sags by far more than friction holds.
    assert verdict(simulated(PD(30.0, 1.0), STICKY_PLAN), STICKY_PLAN).reason == "off"


def test_a_loop_that_is_too_slow_is_unstable():
    law = ComputedTorque(natural_frequency=60.0)
    assert verdict(simulated(law), PLAN, stability=stability(PLAN, law))
    grows = stability(PLAN, law, rate=50.0)
    with pytest.warns(UlnaWarning, match="unstable"):
        run = simulated(law, rate=50.0, dt=1e-3)
    told = verdict(run, PLAN, stability=grows)
    assert told.text.startswith(("does not follow: unstable at 50 Hz", "does not follow: diverged"))
    assert told.growth == pytest.approx(np.log(np.linalg.norm(grows.phi[-1], 2)), rel=1e-6)


def test_an_arm_that_is_on_its_path_by_luck_does_not_follow_it():
    # Nothing disturbs this run; an error of a micrometre would have ruined it.
    plan = ulna.plan(ARM, CIRCLE, duration=3.0)
    told = verdict(simulated(plan=plan), plan, stability=stability(plan, OpenLoop()))
    assert told.peak_error < told.tolerance
    assert told.reason == "unstable"
    assert told.text.startswith("does not follow: unstable without feedback, errors grow 10^8-fold")


def test_errors_that_grow_a_little_before_they_fall_are_not_unstable():
    short = ulna.plan(ARM, CIRCLE, duration=0.3)
    cut = ulna.plan(ARM, ulna.paths.line((0.5, 0.2), (0.5, 0.25)), duration=0.1)
    for plan in (short, cut):
        grows = stability(plan, LAW)
        assert np.max(grows.growth) > 1.0
        assert verdict(simulated(plan=plan), plan, stability=grows, tolerance=0.02)


def test_motors_that_are_too_weak_for_the_loop_are_named():
    # The motors do for the arm, and not for what it carries unknown to anybody.
    arm = weak(53.0)
    plan = ulna.plan(arm, CIRCLE, duration=2.0)
    assert plan.ok
    loaded = arm.with_payload(2.0)
    run = ulna.simulate(loaded, controller=ComputedTorque(model=arm), reference=plan)
    told = verdict(run, plan)
    assert told.reason == "saturated"
    assert told.saturation == run.saturation


def test_limits_that_are_met_do_not_matter_where_the_tip_stays():
    met = (Saturation(2, 3, 0.42, 0.1), *(Saturation(k, 1, 0.1, 0.2) for k in (3, 4, 5)))
    told = verdict(replace(RUN, saturation=met), PLAN, stability=GROWTH)
    assert told.reason == "follows"
    assert told.text.endswith(
        "; torque limits were met (joint 2, 3 times, 0.42 s; joint 3, once, 0.1 s; "
        "joint 4, once, 0.1 s; and 1 more)"
    )


def test_limits_that_are_met_after_the_tip_has_left_are_not_the_reason():
    run = simulated(PD())
    left = ulna.analysis.tracking(run, PLAN).first_exit(4e-3)
    for first, reason in ((0.5 * left, "saturated"), (left + 0.01, "off")):
        told = verdict(replace(run, saturation=(Saturation(1, 1, 0.1, first),)), PLAN)
        assert told.reason == reason
        assert "torque limits were met (joint 1, once, 0.1 s)" in told.text


def test_a_run_that_diverged_says_so_and_why():
    law = ComputedTorque(natural_frequency=1e5)
    with pytest.warns(UlnaWarning, match="unstable"):
        run = simulated(law)
    told = verdict(run, PLAN, stability=stability(PLAN, law))
    assert told.reason == "unfinished"
    assert "diverged at t = 0.00" in told.text


def test_a_run_that_ends_early_did_not_follow():
    told = verdict(simulated(duration=0.5), PLAN, stability=GROWTH)
    assert told.reason == "unfinished"
    assert "0.5 s of 1 s" in told.text
    broken = replace(RUN, status=Status(False, "interrupted", "interrupted at t = 1 s"))
    assert verdict(broken, PLAN).reason == "interrupted"


def test_a_plan_that_cannot_be_done_comes_first():
    plan = ulna.plan(weak(20.0), CIRCLE, duration=1.0)
    assert not plan.ok
    told = verdict(simulated(plan=plan), plan)
    assert told.reason == "infeasible"
    nowhere = ulna.plan(ARM, ulna.paths.circle((0.9, 0.0), 0.3), duration=1.0)
    told = verdict(None, nowhere)
    assert (told.follows, told.reason) == (False, "infeasible")
    assert told.facts()["tolerance"] is None


@pytest.mark.parametrize(("deviation", "follows"), [(1e-5, True), (0.05, False)])
def test_noisy_sensors_are_borne_until_they_throw_the_tip_off(deviation, follows):
    run = simulated(sensors=Sensors(angle_noise=deviation, seed=1))
    told = verdict(run, PLAN, stability=GROWTH)
    assert told.follows is follows
    assert told.reason == ("follows" if follows else "off")


@pytest.mark.parametrize(("load", "follows"), [(0.1, True), (5.0, False)])
def test_a_load_that_the_controller_does_not_know_counts_by_what_it_does(load, follows):
    law, arm = ComputedTorque(natural_frequency=20.0, model=ARM), ARM.with_payload(load)
    run = ulna.simulate(arm, controller=law, reference=PLAN)
    told = verdict(run, PLAN, stability=stability(PLAN, law, arm=arm))
    assert told.follows is follows
    assert told.reason == ("follows" if follows else "off")


def test_text_table_and_facts_tell_the_verdict():
    told = verdict(RUN, PLAN, stability=GROWTH)
    assert repr(told) == f"FollowingVerdict: {told}"
    met = replace(RUN, saturation=(Saturation(2, 3, 0.42, 0.1),))
    facts = json.loads(json.dumps(verdict(met, PLAN, stability=GROWTH).facts(), allow_nan=False))
    assert facts["saturation"] == [{"joint": 2, "episodes": 3, "seconds": 0.42, "first": 0.1}]
    assert (facts["follows"], facts["reason"]) == (True, "follows")
    assert facts["largest_growth"] == pytest.approx(float(np.max(GROWTH.growth)))


def motor_use(joint=1, **changes):
    idle = MotorUse(joint, 0.0, 0, None, None, None, None, None, None, 0)
    return idle._replace(**changes)


def off_by(far):
    """Return the run with its first joint off by an angle [rad] from halfway on."""
    q = RUN.q + far * (RUN.t > 0.5)[:, None] * np.array([1.0, 0.0])
    return replace(RUN, q=q)


LIMITED = motor_use(limited_seconds=0.25, episodes=2, first_limited=0.4)


def test_a_motor_at_its_limits_before_the_tip_is_off_is_the_cause():
    told = verdict(replace(off_by(0.1), motors=(LIMITED,)), PLAN)
    assert told.reason == "motor"
    cause = "the motor of joint 1 was at its limits 2 times, for 0.25 s, first at t = 0.4 s"
    assert told.text.startswith(f"does not follow: {cause}; off by ")
    assert told.motors == (LIMITED,)
    assert told.facts()["motors"][0]["first_limited"] == 0.4


def test_a_motor_at_its_limits_afterwards_is_told_and_is_not_the_cause():
    late = LIMITED._replace(first_limited=0.8)
    told = verdict(replace(off_by(0.1), motors=(late,)), PLAN)
    assert told.reason == "off"
    assert "first at t = 0.8 s" in told.text
    close = verdict(replace(RUN, motors=(LIMITED,)), PLAN)
    assert close
    assert close.text.endswith("first at t = 0.4 s")


def test_a_run_that_burns_a_motor_does_not_follow_however_close_it_is():
    hot = motor_use(overheated=0.7, hottest=131.0)
    told = verdict(replace(RUN, motors=(hot,)), PLAN)
    assert not told
    assert told.reason == "overheated"
    assert "the motor of joint 1 overheated at t = 0.7 s, 131 °C at most" in told.text


def test_what_a_gear_took_is_told_where_nothing_else_explains_the_error():
    geared = ulna.Joint(motor=ulna.Motor(48.0, 0.1, 0.1, gear_ratio=100.0, efficiency=0.5))
    arm = ARM.replace(joints=[geared, ulna.Joint()])
    told = verdict(replace(off_by(0.1), arm=arm), PLAN)
    drives = RUN.tau[:, 0] * RUN.qd[:, 0] >= 0.0
    most = np.max(np.abs(RUN.tau[:, 0]) * np.where(drives, 0.5, 1.0))
    assert told.reason == "off"
    assert f"the gear of joint 1 took up to {most:.3g} N·m" in told.text

"""Tracking: errors of runs whose errors are known."""

import json

import numpy as np
import pytest

import ulna
from ulna.analysis import effort, tracking
from ulna.control import PD
from ulna.errors import InputError
from ulna.simulation.outcome import Status

ARM = ulna.preset("kehl")
CENTRE, RADIUS, LASTS = np.array([0.5, 0.2]), 0.1, 2.0
SPEED = 2.0 * np.pi * RADIUS / LASTS  # [m/s] on the circle, counter-clockwise
PLAN = ulna.plan(ARM, ulna.paths.circle(tuple(CENTRE), RADIUS), duration=LASTS)
TIMES = np.linspace(0.0, LASTS, 401)


def run_of(t, q, qd=None, tau=None, arm=ARM):
    rows = np.zeros_like(q)
    return ulna.Run(
        arm=arm, t=t, q=q, qd=rows if qd is None else qd, qdd=rows,
        tau=rows if tau is None else tau, tip_force=np.zeros((len(t), 3)),
        injected=np.zeros(len(t)), dissipated=np.zeros(len(t)),
        status=Status(True, "done", "made up"),
    )  # fmt: skip


def on_plan(t, shift=0.0):
    return run_of(t, PLAN.trajectory(t + shift).q)


def test_a_run_on_the_plan_has_no_error():
    told = tracking(on_plan(TIMES), PLAN)
    assert told.max <= 1e-14
    assert told.rms <= 1e-14
    assert told.first_exit(1e-9) is None
    assert told.settling_time() == 0.0
    assert np.abs(told.joint_error).max() <= 1e-14


def test_late_is_along_and_wide_is_across():
    late = tracking(on_plan(TIMES[100:300], shift=-0.001), PLAN)
    assert late.along_track == pytest.approx(-0.001 * SPEED, rel=1e-4)
    assert np.abs(late.cross_track).max() <= 1e-6
    wide = ulna.plan(ARM, ulna.paths.circle(tuple(CENTRE), RADIUS + 0.002), duration=LASTS)
    told = tracking(run_of(TIMES, wide.trajectory(TIMES).q), PLAN)
    assert told.cross_track == pytest.approx(-0.002)  # outside: to the right of the way
    assert np.abs(told.along_track).max() <= 1e-12
    assert told.cross_track_rms == pytest.approx(told.rms) == pytest.approx(told.max)


def test_parts_make_up_the_whole():
    told = tracking(on_plan(TIMES, shift=0.05), PLAN)
    assert np.hypot(told.along_track, told.cross_track) == pytest.approx(told.size)
    assert told.along_track_rms**2 + told.cross_track_rms**2 == pytest.approx(told.rms**2)
    k = int(np.argmax(told.size))
    assert told.worst == (told.size[k], told.t[k], tuple(told.reference[k]))


def test_the_mean_is_over_time_and_not_over_samples():
    crowded = np.concatenate([np.linspace(0.0, 1.0, 5001), np.linspace(1.0, 2.0, 201)[1:]])
    even, uneven = (tracking(on_plan(t, shift=0.2 * (t > 1.0)), PLAN) for t in (TIMES, crowded))
    assert uneven.rms == pytest.approx(even.rms, rel=0.01)


def test_leaving_a_tube_and_settling_in_it():
    late = np.where(TIMES < 0.5, 0.0, np.where(TIMES < 1.0, 0.02, 0.001))
    told = tracking(on_plan(TIMES, shift=late), PLAN)
    assert told.first_exit(0.005) == pytest.approx(0.5)
    assert told.settling_time() == pytest.approx(1.0)
    assert told.settling_time(0.01) == 0.0
    assert told.settling_time(1e-5) is None


def test_the_last_direction_counts_while_the_tip_stands_still():
    rest = ulna.plan(ARM, ulna.paths.line((0.3, 0.1), (0.6, 0.1)), duration=1.0, timing="quintic")
    t, off = np.linspace(-0.5, 1.5, 201), np.array([0.002, 0.001])
    q = ulna.kinematics.inverse(ARM, rest.trajectory.tip(t).position + off).q
    near = np.argmin(np.abs(q - rest.trajectory(t).q[:, None]).sum(axis=-1), axis=1)
    told = tracking(run_of(t, q[np.arange(len(t)), near]), rest)
    assert told.along_track == pytest.approx(0.002)
    assert told.cross_track == pytest.approx(0.001)


def test_a_plan_may_begin_before_the_run():
    run = on_plan(TIMES[:200], shift=0.7)
    assert tracking(run, PLAN, start=0.7).max <= 1e-14
    assert tracking(run, PLAN).max > 0.1


def test_a_run_before_the_plan_starts_has_the_start_to_keep_to():
    told = tracking(on_plan(TIMES[:50]), PLAN, start=-9.0)
    assert told.error[0] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert told.along_track == pytest.approx(told.error[:, 0])


def test_a_turn_at_the_start_is_no_error_of_the_joints_but_one_on_the_way_is():
    q = PLAN.trajectory(TIMES).q + np.array([2.0 * np.pi, 0.0])
    assert np.abs(tracking(run_of(TIMES, q), PLAN).joint_error).max() <= 1e-14
    q[200:, 0] += 2.0 * np.pi
    told = tracking(run_of(TIMES, q), PLAN)
    assert np.abs(told.joint_error).max() == pytest.approx(2.0 * np.pi)
    assert told.max <= 1e-14


def test_rows_that_are_not_finite_do_not_count():
    q = PLAN.trajectory(TIMES + 0.01).q
    q[50], q[300:] = np.nan, np.inf
    told = tracking(run_of(TIMES, q), PLAN)
    whole = tracking(on_plan(TIMES[:300], shift=0.01), PLAN)
    assert np.isnan(told.size[[50, 300]]).all()
    assert told.rms == pytest.approx(whole.rms, rel=1e-2)
    assert told.settling_time() is None
    json.dumps(told.facts(), allow_nan=False)
    nothing = tracking(run_of(TIMES[:3], np.full((3, 2), np.nan)), PLAN)
    assert nothing.worst is None
    assert np.isnan(nothing.rms)
    assert "no sample" in repr(nothing)
    json.dumps(nothing.facts(), allow_nan=False)


def test_runs_of_one_sample_and_of_enormous_numbers_are_judged():
    assert tracking(on_plan(TIMES[:1], shift=0.1), PLAN).rms > 0.01
    q = PLAN.trajectory(TIMES).q
    q[-1] = 1e200
    told = tracking(run_of(TIMES, q, qd=q, tau=q), PLAN)
    assert np.isfinite(told.rms)
    json.dumps(told.facts(), allow_nan=False)


def test_a_run_that_ended_early_is_judged_up_to_there():
    start = PLAN.trajectory(0.0)
    run = ulna.simulate(
        ARM, q0=start.q, qd0=start.qd, duration=LASTS, controller=PD([400.0, 100.0], [40.0, 10.0]),
        reference=PLAN, until="t > 0.5",
    )  # fmt: skip
    told = tracking(run, PLAN)
    assert told.t[-1] == pytest.approx(0.5)
    assert 0.01 < told.max < 0.3
    assert told.worst.t <= 0.5


def test_effort_of_a_steady_torque_is_its_work():
    arm = ulna.Arm.of([ulna.Link(1.0, 3.0)], [ulna.Joint(max_torque=4.0)], gravity=(0.0, 0.0))
    run = ulna.simulate(arm, q0=[0.0], duration=2.0, torque=[1.0])  # 1 rad/s² on 1 kg·m²
    told = effort(run)
    assert told.torque_peak == pytest.approx([1.0])
    assert told.torque_rms == pytest.approx([1.0])
    assert told.torque_use == pytest.approx([0.25])
    assert told.energy == pytest.approx([2.0]) == told.energy_spent
    assert told.power_peak == pytest.approx([2.0])
    assert told.power_mean == pytest.approx([1.0])
    assert told.power_rms == pytest.approx([np.sqrt(4.0 / 3.0)], rel=1e-2)


def test_what_comes_back_is_not_spent():
    t = np.linspace(0.0, 2.0 * np.pi, 1001)[:, None]
    run = run_of(
        t[:, 0], 0.0 * np.hstack([t, t]), np.hstack([np.sin(t)] * 2), np.full((1001, 2), 3.0)
    )
    told = effort(run)
    assert told.energy == pytest.approx([0.0, 0.0], abs=1e-9)
    assert told.energy_spent == pytest.approx([6.0, 6.0], rel=1e-4)
    assert np.isnan(told.torque_use).all()


def test_effort_of_one_sample_and_of_none():
    one = effort(run_of(TIMES[:1], np.zeros((1, 2)), np.full((1, 2), 2.0), np.full((1, 2), -3.0)))
    assert one.torque_rms.tolist() == [3.0, 3.0]
    assert one.power_mean.tolist() == [-6.0, -6.0]
    assert one.energy.tolist() == [0.0, 0.0]
    none = effort(run_of(TIMES[:2], np.zeros((2, 2)), np.full((2, 2), np.nan)))
    assert np.isnan(none.torque_peak).all()


def test_energy_of_the_joints_is_what_the_run_was_given():
    run = ulna.simulate(ARM, q0=[0.3, 0.4], duration=0.5, torque="40*cos(3*t), 10", dt=1e-4)
    assert effort(run).energy.sum() == pytest.approx(run.injected[-1], rel=1e-3)


def test_a_run_of_another_arm_is_refused():
    one = ulna.Arm.rods([1.0], [1.0])
    with pytest.raises(InputError, match="1 joints"):
        tracking(run_of(TIMES[:2], np.zeros((2, 1)), arm=one), PLAN)

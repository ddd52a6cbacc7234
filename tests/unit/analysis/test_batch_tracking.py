"""Tracking and effort of batches: what every member would be told by itself."""

from dataclasses import fields

import numpy as np
import pytest

import ulna
from ulna.analysis import Effort, effort, tracking
from ulna.control import ComputedTorque
from ulna.errors import InputError
from ulna.simulation.batch.statuses import CODES, Statuses

ARM = ulna.preset("kehl")
PLAN = ulna.plan(ARM, ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
SMALLER = ulna.plan(ARM, ulna.paths.circle((0.5, 0.2), 0.05), duration=2.0, timing="quintic")
START = PLAN.trajectory(0.0)
TIMES = np.linspace(0.0, 2.0, 203)  # rows of 406 numbers: no multiple of what a processor takes
HISTORIES = ("error", "size", "along_track", "cross_track", "joint_error", "reference")
NUMBERS = ("rms", "along_track_rms", "cross_track_rms", "joint_rms", "max")
EFFORTS = [field.name for field in fields(Effort)]


def made_up(members=64):
    """Return a batch whose members shake about the plan, some failed, some with gaps, one empty."""
    random = np.random.default_rng(7)
    reach = random.uniform(0.9, 1.1, (members, 1)) * ARM.parameters.length
    off = random.normal(0.0, 0.02, (2, members, len(TIMES), 2))
    q, qd = PLAN.trajectory(TIMES).q + off[0], PLAN.trajectory(TIMES).qd + off[1]
    tau = random.normal(0.0, 30.0, q.shape)
    q[:, :, 0] += 2.0 * np.pi * (np.arange(members) % 3)[:, None]
    codes = np.zeros(members, dtype=np.int8)
    for k, rows in {3: 150, 20: 1, 33: 0, 40: 77}.items():
        if k < members:
            q[k, rows:] = qd[k, rows:] = tau[k, rows:] = np.nan
            codes[k] = CODES["diverged"]
    if members > 11:
        q[10, 50] = qd[10, 50] = np.nan
        q[11, 60:70], tau[11, 80], q[11, -1] = np.inf, np.nan, 1e200
    ends = np.full(members, 2.0)
    limits = ARM.parameters._replace(length=reach, max_torque=np.array([50.0, np.inf]))
    return ulna.BatchRun(limits, TIMES, q, qd, tau, ends, Statuses(codes, ends), {})


def same_bits(one, other):
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


@pytest.mark.parametrize("several", [False, True])
def test_a_member_has_the_same_bits_in_every_batch(several):
    batch = made_up()
    plans = [(PLAN, SMALLER)[k % 2] for k in range(len(batch))] if several else PLAN
    whole, spent = tracking(batch, plans), effort(batch)
    for k in range(len(batch)):
        one = plans[k] if several else PLAN
        told, given = tracking(batch[k : k + 1], one), effort(batch[k : k + 1])
        for name in HISTORIES + NUMBERS:
            assert same_bits(getattr(told, name)[0], getattr(whole, name)[k]), (k, name)
        for name in EFFORTS:
            assert same_bits(getattr(given, name)[0], getattr(spent, name)[k]), (k, name)
        assert same_bits(told.settling_time(0.05)[0], whole.settling_time(0.05)[k])


def test_a_member_by_itself_is_told_the_same():
    batch = made_up(45)
    whole, spent = tracking(batch, PLAN), effort(batch)
    for k, member in enumerate(batch):
        told = tracking(member, PLAN)
        for name in HISTORIES + NUMBERS:
            assert same_bits(getattr(told, name), getattr(whole, name)[k]), (k, name)
        for name in EFFORTS:
            assert same_bits(getattr(told.effort, name), getattr(spent, name)[k]), (k, name)
        for found, all_of in (
            (told.settling_time(0.05), whole.settling_time(0.05)),
            (told.first_exit(0.03), whole.first_exit(0.03)),
            (told.worst and told.worst.t, whole.worst.t),
        ):
            assert (np.isnan(all_of[k]) and found is None) or found == all_of[k]


def test_members_are_told_what_their_own_runs_are():
    arms = [ARM.with_payload(kg) for kg in (0.0, 0.5, 2.0)]
    common = {
        "q0": START.q, "qd0": START.qd, "reference": PLAN, "duration": 2.0, "samples": 201,
        "controller": ComputedTorque(natural_frequency=10.0, model=ARM),
    }  # fmt: skip
    batch = ulna.simulate_batch(arms, keep_torques=True, **common)
    whole, spent = tracking(batch, PLAN), effort(batch)
    for k, arm in enumerate(arms):
        own = tracking(ulna.simulate(arm, **common), PLAN)
        for name in HISTORIES + NUMBERS:
            expected = pytest.approx(getattr(own, name), rel=1e-12, abs=1e-12)
            assert getattr(whole, name)[k] == expected, name
        for name in EFFORTS:
            expected = pytest.approx(getattr(own.effort, name), rel=1e-12, nan_ok=True)
            assert getattr(spent, name)[k] == expected, name


def test_tips_are_those_of_each_members_own_lengths():
    longer = ulna.Arm.rods([0.6, 0.5], [1.0, 10.0])
    own = ulna.plan(longer, ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    q = np.stack([PLAN.trajectory(TIMES).q] * 2 + [own.trajectory(TIMES).q])
    arms, ends = ulna.stack([ARM, longer, longer]), np.full(3, 2.0)
    batch = ulna.BatchRun(arms, TIMES, q, q, None, ends, Statuses([0] * 3, ends), {})
    told = tracking(batch, PLAN)
    assert told.max[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-14)  # the circle is the same
    assert told.size[1] == pytest.approx(0.1)  # the first link is 10 cm longer
    assert np.abs(told.joint_error[2]).max() > 0.1
    assert np.abs(tracking(batch, [PLAN, PLAN, own]).joint_error[2]).max() <= 1e-14


def test_members_that_failed_are_judged_up_to_there():
    torques = [["50", "10"], ["50 + 0*sqrt(0.505 - t)", "10"]]  # the second has no value later
    given = {"q0": START.q, "qd0": START.qd}
    batch = ulna.simulate_batch(
        ARM, **given, torque=torques, duration=1.0, samples=101, keep_torques=True
    )
    assert batch.status.reason.tolist() == ["done", "bad torque"]
    ended = int(np.isfinite(batch.q[1]).all(axis=-1).sum())
    assert 45 < ended < 55
    run = ulna.simulate(
        ARM, **given, torque=torques[0], duration=float(batch.t[ended - 1]), samples=ended,
        method="rk4",
    )  # fmt: skip
    told, alone = tracking(batch, PLAN), tracking(run, PLAN)
    assert np.isnan(told.size[1, ended:]).all()
    for name in NUMBERS:
        assert getattr(told, name)[1] == pytest.approx(getattr(alone, name), rel=1e-12)
    assert told.worst.t[1] == alone.worst.t
    assert told.effort.energy[1] == pytest.approx(alone.effort.energy, rel=1e-12)


def test_a_failed_member_may_have_settled_before():
    q = np.broadcast_to(PLAN.trajectory(TIMES).q, (3, len(TIMES), 2)).copy()
    q[:, :20] += 0.1
    q[1:, 100:] = np.nan
    ends = np.array([2.0, TIMES[99], 2.0])
    codes = [0, CODES["diverged"], 0]
    batch = ulna.BatchRun(ARM.parameters, TIMES, q, q, None, ends, Statuses(codes, ends), {})
    assert tracking(batch, PLAN).settling_time() == pytest.approx(
        [TIMES[20], TIMES[20], np.nan], nan_ok=True
    )


def test_final_states_alone_and_no_arms_at_all_are_judged():
    batch = ulna.simulate_batch(
        ARM, q0=np.tile(START.q, (3, 1)), duration=2.0, reference=PLAN, keep_torques=True,
        controller=ComputedTorque(natural_frequency=10.0),
    )  # fmt: skip
    told = tracking(batch, PLAN)
    off = batch.tip[:, 0, :2] - PLAN.path.curve(np.array([1.0]))[0]
    assert told.rms == pytest.approx(np.hypot(*off.T), rel=1e-12)
    assert effort(batch).torque_rms == pytest.approx(np.abs(batch.tau[:, 0]))
    assert tracking(batch[:0], PLAN).joint_rms.shape == effort(batch[:0]).energy.shape == (0, 2)


def test_a_batch_in_a_file_is_judged_from_there(tmp_path):
    batch = made_up(12)
    batch.save(tmp_path / "batch.zarr")
    kept = ulna.open_batch(tmp_path / "batch.zarr")
    assert same_bits(tracking(kept, PLAN).rms, tracking(batch, PLAN).rms)
    assert same_bits(effort(kept).energy, effort(batch).energy)
    assert same_bits(tracking(kept[5], PLAN).size, tracking(batch[5], PLAN).size)


def test_a_batch_without_torques_says_how_to_keep_them():
    batch = ulna.simulate_batch(ARM, q0=[[0.1, 0.2]], duration=0.1, samples=11)
    for one in (batch, batch[0]):
        with pytest.raises(InputError, match="keep_torques=True"):
            effort(one)
    assert "torque_rms" not in tracking(batch, PLAN).facts()

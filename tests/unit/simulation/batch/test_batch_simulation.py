"""Many arms that go on step by step do what they would do all at once, to the last bit."""

import copy
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ulna
from ulna import Arm, BatchSimulation, Interrupted, Sensors, UlnaWarning, simulate_batch
from ulna.control import PD, PID, ComputedTorque, GravityPD
from ulna.scenario import disturbances
from ulna.simulation.batch import batch_simulation
from ulna.simulation.batch.blocks import ResidentBucket

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
STEPS, DT = 30, 1e-3
EXACT = 2.0**-10  # [s], of which every multiple is a number


def differing(random, members, n=2):
    """Give arms that differ in everything, some with rotors, some with stops near by."""
    shape = (members, n)
    free, some = np.full(shape, np.inf), random.uniform(size=(members, 1)) < 0.5
    p = ulna.stack([Arm.rods([0.5] * n, [1.0] * n)] * members)
    return p._replace(
        length=random.uniform(0.3, 1.0, shape),
        mass=random.uniform(0.5, 2.0, shape),
        damping=random.uniform(0.0, 0.5, shape),
        rotor_inertia=random.uniform(0.0, 1e-4, shape) * some,
        gear_ratio=random.uniform(5.0, 30.0, shape),
        lower=np.where(some, -random.uniform(0.3, 0.4, shape), -free),
        upper=np.where(some, random.uniform(0.3, 0.4, shape), free),
        gravity=random.uniform(-10.0, 10.0, (members, 2)),
    )


def drawn(members, n=2, seed=0):
    """Draw states and torques, a row for every step."""
    random = np.random.default_rng(seed)
    q0, qd0 = random.uniform(-0.3, 0.3, (2, members, n))
    return q0, 9.0 * qd0, random.uniform(-5.0, 5.0, (members, STEPS, n))


def assert_same(arms, members, n=2, dt=DT, **options):
    """Check every state of arms that go on step by step against those of one run."""
    q0, qd0, rows = drawn(members, n)
    start = {"q0": q0, "qd0": qd0, "dt": dt, **options}
    times = dt * np.arange(STEPS + 1)
    run = simulate_batch(arms, torque=rows, duration=times[-1], samples=times, **start)
    batch = BatchSimulation(arms, **start)
    for k in range(STEPS):
        assert np.array_equal(batch.q, run.q[:, k])
        assert np.array_equal(batch.qd, run.qd[:, k])
        batch.apply(rows[:, k])
        assert batch.advance()
        assert batch.t == times[k + 1]
    assert np.array_equal(batch.q, run.final.q)
    assert np.array_equal(batch.qd, run.final.qd)
    assert batch.status.reason.tolist() == run.status.reason.tolist()
    assert batch.status.t_end.tolist() == run.t_end.tolist()


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("members", [1, 16, 37])
def test_a_row_of_torques_a_step_gives_the_bits_of_one_run(members, precision):
    assert_same(TWO, members, precision=precision)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "gauss4", "dop853"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_every_method_gives_the_bits_of_one_run(method, n):
    arms = differing(np.random.default_rng(n), 21, n)
    assert_same(arms, 21, n, method=method, restitution=0.5, dt=2e-3)


def moving(phase):
    return lambda t: [0.2 * np.sin(9.0 * t + phase), 0.1]


@pytest.mark.parametrize(
    "options",
    [
        {"controller": PID(20.0, 2.0, 5.0)},
        {"controller": PD(20.0, 2.0), "reference": moving(0.0), "rate": 300.0},
        {"controller": ComputedTorque(), "reference": [moving(k) for k in range(21)]},
        {"controller": [PD(20.0, 2.0), GravityPD(9.0, 1.0), PID(5.0, 1.0, 1.0)] * 7},
        {
            "controller": PD(20.0, 2.0),
            "reference": np.linspace(-0.3, 0.3, 42).reshape(21, 2),
            "sensors": Sensors(angle_noise=1e-3, rate_resolution=1e-2, delay=3e-3),
        },
        {"disturbances": [disturbances.noise([1.0, 1.0], rate=700.0)], "seeds": np.arange(21)},
        {"tip_force": ([0.0, 0.0105], [[1.0, 2.0], [-3.0, 1.0]])},
        {"tip_force": "3*sin(40*t), x*y"},
    ],
    ids=["hold", "function", "each", "several", "sensors", "noise", "table", "text"],
)
def test_whatever_acts_gives_the_bits_of_one_run(options):
    assert_same(differing(np.random.default_rng(7), 21), 21, **options)


def test_a_plan_is_followed_beyond_what_is_worked_out_ahead(monkeypatch):
    from ulna.simulation.batch import blocks

    monkeypatch.setattr(blocks, "AHEAD", 7)
    plan = ulna.plan(TWO, ulna.paths.circle((1.0, 0.5), 0.3), duration=0.05)
    options = {"controller": ComputedTorque(), "reference": plan}
    run = simulate_batch(TWO, duration=40 * DT, **options)
    batch = BatchSimulation(TWO, **options)
    batch.advance(steps=5)
    batch.advance(35 * DT)
    assert batch.q.tolist() == run.final.q.tolist()


def test_steps_in_one_call_are_the_same_steps():
    q0, qd0, rows = drawn(20)
    one, several = (BatchSimulation(TWO, q0=q0, qd0=qd0, torque=rows[:, 0]) for _ in range(2))
    for _ in range(30):
        one.advance()
    several.advance(steps=7)
    several.advance(0.02)
    several.advance(steps=0)
    several.advance(seconds=3 * DT)
    assert several.q.tolist() == one.q.tolist()
    assert several.t == one.t == 30 * DT


# Members that fail, and members that start anew


def test_members_that_fail_leave_the_others_alone():
    random = np.random.default_rng(3)
    q0, qd0, rows = drawn(40)
    arms = differing(random, 40)
    arms.mass[5, 0] = np.nan
    q0[11], q0[12] = np.nan, 1e12
    rows[17, 9], rows[33, 4] = np.nan, 1e200
    run = simulate_batch(arms, q0=q0, qd0=qd0, torque=rows, duration=STEPS * DT)
    batch = BatchSimulation(arms, q0=q0, qd0=qd0)
    for k in range(STEPS):
        batch.apply(rows[:, k])
        status = batch.advance()
    bad = {5: "bad arm", 11: "bad start", 12: "bad start", 17: "bad torque", 33: "diverged"}
    assert {int(b): status.reason[b] for b in np.flatnonzero(~status.ok)} == bad
    assert status.reason.tolist() == run.status.reason.tolist()
    assert np.array_equal(status.t_end, run.t_end, equal_nan=True)
    assert np.array_equal(batch.q, run.final.q, equal_nan=True)
    assert np.isnan(batch.qd[list(bad)]).all()
    sound = np.setdiff1d(np.arange(40), list(bad))
    alone = simulate_batch(
        arms.rows(sound), q0=q0[sound], qd0=qd0[sound], torque=rows[sound], duration=STEPS * DT
    )
    assert np.array_equal(batch.q[sound], alone.final.q)


def test_a_member_that_is_reset_starts_anew_and_nobody_else_does():
    q0, qd0, rows = drawn(37)
    whole, batch = (BatchSimulation(TWO, q0=q0, qd0=qd0, dt=EXACT) for _ in range(2))
    for k in range(12):
        for one in (whole, batch):
            one.apply(rows[:, k])
            one.advance()
    some = np.array([0, 15, 16, 36])
    batch.reset(q0[:4], qd0[:4], members=some)
    assert batch.q[some].tolist() == q0[:4].tolist()
    fresh = BatchSimulation(TWO, q0=q0[:4], qd0=qd0[:4], dt=EXACT)
    for k in range(10):
        for one, torque in ((whole, rows[:, k]), (batch, rows[:, k]), (fresh, rows[some, k])):
            one.apply(torque)
            one.advance()
    others = np.setdiff1d(np.arange(37), some)
    assert batch.q[some].tolist() == fresh.q.tolist()
    assert batch.qd[others].tolist() == whole.qd[others].tolist()
    assert batch.t == 22 * EXACT


@pytest.mark.parametrize("members", [[3], range(16)], ids=["one", "all of a block"])
def test_members_that_failed_can_be_reset(members):
    q0, qd0, _ = drawn(20)
    torque = np.zeros((20, 2))
    torque[list(members)] = np.nan
    batch = BatchSimulation(TWO, q0=q0, qd0=qd0, torque=torque, dt=EXACT)
    status = batch.advance(steps=5)
    assert np.flatnonzero(~status.ok).tolist() == list(members)
    batch.apply([0.0, 0.0])
    batch.reset([0.1, 0.2], [1.0, -1.0], members=~status.ok)
    assert batch.status
    assert batch.advance(steps=8)
    fresh = BatchSimulation(TWO, q0=[0.1, 0.2], qd0=[1.0, -1.0], dt=EXACT)
    fresh.advance(steps=8)
    assert all(row == fresh.q[0].tolist() for row in batch.q[list(members)].tolist())


def test_a_bad_start_is_held_against_the_member_that_is_reset():
    arms = differing(np.random.default_rng(1), 20)
    q0 = np.zeros((20, 2))
    batch = BatchSimulation(arms, q0=q0)
    limited = int(np.flatnonzero(np.isfinite(arms.upper[:, 0]))[0])
    batch.reset([3.0, 0.0], members=[limited])
    assert batch.status[limited].reason == "bad start"
    assert np.isnan(batch.q[limited]).all()
    batch.advance(steps=3)
    assert (~batch.status.ok).sum() == 1
    batch.reset([0.0, 0.0], members=limited)
    assert batch.advance(steps=3)


def test_without_a_reference_a_posture_is_held_where_it_was_reset_to():
    batch = BatchSimulation(
        TWO, q0=np.zeros((18, 2)), controller=ComputedTorque(natural_frequency=20.0)
    )
    batch.reset([0.7, -0.4], members=[17])
    batch.advance(0.5)
    assert np.allclose(batch.q[17], [0.7, -0.4], atol=1e-9)
    assert np.allclose(batch.q[:17], 0.0, atol=1e-9)


OWN_Q, OWN_QD, OTHER_Q, OTHER_QD = [0.1, 0.2], [0.5, -0.5], [0.4, -0.2], [1.0, -2.0]


@pytest.mark.parametrize(
    ("given", "q0", "qd0"),
    [
        ({}, OWN_Q, OWN_QD),
        ({"q0": OTHER_Q}, OTHER_Q, [0.0, 0.0]),
        ({"qd0": OTHER_QD}, OWN_Q, OTHER_QD),
    ],
)
def test_a_reset_of_all_repeats_a_new_batch_and_a_reset_of_one_arm(given, q0, qd0):
    arm = TWO.replace(joints=[ulna.Joint(max_torque=3.0)] * 2)
    options = {
        "controller": PID(20.0, 2.0, 5.0),
        "reference": [0.3, 0.3],
        "sensors": Sensors(angle_noise=1e-3, delay=2e-3),
        "dt": EXACT,
        "rate": 1.0 / EXACT,
    }
    batch = BatchSimulation(arm, q0=[OWN_Q] * 3, qd0=[OWN_QD] * 3, **options)
    single = ulna.Simulation(ulna.Scenario(arm=arm, q0=OWN_Q, qd0=OWN_QD, **options))
    for one in (batch, single):
        one.apply(torque=[9.0, -9.0])
        one.advance(40 * EXACT)
        one.reset(**given)
        assert one.t == 0.0
        one.advance(30 * EXACT)
    fresh = BatchSimulation(arm, q0=[q0] * 3, qd0=[qd0] * 3, **options)
    fresh.apply([9.0, -9.0])
    fresh.advance(30 * EXACT)
    assert batch.q.tolist() == fresh.q.tolist()
    assert batch.q[0] == pytest.approx(single.q, abs=1e-12)
    assert batch.qd[0] == pytest.approx(single.qd, abs=1e-11)


def test_torques_that_are_applied_stay_within_the_limits_of_their_joints():
    arm = TWO.replace(joints=[ulna.Joint(max_torque=3.0), ulna.Joint()])
    forms = {
        "numbers": [9.0, -7.0],
        "text": ["9 + 0*t", "-7"],
        "a function": lambda t: [9.0, -7.0],
        "a table": ([0.0, 1.0], [[9.0, -7.0], [9.0, -7.0]]),
    }
    expected = ulna.simulate(arm, q0=[0.0, 0.0], torque=[3.0, -7.0], duration=0.2, dt=1e-3).q[-1]
    for torque in forms.values():
        single = ulna.Simulation(ulna.Scenario(arm=arm, q0=[0.0, 0.0], dt=1e-3))
        single.apply(torque=torque)
        single.advance(0.2)
        assert single.q == pytest.approx(expected, abs=1e-9)
    batch = BatchSimulation(arm, q0=np.zeros((2, 2)), dt=1e-3)
    batch.apply(forms["numbers"])
    batch.advance(0.2)
    assert batch.torque.tolist() == [[3.0, -7.0]] * 2
    assert batch.q[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        (2, [2]), ([1, 3], [1, 3]), (-1, [4]), (slice(3, None), [3, 4]), (None, [0, 1, 2, 3, 4]),
        (np.array([True, False, False, True, False]), [0, 3]), ([], []), (range(2), [0, 1]),
        (np.zeros(5, dtype=bool), []),
    ],
)  # fmt: skip
def test_members_are_named_as_rows_of_an_array_are(key, chosen):
    batch = BatchSimulation(TWO, q0=np.zeros((5, 2)))
    batch.reset([0.5, 0.5], members=key)
    assert np.flatnonzero(batch.q[:, 0]).tolist() == chosen


# What is handed out and what is taken


def test_states_are_live_and_read_only():
    given = np.ones((4, 2))
    batch = BatchSimulation(TWO, q0=np.zeros((4, 2)))
    q, qd, torque = batch.q, batch.qd, batch.torque
    batch.apply(given)
    given[:] = 7.0
    before = q.copy()
    batch.advance()
    assert q is batch.q
    assert (q != before).all()
    assert (qd != 0.0).all()
    assert (torque == 1.0).all()
    for array in (q, qd, torque):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    assert len(batch) == 4
    assert "4 arms at t = 0.001 s: 4 done" in repr(batch)


def test_steps_that_are_too_long_are_said_once():
    fast = {"qd0": [[0.0, 0.0], [20.0, -40.0], [60.0, 30.0]], "dt": 0.02}
    batch = BatchSimulation(TWO, q0=[0.0, 0.5], **fast)
    with pytest.warns(UlnaWarning, match="too long for 2 of 3 arms, the first of them arm 1"):
        batch.advance(steps=4)
    batch.advance(steps=4)
    assert batch.status.reason.tolist() == ["done", "coarse", "coarse"]


# Threads, Ctrl-C, copies


@pytest.fixture
def shared(monkeypatch):
    """Let threads share steps of any size."""
    monkeypatch.setattr(batch_simulation, "LEAST_SHARED", 1e-12)


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_threads_change_nothing(shared, threads):
    arms = differing(np.random.default_rng(2), 100)
    assert_same(arms, 100, threads=threads)


def test_two_in_two_threads_of_a_user(shared):
    arms = [TWO, differing(np.random.default_rng(4), 300)] * 4
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(assert_same, arms, [300] * 8))


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_comes_between_steps_and_it_can_go_on(monkeypatch, shared, threads):
    controllers = [PD(20.0, 2.0), PID(5.0, 1.0, 1.0)] * 25  # two buckets
    options = {"q0": drawn(50)[0], "controller": controllers, "threads": threads}
    whole = BatchSimulation(TWO, **options)
    whole.advance(steps=20)
    batch = BatchSimulation(TWO, **options)
    run, calls = ResidentBucket.run, []

    def hasty(bucket, *blocks):
        code = run(bucket, *blocks)
        calls.append(blocks)
        if len(calls) == 1 and threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        return code

    monkeypatch.setattr(ResidentBucket, "run", hasty)
    while not batch.t:
        calls.clear()
        try:
            batch.advance()
        except Interrupted as interrupted:
            assert interrupted.result  # noqa: PT017
            assert "interrupted at t = 0.001 s: 50 done" in str(interrupted)  # noqa: PT017
    monkeypatch.setattr(ResidentBucket, "run", run)
    assert set(batch.status.t_end.tolist()) == {DT}
    batch.advance(steps=19)
    assert batch.q.tolist() == whole.q.tolist()


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_goes_on_by_itself(duplicate):
    q0, qd0, rows = drawn(21)
    plan = ulna.plan(TWO, ulna.paths.circle((1.0, 0.5), 0.3), duration=0.05)
    options = {"q0": q0, "qd0": qd0, "controller": PID(20.0, 2.0, 5.0), "reference": plan}
    batch = BatchSimulation(TWO, **options, sensors=Sensors(angle_noise=1e-3, delay=2e-3))
    batch.apply(rows[:, 0])
    batch.advance(steps=9)
    batch.reset([np.nan, 0.0], members=[4])
    other = duplicate(batch)
    before = batch.q.copy()
    assert np.array_equal(other.q, before, equal_nan=True)
    assert other.t == batch.t
    other.advance(steps=11)
    assert np.array_equal(batch.q, before, equal_nan=True)
    batch.advance(steps=11)
    assert np.array_equal(other.q, batch.q, equal_nan=True)
    assert other.status.reason.tolist() == batch.status.reason.tolist()

"""What acts on the arm: numbers, tables, text, functions; joint torques and the force on the tip.

Most of it acts on a rod without weight whose inertia about its joint is 1 kg·m², so that its
angle is the double integral of the torque.
"""

import math

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import Arm, Simulation, simulate

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
METHODS = ("dop853", "rk4", "gauss4")


def spun(torque, duration=1.0, **options):
    return simulate(SPUN, q0=[0.0], torque=torque, duration=duration, **options)


def held(times, values, t):
    """Give angle and rate of the rod under torques that are held from one time to the next."""
    q = qd = 0.0
    edges = [0.0, *[time for time in times[1:] if time < t], t]
    for torque, start, stop in zip(values, edges[:-1], edges[1:], strict=False):
        h = stop - start
        q, qd = q + qd * h + torque * h * h / 2.0, qd + torque * h
    return q, qd


# Numbers


@tabular("method", METHODS)
@tabular("torque", [2.0, [2.0], np.array([2.0]), (2,), ["2"], "2", "1 + 1"])
def test_a_number_is_a_constant_torque(method, torque):
    run = spun(torque, method=method, samples=3)
    assert run.q[:, 0] == pytest.approx(run.t**2, rel=1e-13)
    assert (run.tau == 2.0).all()
    assert run.qdd == pytest.approx(np.full((3, 1), 2.0), rel=1e-14)


# Tables

TIMES = [0.0, 0.1234, 0.5001, 0.77]
VALUES = [3.0, -8.0, 10.0, -1.0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dt", [1e-3, 0.07])
def test_a_table_that_is_held_is_not_smeared_over_a_step(method, dt):
    # The rows change in the middle of steps; a parabola is exact in every method.
    table = (TIMES, [[value] for value in VALUES])
    run = spun(table, method=method, dt=dt, samples=11)
    for t, q, qd in zip(run.t, run.q[:, 0], run.qd[:, 0], strict=True):
        assert (q, qd) == pytest.approx(held(TIMES, VALUES, t), rel=0.0, abs=1e-12)


def test_the_torque_of_a_sample_is_the_one_from_there_on():
    run = spun((TIMES, [[value] for value in VALUES]), samples=[0.0, 0.1, 0.1234, 0.2, 0.77, 1.0])
    assert run.tau[:, 0].tolist() == [3.0, 3.0, -8.0, -8.0, -1.0, -1.0]


@pytest.mark.parametrize("method", METHODS)
def test_a_linear_table_is_a_chain_of_ramps(method):
    times, values = [0.0, 0.37, 1.0], [0.0, 3.7, -2.6]
    run = spun((times, np.c_[values]), between="linear", method=method, samples=21)
    assert run.tau[:, 0] == pytest.approx(np.interp(run.t, times, values), abs=1e-12)
    # τ = 10 t first, and then falls by 10 a second from 3.7: integrated twice by hand.
    early = run.t <= 0.37
    assert run.q[early, 0] == pytest.approx(10.0 * run.t[early] ** 3 / 6.0, abs=1e-12)
    s = run.t[~early] - 0.37
    q1, v1 = 10.0 * 0.37**3 / 6.0, 10.0 * 0.37**2 / 2.0
    late = q1 + v1 * s + 3.7 * s**2 / 2.0 - 10.0 * s**3 / 6.0
    assert run.q[~early, 0] == pytest.approx(late, abs=1e-12)


def test_before_its_first_time_and_after_its_last_a_table_holds():
    for between, expected in (
        ("hold", [4.0, 4.0, 4.0, 6.0, 6.0]),
        ("linear", [4.0, 4.0, 5.0, 6.0, 6.0]),
    ):
        run = spun(([0.4, 0.6], [[4.0], [6.0]]), between=between, samples=[0.0, 0.4, 0.5, 0.6, 1.0])
        assert run.tau[:, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_rows_alone_are_dt_apart(between):
    rows = np.random.default_rng(1).uniform(-5.0, 5.0, (11, 1))
    dt = 0.1
    by_rows = spun(rows, dt=dt, between=between, samples=33)
    by_times = spun((dt * np.arange(11), rows), dt=dt, between=between, samples=33)
    assert by_rows.q.tolist() == by_times.q.tolist()
    row = np.searchsorted(dt * np.arange(11), by_rows.t + 1e-9) - 1
    nearest = (
        rows[row, 0] if between == "hold" else np.interp(by_rows.t, dt * np.arange(11), rows[:, 0])
    )
    assert by_rows.tau[:-1, 0] == pytest.approx(nearest[:-1], abs=1e-9)


# Text and functions


@pytest.mark.parametrize(
    "options",
    [{"rtol": 1e-12}, {"method": "rk4"}, {"method": "gauss4"}, {"method": "semi-implicit"}],
)
def test_text_and_functions_mean_the_same(options):
    def of_time(t):
        return [3.0 * math.sin(5.0 * t), 1.0 if t < 0.25 else t]

    def of_state(t, q, qd):
        return [3.0 * math.sin(5.0 * t) - q[1], q[0] * qd[1] + math.hypot(*tip(q)) + tip(q)[1]]

    def tip(q):
        return math.cos(q[0]) + math.cos(q[0] + q[1]), math.sin(q[0]) + math.sin(q[0] + q[1])

    pairs = [
        (["3*sin(5*t)", "1 if t < 0.25 else t"], of_time),
        ("3*sin(5*t) - q2, q1*qd2 + hypot(x, y) + y", of_state),
    ]
    for text, function in pairs:
        ours, theirs = (
            simulate(
                TWO, q0=[0.1, 0.2], qd0=[0.3, -0.4], torque=torque, duration=0.5, samples=11,
                **options,
            )
            for torque in (text, function)
        )  # fmt: skip
        assert ours.q == pytest.approx(theirs.q, rel=0.0, abs=1e-10)
        assert ours.tau == pytest.approx(theirs.tau, rel=0.0, abs=1e-9)


def test_text_may_name_time_tip_angles_and_rates():
    arm = Arm.rods([1.0, 0.5], [1.0, 1.0], base=(0.25, -0.75))
    q, qd = np.array([0.4, -0.9]), np.array([1.5, -2.5])
    x, y, _ = ulna.kinematics.tip(arm, q)
    for text, expected in [
        ("t, x", [0.0, x]),
        ("y, q1", [y, q[0]]),
        ("q2, qd1", [q[1], qd[0]]),
        ("qd2, 3", [qd[1], 3.0]),
    ]:
        run = simulate(arm, q0=q, qd0=qd, torque=text, duration=1e-3, samples=2)
        assert run.tau[0] == pytest.approx(expected, rel=1e-14)


def test_functions_get_copies_and_may_give_anything_that_holds_numbers():
    def meddling(t, q, qd):
        q[:], qd[:] = 99.0, 99.0
        return 2

    run = spun(meddling, samples=3, method="rk4")
    assert run.q[:, 0] == pytest.approx(run.t**2, rel=1e-12)


# The force on the tip


def test_a_force_on_the_tip_acts_on_the_arm():
    # 2 N upwards at the end of a level rod of 1 m lift it: 2 N·m about its joint.
    lifted = spun(None, tip_force=[0.0, 2.0], duration=1e-3, samples=2)
    assert lifted.qdd[0, 0] == pytest.approx(2.0, rel=1e-14)
    turned = spun(None, tip_force=[0.0, 0.0, 2.0], duration=1.0, samples=2)
    assert turned.q[-1, 0] == pytest.approx(1.0, rel=1e-13)
    pulled = spun(None, tip_force=[5.0, 0.0], duration=1.0, samples=2)
    assert (pulled.q == 0.0).all()


def test_what_holds_a_force_keeps_the_arm_at_rest():
    q, force = np.array([0.6, 0.9]), np.array([3.0, -4.0, 0.5])
    tau = ulna.dynamics.inverse_dynamics(TWO, q, np.zeros(2), np.zeros(2), tip_force=force)
    run = simulate(TWO, q0=q, torque=tau, tip_force=force, duration=0.2, samples=5)
    assert run.q == pytest.approx(np.tile(q, (5, 1)), rel=0.0, abs=1e-12)
    assert (run.tip_force == force).all()
    # Statics say the same of the same force.
    carried = ulna.dynamics.holding_torque(TWO, q, tip_force=force[:2])
    still = simulate(TWO, q0=q, torque=carried, tip_force=force[:2], duration=0.2, samples=5)
    assert still.q == pytest.approx(run.q, rel=0.0, abs=1e-12)


@pytest.mark.parametrize(
    "force",
    [
        "0, 2",
        ["0", 2.0, "0*t"],
        ([0.0, 1.0], [[0.0, 2.0], [0.0, 2.0]]),
        lambda t: [0.0, 2.0],
        lambda t, q, qd: (0.0, 2.0, 0.0),
    ],
)
def test_it_comes_in_all_the_forms_of_a_torque(force):
    run = spun(None, tip_force=force, samples=11, rtol=1e-11)
    plain = spun(None, tip_force=[0.0, 2.0], samples=11, rtol=1e-11)
    assert run.q == pytest.approx(plain.q, rel=0.0, abs=1e-10)
    assert run.tip_force.tolist() == [[0.0, 2.0, 0.0]] * 11


# Other torques from now on


def test_apply_changes_what_acts_from_now_on():
    swing = Simulation(ulna.Scenario(arm=SPUN, q0=[0.0], torque=[2.0], tip_force=[0.0, 0.0, 1.0]))
    swing.advance(1.0)
    assert swing.qd[0] == pytest.approx(3.0, rel=1e-12)
    swing.apply(torque="6*t")
    swing.advance(1.0)
    # Times count from the start of the simulation: 3 (2² − 1²).
    assert swing.qd[0] == pytest.approx(3.0 + 9.0, rel=1e-12)
    swing.apply(torque=([0.0, 2.5], [[8.0], [4.0]]))
    swing.advance(1.0)
    assert swing.qd[0] == pytest.approx(12.0 + 4.0 + 2.0, rel=1e-12)
    swing.apply(torque=lambda t: [-18.0])
    swing.advance(1.0)
    assert swing.qd[0] == pytest.approx(0.0, abs=1e-11)
    swing.apply()
    swing.advance(1.0)
    assert swing.qd[0] == pytest.approx(0.0, abs=1e-11)
    assert swing.t == pytest.approx(5.0)


# What is mistaken for torques


SHORT = (
    r"torque: its 50 rows are dt = 0\.01 s apart and reach 0\.5 s, and the last is held until 1 s; "
    r"a pair torque=\(times, rows\)"
)


def test_rows_that_end_before_the_run_are_warned_of_once():
    rows = np.ones((50, 1))
    with pytest.warns(ulna.UlnaWarning, match=SHORT) as caught:
        spun(rows, dt=0.01)
    assert len(caught) == 1
    swing = Simulation(ulna.Scenario(arm=SPUN, q0=[0.0], torque=rows, dt=0.01))
    swing.advance(0.5)
    with pytest.warns(ulna.UlnaWarning, match=SHORT) as caught:
        swing.advance(0.5)
    assert len(caught) == 1
    swing.advance(0.5)  # warnings are errors: there is no second
    with pytest.warns(ulna.UlnaWarning, match=SHORT) as caught:
        ulna.simulate_batch(SPUN, q0=[0.0], torque=rows[None], duration=1.0, dt=0.01)
    assert len(caught) == 1
    with pytest.warns(ulna.UlnaWarning, match="tip_force: its 50 rows"):
        spun([0.0], tip_force=np.zeros((50, 2)), dt=0.01)


def test_rows_with_times_one_row_and_rows_to_the_end_are_not_warned_of():
    rows = np.ones((50, 1))
    spun((0.01 * np.arange(50), rows))
    spun(rows[:1])
    spun(rows, dt=0.01, duration=0.5)
    spun(rows, dt=0.01, until="t - 0.3")
    same = {"q0": [0.0], "dt": 0.01}
    ulna.simulate_batch(SPUN, torque=(0.01 * np.arange(50), rows), duration=1.0, **same)
    ulna.simulate_batch(SPUN, torque=rows[None], duration=0.5, **same)
    ulna.simulate_batch(SPUN, torque=rows, duration=1.0, **same)  # a constant for each of 50 arms

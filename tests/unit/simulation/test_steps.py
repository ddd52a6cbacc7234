"""Steps: counted beforehand, watched for stalls, checked for their length."""

import math
import os
import signal
import threading
import warnings

import numpy as np
import pytest

from ulna import Arm, Joint, Simulation, UlnaWarning, preset, simulate, simulate_batch
from ulna.control import PD
from ulna.errors import InputError
from ulna.scenario import Scenario, disturbances

ONE = Arm.rods([1.0], [1.0])
TWO = Arm.rods([1.0, 0.7], [1.0, 0.5])
DAMPED = TWO.replace(joints=(Joint(damping=2.0), Joint(damping=0.5)))
FLAT = TWO.replace(gravity=(0.0, 0.0))


def damped(value):
    return Arm.rods([1.0], [1.0], joints=[Joint(damping=value)])


# Counted


TOO_MANY = [
    ({"method": "rk4", "dt": 1e-19}, r"dt: got 1e-19 s, or 2e\+19 steps in 2 s, some .* years"),
    ({"method": "rk4", "dt": 5e-324}, "dt: got 4.94066e-324 s, or inf steps"),
    ({"method": "dop853", "rtol": None, "dt": 1e-19}, r"dt: .* or 2e\+19 steps"),
    ({"max_step": 1e-300}, r"max_step: got 1e-300 s, or 2e\+300 steps .*; try max_step=0.0002"),
    ({"controller": PD(1.0, 1.0), "rate": 1e15}, r"rate: got 1e\+15 Hz, or 2e\+15 times in 2 s"),
    ({"disturbances": [disturbances.noise([1.0], rate=1e15)]}, r"noise.rate: .* 2e\+15 times"),
]


@pytest.mark.parametrize(("options", "words"), TOO_MANY)
def test_more_steps_than_anybody_waits_for_are_refused_with_their_number(options, words):
    with pytest.raises(InputError, match=words):
        simulate(ONE, q0=[0.0], duration=2.0, **options)
    with pytest.raises(InputError, match=words):
        Simulation(Scenario(arm=ONE, q0=[0.0], **options)).advance(2.0)
    shared = options.keys() <= {"method", "dt", "rate", "controller", "disturbances"}
    if shared:
        with pytest.raises(InputError, match=words):
            simulate_batch(ONE, q0=[0.0], duration=2.0, **options)


def test_a_refusal_offers_a_step_that_is_accepted():
    with pytest.raises(InputError) as refused:
        simulate(ONE, q0=[0.0], duration=2.0, method="rk4", dt=1e-19)
    (problem,) = refused.value.problems
    assert "method='dop853'" in problem.hint
    offered = float(problem.hint.partition("dt=")[2].partition(",")[0])
    assert simulate(ONE, q0=[0.0], duration=2.0, method="rk4", dt=offered).status


def test_dt_of_an_adaptive_run_only_spaces_its_samples():
    run = simulate(ONE, q0=[0.0], duration=1.0, dt=1e-19)
    assert run.status
    assert len(run) == 100_001
    assert simulate(ONE, q0=[0.0], duration=1e-3, dt=1e-320).status


# Starts


def test_a_torque_is_not_blamed_for_a_joint_that_runs_away():
    # The angle overflows under a feedback that grows; each torque has a value wherever an arm is.
    for torque in ("1e6*qd1", "cos(q1) + 1e6*qd1"):
        run = simulate(ONE, q0=[0.0], qd0=[1.0], torque=[torque], duration=1.0, method="rk4")
        assert run.status.reason == "diverged"
    run = simulate_batch(ONE, q0=[0.0], qd0=[1.0], torque=["cos(q1) + 1e6*qd1"], duration=1.0)
    assert run.status[0].reason == "diverged"


# Stalls


def test_a_torque_beyond_all_bounds_ends_with_its_name():
    run = simulate(ONE, q0=[0.0], torque="1e200*t", duration=1.0)
    assert run.status.reason == "diverged"
    assert "torque 1 is 1e+18" in run.status.text


def test_a_sliding_mode_stalls_and_says_what_to_try():
    torque = "-100*sign(q1 + 0.1*qd1)"
    run = simulate(ONE, q0=[0.3], torque=torque, duration=1.0)
    assert run.status.reason == "stalled"
    for words in ("at t = 0.0091", "joint 1", "a torque switches faster than any step", "tanh("):
        assert words in run.status.text
    # Until there it is right: 100 N·m on 1/3 kg·m² against the weight.
    assert run.t[-1] == pytest.approx(0.00914, rel=1e-2)
    # What it offers works, and slides: q̇ = −10 q.
    smooth = simulate(ONE, q0=[0.3], torque="-100*tanh(100*(q1 + 0.1*qd1))", duration=1.0)
    assert smooth.status
    assert smooth.qd[-1] == pytest.approx(-10.0 * smooth.q[-1], abs=2e-2)


def test_the_joint_that_switches_is_named():
    run = simulate(TWO, q0=[0.3, 0.2], torque="0, -20*sign(q2 + 0.1*qd2)", duration=5.0)
    assert run.status.reason == "stalled"
    assert "joint 2" in run.status.text


def test_a_quick_torque_is_no_stall():
    # A fifth of the steps is refused here too, but it makes progress.
    run = simulate(ONE, q0=[0.3], torque="sin(1e5*t)", duration=1.0, samples=2)
    still = simulate(ONE, q0=[0.3], duration=1.0, samples=2)
    assert run.status
    assert run.q[-1] == pytest.approx(still.q[-1], abs=1e-3)


# Judged


def judged(arm, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UlnaWarning)
        run = simulate(arm, **options)
    return run, [str(one.message) for one in caught]


STARTS = [
    (ONE, [-1.2], [1.0], None),
    (TWO, [-1.2, 0.4], [0.5, -0.5], None),
    (DAMPED, [0.3, 0.8], [1.0, -2.0], ["3*sin(4*t)", 0.0]),
    (FLAT, [0.0, 0.7], [1.0, -2.0], None),
    (preset("bechard-1"), [0.0], [0.0], [10.0]),
]


@pytest.mark.parametrize("method", ["rk4", "gauss4", "dop853"])
def test_steps_are_said_to_be_too_long_where_they_are_and_only_there(method):
    seen = {True: 0, False: 0}
    for arm, q0, qd0, torque in STARTS:
        start = {"q0": q0, "qd0": qd0, "torque": torque, "duration": 5.0, "samples": 251}
        right = simulate(arm, rtol=1e-12, **start)
        for dt in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
            run, told = judged(arm, method=method, dt=dt, rtol=None, **start)
            if not run.status:
                continue
            error = np.abs(run.q - right.q).max()
            if error > 1e-2 or error < 1e-6:
                seen[bool(error > 1e-2)] += 1
                assert bool(told) == (error > 1e-2), (arm.n, dt, error, told)
    assert min(seen.values()) >= 3


def test_semi_implicit_steps_are_judged_by_what_can_be_asked_of_them():
    stiff = TWO.replace(joints=(Joint(damping=100.0), Joint(damping=20.0)))
    for arm, dt in ((stiff, 0.01), (stiff, 1e-3), (damped(1e9), 0.01), (TWO, 1e-3)):
        _, told = judged(arm, q0=[0.3] * arm.n, duration=5.0, method="semi-implicit", dt=dt)
        assert told == []


def test_the_dt_that_is_offered_is_short_enough():
    start = {"q0": [-1.2, 0.4], "duration": 5.0, "method": "rk4"}
    _, (text,) = judged(TWO, dt=0.15, **start)
    offered = float(text.partition("try a dt of ")[2].partition(" s")[0])
    _, told = judged(TWO, dt=offered, **start)
    assert told == []


def test_a_simulation_that_moves_on_by_itself_is_judged_once():
    swing = Simulation(Scenario(arm=TWO, q0=[0.0, 0.5], method="rk4", dt=0.15))
    with pytest.warns(UlnaWarning, match="too long"):
        swing.advance(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "too long" in swing.advance(2.0).text
    fine = Simulation(Scenario(arm=TWO, q0=[0.0, 0.5], method="rk4"))
    for _ in range(50):
        assert fine.advance(0.01).text == f"ran to t = {fine.t:g} s"


def test_in_a_batch_the_arms_that_move_too_fast_are_counted():
    arms = [TWO, Arm.rods([0.01, 0.01], [1.0, 1.0])]
    start = {"q0": [-1.2, 0.4], "duration": 1.0, "dt": 0.02}
    with pytest.warns(UlnaWarning, match="too long for 1 of 2 arms, the first of them arm 1"):
        run = simulate_batch(arms, **start)
    assert run.status.reason.tolist() == ["done", "coarse"]
    assert run.status
    assert "try a smaller dt" in run.status[1].text
    assert np.isfinite(run.q).all()
    # Samples between steps are no steps.
    run = simulate_batch(arms, **(start | {"dt": 1e-3}), samples=np.linspace(0.0, 1.0, 777))
    assert run.status.reason.tolist() == ["done", "done"]


@pytest.mark.parametrize("precision", ["double", "single"])
def test_rounding_is_no_error_of_the_steps(precision):
    arms = simulate_batch(
        TWO, q0=np.linspace(-1.5, 1.5, 20)[:, None] + [0.0, 0.3], duration=10.0, precision=precision
    )
    assert arms.status.reason.tolist() == ["done"] * 20


# Events between steps


@pytest.mark.parametrize("method", ["dop853", "rk4", "gauss4", "semi-implicit"])
@pytest.mark.parametrize("dt", [1e-3, 0.05])
def test_every_change_of_sign_is_found_however_fast(method, dt):
    for rate in (3.0, 10.0, 50.0, 170.0, 1000.0):
        run = simulate(
            FLAT, q0=[0.0, 0.0], duration=1.0, method=method, dt=dt, samples=2,
            events={"tick": f"sin({rate}*t)"},
        )  # fmt: skip
        count = int(rate / math.pi)
        assert run.status.text == "ran to t = 1 s"
        times = np.array([event.t for event in run.events])
        assert times == pytest.approx(np.arange(1, count + 1) * math.pi / rate, abs=1e-9)


def test_thousands_are_counted_though_not_kept():
    run = simulate(FLAT, q0=[0.0, 0.0], duration=1.0, events={"tick": "sin(1e4*t)"}, samples=2)
    assert "of 3,183 events" in run.status.text


def test_what_is_too_fast_is_said():
    with pytest.warns(UlnaWarning, match="event 'tick' changes its sign faster than every 2e-07 s"):
        run = simulate(FLAT, q0=[0.0, 0.0], duration=1.0, events={"tick": "sin(1e9*t)"}, samples=2)
    assert "missed" in run.status.text


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "dt": 0.05}], ids=["dop853", "rk4"])
def test_narrow_dips_and_conditions_are_not_passed_over(options):
    given = {"q0": [0.0, 0.0], "duration": 1.0, "samples": 2, **options}
    events = {"dip": "cos(200*t) + 0.99", "pulse": "t % 0.02 < 0.01", "touch": "1 - cos(20*t)"}
    run = simulate(FLAT, **given, events=events)
    names = [event.name for event in run.events]
    # cos(200 t) passes −0.99 twice a turn, 32 times until t = 1; the last pair is at 0.99.
    assert names.count("dip") == 64
    assert names.count("pulse") == 49
    assert names.count("touch") == 0
    assert run.status.text == "ran to t = 1 s"


@pytest.mark.skipif(os.name == "nt", reason="no signals to send")
@pytest.mark.parametrize(
    "options",
    [{"torque": "sin(1e7*t)"}, {"events": {"a": "sin(1e6*t)"}}],
    ids=["steps", "windows"],
)
def test_ctrl_c_is_heard_among_tiny_steps(options):
    swing = Simulation(Scenario(arm=ONE, q0=[0.0], **options))
    swing.advance(1e-6)  # compiled and loaded
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            swing.advance(1.0)
    finally:
        timer.cancel()
    assert swing.t < 1.0

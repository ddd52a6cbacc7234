"""Events: where a number passes through zero, where a condition becomes true, and a run ends."""

import math

import numpy as np
import pytest

from ulna import Arm, Simulation, simulate
from ulna.scenario import Scenario

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
METHODS = ("dop853", "rk4", "gauss4", "semi-implicit")


def spinning(duration=2.0, **options):
    """Turn at 1 rad/s: the angle is the time."""
    return simulate(SPUN, q0=[0.0], qd0=[1.0], duration=duration, **options)


def log(run):
    return [(event.name, round(event.t, 9)) for event in run.events]


# Located


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dt", [1e-3, 0.3])
def test_a_zero_is_found_wherever_in_a_step_it_lies(method, dt):
    run = spinning(method=method, dt=dt, events={"one": "q1 - 1.2345678"}, samples=3)
    (event,) = run.events
    assert event.name == "one"
    assert event.t == pytest.approx(1.2345678, rel=0.0, abs=1e-9)
    assert event.q == pytest.approx([1.2345678], rel=0.0, abs=1e-9)
    assert event.qd == pytest.approx([1.0], rel=1e-12)


def test_both_ways_through_zero_count():
    run = simulate(
        SPUN, q0=[0.0], qd0=[2.0], torque=[-2.0], duration=2.0, events={"half": "q1 - 0.5"}
    )
    # q = 2 t − t² passes one half at 1 ∓ √½.
    times = [event.t for event in run.events]
    assert times == pytest.approx([1.0 - math.sqrt(0.5), 1.0 + math.sqrt(0.5)], abs=1e-9)


def test_the_tip_may_be_watched():
    run = spinning(3.0, events={"left": "x + 0.5", "up": "y > 0.5"})
    times = {event.name: event.t for event in run.events}
    assert times["left"] == pytest.approx(2.0 * math.pi / 3.0, abs=1e-9)
    assert times["up"] == pytest.approx(math.pi / 6.0, abs=1e-9)


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_every_event_of_an_instant_is_noted(method):
    same = {"a": "q1 - 1", "b": "q1 - 1", "c": "2*q1 - 2", "d": "q1 > 1"}
    assert log(spinning(events=same, method=method)) == [(name, 1.0) for name in "abcd"]


@pytest.mark.parametrize("method", METHODS)
def test_an_event_leaves_the_motion_as_it_is(method):
    options = {"q0": [0.3, 0.4], "qd0": [1.0, 2.0], "duration": 1.0, "samples": 2, "method": method}
    plain = simulate(TWO, **options)
    watched = simulate(TWO, events={"a": "q1 - 0.5", "b": "sin(20*q2)", "c": "x > y"}, **options)
    assert len(watched.events) > 3
    near = 1e-3 if method == "semi-implicit" else 1e-7
    assert watched.q[-1] == pytest.approx(plain.q[-1], rel=0.0, abs=near)


@pytest.mark.parametrize("method", METHODS)
def test_an_event_at_the_end_of_a_segment_comes_once(method):
    # A table's rows cut time into pieces; each event lies where two of them meet.
    for start in np.random.default_rng(1).uniform(0.01, 1.0, 40).tolist():
        run = spinning(
            1.5, torque=([0.0, start], [[0.0], [0.0]]), events={"here": f"t - {start!r}"},
            method=method, dt=0.1, samples=1,
        )  # fmt: skip
        assert [event.t for event in run.events] == pytest.approx([start], rel=1e-12)


# Conditions


def test_a_condition_counts_where_it_becomes_true():
    # q = 2 t − t² rises to 1 and falls again.
    run = simulate(
        SPUN, q0=[0.0], qd0=[2.0], torque=[-2.0], duration=2.0,
        events={
            "up": "q1 > 0.5", "down": "q1 < 0.5", "from": "q1 >= 0.5", "band": "0.2 < q1 < 0.4"
        },
    )  # fmt: skip
    names = [name for name, _ in log(run)]
    assert sorted(names) == ["band", "band", "down", "from", "up"]
    times = {event.name: event.t for event in run.events}
    assert times["up"] == pytest.approx(1.0 - math.sqrt(0.5), abs=1e-9)
    assert times["down"] == pytest.approx(1.0 + math.sqrt(0.5), abs=1e-9)


def test_one_that_holds_from_the_start_has_to_fail_first():
    assert spinning(events={"always": "q1 > -1"}).events == ()
    run = simulate(
        SPUN, q0=[1.0], qd0=[-2.0], torque=[2.0], duration=2.0, events={"far": "q1 > 0.5"}
    )
    # q = 1 − 2 t + t² falls below one half and comes back.
    assert [event.t for event in run.events] == pytest.approx([1.0 + math.sqrt(0.5)], abs=1e-9)


def test_a_start_on_the_spot_is_no_event():
    assert spinning(events={"start": "q1", "also": "t"}).events == ()


# Functions


def test_functions_of_time_and_of_the_state():
    run = spinning(events={"clock": lambda t: t - 0.75, "angle": lambda t, q, qd: q[0] - qd[0]})
    assert log(run) == [("clock", 0.75), ("angle", 1.0)]


def test_a_function_that_says_yes_or_no_is_a_condition():
    run = simulate(
        SPUN, q0=[0.0], qd0=[2.0], torque=[-2.0], duration=2.0,
        events={
            "up": lambda t, q, qd: q[0] > 0.5,
            "down": lambda t, q, qd: bool(q[0] < 0.5),
        },
    )  # fmt: skip
    assert [name for name, _ in log(run)] == ["up", "down"]
    assert run.events[0].t == pytest.approx(1.0 - math.sqrt(0.5), abs=1e-9)


def test_text_and_functions_are_found_at_the_same_times():
    options = {"q0": [0.0, 0.0], "duration": 2.0, "samples": 2}
    text = simulate(TWO, events={"a": "q1 + q2", "b": "qd1*qd2"}, **options)
    function = simulate(
        TWO,
        events={"a": lambda t, q, qd: q[0] + q[1], "b": lambda t, q, qd: qd[0] * qd[1]},
        **options,
    )
    assert len(text.events) >= 3
    assert log(text) == log(function)


# Until


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "until", ["q1 - 1", "q1 >= 1", lambda t, q, qd: q[0] - 1.0, lambda t, q, qd: q[0] > 1.0]
)
def test_until_ends_the_run(method, until):
    run = spinning(method=method, until=until, samples=21)
    assert run.status.ok
    assert run.status.reason == "stopped"
    assert str(run.status) == "stopped at t = 1 s, as asked"
    assert run.final.t == pytest.approx(1.0, rel=0.0, abs=1e-9)
    assert run.final.q == pytest.approx([1.0], rel=0.0, abs=1e-9)
    assert (np.diff(run.t) > 0.0).all()
    assert len(run) == 11
    assert log(run) == [("until", 1.0)]


def test_an_event_at_the_same_instant_does_not_hide_it():
    run = spinning(events={"one": "q1 - 1"}, until="q1 - 1")
    assert run.status.reason == "stopped"
    assert log(run) == [("one", 1.0), ("until", 1.0)]


def test_a_condition_that_is_met_where_a_piece_ends_is_not_missed():
    for end in (0.1, 0.3, 0.7, 1.1):
        swing = Simulation(
            Scenario(arm=SPUN, q0=[0.0], qd0=[1.0], method="rk4", until=f"t >= {end}")
        )
        reasons = [swing.advance(end).reason, swing.advance(0.5).reason]
        assert "stopped" in reasons


@pytest.mark.parametrize("method", METHODS)
def test_a_simulation_that_was_stopped_goes_on_if_asked_to(method):
    swing = Simulation(
        Scenario(arm=SPUN, q0=[0.0], qd0=[1.0], until="q1 - 1", method=method, dt=0.1)
    )
    assert swing.advance(10.0).reason == "stopped"
    assert swing.t == pytest.approx(1.0)
    assert swing.advance(0.5).reason == "done"
    assert swing.t == pytest.approx(1.5)
    assert swing.q == pytest.approx([1.5])

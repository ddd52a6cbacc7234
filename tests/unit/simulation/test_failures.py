"""Python code of users that fails during a run: it is told, and what was computed is kept."""

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Simulation, simulate
from ulna.errors import InputError, UlnaWarning

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
LIMITED = SPUN.replace(joints=(Joint(max_torque=5.0),))


class Pusher:
    """Asks for 1 N·m, until its time has come."""

    def __init__(self, late=lambda: [1.0], start=lambda: None):
        self.late, self._start = late, start

    def start(self, arm):
        return self._start()

    def torque(self, t, q, qd, reference, state):
        return (self.late() if t > 0.45 else [1.0]), state


def raising(error):
    def work(*_):
        raise error

    return work


def pushed(controller, arm=SPUN, **options):
    settings = {"q0": [0.0], "duration": 1.0, "rate": 10.0, "samples": 101, **options}
    return simulate(arm, controller=controller, **settings)


def check_kept_until(run, t):
    assert not run.status
    assert run.t[-1] == pytest.approx(t)
    assert run.t == pytest.approx(np.arange(len(run)) / 100.0)
    assert run.q[:, 0] == pytest.approx(0.5 * run.t**2, abs=1e-12)
    assert (run.tau == 1.0).all()


# Controllers


def test_a_controller_that_raises_ends_the_run_with_its_name_the_time_and_the_error():
    run = pushed(Pusher(raising(ZeroDivisionError("no gain"))))
    assert run.status.reason == "controller failed"
    text = "controller failed at t = 0.5 s: Pusher.torque raised ZeroDivisionError: no gain"
    assert str(run.status) == text
    check_kept_until(run, 0.5)
    assert isinstance(run.error, ZeroDivisionError)
    assert run.error.__traceback__ is not None
    with pytest.raises(ZeroDivisionError, match="no gain"):
        pushed(Pusher(raising(ZeroDivisionError("no gain"))), on_error="raise")


@pytest.mark.parametrize("arm", [SPUN, LIMITED])
@pytest.mark.parametrize("answer", [[np.nan], [np.inf], [1.0, 2.0], [[1.0]], None, "much", 5.0])
def test_an_answer_of_no_use_does_too(answer, arm):
    run = pushed(Pusher(lambda: answer), arm)
    assert run.status.reason == "controller failed"
    assert "controller failed at t = 0.5 s: Pusher.torque gave " in str(run.status)
    assert "need 1 finite torques [N·m], one a joint" in str(run.status)
    check_kept_until(run, 0.5)


def test_an_answer_without_a_state_does_too():
    class Forgetful(Pusher):
        def torque(self, t, q, qd, reference, state):
            return np.zeros(3)

    run = pushed(Forgetful())
    assert "a pair of torques and the next state" in str(run.status)
    assert len(run) == 1


def test_one_that_cannot_start_leaves_the_start():
    run = pushed(Pusher(start=raising(LookupError("no table"))), q0=[0.3])
    text = "controller failed at t = 0 s: Pusher.start raised LookupError: no table"
    assert str(run.status) == text
    assert run.q.tolist() == [[0.3]]
    assert np.isnan(run.tau).all()
    with pytest.raises(LookupError, match="no table"):
        pushed(Pusher(start=raising(LookupError("no table"))), on_error="raise")
    # What does not fit is bad input, as of the controllers that are built in.
    with pytest.raises(InputError, match="does not fit"):
        pushed(Pusher(start=raising(InputError("does not fit"))))


@pytest.mark.parametrize("arm", [SPUN, LIMITED])
def test_a_compiled_law_without_a_finite_torque_fails_by_name(arm):
    strong = ulna.control.PD(1e300, 1.0)
    with pytest.warns(UlnaWarning, match="unstable"):
        run = simulate(
            arm, q0=[0.0], duration=1.0, controller=strong, rate=10.0, samples=101,
            reference=lambda t: [1e20 if t > 0.45 else 0.0],
        )  # fmt: skip
    assert str(run.status).startswith("controller failed at t = 0.5 s: PD.torque gave array([inf])")
    assert run.t[-1] == pytest.approx(0.5)
    assert not run.q.any()
    assert not run.tau.any()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_interrupts_are_no_failures(error):
    swing = Simulation(
        ulna.Scenario(arm=SPUN, q0=[0.0], controller=Pusher(raising(error())), rate=10.0)
    )
    with pytest.raises(error):
        swing.advance(1.0)
    swing = Simulation(
        ulna.Scenario(arm=SPUN, q0=[0.0], torque=lambda t: raising(error())() if t else [1.0])
    )
    with pytest.raises(error):
        swing.advance(1.0)


def test_long_messages_are_cut_and_stay_in_one_line():
    run = pushed(Pusher(raising(ValueError("a\n" * 5000))))
    assert len(str(run.status)) < 500
    assert "\n" not in str(run.status)


# Functions: torques, forces and events are in test_status


def test_a_reference_that_fails_does_so_at_its_time_and_not_before():
    def reference(t):
        if t > 0.45:
            raise LookupError("no reference")
        return [0.0]

    run = pushed(ulna.control.PD(1.0, 1.0), reference=reference)
    for fact in ("failed at t = 0.5 s", "'reference'", "LookupError: no reference"):
        assert fact in str(run.status)
    assert run.t[-1] == pytest.approx(0.5)
    short = pushed(ulna.control.PD(1.0, 1.0), reference=lambda t: [0.0] if t < 0.45 else [])
    assert "function failed at t = 0.5 s" in str(short.status)


def test_a_function_that_fails_at_once_leaves_the_start():
    run = simulate(SPUN, q0=[0.3], duration=1.0, torque=raising(NameError("gain")))
    for fact in ("failed at t = 0 s", "torque", "'work'", "NameError: gain"):
        assert fact in str(run.status)
    assert run.q.tolist() == [[0.3]]
    assert np.isnan(run.tau).all()
    # What it answers at the start is part of the input, and refused as such.
    with pytest.raises(InputError, match=r"torque: got shape \(2,\) from the function at t = 0 s"):
        simulate(SPUN, q0=[0.3], duration=1.0, torque=lambda t: [1.0, 2.0])
    late = simulate(SPUN, q0=[0.3], duration=1.0, torque=lambda t: [1.0, 2.0] if t > 0.5 else [0.0])
    assert late.status.reason == "function failed"


def test_a_function_that_fails_where_a_lost_run_is_looked_into_does_not_hide_why_it_was_lost():
    def torque(t, q, qd):
        if abs(q[0]) > 1e9:
            raise LookupError("too far")
        return [1e3 * q[0]]

    run = simulate(SPUN, q0=[1.0], duration=9.0, torque=torque, method="rk4", dt=0.05)
    assert run.status.reason in ("function failed", "diverged")
    assert np.isfinite(run.q).all()

"""How runs end: as meant, or with all that was computed and a word on what to try."""

import re

import numpy as np
import pytest

from tabular import tabular
from ulna import Arm, Interrupted, Joint, Simulation, UlnaWarning, simulate
from ulna.scenario import Scenario

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
METHODS = ("dop853", "rk4", "gauss4", "semi-implicit")


def spun(torque=None, duration=1.0, **options):
    return simulate(SPUN, q0=[0.0], torque=torque, duration=duration, **options)


# Runaways


def check_kept(run, reason):
    """A run that went wrong keeps what is finite, up to where it stands."""
    assert not run.status
    assert run.status.reason == reason
    assert len(run) > 1
    for name in ("t", "q", "qd"):
        assert np.isfinite(getattr(run, name)).all(), name
    assert (np.diff(run.t) > 0.0).all()
    assert run.t[0] == 0.0


@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_steps_too_long_for_stiff_damping_blow_up_and_it_is_said(method):
    stiff = TWO.replace(joints=(Joint(damping=2e3), Joint(damping=2e3)))
    run = simulate(stiff, q0=[0.1, 0.2], qd0=[1.0, -1.0], duration=1.0, method=method)
    assert not run.status
    assert run.status.reason == ("diverged" if method == "rk4" else "stalled")
    text = str(run.status)
    for part in ("at t = ", " s", "joint", "rad/s", "dt = 0.001 s", "try a smaller dt"):
        assert part in text
    if method == "rk4":
        check_kept(run, "diverged")
        assert "semi-implicit" in text


def test_a_torque_that_feeds_on_itself_blows_up_at_its_time():
    # q̇' = q̇² from q̇ = 1 has no value at t = 1.
    run = simulate(SPUN, q0=[0.0], qd0=[1.0], torque=["qd1**2"], duration=2.0)
    check_kept(run, "diverged")
    assert run.t[-1] == pytest.approx(1.0, abs=1e-3)
    assert "joint 1" in str(run.status)
    # What came before is right: q̇ = 1/(1 − t).
    early = run.t < 0.9
    assert run.qd[early, 0] == pytest.approx(1.0 / (1.0 - run.t[early]), rel=1e-6)


def test_the_joint_that_ran_away_is_named():
    arm = Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
    run = simulate(arm, q0=[0.0, 0.5], qd0=[0.0, 1.0], torque=[0.0, "10*qd2**3"], duration=5.0)
    assert run.status.reason == "diverged"
    assert "joint 2" in str(run.status)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "dop853"])
def test_overflow_is_the_end_and_not_a_number(method):
    run = simulate(SPUN, q0=[0.0], qd0=[1.0], torque=["1e300*qd1"], duration=1.0, method=method)
    assert not run.status
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.qd).all()


def test_after_a_runaway_nothing_moves_any_more():
    swing = Simulation(Scenario(arm=SPUN, q0=[0.0], qd0=[1.0], torque=["qd1**2"], method="rk4"))
    first = swing.advance(2.0)
    assert first.reason == "diverged"
    t = swing.t
    assert swing.advance(1.0) == first
    assert swing.t == t


# Torques without a value


@tabular("method", METHODS)
@tabular(
    "torque",
    [
        "sqrt(0.5 - t)",
        "asin(2*t)",
        "log(0.5 - t)",
        "1 if t < 0.5 else 0/0",
        "1 if t < 0.5 else 1/0",
        lambda t: [np.nan if t > 0.5 else 1.0],
    ],
)
def test_a_torque_that_has_no_value_is_named_with_its_time(method, torque):
    torque = [torque] if isinstance(torque, str) else torque
    run = spun(torque, 1.0, method=method, dt=0.01)
    check_kept(run, "bad torque")
    named = re.match(r"torque 1 is (nan|inf|-inf) at t = ([\d.]+) s; ", str(run.status))
    assert named
    assert float(named[2]) == pytest.approx(0.5, abs=0.02)
    assert run.t[-1] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("torque", ["0/t", "sqrt(-1 - t)", "1/t"])
def test_one_that_has_none_at_the_very_start_ends_there(method, torque):
    looks = []

    def patience():
        looks.append(1)
        assert len(looks) < 100, "it goes on for ever"

    swing = Simulation(Scenario(arm=SPUN, q0=[0.0], torque=[torque], method=method))
    status = swing.advance_to(1.0, patience)
    assert status.reason == "bad torque"
    assert "at t = 0 s" in str(status)
    run = spun([torque], method=method)
    assert run.t.tolist() == [0.0]
    assert run.q.tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("force", "name"),
    [("1/(0.5 - t) - 1/(0.5 - t), 0", "x force"), ("0, 0, sqrt(0.5 - t)", "moment")],
)
def test_forces_have_names_too(force, name):
    run = spun(None, tip_force=force, method="rk4", dt=0.01)
    assert run.status.reason == "bad torque"
    assert name in str(run.status)


# Ctrl-C


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_in_a_torque_gives_what_there_is(method):
    pressed = []

    def torque(t):
        if t > 0.5 and not pressed:
            pressed.append(t)
            raise KeyboardInterrupt
        return [1.0]

    with pytest.raises(Interrupted, match=r"^interrupted at t = 0\.\d+ s$") as caught:
        spun(torque, method=method, dt=0.01, samples=101)
    run = caught.value.result
    check_kept(run, "interrupted")
    assert str(run.status).startswith("interrupted at t = 0.")
    assert run.t[-1] <= 0.51
    assert run.q[:, 0] == pytest.approx(0.5 * run.t**2, abs=3e-3)


def test_after_an_interruption_it_goes_on_where_it_was():
    asked = []

    def torque(t):
        asked.append(t)
        if len(asked) == 200:
            raise KeyboardInterrupt
        return [1.0]

    swing = Simulation(Scenario(arm=SPUN, q0=[0.0], torque=torque, method="rk4", dt=0.01))
    with pytest.raises(KeyboardInterrupt):
        swing.advance(10.0)
    assert swing.t < 10.0
    rest = swing.t
    swing.advance(0.25)
    assert swing.t == pytest.approx(rest + 0.25)
    assert swing.q[0] == pytest.approx(0.5 * swing.t**2, rel=1e-12)


# Errors of others


@pytest.mark.parametrize("method", METHODS)
def test_an_error_in_a_torque_comes_out_as_it_is_where_that_is_asked_for(method):
    def torque(t):
        if t > 0.5:
            raise LookupError("no torque after half a second")
        return [1.0]

    with pytest.raises(LookupError, match="no torque after half a second"):
        spun(torque, method=method, dt=0.01, on_error="raise")
    # Otherwise it is told, and nothing that was computed is lost.
    run = spun(torque, method=method, dt=0.01)
    assert run.status.reason == "function failed"
    time = re.fullmatch(
        r"function failed at t = (\S+) s: torque function 'torque' raised LookupError: "
        "no torque after half a second",
        run.status.text,
    )[1]
    assert 0.5 < float(time) <= 1.0
    assert 0.0 < run.t[-1] <= 0.5 + 1e-9
    assert run.qd[:, 0] == pytest.approx(run.t, abs=1e-12)
    assert (run.tau == 1.0).all()
    assert isinstance(run.error, LookupError)


@pytest.mark.parametrize("method", METHODS)
def test_even_in_the_last_sample(method):
    def torque(t):
        if t >= 1.0:
            raise LookupError("the end")
        return [1.0]

    with pytest.raises(LookupError, match="the end"):
        spun(torque, method=method, dt=0.01, on_error="raise")
    run = spun(torque, method=method, dt=0.01)
    assert run.status.text.startswith("function failed at t = 1 s: torque function 'torque' raised")
    assert run.qd[:, 0] == pytest.approx(run.t, abs=1e-12)
    assert np.isfinite(run.qdd).all()


def test_an_error_in_a_force_or_in_an_event_does_too():
    def broken(t):
        if t > 0.0:
            raise LookupError("broken")
        return 0.5 if "tip_force" not in options else [0.0, 0.0]

    for options in ({"tip_force": broken}, {"events": {"a": broken}}, {"until": broken}):
        with pytest.raises(LookupError, match="broken"):
            spun(**options, on_error="raise")


# Chatter


def test_events_that_let_no_time_pass_end_the_run():
    # A function that is never the same twice crosses zero wherever it is looked at.
    flips = []

    def restless(t):
        flips.append(t)
        return 1.0 if len(flips) % 2 else -1.0

    with pytest.warns(UlnaWarning, match="'flip' changes its sign faster than"):
        run = spun([1.0], duration=0.1, events={"flip": restless}, method="rk4")
    assert len(flips) < 1_000_000
    if not run.status:
        assert run.status.reason == "stalled"
        assert "without letting time pass" in str(run.status)

"""Step responses, against the closed forms of a system of second order."""

import json

import numpy as np
import pytest

import ulna
from ulna.analysis import loop, step_response
from ulna.analysis.step_responses import rest_posture
from ulna.control import PD, ComputedTorque
from ulna.errors import InputError
from ulna.simulation.batch.statuses import CODES, Statuses

FLAT = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
OMEGA = 6.0
FAST = 2e4  # [Hz]: what is held between ticks no longer shows


def second_order(zeta):
    return PD(OMEGA**2, 2.0 * zeta * OMEGA)


@pytest.mark.parametrize("zeta", [0.2, 0.5, 0.7])
def test_overshoot_and_its_time_are_those_of_the_formula(zeta):
    told = step_response(
        ulna.Scenario(arm=FLAT, controller=second_order(zeta), rate=FAST, duration=10.0)
    )
    damped = OMEGA * np.sqrt(1.0 - zeta**2)
    assert told.overshoot == pytest.approx(np.exp(-np.pi * zeta * OMEGA / damped), rel=2e-3)
    assert told.peak_time == pytest.approx(np.pi / damped, rel=2e-3)
    assert told.steady_error == pytest.approx(0.0, abs=1e-6)
    assert told.final == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("zeta", [0.3, 1.0, 2.0])
def test_rise_and_settling_are_those_of_the_exact_response(zeta):
    told = step_response(
        ulna.Scenario(arm=FLAT, controller=second_order(zeta), rate=FAST, duration=8.0)
    )
    t = np.linspace(0.0, 8.0, 400_001)
    root = OMEGA * np.emath.sqrt(zeta**2 - 1.0 + (1e-9 if zeta == 1.0 else 0.0))
    decay = np.exp(-zeta * OMEGA * t)
    y = 1.0 - np.real(decay * (np.cosh(root * t) + zeta * OMEGA / root * np.sinh(root * t)))
    rise = t[np.argmax(y >= 0.9)] - t[np.argmax(y >= 0.1)]
    settled = t[np.flatnonzero(np.abs(y - 1.0) > 0.02)[-1]]
    assert told.rise_time == pytest.approx(rise, rel=2e-3)
    assert told.settling_time == pytest.approx(settled, rel=2e-3)
    if zeta >= 1.0:
        assert told.overshoot == 0.0
        assert told.peak_time is None


def test_delay_and_lag_make_a_step_overshoot_as_the_linear_loop_tells():
    given = {
        "rate": 250.0,
        "sensors": ulna.Sensors(delay=0.002),
        "actuators": ulna.Actuators(delay=0.001, time_constant=0.005),
    }
    told = step_response(ulna.Scenario(arm=FLAT, controller=PD(400.0, 28.0), **given))
    found = loop(FLAT, [0.1], PD(400.0, 28.0), **given)
    state, closed = np.zeros(len(found.A)), found.A - found.B @ found.C
    for row, name in enumerate(found.states):
        state[row] = -0.1 * name.endswith(" q1") or -0.1 * (name == "q1")
    angles = [float((np.linalg.matrix_power(closed, k) @ state)[0]) for k in range(400)]
    overshoot = max(angles) / 0.1
    assert told.overshoot == pytest.approx(overshoot, abs=2e-3)
    slow = ulna.Scenario(arm=FLAT, controller=PD(400.0, 28.0), rate=250.0)
    assert told.overshoot > step_response(slow).overshoot + 0.002
    own = ulna.Arm.of(FLAT.links, FLAT.joints, gravity=(0.0, 0.0), loop=ulna.ControlLoop(**given))
    held = ulna.Scenario(arm=own, controller=PD(400.0, 28.0))
    assert step_response(held).overshoot == told.overshoot


def test_what_rounds_is_refused_with_the_reason():
    coarse = ulna.Sensors(angle_resolution=1e-3)
    with pytest.raises(InputError, match=r"angle_resolution: got 0.001, .*go with the size of the"):
        step_response(ulna.Scenario(arm=FLAT, controller=PD(400.0, 28.0), sensors=coarse))


def test_it_is_watched_until_it_rests():
    slow = step_response(ulna.Scenario(arm=FLAT, controller=PD(1.0, 1.6)))
    assert slow.settles
    assert slow.run.t[-1] > 2.0
    assert slow.overshoot == pytest.approx(np.exp(-np.pi * 0.8 / 0.6), rel=0.02)


def test_what_swings_on_never_settles_and_says_so():
    with pytest.warns(ulna.UlnaWarning, match="unstable"):  # what is held for a tick comes late
        told = step_response(ulna.Scenario(arm=FLAT, controller=PD(100.0, 0.0), duration=2.0))
    assert not told.settles
    assert (told.rise_time, told.overshoot, told.peak_time, told.steady_error) == (None,) * 4
    assert "does not settle" in repr(told)
    assert json.loads(json.dumps(told.facts()))["settling_time"] is None


def test_what_diverges_says_so():
    with pytest.warns(ulna.UlnaWarning, match="unstable"):
        told = step_response(ulna.Scenario(arm=FLAT, controller=PD(1e8, 0.0)))
    assert not told.settles
    assert not told.run.status.ok
    assert str(told.run.status) in repr(told)


def test_gravity_leaves_an_error_that_the_spring_cannot_take():
    arm = ulna.Arm.rods([1.0], [1.0])
    told = step_response(ulna.Scenario(arm=arm, controller=PD(50.0, 10.0), duration=6.0), size=0.3)
    missing = told.steady_error
    hangs = -np.pi / 2.0 + 0.3 - missing
    assert 50.0 * missing == pytest.approx(9.81 * 0.5 * np.cos(hangs), abs=1e-4)
    assert told.final == pytest.approx(1.0 - missing / 0.3)


def test_the_joints_of_a_computed_torque_answer_alike():
    arm = ulna.preset("kehl")
    first, second = (
        step_response(
            ulna.Scenario(arm=arm, controller=ComputedTorque(natural_frequency=10.0), duration=3.0),
            joint=joint,
            size=-0.2,
        )
        for joint in (1, 2)
    )
    assert first.settling_time == pytest.approx(second.settling_time, rel=1e-2)
    assert first.settling_time == pytest.approx(0.583, rel=0.02)  # (1 + 10 t) e^(−10 t) = 0.02
    assert np.abs(first.run.q[:, 1]).max() <= 1e-3  # the other joint stays


def test_the_arm_hangs_where_it_starts_and_within_its_ranges():
    assert rest_posture(ulna.preset("kehl")) == pytest.approx([-np.pi / 2.0, 0.0])
    assert rest_posture(FLAT) == pytest.approx([0.0])
    narrow = ulna.Arm.of([ulna.Link(1.0, 1.0)], [ulna.Joint(lower=-1.0, upper=1.0)])
    assert rest_posture(narrow) == pytest.approx([-1.0])


NAMES = ("final", "rise_time", "overshoot", "peak_time", "settling_time", "steady_error")
TWO = ulna.Arm.rods([0.5, 0.4], [1.0, 0.5], gravity=(0.0, 0.0))


def batch_of_steps(members=64):
    """Return arms under gains from slow to swinging, of which some have no step, one fails."""
    gains = [PD(4.0 + 0.2 * k, 0.05 + 0.1 * (k % 9)) for k in range(members)]
    goals = np.stack([np.linspace(-0.3, 0.3, members), np.full(members, 0.1)], axis=-1)
    goals[5] = 0.0
    run = ulna.simulate_batch(
        TWO, q0=[0.0, 0.0], reference=goals, controller=gains, duration=4.0, samples=1003
    )
    q, codes = run.q.copy(), run.status.codes.copy()
    q[7, 500:], codes[7] = np.nan, CODES["diverged"]
    status = Statuses(codes, run.t_end)
    return ulna.BatchRun(
        run.parameters, run.t, q, run.qd, None, run.t_end, status, {}, call=run.call
    ), goals


def test_a_batch_of_second_order_systems_overshoots_as_the_formula():
    zeta = np.array([0.2, 0.5, 0.7])
    batch = ulna.simulate_batch(
        FLAT, q0=[0.3], reference=[0.5], controller=[second_order(one) for one in zeta],
        duration=10.0, rate=1e4, dt=1e-4, samples=10_001,
    )  # fmt: skip
    told, damped = step_response(batch), OMEGA * np.sqrt(1.0 - zeta**2)
    assert told.size == pytest.approx(np.full((3, 1), 0.2))
    assert told.overshoot[:, 0] == pytest.approx(np.exp(-np.pi * zeta * OMEGA / damped), rel=2e-3)
    assert told.peak_time[:, 0] == pytest.approx(np.pi / damped, rel=2e-3)
    assert told.steady_error == pytest.approx(np.zeros((3, 1)), abs=1e-5)
    assert told.settles.all()


def test_a_member_has_the_same_bits_in_every_batch_and_by_itself():
    batch, goals = batch_of_steps()
    whole = step_response(batch)
    assert 10 < whole.settles.sum() < 120
    assert np.isnan(whole.final[[5, 7]]).all()
    for k in range(len(batch)):
        one = step_response(batch[k : k + 1])
        for name in (*NAMES, "size", "response"):
            assert getattr(one, name)[0].tobytes() == getattr(whole, name)[k].tobytes(), (k, name)
        if k == 5:
            continue
        alone = step_response(batch[k], joint=2, reference=goals[k])
        for name in NAMES:
            found, expected = getattr(alone, name), getattr(whole, name)[k, 1]
            assert (found is None and np.isnan(expected)) or found == expected, (k, name)


def test_a_run_is_measured_as_the_step_that_it_was():
    told = step_response(
        ulna.Scenario(arm=FLAT, controller=second_order(0.5), duration=3.0, q0=[0.4])
    )
    again = step_response(told.run)
    for name in NAMES:
        assert getattr(again, name) == pytest.approx(getattr(told, name), rel=1e-12, abs=1e-15)
    batch = ulna.simulate_batch(
        FLAT, q0=[[0.4]], reference=[0.5], controller=second_order(0.5), duration=3.0,
        samples=len(told.run.t),
    )  # fmt: skip
    for name in NAMES:
        found = getattr(step_response(batch), name)[0, 0]
        assert found == pytest.approx(getattr(told, name), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"joint": 1}, "joint"),
        ({"size": 0.1}, "size"),
        ({"reference": [0.1]}, "reference"),
        ({"reference": [0.1, np.nan]}, "reference"),
        ({"reference": "0.1"}, "reference"),
    ],
)
def test_what_cannot_be_chosen_of_a_batch_is_refused(options, what):
    batch = ulna.simulate_batch(
        TWO, q0=[[0.0, 0.0]], reference=[0.1, 0.0], controller=PD(1.0, 1.0), duration=0.1, samples=9
    )
    with pytest.raises(InputError, match=what):
        step_response(batch, **options)


def test_set_points_that_are_not_known_are_asked_for():
    plan = ulna.plan(TWO, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    batch = ulna.simulate_batch(TWO, reference=plan, controller=PD(9.0, 1.0), samples=9)
    with pytest.raises(InputError, match="reference"):
        step_response(batch)
    with pytest.raises(InputError, match="reference"):
        step_response(batch[0])
    run = ulna.simulate(
        TWO, q0=[0.0, 0.0], reference=[0.1, 0.2], controller=PD(9.0, 1.0), duration=1
    )
    with pytest.raises(InputError, match="joints: 1, 2"):
        step_response(run)
    with pytest.raises(InputError, match="not where it started"):
        step_response(run, joint=1, reference=[0.0, 0.2])
    with pytest.raises(InputError, match="joint and size"):
        step_response(ulna.Scenario(arm=TWO, controller=PD(9.0, 1.0), reference=[0.1, 0.2]))

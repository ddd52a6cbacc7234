"""Outputs of points: the same however points are grouped, and what single calls compute."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from tests.support.tabular import tabular

import ulna
from ulna import Arm, Friction, Joint
from ulna.analysis import tracking
from ulna.arrays import Array
from ulna.errors import InputError
from ulna.sweep.compute import compute
from ulna.sweep.sweep_outputs import CURVES, OK_STATUSES, SCALARS, STATUS_CODES, STATUSES
from ulna.sweep.sweep_spec import read_spec

ARM = Arm.rods(
    [0.5, 0.5],
    [1.0, 0.8],
    joints=[Joint(damping=0.1, friction=Friction(0.05), max_torque=30.0), Joint(lower=-3.1)],
)
DRIVEN = Arm.rods([0.2, 0.2], [0.3, 0.2]).with_motors(
    ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
)
ALL = [name for name, output in SCALARS.items() if "set-point" not in output.needs[:12]]
CIRCLE: dict[str, Any] = {
    "arm": ARM,
    "path": "circle(center=(0.5, 0.2), radius='10 cm')",
    "duration": "0.4 s",
    "samples": 60,
    "keep": [*ALL, *CURVES, "run"],
}
NOISY = "Sensors(angle_noise=0.001, rate_noise=0.01)"
SWEEPS: dict[str, dict[str, Any]] = {
    "64 masses, some of no arm": {
        **CIRCLE,
        "sensors": NOISY,
        "vary": {
            "link.2.mass": np.linspace(-0.2, 2.0, 16),
            "payload": [0.0, 0.3],
            "joint.1.friction.coulomb": [0.0, 0.2],
        },
    },
    "one joint": {
        **CIRCLE,
        "arm": Arm.rods([0.5], [1.0]),
        "path": "joints([(0,), (1,), (0.5,)])",
        "vary": {"payload": np.linspace(0.0, 1.0, 9)},
    },
    "motions": {
        **CIRCLE,
        "vary": {
            "link.all.length": [0.2, 0.45, 0.6],
            "timing": ["uniform", "quintic"],
            "elbow": ["up", "down"],
        },
    },
    "loops": {
        **CIRCLE,
        "vary": {
            "controller": ["PD()", "ComputedTorque()", "FeedforwardPID()"],
            "controller_model.payload": [0.0, 0.5],
            "sensors.delay": ["0 ms", "2 ms"],
        },
    },
    "a design": {
        **CIRCLE,
        "sensors": NOISY,
        "vary": {
            "design": "sobol",
            "count": 16,
            "link.1.mass": {"from": 0.5, "to": 2.0},
            "controller.natural_frequency": {"from": 5.0, "to": 30.0, "scale": "log"},
            "gravity.y": {"mean": -9.81, "std": 0.5},
        },
    },
    "motors": {
        **CIRCLE,
        "arm": DRIVEN,
        "path": "circle((0.25, 0.1), 0.05)",
        "vary": {"joint.all.motor.torque_constant": [0.01, 0.02], "payload": [0.0, 0.1, -1.0]},
    },
    "durations and steps": {
        **CIRCLE,
        "vary": {"duration": [0.3, 0.4], "dt": [1e-3, 5e-4], "path.radius": [0.1, 2.0]},
    },
    "torques": {
        "arm": ARM,
        "q0": [0.1, 0.2],
        "torque": ["2*sin(3*t)", "0"],
        "duration": 0.5,
        "samples": 40,
        "keep": ["torque.rms", "q.final", "run"],
        "vary": {"payload": [0.0, 0.4], "q0.2": ["10 deg", "30 deg"]},
    },
    "plans": {
        **CIRCLE,
        "simulate": False,
        "keep": ["torque.peak", "power.rms", "energy.net", "torque", "tip", "run"],
        "vary": {"link.1.mass": [0.5, 1.0, 5.0], "joint.2.friction.drag": [0.0, 0.1]},
    },
}


FINE = [STATUS_CODES[status] for status in OK_STATUSES]


def joined(parts: Iterable[dict[str, Array]]) -> dict[str, Array]:
    listed = list(parts)
    return {name: np.concatenate([part[name] for part in listed]) for name in listed[0]}


def assert_same(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype
        assert values.tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("name", SWEEPS)
def test_a_point_does_not_depend_on_its_company(name: str) -> None:
    spec = read_spec(SWEEPS[name])
    count = len(spec)
    whole = compute(spec, range(count))
    assert_same(whole, joined(compute(spec, [k]) for k in range(count)))
    order = np.random.default_rng(0).permutation(count)
    shuffled = compute(spec, order, threads=1)
    assert_same({key: values[order] for key, values in whole.items()}, shuffled)
    assert np.isin(whole["status"], FINE).any()


@tabular("name", [name for name in SWEEPS if name != "plans"])
def test_a_point_is_repeated_by_a_batch_of_one(name: str) -> None:
    spec = read_spec(SWEEPS[name])
    found = compute(spec, range(len(spec)))
    for number in np.flatnonzero(np.isin(found["status"], FINE))[[0, -1]]:
        run = spec.case(int(number)).simulate(spec.grid)
        assert np.array_equal(run.q[0], found["run.q"][number])
        assert np.array_equal(run.tau[0], found["run.tau"][number])


def test_points_that_cannot_be_computed_say_why_and_stop_nothing() -> None:
    given = {**CIRCLE, "keep": ["torque.peak", "torque"]}
    vary = {
        "link.all.length": [0.2, 0.5],
        "link.2.mass": [1.0, -1.0],
        "controller.kp": [100.0, 1e9],
    }
    spec = read_spec({**given, "vary": vary, "controller": "PD(kp=100, kd=10)"})
    found = compute(spec, range(len(spec)))
    told = {STATUSES[code] for code in found["status"]}
    assert told == {"infeasible", "invalid", "diverged", "done"}
    for number, code in enumerate(found["status"]):
        point = spec.design.point(number)
        if point["link.all.length"] == 0.2:
            assert STATUSES[code] == "infeasible"
            assert "out of reach" in found["message"][number]
        elif point["link.2.mass"] <= 0.0:
            assert STATUSES[code] == "invalid"
            assert "link.2.mass: got" in found["message"][number]
        elif point["controller.kp"] == 1e9:
            assert found["message"][number].startswith("diverged at t = ")
            assert found["t_end"][number] < 0.4
        else:
            assert np.isfinite(found["torque"][number]).all()
        if STATUSES[code] in ("infeasible", "invalid"):
            assert np.isnan(found["torque"][number]).all()
            assert np.isnan(found["t_end"][number])


def test_outputs_are_those_of_a_single_run() -> None:
    spec = read_spec({**CIRCLE, "duration": 1.0, "samples": 200, "vary": {"payload": [0.0, 0.6]}})
    found = compute(spec, [1])
    arm = ARM.with_payload(0.6)
    made = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    start, times = made.trajectory(0.0), spec.grid.times(1.0)
    run = ulna.simulate(
        arm, q0=start.q, qd0=start.qd, duration=1.0, controller=ulna.control.ComputedTorque(),
        reference=made, method="rk4", samples=times,
    )  # fmt: skip
    judged = tracking(run, made)
    for name, wanted in {
        "torque.peak": judged.effort.torque_peak,
        "torque.rms": judged.effort.torque_rms,
        "torque.use": judged.effort.torque_use,
        "power.mean": judged.effort.power_mean,
        "energy.spent": judged.effort.energy_spent,
        "tip_error.rms": judged.rms,
        "tip_error.max": judged.max,
        "joint_error.rms": judged.joint_rms,
        "q.final": run.q[-1],
        "speed.peak": np.abs(run.qd).max(axis=0),
        "tip": run.tip[:, :2],
        "torque": run.tau,
        "tip_error": judged.size,
    }.items():
        assert found[name][0] == pytest.approx(wanted, rel=1e-6, abs=1e-9, nan_ok=True), name


def test_steps_overshoot_as_second_order_systems_do() -> None:
    # A rod of mass 3 and length 1 turns about its end with M = 1: ω = 5, ζ = kd / 10.
    spec = read_spec(
        {
            "arm": Arm.rods([1.0], [3.0], gravity=(0.0, 0.0)),
            "set_point": [0.1],
            "q0": [0.0],
            "controller": "PD(kp=25, kd=5)",
            "duration": 8.0,
            "samples": 8001,
            "rate": "10 kHz",  # a torque held for long would take away damping
            "keep": ["overshoot", "settling_time", "steady_error"],
            "vary": {"controller.kd": [2.0, 4.0, 6.0]},
        }
    )
    found, ratio = compute(spec, range(3)), np.array([0.2, 0.4, 0.6])
    wanted = np.exp(-np.pi * ratio / np.sqrt(1.0 - ratio**2))
    assert found["overshoot"][:, 0] == pytest.approx(wanted, abs=5e-4)
    assert (np.diff(found["settling_time"]) < 0.0).all()
    # What is left in the last tenth of the run is less than what the oscillation has decayed to.
    left = 0.1 * np.exp(-5.0 * ratio * 7.2) / np.sqrt(1.0 - ratio**2)
    assert (np.abs(found["steady_error"][:, 0]) < left).all()


def test_planned_torques_are_linear_in_the_masses() -> None:
    spec = read_spec(
        {
            **SWEEPS["plans"],
            "arm": Arm.rods([0.5, 0.5], [1.0, 1.0]),
            "vary": {"link.1.mass": [1.0, 2.0, 3.0]},
        }
    )
    first, second, third = compute(spec, range(3))["torque"]
    assert third - second == pytest.approx(second - first, abs=1e-12)
    # What a link does to the joints beyond it is nothing.
    assert third[:, 1] == pytest.approx(first[:, 1], abs=1e-12)


def test_seeds_draw_the_same_noise_again_and_points_their_own() -> None:
    given = {**CIRCLE, "sensors": NOISY, "keep": ["run"]}
    own = compute(read_spec({**given, "vary": {"payload": [0.3, 0.3]}}), [0, 1])["run.q"]
    assert not np.array_equal(own[0], own[1])
    same = read_spec({**given, "seed": 5, "vary": {"payload": [0.3, 0.3]}})
    shared = compute(same, [0, 1])["run.q"]
    assert np.array_equal(shared[0], shared[1])
    varied = compute(read_spec({**given, "vary": {"payload": [0.3], "seed": [0, 5]}}), [0, 1])
    assert np.array_equal(varied["run.q"], np.stack([own[0], shared[0]]))


# ------------------------------------------------------------------------------ the fastest timing

FASTEST: dict[str, Any] = {
    "arm": Arm.rods([0.5, 0.5], [1.0, 10.0], joints=[Joint(max_torque=150.0)] * 2),
    "path": "circle(center=(0.4, 0.3), radius='10 cm')",
    "timing": "fastest",
    "simulate": False,
    "keep": ["duration", "torque.peak"],
}


def fastest(payload: float = 0.0, **options: Any) -> ulna.Plan:
    """Return the plan by itself."""
    arm = FASTEST["arm"].with_payload(payload)
    path = ulna.paths.circle((0.4, 0.3), 0.1)
    return ulna.plan(arm, path, timing="fastest", **options)


def test_what_an_arm_can_do_decides_how_fast_each_point_is() -> None:
    spec = read_spec({**FASTEST, "vary": {"payload": [0.0, 2.0]}})
    found = compute(spec, range(2))
    expected = [fastest(payload).duration for payload in (0.0, 2.0)]
    np.testing.assert_allclose(found["duration"], expected, rtol=1e-12)
    assert found["duration"][1] > 1.01 * found["duration"][0]
    assert (found["torque.peak"].max(axis=1) <= 150.0 * (1.0 + 1e-6)).all()


def test_options_of_the_fastest_timing_are_parameters() -> None:
    vary = {"max_joint_acceleration": ["2 rad/s^2", "400 deg/s^2"]}
    found = compute(read_spec({**FASTEST, "vary": vary}), range(2))
    expected = [fastest(max_joint_acceleration=most).duration for most in (2.0, np.radians(400.0))]
    np.testing.assert_allclose(found["duration"], expected, rtol=1e-12)
    assert found["duration"][0] > 1.1 * found["duration"][1]
    vary = {"reserve": [0.3], "smoothing": ["20 ms"]}
    found = compute(read_spec({**FASTEST, "vary": vary}), range(1))
    expected = fastest(reserve=0.3, smoothing=0.02).duration
    assert found["duration"].item() == pytest.approx(expected, rel=1e-12)
    for_all = read_spec({**FASTEST, "reserve": 0.3, "smoothing": "20 ms"}).base.motion
    assert (for_all["reserve"], for_all["smoothing"]) == (0.3, 0.02)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"duration": "2 s"}, "duration: got one, need none with timing = 'fastest'"),
        ({"derivatives": "finite"}, "derivatives: got 'finite', need 'exact' with timing"),
        ({"timing": "cubic", "reserve": 0.1}, "reserve: got one, need none, or timing = 'fastest'"),
        ({"vary": {"plan.reserve": [0.1]}}, r"plan\.reserve: got an unknown parameter"),
    ],
)
def test_what_the_fastest_timing_has_no_use_for_is_refused(wrong: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_spec({**FASTEST, "vary": {"payload": [0.0]}, **wrong})


def test_points_of_too_many_steps_are_refused_and_the_others_computed() -> None:
    spec = read_spec({**CIRCLE, "controller": "PD()", "vary": {"rate": [100.0, 1e9]}})
    found = compute(spec, range(2))
    assert [STATUSES[code] for code in found["status"]] == ["done", "invalid"]
    assert "rate: got 1e+09 Hz, or 4e+08 steps in the 0.4 s of a point" in found["message"][1]

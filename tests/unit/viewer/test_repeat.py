"""The script of a report repeats its result from nothing, to the last digits."""

import pickle

import numpy as np
import pytest

import ulna
from ulna.control import PD, PID, ComputedTorque, OpenLoop
from ulna.scenario import disturbances
from ulna.viewer.report_page import document


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=0.5)


def executed(made):
    names = {}
    exec(made.header["repeat"]["script"], names)
    return names


@pytest.mark.parametrize(
    "how",
    [
        {"duration": 0.5, "timing": "quintic", "rate": 100.0, "floor": 0.1},
        {"timing": ulna.motion.times([0.0, 0.2, 0.7], [0.0, 0.6, 1.0])},
        {"timing": "trapezoid", "max_speed": 0.5, "max_acceleration": 3.0},
        {"tip_force": [1.0, -2.0, 0.5], "duration": np.float64(0.5), "elbow": "down"},
        {"derivatives": "finite", "duration": 0.5, "start": [0.0, 1.0]},
        {},
    ],
    ids=lambda how: "+".join(how) or "plain",
)
def test_the_script_of_a_plan_repeats_what_it_was_asked(how):
    made = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), **how)
    again = executed(document(made))["plan"]
    for name in ("t", "q", "qd", "qdd", "tau"):
        theirs, ours = getattr(again, name), getattr(made, name)
        np.testing.assert_array_equal(theirs, ours, err_msg=name)
    assert again.request == made.request
    assert again.problems == made.problems
    assert again.duration_reason == made.duration_reason


def test_the_script_of_a_redundant_plan_repeats_its_posture():
    arm, posture = ulna.Arm.rods([0.4, 0.3, 0.2], [1.0, 1.0, 1.0]), np.array([1.0, -0.5, -0.5])
    path = ulna.paths.line((0.5, 0.1), (0.5, 0.3))
    made = ulna.plan(arm, path, duration=1.0, posture=posture, floor=-1.0)
    other = ulna.plan(arm, path, duration=1.0)
    assert np.abs(made.q - other.q).max() > 1e-3  # so that the posture matters
    again = executed(document(made))["plan"]
    np.testing.assert_allclose(again.q, made.q, rtol=0.0, atol=1e-12)
    posture[:] = 0.0
    assert made.request.posture == (1.0, -0.5, -0.5)


def test_a_controller_believes_in_its_model_again(plan):
    model = plan.arm.with_payload(2.0).replace(name="a heavy > arm, (model=<x>)")
    laws = {
        "no model": OpenLoop(),
        "open loop": OpenLoop(model),
        "closed loop": ComputedTorque(natural_frequency=30.0, model=model, damping_ratio=0.9),
        "friction": ComputedTorque(model=model, friction_compensation=True),
    }
    runs = {
        label: ulna.simulate(plan.arm, controller=law, reference=plan, rate=500.0)
        for label, law in laws.items()
    }
    again = executed(document(runs, plan=plan))["runs"]
    for label, run in runs.items():
        np.testing.assert_allclose(again[label].q[-1], run.q[-1], rtol=0.0, atol=1e-12)


def followings(plan):
    heavy, servos = plan.arm.with_payload(2.0), ulna.preset("so-101")
    slow = ulna.plan(servos, ulna.paths.circle((0.2, 0.1), 0.04), duration=0.5)
    law = ComputedTorque(model=plan.arm)
    return {
        "closed loop": (plan, ulna.simulate(heavy, controller=law, reference=plan)),
        "position commands": (slow, ulna.simulate(servos, reference=slow, duration=0.1)),
    }


def test_what_an_arm_followed_is_repeated_with_it(plan):
    for label, (followed, run) in followings(plan).items():
        again = executed(document(run, plan=followed))["runs"][label]
        np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0.0, atol=1e-12)
        assert again.arm == run.arm


DISTURBED = {
    "controller": ComputedTorque(),
    "reference": [0.3, 0.4],
    "rate": 250.0,
    "sensors": ulna.Sensors(delay=0.002, angle_noise=1e-3, seed=4),
    "actuators": ulna.Actuators(delay=0.001, time_constant=0.005, max_torque=(90.0, 80.0)),
    "disturbances": [
        disturbances.step(torque=[3.0, 0.0], at=0.1),
        disturbances.noise(force=[1.0, 2.0], rate=100.0, seed=7, until=0.3),
        disturbances.sine(torque=[0.0, 5.0], frequency=4.0),
    ],
    "events": {"low": "y - 0.3"},
    "duration": 0.4,
}
TABLE = ([0.0, 0.2], [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"torque": ["2*cos(t)", "0.1*q1"], "duration": 0.5}, "done"),
        ({"torque": TABLE, "between": "linear", "duration": 0.2}, "done"),
        ({"dynamics": "sequential", "sequential_damping": [0.3, 0.2]}, "done"),
        (DISTURBED, "done"),
        ({"until": "q1 < -0.5", "events": {"low": "q1 + 0.2"}}, "stopped"),
        ({"torque": ["sqrt(0.3 - t)", "0"]}, "bad torque"),
        ({"torque": ["1e9*q1", "0"], "method": "rk4", "dt": 0.05}, "diverged"),
        ({"until": "q1 < -0.5", "samples": [0.1, 0.15, 0.8]}, "stopped"),
        ({"samples": 1}, "done"),
        ({"events": {"until": "q1 + 0.2"}}, "done"),
    ],
    ids=lambda one: one if isinstance(one, str) else "+".join(one),
)
def test_the_script_of_a_run_repeats_it_to_its_end(how, reason):
    run = ulna.simulate(ulna.preset("unit"), q0=[0.1, 0.2], **{"duration": 1.0, **how})
    assert run.status.reason == reason
    again = executed(document(run))["run"]
    assert (again.status, again.t.tolist()) == (run.status, run.t.tolist())
    np.testing.assert_allclose(again.q, run.q, rtol=0.0, atol=1e-12)
    assert [one.name for one in again.events] == [one.name for one in run.events]


def test_what_no_script_can_hold_is_told():
    run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], torque=lambda t: [t, 0.0], duration=0.1)
    header = document(run).header
    assert header["repeat"]["script"] is None
    assert any("torque is the function" in note for note in header["notes"])
    run = ulna.simulate(
        ulna.preset("unit"), q0=[0.0, 0.0], events={"low": lambda t, q, qd: q[0]}, duration=0.1
    )
    assert any("its events is the function" in note for note in document(run).header["notes"])


def test_the_script_of_a_portrait_repeats_it():
    arm = ulna.preset("bechard-1")
    portrait = ulna.portrait(arm, torque=4.0, starts=[(0.0, 3.07)], duration=2.0)
    made = document(portrait)
    again = executed(made)["portrait"]
    q = portrait.orbits[0].run.q[-1]
    np.testing.assert_allclose(again.orbits[0].run.q[-1], q, rtol=0.0, atol=1e-12)
    assert made.header["verdict"]["text"].startswith("2 equilibria, 1 of them stable")


STARTS = np.random.default_rng(0).uniform(-1.0, 1.0, (40, 2))


def same_batch(again, batch):
    assert again.t.tolist() == batch.t.tolist()
    assert again.status.codes.tolist() == batch.status.codes.tolist()
    for name in ("q", "qd", "tau"):
        theirs, ours = getattr(again, name), getattr(batch, name)
        assert (theirs is None) == (ours is None)
        if ours is not None:
            np.testing.assert_allclose(theirs, np.asarray(ours), rtol=0.0, atol=1e-12)


def test_a_batch_says_how_many_finished_and_is_repeated():
    batch = ulna.simulate_batch(ulna.preset("kehl"), q0=STARTS, duration=0.2, samples=11)
    made = document(batch)
    assert made.header["verdict"]["text"].startswith("40 of 40 arms ran to the end")
    assert len(made.header["planes"][0]["points"]) == 40
    same_batch(executed(made)["batch"], batch)


def geared():
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, efficiency=0.8)
    arm = ulna.Arm.rods([0.3, 0.2], [0.5, 0.3])
    return arm.replace(joints=[ulna.Joint(motor=motor), ulna.Joint(-2.0, 2.0, motor=motor)])


ARM = ulna.Arm.rods([0.3, 0.2], [0.5, 0.3])
ARMS = [ARM.with_payload(0.1 * k) for k in range(3)]
MODEL = ARM.with_payload(1.0)
NOISE = [
    disturbances.noise(torque=[0.1, 0.1], rate=100.0, seed=3),
    disturbances.sine(force=[0.5, 0.0], frequency=2.0),
]


@pytest.mark.parametrize(
    ("arms", "how"),
    [
        (ARM, {"torque": STARTS[:5], "keep_torques": True, "samples": [0.01, 0.05, 0.1]}),
        (ARM, {"torque": ([0.0, 0.05], np.ones((3, 2, 2))), "between": "linear"}),
        (ARM, {"torque": ["1, 0", (np.array([0.0, 0.05]), [[1, 0], [0, 1]]), None], "dt": 5e-4}),
        (ulna.stack(ARMS), {"restitution": 0.5, "precision": "single"}),
        (ARMS, {"controller": ComputedTorque(model=MODEL), "reference": [0.3, 0.4], "rate": 500.0}),
        (ARMS, {"controller": [PD(20.0, 2.0), PD([9.0, 4.0], 1.0), PID(9.0, ki=2.0)]}),
        (geared(), {"voltage": [6.0, -3.0], "q0": STARTS[:3]}),
        (ARM, {"disturbances": NOISE, "seeds": [4, 9, 2], "tip_force": [0.0, 1.0]}),
        (
            ARM,
            {
                "controller": PD(20.0, 2.0),
                "sensors": [ulna.Sensors(angle_noise=1e-3, delay=d) for d in (0.0, 0.002)],
                "actuators": ulna.Actuators(time_constant=0.01, max_torque=(5.0, 4.0)),
            },
        ),
    ],
    ids=lambda one: "+".join(one) if isinstance(one, dict) else type(one).__name__,
)
def test_the_script_of_a_batch_repeats_it_also_from_a_file(arms, how, tmp_path):
    batch = ulna.simulate_batch(arms, **({"q0": [0.1, -0.2], "duration": 0.1} | how))
    same_batch(executed(document(batch))["batch"], batch)
    batch.save(tmp_path / "batch.zarr")
    opened = ulna.open_batch(tmp_path / "batch.zarr")
    same_batch(executed(document(opened))["batch"], batch)
    same_batch(executed(document(pickle.loads(pickle.dumps(batch))))["batch"], batch)


def test_some_arms_of_a_batch_are_repeated_as_those(tmp_path):
    law = {"controller": PD(20.0, 2.0), "sensors": ulna.Sensors(angle_noise=1e-3)}
    store = tmp_path / "batch.zarr"
    batch = ulna.simulate_batch(ARM, q0=STARTS, duration=0.05, store=store, **law)
    some = batch[10:30][np.array([3, 7, 5])]
    assert np.abs(some.q[0] - batch.q[0]).max() > 1e-3
    same_batch(executed(document(some))["batch"], some)


def test_a_batch_along_a_plan_is_repeated_with_it(plan, tmp_path):
    how = {"controller": ComputedTorque(), "reference": plan, "q0": STARTS[:3]}
    batch = ulna.simulate_batch(plan.arm, **how)
    same_batch(executed(document(batch))["batch"], batch)
    batch.save(tmp_path / "batch.zarr")
    opened = ulna.open_batch(tmp_path / "batch.zarr")
    assert "not in its file" in document(opened).header["notes"][-1]


def test_a_batch_keeps_its_starts_whatever_becomes_of_the_arrays():
    q0, rows = STARTS.copy(), [[0.1, 0.2]] * 40
    batch = ulna.simulate_batch(ARM, q0=q0, qd0=rows, duration=0.05)
    q0[:] = 0.0
    rows[0][0] = 7.0
    same_batch(executed(document(batch))["batch"], batch)


def test_what_of_a_batch_no_script_can_hold_is_told():
    q0 = np.zeros((3000, 2))
    batch = ulna.simulate_batch(ARM, q0=q0, duration=0.001)
    assert batch.call is None
    assert "more than 4,000 numbers" in document(batch).header["notes"][-1]
    many = np.random.default_rng(1).uniform(-1.0, 1.0, (1900, 2))
    batch = ulna.simulate_batch(ARM, q0=many, qd0=many, duration=0.001)
    assert "letters, more than" in document(batch).header["notes"][-1]
    swing = {"controller": PD(20.0, 2.0), "reference": lambda t: [t, 0.0]}
    batch = ulna.simulate_batch(ARM, q0=STARTS, duration=0.01, **swing)
    assert "<lambda>, which no text holds" in document(batch).header["notes"][-1]
    assert pickle.loads(pickle.dumps(batch)).call is None

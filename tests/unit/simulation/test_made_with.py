"""How runs and batches were made, in words: all that was set, and nothing that was not."""

import numpy as np

import ulna
from ulna.control import PD
from ulna.scenario import disturbances
from ulna.simulation.made_with import batch_scenario, made_with

ARM = ulna.Arm.rods([0.3, 0.2], [0.5, 0.3])


def told(result, **how):
    return dict(made_with(result.scenario, **how))


def test_a_run_by_itself_has_a_method_and_a_start():
    run = ulna.simulate(ARM, q0=[0.5, 0.25], duration=0.01)
    assert list(told(run)) == ["method", "start"]
    assert told(run)["start"] == "angles 0.5, 0.25 rad, at rest"
    run = ulna.simulate(ARM, q0=[0.5, 0.25], qd0=[1.0, 1.0], duration=0.01)
    start = "angles 0.5, 0.75 rad from the x axis, speeds 1, 2 rad/s"
    assert told(run, absolute=True)["start"] == start


def test_disturbances_are_told_one_by_one():
    acting = [
        disturbances.step(force=[2.0, 0.0], at=0.1),
        disturbances.noise(torque=[0.1, 0.2], rate=100.0, until=0.3),
        disturbances.formula("2*t, q1"),
    ]
    run = ulna.simulate(ARM, q0=[0.0, 0.0], disturbances=acting, until="q1 < -1", duration=0.01)
    assert told(run)["disturbances"] == (
        "force 2, 0 N, from 0.1 s; noise at 100 Hz, torque 0.1, 0.2 N·m, from 0 s to 0.3 s; "
        "torque 2*t, q1 N·m, from 0 s"
    )
    assert told(run)["until"] == "q1 < -1"


def test_limits_decide_what_is_said_of_stops():
    limited = ARM.replace(joints=[ulna.Joint(-1.0, 1.0), ulna.Joint()])
    run = ulna.simulate(limited, q0=[0.0, 0.0], duration=0.01, stops=False)
    assert told(run)["stops"] == "off"
    free = ulna.simulate(ARM, q0=[0.0, 0.0], duration=0.01, stops=False)
    assert "stops" not in told(free)


def test_a_batch_is_told_as_far_as_it_is_described():
    q0 = np.zeros((6, 2))
    how = {"controller": PD(5.0, 1.0), "sensors": ulna.Sensors(delay=0.002)}
    batch = ulna.simulate_batch(ARM, q0=q0, duration=0.01, tip_force=np.ones((6, 2)), **how)
    words = dict(made_with(batch_scenario(batch.settings)))
    assert words["controller"] == "PD(kp=5.0, kd=1.0) at 1000 Hz"
    assert words["sensors"] == "delay 0.002 s"
    assert words["tip force"] == "array of (6, 2)"
    assert not {"torque", "disturbances", "reference", "actuators", "dynamics"} & words.keys()

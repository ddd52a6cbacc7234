"""Pushes: steps, pulses whose edges lie anywhere, noise that is the same for the same seed."""

import itertools
import math
from functools import partial
from inspect import signature

import numpy as np
import pytest

from refusals import assert_refused, names_of
from ulna import Arm, simulate
from ulna.scenario import disturbances
from ulna.scenario.disturbances import NUMBERS, noise, pulse, step

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
METHODS = ("dop853", "rk4", "gauss4")


def pushed(*acting, duration=1.0, **options):
    return simulate(SPUN, q0=[0.0], duration=duration, disturbances=acting, **options)


# Steps and pulses


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("start", [0.0, 0.25, 0.33333])
def test_a_step_pushes_from_its_time_on(method, start):
    run = pushed(step([2.0], at=start), method=method, dt=0.01, samples=51)
    since = np.maximum(run.t - start, 0.0)
    assert run.q[:, 0] == pytest.approx(since**2, rel=0.0, abs=1e-12)
    assert run.tau_disturbance[:, 0].tolist() == [2.0 if t >= start else 0.0 for t in run.t]


@pytest.mark.parametrize("method", METHODS)
def test_a_pulse_leaves_its_momentum_behind_wherever_its_edges_lie(method):
    # 40 N·m for 1.7 ms, between steps of 10 ms.
    start, lasting = 0.12345, 0.0017
    run = pushed(pulse([40.0], at=start, lasting=lasting), method=method, dt=0.01, samples=51)
    rate = 40.0 * lasting
    after = run.t >= start + lasting
    assert run.qd[after, 0] == pytest.approx(rate, rel=0.0, abs=1e-12)
    expected = rate * (run.t[after] - start - lasting / 2.0)
    assert run.q[after, 0] == pytest.approx(expected, rel=0.0, abs=1e-12)
    assert (run.q[run.t <= start, 0] == 0.0).all()


def test_a_pulse_acts_from_its_start_until_its_end_and_not_at_it():
    run = pushed(pulse([3.0], at=0.25, lasting=0.5), samples=[0.0, 0.25, 0.5, 0.75, 1.0])
    assert run.tau_disturbance[:, 0].tolist() == [0.0, 3.0, 3.0, 0.0, 0.0]


def test_pushes_add_up_and_go_on_top_of_torques():
    run = pushed(
        step([1.0]),
        step([0.5], at=0.5),
        pulse([-2.0], at=0.25, lasting=0.25),
        torque=[0.25],
        samples=2,
    )
    assert run.qd[-1, 0] == pytest.approx(0.25 + 1.0 + 0.25 - 0.5, rel=1e-12)


def test_a_push_at_the_tip_is_a_force_with_or_without_a_moment():
    run = pushed(step(force=[0.0, 1.0]), step(force=[0.0, 0.0, 2.0], at=0.5), samples=3)
    expected = [[0.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]
    assert run.tip_force_disturbance.tolist() == expected
    assert not run.tip_force.any()
    assert run.qdd[0, 0] == pytest.approx(1.0, rel=1e-14)


def test_one_that_ended_before_the_start_does_nothing():
    run = pushed(pulse([3.0], at=-2.0, lasting=1.0), samples=3)
    assert (run.q == 0.0).all()
    begun = pushed(pulse([2.0], at=-1.0, lasting=1.5), samples=2)
    assert begun.qd[-1, 0] == pytest.approx(1.0, rel=1e-12)


# Noise


def test_noise_is_held_between_its_draws():
    run = simulate(
        TWO, q0=[0.0, 0.0], duration=2.0, method="rk4", dt=1e-2, samples=np.arange(2000) * 1e-3,
        disturbances=[noise([2.0, 0.5], rate=500.0, seed=7)],
    )  # fmt: skip
    tau = run.tau_disturbance.reshape(1000, 2, 2)
    assert (tau[:, 0] == tau[:, 1]).all()
    assert len(np.unique(tau[:, 0])) == 2000
    assert tau[:, 0].std(axis=0) == pytest.approx([2.0, 0.5], rel=0.1)


def test_the_rate_of_noise_need_not_fit_the_steps():
    run = pushed(noise([1.0], rate=77.7), method="rk4", dt=1e-2, samples=5000)
    edges = np.flatnonzero(np.diff(run.tau_disturbance[:, 0])) + 1
    assert len(edges) == 77
    assert run.t[edges] == pytest.approx(np.arange(1, 78) / 77.7, abs=2.1e-4)


def test_noise_may_begin_and_end():
    run = pushed(noise([1.0], rate=100.0, at=0.3, until=0.6), samples=11)
    assert (run.tau_disturbance[:, 0] != 0.0).tolist() == [False] * 3 + [True] * 3 + [False] * 5


def test_the_same_seed_gives_the_same_pushes_whatever_else_the_run_does():
    def pushes(**options):
        seed = options.pop("seed", 3)
        times = np.arange(100) / 100.0
        run = pushed(noise([1.0], rate=100.0, seed=seed), samples=times, **options)
        return run.tau_disturbance[:, 0]

    expected = pushes()
    for options in ({"method": "rk4", "dt": 0.003}, {"torque": None, "qd0": [3.0]}, {"rtol": 1e-5}):
        assert pushes(**options).tolist() == expected.tolist()
    assert not np.isclose(pushes(seed=4), expected).any()


# What is refused


MAKERS = {
    "step": {},
    "pulse": {"at": 0.0, "lasting": 1.0},
    "noise": {},
    "sine": {"frequency": 1.0},
    "chirp": {"start_frequency": 1.0, "stop_frequency": 2.0, "lasting": 1.0},
    "formula": {},
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_number_of_a_disturbance_is_refused_by_name(name):
    make, given = getattr(disturbances, name), MAKERS[name]
    acting = "t" if name == "formula" else [1.0]
    numbers = {one: NUMBERS[one] for one in signature(make).parameters if one in NUMBERS}
    assert_refused(make, numbers, {"torque": acting, **given}, owner=name)
    assert names_of(partial(make, **given)) == ["disturbance"]
    assert names_of(partial(make, acting, force=acting, **given)) == ["disturbance"]
    for part, value in itertools.product(("torque", "force"), (3j, [1j], {"a": 1.0}, object())):
        assert names_of(partial(make, **{part: value}, **given)) == [f"disturbance.{part}"]
    if "until" in numbers:
        assert names_of(partial(make, acting, at=1.0, until=0.0, **given)) == ["disturbance"]


def test_noise_has_a_seed_and_a_disturbance_fits_its_arm():
    for seed in (-1, 1.5, 2**63, "lucky", True):
        assert names_of(partial(noise, [1.0], seed=seed)) == ["noise.seed"]
    assert names_of(partial(step, [math.nan])) == ["disturbance.torque"]
    assert names_of(partial(pushed, step([1.0, 2.0]))) == ["disturbance.torque"]
    assert names_of(partial(pushed, step(force=[1.0]))) == ["disturbance.force"]

"""Pushes: steps, pulses whose edges lie anywhere, noise that is the same for the same seed."""

import math

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import Arm, simulate
from ulna.errors import InputError
from ulna.simulation.disturbances import noise, pulse, step

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
METHODS = ("dop853", "rk4", "gauss4")


def pushed(*disturbances, duration=1.0, **options):
    return simulate(SPUN, q0=[0.0], duration=duration, disturbances=disturbances, **options)


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


def test_noise_is_held_between_its_draws_and_has_its_deviation():
    run = simulate(
        TWO, q0=[0.0, 0.0], duration=20.0, method="rk4", dt=1e-2, samples=np.arange(20_000) * 1e-3,
        disturbances=[noise([2.0, 0.5], rate=500.0, seed=7)],
    )  # fmt: skip
    tau = run.tau_disturbance.reshape(10_000, 2, 2)
    assert (tau[:, 0] == tau[:, 1]).all()
    draws = tau[:, 0]
    # 10,000 draws: the mean is off by a hundredth of the deviation, the variance by 1.4 %.
    assert np.abs(draws.mean(axis=0) / [2.0, 0.5]).max() <= 4.0 / math.sqrt(10_000)
    assert draws.std(axis=0) / [2.0, 0.5] == pytest.approx([1.0, 1.0], abs=4.0 * 0.0071)
    # Normal: 68.3 % within one deviation, 4.55 % beyond two; skewness none.
    assert (np.abs(draws[:, 0]) < 2.0).mean() == pytest.approx(0.6827, abs=0.02)
    assert (np.abs(draws[:, 0]) > 4.0).mean() == pytest.approx(0.0455, abs=0.009)
    # Neither joints nor successive draws know of one another.
    assert abs(np.corrcoef(draws.T)[0, 1]) <= 0.04
    assert abs(np.corrcoef(draws[:-1, 0], draws[1:, 0])[0, 1]) <= 0.04


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


def test_noise_on_the_tip_and_on_joints_are_different_draws():
    run = pushed(noise([1.0], seed=1), noise(force=[1.0, 1.0, 1.0], seed=1), samples=2)
    values = [run.tau_disturbance[0, 0], *run.tip_force_disturbance[0]]
    assert len({round(value, 9) for value in values}) == 4


def test_white_noise_makes_the_rate_wander_as_it_should():
    # After time t at rate f the rate has the variance t/f of the sum of its draws.
    ends = [
        pushed(noise([1.0], rate=100.0, seed=seed), method="rk4", dt=0.01, samples=1).qd[-1, 0]
        for seed in range(400)
    ]
    assert np.std(ends) == pytest.approx(math.sqrt(1.0 / 100.0), rel=0.15)


# What is refused


@tabular(
    ("make", "words"),
    [
        (lambda: step(), "disturbance: got neither, need torque= or force="),
        (lambda: step([1.0], force=[1.0, 1.0]), "disturbance: got both"),
        (lambda: step([np.nan]), "disturbance.torque"),
        (lambda: step("much"), "disturbance.torque"),
        (lambda: step([1.0], at=np.nan), "disturbance"),
        (lambda: step([1.0], at="noon"), "disturbance"),
        (lambda: pulse([1.0], at=0.0, lasting=0.0), "pulse.lasting"),
        (lambda: pulse([1.0], at=0.0, lasting="long"), "pulse.lasting"),
        (lambda: noise([1.0], rate=0.0), "noise.rate"),
        (lambda: noise([1.0], rate="often"), "noise.rate"),
        (lambda: noise([1.0], seed=-1), "noise.seed"),
        (lambda: noise([1.0], seed=1.5), "noise.seed"),
        (lambda: noise([1.0], seed=2**63), "noise.seed"),
        (lambda: noise([1.0], at=1.0, until=0.0), "times that increase"),
        (lambda: pushed(step([1.0, 2.0])), "disturbance.torque: got 2 values, need 1"),
        (lambda: pushed(step(force=[1.0])), "disturbance.force: got 1 value"),
        (lambda: pushed("a push"), "disturbances"),
        (lambda: simulate(SPUN, q0=[0.0], duration=1.0, disturbances=step([1.0])), "disturbances"),
        (lambda: simulate(SPUN, q0=[0.0], duration=1.0, disturbances=3), "disturbances"),
    ],
)
def test_pushes_that_make_no_sense_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_disturbances_of_the_same_numbers_are_equal():
    assert step([1.0]) == step((1,)) != step([2.0])
    assert repr(pulse([1.0], at=0.0, lasting=2.0)).startswith("Disturbance(")
    assert ulna.simulation.disturbances.noise([1.0], seed=np.int64(3)).seed == 3

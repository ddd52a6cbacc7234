"""Chance: no two sources know of one another, and each is what it is said to be.

A source is a channel of the sensors' angles or rates, a joint or an axis of one of the noise
disturbances, of one arm of a batch, with one seed.
"""

import itertools
import math

import numpy as np
import pytest

import ulna
from ulna import Arm, Sensors, simulate
from ulna.scenario.disturbances import noise, step
from ulna.simulation import simulate_batch

COUNT = 4000
RATE = 1000.0
TIMES = np.arange(COUNT) / RATE
FLAT = Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
WEAK = ulna.control.PD(1e-3, 1e-3)
QUIET = noise([0.0, 0.0])
BOUND = 4.0 / math.sqrt(COUNT)


def run_of(disturbances, **sensors):
    return simulate(
        FLAT, q0=[0.0, 0.0], duration=COUNT / RATE, dt=1.0 / RATE, rate=RATE, samples=TIMES,
        controller=WEAK, sensors=Sensors(**sensors), disturbances=disturbances,
    )  # fmt: skip


def sources_of_a_run(seed):
    """Give what every source of one run drew, all with the same seed."""
    drawn = {}
    run = run_of([noise([1.0, 1.0], seed=seed)], angle_noise=1.0, rate_noise=1.0, seed=seed)
    for joint in range(2):
        drawn[f"angle {joint}"] = (run.q_measured - run.q)[:, joint]
        drawn[f"rate {joint}"] = (run.qd_measured - run.qd)[:, joint]
        drawn[f"first noise {joint}"] = run.tau_disturbance[:, joint]
    # Noise without size takes the places before the one that is looked at.
    second = run_of([QUIET, noise([1.0, 1.0], seed=seed)]).tau_disturbance
    third = run_of([QUIET, QUIET, noise(force=[1.0, 1.0, 1.0], seed=seed)]).tip_force_disturbance
    drawn |= {f"second noise {joint}": second[:, joint] for joint in range(2)}
    drawn |= {f"noise on axis {axis}": third[:, axis] for axis in range(3)}
    return drawn


def sources_of_a_batch(seed):
    """Give the torques of noise, and the noise of angles, that arms of a batch met."""
    options = {
        "q0": [0.0], "duration": (COUNT + 1) / RATE, "dt": 1.0 / RATE, "rate": RATE,
        "samples": np.append(TIMES, COUNT / RATE), "seeds": [0, 1, 2],
    }  # fmt: skip
    pushed = simulate_batch(SPUN, disturbances=[noise([1.0], seed=seed)], **options)
    drawn = {f"arm {arm}": np.diff(pushed.qd[arm, :, 0]) * RATE for arm in range(3)}
    law = ulna.control.PD(1e-3, 1e-3)
    sensors = Sensors(angle_noise=1.0, seed=seed)
    seen = simulate_batch(SPUN, controller=law, sensors=sensors, keep_torques=True, **options)
    read = -(seen.tau + 1e-3 * seen.qd) / 1e-3 - seen.q
    return drawn | {f"angle of arm {arm}": read[arm, :-1, 0] for arm in range(3)}


def test_no_two_sources_are_correlated_and_each_has_its_mean_and_variance():
    drawn = {}
    for seed in (0, 1):
        drawn |= {f"{name}, seed {seed}": one for name, one in sources_of_a_run(seed).items()}
    batch = sources_of_a_batch(0)
    # The first arm of a batch is the arm of a single run: the same source, not another.
    assert batch.pop("arm 0") == pytest.approx(drawn["first noise 0, seed 0"], abs=1e-9)
    assert batch.pop("angle of arm 0") == pytest.approx(drawn["angle 0, seed 0"], abs=1e-9)
    drawn |= batch
    rows = np.array(list(drawn.values()))
    assert np.abs(rows.mean(axis=1)).max() <= BOUND
    assert rows.var(axis=1) == pytest.approx(1.0, abs=math.sqrt(2.0) * BOUND)
    correlation = np.corrcoef(rows)
    for one, other in itertools.combinations(range(len(rows)), 2):
        pair = [list(drawn)[k] for k in (one, other)]
        assert abs(correlation[one, other]) < BOUND, pair
    # Nor does one source follow another at a distance of some ticks.
    for lag in (1, 2):
        late = np.corrcoef(rows[:, lag:], rows[:, :-lag])
        assert np.abs(late[: len(rows), len(rows) :]).max() < 1.25 * BOUND


def test_noise_of_two_sources_adds_up_as_chance_does():
    # Variances add; of one and the same stream the deviations would.
    run = run_of([noise([1.0, 0.0]), noise([1.0, 0.0])])
    assert run.tau_disturbance[:, 0].var() == pytest.approx(2.0, rel=math.sqrt(2.0) * BOUND)


def test_the_same_seed_at_the_same_place_repeats_to_the_last_bit():
    for seed in (0, 7):
        once, again = sources_of_a_run(seed), sources_of_a_run(seed)
        assert all((once[name] == again[name]).all() for name in once)


def test_what_is_no_noise_leaves_the_numbers_of_noise_as_they_are():
    alone = run_of([noise([1.0, 1.0])]).tau_disturbance
    beside = run_of([step([0.0, 0.0], at=1.0), noise([1.0, 1.0])]).tau_disturbance
    assert (alone == beside).all()


def test_an_arm_draws_the_same_wherever_it_stands_in_a_batch():
    options = {
        "q0": [0.0], "duration": 0.1, "dt": 1.0 / RATE, "rate": RATE, "controller": WEAK,
        "sensors": Sensors(angle_noise=1.0, rate_noise=1.0), "keep_torques": True,
        "disturbances": [noise([1.0]), noise([1.0])],
    }  # fmt: skip
    seeds = np.arange(40)
    whole = simulate_batch(SPUN, seeds=seeds, **options)
    some = np.array([31, 3, 17])
    part = simulate_batch(SPUN, seeds=seeds[some], **options)
    assert (part.q == whole.q[some]).all()
    assert (part.tau == whole.tau[some]).all()
    alone = simulate(
        SPUN, samples=[0.1], **{k: v for k, v in options.items() if k != "keep_torques"}
    )
    assert alone.q[-1] == pytest.approx(whole.q[0, -1], abs=1e-12)

"""Parts of the engine by themselves: its tableaux, its random numbers, its memory, its steps."""

import numba
import numpy as np
import pytest
from scipy.integrate._ivp import dop853_coefficients as published

import ulna
from ulna import Arm, Joint
from ulna.kernels.numba_internals import OPTIONS
from ulna.scenario.methods import METHODS
from ulna.scenario.tableaux import DOP853_DENSE, DOP853_ERRORS, DOP853_TABLEAU
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.schedule import key_of, normal, uniform

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])


# Tableaux


def parts(tableau):
    stages, table = tableau
    return table[:stages, :stages], table[at.WEIGHTS, :stages], table[:stages, at.NODE]


@pytest.mark.parametrize("name", ["rk4", "dop853"])
def test_a_tableau_integrates_polynomials_to_its_order(name):
    method = METHODS[name]
    (a, b, c), order = parts(method.coefficients), method.order
    assert a.sum(axis=1) == pytest.approx(c, abs=1e-14)
    assert np.triu(a).tolist() == np.zeros_like(a).tolist()
    for degree in range(order):
        assert b @ c**degree == pytest.approx(1.0 / (degree + 1), abs=1e-14)
    # Twice over, as an acceleration becomes an angle.
    for degree in range(order - 1):
        assert b @ a @ c**degree == pytest.approx(1.0 / ((degree + 1) * (degree + 2)), abs=1e-14)


def test_dop853_is_the_published_one():
    a, b, c = parts(DOP853_TABLEAU)
    assert a == pytest.approx(published.A[:12, :12], rel=1e-14, abs=1e-16)
    assert b == pytest.approx(published.B, rel=1e-14)
    assert c == pytest.approx(published.C[:12], rel=1e-14)
    more = DOP853_TABLEAU.table[13:16]
    assert more[:, :16] == pytest.approx(published.A[13:16], rel=1e-14, abs=1e-16)
    assert more[:, at.NODE] == pytest.approx(published.C[13:16], rel=1e-14)
    assert DOP853_ERRORS[0, :12] == pytest.approx(published.E5[:12], rel=1e-12, abs=1e-16)
    assert DOP853_ERRORS[1, :12] == pytest.approx(published.E3[:12], rel=1e-12, abs=1e-16)
    assert pytest.approx(published.D, rel=1e-14, abs=1e-16) == DOP853_DENSE


# Chance


@numba.njit(**OPTIONS)
def draw(seeds, kinds, indices, arms, ticks, channels, found):
    for k in range(len(seeds)):
        key = key_of(seeds[k], kinds[k], indices[k], arms[k], ticks[k])
        found[0, k] = uniform(key, channels[k])
        found[1, k] = normal(key, channels[k])


def drawn(seed=0, arm=0, tick=0, channel=0, kind=0, index=0):
    places = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.int64) for part in (seed, kind, index, arm, tick, channel))
    )
    found = np.empty((2, places[0].size))
    draw(*(np.ascontiguousarray(np.ravel(part)) for part in places), found)
    return found


MANY = np.arange(40_000)


@pytest.mark.parametrize("axis", ["seed", "kind", "index", "arm", "tick", "channel"])
def test_numbers_are_uniform_and_normal_along_every_axis(axis):
    level, bell = drawn(**{axis: MANY})
    assert 0.0 < level.min() < level.max() < 1.0
    assert np.histogram(level, 20, (0.0, 1.0))[0] == pytest.approx(2000, abs=5 * 44)
    assert level.mean() == pytest.approx(0.5, abs=5 * 0.289 / 200)
    assert bell.mean() == pytest.approx(0.0, abs=5 / 200)
    assert bell.std() == pytest.approx(1.0, abs=5 / 283)
    assert np.mean(bell**4) == pytest.approx(3.0, abs=5 * 9.8 / 200)
    for numbers in (level, bell):
        # Neighbours have nothing to do with one another.
        for lag in (1, 2, 7):
            assert abs(np.corrcoef(numbers[:-lag], numbers[lag:])[0, 1]) <= 5 / 200
        assert len(np.unique(numbers)) > 39_990


def test_channels_and_seeds_are_independent():
    rows = [
        drawn(seed=seed, tick=MANY, channel=channel)[1] for seed in (0, 1) for channel in (0, 1, 2)
    ]
    correlation = np.corrcoef(rows) - np.eye(6)
    assert np.abs(correlation).max() <= 5 / 200


def test_a_number_depends_on_nothing_but_its_place():
    once, again = drawn(3, 1, 4, 1), drawn(3, 1, 4, 1)
    assert once.tolist() == again.tolist()
    among_others = drawn(3, 1, MANY, 1)
    assert among_others[:, 4].tolist() == once[:, 0].tolist()


def test_large_seeds_and_ticks_are_seeds_and_ticks_too():
    found = drawn(seed=[0, 2**40, 2**62, 2**63 - 1], tick=[2**40, 2**41, 2**62, 0])
    assert np.isfinite(found).all()
    assert len(np.unique(found[1])) == 4


# One arm for loops of one's own


@pytest.mark.parametrize("n", [1, 2, 5])
def test_its_steps_are_those_of_a_run(n):
    arm = Arm.rods([1.0] * n, [1.0] * n, joints=[Joint(-1.0, 1.0, damping=0.1)] * n)
    q, qd, tau = np.random.default_rng(n).uniform(-0.5, 0.5, (3, n))
    run = ulna.simulate(
        arm, q0=q, qd0=qd, torque=tau, duration=0.064, dt=2.0**-10 * 8, method="rk4", stops=False
    )
    quick = ulna.compiled(arm)
    for k in range(1, 8):
        q, qd = quick.step(q, qd, tau, run.t[1])
        assert q == pytest.approx(run.q[k], rel=1e-12)
        assert qd == pytest.approx(run.qd[k], rel=1e-12)


# Work that is done


def test_a_step_of_dop853_costs_twelve_slopes_and_rk4_four():
    for method, stages in (("rk4", 4), ("dop853", 12)):
        swing = ulna.Simulation(
            ulna.Scenario(arm=TWO, q0=[0.0, 0.0], method=method, rtol=None, dt=0.01)
        )
        swing.advance(1.0)
        assert swing.memory.ints[at.STEPS] == 100
        assert swing.memory.ints[at.EVALUATIONS] == 100 * stages


# The layout of the memory


def test_every_entry_of_the_memory_has_a_constant_of_its_name():
    for entry in at.ENTRIES:
        assert getattr(at, entry.name) == entry.start
        assert entry.meaning
    assert len({entry.name for entry in at.ENTRIES}) == len(at.ENTRIES)


def test_no_two_entries_of_an_array_share_a_place():
    ends = {}
    for entry in at.ENTRIES:
        assert entry.start == ends.get(entry.array, entry.start)
        ends[entry.array] = entry.start + entry.size
    assert ends["vectors (rows, n+1)"] == at.VECTORS
    assert ends["links (n, columns)"] == at.COLUMNS
    assert ends["links (last row)"] <= at.COLUMNS
    assert ends["floats"] == at.FLOATS
    assert ends["ints"] == at.INTS

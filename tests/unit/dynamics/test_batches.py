"""Batches in lanes: the closed form's numbers, each by itself wherever it stands."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import concurrency, dynamics
from ulna.dynamics import chain

TOLERANCE = 1e-11
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")
SIZES = [1, 2, 3, 4, 5, 8, 20, 50, 200]
SOME = 40  # rows: two full blocks and a half


def mixed(drawn, n=2, rows=SOME):
    """Draw arms of which every third has no rotors, and some that are many turns away."""
    arm, q, qd, given, force = drawn(n, rows)
    arm.rotor_inertia[::3] = 0.0
    q[5::7] += 2.0 * np.pi * 200_000
    return arm, q, qd, given, force


def close(ours, expected):
    largest = np.max(np.abs(expected), axis=-1, keepdims=True)
    return np.all(np.abs(ours - expected) <= TOLERANCE * largest)


def computed(name, arm, q, qd, given, force):
    return getattr(dynamics, name)(arm, q, qd, given, tip_force=force)


def chosen(rows, arm, *values):
    return (arm.rows(rows), *(value[rows] for value in values))


def same(one, other):
    return one.tobytes() == other.tobytes()


# What comes out


@tabular("n", SIZES)
@tabular("rotors", [True, False])
@tabular("name", FUNCTIONS)
def test_it_is_the_closed_form(drawn, name, n, rotors):
    given = drawn(n, 20, rotors=rotors)
    expected = getattr(chain, name)(*given[:4], tip_force=given[4])
    assert close(computed(name, *given), expected)


@tabular("n", [1, 2, 6])
@tabular("force", [None, 2, 3])
@tabular("name", FUNCTIONS)
def test_batches_and_single_states_give_the_same(drawn, name, n, force):
    arm, q, qd, given, pull = drawn(n, 4)
    pulls = [None] * 4 if force is None else pull[:, :force]
    batch = computed(name, arm, q, qd, given, None if force is None else pulls)
    singles = [computed(name, arm.rows(k), q[k], qd[k], given[k], pulls[k]) for k in range(4)]
    assert close(batch, np.array(singles))


@pytest.mark.parametrize(
    ("q", "qd", "tau", "force", "shape"),
    [
        ((5, 3, 2), (2,), (3, 2), (2,), (5, 3, 2)),
        ((2,), (4, 2), (2,), (4, 3), (4, 2)),
        ((2, 1, 2), (1, 3, 2), (2,), (3,), (2, 3, 2)),
        ((1, 2), (2,), (2,), (2,), (1, 2)),
        ((0, 2), (2,), (2,), (2,), (0, 2)),
        ((3, 0, 2), (2,), (2,), (2,), (3, 0, 2)),
    ],
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_meet_as_in_the_closed_form(name, q, qd, tau, force, shape):
    random, arm = np.random.default_rng(0), ulna.preset("unit")
    q, qd, tau, force = (random.uniform(-3.0, 3.0, part) for part in (q, qd, tau, force))
    found = computed(name, arm, q, qd, tau, force)
    expected = getattr(chain, name)(arm, q, qd, tau, tip_force=force)
    assert found.shape == expected.shape == shape
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_memory_will_do(drawn, name):
    arm, q, qd, given, force = drawn(3, SOME)
    expected = computed(name, arm, q, qd, given, force)
    columns = ulna.Parameters(*(np.asfortranarray(value) for value in arm))
    q = np.broadcast_to(q, q.shape)  # read-only
    qd = np.repeat(qd, 2, axis=0)[::2]
    given = given[::-1].copy()[::-1]
    assert same(expected, computed(name, columns, q, qd, given, force))
    alike = np.broadcast_to(arm.gravity[0], (SOME, 2))
    assert same(
        computed(name, arm._replace(gravity=alike), q, qd, given, force),
        computed(name, arm._replace(gravity=alike.copy()), q, qd, given, force),
    )


# Each by itself


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_row_does_not_depend_on_its_batch(drawn, name, n):
    everything = mixed(drawn, n)
    whole = computed(name, *everything)
    for rows in range(1, SOME + 1):
        assert same(computed(name, *chosen(slice(0, rows), *everything)), whole[:rows])
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(SOME)
        assert same(computed(name, *chosen(order, *everything)), whole[order])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_row_does_not_depend_on_the_threads(drawn, name, threads, monkeypatch):
    rows = 5000
    everything = mixed(drawn, 3, rows)
    monkeypatch.setattr(concurrency, "cores", lambda: threads)
    whole = computed(name, *everything)
    for first in range(0, rows, 1000):
        part = slice(first, first + 7)
        assert same(computed(name, *chosen(part, *everything)), whole[part])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_number_stays_in_its_row(drawn, name):
    everything = mixed(drawn, 3)
    whole, bad = computed(name, *everything), 19
    others = np.arange(SOME) != bad
    arm, *states = everything
    used = ("length", "mass", "com", "inertia", "damping", "rotor_inertia", "gravity")
    for place in (*(getattr(arm, field) for field in used), *states):
        kept = place[bad, 0]
        for odd in (np.inf, np.nan):
            place[bad, 0] = odd
            found = computed(name, *everything)
            assert same(found[others], whole[others])
        assert np.isnan(found[bad]).any()
        place[bad, 0] = kept


def test_several_threads_of_python_may_ask_at_once(drawn):
    everything = mixed(drawn, 2, 6000)
    whole = {name: computed(name, *everything) for name in FUNCTIONS}

    def ask(k):
        name = FUNCTIONS[k % 2]
        return same(computed(name, *everything), whole[name])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(24)))

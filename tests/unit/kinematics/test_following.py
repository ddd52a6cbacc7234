"""Paths of redundant arms, in lanes: each by itself, whatever stands beside it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ulna import concurrency
from ulna.kinematics import inverse, tip, track

PATHS, SAMPLES = 40, 25


def drawn(random_arm, n, *, oriented=False, limited=True):
    """Draw arms and paths of all kinds: easy ones, out of reach, and against limits."""
    random = np.random.default_rng(n + 100 * oriented)
    arms = random_arm(random, n, (PATHS,), limited=limited)
    start = random.uniform(-0.4, 0.4, (PATHS, n))
    start[::7] = 0.0
    here = tip(arms, start)[:, None]
    way = random.uniform(-0.5, 0.5, (PATHS, 1, 3)) * np.linspace(0.0, 1.0, SAMPLES)[:, None]
    way[::5] *= 4.0
    arms.lower[1::3], arms.upper[1::3] = start[1::3] - 0.1, start[1::3] + 0.1
    return arms, (here + way)[..., : 2 + oriented], start


def fields(tracked):
    return tracked.q, tracked.flags, tracked.residual


def same(one, other):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@pytest.fixture(params=[(3, False), (4, True), (7, False)], ids=str)
def case(request, random_arm):
    n, oriented = request.param
    return drawn(random_arm, n, oriented=oriented)


@pytest.mark.parametrize("posture", [None, 0.3])
def test_a_path_does_not_depend_on_its_batch(case, posture):
    arms, paths, start = case
    wanted = None if posture is None else np.full(start.shape[-1], posture)
    whole = fields(track(arms, paths, start, posture=wanted))
    for count in (1, 2, 15, 16, 17, 33):
        part = track(arms.rows(slice(count)), paths[:count], start[:count], posture=wanted)
        assert same(fields(part), [values[:count] for values in whole])
    order = np.random.default_rng(0).permutation(PATHS)
    mixed = track(arms.rows(order), paths[order], start[order], posture=wanted)
    assert same(fields(mixed), [values[order] for values in whole])
    alone = track(arms.rows(7), paths[7], start[7], posture=wanted)
    assert same(fields(alone), [values[7] for values in whole])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_path_does_not_depend_on_the_threads(case, threads, monkeypatch):
    arms, paths, start = case
    whole = fields(track(arms, paths, start))
    monkeypatch.setattr(concurrency, "cores", lambda: threads)
    assert same(fields(track(arms, paths, start)), whole)


def test_a_posture_of_a_point_does_not_depend_on_its_batch(case):
    arms, paths, _ = case
    whole = inverse(arms, paths[:, 0], restarts=2).q
    order = np.random.default_rng(0).permutation(PATHS)
    assert inverse(arms.rows(order), paths[order, 0], restarts=2).q.tobytes() == (
        whole[order].tobytes()
    )


def test_several_threads_of_python_may_ask_at_once(case):
    arms, paths, start = case
    whole = fields(track(arms, paths, start))
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(track, arms, paths, start) for _ in range(8)]
        assert all(same(fields(one.result()), whole) for one in asked)


def test_a_start_many_turns_away_is_followed_there(random_arm):
    arms, paths, start = drawn(random_arm, 3, limited=False)
    whole = track(arms, paths, start)
    turned = start.copy()
    turned[3, 0] += 2.0 * np.pi * 200_000
    far = track(arms, paths, turned)
    others = np.arange(PATHS) != 3
    assert same([v[others] for v in fields(far)], [v[others] for v in fields(whole)])
    assert far.q[3] - turned[3] == pytest.approx(whole.q[3] - start[3], abs=1e-6, nan_ok=True)

"""The order of strokes: the least travel of a few, little of many, wherever closed ones begin."""

import itertools
import math
import time

import numpy as np
import pytest

from ulna.motion.paths.stroke_order import MOST_EXACT, order_strokes


def travel(starts, ends, order):
    """Add up the ways between strokes, by the definition."""
    entry = [(ends if back else starts)[k] for k, back in order]
    leave = [(starts if back else ends)[k] for k, back in order]
    return sum(abs(b - a) for a, b in zip(leave, entry[1:], strict=False))


def drawn_order(order):
    return list(zip(order.index.tolist(), order.backwards.tolist(), strict=True))


def random_strokes(seed, count):
    random = np.random.default_rng(seed)
    return (random.normal(size=(2, count, 2)) @ [1.0, 1.0j]).reshape(2, count)


@pytest.mark.parametrize("seed", range(8))
def test_ordering_never_lengthens_the_travel(seed):
    count = 2 + 5 * seed
    starts, ends = random_strokes(seed, count)
    order = order_strokes(starts, ends)
    assert sorted(order.index.tolist()) == list(range(count))
    assert order.travel == pytest.approx(travel(starts, ends, drawn_order(order)))
    given = travel(starts, ends, [(k, False) for k in range(count)])
    assert order.travel_before == pytest.approx(given)
    assert order.travel <= given
    assert drawn_order(order_strokes(starts, ends)) == drawn_order(order)


@pytest.mark.parametrize("seed", range(12))
def test_of_few_strokes_there_is_no_better_order(seed):
    starts, ends = random_strokes(100 + seed, 2 + seed % 4)
    count = len(starts)
    best = min(
        travel(starts, ends, list(zip(order, turns, strict=True)))
        for order in itertools.permutations(range(count))
        for turns in itertools.product([False, True], repeat=count)
    )
    assert order_strokes(starts, ends).travel == pytest.approx(best, rel=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_closed_strokes_begin_at_the_best_of_their_places(seed):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(4, 2)) @ [3.0, 3.0j]
    corners = [
        centre + (1.0 + random.random()) * np.exp(2j * np.pi * np.arange(3 + k) / (3 + k))
        for k, centre in enumerate(centres)
    ]
    starts = np.array([one[0] for one in corners])
    # An order and its reverse are as long.
    best = min(
        sum(abs(b - a) for a, b in itertools.pairwise(places))
        for order in itertools.permutations(range(4))
        for places in itertools.product(*(corners[k] for k in order))
        if order[0] < order[-1]
    )
    order = order_strokes(starts, starts, corners)
    assert order.travel == pytest.approx(best, rel=1e-8)
    chosen = [corners[k][place] for k, place in zip(order.index, order.places, strict=True)]
    assert sum(abs(b - a) for a, b in itertools.pairwise(chosen)) == pytest.approx(best, rel=1e-8)


def test_a_zigzag_of_hatches_needs_no_travel_but_between_lines():
    rows = np.arange(20.0)
    order = order_strokes(1j * rows, 10.0 + 1j * rows)
    assert order.travel == pytest.approx(19.0)
    assert order.travel_before == pytest.approx(19.0 * math.hypot(10.0, 1.0))
    assert order_strokes(1j * rows, 10.0 + 1j * rows, keep=True).travel == order.travel_before


@pytest.mark.parametrize("count", [MOST_EXACT, MOST_EXACT + 1, 40, 300])
def test_dashes_of_a_line_are_drawn_from_end_to_end(count):
    random = np.random.default_rng(count)
    left = random.permutation(count).astype(complex)
    turned = random.random(count) < 0.5
    starts, ends = np.where(turned, left + 0.75, left), np.where(turned, left, left + 0.75)
    # All gaps of a quarter, each once.
    assert order_strokes(starts, ends).travel == pytest.approx(0.25 * (count - 1))


def test_dashes_of_a_circle_are_drawn_once_round():
    count, random = 60, np.random.default_rng(5)
    angle = 2.0 * np.pi * random.permutation(count) / count
    starts, ends = np.exp(1j * angle), np.exp(1j * (angle + np.pi / count))
    chord = 2.0 * math.sin(0.5 * np.pi / count)
    assert order_strokes(starts, ends).travel == pytest.approx((count - 1) * chord)


def test_of_strokes_beyond_the_exact_ones_the_order_is_close_to_the_best(monkeypatch):
    ratios = []
    for seed in range(20):
        starts, ends = random_strokes(200 + seed, 8)
        best = order_strokes(starts, ends).travel
        with monkeypatch.context() as patch:
            patch.setattr("ulna.motion.paths.stroke_order.MOST_EXACT", 0)
            ratios.append(order_strokes(starts, ends).travel / best)
    assert min(ratios) >= 1.0 - 1e-8
    assert np.mean(ratios) < 1.05


def test_where_nothing_is_gained_strokes_are_drawn_as_in_the_file():
    starts = np.array([0.0, 2.0, 4.0]) + 0j
    order = order_strokes(starts, starts + 1.0)
    assert drawn_order(order) == [(0, False), (1, False), (2, False)]


def test_thousands_of_strokes_take_seconds():
    random = np.random.default_rng(1)
    starts = random.uniform(size=(5000, 2)) @ [1.0, 1.0j]
    ends = starts + 0.005 * (random.normal(size=(5000, 2)) @ [1.0, 1.0j])
    begin = time.process_time()
    order = order_strokes(starts, ends)
    assert time.process_time() - begin < 5.0
    # The shortest tour through n random points of a unit square tends to 0.7124 √n (Beardwood,
    # Halton and Hammersley), and strokes take over a part of it.
    assert order.travel < 0.7124 * math.sqrt(5000.0)

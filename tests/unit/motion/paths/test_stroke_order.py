"""The order of strokes: little travel, wherever closed ones begin, and never more than before."""

import itertools
import math
import time

import numpy as np
import pytest

from ulna.motion.paths.stroke_order import order_strokes


def random_strokes(seed, count, closed=0):
    """Give starts, ends and places of strokes, the last of them closed ones with corners."""
    random = np.random.default_rng(seed)
    starts, ends = (random.normal(size=(2, count, 2)) @ [1.0, 1.0j]).reshape(2, count)
    places = [np.zeros(0)] * count
    for k in range(count - closed, count):
        places[k] = starts[k] + 0.5 * (np.exp(2j * np.pi * np.arange(3 + k) / (3 + k)) - 1.0)
        ends[k] = starts[k]
    return starts, ends, places


def travel(strokes, order):
    """Add up the ways between strokes, by the definition."""
    starts, ends, places = strokes
    entry, leave = [], []
    for k, back, place in zip(order.index, order.backwards, order.places, strict=True):
        closed = len(places[k]) > 0
        entry.append(places[k][place] if closed else (ends if back else starts)[k])
        leave.append(places[k][place] if closed else (starts if back else ends)[k])
    return sum(abs(b - a) for a, b in zip(leave, entry[1:], strict=False))


def least_travel(starts, ends, places):
    """Try every order, direction and beginning."""
    ways = [
        [(z, z) for z in points] if len(points) else [(a, b), (b, a)]
        for a, b, points in zip(starts, ends, places, strict=True)
    ]
    return min(
        sum(abs(b[0] - a[1]) for a, b in itertools.pairwise(route))
        for order in itertools.permutations(ways)
        for route in itertools.product(*order)
    )


@pytest.mark.parametrize("closed", [0, 3])
@pytest.mark.parametrize("count", [3, 8, 40, 150])
def test_ordering_never_lengthens_the_travel(count, closed):
    strokes = random_strokes(count, count, closed)
    order = order_strokes(*strokes)
    assert sorted(order.index.tolist()) == list(range(count))
    assert not (order.backwards & (order.index >= count - closed)).any()
    given = sum(abs(b - a) for a, b in zip(strokes[1], strokes[0][1:], strict=False))
    assert order.travel_before == pytest.approx(given)
    assert order.travel == pytest.approx(travel(strokes, order))
    assert order.travel <= given
    for one, again in zip(order, order_strokes(*strokes), strict=True):
        assert np.array_equal(one, again)
    kept = order_strokes(*strokes, keep=True)
    assert kept.travel == order.travel_before
    assert kept.index.tolist() == list(range(count))


@pytest.mark.parametrize(("count", "closed"), [(2, 0), (5, 0), (4, 2), (3, 3)])
def test_the_travel_is_close_to_the_least(count, closed):
    ratios = []
    for seed in range(15):
        strokes = random_strokes(100 + seed, count, closed)
        ratios.append(order_strokes(*strokes).travel / least_travel(*strokes))
    assert min(ratios) >= 1.0 - 1e-9
    assert np.mean(ratios) < 1.03


def test_a_zigzag_of_hatches_needs_no_travel_but_between_lines():
    rows = np.arange(20.0)
    order = order_strokes(1j * rows, 10.0 + 1j * rows)
    assert order.travel == pytest.approx(19.0)
    assert order.travel_before == pytest.approx(19.0 * math.hypot(10.0, 1.0))


@pytest.mark.parametrize("count", [10, 300])
def test_dashes_of_a_line_are_drawn_from_end_to_end(count):
    random = np.random.default_rng(count)
    left = random.permutation(count).astype(complex)
    turned = random.random(count) < 0.5
    starts, ends = np.where(turned, left + 0.75, left), np.where(turned, left, left + 0.75)
    # All gaps of a quarter, each once.
    assert order_strokes(starts, ends).travel == pytest.approx(0.25 * (count - 1))


def test_where_nothing_is_gained_strokes_are_drawn_as_in_the_file():
    starts = np.array([0.0, 2.0, 4.0]) + 0j
    order = order_strokes(starts, starts + 1.0)
    assert order.index.tolist() == [0, 1, 2]
    assert not order.backwards.any()


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

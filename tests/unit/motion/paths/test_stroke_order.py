"""The order of strokes: little travel, and never more than before."""

import itertools
import math
import time

import numpy as np
import pytest

from ulna.motion.paths.stroke_order import order_strokes


def random_strokes(seed, count, closed=0):
    """Give starts and ends of strokes, those of the last ones the same."""
    random = np.random.default_rng(seed)
    starts, ends = (random.normal(size=(2, count, 2)) @ [1.0, 1.0j]).reshape(2, count)
    ends[count - closed :] = starts[count - closed :]
    return starts, ends


def travel(starts, ends):
    """Add up the ways between strokes, by the definition."""
    return np.abs(starts[1:] - ends[:-1]).sum()


def least_travel(starts, ends):
    """Try every order and direction."""
    ways = [[(a, b), (b, a)] for a, b in zip(starts, ends, strict=True)]
    return min(
        travel(*np.transpose(route))
        for order in itertools.permutations(ways)
        for route in itertools.product(*order)
    )


@pytest.mark.parametrize("closed", [0, 3])
@pytest.mark.parametrize("count", [3, 8, 40, 150])
def test_ordering_never_lengthens_the_travel(count, closed):
    starts, ends = random_strokes(count, count, closed)
    order = order_strokes(starts, ends)
    assert sorted(order.index.tolist()) == list(range(count))
    assert not (order.backwards & (order.index >= count - closed)).any()
    assert order.travel_before == pytest.approx(travel(starts, ends))
    ways = np.stack([starts, ends])[:, order.index]
    ways[:, order.backwards] = ways[::-1, order.backwards]
    assert order.travel == pytest.approx(travel(*ways))
    assert order.travel <= order.travel_before
    for one, again in zip(order, order_strokes(starts, ends), strict=True):
        assert np.array_equal(one, again)
    kept = order_strokes(starts, ends, keep=True)
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

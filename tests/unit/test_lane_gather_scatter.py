"""Rows of numbers in lanes: a full block and a part of one, compiled and as plain NumPy."""

import numba
import numpy as np
import pytest

import ulna.kernels.lane_lowering  # noqa: F401  (tells Numba of lanes)
from ulna.kernels.numba_internals import OPTIONS
from ulna.lanes import WIDTHS, gather, lanes, numbers, scatter

WIDTH = WIDTHS[np.dtype(np.float64)]


def taken(rows, first, column, room):
    lanes(room)[0] = gather(rows, first, column)


def put(room, rows, first, column):
    scatter(lanes(room)[0], rows, first, column)


@pytest.fixture(params=["compiled", "plain"])
def made(request):
    return numba.njit(**OPTIONS) if request.param == "compiled" else lambda function: function


@pytest.mark.parametrize("count", [1, 5, WIDTH, 3 * WIDTH - 1])
@pytest.mark.parametrize("first", [0, WIDTH])
def test_gather_repeats_the_last_row(made, count, first):
    rows = np.random.default_rng(0).random((count, 3))
    room = np.zeros((1, WIDTH))
    made(taken)(rows, first, 2, room)
    expected = [rows[min(first + lane, count - 1), 2] for lane in range(WIDTH)]
    assert room[0].tolist() == expected


@pytest.mark.parametrize("count", [1, 5, WIDTH, 3 * WIDTH - 1])
def test_scatter_leaves_out_what_comes_after_the_last(made, count):
    room, rows = np.arange(1.0, WIDTH + 1.0)[None], np.zeros((count, 3))
    made(put)(room, rows, 0, 1)
    assert rows[:, 1].tolist() == [lane + 1.0 if lane < WIDTH else 0.0 for lane in range(count)]
    assert not rows[:, [0, 2]].any()


def test_lanes_are_the_last_axis():
    array = np.arange(2.0 * WIDTH).reshape(2, WIDTH)
    assert (numbers(lanes(array)) == array).all()

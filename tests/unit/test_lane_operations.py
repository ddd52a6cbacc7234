"""What is done on lanes is what NumPy does, lane by lane, to the last bit."""

import numba
import numpy as np
import pytest

from ulna.kernels.numba_internals import OPTIONS
from ulna.lanes import (
    WIDTHS,
    all_lanes,
    any_lane,
    floor,
    is_scalar,
    lanes,
    logical_and,
    logical_not,
    logical_or,
    matrix_view,
    numbers,
    select,
    squeeze,
    turn_quarters,
)

NUMBERS = [np.float64, np.float32]
ODD = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.5, -2.5, 1e-30, 1e30, 7.0]
COMPILED = not numba.config.DISABLE_JIT
compiled = numba.njit(**OPTIONS)


@pytest.fixture(scope="module", params=NUMBERS, ids=["double", "single"])
def kind(request):
    return np.dtype(request.param)


@pytest.fixture(scope="module")
def pairs(kind):
    """Every number that is odd beside every other, and some that are not, in rows of lanes."""
    one, other = (grid.ravel() for grid in np.meshgrid(ODD, ODD))
    random = np.random.default_rng(0).normal(scale=3.0, size=(2, 1024 - len(one)))
    width = WIDTHS[kind]
    return [
        np.append(odd, more).astype(kind).reshape(-1, width)
        for odd, more in zip((one, other), random, strict=True)
    ]


def same_bits(ours, theirs):
    """Say whether numbers are the same, the signs of zeros as well; what is no number is alike."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    alike = (ours == theirs) & (np.signbit(ours) == np.signbit(theirs))
    return bool(np.all(alike | (np.isnan(ours) & np.isnan(theirs))))


# Arithmetic


@compiled
def calculate(a, b, out):
    x, y, z = lanes(a), lanes(b), lanes(out)
    for k in range(len(x)):
        z[0, k] = x[k] + y[k]
        z[1, k] = x[k] - y[k]
        z[2, k] = x[k] * y[k]
        z[3, k] = x[k] / y[k]
        z[4, k] = -x[k]
        z[5, k] = abs(x[k])
        z[6, k] = floor(x[k])
        z[7, k] = x[k] + 2.0
        z[8, k] = 2.0 - x[k]
        z[9, k] = x[k] * 3
        z[10, k] = 1.0 / x[k]
        # Made anew before it is changed in place: without a compiler x[k] is a part of x.
        kept = x[k] - y[k]
        kept += y[k]
        kept -= 1.0
        z[11, k] = kept
        kept = x[k] / y[k]
        kept *= y[k]
        kept /= 2.0
        z[12, k] = kept
        z[13, k] = 0.25


def test_arithmetic_is_numpys_to_the_last_bit(pairs):
    a, b = pairs
    out = np.zeros((14, *a.shape), a.dtype)
    calculate(a, b, out)
    with np.errstate(all="ignore"):
        expected = [
            a + b, a - b, a * b, a / b, -a, abs(a), np.floor(a), a + a.dtype.type(2.0),
            a.dtype.type(2.0) - a, a * a.dtype.type(3.0), a.dtype.type(1.0) / a,
            a - b + b - a.dtype.type(1.0), a / b * b / a.dtype.type(2.0), np.full_like(a, 0.25),
        ]  # fmt: skip
    for place, theirs in enumerate(expected):
        assert same_bits(out[place], theirs), place


def test_the_same_lines_serve_one_number(kind):
    a, b = np.random.default_rng(1).normal(size=(2, 4, WIDTHS[kind])).astype(kind)
    out = np.zeros((14, *a.shape), kind)
    calculate(a, b, out)
    plain = np.zeros_like(out)
    with np.errstate(all="ignore"):
        calculate.py_func(a, b, plain) if COMPILED else calculate(a, b, plain)
    assert same_bits(out, plain)


# Comparisons and choices


@compiled
def compare(a, b, out):
    x, y, z = lanes(a), lanes(b), lanes(out)
    for k in range(len(x)):
        z[0, k] = select(x[k] < y[k], 1.0, 0.0)
        z[1, k] = select(x[k] <= y[k], 1.0, 0.0)
        z[2, k] = select(x[k] > y[k], 1.0, 0.0)
        z[3, k] = select(x[k] >= y[k], 1.0, 0.0)
        z[4, k] = select(x[k] == y[k], 1.0, 0.0)
        z[5, k] = select(x[k] != y[k], 1.0, 0.0)
        z[6, k] = select(logical_and(x[k] > 0.0, y[k] > 0.0), x[k], y[k])
        z[7, k] = select(logical_or(x[k] > 0.0, y[k] > 0.0), x[k], 0.0)
        z[8, k] = select(logical_not(x[k] > 0.0), 1.0, y[k])


def test_comparisons_and_choices_are_those_of_numpy_bit_by_bit(pairs):
    a, b = pairs
    out = np.zeros((9, *a.shape), a.dtype)
    compare(a, b, out)
    zero, one = a.dtype.type(0.0), a.dtype.type(1.0)
    for place, answer in enumerate((a < b, a <= b, a > b, a >= b, a == b, a != b)):
        assert same_bits(out[place], answer.astype(a.dtype)), place
    assert same_bits(out[6], np.where((a > 0) & (b > 0), a, b))
    assert same_bits(out[7], np.where((a > 0) | (b > 0), a, zero))
    assert same_bits(out[8], np.where(~(a > 0), one, b))


@compiled
def ask(a, out):
    x = lanes(a)
    for k in range(len(x)):
        out[0, k] = all_lanes(x[k] > 0.0)
        out[1, k] = any_lane(x[k] > 0.0)
        out[2, k] = all_lanes(x[k] == x[k])
        out[3, k] = any_lane(x[k] != x[k])
        out[4, k] = any_lane(abs(x[k]) > 1.0) and not all_lanes(logical_not(x[k] > 0.0))


def test_every_and_some_look_at_all_lanes(kind):
    # One lane after the other is the odd one out.
    width = WIDTHS[kind]
    rows = [np.ones(width), -np.ones(width), np.full(width, np.nan)]
    for value, others in ((-1.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (2.0, np.nan)):
        grid = np.full((width, width), others)
        np.fill_diagonal(grid, value)
        rows.extend(grid)
    a = np.array(rows, kind)
    out = np.zeros((5, len(a)), bool)
    ask(a, out)
    high = a > 0
    expected = [
        high.all(axis=1), high.any(axis=1), (~np.isnan(a)).all(axis=1), np.isnan(a).any(axis=1),
        (abs(a) > 1).any(axis=1) & high.any(axis=1),
    ]  # fmt: skip
    assert out.tolist() == np.array(expected).tolist()


@compiled
def turn_all(s, c, turns, out):
    x, y, k, z = lanes(s), lanes(c), lanes(turns), lanes(out)
    for i in range(len(x)):
        z[0, i], z[1, i] = turn_quarters(x[i], y[i], k[i])


def test_quarter_turns_exchange_sine_and_cosine(kind):
    turns = np.arange(-512, 512).reshape(-1, WIDTHS[kind])
    s, c = np.random.default_rng(3).uniform(-1, 1, (2, *turns.shape)).astype(kind)
    out = np.zeros((2, *turns.shape), kind)
    turn_all(s, c, turns.astype(kind), out)
    expected = np.choose(turns % 4, [(s, c), (c, -s), (-s, -c), (-c, s)])
    assert out.tolist() == expected.tolist()
    plain = turn_quarters(s, c, turns.astype(kind))
    assert np.array(plain).tolist() == expected.tolist()
    assert [turn_quarters(0.6, 0.8, k) for k in range(4)] == [
        (0.6, 0.8), (0.8, -0.6), (-0.6, -0.8), (-0.8, 0.6),
    ]  # fmt: skip


def test_without_a_compiler_answers_are_those_of_numpy():
    a = np.array([1.0, np.nan, -0.0, 3.0])
    assert select(True, 1, 2) == 1
    assert select(np.bool_(False), 1, 2) == 2
    assert select(a > 0.5, a, 0.0).tolist() == [1.0, 0.0, 0.0, 3.0]
    assert (all_lanes(a > -1.0), any_lane(a > 2.0), all_lanes(True), any_lane(False)) == (
        False,
        True,
        True,
        False,
    )
    assert floor(-0.5) == -1.0


# Nothing passes from one lane to another


def test_a_lane_does_not_see_its_neighbours(pairs):
    a, b = pairs
    out, again = np.zeros((2, 14, *a.shape), a.dtype)
    calculate(a, b, out)
    for lane in range(a.shape[1]):
        alone_a, alone_b = np.full_like(a, np.nan), np.full_like(b, np.inf)
        alone_a[:, lane], alone_b[:, lane] = a[:, lane], b[:, lane]
        calculate(alone_a, alone_b, again)
        assert same_bits(again[..., lane], out[..., lane])


# Arrays


@compiled
def look(a, b, out):
    x = lanes(a)
    view = numbers(x)
    out[0], out[1], out[2] = view.shape[0], view.shape[1], view.shape[2]
    view[1, 2, 3] = 5.0
    part = matrix_view(x[1], 1, 2, 2)
    out[3], out[4] = part.shape[0], part.shape[1]
    part[1, 0] = 7.0
    out[5], out[6] = is_scalar(x), is_scalar(b)
    out[7] = numbers(b).shape[2]
    out[8] = squeeze(numbers(b))[0, 1]


def test_lanes_are_numbers_seen_another_way(kind):
    width = WIDTHS[kind]
    a, b = np.zeros((2, 6, width), kind), np.arange(4.0).reshape(2, 2)
    for kernel in (look, look.py_func if COMPILED else look):
        a[...], out = 0.0, np.zeros(9)
        kernel(a, b, out)
        assert out.tolist() == [2, 6, width, 2, 2, 0, 1, 1, 1.0]
        assert a[1, 2, 3] == 5.0
        assert (a[1, 3] == 7.0).all()
        assert np.count_nonzero(a) == width + 1


def test_memory_need_not_begin_where_a_register_would_like_it_to(kind):
    width = WIDTHS[kind]
    for shift in (0, 1, 3, 5):
        room = np.zeros((3, 4 * width + shift), kind)
        a, b = (np.ascontiguousarray(room[k])[shift:].reshape(-1, width) for k in range(2))
        a[:], b[:] = np.arange(4 * width).reshape(4, width), 2.0
        out = np.zeros(14 * 4 * width + shift, kind)[shift:].reshape(14, 4, width)
        calculate(a, b, out)
        assert out[0].tolist() == (a + b).tolist()

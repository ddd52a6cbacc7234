"""Numbers are written as people do, and make a grid where they fill one."""

import pytest

from papers import Number
from papers.page_text import as_printed, blocks, figure, is_grid
from papers.pages import numbers_table


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (-0.0, 6, "0"), (1e-300, 2, "1 × 10⁻³⁰⁰"), (-1234567.0, 3, "−1.23 × 10⁶"),
        (float("nan"), 6, "–"), (float("-inf"), 6, "−∞"), (0.1 + 0.2, 4, "0.3"),
        (0.30001, 4, "0.3000"), (154.9987, 5, "155.00"), (123456.7, 6, "123457"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_people_do(value, digits, expected):
    assert figure(value, digits) == expected


def test_printed_numbers_keep_their_digits():
    assert [as_printed(value) for value in (1.03904686, 59.533, 87.0)] == [
        "1.03904686", "59.533", "87",
    ]  # fmt: skip


def grid(*places):
    return [Number(f"n{k}", float(k), label=label, of=of) for k, (of, label) in enumerate(places)]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (grid(("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")), True),
        (grid(("a", "x"), ("a", "y"), ("b", "x"), ("c", "y")), True),
        (grid(("a", "x"), ("b", "y"), ("c", "z"), ("d", "u")), False),  # a diagonal
        (grid(("a", "x"), ("b", "x"), ("b", "far")), False),  # a column for one
        (grid(("", "x"), ("", "y"), ("", "z")), False),  # one line
        (grid(("a", "x"), ("b", "x"), ("b", "x")), False),  # two in one place
        (grid(*((of, str(k)) for of in "ab" for k in range(12))), False),  # too wide
    ],
)
def test_numbers_make_a_grid_only_if_they_fill_one(numbers, expected):
    assert is_grid(numbers) is expected
    table = numbers_table(numbers, "Numbers")
    for number in numbers:
        assert f">{number.ours:.0f}<" in table


def test_numbers_that_make_a_grid_in_part_are_parted():
    numbers = grid(
        ("place", "x"), ("place", "y"), ("speed", "x"), ("speed", "y"), ("", "apart"), ("", "far"),
        ("one", "u"), ("two", "v"), ("three", "p"), ("three", "q"), ("three", "r"),
    )  # fmt: skip
    parts = blocks(numbers)
    assert [len(part) for part in parts] == [4, 7]
    assert [is_grid(part) for part in parts] == [True, False]
    assert [number for part in parts for number in part] == numbers
    source = numbers_table(numbers, "Numbers")
    assert source.count("<table>") == 2
    assert '<th scope="rowgroup" colspan="2">three</th>' in source
    assert '<th scope="row">one, u</th>' in source

"""The numbers of a row as tables: a grid of `of` and `label` wherever they make one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from ulna.papers.row import Number

FULL = 0.6  # of a grid's places that numbers have to fill, or it is better a list
WIDEST = 9  # columns


def blocks(numbers: Sequence[Number]) -> list[list[Number]]:
    """Divide numbers, in their order, into such as make one grid and such as make a list."""
    if not numbers or is_grid(numbers):
        return [list(numbers)] if numbers else []
    parts: list[list[Number]] = []
    for _, alike in groupby(grouped(numbers), key=lambda line: _labels(line[1])):
        part = [number for _, line in alike for number in line]
        if parts and not is_grid(part) and not is_grid(parts[-1]):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def is_grid(numbers: Sequence[Number]) -> bool:
    """Return whether numbers fill lines and columns of their own well enough."""
    lines = {number.of for number in numbers}
    columns = Counter(label_of(number) for number in numbers)
    places = {(number.of, label_of(number)) for number in numbers}
    return (
        len(lines) > 1
        and len(columns) <= WIDEST
        and min(columns.values()) > 1
        and len(places) == len(numbers)
        and len(numbers) >= FULL * len(lines) * len(columns)
    )


class GridColumn(NamedTuple):
    """A column of a grid."""

    label: str
    unit: str  # if its numbers have one in common
    beside: bool  # whether what is printed stands beside what we find
    by_line: dict[str, Number | None]


def columns_of(numbers: Sequence[Number]) -> list[GridColumn]:
    lines = dict.fromkeys(number.of for number in numbers)
    columns = []
    for label in dict.fromkeys(label_of(number) for number in numbers):
        within = [number for number in numbers if label_of(number) == label]
        units = {number.unit for number in within}
        unit = units.pop() if len(units) == 1 else ""
        by_line = {**lines, **{number.of: number for number in within}}
        columns.append(GridColumn(label, unit, has_printed(within), by_line))
    return columns


def grouped(numbers: Sequence[Number]) -> list[tuple[str, list[Number]]]:
    """Return the numbers that belong together, one line after the other."""
    return [(of, list(line)) for of, line in groupby(numbers, key=lambda number: number.of)]


def _labels(line: Sequence[Number]) -> tuple[str, ...]:
    # One number a line makes no grid worth its head, but in a list it does well.
    return tuple(label_of(number) for number in line) if len(line) > 1 else ()


def label_of(number: Number) -> str:
    return number.label or number.name


def has_printed(numbers: Sequence[Number]) -> bool:
    return any(number.printed is not None for number in numbers)

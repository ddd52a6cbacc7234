"""Texts and numbers as pages write them, safe to stand in HTML and in tables of Markdown.

The numbers of a row make a grid of `of` and `label` wherever they fill one, else a list.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from papers.row import Number

ROUNDING = 1e-12  # the part of a number that arithmetic may have cost it
SMALL = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FULL = 0.6  # of a grid's places that numbers have to fill, or it is better a list
WIDEST = 9  # columns
CODE = re.compile("`([^`]+)`")
SPECIAL = re.compile(r"[*<\[\]]")  # what would be more than itself in Markdown outside of code


def escaped(text: str) -> str:
    """Return a text that means nothing to a browser but itself."""
    return html.escape(text, quote=True)


def prose(text: str) -> str:
    """Return a text as HTML, with what stands between back quotes as code."""
    return CODE.sub(r"<code>\1</code>", escaped(text))


def paragraphs(text: str) -> str:
    """Return a text as HTML, a paragraph for each that an empty line sets apart."""
    return "".join(f"<p>{prose(part.strip())}</p>" for part in text.split("\n\n") if part.strip())


def plain(text: str) -> str:
    """Return a text without back quotes, for a place that shows letters only."""
    return escaped(text.replace("`", ""))


def slug(text: str) -> str:
    """Return the address of a heading, as the pages of `ulna.derive` have it.

    >>> slug("Euler–Lagrange for joint 1")
    'euler-lagrange-for-joint-1'
    """
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def counted_words(count: int, noun: str) -> str:
    """Write how many there are.

    >>> counted_words(1, "item"), counted_words(25, "item"), counted_words(2, "erratum")
    ('1 item', '25 items', '2 errata')
    """
    several = "errata" if noun == "erratum" else f"{noun}s"
    return f"{count} {noun if count == 1 else several}"


def figure(value: float, digits: int = 6) -> str:
    """Write a number with so many significant digits, or fewer where those are all it has.

    >>> figure(-17.350123, 5), figure(12.5, 5), figure(2e-16, 3), figure(float("inf"))
    ('−17.350', '12.5', '2 × 10⁻¹⁶', '∞')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    text = f"{value:.{digits}g}"
    if not math.isclose(float(text), value, rel_tol=ROUNDING):
        text = f"{value:#.{digits}g}"
    text, _, power = text.partition("e")
    text = "0" if float(text) == 0.0 else text.rstrip(".")
    return power_of_ten(text, power) if power else text.replace("-", "−")


def power_of_ten(digits: str, power: str) -> str:
    """Write a number with its power of ten.

    >>> power_of_ten("-2.5", "-09")
    '−2.5 × 10⁻⁹'
    """
    return f"{digits} × 10{str(int(power)).translate(SMALL)}".replace("-", "−")


def as_printed(value: float) -> str:
    """Write a number of a paper with the digits that it was given with."""
    return figure(value, 15)


def wrapped(text: str, width: int) -> str:
    return "\n\n".join(textwrap.fill(part.strip(), width) for part in text.strip().split("\n\n"))


def markdown_cell(text: str) -> str:
    """Return a text for a cell of a table in Markdown.

    A bar would end the cell, within code too; a line break would end the table.
    """
    parts = re.split("(`[^`]+`)", " ".join(text.split()).replace("|", "\\|"))
    return "".join(
        part if part.startswith("`") else SPECIAL.sub(r"\\\g<0>", part) for part in parts
    )


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

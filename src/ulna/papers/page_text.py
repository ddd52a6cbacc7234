"""Texts and numbers as pages write them: safe to stand in HTML and in tables of Markdown."""

from __future__ import annotations

import html
import math
import re
import textwrap

ROUNDING = 1e-12  # the part of a number that arithmetic may have cost it
SMALL = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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

"""Numbers as text, for tables and for steps that are worked out line by line."""

from __future__ import annotations

import math

ROUNDING = 1e-12  # of a limit, by which a number may pass it unnoticed


def number(value: float, digits: int = 6) -> str:
    """Write a number for a table, without a negative zero."""
    text = f"{value:.{digits}g}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def fixed(value: float, decimals: int) -> str:
    """Write a number with so many decimals, without a negative zero."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def as_factor(text: str) -> str:
    """Put a negative number into parentheses, as what follows an operator or is raised to a power.

    >>> as_factor("-0.49"), as_factor("0.24")
    ('(-0.49)', '0.24')
    """
    return f"({text})" if text.startswith("-") else text


def degrees(angle: float, decimals: int = 4) -> str:
    """Write an angle, given in radians, in degrees."""
    return fixed(math.degrees(angle), decimals)


def in_degrees(angle: float) -> str:
    """Write an angle, given in radians, in degrees, with their sign and few digits."""
    return f"{number(math.degrees(angle))}°"

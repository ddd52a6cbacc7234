"""Checks on the numbers that describe an arm, gathering every problem before raising."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, TypeVar

from ulna.errors import InputError, Problem, shown, units_hint

T = TypeVar("T")


class Problems:
    """A list of problems that turns into one `InputError` at the end, if there are any."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, what: str, got: str, need: str, hint: str = "") -> None:
        """Note one problem, in words."""
        self.found.append(Problem(what, got, need, hint))

    def number(
        self,
        what: str,
        value: Any,
        unit: str,
        *,
        above: float | None = None,
        least: float | None = None,
        infinite: bool = False,
    ) -> float:
        """Read one number, noting what is wrong with it; return NaN where it cannot be used."""
        need = _need(unit, above, least)
        number = _as_float(value)
        if number is None:
            self.add(what, shown(value), need, units_hint(value, unit))
        elif math.isnan(number) or (math.isinf(number) and not infinite):
            self.add(what, shown(value), f"a finite {need.removeprefix('a ')}")
        elif (above is not None and number <= above) or (least is not None and number < least):
            self.add(what, shown(value), need)
        else:
            return number
        return math.nan

    def pair(self, what: str, value: Any, unit: str, hint: str = "") -> tuple[float, float]:
        """Read a vector of two finite numbers."""
        try:
            x, y = value
        except (TypeError, ValueError):
            self.add(what, shown(value), f"two numbers [x, y] in {unit}", hint)
            return math.nan, math.nan
        return self.number(f"{what}.x", x, unit), self.number(f"{what}.y", y, unit)

    def sequence(self, what: str, value: Any, need: str) -> tuple[Any, ...]:
        """Read a list, a tuple or anything else that holds one thing after another."""
        try:
            if isinstance(value, str):
                raise TypeError
            return tuple(value)
        except TypeError:
            self.add(what, shown(value), need)
            return ()

    def one_line(self, what: str, value: Any) -> None:
        """Check that text has no line breaks and other controls."""
        if not isinstance(value, str) or any(unicodedata.category(c) in _CONTROLS for c in value):
            self.add(what, shown(value), "text on one line")

    def attempt(self, owner: str, build: Callable[[], T]) -> T | None:
        """Build a part of the arm; what is wrong with it is noted under `owner`."""
        with self.gather(owner):
            return build()
        return None

    @contextmanager
    def gather(self, owner: str) -> Iterator[None]:
        """Note the problems raised inside the block under `owner`, and go on."""
        try:
            yield
        except InputError as error:
            self.found.extend(problem.within(owner) for problem in error.problems)

    def raise_if_any(self) -> None:
        """Raise everything that was noted, at once."""
        if self.found:
            raise InputError(self.found)


# Controls, lone surrogates, and the separators of lines and paragraphs.
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")


def _as_float(value: Any) -> float | None:
    """Return a real number as a float, infinite where it is too large for one."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _need(unit: str, above: float | None, least: float | None) -> str:
    number = f"a number in {unit}" if unit else "a number"
    if above is not None:
        return f"{number} above {above:g}"
    return number if least is None else f"{number}, {least:g} or more"

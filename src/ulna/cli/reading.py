"""Several texts read together, so that all that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ulna.errors import InputError, Problem

Reader = Callable[[str], Any]


def read_all(given: Mapping[str, tuple[str | None, Reader]]) -> dict[str, Any]:
    """Read all that was given, and tell all that is wrong with any of it."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, (text, read) in given.items():
        try:
            if text is not None:
                values[name] = read(text)
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return values

"""The five papers by their numbers, each loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from ulna.errors import InputError, Problem, shown
from ulna.papers.row import Paper, Row

_FOLDERS = {"000": "kehl", "001": "bechard", "002": "garai", "003": "ductri", "004": "ang"}
NUMBERS = tuple(_FOLDERS)


def papers(numbers: Iterable[str] = NUMBERS) -> tuple[Paper, ...]:
    """Return the papers, or some of them, in their order."""
    return tuple(paper(number) for number in checked(numbers))


def paper(number: str) -> Paper:
    """Return one paper by its number, such as "000"."""
    (number,) = checked([number])
    found: Paper = import_module(f"ulna.papers.{_FOLDERS[number]}").PAPER
    return found


@cache
def rows(number: str) -> tuple[Row, ...]:
    """Return all rows of a paper, computed once: its items in their order, then its errata."""
    return paper(number).judge()


def checked(numbers: Iterable[str], what: str = "paper") -> tuple[str, ...]:
    """Return the numbers in the order of the papers, each once; refuses unknown ones."""
    asked = list(numbers)
    problems = [
        Problem(what, shown(number), "the number of a paper", "known: " + ", ".join(NUMBERS))
        for number in asked
        if number not in NUMBERS
    ]
    if problems:
        raise InputError(problems)
    return tuple(number for number in NUMBERS if number in asked)

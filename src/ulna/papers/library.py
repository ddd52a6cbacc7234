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
    """Return the papers, or some of them, in their order.

    Parameters
    ----------
    numbers : iterable of str, optional
        Their numbers, such as "000".

    Returns
    -------
    tuple of Paper
        The papers, in the order of their numbers.

    Raises
    ------
    InputError
        Where a number is not that of a paper.

    Examples
    --------
    >>> [paper.number for paper in papers()]
    ['000', '001', '002', '003', '004']
    """
    return tuple(paper(number) for number in checked(numbers))


def paper(number: str) -> Paper:
    """Return one paper.

    Parameters
    ----------
    number : str
        Its number, such as "000".

    Returns
    -------
    Paper
        Its authors, its title and what computes its rows.

    Raises
    ------
    InputError
        Where there is no paper of that number.

    Examples
    --------
    >>> paper("002").authors
    'Souritra Garai'
    """
    (number,) = checked([number])
    found: Paper = import_module(f"ulna.papers.{_FOLDERS[number]}").PAPER
    return found


@cache
def rows(number: str) -> tuple[Row, ...]:
    """Return all rows of a paper, computed once: its items in their order, then its errata.

    Parameters
    ----------
    number : str
        Number of the paper, such as "000".

    Returns
    -------
    tuple of Row
        Every statement of the paper, with what is printed, what we find, and a verdict.

    Raises
    ------
    InputError
        Where there is no paper of that number.

    Examples
    --------
    >>> row = rows("004")[0]
    >>> row.title, row.verdict.value
    ('The forward problem', 'same')
    """
    return paper(number).judge()


def errata(number: str) -> tuple[Row, ...]:
    """Return the errata of a paper: rows about what has to be read otherwise than printed.

    Parameters
    ----------
    number : str
        Number of the paper, such as "000".

    Returns
    -------
    tuple of Row
        Its errata; remarks, where nothing has to be put right, are left out.

    Raises
    ------
    InputError
        Where there is no paper of that number.

    Examples
    --------
    >>> errata("004")[0].key
    'erratum-1'
    """
    return tuple(row for row in rows(number) if row.erratum)


def checked(numbers: Iterable[str], what: str = "paper") -> tuple[str, ...]:
    """Return the numbers in the order of the papers, each once; raises for unknown ones."""
    asked = list(numbers)
    problems = [
        Problem(what, shown(number), "the number of a paper", "known: " + ", ".join(NUMBERS))
        for number in asked
        if number not in NUMBERS
    ]
    if problems:
        raise InputError(problems)
    return tuple(number for number in NUMBERS if number in asked)

"""The five papers by their numbers, each loaded on demand."""

from __future__ import annotations

from importlib import import_module

from papers.row import Paper

_PACKAGES = {"000": "kehl", "001": "bechard", "002": "garai", "003": "ductri", "004": "ang"}
NUMBERS = tuple(_PACKAGES)


def paper(number: str) -> Paper:
    """Return one paper; its rows are computed when they are first read.

    Parameters
    ----------
    number : str
        Its number, such as "000".

    Returns
    -------
    Paper
        Its authors, its title and its rows.

    Examples
    --------
    >>> paper("002").authors
    'Souritra Garai'
    """
    found: Paper = import_module(f"papers.{_PACKAGES[number]}").PAPER
    return found

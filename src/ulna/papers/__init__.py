"""WHERE it comes from: the five papers again, number by number and figure by figure."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.papers.library import NUMBERS, errata, paper, papers, rows
from ulna.papers.row import Film, Number, Paper, Picture, Place, PlaceKind, Played, Row, Verdict

__all__ = [
    "NUMBERS",
    "Film",
    "Number",
    "Paper",
    "Picture",
    "Place",
    "PlaceKind",
    "Played",
    "Row",
    "Verdict",
    "errata",
    "paper",
    "papers",
    "rows",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

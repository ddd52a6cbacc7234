"""WHERE it comes from: the five papers again, number by number and figure by figure."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.papers.library import NUMBERS, errata, paper, papers, rows
from ulna.papers.row import Film, Number, Paper, Picture, Place, PlaceKind, Row, Verdict

__all__ = [
    "NUMBERS",
    "Film",
    "Number",
    "Paper",
    "Picture",
    "Place",
    "PlaceKind",
    "Row",
    "Verdict",
    "errata",
    "paper",
    "papers",
    "rows",
]

if not TYPE_CHECKING:
    _guesses = {
        "papers.papers() has all of them, papers.paper('000') one": (
            "all list authors titles kehl bechard garai ductri ang"
        ),
        "papers.rows('000') has what a paper prints beside what we find": (
            "figures tables results numbers compare reproduce items"
        ),
        "papers.errata('000') has what has to be read otherwise": "mistakes corrections erratum",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=__all__)

"""WHERE it comes from: the five papers again, number by number and figure by figure."""

from ulna.papers.library import NUMBERS, paper, papers, rows
from ulna.papers.row import Film, Kind, Number, Paper, Picture, Place, Row, Verdict

__all__ = [
    "NUMBERS",
    "Film",
    "Kind",
    "Number",
    "Paper",
    "Picture",
    "Place",
    "Row",
    "Verdict",
    "paper",
    "papers",
    "rows",
]

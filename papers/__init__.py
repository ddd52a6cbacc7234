"""The five papers that ulna grew out of, computed again on its public names.

`python -m papers` writes them as pages for a browser.
"""

from papers.library import NUMBERS, paper
from papers.row import Number, Paper, Picture, Place, PlaceKind, Player, Row, Verdict

__all__ = [
    "NUMBERS",
    "Number",
    "Paper",
    "Picture",
    "Place",
    "PlaceKind",
    "Player",
    "Row",
    "Verdict",
    "paper",
]

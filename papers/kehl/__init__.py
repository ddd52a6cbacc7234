"""Paper 000, by Kehl, Cabusi, Kim and Banuelos: a two-joint arm on a looping path."""

from papers.rows_file import PaperRows

__all__ = ["PAPER", "rows"]

rows = PaperRows(__name__)
PAPER = rows.paper

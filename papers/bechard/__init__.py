"""Paper 001 (Bechard & Ivanov): one joint in its regimes, and n joints one after the other."""

from papers.rows_file import PaperRows

__all__ = ["PAPER", "rows"]

rows = PaperRows(__name__)
PAPER = rows.paper

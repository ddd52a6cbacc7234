"""Paper 003 again: energies, joint equations and their matrix form, and what they are used for."""

from papers.rows_file import PaperRows

__all__ = ["PAPER", "rows"]

rows = PaperRows(__name__)
PAPER = rows.paper

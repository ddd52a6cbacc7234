"""Paper 004 again: four problems of a two-link arm, and a printed inverse put right."""

from papers.rows_file import PaperRows

__all__ = ["PAPER", "rows"]

rows = PaperRows(__name__)
PAPER = rows.paper

"""Paper 002 again: a 2R arm in absolute angles, its elbow-up rule, its dynamics and statics."""

from papers.rows_file import PaperRows

__all__ = ["PAPER", "rows"]

rows = PaperRows(__name__)
PAPER = rows.paper

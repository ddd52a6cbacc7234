"""The table of paper 004. It numbers nothing."""

from __future__ import annotations

from ulna.papers.row import Place, PlaceKind

PLACES = (
    Place(PlaceKind.TABLE, 1, "the cases of atan2", ("erratum-7", "erratum-3"), numbered=False),
)

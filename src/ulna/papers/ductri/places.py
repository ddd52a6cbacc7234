"""The figure of paper 003. It numbers nothing."""

from __future__ import annotations

from ulna.papers.row import Place, PlaceKind

PLACES = (Place(PlaceKind.FIGURE, 1, "the arm", ("schematic",), numbered=False),)

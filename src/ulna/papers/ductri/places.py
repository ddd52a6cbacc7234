"""The figure of paper 003. It numbers nothing."""

from __future__ import annotations

from ulna.papers.row import Kind, Place

PLACES = (Place(Kind.FIGURE, 1, "the arm", ("schematic",), numbered=False),)

"""Figures that notebooks show by themselves.

Matplotlib's own are shown once pyplot is loaded, which keeps every figure and chooses a screen;
ours have nothing to do with pyplot. This module loads matplotlib: import it where something is
drawn, and no sooner.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

SCALE = 80.0  # [pixels of a page for an inch]; the picture itself is finer


class DisplayFigure(Figure):
    """A matplotlib figure with a picture of itself for notebooks."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue(), {"width": round(SCALE * self.get_figwidth())}

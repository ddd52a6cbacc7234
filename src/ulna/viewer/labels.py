"""Room for labels: where on a plot a text covers neither a curve nor another text.

A plot is a raster of points (1/72 inch) in which what is drawn is marked. With sums over all
rectangles that begin at its corner, the number of marked points under a box of any size is found
for all places at once, and the nearest place where it is zero is taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72.0  # in an inch
AROUND = 2.5  # [points] that a label keeps from what is drawn
FAR = 45.0  # [points] from its place, beyond which a label tells nobody what it belongs to
CLOSE = 14.0  # [points] up to which it needs no line that leads to it
FINEST = 2_000_000  # points that a curve is marked by


class LabelPlace(NamedTuple):
    """Where a label goes: its lower left corner from its anchor, and whether a line leads there."""

    offset: tuple[float, float]  # [points]
    led: bool


class LabelSpace:
    """What is taken of a plot, whose limits are set, in points from its lower left corner."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        _ = axes.get_xlim(), axes.get_ylim()  # which brings the limits up to date with the data
        figure: Any = axes.get_figure()
        self.scale = POINTS / figure.dpi
        box = axes.get_window_extent()
        self.corner = np.array([box.x0, box.y0])
        self.wide, self.high = (max(1, int(side * self.scale)) for side in (box.width, box.height))
        self.taken = np.zeros((self.high, self.wide), dtype=bool)
        self.texts: list[tuple[float, float, float, float]] = []

    def points(self, places: Any) -> np.ndarray:
        """Return places (k, 2) in the data's units as points."""
        shown: Any = self.axes.transData.transform(np.asarray(places, dtype=float))
        return np.asarray((shown - self.corner) * self.scale)

    def take_curve(self, places: Any) -> None:
        """Mark a curve through places (k, 2); where it is NaN it has a gap."""
        way = self.points(places)
        # What is far outside cannot be seen, and would take as many marks as it is far.
        low, high = -np.array([self.wide, self.high]), 2 * np.array([self.wide, self.high])
        way = np.clip(way, low, high)
        if len(way) == 1:
            way = np.repeat(way, 2, axis=0)
        steps = np.max(np.abs(np.diff(way, axis=0)), axis=-1)
        known = np.flatnonzero(np.isfinite(steps))
        counts = np.ceil(steps[known]).astype(int) + 1
        counts = np.minimum(counts, max(1, FINEST // max(len(known), 1)))
        piece = np.repeat(known, counts)
        within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
        part = (within / np.repeat(counts, counts))[:, None]
        self._mark(way[piece] * (1.0 - part) + way[piece + 1] * part)

    def take_line(self, start: np.ndarray, end: np.ndarray) -> None:
        """Mark a line between two places in points."""
        self._mark(np.linspace(start, end, 2 + int(2.0 * np.max(np.abs(end - start)))))

    def _mark(self, dots: np.ndarray) -> None:
        column, row = np.floor(dots).astype(int).T
        inside = (column >= 0) & (column < self.wide) & (row >= 0) & (row < self.high)
        self.taken[row[inside], column[inside]] = True

    def take_box(self, left: float, low: float, wide: float, high: float) -> None:
        """Mark a box."""
        rows = slice(max(0, math.floor(low)), max(0, math.ceil(low + high)))
        columns = slice(max(0, math.floor(left)), max(0, math.ceil(left + wide)))
        self.taken[rows, columns] = True

    def take_mark(self, anchor: Any, size: float) -> None:
        """Mark what is drawn at a place, so many points wide."""
        x, y = self.points([anchor])[0]
        self.take_box(x - 0.5 * size, y - 0.5 * size, size, size)

    def take_text(self, text: Any) -> None:
        """Mark a text that is there."""
        left, low, wide, high = self._box(text)
        self.take_box(left, low, wide, high)
        self.texts.append((left, low, wide, high))

    def _box(self, text: Any) -> tuple[float, float, float, float]:
        from matplotlib.text import Text

        text.get_window_extent()  # which brings a label to its place
        # Of one that a line leads to, the line is no part.
        box = Text.get_window_extent(text)
        left, low = (np.array([box.x0, box.y0]) - self.corner) * self.scale
        return float(left), float(low), box.width * self.scale, box.height * self.scale

    def find(self, text: Any, anchor: Any) -> LabelPlace | None:
        """Return the free place for a text that is nearest to its anchor, in the data's units."""
        x, y = self.points([anchor])[0]
        _, _, wide, high = self._box(text)
        across, up = math.ceil(wide + 2 * AROUND), math.ceil(high + 2 * AROUND)
        if across > self.wide or up > self.high:
            return None
        sums = np.pad(np.cumsum(np.cumsum(self.taken, axis=0), axis=1), ((1, 0), (1, 0)))
        under = sums[up:, across:] - sums[:-up, across:] - sums[up:, :-across]
        rows, columns = np.nonzero(under + sums[:-up, :-across] == 0)
        # From the anchor to the nearest point of the box; of equals the one above is taken.
        aside = np.maximum(np.maximum(columns - x, x - columns - across), 0.0)
        off = np.maximum(np.maximum(rows - y, y - rows - up), 0.0)
        cost = np.hypot(aside, off) + np.where(rows < y, 0.5, 0.0)
        for k in np.argsort(cost, kind="stable")[:: max(1, len(cost) // 400)]:
            if cost[k] > FAR:
                return None
            corner = (columns[k] + AROUND - x, rows[k] + AROUND - y)
            led = bool(np.hypot(aside[k], off[k]) > CLOSE)
            if not led or self._sees((x, y), (columns[k], rows[k], across, up)):
                return LabelPlace((float(corner[0]), float(corner[1])), led)
        return None

    def _sees(self, anchor: tuple[float, float], box: tuple[float, float, float, float]) -> bool:
        """Whether a line from the anchor to the corner of a box crosses no other text."""
        way = np.linspace(anchor, np.array(box[:2]) + AROUND, 64)
        for left, low, wide, high in self.texts:
            inside = (way[:, 0] >= left) & (way[:, 0] <= left + wide)
            if np.any(inside & (way[:, 1] >= low) & (way[:, 1] <= low + high)):
                return False
        return True


def place_label(room: LabelSpace, text: str, anchor: tuple[float, float], **style: Any) -> Any:
    """Write a text beside a place where it covers nothing; None where there is no room for it."""
    axes = room.axes
    trial = axes.text(*anchor, text, **style)
    found = room.find(trial, anchor)
    trial.remove()
    if found is None:
        return None
    led: dict[str, Any] = {"arrowstyle": "-", "color": style.get("color"), "lw": 0.7}
    led |= {"shrinkA": 0.0, "shrinkB": 4.0, "relpos": (0.0, 0.0)}
    label = axes.annotate(
        text,
        anchor,
        xytext=found.offset,
        textcoords="offset points",
        ha="left",
        va="bottom",
        arrowprops=led if found.led else None,
        **style,
    )
    room.take_text(label)
    if found.led:
        start = room.points([anchor])[0]
        room.take_line(start, start + np.array(found.offset))
    return label

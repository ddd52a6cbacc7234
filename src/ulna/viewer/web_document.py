"""The document that the web viewer shows: a header in JSON, and columns of numbers.

Numbers are SI units and radians; a chart's factor makes the unit that is shown. A column is written
as 32-bit floats, little endian, byte by byte: all first bytes, then all second ones, and so on.
Small whole numbers, such as those of basins, are written as one byte each.
The columns follow one another without padding, are deflated by zlib and written in base64. NaN is a
gap.

Long series are made short. Of a chart, time is cut into even stretches, and of each the samples are
kept at which one of its curves is least or largest: every value that is shown was there, at that
time. Of a motion samples are picked evenly. The notes of a document say so.
"""

from __future__ import annotations

import math
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.viewer.html_page import json_text

FORMAT = 1
COLOURS = 6
MOST_POINTS, LEAST_POINTS = 2_400, 400  # of a curve
MOST_SAMPLES, LEAST_SAMPLES = 3_000, 200  # of a motion, evenly picked; and between them as many
CLOSE = 5e-4  # [rad] as keep the joints so close to all samples,
MAX_ADDED = 30_000  # unless those were more
MAX_PATH_POINTS = 200_000  # of the path of the tip
CHART_NUMBERS, MOTION_NUMBERS = 36_000, 20_000  # of a document, if that leaves enough for each
EVEN = 1e-6  # of a step, by which times may differ from even ones
SEEN = 1e-3  # of the shortest step, by which times may be rounded
LARGEST = float(np.finfo(np.float32).max)

Ref: TypeAlias = int | dict[str, float]  # the index of a column, or evenly spaced times


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a chart: values (k,) at times (k,)."""

    label: str
    t: Array
    y: Array
    colour: int
    motion: str | None = None  # the label of the motion that it belongs to
    dash: bool = False


@dataclass(frozen=True, eq=False)
class ChartSpec:
    """A chart: its curves over time, and the limits that they are to keep."""

    id: str
    title: str
    unit: str
    curves: Sequence[Curve]
    factor: float = 1.0
    digits: int = 3
    limits: Sequence[Mapping[str, Any]] = ()
    log: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class MotionSpec:
    """What an arm does: angles (k, n) and torques (k, n) at times (k,)."""

    label: str
    role: str
    t: Array
    q: Array
    tau: Array | None
    status: str


@dataclass(frozen=True, eq=False)
class WebDocument:
    """A document as a page carries it."""

    header: Mapping[str, Any]
    data: bytes  # deflated

    @property
    def json(self) -> str:
        """The header as text that is safe inside of a script element."""
        return json_text(self.header)

    @property
    def base64(self) -> str:
        """The columns as text."""
        return b64encode(self.data).decode("ascii")


@dataclass(eq=False)
class DocumentBuilder:
    """A document in the making; `finished` returns it."""

    header: dict[str, Any]
    charts: list[ChartSpec] = field(default_factory=list)
    motions: list[MotionSpec] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    planes: list[dict[str, Any]] = field(default_factory=list)
    path: Array | None = None  # (k, 2) of the tip
    # Where the tip goes with a pen up (k, 2), and from when to when [s] it is up.
    travel: tuple[Array, Sequence[tuple[float, float]]] | None = None
    columns: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    known: dict[bytes, int] = field(default_factory=dict)  # columns by their bytes

    def finding(
        self, level: str, text: str, t: float | None = None, motion: str | None = None
    ) -> None:
        """Add something to know, at a time [s] or of the whole."""
        when = float(t) if t is not None and math.isfinite(t) else None
        found: dict[str, Any] = {"level": level, "text": text, "t": when}
        self.findings.append(found if motion is None else found | {"motion": motion})

    def table(
        self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
    ) -> None:
        """Add a table, unless it has no rows."""
        cells = [[str(cell) for cell in row] for row in rows]
        if cells:
            made: dict[str, Any] = {"title": title, "columns": list(columns), "rows": cells}
            self.tables.append(made | ({"note": note} if note else {}))

    def column(self, values: Array, kind: str = "f32") -> int:
        """Return the index of a column with these values, which is there once only."""
        if kind == "u8":
            raw = np.asarray(values, dtype="u1")
        else:
            numbers = np.asarray(values, dtype=float)
            with np.errstate(invalid="ignore"):
                numbers = np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)
            raw = numbers.astype("<f4" if kind == "f32" else "<f8")
        key = kind.encode() + raw.tobytes()
        if key not in self.known:
            self.known[key] = len(self.columns)
            self.columns.append({"type": kind, "length": len(raw)})
            self.pieces.append(raw.view(np.uint8).reshape(len(raw), -1).T.tobytes())
        return self.known[key]

    def times(self, t: Array) -> Ref:
        """Return times that increase: start, step and count where they are even."""
        t = np.asarray(t, dtype=float)
        if len(t) == 1:
            return {"start": float(t[0]), "step": 0.0, "count": 1}
        step = (t[-1] - t[0]) / (len(t) - 1)
        if np.abs(t - (t[0] + step * np.arange(len(t)))).max() <= EVEN * step:
            return {"start": float(t[0]), "step": float(step), "count": len(t)}
        coarse = np.abs(t - t.astype(np.float32)).max() > SEEN * np.diff(t).min()
        return self.column(t, "f64" if coarse else "f32")

    def finished(self) -> WebDocument:
        """Return the document, long series made short."""
        header = self.header | {
            "format": FORMAT,
            "motions": self._made_motions(),
            "path": self._made_path(self.path),
            "charts": self._made_charts(),
            "planes": self.planes,
            "findings": self.findings,
            "tables": self.tables,
            "notes": self.notes,
            "columns": self.columns,
        }
        if self.travel is not None and (path := self._made_path(self.travel[0])) is not None:
            header["travel"] = path | {"lifted": [list(one) for one in self.travel[1]]}
        return WebDocument(header, zlib.compress(b"".join(self.pieces), 9))

    def _made_motions(self) -> list[dict[str, Any]]:
        numbers = sum(one.q.shape[1] * (1 if one.tau is None else 2) for one in self.motions)
        most = _share(MOTION_NUMBERS, numbers, LEAST_SAMPLES, MOST_SAMPLES)
        made, shortened = [], []
        for one in self.motions:
            picked = closely(one.t, one.q, evenly(len(one.t), most))
            if len(picked) < len(one.t):
                shortened.append((len(picked), len(one.t)))
            tau = None if one.tau is None else [self.column(each) for each in one.tau[picked].T]
            made.append(
                {
                    "label": one.label,
                    "role": one.role,
                    "t": self.times(one.t[picked]),
                    "q": [self.column(each) for each in one.q[picked].T],
                    "tau": tau,
                    "status": one.status,
                    "ended": float(one.t[-1]),
                }
            )
        if shortened:
            self.notes.append(f"The arm is drawn from {_counts(shortened)} samples.")
        return made

    def _made_path(self, points: Array | None) -> dict[str, Any] | None:
        if points is None or not np.isfinite(points).any():
            return None
        x, y = points[evenly(len(points), MAX_PATH_POINTS)].T
        return {"x": self.column(x), "y": self.column(y)}

    def _made_charts(self) -> list[dict[str, Any]]:
        most = _share(
            CHART_NUMBERS, sum(len(one.curves) for one in self.charts), LEAST_POINTS, MOST_POINTS
        )
        made, shortened = [], []
        for chart in self.charts:
            series, counts = self._series(chart, most)
            shortened.extend(counts)
            one: dict[str, Any] = {
                "id": chart.id,
                "title": chart.title,
                "unit": chart.unit,
                "factor": chart.factor,
                "digits": chart.digits,
                "series": series,
                "limits": list(chart.limits),
            }
            one |= {"log": True} if chart.log else {}
            told = [chart.note, f"{_counts(counts)} samples" if counts else ""]
            note = "; ".join(filter(None, told))
            made.append(one | ({"note": note} if note else {}))
        if shortened:
            self.notes.append(
                f"Charts show {_counts(shortened)} samples: of every stretch of time those at "
                "which a curve is least or largest, so that no extreme is lost."
            )
        return made

    def _series(
        self, chart: ChartSpec, most: int
    ) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
        """Return the curves of a chart; those at the same times keep the same samples."""
        made: list[dict[str, Any]] = []
        counts = []
        groups: dict[bytes, list[Curve]] = {}
        for curve in chart.curves:
            groups.setdefault(np.asarray(curve.t).tobytes(), []).append(curve)
        for group in groups.values():
            kept = extremes(group[0].t, np.stack([one.y for one in group], axis=-1), most)
            if len(kept) < len(group[0].t):
                counts.append((len(kept), len(group[0].t)))
            times = self.times(group[0].t[kept])
            for one in group:
                series: dict[str, Any] = {"label": one.label, "t": times}
                series |= {"y": self.column(one.y[kept]), "color": one.colour % COLOURS}
                series |= {"dash": True} if one.dash else {}
                made.append(series | ({} if one.motion is None else {"motion": one.motion}))
        return made, counts


def _share(numbers: int, series: int, least: int, most: int) -> int:
    return min(most, max(least, numbers // max(series, 1)))


def _counts(counts: Sequence[tuple[int, int]]) -> str:
    kept, of = max(counts, key=lambda pair: pair[1])
    return f"{kept:,} of {of:,}"


def evenly(count: int, most: int) -> Array:
    """Return the indices of at most so many samples, the first and the last among them.

    >>> evenly(9, 5).tolist(), evenly(3, 5).tolist()
    ([0, 2, 4, 6, 8], [0, 1, 2])
    """
    if count <= most:
        return np.arange(count)
    stride = -(-(count - 1) // (most - 1))
    # Strides that lead to the last sample leave times even.
    whole = (one for one in range(stride, stride * 2) if (count - 1) % one == 0)
    picked = np.arange(0, count, next(whole, stride))
    return picked if picked[-1] == count - 1 else np.append(picked[: most - 1], count - 1)


def closely(t: Array, values: Array, picked: Array, close: float = CLOSE) -> Array:
    """Return indices of samples (k, m), with others between them where lines would leave values.

    >>> t = np.arange(100.0)
    >>> closely(t, np.abs(t - 60.0)[:, None], np.array([0, 99])).tolist()
    [0, 60, 99]
    """
    while len(picked) < min(len(t), MAX_ADDED):
        off = np.zeros(len(t))
        for column in values.T:
            line = np.interp(t, t[picked], column[picked])
            off = np.fmax(off, np.abs(column - line))  # a gap is no deviation
        # Of every stretch between picked samples the one that is farthest off.
        stretch = np.repeat(np.arange(len(picked) - 1), np.diff(picked))
        order = np.lexsort((off[:-1], stretch))
        farthest = order[np.append(np.flatnonzero(np.diff(stretch[order])), len(order) - 1)]
        added = farthest[off[farthest] > close]
        if not len(added):
            break
        picked = np.union1d(picked, added)
    return picked


def extremes(t: Array, values: Array, most: int) -> Array:
    """Return the indices of samples (k, m) to keep: the extremes of every stretch of time.

    Parameters
    ----------
    t : ndarray, shape (k,)
        Times [s] that increase.
    values : ndarray, shape (k, m)
        The curves; NaN where they have gaps, whose ends are kept.
    most : int
        How many samples to keep at most, but for the ends of gaps.

    Returns
    -------
    ndarray of int
        Increasing; all of them where there are no more than so many.

    Examples
    --------
    >>> t = np.arange(1000.0)
    >>> y = np.zeros((1000, 1))
    >>> y[777] = 5.0
    >>> 777 in extremes(t, y, 50), len(extremes(t, y, 50)) <= 50
    (True, True)
    """
    count, curves = values.shape
    if count <= most:
        return np.arange(count)
    stretches = max(1, (most - 2) // (2 * curves))
    edges = np.linspace(t[0], t[-1], stretches + 1)[:-1]
    first = np.unique(np.searchsorted(t, edges))
    lengths = np.diff(np.append(first, count))
    number = np.repeat(np.arange(len(first)), lengths)
    kept = [np.array([0, count - 1])]
    for column in values.T:
        finite = np.isfinite(column)
        gaps = np.flatnonzero(finite[1:] != finite[:-1])[:most]
        kept += [gaps, gaps + 1]
        column = np.where(finite, column, np.nan)
        for reduce in (np.fmin.reduceat, np.fmax.reduceat):
            met = np.flatnonzero(column == np.repeat(reduce(column, first), lengths))
            kept.append(met[np.append(True, np.diff(number[met]) > 0)] if len(met) else met)
    return np.unique(np.concatenate(kept))

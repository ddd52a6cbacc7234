"""Paths one after the other: chained and repeated, what a pen draws of them, and what is told.

Where a path begins elsewhere than the one before it ended, a straight line leads there. Between two
paths that are drawn in one go it is a part of them. Where a pen is lifted in either of them, it is
travel: the pen is up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ulna.arrays import Array
from ulna.motion.paths.curves import Concatenation, Cubics, Repetition
from ulna.motion.paths.path import JOINED, WHOLE, Path, intervals

NO_TRAVEL = 1e-12  # of a path's length: what rounding leaves of none


class LayoutNote(str):
    """A note on number, order and size of strokes: of one drawing, and of nothing made of it."""

    __slots__ = ()


def chain(first: Path, second: Path, text: str) -> Path:
    """Return one path and then another, by a straight line if that starts elsewhere."""
    parts = [first, *_bridge(first, second), second]
    if first.duration is None or second.duration is None or len(parts) > 2:
        made = _concatenated(parts, _edges([part.length for part in parts]), text)
    else:
        lasting = [first.duration, second.duration]
        made = replace(_concatenated(parts, _edges(lasting), text), duration=sum(lasting))
    notes = (*first.notes, *second.notes)
    return retold(made, notes, sum(part.length for part in parts))


def repeat(path: Path, count: int, text: str) -> Path:
    """Return a path several times over, straight back to the start in between."""
    back = _bridge(path, path)
    parts = [path, *back]
    lengths = [part.length for part in parts]
    shares = _edges(lengths)
    cycle = _concatenated(parts, shares, "") if back else path
    # The last time ends with the path, before the way back; by the same sum as the strokes below,
    # so that the last of them ends at 1 exactly.
    end = count - 1.0 + float(shares[1])
    times = np.arange(count)
    edges = np.add.outer(times, cycle.breaks[:-1]).ravel() / end
    strokes = np.add.outer(times, np.reshape(cycle.strokes, (-1, 2))).reshape(-1, 2) / end
    made = replace(
        path,
        curve=Repetition(cycle, count, end),
        text=text,
        breaks=(*edges[edges < 1.0 - JOINED / count].tolist(), 1.0),
        duration=None if path.duration is None or back else count * path.duration,
        strokes=WHOLE if path.strokes == WHOLE else intervals(strokes),
    )
    return retold(made, path.notes, count * sum(lengths) - sum(lengths[1:]))


def retold(path: Path, notes: Iterable[str], length: float) -> Path:
    """Return a path with the notes of what it is made of, and its own on strokes.

    The length is in metres, or in units of a drawing without a scale.
    """
    kept = [note for note in dict.fromkeys(notes) if not isinstance(note, LayoutNote)]
    told: list[str] = []
    if len(path.strokes) > 1:
        # Strokes and travel of a drawing share its parameter by their lengths.
        up = 1.0 - sum(last - first for first, last in path.strokes)
        travel = up * length if up > NO_TRAVEL else 0.0
        told = [told_travel(len(path.strokes), travel, fit=path.fit)]
    return replace(path, notes=(*told, *kept))


def told_travel(count: int, travel: float, *, fit: bool, more: str = "") -> str:
    """Describe how many strokes there are, and the travel between them."""
    unit = "units" if fit else "m"
    return LayoutNote(f"{count} strokes, with {travel:.4g} {unit} of travel between them{more}")


def _bridge(first: Path, second: Path) -> list[Path]:
    """Return the straight way to where the second path starts, if that is elsewhere."""
    ends = np.stack([first.ends[1], second.ends[0]])
    if not np.linalg.norm(ends[1] - ends[0]) > JOINED * first.length:
        return []
    in_one_go = first.strokes == second.strokes == WHOLE
    line = Cubics.straight(np.array([0.0, 1.0]), ends)
    return [Path(line, "", strokes=WHOLE if in_one_go else ())]


def _edges(shares: Sequence[float]) -> Array:
    edges = np.concatenate([[0.0], np.cumsum(shares)])
    return np.asarray(edges / edges[-1])


def _concatenated(parts: Sequence[Path], edges: Array, text: str) -> Path:
    """Concatenate paths, each from one edge (k+1,) of the parameter to the next."""
    breaks: list[float] = [0.0]
    for part, start, end in zip(parts, edges[:-1], edges[1:], strict=True):
        breaks += [float(start + (end - start) * edge) for edge in part.breaks[1:]]
    breaks[-1] = 1.0
    return Path(
        Concatenation(tuple(parts), edges),
        text,
        tuple(breaks),
        in_joints=parts[0].in_joints,
        fit=parts[0].fit,
        strokes=_strokes(parts, edges),
    )


def _strokes(parts: Sequence[Path], edges: Array) -> tuple[tuple[float, float], ...]:
    if all(part.strokes == WHOLE for part in parts):
        return WHOLE
    rows = [
        start + wide * np.reshape(part.strokes, (-1, 2))
        for part, start, wide in zip(parts, edges[:-1], np.diff(edges), strict=True)
    ]
    return intervals(np.concatenate(rows))

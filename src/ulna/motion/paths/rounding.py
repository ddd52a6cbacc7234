"""Corners of a path replaced by smooth bends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ulna.arrays import Array
from ulna.motion.paths.curves import RoundedCorners
from ulna.motion.paths.path import BESIDE, Path, intervals

BACK = 0.999  # minus the cosine of a turn: within 2.6 degrees of straight back


def round_corners(path: Path, sizes: Array, text: str) -> Path:
    """Round corners, each with a size of its own (k,) [m], or as far as its neighbours allow.

    What is close to a corner is replaced by a polynomial of fifth degree with the same position,
    direction and curvature at both of its ends, so that the tip can go through without stopping.
    """
    products, speeds = (part[np.isin(path.breaks[1:-1], path.corners)] for part in path._turns)
    # No bend goes round a corner that turns straight back without stopping, nor where a pen stops.
    stops = np.unique(path.strokes)
    turns = np.flatnonzero(~(products < -BACK * speeds) & ~np.isin(path.corners, stops))
    if not len(turns):
        return path
    total, parts = path.length, path.lengths.parts
    corners, sizes = parts(path.corners[turns]), np.asarray(sizes)[turns]
    # Half of the way to the next corner at most, all of it to an end or a stop of the pen.
    to_next = np.diff(np.concatenate([[-corners[0]], corners, [2.0 - corners[-1]]]))
    to_stop = np.abs(np.subtract.outer(corners, parts(stops))).min(axis=1)
    room = np.minimum(0.5 * np.minimum(to_next[:-1], to_next[1:]), to_stop)
    widths = np.minimum(sizes / total, room)
    first, last = corners - widths, corners + widths
    start = path.along(first, np.maximum(first - BESIDE, 0.0))
    end = path.along(last, np.minimum(last + BESIDE, 1.0))
    smooth = path.lengths.parts(np.array(path.breaks[1:-1]))
    edges = np.unique(np.concatenate([[0.0], smooth, first, last, [1.0]]))
    # Bends that meet half way have one edge between them, whatever rounding makes of it.
    apart = np.diff(edges, prepend=-1.0) > BESIDE
    kept = edges[apart & ~np.isin(edges, corners)]
    kept[-1] = 1.0
    curve = RoundedCorners(path, first, last, start, end)
    breaks, strokes = tuple(kept.tolist()), intervals(parts(np.array(path.strokes)))
    return replace(path, curve=curve, text=text, breaks=breaks, duration=None, strokes=strokes)

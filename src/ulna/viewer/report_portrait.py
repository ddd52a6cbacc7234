"""What a report tells of the phase portrait of a joint: the cylinder that figures show as well."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.simulation.run import versions_here
from ulna.viewer import repeat
from ulna.viewer.figure_style import arm_title
from ulna.viewer.phase_plane import (
    COLUMNS,
    ROWS,
    RUNNING,
    TURN,
    BasinPicture,
    PhaseMark,
    basin_picture,
    phase_curves,
    phase_marks,
    rolled,
    wrapped,
)
from ulna.viewer.report_charts import MOST_JOINTS, angle_chart
from ulna.viewer.report_content import add_script, new_document, widen_span
from ulna.viewer.report_tables import add_arm_tables, number_text
from ulna.viewer.web_document import Curve, DocumentBuilder, MotionSpec, closely

if TYPE_CHECKING:
    from ulna.analysis import Portrait
    from ulna.analysis.portraits import Basins

ORBIT_COLOURS = (0, 1, 2, 5, 4, RUNNING)
ODD = ", in an odd turn"
TOLERANCE = 1e-4  # of the page, by which curves with fewer points may be off
MAX_CELLS = 1_000  # of basins along a side


def portrait_document(portrait: Portrait, *, basins: Basins | None = None) -> DocumentBuilder:
    """Return what there is to know of a phase portrait, over basins if they are given."""
    arm, found = portrait.arm, portrait.equilibria
    stable = sum(one.stable for one in found)
    text = f"{len(found)} equilibria, {stable} of them stable" if found else "no equilibrium"
    text += "; a solution runs for ever" if portrait.running is not None else ""
    told = (None, text)
    title = f"Phase portrait of {arm_title(arm)}"
    subtitle = repr(portrait).splitlines()[1].strip()
    builder = new_document("portrait", arm, title, subtitle, told, versions_here())
    builder.planes.append(_phase_plane(builder, portrait, basins))
    curves = []
    for k, orbit in enumerate(portrait.orbits):
        label, run = _start_name(k), orbit.run
        widen_span(builder, run.t)
        builder.motions.append(MotionSpec(label, "run", run.t, run.q, run.tau, run.status.text))
        angle = _angle_in_turn(portrait, run.q[:, 0])
        curves.append(Curve(label, run.t, angle, _orbit_colour(k), label))
        start = f"{orbit.angle:.4g} rad at {orbit.speed:.4g} rad/s"
        builder.finding("info", f"{label}: from {start} it {orbit.fate.name}", 0.0, label)
    if curves:
        builder.charts.append(angle_chart(arm, curves[:MOST_JOINTS]))
    rows = [(one.kind, number_text(one.angle, 7)) for one in found]
    builder.table("Equilibria", ("kind", "angle [rad]"), rows)
    if basins is not None:
        _add_basin_table(builder, basins)
    add_arm_tables(builder, arm)
    return add_script(builder, lambda: repeat.portrait_script(portrait, basins))


def _start_name(number: int) -> str:
    return f"start {number + 1}"


def _orbit_colour(number: int) -> int:
    return ORBIT_COLOURS[number % len(ORBIT_COLOURS)]


def _angle_in_turn(portrait: Portrait, angle: Array) -> Array:
    """Return angles over time as the page has them, with a gap where they cross the seam."""
    if not rolled(portrait):
        return angle
    on_page = wrapped(portrait, angle)
    jumps = np.abs(np.diff(on_page, prepend=on_page[0])) > 0.5 * TURN
    return np.where(jumps, np.nan, on_page)


def _add_basin_table(builder: DocumentBuilder, basins: Basins) -> None:
    shares = [(name, basins.share(number)) for number, name in enumerate(basins.names)]
    rows = [(name, f"{share:.1%}") for name, share in shares if share]
    rows += [("undecided", f"{basins.undecided:.1%}")] if basins.undecided else []
    high, wide = basins.label.shape
    note = f"Of {wide:,} × {high:,} starts on the page."
    builder.table("Basins of attraction", ("fate", "starts"), rows, note)


def _phase_plane(
    builder: DocumentBuilder, portrait: Portrait, basins: Basins | None
) -> dict[str, Any]:
    picture = None if basins is None else basin_picture(basins)
    plane: dict[str, Any] = {
        "id": "phase",
        "title": "Phase plane",
        "x": {"label": "angle", "unit": "°", "factor": math.degrees(1.0)},
        "y": {"label": "speed", "unit": "rad/s", "factor": 1.0},
        "range": {"x": list(portrait.angles), "y": list(portrait.speeds)},
        "field": _field(builder, portrait),
        "curves": list(_curves(builder, portrait, picture)),
        "points": [_point(one) for one in phase_marks(portrait)],
    }
    return plane if picture is None else plane | {"areas": _areas(builder, picture)}


def _field(builder: DocumentBuilder, portrait: Portrait) -> dict[str, Any]:
    """Return where states go: θ̇ and θ̈ on a grid, row by row."""
    angle, speed, acceleration = portrait.field(COLUMNS + 2, ROWS + 2)
    x, y = np.meshgrid(angle[1:-1], speed[1:-1])
    columns = {"x": x, "y": y, "dx": y, "dy": acceleration[1:-1, 1:-1]}
    field = {name: builder.column(values.ravel()) for name, values in columns.items()}
    return field | {"columns": COLUMNS}


def _curves(
    builder: DocumentBuilder, portrait: Portrait, picture: BasinPicture | None
) -> Iterator[dict[str, Any]]:
    for curve in phase_curves(portrait, picture):
        angle, speed = visible_parts(portrait, curve.angle, curve.speed)
        if not len(angle):
            continue
        made: dict[str, Any] = {"x": builder.column(angle), "y": builder.column(speed)}
        made |= {"role": curve.role, "color": curve.colour, "label": curve.label}
        if curve.role == "orbit":
            name = _start_name(curve.number)
            made |= {"color": _orbit_colour(curve.number), "label": name, "about": curve.label}
        yield made


def _point(mark: PhaseMark) -> dict[str, Any]:
    made: dict[str, Any] = {"x": mark.angle, "y": mark.speed, "role": mark.role}
    if mark.role in ("start", "stop"):
        return made | {"color": _orbit_colour(mark.number)}
    return made | {"label": mark.label}


def _areas(builder: DocumentBuilder, picture: BasinPicture) -> dict[str, Any]:
    """Return basins as numbers of tints, at most so many cells along a side."""
    rows, columns = (
        np.arange(min(size, MAX_CELLS)) * size // min(size, MAX_CELLS)
        for size in picture.cells.shape
    )
    cells = picture.cells[np.ix_(rows, columns)]
    if cells.size < picture.cells.size:
        high, wide = picture.cells.shape
        told = f"The page shows {len(columns):,} × {len(rows):,} of {wide:,} × {high:,} starts."
        builder.notes.append(told)
    return {
        "cells": builder.column(cells.ravel(), "u8"),
        "columns": len(columns),
        "extent": list(picture.extent),
        "tints": [
            {"label": f"{one.label}{ODD * one.odd}", "color": one.colour, "depth": one.depth}
            for one in picture.tints
        ],
    }


def visible_parts(portrait: Portrait, angle: Array, speed: Array) -> tuple[Array, Array]:
    """Return the parts of a curve on the page, with NaN between them and few points on each.

    Parameters
    ----------
    portrait : Portrait
        The page.
    angle, speed : ndarray, shape (k,)
        The curve [rad, rad/s], with NaN where it is interrupted.

    Returns
    -------
    angle, speed : ndarray
        Some of its points. Lines between them are off by `TOLERANCE` of the page at most.
    """
    ranges = np.array([portrait.angles, portrait.speeds])
    place = (np.stack([angle, speed], axis=-1) - ranges[:, 0]) / np.ptp(ranges, axis=1)
    sides = np.concatenate([place < 0.0, place > 1.0], axis=-1)
    known = np.isfinite(place).all(axis=-1)
    visible = known[1:] & known[:-1] & ~(sides[1:] & sides[:-1]).any(axis=-1)
    edges = np.flatnonzero(np.diff(visible, prepend=False, append=False)).reshape(-1, 2)
    points = np.stack([angle, speed], axis=-1)
    parts = []
    for first, last in edges:
        part = place[first : last + 1]
        ends = np.array([0, len(part) - 1])
        kept = closely(np.arange(len(part)), part, ends, TOLERANCE / math.sqrt(2.0))
        parts += [points[first + kept], np.full((1, 2), np.nan)]
    x, y = np.concatenate(parts[:-1]).T if parts else np.empty((2, 0))
    return x, y

"""The strokes of an SVG file: what its shapes draw, as exact pieces on its page, y down.

The page is in CSS pixels, 1/96 in, from its upper left corner. svgelements applies styles and
transforms, and reads shapes. What is not drawn stays out: definitions, and whatever is hidden. Text
and images are not drawn either, and clips, masks, markers and dashes are not applied: that is told.
"""

from __future__ import annotations

import math
from collections import defaultdict
from io import BytesIO
from typing import Any, NamedTuple
from xml.etree.ElementTree import tostring

from ulna.errors import InputError, Problem, import_extra, listed, shown
from ulna.motion.paths.curve_segments import (
    CurveSegment,
    CurveSegments,
    bezier,
    without_standstill,
)
from ulna.motion.paths.svg_syntax import SHAPES
from ulna.motion.paths.svg_tree import FEWER, MARKERS, MAX_PIECES, NAME, PAINTS, SvgTree, read_svg

MAX_UNIT = 1e6  # [px]
HIDDEN = ("hidden", "collapse")
IDLE = ("none", "inherit", "initial", "unset", "")  # values that do nothing
NO_SIZE = "the file has no width or height in units of length: a unit is a CSS pixel, 1/96 in"
NO_PAGE = "the file has no page: the origin is the lower left corner of the box around the drawing"
# What is told of elements, by what they are or have; {} stands for them.
TOLD = {
    "text": "{} is not drawn; turn it into outlines: in Inkscape, Path > Object to Path",
    "image": "{} is not drawn; trace it: in Inkscape, Path > Trace Bitmap",
    "foreignObject": "{} is not drawn: it holds no shapes of SVG",
    "clip-path": "clip paths are not applied: all of {} is drawn",
    "mask": "masks are not applied: all of {} is drawn",
    **dict.fromkeys(MARKERS, "markers, such as arrowheads, are not drawn: {} has some"),
    "stroke-dasharray": "dashed lines are drawn as full ones: {} is dashed",
    "geometry": "styles do not move or shape elements here: {} is drawn as its attributes have it",
    "rule": "style rules for {} are not read: what they hide is drawn",
}


class Page(NamedTuple):
    """The page of a drawing.

    Attributes
    ----------
    unit : float
        The width [px] of one unit of the drawing.
    height : float, optional
        The height [px]; None where the file does not say.
    notes : list of str
        What was assumed of its size.
    """

    unit: float
    height: float | None
    notes: list[str]


def read_strokes(text: str, file: str) -> tuple[list[CurveSegments], Page, list[str]]:
    """Return the strokes of a drawing [px], its page, and notes on what is not drawn.

    Strokes are seen from the upper left corner of the page, y down.
    """
    library = import_extra("svgelements", "draw", "an .svg file")
    tree = read_svg(text, file)
    drawing = library.SVG.parse(BytesIO(tostring(tree.root)), reify=False)
    strokes: list[CurveSegments] = []
    pieces = 0
    told: dict[str, list[str]] = defaultdict(list)
    for element in [] if drawing is None else drawing.elements():
        own = element.values["attributes"]
        if element.values.get("visibility", "").lower() in HIDDEN:
            continue
        if tree.knows_paints and all(element.values.get(paint) == "none" for paint in PAINTS):
            continue
        for sentence in _sentences(own):
            told[sentence].append(own[NAME])
        found = _strokes(element) if own["tag"] in SHAPES else []
        strokes += found
        pieces += sum(map(len, found))
        if pieces > MAX_PIECES:
            got = f"more than {MAX_PIECES:,} lines and curves"
            raise InputError(Problem("svg", got, FEWER, place=file))
    if tree.unread:
        told[TOLD["rule"]] = [shown(selector) for selector in tree.unread]
    notes = [sentence.format(listed(names)) for sentence, names in told.items()]
    if not strokes:
        notes.append("what is empty, hidden, or neither filled nor stroked is not drawn")
        need = "a path, rect, circle, ellipse, line, polyline or polygon"
        raise InputError(Problem("svg", "no shape", need, "; ".join(notes), file))
    unit = library.Matrix(drawing.viewbox_transform).a
    if not 1.0 / MAX_UNIT < unit < MAX_UNIT:
        got, need = f"a viewBox in units of {unit:g} px", "a unit of a usual size"
        raise InputError(Problem("svg", got, need, place=file))
    return strokes, _page(tree, unit), notes


def _page(tree: SvgTree, unit: float) -> Page:
    no_page = math.isnan(tree.height)
    notes = [NO_SIZE] * (not tree.physical) + [NO_PAGE] * no_page
    return Page(unit, None if no_page else tree.height, notes)


def _sentences(own: dict[str, str]) -> list[str]:
    """Return what is told of an element by its own attributes and styles."""
    kinds = [name for name in TOLD.keys() & own.keys() if own[name].lower() not in IDLE]
    # What needs an extension of some program is nothing that others show.
    if own["tag"] in TOLD and "requiredExtensions" not in own:
        kinds.append(own["tag"])
    return sorted({TOLD[kind] for kind in kinds})


def _strokes(shape: Any) -> list[CurveSegments]:
    strokes: list[list[CurveSegment]] = []
    for segment in shape.segments(transformed=False):
        kind = type(segment).__name__
        if kind == "Move" or not strokes:
            strokes.append([])
        if kind != "Move":
            # After a close a path may go on without a move: from where it closed.
            strokes[-1] += without_standstill(_piece(segment, kind))
    m = shape.transform
    turn, mirror = complex(m.a + m.d, m.b - m.c), complex(m.a - m.d, m.b + m.c)
    return [
        CurveSegments.of(pieces).mapped(0.5 * turn, 0.5 * mirror, complex(m.e, m.f))
        for pieces in strokes
        if pieces
    ]


def _piece(segment: Any, kind: str) -> CurveSegment:
    if kind != "Arc":
        return bezier(*(complex(*point) for point in segment))
    if not segment.sweep:
        return bezier(complex(*segment.start), complex(*segment.end))
    middle = complex(*segment.center)
    axes = complex(*segment.prx) - middle, complex(*segment.pry) - middle
    return CurveSegment((middle, 0.0, 0.0, 0.0), *axes, segment.get_start_t(), segment.sweep)

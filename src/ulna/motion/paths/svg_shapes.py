"""The shapes of SVG as strokes of exact pieces, in drawing units, y down.

Attributes are checked before anything is done with them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

from ulna.errors import InputError, Problem, import_extra, shown
from ulna.motion.paths.curve_segments import CurveSegment, bezier

# CSS pixels, and so drawing units, in a unit: an inch has 96 of them.
UNITS = {
    "": 1.0,
    "px": 1.0,
    "in": 96.0,
    "cm": 96.0 / 2.54,
    "mm": 96.0 / 25.4,
    "Q": 96.0 / 101.6,
    "pt": 96.0 / 72.0,
    "pc": 16.0,
}
LARGEST = 1e100
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LENGTH = re.compile(rf"({NUMBER.pattern})\s*({'|'.join(filter(None, UNITS))}|)")
COMMANDS = re.compile(r"[\s,MmZzLlHhVvCcSsQqTtAa]*")
QUARTER = 0.5 * math.pi

Attributes: TypeAlias = Mapping[str, str]
Stroke: TypeAlias = list[CurveSegment]


def refusal(got: str, need: str) -> InputError:
    """Return the error of an element; the caller adds which element and where."""
    return InputError(Problem("", got, need))


def lengths(given: Attributes, *names: str) -> list[float | None]:
    """Read lengths in drawing units, None where there is none."""
    return [_length(name, given.get(name, "auto").strip()) for name in names]


def _length(name: str, text: str) -> float | None:
    match = LENGTH.fullmatch(text)
    if match and abs(float(match[1])) < LARGEST:
        return float(match[1]) * UNITS[match[2]]
    if text == "auto":
        return None
    need = "a number, alone or in " + ", ".join(filter(None, UNITS))
    raise refusal(f"{name}={shown(text)}", need)


def _sizes(*given: float | None) -> list[float]:
    sizes = [size or 0.0 for size in given]
    if min(sizes) < 0.0:
        raise refusal(f"a size of {min(sizes):g}", "at least 0")
    return sizes


def _path(given: Attributes) -> list[Stroke]:
    svgelements = import_extra("svgelements", "draw", "an .svg file")
    data = given.get("d", "").strip()
    if data in ("", "none"):
        return []
    try:
        if data[0] in "Mm" and COMMANDS.fullmatch(NUMBER.sub("", data)):
            return _strokes(svgelements.Path(data))
    except (ValueError, AttributeError, TypeError, IndexError, ArithmeticError):
        pass
    raise refusal(shown(data), "path data such as 'M 0 0 L 10 5'")


def _strokes(segments: Iterable[Any]) -> list[Stroke]:
    strokes: list[Stroke] = []
    for segment in segments:
        kind = type(segment).__name__
        if kind == "Move" or not strokes:
            strokes.append([])
        if kind != "Move":
            # After a close a path may go on without a move: from where it closed.
            strokes[-1].append(_segment(segment, kind))
    return strokes


def _segment(segment: Any, kind: str) -> CurveSegment:
    start, end = complex(*segment.start), complex(*segment.end)
    match kind:
        case "QuadraticBezier":
            return bezier(start, complex(*segment.control), end)
        case "CubicBezier":
            return bezier(start, complex(*segment.control1), complex(*segment.control2), end)
        case "Arc" if segment.sweep:
            middle = complex(*segment.center)
            axes = complex(*segment.prx) - middle, complex(*segment.pry) - middle
            return CurveSegment(
                (middle, 0.0, 0.0, 0.0), *axes, segment.get_start_t(), segment.sweep
            )
    return bezier(start, end)


def _joined(corners: list[complex]) -> list[Stroke]:
    return [[bezier(here, there) for here, there in pairwise(corners)]]


def _corners(given: Attributes) -> list[complex]:
    data = given.get("points", "")
    values = [float(number) for number in NUMBER.findall(data)]
    if len(values) % 2 or NUMBER.sub("", data).strip(", \t\r\n"):
        raise refusal(shown(data), "points such as '0,0 10,5'")
    return [complex(x, y) for x, y in zip(values[::2], values[1::2], strict=True)]


def _polyline(given: Attributes) -> list[Stroke]:
    return _joined(_corners(given))


def _polygon(given: Attributes) -> list[Stroke]:
    corners = _corners(given)
    return _joined([*corners, *corners[:1]])


def _line(given: Attributes) -> list[Stroke]:
    x1, y1, x2, y2 = (value or 0.0 for value in lengths(given, "x1", "y1", "x2", "y2"))
    return _joined([complex(x1, y1), complex(x2, y2)])


def _circle(given: Attributes) -> list[Stroke]:
    x, y, radius = lengths(given, "cx", "cy", "r")
    return _round(x, y, radius, radius)


def _ellipse(given: Attributes) -> list[Stroke]:
    x, y, wide, high = lengths(given, "cx", "cy", "rx", "ry")
    return _round(x, y, high if wide is None else wide, wide if high is None else high)


def _round(x: float | None, y: float | None, *radii: float | None) -> list[Stroke]:
    wide, high = _sizes(*radii)
    if not (wide and high):
        return []
    return [[_arc(complex(x or 0.0, y or 0.0), wide, high, 0.0, 4.0)]]


def _arc(middle: complex, wide: float, high: float, first: float, quarters: float) -> CurveSegment:
    return CurveSegment(
        (middle, 0.0, 0.0, 0.0),
        complex(wide),
        complex(0.0, high),
        first * QUARTER,
        quarters * QUARTER,
    )


def _rectangle(given: Attributes) -> list[Stroke]:
    """Go round from the left end of the upper edge on, as browsers do."""
    x, y, *sizes = lengths(given, "x", "y", "width", "height")
    left, top = x or 0.0, y or 0.0
    rx, ry = lengths(given, "rx", "ry")
    wide, high, rx, ry = _sizes(*sizes, ry if rx is None else rx, rx if ry is None else ry)
    if not (wide and high):
        return []
    rx, ry = min(rx, 0.5 * wide), min(ry, 0.5 * high)
    right, low = left + wide, top + high
    if not (rx and ry):
        corners = [complex(x, y) for x in (left, right) for y in (top, low)]
        return _joined([corners[k] for k in (0, 2, 3, 1, 0)])
    # The spokes of a corner's ellipse: up, right, down, left, and up again.
    spokes = [complex(0.0, -ry), complex(rx), complex(0.0, ry), complex(-rx), complex(0.0, -ry)]
    inner = [
        (right - rx, top + ry),
        (right - rx, low - ry),
        (left + rx, low - ry),
        (left + rx, top + ry),
    ]
    stroke: Stroke = []
    here = complex(left + rx, top)
    for quarter, middle in enumerate(complex(*corner) for corner in inner):
        stroke += [bezier(here, middle + spokes[quarter]), _arc(middle, rx, ry, quarter - 1.0, 1.0)]
        here = middle + spokes[quarter + 1]
    return [stroke]


SHAPES: Mapping[str, Callable[[Attributes], list[Stroke]]] = {
    "path": _path,
    "rect": _rectangle,
    "circle": _circle,
    "ellipse": _ellipse,
    "line": _line,
    "polyline": _polyline,
    "polygon": _polygon,
}

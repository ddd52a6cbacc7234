"""The strokes of an SVG file: what its shapes draw, as exact pieces in drawing units.

Groups, transforms, nested drawings and copies (`use`) are worked out. What is not drawn stays out:
definitions, clips, masks, symbols, and whatever is not displayed. Text is not drawn either.
"""

from __future__ import annotations

import cmath
import math
import re
from dataclasses import dataclass, field, replace

import numpy as np

from ulna.errors import InputError, Problem, shown
from ulna.motion.curve_segments import CurveSegments, without_standstill
from ulna.motion.svg_shapes import NUMBER, SHAPES, lengths, refusal
from ulna.motion.svg_tree import DEEPEST, MOST_ELEMENTS, Element, read_tree

MOST_NUMBERS = 40_000  # in the data of all paths
MOST_PIECES = 5_000
TRANSFORM = re.compile(r"\s*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([^()]*\)[\s,]*)*")
INSIDE = re.compile(r"\(([^()]*)\)")
ARGUMENTS = re.compile(rf"\s*{NUMBER.pattern}[a-z%]*(?:[\s,]*{NUMBER.pattern}[a-z%]*)*\s*")
HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)")
CONTAINERS = ("svg", "g", "a", "switch")


def read_strokes(text: str, file: str) -> list[CurveSegments]:
    """Return the strokes of a drawing, one after the other, y pointing down as in the file."""
    root = read_tree(text, file)
    reader = _StrokeReader(file, _named(root))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN is refused as a whole
        for child in root.children:
            reader.element(child, _Map(), 1)
    if not reader.strokes:
        got = "text only" if reader.texts else "no shape"
        need = "a path, rect, circle, ellipse, line, polyline or polygon"
        hint = "turn text into paths where it was drawn" if reader.texts else ""
        raise InputError(Problem("svg", got, need, hint, file))
    return reader.strokes


def _named(root: Element) -> dict[str, Element]:
    named: dict[str, Element] = {}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if "id" in element.attributes:
            named.setdefault(element.attributes["id"], element)
        waiting += reversed(element.children)
    return named


@dataclass(frozen=True)
class _Map:
    """An affine map z → turn·z + mirror·z̄ + shift."""

    turn: complex = 1.0
    mirror: complex = 0.0
    shift: complex = 0.0

    def after(self, a: float, b: float, c: float, d: float, e: float, f: float) -> _Map:
        """Return this map of what SVG's matrix makes: x' = a x + c y + e, y' = b x + d y + f."""
        turn, mirror = 0.5 * complex(a + d, b - c), 0.5 * complex(a - d, b + c)
        shift = complex(e, f)
        return _Map(
            self.turn * turn + self.mirror * mirror.conjugate(),
            self.turn * mirror + self.mirror * turn.conjugate(),
            self.turn * shift + self.mirror * shift.conjugate() + self.shift,
        )

    def moved(self, x: float | None, y: float | None) -> _Map:
        return self.after(1.0, 0.0, 0.0, 1.0, x or 0.0, y or 0.0)


@dataclass
class _StrokeReader:
    """Walks through the elements of a drawing, gathering strokes."""

    file: str
    named: dict[str, Element]
    strokes: list[CurveSegments] = field(default_factory=list)
    drawn: dict[int, list[CurveSegments]] = field(default_factory=dict)  # of elements, for copies
    met: int = 0  # elements, those of copies again
    numbers: int = 0
    pieces: int = 0
    texts: int = 0

    def element(self, element: Element, around: _Map, depth: int) -> None:
        self.met += 1
        try:
            self._check(self.met <= MOST_ELEMENTS and depth <= DEEPEST, "copies without end")
            if _is_hidden(element):
                return
            here = around.after(*_matrix(element.attributes.get("transform", "")))
            self._check_map(here)
            if element.name in SHAPES:
                self._draw(element, here)
                return
            here, children = self._opened(element, here)
            self._check_map(here)
        except InputError as error:
            place = f"{self.file}:{element.line}"
            raise InputError(p.within(element.name).at(place) for p in error.problems) from None
        self.texts += element.name == "text"
        for child in children:
            self.element(child, here, depth + 1)

    def _opened(self, element: Element, here: _Map) -> tuple[_Map, list[Element]]:
        """Return what an element holds, and the map that it is seen through."""
        if element.name == "use":
            x, y = lengths(element.attributes, "x", "y")
            return here.moved(x, y), [self._original(element.attributes.get("href", ""))]
        if element.name == "svg":
            here = _nested(element, here)
        return here, element.children if element.name in CONTAINERS else []

    def _original(self, name: str) -> Element:
        found = self.named.get(name[1:]) if name.startswith("#") else None
        if found is None:
            raise refusal(f"a copy of {shown(name)}", "a copy of an element of this file")
        return replace(found, name="g") if found.name == "symbol" else found

    def _draw(self, element: Element, here: _Map) -> None:
        if id(element) not in self.drawn:
            self.drawn[id(element)] = self._strokes(element)
        for stroke in self.drawn[id(element)]:
            self.pieces += len(stroke)
            self._check(self.pieces <= MOST_PIECES, f"more than {MOST_PIECES:,} lines and curves")
            self.strokes.append(stroke.mapped(here.turn, here.mirror, here.shift))

    def _strokes(self, element: Element) -> list[CurveSegments]:
        for data in (element.attributes.get(name, "") for name in ("d", "points")):
            self.numbers += len(NUMBER.findall(data))
        self._check(self.numbers <= MOST_NUMBERS, f"more than {MOST_NUMBERS:,} numbers in paths")
        shape = SHAPES[element.name](element.attributes)
        strokes = [
            [part for piece in stroke for part in without_standstill(piece)] for stroke in shape
        ]
        made = [CurveSegments.of(stroke) for stroke in strokes if stroke]
        if not all(stroke.finite for stroke in made):
            raise refusal("a number too large to be one", "finite numbers")
        return made

    def _check_map(self, here: _Map) -> None:
        if not all(map(cmath.isfinite, (here.turn, here.mirror, here.shift))):
            raise refusal("transforms that lead beyond all numbers", "smaller ones")

    def _check(self, fine: bool, got: str) -> None:
        if not fine:
            raise refusal(got, "fewer: simplify the drawing")


def _is_hidden(element: Element) -> bool:
    given = element.attributes
    if given.get("display") == "none" or given.get("visibility") == "hidden":
        return True
    return bool(HIDDEN.search(given.get("style", "")))


def _matrix(text: str) -> list[float]:
    """Read the list of transforms that SVG has."""
    if not text:
        return [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    from svgelements import Matrix

    try:
        if TRANSFORM.fullmatch(text):
            m = Matrix(text)
            values = [float(value) for value in (m.a, m.b, m.c, m.d, m.e, m.f)]
            if _has_numbers(text) and all(map(math.isfinite, values)):
                return values
    except (ValueError, TypeError, IndexError, ArithmeticError):
        pass
    raise refusal(f"transform={shown(text)}", "one such as 'translate(10, 5) rotate(30)'")


def _has_numbers(text: str) -> bool:
    """Return whether every transform of a list has numbers, and nothing but those and units."""
    return all(ARGUMENTS.fullmatch(part) for part in INSIDE.findall(text))


def _nested(element: Element, around: _Map) -> _Map:
    """Return the map into a drawing within a drawing, whose view box is fitted into its place."""
    x, y, width, height = lengths(element.attributes, "x", "y", "width", "height")
    here = around.moved(x, y)
    text = element.attributes.get("viewBox", "")
    if text.strip() and not ARGUMENTS.fullmatch(text):
        raise refusal(f"viewBox={shown(text)}", "four numbers such as '0 0 100 50'")
    box = [float(number) for number in NUMBER.findall(text)]
    if len(box) != 4 or not (box[2] > 0.0 and box[3] > 0.0):
        return here
    wide, high = box[2] if width is None else width, box[3] if height is None else height
    size = min(wide / box[2], high / box[3])
    left, top = 0.5 * (wide - size * box[2]), 0.5 * (high - size * box[3])
    return here.after(size, 0.0, 0.0, size, left - size * box[0], top - size * box[1])

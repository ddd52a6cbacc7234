"""The strokes of an SVG file: what its shapes draw, as exact pieces in drawing units, y down.

Groups, transforms, nested drawings and copies (`use`) are worked out. What is not drawn stays out:
definitions, clips, masks, symbols, and whatever is not displayed. Text is not drawn either.

Elements are checked before anything is done with them. What a hostile file can hold is refused as
it is met: document types, entities, nesting without end, more elements or path data than any
drawing for an arm has.
"""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ulna.errors import InputError, Problem, rewording, shown
from ulna.motion.paths.curve_segments import CurveSegment, CurveSegments, bezier, without_standstill

DEEPEST = 100  # elements within one another
MOST_ELEMENTS = 50_000
MOST_DATA = 1_000_000  # characters of an attribute
NAMESPACE = "http://www.w3.org/2000/svg"
# Drawing units in a unit: CSS has 96 of them in an inch.
UNITS = {"": 1.0, "px": 1.0, "in": 96.0, "cm": 96.0 / 2.54, "mm": 96.0 / 25.4, "pt": 96.0 / 72.0}
LARGEST = 1e100
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
LENGTH = re.compile(rf"({NUMBER.pattern})\s*(px|in|cm|mm|pt|)")
COMMANDS = re.compile(r"[\s,MmZzLlHhVvCcSsQqTtAa]*")
QUARTER = 0.5 * math.pi

Attributes: TypeAlias = Mapping[str, str]
Stroke: TypeAlias = list[CurveSegment]
MOST_NUMBERS = 40_000  # in the data of all paths
MOST_PIECES = 5_000
TRANSFORM = re.compile(r"\s*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([^()]*\)[\s,]*)*")
INSIDE = re.compile(r"\(([^()]*)\)")
ARGUMENTS = re.compile(rf"\s*{NUMBER.pattern}[a-z%]*(?:[\s,]*{NUMBER.pattern}[a-z%]*)*\s*")
HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)")
CONTAINERS = ("svg", "g", "a", "switch")
OUTLINES = "in Inkscape, Path > Object to Path"
MOST_WORDS = 200  # letters of a text that are kept to name it


def read_strokes(text: str, file: str) -> tuple[list[CurveSegments], list[str]]:
    """Return the strokes of a drawing, y pointing down as in the file, and which texts it leaves.

    Texts are named by element, line and what they say.
    """
    root = read_tree(text, file)
    reader = _StrokeReader(file, _named(root))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN is refused as a whole
        for child in root.children:
            reader.element(child, _Map(), 1)
    if not reader.strokes:
        got = "text only" if reader.texts else "no shape"
        need = "a path, rect, circle, ellipse, line, polyline or polygon"
        hint = f"turn {reader.texts[0]} into outlines: {OUTLINES}" if reader.texts else ""
        raise InputError(Problem("svg", got, need, hint, file))
    return reader.strokes, reader.texts


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
    texts: list[str] = field(default_factory=list)

    def element(self, element: Element, around: _Map, depth: int) -> None:
        place = f"{self.file}:{element.line}"
        with rewording(lambda problem: problem.within(element.name).at(place)):
            here, children = self._met(element, around, depth)
        for child in children:
            self.element(child, here, depth + 1)

    def _met(self, element: Element, around: _Map, depth: int) -> tuple[_Map, list[Element]]:
        """Draw an element, or return what it holds, and the map that that is seen through."""
        self.met += 1
        self._check(self.met <= MOST_ELEMENTS and depth <= DEEPEST, "copies without end")
        if _is_hidden(element):
            return around, []
        here = around.after(*_matrix(element.attributes.get("transform", "")))
        self._check_map(here)
        if element.name in SHAPES:
            self._draw(element, here)
            return here, []
        here, children = self._opened(element, here)
        self._check_map(here)
        if element.name == "text":
            self.texts.append(_named_text(element))
        return here, children

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


def _named_text(element: Element) -> str:
    name = element.attributes.get("id", "")
    told = f"<text id={shown(name)}>" if name else "<text>"
    said = " ".join(element.words.split())
    return f"{told} in line {element.line}" + (f" ({shown(said)})" if said else "")


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
    import svgelements

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


@dataclass(eq=False)
class Element:
    """An element: its name without namespace, attributes, children and line."""

    name: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    words: str = ""  # of a text, to name it


def read_tree(text: str, file: str) -> Element:
    """Return the root element of a file that is safe and well-formed."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    builder = _Builder(file)
    parser = DefusedXMLParser(target=builder, encoding="utf-8", forbid_dtd=True)
    builder.expat = parser.parser
    try:
        parser.feed(text.encode("utf-8", "surrogatepass"))
        parser.close()
    except DefusedXmlException:
        got, need = "a document type or entities", "elements only"
        hint = "remove <!DOCTYPE ...>, and what it defines"
        raise InputError(Problem("svg", got, need, hint, builder.place)) from None
    except ParseError as error:
        place = f"{file}:{error.position[0]}"
        raise InputError(Problem("svg", str(error), "well-formed XML", "", place)) from None
    root = builder.root
    if root is None or root.name != "svg":
        got = f"<{root.name[:40]}>" if root else "nothing"
        raise InputError(Problem("svg", got, "<svg> as the outermost element", place=file))
    return root


class _Builder:
    """What the parser tells about elements, as it meets them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.expat: object = None

    @property
    def place(self) -> str:
        return f"{self.file}:{getattr(self.expat, 'CurrentLineNumber', 1)}"

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        if len(self.open) >= DEEPEST:
            self.refuse("elements nested too deep", f"at most {DEEPEST} within one another")
        if self.count > MOST_ELEMENTS:
            self.refuse("too many elements", f"at most {MOST_ELEMENTS:,}")
        if any(len(value) > MOST_DATA for value in attributes.values()):
            self.refuse("too much path data", f"at most {MOST_DATA:,} characters of it")
        line = getattr(self.expat, "CurrentLineNumber", 1)
        plain = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        element = Element(_plain(tag), plain, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def data(self, words: str) -> None:
        """Keep the beginning of a text; leave the others out."""
        text = next((one for one in self.open if one.name == "text"), None)
        if text is not None and len(text.words) < MOST_WORDS:
            text.words += words[:MOST_WORDS]

    def close(self) -> None:
        """Leave the root where it is."""

    def refuse(self, got: str, need: str) -> None:
        raise InputError(Problem("svg", got, need, "simplify the drawing", self.place))


def _plain(tag: str) -> str:
    """Return an element's name; one of another namespace keeps it, and so is no shape."""
    space, _, name = tag.rpartition("}")
    return name if space in ("", "{" + NAMESPACE) else tag

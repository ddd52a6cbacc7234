"""The strokes of an SVG file: what its shapes draw, as exact pieces on its page, y down.

The page is in CSS pixels, 1/96 in, from its upper left corner: width, height, viewBox and
preserveAspectRatio of the file say how long a unit of the drawing is. Groups, transforms, nested
drawings, symbols and copies (`use`) are worked out. What is not drawn stays out: definitions, and
whatever is hidden. Text and images are not drawn either, and clips, masks, markers and dashes are
not applied: that is told.
"""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ulna.errors import InputError, Problem, import_extra, rewording, shown
from ulna.motion.paths.curve_segments import CurveSegments, without_standstill
from ulna.motion.paths.svg_shapes import LARGEST, NUMBER, SHAPES, lengths, refusal
from ulna.motion.paths.svg_tree import (
    DEEPEST,
    GEOMETRY,
    MOST_ELEMENTS,
    Element,
    Styles,
    read_tree,
)

MOST_NUMBERS = 40_000  # in the data of all paths
MOST_PIECES = 5_000
TRANSFORM = re.compile(r"\s*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([^()]*\)[\s,]*)*")
INSIDE = re.compile(r"\(([^()]*)\)")
# Digits can be parted into numbers in many ways: what a number has taken it keeps.
ARGUMENT = rf"(?>{NUMBER.pattern}[a-z%]*)"
ARGUMENTS = re.compile(rf"\s*{ARGUMENT}(?:[\s,]*{ARGUMENT})*+\s*")
PERCENT = re.compile(rf"({NUMBER.pattern})\s*%")
ASPECT = re.compile(r"\s*(?:defer\s+)?(?:none|x(Min|Mid|Max)Y(Min|Mid|Max))(?:\s+(meet|slice))?\s*")
SHARES = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
CONTAINERS = ("svg", "g", "a", "switch")
VIEWPORTS = ("svg", "symbol")
NO_SIZE = "the file has no width or height in units of length: a unit is a CSS pixel, 1/96 in"
NO_PAGE = "the file has no page: the origin is the lower left corner of the box around the drawing"
OUTLINES = "in Inkscape, Path > Object to Path"
TRACED = "in Inkscape, Path > Trace Bitmap"
# What is told of elements, by what they are or have; {} is the first of them.
TOLD = {
    "image": f"{{}} is not drawn; to draw its lines, trace it: {TRACED}",
    "foreignObject": "{} is not drawn: it holds no shapes of SVG",
    "clip-path": "clip paths are not applied: all of {} is drawn",
    "mask": "masks are not applied: all of {} is drawn",
    "marker": "markers, such as arrowheads, are not drawn: {} has some",
    "stroke-dasharray": "dashed lines are drawn as full ones: {} is dashed",
    "geometry": "styles do not move or shape elements here: {} is drawn as its attributes have it",
}


class Page(NamedTuple):
    """The page of a drawing.

    Attributes
    ----------
    unit : float
        The width [px] of one unit of the drawing.
    height : float, optional
        The height [px]; None where the file does not say.
    notes : tuple of str
        What was assumed of its size.
    """

    unit: float
    height: float | None
    notes: tuple[str, ...]


class SvgStrokes(NamedTuple):
    """The strokes of a drawing [px], its page, and notes on what is not drawn."""

    strokes: list[CurveSegments]
    page: Page
    notes: list[str]


def read_strokes(text: str, file: str) -> SvgStrokes:
    """Return the strokes of a drawing, from the upper left corner of its page, y down."""
    root = read_tree(text, file)
    sheets = (element.words for element in root.walk() if element.name == "style")
    reader = _StrokeReader(file, _named(root), Styles(sheets))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN is refused as a whole
        page = reader.root(root)
    if not reader.strokes:
        raise _nothing_drawn(reader, root, file)
    return SvgStrokes(reader.strokes, page, list(reader.told()))


def _nothing_drawn(reader: _StrokeReader, root: Element, file: str) -> InputError:
    need = "a path, rect, circle, ellipse, line, polyline or polygon"
    got, hint = "no shape", ""
    image, foreign = (reader.left.get(name) for name in ("image", "foreignObject"))
    if reader.hides and any(element.name in SHAPES for element in root.walk()):
        got, hint = "hidden shapes only", "show them: display and visibility hide them"
    elif reader.texts:
        got, hint = "text only", f"turn {reader.texts[0]} into outlines: {OUTLINES}"
    elif image:
        got, hint = f"{image[0]} only", f"trace it: {TRACED}"
    elif foreign:
        got = f"{foreign[0]} only"
    return InputError(Problem("svg", got, need, hint, file))


def _named(root: Element) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for element in root.walk():
        if "id" in element.attributes:
            named.setdefault(element.attributes["id"], element)
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


@dataclass(frozen=True)
class _View:
    """What elements are seen through: a map, and a viewport if its size is known."""

    map: _Map = _Map()
    width: float | None = None
    height: float | None = None
    visible: bool = True


@dataclass
class _StrokeReader:
    """Walks through the elements of a drawing, gathering strokes."""

    file: str
    named: dict[str, Element]
    styles: Styles
    strokes: list[CurveSegments] = field(default_factory=list)
    drawn: dict[int, list[CurveSegments]] = field(default_factory=dict)  # of elements, for copies
    met: int = 0  # elements, those of copies again
    numbers: int = 0
    pieces: int = 0
    texts: list[str] = field(default_factory=list)
    left: dict[str, tuple[Element, int]] = field(default_factory=dict)  # the first, and how many
    hides: bool = False  # whether something is hidden

    def root(self, root: Element) -> Page:
        style = self.styles.of(root)
        with rewording(lambda problem: problem.within("svg").at(f"{self.file}:{root.line}")):
            view, page = _open_page(root)
            self._check_map(view.map)
        if style.get("display") == "none":
            self.hides = True
            return page
        view = replace(view, visible=_is_visible(style, True))
        for child in root.children:
            self.element(child, view, 1)
        return page

    def element(self, element: Element, around: _View, depth: int) -> None:
        place = f"{self.file}:{element.line}"
        with rewording(lambda problem: problem.within(element.name).at(place)):
            here, children = self._met(element, around, depth)
        for child in children:
            self.element(child, here, depth + 1)

    def _met(self, element: Element, around: _View, depth: int) -> tuple[_View, list[Element]]:
        """Draw an element, or return what it holds, and what that is seen through."""
        self.met += 1
        self._check(self.met <= MOST_ELEMENTS and depth <= DEEPEST, "copies without end")
        style = self.styles.of(element)
        if style.get("display") == "none":
            self.hides = True
            return around, []
        moved = around.map.after(*_matrix(element.attributes.get("transform", "")))
        here = replace(around, map=moved, visible=_is_visible(style, around.visible))
        self._check_map(here.map)
        if element.name in SHAPES:
            self._draw_visible(element, here, style)
            return here, []
        here, children = self._opened(element, here)
        self._check_map(here.map)
        if children or (here.visible and element.name in ("image", "foreignObject", "text")):
            self._leave_out(element, style)
        return here, children

    def _draw_visible(self, element: Element, here: _View, style: dict[str, str]) -> None:
        if not here.visible:
            self.hides = True
            return
        self._leave_out(element, style)
        self._draw(element, here.map)

    def _leave_out(self, element: Element, style: dict[str, str]) -> None:
        """Note what of an element is not drawn, or not applied."""
        if element.name == "text":
            said = " ".join(element.words.split())
            self.texts.append(str(element) + (f" ({shown(said)})" if said else ""))
            return
        kinds = {name.partition("-")[0] if "marker" in name else name for name in _effects(style)}
        if any(name in style for name in GEOMETRY):
            kinds.add("geometry")
        # What needs an extension of some program is nothing that others show.
        if element.name in TOLD and "requiredExtensions" not in element.attributes:
            kinds = {element.name}
        for kind in sorted(kinds):
            first, count = self.left.get(kind, (element, 0))
            self.left[kind] = first, count + 1

    def told(self) -> Iterator[str]:
        """Return sentences on what is not drawn, or not as the file has it."""
        for one in self.texts:
            yield f"{one} is not drawn; to draw it, turn it into outlines: {OUTLINES}"
        for kind, (first, count) in self.left.items():
            yield TOLD[kind].format(first) + (f" (and {count - 1} more such)" * (count > 1))
        unread = self.styles.unread
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            yield f"style rules for {shown(unread[0])}{more} are not read: what they hide is drawn"

    def _opened(self, element: Element, here: _View) -> tuple[_View, list[Element]]:
        """Return what an element holds, and what that is seen through."""
        if element.name == "use":
            x, y = lengths(element.attributes, "x", "y")
            return replace(here, map=here.map.moved(x, y)), [self._original(element)]
        if element.name == "svg":
            here = _nested(element, here)
        return here, element.children if element.name in CONTAINERS else []

    def _original(self, use: Element) -> Element:
        name = use.attributes.get("href", "")
        found = self.named.get(name[1:]) if name.startswith("#") else None
        if found is None:
            raise refusal(f"a copy of {shown(name)}", "a copy of an element of this file")
        if found.name not in VIEWPORTS:
            return found
        # A symbol is a drawing within the drawing, in the size of its copy.
        size = {key: use.attributes[key] for key in ("width", "height") if key in use.attributes}
        return replace(found, name="svg", attributes={**found.attributes, **size})

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


def _effects(style: dict[str, str]) -> list[str]:
    return [
        name
        for name, value in style.items()
        if name.startswith(("clip-path", "mask", "marker", "stroke-dasharray"))
        and value not in ("none", "inherit", "initial", "unset", "")
    ]


def _is_visible(style: dict[str, str], around: bool) -> bool:
    """Return whether an element is visible; what it does not say holds as around it."""
    given = style.get("visibility", "inherit")
    return around if given == "inherit" else given not in ("hidden", "collapse")


def _matrix(text: str) -> list[float]:
    """Read the list of transforms that SVG has."""
    if not text:
        return [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    svgelements = import_extra("svgelements", "draw", "an .svg file")
    try:
        if TRANSFORM.fullmatch(text):
            m = svgelements.Matrix(text)
            values = [float(value) for value in (m.a, m.b, m.c, m.d, m.e, m.f)]
            if _has_numbers(text) and all(map(math.isfinite, values)):
                return values
    except (ValueError, TypeError, IndexError, ArithmeticError):
        pass
    raise refusal(f"transform={shown(text)}", "one such as 'translate(10, 5) rotate(30)'")


def _has_numbers(text: str) -> bool:
    """Return whether every transform of a list has numbers, and nothing but those and units."""
    return all(ARGUMENTS.fullmatch(part) for part in INSIDE.findall(text))


def _nested(element: Element, around: _View) -> _View:
    """Return the view into a drawing within a drawing, whose view box is fitted into its place."""
    x, y = lengths(element.attributes, "x", "y")
    wide = _extent(element, "width", around.width)
    high = _extent(element, "height", around.height)
    here = around.map.moved(x, y)
    box = _view_box(element)
    if box is None:
        return replace(around, map=here, width=wide, height=high)
    fitted = here.after(*_fit(element, box, wide, high))
    return replace(around, map=fitted, width=box[2], height=box[3])


def _extent(element: Element, name: str, whole: float | None) -> float | None:
    """Read the width or height of a viewport, in parts of that around it if it has one."""
    text = element.attributes.get(name, "auto").strip()
    percent = PERCENT.fullmatch("100%" if text == "auto" else text)
    if percent and whole is not None:
        return 0.01 * float(percent[1]) * whole
    return lengths(element.attributes, name)[0]


def _view_box(element: Element) -> list[float] | None:
    text = element.attributes.get("viewBox", "")
    if not text.strip():
        return None
    box = [float(number) for number in NUMBER.findall(text)]
    if not (ARGUMENTS.fullmatch(text) and len(box) == 4 and box[2] > 0.0 and box[3] > 0.0):
        need = "four numbers such as '0 0 100 50', the last two above 0"
        raise refusal(f"viewBox={shown(text)}", need)
    return box


def _fit(
    element: Element, box: list[float], width: float | None, height: float | None
) -> list[float]:
    """Return SVG's matrix of a view box that is fitted into a width and a height."""
    text = element.attributes.get("preserveAspectRatio", "xMidYMid")
    match = ASPECT.fullmatch(text)
    if match is None:
        raise refusal(f"preserveAspectRatio={shown(text)}", "one such as 'xMidYMid meet' or 'none'")
    wide, high = box[2] if width is None else width, box[3] if height is None else height
    across, down = wide / box[2], high / box[3]
    if match[1] is not None:
        across = down = (max if match[3] == "slice" else min)(across, down)
    left = SHARES[match[1] or "Min"] * (wide - across * box[2])
    top = SHARES[match[2] or "Min"] * (high - down * box[3])
    return [across, 0.0, 0.0, down, left - across * box[0], top - down * box[1]]


def _open_page(root: Element) -> tuple[_View, Page]:
    """Return the view into a whole drawing, in CSS pixels, and its page."""
    width, height = _root_length(root, "width"), _root_length(root, "height")
    box = _view_box(root)
    notes = []
    if width is None and height is None:
        notes.append(NO_SIZE)
    if box is None:
        if height is None:
            notes.append(NO_PAGE)
        return _View(width=width, height=height), Page(1.0, height, tuple(notes))
    if width is None:
        width = box[2] if height is None else box[2] * height / box[3]
    if height is None:
        height = box[3] * width / box[2]
    fitted = _fit(root, box, width, height)
    if not (1.0 / LARGEST < fitted[0] < LARGEST and 1.0 / LARGEST < fitted[3] < LARGEST):
        raise refusal(f"viewBox={shown(root.attributes['viewBox'])}", "numbers of a usual size")
    view = _View(_Map().after(*fitted), width=box[2], height=box[3])
    return view, Page(fitted[0], height, tuple(notes))


def _root_length(root: Element, name: str) -> float | None:
    """Return the width or height of the whole drawing [px], if it is a length above 0."""
    try:
        (length,) = lengths(root.attributes, name)
    except InputError:  # in % or em it depends on what shows the drawing
        return None
    return length if length and length > 0.0 else None

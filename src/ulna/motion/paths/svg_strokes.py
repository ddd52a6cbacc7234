"""The strokes of an SVG file: what its shapes draw, as exact pieces on its page, y down.

The page is in CSS pixels, 1/96 in, from its upper left corner: width, height, viewBox and
preserveAspectRatio of the file say how long a unit of the drawing is. Groups, transforms, nested
drawings, symbols and copies (`use`) are worked out. What is not drawn stays out: definitions, and
whatever is hidden. Text and images are not drawn either, and clips, masks, markers and dashes are
not applied: that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from ulna.columns import MOST_TOLD
from ulna.errors import InputError, Problem, rewording, shown
from ulna.motion.paths.curve_segments import CurveSegments, without_standstill
from ulna.motion.paths.svg_shapes import (
    NUMBER,
    NUMBERS,
    SHAPES,
    Viewport,
    import_svgelements,
    read_length,
    read_matrix,
    read_shape,
    refusal,
)
from ulna.motion.paths.svg_tree import GEOMETRY, LINE, Styles, as_named, read_tree

DEEPEST = 100  # elements within one another
MOST_ELEMENTS = 50_000  # those of copies again
MOST_PIECES = 5_000
LARGEST = 1e100  # of a unit [px], or of its reciprocal
ASPECT = re.compile(r"\s*(?:defer\s+)?(?:none|x(Min|Mid|Max)Y(Min|Mid|Max))(?:\s+(meet|slice))?\s*")
SHARES = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
HOLDING = ("svg", "g", "a", "switch", "use")
IDLE = ("none", "inherit", "initial", "unset", "")  # values that do nothing
VIEWPORTS = ("svg", "symbol")
NO_SIZE = "the file has no width or height in units of length: a unit is a CSS pixel, 1/96 in"
NO_PAGE = "the file has no page: the origin is the lower left corner of the box around the drawing"
# What is told of elements, by what they are or have; {} stands for them.
TOLD = {
    "text": "{} is not drawn; turn it into outlines: in Inkscape, Path > Object to Path",
    "image": "{} is not drawn; trace it: in Inkscape, Path > Trace Bitmap",
    "foreignObject": "{} is not drawn: it holds no shapes of SVG",
    "clip-path": "clip paths are not applied: all of {} is drawn",
    "mask": "masks are not applied: all of {} is drawn",
    "marker": "markers, such as arrowheads, are not drawn: {} has some",
    "stroke-dasharray": "dashed lines are drawn as full ones: {} is dashed",
    "geometry": "styles do not move or shape elements here: {} is drawn as its attributes have it",
    "rule": "style rules for {} are not read: what they hide is drawn",
    "hidden": "{} is hidden, by display or visibility",
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


def read_strokes(text: str, file: str) -> tuple[list[CurveSegments], Page, list[str]]:
    """Return the strokes of a drawing [px], its page, and notes on what is not drawn.

    Strokes are seen from the upper left corner of the page, y down.
    """
    root = read_tree(text, file)
    with rewording(lambda problem: problem.within("svg").at(f"{file}:{root.get(LINE)}")):
        page = _open_page(root)
    named = {element.get("id", ""): element for element in reversed(list(root.iter()))}
    reader = _StrokeReader(file, named, Styles(root))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN is refused as a whole
        reader.read(root, _View(import_svgelements().Matrix(), Viewport()))
    if not reader.strokes:
        need, why = "a path, rect, circle, ellipse, line, polyline or polygon", reader.told()
        raise InputError(Problem("svg", "no shape", need, "; ".join(why), file))
    reader.left.pop("hidden", None)
    return reader.strokes, page, list(reader.told())


class _View(NamedTuple):
    """What elements are seen through."""

    matrix: Any  # of svgelements
    viewport: Viewport
    visible: bool = True
    depth: int = 0  # elements around

    def within(self, *matrix: float) -> _View:
        """Return what is seen through it and the matrix of SVG a, b, c, d, e, f."""
        inner = import_svgelements().Matrix(*matrix)
        return self._replace(matrix=inner * self.matrix)


@dataclass
class _StrokeReader:
    """Walks through the elements of a drawing, gathering strokes."""

    file: str
    named: dict[str, Element]
    styles: Styles
    strokes: list[CurveSegments] = field(default_factory=list)
    met: int = 0  # elements, those of copies again
    pieces: int = 0
    left: dict[str, list[str]] = field(default_factory=dict)  # the elements told of, by kinds

    def read(self, element: Element, around: _View) -> None:
        """Draw an element, and what it holds."""
        place = f"{self.file}:{element.get(LINE)}"
        with rewording(lambda problem: problem.within(element.tag).at(place)):
            inner, here = self._met(element, around)
        for child in inner:
            self.read(child, here)

    def _met(self, element: Element, around: _View) -> tuple[Iterable[Element], _View]:
        """Draw an element, or return what it holds, and what that is seen through."""
        self.met += 1
        if self.met > MOST_ELEMENTS or around.depth > DEEPEST:
            got = "elements nested too deep, or copies without end"
            raise refusal(got, f"at most {DEEPEST} within one another, {MOST_ELEMENTS:,} in all")
        style = self.styles.of(element)
        given = style.get("visibility", "inherit")
        visible = around.visible if given == "inherit" else given not in ("hidden", "collapse")
        drawn = element.tag in HOLDING or element.tag in SHAPES
        if style.get("display") == "none" or not (visible or element.tag in HOLDING):
            self._tell(element, {"hidden"} if drawn else ())
            return (), around
        here = around._replace(visible=visible, depth=around.depth + 1)
        if "transform" in element.attrib:
            matrix = read_matrix(element.attrib["transform"])
            here = here._replace(matrix=matrix * around.matrix)
        if drawn:
            applied = {name for name, value in style.items() if value not in IDLE}
            kinds = {re.sub("marker-.*", "marker", name) for name in applied} & TOLD.keys()
            self._tell(element, kinds | ({"geometry"} if applied.intersection(GEOMETRY) else set()))
        # What needs an extension of some program is nothing that others show.
        elif element.tag in TOLD and "requiredExtensions" not in element.attrib:
            self._tell(element, {element.tag})
        if element.tag in SHAPES:
            self._draw(element, here)
        if element.tag not in HOLDING:
            return (), here
        inner = [self._original(element)] if element.tag == "use" else element
        return inner, _placed(element, here)

    def _tell(self, element: Element, kinds: Iterable[str]) -> None:
        said = " ".join("".join(element.itertext()).split()) if element.tag == "text" else ""
        for kind in sorted(kinds):
            name = as_named(element) + (f" ({shown(said)})" if said else "")
            self.left.setdefault(kind, []).append(name)

    def told(self) -> Iterator[str]:
        """Return sentences on what is not drawn, or not as the file has it."""
        rules = [shown(one) for one in self.styles.unread]
        for kind, found in {**self.left, **({"rule": rules} if rules else {})}.items():
            more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
            yield TOLD[kind].format(", ".join(found[:MOST_TOLD]) + more)

    def _original(self, use: Element) -> Element:
        name = use.get("href", "")
        found = self.named.get(name[1:]) if name.startswith("#") else None
        if found is None:
            raise refusal(f"a copy of {shown(name)}", "a copy of an element of this file")
        if found.tag not in VIEWPORTS:
            return found
        # A symbol is a drawing within the drawing, in the size of its copy.
        size = {name: use.attrib[name] for name in ("width", "height") if name in use.attrib}
        made = Element("svg", found.attrib | size)
        made.extend(found)
        return made

    def _draw(self, element: Element, here: _View) -> None:
        m = here.matrix
        turn, mirror = complex(m.a + m.d, m.b - m.c), complex(m.a - m.d, m.b + m.c)
        for stroke in read_shape(element, here.viewport):
            parts = [part for piece in stroke for part in without_standstill(piece)]
            self.pieces += len(parts)
            if self.pieces > MOST_PIECES:
                got = f"more than {MOST_PIECES:,} lines and curves"
                raise refusal(got, "fewer: simplify the drawing")
            if parts:
                made = CurveSegments.of(parts)
                made = made.mapped(0.5 * turn, 0.5 * mirror, complex(m.e, m.f))
                if not made.finite:
                    raise refusal("a number too large to be one", "finite numbers")
                self.strokes.append(made)


def _placed(element: Element, around: _View) -> _View:
    """Return the view into what an element holds; a view box is fitted into its place."""
    if element.tag not in ("use", "svg"):
        return around
    x, y = (read_length(element, name, around.viewport) or 0.0 for name in "xy")
    here = around.within(1.0, 0.0, 0.0, 1.0, x, y)
    if element.tag == "use":
        return here
    width, height = (read_length(element, name, around.viewport) for name in ("width", "height"))
    wide = around.viewport.width if width is None else width
    high = around.viewport.height if height is None else height
    box = _view_box(element)
    if box is None:
        return here._replace(viewport=Viewport(wide, high))
    return here.within(*_fit(element, box, wide, high))._replace(viewport=Viewport(*box[2:]))


def _view_box(element: Element) -> list[float] | None:
    text = element.get("viewBox", "")
    if not text.strip():
        return None
    box = [float(number) for number in NUMBER.findall(text)]
    if not (NUMBERS.fullmatch(text) and len(box) == 4 and box[2] > 0.0 and box[3] > 0.0):
        need = "four numbers such as '0 0 100 50', the last two above 0"
        raise refusal(f"viewBox={shown(text)}", need)
    return box


def _fit(
    element: Element, box: list[float], width: float | None, height: float | None
) -> list[float]:
    """Return SVG's matrix of a view box that is fitted into a width and a height."""
    text = element.get("preserveAspectRatio", "xMidYMid")
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


def _open_page(root: Element) -> Page:
    """Return the page of a whole drawing, and give it that size in pixels."""
    width, height = _root_length(root, "width"), _root_length(root, "height")
    box, unit = _view_box(root), 1.0
    notes = [NO_SIZE] if width is None and height is None else []
    if box is None:
        notes += [NO_PAGE] if height is None else []
    else:
        if width is None:
            width = box[2] if height is None else box[2] * height / box[3]
        if height is None:
            height = box[3] * width / box[2]
        unit, _, _, down, *_ = _fit(root, box, width, height)
        if not (1.0 / LARGEST < unit < LARGEST and 1.0 / LARGEST < down < LARGEST):
            raise refusal(f"viewBox={shown(root.attrib['viewBox'])}", "numbers of a usual size")
    size = {"width": width, "height": height}
    root.attrib |= {name: "auto" if one is None else repr(one) for name, one in size.items()}
    root.attrib |= {"x": "0", "y": "0"}
    return Page(unit, height, tuple(notes))


def _root_length(root: Element, name: str) -> float | None:
    """Return the width or height of the whole drawing [px], if it is a length above 0."""
    try:
        length = read_length(root, name, Viewport())
    except InputError:  # in % or em it depends on what shows the drawing
        return None
    return length if length and length > 0.0 else None

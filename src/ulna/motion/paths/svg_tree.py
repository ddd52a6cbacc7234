"""The elements of an SVG file that may be drawn, laid out for svgelements.

svgelements leaves out in silence what it cannot read, lets shapes inherit the positions and sizes
of what is around them, and follows copies (`use`) without end. So it is given a tree of checked
attributes, with lengths in pixels and originals within their copies.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from ulna.errors import InputError, Problem, rewording, shown
from ulna.motion.paths.svg_syntax import (
    NUMBER,
    SHAPES,
    Size,
    read_attributes,
    read_length,
    read_view_box,
    refusal,
)

MAX_DEPTH = 100  # elements within one another
MAX_PIECES = 5_000
MAX_NUMBERS = 9  # of a piece: an arc has 7, and the move before it 2
MAX_TEXT = 3_000_000  # characters that svgelements reads, those of copies again
FEWER = "fewer: simplify the drawing"
NAMESPACE = "http://www.w3.org/2000/svg "
LINE, NAME = "ulna-line", "ulna-name"  # attributes that say where an element is
CONTAINERS = ("svg", "g", "a", "switch", "use")
DRAWN = (*CONTAINERS, *SHAPES, "text", "image", "foreignObject")
MARKERS = ("marker", "marker-start", "marker-mid", "marker-end")
STYLES = ("display", "visibility", "stroke-dasharray", "clip-path", "mask", *MARKERS)
PAINTS = {"fill", "stroke"}
RELATIVE = ("%", "em", "ex", "ch", "vw", "vh")
KEPT = {"id", "class", "requiredExtensions", *STYLES}
# Properties that are attributes here: where a style has them they are not applied.
GEOMETRY = {"transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry"}
SIMPLE = re.compile(r"\*|[A-Za-z][\w-]*|(?:[A-Za-z][\w-]*)?\.[\w-]+|#[\w-]+")
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Braces that close nothing, or are not closed, match as well, so that no text takes long to match.
RULE = re.compile(r"([^{}]*+)(?:\{((?:[^{}]|\{[^{}]*+\})*+)(?:\}|\Z)|[{}]|\Z)")


class SvgTree(NamedTuple):
    """What of a file may be drawn."""

    root: Element
    height: float  # [px] of the page, nan where the file does not say
    physical: bool  # whether the file says how large it is
    unread: list[str]  # selectors of style rules that matter and are not read
    knows_paints: bool  # whether all rules that fill or stroke shapes are read


def read_svg(text: str, file: str) -> SvgTree:
    """Return what of a file may be drawn."""
    root = _read_xml(text, file)
    with rewording(lambda problem: problem.within("svg").at(f"{file}:{root.get(LINE)}")):
        size, physical = _open_page(root)
    layout = _Layout(file, {one.get("id", ""): one for one in reversed(list(root.iter()))})
    made = layout.laid_out(root, size)
    style, unread = _style_sheet(root)
    made.insert(0, style)
    telling = [selector for selector, rule in unread.items() if rule.keys() - PAINTS]
    knows_paints = not any(rule.keys() & PAINTS for rule in unread.values())
    return SvgTree(made, size[1], physical, telling, knows_paints)


def _read_xml(text: str, file: str) -> Element:
    """Return the root element of a file, elements with plain names and lines."""
    parser, tree = ParserCreate(namespace_separator=" "), TreeBuilder()

    def start(tag: str, attributes: dict[str, str]) -> None:
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        # An element of another namespace keeps it in its name, and so is no shape.
        name = tag.removeprefix(NAMESPACE)
        tree.start(name, {**plain, LINE: str(parser.CurrentLineNumber)})

    def refuse(*_: object) -> None:
        hint = "remove <!ENTITY ...>, and write what it stands for in its place"
        raise InputError(Problem("svg", "entities", "elements only", hint, file))

    parser.StartElementHandler, parser.EntityDeclHandler = start, refuse
    parser.EndElementHandler = lambda tag: tree.end(tag.removeprefix(NAMESPACE))
    parser.CharacterDataHandler = tree.data
    try:
        parser.Parse(text, True)
    except ExpatError as error:
        place = f"{file}:{error.lineno}"
        raise InputError(Problem("svg", str(error), "well-formed XML", place=place)) from None
    root = tree.close()
    if root.tag != "svg":
        need = "<svg> as the outermost element"
        raise InputError(Problem("svg", f"<{root.tag[:40]}>", need, place=file))
    return root


def _open_page(root: Element) -> tuple[Size, bool]:
    """Give a drawing the size [px] of its page; return it, and whether it is that of the file."""
    # Lengths in % or em depend on what shows the drawing.
    width, height = (
        math.nan
        if root.get(name, "").strip().endswith(RELATIVE)
        else read_length(root, name, (math.nan, math.nan)) or math.nan
        for name in ("width", "height")
    )
    known = not (math.isnan(width) and math.isnan(height))
    box = read_view_box(root)
    if box and math.isnan(width):
        width = box[2] * height / box[3] if known else box[2]
    if box and math.isnan(height):
        height = box[3] * width / box[2]
    root.attrib |= {"x": "0", "y": "0"}
    for name, length in (("width", width), ("height", height)):
        root.set(name, "auto" if math.isnan(length) else repr(length))
    return (width, height), known


@dataclass
class _Layout:
    """Lays out the elements of a drawing."""

    file: str
    named: dict[str, Element]
    length: int = 0  # characters so far
    numbers: int = 0  # in paths and points

    def laid_out(self, element: Element, around: Size, depth: int = 0, above: int = 100) -> Element:
        """Return a copy of an element and of all in it that may be drawn.

        Elements inherit transforms: `above` is how long those are.
        """
        with rewording(
            lambda problem: problem.within(element.tag).at(f"{self.file}:{element.get(LINE)}")
        ):
            attributes, size = read_attributes(element, around)
            made = Element(element.tag, attributes)
            made.attrib |= {key: element.attrib[key] for key in KEPT & element.attrib.keys()}
            made.attrib |= _paints(element.attrib)
            style = _declarations(element.get("style", ""))
            made.attrib |= {NAME: _name(element), "style": _style(style)}
            self._count(made, depth, above)
            inner = [self._original(element)] if element.tag == "use" else list(element)
        above += len(made.get("transform", ""))
        if element.tag in CONTAINERS and style.get("display", made.get("display")) != "none":
            for child in inner:
                if child.tag in DRAWN:
                    made.append(self.laid_out(child, size, depth + 1, above))
        return made

    def _count(self, made: Element, depth: int, above: int) -> None:
        """Refuse what svgelements would take long to read."""
        self.length += above + sum(map(len, made.attrib.values()))
        if depth > MAX_DEPTH or self.length > MAX_TEXT:
            got = "elements nested too deep, or too many with their copies"
            need = f"at most {MAX_DEPTH} within one another, {MAX_TEXT:,} characters in all"
            raise InputError(Problem("", got, need))
        path, points = made.get("d", ""), made.get("points", "")
        closing = path.lower().count("z")  # lines without numbers
        self.numbers += len(re.findall(NUMBER, path + points)) + MAX_NUMBERS * closing
        if self.numbers > MAX_NUMBERS * MAX_PIECES:
            raise InputError(Problem("", f"more than {MAX_PIECES:,} lines and curves", FEWER))

    def _original(self, use: Element) -> Element:
        name = use.get("href", "")
        found = self.named.get(name[1:]) if name.startswith("#") else None
        if found is None:
            raise refusal(use, "href", "the id of an element of this file, such as '#a'")
        if found.tag not in ("svg", "symbol"):
            return found
        # A symbol is a drawing within the drawing, in the size of its copy.
        size = {name: use.attrib[name] for name in ("width", "height") if name in use.attrib}
        made = Element("svg", found.attrib | size)
        made.extend(found)
        return made


def _name(element: Element) -> str:
    """Name an element in a message."""
    name, words = element.get("id"), ""
    if element.tag == "text":
        words = " ".join("".join(part[:80] for part in islice(element.itertext(), 9)).split())
    tag = f"<{element.tag}>" if name is None else f"<{element.tag} id={name[:80]!r}>"
    return f"{tag} in line {element.get(LINE)}" + (f" ({shown(words)})" if words else "")


def _style_sheet(root: Element) -> tuple[Element, dict[str, dict[str, str]]]:
    """Return the rules of all style sheets that are read, and the others by their selectors."""
    text = "".join(part for sheet in root.iter("style") for part in sheet.itertext())
    rules = defaultdict[str, dict[str, str]](dict)
    for head, body in RULE.findall(COMMENT.sub("", text)):
        # @media has rules in its braces.
        declared = _declarations(body.replace("{", ";")) if body else {}
        for selector in map(str.strip, head.rpartition(";")[2].split(",") if declared else ()):
            rules[selector] |= declared
    made = Element("style")
    read = (selector for selector in rules if SIMPLE.fullmatch(selector))
    made.text = "".join(f"{selector}{{{_style(rules[selector])}}}\n" for selector in read)
    return made, {key: rule for key, rule in rules.items() if not SIMPLE.fullmatch(key)}


def _declarations(style: str) -> dict[str, str]:
    """Return the declarations of a style that matter, their values shortened to a word."""
    parts = (part.partition(":") for part in style.lower().split(";"))
    given = {name.strip(): re.split(r"[^\w-]", value.strip())[0] for name, _, value in parts}
    read = {name: given[name][:20] for name in STYLES if name in given} | _paints(given)
    return {**read, "geometry": "given"} if given.keys() & GEOMETRY else read


def _paints(given: Mapping[str, str]) -> dict[str, str]:
    """Return whether a shape is filled and stroked, where that is given: "none" or a colour."""
    words = {name: given[name].strip().lower() for name in PAINTS if name in given}
    return {
        name: "none" if word in ("none", "transparent") else "black"
        for name, word in words.items()
        if word != "inherit"
    }


def _style(declarations: dict[str, str]) -> str:
    return ";".join(f"{name}:{value}" for name, value in declarations.items())

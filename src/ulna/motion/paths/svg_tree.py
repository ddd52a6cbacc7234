"""The elements of an SVG file, read without entities, and their styles.

Styles come from style sheets, style attributes and presentation attributes. What is read says
whether an element is shown, and what is done to it that a pen does not do. Of style sheets those
rules are read whose selectors are simple: `*`, `path`, `.class`, `#id`, `path.class` and `path#id`,
alone or in a list. The more specific rule wins, then the later one.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from ulna.errors import InputError, Problem

NAMESPACE = "http://www.w3.org/2000/svg "
LINE = " line"  # the attribute that says where an element is: no file has one of this name
MARKERS = ("marker", "marker-start", "marker-mid", "marker-end")
PRESENTATION = ("display", "visibility", "stroke-dasharray", "clip-path", "mask", *MARKERS)
# Properties that are attributes here: where a style has them they are not applied.
GEOMETRY = ("transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry")
SIMPLE = re.compile(r"\*|[A-Za-z][\w-]*|(?:[A-Za-z][\w-]*)?[.#][\w-]+")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"([^{};]*)\{((?:[^{}]|\{[^{}]*\})*)\}")  # @media has rules in its braces


def read_tree(text: str, file: str) -> Element:
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


def as_named(element: Element) -> str:
    """Name an element in a message."""
    name = element.get("id")
    told = f"<{element.tag}>" if name is None else f"<{element.tag} id={name[:80]!r}>"
    return f"{told} in line {element.get(LINE)}"


class Styles:
    """The rules of all style sheets of a drawing."""

    def __init__(self, root: Element) -> None:
        sheets = "".join(text for sheet in root.iter("style") for text in sheet.itertext())
        self.rules = dict[str, dict[str, str]]()
        self.unread: list[str] = []  # selectors of rules that matter and are not read
        for selectors, body in RULE.findall(COMMENT.sub("", sheets)):
            found = _declarations(body.replace("{", ";"))
            for selector in map(str.strip, selectors.split(",") if found else ()):
                if SIMPLE.fullmatch(selector):
                    self.rules.setdefault(selector, {}).update(found)
                else:
                    self.unread.append(selector)

    def of(self, element: Element) -> dict[str, str]:
        """Return the properties of an element that are not those of all elements."""
        names = [
            *(f".{name}" for name in element.get("class", "").split()),
            f"#{element.get('id')}",
        ]
        keys = ["*", element.tag, *(f"{tag}{name}" for name in names for tag in ("", element.tag))]
        found = {name: element.get(name, "").lower() for name in PRESENTATION}
        found = {name: value for name, value in found.items() if name in element.attrib}
        for key in keys:
            found |= self.rules.get(key, {})
        return found | _declarations(element.get("style", ""))


def _declarations(body: str) -> dict[str, str]:
    """Return the properties that are read."""
    parts = (part.partition(":") for part in body.lower().split(";"))
    given = {name.strip(): value.partition("!")[0].strip() for name, _, value in parts}
    return {name: given[name] for name in given.keys() & {*PRESENTATION, *GEOMETRY}}

"""The elements of an SVG file, read safely, and their styles.

What a hostile file can hold is refused as it is met: entities, nesting without end, more elements
or path data than any drawing for an arm has.

Styles come from style sheets, style attributes and presentation attributes. What is read says
whether an element is shown, and what is done to it that a pen does not do. Of style sheets those
rules are read whose selectors are simple: `*`, `path`, `.class`, `#id`, `path.class` and `path#id`,
alone or in a list. A rule goes before another as CSS has it: by importance, then by how specific it
is, then the later one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from ulna.errors import InputError, Problem, import_extra, rewording

DEEPEST = 100  # elements within one another
MOST_ELEMENTS = 50_000
MOST_DATA = 1_000_000  # characters of an attribute, or of a style sheet
NAMESPACE = "{http://www.w3.org/2000/svg}"
LINE = " line"  # the attribute that says where an element is: no file has one of this name
MARKERS = ("marker", "marker-start", "marker-mid", "marker-end")
PRESENTATION = ("display", "visibility", "stroke-dasharray", "clip-path", "mask", *MARKERS)
# Properties that are attributes here: where a style has them they are not applied.
GEOMETRY = ("transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry")
SIMPLE = re.compile(r"\*|[A-Za-z][\w-]*|(?:[A-Za-z][\w-]*)?[.#][\w-]+")
IMPORTANT = re.compile(r"\s*!\s*important$")


def read_tree(text: str, file: str) -> Element:
    """Return the root element of a file that is safe and well-formed."""
    xml = import_extra("defusedxml.ElementTree", "draw", "an .svg file")
    from defusedxml import DefusedXmlException

    builder = _Builder()
    parser = xml.DefusedXMLParser(target=builder, encoding="utf-8")
    builder.expat = parser.parser
    with rewording(lambda problem: problem.at(f"{file}:{builder.line}")):
        try:
            parser.feed(text.encode("utf-8", "surrogatepass"))
            root: Element = parser.close()
        except DefusedXmlException:
            hint = "remove <!ENTITY ...>, and write what it stands for in its place"
            raise InputError(Problem("svg", "entities", "elements only", hint)) from None
        except ParseError as error:
            raise InputError(Problem("svg", str(error), "well-formed XML")) from None
        if root.tag != "svg":
            need = "<svg> as the outermost element"
            raise InputError(Problem("svg", f"<{root.tag[:40]}>", need))
    return root


class _Builder(TreeBuilder):
    """Builds elements with plain names and lines, within limits."""

    expat: Any
    count = depth = 0

    @property
    def line(self) -> int:
        return int(self.expat.CurrentLineNumber)

    def start(self, tag: Any, attrs: dict[Any, Any], /) -> Element:
        self.count, self.depth = self.count + 1, self.depth + 1
        if self.depth > DEEPEST:
            raise _too_much("elements nested too deep", f"at most {DEEPEST} within one another")
        if self.count > MOST_ELEMENTS:
            raise _too_much("too many elements", f"at most {MOST_ELEMENTS:,}")
        if any(len(value) > MOST_DATA for value in attrs.values()):
            raise _too_much("too much path data", f"at most {MOST_DATA:,} characters of it")
        plain = {key.rpartition("}")[2]: value for key, value in attrs.items()}
        # An element of another namespace keeps it in its name, and so is no shape.
        return super().start(tag.removeprefix(NAMESPACE), {**plain, LINE: str(self.line)})

    def end(self, tag: Any, /) -> Element:
        self.depth -= 1
        return super().end(tag.removeprefix(NAMESPACE))


def _too_much(got: str, need: str) -> InputError:
    return InputError(Problem("svg", got, need, "simplify the drawing"))


def as_named(element: Element) -> str:
    """Name an element in a message."""
    name = element.get("id")
    told = f"<{element.tag}>" if name is None else f"<{element.tag} id={name[:80]!r}>"
    return f"{told} in line {element.get(LINE)}"


class Styles:
    """The rules of all style sheets of a drawing."""

    def __init__(self, root: Element) -> None:
        sheets = ["".join(sheet.itertext()) for sheet in root.iter("style")]
        if sum(map(len, sheets)) > MOST_DATA:
            raise _too_much("too long a style sheet", f"at most {MOST_DATA:,} characters of it")
        # By selectors: the order of a rule, and its properties with importance and value.
        self.rules = defaultdict[str, list[tuple[int, dict[str, tuple[bool, str]]]]](list)
        self.unread: list[str] = []  # selectors of rules that matter and are not read
        for order, (selectors, body) in enumerate(_rules("}".join(sheets))):
            found = _declarations(body)
            for selector in selectors if found else ():
                if SIMPLE.fullmatch(selector):
                    self.rules[selector].append((order, found))
                else:
                    self.unread.append(selector)

    def of(self, element: Element) -> dict[str, str]:
        """Return the properties of an element that are not those of all elements."""
        names = [f".{name}" for name in element.get("class", "").split()]
        names += [f"#{element.get('id')}"]
        keys = ["*", element.tag, *names, *(f"{element.tag}{name}" for name in names)]
        rules = [
            (_specificity(key), order, found)
            for key in (keys if self.rules else ())
            for order, found in self.rules.get(key, ())
        ]
        given = {name: (False, element.get(name, "").lower()) for name in PRESENTATION}
        present = {name: one for name, one in given.items() if name in element.attrib}
        rules += [(-1, 0, present), (1000, 0, _declarations(element.get("style", "")))]
        ranked = sorted(
            (important, specificity, order, name, value)
            for specificity, order, found in rules
            for name, (important, value) in found.items()
        )
        return {name: value for *_, name, value in ranked}


def _specificity(selector: str) -> int:
    weights = {"#": 100, ".": 10}
    return sum(weights.get(letter, 0) for letter in selector) + (selector[0] not in "*.#")


def _rules(sheet: str) -> Iterator[tuple[list[str], str]]:
    """Return the rules of a style sheet: the selectors, and what is declared."""
    first, *rest = sheet.split("/*")
    plain = first + "".join(part.partition("*/")[2] for part in rest)
    around = ""
    for rule in plain.split("}")[:-1]:
        if "{" not in rule:
            around = ""
            continue
        prelude, _, body = rule.rpartition("{")
        outer, _, selectors = prelude.rpartition("{")
        # Within @media, which holds now and then, no selector is a simple one.
        around = around or outer.strip()[:80]
        plain_selectors = selectors.rpartition(";")[2].split(",")
        yield [" ".join(f"{around} {one}".split()) for one in plain_selectors], body


def _declarations(body: str) -> dict[str, tuple[bool, str]]:
    """Return the properties that are read, each with its importance and value."""
    parts = (part.partition(":") for part in body.lower().split(";"))
    given = ((name.strip(), value.strip()) for name, _, value in parts)
    return {
        name: (bool(IMPORTANT.search(value)), IMPORTANT.sub("", value))
        for name, value in given
        if name in PRESENTATION or name in GEOMETRY
    }

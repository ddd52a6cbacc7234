"""The elements of an SVG file, read safely, and their styles.

What a hostile file can hold is refused as it is met: document types, entities, nesting without end,
more elements or path data than any drawing for an arm has.

Styles come from style sheets, style attributes and presentation attributes. What is read says
whether an element is shown, and what is done to it that a pen does not do. Of style sheets those
rules are read whose selectors are simple: `*`, `path`, `.class`, `#id`, `path.class` and `path#id`,
alone or in a list. A rule goes before another as CSS has it: by importance, then by how specific it
is, then the later one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from ulna.errors import InputError, Problem, import_extra, shown

DEEPEST = 100  # elements within one another
MOST_ELEMENTS = 50_000
MOST_DATA = 1_000_000  # characters of an attribute, or of a style sheet
MOST_WORDS = {"text": 200, "style": MOST_DATA}  # letters inside elements that are kept
NAMESPACE = "http://www.w3.org/2000/svg"
SHOWING = ("display", "visibility")
EFFECTS = ("clip-path", "mask", "marker", "marker-start", "marker-mid", "marker-end")
PRESENTATION = (*SHOWING, *EFFECTS, "stroke-dasharray")
# Properties that are attributes here: where a style has them they are not applied.
GEOMETRY = ("transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry")
READ = frozenset((*PRESENTATION, *GEOMETRY))
SIMPLE = re.compile(r"\*|[A-Za-z][\w-]*|(?:[A-Za-z][\w-]*)?[.#][\w-]+")
IMPORTANT = re.compile(r"\s*!\s*important$")


@dataclass(eq=False)
class Element:
    """An element: its name without namespace, attributes, children and line."""

    name: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)  # of a text, to name it; of a style sheet
    letters: int = 0  # of them

    @property
    def words(self) -> str:
        """What a text says, or a style sheet."""
        return "".join(self.chunks)

    def __str__(self) -> str:
        name = self.attributes.get("id", "")
        told = f"<{self.name} id={shown(name)}>" if name else f"<{self.name}>"
        return f"{told} in line {self.line}"

    def walk(self) -> Iterator[Element]:
        """Return it and all that it holds, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


def read_tree(text: str, file: str) -> Element:
    """Return the root element of a file that is safe and well-formed."""
    xml = import_extra("defusedxml.ElementTree", "draw", "an .svg file")
    from defusedxml import DefusedXmlException

    builder = _Builder(file)
    parser = xml.DefusedXMLParser(target=builder, encoding="utf-8", forbid_dtd=True)
    builder.expat = parser.parser
    try:
        parser.feed(text.encode("utf-8", "surrogatepass"))
        parser.close()
    except DefusedXmlException:
        got, need = "a document type or entities", "elements only"
        hint = "remove <!DOCTYPE ...>, and what it defines"
        raise InputError(Problem("svg", got, need, hint, builder.place)) from None
    except xml.ParseError as error:
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
        """Keep style sheets, and the beginning of a text; leave the others out."""
        holder = next((one for one in self.open if one.name in MOST_WORDS), None)
        if holder is None:
            return
        most = MOST_WORDS[holder.name]
        if holder.name == "style" and holder.letters + len(words) > most:
            self.refuse("too long a style sheet", f"at most {most:,} characters of it")
        if holder.letters < most:
            holder.chunks.append(words[:most])
            holder.letters += len(words)

    def close(self) -> None:
        """Leave the root where it is."""

    def refuse(self, got: str, need: str) -> None:
        raise InputError(Problem("svg", got, need, "simplify the drawing", self.place))


def _plain(tag: str) -> str:
    """Return an element's name; one of another namespace keeps it, and so is no shape."""
    space, _, name = tag.rpartition("}")
    return name if space in ("", "{" + NAMESPACE) else tag


class Declaration(NamedTuple):
    """The value of a property, and what it goes before others by."""

    important: bool
    specificity: int
    order: int
    value: str


class Styles:
    """The rules of all style sheets of a drawing."""

    def __init__(self, sheets: Iterable[str]) -> None:
        self.rules: dict[str, dict[str, Declaration]] = {}  # by selectors, then by properties
        self.unread: list[str] = []  # selectors of rules that matter and are not read
        for order, (prelude, body) in enumerate(chain.from_iterable(map(_rules, sheets))):
            self._add(prelude, body, order)

    def _add(self, prelude: str, body: str, order: int) -> None:
        found = list(_declarations(body, order))
        for selector in prelude.split(",") if found else ():
            key = selector.strip()
            if not SIMPLE.fullmatch(key):
                self.unread.append(" ".join(key.split()))
                continue
            own = self.rules.setdefault(key, {})
            for name, one in found:
                _declare(own, name, one._replace(specificity=_specificity(key)))

    def of(self, element: Element) -> dict[str, str]:
        """Return the properties of an element that are not those of all elements."""
        given = element.attributes
        found = {
            name: Declaration(False, -1, 0, given[name].strip().lower())
            for name in PRESENTATION
            if name in given
        }
        for key in self._keys(element):
            for name, one in self.rules.get(key, {}).items():
                _declare(found, name, one)
        for name, one in _declarations(given.get("style", ""), 0):
            _declare(found, name, one._replace(specificity=1000))
        return {name: one.value for name, one in found.items()}

    def _keys(self, element: Element) -> Iterator[str]:
        """Return all simple selectors that an element has."""
        if not self.rules:
            return
        yield from ("*", element.name)
        names = [f".{name}" for name in element.attributes.get("class", "").split()]
        if "id" in element.attributes:
            names.append(f"#{element.attributes['id']}")
        for name in names:
            yield from (name, f"{element.name}{name}")


def _declare(found: dict[str, Declaration], name: str, one: Declaration) -> None:
    if name not in found or one[:3] >= found[name][:3]:
        found[name] = one


def _specificity(selector: str) -> int:
    weights: Mapping[str, int] = {"#": 100, ".": 10}
    return sum(weights.get(letter, 0) for letter in selector) + (selector[0] not in "*.#")


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Return the rules of a style sheet: what they are for, and what they say."""
    first, *rest = sheet.split("/*")
    plain = first + "".join(part.partition("*/")[2] for part in rest)
    open_: list[tuple[str, str]] = []  # rules: the rule such as @media around each, and their own
    text = ""
    for token in re.split(r"([{}])", plain):
        if token == "{":
            around, outer = open_[-1] if open_ else ("", "")
            around = around or (outer if outer.startswith("@") else "")
            open_.append((around, text.rpartition(";")[2].strip()))
        elif token == "}" and open_:
            # Within @media, which holds now and then, no selector is a simple one.
            yield " ".join(filter(None, open_.pop())), text
        text = "" if token in "{}" else token


def _declarations(body: str, order: int) -> Iterator[tuple[str, Declaration]]:
    for part in body.split(";"):
        name, _, value = part.partition(":")
        name = name.strip().lower()
        if name in READ:
            plain = value.strip().lower()
            told = IMPORTANT.sub("", plain)
            yield name, Declaration(told != plain, 0, order, told)

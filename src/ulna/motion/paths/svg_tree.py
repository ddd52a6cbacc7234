"""The elements of an SVG file, read safely.

What a hostile file can hold is refused as it is met: document types, entities, nesting without end,
more elements or path data than any drawing for an arm has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ulna.errors import InputError, Problem, shown

DEEPEST = 100  # elements within one another
MOST_ELEMENTS = 50_000
MOST_DATA = 1_000_000  # characters of an attribute, or of a style sheet
MOST_WORDS = {"text": 200, "style": MOST_DATA}  # letters inside elements that are kept
NAMESPACE = "http://www.w3.org/2000/svg"


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

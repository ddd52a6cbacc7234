"""XML as plain elements with their lines: URDF and MJCF are read from these.

Document types and entities are refused, nesting and numbers of elements are bounded, and text that
a terminal would not print is refused: a file is from anybody.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn
from unicodedata import bidirectional, category

from ulna.errors import InputError, Problem, did_you_mean, shown, warn

Part = tuple[str, str]  # what of a robot is noted of, and its name

LARGEST = 3_000_000  # [bytes] of a file: thousands of links
DEEPEST = 1000  # elements inside one another: the bodies of MJCF nest
BODIES = ("link", "body", "site", "geom", "joint")
MOST_BODIES, MOST_OTHERS = 5000, 25_000  # elements of one tag
MOST_ATTRIBUTES = 100  # of one element
LONGEST_NAME = 1000  # letters of a tag or of an attribute's name, with its namespace
LONGEST_NUMBERS = 1000  # letters of an attribute that holds numbers
HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # controls, and what breaks lines
TURNED = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # text the other way
MOST_TOLD = 20
MOST_COMPARED = 200  # unknown names, of which the nearest known one is looked for
HUGE, TINY = 1e50, 1e-50  # beyond which squares and products are lost to arithmetic
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(slots=True)
class XmlElement:
    """An element: its tag, its attributes, its children, and the line that it begins on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[XmlElement]:
        """Yield the children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> XmlElement | None:
        """Return the first child of a tag, if there is one."""
        return next(self.all(tag), None)


class XmlReader:
    """Reads numbers out of elements, and gathers what is wrong with them, each with its line.

    What is noted within `part` waits until `judge` says which parts of the robot count.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._part: Part | None = None
        self._waiting: defaultdict[Part, list[Problem | str]] = defaultdict(list)
        self._compared = 0

    @contextmanager
    def part(self, kind: str, name: str) -> Iterator[None]:
        """Put off what is noted in the block until that part of the robot is judged."""
        around, self._part = self._part, (kind, name)
        try:
            yield
        finally:
            self._part = around

    def judge(self, parts: Iterable[Part] | None) -> None:
        """Note what was put off of some parts, of all if None; warn of it if nothing is wrong."""
        chosen = list(self._waiting) if parts is None else list(parts)
        noted = [one for part in chosen for one in self._waiting.pop(part, ())]
        self.problems += [one for one in noted if isinstance(one, Problem)]
        told = [one for one in noted if isinstance(one, str)]
        if not self.problems:
            warn(*told[:MOST_TOLD])
        if len(told) > MOST_TOLD and not self.problems:
            warn(f"{self.file}: and {len(told) - MOST_TOLD:,} more like these")

    def add(self, line: int, what: str, got: str, need: str, hint: str = "") -> None:
        """Note a problem of an element."""
        problem = Problem(what, got, need, hint, f"{self.file}:{line}")
        if self._part is None:
            self.problems.append(problem)
        else:
            self._waiting[self._part].append(problem)

    def tell(self, line: int, what: str, text: str) -> None:
        """Warn of an element, if it is in a part once that is judged."""
        told = f"{self.file}:{line}: {what}: {text}"
        if self._part is None:
            warn(told)
        else:
            self._waiting[self._part].append(told)

    def raise_if_any(self) -> None:
        """Raise everything that was noted, in the order of the lines."""
        if self.problems:
            raise InputError(
                sorted(self.problems, key=lambda one: int(one.place.rsplit(":", 1)[1]))
            )

    def check_given(self, element: XmlElement, keys: Iterable[str], owner: str) -> bool:
        """Return whether an element has attributes; note those that it lacks."""
        missing = [key for key in keys if key not in element.attributes]
        for key in missing:
            self.add(element.line, f"{owner}.{key}", "nothing", f"{key} of <{element.tag}>")
        return not missing

    def unknown(self, element: XmlElement, known: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the attributes of an element that are not known, and what they may mean."""
        for key in element.attributes:
            if key not in known:
                yield key[:40], self.nearest(key, known)

    def nearest(self, name: str, known: Collection[str]) -> str:
        """Ask whether a known name was meant; not of the many names of a hostile file."""
        self._compared += 1
        return did_you_mean(name, known) if self._compared <= MOST_COMPARED else ""

    def numbers(
        self, element: XmlElement | None, key: str, usual: tuple[float, ...], owner: str
    ) -> tuple[float, ...]:
        """Read as many finite numbers as `usual` has; `usual` where they are not given or wrong."""
        text = None if element is None else element.attributes.get(key)
        if element is None or text is None:
            return usual
        values = _finite_numbers(text, len(usual))
        if len(values) == len(usual):
            return values
        count = "a finite number" if len(usual) == 1 else f"{len(usual)} finite numbers"
        self.add(element.line, f"{owner}.{key}", shown(text), count)
        return usual

    def some_numbers(
        self, element: XmlElement, key: str, most: int, owner: str
    ) -> tuple[float, ...]:
        """Read one to `most` finite numbers; none where they are not given or wrong."""
        text = element.attributes.get(key)
        if text is None:
            return ()
        values = _finite_numbers(text, most)
        if not values:
            need = f"one to {most} finite numbers"
            self.add(element.line, f"{owner}.{key}", shown(text), need)
        return values

    def direction(
        self, element: XmlElement | None, key: str, usual: tuple[float, ...], owner: str
    ) -> tuple[float, ...]:
        """Read a vector that is not zero; NaN where it is wrong."""
        if element is None or key not in element.attributes:
            return usual
        wrong = (math.nan,) * len(usual)
        values = self.numbers(element, key, wrong, owner)
        if any(values):
            return values
        self.add(element.line, f"{owner}.{key}", "no direction", "a vector")
        return wrong

    def number(
        self,
        element: XmlElement | None,
        key: str,
        owner: str,
        usual: float = 0.0,
        *,
        least: float | None = None,
    ) -> float:
        """Read one finite number, at least as large as `least`."""
        value = self.numbers(element, key, (usual,), owner)[0]
        if element is not None and least is not None and value < least:
            got = shown(element.attributes[key])
            self.add(element.line, f"{owner}.{key}", got, f"a number of at least {least:g}")
            return usual
        return value


def _finite_numbers(text: str, most: int) -> tuple[float, ...]:
    """Return the numbers of a text; none if one is wrong or there are more than that many."""
    words = text.split(maxsplit=most) if len(text) <= LONGEST_NUMBERS else ()
    values = [float(word) if NUMBER.fullmatch(word) else math.nan for word in words]
    if len(values) > most or not all(abs(value) <= HUGE for value in values):
        return ()
    return tuple(value if abs(value) >= TINY else 0.0 for value in values)


def parse_xml(text: str, file: str, root: str) -> XmlElement:
    """Return the outermost element of a file, which has to have the tag `root`."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    builder = _XmlBuilder(file)
    parser = DefusedXMLParser(target=builder, encoding="utf-8", forbid_dtd=True)
    builder.expat = parser.parser
    try:
        parser.feed(text.encode("utf-8", "surrogatepass"))
        parser.close()
    except DefusedXmlException:
        hint = "remove <!DOCTYPE ...>, and what it defines"
        got = "a document type or entities"
        raise InputError(Problem("XML", got, "elements only", hint, builder.place)) from None
    except ParseError as error:
        place = f"{file}:{error.position[0]}"
        raise InputError(Problem("XML", str(error), "well-formed XML", "", place)) from None
    found = builder.root
    if found is None or found.tag != root:
        got = f"<{found.tag[:40]}>" if found else "nothing"
        raise InputError(Problem("XML", got, f"<{root}> as the outermost element", place=file))
    return found


def tell_left_out(file: str, tags: Iterable[str]) -> None:
    """Warn of elements that say something and are not read, each with how often it is there."""
    counts = Counter(tags)
    if counts:
        told = [f"<{tag[:40]}> ({count})" for tag, count in sorted(counts.items())[:MOST_TOLD]]
        warn(f"{file}: left out: {', '.join(told)}")


def _short(name: str) -> str:
    """Return a name with the last word of its namespace: {http://ros.org/xacro}if as xacro:if."""
    space, brace, own = name.rpartition("}")
    return f"{space.rstrip('/').rpartition('/')[2].lstrip('{')}:{own}" if brace else name


class _XmlBuilder:
    """What the parser tells about elements, as it meets them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: XmlElement | None = None
        self.open: list[XmlElement] = []
        self.counts: Counter[str] = Counter()
        self.expat: Any = None

    @property
    def place(self) -> str:
        return f"{self.file}:{self.expat.CurrentLineNumber}"

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if max(map(len, (tag, *attributes))) > LONGEST_NAME:
            self._refuse("a name of an element or attribute", f"at most {LONGEST_NAME} letters")
        if len(attributes) > MOST_ATTRIBUTES:
            self._refuse(f"{len(attributes):,} attributes", f"at most {MOST_ATTRIBUTES}")
        tag = _short(tag)
        if len(self.open) == DEEPEST:
            self._refuse(f"elements nested more than {DEEPEST} deep", "a description of a robot")
        self.counts[tag] += 1
        most = MOST_BODIES if tag in BODIES else MOST_OTHERS
        if self.counts[tag] > most:
            self._refuse(f"more elements <{tag[:40]}>", f"at most {most:,}")
        plain = {_short(key): self._plain(text) for key, text in attributes.items()}
        made = XmlElement(tag, plain, self.expat.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(made)
        elif self.root is None:
            self.root = made
        self.open.append(made)

    def _refuse(self, got: str, need: str) -> NoReturn:
        raise InputError(Problem("XML", got, need, "", self.place))

    def _plain(self, text: str) -> str:
        """Return the text of an attribute on one line; refuse what a terminal obeys or hides."""
        if text.isprintable():
            return text
        text = re.sub(r"[\t\r\n]", " ", text)
        for letter in text:
            if category(letter) in HIDDEN or bidirectional(letter) in TURNED:
                self._refuse(f"the control character U+{ord(letter):04X}", "text on one line")
        return text

    def end(self, _tag: str) -> None:
        self.open.pop()

    def data(self, _text: str) -> None:
        """Text between elements says nothing in these formats."""

    def close(self) -> None:
        """The parser asks for nothing at the end."""

"""Styles of SVG elements: of style sheets, style attributes and presentation attributes.

What is read says whether an element is shown, and what is done to it that a pen does not do. Of
style sheets those rules are read whose selectors are simple: `*`, `path`, `.class`, `#id`,
`path.class` and `path#id`, alone or in a list. A rule goes before another as CSS has it: by
importance, then by how specific it is, then the later one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from ulna.motion.paths.svg_tree import Element

SHOWING = ("display", "visibility")
EFFECTS = ("clip-path", "mask", "marker", "marker-start", "marker-mid", "marker-end")
PRESENTATION = (*SHOWING, *EFFECTS, "stroke-dasharray")
# Properties that are attributes here: where a style has them they are not applied.
GEOMETRY = ("transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry")
READ = frozenset((*PRESENTATION, *GEOMETRY))
SIMPLE = re.compile(r"\*|[A-Za-z][\w-]*|(?:[A-Za-z][\w-]*)?[.#][\w-]+")
IMPORTANT = re.compile(r"\s*!\s*important$")


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

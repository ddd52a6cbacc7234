"""The rows of a paper: what is written in its rows.toml, joined with what its functions compute.

The file has all that is text, row by row in their order. Texts are templates, such as "it gains
{inwards:.2f} rad/s²", for the values that a function returns for the row; a format that begins with
− writes minus signs like that one, and powers of ten are written as 2 × 10⁻¹⁵. A value with parts,
an array or a mapping, stands for several values: `torque` for {torque_1} and {torque_2}. Line
breaks within a text are spaces.

The numbers of a row have the names of values. Those that make one line of a table are written
together, with its `columns` by what they add to the name, and so are several `lines` of a table;
columns that many lines have are named under [columns], and what all numbers of a row have is said
once, in `every_number`. Equations are written in the names of letters, as `printed` and, where
that is another, as `right`, with the title of the `step` that has them of our derivation; what is
derived is said under [derivation]. A row's `see_also` has texts of links,
each with the page that it leads to.

    [rows.forward]
    title = "The forward problem"
    verdict = "same"
    why = "On {postures} random postures its formula and ours agree up to rounding."

    [[rows.forward.equations]]
    printed = "x = L1*cos(theta1) + L2*cos(theta1 + theta2)"
    step = "Inverse kinematics: the tip"

    [rows.forward.numbers]
    tip = { of = "θ = 30°, 45°", unit = "m", columns = { _1 = "x", _2 = "y" } }
    apart = { label = "largest difference", unit = "m", digits = 2 }

    [rows.forward.pictures]
    "004-forward.svg" = "The arm, and where its tip is."
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module, resources
from itertools import product
from pkgutil import iter_modules
from string import Formatter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ulna.papers.page_text import power_of_ten
from ulna.papers.row import (
    Film,
    Number,
    Paper,
    Picture,
    Place,
    PlaceKind,
    Played,
    Row,
    SeeAlso,
    TypesetEquation,
    Verdict,
)

Values: TypeAlias = Mapping[str, Any]
_Function = TypeVar("_Function", bound=Callable[..., Any])

NEEDED = ("title", "where", "printed", "ours", "why")
TEXTS = (*NEEDED, "how", "size", "transcription")
OF_ROW = {
    *(*TEXTS, "verdict", "call", "see_also"),
    *("every_number", "numbers", "pictures", "films", "equations"),
}
POWER = re.compile(r"(-?[\d.]+)e([+-]\d+)")  # as Python writes numbers with one
OF_EQUATION = {"about", "printed", "right", "printed_when", "right_when", "step"}
OF_NUMBER = {"of", "label", "unit", "printed", "digits", "lines", "columns"}


class RowsFileError(LookupError):
    """A row without what computes it, or the other way round; a word that a row does not have."""


class PaperRows:
    """The rows of one paper, computed when they are called for.

    Parameters
    ----------
    package : str
        Name of the package with the file rows.toml. Functions in any of its modules are tied to
        the rows of the file by the decorators `values`, `picture` and `film`.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self._values: dict[str, Callable[[], Values]] = {}
        self._drawn: dict[str, Callable[..., Any]] = {}
        self._played: dict[str, Callable[[], Played]] = {}

    def values(self, key: str) -> Callable[[_Function], _Function]:
        """Let a function compute the values of a row."""
        return _added(self._values, key)

    def picture(self, file: str) -> Callable[[_Function], _Function]:
        """Let a function draw a picture, which it returns as a figure."""
        return _added(self._drawn, file)

    def film(self, file: str) -> Callable[[_Function], _Function]:
        """Let a function make a film, into the file that it is called with."""
        return _added(self._drawn, file)

    def derivation(self) -> str:
        """Return our derivation of the paper's equations, as a part of a page."""
        from ulna.papers.compared_equations import derivation_html

        return derivation_html(self._text["derivation"])

    def player(self, file: str) -> Callable[[_Function], _Function]:
        """Let a function return what a player shows in the place of a film."""
        return _added(self._played, file)

    @cached_property
    def paper(self) -> Paper:
        """The paper, none of whose rows is computed yet."""
        text = self._text
        unnumbered = text.get("unnumbered", ())
        places = (
            _place(anchor, place, unnumbered) for anchor, place in text.get("places", {}).items()
        )
        words = {name: _plain(text[name]) for name in ("number", "authors", "title", "about")}
        return Paper(**words, judge=self, places=tuple(places), derivation=self.derivation)

    def __call__(self) -> tuple[Row, ...]:
        """Return the rows: the items of the paper, then its errata."""
        for module in iter_modules(import_module(self.package).__path__):
            import_module(f"{self.package}.{module.name}")
        rows = self._text["rows"]
        for key, row in rows.items():
            _check(key, row)
        drawn = {file for row in rows.values() for file in _files(row)}
        for kind, made, written in (
            ("row", self._values, rows),
            ("file", self._drawn, drawn),
            ("film", self._played, drawn),
        ):
            if strange := sorted(set(made) - set(written)):
                raise RowsFileError(f"no {kind} of rows.toml is called {', '.join(strange)}")
        return tuple(self._row(key, row) for key, row in rows.items())

    @cached_property
    def _text(self) -> dict[str, Any]:
        return tomllib.loads(resources.files(self.package).joinpath("rows.toml").read_text("utf-8"))

    def _row(self, key: str, text: dict[str, Any]) -> Row:
        values = dict(_spread(self._values[key]())) if key in self._values else {}
        every = text.get("every_number", {})
        try:
            texts = {name: _filled(text[name], values) for name in TEXTS if name in text}
            numbers = (
                number
                for name, written in text.get("numbers", {}).items()
                for number in self._numbers(name, {**every, **written}, values)
            )
            pictures, films = (
                [(file, _filled(caption, values)) for file, caption in text.get(kind, {}).items()]
                for kind in ("pictures", "films")
            )
            return Row(
                key=key,
                verdict=Verdict(text["verdict"]),
                call=text.get("call", ""),
                numbers=tuple(numbers),
                pictures=tuple(Picture(*one, self._drawn[one[0]]) for one in pictures),
                films=tuple(
                    Film(*one, self._drawn[one[0]], self._played.get(one[0])) for one in films
                ),
                equations=_typeset(text.get("equations", ())),
                see_also=tuple(SeeAlso(*link) for link in text.get("see_also", {}).items()),
                **texts,
            )
        except KeyError as missing:
            raise RowsFileError(f"nothing computes {missing} of {self.package}, {key}") from None

    def _numbers(self, name: str, text: dict[str, Any], values: Values) -> Iterator[Number]:
        """Read a number, a line of a table, or a table of some lines with the same columns."""
        lines = text.get("lines", {name: text.get("of", "")})
        columns = text.get("columns", {"": text.get("label", "")})
        if isinstance(columns, str):
            columns = self._text["columns"][columns]
        printed = text.get("printed")
        for (line, of), (ending, label) in product(lines.items(), columns.items()):
            yield Number(
                line + ending,
                float(values[(line + ending).replace("-", "_")]),
                text.get("unit", ""),
                float(values[printed]) if isinstance(printed, str) else printed,
                _filled(label, values),
                _filled(of, values),
                text.get("digits", 6),
            )


def _added(functions: dict[str, Any], name: str) -> Callable[[_Function], _Function]:
    def add(function: _Function) -> _Function:
        if name in functions:
            raise RowsFileError(f"two functions are for {name}")
        functions[name] = function
        return function

    return add


def _check(key: str, row: dict[str, Any]) -> None:
    if missing := {*NEEDED, "verdict"} - set(row):
        raise RowsFileError(f"{key} of rows.toml has no {', '.join(sorted(missing))}")
    given = set(row) - OF_ROW
    for number in (row.get("every_number", {}), *row.get("numbers", {}).values()):
        given |= set(number) - OF_NUMBER
    for equation in row.get("equations", ()):
        given |= set(equation) - OF_EQUATION
    if given:
        raise RowsFileError(f"{key} of rows.toml has an unknown {', '.join(sorted(given))}")


def _typeset(texts: Sequence[Mapping[str, str]]) -> tuple[TypesetEquation, ...]:
    if not texts:
        return ()
    # SymPy takes half a second to load, and not every row needs it.
    from ulna.papers.compared_equations import read_equation

    return tuple(read_equation(text).typeset() for text in texts)


def _files(row: dict[str, Any]) -> Iterator[str]:
    yield from row.get("pictures", ())
    yield from row.get("films", ())


def _place(anchor: str, text: dict[str, Any], unnumbered: list[str]) -> Place:
    kind, _, number = anchor.rpartition("-")
    rows, numbered = tuple(text.get("rows", ())), kind not in unnumbered
    return Place(PlaceKind(kind), int(number), _plain(text["about"]), rows, numbered)


def _spread(values: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Name the values one by one: parts have the name of the whole before their own."""
    if hasattr(values, "_asdict"):
        values = values._asdict()
    elif isinstance(values, list | tuple) or np.ndim(values):
        values = dict(enumerate(values, start=1))
    if not isinstance(values, Mapping):
        yield before[:-1].replace("-", "_"), values
        return
    for name, value in values.items():
        yield from _spread(value, f"{before}{name}_")


class _RowTemplate(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec.removeprefix("−"))
        if power := POWER.fullmatch(text):
            return power_of_ten(*power.groups())
        return text.replace("-", "−") if format_spec.startswith("−") else text


def _filled(text: str, values: Values) -> str:
    return _RowTemplate().vformat(_plain(text), (), values)


def _plain(text: str) -> str:
    """Return a text without the line breaks that it is written with, but for empty lines."""
    paragraphs = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)

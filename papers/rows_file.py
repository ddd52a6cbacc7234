"""The rows of a paper: the text of its rows.toml, joined with values that functions compute.

The file contains all text, row by row in their order. Texts are templates, such as "it gains
{inwards:.2f} rad/s²", filled with the values that a function returns for the row. A format that
begins with − writes minus signs like that one; powers of ten are written as 2 × 10⁻¹⁵. A value with
parts, an array or a mapping, stands for several values: `torque` for {torque_1} and {torque_2}.
Line breaks within a text are spaces.

The numbers of a row are named after values. Those that form one line of a table are written
together, with its `columns` by what they add to the name, and so are several `lines` of a table.
Columns that many lines share are named under [columns]; fields that all numbers of a row share are
written once, in `every_number`. Equations are written in the names of letters, as `printed` and,
where it differs, as `right`, with the title of the `step` of our derivation. The arguments of
`ulna.derive` are under [derivation]. A row's `see_also` maps texts of links to pages.

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
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module, resources
from itertools import product
from pkgutil import iter_modules
from string import Formatter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from papers.page_text import power_of_ten, slug
from papers.row import (
    Number,
    Paper,
    Picture,
    Place,
    PlaceKind,
    Player,
    Row,
    SeeAlso,
    TypesetEquation,
    Verdict,
)

Values: TypeAlias = Mapping[str, Any]
_Function = TypeVar("_Function", bound=Callable[..., Any])

TEXTS = ("title", "where", "printed", "ours", "why", "how", "size", "transcription")
POWER = re.compile(r"(-?[\d.]+)e([+-]\d+)")  # as Python writes numbers with one
INVERSE = "Inverse kinematics"  # steps that `ulna.derive` does not have
INVERSE_PAGE = "inverse-kinematics.html"


class PaperRows:
    """The rows of one paper, computed on demand.

    Parameters
    ----------
    package : str
        Name of the package that contains rows.toml. Functions in any of its modules are attached
        to the rows of the file by the decorators `values`, `picture` and `player`.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self._values: dict[str, Callable[[], Values]] = {}
        self._files: dict[str, Callable[..., Any]] = {}

    def values(self, key: str) -> Callable[[_Function], _Function]:
        """Let a function compute the values of a row."""
        return _adder(self._values, key)

    def picture(self, file: str) -> Callable[[_Function], _Function]:
        """Let a function draw a picture, which it returns as a figure."""
        return _adder(self._files, file)

    def player(self, file: str) -> Callable[[_Function], _Function]:
        """Let a function return the page of a player."""
        return _adder(self._files, file)

    @cached_property
    def text(self) -> dict[str, Any]:
        """The content of rows.toml."""
        return tomllib.loads(resources.files(self.package).joinpath("rows.toml").read_text("utf-8"))

    @cached_property
    def paper(self) -> Paper:
        """The paper, none of whose rows is computed yet."""
        text = self.text
        unnumbered = text.get("unnumbered", ())
        places = (
            _place(anchor, place, unnumbered) for anchor, place in text.get("places", {}).items()
        )
        words = {name: _plain(text[name]) for name in ("number", "authors", "title", "about")}
        derived = {
            self._derivation_page(one.get("of", "")): {k: v for k, v in one.items() if k != "of"}
            for one in text.get("derivation", ())
        }
        return Paper(**words, judge=self.rows, places=tuple(places), derivations=derived)

    def rows(self) -> tuple[Row, ...]:
        """Compute the rows: the items of the paper, then its errata and remarks."""
        for module in iter_modules(import_module(self.package).__path__):
            import_module(f"{self.package}.{module.name}")
        rows = self.text["rows"]
        files = {file for row in rows.values() for kind in FILES for file in row.get(kind, ())}
        if unused := (self._values.keys() - rows.keys()) | (self._files.keys() - files):
            raise LookupError(f"rows.toml of {self.package} does not use {sorted(unused)}")
        return tuple(self._row(key, row) for key, row in rows.items())

    def _row(self, key: str, text: Mapping[str, Any]) -> Row:
        values = dict(_spread(self._values[key]())) if key in self._values else {}
        try:
            return self._filled_row(key, dict(text), values)
        except (LookupError, TypeError, ValueError) as error:
            error.add_note(f"in row {key} of {self.package}")
            raise

    def _filled_row(self, key: str, text: dict[str, Any], values: Values) -> Row:
        every = text.pop("every_number", {})
        numbers = (
            number
            for name, written in text.pop("numbers", {}).items()
            for number in self._numbers(name, {**every, **written}, values)
        )
        made: dict[str, Any] = {
            kind: tuple(
                record(file, _filled(caption, values), self._files[file])
                for file, caption in text.pop(kind, {}).items()
            )
            for kind, record in FILES.items()
        }
        fields: dict[str, Any] = {
            "verdict": Verdict(text.pop("verdict")),
            "numbers": tuple(numbers),
            "equations": tuple(self._equation(one) for one in text.pop("equations", ())),
            "see_also": tuple(SeeAlso(*link) for link in text.pop("see_also", {}).items()),
            **{name: _filled(text.pop(name), values) for name in TEXTS if name in text},
        }
        return Row(key=key, **made, **fields, **text)  # the rest is the call, or not a field

    def _numbers(self, name: str, text: dict[str, Any], values: Values) -> Iterator[Number]:
        """Read a number, a line of a table, or several lines of a table with the same columns."""
        lines = text.pop("lines", {name: text.pop("of", "")})
        columns = text.pop("columns", {"": text.pop("label", "")})
        if isinstance(columns, str):
            columns = self.text["columns"][columns]
        printed = text.pop("printed", None)
        for (line, of), (ending, label) in product(lines.items(), columns.items()):
            yield Number(
                line + ending,
                float(values[(line + ending).replace("-", "_")]),
                printed=float(values[printed]) if isinstance(printed, str) else printed,
                label=_filled(label, values),
                of=_filled(of, values),
                **text,
            )

    def _equation(self, text: Mapping[str, str]) -> TypesetEquation:
        # SymPy takes half a second to load, and not every row needs it.
        from papers.equations import read_equation

        return read_equation(text).typeset(text["step"], self._step_address(text["step"]))

    def _step_address(self, step: str) -> str:
        """Return where a step of our derivations is shown, such as "Two joints: Positions"."""
        of, _, title = step.rpartition(": ")
        page = INVERSE_PAGE if of == INVERSE else self._derivation_page(of)
        return f"{page}#{slug(title)}"

    def _derivation_page(self, of: str) -> str:
        return "-".join(filter(None, (self.text["number"], "derivation", slug(of)))) + ".html"


FILES: Mapping[str, Callable[..., Any]] = {"pictures": Picture, "players": Player}


def _adder(functions: dict[str, Any], name: str) -> Callable[[_Function], _Function]:
    def add(function: _Function) -> _Function:
        functions[name] = function
        return function

    return add


def _place(anchor: str, text: dict[str, Any], unnumbered: list[str]) -> Place:
    kind, _, number = anchor.rpartition("-")
    rows, numbered = tuple(text.get("rows", ())), kind not in unnumbered
    return Place(PlaceKind(kind), int(number), _plain(text["about"]), rows, numbered)


def _spread(values: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Name the values one by one: the name of a part begins with the name of the whole."""
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
    """Return a text without its line breaks, except for empty lines."""
    paragraphs = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)

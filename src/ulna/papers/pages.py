"""The papers as pages to read: HTML for a folder, Markdown for the docs, JSON for programs.

How pages look is written in templates/; here is what goes into them, and how numbers and texts are
written so that they are safe to stand in HTML.
"""

from __future__ import annotations

import html
import json
import math
import platform
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ulna._version import __version__
from ulna.papers.library import NUMBERS
from ulna.papers.row import Film, Number, Paper, Picture, Place, Row, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

    from ulna.papers.players import Viewer
    from ulna.viewer.web_document import WebDocument

Size: TypeAlias = tuple[int, int]  # [pixels] wide and high
INDEX, ERRATA = "index.html", "errata.html"
PICTURES, FILMS = "pictures", "films"  # folders beside the pages
PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib")
FORMAT = 1  # of the data
THUMBNAILS = 3  # of a paper
# What shows best what a paper is about; of others the first ones.
TELLING = (
    "000-figure-4", "000-figure-5", "000-figure-6",
    "001-figure-1", "001-figure-3", "001-four-joints",
)  # fmt: skip
COUNTS = ("None", "One", "Two", "Three", "Four")
FULL = 0.6  # of a grid's places that numbers have to fill, or it is better a list
WIDEST = 9  # columns
ROUNDING = 1e-12  # the part of a number that arithmetic may have cost it
SMALL = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CODE = re.compile("`([^`]+)`")
SPECIAL = re.compile(r"[*<\[\]]")  # what would be more than itself in Markdown outside of code


class VerdictLook(NamedTuple):
    """How a verdict is shown: a mark tells it from others in grey print as well."""

    mark: str
    style: str
    meaning: str


LOOKS = {
    Verdict.SAME: VerdictLook("=", "same", "Computed again, it comes out as the paper prints it."),
    Verdict.CORRECTED: VerdictLook(
        "→", "corrected", "It holds once an erratum is put right, and the row says which."
    ),
    Verdict.WRONG: VerdictLook(
        "≠", "wrong", "It does not hold as it stands, and the row says what does."
    ),
    Verdict.INCOMPLETE: VerdictLook(
        "+",
        "incomplete",
        "What it says holds, but something is left out, and the row says what.",
    ),
    Verdict.REMARK: VerdictLook(
        "i",
        "remark",
        "Nothing has to be put right; the row adds what is worth knowing. It does not count as an "
        "erratum.",
    ),
    Verdict.NOT_YET: VerdictLook(
        "○", "not-yet", "The paper leaves it for later, and not all of it is here yet either."
    ),
}


@dataclass(frozen=True)
class Judged:
    """A paper with its rows."""

    paper: Paper
    rows: tuple[Row, ...]

    @property
    def items(self) -> tuple[Row, ...]:
        """What the paper computes."""
        return tuple(row for row in self.rows if row.item)

    @property
    def errata(self) -> tuple[Row, ...]:
        """Where something of it has to be read otherwise."""
        return tuple(row for row in self.rows if row.erratum)

    @property
    def remarks(self) -> tuple[Row, ...]:
        """What there is to be said where nothing is to be put right."""
        return tuple(row for row in self.rows if row.remark)

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the rows by their keys."""
        return {row.key: row.title for row in self.rows}

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"{self.paper.number}.html"

    @property
    def derivation(self) -> str:
        """The name of the page with our derivation, or nothing where no row refers to one."""
        has = any(row.equations for row in self.rows)
        return f"{self.paper.number}-derivation.html" if has else ""


@dataclass(frozen=True)
class Edition:
    """All that the pages of one folder show."""

    judged: tuple[Judged, ...]
    # Width and height [pixels] of pictures, films and their posters, by their paths.
    made: Mapping[str, Size] = field(default_factory=dict)
    # What players show in the place of films, by the paths of those.
    players: Mapping[str, WebDocument] = field(default_factory=dict)
    filmed: bool = True  # whether films were asked for
    stopped: bool = False  # by Ctrl-C, before all was done
    missing: tuple[str, ...] = ()  # papers that were asked for and not come to

    @cached_property
    def versions(self) -> dict[str, str]:
        """What computed it: nothing in the pages depends on when or where that was."""
        found = {"ulna": __version__, "python": platform.python_version()}
        return found | {name: metadata.version(name) for name in PACKAGES}

    def derivation_of(self, row: Row) -> str:
        """Return the name of the page with the derivation of a row's equations."""
        return next(judged.derivation for judged in self.judged if row in judged.rows)

    def has(self, thing: Picture | Film) -> bool:
        """Return whether a picture or film was made."""
        return path(thing) in self.made

    def images(self, picture: Picture) -> list[tuple[str, Size, str]]:
        """Return the files of a picture with their sizes, and in which theme each is shown."""
        light, dark = path(picture), dark_path(picture)
        if dark not in self.made:
            return [(light, self.made[light], "")]
        return [(light, self.made[light], "on-light"), (dark, self.made[dark], "on-dark")]


def path(thing: Picture | Film) -> str:
    """Return the place of a picture or film in the folder."""
    return f"{PICTURES if isinstance(thing, Picture) else FILMS}/{thing.file}"


def dark_path(picture: Picture) -> str:
    """Return the place of a picture for dark pages, where it takes a file of its own."""
    stem, _, ending = path(picture).rpartition(".")
    return f"{stem}-dark.{ending}"


def poster(film: Film) -> str:
    """Return the place of the picture that stands for a film until it plays."""
    return f"{FILMS}/{film.file.rpartition('.')[0]}.jpg"


def counted(rows: Sequence[Row]) -> dict[Verdict, int]:
    """Count the rows by their verdicts, those of which there is none included."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in Verdict}


def index_page(edition: Edition) -> str:
    """Return the first page: the papers, what became of them, how to read the verdicts."""
    count = len(edition.judged)
    number = "Five" if count == len(NUMBERS) else f"{COUNTS[count]} of five"
    return _page(INDEX, f"{number} papers, computed again", edition)


def paper_page(judged: Judged, edition: Edition) -> str:
    """Return the page of one paper: every row of it, in full."""
    paper = judged.paper
    title = f"{paper.number} {paper.title}"
    films = [path(film) for row in judged.rows for film in row.films]
    viewer = _viewer() if any(film in edition.players for film in films) else None
    given: dict[str, Any] = {"judged": judged, "paper": paper, "viewer": viewer}
    return _page("paper.html", title, edition, here=judged.page, **given)


def _viewer() -> Viewer | None:
    from ulna.papers.players import viewer

    return viewer()


def derivation_page(judged: Judged, edition: Edition) -> str:
    """Return the page with our derivation of a paper's equations."""
    paper = judged.paper
    if paper.derivation is None:
        raise LookupError(f"paper {paper.number} has no derivation")
    title = f"{paper.number} Our derivation"
    told = {"judged": judged, "paper": paper, "derivation": paper.derivation()}
    return _page("derivation.html", title, edition, here=judged.derivation, **told)


def errata_page(edition: Edition) -> str:
    """Return the page with all errata of all papers."""
    return _page(ERRATA, "Errata of five papers", edition)


def errata_markdown(judged: Iterable[Judged]) -> str:
    """Write the errata of the papers, a table for each."""
    return _environment().get_template("errata.md").render(papers=judged)


def errata_section(judged: Judged) -> str:
    """Write the errata and the remarks of one paper."""
    return _environment().get_template("errata_section.md").render(judged=judged)


def numbers_table(numbers: Sequence[Number], caption: str) -> str:
    """Return tables: a grid of `of` and `label` wherever numbers make one, else a number a line."""
    module: Any = _environment().get_template("numbers.html").module
    return str(module.tables(numbers, caption))


def _page(template: str, title: str, edition: Edition, *, here: str = "", **given: Any) -> str:
    """Return a whole page that needs nothing but the files beside it, and no script."""
    papers = {judged.page: judged.paper.number for judged in edition.judged}
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            edition=edition,
            here=here or template,
            ways={INDEX: "Overview", **papers, ERRATA: "Errata"},
            looks=LOOKS,
            **{"viewer": None, **given},
        )
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("ulna.papers"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for write in (escaped, prose, plain, paragraphs):
        made.filters[write.__name__] = lambda text, write=write: Markup(write(text))
    made.filters |= {
        "path": path,
        "poster": poster,
        "counted": lambda rows: counted(rows).items(),
        "words": counted_words,
        "errata_count": errata_count,
        "telling": _telling,
        "figure": figure,
        "as_printed": as_printed,
        "label": _label,
        "blocks": blocks,
        "columns": _columns,
        "line_names": lambda numbers: list(dict.fromkeys(number.of for number in numbers)),
        "grouped": _grouped,
        "any_printed": _has_printed,
        "fill": _fill,
        "cell": _cell,
    }
    made.tests["grid"] = is_grid
    return made


def _telling(judged: Judged, edition: Edition) -> list[tuple[Row, Picture]]:
    """Return the pictures that show best what a paper is about, with their rows."""
    made = [(row, one) for row in judged.rows for one in row.pictures if edition.has(one)]
    telling = [(row, one) for row, one in made if one.file.rpartition(".")[0] in TELLING]
    others = [pair for pair in made if pair not in telling]
    return [*telling, *others][:THUMBNAILS]


def errata_count(judged: Judged) -> str:
    """Write how many errata and remarks a paper has."""
    errata = counted_words(len(judged.errata), "erratum") if judged.errata else "no errata"
    remarks = counted_words(len(judged.remarks), "remark")
    return f"{errata}, {remarks}" if judged.remarks else errata


def escaped(text: str) -> str:
    """Return a text that means nothing to a browser but itself."""
    return html.escape(text, quote=True)


def prose(text: str) -> str:
    """Return a text as HTML, with what stands between back quotes as code."""
    return CODE.sub(r"<code>\1</code>", escaped(text))


def paragraphs(text: str) -> str:
    """Return a text as HTML, a paragraph for each that an empty line sets apart."""
    return "".join(f"<p>{prose(part.strip())}</p>" for part in text.split("\n\n") if part.strip())


def plain(text: str) -> str:
    """Return a text without back quotes, for a place that shows letters only."""
    return escaped(text.replace("`", ""))


def counted_words(count: int, noun: str) -> str:
    """Write how many there are.

    >>> counted_words(1, "item"), counted_words(25, "item"), counted_words(2, "erratum")
    ('1 item', '25 items', '2 errata')
    """
    several = "errata" if noun == "erratum" else f"{noun}s"
    return f"{count} {noun if count == 1 else several}"


def figure(value: float, digits: int = 6) -> str:
    """Write a number with so many significant digits, or fewer where those are all it has.

    >>> figure(-17.350123, 5), figure(12.5, 5), figure(2e-16, 3), figure(float("inf"))
    ('−17.350', '12.5', '2 × 10⁻¹⁶', '∞')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    text = f"{value:.{digits}g}"
    if not math.isclose(float(text), value, rel_tol=ROUNDING):
        text = f"{value:#.{digits}g}"
    text, _, power = text.partition("e")
    text = "0" if float(text) == 0.0 else text.rstrip(".").replace("-", "−")
    return f"{text} × 10{str(int(power)).translate(SMALL)}" if power else text


def as_printed(value: float) -> str:
    """Write a number of a paper with the digits that it was given with."""
    return figure(value, 15)


def _fill(text: str, width: int) -> str:
    return "\n\n".join(textwrap.fill(part.strip(), width) for part in text.strip().split("\n\n"))


def _cell(text: str) -> str:
    """Return a text for a cell of a table in Markdown.

    A bar would end the cell, within code too; a line break would end the table.
    """
    parts = re.split("(`[^`]+`)", " ".join(text.split()).replace("|", "\\|"))
    return "".join(
        part if part.startswith("`") else SPECIAL.sub(r"\\\g<0>", part) for part in parts
    )


def blocks(numbers: Sequence[Number]) -> list[list[Number]]:
    """Divide numbers, in their order, into such as make one grid and such as make a list."""
    if not numbers or is_grid(numbers):
        return [list(numbers)] if numbers else []
    parts: list[list[Number]] = []
    for _, alike in groupby(_grouped(numbers), key=lambda line: _labels(line[1])):
        part = [number for _, line in alike for number in line]
        if parts and not is_grid(part) and not is_grid(parts[-1]):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def is_grid(numbers: Sequence[Number]) -> bool:
    """Return whether numbers fill lines and columns of their own well enough."""
    lines = {number.of for number in numbers}
    columns = Counter(_label(number) for number in numbers)
    places = {(number.of, _label(number)) for number in numbers}
    return (
        len(lines) > 1
        and len(columns) <= WIDEST
        and min(columns.values()) > 1
        and len(places) == len(numbers)
        and len(numbers) >= FULL * len(lines) * len(columns)
    )


class GridColumn(NamedTuple):
    """A column of a grid."""

    label: str
    unit: str  # if its numbers have one in common
    beside: bool  # whether what is printed stands beside what we find
    by_line: dict[str, Number | None]


def _columns(numbers: Sequence[Number]) -> list[GridColumn]:
    lines = dict.fromkeys(number.of for number in numbers)
    columns = []
    for label in dict.fromkeys(_label(number) for number in numbers):
        within = [number for number in numbers if _label(number) == label]
        units = {number.unit for number in within}
        unit = units.pop() if len(units) == 1 else ""
        by_line = {**lines, **{number.of: number for number in within}}
        columns.append(GridColumn(label, unit, _has_printed(within), by_line))
    return columns


def _grouped(numbers: Sequence[Number]) -> list[tuple[str, list[Number]]]:
    """Return the numbers that belong together, one line after the other."""
    return [(of, list(line)) for of, line in groupby(numbers, key=lambda number: number.of)]


def _labels(line: Sequence[Number]) -> tuple[str, ...]:
    # One number a line makes no grid worth its head, but in a list it does well.
    return tuple(_label(number) for number in line) if len(line) > 1 else ()


def _label(number: Number) -> str:
    return number.label or number.name


def _has_printed(numbers: Sequence[Number]) -> bool:
    return any(number.printed is not None for number in numbers)


def data(edition: Edition) -> str:
    """Write an edition as JSON, numbers in full precision; what is not a finite one is null."""
    content = {
        "format": FORMAT,
        "versions": edition.versions,
        "papers": [_paper_data(judged, edition) for judged in edition.judged],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _paper_data(judged: Judged, edition: Edition) -> dict[str, Any]:
    paper = judged.paper
    return {
        "number": paper.number,
        "authors": paper.authors,
        "title": paper.title,
        "about": paper.about,
        "verdicts": {verdict.value: count for verdict, count in counted(judged.rows).items()},
        "rows": [_row_data(row, edition) for row in judged.rows],
        "places": [_place_data(place) for place in paper.places],
    }


def _place_data(place: Place) -> dict[str, Any]:
    names = ("anchor", "name", "numbered", "about")
    return {name: getattr(place, name) for name in names} | {"rows": list(place.rows)}


def _row_data(row: Row, edition: Edition) -> dict[str, Any]:
    texts = ("key", "title", "where", "printed", "ours", "why", "how", "size", "transcription")
    told: dict[str, Any] = {
        name: getattr(row, name) for name in (*texts, "call") if getattr(row, name)
    }
    told["verdict"] = row.verdict.value
    told["equations"] = [
        {
            "about": one.about,
            "printed": one.printed_latex,
            "right": one.right_latex,
            "same": one.same,
            "derivation": f"{edition.derivation_of(row)}#{one.anchor}",
        }
        for one in row.equations
    ]
    told["numbers"] = [_number_data(number) for number in row.numbers]
    for kind in ("pictures", "films"):
        things = [thing for thing in getattr(row, kind) if edition.has(thing)]
        told[kind] = [{"file": path(thing), "caption": thing.caption} for thing in things]
    return told


def _number_data(number: Number) -> dict[str, Any]:
    told = {"name": number.name, "of": number.of, "label": number.label, "unit": number.unit}
    told = {key: text for key, text in told.items() if text}
    return {**told, "ours": _finite(number.ours), "printed": _finite(number.printed)}


def _finite(value: float | None) -> float | None:
    # Numbers of NumPy are written as Python's own.
    return float(value) if value is not None and math.isfinite(value) else None

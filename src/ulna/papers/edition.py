"""What the pages of one folder show, where its files are, and all of it as data.

The data are JSON, with every number in full precision.
"""

from __future__ import annotations

import json
import math
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeAlias

from ulna._version import __version__
from ulna.papers.row import Film, Number, Paper, Picture, Place, Row, Verdict

if TYPE_CHECKING:
    from ulna.viewer.web_document import WebDocument

Size: TypeAlias = tuple[int, int]  # [pixels] wide and high
PICTURES, FILMS = "pictures", "films"  # folders beside the pages
FORMAT = 1  # of the data
PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib")


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


def rows_data(edition: Edition) -> str:
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
    if row.see_also:
        told["see_also"] = [link._asdict() for link in row.see_also]
    return told


def _number_data(number: Number) -> dict[str, Any]:
    told = {"name": number.name, "of": number.of, "label": number.label, "unit": number.unit}
    told = {key: text for key, text in told.items() if text}
    return {**told, "ours": _finite(number.ours), "printed": _finite(number.printed)}


def _finite(value: float | None) -> float | None:
    # Numbers of NumPy are written as Python's own.
    return float(value) if value is not None and math.isfinite(value) else None

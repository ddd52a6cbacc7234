"""What goes into the pages: the papers that were judged, and the files that were made."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata

from ulna._version import __version__
from ulna.papers.row import Film, Paper, Picture, Row, Verdict

PICTURES, FILMS = "pictures", "films"  # folders beside the pages
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
    def page(self) -> str:
        """The name of its page."""
        return f"{self.paper.number}.html"


@dataclass(frozen=True)
class Edition:
    """All that the pages of one folder show."""

    judged: tuple[Judged, ...]
    made: frozenset[str] = frozenset()  # pictures, films and their posters, by their paths
    filmed: bool = True  # whether films were asked for
    stopped: bool = False  # by Ctrl-C, before all was done
    missing: tuple[str, ...] = ()  # papers that were asked for and not come to

    @cached_property
    def versions(self) -> dict[str, str]:
        """What computed it: nothing in the pages depends on when or where that was."""
        found = {"ulna": __version__, "python": platform.python_version()}
        return found | {name: metadata.version(name) for name in PACKAGES}

    def has(self, thing: Picture | Film) -> bool:
        """Return whether a picture or film was made."""
        return path(thing) in self.made


def path(thing: Picture | Film) -> str:
    """Return the place of a picture or film in the folder."""
    return f"{PICTURES if isinstance(thing, Picture) else FILMS}/{thing.file}"


def poster(film: Film) -> str:
    """Return the place of the picture that stands for a film until it plays."""
    return f"{FILMS}/{film.file.rpartition('.')[0]}.jpg"


def counted(rows: tuple[Row, ...]) -> dict[Verdict, int]:
    """Count the rows by their verdicts, those of which there is none included."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in Verdict}

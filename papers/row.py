"""A paper as data: one row per statement, what is printed beside what we compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Verdict(StrEnum):
    """The result of computing a statement again."""

    SAME = "same"  # it comes out as printed
    CONSISTENT = (
        "consistent with the text"  # the text agrees; there is no figure or number to compare
    )
    CORRECTED = "corrected"  # it holds once an erratum is corrected
    WRONG = "wrong as printed"  # it does not hold, and the row says what does
    INCOMPLETE = "incomplete"  # it holds, but not without what is left out
    REMARK = "remark"  # nothing to correct, but something to add
    NOT_YET = "not yet"  # named as future work, and not complete here either


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a row: ours, beside the printed one if there is one.

    Parameters
    ----------
    name : str
        Name in tests and in the data file, unique within its row.
    ours : float
        The number that we compute.
    unit : str, optional
        Its unit.
    printed : float, optional
        The number that the paper prints.
    label : str, optional
        Head of its column in a table; the name if empty.
    of : str, optional
        Numbers with the same text form one line of a table.
    digits : int, optional
        Number of significant digits shown.
    """

    name: str
    ours: float
    unit: str = ""
    printed: float | None = None
    label: str = ""
    of: str = ""
    digits: int = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, drawn on demand.

    Parameters
    ----------
    file : str
        File name, such as "000-figure-1.svg"; .png for figures with many points.
    caption : str
        What it shows.
    draw : callable
        Returns the Matplotlib figure in a theme, `draw(theme=viewer.DARK)`.
    """

    file: str
    caption: str
    draw: Callable[..., Figure]


@dataclass(frozen=True, slots=True)
class Player:
    """Runs to play on a page, made on demand.

    Parameters
    ----------
    file : str
        File name, such as "000-figure-7.html".
    caption : str
        What it shows.
    page : callable
        Returns the page that plays them, as HTML.
    """

    file: str
    caption: str
    page: Callable[[], str]


class SeeAlso(NamedTuple):
    """A link from a row to a related page."""

    text: str
    href: str  # relative to the folder of the pages


@dataclass(frozen=True, slots=True)
class TypesetEquation:
    """An equation as printed beside the right one, with the differences marked in both.

    Parameters
    ----------
    printed, right : str
        MathML elements.
    same : bool
        Whether nothing differs.
    step : str
        Title of the step of our derivation that contains it.
    href : str
        Address of that step, relative to the folder of the pages.
    about : str, optional
        Which equation it is, such as "(33)".
    """

    printed: str
    right: str
    same: bool
    step: str
    href: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One statement of a paper, with a verdict.

    Texts are plain, with `code` between back quotes. Errata and remarks of a paper are numbered
    together.

    Parameters
    ----------
    key : str
        Unique within the paper, such as "figure-5" or "erratum-8".
    title : str
        What it is about.
    where : str
        "Figure 5", "§2.4.1", "Code 3".
    printed : str
        What the paper says; for an erratum the symbol as printed.
    ours : str
        What we find; for an erratum the right symbol.
    verdict : Verdict
        The result.
    why : str
        The reason, in a sentence.
    how : str, optional
        How an erratum was checked.
    size : str, optional
        How much an erratum matters.
    transcription : str, optional
        What may be damage of our text rather than of the paper.
    call : str, optional
        Python code that answers it, runnable as it stands.
    numbers : tuple of Number, optional
        Its numbers.
    pictures : tuple of Picture, optional
        Its figures.
    players : tuple of Player, optional
        Its runs, to be played.
    equations : tuple of TypesetEquation, optional
        Its equations, as printed and corrected.
    see_also : tuple of SeeAlso, optional
        Links to related pages.
    """

    key: str
    title: str
    where: str
    printed: str
    ours: str
    verdict: Verdict
    why: str
    how: str = ""
    size: str = ""
    transcription: str = ""
    call: str = ""
    numbers: tuple[Number, ...] = ()
    pictures: tuple[Picture, ...] = ()
    players: tuple[Player, ...] = ()
    equations: tuple[TypesetEquation, ...] = ()
    see_also: tuple[SeeAlso, ...] = ()

    @property
    def item(self) -> bool:
        """Whether the row is a result to be reproduced, and not a note on the text."""
        return not self.key.startswith("erratum-")

    @property
    def erratum(self) -> bool:
        """Whether the row is a note on something that has to be corrected."""
        return not self.item and self.verdict is not Verdict.REMARK

    @property
    def remark(self) -> bool:
        """Whether the row is a note on the text with nothing to correct."""
        return not self.item and self.verdict is Verdict.REMARK

    @property
    def values(self) -> Mapping[str, float]:
        """Our numbers by name."""
        return {number.name: number.ours for number in self.numbers}


class PlaceKind(StrEnum):
    """A kind of thing that papers number, or that can be counted."""

    FIGURE = "figure"
    TABLE = "table"
    LISTING = "listing"
    CODE = "code"  # paper 000's word for its listings
    EQUATION = "equation"


@dataclass(frozen=True, slots=True)
class Place:
    """A numbered figure, table, listing or equation of a paper, and its rows.

    Its address in the paper's page is `anchor`, within the first of its rows.

    Parameters
    ----------
    kind : PlaceKind
        Figure, table, listing or equation.
    number : int
        As printed, or counted from the beginning where the paper has no numbers.
    about : str
        What it shows, in a few words.
    rows : tuple of str, optional
        Keys of its rows.
    numbered : bool, optional
        Whether the number is printed.
    """

    kind: PlaceKind
    number: int
    about: str
    rows: tuple[str, ...] = ()
    numbered: bool = True

    @property
    def anchor(self) -> str:
        """Its address, such as "figure-5"."""
        return f"{self.kind.value}-{self.number}"

    @property
    def name(self) -> str:
        """Its name, such as "Figure 5" or "(38)"."""
        if self.kind is PlaceKind.EQUATION:
            return f"({self.number})"
        return f"{self.kind.value.capitalize()} {self.number}"


@dataclass(frozen=True)
class Paper:
    """One of the five papers.

    Parameters
    ----------
    number : str
        Such as "000".
    authors : str
        Their names.
    title : str
        As printed.
    about : str
        What it asks and what came of it, in a few sentences.
    judge : callable
        Computes and returns its rows.
    places : tuple of Place, optional
        Its figures, tables, listings and equations by number.
    derivations : mapping of str to dict, optional
        Arguments of `ulna.derive` by the names of the pages that show our derivations.
    """

    number: str
    authors: str
    title: str
    about: str
    judge: Callable[[], tuple[Row, ...]]
    places: tuple[Place, ...] = ()
    derivations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows, computed once: the items in their order, then errata and remarks."""
        return self.judge()

    @property
    def items(self) -> tuple[Row, ...]:
        """The results to be reproduced."""
        return tuple(row for row in self.rows if row.item)

    @property
    def errata(self) -> tuple[Row, ...]:
        """Notes on what has to be corrected."""
        return tuple(row for row in self.rows if row.erratum)

    @property
    def remarks(self) -> tuple[Row, ...]:
        """Notes with nothing to correct."""
        return tuple(row for row in self.rows if row.remark)

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"{self.number}.html"

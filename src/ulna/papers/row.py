"""What a paper says and what we find, side by side: one row for every item and every erratum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ulna.motion.planning.plan_result import Plan
    from ulna.simulation.run import Run


class Verdict(StrEnum):
    """What becomes of a statement of a paper when it is computed again."""

    SAME = "same"  # it comes out as printed
    CONSISTENT = (
        "consistent with the text"  # the text agrees; there is no figure or number to compare
    )
    CORRECTED = "corrected"  # it holds once an erratum is put right
    WRONG = "wrong as printed"  # it does not hold, and another thing does
    INCOMPLETE = "incomplete"  # what is said holds, but not without what is left out
    REMARK = "remark"  # there is nothing to be put right, but something to be said
    NOT_YET = "not yet"  # it is named as to be done, and not all of it is done here either


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a row: ours, beside the one that the paper prints if it prints one.

    Parameters
    ----------
    name : str
        By which tests and the file of data know it, once in a row.
    ours : float
        What we find.
    unit : str, optional
        Its unit.
    printed : float, optional
        What the paper prints.
    label : str, optional
        What people read, the head of its column in a table; the name if there is none.
    of : str, optional
        What it belongs to: numbers with the same stand in one line of a table.
    digits : int, optional
        Number of significant digits that are shown.
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
    """A figure, drawn when it is asked for.

    Parameters
    ----------
    file : str
        Such as "000-figure-1.svg"; .png where there are too many points for that.
    caption : str
        What it shows.
    draw : callable
        Returns the Matplotlib figure in a theme, `draw(theme=viewer.DARK)`.
    """

    file: str
    caption: str
    draw: Callable[..., Figure]


@dataclass(frozen=True, slots=True)
class Played:
    """What a player shows: runs of one arm on one clock.

    Parameters
    ----------
    title : str
        What it is.
    runs : mapping of str to Run
        By their labels.
    plan : Plan, optional
        What they were to follow.
    """

    title: str
    runs: Mapping[str, Run]
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Film:
    """A film, made when it is asked for.

    Parameters
    ----------
    file : str
        Such as "000-figure-7.mp4".
    caption : str
        What it shows.
    make : callable
        Writes the film to the file that it is called with.
    play : callable, optional
        Returns what a player shows in its place.
    """

    file: str
    caption: str
    make: Callable[[str], None]
    play: Callable[[], Played] | None = None


class SeeAlso(NamedTuple):
    """A link from a row to something else about it."""

    text: str
    href: str  # from the folder of the pages


@dataclass(frozen=True, slots=True)
class TypesetEquation:
    """An equation as a paper prints it beside the right one, what differs marked in both.

    Parameters
    ----------
    printed, right : str
        Elements of MathML.
    printed_latex, right_latex : str
        The same in LaTeX, without marks.
    same : bool
        Whether nothing differs.
    step : str
        Title of the step of our derivation that has it.
    anchor : str
        Address of that step in the page of the paper's derivation.
    about : str, optional
        Which equation it is, such as "(33)".
    """

    printed: str
    right: str
    printed_latex: str
    right_latex: str
    same: bool
    step: str
    anchor: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One statement of a paper, judged.

    Texts are plain, with `code` between back quotes. Errata and remarks of a paper are numbered
    together.

    Parameters
    ----------
    key : str
        "figure-5" or "erratum-8", once in a paper.
    title : str
        What it is about.
    where : str
        "Figure 5", "§2.4.1", "Code 3".
    printed : str
        What the paper says; for an erratum the symbol as it is printed.
    ours : str
        What we find; for an erratum the symbol as it is right.
    verdict : Verdict
        What became of it.
    why : str
        The reason, in a sentence.
    how : str, optional
        How an erratum was checked.
    size : str, optional
        How much an erratum matters.
    transcription : str, optional
        What of it our text of the paper may have, and not the paper.
    call : str, optional
        Python that answers it, runnable as it stands.
    numbers : tuple of Number, optional
        Its numbers.
    pictures : tuple of Picture, optional
        Its figures.
    films : tuple of Film, optional
        Its films.
    equations : tuple of TypesetEquation, optional
        Its equations, as printed and as they are right.
    see_also : tuple of SeeAlso, optional
        Links to what else there is about it.
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
    films: tuple[Film, ...] = ()
    equations: tuple[TypesetEquation, ...] = ()
    see_also: tuple[SeeAlso, ...] = ()

    @property
    def item(self) -> bool:
        """Whether the row is about something to be reproduced, and not a note on the text."""
        return not self.key.startswith("erratum-")

    @property
    def erratum(self) -> bool:
        """Whether the row is about something in print that has to be read otherwise."""
        return not self.item and self.verdict is not Verdict.REMARK

    @property
    def remark(self) -> bool:
        """Whether the row is a note on the text with nothing in it to be put right."""
        return not self.item and self.verdict is Verdict.REMARK

    @property
    def values(self) -> Mapping[str, float]:
        """Our numbers by their names."""
        return {number.name: number.ours for number in self.numbers}


class PlaceKind(StrEnum):
    """What a paper numbers, or what of it can be counted."""

    FIGURE = "figure"
    TABLE = "table"
    LISTING = "listing"
    CODE = "code"  # what paper 000 calls its listings
    EQUATION = "equation"


@dataclass(frozen=True, slots=True)
class Place:
    """A numbered figure, table, listing or equation of a paper, and the rows that treat it.

    Its address in the paper's page is `anchor`, within the first of its rows.

    Parameters
    ----------
    kind : PlaceKind
        Figure, table, listing or equation.
    number : int
        As printed, or counted from the top where the paper has no numbers.
    about : str
        What stands there, in a few words.
    rows : tuple of str, optional
        Keys of its rows; without any, the list of places is all there is about it.
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


@dataclass(frozen=True, slots=True)
class Paper:
    """One of the five papers, and what computes its rows.

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
    derivation : callable, optional
        Writes our derivation of its equations as a part of a page, steps with their addresses.
    """

    number: str
    authors: str
    title: str
    about: str
    judge: Callable[[], tuple[Row, ...]]
    places: tuple[Place, ...] = ()
    derivation: Callable[[], str] | None = None

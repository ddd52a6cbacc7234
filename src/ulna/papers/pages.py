"""The papers as pages to read: HTML for a folder, Markdown for the docs.

How pages look is written in templates/; here is what goes into them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ulna.papers.edition import Edition, Judged, counted, path, poster
from ulna.papers.library import NUMBERS
from ulna.papers.page_text import (
    as_printed,
    blocks,
    columns_of,
    counted_words,
    escaped,
    figure,
    grouped,
    has_printed,
    is_grid,
    label_of,
    markdown_cell,
    paragraphs,
    plain,
    prose,
    wrapped,
)
from ulna.papers.row import Number, Picture, Row, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

    from ulna.papers.players import Viewer

INDEX, ERRATA = "index.html", "errata.html"
THUMBNAILS = 3  # of a paper
# What shows best what a paper is about; of others the first ones.
TELLING = (
    "000-figure-4", "000-figure-5", "000-figure-6",
    "001-figure-1", "001-figure-3", "001-four-joints",
)  # fmt: skip
COUNTS = ("None", "One", "Two", "Three", "Four")


class VerdictLook(NamedTuple):
    """How a verdict is shown: a mark tells it from others in grey print as well."""

    mark: str
    style: str
    meaning: str


LOOKS = {
    Verdict.SAME: VerdictLook("=", "same", "Computed again, it comes out as the paper prints it."),
    Verdict.CONSISTENT: VerdictLook(
        "≈",
        "consistent",
        "It agrees with what the paper says in words. There was nothing to compare it with: the "
        "figure, the film or the start values were not available, or no result is printed.",
    ),
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
        "label": label_of,
        "blocks": blocks,
        "columns": columns_of,
        "line_names": lambda numbers: list(dict.fromkeys(number.of for number in numbers)),
        "grouped": grouped,
        "any_printed": has_printed,
        "fill": wrapped,
        "cell": markdown_cell,
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
